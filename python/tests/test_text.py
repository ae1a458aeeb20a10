# SPDX-License-Identifier: Apache-2.0
"""Single texts and columns of them."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lethe


def test_scrub_text() -> None:
    assert lethe.scrub_text("call 212-555-0187") == "call [phone]"
    assert lethe.scrub_text("212-555-0187 joe@aol.com", kinds=["email"]) == "212-555-0187 [email]"
    assert lethe.scrub_text("john smith", kinds="person") == "[person]"
    assert lethe.scrub_text(None) is None


def test_a_list_of_ones_own(tmp_path) -> None:
    (tmp_path / "list").write_text("acme corp\n", encoding="utf-8")
    assert lethe.scrub_text("jobs at ACME-Corp", list=tmp_path / "list") == "jobs at [list]"
    assert lethe.scrub_text("jobs at ACME-Corp") == "jobs at acme-corp"


def test_normal_form_words_and_hosts() -> None:
    assert lethe.normal_form("  Caf\u00e9\tAU lait") == "caf\u00e9 au lait"
    assert lethe.words_key("Timetables bus") == "bus timetable" == lethe.words_key("bus timetable")
    assert lethe.url_host("http://joe@WWW.cdc.gov/lyme") == "www.cdc.gov"


@pytest.mark.parametrize("column", [
    ["A", None, "b@c.org"],
    pd.Series(["A", None, "b@c.org"], index=[3, 1, 2], name="q"),
    pd.Series(["A", float("nan"), "b@c.org"], dtype=object),
    pl.Series("q", ["A", None, "b@c.org"]),
    pa.array(["A", None, "b@c.org"]),
    pa.chunked_array([["A", None], ["b@c.org"]]),
])
def test_columns_stay_what_they_are(column) -> None:
    out = lethe.scrub_text(column)
    plain = out if isinstance(out, list) else (out.to_pylist() if hasattr(out, "to_pylist")
                                               else [v if isinstance(v, str) else None for v in out])
    assert plain == ["a", None, "[email]"]
    assert isinstance(out, (list, pa.Array)) or type(out) is type(column)
    if isinstance(column, pd.Series):
        assert out.index.equals(column.index) and out.name == column.name


@given(st.lists(st.text() | st.none(), max_size=3000))
def test_any_texts(texts) -> None:
    normal = lethe.normal_form(texts)
    assert [t is None for t in normal] == [t is None for t in texts]
    assert lethe.normal_form(normal) == normal
    masked = lethe.scrub_text(texts)
    assert lethe.scrub_text(masked) == masked


def test_what_is_no_text() -> None:
    with pytest.raises(TypeError, match="text 1 is no str but int"):
        lethe.normal_form(["a", 1])
    with pytest.raises(UnicodeEncodeError):
        lethe.normal_form("\ud800")
