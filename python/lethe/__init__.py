# SPDX-License-Identifier: Apache-2.0
"""Anonymize search logs, baskets and tables, and check what is published.

::

    import lethe
    lethe.profile(df)                          # what a log or table contains
    r = lethe.threshold(df, t=5)               # a release: checked, or there is none
    r.frame; r.manifest; r.verify()
    r = lethe.chain(df).scrub().threshold(t=5).release("folder")

Messages go to the logger "lethe".
"""

from . import _lethe
from ._batch import Cut, pseudonym, url_id
from ._errors import Error, NothingPublished
from ._functions import Chain, chain, functions
from ._release import Map, Release
from ._results import Page, Result
from ._tables import tables
from ._text import normal_form, scrub_text, url_host, words_key

__version__ = _lethe.version()
globals().update(functions)
__all__ = sorted([
    "Chain", "Cut", "Error", "Map", "NothingPublished", "Page", "Release", "Result", "chain",
    "normal_form", "pseudonym", "scrub_text", "tables", "url_host", "url_id", "words_key",
    *functions,
])
