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
#
# Yardstick: DuckDB, by user and system time on two threads, where `python3 -c "import duckdb"` works
# or PEER_PYTHON names a Python that has it; else a word on standard error and no figures of it.
# threshold_duckdb.py has the queries and says what differs: `full` does the same work but for
# pseudonyms, check and digest, `least` as little as gives the same rows.
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

# cpu_of NAME: the least user and system time of its runs
cpu_of() { awk 'NR == 1 || $2 < least { least = $2 } END { print least }' "$work/$1.all"; }

# release NAME OPTIONS...: makes $work/NAME.release, timed
release() {
    local name=$1
    shift
    rm -rf "$work/$name.release"
    took "$name" "$lethe" threshold "$log" -t 5 --seed 1 --json --quiet -o "$work/$name.release" "$@"
}

peer=${PEER_PYTHON:-python3}
duckdb=true
"$peer" -c 'import duckdb' 2>/dev/null || { echo "bench_threshold: no DuckDB in $peer: its figures are left out" >&2; duckdb=false; }
# peer_rows WORK: makes $work/peer.tsv, timed
peer_rows() {
    took "$1" "$peer" "$(dirname "$0")/threshold_duckdb.py" "$log" "$work/peer.tsv" 5 2 "$1"
}

cat "$log" >/dev/null # all read it from the page cache
for _ in 1 2 3; do
    took profile "$lethe" profile --json --quiet --threads 2 "$log"
    release two --threads 2
    release one --threads 1
    release small --threads 2 --memory 200M
    release exact --threads 2 --same exact
    release exact_one --threads 1 --same exact
    if [ $duckdb = true ]; then
        peer_rows least
        peer_rows full
    fi
done
if [ $duckdb = true ] && [ "$(wc -l <"$work/peer.tsv")" != "$(wc -l <"$work/exact.release/data.tsv")" ]; then
    echo "bench_threshold: DuckDB keeps other rows than --same exact" >&2
    exit 1
fi
same=true
for other in one small; do
    cmp -s "$work/two.release/data.tsv" "$work/$other.release/data.tsv" || same=false
done

read -r profile _ _ <"$work/profile"
read -r two _ two_peak <"$work/two"
read -r one _ _ <"$work/one"
read -r small _ small_peak <"$work/small"
read -r exact _ exact_peak <"$work/exact"
full_cpu=0 full_peak=0 least_cpu=0
if [ $duckdb = true ]; then
    read -r _ _ full_peak <"$work/full"
    full_cpu=$(cpu_of full) least_cpu=$(cpu_of least)
fi
awk -v ec="$(cpu_of exact)" -v eo="$(cpu_of exact_one)" -v ep="$exact_peak" -v fc="$full_cpu" -v fp="$full_peak" -v lc="$least_cpu" \
    -v p="$profile" -v a="$two" -v ac="$(cpu_of two)" -v ap="$two_peak" -v b="$one" -v bc="$(cpu_of one)" \
    -v e="$exact" -v s="$small" -v sp="$small_peak" -v same="$same" -v size="$(stat -Lc %s "$log")" 'BEGIN {
    serial = 2 * a / b - 1
    serial = serial < 0 ? 0 : serial > 1 ? 1 : serial # a busy machine gives more than there is
    printf "{\"threshold_over_profile\":%.3f,\"exact_over_profile\":%.3f,\"memory_200M_over_unlimited\":%.3f,", a / p, e / p, s / a
    printf "\"cpu_two_threads_over_one\":%.3f,\"serial_share\":%.3f,\"same_bytes\":%s,", ac / bc, serial, same
    printf "\"profile_s\":%.2f,\"threshold_s\":%.2f,\"one_thread_s\":%.2f,\"memory_200M_s\":%.2f,", p, a, b, s
    printf "\"cpu_s\":%.2f,\"one_thread_cpu_s\":%.2f,\"exact_cpu_s\":%.2f,\"exact_one_thread_cpu_s\":%.2f,", ac, bc, ec, eo
    if (fc > 0) {
        printf "\"duckdb_cpu_s\":%.2f,\"duckdb_least_cpu_s\":%.2f,\"duckdb_over_threshold\":%.3f,", fc, lc, fc / ac
        printf "\"duckdb_over_exact\":%.3f,\"duckdb_least_over_threshold\":%.3f,\"duckdb_least_over_exact\":%.3f,", fc / ec, lc / ac, lc / ec
        printf "\"exact_peak_over_duckdb\":%.3f,", ep / fp
    }
    printf "\"peak_over_file\":%.3f,\"memory_200M_peak_bytes\":%.0f}\n", ap / size, sp
}'
[ "$same" = true ]
