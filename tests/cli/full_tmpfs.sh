# SPDX-License-Identifier: Apache-2.0
# A full file system, for the release, its map, and for spill files.
. "$HERE/common.bash"
mkdir small
mount -t tmpfs -o size=2m tmpfs small 2>/dev/null || skip "cannot mount a small file system"
trap 'umount small' EXIT
big_log 100000 >log.tsv
for how in '-o small/rel' '-o small/rel --memory 16M' '-o rel --map small/map -t 1'; do
    head -c 1900000 /dev/zero >small/ballast
    [ "$how" = "${how#*map}" ] || head -c 2090000 /dev/zero >small/ballast
    lethe threshold log.tsv -q -t 2 $how 2>&1 | uniq
    echo "= ${PIPESTATUS[0]}"
    ls -A small
done
holds log.tsv small
