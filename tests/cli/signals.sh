# SPDX-License-Identifier: Apache-2.0
# Stopped at random moments: SIGINT, SIGTERM and SIGHUP leave nothing at all, SIGKILL nothing to read.
. "$HERE/common.bash"
big_log 200000 >log.tsv
umask 000 # so that what is not closed by intent shows
mkdir there
start=$(date +%s%N)
quietly lethe threshold log.tsv -t 2 --memory 16M -o whole
took=$((($(date +%s%N) - start) / 1000000))
size=$(stat -c %s whole/data.tsv)

# Whatever others could read below `there`: not below a folder that is closed to them.
readable() {
    find there -mindepth 1 \( -type d ! -perm /077 -prune \) -o \( \( -type f -o -type d \) -perm /077 -print \)
}

# stop SIGNAL MILLISECONDS: runs, stops it then, and says what is wrong.  (A shell lets what it starts in
# the background ignore SIGINT: hence env.)
stop() {
    local status pid
    env --default-signal=INT lethe threshold log.tsv -q -t 2 --memory 16M --map there/map -o there/rel >/dev/null 2>said &
    pid=$!
    sleep "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
    kill -s "$1" "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    status=$?
    if [ $status = 0 ]; then
        [ "$(stat -c %s there/rel/data.tsv)" = "$size" ] && [ -e there/map ] || echo "$1 after $2 ms: 0, but not whole"
    elif [ $status != $((128 + $(kill -l "$1"))) ]; then
        echo "$1 after $2 ms: exit $status: $(cat said)"
    elif [ "$1" != KILL ]; then
        find there -mindepth 1 | sed "s/^/$1 after $2 ms left: /"
        stopped=$((stopped + 1))
    elif [ -e there/rel ]; then
        quietly lethe verify there/rel # it came just before
    else
        readable | sed 's/^/readable: /'
        killed=$((killed + 1))
    fi
    rm -rf there/* there/.[!.]*
}
stopped=0
killed=0
for i in 0 1 2 3 4 5; do
    stop INT $((took * (2 * i + 1) / 14 + RANDOM % 20))
    stop KILL $((took * (2 * i + 1) / 14 + RANDOM % 20))
done
stop TERM $((took / 3))
stop HUP $((took / 2))
[ "$stopped" -ge 4 ] && [ "$killed" -ge 3 ] && echo "stopped most of the time" || echo "stopped $stopped of 8, killed $killed of 6"

# Waiting for input that does not come.
mkfifo fifo
exec 8<>fifo
for wait in 'before the first byte' 'in the middle'; do
    env --default-signal=INT lethe threshold - -t 2 -o there/rel <fifo 8<&- 2>said &
    pid=$!
    [ "$wait" = 'before the first byte' ] || head -n 3000 log.tsv >&8
    sleep 0.3
    kill -s INT $pid
    for i in $(seq 100); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    kill -s KILL $pid 2>/dev/null && echo "it did not stop" && rm -rf there/.[!.]*
    wait $pid 2>/dev/null
    echo "waiting $wait: $? $(cat said)"
done
# A pipe by its name that nobody writes to: as the log it is given up; as the key it takes a second
# signal, and nothing has been begun by then.
mkfifo nobody
for input in nobody 'log.tsv --key-file nobody'; do
    env --default-signal=INT lethe threshold $input -t 2 --map there/map -o there/rel 2>said &
    pid=$!
    signals=0
    while sleep 1 && [ $signals -lt 20 ] && kill -s INT $pid 2>/dev/null; do
        signals=$((signals + 1))
    done
    wait $pid 2>/dev/null
    echo "waiting for $input: $? after $signals $(cat said)"
    ls -A there
done
# One who asked not to be interrupted is not: nohup.
(trap '' HUP && exec lethe threshold log.tsv -q -t 2 -o there/rel) &
pid=$!
sleep 0.1
kill -s HUP $pid
wait $pid
echo "nohup: $?"
ls -A there
ls -A "$TMPDIR"
