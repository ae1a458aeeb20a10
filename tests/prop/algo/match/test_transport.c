/* SPDX-License-Identifier: Apache-2.0 */
/* Random places and pairs: the greatest flow, by matching one piece after the other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "seeds.h"
#include "algo/match/transport.h"

#define ROUNDS seeds(5000)
enum { PLACES = 5, EACH = 4, PIECES = PLACES * EACH };

typedef struct world {
    uint32_t n_left, n_right, has[PLACES], takes[PLACES];
    bool pair[PLACES][PLACES];
} world;

/* A piece on the left finds a place, and may push another one on. */
static bool put(const world *w, const uint32_t *of, size_t piece, bool *seen, size_t *taken)
{
    for (size_t slot = 0; slot < PIECES; slot++) {
        size_t r = slot / EACH;
        if (r >= w->n_right || slot % EACH >= w->takes[r] || !w->pair[of[piece]][r] || seen[slot])
            continue;
        seen[slot] = true;
        if (taken[slot] != SIZE_MAX && !put(w, of, taken[slot], seen, taken)) continue;
        taken[slot] = piece;
        return true;
    }
    return false;
}

static uint64_t most_by_pieces(const world *w)
{
    uint32_t of[PIECES];
    size_t taken[PIECES], n = 0;
    uint64_t sum = 0;
    memset(taken, 0xff, sizeof taken);
    for (uint32_t l = 0; l < w->n_left; l++)
        for (uint32_t k = 0; k < w->has[l]; k++)
            of[n++] = l;
    for (size_t i = 0; i < n; i++) {
        bool seen[PIECES] = {false};
        sum += put(w, of, i, seen, taken);
    }
    return sum;
}

static void the_most_is_sent(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round, sent = 99;
        world w = {.n_left = (uint32_t)o_below(&seed, PLACES + 1),
                   .n_right = (uint32_t)o_below(&seed, PLACES + 1)};
        uint32_t first[PLACES + 1] = {0}, right[PLACES * PLACES + 1], n = 0;
        for (uint32_t l = 0; l < w.n_left; l++) {
            w.has[l] = (uint32_t)o_below(&seed, EACH + 1);
            for (uint32_t r = 0; r < w.n_right; r++) {
                w.pair[l][r] = o_below(&seed, 3) == 0;
                if (w.pair[l][r]) right[n++] = r;
            }
            first[l + 1] = n;
        }
        for (uint32_t r = 0; r < w.n_right; r++)
            w.takes[r] = (uint32_t)o_below(&seed, EACH + 1);
        lethe_transport t = {.n_left = w.n_left,
                             .n_right = w.n_right,
                             .has = w.has,
                             .takes = w.takes,
                             .first = first,
                             .right = right};
        assert_int_equal(lethe_transport_most(ctx, &t, &sent), LETHE_OK);
        uint64_t want = most_by_pieces(&w);
        if (sent != want)
            fail_msg("seed %llu: %llu, not %llu", (unsigned long long)round,
                     (unsigned long long)sent, (unsigned long long)want);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
