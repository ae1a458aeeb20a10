#include "lexicon/odp/odp_internal.h"
#include "text/utf8.h"

/* What a byte may need: nothing, or a closer look. */
enum { PLAIN, CONTROL, AMPERSAND, LESS, WIDE };

/* What stands between tags as it is, where it begins and ends, by lethe_rdf_place; of text, the end
 * is one that ends nothing there. */
static const struct {
    lethe_str opens, closes;
} places[] = {{{"", 0}, {"]]>", 3}},
              {{"<![CDATA[", 9}, {"]]>", 3}},
              {{"<!--", 4}, {"-->", 3}},
              {{"<?", 2}, {"?>", 2}}};

static bool is_plain(uint8_t c, uint8_t closes)
{
    return (uint8_t)(c - ' ') < 0x60 && c != '&' && c != '<' && c != closes;
}

static uint8_t kind_of(uint8_t c)
{
    if (c >= 0x80) return WIDE;
    if (c == '&') return AMPERSAND;
    if (c == '<') return LESS;
    return c < ' ' && c != '\t' && c != '\n' && c != '\r' ? CONTROL : PLAIN;
}

/* XML 1.0, production 2. */
static bool is_char(uint32_t cp)
{
    if (cp < ' ') return cp == '\t' || cp == '\n' || cp == '\r';
    return cp <= 0x10FFFF && (cp < 0xD800 || cp > 0xDFFF) && cp != 0xFFFE && cp != 0xFFFF;
}

/* The place of a byte that needs a closer look: how many bytes stand there, and what is to stand in
 * their place; NULL: they are fine.  0 bytes: more must be seen. */
typedef struct look {
    size_t n;
    const char *instead;
} look;

static const look unseen = {0, NULL};

static uint32_t digit_of(uint8_t c, bool hex)
{
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
    if (hex && c >= 'a' && c <= 'f') return (uint32_t)(c - 'a' + 10);
    if (hex && c >= 'A' && c <= 'F') return (uint32_t)(c - 'A' + 10);
    return UINT32_MAX;
}

/* The digits between &# and the ; after n bytes in all. */
static look look_at_number(const uint8_t *p, size_t n)
{
    bool hex = p[2] == 'x';
    uint32_t cp = 0;
    size_t i = hex ? 3 : 2;
    if (i + 1 >= n) return (look){1, "&amp;"};
    for (; i + 1 < n; i++) {
        uint32_t digit = digit_of(p[i], hex);
        if (digit == UINT32_MAX) return (look){1, "&amp;"};
        cp = cp * (hex ? 16 : 10) + digit; // nine digits at most
    }
    return (look){n, is_char(cp) ? NULL : " "};
}

static look look_at_ampersand(const uint8_t *p, size_t n, bool last)
{
    static const lethe_str names[] = {
        {"&amp;", 5}, {"&lt;", 4}, {"&gt;", 4}, {"&quot;", 6}, {"&apos;", 6}};
    size_t most = LETHE_MIN(n, (size_t)LETHE_RDF_AHEAD);
    const uint8_t *end = memchr(p, ';', most);
    if (!end) return n < LETHE_RDF_AHEAD && !last ? unseen : (look){1, "&amp;"};
    size_t length = (size_t)(end - p) + 1;
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        if (lethe_str_eq(names[i], (lethe_str){(const char *)p, length}))
            return (look){length, NULL};
    return p[1] == '#' ? look_at_number(p, length) : (look){1, "&amp;"};
}

/* Does `what` stand here? */
typedef enum stands { NO, YES, PERHAPS } stands;
static stands stands_here(lethe_str what, const uint8_t *p, size_t n, bool last)
{
    size_t seen = LETHE_MIN(n, what.n);
    if (memcmp(p, what.at, seen) != 0) return NO;
    return seen == what.n ? YES : last ? NO : PERHAPS;
}

static look look_at_less(const uint8_t *p, size_t n, bool last, lethe_rdf_place *place)
{
    if (n < 2) return last ? (look){1, "&lt;"} : unseen;
    for (size_t i = LETHE_RDF_TEXT + 1; i < LETHE_COUNT(places); i++) {
        stands s = stands_here(places[i].opens, p, n, last);
        if (s == PERHAPS) return unseen;
        if (s == NO) continue;
        *place = (lethe_rdf_place)i;
        return (look){places[i].opens.n, NULL};
    }
    uint8_t c = p[1], letter = c | 0x20;
    bool tag = (letter >= 'a' && letter <= 'z') || c == '/' || c == '!' || c == '?' || c == '_';
    return (look){1, tag ? NULL : "&lt;"};
}

static look look_at_wide(const uint8_t *p, size_t n, bool last)
{
    uint32_t cp;
    bool ok;
    if (n < 4 && !last) return unseen;
    size_t taken = lethe_utf8_step(p, p + n, &cp, &ok);
    return (look){taken, ok && is_char(cp) ? NULL : "\xEF\xBF\xBD"};
}

/* At a byte that may be the first of what ends a place. */
static look look_at_end(const uint8_t *p, size_t n, bool last, lethe_rdf_place *place)
{
    lethe_str closes = places[*place].closes;
    stands s = stands_here(closes, p, n, last);
    if (s == PERHAPS) return unseen;
    if (s == NO) return (look){1, NULL};
    if (*place == LETHE_RDF_TEXT) return (look){closes.n, "]]&gt;"};
    *place = LETHE_RDF_TEXT;
    return (look){closes.n, NULL};
}

static look look_at(const uint8_t *p, size_t n, bool last, lethe_rdf_place *place)
{
    if (*p == (uint8_t)places[*place].closes.at[0]) return look_at_end(p, n, last, place);
    switch (kind_of(*p)) {
    case CONTROL:
        return (look){1, " "};
    case AMPERSAND:
        return *place == LETHE_RDF_TEXT ? look_at_ampersand(p, n, last) : (look){1, NULL};
    case LESS:
        return *place == LETHE_RDF_TEXT ? look_at_less(p, n, last, place) : (look){1, NULL};
    case WIDE:
        return look_at_wide(p, n, last);
    default:
        return (look){1, NULL};
    }
}

lethe_err lethe_rdf_repair(lethe_rdf_place *place, lethe_str in, bool last, lethe_buf *out,
                           size_t *used, uint64_t *repaired)
{
    const uint8_t *from = (const uint8_t *)in.at, *p = from, *end = from + in.n;
    LETHE_TRY(lethe_buf_reserve(out, in.n));
    while (p < end) {
        uint8_t closes = (uint8_t)places[*place].closes.at[0];
        while (p < end && is_plain(*p, closes))
            p++;
        if (p == end) break;
        look l = look_at(p, (size_t)(end - p), last, place);
        if (l.n == 0) break;
        if (l.instead) {
            LETHE_TRY(lethe_buf_put(out, from, (size_t)(p - from)));
            LETHE_TRY(lethe_buf_str(out, lethe_str_of(l.instead)));
            from = p + l.n;
            ++*repaired;
        }
        p += l.n;
    }
    LETHE_TRY(lethe_buf_put(out, from, (size_t)(p - from)));
    *used = (size_t)(p - (const uint8_t *)in.at);
    return LETHE_OK;
}
