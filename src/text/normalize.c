/* SPDX-License-Identifier: Apache-2.0 */
/* The normal form of a query: NFKC with full case folding (Unicode 15.0, sections 3.11 and 3.13),
 * and spaces.  Most queries are ASCII and normal already; they are recognised sixteen bytes at a
 * time and handed back as they are. */
#include "text/normalize.h"
#include "text/utf8.h"
#include <utf8proc.h>

/* Code points that fit here need no allocation. */
#define STACK_POINTS 512
/* Passes until the form is stable.  One is enough for all that is known; the rest is caution, since
 * a release whose queries change when they are normalised again would fail its own check. */
#define MAX_PASSES 8

#define FOLD                                                                                       \
    (UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)

/* --- ASCII --- */

#ifdef __SSE2__
/* One bit per byte that a normal ASCII text does not hold, wherever it stands. */
static unsigned odd_bytes(__m128i v)
{
    __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); // signed: bytes from 0x80 on too
    __m128i del = _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F));
    // 'A'..'Z' moved to the lowest 26 of the signed range
    __m128i moved = _mm_add_epi8(v, _mm_set1_epi8((char)(0x80 - 'A')));
    __m128i upper = _mm_cmplt_epi8(moved, _mm_set1_epi8(-128 + 26));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, del), upper));
}

static unsigned space_bytes(__m128i v)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')));
}

/* 4 to 15 bytes: two overlapping halves side by side.  Where they meet, bytes look like neighbours
 * that are none; the true pair there lies inside the second half. */
static bool short_is_normal(const char *p, size_t n)
{
    uint64_t a = 0, b = 0;
    size_t half = n >= 8 ? 8 : 4;
    memcpy(&a, p, half == 8 ? 8 : 4);
    memcpy(&b, p + n - half, half == 8 ? 8 : 4);
    if (half == 4) {
        a |= 0x6161616100000000u; // 'a' where there is nothing
        b |= 0x6161616100000000u;
    }
    __m128i v = _mm_set_epi64x((long long)b, (long long)a);
    unsigned spaces = space_bytes(v);
    return odd_bytes(v) == 0 && (spaces & (spaces << 1) & ~(1u << 8)) == 0;
}

static bool long_is_normal(const char *p, size_t n)
{
    unsigned before = 0; // was the last byte a space?
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        unsigned spaces = space_bytes(v);
        if (odd_bytes(v) != 0 || (spaces & (spaces << 1 | before)) != 0) return false;
        before = spaces >> 15;
    }
    if (i == n) return true;
    // the last 16 bytes overlap those before, so a pair across the seam is seen inside
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + n - 16));
    unsigned spaces = space_bytes(v);
    return odd_bytes(v) == 0 && (spaces & (spaces << 1)) == 0;
}
#endif

static bool bytes_are_normal(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        signed char c = (signed char)p[i];
        if (c < 0x20 || c == 0x7F || (c >= 'A' && c <= 'Z')) return false;
        if (c == ' ' && i > 0 && p[i - 1] == ' ') return false;
    }
    return true;
}

static bool ascii_is_normal(lethe_str s)
{
    if (s.n == 0) return true;
    if (s.at[0] == ' ' || s.at[s.n - 1] == ' ') return false;
#ifdef __SSE2__
    if (s.n >= 16) return long_is_normal(s.at, s.n);
    if (s.n >= 4) return short_is_normal(s.at, s.n);
#endif
    return bytes_are_normal(s.at, s.n);
}

static bool is_ascii(lethe_str s)
{
    uint64_t high = 0, word;
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8) {
        memcpy(&word, s.at + i, 8);
        high |= word;
    }
    for (; i < s.n; i++)
        high |= (uint64_t)(uint8_t)s.at[i];
    return (high & 0x8080808080808080u) == 0;
}

