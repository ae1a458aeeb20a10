# SPDX-License-Identifier: Apache-2.0
# Lines that do not parse: named by file, line, column and cause, three of a kind; the rest goes on.
. "$HERE/common.bash"
good() { for i in $(seq "$1"); do printf '%d\tmaps\t2006-03-01 10:00:00\t\t\n' $((i % 7)); done; }
try() {
    rm -rf rel
    lethe threshold log.tsv -t 2 --clicks all --keep-users --json "$@" -o rel >report
    local status=$?
    [ $status = 0 ] || { echo "= $status"; return; }
    accounts report
    json report '"invalid UTF-8: %d" % j["counts"]["invalid_utf8"]'
}
echo "--- of every kind"
{
    good 30
    printf '1\tmaps\n'
    printf '1\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com\tmore\n'
    printf '1\tmaps\t2006-02-30 10:00:00\n'
    printf '1\tmaps\t\n'
    printf '\tmaps\t2006-03-01 10:00:00\n'
    printf '1\tmaps\t2006-03-01 10:00:00\tfirst\thttp://a.com\n'
    printf '1\tmaps\t2006-03-01 10:00:00\t-1\thttp://a.com\n'
    printf '1\tma\0ps\t2006-03-01 10:00:00\n'
    printf '\0\tmaps\t2006-03-01 10:00:00\n'
    printf '1\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com/\0\n'
    printf '1\tma\rps\t2006-03-01 10:00:00\n'
    printf '\n'
    printf '1\t\t2006-03-01 10:00:00\n'
    printf '1\t  \t2006-03-01 10:00:00\n'
    printf '1\t\001\002\t2006-03-01 10:00:00\n'
    printf '1\tmaps \377\t2006-03-01 10:00:00\n'
    printf '2\tmaps \300\200\t2006-03-01 10:00:00\n'
    printf '\355\240\200\tmaps\t2006-03-01 10:00:00\t1\thttp://a.com/\377\n'
    good 150
} >log.tsv
try --urls keep --same exact --encoding utf-8
grep -a -v '^[0-6]	maps	2006-03-01		$' rel/data.tsv | od -c | head -20
echo "--- many of a kind"
{ good 100; for i in {1..9}; do echo "1	secret $i"; done; good 100; } >log.tsv
try
try --quiet
try --verbose
echo "--- one tenth is not more than a tenth"
{ good 9; echo bad; } >log.tsv
try
{ good 9; echo bad; echo bad; good 2; } >log.tsv
try
echo "--- the lowest line is named, for any number of threads"
{ good 60000; printf '1\tmaps\tnever\n'; good 60000; printf '1\tmaps\n'; good 10; } >log.tsv
for n in 1 2 7; do
    lethe threshold log.tsv -t 2 --clicks all --threads $n --strict-input -o rel2
    echo "= $?"
done
for n in 1 2 7; do
    rm -rf rel
    lethe threshold log.tsv -t 2 --clicks all --threads $n --json -o rel >report
    accounts report
done
echo "--- control characters do not reach the terminal"
{ good 100; printf '1\t\033[31mred\033[0m\n'; } >log.tsv
lethe profile log.tsv --verbose --json 2>&1 >/dev/null
{ good 20; printf '1\tmaps\033]0;x\007\n'; } >"$(printf 'log\033[31m.tsv')"
lethe profile "$(printf 'log\033[31m.tsv')" --strict-input --json 2>&1 >/dev/null
lethe profile "$(printf 'no\033[31m.tsv')"
echo "= $?"
