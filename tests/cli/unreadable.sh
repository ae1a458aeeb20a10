# SPDX-License-Identifier: Apache-2.0
# No permission to read or write: 4.
. "$HERE/common.bash"
small_log >log.tsv
cp log.tsv secret.tsv
mkdir locked open
if [ "$(id -u)" = 0 ]; then
    # A build that measures its coverage says that it may not write beside itself.
    nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@" 2>&1 | grep -v '^profiling:'
        return "${PIPESTATUS[0]}"
    }
    nobody test -x "$LETHE" -a -r log.tsv || skip "cannot become another user who can run the program"
else
    nobody() { "$@"; }
fi
quietly lethe threshold log.tsv -t 2 -o rel
chmod 000 secret.tsv rel/data.tsv
chmod 777 open
chmod 555 locked .
nobody lethe threshold secret.tsv -t 2 -o open/never
echo "= $?"
nobody lethe profile secret.tsv
echo "= $?"
nobody lethe threshold log.tsv -t 2 -o locked/rel
echo "= $?"
nobody lethe key locked/key
echo "= $?"
nobody lethe verify rel
echo "= $?"
chmod 755 .
chmod 755 locked
ls -A locked open
holds locked log.tsv open rel secret.tsv
