# SPDX-License-Identifier: Apache-2.0
"""What `release` is given, checked by the tables of the library."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import Error
from .._functions import bound, options_given
from .._tables import methods, publish_options, read_options

_IDS = ("disconnect",)  # methods whose URLs are identifiers by default


@dataclass(frozen=True)
class Step:
    """A method of a chain, with its options by their names in the library."""

    method: str
    options: dict[str, Any]
    given: dict[str, Any] = field(default_factory=dict)  # the same as they were given

    def request(self) -> dict[str, Any]:
        return {"method": self.method, "options": self.options}

    def values(self) -> dict[str, Any]:
        """All options, those that were not given by their defaults."""
        return {o.name: self.options.get(o.name, o.default_value) for o in methods()[self.method].own}


def step_of(name: str, given: dict[str, Any]) -> Step:
    if name not in methods():
        raise Error("usage", f"there is no method '{name}': there are {', '.join(sorted(methods()))}", option="chain")
    command = methods()[name]
    signature = inspect.Signature(sorted((o.parameter() for o in command.own),
                                         key=lambda p: p.default is not inspect.Parameter.empty))
    return Step(name, options_given(command.own, bound(name, signature, (), given)), given)


def steps_of(chain: Any) -> list[Step]:
    """Of [("scrub", {}), ("threshold", {"t": 5})]; a name alone has no options."""
    steps = []
    for item in chain if isinstance(chain, (list, tuple)) else [chain]:
        pair = (item, {}) if isinstance(item, str) else item
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], str)
                and isinstance(pair[1], Mapping)):
            raise Error("usage", "a chain is a list of names and of (name, options), such as "
                                 "[\"scrub\", (\"threshold\", {\"t\": 5})]", option="chain")
        steps.append(step_of(pair[0], dict(pair[1])))
    if not steps:
        raise Error("usage", "the chain is empty: name a method, such as (\"threshold\", {\"t\": 5})", option="chain")
    return steps


@dataclass
class Options:
    """How a release is read and published."""

    columns: dict[str, str] | None = None
    key_file: str | None = None
    time: str = "day"
    urls: str | None = None
    keep_users: bool = False
    force: bool = False
    parts: int | None = None
    title: str | None = None
    date: str | None = None
    report: bool = False
    time_format: str | None = None
    null: Any = None
    strict_input: bool = False
    runtime: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.key_file is not None:
            if isinstance(self.key_file, (bytes, bytearray)) and not os.path.exists(self.key_file):
                raise Error("usage", "key_file is the path of a file, not the key itself", option="key_file")
            self.key_file = os.path.abspath(os.fsdecode(self.key_file))
        if self.columns is not None and not isinstance(self.columns, dict):
            raise Error("usage", "columns is a dict, such as {\"user\": \"client_id\"}", option="columns")
        if self.parts is not None and (type(self.parts) is not int or not 1 <= self.parts < 100_000):
            raise Error("usage", "parts is a number from 1 to 99999", option="parts")
        for name in ("time", "urls"):
            choices = publish_options()[name].choices.split("|")
            optional = name == "urls" and self.urls is None
            if not optional and getattr(self, name) not in choices:
                raise Error("usage", f"{name} is one of {', '.join(choices)}", option=name)

    def urls_form(self, steps: list[Step]) -> str:
        if self.urls is not None:
            return self.urls
        return "id" if any(s.method in _IDS for s in steps) else "host"

    def publish(self, key_file: str | None) -> dict[str, Any]:
        """As a request has it."""
        found: dict[str, Any] = {"time": self.time}
        if self.urls is not None:
            found["urls"] = self.urls
        if self.keep_users:
            found["keep-users"] = True
        if key_file is not None:
            found["key-file"] = key_file
        return found

    def manifest(self) -> dict[str, Any]:
        """What the manifest says besides."""
        found: dict[str, Any] = {n: getattr(self, n) for n in ("title", "date") if getattr(self, n)}
        if self.report:
            found["report"] = True
        if self.key_file is not None:
            found["key-file"] = self.key_file
        return found

    def read(self) -> dict[str, Any]:
        given = {"time_format": self.time_format, "null": self.null,
                 "strict_input": self.strict_input or None}
        return options_given(tuple(read_options().values()), given)
