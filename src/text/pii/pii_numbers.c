/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that say what they are: social-security numbers, payment cards, telephones.
 *
 * All three are groups of digits with signs between them.  The groups that follow an anchor are
 * read once, into a chain of bounded length, and each detector looks at the chain. */
#include "text/pii/pii_internal.h"

enum {
    MAX_GROUPS = 10,
    GROUP_MAX = 19,  /* digits: no longer group is of any use here */
    MAX_DIGITS = 24, /* in a chain */
    CARD_MIN = 12,
    CARD_MAX = 19,
    INTL_MIN = 7, /* ITU-T E.164: at most 15 digits */
    INTL_MAX = 15,
    EXTENSION_MAX = 6,
    SIGNS_MAX = 3, /* between two groups */
};

/* What stands before a group. */
typedef enum sign {
    NOTHING, /* first group */
    DASH,
    DOT,
    SPACE,
    SLASH,
    MIXED, /* two or three of them: " - ", "--" */
    LIST,  /* one to three signs with a comma or underscore among them */
    CLOSE, /* ")", ") ", ")-" */
    OPEN,  /* "(", " (", "-(" */
} sign;

typedef struct group {
    size_t at, end;
    const char *digits; /* in the chain, without their marks */
    size_t n;
    sign before;
} group;

typedef struct chain {
    group g[MAX_GROUPS];
    size_t n;
    char digits[MAX_DIGITS];
    bool plus, paren; /* '+' or '(' before the first group */
    size_t at;        /* of that, or of the first group */
} chain;

/* --- reading a chain --- */

static size_t digits_end(const lethe_pii_view *v, size_t i, size_t max)
{
    size_t end = LETHE_MIN(v->n, i + max);
    while (i < end && lethe_pii_digit(v->p[i]))
        i++;
    return i;
}

/* Bytes of the sign at `i`, and which it is; 0: none that parts groups. */
static size_t sign_at(const lethe_pii_view *v, size_t i, sign *s)
{
    size_t h = lethe_pii_hyphen(v, i);
    *s = DASH;
    if (h > 0) return h;
    switch (lethe_pii_at(v, i)) {
    case '.':
        *s = DOT;
        return 1;
    case ' ':
        *s = SPACE;
        return 1;
    case '/':
        *s = SLASH;
        return 1;
    case ',':
    case '_':
        *s = LIST;
        return 1;
    default:
        return 0;
    }
}

/* Where the group after the signs at `i` begins; `i` itself if there is no sign with a digit
 * behind. */
static size_t after_sign(const lethe_pii_view *v, size_t i, sign *s)
{
    size_t k = i, h;
    if (lethe_pii_at(v, i) == ')') {
        k = i + 1;
        h = lethe_pii_hyphen(v, k);
        k += h ? h : lethe_pii_at(v, k) == ' ';
        *s = CLOSE;
    } else {
        sign one;
        for (int n = 0; n < SIGNS_MAX && (h = sign_at(v, k, &one)) > 0; n++, k += h)
            *s = n == 0 ? one : *s == LIST || one == LIST ? LIST : MIXED;
    }
    if (lethe_pii_at(v, k) == '(') {
        k++;
        *s = OPEN;
    }
    return lethe_pii_digit(lethe_pii_at(v, k)) ? k : i;
}

static void read_chain(const lethe_pii_view *v, size_t i, chain *c)
{
    sign s = NOTHING;
    size_t n = 0;
    c->n = 0;
    c->plus = lethe_pii_before(v, i) == '+';
    c->paren = lethe_pii_before(v, i) == '(';
    // "+(44)": the plus counts
    if (c->paren && i > v->lo + 1 && v->p[i - 2] == '+') c->plus = true;
    c->at = i - c->paren - c->plus;
    while (c->n < MAX_GROUPS) {
        group g = {i, i, c->digits + n, 0, s};
        for (size_t bytes; (bytes = lethe_pii_digit_at(v, g.end)) > 0; g.end += bytes, g.n++) {
            if (g.n == GROUP_MAX || n == MAX_DIGITS) return;
            c->digits[n++] = v->p[g.end];
        }
        c->g[c->n++] = g;
        i = after_sign(v, g.end, &s);
        if (i == g.end) return;
    }
}

