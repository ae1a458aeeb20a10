# SPDX-License-Identifier: Apache-2.0
"""What of a log is left in its release, as far as counting gives it (src/measure/sizes.c)."""

from __future__ import annotations

import os
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .._errors import Error
from .._release import Release
from .._results import Result
from ._columns import Cache
from ._counts import _row, _share
from ._errors import on_driver
from ._threshold import _OWNER, _QUERY, _TIME, _URL, log_facts
from ._verify import Broken, data_files, manifest_of, rows_of


def _sizes(rows: DataFrame, user: Column, query: Column, time: Column, url: Column) -> dict[str, int]:
    """A user's rows with one text and time are one query."""
    rows = rows.select(user.alias("u"), query.alias("q"), time.alias("t"), F.when(url != "", url).alias("c"))
    queries = rows.groupBy("u", "q", "t").agg(F.count(F.lit(1)).alias("rows"))
    told = _row(queries.agg(F.sum("rows").alias("rows"), F.count_distinct("u").alias("users"),
                            F.count(F.lit(1)).alias("queries"), F.count_distinct("q").alias("distinct_queries")))
    words = queries.select("q").distinct().select(F.explode(F.split("q", " ")).alias("word"))
    clicks = _row(rows.agg(F.count("c").alias("clicks"), F.count_distinct("c").alias("urls")))
    terms = words.where(F.col("word") != "").distinct().count()
    return {name: int(value or 0) for name, value in {**told, "distinct_terms": terms, **clicks}.items()}


def measure(release: Release | str | os.PathLike[str], original: DataFrame, *, user: str, query: str,
            url: str | None = None, time: str | None = None) -> Result:
    """How much of a log is left in its release: rows, users, queries, distinct texts and words, clicks and URLs,
    as `lethe.measure` names and counts them.  Its other figures (sessions, terms, patterns) are not computed.

    Parameters
    ----------
    release
        a release of a log, or its folder
    original
        the data frame that it was made of
    user, query, url, time
        names of columns; a time is a timestamp, a date, or seconds since 1970 as a whole number
    """
    folder = os.path.abspath(release.folder if isinstance(release, Release) else os.fspath(release))
    cache = Cache()
    with on_driver():
        try:
            published = rows_of(folder, data_files(folder, manifest_of(folder)), original.sparkSession)
            facts = log_facts(original, user, query, url, time, cache)[0]
            before = _sizes(facts, *(F.col(name) for name in (_OWNER, _QUERY, _TIME, _URL)))
            after = _sizes(published, *(F.col(name) for name in ("user", "query", "time", "url")))
        except Broken as e:
            raise Error("input", f"'{folder}' is not a whole release of a log: {e}", folder) from None
        finally:
            cache.free()
    metrics: dict[str, Any] = {name: {"original": n, "published": after[name], "share": _share(after[name], n)}
                               for name, n in before.items()}
    return Result("measure", {"command": "measure", "metrics": metrics}, True)
