/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over a text finds its first personal data.
 *
 * Every kind has an anchor, a byte that it cannot do without: a digit, '@', '/', '\\', '?', '#' or
 * ':'.  The walk goes from anchor to anchor, sixteen bytes at a time between them, so that a text
 * of words costs next to nothing, and asks the detectors what stands around each.  They look back
 * and ahead by bounded distances.  Long numbers are what is left when the other kinds have been
 * asked at each of their groups; they are gathered group by group, and no group is looked at twice.
 * Phrases and names have no anchor: they are searched for word by word, in turns with the walk. */
#include "text/pii/names_internal.h"
#include "text/utf8.h"
#include <utf8proc.h>

enum {
    NUMBER_MIN = 7,     /* digits of a long number */
    OLDEST_YEAR = 1500, /* where all are years */
    COVER_MAX = 400,  /* how far behind a finding the '@' or '/' may stand that makes it part of an
                         e-mail address or URL: 64 of a user, 253 of a host, a port */
    WINDOW_MIN = 128, /* bytes searched for phrases and for forms in turns */
    WINDOW_MAX = 1 << 16,
    SHAPE_MAX = 40,   /* characters */
    LONGEST_MASK = 9, /* [address] */
    PASSES_MAX = 12,
    MARKS_MAX = 4, /* behind one digit */
};

const char *const lethe_pii_names[LETHE_N_PII] = {
    "ssn",  "card", "phone", "email", "ip",     "number", "address", "url",
    "iban", "id",   "birth", "plate", "person", "place",  "list",
};

size_t lethe_pii_mask_at(lethe_str text, size_t at)
{
    if (at >= text.n || text.at[at] != '[') return 0;
    for (size_t k = 0; k < LETHE_N_PII; k++) {
        size_t n = strlen(lethe_pii_names[k]);
        if (text.n - at >= n + 2 && text.at[at + n + 1] == ']' &&
            memcmp(text.at + at + 1, lethe_pii_names[k], n) == 0)
            return n + 2;
    }
    return 0;
}

/* --- anchors --- */

/* From '/' to '@' stand the digits, '/', ':', '?' and '@', and little else that is common. */
static bool is_anchor(char c) { return (c >= '/' && c <= '@') || c == '#' || c == '\\'; }

/* First bytes of digits of other scripts. */
static bool may_be_digit(char c)
{
    uint8_t b = (uint8_t)c;
    return b == 0xD9 || b == 0xDB || b == 0xDF || b == 0xE0 || b == 0xE1 || b == 0xEA || b == 0xF0;
}

#ifdef __SSE2__
static unsigned anchors_of(__m128i x)
{
    // '/'..'@' moved to the lowest of the signed range
    __m128i moved = _mm_add_epi8(x, _mm_set1_epi8((char)(0x80 - '/')));
    __m128i range = _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(-128 + ('@' - '/') + 1)));
    __m128i others =
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('#')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(range, others));
}

/* A bit for each of sixteen bytes where the walk must stop. */
static unsigned stop_bits(const char *p)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    unsigned bits = anchors_of(x), high = (unsigned)_mm_movemask_epi8(x);
    for (; high; high &= high - 1)
        if (may_be_digit(p[__builtin_ctz(high)])) bits |= high & -high;
    return bits;
}

/* Up to 15 bytes: does one have to be looked at?  Two halves that overlap, side by side. */
static bool short_has_stop(const char *p, size_t n)
{
    uint64_t a = 0, b = 0;
    size_t half = n >= 8 ? 8 : n >= 4 ? 4 : 0;
    if (half == 8) {
        memcpy(&a, p, 8);
        memcpy(&b, p + n - 8, 8);
    } else if (half == 4) {
        memcpy(&a, p, 4);
        memcpy(&b, p + n - 4, 4);
    } else {
        for (size_t k = 0; k < n; k++)
            a = a << 8 | (uint8_t)p[k];
    }
    __m128i x = _mm_set_epi64x((long long)b, (long long)a);
    return (anchors_of(x) | (unsigned)_mm_movemask_epi8(x)) != 0;
}
#endif

