# SPDX-License-Identifier: Apache-2.0
# The answer is no: 1.
. "$HERE/common.bash"
small_log >log.tsv
run lethe threshold log.tsv -t 6 --clicks all -o rel
run lethe threshold log.tsv -t 1000 --clicks all -o rel
run lethe threshold log.tsv -t 3 --clicks all --then threshold -t 9 --clicks all --by rows -o rel
run lethe threshold log.tsv -t 6 --clicks all -o -
run lethe threshold log.tsv -t 1000 --clicks all --map map -o rel
run lethe threshold log.tsv --users-with 100- -t 1 --clicks all -o rel
holds log.tsv
# A report is printed all the same, and what was read is accounted for.
lethe threshold log.tsv -t 1000 --clicks all --json -o rel >report
echo "= $?"
accounts report
json report 'list(j), j["verdict"]'
lethe threshold log.tsv -t 3 --clicks all --then threshold -t 9 --clicks all --by rows --json -o rel >report
accounts report
quietly lethe threshold log.tsv -t 5 --clicks all -o rel
printf '9\tann lee\t2006-03-01\t\t\n' >>rel/data.tsv
run lethe verify rel || true
