#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does looking for planted people cost, and does it grow with the log alone?
#
#   bench_attack.sh LETHE LOG      (LOG is not read: it makes its own)
#
# `attack --adversary identity` upon a scrubbed release of a synthetic log, of 10,000 users and of 40,000,
# on one thread; the fastest of three, by user time.  Yardstick: `profile` of the same log.  Growth is
# the user time of the larger over that of the smaller: 4 would be linear.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_attack.sh LETHE LOG" >&2; exit 2; }
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

for users in 10000 40000; do
    "$lethe" synth --version 1 --users $users --seed 1 --truth "$work/$users.truth" -o "$work/$users.tsv" -q
    "$lethe" scrub "$work/$users.tsv" --seed 1 --map "$work/$users.map" -o "$work/$users.release" -q
done
for _ in 1 2 3; do
    for users in 10000 40000; do
        took $users "$lethe" attack "$work/$users.release" --original "$work/$users.tsv" -q --threads 1 \
            --truth "$work/$users.truth" --map "$work/$users.map" --adversary identity
    done
    took profile "$lethe" profile "$work/40000.tsv" -q --threads 1
done

read -r small _ _ <"$work/10000"
read -r large wall peak <"$work/40000"
read -r profile _ _ <"$work/profile"
rows=$(($(wc -l <"$work/40000.tsv") - 1))
awk -v s="$small" -v l="$large" -v w="$wall" -v k="$peak" -v p="$profile" -v rows="$rows" 'BEGIN {
    printf "{\"attack_over_profile\":%.2f,\"growth_4x_users\":%.2f,\"rows_s_core\":%.0f,", l / p, l / s, rows / l
    printf "\"attack_user_s\":%.2f,\"profile_user_s\":%.2f,\"wall_s\":%.2f,\"rows\":%d,\"peak_bytes\":%.0f}\n",
        l, p, w, rows, k * 1024
}'
