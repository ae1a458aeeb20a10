# SPDX-License-Identifier: Apache-2.0
"""Does a release keep its promise?  The library's checker reads all parts on the driver; or tasks read a part
each, and the promise is counted from its definition, by other code than what made it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from .._errors import Error
from .._functions import functions
from .._release import Release
from .._results import Result
from ._columns import unreadable, with_columns
from ._errors import in_task, on_driver
from ._options import Step
from ._rows import Part, report_batch, run_part

_HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
_ROWS = "user string, query string, time string, rank string, url string, report string"
_HASH = r"\A#[0-9a-f]{32}\z"
_PSEUDONYM = r"\A[a-z2-7]{16}\z"
_PAGE = "report.html"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIMES = {"exact": f"{_DAY} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}", "hour": f"{_DAY} [0-9]{{2}}", "day": _DAY, "week": _DAY,
          "month": "[0-9]{4}-[0-9]{2}", "drop": ""}
_URLS = ("host", "id", "keep", "drop")


def verify(release: Release | str | os.PathLike[str], spark: SparkSession | None = None, **options: Any) -> Result:
    """Checks whether a release keeps its promise.

    Without `spark`, the library's checker reads the files here, as `lethe verify` does; what exceeds its memory
    goes to disk.  With a session, tasks read them, and the definition is counted by Spark: digests, order and the
    promises of scrub and threshold.  What only the checker can tell is an error then.

    Returns
    -------
    a Result that is false if the release does not keep its promise; `counterexample` says why
    """
    folder = release.folder if isinstance(release, Release) else os.fspath(release)
    if spark is None:
        result: Result = functions["verify"](folder, **options)
        return result
    if options:
        name = next(iter(options))
        raise Error("usage", f"'{name}' is an option of verify without a session", option=name)
    with on_driver():
        return _counted(os.path.abspath(folder), spark)


def _answer(why: dict[str, Any] | None, claims: list[dict[str, Any]]) -> Result:
    report = {"command": "verify", "metrics": {"holds": why is None}, "claims": claims,
              "unchecked": ["the manifest's figures, caveats and verdict, and a report page: lethe.spark.verify without "
                            "a session"]}
    if why is not None:
        report["metrics"] = {"holds": False, "counterexample": why}
    return Result("verify", report, why is None)


class Broken(Exception):
    """What shows that the promise is not kept."""

    def __init__(self, reason: str, **values: Any) -> None:
        super().__init__(reason)
        self.why = {"reason": reason, **values}


# --- files ---


def manifest_of(folder: str) -> dict[str, Any]:
    try:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
            found = json.load(f)
    except (OSError, ValueError) as e:
        raise Error("io", f"'{folder}' is no release: its manifest.json cannot be read", folder) from e
    if not _is_manifest(found):
        raise Error("input", f"'{folder}': its manifest.json is not a manifest of lethe", folder)
    return dict(found)


def _is_manifest(found: Any) -> bool:
    """Are the parts that are counted with there, and of their kinds?"""
    if not isinstance(found, dict) or not isinstance(found.get("lethe"), str):
        return False
    steps, claims, files = (found.get(name) or [] for name in ("steps", "claims", "files"))
    lists = all(isinstance(v, list) and all(isinstance(one, dict) for one in v) for v in (steps, claims, files))
    return lists and bool(steps) \
        and all(isinstance(s.get("command"), str) and isinstance(s.get("parameters"), dict) for s in steps) \
        and all(isinstance(f.get("name"), str) and type(f.get("bytes")) is int for f in files) \
        and len({f["name"] for f in files}) == len(files)


# --- what the steps promise ---


def _promised(step: dict[str, Any]) -> dict[str, Any]:
    """The claim that a step of these parameters makes."""
    given = step["parameters"]
    if step["command"] == "scrub":
        return {"notion": "scrubbed", "kinds": str(given.get("kinds")).split(",")}
    claim = {"notion": "query-threshold", "t": given.get("t"), "by": given.get("by")}
    if given.get("rare") == "hash":
        claim["rare"] = "hash"
    if given.get("clicks") == "threshold":
        claim["clicked"] = "threshold"
    return claim


def _manifest_check(manifest: dict[str, Any]) -> dict[str, Any]:
    """Are the claims those of the steps, and can they be counted here?  Gives how the rows are published."""
    other = sorted({s["command"] for s in manifest["steps"]} - {"scrub", "threshold"})
    other += sorted({str(c.get("notion")) for c in manifest["claims"]} - {"scrubbed", "query-threshold"})
    published: dict[str, Any] = manifest["steps"][-1]["parameters"]
    if other or published.get("as") == "counts":
        raise Error("usage", f"what {', '.join(other) or 'counts'} promises cannot be counted on Spark: call verify "
                             "without a session")
    promised = [_promised(s) for s in manifest["steps"]]
    if json.dumps(promised, sort_keys=True) != json.dumps(manifest["claims"], sort_keys=True):
        raise Broken("the manifest's claims are not what its steps promise")
    for claim in promised:
        if claim["notion"] == "query-threshold" and (type(claim["t"]) is not int or claim["t"] < 1
                                                     or claim["by"] not in ("users", "queries", "rows")):
            raise Broken("the manifest's steps are not steps of lethe")
    if published.get("time") not in _TIMES or published.get("urls") not in _URLS \
            or not isinstance(published.get("keep-users"), bool):
        raise Broken("the manifest does not say how users, times and URLs are published")
    counts = manifest.get("counts")
    names = ("read", "published", "suppressed", "rejected")
    numbers: list[Any] = [counts.get(n) if isinstance(counts, dict) else None for n in names]
    if any(type(n) is not int or n < 0 for n in numbers) or 2 * numbers[0] != sum(numbers):
        raise Broken("the manifest's counts do not add up")
    return published


def data_files(folder: str, manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of the data, in their order; all files of the folder are named."""
    names = [f["name"] for f in manifest["files"]]
    present = sorted(n for n in os.listdir(folder) if n != "manifest.json")
    for name in present:
        if name not in names:
            raise Broken("the folder holds a file that the manifest does not name", file=name)
    for name in names:
        if os.path.basename(name) != name or not os.path.isfile(os.path.join(folder, name)) \
                or os.path.islink(os.path.join(folder, name)):
            raise Broken("a file that the manifest names is missing, or is not a regular file", file=name)
        if name != _PAGE and not re.fullmatch(r"data\.tsv|part-\d{5}\.tsv", name):
            raise Error("usage", "only the release of a log can be counted on Spark: call verify without a session")
    data = [f for f in manifest["files"] if f["name"] == "data.tsv" or re.fullmatch(r"part-\d{5}\.tsv", f["name"])]
    wanted = ["data.tsv"] if len(data) == 1 and data[0]["name"] == "data.tsv" else \
        [f"part-{i:05}.tsv" for i in range(len(data))]
    if not data or [f["name"] for f in data] != wanted:
        raise Error("usage", "only the release of a log can be counted on Spark: call verify without a session")
    return data


