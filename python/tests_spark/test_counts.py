# SPDX-License-Identifier: Apache-2.0
"""ls.profile: the program's figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import lethe
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import lethe.spark as ls


def compare(got: Any, want: dict[str, Any]) -> None:
    left = set(got["not_computed"])
    assert set(want["metrics"]) - set(got["metrics"]) == left & set(want["metrics"])
    for name, value in got["metrics"].items():
        assert value == want["metrics"][name], name
    assert got["counts"] == want["counts"]


def test_a_synthetic_log(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    lethe("synth", "--users", "200", "--queries-per-user", "30", "--seed", "2", "-q", "-o", log)
    df = spark.read.csv(str(log), sep="\t", header=True, quote="", escape="")
    df = df.withColumn("QueryTime", F.to_timestamp_ntz("QueryTime", F.lit("yyyy-MM-dd HH:mm:ss")))
    got = ls.profile(df, user="AnonID", query="Query", url="ClickURL", time="QueryTime")
    compare(got, json.loads(lethe("profile", log, "--json", "-q")))
    assert got["metrics"]["rows"] > 5000


def test_an_odd_log(quick: SparkSession, tmp_path: Path) -> None:
    rows = [("u1", "Red  Car", "http://a.com"), ("u1", "red car", "http://a.com"), ("u2", "red car", None),
            (None, "x", None), ("u3", " ", None), ("u3", "caf\u00e9 au  lait", "http://b.com"),
            ("u4", "CAFE\u0301 au lait", ""), ("u4", "cafe", "http://c.com")] * 3 + [("u5", "a", "b")] * 20
    df = quick.createDataFrame(rows, "user string, query string, url string")
    (tmp_path / "log.csv").write_text("user,query,url\n" + "".join(
        ",".join(v or "" for v in row) + "\n" for row in rows), encoding="utf-8")
    compare(ls.profile(df, user="user", query="query", url="url"),
            json.loads(lethe("profile", tmp_path / "log.csv", "--columns", "user=user,query=query,url=url",
                             "--json", "-q")))


def test_what_is_left_is_the_programs_count(spark: SparkSession, tmp_path: Path) -> None:
    lethe("synth", "--users", 40, "--seed", 9, "-o", tmp_path / "log.tsv", "-q")
    df = spark.read.csv(str(tmp_path / "log.tsv"), sep="\t", header=True, quote="", escape="")
    df = df.withColumn("QueryTime", F.to_timestamp_ntz("QueryTime"))
    release = ls.release(df, [("threshold", {"t": 3, "same": "exact"})], tmp_path / "release", parts=2)
    found = ls.measure(release, df, user="AnonID", query="Query", url="ClickURL", time="QueryTime")["metrics"]
    wanted = json.loads(lethe("measure", release.folder, "--original", tmp_path / "log.tsv", "--json"))["metrics"]
    assert set(found) == {"rows", "users", "queries", "distinct_queries", "distinct_terms", "clicks", "urls"}
    assert found == {name: wanted[name] for name in found}
