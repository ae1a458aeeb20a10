# SPDX-License-Identifier: Apache-2.0
# The page of a table: what it is taken for, proposed and given quasi-identifiers, risks, refusals.
. "$HERE/common.bash"

# 60 patients: an identifier, a name, quasi-identifiers, a diagnosis, a note, a column of one value.
awk 'BEGIN { s = 7
    print "id;name;birth;sex;zip;diagnosis;note;land"
    split("flu cold asthma", d)
    for (i = 1; i <= 60; i++) {
        s = (s * 69069 + 1) % 16777216; a = int(s / 4096)
        s = (s * 69069 + 1) % 16777216; b = int(s / 4096)
        printf "%d;%s;%d;%s;%05d;%s;\"came in on day %d; is better now\";CH\n", i, "Person " i, 1950 + a % 12, a % 2 ? "m" : "f",
            2139 + b % 4, i % 17 ? d[1 + (a + b) % 3] : "", i } }' >patients.csv
echo "--- proposed"
run lethe profile patients.csv
run lethe profile patients.csv --explain
echo "--- given, with sensitive columns and a population"
for i in 1 2 3; do tail -n +2 patients.csv; done | cat <(head -n 1 patients.csv) - >people.csv
run lethe profile patients.csv --qi sex,zip --sa diagnosis,birth --population people.csv --explain
echo "--- the population lacks people"
head -n 20 patients.csv >few.csv
lethe profile patients.csv --qi sex,zip --population few.csv | grep -e journalist -e fewer
echo "--- JSON"
lethe profile patients.csv --sa diagnosis --json >report
json report 'list(j), list(j["metrics"]), j["parameters"]'
json report 'j["metrics"]["qi"], j["metrics"]["identifiers"], j["metrics"]["free_texts"], j["metrics"]["constants"]'
json report 'j["metrics"]["sensitive"], j["metrics"]["risk"], j["metrics"]["combinations"][:2]'
python3 - report <<'END'
# the figures once more, from the file
import csv, json, sys
from collections import Counter
m = json.load(open(sys.argv[1]))["metrics"]
rows = list(csv.DictReader(open("patients.csv"), delimiter=";"))
size = Counter(tuple(r[c] for c in m["qi"]) for r in rows)
unique = sum(n for n in size.values() if n == 1)
assert (m["groups"], m["smallest_k"], m["unique_rows"]) == (len(size), min(size.values()), unique)
assert abs(m["risk"]["prosecutor"]["mean"] - sum(1 / size[tuple(r[c] for c in m["qi"])] for r in rows) / len(rows)) < 1e-12
for c in m["combinations"]:
    n = Counter(tuple(r[x] for x in c["columns"]) for r in rows)
    assert c["unique_rows"] == sum(v for v in n.values() if v == 1), c
print("as counted again")
END
echo "--- a log or a table"
printf 'user,query,time\n1,maps,2006-03-01 10:00:00\n' >log.csv
lethe profile log.csv -q | head -n 3
lethe profile log.csv --from table -q | head -n 1
lethe profile patients.csv -q | head -n 1
lethe profile - --from table -q <patients.csv | head -n 1
gzip -k patients.csv
lethe profile patients.csv.gz -q | head -n 1
echo "--- threads"
lethe profile patients.csv --threads 1 >one
lethe profile patients.csv --threads 5 | cmp - one && echo same
echo "--- a name that a shell must not see"
printf "a b,\"it's, c\"\n1,2\n1,3\n" >"my table.csv"
lethe profile "my table.csv" | sed -n '/^Next/,$p'
lethe profile "my table.csv" | sed -n 's/  lethe check/lethe check/p' >command
bash command | head -n 2
echo "--- several files"
lethe profile patients.csv patients.csv --qi sex,zip -q | sed -n '1p; /smallest/p'
sed '1s/sex/gender/' patients.csv >other.csv
run lethe profile patients.csv other.csv --qi sex
echo "--- refused"
run lethe profile patients.csv --qi sex,Zipp
run lethe profile patients.csv --qi sex --sa sex
run lethe profile patients.csv --qi sex --columns user=1,query=2
run lethe profile patients.csv --qi sex --population log.csv
run lethe profile patients.csv --from jsonl --qi sex
run lethe profile none.csv --qi sex
printf 'a,b\n' >empty.csv
run lethe profile empty.csv --qi a
printf 'a,b\n1,2\n3\n' >bad.csv
run lethe profile bad.csv --qi a
run lethe profile bad.csv --qi a --strict-input
ls -A "$TMPDIR"
