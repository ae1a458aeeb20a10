# SPDX-License-Identifier: Apache-2.0
# verify: a release in an archive, and what file managers leave beside its files.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 2 -o release
# judge NAME: the verdict, without what is the same for all.
judge() {
    lethe verify "$@" >said 2>&1
    local status=$?
    grep -E '^lethe: |^because|promise$' said
    echo "= $status"
    [ -z "$(ls -A "$TMPDIR")" ] || { echo "left behind: $(ls -A "$TMPDIR")"; rm -rf "${TMPDIR:?}"/*; }
}
echo '--- archives'
tar -cf release.tar release
judge release.tar
tar -czf release.tar.gz release && judge release.tar.gz
zstd -q release.tar -o release.tar.zst && judge release.tar.zst
xz -k release.tar && judge release.tar.xz
tar -C release -cf flat.tar manifest.json data.tsv && judge flat.tar
tar -C release -cf dot.tar . && judge dot.tar
for format in gnu pax ustar v7; do tar --format=$format -cf $format.tar release && judge $format.tar; done
cp release.tar odd.name && judge odd.name
lethe verify release.tar --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["metrics"]["holds"])'
echo '--- a promise that is broken'
cp -r release broken
sed -i '$d' broken/data.tsv
tar -cf broken.tar broken && judge broken.tar
cp -r release more && cp log.tsv more/raw.tsv
tar -cf more.tar more && judge more.tar
echo '--- what no release has'
cp -r release link && ln -s /etc/passwd link/x && tar -cf link.tar link && judge link.tar
cp -r release hard && ln hard/data.tsv hard/y && tar -cf hard.tar hard && judge hard.tar
tar -P --transform='s,^release,/abs,' -cf abs.tar release && judge abs.tar
tar -P --transform='s,^release,..,' -cf up.tar release && judge up.tar
mkdir deep && cp -r release deep && tar -cf deep.tar deep && judge deep.tar
tar -cf two.tar release broken && judge two.tar
cp release.tar twice.tar && tar -rf twice.tar release/data.tsv && judge twice.tar
{ cat release.tar; echo more; } >behind.tar && judge behind.tar
{ cat release.tar; head -c 1024 release.tar; } >second.tar && judge second.tar
head -c 2000 release.tar >cut.tar && judge cut.tar
tar -cf none.tar log.tsv && judge none.tar
: >empty.tar && judge empty.tar
judge log.tsv
python3 -c 'import zipfile; z = zipfile.ZipFile("release.zip", "w"); z.write("release/manifest.json")' && judge release.zip
cp -r release long && : >"long/$(printf 'n%.0s' {1..150})" && tar -cf long.tar long && judge long.tar
mkdir bomb && cp release/manifest.json bomb && truncate -s 400000000 bomb/data.tsv
tar -cf - bomb | zstd -q >bomb.tar.zst && judge bomb.tar.zst
rm -rf bomb
echo '--- what file managers leave behind'
cp -r release litter
for name in .DS_Store Thumbs.db desktop.ini ._data.tsv; do echo x >litter/$name; done
judge litter
tar -cf litter.tar litter && judge litter.tar
echo x >._litter && tar -cf mac.tar ._litter litter && judge mac.tar
echo x >litter/.hidden && judge litter
rm litter/.hidden && mkdir litter/._folder && judge litter
rmdir litter/._folder && truncate -s 2000000 litter/._large && judge litter
rm litter/._large && ln -s /etc/passwd litter/._link && judge litter
