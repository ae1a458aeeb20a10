# SPDX-License-Identifier: Apache-2.0
# --columns: what it does not name is found as without it, and a name that is not there is told.
. "$HERE/common.bash"
# read_as FILE ARGUMENT...: the rows that are published, and what is said.
read_as() {
    printf '$ %s\n' "$*"
    rm -rf rel
    lethe threshold -t 1 --keep-users --time exact --urls keep -o rel "$@" >said 2>&1
    local status=$?
    [ "$status" = 0 ] || echo "= $status"
    sed -n '/^lethe: /p' said
    [ "$status" != 0 ] || sed 1d rel/data.tsv
}
echo 'a header'
printf 'when;who;Query;Position;url;device\n2006-03-01;ann;maps;3;http://a.com/;phone\n2006-03-02;bob;news;;;tv\n' >shop.csv
read_as shop.csv --columns user=who
read_as shop.csv --columns user=who,time=when
read_as shop.csv --columns user=2,time=1
read_as shop.csv --columns user=who,time=when,rank=url # what it takes is not taken twice
read_as shop.csv --columns user=whom
read_as shop.csv --columns user=who,query=qurey
read_as shop.csv --columns user=nobody,query=device
printf 'when;who;what\n2006-03-01;ann;maps\n' >strange.csv
read_as strange.csv --columns user=who
echo 'no header'
small_log | head -n 3 >log.tsv
read_as log.tsv --columns user=1
read_as log.tsv --columns query=2
read_as log.tsv --columns time=3,user=1
cut -f 1-3 log.tsv | awk -F '\t' -v OFS='\t' '{ print $3, $2, $1 }' >back.tsv
read_as back.tsv --columns user=3,time=1
read_as back.tsv --columns user=3,query=1 # where the time should be is the user
awk -F '\t' -v OFS='\t' '{ print $1, $2, "x" }' log.tsv >untimed.tsv
read_as untimed.tsv --columns user=1,query=2
echo 'the content of a line is not shown as names'
read_as log.tsv --columns user=who
echo 'JSON'
printf '{"who":"ann","query":"maps","time":"2006-03-01","rank":3,"url":"http://a.com/"}\n{"who":"bob","query":"news","time":"2006-03-02"}\n' >log.jsonl
read_as log.jsonl --columns user=who
read_as log.jsonl --columns user=whom
read_as log.jsonl --columns user=who,query=url
read_as log.jsonl --columns user=who,query=tex
printf '{"who":{"id":"ann"},"query":"maps","time":"2006-03-01"}\n' >deep.jsonl
read_as deep.jsonl --columns user=who.id
read_as deep.jsonl --columns user=who.name
echo 'tables'
printf 'age,sex\n1,m\n2,f\n' >table.csv
run lethe incognito table.csv --qi agr,sex -k 2 -o table
run lethe check table.csv --qi age,gender -k 1
run lethe profile table.csv --sa six
