# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Any

# By lethe_err of include/lethe/base.h.
OK, ANSWER_NO = 0, 1
_CODES = {2: "usage", 3: "input", 4: "io", 5: "memory", 6: "cancelled", 7: "internal"}


def code_name(status: int) -> str:
    return _CODES.get(status, "internal")


class Error(Exception):
    """A call that failed.

    Attributes
    ----------
    code : str
        "usage" (options or arguments), "input" (the data), "io" (a file or the system), "memory",
        "cancelled", "internal" (a fault of lethe: please report it), or "nothing" (see
        `NothingPublished`).
    message : str
        What is wrong, where, and what to do.
    option : str or None
        The option that the message is about, such as "k".
    file : str or None
    line : int or None
        Where in the input; "stream:0" is the first data frame, and its lines are its rows, from 1.
    """

    def __init__(
        self,
        code: str,
        message: str,
        file: str | None = None,
        line: int | None = None,
        option: str | None = None,
    ) -> None:
        super().__init__(code, message, file, line, option)
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.option = option

    def __repr__(self) -> str:
        return f"lethe.{type(self).__name__}({self.code!r}, {str(self)!r})"

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.message, self.file, self.line, self.option)

    def __str__(self) -> str:
        place = self.file or ""
        if place and self.line:
            place += f":{self.line}"
        if not place or (self.file and self.file in self.message):
            return self.message
        return f"{place}: {self.message}"


class NothingPublished(Error):
    """There is no release that keeps the promise, or none below the risk; `report` says more."""

    def __init__(self, message: str, report: Any = None) -> None:
        super().__init__("nothing", message)
        self.report = report

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.report)
