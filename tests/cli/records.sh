# SPDX-License-Identifier: Apache-2.0
# Records in, records out: a FIMI file with a taxonomy, a log made records, what is refused.
. "$HERE/common.bash"
printf '%s\t%s\n' 11 dairy 12 dairy 13 dairy 21 fruit 22 fruit 23 fruit dairy food fruit food >tax.tsv
printf '%s \n' '11 21' '12 21' '11 22' '13 23 11' '21 22 23' '11 12' >fimi.dat
# published FOLDER: how often each record is there, and the taxonomy.
published() { uniq -c <"$1/data.txt" | sed 's/^ *//' && tr '\t' ' ' <"$1/taxonomy.tsv"; }
figures='{k: round(v, 4) for k, v in j["metrics"].items()}'
for method in clump partition; do
    run lethe $method fimi.dat -k 2 --taxonomy tax.tsv -q --map $method.map -o $method
    published $method
    json $method/manifest.json "$figures"
    json $method/manifest.json 'j["steps"][0]["parameters"], j["claims"], [f["name"] for f in j["files"]]'
    accounts $method/manifest.json
    run lethe verify $method
    run lethe measure $method --original fimi.dat --taxonomy tax.tsv --map $method.map | grep -e 'true of' -e untrue
    lethe attack $method --original fimi.dat --taxonomy tax.tsv --json >report
    json report 'sorted(j["metrics"])'
done
# Lines are sorted, the map leads back, and nobody else reads it.
LC_ALL=C sort -c partition/data.txt && stat -c %a partition.map
while IFS=$'\t' read -r line place; do echo "$(sed -n "${line}p" fimi.dat)-> $(sed -n "${place}p" partition/data.txt)"; done < <(map_lines partition.map partition)
run lethe partition fimi.dat -k 2 --taxonomy tax.tsv 2>&1 -o partition
run lethe partition fimi.dat -k 3 --taxonomy tax.tsv -q --force -o partition && published partition
run lethe clump fimi.dat -k 2 --taxonomy tax.tsv --map clump/map -q --force -o clump
run lethe clump fimi.dat -k 2 --taxonomy tax.tsv --map tax.tsv --force -q -o new
# The same bytes for any threads, memory, compression and number of files, and through pipes.
awk 'BEGIN { s = 1; for (i = 0; i < 12000; i++) { s = (s * 69069 + 1) % 16777216; printf "p%d\t%d %d\n", int(s / 64) % 3600, 11 + int(s / 1024) % 3, 21 + int(s / 4096) % 3 } }' >big.dat
bytes() { lethe clump "$@" -k 7 --seed 1 --taxonomy tax.tsv -q -o - 2>/dev/null | md5sum; }
gzip -k big.dat && head -n 4000 big.dat >one.dat && tail -n +4001 big.dat >two.dat
{ bytes big.dat --threads 1; bytes big.dat --threads 2; bytes big.dat --threads 7; bytes big.dat --memory 16M
    bytes big.dat.gz; bytes one.dat two.dat; bytes - --from records <big.dat; bytes <(cat big.dat) --from records; } | uniq | wc -l
