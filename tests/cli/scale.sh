# SPDX-License-Identifier: Apache-2.0
# One scale for releases of every shape: the same figures of all of them, from files alone.
. "$HERE/common.bash"
quietly lethe synth --users 120 --queries-per-user 15 --seed 7 -o log.tsv
all='[round(j["metrics"][k], 4) for k in ("terms_kept", "terms_general", "pattern_recall")]'
known='[round(j["metrics"]["known-terms"][k], 4) for k in ("success", "baseline", "narrowed", "among")]'
before='[round(j["metrics"]["known-terms"][k], 4) for k in ("before", "narrowed_before")]'
beside() {
    printf '%s: ' "$1"
    lethe measure "$1" --original log.tsv --json >measured 2>said || cat said
    printf '%s ' "$(json measured "$all")"
    lethe attack "$1" --original log.tsv --map "$1.map" --adversary known-terms --json >attacked 2>said || cat said
    printf '%s before %s\n' "$(json attacked "$known")" "$(json attacked "$before")"
}
make() {
    quietly lethe "${@:2}" log.tsv --seed 1 --map "$1.map" -o "$1"
    beside "$1"
}
make scrub scrub
make exact scrub --time exact
make threshold threshold -t 2
make hashed threshold -t 2 --rare hash
make seal seal -t 2 -n 4
make split split
make microagg microagg -k 3
make labels microagg -k 3 --synthetic
make disconnect disconnect
make clump clump -k 3
make partition partition -k 3
make ssg ssg -k 3
make og og -k 2 -m 1
# Steps before the last are as nothing: beside a release stands what was read.
quietly lethe scrub log.tsv --then threshold -t 2 --seed 1 --map steps.map -o steps
beside steps
# What a person reads.
for release in threshold seal clump; do
    run lethe measure $release --original log.tsv
    run lethe attack $release --explain --original log.tsv --adversary known-terms --known 2 --crowd 10
done
run lethe attack split --explain --original log.tsv --adversary known-terms
# Users who keep their names need no map, and a log may come through a pipe.
quietly lethe threshold log.tsv -t 2 --seed 1 --keep-users -o named
run lethe attack named --explain --original - --adversary known-terms <log.tsv
lethe measure clump --original - --json <log.tsv >piped 2>said
json piped "$all"
# The same for any number of threads.
for threads in 1 2 7; do
    for release in split seal clump; do
        lethe measure $release --original log.tsv --threads $threads --json >measured 2>said
        lethe attack $release --original log.tsv --map $release.map --adversary known-terms --threads $threads --json \
            >attacked 2>said
        json measured "$all"
        json attacked 'j["metrics"]["known-terms"]'
    done >figures.$threads
done
cmp figures.1 figures.2 && cmp figures.1 figures.7 && echo same
# Of a file of records, its items: those that the taxonomy lacks too.
printf '%s\t%s\n' fruit food apple fruit orange fruit dairy food milk dairy butter dairy >food
printf '%s\n' 'ann	apple milk wine' 'ann	milk' 'bob	orange butter' 'cid	apple milk' 'dan	orange milk' >baskets
quietly lethe clump baskets --from records --taxonomy food -k 2 --seed 1 --map baskets.map -o grouped
cat grouped/data.txt
run lethe measure grouped --original baskets --taxonomy food
run lethe attack grouped --explain --original baskets --taxonomy food --map baskets.map --adversary known-terms --known 2
run lethe attack grouped --explain --original baskets --taxonomy food --adversary known-terms --crowd 1
holds attacked baskets baskets.map clump clump.map disconnect disconnect.map exact exact.map \
    figures.1 figures.2 figures.7 food grouped hashed hashed.map labels labels.map log.tsv measured microagg \
    microagg.map named og og.map partition partition.map piped said scrub scrub.map seal seal.map split split.map ssg \
    ssg.map steps steps.map threshold threshold.map
