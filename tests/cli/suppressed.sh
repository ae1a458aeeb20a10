# SPDX-License-Identifier: Apache-2.0
# What who knows how many persons each group has learns from stars and deletions, recomputed by brute
# force (suppressed.py).
. "$HERE/common.bash"
for seed in $(seq 3); do
    python3 - $seed >table.csv <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
print("age,sex,ill,paid")
for _ in range(60):
    age = r.randint(20, 29)
    print(age, r.choice("fm"), r.choice(("flu", "gout", "cold", "flu" if age < 24 else "mumps")), r.choice("yyn"), sep=",")
END
    for how in 'vioRec 1/2' 'vioRec 2/5' 'vioSA 1/2' 'vioSA 2/5' 'allSA 2/5' 'evenSA 1/2' 'evenSA 2/5'; do
        set -- $how
        quietly lethe lplus table.csv --qi age,sex --sa ill --class paid --ranges age=2,10 --suppress "$1" --theta "$2" --seed 1 --force -o release
        attack linking release table.csv
        PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/suppressed.py" said table.csv release "$1" "$2"
    done
done
lethe attack release --original table.csv --adversary linking | tail -n +6 | sed 's/ *[0-9][0-9.]* %/ N %/g; s/[0-9][0-9]* \(values\|groups\)/N \1/g'
