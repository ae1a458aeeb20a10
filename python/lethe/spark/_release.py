# SPDX-License-Identifier: Apache-2.0
"""`release`: the only function of lethe.spark that publishes."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

from pyspark.sql import DataFrame

from .._call import Runtime
from .._errors import Error
from .._release import Release
from . import _groups, _log, _weighted
from ._errors import on_driver
from ._options import Options, steps_of
from ._storage import target_of

_OPTIONS = frozenset(f.name for f in fields(Options)) - {"runtime"}
_SETS = ("items", "user", "item")  # of sets alone


def release(df: DataFrame, chain: Any, out: str | os.PathLike[str], **options: Any) -> Release:
    """Makes a release of a data frame, which appears when it has been checked.

    ::

        ls.release(df, [("scrub", {}), ("threshold", {"t": 5})], out="/shared/release")

    Parameters
    ----------
    df
        a log (columns of a user and a query, and perhaps a time, a rank and a URL), a table, or sets (a column of
        arrays, or `user` and `item`)
    chain
        methods with their options: a list of (name, options), or a name
    out
        the folder of the release, on storage that driver and executors share
    columns
        of a log: which column holds what, such as {"user": "client_id"}, where the names are not those that logs use
    key_file
        the path of a key that executors can read; without one, a key is drawn and forgotten
    time, urls, keep_users
        how times, clicked URLs and users are published [default: "day", "host", False]
    parts
        the number of files of a log; of users in groups the number of parts that are grouped by themselves
        [default: by their size]
    items, user, item
        columns of sets
    time_format, null, strict_input
        how the columns are read, as of `lethe.chain`
    title, date, report, force
        as of `lethe.chain(...).release`
    threads, memory, spill_dir, wordnet_dir, progress
        of what lethe does on the driver; of users in groups, of each part, too (but for progress)

    Returns
    -------
    Release

    Raises
    ------
    NothingPublished
        if nothing keeps the promise
    Error
        if the data frame, an option or the job fails; nothing has appeared then
    """
    steps = steps_of(chain)
    target = target_of(out, bool(options.get("force")))
    last = steps[-1].method
    with on_driver():
        if last in (*_weighted.TABLES, *_weighted.SETS):
            return _weighted.publish(df, [(s.method, s.given) for s in steps], target, options)
        runtime = {name: options.pop(name) for name in Runtime.NAMES if name in options}
        for name in options:
            if last in _groups.METHODS and name in _groups.not_for(last):
                raise Error("usage", f"{last} has no option '{name}'", option=name)
            if name not in _OPTIONS:
                about = "sets" if name in _SETS else "a release on Spark"
                raise Error("usage", f"'{name}' does not apply: {last} has no such option"
                            if name in _SETS else f"there is no option '{name}' of {about}", option=name)
        how = Options(**options, runtime=runtime)
        if last in _groups.METHODS:
            return _groups.publish(df, steps, target, how)
        return _log.publish(df, steps, target, how)
