# SPDX-License-Identifier: Apache-2.0
"""Changes of logs, open and sealed: users, texts, times, clicks, shares."""
import datetime

import oracle
from change import JUDGE, NEVER, change, settle
from folder import HASHED

# Texts, and the kinds whose detectors find them or may find them: digits have many forms.
DIGITS = set(oracle.KINDS) - {"email", "ip", "address", "url"}
PLANTED = {b"mail joe.roe@example.org": {"email"}, b"ping 10.1.2.3": {"ip"}, b"12 main street": {"address"},
           b"http://example.org/secret/page": {"url"}, b"my 078-05-1120": DIGITS, b"pay 4111 1111 1111 1111": DIGITS}


def new_name(rng):
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz234567") for _ in range(16)).encode()


def texts(r):
    return sorted({row[1] for row in r.rows})


def users(r):
    return sorted({row[0] for row in r.rows})


# --- users of a log ---

@change(JUDGE, "log", "sealed")
def drop_user(rng, r):
    gone = rng.choice(users(r))
    r.rows = [row for row in r.rows if row[0] != gone] or r.rows


@change(JUDGE, "log", "sealed")
def rename_user(rng, r):
    old, new = rng.choice(users(r)), new_name(rng)
    for row in r.rows:
        if row[0] == old:
            row[0] = new


@change(JUDGE, "log", "sealed")
def real_name(rng, r):
    old = rng.choice(users(r))
    for row in r.rows:
        if row[0] == old:
            row[0] = rng.choice([b"ann", b"u01", new_name(rng).upper(), new_name(rng)[1:]])


@change(JUDGE, "log", "sealed")
def merge_users(rng, r):
    old, new = rng.choice(users(r)), rng.choice(users(r))
    for row in r.rows:
        if row[0] == old:
            row[0] = new


@change(JUDGE, "log", "sealed")
def merge_all_users(rng, r):
    name = new_name(rng)
    for row in r.rows:
        row[0] = name


@change(JUDGE, "log", "sealed")
def part_user(rng, r):
    """A row gets a user of its own."""
    rng.choice(r.rows)[0] = new_name(rng)


@change(JUDGE, "log")
def repeat_user(rng, r):
    """Another user with the rows of one."""
    old, new = rng.choice(users(r)), new_name(rng)
    r.rows += [[new, *row[1:]] for row in r.rows if row[0] == old]


@change(JUDGE, "log")
def move_row(rng, r):
    rng.choice(r.rows)[0] = rng.choice(users(r))


# --- kept columns of a log ---

def kept_at(rng, r):
    """The place of a kept column in a row; None: there is none."""
    kept = oracle.kept_columns(r.manifest["steps"])
    return 5 + rng.randrange(len(kept)) if kept else None


@change(JUDGE, "log")
def rare_value(rng, r):
    at = kept_at(rng, r)
    if not at:
        return False
    for row in rng.sample(r.rows, rng.randrange(1, min(4, len(r.rows)) + 1)):
        row[at] = b"one of a kind"


@change(JUDGE, "log")
def other_values(rng, r):
    """Rows get the values of other rows."""
    at = kept_at(rng, r)
    if not at:
        return False
    for _ in range(rng.randrange(1, 6)):
        rng.choice(r.rows)[at] = rng.choice(r.rows)[at]


@change(JUDGE, "log")
def values_gone(rng, r):
    at = kept_at(rng, r)
    if not at:
        return False
    old = rng.choice(r.rows)[at]
    rows = [row for row in r.rows if row[at] == old]
    for row in rows[:rng.choice([1, len(rows)])]:
        row[at] = b""


@change(JUDGE, "log")
def rename_value(rng, r):
    at = kept_at(rng, r)
    if not at:
        return False
    old = rng.choice(r.rows)[at]
    new = rng.choice([b"another", b"phone", b"DE", b" phone", b"de "])
    for row in r.rows:
        if row[at] == old:
            row[at] = new


@change(JUDGE, "log")
def plant_in_values(rng, r):
    at, planted = kept_at(rng, r), plantable(r, rng)
    if not at or not planted:
        return False
    old = rng.choice(r.rows)[at]
    for row in r.rows:
        if row[at] == old:
            row[at] = planted


