# SPDX-License-Identifier: Apache-2.0
# Every form of time, and what is no time.
. "$HERE/common.bash"
for time in '2006-03-01 10:20:30' '2006-03-01T10:20:30' '2006-03-01T10:20:30Z' '2006-03-01T10:20:30.999Z' \
    '2006-03-01 10:20:30,5' '2006-03-01T12:20:30+02:00' '2006-03-01T05:20:30-0500' '2006-03-01T15:50:30+05:30' \
    '1141208430' '1141208430999' '060301102030' '970916105432' '2006-03-01' '2006-03-01T10' '2006-03-01 10:20' \
    '0' '-1' '2008-02-29 00:00:00' '2006-02-28T23:30:00-01:00' '2005-12-31 23:59:60' '9999-12-31 23:59:59' \
    ' 2006-03-01 10:20:30 ' \
    '2006-02-29 10:20:30' '2006-13-01 10:20:30' '2006-00-10' '2006-03-01 24:00:01' '2006-03-01 10:60:00' '1.5e9' \
    'yesterday' '2006/03/01' '01.03.2006' '2006-03-01 10:20:30 PST' '2006-03-01T10:20:30+25:00' '' '99999999999999999999'; do
    printf '1\tmaps\t%s\t\t\n2\tmaps\t2006-01-01 00:00:00\t\t\n' "$time" >log.tsv
    # not the first line, which would be taken for a header
    { printf '1\tmaps\t2001-01-01 00:00:00\n'; sed -n 1p log.tsv; for i in {1..20}; do sed -n 2p log.tsv; done; } >all.tsv
    rm -rf rel
    lethe threshold all.tsv -q -t 1 --keep-users --time exact -o rel || echo "failed: $time"
    printf '%-34s %s\n' "'$time'" "$(awk -F'\t' '$1 == 1 && $3 != "2001-01-01 00:00:00" { print $3 }' rel/data.tsv)"
done
# Times in the published forms.
printf '1\tmaps\t2006-03-01 23:59:59\n2\tmaps\t2006-03-02T00:30:00+01:00\n' >two.tsv
for time in exact hour day drop; do
    echo "--time $time"
    quietly lethe threshold two.tsv -t 2 --keep-users --time $time -o "rel-$time"
    tail -n +2 "rel-$time/data.tsv"
    quietly lethe verify "rel-$time"
done
# What is published can be read again.
for time in exact hour day; do
    quietly lethe threshold "rel-$time/data.tsv" -t 2 --keep-users --time $time -o "again-$time"
    cmp "rel-$time/data.tsv" "again-$time/data.tsv" && echo "$time: the same again"
done
