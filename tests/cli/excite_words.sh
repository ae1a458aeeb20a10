# SPDX-License-Identifier: Apache-2.0
# A real log, and texts with the same words found by another program: Excite, one day of 1997.
. "$HERE/common.bash"
log=${LETHE_DATA:-$ROOT/../shared/data}/excite-small.log.zst
[ -r "$log" ] || skip "there is no excite-small.log.zst"
dictionary=${WNSEARCHDIR:-/usr/share/wordnet}
[ -r "$dictionary/index.noun" ] || skip "WordNet is not installed"
zstd -dcq "$log" >excite.log
for t in 1 2 3 5; do
    quietly lethe threshold excite.log --columns user=1,time=2,query=3 -t $t --keep-users --time exact -o rel$t
    quietly lethe verify rel$t
    python3 - $t "$dictionary" <<'END'
import collections, re, sys
t, folder = int(sys.argv[1]), sys.argv[2]
nouns = {l.split(" ", 1)[0] for l in open(folder + "/index.noun") if not l.startswith("  ")}
exceptions = {}
for line in open(folder + "/noun.exc"):
    word, *bases = line.split()
    exceptions.setdefault(word, []).extend(bases)
rules = [("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")]
def reduce(word):
    for base in exceptions.get(word, []):
        if base in nouns:
            return base
    if word in nouns:
        return word
    stem, tail = (word[:-3], "ful") if word.endswith("ful") else (word, "")
    if tail or not (len(word) <= 2 or word.endswith("ss")):
        for suffix, ending in rules:
            if stem.endswith(suffix) and stem[:len(stem) - len(suffix)] + ending + tail in nouns:
                return stem[:len(stem) - len(suffix)] + ending + tail
    return word
def key(text):
    return " ".join(sorted(map(reduce, re.findall(r"[a-z0-9]+(?:['.&_-][a-z0-9]+)*", text)))) or text
classes = collections.defaultdict(list)
for line in open("excite.log", encoding="utf-8"):
    user, _, query = line.rstrip("\n").split("\t")
    query = " ".join(query.lower().split())
    if query:
        classes[key(query)].append((user, query))
want = collections.Counter()
merged = 0
for rows in classes.values():
    if len({user for user, _ in rows}) < t:
        continue
    texts = {text for _, text in rows}
    best = min(texts, key=lambda x: (-len({u for u, q in rows if q == x}), len(x.encode()), x))
    merged += len(texts) > 1
    want[best] = len(rows)
got = collections.Counter(l.split("\t")[1] for l in list(open("rel%d/data.tsv" % t))[1:])
print(t, sum(want.values()), "rows", len(want), "texts", merged, "of several", "the same" if got == want else "NOT THE SAME")
for text in sorted(set(got) | set(want)):
    if got[text] != want[text]:
        print(repr(text), got[text], want[text])
END
done
