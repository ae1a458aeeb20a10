/* SPDX-License-Identifier: Apache-2.0 */
/* Words and distances against their definitions, written the slow way. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/distance.h"
#include "text/pii/pii.h"
#include "text/words.h"
#include <stdio.h>
#include <stdlib.h>

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

/* --- words --- */

enum kind { PART, JOINER, MASK, GAP };
static const struct piece {
    const char *text;
    enum kind kind;
} pieces[] = {
    {"a", PART},
    {"z", PART},
    {"7", PART},
    {"cars", PART},
    {"\xC3\xA9", PART},         /* a letter of two bytes */
    {"\xE6\x9D\xB1", PART},     /* of three */
    {"\xF0\x9D\x90\x80", PART}, /* of four */
    {"\xCC\x81", PART},         /* a mark */
    {"\xD9\xA3", PART},         /* a digit */
    {"'", JOINER},
    {"-", JOINER},
    {".", JOINER},
    {"&", JOINER},
    {"_", JOINER},
    {"\xE2\x80\x99", JOINER},
    {"[ssn]", MASK},
    {"[list]", MASK},
    {" ", GAP},
    {" ", GAP},
    {"+", GAP},
    {"[", GAP},
    {"]", GAP},
    {"@", GAP},
    {"\xE2\x9D\xA4", PART},     /* a symbol */
    {"\xE2\x80\x94", GAP},      /* a dash */
    {"\xEF\xBF\xBD", GAP},      /* U+FFFD */
    {"\xF0\x9F\x98\x80", PART}, /* a picture */
    {"\xFF", GAP},              /* no UTF-8 */
};
#define N_PIECES (sizeof pieces / sizeof *pieces)
#define MAX_PIECES 24

/* The words of a row of pieces, each ended by a line end, masks marked.  Pieces do not make other
 * pieces where they meet, save that "[" "ssn" "]" cannot come up. */
static size_t slow_words(const size_t *at, size_t n, char *out)
{
    size_t n_words = 0;
    *out = '\0';
    for (size_t i = 0; i < n; i++) {
        enum kind k = pieces[at[i]].kind;
        if (k == MASK) {
            sprintf(out + strlen(out), "*%s\n", pieces[at[i]].text);
            n_words++;
        }
        if (k != PART) continue;
        strcat(out, pieces[at[i]].text);
        bool goes_on = i + 1 < n && pieces[at[i + 1]].kind == PART;
        if (i + 2 < n && pieces[at[i + 1]].kind == JOINER && pieces[at[i + 2]].kind == PART) {
            strcat(out, pieces[at[i + 1]].text);
            goes_on = true;
            i++;
        }
        if (goes_on) continue;
        strcat(out, "\n");
        n_words++;
    }
    return n_words;
}

static void words_agree_with_their_definition(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 20000; trial++) {
        uint64_t seed = trial;
        size_t at[MAX_PIECES], n = below(&seed, MAX_PIECES + 1), len = 0;
        char text[MAX_PIECES * 8] = "", want[MAX_PIECES * 16], got[MAX_PIECES * 16] = "";
        for (size_t i = 0; i < n; i++) {
            at[i] = below(&seed, N_PIECES);
            len += (size_t)sprintf(text + len, "%s", pieces[at[i]].text);
        }
        size_t n_words = slow_words(at, n, want);
        lethe_words w = lethe_words_of((lethe_str){text, len});
        lethe_word word;
        while (lethe_words_next(&w, &word))
            sprintf(got + strlen(got), "%s%.*s\n", word.mask ? "*" : "", (int)word.text.n,
                    word.text.at);
        if (strcmp(got, want) != 0)
            fail_msg("seed %d: '%s' gives\n%swant\n%s", (int)trial, text, got, want);
        assert_int_equal(lethe_words_count((lethe_str){text, len}), n_words);
    }
}

/* --- Levenshtein --- */

#define MAX_LEN 330
#define MAX_BYTES (MAX_LEN * 4 + 1)

typedef struct symbols {
    uint32_t at[MAX_LEN]; /* 0x110000 and up: a byte that is no UTF-8 */
    size_t n;
} symbols;

