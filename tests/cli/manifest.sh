# SPDX-License-Identifier: Apache-2.0
# What a release says of itself, and what it must not say.
. "$HERE/common.bash"
small_log >log.tsv
mkdir secret-place
cp log.tsv secret-place/inputname.tsv
lethe key secret-place/the.key
quietly lethe threshold secret-place/inputname.tsv -t 3 --seed 987654321 --key-file secret-place/the.key --map secret-place/the.map -o rel
json rel/manifest.json 'list(j)'
json rel/manifest.json 'json.dumps({k: j[k] for k in j if k not in ("files", "caveats")}, indent=1)'
json rel/manifest.json '[(f["name"], list(f), f["bytes"]) for f in j["files"]]'
json rel/manifest.json '"\n".join(j["caveats"][:2])'
json rel/manifest.json 'len(j["caveats"]) > 5'
ls -A rel
# Digests as anybody can compute them.
json rel/manifest.json '" ".join(f["blake2b"] + "  " + f["name"] for f in j["files"])' >sums
(cd rel && b2sum -l 256 -c ../sums)
# Neither seed, key, path, nor digest of the input.
digest=$(b2sum -l 256 log.tsv | cut -c 1-64)
key=$(od -An -v -tx1 secret-place/the.key | tr -d ' \n')
[ ${#key} = 64 ] && [ ${#digest} = 64 ] || echo "cannot look for them"
grep -c -F -e 987654321 -e secret-place -e inputname -e the.key -e the.map -e "$digest" -e "$key" rel/manifest.json rel/data.tsv
# A seed makes the bytes reproducible, another seed other ones; without one there is no caveat of it.
quietly lethe threshold log.tsv -t 3 --seed 1 -o seed1
quietly lethe threshold log.tsv -t 3 --seed 1 -o again1
quietly lethe threshold log.tsv -t 3 --seed 2 -o seed2
quietly lethe threshold log.tsv -t 3 -o seedless
diff -r seed1 again1 && echo "the same for one seed"
cmp -s seed1/data.tsv seed2/data.tsv || echo "others for another"
grep -c 'Made with a seed' seed1/manifest.json seedless/manifest.json
# The report has the same figures, and what only its reader may know.
lethe threshold log.tsv -t 3 --seed 1 --json -o reported 2>/dev/null >report
wc -l <report
json report 'list(j)'
json report 'sorted(j["seconds"]), j["peak_bytes"] > 0'
python3 -c 'import json
m, r = json.load(open("seed1/manifest.json")), json.load(open("report"))
r["counts"].pop("invalid_utf8")
print([k for k in ("metrics", "claims", "verdict", "caveats", "counts") if m[k] != r[k]])'
accounts report
# URLs whose host cannot be told are left out and counted.
printf '1\tmaps\t2006-03-01 10:00:00\t1\tmailto:ann@example.com\n2\tmaps\t2006-03-01 10:00:00\t1\thttp://ok.com/x\n' >odd.tsv
quietly lethe threshold odd.tsv -t 2 --keep-users -o odd
tail -n +2 odd/data.tsv
json odd/manifest.json 'j["metrics"]'
