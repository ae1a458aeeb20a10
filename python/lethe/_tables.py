# SPDX-License-Identifier: Apache-2.0
"""The tables of the library: which methods and commands there are, and their options.

Signatures and documentation are made from these, so a new method needs nothing here."""

from __future__ import annotations

import functools
import inspect
import json
import keyword
import re
import textwrap
from dataclasses import dataclass
from typing import Any

from . import _lethe
from ._errors import Error


@functools.cache
def tables() -> dict[str, Any]:
    """All methods, notions, measures, adversaries and commands, as `lethe methods --json`."""
    status, report, _, error = _lethe.call('{"command":"methods"}', threads=1)
    if status != 0 or report is None:
        raise Error("internal", error[1] if error else "the tables cannot be read")
    found: dict[str, Any] = json.loads(report)
    return found


def python_name(name: str) -> str:
    """An option or command in Python: `min-urls` is `min_urls`, `class` is `class_`."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


@dataclass(frozen=True)
class Option:
    name: str
    type: str
    help: str
    arg: str
    words: str
    choices: str
    default: str | None
    required: bool

    @property
    def python(self) -> str:
        return python_name(self.name)

    @property
    def default_value(self) -> Any:
        """The default as Python would write it, None where there is none."""
        if self.type == "flag":
            return False
        if self.name == "output":  # what nobody wants in a file is in the result
            return None
        if self.default is not None and self.type == "count" and self.default.isdigit():
            return int(self.default)
        return self.default

    def parameter(self) -> inspect.Parameter:
        default = inspect.Parameter.empty if self.required else self.default_value
        return inspect.Parameter(self.python, inspect.Parameter.KEYWORD_ONLY, default=default)


def options_of(table: list[dict[str, Any]]) -> list[Option]:
    return [
        Option(
            name=o["name"],
            type=o["type"],
            help=o.get("help", ""),
            arg=o.get("arg", ""),
            words=o.get("words", ""),
            choices=o.get("choices", ""),
            default=o.get("default"),
            required=bool(o.get("required")),
        )
        for o in table
    ]


@functools.cache
def read_options() -> dict[str, Option]:
    return {o.name: o for o in options_of(tables()["read"])}


@functools.cache
def publish_options() -> dict[str, Option]:
    return {o.name: o for o in options_of(tables()["publish"])}


@dataclass(frozen=True)
class Command:
    """A method or a command."""

    name: str
    method: bool
    table: dict[str, Any]
    own: tuple[Option, ...]
    read: tuple[Option, ...]
    publish: tuple[Option, ...]

    @property
    def python(self) -> str:
        return python_name(self.name)

    @property
    def publishes(self) -> bool:
        """Does it make a release?"""
        return self.method or "key-file" in {o.name for o in self.publish}

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the positional parameters; those in brackets may be left out."""
        if self.method:
            return ("data",)
        return _OPERANDS.get(self.name) or _operands(str(self.table.get("operands", "")))


# Where the command line has an option or a file, Python has data.
_OPERANDS = {
    "measure": ("release", "original"),
    "attack": ("release", "original"),
    "report": ("release", "[original]"),
    "key": ("path",),
}


def _operands(line: str) -> tuple[str, ...]:
    found = []
    for word in line.split():
        if word == "COLUMN":
            found.append("column")
        elif word.startswith("RELEASE"):
            found.append("release")
        elif word.startswith("PART"):
            found.append("parts")
        else:
            found.append("data")
    return tuple(found)


def _command(table: dict[str, Any], method: bool) -> Command:
    common = set(table.get("common", ()))
    own = [
        o
        for o in options_of(table["options"])
        if method or o.name != "original"
    ]
    names = {o.name for o in own}
    return Command(
        name=table["name"],
        method=method,
        table=table,
        own=tuple(own),
        read=tuple(o for n, o in read_options().items() if n in common and n not in names),
        publish=tuple(o for n, o in publish_options().items() if n in common and n not in names),
    )


@functools.cache
def methods() -> dict[str, Command]:
    return {m["name"]: _command(m, True) for m in tables()["methods"]}


@functools.cache
def commands() -> dict[str, Command]:
    """All commands but `release`, which `chain` is."""
    return {c["name"]: _command(c, False) for c in tables()["commands"] if c["name"] != "release"}


# --- texts of the manual ---


