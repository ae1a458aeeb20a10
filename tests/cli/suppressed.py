#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What linking achieves by counting what is starred or missing, by brute force from docs/lplus.md:
suppressed.py ANSWER.json ORIGINAL RELEASE SCHEME THETA|FILE

Columns are age (ranges), sex, ill (sensitive) and paid (the class).  Prints what differs; nothing: all is the same."""
import collections
import csv
import json
import math
import os
import sys
from fractions import Fraction
from strategies import best, report

answer, original, release, scheme, theta = sys.argv[1:]
answer = json.load(open(answer, encoding="utf-8"))["metrics"]["linking"]
persons, rows = (list(csv.DictReader(open(name, encoding="utf-8"))) for name in (original, release + "/data.csv"))


def covers(value, of):
    if "-" in value:
        low, high = map(int, value.split("-"))
        return low <= int(of) <= high
    return value in ("*", of)


groups = collections.defaultdict(list)
for row in rows:
    groups[row["age"], row["sex"]].append(row)
members = {g: [p for p in persons if covers(g[0], p["age"]) and covers(g[1], p["sex"])] for g in groups}
common = collections.Counter(row["ill"] for row in rows if row["ill"] != "*")
if os.path.exists(theta):
    theta = {value: Fraction(share) for value, share in (line.split() for line in open(theta, encoding="utf-8"))}
else:
    theta = dict.fromkeys(common, Fraction(theta))


def candidates(shown, size):
    """What hidden rows of a group may have; `size`: its published rows."""
    if scheme == "vioRec":
        return [v for v in shown if shown[v] == math.floor(theta[v] * size)]
    if scheme == "evenSA":
        return [v for v in common if shown[v] == max(shown.values(), default=0)]
    return [v for v in common if v not in shown]


def likeliest(values):
    return min(values, key=lambda v: (-common[v], v))


def counts(some):
    return collections.Counter(row["ill"] for row in some if row["ill"] != "*")


def strategy(by_class):
    right, above = 0, 0
    for g, published in groups.items():
        hide = candidates(counts(published), len(published))
        for k in {p["paid"] for p in members[g]} if by_class else [None]:
            people = [p for p in members[g] if k in (None, p["paid"])]
            shown = counts(row for row in published if k in (None, row["paid"]))
            hidden, weight = len(people) - sum(shown.values()), sum(common[v] for v in hide)
            share = {v: shown[v] + (Fraction(hidden * common[v], weight) if v in hide else 0) for v in common}
            guess = likeliest([v for v in share if share[v] == max(share.values())])
            right += sum(p["ill"] == guess for p in people)
            above += len(people) if any(share[v] > theta[v] * len(people) for v in share) else 0
    lost = len(persons) - sum(map(len, members.values()))
    return (right + lost * Fraction(max(common.values()), len(rows))) / len(persons), Fraction(above, len(persons))


hidden = named = with_hidden = single = recovered = 0
for g, published in groups.items():
    shown, truth = counts(published), counts(members[g])
    hide, h = candidates(shown, len(published)), len(members[g]) - sum(shown.values())
    hidden, with_hidden = hidden + h, with_hidden + (h > 0)
    if h and hide:
        named += truth[likeliest(hide)] - shown[likeliest(hide)]
        single += len(hide) == 1
        recovered += len(hide) == 1 and shown + collections.Counter({hide[0]: h}) == truth
report(answer["suppressed"], {"rows": hidden, "named": named / hidden if hidden else 0, "groups": with_hidden,
                              "one_candidate": single, "recovered": recovered})
success = {"shares": answer["strategies"]["shares"]["success"]}
for name in ("suppressed", "class"):
    success[name], above = map(float, strategy(name == "class"))
    report(answer["strategies"][name], {"success": success[name], "above": above})
cells = collections.defaultdict(collections.Counter)
for p in persons:
    cells[p["age"], p["sex"], p["paid"]][p["ill"]] += 1
report(answer, {"strategy": best(success), "success": success[best(success)],
                "before": sum(max(c.values()) for c in cells.values()) / len(persons)})
for g, published in groups.items():
    shown = counts(published)
    hide, stars = candidates(shown, len(published)), len(published) - sum(shown.values())
    if scheme == "evenSA" and stars and shown[hide[0]] + Fraction(stars, len(hide)) > theta[hide[0]] * len(published):
        print("stars tell too much", g)
if scheme == "vioRec" and single != recovered:
    print("a deletion is not of the value at its threshold")
