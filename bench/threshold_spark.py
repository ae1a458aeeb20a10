#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times ls.threshold and plain Spark SQL on two threads:  threshold_spark.py LOG WORK RUNS

  plain  rows whose text, as it is, has at least 5 distinct users: grouped, counted, joined back
  exact  ls.threshold with same="exact": the same of texts in their normal form
  words  ls.threshold as it is by default, with texts of the same words together

Users and texts alone are read, and clicks not counted, so that the counting is the same."""
import json
import os
import pathlib
import sys
import time

from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F

import lethe.spark as ls

T = 5
log, work, runs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
         .config("spark.driver.memory", os.environ.get("SPARK_MEMORY", "4g"))
         .config("spark.driver.host", "127.0.0.1").config("spark.local.dir", str(work / "local"))
         .config("spark.sql.shuffle.partitions", "16").getOrCreate())
spark.sparkContext.setLogLevel("ERROR")


def processor_seconds():
    """Of this process and all that it has started: Spark, and the Python that Spark runs."""
    parents, used = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)] = int(fields[1])
        used[int(entry.name)] = sum(map(int, fields[11:15]))
    total = 0
    for pid, ticks in used.items():
        above = pid
        while above not in (0, os.getpid()):
            above = parents.get(above, 0)
        total += ticks if above else 0
    return total / os.sysconf("SC_CLK_TCK")


rows = spark.read.csv(log, sep="\t", header=True, quote="", escape="").select("AnonID", "Query")
rows.write.parquet(str(work / "log.parquet"))


def plain(df):
    kept = spark.sql(f"select Query from {{df}} group by Query having count(distinct AnonID) >= {T}", df=df)
    return df.join(kept, "Query")


ways = {
    "plain": plain,
    "exact": ls.threshold(T, user="AnonID", query="Query", same="exact"),
    "words": ls.threshold(T, user="AnonID", query="Query"),
}
best = {name: (float("inf"), float("inf")) for name in ways}
found = {}
for _ in range(runs):
    for name, way in ways.items():
        df = spark.read.parquet(str(work / "log.parquet"))
        wall, cpu = time.monotonic(), processor_seconds()
        out = df.transform(way)
        seen = Observation()
        out.observe(seen, F.count(F.lit(1)).alias("n")).write.format("noop").mode("overwrite").save()
        took = time.monotonic() - wall, processor_seconds() - cpu
        best[name] = min(best[name][0], took[0]), min(best[name][1], took[1])
        print(name, *took, file=sys.stderr)
        found[name] = seen.get["n"]
        spark.catalog.clearCache()
figures = {"rows": spark.read.parquet(str(work / "log.parquet")).count(), "spark": spark.version}
for name, (wall, cpu) in best.items():
    figures.update({f"{name}_seconds": round(wall, 2), f"{name}_cpu_seconds": round(cpu, 2), f"{name}_rows": found[name]})
for name in ("exact", "words"):
    figures[f"{name}_over_plain"] = round(best[name][0] / best["plain"][0], 3)
    figures[f"{name}_cpu_over_plain"] = round(best[name][1] / best["plain"][1], 3)
print(json.dumps(figures))
spark.stop()
