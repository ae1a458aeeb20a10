# SPDX-License-Identifier: Apache-2.0
# scrub: personal data masked, dropped, listed; alone, in a chain and through a pipe.
. "$HERE/common.bash"
personal_log() {
    printf '%s\t%s\t%s\t%s\t%s\n' \
        1 'maps' '2006-03-01 10:00:00' 1 'http://www.maps.com/a/b?q=1' \
        1 'John Lee 219-09-9999' '2006-03-01 10:01:00' '' '' \
        2 'is 4111-1111-1111-1111 a good card' '2006-03-01 11:30:15' 2 'https://bank.example.com/login?user=john' \
        2 'maps' '2006-03-02 10:00:00' '' '' \
        3 'BOB.LEE@example.com' '2006-03-02 10:00:00' 1 'mailto:bob.lee@example.com' \
        3 'who called from (212) 555-0187' '2006-03-02 10:05:00' '' '' \
        3 'maps' '2006-03-03 10:00:00' '' '' \
        4 'ping 192.168.17.4' '2006-03-03 10:00:00' 1 'http://192.168.17.4/' \
        4 'order 20061234567890' '2006-03-03 10:00:00' '' '' \
        4 'pizza near 12 Elm Street, Lilburn' '2006-03-03 10:00:00' 1 'http://pizza.example.com' \
        5 'http://www.example.com/u/john?id=7' '2006-03-03 23:59:59' '' '' \
        5 'ssn 078-05-1121' '2006-03-04 07:00:01' '' '' \
        5 'landscapers in lilburn, ga' '2006-03-05 07:00:01' '' ''
}
personal_log >log.tsv
echo "--- data alone, in its order"
lethe scrub log.tsv --keep-users --time exact --urls keep -o - 2>said
cat said
echo "--- some kinds only, whole URLs where nothing of theirs is in them"
lethe scrub log.tsv --kinds email,ssn --keep-users --time exact --urls keep -o - 2>/dev/null | tail -n +2
echo "--- dropped"
lethe scrub log.tsv --action drop --keep-users --time exact --urls keep -o - 2>/dev/null | tail -n +2

echo "--- a release"
lethe scrub log.tsv --seed 1 -o rel 2>&1 | fold -s -w 120
cut -f 2- rel/data.tsv
accounts rel/manifest.json
json rel/manifest.json 'j["claims"]'
json rel/manifest.json 'j["metrics"]'
json rel/manifest.json 'j["steps"]'
run lethe verify rel
quietly lethe scrub log.tsv --action drop --kinds ssn,card --urls keep -o dropped
accounts dropped/manifest.json
json dropped/manifest.json 'j["metrics"]'
run lethe verify dropped

echo "--- with a list"
printf '%s\n' '# people and towns' 'John Lee' '' 'LILBURN' >names.txt
lethe scrub log.tsv --list names.txt --kinds ssn,address --json -o listed >report 2>/dev/null
json report 'j["metrics"]["found"], j["claims"], j["parameters"]'
json report '[c for c in j["caveats"] if "list" in c]'
grep -h -i -e 'john lee' -e lilburn -e names.txt listed/* || echo "nothing of the list in the release"
grep -c -F '[list]' listed/data.tsv
run lethe verify listed

echo "--- a chain, and a pipe: both promises, on the final bytes"
quietly lethe scrub log.tsv --then threshold -t 3 --clicks all --keep-users -o chained
cut -f 1,2,4- chained/data.tsv
json chained/manifest.json '[c["notion"] for c in j["claims"]]'
run lethe verify chained
lethe scrub log.tsv --keep-users --time exact --urls keep -o - 2>/dev/null | lethe threshold - -q -t 3 --clicks all --keep-users -o piped
cmp piped/data.tsv chained/data.tsv && echo "the same data"
quietly lethe threshold log.tsv -t 1 --clicks all --then scrub --keep-users -o behind
quietly lethe scrub log.tsv --keep-users -o alone
cmp behind/data.tsv alone/data.tsv && echo "nor does the order of the steps matter here"
quietly lethe scrub log.tsv --then threshold -t 2 --clicks all --rare hash -o hashed
run lethe verify hashed
quietly lethe scrub log.tsv --urls id -o ids
run lethe verify ids
gzip -c log.tsv | lethe scrub - --seed 1 -o - 2>/dev/null | cmp - <(lethe scrub log.tsv --threads 7 --seed 1 -o - 2>/dev/null)

echo "--- nothing left"
grep 219 log.tsv >one.tsv
run lethe scrub one.tsv --action drop -o nothing
run lethe scrub one.tsv --action drop -o -
lethe scrub one.tsv --action drop --json -o nothing >report 2>/dev/null
echo "= $?"
json report 'j["metrics"], j["verdict"]'

echo "--- misuse"
run lethe scrub log.tsv --kinds ssn,name -o rel2
run lethe scrub log.tsv --kinds '' -o rel2
run lethe scrub log.tsv --kinds ssn,ssn -o rel2
run lethe scrub log.tsv --action hide -o rel2
run lethe scrub log.tsv
echo "--- lists that are none"
: >empty.txt
printf '# only this\n\n' >comments.txt
printf 'ann\n...\n' >wordless.txt
run lethe scrub log.tsv --list missing.txt -o rel2
run lethe scrub log.tsv --list . -o rel2
run lethe scrub log.tsv --list empty.txt -o rel2
run lethe scrub log.tsv --list comments.txt -o rel2
run lethe scrub log.tsv --list wordless.txt -o rel2
run lethe scrub log.tsv --list missing.txt -o -
run lethe threshold nosuch.tsv -t 1 --clicks all --then scrub --list missing.txt -o rel2
run lethe scrub log.tsv --list names.txt --map names.txt --force -o rel2
head -n 2 names.txt
holds alone behind chained comments.txt dropped empty.txt hashed ids listed log.tsv names.txt one.tsv piped rel report said wordless.txt
ls -A "$TMPDIR"
