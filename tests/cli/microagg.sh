# SPDX-License-Identifier: Apache-2.0
# microagg: groups with equal lists, a directory in a file; forged releases; what is refused.
. "$HERE/common.bash"
printf '%s\t%s\n' barca Sports/Soccer/UEFA/Spain messi Sports/Soccer/Players nba Sports/Basketball/Professional \
    python Computers/Programming/Languages java Computers/Programming/Languages linux Computers/Software/OS \
    paella Home/Cooking/Spanish sushi Home/Cooking/Japanese >dir.tsv
# rows USER QUERY...: a second apart
rows() {
    local user=$1 s=0
    shift
    for q; do printf '%s\t%s\t2006-03-01 10:00:%02d\t1\thttp://www.a.com/b\n' "$user" "$q" $((s++)); done
}
{
    rows u1 barca barca barca messi
    rows u2 messi barca nba
    rows u3 python java linux python
    rows u4 java linux
    rows u5 paella sushi barca
    rows u6 paella paella
    rows u7 sushi python
} >log.tsv
micro() { lethe microagg "$1" --directory dir.tsv -q "${@:2}"; }
paper() { micro "$@" --list paper --min-users 2; }
published() { tail -n +2 "$1/data.tsv" | tr -s '\t' ' '; }
# lists FILE: each list, and how many users have it
lists() {
    python3 - "$1" <<'END'
import sys, collections
users = {}
for line in open(sys.argv[1]).read().splitlines()[1:]:
    user, *rest = line.split("\t")
    users.setdefault(user, []).append(" ".join(rest).strip())
for names, n in sorted(collections.Counter(" | ".join(sorted(q)) for q in users.values()).items()):
    print(n, "with", names)
END
}
figures='{k: [x if x is None else round(x, 4) for x in v] if isinstance(v, list) else v for k, v in j["metrics"].items()}'

echo "--- seven users, by two and by three"
run paper log.tsv -k 2 --levels 3 --seed 1 --keep-users --map map.tsv -o two
published two
json two/manifest.json "$figures"
json two/manifest.json 'j["claims"], j["steps"][0]["parameters"]'
accounts two/manifest.json
map_lines map.tsv two | sort | tr '\t' ' ' | head -n 3
run lethe verify two
run paper log.tsv -k 3 --levels auto --categories all --seed 1 -o three
cut -f 1 three/data.tsv | tail -n +2 | sort -u | grep -cE '^[a-z2-7]{16}$'
lists three/data.tsv
json three/manifest.json "$figures"
quietly lethe verify three
run paper log.tsv -k 3 --cluster random --seed 2 -o chance
json chance/manifest.json 'j["metrics"]["clusters"], [c[:25] for c in j["caveats"] if "--cluster random" in c]'
quietly lethe verify chance
echo "--- as a stream"
paper log.tsv -k 2 --levels 3 --seed 1 --keep-users -o - | cmp - two/data.tsv

echo "--- rare texts, labels, personal data"
{
    cat log.tsv
    rows u1 'ann lee barca' 'ann lee barca' 'ann lee barca' 'ann lee barca' 'call 212-555-0187' 'call 212-555-0187'
    rows u2 'call 415-555-0123' 'call 415-555-0123'
} >more.tsv
for options in '--min-users 2' '--min-users 1' '--min-users 1 --no-scrub' '--min-users 2 --synthetic --levels 2'; do
    run micro more.tsv -k 2 --list paper $options --seed 1 --force -o rel
    lists rel/data.tsv
    json rel/manifest.json '[c["notion"] for c in j["claims"]], [c.split(":")[0] for c in j["caveats"] if c.startswith("--")]'
    accounts rel/manifest.json
    quietly lethe verify rel
done
# A caveat that the options call for is missed.
micro more.tsv -k 2 --no-scrub --seed 1 --force -o rel
python3 - <<'END'
import json
m = json.load(open("rel/manifest.json"))
m["caveats"] = [c for c in m["caveats"] if "--no-scrub" not in c]
json.dump(m, open("rel/manifest.json", "w"))
END
run lethe verify rel

