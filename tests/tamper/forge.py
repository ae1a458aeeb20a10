# SPDX-License-Identifier: Apache-2.0
"""Changes that must be refused whatever the data says: manifests that contradict themselves, their steps or the files,
and files that no release has."""
import json

import figures
import oracle
from change import NEVER, SAID, change, settle
from folder import ROWS

FALSE_COMFORT = "Nothing is left to protect against: the release is differentially private."


def dump(manifest):
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


# --- parts ---

JOINED = ("Joined from releases of parts of the input: groups were formed inside the parts, and that no person is in two "
          "of them is the publisher's word.")


@change(NEVER)
def parts_made_up(rng, r):
    r.manifest["parts"] = rng.choice([2, 0, -1, 1.5, "2", True])


@change(NEVER, commands=["threshold", "split", "disconnect", "og", "mm", "lplus", "local"])
def parts_that_cannot_be_joined(rng, r):
    r.manifest["parts"] = 2
    r.manifest["caveats"].insert(0, JOINED)


# --- files ---

@change(NEVER)
def digest_of_before(rng, r):
    r.set_rows()
    name = ROWS[r.shape]
    r.files[name] = r.files[name][:-2] + b"#\n"


@change(NEVER)
def wrong_size(rng, r):
    rng.choice(r.manifest["files"])["bytes"] += 1


@change(NEVER)
def unnamed_file(rng, r):
    r.files["notes.txt"] = b"ann is u07\n"


@change(NEVER)
def named_file_missing(rng, r):
    del r.files[rng.choice(sorted(r.files))]


@change(NEVER)
def strange_file(rng, r):
    r.files["map.tsv"] = b"ann\tu07\n"
    r.manifest["files"].append({"name": "map.tsv", "bytes": 0, "blake2b": ""})
    r.set_digests()


@change(NEVER)
def file_outside(rng, r):
    rng.choice(r.manifest["files"])["name"] = rng.choice(["../data.tsv", "/etc/passwd", "", "data.tsv\0x", "."])


@change(NEVER)
def file_twice(rng, r):
    r.manifest["files"].append(dict(r.manifest["files"][0]))


@change(NEVER, "records", commands=["og", "mog", "mm"])
def sensitive_left_out(rng, r):
    """Its items become public ones, below the root."""
    if "sensitive.txt" not in r.files:
        return False
    secrets = oracle.secrets_of(r)
    r.drop_file("sensitive.txt")
    if "taxonomy.tsv" in r.files:
        lines = r.table_of("taxonomy.tsv")
        root = lines[0][0]
        lines[0][2] = b"%d" % (int(lines[0][2]) + len(secrets))
        r.set_table("taxonomy.tsv", lines[:1] + sorted(lines[1:] + [[s, root, b"1"] for s in secrets]))
    settle(r)


@change(NEVER, "records", commands=["og", "mog", "mm"])
def sensitive_emptied(rng, r):
    """The list stays, with fewer items: those left out are in neither list nor taxonomy."""
    if len(oracle.secrets_of(r)) < 2 or "taxonomy.tsv" not in r.files:
        return False
    r.files["sensitive.txt"] = oracle.secrets_of(r)[0] + b"\n"
    settle(r)


@change(NEVER, "records", commands=["og", "mog", "mm"])
def sensitive_of_nobody(rng, r):
    if "sensitive.txt" not in r.files:
        return False
    r.files["sensitive.txt"] = b"".join(s + b"\n" for s in sorted(oracle.secrets_of(r) + [b"zzz"]))
    settle(r)


@change(NEVER)
def link(rng, r):
    """What is behind it may be another file tomorrow."""
    r.linked = ROWS[r.shape]


# --- what the publisher says of adversaries ---

@change(NEVER)
def risk_too_low(rng, r):
    """No success in a few tries is no proof: the bound of 10 tries is 0.26."""
    name = {"table": "linking"}.get(r.shape, "known-terms")
    r.manifest["risk"] = [{"adversary": name, "threat": "singling-out", "trials": 10, "success": 0.0,
                           "upper": rng.choice([0.0, 0.01, 0.25]), "risk": 0.0}]


@change(NEVER)
def risk_of_another_kind(rng, r):
    r.manifest["risk"] = [{"adversary": {"table": "known-terms"}.get(r.shape, "linking"), "threat": "singling-out",
                           "trials": 0}]


