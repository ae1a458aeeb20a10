# SPDX-License-Identifier: Apache-2.0
"""The detectors of persons and places, as tools/train-names trains them and tests compare them with src/text/pii/pii_names.c.

It is written from the description in src/text/pii/names.h, for reading and not for speed.  A text is cut into tokens, each token
gets a class from what names.tsv.xz knows about its word, and an averaged perceptron (M. Collins, "Discriminative Training Methods
for Hidden Markov Models", EMNLP 2002) decides from left to right whether it is part of a person's name, of a place, or of neither."""
import functools
import lzma
import pathlib
import re
import unicodedata

DATA = pathlib.Path(__file__).resolve().parent.parent / "src/text/pii/data"
NAMES, WEIGHTS = DATA / "names.tsv.xz", DATA / "weights.tsv.xz"

WORD_MAX = 20  # letters of a word that is looked up
CHUNK_MAX = 200  # bytes without what separates parts of URLs
TOWN_WORDS = 5
RUN_MAX = 8  # tokens of one finding
REGION = 15  # the level of words that are countries and states
LEAST_NAME, LEAST_TOWN, LEAST_WORD = 100, 1000, 1  # counts of level 1
CONTEXT_MAX = 1024

# ---- the hash of a word ----

MASK = (1 << 64) - 1


def hash32(word):
    h = 0x9E3779B97F4A7C15
    raw = word.encode()
    for k in range(0, len(raw), 8):
        h = (h ^ int.from_bytes(raw[k:k + 8].ljust(8, b"\0"), "big")) * 0xD6E8FEB86659FD93 & MASK
        h ^= h >> 32
    return (h * 0xD6E8FEB86659FD93 & MASK) >> 32


# ---- folding ----

