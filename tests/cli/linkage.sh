# SPDX-License-Identifier: Apache-2.0
# The adversaries linkage and replay.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 2 --clicks all --seed 1 --map map -o rel
# One published user a person: nobody to be linked.
run lethe attack rel --explain --original log.tsv --map map --adversary linkage
lethe attack rel --original log.tsv --map map --adversary linkage --json >report
json report 'j["metrics"]["linkage"]'
run lethe attack rel --explain --original log.tsv --adversary linkage
printf '%s\n1\tsomebody\n' "$(map_head rel)" >other
run lethe attack rel --explain --original log.tsv --map other --adversary linkage
printf '%s\n\tsomebody\n' "$(map_head rel)" >nobody
run lethe attack rel --explain --original log.tsv --map nobody --adversary linkage
# People split by day.
quietly lethe split log.tsv --by day --seed 1 --map parts -o split
run lethe attack split --explain --original log.tsv --map parts --adversary linkage
lethe attack split --original log.tsv --map parts --adversary linkage --count-self --json >report
json report 'j["parameters"], {k: j["metrics"]["linkage"][k] for k in ("success", "share100", "share100_baseline", "count_self", "selectivity")}'
for threads in 1 2 7; do
    lethe attack split --original log.tsv --map parts --adversary linkage --threads $threads --json >report
    json report 'j["metrics"]["linkage"]' >metrics.$threads
done
cmp metrics.1 metrics.2
cmp metrics.1 metrics.7
json report '{k: j["metrics"]["linkage"][k] for k in ("sessions", "persons", "components")}'
# One person alone, in parts that share a word or none.
printf '7\t%s\t2006-03-0%d 10:00:00\t\t\n' 'red car' 1 car 3 dog 5 >one.tsv
quietly lethe split one.tsv --by day --seed 1 --map one.map -o one
run lethe attack one --explain --original one.tsv --map one.map --adversary linkage
# Clicks cut to hosts, and what a search engine answers.
printf '%s\t%s\n' maps 'http://www.maps.com/a/b?q=1' maps 'https://maps.org/' maps 'http://www.maps.com/c' \
    News 'http://news.example.com:8080/today' >results
run lethe attack rel --explain --original log.tsv --results results --adversary replay
lethe attack rel --original log.tsv --results results --json >report
json report 'j["metrics"]'
lethe attack rel --original log.tsv --results results --map map --json >report
json report 'list(j["metrics"])'
# URLs that were kept are not to be recovered; texts that were changed cannot be judged.
quietly lethe threshold log.tsv -t 2 --clicks all --seed 1 --urls keep -o whole
run lethe attack whole --explain --original log.tsv --results results --adversary replay
sed 's/maps/map/; s/Maps/map/; s/MAPS/map/' log.tsv >other.tsv
run lethe attack rel --explain --original other.tsv --results results --adversary replay
run lethe attack rel --explain --original log.tsv --adversary replay
# Neither applies to a sealed log, nor to records.
quietly lethe seal log.tsv -t 2 -n 3 --seed 1 --map sealed.map -o sealed
for adversary in linkage replay; do
    run lethe attack sealed --explain --original log.tsv --map sealed.map --results results --adversary $adversary
done
run lethe attack sealed --explain --original log.tsv --map sealed.map --results results
run lethe attack rel --explain --original log.tsv --results missing
printf 'maps\n' >bad
run lethe attack rel --explain --original log.tsv --results bad
holds bad log.tsv map metrics.1 metrics.2 metrics.7 nobody one one.map one.tsv other other.tsv parts rel report results \
    sealed sealed.map split whole
