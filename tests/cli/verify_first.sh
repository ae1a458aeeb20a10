# SPDX-License-Identifier: Apache-2.0
# Every command that reads a release verifies it first: figures of other files would be taken for its own.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --seed 1 -o rel
quietly lethe seal log.tsv -t 2 --seed 1 -o sealed

# tampered FOLDER: what each command says of it.
tampered() {
    run lethe measure "$1" --original log.tsv
    run lethe attack "$1" --original log.tsv
    run lethe report "$1" --original log.tsv -o page.html
}
# forge PYTHON: `bad` is a copy of `rel` with another manifest `m`.
forge() {
    rm -rf bad
    cp -r rel bad
    python3 -c '
import json, sys
m = json.load(open("bad/manifest.json"))
exec(sys.argv[1])
json.dump(m, open("bad/manifest.json", "w"))' "$1"
}
echo '--- a byte of the data'
cp -r rel bad && sed -i '2s/maps/mapz/' bad/data.tsv
tampered bad
echo '--- a promise raised in the manifest'
forge 'm["claims"][0]["t"] = m["steps"][0]["parameters"]["t"] = m["verdict"]["checks"][0]["t"] = 4'
tampered bad
echo '--- caveats left out of the manifest'
forge 'm["caveats"] = []'
tampered bad
echo '--- not a manifest'
rm -rf bad && cp -r rel bad && echo '{}' >bad/manifest.json
tampered bad
echo '--- a stranger'
rm -rf bad && cp -r rel bad && cp log.tsv bad/
tampered bad
echo '--- a file gone'
rm -rf bad && cp -r rel bad && rm bad/data.tsv
tampered bad

# The report says why.
rm -rf bad && cp -r rel bad && echo >>bad/data.tsv
for command in measure attack; do
    lethe $command bad --original log.tsv --json >report
    echo "= $?"
    json report 'j["command"], j["metrics"], j["verdict"]'
done
# What is missing is said before anything is verified.
run lethe measure bad --original missing.tsv
run lethe attack bad --original log.tsv --map missing.map

# A sealed release; a sealed file by itself is no release, and is opened line by line.
quietly lethe open sealed -o opened.tsv
cp -r sealed cut && sed -i '$d' cut/data.tsv
run lethe open cut -o none.tsv
run lethe open sealed cut -o none.tsv
run lethe measure cut --original log.tsv
lethe open -q cut/data.tsv -o - | wc -l
cp -r sealed more && touch more/note
run lethe open more -o none.tsv
rm cut/manifest.json
lethe open -q cut -o - | wc -l

# What only search results can decide does not make a release fail.
quietly lethe split log.tsv --seed 1 -o split
lethe measure split --original log.tsv >/dev/null && echo measured
# Nor is it told again by a command that could not use them.
printf '%s\thttp://x/\n' maps news weather >results
quietly lethe split log.tsv --seed 1 --results results -o shared
lethe verify shared 2>&1 >/dev/null
lethe measure shared --original log.tsv 2>&1 >/dev/null
# As it was made.
for release in rel sealed; do
    lethe measure $release --original log.tsv >/dev/null || echo "not measured: $release"
    lethe attack $release --original log.tsv >/dev/null || echo "not attacked: $release"
done
quietly lethe report rel --original log.tsv -o page.html
holds bad cut log.tsv more opened.tsv page.html rel report results sealed shared split
