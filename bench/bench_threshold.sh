#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does threshold cost: against profile, within little memory, and on two threads?
#
#   bench_threshold.sh LETHE LOG
#
# The fastest of three of each, in turns: `profile`, `threshold -t 5` on two threads, on one, and
# with --memory 200M; and with --same exact, which needs no words.  The releases of the first three must be the
# same bytes.  The serial share is what Amdahl's law
# gives for the wall times of one and two threads.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_threshold.sh LETHE LOG" >&2; exit 2; }
lethe=$1 log=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the fastest run's "wall cpu peak" in $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" >/dev/null
    awk '{ printf "%s %.2f %.0f\n", $1, $2 + $3, $4 * 1024 }' "$work/time" >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}

# release NAME OPTIONS...: makes $work/NAME.release, timed
release() {
    local name=$1
    shift
    rm -rf "$work/$name.release"
    took "$name" "$lethe" threshold "$log" -t 5 --seed 1 --json --quiet -o "$work/$name.release" "$@"
}

cat "$log" >/dev/null # all read it from the page cache
for _ in 1 2 3; do
    took profile "$lethe" profile --json --quiet --threads 2 "$log"
    release two --threads 2
    release one --threads 1
    release small --threads 2 --memory 200M
    release exact --threads 2 --same exact
done
same=true
for other in one small; do
    cmp -s "$work/two.release/data.tsv" "$work/$other.release/data.tsv" || same=false
done

read -r profile _ _ <"$work/profile"
read -r two two_cpu two_peak <"$work/two"
read -r one one_cpu _ <"$work/one"
read -r small _ small_peak <"$work/small"
read -r exact _ _ <"$work/exact"
awk -v p="$profile" -v a="$two" -v ac="$two_cpu" -v ap="$two_peak" -v b="$one" -v bc="$one_cpu" \
    -v e="$exact" -v s="$small" -v sp="$small_peak" -v same="$same" -v size="$(stat -Lc %s "$log")" 'BEGIN {
    serial = 2 * a / b - 1
    serial = serial < 0 ? 0 : serial > 1 ? 1 : serial # a busy machine gives more than there is
    printf "{\"threshold_over_profile\":%.3f,\"exact_over_profile\":%.3f,\"memory_200M_over_unlimited\":%.3f,", a / p, e / p, s / a
    printf "\"cpu_two_threads_over_one\":%.3f,\"serial_share\":%.3f,\"same_bytes\":%s,", ac / bc, serial, same
    printf "\"profile_s\":%.2f,\"threshold_s\":%.2f,\"one_thread_s\":%.2f,\"memory_200M_s\":%.2f,", p, a, b, s
    printf "\"peak_over_file\":%.3f,\"memory_200M_peak_bytes\":%.0f}\n", ap / size, sp
}'
[ "$same" = true ]
