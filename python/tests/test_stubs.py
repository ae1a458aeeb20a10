# SPDX-License-Identifier: Apache-2.0
"""The types: as the tables are, and without a complaint of mypy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]


def test_stubs_are_those_of_the_tables() -> None:
    made = subprocess.run([sys.executable, PYTHON / "make-stubs"], capture_output=True, text=True,
                          check=True, cwd="/").stdout
    checked_in = (PYTHON / "lethe" / "__init__.pyi").read_text(encoding="utf-8")
    assert made == checked_in, "run python/make-stubs > python/lethe/__init__.pyi"


def test_mypy(tmp_path: Path) -> None:
    for what in ([str(PYTHON / "lethe")], [str(PYTHON / "tests" / "typed_example.py")]):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                               str(tmp_path / "cache"), *what], capture_output=True, text=True,
                              check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
