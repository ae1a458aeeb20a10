/* SPDX-License-Identifier: Apache-2.0 */
/* Street addresses, from their form alone: no list of places could be complete.
 *
 * The anchor is a number.  Behind it, as the English write: a name and a kind of street (4417 maple
 * ave), a road with a number (1200 us hwy 41), or the kind first (12 rue de rivoli).  Before it, as
 * others write: kind and name (via roma 5, hauptstrasse 12), or a box (po box 12).
 *
 * What counts things has the same form as a house in a street ("24 hour fitness main street", "4
 * wheel drive"): words that follow a count, or that never stand in the name of a street, rule an
 * address out, and kinds that mean other things too (drive, court, way) need a shorter name. */
#include "text/pii/pii_internal.h"

enum {
    WORD_MAX = 40,  /* bytes */
    HOUSE_MAX = 5,  /* digits of the number before a street */
    AFTER_MAX = 4,  /* of one behind it */
    BOX_MAX = 6,    /* of a box */
    NAME_WORDS = 4, /* words of a street's name */
    BACK_WORDS = 6, /* looked at before a number */
};

typedef struct word {
    const char *at;
    size_t n;
    size_t begin, end; /* in the text */
    size_t next;       /* where the next word begins; 0: something else follows */
    unsigned classes;  /* lethe_pii_word() */
} word;

/* Ends of words that make a street before a number; with a name before them, words too. */
static const char *const endings[] = {"strasse", "str",   "gasse",  "platz", "allee", "weg",
                                      "straat",  "laan",  "gracht", "plein", "gatan", "vej",
                                      "veien",   "vegen", "katu",   "utca"};

static bool is_word(const word *w, const char *s)
{
    return strlen(s) == w->n && memcmp(s, w->at, w->n) == 0;
}
static bool says(const word *w, unsigned classes) { return (w->classes & classes) != 0; }

/* --- words --- */

static bool joins_letters(char c) { return c == '\'' || c == '-'; }

/* The word at `i`: bytes of words, an apostrophe or hyphen between them. */
static bool read_word(const lethe_pii_view *v, size_t i, word *w)
{
    size_t k = i;
    while (k < v->n && k - i <= WORD_MAX &&
           (lethe_pii_wordy(v->p[k]) ||
            (k > i && joins_letters(v->p[k]) && lethe_pii_wordy(lethe_pii_at(v, k + 1)))))
        k++;
    if (k == i || k - i > WORD_MAX) return false;
    *w = (word){v->p + i, k - i, i, k, 0, lethe_pii_word(v->p + i, k - i)};
    k += lethe_pii_at(v, k) == '.';
    k += lethe_pii_at(v, k) == ',';
    if (lethe_pii_at(v, k) == ' ' && lethe_pii_wordy(lethe_pii_at(v, k + 1))) w->next = k + 1;
    return true;
}

/* The word that stands before what begins at `i`, one space between, a comma or point before that
 * or not. */
static bool read_word_before(const lethe_pii_view *v, size_t i, word *w)
{
    size_t k = i;
    if (lethe_pii_before(v, k) != ' ') return false;
    k--;
    if (lethe_pii_before(v, k) == ',') k--;
    if (lethe_pii_before(v, k) == '.') k--;
    size_t end = k;
    while (k > v->lo && end - k <= WORD_MAX &&
           (lethe_pii_wordy(v->p[k - 1]) || (k < end && joins_letters(v->p[k - 1]) &&
                                             k > v->lo + 1 && lethe_pii_wordy(v->p[k - 2]))))
        k--;
    if (k == end || end - k > WORD_MAX) return false;
    *w = (word){v->p + k, end - k, k, end, i, lethe_pii_word(v->p + k, end - k)};
    return true;
}

/* "box" or "pobox" that ends right before the number at `i` (pobox12). */
static bool read_box_before(const lethe_pii_view *v, size_t i, word *w)
{
    size_t k = i;
    while (k > v->lo && i - k < 6 && lethe_pii_wordy(v->p[k - 1]))
        k--;
    *w = (word){v->p + k, i - k, k, i, i, 0};
    return is_word(w, "box") || is_word(w, "pobox");
}

static bool has_digit(const word *w)
{
    for (size_t k = 0; k < w->n; k++)
        if (lethe_pii_digit(w->at[k])) return true;
    return false;
}

