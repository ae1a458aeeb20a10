/* SPDX-License-Identifier: Apache-2.0 */
/* Full-domain generalization of small tables, drawn by a seed, against every vector of levels; the
 * same for any number of threads and any memory. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/table/full_domain.h"
#include "seeds.h"
#include "tuples_harness.h"

#define SEEDS seeds(4000)

static const lethe_settings SETTINGS[] = {
    {.n_threads = 1}, {.n_threads = 2}, {.n_threads = 7}, {.n_threads = 2, .memory_bytes = 1}};
static lethe_ctx *ctx[LETHE_COUNT(SETTINGS)];

static int begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(SETTINGS); i++)
        if (lethe_ctx_new(&SETTINGS[i], &ctx[i]) != LETHE_OK) return 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(SETTINGS); i++)
        lethe_ctx_free(ctx[i]);
    return 0;
}

/* --- a table with all that goes with it --- */

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
    x->h.d.suppress = LETHE_SUPPRESS_NONE;
    if (o_below(&s, 2)) // or hardly anything is valid
        for (uint32_t i = 0; i < x->h.d.n_sa; i++)
            x->h.theta[i] = (lethe_theta){2 + o_below(&s, 2), 3};
    if (lethe_tuples_of(ctx[0], &x->h.t, true, &x->u) != LETHE_OK) fail_msg("no tuples");
    if (lethe_tuples_weights(x->u, x->u->arena, &weight, &x->h.d.scale) != LETHE_OK)
        fail_msg("no weights");
    x->weight = (const uint64_t *const *)weight;
}

static void drop(drawn *x)
{
    lethe_tuples_free(x->u);
    th_free(&x->h);
}

/* --- every vector --- */

/* Is no leaf below v more than h edges down? */
static bool within(const lethe_tree *t, uint32_t v, uint32_t h)
{
    for (uint32_t u = v; u < t->end[v]; u++)
        if (lethe_tree_is_leaf(t, u) && t->level[u] - t->level[v] > h) return false;
    return true;
}

static uint32_t level_cut(const lethe_tree *t, uint32_t h)
{
    uint32_t cut = 0;
    for (uint32_t v = 0; v < t->n; v++) {
        uint32_t u = v;
        if (!lethe_tree_is_leaf(t, v)) continue;
        while (t->parent[u] != LETHE_NONE && within(t, t->parent[u], h))
            u = t->parent[u];
        cut |= 1u << u;
    }
    return cut;
}

typedef struct best {
    size_t n_vectors, n_valid;
    uint64_t cost;
    th_cut cut;
} best;

static best brute_force(const th_table *h)
{
    uint32_t level[TH_QI] = {0};
    size_t a;
    best b = {0};
    do {
        th_cut cut = {{0}};
        uint64_t groups;
        for (a = 0; a < h->t.n_qi; a++)
            cut.of[a] = level_cut(h->qi[a].tree, level[a]);
        th_price p = th_evaluate(h, &cut, &groups);
        b.n_vectors++;
        if (p.valid && (b.n_valid == 0 || p.cost < b.cost ||
                        (p.cost == b.cost && th_before(&cut, &b.cut, h->t.n_qi)))) {
            b.cost = p.cost;
            b.cut = cut;
        }
        b.n_valid += p.valid;
        for (a = 0; a < h->t.n_qi && ++level[a] > h->qi[a].tree->height; a++)
            level[a] = 0;
    } while (a < h->t.n_qi);
    return b;
}

static void check(uint64_t seed, const drawn *x, const best *b, const lethe_table_found *got)
{
    if (!got->optimal) fail_msg("seed %" PRIu64 ": not optimal", seed);
    if (got->n != (b->n_valid > 0)) fail_msg("seed %" PRIu64 ": %zu found", seed, got->n);
    if (got->n == 0) return;
    th_cut cut = th_from(&x->h, &got->cut[0]);
    if (got->cost[0] != b->cost)
        fail_msg("seed %" PRIu64 ": costs %" PRIu64 ", not %" PRIu64, seed, got->cost[0], b->cost);
    for (size_t a = 0; a < x->h.t.n_qi; a++)
        if (cut.of[a] != b->cut.of[a]) fail_msg("seed %" PRIu64 ": another cut", seed);
}

