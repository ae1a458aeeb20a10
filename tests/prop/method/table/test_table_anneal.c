/* SPDX-License-Identifier: Apache-2.0 */
/* Annealing of small tables, drawn by a seed: every answer is a cut that costs what is said, the
 * walk is decided by its randomness, and mostly it ends at the optimum. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/table/table_anneal.h"
#include "seeds.h"
#include "tuples_harness.h"

#define SEEDS seeds(3000)

static lethe_ctx *ctx;

static int begin(void **state)
{
    (void)state;
    return lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) != LETHE_OK;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

typedef struct drawn {
    th_table h;
    lethe_tuples *u;
    const uint64_t *const *weight;
} drawn;

static void draw(uint64_t seed, drawn *x)
{
    uint64_t s = seed;
    const uint64_t **weight = NULL;
    th_draw(&s, &x->h);
    if (lethe_tuples_of(ctx, &x->h.t, true, &x->u) != LETHE_OK) fail_msg("no tuples");
    if (lethe_tuples_weights(x->u, x->u->arena, &weight, &x->h.d.scale) != LETHE_OK)
        fail_msg("no weights");
    x->weight = (const uint64_t *const *)weight;
}

static void drop(drawn *x)
{
    lethe_tuples_free(x->u);
    th_free(&x->h);
}

static lethe_rng random_of(uint64_t seed)
{
    lethe_secret *s = NULL;
    if (lethe_secret_from_seed(seed, &s) != LETHE_OK) fail_msg("no secret");
    lethe_rng r = lethe_rng_stream(s, "anneal", 0);
    lethe_secret_free(s);
    return r;
}

typedef struct answer {
    size_t n;
    uint64_t cost, examined, to_best;
    th_cut cut;
} answer;

/* Runs it; what is found is a cut, and costs that by lethe_table_cut_evaluate and by its rows. */
static answer anneal(uint64_t seed, const drawn *x, const lethe_anneal_schedule *schedule,
                     const lethe_table_limits *limits)
{
    lethe_rng random = random_of(seed);
    lethe_arena *a = lethe_arena_new();
    lethe_table_found got;
    lethe_table_cut_price p;
    uint64_t groups;
    if (lethe_table_anneal(ctx, x->u, &x->h.d, x->weight, schedule, &random, limits, a, &got) !=
        LETHE_OK)
        fail_msg("seed %" PRIu64 ": an error", seed);
    answer out = {.n = got.n, .examined = got.examined, .to_best = got.to_best};
    assert_false(got.optimal);
    if (got.n > 0) {
        assert_int_equal(got.n, 1);
        out.cost = got.cost[0];
        out.cut = th_from(&x->h, &got.cut[0]);
        th_price want = th_evaluate(&x->h, &out.cut, &groups);
        if (!want.valid || want.cost != out.cost)
            fail_msg("seed %" PRIu64 ": costs %" PRIu64 ", not %" PRIu64, seed, want.cost,
                     out.cost);
        assert_int_equal(lethe_table_cut_evaluate(ctx, x->u, &x->h.d, x->weight, &got.cut[0], &p),
                         LETHE_OK);
        assert_true(p.valid && p.cost == out.cost);
        assert_true(out.to_best >= 1 && out.to_best <= out.examined);
    }
    lethe_arena_free(a);
    return out;
}

/* --- the optimum --- */

typedef struct best {
    const th_table *h;
    size_t n, n_valid;
    uint64_t cost;
} best;

static void look(void *arg, const th_cut *cut)
{
    best *b = arg;
    uint64_t groups;
    th_price p = th_evaluate(b->h, cut, &groups);
    b->n++;
    if (p.valid && (b->n_valid == 0 || p.cost < b->cost)) b->cost = p.cost;
    b->n_valid += p.valid;
}

static best optimum(const th_table *h)
{
    best b = {.h = h};
    th_all_cuts(h, look, &b);
    return b;
}

static bool roots_are_valid(const th_table *h)
{
    const th_cut roots = {{1, 1, 1}};
    uint64_t groups;
    return th_evaluate(h, &roots, &groups).valid;
}

static void tiny_tables_mostly_end_at_the_optimum(void **state)
{
    static const lethe_anneal_schedule SCHEDULE = {.steps = 2000, .t0 = 0.05, .cooling = 0.01};
    size_t found = 0, some = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        drawn x;
        draw(seed, &x);
        best b = optimum(&x.h);
        answer got = anneal(seed, &x, &SCHEDULE, &(lethe_table_limits){0});
        if (b.n_valid == 0) assert_int_equal(got.n, 0);
        if (b.n_valid > 0) {
            some++;
            found += got.n > 0 && got.cost == b.cost;
            assert_true(got.n == 0 || got.cost >= b.cost);
            if (roots_are_valid(&x.h)) assert_int_equal(got.n, 1);
        }
        drop(&x);
    }
    print_message("%zu of %zu optima found\n", found, some);
    assert_true(some > SEEDS / 2);
    assert_true(found * 100 >= some * 98);
}

