# SPDX-License-Identifier: Apache-2.0
# --force: a release or an empty folder is replaced, in one step; nothing else is.
. "$HERE/common.bash"
small_log >log.tsv
go() { run lethe threshold log.tsv -q -t 3 --seed 1 -o "$@"; }
rows() { echo "$1: $(tail -n +2 "$1/data.tsv" | wc -l) rows"; }
go rel
rows rel
go rel
run lethe threshold log.tsv -q -t 2 -o rel
rows rel
run lethe threshold log.tsv -q -t 2 --force -o rel
rows rel
quietly lethe verify rel
# One that fails leaves the old.
run lethe threshold log.tsv -q -t 1000 --force -o rel
run lethe threshold missing.tsv -q -t 2 --force -o rel/
rows rel
mkdir empty
go empty
go empty --force
rows empty
# A folder of somebody else's.
mkdir foreign
echo precious >foreign/file
go foreign --force
cat foreign/file
# A release with one file more, hidden or not, or with a folder.
for extra in notes.txt .hidden; do
    cp -r rel mixed
    echo precious >"mixed/$extra"
    go mixed --force
    cat "mixed/$extra"
    rm -r mixed
done
cp -r rel mixed
mkdir mixed/sub
go mixed --force
ls mixed
rm -r mixed
# What looks like a release but is none.
cp -r rel forged
echo '{}' >forged/manifest.json
go forged --force
cat forged/manifest.json
mkdir other
echo '{"name": "other"}' >other/manifest.json
go other --force
cat other/manifest.json
# A file, links to a file, to a folder, to nothing.
echo precious >file
go file --force
cat file
ln -s file to_file
ln -s rel to_rel
ln -s nowhere to_nothing
mkdir bare
ln -s bare to_bare
for link in to_file to_rel to_nothing to_bare; do
    go $link
    go $link --force
    readlink $link
done
rows rel
ls bare
# A release that lost its data is still one, and may go.
cp -r rel lost
rm lost/data.tsv
go lost --force
rows lost
# Slashes at the end do not matter.
go rel// --force
rows rel
stat -c '%a %n' rel rel/data.tsv rel/manifest.json
(umask 077 && lethe threshold log.tsv -q -t 3 --force -o rel && stat -c '%a %n' rel rel/data.tsv rel/manifest.json)
holds bare empty file foreign forged log.tsv lost other rel to_bare to_file to_nothing to_rel
