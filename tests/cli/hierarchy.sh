# SPDX-License-Identifier: Apache-2.0
# lethe hierarchy: what a column is taken for, what is written, and that a release can be made with it.
. "$HERE/common.bash"
cat >t.csv <<'END'
age;zip;born;size;job;disease
34;01069;1971-03-04;3,5;nurse;flu
35;01099;1971-11-30;4,25;doctor;hiv
36;10115;1969-01-01;12;nurse;flu
71;10117;1934-05-06;7;baker;cold
72;10119;1934-05-07;0,125;"cook; chef";flu
?;80331;1931-12-24;9;baker;cold
END
echo "--- each column"
for column in age zip born size job disease; do run lethe hierarchy t.csv "$column"; done
echo "--- as it is asked for"
run lethe hierarchy t.csv age --widths 10,20
run lethe hierarchy t.csv zip --prefixes 3,1
run lethe hierarchy t.csv age --kind flat -q
run lethe hierarchy t.csv zip --kind numbers -q
printf 'nurse\thealth\tservices\ndoctor\thealth\nbaker\tfood\n' >groups.tsv
run lethe hierarchy t.csv job --groups groups.tsv
echo "--- refused"
run lethe hierarchy t.csv aeg
run lethe hierarchy t.csv
run lethe hierarchy
run lethe hierarchy nothing.csv age
run lethe hierarchy t.csv job --kind numbers
run lethe hierarchy t.csv job --kind groups
run lethe hierarchy t.csv job --groups nothing.tsv
run lethe hierarchy t.csv age --widths 5,7
run lethe hierarchy t.csv age --widths 5 --kind codes
run lethe hierarchy t.csv age --json
run lethe hierarchy t.csv age --columns user=1
printf 'nurse\thealth\nnurse\tfood\n' >bad.tsv
run lethe hierarchy t.csv job --groups bad.tsv
echo "--- a file, and what is made with it"
mkdir trees
for column in age zip born size; do lethe hierarchy t.csv "$column" -q -o "trees/$column.csv"; done
lethe hierarchy t.csv job --groups groups.tsv -q -o trees/my_job.csv
stat -c '%a %n' trees/age.csv
run lethe hierarchy t.csv age -q -o trees/age.csv
lethe hierarchy t.csv age --force --json -o trees/age.csv >j && json j 'j["metrics"]'
for method in lplus incognito anneal; do
    run lethe $method t.csv --qi age,zip,born,size,job --sa disease --hierarchies trees -k 2 --strict-input --seed 1 -q --force -o rel
    lethe verify rel | tail -n 1
done
cat rel/data.csv
python3 - <<'END'
import csv, pathlib
for f in sorted(pathlib.Path("trees").iterdir()):
    rows = list(csv.reader(open(f), delimiter=";"))
    print(f, len(rows), "rows,", {len(r) for r in rows}, "columns,", {r[-1] for r in rows}, "root", len({r[0] for r in rows}) == len(rows))
END
