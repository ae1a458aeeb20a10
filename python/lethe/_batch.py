# SPDX-License-Identifier: Apache-2.0
"""Columns by key, and rows by the cut of a release."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _lethe
from ._call import error_of
from ._errors import ANSWER_NO, OK, Error
from ._inputs import _library, need


class _Made:
    """An array that the library has made, for whoever takes one."""

    def __init__(self, capsules: Any) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._capsules


def _asked(answer: tuple[int, Any, Any]) -> Any:
    status, value, error = answer
    if status == ANSWER_NO:  # of a release that does not keep its promise
        raise Error("input", error[1])
    if status != OK:
        raise error_of(error, status)
    return value


def _apply(function: Any, array: Any) -> _Made:
    return _Made(_asked(_lethe.batch_apply(function, *array.__arrow_c_array__())))


def _column(function: Any, values: Any) -> Any:
    """Of a column: the same kind of thing as `values`."""
    arrow = need("pyarrow", "a column")
    library = _library(values)
    if library == "pyarrow" and hasattr(values, "chunks"):
        chunks = values.chunks or [arrow.array([], values.type)]
        return arrow.chunked_array([arrow.array(_apply(function, chunk)) for chunk in chunks])
    if library == "pyarrow":
        return arrow.array(_apply(function, values))
    if library == "polars":
        made = arrow.array(_apply(function, values.to_arrow()))
        return type(values)(values.name, need("polars", "a series").from_arrow(made))
    if library == "pandas":
        given = arrow.array(values.tolist(), from_pandas=True)
        return type(values)(arrow.array(_apply(function, given)).to_pylist(), index=values.index,
                            name=values.name, dtype=object)
    made = arrow.array(_apply(function, arrow.array(list(values))))
    return made.to_pylist()


def _keyed(name: str, values: Any, key_file: str | os.PathLike[str]) -> Any:
    function = _asked(_lethe.batch_new(json.dumps({"function": name,
                                                   "key-file": os.fspath(key_file)})))
    if values is None or isinstance(values, (str, int)):
        return _column(function, [values])[0]
    return _column(function, values)


def pseudonym(users: Any, *, key_file: str | os.PathLike[str]) -> Any:
    """The pseudonyms that a release with this `key_file` publishes of users.

    Parameters
    ----------
    users
        a str, or a sequence or Series; None, and what is empty, has no pseudonym: None
    key_file
        a file of 32 bytes, as `lethe key` writes it

    Returns
    -------
    the same kind of thing as `users`
    """
    return _keyed("pseudonym", users, key_file)


def url_id(urls: Any, *, key_file: str | os.PathLike[str]) -> Any:
    """The identifiers that a release with this `key_file` and urls="id" publishes of URLs."""
    return _keyed("url-id", urls, key_file)


class Cut:
    """Which published value each original value has in a release: of each quasi-identifier of a
    table (`lplus`, `incognito`, `anneal`), or of the items of sets (`og`, `mog`, `aa`).

    Applied to other rows than those of the release it promises nothing: a new row may be the only
    one with its values.
    """

    def __init__(self, cut: Any) -> None:
        self._cut = cut
        self._sets, self._columns = _lethe.cut_columns(cut)

    @classmethod
    def of_release(cls, release: Any, *, hierarchies: str | os.PathLike[str] | None = None,
                   taxonomy: str | os.PathLike[str] | None = None) -> Cut:
        """Derives the cut of a release, and verifies that first.

        Parameters
        ----------
        release
            a `Release`, or its folder
        hierarchies
            the folder of hierarchies that a table's release was made with
        taxonomy
            the file that a release of sets was made with
        """
        folder = release.folder if hasattr(release, "folder") else release
        return cls(_asked(_lethe.cut_of_release(
            os.fspath(folder), None if hierarchies is None else os.fspath(hierarchies),
            None if taxonomy is None else os.fspath(taxonomy))))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Cut:
        """Reads what `write` has written."""
        return cls(_asked(_lethe.cut_read(os.fspath(path))))

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the cut to a file; `force` replaces one that is there."""
        _asked(_lethe.cut_write(self._cut, os.fspath(path), force))

    @property
    def columns(self) -> list[str]:
        """The quasi-identifiers; of sets ["items"]."""
        return list(self._columns)

    @property
    def of_sets(self) -> bool:
        return bool(self._sets)

    def apply(self, data: Any) -> Any:
        """The columns of the cut as a release publishes them, a row for each of `data`, in their
        order; other columns are left out.  What the cut does not know is None.  Of sets: a column
        of lists, without the items that the cut does not know.

        Returns
        -------
        the same kind of data frame or column as `data`
        """
        function = _asked(_lethe.batch_new(self._cut))
        if self._sets:
            return _column(function, data)
        arrow = need("pyarrow", "rows")
        library = _library(data)
        if library == "pandas":
            table = arrow.Table.from_pandas(data[self._present(data.columns)],
                                            preserve_index=False)
            frame = self._rows(function, table).to_pandas()
            frame.index = data.index
            return frame
        if library == "polars":
            made = self._rows(function, data.select(self._present(data.columns)).to_arrow())
            return need("polars", "a data frame").from_arrow(made)
        if library == "pyarrow":
            table = data if hasattr(data, "combine_chunks") else arrow.Table.from_batches([data])
            made = self._rows(function, table)
            return made if table is data else made.combine_chunks().to_batches()[0]
        if isinstance(data, (list, tuple)) and all(isinstance(row, dict) for row in data):
            return self._rows(function, arrow.Table.from_pylist(list(data))).to_pylist()
        raise Error("usage", "a cut of a table applies to a data frame, an Arrow table or a list "
                             "of dicts")

    def _present(self, columns: Any) -> list[str]:
        """Those of `columns` that the cut has: others may be of types that Arrow does not know."""
        return [name for name in columns if name in self._columns]

    def _rows(self, function: Any, table: Any) -> Any:
        arrow = need("pyarrow", "rows")
        batches = table.to_batches() or [arrow.RecordBatch.from_pylist([], schema=table.schema)]
        return arrow.Table.from_batches([arrow.record_batch(_apply(function, batch))
                                         for batch in batches])
