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
    printf 'flu\t0.6\ngout\t1/4\ncold\t2/5\nmumps\t%s\n' "0.$seed" >thetas
    for how in 'vioSA thetas' 'allSA thetas' 'vioRec thetas' 'vioRec 1/2' 'vioRec 2/5' 'vioSA 1/2' 'vioSA 2/5' 'allSA 2/5' 'evenSA 1/2' 'evenSA 2/5'; do
        set -- $how
        of=theta
        [ "$2" = thetas ] && of=theta-file
        quietly lethe lplus table.csv --qi age,sex --sa ill --class paid --ranges age=2,10 --suppress "$1" --$of "$2" --seed 1 --force -o release
        attack linking release table.csv
        PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/suppressed.py" said table.csv release "$1" "$2"
    done
done
lethe attack release --explain --original table.csv --adversary linking | tail -n +6 | sed 's/ *[0-9][0-9.]* %/ N %/g; s/: [0-9][0-9]*/: N/g'
echo "--- a value that is not the best guess may be above its own threshold"
{
    echo place,ill
    yes x,flu | head -n 5
    printf '%s\n' x,cold x,cold x,hiv x,hiv x,hiv
    yes y,flu | head -n 5
    printf '%s\n' y,cold y,cold y,cold y,cold y,hiv
} >hiv.csv
printf 'flu\t0.6\ncold\t0.6\nhiv\t0.2\n' >thetas
quietly lethe lplus hiv.csv --qi place --sa ill --theta-file thetas --suppress vioSA --seed 1 -o hiv
lethe attack hiv --original hiv.csv --adversary linking --json >j && json j 'j["metrics"]["linking"]["strategies"]["suppressed"]'
echo "--- of several columns, all strategies are tried on each"
{
    echo place,ill,paid,class
    for place in x y; do
        for _ in 1 2; do
            printf "$place,%s\n" flu,high,a flu,low,b cold,high,a flu,low,b flu,high,a gout,low,b
        done
    done
} >two.csv
for columns in ill,paid paid,ill paid; do
    quietly lethe lplus two.csv --qi place --sa $columns --class class --theta 2/3 --suppress allRec --seed 1 --force -o two
    lethe attack two --original two.csv --adversary linking --json >j
    json j '[round(j["metrics"]["linking"][f], 3) for f in ("success", "before")], j["metrics"]["linking"]["strategy"], [(c["column"], round(c["success"], 3), round(c["before"], 3), c["above"]) for c in j["metrics"]["linking"].get("sensitive", [])]'
done
