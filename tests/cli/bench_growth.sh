# SPDX-License-Identifier: Apache-2.0
# bench/growth, on small inputs: a line for each command, nothing kept, and a command that fails is named.
. "$HERE/common.bash"
cp -r "$ROOT/bench/growth.tsv" before.tsv
grow() { "$ROOT/bench/growth" --lethe "${PROGRAM:-$LETHE}" --work inputs --divide 500 "$@" 2>said; }
grow profile scrub og lplus | sed -E 's/-?[0-9]+\.[0-9]+/X/g; s/[0-9]+ MB/N MB/'
cmp "$ROOT/bench/growth.tsv" before.tsv && ls inputs
echo "--- a command that does not exist"
grow nothing
echo "exit $?"
echo "--- one that fails"
printf '#!/bin/sh\n[ "$1" != split ] || { echo "too dark" >&2; exit 3; }\nexec "$LETHE" "$@"\n' >dark
chmod +x dark
PROGRAM=./dark grow split profile | sed -E 's/-?[0-9]+\.[0-9]+/X/g; s/[0-9]+ MB/N MB/'
echo "exit ${PIPESTATUS[0]}"
grep -c 'too dark' said
