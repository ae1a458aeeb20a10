# What a method says in the end, where figures are arrays: one line each, long ones cut short, "-" for none.
. "$HERE/common.bash"
python3 -c 'print("deep\t" + "/".join(f"c{i}" for i in range(12))); print("flat\tc0/other")' >dir.tsv
for u in a b; do
    printf '%s\t%s\t2006-03-01 10:00:%02d\t\t\n' $u deep 1 $u deep 2 $u flat 3 $u nothing 4
done >log.tsv
micro() { lethe microagg log.tsv -k 2 --directory dir.tsv --min-users 1 --no-scrub --seed 1 --force -o rel "$@" 2>&1 | grep -E "^  (classified|clusters|srp)"; }
run micro --levels 2
run micro --levels 11
run micro --levels 10
printf '%s\tflat\t2006-03-01 10:00:%02d\t\t\n' a 1 a 2 b 1 b 2 >log.tsv
run micro --levels 4
