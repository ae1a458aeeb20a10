#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How fast is a log sealed, and does memory stay the same however long it is?
#
#   bench_seal.sh LETHE LOG
#
# `seal -o -` on one thread into a file, the fastest of three, by user and system time.  Yardstick: the bare
# cryptographic operations of as many rows (bench_sealed's), and `cut` reading the log and `cat`
# writing what came of it.  Peaks at the first 200,000 rows and at all of them.  Also a whole release, sorted
# and checked, on one thread and within --memory 200M, which must be the same bytes.  One JSON line.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_seal.sh LETHE LOG" >&2; exit 2; }
lethe=$1 log=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# took NAME COMMAND...: keeps the fastest run's "cpu peak" in $work/NAME.took; the command writes to $work/out
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >"$work/out" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
    tail -n 1 "$work/time" | awk '{ print $1 + $2, $3 }' >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name.took"
}

head -n 2000001 "$log" >"$work/log.tsv"
head -n 200001 "$log" >"$work/small.tsv"
head -c 32 /dev/zero >"$work/key" && chmod 600 "$work/key"
bare=$("$(dirname "$lethe")/bench/bench_sealed" "$work/small.tsv" | sed -n 's/.*"bare_rows_per_s": \([0-9]*\).*/\1/p')
for _ in 1 2 3; do
    took cut cut -f 1-5 "$work/log.tsv"
    took small "$lethe" seal "$work/small.tsv" --key-file "$work/key" --threads 1 -o -
    took seal "$lethe" seal "$work/log.tsv" --key-file "$work/key" --threads 1 -o -
    mv "$work/out" "$work/sealed.tsv"
    took cat cat "$work/sealed.tsv"
    rm -rf "$work/release" "$work/release_small"
    took release "$lethe" seal "$work/log.tsv" --key-file "$work/key" --threads 1 --quiet -o "$work/release"
    took release_small "$lethe" seal "$work/log.tsv" --key-file "$work/key" --threads 1 --quiet --memory 200M -o "$work/release_small"
done
cmp "$work/release/data.tsv" "$work/release_small/data.tsv"
rows=$(($(wc -l <"$work/log.tsv") - 1))
read -r seal peak <"$work/seal.took"
read -r _ peak_small <"$work/small.took"
read -r release peak_release <"$work/release.took"
read -r _ peak_200M <"$work/release_small.took"
read -r cut _ <"$work/cut.took"
read -r cat _ <"$work/cat.took"
awk -v s="$seal" -v n="$rows" -v bare="$bare" -v cut="$cut" -v cat="$cat" -v p="$peak" -v ps="$peak_small" -v r="$release" -v pr="$peak_release" -v p2="$peak_200M" 'BEGIN {
    yard = n / bare + cut + cat
    printf "{\"rows\":%d,\"rows_per_s\":%.0f,\"ratio\":%.3f,\"seal_cpu_s\":%.2f,\"bare_cpu_s\":%.2f,\"read_write_cpu_s\":%.2f,", n, n / s, s / yard, s, n / bare, cut + cat
    printf "\"release_rows_per_s\":%.0f,\"release_cpu_s\":%.2f,\"release_peak_bytes\":%.0f,\"release_200M_peak_bytes\":%.0f,", n / r, r, pr * 1024, p2 * 1024
    printf "\"peak_bytes\":%.0f,\"peak_bytes_200k_rows\":%.0f}\n", p * 1024, ps * 1024
    exit !(p <= ps + 4096)
}'
