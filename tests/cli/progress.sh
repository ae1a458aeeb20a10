# A progress bar: on a terminal only, after a second, and gone before anything else is said.
. "$HERE/common.bash"
command -v script >/dev/null || skip "no script(1) to make a terminal"
slowly() {
    small_log
    sleep 1.3
    small_log
    sleep 0.3
    small_log
}
slowly >fifo.tsv
mkfifo fifo
slowly >fifo &
script -qec "lethe threshold fifo -t 2 -o rel --seed 1" typed >/dev/null
echo "= $?"
wait
tr '\r' '\n' <typed | grep -q '^.\[Kreading' && echo "a bar was shown"
tr '\r' '\n' <typed | grep -a 'released' | cat -v
# Not without a terminal, not when quiet, not when unwanted, not for what is quick.
slowly >fifo &
lethe threshold fifo -t 2 -o rel2 --seed 1 2>&1 | grep -c reading
wait
for option in --quiet --no-progress; do
    slowly >fifo &
    script -qec "lethe threshold fifo $option -t 2 -o rel$option --seed 1" typed >/dev/null
    wait
    grep -ac reading typed
done
script -qec "lethe threshold fifo.tsv -t 2 -o rel3 --seed 1" typed >/dev/null
grep -ac reading typed
cmp rel/data.tsv rel3/data.tsv
