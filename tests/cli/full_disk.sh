# SPDX-License-Identifier: Apache-2.0
# A full disk: 4, and nothing is left.  Several threads may say so.
. "$HERE/common.bash"
big_log 100000 >log.tsv
(
    ulimit -f 1000 # KiB
    lethe threshold log.tsv -q -t 2 -o rel
    echo "= $?"
    lethe threshold log.tsv -q -t 2 --memory 16M -o rel
    echo "= $?"
    lethe threshold log.tsv -q -t 2 --memory 16M -o - >out
    echo "= $?"
) 2>&1 | uniq
rm -f out
holds log.tsv
ls -A "$TMPDIR"
