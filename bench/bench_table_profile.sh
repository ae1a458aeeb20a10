#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How fast is a table profiled and checked?
#
#   bench_table_profile.sh LETHE LOG
#
# A made-up table of a million rows and 15 columns: profile with all combinations of up to three columns, and check -k 5
# with eight quasi-identifiers, two threads, user and system time of one run.  Yardstick: a mawk program that counts the
# groups of these eight columns and the rows that are alone in theirs, once; the figures must be the same.  The log is
# not read.  One JSON line a command.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_table_profile.sh LETHE LOG" >&2; exit 2; }
lethe=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v rows="${BENCH_TABLE_ROWS:-1000000}" 'BEGIN {
    srand(1)
    for (c = 1; c <= 15; c++) printf "%sc%d", (c > 1 ? "," : ""), c
    split("72 16 7 41 14 5 2 2 7 40000 26880 1200 50 6000", n)
    print ""
    for (i = 0; i < rows; i++) {
        printf "%d", i
        for (c = 1; c <= 14; c++) printf ",v%d", n[c] * rand() ^ 2
        print ""
    }
}' >"$work/table.csv"
qi=c2,c3,c4,c5,c6,c7,c8,c9

# took NAME COMMAND...: "cpu peak" of it to $work/NAME, its output to $work/NAME.out; exit 1 is an answer
took() {
    local name=$1 status=0
    shift
    /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >"$work/$name.out" || status=$?
    [ "$status" -le 1 ] || exit 1
    tail -n 1 "$work/time" | awk '{ print $1 + $2, $3 * 1024 }' >"$work/$name"
}

took mawk mawk -F, 'NR > 1 { n[$2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9]++ }
    END { for (g in n) { groups++; alone += n[g] == 1 }; print groups, alone }' "$work/table.csv"
took profile "$lethe" profile "$work/table.csv" --threads 2 --json
took check "$lethe" check "$work/table.csv" --qi "$qi" -k 5 --threads 2 --json

figure() { grep -o "\"$1\":[0-9]*" "$work/check.out" | head -1 | cut -d: -f2; }
if [ "$(figure groups) $(figure unique_rows)" != "$(cat "$work/mawk.out")" ]; then
    echo "bench_table_profile: check says $(figure groups) $(figure unique_rows), mawk $(cat "$work/mawk.out")" >&2
    exit 1
fi
for name in profile check; do
    cat "$work/$name" "$work/mawk" | awk -v name="$name" -v size="$(stat -c %s "$work/table.csv")" '
        NR == 1 { cpu = $1; peak = $2 }
        NR == 2 { printf "{\"command\":\"%s\",\"cpu_over_mawk\":%.2f,\"peak_over_file\":%.2f,\"cpu_s\":%.2f,\"mawk_cpu_s\":%.2f,\"peak_bytes\":%.0f}\n",
            name, cpu / $1, peak / size, cpu, $1, peak }'
done
