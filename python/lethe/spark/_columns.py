# SPDX-License-Identifier: Apache-2.0
"""Values of columns as lethe reads them, and its functions over columns, in executors."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.functions import arrow_udf

from .. import _lethe
from .._batch import _apply, _asked
from .._errors import Error

# Of a process that runs Python for Spark: functions without a key, by request.
_made: dict[str, Any] = {}


def batch_function(request: dict[str, Any]) -> Any:
    """A function of the library.  One with a key is not kept: its key goes with it."""
    text = json.dumps(request)
    if "key-file" in request:
        return _asked(_lethe.batch_new(text))
    if text not in _made:
        _made[text] = _asked(_lethe.batch_new(text))
    return _made[text]


def with_columns(df: DataFrame, text: str, requests: dict[str, dict[str, Any]]) -> DataFrame:
    """`df` with a column of text for each request, made of the column `text`."""
    schema = T.StructType([*df.schema.fields,
                           *(T.StructField(name, T.StringType()) for name in requests)])

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        functions = [batch_function(request) for request in requests.values()]
        for batch in batches:
            values = batch.column(text)
            made = [pa.array(_apply(function, values)) for function in functions]
            yield pa.RecordBatch.from_arrays([*batch.columns, *made],
                                             names=[*batch.schema.names, *requests])

    return df.mapInArrow(run, schema)


def _normals(texts: pa.Array) -> pa.Array:
    return pa.array(_apply(batch_function({"function": "normal"}), texts))


_normal_of = arrow_udf(_normals, T.StringType())  # type: ignore[call-overload]


BROADCAST_ROWS = 500_000  # of a few dozen bytes


class Cache:
    """Tables of distinct values that are used several times: made once, and kept by Spark until
    `free`."""

    def __init__(self) -> None:
        self._frames: list[DataFrame] = []

    def keep(self, df: DataFrame) -> tuple[DataFrame, int]:
        """Made now, so that Spark knows its size; sent to all executors where it is small.  And its
        rows."""
        df = df.persist(StorageLevel.MEMORY_AND_DISK)
        self._frames.append(df)
        n = df.count()
        return (F.broadcast(df) if n <= BROADCAST_ROWS else df), n

    def free(self) -> None:
        for df in self._frames:
            df.unpersist()
        self._frames.clear()


def with_normal(df: DataFrame, text: str, name: str, cache: Cache) -> DataFrame:
    """`df` with the normal form of a column; null where a row with this text is rejected.

    Of printable ASCII Spark makes it itself.  Other texts go through Python: each distinct one once, or,
    where there are many, row by row."""
    column = F.col(quoted(text))
    plain = column.rlike(r"\A[ -~]*\z")
    here = F.lower(F.trim(column))
    here = F.when(F.contains(here, F.lit("  ")), F.regexp_replace(here, "  +", " ")).otherwise(here)
    others = df.where(~plain & ~unreadable(column)).select(column.alias("_lethe_raw")).distinct()
    made, n = cache.keep(with_columns(others, "_lethe_raw", {"_lethe_normal": {"function": "normal"}}))
    if n == 0:
        return df.withColumn(name, F.when(plain, here))
    if n > BROADCAST_ROWS:
        other = ~plain & ~unreadable(column)
        return df.withColumn(name, F.when(plain, here).when(other, _normal_of(F.when(other, column))))
    return df.join(made, column == F.col("_lethe_raw"), "left").withColumn(
        name, F.when(plain, here).otherwise(F.col("_lethe_normal"))).drop("_lethe_raw", "_lethe_normal")


def as_written(df: DataFrame, name: str) -> Column:
    """A column as Spark writes it into a CSV file, which is how the program would read it: times in
    the zone of the session, numbers with all the digits of their type."""
    column = F.col(quoted(name))
    if isinstance(df.schema[name].dataType, T.StringType):
        return column.cast("string")  # compared by bytes, whatever its collation is
    return F.when(column.isNotNull(), F.to_csv(F.struct(column)))


def cell(value: Column) -> Column:
    """A user or URL as the readers take it; null where there is none."""
    text = F.trim(value.cast("string"))
    return F.when(F.length(text) > 0, text)


def unreadable(value: Column) -> Column:
    """Does a cell hold what no published field may, so that its row is rejected?  Null does not."""
    text = value.cast("string")
    found = F.contains(text, F.lit("\t"))
    for sign in ("\r", "\n", "\0"):
        found |= F.contains(text, F.lit(sign))
    return F.coalesce(found, F.lit(False))


def seconds(name: str, kind: T.DataType) -> Column:
    """Seconds since 1970 of a column; what is no time of day is taken at midnight.

    A time with a zone counts in UTC, as the library reads it, whatever the zone of the session."""
    column = F.col(quoted(name))
    if isinstance(kind, T.TimestampType):
        return F.unix_seconds(column)
    if isinstance(kind, T.TimestampNTZType):
        day = F.to_date(column)
        return (F.unix_date(day).cast("bigint") * 86400 + F.hour(column) * 3600
                + F.minute(column) * 60 + F.second(column))
    if isinstance(kind, T.DateType):
        return F.unix_date(column).cast("bigint") * 86400
    if isinstance(kind, (T.LongType, T.IntegerType)):
        return column.cast("bigint")
    raise Error("usage", f"column '{name}' is {kind.simpleString()}: a time is a timestamp, a date, or "
                         "seconds since 1970 as a whole number (to_timestamp makes one of text)",
                option="time")


def time_cut(time: Column, unit: str) -> Column:
    """A time as it is published: the beginning of its hour, day, week or month."""
    if unit == "exact":
        return time
    if unit == "drop":
        return F.lit(None).cast("bigint")
    if unit == "hour":
        return time - F.pmod(time, F.lit(3600))
    if unit == "day":
        return time - F.pmod(time, F.lit(86400))
    if unit == "week":  # 1970 began on a Thursday
        return time - F.pmod(time + 3 * 86400, F.lit(7 * 86400))
    if unit == "month":
        day = F.date_from_unix_date(((time - F.pmod(time, F.lit(86400))) / 86400).cast("int"))
        return F.unix_date(F.trunc(day, "month")).cast("bigint") * 86400
    raise Error("usage", f"there is no unit of time '{unit}'", option="time")


def quoted(name: str) -> str:
    """A name of a column as it is, dots in it too."""
    return "`" + name.replace("`", "``") + "`"


def need_columns(df: DataFrame, names: dict[str, str | None]) -> None:
    """Refuses a column that is not there; `names` by option."""
    for option, name in names.items():
        if name is None or name in df.columns:
            continue
        near = difflib.get_close_matches(name, df.columns, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise Error("usage", f"unknown column '{name}': the columns are {', '.join(df.columns)}{hint}",
                    option=option)
