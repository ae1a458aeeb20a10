#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does the command disconnect cost, against reading the log and against threshold?
#
#   bench_disconnect_log.sh LETHE LOG [SMALLER]
#
# The fastest of three of each, in turns, in processor time: `profile`, which reads and groups the log; `threshold -t 1`, which
# does the same and publishes; disconnect by each ranking, of the graph alone.  Peak memory is by row of the log.  With a SMALLER log, each once
# more on that: the power of the rows that time grows with.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: bench_disconnect_log.sh LETHE LOG [SMALLER]" >&2; exit 2; }
lethe=$1 log=$2 smaller=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the least "cpu peak" in $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >/dev/null
    awk '{ printf "%.2f %.0f\n", $1 + $2, $3 * 1024 }' "$work/time" >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}

cat "$log" >/dev/null # all read it from the page cache
for _ in 1 2 3; do
    took profile "$lethe" profile --json --quiet "$log"
    took threshold "$lethe" threshold "$log" -t 1 --same exact --json --quiet --force -o "$work/release"
    for rank in degree frequency clicks best; do
        took $rank "$lethe" disconnect "$log" --rank $rank --keep-vulnerable --json --quiet --force -o "$work/release"
    done
done
if [ -n "$smaller" ]; then
    for rank in degree frequency clicks best; do
        took small.$rank "$lethe" disconnect "$smaller" --rank $rank --keep-vulnerable --json --quiet --force -o "$work/release"
    done
fi
read -r profile _ <"$work/profile"
read -r threshold _ <"$work/threshold"
printf '{"threshold_over_profile":%.3f' "$(awk -v a="$threshold" -v b="$profile" 'BEGIN { print a / b }')"
for rank in degree frequency clicks best; do
    read -r s peak <"$work/$rank"
    awk -v r=$rank -v s="$s" -v b="$profile" -v p="$peak" -v n="$(wc -l <"$log")" 'BEGIN {
        printf ",\"%s_over_profile\":%.3f,\"%s_peak_bytes_a_row\":%.1f", r, s / b, r, p / n
    }'
    [ -n "$smaller" ] || continue
    read -r less _ <"$work/small.$rank"
    awk -v r=$rank -v s="$s" -v t="$less" -v n="$(wc -l <"$log")" -v m="$(wc -l <"$smaller")" 'BEGIN {
        printf ",\"%s_time_power\":%.2f", r, log(s / t) / log(n / m)
    }'
done
printf ',"profile_s":%.2f}\n' "$profile"
