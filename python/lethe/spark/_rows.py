# SPDX-License-Identifier: Apache-2.0
"""Rows of a log on Spark: as they are read, as steps take and give them, and as lines of data.tsv.

A row has `owner` (the user as read), `user` (as steps have renamed it), `query` (in normal form), `time`
(seconds since 1970), `rank` and `url`.  What happens to a row in a step is decided by the library, in
the executors, by the same code as in the program."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, MapType, StructType

from .. import _lethe
from .._call import error_of
from .._errors import OK, Error
from ._columns import quoted
from ._errors import in_task, missing_column

ROWS = "owner string, user string, query string, time bigint, rank bigint, url string"
CHUNK_ROWS = 200_000
_REPORT = ", report string"

log = logging.getLogger("lethe")

# Names that logs use, the surest first, in lower case: those that the program knows.
_KNOWN = {
    "user": ("anonid", "user", "user_id", "userid", "client_id"),
    "query": ("query", "q", "text", "user_query"),
    "time": ("querytime", "time", "timestamp", "date"),
    "rank": ("itemrank", "rank", "position"),
    "url": ("clickurl", "url", "click_url"),
}


# --- columns ---


def columns_of(df: DataFrame, given: dict[str, str] | None,
               need: tuple[str, ...] = ("user", "query")) -> dict[str, str]:
    """Which column of the data frame holds what."""
    found: dict[str, str] = {}
    for key, name in (given or {}).items():
        if key not in _KNOWN:
            raise Error("usage", f"columns: keys are {', '.join(_KNOWN)}, not {key}", option="columns")
        if name not in df.columns:
            raise missing_column(name, df.columns)
        found[key] = name
    lower = {name.lower(): name for name in reversed(df.columns)}
    for key, names in _KNOWN.items():
        taken = set(found.values())
        for name in names:
            if key not in found and name in lower and lower[name] not in taken:
                found[key] = lower[name]
    for key in need:
        if key not in found:
            raise Error("input", f"no column is known to hold the {key}: there are {', '.join(df.columns)}; "
                                 f"columns={{'{key}': ...}} names it", option="columns")
    return found


def selected(df: DataFrame, columns: dict[str, str]) -> DataFrame:
    """The columns of a log under the names that the library knows.

    Times are read as those of Arrow streams are: a timestamp of Spark is a moment, which is read in UTC."""

    chosen = []
    for key, name in columns.items():
        if df.columns.count(name) > 1:
            raise Error("input", f"two columns are called '{name}'", option="columns")
        type_ = df.schema[name].dataType
        if isinstance(type_, (ArrayType, MapType, StructType)):
            raise Error("input", f"column '{name}' holds {type_.simpleString()}: the {key} of a log is a text, a "
                                 "number or a time", option="columns")
        chosen.append(F.col(quoted(name)).alias(key))
    return df.select(*chosen)


# --- in the executors ---


@dataclass(frozen=True)
class Part:
    """What tasks are asked to do.  There is nothing secret in it: a key is a path."""

    steps: list[dict[str, Any]]
    publish: dict[str, Any]
    read: dict[str, Any]
    first: int
    end: int
    lines: bool = False
    canonical: bool = True  # the rows come from another step, not from the input
    whole: bool = False
    renamed: bool = False  # users are personas: their owners are carried along


class _Stream:
    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._capsule


_MORE = re.compile(r"([\d,]+) more lines?: (.*)")


class _Causes:
    """Why lines were rejected, and how many."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.errors: list[str] = []

    def __call__(self, severity: int, message: tuple[int, str, str | None, str | None, int]) -> None:
        text = message[1]
        more = _MORE.search(text)
        if severity == 0:
            self.errors.append(text)
        elif severity == 1 and more:
            self.counts[more[2]] += int(more[1].replace(",", ""))
        elif severity == 1 and message[4]:
            self.counts[text.partition(":")[0]] += 1


def _as_input(table: Any, part: Part) -> Any:
    """Columns as the library reads them: seconds are times, and no time at all is no column."""
    if not part.canonical:
        return table
    time, user = table.column("time"), table.column("user")
    if part.renamed:  # the steps pass users on as they are
        user = pc.binary_join_element_wise(table.column("owner"), user, "")
    columns = {"user": user, **{name: table.column(name) for name in ("query", "rank", "url")}}
    if time.null_count < len(time):
        columns["time"] = time.cast(pa.timestamp("s"))
    return pa.table(columns)