/* 5th, 42nd */
static bool is_ordinal(const word *w)
{
    if (w->n < 3 || w->n > 6) return false;
    for (size_t k = 0; k + 2 < w->n; k++)
        if (!lethe_pii_digit(w->at[k])) return false;
    const char *end = w->at + w->n - 2;
    return memcmp(end, "st", 2) == 0 || memcmp(end, "nd", 2) == 0 || memcmp(end, "rd", 2) == 0 ||
           memcmp(end, "th", 2) == 0;
}

static bool may_name_street(const word *w)
{
    return (!has_digit(w) || is_ordinal(w)) && !says(w, LETHE_PII_NEVER);
}

/* --- the number --- */

typedef struct house {
    uint32_t number;
    size_t end;  /* of the number with what belongs to it */
    size_t next; /* where a word follows; 0: none does */
} house;

static bool is_year(uint32_t x) { return x >= 1900 && x < 2100; }

/* Digits, no zero first; perhaps a letter (221b) or a second number (12-14). */
static bool read_number(const lethe_pii_view *v, size_t i, size_t max, house *h)
{
    size_t k = i;
    h->number = 0;
    while (k < v->n && k - i <= max && lethe_pii_digit(v->p[k]))
        h->number = h->number * 10 + (uint32_t)(v->p[k++] - '0');
    if (k - i > max || v->p[i] == '0') return false;
    if (lethe_pii_letter(lethe_pii_at(v, k)) && !lethe_pii_wordy(lethe_pii_at(v, k + 1))) {
        k++;
    } else if (lethe_pii_at(v, k) == '-' && lethe_pii_digit(lethe_pii_at(v, k + 1))) {
        size_t second = ++k;
        while (k < v->n && k - second <= max && lethe_pii_digit(v->p[k]))
            k++;
        if (k - second > max) return false;
    }
    char c = lethe_pii_at(v, k), after = lethe_pii_at(v, k + 1);
    if (lethe_pii_wordy(c) || c == '%' || c == '@') return false;
    if (c != '\0' && strchr(".,:/-", c) && lethe_pii_digit(after)) return false;
    h->end = k;
    return true;
}

static bool read_house(const lethe_pii_view *v, size_t i, house *h)
{
    if (!read_number(v, i, HOUSE_MAX, h)) return false;
    size_t k = h->end;
    if (v->n - k >= 4 && memcmp(v->p + k, " 1/2", 4) == 0) k += 4;
    k += lethe_pii_at(v, k) == ',';
    h->next = lethe_pii_at(v, k) == ' ' && lethe_pii_wordy(lethe_pii_at(v, k + 1)) ? k + 1 : 0;
    return h->next > 0;
}

/* --- behind the street --- */

/* apt 3, suite 12b, # 4 behind `i`; its end, or `i`. */
static size_t unit_end(const lethe_pii_view *v, size_t i)
{
    word w;
    size_t k = i;
    bool named = false;
    k += lethe_pii_at(v, k) == '.';
    k += lethe_pii_at(v, k) == ',';
    if (lethe_pii_at(v, k) != ' ') return i;
    k++;
    if (read_word(v, k, &w) && says(&w, LETHE_PII_UNIT)) {
        named = true;
        k = w.end;
        k += lethe_pii_at(v, k) == '.';
        k += lethe_pii_at(v, k) == ' ';
    }
    if (lethe_pii_at(v, k) == '#') {
        named = true;
        k++;
        k += lethe_pii_at(v, k) == ' ';
    }
    if (!named || !read_word(v, k, &w) || w.n > 6) return i;
    return has_digit(&w) || w.n == 1 ? w.end : i;
}

static size_t tail_end(const lethe_pii_view *v, const word *street)
{
    word w;
    size_t end = street->end;
    if (street->next && read_word(v, street->next, &w) && says(&w, LETHE_PII_DIRECTION))
        end = w.end;
    return unit_end(v, end);
}

/* --- number first --- */

/* STRONG, BRIEF or WEAK; 0: no kind of street.  After "st" may come a saint, after "dr" a doctor.
 */
static unsigned kind_of(const lethe_pii_view *v, const word *w)
{
    word next;
    unsigned kind = w->classes & (LETHE_PII_STRONG | LETHE_PII_BRIEF | LETHE_PII_WEAK);
    if (kind != LETHE_PII_BRIEF || w->next == 0 || !read_word(v, w->next, &next)) return kind;
    if (is_word(w, "st") && says(&next, LETHE_PII_SAINT)) return 0;
    return is_word(w, "dr") && says(&next, LETHE_PII_DOCTOR) ? 0 : kind;
}

