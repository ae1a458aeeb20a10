# SPDX-License-Identifier: Apache-2.0
# --keep: further columns of a log are published, each value only where enough persons have it.
. "$HERE/common.bash"
# 12 users: 8 with a phone, 3 with a tablet, 1 with a console; 6 of de, 5 of at, 1 without a country.
rows() {
    for u in 01 02 03 04 05 06 07 08 09 10 11 12; do
        case $u in 12) device=console ;; 0[1-8]) device=phone ;; *) device=tablet ;; esac
        case $u in 12) country= ;; 0[1-6]) country=de ;; *) country=at ;; esac
        printf '%s\n' "u$u|maps|2006-03-0$((10#$u % 9 + 1)) 10:00:00|1|http://www.maps.com/a|  $device|$country" \
            "u$u|news|2006-03-02 11:00:$u||| $device |$country"
    done
    echo "u01|ann lee|2006-03-05 10:00:00|||tablet|$(printf 'caf\303\251')"
}
header='AnonID|Query|QueryTime|ItemRank|ClickURL|device|country'
(echo "$header"; rows) | tr '|' '\t' >log.tsv
rows | tr '|' '\t' >bare.tsv
(echo 'user,query,time,rank,url,Device,country'; rows | tr '|' ',') >log.csv
python3 - <<'END'
import json
names = "user query time rank url device country".split()
with open("log.jsonl", "w") as f:
    for line in open("bare.tsv"):
        row = {name: value for name, value in zip(names, line.rstrip("\n").split("\t")) if value}
        print(json.dumps(row), file=f)
END
values() { tail -n +2 "$1/data.tsv" | cut -f "$2" | sort | uniq -c | tr '\t' '|'; }

echo '--- values of five persons and more'
run lethe threshold log.tsv -t 2 --keep device,country -o release --seed 1
run lethe verify release
head -n 3 release/data.tsv
values release 6,7
json release/manifest.json 'j["claims"][1], {k: v for k, v in j["steps"][0]["parameters"].items() if k.startswith("keep")}'
lethe verify --caveats release | grep keep:
for file in log.csv log.jsonl; do
    rm -rf same
    quietly lethe threshold $file -t 2 --keep device,country -o same --seed 1 && cmp release/data.tsv same/data.tsv
done
quietly lethe threshold bare.tsv -t 2 --keep 6,7 -o numbers --seed 1
head -n 1 numbers/data.tsv
diff <(tail -n +2 release/data.tsv) <(tail -n +2 numbers/data.tsv) && quietly lethe verify numbers
quietly lethe scrub log.tsv --keep country,device -o order --seed 1 && head -n 1 order/data.tsv

echo '--- how many are enough'
for how in '-t 2 --keep-min 3' '-t 6' '-t 6 --keep-min 5' '-t 6 --by rows'; do
    rm -rf some
    quietly lethe threshold log.tsv $how --keep device -o some
    echo "$how: $(json some/manifest.json 'j["claims"][1]["t"], j["metrics"]["kept_values"], j["metrics"]["kept_values_dropped"], j["metrics"]["kept_rows_changed"]')"
    values some 6
done
run lethe scrub log.tsv --keep country --keep-min 1 -o one 2>&1 | grep -v 'note:\|--keep:'
quietly lethe scrub log.tsv --keep country --keep-min 20 -o none
values none 6

echo '--- persons, not personas; and every step'
quietly lethe split log.tsv --by query --keep device,country --keep-min 4 -o personas
values personas 6,7
quietly lethe verify personas
quietly lethe split log.tsv --by query --then threshold -t 2 --clicks all --keep device --then scrub -o chain
values chain 6
run lethe verify chain
sed 's/phone/call 212-555-0187/; s/\tde$/\tjoe%2540example.org/' log.tsv >found.tsv
quietly lethe scrub found.tsv --keep device,country -o found
values found 6,7
json found/manifest.json 'j["metrics"]'
quietly lethe verify found

