# SPDX-License-Identifier: Apache-2.0
# taxonomy.tsv says how many leaves its nodes have, and kl-privacy counts them: larger numbers would make any release hold.
. "$HERE/common.bash"
[ -r "${WNSEARCHDIR:-/usr/share/wordnet}/index.noun" ] || skip "WordNet is not installed"
python3 - <<'END'
import random
random.seed(3)
leaves = [g + str(i) for g in "abcd" for i in range(4)]
print(*(f"{g}\tall" for g in "abcd"), *(f"{x}\t{x[0]}" for x in leaves), sep="\n", file=open("tree", "w"))
records = [" ".join(sorted(random.sample(leaves, 3))) for _ in range(60)]
print(*records, sep="\n", file=open("records", "w"))
print(*records, *["a b0", "a b1"] * 5, sep="\n", file=open("inner", "w"))
END
for input in records inner; do
    quietly lethe og $input --from records --persons record --taxonomy tree -k 3 -m 2 -n 2 -o $input.rel
    echo "--- $input: without a copy, and with one"
    run lethe verify $input.rel
    run lethe verify $input.rel --taxonomy tree
done
tac tree >reordered
run lethe verify records.rel --taxonomy reordered | tail -n 1
lethe verify records.rel --json >report
json report '{"checks": j["verdict"]["checks"], "unchecked": j["unchecked"], "metrics": j["metrics"]}'

# forge NAME RELEASE PYTHON: `t` are the fields of taxonomy.tsv, `r` the records, `m` is the manifest, `step` its step.
forge() {
    rm -rf bad
    cp -r "$2" bad
    python3 - "$3" <<'END'
import hashlib, json, subprocess, sys
m = json.load(open("bad/manifest.json"))
t = [line.split("\t") for line in open("bad/taxonomy.tsv").read().splitlines()]
step = m["steps"][-1]["parameters"]
r = [line.split() for line in open("bad/data.txt")]
leaves = lambda **n: [x.__setitem__(2, n.get(x[0], x[2])) for x in t]
exec(sys.argv[1])
files = {"taxonomy.tsv": ["\t".join(map(str, line)) for line in t[:1] + sorted(t[1:])],
         "data.txt": sorted(" ".join(sorted(record)) for record in r)}
for f in m["files"]:
    if f["name"] in files:
        data = "".join(line + "\n" for line in files[f["name"]]).encode()
        f.update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
        open("bad/" + f["name"], "wb").write(data)
for _ in range(4): # figures that contradict the files are lies as well
    json.dump(m, open("bad/manifest.json", "w"))
    said = subprocess.run(["lethe", "verify", "bad", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    why = json.loads(said or "{}").get("metrics", {}).get("counterexample", {})
    if "at_least" not in why:
        break
    m["metrics"][why["figure"]] = why["at_least"]
END
    echo "$1: $(lethe verify bad 2>&1 | tail -n 1)"
    echo "    with a copy: $(lethe verify bad --taxonomy tree 2>&1 | grep -v '^lethe: ' | tail -n 2 | tr '\n' ' ')"
}
echo "--- forged"
many='t = [[c, p, int(n) * 100] for c, p, n in t]'
more='step["n"] = m["claims"][0]["n"] = m["verdict"]["checks"][0]["n"] = 12'
forge 'more absent items than it was made for' records.rel "$more"
forge 'the same, leaves times 100' records.rel "$more; $many"
forge 'leaves times 100' records.rel "$many"
forge 'times 100, no digest' records.rel "$many; del step['taxonomy-blake2b']"
forge 'a leaf less' records.rel 't[0][2] = 17; t[1][2] = 3'
forge 'more leaves than inner nodes could get' records.rel 't[1][2] = 6; t[0][2] = 18'
forge 'as if an inner node had been an item' records.rel 't[1][2] = 5; t[0][2] = 17'
own='t = [[c, p, int(n) + (4 if c == "all" else 1)] for c, p, n in t]'
forge 'more absent items, and items at all inner nodes' records.rel "$more; $own"
for i in 1 2 3 4; do printf '%s\n' 'a a0' a 'b0 b1' 'a0 b0' b1; done >leaves
quietly lethe og leaves --from records --persons record --taxonomy tree -k 2 -m 1 -n 1 -o leaves.rel
forge 'leaves as they are' leaves.rel 'pass'
forge 'a leaf of its own that counts twice' leaves.rel 't[1][2] = 2; leaves(a=6, all=18)'
forge 'a leaf of a leaf' leaves.rel 'leaves(a0=2, a=6, all=18); t.append(["=a0", "a0", 1]); r = [[x.replace("a0", "=a0") for x in y] for y in r]'
forge 'a leaf below another node' leaves.rel 't[-1][1] = "a"; leaves(a=6, all=18)'
forge 'more leaves than the nodes left could get' leaves.rel 'leaves(all=21)'
forge 'as many as they could' leaves.rel 'leaves(all=20)'
forge 'another digest' records.rel 'step["taxonomy-blake2b"] = "00" * 32'
forge 'a digest that is none' records.rel 'step["taxonomy-blake2b"] = "00"'
echo "--- copies that are none"
sed 's/a3/zz/' tree >other
run lethe verify records.rel --taxonomy other
run lethe verify records.rel --taxonomy missing
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --seed 1 -o log.rel
run lethe verify log.rel --taxonomy tree
quietly lethe og records --from records --persons record --taxonomy tree -k 3 -m 2 -o present.rel
echo "--- what is present alone counts no leaves"
grep -c taxonomy-blake2b present.rel/manifest.json
run lethe verify present.rel
run lethe verify present.rel --taxonomy tree

echo "--- WordNet is at hand"
for i in 1 2; do printf 'dog cat wine\ndog wine beer\ncat beer dog\n'; done >words
quietly lethe og words --from records --persons record -k 2 -m 1 -n 3 --taxonomy wordnet -o words.rel
run lethe verify words.rel
run lethe verify words.rel --taxonomy wordnet
forge 'leaves times 100' words.rel "$many" | head -n 1
lethe verify bad 2>/dev/null | head -n 1
forge 'another WordNet' words.rel "$many; step['taxonomy-blake2b'] = '00' * 32" | head -n 1
lethe verify bad | head -n 2
WNSEARCHDIR=$PWD/nowhere lethe verify words.rel | head -n 2
quietly lethe og words --from records --persons record -k 2 -m 1 -n 3 --taxonomy wordnet:present -o used.rel
run lethe verify used.rel
