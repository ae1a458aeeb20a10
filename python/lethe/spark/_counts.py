# SPDX-License-Identifier: Apache-2.0
"""What `lethe profile` says of a log, as far as counting gives it (src/measure/profile.c)."""

from __future__ import annotations

import bisect
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from .._results import Result
from ._columns import Cache
from ._threshold import _OWNER, _QUERY, _TIME, _URL, log_facts

_SURVIVAL = (1, 2, 3, 5, 10, 20, 50, 100)
# Of the report of lethe.profile, what takes more than counting.
NOT_COMPUTED = ("invalid_utf8", "noun_share", "pii", "pii_examples")


def profile(df: DataFrame, *, user: str, query: str, url: str | None = None,
            time: str | None = None) -> Result:
    """What a log contains and how identifying it is: the figures of `lethe.profile` with the same
    names and values.

    Those that look into texts are not computed: personal data (`pii`) and nouns; and `invalid_utf8`.
    They are listed as `not_computed`; `lethe.profile` of a sample has them.

    Parameters
    ----------
    user, query, url, time
        names of columns; a time is a timestamp, a date, or seconds since 1970 as a whole number
    """
    cache = Cache()
    try:
        return _profile(df, user, query, url, time, cache)
    finally:
        cache.free()


def _profile(df: DataFrame, user: str, query: str, url: str | None, time: str | None, cache: Cache) -> Result:
    facts, counts = log_facts(df, user, query, url, time, cache)
    read = _row(counts)
    texts = [row.asDict() for row in _texts(facts).collect()]
    of_users = cache.keep(_users(facts))[0]
    users = _row(_spreads(of_users))
    buckets = [row.asDict() for row in of_users.groupBy(
        _bucket("distinct_queries").alias("q"), _bucket("distinct_clicks").alias("c"))
        .agg(F.count(F.lit(1)).alias("n")).collect()]
    urls = _row(facts.agg(F.count_distinct(_URL).alias("urls")))["urls"]

    def total(name: str, least_users: int = 0, queries: range = range(0, 1 << 62)) -> int:
        return sum(int(row[name]) for row in texts
                   if row["users"] >= least_users and row["queries"] in queries)

    all_queries, all_texts, rows = total("all"), total("n"), total("rows")
    metrics = {
        "rows": rows,
        "rejected": read["rejected"],
        "empty": read["empty"],
        "users": users["users"],
        "queries": all_queries,
        "distinct_queries": all_texts,
        "once_share": _share(total("n", queries=range(2)), all_texts),
        "le3_share": _share(total("n", queries=range(4)), all_texts),
        "unique_user_share": _share(users["alone"], users["users"]),
        **{f"left_t{t}": _share(total("all", t), all_queries) for t in (2, 3, 5)},
        **{f"left_q{n}": _share(total("all", queries=range(n, 1 << 62)), all_queries) for n in (2, 4)},
        "terms_per_query": _share(total("terms"), all_queries),
        "clicks": users["clicks"],
        "urls": urls,
        "per_user": {name: {key: users[f"{name}_{key}"] or 0 for key in ("mean", "median", "min", "max")}
                     for name in ("rows", "distinct_queries", "distinct_clicks", "days")},
        "survival": [{"t": t, "texts": total("n", t), "queries": _share(total("all", t), all_queries),
                      "rows": _share(total("rows", t), rows)} for t in _SURVIVAL],
        "histograms": {
            "texts_by_users": _histogram(texts, "users"),
            "texts_by_queries": _histogram(texts, "queries"),
            "users_by_queries": _histogram(buckets, "q"),
            "users_by_clicks": _histogram(buckets, "c"),
        },
    }
    return Result("profile", {"command": "profile", "metrics": metrics,
                              "counts": {"read": read["read"], "published": 0, "suppressed": read["empty"],
                                         "rejected": read["rejected"]},
                              "not_computed": list(NOT_COMPUTED)}, True)


def _row(one: DataFrame) -> dict[str, Any]:
    found = one.first()
    assert isinstance(found, Row)
    return found.asDict()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _sum(value: Column) -> Column:
    return F.coalesce(F.sum(value), F.lit(0))


# Where buckets end: 0, 1, 2, 5, 10, 20, 50, ...
_ENDS = [0, *(10**power * step for power in range(12) for step in (1, 2, 5))]


