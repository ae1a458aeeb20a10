# SPDX-License-Identifier: Apache-2.0
# Tables: folders of hierarchies, values that they lack, decimal commas, columns that are misspelled.
. "$HERE/common.bash"
printf '%s\n' age,birth_age,sex,disease 23,20,m,flu 27,21,f,flu 31,22,m,cold 39,23,f,ulcer 41,24,m,flu 44,25,f,cold >t.csv
table() { lethe lplus t.csv --qi "$1" --sa disease -k 2 --theta 1 "${@:2}" -q --force -o rel; }
folder() { rm -rf h; mkdir h; for f; do case $f in *age*) printf '%s;*\n' 20 21 22 23 24 25 27 31 39 41 44;; *) printf 'm;*\nf;*\n';; esac >h/$f; done; }
echo "--- which file is for which column"
run table age --hierarchies nowhere
run table age --hierarchies t.csv
folder && run table age --hierarchies h
folder sx.csv && run table age,sex --hierarchies h
folder sex.txt && run table age,sex --hierarchies h
folder sex.csv && run table age --hierarchies h
folder sex.csv && run table age,sex --hierarchies h
folder adult_hierarchy_sex.csv && run table age,sex --hierarchies h
folder a_sex.csv sex.csv && run table age,sex --hierarchies h
folder x_birth_age.csv && run table age --hierarchies h
folder x_birth_age.csv x_age.csv && run table age --hierarchies h && run table birth_age,age --hierarchies h
echo "--- a value that the hierarchy lacks"
folder sex.csv
for i in $(seq 40); do echo "$i,$i,m,flu"; done >>t.csv
printf '%s\n' 50,50,x,flu 51,51,x,cold 52,52,y,flu 53,53,x,flu >>t.csv
run lethe lplus t.csv --qi sex --sa disease -k 2 --theta 1 --hierarchies h --force -o rel --json 2>&1 >json
run table sex --hierarchies h --strict-input
for i in 1 2 3; do printf '%s\n' 50,50,x,flu; done >>t.csv
run table sex --hierarchies h
echo "--- decimal commas"
decimals() { printf '%s\n' 'w;s' "$@" >d.csv; run lethe lplus d.csv --qi w,s --ranges w=2,4 -k 2 --suppress none -q --force -o rel && grep w= rel/taxonomy.tsv; rm -rf rel; }
decimals '3,5;a' '3,50;a' '7,125;b' '7,125;b' '3,500;a'
decimals '3,5;a' '3.5;a'
decimals '3.5;a' '3,5;a'
decimals '3,5;a' '1.234,5;a'
decimals '1,234;a' '2,345;a' '7;b'
decimals '0,125;a' '0,250;a'
decimals '1.234.567;a' '3,5;b'
decimals '1,234,567;a' '3;b'
printf '%s\n' 'w;s' '3,5;a' '7;b' >d.csv
printf '%s\n' 'w;s' '3.5;a' '7.0;b' >e.csv
run lethe lplus d.csv e.csv --qi w,s --ranges w=2,4 -k 2 --suppress none -q --force -o rel && cat rel/data.csv
rm -rf rel
echo "--- columns that are misspelled"
run table aeg,sex
run table age,Sex
run lethe lplus t.csv --qi age --sa diseas -k 2 -q -o rel
run lethe lplus t.csv --qi age --class sexx -k 2 -q -o rel
run lethe lplus t.csv --qi age --keep weight -k 2 -q -o rel
run table age,sex --ranges aeg=5
run table age,sex --ranges birth_age=5
