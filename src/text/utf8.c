/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 made valid.  ASCII is skipped eight bytes at a time; the rest is decoded by the table of
 * well-formed sequences (Unicode 15.0, table 3-7). */
#include "text/utf8.h"
#include "text/normalize.h"

/* What may follow a lead byte: how many bytes there are, and the range of the second one, which is
 * where overlong forms, surrogates and code points past U+10FFFF are refused. */
typedef struct lead {
    size_t n;
    uint8_t low, high;
} lead;

static lead lead_of(uint8_t c)
{
    if (c >= 0xC2 && c <= 0xDF) return (lead){2, 0x80, 0xBF};
    if (c == 0xE0) return (lead){3, 0xA0, 0xBF};
    if (c == 0xED) return (lead){3, 0x80, 0x9F};
    if (c >= 0xE1 && c <= 0xEF) return (lead){3, 0x80, 0xBF};
    if (c == 0xF0) return (lead){4, 0x90, 0xBF};
    if (c >= 0xF1 && c <= 0xF3) return (lead){4, 0x80, 0xBF};
    if (c == 0xF4) return (lead){4, 0x80, 0x8F};
    return (lead){0, 0, 0};
}

size_t lethe_utf8_step(const uint8_t *p, const uint8_t *end, uint32_t *cp, bool *ok)
{
    *ok = true;
    *cp = *p;
    if (*p < 0x80) return 1;
    lead l = lead_of(*p);
    uint32_t v = l.n == 2 ? *p & 0x1Fu : l.n == 3 ? *p & 0x0Fu : *p & 0x07u;
    size_t i = 1;
    for (; i < l.n && p + i < end; i++) {
        uint8_t low = i == 1 ? l.low : 0x80, high = i == 1 ? l.high : 0xBF;
        if (p[i] < low || p[i] > high) break;
        v = v << 6 | (p[i] & 0x3Fu);
    }
    *ok = l.n != 0 && i == l.n;
    *cp = *ok ? v : LETHE_REPLACEMENT;
    return i;
}

size_t lethe_utf8_put(uint32_t cp, uint8_t *out)
{
    if (cp < 0x80) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    size_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (cp & 0x3F));
        cp >>= 6;
    }
    out[0] = (uint8_t)((n == 2 ? 0xC0u : n == 3 ? 0xE0u : 0xF0u) | cp);
    return n;
}

/* How many of the first bytes are valid. */
static size_t valid_prefix(lethe_str s)
{
    const uint8_t *start = (const uint8_t *)s.at, *p = start, *end = start + s.n;
    while (p < end) {
        uint64_t word;
        if (end - p >= 8) {
            memcpy(&word, p, 8);
            if ((word & 0x8080808080808080u) == 0) {
                p += 8;
                continue;
            }
        }
        uint32_t cp;
        bool ok;
        size_t n = lethe_utf8_step(p, end, &cp, &ok);
        if (!ok) break;
        p += n;
    }
    return (size_t)(p - start);
}

bool lethe_utf8_valid(lethe_str s) { return s.n == 0 || valid_prefix(s) == s.n; }

lethe_err lethe_utf8_repair(lethe_str in, lethe_buf *buf, lethe_str *out, bool *invalid)
{
    buf->n = 0;
    size_t good = in.n == 0 ? 0 : valid_prefix(in);
    if (good == in.n) {
        *invalid = false;
        *out = in;
        return LETHE_OK;
    }
    while (in.n > 0) {
        LETHE_TRY(lethe_buf_put(buf, in.at, good));
        in = (lethe_str){in.at + good, in.n - good};
        if (in.n == 0) break;
        const uint8_t *p = (const uint8_t *)in.at;
        uint32_t cp;
        bool ok;
        size_t broken = lethe_utf8_step(p, p + in.n, &cp, &ok);
        LETHE_TRY(lethe_buf_put(buf, "\xEF\xBF\xBD", 3));
        in = (lethe_str){in.at + broken, in.n - broken};
        good = in.n == 0 ? 0 : valid_prefix(in);
    }
    *invalid = true;
    *out = (lethe_str){(const char *)buf->at, buf->n};
    return LETHE_OK;
}
