# SPDX-License-Identifier: Apache-2.0
"""One session of Spark for all tests (in which a task may fail three times), and the program whose rows and bytes it must give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lethe import __main__ as cli


def lethe(*arguments: object) -> str:
    """What the program of the package prints."""
    done = subprocess.run([cli.program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    quiet = tmp_path_factory.mktemp("spark") / "log4j2.properties"
    quiet.write_text("rootLogger.level = error\n", encoding="utf-8")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local[2, 4]").appName("lethe")
               .config("spark.ui.enabled", "false")
               .config("spark.sql.shuffle.partitions", "4")
               .config("spark.driver.memory", "1g")
               .config("spark.driver.host", "127.0.0.1")
               .config("spark.sql.session.timeZone", "America/New_York")
               .config("spark.sql.warehouse.dir", str(quiet.parent / "warehouse"))
               .config("spark.driver.extraJavaOptions",
                       f"-Dlog4j2.configurationFile={quiet} -Dderby.system.home={quiet.parent}")
               .getOrCreate())
    yield session
    session.stop()


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_bytes(b"0123456789abcdef0123456789abcdef")
    path.chmod(0o600)
    return path


@pytest.fixture
def quick(spark: SparkSession) -> Iterator[SparkSession]:
    """The session for small data: no code is generated, which takes longer than the data."""
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    yield spark
    spark.conf.unset("spark.sql.codegen.wholeStage")
    spark.conf.set("spark.sql.shuffle.partitions", "4")
