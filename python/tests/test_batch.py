# SPDX-License-Identifier: Apache-2.0
"""Columns by key, and rows by the cut of a release."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lethe


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_bytes(b"0123456789abcdef0123456789abcdef")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("users", [
    ["u1", None, "", "u2"],
    pd.Series(["u1", None, "", "u2"], index=[4, 3, 2, 1], name="user"),
    pd.Series(["u1", None, "", "u2"], dtype="category"),
    pl.Series("user", ["u1", None, "", "u2"]),
    pl.Series("user", ["u1", None, "", "u2"], dtype=pl.Categorical),
    pa.array(["u1", None, "", "u2"]),
    pa.array(["u1", None, "", "u2"]).dictionary_encode(),
    pa.array(["x", "u1", None, "", "u2"], pa.large_string())[1:],
    pa.chunked_array([["u1", None], ["", "u2"]]),
])
def test_pseudonyms_of_any_column(users, key: Path) -> None:
    out = lethe.pseudonym(users, key_file=key)
    plain = out if isinstance(out, list) else (out.to_pylist() if hasattr(out, "to_pylist")
                                               else list(out))
    assert plain == ["fhggg2pndggeqiyk", None, None, "72p3clh5sn6voyrk"]
    assert type(out) is type(users) or isinstance(users, (pa.Array, list))
    if isinstance(users, pd.Series):
        assert out.index.equals(users.index) and out.name == users.name


def test_pseudonyms_are_those_of_a_release(log: pa.Table, key: Path) -> None:
    r = lethe.threshold(log, t=2, key_file=key, urls="id")
    published = r.frame if isinstance(r.frame, pd.DataFrame) else r.frame.to_pandas()
    users = set(lethe.pseudonym(log["AnonID"].unique().to_pylist(), key_file=key))
    urls = set(lethe.url_id(log["ClickURL"], key_file=key).to_pylist())
    assert set(published["AnonID"]) <= users
    assert set(published["ClickURL"].dropna()) <= urls
    assert lethe.pseudonym("u1", key_file=key) == "fhggg2pndggeqiyk"
    assert lethe.pseudonym(None, key_file=key) is None


def test_the_cut_of_a_table(table: pa.Table, tmp_path: Path) -> None:
    r = lethe.lplus(table, qi=["age", "sex"], sa="disease", k=3, ranges="age=5,10,20")
    cut = lethe.Cut.of_release(r)
    assert cut.columns == ["age", "sex"] and not cut.of_sets
    made = cut.apply(table)
    with open(Path(r.folder) / "data.csv", encoding="utf-8", newline="") as f:
        published = sorted((row["age"], row["sex"]) for row in csv.DictReader(f))
    if len(published) == table.num_rows:  # none was deleted
        assert sorted(zip(made["age"].to_pylist(), made["sex"].to_pylist())) == published
    assert set(published) <= set(zip(made["age"].to_pylist(), made["sex"].to_pylist()))
    cut.write(tmp_path / "cut")
    with pytest.raises(lethe.Error) as e:
        cut.write(tmp_path / "cut")
    assert e.value.code == "usage"
    cut.write(tmp_path / "cut", force=True)
    again = lethe.Cut.read(tmp_path / "cut")
    frame = table.to_pandas().set_index(pd.RangeIndex(7, 7 + table.num_rows))
    assert again.apply(table).equals(made)
    assert again.apply(frame).reset_index(drop=True).equals(made.to_pandas())
    assert again.apply(frame).index.equals(frame.index)
    assert again.apply(pl.from_arrow(table)).to_arrow().to_pylist() == made.to_pylist()
    assert again.apply(table.to_pylist()) == made.to_pylist()
    assert again.apply(table.slice(3, 0)).num_rows == 0
    assert again.apply([{"age": 1000, "sex": "x"}])[0]["sex"] != "x"  # never passed through
    with pytest.raises(lethe.Error):
        again.apply([{"age": 1}])
    with pytest.raises(lethe.Error):
        again.apply("no rows")


def test_the_cut_of_sets(tmp_path: Path) -> None:
    taxonomy = tmp_path / "goods.tsv"
    taxonomy.write_text("apple\tfruit\npear\tfruit\nboot\tshoes\nfruit\tall\nshoes\tall\n")
    baskets = [["apple", "pear"], ["apple"], ["pear", "boot"], ["boot"], [], ["apple", "boot"]] * 3
    r = lethe.og(pa.table({"items": baskets}), k=3, m=2, taxonomy=str(taxonomy))
    cut = lethe.Cut.of_release(r.folder, taxonomy=taxonomy)
    assert cut.of_sets and cut.columns == ["items"]
    lines = (Path(r.folder) / "data.txt").read_text().splitlines()
    assert sorted(" ".join(basket) for basket in cut.apply(baskets)) == lines
    assert cut.apply([["unknown"], None]) == [[], None]


def test_what_has_no_cut(table: pa.Table, tmp_path: Path) -> None:
    r = lethe.local(table, qi=["age", "sex"], k=3)
    with pytest.raises(lethe.Error, match="does not publish by one cut"):
        lethe.Cut.of_release(r)
    with pytest.raises(lethe.Error) as e:
        lethe.Cut.read(tmp_path / "nothing")
    assert e.value.code == "io"
    r = lethe.lplus(table, qi=["age", "sex"], k=3, output=tmp_path / "r")
    (tmp_path / "r" / "data.csv").write_text("age,sex\n")
    with pytest.raises(lethe.Error, match="does not keep its promise"):
        lethe.Cut.of_release(tmp_path / "r")
