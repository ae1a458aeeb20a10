# SPDX-License-Identifier: Apache-2.0
"""Single texts, and columns of them."""

from __future__ import annotations

import os
import threading
from typing import Any

from . import _lethe
from ._call import error_of
from ._functions import value_of
from ._inputs import _library, need

_local = threading.local()


def _texts(kinds: str | None, path: str | None) -> Any:
    """What the library needs for a thread, made once: dictionaries are read on first use."""
    if path is None and getattr(_local, "kinds", ()) == (kinds,):
        return _local.texts
    status, texts, error = _lethe.texts_new(kinds, path)
    if texts is None:
        raise error_of(error, status)
    if path is None:
        _local.kinds, _local.texts = (kinds,), texts
    return texts


def _run(operation: str, texts: list[Any], kinds: str | None = None,
         path: str | None = None) -> list[Any]:
    for i, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"text {i} is no str but {type(text).__name__}")
    status, results, error = _lethe.texts_run(_texts(kinds, path), operation, texts)
    if results is None:
        raise error_of(error, status)
    found: list[Any] = results
    return found


def _each(operation: str, text: Any, kinds: str | None = None, path: str | None = None) -> Any:
    if text is None or isinstance(text, str):
        return _run(operation, [text], kinds, path)[0]
    library = _library(text)
    if library == "pandas":
        values = [v if isinstance(v, str) or not missing else None
                  for v, missing in zip(text.tolist(), text.isna())]
        return type(text)(_run(operation, values, kinds, path), index=text.index, name=text.name)
    if library == "polars":
        return type(text)(text.name, _run(operation, text.to_list(), kinds, path))
    if library == "pyarrow":
        arrow = need("pyarrow", "an Arrow array")
        return arrow.array(_run(operation, text.to_pylist(), kinds, path), arrow.string())
    return _run(operation, list(text), kinds, path)


def scrub_text(text: Any, *, kinds: Any = None, list: Any = None) -> Any:
    """Replaces personal data by its kind: "call 555-123-4567" becomes "call [number]".

    The text is put into its normal form first, as the method `scrub` sees it.

    Parameters
    ----------
    text
        a str, or a sequence or Series of them; None stays None
    kinds
        what to look for, as of `scrub`: a list or a text with commas
    list
        a file of your own words and phrases, one per line

    Returns
    -------
    the same kind of thing as `text`
    """
    wanted = None if kinds is None else value_of("kinds", kinds)
    if wanted is not None and not isinstance(wanted, str):
        wanted = ",".join(str(kind) for kind in wanted)
    return _each("scrub", text, wanted, None if list is None else os.fspath(list))


def normal_form(text: Any) -> Any:
    """One spelling for all spellings of the same text: NFKC, case folded, single spaces."""
    return _each("normal", text)


def words_key(text: Any) -> Any:
    """The words of a text, nouns in the singular, sorted: `threshold` counts texts with equal keys
    as one.  Needs WordNet (on Debian: apt-get install wordnet-base)."""
    return _each("words_key", text)


def url_host(text: Any) -> Any:
    """The host of a URL as it is published; "" where none can be told for sure."""
    return _each("host", text)
