# SPDX-License-Identifier: Apache-2.0
# Bags: what was matched in a group, published whole; read back, measured, attacked, forged.
. "$HERE/common.bash"
{
    printf '%s\t%s\n' wine alcohol vino alcohol raw_milk milk homo_milk milk jackets outwear pants outwear boots footwear shoes footwear
    printf '%s\t%s\n' alcohol edibles milk edibles outwear clothing footwear clothing edibles goods clothing goods
} >tax.tsv
# The running example of the thesis: the hyper vocabularies of Example 5.9, and bLM as ever (39/154).
printf '%s\n' 'wine wine jackets boots' 'vino vino jackets shoes' 'wine vino raw_milk jackets shoes' \
    'vino raw_milk raw_milk homo_milk' 'raw_milk homo_milk homo_milk jackets pants' >t.txt
thesis='--epsilon 4 --min-owners 1 --persons record --refine 0 --unmatched drop'
run lethe ssg t.txt -k 2 --taxonomy tax.tsv $thesis --centre bag -q --map map -o thesis
cat thesis/data.txt thesis/taxonomy.tsv
json thesis/manifest.json '{k: round(v, 4) for k, v in j["metrics"].items()}'
json thesis/manifest.json '[c for c in j["caveats"] if c.startswith("--")]'
run lethe verify thesis
run lethe measure thesis --original t.txt --taxonomy tax.tsv --map map
# Each term by two persons at least: others are what is above them.
printf '%s\n' 'wine boots' 'wine boots' 'vino shoes' 'vino boots' 'raw_milk pants' 'raw_milk jackets' \
    'homo_milk jackets' 'homo_milk pants' >r.txt
run lethe ssg r.txt -k 4 --taxonomy tax.tsv --centre bag -q --map map --force -o rel
cat rel/data.txt rel/taxonomy.tsv
accounts rel/manifest.json
run lethe verify rel
run lethe measure rel --original r.txt --taxonomy tax.tsv --map map --patterns 2
run lethe attack rel --explain --original r.txt --taxonomy tax.tsv --map map --known 2
# Onto standard output; with any number of threads.
lethe ssg r.txt -k 4 --taxonomy tax.tsv --centre bag -q -o - 2>/dev/null | cmp - rel/data.txt
for n in 1 2 7; do
    quietly lethe ssg r.txt -k 4 --taxonomy tax.tsv --centre bag --threads $n -q -o threads
    cmp threads/data.txt rel/data.txt
    cmp threads/manifest.json rel/manifest.json
    rm -r threads
done

# forge NAME OLD NEW: in the data, lines put in order again, the digest right.
forge() {
    rm -rf bad
    cp -r rel bad
    python3 - "$2" "$3" <<'END'
import hashlib, json, sys
old, new = sys.argv[1:]
m = json.load(open("bad/manifest.json"))
d = open("bad/data.txt").read()
assert old in d, old
lines = [" ".join(sorted(l.split(" "))) for l in d.replace(old, new).splitlines()]
data = "".join(l + "\n" for l in sorted(lines)).encode()
entry = [f for f in m["files"] if f["name"] == "data.txt"][0]
entry.update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
open("bad/data.txt", "wb").write(data)
json.dump(m, open("bad/manifest.json", "w"))
END
    lethe verify bad --json >report 2>out
    echo "$1: $?"
    json report '[c.get("counterexample") for c in j["verdict"].get("checks", [])]'
}
forge 'the same again' 'vino|wine' 'vino|wine'
forge 'out of order' 'vino|wine' 'wine|vino'
forge 'a member twice' 'vino|wine' 'vino|vino|wine'
forge 'an unknown member' 'vino|wine' 'beer|vino|wine'
forge 'a member that is not listed' 'vino|wine' 'shoes|vino|wine'
forge 'a member left out' 'vino|wine' 'wine'
forge 'an empty member' 'vino|wine' 'vino||wine'
# No other method publishes bags, nor does another --centre.
cp -r rel bag
sed -i 's/"centre": "bag"/"centre": "vote"/' rel/manifest.json
quietly lethe ssg r.txt -k 4 --taxonomy tax.tsv --centre vote -q -o vote
python3 - <<'END'
import json
m = json.load(open("rel/manifest.json"))
m["caveats"] = json.load(open("vote/manifest.json"))["caveats"]
json.dump(m, open("rel/manifest.json", "w"))
END
rm -r vote
forge 'another centre' 'vino|wine' 'vino|wine'
rm -r rel
mv bag rel

# Names that hold a `|` themselves cannot be told from bags, and do no harm without them.
sed 's/alcohol/alco|hol/' tax.tsv >joint.tsv
printf '%s\n' 'wine boots' 'vino boots' 'vino shoes' 'vino shoes' >j.txt
quietly lethe ssg j.txt -k 4 --taxonomy tax.tsv --centre bag -q --force -o rel && uniq rel/data.txt
run lethe ssg j.txt -k 4 --taxonomy joint.tsv --centre bag -q -o none
sed 's/boots/bo|ots/' tax.tsv >member.tsv
sed 's/boots/bo|ots/' j.txt >member.txt
run lethe ssg member.txt -k 4 --taxonomy member.tsv --centre bag -q -o none
{
    cat tax.tsv
    printf 'boots|shoes\tclothing\n'
} >whole.tsv
run lethe ssg j.txt -k 4 --taxonomy whole.tsv --centre bag -q -o none
run lethe ssg j.txt -k 4 --taxonomy joint.tsv -q --force -o rel && uniq rel/data.txt && quietly lethe verify rel
holds bad j.txt joint.tsv map member.tsv member.txt out r.txt rel report t.txt tax.tsv thesis whole.tsv
