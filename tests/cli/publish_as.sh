# SPDX-License-Identifier: Apache-2.0
# --publish-as ubi: beside data.tsv the same rows as documents of User Behavior Insights, which verify makes again.
. "$HERE/common.bash"
query() { printf '{"query_id": "%s", "client_id": "%s", "user_query": "%s", "timestamp": "%s"}\n' "$@"; }
event() { printf '{"action_name": "click", "query_id": "%s", "event_attributes": {"object": {"%s": "%s"}, "position": {"ordinal": %s}}}\n' "$@"; }
for i in 1 2 3; do
    query "secret$i" "client$i" 'say \"shoes\" \\ {' "2025-01-2${i}T07:31:52Z"
    event "secret$i" object_id SKU-1 1
    event "secret$i" url "http://shop.example.com/p?u=$i" 2
    event "secret$i" object_id SKU-2 null
    query "other$i" "client$i" hats "2025-01-2${i}T07:31:52Z"
done >shop.ndjson
lethe threshold --from ubi shop.ndjson -t 3 --publish-as ubi --keep-users -o rel 2>&1 | grep -E 'warning|promise'
sed 's/[a-z2-7]\{16\}/PSEUDONYM/' rel/ubi.ndjson
json rel/manifest.json '[f["name"] for f in j["files"]]'
run lethe verify rel
grep -rlE 'secret|other[0-9]|SKU' rel && echo 'an id of the input is published'

# Read back, it is the same log.
for how in '' '--urls id' '--urls keep' '--urls drop' '--time exact' '--time hour' '--time week' '--time month'; do
    rm -rf rel back
    quietly lethe threshold --from ubi shop.ndjson -t 3 --publish-as ubi --seed 1 $how -o rel
    quietly lethe verify rel
    quietly lethe threshold rel/ubi.ndjson -t 3 --keep-users --urls keep --clicks all --time exact -o back
    case $how in *exact*) cut=cat ;; *) cut='cut -f 1,2,4,5' ;; esac
    $cut rel/data.tsv | sort | cmp - <($cut back/data.tsv | sort) && echo "$how: read back the same"
    grep -o '"timestamp":"[^"]*"' rel/ubi.ndjson | sort -u | head -n 1
done
rm -rf rel
quietly lethe threshold --from ubi shop.ndjson -t 3 --publish-as ubi --time drop -o rel
quietly lethe verify rel
grep -c timestamp rel/ubi.ndjson
small_log >log.tsv
printf '1\tfoo\033bar "\\ caf\303\251\t2006-03-01 10:00:00\t\t\n\0021\tmaps\t2006-03-01 10:00:00\t7\t\n' >>log.tsv
for method in 'threshold -t 2' scrub 'split --by day' 'disconnect --min-urls none' 'microagg -k 2' 'scrub --then threshold -t 2'; do
    set -- $method
    rm -rf rel
    quietly lethe "$1" log.tsv "${@:2}" --publish-as ubi -o rel
    quietly lethe verify rel
    quietly lethe measure rel --original log.tsv
    echo "$method: $(($(wc -l <rel/data.tsv) - 1)) rows, $(grep -c user_query rel/ubi.ndjson) queries, $(grep -c action_name rel/ubi.ndjson) events"
    python3 -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' rel/ubi.ndjson
done
quietly lethe scrub log.tsv --keep-users --publish-as ubi --report -o page
grep -c 'ubi.ndjson' page/report.html
grep -h 'foo\|u0002' page/ubi.ndjson
for how in '--threads 1' '--threads 7 --memory 16M'; do
    for n in one two; do
        rm -rf $n
        quietly lethe threshold log.tsv -t 2 --publish-as ubi --seed 1 $how -o $n
    done
    cmp one/ubi.ndjson two/ubi.ndjson && cmp one/manifest.json two/manifest.json && echo "$how: the same"
done
quietly lethe redo one log.tsv --risk 100% -o again && ls again

echo '--- misuse'
run lethe scrub log.tsv --publish-as ubi -o -
run lethe seal log.tsv -t 2 --publish-as ubi -o no
run lethe threshold log.tsv -t 2 --as counts --publish-as ubi -o no
run lethe ssg log.tsv -k 2 --publish-as ubi -o no
run lethe scrub log.tsv --publish-as json -o no

echo '--- forged'
cat >forge.py <<'END'
import hashlib, json, os, shutil, sys
shutil.rmtree("bad", ignore_errors=True)
shutil.copytree("one", "bad")
m, f = json.load(open("bad/manifest.json")), {n: open("bad/" + n).read() for n in ("data.tsv", "ubi.ndjson")}
exec(sys.argv[1])
for n in f: open("bad/" + n, "w").write(f[n])
m["files"] = [{"name": n, "bytes": len(t.encode()), "blake2b": hashlib.blake2b(t.encode(), digest_size=32).hexdigest()} for n, t in f.items()]
open("bad/manifest.json", "w").write(json.dumps(m, indent=2) + "\n")
END
# forge PYTHON: the answer to the release, changed so.
forge() {
    python3 forge.py "$1"
    lethe verify bad >/dev/null 2>said
    echo "$1: $?"
    cat said
}
forge ''
forge 'f["ubi.ndjson"] += "\n"'
forge 'f["ubi.ndjson"] = f["ubi.ndjson"][:-1]'
forge 'f["ubi.ndjson"] = ""'
forge 'f["ubi.ndjson"] = f["ubi.ndjson"].replace("maps", "mapz", 1)'
forge 'f["ubi.ndjson"] = f["ubi.ndjson"].replace("2006-03-01", "2006-03-01T10", 1)'
forge 'f["ubi.ndjson"] = "\n".join(reversed(f["ubi.ndjson"].split("\n")))'
forge 'f["ubi.ndjson"] = f["ubi.ndjson"].replace("\"query_id\":\"1\"", "\"query_id\":\"2\"")'
forge 'f["data.tsv"] = "\n".join(f["data.tsv"].split("\n")[:-2]) + "\n"; m["counts"]["published"] -= 1; m["counts"]["suppressed"] += 1'
forge 'del f["ubi.ndjson"]; import os; os.remove("bad/ubi.ndjson")'
forge 'm["steps"][-1]["parameters"]["publish-as"] = "ubi"'