SPECIAL = {"æ": "ae", "þ": "th", "œ": "oe", "ø": "o", "ð": "d", "ł": "l", "đ": "d", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n", "ĸ": "k", "ſ": "s"}


def fold_letter(c):
    """ASCII letters for a letter of ASCII or from U+00E0 to U+017F; "" for anything else."""
    if "a" <= c <= "z":
        return c
    if not "\u00e0" <= c <= "\u017f":
        return ""
    c = c.lower()
    first = SPECIAL.get(c) or unicodedata.normalize("NFD", c)[0]
    return first if first.isascii() and first.isalpha() else ""


def fold(text):
    return "".join(fold_letter(c) or c for c in text)


def normal(text):
    """As lethe normalises queries, near enough for sentences."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def town_words(name):
    """The words of a town's name, as they are looked for in texts."""
    words = re.split(r"[ .-]+", fold(normal(name)).replace("'", "").replace("\u2019", "").strip(". "))
    return words if all(w.isascii() and w.isalpha() for w in words) else []


# ---- tokens ----

WORD, INITIAL, OTHER, BOUNDARY = range(4)
TIGHT, COMMA, STOP, SIGN = range(4)  # what stands between two tokens


class Token:
    __slots__ = ("at", "end", "word", "kind", "gap", "near", "owns", "levels", "multi", "context", "candidate", "cls", "reduced", "region", "accent")

    def __init__(self, at, end, word, kind):
        self.at, self.end, self.word, self.kind = at, end, word, kind
        self.gap, self.near, self.owns, self.region, self.accent = TIGHT, False, False, False, False
        self.levels, self.multi, self.context = (0, 0, 0, 0), False, 0


MASKS = re.compile(r"\[(ssn|card|phone|email|ip|number|address|url|iban|id|birth|plate|person|place|list)\]")
APART = " /?&=#"  # what separates the parts of a URL
APOSTROPHES = "'\u2019"


def is_wordy(c):
    """Part of a word: a letter or digit, or anything past ASCII but U+0080 to U+00BF, U+2000 to U+207F and U+3000 to U+303F."""
    if c.isascii():
        return c.isalnum()
    return not ("\u0080" <= c <= "\u00bf" or "\u2000" <= c <= "\u207f" or "\u3000" <= c <= "\u303f")


def is_net(chunk):
    """Part of an address of the net, where words are no names: "@", "_", or a point inside it, but for that of an initial."""
    raw = chunk.encode()
    wordy = [c >= 128 or chr(c).isalnum() for c in raw]
    return len(raw) > CHUNK_MAX or b"@" in raw or b"_" in raw or any(
        c == ord(".") and k > 1 and wordy[k - 1] and wordy[k - 2] and k + 1 < len(raw) and wordy[k + 1] for k, c in enumerate(raw))


def gap_class(between):
    if "," in between:
        return COMMA
    if any(c in ".!?;" for c in between):
        return STOP
    return TIGHT if all(c in " -'\u2019" for c in between) else SIGN


def tokens_of(text, lo, hi):
    """Those of text[lo:hi], which contains no mask."""
    out, k, chunk_end, net = [], lo, lo, False
    if lo < hi and text[lo] in APOSTROPHES and text[lo + 1:lo + 2] == "s" and lo + 2 <= hi and not (lo + 2 < hi and is_wordy(text[lo + 2])):
        k = lo + 2  # that of the name before it
    while k < hi:
        if text[k] == " ":
            k += 1
            continue
        if k >= chunk_end:
            chunk_end = next((i for i in range(k, hi) if text[i] in APART), hi)
            net = is_net(text[k:chunk_end])
        if net:
            out.append(Token(k, chunk_end, "", OTHER))
            k = chunk_end
            continue
        if not is_wordy(text[k]):
            k += 1
            continue
        begin, letters, owns, plain, accent = k, "", False, True, False
        while k < chunk_end:
            c = text[k]
            if c in APOSTROPHES and k + 1 < chunk_end and is_wordy(text[k + 1]):
                if text[k + 1] == "s" and (k + 2 >= chunk_end or not is_wordy(text[k + 2])):
                    owns = True
                    break
                k += 1
                continue
            if not is_wordy(c):
                break
            folded = fold_letter(c)
            plain = plain and folded != ""
            accent = accent or not c.isascii()
            letters += folded
            k += 1
        kind = OTHER if not plain or len(letters) > WORD_MAX else INITIAL if len(letters) == 1 else WORD
        out.append(Token(begin, k, letters if kind != OTHER else "", kind))
        out[-1].owns, out[-1].accent = owns, accent and kind == WORD
        k += 2 * owns
    for a, b in zip(out, out[1:]):
        between = text[a.end + 2 * a.owns:b.at]
        b.gap, b.near = gap_class(between), len(text[a.end:b.at].encode()) <= 2
    return out


# ---- classes ----

CUTS = (-4, 0, 3, 6, 9, 12)


def bucket(score):
    return 1 + sum(score >= c for c in CUTS)


def scores(levels):
    """How much likelier the word is as a given name, a surname and a town than as a word, in bits; None: it is not known as such.
    300 million persons (2^28); towns as if each of their inhabitants were one; 1.6 million words (2^21)."""
    given, surname, town, word = levels
    as_word = (word - 1 if word else -2) - 21
    return (given + 6 - 28 - as_word if given else None, surname + 6 - 28 - as_word if surname else None,
            town + 9 - 28 - as_word if town else None)


def word_class(level):
    return 0 if level == 0 else 1 if level <= 2 else 2 if level <= 5 else 3 if level <= 8 else 4


R_INITIAL, R_OTHER, R_BOUNDARY, N_REDUCED = 36, 37, 38, 39


def classify(t):
    if t.kind != WORD:
        t.candidate = t.kind == INITIAL
        t.cls = (0, 0, 0, 0)
        t.reduced = {INITIAL: R_INITIAL, OTHER: R_OTHER}[t.kind]
        return
    g, s, p = scores(t.levels)
    w = word_class(t.levels[3])
    t.cls = tuple(0 if x is None else bucket(x) for x in (g, s, p)) + (w,)
    best = max(t.cls[0], t.cls[1])
    name = 3 if best >= 6 else 2 if best >= 4 else 1 if best >= 3 else 0
    place = 2 if t.cls[2] >= 5 else 1 if t.cls[2] >= 3 else 0
    t.reduced = name * 9 + place * 3 + (0 if w == 0 else 1 if w <= 2 else 2)
    t.region = t.levels[3] == REGION
    t.candidate = t.region or max(t.cls[:3]) >= 3 or w == 0


# ---- features ----

OFFSETS = (-2, -1, 1, 2)
SUFFIXES = 4096
PAIRS = 8192
P_CLASS, P_REDUCED = 8 * 8 * 8 * 5, N_REDUCED
BASES, _n = {}, 0
for _name, _size in (("bias", 1), ("class", P_CLASS), ("reduced", 4 * P_REDUCED), ("context", 4 * CONTEXT_MAX), ("self", CONTEXT_MAX),
                     ("pair-before", 64), ("pair-behind", 64), ("around-initial", 64), ("previous", 3 * P_REDUCED), ("suffix", SUFFIXES),
                     ("gaps", 64), ("before-name", 4 * CONTEXT_MAX), ("behind-name", 4 * CONTEXT_MAX), ("between", P_REDUCED * P_REDUCED),
                     ("multi", 2), ("initial", 2), ("two-before", PAIRS), ("both-sides", PAIRS), ("accent", 8), ("name-reduced", 4 * 4 * P_REDUCED)):
    BASES[_name], _n = _n, _n + _size
N_FEATURES = _n
NONE, PERSON, PLACE = range(3)


def edge():
    t = Token(0, 0, "", BOUNDARY)
    t.cls, t.reduced, t.candidate = (0, 0, 0, 0), R_BOUNDARY, False
    return t


EDGE = edge()


def suffix_of(word):
    s = word[-3:]
    h = 0
    for c in s:
        h = h * 27 + ord(c) - 96
    return h * 2654435761 % (1 << 32) >> 20


def pair_of(a, b):
    return (a * CONTEXT_MAX + b) * 2654435761 % (1 << 32) >> 19


def features(window, previous):
    """Of the token in the middle of five."""
    b2, b1, t, a1, a2 = window
    near = (b2, b1, a1, a2)
    out = [BASES["bias"], BASES["class"] + ((t.cls[0] * 8 + t.cls[1]) * 8 + t.cls[2]) * 5 + t.cls[3]]
    for k, x in enumerate(near):
        out.append(BASES["reduced"] + k * P_REDUCED + x.reduced)
        if x.context:
            out.append(BASES["context"] + k * CONTEXT_MAX + x.context)
    if t.context:
        out.append(BASES["self"] + t.context)
    out.append(BASES["pair-before"] + b1.cls[0] * 8 + t.cls[1])
    out.append(BASES["pair-behind"] + t.cls[0] * 8 + a1.cls[1])
    if b1.kind == INITIAL:
        out.append(BASES["around-initial"] + b2.cls[0] * 8 + t.cls[1])
    if a1.kind == INITIAL:
        out.append(BASES["around-initial"] + t.cls[0] * 8 + a2.cls[1])
    out.append(BASES["previous"] + previous * P_REDUCED + t.reduced)
    if t.kind == WORD and not t.multi:
        out.append(BASES["suffix"] + suffix_of(t.word))
    out.append(BASES["gaps"] + (b1.kind == BOUNDARY) * 32 + t.gap * 8 + (a1.gap if a1.kind != BOUNDARY else 0) * 2 + t.owns)
    name = t.reduced // 9 if t.reduced < R_INITIAL else 0
    if b1.context:
        out.append(BASES["before-name"] + name * CONTEXT_MAX + b1.context)
    if a1.context:
        out.append(BASES["behind-name"] + name * CONTEXT_MAX + a1.context)
    out.append(BASES["between"] + b1.reduced * P_REDUCED + a1.reduced)
    out.append(BASES["multi"] + t.multi)
    out.append(BASES["initial"] + (t.kind == INITIAL))
    if b1.context:
        out.append(BASES["two-before"] + pair_of(b2.context, b1.context))
    if b1.context or a1.context:
        out.append(BASES["both-sides"] + pair_of(b1.context, a1.context))
    out.append(BASES["accent"] + t.accent * 4 + name)
    for k, x in enumerate(near):
        out.append(BASES["name-reduced"] + (k * 4 + name) * P_REDUCED + x.reduced)
    return out


# ---- the model ----

def read_names(path=NAMES):
    table = {}
    for line in lzma.open(path, "rt", encoding="utf-8"):
        word, *levels = line.rstrip("\n").split("\t")
        table[word] = tuple(int(x) for x in levels)
    return table


class Names:
    """What is known of words: levels, first words of towns, words of the context.  As in C, words are told apart by their hash."""

    def __init__(self, table, context=()):
        self.table = table
        self.starts = {town.split(" ", 1)[0] for town in table if " " in town}
        self.seconds = {town.split(" ")[1] for town in table if " " in town}
        self.context = {w: k + 1 for k, w in enumerate(context)}
        self.entries = {hash32(w): w for w in sorted(set(table) | self.starts | self.seconds | set(context))}
        self.same = functools.lru_cache(None)(lambda word: self.entries.get(hash32(word)))

    def known(self, word):
        """The known word that has the hash of this one, with as many words: one or several."""
        same = self.same(word)
        return same if same is not None and (" " in same) == (" " in word) else None

    def look_up(self, tokens, text, forget=frozenset()):
        """Towns of several words become one token."""
        out, k = [], 0
        while k < len(tokens):
            t = tokens[k]
            if t.kind == WORD and self.known(t.word) in self.starts:
                reach = [t]
                while len(reach) < TOWN_WORDS and k + len(reach) < len(tokens):
                    x = tokens[k + len(reach)]
                    if len(reach) == 1 and self.known(x.word) not in self.seconds:
                        break
                    if x.kind != WORD or reach[-1].owns or text[reach[-1].end:x.at] not in (" ", "-", ". "):
                        break
                    reach.append(x)
                for n in range(len(reach), 1, -1):
                    name = " ".join(x.word for x in reach[:n])
                    if self.known(name):
                        t = Token(t.at, reach[n - 1].end, name, WORD)
                        t.gap, t.near, t.owns, t.multi = tokens[k].gap, tokens[k].near, reach[n - 1].owns, True
                        k += n - 1
                        break
            if t.kind == WORD:
                known = self.known(t.word)
                t.levels = (0, 0, 0, 0) if t.word in forget else self.table.get(known, (0, 0, 0, 0))
                t.context = self.context.get(known, 0)
            classify(t)
            out.append(t)
            k += 1
        return out


def may_be_tagged(t, previous):
    """A country or state belongs to the town before it."""
    return t.candidate and (not t.region or previous == PLACE)


def is_unknown_and_alone(window):
    """Nothing tells a name from a brand, a host or a misspelt word."""
    before, t, behind = window[1:4]
    return t.kind == WORD and not any(t.cls) and before.kind == BOUNDARY and behind.kind == BOUNDARY


class Model:
    def __init__(self, names, weights, thresholds=(0, 0)):
        self.names, self.weights, self.thresholds = names, weights, thresholds

    def tag_token(self, window, previous):
        if not may_be_tagged(window[2], previous) or is_unknown_and_alone(window):
            return NONE
        p, l = -self.thresholds[0], -self.thresholds[1]
        for f in features(window, previous):
            w = self.weights.get(f)
            if w:
                p += w[0]
                l += w[1]
        if p <= 0 and l <= 0:
            return NONE
        return PERSON if p >= l else PLACE

    def findings(self, text):
        """(at, end, tag) of normalised text."""
        out, lo = [], 0
        for mask in list(MASKS.finditer(text)) + [None]:
            hi = mask.start() if mask else len(text)
            tokens = self.names.look_up(tokens_of(text, lo, hi), text)
            walk(tokens, lambda window, previous, k: self.tag_token(window, previous), out)
            lo = mask.end() if mask else hi
        return out


def walk(tokens, decide, out):
    """Tags from left to right.  What stands before the end of a finding is not looked at after it.  Initials alone are none."""
    run, run_tag, left = [], NONE, 0

    def end_run(k):
        nonlocal run, run_tag, left
        if any(t.kind == WORD for t in run):
            out.append((run[0].at, run[-1].end, run_tag))
        run, run_tag, left = [], NONE, k
        if k < len(tokens):
            tokens[k].gap = TIGHT

    for k, t in enumerate(tokens):
        if run and (not t.near or len(run) == RUN_MAX):
            end_run(k)
        while True:
            window = [tokens[k + d] if k + d >= left and 0 <= k + d < len(tokens) else EDGE for d in (-2, -1, 0, 1, 2)]
            tag = decide(window, run_tag, k)
            if not run or tag == run_tag:
                break
            end_run(k)  # another begins, or none: decide again without what was found
        if tag != NONE:
            run.append(t)
            run_tag = tag
    if run:
        end_run(len(tokens))


def read_weights(path=WEIGHTS):
    """Thresholds, words of the context, weights by feature."""
    thresholds, context, weights = (0, 0), [], {}
    for line in lzma.open(path, "rt", encoding="utf-8"):
        first, *rest = line.rstrip("\n").split("\t")
        if first == "thresholds":
            thresholds = tuple(int(x) for x in rest)
        elif first == "context":
            context.append(rest[0])
        else:
            weights[int(first)] = tuple(int(x) for x in rest)
    return thresholds, context, weights


def read_model(names=NAMES, weights=WEIGHTS):
    thresholds, context, table = read_weights(weights)
    return Model(Names(read_names(names), context), table, thresholds)
