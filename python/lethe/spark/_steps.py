# SPDX-License-Identifier: Apache-2.0
"""Steps as functions of data frames: scrub, seal and split.  What they give is no release: nothing is
checked, and nothing is promised of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _lethe
from .._batch import _apply, _asked
from .._errors import Error
from . import _split
from ._columns import quoted
from ._errors import in_task
from ._options import Options, Step, step_of
from ._rows import Part, chunks_of, columns_of, row_by_row, run_part, selected

Transform = Callable[[DataFrame], DataFrame]


def _named(**columns: str | None) -> dict[str, str]:
    return {key: name for key, name in columns.items() if name is not None}


def _part(step: Step, key_file: str | None = None, read: dict[str, Any] | None = None) -> Part:
    publish = {"time": "exact", "urls": "keep"}
    if key_file is not None:
        publish["key-file"] = key_file
    return Part([step.request()], publish, read or {}, 0, 1, canonical=False)


# --- scrub ---


def _scrubbed(table: Any, where: dict[str, str], part: Part) -> Any:
    """A table with its texts scrubbed, without the rows that are left out.  Rows are numbered in the place of
    the user, at which scrub does not look; those without a text stay, and their URLs are cut like all others."""
    numbers = pa.array(range(table.num_rows), pa.int64())
    names = {key: where[key] for key in ("query", "rank", "url") if key in where}
    columns: dict[str, Any] = {key: table.column(name) for key, name in names.items()}
    blank = pa.array(_lacks(table.column(names["query"])), pa.bool_())
    columns["query"] = pc.if_else(blank, "x", columns["query"].cast(pa.string()))
    rows = pa.table({"user": numbers.cast(pa.string()), **columns})
    out, _ = run_part(rows, part)
    place = out.column("user").cast(pa.int64())
    for key, name in names.items():
        field = table.schema.field(name)
        values = table.column(name).to_pylist()
        for i, value in zip(place.to_pylist(), out.column(key).to_pylist(), strict=True):
            if key != "query" or not blank[i].as_py():
                values[i] = value
        if pa.types.is_string(field.type):
            values = [None if v is None else str(v) for v in values]
        table = table.set_column(table.schema.get_field_index(name), field, pa.array(values, field.type))
    return table.filter(pc.is_in(numbers, place.combine_chunks()))


def _lacks(texts: Any) -> list[bool]:
    return [t is None or not str(t).strip() for t in texts.to_pylist()]


@in_task
def _scrub(batches: Iterator[Any], columns: dict[str, str], part: Part) -> Iterator[Any]:
    for table in chunks_of(batches):
        yield from _scrubbed(table, columns, part).to_batches(max_chunksize=20_000)


def scrub(*, query: str | None = None, url: str | None = None, rank: str | None = None, **options: Any) -> Transform:
    """Masks personal data in texts, and cuts clicked URLs to their host.

    ::

        df.transform(ls.scrub())

    All columns stay; the text is in its normal form.  Rows that lethe cannot read are left out (with a tab or
    a line end in text or URL, or a rank that is no number), with action="drop" those that have personal data, too.

    Parameters
    ----------
    query, url, rank
        names of columns, where they are not among those that logs use (Query, query, ClickURL, url, ...)
    options
        as of `lethe.scrub`: kinds, list, action
    """
    step = step_of("scrub", options)

    def transform(df: DataFrame) -> DataFrame:
        columns = columns_of(df, _named(query=query, url=url, rank=rank), need=("query",))
        for key in ("query", "url"):
            if key in columns and not isinstance(df.schema[columns[key]].dataType, T.StringType):
                raise Error("input", f"column '{columns[key]}' is no text", option=key)
        part = _part(step)
        return df.mapInArrow(lambda batches: _scrub(batches, columns, part), df.schema)

    return transform


# --- split ---


def split(*, key_file: str | os.PathLike[str], user: str | None = None, query: str | None = None,
          time: str | None = None, url: str | None = None, rank: str | None = None, **options: Any) -> Transform:
    """Gives each user several names: by day, by pause, by interest or by query.

    The result has the columns of the log alone, in the order user, query, time, rank and url: texts in their
    normal form, and times as timestamps.

    Parameters
    ----------
    key_file
        the path of a key that executors can read: names follow from it
    user, query, time, url, rank
        names of columns, where they are not among those that logs use
    options
        as of `lethe.split`: by, gap, top, edit, overlap, results
    """
    step = step_of("split", options)
    how = Options(key_file=os.fspath(key_file))

    def transform(df: DataFrame) -> DataFrame:
        columns = columns_of(df, _named(user=user, query=query, time=time, url=url, rank=rank))
        part = _part(step, how.key_file)
        read = row_by_row(selected(df, columns), replace(part, end=0))
        read.report()
        rows = _split.split(read.rows, step, replace(part, canonical=True)).rows
        shown = {"user": F.col("user"), "query": F.col("query"), "time": F.timestamp_seconds("time"),
                 "rank": F.col("rank"), "url": F.col("url")}
        return rows.select(*(value.alias(columns[key]) for key, value in shown.items() if key in columns))

    return transform


# --- seal ---


def _seal_function(request: str) -> Any:
    return _asked(_lethe.batch_new(request))


def _struct(batch: Any, columns: dict[str, str]) -> Any:
    return pa.RecordBatch.from_arrays([batch.column(name) for name in columns.values()], names=list(columns))


@in_task
def _seal(batches: Iterator[Any], columns: dict[str, str], request: str) -> Iterator[Any]:
    function = _seal_function(request)
    for batch in batches:
        made = pa.record_batch(_apply(function, _struct(batch, columns)))
        yield made.filter(made.column(0).is_valid())


def seal(*, key_file: str | os.PathLike[str], user: str | None = None, query: str | None = None,
         time: str | None = None, url: str | None = None, rank: str | None = None, times: str = "day",
         urls: str = "host", **options: Any) -> Transform:
    """Replaces each query by a share of its key and a box that t such shares open.

    The result has the columns of a sealed log.

    Parameters
    ----------
    key_file
        the path of a key that executors can read
    times, urls
        how times and clicked URLs are published: as `time` and `urls` of a release
    options
        as of `lethe.seal`: t, n, scheme, epoch, keep_clicks
    """
    step = step_of("seal", options)
    how = Options(key_file=os.fspath(key_file), time=times, urls=urls)
    request = json.dumps({"function": "seal", "key-file": how.key_file, "options": step.options,
                          "publish": {"time": times, "urls": urls}})

    def transform(df: DataFrame) -> DataFrame:
        columns = columns_of(df, _named(user=user, query=query, time=time, url=url, rank=rank))
        rows = df.select(*(F.col(quoted(name)) for name in columns.values()))
        empty = pa.RecordBatch.from_arrays([pa.array([], pa.string()) for _ in columns], names=list(columns))
        names = pa.record_batch(_apply(_seal_function(request), empty)).schema.names
        schema = T.StructType([T.StructField(name, T.StringType()) for name in names])
        return rows.mapInArrow(lambda batches: _seal(batches, columns, request), schema)

    return transform
