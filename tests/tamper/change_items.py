# SPDX-License-Identifier: Apache-2.0
"""Changes of records and tables, and of the taxonomies that they are read with."""
import inputs
import oracle
from change import JUDGE, NEVER, SAID, change, column, public_items, settle


# --- records ---

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
    below = [(above.encode(), child.encode()) for child, above in inputs.TREE.items() if child in inputs.LEAVES]
    items = public_items(r)
    return [(item, child) for item, child in below if item in items and leaves.get(item, 1) > 1 and child not in parent]


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

@change(SAID, "records", commands=["og", "mog"], topic="leaves")
def more_leaves(rng, r):
    """With more leaves, what is absent takes more power to know than it does."""
    if not r.claim("kl-privacy")["n"]:
        return False
    r.set_table("taxonomy.tsv", [[c, p, b"%d" % (int(n) * 100)] for c, p, n in r.table_of("taxonomy.tsv")])
    settle(r)


@change(NEVER, "records", commands=["og", "mog"])
def more_leaves_beside_copy(rng, r):
    """Whoever has the taxonomy can tell."""
    if more_leaves(rng, r) is False or r.name == "og-log":
        return False
    r.options = ["--taxonomy", str(r.work / "tree.tsv")]


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

@change(JUDGE, "table")
def other_value(rng, r):
    at = column(r, rng.choice(r.last["qi"].split(",")))
    rng.choice(r.rows)[at] = rng.choice(r.rows)[at]


@change(JUDGE, "table")
def other_illness(rng, r):
    at = column(r, r.sensitive)
    for row in rng.sample(r.rows, 2):
        row[at] = rng.choice([row[at] for row in r.rows if row[at] != b"*"])


@change(JUDGE, "table")
def star(rng, r):
    for row in rng.sample(r.rows, min(len(r.rows), rng.randrange(1, 5))):
        row[column(r, r.sensitive)] = b"*"


@change(JUDGE, "table")
def unstar(rng, r):
    at = column(r, r.sensitive)
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
        ages = [age for age, above in inputs.AGES.items() if above[0].encode() == row[at]]
        ages = [age for age in ages if f"age={age}".encode() not in known]
        if ages:
            index = max(i for i, line in enumerate(lines) if line[0].startswith(b"age=")) + 1
            lines.insert(index, [f"age={ages[0]}".encode(), b"age=" + row[at], b"1"])
            r.set_table("taxonomy.tsv", lines)
            row[at] = ages[0].encode()
            return True
    return False


@change(JUDGE, "table", commands=["local"])
def move_to_group(rng, r):
    """A row as another group has it."""
    at = [column(r, name) for name in r.last["qi"].split(",")]
    row, other = rng.choice(r.rows), rng.choice(r.rows)
    if all(row[i] == other[i] for i in at):
        return False
    for i in at:
        row[i] = other[i]


def range_changed(rng, r, text):
    """Another range of a column with ranges of values: its cells, and its line in the taxonomy."""
    names = sorted(oracle.columns_of_values(r))
    if not names:
        return False
    name = names[0].encode()
    lines = r.table_of("taxonomy.tsv")
    root = next(line[0] for line in lines if line[0].startswith(name + b"=") and not line[1])
    cell = text(*oracle.ends_of(root[len(name) + 1:])).encode()
    if any(line[0] == name + b"=" + cell for line in lines):
        return False
    at = max(i for i, line in enumerate(lines) if line[0].startswith(name + b"=")) + 1
    lines.insert(at, [name + b"=" + cell, root, b"2"])
    r.set_table("taxonomy.tsv", lines)
    old = rng.choice(r.rows)[column(r, names[0])]
    for row in r.rows:
        if row[column(r, names[0])] == old:
            row[column(r, names[0])] = cell
    settle(r)


@change(NEVER, "table", commands=["local"])
def range_outside(rng, r):
    """A value moved out of the range of all values."""
    return range_changed(rng, r, lambda low, high: f"{low}-{high + 1}")


@change(NEVER, "table", commands=["local"])
def no_range(rng, r):
    return range_changed(rng, r, lambda low, high: rng.choice([f"{high}-{low}", "young", f"0{low}-{high}", f"{low}..{high}"]))


