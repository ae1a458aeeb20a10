# SPDX-License-Identifier: Apache-2.0
# tools/adult-data: the Adult table, taxonomies of its columns, and larger tables.
. "$HERE/common.bash"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/adult_complete_45222.csv.zst" ] || skip "Adult is not there"
export LETHE_DATA=$data
make() { "$ROOT/tools/adult-data" "$@"; }
echo "--- as many cuts as the thesis has, levels as in Table 3.5, leaves as in the table"
make check
echo "--- files say the same, worked out from them alone"
for how in default coarse medium fine '--top-two default' '--top-two fine'; do
    make hierarchies $how trees
    python3 - "$how" <<'END'
import math, pathlib, sys
total = 1
for path in sorted(pathlib.Path("trees").iterdir()):
    rows = [line.split(";") for line in path.read_text().splitlines()]
    assert len({len(row) for row in rows}) == 1 and {row[-1] for row in rows} == {"*"}, path
    up = {}
    for row in rows:
        for child, parent in zip(row, row[1:]):
            if child != parent:
                assert up.setdefault(child, parent) == parent, (path, child)
    below = {}
    for child, parent in up.items():
        below.setdefault(parent, []).append(child)
    assert sorted(row[0] for row in rows) == sorted(x for x in up if x not in below), path
    assert all(len(x) > 1 for x in below.values()), path
    def cuts(x):
        return 1 + math.prod(map(cuts, below[x])) if x in below else 1
    total *= cuts("*")
print(f"{sys.argv[1]}: {total:,}")
END
    rm -r trees
done
echo "--- the table"
make table >table.csv
head -n 3 table.csv
wc -l <table.csv
make table --ages | head -n 2
make table --top-two | tail -n 1
echo "--- variants: the table first, then its rows again, changed"
make variants 100000 >more.csv
cmp table.csv <(head -n 45223 more.csv)
cmp more.csv <(make variants 100000 1)
cmp -s more.csv <(make variants 100000 2) || echo "another seed, others"
make variants 3
cmp table.csv <(make variants 45222)
python3 - <<'END'
import collections
lines = [line.split(",") for line in open("more.csv").read().splitlines()[1:]]
n = 45222
changed, same = collections.Counter(), 0
for i in range(n, len(lines)):
    old, new = lines[i % n], lines[i]
    same += old[7:] == new[7:]
    changed[sum(a != b for a, b in zip(old[:7], new[:7]))] += 1
print("rows:", len(lines), "others kept:", same == len(lines) - n)
print("domains:", all({x[c] for x in lines} == {x[c] for x in lines[:n]} for c in range(7)))
print("columns changed:", sorted(changed))
# Of 7, q are drawn on average 4; a drawn value is the old one 1 time in the number of values (of age: 1 in 74).
mean = sum(k * v for k, v in changed.items()) / (len(lines) - n)
want = 4 / 7 * sum(1 - 1 / x for x in (74, 16, 41, 7, 7, 2, 5))
print("as many as expected:", abs(mean - want) < 0.1)
END
echo "--- what is refused"
make variants 0 2>&1 | tail -n 1
make table --ages --top-two 2>&1 | tail -n 1
make hierarchies finest trees 2>&1 | tail -n 1 | sed 's/ (choose.*//'
LETHE_DATA=/none make table
LETHE_DATA= make table
echo $?