/* The first byte of i..n-1 that may be an anchor or a digit; n: none. */
static size_t next_stop(const char *p, size_t i, size_t n)
{
#ifdef __SSE2__
    for (; i + 16 <= n; i += 16) {
        unsigned bits = stop_bits(p + i);
        if (bits) return i + (unsigned)__builtin_ctz(bits);
    }
    if (i == n) return n;
    if (n >= 16) {
        unsigned bits = stop_bits(p + n - 16) >> (16 - (n - i));
        return bits ? i + (unsigned)__builtin_ctz(bits) : n;
    }
    if (!short_has_stop(p + i, n - i)) return n;
#endif
    while (i < n && !is_anchor(p[i]) && !may_be_digit(p[i]))
        i++;
    return i;
}

/* --- digits of any script --- */

/* Bytes of the code point at `i` if it is of one of the two categories; else 0. */
static size_t bytes_if(const lethe_pii_view *v, size_t i, utf8proc_category_t a,
                       utf8proc_category_t b)
{
    uint32_t cp;
    bool ok;
    const uint8_t *p = (const uint8_t *)v->p;
    if (i >= v->n || p[i] < 0x80) return 0;
    size_t n = lethe_utf8_step(p + i, p + v->n, &cp, &ok);
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);
    return ok && (c == a || c == b) ? n : 0;
}

