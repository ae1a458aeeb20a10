# SPDX-License-Identifier: Apache-2.0
"""Releases of methods that put persons or records into groups: clump, partition, ssg and microagg.

The users are divided into parts of those who are alike, each part is released by itself in a task, and the
library joins these releases into one, which it checks.  Groups never span parts, so what is lost depends on
how alike the users of a part are: parts are ranges of the length of a user's history, and inside a range, of
its words.

A user's length is the number of words of all queries, and its band is floor(4 * log2(length)).  MinHash, the
least hash of the user's words, puts users with many words in common near each other (Broder, "On the
Resemblance and Containment of Documents", SEQUENCES 1997)."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
from pyspark import StorageLevel, TaskContext
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .._call import Runtime, run
from .._errors import Error, NothingPublished
from .._release import Release
from .._results import Result
from ._errors import in_task
from ._options import Options, Step
from ._rows import columns_of, selected
from ._storage import Staging

METHODS = ("clump", "partition", "ssg", "microagg")
BEFORE = ("scrub",)  # what may stand before them: it looks at each row alone
USERS_PER_PART = 1500
_LONGEST = 32767  # words; its fourth power is a long
_BANDS = 60


# --- which users are alike ---


def _words(query: Column) -> Column:
    return F.regexp_extract_all(F.lower(query), F.lit(r"([\p{L}\p{N}]+)"))


def _least_hash(words: Column) -> Column:
    """Null where there is no word."""
    return F.array_min(F.transform(words, lambda w: F.xxhash64(w)))


def _band(length: Column) -> Column:
    """floor(4 * log2(length)), in whole numbers: a task that runs again elsewhere must get the same."""
    n = F.least(length, F.lit(_LONGEST)).cast("bigint")
    return F.length(F.bin(n * n * n * n)) - 1


def _alike(rows: DataFrame) -> DataFrame:
    """The users in an order in which neighbours are alike: `user`, number of `rows` and `rank`, from 1.

    Users without a word are not published by most methods.  They are spread, so that no part has nobody else."""
    words = _words(F.coalesce("query", F.lit("")))
    users = (rows.select("user", words.alias("words"))
             .groupBy("user")
             .agg(F.sum(F.size("words")).alias("length"), F.min(_least_hash(F.col("words"))).alias("least"),
                  F.count(F.lit(1)).alias("rows")))
    own = F.xxhash64("user")
    band = F.when(F.col("length") > 0, _band(F.col("length"))).otherwise(F.pmod(own, F.lit(_BANDS)))
    order = Window.orderBy(band, F.coalesce("least", own), own, "user")
    return users.select("user", "rows", F.row_number().over(order).alias("rank"))


def parts_of(n_users: int, k: int, wanted: int | None) -> int:
    """Into how many parts users are divided: each has at least 2 k of them."""
    most = max(1, n_users // (2 * k))
    if wanted is None:
        return min(most, max(1, round(n_users / USERS_PER_PART)))
    if wanted > most:
        raise Error("usage", f"parts: {wanted} parts of {n_users:,} users would have fewer than 2 k = {2 * k} users "
                             f"each: at most {most} are possible", option="parts")
    return wanted


# --- the rows of a log ---


def _rows(df: DataFrame, columns: dict[str, str] | None) -> DataFrame:
    """The columns of a log, with users as the library reads them: two spellings of one user must not be in two
    parts."""
    rows = selected(df, columns_of(df, columns))
    user = F.trim(F.make_valid_utf8(F.col("user").cast("string")))
    return rows.withColumn("user", F.coalesce(user, F.lit("")))


# --- one part ---


def _take_name(made: str, name: str) -> None:
    """A release under the name of its attempt gets that of the part.  Where another attempt was faster, that
    one's stays: with one key both are the same."""
    try:
        os.rename(made, name)
    except OSError:
        if not os.path.exists(os.path.join(name, "manifest.json")):
            raise
        shutil.rmtree(made, ignore_errors=True)


def _release_part(part: int, batches: Iterator[Any], schema: Any, request: dict[str, Any], folder: str,
                  runtime: dict[str, Any]) -> None:
    context = TaskContext.get()
    attempt = context.taskAttemptId() if context is not None else 0
    name = os.path.join(folder, f"part-{part:05}")
    made = f"{name}.{attempt}"
    shutil.rmtree(made, ignore_errors=True)
    stream = pa.RecordBatchReader.from_batches(schema, (b.select(schema.names) for b in batches))
    answer = run({**request, "inputs": [{"stream": 0}], "output": {"path": made}}, [stream],
                 Runtime(**{"threads": 1, **runtime}))
    if not answer.yes:
        raise Error("nothing", "; ".join(answer.errors) or "nothing can be published that keeps the promise")
    _take_name(made, name)


