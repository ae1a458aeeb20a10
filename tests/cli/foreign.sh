# SPDX-License-Identifier: Apache-2.0
# Files that are no text: the message says what they are and how to convert them.
. "$HERE/common.bash"
printf 'PAR1\025\004\025\020\025' >log.parquet
printf 'SQLite format 3\0\020\0' >log.db
printf 'PK\003\004\024\0\0\0\010\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\023\0\0\0[Content_Types].xml' >log.xlsx
printf 'PK\003\004\024\0\0\0\010\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\010\0\0\0mimetypeapplication/vnd' >log.ods
printf 'PK\003\004\024\0\0\0\010\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0\007\0\0\0log.tsv1\tq' >logs.of.may.zip
printf '\320\317\021\340\241\261\032\341\0\0' >log.xls
printf 'Obj\001\004\026avro.schema' >log.avro
printf 'ORC\b\003' >log.orc
printf 'ARROW1\0\0' >log.arrow
printf '%%PDF-1.7\n' >log.pdf
for file in log.*; do run lethe threshold "$file" -t 2 -o rel; done
run lethe threshold logs.of.may.zip -t 2 -o rel
run lethe profile - <log.parquet
run lethe incognito log.xlsx --qi a -k 2 -o rel
run lethe og log.db --from records --taxonomy log.pdf -k 2 -m 2 -o rel
run lethe check log.parquet --qi a
small_log >log.tsv
run lethe scrub log.tsv --list log.pdf -o rel

echo 'names that need quotes stay out of the command'
cp log.parquet "it's mine.parquet"
cp log.parquet bare
run lethe profile "it's mine.parquet"
run lethe profile bare
cp log.parquet ./-x.parquet
run lethe profile ./-x.parquet

echo 'text that begins like one is read'
{ printf 'PAR1\tmaps\t2006-03-01 10:00:00\n'; printf 'ORC\tmaps\t2006-03-01 10:00:00\n'; small_log; } >text.tsv
quietly lethe threshold text.tsv -t 2 -o text
grep -c maps text/data.tsv
sed 1d text.tsv >text2.tsv
quietly lethe threshold text2.tsv -t 2 -o text2
grep -c maps text2/data.tsv
