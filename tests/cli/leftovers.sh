# SPDX-License-Identifier: Apache-2.0
# What a run that was killed leaves beside its target: a later run names it, --force removes it, and
# the only map of a release that is there is never lost.
. "$HERE/common.bash"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # it cannot look under strace
strace -o /dev/null -e trace=getpid -e inject=getpid:error=ENOSYS true 2>/dev/null || skip "strace cannot inject signals here"
small_log >log.tsv
# killed CALL N COMMAND...: SIGKILL when it makes the call for the n-th time.
killed() {
    { strace -f -o /dev/null -e "trace=$1" -e "inject=$1:signal=KILL:when=$2" "${@:3}" >/dev/null 2>&1; } 2>/dev/null
}
# shown COMMAND...: without the random part of temporary names.
shown() { run "$@" 2>&1 | sed -E 's/\.lethe-[A-Za-z0-9_-]{6}/.lethe-XXXXXX/g'; }
# state: what there is, and to which release each map belongs.
state() {
    local map release
    for map in map .map.lethe-*; do
        [ -e "$map" ] || continue
        release="no release that is here"
        for folder in rel other .rel.lethe-*; do
            [ -e "$folder/manifest.json" ] && [ "$(head -n 1 "$map")" = "$(map_head "$folder")" ] && release=$folder
        done
        echo "$map of $release" | sed -E 's/\.lethe-[A-Za-z0-9_-]{6}/.lethe-XXXXXX/g'
    done
    for folder in rel other .rel.lethe-*; do
        [ -e "$folder" ] && echo "$folder: $(ls "$folder" | tr '\n' ' ')" | sed -E 's/\.lethe-[A-Za-z0-9_-]{6}/.lethe-XXXXXX/g'
    done
}
go() { lethe threshold log.tsv -q --seed 1 --map map "$@"; }
begin() {
    echo "--- $1"
    rm -rf map rel other .[mr]*
    quietly go -t 3 -o rel
    cp map "$TMPDIR/old.map"
}

begin "killed between the two renames: the old release is there, its map is beside it"
killed renameat2 2 lethe threshold log.tsv -q -t 2 --seed 1 --map map --force -o rel
state
shown lethe measure rel --original log.tsv --map map
quietly lethe measure rel --original log.tsv --map .map.lethe-*
shown lethe threshold log.tsv -t 2 --map map -o rel
shown lethe threshold log.tsv -t 1000 --map map --force -o rel
state
cmp "$TMPDIR/old.map" .map.lethe-*
# Another release with the same map: nothing is lost.
shown lethe threshold log.tsv -t 2 --map map --force -o other 2>&1 | grep lethe-
state
# The same release again: nothing is left.
shown lethe threshold log.tsv -t 2 --map map --force -o rel 2>&1 | grep lethe-
state
quietly lethe measure rel --original log.tsv --map map
holds log.tsv map other rel

begin "killed before the first rename: both are the old ones"
killed renameat2 1 lethe threshold log.tsv -q -t 2 --seed 1 --map map --force -o rel
cmp "$TMPDIR/old.map" map
state
shown lethe threshold log.tsv -q -t 2 --map map --force -o rel
state

begin "killed while the old release is removed: both are the new ones"
killed unlinkat 2 lethe threshold log.tsv -q -t 2 --seed 1 --map map --force -o rel
state
quietly lethe measure rel --original log.tsv --map map
shown lethe threshold log.tsv -t 2 --map map --force -o rel | grep lethe-
state

begin "a first release: killed between the two renames"
rm -r rel map
killed renameat2 2 lethe threshold log.tsv -q -t 2 --seed 1 --map map -o rel
state
shown lethe threshold log.tsv -t 2 --map map -o rel
shown lethe threshold log.tsv -t 2 --map map --force -o rel 2>&1 | grep lethe-
state