@change(JUDGE, "table", commands=["local"])
def another_range(rng, r):
    return range_changed(rng, r, lambda low, high: f"{low}.5-{high - 1}")


@change(NEVER, "table")
def overlap_of_others(rng, r):
    """Whether groups overlap follows from the method."""
    for claim in r.manifest["claims"]:
        if claim.pop("groups", None) is None:
            claim["groups"] = "overlap"
    r.set_claims(r.manifest["claims"])


@change(NEVER, "table", commands=["local"])
def more_deleted(rng, r):
    """Rows of whole groups, so that all others keep their promise; but more than the step allows."""
    groups = {}
    at = [column(r, name) for name in r.last["qi"].split(",")]
    for row in r.rows:
        groups.setdefault(tuple(row[i] for i in at), []).append(row)
    share, read = oracle.Fraction(r.last["suppress"]), r.manifest["counts"]["read"]
    while len(groups) > 1 and read - sum(map(len, groups.values())) <= share * read:
        groups.pop(rng.choice(sorted(groups)))
    r.rows = [row for group in groups.values() for row in group]
    if read - len(r.rows) <= share * read:
        return False
    settle(r)
    r.manifest["counts"].update(read=read, suppressed=read - len(r.rows))
    r.manifest["metrics"]["rows_deleted"] = read - len(r.rows)


@change(JUDGE, "table")
def strange_value(rng, r):
    rng.choice(r.rows)[column(r, "sex")] = b"x"


@change(NEVER, "table")
def spaced_value(rng, r):
    """Looks like another sensitive value, and is none."""
    row, at = rng.choice(r.rows), column(r, r.sensitive)
    row[at] = rng.choice([row[at] + b" ", b" " + row[at], b""])
    settle(r)


@change(JUDGE, "table")
def other_theta(rng, r):
    if "theta.tsv" not in r.files:
        return False
    lines = r.table_of("theta.tsv")
    rng.choice(lines)[1] = rng.choice([b"0.1", b"1/3", b"0.9", b"0.99", b"1/2"])
    r.set_table("theta.tsv", lines)


@change(JUDGE, "table")
def other_sensitive_tree(rng, r):
    """Another hierarchy of sensitive values, with other distances: a value goes to another node."""
    if "sensitive.tsv" not in r.files:
        return False
    lines = r.table_of("sensitive.tsv")
    parents = {line[1] for line in lines}
    low = [line for line in lines if line[0] not in parents and line[1]]
    if not low:
        return False
    moved = rng.choice(low)
    others = [p for p in parents - {moved[1], b""} if p.split(b"=")[0] == moved[0].split(b"=")[0]]
    if not others:
        return False
    moved[1] = rng.choice(sorted(others))
    for line in lines:  # as many leaves as there may be
        line[2] = b"1" if line[0] not in {line[1] for line in lines} else b"9" if line[1] else b"99"
    lines.remove(moved)
    lines.append(moved)
    names = [line[0].split(b"=")[0] for line in lines]
    lines.sort(key=lambda line: names.index(line[0].split(b"=")[0]))
    r.set_table("sensitive.tsv", lines)


@change(NEVER, "table")
def altered_sensitive_tree(rng, r):
    """A node that is missing, one more, or a column that no claim refers to."""
    if "sensitive.tsv" not in r.files:
        return False
    lines = r.table_of("sensitive.tsv")
    what = rng.randrange(3)
    if what == 0:
        parents = {line[1] for line in lines}
        lines.remove(rng.choice([line for line in lines if line[0] not in parents]))
    elif what == 1:
        root = next(line for line in lines if not line[1])
        lines.append([lines[-1][0].split(b"=")[0] + b"=zz", lines[-1][1] or root[0], b"1"])
        root[2] = b"99"
    else:
        lines.append([b"town=any", b"", b"1"])
    r.set_table("sensitive.tsv", lines)
    settle(r)


@change(JUDGE, "table")
def drop_theta(rng, r):
    if "theta.tsv" not in r.files:
        return False
    r.set_table("theta.tsv", r.table_of("theta.tsv")[1:])
