# SPDX-License-Identifier: Apache-2.0
# lplus, incognito and anneal: the table of the thesis' Table 3.1, what is refused, and releases that were changed.
. "$HERE/common.bash"
{
    echo id,Education,Country,Disease,Class
    printf '%s\n' 1,Jr,Fr,Flu,a 2,Jr,UK,Asthma,b 3,Sr,Fr,Flu,a 4,Sr,UK,Cancer,b 5,Ba,UK,Asthma,a 6,Ba,Ca,Asthma,a 7,Ba,USA,Flu,b \
        8,Grad,USA,Asthma,a 9,Grad,Ca,Cancer,b 10,Grad,Ca,Cancer,b
} >t.csv
mkdir h
printf '%s;%s;AnyEdu\n' Jr Sec Sr Sec Ba Uni Grad Uni >h/Education.csv
printf '%s\t%s\n' UK Eu Fr Eu USA Am Ca Am Eu AnyCountry Am AnyCountry >h/Country.tsv
table() { lethe "$1" t.csv --qi Education,Country --sa Disease --hierarchies h "${@:2}" --force -o rel; }
echo "--- as a user sees it"
run table lplus --theta 1/2 --seed 1 --map map.tsv
cat rel/data.csv
echo "--- taxonomy.tsv"
cat rel/taxonomy.tsv
echo "--- map"
map_lines map.tsv rel
lethe verify rel
accounts rel/manifest.json
json rel/manifest.json 'j["steps"], j["claims"], [f["name"] for f in j["files"]]'
echo "--- the golden vectors"
python3 - "$HERE/../data/golden/lplus.json" <<'END'
import csv, json, pathlib, shutil, subprocess, sys
from fractions import Fraction
scheme = {"NoSupp": "none"}
def run(table, qi, sa, trees, p, *more):
    folder = pathlib.Path("g")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, tree in trees.items():
        (folder / f"{name}.tsv").write_text("".join(f"{c}\t{parent}\n" for parent, cs in tree.items() for c in cs))
    with open("g.csv", "w", newline="") as f:
        csv.writer(f).writerows(table)
    got = subprocess.run(["lethe", "lplus", "g.csv", "--qi", ",".join(qi), "--sa", sa, "--hierarchies", "g", "--theta", p["theta"], "--cost", p["metric"],
                          "--suppress", scheme.get(p["scheme"], p["scheme"]), "--json", "-q", "--force", "--map", "g.map", "-o", "g.rel", *more], capture_output=True, text=True)
    return got.returncode, json.loads(got.stdout)["metrics"] if got.stdout else {}, got.stderr
def above(tree, value):
    while value:
        yield value
        value = next((parent for parent, cs in tree.items() if value in cs), None)
def published(trees, c, rows):
    """By column, the values that rows have in the release if `c` is the cut; None where a row has another."""
    data = list(csv.reader(open("g.rel/data.csv")))[1:]
    of = {q: set() for q in trees}
    for original, line in (x.split("\t") for x in pathlib.Path("g.map").read_text().splitlines()[1:]):
        for k, (q, tree) in enumerate(trees.items()):
            node, = set(above(tree, rows[int(original) - 2][k])) & set(c)
            if line and data[int(line) - 2][k] != node:
                return None
            if line:
                of[q].add(node)
    return of
n = 0
for v in json.load(open(sys.argv[1]))["vectors"]:
    i, want, p = v["input"], v["expected"], v["parameters"]
    if "optimal_cuts" not in want:
        continue
    if "taxonomies" in i:
        columns = i["columns"]
        status, m, err = run([columns, *i["records"]], list(i["taxonomies"]), i["sensitive"], i["taxonomies"], p)
        least = want["cost"]
    else:
        status, m, err = run([["v", "s"], *i["records"]], ["v"], "s", {"v": i["taxonomy"]}, p)
        least = want["optimal_cost"]
    trees = i.get("taxonomies") or {"v": i["taxonomy"]}
    rows = i["records"] if "taxonomies" not in i else [[r[i["columns"].index(q)] for q in trees] for r in i["records"]]
    # Told is what is published of the cut.  With the map: every row as one and the same optimal cut has it, and no value besides.
    cut = {q: set(values) for q, values in m.get("cut", {}).items()}
    good = status == 0 and any(published(trees, c, rows) == cut for c in want["optimal_cuts"])
    n += 1
    if least is None:
        assert status == 1 and "theta allows" in err, (v["id"], status, err)
    elif status == 1:  # the optimum deletes all there is
        assert "nothing is left to publish" in err and m["rows_deleted"] == len(i["records"]), (v["id"], err)
        assert abs(m["cost"] - Fraction(least)) < 1e-9 and not any(cut.values()), (v["id"], m)
    else:
        assert status == 0 and m["optimal"] and abs(m["cost"] - Fraction(least)) < 1e-9 and good, (v["id"], m, want)
