# SPDX-License-Identifier: Apache-2.0
# disconnect: each ranking, the whole process, its files, how URLs are published, what is refused, chains.
. "$HERE/common.bash"
row() { printf '%s\t%s\t2006-03-01 10:%s\t%s\t%s\n' "$@"; }
{
    row 1 'street maps' 00:00 1 'http://maps.example.com/'
    row 1 'street maps' 00:00 2 'http://atlas.org/world'
    row 2 'Street  Maps' 05:00 1 'http://maps.example.com/'
    row 3 'world atlas' 00:00 1 'http://atlas.org/world'
    row 3 'world atlas' 00:00 4 'http://globe.net/'
    for i in 1 2 3 4 5; do row 3 'world atlas' 01:0$i '' ''; done
    row 4 'globes' 00:00 1 'http://globe.net/'
    row 4 'globes' 00:00 2 'http://toys.com/globes'
    row 4 'globes' 06:00 2 'http://toys.com/globes'
    row 5 'toys.com' 00:00 1 'http://www.toys.com/'
    row 5 'toys.com' 00:00 2 'http://play.net/'
    row 5 'one click' 00:00 1 'http://seldom.org/'
    row 6 'no click' 00:00 '' ''
} >log.tsv
queries() { cut -f 2 "$1/data.tsv" | tail -n +2 | LC_ALL=C sort -u | paste -s -d , ; }

# what the paper publishes
paper='--min-urls none --targeted-clicks 1'

echo "--- as it is by default"
run lethe disconnect log.tsv -o rel
cut -f 2- rel/data.tsv | sed 's/[a-z2-7]\{16\}$/ID/' | sort
json rel/manifest.json 'j["steps"], j["claims"], j["metrics"]'
run lethe verify rel
accounts rel/manifest.json
echo "--- rankings"
for rank in degree frequency clicks best 'best --weight queries' 'best --weight clicks'; do
    quietly lethe disconnect log.tsv $paper --rank $rank --keep-vulnerable --force -o rel
    echo "$rank: $(queries rel)"
done
echo "--- the vulnerable are kept, or what makes them so is said"
for how in '--keep-vulnerable' '--targeted none' '--targeted 0.5' '--density 0.1 --keep-vulnerable' '--density 1 --keep-vulnerable'; do
    quietly lethe disconnect log.tsv $paper $how --force -o rel
    echo "$how: $(queries rel)"
    json rel/manifest.json '{k: v for k, v in j["metrics"]["removed"].items() if v}, sum(c.startswith("--density") or c.startswith("Vulnerable") for c in j["caveats"])'
    quietly lethe verify rel
done
echo "--- results"
{
    printf '%s\t%s\n' 'street maps' maps.example.com 'street maps' atlas.org 'world atlas' atlas.org \
        'WORLD atlas' atlas.org/2 'world atlas' www.atlas.org 'globes' globe.net 'no click' a.org 'no click' b.org
} >results.tsv
run lethe disconnect log.tsv $paper -q --results results.tsv --min-results 2 --min-sites 2 --targeted none --force -o rel
queries rel
json rel/manifest.json 'j["metrics"]["removed"], j["claims"], j["steps"][0]["parameters"]["results"], sum("not enforced" in c for c in j["caveats"])'
grep -c results.tsv rel/manifest.json
run lethe verify rel --results results.tsv
quietly lethe verify rel
run lethe verify rel --results - <results.tsv
echo "--- without them nothing is enforced"
run lethe disconnect log.tsv $paper -q --min-results 2 --min-sites 2 --targeted none --force -o rel
json rel/manifest.json 'j["metrics"]["unconfirmed"], j["claims"], sum("not enforced" in c for c in j["caveats"])'
echo "--- weights"
printf '%s\t%s\n' 'street maps' 1 'world atlas' 10.5 globes 1 'toys.com' 1 'one click' 1 >weights.tsv
run lethe disconnect log.tsv $paper -q --weights weights.tsv --keep-vulnerable --force -o rel
queries rel
json rel/manifest.json 'j["steps"][0]["parameters"]'
quietly lethe verify rel
run lethe disconnect log.tsv $paper -q --weights weights.tsv --rank best --keep-vulnerable --force -o rel
queries rel
for bad in 'globes' 'globes\t' '\t1' 'globes\t0' 'globes\t-1' 'globes\tmany' 'globes\t1e3' 'globes\t0.1234567' 'globes\t2000000000' 'globes\t1\t1' 'globes\t1\nGlobes\t2' 'gl\xffobes\t1' 'gl\0obes\t1' ''; do
    printf "$bad" >bad.tsv
    run lethe disconnect log.tsv $paper -q --weights bad.tsv -o none
