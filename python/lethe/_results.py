# SPDX-License-Identifier: Apache-2.0
"""Reports of commands: dicts that can be read by people, too."""

from __future__ import annotations

import functools
import html
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ._tables import tables

_SECRET = frozenset({"seed", "key-file", "key_file", "map"})
_ROWS = 12
_LINES = 80
# What a report has beside the answer: it can be asked for by its name.
_BESIDE = frozenset({"command", "parameters", "caveats", "counts", "claims", "verdict", "seconds",
                     "peak_bytes"})


@functools.cache
def _shares() -> frozenset[str]:
    """Names of figures that are shares, whatever report they are in."""
    is_share: dict[str, bool] = {}
    for table in (*tables()["commands"], *tables()["methods"], *tables()["measures"]):
        for f in table.get("figures") or ():
            for name in str(f["name"]).split(", "):
                is_share[name] = is_share.get(name, True) and str(f["meaning"]).startswith("share")
    return frozenset(name for name, is_one in is_share.items() if is_one)


def _is_share(name: Any) -> bool:
    return str(name).endswith("share") or name in _shares()


def _scalar(value: Any, name: Any = "") -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and _is_share(name):
        return f"{100 * value:.1f} %"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _simple(value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _label(name: Any) -> str:
    return str(name).replace("_", " ")


def _members(value: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(k, v) for k, v in value.items() if k not in _SECRET]


def _row(item: dict[str, Any]) -> str:
    """An object in a line: what is simple in it, without sentences."""
    parts = [f"{_label(k)} {_scalar(v, k)}" for k, v in _members(item)
             if _simple(v) and v is not None and len(_scalar(v)) < 60]
    return "  ".join(parts[:_ROWS])


def _is_flat(value: Any) -> bool:
    """Numbers by name, of which those that are 0 need not be shown."""
    return isinstance(value, dict) and bool(value) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in value.values())


def _flat(value: dict[str, Any]) -> str:
    return ", ".join(f"{_label(k)} {_scalar(v, k)}" for k, v in _members(value) if v) or "none"


def _deep(value: Any) -> bool:
    """Too much to be read at a glance."""
    return isinstance(value, dict) and any(isinstance(v, list) and v and not _simple(v[0])
                                           for v in value.values())


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        members = _members(value)
        width = max((len(_label(k)) for k, v in members if _simple(v)), default=0)
        for k, v in members:
            if _simple(v):
                yield f"{indent}{_label(k):<{width}}  {_scalar(v, k)}"
            elif _is_flat(v):
                yield f"{indent}{_label(k):<{width}}  {_flat(v)}"
            elif v and isinstance(v, list) and all(_simple(i) for i in v):
                yield f"{indent}{_label(k)}: " + ", ".join(_scalar(i, k) for i in v[:_ROWS])
            elif _deep(v):
                yield f"{indent}{_label(k)}: {', '.join(_label(name) for name in v)}"
            elif v:
                yield f"{indent}{_label(k)}"
                yield from _lines(v, indent + "  ")
        return
    for item in value[:_ROWS]:
        if isinstance(item, dict):
            yield indent + _row(item)
        elif isinstance(item, list):
            yield indent + "  ".join(_scalar(v) for v in item if _simple(v))
        else:
            yield f"{indent}{_scalar(item)}"
    if len(value) > _ROWS:
        yield f"{indent}... {len(value) - _ROWS} more"


def _table(rows: list[dict[str, Any]]) -> str:
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(k for k, _ in _members(row)))
    head = "".join(f"<th>{html.escape(_label(n))}</th>" for n in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_html(row.get(n), n)}</td>" for n in names) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _member_html(name: str, value: Any) -> str:
    """A row of a table, in which what is large is folded away."""
    shown = _html(value, name)
    if not _simple(value) and not _is_flat(value) and value:
        shown = f"<details><summary>show</summary>{shown}</details>"
    return (f'<tr><th style="text-align:left">{html.escape(_label(name))}</th>'
            f'<td style="text-align:left">{shown}</td></tr>')


def _html(value: Any, name: Any = "") -> str:
    if _is_flat(value):
        return html.escape(_flat(value))
    if isinstance(value, dict):
        return "<table>" + "".join(_member_html(k, v) for k, v in _members(value)) + "</table>"
    if isinstance(value, list):
        more = f"<p>... {len(value) - _ROWS} more</p>" if len(value) > _ROWS else ""
        if value and all(isinstance(item, dict) for item in value):
            return _table(value[:_ROWS]) + more
        return "<br>".join(_html(item) for item in value[:_ROWS]) + more
    return html.escape(_scalar(value, name))


class Result(Mapping[str, Any]):
    """The report of a command: a mapping that shows itself.

    It is false where the answer is no: a release that does not keep its promise, a table that is
    not k-anonymous."""

    def __init__(self, name: str, data: Mapping[str, Any], yes: bool = True,
                 text: str | None = None) -> None:
        self._name = name
        self._data = dict(data)
        self._yes = yes
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return self._yes

    @property
    def text(self) -> str:
        """What the command wrote, of those that write something: a log, a hierarchy."""
        if self._text is None:
            raise AttributeError(f"lethe.{self._name} writes nothing")
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The report as a plain dict."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy

    def _shown(self) -> tuple[dict[str, Any], list[str]]:
        """What is shown, and the names of the rest."""
        main = {k: v for k, v in self._data.items() if k not in _BESIDE}
        metrics = main.pop("metrics", None)
        if isinstance(metrics, dict):
            main = {**main, **metrics}
        rest = [k for k in self._data if k in _BESIDE and k != "command" and self._data[k]]
        return main, rest

    def _title(self) -> str:
        return f"lethe.{self._name}" + ("" if self._yes else ": no")

    def __repr__(self) -> str:
        main, rest = self._shown()
        lines = list(_lines(main, "  "))
        if len(lines) > _LINES:
            lines[_LINES:] = [f"  ... {len(lines) - _LINES} more lines: see .to_dict()"]
        return "\n".join([self._title(), *lines, f"  (also: {', '.join(rest)})"])

    def _repr_html_(self) -> str:
        main, rest = self._shown()
        return (f"<div><b>{html.escape(self._title())}</b>{_html(main)}"
                f"<p>also: {html.escape(', '.join(rest))}</p></div>")


class Page:
    """A page about a release, which a notebook shows."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html)

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<lethe.Page of {len(self.html)} characters>"

    def _repr_html_(self) -> str:
        return (f'<iframe sandbox srcdoc="{html.escape(self.html, quote=True)}" '
                'style="width:100%;height:40em;border:1px solid #ccc"></iframe>')