@in_task
def _read(batches: Iterator[Any], folder: str) -> Iterator[Any]:
    """The rows of the files that are named, and of each file what it is like."""
    schema = pa.schema([(n, pa.string()) for n in ("user", "query", "time", "rank", "url", "report")])
    for batch in batches:
        for name, first in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            with open(os.path.join(folder, name), "rb") as f:
                content = f.read()
            told: dict[str, Any] = {"name": name, "bytes": len(content), "digest": hashlib.blake2b(
                content, digest_size=32).hexdigest(), "fault": None, "rows": 0, "first": "", "last": ""}
            lines = _lines_of(content, first, told)
            if lines is not None and len(lines):
                told.update(rows=len(lines), first=lines[0].as_py(), last=lines[-1].as_py())
                yield from _columns(lines, told, schema)
            yield report_batch(schema, told)


def _read_by_tasks(folder: str, files: list[dict[str, Any]], spark: SparkSession) -> DataFrame:
    """Rows, and a report for each file."""
    names = spark.createDataFrame([(f["name"], i == 0) for i, f in enumerate(files)], "name string, first boolean")
    return names.repartition(min(len(files), 1000)).mapInArrow(lambda batches: _read(batches, folder), _ROWS)


def rows_of(folder: str, files: list[dict[str, Any]], spark: SparkSession) -> DataFrame:
    """The published rows as they are written, which nothing has checked."""
    return _read_by_tasks(folder, files, spark).where("report is null").drop("report")