done
printf 'globes\t1\n' >bad.tsv
run lethe disconnect log.tsv $paper -q --weights bad.tsv --keep-vulnerable -o none
run lethe disconnect log.tsv $paper -q --weights missing.tsv -o none
run lethe disconnect log.tsv $paper -q --results missing.tsv -o none
echo "--- how URLs are published"
for urls in keep host id drop; do
    quietly lethe disconnect log.tsv $paper --urls $urls --targeted none --keep-users --force -o rel
    echo "$urls: $(queries rel)"
    cut -f 4,5 rel/data.tsv | tail -n +2 | grep -c '^[0-9]'
    json rel/manifest.json 'j["metrics"]["density_before"], j["metrics"]["clicks_kept"], j["metrics"].get("urls_uncut")'
    quietly lethe verify rel
done
lethe disconnect log.tsv $paper -q --targeted none --urls keep -o - | grep -c http
lethe disconnect log.tsv $paper -q --targeted none --urls id -o - | cut -f 4,5 | grep -c '^[0-9]'
quietly lethe threshold log.tsv -t 1 --same exact --force -o rel
json rel/manifest.json 'j["steps"][0]["parameters"]["urls"]'
quietly lethe scrub log.tsv --then disconnect $paper --targeted none --then split --by query --force -o rel
json rel/manifest.json 'j["steps"][2]["parameters"]["urls"], [c["notion"] for c in j["claims"]]'
quietly lethe verify rel
echo "--- what makes no sense"
run lethe disconnect log.tsv --min-results 2 --min-sites 3 -o none
run lethe disconnect log.tsv --rank best --density 0.1 -o none
run lethe disconnect log.tsv --weight clicks -o none
run lethe disconnect log.tsv --weights weights.tsv --rank degree -o none
run lethe disconnect log.tsv --weights weights.tsv --rank best --weight clicks -o none
run lethe disconnect log.tsv --rank worst -o none
run lethe disconnect log.tsv --density 1.1 -o none
run lethe disconnect log.tsv --density -0.1 -o none
run lethe disconnect log.tsv --targeted most -o none
run lethe disconnect log.tsv --targeted 2 -o none
run lethe disconnect log.tsv --min-results 0 -o none
run lethe disconnect log.tsv --min-sites 0 -o none
run lethe disconnect log.tsv --min-urls 1 -o none
run lethe disconnect log.tsv --min-urls few -o none
run lethe disconnect log.tsv --targeted-clicks 0 -o none
echo "--- nothing is left"
row 1 'one click' 00:00 1 'http://seldom.org/' >one.tsv
lethe disconnect one.tsv $paper --json -o none >report
echo "= $?"
json report 'j["verdict"], j["metrics"]["removed"], j["counts"]'
echo "--- a URL that two queries share is put back: the promise is broken"
quietly lethe disconnect log.tsv $paper --keep-vulnerable --urls keep --force -o rel
python3 - <<'END'
import hashlib, json, os
lines = open("rel/data.tsv").readlines()
url = [l for l in lines[1:] if l.rstrip("\n").split("\t")[4]][0].rstrip("\n").split("\t")[4]
joined = [l.rstrip("\n") + url + "\n" if "no click" in l else l for l in lines[1:]]
data = "".join([lines[0]] + sorted(joined)).encode()
open("rel/data.tsv", "wb").write(data)
m = json.load(open("rel/manifest.json"))
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
json.dump(m, open("rel/manifest.json", "w"))
print(os.system("lethe verify rel >out 2>&1") >> 8)
END
echo "--- ranks are put back: with the query's results they name the URLs"
quietly lethe disconnect log.tsv $paper --keep-vulnerable --seed 1 --force -o rel
python3 - <<'END'
import hashlib, json
lines = open("rel/data.tsv").read().splitlines()
rows = [l.split("\t") for l in lines[1:]]
data = "".join(l + "\n" for l in lines[:1] + ["\t".join(r[:3] + ["3" if r[4] else "", r[4]]) for r in rows]).encode()
open("rel/data.tsv", "wb").write(data)
m = json.load(open("rel/manifest.json"))
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
json.dump(m, open("rel/manifest.json", "w"))
END
run lethe verify rel
echo "--- a manifest cannot claim what was not looked at, or keep quiet about it"
quietly lethe disconnect log.tsv $paper --results results.tsv --min-results 1 --targeted none --force -o rel
python3 - <<'END'
import json, os
first = json.load(open("rel/manifest.json"))
def tried(name, change):
    m = json.loads(json.dumps(first))
    change(m)
    json.dump(m, open("rel/manifest.json", "w"))
    print(name, os.system("lethe verify rel >out 2>&1") >> 8, sep=": ")
tried("as it was", lambda m: None)
tried("results false", lambda m: m["steps"][0]["parameters"].update(results=False))
tried("results named", lambda m: m["steps"][0]["parameters"].update(results="/etc/passwd"))
tried("no results", lambda m: m["steps"][0]["parameters"].pop("results"))
tried("more sites", lambda m: m["claims"][0].update(K=2))
tried("quiet", lambda m: m.update(caveats=m["caveats"][1:]))
END
echo "--- what a step promises is looked at with its own results"
lethe disconnect log.tsv $paper -q --results results.tsv --min-results 1 --targeted none --then split --by day --json --force -o rel |
    python3 -c 'import json, sys; m = json.load(sys.stdin); print(m["claims"][0], m["verdict"]["holds"], m["metrics"]["undecided"])'
