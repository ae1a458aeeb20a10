# SPDX-License-Identifier: Apache-2.0
"""Anonymize data frames of Spark: what is counted is counted there, and lethe decides.

::

    import lethe.spark as ls
    ls.profile(df, user="client_id", query="user_query")
    out = df.transform(ls.threshold(t=5, user="client_id", query="user_query"))
"""

from __future__ import annotations

from .._errors import Error

try:
    import pyarrow as _arrow  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    import pyspark as _spark  # noqa: F401
except ImportError as e:
    raise Error("usage", f"lethe.spark needs {e.name}: pip install 'liblethe[spark]'") from None

from ._counts import profile
from ._threshold import threshold

__all__ = ["profile", "threshold"]
