# SPDX-License-Identifier: Apache-2.0
# --map: the owner's only way back.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --clicks all --seed 1 --map map.tsv -o rel
map_lines map.tsv rel
stat -c '%a %n' map.tsv
# It leads from each published row to its user: the release of named users, renamed, is this release.
quietly lethe threshold log.tsv -t 3 --clicks all --keep-users -o named
awk -F'\t' -v OFS='\t' 'NR == FNR { name[$1] = $2; next } FNR > 1 { $1 = name[$1] } { print }' map.tsv named/data.tsv |
    { read -r header; echo "$header"; LC_ALL=C sort; } | cmp - rel/data.tsv && echo "as the map says"
# Only who is published is in it: user 4 and 5 are, for "maps"; with -t 6 by rows nobody else.
quietly lethe threshold log.tsv --users-with 1- -t 2 --clicks all --map clickers -o rel2
map_lines clickers rel2 | cut -f 1 | tr '\n' ' '
echo
# An old one stays unless --force says otherwise; a link, a folder, never goes.
run lethe threshold log.tsv -t 3 --clicks all --map map.tsv -o rel3
cp map.tsv before
run lethe threshold log.tsv -t 6 --clicks all --map map.tsv --force -o rel3
cmp map.tsv before
quietly lethe threshold log.tsv -t 3 --clicks all --map map.tsv --force -o rel3
cmp -s map.tsv before || echo "replaced"
map_lines map.tsv rel3 | wc -l
ln -s before link
run lethe threshold log.tsv -t 3 --clicks all --map link --force -o rel4
mkdir folder
run lethe threshold log.tsv -t 3 --clicks all --map folder --force -o rel4
# A run that fails leaves none.
run lethe threshold log.tsv -t 6 --clicks all --map new -o rel4
run lethe threshold missing.tsv -t 3 --clicks all --map new -o rel4
run lethe threshold log.tsv -t 3 --clicks all --map new -o /proc/no/such/folder
run lethe threshold log.tsv -t 3 --clicks all --map new -o rel
# Not in the release, by any way of saying it, whether that is there or not.
run lethe threshold log.tsv -t 3 --clicks all --force --map rel/map -o rel
run lethe threshold log.tsv -t 3 --clicks all --force --map rel/../rel/map -o rel
ln -s rel way
run lethe threshold log.tsv -t 3 --clicks all --force --map way/map -o rel
run lethe threshold log.tsv -t 3 --clicks all --map new/map -o new
ls rel
# Beside it is fine, even by a name that begins alike.
quietly lethe threshold log.tsv -t 3 --clicks all --map rel5.map -o rel5
mkdir rel6-maps
quietly lethe threshold log.tsv -t 3 --clicks all --map rel6-maps/map -o rel6
# With -o - too.
lethe threshold log.tsv -t 5 --clicks all --map named.map --seed 1 -o - 2>/dev/null | tail -n 1
cat named.map
rm named.map
lethe threshold log.tsv -t 5 --clicks all --map named.map -o - >/dev/full
echo "= $?"
# One that --force replaced is back if the release does not come: the old release may need it.
cp map.tsv before
lethe threshold log.tsv -q -t 5 --clicks all --map map.tsv --force -o - >/dev/full
echo "= $?"
cmp map.tsv before
mkfifo pipe
{ cat log.tsv && echo >rel/stranger; } >pipe &
run lethe threshold pipe -q -t 3 --clicks all --map map.tsv --force -o rel
wait
rm rel/stranger
cmp map.tsv before
# Each command that takes a map wants that of this very release.
quietly lethe threshold log.tsv -t 3 --clicks all --seed 1 --map own.map -o own
quietly lethe threshold log.tsv -t 3 --clicks all --seed 2 --map strange.map -o strange
lethe threshold log.tsv -q -t 3 --clicks all --map none.map -o - >/dev/null 2>&1
tail -n +2 own.map >bare.map
: >empty.map
for map in strange none bare empty; do
    run lethe measure own --original log.tsv --map $map.map
    run lethe attack own --original log.tsv --map $map.map
    run lethe report own --original log.tsv --map $map.map -o page.html
done
run lethe attack own --original log.tsv --adversary known-terms --map <(cat strange.map) | tail -n 1
# The right one: as a file, compressed, from a pipe.
gzip -k own.map
lethe attack own --original log.tsv --adversary known-terms --map own.map --json -q >attacked
json attacked 'j["metrics"]["known-terms"]["confirmed"]'
lethe attack own --original log.tsv --adversary known-terms --map own.map.gz --json -q >attacked
json attacked 'j["metrics"]["known-terms"]["confirmed"]'
lethe attack own --original log.tsv --adversary known-terms --map <(cat own.map) --json -q >attacked
json attacked 'j["metrics"]["known-terms"]["confirmed"]'
# The digest is that of b2sum, and a manifest that was touched is another one.
echo >>own/manifest.json
run lethe measure own --original log.tsv --map own.map
rm -r own strange attacked bare.map empty.map none.map own.map own.map.gz strange.map
# Nor does --force mean the log or the key that are read.
cp log.tsv input
run lethe threshold input -q -t 3 --clicks all --map input --force -o rel7
run lethe threshold - -q -t 3 --clicks all --map ./input --force -o rel7 <input
cmp log.tsv input
quietly lethe key key
run lethe threshold log.tsv -q -t 3 --clicks all --key-file key --map key --force -o rel7
wc -c <key
rm input key pipe
holds before clickers folder link log.tsv map.tsv named rel rel2 rel3 rel5 rel5.map rel6 rel6-maps way
