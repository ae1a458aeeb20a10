# SPDX-License-Identifier: Apache-2.0
# --map: the owner's only way back.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --seed 1 --map map.tsv -o rel
cat map.tsv
stat -c '%a %n' map.tsv
# It leads from each published row to its user: the release of named users, renamed, is this release.
quietly lethe threshold log.tsv -t 3 --keep-users -o named
awk -F'\t' -v OFS='\t' 'NR == FNR { name[$1] = $2; next } FNR > 1 { $1 = name[$1] } { print }' map.tsv named/data.tsv |
    { read -r header; echo "$header"; LC_ALL=C sort; } | cmp - rel/data.tsv && echo "as the map says"
# Only who is published is in it: user 4 and 5 are, for "maps"; with -t 6 by rows nobody else.
quietly lethe threshold log.tsv --users-with 1- -t 2 --map clickers -o rel2
cut -f 1 clickers | tr '\n' ' '
echo
# An old one stays unless --force says otherwise; a link, a folder, never goes.
run lethe threshold log.tsv -t 3 --map map.tsv -o rel3
cp map.tsv before
run lethe threshold log.tsv -t 6 --map map.tsv --force -o rel3
cmp map.tsv before
quietly lethe threshold log.tsv -t 3 --map map.tsv --force -o rel3
cmp -s map.tsv before || echo "replaced"
wc -l <map.tsv
ln -s before link
run lethe threshold log.tsv -t 3 --map link --force -o rel4
mkdir folder
run lethe threshold log.tsv -t 3 --map folder --force -o rel4
# A run that fails leaves none.
run lethe threshold log.tsv -t 6 --map new -o rel4
run lethe threshold missing.tsv -t 3 --map new -o rel4
run lethe threshold log.tsv -t 3 --map new -o no/such/folder
run lethe threshold log.tsv -t 3 --map new -o rel
# Not in the release, by any way of saying it, whether that is there or not.
run lethe threshold log.tsv -t 3 --force --map rel/map -o rel
run lethe threshold log.tsv -t 3 --force --map rel/../rel/map -o rel
ln -s rel way
run lethe threshold log.tsv -t 3 --force --map way/map -o rel
run lethe threshold log.tsv -t 3 --map new/map -o new
ls rel
# Beside it is fine, even by a name that begins alike.
quietly lethe threshold log.tsv -t 3 --map rel5.map -o rel5
mkdir rel6-maps
quietly lethe threshold log.tsv -t 3 --map rel6-maps/map -o rel6
# With -o - too.
lethe threshold log.tsv -t 5 --map named.map -o - 2>/dev/null | tail -n 1
cat named.map
rm named.map
lethe threshold log.tsv -t 5 --map named.map -o - >/dev/full
echo "= $?"
# One that --force replaced is back if the release does not come: the old release may need it.
cp map.tsv before
lethe threshold log.tsv -q -t 5 --map map.tsv --force -o - >/dev/full
echo "= $?"
cmp map.tsv before
mkfifo pipe
{ cat log.tsv && echo >rel/stranger; } >pipe &
run lethe threshold pipe -q -t 3 --map map.tsv --force -o rel
wait
rm rel/stranger
cmp map.tsv before
# Nor does --force mean the log or the key that are read.
cp log.tsv input
run lethe threshold input -q -t 3 --map input --force -o rel7
run lethe threshold - -q -t 3 --map ./input --force -o rel7 <input
cmp log.tsv input
quietly lethe key key
run lethe threshold log.tsv -q -t 3 --key-file key --map key --force -o rel7
wc -c <key
rm input key pipe
holds before clickers folder link log.tsv map.tsv named rel rel2 rel3 rel5 rel5.map rel6 rel6-maps way
