#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does threshold cost from a data frame, against the program on the same rows as TSV?
#
#   bench_frame.sh LETHE LOG
#
# The fastest of three of each, in turns: the program, and `lethe.threshold` from a polars, an Arrow and a
# pandas frame (threshold_frame.py), each in a process of its own, with one core and with all.  Reading the TSV into
# the frame is not timed.  Both must publish the same bytes.  `*_ratio` is the time of the call over
# that of the program; `*_added_bytes` is the greatest memory of the process less that before the call,
# so a second copy of the text columns would show.  One JSON line.  The package is taken from the
# environment of tools/test-python, or from FRAME_PYTHON.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_frame.sh LETHE LOG" >&2; exit 2; }
lethe=$1 log=$2 here=$(dirname "$0")
python=${FRAME_PYTHON:-$here/../build-python/venv/bin/python}
"$python" -c 'import lethe, polars, pandas, pyarrow' 2>/dev/null || {
    echo "bench_frame: no lethe with polars, pandas and pyarrow in $python: run tools/test-python" >&2
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat "$log" >/dev/null # all read it from the page cache
for _ in 1 2 3; do
    rm -rf "$work/program"
    /usr/bin/time -o "$work/time" -f '%e %M' \
        "$lethe" threshold "$log" -t 5 --seed 1 --quiet --json -o "$work/program" >/dev/null
    awk '{ printf "%s %.0f\n", $1, $2 * 1024 }' "$work/time" >>"$work/program.all"
    for kind in polars arrow pandas; do
        rm -rf "$work/$kind"
        "$python" "$here/threshold_frame.py" "$kind" "$log" "$work/$kind" >>"$work/$kind.all"
        cmp "$work/program/data.tsv" "$work/$kind/data.tsv"
    done
done
fastest() { sort -n "$work/$1.all" | head -1; }
read -r seconds peak <<<"$(fastest program)"
printf '{"bench":"frame","program_seconds":%s,"program_peak_bytes":%s' "$seconds" "$peak"
for kind in polars arrow pandas; do
    read -r took added frame <<<"$(fastest $kind)"
    printf ',"%s_seconds":%s,"%s_ratio":%s,"%s_added_bytes":%s,"%s_frame_bytes":%s' $kind "$took" $kind \
        "$(awk "BEGIN { printf \"%.2f\", $took / $seconds }")" $kind "$added" $kind "$frame"
done
echo '}'
