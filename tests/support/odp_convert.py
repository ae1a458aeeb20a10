# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/odp-convert, for tests/cli/odp_convert.sh: python3 odp_convert.py ROOT.  Prints what failed."""
import bz2
import gzip
import hashlib
import importlib.machinery
import importlib.util
import io
import lzma
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = sys.argv[1]
SCRIPT = f"{ROOT}/tools/odp-convert"
loader = importlib.machinery.SourceFileLoader("odp_convert", SCRIPT)
odp = importlib.util.module_from_spec(importlib.util.spec_from_loader("odp_convert", loader))
loader.exec_module(odp)


def check(ok, *what):
    if not ok:
        print("failed:", *what)


def data(name):
    return f"{ROOT}/tests/data/odp/{name}"


def converted(text):
    """Term to categories, in the script's own process; text is str or bytes."""
    converter, out = odp.Converter(), io.BytesIO()
    odp.Reader("memory", converter.entry).read(io.BytesIO(text if isinstance(text, bytes) else text.encode()))
    converter.end("memory", out)
    found = {}
    for line in out.getvalue().decode().splitlines():
        term, path = line.split("\t")
        found.setdefault(term, []).append(path)
    return found


def run(*names, stdin=b""):
    """Exit status, standard output, standard error."""
    done = subprocess.run([SCRIPT, *names], input=stdin, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rdf(inner):
    return f"<RDF>{inner}</RDF>"


def topic(path):
    return f'<Topic r:id="{path}"/>'


def page(path, title, text=""):
    return (f'<ExternalPage about="u"><d:Title>{title}</d:Title><d:Description>{text}</d:Description>'
            f"<topic>{path}</topic></ExternalPage>")


def unplaced(title):
    return f"<ExternalPage about='u'><d:Title>{title}</d:Title></ExternalPage>"


# --- what is found, and in which order ---

MATCHES = rdf(topic("Top/W") + page("Top/A", "w w w", "w w w")  # A: 2
              + page("Top/B", "x", "w") + page("Top/B", "", "W!") + page("Top/B", "x")  # B: 2
              + page("Top/C", "w", "x") + page("Top/C", "w", "y") + page("Top/C", "y", "w")  # C: 5
              + page("Top/D/w_v", "x") + page("Top/D", "", "w"))  # D/w_v: 8, D: 1
DESCRIBED = rdf("<Topic r:id='Top/A'><d:Title>a</d:Title></Topic><Topic r:id='Top/A'><d:Description>w v</d:Description></Topic>"
                "<Topic r:id='Top/A'><d:Description>w u</d:Description></Topic><Topic r:id='Top/A'><d:Title>t</d:Title></Topic>"
                "<Topic r:id='Top/B'><d:Title>A</d:Title><d:Title>w</d:Title><d:Description>w</d:Description></Topic>")
ONCE = rdf("<Topic r:id='Top/w'><d:Description>w v</d:Description></Topic>"
           "<Topic r:id='Top/w'><d:Title>w</d:Title><d:Description>v</d:Description></Topic>"
           "<Topic r:id='Top/w'><d:Description>v</d:Description></Topic>" + page("Top/v9", "v")
           + 4 * page("Top/w9", "w") + page("Top/w9", "", "w"))
SPELLINGS = rdf("<Topic r:id='Top/A\nB'/>" + page("Top/A\nB", "one") + page("/Top/A B/", "two") + page("\n Top\t/ A&#10;B", "three")
                + page(" / / Top / A B ", "four") + page("A\x01B", "five"))
PLACES = rdf("<ExternalPage><d:Title>w</d:Title><topic>Top/A</topic><topic>Top/B</topic></ExternalPage>"
             "<ExternalPage><topic> </topic><d:Title>v</d:Title><topic>Top/B</topic></ExternalPage>"
             + topic("Top/C") + "<ExternalPage><d:Title>u</d:Title><topic>\n</topic></ExternalPage>")
ESCAPES = rdf("<!-- & < ]]> -->" + page("Top/A", "<![CDATA[one & two < three]]> & four", "five ]]> six<br/>seven<b>eight</b>nine"))
OTHERS = rdf(page("Top/A", "one <b>two</b> three", "<![CDATA[four]]>") + "<Other><d:Title>no</d:Title></Other>text")
LONG = "w" * 255
UNPLACED = rdf(unplaced("lost") + topic("Top/A") + unplaced("w") + topic("Top") + unplaced("lost") + page(" Top / B //C/", "v"))
FOUND = [
    ("matches", MATCHES, {"w": "D/w_v | W | C | A | B | D", "x": "B | D/w_v | C", "v": "D/w_v"}),
    ("equal scores go by path, part by part", rdf(page("Top/B", "w") + page("Top/A B", "w") + page("Top/A/z", "w") + page("Top/A", "w")),
     {"w": "A | A/z | A B | B"}),
    ("several descriptions of a category", DESCRIBED, {"w": "B | A", "v": "A", "u": "A", "t": "A", "a": "A | B"}),
    ("a category counts once for itself", ONCE, {"w": "w9 | w", "v": "v9 | w"}),
    ("a path is one however it is written", SPELLINGS, dict.fromkeys(("one", "two", "three", "four", "five", "a", "b"), "A B")),
    ("a page stands in one place", PLACES, {"w": "A", "v": "B", "u": "C"}),
    ("nothing is escaped twice", ESCAPES,
     dict.fromkeys(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), "A") | {"amp": "", "lt": ""}),
    ("elements inside of texts", OTHERS, dict.fromkeys(("one", "two", "three", "four"), "A") | {"no": "", "text": ""}),
    ("masks and long words", rdf(page("Top/A", f"[ssn] {LONG} w{LONG}")), {"[ssn]": "", "ssn": "", LONG: "A", "w" + LONG: ""}),
    ("pages that do not say where they stand", UNPLACED, {"w": "A", "v": "B/C", "lost": ""}),
    ("normal forms", rdf(page("Top/A", "STRASSE straße \ufb01n ΣΟΦΟΣ so\u00adft e\u0301 \u1f80 o\u2019brien f.c. -x- a--b")),
     dict.fromkeys(("strasse", "fin", "σοφοσ", "soft", "\u00e9", "\u1f00\u03b9", "o\u2019brien", "f.c", "x", "a", "b"), "A")
     | {"f.c.": "", "a--b": ""}),
]


