# SPDX-License-Identifier: Apache-2.0
# local: groups of rows with values of their own, what is refused, and releases that were changed.
. "$HERE/common.bash"
# Pairs that are near each other, and far from all others: there is one best way to group them.
printf '%s\n' age,sex,town,disease,note 21,m,a1,flu,1 21,m,a1,cold,2 22,m,a1,flu,3 23,m,a1,ulcer,4 41,f,b1,cold,5 42,f,b1,flu,6 60,f,b2,flu,7 68,f,b2,cold,8 >t.csv
mkdir h
printf '%s;%s;all\n' a1 a a2 a b1 b b2 b >h/town.csv
table() { lethe local t.csv --qi age,sex,town --sa disease --hierarchies h "$@" --seed 1 --force -o rel; }
echo "--- as a user sees it"
run table --ranges age=5,10,20 -k 2 --keep note
cat rel/data.csv rel/taxonomy.tsv
lethe verify rel
accounts rel/manifest.json
json rel/manifest.json 'j["steps"], j["claims"], j["metrics"]'
echo "--- what it does not protect against"
lethe verify rel --caveats | sed -n '/^  *- /p'
echo "--- ranges of values"
run table --ranges age=values -k 2 -q
cat rel/data.csv rel/taxonomy.tsv
lethe verify rel
lethe verify rel --caveats | grep 'ends of ranges'
printf '%s\n' x,y -1.5,a -1.25,a 7,b 007.0,b 3,b 3.5,b >n.csv
lethe local n.csv --qi x,y --ranges x=values -k 2 -q -o num
cat num/data.csv num/taxonomy.tsv
lethe verify num | tail -n 1
echo "--- requirements"
for how in '--theta 1/2' '--theta 2/3 -k 3' '--distinct-l 2' '--distinct-l 3' '--theta-by-frequency 1/2' '-k 8'; do
    table --ranges age=5,10,20 $how -q && echo "$how: $(json rel/manifest.json '[(c["notion"], c["groups"]) for c in j["claims"]], j["metrics"]["smallest_group"] >= 2')"
    lethe verify rel | tail -n 1
done
# 600 rows: groups overlap, and a limit of deleted rows matters.
awk 'BEGIN {
    s = 7
    print "age,job,town,ill,note"
    for (i = 0; i < 600; i++) {
        for (j = 0; j < 5; j++) { s = (s * 69069 + 1) % 16777216; r[j] = int(s / 256) }
        print r[0] % 60 + 18 "," r[1] % 6 ",t" r[2] % 5 ",ill" r[3] % 7 "," i
    }
}' >big.csv
mkdir trees
seq 0 5 | awk '{print $1 ";g" int($1 / 2) ";all"}' >trees/job.csv
big() { lethe local big.csv --qi age,job,town --sa ill --hierarchies trees --ranges age=5,10,20,40 -k 4 "$@" --seed 1 -q --force -o rel; }
echo "--- several sensitive columns and a population"
lethe local big.csv --qi age,town --sa ill,job --ranges age=5,10,20,40 --theta 1/3 --distinct-l 3 --k-map 8 --population big.csv --seed 1 -q --force -o rel
lethe verify rel --population big.csv | tail -n 1
printf '%s\n' x '"1,5"' '"1,5"' '"2,25"' '"3,5"' >comma.csv
lethe local comma.csv --qi x --ranges x=values --k-map 2 --population comma.csv --seed 1 -q --force -o rel && cat rel/data.csv
# All three rows fall under what one group would publish, but only two have a row of the table.
printf '%s\n' a x y >few.csv
printf '%s\n' a x y z >people.csv
mkdir people
printf '%s;all\n' x y z >people/a.csv
run lethe local few.csv --qi a --hierarchies people --k-map 3 --population people.csv -q -o three && cat three/data.csv
lethe local few.csv --qi a --hierarchies people --k-map 2 --population people.csv -q --force -o rel && cat rel/data.csv
run lethe local few.csv --qi a --hierarchies people --k-map 4 --population people.csv -q -o no
echo "--- same bytes for threads and memory"
for how in '--threads 1' '--threads 2' '--threads 7' '--threads 7 --memory 64M'; do
    big --keep note $how && cat rel/data.csv rel/taxonomy.tsv rel/manifest.json | b2sum