/* Of an alphabet small enough that texts have something in common. */
static uint32_t draw_symbol(uint64_t *seed, unsigned alphabet)
{
    static const uint32_t wide[] = {0xE9,   0x3B1,    0x4E2D,   0x1F600,
                                    0xFFFD, 0x10FFFF, 0x1100FF, 0x1100C3};
    if (alphabet == 0) return 'a' + (uint32_t)below(seed, 2);
    if (alphabet == 1) return 'a' + (uint32_t)below(seed, 20);
    if (alphabet == 2 || below(seed, 2)) return wide[below(seed, 8)];
    return 0x10000 + (uint32_t)below(seed, 3000) * 128; /* that meet in the tables */
}

static symbols draw_symbols(uint64_t *seed, size_t n, unsigned alphabet)
{
    symbols s = {.n = n};
    for (size_t i = 0; i < n; i++)
        s.at[i] = draw_symbol(seed, alphabet);
    return s;
}

/* `s` with a few changes. */
static symbols edited(uint64_t *seed, const symbols *s, unsigned alphabet, size_t changes)
{
    symbols out = *s;
    for (; changes > 0; changes--) {
        size_t i = below(seed, out.n + 1);
        switch (below(seed, 3)) {
        case 0:
            if (i < out.n) out.at[i] = draw_symbol(seed, alphabet);
            break;
        case 1:
            if (i < out.n) memmove(out.at + i, out.at + i + 1, (--out.n - i) * sizeof *out.at);
            break;
        default:
            if (out.n == MAX_LEN) break;
            memmove(out.at + i + 1, out.at + i, (out.n++ - i) * sizeof *out.at);
            out.at[i] = draw_symbol(seed, alphabet);
        }
    }
    return out;
}

static lethe_str write_symbols(const symbols *s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t c = s->at[i];
        if (c >= 0x110000) {
            out[n++] = (char)(c - 0x110000);
        } else if (c < 0x80) {
            out[n++] = (char)c;
        } else if (c < 0x800) {
            out[n++] = (char)(0xC0 | c >> 6);
        } else if (c < 0x10000) {
            out[n++] = (char)(0xE0 | c >> 12);
            out[n++] = (char)(0x80 | (c >> 6 & 63));
        } else {
            out[n++] = (char)(0xF0 | c >> 18);
            out[n++] = (char)(0x80 | (c >> 12 & 63));
            out[n++] = (char)(0x80 | (c >> 6 & 63));
        }
        if (c >= 0x80 && c < 0x110000) out[n++] = (char)(0x80 | (c & 63));
    }
    return (lethe_str){out, n};
}