@change(JUDGE, "log")
def other_columns(rng, r):
    """In the header alone, or in the steps and claims too."""
    at = kept_at(rng, r)
    if not at:
        return False
    names, new = r.head[0].split(b"\t"), rng.choice([b"place", b"column9", b"Device"])
    names[at] = new
    r.head = [b"\t".join(names)]
    if rng.random() < 0.6:
        r.last["keep"][at - 5] = new.decode()
        r.set_claims(oracle.promised(r.manifest["steps"]))


@change(JUDGE, "log")
def fewer_columns(rng, r):
    """A column goes from the header and the rows, the steps or the claims, or from several of these."""
    at = kept_at(rng, r)
    if not at or len(r.last["keep"]) < 2:
        return False
    if rng.random() < 0.7:
        r.head = [b"\t".join(name for i, name in enumerate(r.head[0].split(b"\t")) if i != at)]
        r.rows = [row[:at] + row[at + 1:] for row in r.rows]
    if rng.random() < 0.7:
        del r.last["keep"][at - 5]
    if rng.random() < 0.7:
        r.set_claims(oracle.promised(r.manifest["steps"]))


# --- texts of a log ---

@change(JUDGE, "log")
def other_text(rng, r):
    rng.choice(r.rows)[1] = rng.choice(texts(r))


@change(JUDGE, "log")
def rare_text(rng, r):
    """A text that too few users have."""
    user = rng.choice(users(r))
    rows = [row for row in r.rows if row[0] == user]
    for row in rows[:rng.randrange(1, 3)]:
        row[1] = b"violin lesson for one"


@change(JUDGE, "log")
def rename_text(rng, r):
    old = rng.choice(texts(r))
    for row in r.rows:
        if row[1] == old:
            row[1] = b"nothing like it"


@change(JUDGE, "log")
def join_texts(rng, r):
    old, new = rng.choice(texts(r)), rng.choice(texts(r))
    for row in r.rows:
        if row[1] == old:
            row[1] = new


def plantable(r, rng):
    """A text of which it is clear whether the claimed detectors find it."""
    claim = r.claim("scrubbed")
    if not claim:
        return None
    kinds = set(claim["kinds"])
    return rng.choice([text for text, found in PLANTED.items()
                       if any(oracle.FORMS[kind].search(text) for kind in kinds) or not found & kinds])


@change(JUDGE, "log")
def plant_everywhere(rng, r):
    planted, old = plantable(r, rng), rng.choice(texts(r))
    if not planted:
        return False
    for row in r.rows:
        if row[1] == old:
            row[1] = planted


@change(JUDGE, "log", commands=["scrub", "microagg"])
def plant_once(rng, r):
    planted = plantable(r, rng)
    if not planted:
        return False
    rng.choice(r.rows)[1] = planted


@change(JUDGE, "log", commands=["threshold"])
def hash_text(rng, r):
    """A rare text, written as a hash would be."""
    row = rng.choice(r.rows)
    row[1:5] = [b"#" + bytes(rng.choice(b"abcdef") for _ in range(32)), row[2], b"", b""]


@change(JUDGE, "log", commands=["threshold"])
def click_of_hash(rng, r):
    rows, urls = [row for row in r.rows if HASHED.fullmatch(row[1])], [row[4] for row in r.rows if row[4]]
    if not rows or not urls:
        return False
    rng.choice(rows)[3:] = rng.choice([[b"", rng.choice(urls)], [b"2", b""]])


@change(JUDGE, "log", commands=["threshold"])
def nearly_hash(rng, r):
    digits = b"abcdef1a" * 4
    rng.choice(r.rows)[1] = rng.choice([b"#abcd", b"#" + digits + b"b", digits, b"#" + digits.upper()])


@change(JUDGE, "log")
def as_typed(rng, r):
    """Not in normal form: who counts texts would count this one as another."""
    row = rng.choice(r.rows)
    row[1] = rng.choice([row[1].upper(), b" " + row[1], row[1] + b"  x", "\ufb01ve".encode(), "\u00c4".encode()])


# --- times ---

TIME_AT = {"log": 2, "sealed": 4}


