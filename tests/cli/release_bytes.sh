# SPDX-License-Identifier: Apache-2.0
# The bytes of every method's data files, with --seed 1, for the sample log and a synthetic log of 1,000 users.  They
# may change only where a method is meant to publish something else.
. "$HERE/common.bash"
quietly lethe synth --users 1000 --seed 1 -o synth.tsv
awk 'BEGIN {
    s = 7
    print "age,job,town,illness,class"
    for (i = 0; i < 400; i++) {
        for (j = 0; j < 5; j++) { s = (s * 69069 + 1) % 16777216; r[j] = int(s / 256) }
        print r[0] % 8 "," r[1] % 6 "," r[2] % 5 ",ill" r[3] % 7 "," (r[0] + r[4]) % 2
    }
}' >table.csv
mkdir trees
for c in age:8 job:6 town:5; do
    seq 0 $((${c#*:} - 1)) | awk '{print $1 ";g" int($1 / 2) ";all"}' >"trees/${c%:*}.csv"
done

awk 'BEGIN {
    s = 11
    for (i = 0; i < 500; i++) {
        line = ""
        split("", seen)
        for (j = 0; j < 6; j++) {
            s = (s * 69069 + 1) % 16777216; q = s / 16777216; item = int(q * q * q * 64)
            if (!(item in seen)) line = line (line == "" ? "" : " ") "i" item
            seen[item] = 1
        }
        print line
    }
}' >sets.txt
seq 0 63 | awk '{print "i" $1 "\tj" int($1 / 4); if ($1 % 4 == 0) print "j" $1 / 4 "\tk" int($1 / 16); if ($1 % 16 == 0) print "k" $1 / 16 "\tall"}' >sets.tree
awk 'NR % 9 == 0 {print $0, "s" NR % 2; next} {print}' sets.txt >secrets.txt
printf 's%d\n' 0 1 >sensitive.list

# bytes NAME COMMAND...: the digests of the data files of one release.
bytes() {
    local name=$1
    shift
    rm -rf rel
    quietly lethe "$@" --seed 1 -o rel || return
    for f in rel/*; do
        [ "$f" = rel/manifest.json ] || printf '%s %s %s\n' "$(sha256sum <"$f" | cut -c 1-32)" "$name" "${f#rel/}"
    done
}

for log in "$SAMPLE" synth.tsv; do
    t=$(basename "$log" .tsv)
    bytes "$t scrub" scrub "$log"
    bytes "$t threshold" threshold "$log" -t 3
    bytes "$t threshold-exact" threshold "$log" -t 3 --same exact --by users --urls keep --time exact
    bytes "$t scrub+threshold" scrub "$log" --then threshold -t 3
    for by in day gap interest query; do bytes "$t split-$by" split "$log" --by $by; done
    bytes "$t seal" seal "$log" -t 3
    bytes "$t disconnect" disconnect "$log" --min-urls none --targeted-clicks 1
    bytes "$t disconnect-best" disconnect "$log" --rank best --min-urls none --targeted-clicks 1
    bytes "$t disconnect-drawn" disconnect "$log" --min-urls 2
    bytes "$t microagg" microagg "$log" -k 3
    bytes "$t microagg-paper" microagg "$log" -k 3 --list paper --min-users 2
    bytes "$t clump" clump "$log" -k 5
    bytes "$t clump-refined" clump "$log" -k 5 --distinct -r all --refine 1
    bytes "$t partition" partition "$log" -k 5
    bytes "$t ssg" ssg "$log" -k 5 --gap 1h --refine 0
    bytes "$t mm" mm "$log" -k 3 -p 2
done
bytes "sample ssg-refined" ssg "$SAMPLE" -k 5 --gap 1h
bytes "sample ssg-bag" ssg "$SAMPLE" -k 3 --centre bag
for method in og mog aa; do
    bytes "sets $method" $method sets.txt --from records --taxonomy sets.tree -k 4 -m 2
done
bytes "sets og-sensitive" og secrets.txt --from records --taxonomy sets.tree --sensitive sensitive.list -k 4 -l 3 -m 2 -n 1
for method in lplus incognito anneal; do
    bytes "table $method" $method table.csv --qi age,job,town --sa illness --hierarchies trees --theta 1/2
done
bytes "table local" local table.csv --qi age,job,town --sa illness --hierarchies trees -k 5
bytes "table local-values" local table.csv --qi age,job,town --sa illness --ranges age=values --theta 1/2 --suppress 0.1 --weights age=2
bytes "table lplus-diverse" lplus table.csv --qi age,job --sa illness,town --hierarchies trees --entropy-l 2.5 --recursive 3,2
bytes "table lplus-close" lplus table.csv --qi age,job,town --sa illness --hierarchies trees --t-closeness 0.3 --suppress none
bytes "table incognito-map" incognito table.csv --qi age,job,town --hierarchies trees --k-map 6 --population table.csv
bytes "table lplus-k" lplus table.csv --qi age,job,town --sa illness --hierarchies trees -k 5 --suppress vioRec --cost DM
