# SPDX-License-Identifier: Apache-2.0
# A line of 100 MB: rejected by number, and never held in memory.
. "$HERE/common.bash"
good() { for i in $(seq "$1"); do printf '%d\tmaps\t2006-03-01 10:00:00\t\t\n' $((i % 7)); done; }
try() {
    rm -rf rel
    lethe threshold - -t 2 --json --memory 64M "$@" -o rel >report
    local status=$?
    [ $status = 0 ] || { echo "= $status"; return; }
    accounts report
    json report '"little memory" if j["peak_bytes"] < 150e6 else "PEAK %d" % j["peak_bytes"]'
}
{ good 20; head -c 100000000 /dev/zero | tr '\0' x; echo; good 20; } | try
{ good 20; printf '1\t'; head -c 100000000 /dev/zero | tr '\0' x; printf '\t2006-03-01 10:00:00\n'; good 20; } | try
{ head -c 100000000 /dev/zero | tr '\0' x; echo; good 20; } | try --from aol
{ good 20; head -c 100000000 /dev/zero | tr '\0' x; } | try
{ good 20; head -c 100000000 /dev/zero; } | try
{ good 20; printf '1\t"'; head -c 100000000 /dev/zero | tr '\0' x; printf '"\t2006-03-01 10:00:00\n'; good 20; } | try --from csv --delimiter tab
{ good 20; head -c 100000000 /dev/zero | tr '\0' x; echo; good 20; } | try --strict-input
head -c 100000000 /dev/zero | tr '\0' x | try
# Just a mebibyte, and a byte more.
for n in 1048000 1048576 1048577; do
    { good 20; printf '1\tx'; head -c $((n - 23)) /dev/zero | tr '\0' y; printf '\t2006-03-01 10:00:00\n'; } | try -t 1
done
