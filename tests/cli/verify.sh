# SPDX-License-Identifier: Apache-2.0
# Releases that somebody has touched.
. "$HERE/common.bash"
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --clicks all --seed 1 -o rel
run lethe verify rel
lethe verify rel --json >report
json report '{k: j[k] for k in j if k not in ("caveats", "seconds", "peak_bytes")}'
json report 'list(j)'
quietly lethe verify rel/ --threads 7 --memory 16M
mv rel elsewhere
quietly lethe verify elsewhere
mv elsewhere rel

# forge NAME PYTHON: `m` is the manifest, `d` the lines of the data; both are written back, the digest
# with `resign()` only.
forge() {
    rm -rf bad
    cp -r rel bad
    python3 - "$2" <<'END'
import hashlib, json, os, sys
m = json.load(open("bad/manifest.json"))
d = open("bad/data.tsv").read().splitlines(keepends=True)
step = m["steps"][0]["parameters"]
def resign():
    data = "".join(d).encode()
    m["files"][0].update(bytes=len(data), blake2b=hashlib.blake2b(data, digest_size=32).hexdigest())
exec(sys.argv[1])
open("bad/data.tsv", "w").write("".join(d))
json.dump(m, open("bad/manifest.json", "w"))
END
    judge "$1"
}
# judge NAME: what verify says of `bad`.
judge() {
    timeout 20 lethe verify bad >out 2>&1
    local status=$?
    echo "$1: $status"
    grep -v '^bad: ' out | sed 's/^/    /'
    [ $status != 0 ] && grep -q '^bad: keeps' out && echo "BUT KEEPS"
    return 0
}
forge 'nothing changed' 'pass'
forge 'a byte' 'd[1] = d[1].replace("maps", "mapz")'
forge 'a byte, signed' 'd[1] = d[1].replace("maps", "mapz"); resign()'
forge 'a query that lost a user' 'd = [l for l in d if not ("news" in l and l == [x for x in d if "news" in x][0])]; resign(); m["counts"].update(published=8, suppressed=5)'
forge 'the same, counts as they were' 'd = [l for l in d if not ("news" in l and l == [x for x in d if "news" in x][0])]; resign()'
forge 'one user for two' 'u = [l.split("\t")[0] for l in d if "news" in l]; d = [l.replace(u[0], u[1]) if "news" in l else l for l in d]; d[1:] = sorted(d[1:]); resign()'
forge 'caveats left out' 'm["caveats"] = []'
forge 'rows in another order' 'd[1:] = d[:0:-1]; resign()'
forge 'a row more' 'd.append(d[-1]); resign()'
forge 'a rare query more' 'd.append("zzzzzzzzzzzzzzzz\tann lee\t2006-03-01\t\t\n"); resign(); m["counts"].update(read=14, published=10)'
forge 'no rows' 'd = d[:1]; resign(); m["counts"].update(published=0, suppressed=13)'
forge 'no header' 'd = d[1:]; resign()'
forge 'nothing in it' 'd = []; resign()'
forge 'six columns' 'd[1] = d[1][:-1] + "\tmore\n"; resign()'
forge 'a claim lowered' 'm["claims"][0]["t"] = 2'
forge 'a claim raised' 'm["claims"][0]["t"] = 4'
forge 'a claim by something else' 'm["claims"][0]["by"] = "rows"'
forge 'hashes let through' 'm["claims"][0]["rare"] = "hash"'
forge 'claims emptied' 'm["claims"] = []'
forge 'claims and steps emptied' 'm["claims"] = []; m["steps"] = []'
forge 'a claim twice' 'm["claims"] *= 2'
forge 'steps that promise more' 'step["t"] = 4'
forge 'steps and claim that promise more' 'step["t"] = 4; m["claims"][0]["t"] = 4'
forge 'steps that promise less' 'step["t"] = 2'
forge 'a parameter gone' 'del step["t"]'
forge 'an unknown parameter' 'step["q"] = 1'
forge 'a seed among the parameters' 'step["seed"] = 1'
forge 'an impossible parameter' 'step["t"] = -3'
forge 'an unknown step' 'm["steps"][0]["command"] = "magic"'
forge 'an unknown notion' 'm["claims"][0]["notion"] = "magic"'
forge 'a member of a step' 'm["steps"][0]["note"] = "x"'
forge 'an unknown member' 'm["note"] = "x"'
forge 'a member gone' 'del m["caveats"]'
forge 'a member of another kind' 'm["counts"] = []'
forge 'counts that do not add up' 'm["counts"]["suppressed"] += 1'
forge 'counts of other rows' 'm["counts"]["published"] += 1; m["counts"]["read"] += 1'
forge 'negative counts' 'm["counts"].update(read=8, suppressed=-1)'
forge 'counts that wrap around' 'm["counts"].update(suppressed=2**63 - 1, rejected=2**63 - 1)'
forge 'counts that are no numbers' 'm["counts"] = {k: str(v) for k, v in m["counts"].items()}'
forge 'real counts' 'm["counts"] = {k: float(v) for k, v in m["counts"].items()}'
forge 'a count more' 'm["counts"]["seen"] = 13'
forge 'verdict false' 'm["verdict"]["holds"] = False'
forge 'verdict gone' 'm["verdict"] = {}'
forge 'a digest of another length' 'm["files"][0]["blake2b"] = "00"'
forge 'another size' 'm["files"][0]["bytes"] += 1'
forge 'a file elsewhere' 'm["files"][0]["name"] = "../rel/data.tsv"'
forge 'a file that is not there' 'm["files"].append(dict(m["files"][0], name="report.html"))'
forge 'a file twice' 'm["files"] *= 2'
forge 'two data files' 'm["files"].append(dict(m["files"][0], name="data.csv"))'
forge 'data of another shape' 'm["files"][0]["name"] = "data.csv"; os.rename("bad/data.tsv", "bad/data.csv"); open("bad/data.csv", "w").write("".join(d)); os.link("bad/data.csv", "bad/data.tsv")'
# What the steps say of users, times and URLs must be so; nothing else may travel with a log.
forge_rows() { forge "$1" "d[1:] = sorted('\t'.join($2) for f in (l.split('\t') for l in d[1:])); resign()"; }
forge_rows 'users by their names' '["Ann Lee " + f[0]] + f[1:]'
forge_rows 'users with a space' '[" " + f[0]] + f[1:]'
forge_rows 'times of the hour' 'f[:2] + [f[2] + " 07"] + f[3:]'
forge_rows 'times to the second' 'f[:2] + [f[2] + " 07:00:01"] + f[3:]'
forge_rows 'whole URLs' 'f[:3] + ["1", "http://www.maps.com/a?user=ann\n"]'
forge_rows 'ranks with zeros' 'f[:3] + ["01"] + f[4:]'
forge 'users said to be named' 'step["keep-users"] = True'
forge 'URLs said to be dropped' 'step["urls"] = "drop"'
forge 'times said to be dropped' 'step["time"] = "drop"'
forge 'an unknown coarseness' 'step["time"] = "year"'
forge 'nothing said of URLs' 'del step["urls"]'
forge 'a file that a log does not have' 'open("bad/taxonomy.tsv", "w").write("raw"); m["files"].append(dict(name="taxonomy.tsv", bytes=3, blake2b=hashlib.blake2b(b"raw", digest_size=32).hexdigest()))'
forge 'a member of a file' 'm["files"][0]["note"] = "x"'

