# SPDX-License-Identifier: Apache-2.0
# What is held in memory says how much it needs, and ends before its work where that is over --memory.
. "$HERE/common.bash"
printf '%s\t%s\n' a0 a a1 a b0 b b1 b a all b all >tax.tsv
awk 'BEGIN { for (i = 0; i < 400000; i++) print "a" int(i / 3) % 2, "b" i % 2 }' >big.dat
awk 'BEGIN { print "id,age,ill"; for (i = 0; i < 150000; i++) printf "%0400d,%d,%d\n", i, i % 80, i % 5 }' >big.csv
awk 'BEGIN { for (i = 0; i < 400000; i++) printf "%d\tw%d x%d\t2006-03-%02d 07:00:00\t1\thttp://s%d.org/\n", i % 4000, i % 150000, int(i / 4000), 1 + i % 28, i % 190000 }' >big.tsv
figures() { sed 's/for about/for/; s/[0-9][0-9,.]* [MG]iB/SIZE/g; s/--memory [0-9]*M/--memory SIZE/; s/[0-9][0-9,]* \(records\|items\|rows\|values\|users\|texts\|queries\|clicked\)/N \1/g'; }
# refused ARGUMENT...: what it says, and that nothing is left.
refused() {
    echo "--- $1"
    lethe "$@" --memory 64M -q 2>said
    local status=$?
    figures <said
    [ "$status" = 4 ] || echo "= $status"
    ls -d rel rel.map .rel* .lethe* 2>/dev/null
}
for method in clump partition ssg 'og -m 2' 'mog -m 2' 'aa -m 2'; do
    # shellcheck disable=SC2086
    refused $method big.dat -k 5 --taxonomy tax.tsv --persons record --map rel.map -o rel
done
# What mm needs is in rare pairs, of which these have millions.
awk 'BEGIN { x = 1; for (i = 0; i < 240000; i++) { x = x * 16807 % 2147483647; printf "%d%s", x % 3000, i % 40 == 39 ? "\n" : " " } }' >pairs.dat
refused mm pairs.dat -k 5 -p 2 --persons record -o rel
# How many threats there are is known once they are found: it ends when they do not fit.
awk 'BEGIN { x = 1; for (i = 0; i < 40000; i++) { n = 3 + i % 4; for (k = 1; k <= n; k++) { x = x * 16807 % 2147483647; printf "%d%s", x % 256, k == n ? "\n" : " " } } }' >rare.dat
awk 'BEGIN { for (v = 2; v < 512; v++) print (v < 256 ? "n" v : v - 256) "\tn" int(v / 2) }' >halves.tsv
refused og rare.dat -k 5 -m 3 --taxonomy halves.tsv --persons record -o rel
refused suggest big.dat big.dat big.dat big.dat --from records
refused compare big.csv --qi age,id --methods incognito -k 2 -o rel
for method in lplus incognito anneal local; do refused $method big.csv --qi age -k 5 --keep id -o rel; done
refused profile big.csv --from table
refused check big.csv --qi age -k 2
refused hierarchy big.csv id -o rel
refused microagg big.tsv -k 5 -o rel
refused disconnect big.tsv -o rel

echo "--- with the size that is offered for a part of the log, all of it is taken"
for method in disconnect 'microagg -k 5'; do
    # shellcheck disable=SC2086
    lethe $method big.tsv --memory 64M -q -o rel 2>said
    offered=$(sed 's/.*--memory \([0-9]*M\).*/\1/' said)
    # shellcheck disable=SC2086
    lethe $method big.tsv --memory "$offered" -v -o rel 2>&1 | grep -a needs | figures
    rm -rf rel
done

echo "--- a pipe does not tell how much is left"
lethe partition - --from records -k 5 --taxonomy tax.tsv --memory 64M -q -o rel <big.dat 2>&1 | figures

echo "--- the size that is offered is enough, gives the same bytes, and a release that is there stays"
lethe partition big.dat -k 5 --taxonomy tax.tsv --memory 64M -q -o rel 2>said
offered=$(sed 's/.*--memory \([0-9]*M\).*/\1/' said)
lethe partition big.dat -k 5 --taxonomy tax.tsv -q -o want
run lethe partition big.dat -k 5 --taxonomy tax.tsv --memory "$offered" -v -o rel 2>&1 | grep needs | figures
cmp rel/data.txt want/data.txt
lethe partition big.dat -k 2 --taxonomy tax.tsv --memory 64M -q --force -o rel 2>&1 | figures
cmp rel/manifest.json want/manifest.json
lethe partition big.dat -k 5 --taxonomy tax.tsv --memory "$offered" -o again 2>&1 | grep needs
refused measure rel --original big.dat --taxonomy tax.tsv | grep -v '^rel'
refused attack rel --original big.dat --taxonomy tax.tsv | grep -v '^rel'
lethe profile big.csv --from table --memory 64M -q 2>said
offered=$(sed 's/.*--memory \([0-9]*M\).*/\1/' said)
lethe profile big.csv --from table --memory "$offered" -v 2>&1 | grep -a needs | figures

echo "--- little is never refused"
head -n 1000 big.dat >small.dat
quietly lethe clump small.dat -k 5 --taxonomy tax.tsv --memory 16M -o small
