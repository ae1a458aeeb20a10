#include "lexicon/odp_internal.h"
#include "text/utf8.h"

/* What a byte may need: nothing, or a closer look. */
enum { PLAIN, CONTROL, AMPERSAND, LESS, WIDE };

static bool is_plain(uint8_t c) { return (uint8_t)(c - ' ') < 0x60 && c != '&' && c != '<'; }

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

static look look_at_less(const uint8_t *p, size_t n, bool last)
{
    if (n < 2) return last ? (look){1, "&lt;"} : unseen;
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

static look look_at(const uint8_t *p, size_t n, bool last)
{
    switch (kind_of(*p)) {
    case CONTROL:
        return (look){1, " "};
    case AMPERSAND:
        return look_at_ampersand(p, n, last);
    case LESS:
        return look_at_less(p, n, last);
    case WIDE:
        return look_at_wide(p, n, last);
    default:
        return (look){1, NULL};
    }
}

lethe_err lethe_rdf_repair(lethe_str in, bool last, lethe_buf *out, size_t *used,
                           uint64_t *repaired)
{
    const uint8_t *from = (const uint8_t *)in.at, *p = from, *end = from + in.n;
    LETHE_TRY(lethe_buf_reserve(out, in.n));
    while (p < end) {
        while (p < end && is_plain(*p))
            p++;
        if (p == end) break;
        look l = look_at(p, (size_t)(end - p), last);
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
