# SPDX-License-Identifier: Apache-2.0
"""How a forger changes a release.  Each change is a function of a random generator and a copy of a release; it changes
the copy, and returns False if it does not apply there.  `expects` says who judges:

  JUDGE  the oracle, from the files as they are now
  NEVER  nobody needs to: whatever the data says, such a release must be refused
  SAID   must be refused, or verify must say that it could not check the `topic`

JUDGE changes leave a manifest that is consistent: order, counts, figures and digests are made anew by `settle`."""
import figures
import oracle

JUDGE, NEVER, SAID = "judge", "never", "said"
CHANGES = []
EVERYWHERE = []  # changes that are tried on every release to which they apply


def change(expects, *shapes, commands=None, topic=None):
    """Registers a change for releases of these shapes (all if none is given) and last steps."""
    def register(function):
        function.expects, function.shapes, function.commands, function.topic = expects, shapes, commands, topic
        CHANGES.append(function)
        return function
    return register


def applies(function, r):
    command = r.manifest["steps"][-1]["command"]
    return ((not function.shapes or r.shape in function.shapes)
            and (not function.commands or command in function.commands))


def apply(function, rng, r):
    """False if the change does not apply, as where an earlier one left a taxonomy that cannot be read, or a value that
    is not in it."""
    try:
        return function(rng, r)
    except (oracle.Malformed, KeyError):
        return False


def settle(r):
    """Makes anew whatever depends on the data."""
    r.drop_file("report.html")  # it would show what was there before
    cover(r)
    r.set_rows()
    r.set_counts()
    figures.refresh(r)
    r.set_digests()


def cover(r):
    """taxonomy.tsv with what is published, and what is above that, alone: as every release has it."""
    if "taxonomy.tsv" not in r.files:
        return
    lines = r.table_of("taxonomy.tsv")
    parent = {line[0]: line[1] or None for line in lines}
    if r.shape == "table":
        shown = {name.encode() + b"=" + row[column(r, name)] for name in r.last["qi"].split(",") for row in r.rows}
    else:
        shown = {part for item in public_items(r) for part in ([item] if item in parent else item.split(b"|"))}
    used = {name for item in shown & set(parent) for name in oracle.ancestors(parent, item)}
    r.set_table("taxonomy.tsv", [line for line in lines if line[0] in used or not line[1]])


def public_items(r):
    return sorted({item for row in r.rows for item in row} - set(oracle.secrets_of(r)))


def column(r, role):
    return r.columns.index(role.encode())


# --- rows of any kind ---

@change(JUDGE)
def nothing(rng, r):
    """As made: the oracle must accept what verify accepts."""


EVERYWHERE.append(nothing)


@change(JUDGE)
def drop_rows(rng, r):
    for _ in range(rng.randrange(1, 4)):
        if len(r.rows) > 1:
            r.rows.pop(rng.randrange(len(r.rows)))


@change(JUDGE)
def repeat_row(rng, r):
    r.rows.append(list(rng.choice(r.rows)))


@change(JUDGE)
def drop_kind(rng, r):
    """All rows that are equal (of a log: of the same text) to one of them."""
    def kind(row):
        return row[1] if r.shape in ("log", "sealed") else row
    gone = kind(rng.choice(r.rows))
    left = [row for row in r.rows if kind(row) != gone]
    if not left:
        return False
    r.rows = left


# --- parameters ---

def other_count(rng, n):
    return max(2, n + rng.choice([-1, 1, 2, 5]))


def beside(rng, n):
    return max(1, n + rng.choice([-1, 1]))


def one_of(*values):
    return lambda rng, old: rng.choice(values)


def unless(same, *values):
    """Another value, but not of a promise that has none."""
    return lambda rng, old: old if old == same else rng.choice(values)


# command: parameters and what they may become; the caveats of a release depend on none of these
NUMBERS = {
    "scrub": {"keep-min": other_count},
    "threshold": {"t": other_count, "keep-min": other_count},
    "split": {"keep-min": other_count, "gap": one_of("30m", "1h", "3h", "8h", "30h"), "overlap": one_of(0.2, 0.4, 0.7, 0.9),
              "edit": one_of(0.05, 0.3, 0.6)},
    "disconnect": {"density": unless(0, 0.05, 0.1, 0.3, 0.4),
                   "min-urls": lambda rng, old: old if old == "none" else other_count(rng, old)},
    "microagg": {"k": other_count},
    "clump": {"k": other_count},
    "og": {"k": other_count, "m": beside, "n": unless(0, 1, 2, 3), "l": unless(1, 1.5, 2.0, 2.25, 3.0, 4.0)},
    "aa": {"k": other_count, "m": beside},
    "mm": {"k": other_count, "p": beside, "h": unless(1, 0.1, 0.2, 1 / 3, 0.7, 0.9)},
    "lplus": {"theta": one_of("1/3", "0.4", "0.45", "0.8", "0.9"), "k": other_count, "distinct-l": one_of(2, 3),
              "entropy-l": one_of("1.25", "2.5", "7/3"), "recursive": one_of("1,2", "1.5,3", "5,2"),
              "t-closeness": one_of("0.05", "0.2", "1/3", "0.9"), "k-map": one_of(2, 12, 25, 50)},
}
NUMBERS.update(mog=NUMBERS["og"], partition=NUMBERS["clump"], ssg=NUMBERS["clump"], incognito=NUMBERS["lplus"],
               anneal=NUMBERS["lplus"], local=NUMBERS["lplus"])


