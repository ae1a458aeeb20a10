# SPDX-License-Identifier: Apache-2.0
# Vocabularies in groups by meaning: centres, owners, metrics, what is refused.
. "$HERE/common.bash"
{
    printf '%s\t%s\n' wine alcohol vino alcohol raw_milk milk homo_milk milk jackets outwear pants outwear boots footwear shoes footwear
    printf '%s\t%s\n' alcohol edibles milk edibles outwear clothing footwear clothing edibles goods clothing goods
} >tax.tsv
# The running example of the thesis (Figure 5.1), with its parameters: bLM is 39/154.
printf '%s\n' 'wine wine jackets boots' 'vino vino jackets shoes' 'wine vino raw_milk jackets shoes' \
    'vino raw_milk raw_milk homo_milk' 'raw_milk homo_milk homo_milk jackets pants' >t.txt
thesis='--epsilon 4 --min-owners 1 --persons record --refine 0 --unmatched drop'
published() { uniq -c <"$1/data.txt" | sed 's/^ *//'; }
figures='{k: round(v, 4) for k, v in j["metrics"].items()}'
for options in '' '--epsilon 0' '--epsilon 2 --omega 100' '--epsilon 6' '--omega none' '--matching greedy' '--centre ancestor'; do
    run lethe ssg t.txt -k 2 --taxonomy tax.tsv $thesis $options -q --force --map map -o rel
    published rel
    json rel/manifest.json "$figures"
done
quietly lethe verify rel
json rel/manifest.json 'j["steps"][0]["parameters"], j["claims"]'
accounts rel/manifest.json
# With the defaults a term needs two persons, or what is above it is published.
run lethe ssg t.txt -k 2 --taxonomy tax.tsv --epsilon 4 -q --force --map map -o rel && published rel
json rel/manifest.json "$figures"
run lethe verify rel
lethe measure rel --original t.txt --taxonomy tax.tsv --map map --json >report && json report 'sorted(j["metrics"]), j["metrics"]["blm"], j["metrics"]["truthful"]'
lethe measure rel --original t.txt --taxonomy tax.tsv --map map | grep -e 'of the original' -e substituted
lethe attack rel --original t.txt --taxonomy tax.tsv --map map --json >report && json report 'sorted(j["metrics"])'
run lethe ssg t.txt -k 2 --taxonomy tax.tsv --epsilon auto -q --force -o rel && published rel
# Edges or levels; what was resolved is a figure, and no other may stand in its place.
for epsilon in 2l 4 6e l; do run lethe ssg t.txt -k 2 --taxonomy tax.tsv --epsilon $epsilon -q --force -o rel && json rel/manifest.json 'j["steps"][0]["parameters"]["epsilon"], j["metrics"]["epsilon"]'; done
for epsilon in 2l 4 auto; do
    lethe ssg t.txt -k 2 --taxonomy tax.tsv --epsilon $epsilon -q --force -o rel
    python3 -c 'import json; m = json.load(open("rel/manifest.json")); m["metrics"]["epsilon"] = 3.0; json.dump(m, open("rel/manifest.json", "w"))'
    run lethe verify rel -q
done
run lethe ssg t.txt -k 2 --taxonomy tax.tsv --metric network --epsilon 2l -q --force -o rel
run lethe ssg t.txt -k 3 --taxonomy tax.tsv --min-owners 6 -q -o none
# A caveat that is left out of the manifest is missed.
lethe ssg t.txt -k 3 --taxonomy tax.tsv --epsilon 4 --min-owners 1 -q --force -o rel
json rel/manifest.json '[c for c in j["caveats"] if "--min-owners 1" in c]'
python3 - <<'P'
import json
m = json.load(open("rel/manifest.json"))
m["caveats"] = [c for c in m["caveats"] if "--min-owners 1" not in c]
json.dump(m, open("rel/manifest.json", "w"))
P
run lethe verify rel
# Distances from a file, by the names of the records' terms.
printf '%s\t%s\t%s\n' wine vino 0.5 boots shoes 1.25 raw_milk homo_milk 2 >near.tsv
run lethe ssg t.txt -k 2 --taxonomy tax.tsv --metric near.tsv --epsilon 1.5 -q --force -o rel && published rel
for line in 'wine\tvino\t-1' 'wine\tvino' 'wine\tvino\t' 'wine\tvino\tfar' 'wine\tvino\t1e99' 'wine\tvino\tnan' '\tvino\t1' 'wine\tvino\t1\t2'; do
    printf "boots\tshoes\t1\n$line\n" >bad.tsv
    run lethe ssg t.txt -k 3 --taxonomy tax.tsv --metric bad.tsv --epsilon 6 -q -o none
