# SPDX-License-Identifier: Apache-2.0
# Releases of scrub that somebody has touched.
. "$HERE/common.bash"
printf '%s\t%s\t%s\t%s\t%s\n' \
    1 'ssn 219-09-9999' '2006-03-01 10:00:00' 1 'http://www.maps.com/a/b?q=1' \
    2 'maps' '2006-03-01 10:00:00' 2 'http://www.maps.com' \
    3 'call (212) 555-0187' '2006-03-01 10:00:00' '' '' >log.tsv
quietly lethe scrub log.tsv --seed 1 --urls keep -o rel
quietly lethe scrub log.tsv --seed 1 --kinds ssn,phone --urls keep -o some
run lethe verify rel
run lethe verify some

# forge NAME RELEASE PYTHON: `m` is the manifest, `d` the lines of the data; both are written back, with
# the digest of the data.  Then what verify says.
forge() {
    rm -rf bad
    cp -r "$2" bad
    python3 - "$3" <<'END'
import hashlib, json, sys
m = json.load(open("bad/manifest.json"))
d = open("bad/data.tsv").read().splitlines(keepends=True)
step = m["steps"][0]["parameters"]
claim = m["claims"][0]
exec(sys.argv[1])
data = "".join(d).encode()
m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
open("bad/data.tsv", "wb").write(data)
json.dump(m, open("bad/manifest.json", "w"))
END
    lethe verify bad >out 2>&1
    local status=$?
    echo "$1: $status"
    grep -v '^bad: ' out | sed 's/^/    /'
    [ $status != 0 ] && grep -q '^bad: keeps' out && echo "BUT KEEPS"
    grep -q -e 219 -e 212 -e 555 -e '7777777' out && echo "BUT TELLS"
    return 0
}
# row QUERY URL: a row more, as Python.
row() {
    printf 'd[1:] = sorted(d[1:] + ["zzzzzzzzzzzzzzzz\\t%s\\t2006-03-01\\t\\t%s\\n"]); m["counts"].update(read=4, published=4)' "$1" "$2"
}
forge 'nothing changed' rel 'pass'
forge 'a row that was not masked' rel "$(row 'ssn 219-09-9999' '')"
forge 'a number, not looked for' some "$(row 'case 77777777777777' '')"
forge 'a mask undone' some 'd = [l.replace("[phone]", "(212) 555-0187") for l in d]; d[1:] = sorted(d[1:])'
forge 'a URL with a path' rel "$(row 'maps' 'www.maps.com/john')"
forge 'a URL with a path, not looked for' some "$(row 'maps' 'www.maps.com/john')"
forge 'a number coded in a URL' some "$(row 'maps' 'www.maps.com/%32%31%39-09-9999')"
forge 'fewer kinds claimed' rel 'claim["kinds"].remove("ssn")'
forge 'no kinds claimed' rel 'claim["kinds"] = []'
forge 'fewer kinds asked for' rel 'step["kinds"] = "card"'
forge 'another order of kinds' rel 'claim["kinds"].reverse()'
forge 'a kind that is none' rel 'claim["kinds"] = ["name"]; step["kinds"] = "name"'
forge 'kinds that are no text' rel 'step["kinds"] = 255'
forge 'no claim' rel 'm["claims"] = []'
forge 'a claim more' rel 'claim["list"] = True'
forge 'caveats left out' rel 'm["caveats"].pop()'