print(n, "optima as they should be")
END
echo "--- five schemes"
for scheme in none vioSA allSA vioRec allRec; do
    table lplus --theta 0.5 --suppress $scheme --seed 1 -q --json >j && json j '"'$scheme'", {k: round(v, 4) if k == "cost" else v for k, v in j["metrics"].items() if k in ("cost", "rows_deleted", "values_starred", "groups", "optimal", "cuts_total")}'
    lethe verify rel | tail -n 1
done
table lplus --theta 1/3 --suppress vioSA -q && cat rel/data.csv
echo "--- a threshold for each value"
printf 'Cancer\t0.3\nAsthma\t2/5\n' >theta.tsv
run table lplus --theta-file theta.tsv -q
run table lplus --theta-file theta.tsv --theta 1/2 --suppress vioSA -q && cat rel/theta.tsv && lethe verify rel
run table lplus --theta-by-frequency 1/4 -q --suppress vioSA && cat rel/theta.tsv && lethe verify rel
for how in '--suppress vioSA' '--suppress vioRec' '--suppress none'; do
    table lplus --theta-by-frequency 1/2 -q $how && echo "$how: $(lethe verify --caveats rel | grep -c 'thresholds of --theta-by-frequency')"
done
echo "--- k and distinct values, alone and together"
for how in '-k 2' '-k 3 --suppress none' '--distinct-l 2' '--distinct-l 3 --suppress none' '-k 3 --distinct-l 2 --theta 1/2' '-k 2 --theta 1/2 --suppress vioSA'; do
    table lplus $how -q --seed 1 --json >j && echo "$how: $(json j 'round(j["metrics"]["cost"], 4), j["metrics"]["cut"], j["metrics"]["rows_deleted"], j["metrics"]["values_starred"]')"
    lethe verify rel
done
echo "--- the others"
table incognito --theta 1/2 -q --json >j && json j '{k: v for k, v in j["metrics"].items() if k not in ("cuts_examined", "cuts_to_best")}'
table anneal --theta 1/2 -q --seed 3 --steps 500 --json >j && json j 'round(j["metrics"]["cost"], 4), j["metrics"]["optimal"]'
echo "--- DM and CM"
table lplus --theta 1/2 --cost DM --suppress allRec -q --json >j && json j 'j["metrics"]["cost"]'
lethe lplus t.csv --qi Education,Country --sa Disease --class Class --hierarchies h --theta 1/2 --cost CM -q --json --force -o rel >j && json j 'j["metrics"]["cost"]'
head -n 3 rel/data.csv
echo "--- what a deleted row costs"
for weight in 10 2 1.5 1; do
    table lplus --theta 1/2 --deletion-weight $weight --seed 1 -q --json >j && echo "$weight: $(json j 'round(j["metrics"]["cost"], 4), j["metrics"]["rows_deleted"]')"
    lethe verify rel | tail -n 1
    lethe measure rel --original t.csv --hierarchies h --json >m && json m 'round(j["metrics"]["cost"], 4)'
done
sed -i 's/"deletion-weight": *1.0/"deletion-weight": 3.0/' rel/manifest.json && run lethe verify rel
for how in '--deletion-weight 0.9' '--deletion-weight 1.0005' '--deletion-weight 1 --cost DM' '--deletion-weight 1 --suppress vioSA'; do
    run table lplus --theta 1/2 $how -q
