# SPDX-License-Identifier: Apache-2.0
"""A function per method and command, made from the tables."""

from __future__ import annotations

import difflib
import inspect
import numbers
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Callable

from ._call import Runtime, run
from ._errors import Error, NothingPublished
from ._inputs import Inputs
from ._release import Map, Private, Release, private_file
from ._results import Page, Result
from ._tables import (
    Command,
    Option,
    commands,
    doc,
    methods,
    publish_options,
    python_name,
    read_options,
    returns_of,
)

_P = inspect.Parameter


# --- values ---


def _scalar(name: str, value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, timedelta):
        return f"{int(value.total_seconds())}s"
    if isinstance(value, Map):
        return value._path
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    raise TypeError(f"{name}: cannot use {type(value).__qualname__} as a value")


def value_of(name: str, value: Any) -> Any:
    """A value of an option as JSON; {"age": [5, 10]} is "age=5,10"."""
    if isinstance(value, Mapping):
        return ";".join(f"{k}={_joined(name, v)}" for k, v in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [_scalar(name, v) for v in (sorted(value) if isinstance(value, (set, frozenset))
                                            else value)]
        if any(isinstance(v, bool) for v in items):
            raise TypeError(f"{name}: a list of texts or numbers is expected")
        return items
    return _scalar(name, value)


def _joined(name: str, value: Any) -> str:
    got = value_of(name, value)
    return ",".join(str(v) for v in got) if isinstance(got, list) else str(got)


def options_given(table: tuple[Option, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Those of the table that have a value, by their names in the library."""
    return {o.name: value_of(o.python, given[o.python]) for o in table
            if given.get(o.python) is not None}


# --- signatures ---


def _runtime_parameters() -> list[_P]:
    return [_P(name, _P.KEYWORD_ONLY, default=None) for name in Runtime.NAMES]


_COUNT_COLUMN = _P("count_column", _P.KEYWORD_ONLY, default=None)


def signature_of(c: Command) -> inspect.Signature:
    parameters = [
        _P(name.strip("[]"), _P.POSITIONAL_OR_KEYWORD,
           default=None if name.startswith("[") else _P.empty)
        for name in c.operands
    ]
    options = [o.parameter() for o in (*c.own, *c.read, *c.publish)
               if o.name != "map" or o in c.own]
    names = {p.name for p in options}
    if c.publishes:
        options += [_P("output", _P.KEYWORD_ONLY, default=None),
                    _P("map", _P.KEYWORD_ONLY, default=None)]
    if c.name in ("publish", "suggest", "compare"):
        options.append(_P("on_row", _P.KEYWORD_ONLY, default=None))
    if any(p.name == "data" for p in parameters):
        options.append(_COUNT_COLUMN)
    options += [p for p in _runtime_parameters() if p.name not in names]
    options.sort(key=lambda p: p.default is not _P.empty)  # required ones come first
    return inspect.Signature(parameters + options)


def bound(name: str, signature: inspect.Signature, args: tuple[Any, ...],
          kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were given."""
    for key in kwargs:
        if key in signature.parameters:
            continue
        near = difflib.get_close_matches(key, signature.parameters, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise TypeError(f"{name}() got an unexpected keyword argument '{key}'{hint}")
    try:
        return dict(signature.bind(*args, **kwargs).arguments)
    except TypeError as e:
        raise TypeError(f"{name}(): {e}") from None


def runtime_of(given: dict[str, Any]) -> Runtime:
    return Runtime(**{n: given.get(n) for n in (*Runtime.NAMES, "on_row")})


# --- releases ---


def _release_path(release: Any) -> str:
    if isinstance(release, Release):
        return release.folder
    if isinstance(release, (str, os.PathLike)):
        return os.fsdecode(os.fspath(release))
    raise TypeError(f"a Release or the path of a folder is expected, not {type(release).__name__}")


def _sealed_file(data: Any) -> Any:
    """Of a release, the file that its sealed log is in, or the folder if it is in parts."""
    if isinstance(data, Release):
        data = data.folder
    if isinstance(data, (str, os.PathLike)) and os.path.isdir(data):
        whole = os.path.join(os.fsdecode(data), "data.tsv")
        return whole if os.path.lexists(whole) else os.fsdecode(data)
    return data


def make_release(name: str, request: dict[str, Any], where: dict[str, Any], data: Any, given:
                 dict[str, Any]) -> Release | Result:
    """Runs a request that publishes; `where` is the member that takes the map."""
    inputs = Inputs(data, given.get("count_column"))
    runtime = runtime_of(given)
    output, wanted = given.get("output"), given.get("map")
    if output == "-":
        raise Error("usage", "output is a folder: the rows are in the release's frame",
                    option="output")
    dry = bool(given.get("dry_run"))
    always = request["command"] != "release"  # publish and redo attack with the map in any case
    own_map = wanted is True or (always and not wanted)
    keep = Private(runtime.spill_dir) if output is None or own_map else None
    inside = keep.path if keep else ""
    folder = os.path.join(inside, "release") if output is None else os.fsdecode(output)
    secret = os.path.join(inside, "map") if own_map else os.fsdecode(wanted) if wanted else None
    if secret is not None and not dry:
        where["map"] = secret
    request["inputs"] = inputs.members
    if not dry:
        request["output"] = {"path": folder}
    answer = run(request, inputs.streams, runtime)
    result = Result(name, answer.report, answer.yes)
    if not answer.yes:
        raise NothingPublished("; ".join(answer.errors) or _reason(answer.report), result)
    if dry:
        return result
    made = secret is not None and os.path.exists(secret)
    kept = Map(os.path.abspath(secret), keep) if secret and made and wanted else None
    if secret and os.path.exists(secret):
        private_file(secret)
        if kept is None:
            os.unlink(secret)
    return Release._made(folder, keep if output is None else None, inputs.library, result, kept)


def _reason(report: dict[str, Any]) -> str:
    for key in ("reason", "why", "message"):
        if isinstance(report.get(key), str):
            return str(report[key])
    return "nothing can be published that keeps the promise"


# --- functions ---


def _method_call(c: Command, given: dict[str, Any]) -> Any:
    publish = options_given(tuple(o for o in c.publish if o.name != "map"), given)
    request = {
        "command": "release",
        "read": options_given(c.read, given),
        "steps": [{"method": c.name, "options": options_given(c.own, given)}],
        "publish": publish,
    }
    return make_release(c.name, request, publish, given["data"], given)


def _join(request: dict[str, Any], options: dict[str, Any], given: dict[str, Any]) -> Release:
    parts = given["parts"]
    if isinstance(parts, (Release, str, os.PathLike)):
        parts = [parts]
    runtime = runtime_of(given)
    keep = Private(runtime.spill_dir) if given.get("output") is None else None
    folder = os.path.join(keep.path, "release") if keep else os.fsdecode(given["output"])
    options["output"] = folder
    request["inputs"] = [{"path": _release_path(part)} for part in parts]
    answer = run(request, [], runtime)
    result = Result("join", answer.report, answer.yes)
    if not answer.yes:
        raise NothingPublished("; ".join(answer.errors) or _reason(answer.report), result)
    return Release._made(folder, keep, "path", result, None)


def _command_call(c: Command, given: dict[str, Any]) -> Any:
    table = (*c.own, *c.read, *c.publish)
    options = options_given(tuple(o for o in table if o.name != "map" or o in c.own), given)
    request: dict[str, Any] = {"command": c.name, "options": options}
    if "release" in given:
        request["release"] = _release_path(given["release"])
    if c.publishes:
        return make_release(c.name, request, options, given["data"], given)
    if "parts" in given:
        return _join(request, options, given)
    data = given.get("data", given.get("original"))
    if c.name == "open":
        data = _sealed_file(data)
    inputs = Inputs(data, given.get("count_column")) if data is not None else None
    request["inputs"] = inputs.members if inputs else []
    if "column" in given:
        options["column"] = str(given["column"])
    if "path" in given:
        request["output"] = {"path": os.fsdecode(os.fspath(given["path"]))}
    return _answer(c, request, options, inputs.streams if inputs else [], given)


def _writes(c: Command) -> bool:
    """Does it write a file that is not a release or a study?"""
    return c.name in ("report", "hierarchy", "open", "synth")


def _answer(c: Command, request: dict[str, Any], options: dict[str, Any], streams: list[Any],
            given: dict[str, Any]) -> Any:
    runtime = runtime_of(given)
    text = None
    if _writes(c):  # a file is read back where nobody asked for one
        keep = Private(runtime.spill_dir)
        options.setdefault("output", os.path.join(keep.path, "output"))
        answer = run(request, streams, runtime)
        if answer.yes and (given.get("output") is None or c.name == "report"):
            with open(str(options["output"]), encoding="utf-8") as f:
                text = f.read()
        keep.remove()
    else:
        answer = run(request, streams, runtime)
    if c.name == "report" and text is not None:
        return Page(text)
    if not answer.yes and answer.errors:
        answer.report.setdefault("message", "; ".join(answer.errors))
    report = {k: v for k, v in answer.report.items() if k != "output" or given.get("output")}
    return Result(c.name, report, answer.yes, text)


def _function(c: Command) -> Callable[..., Any]:
    signature = signature_of(c)
    call = _method_call if c.method else _command_call

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(c, bound(c.python, signature, args, kwargs))

    function.__name__ = function.__qualname__ = c.python
    function.__module__ = "lethe"
    function.__doc__ = doc(c)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {"return": returns_of(c)}
    return function


functions: dict[str, Callable[..., Any]] = {
    c.python: _function(c) for c in (*methods().values(), *commands().values())
    if c.name not in ("methods", "version")
}


# --- chains ---


class Chain:
    """Methods that run one after the other; `release` runs them.

    A chain is not changed by the methods that are added: each gives a new one."""

    def __init__(self, data: Any, reading: dict[str, Any], steps: tuple[Any, ...] = (),
                 weight: str | None = None) -> None:
        self._data = data
        self._weight = weight
        self._reading = reading
        self._steps = steps

    def _then(self, c: Command, shown: str, options: dict[str, Any]) -> Chain:
        step = {"method": c.name, "options": options}
        return Chain(self._data, self._reading, (*self._steps, (step, shown)), self._weight)

    def release(self, output: Any = None, **kwargs: Any) -> Any:
        given = bound("release", _RELEASE, (output,), kwargs)
        publish = options_given(tuple(o for o in publish_options().values() if o.name != "map"),
                                given)
        given["count_column"] = self._weight
        request = {"command": "release", "read": self._reading,
                   "steps": [step for step, _ in self._steps], "publish": publish}
        if not self._steps:
            raise Error("usage", "the chain is empty: add a method, such as .threshold(t=5)")
        return make_release("chain", request, publish, self._data, given)

    def __repr__(self) -> str:
        data = type(self._data).__name__
        return "".join([f"lethe.chain(<{data}>)", *(shown for _, shown in self._steps)])


def _release_signature() -> inspect.Signature:
    return inspect.Signature([
        _P("output", _P.POSITIONAL_OR_KEYWORD, default=None),
        *(o.parameter() for o in publish_options().values() if o.name != "map"),
        _P("map", _P.KEYWORD_ONLY, default=None),
        *_runtime_parameters(),
    ])


_RELEASE = _release_signature()
_CHAIN = inspect.Signature([
    _P("data", _P.POSITIONAL_OR_KEYWORD),
    *(o.parameter() for o in read_options().values()),
    _COUNT_COLUMN,
])
_SELF = _P("self", _P.POSITIONAL_OR_KEYWORD)


def _step_function(c: Command) -> Callable[..., Chain]:
    signature = inspect.Signature(sorted((o.parameter() for o in c.own),
                                         key=lambda p: p.default is not _P.empty))

    def step(self: Chain, *args: Any, **kwargs: Any) -> Chain:
        given = bound(c.python, signature, args, kwargs)
        shown = ", ".join(f"{k}={v!r}" for k, v in given.items())
        return self._then(c, f".{c.python}({shown})", options_given(c.own, given))

    step.__name__ = c.python
    step.__qualname__ = f"Chain.{c.python}"
    step.__doc__ = f"Adds {c.name}: {c.table['summary']}.  See `lethe.{c.python}`."
    step.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_SELF, *signature.parameters.values()])
    return step


for _c in methods().values():
    setattr(Chain, _c.python, _step_function(_c))
Chain.release.__doc__ = ("Runs the chain and makes the release, in the folder `output` or in a "
                         "private temporary one; options as of the methods.")
Chain.release.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [_SELF, *_RELEASE.parameters.values()])


def chain(*args: Any, **kwargs: Any) -> Chain:
    """Begins a chain of methods: ``lethe.chain(log).scrub().threshold(t=5).release("folder")``.

    The options say how the data is read."""
    given = bound("chain", _CHAIN, args, kwargs)
    return Chain(given["data"], options_given(tuple(read_options().values()), given),
                 weight=given.get("count_column"))


chain.__signature__ = _CHAIN  # type: ignore[attr-defined]
chain.__module__ = "lethe"


# --- methods of releases ---


def _release_method(name: str) -> Callable[..., Any]:
    function = functions[name]
    signature: inspect.Signature = inspect.signature(function)
    parameters = list(signature.parameters.values())

    def method(self: Release, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"Release.{name}"
    method.__doc__ = f"As `lethe.{name}` of this release."
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_SELF, *parameters[1:]])
    return method


for _name in ("verify", "measure", "attack", "report"):
    if _name in functions:  # a minimal build has no pages
        setattr(Release, _name, _release_method(_name))
