# SPDX-License-Identifier: Apache-2.0
# tools/set-data: taxonomies, sensitive items and samples for experiments on sets.
. "$HERE/common.bash"
printf 'a b c\n7\tb d\n\nc e f g a\n' >sets.txt
make() { "$ROOT/tools/set-data" "$@"; }
echo "--- taxonomies: one tree, all items its leaves, fans no wider than asked for"
for how in '--fanout 2' '--fanout 3 --seed 9' '--fanout 3,2' '--levels 1' '--fanout 2 --levels 2'; do
    make taxonomy $how sets.txt >tree.tsv
    python3 - "$how" <<'END'
import collections, sys
up = dict(line.split("\t") for line in open("tree.tsv").read().splitlines())
fans = collections.Counter(up.values())
roots = set(up.values()) - set(up)
def depth(x):
    return 0 if x in roots else 1 + depth(up[x])
print(sys.argv[1], sorted(set(up) - set(up.values())), len(roots), sorted(fans.values()), sorted({depth(x) for x in "abcdefg"}))
END
    lethe aa sets.txt --from records --taxonomy tree.tsv -k 2 -m 1 -q --force -o rel && lethe verify rel | head -n 1
done
echo "--- the same seed, the same bytes; another, others"
cmp <(make taxonomy --seed 3 sets.txt) <(make taxonomy --seed 3 sets.txt) && cmp -s <(make taxonomy --seed 3 sets.txt) <(make taxonomy --seed 4 sets.txt) || echo others
echo "--- sensitive: of those that fewer than the share have"
make sensitive --items 4 --below 0.5 sets.txt
make sensitive --items 5 --below 0.5 sets.txt
echo "--- samples, with repetition, without IDs"
make sample --records 6 --seed 2 sets.txt | sed 's/^$/(empty)/'
make sample --records 3 - </dev/null
echo "--- the taxonomy of Groceries"
printf 'id\tlabels\tlevel2\tlevel1\n0\tham\tsausage\tmeat and more\n1\tsalami\tsausage\tmeat and more\n' >items.tsv
make groceries items.tsv
echo "--- what is refused"
make taxonomy --fanout 1 sets.txt 2>&1 | tail -n 1
make sample sets.txt 2>&1 | tail -n 1
: >none.txt
make taxonomy none.txt
echo $?
