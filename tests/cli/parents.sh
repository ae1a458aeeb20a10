# SPDX-License-Identifier: Apache-2.0
# Folders above an output are made, and removed again if nothing is published.
. "$HERE/common.bash"
small_log >log.tsv
run lethe threshold log.tsv -t 3 -q --map maps/of/a -o a/b/c
lethe threshold log.tsv -t 3 -q -o "$PWD/x//y/release/"
run lethe synth --users 10 --seed 1 -q --truth s/truth/t.tsv -o s/logs/log.tsv
run lethe report a/b/c -q -o pages/of/a.html
run lethe compare log.tsv -t 2 --methods threshold -q -o studies/first >/dev/null
find a x s pages studies maps -maxdepth 3 ! -name '*.json' | sort
rm -r a x s pages studies maps
echo '--- nothing is published, and nothing is left'
run lethe threshold log.tsv -t 100 -q --map a/maps/m -o a/b/c
run lethe threshold missing.tsv -t 100 -q -o a/b/c
run lethe compare missing.tsv -q -o a/b/study
run lethe report log.tsv -q -o a/b/page.html
mkdir a
run lethe threshold log.tsv -t 100 -q -o a/b/c
ls -A a
mkdir a/b
run lethe threshold log.tsv -t 100 -q -o a/b/c/d/e
ls -A a/b
echo '--- a folder that cannot be made'
: >file
run lethe scrub log.tsv -q -o file/b/c
run lethe scrub log.tsv -q -o a/file/../../file/c
run lethe scrub log.tsv -q --map a/b/c/map -o a/b/c
ls -A a
exit 0