def test_found():
    for name, text, terms in FOUND:
        found = converted(text)
        for term, want in terms.items():
            check(" | ".join(found.get(term, ())) == want, name, ascii(term), found.get(term))
    many = converted(rdf("".join(page(f"Top/C{i:03}", "w" if i >= 75 else "", "w") for i in range(150))))["w"]
    check(many == [f"C{i:03}" for i in (*range(75, 150), *range(25))], "the best 100 are kept", many)


def test_files():
    """Files of either order, compressed, from standard input, with defects; and what the script says."""
    both = run(data("content.rdf"), data("structure.rdf"))
    check(both == (0, open(data("directory.tsv"), encoding="utf-8").read(), ""), "content and structure")
    check(run(data("structure.rdf"), data("content.rdf")) == both, "which file comes first does not matter")
    content = open(data("content.rdf"), "rb").read()
    for compress in gzip.compress, bz2.compress, lzma.compress:
        open("packed", "wb").write(compress(content))
        check(run("packed", data("structure.rdf")) == both, compress)
    check(run("-", data("structure.rdf"), stdin=content) == both, "standard input")
    defects = run(data("defects.rdf"))
    check(defects[1] == open(data("defects.tsv"), encoding="utf-8").read(), "defects")
    check(defects[2].endswith("defects.rdf': 22 bad characters repaired\n"), "a note counts repairs")
    check(run("-", stdin=UNPLACED.encode())[2] == "odp-convert: 2 pages are in no category and are left out\n", "a note counts pages")
    os.symlink(data("content.rdf"), "link")
    for names in ((data("content.rdf"),) * 2, (data("content.rdf"), "link"), ("-", "-")):
        check(run(*names)[0] == 2 and "are one file" in run(*names)[2], names)
    open("packed", "wb").write(gzip.compress(content)[:-20])
    for names, status in (((), 2), (("a", "b", "c"), 2), (("/nowhere",), 4), (("packed",), 4), ((data("content.rdf"), "/nowhere"), 4)):
        check(run(*names)[:2] == (status, ""), names, run(*names))
    open("bad", "w").write('<RDF>\n<Topic r:id="Top/A">\n</RDF>\n')
    check(run(data("content.rdf"), "bad") == (3, "", "odp-convert: bad:3: not well-formed: mismatched tag\n"), "faults name their file")