static lethe_err normalize_ascii(lethe_str in, lethe_buf *buf)
{
    LETHE_TRY(lethe_buf_reserve(buf, in.n + 1));
    uint8_t *w = buf->at;
    bool pending = false; // a space, written only if something follows
    for (size_t i = 0; i < in.n; i++) {
        uint8_t c = (uint8_t)in.at[i];
        if (c <= ' ' || c == 0x7F) {
            pending = w > buf->at;
            continue;
        }
        if (pending) *w++ = ' ';
        pending = false;
        *w++ = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
    }
    buf->n = (size_t)(w - buf->at);
    return LETHE_OK;
}

/* --- the rest of Unicode --- */

typedef struct points {
    int32_t stack[STACK_POINTS];
    int32_t *at;
    size_t n, cap;
} points;

/* More marks on one letter than any language has: the rest is left out, or a line of nothing else
 * would take time with the square of its length to bring into order (Unicode Standard Annex 15,
 * section 13, takes the same number). */
#define MARKS_MAX 30

/* Is the code point a mark, or does it become nothing but marks?  The five exceptions are all there
 * are. */
static bool is_mark(uint32_t cp)
{
    return cp == 0x0F73 || cp == 0x0F75 || cp == 0x0F81 || cp == 0xFF9E || cp == 0xFF9F ||
           utf8proc_get_property((utf8proc_int32_t)cp)->combining_class != 0;
}

/* Leaves out what stands after MARKS_MAX marks in a row; what normalising removes does not
 * interrupt a row. *out is `in` where there is no such row. */
static lethe_err cut_marks(lethe_str in, lethe_buf *buf, lethe_str *out)
{
    const uint8_t *p = (const uint8_t *)in.at, *end = p + in.n, *kept = p;
    unsigned marks = 0;
    buf->n = 0;
    while (p < end) {
        uint32_t cp;
        bool ok;
        const uint8_t *from = p;
        p += lethe_utf8_step(p, end, &cp, &ok);
        if (cp < 0x80 || !is_mark(cp)) {
            bool removed = cp >= 0x80 && utf8proc_get_property((utf8proc_int32_t)cp)->ignorable;
            marks = removed ? marks : 0;
            continue;
        }
        if (++marks <= MARKS_MAX) continue;
        LETHE_TRY(lethe_buf_put(buf, kept, (size_t)(from - kept)));
        kept = p;
    }
    *out = in;
    if (kept == (const uint8_t *)in.at) return LETHE_OK;
    LETHE_TRY(lethe_buf_put(buf, kept, (size_t)(end - kept)));
    *out = (lethe_str){(const char *)buf->at, buf->n};
    return LETHE_OK;
}

