# SPDX-License-Identifier: Apache-2.0
# tools/disconnect-tables, which makes the tables and plots of docs/disconnect.md, on small data.
. "$HERE/common.bash"
cp "$ROOT/docs/disconnect.md" page.md
make() { "$ROOT/tools/disconnect-tables" --quick --keep runs "$@"; }
quietly make --lethe "$LETHE" -o out --page page.md || exit
echo "--- a run that is kept is not made again, and gives the same"
cp -r out first && cp runs runs_first
quietly make --lethe "$LETHE" -o out || exit
cmp runs_first runs
diff -r first out
echo "--- a release that is not disconnected ends it"
cat >liar <<'END'
#!/usr/bin/python3
import os, pathlib, subprocess, sys
done = subprocess.run([os.environ["LETHE"], *sys.argv[1:]])
if sys.argv[1] == "disconnect" and done.returncode == 0:
    data = pathlib.Path(sys.argv[sys.argv.index("-o") + 1]) / "data.tsv"
    lines = data.read_text().splitlines()
    clicked = next(line.split("\t") for line in lines[1:] if not line.endswith("\t"))
    data.write_text("\n".join([*lines, "\t".join([clicked[0], "a query of nobody", "", "", clicked[4]]), ""]))
sys.exit(done.returncode)
END
chmod +x liar
"$ROOT/tools/disconnect-tables" --quick --lethe ./liar -o lies 2>&1 | sed "s/'.*'/URL/"
python3 - <<'END'
import json, pathlib, re
import xml.etree.ElementTree as tree

tables = dict(re.findall(r"## (\S+)\n\n(.*?)\n\n", pathlib.Path("out/disconnect-tables.md").read_text(), re.S))
rows = {name: [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()] for name, text in tables.items()}
print("files:", sorted(x.name for x in pathlib.Path("out").iterdir()))
print("tables:", {name: len(t) - 2 for name, t in rows.items()}, all(len(r) == len(t[0]) for t in rows.values() for r in t))
page = pathlib.Path("page.md").read_text()
print("page:", all(text in page for text in tables.values()), "disconnect-density.svg" in page)

def share(cell):
    return float(cell.removesuffix(" %"))
# What the rankings keep, as the figures have it; best is never below them in its own weight.
ranked = {r[0]: [share(c) for c in r[1:]] for r in rows["rankings"][2:]}
for name, column in (("best, by queries", 0), ("best, by volume", 1), ("best, by clicks", 2)):
    print(name, all(ranked[name][column + part] >= max(r[column + part] for n, r in ranked.items()) for part in (0, 3)))
# Of each run the reasons and what is kept make up the whole.
for run in ("paper", "default", "with results"):
    parts = [r for r in rows["reasons"][2:] if r[0] == run]
    print(run, [abs(sum(share(r[i]) for r in parts) - 100) < 0.5 for i in (3, 4, 5)])
# The competitor finds most where nothing was taken out, and by order less the more identifiers look the same.
found = {r[0]: [share(c) for c in r[3:]] for r in rows["competitor"][2:]}
print("competitor:", all(a >= b for r in found.values() for a, b in zip(found["nothing is taken out"], r)))
order = [found[name][2] for name in ("as in the paper", "`--min-urls 2`", "`--min-urls 3`", "default (5)", "`--min-urls 10`")]
print("by order:", order == sorted(order, reverse=True) and order[0] > order[-1])

text = pathlib.Path("out/disconnect-density.svg").read_text()
root = tree.fromstring(text)
lines = [x.get("points").split() for x in root.iter() if x.tag.endswith("polyline")]
links = re.findall(r"href|url\(|@import|<script|on\w+=|https?://(?!www\.w3\.org/2000/svg)", text)
print("plot:", [len(x) for x in lines], links)
END
