#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What marking, frequency and homogeneity achieve, by brute force from docs/methods.md:
adversaries.py marking ANSWER.json ORIGINAL ROWS MAP MARKS ACCOUNTS
adversaries.py frequency ANSWER.json ORIGINAL RELEASE words|exact|OPENED T
adversaries.py records ANSWER.json ORIGINAL RELEASE MAP TAXONOMY group|items
adversaries.py lists ANSWER.json ORIGINAL RELEASE MAP
adversaries.py table ANSWER.json ORIGINAL RELEASE QI COLUMN...

Reads what `lethe attack --json` said and prints what differs; nothing: all is the same."""
import collections
import csv
import json
import sys
from fractions import Fraction
from strategies import Records, best, lines, owners, report, rows


def mean(values):
    values = list(values)
    return float(sum(values) / len(values)) if values else 0.0


# --- marking ---

def has_texts(path):
    found = collections.defaultdict(list)
    for row in rows(path):
        found[row[0]].append(row[1])
    return found


def marking(answer, original, released, mapped, marks, accounts):
    issued, own = has_texts(original), owners(mapped)
    sides = {"before": (issued, {p: {p} for p in issued}), "success": (has_texts(released), own)}
    persons = collections.Counter(text for p in issued for text in set(issued[p]))
    success, shares = collections.Counter(), collections.Counter()
    for side, (has, users) in sides.items():
        shown = {text for user in has for text in has[user]}
        for name in ("unique", "shared", "accounts"):
            for person, texts in issued.items():
                can = [t for t in set(texts) if name == "unique" or t in shown]
                can = [t for t in can if name != "accounts" or persons[t] - 1 <= int(accounts)]
                mark = set(sorted(can, key=lambda t: (persons[t], t))[: int(marks)])
                other = {u for p in issued if p != person and mark & set(issued[p]) for u in users.get(p, ())}
                held = {u: len(mark & set(has[u])) for u in has
                        if name != "accounts" or u not in other - users.get(person, set())}
                most = max(held.values(), default=0)
                chosen = [u for u in held if held[u] == most > 0]
                if chosen:
                    theirs = [u for u in chosen if u in users.get(person, ())]
                    success[side, name] += len(theirs) / len(chosen) / len(issued)
                    part = sum(len(has[u]) for u in theirs) / len(chosen) / len(texts)
                    shares[side, name] += part / len(issued)
    want = {}
    for side, label in (("success", "strategy"), ("before", "strategy_before")):
        by = {name: success[side, name] for name in ("unique", "shared", "accounts")}
        want.update({label: best(by), side: by[best(by)]})
        want.update({f"strategies/{name}/{side}": value for name, value in by.items()})
    want["disclosed"] = shares["success", want["strategy"]]
    report(answer["metrics"]["marking"], want)


# --- frequency ---

def sealed_ids(release, t):
    shares, times = collections.defaultdict(set), collections.defaultdict(list)
    for line in lines(release + "/data.tsv")[1:]:
        _, number, share, _, time = line.split("\t")
        shares[number].add(share.split(":")[0])
        times[number].append(time)
    return {n: times[n] for n in times if len(shares[n]) < t}


def frequency(answer, original, release, how, t=None):
    def key(text):
        return " ".join(sorted(text.split())) if how == "words" else text

    ids = {"texts": collections.defaultdict(list), "urls": collections.defaultdict(list)}
    if t:
        ids["texts"] = sealed_ids(release, int(t))
        clear = {row[1] for row in rows(how)}
    else:
        published = rows(release + "/data.tsv")
        clear = {key(row[1]) for row in published if row[1][0] != "#"}
        for row in published:
            if row[1][0] == "#":
                ids["texts"][row[1]].append(row[2])
            elif row[4] and "." not in row[4]:
                ids["urls"][row[4]].append(key(row[1]))
    values = {"texts": collections.defaultdict(list), "urls": collections.defaultdict(list)}
    listed = {"texts": collections.Counter(), "urls": collections.Counter()}
    for row in rows(original):
        text = key(row[1])
        if text not in clear:
            values["texts"][text].append(row[2][:10])
            listed["texts"][text] += 1
        if row[4]:
            listed["urls"][row[4]] += 1
            if text in clear:
                values["urls"][row[4]].append(text)
    right, total, n_ids = collections.Counter(), 0, 0
    for kind, hidden in ids.items():
        order = sorted(map(len, hidden.values()), reverse=True)
        places = sorted(listed[kind].values(), reverse=True)
        fit = collections.defaultdict(list)
        for value, beside in values[kind].items():
            fit[tuple(sorted(beside))].append(value)
        total += sum(order)
        n_ids += len(order)
        for beside in hidden.values():
            n, same = len(beside), fit[tuple(sorted(beside))]
            expected = {v: Fraction(listed[kind][v] * sum(order), sum(places)) for v in listed[kind]}
            near = min(abs(n - e) for e in expected.values())
            nearest = [v for v in expected if abs(n - expected[v]) == near]
            for value in same:
                both = sum(a == n and b == listed[kind][value] for a, b in zip(order, places))
                right["rank"] += n * both / order.count(n) / places.count(listed[kind][value]) / len(same)
                right["nearest"] += n * (value in nearest) / len(nearest) / len(same)
                right["pairs"] += n / len(same) / len(same)
    by = {name: right[name] / total for name in ("rank", "nearest", "pairs")}
    want = {f"strategies/{name}/success": value for name, value in by.items()}
    want.update({"strategy": best(by), "success": by[best(by)], "rows": total, "ids": n_ids})
    report(answer["metrics"]["frequency"], want)


# --- homogeneity ---

class Shown(Records):
    """Published records, or the original's: items and the leaves that they may be."""

    def leaves(self, item):
        names = set(self.parent) | set(self.parent.values())
        return [n for n in names - set(self.parent.values()) if item in self.up(n)]

    def often(self, item):
        return sum(item in terms for terms in self.terms.values())


