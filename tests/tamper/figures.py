# SPDX-License-Identifier: Apache-2.0
"""The figures of a manifest that anyone can count in the published files, by what `lethe methods` says of each."""
import collections
import itertools

import folder
import oracle


def threshold(r):
    if r.shape == "counts":
        return {"rows_kept": r.manifest["counts"]["published"], "rows_hashed": 0, "queries_kept": len(r.rows)}
    hashed = [row for row in r.rows if folder.HASHED.fullmatch(row[1])]
    kept = [row for row in r.rows if not folder.HASHED.fullmatch(row[1])]
    return {"rows_kept": len(kept), "rows_hashed": len(hashed), "queries_kept": len({row[1] for row in kept})}


def disconnect(r):
    urls = collections.defaultdict(set)
    for row in r.rows:
        urls[row[1]] |= {row[4]} - {b""}
    pairs = [bool(a & b) for a, b in itertools.combinations(urls.values(), 2)]
    return {"rows_kept": len(r.rows), "density_after": sum(pairs) / len(pairs) if pairs else 0.0}


def split(r):
    n = len({row[0] for row in r.rows})
    users = min(n, r.manifest["metrics"]["users"])  # the publisher's word, but no more than there are personas
    return {"users": users, "personas": n, "personas_per_user": n / users}


def untimed(r):
    """Of the check, not of a step: also where split is not the last one."""
    undecided = oracle.untimed(r) if r.last["time"] == "drop" else 0
    if oracle.coarse(r, r.claim("personas")):
        undecided = oracle.in_company(r)
    return {"rows_without_time": sum(not row[2] for row in r.rows), "undecided": undecided}


def seal(r):
    shares = collections.defaultdict(set)
    for row in r.rows:
        shares[row[1]].add(row[2])
    openable = {query for query, held in shares.items() if len(held) >= r.claim("sealed")["t"]}
    n_open = sum(row[1] in openable for row in r.rows)
    return {"rows": len(r.rows), "queries": len(shares), "openable": len(openable),
            "recoverable": n_open / len(r.rows) if r.rows else 0.0}


def microagg(r):
    return {"rows_out": len(r.rows)}


def items(r):
    return sum(len(row) for row in r.rows)


def lengths(r):
    """Of clump and partition; the root is at level 1."""
    parent, _ = oracle.read_tree(r.table_of("taxonomy.tsv"))
    levels = [len(list(oracle.ancestors(parent, item))) for row in r.rows for item in row if item in parent]
    return {"avg_length": items(r) / len(r.rows) if r.rows else 0.0,
            "avg_level": sum(levels) / len(levels) if levels else 0.0}


def ssg(r):
    return {"empty": sum(not row for row in r.rows)}


def cut_of_sets(r):
    public = {item for row in r.rows for item in row} - set(oracle.secrets_of(r))
    return {"cut": sorted(item.decode() for item in public)}


def cut_of_table(r):
    """By column the published values, in the order that the taxonomy has them."""
    cut = {}
    for name in r.last["qi"].split(","):
        at = r.columns.index(name.encode())
        shown = {name.encode() + b"=" + row[at] for row in r.rows}
        cut[name] = [line[0].split(b"=", 1)[1].decode() for line in r.table_of("taxonomy.tsv") if line[0] in shown]
    return cut


def table(r):
    sa = [r.columns.index(name.encode()) for name in r.last["sa"].split(",")]
    groups = oracle.table_groups(r, {"qi": r.last["qi"].split(",")})
    return {"cut": cut_of_table(r), "groups": len(groups),
            "values_starred": sum(row[i] == b"*" for row in r.rows for i in sa)}


def local(r):
    sizes = [len(group) for group in oracle.table_groups(r, {"qi": r.last["qi"].split(",")})]
    return {"groups": len(sizes), "smallest_group": min(sizes), "mean_group": len(r.rows) / len(sizes)}


OF = {"threshold": threshold, "disconnect": disconnect, "split": split, "seal": seal, "microagg": microagg,
      "clump": lengths, "partition": lengths, "ssg": ssg, "og": cut_of_sets, "mog": cut_of_sets, "aa": cut_of_sets,
      "lplus": table, "incognito": table, "anneal": table, "local": local}


def shown(r):
    """Figures of the last step, and those that belong to no step."""
    figures = {"records": len(r.rows)} if r.shape == "records" else {}
    count = OF.get(r.manifest["steps"][-1]["command"])
    if count:
        figures.update(count(r))
    if "rows_without_time" in r.manifest["metrics"]:
        figures.update(untimed(r))
    if oracle.kept_columns(r.manifest["steps"]):
        figures["kept_values"] = len({(i, value) for row in r.rows for i, value in enumerate(row[5:]) if value})
    return figures


def untrue(r):
    """Names of figures that the manifest states otherwise."""
    return [name for name, value in shown(r).items() if r.manifest["metrics"].get(name) != value]


def refresh(r):
    """Writes into the manifest what the files show now."""
    try:
        if r.manifest["steps"][-1]["command"] == "split" and len(r.manifest["steps"]) > 1:
            r.manifest["metrics"].update(threshold(r))  # split publishes every row that it gets
        r.manifest["metrics"].update(shown(r))
    except oracle.Malformed:
        pass  # nothing can be counted: such files are refused whatever the manifest says
