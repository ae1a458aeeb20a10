# SPDX-License-Identifier: Apache-2.0
"""Does a release keep its promise?  A second opinion beside `lethe verify`.

One function per notion, written from the definitions (lethe-release(5), docs/kl.md, docs/methods.md) and not from
src/check: where both are wrong in the same way, nobody notices.  Inputs are small, so everything is counted by brute
force.  A notion's function returns True or False; None where the promise says that nothing is refused, because the
files alone cannot show it; or UNTIMED."""
import base64
import binascii
import collections
import datetime
import itertools
import re
import unicodedata
from fractions import Fraction

import folder
import inputs

DAY = 86400
UNTIMED = "untimed"  # no times are published, or coarse ones: verify must say that this is undecided
TIME = re.compile(rb"(\d{4})-(\d\d)(?:-(\d\d)(?: (\d\d)(?::(\d\d):(\d\d))?)?)?")
PSEUDONYM = re.compile(rb"[a-z2-7]{16}")
HOST = re.compile(rb"[a-z0-9-]+(\.[a-z0-9-]+)*")
# What every reader would call a finding of that kind.  Only texts of change.PLANTED need to be told apart.
FORMS = {
    "email": re.compile(rb"[a-z.]+@[a-z.]+\.[a-z]+"),
    "ip": re.compile(rb"\b\d{1,3}(\.\d{1,3}){3}\b"),
    "address": re.compile(rb"\b\d+ [a-z]+ street\b"),
    "url": re.compile(rb"https?://[a-z.]+/\S"),
    "ssn": re.compile(rb"\b\d{3}-\d{2}-\d{4}\b"),
    "card": re.compile(rb"\b4\d{3}( \d{4}){3}\b"),
    "phone": re.compile(rb"\b\d{3}-\d{3}-\d{4}\b"),
    "number": re.compile(rb"\b\d{7,8}\b"),
    "iban": re.compile(rb"\bgb\d\d[a-z]{4}\d{14}\b"),
    "id": re.compile(rb"\b[a-z]{2}\d{6}[a-d]\b"),
    "birth": re.compile(rb"\bborn \d\d?/\d\d?/\d{4}\b"),
    "plate": re.compile(rb"\b[a-z]{2}\d\d [b-df-hj-np-tv-z]{3}\b"),
}


class Malformed(Exception):
    """The files or the manifest are not those of a release: nothing is left to decide."""


def demand(condition, what):
    if not condition:
        raise Malformed(what)


def exact(number):
    """A number of a manifest as the decimal or fraction that it was written as."""
    return Fraction(str(number))


# --- what steps promise ---

def promised_by(command, p):
    persons = {"persons": "record"} if p.get("persons") == "record" else {}
    if command == "threshold" and p["as"] == "counts":
        return [{"notion": "counted-threshold", "t": p["t"], "by": p["by"]}]
    if command == "threshold":
        return [{"notion": "query-threshold", "t": p["t"], "by": p["by"],
                 **({"rare": "hash"} if p["rare"] == "hash" else {}),
                 **({"clicked": "threshold"} if p["clicks"] == "threshold" else {})}]
    if command == "scrub":
        return [{"notion": "scrubbed", "kinds": p["kinds"].split(",")}]
    if command == "split":
        more = {"gap": {"gap": duration(p["gap"])},
                "interest": {**{name: p[name] for name in ("edit", "overlap", "top") if p["by"] == "interest"},
                             "results": "file" if p.get("results") else "clicks"}}
        return [{"notion": "personas", "by": p["by"], **more.get(p["by"], {})}]
    if command == "seal":
        n = p["t"] if p["scheme"] == "additive" else p["n"]
        return [{"notion": "sealed", "t": p["t"], "n": n, "scheme": p["scheme"], "clicks": p["keep-clicks"]}]
    if command == "disconnect":
        least = {"k": p.get("min-results"), "K": p.get("min-sites"), "m": p["min-urls"] if p["min-urls"] != "none" else 0}
        return [{"notion": "disconnected", "density": p["density"], **{x: n for x, n in least.items() if n}}]
    if command == "microagg":
        scrubbed = [] if p["no-scrub"] else [{"notion": "scrubbed", "kinds": list(KINDS)}]
        return [{"notion": "user-k-anonymity", "k": p["k"]}, *scrubbed]
    if command in ("clump", "partition", "ssg"):
        usual = "log" if command == "ssg" and p["k"] >= 5 and "min-owners" not in p and p["centre"] != "bag" else "group"
        of_log = {"term-persons": p.get("min-owners", max(5, p["k"]))} if p.get("owners", usual) == "log" else {}
        return [{"notion": "record-k-anonymity", "k": p["k"], **persons, **of_log}]
    if command in ("og", "mog", "aa"):
        strict = {"strict": True} if p.get("strict") else {}
        known = {"sensitive_known": p["sensitive-known"]} if p.get("sensitive-known") else {}
        return [{"notion": "kl-privacy", "k": p["k"], "m": p["m"], "n": p.get("n", 0), "l": p.get("l", 1.0),
                 **known, **strict, **persons}]
    if command == "mm":
        return [{"notion": "coherence", "h": p["h"], "k": p["k"], "p": p["p"], **persons}]
    overlap = {"groups": "overlap"} if command == "local" else {}
    return [{**claim, **overlap} for claim in promised_of_table(p)]