def _owners_again(rows: Any) -> Any:
    """Of rows whose users are an owner and a persona, which has 16 characters."""
    user = rows.column("user")
    owner = pc.utf8_slice_codeunits(user, 0, -16)
    persona = pc.utf8_slice_codeunits(user, -16)
    return rows.set_column(0, "owner", owner).set_column(1, "user", persona)


def run_part(table: Any, part: Part) -> tuple[Any, dict[str, Any]]:
    """Runs steps over a table; gives the rows, or the lines, and a report with counts and figures."""

    causes = _Causes()
    table = _as_input(table, part)
    # named one by one: without a time, names alone do not tell the library that this is a log
    read = {"columns": ",".join(f"{name}={name}" for name in table.column_names)}
    request = {
        "command": "part", "inputs": [{"stream": 0}], "steps": part.steps, "publish": part.publish,
        "read": read if part.canonical else {**part.read, **read}, "output": {"stream": 0},
        "options": {"first": part.first, "end": part.end, "lines": part.lines, "whole": part.whole},
    }
    status, report, out, error = _lethe.call(
        json.dumps(request), streams=[table.__arrow_c_stream__()], n_out=1,
        threads=1, on_message=causes)
    if status != OK:
        raise error_of(error, status, causes.errors)
    told = json.loads(report or "{}")
    told["causes"] = dict(causes.counts)
    rows = pa.RecordBatchReader.from_stream(_Stream(out[0])).read_all()
    return (_owners_again(rows) if part.renamed else rows), told


def add_reports(total: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """The sum of two reports, in which every number counts something."""
    for key, value in more.items():
        if isinstance(value, dict):
            total[key] = add_reports(total.get(key, {}), value)
        elif isinstance(value, bool) or isinstance(value, str):
            total[key] = value
        elif isinstance(value, (int, float)):
            total[key] = total.get(key, 0) + value
        elif isinstance(value, list):
            total[key] = total.get(key, []) + [v for v in value if v not in total.get(key, [])]
    return total


def chunks_of(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of about CHUNK_ROWS rows."""

    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= CHUNK_ROWS:
            yield pa.Table.from_batches(held)
            held, rows = [], 0
    if rows:
        yield pa.Table.from_batches(held)


def report_batch(schema: Any, report: dict[str, Any]) -> Any:
    """A row that holds a report, and nothing else."""

    return pa.RecordBatch.from_pylist([{"report": json.dumps(report)}], schema=schema)


def result_schema(lines: bool) -> Any:

    text, number = pa.string(), pa.int64()
    columns = [("line", text)] if lines else [("owner", text), ("user", text), ("query", text),
                                              ("time", number), ("rank", number), ("url", text)]
    return pa.schema([*columns, ("report", text)])


def result_batches(table: Any, schema: Any) -> Iterator[Any]:

    table = table.append_column("report", pa.nulls(table.num_rows, pa.string())).cast(schema)
    yield from table.to_batches(max_chunksize=20_000)


@in_task
def _row_by_row(batches: Iterator[Any], part: Part) -> Iterator[Any]:
    schema = result_schema(part.lines)
    total: dict[str, Any] = {}
    for table in chunks_of(batches):
        out, report = run_part(table, part)
        add_reports(total, report)
        yield from result_batches(out, schema)
    if total:
        yield report_batch(schema, total)


# --- on the driver ---


@dataclass
class Ran:
    """Rows of a step, and what its tasks have counted.  They are computed when they are first needed, and
    kept until `free`."""

    rows: DataFrame
    reports: DataFrame
    free: Callable[[], object]

    def report(self) -> dict[str, Any]:
        total: dict[str, Any] = {}
        for row in self.reports.collect():
            add_reports(total, json.loads(row["report"]))
        return total


def ran(df: DataFrame) -> Ran:
    """Of a data frame with rows and reports."""

    kept = df.persist(StorageLevel.MEMORY_AND_DISK)
    return Ran(kept.filter("report is null").drop("report"),
               kept.filter("report is not null").select("report"), kept.unpersist)


def mapped(df: DataFrame, function: Callable[[Iterator[Any]], Iterator[Any]], lines: bool = False) -> Ran:
    return ran(df.mapInArrow(function, ("line string" if lines else ROWS) + _REPORT))


def row_by_row(df: DataFrame, part: Part) -> Ran:
    """Steps that look at each row alone."""
    return mapped(df, lambda batches: _row_by_row(batches, part), part.lines)
