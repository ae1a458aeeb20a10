/* SPDX-License-Identifier: Apache-2.0 */
/* Any two texts, parted by the first LF: distances keep the laws of a metric and agree with the
 * plain table; a bound changes nothing below it. */
#include "text/distance.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static uint32_t distance(lethe_str a, lethe_str b, uint32_t bound, lethe_distance_scratch *tmp)
{
    uint32_t d;
    expect(lethe_levenshtein(a, b, bound, tmp, &d) == LETHE_OK);
    return d;
}

static bool is_ascii(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((uint8_t)s.at[i] >= 0x80) return false;
    return true;
}

/* Wagner and Fischer's table; bytes are symbols. */
static uint32_t plain(lethe_str a, lethe_str b)
{
    uint32_t *row = malloc((b.n + 1) * sizeof *row);
    for (size_t j = 0; j <= b.n; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= a.n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b.n; j++) {
            uint32_t best = diagonal + (a.at[i - 1] != b.at[j - 1]);
            best = LETHE_MIN(best, LETHE_MIN(row[j], row[j - 1]) + 1);
            diagonal = row[j];
            row[j] = best;
        }
    }
    uint32_t d = row[b.n];
    free(row);
    return d;
}

static void check_levenshtein(lethe_str a, lethe_str b, lethe_distance_scratch *tmp)
{
    uint32_t d = distance(a, b, UINT32_MAX, tmp);
    uint32_t n_a = distance(a, (lethe_str){"", 0}, UINT32_MAX, tmp);
    uint32_t n_b = distance(b, (lethe_str){"", 0}, UINT32_MAX, tmp);
    expect(n_a <= a.n && n_b <= b.n && 4 * (size_t)n_a >= a.n);
    expect(d <= LETHE_MAX(n_a, n_b) && d >= LETHE_MAX(n_a, n_b) - LETHE_MIN(n_a, n_b));
    expect((d == 0) == lethe_str_eq(a, b));
    expect(distance(b, a, d, tmp) == d && distance(a, a, 0, tmp) == 0);
    for (uint32_t bound = d > 3 ? d - 3 : 0; bound < d; bound++)
        expect(distance(a, b, bound, tmp) > bound);
    if (is_ascii(a) && is_ascii(b) && a.n < 1000 && b.n < 1000) expect(d == plain(a, b));
    for (uint32_t part = 0; part <= 10; part++) {
        bool in;
        expect(lethe_edit_within(a, b, part / 10.0, tmp, &in) == LETHE_OK);
        expect(in == (10 * (uint64_t)d <= (uint64_t)part * LETHE_MAX(n_a, n_b)));
    }
}

static void check_jaccard(lethe_str a, lethe_str b, lethe_distance_scratch *tmp)
{
    uint32_t common, all, back, back_all, own, own_all;
    expect(lethe_jaccard(a, b, tmp, &common, &all) == LETHE_OK);
    expect(lethe_jaccard(b, a, tmp, &back, &back_all) == LETHE_OK);
    expect(common == back && all == back_all && common <= all);
    expect(lethe_jaccard(a, a, tmp, &own, &own_all) == LETHE_OK);
    expect(own == own_all && common <= own && own <= all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *lf = n > 0 ? memchr(data, '\n', n) : NULL;
    size_t n_a = lf ? (size_t)(lf - data) : n;
    lethe_str a = {(const char *)data, n_a}, b = {"", 0};
    if (n > 1u << 14) return 0; /* the table is not meant for more */
    if (lf) b = (lethe_str){(const char *)lf + 1, n - n_a - 1};
    lethe_distance_scratch tmp = {0};
    check_levenshtein(a, b, &tmp);
    check_jaccard(a, b, &tmp);
    lethe_distance_scratch_free(&tmp);
    return 0;
}
