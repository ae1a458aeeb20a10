#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times lethe.threshold from a data frame:  threshold_frame.py polars|arrow|pandas LOG OUT

Prints seconds, the greatest memory of the process less that before the call, and the memory of the
frame's columns, in bytes."""
import sys
import time

import pyarrow.csv

import lethe

kind, log, out = sys.argv[1:4]
frame = pyarrow.csv.read_csv(
    log,
    parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
    convert_options=pyarrow.csv.ConvertOptions(
        column_types={name: pyarrow.string() for name in ("AnonID", "Query", "QueryTime", "ItemRank", "ClickURL")}
    ),
)
size = frame.nbytes
if kind == "polars":
    import polars

    frame = polars.from_arrow(frame)
elif kind == "pandas":
    frame = frame.to_pandas()


def now():
    with open("/proc/self/status", encoding="ascii") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
    refs.write("5")  # the greatest from here on
before = now()
start = time.monotonic()
lethe.chain(frame).threshold(t=5).release(out, seed=1)
seconds = time.monotonic() - start
with open("/proc/self/status", encoding="ascii") as status:
    most = 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(f"{seconds:.2f} {most - before} {size}")
