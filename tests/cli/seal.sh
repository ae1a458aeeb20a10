# SPDX-License-Identifier: Apache-2.0
# Sealing a log, opening it again, and what is refused.
. "$HERE/common.bash"
lethe synth --users 60 --seed 4 --quiet -o log.tsv
head -c 32 /dev/zero >key && chmod 600 key
run lethe seal log.tsv --key-file key -o sealed
head -n 2 sealed/data.tsv
tail -n +3 sealed/data.tsv | grep -cvP '^[a-z2-7]{16}\t[0-9a-f]{32}\t([1-9]|10):[0-9a-f]{64}\t[A-Za-z0-9+/]+=*\t2006-\d\d-\d\d$'
accounts sealed/manifest.json
json sealed/manifest.json 'j["claims"], j["steps"][0]["parameters"], j["metrics"]'
run lethe verify sealed
run lethe open sealed -o opened.tsv
# One key, the same bytes; another key, or another t, and nothing is the same.
lethe seal log.tsv --key-file key --quiet -o again --threads 7 --memory 16M 2>/dev/null
cmp sealed/data.tsv again/data.tsv
printf '%032d' 1 >other && chmod 600 other
common() { { cut -f "$1" "$2" | sort -u; cut -f "$1" "$3" | sort -u; } | sort | uniq -d | wc -l; }
lethe seal log.tsv --key-file other --quiet -o foreign 2>/dev/null
lethe seal log.tsv --key-file key -t 4 --quiet -o four 2>/dev/null
for two in foreign four; do
    for column in 2 3 4; do common "$column" <(tail -n +3 sealed/data.tsv) <(tail -n +3 "$two"/data.tsv); done
done
run lethe open sealed/ foreign/ -o both.tsv
lethe open foreign -o - 2>/dev/null | cat - opened.tsv | sort -u | cmp - <(sort -u both.tsv)
# What is opened was asked, and nothing that fewer than t have asked is.
lethe seal log.tsv --key-file key --keep-users --time exact --urls keep -o - 2>/dev/null >stream.tsv
lethe open stream.tsv -o - 2>/dev/null | tail -n +2 | cut -f 1-3 | sort -u >got
tail -n +2 log.tsv | cut -f 1-3 | sort -u | comm -13 - got | wc -l
cut -f 1-2 got | sort -u | cut -f 2 | sort | uniq -c | awk '$1 < 3' | wc -l
# Streaming keeps the order and the times; the stages of a pipe need no state.
tail -n +2 log.tsv | cut -f 1,3 >want
tail -n +3 stream.tsv | cut -f 1,5 | cmp - want
{ head -n 1 log.tsv; tail -n +2 log.tsv | head -n 1000; } | lethe seal - --key-file key --keep-users --time exact --urls keep -o - 2>/dev/null >first
{ head -n 1 log.tsv; tail -n +1002 log.tsv; } | lethe seal - --key-file key --keep-users --time exact --urls keep -o - 2>/dev/null | tail -n +3 | cat first - | cmp - stream.tsv
# Epochs: the same query in two of them has nothing in common.
run lethe seal log.tsv --key-file key --epoch 30d --quiet -o epochs
json epochs/manifest.json 'j["steps"][0]["parameters"]["epoch"], j["claims"][0]'
awk -F '\t' 'NR > 2 { month = substr($5, 1, 7); if (!($2 in first)) first[$2] = month; n += first[$2] != month } END { print (n > 0) }' sealed/data.tsv
printf 'u%s\tmaps\t2006-03-%s 10:00:00\n' 1 01 2 02 3 03 4 04 5 25 6 26 >epochs.tsv
for epoch in 1d 14d; do
    lethe seal epochs.tsv --key-file key -t 2 -n 255 --epoch "$epoch" -o - 2>/dev/null | tail -n +3 | cut -f 2 | sort | uniq -c | awk '{ print $1 }' | sort | tr '\n' ' '
    echo
