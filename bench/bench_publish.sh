#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does deciding cost, beside making what was decided?
#
#   bench_publish.sh LETHE LOG      (LOG is not read: it makes its own)
#
# `publish` of a synthetic log (BENCH_USERS, 8000; more than 3,000, so that candidates are tried on a
# sample of 2,000) for a goal (BENCH_GOAL, counts), against the command that it prints, made, measured
# and attacked by single commands.  Time is user and system time, on one thread; memory is the most
# that one process had.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_publish.sh LETHE LOG" >&2; exit 2; }
lethe=$(realpath "$1")
users=${BENCH_USERS-8000} goal=${BENCH_GOAL-counts}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# took NAME COMMAND...: "user system peak" of a command is a line of NAME.took
took() {
    local name=$1
    shift
    /usr/bin/time -q -o time -f '%U %S %M' "$@" >"$name.out" 2>said
    tail -n 1 time >>"$name.took"
}

"$lethe" synth --users "$users" --seed 1 --truth truth.tsv -o log.tsv -q
took publish "$lethe" publish log.tsv --truth truth.tsv --goal "$goal" --within 1h --threads 1 --seed 1 -q --json -o release
command=$(python3 -c 'import json; print(json.load(open("publish.out"))["metrics"]["chosen"]["command"])')
rm -rf release release.map.tsv
# shellcheck disable=SC2086
eval took single "$lethe" ${command#lethe } --threads 1 --seed 1 -q
map=$(ls release.map.tsv 2>/dev/null) || true
took single "$lethe" measure release --original log.tsv ${map:+--map "$map"} --threads 1 -q --json
took single "$lethe" attack release --original log.tsv --truth truth.tsv ${map:+--map "$map"} --threads 1 --seed 1 -q --json
label=$(python3 -c 'import json; print(json.load(open("publish.out"))["metrics"]["chosen"]["label"])')
awk -v users="$users" -v rows="$(($(wc -l <log.tsv) - 1))" -v goal="$goal" -v label="$label" '
    FILENAME == "publish.took" { publish = $1 + $2; peak = $3; next }
    { single += $1 + $2; if ($3 > largest) largest = $3 }
    END {
        printf "{\"time_over_single\":%.2f,\"memory_over_single\":%.2f,\"publish_s\":%.2f,\"single_s\":%.2f,", publish / single, peak / largest, publish, single
        printf "\"publish_peak_bytes\":%.0f,\"goal\":\"%s\",\"chosen\":\"%s\",\"users\":%d,\"rows\":%d}\n", peak * 1024, goal, label, users, rows
    }' publish.took single.took
