/* SPDX-License-Identifier: Apache-2.0 */
/* pii_internal.h - what the detectors of personal data share.  Not for use outside pii*.c. */
#ifndef LETHE_TEXT_PII_PII_INTERNAL_H
#define LETHE_TEXT_PII_PII_INTERNAL_H
#include "text/pii/pii.h"

/* A text under the detectors' eyes.  Nothing before `lo` is looked at: it is taken for a mask. */
typedef struct lethe_pii_view {
    const char *p;
    size_t lo, n;
    unsigned kinds;
} lethe_pii_view;

#define LETHE_PII_BIT(kind) (1u << LETHE_PII_##kind)

static inline bool lethe_pii_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool lethe_pii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool lethe_pii_alnum(char c) { return lethe_pii_digit(c) || lethe_pii_letter(c); }
/* A byte of a word: a letter, a digit, or anything past ASCII. */
static inline bool lethe_pii_wordy(char c) { return lethe_pii_alnum(c) || (signed char)c < 0; }
/* Not the first byte of a code point. */
static inline bool lethe_pii_inner(char c) { return ((uint8_t)c & 0xC0) == 0x80; }

/* The byte at `i`, and the one before it; 0 where there is none. */
static inline char lethe_pii_at(const lethe_pii_view *v, size_t i)
{
    return i < v->n ? v->p[i] : '\0';
}
static inline char lethe_pii_before(const lethe_pii_view *v, size_t i)
{
    return i > v->lo ? v->p[i - 1] : '\0';
}

/* Bytes of the hyphen at `i`: '-' itself; U+2010 to U+2015, U+2212 and U+2043, which people's word
 * processors put in its place; the points U+00B7 and U+2022; U+FFFD, which is what becomes of any
 * of them in a log of another encoding.  0: no hyphen. */
static inline size_t lethe_pii_hyphen(const lethe_pii_view *v, size_t i)
{
    if (i >= v->n) return 0;
    if (v->p[i] == '-') return 1;
    if ((signed char)v->p[i] >= 0 || v->n - i < 2) return 0;
    uint8_t a = (uint8_t)v->p[i], b = (uint8_t)v->p[i + 1];
    if (a == 0xC2) return b == 0xB7 ? 2 : 0;
    if (v->n - i < 3) return 0;
    uint8_t c = (uint8_t)v->p[i + 2];
    if (a == 0xEF) return b == 0xBF && c == 0xBD ? 3 : 0;
    if (a != 0xE2) return 0;
    if (b == 0x80) return (c >= 0x90 && c <= 0x95) || c == 0xA2 ? 3 : 0;
    return (b == 0x88 && c == 0x92) || (b == 0x81 && c == 0x83) ? 3 : 0;
}
/* The same for one that ends at `i`. */
static inline size_t lethe_pii_hyphen_before(const lethe_pii_view *v, size_t i)
{
    if (i > v->lo && v->p[i - 1] == '-') return 1;
    if (i >= v->lo + 2 && lethe_pii_hyphen(v, i - 2) == 2) return 2;
    return i >= v->lo + 3 && lethe_pii_hyphen(v, i - 3) == 3 ? 3 : 0;
}

/* Bytes of up to four marks at `i` that belong to what stands before them: strokes through it,
 * frames around it, selectors of its picture.  They do not separate digits. */
size_t lethe_pii_marks(const lethe_pii_view *v, size_t i);
/* Bytes of the ASCII digit at `i` with its marks; 0: there is none. */
static inline size_t lethe_pii_digit_at(const lethe_pii_view *v, size_t i)
{
    if (i >= v->n || !lethe_pii_digit(v->p[i])) return 0;
    // no mark's first byte is smaller
    return i + 1 < v->n && (uint8_t)v->p[i + 1] >= 0xCC ? 1 + lethe_pii_marks(v, i + 1) : 1;
}
/* '/', or the other one, which is typed for it. */
static inline bool lethe_pii_slash(char c) { return c == '/' || c == '\\'; }

