# SPDX-License-Identifier: Apache-2.0
# What is suggested can be run as it is printed, and every release verifies.
. "$HERE/common.bash"

# tries NAME INPUT... : every command line for every goal, each once, must exit 0.
tries() {
    local name=$1 goal line n=0
    shift
    : >lines
    for goal in patterns sessions clicks counts; do
        lethe suggest "$@" --goal $goal -q >page
        case $? in
        0 | 1) sed -n 's/^   \(lethe .*\)/\1/p' page >>lines ;;
        *) echo "$name: --goal $goal failed" ;;
        esac
    done
    lethe suggest "$@" -q | sed -n 's/^  [a-z]*  *[a-z]*  *\(lethe .*\)/\1/p' >>lines
    LC_ALL=C sort -u lines >each
    while read -r line; do
        rm -rf release-*
        if (set -o pipefail; eval "$line") </dev/null >said 2>&1; then
            n=$((n + 1))
            quietly lethe verify release-*
        else
            echo "$name: failed: $line"
            cat said
        fi
    done <each
    echo "$name: $n of $(wc -l <each) commands"
    sed "s|$SAMPLE|sample.tsv|; s|${LETHE_DATA:-none}|data|" each
}

cp "$SAMPLE" sample.tsv
echo "--- one line a goal"
run lethe suggest sample.tsv
echo "--- one goal"
run lethe suggest sample.tsv --goal clicks
echo "--- JSON"
lethe suggest sample.tsv --goal counts --json -q >report
json report '[list(j), j["parameters"], list(j["metrics"]), [f["method"] for f in j["metrics"]["goals"][0]["fits"]]]'
json report 'sorted(j["metrics"]["goals"][0]["fits"][0])'

echo "--- every command"
tries log sample.tsv
tail -n +2 sample.tsv | awk -F'\t' -v OFS=, '{ print $3, $1, $2 }' >"a log's.csv"
tries csv "a log's.csv" --from csv --columns time=1,user=2,query=3
tail -n +2 sample.tsv | awk -F'\t' '$2 ~ /^[a-z ]*$/ { print $1 "\t" $2 }' >records
tries records records
printf 'bread\tfood\nmilk\tfood\nfood\tall\nbook\tall\n' >goods.tsv
awk 'BEGIN { split("bread milk book", w); for (i = 0; i < 60; i++) print w[1 + i % 3] (i % 4 ? " " w[1 + (i + 1) % 3] : "") }' >sets
tries sets sets --from records --taxonomy goods.tsv
awk 'BEGIN { print "age,sex,town,illness,note"; split("cold flu cough", w); split("Rome Oslo Bern", c)
    for (i = 0; i < 90; i++) print 20 + (i * 7) % 50 "," (i % 2 ? "f" : "m") "," c[1 + i % 3] "," w[1 + int(i * i / 5) % 3] "," i }' >people.csv
tries table people.csv --qi age,sex,town --sa illness
awk -F, 'NR == 1 || $4 != "cold" || NR % 3 == 0' people.csv >even.csv
tries "table, even" even.csv --qi age,sex,town --sa illness
lethe suggest people.csv --qi age --sa illness --json >report
json report 'j["metrics"]["top_share"], j["metrics"]["persons"]'
cut -d, -f4 people.csv | sort | uniq -c
tries "table without" people.csv --qi "age,town" --ranges age=5,10,20 --missing drop

echo "--- what does not fit"
printf '1\talone\t2006-03-01 10:00:00\n1\tagain\t2006-03-02 10:00:00\n' >one.tsv
run lethe suggest one.tsv
run lethe suggest one.tsv --goal counts
run lethe suggest records --goal clicks
run lethe suggest people.csv --from table
run lethe suggest people.csv
printf 'x1 x2\nx3 x4\nx1\nx2 x3\n' >codes
run lethe suggest codes --from records --goal patterns
WNSEARCHDIR=/nowhere run lethe suggest sample.tsv --goal patterns -q
echo "--- codes are no numbers, and need a hierarchy"
awk 'BEGIN { print "zip,age,illness"; for (i = 0; i < 60; i++) print 10115 + i % 20 "," 20 + i % 30 "," (i % 3 ? "cold" : "flu") }' >zips.csv
run lethe suggest zips.csv --qi zip,age --sa illness
lethe suggest zips.csv --qi zip,age --sa illness --goal counts --json >report
json report 'j["metrics"]["no_hierarchy"], j["metrics"]["goals"][0]["fits"][0]["reasons"]'
lethe suggest zips.csv --qi age --sa illness --json >report
json report '"no_hierarchy" in j["metrics"]'
mkdir trees
quietly lethe hierarchy zips.csv zip -o trees/zip.csv -q
lethe suggest zips.csv --qi zip --sa illness --hierarchies trees --json >report
json report '"no_hierarchy" in j["metrics"]'
echo "--- bad usage and input"
run lethe suggest
run lethe suggest sample.tsv --goal nothing
run lethe suggest nowhere.tsv
run lethe suggest people.csv --qi nosuch
run lethe suggest people.csv --qi age --sa age
echo "--- real data"
# Where it is there; only a command that fails is shown.
cd "$TMPDIR" || exit
data=${LETHE_DATA:-$ROOT/../shared/data}
real() {
    tries "$@" >real 2>&1
    grep -q 'failed' real && cat real
    return 0
}
[ ! -r "$data/excite-small.log.zst" ] || real excite "$data/excite-small.log.zst" --columns user=1,time=2,query=3
[ ! -r "$data/groceries.dat.zst" ] || real groceries "$data/groceries.dat.zst" --from records
if [ -r "$data/adult_complete_45222.csv.zst" ]; then
    zstd -dcq "$data/adult_complete_45222.csv.zst" | head -n 2001 >adult.csv
    real adult adult.csv --qi age,sex,race --sa occupation
fi
