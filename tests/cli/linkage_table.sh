# SPDX-License-Identifier: Apache-2.0
# tools/linkage-table, which makes the tables of docs/linkage.md, with few users.
. "$HERE/common.bash"
[ -r "${WNSEARCHDIR:-/usr/share/wordnet}/index.noun" ] || skip "WordNet is not installed"
cp "$ROOT/docs/linkage.md" page.md
cp page.md again.md
quietly "$ROOT/tools/linkage-table" -l "$LETHE" -p page.md 12 || exit
quietly "$ROOT/tools/linkage-table" -l "$LETHE" -p again.md -t 1 12 || exit
python3 - "$ROOT/docs/linkage.md" <<'END'
import pathlib, re, sys

mark = re.compile(r"<!-- (\S+) -->\n(.*?)<!-- /\1 -->\n", re.S)
old, new, again = (pathlib.Path(p).read_text() for p in (sys.argv[1], "page.md", "again.md"))


def tables(text):
    return {m[1]: [[c.strip(" *") for c in line.strip("|").split("|")] for line in m[2].splitlines()] for m in mark.finditer(text)}


def number(cell):
    return float(re.sub(r"[,%sMB ]", "", cell))


first, other = tables(new), tables(again)
print("places:", list(first))
print("the rest:", mark.sub("", old) == mark.sub("", new))
print("as wide in the page that is kept:", {k: [len(r) for r in t] for k, t in tables(old).items()} == {k: [len(r) for r in t] for k, t in first.items()})
print("wide:", all(len(r) == len(t[0]) for t in first.values() for r in t))
print("any number of threads:", all(first[k] == other[k] for k in first if k != "costs"))
print("the paper's figures:", [[r[0] or r[1]] + [c for c in r[2:6]] for r in first["shares"][2:] if r[1] == "paper"])

shares = first["shares"][2:]
here = [[number(c) for c in r[2:]] for r in shares if r[1].startswith("here")]
of = [[number(c) for c in r[2:6]] for r in shares if r[1] == "of sessions"]
print("shares:", len(here) == 6 and all(0 <= x <= 100 for r in here for x in r))
print("fewer sessions from left to right:", all(a >= b for r in of for a, b in zip(r, r[1:])))
sessions = [number(r[2]) for r in first["sessions"][2:]]
print("no more than there are:", all(r[0] <= n for n, two in zip(sessions, zip(of[::2], of[1::2])) for r in two))
print("more as the paper counts:", all(a[3] >= b[3] for a, b in zip(of[::2], of[1::2])))
first_results = [[number(c) for c in r[1:]] for r in first["first"][2:]]
print("first results:", all(0 <= x <= 100 for r in first_results for x in r[:5]), [r[5] for r in first_results] <= sessions)
print("users:", first["log"][2][2].split(" ")[0], all(abs(number(r[4]) - n / 12) < 0.06 for r, n in zip(first["sessions"][2:], sessions)))
for by, m_paper, m, k_paper, k, _, ratio, recovery, optimal in first["ratios"][2:]:
    m, k, recovery, optimal = map(number, (m, k, recovery, optimal))
    print(by, 1 <= m <= k, 0 < optimal <= recovery <= 1, abs(m / k - number(ratio)) < 0.02)
print("costs:", all(number(c) >= 0 for r in first["costs"][2:] for c in r[1:]))
END
# Misuse, and a page that has no place for the tables.
"$ROOT/tools/linkage-table" -l "$LETHE" -p page.md 12 12
echo "= $?"
"$ROOT/tools/linkage-table" -l "$LETHE" -p page.md none
echo "= $?"
echo nothing >bare.md
"$ROOT/tools/linkage-table" -l "$LETHE" -p bare.md 12
echo "= $?"
cat bare.md
holds again.md bare.md page.md
