# SPDX-License-Identifier: Apache-2.0
"""Data that the tests share, and the program whose bytes the package must give."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import settings

from lethe import Release
from lethe import __main__ as cli

settings.register_profile("lethe", database=None, deadline=None)  # it leaves no folder behind
settings.load_profile("lethe")

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "examples" / "sample.tsv"


def lethe(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The program of the package."""
    return subprocess.run([cli.program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def data_of(release: Release | str | os.PathLike[str]) -> dict[str, bytes]:
    """All files of a release but its manifest, which names the program's version and figures."""
    folder = release.folder if isinstance(release, Release) else release
    return {p.name: p.read_bytes() for p in Path(folder).iterdir() if p.name != "manifest.json"}


def log_table() -> pa.Table:
    with open(LOG, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    return pa.Table.from_pylist([{k: v or None for k, v in row.items()} for row in rows])


def patients() -> pa.Table:
    n = 120
    return pa.table({
        "age": [20 + i * 7 % 50 for i in range(n)],
        "sex": ["fm"[i % 2] for i in range(n)],
        "disease": [("flu", "asthma", "gout", "measles")[i * i % 7 % 4] for i in range(n)],
    })


@pytest.fixture(scope="session")
def log() -> pa.Table:
    return log_table()


@pytest.fixture(scope="session")
def table() -> pa.Table:
    return patients()


@pytest.fixture(scope="session")
def table_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "patients.csv"
    columns = patients().to_pydict()
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