echo '--- what reads a release'
quietly lethe measure release --original log.tsv
quietly lethe attack release --original log.tsv --seed 1
quietly lethe report release -o page.html
grep -c 'Rare values of further columns are left out' page.html
run lethe redo release log.csv --risk 100% -o again --seed 1 -q
diff release/data.tsv again/data.tsv && json again/manifest.json '[s["parameters"]["keep"] for s in j["steps"]]'
quietly lethe redo numbers bare.tsv --risk 100% -o again2 --seed 1 && cmp numbers/data.tsv again2/data.tsv
quietly lethe threshold log.tsv -t 2 --time drop --keep device -o untimed
quietly lethe scrub untimed/data.tsv --keep device -o read-again && values read-again 6
lethe scrub log.tsv --keep device,country --seed 1 -o - 2>/dev/null | head -n 2

echo '--- the same bytes'
(tr '|' '\t' <<<"$header"; big_log 40000 | awk -F '\t' -v OFS='\t' '{ print $0, "d" ($1 * $1 % 300), "c" (NR * 7 % 5000) }') >big.tsv
for how in '--threads 1' '--threads 2' '--threads 7 --memory 16M' '--threads 2 --memory 16M'; do
    for chain in 'threshold -t 2' 'scrub --then split --by day --then threshold -t 3'; do
        set -- $chain
        rm -rf now
        quietly lethe "$1" big.tsv --seed 1 --keep device,country $how -o now "${@:2}"
        digest=$(cat now/data.tsv now/manifest.json | b2sum | cut -c 1-16)
        echo "$digest $chain" >>digests
        quietly lethe verify now $how
    done
done
sort -u digests | wc -l

echo '--- misuse'
no() { run lethe "$@" -o no -q 2>&1 | grep -v note:; }
no scrub log.tsv --keep Devise
no scrub log.jsonl --keep Devise
no scrub log.tsv log.csv bare.tsv --keep device
no scrub bare.tsv --keep 8
no scrub bare.tsv --keep 0
no scrub log.jsonl --keep 6
no scrub log.tsv --keep device,device
no scrub log.tsv --keep device,6
no scrub log.tsv --keep device,
no scrub log.tsv --keep query
no scrub log.csv --keep url
no scrub bare.tsv --keep 1
no scrub log.jsonl --keep url
no scrub log.tsv --keep "$(printf 'de\tvice')"
no scrub log.tsv --keep "$(seq -s , 1 17)"
no scrub log.tsv --keep-min 3
no scrub log.tsv --keep device --keep-min 0
no scrub log.tsv --keep device --publish-as ubi
no scrub log.tsv --keep device --from ubi
no seal log.tsv -t 2 --keep device
no scrub log.tsv --keep device --then disconnect
no disconnect log.tsv --then scrub --keep device
no threshold log.tsv --keep device --as counts
no scrub log.tsv --keep device --then clump -k 2
printf '{"client_id": "a", "query_id": "1", "user_query": "x", "timestamp": "2025-01-21T07:31:52Z"}\n' >shop.ndjson
no scrub shop.ndjson --from ubi --keep user_agent

echo '--- odd values'
for value in '5' '2.50' 'true' 'null' '"a\tb"' '"a\u0000b"' '{"a": 1}' '" x  y "' '"\u00e9"'; do
    printf '{"user": "u1", "query": "maps", "time": "2006-03-01 10:00:00", "device": %s}\n' '"d"' "$value" >odd.jsonl
    rm -rf odd
    echo "$value: $(lethe scrub odd.jsonl --keep device --keep-min 1 -o odd -q 2>&1 | grep odd.jsonl | head -n 1)"
    values odd 6
done
(bare() { printf 'u%d\tmaps\t2006-03-01 10:00:00\t\t\t%b\n' $1 "$2"; }; bare 1 'a\0rb' | tr '\0' '\r'
    for i in $(seq 20); do bare $i '\303\251'; done; bare 21 'x\377'; printf 'u22\tmaps\t2006-03-01 10:00:00\n') >odd.tsv
