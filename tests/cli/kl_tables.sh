# SPDX-License-Identifier: Apache-2.0
# tools/kl-tables, which makes the tables and plots of docs/kl.md, on a small part of its data; and tools/set-data.
. "$HERE/common.bash"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/BMS-WebView-2_tree.tsv.zst" ] || skip "the data of BMS-WebView is not there"
cp "$ROOT/docs/kl.md" page.md
make() { "$ROOT/tools/kl-tables" --quick --data "$data" "$@"; }
quietly make --lethe "$LETHE" -o out --page page.md --keep runs || exit
echo "--- a run that is kept is not made again, and gives the same"
cp -r out first && cp runs runs_first
quietly make --lethe "$LETHE" -o out --keep runs || exit
cmp runs_first runs
diff -r first out
echo "--- a figure that is not right ends it"
cat >liar <<'END'
#!/usr/bin/python3
import json, os, subprocess, sys
done = subprocess.run([os.environ["LETHE"], *sys.argv[1:]], capture_output=True, text=True)
if sys.argv[1] == "og" and done.returncode == 0:
    answer = json.loads(done.stdout)
    answer["metrics"]["ncp"] += 0.001
    print(json.dumps(answer))
else:
    sys.stdout.write(done.stdout)
sys.exit(done.returncode)
END
chmod +x liar
make --lethe ./liar -o lies 2>&1 | sed 's/[0-9.]*[0-9], and [0-9.]* /X, and Y /; s/\[.*\]/OPTIONS/; s/(.*)/OPTIONS/'
python3 - <<'END'
import pathlib, re
import xml.etree.ElementTree as tree

text = pathlib.Path("out/kl-tables.md").read_text()
tables = dict(re.findall(r"^## (\S+)\n\n(.*?)(?=\n\n## |\Z)", text, re.S | re.M))
def rows(part):
    return [[c.strip() for c in line.strip("|").split("|")] for line in part.splitlines()]
print("files:", sorted(x.name for x in pathlib.Path("out").iterdir()))
print("tables:", {name: len(re.findall(r"^\|---", t, re.M)) for name, t in tables.items()})
page = pathlib.Path("page.md").read_text()
print("page:", all(t.strip() in page for t in tables.values()), "kl-loss.svg" in page and "kl-time.svg" in page)

def share(cell):
    return float(cell.removesuffix(" %")) if cell != "none" else None
# og is never above aa and mog, whatever the setting: it is the best cut.
for part in re.findall(r"\|.*?(?=\n\n|\Z)", tables["loss"], re.S):
    head, _, *body = rows(part)
    at = {name: i for i, name in enumerate(head)}
    print(head[0], [share(r[at["OG"]]) <= min(share(r[at["AA"]]), share(r[at["mOG"]])) for r in body])
# Prunings make no more work.
nodes = [int(r[2].replace(",", "")) for r in rows(tables["phase1"])[2:-2]]
print("nodes:", nodes[-1] == min(nodes) and nodes[0] == max(nodes))
cuts = [int(r[1].replace(",", "")) for r in rows(tables["phase2"])[2:-2]]
print("cuts:", cuts[-1] == min(cuts) and cuts[0] == max(cuts))
for name in ("loss", "time"):
    text = pathlib.Path(f"out/kl-{name}.svg").read_text()
    lines = [x.get("points").split() for x in tree.fromstring(text).iter() if x.tag.endswith("polyline")]
    print(name, [len(x) for x in lines], re.findall(r"href|url\(|@import|<script|on\w+=|https?://(?!www\.w3\.org/2000/svg)", text))
END
