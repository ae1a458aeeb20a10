# SPDX-License-Identifier: Apache-2.0
# Chains from rows to records and to sealed rows: one release, one account of lines, and steps whose promise is not
# claimed.
. "$HERE/common.bash"
python3 - >log.tsv <<'P'
# Sessions of forty users: words that many use, some that few do, numbers that scrub masks.
import random
rng = random.Random(4)
words = "wine jacket dog cat house car apple river knife rock flower bread".split()
rows = []
for user in range(40):
    t = rng.randrange(4 * 3600)
    for _ in range(rng.randrange(1, 9)):
        t += rng.choice([0, 30, 600, 3000, 4000, 9000, 90000])
        text = " ".join(rng.choices(words + ["5551234567", "john@example.org"], k=rng.choice([1, 1, 2])))
        click = rng.random() < 0.4
        when = f"2006-03-{1 + t // 86400:02} {t // 3600 % 24:02}:{t // 60 % 60:02}:{t % 60:02}"
        rows.append(f"u{user:02}\t{text}\t{when}\t{'1' if click else ''}\t{'http://example.org/a?b' if click else ''}")
print("\n".join(sorted(rows)))
P
run lethe threshold log.tsv -t 5 --then og -k 5 -m 2 --seed 1 --report --map x.map -o x 2>&1 | grep -v _s
accounts x/manifest.json
json x/manifest.json 'j["claims"], [s.get("unclaimed") for s in j["steps"]]'
run lethe verify x
lethe verify x --json | json /dev/stdin 'j["unclaimed"]'
# The page shows the same, and belongs to the release.
sed 's/<[^>]*>/ /g' x/report.html | grep -o 'No promise of [^.]*\.'
echo '--- sessions, and three steps'
run lethe scrub log.tsv --then ssg -k 5 --gap 1h -q --map y.map -o y
run lethe scrub log.tsv --then threshold -t 5 --then clump -k 3 --gap 1h -q --map z.map -o z
run lethe split log.tsv --by day --then partition -k 3 -q --map p.map -o p
for r in y z p; do accounts $r/manifest.json; run lethe verify $r; done
# Masks and hashes are no items; with words as items, either.
cat x/data.txt y/data.txt z/data.txt | tr ' ' '\n' | grep -c '[][#]'
run lethe scrub log.tsv --then mm -k 2 -p 1 --terms words -q -o masks
run lethe threshold log.tsv -t 6 --rare hash --then mm -k 2 -p 1 --terms words -q -o hashes
cat masks/data.txt hashes/data.txt | tr ' ' '\n' | sort -u | tr '\n' ' '
echo; echo '--- with the original'
for r in x y z p; do
    run lethe measure $r --original log.tsv --map $r.map -q | grep -E '^ *(records|items|true of)|^='
    lethe attack $r --original log.tsv --map $r.map -q --json | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin)["metrics"]))'
    quietly lethe report $r --original log.tsv --map $r.map -o $r.html
done
# A line of the map: the person, the published line, and the first line of the record in the log.
sed -n 2,4p z.map
sed '2s/[0-9]*$/50/' z.map >moved.map
run lethe measure z --original log.tsv --map moved.map -q
sed '2s/\t[0-9]*$//' z.map >short.map
run lethe measure z --original log.tsv --map short.map -q
sed 3d z.map >lacking.map
run lethe attack z --original log.tsv --map lacking.map -q
echo '--- the same records as through a pipe that gives all of a row away'
raw='--keep-users --time exact --urls keep -q -o -'
lethe threshold log.tsv -t 5 $raw 2>/dev/null | lethe og - -k 5 -m 2 -q -o piped && cmp x/data.txt piped/data.txt
lethe scrub log.tsv $raw 2>/dev/null | lethe threshold - -t 5 $raw 2>/dev/null | lethe clump - -k 3 --gap 1h -q -o piped --force && cmp z/data.txt piped/data.txt
lethe scrub log.tsv $raw 2>/dev/null | lethe ssg - -k 5 --gap 1h -q -o piped --force && cmp y/data.txt piped/data.txt
# Any number of threads and any memory give the same bytes.
lethe scrub log.tsv --then threshold -t 5 --then clump -k 3 --gap 1h -q -o w --threads 7 --memory 16M && diff -r z w
echo '--- nothing is left'
run lethe threshold log.tsv -t 100 --then og -k 2 -m 1 -o none
run lethe og log.tsv -k 2 -m 1 --then threshold -t 2 -o none
run lethe microagg log.tsv -k 2 --then og -k 2 -m 1 -o none
ls none 2>&1
exit 0