def _lines_of(content: bytes, first: bool, told: dict[str, Any]) -> Any:
    if not content.endswith(b"\n"):
        told["fault"] = "a file does not end with a line end"
        return None
    try:
        lines = pa.array(content[:-1].decode("utf-8").split("\n"), pa.large_string())
    except UnicodeDecodeError:
        told["fault"] = "a line is not UTF-8"
        return None
    if first and lines[0].as_py() != _HEADER:
        told["fault"] = "the first line is not the header of a log"
        return None
    lines = lines.slice(1) if first else lines
    if len(lines) > 1 and not pc.all(pc.less_equal(lines.slice(0, len(lines) - 1), lines.slice(1))).as_py():
        told["fault"] = "lines are not in order of their bytes"
    return lines


def _columns(lines: Any, told: dict[str, Any], schema: Any) -> Iterator[Any]:
    fields = pc.split_pattern(lines, "\t")
    if not pc.all(pc.equal(pc.list_value_length(fields), 5)).as_py():
        told["fault"] = "a line does not have five fields"
        return
    columns = [pc.list_element(fields, i).cast(pa.string()) for i in range(5)]
    table = pa.table([*columns, pa.nulls(len(lines), pa.string())], schema=schema)
    yield from table.to_batches(max_chunksize=20_000)


def _files_check(told: list[dict[str, Any]], files: list[dict[str, Any]], manifest: dict[str, Any]) -> None:
    by_name = {t["name"]: t for t in told}
    last = ""
    for file in files:
        seen = by_name[file["name"]]
        if seen["bytes"] != file["bytes"] or seen["digest"] != file["blake2b"]:
            raise Broken("a file is not the one that the manifest describes", file=file["name"])
        if seen["fault"]:
            raise Broken(seen["fault"], file=file["name"])
        if seen["rows"] and seen["first"].encode() < last.encode():
            raise Broken("lines are not in order of their bytes", file=file["name"])
        last = seen["last"] if seen["rows"] else last
    rows = sum(t["rows"] for t in told)
    if rows != manifest.get("counts", {}).get("published"):
        raise Broken("the manifest's counts are not those of the rows", rows=rows)


# --- the form of fields ---


def _form(name: str, published: dict[str, Any]) -> Column:
    """Is a field as the release says that it is published?"""
    field = F.col(name)
    if name == "user":
        return (field != "") & (F.trim(field) == field) if published["keep-users"] else field.rlike(_PSEUDONYM)
    if name == "time":
        fits = (field == "") | field.rlike(rf"\A{_TIMES[published['time']]}\z")
        if published["time"] == "week":
            fits &= (field == "") | (F.weekday(F.try_to_timestamp(field, F.lit("yyyy-MM-dd"))) == 0)
        return fits
    if name == "rank":
        return (field == "") if published["urls"] == "drop" else field.rlike(r"\A(0|[1-9][0-9]*)?\z")
    return {"drop": field == "", "id": (field == "") | field.rlike(_PSEUDONYM)}.get(published["urls"], F.lit(True))


def _form_check(rows: DataFrame, published: dict[str, Any]) -> None:
    names = ("user", "time", "rank", "url")
    wrong = {name: ~F.coalesce(_form(name, published) & ~unreadable(F.col(name)), F.lit(False)) for name in names}
    told = rows.agg(*(F.count_if(is_wrong).alias(name) for name, is_wrong in wrong.items())).first()
    assert told is not None
    for name in names:
        if told[name]:
            raise Broken(f"{told[name]} lines have a {name} that is not as the release says it is published")
    texts = with_columns(rows.select("query").distinct(), "query", {"normal": {"function": "normal"}})
    if not texts.where("query = '' or normal is null or normal != query").isEmpty():
        raise Broken("a query is empty or not normalized")
    if published["urls"] == "host":  # an address of its host alone has that host
        hosts = rows.where("url != ''").select("url", F.concat(F.lit("http://"), "url", F.lit("/")).alias("at")).distinct()
        if not with_columns(hosts, "at", {"host": {"function": "host"}}).where("host is null or host != url").isEmpty():
            raise Broken("a URL is finer than the release says")