KINDS = ("ssn", "card", "phone", "email", "ip", "number", "address", "url", "iban", "id", "birth", "plate")


def duration(text):
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": DAY}[text[-1]]


def decimal(text):
    """How a claim writes a threshold: as a decimal number if it is one, else as a fraction."""
    value, digits = Fraction(text), 0
    rest = value
    while rest.denominator != 1 and digits < 20:
        rest, digits = rest * 10, digits + 1
    if rest.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    return f"{float(value):g}"


def fraction(text):
    """How a claim writes a number that may be above 1."""
    value = Fraction(text)
    return f"{value.numerator}/{value.denominator}"


def distance_of(text, sa):
    """Of a sensitive column: the word for all, or the one of its own."""
    if not text or "=" not in text:
        return text or "equal"
    return dict(part.split("=") for part in text.split(",")).get(sa, "equal")


def promised_of_table(p):
    qi, columns = p["qi"].split(","), p["sa"].split(",") if p.get("sa") else []
    claims = []
    for sa in columns:
        if p.get("theta") or p.get("theta-file"):
            theta = decimal(p["theta"]) if p.get("theta") else "listed"
            counting = {"counting": "fixed-cut"} if p.get("suppress") == "evenSA" else {}
            claims.append({"notion": "l-plus-diversity", "qi": qi, "sa": sa, "theta": theta, **counting})
    if p.get("k"):
        claims.append({"notion": "k-anonymity", "qi": qi, "k": p["k"]})
    for sa in columns:
        if p.get("distinct-l"):
            claims.append({"notion": "distinct-l", "qi": qi, "sa": sa, "l": p["distinct-l"]})
    for sa in columns:
        if p.get("entropy-l"):
            claims.append({"notion": "entropy-l", "qi": qi, "sa": sa, "l": fraction(p["entropy-l"])})
        if p.get("recursive"):
            c, l = p["recursive"].rsplit(",", 1)
            claims.append({"notion": "recursive-cl", "qi": qi, "sa": sa, "c": fraction(c), "l": int(l)})
        if p.get("t-closeness"):
            claims.append({"notion": "t-closeness", "qi": qi, "sa": sa, "t": fraction(p["t-closeness"]),
                           "distance": distance_of(p.get("t-distance"), sa)})
    if p.get("k-map"):
        claims.append({"notion": "k-map", "qi": qi, "k": p["k-map"], "population": p["population-blake2b"]})
    return claims


GIVES = {"records": ("clump", "partition", "ssg", "og", "mog", "aa", "mm"), "a sealed log": ("seal",),
         "a log": ("scrub", "threshold", "split", "disconnect", "microagg")}


def given_by(command):
    return next((shape for shape, commands in GIVES.items() if command in commands), "a table")


def unclaimed(steps):
    """Of each step, why it claims nothing; None if it claims something."""
    last = steps[-1]["command"] if steps else None
    why = f"applied before {last}; its promise cannot be seen in {given_by(last)} and is not claimed"
    return [None if given_by(step["command"]) == given_by(last) else why for step in steps]


def promised(steps):
    """What a step promises of a log cannot be seen in records, or once it is sealed.  Kept columns come last."""
    kept = kept_columns(steps)
    return [claim for step, why in zip(steps, unclaimed(steps)) if not why
            for claim in promised_by(step["command"], step["parameters"])] + (
        [{"notion": "value-threshold", "columns": kept, "t": steps[-1]["parameters"]["keep-min"]}] if kept else [])


def kept_columns(steps):
    """The names of the columns behind the five; of methods for tables, `keep` is a text."""
    asked = steps[-1]["parameters"].get("keep") if steps else None
    if not isinstance(asked, list):
        return []
    demand(all(step["command"] in ("scrub", "threshold", "split") for step in steps), "columns kept by other steps")
    return [f"column{name}" if name.isdigit() else name for name in asked]


# --- logs ---

def span(text, form=None):
    """First and last second of what a published time may stand for; None for no time.  `form` is the only one it may
    have: a coarser one was not made by the step that the manifest names."""
    if not text:
        return None
    match = TIME.fullmatch(text)
    demand(match, "a time is malformed")
    parts = [int(part) for part in match.groups() if part is not None]
    written = {2: "month", 3: "week" if form == "week" else "day", 4: "hour", 6: "exact"}[len(parts)]
    demand(form in (None, written), "a time of another form than is said")
    try:
        first = datetime.datetime(*(parts + [1])[:max(3, len(parts))], tzinfo=datetime.timezone.utc)
    except ValueError:
        raise Malformed("an impossible time") from None
    demand(written != "week" or first.isoweekday() == 1, "a week that does not begin on Monday")
    next_month = (first + datetime.timedelta(days=31)).replace(day=1)
    length = {"month": (next_month - first).days * DAY, "week": 7 * DAY, "day": DAY, "hour": 3600, "exact": 1}[written]
    return int(first.timestamp()), int(first.timestamp()) + length - 1


