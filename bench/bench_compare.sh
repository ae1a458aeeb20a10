#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Does a study cost more than its parts?
#
#   bench_compare.sh LETHE LOG      (LOG is not read: it makes its own)
#
# `compare` of a synthetic log (BENCH_USERS, 2000), every method that applies, k = 5, against the same
# releases made, measured and attacked by single commands, one after the other.  Time is user and system
# time of all; memory is the most that one process had.  One thread, so that neither hangs on what else the
# machine does.  Targets: time_over_single <= 1.1, memory_over_largest <= 1.2.  One JSON line.
#
# BENCH_METHODS: only these.  BENCH_PARTS=1: a line for each single command on standard error.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_compare.sh LETHE LOG" >&2; exit 2; }
lethe=$1
users=${BENCH_USERS-2000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: "user system peak" of a command is a line of $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -q -o "$work/time" -f '%U %S %M' "$@" >/dev/null 2>"$work/said" || true
    tail -n 1 "$work/time" >>"$work/$name.took"
    [ -z "${BENCH_PARTS-}" ] || echo "$(tail -n 1 "$work/time")  ${*:2:2}" >&2
}

"$lethe" synth --version 1 --users "$users" --seed 1 --truth "$work/truth.tsv" -o "$work/log.tsv" -q
took study "$lethe" compare "$work/log.tsv" -k 5 --seed 1 --threads 1 -q --truth "$work/truth.tsv" \
    ${BENCH_METHODS:+--methods "$BENCH_METHODS"} -o "$work/study"

# Each run's name and its command without what is ours: lethe, the log, and where the release goes.
python3 - "$work/study/study.json" "$work/log.tsv" >"$work/runs" <<'END'
import json, shlex, sys
for row in json.load(open(sys.argv[1]))["metrics"]["rows"]:
    words = shlex.split(row["command"])
    print(row["name"], *(w for w in words[1:words.index("-o")] if w != sys.argv[2]))
END
while read -r name command options; do
    # shellcheck disable=SC2086
    took single "$lethe" "$command" "$work/log.tsv" $options --seed 1 --threads 1 -q --map "$work/$name.map" -o "$work/$name"
    [ -e "$work/$name" ] || continue
    took single "$lethe" measure "$work/$name" --original "$work/log.tsv" --map "$work/$name.map" -q --threads 1 --json
    took single "$lethe" attack "$work/$name" --original "$work/log.tsv" --map "$work/$name.map" --truth "$work/truth.tsv" \
        --seed 1 -q --threads 1 --json
    cmp -s "$work/$name/"data.* "$work/study/releases/$name/"data.* || echo "bench_compare: $name is another release" >&2
    rm -rf "${work:?}/$name" "$work/$name.map"
done <"$work/runs"

# The system's own mark is set back before each run of a study: what that says of itself is the most of all.
peak=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["peak_bytes"])' "$work/study/study.json")
rows=$(($(wc -l <"$work/log.tsv") - 1))
awk -v users="$users" -v rows="$rows" -v peak="$peak" -v runs="$(wc -l <"$work/runs")" '
    FILENAME ~ /study.took$/ { study = $1 + $2; next }
    { single += $1 + $2; if ($3 > largest) largest = $3 }
    END {
        printf "{\"time_over_single\":%.3f,\"memory_over_largest\":%.3f,\"study_s\":%.2f,\"single_s\":%.2f,", study / single, peak / largest / 1024, study, single
        printf "\"study_peak_bytes\":%.0f,\"largest_peak_bytes\":%.0f,\"runs\":%d,\"users\":%d,\"rows\":%d}\n", peak, largest * 1024, runs, users, rows
    }' "$work/study.took" "$work/single.took"