/* Decomposes valid UTF-8 into canonical order. */
static lethe_err decompose(lethe_str in, int options, points *p)
{
    for (;;) {
        utf8proc_ssize_t n =
            utf8proc_decompose((const utf8proc_uint8_t *)in.at, (utf8proc_ssize_t)in.n, p->at,
                               (utf8proc_ssize_t)p->cap, (utf8proc_option_t)options);
        if (n < 0) return LETHE_ENOMEM; // valid UTF-8: only a length past all bounds is left
        if ((size_t)n <= p->cap) {
            p->n = (size_t)n;
            return LETHE_OK;
        }
        int32_t *more = lethe_alloc((size_t)n, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        if (p->at != p->stack) lethe_free(p->at);
        p->at = more;
        p->cap = (size_t)n;
    }
}

static bool is_space(int32_t cp)
{
    switch (utf8proc_category(cp)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
        return true;
    default:
        return false;
    }
}

/* Code points to UTF-8 in `buf` (replaced).  With `spaces`, runs of white space and control
 * characters become one space, and none at either end. */
static lethe_err encode(const points *p, bool spaces, lethe_buf *buf)
{
    buf->n = 0;
    LETHE_TRY(lethe_buf_reserve(buf, p->n * 4 + 1));
    uint8_t *w = buf->at;
    bool pending = false;
    for (size_t i = 0; i < p->n; i++) {
        if (spaces && is_space(p->at[i])) {
            pending = w > buf->at;
            continue;
        }
        if (pending) *w++ = ' ';
        pending = false;
        w += lethe_utf8_put((uint32_t)p->at[i], w);
    }
    buf->n = (size_t)(w - buf->at);
    return LETHE_OK;
}

/* Folding turns the iota subscript (U+0345, also inside U+1F80 to U+1FFF) into a letter, after
 * which marks can no longer be brought into order; such text is decomposed canonically first
 * (Unicode 15.0, D145: toCasefold(NFD(X))), or canonically equal texts would get two forms. */
static bool has_iota_subscript(lethe_str s)
{
    for (size_t i = 0; i + 1 < s.n; i++) {
        uint8_t a = (uint8_t)s.at[i], b = (uint8_t)s.at[i + 1];
        if ((a == 0xCD && b == 0x85) || (a == 0xE1 && (b == 0xBE || b == 0xBF))) return true;
    }
    return false;
}

/* Marks are cut in each pass: bringing them into order can set some of a letter's own free. */
static lethe_err fold_once(lethe_str in, points *p, lethe_buf *cut, lethe_buf *buf)
{
    LETHE_TRY(cut_marks(in, cut, &in));
    LETHE_TRY(decompose(in, FOLD, p));
    utf8proc_ssize_t n =
        utf8proc_normalize_utf32(p->at, (utf8proc_ssize_t)p->n, (utf8proc_option_t)FOLD);
    assert(n >= 0 && (size_t)n <= p->n);
    p->n = (size_t)n;
    return encode(p, true, buf);
}

/* Passes until nothing changes, `a` and `b` taking turns; the result is in `a`. */
static lethe_err fold(lethe_str in, points *p, lethe_buf *cut, lethe_buf *a, lethe_buf *b)
{
    if (has_iota_subscript(in)) {
        LETHE_TRY(cut_marks(in, cut, &in));
        LETHE_TRY(decompose(in, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, p));
        LETHE_TRY(encode(p, false, b));
        in = (lethe_str){(const char *)b->at, b->n};
    }
    LETHE_TRY(fold_once(in, p, cut, a));
    lethe_str now = {(const char *)a->at, a->n};
    for (int pass = 1; pass < MAX_PASSES && !lethe_str_eq(in, now); pass++) {
        LETHE_TRY(fold_once(now, p, cut, b));
        lethe_buf t = *a;
        *a = *b;
        *b = t;
        in = now;
        now = (lethe_str){(const char *)a->at, a->n};
    }
    return LETHE_OK;
}

static lethe_err normalize_unicode(lethe_str in, lethe_buf *buf, bool *invalid)
{
    points p;
    p.at = p.stack;
    p.n = 0;
    p.cap = STACK_POINTS;
    lethe_buf repaired = {0}, cut = {0}, other = {0};
    lethe_str valid;
    lethe_err e = lethe_utf8_repair(in, &repaired, &valid, invalid);
    if (e == LETHE_OK) e = fold(valid, &p, &cut, buf, &other);
    if (p.at != p.stack) lethe_free(p.at);
    lethe_buf_free(&repaired);
    lethe_buf_free(&cut);
    lethe_buf_free(&other);
    return e;
}

lethe_err lethe_normalize(lethe_str in, lethe_buf *buf, lethe_str *out, bool *invalid)
{
    buf->n = 0;
    bool broken = false;
    if (ascii_is_normal(in)) {
        *invalid = false;
        *out = in;
        return LETHE_OK;
    }
    if (is_ascii(in))
        LETHE_TRY(normalize_ascii(in, buf));
    else
        LETHE_TRY(normalize_unicode(in, buf, &broken));
    *invalid = broken;
    *out = (lethe_str){(const char *)buf->at, buf->n};
    return LETHE_OK;
}

uint32_t lethe_count_words(lethe_str normal)
{
    uint32_t n = 0;
    bool inside = false;
    for (size_t i = 0; i < normal.n; i++) {
        bool space = normal.at[i] == ' ';
        n += !space && !inside;
        inside = !space;
    }
    return n;
}