def check_click(r, rank, url):
    demand(re.fullmatch(rb"\d*", rank), "a rank is not a number")
    form = {"keep": rb".*", "host": HOST, "id": PSEUDONYM, "drop": rb""}[r.last["urls"]]
    objects = r.last.get("objects")
    demand(objects is None or (objects == "id" and r.last["urls"] == "host"), "objects that are published otherwise")
    if r.last["urls"] == "host" and url and (PSEUDONYM.fullmatch(url) or objects):
        demand(objects and (PSEUDONYM.fullmatch(url) or b"." in url), "an identifier where hosts are said, or the other way")
    demand(not url or re.fullmatch(form, url), "a URL is finer than the manifest says")
    if r.last["urls"] == "drop":
        demand(not rank, "a rank without URLs")


def check_log(r):
    names = ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"] + kept_columns(r.manifest["steps"])
    demand(r.head == ["\t".join(names).encode()], "header")
    for row in r.rows:
        demand(len(row) == len(names) and row[1], "fields of a row")
        demand(all(value == value.strip(b" ") for value in row[5:]), "spaces around a kept value")
        check_user(r, row[0])
        demand(row[1] == normal(row[1]), "a query is not in normal form")
        span(row[2], r.last["time"])
        check_click(r, row[3], row[4])


def check_user(r, name):
    demand(name and (r.last["keep-users"] or PSEUDONYM.fullmatch(name)), "a user is not a pseudonym")


def normal(text):
    """NFKC with case folding, and one space between words."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.decode()).casefold())
    return " ".join(folded.split()).encode()


def by_user(r):
    users = collections.defaultdict(list)
    for row in r.rows:
        users[row[0]].append(row[1:5])
    return users


def query_threshold(r, claim):
    seen = collections.defaultdict(list)
    clicked = {row[1] for row in r.rows if row[3] or row[4]}  # no hash: a click would tell what was asked
    for user, text, time, *_ in r.rows:
        if claim.get("rare") == "hash" and folder.HASHED.fullmatch(text) and text not in clicked:
            continue
        seen[text].append({"users": user, "queries": (user, time)}.get(claim["by"], len(seen[text])))
    if claim.get("clicked") == "threshold":
        for user, text, time, _, url, *_ in r.rows:
            if url:
                group = seen[b"\t" + url]  # no text holds a tab
                group.append({"users": user, "queries": (user, text, time)}.get(claim["by"], len(group)))
    return all(len(set(group)) >= claim["t"] for group in seen.values())


def value_threshold(r, claim):
    users = collections.defaultdict(set)
    for row in r.rows:
        for name, value in zip(claim["columns"], row[5:]):
            users[name, value].add(row[0])
    return all(len(found) >= claim["t"] for (_, value), found in users.items() if value)


def check_counts(r):
    """counts.tsv: the largest count first, then by bytes; each item once."""
    demand(r.head == [b"Item\tCount"], "header")
    for row in r.rows:
        demand(len(row) == 2 and row[0] and row[0] == normal(row[0]), "an item is not in normal form")
        demand(re.fullmatch(rb"[1-9]\d*", row[1]) and int(row[1]) < 2 ** 63, "not a count")
    demand(r.rows == sorted(r.rows, key=lambda row: (-int(row[1]), row[0])), "order")
    demand(len({row[0] for row in r.rows}) == len(r.rows), "an item stands twice")
    total, published = sum(int(row[1]) for row in r.rows), r.manifest["counts"]["published"]
    demand(total == published if r.last["by"] == "rows" else total <= published, "counts of rows that are not there")


def counted_threshold(r, claim):
    return all(int(row[1]) >= claim["t"] for row in r.rows)


def scrubbed(r, claim):
    if r.shape == "counts":
        return not any(FORMS[kind].search(row[0]) for kind in claim["kinds"] for row in r.rows)
    hashes = r.claim("query-threshold") or {}
    for _, text, _, _, url, *kept in r.rows:
        if any(FORMS[kind].search(value) for kind in claim["kinds"] for value in kept):
            return False
        if hashes.get("rare") == "hash" and folder.HASHED.fullmatch(text):
            continue
        keyed = r.last["urls"] == "id" or (r.last.get("objects") == "id" and PSEUDONYM.fullmatch(url))
        texts = [text] if keyed else [text, url]
        if any(FORMS[kind].search(part) for kind in claim["kinds"] for part in texts):
            return False
    return True


def user_k_anonymity(r, claim):
    lists = collections.Counter(tuple(sorted(map(tuple, rows))) for rows in by_user(r).values())
    return all(n >= claim["k"] for n in lists.values())


def disconnected(r, claim):
    urls = collections.defaultdict(set)
    for _, text, _, rank, url in r.rows:
        urls[text] |= {url} - {b""}
        if r.last["urls"] == "id" and rank and url:
            return False
    if "m" in claim and r.last["urls"] == "id" and not all(uncounted(r, text, claim["m"]) for text in urls):
        return False
    if r.results and not all(enough_results(text.decode(), claim, read_results(r.results)) for text in urls):
        return False
    pairs = list(itertools.combinations(urls.values(), 2))
    return sum(bool(a & b) for a, b in pairs) <= exact(claim["density"]) * len(pairs)


def uncounted(r, text, m):
    """A text has no identifier, or m and more, each in one row."""
    rows = [row[4] for row in r.rows if row[1] == text and row[4]]
    return not rows or len(set(rows)) == len(rows) >= m


def enough_results(text, claim, results):
    found = set(results.get(text, []))
    sites = {url.split("/")[2] for url in found}
    return len(found) >= claim.get("k", 0) and len(sites) >= claim.get("K", 0)


# --- personas ---

def within_a_day(spans):
    """Are there instants, one in each span, of which no two are 24 hours or more apart?"""
    return not spans or max(first for first, _ in spans) - min(last for _, last in spans) < DAY


def without_pause(spans, gap):
    """Are there instants of which each is at most `gap` after the one before?  Spans are as long as one another, so
    that instants may be taken in the order of their spans; low..high is where the latest one can be."""
    low, high = None, None
    for first, last in sorted(spans):
        if low is None:
            low, high = first, last
        else:
            low, high = max(first, low), min(last, high + gap)
        if low > high:
            return False
    return True


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        above, row = row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(above[j] + (x != y), above[j + 1] + 1, row[j] + 1))
    return row[-1]


def similar(a, b, claim, results):
    words, others = set(a.split()), set(b.split())
    longest = max(len(a), len(b))
    return (a == b or edit_distance(a, b) <= exact(claim["edit"]) * longest
            or len(words & others) >= exact(claim["overlap"]) * len(words | others)
            or bool(set(results.get(a, ())[:claim["top"]]) & set(results.get(b, ())[:claim["top"]])))


def one_interest(rows, claim, results):
    """Can a persona's queries be ordered, as far as times allow, so that each is similar to an earlier one?"""
    times = sorted({row[1] for row in rows})
    texts = [{row[0].decode() for row in rows if row[1] == time} for time in times]
    for root in texts[0]:
        known = {root}
        for group in texts:
            left = set(group) - known
            while left:
                near = {t for t in left if any(similar(t, k, claim, results) for k in known)}
                if not near:
                    break
                known |= near
                left -= near
            if left:
                break
        else:
            return True
    return False