done
: >empty
for metric in empty . missing; do run lethe ssg t.txt -k 3 --taxonomy tax.tsv --metric $metric --epsilon 6 -q -o none; done
run lethe ssg t.txt -k 3 --taxonomy tax.tsv --metric near.tsv --epsilon auto -q -o none
run lethe ssg t.txt -k 3 --taxonomy tax.tsv --omega 2.5 -q -o none
# Nothing in common: empty centres are counted and warned of; all of them empty is nothing to publish.
printf 'wine\nwine\njackets\nboots\nraw_milk\nshoes\n' >apart.txt
lethe ssg apart.txt -k 2 --taxonomy tax.tsv --epsilon 0 --unmatched drop --force -o rel >out 2>&1; grep -E 'warning|empty ' out; published rel
printf 'wine\njackets\nboots\n' >disjoint.txt
run lethe ssg disjoint.txt -k 3 --taxonomy tax.tsv --epsilon 0 --unmatched drop -q -o none
run lethe ssg disjoint.txt -k 3 --taxonomy tax.tsv --epsilon 0 -q --force -o rel && published rel
# A term that five persons used may stay; a claim without its number, or with another, is refused.
printf '%s\n' 'wine boots' 'vino shoes' 'wine pants' 'wine boots' 'wine shoes' 'wine jackets' >cellar.txt
run lethe ssg cellar.txt -k 2 --taxonomy tax.tsv -q --force -o rel && published rel
run lethe ssg cellar.txt -k 2 --taxonomy tax.tsv --owners log -q --force -o rel && published rel && json rel/manifest.json 'j["claims"]'
run lethe verify rel
run lethe verify --caveats rel | grep owners
for claim in 'pop("term-persons")' 'update({"term-persons": 3})'; do
    cp -r rel forged
    python3 -c 'import json, sys; m = json.load(open("forged/manifest.json")); eval("m[\"claims\"][0]." + sys.argv[1]); json.dump(m, open("forged/manifest.json", "w"))' "$claim"
    run lethe verify forged -q
    rm -r forged
done
run lethe ssg cellar.txt -k 2 --taxonomy tax.tsv --owners log --min-owners 7 -q -o none
# Persons are counted even where records stand for them: one person's word does not stay.
{ yes 'ann	wine wine' | head -n 5; yes 'bob	boots' | head -n 5; } >one.txt
run lethe ssg one.txt --from records -k 5 --persons record --taxonomy tax.tsv -q -o none
# Empty vocabularies, identical ones, too few persons, one of 100,000 terms.
printf '\n\nwine\nwine\n\nvino wine\n' >holes.txt
run lethe ssg holes.txt -k 2 --taxonomy tax.tsv -q --force -o rel && published rel && json rel/manifest.json 'j["metrics"]["empty"]'
yes 'wine jackets boots' | head -n 1000 >same.txt
run lethe ssg same.txt -k 7 --taxonomy tax.tsv -q --force -o rel && published rel && json rel/manifest.json 'j["metrics"]["blm"]'
printf 'ann\twine\nann\twine\nbob\twine\n' >own.txt
run lethe ssg own.txt -k 3 --taxonomy tax.tsv -q -o none
run lethe ssg own.txt -k 3 --taxonomy tax.tsv --persons record -q --force -o rel && published rel
{ yes 'wine vino boots shoes' | head -n 25000 | tr '\n' ' ' | sed 's/ $/\n/'; cat t.txt; } >huge.txt
quietly lethe ssg huge.txt -k 3 --taxonomy tax.tsv -q --force -o rel && awk '{ n[NF]++ } END { for (i in n) print n[i], "of", i }' rel/data.txt | sort
# The same bytes for any number of threads.
awk 'BEGIN { s = 1; split("wine vino raw_milk homo_milk jackets pants boots shoes", w, " "); for (i = 0; i < 3000; i++) { printf "p%d\t", i % 1100; n = 1 + i % 4; for (j = 0; j < n; j++) { s = (s * 69069 + 1) % 16777216; printf "%s%s", j ? " " : "", w[1 + int(s / 4096) % 8] } print "" } }' >big.txt
for threads in 1 2 7; do lethe ssg big.txt -k 5 --taxonomy tax.tsv --epsilon 2 --seed 1 --threads $threads -q -o - 2>/dev/null | md5sum; done | uniq | wc -l
[ ! -e none ] || echo "something was left behind"
