/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a sealed log: its header, its columns and their decoding. */
#include "model/log/sealed.h"
#include "io/read/lines.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include "core/parse.h"
#include <stdio.h>

const char *const lethe_scheme_names[2] = {"shamir", "additive"};

#define MAGIC "#lethe-sealed 1 "
#define COLUMNS "AnonID\tQueryID\tShare\tBox\tQueryTime"
#define CLICK_COLUMNS COLUMNS "\tItemRank\tClickURL"

enum { N_PLAIN = 5, N_CLICKS = 7, MAX_SHARES = 255 };

/* --- the first two lines --- */

const char *lethe_sealed_form_fault(const lethe_sealed_form *f)
{
    if (f->t < 2) return "t is less than 2";
    if (f->n > MAX_SHARES) return "n is more than 255";
    if (f->t > f->n) return "t is more than n";
    if (f->scheme == LETHE_SCHEME_ADDITIVE && f->n != f->t)
        return "n is not t, which the additive scheme requires";
    return NULL;
}

size_t lethe_sealed_head(const lethe_sealed_form *f, char out[LETHE_SEALED_HEAD_MAX])
{
    int n = snprintf(out, LETHE_SEALED_HEAD_MAX, MAGIC "t=%u n=%u scheme=%s\n%s\n", f->t, f->n,
                     lethe_scheme_names[f->scheme], f->clicks ? CLICK_COLUMNS : COLUMNS);
    assert(n > 0 && n < LETHE_SEALED_HEAD_MAX);
    return (size_t)n;
}

/* Takes `what` off the front of *s. */
static bool take_prefix(lethe_str *s, const char *what)
{
    size_t n = strlen(what);
    if (s->n < n || memcmp(s->at, what, n) != 0) return false;
    *s = (lethe_str){s->at + n, s->n - n};
    return true;
}

/* Takes a number of one to three digits, without a zero in front. */
static bool take_number(lethe_str *s, uint32_t *out)
{
    uint32_t v = 0;
    size_t n = 0;
    for (; n < s->n && n < 4 && s->at[n] >= '0' && s->at[n] <= '9'; n++)
        v = 10 * v + (uint32_t)(s->at[n] - '0');
    if (n == 0 || n > 3 || s->at[0] == '0') return false;
    *s = (lethe_str){s->at + n, s->n - n};
    *out = v;
    return true;
}

const char *lethe_sealed_head_parse(lethe_str first, lethe_str second, lethe_sealed_form *out,
                                    uint32_t *line)
{
    lethe_sealed_form f = {0};
    *line = 1;
    if (!take_prefix(&first, "#lethe-sealed "))
        return "not a sealed log: the first line is not its header";
    if (!take_prefix(&first, "1 ")) return "a sealed log of another version";
    if (!take_prefix(&first, "t=") || !take_number(&first, &f.t) || !take_prefix(&first, " n=") ||
        !take_number(&first, &f.n) || !take_prefix(&first, " scheme="))
        return "the first line does not say t, n and the scheme";
    if (lethe_str_eq(first, LETHE_LIT("additive")))
        f.scheme = LETHE_SCHEME_ADDITIVE;
    else if (!lethe_str_eq(first, LETHE_LIT("shamir")))
        return "the scheme is neither shamir nor additive";
    const char *fault = lethe_sealed_form_fault(&f);
    if (fault) return fault;
    *line = 2;
    f.clicks = lethe_str_eq(second, LETHE_LIT(CLICK_COLUMNS));
    if (!f.clicks && !lethe_str_eq(second, LETHE_LIT(COLUMNS)))
        return "the columns are not those of a sealed log";
    *out = f;
    return NULL;
}

size_t lethe_sealed_padded(size_t n)
{
    if (n >= LETHE_SEALED_PADDED_MOST) return 0;
    size_t padded = LETHE_SEALED_PADDED_LEAST;
    while (padded <= n)
        padded *= 2;
    return padded;
}

/* --- one line --- */

/* Without branches, so that the compiler can look at many digits at once. */
static bool is_hex(lethe_str s)
{
    uint8_t all = 1;
    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = (uint8_t)s.at[i];
        all &= (uint8_t)(((uint8_t)(c - '0') < 10) | ((uint8_t)(c - 'a') < 6));
    }
    return all;
}

/* Of what is_hex has seen: '0' is 0x30, 'a' is 0x61. */
static uint8_t hex_value(char c) { return (uint8_t)((c & 15) + 9 * (c >> 6)); }

static void hex_decode(lethe_str s, uint8_t *out)
{
    for (size_t i = 0; i < s.n / 2; i++)
        out[i] = (uint8_t)(hex_value(s.at[2 * i]) << 4 | hex_value(s.at[2 * i + 1]));
}

/* The value of a digit of base64 by its character, one less than which stands here: 0, none. */
static const uint8_t base64_digit[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64};

static uint32_t digit(char c) { return base64_digit[(uint8_t)c] - 1u; }

/* Bytes that `s` stands for, 0: it is not base64.  Of every text there is one way to write it: bits
 * to spare are zero. */