/* Of two findings the one that wins: begins first, then longest, then first kind. */
static inline bool lethe_pii_wins(const lethe_finding *a, const lethe_finding *b)
{
    if (a->at != b->at) return a->at < b->at;
    if (a->n != b->n) return a->n > b->n;
    return a->kind < b->kind;
}
/* Makes *best the winner of itself (*any: is there one?) and `f`. */
static inline void lethe_pii_offer(lethe_finding *best, bool *any, const lethe_finding *f)
{
    if (!*any || lethe_pii_wins(f, best)) *best = *f;
    *any = true;
}

/* Is there neither a letter or digit before `i` (behind what ends there), nor a hyphen or point
 * that ties it to a digit? */
bool lethe_pii_stands_from(const lethe_pii_view *v, size_t i);
bool lethe_pii_stands_to(const lethe_pii_view *v, size_t i);

/* Each looks for a finding at an anchor `i` and gives the winner of those of its kinds that are
 * wanted.  They look back and ahead by a bounded number of bytes. */

/* ssn, card, phone: anchor is the first digit of a group. */
bool lethe_pii_numbers(const lethe_pii_view *v, size_t i, lethe_finding *out);
/* address: anchor is the first digit of a group, that of the house or the box. */
bool lethe_pii_address(const lethe_pii_view *v, size_t i, lethe_finding *out);
/* iban, id, birth, plate: anchor is the first digit of a group. */
bool lethe_pii_codes(const lethe_pii_view *v, size_t i, lethe_finding *out);
/* IPv4: anchor is its first digit.  IPv6: anchor is its first colon. */
bool lethe_pii_ipv4(const lethe_pii_view *v, size_t i, lethe_finding *out);
bool lethe_pii_ipv6(const lethe_pii_view *v, size_t i, lethe_finding *out);
/* Anchor is the '@'. */
bool lethe_pii_email(const lethe_pii_view *v, size_t i, lethe_finding *out);
/* Anchor is the first slash, '?' or '#' behind the host, or the first slash of "://".  Looks ahead
 * to the end of the URL. */
bool lethe_pii_url(const lethe_pii_view *v, size_t i, lethe_finding *out);
/* The end of an IPv4 address that begins at `i`, whatever stands before it; 0: none. */
size_t lethe_pii_ipv4_end(const lethe_pii_view *v, size_t i);

/* What a word says about an address that it stands in. */
enum {
    LETHE_PII_STRONG = 1 << 0, /* kind of street: means little else (avenue, road) */
    LETHE_PII_BRIEF = 1 << 1,  /* one cut short (ct, dr) */
    LETHE_PII_WEAK = 1 << 2,   /* one that means other things too (drive, court, way) */
    LETHE_PII_DIRECTION = 1 << 3,
    LETHE_PII_UNIT = 1 << 4,      /* apt, suite */
    LETHE_PII_SAINT = 1 << 5,     /* after "st" */
    LETHE_PII_DOCTOR = 1 << 6,    /* after "dr" */
    LETHE_PII_COUNTED = 1 << 7,   /* what numbers count or measure: no house stands before these */
    LETHE_PII_NEVER = 1 << 8,     /* separates two thoughts: no street's name contains it */
    LETHE_PII_BEFORE = 1 << 9,    /* kind of street that comes before the name (rue, via) */
    LETHE_PII_PARTICLE = 1 << 10, /* between the two (de, della) */
    LETHE_PII_ROAD = 1 << 11,     /* has a number itself (hwy 41) */
    LETHE_PII_WHOSE = 1 << 12,    /* before those (us hwy 41) */
    LETHE_PII_BOXED = 1 << 13,    /* has a number and a box (psc 12 box 34) */
};
unsigned lethe_pii_word(const char *p, size_t n); /* 0: a word like others */
bool lethe_pii_words_in_order(void);              /* for tests: it is looked up by halves */

/* How far a search for phrases came; `inside`: in the middle of a word that is too long. */
typedef struct lethe_pii_cursor {
    size_t at;
    bool inside;
} lethe_pii_cursor;
/* The first phrase that begins between the cursor and `limit`; if there is none, the cursor comes
 * to limit, or beyond it where words or masks end. */
bool lethe_pii_phrase(const lethe_phrases *p, lethe_str text, lethe_pii_cursor *c, size_t limit,
                      lethe_finding *out);

#endif
