# SPDX-License-Identifier: Apache-2.0
# A progress bar: on a terminal only, after a second, and gone before anything else is said.
. "$HERE/common.bash"
command -v script >/dev/null || skip "no script(1) to make a terminal"
timeout 10 script -qec true typed >/dev/null 2>&1 || skip "no pseudo-terminal can be had here"
slowly() {
    small_log
    sleep 1.3
    small_log
    sleep 0.3
    small_log
}
# on_terminal NAME OPTION...: reads a log that comes slowly, and keeps what the terminal shows in NAME.typed.
on_terminal() {
    mkfifo "$1.fifo"
    slowly >"$1.fifo" &
    timeout 30 script -qec "lethe threshold $1.fifo ${*:2} -t 2 -o $1 --seed 1" "$1.typed" >/dev/null
    echo "= $?" >"$1.status"
}
# All at the same time: they wait rather than work.
mkfifo fifo
on_terminal shown &
on_terminal quiet --quiet &
on_terminal unwanted --no-progress &
slowly >fifo &
timeout 30 lethe threshold fifo -t 2 -o piped --seed 1 >piped.typed 2>&1
wait
cat shown.status
tr '\r' '\n' <shown.typed | grep -q '^.\[Kreading' && echo "a bar was shown"
tr '\r' '\n' <shown.typed | grep -a 'released' | cat -v
# Not without a terminal, not when quiet, not when unwanted, not for what is quick.
for name in piped quiet unwanted; do
    grep -ac reading $name.typed
done
for i in 1 2 3; do
    small_log
done >log.tsv
timeout 30 script -qec "lethe threshold log.tsv -t 2 -o quick --seed 1" typed >/dev/null
grep -ac reading typed
cmp shown/data.tsv quick/data.tsv
