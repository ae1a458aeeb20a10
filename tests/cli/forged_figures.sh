# SPDX-License-Identifier: Apache-2.0
# Manifests with figures that are not those of the files: what verify computes, what it can refuse, what it cannot tell.
. "$HERE/common.bash"
small_log >log.tsv
printf '%s\n' 'a1 b1' 'a1 b2' 'a2 b1' 'a2 b2' 'a1 b1' >sets.txt
printf '%s\t%s\n' a1 a a2 a b1 b b2 b a all b all >sets.tree
printf 'age,ill\n1,flu\n2,cold\n3,flu\n4,cold\n' >table.csv
mkdir trees
printf '%s\n' '1;low;all' '2;low;all' '3;high;all' '4;high;all' >trees/age.csv

# forged REL STATEMENT: verifies it after a Python statement over the manifest `j` and its figures `m`.
forged() {
    local status
    rm -rf forged
    cp -r "$1" forged
    python3 -c 'import json, sys
j = json.load(open("forged/manifest.json"))
m = j["metrics"]
exec(sys.argv[1])
json.dump(j, open("forged/manifest.json", "w"), indent=2)' "$2"
    printf -- '--- %s: %s\n' "$1" "$2"
    lethe verify forged 2>/dev/null | grep -v ' holds$\|^forged: '
    status=${PIPESTATUS[0]}
    echo "= $status"
}
quietly lethe threshold log.tsv -t 2 -o threshold
quietly lethe threshold log.tsv -t 2 --then split --by day -o chain
quietly lethe split log.tsv --by day -o split
quietly lethe scrub log.tsv -o scrub
quietly lethe disconnect log.tsv --min-urls none --targeted-clicks 1 -o disconnect
quietly lethe og sets.txt --from records --taxonomy sets.tree -k 4 -m 2 -o og
quietly lethe clump sets.txt --from records --taxonomy sets.tree -k 2 -o clump
quietly lethe lplus table.csv --qi age --sa ill --hierarchies trees --theta 1/2 -o lplus
# Rows that two steps leave out, texts that share URLs, items that are removed.
{ cat log.tsv; printf '7\t%s\t2006-03-01 10:00:00\t\t\n' 'call 212-555-0187' 'alone' 'call 212-555-0188'; } >long.tsv
quietly lethe scrub long.tsv --action drop --then threshold -t 2 -o dropped
for u in 1 2 3 4; do for q in "one $u" "two $u" three; do printf '%s\t%s\t2006-03-01 10:00:00\t1\thttp://site%s.com/\n' $u "$q" $u; done; done >shared.tsv
quietly lethe disconnect shared.tsv --density 0.4 --keep-vulnerable --targeted none --min-urls none -o dense
quietly lethe disconnect shared.tsv --density 0.2 --keep-vulnerable --targeted none --min-urls none -o sparse
printf '%s\n' 'a b' 'a b' 'a b' 'a c' 'b' >few.txt
quietly lethe mm few.txt --from records -k 2 -p 2 -o mm
printf '%s\n' a1 a2 b1 b2 a1 a1 a1 a1 >apart.txt
printf '%s\tall\n' a1 a2 b1 b2 >apart.tree
quietly lethe ssg apart.txt --from records --taxonomy apart.tree -k 4 --epsilon 0 -o ssg
for rel in threshold chain split dropped dense sparse og clump mm ssg lplus; do forged $rel 'pass'; done
echo "=== not a figure of the steps, not of its kind, or not there"
forged threshold 'm["differentially_private"] = True'
forged threshold 'm["personas"] = 3'
forged og 'm["phase1_s"] = 0.5'
forged og 'm["ncp"] = "none"'
forged og 'm["ncp"] = 1.5'
forged og 'm["cut"] = {"all": 1}'
forged threshold 'm["rows_kept"] = 11.0'
forged scrub 'm["found"]["nobody_can_be_found"] = 0'
forged scrub 'm["found"][""] = 0'
forged disconnect 'm["removed"]["fe"] = 0'
forged disconnect 'm["removed"]["differentially_private"] = 0'
forged threshold 'del m["rows_kept"]'
forged threshold 'm.clear()'
forged sparse 'm["removed"]["<b>"] = 0'
echo "=== computed from the files"
forged threshold 'm["rows_kept"] += 1'
forged threshold 'm["queries_kept"] = 1000'
forged split 'm["personas"] *= 2'
forged og 'm["cut"] = ["a1", "a2", "b1", "b2"]'
forged clump 'm["avg_length"] *= 2'
forged clump 'm["avg_level"] += 1e-6'
forged ssg 'm["empty"] = 1'
forged lplus 'm["groups"] += 1'
forged lplus 'm["cut"]["age"] = ["1", "2", "3", "4"]'
forged lplus 'm["cut"]["zip"] = []'
forged lplus 'm["cut"] = {"zip": m["cut"]["age"]}'
forged og 'm["cut"].append("zz")'
forged dense 'm["density_after"] *= 0.5'
echo "=== cannot be true of the files"
forged og 'm["ncp"] = 0.0'
forged og 'm.update(ncp=0.0, cost=0.0)'
forged clump 'm["ggd"] = 0.0'
forged lplus 'm["cost"] = 0.0'
forged lplus 'm["rows_deleted"] += 1'
forged threshold 'm["rows_suppressed"] += 10'
forged dropped 'm["rows_dropped"] = j["counts"]["suppressed"]'
forged split 'm["users"] = 100'
forged split 'm["personas_per_user"] *= 2'
forged sparse 'm["clicks_kept"] *= 0.5'
forged sparse 'm["queries"] += 1'
forged og 'm["cost"] *= 0.5'
forged clump 'm["clusters"] += 1'
forged mm 'm["ncp"] = 0.0'
forged split 'm["users"] = 1'
forged chain 'm["rows_kept"] = 10 ** 6'
echo "=== nobody can tell"
forged threshold 'm["rows_suppressed"] = 0'
forged og 'm["nodes"] += 1'
forged chain 'm["rows_kept"] = 1'
# Earlier versions published figures of the run.
forged og 'j["lethe"] = "0.1.0"; m["phase1_s"] = 0.5'
# For programs.
lethe verify threshold --json >j && json j '(j["unchecked"], j["metrics"]["unchecked"])'
# The page says it too.
quietly lethe threshold log.tsv -t 2 --report -o page
quietly lethe verify page
python3 - <<'P'
import re
text = re.sub(r"<[^>]*>", "|", open("page/report.html").read())
for name in ("rows_kept", "rows_suppressed"):
    print(name, re.search(name + r"[|\s]*\d+[|\s]*([^|]*)", text)[1])
P
