#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How fast is a log invented, and does its memory stay the same however many users it has?
#
#   bench_synth.sh LETHE LOG      (LOG is not read: it makes its own)
#
# `synth` of 100,000 users on one thread and on two, and of 10,000 on one; the fastest of three, by
# user time.  Yardsticks: mawk, which prints as many lines with four numbers at random, and version 1
# of the generator, which may make twice as many rows a second and no more.  The log
# must be the same bytes on one thread and on two.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_synth.sh LETHE LOG" >&2; exit 2; }
lethe=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the fastest run's "user wall peak" in $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %e %M' "$@" >"$work/out"
    tail -n 1 "$work/time" >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}

for _ in 1 2 3; do
    took two "$lethe" synth --users 100000 --seed 1 --threads 2
    sum_two=$(cksum <"$work/out")
    took small "$lethe" synth --users 10000 --seed 1 --threads 1
    took one "$lethe" synth --users 100000 --seed 1 --threads 1
    sum_one=$(cksum <"$work/out")
    rows=$(($(wc -l <"$work/out") - 1))
    size=$(stat -c %s "$work/out")
    took first "$lethe" synth --version 1 --users 100000 --seed 1 --threads 1
    rows_first=$(($(wc -l <"$work/out") - 1))
    took mawk mawk -v n="$rows" 'BEGIN { for (i = 0; i < n; i++)
        printf "%d\t%d %d %d\t2006-03-01 00:00:00\t\t\n", i / 90, rand() * 1e5, rand() * 1e5, rand() * 1e5 }'
done
same=true
[ "$sum_one" = "$sum_two" ] || same=false

read -r one _ peak <"$work/one"
read -r _ two_wall two_peak <"$work/two"
read -r _ _ peak_small <"$work/small"
read -r mawk _ _ <"$work/mawk"
read -r first _ _ <"$work/first"
awk -v s="$one" -v f="$first" -v rf="$rows_first" -v w="$two_wall" -v m="$mawk" -v rows="$rows" -v size="$size" -v p="$peak" -v tp="$two_peak" \
    -v ps="$peak_small" -v same="$same" 'BEGIN {
    printf "{\"rows_s_core\":%.0f,\"mb_s_core\":%.0f,\"mawk_over_synth\":%.2f,", rows / s, size / s / 1e6, m / s
    printf "\"synth_user_s\":%.2f,\"mawk_user_s\":%.2f,\"two_threads_s\":%.2f,\"rows\":%.0f,", s, m, w, rows
    printf "\"rows_s_over_version_1\":%.2f,", rows / s / (rf / f)
    printf "\"same_bytes\":%s,\"peak_bytes\":%.0f,\"peak_bytes_10k_users\":%.0f,", same, p * 1024, ps * 1024
    printf "\"two_threads_peak_bytes\":%.0f,\"peak_over_10k_users\":%.3f}\n", tp * 1024, p / ps
    exit !(p <= ps + 8192 && rows / s * 2 >= rf / f) # memory: a few blocks more or less
}'
[ "$same" = true ]
