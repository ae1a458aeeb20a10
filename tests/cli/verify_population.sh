# SPDX-License-Identifier: Apache-2.0
# k-map is a promise about a table that is not published: who has it can check it, all others are told that nothing is decided.
. "$HERE/common.bash"
python3 - <<'END'
import os, random
random.seed(5)
os.mkdir("trees")
ills = {"flu": "lung", "cough": "lung", "ulcer": "gut", "colic": "gut"}
with open("trees/age.csv", "w") as f:
    for age in range(18, 62):
        print(f"{age};{age // 10}x;any", file=f)
with open("trees/ill.csv", "w") as f:
    for ill, above in ills.items():
        print(f"{ill};{above};ill", file=f)
with open("table.csv", "w") as f:
    print("age,sex,ill,pay", file=f)
    for _ in range(120):
        print(random.randrange(20, 60), random.choice("mf"), random.choice(list(ills)), random.randrange(1, 9) * 100, sep=",", file=f)
with open("people.csv", "w") as f:
    print("id,sex,age", file=f)
    for i in range(900):
        print(i, random.choice("mf"), random.randrange(18, 62), sep=",", file=f)
END
cp people.csv others.csv
echo 900,m,30 >>others.csv
quietly lethe lplus table.csv --qi age,sex --hierarchies trees -k 3 --k-map 60 --population people.csv -o rel
echo "--- without the population, and with it"
run lethe verify rel
run lethe verify rel --population people.csv
run lethe verify rel --population people.csv --hierarchies trees
gzip -nk people.csv
run lethe verify rel --population people.csv.gz --hierarchies trees 2>&1 | sed "s,[0-9a-f]\{64\},DIGEST,"
run lethe verify rel --population others.csv --hierarchies trees
run lethe verify rel --population nowhere.csv
run lethe verify rel --hierarchies trees
lethe verify rel --json >report
json report '{"verdict": j["verdict"], "metrics": j["metrics"]}'
echo "--- it can be measured all the same"
quietly lethe measure rel --original table.csv --hierarchies trees
echo "--- ranges need no hierarchies"
quietly lethe lplus table.csv --qi age,sex --ranges age=20-59:10,20 --k-map 60 --population people.csv -o ranges
run lethe verify ranges --population people.csv
run lethe verify ranges --population table.csv
quietly lethe lplus table.csv --qi age,sex --ranges age=20-59:10,20 -k 3 -o plain
run lethe verify plain --population people.csv

# forge NAME PYTHON: `m` is the manifest, `d` the lines of data.csv, `s` those of sensitive.tsv.
forge() {
    rm -rf bad
    cp -r "$1" bad
    python3 - "$3" <<'END'
import hashlib, json, os, sys
m = json.load(open("bad/manifest.json"))
d = open("bad/data.csv").read().splitlines()
s = open("bad/sensitive.tsv").read().splitlines() if os.path.exists("bad/sensitive.tsv") else None
def claims(index, **now):
    for claim in (m["claims"][index], m["verdict"]["checks"][index]):
        claim.update(now)
    return m["steps"][0]["parameters"]
exec(sys.argv[1])
for f in m["files"]:
    lines = {"data.csv": d[:1] + sorted(d[1:]), "sensitive.tsv": s}.get(f["name"])
    if lines:
        data = "".join(line + "\n" for line in lines).encode()
        f.update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
        open("bad/" + f["name"], "wb").write(data)
json.dump(m, open("bad/manifest.json", "w"))
END
    echo "$2: $(lethe verify bad $4 2>&1 | grep '^because\|^bad:' | tr '\n' ' ')"
}
echo "--- forged"
with='--population people.csv --hierarchies trees'
forge rel 'a larger k' 'claims(1, k=900)["k-map"] = 900' "$with"
forge rel 'a larger k, and no population' 'claims(1, k=900)["k-map"] = 900'
forge rel 'a claim alone' 'claims(1, k=2)' "$with"
forge rel 'another population' 'claims(1, population="0" * 64)["population-blake2b"] = "0" * 64' "$with"
forge rel 'no k-map' 'del m["claims"][1], m["verdict"]["checks"][1]'
forge rel 'a person less, without the population' 'd.pop(); m["counts"]["published"] -= 1; m["counts"]["read"] -= 1'
quietly lethe lplus table.csv --qi age,sex --sa ill,pay --hierarchies trees --t-closeness 1/3 --t-distance ill=hierarchical,pay=ordered --suppress none -o close
run lethe verify close
forge close 'a smaller t' 'claims(0, t="1/100")["t-closeness"] = "1/100"; claims(1, t="1/100")'
forge close 'a value that is no number' 'd[1] = d[1].rsplit(",", 1)[0] + ",much"'
forge close 'an unknown illness' 'd[1] = d[1].replace(",flu,", ",pox,").replace(",colic,", ",pox,").replace(",cough,", ",pox,").replace(",ulcer,", ",pox,")'
forge close 'a node more' 's.insert(1, "ill=pox\till=ill\t1"); s[0] = "ill=ill\t\t99"'
forge close 'a node less' 's.pop()'
forge close 'other columns' 's.append("pay=1\t\t1")'
forge close 'no hierarchy' 'm["files"] = [f for f in m["files"] if f["name"] != "sensitive.tsv"]; os.unlink("bad/sensitive.tsv")'
