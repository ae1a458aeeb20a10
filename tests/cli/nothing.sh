# SPDX-License-Identifier: Apache-2.0
# Releases whose promise holds of any data: named when they are made, in the manifest, on the page and by
# verify; and what verify says of the parameters of each promise.
. "$HERE/common.bash"
small_log >log.tsv
printf '%s\n' 'age,sex,disease' '30,f,flu' '30,f,flu' '34,m,asthma' '34,m,asthma' '38,f,flu' '38,f,asthma' >table.csv
printf '%s\n' 'beer wine' 'beer wine' 'beer' 'beer wine' >sets.txt
printf '%s\n' 'beer	drink' 'wine	drink' >tree.tsv

# The warning, the summary, the first caveat, the verdict; the exit status stays 0.
run lethe threshold log.tsv -t 1 --report --seed 1 -o rel
run lethe verify rel
run lethe verify --caveats rel | head -n 5
lethe verify rel --json >report
json report 'j["metrics"], j["verdict"]'
json rel/manifest.json 'j["verdict"], j["caveats"][0]'
grep -o 'class="\(verdict\|headline\)[^/]*/strong>' rel/report.html
grep -o '<span class="no">[^/]*/span>' rel/report.html
run lethe threshold log.tsv -t 1 -q -o - | wc -l

# verdict NAME METHOD ARGUMENTS...: what verify says of such a release.
verdict() {
    local method=$1
    shift
    rm -rf made
    echo "--- $method $*"
    lethe "$method" "$@" --seed 1 -o made 2>said || { cat said; return; }
    grep -c 'warning: .*promises .*nothing' said
    lethe verify made
}
verdict threshold log.tsv -t 1 --by queries
verdict threshold log.tsv -t 1 --by rows --rare hash
verdict threshold log.tsv -t 2 --rare hash
verdict scrub log.tsv
verdict scrub log.tsv --kinds ip
verdict scrub log.tsv --kinds ip,url
verdict scrub log.tsv --kinds ip --then threshold -t 1
verdict threshold log.tsv -t 1 --then threshold -t 2
verdict threshold log.tsv -t 1 --then threshold -t 1
verdict split log.tsv --by gap --gap 365d
verdict split log.tsv --by gap --gap 90m
verdict split log.tsv --by day
verdict split log.tsv --edit 1
verdict split log.tsv --overlap 0
verdict split log.tsv
verdict disconnect log.tsv --density 1
verdict disconnect log.tsv --density 0.5
verdict disconnect log.tsv
verdict seal log.tsv -t 2 --keep-clicks
verdict lplus table.csv --qi age,sex --sa disease --theta 1
verdict lplus table.csv --qi age,sex --sa disease --ranges age=5,10 --theta 3/4 -k 2 --distinct-l 2
printf '%s\t%s\n' flu 1 asthma 1.0 >ones.tsv
printf '%s\t%s\n' flu 1 asthma 0.5 >mixed.tsv
verdict lplus table.csv --qi age,sex --sa disease --theta-file ones.tsv --report
grep -c 'for every value promises nothing' made/report.html made/manifest.json
verdict lplus table.csv --qi age,sex --sa disease --theta-by-frequency 1
verdict lplus table.csv --qi age,sex --sa disease --ranges age=5,10 --theta-file mixed.tsv
verdict partition sets.txt --from records --taxonomy tree.tsv -k 2 --persons record
verdict og sets.txt --from records --taxonomy tree.tsv -k 2 -m 2 --persons record
verdict mm sets.txt --from records -k 2 -p 2 --persons record

# A list of columns is shortened, and neither a name nor a path reaches the terminal raw.
columns=$(printf 'a%02d,' {1..20})
{ echo "${columns}s" | tr -d '\n' | sed 's/a07/e\x1b[31m/'; echo; for i in 1 2; do echo "$(printf 'x,%.0s' {1..20})$i"; done; } >wide.csv
verdict lplus wide.csv --qi "$(head -n 1 wide.csv | sed 's/,s$//')" --sa s --theta 1/2 | cat -v
run lethe verify --caveats made | tail -n 1
mv made $'e\x1b[31m'
lethe verify $'e\x1b[31m' | cat -v

# Nor is a study's best setting one that promises nothing.
lethe compare log.tsv --methods threshold -t 1,2 --seed 1 -o study -q 2>&1 | head -n 4
json study/study.json '[(r["label"], r["holds"], r.get("nothing")) for r in j["metrics"]["rows"]]'
grep -o '[0-9] runs: [^<]*' study/report.html
# A manifest does not get rid of it.
forge() {
    rm -rf bad
    cp -r "${3-rel}" bad
    python3 - "$2" <<'END'
import json, sys
m = json.load(open("bad/manifest.json"))
exec(sys.argv[1])
json.dump(m, open("bad/manifest.json", "w"))
END
    echo "$1:"
    run lethe verify bad
}
forge 'the caveat left out' 'del m["caveats"][0]'
forge 'left out of the verdict' 'del m["verdict"]["checks"][0]["nothing"]'
quietly lethe lplus table.csv --qi age,sex --sa disease --theta-file ones.tsv -o ones
forge 'that only theta.tsv shows it' 'del m["caveats"][0]' ones
holds bad $'e\x1b[31m' log.tsv mixed.tsv ones ones.tsv rel report said sets.txt study table.csv tree.tsv wide.csv
