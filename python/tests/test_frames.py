# SPDX-License-Identifier: Apache-2.0
"""Data frames and Arrow streams: every method gives the bytes that the program gives."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lethe
from conftest import LOG, data_of, patients
from conftest import lethe as program
from counted import Counted

SEED = 5
RECORDS = {"k": 3, "distinct": True}
QI = {"qi": ["age", "sex"], "ranges": {"age": [5, 10, 20]}}
METHODS: dict[str, dict[str, Any]] = {
    "scrub": {}, "threshold": {"t": 3}, "seal": {"t": 3}, "split": {"by": "gap"},
    "disconnect": {}, "microagg": {"k": 3},
    "aa": {"k": 3, "m": 1}, "og": {"k": 3, "m": 1}, "mog": {"k": 3, "m": 1},
    "mm": {"k": 3, "p": 1}, "clump": RECORDS, "partition": RECORDS,
    "ssg": {"k": 3, "distinct": True},
    "local": {**QI, "k": 3}, "lplus": {**QI, "sa": "disease", "theta": "1/2"},
    "incognito": {**QI, "sa": "disease", "theta": "1/2"},
    "anneal": {**QI, "sa": "disease", "theta": "1/2", "steps": 50},
}
TABLES = {"local", "lplus", "incognito", "anneal"}
LIBRARIES = ["pyarrow", "pandas", "polars", "duckdb", "parquet"]


def in_library(table: pa.Table, library: str, folder: Path) -> Any:
    if library == "pandas":
        return table.to_pandas()
    if library == "polars":
        return pl.from_arrow(table)
    if library == "duckdb":
        return duckdb.connect().from_arrow(table)
    if library == "parquet":
        pq.write_table(table, folder / "data.parquet", row_group_size=100)
        return folder / "data.parquet"
    return table


def command_line(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        dashed = ("-" if len(name) == 1 else "--") + name.replace("_", "-")
        if isinstance(value, dict):
            value = ";".join(f"{k}={','.join(map(str, v))}" for k, v in value.items())
        if isinstance(value, list):
            value = ",".join(value)
        words += [dashed] if value is True else [dashed, str(value)]
    return words


def test_no_method_is_left_out() -> None:
    assert set(METHODS) == {m["name"] for m in lethe.tables()["methods"]}


@pytest.fixture(scope="module")
def by_program(tmp_path_factory: pytest.TempPathFactory, table_file: Path) -> Any:
    """The files that the program publishes, by method."""
    folder = tmp_path_factory.mktemp("program")

    def get(method: str) -> dict[str, bytes]:
        if not (folder / method).exists():
            done = program(method, table_file if method in TABLES else LOG, "--seed", SEED, "-o",
                           folder / method, *command_line(METHODS[method]))
            assert done.returncode == 0, done.stderr
        return data_of(folder / method)

    return get


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("method", METHODS)
def test_methods_give_the_bytes_of_the_program(method, library, log, table, by_program,
                                               tmp_path) -> None:
    data = in_library(table if method in TABLES else log, library, tmp_path)
    r = getattr(lethe, method)(data, seed=SEED, **METHODS[method])
    assert data_of(r) == by_program(method)
    name = r.manifest["files"][0]["name"]
    lines = (Path(r.folder) / name).read_bytes().splitlines()
    header = name != "data.txt"
    assert len(r.frame) == sum(not line.startswith(b"#") for line in lines) - header


def test_frames_come_as_they_went(log: pa.Table, tmp_path: Path) -> None:
    kinds = {"pyarrow": pa.Table, "pandas": pd.DataFrame, "polars": pl.DataFrame,
             "duckdb": pa.Table, "parquet": pa.Table}
    for library, kind in kinds.items():
        r = lethe.threshold(in_library(log, library, tmp_path), t=3, seed=SEED)
        assert isinstance(r.frame, kind) and r.frame is r.frame
    assert isinstance(lethe.threshold(log.to_pylist(), t=3).frame, list)
    lazy = lethe.threshold(pl.from_arrow(log).lazy(), t=3, seed=SEED)
    assert isinstance(lazy.frame, pl.DataFrame)
    polars.testing.assert_frame_equal(pl.DataFrame(lazy), lazy.frame)
    saved = lazy.save(tmp_path / "kept")
    assert lethe.Release(saved.folder).frame.equals(lazy.frame.to_arrow()) or \
        lethe.Release(saved.folder).frame.to_pylist() == lazy.frame.to_dicts()


def test_the_published_rows_are_typed(log: pa.Table, table: pa.Table) -> None:
    assert lethe.threshold(log, t=3).frame.schema.field("ItemRank").type == pa.int64()
    counts = lethe.threshold(log, t=3, as_="counts").frame
    assert counts.column_names == ["item", "count"] and counts["count"].type == pa.int64()
    sets = lethe.clump(log, k=3, distinct=True).frame
    assert pa.types.is_list(sets.schema.field("items").type)
    assert lethe.local(table, k=3, **QI).frame.column_names == ["age", "sex"]


def test_commands_take_frames(log: pa.Table, table: pa.Table) -> None:
    assert lethe.profile(log)["metrics"] == lethe.profile(LOG)["metrics"]
    assert lethe.profile(pl.from_arrow(table))["metrics"]["rows"] == 120
    assert lethe.check(table.to_pandas(), qi=["sex"], k=3)
    frame = log.to_pandas()
    r = lethe.threshold(frame, t=3, map=True)
    assert r.measure(frame)["metrics"] == r.measure(LOG)["metrics"]
    assert r.attack(frame, map=r.map)["metrics"] == r.attack(LOG, map=r.map)["metrics"]
    assert len(lethe.compare(frame, methods="threshold", t=[3, 5])["metrics"]["rows"]) == 2
    assert lethe.publish(frame, goal="counts").verify()
    assert "20-24" in lethe.hierarchy(table, "age").text
    assert r.report(frame, map=r.map).html.startswith("<!DOCTYPE")


def test_several_inputs(log: pa.Table, tmp_path: Path) -> None:
    whole = data_of(lethe.threshold(log, t=3, seed=SEED))
    halves = [log.slice(0, 100), pl.from_arrow(log.slice(100))]
    assert data_of(lethe.threshold(halves, t=3, seed=SEED)) == whole
    pq.write_table(log.slice(0, 100), tmp_path / "a.parquet")
    pq.write_table(log.slice(100), tmp_path / "b.parquet")
    both = [tmp_path / "a.parquet", str(tmp_path / "b.parquet")]
    assert data_of(lethe.threshold(both, t=3, seed=SEED)) == whole
    with pytest.raises(lethe.Error, match="one input"):
        lethe.threshold([tmp_path / "a.parquet", LOG], t=3)


def test_the_index_of_pandas_is_no_data(table: pa.Table) -> None:
    frame = table.to_pandas()
    frame.index = [f"patient {i}" for i in range(len(frame))]
    before = frame.copy()
    r = lethe.local(frame, k=3, **QI)
    assert list(r.frame.columns) == ["age", "sex"]
    assert lethe.profile(frame)["metrics"] == lethe.profile(table)["metrics"]
    pd.testing.assert_frame_equal(frame, before)


def test_slices_dictionaries_views_and_chunks(log: pa.Table) -> None:
    want = data_of(lethe.threshold(log.slice(50, 200), t=2, seed=SEED))
    part = log.slice(50, 200)
    query = part.column_names.index("Query")
    forms = [
        part.combine_chunks(),
        pa.concat_tables([log.slice(50, 1), log.slice(51, 0), log.slice(51, 199)]),
        part.set_column(query, "Query", part["Query"].dictionary_encode()),
        part.set_column(query, "Query", part["Query"].cast(pa.large_string())),
        part.set_column(query, "Query", part["Query"].cast(pa.string_view())),
        part.to_pandas().astype({"Query": "category"}),
        pl.from_arrow(part).with_columns(pl.col("Query").cast(pl.Categorical)),
        pa.RecordBatchReader.from_batches(part.schema, iter(part.to_batches(max_chunksize=7))),
    ]
    for form in forms:
        assert data_of(lethe.threshold(form, t=2, seed=SEED)) == want


def test_times_of_any_unit(log: pa.Table) -> None:
    want = data_of(lethe.threshold(log, t=3, time="exact", seed=SEED))
    at = [datetime.datetime.fromisoformat(t) for t in log["QueryTime"].to_pylist()]
    place = log.column_names.index("QueryTime")
    for unit in ("s", "ms", "us", "ns"):
        typed = log.set_column(place, "QueryTime", pa.array(at, pa.timestamp(unit)))
        for library in ("pyarrow", "pandas", "polars"):
            if (unit, library) != ("s", "polars"):
                r = lethe.threshold(in_library(typed, library, Path()), t=3, time="exact", seed=SEED)
                assert data_of(r) == want, (unit, library)


def test_sets(log: pa.Table, tmp_path: Path) -> None:
    baskets = [["bread", "milk"], ["bread"], ["beer", "bread"], ["milk", "bread"], ["beer"]] * 4
    lines = tmp_path / "baskets.txt"
    lines.write_text("".join(" ".join(b) + "\n" for b in baskets), encoding="utf-8")
    want = data_of(lethe.mm(lines, k=2, p=1, seed=SEED, from_="records"))
    for form in (pa.table({"items": baskets}), pl.DataFrame({"items": baskets}),
                 pd.DataFrame({"items": baskets})):
        assert data_of(lethe.mm(form, k=2, p=1, seed=SEED)) == want


# --- what is wrong ---


def test_errors_name_stream_and_row() -> None:
    log = pa.table({"AnonID": ["1", "2"], "Query": ["maps", "news"],
                    "QueryTime": ["2006-03-01 10:00:00", "never"]})
    with pytest.raises(lethe.Error) as e:
        lethe.profile(log, strict_input=True)
    assert (e.value.code, e.value.file, e.value.line) == ("input", "stream:0", 2)


def test_empty_frames_are_errors(log: pa.Table) -> None:
    for empty in (log.slice(0, 0), pd.DataFrame({"Query": []}), pl.DataFrame({"Query": []})):
        with pytest.raises(lethe.Error):
            lethe.threshold(empty, t=3)


def test_a_stream_is_read_once(log: pa.Table) -> None:
    reader = log.to_reader()
    lethe.profile(reader)
    with pytest.raises(Exception):  # pyarrow says so, or there are no rows
        lethe.profile(reader)
    with pytest.raises(lethe.Error, match="stream 0 is not read"):
        status, _, _, error = lethe._lethe.call('{"command":"methods"}',
                                                [log.__arrow_c_stream__()])
        raise lethe.Error("usage", error[1])


# --- what is taken is given back ---


@pytest.mark.parametrize("run", [
    lambda s: lethe.threshold(s, t=3),
    lambda s: lethe.clump(s, k=3, distinct=True),
    lambda s: lethe.profile(s),
    lambda s: lethe.publish(s, goal="counts", dry_run=True),
    lambda s: lethe.threshold(s, t=300),
    lambda s: lethe.threshold(s, t=0),
    lambda s: lethe.threshold(s, t=3, columns="user=nobody"),
    lambda s: lethe.compare(s, methods="threshold", t=[2, 3], on_row=lambda *_: 1 / 0),
])
def test_everything_is_released(run, log: pa.Table) -> None:
    stream = Counted(pa.RecordBatchReader.from_batches(log.schema, log.to_batches(max_chunksize=50)))
    try:
        run(stream)
    except (lethe.Error, ZeroDivisionError):
        pass
    assert stream.all_is_released(), (stream.taken, stream.released)


def test_a_stream_that_fails(log: pa.Table) -> None:
    for at in range(4):
        batches = log.to_batches(max_chunksize=100)
        stream = Counted(pa.RecordBatchReader.from_batches(log.schema, batches), fails_at=at)
        with pytest.raises(lethe.Error, match="the disk is gone") as e:
            lethe.threshold(stream, t=3)
        assert e.value.code == "io" and stream.all_is_released()


def test_no_descriptors_or_folders_are_left(log: pa.Table, tmp_path: Path) -> None:
    def run() -> None:
        r = lethe.threshold(log, t=3, map=True, spill_dir=tmp_path)
        assert r.frame.num_rows and r.attack(log, map=r.map, spill_dir=tmp_path)

    run()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        run()
    assert len(os.listdir("/proc/self/fd")) == before and os.listdir(tmp_path) == []


def test_an_output_stream_outlives_all(log: pa.Table) -> None:
    request = ('{"command":"release","inputs":[{"stream":0}],"steps":[{"method":"threshold",'
               '"options":{"t":3}}],"publish":{"seed":5},"output":{"stream":0}}')
    status, report, streams, _ = lethe._lethe.call(request, [log.__arrow_c_stream__()], 1)
    assert status == 0 and report

    class Out:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return streams[0]

    rows = pa.RecordBatchReader.from_stream(Out()).read_all()
    assert rows.equals(lethe.threshold(log, t=3, seed=SEED).frame)
    status, _, unread, _ = lethe._lethe.call(request, [log.__arrow_c_stream__()], 1)
    del unread  # released by its capsule


# --- any data ---


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
VALUES = st.one_of(st.none(), TEXT, st.sampled_from(["flu", "f,m", 'a"b', " x ", "*", "?", "1\n2"]))


@given(st.lists(st.tuples(VALUES, st.integers(-5, 5), VALUES), min_size=1, max_size=60),
       st.integers(1, 7), st.integers(0, 3))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_reads_alike_in_every_form(rows, chunk, skip) -> None:
    table = pa.table({"a": pa.array([r[0] for r in rows], pa.string()),
                      "n": pa.array([r[1] for r in rows], pa.int64()),
                      "b": pa.array([r[2] for r in rows], pa.string())})
    padded = pa.concat_tables([table.slice(0, min(skip, len(rows))), table])
    forms = [table, padded.slice(min(skip, len(rows))), pl.from_arrow(table),
             table.set_column(0, "a", table["a"].dictionary_encode()),
             pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=chunk))]
    answers = []
    for form in forms:
        try:
            found = lethe.check(form, qi=["a", "n"], sa="b", threads=1)["metrics"]
            answers.append(found)
        except lethe.Error as e:
            answers.append((e.code, e.message.replace("stream:0", "")))
    assert all(a == answers[0] for a in answers[1:])


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["maps", "news", "red wine", None, ""]),
                          st.integers(0, 10**9)), min_size=1, max_size=50), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_any_log_reads_alike_in_every_form(rows, chunk) -> None:
    log = pa.table({
        "AnonID": pa.array([r[0] for r in rows], pa.int32()),
        "Query": pa.array([r[1] for r in rows], pa.string()),
        "QueryTime": pa.array([r[2] for r in rows], pa.timestamp("s")),
    })
    forms = [log, pl.from_arrow(log), log.to_pandas(),
             pa.RecordBatchReader.from_batches(log.schema, log.to_batches(max_chunksize=chunk))]
    answers = []
    for form in forms:
        try:
            answers.append(data_of(lethe.threshold(form, t=2, seed=SEED, threads=1)))
        except lethe.Error as e:
            answers.append({"": f"{e.code} {e.message}".encode()})
    assert all(a == answers[0] for a in answers[1:])


def test_many_rows(tmp_path: Path) -> None:
    big = tmp_path / "big.tsv"
    lethe.synth(users=4000, seed=1, output=big)
    frame = pl.read_csv(big, separator="\t", quote_char=None, infer_schema=False)
    assert len(frame) > 200_000
    of_file = lethe.threshold(big, t=5, seed=SEED)
    of_frame = lethe.threshold(frame, t=5, seed=SEED)
    assert data_of(of_frame) == data_of(of_file)
    assert len(of_frame.frame) == of_file.counts["published"]


# --- without the libraries, and the command line ---


def test_no_library_is_imported_for_a_path() -> None:
    code = ("import sys, lethe; r = lethe.threshold(sys.argv[1], t=3); r.verify();"
            "print([m for m in ('numpy', 'pandas', 'pyarrow', 'polars', 'duckdb') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code, LOG], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_command_line_reads_parquet_and_sql(log: pa.Table, tmp_path: Path) -> None:
    pq.write_table(log, tmp_path / "log.parquet")
    run = [sys.executable, "-m", "lethe", "threshold"]
    options = ["-t", "3", "--seed", "5", "-q", "-o"]
    subprocess.run([*run, tmp_path / "log.parquet", *options, tmp_path / "a"], check=True)
    query = f"select * from '{tmp_path}/log.parquet'"
    subprocess.run([*run, "--sql", query, *options, tmp_path / "b"], check=True)
    want = data_of(lethe.threshold(LOG, t=3, seed=5))
    assert data_of(tmp_path / "a") == want == data_of(tmp_path / "b")
    wrong = subprocess.run([*run, "--sql", "selec 1", "-t", "3", "-o", tmp_path / "c"],
                           capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and wrong.stderr.startswith("lethe: --sql:")
    assert patients().num_rows == 120


@pytest.mark.parametrize("method", ["local", "lplus", "mm", "threshold", "disconnect"])
def test_a_count_stands_for_rows(method: str, log: pa.Table, table: pa.Table) -> None:
    """Rows that were counted before give what all of them give."""
    sets = pl.DataFrame({"items": [["bread", "milk"]] * 5 + [["beer", "milk"]] * 7 + [["tea"]] * 4})
    rows = {"mm": sets, "local": pl.from_arrow(table), "lplus": pl.from_arrow(table)}.get(
        method, pl.from_arrow(log))
    counted = rows.group_by(rows.columns, maintain_order=True).agg(pl.len().alias("n"))
    again = counted.select(pl.all().repeat_by("n")).explode(pl.all()).drop("n") \
        if method != "mm" else sets
    make = getattr(lethe, method)
    options = {**METHODS[method], "seed": SEED}
    assert data_of(make(counted, count_column="n", **options)) == data_of(make(again, **options))


def test_a_count_is_a_column_of_a_frame() -> None:
    with pytest.raises(lethe.Error, match="count_column= names a column"):
        lethe.threshold(LOG, t=3, count_column="n")
    with pytest.raises(lethe.Error, match="'n'"):
        lethe.profile(pl.DataFrame({"user": ["a"], "query": ["b"]}), count_column="n")


def test_kept_columns_come_back(log: pa.Table) -> None:
    """A value that too few persons have is null."""
    frame = pl.from_arrow(log)
    devices = pl.Series("device", ["phone" if i else "fax" for i in range(frame.height)])
    r = lethe.threshold(frame.with_columns(devices), t=2, keep=["device"], seed=SEED)
    assert r.frame.columns[-1] == "device" and set(r.frame["device"]) <= {"phone", None}
    assert r.verify() and "phone" in set(r.frame["device"])


def test_columns_are_found_by_their_names_first() -> None:
    """Numbers are names where a frame has such names, and places otherwise."""
    rows = [[f"2006-03-0{i % 9 + 1}", i // 2, "maps", "x"] for i in range(10)]
    plain = pd.DataFrame(rows)  # columns 0, 1, 2, 3
    r = lethe.threshold(plain, t=2, columns="user=1,query=2", seed=SEED)
    assert set(r.frame["Query"]) == {"maps"}
    swapped = pd.DataFrame([(f"u{i}", "maps") for i in range(5)], columns=["2", "1"])
    r = lethe.threshold(swapped, t=2, columns="user=2,query=1", seed=SEED)
    assert set(r.frame["Query"]) == {"maps"}


def test_all_keys_of_dicts_are_columns() -> None:
    rows = [{"age": 30, "zip": "1"}] * 2 + [{"age": 30, "zip": "1", "sex": s} for s in "mf"]
    assert [c["name"] for c in lethe.profile(rows, from_="table")["metrics"]["columns"]] == [
        "age", "zip", "sex"]
    with pytest.raises(lethe.Error, match="column 'user' has values of several types") as e:
        lethe.profile([{"user": 1, "query": "a"}, {"user": "secret", "query": "a"}])
    assert "secret" not in str(e.value)
    with pytest.raises(lethe.Error) as e:
        lethe.profile(pd.DataFrame({"user": [1, "secret"], "query": ["a", "b"]}))
    assert "secret" not in str(e.value) and e.value.code == "input"


def test_rows_are_counted_from_one() -> None:
    table = pa.table({"a": ["x", "x", "x", "UNIQUE", "x"]})
    check = lethe.check(table, qi=["a"], k=2)
    assert check["verdict"]["checks"][0]["counterexample"]["line"] == 4


def test_lists_are_sets_for_profile() -> None:
    sets = pl.DataFrame({"items": [["x", "y"]] * 6 + [["x"]] * 6})
    assert lethe.profile(sets)["metrics"]["shape"] == "records"


def test_the_command_line_knows_the_header_of_parquet(tmp_path: Path) -> None:
    odd = pa.table({"17": [f"p{i % 9}" for i in range(40)], "cheap flights": ["maps", "news"] * 20})
    pq.write_table(odd, tmp_path / "odd.parquet")
    done = subprocess.run(
        [sys.executable, "-m", "lethe", "scrub", tmp_path / "odd.parquet", "--columns", "user=1,query=2",
         "-o", "-", "--seed", "1", "-q"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "cheap flights" not in done.stdout and len(done.stdout.splitlines()) == 41


def test_a_query_that_fails_publishes_nothing(tmp_path: Path) -> None:
    sql = "select i as \"user\", case when i > 50000 then error('stop') else 'maps' end as query from range(60000) t(i)"
    done = subprocess.run([sys.executable, "-m", "lethe", "threshold", "--sql", sql, "-t", "3", "-o",
                           tmp_path / "out", "-q"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and not (tmp_path / "out").exists() and "stop" in done.stderr
