# SPDX-License-Identifier: Apache-2.0
"""How a forger changes a release.  Each change is a function of a random generator and a copy of a release; it changes
the copy, and returns False if it does not apply there.  `expects` says who judges:

  JUDGE  the oracle, from the files as they are now
  NEVER  nobody needs to: whatever the data says, such a release must be refused
  SAID   must be refused, or verify must say that it could not check this

JUDGE changes leave a manifest that is consistent: order, counts, figures and digests are made anew by `settle`."""
import datetime

import figures
import inputs
import oracle

JUDGE, NEVER, SAID = "judge", "never", "said"
CHANGES = []
# Texts that only the detector of one kind finds, and those that other detectors may find as well.
PLANTED = {b"mail joe.roe@example.org": {"email"}, b"ping 10.1.2.3": {"ip"}, b"12 main street": {"address"},
           b"http://example.org/secret/page": {"url"}, b"my 078-05-1120": set(oracle.KINDS) - {"email", "ip", "address", "url"},
           b"pay 4111 1111 1111 1111": set(oracle.KINDS) - {"email", "ip", "address", "url"}}


def change(expects, *shapes, commands=None):
    """Registers a change for releases of these shapes (all if none is given) and last steps."""
    def register(function):
        function.expects, function.shapes, function.commands = expects, shapes, commands
        CHANGES.append(function)
        return function
    return register


def applies(function, r):
    command = r.manifest["steps"][-1]["command"]
    return (not function.shapes or r.shape in function.shapes) and (not function.commands or command in function.commands)


def settle(r):
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


def new_name(rng):
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz234567") for _ in range(16)).encode()


def texts(r):
    return sorted({row[1] for row in r.rows})


def users(r):
    return sorted({row[0] for row in r.rows})


# --- rows of any kind ---

@change(JUDGE)
def nothing(rng, r):
    """As made: the oracle must accept what verify accepts."""


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
    clear = [text for text, found in PLANTED.items() if any(oracle.FORMS[k].search(text) for k in kinds) or not found & kinds]
    return rng.choice(clear)


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
    row[1:] = [b"#" + bytes(rng.choice(b"0123456789abcdef") for _ in range(32)), row[2], b"", b""]


@change(JUDGE, "log", commands=["threshold"])
def nearly_hash(rng, r):
    rng.choice(r.rows)[1] = rng.choice([b"#abcd", b"#" + b"abcdef1a" * 4 + b"b", b"abcdef1a" * 4, b"#" + b"ABCDEFAB" * 4])


@change(JUDGE, "log")
def as_typed(rng, r):
    """Not in normal form: who counts texts would count this one as another."""
    row = rng.choice(r.rows)
    row[1] = rng.choice([row[1].upper(), b" " + row[1], row[1] + b"  x", "\ufb01ve".encode(), row[1] + "\u00c4".encode()])


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
    rng.choice(r.rows)[TIME_AT[r.shape]] = rng.choice([b"2006-02-30", b"2006-13-01", b"yesterday", b"2006-3-1", b" "])
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
    at, text = rng.choice([(1, row[1].upper() + b"F"), (1, row[1][1:]), (2, row[2][:-1]), (2, b"x" + row[2]), (3, row[3][1:]),
                           (3, b""), (0, b"")])
    row[at] = text


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


# --- records ---

def public_items(r):
    return sorted({item for row in r.rows for item in row} - set(oracle.secrets_of(r)))


def tree(r):
    return oracle.read_tree(r.table_of("taxonomy.tsv"))


@change(JUDGE, "records")
def add_item(rng, r):
    row, item = rng.choice(r.rows), rng.choice(public_items(r))
    if item in row:
        return False
    row.append(item)


@change(JUDGE, "records", commands=["clump", "partition", "ssg"])
def repeat_item(rng, r):
    """How often a record has an item; a set of og, mog, aa or mm has each once."""
    rows = [row for row in r.rows if row]
    if not rows:
        return False
    row = rng.choice(rows)
    row.append(rng.choice(row))


