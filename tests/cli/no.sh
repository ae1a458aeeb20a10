# SPDX-License-Identifier: Apache-2.0
# The answer is no: 1.
. "$HERE/common.bash"
small_log >log.tsv
run lethe threshold log.tsv -t 6 -o rel
run lethe threshold log.tsv -t 1000 -o rel
run lethe threshold log.tsv -t 3 --then threshold -t 9 --by rows -o rel
run lethe threshold log.tsv -t 6 -o -
run lethe threshold log.tsv -t 1000 --map map -o rel
run lethe threshold log.tsv --users-with 100- -t 1 -o rel
holds log.tsv
# A report is printed all the same, and what was read is accounted for.
lethe threshold log.tsv -t 1000 --json -o rel >report
echo "= $?"
accounts report
json report 'list(j), j["verdict"]'
lethe threshold log.tsv -t 3 --then threshold -t 9 --by rows --json -o rel >report
accounts report
quietly lethe threshold log.tsv -t 5 -o rel
printf '9\tann lee\t2006-03-01\t\t\n' >>rel/data.tsv
run lethe verify rel || true
