# SPDX-License-Identifier: Apache-2.0
# Names and arguments may hold anything: no control byte of theirs reaches a terminal.
. "$HERE/common.bash"
evil=$'e\033[31mvi\nl\233\302\233' # ESC, LF, C1 as a byte and as a character
small_log >log.tsv
cp log.tsv "$evil.tsv"
n=0
# terminal COMMAND...: what it says, on either stream, must be free of control characters.
terminal() {
    n=$((n + 1))
    "$@" >"$TMPDIR/said" 2>&1 </dev/null
    LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\xbf]' "$TMPDIR/said" &&
        { printf '%q ' "$@"; echo; cat -v "$TMPDIR/said"; }
    # a name's line feed begins no line
    LC_ALL=C grep -qaP '^l(\x9b|\\\\x9b)' "$TMPDIR/said" &&
        { printf '%q ' "$@"; echo; cat -v "$TMPDIR/said"; }
    return 0
}
# As an input, an output, something that is missing, in every command.
commands=$(lethe help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
    terminal lethe $command "$evil" -o "$evil/$evil"
    terminal lethe $command log.tsv --"$evil"
    terminal lethe $command log.tsv --then "$evil"
done
[ "$n" -gt 70 ] && echo "every command"
rm -rf "$evil"
terminal lethe "$evil"
terminal lethe "threshold$evil"
terminal lethe help "$evil"
terminal lethe profile "$evil.tsv" --delimiter "$evil"
terminal lethe profile "$evil.tsv" --users-with "$evil"
terminal lethe profile "$evil.tsv" --columns "$evil"
terminal lethe threshold "$evil.tsv" --by "$evil" -o x
terminal lethe threshold "$evil.tsv" --by "user$evil" -o x
# Where all goes well.
terminal lethe profile "$evil.tsv"
terminal lethe suggest "$evil.tsv"
terminal lethe suggest "$evil.tsv" --goal share
terminal lethe threshold "$evil.tsv" -t 2 --map "$evil.map" -o "$evil"
terminal lethe threshold "$evil.tsv" -t 2 --map "$evil.map" -o "$evil"
terminal lethe threshold "$evil.tsv" -t 2 --map "$evil.map" -o "$evil" --force
terminal lethe verify "$evil"
terminal lethe measure "$evil" --original "$evil.tsv" --map "$evil.map"
terminal lethe measure "$evil" --original "$evil.tsv" --map "$evil.tsv"
terminal lethe attack "$evil" --original "$evil.tsv" --map "$evil.map"
terminal lethe report "$evil" -o "$evil.html"
terminal lethe report "$evil" -o "$evil.html"
terminal lethe key "$evil.key"
terminal lethe key "$evil.key"
terminal lethe synth --users 3 -o "$evil.synth"
terminal lethe compare "$evil.tsv" --methods threshold -t 2 -o "$evil.study"
terminal lethe compare "$evil.tsv" --methods "$evil" -o "$evil.study2"
quietly lethe seal log.tsv -t 2 --key-file "$evil.key" -o sealed
terminal lethe open sealed/data.tsv -o "$evil.open"
terminal lethe open sealed/data.tsv -o "$evil.open"
# What killed runs left under such a name.
mkdir ".$evil.lethe-abcdef"
terminal lethe threshold "$evil.tsv" -t 2 -o "$evil"
terminal lethe threshold "$evil.tsv" -t 2 -o "$evil" --force
# A manifest that comes from somebody else.
cp -r "$evil" forged
sed -i 's/"query-threshold"/"query\\u001b[31m\\u009b"/g; s/"rows_kept"/"rows\\u001b[31m"/' forged/manifest.json
terminal lethe verify forged
terminal lethe verify forged --caveats
terminal lethe measure forged --original log.tsv
terminal lethe attack forged --original log.tsv
terminal lethe report forged -o forged.html
# One of them, to be seen.
lethe verify "$evil"