@change(JUDGE, "records")
def drop_item(rng, r):
    rows = [row for row in r.rows if row]
    if not rows:
        return False
    row = rng.choice(rows)
    row.pop(rng.randrange(len(row)))
    keep_secrets(r)


def keep_secrets(r):
    """sensitive.txt with the items that are still published."""
    if "sensitive.txt" in r.files:
        shown = {item for row in r.rows for item in row}
        r.files["sensitive.txt"] = b"".join(s + b"\n" for s in oracle.secrets_of(r) if s in shown)


@change(JUDGE, "records")
def exchange_item(rng, r):
    rows = [row for row in r.rows if row]
    if not rows:
        return False
    row, item = rng.choice(rows), rng.choice(public_items(r))
    if item in row:
        return False
    row[rng.randrange(len(row))] = item
    keep_secrets(r)


@change(JUDGE, "records")
def empty_record(rng, r):
    rng.choice(r.rows).clear()
    keep_secrets(r)


def replace_item(r, old, new, rows):
    for row in rows:
        if old in row:
            kept = [item for item in row if item != old]
            row[:] = kept if new in kept else kept + [new] * row.count(old)


def ungeneral(r):
    """A public item that has something above it, and that."""
    if "taxonomy.tsv" not in r.files:
        return []
    parent, _ = tree(r)
    return [(item, parent[item]) for item in public_items(r) if parent.get(item)]


@change(JUDGE, "records")
def generalize_everywhere(rng, r):
    pairs = ungeneral(r)
    if not pairs:
        return False
    item, above = rng.choice(pairs)
    parent, _ = tree(r)
    for other in public_items(r):
        if other in parent and above in oracle.ancestors(parent, other):
            replace_item(r, other, above, r.rows)


@change(JUDGE, "records")
def generalize_once(rng, r):
    pairs = ungeneral(r)
    if not pairs:
        return False
    item, above = rng.choice(pairs)
    replace_item(r, item, above, [rng.choice([row for row in r.rows if item in row])])


def graft(r, child, above):
    """A leaf below a published item, as the whole taxonomy has it."""
    lines = r.table_of("taxonomy.tsv")
    if any(line[0] == child for line in lines):
        return False
    r.set_table("taxonomy.tsv", lines[:1] + sorted(lines[1:] + [[child, above, b"1"]]))
    return True


def specializable(r):
    """A published general item, and a child of it in the taxonomy of the input."""
    if "taxonomy.tsv" not in r.files:
        return []
    parent, leaves = tree(r)
    return [(item, child.encode()) for item in public_items(r) for child, above in inputs.TREE.items()
            if above.encode() == item and leaves.get(item, 1) > 1 and child in inputs.LEAVES and child.encode() not in parent]


@change(JUDGE, "records")
def specialize_everywhere(rng, r):
    pairs = specializable(r)
    if not pairs:
        return False
    item, child = rng.choice(pairs)
    graft(r, child, item)
    replace_item(r, item, child, r.rows)


@change(JUDGE, "records")
def specialize_once(rng, r):
    """What a person had, in place of what all of the group have."""
    pairs = specializable(r)
    if not pairs:
        return False
    item, child = rng.choice(pairs)
    graft(r, child, item)
    replace_item(r, item, child, [rng.choice([row for row in r.rows if item in row])])


@change(JUDGE, "records")
def specialize_one_kind(rng, r):
    """In all records that are equal to one: still alike."""
    pairs = specializable(r)
    if not pairs:
        return False
    item, child = rng.choice(pairs)
    graft(r, child, item)
    one = list(rng.choice([row for row in r.rows if item in row]))
    replace_item(r, item, child, [row for row in r.rows if row == one])