size_t lethe_pii_marks(const lethe_pii_view *v, size_t i)
{
    size_t from = i;
    for (int k = 0; k < MARKS_MAX; k++)
        i += bytes_if(v, i, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
    return i - from;
}

/* Bytes of the decimal digit at `i`, of whatever script, with its marks; 0: none. */
static size_t digit_bytes(const lethe_pii_view *v, size_t i)
{
    size_t n = lethe_pii_digit_at(v, i);
    if (n > 0 || i >= v->n || !may_be_digit(v->p[i])) return n;
    n = bytes_if(v, i, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_ND);
    return n > 0 ? n + lethe_pii_marks(v, i + n) : 0;
}

typedef struct group {
    size_t at, end;
    size_t digits;
    uint32_t value; /* of up to nine ASCII digits, else UINT32_MAX */
} group;

static group read_group(const lethe_pii_view *v, size_t i)
{
    group g = {i, i, 0, 0};
    for (size_t n; (n = digit_bytes(v, g.end)) > 0; g.end += n, g.digits++) {
        if (!lethe_pii_digit(v->p[g.end]) || g.digits >= 9) g.value = UINT32_MAX;
        if (g.value != UINT32_MAX) g.value = g.value * 10 + (uint32_t)(v->p[g.end] - '0');
    }
    return g;
}

/* --- long numbers --- */

/* What separates two groups. */
typedef enum joint {
    APART, /* nothing that joins them */
    TIGHT, /* hyphen, two hyphens, point, underscore */
    COMMA,
    COMMA_SPACE,
    LOOSE, /* space, slash, hyphen with a space beside it */
} joint;

/* What all groups of a row have in common. */
typedef struct likeness {
    bool rising;    /* each is greater than the one before */
    bool alike;     /* of one length */
    bool threes;    /* behind commas without a space, each of three digits but the first */
    bool commas;    /* behind commas, with a space or without */
    uint32_t value; /* of the last one */
} likeness;

/* A row of groups.  `tight`: with hyphens and the like between them.  Of a row that is not, years
 * at its ends do not count. */
typedef struct row {
    size_t at, end; /* from the first group that counts to the last */
    size_t digits, groups;
    bool tight;
    bool years;    /* are all groups years? */
    bool distinct; /* is one group neither a year nor round? */
    bool three;    /* has one group that is no year three digits? */
    group first[3];
    likeness likeness; /* of those that count */
    struct {
        size_t digits, groups; /* of years that count only if something follows */
        likeness likeness;     /* of all groups up to here */
    } held;
} row;

static bool is_year(const group *g, uint32_t from)
{
    return g->digits == 4 && g->value >= from && g->value < 2100;
}

/* What stands in lists of sizes and models (1500 2500, 1280 1024) rather than in numbers. */
static bool is_round(const group *g)
{
    static const uint32_t least[] = {0, 0, 0, 100, 1000, 10000, 100000}; // no size begins with 0
    if (g->digits < 3 || g->digits > 6 || g->value == UINT32_MAX) return false;
    if (g->value > 0 && g->value < least[g->digits]) return false;
    return is_year(g, 1900) || g->value % 50 == 0 || (g->value <= 4096 && g->value % 8 == 0);
}

static void row_begin(row *r, const group *g)
{
    *r = (row){.at = g->at, .end = g->end, .digits = g->digits, .groups = 1};
    r->years = is_year(g, 1000);
    r->distinct = !is_round(g);
    r->three = g->digits >= 3;
    r->first[0] = *g;
    r->likeness = (likeness){g->value != UINT32_MAX, true, g->digits <= 3, true, g->value};
    r->held.likeness = r->likeness;
}

static void row_add(row *r, const group *g, joint j)
{
    likeness *l = &r->held.likeness;
    size_t nth = r->groups + r->held.groups;
    r->tight = j == TIGHT;
    l->rising &= g->value != UINT32_MAX && g->value > l->value;
    l->value = g->value;
    l->alike &= g->digits == r->first[0].digits;
    l->threes &= j == COMMA && g->digits == 3;
    l->commas &= j == COMMA || j == COMMA_SPACE;
    r->years &= is_year(g, j == TIGHT ? 1000 : OLDEST_YEAR);
    if (nth < 3) r->first[nth] = *g;
    if (j != TIGHT && is_year(g, 1900)) {
        r->held.digits += g->digits;
        r->held.groups++;
        return;
    }
    r->likeness = *l;
    r->digits += g->digits + r->held.digits;
    r->groups += 1 + r->held.groups;
    r->held.digits = r->held.groups = 0;
    r->distinct |= !is_round(g);
    r->three |= g->digits >= 3;
    r->end = g->end;
}

/* 2006-03-01, 01.03.2006, 03-01-2006 */
static bool is_date(const row *r)
{
    const group *g = r->first;
    if (r->groups != 3) return false;
    if (is_year(&g[0], 1000) && g[1].digits == 2 && g[2].digits == 2)
        return g[1].value >= 1 && g[1].value <= 12 && g[2].value >= 1 && g[2].value <= 31;
    if (!is_year(&g[2], 1000) || g[0].digits != 2 || g[1].digits != 2) return false;
    uint32_t a = g[0].value, b = g[1].value;
    return a >= 1 && b >= 1 && a <= 31 && b <= 31 && (a <= 12 || b <= 12);
}

/* Lists of models: levis 501 505 517, airbus 319 320 321, bwv 1004 1005, harley 883 1200; of
 * anything, with commas (12, 45, 123, 1000). */
static bool is_list(const row *r)
{
    const likeness *l = &r->likeness;
    uint64_t first = r->first[0].value, last = l->value;
    size_t digits = r->first[0].digits;
    if (!l->rising) return false;
    if (r->groups > 2 && l->commas) return true;
    if (l->alike && (digits == 3 || digits == 4))
        return r->groups > 2 ? last * 10 <= first * 13 : last - first <= 10;
    return r->groups == 2 && digits == 3 && r->digits == NUMBER_MIN && last % 50 == 0 &&
           last < 2 * first;
}

static bool is_number(const row *r)
{
    if (r->digits < NUMBER_MIN) return false;
    if (r->groups == 1) return true;
    if (is_date(r)) return false;
    if (r->tight) return !(r->years && r->likeness.rising);
    if (!r->distinct || !r->three || r->likeness.threes || is_list(r)) return false;
    if (r->years && is_year(&r->first[0], OLDEST_YEAR)) return false; // 1850 1860
    // seven digits: only as telephones have them, 467 3395
    return r->digits > NUMBER_MIN || (r->groups == 2 && r->first[0].digits == 3);
}

/* Bytes of what may part two groups at `i`, and how it joins them; 0: nothing does. */
static size_t joint_at(const lethe_pii_view *v, size_t i, joint *j)
{
    size_t space = lethe_pii_at(v, i) == ' ', h = lethe_pii_hyphen(v, i + space);
    if (h > 0) {
        size_t k = i + space + h, more = space ? 0 : lethe_pii_hyphen(v, k);
        bool after = more == 0 && lethe_pii_at(v, k) == ' ';
        *j = space || after ? LOOSE : TIGHT;
        return k + more + after - i;
    }
    *j = LOOSE;
    if (space) return 1;
    switch (lethe_pii_at(v, i)) {
    case '.':
    case '_':
        *j = TIGHT;
        return 1;
    case '/':
        return 1;
    case ',':
        *j = lethe_pii_at(v, i + 1) == ' ' ? COMMA_SPACE : COMMA;
        return *j == COMMA ? 1 : 2;
    default:
        return 0;
    }
}

/* Is the group tied to digits before it, by a point, one or two hyphens; or to a single digit by a
 * comma or slash, as prices and fractions are? */
static bool is_tied_before(const lethe_pii_view *v, size_t i)
{
    char b = lethe_pii_before(v, i);
    if (b == ',' || b == '/')
        return lethe_pii_digit(lethe_pii_before(v, i - 1)) &&
               !lethe_pii_digit(lethe_pii_before(v, i - 2));
    size_t h = b == '.' ? 1 : lethe_pii_hyphen_before(v, i);
    if (h > 0 && b != '.') h += lethe_pii_hyphen_before(v, i - h);
    return h > 0 && lethe_pii_digit(lethe_pii_before(v, i - h));
}
static bool is_tied_behind(const lethe_pii_view *v, size_t i)
{
    char a = lethe_pii_at(v, i);
    size_t h = a == '.' || a == ',' || a == '/' ? 1 : lethe_pii_hyphen(v, i);
    if (h > 0 && a != '.' && a != ',' && a != '/') h += lethe_pii_hyphen(v, i + h);
    size_t digit = h > 0 ? digit_bytes(v, i + h) : 0;
    if (a == ',' || a == '/') return digit > 0 && digit_bytes(v, i + h + digit) == 0;
    return digit > 0;
}

/* Does the group stand for itself, as a word of digits? */
static bool is_bare(const lethe_pii_view *v, const group *g)
{
    char b = lethe_pii_before(v, g->at), a = lethe_pii_at(v, g->end);
    if (lethe_pii_alnum(b) || lethe_pii_alnum(a)) return false;
    if ((b != '\0' && strchr("@_:$", b)) || (a != '\0' && strchr("@_:%", a))) return false;
    return !is_tied_before(v, g->at) && !is_tied_behind(v, g->end);
}

/* The group that goes on with the row whose last group is `g`; false: it ends there. */
static bool row_goes_on(const lethe_pii_view *v, const row *r, const group *g, group *next,
                        joint *j)
{
    size_t h = joint_at(v, g->end, j);
    if (h == 0 || g->digits < 2 || digit_bytes(v, g->end + h) == 0) return false;
    if (r->groups + r->held.groups > 1 && r->tight != (*j == TIGHT)) return false;
    *next = read_group(v, g->end + h);
    return next->digits >= 2 && (*j == TIGHT || (is_bare(v, g) && is_bare(v, next)));
}

/* --- the walk --- */

static bool wants(const lethe_pii_view *v, lethe_pii kind) { return v->kinds >> kind & 1; }
static bool is_url_sign(char c) { return lethe_pii_slash(c) || c == '?' || c == '#'; }

/* `f`, or what begins no later and covers it: an e-mail address or URL whose '@' or '/' stands
 * farther on. */
static void cover(const lethe_pii_view *v, lethe_finding *f)
{
    lethe_finding other;
    bool any = true, at_sign = false;
    size_t stop = LETHE_MIN(v->n, f->at + COVER_MAX);
    for (size_t k = f->at; k < stop; k++) {
        char c = v->p[k];
        // "joe @ aol.com"
        if (c == ' ' && lethe_pii_at(v, k + 1) != '@') return;
        if (c == '@') {
            if (at_sign) return;
            at_sign = true;
            if (wants(v, LETHE_PII_EMAIL) && lethe_pii_email(v, k, &other))
                lethe_pii_offer(f, &any, &other);
        } else if (is_url_sign(c)) {
            if (wants(v, LETHE_PII_URL) && lethe_pii_url(v, k, &other))
                lethe_pii_offer(f, &any, &other);
            return;
        }
    }
}

/* What the kinds other than number find at a group of digits. */
static bool at_group(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    lethe_finding f;
    bool any = false;
    if (!lethe_pii_digit(v->p[i])) return false;
    if (lethe_pii_numbers(v, i, &f)) lethe_pii_offer(out, &any, &f);
    if (wants(v, LETHE_PII_IP) && lethe_pii_ipv4(v, i, &f)) lethe_pii_offer(out, &any, &f);
    if (wants(v, LETHE_PII_ADDRESS) && lethe_pii_address(v, i, &f)) lethe_pii_offer(out, &any, &f);
    if (lethe_pii_codes(v, i, &f)) lethe_pii_offer(out, &any, &f);
    return any;
}

/* The first finding among the groups that follow one another from `*i` on; *i becomes the end of
 * what was looked at. */
static bool walk_groups(const lethe_pii_view *v, size_t *i, lethe_finding *out)
{
    row r = {0};
    joint j = APART;
    bool number = wants(v, LETHE_PII_NUMBER);
    group g = read_group(v, *i), next;
    for (;;) {
        bool found = at_group(v, g.at, out);
        if (found || !number) {
            *i = g.end;
            if (r.groups == 0 || !is_number(&r)) return found;
            break; // the number before it begins first
        }
        if (r.groups == 0)
            row_begin(&r, &g);
        else
            row_add(&r, &g, j);
        *i = g.end;
        bool more = row_goes_on(v, &r, &g, &next, &j);
        // a year is not where a row with spaces begins
        if (more && j != TIGHT && r.at == g.at && is_year(&g, 1900)) r.groups = 0;
        if (!more) {
            if (r.groups == 0 || !is_number(&r)) return false;
            break;
        }
        g = next;
    }
    *out = (lethe_finding){r.at, r.end - r.at, LETHE_PII_NUMBER};
    return true;
}

/* The first finding but for phrases whose anchor stands in *at..limit-1; *at becomes where the walk
 * goes on. */
static bool next_form(const lethe_pii_view *v, size_t *at, size_t limit, lethe_finding *out)
{
    size_t i = *at;
    bool found = false;
    while (!found && i < limit && (i = next_stop(v->p, i, limit)) < limit) {
        char c = v->p[i];
        if (digit_bytes(v, i)) {
            found = walk_groups(v, &i, out);
            continue;
        }
        if (c == '@' && wants(v, LETHE_PII_EMAIL)) found = lethe_pii_email(v, i, out);
        if (c == ':' && wants(v, LETHE_PII_IP)) found = lethe_pii_ipv6(v, i, out);
        if (is_url_sign(c) && wants(v, LETHE_PII_URL)) found = lethe_pii_url(v, i, out);
        i++;
    }
    *at = i;
    if (found) cover(v, out);
    return found;
}

/* The winner of a phrase and what begins no later but has its anchor farther on: e-mail, URL,
 * IPv6, a code that begins with letters, an address whose number comes last.  Between that number
 * and the beginning stand words and at most one other number. */
static void cover_phrase(const lethe_pii_view *v, lethe_finding *f)
{
    lethe_finding other;
    bool any = true;
    size_t from = f->at, stop = LETHE_MIN(v->n, from + COVER_MAX), groups = 0;
    cover(v, f);
    for (size_t i = from; groups < 2 && (i = next_stop(v->p, i, stop)) < stop;) {
        bool found = false;
        if (v->p[i] == ':' && wants(v, LETHE_PII_IP)) {
            found = lethe_pii_ipv6(v, i, &other);
        } else if (lethe_pii_digit(v->p[i])) {
            if (lethe_pii_codes(v, i, &other)) lethe_pii_offer(f, &any, &other);
            found = wants(v, LETHE_PII_ADDRESS) && lethe_pii_address(v, i, &other);
            groups++;
            while (i + 1 < stop && lethe_pii_digit(v->p[i + 1]))
                i++;
        }
        if (found) lethe_pii_offer(f, &any, &other);
        i++;
    }
}

/* Words (phrases and names) and forms in turns, in windows that grow: the cost of a call is that of
 * the way to its finding, whichever of them it is. */
static bool next_of_all(const lethe_pii_view *v, const lethe_phrases *phrases, lethe_finding *out)
{
    lethe_str text = {v->p, v->n};
    lethe_pii_cursor cursor = {v->lo, false};
    lethe_name_walk names;
    bool name = v->kinds & LETHE_PII_NAMES;
    size_t window = WINDOW_MIN, form_at = v->lo;
    if (name) lethe_name_walk_begin(&names, v);
    for (size_t done = v->lo; done < v->n;) {
        lethe_finding words, f;
        size_t limit = v->n - done > window ? done + window : v->n;
        bool found = phrases && lethe_pii_phrase(phrases, text, &cursor, limit, &words);
        if (name && lethe_name_walk_next(&names, limit, &f)) lethe_pii_offer(&words, &found, &f);
        bool any = next_form(v, &form_at, found ? words.at + 1 : limit, out);
        if (found) {
            cover_phrase(v, &words);
            lethe_pii_offer(out, &any, &words);
        }
        if (any) return true;
        done = limit;
        window = LETHE_MIN(window * 2, (size_t)WINDOW_MAX);
    }
    return false;
}

bool lethe_pii_next(const lethe_detector *d, lethe_str text, size_t from, lethe_finding *out)
{
    if (from >= text.n) return false;
    lethe_pii_view v = {text.at, from, text.n, d->kinds & LETHE_PII_EVERY};
    if (d->phrases || (v.kinds & LETHE_PII_NAMES)) return next_of_all(&v, d->phrases, out);
    from = next_stop(text.at, from, text.n); // most texts end here
    return from < text.n && next_form(&v, &from, text.n, out);
}

/* --- masks --- */

static lethe_err put_mask(lethe_buf *buf, lethe_pii kind)
{
    char mask[LONGEST_MASK];
    size_t n = strlen(lethe_pii_names[kind]);
    mask[0] = '[';
    memcpy(mask + 1, lethe_pii_names[kind], n);
    mask[n + 1] = ']';
    return lethe_buf_put(buf, mask, n + 2);
}

/* One pass, whose first finding is `f`. */
static lethe_err mask_once(const lethe_detector *d, lethe_str text, lethe_finding f, lethe_buf *buf,
                           uint64_t found[LETHE_N_PII])
{
    size_t from = 0;
    buf->n = 0;
    LETHE_TRY(lethe_buf_reserve(buf, text.n + LONGEST_MASK));
    do {
        LETHE_TRY(lethe_buf_put(buf, text.at + from, f.at - from));
        LETHE_TRY(put_mask(buf, f.kind));
        found[f.kind]++;
        from = f.at + f.n;
    } while (lethe_pii_next(d, text, from, &f));
    return lethe_buf_put(buf, text.at + from, text.n - from);
}

/* A mask can set free what stands before it: in "1.2.3.4.5551234567" the address shows only when
 * the number is gone.  So passes go on until one finds nothing.  People's texts need three at
 * most; one can be made that needs as many as it has words, and is given up: all of it becomes a
 * mask. */
static lethe_err mask_all(const lethe_detector *d, lethe_str text, lethe_finding f, lethe_buf *buf,
                          lethe_str *out, uint64_t found[LETHE_N_PII])
{
    lethe_buf other = {0};
    uint64_t count[LETHE_N_PII] = {0};
    lethe_err e = LETHE_OK;
    int pass = 0;
    do {
        if (++pass <= PASSES_MAX) {
            e = mask_once(d, text, f, &other, count);
        } else {
            count[f.kind]++;
            other.n = 0;
            e = put_mask(&other, f.kind);
        }
        lethe_buf t = *buf;
        *buf = other;
        other = t;
        text = (lethe_str){(const char *)buf->at, buf->n};
    } while (e == LETHE_OK && lethe_pii_next(d, text, 0, &f));
    lethe_buf_free(&other);
    if (e != LETHE_OK) return e;
    for (size_t k = 0; k < LETHE_N_PII; k++)
        found[k] += count[k];
    *out = text;
    return LETHE_OK;
}

lethe_err lethe_pii_mask(const lethe_detector *d, lethe_str text, lethe_buf *buf, lethe_str *out,
                         uint64_t found[LETHE_N_PII])
{
    lethe_finding f;
    buf->n = 0;
    if (lethe_pii_next(d, text, 0, &f)) return mask_all(d, text, f, buf, out, found);
    *out = text;
    return LETHE_OK;
}

/* --- shapes --- */

static bool is_letter(uint32_t cp)
{
    if (cp < 0x80) return lethe_pii_letter((char)cp);
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_ME;
}
static bool is_digit(uint32_t cp)
{
    if (cp < 0x80) return lethe_pii_digit((char)cp);
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);
    return c >= UTF8PROC_CATEGORY_ND && c <= UTF8PROC_CATEGORY_NO;
}

lethe_err lethe_pii_shape(lethe_str finding, lethe_buf *buf, lethe_str *out)
{
    const uint8_t *p = (const uint8_t *)finding.at, *end = p + finding.n;
    buf->n = 0;
    LETHE_TRY(lethe_buf_reserve(buf, SHAPE_MAX * 4 + 3));
    for (int k = 0; p < end; k++) {
        if (k == SHAPE_MAX) {
            LETHE_TRY(lethe_buf_put(buf, "...", 3));
            break;
        }
        uint32_t cp;
        bool ok;
        p += lethe_utf8_step(p, end, &cp, &ok);
        bool hidden = cp >= 0x80 || is_letter(cp); // symbols can tell as much as letters
        buf->n += lethe_utf8_put(is_digit(cp) ? '9' : hidden ? 'x' : cp, buf->at + buf->n);
    }
    *out = (lethe_str){(const char *)buf->at, buf->n};
    return LETHE_OK;
}
