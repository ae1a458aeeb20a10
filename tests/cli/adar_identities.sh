# SPDX-License-Identifier: Apache-2.0
# Adar, section 5.1: leaving out texts that one person issued hides every number; and section 6: what
# many people ask, taken together, still points to one.  Planted people found at t = 1, 2, 3, 5.
. "$HERE/common.bash"
quietly lethe synth --users 1000 --seed 11 --truth truth -o log.tsv
for t in 1 2 3 5; do
    quietly lethe threshold log.tsv -t $t --same exact --seed 1 --map map$t -o rel$t
    lethe attack rel$t --original log.tsv --truth truth --map map$t --adversary identity --json -q >report
    printf 't=%d: ' $t
    json report '" ".join("%s %d/%d of %d" % (k, v["after"], v["before"], v["planted"]) for k, v in j["metrics"]["identity"]["kinds"].items())'
done
# A scrub alone takes the numbers; names and patterns stay.
quietly lethe scrub log.tsv --seed 1 --map smap -o srel
lethe attack srel --original log.tsv --truth truth --map smap --json -q >report
json report '" ".join("%s %d/%d of %d" % (k, v["after"], v["before"], v["planted"]) for k, v in j["metrics"]["identity"]["kinds"].items())'
json report 'j["metrics"]["identity"]["confirmed"], sorted(j["metrics"]["identity"])'
# Without a map nobody can tell who is who.
lethe attack srel --original log.tsv --truth truth --json -q >report
json report 'j["metrics"]["identity"]["confirmed"]'
run lethe attack srel --original log.tsv
run lethe attack srel --original log.tsv --adversary identity
run lethe attack srel --original log.tsv --truth missing
run lethe attack srel --original log.tsv --truth log.tsv
run lethe attack srel --original log.tsv --truth truth --known 0
