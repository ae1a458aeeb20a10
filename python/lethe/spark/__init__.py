# SPDX-License-Identifier: Apache-2.0
"""Anonymize data frames of Spark: what is counted is counted there, and lethe decides.

::

    import lethe.spark as ls
    ls.profile(df, user="client_id", query="user_query")
    out = df.transform(ls.scrub()).transform(ls.threshold(t=5, user="client_id", query="user_query"))
    r = ls.release(df, [("scrub", {}), ("threshold", {"t": 5})], out="/shared/release")
    ls.verify("/shared/release")

Only `release` publishes, and what it publishes has been checked; steps are functions of data frames, of
which nothing is promised.
"""

from __future__ import annotations

from .._errors import Error

try:
    import pyarrow as _arrow  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    import pyspark as _spark  # noqa: F401
except ImportError as e:
    raise Error("usage", f"lethe.spark needs {e.name}: pip install 'liblethe[spark]'") from None

from ._counts import profile
from ._measure import measure
from ._release import release
from ._steps import scrub, seal, split
from ._threshold import threshold
from ._verify import verify

__all__ = ["measure", "profile", "release", "scrub", "seal", "split", "threshold", "verify"]