done | uniq | wc -l
echo "--- which of equal rows goes where is drawn"
# One of the first four goes with the last two: any of them, and so with any sensitive value.
printf '%s\n' q,s,note a,x,1 a,x,2 a,y,3 a,y,4 b,x,5 b,x,6 >equal.csv
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    lethe local equal.csv --qi q --sa s --keep note -k 3 -q --force --seed $seed -o rel && grep -v '^a' rel/data.csv | sed -n '/[1-4]$/p'
done | sort -u
echo "--- no more rows are deleted than allowed, and none without a limit"
for share in 0 0.01 1/20 0.5; do
    big --suppress $share && json rel/manifest.json '"'$share'", j["metrics"]["rows_deleted"] <= 600 * eval("'$share'"), j["counts"]["suppressed"] == j["metrics"]["rows_deleted"]'
    lethe verify rel | tail -n 1
done
echo "--- a large group of many values does not take memory by their product"
python3 - "$LETHE" <<'END'
import resource, subprocess, sys
with open("long.csv", "w") as f:
    f.write("x\n" + "".join(f"{i * 7919 % 100000}\n" for i in range(100000)))
subprocess.run([sys.argv[1], "local", "long.csv", *"--qi x --ranges x=values -k 40000 --seed 1 -q -o long".split()], check=True)
print(open("long/data.csv").read().count("\n"), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 700 << 10)
END
echo "--- an interruption is heeded while cells of many columns are formed, and leaves nothing"
python3 - "$LETHE" <<'END'
import os, random, signal, subprocess, sys, time
draw = random.Random(1)
with open("wide.csv", "w") as f:
    f.write(",".join(f"c{i}" for i in range(64)) + "\n")
    for _ in range(12000):
        f.write(",".join(f"v{draw.randrange(8)}" for _ in range(64)) + "\n")
run = subprocess.Popen([sys.argv[1], "local", "wide.csv", "--qi", ",".join(f"c{i}" for i in range(64)), *"-k 5 -q -o wide".split()])
time.sleep(3)
run.send_signal(signal.SIGINT)
try:
    run.wait(20)
except subprocess.TimeoutExpired:
    run.kill()
    print("still runs")
print(run.returncode, [name for name in os.listdir() if "wide" in name])
END
echo "--- groups that must be large are not judged item by item without end"
awk 'BEGIN { print "q,s"; for (i = 0; i < 10000; i++) print "v" i ",a\nv" i ",b\nbig,x" }' >pool.csv
timeout 60 lethe local pool.csv --qi q --sa s --theta 1/2 --seed 1 -q -o pool && lethe verify pool | tail -n 1
echo "--- large groups do not take many times the processor time of small ones"
python3 - "$LETHE" <<'END'
import os, random, resource, subprocess, sys
draw = random.Random(1)
with open("large.csv", "w") as f:
    f.write("a,b,c,d\n" + "".join(",".join(str(draw.randrange(40)) for _ in range(4)) + "\n" for _ in range(4000)))
os.mkdir("fives")
for column in "abcd":
    with open(f"fives/{column}.csv", "w") as f:
        f.write("".join(f"{i};{i // 5}x;{i // 20}y;*\n" for i in range(40)))
def took(k):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], "local", "large.csv", *f"--qi a,b,c,d --hierarchies fives -k {k} --threads 1 --seed 1 -q -o large{k}".split()],
                   check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
