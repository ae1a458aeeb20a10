# SPDX-License-Identifier: Apache-2.0
# tools/lplus-tables, which makes the tables and plots of docs/lplus.md, on a small part of Adult.
. "$HERE/common.bash"
data=${LETHE_DATA:-$ROOT/../shared/data}
[ -r "$data/adult_complete_45222.csv.zst" ] || skip "Adult is not there"
cp "$ROOT/docs/lplus.md" page.md
make() { "$ROOT/tools/lplus-tables" --quick --steps 300 --data "$data" "$@"; }
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
if sys.argv[1] == "lplus" and done.returncode == 0:
    answer = json.loads(done.stdout)
    answer["metrics"]["cost"] += 1
    print(json.dumps(answer))
else:
    sys.stdout.write(done.stdout)
sys.exit(done.returncode)
END
chmod +x liar
make --lethe ./liar -o lies 2>&1 | sed 's/[0-9.]*[0-9], and [0-9.]* /X, and Y /'
echo "--- so does one that cannot be right beside others"
python3 - <<'END'
import json
lines = [json.loads(line) for line in open("runs")]
dear = next(x for x in lines if " lplus LM --theta 1/2 --suppress allRec" in x["key"])
dear["cost"] *= 100
open("wrong", "w").writelines(json.dumps(x) + "\n" for x in lines)
END
make --lethe "$LETHE" -o lies --keep wrong 2>&1 | sed 's/[0-9.]*[0-9] is more than [0-9.]*/X is more than Y/'
python3 - <<'END'
import pathlib, re
import xml.etree.ElementTree as tree

text = pathlib.Path("out/lplus-tables.md").read_text()
tables = dict(re.findall(r"^## (\S+)\n\n(.*?)(?=\n\n## |\Z)", text, re.S | re.M))
def rows(part):
    return [[c.strip() for c in line.strip("|").split("|")] for line in part.strip().splitlines()]
drawn = sorted(x.name for x in pathlib.Path("out").glob("*.svg"))
print("plots:", drawn)
print("tables:", {name: len(re.findall(r"^\|---", t, re.M)) for name, t in tables.items()})
page = pathlib.Path("page.md").read_text()
print("page:", all(t.strip() in page for t in tables.values()), [x for x in drawn if x not in page])

def share(cell):
    return float(cell.removesuffix("†").removesuffix(" %"))
for kind in ("uniform", "frequency"):
    for part in re.findall(r"\|.*?(?=\n\n|\Z)", tables[kind], re.S):
        head, _, *body = rows(part)
        order = [share(r[1]) >= share(r[2]) >= share(r[3]) for r in body] if kind == "uniform" else ""
        print(kind, head[1:6], "†" in part, "none" in part, order)
print("cuts:", [r[1] for r in rows(tables["granularity"])[2:]], [r[2] for r in rows(tables["qi"])[2:]])
print("rows:", [r[0] for r in rows(tables["growth"])[2:]])
for name in drawn:
    text = pathlib.Path("out", name).read_text()
    lines = [x.get("points").split() for x in tree.fromstring(text).iter() if x.tag.endswith("polyline")]
    print(name, len(lines), re.findall(r"href|url\(|@import|<script|on\w+=|https?://(?!www\.w3\.org/2000/svg)", text))
END
