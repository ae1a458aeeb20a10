# SPDX-License-Identifier: Apache-2.0
# An invented log: where it goes, who is planted in it, and that nothing of it appears by halves.
. "$HERE/common.bash"
[ -e "${WNSEARCHDIR:-/usr/share/wordnet}/index.noun" ] || skip "no WordNet dictionary"
run lethe synth --users 200 --seed 1 --truth truth.tsv -o log.tsv
stat -c '%n %a' log.tsv truth.tsv
head -n 1 log.tsv truth.tsv | cat -A
cut -f 2 truth.tsv | tail -n +2 | sort | uniq -c | sed 's/^ *//'
# Standard output without -o, and with -o -; a truth beside it.
lethe synth --users 200 --seed 1 | cmp - log.tsv
lethe synth --users 200 --seed 1 -o - --truth again.tsv --threads 1 | cmp - log.tsv
cmp truth.tsv again.tsv
lethe synth --users 200 --seed 1 --threads 7 | cmp - log.tsv
# Results: the same for any number of threads, and beside them the same log; every click is on the page that stands there.
lethe synth --users 200 --seed 1 --threads 1 --results results.tsv | cmp - log.tsv
stat -c '%n %a' results.tsv
lethe synth --users 200 --seed 1 --threads 7 --results "$TMPDIR/results" >/dev/null
cmp results.tsv "$TMPDIR/results"
python3 - <<'PYTHON'
lists = {}
for line in open("results.tsv"):
    query, url = line.rstrip("\n").split("\t")
    lists.setdefault(query, []).append(url)
log = [line.rstrip("\n").split("\t") for line in open("log.tsv")][1:]
print("texts with results:", {row[1] for row in log} == set(lists))
print("in order:", list(lists) == sorted(lists, key=lambda text: text.encode()))
print("no page twice:", all(len(set(urls)) == len(urls) for urls in lists.values()))
print("clicks are results:", all(lists[row[1]][int(row[3]) - 1] == row[4] for row in log if row[3]))
print("lengths:", sorted({len(urls) for urls in lists.values()}))
PYTHON
lethe disconnect log.tsv --results results.tsv --min-results 5 --min-sites 3 --seed 1 -q -o disconnected && lethe verify disconnected --results results.tsv | tail -n 2
rm -r disconnected
# The first version is what it was.
lethe synth --version 1 --users 200 --seed 1 | sha256sum
run lethe synth --version 1 --results r.tsv
run lethe synth --version 3
run lethe synth --results -
run lethe synth --results both.tsv -o ./both.tsv
# Another seed, another log; and without one, no two alike.
lethe synth --users 200 --seed 2 >"$TMPDIR/two"
cmp -s "$TMPDIR/two" log.tsv && echo "seed 2 is seed 1"
lethe synth --users 50 >"$TMPDIR/one"
lethe synth --users 50 >"$TMPDIR/two"
cmp -s "$TMPDIR/one" "$TMPDIR/two" && echo "two alike"
# A larger log begins with the smaller one.
lethe synth --users 300 --seed 1 >"$TMPDIR/two"
cmp -n "$(stat -c %s log.tsv)" "$TMPDIR/two" log.tsv
# As our own reader sees it.
lethe profile log.tsv --strict-input --json 2>/dev/null >profile.json
lethe synth --users 200 --seed 1 -o json.tsv --json >report.json
cmp json.tsv log.tsv
json report.json 'sorted(j)'
json report.json 'j["command"], j["parameters"], j["metrics"]["planted"]'
python3 - <<'PYTHON'
import datetime, json
p, m = json.load(open("profile.json"))["metrics"], json.load(open("report.json"))["metrics"]
print("rejected", p["rejected"], "empty", p["empty"], "invalid_utf8", p["invalid_utf8"])
print("as counted:", all(p[k] == m[k] for k in ("rows", "queries", "users")))
log = [line.rstrip("\n").split("\t") for line in open("log.tsv")][1:]
texts = {}
for user, query, *_ in log:
    texts.setdefault(user, set()).add(query)
towns = {}
for line in list(open("truth.tsv"))[1:]:
    user, kind, *clues = line.rstrip("\n").split("\t")
    if kind == "name":
        towns[user] = clues[1]
    for clue in clues:
        there = clue in texts[user] if kind == "pattern" else any(clue in text for text in texts[user])
        if not there:
            print("missing:", user, kind, clue)
print(min(row[2] for row in log)[:7], max(row[2] for row in log)[:7])
# Reformulations: of texts that follow another one within half an hour, how many have a word of it.
near = common = 0
for (a, first, at, *_), (b, then, when, *_) in zip(log, log[1:]):
    if a == b and first != then and (datetime.datetime.fromisoformat(when) - datetime.datetime.fromisoformat(at)).seconds <= 1800:
        near, common = near + 1, common + bool(set(first.split()) & set(then.split()))
print("reformulated:", 0.2 < common / near < 0.6)
# A user's town stands beside different things.
beside = [{word for text in texts[user] if town in text for word in text.split()} for user, town in towns.items()]
print("towns:", all(len(words) > 6 for words in beside))
PYTHON
# What exists stays, unless forced; what cannot be written leaves nothing.
run lethe synth --users 10 --seed 1 -o log.tsv
run lethe synth --users 10 --seed 1 --truth truth.tsv -o new.tsv
run lethe synth --users 10 --seed 1 --truth new.tsv -o log.tsv
run lethe synth --users 10 --seed 1 --truth both.tsv -o ./both.tsv
run lethe synth --users 10 --seed 1 --truth /proc/no/truth.tsv -o new.tsv
run lethe synth --users 10 --seed 1 -o /proc/no/new.tsv
run lethe synth --users 10 --seed 1 --force --quiet --truth truth.tsv -o log.tsv
stat -c '%n %a' truth.tsv
cut -f 1 log.tsv | sort -u | wc -l
lethe synth --users 3000 --truth new.tsv >/dev/full
echo "= $?"
lethe synth --users 10 --json --truth new.tsv -o new2.tsv >/dev/full
echo "= $?"
WNSEARCHDIR=$PWD lethe synth --users 10 --truth new.tsv -o new2.tsv 2>&1 | sed "s|$PWD|HERE|"
echo "= ${PIPESTATUS[0]}"
# Bad usage.
run lethe synth --json
run lethe synth --json -o -
run lethe synth --users 0
run lethe synth --users -5
run lethe synth --users 2000000000
run lethe synth --queries-per-user 0
run lethe synth --queries-per-user 10001
run lethe synth --queries-per-user nan
run lethe synth --seed x
run lethe synth log.tsv
run lethe synth --from csv
run lethe synth --then threshold
holds again.tsv json.tsv log.tsv profile.json report.json results.tsv truth.tsv
# The same memory for ten times the users (and a sanitizer must not keep what was freed).
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
peak() { lethe synth --users "$1" --seed 1 --threads 2 --json --force -o many.tsv | json /dev/stdin 'j["peak_bytes"]'; }
small=$(peak 2000)
large=$(peak 20000)
[ "$large" -lt $((small + small / 5)) ] || echo "peak $small bytes for 2,000 users, $large for 20,000"