times = took(1000) / took(20)  # about 5; without a bound of the work, about 36
print("enough" if times < 15 else f"{times} times")
END
echo "--- a heavy column loses less"
loss() { python3 -c 'import csv, sys
rows = list(csv.DictReader(open("rel/data.csv")))
print(sum(row["town"] == "*" for row in rows))'; }
big --weights town=1000 && heavy=$(loss)
big --weights town=0.001 && light=$(loss)
echo "$((heavy < light))"
lethe verify rel | tail -n 1
echo "--- refused"
refuse() { run lethe local t.csv --qi age,sex,town --sa disease "$@" -q -o no; }
refuse
refuse -k 1
refuse --theta 3/2
run lethe local t.csv --qi age,sex --distinct-l 2 -q -o no
for share in 1 1.5 -0.1 x; do refuse -k 2 --suppress $share; done
for weights in height=2 age=0 age=x age age=2,age=3 age=2000; do refuse -k 2 --weights $weights; done
refuse -k 2 --cost DM
refuse -k 2 --ranges age=value
refuse -k 2 --ranges sex=values
refuse -k 2 --ranges height=values
printf '%s\n' age,sex 21,m 22,f ?,m 23,f >missing.csv
run lethe local missing.csv --qi age,sex --ranges age=values -k 2 -q -o no
run lethe local missing.csv --qi age,sex --ranges age=values -k 2 --missing drop -q -o dropped && cat dropped/data.csv
for method in lplus incognito anneal; do run lethe $method t.csv --qi age,sex -k 2 --ranges age=values -q -o no; done
echo "--- nothing can be published"
refuse -k 9
refuse --theta 1/3
refuse --distinct-l 4
ls no 2>/dev/null
echo "--- forged"
# forge RELEASE PYTHON: a copy whose files are changed, with counts and digests to match; r: rows of data.csv, t: lines
# of taxonomy.tsv, m: the manifest.
forge() {
    rm -rf forged && cp -r "$1" forged && chmod -R u+w forged
    python3 - "$2" <<'END'
import hashlib, json, pathlib, sys
folder = pathlib.Path("forged")
m = json.loads((folder / "manifest.json").read_text())
head, *r = (folder / "data.csv").read_text().splitlines()
t = (folder / "taxonomy.tsv").read_text().splitlines()
exec(sys.argv[1])
(folder / "data.csv").write_text("\n".join([head, *sorted(r)]) + "\n")
(folder / "taxonomy.tsv").write_text("\n".join(t) + "\n")
m["counts"]["read"] = m["counts"]["read"] - m["counts"]["published"] + len(r)
m["counts"]["published"] = len(r)
m["verdict"]["checks"] = [{**c, "holds": True} for c in m["claims"]]
for f in m["files"]:
    data = (folder / f["name"]).read_bytes()
    f["bytes"], f["blake2b"] = len(data), hashlib.blake2b(data, digest_size=32).hexdigest()
(folder / "manifest.json").write_text(json.dumps(m))
END
    printf '%s\n' "$2" | tail -n 1
    lethe verify forged | grep -v 'holds$'
}
table --ranges age=values -k 2 -q
lethe lplus t.csv --qi age,sex,town --sa disease --hierarchies h --ranges age=5,10,20 -k 2 --seed 1 -q -o plus
forge rel 'pass'
forge rel 'r.pop()  # a row less in a group'
forge rel 'r[0] = "22" + r[0][2:]; t.insert(3, "age=22\tage=21-68\t1")  # a value of its own'
forge rel 'r = [x.replace("60-68", "60-69") for x in r]; t = [x.replace("60-68", "60-69") for x in t]  # out of the range of all'
forge rel 'r = [x.replace("60-68", "old") for x in r]; t = [x.replace("age=60-68", "age=old") for x in t]  # no range'
forge rel 'r[0] += " "  # one more value of a column about which nothing is claimed'
forge rel '[c.pop("groups") for c in m["claims"]]'
forge plus '[c.update(groups="overlap") for c in m["claims"]]'
forge rel 'm["metrics"]["loss"] = 0.0'
forge rel 'm["metrics"]["smallest_group"] = 3'
forge rel 'm["steps"][0]["parameters"]["weights"] = "height=2"'
forge rel 'm["steps"][0]["parameters"]["suppress"] = "1.5"'
forge rel 'x = m["metrics"]; x["loss"] = (x["loss"] * 24 + 6) / 30; x["cost"] += 6; m["counts"]["suppressed"] = x["rows_deleted"] = 2; m["counts"]["read"] += 2  # more than --suppress allows'
