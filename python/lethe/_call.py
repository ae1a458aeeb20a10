# SPDX-License-Identifier: Apache-2.0
"""One request to the library, with its messages, its progress and its errors."""

from __future__ import annotations

import atexit
import json
import logging
import os
from dataclasses import dataclass, field
from typing import Any, Callable

from . import _lethe
from ._errors import ANSWER_NO, OK, Error, code_name
from ._tables import python_name

log = logging.getLogger("lethe")
atexit.register(_lethe.end_calls)
_LEVELS = (logging.WARNING, logging.WARNING, logging.INFO, logging.DEBUG)


@dataclass
class Runtime:
    """How a request runs; nothing of it changes the result."""

    progress: Any = None
    threads: int | None = None
    memory: int | None = None
    spill_dir: Any = None
    wordnet_dir: Any = None
    on_row: Callable[[dict[str, Any], int, int], object] | None = None

    def __post_init__(self) -> None:
        for name, limit in (("threads", 1 << 16), ("memory", 1 << 63)):
            value = getattr(self, name)
            if value is not None and not 0 <= value < limit:
                raise Error("usage", f"{name}: {value} is out of range", option=name)

    NAMES = ("progress", "threads", "memory", "spill_dir", "wordnet_dir")


@dataclass
class Answer:
    yes: bool
    report: dict[str, Any]
    errors: list[str] = field(default_factory=list)


class _Bar:
    """A bar of tqdm per phase."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.bar: Any = None
        self.phase: str | None = None

    def __call__(self, phase: str | None, done: int, total: int) -> None:
        if phase != self.phase:
            self.close()
            self.phase = phase
            if phase is not None:
                self.bar = self.tqdm(desc=phase, total=total or None, unit_scale=True, leave=False)
        if self.bar is not None:
            self.bar.n = done
            self.bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        self.bar = None


def _progress_of(wanted: Any) -> Any:
    if wanted is None or wanted is False:
        return None
    if wanted is not True:
        if not callable(wanted):
            raise TypeError("progress is True or a function of phase, done and total")
        return wanted
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return None
    return _Bar(tqdm)


def error_of(error: Any, status: int, errors: list[str] | None = None) -> Error:
    """The exception for what the library says: (code, text, option, file, line).

    `errors` is all that was said, in its order: what comes first is often the cause."""
    if error is None:
        return Error(code_name(status), "the call failed without a message")
    _, text, option, file, line = error
    if errors and text == errors[-1]:
        text = "; ".join(dict.fromkeys(errors[-3:]))
    return Error(code_name(status), text, file, line or None,
                 python_name(option) if option else None)


def _capsule(stream: Any) -> Any:
    """What a library says of data that it cannot hand over has the data in it, so it is not passed on."""
    try:
        return stream.__arrow_c_stream__()
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as e:
        raise Error("input", f"the data cannot be read as Arrow ({type(e).__name__}): a column may have "
                             "values of several types") from None


def run(
    request: dict[str, Any],
    streams: list[Any],
    runtime: Runtime,
) -> Answer:
    """Runs a request; the streams are objects with `__arrow_c_stream__`."""
    errors: list[str] = []

    def on_message(severity: int, message: tuple[int, str, str | None, str | None, int]) -> None:
        if severity == 0:
            errors.append(message[1])
            return
        place = f"{message[3]}:{message[4]}: " if message[3] and message[4] else ""
        log.log(_LEVELS[severity], "%s%s", place, message[1])

    def on_row(text: str, i: int, n: int) -> None:
        assert runtime.on_row is not None
        runtime.on_row(json.loads(text), i, n)

    progress = _progress_of(runtime.progress)
    spill, wordnet = (None if folder is None else os.fsdecode(folder)
                      for folder in (runtime.spill_dir, runtime.wordnet_dir))
    try:
        status, report, _, error = _lethe.call(
            json.dumps(request, ensure_ascii=False),
            streams=[_capsule(s) for s in streams],
            on_message=on_message,
            on_progress=progress,
            on_row=on_row if runtime.on_row else None,
            threads=runtime.threads or 0,
            memory=runtime.memory or 0,
            spill_dir=spill,
            details=log.isEnabledFor(logging.DEBUG),
            wordnet_dir=wordnet,
        )
    finally:
        if isinstance(progress, _Bar):
            progress.close()
    if status not in (OK, ANSWER_NO):
        raise error_of(error, status, errors)
    return Answer(status == OK, json.loads(report) if report else {}, errors)
