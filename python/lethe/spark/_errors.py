# SPDX-License-Identifier: Apache-2.0
"""Failures of Spark jobs as errors of lethe, without the data that Spark's own messages may hold."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .._errors import Error

_MARK = "lethe-error:"
_FOUND = re.compile(re.escape(_MARK) + r"(\{.*\})$", re.MULTILINE)
_T = TypeVar("_T")


class TaskError(RuntimeError):
    """An error of lethe on its way from a task to the driver, which sees its text alone."""


def in_task(function: Callable[..., Iterator[_T]]) -> Callable[..., Iterator[_T]]:
    """A function of batches whose errors the driver will understand."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Iterator[_T]:
        try:
            yield from function(*args, **kwargs)
        except Error as e:
            text = json.dumps({"code": e.code, "message": e.message, "option": e.option})
            raise TaskError(_MARK + text) from None

    return guarded


# What Spark says where a process is gone, and what that means.
_LOST = (
    ("No module named 'lethe'", "the Python of the executors does not have lethe (PYSPARK_PYTHON says which that is)"),
    ("ExecutorLostFailure", "an executor was lost"),
    ("exited unexpectedly", "a Python worker died (out of memory?)"),
    ("EOFException", "a Python worker died (out of memory?)"),
    ("OutOfMemoryError", "the Java side of Spark is out of memory"),
    ("FetchFailed", "an executor with shuffle files was lost"),
    ("cancelled", "the job was cancelled"),
)


def _of_spark(text: str) -> Error:
    found = _FOUND.search(text)
    if found:
        told = json.loads(found[1])
        return Error(told["code"], told["message"], option=told["option"])
    for sign, meaning in _LOST:
        if sign in text:
            return Error("io", f"the Spark job failed: {meaning}; nothing was published")
    return Error("io", "the Spark job failed; nothing was published. Spark's log says why (it may hold rows "
                       "of the input)")


def missing_column(name: str, columns: list[str]) -> Error:
    return Error("input", f"there is no column '{name}': there are {', '.join(columns)}", option="columns")


@contextlib.contextmanager
def on_driver() -> Iterator[None]:
    """Raises what fails in a job as an error of lethe."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as e:
        raise _of_spark(str(e)) from None  # a traceback with the cause would show values of rows
