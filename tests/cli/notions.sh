# SPDX-License-Identifier: Apache-2.0
# Tables: entropy and recursive diversity, closeness, several sensitive columns and k-map, asked of each method; what
# is refused.
. "$HERE/common.bash"
awk 'BEGIN {
    s = 5
    split("flu cold ulcer gastritis cancer", ill, " ")
    print "age,sex,town,disease,salary"
    for (i = 0; i < 120; i++) {
        for (j = 0; j < 5; j++) { s = (s * 69069 + 1) % 16777216; r[j] = int(s / 256) }
        print 20 + r[0] % 40 "," substr("mf", 1 + r[1] % 2, 1) ",t" r[2] % 3 "," ill[1 + r[3] % 5] "," 3000 + r[4] % 4 * 1000
    }
}' >t.csv
awk -F , 'NR == 1 { print "town,name,age,sex"; next } { for (i = 0; i < 5; i++) print $3 ",n" NR "," $1 "," $2 }
          END { print "t9,x,30,m"; print "t1,x,95,f" }' t.csv >people.csv
mkdir trees
printf '%s\n' 'flu;lungs;*' 'cold;lungs;*' 'ulcer;stomach;*' 'gastritis;stomach;*' 'cancer;any;*' >trees/disease.csv
ask() { lethe "$1" t.csv --qi age,sex,town --ranges age=5,10,20 "${@:2}" -q --seed 1 --force -o rel; }
none() { [ "$1" = incognito ] || echo --suppress none; }
for m in lplus incognito anneal; do
    echo "--- $m"
    for asks in "--entropy-l 2.5" "--recursive 1.5,2" "--t-closeness 0.3" "--t-closeness 3/10 --t-distance hierarchical --hierarchies trees"; do
        run ask $m --sa disease $asks $(none $m) && lethe verify rel && json rel/manifest.json 'j["claims"]' && ls rel
    done
    run ask $m --sa salary --t-closeness 0.25 --t-distance ordered $(none $m) && lethe verify rel
    run ask $m --k-map 30 --population people.csv $(none $m) && lethe verify rel --population people.csv && json rel/manifest.json '[j["claims"][0]["population"] == j["steps"][0]["parameters"]["population-blake2b"], j["steps"][0]["parameters"]["population"]]'
    run lethe verify rel
    run ask $m --sa disease,salary --theta 1/2 --distinct-l 2 --entropy-l 2 --recursive 3,2 --t-closeness 1/2 --t-distance disease=hierarchical,salary=ordered --hierarchies trees -k 3 --k-map 20 --population people.csv $(none $m) && lethe verify rel --population people.csv && json rel/manifest.json '[(c["notion"], c.get("sa")) for c in j["claims"]]' && head -n 1 rel/data.csv && cat rel/sensitive.tsv
done
echo "--- rows of the population that no hierarchy covers"
lethe lplus t.csv --qi age,sex,town --ranges age=5,10,20 --k-map 30 --population people.csv --force -o rel 2>&1 | grep warning
echo "--- with deletions"
for suppress in vioRec allRec; do
    run ask lplus --sa disease --theta 1/3 --entropy-l 3 --suppress $suppress && lethe verify rel
    run ask lplus --sa disease,salary --distinct-l 3 --recursive 2,2 --suppress $suppress && lethe verify rel
    run ask lplus -k 3 --k-map 25 --population people.csv --suppress $suppress && lethe verify rel --population people.csv
done
run ask lplus --sa disease --theta 1/2 --k-map 30 --population people.csv --suppress vioSA && lethe verify rel --population people.csv
lethe verify --caveats rel | tail -n +2
echo "--- numbers of many digits"
run ask lplus --sa disease --t-closeness 0.333333333333333333 --suppress none && lethe verify rel && json rel/manifest.json 'j["claims"][0]["t"]'
run ask local --sa disease -k 5 --suppress 0.033333333333333333 && lethe verify rel && json rel/manifest.json 'j["metrics"]["rows_deleted"]'
echo "--- what is refused"
for asks in "--entropy-l 0.5" "--entropy-l x" "--entropy-l 1e3" "--recursive 3" "--recursive 0,2" "--recursive 3,0" "--recursive x,2" \
    "--t-closeness 2" "--t-closeness 0.2" "--t-distance ordered -k 2" "--t-closeness 0.2 --t-distance near --suppress none" \
    "--t-closeness 0.2 --t-distance age=ordered --suppress none" "--t-closeness 0.2 --t-distance disease=equal,disease=equal --suppress none" \
    "--t-closeness 0.2 --t-distance hierarchical --suppress none" "--t-closeness 0.2 --t-distance ordered --suppress none" \
    "--entropy-l 2 --suppress vioSA" "--recursive 2,2 --suppress allSA" "--k-map 5" "--k-map 1" "--population people.csv" \
    "--k-map 5 --population nowhere.csv" "--k-map 5 --population people.csv --population-blake2b 00"; do
    run ask lplus --sa disease $asks
done
mkdir other && printf '%s\n' 'm;*' 'f;*' >other/sex.csv
run ask lplus --sa disease --t-closeness 0.2 --t-distance hierarchical --hierarchies other --suppress none
printf '%s\n' 'flu;lungs;*' 'lungs;lungs;*' >other/disease.csv
run ask lplus --sa disease --t-closeness 0.2 --t-distance hierarchical --hierarchies other --suppress none
sed 's/,flu,/,lungs,/' t.csv >inner.csv
run lethe lplus inner.csv --qi age,sex --sa disease --t-closeness 0.2 --t-distance hierarchical --hierarchies trees --suppress none -q -o none
for asks in "--entropy-l 2" "--recursive 2,2" "--t-closeness 0.2"; do run lethe lplus t.csv --qi age $asks -o none; done
for asks in "--theta 1/2" "--theta 1/2 --suppress vioSA" "--distinct-l 2 --suppress allSA" "--theta-by-frequency 1/2 --suppress none" "--theta-file t.csv --suppress none"; do
    run ask lplus --sa disease,salary $asks
done
run ask lplus --sa disease,age -k 2
run ask lplus --sa disease,disease -k 2
echo "--- nothing can be published"
run ask lplus --sa disease --entropy-l 4.999 --suppress none
run ask lplus --sa disease --recursive 0.2,5 --suppress none
run ask lplus --sa disease,salary --distinct-l 5 --suppress none
run ask lplus --k-map 1000 --population people.csv
