# SPDX-License-Identifier: Apache-2.0
"""What a job has on the storage that driver and executors share: a folder beside the target, for its
owner alone, which goes in any case."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from types import TracebackType

from .._errors import Error
from .._functions import functions


def target_of(out: str | os.PathLike[str], force: bool) -> str:
    """The path of a release to make, on shared storage."""
    path = os.fspath(out)
    if path.startswith("file://"):
        path = path.removeprefix("file://")
    if "://" in path or path.startswith("file:/"):
        raise Error("usage", f"'{path}': the release is a folder on storage that driver and executors share as a "
                             "path (NFS or the like); copy it to an object store afterwards", option="out")
    path = os.path.abspath(path)
    if os.path.lexists(path) and not force:
        raise Error("usage", f"'{path}' exists: choose another folder, or force=True", path, option="out")
    return path


class Staging:
    """The folder beside a target; `with Staging(out) as staging`."""

    def __init__(self, out: str) -> None:
        self._parent = os.path.dirname(out)
        self._made: list[str] = []  # folders above the target that were not there, the deepest first

    def __enter__(self) -> Staging:
        above = self._parent
        while not os.path.lexists(above):
            self._made.append(above)
            above = os.path.dirname(above)
        try:
            os.makedirs(self._parent, exist_ok=True)
            self.path = tempfile.mkdtemp(prefix=".lethe-spark-", dir=self._parent)
        except OSError as e:
            raise Error("io", f"cannot write to '{self._parent}': {e.strerror}", self._parent) from e
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if kind is not None:
            with contextlib.suppress(OSError):  # somebody else has put something there
                for folder in self._made:
                    os.rmdir(folder)

    def folder(self, name: str) -> str:
        path = os.path.join(self.path, name)
        os.mkdir(path, 0o700)
        return path

    def key_file(self) -> str:
        """A key that is drawn for one release: executors read it from here, and nowhere else."""
        path = os.path.join(self.path, "key")
        functions["key"](path)
        return path
