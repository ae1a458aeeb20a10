# SPDX-License-Identifier: Apache-2.0
# A month of a grocery (9835 baskets, 169 items in two levels): promises counted by hand.
. "$HERE/common.bash"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/groceries.dat.zst" ] || skip "there is no groceries.dat.zst"
zstd -dcq "$data/groceries_items.tsv.zst" | tail -n +2 | awk -F '\t' '
    { print $1 "\t" "2:" $3 }
    !($3 in two) { two[$3]; print "2:" $3 "\t1:" $4 }
    !($4 in one) { one[$4]; print "1:" $4 "\tall" }' >tax.tsv
wc -l <tax.tsv
for method in clump partition; do
    for k in 2 10; do
        quietly lethe $method "$data/groceries.dat.zst" -k $k --taxonomy tax.tsv -q --seed 1 --map map --force -o rel
        accounts rel/manifest.json
        quietly lethe verify rel
        LC_ALL=C sort -c rel/data.txt
        # The fewest equal records, and baskets of which something is published that was not there.
        python3 - "$data/groceries.dat.zst" <<'P'
import collections, subprocess, sys
parent = dict(line.rstrip("\n").replace(" ", "_").split("\t") for line in open("tax.tsv"))
def counts(items):
    c = collections.Counter()
    for item in items:
        while item:
            c[item] += 1
            item = parent.get(item)
    return c
baskets = [l.split() for l in subprocess.run(["zstd", "-dcq", sys.argv[1]], capture_output=True, text=True).stdout.splitlines()]
lines = open("rel/data.txt").read().splitlines()
untrue = persons = 0
for row in open("map").readlines()[1:]:  # the first names the release
    original, line = row.rstrip("\n").split("\t")
    if line:
        persons += 1
        untrue += bool(counts(lines[int(line) - 1].split()) - counts(baskets[int(original) - 1]))
print(min(collections.Counter(lines).values()), "equal,", untrue, "untrue of", persons)
P
    done
done
lethe measure rel --original "$data/groceries.dat.zst" --taxonomy tax.tsv --map map | sed -n '/^  records  /p;/^  true of/p'