def read_results(path):
    results = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        query, url = line.split("\t")
        results[query].append(url)
    return results


def clicked_addresses(r):
    addresses = collections.defaultdict(list)
    for rows in by_user(r).values():
        for text, _, *_, address in rows:
            if address:
                addresses[text.decode()].append(address)
    return addresses


def personas(r, claim):
    last = r.manifest["steps"][-1]["command"] == "split"
    by, users = claim["by"], by_user(r).values()
    if by == "interest":
        if not last or (claim["results"] == "file" and r.results is None):
            return None
        if claim["results"] == "file":
            results = read_results(r.results)
        elif r.last["urls"] == "drop" or r.manifest["metrics"].get("urls_uncut"):
            return None
        else:  # all clicks are published, as hosts or better: they decide what is no result in common
            claim = {**claim, "top": None}
            results = clicked_addresses(r)
        return all(one_interest(rows, claim, results) for rows in users)
    if by == "query" and any(len({(text, time) for text, time, *_ in rows}) > 1 for rows in users):
        return False
    if by == "day" and not all(within_a_day(spans_of(rows)) for rows in users):
        return False
    if by == "gap" and last and not all(without_pause(spans_of(rows), claim["gap"]) for rows in users):
        return False
    if coarse(r, claim) and in_company(r):
        return UNTIMED if not untimed(r) else False
    if not untimed(r):
        return True
    return UNTIMED if r.last["time"] == "drop" else False


def coarse(r, claim):
    """Are published times longer than a day, and than the gap that is promised?"""
    length = {"week": 7 * DAY, "month": 31 * DAY}.get(r.last["time"], 0)
    return claim["by"] in ("day", "gap") and length > max(DAY, claim.get("gap", 0))


def in_company(r):
    """Rows of users with several."""
    return sum(len(rows) for rows in by_user(r).values() if len(rows) > 1)


def spans_of(rows):
    return [s for s in (span(row[1]) for row in rows) if s]


