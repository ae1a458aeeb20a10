# SPDX-License-Identifier: Apache-2.0
# A column that the input has and the release has not: a warning says why, and what would publish it.
. "$HERE/common.bash"

# lost ARGUMENT...: what is warned of, besides promises.
lost() {
    echo "--- $*"
    rm -rf rel
    lethe "$@" -o rel 2>said || cat said
    grep -E 'warning' said | grep -v 'promises nothing'
}
printf '%s\t%s\t%s\t%s\t%s\n' \
    1 maps '2006-03-01 10:00:00' 1 B1 2 maps '2006-03-01 11:30:15' 2 B2 3 maps '2006-03-02 10:00:00' 3 B1 >ids.tsv
small_log >log.tsv
lost threshold ids.tsv -t 3
lost threshold ids.tsv -t 2 --urls id
lost threshold ids.tsv -t 3 --urls id
lost threshold ids.tsv -t 3 --clicks all --urls id
lost threshold ids.tsv -t 3 --urls drop
lost threshold ids.tsv -t 3 --time drop
lost threshold ids.tsv -t 2 --as counts
lost scrub ids.tsv
lost scrub ids.tsv --then threshold -t 3
lost split ids.tsv --by day
lost disconnect ids.tsv
lost disconnect ids.tsv --min-urls none
lost disconnect log.tsv --urls host
lost threshold log.tsv -t 5
lost threshold log.tsv -t 2
lost threshold log.tsv -t 3 --clicks all
echo '--- onto standard output'
lethe scrub ids.tsv -o - 2>&1 >/dev/null | grep warning

echo '--- times that are not read'
printf 'user,query,when\n1,maps,2006-03-01 10:00:00\n2,maps,2006-03-01 10:00:00\n' >when.csv
lost threshold when.csv --from csv --columns user=user,query=query -t 2
printf 'query,user,when\nmaps,1,2006-03-01 10:00:00\nmaps,2,2006-03-01 10:00:00\n' >when.csv
lost threshold when.csv -t 2
printf '{"user": "%s", "query": "maps", "when": "2006-03-01 10:00:00"}\n' 1 2 >when.jsonl
lost threshold when.jsonl -t 2
lost threshold when.jsonl -t 2 --columns time=when

echo '--- ranks that are not read'
for i in 1 2 3; do
    printf '{"query_id": "q%s", "client_id": "%s", "user_query": "maps", "timestamp": 0}\n' $i $i
    printf '{"action_name": "click", "query_id": "q%s", "event_attributes": {"object": {"object_id": "B1"}, "position": {"ordinal": "top"}}}\n' $i
done >shop.ndjson
lost threshold --from ubi shop.ndjson -t 3
sed 's/"top"/0.5/; s/q2\(.*\)0.5/q2\14/' shop.ndjson >some.ndjson
lost threshold --from ubi some.ndjson -t 3
grep note said
