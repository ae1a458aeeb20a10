# SPDX-License-Identifier: Apache-2.0
# Files and the system: 4, and nothing new.
. "$HERE/common.bash"
small_log >log.tsv
mkdir folder
run lethe threshold missing.tsv -t 2 -o rel
run lethe profile missing.tsv
run lethe threshold folder -t 2 -o rel
run lethe profile folder
run lethe threshold log.tsv missing.tsv -t 2 -o rel
run lethe threshold log.tsv -t 2 -o /proc/no/such/rel
run lethe threshold log.tsv -t 2 -o log.tsv/rel
run lethe threshold log.tsv -t 2 --map /proc/no/map -o rel
run lethe threshold log.tsv -t 2 --key-file missing.key -o rel
run lethe verify missing
run lethe verify log.tsv
run lethe verify folder
run lethe measure folder --original log.tsv
run lethe key /proc/no/such/key
ln -s missing.tsv dangling
ln -s loop loop
run lethe threshold dangling -t 2 -o rel
run lethe threshold loop -t 2 -o rel
run lethe threshold log.tsv -t 2 -o "$(printf 'x%.0s' {1..300})"
holds dangling folder log.tsv loop
# Standard output that takes nothing.
lethe threshold log.tsv -t 2 -o - >/dev/full
echo "= $?"
lethe profile log.tsv >/dev/full
echo "= $?"
lethe profile log.tsv --json >/dev/full
echo "= $?"
# Without its report a release does not appear.
lethe threshold log.tsv -q -t 2 --json -o unread >/dev/full
echo "= $? $(ls -d unread .unread* 2>/dev/null)"
lethe key key --json >/dev/full
echo "= $? $(stat -c %s key)"
lethe compare log.tsv --methods threshold -t 2 -o study --json >/dev/full 2>said
echo "= $? $(ls study | tr '\n' ' ') $(tail -n 1 said)"
rm -r key study
# Some file systems tell of lost bytes when a file is closed.  Before the release appears it does not;
# after it appeared the message says that it is there.
if strace -o /dev/null -e trace=close -e inject=close:error=EIO:when=1000 true 2>/dev/null; then
    (
        export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
        : >closes
        for n in 1 2; do
            strace -f -o /dev/null -P "$(realpath closes)" -e trace=close -e inject=close:error=EDQUOT:when=$n \
                lethe threshold log.tsv -q -t 2 --json -o unread >closes
            echo "= $? $(ls -d unread .unread* 2>/dev/null)"
        done
        lethe verify unread
        rm -r unread closes
    )
else
    printf '%s\n' 'lethe: cannot write standard output' '= 4 ' \
        "lethe: cannot write standard output, but 'unread' is complete" '= 4 unread' \
        'query-threshold  t = 2, by users  holds' "not checked: rows_suppressed (the publisher's word)" \
        '7 caveats: lethe verify --caveats unread lists them' 'unread: keeps its promise'
fi
lethe help >/dev/full
echo "= $?"
lethe version >/dev/full
echo "= $?"
# A reader that goes away.
big_log 20000 >big
lethe threshold big -t 1 -o - 2>said | head -n 1
echo "= ${PIPESTATUS[0]}: $(cat said)"
# Streams that are closed: no message goes into a file that would have their number.
{ for i in 1 2 3 4 5 6; do cat log.tsv; done && printf 'x\n'; } >many.tsv
lethe threshold many.tsv -t 2 --map map -o - <&- 2>&- >/dev/null
echo "= $?"
tail -n +2 map | grep -c lethe
lethe threshold many.tsv -q -t 2 -o rel <&- >&- 2>&-
echo "= $?"
quietly lethe verify rel
run lethe profile - <&-
lethe profile log.tsv >&-
echo "= $?"