# --- promises ---


def _units(claim: dict[str, Any], what: str) -> Column:
    by = claim["by"]
    if by == "rows":
        return F.count(F.lit(1))
    if by == "users":
        return F.count_distinct("user")
    return F.count_distinct("user", "time") if what == "query" else F.count_distinct("user", "query", "time")


def _threshold_check(rows: DataFrame, claim: dict[str, Any]) -> None:
    texts = rows
    if claim.get("rare") == "hash":  # what looks like one and has a click is a text like any other
        clicked = rows.where(F.col("query").rlike(_HASH) & ((F.col("url") != "") | (F.col("rank") != "")))
        exempt = rows.where(F.col("query").rlike(_HASH)).select("query").distinct() \
            .join(clicked.select("query").distinct(), "query", "left_anti")
        texts = rows.join(exempt, "query", "left_anti")
    for what, counted in (("query", texts), ("url", rows.where("url != ''"))):
        if what == "url" and claim.get("clicked") != "threshold":
            continue
        few = counted.groupBy(what).agg(_units(claim, what).alias("n")).where(F.col("n") < claim["t"])
        first = few.orderBy(what).first()
        if first is not None:
            raise Broken(f"a published {what} has too few {claim['by']}", **{what: first[what]},
                          count=first["n"], needed=claim["t"])


@in_task
def _found(batches: Iterator[Any], part: Part) -> Iterator[Any]:
    """The rows in which the detectors find something: scrub would change them."""
    for batch in batches:
        table = pa.table({"user": pa.array(range(batch.num_rows), pa.int64()).cast(pa.string()),
                          "query": batch.column("query"), "url": batch.column("url")})
        out, _ = run_part(table, part)
        same = {row["user"]: (row["query"], row["url"] or "") for row in out.select(["user", "query", "url"]).to_pylist()}
        wrong = [i for i, (q, u) in enumerate(zip(batch.column("query").to_pylist(), batch.column("url").to_pylist(),
                                                  strict=True)) if same.get(str(i)) != (q, u or "")]
        yield batch.take(pa.array(wrong, pa.int64()))


def _scrubbed_check(rows: DataFrame, claim: dict[str, Any], urls: str) -> None:
    step = Step("scrub", {"kinds": claim["kinds"]})
    part = Part([step.request()], {"time": "exact", "urls": "keep"}, {}, 0, 1, canonical=False)
    url = F.col("url") if urls in ("host", "keep") else F.lit("")
    distinct = rows.select("query", url.alias("url")).distinct()
    first = distinct.mapInArrow(lambda batches: _found(batches, part), "query string, url string").first()
    if first is not None:
        raise Broken("the detectors find personal data", query=first["query"])


def _counted(folder: str, spark: SparkSession) -> Result:
    manifest = manifest_of(folder)
    claims = manifest["claims"]
    try:
        _check(folder, manifest, spark)
    except Broken as e:
        return _answer(e.why, claims)
    return _answer(None, claims)


def _check(folder: str, manifest: dict[str, Any], spark: SparkSession) -> None:
    published = _manifest_check(manifest)
    files = data_files(folder, manifest)
    read = _read_by_tasks(folder, files, spark).persist()
    try:
        told = [json.loads(r["report"]) for r in read.where("report is not null").select("report").collect()]
        _files_check(told, files, manifest)
        rows = read.where("report is null").drop("report")
        _form_check(rows, published)
        for claim in manifest["claims"]:
            if claim["notion"] == "query-threshold":
                _threshold_check(rows, claim)
            else:
                _scrubbed_check(rows, claim, published["urls"])
    finally:
        read.unpersist()
