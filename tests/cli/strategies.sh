# SPDX-License-Identifier: Apache-2.0
# What the strategies of the adversaries achieve, recomputed by brute force (strategies.py), and the
# same for any number of threads.
. "$HERE/common.bash"
oracle() { python3 "$HERE/strategies.py" "$@"; }

# random_log SEED: users who repeat themselves, over several days.
random_log() {
    python3 - "$1" <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
words = [a + b for a in "klmnprst" for b in ("ab", "eg", "if", "os")]
words[1], words[8] = "in", "does"
print("AnonID\tQuery\tQueryTime\tItemRank\tClickURL")
for user in range(r.randint(3, 14)):
    own = [" ".join(r.choices(words[: r.choice((6, 32))], k=r.randint(1, 3))) for _ in range(r.randint(1, 6))]
    own += [words[0], r.choice(words[:3])]
    for _ in range(r.randint(3, 15)):
        host = r.choice(("", "a.com", "b.org", f"h{user % 4}.net"))
        time = f"2006-03-{r.randint(1, 6):02} {r.choice((9, 9 + user % 7)):02}:{r.randint(0, 59):02}:00"
        print(f"u{user}\t{r.choice(own)}\t{time}\t{'1' if host else ''}\t{'http://' + host if host else ''}")
END
}

for seed in $(seq 12); do
    random_log $seed >log.tsv
    case $((seed % 4)) in
    0) method='threshold -t 2 --same exact' ;;
    1) method='split --by interest' ;;
    2) method='split --by day' ;;
    3) method='scrub --kinds ssn' ;;
    esac
    quietly lethe $method log.tsv --seed $seed --map map --force -o release
    attack known-terms release log.tsv --map map --known 1000
    oracle known said log.tsv release map
done
echo 'known-terms: logs'
printf '%s\t%s\n' fruit food apple fruit orange fruit grape fruit dairy food milk dairy butter dairy \
    meat food beef meat lamb meat >food
for seed in $(seq 6); do
    python3 - $seed >baskets <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
items = ["apple", "orange", "grape", "milk", "butter", "beef", "lamb"]
for person in range(r.randint(4, 12)):
    print(f"p{person:02}\t{' '.join(r.sample(items, r.randint(1, 4)))}")
END
    quietly lethe clump baskets --from records --taxonomy food -k 2 --distinct --seed $seed --map map --force -o groups
    attack known-terms groups baskets --map map --taxonomy food --known 1000
    oracle known said baskets groups map food
    epsilon=$((seed % 3 + 2))
    quietly lethe ssg baskets --from records --taxonomy food -k 2 --epsilon $epsilon --min-owners $((seed % 2 + 1)) --seed $seed \
        --map map --force -o groups
    attack known-terms groups baskets --map map --taxonomy food --known 1000
    oracle known said baskets groups map food $epsilon
    json said 'j["metrics"]["known-terms"]["strategy"]' >>best
done
grep -q near best || echo 'near is never the best'
echo 'known-terms: records'

# clicked SEED LOG RESULTS: clicks on result lists in which a URL may come twice; without ranks if SEED is odd.
clicked() {
    python3 - "$@" <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
hosts = ["a.com", "b.org", "c.net"]
lists = {f"q{q}": [f"http://{r.choice(hosts)}/p{r.randint(1, 3)}" for _ in range(r.randint(1, 6))] for q in range(6)}
with open(sys.argv[2], "w") as log, open(sys.argv[3], "w") as results:
    print("AnonID\tQuery\tQueryTime\tItemRank\tClickURL", file=log)
    for query, urls in lists.items():
        for url in urls if r.random() < 0.9 else ["http://d.com/"]:
            print(query, url, sep="\t", file=results)
    for n in range(60):
        query = r.choice(list(lists))
        rank = min(int(r.expovariate(0.7)), len(lists[query]) - 1)
        shown = "" if int(sys.argv[1]) % 2 else rank + 1 if r.random() < 0.8 else r.randint(1, 9)
        print(f"u{n % 9}", query, f"2006-03-01 10:{n:02}:00", shown, lists[query][rank], sep="\t", file=log)
END
}

for seed in $(seq 12); do
    clicked $seed log.tsv results
    quietly lethe scrub log.tsv --kinds ssn --seed $seed --force -o release
    attack replay release log.tsv --results results
    oracle replay said log.tsv release results
done
echo replay

for seed in $(seq 1 2 23); do # without ranks
    clicked $seed log.tsv results
    case $((seed % 3)) in
    0) method='threshold -t 1 --same exact' ;;
    1) method='threshold -t 4 --same exact' ;;
    2) method='disconnect --keep-vulnerable' ;;
    esac
    quietly lethe $method log.tsv --urls id --seed $seed --force -o release
    attack competitor release log.tsv --results results
    oracle competitor said log.tsv release results
done
echo competitor

for seed in $(seq 12); do
    random_log $seed >log.tsv
    by=$(sed -n "$((seed % 3 + 1))p" <<<$'day\ngap\ninterest')
    time=$(sed -n "$((seed % 4 + 1))p" <<<$'day\nhour\nexact\ndrop')
    self=
    [ $((seed % 2)) = 0 ] || self=--count-self
    quietly lethe split --by $by log.tsv --time $time --seed $seed --map map --force -o release
    attack linkage release log.tsv --map map $self
    oracle linkage said release map $self
done
echo linkage
