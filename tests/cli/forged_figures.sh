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
quietly lethe disconnect log.tsv -o disconnect
quietly lethe og sets.txt --from records --taxonomy sets.tree -k 4 -m 2 -o og
quietly lethe clump sets.txt --from records --taxonomy sets.tree -k 2 -o clump
quietly lethe lplus table.csv --qi age --sa ill --hierarchies trees --theta 1/2 -o lplus
for rel in threshold chain split og clump lplus; do forged $rel 'pass'; done
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
echo "=== computed from the files"
forged threshold 'm["rows_kept"] += 1'
forged threshold 'm["queries_kept"] = 1000'
forged split 'm["personas"] *= 2'
forged og 'm["cut"] = ["a1", "a2", "b1", "b2"]'
forged clump 'm["avg_length"] *= 2'
forged clump 'm["avg_level"] += 1e-6'
forged lplus 'm["groups"] += 1'
forged lplus 'm["cut"]["age"] = ["1", "2", "3", "4"]'
echo "=== cannot be true of the files"
forged og 'm["ncp"] = 0.0'
forged og 'm.update(ncp=0.0, cost=0.0)'
forged clump 'm["ggd"] = 0.0'
forged lplus 'm["cost"] = 0.0'
forged lplus 'm["rows_deleted"] += 1'
forged threshold 'm["rows_suppressed"] += 10'
forged split 'm["users"] = 100'
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
