# SPDX-License-Identifier: Apache-2.0
# tools/clump-tables, which makes the tables and plots of docs/clump.md, on small data.
. "$HERE/common.bash"
dictionary=${WNSEARCHDIR:-/usr/share/wordnet}
[ -r "$dictionary/index.noun" ] || skip "WordNet is not installed"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/groceries.dat.zst" ] && [ -r "$data/excite-small.log.zst" ] || data=
cp "$ROOT/docs/clump.md" page.md
quietly "$ROOT/tools/clump-tables" --quick --lethe "$LETHE" --data "$data" -o out --page page.md --keep runs || exit
# A run that is kept is not made again, and gives the same.
cp -r out first
cp runs runs_first
quietly "$ROOT/tools/clump-tables" --quick --lethe "$LETHE" --data "$data" -o out --keep runs || exit
cmp runs_first runs
diff -r first out
python3 - "$ROOT/docs/clump.md" "$data" <<'END'
import pathlib, re, sys
import xml.etree.ElementTree as tree

real = bool(sys.argv[2])
out = pathlib.Path("out")
need = {f"clump-{x}.svg" for x in ("loss", "length", "level", "r", "time")} | {"clump-tables.md"}
print("files:", sorted(x.name for x in out.iterdir()) == sorted(need))

# Plots: well formed, nothing that runs or is fetched, a point for each value, inside the picture.
for path in sorted(out.glob("*.svg")):
    text = path.read_text()
    root = tree.fromstring(text)
    names = {x.tag.split("}")[1] for x in root.iter()}
    links = re.findall(r"href|url\(|@import|<script|on\w+=|https?://(?!www\.w3\.org/2000/svg)", text)
    width, height = float(root.get("width")), float(root.get("height"))
    lines = [[tuple(map(float, p.split(","))) for p in x.get("points").split()] for x in root.iter() if x.tag.endswith("polyline")]
    inside = all(0 < x < width and 0 < y < height for line in lines for x, y in line)
    print(path.name, len(lines), "lines of", {len(line) for line in lines}, sorted(names), links, "inside" if inside else "OUTSIDE",
          "small" if len(text) < 20000 else "LARGE")

# Tables: all rows as wide as the head, numbers where numbers belong.
tables = dict(re.findall(r"## (\S+)\n\n(.*?)\n\n", (out / "clump-tables.md").read_text(), re.S))
rows = {name: [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()] for name, text in tables.items()}
common = ["density", "loss", "length", "level", "time", "starts", "r", "orders", "background"]
print("tables:", [x for x in rows if not x.startswith("real-")] == common, len(rows) == len(common) + 4 * real)
print("wide:", all(len(r) == len(t[0]) for t in rows.values() for r in t))
for name in ("density", "loss", "length", "level", "starts", "orders"):
    print(name, len(rows[name]) - 2)
def number(cell):
    return float(cell.replace(",", "").replace(" %", "").replace("\u2212", "-"))
cells = [c for name in ("loss", "length", "level", "time", "density") for r in rows[name][2:] for c in r]
print("numbers:", all(number(c) == number(c) for c in cells))

# What must hold of any data: Clump2 publishes less than Clump1, refining never loses more.
loss = {tuple(r[:2]): dict(zip(rows["loss"][0][2:], map(number, r[2:]))) for r in rows["loss"][2:]}
length = {tuple(r[:2]): dict(zip(rows["length"][0][2:], map(number, r[2:]))) for r in rows["length"][2:]}
print("Clump2:", all(v["Clump2"] <= v["Clump1"] for v in length.values()), all(v["Clump2"] >= v["Clump1"] for v in loss.values()))
print("refined:", all(v["Clump1, refined"] <= v["Clump1"] for v in loss.values()))
print("at most all:", all(0 <= v[m] <= 100 for v in loss.values() for m in ("Clump1", "Clump2", "Partition", "default")))

# The density is checked by hand: items over records times leaves.
for records, mean, leaves, density in rows["density"][2:]:
    print(records, abs(number(mean) / number(leaves) * 100 - number(density)) < 0.01)

# The page: what stands between the marks is the table, all else is as it was.
old, new = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path("page.md").read_text()
mark = re.compile(r"<!-- (\S+) -->\n(.*?)<!-- /\1 -->\n", re.S)
print("places:", {m.group(1) for m in mark.finditer(old)} == {*common, "real-loss", "real-length", "real-level", "real-density"})
print("put in:", all(m.group(2).strip() == tables.get(m.group(1), dict((x.group(1), x.group(2).strip()) for x in mark.finditer(old))[m.group(1)])
                     for m in mark.finditer(new)))
print("the rest:", mark.sub("", old) == mark.sub("", new))
pictures = re.findall(r"\]\((clump-\w+\.svg)\)", old)
print("pictures:", sorted(pictures) == sorted(x.name for x in out.glob("*.svg")),
      all((pathlib.Path(sys.argv[1]).parent / x).exists() for x in pictures))
END
