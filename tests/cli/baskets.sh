# SPDX-License-Identifier: Apache-2.0
# Baskets with another separator, in the long form, and files that look like something else.
. "$HERE/common.bash"
cat >goods.tsv <<'EOF'
whole_milk	dairy
butter	dairy
tea	drinks
beer	drinks
dairy	goods
drinks	goods
EOF
printf 'ann\twhole_milk tea\nbob\twhole_milk butter\ncem\tbutter tea\ndan\ttea whole_milk\n' >plain.txt
quietly lethe og plain.txt --taxonomy goods.tsv -k 2 -m 2 -o want
cat want/data.txt
# same NAME ARGUMENT...: the release of these arguments has the bytes of the first one.
same() {
    local name=$1
    shift
    rm -rf rel
    if lethe og --taxonomy goods.tsv -k 2 -m 2 -o rel "$@" >said 2>&1; then
        cmp -s want/data.txt rel/data.txt && echo "$name: the same" || diff want/data.txt rel/data.txt
        accounts rel/manifest.json
    else
        echo "$name: failed with $?"
    fi
    grep -E '^lethe: ' said
}
echo '--- a separator'
printf 'whole milk,tea,,\nwhole milk, butter\n"butter",tea\ntea,whole milk,\n' >comma.csv
same 'commas' comma.csv --from records --delimiter ,
printf 'ann\twhole milk;tea\nbob\twhole milk;butter\ncem\tbutter;tea\ndan\ttea;whole milk\n' >id.txt
same 'semicolons, with IDs' id.txt --from records --delimiter ';'
printf 'whole milk\ttea\nwhole milk\tbutter\nbutter\ttea\ntea\twhole milk\n' >tabs.txt
same 'tabs' tabs.txt --from records --delimiter tab
same 'a space is as without' plain.txt --from records --delimiter ' '
echo '--- one line per item'
printf 'order,day,item\n1,mo,whole milk\n1,mo,tea\n2,mo,whole milk\n3,tu,butter\n2,mo,butter\n3,tu,tea\n4,we,tea\n4,we,whole milk\n' >long.csv
same 'by name' long.csv --columns person=order,item=item
same 'by number, a header' long.csv --columns person=1,item=3
sed 1d long.csv >bare.csv
same 'by number, no header' bare.csv --columns item=3,person=1
same 'two files' <(head -n 5 long.csv) <(head -n 1 long.csv; tail -n +6 long.csv) --columns person=order,item=item
tr , '\t' <long.csv >long.tsv
same 'tabs' long.tsv --columns person=order,item=item
same 'standard input' - --columns person=order,item=item <long.csv
sed 's/"//g; s/,/;/g' long.csv >semi.csv
same 'a given separator' semi.csv --columns person=order,item=item --delimiter ';'
for threads in 1 7; do same "$threads threads" long.csv --columns person=order,item=item --threads $threads; done
rm -rf rel
quietly lethe og long.csv --columns person=order,item=item --taxonomy goods.tsv -k 2 -m 2 --map map -o rel
quietly lethe verify rel
lethe attack rel --original long.csv --columns person=order,item=item --taxonomy goods.tsv --map map --adversary presence-absence --json 2>said | grep -c success; grep -v note: said

echo '--- bad lines'
{ cat long.csv; printf '5,mo\n,mo,tea\n6,mo,\n7,mo,"te\ta"\n'; for i in $(seq 40); do echo "9,mo,tea"; done; } >bad.csv
same 'of every kind' bad.csv --columns person=order,item=item
same 'strict' bad.csv --columns person=order,item=item --strict-input
{ cat comma.csv; printf 'tea,,butter\ntea,"x"y\n'; for i in $(seq 20); do echo tea; done; } >badcomma.csv
same 'with a separator' badcomma.csv --from records --delimiter ,
echo '--- releases of the long form verify: a record stands for several lines, and the manifest says so'
awk 'BEGIN { print "order,item"; for (i = 0; i < 12; i++) { print i ",tea"; print i ",beer" } }' >pairs.csv
quietly lethe clump pairs.csv --columns person=order,item=item --taxonomy goods.tsv -k 3 -o pairs --seed 1
quietly lethe verify pairs
quietly lethe redo pairs pairs.csv --columns person=order,item=item --taxonomy goods.tsv --risk 99% -o pairs-again --seed 1
quietly lethe verify pairs-again
quietly lethe clump plain.txt --taxonomy goods.tsv -k 2 -o lines --seed 1
forged() { # RELEASE PYTHON: a statement over the parameters of the first step
    rm -rf forged && cp -r "$1" forged
    python3 - "$2" <<'END'
import json, sys
m = json.load(open("forged/manifest.json"))
p = m["steps"][0]["parameters"]
exec(sys.argv[1])
json.dump(m, open("forged/manifest.json", "w"))
END
    lethe verify forged 2>&1 | grep -v '^lethe: the manifest.s steps\|^because' | tail -n 2
}
forged pairs 'del p["lines"]'
forged pairs 'p["lines"] = "pairs"'
forged lines 'p["lines"] = 5'
echo '--- usage'
for columns in person=1 item=2 person=1,item=1 person=0,item=1 person=1,item=2,item=3 person=order,item=itme user=1,query=2 person=1,query=2; do
    same "$columns" long.csv --from records --columns "$columns"
done
same 'filters of logs' plain.txt --from records --users-with 1-2
same 'a quote' comma.csv --from records --delimiter '"'

echo '--- looks like something else'
doubt() { rm -rf doubt; printf '%s\n' "$1" | lethe og - --from records --taxonomy goods.tsv -k 2 -m 1 -o doubt 2>&1 | grep 'looks like\|most lines'; }
doubt "$(sed 1d long.csv | cut -d , -f 1,3)"
doubt "$(sed 1d long.csv | cut -d , -f 1,3 | tr ', ' '\t_')"
doubt "$(cat comma.csv)"
doubt 'items
tea
beer
tea'
doubt "$(cat plain.txt)"
