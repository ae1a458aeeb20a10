# SPDX-License-Identifier: Apache-2.0
"""split: all rows of a user are in one task, which the library splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ._errors import in_task
from ._options import Step
from ._rows import (
    CHUNK_ROWS,
    Part,
    Ran,
    add_reports,
    mapped,
    report_batch,
    result_batches,
    result_schema,
    run_part,
)


_DAY, _WEEK_FIRST = 86_400, 4 * 86_400  # 1970-01-05 was a Monday


def _check_times(rows: DataFrame, part: Part) -> None:
    """Are the times fine enough?  That is seen on all rows alone, so the program decides it on the few rows
    that tell."""

    t = F.col("time")
    day = t - F.pmod(t, F.lit(_DAY))
    day_of_month = F.dayofmonth(F.date_from_unix_date((day / _DAY).cast("int")))
    told = rows.agg(
        F.count("*").alias("rows"), F.count("time").alias("times"), F.min("time").alias("least"),
        F.max("time").alias("most"), F.min(F.when(F.pmod(t, F.lit(_DAY)) != 0, t)).alias("day"),
        F.min(F.when(F.pmod(t, F.lit(3600)) != 0, t)).alias("hour"),
        F.min(F.when(F.pmod(t - _WEEK_FIRST, F.lit(7 * _DAY)) != 0, t)).alias("week"),
        F.min(F.when(day_of_month != 1, t)).alias("month")).first()
    assert told is not None
    if told["rows"] == 0:
        return
    times = [told[name] for name in ("least", "most", "day", "hour", "week", "month") if told[name] is not None]
    n = len(times) or 1
    table = pa.table({"user": ["a"] * n, "query": ["b"] * n, "rank": pa.nulls(n, pa.int64()),
                      "url": pa.nulls(n, pa.string()), "time": pa.array(times or [None], pa.int64())})
    run_part(table, replace(part, end=part.first + 1, lines=False, canonical=True, whole=True))


# --- in the executors ---


def _owners_together(batches: Iterator[Any]) -> Iterator[Any]:
    """Tables of whole groups: the batches come sorted by the column `grouped`."""

    held: list[Any] = []
    rows = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        if held and rows >= CHUNK_ROWS:
            column = batch.column("grouped")
            last = held[-1].column("grouped")[-1].as_py()
            same = 0
            while same < batch.num_rows and column[same].as_py() == last:
                same += 1
            held.append(batch.slice(0, same))
            if same < batch.num_rows:
                yield pa.Table.from_batches(held)
                held, rows = [], 0
            batch = batch.slice(same)
        if batch.num_rows:
            held.append(batch)
            rows += batch.num_rows
    if held:
        yield pa.Table.from_batches(held)


@in_task
def _split_users(batches: Iterator[Any], part: Part) -> Iterator[Any]:
    schema = result_schema(part.lines)
    total: dict[str, Any] = {}
    for table in _owners_together(batches):
        out, report = run_part(table, part)
        _countable(report)
        add_reports(total, report)
        yield from result_batches(out, schema)
    if total:
        yield report_batch(schema, total)


def _countable(report: dict[str, Any]) -> None:
    """Means as sums, which can be added."""
    metrics = report["metrics"]
    queries = round(metrics.pop("queries_per_persona") * metrics["personas"])
    metrics.pop("personas_per_user")
    metrics["queries"] = queries


class _Split(Ran):
    def report(self) -> dict[str, Any]:
        total = super().report()
        metrics = total.get("metrics", {})
        if metrics:
            users, personas = metrics["users"], metrics["personas"]
            queries = metrics.pop("queries")
            metrics["personas_per_user"] = personas / users if users else 0
            metrics["queries_per_persona"] = queries / personas if personas else 0
        return total


# --- by interest: who clicked what, over all rows ---


@in_task
def _split_by_interest(batches: Iterator[Any], part: Part) -> Iterator[Any]:
    """The rows have with them the URLs that were clicked for their texts anywhere, as rows of users that are
    made up: one for each text, so that it has no effect but to show what was clicked."""

    schema = result_schema(part.lines)
    total: dict[str, Any] = {}
    for table in _owners_together(batches):
        ours = table.filter(pc.is_valid(table.column("owner")))
        clicks = table.filter(pc.is_null(table.column("owner"))).select(["query", "rank", "url"])
        if ours.num_rows == 0:
            continue
        owners = set(pc.unique(ours.column("owner")).to_pylist())
        sign = "clicked"
        while any(o.startswith(sign) for o in owners):
            sign += "-"
        texts = pc.dictionary_encode(clicks.column("query")).combine_chunks() if clicks.num_rows else None
        n_texts = len(texts.dictionary) if texts is not None else 0
        if texts is not None:
            names = pa.array([f"{sign}{i}" for i in range(n_texts)]).take(texts.indices)
            clicks = clicks.append_column("user", names).append_column(
                "time", pa.nulls(clicks.num_rows, pa.int64()))
        # a column of times without any is none, and rows without a time beside others would be refused
        rows = pa.concat_tables([ours.select(["user", "query", "time", "rank", "url"]),
                                 _timed(clicks, ours)], promote_options="default")
        out, report = run_part(rows, part)
        _countable(report)
        for name in ("users", "personas", "queries"):
            report["metrics"][name] -= n_texts
        kept = out.filter(pc.invert(pc.starts_with(out.column("owner"), sign))) if n_texts else out
        report["counts"]["rows"] = kept.num_rows
        add_reports(total, report)
        yield from result_batches(kept, schema)
    if total:
        yield report_batch(schema, total)


def _timed(clicks: Any, ours: Any) -> Any:

    if clicks.num_rows == 0:
        return ours.select(["user", "query", "time", "rank", "url"]).slice(0, 0)
    time = ours.column("time")
    if time.null_count < len(time):
        clicks = clicks.set_column(clicks.schema.get_field_index("time"), "time",
                                   pa.array([0] * clicks.num_rows, pa.int64()))
    return clicks.select(["user", "query", "time", "rank", "url"])


def _with_clicks(rows: DataFrame, top: int) -> DataFrame:
    """Rows of users in groups, and to each group the best clicked URLs of its texts."""

    spark = rows.sparkSession
    n_groups = max(int(spark.conf.get("spark.sql.shuffle.partitions") or 200), 1) * 4
    grouped = rows.withColumn("grouped", F.pmod(F.xxhash64("owner"), F.lit(n_groups)))
    best = Window.partitionBy("query").orderBy(F.col("rank").asc_nulls_last(), "url")
    tops = (rows.filter("url is not null").groupBy("query", "url").agg(F.min("rank").alias("rank"))
            .withColumn("place", F.row_number().over(best)).filter(F.col("place") <= top))
    texts = grouped.select("grouped", "query").distinct()
    clicks = texts.join(tops, "query").select(
        F.lit(None).cast("string").alias("owner"), F.lit(None).cast("string").alias("user"), "query",
        F.lit(None).cast("bigint").alias("time"), "rank", "url", "grouped")
    return grouped.unionByName(clicks).repartition("grouped").sortWithinPartitions("grouped")


# --- the step ---


def split(rows: DataFrame, step: Step, part: Part) -> Ran:
    """Splits the users of canonical rows; `part` is this step, and those behind it that look at rows alone."""
    values = step.values()
    _check_times(rows, part)
    if values["by"] == "interest" and not values.get("results"):
        if part.lines:
            raise _behind_interest()
        placed = _with_clicks(rows, int(values["top"]))
        done = mapped(placed, lambda batches: _split_by_interest(batches, part))
    else:
        placed = rows.withColumn("grouped", rows["owner"]).repartition("grouped").sortWithinPartitions("grouped")
        done = mapped(placed, lambda batches: _split_users(batches, part), part.lines)
    return _Split(done.rows, done.reports, done.free)


def _behind_interest() -> Exception:
    from .._errors import Error

    return Error("usage", "seal cannot run on Spark behind split by interest")