static uint32_t value(const char *digits, size_t n)
{
    uint32_t x = 0;
    for (size_t k = 0; k < n; k++)
        x = x * 10 + (uint32_t)(digits[k] - '0');
    return x;
}
static bool in_brackets(const group *g) { return g->before == CLOSE || g->before == OPEN; }

/* --- edges --- */

bool lethe_pii_stands_from(const lethe_pii_view *v, size_t i)
{
    char c = lethe_pii_before(v, i);
    if (lethe_pii_alnum(c)) return false;
    size_t h = c == '.' ? 1 : lethe_pii_hyphen_before(v, i);
    return h == 0 || !lethe_pii_digit(lethe_pii_before(v, i - h));
}
bool lethe_pii_stands_to(const lethe_pii_view *v, size_t i)
{
    char c = lethe_pii_at(v, i);
    if (lethe_pii_alnum(c)) return false;
    size_t h = c == '.' ? 1 : lethe_pii_hyphen(v, i);
    return h == 0 || !lethe_pii_digit(lethe_pii_at(v, i + h));
}

/* --- social-security numbers --- */

/* Areas 000, 666 and from 900 on, group 00 and serial 0000 were never issued (SSA, POMS RM
 * 10201.030 and 20 CFR 422; areas are given at random since 2011, so others may be). */
static bool was_issued(uint32_t area, uint32_t two, uint32_t serial)
{
    return area != 0 && area != 666 && area < 900 && two != 0 && serial != 0;
}

static bool ssn(const lethe_pii_view *v, const chain *c, lethe_finding *out)
{
    const group *g = c->g;
    size_t at = g[0].at, end = g[0].end;
    const char *d = c->digits;
    if (!lethe_pii_stands_from(v, at)) return false;
    if (g[0].n != 9) {
        if (c->n < 3 || g[0].n != 3 || g[1].n != 2 || g[2].n != 4) return false;
        if (in_brackets(&g[1]) || in_brackets(&g[2])) return false;
        end = g[2].end;
    }
    if (!was_issued(value(d, 3), value(d + 3, 2), value(d + 5, 4))) return false;
    if (!lethe_pii_stands_to(v, end)) return false;
    *out = (lethe_finding){at, end - at, LETHE_PII_SSN};
    return true;
}

/* --- cards --- */

typedef struct issuer {
    uint16_t from, to; /* first four digits */
    uint8_t min, max;  /* digits */
} issuer;

/* ISO/IEC 7812; any row that holds the prefix and the length.  JCB has registered 3528 to 3589
 * only; the rest of 35 is nobody's, and numbers that are made up often have it, so it counts too.
 */
static const issuer issuers[] = {
    {4000, 4999, 13, 13}, {4000, 4999, 16, 16}, {4000, 4999, 19, 19}, /* Visa */
    {5100, 5599, 16, 16}, {2221, 2720, 16, 16},                       /* Mastercard */
    {3400, 3499, 15, 15}, {3700, 3799, 15, 15},                       /* American Express */
    {3000, 3059, 14, 19}, {3095, 3095, 14, 19}, {3600, 3699, 14, 19},
    {3800, 3999, 14, 19},                                             /* Diners Club */
    {3500, 3599, 16, 19}, {1800, 1800, 15, 15}, {2131, 2131, 15, 15}, /* JCB */
    {5000, 5099, 12, 19}, {5600, 6999, 12, 19}, /* Maestro; Discover and UnionPay inside it */
};

static bool is_issued(uint32_t prefix, size_t n)
{
    for (size_t k = 0; k < LETHE_COUNT(issuers); k++) {
        const issuer *r = &issuers[k];
        if (prefix >= r->from && prefix <= r->to && n >= r->min && n <= r->max) return true;
    }
    return false;
}

/* The check digit of ISO/IEC 7812-1, annex B. */
static bool luhn(const char *digits, size_t n)
{
    unsigned sum = 0;
    for (size_t k = 0; k < n; k++) {
        unsigned x = (unsigned)(digits[n - 1 - k] - '0');
        if (k & 1) x = x > 4 ? 2 * x - 9 : 2 * x;
        sum += x;
    }
    return sum % 10 == 0;
}