# --- what is refused ---

DOCTYPE = "a document type declaration, which no file of the Open Directory has"
REFUSED = [
    ("", 1, "not well-formed: no element found"),
    ("no xml", 1, "not well-formed: syntax error"),
    (f"<RDF>\n{topic('Top/A')}\n", 3, "not well-formed: no element found"),
    ("<RDF>\n<Topic>\n</RDF>", 3, "not well-formed: mismatched tag"),
    ("<RDF>\n<Topic r:id='a' r:id='b'/></RDF>", 2, "not well-formed: duplicate attribute"),
    (rdf("\n<Topic r:id='<a'/>"), 2, "not well-formed: invalid token"),
    (b"\xff\xfe<\0R\0", 1, "not well-formed: invalid token"),
    ("<RDF></RDF>\n<RDF/>", 2, "not well-formed: junk after document element"),
    ("<html></html>", 1, "not a file of the Open Directory: it does not begin with RDF"),
    ("<!DOCTYPE RDF [<!ENTITY a 'b'>]>\n<RDF>&a;</RDF>", 1, DOCTYPE),
    ("<!DOCTYPE RDF SYSTEM 'file:///etc/passwd'>\n<RDF/>", 1, DOCTYPE),
    ("<RDF>" + 64 * "<a>", 1, "elements too deep in one another"),
    (rdf(f'<Topic r:id="Top{10001 * "/x"}"/>'), 1, "a path of too many levels"),
    (rdf(f'<Topic r:id="{"x" * (3 << 20)}"/>'), 1, "a tag longer than 1 MiB"),
    (f'<RDF><Topic r:id="{"x" * (3 << 20)}', 1, "a tag longer than 1 MiB"),
    (f"<RDF><!--{'x' * (3 << 20)}", 1, "a tag longer than 1 MiB"),
    (f"<RDF><Topic r:id='Top/A'><d:Title>{'x ' * (520 << 10)}x", 1, "a text longer than 1 MiB"),
    (f"<RDF><Topic r:id='Top/A'>{12 * ('<d:Title>' + 'x' * 100000 + '</d:Title>')}", 1, "a text longer than 1 MiB"),
    ("<RDF/>", 0, "no category in 'memory'"),
    (rdf(topic("Top")), 0, "no category in 'memory'"),
]
LONG_BUT_UNREAD = ('<Topic r:id="Top/A"/>' + "\n" * 3000000, f'<Topic r:id="Top/A"><other>{"0123456789" * 300000}</other></Topic>',
                   '<Topic r:id="Top/A"/>' + "<x y='z'/>" * 100000)


def test_refused():
    for text, line, cause in REFUSED:
        try:
            converted(text)
            check(False, "not refused:", text[:60])
        except odp.Refused as error:
            want = f"memory:{line}: {cause}" if line else cause
            check(str(error) == want, repr(text[:60]), error)
    for text in LONG_BUT_UNREAD:
        check(converted(rdf(text)) == {"a": ["A"]}, text[:40])
    deep = converted(rdf(topic("Top" + 999 * "/x" + "/deep")))
    check(deep["deep"][0].count("/") == 999 and len(deep["x"]) == 100, "a path of a thousand levels")


