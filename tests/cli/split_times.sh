# SPDX-License-Identifier: Apache-2.0
# split by day, gap and query, where times are missing: in the input, in the release, or after a forger.
. "$HERE/common.bash"
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5"; }
{
    row AnonID Query QueryTime ItemRank ClickURL
    for u in 1 2 3; do
        for d in 1 3 5; do
            row $u 'football' "2006-03-0$d 10:00:00" 1 http://www.espn.com/
            row $u 'football' "2006-03-0$d 10:00:00" 2 http://www.nfl.com/
            row $u "recipe $d" "2006-03-0$d 10:20:00"
        done
    done
} >log.tsv
awk -F'\t' -v OFS='\t' 'NR > 1 { $3 = "" } 1' log.tsv >none.tsv                       # no row has a time
awk -F'\t' -v OFS='\t' '$1 == 2 && /recipe|espn/ { $3 = "" } 1' log.tsv >some.tsv     # some have none
echo "--- a log without times"
for by in day gap; do
    run lethe split none.tsv --by $by -o no
    run lethe split none.tsv --by $by --map no.map -o no
    run lethe split none.tsv --by $by -o -
    run lethe threshold none.tsv -t 3 --then split --by $by -o no
done
# rows of one user, text and no time may be of different times: each is a persona
run lethe split none.tsv -q --by query -o none-query
json none-query/manifest.json '{k: j["metrics"][k] for k in ("users", "personas", "undecided", "rows_without_time")}'
run lethe verify none-query
quietly lethe split none.tsv -o none-interest
quietly lethe verify none-interest
echo "--- rows without a time among others: personas of their own"
for by in day gap query; do
    lethe split some.tsv --by $by -o some-$by 2>&1 | grep 'note:'
    awk -F'\t' 'NR > 1 { n[$1]++; lacks[$1] += $3 == "" } END { for (u in n) print n[u] " rows, " lacks[u] " without a time" }' some-$by/data.tsv | sort | uniq -c | tr -s ' '
    json some-$by/manifest.json 'j["metrics"]["undecided"], j["metrics"]["rows_without_time"], len(j["caveats"])'
    run lethe verify some-$by
    lethe verify some-$by --json -q | json /dev/stdin 'j["metrics"], j["verdict"]'
done
quietly lethe split some.tsv --by day --then threshold -t 2 --same exact -o some-fewer
json some-fewer/manifest.json 'j["metrics"]["rows_without_time"]'
quietly lethe verify some-fewer
quietly lethe split log.tsv none.tsv --by day -o both # a file with times and one without
json both/manifest.json 'j["metrics"]["rows_without_time"]'
quietly lethe verify both
echo "--- times that are not published"
for by in day gap query interest; do
    lethe split log.tsv --by $by --time drop -o drop-$by 2>&1 | grep 'promise  \|Times are not'
    run lethe verify drop-$by
    lethe verify drop-$by --json -q | json /dev/stdin 'j["metrics"], j["verdict"]'
    quietly lethe report drop-$by -q --force -o page.html
    sed 's/<[^>]*>//g' page.html | grep -o 'It keeps its promise as far as can be seen\.\|As far as can be seen: .*undecided\.\|the promise .*undecided\.'
done
echo "--- times that are coarser than a day and the gap"
for by in day gap query; do
    for unit in week month; do
        lethe split log.tsv --by $by --time $unit -o $unit-$by 2>&1 | grep 'promise  '
        lethe verify $unit-$by --json -q | json /dev/stdin 'j["metrics"], j["verdict"]'
        quietly lethe report $unit-$by -q --force -o page.html
        sed 's/<[^>]*>//g' page.html | grep -o 'It keeps its promise as far as can be seen\.\|As far as can be seen: .*undecided\.\|the promise .*undecided\.'
        rm -r $unit-$by
    done
done
rm page.html
echo "--- a forger empties times and joins users"
for by in day gap query; do quietly lethe split log.tsv --seed 1 --by $by -o $by; done
cat >forge.py <<'END'
import hashlib, json, os, shutil
CAVEAT = "Times are not published, and what is promised of personas depends on them: it cannot be checked from this release."
def forge(name, what, rows=lambda r: r, manifest=lambda m: None):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(name, "bad")
    lines = open("bad/data.tsv").read().splitlines()
    data = "".join(l + "\n" for l in lines[:1] + sorted("\t".join(rows(l.split("\t"))) for l in lines[1:])).encode()
    open("bad/data.tsv", "wb").write(data)
    m = json.load(open("bad/manifest.json"))
    m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
    manifest(m)
    json.dump(m, open("bad/manifest.json", "w"))
    status = os.system("lethe verify bad -q >out 2>&1") >> 8
    print(name, what, status, *[l for l in open("out").read().splitlines() if "recipe" not in l or "reason" in l][-3:], sep=": ")