def untimed(r):
    """Rows without a time whose user has others: they could be of any day.  Where times are published, such a row is a
    persona of its own."""
    return sum(not row[1] for rows in by_user(r).values() if len(rows) > 1 for row in rows)


# --- sealed logs ---

def check_sealed(r):
    claim = r.claim("sealed")
    columns = b"AnonID\tQueryID\tShare\tBox\tQueryTime" + (b"\tItemRank\tClickURL" if claim["clicks"] else b"")
    head = f"#lethe-sealed 1 t={claim['t']} n={claim['n']} scheme={claim['scheme']}".encode()
    demand(r.head == [head, columns], "header")
    for row in r.rows:
        demand(len(row) == (7 if claim["clicks"] else 5), "fields of a row")
        check_user(r, row[0])
        demand(re.fullmatch(rb"[0-9a-f]{32}", row[1]), "a QueryID is malformed")
        index = re.fullmatch(rb"([1-9]\d*):[0-9a-f]{64}", row[2])
        demand(index and int(index[1]) <= claim["n"], "a share is malformed")
        demand(is_box(row[3]), "a box is malformed")
        span(row[4], r.last["time"])
        if claim["clicks"]:
            check_click(r, row[5], row[6])


def is_box(text):
    """16, 32, 64 ... bytes, and the 16 of the authenticator."""
    try:
        n = len(base64.b64decode(text, validate=True)) - 16
    except binascii.Error:
        return False
    return n >= 16 and n & (n - 1) == 0


def sealed(r, claim):
    boxes, shares, held = {}, {}, {}
    for user, query, share, box, *_ in r.rows:
        index = share.split(b":")[0]
        if boxes.setdefault(query, box) != box or shares.setdefault((query, index), share) != share:
            return False
        if held.setdefault((query, user), share) != share:
            return False
    return True


# --- taxonomies ---

def read_tree(lines, overlap=False):
    """parent and number of leaves by name; the parent of the root is None.  With `overlap` children may have leaves in
    common."""
    parent, leaves = {}, {}
    for i, line in enumerate(lines):
        demand(len(line) == 3 and line[0] and re.fullmatch(rb"[1-9]\d*", line[2]), "a line of the taxonomy")
        child, above, n = line
        demand(child not in parent, "a name of the taxonomy has two lines")
        demand(bool(above) == (i > 0), "the first line, and no other, is the root")
        parent[child], leaves[child] = above or None, int(n)
    for name in parent:
        demand(parent[name] is None or parent[name] in parent, "a parent is not in the taxonomy")
        above = list(itertools.islice(ancestors(parent, name), len(parent) + 1))
        demand(len(above) <= len(parent), "the taxonomy has a cycle")
    for name in parent:
        below = [leaves[c] for c in parent if parent[c] == name]
        demand(leaves[name] >= max(max(below) if overlap and below else sum(below), 1),
               "fewer leaves than the nodes below have")
    return parent, leaves


def ancestors(parent, name):
    """The name, and all above it."""
    while name is not None:
        yield name
        name = parent[name]


def check_cover(parent, shown):
    used = {name for item in shown for name in ancestors(parent, item)}
    demand(all(name in used or above is None for name, above in parent.items()), "a node that is not published")


def above_another(parent, names):
    return any(a != b and a in ancestors(parent, b) for a in names for b in names)


def is_bag(item, parent):
    parts = item.split(b"|")
    return len(parts) > 1 and parts == sorted(set(parts)) and all(part in parent for part in parts)


# --- records ---

def secrets_of(r):
    return folder.lines_of(r.files["sensitive.txt"]) if "sensitive.txt" in r.files else []


def check_records(r):
    command = r.manifest["steps"][-1]["command"]
    secrets, public = secrets_of(r), {item for row in r.rows for item in row}
    demand(secrets == sorted(set(secrets)), "sensitive items are not sorted")
    demand(set(secrets) <= public, "a sensitive item is in no record")
    demand(("sensitive.txt" in r.files) == bool(r.last.get("sensitive")), "the list of sensitive items")
    demand(all(row == sorted(row) and b"" not in row for row in r.rows), "items of a record are not sorted")
    demand(("taxonomy.tsv" in r.files) == (command != "mm"), "the files of published records")
    if command == "mm":
        return
    lines = r.table_of("taxonomy.tsv")
    parent, _ = read_tree(lines)
    demand(lines[1:] == sorted(lines[1:]), "the taxonomy is not sorted")
    demand(not set(secrets) & set(parent), "a sensitive item is in the taxonomy")
    bags, shown = command == "ssg" and r.last["centre"] == "bag", set()
    for item in public - set(secrets):
        demand(item in parent or bags and is_bag(item, parent), "an item is not in the taxonomy")
        shown |= {item} if item in parent else set(item.split(b"|"))
    check_cover(parent, shown)


def record_k_anonymity(r, claim):
    # Who used a term is not seen; each of them has a record.
    return len(r.rows) >= claim.get("term-persons", 0) and \
        all(n >= claim["k"] for n in collections.Counter(map(tuple, r.rows)).values())