/* Is it a street that has `names` words before its kind?  A year before a street is mostly that of
 * something else (2006 ford mustang road test). */
static bool is_street(unsigned kind, unsigned names, uint32_t number)
{
    if (is_year(number) && (kind == LETHE_PII_WEAK || names > 1)) return false;
    if (kind == LETHE_PII_STRONG) return names <= NAME_WORDS;
    if (kind == LETHE_PII_BRIEF) return names <= 3;
    return kind == LETHE_PII_WEAK && names <= 2 && number >= 10;
}

/* 4417 maple ave, 4 n main st apt 3; the end, 0: none. */
static size_t english_end(const lethe_pii_view *v, const house *h)
{
    word w;
    size_t at = h->next;
    unsigned words = 0, names = 0;
    while (at > 0 && words <= NAME_WORDS + 1 && read_word(v, at, &w)) {
        unsigned kind = kind_of(v, &w);
        if (words == 0 && says(&w, LETHE_PII_COUNTED)) return 0;
        // "12 north ave": a direction alone is the name
        if (words > 0 && is_street(kind, LETHE_MAX(names, 1u), h->number)) {
            word next;
            // "12 grand court drive"
            if (w.next && read_word(v, w.next, &next) && kind_of(v, &next) != 0) w = next;
            return tail_end(v, &w);
        }
        if (!may_name_street(&w)) return 0;
        names += !(words == 0 && says(&w, LETHE_PII_DIRECTION));
        words++;
        at = w.next;
    }
    return 0;
}

/* 4417 highway 78, 1200 us hwy 41, 350 county road 12 */
static size_t highway_end(const lethe_pii_view *v, const house *h)
{
    word w, n;
    if (h->number < 10 || is_year(h->number) || !read_word(v, h->next, &w)) return 0;
    bool whose = says(&w, LETHE_PII_WHOSE);
    if (whose && (w.next == 0 || !read_word(v, w.next, &w))) return 0;
    if (!says(&w, LETHE_PII_ROAD) || (is_word(&w, "road") && !whose)) return 0;
    if (w.next == 0 || !read_word(v, w.next, &n)) return 0;
    if (!lethe_pii_digit(n.at[0]) || n.n > 4) return 0;
    return tail_end(v, &n);
}

/* 12 rue de rivoli, 137 avenue teboulbi, 1221 avenue of the americas; "via" says too little here */
static size_t romance_end(const lethe_pii_view *v, const house *h)
{
    word w;
    if (!read_word(v, h->next, &w) || !says(&w, LETHE_PII_BEFORE) || is_word(&w, "via")) return 0;
    for (int k = 0; k < 3 && w.next && read_word(v, w.next, &w); k++) {
        if (says(&w, LETHE_PII_PARTICLE)) continue;
        return may_name_street(&w) && !has_digit(&w) && kind_of(v, &w) == 0 ? tail_end(v, &w) : 0;
    }
    return 0;
}

static bool house_starts(const lethe_pii_view *v, size_t i)
{
    char c = lethe_pii_before(v, i);
    if (c == '\0') return true;
    if (lethe_pii_alnum(c) || strchr("$:/_+=@", c)) return false;
    size_t h = c == '.' || c == ',' ? 1 : lethe_pii_hyphen_before(v, i);
    return h == 0 || !lethe_pii_alnum(lethe_pii_before(v, i - h));
}

/* 4417maple ave: no space.  Two digits or more, a word that is no end of a number (12th, 16mm), and
 * a kind that means little else; the end, 0: none. */
static size_t glued_end(const lethe_pii_view *v, size_t i)
{
    word w;
    house h = {0, i, 0};
    while (h.end < v->n && h.end - i <= HOUSE_MAX && lethe_pii_digit(v->p[h.end]))
        h.end++;
    if (h.end - i < 2 || h.end - i > HOUSE_MAX || v->p[i] == '0') return 0;
    if (!read_word(v, h.end, &w) || w.n < 3 || has_digit(&w) || w.classes != 0) return 0;
    if (w.next == 0 || !read_word(v, w.next, &w)) return 0;
    unsigned kind = kind_of(v, &w);
    return kind == LETHE_PII_STRONG || kind == LETHE_PII_BRIEF ? tail_end(v, &w) : 0;
}

