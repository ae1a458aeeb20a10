# SPDX-License-Identifier: Apache-2.0
"""Releases of logs on Spark have the program's bytes, whatever happens to tasks, or there is none."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import lethe
import lethe.spark as ls
from conftest import lethe as program
from lethe.spark import _log

COLUMNS = ("AnonID", "Query", "QueryTime", "ItemRank", "ClickURL")


def read(path: Path) -> pa.Table:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return pa.table({name: pa.array([row[i] or None for row in rows], pa.string())
                     for i, name in enumerate(COLUMNS)})


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In order of texts, which ties of disconnect are decided by."""
    path = tmp_path_factory.mktemp("log") / "log.tsv"
    program("synth", "--users", 60, "--seed", 3, "-o", path, "-q")
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    cells.sort(key=lambda c: (c[1].encode(), c[0].encode(), c[2], int(c[3] or 0), c[4].encode()))
    path.write_text("\n".join([head, *("\t".join(c) for c in cells)]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def df(spark: SparkSession, log: Path) -> DataFrame:
    return spark.createDataFrame(read(log)).repartition(3).cache()


def data(folder: Path) -> bytes:
    names = sorted(p.name for p in folder.iterdir() if p.name.startswith(("part-", "data.")))
    return b"".join((folder / name).read_bytes() for name in names)


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del found["files"]
    return found


def same(folder: Path, chain: list[tuple[str, dict[str, Any]]], log: Path, key: Path, tmp_path: Path,
         **options: Any) -> None:
    """Is it what the program makes of the same log?"""
    made = lethe.chain(str(log))
    for name, values in chain:
        made = getattr(made, name)(**values)
    made.release(tmp_path / "program", key_file=key, **options)
    assert data(folder) == data(tmp_path / "program")
    assert manifest(folder) == manifest(tmp_path / "program")
    assert lethe.verify(folder)


CHAINS: list[tuple[list[tuple[str, dict[str, Any]]], dict[str, Any]]] = [
    ([("scrub", {})], {}),
    ([("scrub", {"kinds": ["email", "phone", "person"], "action": "drop"})], {"time": "exact", "urls": "keep"}),
    ([("threshold", {"t": 3, "same": "exact"})], {"time": "week"}),
    ([("scrub", {}), ("threshold", {"t": 3}), ("split", {"by": "day"})], {"report": True, "title": "A log"}),
    ([("threshold", {"t": 2, "rare": "hash", "by": "queries"})], {"urls": "id", "time": "hour"}),
    ([("split", {"by": "interest", "top": 3}), ("scrub", {})], {}),
    ([("split", {"by": "gap", "gap": "20m"}), ("seal", {"t": 2, "epoch": "7d"})], {"urls": "drop"}),
    ([("threshold", {"t": 2, "clicks": "all"}), ("seal", {"t": 2, "n": 3, "keep_clicks": True})],
     {"keep_users": True}),
    ([("disconnect", {"min_urls": "none"})], {}),
]


@pytest.mark.parametrize(("chain", "options"), CHAINS, ids=lambda v: "-".join(s[0] for s in v) if isinstance(
    v, list) else "")
def test_a_release_has_the_programs_bytes(df: DataFrame, log: Path, key: Path, tmp_path: Path,
                                          chain: list[tuple[str, dict[str, Any]]], options: dict[str, Any]) -> None:
    release = ls.release(df, chain, tmp_path / "spark", key_file=key, parts=3, **options)
    assert release.counts["read"] == df.count()
    same(tmp_path / "spark", chain, log, key, tmp_path, **options)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["program", "spark"]


def test_rows_that_readers_refuse(spark: SparkSession, key: Path, tmp_path: Path) -> None:
    draw = random.Random(5)
    users = [None, "", " u1 ", "u1", "u2", "ü", "u3", "u 4", "x" * 70, "#"]
    texts = ["Flowers", " flowers  shop ", "ﬂowers", "caf\u00e9", "cafe\u0301", "a b", "call 212-555-0187", "x@example.com"]
    urls = [None, "", "http://www.example.com/a?b=c", "example.org", "http://[::1]/", "nothing", "ftp://a.b/c d"]
    rows = [{"client_id": draw.choice(users[2:]), "user_query": draw.choice(texts), "url": draw.choice(urls),
             "rank": draw.choice([None, 1, 20]), "timestamp": 1141228880 + draw.randrange(10**6)}
            for _ in range(3000)]
    for i in range(0, 200, 2):
        rows[i]["client_id"] = draw.choice(users)
        rows[i + 1]["user_query"] = draw.choice([None, "", "  "])
    table = pa.Table.from_pylist(rows)
    table = table.set_column(4, "timestamp", table.column("timestamp").cast(pa.timestamp("s", tz="UTC")))
    df = spark.createDataFrame(table).repartition(4)
    assert df.schema["timestamp"].dataType.typeName() == "timestamp"
    steps: list[tuple[str, dict[str, Any]]] = [("scrub", {}), ("threshold", {"t": 2})]
    made = ls.release(df, steps, tmp_path / "spark", key_file=key, time="exact")
    assert made.counts["rejected"] > 0
    lethe.chain(table).scrub().threshold(t=2).release(tmp_path / "program", key_file=key, time="exact")
    assert data(tmp_path / "spark") == data(tmp_path / "program")
    assert manifest(tmp_path / "spark") == manifest(tmp_path / "program")


def test_a_log_without_times_and_clicks(df: DataFrame, key: Path, tmp_path: Path) -> None:
    few = df.selectExpr("AnonID member", "Query query", "ClickURL url")
    names = {"user": "member"}
    steps: list[tuple[str, dict[str, Any]]] = [("scrub", {}), ("threshold", {"t": 3}), ("split", {"by": "query"})]
    ls.release(few, steps, tmp_path / "spark", columns=names, key_file=key)
    columns = "user=member,query=query,url=url"
    lethe.chain(few.toArrow(), columns=columns).scrub().threshold(t=3).split(by="query").release(
        tmp_path / "program", key_file=key)
    assert data(tmp_path / "spark").count(b"\n") == data(tmp_path / "program").count(b"\n")
    ls.release(few, steps[:2], tmp_path / "two", columns=names, key_file=key)
    lethe.chain(few.toArrow(), columns=columns).scrub().threshold(t=3).release(tmp_path / "program", key_file=key,
                                                                            force=True)
    assert data(tmp_path / "two") == data(tmp_path / "program")
    with pytest.raises(lethe.Error, match="no row has a time"):
        ls.release(few, [("split", {"by": "day"})], tmp_path / "three", columns=names)


# --- tasks and executors that die ---


def dies_once(marker: str, always: bool = False) -> Any:
    """A function of batches that ends its process the first time it is in the middle of its rows."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                if not always:
                    continue
            os._exit(1)

    return run


def test_a_worker_that_dies_changes_nothing(df: DataFrame, log: Path, key: Path, tmp_path: Path) -> None:
    chain: list[tuple[str, dict[str, Any]]] = [("scrub", {}), ("threshold", {"t": 3})]
    dying = df.mapInArrow(dies_once(str(tmp_path / "marker")), df.schema)
    ls.release(dying, chain, tmp_path / "spark", key_file=key)
    assert (tmp_path / "marker").exists()
    same(tmp_path / "spark", chain, log, key, tmp_path)


def test_a_writer_that_dies_writes_its_part_again(spark: SparkSession, tmp_path: Path) -> None:
    lines = [f"{i * 7919 % 1000:04}\tä" for i in range(1000)]
    df = spark.createDataFrame(pa.table({"line": lines}))
    once = df.repartitionByRange(3, "line").sortWithinPartitions("line") \
        .mapInArrow(dies_once(str(tmp_path / "marker")), df.schema)
    folder = tmp_path / "parts"
    folder.mkdir()
    rows = once.mapInArrow(lambda batches: _log._write(batches, str(folder)), "part int, rows bigint").collect()
    assert sum(r["rows"] for r in rows) == 1000
    names = sorted(n for n in os.listdir(folder) if "." not in n)
    assert len(names) == len(rows)
    assert "".join((folder / n).read_text(encoding="utf-8") for n in names).splitlines() == sorted(lines)


def test_a_job_that_fails_leaves_nothing(df: DataFrame, tmp_path: Path) -> None:
    dying = df.mapInArrow(dies_once(str(tmp_path / "marker"), always=True), df.schema)
    with pytest.raises(lethe.Error, match="a Python worker died") as e:
        ls.release(dying, "scrub", tmp_path / "spark")
    assert e.value.code == "io"
    assert os.listdir(tmp_path) == ["marker"]


CLUSTER = '''
import os, sys
from pathlib import Path
from pyspark.sql import SparkSession
import lethe.spark as ls
source, out, key, events, quiet = sys.argv[1:]
spark = (SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
         .config("spark.sql.shuffle.partitions", "3").config("spark.driver.host", "127.0.0.1")
         .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", events)
         .config("spark.eventLog.compress", "false")
         .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={quiet}")
         .config("spark.executor.extraJavaOptions", f"-Dlog4j2.configurationFile={quiet}").getOrCreate())

def kill_executor(batches):
    """Once, the process of the executor that this worker belongs to."""
    for batch in batches:
        yield batch
        try:
            os.close(os.open(out + ".killed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        with open(f"/proc/{os.getppid()}/stat") as f:
            os.kill(int(f.read().rpartition(")")[2].split()[1]), 9)

df = spark.read.parquet(source).repartition(3)
df = df.mapInArrow(kill_executor, df.schema)
release = ls.release(df, [("scrub", {}), ("split", {"by": "day"})], out, key_file=key)
assert ls.verify(release)
spark.stop()
'''


def test_a_cluster_that_loses_an_executor(log: Path, key: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(read(log), tmp_path / "log.parquet")
    (tmp_path / "events").mkdir()
    (tmp_path / "quiet").write_text("rootLogger.level = off\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", CLUSTER, tmp_path / "log.parquet", tmp_path / "spark", key,
                           tmp_path / "events", tmp_path / "quiet"], capture_output=True, text=True, check=False,
                          cwd=tmp_path, env={**os.environ, "PYSPARK_PYTHON": sys.executable})
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "spark.killed").exists()
    chain: list[tuple[str, dict[str, Any]]] = [("scrub", {}), ("split", {"by": "day"})]
    same(tmp_path / "spark", chain, log, key, tmp_path)
    secret = key.read_bytes()
    logs = [p for p in (tmp_path / "events").rglob("*") if p.is_file()]
    assert logs
    for path in logs:
        content = path.read_bytes()
        assert secret not in content and secret.hex().encode() not in content
    assert not [p for p in os.listdir(tmp_path) if p.startswith(".lethe")]


# --- what is refused ---


def test_what_is_wrong_is_said_before_anything_is_written(df: DataFrame, key: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    existing = tmp_path / "there"
    existing.mkdir()
    t = ("threshold", {"t": 3})
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (df.drop("Query"), {}, "no column is known to hold the query: there are AnonID, QueryTime"),
        (df, {"columns": {"user": "client"}}, "there is no column 'client'"),
        (df, {"columns": {"owner": "AnonID"}}, "columns: keys are user, query"),
        (df, {"key_file": tmp_path / "none"}, "no such file"),
        (df, {"key_file": b"0123456789abcdef0123456789abcdef"}, "key_file is the path of a file"),
        (df, {"out": existing}, "exists: choose another folder"),
        (df, {"out": tmp_path / "new" / "folder" / "out", "chain": [("threshold", {"t": 5000})]}, "nothing is left"),
        (df, {"out": "s3://bucket/release"}, "storage that driver and executors share"),
        (df.drop("QueryTime"), {"chain": [("seal", {"epoch": "7d"})]}, "no row has a time: epoch needs times"),
        (df, {"chain": "shred"}, "there is no method 'shred'"),
        (df, {"chain": []}, "the chain is empty"),
        (df, {"chain": [t, ("scrub", {})]}, "scrub may leave out clicks that threshold has counted"),
        (df, {"chain": [("split", {}), t, ("seal", {})]}, "seal cannot run on Spark behind split"),
        (df, {"chain": [("split", {}), ("split", {"by": "query"}), t]}, "split cannot run on Spark behind split"),
        (df, {"chain": ("threshold", {"t": 3})}, "a chain is a list of names and of"),
        (df, {"columns": "user=AnonID"}, "columns is a dict"),
        (df, {"parts": True}, "parts is a number"),
        (df, {"runtime": {}}, "there is no option 'runtime'"),
        (df, {"chain": [("clump", {"k": 3})], "time": "hour"}, "clump has no option 'time'"),
        (df, {"chain": [("lplus", {"k": 2, "qi": "AnonID"})], "item": "Query"}, "'item' is an option of sets"),
        (df, {"time": "minute"}, "time is one of"),
        (df, {"parts": 0}, "parts is a number"),
        (df, {"kept": 1}, "there is no option 'kept'"),
        (df.limit(0), {}, "the data frame is empty"),
        (df.withColumn("Query", df["Query"].substr(1, 0)), {}, "nothing is left to publish"),
        (df.selectExpr("cast(null as string) AnonID", "Query"), {}, "rejected .*no user"),
        (df.selectExpr("AnonID", "array(Query) Query"), {}, "column 'Query' holds array"),
    ]
    for frame, given, message in cases:
        values = {"chain": [t], "out": out, **given}
        with pytest.raises(lethe.Error, match=message):
            ls.release(frame, values.pop("chain"), values.pop("out"), **values)
        assert sorted(os.listdir(tmp_path)) == ["there"], message


def test_users_that_are_null_are_counted_and_named(df: DataFrame, tmp_path: Path,
                                                   caplog: pytest.LogCaptureFixture) -> None:
    few = df.selectExpr("if(hash(Query) % 50 = 0, null, AnonID) AnonID", "Query")
    made = ls.release(few, "scrub", tmp_path / "out")
    assert made.counts["rejected"] > 0
    assert "no user" in caplog.text


def test_an_existing_release_is_replaced_only_by_force(df: DataFrame, key: Path, tmp_path: Path) -> None:
    ls.release(df, "scrub", tmp_path / "out", key_file=key)
    before = data(tmp_path / "out")
    ls.release(df, [("threshold", {"t": 3})], tmp_path / "out", key_file=key, force=True)
    assert data(tmp_path / "out") != before
    assert os.listdir(tmp_path) == ["out"]


# --- verify ---


def forge(folder: Path, change: Any) -> None:
    """Changes lines, and the manifest so that it describes the files that there are."""
    path = folder / "part-00001.tsv"
    path.write_bytes(change(path.read_bytes()))
    told = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for file in told["files"]:
        content = (folder / file["name"]).read_bytes()
        file["bytes"] = len(content)
        file["blake2b"] = hashlib.blake2b(content, digest_size=32).hexdigest()
    lines = data(folder).count(b"\n") - 1
    told["counts"]["suppressed"] += told["counts"]["published"] - lines
    told["counts"]["published"] = lines
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")


def test_a_release_that_is_broken_on_purpose_is_refused(spark: SparkSession, df: DataFrame, tmp_path: Path) -> None:
    good = tmp_path / "good"
    ls.release(df, [("scrub", {}), ("threshold", {"t": 3})], good, parts=3)
    assert ls.verify(good)
    assert ls.verify(good, spark)
    changes = {
        "rare": lambda b: b.replace(b.split(b"\n")[0], b.split(b"\n")[0].replace(b"\t", b"\tzz rare ", 1), 1),
        "email": lambda b: b.replace(b.split(b"\n")[0].split(b"\t")[1], b"mail joe@example.com"),
        "order": lambda b: b"\n".join([*b.split(b"\n")[1:-1], b.split(b"\n")[0]]) + b"\n",
        "fields": lambda b: b.replace(b"\t", b"\t\t", 1),
        "header": lambda b: b"\t".join(c.encode() for c in COLUMNS) + b"\n" + b,
        "end": lambda b: b[:-1],
    }
    for name, change in changes.items():
        bad = tmp_path / name
        shutil.copytree(good, bad)
        forge(bad, change)
        assert not ls.verify(bad), name
        assert not ls.verify(bad, spark), name
    for name in ("digest", "stranger", "missing"):
        bad = tmp_path / name
        shutil.copytree(good, bad)
        if name == "digest":
            with open(bad / "part-00001.tsv", "ab") as f:
                f.write(b"z\tq\t\t\t\n")
        elif name == "stranger":
            (bad / "_SUCCESS").touch()
        else:
            (bad / "part-00002.tsv").unlink()
        assert not ls.verify(bad), name
        assert not ls.verify(bad, spark), name


def test_a_promise_or_a_form_that_is_forged_is_refused(quick: SparkSession, df: DataFrame, tmp_path: Path) -> None:
    good = tmp_path / "good"
    ls.release(df, [("scrub", {}), ("threshold", {"t": 3})], good, parts=1)
    assert ls.verify(good, quick)

    def field(i: int, value: bytes) -> Any:
        """The last line, and once more with another field."""
        def change(content: bytes) -> bytes:
            cells = content.split(b"\n")[-2].split(b"\t")
            lines = [*content.split(b"\n")[:-1], b"\t".join([*cells[:i], value, *cells[i + 1:]])]
            return b"\n".join(sorted(lines)) + b"\n"
        return change

    fields = {"user": field(0, b"Joe Smith"), "query": field(1, b"  Joe"), "time": field(2, b"2006-03-01 12:13:14"),
              "rank": field(3, b"joe"), "url": field(4, b"http://example.com/joe"), "line end": field(3, b"1\r")}
    manifests: dict[str, Any] = {
        "t": lambda m: m["claims"][1].update(t=1), "by": lambda m: m["claims"][1].update(by="rows"),
        "exempt": lambda m: m["claims"][1].update(rare="hash"), "clicks": lambda m: m["claims"][1].pop("clicked"),
        "kinds": lambda m: m["claims"][0].update(kinds=["email"]), "dropped": lambda m: m["claims"].pop(),
        "counts": lambda m: m["counts"].update(read=1),
    }
    for name in (*fields, *manifests):
        bad = tmp_path / name
        shutil.copytree(good, bad)
        forge(bad, fields.get(name, lambda b: b))
        told = json.loads((bad / "manifest.json").read_text(encoding="utf-8"))
        manifests.get(name, lambda m: None)(told)
        (bad / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
        assert not ls.verify(bad), name
        assert not ls.verify(bad, quick), name
    for change in (lambda m: m["steps"].clear(), lambda m: m["files"].append({"name": "manifest.json", "bytes": 1})):
        told = json.loads((good / "manifest.json").read_text(encoding="utf-8"))
        change(told)
        (tmp_path / "t" / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
        with pytest.raises(lethe.Error, match="not a manifest of lethe|only the release of a log"):
            ls.verify(tmp_path / "t", quick)


def test_how_rows_are_published_is_known_to_verify(quick: SparkSession, df: DataFrame, tmp_path: Path) -> None:
    for i, how in enumerate(({"time": "exact", "urls": "id", "keep_users": True}, {"time": "week", "urls": "drop"})):
        ls.release(df, [("threshold", {"t": 3, "rare": "hash"})], tmp_path / str(i), report=i == 0, **how)
        assert ls.verify(tmp_path / str(i), quick), how


def test_what_cannot_be_counted_is_not_said_to_hold(spark: SparkSession, df: DataFrame, tmp_path: Path) -> None:
    ls.release(df, [("split", {"by": "day"})], tmp_path / "out")
    assert ls.verify(tmp_path / "out")
    with pytest.raises(lethe.Error, match="cannot be counted on Spark"):
        ls.verify(tmp_path / "out", spark)


# --- steps ---


def test_a_click_without_a_text_is_scrubbed_too(quick: SparkSession) -> None:
    url = "http://example.com/?mail=joe@example.org"
    rows = [(1, None, url), (2, " ", url), (3, "Joe@example.org", url), (4, "x\ty", url)]
    found = quick.createDataFrame(rows, "id int, query string, url string").transform(ls.scrub()).collect()
    assert sorted(tuple(r) for r in found) == [(1, None, "example.com"), (2, " ", "example.com"),
                                               (3, "[email]", "example.com")]


def test_steps_give_the_rows_of_a_release(df: DataFrame, log: Path, key: Path, tmp_path: Path) -> None:
    def rows(frame: DataFrame) -> list[str]:
        return sorted("\t".join("" if v is None else str(v) for v in row) for row in frame.collect())

    def released(chain: Any) -> list[str]:
        made = lethe.chain(str(log))
        for name, values in chain:
            made = getattr(made, name)(**values)
        made.release(tmp_path / "out", key_file=key, keep_users=True, time="exact", urls="keep", force=True)
        skip = 2 if chain[-1][0] == "seal" else 1
        return sorted((tmp_path / "out" / "data.tsv").read_text(encoding="utf-8").splitlines()[skip:])

    step = ls.scrub(kinds=["url", "email", "person"], action="drop")
    assert rows(df.transform(step)) == released([("scrub", {"kinds": ["url", "email", "person"], "action": "drop"})])
    both = df.transform(ls.scrub()).transform(ls.threshold(
        t=3, user="AnonID", query="Query", url="ClickURL", rank="ItemRank", urls="host"))
    assert rows(both) == released([("scrub", {}), ("threshold", {"t": 3})])
    assert rows(df.transform(ls.split(key_file=key, by="day"))) == released([("split", {"by": "day"})])
    sealed = df.transform(ls.seal(key_file=key, t=2, times="exact", urls="keep"))
    lethe.seal(str(log), t=2, output=tmp_path / "sealed", key_file=key, time="exact", urls="keep")
    assert rows(sealed) == sorted((tmp_path / "sealed" / "data.tsv").read_text(encoding="utf-8").splitlines()[2:])


def test_columns_that_steps_cannot_take(quick: SparkSession, tmp_path: Path) -> None:
    two = quick.createDataFrame([("a", "b", "c")], ["user", "query", "query"])
    with pytest.raises(lethe.Error, match="two columns are called 'query'"):
        ls.release(two, "scrub", tmp_path / "out")
    with pytest.raises(lethe.Error, match="column 'query' is no text"):
        quick.createDataFrame([(5,)], ["query"]).transform(ls.scrub())
    odd = quick.createDataFrame([("a", "b")] * 3, ["u.s`er", "q q"])
    assert ls.release(odd, "scrub", tmp_path / "out", columns={"user": "u.s`er", "query": "q q"}).counts["published"] == 3
    with pytest.raises(lethe.Error, match="'results' is an option of verify without a session"):
        ls.verify(tmp_path / "out", quick, results="x")


def test_an_error_does_not_show_rows(quick: SparkSession, tmp_path: Path) -> None:
    df = quick.createDataFrame([("joe secret", "b")], ["user", "query"]).selectExpr("cast(user as int) user", "query")
    with pytest.raises(lethe.Error, match="the Spark job failed") as e:
        ls.release(df, "scrub", tmp_path / "out")
    assert "joe" not in "".join(traceback.format_exception(e.value))
