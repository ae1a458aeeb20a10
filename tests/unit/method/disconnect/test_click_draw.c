/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/click_draw.h"

/* The first one would tell which URL was clicked early, and so would any other rule. */
static void every_click_is_as_likely_as_another(void **state)
{
    (void)state;
    enum { TRIALS = 20000, CLICKS = 5 };
    static const uint64_t clicks[] = {CLICKS, 1};
    uint64_t drawn[CLICKS] = {0};
    lethe_click_draw d = {0};
    lethe_secret *key = NULL;
    assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
    for (uint64_t t = 0; t < TRIALS; t++) {
        uint64_t all = 0;
        assert_int_equal(lethe_click_draw_begin(&d, clicks, 2), LETHE_OK);
        d.rng = lethe_rng_stream(key, "test", t);
        for (size_t i = 0; i < CLICKS; i++) {
            bool takes = lethe_click_draw_takes(&d, 0);
            drawn[i] += takes;
            all += takes;
        }
        assert_int_equal(all, 1);
        assert_true(lethe_click_draw_takes(&d, 1));
    }
    for (size_t i = 0; i < CLICKS; i++) // a fifth; five standard deviations are 283
        assert_in_range(drawn[i], TRIALS / 5 - 283, TRIALS / 5 + 283);
    lethe_secret_free(key);
    lethe_click_draw_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_click_is_as_likely_as_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