def _bucket(value: str, exact: int = 0) -> Column:
    """The end of the bucket that a value is in; up to `exact` the value itself."""
    of = F.col(value)
    end = F.when(of <= exact, of)
    for high in _ENDS:
        if high >= exact:
            end = end.when(of <= high, F.lit(high))
    return end


def _histogram(rows: list[dict[str, Any]], name: str) -> list[dict[str, int]]:
    """Without empty buckets at its end, and without that of 0 where it is empty."""
    counts = [0] * len(_ENDS)
    for row in rows:
        counts[bisect.bisect_left(_ENDS, row[name])] += row["n"]
    used = max((i + 1 for i, n in enumerate(counts) if n), default=0)
    return [{"from": _ENDS[i - 1] + 1 if i else 0, "to": _ENDS[i], "count": counts[i]}
            for i in range(0 if counts[0] else 1, used)]


def _texts(facts: DataFrame) -> DataFrame:
    """Distinct texts by `users` and `queries`, which are exact as far as figures need that, then ends
    of buckets: a few hundred rows, with sums.  A user's rows with one text and time are one query."""
    facts = facts.select(_QUERY, _OWNER, _TIME).repartition(_QUERY)
    queries = facts.groupBy(_QUERY, _OWNER, _TIME).agg(F.count(F.lit(1)).alias("rows"))
    users = queries.groupBy(_QUERY, _OWNER).agg(F.count(F.lit(1)).alias("queries"),
                                                F.sum("rows").alias("rows"))
    texts = users.groupBy(_QUERY).agg(F.count(F.lit(1)).alias("users"), F.sum("queries").alias("all"),
                                      F.sum("rows").alias("rows"))
    words = F.length(_QUERY) - F.length(F.replace(F.col(_QUERY), F.lit(" "), F.lit(""))) + 1
    return texts.groupBy(_bucket("users", _SURVIVAL[-1]).alias("users"), _bucket("all", 5).alias("queries")) \
        .agg(F.count(F.lit(1)).alias("n"), F.sum("all").alias("all"), F.sum("rows").alias("rows"),
             F.sum(words * F.col("all")).alias("terms"))


def _users(facts: DataFrame) -> DataFrame:
    """The figures of each user.  One is alone who has a text that nobody else has."""
    pairs = facts.groupBy(_QUERY, _OWNER).agg(F.count(F.lit(1)).alias("rows"))
    lone = pairs.groupBy(_QUERY).agg(F.count(F.lit(1)).alias("n"), F.min(_OWNER).alias(_OWNER)) \
        .where("n = 1").select(_OWNER).distinct().withColumn("alone", F.lit(1))
    texts = pairs.groupBy(_OWNER).agg(F.count(F.lit(1)).alias("distinct_queries"),
                                      F.sum("rows").alias("rows"))
    clicks = facts.where(F.col(_URL).isNotNull()).groupBy(_OWNER, _URL).agg(F.count(F.lit(1)).alias("all")) \
        .groupBy(_OWNER).agg(F.count(F.lit(1)).alias("distinct_clicks"), F.sum("all").alias("clicks"))
    day = F.floor(F.col(_TIME) / 86400).alias("day")
    days = facts.where(F.col(_TIME).isNotNull()).select(_OWNER, day).distinct() \
        .groupBy(_OWNER).agg(F.count(F.lit(1)).alias("days"))
    return texts.join(clicks, _OWNER, "left").join(days, _OWNER, "left").join(lone, _OWNER, "left") \
        .na.fill(0, ["distinct_clicks", "clicks", "days", "alone"]).drop(_OWNER)


def _spreads(users: DataFrame) -> DataFrame:
    sums = [F.count(F.lit(1)).alias("users"), _sum(F.col("alone")).alias("alone"),
            _sum(F.col("clicks")).alias("clicks")]
    for name in ("rows", "distinct_queries", "distinct_clicks", "days"):
        mean = F.sum(name).cast("double") / F.count(F.lit(1))
        sums += [F.when(F.count(F.lit(1)) > 0, mean).alias(f"{name}_mean"),
                 F.percentile(name, 0.5).alias(f"{name}_median"), F.min(name).alias(f"{name}_min"),
                 F.max(name).alias(f"{name}_max")]
    return users.agg(*sums)