run lethe clump <(cat big.dat) -k 7 --taxonomy tax.tsv -q -o - 2>&1 | sed 's|/dev/fd/[0-9]*|PIPE|' | tail -n 2
# Persons, not records, are counted; one may own most of them.
printf '%s\t%s\n' ann 11 ann 11 ann 12 bob 21 cid 11 >own.txt
run lethe clump own.txt -k 3 --taxonomy tax.tsv -q -o own && published own
run lethe clump own.txt -k 4 --taxonomy tax.tsv -q -o none
run lethe clump own.txt -k 4 --taxonomy tax.tsv --persons record -q -o byrecord && published byrecord
json byrecord/manifest.json 'j["claims"], [c for c in j["caveats"] if c.startswith("k counts records")]'
# Lines that do not parse, items that are unknown, inner nodes, empty records.
{ printf '11 21\n\n11  21\nnowhere 11\n'; yes '11 21' | head -n 20; } >odd.txt
run lethe partition odd.txt -k 2 --taxonomy tax.tsv -q -o odd
accounts odd/manifest.json
json odd/manifest.json 'j["counts"], j["metrics"]["records"], j["metrics"]["unknown_items"]'
run lethe partition odd.txt -k 2 --taxonomy tax.tsv -q --strict-input -o none
sed -i 3d odd.txt
run lethe partition odd.txt -k 2 --taxonomy tax.tsv -q --strict-input -o none
printf 'dairy\ndairy\n11\n' >inner.txt
run lethe clump inner.txt -k 3 --taxonomy tax.tsv -q -o inner && published inner
json inner/manifest.json '[c for c in j["caveats"] if "leaves of their own" in c]'
printf 'a\nb\n\n' >unknown.txt
run lethe clump unknown.txt -k 2 --taxonomy tax.tsv -q -o none
# Names in the order of their bytes, whatever they hold.
printf 'a\tr\na b\tr\na\x01\tr\na!\tr\n\xc3\xa9\tr\n' >names.tsv
for i in 1 2; do printf 'a a!\na a\x01\na_b\na\na\x01\n\xc3\xa9 a\n'; done >names.txt
run lethe clump names.txt -k 2 --taxonomy names.tsv -q -o names && cat -v names/data.txt | uniq
run lethe verify names
# Taxonomies that are none.
printf '11;dairy;food\n12;dairy;food\n13;dairy;food\n21;fruit;food\n22;fruit;food\n23;fruit;food\n' >arx.csv
lethe clump fimi.dat -k 2 --taxonomy arx.csv -q -o arx && diff -r clump arx && echo same
printf 'a\tb\nb\ta\n' >cycle.tsv
printf 'a\tb\nc\td\n' >forest.tsv
: >empty
for taxonomy in cycle.tsv forest.tsv empty . missing; do run lethe clump fimi.dat -k 2 --taxonomy $taxonomy -q -o none; done
run lethe clump fimi.dat -k 2 -q -o none
# Usage.
run lethe clump fimi.dat --gap 1h -k 2 --taxonomy tax.tsv -q -o none
run lethe clump fimi.dat --from records --users-with 1-5 -k 2 --taxonomy tax.tsv -q -o none
run lethe clump fimi.dat -k 2 --taxonomy tax.tsv --time day -o none
run lethe clump fimi.dat -k 2 --taxonomy tax.tsv --json -o -
run lethe scrub fimi.dat --from records -o none
run lethe scrub fimi.dat --from records -o -
run lethe clump empty -k 2 --taxonomy tax.tsv -o none
run lethe clump fimi.dat -k 2 --taxonomy tax.tsv --then threshold -o none
# A log: its lines are accounted for, however it becomes records.
{ small_log && printf '9\t\t2006-03-01 10:00:00\nnonsense\n7\t...\t2006-03-01 10:00:00\n'; } >log.tsv
printf '%s\tall\n' maps news weather ann lee >words.tsv
for options in '' '--gap 1h' '--gap 0s' '--clicked' '--distinct' '--gap 1d --clicked --distinct' '--users-with 1-1' '--persons record --gap 1h'; do
    run lethe partition log.tsv -k 2 --taxonomy words.tsv $options -q -o log$((++n)) || continue
    accounts log$n/manifest.json
    json log$n/manifest.json '[*j["counts"].values(), j["metrics"]["records"]]'
    quietly lethe verify log$n
done
run lethe partition log.tsv -k 2 --taxonomy words.tsv --map log.map -q -o mapped
map_lines log.map mapped | cut -f 1 | tr '\n' ' ' && lethe measure mapped --original log.tsv --taxonomy words.tsv --map log.map -q 2>/dev/null | grep 'true of'
run lethe measure mapped --original fimi.dat --taxonomy words.tsv
run lethe measure mapped --original log.tsv -q
run lethe threshold log.tsv -t 2 --then partition -k 2 --taxonomy words.tsv -o behind-threshold
run lethe split log.tsv --by day --then partition -k 2 --taxonomy words.tsv -q -o behind-split
# Without a release nothing is promised: the steps before are free to ask for more than k.
run lethe threshold log.tsv -t 5 --then partition -k 2 --taxonomy words.tsv -q -o - 2>/dev/null
run lethe threshold log.tsv -t 2 --then split --by day --then seal -t 2 -q -o - 2>/dev/null | tail -n +3 | wc -l
run lethe clump none.txt -k 2 --taxonomy tax.tsv -o none
ls none 2>&1
# Forged with all digests as they should be: 1 in every case.
cat >forge.py <<'P'
import hashlib, json, os, shutil, subprocess
def forged(name, base, change):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(base, "bad")
    m = json.load(open("bad/manifest.json"))
    m = change(m) or m
    for f in m["files"]:
        data = open("bad/" + f["name"], "rb").read()
        f.update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
    json.dump(m, open("bad/manifest.json", "w"), indent=2)
    r = subprocess.run(["lethe", "verify", "bad", "--json"], capture_output=True, text=True)
    print(f"{name}: {r.returncode}", json.loads(r.stdout)["metrics"].get("counterexample") if r.returncode else "")
