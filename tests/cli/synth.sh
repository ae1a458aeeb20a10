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
import json
p, m = json.load(open("profile.json"))["metrics"], json.load(open("report.json"))["metrics"]
print("rejected", p["rejected"], "empty", p["empty"], "invalid_utf8", p["invalid_utf8"])
print("as counted:", all(p[k] == m[k] for k in ("rows", "queries", "users")))
log = [line.rstrip("\n").split("\t") for line in open("log.tsv")][1:]
texts = {}
for user, query, *_ in log:
    texts.setdefault(user, set()).add(query)
for line in list(open("truth.tsv"))[1:]:
    user, kind, *clues = line.rstrip("\n").split("\t")
    for clue in clues:
        there = clue in texts[user] if kind == "pattern" else any(clue in text for text in texts[user])
        if not there:
            print("missing:", user, kind, clue)
print(min(row[2] for row in log)[:7], max(row[2] for row in log)[:7])
PYTHON
# What exists stays, unless forced; what cannot be written leaves nothing.
run lethe synth --users 10 --seed 1 -o log.tsv
run lethe synth --users 10 --seed 1 --truth truth.tsv -o new.tsv
run lethe synth --users 10 --seed 1 --truth new.tsv -o log.tsv
run lethe synth --users 10 --seed 1 --truth both.tsv -o ./both.tsv
run lethe synth --users 10 --seed 1 --truth no/truth.tsv -o new.tsv
run lethe synth --users 10 --seed 1 -o no/new.tsv
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
holds again.tsv json.tsv log.tsv profile.json report.json truth.tsv
# The same memory for ten times the users (and a sanitizer must not keep what was freed).
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
peak() { lethe synth --users "$1" --seed 1 --threads 2 --json --force -o many.tsv | json /dev/stdin 'j["peak_bytes"]'; }
small=$(peak 2000)
large=$(peak 20000)
[ "$large" -lt $((small + small / 5)) ] || echo "peak $small bytes for 2,000 users, $large for 20,000"