@change(JUDGE)
def two_changes(rng, r):
    """Two of the changes above, one after the other."""
    for function in rng.sample([f for f in CHANGES if f.expects == JUDGE and applies(f, r)], 2):
        if not applies(function, r) or apply(function, rng, r) is False:  # the first may have changed the steps
            return False
        r.set_rows()


@change(JUDGE)
def other_parameter(rng, r):
    """A stronger or weaker promise, with claims and verdict to match."""
    step = rng.choice(r.manifest["steps"])
    known = [name for name in NUMBERS.get(step["command"], {}) if name in step["parameters"]]
    if not known:
        return False
    name = rng.choice(known)
    value = NUMBERS[step["command"]][name](rng, step["parameters"][name])
    if value == step["parameters"][name]:
        return False
    step["parameters"][name] = value
    r.set_claims(oracle.promised(r.manifest["steps"]))


SHARES = sorted({(a / b, f"{a}/{b}") for b in range(2, 13) for a in range(1, b)})
# parameters that decide how strong a promise is, and values of them in order
LADDERS = {
    "t": range(2, 30), "k": range(2, 20), "distinct-l": range(2, 6), "theta": [text for _, text in SHARES],
    "density": [n / 100 for n in range(1, 50)], "h": [n / 100 for n in range(1, 100)],
    "entropy-l": [f"{n}/20" for n in range(21, 80)], "recursive": [f"{n}/8,2" for n in range(1, 80)],
    "t-closeness": [text for _, text in SHARES], "k-map": range(2, 40), "min-urls": range(2, 20),
    "keep-min": range(2, 40), "l": [n / 20 for n in range(22, 100)], "gap": [f"{n}m" for n in range(15, 2880, 15)],
}


def holds_with(r, step, name, value):
    step["parameters"][name] = value
    r.set_claims(oracle.promised(r.manifest["steps"]))
    malformed, verdicts = oracle.judge(r)
    return None if malformed else False not in verdicts.values()


def edge(r, name, kept):
    """Where a promise that the data keeps becomes one that it does not: there a checker that is off by one is seen."""
    step = next((s for s in r.manifest["steps"] if name in s["parameters"]), None)
    if not step or step["parameters"][name] in (0, 1, "none"):  # which has other caveats
        return False
    ladder, low, high = LADDERS[name], 0, len(LADDERS[name]) - 1
    at_low = holds_with(r, step, name, ladder[low])
    if at_low == holds_with(r, step, name, ladder[high]):
        return False
    while high - low > 1:  # the answer changes between the two
        middle = (low + high) // 2
        if holds_with(r, step, name, ladder[middle]) == at_low:
            low = middle
        else:
            high = middle
    holds_with(r, step, name, ladder[low if at_low == kept else high])
    return True


def register_edges(name):
    def strongest_kept(rng, r):
        return edge(r, name, True)

    def weakest_broken(rng, r):
        return edge(r, name, False)
    for function in (strongest_kept, weakest_broken):
        function.__name__ += "_" + name
        change(JUDGE, "log", "records", "table", "counts")(function)
        EVERYWHERE.append(function)


for _name in LADDERS:
    register_edges(_name)


@change(JUDGE)
def other_manifest(rng, r):
    """The steps, claims, caveats and figures of another release of the same input, over this data."""
    donors = [d for d in r.others if d.shape == r.shape and set(d.files) == set(r.files)
              and d.columns == r.columns and d.name != r.name]
    if not donors:
        return False
    donor = rng.choice(donors).copy()
    if donor.claim("scrubbed") and (r.claim("query-threshold") or {}).get("rare"):
        return False  # what a detector finds in the digits of a hash is its own affair
    counts = r.manifest["counts"]
    r.manifest = {**donor.manifest, "counts": counts}
    if "rows_out" in donor.manifest["metrics"]:
        counts["published"] = max(counts["published"], 1)
    if r.shape == "records":  # lines of the input behind as many records
        counts["published"] = donor.manifest["counts"]["published"] + len(r.rows) - donor.manifest["metrics"]["records"]
        r.manifest["metrics"]["records"] = len(r.rows)


@change(JUDGE, "log", "sealed")
def other_coarseness(rng, r):
    name, values = rng.choice([("time", ["drop", "day", "hour"]), ("urls", ["drop", "host", "id"])])
    if r.last[name] not in values or r.shape == "sealed" and name == "urls" or "rows_out" in r.manifest["metrics"]:
        return False
    coarser = values[:values.index(r.last[name])]
    if not coarser or name == "urls" and r.last["urls"] == "id":
        return False
    r.last[name] = rng.choice(coarser)