done
# Clicks only if they are asked for.
run lethe seal log.tsv --key-file key --keep-clicks --scheme additive -t 2 --quiet -o clicks
head -n 2 clicks/data.tsv
awk -F '\t' 'NR > 2 && $7 != "" && $7 !~ /^[^\/]+$/' clicks/data.tsv | wc -l
awk -F '\t' 'NR > 2 && $7 != ""' clicks/data.tsv | wc -l
json clicks/manifest.json '[c for c in j["caveats"] if "beside the sealed" in c]'
run lethe verify clicks
sed -i '/beside the sealed queries/d' clicks/manifest.json # what it keeps quiet about is missed
run lethe verify clicks
# A map for the owner.
lethe seal log.tsv --key-file key --map map.tsv --quiet -o mapped 2>/dev/null
map_lines map.tsv mapped | wc -l
# Broken on purpose: with and without a new digest.
digest() {
    python3 - "$1" <<'P'
import hashlib, json, sys
folder = sys.argv[1]
m = json.load(open(folder + "/manifest.json"))
data = open(folder + "/data.tsv", "rb").read()
m["files"][0]["bytes"] = len(data)
m["files"][0]["blake2b"] = hashlib.blake2b(data, digest_size=32).hexdigest()
json.dump(m, open(folder + "/manifest.json", "w"), indent=2)
P
}
broken() {
    rm -rf bad && cp -r sealed bad
    sed "$1" sealed/data.tsv >edited
    { head -n 2 edited; tail -n +3 edited | LC_ALL=C sort; } >bad/data.tsv
    cmp -s sealed/data.tsv bad/data.tsv && echo unchanged
    digest bad
    lethe verify bad
    echo "= $?"
}
sed -i '5s/\t2006/\t2007/' foreign/data.tsv
run lethe verify foreign
broken '1s/t=3/t=2/'
twice=$(awk -F '\t' '$1 $2 == last { print NR; exit } { last = $1 $2 }' sealed/data.tsv)
broken "${twice}s/:[0-9a-f]\{8\}/:00000000/" | sed 's/"\(user\|query_id\)":"[^"]*"/"\1":.../g'
broken "${twice}s/\(:[0-9a-f]*\t\).\{8\}/\1AAAAAAAA/" | sed 's/"\(user\|query_id\)":"[^"]*"/"\1":.../g'
broken '3s/2006-\(..\)-\(..\)/2006-\1-\2 10/'
broken '3d'
broken '3s/^[^\t]*/1/'
# Usage.
run lethe seal log.tsv
run lethe seal log.tsv -t 1 -o none
run lethe seal log.tsv -t 11 -o none
run lethe seal log.tsv -n 256 -o none
run lethe seal log.tsv --scheme additive -n 4 -o none
run lethe seal log.tsv --epoch 0s -o none
run lethe seal log.tsv --scheme shamir --json -o -
head -c 31 /dev/zero >short && chmod 600 short
run lethe seal log.tsv --key-file short -o none
cp key open-to-all && chmod 644 open-to-all
run lethe seal log.tsv --key-file open-to-all -o none
run lethe scrub log.tsv --then seal --key-file key -o scrubbed
run lethe verify scrubbed
run lethe split log.tsv --then seal --key-file key -q -o personas
# Persons hold shares, not personas: each has the one it has without the split.
cut -f 2,3 personas/data.tsv | sort | cmp - <(cut -f 2,3 sealed/data.tsv | sort) && quietly lethe verify personas
run lethe seal log.tsv --then threshold -o none
run lethe seal sealed/data.tsv -o none
run lethe attack sealed --explain --original log.tsv
run lethe measure sealed --original log.tsv
echo "--- epochs need times"
printf 'AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tmaps\t\t\t\n2\tmaps\t\t\t\n' >timeless.tsv
run lethe seal timeless.tsv -t 2 --epoch 1d -o none
run lethe seal timeless.tsv -t 2 --epoch 1d -o -
quietly lethe seal timeless.tsv -t 2 -o without-epochs
printf '3\tmaps\t2006-03-01 10:00:00\t\t\n' >>timeless.tsv
lethe seal timeless.tsv -t 2 --epoch 1d -o mixed 2>&1 | grep 'no time'
printf 'u\t\t2006-03-01 00:00:00\n' >empty.tsv
run lethe seal empty.tsv -o none
ls none 2>/dev/null
exit 0
