#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the strategies of the adversaries achieve, by brute force from the definitions in docs/:
strategies.py known ANSWER.json ORIGINAL RELEASE MAP [TAXONOMY [EPSILON]]
strategies.py replay ANSWER.json ORIGINAL RELEASE RESULTS
strategies.py competitor ANSWER.json ORIGINAL RELEASE RESULTS
strategies.py linkage ANSWER.json RELEASE MAP [--count-self]

Reads what `lethe attack --json` said and prints what differs; nothing: all is the same."""
import collections
import hashlib
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

FUNCTION_WORDS = {"in", "does"}  # those of the logs here
STRATEGIES = ("most", "idf", "bayes", "near")


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

    def nearest(self, holder, term):
        return (0, term) if term in self.terms[holder] else None


class Records:
    """Holders that are lines of records: a term is shown by the lowest item at or above it, and may be replaced by one
    within epsilon."""

    def __init__(self, path, taxonomy, epsilon=0):
        self.epsilon = epsilon
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

    def nearest(self, holder, term):
        """The nearest item that may stand for the term, and how many edges it is away; of several the first in preorder."""
        found, own = [], self.up(term)
        for item in self.terms[holder]:
            apart = len(set(own) ^ set(self.up(item)))
            if item in own or apart <= self.epsilon:
                found.append((apart, self.order(item), item))
        return min((apart, item) for apart, at, item in found if (apart, at) == min(found)[:2]) if found else None

    def order(self, node):
        """Preorder is that of the ways from the root, children being in the order of the file."""
        names = list(self.parent)
        return [names.index(name) for name in reversed(self.up(node)[:-1])]


def choose(holders, known, own):
    """By strategy, the chance to choose one of the person's own."""
    score, goes = {name: {} for name in STRATEGIES}, collections.defaultdict(dict)
    for term in sorted(known):
        near = {h: found for h in holders.terms if (found := holders.nearest(h, term))}
        for h, (edges, item) in near.items():
            as_near = sum(other <= edges for other, _ in near.values())
            worth = math.log(1 + holders.total / (100 * as_near * math.sqrt(len(holders.terms[h]))))
            goes[h][item] = max(goes[h].get(item, 0), worth)
        shown = {h: holders.shows(h, term) for h in holders.terms}
        chance = {h: 1 / (len(holders.terms[h]) * s[1]) for h, s in shown.items() if s}
        mean = sum(chance.values()) / holders.total
        for h, p in chance.items():
            idf = math.log(holders.total / holders.reached(shown[h][0]))
            for name, more in (("most", 1), ("idf", idf), ("bayes", math.log(1 + p / mean))):
                score[name][h] = score[name].get(h, 0) + more
    score["near"] = {h: sum(items.values()) for h, items in goes.items()}
    for h in score["idf"]:
        score["idf"][h] -= math.log(len(holders.terms[h])) / 2
    found = {}
    for name, by in score.items():
        candidates = [h for h in by if by[h] >= max(by.values()) - 1e-9]
        found[name] = len([h for h in candidates if h in own]) / len(candidates) if candidates else 0
    return found


def known(answer, original, release, mapped, taxonomy=None, epsilon=0):
    own = owners(mapped)
    if taxonomy:
        people = collections.defaultdict(set)
        for line in lines(original):
            person, items = line.split("\t")
            people[person].update(items.split())
        after, before = Records(release + "/data.txt", taxonomy, int(epsilon)), Users("/dev/null")
        before.terms, before.total = people, len(people)
    else:
        before, after = Users(original), Users(release + "/data.tsv")
        people = {person: terms - FUNCTION_WORDS for person, terms in before.terms.items() if terms - FUNCTION_WORDS}
    sums = collections.Counter()
    for person, terms in people.items():
        for name, chance in choose(after, terms, own[person]).items():
            sums["success", name] += chance / len(people)
        for name, chance in choose(before, terms, {person}).items():
            sums["before", name] += chance / len(people)
    want = {}
    for what, label in (("success", "strategy"), ("before", "strategy_before")):
        by = {name: sums[what, name] for name in STRATEGIES}
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


# --- competitor ---

def page(url):
    host, rest = parts(url)
    return f"//{host}/{rest}" if rest else f"//{host}"


def mixed(name):
    """An order of pages that has nothing to do with their ranks."""
    return hashlib.blake2b(name.encode(), digest_size=8, key=bytes(32)).digest()


def by_order(clicks, listed, tie):
    """By text, the most clicked one is the first result: what the votes of all texts make of each."""
    votes = collections.defaultdict(collections.Counter)
    for text, of in clicks.items():
        ranked = sorted(of, key=lambda name: (-of[name], tie(name)))
        for name, guess in zip(ranked, dict.fromkeys(listed.get(text, []))):
            votes[name][guess] += of[name]
    places = list(dict.fromkeys(p for urls in listed.values() for p in urls))
    return {name: min(v, key=lambda p: (-v[p], places.index(p))) for name, v in votes.items()}