echo "--- lists that cover the categories of the members"
run micro log.tsv -k 2 --levels 3 --min-users 2 --keep-users --force -o cover
published cover | grep '^u[12] '
for options in '' '--min-users 2' '--min-users 1' '--min-users 2 --synthetic --levels 2'; do
    run micro more.tsv -k 2 $options --keep-users --force -o cover
    lists cover/data.tsv
    json cover/manifest.json '{k: v for k, v in '"$figures"'.items() if k.startswith("srp")}'
    json cover/manifest.json '[c.split(":")[0] for c in j["caveats"] if c.startswith("--") or "more often than" in c]'
    accounts cover/manifest.json
    quietly lethe verify cover
done
# A seed changes nothing.
micro more.tsv -k 2 --min-users 3 --keep-users --seed 1 --force -o one
micro more.tsv -k 2 --min-users 3 --keep-users --seed 2 --force -o other
cmp one/data.tsv other/data.tsv
run micro log.tsv -k 2 --list random -o none

echo "--- forged releases"
# forge NAME EXPRESSION [METRIC [RELEASE]]: verify a release with other lines (a list `l`) or another manifest `m`, digests and counts put right
forge() {
    python3 - "$2" "${3-1}" "${4-two}" <<'END'
import hashlib, json, shutil, sys
shutil.rmtree("bad", ignore_errors=True)
shutil.copytree(sys.argv[3], "bad")
m = json.load(open("bad/manifest.json"))
said = m["steps"][0]["parameters"]
l = open("bad/data.tsv").read().splitlines()
head, l = l[0], l[1:]
exec(sys.argv[1])
data = "".join(x + "\n" for x in [head] + sorted(l)).encode()
open("bad/data.tsv", "wb").write(data)
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
if sys.argv[2] == "1":
    m["metrics"]["rows_out"] = len(l)
json.dump(m, open("bad/manifest.json", "w"))
END
    echo "$1: $(lethe verify bad 2>&1 | head -n 2 | tr -s ' \n' ' ')"
}
forge 'as it was' 'pass'
forge 'a row more' 'l.append(l[0])'
forge 'a row fewer' 'l.pop()'
forge 'a user fewer' 'l = [x for x in l if not x.startswith("u2\t")]'
forge 'another text' 'l[0] = l[0].replace("barca", "barco")'
forge 'a time' 'l[0] = l[0].replace("\t\t\t", "\t2006-03-01\t\t")'
forge 'a click' 'l[0] = l[0].replace("\t\t\t", "\t\t1\ta.com")'
forge 'a time for all' 'said["time"] = "day"; l = [x.replace("\t\t\t", "\t2006-03-01\t\t") for x in l]'
forge 'a click for all' 'said["urls"] = "host"; l = [x.replace("\t\t\t", "\t\t1\ta.com") for x in l]'
forge 'no line behind them' 'm["counts"] = {"read": 0, "published": 0, "suppressed": 0, "rejected": 0}'
forge 'a number for all' 'l = [x.replace("barca", "212-555-0187") for x in l]'
forge 'other counts' 'l += [x.replace("u1", "u8") for x in l if x.startswith("u1")]' 0
forge 'a user more' 'l += [x.replace("u1", "u8") for x in l if x.startswith("u1")]'
forge 'a list that covers' 'pass' 1 one
forge 'a copy fewer of it' 'l.pop()' 1 one
forge 'drawn, it says' 'said["list"] = "paper"' 1 one
forge 'an unknown list' 'said["list"] = "all"' 1 one
forge 'no list' 'del said["list"]' 1 one
forge 'no caveat of it' 'm["caveats"] = [c for c in m["caveats"] if "more often than" not in c]' 1 one
forge 'shares above one' 'm["metrics"]["srp_volume"][0] = 1.5' 1 one
forge 'no share by volume' 'del m["metrics"]["srp_volume"]' 1 one

