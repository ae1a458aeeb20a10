# SPDX-License-Identifier: Apache-2.0
"""ls.threshold and the method on canonical rows: the same rows as the program's."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import lethe
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import lethe as python_lethe
import lethe.spark as ls
from lethe.spark._threshold import threshold_rows

COLUMNS = ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]
Row = tuple[str, ...]


def texts(rng: random.Random) -> list[str]:
    """Texts that are one, nearly one, or look like what they are not."""
    words = ["red", "car", "cars", "ties", "tie", "buses", "bus", "caf\u00e9", "cafe\u0301", "[email]"]
    some = [" ".join(rng.sample(words, rng.randint(1, 3))) for _ in range(12)]
    hashes = ["#" + "0123456789abcdef" * 2, "#" + "f" * 32, "#"]
    signs = ["red, car!", "\"car red\"", "RED  CAR", " red car ", "...", "\u212b", "\u00c5", "\uff32ed car"]
    return some + hashes + signs + ["", " "]


def write_log(path: Path, rng: random.Random, n: int = 150) -> list[Row]:
    known = texts(rng)
    urls = ["", "", "http://a.com/x", "http://a.com/y", "http://www.b.org", "no host",
            "http://abcdefghijklmnop/", "https://A.com/z?q=1", " http://a.com/x "]
    rows: list[Row] = []
    for _ in range(n):
        url = rng.choice(urls)
        day, hour = rng.randint(1, 28), rng.choice([0, 1, 23])
        rows.append((f"u{rng.randint(1, 20)}", rng.choice(known),
                     f"2006-0{rng.randint(1, 3)}-{day:02} {hour:02}:00:0{rng.randint(0, 1)}",
                     str(rng.randint(1, 3)) if url else "", url))
    with path.open("w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(rows)
    return rows


def frame(spark: SparkSession, rows: list[Row]) -> DataFrame:
    df = spark.createDataFrame(rows, [*COLUMNS])
    return df.select("AnonID", F.when(F.col("Query") != "", F.col("Query")).alias("Query"),
                     F.to_timestamp_ntz("QueryTime", F.lit("yyyy-MM-dd HH:mm:ss")).alias("QueryTime"),
                     F.when(F.col("ItemRank") != "", F.col("ItemRank").cast("int")).alias("ItemRank"),
                     F.when(F.col("ClickURL") != "", F.col("ClickURL")).alias("ClickURL"))


def canonical(spark: SparkSession, rows: list[Row]) -> DataFrame:
    found = frame(spark, [(u, python_lethe.normal_form(q), *rest) for u, q, *rest in rows])
    return found.where("Query != ''").select(
        F.col("AnonID").alias("owner"), F.col("AnonID").alias("user"), F.col("Query").alias("query"),
        F.expr("timestampdiff(SECOND, timestamp_ntz'1970-01-01', QueryTime)").alias("time"),
        F.col("ItemRank").alias("rank"), F.trim("ClickURL").alias("url"))


def shown(df: DataFrame) -> Counter[Row]:
    """Rows as the program writes them."""
    return Counter(tuple("" if v is None else str(v) for v in row) for row in df.collect())


def program(path: Path, *options: str) -> Counter[Row]:
    lines = lethe("threshold", path, *options, "--keep-users", "-o", "-", "-q").splitlines()
    return Counter(tuple(line.split("\t")) for line in lines[1:])


OPTIONS = [{}, {"same": "exact"}, {"by": "queries"}, {"by": "rows"}, {"by": "queries", "same": "exact"},
           {"clicks": "all"}, {"rare": "hash"}, {"rare": "hash", "same": "exact", "by": "rows"}]


@pytest.mark.parametrize("seed, urls, given",
                         [(i, ("keep", "host")[i % 2], o) for i, o in enumerate(OPTIONS)])
def test_the_transform_keeps_the_programs_rows(quick: SparkSession, tmp_path: Path, key: Path,
                                               seed: int, urls: str, given: dict[str, str]) -> None:
    rows = write_log(tmp_path / "log.csv", random.Random(seed))
    hashed = {"key_file": str(key)} if "rare" in given else {}
    t = (7, 3)[seed % 2]  # with many, texts of the same words have enough only together
    out = frame(quick, rows).transform(ls.threshold(
        t, user="AnonID", query="Query", time="QueryTime", rank="ItemRank", url="ClickURL", urls=urls,
        **given, **hashed)).select("AnonID", "Query", F.date_format("QueryTime", "yyyy-MM-dd HH:mm:ss"),
                                   "ItemRank", F.trim("ClickURL"))
    words = [f"--{name}={value}" for name, value in given.items()]
    words += ["--key-file", str(key)] if hashed else []
    want = program(tmp_path / "log.csv", "-t", str(t), *words, "--time", "exact", "--urls", urls)
    assert len(want) > 20
    got = shown(out)
    # the transform leaves the URL as it is; a release by host has the host
    assert got == want if urls == "keep" else Counter(cut(row) for row in got.elements()) == want


def cut(row: Row) -> Row:
    host = python_lethe.url_host(row[4]) if row[4] else ""
    return (*row[:3], row[3] if host or not row[4] else "", host)


@pytest.mark.parametrize("seed, times, given", [
    (1, "week", {"by": "queries"}), (2, "month", {"by": "queries", "rare": "hash"}),
    (3, "drop", {"by": "queries"}), (4, "hour", {"by": "queries", "same": "exact"}),
    (5, "day", {"by": "users"})])
def test_canonical_rows_and_figures(quick: SparkSession, tmp_path: Path, key: Path, seed: int, times: str,
                                    given: dict[str, Any]) -> None:
    rows = write_log(tmp_path / "log.csv", random.Random(seed))
    out, figures, free = threshold_rows(canonical(quick, rows), {"t": 3, **given}, times, "host", str(key))
    name, folder = str(tmp_path / "log.csv"), tmp_path / "release"
    lethe("threshold", name, "-t", "3", *(f"--{k}={v}" for k, v in given.items()), "--time", times,
          "--key-file", key, "--keep-users", "-q", "-o", folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    want = Counter(tuple(line.split("\t")) for line in
                   (folder / "data.tsv").read_text(encoding="utf-8").splitlines()[1:])
    got: Counter[Row] = Counter()
    for r in out.collect():
        row = (r["user"], r["query"], r["rank"], r["url"])
        got[cut((row[0], row[1], "", "" if row[2] is None else str(row[2]), row[3] or ""))] += 1
    assert got == Counter((r[0], r[1], "", r[3], r[4]) for r in want.elements())
    metrics = manifest["steps"][-1].get("metrics", manifest.get("metrics"))
    assert figures.first().asDict() == {k: metrics[k] for k in figures.columns}
    free()


@pytest.mark.parametrize("seed, by, same", [(1, "queries", "words"), (2, "users", "exact")])
def test_counts(quick: SparkSession, tmp_path: Path, seed: int, by: str, same: str) -> None:
    rows = write_log(tmp_path / "log.csv", random.Random(seed))
    got = frame(quick, rows).transform(ls.threshold(2, user="AnonID", query="Query", time="QueryTime",
                                                    by=by, same=same, as_="counts"))
    lines = lethe("threshold", tmp_path / "log.csv", "-t", "2", "--by", by, "--same", same,
                  "--as", "counts", "-o", "-", "-q").splitlines()
    assert shown(got) == Counter(tuple(line.split("\t")) for line in lines[1:])


def test_a_synthetic_log(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    lethe("synth", "--users", "300", "--queries-per-user", "20", "--seed", "1", "-q", "-o", log)
    df = spark.read.csv(str(log), sep="\t", header=True, quote="", escape="", inferSchema=False)
    for same in ("words", "exact"):
        out = df.transform(ls.threshold(5, user="AnonID", query="Query", url="ClickURL", rank="ItemRank",
                                        urls="keep", same=same))
        assert shown(out) == program(log, "-t", "5", "--same", same, "--time", "exact", "--urls", "keep")


def test_rows_that_are_no_rows_of_a_log(quick: SparkSession) -> None:
    df = quick.createDataFrame([("u1", "a", 1), (None, "a", 2), ("u2", "a\tb", 3), ("u2", None, 4),
                                (" ", "a", 5), (" u2 ", "A ", 6), ("u3", "\n", 7), ("u2", "a\n", 8)],
                               "`the user` string, query string, n int")
    out = df.transform(ls.threshold(2, user="the user", query="query", same="exact"))
    assert sorted(r["n"] for r in out.collect()) == [1, 6]
    assert out.columns == df.columns


def test_any_names_of_columns(quick: SparkSession) -> None:
    names = ["key", "best", "rows", "n", "text", "users", "total", "least", "time", "is.kept", "query"]
    df = quick.createDataFrame([(f"u{i}", *"abcdefgh", text, "http://a.com/" + "xy"[i % 2])
                                for i, text in enumerate(["car red", "red cars", "red car", "x"])], names)
    out = df.transform(ls.threshold(2, user="key", query="is.kept", url="query", urls="host"))
    assert out.columns == names and {r["key"] for r in out.collect()} == {"u0", "u1", "u2"}
    assert {r["is.kept"] for r in out.collect()} == {"car red"}


def test_rows_without_a_time(quick: SparkSession) -> None:
    df = quick.sql("select * from values ('u1', 'a', timestamp'2006-03-01'), ('u2', 'a', null) "
                   "as t(u, q, at)")
    assert df.transform(ls.threshold(2, user="u", query="q", same="exact")).count() == 2
    assert df.transform(ls.threshold(2, user="u", query="q", time="at", same="exact")).count() == 0


def test_errors(quick: SparkSession) -> None:
    df = quick.createDataFrame([("u1", "a", 1)], "user string, query string, n int")
    with pytest.raises(python_lethe.Error, match=r"unknown column 'usr': the columns are user, query, n "
                                                 r"\(did you mean 'user'\?\)"):
        df.transform(ls.threshold(2, user="usr", query="query"))
    with pytest.raises(python_lethe.Error, match="a query is a text"):
        df.transform(ls.threshold(2, user="user", query="n"))
    for wrong in ({"t": 0}, {"by": "person"}, {"rare": "hash"}, {"by": "queries"},
                  {"rare": "hash", "as_": "counts", "key_file": "k"}):
        with pytest.raises(python_lethe.Error) as e:
            ls.threshold(**{"t": 2, "user": "user", "query": "query", **wrong})
        assert e.value.code == "usage"
