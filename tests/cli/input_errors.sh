# SPDX-License-Identifier: Apache-2.0
# Input that is no log: 3, the file named, nothing made.
. "$HERE/common.bash"
export PYTHONDONTWRITEBYTECODE=1
: >empty
printf 'AnonID\tQuery\tQueryTime\n' >header
head -c 100000 /dev/zero >zeros
python3 -c 'import random, sys
r = random.Random(1)
sys.stdout.buffer.write(bytes(r.randrange(256) for _ in range(50000)))' >binary
small_log | awk '{ print } NR % 4 == 0 { print "no log line" }' >broken
printf '1\tmaps\t2006-03-01 10:00:00\n2\tmaps\n3\tmaps\t2006-03-01 10:00:00\n' >few
{ small_log; small_log; } | awk '{ print } NR == 7 { print "8\tmaps\tyesterday" }' >one_bad
printf 'who;what;when\n1;maps;2006-03-01 10:00:00\n' >names.csv
printf '\n\n\n' >blank
printf 'user,query,time\r\n' | iconv -f UTF-8 -t UTF-16 >utf16
for file in empty header zeros blank broken few; do
    run lethe threshold "$file" -t 1 -o rel
    run lethe profile -q "$file"
done
run lethe profile utf16
run lethe threshold -q binary -t 1 -o rel
run lethe threshold one_bad -t 1 --strict-input -o rel
run lethe profile one_bad --strict-input
run lethe threshold names.csv --columns user=who,time=when,query=question -t 1 -o rel
run lethe threshold names.csv --columns user=1,time=2,query=9 -t 1 -o rel
run lethe threshold names.csv --from jsonl -t 1 -o rel
run lethe threshold names.csv --from jsonl --columns user=1,time=2,query=3 -t 1 -o rel
run lethe threshold one_bad empty -t 1 -o rel
run lethe threshold - -t 1 -o rel </dev/null

# Compressed files that end too early, or are damaged.
big_log 20000 >big
gzip -c big >big.gz
zstd -q big
head -c $(($(stat -c %s big.gz) / 2)) big.gz >cut.gz
head -c $(($(stat -c %s big.zst) / 2)) big.zst >cut.zst
head -c $(($(stat -c %s big.gz) - 3)) big.gz >tail.gz
head -c 12 big.gz >start.gz
{ head -c 5000 big.gz; printf 'XXXXXXXXXXXXXXXX'; tail -c +5017 big.gz; } >damaged.gz
{ head -c 5000 big.zst; printf 'XXXXXXXXXXXXXXXX'; tail -c +5017 big.zst; } >damaged.zst
for file in cut.gz cut.zst tail.gz start.gz damaged.gz damaged.zst; do
    lethe threshold "$file" -q -t 2 -o rel >said 2>&1
    echo "$file: $? $(grep -c "$file" said) message"
done
run lethe threshold cut.gz -q -t 2 -o rel
run lethe threshold cut.zst -q -t 2 -o rel
holds big big.gz big.zst binary blank broken cut.gz cut.zst damaged.gz damaged.zst empty few header names.csv one_bad \
    said start.gz tail.gz utf16 zeros
