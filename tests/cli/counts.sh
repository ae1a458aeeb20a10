# SPDX-License-Identifier: Apache-2.0
# Counts: each text that enough users issued, with how many they are; and nothing else.
. "$HERE/common.bash"
tab=$(printf '\t')
{
    echo "AnonID${tab}Query${tab}QueryTime${tab}ItemRank${tab}ClickURL"
    for u in 1 2 3; do
        echo "$u${tab}weather${tab}2006-03-01 10:00:0$u${tab}1${tab}http://a.com/$u"
        echo "$u${tab}weather${tab}2006-03-01 10:00:0$u${tab}2${tab}http://b.com/"
        echo "$u${tab}weather${tab}2006-03-02 10:00:00${tab}${tab}"
    done
    echo "1${tab}red car${tab}2006-03-01 10:00:00${tab}${tab}"
    echo "2${tab}red car${tab}2006-03-01 10:00:00${tab}${tab}"
    echo "2${tab}red cars!${tab}2006-03-01 11:00:00${tab}${tab}"
    echo "3${tab}Cars  red${tab}2006-03-01 10:00:00${tab}${tab}"
    echo "4${tab}only mine${tab}2006-03-01 10:00:00${tab}${tab}"
    for u in 1 2 3; do echo "$u${tab}mail joe.roe@example.org${tab}2006-03-01 10:00:00${tab}${tab}"; done
} >log.tsv

echo '== what is counted'
for by in users queries rows; do
    lethe threshold log.tsv -t 3 --by $by --as counts -o $by --quiet
    cat $by/counts.tsv
done
lethe threshold log.tsv -t 2 --same exact --as counts -o exact --quiet
cat exact/counts.tsv
ls users
json users/manifest.json 'j["steps"], j["claims"], j["counts"], j["metrics"]'
lethe threshold log.tsv -t 3 --as counts -o - 2>/dev/null | cmp - users/counts.tsv && echo 'the same on standard output'

echo '== verify'
lethe verify users
lethe verify exact --json | json /dev/stdin '[c.get("if") for c in j["verdict"]["checks"]]'
lethe threshold log.tsv -t 1 --as counts -o nothing --quiet
lethe verify nothing | head -n 1
cp -r users changed
sed -i 's/weather.*/weather\t5/' changed/counts.tsv
run lethe verify changed

echo '== chains'
lethe scrub log.tsv --then threshold -t 3 --as counts -o scrubbed --quiet --report
cat scrubbed/counts.tsv
lethe verify scrubbed
grep -o '<h2[^>]*>Counts</h2>' scrubbed/report.html

echo '== measure and attack'
lethe measure users --original log.tsv
lethe measure scrubbed --original log.tsv --json | json /dev/stdin '{n: j["metrics"][n] for n in ("volume_covered", "count_error", "items_unknown")}'
printf 'AnonID\tKind\tClues\n1\tnumber\tjoe.roe@example.org\n2\tname\tjoe roe\tspringfield\n' >truth.tsv
for r in users scrubbed; do run lethe attack $r --explain --original log.tsv --truth truth.tsv; done
lethe attack users --original log.tsv --truth truth.tsv --json 2>/dev/null | json /dev/stdin 'j["not_applicable"], list(j["metrics"])'
run lethe attack users --explain --original log.tsv
run lethe attack users --explain --original log.tsv --adversary known-terms
lethe report users --original log.tsv -o page.html && test -s page.html
grep -o "[0-9,]* items with their counts" page.html
grep -o "No users are published, so that there are no rows of a person" page.html

echo '== after other steps: persons are counted, not personas'
quietly lethe threshold log.tsv -t 3 --as counts -o alone
quietly lethe threshold log.tsv -t 2 --then threshold -t 3 --as counts -o after
quietly lethe split log.tsv --by day --then threshold -t 3 --as counts -o days
for r in after days; do
    quietly lethe verify $r
    cmp $r/counts.tsv alone/counts.tsv && echo same
done

echo '== refused'
run lethe threshold log.tsv -t 3 --as counts --map map.tsv -o no
run lethe threshold log.tsv -t 3 --as counts --rare hash -o no
run lethe threshold log.tsv -t 3 --as counts --time day -o no
run lethe threshold log.tsv -t 3 --as counts --keep-users -o no
run lethe threshold log.tsv -t 3 --as counts --then scrub -o no
run lethe threshold log.tsv -t 30 --as counts -o no
run lethe open users -o opened.tsv
ls -d no map.tsv 2>&1
