# SPDX-License-Identifier: Apache-2.0
# One log in every layout: each gives the same release.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 2 --clicks all --keep-users --time exact --urls keep -o want
cat want/data.tsv

# same NAME ARGUMENT...: the release of these arguments has the bytes of the first one.
same() {
    local name=$1
    shift
    if lethe threshold -t 2 --clicks all --keep-users --time exact --urls keep -o "rel $name" "$@" >said 2>&1; then
        cmp -s want/data.tsv "rel $name/data.tsv" && echo "$name: the same" || diff want/data.tsv "rel $name/data.tsv"
    else
        echo "$name: failed"
    fi
    grep 'note:' said
    grep 'warning:' said
}
header='AnonID	Query	QueryTime	ItemRank	ClickURL'
{ echo "$header"; small_log; } >header.tsv
same 'header' header.tsv
sed 's/$/\r/' header.tsv >crlf.tsv
same 'CRLF' crlf.tsv
head -c -1 header.tsv >no_end.tsv
same 'no final newline' no_end.tsv
{ printf '\357\273\277'; cat header.tsv; } >bom.tsv
same 'byte order mark' bom.tsv
{ printf '\357\273\277'; small_log; } >bom_only.tsv
same 'byte order mark, no header' bom_only.tsv
head -n 6 log.tsv >one.tsv
tail -n +7 log.tsv >two.tsv
same 'two files' one.tsv two.tsv
{ echo "$header"; cat two.tsv; } >two_header.tsv
same 'two files, one header' one.tsv two_header.tsv
same 'file and standard input' one.tsv - <two.tsv
same 'standard input' - <log.tsv
cat log.tsv | same 'pipe' -
same 'fifo' <(cat log.tsv)

gzip -c log.tsv >log.tsv.gz
same 'gzip' log.tsv.gz
{ gzip -c one.tsv; gzip -1 -c two.tsv; } >members.gz
same 'gzip of two members' members.gz
cp members.gz misnamed.tsv
same 'gzip by another name' misnamed.tsv
same 'gzip on standard input' - <members.gz
zstd -q -c log.tsv >log.zst
same 'zstd' log.zst
{ zstd -q -c one.tsv; zstd -q -19 -c two.tsv; } >frames.zst
same 'zstd of two frames' frames.zst
same 'zstd on standard input' - <frames.zst
same 'mixed' <(zstd -q -c one.tsv) <(gzip -c two.tsv)

awk -F'\t' -v OFS='\t' '{ print $5, $3, $1, $4, $2 }' log.tsv >order.tsv
same 'columns by number' order.tsv --columns url=1,time=2,user=3,rank=4,query=5
{ printf 'where\twhen\twho\tplace\twhat\n'; cat order.tsv; } >names.tsv
same 'columns by name' names.tsv --columns url=where,time=when,user=who,rank=place,query=what
same 'columns by number, a header' names.tsv --columns url=1,time=2,user=3,rank=4,query=5
awk -F'\t' -v OFS='\t' '{ print "x", $5, "y", $3, $1, $4, $2, "z" }' log.tsv >more.tsv
same 'columns that nobody asked for' more.tsv --columns url=2,time=4,user=5,rank=6,query=7

csv() {
    python3 -c 'import csv, sys
rows = [line.rstrip("\n").split("\t") for line in open("log.tsv")]
out = csv.writer(sys.stdout, delimiter=sys.argv[1], quoting=csv.QUOTE_ALL if sys.argv[2] == "all" else csv.QUOTE_MINIMAL)
if sys.argv[3] == "header": out.writerow("user query time rank url".split())
out.writerows(rows)' "$@"
}
csv , minimal header >comma.csv
same 'CSV' comma.csv
csv , all header >quoted.csv
same 'CSV, all quoted' quoted.csv --from csv
csv ';' minimal header >semicolon.csv
same 'CSV, semicolons' semicolon.csv --from csv
csv '|' minimal header >bar.csv
same 'CSV, bars' bar.csv --from csv --delimiter '|'
csv , minimal none >plain.csv
same 'CSV without a header' plain.csv --from csv
same 'CSV by number' comma.csv --from csv --columns user=1,query=2,time=3,rank=4,url=5
same 'CSV by name' comma.csv --columns url=url,query=query,time=time,rank=rank,user=user
gzip -c quoted.csv >quoted.csv.gz
same 'CSV, gzip' quoted.csv.gz

python3 -c 'import json
for line in open("log.tsv"):
    user, query, time, rank, url = line.rstrip("\n").split("\t")
    o = {"session": {"user": {"id": int(user)}}, "event.time": time, "q": query}
    if url: o["clicks"] = [{"rank": int(rank), "url": url}]
    print(json.dumps(o))' >log.jsonl
same 'JSON Lines' log.jsonl --columns user=session.user.id,time=event.time,query=q,rank=clicks.0.rank,url=clicks.0.url
same 'JSON Lines by --from' - --from jsonl --columns user=session.user.id,time=event.time,query=q,rank=clicks.0.rank,url=clicks.0.url <log.jsonl

# Fewer columns.
cut -f 1-3 log.tsv >three.tsv
cut -f 1-4 log.tsv >four.tsv
for file in three.tsv four.tsv; do
    quietly lethe threshold "$file" -t 5 --clicks all --keep-users --time hour --urls keep -o "$file.rel"
    cat "$file.rel/data.tsv"
done
cut -f 1,2 log.tsv >timeless.tsv
quietly lethe threshold timeless.tsv --columns user=1,query=2 -t 5 --clicks all --keep-users -o timeless
cat timeless/data.tsv
accounts timeless/manifest.json
