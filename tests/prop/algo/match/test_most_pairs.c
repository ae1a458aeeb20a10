/* SPDX-License-Identifier: Apache-2.0 */
/* Random pairs: as many as the best choice of columns, row by row, over all sets of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "seeds.h"
#include "algo/match/most_pairs.h"

#define ROUNDS seeds(3000)
enum { ROWS = 14, USED = 9, COLUMNS = 200, WORDS = (COLUMNS + 63) / 64 };

/* best[set]: the most rows so far that have different columns of the set. */
static uint32_t most_by_sets(const uint32_t *row, uint32_t n)
{
    uint32_t best[1 << USED] = {0};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t set = 1 << USED; set-- > 0;)
            for (uint32_t c = 0; c < USED; c++)
                if (set & row[i] & 1u << c)
                    best[set] = LETHE_MAX(best[set], best[set ^ 1u << c] + 1);
    return best[(1 << USED) - 1];
}

/* The columns that are used stand anywhere among the others, in more than one word. */
static void the_most_are_paired(void **state)
{
    (void)state;
    lethe_most_pairs *p = lethe_most_pairs_new(ROWS, COLUMNS);
    assert_non_null(p);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        uint32_t n = (uint32_t)o_below(&seed, ROWS + 1);
        uint32_t n_columns = USED + (uint32_t)o_below(&seed, COLUMNS - USED + 1);
        uint32_t few[ROWS] = {0}, place[USED];
        uint64_t rows[ROWS * WORDS] = {0}, share = 1 + o_below(&seed, 8);
        size_t words = lethe_bits_words(n_columns);
        for (uint32_t c = 0, from = 0; c < USED; c++) {
            place[c] = from + (uint32_t)o_below(&seed, n_columns - from - (USED - 1 - c));
            from = place[c] + 1;
        }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t c = 0; c < USED; c++) {
                if (o_below(&seed, 9) >= share) continue;
                few[i] |= 1u << c;
                lethe_bits_put(rows + i * words, place[c]);
            }
        assert_int_equal(lethe_most_pairs_of(p, rows, n, n_columns), most_by_sets(few, n));
    }
    lethe_most_pairs_free(p);
}

static void nothing_is_paired_with_nothing(void **state)
{
    (void)state;
    uint64_t none[2] = {0};
    lethe_most_pairs *p = lethe_most_pairs_new(2, 64);
    assert_non_null(p);
    assert_int_equal(lethe_most_pairs_of(p, none, 0, 64), 0);
    assert_int_equal(lethe_most_pairs_of(p, none, 2, 0), 0);
    assert_int_equal(lethe_most_pairs_of(p, none, 2, 64), 0);
    lethe_most_pairs_free(p);
    lethe_most_pairs_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_are_paired),
        cmocka_unit_test(nothing_is_paired_with_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
