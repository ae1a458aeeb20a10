# SPDX-License-Identifier: Apache-2.0
# A system that gives no random numbers, from the n-th time on: nothing is left behind.
. "$HERE/common.bash"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # it cannot look under strace
strace -o /dev/null -e trace=getrandom -e inject=getrandom:error=ENOSYS:when=1+ true 2>/dev/null || skip "strace cannot inject errors here"
small_log >log.tsv
without() {
    local n=$1
    shift
    strace -f -o /dev/null -e trace=getrandom -e "inject=getrandom:error=ENOSYS:when=$n+" "$@" >"$TMPDIR/said" 2>&1
}
failed=0
made=0
for n in 1 4 5 6 7 8 9 10 11 12 13 14 20; do
    without $n lethe threshold log.tsv -q -t 2 --map map -o rel
    status=$?
    if [ "$status" = 0 ]; then
        made=$((made + 1))
        [ -e rel/manifest.json ] && [ -e map ] || echo "$n: 0, but no release"
        rm -rf rel map
    else
        failed=$((failed + 1))
        [ "$status" = 4 ] || [ "$status" = 1 ] || echo "$n: $status, $(cat "$TMPDIR/said")"
    fi
    holds log.tsv
done
[ "$failed" -gt 4 ] && [ "$made" -gt 0 ] && echo "some failed, some did not need any"
without 4 lethe key key
echo "= $? $(cat "$TMPDIR/said")"
without 4 lethe synth --users 5 -o synthetic
echo "= $? $(cat "$TMPDIR/said")"
holds log.tsv