/* --- what is not counted --- */

/* Is the vector valid, the others being at their roots? */
static bool valid_at(const th_table *h, const uint32_t *level)
{
    th_cut cut = {{0}};
    uint64_t groups;
    for (size_t a = 0; a < h->t.n_qi; a++)
        cut.of[a] = level_cut(h->qi[a].tree, level[a]);
    return th_evaluate(h, &cut, &groups).valid;
}

/* Groups of a vector of a subset need be counted where all its parts are valid, and nothing that is
 * one level lower is; then it is not known already. */
static bool must_be_counted(const th_table *h, uint32_t mask, uint32_t *level, bool *minimal)
{
    bool must = true;
    for (size_t a = 0; a < h->t.n_qi; a++) {
        uint32_t was = level[a];
        if (!(mask >> a & 1)) continue;
        level[a] = h->qi[a].tree->height;
        must = must && valid_at(h, level);
        level[a] = was - 1;
        if (was > 0) must = must && !valid_at(h, level);
        level[a] = was;
    }
    *minimal = must && valid_at(h, level);
    return must;
}

/* How many, and how many of all quasi-identifiers are minimal. */
static uint64_t to_be_counted(const th_table *h, uint64_t *n_minimal)
{
    uint64_t n = 0;
    uint32_t all = 0;
    *n_minimal = 0;
    for (size_t a = 0; a < h->t.n_qi; a++)
        all |= h->qi[a].tree->height > 0 ? 1u << a : 0;
    for (uint32_t mask = 1; mask <= all; mask++) {
        uint32_t level[TH_QI] = {0};
        size_t a;
        if (mask & ~all) continue;
        for (a = 0; a < h->t.n_qi; a++)
            level[a] = mask >> a & 1 ? 0 : h->qi[a].tree->height;
        do {
            bool minimal;
            n += must_be_counted(h, mask, level, &minimal);
            *n_minimal += mask == all && minimal;
            for (a = 0; a < h->t.n_qi; a++) {
                if (!(mask >> a & 1)) continue;
                if (++level[a] <= h->qi[a].tree->height) break;
                level[a] = 0;
            }
        } while (a < h->t.n_qi);
    }
    return n;
}

/* Besides these the roots, and what was tried above minimal ones for equals. */
static void no_more_is_counted_than_must_be(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        drawn x;
        uint64_t n_minimal, heights = 0;
        lethe_table_found got;
        lethe_arena *a = lethe_arena_new();
        draw(seed, &x);
        uint64_t n = to_be_counted(&x.h, &n_minimal);
        for (size_t q = 0; q < x.h.t.n_qi; q++)
            heights += x.h.qi[q].tree->height + 1;
        assert_int_equal(
            lethe_full_domain(ctx[0], x.u, &x.h.d, x.weight, &(lethe_table_limits){0}, a, &got),
            LETHE_OK);
        if (got.n == 0)
            assert_int_equal(got.examined, 1);
        else if (got.examined < 1 + n || got.examined > 1 + n + n_minimal * heights)
            fail_msg("seed %" PRIu64 ": %" PRIu64 " examined, not %" PRIu64 " and a few", seed,
                     got.examined, 1 + n);
        lethe_arena_free(a);
        drop(&x);
    }
}