def shifted(text, seconds):
    """A time moved, and as coarse as it was."""
    form = {10: "%Y-%m-%d", 13: "%Y-%m-%d %H", 19: "%Y-%m-%d %H:%M:%S"}[len(text)]
    moved = datetime.datetime.strptime(text.decode(), form) + datetime.timedelta(seconds=seconds)
    return moved.strftime(form).encode()


def timed_rows(r):
    return [row for row in r.rows if row[TIME_AT[r.shape]]]


def move_time(rng, r, seconds):
    rows = timed_rows(r)
    if not rows:
        return False
    row, at = rng.choice(rows), TIME_AT[r.shape]
    row[at] = shifted(row[at], seconds)
    return True


@change(JUDGE, "log", "sealed")
def move_time_by_days(rng, r):
    return move_time(rng, r, rng.choice([-3, -2, -1, 1, 2, 3]) * oracle.DAY)


@change(JUDGE, "log", "sealed")
def move_time_by_hours(rng, r):
    return move_time(rng, r, rng.choice([-30, -24, -7, -6, -2, 1, 5, 12, 23]) * 3600)


def lasting_persona(rng, r, more):
    """A persona that lasts, or pauses, `more` seconds longer than it may."""
    longest = {"day": oracle.DAY - 1, "gap": r.claim("personas").get("gap")}.get(r.last["by"])
    if longest is None or r.last["time"] != "exact":
        return False
    user = rng.choice(users(r))
    rows = [row for row in r.rows if row[0] != user]
    if not rows:
        return False
    first = b"2006-03-01 00:00:00"
    r.rows = rows + [[user, b"red car", time, b"", b""] for time in (first, shifted(first, longest + more))]
    return True


@change(JUDGE, "log", commands=["split"])
def longest_persona(rng, r):
    return lasting_persona(rng, r, 0)


@change(JUDGE, "log", commands=["split"])
def too_long_persona(rng, r):
    return lasting_persona(rng, r, 1)


@change(JUDGE, "log")
def move_all_times(rng, r):
    days = rng.randrange(1, 400)
    for row in timed_rows(r):
        row[2] = shifted(row[2], days * oracle.DAY)


@change(JUDGE, "log", "sealed")
def empty_time(rng, r):
    rng.choice(r.rows)[TIME_AT[r.shape]] = b""


@change(JUDGE, "log")
def empty_times(rng, r):
    for row in r.rows:
        row[2] = b""


@change(JUDGE, "log")
def empty_times_of_one(rng, r):
    """All rows become one user's, who has no times: a persona that is everybody, if nobody looks."""
    name = new_name(rng)
    for row in r.rows:
        row[0], row[2] = name, b""


@change(JUDGE, "log", "sealed")
def finer_time(rng, r):
    rows = timed_rows(r)
    if not rows:
        return False
    row, at = rng.choice(rows), TIME_AT[r.shape]
    row[at] = {10: row[at] + b" 07", 13: row[at] + b":11:12", 19: row[at]}[len(row[at])]


@change(NEVER, "log", "sealed")
def impossible_time(rng, r):
    """No time at all, or one that readers of logs know and no release has."""
    rng.choice(r.rows)[TIME_AT[r.shape]] = rng.choice([b"2006-02-30", b"2006-13-01", b"yesterday", b"2006-3-1", b" ",
                                                       b"2006-03-01T10:00:00Z", b"1141171200", b"060301100000"])
    settle(r)


@change(NEVER, "log", commands=["microagg"])
def times_of_drawn_rows(rng, r):
    """Whatever the manifest says: who is in a group would be seen by the times."""
    r.last["time"] = "day"
    for row in r.rows:
        row[2] = b"2006-03-01"
    settle(r)


# --- clicks ---

@change(JUDGE, "log")
def other_url(rng, r):
    urls = sorted({row[4] for row in r.rows} - {b""})
    if not urls:
        return False
    for row in rng.sample(r.rows, min(3, len(r.rows))):
        row[3], row[4] = b"", rng.choice(urls)


@change(JUDGE, "log")
def drop_click(rng, r):
    rng.choice(r.rows)[3:] = [b"", b""]


@change(JUDGE, "log")
def add_click(rng, r):
    """One more on what was clicked for the text."""
    row = rng.choice(r.rows)
    row[4] = rng.choice(sorted({other[4] for other in r.rows if other[1] == row[1]}))


