# SPDX-License-Identifier: Apache-2.0
"""Releases: folders that are checked, with the object that keeps them."""

from __future__ import annotations

import html
import json
import os
import shutil
import stat
import tempfile
import weakref
from typing import Any, NoReturn

from . import _lethe
from ._call import error_of
from ._errors import Error
from ._inputs import frame_of
from ._results import Result


class Private:
    """A folder for its owner only, which goes when nothing refers to it any more."""

    def __init__(self, parent: str | os.PathLike[str] | None) -> None:
        self.path = tempfile.mkdtemp(prefix="lethe-", dir=None if parent is None else
                                     os.fspath(parent))
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a process that was forked from it
        shutil.rmtree(path, ignore_errors=True)


class Map:
    """Who is who: leads from a release back to the persons.

    It can be given to `attack`, `measure` and `report`, and saved.  Nothing shows it: it has no
    content in a repr, a notebook or JSON, and cannot be pickled."""

    __slots__ = ("_keep", "_path")

    def __init__(self, path: str, keep: Private | None) -> None:
        self._path = path
        self._keep = keep

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a copy for its owner only; an existing file is not replaced."""
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as to, open(self._path, "rb") as of:
            shutil.copyfileobj(of, to)

    def __repr__(self) -> str:
        return "<lethe.Map: secret>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("the map of a release is secret and cannot be pickled or copied")


def _is_release(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
            manifest = json.load(f)
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and "lethe" in manifest and "steps" in manifest


class Release:
    """A release in a folder: data, and a manifest that says what is promised of it.

    Attributes
    ----------
    folder : str
    result : Result or None
        The report of the run that made it.
    map : Map or None
        Who is who, where it was asked for.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.path.abspath(os.fspath(folder))
        self.result: Result | None = None
        self.map: Map | None = None
        self._keep: Private | None = None
        self._library = "path"
        self._frame: Any = None
        if not os.path.exists(os.path.join(self.folder, "manifest.json")):
            raise Error("io", f"'{self.folder}' is no release: it has no manifest.json",
                        self.folder)

    @classmethod
    def _made(cls, folder: str, keep: Private | None, library: str, result: Result,
              secret: Map | None) -> Release:
        self = cls(folder)
        self.result, self.map = result, secret
        self._keep, self._library = keep, library
        return self

    # --- what is in it ---

    @property
    def manifest(self) -> dict[str, Any]:
        """What is promised, of which files, and how it was made."""
        with open(os.path.join(self.folder, "manifest.json"), encoding="utf-8") as f:
            manifest: dict[str, Any] = json.load(f)
        return manifest

    @property
    def caveats(self) -> list[str]:
        """What it does not protect against."""
        return list(self.manifest.get("caveats", ()))

    @property
    def counts(self) -> dict[str, int]:
        """Rows read, published, suppressed and rejected."""
        return dict(self.manifest.get("counts", {}))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The published rows as an Arrow stream: ``polars.DataFrame(release)``."""
        status, stream, error = _lethe.release_rows(self.folder)
        if stream is None:
            raise error_of(error, status)
        return stream

    @property
    def frame(self) -> Any:
        """The published rows, as the library of the input has them: pandas, polars, or an Arrow
        table."""
        if self._frame is None:
            self._frame = frame_of(self, self._library)
        return self._frame

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> Release:
        """Copies the release to a folder, where it stays; `force` replaces what is there."""
        target = os.path.abspath(os.fspath(folder))
        if os.path.exists(target) and not force:
            raise Error("io", f"'{target}' exists: choose another folder, or force=True", target)
        if os.path.exists(target) and not _is_release(target):
            raise Error("io", f"'{target}' exists and is not a release of lethe: it was not changed",
                        target)
        beside = tempfile.mkdtemp(prefix=".lethe-", dir=os.path.dirname(target))
        old = os.path.join(beside, "old")
        try:
            copy = os.path.join(beside, "release")
            shutil.copytree(self.folder, copy)
            if os.path.exists(target):
                os.rename(target, old)
            os.rename(copy, target)
        finally:
            if os.path.exists(old) and not os.path.exists(target):
                os.rename(old, target)
            shutil.rmtree(beside, ignore_errors=True)
        if self._keep is not None:  # whose folder may stay, for the map
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder, self._keep = target, None
        return self

    # --- how it shows itself ---

    def _claims(self) -> list[str]:
        lines = []
        for claim in self.manifest.get("claims", ()):
            values = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in claim.items()
                               if k != "notion")
            lines.append(f"{claim['notion']} ({values})" if values else str(claim["notion"]))
        return lines

    def _steps(self) -> str:
        return ", ".join(str(s["command"]) for s in self.manifest.get("steps", ()))

    def _where(self) -> str:
        return "temporary: save() keeps it" if self._keep else self.folder

    def __repr__(self) -> str:
        if not os.path.isdir(self.folder):
            return "<lethe.Release: its folder is gone>"
        counts = "  ".join(f"{k} {v}" for k, v in self.counts.items())
        return "\n".join([f"lethe.Release by {self._steps()}", f"  folder   {self._where()}",
                          f"  rows     {counts}",
                          *(f"  promise  {c}" for c in self._claims()),
                          f"  caveats  {len(self.caveats)}: see .caveats"])

    def _repr_html_(self) -> str:
        if not os.path.isdir(self.folder):
            return html.escape(repr(self))
        rows = [("made by", self._steps()), ("folder", self._where()),
                *((k, str(v)) for k, v in self.counts.items()),
                *(("promise", c) for c in self._claims())]
        cells = "".join(f'<tr><th style="text-align:left">{html.escape(k)}</th>'
                        f"<td>{html.escape(v)}</td></tr>" for k, v in rows)
        caveats = "".join(f"<li>{html.escape(c)}</li>" for c in self.caveats)
        return (f"<div><b>lethe.Release</b><table>{cells}</table><details><summary>What it does "
                f"not protect against</summary><ul>{caveats}</ul></details></div>")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a release is a folder: save() it, and open it with lethe.Release(folder)")


def private_file(path: str) -> None:
    """For its owner only, whatever the umask is."""
    os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