# --- repairs ---

BAD = "\ufffd".encode()
REPAIRS = [
    (b"", b"", 0),
    (b"<a>plain\ttext\r\n</a>", b"<a>plain\ttext\r\n</a>", 0),
    (b"a\0b\x01c\x1fd\x7f", b"a b c d\x7f", 3),
    (b"&amp;&lt;&gt;&quot;&apos;", b"&amp;&lt;&gt;&quot;&apos;", 0),
    (b"R&D", b"R&amp;D", 1),
    (b"AT&T; x", b"AT&amp;T; x", 1),
    (b"a &", b"a &amp;", 1),
    (b"&&amp;", b"&amp;&amp;", 1),
    (b"&eacute;", b"&amp;eacute;", 1),
    (b"&AMP;", b"&amp;AMP;", 1),
    (b"?a=1&b=2;", b"?a=1&amp;b=2;", 1),
    (b"&#38;&#x26;&#x1F375;", b"&#38;&#x26;&#x1F375;", 0),
    (b"&#0;&#26;&#x1a;&#xD800;&#xFFFE;", b"     ", 5),
    (b"&#9;&#10;&#xd;", b"&#9;&#10;&#xd;", 0),
    (b"&#1114111;&#1114112;", b"&#1114111; ", 1),
    (b"&#;&#x;&#-1;&#1 ;&#xG;", b"&amp;#;&amp;#x;&amp;#-1;&amp;#1 ;&amp;#xG;", 5),
    (b"&#0000000000000038;", b"&amp;#0000000000000038;", 1),
    (b"a < b <3 << <", b"a &lt; b &lt;3 &lt;&lt; &lt;", 5),
    (b"<_a/><?p?><!-- -->", b"<_a/><?p?><!-- -->", 0),
    (b"a ]]> ]]]> ]] > ]", b"a ]]&gt; ]]]&gt; ]] > ]", 2),
    (b"<![CDATA[a & b < &amp; ]]]>&", b"<![CDATA[a & b < &amp; ]]]>&amp;", 1),
    (b"<![CDATA[\x01\xe9<!--]]>&", b"<![CDATA[ " + BAD + b"<!--]]>&amp;", 3),
    (b"<!-- & < ]]> -- <![CDATA[ -->&", b"<!-- & < ]]> -- <![CDATA[ -->&amp;", 1),
    (b"<?p & < > ]]> -?>&", b"<?p & < > ]]> -?>&amp;", 1),
    (b"<![CDAT[&]]>", b"<![CDAT[&amp;]]&gt;", 2),
    (b"<!-->-->&", b"<!-->-->&amp;", 1),
    (b"<![CDATA", b"<![CDATA", 0),
    (b"<![CDATA[]", b"<![CDATA[]", 0),
    (b"<", b"&lt;", 1),
    (b"caf\xe9!", b"caf" + BAD + b"!", 1),
    (b"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\xb5", b"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\xb5", 0),
    (b"\xed\xa0\x80", 3 * BAD, 3),
    (b"\xef\xbf\xbe\xef\xbf\xbf", 2 * BAD, 2),
    (b"\xf0\x9f\x8d", BAD, 1),
    (b"\xc0\xaf", 2 * BAD, 2),
]


def repaired(raw, step):
    """In pieces of `step` bytes: the text, and how many repairs there were."""
    repair = odp.Repair()
    out = "".join(repair.feed(raw[i:i + step], False) for i in range(0, len(raw), step))
    return (out + repair.feed(b"", True)).encode(), repair.count


def test_repairs():
    for raw, good, count in REPAIRS:
        for step in range(1, 33):
            check(repaired(raw, step) == (good, count), raw, step, repaired(raw, step))
    rng = random.Random(7)
    for _ in range(5000):
        raw = bytes(rng.choices(b"&<;#x1aT/!?->] \0\x1a\xc3\xa9\xef\xbf\xf0\xff", k=rng.randrange(24)))
        once = repaired(raw, 24)
        check(repaired(raw, 5) == once and repaired(once[0], 5) == (once[0], 0), "repaired twice", raw)


