# SPDX-License-Identifier: Apache-2.0
# A fault in a file that the caller gives is the caller's: it is named, with its line and cause, and
# the release is not blamed for it.
. "$HERE/common.bash"
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5"; }
for u in 1 2 3 4 5 6; do
    for d in 1 2 3; do
        row $u 'football' "2006-03-0$d 10:00:00" 1 http://espn.com/a
        row $u "yams $d" "2006-03-0$d 11:00:00" 2 http://nfl.com/
    done
done >log.tsv
printf 'football\thttp://espn.com/a\nfootball\thttp://nfl.com/\nyams 1\thttp://nfl.com/\nyams 1\thttp://a.com/\n' >results.tsv
quietly lethe split log.tsv --seed 1 --results results.tsv --map map.tsv -o interest
quietly lethe split log.tsv --seed 1 --by day -o day
quietly lethe disconnect log.tsv --seed 1 --results results.tsv --min-results 2 --min-sites 2 --targeted none -o apart
mkdir bad
printf 'football\tx.com\nfootball y.com\n' >bad/tab
printf 'football\tx.com\ty.com\n' >bad/fields
printf '\tx.com\n' >bad/no-query
printf 'football\t\n' >bad/no-url
printf 'foot\0ball\tx.com\n' >bad/nul-query
printf 'football\tx\0.com\n' >bad/nul-url
printf 'football\tx.com\nfoot\xffball\ty.com\n' >bad/utf8-query
printf 'football\tx.com\nfootball\ty\xc3.com\n' >bad/utf8-url
: >bad/empty
gzip -nc results.tsv | head -c 40 >bad/cut.gz
printf 'football y.com\n' | gzip -nc >bad/tab.gz
echo "--- results that are malformed, missing, or a folder"
for file in bad/* /nowhere .; do
    run lethe verify interest --results $file
    for release in apart day; do # the same, whether a promise needs them or not
        lethe verify $release --results $file >out 2>&1
        echo "$release = $?, $(diff -q out <(lethe verify interest --results $file 2>&1) >/dev/null && echo the same)"
    done
done
run lethe verify interest --results bad/tab --json
run lethe verify interest --results - <bad/tab
run lethe verify interest --results - <bad/cut.gz
lethe verify interest --results <(cat bad/tab) 2>&1 | sed 's,/dev/fd/[0-9]*,PIPE,'
run lethe verify apart --results - <bad/utf8-url
run lethe report interest --results bad/tab -o page.html
echo "--- results as they should be: from a file, a pipe, standard input, compressed"
gzip -nc results.tsv >results.gz
for release in interest apart; do
    lethe verify $release --results results.tsv
    lethe verify $release --results results.gz
    lethe verify $release --results <(cat results.tsv)
    lethe verify $release --results - <results.gz
done | sort | uniq -c | tr -s ' '
lethe disconnect log.tsv -q --seed 1 --results results.tsv --min-results 1 --targeted none --then split --overlap 0 --results results.tsv -o both
run lethe verify both --results - <results.tsv # two promises, read once
echo "--- while a release is made"
for file in tab fields nul-query utf8-url empty cut.gz; do
    run lethe split log.tsv -q --results bad/$file -o none
    lethe disconnect log.tsv -q --results bad/$file --min-results 2 -o none >out 2>&1
    echo "disconnect = $?, $(diff -q out <(lethe split log.tsv -q --results bad/$file -o none 2>&1) >/dev/null && echo the same)"
done
printf 'football\tmany\n' >bad/weights
run lethe disconnect log.tsv -q --weights bad/weights -o none
echo "--- map, truth, original"
printf '1 a\n' >bad/map
printf '1 a\n' >bad/truth
run lethe attack interest --original log.tsv --map bad/map
run lethe attack interest --original log.tsv --map map.tsv --truth bad/truth
run lethe attack interest --original log.tsv --map map.tsv --results bad/utf8-url
run lethe measure interest --original bad/empty
run lethe measure interest --original log.tsv --map /nowhere
echo "--- what several adversaries read must be a file"
lethe attack interest --original log.tsv --map <(cat map.tsv) 2>&1 | sed 's,/dev/fd/[0-9]*,PIPE,'
lethe attack interest --original log.tsv --results <(cat results.tsv) 2>&1 | sed 's,/dev/fd/[0-9]*,PIPE,'
run lethe report interest --original log.tsv --results - -o page.html <results.tsv
lethe attack interest --original log.tsv --adversary replay --results <(cat results.tsv) | sed -n 2p
lethe attack interest --original log.tsv --adversary linkage --map <(cat map.tsv) | sed -n 2p
holds apart bad both day interest log.tsv map.tsv out results.gz results.tsv