@change(NEVER)
def more_than_all_is_kept(rng, r):
    r.manifest["kept"] = {rng.choice(["queries", "terms", "everything"]): 1.5}


# --- the bytes of the data file ---

def data_bytes(function):
    """A change of the data file that leaves digests and counts right."""
    def apply(rng, r):
        settle(r)
        name = ROWS[r.shape]
        data = function(r, r.files[name])
        if data is None or data == r.files[name]:
            return False
        r.files[name] = data
        r.set_digests()
        return True
    apply.__name__ = function.__name__
    return change(NEVER)(apply)


@data_bytes
def unsorted_rows(r, data):
    n = len(r.head)
    lines = data.split(b"\n")[:-1]
    return b"".join(line + b"\n" for line in lines[:n] + lines[:n - 1 if n else None:-1])


@data_bytes
def no_last_line_end(r, data):
    return data[:-1] if r.shape != "records" or data[-2:-1] != b"\n" else None


@data_bytes
def carriage_returns(r, data):
    return data.replace(b"\n", b"\r\n")


@data_bytes
def empty_line(r, data):
    return data + b"\n" if r.shape != "records" else None


@data_bytes
def nul_in_data(r, data):
    return data[:-1] + b"\0\n"


@data_bytes
def not_utf8(r, data):
    return data[:-1] + b"\xff\n"


@data_bytes
def needless_quotes(r, data):
    """Of the first field of the last line."""
    lines = data.split(b"\n")[:-1]
    first, rest = lines[-1].split(b",", 1) if r.shape == "table" else (b"", b"")
    lines = lines[:1] + sorted(lines[1:-1] + [b'"%s",%s' % (first, rest)])
    return b"".join(line + b"\n" for line in lines) if first else None


@data_bytes
def no_header(r, data):
    return data.split(b"\n", 1)[1] if r.head else None


@data_bytes
def no_rows(r, data):
    if r.shape == "records":
        return None
    r.manifest["counts"].update(published=0, read=r.manifest["counts"]["suppressed"] + r.manifest["counts"]["rejected"])
    return b"".join(line + b"\n" for line in r.head)


@data_bytes
def another_column(r, data):
    between = {"log": b"\t", "sealed": b"\t", "table": b",", "counts": b"\t"}.get(r.shape)
    return data.replace(b"\n", between + b"x\n") if between else None


# --- what the manifest says of itself ---

@change(NEVER)
def counts_do_not_add_up(rng, r):
    r.manifest["counts"][rng.choice(["read", "suppressed", "rejected"])] += rng.choice([1, 7])


@change(NEVER, "log", "sealed", "table")
def other_row_count(rng, r):
    if "rows_out" in r.manifest["metrics"]:
        return False
    counts = r.manifest["counts"]
    counts["published"] += 1
    counts["read"] += 1


@change(NEVER)
def counts_wrap(rng, r):
    """Numbers that add up if 64 bits are all there is."""
    counts = r.manifest["counts"]
    counts["suppressed"], counts["rejected"] = 2**63 - 1, 2**63 + 1 - counts["rejected"]


@change(NEVER)
def counts_negative(rng, r):
    r.manifest["counts"]["suppressed"] -= 10000
    r.manifest["counts"]["rejected"] += 10000


@change(NEVER)
def no_claims(rng, r):
    r.set_claims([])


@change(NEVER)
def fewer_claims(rng, r):
    if len(r.manifest["claims"]) < 2:
        return False
    r.set_claims(r.manifest["claims"][1:])


@change(NEVER, "log")
def columns_without_their_claim(rng, r):
    if not r.claim("value-threshold"):
        return False
    r.set_claims([claim for claim in r.manifest["claims"] if claim["notion"] != "value-threshold"])
    if rng.random() < 0.5:
        del r.last["keep"], r.last["keep-min"]


@change(NEVER, "log")
def columns_as_nobody_writes_them(rng, r):
    if not r.claim("value-threshold"):
        return False
    keep = r.last["keep"]
    r.last.update(rng.choice([{"keep": ",".join(keep)}, {"keep": []}, {"keep": keep + keep[:1]}, {"keep": keep + ["Query"]},
                              {"keep": keep + [""]}, {"keep": keep + [5]}, {"keep": None}, {"keep-min": 0},
                              {"keep-min": "5"}, {"keep-min": 2.5}, {"keep-min": -1}, {"keep-min": None}]))


