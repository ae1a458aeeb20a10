# SPDX-License-Identifier: Apache-2.0
# tools/microagg-tables, which makes the tables and plots of docs/microagg.md, on small data.
. "$HERE/common.bash"
dictionary=${WNSEARCHDIR:-/usr/share/wordnet}
[ -r "$dictionary/index.noun" ] || skip "WordNet is not installed"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/excite-small.log.zst" ] || data=
cp "$ROOT/docs/microagg.md" page.md
quietly "$ROOT/tools/microagg-tables" --quick --lethe "$LETHE" --data "$data" -o out --page page.md --keep runs || exit
# A run that is kept is not made again, and gives the same.
cp -r out first
cp runs runs_first
quietly "$ROOT/tools/microagg-tables" --quick --lethe "$LETHE" --data "$data" -o out --keep runs || exit
cmp runs_first runs
diff -r first out
# SRP that is not the release's is found out.
cat >liar <<'END'
#!/usr/bin/python3
import json, os, subprocess, sys
done = subprocess.run([os.environ["LETHE"], *sys.argv[1:]], stdout=subprocess.PIPE)
if sys.argv[1] == "microagg" and done.returncode == 0:
    answer = json.loads(done.stdout)
    answer["metrics"]["srp"][2] += 0.001
    done.stdout = json.dumps(answer).encode()
sys.stdout.buffer.write(done.stdout)
sys.exit(done.returncode)
END
chmod +x liar
grep -v 'by class' runs_first >runs
"$ROOT/tools/microagg-tables" --quick --lethe ./liar --data "$data" -o lies --keep runs 2>&1 | sed 's/[0-9]*\.[0-9]*/X/g'
[ ! -e lies ] || echo "tables of lies"
python3 - "$ROOT/docs/microagg.md" "$data" <<'END'
import json, pathlib, re, sys
import xml.etree.ElementTree as tree

real = bool(sys.argv[2])
out = pathlib.Path("out")
plots = ["classified", "srp", "kinds", "classes", "time", "growth"]
need = {f"microagg-{x}.svg" for x in plots + ["real-srp"] * real} | {"microagg-tables.md"}
print("files:", sorted(x.name for x in out.iterdir()) == sorted(need))

# Plots: well formed, nothing that runs or is fetched, inside the picture.
for name in plots:
    text = (out / f"microagg-{name}.svg").read_text()
    root = tree.fromstring(text)
    names = {x.tag.split("}")[1] for x in root.iter()}
    links = re.findall(r"href|url\(|@import|<script|on\w+=|https?://(?!www\.w3\.org/2000/svg)", text)
    width, height = float(root.get("width")), float(root.get("height"))
    lines = [[tuple(map(float, p.split(","))) for p in x.get("points").split()] for x in root.iter() if x.tag.endswith("polyline")]
    inside = all(0 < x < width and 0 < y < height for line in lines for x, y in line)
    per_log = 1 + real if name == "classified" else 1
    print(name, len(lines) / per_log, {len(line) for line in lines}, names <= {"circle", "path", "polyline", "rect", "style", "svg", "text", "title"},
          links, "inside" if inside else "OUTSIDE", "small" if len(text) < 20000 else "LARGE")

# Tables: all rows as wide as the head.
tables = dict(re.findall(r"## (\S+)\n\n(.*?)\n\n", (out / "microagg-tables.md").read_text(), re.S))
rows = {name: [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()] for name, text in tables.items()}
common = ["setting", "classified", "lists", "srp", "volume", "cumulative", "depth", "seeds", "target", "classes", "within", "default", "default-volume", "labels", "kept",
          "classes-common", "directories", "time", "growth"]
