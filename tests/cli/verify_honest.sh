# SPDX-License-Identifier: Apache-2.0
# Releases as they were made: each of them verifies, whatever the input and the options.
. "$HERE/common.bash"
small_log >log.tsv

# made NAME ARGUMENTS...: makes the release, and verifies it.
made() {
    name=$1
    shift
    lethe "$@" --seed 1 --quiet -o "$name" || echo "$name: not made"
    lethe verify "$name" --quiet || echo "$name: refused"
}
# Rows that several promises of a chain leave undecided count once for each.
made untimed split log.tsv --by day --time drop --then split --by day --then split --by gap
json untimed/manifest.json 'j["counts"]["published"], j["metrics"]["undecided"]'

# A column whose name ends its line, or turns the direction of writing, is shown with escapes.
turned=$(printf 'i\342\200\256\342\200\250\342\201\246ll\342\200\246')
printf 'age,%s\n1,a\n1,b\n2,a\n2,b\n' "$turned" >turned.csv
made turned incognito turned.csv --qi age --sa "$turned" --theta 1/2
lethe incognito turned.csv --qi "$turned,age" --sa "$turned" --theta 1/2 -o none
echo "= $?"