done
echo "--- thresholds by frequency do not tell how often a value occurs"
for seed in 1 2 3 4; do
    python3 - $seed >f.csv <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
print("age,ill")
for _ in range((40, 200, 900, 20000)[int(sys.argv[1]) - 1]):
    print(r.randint(20, 29), "v%d" % min(r.randint(0, 6), r.randint(0, 6)), sep=",")
END
    quietly lethe lplus f.csv --qi age --sa ill --theta-by-frequency 1/4 --suppress vioSA --seed 1 --force -o rel
    python3 - <<'END'
import collections, csv
from fractions import Fraction
often = collections.Counter(row["ill"] for row in csv.DictReader(open("f.csv")))
rows, base, told = sum(often.values()), Fraction(1, 4), dict(line.rstrip("\n").split("\t") for line in open("rel/theta.tsv"))
def theta(n):  # as docs/lplus.md has it
    if rows < 10000 * base * len(often):
        n = n // 10 * 10
    return max(base, Fraction(min(1000, int(1000 * base * n * len(often) / rows)), 1000)) if n * len(often) >= rows else base
fits = {v: sum(theta(n) == Fraction(t) for n in range(1, rows + 10)) for v, t in told.items()}
print(rows < 10000 * base * len(often), all(theta(often[v]) == Fraction(t) for v, t in told.items()), min(fits.values()) >= 9)
END
done
echo "--- stars to equal counts"
table lplus --theta 1/2 --suppress evenSA --seed 1 -q && cat rel/data.csv && run lethe verify rel
run table lplus --theta 1/2 --suppress evenSA --cost DM
run table lplus -k 2 --suppress evenSA
run table lplus --theta-by-frequency 1/2 --suppress evenSA
run table lplus --theta 1/4 --suppress evenSA
sed -i 's/"rows_deleted": *0/"rows_deleted": 1/' rel/manifest.json && run lethe verify rel
echo "--- a price for each value"
printf 'Asthma\t1\nFlu\t1.5\nCancer\t7/2\nGout\t9\n' >prices
# The cost is what the published rows and the prices of what they lack come to; all have a price of 1 or more.
for scheme in vioSA allSA evenSA vioRec allRec; do
    table lplus --theta 1/2 --suppress $scheme --prices prices --seed 1 -q --map map --json >j
    lethe verify rel | tail -n 1
    python3 - "$scheme" <<'END'
import collections, csv, json, sys
m = json.load(open("j"))["metrics"]
price = {"Asthma": 1, "Flu": 1.5, "Cancer": 3.5}
rows, original = (list(csv.DictReader(open(f))) for f in ("rel/data.csv", "t.csv"))
taxonomy = [line.rstrip("\n").split("\t") for line in open("rel/taxonomy.tsv")]
leaves, root = {name: int(n) for name, _, n in taxonomy}, {name.split("=")[0]: int(n) for name, up, n in taxonomy if not up}
lm = sum((leaves[f"{c}={r[c]}"] - 1) / (root[c] - 1) for r in rows for c in ("Education", "Country"))
gone = collections.Counter(r["Disease"] for r in original) - collections.Counter(r["Disease"] for r in rows)
print(sys.argv[1], abs(m["cost"] - lm - 2 * sum(price[v] * n for v, n in gone.items())) < 1e-9, m["optimal"])
END
done
sed -i 's/"cost": *\([0-9]\)[0-9.]*/"cost": 99\1.0/' rel/manifest.json && run lethe verify rel
for how in '--prices prices --cost DM' '--prices prices --suppress none' '--prices none'; do
    run table lplus --theta 1/2 $how -q
done
for line in 'Flu\t0.5' 'Flu\t101' 'Flu\t1.0001' 'Flu' 'Flu\t1\nFlu\t2'; do
    printf "$line\n" >bad && run table lplus --theta 1/2 --prices bad -q
done
echo "--- precaution by suppression: a group is as it would be, or suppressed altogether"
python3 - >f.csv <<'END'
import random
r = random.Random(1)
print("age,ill")
for _ in range(400):
    print(r.randint(20, 59), r.choice(("flu", "flu", "gout", "cold", "mumps")), sep=",")
