# SPDX-License-Identifier: Apache-2.0
"""What importing needs."""

from __future__ import annotations

import subprocess
import sys

import pytest


def python(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          cwd="/").stdout


def test_lethe_does_not_import_spark() -> None:
    assert python("import sys, lethe; print('pyspark' in sys.modules, 'pyarrow' in sys.modules)").split() == [
        "False", "False"]


@pytest.mark.parametrize("package", ["pyspark", "pyarrow"])
def test_what_is_missing_is_said(package: str) -> None:
    said = python(f"import sys; sys.modules['{package}'] = None\n"
                  "import lethe\n"
                  "try: import lethe.spark\n"
                  "except lethe.Error as e: print(e.code, e.message)")
    assert said == f"usage lethe.spark needs {package}: pip install 'liblethe[spark]'\n"
