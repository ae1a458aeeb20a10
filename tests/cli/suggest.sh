# SPDX-License-Identifier: Apache-2.0
# What is suggested is what publish would choose, it can be run as it is printed, and every release verifies.
. "$HERE/common.bash"

# tries NAME INPUT... : the commands with one k or t, at any risk, each once; all must exit 0.
tries() {
    local name=$1 line n=0
    shift
    lethe suggest "$@" --risk 100% --all -q --seed 1 >page
    grep '^    lethe .*-[kt] 11 ' page | LC_ALL=C sort -u >each
    while read -r line; do
        rm -rf release
        if (set -o pipefail; eval "$line -q") </dev/null >said 2>&1; then
            n=$((n + 1))
            quietly lethe verify release
        else
            echo "$name: failed: $line"
            cat said
        fi
    done <each
    rm -rf release
    echo "$name: $n of $(wc -l <each) commands, such as"
    head -n 1 each
}

# agrees "GOAL..." INPUT... : the candidates of publish, with the same seed, are those of suggest, in the
# same order.
agrees() {
    local goal goals=$1
    shift
    for goal in $goals; do
        lethe suggest "$@" --goal $goal --seed 3 --json -q >s 2>/dev/null
        lethe publish "$@" --goal $goal --seed 3 --dry-run --json -q >p 2>/dev/null
        python3 - $goal <<'END'
import json, sys
s, p = (json.load(open(name))["metrics"] for name in "sp")
g = s["goals"][0]
mine = [(c["label"], c.get("kept_for_goal"), c.get("risk")) for c in g["fits"] + g["dropped"]]
its = [(c["label"], c.get("kept_for_goal"), c.get("exposure")) for c in p["candidates"]]
print(sys.argv[1], "the same" if mine == its else ("differ", mine, its), len(mine), "candidates")
END
    done
}

cp "$SAMPLE" sample.tsv
echo "--- all goals"
run lethe suggest sample.tsv --seed 1 -q
echo "--- one goal"
run lethe suggest sample.tsv --goal patterns --seed 1 -q
run lethe suggest sample.tsv --goal counts --seed 1 --no-progress
run lethe suggest sample.tsv --goal counts --seed 1 -q --all
echo "--- bounds"
lethe suggest sample.tsv --goal clicks --risk 30% --seed 1 -q | sed 's/[0-9][0-9.]* %/N %/g'
lethe suggest sample.tsv --goal clicks --risk 30% --least 99% --seed 1 -q | sed 's/[0-9][0-9.]* %/N %/g'
echo "--- a sample"
lethe suggest sample.tsv --goal sessions --risk 15% --sample 25 --seed 1 -q | sed 's/[0-9][0-9.]* %/N %/g'
echo "--- JSON"
lethe suggest sample.tsv --goal counts --seed 1 --json -q >report
json report '[list(j), j["parameters"], list(j["metrics"]), [f["label"] for f in j["metrics"]["goals"][0]["fits"]]]'
json report 'sorted(j["metrics"]["goals"][0]["fits"][0]), j["metrics"]["dropped"]'
echo "--- any number of threads"
lethe suggest sample.tsv --goal sessions --risk 30% --seed 1 -q --threads 1 >one
lethe suggest sample.tsv --goal sessions --risk 30% --seed 1 -q --threads 3 | cmp - one && echo "the same"
echo "--- as publish"
agrees counts sample.tsv

echo "--- every command"
tries log sample.tsv --goal clicks
tail -n +2 sample.tsv | awk -F'\t' -v OFS=, '{ print $3, $1, $2 }' >"a log's.csv"
tries csv "a log's.csv" --from csv --columns time=1,user=2,query=3 --goal counts
awk 'BEGIN { srand(1); split("bread milk book pen tea", w)
    for (i = 0; i < 200; i++) { s = ""; for (j = 1; j <= 5; j++) if (rand() < 0.4) s = s (s ? " " : "") w[j]; print s } }' >sets
tries records sets --from records --goal sessions
agrees sessions sets --from records
printf 'bread\tfood\nmilk\tfood\ntea\tfood\nfood\tall\nbook\tall\npen\tall\n' >goods.tsv
tries "records with a taxonomy" sets --from records --taxonomy goods.tsv --goal counts
awk 'BEGIN { print "age,sex,town,illness,note"; split("cold flu cough", w); split("Rome Oslo Bern", c)
    for (i = 0; i < 200; i++) print 20 + (i * 7) % 50 "," (i % 2 ? "f" : "m") "," c[1 + i % 3] "," w[1 + int(i * i / 5) % 3] "," i }' >people.csv
run lethe suggest people.csv --qi age,sex,town --sa illness --seed 1 -q
tries table people.csv --qi age,sex,town --sa illness
agrees patterns people.csv --qi age,sex,town --sa illness
tries "table without" people.csv --qi "age,town" --ranges age=5,10,20 --missing drop
tries "two sensitive columns" people.csv --qi age,sex --sa town,illness

echo "--- nothing fits"
printf '1\talone\t2006-03-01 10:00:00\n1\tagain\t2006-03-02 10:00:00\n' >one.tsv
run lethe suggest one.tsv -q
run lethe suggest one.tsv --goal clicks -q
run lethe suggest sets --from records --goal clicks -q --seed 1
run lethe suggest people.csv --qi age,sex,town --goal clicks -q --seed 1
run lethe suggest people.csv --qi age,sex,town --sa illness --risk 1% -q --seed 1
printf 'x1 x2\nx3 x4\nx1\nx2 x3\n' >codes
run lethe suggest codes --from records --goal patterns -q
WNSEARCHDIR=/nowhere run lethe suggest sample.tsv --goal patterns -q
echo "--- codes are no numbers, and need a hierarchy"
awk 'BEGIN { print "zip,age,illness"; for (i = 0; i < 60; i++) print 10115 + i % 20 "," 20 + i % 30 "," (i % 3 ? "cold" : "flu") }' >zips.csv
run lethe suggest zips.csv --qi zip,age --sa illness --risk 20% --seed 1 -q
lethe suggest zips.csv --qi age --sa illness --json -q >report 2>/dev/null
json report '"no_hierarchy" in j["metrics"]'
mkdir trees
quietly lethe hierarchy zips.csv zip -o trees/zip.csv -q
lethe suggest zips.csv --qi zip --sa illness --hierarchies trees --json -q >report 2>/dev/null
json report '"no_hierarchy" in j["metrics"]'
echo "--- bad usage and input"
run lethe suggest
run lethe suggest sample.tsv --goal nothing
run lethe suggest sample.tsv --risk 0
run lethe suggest nowhere.tsv
run lethe suggest people.csv
run lethe suggest people.csv --from table
run lethe suggest people.csv --qi nosuch
run lethe suggest people.csv --qi age --sa age
ls -A "$TMPDIR"