of_real = ["real-srp", "real-heavy", "real-default", "real-labels"]
print("tables:", [x for x in rows if x in common] == common, [x for x in rows if x not in common] == of_real * real)
print("wide:", all(len(r) == len(t[0]) for t in rows.values() for r in t))
double = ("setting", "classified", "lists", "target", "kept")  # Excite as well
for name in common:
    if name != "directories":
        print(name, (len(rows[name]) - 2) // (1 + real if name in double else 1))
print("real:", not real or [len(rows[x]) - 2 for x in of_real] == [4, 2, 4, 4])
found = {r[1] for r in rows["directories"][2:]}
print("directories:", "WordNet" in found, not real or {"Roget 1911", "WordNet Domains", "Open Directory, some names"} <= found)

# Figures are those of the runs.
runs = {r["key"]: r for r in map(json.loads, open("runs_first"))}
def run(options, k, c=5, name="synthetic 100", l=5, seed=1):
    return runs[" ".join([name, f"--categories {c} --levels {l}", *([options] if options else []), f"-k {k} --seed {seed}"])]
paper, chance = "--list paper --min-users 1 --no-scrub", "--cluster random"
def pair(options, k, c, figure="srp"):
    a, b = (run(x, k, c).get(figure, [0] * 5) for x in (options, f"{options} {chance}".strip()))
    return [f"{100 * x:.1f} / {100 * y:.1f}" for x, y in zip(a, b)]
for name, options, figure in (("srp", paper, "srp"), ("volume", paper, "srp_volume"), ("default-volume", "", "srp_volume"), ("cumulative", paper, "srp_cumulative"), ("default", "", "srp"), ("labels", "--synthetic", "srp")):
    want = [[str(c), str(k), f"{100 / k:.1f}", *pair(options, k, c, figure)] for c in (1, 5) for k in (2, 5)]
    print(name, rows[name][2:] == want)
for row, name in ((2, "classified_queries"), (4, "classified")):
    print(name, rows["classified"][row][3:] == [f"{100 * x:.1f} %" for x in run(paper, 5, 1, l=10)[name]])
for row, options in ((2, "--list paper --min-users 1"), (7, "--list coverage --min-users 3")):
    f = run(options, 5)
    print("lists:", rows["lists"][row][6:] == [f"{100 * x:.1f} / {100 * y:.1f}" for x, y in zip(f["srp"], f["srp_volume"])])
    print("words:", rows["lists"][row][5] == f"{f['words']:.2f}")
print("covers:", all(run(f"--list coverage --min-users {n}", 5)["srp"] > run(f"--list paper --min-users {n}", 5).get("srp", []) for n in (1, 2, 3)))
settings = [(1 / k, s, r) for k in (2, 5) for s, r in zip(run(paper, k)["srp"], run(f"{paper} {chance}", k)["srp"])]
target = {(r[0], r[1], r[2]): r[3:7] for r in rows["target"][2:]}[("synthetic", "paper", "5")]
print("target:", target == [str(len(settings)), *(str(sum(x)) for x in ([s > b for b, s, r in settings], [r > b for b, s, r in settings], [s > r for b, s, r in settings]))])

# What must hold of any data.
print("levels:", all(a >= b for r in runs.values() if "classified" in r for a, b in zip(r["classified"], r["classified"][1:])))
print("shares:", all(0 <= x <= 1 for r in runs.values() for n in ("srp", "srp_volume", "srp_cumulative", "classified", "classified_queries") for x in r.get(n, []) if x is not None))
print("first level:", all(r["srp"][0] == r["srp_cumulative"][0] for r in runs.values() if "srp" in r))
print("depth:", all(r[3] == rows["srp"][2 + i][7].split(" / ")[0] + " %" for i, r in enumerate(rows["depth"][2:])))
# Classes: the means over users of what a class has are those of all; lists of similar groups are no longer than what was asked.
for how in (paper, f"{paper} {chance}", "--no-scrub"):
    classes = runs[f"synthetic 100 by class {how}"]["classes"]
    whole = run(how, 5) if how != "--no-scrub" else None
    print("by class:", sum(c["users"] for c in classes) == 100, [c["queries"] for c in classes] == sorted(c["queries"] for c in classes),
          whole is None or abs(sum(c["users"] * c["list"] for c in classes) - whole["rows_out"]) < 1e-6)
print("growth:", [r[0] for r in rows["growth"][2:]] == ["100", "200"], all(int(r[4].split()[0]) > 0 for r in rows["growth"][2:]))
heavy = rows["real-heavy"][2:] if real else [[4, 2, 1], [4, 1, 2]]
print("heavy:", int(heavy[0][1]) > int(heavy[1][1]), float(heavy[0][2]) < float(heavy[1][2]))

# The page: what stands between the marks is the table, all else is as it was.
old, new = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path("page.md").read_text()
mark = re.compile(r"<!-- (\S+) -->\n(.*?)<!-- /\1 -->\n", re.S)
before = {m.group(1): m.group(2).strip() for m in mark.finditer(old)}
print("places:", set(before) == {*common, *of_real})
print("put in:", all(m.group(2).strip() == tables.get(m.group(1), before[m.group(1)]) for m in mark.finditer(new)))
print("the rest:", mark.sub("", old) == mark.sub("", new))
pictures = re.findall(r"\]\((microagg-[\w-]+\.svg)\)", old)
print("pictures:", sorted(pictures) == sorted(f"microagg-{x}.svg" for x in [*plots, "real-srp"]),
      all((pathlib.Path(sys.argv[1]).parent / x).exists() for x in pictures))
END
