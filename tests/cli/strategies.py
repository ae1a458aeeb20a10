#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the strategies of the adversaries achieve, by brute force from the definitions in docs/:
strategies.py known ANSWER.json ORIGINAL RELEASE MAP [TAXONOMY]
strategies.py replay ANSWER.json ORIGINAL RELEASE RESULTS

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


def report(answer, want, slip=1e-9):
    for name, value in want.items():
        got = answer
        for part in name.split("/"):
            got = got.get(part)
        same = got == value if isinstance(value, (str, int)) else got is not None and abs(got - value) < slip
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


# --- replay ---

def parts(url):
    """The host of a URL, and what comes after it."""
    host, _, rest = re.sub("^https?://", "", url).partition("/")
    return host, rest


def replay(answer, original, release, results):
    listed = collections.defaultdict(list)
    for line in lines(results):
        query, url = line.split("\t")
        listed[query].append(parts(url))
    truth, right, without = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for row in rows(original):
        if row[4]:
            truth[row[1], parts(row[4])[0], row[3]].append(parts(row[4])[1])
            truth[row[1], parts(row[4])[0], ""].append(parts(row[4])[1])
    clicks = collections.Counter((row[1], row[4], row[3]) for row in rows(release + "/data.tsv") if row[4])
    for (query, host, rank), n in clicks.items():
        went = truth[query, host, rank]
        of_host = [rest for other, rest in listed[query] if other == host]
        first, only = (of_host[0] if of_host else None), (of_host[0] if len(set(of_host)) == 1 else None)
        at = listed[query][int(rank) - 1 : int(rank)] if rank else []
        ranked = at[0][1] if at and at[0][0] == host else None
        for name, other in (("only", only), ("first", first), ("unranked", first)):
            named = other if ranked is None or name == "unranked" else ranked
            right[name] += n * went.count(named) / len(went)
            without[name] += n * went.count(other) / len(went)
    total = sum(clicks.values())
    by = {name: right[name] / total for name in ("only", "first", "unranked")}
    want = {f"strategies/{name}/success": value for name, value in by.items()}
    want.update({f"strategies/{name}/without_rank": without[name] / total for name in by})
    want.update({"strategy": best(by), "success": by[best(by)], "without_rank": max(without.values()) / total})
    # the program counts in parts of 2^-24
    report(answer["metrics"]["replay"], want, 1e-6)


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as said:
        {"known": known, "replay": replay}[sys.argv[1]](json.load(said), *sys.argv[3:])
