#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What do aa, og and mog cost on millions of sets, and what share of it is their check?
#
#   bench_sets_growth.sh LETHE LOG      (LOG is not read: it makes its own)
#
# BMS-WebView-2 and its taxonomy (in the folder LETHE_DATA; nothing is measured where they are not there), made larger:
# each set has the size of one that is drawn and items of that and another one, so that most sets are new.  500,000 to
# 4,000,000 of them (SETS), k = 5, m = 2, each record a person, one thread, one run; processor time.  The yardstick of
# mog is og (`mog_over_og`).  `verify_share` is what `verify` of the release takes, over what the command took, its own
# check included: `verify` reads the file more often than that check, which costs less.  growth is the power of the sets
# that time grows with, from one size to the next.  One JSON line a size and method.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_sets_growth.sh LETHE LOG" >&2; exit 2; }
lethe=$1
sets=${LETHE_DATA:-.}/BMS-WebView-2.dat.zst
tree=${LETHE_DATA:-.}/BMS-WebView-2_tree.tsv.zst
if [ ! -r "$sets" ] || [ ! -r "$tree" ]; then
    echo '{"skipped":"no BMS-WebView-2 with its taxonomy"}'
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
zstd -dcq "$sets" | tr -d "\r" >"$work/sets"
zstd -dcq "$tree" >"$work/tree.tsv"

draw() { # N
    awk -v n="$1" 'BEGIN { srand(1) }
    { line[NR] = $0 }
    END {
        for (i = 0; i < n; i++) {
            size = split(line[1 + int(rand() * NR)], a, " ")
            more = split(line[1 + int(rand() * NR)], b, " ")
            for (k = 1; k <= more; k++) a[size + k] = b[k]
            all = size + more
            out = ""
            for (k = 1; k <= size; k++) { # the first of them in a random order
                j = k + int(rand() * (all - k + 1))
                swap = a[k]; a[k] = a[j]; a[j] = swap
                out = out (k > 1 ? " " : "") a[k]
            }
            print out
        }
    }' "$work/sets"
}

# took COMMAND...: sets cpu and peak
took() {
    /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >/dev/null 2>&1
    read -r cpu peak < <(awk '{ printf "%.2f %.0f\n", $1 + $2, $3 * 1024 }' "$work/time")
}

declare -A before
before_n=0
most=${SETS:-4000000}
for n in $((most / 8)) $((most / 4)) $((most / 2)) "$most"; do
    draw "$n" >"$work/records.dat"
    og=0
    for method in aa og mog; do
        took "$lethe" $method "$work/records.dat" --taxonomy "$work/tree.tsv" -k 5 -m 2 --persons record --threads 1 \
            --quiet --force -o "$work/release"
        made=$cpu made_peak=$peak
        took "$lethe" verify --quiet --threads 1 "$work/release"
        [ $method != og ] || og=$made
        awk -v name=$method -v n="$n" -v c="$made" -v m="$made_peak" -v v="$cpu" -v vm="$peak" -v og="$og" \
            -v n0="$before_n" -v c0="${before[$method]:-0}" -v lines="$(uniq "$work/release/data.txt" | wc -l)" 'BEGIN {
            printf "{\"method\":\"%s\",\"sets\":%d,\"distinct_published\":%d,", name, n, lines
            if (name == "mog") printf "\"mog_over_og\":%.3f,", c / og
            if (n0 > 0) printf "\"growth\":%.2f,", log(c / c0) / log(n / n0)
            printf "\"verify_share\":%.3f,\"cpu_s\":%.2f,\"verify_cpu_s\":%.2f,", v / c, c, v
            printf "\"peak_bytes\":%.0f,\"verify_peak_bytes\":%.0f}\n", m, vm
        }'
        before[$method]=$made
    done
    before_n=$n
done