def emptied(r): return r[:2] + [""] + r[3:]
def joined(r): return ["a" * 16, "football" if by == "query" else r[1], "", r[3], r[4]]
def counted(m): m["metrics"]["rows_without_time"] = 27
def uncounted(m): del m["metrics"]["rows_without_time"]
def dropped(m): counted(m); m["steps"][-1]["parameters"]["time"] = "drop"
def warned(m): dropped(m); m["caveats"].append(CAVEAT)
for by in ("day", "gap", "query"):
    forge(by, "times emptied, users joined", joined)
    forge(by, "and counted", joined, counted)
    forge(by, "and said not to be published", joined, dropped)
    forge(by, "and with the caveat", joined, warned)
    forge("drop-" + by, "what is undecided left out", lambda r: r, lambda m: m["metrics"].pop("undecided"))
    forge("drop-" + by, "nothing said to be undecided", lambda r: r, lambda m: m["metrics"].update(undecided=0))
    forge(by, "times emptied", emptied, counted)
    forge(by, "one time emptied", lambda r: emptied(r) if r[1] == "recipe 1" else r)
by = "query"
forge("none-query", "rows without a time not counted", lambda r: r, uncounted)
forge("none-query", "wrongly counted", lambda r: r, lambda m: m["metrics"].update(rows_without_time=26))
forge("none-query", "counted as a text", lambda r: r, lambda m: m["metrics"].update(rows_without_time="27"))
forge("none-query", "joined", joined)
# every user is one, and a later step may have left the pauses
os.system("lethe split log.tsv --by gap --then threshold --by rows -t 3 --same exact -q --seed 1 -o later")
forge("later", "as it was made")
forge("later", "users joined", lambda r: ["a" * 16] + r[1:])
END
python3 forge.py
holds bad both day drop-day drop-gap drop-interest drop-query forge.py gap later log.tsv none-interest none-query none.tsv out query some-day some-fewer some-gap some-query some.tsv
echo '--- times that are coarser than the gap'
printf '%s\tmaps\t2006-03-%02d\n' a 1 a 2 b 1 b 3 >days.tsv
printf '%s\tmaps\t2006-03-01 %02d:00:00\n' a 1 a 2 b 1 b 3 >hours.tsv
printf 'a\tmaps\t2006-03-01\n' >one.tsv
columns='--columns user=1,query=2,time=3'
printf 'car\tthing\nmaps\tthing\n' >things.tsv
records="--taxonomy things.tsv --terms words -k 2"
for log in days hours one; do
    run lethe split $log.tsv $columns --by gap -q -o by-gap-$log
    run lethe split $log.tsv $columns --by gap --gap 30m -q -o by-half-hour-$log
    run lethe split $log.tsv $columns --by day -q -o by-day-$log
    [ $log = one ] || run lethe clump $log.tsv $columns $records --gap 30m -q -o clump-$log
    [ $log = one ] || run lethe clump $log.tsv $columns $records --gap 1h -q -o clump-hour-$log
    [ $log = one ] || run lethe clump $log.tsv $columns $records -q -o clump-all-$log
done
run lethe split days.tsv $columns --by gap --gap 1d -q -o by-days
# So it is where a pipe gives days.
lethe scrub $SAMPLE -q -o - 2>/dev/null | run lethe clump - -k 2 --gap 1h -o piped
# A single time with minutes is enough, and rows without a time do not count.
printf 'c\tmaps\t2006-03-01 10:30:00\n' | cat days.tsv - >mixed.tsv
run lethe split mixed.tsv $columns --by gap -q -o mixed
{ row AnonID Query QueryTime ItemRank ClickURL; row a maps 2006-03-01; row a maps 2006-03-02; row b maps ''; } >lacking.tsv
run lethe split lacking.tsv --by gap -q -o lacking
ls -d by-gap-* by-half-hour-* clump-* piped lacking 2>/dev/null | tr '\n' ' '
exit 0
