# SPDX-License-Identifier: Apache-2.0
# What evenSA does not promise (docs/lplus.md): of all 32 tables of two persons of p0 and three of p1, those for which the
# same is published.  With a fixed cut nobody is surer than theta (prop/counting); here the cut is chosen by the values.
. "$HERE/common.bash"
mkdir trees
printf 'p%s;G;*\n' 0 1 >trees/place.csv
printf 'p%s;H;*\n' 2 3 >>trees/place.csv
PYTHONDONTWRITEBYTECODE=1 python3 - <<'END_OF_PYTHON'
import collections, itertools, subprocess
from fractions import Fraction
places, theta, tables = ("p0", "p0", "p1", "p1", "p1"), Fraction(2, 3), collections.defaultdict(list)
for values in itertools.product("ab", repeat=5):
    with open("table.csv", "w") as f:
        f.write("place,ill\n" + "".join(f"{p},{v}\n" for p, v in zip(places, values)))
    done = subprocess.run(["lethe", "lplus", "table.csv", "--qi", "place", "--sa", "ill", "--hierarchies", "trees", "--theta", "2/3",
                           "--suppress", "evenSA", "--seed", "1", "-q", "--force", "-o", "release"], capture_output=True)
    if done.returncode == 0:
        tables[open("release/data.csv").read()].append("".join(values))
for shown, fit in sorted(tables.items()):
    sure = [max(Fraction(sum(t[i] == v for t in fit), len(fit)) for v in "ab") for i in range(5)]
    if max(sure) > theta:
        print(*shown.split()[1:], "fits", *fit, "so that persons are known with", *map(str, sure))
END_OF_PYTHON
printf 'place,ill\np0,a\np0,a\np1,a\np1,a\np1,b\n' >table.csv
lethe lplus table.csv --qi place --sa ill --hierarchies trees --theta 2/3 --suppress evenSA --seed 1 -q --force -o release
lethe verify --caveats release | grep -A 5 'Counting stars'
lethe verify release | head -n 1