again() {
    rm -rf bad
    cp -r rel bad
}
again && echo x >bad/notes.txt && judge 'a file more'
again && echo x >bad/.hidden && judge 'a hidden file more'
again && mkdir bad/folder && judge 'a folder more'
again && rm bad/data.tsv && judge 'no data'
again && rm bad/data.tsv && ln -s ../rel/data.tsv bad/data.tsv && judge 'a link for the data'
again && rm bad/data.tsv && mkdir bad/data.tsv && judge 'a folder for the data'
again && rm bad/data.tsv && mkfifo bad/data.tsv && judge 'a pipe for the data'
again && rm bad/manifest.json && judge 'no manifest'
again && rm bad/manifest.json && ln -s ../rel/manifest.json bad/manifest.json && judge 'a link for the manifest'
again && rm bad/manifest.json && mkfifo bad/manifest.json && judge 'a pipe for the manifest'
again && head -c 700 rel/manifest.json >bad/manifest.json && judge 'a truncated manifest'
again && : >bad/manifest.json && judge 'an empty manifest'
again && echo 'not JSON' >bad/manifest.json && judge 'no JSON'
again && echo '[]' >bad/manifest.json && judge 'another JSON'
again && sed 's/"lethe": "[0-9.]*",/&\n  &/' rel/manifest.json >bad/manifest.json && judge 'a name twice'
again && sed 's/"t": 3,/"t": 3, "t": 3,/' rel/manifest.json >bad/manifest.json && judge 'a name twice, deeper'
again && { cat rel/manifest.json; echo '{}'; } >bad/manifest.json && judge 'something after it'
again && sed 's/"rows_kept": 9/"rows_kept": 9\xff/' rel/manifest.json >bad/manifest.json && judge 'no UTF-8'
again && gzip -c rel/data.tsv >bad/data.tsv && judge 'compressed data'
again && { printf '\357\273\277'; cat rel/data.tsv; } >bad/data.tsv && judge 'a byte order mark'
# The folder itself may be reached by a link.
ln -s rel way
quietly lethe verify way
# By queries and rows, with hashes, and after several steps.
quietly lethe threshold log.tsv -t 2 --clicks all --by queries --rare hash --then threshold -t 2 --clicks all --by rows -o many
run lethe verify many
