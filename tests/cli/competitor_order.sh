# SPDX-License-Identifier: Apache-2.0
# What disconnect leaves to the order of clicks: ten results a query, of which the first ones are clicked most.
. "$HERE/common.bash"
python3 - <<'END'
import random
r = random.Random(1)
SHARES = [.39, .14, .095, .07, .06, .055, .05, .05, .045, .045]
common, lists = [f"http://s{i}.com/" for i in range(300)], []
with open("results", "w") as out:
    for t in range(8000):
        urls = []
        while len(urls) < 10:
            url = r.choice(common) if r.random() < 0.05 else f"http://h{r.randrange(2000)}.com/p{t}x{len(urls)}"
            urls += [url] if url not in urls else []
        lists.append(urls)
        out.writelines(f"word{t} topic{t % 97}\t{url}\n" for url in urls)
asked = r.choices(range(8000), [1 / (i + 1) ** 0.9 for i in range(8000)], k=40000)
with open("log.tsv", "w") as out:
    print("AnonID\tQuery\tQueryTime\tItemRank\tClickURL", file=out)
    for i, t in enumerate(asked):
        rank = r.choices(range(10), SHARES)[0]
        time = f"2006-03-{1 + i % 28:02} {i // 28 % 24:02}:{i % 60:02}:{i // 60 % 60:02}"
        print(r.randrange(2000), f"word{t} topic{t % 97}", time, rank + 1, lists[t][rank], sep="\t", file=out)
END
for m in none 2 5 10; do
    quietly lethe disconnect log.tsv --min-urls $m --seed 1 --force -o release
    lethe attack release --original log.tsv --results results --adversary competitor --json -q >said
    python3 - $m <<'END'
import json, sys
made, said = json.load(open("release/manifest.json"))["metrics"], json.load(open("said"))["metrics"]["competitor"]
told = {name: f"{of['success']:.3f}" for name, of in said["strategies"].items()}
print(f"--min-urls {sys.argv[1]}: kept of the volume {made['volume_kept']:.3f}, of the clicks {made['clicks_kept']:.3f}; "
      f"told {told}, at random {said['baseline']:.3f}")
END
done