@change(NEVER, "log")
def column_of_names(rng, r):
    """A further column that no step keeps."""
    settle(r)
    lines = r.files["data.tsv"].split(b"\n")[:-1]
    r.files["data.tsv"] = b"".join(line + b"\t" + (b"who" if i == 0 else b"") + b"\n" for i, line in enumerate(lines))
    r.set_digests()


@change(NEVER)
def weaker_claim(rng, r):
    """The claim alone, where the step promises more."""
    claims = [dict(c) for c in r.manifest["claims"]]
    for claim in claims:
        if claim["notion"] == "t-closeness":
            claim["t"] = "99/100"
            return r.set_claims(claims)
        for name in ("t", "k"):
            if claim.get(name, 0) > 1:
                claim[name] -= 1
                return r.set_claims(claims)
    return False


def marked_steps(r):
    return [i for i, step in enumerate(r.manifest["steps"]) if "unclaimed" in step]


@change(NEVER, "records", "sealed")
def promise_of_a_step_that_nobody_can_see(rng, r):
    """Claimed, and marked so or not."""
    steps, marked = r.manifest["steps"], marked_steps(r)
    if not marked:
        return False
    step = steps[rng.choice(marked)]
    r.set_claims(oracle.promised_by(step["command"], step["parameters"]) + r.manifest["claims"])
    if rng.random() < 0.5:
        del step["unclaimed"]


@change(NEVER, "records", "sealed")
def step_without_its_mark(rng, r):
    marked = marked_steps(r)
    if not marked:
        return False
    step = r.manifest["steps"][rng.choice(marked)]
    if rng.random() < 0.5:
        del step["unclaimed"]
    else:
        step["unclaimed"] = rng.choice(["", None, True, step["unclaimed"] + ".", "applied before og", "its promise holds"])


@change(NEVER)
def mark_of_a_step_with_a_claim(rng, r):
    """With its claims, or without them."""
    steps = r.manifest["steps"]
    steps[-1]["unclaimed"] = f"applied before {steps[-1]['command']}; its promise cannot be seen in " + \
        f"{oracle.given_by(steps[-1]['command'])} and is not claimed"
    if rng.random() < 0.5 and len(r.manifest["claims"]) > 1:
        r.set_claims(r.manifest["claims"][:-1])


@change(NEVER)
def verdict_broken(rng, r):
    r.manifest["verdict"]["holds"] = False


@change(NEVER)
def check_broken(rng, r):
    rng.choice(r.manifest["verdict"]["checks"])["holds"] = False


@change(NEVER)
def no_checks(rng, r):
    r.manifest["verdict"]["checks"] = []


@change(NEVER)
def unknown_member(rng, r):
    m = r.manifest
    rng.choice([m, m["counts"], m["verdict"], m["steps"][0], m["steps"][0]["parameters"], m["files"][0], m["claims"][0],
                m["metrics"], m["verdict"]["checks"][0]])["note"] = "reviewed by experts"


@change(NEVER)
def member_missing(rng, r):
    del r.manifest[rng.choice(sorted(r.manifest))]


@change(NEVER)
def member_twice(rng, r):
    """What a reader sees depends on which of the two it takes."""
    name = rng.choice(["claims", "steps", "caveats", "verdict"])
    r.text = dump(r.manifest).replace("{\n", "{\n  " + json.dumps(name) + ": [],\n", 1)


@change(NEVER)
def inner_member_twice(rng, r):
    """The same in a step, a claim, a file or the counts."""
    text = dump(r.manifest)
    lines = [line for line in text.splitlines() if line.startswith("    ") and '": ' in line and line.endswith(",")]
    line = rng.choice(lines)
    if line.endswith(("[,", "{,")) or not line.split('": ')[1][0] in '"0123456789tf':
        return False
    r.text = text.replace(line + "\n", line + "\n" + line + "\n", 1)