@change(JUDGE, "records")
def more_secrets(rng, r):
    secrets = oracle.secrets_of(r)
    if not secrets:
        return False
    secret = rng.choice(secrets)
    for row in rng.sample(r.rows, min(len(r.rows), rng.randrange(1, 6))):
        if secret not in row:
            row.append(secret)


@change(JUDGE, "records")
def move_secret(rng, r):
    secrets = oracle.secrets_of(r)
    having = [row for row in r.rows if secrets and secrets[0] in row]
    lacking = [row for row in r.rows if secrets and secrets[0] not in row]
    if not having or not lacking:
        return False
    rng.choice(having).remove(secrets[0])
    rng.choice(lacking).append(secrets[0])


@change(JUDGE, "records", commands=["clump", "partition", "ssg", "og", "mog", "aa"])
def strange_item(rng, r):
    """An item that the taxonomy does not have."""
    rng.choice(r.rows).append(b"zebra")


@change(JUDGE, "records", commands=["clump", "partition", "ssg", "og", "mog", "aa"])
def bag_item(rng, r):
    """An item that is any one of two."""
    parent, _ = tree(r)
    items = [item for item in public_items(r) if item in parent]
    if len(items) < 2:
        return False
    one = rng.choice([row for row in r.rows if set(row) & set(items)])
    old = next(item for item in one if item in items)
    bag = b"|".join(sorted({old, rng.choice([item for item in items if item != old])}))
    same = list(one)
    replace_item(r, old, bag, [row for row in r.rows if row == same])


# --- taxonomies ---

@change(SAID, "records", commands=["og", "mog"])
def more_leaves(rng, r):
    """With more leaves, what is absent takes more power to know than it does."""
    if not r.claim("kl-privacy")["n"]:
        return False
    r.set_table("taxonomy.tsv", [[c, p, b"%d" % (int(n) * 100)] for c, p, n in r.table_of("taxonomy.tsv")])
    settle(r)


@change(JUDGE, "records")
def other_parent(rng, r):
    """A node, and all below it, at another place of the taxonomy."""
    if "taxonomy.tsv" not in r.files:
        return False
    lines = r.table_of("taxonomy.tsv")
    parent, leaves = tree(r)
    node = rng.choice(sorted(parent))
    places = [name for name in sorted(parent) if leaves[name] > 1 and node not in oracle.ancestors(parent, name)]
    if not parent[node] or not places:
        return False
    place = rng.choice(places)
    for name in list(oracle.ancestors(parent, parent[node])):
        leaves[name] -= leaves[node]
    for name in oracle.ancestors(parent, place):
        leaves[name] += leaves[node]
    if min(leaves.values()) < 1:
        return False
    moved = [[c, place if c == node else p, b"%d" % leaves[c]] for c, p, _ in lines]
    r.set_table("taxonomy.tsv", moved[:1] + sorted(moved[1:]))


@change(JUDGE, "records", "table")
def fewer_leaves(rng, r):
    if "taxonomy.tsv" not in r.files:
        return False
    lines = r.table_of("taxonomy.tsv")
    line = rng.choice(lines)
    line[2] = b"%d" % (int(line[2]) - 1)
    if int(line[2]) > 0:
        below = sum(int(n) for _, p, n in lines if p == line[0])
        if below <= int(line[2]):
            return False  # may be true of another taxonomy
    r.set_table("taxonomy.tsv", lines)


def taxonomy_changed(expects, *shapes):
    """A change of the lines of taxonomy.tsv."""
    def register(function):
        def apply(rng, r):
            if "taxonomy.tsv" not in r.files:
                return False
            lines = function(rng, r.table_of("taxonomy.tsv"))
            if not lines:
                return False
            r.set_table("taxonomy.tsv", lines)
            r.set_digests()
            return True
        apply.__name__ = function.__name__
        return change(expects, *shapes)(apply)
    return register


@taxonomy_changed(NEVER, "records", "table")
def orphan(rng, lines):
    rng.choice(lines)[1] = lines[0][0].split(b"=")[0] + b"=nowhere"
    return lines


