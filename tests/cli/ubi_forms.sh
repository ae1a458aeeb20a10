# SPDX-License-Identifier: Apache-2.0
# The forms in which documents of User Behavior Insights leave an index: bulk files, elasticdump's lines, answers to searches; whole
# or not.  All give the same release, and none of them needs --from.
. "$HERE/common.bash"
cat >make.py <<'END'
import json
def query(i, user, text, time): return {"query_id": i, "client_id": user, "user_query": text, "timestamp": time}
def event(action, i, obj, rank): return {"action_name": action, "query_id": i, "event_attributes": {"object": {"object_id": obj}, "position": {"ordinal": rank}}}
queries = [query(f"q{i}", f"u{i}", 'red "shoes" {[', f"2025-01-{10 + i}T07:31:52Z") for i in range(9)]
events = [event(a, f"q{i}", o, r) for i in range(9) for a, o, r in (("click", "B1", 1), ("purchase", "B1", None), ("impression", "B2", 2))]
hits = [{"_index": n, "_id": str(k), "_score": 1.0, "_source": d} for n, docs in (("ubi_queries", queries), ("ubi_events", events)) for k, d in enumerate(docs)]
def answer(hits, total, **more): return {"took": 3, "timed_out": False, "_shards": {"total": 1, "failed": 0}, "hits": {"total": {"value": total, "relation": "eq"}, "hits": hits}, **more}
def write(name, *lines): open(name, "w").write("".join(line + "\n" for line in lines))
q, e = hits[:9], hits[9:]
write("bulk.ndjson", *(json.dumps(x) for h in hits for x in ({"index": {"_index": h["_index"]}}, h["_source"])))
write("dump.json", *map(json.dumps, hits))
write("queries.json", *map(json.dumps, q))
write("events.json", *map(json.dumps, e))
write("answer.json", json.dumps(answer(hits, 36)))
write("pretty.json", json.dumps(answer(hits, 36), indent=4))
write("pages.json", *(json.dumps(answer(hits[i:i + 7], 36), indent=None if i % 2 else 1) for i in range(0, 43, 7)))
write("queries.answer", json.dumps(answer(q, 9), indent=1))
write("events.answer", json.dumps(answer(e, 27)))
write("some.json", json.dumps(answer(hits[:10], 36)))
write("late.json", json.dumps(answer(hits, 36, timed_out=True)))
write("nothing.json", json.dumps(answer([], 0)))
write("error.json", json.dumps({"error": {"reason": "no such index"}, "status": 404}))
write("other.json", json.dumps(answer([{"_index": "logs", "_source": {"a": 1}}], 1)))
END
python3 make.py
quietly lethe threshold bulk.ndjson -t 9 --seed 1 -o ref
# same FILE ARGUMENT...: the release has the bytes of the first one.
same() {
    rm -rf rel
    lethe threshold "$@" -t 9 --seed 1 -o rel >/dev/null 2>said || { echo "$*: failed"; cat said; }
    cmp -s ref/data.tsv rel/data.tsv && cmp -s ref/manifest.json rel/manifest.json && echo "$*: the same"
    grep -E 'warning' said
}
same dump.json
same queries.json events.json
same events.json queries.json --threads 7
same answer.json
same pretty.json --threads 7 --memory 16M
same pages.json
same queries.answer events.answer
same events.answer queries.json
same queries.json events.answer --strict-input
gzip -c pretty.json >pretty.gz
same pretty.gz
same - <answer.json
same <(cat pretty.json)
sed 's/$/\r/' pretty.json >crlf.json
same crlf.json
printf '\357\273\277' | cat - pretty.json >mark.json
same mark.json
grep -v '"index"' bulk.ndjson >plain.ndjson
same queries.json plain.ndjson

echo '--- not all of it'
same late.json
run lethe profile some.json -q >/dev/null
lethe profile some.json 2>&1 >/dev/null | grep warning
run lethe profile nothing.json
run lethe profile other.json
run lethe profile --from ubi error.json
run lethe profile --columns user=x,query=y answer.json -q
for less in 3 40 400 4000; do
    head -c -$less pretty.json >cut.json
    run lethe threshold cut.json -t 9 -o cut
    head -c -$less answer.json >cut.json
    run lethe threshold cut.json -t 9 -o cut
done
head -c -40 dump.json >cut.json
lethe profile cut.json 2>&1 >/dev/null | grep warning
echo '--- damaged'
# damaged SED...: the answer on many lines, changed so.
damaged() {
    sed "$@" pretty.json >bad.json
    run lethe profile bad.json -q
}
damaged '2s/:/;/'
damaged '0,/"hits": \[/s//"hits": [1, /'
damaged '$s/}/},/'
damaged 's/"hits": \[/"hits": {/'
{ cat pretty.json; echo '<html>'; } >bad.json
run lethe profile bad.json -q
sed 's/"query_id": "q3"/"query_id": 3.5e400x/' pretty.json >bad.json
lethe profile bad.json 2>&1 >/dev/null | grep -E 'warning|rejected'
holds answer.json bad.json bulk.ndjson crlf.json cut.json dump.json error.json events.answer events.json late.json make.py mark.json nothing.json other.json pages.json plain.ndjson pretty.gz pretty.json queries.answer queries.json ref rel said some.json