def shares_kept(rows, secrets, k, limit):
    """Either nobody fits, or k do, of whom at most the share `limit` has any one sensitive item."""
    return not rows or len(rows) >= k and all(sum(s in row for row in rows) <= limit * len(rows) for s in secrets)


def coherence(r, claim):
    def more(has, of):  # h was read as a double, and stands for every share that is read as it, such as 1/3
        return has / of > claim["h"]

    secrets, rows = secrets_of(r), [set(row) for row in r.rows]
    public = sorted({item for row in rows for item in row} - set(secrets))
    for n in range(claim["p"] + 1):
        for known in itertools.combinations(public, n):
            fits = [row for row in rows if row >= set(known)]
            if fits and (len(fits) < claim["k"] or any(more(sum(s in row for row in fits), len(fits)) for s in secrets)):
                return False
    return True


def clues(parent, leaves, strict):
    """What can be known of one set: (power in present items, in absent leaves, nodes it names, the test)."""
    children = collections.defaultdict(list)
    for name, above in parent.items():
        children[above].append(name)
    def has(names):
        below = {n for n in parent if set(ancestors(parent, n)) & set(names)}
        return lambda row: bool(row & below)
    for name in parent:
        yield 1, 0, {name}, has([name])
        yield 0, leaves[name], {name}, lambda row, test=has([name]): not test(row)
    if strict:
        for siblings in children.values():
            for n in (2, 3):
                for union in itertools.combinations(siblings, n):
                    yield 1, 0, set(union), has(union)


def compatible(parent, strict, names, others):
    """Nothing is known twice, nor (unless strict) something together with what is above it."""
    if strict:
        return True
    return not any(a in ancestors(parent, b) or b in ancestors(parent, a) for a in names for b in others)


def kl_privacy(r, claim):
    lines = r.table_of("taxonomy.tsv")
    parent, leaves = read_tree(lines)
    secrets, strict = secrets_of(r), claim.get("strict", False)
    if above_another(parent, {item for row in r.rows for item in row} - set(secrets)):
        return False  # items are not those of a cut
    all_clues, limit = list(clues(parent, leaves, strict)), 1 / exact(claim["l"])

    def search(start, m, n, named, rows, secrets):
        if not shares_kept(rows, secrets, claim["k"], limit):
            return False
        if not rows:
            return True  # who knows more fits nobody either
        for i in range(start, len(all_clues)):
            present, absent, names, test = all_clues[i]
            if present <= m and absent <= n and compatible(parent, strict, names, named):
                if not search(i + 1, m - present, n - absent, named | names, [row for row in rows if test(row)], secrets):
                    return False
        return True
    for size in range(claim.get("sensitive_known", 0) + 1):
        for known in itertools.combinations(secrets, size):
            rows = [set(row) for row in r.rows if set(row) >= set(known)]
            if not search(0, claim["m"], claim["n"], set(), rows, set(secrets) - set(known)):
                return False
    return True


# --- tables ---

def table_trees(r):
    """For each quasi-identifier its tree, from lines of the form COLUMN=value."""
    qi = [name.encode() for name in r.last["qi"].split(",")]
    trees = {}
    for name, lines in itertools.groupby(r.table_of("taxonomy.tsv"), lambda line: line[0].split(b"=")[0]):
        demand(name not in trees and name in qi, "columns of the taxonomy")
        lines = list(lines)
        demand(all(not line[1] or line[1].startswith(name + b"=") for line in lines if len(line) == 3), "a parent")
        values = name.decode() in columns_of_values(r)
        trees[name] = read_tree(lines, values)
        if values:
            check_ranges(name, *trees[name])
    demand(list(trees) == qi, "columns of the taxonomy")
    return trees


def columns_of_values(r):
    """Columns whose groups publish ranges of their values."""
    pairs = [part.split("=") for part in r.last.get("ranges", "").split(";") if part]
    return {name for name, widths in pairs if widths == "values"}


def ends_of(text):
    """The least and the greatest number of a range, as it is published; a number is a range of one."""
    number = r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?"
    match = re.fullmatch(f"({number})(?:-({number}))?", text.decode())
    demand(match and "-0" not in match.groups(), "a range")
    low, high = Fraction(match[1]), Fraction(match[2] or match[1])
    demand(match[2] is None or low < high, "the order of a range")
    return low, high


def check_ranges(name, parent, leaves):
    """All stand below the range of all values, and inside it."""
    root = next(node for node in parent if parent[node] is None)
    least, greatest = ends_of(root[len(name) + 1:])
    for node, above in parent.items():
        low, high = ends_of(node[len(name) + 1:])
        demand(above in (None, root) and least <= low and high <= greatest, "a range outside that of all values")
        demand((leaves[node] == 1) == (low == high), "values of a range")