rm -rf odd
run lethe scrub odd.tsv --encoding utf-8 --keep 6 --keep-min 1 -o odd 2>&1 | grep 'odd.tsv\|row'
values odd 6
holds again again.map.tsv again2 again2.map.tsv bare.tsv big.tsv chain digests found found.tsv log.csv log.jsonl log.tsv none now numbers odd odd.jsonl odd.tsv one \
    order page.html personas read-again release same shop.ndjson some untimed

echo '--- forged'
cat >forge.py <<'END'
import hashlib, json, shutil, sys
shutil.rmtree("bad", ignore_errors=True)
shutil.copytree(sys.argv[2] if len(sys.argv) > 2 else "release", "bad")
m, text = json.load(open("bad/manifest.json")), open("bad/data.tsv").read()
p = m["steps"][0]["parameters"]
head, *rows = text.split("\n")[:-1]
rows = [row.split("\t") for row in rows]
exec(sys.argv[1])
text = head + "\n" + "".join("\t".join(row) + "\n" for row in sorted(rows, key=lambda row: "\t".join(row).encode()))
open("bad/data.tsv", "w").write(text)
m["files"] = [{"name": "data.tsv", "bytes": len(text.encode()), "blake2b": hashlib.blake2b(text.encode(), digest_size=32).hexdigest()}]
open("bad/manifest.json", "w").write(json.dumps(m, indent=2) + "\n")
END
# forge PYTHON: the answer to the release, changed so.
forge() {
    python3 forge.py "$@"
    lethe verify bad >/dev/null 2>said
    echo "$1: $?"
    cat said
    lethe verify --json bad 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["metrics"].get("counterexample"))'
}
forge ''
forge 'rows[0][5] = "console"'
forge 'rows[0][5] = "console"; m["metrics"]["kept_values"] += 1'
forge 'for row in rows: row[6] = ""'
forge 'for row in rows: row[6] = row[6] and row[6] + " "'
forge 'for row in rows: row.append("")'
forge 'head = head.replace("country", "land")'
forge 'head = head.replace("\tcountry", ""); rows = [row[:6] for row in rows]'
forge 'head = head.replace("\tcountry", ""); rows = [row[:6] for row in rows]; p["keep"] = ["device"]'
forge 'del p["keep"], p["keep-min"]'
forge 'del p["keep-min"]'
forge 'p["keep"] = "device,country"'
forge 'p["keep"] = ["device", "device"]'
forge 'p["keep"] = ["device", "ClickURL"]'
forge 'p["keep"] = []'
forge 'p["keep-min"] = 0'
forge 'del m["claims"][1], m["verdict"]["checks"][1]'
forge 'm["claims"][1]["t"] = m["verdict"]["checks"][1]["t"] = 2'
forge 'm["claims"][1]["columns"] = m["verdict"]["checks"][1]["columns"] = ["device"]'
forge 'p["keep-min"] = m["claims"][1]["t"] = m["verdict"]["checks"][1]["t"] = 1'
forge 'p["keep-min"] = m["claims"][1]["t"] = m["verdict"]["checks"][1]["t"] = 7'
forge 'm["caveats"] = [c for c in m["caveats"] if "combination" not in c]'
forge 'del m["metrics"]["kept_values_dropped"]'
forge 'm["metrics"]["kept_values"] = 99'
forge 'm["metrics"]["kept_rows_changed"] = 0'
forge 'm["metrics"]["values_dropped"] = 0'
# A method that keeps no columns, with everything that follows from them.
quietly lethe disconnect bare.tsv --columns user=1,query=2,time=3,rank=4,url=5 --min-urls none -o apart --seed 1
cat >also.py <<'END'
p["keep"], p["keep-min"], head = ["who"], 2, head + "\twho"
for row in rows: row.append("")
claim = {"notion": "value-threshold", "columns": ["who"], "t": 2}
m["claims"].append(claim); m["verdict"]["checks"].append({**claim, "holds": True})
m["metrics"].update(kept_values=0, kept_values_dropped=0, kept_rows_changed=0)
m["caveats"] += [c for c in json.load(open("release/manifest.json"))["caveats"] if c.startswith("--keep")]
END
forge 'exec(open("also.py").read())' apart
