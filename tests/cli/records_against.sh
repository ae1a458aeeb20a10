# SPDX-License-Identifier: Apache-2.0
# Records beside their release: what is left, whether it is true, and who can be found in it.
. "$HERE/common.bash"
printf '%s\t%s\n' fruit food apple fruit banana fruit grape fruit orange fruit meat food beef meat \
    chicken meat dairy food butter dairy milk dairy >food
printf '%s\n' 'apple milk' 'orange butter' 'beef grape' 'chicken banana' milk 'milk wine' >records
quietly lethe clump records --from records --taxonomy food -k 2 --map map -o rel
cat rel/data.txt rel/taxonomy.tsv
run lethe measure rel --original records --from records --taxonomy food --map map
run lethe attack rel --explain --original records --from records --taxonomy food --map map --known 2
run lethe attack rel --explain --original records --from records --taxonomy food --adversary background
# The seed chooses what is known.
for seed in 1 1 2 3 4 5; do
    lethe attack rel --original records --from records --taxonomy food --map map --known 1 --seed $seed \
        --json >report
    json report 'j["metrics"]["background"]["candidates_before"]'
done
json report '"seed" in j["parameters"]'
# A map that gives records to others: what is published of these is not true.
printf '%s\n' "$(map_head rel)" '1	3' '2	4' '3	1' '4	2' '5	5' '6	6' >other
run lethe measure rel --original records --from records --taxonomy food --map other
lethe measure rel --original records --from records --taxonomy food --map other --json >report
json report '[j["metrics"][k] for k in ("truthful", "untruthful_records", "untruth", "ggd")]'
# Another taxonomy, by which all would mean something else; and leaves that nobody has.
sed 's/milk	dairy/milk	meat/' food >moved
run lethe measure rel --original records --from records --taxonomy moved --map map
run lethe attack rel --explain --original records --from records --taxonomy moved
printf '%s\n' 'cheese	dairy' >>food
run lethe measure rel --original records --from records --taxonomy food --map map
run lethe measure rel --original records --from records --map map
holds food map moved other records rel report