static size_t base64_bytes(lethe_str s)
{
    if (s.n == 0 || s.n % 4 != 0) return 0;
    size_t pad = s.at[s.n - 1] != '=' ? 0 : s.at[s.n - 2] != '=' ? 1 : 2;
    uint8_t all = 1; // as in is_hex
    for (size_t i = 0; i < s.n - pad; i++) {
        uint8_t c = (uint8_t)s.at[i];
        all &= (uint8_t)(((uint8_t)(c - 'A') < 26) | ((uint8_t)(c - 'a') < 26) |
                         ((uint8_t)(c - '0') < 10) | (c == '+') | (c == '/'));
    }
    if (!all) return 0;
    static const uint32_t spare[3] = {0, 0x3, 0xf};
    if (digit(s.at[s.n - pad - 1]) & spare[pad]) return 0;
    return s.n / 4 * 3 - pad;
}

static void base64_decode(lethe_str s, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i += 3, s.at += 4) {
        uint32_t v = digit(s.at[0]) << 18 | digit(s.at[1]) << 12;
        if (i + 1 < n) v |= digit(s.at[2]) << 6;
        if (i + 2 < n) v |= digit(s.at[3]);
        out[i] = (uint8_t)(v >> 16);
        if (i + 1 < n) out[i + 1] = (uint8_t)(v >> 8);
        if (i + 2 < n) out[i + 2] = (uint8_t)v;
    }
}

/* Is this what some query's box comes to? */
static bool is_box_size(size_t n)
{
    size_t padded = n > LETHE_SEALED_TAG ? n - LETHE_SEALED_TAG : 0;
    return padded >= LETHE_SEALED_PADDED_LEAST && padded <= LETHE_SEALED_PADDED_MOST &&
           (padded & (padded - 1)) == 0;
}

static bool is_rank(lethe_str s)
{
    uint64_t rank;
    if (s.n == 0) return true;
    return lethe_parse_u64(s, &rank) && rank < UINT32_MAX && (s.n == 1 || s.at[0] != '0');
}

/* NUL and CR have no place in a line, nor has what is not UTF-8. */
static const char *field_fault(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i] == '\0' || s.at[i] == '\r' || s.at[i] == '\n')
            return s.at[i] ? "line end inside the line" : "NUL byte";
    return lethe_utf8_valid(s) ? NULL : "not UTF-8";
}

static const char *share_parse(const lethe_sealed_form *form, lethe_str s, lethe_sealed_row *row)
{
    if (!take_number(&s, &row->index) || !take_prefix(&s, ":"))
        return "share without an index and a colon";
    if (row->index > form->n) return "index of the share is not in 1 to n";
    if (s.n != (size_t)2 * LETHE_SEALED_SHARE_BYTES || !is_hex(s))
        return "share is not 64 hex digits";
    row->share_hex = s;
    return NULL;
}

static const char *user_fault(lethe_str s)
{
    if (s.n == 0) return "no user";
    return s.at[0] == ' ' || s.at[s.n - 1] == ' ' ? "space at an end of the user" : NULL;
}

const char *lethe_sealed_parse(const lethe_sealed_form *form, lethe_str line, lethe_sealed_row *row,
                               uint32_t *column)
{
    lethe_str f[N_CLICKS];
    size_t want = form->clicks ? N_CLICKS : N_PLAIN, n = lethe_tabs_split(line, f, want);
    const char *cause;
    *column = 0;
    if (line.n == 0) return "empty line";
    if (n != want) return form->clicks ? "not seven columns" : "not five columns";
    bool plain = lethe_ascii_plain(line); // tabs only part the columns
    for (uint32_t i = 0; !plain && i < n; i++)
        if (*column = i + 1, (cause = field_fault(f[i])) != NULL) return cause;
    // Members one by one: zeroing them all first takes longer than setting them.
    row->line = 0;
    row->user = lethe_str_by_halves(&f[0]);
    row->id = lethe_str_by_halves(&f[1]);
    row->box = lethe_str_by_halves(&f[3]);
    row->time_text = lethe_str_by_halves(&f[4]);
    row->rank_text = form->clicks ? f[5] : (lethe_str){"", 0};
    row->url = form->clicks ? f[6] : (lethe_str){"", 0};
    row->box_bytes = base64_bytes(row->box);
    if (*column = 1, (cause = user_fault(row->user)) != NULL) return cause;
    if (*column = 2, row->id.n != LETHE_SEALED_ID_CHARS || !is_hex(row->id))
        return "QueryID is not 32 hex digits";
    if (*column = 3, (cause = share_parse(form, f[2], row)) != NULL) return cause;
    if (*column = 4, row->box_bytes == 0) return "box is not base64";
    if (!is_box_size(row->box_bytes)) return "box has an impossible size";
    if (*column = 5, !lethe_time_as_written(row->time_text, &row->time))
        return "not a time as published";
    if (*column = 6, !is_rank(row->rank_text)) return "rank is not a whole number";
    *column = 0;
    return NULL;
}

void lethe_sealed_id(const lethe_sealed_row *row, uint8_t out[LETHE_SEALED_ID_BYTES])
{
    hex_decode(row->id, out);
}

void lethe_sealed_share(const lethe_sealed_row *row, uint8_t out[LETHE_SEALED_SHARE_BYTES])
{
    hex_decode(row->share_hex, out);
}

void lethe_sealed_box(const lethe_sealed_row *row, uint8_t *out)
{
    base64_decode(row->box, out, row->box_bytes);
}
