# SPDX-License-Identifier: Apache-2.0
# The page about a table: what was lost, how rows look alike, values before and after, risk; and what is
# missing where hierarchies are.
. "$HERE/common.bash"
awk 'BEGIN {
    s = 11
    print "age,town,ill,part"
    for (i = 0; i < 300; i++) {
        for (j = 0; j < 4; j++) { s = (s * 69069 + 1) % 16777216; r[j] = int(s / 256) }
        print r[0] % 60 + 18 ",t" r[1] % 6 ",ill" r[2] % 4 "," (r[3] % 3 ? "train" : "test")
    }
}' >t.csv
mkdir h
seq 0 5 | awk '{print "t" $1 ";g" int($1 / 2) ";<b>all</b>"}' >h/town.csv

# look FILE: well-formed, plots as told, and the words of the first screen and of some sections.
look() {
    python3 - "$1" <<'PY'
import re, sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
def text(e):
    return e.data if e.nodeType == e.TEXT_NODE else "".join(text(c) for c in e.childNodes)
def words(e):
    return re.sub(r"\s+", " ", text(e)).strip()
plots = [x for x in page.getElementsByTagName("svg") if x.getAttribute("role") == "img"]
assert len(plots) == int(page.getElementsByTagName("footer")[0].getAttribute("data-plots"))
for facts in page.getElementsByTagName("ul"):
    if facts.getAttribute("class") == "facts":
        for li in facts.getElementsByTagName("li"):
            print("fact:", " | ".join(words(c) for c in li.childNodes))
print("plots:", ", ".join(words(x.getElementsByTagName("title")[0]) for x in plots))
for h in page.getElementsByTagName("h3"):
    name = words(h)
    at = h.nextSibling
    while at and (at.nodeType != at.ELEMENT_NODE or at.tagName not in ("p", "figure", "ul")):
        at = at.nextSibling
    if name in ("What was lost", "How many rows look alike", "How likely a row is to be found", "Values before and after",
                "What a classifier still learns", "What could not be computed", "Rows look alike"):
        if at.tagName == "figure":
            at = at.getElementsByTagName("figcaption")[0].getElementsByTagName("p")[0]
        print(f"{name}: {words(at)}")
for table in page.getElementsByTagName("table"):
    if words(table.getElementsByTagName("caption")[0]) == "Rows by value":
        for row in table.getElementsByTagName("tr")[:5]:
            print("row:", " | ".join(words(c) for c in row.childNodes if c.nodeType == c.ELEMENT_NODE))
for section in page.getElementsByTagName("section"):
    if section.getAttribute("aria-labelledby") == "attacks":
        print("attacks:", words(section.getElementsByTagName("p")[0])[:200])
PY
}

quietly lethe lplus t.csv --qi age,town --class ill --keep part --hierarchies h --ranges age=5,10,20,40 -k 2 -o rel --map rel.map
run lethe report rel --original t.csv -o a.html -q
look a.html
run lethe report rel --original t.csv --hierarchies h --train-column part -o b.html -q
look b.html
echo "--- what is below general values is the owner's secret"
quietly lethe lplus t.csv --qi age,town --hierarchies h --ranges age=5,10,20,40 -k 30 -o gen
run lethe report gen --original t.csv -o g.html -q
look g.html
echo "--- groups that overlap"
quietly lethe local t.csv --qi age,town --sa ill --hierarchies h --ranges age=values -k 5 --seed 1 -o loc --map loc.map
run lethe report loc --original t.csv --map loc.map -o c.html -q
look c.html | sed '/^row:/d; s/[0-9][0-9.,]*\b/N/g' # how it groups rows is its own affair
run lethe report loc -o d.html -q
look d.html | sed 's/[0-9.]* %\( | of\)/N %\1/'
run lethe report loc --hierarchies h -o e.html
holds a.html b.html c.html d.html g.html gen h loc loc.map rel rel.map t.csv
echo "--- the page of a release: what is promised, lost and at risk, as the manifest has it"
quietly lethe local t.csv --qi age,town --sa ill --hierarchies h --ranges age=5,10,20,40 -k 5 --distinct-l 2 --seed 1 --report -o own
look own/report.html | grep fact: | sed 's/[0-9.]* %\( | of\)/N %\1/'
quietly lethe lplus t.csv --qi age,town --sa ill --hierarchies h --ranges age=5,10,20,40 --theta 1/3 --report -o third
look third/report.html | grep fact:
# a loose limit must not be called a strict one
quietly lethe local t.csv --qi age,town --sa ill --hierarchies h --ranges age=5,10,20,40 -k 5 --t-closeness 0.9 --report -o loose
grep -o 'Groups resemble[^<]*' loose/report.html | head -n 1
grep -c 'little more' loose/report.html || true