def competitor(answer, original, release, results):
    listed, was, now = (collections.defaultdict(kind) for kind in (list, collections.Counter, collections.Counter))
    for line in lines(results):
        query, url = line.split("\t")
        listed[query].append(page(url))
    for log, of, name in ((original, was, page), (release + "/data.tsv", now, str)):
        for row in rows(log):
            if row[4]:
                of[row[1]][name(row[4])] += 1
    total = sum(was.values(), collections.Counter())
    order_before = sum(total[p] for p, guess in by_order(was, listed, mixed).items() if p == guess)
    # Pages that may be behind an identifier: as many clicks for each text, just as many where nothing was left out.
    guesses, told, random = by_order(now, listed, str), collections.Counter(), 0
    for name in {name for of in now.values() for name in of}:
        fits, left = set(total), None
        for text, of in now.items():
            if name not in of:
                continue
            whole = len(of) == len(was[text]) and sum(of.values()) == sum(was[text].values())
            fits &= {p for p, n in was[text].items() if n == of[name] or (n > of[name] and not whole)}
            if text in listed:
                left = set(listed[text]) & (set(listed[text]) if left is None else left)
        random += sum(total[p] for p in fits & (left or set())) / (len(fits) * len(left)) if fits and left else 0
        if guesses.get(name) in fits:
            told[guesses[name]] = max(told[guesses[name]], total[guesses[name]] / len(fits))
    n = sum(total.values())
    want = {"strategies/order/success": sum(told.values()) / n, "strategies/order/before": order_before / n,
            "baseline": random / n}
    said = answer["metrics"]["competitor"]
    for when, name in (("success", "strategy"), ("before", "strategy_before")):
        by = {"intersection": said["strategies"]["intersection"][when], "order": want[f"strategies/order/{when}"]}
        want.update({when: max(by.values()), name: max(by, key=lambda s: round(by[s], 6))})
    report(said, want, 1e-6)


# --- linkage ---

def features(texts, clicks, times, finest):
    """By strategy, what a session has and how often."""
    words, pairs = collections.Counter(), collections.Counter()
    for text in texts:
        found = WORD.findall(text)
        words.update(found)
        pairs.update(zip(found, found[1:]))
    by_text = words + pairs + collections.Counter(("text", text) for text in texts)
    by_click = by_text + collections.Counter(("click", url) for url in clicks)
    when = collections.Counter({("day", time[:10]) for time in times})
    if finest > 10:
        when.update({("hour", time[:13]) for time in times})
        when.update(("of day", hour[11:]) for hour in {time[:13] for time in times})
    if finest > 13:
        when.update({("ten", time[:15]) for time in times})
    return {"bm25": words, "texts": by_text, "clicks": by_click, "times": by_click + when}


def bm25_scores(docs, query):
    total, mean = len(docs), sum(map(sum, (d.values() for d in docs.values()))) / len(docs)
    rarity = {w: sum(w in d for d in docs.values()) for w in docs[query]}
    scores = {}
    for name, doc in docs.items():
        norm = 1.2 * (0.25 + 0.75 * (sum(doc.values()) / mean))
        scores[name] = 0
        for word in sorted(rarity, key=lambda w: (rarity[w], w)):  # the rarest first
            if word in doc:
                idf = math.log(1 + (total - rarity[word] + 0.5) / (rarity[word] + 0.5))
                scores[name] += docs[query][word] * (idf * (doc[word] * 2.2 / (doc[word] + norm)))
    return scores


def cosine_scores(docs, query):
    df = collections.Counter(f for doc in docs.values() for f in doc)

    def weight(doc, feature):
        value = 4096 * (1 + math.log(doc[feature])) * math.log((len(docs) + 1) / df[feature])
        return max(1, math.floor(value + 0.5))

    scores = {}
    for name, doc in docs.items():
        both = sum(weight(doc, f) * weight(docs[query], f) for f in doc if f in docs[query])
        scores[name] = both * (1 / math.sqrt(sum(weight(doc, f) ** 2 for f in doc))) if both else 0
    return scores


def linkage(answer, release, mapped, *options):
    person = {published: who for who, all_of in owners(mapped).items() for published in all_of}
    seen = collections.defaultdict(lambda: (set(), set(), set()))
    for user, text, time, _, url in rows(release + "/data.tsv"):
        for found, value in zip(seen[user], (text, url, time)):
            found.update([value] if value else [])
    finest = max([len(time) for _, _, times in seen.values() for time in times] + [0])
    docs = {user: features(*has, finest) for user, has in seen.items()}
    size = collections.Counter(person[user] for user in docs)
    linkable = [user for user in docs if size[person[user]] > 1]
    success, share, matches = {}, {}, {}
    for name in ("bm25", "texts", "clicks", "times"):
        scored = {user: docs[user][name] for user in docs}
        right, shares = 0, []
        for user in docs:
            scores = (bm25_scores if name == "bm25" else cosine_scores)(scored, user)
            itself = scores.pop(user) > 0 and "--count-self" in options
            order = sorted((other for other in scores if scores[other] > 0), key=lambda o: (-scores[o], o))
            matches[user, name] = len(order) + itself
            same = [person[other] == person[user] for other in order[: 100 - itself]]
            right += bool(same) and same[0]
            if same or itself:
                shares.append(sum(same) / (len(same) + itself))
        success[name], share[name] = right / len(linkable), sum(shares) / len(shares) if shares else 0
    want = {f"strategies/{name}/success": value for name, value in success.items()}
    want.update({f"strategies/{name}/share100": value for name, value in share.items()})
    want.update({"strategy": best(success), "success": max(success.values()), "share100": share["bm25"],
                 "linkable": len(linkable), "sessions": len(docs),
                 "selectivity/le10/sessions": sum(0 < matches[user, "bm25"] <= 10 for user in docs)})
    report(answer["metrics"]["linkage"], want)


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as said:
        {"known": known, "replay": replay, "competitor": competitor,
         "linkage": linkage}[sys.argv[1]](json.load(said), *sys.argv[3:])
