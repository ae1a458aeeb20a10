# SPDX-License-Identifier: Apache-2.0
# The adversary competitor: URLs as identifiers, and queries that are asked again.
. "$HERE/common.bash"
row() { printf '%s\t%s\t2006-03-01 10:00:00\t%s\t%s\n' "$@"; }
{
    row 1 cars 1 http://www.cars.com/
    row 2 cars 2 http://auto.com/used
    row 3 'used cars' 1 http://auto.com/used
    row 4 'used cars' '' ''
    row 1 dogs 1 http://www.pets.com/dogs
    row 2 dogs 2 http://pets.com/puppies
    row 3 zebra 1 http://zoo.org/zebra
    row 4 'zoo' 2 http://zoo.org/
} >log.tsv
printf '%s\t%s\n' cars http://www.cars.com cars http://auto.com/used cars http://other.com \
    'Used  Cars' https://auto.com/used 'used cars' http://dealer.com dogs http://www.pets.com/dogs \
    dogs http://pets.com/puppies zebra http://zoo.org/zebra >results
# Nothing was left out, ranks neither.
quietly lethe threshold log.tsv -t 1 --same exact --urls id --seed 1 -o ids
run lethe attack ids --explain --original log.tsv --results results --adversary competitor
lethe attack ids --original log.tsv --results results --adversary competitor --json >report
json report '{k: v for k, v in j["metrics"]["competitor"].items() if k != "meaning"}'
# Without ranks: by what the answers have in common.
sed 's/\t[0-9]*\thttp/\t\thttp/' log.tsv >bare.tsv
quietly lethe threshold bare.tsv -t 1 --same exact --urls id --seed 1 -o bare
run lethe attack bare --explain --original log.tsv --results results --adversary competitor
# A query fewer.
grep -v 'used cars\|zebra' bare.tsv >fewer.tsv
quietly lethe threshold fewer.tsv -t 1 --same exact --urls id --seed 1 -o fewer
run lethe attack fewer --explain --original bare.tsv --results results --adversary competitor
# What the command against it leaves, in the paper's form: no intersection, but the order of clicks.
quietly lethe disconnect log.tsv --results results --min-results 2 --min-sites 2 --min-urls none --seed 1 -o apart
run lethe attack apart --explain --original log.tsv --results results --adversary competitor
# A competitor replays what retrieves its own pages, and learns of others.
run lethe attack bare --explain --original bare.tsv --results results --adversary competitor --owned cars.com,www.dealer.com
run lethe attack bare --explain --original bare.tsv --results results --adversary competitor --owned nowhere.com
run lethe attack bare --explain --original bare.tsv --results results --adversary competitor --owned 'cars.com,'
# What the original does not decide is said.
{ cat bare.tsv; row 5 zebra '' http://stripes.com; } >more.tsv
run lethe attack bare --explain --original more.tsv --results results --adversary competitor
for threads in 1 2 7; do
    lethe attack ids --original log.tsv --results results --adversary competitor --threads $threads --json >report
    json report 'j["metrics"]["competitor"]' >metrics.$threads
done
cmp metrics.1 metrics.2
cmp metrics.1 metrics.7
# Other forms of URLs have nothing to name.
for urls in host keep drop; do
    quietly lethe threshold log.tsv -t 1 --same exact --urls $urls --seed 1 -o $urls
    lethe attack $urls --original log.tsv --results results --adversary competitor --json >report
    json report '[j["metrics"]["competitor"][k] for k in ("success", "before", "baseline", "ids", "note")]'
done
run lethe attack ids --explain --original log.tsv --adversary competitor
lethe attack ids --original log.tsv --results results --json >report
json report 'list(j["metrics"]), j["parameters"].get("owned")'
printf 'cars\n' >bad
run lethe attack ids --explain --original log.tsv --results bad --adversary competitor
quietly lethe seal log.tsv -t 2 -n 3 --seed 1 -o sealed
run lethe attack sealed --explain --original log.tsv --results results --adversary competitor
holds apart bad bare bare.tsv drop fewer fewer.tsv host ids keep log.tsv metrics.1 metrics.2 metrics.7 more.tsv report results sealed
