# SPDX-License-Identifier: Apache-2.0
"""threshold: only texts that enough people issued (src/method/log/threshold.c).

Texts are counted by class: those with the same words, or each text by itself.  Most classes have one
text, or one that has enough by itself; the persons of the others are counted once more, each of
them once.  Python sees each distinct text once, and each distinct URL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .._errors import Error
from ._columns import (
    BROADCAST_ROWS,
    Cache,
    cell,
    need_columns,
    quoted,
    seconds,
    time_cut,
    unreadable,
    with_columns,
    with_normal,
)

# What is counted with: columns beside those of the caller.
_OWNER, _USER, _QUERY, _TIME, _URL = (f"_lethe_{n}" for n in ("owner", "user", "query", "time", "url"))
_HASH = r"\A#[0-9a-f]{32}\z"
_CHOICES = {"by": ("users", "queries", "rows"), "same": ("exact", "words"),
            "rare": ("drop", "hash"), "clicks": ("threshold", "all"), "as_": ("log", "counts"),
            "times": ("exact", "hour", "day", "week", "month", "drop"),
            "urls": ("host", "id", "keep", "drop")}


@dataclass(frozen=True)
class How:
    """Options of the method, and of the release that it is for."""

    t: int = 5
    by: str = "users"
    same: str = "words"
    rare: str = "drop"
    clicks: str = "threshold"
    as_: str = "log"
    times: str = "exact"
    urls: str = "keep"
    key_file: str | None = None

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise Error("usage", f"{name}: {getattr(self, name)!r} is none of "
                                     f"{', '.join(choices)}", option=name)
        if isinstance(self.t, bool) or not isinstance(self.t, int) or not 1 <= self.t <= 10**9:
            raise Error("usage", f"t: {self.t!r} is no whole number from 1 to 1000000000", option="t")
        if self.rare == "hash" and self.as_ == "counts":
            raise Error("usage", "rare='hash' does not apply to as_='counts': a hash stands for the "
                                 "text of a row, and no rows are published", option="rare")
        if self.rare == "hash" and self.key_file is None:
            raise Error("usage", "rare='hash' needs key_file", option="key_file")

    @property
    def unit(self) -> str:
        """What times of queries are told apart by."""
        return "exact" if self.as_ == "counts" else self.times


# --- counting ---


def _counted(rows: DataFrame, by: str, what: list[str], unit: str) -> DataFrame:
    """By `what`: `n` users, queries or rows, distinct `users`, and `rows`.

    All that is counted together is brought together first, which is one shuffle for all groupings."""
    rows = rows.select(*what, _OWNER, _USER, _TIME).repartition(*what)
    if by == "queries":
        rows = rows.withColumn(_TIME, time_cut(F.col(_TIME), unit))
        queries = rows.groupBy(*what, _OWNER, _USER, _TIME).agg(F.count(F.lit(1)).alias("rows"))
        users = queries.groupBy(*what, _OWNER).agg(F.count(F.lit(1)).alias("n"),
                                                   F.sum("rows").alias("rows"))
        return users.groupBy(*what).agg(F.sum("n").alias("n"), F.count(F.lit(1)).alias("users"),
                                        F.sum("rows").alias("rows"))
    users = rows.groupBy(*what, _OWNER).agg(F.count(F.lit(1)).alias("rows"))
    counts = users.groupBy(*what).agg(F.count(F.lit(1)).alias("users"), F.sum("rows").alias("rows"))
    return counts.withColumn("n", F.col("users" if by == "users" else "rows"))


def _classes(rows: DataFrame, how: How, value: str, queries: list[str], unit: str,
             key_of: Callable[[DataFrame], DataFrame] | None, exact: bool, all_: bool,
             cache: Cache) -> DataFrame:
    """The distinct values of a column with their class: `key`, its count `total`, the most common
    of its values as `best`, and `rows` of the value; only of classes that may have enough, unless
    `all_` is asked for.

    `queries` are the columns that tell queries apart beside user and time.  `exact`: totals are
    published; otherwise those of classes that one value decides are the least they can be."""
    facts = rows.select(value, _OWNER, F.struct(_USER, *queries).alias(_USER) if queries else F.col(_USER),
                        _TIME)
    counts = _counted(facts, how.by, [value], unit)
    enough = F.lit(True) if all_ else F.col("most") >= how.t
    if key_of is None:
        return counts.withColumn("most", F.col("n")).where(enough).select(
            F.col(value), F.col(value).alias("key"), F.col("n").alias("total"),
            F.col(value).alias("best"), "rows")
    each = Window.partitionBy("key")
    order = F.struct((-F.col("users")).alias("a"), F.octet_length(value).alias("b"),
                     F.col(value).alias("c"))
    found = key_of(counts).select(
        value, "key", "rows", F.max("n").over(each).alias("least"), F.sum("n").over(each).alias("most"),
        F.min(order).over(each)["c"].alias("best")).where(enough)
    if how.by == "rows":  # no row is counted twice
        return found.select(value, "key", F.col("most").alias("total"), "best", "rows")
    found = cache.keep(found)[0]
    open_ = (F.col("most") >= how.t) & (F.col("least") < F.col("most"))
    if not exact:
        open_ &= F.col("least") < how.t
    again = found.where(open_).select(value, "key")
    n = again.count()
    if n == 0:
        return found.select(value, "key", F.col("least").alias("total"), "best", "rows")
    totals = _counted(facts.join(F.broadcast(again) if n <= BROADCAST_ROWS else again, value),
                      how.by, ["key"], unit)
    return found.join(totals.select("key", F.col("n").alias("exact")), "key", "left").select(
        value, "key", F.coalesce("exact", "least").alias("total"), "best", "rows")


def _words_key(texts: DataFrame) -> DataFrame:
    return with_columns(texts, _QUERY, {"key": {"function": "words-key"}})


def _host(urls: DataFrame) -> DataFrame:
    """Of URLs without a host, of which nothing is published, the key is the empty text."""
    return with_columns(urls, _URL, {"key": {"function": "clicked-host"}})


# What is published of a row's text; whether that is a hash; whether many clicked the address; and
# whether the click is published.
_TEXT, _HASHED, _COMMON, _CLICK = (f"_lethe_{n}" for n in ("text", "hashed", "common", "click"))


def _texts(rows: DataFrame, how: How, cache: Cache) -> DataFrame:
    """The distinct texts that may stay: `best`, which is published in place of each, `is_kept`,
    `total`, `rows`."""
    found = _classes(rows, how, _QUERY, [], how.unit, _words_key if how.same == "words" else None,
                     how.as_ == "counts", how.rare == "hash", cache)
    kept = F.col("total") >= how.t
    if how.rare == "hash":  # what looks like a hash would pass for one
        kept &= ~F.col("best").rlike(_HASH)
    return found.withColumn("is_kept", kept)


def _published_texts(texts: DataFrame, how: How) -> DataFrame:
    """Of each text that stays: what is published as `_TEXT`, whether that is a hash, `rows`."""
    if how.rare != "hash":
        return texts.where("is_kept").select(_QUERY, F.col("best").alias(_TEXT),
                                             F.lit(False).alias(_HASHED), "rows")
    hashed = with_columns(texts.select(_QUERY, "best", "is_kept", "rows"), _QUERY, {
        "hash": {"function": "text-hash", "key-file": how.key_file, "options": {"same": how.same}}})
    return hashed.select(_QUERY, F.when(F.col("is_kept"), F.col("best")).otherwise(F.col("hash"))
                         .alias(_TEXT), (~F.col("is_kept")).alias(_HASHED), "rows")


# --- rows ---



def _log(facts: DataFrame, how: How, has_urls: bool,
         cache: Cache) -> tuple[DataFrame, DataFrame, DataFrame | None]:
    """The rows that stay, with `_TEXT` and `_CLICK`; the published texts; and the clicked addresses
    that are published, None: all are."""
    texts = cache.keep(_published_texts(_texts(facts, how, cache), how))[0]
    stay = facts.join(texts.drop("rows"), _QUERY)
    if how.clicks != "threshold" or how.urls == "drop" or not has_urls:
        return stay.withColumn(_CLICK, ~F.col(_HASHED)), texts, None
    # what is published tells queries apart, not what was typed
    clicks = stay.where(~F.col(_HASHED) & F.col(_URL).isNotNull())
    found = _classes(clicks, how, _URL, [_TEXT] if how.by == "queries" else [], how.times,
                     _host if how.urls == "host" else None, False, False, cache)
    enough = F.col("total") >= how.t
    if how.urls == "host":
        enough |= F.col("key") == ""
    urls = cache.keep(found.where(enough).select(_URL, "rows", F.lit(True).alias(_COMMON)))[0]
    rows = stay.join(urls.drop("rows"), _URL, "left")
    shown = ~F.col(_HASHED) & (F.col(_URL).isNull() | F.col(_COMMON).isNotNull())
    return rows.withColumn(_CLICK, shown), texts, urls


def _sum(name: str, which: Column) -> Column:
    return F.coalesce(F.sum(F.when(which, F.col(name))), F.lit(0)).cast("bigint")


def _figures(facts: DataFrame, texts: DataFrame, urls: DataFrame | None) -> DataFrame:
    """One row with the figures of the method: sums over texts and addresses, which a task that
    runs twice does not change."""
    kept = ~F.col(_HASHED)
    all_ = facts.agg(F.count(F.lit(1)).alias("all"))
    made = texts.agg(_sum("rows", kept).alias("rows_kept"), _sum("rows", ~kept).alias("rows_hashed"),
                     F.count_distinct(F.when(kept, F.col(_TEXT))).alias("queries_kept"))
    dropped = F.lit(0).cast("bigint")
    made = made.crossJoin(all_)
    if urls is not None:
        clicks = facts.join(texts.where(kept).select(_QUERY), _QUERY).agg(
            F.count(F.col(_URL)).alias("clicks"))
        made = made.crossJoin(clicks).crossJoin(urls.agg(_sum("rows", F.lit(True)).alias("common")))
        dropped = F.col("clicks") - F.col("common")
    return made.select("rows_kept", "rows_hashed",
                       (F.col("all") - F.col("rows_kept") - F.col("rows_hashed"))
                       .alias("rows_suppressed"), "queries_kept", dropped.alias("clicks_dropped"))


def how_of(values: dict[str, Any], times: str, urls: str, key_file: str | None) -> How:
    given = {"as_" if k == "as" else k: v for k, v in values.items() if v is not None}
    return How(**given, times=times, urls=urls, key_file=key_file)


def threshold_rows(rows: DataFrame, values: dict[str, Any], times: str, urls: str,
                   key_file: str | None) -> tuple[DataFrame, DataFrame, Callable[[], None]]:
    """The method on canonical rows of a log, for a release with these times, URLs and key.

    Returns
    -------
    The rows that stay, or with as_="counts" the texts with their count (`text`, `count`); the
    figures of the method, one row; and what frees the memory that both need, once they are used."""
    how = how_of(values, times, urls, key_file)
    cache = Cache()
    facts = rows.select("*", F.col("owner").alias(_OWNER), F.col("user").alias(_USER),
                        F.col("query").alias(_QUERY), F.col("time").alias(_TIME),
                        F.when(F.length("url") > 0, F.col("url")).alias(_URL))
    if how.as_ == "counts":
        found = cache.keep(_texts(facts, how, cache).where("is_kept"))[0]
        return (_text_counts(found), _figures(facts, _published_texts(found, how), None), cache.free)
    made, texts, addresses = _log(facts, how, True, cache)
    return made.select(
        "owner", "user", F.col(_TEXT).alias("query"), "time",
        F.when(F.col(_CLICK), F.col("rank")).alias("rank"),
        F.when(F.col(_CLICK), F.col("url")).alias("url")), _figures(facts, texts, addresses), cache.free


def _text_counts(texts: DataFrame) -> DataFrame:
    """A row per class, not per text."""
    return texts.where("is_kept").groupBy("best").agg(F.max("total").alias("count")) \
        .withColumnRenamed("best", "text")


# --- the transform ---


def threshold(t: int = 5, *, user: str, query: str, url: str | None = None,
              rank: str | None = None, time: str | None = None, by: str = "users",
              same: str = "words", rare: str = "drop", clicks: str = "threshold",
              as_: str = "log", times: str = "exact", urls: str = "keep",
              key_file: str | None = None) -> Callable[[DataFrame], DataFrame]:
    """Keeps the rows whose query text at least `t` users issued.  A step: nothing is promised of
    what it gives, and only a release is checked.

    The texts are counted when the step is applied to a data frame; Spark keeps those that many
    issued as a cached table (`spark.catalog.clearCache()` drops it).  The data frame is read several
    times, and must have the same rows each time.

    ::

        df.transform(ls.threshold(t=5, user="client_id", query="user_query", url="clicked"))

    Rows keep all their columns, with the text in its normal form or, with `same="words"`, as the
    most common of the texts with the same words.  Where too few users clicked an address, the
    columns `url` and `rank` are null.  Rows without a user or a text, without a time where `time` is
    given, or with a tab or a line end in user, text or URL, are left out, as lethe leaves them out of
    a log.

    Parameters
    ----------
    user, query, url, rank, time
        names of columns; `time` counts with by="queries" alone
    t, by, same, rare, clicks, as_
        as of `lethe.threshold`; as_="counts" gives the columns `text` and `count`
    times, urls
        as what times and URLs will be published, where that is not as they are: "day" counts a
        user's queries with one text once per day, and "host" counts clicks by host
    key_file
        for rare="hash": the path of a key that executors can read
    """
    how = How(t, by, same, rare, clicks, as_, times, urls, key_file)
    if by == "queries" and time is None and how.unit != "drop":
        raise Error("usage", "by='queries' needs the column of times: give time, or times='drop' to "
                             "count a user once", option="time")

    def step(df: DataFrame) -> DataFrame:
        need_columns(df, {"rank": rank})
        cache = Cache()
        facts = log_facts(df, user, query, url, time, cache)[0]
        if how.as_ == "counts":
            return _text_counts(_texts(facts, how, cache))
        rows = _log(facts, how, url is not None, cache)[0]
        shown = {query: F.col(_TEXT)}
        for name in (url, rank):
            if name is not None:
                shown[name] = F.when(F.col(_CLICK), F.col(quoted(name)))
        return rows.select(*(shown[name].alias(name) if name in shown else F.col(quoted(name))
                             for name in df.columns))

    return step


def log_facts(df: DataFrame, user: str, query: str, url: str | None, time: str | None,
              cache: Cache) -> tuple[DataFrame, DataFrame]:
    """Rows as the readers of logs take them, with the columns to count with; and how many rows there
    are: one row with `read`, `rejected` (without a user, without a time where there is a column of
    times, or with what no field may hold) and `empty`, without a text."""
    need_columns(df, {"user": user, "query": query, "url": url, "time": time})
    if dict(df.dtypes)[query] != "string":
        raise Error("usage", f"column '{query}' is {dict(df.dtypes)[query]}: a query is a text",
                    option="query")
    nothing = F.lit(None)
    facts = with_normal(df, query, _QUERY, cache).select(
        "*", F.when(~unreadable(F.col(quoted(user))), cell(F.col(quoted(user)))).alias(_OWNER),
        (seconds(time, df.schema[time].dataType) if time else nothing.cast("bigint")).alias(_TIME),
        (cell(F.col(quoted(url))) if url else nothing.cast("string")).alias(_URL))
    whole = F.col(_OWNER).isNotNull() & ~unreadable(F.col(quoted(query)))
    if url is not None:
        whole &= ~unreadable(F.col(quoted(url)))
    if time is not None:
        whole &= F.col(_TIME).isNotNull()
    empty = F.coalesce(F.col(_QUERY) == "", F.lit(True))
    counts = facts.agg(F.count(F.lit(1)).alias("read"), F.count_if(~whole).alias("rejected"),
                       F.count_if(whole & empty).alias("empty"))
    if url is None and time is None:  # what is unreadable has no normal form
        whole = F.col(_OWNER).isNotNull()
    return facts.where(whole & (F.col(_QUERY) != "")).withColumn(_USER, F.col(_OWNER)), counts
