# SPDX-License-Identifier: Apache-2.0
# What a table is still worth and gives away, with its owner's hierarchies and without: the release shows
# much, and what it does not show is left out with a word.
. "$HERE/common.bash"
printf '%s\n' age,town,disease,part 21,a1,flu,train 22,a1,cold,train 23,a2,flu,test 24,a2,ulcer,train 31,b1,cold,test 32,b1,flu,train \
    33,b2,flu,test 34,b2,cold,train 34,b2,ulcer,test 35,c1,flu,train 61,c1,flu,train >t.csv
mkdir h
# the names of ranges do not say what is in them: as in hierarchies of ARX, 20-29 holds 21 to 30
seq 21 70 | awk '{a = int(($1 - 1) / 10) * 10; b = int(($1 - 1) / 20) * 20; print $1 ";" a "-" a + 9 ";" b "-" b + 19 ";*"}' >h/age.csv
printf '%s;%s;*\n' a1 a a2 a b1 b b2 b c1 c c2 c >h/town.csv
python3 - <<'PY' >show.py
print('''import json, sys
m = json.load(open(sys.argv[1]))["metrics"]
for name in ("loss", "dm", "groups", "group_size", "group_size_over_k", "truthful", "risk_before", "risk_after", "class_error", "class_error_original", "left_out"):
    if name in m: print(name, m[name])
print("sizes", [(s["from"], s["rows_before"], s["rows"]) for s in m["group_sizes"] if s["rows_before"] or s["rows"]])
for c in m["columns"]:
    print(c["column"], c["role"], c.get("loss"), [tuple(v.values()) for v in c["values"]])
''')
PY
measure() { lethe measure rel --original t.csv "$@" --json >m.json && python3 show.py m.json; }

echo "--- one cut for all"
quietly lethe lplus t.csv --qi age,town --sa disease --class part --hierarchies h -k 2 --suppress vioRec -o rel --map rel.map
cat rel/data.csv
run lethe measure rel --original t.csv
echo "--- the same figures"
run measure
run measure --map rel.map
run measure --hierarchies h
python3 - <<'PY'
# the loss as anyone would compute it: (leaves below - 1) / (leaves - 1), 1 for each cell of a deleted row
import csv
rows = list(csv.DictReader(open("rel/data.csv")))
leaves = {}
for column in ("age", "town"):
    tree = [line.strip().split(";") for line in open(f"h/{column}.csv")]
    leaves[column] = {v: len({r[0] for r in tree if v in r}) for r in tree for v in r}
cells = [(leaves[c][r[c]] - 1) / (max(leaves[c].values()) - 1) for r in rows for c in leaves]
print("by hand", (sum(cells) + 2 * (11 - len(rows))) / 22)
PY
echo "--- who is looked for"
attack() { lethe attack rel --original t.csv "$@" --json >a.json && json a.json '{k: v for k, v in j["metrics"]["linking"].items() if k in ("success", "before", "persons", "undecided", "linked", "groups_mean", "fit_several")}'; }
run attack
run attack --map rel.map
run attack --hierarchies h
printf 'age,town\n25,a1\n' >who.csv
run attack --map rel.map --external who.csv
run attack --hierarchies h --external who.csv

echo "--- groups that overlap"
# How local groups rows is its own affair: figures are compared with those that anyone can compute.
cat >by_hand.py <<'PY'
import collections, csv, json, sys
trees, m, a = sys.argv[1], json.load(open("m.json"))["metrics"], json.load(open("a.json"))["metrics"]["linking"]
original, rows = (list(csv.DictReader(open(f))) for f in ("t.csv", "rel/data.csv"))
above = {}
for column in ("age", "town"):
    try:
        above[column] = {line.strip().split(";")[0]: line.strip().split(";") for line in open(f"{trees}/{column}.csv")}
    except FileNotFoundError:
        above[column] = None
def ends(value): return [int(x) for x in (value.split("-") * 2)[:2]]
def covers(column, value, of):
    if above[column] is None: return ends(value)[0] <= int(of) <= ends(value)[1]
    return value in above[column][of]
def loss(column, value):
    if above[column] is None: return (ends(value)[1] - ends(value)[0]) / (61 - 21)
    return (sum(value in path for path in above[column].values()) - 1) / (len(above[column]) - 1)
def fits(o): return [r for r in rows if all(covers(c, r[c], o[c]) for c in above)]
def near(x, y): return abs(x - y) < 1e-9
cells = [loss(c, r[c]) for r in rows for c in above]
print("loss", near(m["loss"], sum(cells) / len(cells)), "truthful", m["truthful"])
print("success", near(a["strategies"]["shares"]["success"], sum(max(collections.Counter(r["disease"] for r in fits(o)).values()) / len(fits(o)) for o in original) / 11))
groups = [len({(r["age"], r["town"]) for r in fits(o)}) for o in original]
print("groups", near(a["groups_mean"], sum(groups) / 11), near(a["fit_several"], sum(n > 1 for n in groups) / 11))
for c in m["columns"]:
    if c["column"] == "town":
        print("counts", all(v["original"] == sum(covers("town", v["value"], o["town"]) for o in original) for v in c["values"]))
    if c["column"] == "age" and above["age"] is None:
        print("parts", [v["value"] for v in c["values"]], sum(v["original"] for v in c["values"]))
PY
for how in "h" "towns --ranges age=values"; do
    mkdir -p towns && cp h/town.csv towns
    quietly lethe local t.csv --qi age,town --sa disease --hierarchies $how -k 3 -o rel --map rel.map --seed 1 --force
    measure --hierarchies "${how%% *}" >/dev/null && attack --hierarchies "${how%% *}" >/dev/null && python3 by_hand.py "${how%% *}"
done
lethe attack rel --explain --original t.csv --hierarchies towns | tail -n +3 | sed 's/ *[0-9][0-9.]* %/ N %/g; s/fits [0-9][0-9.]*/fits N/'

echo "--- rows that the hierarchies lack"
{ cat t.csv; for i in 1 2 3 4 5 6 7 8 9 10; do tail -n +2 t.csv; done; echo 99,a1,flu,train; } >more.csv
quietly lethe lplus more.csv --qi age,town --hierarchies h -k 2 -o rej
run lethe measure rej --original more.csv
lethe measure rej --original more.csv --hierarchies h | grep "^  rows"
echo "--- another original"
printf 'age,town,disease,part\n1,2,3,4\n' >other.csv
run lethe measure rel --original other.csv
run lethe measure rel --original more.csv
echo "--- numbers that nobody would count"
{ echo a,b,c,d; seq 1 480 | awk '{print $1 ",x" $1 ",y" $1 ",z" $1}'; } >wide.csv
mkdir deep
seq 1 480 | awk '{print $1 ";" int($1 / 2) "p;" int($1 / 4) "q;" int($1 / 8) "r;*"}' >deep/a.csv
for c in x:b y:c z:d; do awk -F ';' -v p="${c%:*}" -v OFS=';' '{print p $1, p $2, p $3, p $4, "*"}' deep/a.csv >"deep/${c#*:}.csv"; done
lethe anneal wide.csv --qi a,b,c,d --hierarchies deep -k 480 --explain -o wide 2>&1 | grep -E '^  (possible cuts|loss in total)'
json wide/manifest.json 'j["metrics"]["cuts_total"] > 1e300'
lethe report wide -o - | grep -o 'more than 10^300'