/* Wagner and Fischer's table, two rows of it. */
static uint32_t slow_levenshtein(const symbols *a, const symbols *b)
{
    uint32_t row[MAX_LEN + 1];
    for (size_t j = 0; j <= b->n; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= a->n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b->n; j++) {
            uint32_t best = diagonal + (a->at[i - 1] != b->at[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b->n];
}

static void check_bound(lethe_distance_scratch *tmp, lethe_str a, lethe_str b, uint32_t bound,
                        uint32_t want, uint64_t trial)
{
    uint32_t d = 0;
    assert_int_equal(lethe_levenshtein(a, b, bound, tmp, &d), LETHE_OK);
    if (want <= bound ? d != want : d <= bound)
        fail_msg("trial %d: bound %u gives %u, the distance is %u", (int)trial, bound, d, want);
}

static void check_share(lethe_distance_scratch *tmp, lethe_str a, lethe_str b, size_t longer,
                        uint32_t want, uint32_t millionths, uint64_t trial)
{
    bool in;
    assert_int_equal(lethe_edit_within(a, b, millionths / 1e6, tmp, &in), LETHE_OK);
    if (in != ((uint64_t)want * 1000000 <= (uint64_t)millionths * longer))
        fail_msg("trial %d: within %u millionths of %zu is %d, the distance is %u", (int)trial,
                 millionths, longer, in, want);
}

/* A broken byte before one that goes on a sequence could make a valid one of it: 0xC3 is drawn, and
 * what follows it here never is such a byte. */
static void levenshtein_agrees_with_the_table(void **state)
{
    (void)state;
    lethe_distance_scratch tmp = {0};
    static char x[MAX_BYTES], y[MAX_BYTES];
    for (uint64_t trial = 0; trial < 6000; trial++) {
        uint64_t seed = trial * 31 + 5;
        size_t cap = trial % 3 == 0 ? 12 : trial % 3 == 1 ? 140 : MAX_LEN;
        unsigned alphabet = (unsigned)below(&seed, 4);
        symbols a = draw_symbols(&seed, below(&seed, cap + 1), alphabet), b;
        if (below(&seed, 3))
            b = edited(&seed, &a, alphabet, below(&seed, 1 + cap / 4));
        else
            b = draw_symbols(&seed, below(&seed, cap + 1), alphabet);
        uint32_t want = slow_levenshtein(&a, &b);
        lethe_str s = write_symbols(&a, x), t = write_symbols(&b, y);
        size_t longer = a.n > b.n ? a.n : b.n;
        check_bound(&tmp, s, t, UINT32_MAX, want, trial);
        check_bound(&tmp, t, s, (uint32_t)longer, want, trial);
        for (uint32_t k = want < 3 ? 0 : want - 3; k <= want + 3; k++) {
            check_bound(&tmp, s, t, k, want, trial);
            check_bound(&tmp, t, s, k, want, trial);
        }
        for (int i = 0; i < 4; i++) {
            check_bound(&tmp, s, t, (uint32_t)below(&seed, longer + 2), want, trial);
            check_share(&tmp, s, t, longer, want, (uint32_t)below(&seed, 1000001), trial);
        }
        if (longer > 0) { /* the very edge */
            uint32_t edge = (uint32_t)((uint64_t)want * 1000000 / longer);
            for (uint32_t e = edge ? edge - 1 : 0; e <= edge + 1 && e <= 1000000; e++)
                check_share(&tmp, s, t, longer, want, e, trial);
        }
    }
    lethe_distance_scratch_free(&tmp);
}

/* Every bound there is, for some. */
static void every_bound_is_kept(void **state)
{
    (void)state;
    lethe_distance_scratch tmp = {0};
    static char x[MAX_BYTES], y[MAX_BYTES];
    for (uint64_t trial = 0; trial < 60; trial++) {
        uint64_t seed = trial * 13 + 1;
        symbols a = draw_symbols(&seed, 60 + below(&seed, 200), (unsigned)trial % 4);
        symbols b = edited(&seed, &a, (unsigned)trial % 4, below(&seed, 120));
        uint32_t want = slow_levenshtein(&a, &b);
        lethe_str s = write_symbols(&a, x), t = write_symbols(&b, y);
        for (uint32_t k = 0; k < 280; k++)
            check_bound(&tmp, s, t, k, want, trial);
    }
    lethe_distance_scratch_free(&tmp);
}

/* --- Jaccard --- */

static void jaccard_agrees_with_sets(void **state)
{
    (void)state;
    static const char *const words[] = {"a",   "b",     "ab",  "cars", "at&t", "[ssn]",   "ssn",
                                        "car", "[url]", "o'b", "1.5",  "15",   "\xC3\xA9"};
    enum { N_WORDS = sizeof words / sizeof *words };
    lethe_distance_scratch tmp = {0};
    for (uint64_t trial = 0; trial < 10000; trial++) {
        uint64_t seed = trial;
        unsigned sets[2] = {0, 0};
        char text[2][512];
        for (int k = 0; k < 2; k++) {
            size_t n = below(&seed, trial % 8 ? 8 : 60), len = 0;
            text[k][0] = '\0';
            for (size_t i = 0; i < n; i++) {
                size_t word = below(&seed, N_WORDS);
                sets[k] |= 1u << word;
                len += (size_t)sprintf(text[k] + len, "%s%s", words[word],
                                       below(&seed, 4) ? " " : " + ");
            }
        }
        uint32_t common, all;
        assert_int_equal(
            lethe_jaccard(lethe_str_of(text[0]), lethe_str_of(text[1]), &tmp, &common, &all),
            LETHE_OK);
        if (common != (uint32_t)__builtin_popcount(sets[0] & sets[1]) ||
            all != (uint32_t)__builtin_popcount(sets[0] | sets[1]))
            fail_msg("seed %d: '%s' and '%s' give %u of %u", (int)trial, text[0], text[1], common,
                     all);
    }
    lethe_distance_scratch_free(&tmp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_agree_with_their_definition),
        cmocka_unit_test(levenshtein_agrees_with_the_table),
        cmocka_unit_test(every_bound_is_kept),
        cmocka_unit_test(jaccard_agrees_with_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