@change(NEVER)
def names_unlike_in_case(rng, r):
    """Names are compared by bytes."""
    place = rng.choice([r.manifest, r.manifest["counts"], r.manifest["steps"][0], r.manifest["claims"][0]])
    name = rng.choice(sorted(place))
    place[name.upper()] = place.pop(name)


@change(NEVER)
def more_after_it(rng, r):
    r.text = dump(r.manifest) + rng.choice(["{}", "x", "\0"])


@change(NEVER)
def not_utf8_manifest(rng, r):
    r.text = dump(r.manifest).replace("lethe", rng.choice(["lethe\udcff", "\udcfflethe", "let\udcc0\udc80he"]), 2)


@change(NEVER)
def half_a_character(rng, r):
    """A lone surrogate: no text holds it."""
    r.manifest["caveats"].append("x")
    r.text = dump(r.manifest).replace('"x"', '"\\ud800"')


@change(NEVER)
def deep(rng, r):
    """Deeper than any reader should follow."""
    r.text = dump(r.manifest).replace('"metrics": {', '"metrics": {"a": ' + "[" * 50000 + "]" * 50000 + ", ", 1)


@change(NEVER)
def real_for_count(rng, r):
    """5.0 is not how this program writes 5."""
    parameters = r.manifest["steps"][-1]["parameters"]
    counts = [name for name, value in parameters.items() if type(value) is int]
    if not counts:
        return False
    name = rng.choice(sorted(counts))
    parameters[name] = float(parameters[name])
    r.set_claims(oracle.promised(r.manifest["steps"]))


@change(NEVER, "log", "sealed")
def other_shape(rng, r):
    """A log under the manifest of a sealed one, or the other way round."""
    donors = [d for d in r.others if d.shape != r.shape and set(d.files) == set(r.files)]
    if not donors:
        return False
    donor = rng.choice(donors).copy()
    donor.manifest["counts"] = r.manifest["counts"]
    r.manifest = donor.manifest
    r.manifest["metrics"].update({name: len(r.rows) for name in ("rows", "rows_out") if name in r.manifest["metrics"]})
    r.set_digests()


@change(NEVER)
def wrong_kind(rng, r):
    """A parameter or member of another type than it has."""
    m = r.manifest
    place = rng.choice([m, m["counts"], m["steps"][0], m["files"][0], m["steps"][-1]["parameters"]])
    name = rng.choice(sorted(place))
    others = [other for other in (7.5, "7", [7], {"a": 7}, None) if type(other) is not type(place[name])]
    place[name] = rng.choice(others)


@change(NEVER)
def nul_in_text(rng, r):
    """What follows a NUL is seen by whoever reads the manifest, and by no C string."""
    m = r.manifest
    places = [(m["steps"][-1], "command"), (m, "lethe"), (m["claims"][0], "notion")]
    places += [(s["parameters"], n) for s in m["steps"] for n, v in s["parameters"].items() if isinstance(v, str)]
    place, name = rng.choice(places)
    place[name] += "\0 and nobody can be found"


@change(NEVER)
def unknown_step(rng, r):
    rng.choice(r.manifest["steps"])["command"] = rng.choice(["noise", "THRESHOLD", "", "verify"])


@change(NEVER)
def no_steps(rng, r):
    r.manifest["steps"] = []
    r.set_claims([])


@change(NEVER, "log")
def impossible_chain(rng, r):
    """A step that the program runs only alone."""
    if r.manifest["steps"][-1]["command"] != "microagg":
        return False
    first = {"command": "split", "parameters": {"by": "query", "gap": "60m", "top": 50, "edit": 0.2, "overlap": 0.5}}
    r.manifest["steps"].insert(0, first)
    name = iter(range(10**6))
    for row in r.rows:
        row[0] = f"{next(name):016}".replace("0", "a").replace("1", "b").replace("8", "c").replace("9", "d").encode()
    r.set_claims(oracle.promised(r.manifest["steps"]))
    settle(r)


# command: a parameter and a value that the program refuses
REFUSED = {"threshold": ("t", 0), "seal": ("t", 1), "microagg": ("k", 1), "clump": ("k", 1), "partition": ("k", 0),
           "ssg": ("k", 1), "og": ("k", 0), "mog": ("m", 0), "aa": ("k", 1), "mm": ("p", 0), "lplus": ("theta", "0"),
           "local": ("suppress", "1.5"), "incognito": ("theta", "1.5"), "anneal": ("theta", "x"), "disconnect": ("density", -0.5),
           "split": ("by", "year"), "scrub": ("kinds", "names")}