echo "--- what is refused"
run micro log.tsv -k 8 -o none
run micro log.tsv -k 1 -o none
run micro log.tsv -o none
run micro log.tsv -k 2 --levels 0 -o none
run micro log.tsv -k 2 --min-users 5 -o none
run lethe microagg log.tsv -k 2 --directory missing.tsv -q -o none
run lethe microagg log.tsv -k 2 --directory odp:content.rdf.u8.gz,structure.rdf.u8.gz -q -o none
printf 'zebra\tAnimals/Africa\n' >other.tsv
run lethe microagg log.tsv -k 2 --directory other.tsv -q -o none
printf 'zebra Animals\n' >broken.tsv
run lethe microagg log.tsv -k 2 --directory broken.tsv -q -o none
: >empty.tsv
run lethe microagg log.tsv -k 2 --directory empty.tsv -q -o none
run lethe split log.tsv -q --then microagg -k 2 --directory dir.tsv -o none
run lethe microagg log.tsv -q -k 2 --directory dir.tsv --then threshold -o none
# what a threshold promised of 4 users need not hold for lists of 2, and then is not published
for u in a b c d; do rows $u messi; done >four.tsv
run lethe threshold four.tsv -q -t 4 --same exact --then microagg -k 2 --directory dir.tsv --list paper --min-users 2 --seed 2 -o none
run lethe scrub log.tsv -q --then microagg -k 2 --directory dir.tsv --seed 1 -o both
json both/manifest.json '[c["notion"] for c in j["claims"]]'
quietly lethe verify both

echo "--- users without a category; a path of 1,000 levels; a log without times"
{ rows a barca barca; rows b barca barca; rows c 'no idea' 'no idea'; rows d 'no idea' 'no idea'; rows e '!'; } >odd.tsv
run paper odd.tsv -k 2 --seed 1 -o odd
lists odd/data.tsv
accounts odd/manifest.json
python3 -c 'print("deep\t" + "/".join(f"c{i}" for i in range(1000)))' >deep.tsv
{ rows a deep deep deep deep; rows b deep deep deep deep; } >below.tsv
run lethe microagg below.tsv -q -k 2 --min-users 2 --levels auto --directory deep.tsv --seed 1 -o deep
lists deep/data.tsv
json deep/manifest.json 'len(j["metrics"]["srp"]), j["metrics"]["srp"][999], len(set(j["metrics"]["classified"]))'
quietly lethe microagg below.tsv -q -k 2 --min-users 2 --levels 1000 --synthetic --directory deep.tsv --seed 1 -o deepest && lists deepest/data.tsv
printf '%s\t%s\n' 1 barca 1 barca 1 barca 2 barca 2 barca 2 messi 1 messi >untimed.tsv
run paper untimed.tsv --columns user=1,query=2 -k 2 --seed 5 -o untimed
accounts untimed/manifest.json

echo "--- the Open Directory, converted"
odp=$ROOT/tests/data/odp/directory.tsv
{ rows a barcelona barcelona soup; rows b soup soup; rows c 'fc barcelona' blaugrana barcelona barcelona; rows d stew soup soup; } >web.tsv
web() { quietly lethe microagg web.tsv -q -k 2 --list paper --min-users 2 --directory "$1" --seed 1 "${@:2}"; }
web "$odp" -o web && lists web/data.tsv
json web/manifest.json "$figures"
json web/manifest.json '"directory.tsv" in str(j)'
web "$odp" --levels 3 --synthetic -o labels && lists labels/data.tsv
echo "--- any number of threads, any memory"
awk 'BEGIN { s = 1; split("barca messi nba python java linux paella sushi zoo", w, " "); for (i = 0; i < 20000; i++) { s = (s * 69069 + 1) % 16777216; u = int(s / 64) % 900; s = (s * 69069 + 1) % 16777216; printf "%d\t%s %s\t2006-03-%02d 10:%02d:00\t\t\n", u, w[1 + int(s / 4096) % 9], w[1 + int(s / 64) % 9], i % 28 + 1, i % 60 } }' >big.tsv
for how in '--threads 1' '--threads 2 --memory 16M' '--threads 7 --memory 16M' '--threads 7'; do
    quietly micro big.tsv -k 5 --seed 1 $how --force -o rel
    b2sum <rel/data.tsv
    json rel/manifest.json 'j["metrics"]' | b2sum
done | sort -u | wc -l
accounts rel/manifest.json
quietly lethe verify rel
for seed in 1 2; do quietly micro big.tsv -k 5 --seed $seed --force -o rel && b2sum <rel/data.tsv; done | sort -u | wc -l
[ ! -e none ] || echo "something was left behind"
# Rows that are drawn have no time.
run lethe microagg log.tsv -k 2 --time hour -o none
run lethe scrub log.tsv --then microagg -k 2 --directory dir.tsv --urls keep -o none
[ ! -e none ] || echo "something was left behind"
