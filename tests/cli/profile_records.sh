# SPDX-License-Identifier: Apache-2.0
# The profile of baskets, in all the forms that they can have.
. "$HERE/common.bash"
printf 'bread milk\nmilk beer\nbread milk\nmilk beer wine\nbread beer\n\n' >plain.txt
run lethe profile plain.txt
run lethe profile plain.txt --explain
lethe profile plain.txt --json >report
json report '{k: v for k, v in j["metrics"].items() if k not in ("histograms", "survival")}'
json report 'j["counts"]'
# The same in other forms; who has which may be named.
sed 's/ /,/g' plain.txt >comma.csv
lethe profile comma.csv --from records --delimiter , --json >other
json report 'j["metrics"]' >one && json other 'j["metrics"]' | cmp - one && echo 'the same with commas'
{ echo order,day,item; awk '{ for (i = 1; i <= NF; i++) print NR ",mo," $i }' plain.txt; } >long.csv
lethe profile long.csv --columns person=order,item=item --json 2>said >long
json long '[(k, j["metrics"][k]) for k in ("persons_named", "records", "persons", "items", "singled_out")]'
cat said
lethe profile - --from records <plain.txt | sed 1d | cmp - <(lethe profile plain.txt | sed 1d) && echo 'the same from standard input'
# Two baskets of one person are one set of items.
printf 'ann\tbread\nbob\tbread milk\nann\tmilk\ncem\tbread milk\n' >named.txt
run lethe profile named.txt --from records
# A bad line is left out and told; not a table, and not a log.
{ cat plain.txt; for i in $(seq 20); do echo milk; done; printf 'bread  milk\n'; } >bad.txt
run lethe profile bad.txt -q
run lethe profile bad.txt --strict-input
run lethe profile plain.txt --from records --qi bread
run lethe profile plain.txt --from records --columns user=1
run lethe profile long.csv --columns person=order,item=thing
# Too many to try them all: 30,000 baskets in which no item, and hardly any pair, is rare.
awk 'BEGIN { x = 1; for (i = 0; i < 30000; i++) { s = ""; for (k = 0; k < 24; k++) { x = x * 16807 % 2147483647; if (x % 7 < 4) s = s (s == "" ? "" : " ") "i" k } print s } }' >large.txt
lethe profile large.txt --threads 1 --json >report
json report 'j["metrics"]["singled_others"] > j["metrics"]["singled_tried"] > 100, j["metrics"]["singled_out"][1]["share"] <= j["metrics"]["singled_out"][2]["share"]'
lethe profile large.txt --threads 5 >page
sed -n '/estimated/,/drawn/p' page | sed 's/[0-9,]\{4,\}/N/g'
grep -c "^  $(json report '"{:,}".format(j["metrics"]["singled_tried"])') were drawn" page