@change(NEVER)
def refused_parameter(rng, r):
    step = rng.choice(r.manifest["steps"])
    name, value = REFUSED[step["command"]]
    if name not in step["parameters"]:
        return False
    step["parameters"][name] = value
    try:
        r.set_claims(oracle.promised(r.manifest["steps"]))
    except (ValueError, KeyError):
        pass  # no claim can be made of it


@change(NEVER, "records", commands=["og", "mog", "mm"])
def promises_nothing(rng, r):
    """k = 1 is for those who have sensitive items; without, nothing is promised."""
    if r.last.get("sensitive"):
        return False
    r.last["k"] = 1
    r.set_claims(oracle.promised(r.manifest["steps"]))


# --- caveats and the page ---

@change(NEVER)
def caveat_left_out(rng, r):
    caveats = r.manifest["caveats"]
    known = [c for c in caveats if not c.startswith("Made with a seed")]
    caveats.remove(rng.choice(known))


@change(NEVER)
def no_caveats(rng, r):
    r.manifest["caveats"] = []


@change(NEVER)
def false_caveats_of_another_version(rng, r):
    r.manifest["lethe"] = rng.choice(["9.9.9", "0.1.9", "0.2.0 "])
    r.manifest["caveats"] = [FALSE_COMFORT]


@change(NEVER)
def page_of_a_forger(rng, r):
    if rng.random() < 0.5:
        r.manifest["lethe"] = "9.9.9"
    r.files["report.html"] = b"<!DOCTYPE html><script>alert(1)</script>\n"
    if all(f["name"] != "report.html" for f in r.manifest["files"]):
        r.manifest["files"].append({"name": "report.html", "bytes": 0, "blake2b": ""})
    r.set_digests()


@change(NEVER, "log")
def stale_page(rng, r):
    """The manifest says something else than its page."""
    if "report.html" not in r.files:
        return False
    r.manifest["counts"]["suppressed"] += 5
    r.manifest["counts"]["read"] += 5


@change(NEVER, "log", "sealed")
def users_with_anything(rng, r):
    bad = rng.choice([[], ["1", "2"], [5, 1], [-1, 3], [1, 2, 3], [1.5, 2], [{"note": "reviewed"}], [None, 4]])
    r.manifest["steps"][0]["parameters"]["users-with"] = bad


@change(NEVER, "log")
def users_with_of_a_later_step(rng, r):
    if len(r.manifest["steps"]) < 2:
        return False
    r.manifest["steps"][-1]["parameters"]["users-with"] = [1, 100]


@change(NEVER, "records", commands=["og", "mog", "aa", "mm"])
def item_twice(rng, r):
    """Sets have each item once."""
    rows = [row for row in r.rows if row]
    if not rows:
        return False
    row = rng.choice(rows)
    row.append(row[0])
    settle(r)


# --- figures ---

@change(NEVER)
def other_figure(rng, r):
    """A figure that anyone can count; others are the publisher's word, or depend on the results at hand."""
    word = ("users", "personas_per_user", "undecided")
    counted = {name: value for name, value in figures.shown(r).items() if name not in word}
    if not counted:
        return False
    name = rng.choice(sorted(counted))
    value = counted[name]
    others = {float: lambda: value / 2 if value > 0.5 else value + 0.25, int: lambda: value + 1, list: lambda: ["nothing"],
              dict: lambda: {"age": ["nothing"]}}
    r.manifest["metrics"][name] = others[type(value)]()


@change(NEVER)
def figure_of_another_kind(rng, r):
    name = rng.choice(sorted(r.manifest["metrics"]))
    r.manifest["metrics"][name] = "excellent"


@change(SAID, "records", commands=["og", "mog", "aa"], topic="ncp")
def no_loss(rng, r):
    """As if nothing had been generalized."""
    _, leaves = oracle.read_tree(r.table_of("taxonomy.tsv"))
    if all(leaves.get(item, 1) == 1 for row in r.rows for item in row):
        return False
    r.manifest["metrics"]["ncp"] = r.manifest["metrics"]["cost"] = 0.0
