# SPDX-License-Identifier: Apache-2.0
# Sessions of six people who have data and a question, and of whoever receives what they publish:
# each goes from their files, as they come, to an answer.
. "$HERE/common.bash"

# answer: what publish says, without figures and rows.
answer() { sed -n '1,2p;/^What could be/,$p;/^nothing/p;/^release/p;/^map/s/ .the way.*//p'; }
# plain: without the figures of a line.
plain() { sed 's/[0-9][0-9.,]* %/N %/g; s/[0-9]* of [0-9]* candidates/N candidates/'; }

echo "=== a search engine's log: what to publish, and next month the same"
lethe synth --users 120 --queries-per-user 40 --seed 3 -q -o march.tsv
lethe synth --users 120 --queries-per-user 40 --seed 4 -q -o april.tsv
lethe publish march.tsv --goal sessions --risk 60% -o march --seed 1 -q --title 'Searches, March' | answer | plain
quietly lethe verify march
quietly lethe redo march april.tsv -o april --risk 60% --seed 2
lethe verify april 2>&1 | tail -n 1
lethe verify --caveats april | grep -c 'settings of an earlier release'

echo "=== a shop with User Behavior Insights: clicks on articles, not pages"
python3 - >shop.ndjson <<'END'
import json
for i in range(400):
    query, item = ("red shoes", "B1") if i % 2 else ("hat", "B2")
    who, t = f"client-{i % 40}", f"2025-01-{1 + i % 28:02}T10:{i % 60:02}:00Z"
    print(json.dumps({"index": {"_index": "ubi_queries"}}))
    print(json.dumps({"query_id": f"q{i}", "client_id": who, "user_query": query, "timestamp": t}))
    for action in ("impression", "click", "add_to_cart"):
        print(json.dumps({"index": {"_index": "ubi_events"}}))
        print(json.dumps({"action_name": action, "query_id": f"q{i}", "client_id": who, "timestamp": t,
                          "event_attributes": {"object": {"object_id": item}, "position": {"ordinal": 1}}}))
END
lethe threshold shop.ndjson -t 5 --publish-as ubi -o shop --seed 1 2>&1 | sed -n '/note\|warning/p;/input lines/p'
ls shop
cut -f 5 shop/data.tsv | sort -u | sed 's/^[a-z2-7]\{16\}$/an identifier/' | sort | uniq -c
quietly lethe verify shop

echo "=== a supermarket: one line per article of a receipt"
awk 'BEGIN { print "receipt,article"; s = 7; split("bread milk butter eggs tea jam", w)
    for (i = 0; i < 300; i++) for (j = 1; j <= 6; j++) { s = (s * 69069 + 1) % 16777216; if (s / 16777216 < 0.5 - j / 20) print i "," w[j] } }' >receipts.csv
lethe profile receipts.csv --from records --columns person=receipt,item=article -q | sed -n '/^Contents/,/^$/p'
lethe publish receipts.csv --from records --columns person=receipt,item=article -o baskets --seed 1 -q | answer | plain
quietly lethe verify baskets

echo "=== a hospital: a table with a sensitive column"
awk 'BEGIN { print "age,sex,town,illness"; split("cold flu cough", w); split("Rome Oslo Bern", c)
    for (i = 0; i < 400; i++) print 20 + (i * 7) % 50 "," (i % 2 ? "f" : "m") "," c[1 + i % 3] "," w[1 + int(i * i / 5) % 3] }' >patients.csv
lethe check patients.csv --qi age,sex,town -k 5 | tail -n 2
lethe publish patients.csv --qi age,sex,town --sa illness -o patients --seed 1 -q | answer | plain
quietly lethe verify patients
lethe check patients/data.csv --qi age,sex,town -k 5 | tail -n 1

echo "=== a library: Latin-1, semicolons, days first, and counts are enough"
python3 - <<'END'
texts = ["Frühling", "Goethe Faust", "Bücher über Bäume", "only mine %d"]
rows = [f"{u};{texts[q] % u if q == 3 else texts[q]};{13 + (u + q) % 15}.05.2024 09:{u:02}" for u in range(30) for q in range(4)]
open("library.csv", "wb").write(("\n".join(["reader;search;when", *rows]) + "\n").encode("latin-1"))
END
lethe publish library.csv --columns user=reader,query=search,time=when --goal counts -o library --seed 1 -q 2>&1 | answer | plain
tail -n +2 library/counts.tsv

echo "=== too few people: nothing, and why"
head -n 60 march.tsv | awk -F '\t' 'NR == 1 || !($1 in n) && ++k { n[$1] } k < 4' >few.tsv
run lethe publish few.tsv -o few -q 2>&1 | plain
ls -d few few.map.tsv 2>&1 | sed 's/^ls: //'

echo "=== who receives it: an archive from a colleague's computer"
touch march/.DS_Store
tar -c --zstd -f march.tar.zst march
lethe verify march.tar.zst 2>&1 | tail -n 1
lethe report march.tar.zst -o page.html 2>&1 | sed 's/[0-9,]* bytes/N bytes/'
sed -i '2s/./x/' march/data.*
run lethe verify march 2>&1 | tail -n 2
