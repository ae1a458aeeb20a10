# Releases of parts of a log, made one: what is joined, what is refused, and that nothing is left
# half written.
lethe synth --users 60 --queries-per-user 20 --seed 7 -q -o log.tsv
for i in 0 1 2; do
    awk -F '\t' -v i=$i 'NR == 1 || $1 % 3 == i' log.tsv >log-$i.tsv
done
lethe key key
# make NAME METHOD...: a release of each part, by the same method and key.
make() {
    name=$1
    shift
    for i in 0 1 2; do lethe "$@" log-$i.tsv --key-file key -q -o "$name-$i"; done
}

echo '== the lines of all parts, in order; sums, and means as verify computes them'
make clump clump -k 3
lethe join clump-0 clump-1 clump-2 -o clump --title 'Three parts' --report
sort clump-?/data.txt | cmp - clump/data.txt && echo same lines
for file in clump-0 clump-1 clump-2; do head -n 1 $file/taxonomy.tsv; done | sort -u | cmp - <(head -n 1 clump/taxonomy.tsv)
sort -u <(tail -qn +2 clump-?/taxonomy.tsv) | cmp - <(tail -n +2 clump/taxonomy.tsv) && echo same taxonomy
lethe verify clump
python3 - <<'PYTHON'
import json
parts = [json.load(open(f"clump-{i}/manifest.json")) for i in range(3)]
whole = json.load(open("clump/manifest.json"))
for name in ("ggd", "clusters", "items_suppressed", "records"):
    total = sum(p["metrics"][name] for p in parts)
    assert abs(whole["metrics"][name] - total) < 1e-6, name
assert whole["counts"] == {n: sum(p["counts"][n] for p in parts) for n in whole["counts"]}
assert whole["parts"] == 3 and "shared_rare" not in whole["metrics"]
PYTHON

echo '== the density of the input is that of one machine'
lethe clump -k 3 log.tsv -q -o one
density() { grep -o '"density": [0-9.]*' "$1/manifest.json" | cut -c 1-22; }
[ "$(density clump)" = "$(density one)" ] && echo same density

echo '== the other methods'
make partition partition -k 3
lethe join partition-? -q -o partition && lethe verify partition | tail -n 1
make ssg ssg -k 3 --gap 1h
lethe join ssg-? -q -o ssg && lethe verify ssg | tail -n 1
make microagg microagg -k 3 --min-users 1
lethe join microagg-? -q -o microagg && lethe verify microagg | tail -n 1
(head -n 1 microagg-0/data.tsv; tail -qn +2 microagg-?/data.tsv | sort) | cmp - microagg/data.tsv && echo same lines
make scrub scrub
lethe join scrub-? -q -o scrub && lethe verify scrub | tail -n 1
lethe scrub log.tsv --key-file key -q -o scrub-one && cmp scrub/data.tsv scrub-one/data.tsv && echo as one machine
for i in 0 1 2; do lethe scrub log-$i.tsv --then clump -k 3 --key-file key -q -o both-$i; done
lethe join both-? -q -o both && lethe verify both | tail -n 1

echo '== joined releases are joined, in any order the same lines'
lethe join clump-2 clump-0 -q -o two
lethe join two clump-1 -q -o again
cmp clump/data.txt again/data.txt && cmp clump/taxonomy.tsv again/taxonomy.tsv && grep '"parts"' again/manifest.json
lethe measure clump --original log.tsv -q >/dev/null && echo measured
lethe report clump -q -o page.html && echo page

echo '== with a key, random choices are the same again'
for i in 1 2; do lethe microagg -k 3 --min-users 1 --cluster random log-0.tsv --key-file key -q -o drawn-$i; done
cmp drawn-1/data.tsv drawn-2/data.tsv && echo same

echo '== refused'
refuse() {
    lethe join "$@" -q -o never
    echo "exit $?"
    [ ! -e never ] || echo there is a release
}
lethe clump -k 4 log-1.tsv --key-file key -q -o other-k
refuse clump-0 other-k
refuse clump-0 partition-1
refuse clump-0 clump-1 clump-0
cp -r clump-1 copy
refuse clump-0 clump-1 copy
lethe split log-0.tsv -q -o split-0
lethe split log-1.tsv -q -o split-1
refuse split-0 split-1
head -n 200 log-0.tsv >>log-1.tsv
lethe microagg -k 3 --min-users 1 log-1.tsv --key-file key -q -o overlap
refuse microagg-0 overlap
lethe scrub log-0.tsv --key-file key --publish-as ubi -q -o ubi-0
lethe scrub log-2.tsv --key-file key --publish-as ubi -q -o ubi-2
refuse ubi-0 ubi-2
lethe clump -k 3 --taxonomy wordnet:present log-0.tsv -q -o present-0
lethe clump -k 3 --taxonomy wordnet:present log-2.tsv -q -o present-2
refuse present-0 present-2
refuse clump-0 nowhere
refuse clump-0 log.tsv
cp -r clump-1 changed
sed -i '1s/$/x/' changed/data.txt
refuse clump-0 changed
lethe join clump-0 clump-1
lethe join clump-0 clump-1 -o -
lethe join clump-0 clump-1 -o clump
lethe join clump-0 clump-1 -o clump-1 --force
lethe join clump-0 clump-1 -q -o clump --force && grep '"parts"' clump/manifest.json

echo '== a manifest that lies about its parts'
forge() { # forge NAME CODE: changes the manifest of a joined release
    rm -rf forged
    cp -r again forged
    rm -f forged/report.html
    python3 - "$2" <<'PYTHON'
import json, sys
m = json.load(open("forged/manifest.json"))
exec(sys.argv[1])
json.dump(m, open("forged/manifest.json", "w"))
PYTHON
    printf '%s: ' "$1"
    lethe verify forged 2>&1 >/dev/null
}
forge 'no parts' 'del m["parts"]'
forge 'no caveat' 'm["caveats"] = [c for c in m["caveats"] if not c.startswith("Joined")]'
forge 'a figure of the whole input' 'm["metrics"]["shared_rare"] = 0.0'
forge 'a figure left out' 'del m["metrics"]["ggd"]'
forge 'no number' 'm["parts"] = 0'
forge 'risk of a part' 'm["risk"] = []'
find . -name '.*lethe*'
