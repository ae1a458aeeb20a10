# Persons and places: the program against tools/names_model.py, which is a second implementation, on texts made at random; how
# many are found in tests/data/names/labelled.txt; a release, a stream, and any number of threads decide alike.
header='AnonID	Query	QueryTime	ItemRank	ClickURL'

cat >oracle.py <<'PY'
import os, random, re, subprocess, sys
sys.path.insert(0, os.path.join(os.environ["ROOT"], "tools"))
import names_model as model

KINDS = {model.PERSON: "[person]", model.PLACE: "[place]"}


def masked(m, text):
    while findings := m.findings(text):
        out, at = "", 0
        for begin, end, kind in findings:
            out, at = out + text[at:begin] + KINDS[kind], end
        text = out + text[at:]
    return text


def scrub(texts):
    with open("texts.tsv", "w", encoding="utf-8") as f:
        f.write("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n")
        f.writelines(f"{k}\t{text}\t2006-03-01 10:00:00\t\t\n" for k, text in enumerate(texts))
    out = subprocess.run([os.environ["LETHE"], "scrub", "texts.tsv", "--kinds", "person,place", "-o", "-"], capture_output=True, check=True)
    return [line.split("\t")[1] for line in out.stdout.decode().splitlines()[1:]]


def labelled(line):
    text, spans = "", []
    for part in re.split(r"(\{[^}]*\}|<[^>]*>)", line):
        if part[:1] in ("{", "<"):
            spans.append((len(text), len(text) + len(part) - 2, model.PERSON if part[0] == "{" else model.PLACE))
            part = part[1:-1]
        text += part
    return text, spans


rng = random.Random(7)
m = model.read_model()
known = sorted(m.names.table)
common = sorted(w for w, levels in m.names.table.items() if levels[3] > 6)
first = sorted(w for w, levels in m.names.table.items() if levels[0] > 6)
last = sorted(w for w, levels in m.names.table.items() if levels[1] > 6)
towns = sorted(w for w, levels in m.names.table.items() if levels[2] > 3)
signs = [" ", " ", " ", " ", " ", " ", ", ", ". ", "-", "'s ", "\u2019s ", "'", "\u201c", "\u2013", "é", "ł", "[ssn]", "[person]", "_", "@", ".", "x1",
         "/", "=", " (", ") ", ": ", " j. ", " 12 ", " 日本 ", "'s"]


def text():
    out = ""
    for _ in range(rng.randrange(1, 9)):
        words = rng.choice([known, common, common, first, last, towns, list(m.names.context)])
        out += rng.choice(words) + rng.choice(signs if rng.random() < 0.4 else [" "])
    return model.normal(out) or "x"


texts = [text() for _ in range(4000)]
got = scrub(texts)
want = [masked(m, t) for t in texts]
wrong = [(t, a, b) for t, a, b in zip(texts, got, want) if a != b]
for t, a, b in wrong[:5]:
    print(f"{t!r} becomes {a!r}, by the model {b!r}")
print(f"texts that both mask alike: {len(texts) - len(wrong)} of {len(texts)}; with a finding:",
      "many" if sum("[p" in a for a in got) > 1000 else "few")

rows = [labelled(line.rstrip("\n")) for line in open(os.path.join(os.environ["ROOT"], "tests/data/names/labelled.txt"), encoding="utf-8")
        if not line.startswith("#")]
assert [t for t, _ in rows] == [model.normal(t) for t, _ in rows]
assert scrub([t for t, _ in rows]) == [masked(m, t) for t, _ in rows]
for kind, name, least in ((model.PERSON, "persons", 0.9), (model.PLACE, "places", 0.85)):
    spans = found = recalled = right = 0
    for t, labels in rows:
        labels = [s for s in labels if s[2] == kind]
        findings = [f for f in m.findings(t) if f[2] == kind]
        touch = lambda a, b: a[0] < b[1] and b[0] < a[1]
        spans, found = spans + len(labels), found + len(findings)
        recalled += sum(any(touch(f, s) for f in findings) for s in labels)
        right += sum(any(touch(f, s) for s in labels) for f in findings)
    print(f"{name}: recall at least {least}:", recalled >= least * spans, f"precision at least {least}:", right >= least * found)
PY
python3 oracle.py

echo "--- a release, a stream and any number of threads"
cat >log.tsv <<EOF
$header
1	barbara kowalski milwaukee	2006-03-01 10:00:00	1	http://www.example.com/barbara-kowalski
2	weather in salt lake city, ut	2006-03-01 10:00:00		
3	how to bake bread	2006-03-01 10:00:00		
4	letter to mr. o'brien 212-555-0187	2006-03-01 10:00:00		
5	barbara kowalski's shop	2006-03-01 10:00:00		
EOF
kinds=phone,person,place
lethe scrub log.tsv --kinds $kinds --keep-users --time exact --urls keep -o - 2>/dev/null | tail -n +2 | cut -f2,5
for threads in 1 2 7; do
    lethe scrub log.tsv --kinds $kinds --seed 1 --threads $threads --urls keep -o rel$threads >/dev/null 2>&1
    lethe verify rel$threads | tail -n 1
done
cmp rel1/data.tsv rel2/data.tsv && cmp rel1/data.tsv rel7/data.tsv && cut -f2 rel1/data.tsv | tail -n +2 | sort
lethe scrub log.tsv --kinds $kinds -o - 2>/dev/null | tail -n +2 | cut -f2 | sort >stream
cut -f2 rel1/data.tsv | tail -n +2 | sort | cmp - stream && echo "the stream is the release"
lethe scrub log.tsv --kinds person --then scrub --kinds place,phone -o - 2>/dev/null | tail -n +2 | cut -f2

echo "--- names that were put back are noticed"
sed -i 's/\[person\]/barbara kowalski/' rel1/data.tsv
lethe verify rel1 >/dev/null 2>&1
echo "verify exits with $?"

echo "--- the default does not look for names"
lethe scrub log.tsv -o - 2>/dev/null | tail -n +2 | cut -f2

echo "--- caveats"
grep -o '"[^"]*are recognized[^"]*"' rel2/manifest.json
