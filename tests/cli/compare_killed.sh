# SPDX-License-Identifier: Apache-2.0
# A study that is killed, at whatever moment, goes on and comes to the same result.
. "$HERE/common.bash"
quietly lethe synth --users 60 --queries-per-user 15 --seed 1 --truth truth.tsv -o log.tsv
study="lethe compare log.tsv --methods clump,microagg,scrub,seal,threshold -k 2,4 --seed 1 --truth truth.tsv -q"
start=$(date +%s%N)
quietly $study -o whole
took=$((($(date +%s%N) - start) / 1000000))
# rows FOLDER: all but what a run took.
rows() {
    python3 - "$1" <<'END'
import json, sys
study = json.load(open(sys.argv[1] + "/study.json"))
for row in study["metrics"]["rows"]:
    del row["seconds"], row["peak_bytes"]
    print(json.dumps(row))
END
}
rows whole >want
killed=0
for i in 0 3 5 7; do
    rm -rf again
    for at in $((2 * i + 1)) $((2 * i + 3)); do # killed, and killed again when it goes on
        $study -o again >/dev/null 2>&1 &
        pid=$!
        ms=$((took * at / 40 + RANDOM % 20))
        sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
        kill -s KILL $pid 2>/dev/null && killed=$((killed + 1))
        wait $pid 2>/dev/null
    done
    quietly $study -o again
    rows again | cmp - want
    diff -r whole/releases again/releases
    diff -r whole/maps again/maps
    find again -name '.*'
done
[ $killed -ge 4 ] && echo "killed most of the time" || echo "killed $killed of 8"
# A signal that asks to stop: what is done stays, and nothing else, and the command to go on is shown.
rm -rf again
loud=${study% -q}
env --default-signal=INT $loud -o again >/dev/null 2>said &
pid=$!
for _ in $(seq 500); do # until the first of its rows is there
    ls again/rows/* >/dev/null 2>&1 && break
    sleep 0.01
done
kill -s INT $pid
wait $pid
echo "stopped: $?"
sed -n '/stopped/,$p' said
find again -name '.*'
quietly eval "$(sed -n '/^  lethe/s/SEED/1/p' said)"
rows again | cmp - want
# Without a folder nothing stays.
env --default-signal=INT $study >/dev/null 2>said &
pid=$!
sleep "$(printf '%d.%03d' $((took / 4000)) $((took / 4 % 1000)))"
kill -s INT $pid
wait $pid
echo "stopped: $? $(cat said)"
ls -A "$TMPDIR"
# Two at once: the second is refused.
rm -rf again
$study -o again >/dev/null 2>&1 &
pid=$!
for i in $(seq 1000); do [ ! -e again/settings.json ] || break; sleep 0.01; done
run $study -o again
wait $pid
rows again | cmp - want