# --- random directories, ranked word by word from the definition ---

VOCABULARY = ("ant", "bee", "bee's", "Cat", "café", "b", "9", "ANT", "zoo")
NAMES = ("Ant", "Bee_b", "x", "x y", "Zoo", "x-")


def random_directory(rng, wide):
    """Entries (is_page, path or None where the page does not say, title, description), paths below Top."""
    entries = []
    text = lambda: " ".join(rng.choices(VOCABULARY, k=rng.randrange(5)))
    for _ in range(rng.randrange(400, 600) if wide else rng.randrange(1, 13)):
        path = tuple(rng.choice(NAMES) + (str(rng.randrange(150)) if wide else "") for _ in range(rng.randrange(1, 4)))
        if entries and rng.randrange(4) == 0:
            path = entries[-1][1] or ()
        is_page = rng.randrange(3) > 0
        says = not is_page or rng.randrange(4) > 0
        entries.append((is_page, (() if rng.randrange(30) == 0 else path) if says else None, text(), text()))
    return entries


def as_rdf(entries):
    out = []
    for is_page, path, title, text in entries:
        name = "ExternalPage" if is_page else "Topic"
        where = None if path is None else "/".join(("Top", *path))
        out.append(f'<{name} about="u">' if is_page else f'<{name} r:id="{where}">')
        out.append((f"<d:Title>{title}</d:Title>" if title else "") + f"<d:Description>{text}</d:Description>")
        out.append((f"<topic>{where}</topic>" if is_page and where else "") + f"</{name}>\n")
    return "<?xml version='1.0'?>\n" + rdf("".join(out))


def oracle(entries):
    """Term to categories, by the definition."""
    split = lambda text: {word.strip("-").lower() for word in re.split("[ _]", text) if word}
    last, own, pages, paths = (), {}, {}, set()
    for is_page, path, title, text in entries:
        here = last if path is None else path
        if not is_page:
            last = here
        paths |= {here[:n] for n in range(1, len(here) + 1)}
        if not here:
            continue
        for word in split(title) | split(text):
            points = (2 if word in split(title) else 1) if is_page else (8 if word in split(title) else 1)
            if is_page:
                pages[word, here] = pages.get((word, here), 0) + points
            else:
                own[word, here] = max(own.get((word, here), 0), points)
    for path in paths:
        own.update({(word, path): 8 for word in split(path[-1])})
    found = {}
    for word, path in own.keys() | pages.keys():
        found.setdefault(word, []).append((-own.get((word, path), 0) - pages.get((word, path), 0), path))
    return {word: ["/".join(path) for _, path in sorted(ranked)[:100]] for word, ranked in found.items()}


def test_random():
    full = 0
    for seed in range(200):
        entries = random_directory(random.Random(seed), seed % 25 == 0)
        want = oracle(entries)
        try:
            found = converted(as_rdf(entries))
        except odp.Refused:
            found = {}
        check(found == want, "seed", seed)
        full += any(len(paths) == 100 for paths in found.values())
    check(full > 3, "some terms have more categories than are kept")


def large_directory():
    """20,000 pages, of whose words some are common and most are rare."""
    rng = random.Random(3)
    words = lambda n: " ".join(f"w{rng.randrange(1 << rng.randrange(15))}" for _ in range(n))
    return rdf("\n".join(page(f"Top/a{i // 4000}/b{i // 200}/c{i // 5}", words(3), words(12)) for i in range(20000)))


if __name__ == "__main__":
    sys.stderr = open(os.devnull, "w")  # notes of the converter
    for test in (test_found, test_files, test_refused, test_repairs, test_random):
        test()
        print(test.__name__)
    print(hashlib.blake2b(repr(sorted(converted(large_directory()).items())).encode(), digest_size=16).hexdigest())
