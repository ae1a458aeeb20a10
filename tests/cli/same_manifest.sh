# SPDX-License-Identifier: Apache-2.0
# The same input, options and seed: the same manifest and page, byte for byte, of every method, whatever the clock, the
# number of threads and the memory.
. "$HERE/common.bash"
awk 'BEGIN {
    s = 7
    print "age,job,illness"
    for (i = 0; i < 60; i++) {
        for (j = 0; j < 3; j++) { s = (s * 69069 + 1) % 16777216; r[j] = int(s / 256) }
        print r[0] % 8 "," r[1] % 6 ",ill" r[2] % 7
    }
}' >table.csv
mkdir trees
for c in age:8 job:6; do
    seq 0 $((${c#*:} - 1)) | awk '{print $1 ";g" int($1 / 2) ";all"}' >"trees/${c%:*}.csv"
done
awk 'BEGIN {
    s = 11
    for (i = 0; i < 100; i++) {
        line = ""
        split("", seen)
        for (j = 0; j < 5; j++) {
            s = (s * 69069 + 1) % 16777216; q = s / 16777216; item = int(q * q * 32)
            if (!(item in seen)) line = line (line == "" ? "" : " ") "i" item
            seen[item] = 1
        }
        print line
    }
}' >sets.txt
seq 0 31 | awk '{print "i" $1 "\tj" int($1 / 4); if ($1 % 4 == 0) print "j" $1 / 4 "\tall"}' >sets.tree
head -n 200 "$SAMPLE" >log.tsv

# same COMMAND...: made four times.
same() {
    local n=0
    for how in '--threads 1' '--threads 1' '--threads 4' '--threads 2 --memory 32M'; do
        rm -rf rel
        quietly lethe "$@" --seed 1 --report $how -o rel || return
        [ $((n++)) = 0 ] && rm -rf first && mv rel first && continue
        diff -rq first rel || echo "$how: $*"
    done
    quietly lethe verify first
    tried="$tried $1"
}
tried=
same scrub log.tsv
same threshold log.tsv -t 2
same threshold log.tsv -t 2 --as counts
same scrub log.tsv --then threshold -t 2 --then split --by query
for by in day gap interest query; do same split log.tsv --by $by; done
same seal log.tsv -t 2
same disconnect log.tsv
same disconnect log.tsv --rank best
same microagg log.tsv -k 3
same clump log.tsv -k 5
same partition log.tsv -k 5
same ssg log.tsv -k 5 --gap 1h
same mm log.tsv -k 3 -p 2
for method in og mog aa; do
    same $method sets.txt --from records --taxonomy sets.tree -k 4 -m 2
done
for method in lplus incognito anneal; do
    same $method table.csv --qi age,job --sa illness --hierarchies trees --theta 1/2
done
same local table.csv --qi age,job --sa illness --hierarchies trees --theta 1/2 -k 3
for method in lplus anneal; do
    same $method table.csv --qi age --sa illness,job --hierarchies trees --entropy-l 1.5 --recursive 3,2 --t-closeness 1/2 --suppress none
done
# Every method was tried.
lethe methods --json | python3 -c 'import json, sys
print("not tried:", {m["name"] for m in json.load(sys.stdin)["methods"]} - set(sys.argv[1].split()) or "none")' "$tried"
# Figures of the run are in its report, and not in the manifest.
lethe og sets.txt --from records --taxonomy sets.tree -k 4 -m 2 --seed 1 -q --json --force -o rel >report
json report 'sorted(j["metrics"])'
json rel/manifest.json 'sorted(j["metrics"])'
lethe lplus table.csv --qi age,job --sa illness --hierarchies trees --theta 1/2 --seed 1 -q --json --force -o rel >report
json report 'sorted(j["metrics"])'
json rel/manifest.json 'sorted(j["metrics"])'
