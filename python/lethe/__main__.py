# SPDX-License-Identifier: Apache-2.0
"""The command line: `python -m lethe ARGUMENTS` is `lethe ARGUMENTS`.

Parquet files among the arguments are read through pyarrow or DuckDB, and with DuckDB installed
`--sql "select ..."` stands for an input: both reach the program as CSV on its standard input, from a
temporary file without a name."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from typing import Any, NoReturn

from ._errors import Error
from ._inputs import is_parquet, need, parquet_stream


def program() -> str:
    """The program of the package, or the one that is installed."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "lethe")
    found = own if os.access(own, os.X_OK) else shutil.which("lethe")
    if not found:
        raise Error("io", "the program lethe is neither in the package nor in PATH")
    return found


def split(arguments: list[str]) -> tuple[list[str], list[str], str | None]:
    """The arguments with - for what is not a file that the program reads; the Parquet files; the
    query."""
    rest: list[str] = []
    parquet: list[str] = []
    sql = None
    words = iter(arguments)
    before = ""
    for word in words:
        is_output, before = before in ("-o", "--output"), word
        if word == "--sql" or word.startswith("--sql="):
            if sql is not None:
                raise Error("usage", "--sql is given twice")
            sql = word[6:] if word.startswith("--sql=") else next(words, None)
            if sql is None:
                raise Error("usage", "--sql needs a query")
            rest.append("-")
        elif is_parquet(word) and not word.startswith("-") and not is_output:
            if not parquet:
                rest.append("-")
            parquet.append(word)
        else:
            rest.append(word)
    inputs = sum(word == "-" and before not in ("-o", "--output")
                 for before, word in zip(["", *arguments], arguments))
    if (sql is not None) + bool(parquet) + inputs > 1:
        raise Error("usage", "there is one standard input: give --sql, Parquet files or -")
    return rest, parquet, sql


def rows_of(parquet: list[str], sql: str | None) -> Any:
    if sql is None:
        return parquet_stream(parquet)
    duckdb = need("duckdb", "--sql")
    try:
        return duckdb.sql(sql)
    except duckdb.Error as e:
        raise Error("usage", f"--sql: {e}") from e


def csv_write(rows: Any, to: Any) -> None:
    """As CSV with a header; null is an empty field."""
    arrow, csv = need("pyarrow", "CSV"), need("pyarrow.csv", "CSV")
    reader = arrow.RecordBatchReader.from_stream(rows)
    with csv.CSVWriter(to, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def become(arguments: list[str], rows: Any) -> NoReturn:
    """The program reads a file without a name that has all rows.  A pipe would not do: if this process
    died half-way, its end would look like the end of the rows, and a part be published as the whole."""
    with tempfile.TemporaryFile() as file:
        try:
            csv_write(rows, file)
        except OSError as e:
            raise Error("io", f"cannot read or write the rows: {e}") from None
        except Exception as e:  # of pyarrow or DuckDB
            raise Error("input", f"cannot read the rows: {e}") from None
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    os.execv(program(), ["lethe", *arguments, "--header"])


def main(arguments: list[str]) -> NoReturn:
    try:
        rest, parquet, sql = split(arguments)
        if sql is None and not parquet:
            os.execv(program(), ["lethe", *arguments])
        become(rest, rows_of(parquet, sql))
    except Error as e:
        print(f"lethe: {e}", file=sys.stderr)
        sys.exit({"usage": 2, "input": 3}.get(e.code, 4))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main(sys.argv[1:])
