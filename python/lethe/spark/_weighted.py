# SPDX-License-Identifier: Apache-2.0
"""Tables and sets: distinct rows, with how often each is there, go to the driver, and lethe makes
the release of them there.

What a method does depends on values and how many rows have them, not on their order: the release is
the program's, byte for byte.  Only `local` decides between groups that are as good by the order of rows:
these come to it sorted by their values, and the release is the program's on a file so sorted.  The
driver holds the distinct rows (twice: Spark's and lethe's)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .._call import Runtime
from .._errors import Error
from .._functions import chain
from .._release import Release
from .._tables import publish_options, read_options
from ._columns import as_written, need_columns, quoted

TABLES = ("lplus", "incognito", "anneal", "local")
SETS = ("og", "mog", "aa", "mm")
# Options of steps that name columns of a table.
_COLUMNS = ("qi", "sa", "class_", "keep")
_OWN = ("items", "user", "item")

Steps = Sequence[tuple[str, Mapping[str, Any]]]


def publish(df: DataFrame, steps: Steps, out: str | os.PathLike[str],
            options: Mapping[str, Any]) -> Release:
    """A release of a table or of sets in the folder `out`.  Its counts are rows of the table, or
    persons.

    Parameters
    ----------
    steps
        names of methods with their options, in Python's names
    options
        as of `lethe.chain` and its `release`; and of sets `items`, a column of arrays with the items
        of a person in each row, or `user` and `item`, an item per row (rows without an item are
        left out).  Without any of these the one column of arrays is taken
    """
    names = [name for name, _ in steps]
    tables, sets = (all(name in of for name in names) for of in (TABLES, SETS))
    if not steps or not (tables or sets):
        raise Error("usage", f"steps are {', '.join(TABLES)} of a table, or {', '.join(SETS)} of sets; not "
                             f"{', '.join(names) or 'none'}")
    given = {name: value for name, value in options.items() if value is not None}
    read = {o.python: given.pop(o.python) for o in read_options().values() if o.python in given}
    known = {*(o.python for o in publish_options().values()), *Runtime.NAMES, "map"}
    for name in given:
        if name in _OWN and tables:
            raise Error("usage", f"'{name}' is an option of sets, and {names[-1]} is of tables", option=name)
        if name not in known and name not in _OWN:
            raise Error("usage", f"there is no option '{name}' of a release", option=name)
    rows = _table_rows(df, steps) if tables else _sets(df, given)
    counted = _collected(rows)
    count = counted.column_names[-1]
    if "local" in names:
        counted = _sorted(counted)
    read.setdefault("from_", "table" if tables else "records")
    todo = chain(counted, count_column=count, **read)
    for name, values in steps:
        todo = getattr(todo, name)(**values)
    made = todo.release(out, **{k: v for k, v in given.items() if k in known})
    assert isinstance(made, Release)
    return made


def _listed(value: Any) -> list[str]:
    """Names of columns as an option has them: a text with commas, or a list."""
    if value is None:
        return []
    return [n.strip() for n in value.split(",")] if isinstance(value, str) else [str(n) for n in value]


def _table_rows(df: DataFrame, steps: Steps) -> DataFrame:
    """The distinct values of the columns that the steps name, with a count."""
    wanted = dict.fromkeys(name for _, values in steps for option in _COLUMNS
                           for name in _listed(values.get(option)))
    if not wanted:
        raise Error("usage", "qi is needed: the columns that others may know about a person", option="qi")
    need_columns(df, {name: name for name in wanted})
    columns = [as_written(df, name).alias(name) for name in df.columns if name in wanted]
    for name in wanted:
        if isinstance(df.schema[name].dataType, (T.ArrayType, T.MapType, T.StructType, T.BinaryType)):
            raise Error("input", f"column '{name}' is {df.schema[name].dataType.simpleString()}: a table has "
                                 "numbers, dates and texts")
    return _distinct(df.select(*columns))


def _sets(df: DataFrame, options: Mapping[str, Any]) -> DataFrame:
    """The distinct sets of items, with a count of persons."""
    if options.get("user") is not None or options.get("item") is not None:
        if options.get("user") is None or options.get("item") is None or options.get("items") is not None:
            raise Error("usage", "user and item go together, and without items", option="item")
        user, item = str(options["user"]), str(options["item"])
        need_columns(df, {"user": user, "item": item})
        pairs = df.select(F.trim(as_written(df, user)).alias("user"), as_written(df, item).alias("item"))
        if not pairs.where(_is_blank(F.col("user"))).isEmpty():
            raise Error("input", f"column '{user}' has a row without a user: whose set its item belongs to "
                                 "is not known", option="user")
        rows = pairs.where(~_is_blank(F.col("item"))).groupBy("user") \
            .agg(F.sort_array(F.collect_list("item")).alias("items"))
        return _distinct(rows.select("items"))
    lists = [f.name for f in df.schema.fields if isinstance(f.dataType, T.ArrayType)]
    name = options.get("items")
    if name is None:
        if len(lists) != 1:
            raise Error("usage", f"items is needed: {len(lists)} columns are arrays", option="items")
        name = lists[0]
    need_columns(df, {"items": str(name)})
    if name not in lists:
        raise Error("input", f"column '{name}' is no array", option="items")
    items = F.transform(F.col(quoted(str(name))), lambda value: _item(df, str(name), value))
    # lethe refuses a set with an empty item before another one: there the order stays
    return _distinct(df.select(F.when(F.exists(items, _is_blank), items)
                               .otherwise(F.array_sort(items)).alias("items")))


def _is_blank(text: Column) -> Column:
    return text.isNull() | (F.trim(text) == "")


def _item(df: DataFrame, name: str, value: Column) -> Column:
    """An item as text."""
    kind = df.schema[name].dataType
    assert isinstance(kind, T.ArrayType)
    if isinstance(kind.elementType, (T.ArrayType, T.MapType, T.StructType, T.BinaryType)):
        raise Error("input", f"column '{name}' is {kind.simpleString()}: an item is a text or a number",
                    option="items")
    return value.cast("string")


def _distinct(rows: DataFrame) -> DataFrame:
    """With a count as the last column, of a name that no other has."""
    count = "count"
    while count.lower() in (name.lower() for name in rows.columns):
        count += "_"
    return rows.groupBy(*(quoted(name) for name in rows.columns)).agg(F.count(F.lit(1)).alias(count))


def _collected(rows: DataFrame) -> Any:
    """On the driver, as an Arrow table."""
    try:
        return rows.toArrow()
    except PySparkException as e:
        if "maxResultSize" in str(e):
            raise Error("memory", "the distinct rows do not fit the driver: spark.driver.maxResultSize and "
                                  "spark.driver.memory limit them") from None
        raise


def _sorted(rows: Any) -> Any:
    """By the bytes of their values, column after column; null is the empty text."""
    names = rows.column_names[:-1]
    keys = pa.table({name: pc.fill_null(rows[name], "") for name in names})
    return rows.take(pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in names]))
