/* SPDX-License-Identifier: Apache-2.0 */
/* The best by cosine against scoring every document from the definition: few documents and more
 * than a block of them, features that too many have among them. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/text/best_hits.h"
#include "algo/text/cosine.h"
#include "log_oracle.h"
#include "seeds.h"
#include <math.h>

enum { MOST_DOCS = 9000, MOST_FEATURES = 60, MOST_EACH = 12, LAYERS = 3, K = 7 };
#define ROUNDS seeds(120)

typedef struct world {
    uint32_t n, n_features;
    unsigned n_layers;
    uint64_t start[MOST_DOCS + 1];
    uint32_t at[MOST_DOCS * MOST_EACH];
    uint8_t layer[MOST_FEATURES];
    unsigned char tf[MOST_DOCS][MOST_FEATURES];
    uint32_t df[MOST_FEATURES];
} world;

static void world_random(uint64_t *s, world *v)
{
    memset(v, 0, sizeof *v);
    v->n = 1 + (uint32_t)o_below(s, o_below(s, 6) ? 40 : MOST_DOCS);
    v->n_features = 1 + (uint32_t)o_below(s, MOST_FEATURES);
    v->n_layers = 1 + (unsigned)o_below(s, LAYERS);
    for (uint32_t f = 0; f < v->n_features; f++)
        v->layer[f] = (uint8_t)o_below(s, v->n_layers);
    for (uint32_t d = 0; d < v->n; d++) {
        v->start[d + 1] = v->start[d];
        for (uint64_t i = o_below(s, MOST_EACH); i > 0; i--) {
            // low numbers are common
            uint32_t f = (uint32_t)o_below(s, 1 + o_below(s, v->n_features));
            v->at[v->start[d + 1]++] = f;
            v->df[f] += v->tf[d][f]++ == 0;
        }
    }
}

static uint64_t weight(const world *v, uint32_t d, uint32_t f)
{
    if (v->tf[d][f] == 0 || (v->df[f] > 1000 && v->df[f] > v->n / 16)) return 0;
    double w = 4096 * (1 + log(v->tf[d][f])) * log(((double)v->n + 1) / v->df[f]);
    return w < 1 ? 1 : (uint64_t)round(w);
}

static double score(const world *v, uint32_t q, uint32_t d, unsigned l)
{
    uint64_t sum = 0, squares = 0;
    for (uint32_t f = 0; f < v->n_features; f++) {
        if (v->layer[f] > l) continue;
        sum += weight(v, q, f) * weight(v, d, f);
        squares += weight(v, d, f) * weight(v, d, f);
    }
    return sum ? (double)sum * (1 / sqrt((double)squares)) : 0;
}

static void hits_check(const world *v, uint32_t q, unsigned l, const lethe_hits *hits,
                       unsigned long long seed)
{
    static double scores[MOST_DOCS];
    uint32_t matching = 0;
    for (uint32_t d = 0; d < v->n; d++) {
        scores[d] = d == q ? 0 : score(v, q, d, l);
        matching += scores[d] > 0;
    }
    if (hits->matching != matching || hits->n != LETHE_MIN(matching, K))
        fail_msg("seed %llu: %u match, %u found, and it is %u", seed, hits->matching, hits->n,
                 matching);
    lethe_hit sorted[K];
    if (hits->n) memcpy(sorted, hits->at, hits->n * sizeof *sorted);
    lethe_best_hits all = {sorted, hits->n, K};
    lethe_best_hits_sort(&all);
    if (hits->n && sorted[0].doc != hits->at[0].doc) fail_msg("seed %llu: not the best", seed);
    for (uint32_t i = 0; i < hits->n; i++) {
        uint32_t best = LETHE_NONE;
        for (uint32_t d = 0; d < v->n; d++)
            if (scores[d] > 0 && (best == LETHE_NONE || scores[d] > scores[best])) best = d;
        if (sorted[i].doc != best || sorted[i].score != scores[best])
            fail_msg("seed %llu: document %u, layer %u, place %u: %u, and it is %u", seed, q, l, i,
                     sorted[i].doc, best);
        scores[best] = 0;
    }
}

static void agrees_with_scoring_every_document(void **state)
{
    (void)state;
    static world v;
    unsigned large = 0, common = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t s = 500 + round;
        lethe_cosine *c = NULL;
        lethe_cosine_search *search = NULL;
        lethe_hits hits[LETHE_COSINE_LAYERS];
        world_random(&s, &v);
        assert_int_equal(
            lethe_cosine_new(v.n, v.start, v.at, v.n_features, v.layer, v.n_layers, &c), LETHE_OK);
        assert_int_equal(lethe_cosine_search_new(c, &search), LETHE_OK);
        for (int i = 0; i < 10; i++) {
            uint32_t q = (uint32_t)o_below(&s, v.n);
            assert_int_equal(lethe_cosine_like(search, q, K, hits), LETHE_OK);
            for (unsigned l = 0; l < v.n_layers; l++) {
                hits_check(&v, q, l, &hits[l], round);
                assert_int_equal(lethe_cosine_has(c, q, l), score(&v, q, q, l) > 0);
            }
        }
        large += v.n > 4096;
        common += v.df[0] > 1000 && v.df[0] > v.n / 16;
        lethe_cosine_search_free(search);
        lethe_cosine_free(c);
    }
    assert_true(large > 0 && common > 0);
}

static void without_memory_nothing_is_made(void **state)
{
    (void)state;
    static const uint64_t start[] = {0, 2, 4, 5};
    static const uint32_t at[] = {0, 1, 1, 2, 0};
    static const uint8_t layer[] = {0, 1, 1};
    lethe_cosine *c = NULL;
    lethe_cosine_search *search = NULL;
    lethe_hits hits[LETHE_COSINE_LAYERS];
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 1;
    for (; e != LETHE_OK; n++) {
        lethe_alloc_fail_at(n);
        e = lethe_cosine_new(3, start, at, 3, layer, 2, &c);
        if (e == LETHE_OK) e = lethe_cosine_search_new(c, &search);
        if (e == LETHE_OK) e = lethe_cosine_like(search, 0, 2, hits);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        if (e == LETHE_OK) assert_int_equal(hits[1].n, 2);
        lethe_cosine_search_free(search);
        lethe_cosine_free(c);
        search = NULL;
        c = NULL;
    }
    assert_true(n > 10);
    lethe_cosine_free(NULL);
    lethe_cosine_search_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_scoring_every_document),
                                       cmocka_unit_test(without_memory_nothing_is_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
