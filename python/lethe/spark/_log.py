# SPDX-License-Identifier: Apache-2.0
"""Releases of logs: rows walk through the steps of a chain, spread over executors; the lines of the last
step are sorted and written in parts, and the library checks and publishes them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._call import Runtime, run
from .._errors import Error, NothingPublished
from .._release import Release
from .._results import Result
from . import _split
from ._errors import in_task
from ._options import Options, Step
from ._rows import ROWS, Part, Ran, columns_of, log, row_by_row, run_part, selected
from ._storage import Staging
from ._threshold import threshold_rows


ROW_BY_ROW = ("scrub", "seal")
METHODS = (*ROW_BY_ROW, "threshold", "split", "disconnect")


class _Account:
    """What steps have counted, as the manifest will have it."""

    def __init__(self) -> None:
        self.counts = {"read": 0, "rejected": 0, "suppressed": 0, "published": 0, "invalid_utf8": 0}
        self.metrics: dict[str, Any] = {}
        self.caveats: list[str] = []
        self.persons: dict[str, Any] | None = None

    def read(self, report: dict[str, Any]) -> None:
        counts = report.get("counts", {})
        for name in ("read", "rejected", "invalid_utf8"):
            self.counts[name] = counts.get(name, 0)

    def step(self, report: dict[str, Any]) -> None:
        self.counts["suppressed"] += report.get("counts", {}).get("suppressed", 0)
        self.metrics.update(report.get("metrics", {}))
        self.caveats += [c for c in report.get("caveats", ()) if c not in self.caveats]

    def write(self, folder: str) -> None:
        account = {"counts": self.counts, "metrics": self.metrics, "caveats": self.caveats}
        if self.persons is not None:
            account["persons"] = self.persons
        with open(os.path.join(folder, "account.json"), "w", encoding="utf-8") as f:
            json.dump(account, f, ensure_ascii=False)


# --- reading ---


def check_read(report: dict[str, Any]) -> None:
    """What the program asks of a whole input: that there is one, and that most of it is readable."""
    counts = report.get("counts", {})
    lines, rejected = counts.get("read", 0), counts.get("rejected", 0)
    causes = ", ".join(f"{n:,} {cause}" for cause, n in sorted(report.get("causes", {}).items()))
    if lines == 0:
        raise Error("input", "the data frame is empty")
    if rejected > lines // 10:
        raise Error("input", f"{rejected:,} of {lines:,} rows rejected ({causes}): not a log of these columns?")
    if rejected:
        log.warning("%s of %s rows rejected: %s", f"{rejected:,}", f"{lines:,}", causes)


# --- the steps ---


class _Chain:
    """The steps of a release, one after the other."""

    def __init__(self, df: DataFrame, steps: list[Step], options: Options, key_file: str) -> None:
        self.steps = steps
        self.requests = [s.request() for s in steps]
        self.publish = options.publish(key_file)
        self.read = options.read()
        self.options = options
        self.key_file = key_file
        self.account = _Account()
        self.free: list[Callable[[], object]] = []  # what frees the memory of steps
        self.renamed = False
        self.columns = columns_of(df, options.columns)
        self.rows = selected(df, self.columns)
        self.canonical = False
        self.check()

    def check(self) -> None:
        """Refuses what the library refuses of a chain and of its files, before anything is read."""
        if sum(s.method == "split" for s in self.steps) > 1:  # the owners of its rows are not known to the second
            raise Error("usage", "split cannot run on Spark behind split: its persons would be personas", option="chain")
        if "time" not in self.columns and any(s.values().get("epoch") for s in self.steps):
            raise Error("input", "no row has a time: epoch needs times", option="epoch")
        row = pa.table({"user": ["a"], "query": ["b"]})
        run_part(row, replace(self.part(0, 0), read={}))

    def part(self, first: int, end: int, lines: bool = False) -> Part:
        return Part(self.requests, self.publish, self.read, first, end, lines, self.canonical)

    def took(self, step: Ran, first: bool) -> dict[str, Any]:
        """Counts what a step has done; its rows are those of the next one."""
        self.free.append(step.free)
        report = step.report()
        if first:
            check_read(report)
            self.account.read(report)
        self.account.step(report)
        self.rows = step.rows
        self.canonical = True
        return report

    def row_steps(self, first: int) -> int:
        """Where the steps that look at each row alone end, from `first` on."""
        end = first
        while end < len(self.steps) and self.steps[end].method in ROW_BY_ROW:
            end += 1
        return end

    def run(self) -> Ran:
        """Runs all steps; gives the lines."""
        n = len(self.steps)
        i = self.row_steps(0)
        if i == n:
            return row_by_row(self.rows, self.part(0, n, lines=True))
        self.took(row_by_row(self.rows, self.part(0, i)), first=True)
        while i < n:
            method = self.steps[i].method
            end = self.row_steps(i + 1)
            if method == "split" and self.steps[end - 1].method == "seal":
                return self.split(i, n, lines=True)
            if method == "split":
                self.took(self.split(i, i + 1), first=False)
            elif method == "threshold":
                self.threshold(i)
            elif method == "disconnect":
                self.disconnect(i)
            elif end == n and not self.renamed:
                return row_by_row(self.rows, self.part(i, n, lines=True))
            else:
                self.rename_check(end)
                self.took(row_by_row(self.rows, replace(self.part(i, end), renamed=self.renamed)), first=False)
                i = end - 1
            i += 1
        return row_by_row(self.rows, self.part(n, n, lines=True))

    def rename_check(self, end: int) -> None:
        """A sealed row has a share of its owner's, so it must be known who that is."""
        if self.renamed and self.steps[end - 1].method == "seal":
            raise Error("usage", "seal cannot run on Spark behind split and another step: put it before split, or right "
                                 "behind it")

    def split(self, first: int, end: int, lines: bool = False) -> Ran:
        self.renamed = True
        return _split.split(self.rows, self.steps[first], self.part(first, end, lines))

    def threshold(self, i: int) -> None:
        step = self.steps[i]
        self.rows, figures, free = threshold_rows(self.rows, step.values(), times=self.options.time,
                                                  urls=self.options.urls_form(self.steps), key_file=self.key_file)
        self.free.append(free)
        told = figures.first()
        assert told is not None
        metrics = told.asDict()
        self.account.step({"counts": {"suppressed": metrics["rows_suppressed"]}, "metrics": metrics})

    def disconnect(self, i: int) -> None:
        """The graph of texts and URLs is one, and decided on the driver, on which all rows pass by."""
        if self.renamed:
            raise Error("usage", "disconnect cannot run on Spark behind split: put it before split")
        rows = self.rows.sort("query", "owner", "time", "rank", "url")
        table, report = run_part(rows.toArrow(), replace(self.part(i, i + 1), whole=True))
        self.account.step(report)
        self.rows = rows.sparkSession.createDataFrame(table, schema=ROWS).repartition("query")

    def count_persons(self) -> None:
        """Behind the texts that are published: the files do not show them once users are renamed."""
        if not self.renamed:
            return
        texts = self.rows.groupBy("query").agg(F.countDistinct("owner").alias("persons"))
        if any(s.values().get("rare") == "hash" for s in self.steps):
            texts = texts.filter(~F.col("query").rlike(r"\A#[0-9a-f]{32}\z"))
        least = texts.orderBy("persons", "query").first()
        self.account.persons = ({"query": "", "persons": 2**53} if least is None else
                                {"query": least["query"], "persons": least["persons"]})

    def done(self) -> None:
        for free in self.free:
            free()


