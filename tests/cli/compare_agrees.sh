# SPDX-License-Identifier: Apache-2.0
# compare and suggest run the same chains: what suggest names first is a row of compare's, with the same figures,
# and what compare names best is for that goal.
. "$HERE/common.bash"

# agrees INPUT... : by label, suggest's candidates of k and t 5 and compare's rows that are for a goal; and the
# best of each goal.
agrees() {
    lethe suggest "$@" --threads 1 --risk 30% --seed 3 --json -q >s 2>/dev/null
    rm -rf study
    lethe compare "$@" --threads 1 -k 5 --seed 3 -o study --json -q >c 2>/dev/null
    python3 - <<'END'
import json
s, c = (json.load(open(name))["metrics"] for name in "sc")
rows = {r["label"]: r for r in c["rows"]}
tried = {r["label"]: r for r in s["candidates"] if r["label"].split("=")[1].split()[0] == "5"}
print("tried by one alone:", sorted(set(tried) ^ {label for label, r in rows.items() if r["goals"]}))
made = [label for label in tried if not tried[label].get("error")]
differ = [label for label in made if any(tried[label][key] != rows[label].get(key) for key in ("kept_for", "goals"))]
print(len(made), "with a release, of which differ:", differ)
for goal in s["goals"]:
    fits = [f["label"] for f in goal["fits"] if f["label"] in rows]
    name = goal["goal"]
    risk = lambda r: r.get("exposure", 0)
    best = [r for r in rows.values() if name in r["goals"] and not r["error"] and risk(r) <= 0.3 and r["kept_for"][name] >= 0.02]
    best.sort(key=lambda r: (-r["kept_for"][name], risk(r)))
    same = [f["kept_for_goal"] for f in goal["fits"] if f["label"] in rows] == [r["kept_for"][name] for r in best]
    print(name + ":", fits[0] if fits else "none", "is the best of both" if same else (fits, [r["label"] for r in best]))
END
}

cp "$SAMPLE" log.tsv
echo "--- a log"
agrees log.tsv
json c 'sorted(r["label"] for r in j["metrics"]["rows"] if not r["goals"])'
echo "--- the best alone is for the goal"
# as if nobody could be found: scrub keeps everything, and still is for no goal
python3 - <<'END'
import json
with open("study/study.json") as f:
    study = json.load(f)
for row in study["metrics"]["rows"]:
    if "exposure" in row:
        row["exposure"] = 0
with open("study/study.json", "w") as f:
    json.dump(study, f)
END
lethe report study -o - -q | grep -o '<h[34]>[^<]*</h[34]>'
echo "--- records"
awk 'BEGIN { srand(1); split("bread milk book pen tea", w)
    for (i = 0; i < 200; i++) { s = ""; for (j = 1; j <= 5; j++) if (rand() < 0.4) s = s (s ? " " : "") w[j]; print s } }' >sets
agrees sets --from records
mv c file
sed 's/bread/x1/g; s/milk/x2/g; s/book/x3/g; s/pen/x4/g' sets >codes # which WordNet does not know
agrees codes --from records
echo "--- a table"
awk 'BEGIN { print "age,sex,town,illness,note"; split("cold flu cough", w); split("Rome Oslo Bern", c)
    for (i = 0; i < 200; i++) print 20 + (i * 7) % 50 "," (i % 2 ? "f" : "m") "," c[1 + i % 3] "," w[1 + int(i * i / 5) % 3] "," i }' >people.csv
agrees people.csv --qi age,sex,town --sa illness
agrees people.csv --qi age,sex --sa town,illness --missing drop

echo "--- a log without clicks or times"
cut -f 1,2 log.tsv | tail -n +2 | tr '\t' , >bare.csv
lethe compare bare.csv --from csv --columns user=1,query=2 -k 5 --seed 1 --all -q | grep 'the log has no'

echo "--- from standard input"
lethe compare - --from records -k 5 --seed 3 --threads 1 --json -q <sets >piped
for name in piped file; do json $name '[(r["label"], r.get("kept_for")) for r in j["metrics"]["rows"]]' >$name.rows; done
cmp piped.rows file.rows && echo "the same"
lethe compare - --qi age,sex --sa illness -k 5 --seed 3 -q <people.csv | sed 's/[0-9][0-9.]* %/N %/g' | head -n 3

echo "--- resumed, and another study"
study="lethe compare people.csv --qi age,sex --sa illness -k 5 --seed 3 -q -o table"
$study | sed 's/[0-9][0-9.]* %/N %/g'
rm table/rows/local-*
before=$(stat -c %y table/releases/lplus-*)
$study >again
[ "$before" = "$(stat -c %y table/releases/lplus-*)" ] && ls table/rows
run lethe compare people.csv --qi age,sex --sa illness -k 5 --theta 1/2 --seed 3 -q -o table
run lethe compare people.csv --qi age,sex -k 5 --theta 1/2 -q
lethe compare people.csv --qi age,sex --sa illness -k 5 --theta 3/5,1 --seed 3 --json -q >thetas
json thetas '[r["label"] for r in j["metrics"]["rows"]], j["metrics"]["varied"]'
ls -A "$TMPDIR"