/* With vioSA a group may show too few values while its parts show none, or enough. */
static void roots_that_are_not_valid_are_left(void **state)
{
    static const lethe_anneal_schedule SCHEDULE = {.steps = 1000, .t0 = 0.05, .cooling = 0.01};
    size_t found = 0, some = 0;
    (void)state;
    for (uint64_t seed = 1; some < 40; seed++) {
        drawn x;
        draw(seed, &x);
        x.h.d.suppress = LETHE_SUPPRESS_VIO_SA;
        x.h.d.cost = LETHE_COST_LM;
        x.h.d.theta = x.h.theta;
        x.h.d.k = 1;
        x.h.d.distinct = 2;
        for (size_t i = 0; i < TH_SA; i++)
            x.h.theta[i] = (lethe_theta){1, 2};
        best b = {0};
        if (x.h.t.sa && !roots_are_valid(&x.h)) b = optimum(&x.h);
        if (b.n_valid > 0) {
            answer got = anneal(seed, &x, &SCHEDULE, &(lethe_table_limits){0});
            some++;
            found += got.n > 0 && got.cost == b.cost;
        }
        drop(&x);
    }
    print_message("%zu of %zu optima found from roots that are not valid\n", found, some);
    assert_true(found * 100 >= some * 80);
}

/* --- what decides it --- */

static void the_same_seed_gives_the_same_answer(void **state)
{
    size_t differ = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 6; seed++) {
        lethe_anneal_schedule schedule = {.steps = 60, .t0 = 0.1, .cooling = 0.05};
        drawn x;
        draw(seed, &x);
        answer a = anneal(seed, &x, &schedule, &(lethe_table_limits){0});
        answer b = anneal(seed, &x, &schedule, &(lethe_table_limits){0});
        answer c = anneal(seed + 1, &x, &schedule, &(lethe_table_limits){0});
        assert_true(a.n == b.n && a.cost == b.cost && a.examined == b.examined &&
                    a.to_best == b.to_best);
        assert_memory_equal(&a.cut, &b.cut, sizeof a.cut);
        differ += a.to_best != c.to_best;
        drop(&x);
    }
    assert_true(differ > SEEDS / 60);
}

/* At one temperature more steps go on where fewer ended; and so does a limit, at any. */
static void more_steps_are_never_worse(void **state)
{
    size_t better = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 6; seed++) {
        answer before = {0}, cut_before = {0};
        drawn x;
        draw(seed, &x);
        for (uint64_t steps = 0; steps < 130; steps = steps * 2 + 1) {
            lethe_anneal_schedule even = {.steps = steps, .t0 = 0.05, .cooling = 1};
            lethe_anneal_schedule falling = {.steps = 200, .t0 = 0.1, .cooling = 0.001};
            answer a = anneal(seed, &x, &even, &(lethe_table_limits){0});
            answer b = anneal(seed, &x, &falling, &(lethe_table_limits){.cuts = steps + 1});
            assert_true(a.examined <= steps + 1 && b.examined <= steps + 1);
            assert_true(a.n >= before.n && b.n >= cut_before.n);
            assert_true(before.n == 0 || a.cost <= before.cost);
            assert_true(cut_before.n == 0 || b.cost <= cut_before.cost);
            if (before.n > 0 && a.cost == before.cost)
                assert_memory_equal(&a.cut, &before.cut, sizeof a.cut);
            better += before.n > 0 && a.cost < before.cost;
            before = a;
            cut_before = b;
        }
        drop(&x);
    }
    assert_true(better > SEEDS / 20);
}

/* Member by member: between and behind them may be anything. */
static bool same_answer(const answer *a, const answer *b)
{
    return a->n == b->n && a->cost == b->cost && a->examined == b->examined &&
           a->to_best == b->to_best && memcmp(a->cut.of, b->cut.of, sizeof a->cut.of) == 0;
}

/* Heat that is gone after the first step leaves the walk of no heat; heat that stays does not. */
static void heat_falls_as_it_is_told(void **state)
{
    enum { N = 400 };
    size_t as_cold = 0, as_hot = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= N; seed++) {
        lethe_anneal_schedule cold = {.steps = 60, .t0 = 0, .cooling = 1};
        lethe_anneal_schedule gone = {.steps = 60, .t0 = 0.5, .cooling = 0};
        lethe_anneal_schedule hot = {.steps = 60, .t0 = 0.5, .cooling = 1};
        drawn x;
        draw(seed, &x);
        answer a = anneal(seed, &x, &cold, &(lethe_table_limits){0});
        answer b = anneal(seed, &x, &gone, &(lethe_table_limits){0});
        answer c = anneal(seed, &x, &hot, &(lethe_table_limits){0});
        as_cold += same_answer(&a, &b);
        as_hot += same_answer(&a, &c);
        drop(&x);
    }
    print_message("%zu of %d as without heat, %zu where it stays\n", as_cold, (int)N, as_hot);
    assert_true(as_cold >= N - 4 && as_hot <= N - 20);
}

