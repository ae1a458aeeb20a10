# SPDX-License-Identifier: Apache-2.0
# What a command prints on a terminal fits a screen, and --explain prints more; figures are in words.
. "$HERE/common.bash"
SCREEN=30
# fits COMMAND...: how it ends, if it is longer than a screen, and figures by their name.
fits() {
    "$@" >said 2>&1 || echo "= $?: $*"
    local lines
    lines=$(wc -l <said)
    [ "$lines" -le $SCREEN ] || echo "$lines lines: $*"
    grep -E '^  [a-z0-9]+_[a-z0-9_]+ ' said && echo "a name, not words: $*"
    n_fit=$((n_fit + 1))
}
# explains COMMAND...: does it print more with --explain?
explains() {
    fits "$@"
    "$@" --explain >more 2>&1
    [ "$(wc -l <more)" -gt "$(wc -l <said)" ] || echo "--explain adds nothing: $*"
}
n_fit=0
quietly lethe synth --users 300 --seed 7 --truth truth.tsv -o log.tsv
explains lethe profile log.tsv
explains lethe profile "$SAMPLE"
release() { # NAME METHOD...: made, measured, attacked, verified
    explains lethe "$2" "$SAMPLE" "${@:3}" --seed 1 --force --map map -o rel
    explains lethe measure rel --original "$SAMPLE" --map map
    explains lethe attack rel --original "$SAMPLE" --map map
    fits lethe verify rel
    fits lethe report rel -o page.html --force
}
release scrub scrub
release threshold threshold -t 3
release chain scrub --then threshold -t 3
release split split
release clump clump -k 5
release partition partition -k 5
release ssg ssg -k 5 --gap 1h
release microagg microagg -k 5
release disconnect disconnect
fits lethe seal "$SAMPLE" -t 3 -o sealed --quiet
fits lethe verify sealed
fits lethe threshold "$SAMPLE" -t 3 --as counts -o counts
explains lethe measure counts --original "$SAMPLE"
quietly lethe scrub log.tsv --then threshold -t 5 -o large --map large.map
explains lethe attack large --original log.tsv --map large.map --truth truth.tsv
# A table with as many columns as many have, and baskets.
awk 'BEGIN { print "age,sex,zip,job,disease"; for (i = 0; i < 300; i++) print 20 + i * 7 % 50 "," (i % 2 ? "f" : "m") "," 10000 + i * 13 % 40 "," i * 11 % 9 "," (i % 3 ? "flu" : "asthma") }' >patients.csv
explains lethe profile patients.csv
explains lethe profile patients.csv --qi age,sex,zip --sa disease
lethe check patients.csv --qi age,sex,zip --sa disease -k 3 --theta 1/2 --distinct-l 2 >said
[ "$(wc -l <said)" -le $SCREEN ] || cat said
explains lethe local patients.csv --qi age,sex --sa disease --ranges age=5,10,20 -k 3 --distinct-l 2 --force -o table
explains lethe measure table --original patients.csv
explains lethe attack table --original patients.csv
fits lethe lplus patients.csv --qi age,sex --sa disease --ranges age=10,20 --theta 3/4 -o lplus
fits lethe verify lplus
printf 'milk\tdairy\nbutter\tdairy\ntea\tdrinks\nbeer\tdrinks\ndairy\tgoods\ndrinks\tgoods\n' >goods.tsv
for i in 1 2 3 4 5; do printf 'milk tea\nmilk butter\nbutter tea\ntea milk beer\n'; done >baskets.txt
explains lethe profile baskets.txt
for method in og mog aa; do
    explains lethe $method baskets.txt --taxonomy goods.tsv -k 2 -m 2 --force --map map -o sets
    explains lethe measure sets --original baskets.txt --taxonomy goods.tsv --map map
    explains lethe attack sets --original baskets.txt --taxonomy goods.tsv --map map
done
echo "$n_fit commands"
