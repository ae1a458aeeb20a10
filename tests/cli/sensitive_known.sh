# SPDX-License-Identifier: Apache-2.0
# Who also knows a sensitive item: the adversary, the promise of og and mog, and its check, each against a count in Python.
. "$HERE/common.bash"
python3 - <<'END'
import random
rng = random.Random(5)
groups = {"fruit": ["apple", "banana", "grape"], "meat": ["beef", "ham"], "dairy": ["milk", "butter", "cheese"]}
with open("food", "w") as out:
    for group, items in groups.items():
        print(group, "food", sep="\t", file=out)
        for item in items:
            print(item, group, sep="\t", file=out)
items = [x for group in groups.values() for x in group]
with open("baskets", "w") as out:
    for i in range(60):
        marks = [m for m, share in (("flu", 0.3), ("cold", 0.25)) if rng.random() < share]
        print(*sorted(rng.sample(items, rng.randrange(1, 5))), *marks, file=out)
print("flu\ncold", file=open("ill", "w"))
END
sets() { lethe "$1" baskets --from records --taxonomy food --sensitive ill "${@:2}" --force -q -o rel; }
cat >count.py <<'END'
"""The least number of sets that fit, and the greatest confidence, of up to m known items and n sensitive ones."""
import itertools, sys
m, n = int(sys.argv[1]), int(sys.argv[2])
up = {a: b for a, b, _ in (line.rstrip("\n").split("\t") for line in open("rel/taxonomy.tsv"))}
ill = open("rel/sensitive.txt").read().split()
def above(x):
    while x:
        yield x
        x = up[x]
rows = [(set(y for x in line.split() if x not in ill for y in above(x)), set(line.split()) & set(ill)) for line in open("rel/data.txt")]
least, most = len(rows), 0
for size in range(m + 1):
    for known in itertools.combinations(up, size):
        for marks in itertools.chain.from_iterable(itertools.combinations(ill, i) for i in range(n + 1)):
            fits = [has for items, has in rows if items >= set(known) and has >= set(marks)]
            if fits:
                least = min(least, len(fits))
                most = max(most, *(sum(s in has for has in fits) / len(fits) for s in set(ill) - set(marks)), 0)
print(f"known {m}, sensitive {n}: least {least}, confidence {most:.2f}")
END
for how in '' '--sensitive-known 1'; do
    for method in og mog; do
        echo "--- $method $how"
        sets $method -k 4 -l 1.5 -m 2 $how --map map
        cut=$(json rel/manifest.json 'j["metrics"]["cut"]')
        echo "$cut $(json rel/manifest.json 'j["claims"]')"
        for n in 0 1 2; do python3 count.py 2 $n; done
    done
    lethe verify rel | head -n 1
    for n in 0 1; do
        lethe attack rel --original baskets --taxonomy food --known 2 --absent 0 --sensitive-known $n --map map --json >report
        json report '{x: j["metrics"]["presence-absence"].get(x) for x in ("persons", "sensitive_known", "note")}'
        json report '{x: round(j["metrics"]["presence-absence"]["candidates_after"][x], 4) for x in ("min", "under_k", "over_limit")}'
    done
done
echo "--- as a user sees it"
run lethe attack rel --explain --original baskets --taxonomy food --adversary presence-absence --known 2 --absent 0 --sensitive-known 1 --map map
echo "--- a promise that is not kept"
sets og -k 4 -l 1.5 -m 2
python3 - <<'END'
import json
m = json.load(open("rel/manifest.json"))
m["claims"][0]["sensitive_known"] = 1
m["steps"][-1]["parameters"]["sensitive-known"] = 1
m["caveats"] = [x.replace("anyone who knows that the person has one of them.", "anyone who knows more of them than the promise "
                          "allows for (--sensitive-known).") for x in m["caveats"]]
json.dump(m, open("rel/manifest.json", "w"), indent=2)
END
run lethe verify rel
echo "--- no cut is valid"
run sets og -k 25 -l 1 -m 1 --sensitive-known 1
printf '%s\n' 'ham flu cold' 'ham flu cold' 'ham flu' ham ham ham ham ham ham ham >few
run lethe og few --from records --taxonomy food --sensitive ill -k 2 -l 3 -m 1 --sensitive-known 1 -o other
run sets og -k 4 -l 1 -m 1 --sensitive-known 2
echo "--- what is refused"
run lethe og baskets --from records --taxonomy food -k 4 -m 2 --sensitive-known 1 -o other
run sets og -k 4 -m 2 --sensitive-known many
run lethe mm baskets --from records --sensitive ill -k 2 -p 1 --sensitive-known 1 -o other
