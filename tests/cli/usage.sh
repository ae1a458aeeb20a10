# SPDX-License-Identifier: Apache-2.0
# Bad usage: one line, where to read on, and 2.
. "$HERE/common.bash"
small_log >log.tsv
run lethe
run lethe nonsense
run lethe --nonsense
# A typing error gets a suggestion.
run lethe treshold log.tsv -o rel
run lethe help verfy
run lethe threshold log.tsv --tme day -o rel
run lethe threshold log.tsv --then slpit -o rel
run lethe threshold log.tsv --quite -o rel
run lethe threshold log.tsv --by user -o rel
# A second list would take the place of the first.
run lethe check table.csv --qi age --qi sex -k 2
run lethe compare log.tsv -k 2 -k5 -o rel
run lethe threshold log.tsv --time=dya -o rel
run lethe threshold
run lethe threshold log.tsv
run lethe threshold log.tsv --nonsense -o rel
run lethe threshold log.tsv -x -o rel
run lethe threshold log.tsv --t 5 -o rel
run lethe threshold log.tsv -t 0 -o rel
run lethe threshold log.tsv -t -1 -o rel
run lethe threshold log.tsv -t 99999999999999999999 -o rel
run lethe threshold log.tsv -t 2000000000 -o rel
run lethe threshold log.tsv -t five -o rel
run lethe threshold log.tsv -t '' -o rel
run lethe threshold log.tsv -t
run lethe threshold log.tsv -o
run lethe threshold log.tsv -o ''
run lethe threshold log.tsv --by persons -o rel
run lethe threshold log.tsv --by= -o rel
run lethe threshold log.tsv --time year -o rel
run lethe threshold log.tsv --urls none -o rel
run lethe threshold log.tsv --from xml -o rel
run lethe threshold log.tsv --delimiter ab -o rel
run lethe threshold log.tsv --columns user= -o rel
run lethe threshold log.tsv --columns user=1,query=1 -o rel
run lethe threshold log.tsv --columns user=0,query=2 -o rel
run lethe threshold log.tsv --columns user=1,query=2,colour=3 -o rel
run lethe threshold log.tsv --users-with 3-1 -o rel
run lethe threshold log.tsv --users-with x -o rel
run lethe threshold log.tsv --threads 0 -o rel
run lethe threshold log.tsv --memory 1M -o rel
run lethe threshold log.tsv --memory lots -o rel
run lethe threshold log.tsv --seed -1 -o rel
run lethe threshold log.tsv --force=yes -o rel
run lethe threshold log.tsv --json -o -
run lethe threshold - - -o rel
run lethe threshold log.tsv -o rel --then
run lethe threshold log.tsv -o rel --then verify
run lethe threshold log.tsv -o rel --then nonsense
run lethe threshold --then threshold log.tsv -o rel
run lethe profile log.tsv --then threshold -o rel
run lethe profile
run lethe profile log.tsv -o rel
run lethe verify
run lethe verify a b
run lethe measure rel
run lethe key
run lethe version now
run lethe help nonsense
run lethe threshold log.tsv --map rel/map -o rel
run lethe threshold log.tsv --map rel -o rel
run lethe threshold log.tsv --map ./rel/deep/map -o rel/
run lethe threshold log.tsv -o .
run lethe threshold log.tsv -o /
mkdir there
run lethe threshold log.tsv -o there
run lethe threshold log.tsv -o log.tsv
run lethe threshold log.tsv --map log.tsv -o rel
holds log.tsv there
cmp log.tsv <(small_log)
