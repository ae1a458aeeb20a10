# SPDX-License-Identifier: Apache-2.0
# From an input to a decision: what is chosen is the best of what is safe, it verifies, and nothing is
# left behind where nothing is published.
. "$HERE/common.bash"

cp "$SAMPLE" log.tsv

echo "--- the answer"
lethe publish log.tsv -o release --risk 60% --seed 1 -q | sed 's/[0-9][0-9.]* %/N %/g; /Some of its rows/,/^$/d'
quietly lethe verify release
ls release
stat -c '%a %n' release release.map.tsv
lethe verify --caveats release | grep -c 'chosen by looking at the data'
echo "--- the command makes the same settings"
line=$(lethe publish log.tsv -o again --risk 60% --dry-run --seed 1 --json -q | python3 -c 'import json,sys; print(json.load(sys.stdin)["metrics"]["chosen"]["command"])')
eval "$line --seed 1 -q" && python3 - <<'END'
import json
a, b = (json.load(open(f"{name}/manifest.json")) for name in ("release", "again"))
print(a["steps"] == b["steps"], a["files"][0] == b["files"][0])
END

echo "--- refused"
printf 'a\tlonely query\t2024-03-01 10:00:00\nb\tanother one\t2024-03-01 11:00:00\n' >few.tsv
run lethe publish few.tsv -o none -q
run lethe publish log.tsv -o none -q --risk 60% --least 99%
run lethe publish log.tsv -o release -q
run lethe publish log.tsv -q
run lethe publish log.tsv -o none --risk 0
run lethe publish log.tsv -o none --risk 900
run lethe publish absent.tsv -o none
run lethe publish log.tsv -o -
ls -A | grep -v -e '^log' -e '^release' -e '^again' -e '^report' -e '^few'

echo "--- what could be published instead"
lethe publish log.tsv --goal sessions -o instead -q --seed 1 >said
echo "= $?"
cat said
eval "$(sed -n '/^  lethe/p' said) --seed 1 -q" | sed -n '1,2p'
quietly lethe verify instead
lethe publish log.tsv --goal sessions -o instead --dry-run --seed 1 --json -q >said
json said 'j["metrics"]["instead"], "chosen" in j["metrics"]'
run lethe publish log.tsv --goal counts --risk 1% --least 80% -o none -q --seed 1

echo "--- records and a table"
awk 'BEGIN { srand(1); split("bread milk book pen tea", w); for (i = 0; i < 300; i++) { s = ""; for (j = 1; j <= 5; j++) if (rand() < 0.4) s = s (s ? " " : "") w[j]; print s } }' >sets
lethe publish sets -o sets-release --from records --seed 1 -q | sed -n '1,2p'
quietly lethe verify sets-release
awk 'BEGIN { print "age,sex,town,illness"; split("cold flu cough", w); split("Rome Oslo Bern", c)
    for (i = 0; i < 400; i++) print 20 + (i * 7) % 50 "," (i % 2 ? "f" : "m") "," c[1 + i % 3] "," w[1 + int(i * i / 5) % 3] }' >people.csv
lethe publish people.csv --qi age,sex,town --sa illness -o table-release --seed 1 -q | sed -n '1p;/Who can be/,/^$/p' | sed 's/[0-9][0-9.]* %/N %/g'
quietly lethe verify table-release
run lethe publish people.csv -o none
run lethe publish people.csv --qi age,sex,town --sa illness --risk 1% -o none --seed 1 -q
run lethe publish people.csv --qi age,sex,town --sa illness --goal clicks -o none --seed 1 -q
run lethe publish sets --from records --risk 1% -o none --seed 1 -q
run lethe publish sets --from records --goal clicks -o none --seed 1 -q
