# SPDX-License-Identifier: Apache-2.0
# The figures of real logs that the synthetic log is fitted to (docs/synthetic.md), counted from the file that was
# written: the mean of three logs lies within a tenth of each.
. "$HERE/common.bash"
nouns="${WNSEARCHDIR:-/usr/share/wordnet}/index.noun"
[ -e "$nouns" ] || skip "no WordNet dictionary"
for seed in 1 2 3; do
    quietly lethe synth --users 1017 --seed $seed -o log.tsv --force
    "$ROOT/tools/log-figures" log.tsv --nouns "$nouns" >"figures.$seed"
done
python3 - <<'PYTHON'
targets = {
    "page_shared": 0.047, "host_shared": 0.50, "rank_1_clicks": 0.39,
    "stop_words": 0.08, "top_100_words": 0.22, "own_words": 0.028,
    "repeated_shared": 0.26, "not_repeated_shared": 0.09, "queries_a_session": 2.0,
    "once_share": 0.80, "le3_share": 0.96, "unique_user_share": 0.976, "noun_share": 0.66,
    "left_t2": 0.158, "left_t3": 0.115, "left_t5": 0.086, "terms_a_query": 2.8,
    "texts_a_query": 36819 / 61468, "rows_a_query": 92856 / 61468, "queries_a_user": 60,
}
logs = [dict(line.split() for line in open(f"figures.{seed}")) for seed in (1, 2, 3)]
print(sorted(logs[0]) == sorted(targets))
for name, target in targets.items():
    mean = sum(float(log[name]) for log in logs) / len(logs)
    print(name, "holds" if abs(mean / target - 1) <= 0.1 else f"is {mean:.4f}, not {target}")
PYTHON
