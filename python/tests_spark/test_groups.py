# SPDX-License-Identifier: Apache-2.0
"""Methods that form groups, by parts: valid releases, the same bytes again, and nothing left of a failure."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import lethe
from lethe import __main__ as cli
from lethe.spark import _groups
from lethe.spark._errors import on_driver
from lethe.spark._options import Options, steps_of

COLUMNS = {"user": "AnonID", "query": "Query", "time": "QueryTime", "rank": "ItemRank", "url": "ClickURL"}


@pytest.fixture(scope="module")
def log(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = tmp_path_factory.mktemp("log") / "log.tsv"
    subprocess.run([cli.program(), "synth", "--users", "90", "--queries-per-user", "15", "--seed", "3", "-q", "-o",
                    path], check=True)
    return spark.read.csv(str(path), sep="\t", header=True, quote="").cache()


def publish(df: DataFrame, chain: Any, out: Path, **options: Any) -> lethe.Release:
    given = {"columns": COLUMNS, "parts": 3, **options}
    with on_driver():
        return _groups.publish(df, steps_of(chain), str(out), Options(**given))


def lines(release: lethe.Release, name: str) -> bytes:
    return Path(release.folder, name).read_bytes()


@pytest.mark.parametrize("chain, data", [
    ([("clump", {"k": 3})], "data.txt"),
    ([("scrub", {}), ("partition", {"k": 3})], "data.txt"),
    ([("ssg", {"k": 3, "gap": "1h"})], "data.txt"),
    ([("microagg", {"k": 3, "min_users": 1, "list": "paper"})], "data.tsv"),
])
def test_a_release_that_keeps_its_promise(log: DataFrame, tmp_path: Path, key: Path, chain: Any, data: str) -> None:
    made = publish(log, chain, tmp_path / "one", key_file=str(key), title="By parts", report=True)
    assert made.verify()
    assert made.manifest["parts"] == 3
    assert made.counts["read"] == log.count()
    assert made.manifest["title"] == "By parts"
    again = publish(log.repartition(7).sortWithinPartitions(F.rand(5)), chain, tmp_path / "two", key_file=str(key))
    assert lines(made, data) == lines(again, data)
    assert made.manifest["metrics"].keys() == again.manifest["metrics"].keys()
    assert sorted(os.listdir(tmp_path)) == ["one", "two"], "the parts and their key are gone"


def test_parts_are_those_of_the_program(log: DataFrame, tmp_path: Path, key: Path) -> None:
    """Each part as the program releases it, and joined by it."""
    made = publish(log, [("clump", {"k": 3})], tmp_path / "made", key_file=str(key))
    with _groups._divided(_groups._rows(log, COLUMNS), steps_of([("clump", {"k": 3})]), Options(parts=3)) as (df, n):
        frame = df.toPandas()
    assert n == 3 and frame.groupby("part")["user"].nunique().tolist() == [30, 30, 30]
    parts = [lethe.clump(frame[frame["part"] == i].drop(columns="part"), k=3, key_file=str(key),
                         output=str(tmp_path / f"part-{i}")) for i in range(n)]
    joined = lethe.join(parts, output=str(tmp_path / "joined"))
    assert lines(joined, "data.txt") == lines(made, "data.txt")
    assert joined.manifest["metrics"]["clusters"] == made.manifest["metrics"]["clusters"]


def test_one_person_is_in_one_part(log: DataFrame) -> None:
    spelled = log.withColumn("AnonID", F.when(F.rand(1) < 0.5, F.concat(F.lit(" "), "AnonID", F.lit("  ")))
                             .otherwise(F.col("AnonID")))
    with _groups._divided(_groups._rows(spelled, COLUMNS), steps_of([("clump", {"k": 3})]), Options(parts=3)) as (df, _):
        parts = df.groupBy("user").agg(F.countDistinct("part").alias("n")).toPandas()
    assert len(parts) == 90 and parts["n"].max() == 1


def test_rows_without_a_user_are_refused(log: DataFrame, tmp_path: Path) -> None:
    nobody = log.withColumn("AnonID", F.when(F.pmod(F.xxhash64("Query"), F.lit(50)) > 0, F.col("AnonID")))
    n = nobody.filter("AnonID is null").count()
    with pytest.raises(lethe.Error, match=f"^{n} rows have no user"):
        publish(nobody, [("clump", {"k": 3})], tmp_path / "made")
    assert os.listdir(tmp_path) == []


def test_numbers_of_parts() -> None:
    assert _groups.parts_of(20, 5, None) == 1
    assert _groups.parts_of(30_000, 5, None) == 20
    assert _groups.parts_of(5, 5, None) == 1
    assert _groups.parts_of(100, 5, 10) == 10
    with pytest.raises(lethe.Error, match="at most 10"):
        _groups.parts_of(100, 5, 11)


def test_bands_are_quarters_of_powers_of_two(spark: SparkSession) -> None:
    lengths = [1, 2, 3, 4, 15, 16, 17, 1000, 32767, 10**6]
    bands = spark.createDataFrame([(n,) for n in lengths], "n bigint").select(_groups._band(F.col("n")))
    assert [row[0] for row in bands.collect()] == [(min(n, 32767)**4).bit_length() - 1 for n in lengths]


@pytest.mark.parametrize("chain, options, message", [
    ([("threshold", {"t": 3}), ("clump", {"k": 3})], {}, "threshold cannot come before clump"),
    ([("clump", {"k": 3})], {"parts": 50}, "at most 15"),
    ([("microagg", {"k": 3, "min_users": 80})], {}, r"part \d: nothing is left"),
])
def test_refusals_leave_nothing(log: DataFrame, tmp_path: Path, chain: Any, options: Any, message: str) -> None:
    with pytest.raises(lethe.Error, match=message):
        publish(log, chain, tmp_path / "out", **options)
    assert os.listdir(tmp_path) == []


def test_a_worker_that_dies(log: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Path) -> None:
    """Local mode does not try again: an error, and nothing is left."""
    monkeypatch.setattr(_groups, "_part", _dies)
    with pytest.raises(lethe.Error, match="Spark job failed"):
        publish(log, [("clump", {"k": 3})], tmp_path / "out", key_file=str(key))
    assert os.listdir(tmp_path) == []


def _dies(key: Any, batches: Any, **more: Any) -> Any:
    os._exit(1)


def test_an_attempt_that_comes_late_changes_nothing(tmp_path: Path) -> None:
    for name in ("part-00000", "part-00000.7"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(json.dumps(name), encoding="utf-8")
    _groups._take_name(str(tmp_path / "part-00000.7"), str(tmp_path / "part-00000"))
    assert os.listdir(tmp_path) == ["part-00000"]
    assert json.loads((tmp_path / "part-00000" / "manifest.json").read_text()) == "part-00000"
