# SPDX-License-Identifier: Apache-2.0
"""Data from wherever it lives, as files and Arrow streams, and back.

No library of data frames is imported here before an object of it comes in."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any

from ._errors import Error


def _library(obj: Any) -> str:
    """The package that an object comes from: "pandas", "polars", ..."""
    for base in type(obj).__mro__:
        name = base.__module__.partition(".")[0]
        if name in ("pandas", "polars", "pyarrow", "duckdb", "_duckdb"):
            return name.lstrip("_")
    return ""


def need(package: str, why: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise Error("usage", f"{why} needs {package}: pip install {package}") from None


def _installed(package: str) -> bool:
    if package in sys.modules:
        return True
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


# --- in ---


def _is_path(obj: Any) -> bool:
    return isinstance(obj, (str, os.PathLike))


def is_parquet(path: str) -> bool:
    return path.lower().endswith((".parquet", ".pq"))


def parquet_stream(paths: list[str]) -> Any:
    """Files as one stream, read as they are needed."""
    for path in paths:
        if not os.path.exists(path):
            raise Error("io", f"cannot open '{path}': no such file", path)
    if _installed("pyarrow"):
        dataset = need("pyarrow.dataset", "Parquet")
        try:
            return dataset.dataset(paths, format="parquet").scanner().to_reader()
        except (OSError, ValueError) as e:
            raise Error("input", f"cannot read '{paths[0]}': {e}", paths[0]) from e
    if _installed("duckdb"):
        return need("duckdb", "Parquet").read_parquet(paths)
    raise Error("usage", f"'{paths[0]}' is a Parquet file, which needs pyarrow or duckdb: "
                         "pip install pyarrow")


def _pandas_stream(df: Any) -> Any:
    """Without the index, which is no data."""
    df = df.copy(deep=False)
    df.index = range(len(df))
    if hasattr(df, "__arrow_c_stream__") and _installed("pyarrow"):
        return df
    arrow = need("pyarrow", "a pandas data frame")
    return arrow.Table.from_pandas(df, preserve_index=False)


def _frame_stream(obj: Any) -> Any:
    """An object with `__arrow_c_stream__`; None: it is no data."""
    library = _library(obj)
    if library == "pandas" and hasattr(obj, "columns"):
        return _pandas_stream(obj)
    if library == "polars" and hasattr(obj, "collect") and not hasattr(obj, "__arrow_c_stream__"):
        return obj.collect()
    if library == "polars" and hasattr(obj, "collect"):
        return obj.collect()
    if hasattr(obj, "__arrow_c_stream__"):
        return obj
    if hasattr(obj, "__arrow_c_array__"):
        return need("pyarrow", "an Arrow array").record_batch(obj)
    if library == "duckdb" and hasattr(obj, "arrow"):
        return obj.arrow()
    return None


def _rows_stream(rows: Any) -> Any:
    """All keys are columns, not those of the first row alone."""
    arrow = need("pyarrow", "a list of dicts")
    names = dict.fromkeys(str(name) for row in rows for name in row)
    columns = {}
    for name in names:
        try:
            columns[name] = arrow.array([row.get(name) for row in rows])
        except (arrow.ArrowInvalid, arrow.ArrowTypeError, OverflowError, UnicodeError):
            # what the error says has the value in it
            raise Error("input", f"column '{name}' has values of several types") from None
    return arrow.table(columns)


class Inputs:
    """`data` as the members "inputs" of a request and the streams that these name."""

    def __init__(self, data: Any, weight: str | None = None) -> None:
        self._weight = weight
        self.members: list[dict[str, Any]] = []
        self.streams: list[Any] = []
        self.library = "path"  # what a result should be like
        if isinstance(data, dict):
            raise Error("usage", "data is a dict: make a data frame or Arrow table of it")
        items = data if isinstance(data, (list, tuple)) else [data]
        if not items:
            raise Error("usage", "data is an empty list")
        if all(isinstance(item, dict) for item in items):
            self._stream(_rows_stream(items), "rows")
        elif all(_is_path(item) for item in items):
            self._paths([os.fspath(item) for item in items])
        else:
            for item in items:
                self._one(item)

    def _stream(self, stream: Any, library: str) -> None:
        if not self.members:
            self.library = library
        weight = {} if self._weight is None else {"weight": str(self._weight)}
        self.members.append({"stream": len(self.streams), **weight})
        self.streams.append(stream)

    def _paths(self, paths: list[Any]) -> None:
        paths = [os.fsdecode(p) for p in paths]
        parquet = [p for p in paths if is_parquet(p)]
        if parquet and len(parquet) < len(paths):
            raise Error("usage", "Parquet files and others cannot be one input")
        if parquet:
            self._stream(parquet_stream(parquet), "path")
        if self._weight is not None and not parquet:
            raise Error("usage", "count_column= names a column of a data frame or a Parquet file",
                        option="count_column")
        for path in paths:
            if not parquet:
                self.members.append({"path": path})

    def _one(self, item: Any) -> None:
        stream = None if _is_path(item) else _frame_stream(item)
        if _is_path(item):
            self._paths([os.fspath(item)])
        elif stream is not None:
            self._stream(stream, _library(item) or "pyarrow")
        else:
            raise TypeError(
                f"cannot read {type(item).__module__}.{type(item).__qualname__}: data is a data "
                "frame (pandas, polars), an Arrow table or stream, a DuckDB relation, a list of "
                "dicts, a path or a list of paths"
            )


# --- out ---


def frame_of(stream: Any, library: str) -> Any:
    """The rows of a stream as the library has them."""
    if library == "polars":
        return need("polars", "the frame").DataFrame(stream)
    if library == "pandas":
        if _installed("pyarrow"):
            arrow = need("pyarrow", "the frame")
            return arrow.RecordBatchReader.from_stream(stream).read_pandas()
        return need("pandas", "the frame").DataFrame.from_arrow(stream)
    if _installed("pyarrow"):
        arrow = need("pyarrow", "the frame")
        table = arrow.RecordBatchReader.from_stream(stream).read_all()
        return table.to_pylist() if library == "rows" else table
    if _installed("polars"):
        return need("polars", "the frame").DataFrame(stream)
    raise Error("usage", "the frame needs pyarrow, polars or pandas: pip install pyarrow")