def named(side, known, own, sets):
    """What is named by what the sets show: by strategy, the chance that it is one of `own`."""
    def chances(names):
        items = {i for name in names for i in side.terms[name] if not set(side.leaves(i)) & known}
        return {i: Fraction(sum(i in side.terms[n] for n in names), len(names) * len(side.leaves(i))) for i in items}

    chance, blind = chances(sets) if sets else {}, chances(list(side.terms))
    if max(chance.values(), default=0) < max(blind.values(), default=0):
        chosen = [i for i in blind if blind[i] == max(blind.values())]
        both = (chosen, chosen)
    else:
        chosen = [i for i in chance if chance[i] == max(chance.values())]
        both = [[i for i in chosen if side.often(i) == pick(map(side.often, chosen))] for pick in (max, min)]
    return [mean(Fraction(len(set(side.leaves(i)) & own), len(side.leaves(i))) for i in items) for items in both]


def records(answer, original, release, mapped, taxonomy, knows):
    after, before = Shown(release + "/data.txt", taxonomy), Shown("/dev/null", taxonomy)
    people = {line.split("\t")[0]: set(line.split("\t")[1].split()) for line in lines(original)}
    before.terms, own = people, owners(mapped)
    right = collections.defaultdict(list)
    certain, blind = [], []
    for person, items in people.items():
        known = items if knows == "items" else set()
        sets = [n for p in own[person] for n in after.terms if after.terms[n] == after.terms[p]]
        if knows == "items":
            seen = [x for x in known if any(set(after.up(x)) & terms for terms in after.terms.values())]
            sets = [n for n in after.terms if seen and all(set(after.up(x)) & after.terms[n] for x in seen)]
        for name, chance in zip(("common", "rare"), named(after, known, items, sets)):
            right[name].append(chance)
        blind.append(named(after, known, items, [])[0])
        common = set.intersection(*(after.terms[n] for n in sets)) if sets else set()
        certain.append(any(len(after.leaves(i)) == 1 and set(after.leaves(i)) & (items - known) for i in common))
    by = {name: mean(right[name]) for name in ("common", "rare")}
    want = {f"strategies/{name}/success": value for name, value in by.items()}
    want.update({"strategy": best(by), "success": by[best(by)], "certain": mean(certain), "baseline": mean(blind),
                 "knows": knows, "persons": len(people)})
    report(answer["metrics"]["homogeneity"], want)


def lists(answer, original, release, mapped):
    issued = {p: set(texts) for p, texts in has_texts(original).items()}
    shown = {u: frozenset(texts) for u, texts in has_texts(release + "/data.tsv").items()}
    group = {p: shown[u] for p, users in owners(mapped).items() for u in users if u in shown}
    often = collections.Counter(t for u in shown for t in shown[u])
    right, certain = collections.defaultdict(list), []
    for person, texts in group.items():
        for name, pick in (("common", max), ("rare", min)):
            chosen = [t for t in texts if often[t] == pick(often[x] for x in texts)]
            right[name].append(mean(t in issued[person] for t in chosen))
        members = [p for p in group if group[p] == texts]
        certain.append(any(all(t in issued[p] for p in members) for t in texts))
    by = {name: mean(right[name]) for name in ("common", "rare")}
    most = [t for t in often if often[t] == max(often.values())]
    want = {f"strategies/{name}/success": value for name, value in by.items()}
    want.update({"strategy": best(by), "success": by[best(by)], "certain": mean(certain), "persons": len(group),
                 "baseline": mean(mean(t in texts for texts in issued.values()) for t in most)})
    report(answer["metrics"]["homogeneity"], want)


def table(answer, original, release, qi, *columns):
    sides = {}
    for side, path in (("before", original), ("success", release + "/data.csv")):
        with open(path, encoding="utf-8") as file:
            found = list(csv.DictReader(file))
        groups = collections.defaultdict(list)
        for row in found:
            groups[tuple(row[name] for name in qi.split(","))].append(row)
        sides[side] = found, groups
    want = {}
    for i, column in enumerate(columns):
        for side, (found, groups) in sides.items():
            counts = [collections.Counter(row[column] for row in group) for group in groups.values()]
            value = sum(max(c.values()) for c in counts) / len(found)
            sure = sum(sum(c.values()) for c in counts if len(c) == 1) / len(found)
            want[f"{column}/{side}"] = value
            want[f"{column}/" + ("certain" if side == "success" else "certain_before")] = sure
        most = max(collections.Counter(row[column] for row in sides["success"][0]).values())
        want[f"{column}/baseline"] = most / len(sides["success"][0])
        want[f"{column}/lift"] = want[f"{column}/success"] / want[f"{column}/baseline"]
    figures = answer["metrics"]["homogeneity"]
    report({one["column"]: one for one in figures["columns"]}, want)
    gain = {name: want[f"{name}/success"] - want[f"{name}/baseline"] for name in columns}
    report(figures, {"guessed": best(gain), "success": want[best(gain) + "/success"]})


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as said:
        {f.__name__: f for f in (marking, frequency, records, lists, table)}[sys.argv[1]](
            json.load(said), *sys.argv[3:])