@change(JUDGE, "log", commands=["threshold"])
def own_click(rng, r):
    """An address that one user alone clicked."""
    own = {"host": b"own.example.org", "keep": b"http://own.example.org/", "id": new_name(rng)}.get(r.last["urls"])
    if not own or r.claim("scrubbed"):
        return False
    row = rng.choice(r.rows)
    if HASHED.fullmatch(row[1]):
        return False
    row[3], row[4] = b"1", own


@change(JUDGE, "log", commands=["threshold"])
def clicks_of_one(rng, r):
    """All clicks on an address become one user's."""
    urls = sorted({row[4] for row in r.rows} - {b""})
    if not urls:
        return False
    url, user = rng.choice(urls), rng.choice(users(r))
    for row in r.rows:
        if row[4] == url:
            row[0] = user


@change(JUDGE, "log")
def full_url(rng, r):
    row = rng.choice(r.rows)
    row[3], row[4] = b"", b"http://www.alpha.com/any/0"
    return r.last["urls"] == "keep" and r.claim("scrubbed") is None or r.last["urls"] != "keep"


@change(JUDGE, "log")
def rank_of_url(rng, r):
    rows = [row for row in r.rows if row[4]]
    if not rows:
        return False
    rng.choice(rows)[3] = b"7"


# --- sealed logs ---

@change(JUDGE, "sealed")
def other_share(rng, r):
    row = rng.choice(r.rows)
    row[2] = row[2][:-1] + (b"0" if row[2][-1:] != b"0" else b"1")


@change(JUDGE, "sealed")
def other_shares(rng, r):
    """The share of one index, in all rows that have it: no file shows that it opens nothing."""
    old = rng.choice(r.rows)
    query, share = old[1], old[2]
    for row in r.rows:
        if (row[1], row[2]) == (query, share):
            row[2] = share[:-1] + (b"0" if share[-1:] != b"0" else b"1")


@change(JUDGE, "sealed")
def other_index(rng, r):
    row = rng.choice(r.rows)
    index = rng.randrange(0, r.claim("sealed")["n"] + 2)
    row[2] = b"%d:" % index + row[2].split(b":")[1]


@change(JUDGE, "sealed")
def other_box(rng, r):
    row = rng.choice(r.rows)
    row[3] = (b"A" if row[3][:1] != b"A" else b"B") + row[3][1:]


@change(JUDGE, "sealed")
def other_query(rng, r):
    row, donor = rng.choice(r.rows), rng.choice(r.rows)
    row[1] = donor[1]
    if rng.random() < 0.5:
        row[3] = donor[3]


@change(JUDGE, "sealed")
def part_query(rng, r):
    rng.choice(r.rows)[1] = bytes(rng.choice(b"0123456789abcdef") for _ in range(32))


@change(JUDGE, "sealed")
def malformed_sealed(rng, r):
    row = rng.choice(r.rows)
    at, text = rng.choice([(0, b""), (1, row[1].upper() + b"F"), (1, row[1][1:]), (2, row[2][:-1]), (2, b"x" + row[2]),
                           (3, row[3][1:]), (3, b"")])
    row[at] = text


@change(NEVER, "sealed")
def odd_header(rng, r):
    old, new = rng.choice([(b"t=", b"t=0"), (b"t=", b"t=+"), (b"sealed 1", b"sealed 01"), (b"sealed 1", b"sealed 2"),
                           (b" n=", b"  n="), (b"scheme=", b"scheme= "), (b"#", b" #")])
    r.head[0] = r.head[0].replace(old, new)
    settle(r)


@change(JUDGE, "sealed")
def other_seal(rng, r):
    """t and n in the file, the step and the claim."""
    p = r.last
    p["t"] = max(2, p["t"] + rng.choice([-1, 1, 2]))
    p["n"] = max(p["n"], p["t"])
    claims = oracle.promised(r.manifest["steps"])
    r.set_claims(claims)
    if rng.random() < 0.7:
        r.head[0] = f"#lethe-sealed 1 t={claims[0]['t']} n={claims[0]['n']} scheme={claims[0]['scheme']}".encode()
