#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does linking the parts of split people cost, and how does it grow?
#
#   bench_linkage.sh LETHE LOG      (LOG is not read: it makes its own)
#
# `attack --adversary linkage` upon releases of a synthetic log split by day, by pause and by interest, of 500
# users and of 2,000, on one thread; the fastest of three, by user time.  Growth is the user time of the larger
# over that of the smaller: 4 would be linear, 16 looking at every pair.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_linkage.sh LETHE LOG" >&2; exit 2; }
lethe=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the fastest run's "user wall peak" in $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %e %M' "$@" >/dev/null
    tail -n 1 "$work/time" >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}

kinds="day gap interest"
for users in 500 2000; do
    "$lethe" synth --version 1 --users $users --queries-per-user 150 --seed 1 -o "$work/$users.tsv" -q
    for by in $kinds; do
        "$lethe" split "$work/$users.tsv" --by $by --seed 1 --map "$work/$users.$by.map" -o "$work/$users.$by.release" -q
    done
done
for _ in 1 2 3; do
    for users in 500 2000; do
        for by in $kinds; do
            took $users.$by "$lethe" attack "$work/$users.$by.release" --original "$work/$users.tsv" -q --threads 1 \
                --map "$work/$users.$by.map" --adversary linkage
        done
    done
done

for by in $kinds; do
    read -r small _ _ <"$work/500.$by"
    read -r large wall peak <"$work/2000.$by"
    sessions=$(tail -n +2 "$work/2000.$by.map" | wc -l)
    awk -v b=$by -v s="$small" -v l="$large" -v w="$wall" -v k="$peak" -v n="$sessions" 'BEGIN {
        printf "\"%s_sessions\":%d,\"%s_user_s\":%.2f,\"%s_wall_s\":%.2f,\"%s_growth_4x_users\":%.2f,", b, n, b, l, b, w, b, l / s
        printf "\"%s_sessions_s_core\":%.0f,\"%s_peak_bytes\":%.0f", b, n / l, b, k * 1024
    }'
    [ $by = interest ] || printf ','
done >"$work/line"
printf '{%s}\n' "$(cat "$work/line")"
