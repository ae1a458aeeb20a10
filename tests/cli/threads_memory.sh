# SPDX-License-Identifier: Apache-2.0
# The same bytes for any number of threads and any memory.
. "$HERE/common.bash"
big_log 200000 >log.tsv
sum() { b2sum <"$1/data.tsv" | cut -c 1-16; }
quietly lethe threshold log.tsv -t 3 --seed 1 --threads 1 -o want
accounts want/manifest.json
want=$(sum want)
for how in '--threads 2' '--threads 7' '--memory 16M' '--threads 1 --memory 16M' '--threads 7 --memory 16M' '--memory 64M --threads 2'; do
    quietly lethe threshold log.tsv -t 3 --seed 1 $how --map map -o rel
    [ "$(sum rel)" = "$want" ] && cmp rel/manifest.json want/manifest.json && echo "$how: the same"
    [ -e map1 ] || cp map map1
    cmp map map1
    rm -r rel map
done
quietly lethe verify want --memory 16M
# What goes by standard output, and chains, likewise.
for how in '--threads 1' '--threads 7 --memory 16M'; do
    lethe threshold log.tsv -t 2 --then threshold -t 4 --by rows $how --seed 1 -o - 2>/dev/null | b2sum
done | uniq | wc -l
for how in '--threads 1' '--threads 2' '--threads 7 --memory 16M'; do
    lethe profile log.tsv --json $how 2>/dev/null | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["metrics"]))'
done | uniq | wc -l
ls -A "$TMPDIR"
holds log.tsv map1 want