echo "--- the counts of a query's identifiers tell nothing"
python3 - >counts.tsv <<'END'
import random
r = random.Random(1)
for n in range(900):
    query, page = r.randrange(12), min(int(r.expovariate(0.5)), 9)
    click = f"{page + 1}\thttp://h{query}.com/{page}" if page < 9 else "\t"
    print(f"u{n % 50}\tquery {query}\t2006-03-01 10:{n // 60:02}:{n % 60:02}\t{click}")
END
for m in none 2 5 9 10; do
    quietly lethe disconnect counts.tsv --keep-vulnerable --min-urls $m --seed 1 --force -o rel
    quietly lethe verify rel
    python3 - $m <<'END'
import collections, json, sys
rows = [line.rstrip("\n").split("\t") for line in open("rel/data.tsv")][1:]
of = collections.defaultdict(collections.Counter)
for row in rows:
    of[row[1]].update([row[4]] if row[4] else [])
m, shown = json.load(open("rel/manifest.json")), [c for c in of.values() if c]
print(sys.argv[1], len(rows), "rows;", len(shown), "queries with identifiers, at least", min(map(len, shown), default=0),
      "each; once:", all(set(c.values()) == {1} for c in shown), m["claims"][0].get("m"),
      m["metrics"]["removed_clicks"].get("hidden"))
END
done
for how in '--threads 1' '--threads 2 --memory 16M' '--threads 7'; do
    quietly lethe disconnect counts.tsv --keep-vulnerable --min-urls 3 --seed 1 $how --force -o rel
    b2sum <rel/data.tsv
done | uniq | wc -l
echo "--- a release in which they do is refused"
cat >forge.py <<'END'
import hashlib, json, os
first, manifest = open("rel/data.tsv").read().splitlines(), json.load(open("rel/manifest.json"))
rows = [line.split("\t") for line in first[1:]]
clicked = next(i for i, row in enumerate(rows) if row[4])
text, known = rows[clicked][1], rows[clicked][4]
bare = next(i for i, row in enumerate(rows) if row[1] == text and not row[4])
def tried(name, change, claims=lambda m: None):
    new, m = [list(row) for row in rows], json.loads(json.dumps(manifest))
    change(new)
    claims(m)
    data = "".join(line + "\n" for line in first[:1] + sorted("\t".join(row) for row in new)).encode()
    open("rel/data.tsv", "wb").write(data)
    m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
    kept = sum(bool(row[4]) for row in new)  # the figure is made to fit
    m["metrics"]["clicks_kept"] = kept / (kept + sum(m["metrics"]["removed_clicks"].values()))
    json.dump(m, open("rel/manifest.json", "w"))
    status = os.system("lethe verify rel >out 2>&1") >> 8
    print(name, status, *[line.rstrip() for line in open("out") if line.startswith("because")], sep=": ")
def one_more(new): new[bare][4] = known
def one_alone(new):
    for row in new:
        if row[1] == text and row[4] != known: row[4] = ""
tried("as it was", lambda new: None)
tried("one more", one_more)
tried("two alone", lambda new: (one_alone(new), new[bare].__setitem__(4, known[::-1])))
tried("one alone", one_alone)
tried("not claimed", one_alone, lambda m: m["claims"][0].pop("m"))
END
python3 forge.py
echo "--- from how many clicks on a query is well targeted"
for n in 1 2 3; do
    row 1 'one site' 00:0$n 1 'http://seldom.org/'
    [ $n = 1 ] || row 1 'two clicks' 00:0$n 1 'http://other.org/'
done >targeted.tsv
row 1 'no click' 00:00 '' '' >>targeted.tsv
for n in 1 2 3 4; do
    quietly lethe disconnect targeted.tsv --targeted-clicks $n --force -o rel
    echo "$n: $(queries rel)"
done
quietly lethe disconnect targeted.tsv --force -o rel
echo "as it is: $(queries rel)"
echo "--- any number of threads, any memory"
big_log 40000 >big.tsv
for rank in frequency best; do
    for how in '--threads 1' '--threads 2 --memory 16M' '--threads 7 --memory 16M' '--threads 7'; do
        rm -rf rel
        quietly lethe disconnect big.tsv --rank $rank --keep-vulnerable --urls host --seed 1 $how -o rel
        b2sum <rel/data.tsv
    done | uniq | wc -l
    accounts rel/manifest.json
done
holds bad.tsv big.tsv counts.tsv forge.py log.tsv one.tsv out rel report results.tsv targeted.tsv weights.tsv
