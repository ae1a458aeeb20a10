# SPDX-License-Identifier: Apache-2.0
# The adversaries marking, frequency and homogeneity, recomputed by brute force (adversaries.py), the
# same for any number of threads; and where they do not apply.
. "$HERE/common.bash"
oracle() { PYTHONDONTWRITEBYTECODE=1 python3 "$HERE/adversaries.py" "$@"; }

# random_log SEED: users with common and rare texts, words of which may come in another order.
random_log() {
    python3 - "$1" <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
words = [a + b for a in "klmnprst" for b in ("ab", "eg", "if", "os")]
print("AnonID\tQuery\tQueryTime\tItemRank\tClickURL")
texts = [" ".join(r.choices(words, k=r.randint(1, 3))) for _ in range(14)]
texts += [" ".join(reversed(text.split())) for text in texts[:3]]
for user in range(r.randint(6, 14)):
    for _ in range(r.randint(3, 12)):
        text = r.choice(texts[: r.choice((3, 8, len(texts)))])
        url = r.choice(("", f"http://{text[:3]}.com/{r.randint(1, 2)}", "http://a.com/"))
        time = f"2006-03-{r.randint(1, 3):02} {r.randint(0, 23):02}:{r.randint(0, 59):02}:00"
        print(f"u{user}\t{text}\t{time}\t\t{url}")
END
}

for seed in $(seq 8); do
    random_log $seed >log.tsv
    case $((seed % 4)) in
    0) method='threshold -t 2 --same exact' ;;
    1) method='split --by day' ;;
    2) method='seal -t 2' ;;
    3) method='scrub --kinds ssn' ;;
    esac
    quietly lethe $method log.tsv --seed $seed --map map --force -o release
    rows=release/data.tsv
    if [ $((seed % 4)) = 2 ]; then
        quietly lethe open release/data.tsv --force -o opened
        rows=opened
    fi
    attack marking release log.tsv --map map --marks $((seed % 3 + 1)) --accounts $((seed % 5))
    oracle marking said log.tsv $rows map $((seed % 3 + 1)) $((seed % 5))
done
echo marking

for seed in $(seq 8); do
    random_log $seed >log.tsv
    case $((seed % 4)) in
    0) method='threshold -t 3 --rare hash --same words' ;;
    1) method='threshold -t 3 --rare hash --same exact --urls id' ;;
    2) method='scrub --kinds ssn --urls id' ;;
    3) method='seal -t 3' ;;
    esac
    quietly lethe $method log.tsv --seed $seed --force -o release
    attack frequency release log.tsv
    case $((seed % 4)) in
    0) oracle frequency said log.tsv release words ;;
    3)
        quietly lethe open release/data.tsv --force -o opened
        oracle frequency said log.tsv release opened 3
        ;;
    *) oracle frequency said log.tsv release exact ;;
    esac
done
echo frequency

printf '%s\t%s\n' fruit food apple fruit orange fruit grape fruit dairy food milk dairy butter dairy \
    meat food beef meat lamb meat >food
for seed in $(seq 8); do
    python3 - $seed >baskets <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
items = ["apple", "orange", "grape", "milk", "butter", "beef", "lamb"]
for person in range(r.randint(4, 12)):
    print(f"p{person:02}\t{' '.join(r.sample(items, r.randint(1, 4)))}")
END
    if [ $((seed % 2)) = 0 ]; then
        quietly lethe clump baskets --from records --taxonomy food -k 2 --distinct --seed $seed --map map --force -o groups
        attack homogeneity groups baskets --map map --taxonomy food
        oracle records said baskets groups map food group
    else
        quietly lethe og baskets --from records --taxonomy food -k 2 -m 1 --seed $seed --map map --force -o groups
        attack homogeneity groups baskets --map map --taxonomy food --known 1000
        oracle records said baskets groups map food items
    fi
done
echo 'homogeneity: records'

for seed in $(seq 4); do
    random_log $seed >log.tsv
    tail -n +2 log.tsv | cut -f 2 | tr ' ' '\n' | sort -u | sed 's/\(.\)\(.*\)/&\tTop\/\1\/\2/' >directory
    quietly lethe microagg log.tsv -k 2 --directory directory --min-users 1 --seed $seed --map map --force -o release
    attack homogeneity release log.tsv --map map
    oracle lists said log.tsv release map
done
echo 'homogeneity: lists'

for seed in $(seq 4); do
    python3 - $seed >table.csv <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
print("age,sex,ill,paid")
for _ in range(40):
    print(r.randint(20, 29), r.choice("fm"), r.choice(("flu", "flu", "cold", "gout")), r.choice("yn"), sep=",")
END
    quietly lethe local table.csv --qi age,sex --sa ill --keep paid --ranges age=2,10 -k $((seed + 1)) --seed 1 --force -o release
    attack homogeneity release table.csv --guess ill,paid
    oracle table said table.csv release age,sex ill paid
    attack homogeneity release table.csv
    oracle table said table.csv release age,sex ill
done
echo 'homogeneity: tables'
run lethe attack release --explain --original table.csv --adversary homogeneity
run lethe attack release --explain --original table.csv --adversary homogeneity --guess age
run lethe attack release --explain --original table.csv --adversary homogeneity --guess ill,ill

# where they do not apply
quietly lethe scrub log.tsv --seed 1 --map map --force -o release
run lethe attack release --explain --original log.tsv --adversary frequency
run lethe attack release --explain --original log.tsv --adversary homogeneity
run lethe attack groups --explain --original baskets --taxonomy food --adversary marking
quietly lethe microagg log.tsv -k 2 --directory directory --min-users 1 --seed 1 --force -o lists
run lethe attack lists --explain --original log.tsv --adversary homogeneity
quietly lethe microagg log.tsv -k 2 --directory directory --min-users 1 --synthetic --seed 1 --map labels --force -o lists
run lethe attack lists --explain --original log.tsv --adversary homogeneity --map labels
quietly lethe local table.csv --qi age,sex --ranges age=2,10 -k 2 --seed 1 --force -o bare
run lethe attack bare --explain --original table.csv --adversary homogeneity

# options
run lethe attack release --explain --original log.tsv --adversary marking --marks 0
run lethe attack release --explain --original log.tsv --adversary marking --accounts -1
quietly lethe threshold -t 3 --rare hash log.tsv --seed 1 --force -o hashed
printf 'kab\t3\nkab\n' >frequencies
run lethe attack hashed --explain --original log.tsv --adversary frequency --frequencies frequencies
run lethe attack hashed --explain --original log.tsv --adversary frequency --frequencies none

# what is printed
run lethe attack release --explain --original log.tsv --adversary marking --map map
run lethe attack hashed --explain --original log.tsv --adversary frequency
