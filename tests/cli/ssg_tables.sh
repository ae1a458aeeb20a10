# SPDX-License-Identifier: Apache-2.0
# tools/ssg-tables, which makes the tables and plots of docs/ssg.md, on small data.
. "$HERE/common.bash"
dictionary=${WNSEARCHDIR:-/usr/share/wordnet}
[ -r "$dictionary/index.noun" ] || skip "WordNet is not installed"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/excite-small.log.zst" ] || data=
cp "$ROOT/docs/ssg.md" page.md
quietly "$ROOT/tools/ssg-tables" --quick --lethe "$LETHE" --data "$data" -o out --page page.md --keep runs || exit
# A run that is kept is not made again, and gives the same.
cp -r out first
cp runs runs_first
quietly "$ROOT/tools/ssg-tables" --quick --lethe "$LETHE" --data "$data" -o out --keep runs || exit
cmp runs_first runs
diff -r first out
# The size of the log is one option.
quietly "$ROOT/tools/ssg-tables" --quick --sessions 300 --lethe "$LETHE" --data "" -o small --keep runs || exit
python3 - "$ROOT/docs/ssg.md" "$data" <<'END'
import json, pathlib, re, sys
import xml.etree.ElementTree as tree

real = bool(sys.argv[2])
out = pathlib.Path("out")
measures = ["distinct", "size", "blm", "distance", "recall", "sdist", "time"]
plots = [*measures, "vocabularies", "terms", "heights"]
need = {f"ssg-{x}.svg" for x in plots + ["real-blm"] * real} | {"ssg-tables.md"}
print("files:", sorted(x.name for x in out.iterdir()) == sorted(need))

# Plots: well formed, nothing that runs or is fetched, a point for each value, inside the picture.
for name in plots:
    text = (out / f"ssg-{name}.svg").read_text()
    root = tree.fromstring(text)
    names = {x.tag.split("}")[1] for x in root.iter()}
    links = re.findall(r"href|url\(|@import|<script|on\w+=|https?://(?!www\.w3\.org/2000/svg)", text)
    width, height = float(root.get("width")), float(root.get("height"))
    lines = [[tuple(map(float, p.split(","))) for p in x.get("points").split()] for x in root.iter() if x.tag.endswith("polyline")]
    inside = all(0 < x < width and 0 < y < height for line in lines for x, y in line)
    print(name, [len(line) for line in lines], sorted(names), links, "inside" if inside else "OUTSIDE",
          "small" if len(text) < 20000 else "LARGE")

# Tables: all rows as wide as the head, numbers where numbers belong.
def tables_of(path):
    return dict(re.findall(r"## (\S+)\n\n(.*?)\n\n", path.read_text(), re.S))
def rows_of(tables):
    return {name: [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()] for name, text in tables.items()}
tables = tables_of(out / "ssg-tables.md")
rows = rows_of(tables)
common = ["setting", "data", *measures, "mined", "target", "variants", "growth", "wide", "owners", "suppression"]
of_real = [f"real-{x}" for x in ["data", "mined", "variants", *measures]]
print("tables:", [x for x in rows if not x.startswith("real-")] == common, [x for x in rows if x.startswith("real-")] == of_real * real)
print("wide:", all(len(r) == len(t[0]) for t in rows.values() for r in t))
more = {"setting": real, "target": 3 * real, "owners": 6 * real, "suppression": 3 * real}  # rows of Excite
for name in common:
    print(name, len(rows[name]) - 2 - more.get(name, 0))
def number(cell):
    return float(cell.replace(",", "").replace(" %", ""))
cells = [c for name in measures for r in rows[name][2:] for c in r[1:]]
print("numbers:", all(number(c) >= 0 for c in cells))

# The default setting is a point of each sweep, and the same in all.
for name in measures:
    at = {r[0]: r[1:] for r in rows[name][2:]}
    print(name, at["gap 1h"] == at["k 5"] == at["ε 6l"] and (name not in ("recall", "sdist") or at["n 100"] == at["k 5"]))

# Figures are those of the runs: looked up by the words of the table.
runs = {r["key"]: r for r in map(json.loads, open("runs_first"))}
thesis = "ssg --refine 0 --min-owners 1 --persons record --unmatched drop"
def run(method, gap, k, patterns="100", epsilon=None):
    epsilon = f" --epsilon {epsilon}" if epsilon else ""
    return runs[f"synthetic 600 {method} --gap {gap}{epsilon} -k {k} --patterns {patterns}"]
