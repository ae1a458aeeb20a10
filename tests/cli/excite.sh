# SPDX-License-Identifier: Apache-2.0
# A real log: Excite, one day of 1997.
. "$HERE/common.bash"
log=${LETHE_DATA:-$ROOT/../shared/data}/excite-small.log.zst
[ -r "$log" ] || skip "there is no excite-small.log.zst"
columns=user=1,time=2,query=3
lethe profile "$log" --columns $columns --json >report
json report '{k: j["metrics"][k] for k in ("rows", "rejected", "empty", "invalid_utf8", "users", "queries", "distinct_queries", "clicks")}'
json report 'j["counts"]["read"]'
json report '{k: round(j["metrics"][k], 4) for k in ("once_share", "unique_user_share", "left_t2", "left_t3", "left_t5", "terms_per_query")}'
# The same, counted by hand: users of all lines, and of those with a query.
zstd -dcq "$log" | awk -F'\t' '{ all[$1] } $3 != "" { some[$1]; n++ } END { print length(all), length(some), n }'
for t in 2 3 5; do
    quietly lethe threshold "$log" --columns $columns -t $t --same exact -o rel$t
    accounts rel$t/manifest.json
    quietly lethe verify rel$t
    # texts are ASCII: folding them is lower case and single spaces
    zstd -dcq "$log" | python3 -c 'import sys
t, users, rows = int(sys.argv[1]), {}, []
for line in sys.stdin.buffer:
    user, _, query = line.decode("latin1").rstrip("\n").split("\t")
    query = " ".join(query.lower().split())
    if query:
        users.setdefault(query, set()).add(user)
        rows.append(query)
print(sum(len(users[q]) >= t for q in rows), sorted(q for q in users if len(users[q]) >= t)[:6])' $t
    tail -n +2 rel$t/data.tsv | cut -f 2 | sort | uniq | head -n 6 | tr '\n' ';'
    echo " $(tail -n +2 rel$t/data.tsv | wc -l)"
done
