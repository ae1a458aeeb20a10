#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does microagg cost, and how do time and memory grow with the users?
#
#   bench_microagg.sh LETHE LOG      (LOG is not read: it makes its own)
#
# `microagg -k 5` of a synthetic log with 55 queries a user, of 1,000, 10,000, 50,000 and 200,000 users, on one thread; by
# processor time, the fastest of three (of the two largest: one run).  Yardstick: `profile` of the same log, so that what
# reading costs is in both.  A release is also made on two threads (not of the largest), and must be the same bytes.
# growth is the power of the users that time grows with, from one size to the next, and from 10,000 users on
# (growth_from_10000): 2 would be quadratic.  Pairs of users that were looked at, and the dense algorithm beside it:
# bench_group_search.  One JSON line a size.  USERS="1000 10000" in the environment: other sizes.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_microagg.sh LETHE LOG" >&2; exit 2; }
lethe=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the fastest run's "cpu peak" in $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >/dev/null
    awk '{ printf "%.2f %.0f\n", $1 + $2, $3 * 1024 }' "$work/time" >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}

release=("$lethe" microagg "$work/log.tsv" -k 5 --seed 1 --json --quiet --force)
before_users=0 before_cpu=0 same=true
from_users=0 from_cpu=0
for users in ${USERS:-1000 10000 50000 200000}; do
    rm -f "$work"/*.all
    "$lethe" synth --version 1 --users $users --queries-per-user 55 --seed 1 --force -o "$work/log.tsv" -q
    runs=3
    [ $users -lt 50000 ] || runs=1
    for _ in $(seq $runs); do
        took profile "$lethe" profile --json --quiet --threads 1 "$work/log.tsv"
        took microagg "${release[@]}" --threads 1 -o "$work/one"
    done
    if [ $users -lt 200000 ]; then
        "${release[@]}" --threads 2 -o "$work/two" >/dev/null
        cmp -s "$work/one/data.tsv" "$work/two/data.tsv" || same=false
    fi
    read -r profile _ <"$work/profile"
    read -r cpu peak <"$work/microagg"
    rows=$(($(wc -l <"$work/log.tsv") - 1))
    awk -v n="$users" -v c="$cpu" -v m="$peak" -v p="$profile" -v n0="$before_users" -v c0="$before_cpu" -v rows="$rows" \
        -v n1="$from_users" -v c1="$from_cpu" \
        -v same="$same" -v size="$(stat -Lc %s "$work/log.tsv")" 'BEGIN {
        printf "{\"users\":\"%d\",\"microagg_over_profile\":%.2f,", n, c / p
        if (n0 > 0) printf "\"growth\":%.2f,", log(c / c0) / log(n / n0)
        if (n1 > 0) printf "\"growth_from_10000\":%.2f,", log(c / c1) / log(n / n1)
        printf "\"same_bytes\":%s,\"peak_over_file\":%.3f,\"peak_bytes_a_user\":%.0f,", same, m / size, m / n
        printf "\"microagg_cpu_s\":%.2f,\"profile_cpu_s\":%.2f,\"rows\":%d,\"peak_bytes\":%.0f}\n", c, p, rows, m
    }'
    before_users=$users before_cpu=$cpu
    if [ $users -eq 10000 ]; then from_users=$users from_cpu=$cpu; fi
done
[ "$same" = true ]