blm = {r[0]: r[1:] for r in rows["blm"][2:]}
def shown(x):
    return f"{100 * x:.1f} %"
default, bag, persons = "ssg --taxonomy wordnet", "partition --bag --persons record", "partition --bag --taxonomy wordnet"
for label, gap, k, patterns in (("gap 1m", "1m", 5, "100"), ("k 2", "1h", 2, "100"), ("k 5", "1h", 5, "100,200")):
    got = [run(m, gap, k, patterns, epsilon)["blm"]
           for m, epsilon in ((thesis, "6l"), (f"{thesis} --nearest members", "6l"), (bag, None), (default, None), (persons, None))]
    want = [*map(shown, got), f"{got[2] / got[0]:.2f}", f"{got[2] / got[1]:.2f}", f"{got[4] / got[3]:.2f}"]
    print(label, blm[label] == want)
print("epsilon 0:", blm["ε 0l"][0] == shown(run(thesis, "1h", 5, epsilon="0l")["blm"]), blm["ε 0l"][2] == blm["ε 6l"][2])

# bLM by hand: of what is not published all is lost, of what is something less than all.
for r in runs.values():
    if not r["key"].startswith("synthetic") or " mm " in r["key"] or " attack " in r["key"] or r.get("refused"):
        continue
    if not 1 - r["size"] - 1e-9 <= r["blm"] <= 1 + 1e-9:
        print("bLM:", r["key"])
# The more is known, the more is suppressed.
lost = [number(r[2]) for r in rows["suppression"][2:5]]
print("suppression:", lost == sorted(lost), lost == [float(shown(runs[f"synthetic 600 mm -p {p}"]["ncp"]).split()[0]) for p in (1, 2, 3)])
# What must hold of any data: refining what is matched and climbing never lose more, nor does what climbs lose more than LG(bag); the centre
# changes nothing of the groups.
variants = {r[0].replace("`", ""): r[2:] for r in rows["variants"][2:]}
def loss(name):
    return number(variants[name][0])
print("refined:", loss("members, --refine 20") <= loss("SSG (members)"))
print("climbed:", loss("members, --unmatched climb") <= min(loss("SSG (members)"), loss("LG(bag)")),
      loss("SSG (default)") <= min(loss("default, --unmatched drop"), loss("LG(bag), persons")))
print("centres:", loss("SSG (thesis)") == loss("thesis, --centre ancestor"), loss("SSG (members)") == loss("thesis, --centre bag"),
      loss("SSG (default)") == loss("default, --owners group"))
target = {(r[0], r[1]): r[2:] for r in rows["target"][2:]}[(f"synthetic, {rows['setting'][2][2]}", "LG(bag) / SSG (thesis)")]
ratios = [number(r[5]) for label, r in blm.items() if label not in ("k 5", "ε 6l")]
print("target:", target == [str(len(ratios)), str(sum(x >= 2 for x in ratios)), str(sum(x >= 1 for x in ratios)),
                            f"{min(ratios):.2f}", f"{max(ratios):.2f}"])
records = [int(number(r[0])) for r in rows["growth"][2:]]
print("growth:", all(0 <= n - x < 20 for n, x in zip((300, 600), records)), records[-1] == number(rows["setting"][2][2]))
small = rows_of(tables_of(pathlib.Path("small/ssg-tables.md")))
print("sessions:", int(number(small["setting"][2][2])) == records[0], len(small["growth"]) == 3)

# The page: what stands between the marks is the table, all else is as it was.
old, new = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path("page.md").read_text()
mark = re.compile(r"<!-- (\S+) -->\n(.*?)<!-- /\1 -->\n", re.S)
before = {m.group(1): m.group(2).strip() for m in mark.finditer(old)}
print("places:", set(before) == {*common, *of_real})
print("put in:", all(m.group(2).strip() == tables.get(m.group(1), before[m.group(1)]) for m in mark.finditer(new)))
print("the rest:", mark.sub("", old) == mark.sub("", new))
pictures = re.findall(r"\]\((ssg-[\w-]+\.svg)\)", old)
print("pictures:", sorted(pictures) == sorted(f"ssg-{x}.svg" for x in [*plots, "real-blm"]),
      all((pathlib.Path(sys.argv[1]).parent / x).exists() for x in pictures))
END
