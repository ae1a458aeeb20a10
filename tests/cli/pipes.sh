# SPDX-License-Identifier: Apache-2.0
# -o -, pipes and --then.
. "$HERE/common.bash"
small_log >log.tsv
echo "--- data"
lethe threshold log.tsv -t 3 --clicks all --keep-users --time exact --urls keep -o - 2>said
echo "--- said"
cat said
lethe threshold -q log.tsv -t 3 --clicks all -o - 2>&1 >/dev/null
lethe threshold log.tsv -t 3 --clicks all --keep-users -o - 2>/dev/null | tail -n +2 | head -n 2
lethe threshold log.tsv -t 3 --clicks all --verbose -o - 2>&1 >/dev/null | grep promised

echo "--- through a pipe, and --then"
lethe threshold log.tsv -t 2 --clicks all --keep-users --time exact --urls keep -o - 2>/dev/null | lethe threshold - -q -t 3 --clicks all --keep-users -o piped
quietly lethe threshold log.tsv -t 2 --clicks all --then threshold -t 3 --clicks all --keep-users -o chained
cmp piped/data.tsv chained/data.tsv && echo "the same"
json piped/manifest.json 'j["counts"]'
json chained/manifest.json 'j["counts"]'
json chained/manifest.json 'j["claims"]'
json chained/manifest.json '[(s["command"], s["parameters"]) for s in j["steps"]]'
run lethe verify chained
cat log.tsv | lethe threshold - -t 1 --clicks all --keep-users --time exact --urls keep -o - 2>/dev/null | lethe threshold - --by rows -t 2 --clicks all --keep-users --time exact --urls keep -o - 2>/dev/null | lethe profile - --json 2>/dev/null >report
json report 'j["metrics"]["rows"], j["metrics"]["users"], j["metrics"]["distinct_queries"]'
quietly lethe threshold log.tsv -t 1 --clicks all --then threshold -t 2 --clicks all --by rows --then threshold -t 3 --clicks all -o three
lethe threshold log.tsv -q -t 3 --clicks all -o direct --keep-users
cut -f 2- three/data.tsv | sort | cmp - <(cut -f 2- direct/data.tsv | sort) && echo "three steps come to the same"
# What was printed without times is read without times.
lethe threshold log.tsv -t 2 --clicks all --time drop --keep-users --urls keep -o - 2>/dev/null | lethe threshold - -q -t 3 --clicks all --keep-users -o timeless
cut -f 3 timeless/data.tsv | sort -u
# A reader that has seen enough ends the program with SIGPIPE, without a message; a report that nobody reads keeps its
# release from appearing.
closed() { { sleep 0.2; "$@"; echo "= $?" >status; } 2>said | true; cat said status; }
for command in methods "help threshold" "profile log.tsv" "verify chained" "threshold -q log.tsv -t 3 --clicks all -o -" "synth --users 50" "version --json"; do
    echo "\$ lethe $command | true"
    closed lethe $command 2>&1 | grep -v "note: data only"
done
# Other errors are said all the same.
mkdir 'standard output'
for path in - 'standard output'; do
    echo "\$ lethe synth --truth '$path' | true"
    closed lethe synth --users 50 --truth "$path"
done
rmdir 'standard output'
echo '$ lethe threshold --json -o lost | true'
closed lethe threshold -q log.tsv --json -o lost
ls -d lost 2>&1
# Without a reader of messages the release is made all the same.
{ sleep 0.2; lethe threshold log.tsv -t 3 --clicks all -o deaf; echo "= $?" >status; } 2>&1 | true
cat status
lethe verify deaf
rm -r deaf
# Options of the last stage belong to it; common ones to all.
run lethe threshold log.tsv --then threshold --nonsense -o rel
holds chained direct log.tsv piped report said status three timeless
ls -A "$TMPDIR"
echo '--- standard output shows what a release would: the same lines, those of a stream in the order of the input'
for steps in 'threshold log.tsv -t 2' 'split log.tsv --by day' 'scrub log.tsv' 'scrub log.tsv --then threshold -t 2' 'disconnect log.tsv'; do
    rm -rf folder
    quietly lethe $steps --seed 1 -o folder
    lethe $steps --seed 1 -o - 2>/dev/null >line
    { head -n 1 line; tail -n +2 line | sort; } | cmp - folder/data.tsv && echo "the same: $steps"
done
order() { lethe scrub log.tsv "$@" -o - 2>/dev/null | cut -f 2; }
order --seed 1 | cmp - <(order --keep-users --time exact --urls keep)
# Without a seed or a key the pseudonyms are new each time.
for i in 1 2; do lethe scrub log.tsv -o - 2>/dev/null | tail -n +2 | cut -f 1 | sort -u; done | sort | uniq -d | wc -l
# All of a row only where every part is asked for.
lethe threshold log.tsv -t 3 --keep-users --time exact --urls keep -o - 2>/dev/null | tail -n +2 | head -n 1
lethe threshold log.tsv -t 3 --keep-users -o - 2>/dev/null | tail -n +2 | head -n 1
