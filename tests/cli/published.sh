# SPDX-License-Identifier: Apache-2.0
# What the world sees.
. "$HERE/common.bash"
small_log >log.tsv
show() { sed 's/\t/|/g' "$1"; }
for time in exact hour day drop; do
    echo "--time $time"
    quietly lethe threshold log.tsv -t 2 --clicks all --keep-users --time $time --urls keep -o time-$time
    show time-$time/data.tsv
done
for urls in keep host drop; do
    echo "--urls $urls"
    quietly lethe threshold log.tsv -t 2 --clicks all --keep-users --urls $urls -o urls-$urls
    cut -f 4,5 urls-$urls/data.tsv | sed 's/\t/|/' | LC_ALL=C sort | uniq -c
done
for release in time-* urls-*; do
    quietly lethe verify "$release"
    tail -n +2 "$release/data.tsv" | LC_ALL=C sort -c
    [ "$(head -n 1 "$release/data.tsv")" = "$(printf 'AnonID\tQuery\tQueryTime\tItemRank\tClickURL')" ] || echo "$release: another header"
    awk -F'\t' 'NF != 5 { print "not five columns: " $0 }' "$release/data.tsv"
done

# Identifiers of URLs: one for each URL, none that two share, and no URL.
quietly lethe threshold log.tsv -t 2 --clicks all --keep-users --urls id -o id1
quietly lethe threshold log.tsv -t 2 --clicks all --keep-users --urls id -o id2
cut -f 5 id1/data.tsv | tail -n +2 | grep . | awk '{ print length($0), ($0 ~ /^[a-z2-7]+$/) }' | uniq -c
cut -f 5 id1/data.tsv | tail -n +2 | grep . | sort -u | wc -l
cmp -s id1/data.tsv id2/data.tsv && echo "two runs have one key"

# By default: pseudonyms, days, hosts.
quietly lethe threshold log.tsv -t 2 --clicks all -o plain
cut -f 2- plain/data.tsv | sort >plain.rest
cut -f 2- <(lethe threshold log.tsv -q -t 2 --clicks all --keep-users --time day --urls host -o named && cat named/data.tsv) | sort | cmp - plain.rest && echo "as named, but for the users"
cut -f 1 plain/data.tsv | tail -n +2 | sort -u | awk '{ print length($0), ($0 ~ /^[a-z2-7]+$/) }' | uniq -c
# Each user has one pseudonym: as many rows a user as in the log.
cut -f 1 plain/data.tsv | tail -n +2 | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' '
cut -f 1 named/data.tsv | tail -n +2 | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' '
echo
# Another run, another key.
quietly lethe threshold log.tsv -t 2 --clicks all -o plain2
comm -12 <(tail -n +2 plain/data.tsv | cut -f 1 | sort -u) <(tail -n +2 plain2/data.tsv | cut -f 1 | sort -u)
# The order of the input does not show.
sort -R log.tsv >shuffled.tsv
quietly lethe threshold shuffled.tsv -t 2 --clicks all --keep-users -o shuffled
cmp named/data.tsv shuffled/data.tsv && echo "the same from a shuffled log"
stat -c '%a %n' plain plain/*

# Texts: one form of many spellings, and what is not UTF-8.
printf '%s\n' $'1\tCaf\303\251  Berlin' $'2\tcafe\314\201 berlin ' $'3\tCAF\303\211\302\240BERLIN' $'1\t\357\274\241\357\274\242' $'2\tab' \
    $'1\tbroken \377\376' $'2\tbroken \200\200' $'3\tzero\342\200\213width' $'4\tzerowidth' $'4\tcontrol\001char' $'5\tcontrol char' |
    sed 's/$/\t2006-03-01 10:00:00/' >texts.tsv
lethe threshold texts.tsv -t 2 --clicks all --keep-users --json -o texts 2>&1 >report
show texts/data.tsv
accounts report
json report 'j["counts"]["invalid_utf8"]'
quietly lethe verify texts

# --rare hash: rare texts as keyed hashes, without clicks; equal texts have equal hashes.
{ small_log; printf '6\tann lee\t2006-03-01 10:00:00\t1\thttp://a.com\n'; } >rare.tsv
quietly lethe threshold rare.tsv -t 3 --clicks all --rare hash --keep-users --urls keep -o hashed
tail -n +2 hashed/data.tsv | awk -F'\t' '$2 ~ /^#/ { print $1, length($2), ($2 ~ /^#[0-9a-f]*$/), "[" $4 "]", "[" $5 "]" }'
tail -n +2 hashed/data.tsv | cut -f 2 | grep '^#' | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' '
echo
accounts hashed/manifest.json
run lethe verify hashed
for by in users queries rows; do
    quietly lethe threshold log.tsv -t 2 --clicks all --by $by --keep-users -o by-$by
    echo "$by: $(tail -n +2 by-$by/data.tsv | cut -f 2 | sort | uniq -c | awk '{ $1 = $1; printf "%s; ", $0 }')"
    quietly lethe verify by-$by
done
