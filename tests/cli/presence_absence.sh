# SPDX-License-Identifier: Apache-2.0
# Who knows what is there and what is not: candidates, and how sure one gets of a sensitive item.
. "$HERE/common.bash"
printf '%s\t%s\n' fruit food apple fruit banana fruit grape fruit meat food beef meat chicken meat \
    dairy food butter dairy milk dairy >food
printf '%s\n' 'ann	apple milk' 'ann	beef flu' 'bob	apple butter' 'bob	chicken' 'cid	banana milk flu' \
    'dan	grape butter' 'eve	banana beef cold' 'fay	grape chicken' 'gus	milk' 'hal	butter flu' \
    'ida	apple milk beef' 'joe	banana butter chicken' >baskets
printf '%s\n' cold flu >ill
against() { run lethe attack "$1" --explain --original baskets --taxonomy food --adversary presence-absence "${@:2}"; }
quietly lethe og baskets --from records --taxonomy food --sensitive ill -k 2 -l 2 -m 2 -n 1 --map map -o rel
cat rel/data.txt
against rel --map map --known 2 --absent 1
against rel --known 1 --absent 0
# By default three are known, and as many that are not there: more than was promised.
against rel --map map
# The figures by name; the seed chooses what is known; the same for any number of threads.
for seed in 1 1 2; do
    lethe attack rel --original baskets --taxonomy food --known 1 --map map --seed $seed --json >report
    json report '[j["metrics"]["presence-absence"][k] for k in ("success", "before", "baseline")]'
done
json report 'sorted(j["metrics"])'
json report 'sorted(j["metrics"]["presence-absence"])'
json report 'sorted(j["metrics"]["presence-absence"]["candidates_after"])'
for threads in 1 2 7; do
    lethe attack rel --original baskets --taxonomy food --map map --threads $threads --json >report
    json report 'j["metrics"]["presence-absence"]' >figures.$threads
done
cmp figures.1 figures.2 && cmp figures.1 figures.7 && echo same
# Nothing is generalized: items that are left out of all sets are no clue.
quietly lethe mm baskets --from records --sensitive ill -k 4 -p 1 --h 0.5 --map left.map -o left
cat left/data.txt
run lethe attack left --explain --original baskets --adversary presence-absence --map left.map --known 1 --absent 0
# Records that are generalized each in its own way.
grep -v flu baskets | grep -v cold >plain
quietly lethe clump plain --from records --taxonomy food -k 2 --map clumps.map -o clumps
run lethe attack clumps --explain --original plain --taxonomy food --adversary presence-absence --map clumps.map --known 2
# What is no number, or another release's map.
against rel --absent -1
against rel --absent many
{ map_head rel; cat food; } >food.map
against rel --map food.map
against rel --map left.map
holds baskets clumps clumps.map figures.1 figures.2 figures.7 food food.map ill left left.map map plain rel report
