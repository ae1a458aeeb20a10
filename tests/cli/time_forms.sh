# SPDX-License-Identifier: Apache-2.0
# Forms of times: those that tell themselves, those that the column decides, and --time-format.
. "$HERE/common.bash"

# log VALUE...: two users with one text, at these times.
log() {
    local i=0 at
    for at in "$@"; do
        i=$((i + 1))
        printf '%s\tmaps\t%s\n%s\tmaps\t%s\n' "a$i" "$at" "b$i" "$at"
    done
}
# times ARGUMENT...: the times that are published, exactly, and what is said.
times() {
    rm -rf rel
    lethe threshold -t 2 --keep-users --time exact -o rel "$@" >said 2>&1
    local status=$?
    [ "$status" = 0 ] || { echo "= $status"; sed -n '/^lethe: /p' said; }
    grep -E 'note:|warning:' said
    [ "$status" != 0 ] || cut -f 3 rel/data.tsv | sed 1d | LC_ALL=C sort -u
}

echo 'these tell themselves'
log '20240513' '20240513101112' '2024/05/13 10:11:12' '2024.05.13' '13.05.2024' '3.5.2024, 9:07' \
    '13.05.2024 10:11:12.987' '2024-05-13 10:11:12 PM' '2024-05-13 12:00 am' '1715595072.25' \
    '2024-05-13 10:11:12 +0200' '2024-05-13T10:11:12.5Z' '2024-05-13 10:11:12 UTC' >self.tsv
times self.tsv

echo 'the column decides'
log '05/04/2024 1:02:03 PM' '05/13/2024 12:30 AM' >us.tsv
times us.tsv
log '05/04/2024 13:02:03' '13/05/2024 00:30' >eu.tsv
times eu.tsv
log '05-04-2024' '13-05-2024' >dashes.tsv
times dashes.tsv
times - <us.tsv
echo 'in JSON and in CSV'
printf '{"user":"%s","query":"maps","time":"%s"}\n' a 05/04/2024 b 05/04/2024 c 05/13/2024 d 05/13/2024 >us.jsonl
times us.jsonl
{ echo 'time,user,query'; printf '%s,%s,maps\n' 05/04/2024 a 05/04/2024 b 13/05/2024 c 13/05/2024 d; } >eu.csv
times eu.csv

echo 'it does not'
log '05/04/2024' '06/07/2024' >none.tsv
times none.tsv
times none.tsv --time-format %d/%m/%Y
times none.tsv --time-format %m/%d/%Y
log '13/05/2024' '05/13/2024' >both.tsv
times both.tsv

echo 'late in the file, or in a later file'
{ for i in $(seq 5000); do log '05/04/2024 10:00:00'; done; log '05/13/2024 10:00:00'; } >late.tsv
for threads in 1 2 7; do times late.tsv --threads $threads; done
times none.tsv us.tsv
gzip -c us.tsv >us.gz
times none.tsv us.gz
times none.tsv - <us.tsv
times - <late.tsv

echo 'what contradicts it is rejected, and shown by its form'
{ cat late.tsv; log '31/12/2024 10:00:00'; } >mixed.tsv
times mixed.tsv
{ cat late.tsv; log '5 Jan 24 at ten' '12345678' '99.99.9999' 'é'; printf 'x\tmaps\t\n'; } >odd.tsv
times odd.tsv
times odd.tsv --strict-input

echo 'by a format'
log '13/May/2024:10:11:12 +0200' '3/Dec/2023:00:00:00 +0000' >apache.tsv
times apache.tsv --time-format '%d/%b/%Y:%T %z'
log 'Mon, 13 May 2024 10:11 pm' 'wednesday, 1 december 2023 12:00 a.m.' >words.tsv
times words.tsv --time-format '%a, %e %B %Y %I:%M %p'
log '13.5.24 7h05' '1.1.99 0h00' >short.tsv
times short.tsv --time-format '%d.%m.%yh%H' # nothing fits
times short.tsv --time-format '%d.%m.%y %Hh%M'
log '12345678' '86400' >clock.tsv
times clock.tsv --time-format %s
log '1715595072,5' >fraction.tsv
times fraction.tsv --time-format %s,%f
for format in %Q %d/%m '%Y-%m-%d %S' '%F %I' '%F %T %p' '%F %F' '%s %Y' '%' ''; do times none.tsv --time-format "$format"; done
times none.tsv --from ubi --time-format %s
echo 'no log, no times'
printf 'age,zip\n1,2\n' >table.csv
times table.csv --from table --time-format %s
run lethe check table.csv --qi age -k 1 --time-format %s