/* The longest row of groups of two digits and more that makes a card. */
static bool card(const lethe_pii_view *v, const chain *c, lethe_finding *out)
{
    const char *digits = c->digits;
    size_t n = 0, at = c->g[0].at;
    bool found = false;
    if (!lethe_pii_stands_from(v, at)) return false;
    for (size_t k = 0; k < c->n; k++) {
        const group *g = &c->g[k];
        if (in_brackets(g) || n + g->n > CARD_MAX || g->n < 2) break;
        n += g->n;
        if (n >= CARD_MIN && lethe_pii_stands_to(v, g->end) && is_issued(value(digits, 4), n) &&
            luhn(digits, n)) {
            *out = (lethe_finding){at, g->end - at, LETHE_PII_CARD};
            found = true;
        }
    }
    return found;
}

/* --- telephones --- */

static bool from_two(const char *digit) { return *digit >= '2'; }

/* 600 750 1000: sizes, models; people write telephone numbers with other digits or signs. */
static bool is_list(const group *g)
{
    for (int k = 0; k < 3; k++) {
        if (value(g[k].digits, g[k].n) % 50 != 0) return false;
        if (k > 0 && g[k].before != SPACE && g[k].before != LIST) return false;
    }
    return true;
}

/* Area and exchange of the North American plan begin with 2 to 9.  Groups from `k` on: 3-3-4, 3-7
 * or 10; returns the group after them, 0 if they are not so. */
static size_t nanp_groups(const chain *c, size_t k)
{
    const group *g = c->g + k;
    size_t left = c->n - k;
    if (left == 0 || !from_two(g[0].digits)) return 0;
    if (g[0].n == 10) return from_two(g[0].digits + 3) ? k + 1 : 0;
    if (left < 2 || g[0].n != 3 || !from_two(g[1].digits)) return 0;
    if (g[1].n == 7) return k + 2;
    return left >= 3 && g[1].n == 3 && g[2].n == 4 && !is_list(g) ? k + 3 : 0;
}

/* US forms: 10 digits, a 1 before them or not. */
static size_t nanp_end(const chain *c)
{
    const group *g = c->g;
    const char *d = c->digits;
    size_t k = nanp_groups(c, 0);
    if (k == 0 && g[0].n == 1 && d[0] == '1' && c->n > 1) k = nanp_groups(c, 1);
    if (k > 0) return g[k - 1].end;
    return g[0].n == 11 && d[0] == '1' && from_two(d + 1) && from_two(d + 4) ? g[0].end : 0;
}

/* The end of the most groups from the first on with min to max digits; groups past the third have
 * two digits or more.  0: none. */
static size_t groups_end(const lethe_pii_view *v, const chain *c, size_t min, size_t max)
{
    size_t n = 0, end = 0;
    for (size_t k = 0; k < c->n; k++) {
        if ((c->g[k].n < 2 && k > 2) || c->g[k].before == LIST) break;
        n += c->g[k].n;
        if (n > max) break;
        if (n >= min && lethe_pii_stands_to(v, c->g[k].end)) end = c->g[k].end;
    }
    return end;
}

/* +44 20 7946 0958; 0044 20 7946 0958.  Country 1 has ten digits more. */
static size_t international_end(const lethe_pii_view *v, const chain *c, bool plus)
{
    size_t zeros = plus ? 0 : 2;
    const char *d = c->digits;
    if (!plus && (c->g[0].n < 2 || d[0] != '0' || d[1] != '0')) return 0;
    if (zeros && c->g[0].n == 2 && c->n == 1) return 0;
    if (d[zeros] == '0') return 0;
    if (d[zeros] == '1') return groups_end(v, c, 11 + zeros, 11 + zeros);
    return groups_end(v, c, INTL_MIN + zeros + (zeros ? 1 : 0), INTL_MAX + zeros);
}

/* 05 12 23 34 45: pairs up to 59, each greater than the one before, are drawn numbers. */
static bool are_drawn(const group *g, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (g[k].n != 2 || (k > 0 && value(g[k].digits, 2) <= value(g[k - 1].digits, 2)))
            return false;
    return value(g[n - 1].digits, 2) < 60;
}

/* 020 7946 0958, 01.84.17.61.18, 030/123 456 78, 07700900123: a 0 that is no second one, 9 to 11
 * digits (10 or 11 in a row), groups of two or more, separated alike except the first, which may
 * have signs of its own behind it. */
