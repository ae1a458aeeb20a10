#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How much faster than mawk does profile count the distinct users of every query text, and in how
# much memory?
#
#   bench_profile.sh LETHE LOG
#
# Yardstick: a plain mawk program that counts users and queries of each text, and what thresholds
# leave; once.  Ours: the whole profile; the fastest of three, the greatest peak.  Both figures must
# be the same.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_profile.sh LETHE LOG" >&2; exit 2; }
lethe=$1 log=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: its output to $work/NAME.out; prints wall seconds, CPU seconds, peak bytes
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/$name.time" -f '%e %U %S %M' "$@" >"$work/$name.out"
    awk '{ printf "%s %.2f %.0f\n", $1, $2 + $3, $4 * 1024 }' "$work/$name.time"
}

cat >"$work/count.awk" <<'AWK'
BEGIN { FS = "\t" }
NR == 1 && $1 == "AnonID" { next }
{
    pair = $2 SUBSEP $1
    if (!(pair in seen)) { seen[pair]; users[$2]++ }
    query = pair SUBSEP $3
    if (!(query in asked)) { asked[query]; queries[$2]++; all++ }
}
END {
    for (text in queries) {
        texts++
        if (users[text] >= 2) t2 += queries[text]
        if (users[text] >= 3) t3 += queries[text]
        if (users[text] >= 5) t5 += queries[text]
    }
    printf "%d %d %.9f %.9f %.9f\n", all, texts, t2 / all, t3 / all, t5 / all
}
AWK

cat "$log" >/dev/null # both read it from the page cache
best= peak=0
for _ in 1 2 3; do
    read -r seconds cpu bytes <<<"$(took lethe "$lethe" profile --json --quiet "$log")"
    if [ -z "$best" ] || awk "BEGIN { exit !($seconds < $best) }"; then best=$seconds best_cpu=$cpu; fi
    if [ "$bytes" -gt "$peak" ]; then peak=$bytes; fi
done
read -r mawk_seconds _ mawk_peak <<<"$(took mawk mawk -f "$work/count.awk" "$log")"

figure() { grep -o "\"$1\":[0-9.e-]*" "$work/lethe.out" | head -1 | cut -d: -f2; }
ours=$(printf '%d %d %.9f %.9f %.9f' "$(figure queries)" "$(figure distinct_queries)" \
    "$(figure left_t2)" "$(figure left_t3)" "$(figure left_t5)")
if [ "$ours" != "$(cat "$work/mawk.out")" ]; then
    echo "bench_profile: profile says $ours, mawk $(cat "$work/mawk.out")" >&2
    exit 1
fi
size=$(stat -Lc %s "$log")
awk -v a="$mawk_seconds" -v b="$best" -v c="$best_cpu" -v p="$peak" -v q="$mawk_peak" -v s="$size" 'BEGIN {
    printf "{\"mawk_over_profile\":%.2f,\"peak_over_file\":%.3f,\"profile_s\":%.2f,\"profile_cpu_s\":%.2f,", a / b, p / s, b, c
    printf "\"mawk_s\":%.2f,\"peak_bytes\":%.0f,\"mawk_peak_bytes\":%.0f,\"file_bytes\":%.0f}\n", a, p, q, s
}'
