# SPDX-License-Identifier: Apache-2.0
# What lplus, incognito and anneal publish when diversity, closeness, several sensitive columns or k-map are asked for,
# from the options to the release, against every cut of random small tables by the definitions.
. "$HERE/common.bash"
LETHE=$LETHE python3 - <<'END'
import csv, fractions, itertools, json, math, os, random, subprocess
F = fractions.Fraction
LETHE, CASES = os.environ["LETHE"], 150
LEVELS = {  # leaf: its ancestors, itself first
    "a": {x: [x, "g%d" % (i // 2), "*"] for i, x in enumerate("pqrs")},
    "b": {"u": ["u", "w", "*"], "v": ["v", "w", "*"], "z": ["z", "*"]},
}
ILL = {"flu": ["flu", "lungs", "*"], "cold": ["cold", "lungs", "*"], "ulcer": ["ulcer", "*"], "rare": ["rare", "odd", "very", "*"]}


def write(path, lines):
    with open(path, "w") as f:
        f.writelines(line + "\n" for line in lines)


def edges(tree):
    return {(x, y) for path in tree.values() for x, y in zip(path, path[1:])}


def cuts(tree):
    """Each as a mapping of leaves to nodes."""
    below = lambda node: [x for x, path in tree.items() if node in path]
    children = lambda node: sorted({x for x, y in edges(tree) if y == node})

    def of(node):
        yield {x: node for x in below(node)}
        if children(node):
            for parts in itertools.product(*(list(of(c)) for c in children(node))):
                yield {x: y for part in parts for x, y in part.items()}
    return list(of("*"))


def levels(tree):
    """The cuts that incognito may choose: the highest node with no leaf more than h below."""
    height = lambda node: max(path.index(node) for path in tree.values() if node in path)
    top = height("*")
    return [{x: [n for n in path if height(n) <= h][-1] for x, path in tree.items()} for h in range(top + 1)]


def entropy_kept(counts, l):
    n = sum(counts)
    return F(n) ** n >= l ** n * math.prod(c ** c for c in counts)


def recursive_kept(counts, c, l):
    r = sorted(counts, reverse=True)
    return r[0] < c * sum(r[l - 1:])


def distance(group, table, kind):
    p = {v: F(group.count(v), len(group)) - F(table.count(v), len(table)) for v in set(table)}
    if kind == "equal":
        return sum(x for x in p.values() if x > 0)
    if kind == "ordered":
        numbers = sorted({float(v) for v in p})
        if len(numbers) == 1:
            return 0
        return sum(abs(sum(x for v, x in p.items() if float(v) <= at)) for at in numbers) / (len(numbers) - 1)
    nodes = {n for v in p for n in ILL[v]}
    height = {n: max(ILL[v].index(n) for v in p if n in ILL[v]) for n in nodes}
    extra = {n: sum(x for v, x in p.items() if n in ILL[v]) for n in nodes}
    children = {n: {c for v in p for c, above in zip(ILL[v], ILL[v][1:]) if above == n} for n in nodes}
    cost = 0
    for n in nodes:
        more = sum(extra[c] for c in children[n] if extra[c] > 0)
        less = -sum(extra[c] for c in children[n] if extra[c] < 0)
        cost += height[n] * min(more, less)
    return F(cost) / height["*"]


def keeps(rows, table, people, ask):
    if len(rows) < ask.get("k", 1) or people < ask.get("k-map", 0):
        return False
    for column in ask["sa"]:
        values = [r[column] for r in rows]
        counts = [values.count(v) for v in set(values)]
        if len(counts) < ask.get("distinct-l", 1) or max(counts) > ask.get("theta", 1) * len(values):
            return False
        if "entropy-l" in ask and not entropy_kept(counts, ask["entropy-l"]):
            return False
        if "recursive" in ask and not recursive_kept(counts, *ask["recursive"]):
            return False
        if "t-closeness" in ask and distance(values, [r[column] for r in table], ask["distance"][column]) > ask["t-closeness"]:
            return False
    return True


def cost(table, people, ask, cut, deletes):
    groups, total = {}, 0
    place = lambda r: tuple(c.get(r[q]) for q, c in zip("ab", cut))
    for r in table:
        groups.setdefault(place(r), []).append(r)
    for at, rows in groups.items():
        if keeps(rows, table, sum(place(p) == at for p in people), ask):
            for q, node in zip("ab", at):
                n = sum(node in path for path in LEVELS[q].values())
                total += len(rows) * F(n - 1, len(LEVELS[q]) - 1)
        elif deletes:
            total += 2 * 2 * len(rows)
        else:
            return None
    return total


def draw(rng):
    table = [{"a": rng.choice("pqrs"), "b": rng.choice("uvz"), "ill": rng.choice(list(ILL)[:rng.choice([2, 4])]),
              "pay": rng.choice(["7", "7.0", "-3", "12.5", "100"])} for _ in range(rng.randint(4, 14))]
    people = [{"a": rng.choice("pqrsx"), "b": rng.choice("uvz")} for _ in range(20)]
    ask = {"sa": rng.choice([["ill"], ["pay"], ["pay", "ill"]])}
    kinds = rng.sample(["theta", "distinct-l", "entropy-l", "recursive", "t-closeness", "k-map", "k"], rng.choice([1, 1, 2, 3]))
    for kind in kinds:
        ask[kind] = {"theta": lambda: rng.choice([F(1, 2), F(2, 3), F(3, 4)]), "distinct-l": lambda: rng.choice([2, 3]),
                     "entropy-l": lambda: rng.choice([F(3, 2), F(2), F(5, 2)]),
                     "recursive": lambda: (rng.choice([F(1), F(3, 2), F(3)]), rng.choice([1, 2, 3])),
                     "t-closeness": lambda: rng.choice([F(1, 5), F(1, 3), F(1, 2)]), "k-map": lambda: rng.choice([2, 4]),
                     "k": lambda: rng.choice([2, 3])}[kind]()
    ask["distance"] = {c: rng.choice(["equal", "ordered" if c == "pay" else "hierarchical"]) for c in ask["sa"]}
    return table, people, ask


def options(ask):
    out = ["--sa", ",".join(ask["sa"])]
    for kind in ("theta", "distinct-l", "entropy-l", "k-map", "k", "t-closeness"):
        if kind in ask:
            out += ["-k" if kind == "k" else "--" + kind, str(ask[kind])]
    if "recursive" in ask:
        out += ["--recursive", "%s,%d" % ask["recursive"]]
    if "t-closeness" in ask:
        out += ["--t-distance", ",".join("%s=%s" % x for x in ask["distance"].items())]
    if "k-map" in ask:
        out += ["--population", "people.csv"]
    return out


os.makedirs("trees")
for name, tree in {**LEVELS, "ill": ILL}.items():
    write("trees/%s.tsv" % name, ("%s\t%s" % x for x in sorted(edges(tree))))
seen = {"published": 0, "refused": 0, "between": 0}
for case in range(CASES):
    rng = random.Random(case)
    table, people, ask = draw(rng)
    write("t.csv", ["a,b,ill,pay"] + ["{a},{b},{ill},{pay}".format(**r) for r in table])
    write("people.csv", ["b,a"] + ["{b},{a}".format(**r) for r in people])
    known = [p for p in people if p["a"] != "x"]
    method = rng.choice(["lplus", "lplus", "incognito", "anneal"])
    deletes = "t-closeness" not in ask and method != "incognito" and rng.random() < 0.5
    scheme = "allRec" if "theta" in ask else rng.choice(["allRec", "vioRec"])
    of = levels if method == "incognito" else cuts
    all_costs = [cost(table, known, ask, cut, deletes) for cut in itertools.product(of(LEVELS["a"]), of(LEVELS["b"]))]
    good = [x for x in all_costs if x is not None]
    least = min(good) if good else None
    if least is not None and deletes and least == 4 * len(table):
        least = None  # all rows are deleted
    command = [LETHE, method, "t.csv", "--qi", "a,b", "--hierarchies", "trees", *options(ask), "--seed", str(case)]
    command += [] if method == "incognito" else ["--suppress", scheme if deletes else "none"]
    done = subprocess.run(command + ["--json", "-q", "--force", "-o", "rel"], capture_output=True, text=True)
    seen["published" if done.returncode == 0 else "refused"] += 1
    seen["between"] += least is not None and (None in all_costs or deletes)
    what = "case %d: %s" % (case, " ".join(command[1:]))
    if done.returncode not in (0, 1) or (done.returncode == 0) != (least is not None):
        if method != "anneal" or done.returncode not in (0, 1) or least is None:
            print(what, done.returncode, done.stderr.strip(), least)
        continue
    if least is None:
        continue
    got = json.loads(done.stdout)["metrics"]["cost"]
    if (got < float(least) - 1e-9) if method == "anneal" else abs(got - float(least)) > 1e-9:
        print(what, "costs", got, "not", float(least))
print("%(published)d published, %(refused)d refused, %(between)d in between" % seen)


def under(person, at):
    return all(node in LEVELS[q].get(person[q], []) for q, node in zip("ab", at))


def common(rows):
    """The lowest node above all rows, by column."""
    paths = [[LEVELS[q][r[q]] for r in rows] for q in "ab"]
    return tuple(next(n for n in p[0] if all(n in path for path in p)) for p in paths)


print("--- local: published just if all rows together keep what is asked, and then each group keeps it")
seen = {"published": 0, "refused": 0}
for case in range(CASES):
    rng = random.Random(1000 + case)
    table, people, ask = draw(rng)
    if case % 3:  # too few of the population are like rows of the table
        ask, people = {"sa": ask["sa"], "k-map": rng.choice([2, 4, 8]), "distance": {}}, people[:8]
    write("t.csv", ["a,b,ill,pay"] + ["{a},{b},{ill},{pay}".format(**r) for r in table])
    write("people.csv", ["b,a"] + ["{b},{a}".format(**r) for r in people])
    can = keeps(table, table, sum(under(p, common(table)) for p in people), ask)
    command = [LETHE, "local", "t.csv", "--qi", "a,b", "--hierarchies", "trees", *options(ask), "--seed", str(case)]
    done = subprocess.run(command + ["-q", "--force", "-o", "rel"], capture_output=True, text=True)
    what = "case %d: %s" % (case, " ".join(command[1:]))
    seen["published" if done.returncode == 0 else "refused"] += 1
    if done.returncode != (0 if can else 1):
        print(what, done.returncode, done.stderr.strip())
    if not can or done.returncode != 0:
        continue
    with open("rel/data.csv") as f:
        rows, groups = list(csv.DictReader(f)), {}
    for r in rows:
        groups.setdefault((r["a"], r["b"]), []).append(r)
    for at, group in groups.items():
        if not keeps(group, rows, sum(under(p, at) for p in people), ask):
            print(what, "publishes", at)
print("%(published)d published, %(refused)d refused" % seen)

print("--- a random one of the best cuts is not one that deletes every row")
write("t.csv", ["a,ill"] + [x + "," + y for x in "pqrs" for y in ("flu", "cold")])
os.makedirs("one")
write("one/a.tsv", (x + "\t*" for x in "pqrs"))
for seed in range(20):
    command = [LETHE, "lplus", "t.csv", "--qi", "a", "--sa", "ill", "--hierarchies", "one", "-k", "8", "--top-h", "3"]
    done = subprocess.run(command + ["--seed", str(seed), "-q", "--force", "-o", "rel"], capture_output=True, text=True)
    if done.returncode != 0:
        print("seed %d:" % seed, done.stderr.strip())
END
