# SPDX-License-Identifier: Apache-2.0
# --null: what databases write for a value that is missing.
. "$HERE/common.bash"
{
    printf 'user,query,time,rank,url\n'
    printf '1,maps,2006-03-01 10:00:00,NULL,NULL\n2,maps,2006-03-01 11:00:00,1,http://a.com\n'
    printf '3,NULL,2006-03-01 10:00:00,NULL,NULL\nNULL,maps,2006-03-01 10:00:00,NULL,NULL\n'
    for user in 6 7 8 9 10 11 12 13 14 15; do printf '%s,maps,2006-03-02 10:00:00,NULL,NULL\n' $user; done
    printf '4, \\N ,2006-03-01 10:00:00,NULL,\\N\n5,null island,2006-03-01 10:00:00,2,http://null.org\n'
} >log.csv
sed 's/NULL//g; s/ *\\N *//g' log.csv >empty.csv
# as if the fields were empty
for log in log empty; do
    quietly lethe threshold $log.csv -t 1 --null 'NULL,\N' --keep-users --time exact -o $log --force
    cat $log/data.tsv
done
cmp log/data.tsv empty/data.tsv && echo same
# without it they are texts, and a rank is no number
run lethe threshold log.csv -t 1 --keep-users -o plain
# JSON Lines
printf '{"user":"1","query":"maps","time":"2006-03-01","url":"NULL"}\n{"user":"2","query":"NULL","time":"2006-03-01"}\n{"user":"3","query":"maps","time":"2006-03-01"}\n' >log.jsonl
quietly lethe threshold log.jsonl -t 2 --null NULL --keep-users -o json
cat json/data.tsv
# columns that are kept
awk -F, 'NR == 1 { print $0 ",device" } NR > 1 { print $0 (NR % 3 ? ",NULL" : ",phone") }' log.csv >device.csv
quietly lethe threshold device.csv -t 1 --null 'NULL,\N' --keep device --keep-min 2 --keep-users -o device
cut -f 1,6 device/data.tsv
# tables: a missing value
printf 'age,sex,disease\n31,f,flu\n31,f,cold\nNULL,m,flu\n?,m,NULL\n' >table.csv
run lethe check table.csv --qi age,sex -k 2 --null NULL
quietly lethe local table.csv --qi age,sex --sa disease --ranges age=5,10 -k 2 --null NULL --seed 1 -o table
cat table/data.csv
run lethe hierarchy table.csv age --null NULL -o -
# the command that publish prints has it, too
lethe suggest log.csv --null 'NULL,\N' --goal counts --risk 100% --least 0 -q | grep -o -m 1 -- "--null '[^']*'"
# records have no fields
printf 'a,b\nb,c\n' >sets.txt
run lethe mm sets.txt -k 2 -p 1 --null NULL -o sets
run lethe threshold log.csv -t 1 --null '' -o nothing
