# SPDX-License-Identifier: Apache-2.0
# The same release of another input: the same steps, files given anew, attacked again.
. "$HERE/common.bash"

cp "$SAMPLE" log.tsv
quietly lethe scrub log.tsv --then threshold -t 3 -o release --seed 1
awk 'BEGIN { for (i = 0; i < 20; i++) print "bread milk" }' >sets
awk 'BEGIN { print "age,sex,town,illness"; split("cold flu cough", w); split("Rome Oslo Bern", c)
    for (i = 0; i < 400; i++) print 20 + (i * 7) % 50 "," (i % 2 ? "f" : "m") "," c[1 + i % 3] "," w[1 + int(i * i / 5) % 3] }' >people.csv
echo "--- next month"
(head -n 1 log.tsv; tail -n +2 log.tsv | awk 'NR % 9') >next.tsv
quietly lethe redo release next.tsv -o next --seed 1 --risk 60%
quietly lethe verify next
python3 - <<'END'
import json
a, b = (json.load(open(f"{name}/manifest.json"))["steps"] for name in ("release", "next"))
print("same steps:", a == b)
END
lethe verify --caveats next | grep -c 'settings of an earlier release'
quietly lethe redo release/manifest.json next.tsv -o next2 --seed 1 --risk 60%
diff -r next next2 && echo same
run lethe redo release next.tsv -o none --risk 0.001% --seed 1 -q
run lethe redo release sets --from records -o none
run lethe redo nowhere next.tsv -o none
mkdir trees && quietly lethe hierarchy people.csv town -o trees/town.csv
quietly lethe local people.csv --qi age,town --hierarchies trees --ranges age=5,10 -k 5 -o with-trees
run lethe redo with-trees people.csv -o none
quietly lethe redo with-trees people.csv --hierarchies trees -o with-trees-2 --risk 30%
quietly lethe verify with-trees-2
