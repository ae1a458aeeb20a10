#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What does ls.threshold cost on Spark, over plain Spark SQL that counts the same?
#
#   bench_spark.sh LETHE LOG
#
# threshold_spark.py says what is compared.  Spark runs on two threads, on a Parquet file of the log's users
# and texts that is made first, and not timed; the rows are counted and joined, and not written.
# The fastest of SPARK_RUNS (2) of each, in turns: wall time, and processor time of Spark and its
# Python together, which other load on the machine changes less.  One JSON line.  The package and PySpark
# are taken from the environment of tools/test-spark, or from SPARK_PYTHON.
set -euo pipefail
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: bench_spark.sh LETHE LOG" >&2; exit 2; }
log=$2 here=$(dirname "$0")
python=${SPARK_PYTHON:-$here/../build-python/venv/bin/python}
"$python" -c 'import lethe.spark' 2>/dev/null || {
    echo "bench_spark: no lethe.spark in $python: run tools/test-spark" >&2
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -W ignore "$here/threshold_spark.py" "$log" "$work" "${SPARK_RUNS:-2}" 2>"$work/said" || {
    tail -n 40 "$work/said" >&2
    exit 1
}