END
for scheme in vioSA allSA evenSA vioRec allRec; do
    for p in 0 1/2; do
        quietly lethe lplus f.csv --qi age --sa ill --ranges age=2,40 --theta 2/5 --suppress $scheme --precaution-suppress $p --seed 2 --force -o p${p%/2}
    done
    lethe verify p1 | tail -n 1
    quietly lethe lplus f.csv --qi age --sa ill --ranges age=2,40 --theta 2/5 --suppress $scheme --precaution-suppress 1/2 --seed 2 --threads 7 --force -o p7
    cmp p1/data.csv p7/data.csv
    python3 - $scheme <<'END'
import collections, csv, sys
def groups(release):
    found = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(open(release + "/data.csv")):
        found[row["age"]][row["ill"]] += 1
    return found
plain, drawn = groups("p0"), groups("p1")
whole = [g for g in plain if (drawn[g] == {"*": sum(plain[g].values())} if sys.argv[1].endswith("SA") else not drawn[g])]
same = [g for g in plain if drawn[g] == plain[g]]
shown = [g for g in plain if set(plain[g]) != {"*"}]  # and may be suppressed
print(sys.argv[1], set(whole) | set(same) == set(plain), len(shown) / 4 < len(set(whole) & set(shown)) < len(shown) * 3 / 4)
END
done
run lethe lplus f.csv --qi age --sa ill --theta 2/5 --suppress vioRec --precaution-suppress 1 --seed 1 -q --force -o p1
json p1/manifest.json '[c for c in j["caveats"] if "precaution-suppress" in c], j["metrics"]["rows_deleted"]'
run lethe lplus f.csv --qi age --sa ill --theta 2/5 --suppress none --precaution-suppress 1/2 -o p1
sed -i 's/"optimal": false/"optimal": true/' p1/manifest.json && run lethe verify p1
echo "--- same for threads and limits"
for how in '--threads 1' '--threads 2' '--threads 7' '--time-limit 1m' '--max-cuts 1000'; do
    table lplus --theta 1/3 --seed 1 -q $how && cat rel/data.csv rel/taxonomy.tsv | b2sum
done | uniq | wc -l
echo "one of the best four: $(for seed in 1 2 3 4 5 6 7 8; do table lplus --theta 1/2 --top-h 4 -q --seed $seed && b2sum <rel/data.csv; done | sort -u | wc -l)"
table lplus --theta 1/2 --precaution 1 -q --json >j && json j 'j["metrics"]["cut"]'
for how in '--top-h 1' '--top-h 4' '--precaution 1/100'; do
    table lplus --theta 1/2 $how -q --json --seed 1 >j && json j '"'"$how"' is proven best:", j["metrics"]["optimal"]'
done
sed -i 's/"optimal": false/"optimal": true/' rel/manifest.json && run lethe verify rel
table lplus --theta 1/2 -q --trace trace.tsv && awk -F '\t' '{ print NF, ($3 > last && NR > 1 ? "UP" : "down") ; last = $3 }' trace.tsv | sort | uniq
echo "--- ranges, kept columns, missing values"
printf '%s\n' 'age,zip,"disease, told",seen' '23,1050,flu,1' '27,1050,flu,2' '31,,cold,3' '39,1060,ulcer,4' '41,?,flu,5' '44,1060,cold,6' >p.csv
run lethe lplus p.csv --qi age,zip --sa '"disease, told"' --keep seen --ranges age=5,10,20 -k 2 -q -o rel --force && cat rel/data.csv rel/taxonomy.tsv && lethe verify rel
run lethe lplus p.csv --qi age,zip --sa '"disease, told"' --ranges age=20-49:10,30 -k 2 --missing drop -q -o rel --force && cat rel/data.csv && accounts rel/manifest.json
lethe lplus p.csv --qi age,zip -k 2 -q -o - --ranges age=10
echo "--- measured"
lethe lplus t.csv --qi Education,Country --sa Disease --hierarchies h --theta 1/2 --seed 1 -q --force -o rel
run lethe measure rel --original t.csv --hierarchies h