static size_t national_end(const lethe_pii_view *v, const chain *c)
{
    const group *g = c->g;
    size_t n = 0, end = 0;
    if (g[0].n < 2 || c->digits[0] != '0' || c->digits[1] == '0') return 0;
    for (size_t k = 0; k < c->n; k++) {
        if (g[k].n < 2 || in_brackets(&g[k]) || g[k].before == LIST) break;
        if (k > 1 && g[k].before != SPACE && g[k].before != DOT && g[k].before != DASH) break;
        if (k > 2 && g[k].before != g[2].before) break;
        n += g[k].n;
        if (n > 11) break;
        if (n >= (k > 0 ? 9u : 10u) && lethe_pii_stands_to(v, g[k].end) && !are_drawn(g, k + 1))
            end = g[k].end;
    }
    return end;
}

/* (37) 788-063, (020) 7946 0958: 2 to 4 digits in brackets, no year, 8 to 11 in all. */
static size_t bracket_end(const lethe_pii_view *v, const chain *c)
{
    const group *g = c->g;
    if (!c->paren || c->n < 2 || g[1].before != CLOSE || g[0].n < 2 || g[0].n > 4) return 0;
    if (g[0].n == 4 && value(c->digits, 4) >= 1900 && value(c->digits, 4) < 2100) return 0;
    size_t n = g[0].n, end = 0;
    for (size_t k = 1; k < c->n; k++) {
        if (g[k].n < 2 || (k > 1 && in_brackets(&g[k])) || g[k].before == LIST) break;
        n += g[k].n;
        if (n > 11) break;
        if (n >= 8 && lethe_pii_stands_to(v, g[k].end)) end = g[k].end;
    }
    return end;
}

/* The end of an extension behind a number that ends at `i` (x12, ext 12, extension 12, #12); `i`
 * if there is none. */
static size_t extension_end(const lethe_pii_view *v, size_t i)
{
    static const char *const words[] = {"extension", "ext.", "ext", "x", "#"};
    size_t k = i + (lethe_pii_at(v, i) == ' ');
    for (size_t w = 0; w < LETHE_COUNT(words); w++) {
        size_t n = strlen(words[w]);
        if (v->n - LETHE_MIN(v->n, k) < n || memcmp(v->p + k, words[w], n) != 0) continue;
        k += n;
        k += lethe_pii_at(v, k) == ' ';
        size_t end = digits_end(v, k, EXTENSION_MAX + 1);
        return end > k && end - k <= EXTENSION_MAX && lethe_pii_stands_to(v, end) ? end : i;
    }
    return i;
}

/* The end of the longest form that begins at the first group, without '+'; 0: none. */
static size_t plain_phone_end(const lethe_pii_view *v, const chain *c)
{
    size_t end = 0, us = nanp_end(c);
    if (us > 0) {
        size_t x = extension_end(v, us);
        if (x > us || lethe_pii_stands_to(v, us)) end = x;
    }
    end = LETHE_MAX(end, international_end(v, c, false));
    end = LETHE_MAX(end, national_end(v, c));
    return LETHE_MAX(end, bracket_end(v, c));
}

static bool phone(const lethe_pii_view *v, const chain *c, lethe_finding *out)
{
    size_t at = c->at, end = c->plus ? international_end(v, c, true) : 0;
    if (end > 0) {
        end = extension_end(v, end);
    } else {
        if (!lethe_pii_stands_from(v, c->g[0].at)) return false;
        end = plain_phone_end(v, c);
        if (end == 0) return false;
        bool closed = c->paren && c->n > 1 && c->g[1].before == CLOSE;
        at = c->g[0].at - closed;
    }
    *out = (lethe_finding){at, end - at, LETHE_PII_PHONE};
    return true;
}

bool lethe_pii_numbers(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    chain c;
    lethe_finding f;
    bool any = false;
    if ((v->kinds & (LETHE_PII_BIT(SSN) | LETHE_PII_BIT(CARD) | LETHE_PII_BIT(PHONE))) == 0)
        return false;
    read_chain(v, i, &c);
    size_t digits = 0;
    for (size_t k = 0; k < c.n; k++)
        digits += c.g[k].n;
    if (digits < INTL_MIN) return false;
    if ((v->kinds & LETHE_PII_BIT(SSN)) && ssn(v, &c, &f)) lethe_pii_offer(out, &any, &f);
    if ((v->kinds & LETHE_PII_BIT(CARD)) && card(v, &c, &f)) lethe_pii_offer(out, &any, &f);
    if ((v->kinds & LETHE_PII_BIT(PHONE)) && phone(v, &c, &f)) lethe_pii_offer(out, &any, &f);
    return any;
}
