# SPDX-License-Identifier: Apache-2.0
"""What `lethe profile` says of a log, as far as counting gives it (src/measure/profile.c)."""

from __future__ import annotations

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
    facts, counts = log_facts(df, user, query, url, time, cache)
    read = _row(counts)
    texts = _row(_texts(facts))
    users = _row(_users(facts))
    urls = _row(facts.agg(F.count_distinct(_URL).alias("urls")))["urls"]
    cache.free()
    all_queries, all_texts, rows = texts["queries_1"], texts["texts_1"], texts["rows_1"]
    left = {t: _share(texts[f"queries_{t}"], all_queries) for t in (2, 3, 5)}
    metrics = {
        "rows": rows,
        "rejected": read["rejected"],
        "empty": read["empty"],
        "users": users["users"],
        "queries": all_queries,
        "distinct_queries": all_texts,
        "once_share": _share(texts["once"], all_texts),
        "le3_share": _share(texts["le3"], all_texts),
        "unique_user_share": _share(users["alone"], users["users"]),
        **{f"left_t{t}": share for t, share in left.items()},
        "left_q2": _share(texts["queries_of_2"], all_queries),
        "left_q4": _share(texts["queries_of_4"], all_queries),
        "terms_per_query": _share(texts["terms"], all_queries),
        "clicks": users["clicks"],
        "urls": urls,
        "per_user": {name: {key: users[f"{name}_{key}"] or 0 for key in ("mean", "median", "min", "max")}
                     for name in ("rows", "distinct_queries", "distinct_clicks", "days")},
        "survival": [{"t": t, "texts": texts[f"texts_{t}"],
                      "queries": _share(texts[f"queries_{t}"], all_queries),
                      "rows": _share(texts[f"rows_{t}"], rows)} for t in _SURVIVAL],
        "histograms": {
            "texts_by_users": _histogram(texts["by_users"]),
            "texts_by_queries": _histogram(texts["by_queries"]),
            "users_by_queries": _histogram(users["by_queries"]),
            "users_by_clicks": _histogram(users["by_clicks"]),
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


def _buckets(value: str, name: str) -> Column:
    """How many values are in each bucket."""
    of = F.col(value)
    within = [of == 0, *((of > low) & (of <= high) for low, high in zip(_ENDS, _ENDS[1:]))]
    return F.array(*(_sum(F.when(bucket, 1)) for bucket in within)).alias(name)


def _histogram(counts: list[int]) -> list[dict[str, int]]:
    """Without empty buckets at its end, and without that of 0 where it is empty."""
    used = max((i + 1 for i, n in enumerate(counts) if n), default=0)
    return [{"from": _ENDS[i - 1] + 1 if i else 0, "to": _ENDS[i], "count": counts[i]}
            for i in range(0 if counts[0] else 1, used)]


def _texts(facts: DataFrame) -> DataFrame:
    """Sums over distinct texts; a user's rows with one text and time are one query."""
    queries = facts.groupBy(_QUERY, _OWNER, _TIME).agg(F.count(F.lit(1)).alias("rows"))
    users = queries.groupBy(_QUERY, _OWNER).agg(F.count(F.lit(1)).alias("queries"),
                                                F.sum("rows").alias("rows"))
    texts = users.groupBy(_QUERY).agg(F.count(F.lit(1)).alias("users"), F.sum("queries").alias("queries"),
                                      F.sum("rows").alias("rows"))
    words = F.length(_QUERY) - F.length(F.replace(F.col(_QUERY), F.lit(" "), F.lit(""))) + 1
    sums = [_sum(F.when(F.col("queries") == 1, 1)).alias("once"),
            _sum(F.when(F.col("queries") <= 3, 1)).alias("le3"),
            _sum(words * F.col("queries")).alias("terms")]
    sums += [_sum(F.when(F.col("queries") >= n, F.col("queries"))).alias(f"queries_of_{n}") for n in (2, 4)]
    for t in _SURVIVAL:
        enough = F.col("users") >= t
        sums += [_sum(F.when(enough, 1)).alias(f"texts_{t}"),
                 _sum(F.when(enough, F.col("queries"))).alias(f"queries_{t}"),
                 _sum(F.when(enough, F.col("rows"))).alias(f"rows_{t}")]
    return texts.agg(*sums, _buckets("users", "by_users"),
                     _buckets("queries", "by_queries"))


def _users(facts: DataFrame) -> DataFrame:
    """Sums over users.  One is alone who has a text that nobody else has."""
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
    users = texts.join(clicks, _OWNER, "left").join(days, _OWNER, "left").join(lone, _OWNER, "left") \
        .na.fill(0, ["distinct_clicks", "clicks", "days", "alone"])
    sums = [F.count(F.lit(1)).alias("users"), _sum(F.col("alone")).alias("alone"),
            _sum(F.col("clicks")).alias("clicks"), _buckets("distinct_queries", "by_queries"),
            _buckets("distinct_clicks", "by_clicks")]
    for name in ("rows", "distinct_queries", "distinct_clicks", "days"):
        mean = F.sum(name).cast("double") / F.count(F.lit(1))
        sums += [F.when(F.count(F.lit(1)) > 0, mean).alias(f"{name}_mean"),
                 F.percentile(name, 0.5).alias(f"{name}_median"), F.min(name).alias(f"{name}_min"),
                 F.max(name).alias(f"{name}_max")]
    return users.agg(*sums)
