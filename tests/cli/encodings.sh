# SPDX-License-Identifier: Apache-2.0
# Encodings of the input: given, guessed with a note, and what is wrong with the bytes.
. "$HERE/common.bash"
{ printf '%s\t%s\t2006-03-01 10:00:00\n' a 'café münchen' b 'CAFÉ MÜNCHEN' c 'crème €5' d 'crème €5'; } >utf8.tsv
quietly lethe threshold utf8.tsv -t 2 --keep-users -o want
cat want/data.tsv
# same NAME ARGUMENT...: the release of these arguments has the bytes of the first one.
same() {
    local name=$1
    shift
    rm -rf rel
    if lethe threshold -t 2 --keep-users -o rel "$@" >said 2>&1; then
        cmp -s want/data.tsv rel/data.tsv && echo "$name: the same" || diff want/data.tsv rel/data.tsv
    else
        echo "$name: failed with $?"
    fi
    grep -E 'note:|warning:|^lethe: ' said
}
iconv -f utf-8 -t windows-1252 utf8.tsv >cp1252.tsv
same 'windows-1252, guessed' cp1252.tsv
same 'windows-1252, given' cp1252.tsv --encoding windows-1252
same 'from a pipe' - <cp1252.tsv
gzip -c cp1252.tsv >cp1252.gz
same 'packed' cp1252.gz
same 'two files' <(head -n 2 utf8.tsv) <(tail -n 2 cp1252.tsv)
iconv -f utf-8 -t utf-16 utf8.tsv >utf16.tsv
same 'UTF-16, guessed' utf16.tsv
same 'UTF-16, given' utf16.tsv --encoding utf-16
iconv -f utf-8 -t utf-16be utf8.tsv >utf16be.tsv
same 'UTF-16 without a mark' utf16be.tsv --encoding utf-16be
iconv -f utf-8 -t iso-8859-15 utf8.tsv >latin9.tsv
same 'latin9' latin9.tsv --encoding iso-8859-15
same 'UTF-8, given' utf8.tsv --encoding utf-8

echo 'bytes that are wrong'
same 'UTF-8 that is not' cp1252.tsv --encoding UTF-8
{ cat utf8.tsv; printf 'e\tcaf\303\t2006-03-01 10:00:00\n'; } >stray.tsv
same 'a stray byte' stray.tsv
{ cat cp1252.tsv; printf 'e\tb\201c\t2006-03-01 10:00:00\n'; } >undefined.tsv
same 'a byte that windows-1252 does not have' undefined.tsv
head -c -1 utf16.tsv >cut.tsv
same 'UTF-16, cut off' cut.tsv
same 'no such encoding' utf8.tsv --encoding klingon
same 'not only an encoding' utf8.tsv --encoding ascii//translit

echo 'records and tables'
printf 'thé café\nthé\ncafé thé\n' | iconv -f utf-8 -t latin1 >baskets.txt
printf 'thé\tboisson\ncafé\tboisson\n' >goods.tsv
quietly lethe og baskets.txt --taxonomy goods.tsv -k 2 -m 2 -o baskets
cat baskets/data.txt
printf 'ville;âge\nNîmes;1\nNîmes;2\n' | iconv -f utf-8 -t latin1 >table.csv
quietly lethe incognito table.csv --qi ville -k 2 -o table
cat table/data.csv
run lethe check table.csv --qi 1 -k 2
run lethe check table.csv --qi ville -k 2 --encoding latin1 | head -n 3
printf 'a\nb\201\nb\215\n' >pair.csv
run lethe check pair.csv --qi a -k 2
run lethe check pair.csv --qi a -k 2 --encoding windows-1252
echo 'sizes of blocks and the number of threads change nothing'
{ big_log 8000; cat cp1252.tsv; } >big.tsv # the guess is made from the first bytes
for threads in 1 7; do
    rm -rf rel
    lethe threshold big.tsv -t 2 --keep-users --threads $threads --memory 16M -o rel 2>&1 | grep note:
    b2sum -l 64 rel/data.tsv
done
