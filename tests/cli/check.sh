# SPDX-License-Identifier: Apache-2.0
# Requirements on tables that lethe did not make: answers, counterexamples, exit statuses.
. "$HERE/common.bash"
cat >table.csv <<'END'
age,sex,town,illness,income
30-39,f,Bern,flu,10
30-39,f,Bern,cold,20

30-39,f,Bern,flu,10
40-49,m,Oslo,flu,30
40-49,m,Oslo,flu,40
*,m,Oslo,*,40
END
echo "--- what it reaches"
run lethe check table.csv --qi age,sex
run lethe check table.csv --qi age,sex --sa illness,income
echo "--- requirements"
run lethe check table.csv --qi age,sex -k 1
run lethe check table.csv --qi age,sex -k 2
run lethe check table.csv --qi sex -k 3 --sa illness --theta 2/3 --distinct-l 1
run lethe check table.csv --qi age,sex --sa illness,income -k 2 --theta 0.6 --distinct-l 2
echo "--- notions of distributions, and a population"
run lethe check table.csv --qi sex --sa income --entropy-l 2.5 --recursive 2,2 --t-closeness 0.6
run lethe check table.csv --qi sex --sa income --t-closeness 1/3 --t-distance income=ordered
run lethe check table.csv --qi age --sa illness --entropy-l 1.5
run lethe check table.csv --qi sex --sa illness --t-closeness 1/3 --t-distance ordered
printf 'w;s\n3,5;a\n4,5;a\n' >commas.csv
run lethe check commas.csv --qi s --sa w --t-closeness 1/3 --t-distance ordered
printf 'sex,age\nf,1\nf,2\nf,3\nf,4\nm,5\nm,6\nm,7\n' >everybody.csv
run lethe check table.csv --qi sex --k-map 3 --population everybody.csv
run lethe check table.csv --qi sex --k-map 4 --population everybody.csv
run lethe check table.csv --qi sex --k-map 4
printf 'q,s\na,x\na,y\nb,x\nb,y\n' >even.csv
run lethe check even.csv --qi q --sa s --t-closeness 0
echo "--- long numbers"
run lethe check even.csv --qi q --sa s --t-closeness 0.333333333333333333
run lethe check even.csv --qi q --sa s --t-closeness 0.3333333333333333333
run lethe check even.csv --qi q --sa s --entropy-l 1.0000000001
run lethe check even.csv --qi q --sa s --entropy-l 1.5/1
run lethe check even.csv --qi q --sa s --recursive 0.0000000001,2
echo "--- as many groups as people: the time must not grow with their product"
awk 'BEGIN { print "id,sex"; for (i = 0; i < 200000; i++) print i ",f" }' >many.csv
timeout 20 "$LETHE" check many.csv --qi id --k-map 2 --population many.csv | head -n 3
run lethe check table.csv --qi sex -k 2 --population everybody.csv
run lethe check table.csv --qi sex --sa income --entropy-l 0.5
run lethe check table.csv --qi sex --sa income --recursive 2
run lethe check table.csv --qi sex --sa income --t-closeness 0.1 --t-distance hierarchical
echo "--- JSON"
lethe check table.csv --qi age,sex --sa illness -k 2 --distinct-l 2 --json >report
echo "= $?"
json report 'list(j), list(j["metrics"])'
json report 'j["claims"], j["verdict"]'
lethe check table.csv --qi sex -k 3 --json >report
echo "= $?"
json report 'j["metrics"]["holds"], j["verdict"]'
echo "--- a release, and what was published of it"
awk 'BEGIN { print "age,sex,illness"; split("cold flu cough", w); for (i = 0; i < 60; i++) print 20 + i * 7 % 40 "," (i % 2 ? "f" : "m") "," w[1 + i % 3] }' >people.csv
quietly lethe lplus people.csv --qi age,sex --sa illness --ranges age=5,10,20 -k 5 --theta 1/2 -o release
quietly lethe check release/data.csv --qi age,sex --sa illness -k 5 --theta 1/2 && echo holds
quietly lethe check people.csv --qi age,sex -k 5 | grep -c 'DOES NOT HOLD'
echo "--- bytes that are no text, and lines in quotes"
printf 'a;s\ncaf\xe9;"x\ny"\ncaf\xe8;x\n' >bytes.csv
run lethe check bytes.csv --qi a -k 2
lethe check bytes.csv --qi a -k 2 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["metrics"]["counterexample"])'
echo "--- usage"
run lethe check table.csv
run lethe check table.csv --qi age -k 0
run lethe check table.csv --qi age --theta 1/2
run lethe check table.csv --qi age --sa illness --theta 2
run lethe check table.csv --qi age --sa age -k 2
run lethe check table.csv --qi age --sa income -k 2 --t-distance ordered
run lethe check table.csv --qi age -k 2 --population table.csv
run lethe check table.csv --qi age --columns user=1,query=2
run lethe check table.csv --qi age --from jsonl
echo "--- bad input"
run lethe check table.csv --qi agee -k 2
printf 'a,b\n1,2\n1,2\n1\n' >short.csv
run lethe check short.csv --qi a -k 2
run lethe check none.csv --qi a -k 2
: >empty.csv
run lethe check empty.csv --qi a -k 2
ls -A "$TMPDIR"
