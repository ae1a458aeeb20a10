#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the strategies of the adversaries achieve, by brute force from the definitions in docs/:
strategies.py known ANSWER.json ORIGINAL RELEASE MAP [TAXONOMY]

Reads what `lethe attack --json` said and prints what differs; nothing: all is the same."""
import collections
import json
import math
import re
import sys

WORD = re.compile(r"[a-z0-9]+")


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if not line.startswith("#")]


def rows(path):
    """The rows of a log, without its header, as lists of five fields."""
    found = [line.split("\t") for line in lines(path)]
    return [(row + [""] * 5)[:5] for row in found if row[0] != "AnonID"]


def owners(path):
    """Published users by person."""
    found = collections.defaultdict(set)
    for line in lines(path):
        person, published = line.split("\t")
        if published:
            found[person].add(published)
    return found


def best(by):
    """The strategy with the greatest success; of equal ones the first."""
    return max(by, key=lambda name: round(by[name], 9))


def report(answer, want):
    for name, value in want.items():
        got = answer
        for part in name.split("/"):
            got = got.get(part)
        same = got == value if isinstance(value, (str, int)) else got is not None and abs(got - value) < 1e-9
        if not same:
            print(f"{name} is {got}, and should be {value}")


# --- known-terms, with all terms of everybody known ---

class Users:
    """Holders that are users of a log: a term is shown by itself."""

    def __init__(self, path):
        self.terms = collections.defaultdict(set)
        for row in rows(path):
            self.terms[row[0]].update(WORD.findall(row[1]))
        self.total = len(self.terms)

    def shows(self, holder, term):
        return (term, 1) if term in self.terms[holder] else None

    def reached(self, node):
        return sum(node in terms for terms in self.terms.values())


class Records:
    """Holders that are lines of records: a term is shown by the lowest item at or above it."""

    def __init__(self, path, taxonomy):
        self.parent = dict(line.split("\t") for line in lines(taxonomy))
        self.terms = {str(i + 1): set(line.split()) for i, line in enumerate(lines(path))}
        self.total = len(self.terms)

    def up(self, node):
        chain = [node]
        while chain[-1] in self.parent:
            chain.append(self.parent[chain[-1]])
        return chain

    def shows(self, holder, term):
        for node in self.up(term):
            if node in self.terms[holder]:
                names = set(self.parent) | set(self.parent.values())
                leaves = [name for name in names - set(self.parent.values()) if node in self.up(name)]
                return node, len(leaves)
        return None

    def reached(self, node):
        return sum(any(node in self.up(item) for item in terms) for terms in self.terms.values())


def choose(holders, known, own):
    """By strategy, the chance to choose one of the person's own."""
    score = {name: {} for name in ("most", "idf", "bayes")}
    for term in sorted(known):
        shown = {h: holders.shows(h, term) for h in holders.terms}
        chance = {h: 1 / (len(holders.terms[h]) * s[1]) for h, s in shown.items() if s}
        mean = sum(chance.values()) / holders.total
        for h, p in chance.items():
            idf = math.log(holders.total / holders.reached(shown[h][0]))
            for name, more in (("most", 1), ("idf", idf), ("bayes", math.log(1 + p / mean))):
                score[name][h] = score[name].get(h, 0) + more
    for h in score["idf"]:
        score["idf"][h] -= math.log(len(holders.terms[h])) / 2
    found = {}
    for name, by in score.items():
        candidates = [h for h in by if by[h] >= max(by.values()) - 1e-9]
        found[name] = len([h for h in candidates if h in own]) / len(candidates) if candidates else 0
    return found


def known(answer, original, release, mapped, taxonomy=None):
    own = owners(mapped)
    if taxonomy:
        people = collections.defaultdict(set)
        for line in lines(original):
            person, items = line.split("\t")
            people[person].update(items.split())
        after, before = Records(release + "/data.txt", taxonomy), Users("/dev/null")
        before.terms, before.total = people, len(people)
    else:
        before, after = Users(original), Users(release + "/data.tsv")
        people = before.terms
    sums = collections.Counter()
    for person, terms in people.items():
        for name, chance in choose(after, terms, own[person]).items():
            sums["success", name] += chance / len(people)
        for name, chance in choose(before, terms, {person}).items():
            sums["before", name] += chance / len(people)
    want = {}
    for what, label in (("success", "strategy"), ("before", "strategy_before")):
        by = {name: sums[what, name] for name in ("most", "idf", "bayes")}
        want[label] = best(by)
        want[what] = by[best(by)]
        want.update({f"strategies/{name}/{what}": value for name, value in by.items()})
    report(answer["metrics"]["known-terms"], want)


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as said:
        {"known": known}[sys.argv[1]](json.load(said), *sys.argv[3:])
