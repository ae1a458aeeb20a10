# SPDX-License-Identifier: Apache-2.0
# User Behavior Insights: what was clicked may be no URL.  Its id is published keyed, counted like a URL, and checked.
. "$HERE/common.bash"

query() { printf '{"query_id": "%s", "client_id": "%s", "user_query": "%s", "timestamp": "%s"}\n' "$@"; }
# event ACTION ID FIELD OBJECT RANK
event() {
    printf '{"action_name": "%s", "query_id": "%s", "event_attributes": {"object": {"%s": "%s"}, "position": {"ordinal": %s}}}\n' "$@"
}
# Everybody clicks B1, a page of one shop, and an id that looks like a host; nobody else clicks what user 1 does.
for i in 1 2 3 4 5; do
    query "q$i" "u$i" shoes "2025-01-2${i}T07:31:52Z"
    event click "q$i" object_id B1 1
    event click "q$i" url "http://shop.example.com/p?u=$i" 2
    event click "q$i" object_id john.smith "$i"
    event click "q$i" object_id "0700$i$i$i$i" 6
    event click "q$i" url "/p/$i" 7
done >shop.ndjson
# shown RELEASE: how often each clicked value is published; identifiers are lettered.
shown() {
    tail -n +2 "$1/data.tsv" | cut -f 5 | sort | uniq -c | awk '{ print $1, $2 ~ /^[a-z2-7]+$/ && length($2) == 16 ? "(id)" : $2 == "" ? "(none)" : $2 }' | sort
}
# objects RELEASE: what its manifest says.
objects() { json "$1/manifest.json" '{k: j["steps"][-1]["parameters"].get(k) for k in ("urls", "objects")}, [c for c in j["caveats"] if "object" in c]'; }

for how in '' '--urls host' '--urls id' '--urls keep' '--urls drop'; do
    echo "--- threshold $how"
    rm -rf rel
    quietly lethe threshold --from ubi shop.ndjson -t 5 $how -o rel
    shown rel
    objects rel
    quietly lethe verify rel
    quietly lethe measure rel --from ubi --original shop.ndjson
    quietly lethe attack rel --from ubi --original shop.ndjson
done
echo '--- all clicks'
quietly lethe threshold --from ubi shop.ndjson -t 5 --clicks all -o all --seed 1
shown all
echo '--- no object is left: the manifest speaks of none'
grep -v object_id shop.ndjson | grep -v '"/p' >pages.ndjson
quietly lethe threshold --from ubi pages.ndjson -t 5 -o pages
shown pages
objects pages

# scrub leaves ids alone, whatever they look like, unless they are published as they are.
for how in '' '--urls keep'; do
    echo "--- scrub $how"
    rm -rf rel
    quietly lethe scrub --from ubi shop.ndjson $how -o rel
    shown rel
    json rel/manifest.json '{k: j["metrics"][k] for k in ("urls_cut", "urls_dropped")}'
    quietly lethe verify rel
done
echo '--- scrub, then threshold'
quietly lethe scrub --from ubi shop.ndjson --then threshold -t 5 -o chain
shown chain
for method in 'split --by interest' 'split --by day' 'disconnect --urls host' 'disconnect --min-urls none'; do
    echo "--- $method"
    rm -rf rel
    quietly lethe $method --from ubi shop.ndjson -o rel
    shown rel | awk '{ print $2 }' | sort | uniq -c | awk '{ print $1, $2 }'
    quietly lethe verify rel
done
echo '--- with one key, an object has one identifier'
head -c 32 /dev/zero >key
chmod 600 key
quietly lethe threshold --from ubi shop.ndjson -t 5 --key-file key -o one
quietly lethe threshold --from ubi shop.ndjson -t 5 --key-file key --urls id -o two
cut -f 5 one/data.tsv | grep -x '[a-z2-7]\{16\}' | sort -u >ids
[ -s ids ] && cut -f 5 two/data.tsv | sort -u | grep -Fxf ids | cmp - ids && echo same
for how in '--threads 1' '--threads 7 --memory 16M'; do
    rm -rf two
    quietly lethe threshold --from ubi shop.ndjson -t 5 --key-file key $how -o two
    cmp one/data.tsv two/data.tsv && cmp one/manifest.json two/manifest.json && echo "$how: the same"
done

# What a forger may not say.  The manifest and its digests are made anew.
cat >forge.py <<'END'
import hashlib, json, os, shutil, sys
m, data = json.load(open("all/manifest.json")), open("all/data.tsv").read()
p = m["steps"][-1]["parameters"]
exec(sys.argv[1])
shutil.rmtree("bad", ignore_errors=True)
os.mkdir("bad")
head, *lines = data.splitlines()
data = "\n".join([head] + sorted(lines)) + "\n"
open("bad/data.tsv", "w").write(data)
m["files"] = [{"name": "data.tsv", "bytes": len(data), "blake2b": hashlib.blake2b(data.encode(), digest_size=32).hexdigest()}]
open("bad/manifest.json", "w").write(json.dumps(m, indent=2) + "\n")
END
# forge NAME PYTHON: the answer to the release all, changed so.
forge() {
    echo "--- $1"
    python3 forge.py "$2"
    lethe verify bad 2>&1 >/dev/null
    echo "= $?"
}
caveat='m["caveats"] = [c for c in m["caveats"] if "objects" not in c]'
forge 'nothing changed' ''
forge 'an id as it was' 'import re; data = re.sub("\t[a-z2-7]{16}\n", "\tB1\n", data)'
forge 'an id as it was, in lower case' 'import re; data = re.sub("\t[a-z2-7]{16}\n", "\tb1\n", data)'
forge 'a URL' 'data = data.replace("shop.example.com", "http://shop.example.com/p?u=1")'
forge 'objects are not spoken of' "del p['objects']; $caveat"
forge 'objects of another form' 'p["objects"] = "keep"'
forge 'objects beside identifiers of URLs' 'p["urls"] = "id"'
forge 'objects, and no clicks' 'p["urls"] = "drop"'
forge 'no caveat' "$caveat"
