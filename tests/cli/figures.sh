# SPDX-License-Identifier: Apache-2.0
# What a method says in the end, where figures are arrays: one line each, long ones cut short, "-" for none.
. "$HERE/common.bash"
python3 -c 'print("deep\t" + "/".join(f"c{i}" for i in range(12))); print("flat\tc0/other")' >dir.tsv
for u in a b; do
    printf '%s\t%s\t2006-03-01 10:00:%02d\t\t\n' $u deep 1 $u deep 2 $u flat 3 $u nothing 4
done >log.tsv
micro() { lethe microagg log.tsv -k 2 --directory dir.tsv --min-users 1 --no-scrub --seed 1 --force -o rel --explain "$@" 2>&1 | grep -E "^  (words with|queries with|groups of|categories)"; }
run micro --levels 2
run micro --levels 11
run micro --levels 10
printf '%s\tflat\t2006-03-01 10:00:%02d\t\t\n' a 1 a 2 b 1 b 2 >log.tsv
run micro --levels 4
# Three caveats on the terminal, all of them in the manifest and with verify --caveats.
caveats() { sed -n '/^What it does not protect against/,$p' | grep -c '^  - '; }
lethe threshold log.tsv -t 1 --seed 1 -o many 2>said
all=$(json many/manifest.json 'len(j["caveats"])')
caveats <said
[ "$(tail -n 1 said)" = "  $((all - 3)) more: lethe verify --caveats many" ] || tail -n 1 said
[ "$(lethe verify --caveats many | caveats)" = "$all" ] && echo "verify --caveats lists all"
lethe verify many
