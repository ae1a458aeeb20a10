# SPDX-License-Identifier: Apache-2.0
# A sealed log: what opens without a key, what stays closed, what is refused.
. "$HERE/common.bash"
sealed=$ROOT/tests/fuzz/corpus/sealed
cp "$sealed/plain" "$sealed/clicks" "$sealed/additive" "$sealed/t3" .
head -n 2 plain
run lethe open plain -o opened.tsv
cat opened.tsv
# One user's query: its text is nowhere.
grep -c 'ann lee' opened.tsv
run lethe open clicks -o -
run lethe open additive -o - --quiet
# Compressed, from a pipe, from a folder; the same bytes for any number of threads.
gzip -c plain | lethe open - -o - | cmp - opened.tsv
mkdir sealed && cp plain sealed/data.tsv
lethe open sealed/ -o - | cmp - opened.tsv
for threads in 1 2 7; do lethe open plain -o - --threads "$threads" --memory 16M | cmp - opened.tsv; done
lethe open plain -o json.tsv --json >"$TMPDIR/report"
cmp json.tsv opened.tsv
json "$TMPDIR/report" 'j["command"], j["parameters"], j["metrics"]'
accounts "$TMPDIR/report"
rm json.tsv
# In two files that hold one share each of what they hold.
{ head -n 2 plain; grep '^user0' plain; } >one
{ head -n 2 plain; grep '^user[12]' plain; } >two
run lethe open one -o none.tsv
lethe open one two -o - | cmp - opened.tsv
# Of another form, or another file altogether.
run lethe open plain t3 -o none.tsv
run lethe open opened.tsv -o none.tsv
: >empty
run lethe open empty -o none.tsv
head -n 2 plain >head
run lethe open head -o none.tsv
head -c 700 plain >cut
run lethe open cut -o none.tsv
sed 's/$/\r/' plain >crlf
run lethe open crlf -o none.tsv
# Damaged lines, among enough good ones: named, counted, left out.
{ cat plain; for i in 1 2 3; do tail -n +3 plain; done; } >many
sed '5s/\t\([1-3]\):./\t\1:x/' many >parse
run lethe open parse -o parse.tsv
sed '3s/\(\t[1-3]:\).../\1123/' many >share
cmp -s share many && echo unchanged
run lethe open share -o share.tsv
grep -vxFf opened.tsv share.tsv
run lethe open share -o none.tsv --strict-input
# Usage and targets.
run lethe open plain
run lethe open -o none.tsv
run lethe open plain -o - --json
run lethe open plain -o opened.tsv
run lethe open plain -o opened.tsv --force
run lethe open plain -o plain --force
run lethe open sealed -o sealed/data.tsv --force
cmp plain sealed/data.tsv
run lethe open nowhere -o none.tsv
run lethe open plain -o /proc/no/where.tsv
lethe open plain -o - >/dev/full
echo "= $?"
ls none.tsv 2>/dev/null
exit 0