def of(base): return json.load(open(base + "/manifest.json"))
def add(name, text, mode="a"): open("bad/" + name, mode).write(text)
def name(m, file):
    add(file, "x\n")
    m["files"].append({"name": file})
forged("nothing", "clump", lambda m: None)
forged("no claim", "clump", lambda m: m["claims"].clear())
forged("lower k", "clump", lambda m: m["claims"][0].update(k=1))
forged("higher k", "clump", lambda m: (m["claims"][0].update(k=3), m["steps"][0]["parameters"].update(k=3)) and None)
forged("neither claims nor steps", "clump", lambda m: (m["claims"].clear(), m["steps"].clear()) and None)
forged("steps twice", "clump", lambda m: (m["claims"].append(m["claims"][0]), m["steps"].append(m["steps"][0])) and None)
forged("caveat", "byrecord", lambda m: m["caveats"].remove([c for c in m["caveats"] if c.startswith("k counts records")][0]))
forged("verdict", "clump", lambda m: m["verdict"]["checks"].clear())
forged("a line more", "clump", lambda m: add("data.txt", "zebra\n"))
forged("a line more, counted", "clump", lambda m: (add("data.txt", "zebra\n"), m["metrics"].update(records=7), m["counts"].update(read=7, published=7)) and None)
forged("records", "clump", lambda m: m["metrics"].update(records=5))
forged("published", "clump", lambda m: m["counts"].update(read=7, published=7))
forged("published of a log", "log1", lambda m: m["counts"].update(published=1, suppressed=m["counts"]["suppressed"] + m["counts"]["published"] - 1))
forged("taxonomy: another", "clump", lambda m: add("taxonomy.tsv", "food\t\t6\n11\tfood\t1\n", "w"))
forged("taxonomy: more", "clump", lambda m: add("taxonomy.tsv", "zebra\tfood\t1\n"))
forged("taxonomy: none", "clump", lambda m: (os.remove("bad/taxonomy.tsv"), m["files"].pop()) and None)
forged("a stranger", "clump", lambda m: add("notes", "x\n"))
forged("sensitive.txt", "clump", lambda m: name(m, "sensitive.txt"))
forged("report.html", "clump", lambda m: name(m, "report.html"))
forged("users", "clump", lambda m: m["steps"][0]["parameters"].update({"keep-users": True}))
subprocess.run("lethe threshold log.tsv -t 2 -q -o thr; lethe seal log.tsv -t 2 -q -o sea", shell=True, stderr=subprocess.DEVNULL)
forged("records said to be a log", "clump", lambda m: (os.rename("bad/data.txt", "bad/data.tsv"), os.remove("bad/taxonomy.tsv"), of("thr"))[2])
forged("a log said to be records", "thr", lambda m: (os.rename("bad/data.tsv", "bad/data.txt"), shutil.copy("clump/taxonomy.tsv", "bad"), of("clump"))[2])
forged("a log said to be sealed", "thr", lambda m: of("sea"))
forged("a sealed log said to be open", "sea", lambda m: of("thr"))
forged("figures of a sealed log", "sea", lambda m: m["metrics"].update(openable=0))
P
python3 forge.py
# A full disk: 4, and nothing is left.
mkdir full && cd full
( ulimit -f 40; run lethe clump ../big.dat -k 7 --taxonomy ../tax.tsv -q --map map -o rel ) 2>&1
ls -A && ls -A "$TMPDIR"
