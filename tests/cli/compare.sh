# SPDX-License-Identifier: Apache-2.0
# A study of a log, of records and of a table; what it is kept in; what is refused.
. "$HERE/common.bash"
# table FOLDER: the rows, without what differs between any two runs.
table() {
    json "$1/study.json" '"\n".join("{:26} {:20} {} {} {} {}".format(r["label"], r["notion"], r["holds"], r["status"], r.get("published"), " ".join(sorted(r.get("attacks", {})))) for r in j["metrics"]["rows"])'
}
quietly lethe synth --users 40 --queries-per-user 10 --seed 1 --truth truth.tsv -o log.tsv
methods=clump,mm,scrub,seal,split,threshold
echo "--- a log"
quietly lethe compare log.tsv --methods $methods -k 2,30 --seed 1 --truth truth.tsv -o study
table study
ls -A study study/releases study/maps study/rows
for release in study/releases/*; do quietly lethe verify "$release"; done
stat -c '%a %n' study study/maps study/maps/scrub.tsv study/rows study/study.json study/releases study/releases/scrub
head -n 1 study/study.csv
wc -l <study/study.csv
lethe compare log.tsv --methods $methods -k 2,30 --seed 1 --truth truth.tsv -o study 2>&1 | cut -c 1-46

echo "--- each run as it ends, and what is best"
lethe compare log.tsv --methods threshold,scrub -k 2,30 --seed 1 --no-progress
lethe compare log.tsv -k 2 --seed 1 -q >all
sed 's/[0-9][0-9.]* %/N %/g' all | grep -e '^run' -e '^counts' -e '^threshold' -e ' %* or less' -A 99 | tail -n 14
awk 'length > 80 && !/lethe scrub/ && !/^goals/' all
echo "--- too little time, and more of it"
quietly lethe synth --users 1100 --queries-per-user 3 --seed 1 -o many.tsv
study="lethe compare many.tsv --methods microagg,scrub,threshold -k 5 --seed 1 -q"
$study --within 1s -o short >/dev/null 2>&1 # whatever is done by then
json short/study.json 'all(r.get("left_out", False) == ("(--within)" in (r["error"] or "")) for r in j["metrics"]["rows"]), [r["name"] for r in j["metrics"]["rows"] if r.get("left_out")] == sorted(set(r["name"] for r in j["metrics"]["rows"]) - set(f[:-5] for f in __import__("os").listdir("short/rows")), key=[r["name"] for r in j["metrics"]["rows"]].index)'
quietly $study --within 10m -o short
quietly $study -o long
diff -r short/releases long/releases && [ "$(table short)" = "$(table long)" ] && echo "the same study"

echo "--- the same as single commands"
quietly lethe threshold log.tsv -t 2 --seed 1 --map map -o single
diff -r single study/releases/threshold-t2 && cmp map study/maps/threshold-t2.tsv && echo "the same release"
lethe attack single --original log.tsv --truth truth.tsv --map map --seed 1 --json 2>/dev/null >attack.json
lethe measure single --original log.tsv --map map --json 2>/dev/null >measure.json
python3 - <<'END'
import json
row, attack, measure = (json.load(open(name)) for name in ("study/rows/threshold-t2.json", "attack.json", "measure.json"))
print(row["attacks"] == {name: {part: v[part] for part in ("success", "before", "baseline", "strategy") if part in v} for name, v in attack["metrics"].items()})
print(bool(row["measures"]) and all(measure["metrics"][name] == v for name, v in row["measures"].items()))
END

echo "--- threads"
for n in 1 2 7; do
    quietly lethe compare log.tsv --methods $methods,microagg -k 2 --seed 1 --truth truth.tsv --threads $n -o t$n
    diff -r t1/releases t$n/releases && diff -r t1/maps t$n/maps && [ "$(table t1)" = "$(table t$n)" ] && echo "$n: the same"
done

echo "--- refused, and left as it is"
before=$(find study | sort | b2sum)
# The page of a study is made again from its folder; no row of it is the original's.
lethe report study -o again.html -q && cmp again.html study/report.html
lethe report study -o - --max-risk 0.5 | grep -o 'with a risk of at most [0-9]* %\.'
run lethe report study -o none --original log.tsv
# It links to the pages of releases that have one.
cp -r study linked && : >linked/releases/threshold-t2/report.html
lethe report linked -o - | grep -o 'href="releases/[^"]*"'
grep -c 'href="releases/' study/report.html
rm -r linked
run lethe compare log.tsv --methods $methods -k 2,29 --seed 1 --truth truth.tsv -o study
run lethe compare log.tsv --methods $methods -k 2,30 --seed 2 --truth truth.tsv -o study
touch log.tsv
run lethe compare log.tsv --methods $methods -k 2,30 --seed 1 --truth truth.tsv -o study
run lethe compare single/data.tsv --methods scrub -o single
run lethe compare single/data.tsv --methods scrub -o single --force
run lethe compare log.tsv --methods lplus -o new
run lethe compare log.tsv -k 5,5 -o new
run lethe compare log.tsv --gap 1h --methods scrub -o new
run lethe compare nothing.tsv -o new
[ "$before" = "$(find study | sort | b2sum)" ] || echo "the study has changed"
quietly lethe compare log.tsv --methods scrub --force -o study
ls study/releases

echo "--- standard input, and nothing kept"
lethe compare - --methods scrub,threshold -t 2 -q <log.tsv | cut -c 1-40
run lethe compare - --methods scrub -o piped -q <log.tsv | cut -c 1-40
run lethe compare - --methods scrub -o piped -q <log.tsv
ls -A "$TMPDIR"

echo "--- records"
printf '1\ta b c\n2\ta b\n3\ta c d\n4\tb c\n5\ta b c d\n6\ta x\n' >sets.txt
printf 'a\tx\nb\tx\nc\ty\nd\ty\nx\tr\ny\tr\n' >tree.tsv
quietly lethe compare sets.txt -k 2,9 --taxonomy tree.tsv --seed 1 -o sets
table sets
run lethe compare sets.txt --gap 1h

echo "--- a table"
{
    echo age,zip,disease
    for i in $(seq 60); do echo $((20 + i % 17)),$((100 + i % 5)),d$((i % 4)); done
} >table.csv
quietly lethe compare table.csv --qi age,zip --sa disease --ranges age=5,10 --theta 1/2,1/5 --seed 1 -o tables
table tables
json tables/study.json '[0 <= r["utility"] <= 1 and 0 <= r["success"] <= 1 for r in j["metrics"]["rows"] if r["holds"]]'
quietly lethe compare table.csv --qi age,zip -k 4 --theta 1/3 --sa disease --methods lplus -o third
ls third/releases
quietly lethe compare table.csv --qi age,zip -k 2,4 --sa disease --methods lplus -o varied
table varied
json varied/study.json 'j["metrics"]["varied"]'
grep -o 'Varied: [^<]*' varied/report.html
# a row that a method deletes keeps nothing: utility is what measure's loss leaves
{
    echo age,zip
    for i in $(seq 60); do echo $((20 + i % 3)),$((100 + i % 5)); done
    echo 99,999
} >odd.csv
quietly lethe compare odd.csv --qi age,zip -k 4 --methods lplus -o odd
lethe measure odd/releases/lplus-k4 --original odd.csv --json >measured
json measured 'round(1 - j["metrics"]["loss"], 9), j["metrics"]["rows_deleted"]'
json odd/study.json '[round(r["utility"], 9) for r in j["metrics"]["rows"]]'
for options in '--theta 1/2,1/3 --sa disease --methods lplus' '--sa disease --methods lplus' '--methods lplus,anneal'; do
    lethe compare table.csv --qi age,zip $options -q --json >said
    json said 'j["metrics"]["varied"]'
done
quietly lethe compare table.csv --qi age,zip -k 4 --methods lplus -o fourth
table fourth
run lethe compare table.csv --from table
ls -A "$TMPDIR"