begin "what is not certainly left by us stays"
mkdir .rel.lethe-short .rel.lethe-abcdef .rel.lethe-toolong .rel.lethe-a.cdef
echo precious | tee .rel.lethe-abcdef/file .rel.lethe-ABCDEF .map.lethe-abcdef >.relx.lethe-abcdef
printf precious >.map.lethe-NOLINE
ln -s /nowhere .map.lethe-linked
run lethe threshold log.tsv -t 2 --map map --force -o rel 2>&1 | grep lethe-
cat .rel.lethe-abcdef/file .rel.lethe-ABCDEF .map.lethe-abcdef .relx.lethe-abcdef
ls -Ad .[mr]*
rm -r .[mr]*

begin "nor does anything go from a folder that holds other files, however private"
mkdir -m 700 .rel.lethe-letter .rel.lethe-folder .rel.lethe-extras .rel.lethe-linked .rel.lethe-halves
echo precious >.rel.lethe-letter/letter
mkdir .rel.lethe-folder/data.tsv
cp rel/* .rel.lethe-extras
echo precious >.rel.lethe-extras/notes
ln -s ../log.tsv .rel.lethe-linked/data.tsv
echo half >.rel.lethe-halves/data.tsv
run lethe threshold log.tsv -t 2 --map map --force -o rel 2>&1 | grep lethe-
ls -A .rel.lethe-*
rm -r .rel.lethe-*

begin "two at once: one after the other"
strace -f -o /dev/null -e trace=renameat2 -e inject=renameat2:delay_exit=700000:when=1 \
    lethe threshold log.tsv -q -t 2 --seed 1 --map map --force -o rel >/dev/null &
for i in $(seq 100); do [ "$(head -n 1 map)" != "$(map_head rel)" ] && break; sleep 0.02; done
quietly lethe threshold log.tsv -q -t 2 --seed 2 --map map --force -o rel
wait $!
echo "= $?"
state

begin "a run that lives is not one that was killed"
mkfifo pipe
lethe threshold pipe -q -t 2 --map map --force -o rel &
exec 8>pipe # now it has begun
for i in $(seq 100); do [ "$(ls -Ad .rel.lethe-* .map.lethe-* 2>/dev/null | wc -l)" = 2 ] && break; sleep 0.05; done
shown lethe threshold log.tsv -t 2 --map map --force -o rel 2>&1 | grep lethe-
ls -Ad .rel.lethe-* .map.lethe-* | wc -l
cat log.tsv >&8
exec 8>&-
wait $!
echo "= $?"
quietly lethe measure rel --original log.tsv --map map
rm pipe
holds log.tsv map rel

echo "--- files of other commands"
echo half >.page.html.lethe-abcdef
shown lethe report rel -q -o page.html
shown lethe report rel -o page.html
shown lethe report rel --force -o page.html | grep lethe-
holds log.tsv map page.html rel

echo "--- studies without a folder"
mkdir "$TMPDIR/lethe-study-abcdef" "$TMPDIR/lethe-study-living" "$TMPDIR/lethe-study-other-thing"
touch -d '1 hour ago' "$TMPDIR"/lethe-study-*
exec 7<"$TMPDIR/lethe-study-living"
flock 7
lethe compare log.tsv --methods threshold -t 2 2>&1 >/dev/null | sed "s|$TMPDIR|TMPDIR|"
exec 7<&-
ls "$TMPDIR" | grep study

echo "--- a study's own folder"
quietly lethe compare log.tsv -q --methods threshold -t 2 --seed 1 -o study
mkdir -m 700 study/releases/.mine.lethe-abcdef study/releases/.half.lethe-abcdef
echo precious >study/releases/.mine.lethe-abcdef/letter
echo half >study/releases/.half.lethe-abcdef/data.tsv
run lethe compare log.tsv -q --methods threshold -t 2 --seed 1 -o study
run lethe compare log.tsv -q --methods threshold -t 2 --seed 1 --force -o study
cat study/releases/.mine.lethe-abcdef/letter
rm -r study/releases/.mine.lethe-abcdef
quietly lethe compare log.tsv -q --methods threshold -t 2 --seed 1 -o study
ls -A study/releases
