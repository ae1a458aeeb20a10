# SPDX-License-Identifier: Apache-2.0
# threshold --same: texts with the same words are one, or each text is by itself.
. "$HERE/common.bash"
row() { printf '%s\t%s\t2006-03-01 10:00:00\t%s\t%s\n' "$1" "$2" "$3" "$4"; }
{
    row 1 'Red Cars' 1 http://www.red.com/a
    row 2 'red cars'
    row 3 'car red' 2 http://www.car.com/b
    row 4 'cars: RED!'
    row 5 'red  "car"'
    row 5 'Cars Red'
    row 1 'blue cars'
    row 1 'cars blue'
    row 1 'blue car'
    row 2 'children'
    row 3 'child'
    row 4 'Child'
    row 1 '[email] login'
    row 2 'login [email]'
    row 3 'email login'
    row 1 '???'
    row 2 '? ??'
    row 6 'c++'
    row 7 'c'
    row 8 'C#'
} >log.tsv
show() { tail -n +2 "$1/data.tsv" | cut -f 1,2,4,5; }
figures() { json "$1/manifest.json" '{k: j["metrics"][k] for k in ("rows_kept", "rows_hashed", "rows_suppressed", "queries_kept")}'; }
echo "--- words, the default"
run lethe threshold log.tsv -q -t 3 --clicks all --keep-users -o words
show words
figures words
accounts words/manifest.json
json words/manifest.json 'j["steps"][0]["parameters"]["same"], j["claims"], sum("--same words" in c for c in j["caveats"])'
run lethe verify words
run lethe threshold log.tsv -q -t 3 --clicks all --keep-users --same words -o given
cmp words/data.tsv given/data.tsv
echo "--- exact"
run lethe threshold log.tsv -q -t 2 --clicks all --keep-users --same exact -o exact
show exact
figures exact
accounts exact/manifest.json
run lethe verify exact
echo "--- nobody counts twice"
run lethe threshold log.tsv -q -t 6 --clicks all -o no
run lethe threshold log.tsv -q -t 5 --clicks all --keep-users -o five
show five
echo "--- by queries and rows"
run lethe threshold log.tsv -q -t 6 --clicks all --by rows --keep-users -o rows
show rows
run lethe threshold log.tsv -q -t 6 --clicks all --by queries --time exact --keep-users -o queries
run lethe threshold log.tsv -q -t 5 --clicks all --by queries --time exact --keep-users -o queries
show queries
echo "--- one hash for all texts with the same words"
lethe key my.key
quietly lethe threshold log.tsv -t 3 --clicks all --rare hash --key-file my.key --keep-users -o hashed
figures hashed
quietly lethe verify hashed
tail -n +2 hashed/data.tsv | cut -f 2,4,5 | grep '^#' | sort | uniq -c | awk '{ print $1, NF }' | sort
python3 - <<'END'
rows = [line.rstrip("\n").split("\t") for line in open("hashed/data.tsv")][1:]
hashes = {}
for user, text, *_ in rows:
    if text.startswith("#"):
        hashes.setdefault(text, []).append(user)
print(sorted(sorted(users) for users in hashes.values()))
END
echo "--- a release with somebody taken away keeps its promise no more"
python3 - <<'END'
import hashlib, json, os, shutil
for name, change in (("fewer", lambda l: None if l.startswith("5\tred cars") else l),
                     ("as typed", lambda l: l.replace("red cars", "cars red") if l.startswith("5\t") else l),
                     ("nothing", lambda l: l)):
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree("five", "bad")
    lines = open("five/data.tsv").readlines()
    kept = [lines[0]] + sorted(l for l in map(change, lines[1:]) if l)
    data = "".join(kept).encode()
    open("bad/data.tsv", "wb").write(data)
    m = json.load(open("bad/manifest.json"))
    m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
    lost = len(lines) - len(kept)
    m["counts"]["published"] -= lost
    m["counts"]["suppressed"] += lost
    json.dump(m, open("bad/manifest.json", "w"))
    print(name, os.system("lethe verify bad >out 2>&1") >> 8, open("out").read().splitlines()[0], sep=": ")
END
echo "--- without a dictionary"
WNSEARCHDIR=/nowhere/at/all run lethe threshold log.tsv -t 3 --clicks all -o none
mkdir empty_words
touch empty_words/{index.noun,data.noun,noun.exc}
WNSEARCHDIR=empty_words run lethe threshold log.tsv -t 3 --clicks all -o none
WNSEARCHDIR=/nowhere/at/all run lethe threshold log.tsv -q -t 2 --clicks all --keep-users --same exact -o without
cmp exact/data.tsv without/data.tsv
WNSEARCHDIR=/nowhere/at/all quietly lethe verify words
run lethe threshold log.tsv -t 3 --clicks all --same letters -o none
echo "--- any number of threads, any memory"
big_log 60000 | awk -F '\t' -v OFS='\t' '{
    n = split($2, w, " ")
    k = NR % 4
    $2 = k == 0 ? $2 : k == 1 ? w[4] " " w[3] " " w[1] " " w[2] : k == 2 ? "texts " w[4] " query numbers" : $2 "!"
    print
}' >big.tsv
for how in '--threads 1' '--threads 2 --memory 16M' '--threads 7 --memory 16M' '--threads 7'; do
    rm -rf rel
    quietly lethe threshold big.tsv -t 3 --clicks all --seed 1 --by queries $how -o rel
    b2sum <rel/data.tsv
done | uniq | wc -l
accounts rel/manifest.json
quietly lethe threshold big.tsv -t 3 --clicks all --seed 1 --by queries --same exact -o rel_exact
accounts rel_exact/manifest.json
holds bad big.tsv empty_words exact five given hashed log.tsv my.key out queries rel rel_exact rows without words