def sensitive_trees(r, columns):
    """The same of sensitive.tsv."""
    trees = {}
    for name, lines in itertools.groupby(r.table_of("sensitive.tsv"), lambda line: line[0].split(b"=")[0]):
        demand(name not in trees, "columns of sensitive.tsv")
        trees[name] = read_tree(list(lines))
    demand(list(trees) == columns, "columns of sensitive.tsv")
    return trees


def check_table(r):
    roles = [name for x in ("qi", "sa", "class", "keep") if r.last.get(x) for name in r.last[x].split(",")]
    demand(sorted(r.columns) == sorted(role.encode() for role in roles), "columns")
    demand(all(len(row) == len(r.columns) for row in r.rows), "fields of a row")
    for name, (parent, _) in table_trees(r).items():
        shown = {name + b"=" + row[r.columns.index(name)] for row in r.rows}
        demand(shown <= set(parent), "a value is not in the taxonomy")
        check_cover(parent, shown)
    if r.manifest["steps"][-1]["command"] == "local":
        check_deleted(r)
    demand(("theta.tsv" in r.files) == bool(r.last.get("theta-file")), "the file of thresholds")
    if "theta.tsv" in r.files:
        lines = r.table_of("theta.tsv")
        demand(lines == sorted(lines) and len({line[0] for line in lines}) == len(lines), "thresholds")
        demand({row[r.columns.index(r.last["sa"].encode())] for row in r.rows} - {b"*"} == {line[0] for line in lines},
               "a value without a threshold, or one that is not published")
    by_tree = [c["sa"].encode() for c in r.manifest["claims"] if c.get("distance") == "hierarchical"]
    demand(("sensitive.tsv" in r.files) == bool(by_tree), "the hierarchies of sensitive values")
    for name, (parent, _) in (sensitive_trees(r, by_tree).items() if by_tree else ()):
        shown = {name + b"=" + row[r.columns.index(name)] for row in r.rows}
        demand(shown == set(parent) - set(parent.values()), "the values are not the lowest nodes")


def check_deleted(r):
    """`local` deletes no more than the step allows."""
    counts = r.manifest["counts"]
    deleted, share = counts["suppressed"], Fraction(r.last["suppress"])
    demand(deleted <= share * (counts["published"] + deleted), "more rows are deleted than the step allows")


def may_overlap(claim):
    return claim.get("groups") == "overlap"


def is_cut(r):
    for name, (parent, _) in table_trees(r).items():
        at = r.columns.index(name)
        if above_another(parent, {name + b"=" + row[at] for row in r.rows}):
            return False
    return True


def table_groups(r, claim):
    at = [r.columns.index(name.encode()) for name in claim["qi"]]
    sa = r.columns.index(claim["sa"].encode()) if claim.get("sa") else None
    groups = collections.defaultdict(list)
    for row in r.rows:
        groups[tuple(row[i] for i in at)].append(row[sa] if sa is not None else b"")
    return groups.values()


def l_plus_diversity(r, claim):
    listed = {v: Fraction(t.decode()) for v, t in r.table_of("theta.tsv")} if claim["theta"] == "listed" else None
    for group in table_groups(r, claim):
        for value in set(group) - {b"*"}:
            theta = listed[value] if listed else Fraction(claim["theta"])
            if group.count(value) > theta * len(group):
                return False
    if claim.get("counting") and not all(counting_is_safe(group, values_of(r, claim), Fraction(claim["theta"]))
                                         for group in table_groups(r, claim)):
        return False
    return may_overlap(claim) or is_cut(r)


def values_of(r, claim):
    """The sensitive values that the table shows."""
    return {value for group in table_groups(r, claim) for value in group} - {b"*"}


def counting_is_safe(group, values, theta):
    """Stars are equally likely each of the values that the group shows most often, or any value if it shows none: is none
    of them likelier than theta then?"""
    stars, shown = group.count(b"*"), collections.Counter(value for value in group if value != b"*")
    most = max(shown.values(), default=0)
    likely = [value for value in values if shown[value] == most]
    return not stars or all(shown[value] + Fraction(stars, len(likely)) <= theta * len(group) for value in likely)


def k_anonymity(r, claim):
    return all(len(group) >= claim["k"] for group in table_groups(r, claim)) and (
        may_overlap(claim) or is_cut(r))


def distinct_l(r, claim):
    kinds = [len(set(group) - {b"*"}) for group in table_groups(r, claim)]
    return all(n == 0 or n >= claim["l"] for n in kinds) and (may_overlap(claim) or is_cut(r))


def counts_of(group):
    return sorted(collections.Counter(group).values(), reverse=True)


def entropy_l(r, claim):
    l = Fraction(claim["l"])
    for group in table_groups(r, claim):
        n, power = len(group), 1
        for count in counts_of(group):
            power *= count ** count
        if b"*" in group or (n * l.denominator) ** n < l.numerator ** n * power:
            return False
    return may_overlap(claim) or is_cut(r)


