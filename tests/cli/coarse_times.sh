# SPDX-License-Identifier: Apache-2.0
# --time week and month: weeks begin on Monday, and every reader of releases reads them back.
. "$HERE/common.bash"
{
    small_log
    printf '%s\t%s\t%s\t%s\t%s\n' 1 maps '2006-02-26 23:59:59' '' '' 2 maps '2006-02-27 00:00:00' '' '' 3 maps '2005-12-31 12:00:00' '' '' \
        4 maps '2006-01-01 12:00:00' '' '' 5 maps '2004-02-29 12:00:00' '' '' 1 maps '1969-12-31 23:59:59' '' ''
} >log.tsv
for unit in week month; do
    echo "--- $unit"
    quietly lethe threshold log.tsv -t 3 --keep-users --time $unit -o $unit
    tail -n +2 $unit/data.tsv | cut -f 1,3 | uniq
    json $unit/manifest.json 'j["steps"][0]["parameters"]["time"]'
    quietly lethe verify $unit
    quietly lethe measure $unit --original log.tsv
    quietly lethe attack $unit --original log.tsv
    quietly lethe report $unit --original log.tsv -o $unit.html
    grep -o 'times are reduced to the [a-z, ]*' $unit.html | head -n 1
    quietly lethe profile $unit/data.tsv
    quietly lethe threshold $unit/data.tsv -t 3 --keep-users --time $unit --urls host -o again
    cut -f 1-4 $unit/data.tsv | cmp - <(cut -f 1-4 again/data.tsv) && echo 'read and published again: the same'
    rm -r again
    quietly lethe threshold log.tsv -t 3 --by queries --time $unit -o by
    quietly lethe verify by
    quietly lethe seal log.tsv -t 3 --time $unit -o seal
    quietly lethe verify seal
    quietly lethe split log.tsv --by gap --time $unit -o split
    quietly lethe verify split
    rm -r by seal split
    lethe scrub -q log.tsv --time $unit -o - | tail -n +2 | cut -f 3 | sort -u | tr '\n' ' '
    echo
done
echo '--- sessions cannot be seen in them'
for unit in week month; do
    for gap in 1h 2d 7d 30d 31d; do
        lethe split -q $unit/data.tsv --by gap --gap $gap -o - >/dev/null 2>said
        echo "$unit $gap: $? $(cat said)"
    done
    run lethe split -q $unit/data.tsv --by day -o -
    run lethe ssg -q $unit/data.tsv -k 2 --gap 2d -o -
done

echo '--- forged'
cat >forge.py <<'END'
import hashlib, json, os, shutil, sys
m, data = json.load(open(sys.argv[1] + "/manifest.json")), open(sys.argv[1] + "/data.tsv").read()
p = m["steps"][-1]["parameters"]
exec(sys.argv[2])
shutil.rmtree("bad", ignore_errors=True)
os.mkdir("bad")
head, *lines = data.splitlines()
data = "\n".join([head] + sorted(lines)) + "\n"
open("bad/data.tsv", "w").write(data)
m["files"] = [{"name": "data.tsv", "bytes": len(data), "blake2b": hashlib.blake2b(data.encode(), digest_size=32).hexdigest()}]
open("bad/manifest.json", "w").write(json.dumps(m, indent=2) + "\n")
END
# forge RELEASE PYTHON: the answer.
forge() {
    echo "$1: $2"
    python3 forge.py "$1" "$2"
    lethe verify bad 2>&1 >/dev/null
    echo "= $?"
}
forge week ''
forge week 'data = data.replace("2006-02-27", "2006-02-28")'
forge week 'data = data.replace("2006-02-27", "2006-02")'
forge week 'data = data.replace("2006-02-27", "2006-02-27 00")'
forge week 'p["time"] = "day"'
forge week 'p["time"] = "month"'
forge week 'p["time"] = "year"'
forge month 'data = data.replace("2006-03", "2006-03-01")'
forge month 'data = data.replace("2006-03", "2006-13")'
forge month 'data = data.replace("2006-03", "2006-3")'
forge month 'p["time"] = "week"'