static void the_cheapest_valid_levels_are_found(void **state)
{
    size_t nothing = 0, roots = 0, all = 0, between = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        drawn x;
        uint64_t examined = 0;
        draw(seed, &x);
        best b = brute_force(&x.h);
        assert_true(lethe_full_domain_cuts(x.u) == (double)b.n_vectors);
        nothing += b.n_valid == 0;
        roots += b.n_valid == 1;
        all += b.n_valid == b.n_vectors;
        between += b.n_valid > 1 && b.n_valid < b.n_vectors;
        for (size_t i = 0; i < LETHE_COUNT(ctx); i++) {
            lethe_table_found got;
            lethe_arena *a = lethe_arena_new();
            if (lethe_full_domain(ctx[i], x.u, &x.h.d, x.weight, &(lethe_table_limits){.top = 1}, a,
                                  &got) != LETHE_OK)
                fail_msg("seed %" PRIu64 ": an error", seed);
            check(seed, &x, &b, &got);
            if (i == 0) examined = got.examined;
            assert_int_equal(got.examined, examined);
            assert_true(got.to_best <= got.examined);
            lethe_arena_free(a);
        }
        drop(&x);
    }
    assert_true(nothing > SEEDS / 80 && roots > SEEDS / 80 && all > SEEDS / 80 &&
                between > SEEDS / 20);
}

/* --- limits --- */

typedef struct heard {
    size_t n;
    uint64_t cost, cuts;
} heard;

static void hear(void *user, double seconds, uint64_t cuts, uint64_t cost)
{
    heard *h = user;
    assert_true(seconds >= 0 && cuts >= h->cuts);
    if (h->n > 0) assert_true(cost < h->cost);
    *h = (heard){h->n + 1, cost, cuts};
}

static void a_limit_gives_the_best_so_far(void **state)
{
    size_t ended = 0, improved = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        drawn x;
        uint64_t before = UINT64_MAX;
        bool optimal = false;
        draw(seed, &x);
        best b = brute_force(&x.h);
        for (uint64_t cuts = 1; !optimal && cuts < 200; cuts++) {
            th_cut cut[LETHE_COUNT(ctx)] = {{{0}}};
            for (size_t i = 0; i < LETHE_COUNT(ctx); i++) {
                heard h = {0};
                uint64_t groups;
                lethe_table_found got;
                lethe_arena *a = lethe_arena_new();
                lethe_table_limits limits = {.cuts = cuts, .on_better = hear, .user = &h};
                assert_int_equal(lethe_full_domain(ctx[i], x.u, &x.h.d, x.weight, &limits, a, &got),
                                 LETHE_OK);
                optimal = got.optimal;
                ended += !optimal;
                assert_int_equal(got.n, b.n_valid > 0);
                if (!optimal) assert_true(got.examined <= cuts);
                if (optimal) check(seed, &x, &b, &got);
                if (got.n > 0) {
                    cut[i] = th_from(&x.h, &got.cut[0]);
                    th_price p = th_evaluate(&x.h, &cut[i], &groups);
                    assert_true(p.valid && p.cost == got.cost[0] && h.cost == p.cost);
                    assert_true(i > 0 || p.cost <= before);
                    improved += before != UINT64_MAX && p.cost < before;
                    before = p.cost;
                    assert_memory_equal(&cut[i], &cut[0], sizeof cut[i]);
                }
                lethe_arena_free(a);
            }
        }
        assert_true(optimal);
        drop(&x);
    }
    assert_true(ended > SEEDS / 4 && improved > SEEDS / 40);
}

static void no_time_leaves_the_roots(void **state)
{
    drawn x;
    lethe_table_found got;
    lethe_arena *a = lethe_arena_new();
    (void)state;
    uint64_t seed = 1;
    for (;; seed++) {
        draw(seed, &x);
        if (brute_force(&x.h).n_valid > 8) break;
        drop(&x);
    }
    lethe_table_limits limits = {.seconds = 1e-9};
    assert_int_equal(lethe_full_domain(ctx[1], x.u, &x.h.d, x.weight, &limits, a, &got), LETHE_OK);
    assert_int_equal(got.n, 1);
    assert_false(got.optimal);
    th_cut cut = th_from(&x.h, &got.cut[0]);
    for (size_t q = 0; q < x.h.t.n_qi; q++)
        assert_int_equal(cut.of[q], 1);
    lethe_arena_free(a);
    drop(&x);
}