def plain(text: str) -> str:
    """A text of the manual in reStructuredText, with options in Python's words."""
    text = re.sub(r"\*(lethe-[a-z]+)\*\(\d\)", lambda m: f"`{m[1].removeprefix('lethe-')}`", text)
    text = re.sub(r"\*([^*\n]+)\*", r"\1", text)
    text = re.sub(r"(?<![\w`])_([^_\s][^_\n]*?)_(?!\w)", r"*\1*", text)
    text = re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9]|[a-z])(?![\w-])",
                  lambda m: f"`{python_name(m[1])}`", text)
    return re.sub(r"(?<![\w-])-([a-z])(?![\w-])", lambda m: f"`{python_name(m[1])}`", text)


def _fill(text: str, indent: str = "") -> list[str]:
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        lines += textwrap.wrap(
            " ".join(paragraph.split()), 96, initial_indent=indent, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        )
        lines.append("")
    return lines


def _option_lines(o: Option) -> list[str]:
    about = o.help
    if o.type in ("choice", "set"):
        about += f" ({', '.join(o.choices.split('|'))})"
    if o.name == "output":
        about += " [default: none; the result has it]"
    elif o.default is not None and "[default:" not in about:
        about += f" [default: {o.default}]"
    return [o.python, *_fill(plain(about), "    ")[:-1]]


_RUNTIME = [
    ("progress", "a function of phase, done and total (0: not known), whose last phase is None; "
                 "True: a bar of tqdm, where it is installed"),
    ("threads", "number of threads [default: all cores]"),
    ("memory", "limit of memory in bytes [default: half of the machine's]"),
    ("spill_dir", "folder for what exceeds it [default: $TMPDIR or /tmp]"),
    ("wordnet_dir", "folder of WordNet's dictionary files [default: $WNSEARCHDIR, or where Debian has "
                    "them]"),
]
_OUTPUT = ("output", "folder of the release [default: a private temporary one, which goes with the "
                     "release object]")
_MAP = ("map", "the map, which leads from the release back to the persons: True keeps it with the "
               "release object, a path writes it there, for its owner only [default: none is kept]")
_COUNT_COLUMN = ("count_column", "name of a column of a data frame with whole numbers, which say how often each "
                     "row is there [default: none, each once]")
_DATA = {
    "data": "a data frame (pandas, polars), Arrow table or stream, DuckDB relation, list of dicts, "
            "path or list of paths; Parquet files with pyarrow or DuckDB",
    "original": "the data that the release was made from",
    "release": "a Release, or the path of its folder",
    "parts": "a list of releases, or of the paths of their folders",
    "column": "name of the column",
    "path": "name of the file",
}


def _named(name: str, about: str) -> list[str]:
    return [name, *_fill(about, "    ")[:-1]]


def returns_of(c: Command) -> str:
    if c.publishes or c.name == "join":
        return "Release"
    if c.name == "report":
        return "Page"
    return "Result"


def doc(c: Command) -> str:
    """The documentation of a function."""
    summary = plain(str(c.table["summary"]))
    lines = [summary[:1].upper() + summary[1:] + ".", ""]
    lines += _fill(plain(str(c.table.get("description", ""))))
    lines += ["Parameters", "----------"]
    for name in c.operands:
        lines += _named(name.strip("[]"), _DATA[name.strip("[]")])
    if "data" in c.operands:
        lines += _named(*_COUNT_COLUMN)
    for o in c.own:
        lines += _option_lines(o)
    if c.publishes:
        lines += _named(*_OUTPUT) + _named(*_MAP)
    for o in (*c.read, *c.publish):
        if o.name != "map":
            lines += _option_lines(o)
    for name, about in _RUNTIME:
        lines += _named(name, about)
    lines += ["", "Returns", "-------", returns_of(c)]
    if c.publishes or c.name == "join":
        lines += ["", "Raises", "------", "NothingPublished", "    if nothing keeps the promise",
                  "Error", "    if the call fails"]
    if c.table.get("paper"):
        lines += ["", "Notes", "-----", *_fill(plain(str(c.table["paper"])))[:-1]]
    if c.table.get("caveats"):
        lines += ["", *_fill("What a release does not protect against is in its `caveats`, and for "
                             f"all options in ``lethe.tables()``; the first: "
                             f"{plain(c.table['caveats'][0])}")[:-1]]
    return "\n".join(lines).strip() + "\n"
