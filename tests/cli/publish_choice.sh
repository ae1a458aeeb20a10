# SPDX-License-Identifier: Apache-2.0
# What publish chooses is the best of what is safe, the same for any number of threads, and from a
# sample too.
. "$HERE/common.bash"

cp "$SAMPLE" log.tsv
echo "--- the best of what is safe, by an own account"
check() {
    python3 - "$@" <<'END'
import json, sys
bound, least, name = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
m = json.load(open(name))["metrics"]
made = [c for c in m["candidates"] if not c.get("error")]
counted = lambda c: [r for r in c["risks"] if r["counts"]]
for c in made:
    assert c.get("exposure", 0) == max([r["risk"] for r in counted(c)], default=0), c["label"]
    for r in counted(c):
        assert r["threat"] in ("singling-out", "linking") and r["adversary"] != "marking"
        assert r["success"] <= r["upper"] <= 1
safe = [c for c in made if c.get("exposure", 0) <= bound and c["kept_for_goal"] >= least]
best = max(safe, key=lambda c: c["kept_for_goal"], default=None)
chosen = m.get("chosen")
if chosen:
    assert chosen["risk"] <= bound and chosen["kept_for_goal"] >= least
    assert chosen["label"] in [c["label"] for c in safe], (chosen["label"], [c["label"] for c in safe])
    better = [c["label"] for c in safe if c["kept_for_goal"] > chosen["kept_for_goal"] + 1e-9]
    print("chosen", "(a better one was above the bound on fresh draws)" if better else "is the best")
else:
    print("nothing", "though something seemed safe" if safe else "is safe")
END
}
for goal in sessions clicks counts; do
    for risk in 1% 60%; do
        lethe publish log.tsv -o d --dry-run --goal $goal --risk $risk --least 0.001 --seed 2 --json -q >report 2>/dev/null
        status=$?
        printf '%s %s exit %s: ' $goal $risk $status
        check "$(python3 -c "print(${risk%\%} / 100)")" 0.001 report
    done
done
ls -d d* 2>/dev/null

echo "--- the same for any number of threads"
for n in 1 3; do
    lethe publish log.tsv -o t$n --goal counts --risk 60% --seed 5 --threads $n -q >/dev/null
done
diff -r t1 t3 && echo same

echo "--- a sample first"
lethe publish log.tsv -o s --sample 25 --goal counts --risk 60% --seed 5 --json -q >report
json report '0 < j["metrics"]["sample_persons"] < 40, j["metrics"]["persons"]'
quietly lethe verify s

