# SPDX-License-Identifier: Apache-2.0
"""A tour of lethe.spark: a log on Spark becomes a release that is checked.  `make demo-spark` runs it.

    spark-submit examples/spark_tour.py LOG FOLDER"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import lethe.spark as ls


def title(text: str) -> None:
    print(f"\n=== {text}\n", flush=True)


def main() -> None:
    source, folder = sys.argv[1], Path(sys.argv[2]).absolute()
    spark = SparkSession.builder.appName("lethe").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    log = spark.read.csv(source, sep="\t", header=True, quote="", escape="")

    title("What does the log contain?")
    print(ls.profile(log, user="AnonID", query="Query"))

    title("A step is a function of data frames: nothing is promised of what it gives")
    safer = log.transform(ls.scrub()).transform(ls.threshold(t=5, user="AnonID", query="Query"))
    safer.groupBy("Query").count().orderBy("count", ascending=False).show(5, truncate=False)

    title("A release is checked before it appears")
    release = ls.release(log, [("scrub", {}), ("threshold", {"t": 5})], out=folder / "release", force=True)
    print(release)

    title("Its promise, counted again by Spark")
    print(ls.verify(release, spark))

    title("Users in groups of five, by parts of users who are alike")
    print(ls.release(log, [("clump", {"k": 5, "gap": "1h", "distinct": True})], out=folder / "groups", force=True))
    spark.stop()


if __name__ == "__main__":
    main()
