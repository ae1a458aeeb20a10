# SPDX-License-Identifier: Apache-2.0
# --actions: which events of User Behavior Insights count as clicks, and what is said of the others.
. "$HERE/common.bash"

query() { printf '{"query_id": "%s", "client_id": "%s", "user_query": "%s", "timestamp": "%s"}\n' "$@"; }
# event ACTION ID CLIENT OBJECT RANK
event() {
    printf '{"action_name": "%s", "query_id": "%s", "client_id": "%s", "event_attributes": {"object": {"object_id": "%s"}, "position": {"ordinal": %s}}}\n' "$@"
}
{
    query q1 ann shoes 2025-01-24T07:31:52Z
    event impression q1 ann B1 1
    event product_Impressions q1 ann B2 2
    event purchase q1 ann B1 null
    event click q1 ann B1 3
    event add_to_cart q1 ann B1 2
    event add_to_cart q1 ann B2 4
    event click q1 ann B1 3
    query q2 bob shoes 2025-01-24T07:31:52Z
    event item_hover q2 bob B1 1
    event purchase gone bob B1 1          # bought without a search
    event purchase q2 eve B1 1            # by somebody else
    echo '{"action_name": "search", "query_id": "q2"}'
    echo '{"action_name": "page_exit", "event_attributes": {"object": {"object_id": "B1"}}}'
    printf '{"action_name": "%s", "query_id": "q2"}\n' 'call 212-555-0187' "$(printf '%050d' 0)" ''
} | sed 's/ *#.*//' >shop.ndjson

# shown ARGUMENT...: the rows, and what is said.
shown() {
    echo "--- $*"
    rm -rf rel
    lethe threshold --from ubi shop.ndjson -t 1 --clicks all --keep-users --urls keep "$@" -o rel 2>said
    echo "= $?"
    grep -v 'promises nothing' said | grep -E '^lethe: '
    [ ! -d rel ] || {
        tail -n +2 rel/data.tsv
        accounts rel/manifest.json
        json rel/manifest.json 'j["steps"][0]["parameters"].get("actions")'
        quietly lethe verify rel
    }
}
shown
shown --actions click
shown --actions add_to_cart
shown --actions 'click, purchase'
shown --actions impression
shown --actions click,clack
shown --actions clack,Click
shown --actions item_hover --strict-input
shown --actions 'call 212-555-0187'

echo '--- misuse'
run lethe profile --from ubi --actions '' shop.ndjson
run lethe profile --from ubi --actions click, shop.ndjson
run lethe profile --from ubi --actions click,click shop.ndjson
run lethe profile --from ubi --actions "$(seq -s, 17)" shop.ndjson
small_log >log.tsv
run lethe profile --actions click log.tsv
run lethe profile --from aol --actions click log.tsv
printf 'age,ill\n1,flu\n' >table.csv
run lethe profile --actions click --qi age table.csv
grep user_query shop.ndjson >queries.ndjson
run lethe profile --from ubi --actions click queries.ndjson 2>&1 | grep lethe:

echo '--- more actions than are listed: the same for any number of threads'
{
    cat shop.ndjson
    for i in $(seq 100 999); do printf '{"action_name": "a%s", "query_id": "q2"}\n' "$i" "$i" $((i * 7 % 900 + 100)); done
} >many.ndjson
for threads in 1 2 7; do lethe profile --from ubi many.ndjson --threads $threads 2>&1 >/dev/null | grep 'no clicks'; done

echo '--- made again, and forged'
for release in one two; do
    lethe threshold -q --from ubi shop.ndjson -t 1 --clicks all --actions click --seed 1 -o $release
done
cmp one/manifest.json two/manifest.json
for actions in '""' '"click,"' '"click,click"' '["click"]' '"purchase"'; do
    rm -rf bad
    cp -r one bad
    sed -i "s/\"actions\": \"click\"/\"actions\": $actions/" bad/manifest.json
    lethe verify bad >/dev/null 2>said
    echo "$actions: $? $(cat said)"
done
