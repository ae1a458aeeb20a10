# SPDX-License-Identifier: Apache-2.0
# split: personas by day, gap, interest and query; persons are still counted; verify.
. "$HERE/common.bash"
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5"; }
{
    row 1 'Football' '2006-03-01 10:00:00' 1 http://www.espn.com/a
    row 1 'football' '2006-03-01 10:00:00' 2 http://www.nfl.com/
    row 1 'espn football' '2006-03-01 10:30:00'
    row 1 'farmers market' '2006-03-01 12:00:00'
    row 1 'seattle seahawks' '2006-03-02 10:00:00' 1 http://www.nfl.com/
    row 1 'recipe guide' '2006-03-02 11:00:00'
    row 1 'recipe guides' '2006-03-05 11:00:00'
    row 2 'football' '2006-03-01 10:00:00'
    row 2 'recipe guide' '2006-03-07 11:00:00'
    row 3 'football' '2006-03-01 10:00:00'
    row 3 'football' '2006-03-09 10:00:00'
} >log.tsv
# personas FILE: each user's texts, users in no order
personas() {
    python3 - "$1" <<'END'
import sys
users = {}
for line in open(sys.argv[1]).read().splitlines()[1:]:
    user, query, time, rank, url = line.split("\t")
    users.setdefault(user, []).append(query + (" " + time if "-t" in sys.argv else ""))
print("\n".join(sorted(" | ".join(sorted(q)) for q in users.values())))
END
}
figures() { json "$1/manifest.json" '{k: round(j["metrics"][k], 3) for k in ("users", "personas", "personas_per_user", "queries_per_persona")}'; }
for by in day gap interest query; do
    echo "--- by $by"
    run lethe split log.tsv -q --by $by -o $by
    personas $by/data.tsv
    figures $by
    accounts $by/manifest.json
    json $by/manifest.json 'j["claims"], j["steps"][0]["parameters"]'
    run lethe verify $by
done
echo "--- names tell nothing, kept or piped"
quietly lethe split log.tsv --keep-users --seed 1 -o kept
lethe attack kept --explain --original log.tsv --adversary known-terms | tail -n 2 # no persona is taken for a user of the original
quietly lethe verify kept
cut -f 1 kept/data.tsv | tail -n +2 | grep -vcE '^[a-z2-7]{16}$'
lethe split log.tsv -q --seed 1 --keep-users --time exact --urls keep -o - >piped.tsv
cut -f 1 piped.tsv | tail -n +2 | sort -u | cmp - <(cut -f 1 kept/data.tsv | tail -n +2 | sort -u)
cut -f 1 day/data.tsv | sort | comm -12 - <(cut -f 1 kept/data.tsv | sort)
echo "--- the owner's way back"
quietly lethe split log.tsv --map map.tsv -o mapped
map_lines map.tsv mapped | cut -f 1 | sort | uniq -c | awk '{ print $1, $2 }'
echo "--- results"
printf 'football\tx.com\nRecipe Guide\tx.com\nfarmers market\ty.com\n' >results.tsv
run lethe split log.tsv -q --results results.tsv --keep-users --seed 1 -o with
personas with/data.tsv
json with/manifest.json '"results.tsv" in str(j["steps"]) + str(j["claims"])'
run lethe verify with
run lethe verify with --results results.tsv
run lethe verify interest
printf 'football\tx.com\nrecipe guide\tz.com\n' >other.tsv
run lethe verify with --results other.tsv
echo "--- what is undecided is counted; with the results nothing is"
quietly lethe split log.tsv --results <(cat results.tsv) -o once # read once, and gone
for r in interest with once day; do json $r/manifest.json '"'$r'", j["metrics"].get("undecided")'; done
lethe verify interest --json -q | json /dev/stdin 'j["metrics"]'
lethe verify with --json -q --results results.tsv | json /dev/stdin 'j["metrics"]'
run lethe split log.tsv --by day --results results.tsv -o no
printf 'football x.com\n' >bad.tsv
run lethe split log.tsv --results bad.tsv -o no
run lethe split log.tsv --results /nowhere -o no
run lethe split log.tsv --overlap 1.5 -o no
run lethe split log.tsv --by gap --gap 0s -o no
echo "--- persons are counted through the chain"
run lethe threshold log.tsv -q -t 3 --same exact --then split --by day -o before
personas before/data.tsv
accounts before/manifest.json
run lethe verify before
run lethe split log.tsv -q --by day --then threshold -t 3 --same exact -o after
personas after/data.tsv
accounts after/manifest.json
run lethe verify after
cmp <(personas before/data.tsv) <(personas after/data.tsv)
# three personas of football, one person: no threshold of two lets it through
for d in 01 03 05; do row 9 'one person' "2006-03-$d 10:00:00"; done >>log.tsv
run lethe split log.tsv -q --by day --then threshold -t 2 --same exact -o two
personas two/data.tsv | grep -c 'one person'
# a threshold on what was split before counts names: one person passes for seven
{
    for d in 1 2 3 4 5 6 7; do row 17 'jane roe springfield' "2006-03-0$d 20:15:00"; done
    for u in 17 18 19 20 21; do row $u 'weather' '2006-03-02 08:00:00'; done
} >roe.tsv
lethe split roe.tsv -q --by day -o - | quietly lethe threshold - -t 5 -o wrong
quietly lethe verify wrong
quietly lethe threshold roe.tsv -t 5 --then split --by day -o right
quietly lethe split roe.tsv --by day --then threshold -t 5 -o also
for r in wrong right also; do cut -f 2 $r/data.tsv | tail -n +2 | sort | uniq -c | tr -s ' '; done
echo "--- what a later step leaves out may have stood in a pause"
{
    for u in 1 2; do row $u 'common' '2006-03-01 10:00:00'; row $u 'common' '2006-03-01 11:40:00'; done
    row 1 'rare' '2006-03-01 10:50:00'
} >pause.tsv
run lethe split pause.tsv -q --by gap --time exact --then threshold -t 2 --same exact -o pause
run lethe verify pause
run lethe scrub log.tsv -q --then threshold -t 3 --same exact --then split -o chain
json chain/manifest.json '[c["notion"] for c in j["claims"]], sum("scrub, threshold, split" in c for c in j["caveats"])'
quietly lethe verify chain
echo "--- a release that was joined again keeps its promise no more"
python3 - <<'END'
import hashlib, json, os, shutil
for name in ("day", "gap", "query", "interest"):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree(name, "bad")
    lines = open("bad/data.tsv").readlines()
    joined = [lines[0]] + sorted("a" * 16 + l[16:] for l in lines[1:])
    data = "".join(joined).encode()
    open("bad/data.tsv", "wb").write(data)
    m = json.load(open("bad/manifest.json"))
    m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
    json.dump(m, open("bad/manifest.json", "w"))
    print(name, os.system("lethe verify bad >out 2>&1") >> 8, open("out").read().splitlines()[0], sep=": ")
