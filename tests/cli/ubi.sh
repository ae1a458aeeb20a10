# SPDX-License-Identifier: Apache-2.0
# User Behavior Insights: queries and clicks are joined, and nothing is lost unnamed.
. "$HERE/common.bash"

# action INDEX; query ID CLIENT TEXT TIME; event ACTION ID CLIENT OBJECT RANK: lines of a bulk file.
action() { printf '{"index": {"_index": "%s", "_id": "1"}}\n' "$1"; }
query() {
    action ubi_queries
    printf '{"application": "shop", "query_id": "%s", "client_id": "%s", "user_query": "%s", "query_attributes": {}, "timestamp": "%s"}\n' "$@"
}
event() {
    action ubi_events
    printf '{"action_name": "%s", "query_id": "%s", "client_id": "%s", "timestamp": "2025-02-01T00:00:00Z", "message_type": null, "event_attributes": {"object": {"object_id": "%s", "object_id_field": "sku"}, "position": {"ordinal": %s}}}\n' "$@"
}
shop() {
    query q1 ann 'Red Shoes' 2025-01-24T07:31:52.102+0000
    event impression q1 ann B1 1
    event click q1 ann B1 1
    event click q1 ann http://shop.example.com/b2 2
    query q2 bob 'red  shoes' 2025-01-24T08:00:00Z
    query q2 bob 'red shoes' 2025-01-24T08:00:00.250Z
    query q3 cat 'RED SHOES' 1737709200000
    event click_through q3 cat B3 null
    event add_to_cart q3 cat B3 1
    query q4 cat '' 2025-01-24T09:05:00Z
    event click q4 cat B4 1
    for i in 1 2 3 4 5 6 7 8 9 10 11; do
        query "h$i" "u$i" hat "2025-01-25T10:00:$((i + 10))Z"
    done
}
shop >shop.ndjson
lethe threshold shop.ndjson -t 3 --clicks all --keep-users --time exact --urls keep -o rel 2>&1 | grep note
cat rel/data.tsv
accounts rel/manifest.json
quietly lethe verify rel
quietly lethe threshold shop.ndjson -t 3 --clicks all --urls id --seed 1 -o ids
sed -n '/red shoes/s/[a-z2-7]\{16\}/pseudonym/gp' ids/data.tsv
lethe profile shop.ndjson --json 2>said >report
cat said
json report '{k: j["metrics"][k] for k in ("rows", "rejected", "empty", "users", "queries", "distinct_queries", "clicks", "urls")}'

# same NAME ARGUMENT...: the release of these arguments has the bytes of the first one.
same() {
    local name=$1
    shift
    lethe threshold -q -t 3 --clicks all --keep-users --time exact --urls keep -o "rel $name" "$@" >said 2>&1 ||
        echo "$name: failed: $(cat said)"
    cmp -s rel/data.tsv "rel $name/data.tsv" && echo "$name: the same" || diff rel/data.tsv "rel $name/data.tsv"
}
grep -v '^{"index"' shop.ndjson >plain.ndjson
grep user_query plain.ndjson >queries.ndjson
grep -v user_query plain.ndjson >events.ndjson
same 'without actions' --from ubi plain.ndjson
same 'two files' --from ubi queries.ndjson events.ndjson
same 'events first' --from ubi events.ndjson queries.ndjson
same 'from the end' --from ubi <(tac plain.ndjson)
same 'standard input' - <shop.ndjson
same 'gzip and a pipe' --from ubi <(gzip -c events.ndjson) - < <(cat queries.ndjson)
same 'CRLF' <(sed 's/$/\r/' shop.ndjson)
same 'little memory' shop.ndjson --memory 16M --threads 7
for range in 1 0; do
    rm -rf some
    quietly lethe threshold shop.ndjson -t 1 --clicks all --keep-users --users-with $range -o some
    echo "$range: $(tail -n +2 some/data.tsv | cut -f 1 | sort | uniq -c | awk '{ printf "%s %s; ", $2, $1 }')"
    accounts some/manifest.json
done

# Cut in the middle of a document, of an action, and between both.
size=$(stat -c %s shop.ndjson)
for less in 40 165 1 210; do
    head -c $((size - less)) shop.ndjson >cut.ndjson
    rm -rf rel2
    quietly lethe threshold cut.ndjson -t 3 --clicks all -o rel2
    accounts rel2/manifest.json
    lethe profile cut.ndjson 2>&1 >/dev/null | grep warning
done
head -n -1 shop.ndjson >half.ndjson
lethe profile half.ndjson 2>&1 >/dev/null | grep warning
run lethe threshold cut.ndjson -t 3 --clicks all --strict-input -o rel3

# What cannot be joined.
{ shop; event click lost ann B1 1; } >lost.ndjson
lethe profile lost.ndjson 2>&1 >/dev/null | grep warning
lethe profile -v lost.ndjson 2>&1 >/dev/null | grep -c lost$
run lethe threshold lost.ndjson -t 3 --clicks all --strict-input -o rel3
{ query q1 ann shoes 2025-01-24T07:31:52Z; shop; } >other.ndjson
lethe profile other.ndjson 2>&1 >/dev/null | grep warning
{ shop; event click q2 eve B1 1; } >eve.ndjson
lethe profile eve.ndjson 2>&1 >/dev/null | grep warning
{ shop; echo '{"delete": {"_index": "ubi_queries", "_id": "1"}}'; } >deleted.ndjson
lethe profile deleted.ndjson 2>&1 >/dev/null | grep warning

# No such file, bad usage.
small_log >log.tsv
echo '{"user": "ann", "query": "shoes", "time": 0}' >log.jsonl
: >empty
event impression q1 ann B1 1 >impressions.ndjson
run lethe profile --from ubi log.tsv -q
run lethe profile --from ubi log.jsonl
run lethe profile --from ubi empty
run lethe profile --from ubi shop.ndjson empty
run lethe profile impressions.ndjson
run lethe profile log.tsv shop.ndjson
run lethe profile --from ubi --columns user=client_id,query=user_query shop.ndjson
run lethe profile log.jsonl -q >/dev/null