typedef struct heard {
    size_t n;
    uint64_t cost, cuts;
} heard;

static void hear(void *user, double seconds, uint64_t cuts, uint64_t cost)
{
    heard *h = user;
    assert_true(seconds >= 0 && (h->n == 0 || (cuts > h->cuts && cost < h->cost)));
    *h = (heard){h->n + 1, cost, cuts};
}

static void every_better_cut_is_told(void **state)
{
    size_t told = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(200); seed++) {
        lethe_anneal_schedule schedule = {.steps = 100, .t0 = 0.05, .cooling = 0.1};
        heard h = {0};
        drawn x;
        draw(seed, &x);
        answer a =
            anneal(seed, &x, &schedule, &(lethe_table_limits){.on_better = hear, .user = &h});
        assert_int_equal(h.n > 0, a.n > 0);
        if (a.n > 0) assert_true(h.cost == a.cost && h.cuts == a.to_best);
        told += h.n;
        drop(&x);
    }
    assert_true(told > seeds(200));
}

/* --- the ends --- */

static void no_steps_are_the_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(200); seed++) {
        th_cut roots = {{1, 1, 1}};
        uint64_t groups;
        drawn x;
        draw(seed, &x);
        answer a = anneal(seed, &x, &(lethe_anneal_schedule){.t0 = 1, .cooling = 1},
                          &(lethe_table_limits){0});
        assert_int_equal(a.n, th_evaluate(&x.h, &roots, &groups).valid);
        assert_int_equal(a.examined, 1);
        for (size_t q = 0; q < x.h.t.n_qi && a.n > 0; q++)
            assert_int_equal(a.cut.of[q], 1);
        drop(&x);
    }
}

static void time_ends_it(void **state)
{
    uint64_t seed = 1;
    drawn x;
    (void)state;
    for (;; seed++) {
        draw(seed, &x);
        if (optimum(&x.h).n > 20) break;
        drop(&x);
    }
    lethe_anneal_schedule forever = {.steps = UINT64_MAX, .t0 = 0.05, .cooling = 0.1};
    answer a = anneal(seed, &x, &forever, &(lethe_table_limits){.seconds = 0.02});
    assert_true(a.examined > 1);
    drop(&x);
}

static void out_of_memory_is_an_error_and_nothing_leaks(void **state)
{
    lethe_err e = LETHE_ENOMEM;
    uint64_t seed = 1;
    drawn x;
    (void)state;
    for (;; seed++) {
        draw(seed, &x);
        if (x.h.d.cost == LETHE_COST_CM && x.h.t.n > 9 && optimum(&x.h).n_valid > 20) break;
        drop(&x);
    }
    for (uint64_t n = 1; e == LETHE_ENOMEM; n++) {
        lethe_table_found got = {.n = 77};
        lethe_arena *a = lethe_arena_new();
        lethe_rng random = random_of(seed);
        lethe_anneal_schedule schedule = {.steps = 50, .t0 = 0.1, .cooling = 0.1};
        lethe_alloc_fail_at(n);
        e = lethe_table_anneal(ctx, x.u, &x.h.d, x.weight, &schedule, &random,
                               &(lethe_table_limits){0}, a, &got);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || (e == LETHE_ENOMEM && got.n == 77));
        assert_true(n > 3 || e == LETHE_ENOMEM);
        lethe_arena_free(a);
    }
    drop(&x);
}

static void a_cancelled_context_ends_it(void **state)
{
    lethe_ctx *stopped = NULL;
    lethe_rng random = random_of(1);
    lethe_table_found got;
    lethe_arena *a = lethe_arena_new();
    drawn x;
    (void)state;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &stopped), LETHE_OK);
    lethe_ctx_cancel(stopped);
    draw(2, &x);
    assert_int_equal(lethe_table_anneal(stopped, x.u, &x.h.d, x.weight,
                                        &(lethe_anneal_schedule){.steps = 9, .cooling = 1}, &random,
                                        &(lethe_table_limits){0}, a, &got),
                     LETHE_ECANCEL);
    drop(&x);
    lethe_arena_free(a);
    lethe_ctx_free(stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_tables_mostly_end_at_the_optimum),
        cmocka_unit_test(roots_that_are_not_valid_are_left),
        cmocka_unit_test(the_same_seed_gives_the_same_answer),
        cmocka_unit_test(more_steps_are_never_worse),
        cmocka_unit_test(heat_falls_as_it_is_told),
        cmocka_unit_test(every_better_cut_is_told),
        cmocka_unit_test(no_steps_are_the_roots),
        cmocka_unit_test(time_ends_it),
        cmocka_unit_test(out_of_memory_is_an_error_and_nothing_leaks),
        cmocka_unit_test(a_cancelled_context_ends_it),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