@in_task
def _part(key: tuple[Any, ...], batches: Iterator[Any], schema: Any, request: dict[str, Any], folder: str,
          runtime: dict[str, Any]) -> Iterator[Any]:
    part = key[0].as_py()
    try:
        _release_part(part, batches, schema, request, folder, runtime)
    except Error as e:
        raise Error(e.code, f"part {part + 1}: {e.message}", option=e.option) from None
    yield pa.RecordBatch.from_pydict({"part": pa.array([part], pa.int32())})


# --- all of them ---


def _check(steps: list[Step]) -> None:
    *before, last = steps
    if last.method not in METHODS:
        raise Error("usage", f"{last.method} does not put users into groups", option="chain")
    for step in before:
        if step.method not in BEFORE:
            raise Error("usage", f"{step.method} cannot come before {last.method} on Spark: parts are released by "
                                 f"themselves, and what {step.method} promises of each need not hold of all together",
                        option="chain")


def _count(users: DataFrame) -> int:
    n_users = users.count()
    nobody = users.filter("user = ''").first()
    if n_users == 0:
        raise Error("input", "the data frame is empty")
    if nobody is not None:
        raise Error("input", f"{nobody['rows']:,} rows have no user: groups are of users, leave these rows out",
                    option="columns")
    return n_users


@contextlib.contextmanager
def _divided(rows: DataFrame, steps: list[Step], options: Options) -> Iterator[tuple[DataFrame, int]]:
    """The rows with the number of their part, from 0, and how many parts there are."""
    users = _alike(rows).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        n_users = _count(users)
        n = parts_of(n_users, int(steps[-1].values()["k"] or 1), options.parts)
        part = F.floor((F.col("rank") - 1) * n / n_users).cast("int")
        # a user that is not found comes from a data frame that is not the same twice: no row of it may get lost
        own = F.coalesce("part", F.pmod(F.xxhash64("user"), F.lit(n)).cast("int"))
        yield rows.join(users.select("user", part.alias("part")), "user", "left").withColumn("part", own), n
    finally:
        users.unpersist()


def not_for(method: str) -> tuple[str, ...]:
    """Options of a release of a log that one of such groups does not have."""
    return ("time", "urls") if method == "microagg" else ("time", "urls", "keep_users")


def _request(steps: list[Step], options: Options, key_file: str) -> dict[str, Any]:
    """What is asked for each part.  Records have no users, times and URLs; lists of microagg have users alone."""
    out = [name.replace("_", "-") for name in not_for(steps[-1].method)]
    publish = {name: v for name, v in options.publish(key_file).items() if name not in out}
    return {"command": "release", "read": options.read(), "steps": [s.request() for s in steps], "publish": publish}


def _make_parts(df: DataFrame, steps: list[Step], options: Options, staging: Staging) -> list[str]:
    """Releases the parts; gives their folders."""
    rows = _rows(df, options.columns)
    folder = staging.folder("parts")
    runtime = {name: v for name, v in options.runtime.items() if name != "progress"}  # tasks have no terminal
    work = partial(_part, schema=_arrow_schema(rows), folder=folder, runtime=runtime,
                   request=_request(steps, options, options.key_file or staging.key_file()))

    # the hints tell Spark to hand over a part batch by batch
    def each(key: tuple[pa.Scalar, ...], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from work(key, batches)

    with _divided(rows, steps, options) as (divided, n):
        # in one order: what ties are decided by must not depend on who sent a row first
        ordered = divided.repartition(n, "part").sortWithinPartitions(
            "part", *[name for name in ("user", "time", "query", "rank", "url") if name in divided.columns])
        done = ordered.groupBy("part").applyInArrow(each, "part int").collect()
    return [os.path.join(folder, f"part-{part:05}") for part in sorted(int(row["part"]) for row in done)]


def _arrow_schema(rows: DataFrame) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(rows.schema, timezone="UTC")


def _join(parts: list[str], out: str, options: Options) -> Release:
    wanted: dict[str, Any] = {"output": out, "time-limit": "none"}
    wanted.update({name: v for name, v in options.manifest().items() if name in ("title", "date", "report")})
    if options.force:
        wanted["force"] = True
    answer = run({"command": "join", "inputs": [{"path": part} for part in parts], "options": wanted}, [],
                 Runtime(**options.runtime))
    result = Result("join", answer.report, answer.yes)
    if not answer.yes:
        raise NothingPublished("; ".join(answer.errors) or "nothing can be published that keeps the promise", result)
    return Release._made(out, None, "", result, None)


def publish(df: DataFrame, steps: list[Step], out: str, options: Options) -> Release:
    """Divides the users, releases each part in a task, and joins the parts in `out`.

    Nothing appears before the whole is checked; the parts and a key that was drawn go in any case."""
    _check(steps)
    with Staging(out) as staging:
        return _join(_make_parts(df, steps, options, staging), out, options)
