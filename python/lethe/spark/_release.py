# SPDX-License-Identifier: Apache-2.0
"""`release`: the only function that publishes."""

from __future__ import annotations

import os
from typing import Any

from pyspark.sql import DataFrame

from .._release import Release
from . import _log
from ._errors import on_driver
from ._options import Options, steps_of
from ._storage import target_of


def release(df: DataFrame, chain: Any, out: str | os.PathLike[str], **options: Any) -> Release:
    steps = steps_of(chain)
    how = Options(**options)
    target = target_of(out, how.force)
    with on_driver():
        return _log.publish(df, steps, target, how)