def recursive_cl(r, claim):
    for group in table_groups(r, claim):
        counts = counts_of(group)
        if b"*" in group or not counts[0] < Fraction(claim["c"]) * sum(counts[claim["l"] - 1:]):
            return False
    return may_overlap(claim) or is_cut(r)


def shares_of(values):
    return {value: Fraction(n, len(values)) for value, n in collections.Counter(values).items()}


def distance_equal(group, table):
    return sum(abs(group.get(value, 0) - share) for value, share in table.items()) / 2


def distance_ordered(group, table):
    numbers = sorted({Fraction(value.decode()) for value in table})
    moved = sum(abs(sum((group.get(value, 0) - share for value, share in table.items()
                         if Fraction(value.decode()) <= number), Fraction(0))) for number in numbers)
    return moved / max(len(numbers) - 1, 1)


def distance_in_tree(group, table, parent, column):
    """What has to go through each edge, whose length is half the difference of the heights."""
    def height(node):
        return max((1 + height(child) for child in parent if parent[child] == node), default=0)
    root = next(node for node in parent if parent[node] is None)
    moved = Fraction(0)
    for node in parent:
        if node == root:
            continue
        below = [value for value in table if node in ancestors(parent, column + b"=" + value)]
        net = sum((group.get(value, 0) - table[value] for value in below), Fraction(0))
        moved += abs(net) * (height(parent[node]) - height(node)) / 2
    return moved / max(height(root), 1)


def t_closeness(r, claim):
    groups, t = list(table_groups(r, claim)), Fraction(claim["t"])
    values = [value for group in groups for value in group]
    if b"*" in values:
        return False
    if claim["distance"] == "ordered" and not all(re.fullmatch(rb"-?\d*\.?\d+", value) for value in values):
        return False
    name = claim["sa"].encode()
    for group in groups:
        shares, table = shares_of(group), shares_of(values)
        if claim["distance"] == "hierarchical":
            by_tree = [c["sa"].encode() for c in r.manifest["claims"] if c.get("distance") == "hierarchical"]
            far = distance_in_tree(shares, table, sensitive_trees(r, by_tree)[name][0], name)
        else:
            far = {"equal": distance_equal, "ordered": distance_ordered}[claim["distance"]](shares, table)
        if far > t:
            return False
    return may_overlap(claim) or is_cut(r)


def falls_under(column, value, person):
    """Is a value of the population at or below a published one?"""
    above = inputs.AGES.get(person, ()) if column == "age" else ()
    return value in (person, "*") or value in above


def k_map(r, claim):
    people = [dict(zip(r.people[0], row)) for row in r.people[1:]]
    at = [r.columns.index(name.encode()) for name in claim["qi"]]
    for group in {tuple(row[i].decode() for i in at) for row in r.rows}:
        fit = [p for p in people if all(falls_under(c, v, p[c]) for c, v in zip(claim["qi"], group))]
        if len(fit) < claim["k"]:
            return False
    return may_overlap(claim) or is_cut(r)


# --- all of it ---

NOTIONS = {"query-threshold": query_threshold, "value-threshold": value_threshold, "counted-threshold": counted_threshold, "scrubbed": scrubbed, "personas": personas, "sealed": sealed,
           "user-k-anonymity": user_k_anonymity, "disconnected": disconnected,
           "record-k-anonymity": record_k_anonymity, "kl-privacy": kl_privacy, "coherence": coherence,
           "l-plus-diversity": l_plus_diversity, "k-anonymity": k_anonymity, "distinct-l": distinct_l,
           "entropy-l": entropy_l, "recursive-cl": recursive_cl, "t-closeness": t_closeness, "k-map": k_map}
SHAPES = {"log": check_log, "sealed": check_sealed, "records": check_records, "table": check_table,
          "counts": check_counts}


def check_manifest(r):
    m = r.manifest
    demand(promised(m["steps"]) == m["claims"], "the claims are not what the steps promise")
    demand([step.get("unclaimed") for step in m["steps"]] == unclaimed(m["steps"]), "the steps without a claim")
    demand(m["verdict"] == {"holds": True, "checks": [{**c, "holds": True} for c in m["claims"]]}, "the verdict")
    counts = m["counts"]
    demand(counts["read"] == counts["published"] + counts["suppressed"] + counts["rejected"], "the counts")
    demand({f["name"] for f in m["files"]} == set(r.files), "the files of the folder")


def judge(r):
    """(None, {notion: what its function returns}), or (why it is malformed, {})."""
    try:
        check_manifest(r)
        demand(r.rows, "no row")
        SHAPES[r.shape](r)
        verdicts = {}
        for claim in r.manifest["claims"]:  # of several columns with one notion, one that does not hold
            if verdicts.get(claim["notion"]) is not False:
                verdicts[claim["notion"]] = NOTIONS[claim["notion"]](r, claim)
        return None, verdicts
    except Malformed as why:
        return str(why), {}