# --- files ---


@in_task
def _write(batches: Iterator[Any], folder: str) -> Iterator[Any]:
    """A task's lines as a file.  A task that is run again writes the same bytes under the same name."""
    context = TaskContext.get()
    assert context is not None
    number, attempt = context.partitionId(), context.taskAttemptId()
    name = os.path.join(folder, f"written-{number:05}")
    rows = 0
    fd = os.open(f"{name}.{attempt}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(fd, "wb", buffering=1 << 20) as to:
        for batch in batches:
            rows += batch.num_rows
            for line in batch.column(0):
                to.write(line.as_buffer())
                to.write(b"\n")
        to.flush()
        os.fsync(to.fileno())
    if rows == 0:
        os.unlink(f"{name}.{attempt}")
        return
    os.rename(f"{name}.{attempt}", name)
    yield pa.RecordBatch.from_pydict({"part": pa.array([number], pa.int32()),
                                      "rows": pa.array([rows], pa.int64())})


def write_parts(lines: DataFrame, head: str, folder: str, parts: int | None) -> int:
    """Writes lines in order of their bytes as part-00000.tsv and so on; gives their number."""
    ordered = (lines.sort("line") if parts is None else
               lines.repartitionByRange(parts, "line").sortWithinPartitions("line"))
    written = ordered.mapInArrow(partial(_write, folder=folder), "part int, rows bigint").collect()
    with open(os.path.join(folder, "part-00000.tsv"), "w", encoding="utf-8") as f:
        f.write(head)
    for i, row in enumerate(sorted(written, key=lambda r: int(r["part"]))):
        os.rename(os.path.join(folder, f"written-{row['part']:05}"),
                  os.path.join(folder, f"part-{i + 1:05}.tsv"))
    return sum(int(row["rows"]) for row in written)


# --- the release ---


def assemble(steps: list[Step], options: Options, folder: str, out: str) -> Release:
    """Makes a release of written parts, which the library checks first."""
    publish = options.publish(None)
    publish.update(options.manifest())
    if options.force:
        publish["force"] = True
    request = {"command": "assemble", "steps": [s.request() for s in steps], "read": options.read(),
               "publish": publish, "options": {"parts": folder}, "output": {"path": out}}
    answer = run(request, [], Runtime(**options.runtime))
    result = Result("release", answer.report, answer.yes)
    if not answer.yes:
        raise NothingPublished("; ".join(answer.errors) or "nothing can be published that keeps the promise", result)
    return Release._made(out, None, "", result, None)


def publish(df: DataFrame, steps: list[Step], out: str, options: Options) -> Release:
    for step in steps:
        if step.method not in METHODS:
            raise Error("usage", f"{step.method} is no step of a log on Spark")
    if steps[-1].method == "threshold" and steps[-1].values().get("as") == "counts":
        raise Error("usage", "counts are made on Spark by ls.threshold(as_=\"counts\"), and published by the program "
                             "from what that gives", option="as_")
    with Staging(out) as staging:
        chain = _Chain(df, steps, options, options.key_file or staging.key_file())
        try:
            return _publish(chain, staging, out)
        finally:
            chain.done()


def _publish(chain: _Chain, staging: Staging, out: str) -> Release:
    lines = chain.run()
    chain.free.append(lines.free)
    report = lines.report()
    account = chain.account
    if account.counts["read"] == 0:  # all in one go
        check_read(report)
        account.read(report)
    account.step(report)
    chain.count_persons()
    folder = staging.folder("parts")
    head = report.get("head")
    if head is None:
        raise NothingPublished("nothing is left to publish")
    account.counts["published"] = write_parts(lines.rows, head, folder, chain.options.parts)
    uncut = report.get("counts", {}).get("urls_uncut", 0)
    if uncut:
        account.metrics["urls_uncut"] = uncut
    account.write(folder)
    return assemble(chain.steps, chain.options, folder, out)
