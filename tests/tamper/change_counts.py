# SPDX-License-Identifier: Apache-2.0
"""Changes of counts: items, counts and their order."""
from change import JUDGE, NEVER, change, settle
from change_log import plantable


def set_count(row, n):
    row[1] = str(n).encode()


@change(JUDGE, "counts")
def other_count_of_item(rng, r):
    row = rng.choice(r.rows)
    set_count(row, max(1, r.count(row) + rng.choice([-3, -2, -1, 1, 2, 50])))


@change(JUDGE, "counts")
def just_enough(rng, r):
    set_count(rng.choice(r.rows), r.last["t"])


@change(JUDGE, "counts")
def just_too_few(rng, r):
    set_count(rng.choice(r.rows), max(1, r.last["t"] - 1))


@change(JUDGE, "counts")
def new_item(rng, r):
    r.rows.append([b"violin lesson for one", str(rng.randrange(1, 9)).encode()])


@change(JUDGE, "counts")
def rename_item(rng, r):
    rng.choice(r.rows)[0] = b"nothing like it"


@change(JUDGE, "counts")
def item_twice(rng, r):
    """Its count in two parts, or once more: who adds up sees another count."""
    row = rng.choice(r.rows)
    r.rows.append([row[0], str(r.count(row) + rng.randrange(3)).encode()])


@change(JUDGE, "counts")
def plant_item(rng, r):
    planted = plantable(r, rng)
    if not planted:
        return False
    rng.choice(r.rows)[0] = planted


@change(JUDGE, "counts")
def item_as_typed(rng, r):
    row = rng.choice(r.rows)
    row[0] = rng.choice([row[0].upper(), b" " + row[0], row[0] + b"  x", "\ufb01ve".encode(), b""])


@change(NEVER, "counts")
def count_otherwise(rng, r):
    """A number that is written in another way, or is none."""
    settle(r)
    row = rng.choice(r.rows)
    row[1] = rng.choice([b"0" + row[1], b"+" + row[1], row[1] + b".0", b" " + row[1], b"0", b"-1", b"", b"many",
                         b"9223372036854775808", row[1] + b"\t" + row[1]])
    r.files["counts.tsv"] = b"".join(line + b"\n" for line in r.head + [r.line(row) for row in r.rows])
    r.set_digests()


@change(NEVER, "counts")
def swapped_lines(rng, r):
    """Two items whose order says which one came first."""
    settle(r)
    if len(r.rows) < 2:
        return False
    at = rng.randrange(len(r.rows) - 1)
    r.rows[at], r.rows[at + 1] = r.rows[at + 1], r.rows[at]
    r.files["counts.tsv"] = b"".join(line + b"\n" for line in r.head + [r.line(row) for row in r.rows])
    r.set_digests()


@change(NEVER, "counts")
def more_than_was_read(rng, r):
    """Counts that come to more than the rows behind them."""
    settle(r)
    set_count(r.rows[0], r.manifest["counts"]["published"] + 1)
    r.set_rows()
    r.set_digests()


@change(NEVER, "counts")
def log_beside_counts(rng, r):
    """The parameters of a log in the step that makes counts."""
    r.last.update(rng.choice([{"keep-users": False, "time": "day", "urls": "host"}, {"as": "log"}, {"rare": "hash"}]))


@change(NEVER, "counts", "log", commands=["threshold"])
def promise_of_another_shape(rng, r):
    """The claim of a log for counts, or the other way round."""
    for claim in r.manifest["claims"] + r.manifest["verdict"]["checks"]:
        other = {"counted-threshold": "query-threshold", "query-threshold": "counted-threshold"}
        claim["notion"] = other.get(claim["notion"], claim["notion"])
