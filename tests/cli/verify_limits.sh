# SPDX-License-Identifier: Apache-2.0
# A forged release that nobody could check to the end: 60 items, of which 60 may be known.
. "$HERE/common.bash"
python3 - <<'END'
import random
random.seed(1)
items = ["i%02d" % i for i in range(60)]
print(*(f"{i}\tall" for i in items), sep="\n", file=open("tree", "w"))
records = [" ".join(i for i in items if random.random() < 0.75) for _ in range(120)]
print(*(r for r in records for _ in range(2)), sep="\n", file=open("records", "w"))
END
quietly lethe aa records --from records --persons record --taxonomy tree -k 2 -m 1 -o rel
run lethe verify rel | tail -n 1
sed -i 's/"m": 1/"m": 60/' rel/manifest.json
echo "--- verify"
SECONDS=0
run timeout 20 lethe verify rel --time-limit 1s
# a second is asked for; a machine may be busy
[ "$SECONDS" -le "${LETHE_PATIENCE:-5}" ] || echo "it took $SECONDS s"
timeout 20 lethe verify rel --time-limit 1 --json >report
echo "exit $?"
json report '{"metrics": j["metrics"], "verdict": {k: v for k, v in j["verdict"].items() if k != "checks"}}'
json report '[{k: c[k] for k in ("holds", "decided")} for c in j["verdict"]["checks"]]'
echo "--- report"
run timeout 20 lethe report rel --time-limit 1s -o page.html
ls page.html 2>/dev/null
echo "--- no such limits"
run lethe verify rel --time-limit 0
run lethe verify rel --time-limit never
sed -i 's/"m": 60/"m": 1/' rel/manifest.json
run lethe verify rel --time-limit none
run lethe verify rel --time-limit 2h | tail -n 1

echo "--- a page of 256 MB is not read into memory"
small_log >log.tsv
quietly lethe threshold log.tsv -t 3 --report --seed 1 -o paged
python3 - <<'END'
import hashlib, json
m = json.load(open("paged/manifest.json"))
size, digest = 256 << 20, hashlib.blake2b(digest_size=32)
for _ in range(size >> 20):
    digest.update(bytes(1 << 20))
open("paged/report.html", "w").truncate(size)
for f in m["files"]:
    if f["name"] == "report.html":
        f.update(bytes=size, blake2b=digest.hexdigest())
json.dump(m, open("paged/manifest.json", "w"))
END
run lethe verify paged
lethe verify paged --json --quiet >report
json report 'j["peak_bytes"] < 256 << 20'

echo "--- memory: one of three of 600 siblings may be known"
python3 - <<'END'
n = 600
print(*("a%04d\tall" % i for i in range(n)), sep="\n", file=open("wide", "w"))
print("b", file=open("secret", "w"))
print(*(line for i in range(n) for line in ["a%04d" % i] * 4 + ["a%04d b" % i]), sep="\n", file=open("sets", "w"))
END
run lethe og sets --from records --persons record --taxonomy wide --sensitive secret -k 2 -l 2 -m 1 --strict --memory 16M -o none 2>&1 | tail -n 2
ls none 2>/dev/null
