# SPDX-License-Identifier: Apache-2.0
"""Tables and sets: the program's release of the same data, byte for byte."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import lethe
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from lethe import Error, NothingPublished
from lethe.spark._weighted import publish

COLUMNS = ["age", "sex", "zip", "work", "disease", "unused"]


@pytest.fixture(scope="module")
def adults() -> list[tuple[Any, ...]]:
    rng = random.Random(7)
    return [(17 + min(rng.randint(0, 60), rng.randint(0, 60)), rng.choice("fm"),
             f"9{rng.randint(0, 3)}{rng.randint(0, 2)}", rng.choice(["private", "state", "", "self, inc"]),
             rng.choice(["flu", "flu", "asthma", "gout", "measles"]), i) for i in range(1500)]


@pytest.fixture(scope="module")
def table(spark: SparkSession, adults: list[tuple[Any, ...]]) -> DataFrame:
    df = spark.createDataFrame(adults, COLUMNS).repartition(7)
    return df.withColumn("work", F.when(F.col("work") != "", F.col("work")))


@pytest.fixture(scope="module")
def table_file(adults: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "adults.csv"
    with path.open("w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(adults)
    return path


def same_release(made: Any, folder: Path) -> None:
    names = sorted(p.name for p in folder.iterdir())
    assert sorted(p.name for p in Path(made.folder).iterdir()) == names
    for name in names:
        if name != "manifest.json":
            assert (Path(made.folder) / name).read_bytes() == (folder / name).read_bytes(), name
    want = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for key in ("claims", "counts", "metrics", "steps", "files", "caveats"):
        assert made.manifest.get(key) == want.get(key), key
    assert made.verify()


def words(options: dict[str, Any]) -> list[str]:
    return [word for name, value in options.items()
            for word in ([f"-{name}", str(value)] if len(name) == 1
                         else [f"--{name.rstrip('_').replace('_', '-')}", str(value)])]


@pytest.mark.parametrize("method, options", [
    ("lplus", {"k": 5, "theta": "1/2"}),
    ("incognito", {"k": 4, "distinct_l": 2}),
    ("anneal", {"k": 5, "steps": 200, "keep": "unused"}),
    ("local", {"k": 4, "theta": 0.6}),
    ("local", {"k": 3, "class_": "disease"}),
])
def test_tables(quick: SparkSession, table: DataFrame, table_file: Path, tmp_path: Path, method: str,
                options: dict[str, Any]) -> None:
    how = {"qi": "age,sex,zip,work", "ranges": "age=5,10,20,40", **options}
    if "class_" not in how:
        how["sa"] = "disease"
    made = publish(table, [(method, how)], tmp_path / "spark", {"seed": 4})
    if method == "local":
        table_file = sorted_file(table_file, tmp_path / "sorted.csv")
    lethe(method, table_file, *words(how), "--seed", "4", "-q", "-o", tmp_path / "program")
    same_release(made, tmp_path / "program")


def sorted_file(path: Path, to: Path) -> Path:
    """With the rows in the order of their values, as `local` has them."""
    with path.open(encoding="utf-8", newline="") as f:
        header, *rows = csv.reader(f)
    with to.open("w", encoding="utf-8", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([header, *sorted(rows)])
    return to


def test_values_are_as_spark_writes_them(quick: SparkSession, tmp_path: Path) -> None:
    """Dates, times, decimals and the like: the program reads them from a file that Spark wrote."""
    rng = random.Random(1)
    rows = [(rng.randint(0, 3), rng.choice(["x", "y, z", None])) for _ in range(200)]
    df = quick.createDataFrame(rows, "n int, sa string").select(
        F.when(F.col("n") > 0, F.col("n")).alias("n"), "sa",
        F.date_add(F.lit("2020-02-28"), F.col("n")).alias("day"),
        (F.col("n") / 2 * 1e7).alias("double"), (F.col("n") / 3).cast("float").alias("float"),
        F.col("n").cast("decimal(10,2)").alias("money"), F.col("n").cast("decimal(20,9)").alias("tiny"),
        (F.col("n") > 1).alias("flag"), F.timestamp_seconds(F.col("n") * 7_000_000).alias("time"),
        F.timestamp_seconds(F.col("n") * 1800).cast("timestamp_ntz").alias("local"),
        F.when(F.col("n") > 1, "a").otherwise("A").cast("string collate UTF8_LCASE").alias("Count")).cache()
    df.coalesce(1).write.csv(str(tmp_path / "csv"), header=True)
    [file] = (tmp_path / "csv").glob("part-*.csv")
    how = {"qi": ",".join(name for name in df.columns if name != "sa"), "sa": "sa", "k": 3, "theta": 0.9}
    made = publish(df, [("local", how)], tmp_path / "spark", {"seed": 1})
    file = sorted_file(file, tmp_path / "sorted.csv")
    lethe("local", file, *words(how), "--seed", "1", "-q", "-o", tmp_path / "program")
    same_release(made, tmp_path / "program")
    df.unpersist()


@pytest.fixture(scope="module")
def baskets() -> list[list[str]]:
    rng = random.Random(2)
    items = [f"i{k}" for k in range(12)]
    return [[rng.choice(items) for _ in range(rng.randint(0, 5))] for _ in range(600)]


@pytest.fixture(scope="module")
def goods(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("goods") / "taxonomy.tsv"
    path.write_text("".join(f"i{k}\tg{k // 3}\n" for k in range(12))
                    + "".join(f"g{k}\tall\n" for k in range(4)), encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["og", "mog", "aa", "mm"])
def test_sets(quick: SparkSession, tmp_path: Path, baskets: list[list[str]], goods: Path,
              method: str) -> None:
    how: dict[str, Any] = {"k": 20, "p": 2} if method == "mm" else {"k": 20, "m": 2, "taxonomy": str(goods)}
    (tmp_path / "baskets").write_text("".join(" ".join(b) + "\n" for b in baskets), encoding="utf-8")
    lethe(method, tmp_path / "baskets", *words(how), "--seed", "4", "-q", "-o", tmp_path / "program")
    df = quick.createDataFrame([(i, b) for i, b in enumerate(baskets)], "id int, bought array<string>")
    same_release(publish(df, [(method, how)], tmp_path / "spark", {"seed": 4}), tmp_path / "program")


def test_an_item_per_row(quick: SparkSession, tmp_path: Path, baskets: list[list[str]], goods: Path) -> None:
    how = {"k": 20, "m": 2, "taxonomy": str(goods)}
    rows = [(f"p{i}", item) for i, basket in enumerate(baskets) for item in basket]
    (tmp_path / "rows.csv").write_text("who,what\n" + "".join(f"{u},{i}\n" for u, i in rows),
                                       encoding="utf-8")
    lethe("og", tmp_path / "rows.csv", "--columns", "person=who,item=what", *words(how), "-q",
          "-o", tmp_path / "program")
    df = quick.createDataFrame([*rows, ("p0", None), ("p1", " ")], "who string, what string")
    made = publish(df, [("og", how)], tmp_path / "spark", {"user": "who", "item": "what"})
    assert (tmp_path / "spark" / "data.txt").read_bytes() == (tmp_path / "program" / "data.txt").read_bytes()
    want = json.loads((tmp_path / "program" / "manifest.json").read_text(encoding="utf-8"))
    assert made.manifest["claims"] == want["claims"]
    assert made.counts["read"] == len({u for u, _ in rows})  # persons
    nobody = quick.createDataFrame([("", "i1")], "who string, what string").union(df)
    with pytest.raises(Error, match="has a row without a user"):
        publish(nobody, [("og", how)], tmp_path / "none", {"user": "who", "item": "what"})
    assert not (tmp_path / "none").exists()


def test_what_is_refused(quick: SparkSession, table: DataFrame, tmp_path: Path) -> None:
    out = tmp_path / "none"
    for steps, options, said in (
        ([], {}, "steps are lplus"),
        ([("scrub", {})], {}, "not scrub"),
        ([("lplus", {"k": 5})], {}, "qi is needed"),
        ([("lplus", {"qi": "age,sexx", "k": 5})], {}, "unknown column 'sexx'"),
        ([("lplus", {"qi": "age", "k": 5})], {"sed": 1}, "no option 'sed'"),
        ([("og", {"k": 5, "m": 1})], {}, "items is needed: 0 columns are arrays"),
        ([("og", {"k": 5, "m": 1})], {"items": "age"}, "is no array"),
    ):
        with pytest.raises(Error, match=said):
            publish(table, steps, out, options)
    with pytest.raises(NothingPublished):
        publish(table.limit(3), [("incognito", {"qi": "age", "k": 5})], out, {})
    assert not out.exists()