@taxonomy_changed(NEVER, "records", "table")
def line_twice(rng, lines):
    return lines + [list(lines[-1])]


@taxonomy_changed(NEVER, "records", "table")
def no_number(rng, lines):
    rng.choice(lines)[2] = rng.choice([b"", b"0", b"-1", b"many", b"1.5", b"99999999999999999999999"])
    return lines


@taxonomy_changed(NEVER, "records", "table")
def cycle(rng, lines):
    inner = [line for line in lines if any(other[1] == line[0] for other in lines) and line[1]]
    if not inner:
        return None
    line = rng.choice(inner)
    line[1] = rng.choice([other[0] for other in lines if other[1] == line[0]])
    return lines


@taxonomy_changed(NEVER, "records", "table")
def used_line_missing(rng, lines):
    inner = [line for line in lines if any(other[1] == line[0] for other in lines)]
    if not inner:
        return None
    lines.remove(rng.choice(inner))
    return lines


@taxonomy_changed(NEVER, "records")
def unsorted_taxonomy(rng, lines):
    return lines[:1] + lines[:0:-1] if len(lines) > 2 else None


# --- tables ---

def column(r, role):
    return r.columns.index(role.encode())


@change(JUDGE, "table")
def other_value(rng, r):
    at = column(r, rng.choice(r.last["qi"].split(",")))
    rng.choice(r.rows)[at] = rng.choice(r.rows)[at]


@change(JUDGE, "table")
def other_illness(rng, r):
    at = column(r, r.last["sa"])
    for row in rng.sample(r.rows, 2):
        row[at] = rng.choice([row[at] for row in r.rows if row[at] != b"*"])


@change(JUDGE, "table")
def star(rng, r):
    for row in rng.sample(r.rows, min(len(r.rows), rng.randrange(1, 5))):
        row[column(r, r.last["sa"])] = b"*"


@change(JUDGE, "table")
def unstar(rng, r):
    at = column(r, r.last["sa"])
    rows = [row for row in r.rows if row[at] == b"*"]
    if not rows:
        return False
    rng.choice(rows)[at] = rng.choice([row[at] for row in r.rows if row[at] != b"*"])


def generalize_value(rng, r, everywhere):
    name = rng.choice(r.last["qi"].split(","))
    at, prefix = column(r, name), name.encode() + b"="
    parent, _ = oracle.table_trees(r)[name.encode()]
    values = sorted({row[at] for row in r.rows if parent[prefix + row[at]]})
    if not values:
        return False
    above = parent[prefix + rng.choice(values)]
    below = [row for row in r.rows if above in oracle.ancestors(parent, prefix + row[at])]
    for row in below if everywhere else [rng.choice(below)]:
        row[at] = above[len(prefix):]
    return True


@change(JUDGE, "table")
def generalize_values(rng, r):
    return generalize_value(rng, r, True)


@change(JUDGE, "table")
def generalize_cell(rng, r):
    """A value above others that are published."""
    return generalize_value(rng, r, False)


@change(JUDGE, "table")
def specialize_cell(rng, r):
    """The age of one person."""
    at, lines = column(r, "age"), r.table_of("taxonomy.tsv")
    known = {line[0] for line in lines}
    for row in rng.sample(r.rows, len(r.rows)):
        ages = [age for age, above in inputs.AGES.items() if above[0].encode() == row[at] and f"age={age}".encode() not in known]
        if ages:
            index = max(i for i, line in enumerate(lines) if line[0].startswith(b"age=")) + 1
            lines.insert(index, [f"age={ages[0]}".encode(), b"age=" + row[at], b"1"])
            r.set_table("taxonomy.tsv", lines)
            row[at] = ages[0].encode()
            return True
    return False


@change(JUDGE, "table")
def strange_value(rng, r):
    rng.choice(r.rows)[column(r, "sex")] = b"x"