static size_t forward_end(const lethe_pii_view *v, size_t i)
{
    house h;
    if (!house_starts(v, i)) return 0;
    if (!read_house(v, i, &h)) return glued_end(v, i);
    size_t a = english_end(v, &h), b = highway_end(v, &h), c = romance_end(v, &h);
    return LETHE_MAX(a, LETHE_MAX(b, c));
}

/* --- number last --- */

/* Where "po box", "p.o. box", "post office box", "psc 12 box" that ends in the word "box" begins;
 * `none`: it does not. */
static size_t box_start(const lethe_pii_view *v, const word *box, size_t none)
{
    word w, first;
    if (is_word(box, "pobox") || is_word(box, "postfach")) return box->begin;
    if (!is_word(box, "box")) return none;
    size_t k = box->begin;
    if (k >= v->lo + 5 && memcmp(v->p + k - 5, "p.o. ", 5) == 0) return k - 5;
    if (k >= v->lo + 4 && memcmp(v->p + k - 4, "p.o ", 4) == 0) return k - 4;
    if (k >= v->lo + 4 && memcmp(v->p + k - 4, "p.o.", 4) == 0) return k - 4;
    if (!read_word_before(v, k, &w)) return none;
    if (is_word(&w, "po")) return w.begin;
    if (!read_word_before(v, w.begin, &first)) return none;
    if (is_word(&w, "o") && is_word(&first, "p")) return first.begin;
    if (is_word(&w, "office") && is_word(&first, "post")) return first.begin;
    return lethe_pii_digit(w.at[0]) && says(&first, LETHE_PII_BOXED) ? first.begin : none;
}

/* hauptstrasse 12, lange strasse 12; `none`: no street. */
static size_t compound_start(const lethe_pii_view *v, const word *w, size_t none)
{
    word name;
    for (size_t k = 0; k < LETHE_COUNT(endings); k++) {
        size_t n = strlen(endings[k]);
        if (w->n < n || memcmp(w->at + w->n - n, endings[k], n) != 0) continue;
        if (w->n >= n + 3) return w->begin;
        if (w->n == n && read_word_before(v, w->begin, &name) && !has_digit(&name) &&
            may_name_street(&name))
            return name.begin;
    }
    return none;
}

/* rue de rivoli 12, via roma 5: kind, then one to three words that are no particles. */
static size_t named_start(const lethe_pii_view *v, const word *last, size_t none)
{
    word w = *last;
    unsigned names = 0;
    for (int k = 0; k < BACK_WORDS; k++) {
        if (names > 0 && says(&w, LETHE_PII_BEFORE)) return w.begin;
        if (has_digit(&w)) return none;
        if (!says(&w, LETHE_PII_PARTICLE)) {
            if (!may_name_street(&w) || ++names > 3) return none;
        }
        if (!read_word_before(v, w.begin, &w)) return none;
    }
    return none;
}

static bool counts_something(const lethe_pii_view *v, size_t end)
{
    word w;
    return lethe_pii_at(v, end) == ' ' && read_word(v, end + 1, &w) && says(&w, LETHE_PII_COUNTED);
}

static bool backward(const lethe_pii_view *v, size_t i, size_t *at, size_t *end)
{
    word w;
    house h;
    size_t from = i;
    if (lethe_pii_before(v, i) == '#') from--; // po box #12
    if (!read_box_before(v, from, &w) && !read_word_before(v, from, &w)) return false;
    if ((*at = box_start(v, &w, i)) < i) {
        size_t k = i;
        while (k < v->n && k - i <= BOX_MAX && lethe_pii_digit(v->p[k]))
            k++;
        *end = k;
        return k - i <= BOX_MAX && !lethe_pii_alnum(lethe_pii_at(v, k));
    }
    if (from < i || !read_number(v, i, AFTER_MAX, &h) || is_year(h.number)) return false;
    if ((*at = compound_start(v, &w, i)) == i && (*at = named_start(v, &w, i)) == i) return false;
    if (counts_something(v, h.end)) return false;
    *end = unit_end(v, h.end);
    return true;
}

bool lethe_pii_address(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    size_t at, end;
    bool any = false;
    if (backward(v, i, &at, &end)) {
        *out = (lethe_finding){at, end - at, LETHE_PII_ADDRESS};
        any = true;
    }
    end = forward_end(v, i);
    if (end > 0) {
        lethe_finding f = {i, end - i, LETHE_PII_ADDRESS};
        lethe_pii_offer(out, &any, &f);
    }
    return any;
}