/* --- trouble --- */

static void out_of_memory_is_an_error_and_nothing_leaks(void **state)
{
    drawn x;
    uint64_t seed = 1;
    lethe_err e = LETHE_ENOMEM;
    (void)state;
    for (;; seed++) {
        draw(seed, &x);
        best b = brute_force(&x.h);
        if (b.n_vectors > 30 && b.n_valid > 4 && b.n_valid < 20) break;
        drop(&x);
    }
    for (uint64_t n = 1; e == LETHE_ENOMEM; n++) {
        lethe_table_found got = {.n = 77};
        lethe_arena *a = lethe_arena_new();
        lethe_alloc_fail_at(n);
        e = lethe_full_domain(ctx[0], x.u, &x.h.d, x.weight, &(lethe_table_limits){0}, a, &got);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || (e == LETHE_ENOMEM && got.n == 77));
        assert_true(n > 10 || e == LETHE_ENOMEM);
        lethe_arena_free(a);
    }
    drop(&x);
}

/* Twenty columns of two levels have 3^20 vectors in all subsets. */
static void too_many_quasi_identifiers_are_refused(void **state)
{
    enum { QI = 20 };
    uint32_t parent[] = {LETHE_NONE, 0, 0};
    lethe_str name[] = {LETHE_LIT("r"), LETHE_LIT("a"), LETHE_LIT("b")};
    lethe_tree *tree = NULL;
    lethe_qi qi[QI];
    uint32_t leaf[] = {1, 2};
    lethe_tuples *u = NULL;
    lethe_table_found got;
    lethe_arena *a = lethe_arena_new();
    (void)state;
    assert_int_equal(lethe_tree_from(NULL, 3, parent, name, &tree), LETHE_OK);
    for (size_t q = 0; q < QI; q++)
        qi[q] = (lethe_qi){.tree = tree, .leaf = leaf};
    lethe_table t = {.n = 2, .n_qi = QI, .qi = qi};
    assert_int_equal(lethe_tuples_of(ctx[0], &t, false, &u), LETHE_OK);
    lethe_group_demand d = {.k = 1,
                            .distinct = 1,
                            .n_class = 1,
                            .rows = 2,
                            .n_qi = QI,
                            .scale = 1,
                            .cost = LETHE_COST_DM};
    assert_int_equal(lethe_full_domain(ctx[0], u, &d, NULL, &(lethe_table_limits){0}, a, &got),
                     LETHE_ENOMEM);
    lethe_tuples_free(u);
    lethe_tree_free(tree);
    lethe_arena_free(a);
}

static void a_cancelled_context_ends_it(void **state)
{
    drawn x;
    lethe_ctx *stopped = NULL;
    lethe_table_found got;
    lethe_arena *a = lethe_arena_new();
    (void)state;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 2}, &stopped), LETHE_OK);
    lethe_ctx_cancel(stopped);
    draw(3, &x);
    assert_int_equal(
        lethe_full_domain(stopped, x.u, &x.h.d, x.weight, &(lethe_table_limits){0}, a, &got),
        LETHE_ECANCEL);
    drop(&x);
    lethe_arena_free(a);
    lethe_ctx_free(stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_valid_levels_are_found),
        cmocka_unit_test(no_more_is_counted_than_must_be),
        cmocka_unit_test(a_limit_gives_the_best_so_far),
        cmocka_unit_test(no_time_leaves_the_roots),
        cmocka_unit_test(out_of_memory_is_an_error_and_nothing_leaks),
        cmocka_unit_test(too_many_quasi_identifiers_are_refused),
        cmocka_unit_test(a_cancelled_context_ends_it),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