@change(JUDGE, "table")
def other_theta(rng, r):
    if "theta.tsv" not in r.files:
        return False
    lines = r.table_of("theta.tsv")
    rng.choice(lines)[1] = rng.choice([b"0.1", b"1/3", b"0.9", b"0.99", b"1/2"])
    r.set_table("theta.tsv", lines)


@change(JUDGE, "table")
def drop_theta(rng, r):
    if "theta.tsv" not in r.files:
        return False
    r.set_table("theta.tsv", r.table_of("theta.tsv")[1:])


# --- parameters ---

# command: parameter and what it may become; caveats depend on none of these.
NUMBERS = {
    "threshold": [("t", lambda rng, t: max(2, t + rng.choice([-1, 1, 2, 5])))],
    "split": [("gap", lambda rng, gap: rng.choice(["30m", "1h", "3h", "8h", "30h"])),
              ("overlap", lambda rng, share: rng.choice([0.2, 0.4, 0.7, 0.9])),
              ("edit", lambda rng, share: rng.choice([0.05, 0.3, 0.6]))],
    "disconnect": [("density", lambda rng, d: rng.choice([0.05, 0.1, 0.3, 0.5]) if d else d)],
    "microagg": [("k", lambda rng, k: max(2, k + rng.choice([-1, 1, 2])))],
    "clump": [("k", lambda rng, k: max(2, k + rng.choice([-1, 1, 2])))],
    "og": [("k", lambda rng, k: max(2, k + rng.choice([-1, 1, 2]))), ("m", lambda rng, m: max(1, m + rng.choice([-1, 1]))),
           ("n", lambda rng, n: n + 1 if n else n), ("l", lambda rng, l: rng.choice([1.5, 2.0, 2.25, 3.0, 4.0]) if l > 1 else l)],
    "aa": [("k", lambda rng, k: max(2, k + rng.choice([-1, 1, 2]))), ("m", lambda rng, m: max(1, m + rng.choice([-1, 1])))],
    "mm": [("k", lambda rng, k: max(2, k + rng.choice([-1, 1, 2]))), ("p", lambda rng, p: max(1, p + rng.choice([-1, 1]))),
           ("h", lambda rng, h: rng.choice([0.1, 0.2, 0.3, 0.7, 0.9]) if h < 1 else h)],
    "lplus": [("theta", lambda rng, t: rng.choice(["1/3", "0.4", "0.45", "0.8", "0.9"])),
              ("k", lambda rng, k: max(2, k + rng.choice([-1, 1, 2, 4]))), ("distinct-l", lambda rng, l: rng.choice([2, 3]))],
}
for _same, _as in (("mog", "og"), ("partition", "clump"), ("ssg", "clump"), ("incognito", "lplus"), ("anneal", "lplus")):
    NUMBERS[_same] = NUMBERS[_as]


@change(JUDGE)
def two_changes(rng, r):
    """Two of the changes above, one after the other."""
    for function in rng.sample([f for f in CHANGES if f.expects == JUDGE and applies(f, r)], 2):
        if function(rng, r) is False:
            return False
        r.set_rows()


@change(JUDGE)
def other_parameter(rng, r):
    """A stronger or weaker promise, with claims and verdict to match."""
    step = rng.choice(r.manifest["steps"])
    known = [(name, new) for name, new in NUMBERS.get(step["command"], []) if name in step["parameters"]]
    if not known:
        return False
    name, new = rng.choice(known)
    value = new(rng, step["parameters"][name])
    if value == step["parameters"][name]:
        return False
    step["parameters"][name] = value
    r.set_claims(oracle.promised(r.manifest["steps"]))


@change(JUDGE)
def other_manifest(rng, r):
    """The steps, claims, caveats and figures of another release of the same input, over this data."""
    donors = [d for d in r.others if d.shape == r.shape and set(d.files) == set(r.files)
              and d.columns == r.columns and d.name != r.name]
    if not donors:
        return False
    donor = rng.choice(donors).copy()
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
