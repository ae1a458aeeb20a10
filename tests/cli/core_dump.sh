# SPDX-License-Identifier: Apache-2.0
# The program leaves no core dump, which would hold the log, and works all the same for an ordinary user.
. "$HERE/common.bash"
[ "${LETHE_CORE_DUMPS-no}" = no ] || skip "a build that may dump core"
small_log | sed 's/ann lee/canary in a coal mine/' >log.tsv
ulimit -c unlimited 2>/dev/null || skip "core dumps are forbidden here"
mkfifo pipe
# crashed COMMAND...: it reads the log from a pipe that stays open, and is ended as by a fault.
crashed() {
    "$@" >/dev/null 2>&1 &
    local pid=$! i
    exec 8>pipe
    cat log.tsv >&8
    for i in $(seq 100); do
        grep -q 'Max core file size  *1  *1 ' "/proc/$pid/limits" && break
        sleep 0.05
    done
    [ "$i" -lt 100 ] || echo "the limit is not set"
    kill -SEGV $pid
    exec 8>&-
    wait $pid 2>/dev/null
    echo "= $?"
    rm -f -- .rel.lethe-*/* && rmdir .rel.lethe-* 2>/dev/null
}
{
    crashed lethe threshold pipe -t 2 -o rel
    crashed lethe profile pipe
    crashed lethe compare pipe --methods threshold -t 2 -o study
} 2>/dev/null
rm -rf study
holds log.tsv pipe
# Nothing of it is anywhere else.
grep -rla 'canary in a coal' . | grep -v log.tsv
rm pipe
# Files of the process below /proc: the umask, descriptors.
user() {
    if [ "$(id -u)" = 0 ]; then TMPDIR=own setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
chmod 755 .
mkdir own && chmod 777 own
[ "$(id -u)" != 0 ] || user true 2>/dev/null || skip "setpriv is needed"
user test -x "$LETHE" -a -w own -a -r log.tsv || skip "an ordinary user cannot get here"
head -c 32 /dev/zero >key
user bash -c 'umask 027 && lethe threshold log.tsv -q -t 2 -o own/rel' && stat -c %a own/rel own/rel/data.tsv
user bash -c 'lethe threshold <(cat log.tsv) -q -t 2 --key-file <(cat key) --map own/map -o own/rel2' && lethe verify own/rel2
user bash -c 'lethe attack own/rel2 --original <(cat log.tsv) --map <(cat own/map) --adversary known-terms --json' >attacked
json attacked 'j["metrics"]["known-terms"]["confirmed"]'
user bash -c 'lethe profile /dev/fd/5 --json 5<log.tsv' | grep -c '"rows":'
user bash -c 'lethe profile - --json <log.tsv' | grep -c '"rows":'
user bash -c 'lethe threshold /dev/stdin -t 2 -o - <log.tsv 2>/dev/null' | wc -l
user bash -c 'lethe compare log.tsv --methods threshold -t 2 -o own/study --json' >study
json study '"{} {}".format(j["metrics"]["rows"][0]["holds"], j["metrics"]["rows"][0]["peak_bytes"] > 0)'
