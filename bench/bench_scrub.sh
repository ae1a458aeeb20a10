#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How fast does scrub stream, and does its memory stay the same however long the log is?
#
#   bench_scrub.sh LETHE LOG
#
# `scrub -o -` on one thread, the fastest of three, by user time; against sed, which masks one kind
# alone (social-security numbers), and against cut, which parses and copies and does no more.  The
# peak is taken at the log's first million rows and at all of it.  `dense`: the same million rows with
# personal data in every fourth query.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_scrub.sh LETHE LOG" >&2; exit 2; }
lethe=$1 log=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the fastest run's "user wall peak" in $work/NAME
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %e %M' "$@" >/dev/null 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
    tail -n 1 "$work/time" >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}
size() { stat -Lc %s "$1"; }

head -n 1000001 "$log" >"$work/small.tsv"
awk 'BEGIN { FS = OFS = "\t"
        n = split("219-09-9999|4111 1111 1111 1111|(212) 555-0187|bob.lee@example.com|192.168.17.4|12345678901|12 elm street|www.example.com/a?b=1", pii, "|") }
    NR > 1 && NR % 4 == 0 { $2 = $2 " " pii[NR / 4 % n + 1] }
    { print }' "$work/small.tsv" >"$work/dense.tsv"
cat "$log" >/dev/null # all read it from the page cache
for _ in 1 2 3; do
    took scrub "$lethe" scrub "$log" --threads 1 -o -
    took small "$lethe" scrub "$work/small.tsv" --threads 1 -o -
    took dense "$lethe" scrub "$work/dense.tsv" --threads 1 -o -
    took cut cut -f 1-5 "$log"
    took sed sed -E 's/\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b/[ssn]/g' "$log"
done
took two "$lethe" scrub "$log" --threads 2 -o -
took two_small "$lethe" scrub "$work/small.tsv" --threads 2 -o -

read -r scrub _ peak <"$work/scrub"
read -r _ _ peak_small <"$work/small"
read -r dense _ _ <"$work/dense"
read -r cut _ _ <"$work/cut"
read -r sed _ _ <"$work/sed"
read -r _ _ two_peak <"$work/two"
read -r _ _ two_peak_small <"$work/two_small"
awk -v s="$scrub" -v d="$dense" -v c="$cut" -v sed="$sed" -v n="$(size "$log")" -v dn="$(size "$work/dense.tsv")" \
    -v p="$peak" -v ps="$peak_small" -v tp="$two_peak" -v tps="$two_peak_small" 'BEGIN {
    printf "{\"mb_s_core\":%.0f,\"dense_mb_s_core\":%.0f,\"scrub_over_cut\":%.3f,\"sed_over_scrub\":%.3f,", n / s / 1e6, dn / d / 1e6, s / c, sed / s
    printf "\"scrub_user_s\":%.2f,\"cut_user_s\":%.2f,\"sed_user_s\":%.2f,", s, c, sed
    printf "\"peak_bytes\":%.0f,\"peak_bytes_1M_rows\":%.0f,\"peak_over_1M_rows\":%.3f,", p * 1024, ps * 1024, p / ps
    printf "\"two_threads_peak_bytes\":%.0f,\"two_threads_peak_bytes_1M_rows\":%.0f}\n", tp * 1024, tps * 1024
    exit !(p <= ps + 4096 && tp <= tps + 8192) # constant: a few blocks more or less
}'