END
echo "--- nor does one in which each user's interests were joined"
quietly lethe synth --users 20 --seed 5 -o users.tsv
quietly lethe split users.tsv --seed 1 --map joined.map -o joined
python3 - <<'END'
import hashlib, json, os
first = {}
names = {}
for line in open("joined.map").readlines()[1:]:
    user, persona = line.split()
    names[persona] = first.setdefault(user, persona)
header, *rows = open("joined/data.tsv").readlines()
data = "".join([header] + sorted(names[row[:16]] + row[16:] for row in rows)).encode()
open("joined/data.tsv", "wb").write(data)
m = json.load(open("joined/manifest.json"))
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
m["metrics"].update(personas=20, personas_per_user=1.0)
json.dump(m, open("joined/manifest.json", "w"))
print(os.system("lethe verify joined >out 2>&1") >> 8, open("out").read().splitlines()[0], sep=": ")
END
echo "--- what is undecided is said of a release that is refused, too"
printf '1\t%s\t2006-03-01 10:00:00\t1\thttp://a.com/\n' yams football >pair.tsv
quietly lethe split pair.tsv --by query --then split --urls drop --seed 1 -o both
python3 - <<'END'
import hashlib, json
header, *rows = open("both/data.tsv").readlines()
data = "".join([header] + sorted("a" * 16 + row[16:] for row in rows)).encode()
open("both/data.tsv", "wb").write(data)
m = json.load(open("both/manifest.json"))
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
json.dump(m, open("both/manifest.json", "w"))
END
run lethe verify both
rm -r both pair.tsv
echo "--- any number of threads, any memory"
big_log 40000 >big.tsv
for by in gap interest; do
    for how in '--threads 1' '--threads 2 --memory 16M' '--threads 7 --memory 16M' '--threads 7'; do
        rm -rf rel
        quietly lethe split big.tsv --by $by --seed 1 $how -o rel
        b2sum <rel/data.tsv
    done | uniq | wc -l
    accounts rel/manifest.json
done
holds after also bad bad.tsv before big.tsv chain day gap interest joined joined.map kept log.tsv map.tsv mapped once other.tsv out pause pause.tsv piped.tsv query rel results.tsv right roe.tsv two users.tsv with wrong
# A second split that was given no results is not judged by those of the first.
printf 'u\taa\t2006-03-01 10:00:00\nu\tbb\t2006-03-01 11:00:00\n' >two.tsv
printf 'aa\tx.com\nbb\tx.com\n' >joined.tsv
run lethe split two.tsv --overlap 0 --results joined.tsv --then split -q -o twice
