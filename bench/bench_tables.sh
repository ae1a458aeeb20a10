#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How fast is a table generalized?
#
#   bench_tables.sh LETHE LOG
#
# lplus, incognito and anneal on 200,000 rows with four quasi-identifiers (variants of the Adult table's, where LETHE_DATA
# names a folder that has it; else made up), one thread, into a release folder, the faster of two by user and system time.
# Yardstick: `cut` reading the table, ten times at once, the faster of two.  The log is not read.  One JSON line a command.
#
# Then the search alone makes the difference, with all seven quasi-identifiers where the table is Adult's: lplus with k = 5 on
# two threads against one (ratio of processor time: what sharing costs), DM with allRec against reading, and the loss (a
# deleted row counting 1) with --deletion-weight 1 against the weight of 2.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_tables.sh LETHE LOG" >&2; exit 2; }
lethe=$1
tools=$(cd "$(dirname "$0")/../tools" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=200000

# took NAME COMMAND...: keeps the fastest run's "cpu peak" in $work/NAME; the command writes to $work/out
took() {
    local name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %S %M' "$@" >"$work/out" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
    tail -n 1 "$work/time" | awk '{ print $1 + $2, $3 }' >>"$work/$name.all"
    sort -n "$work/$name.all" | head -1 >"$work/$name"
}

# A table of the same columns and about as many values, and hierarchies of fours.
made_up() {
    mkdir "$work/trees"
    local column=0
    for n in 16 16 7 2; do
        column=$((column + 1))
        awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++) printf "v%d;g%d;*\n", i, i / 4 }' >"$work/trees/$(cut -d , -f "$column" <<<"$qi").csv"
    done
    awk -v rows="$rows" -v head="$qi,occupation" 'BEGIN {
        srand(1)
        print head
        for (i = 0; i < rows; i++)
            printf "v%d,v%d,v%d,v%d,o%d\n", 16 * rand() ^ 2, 16 * rand() ^ 2, 7 * rand() ^ 3, 2 * rand(), 14 * rand() ^ 1.5
    }'
}

qi=age,education,workclass,sex
if "$tools/adult-data" variants "$rows" >"$work/table.csv" 2>"$work/said"; then
    data=adult
    "$tools/adult-data" hierarchies "$work/trees"
else
    data=made-up
    made_up >"$work/table.csv"
fi
ten=()
for _ in 1 2 3 4 5 6 7 8 9 10; do
    ten+=("$work/table.csv")
done
for _ in 1 2; do
    took cut cut -d , -f 1- "${ten[@]}"
    for command in lplus incognito anneal; do
        more=()
        [ "$command" = anneal ] && more=(--steps 2000 --seed 1)
        took "$command" "$lethe" "$command" "$work/table.csv" --qi "$qi" --sa occupation --hierarchies "$work/trees" --theta 1/4 "${more[@]}" \
            --threads 1 -q --json --force -o "$work/release"
        mv "$work/out" "$work/$command.json"
    done
done
[ "$data" = adult ] && all=age,education,native-country,workclass,marital-status,sex,race || all=$qi
search() { # NAME OPTIONS...: a run that is mostly search
    local name=$1
    shift
    took "$name" "$lethe" lplus "$work/table.csv" --qi "$all" --sa occupation --hierarchies "$work/trees" "$@" -q --json --force \
        -o "$work/release"
    mv "$work/out" "$work/$name.json"
}
search one -k 5 --threads 1
search two -k 5 --threads 2
search spread --theta 1/4 --cost DM --suppress allRec --threads 1
search light -k 5 --threads 1 --deletion-weight 1
read -r cut _ <"$work/cut"
for command in lplus incognito anneal; do
    read -r cpu peak <"$work/$command"
    cuts=$(sed -n 's/.*"cuts_examined":\([0-9]*\).*/\1/p' "$work/$command.json")
    awk -v c="$command" -v d="$data" -v s="$cpu" -v n="$rows" -v cut="$cut" -v p="$peak" -v cuts="$cuts" 'BEGIN {
        cut = cut > 0.01 ? cut / 10 : 0.001 # a hundredth is what the clock shows
        printf "{\"command\":\"%s\",\"data\":\"%s\",\"rows\":%d,\"rows_per_s\":%.0f,\"ratio\":%.1f,\"cpu_s\":%.2f,\"read_cpu_s\":%.3f,\"cuts_examined\":%d,\"peak_bytes\":%.0f}\n",
            c, d, n, n / s, s / cut, s, cut, cuts, p * 1024
    }'
done
python3 - "$work" "$data" "$rows" "$cut" <<'END'
import json, pathlib, sys
work, data, rows, cut = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), max(float(sys.argv[4]) / 10, 0.001)
def cpu(name): return float((work / name).read_text().split()[0])
def loss(name, weight):
    m = json.loads((work / f"{name}.json").read_text())
    n_qi = len(m["parameters"]["qi"].split(",")) if "qi" in m["parameters"] else len(m["metrics"]["cut"])
    return (m["metrics"]["cost"] / n_qi - (weight - 1) * m["metrics"]["rows_deleted"]) / rows
def line(name, ratio, **more): print(json.dumps({"command": f"lplus {name}", "data": data, "rows": rows, "ratio": round(ratio, 3), **more}))
line("two threads", cpu("two") / max(cpu("one"), 0.01), cpu_s=cpu("two"), one_cpu_s=cpu("one"))
line("DM allRec", cpu("spread") / cut, cpu_s=cpu("spread"), read_cpu_s=round(cut, 4))
line("deletion weight 1", loss("light", 1) / loss("one", 2), loss=round(loss("light", 1), 5), loss_of_2=round(loss("one", 2), 5))
END
