/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest group, found by bounds, against a scan of all groups: the same, ties included. */
#include "clump_harness.h"
#include "method/cluster/clump/nearest.h"

enum { CASES = 400, FINDS = 30, MOST_GROUPS = 150 };

typedef struct world {
    const lethe_tree *t;
    const lethe_ancestors *bag; /* of the groups, and of the records */
    size_t n_bags;
    bool increase;
    uint32_t n_groups;
    bool in[MOST_GROUPS], barred[MOST_GROUPS];
    uint64_t items[MOST_GROUPS], n[MOST_GROUPS], more[MOST_GROUPS];
    size_t m[MOST_GROUPS]; /* which bag */
    const lethe_ancestors *record;
} world;

/* By the formula of the header; `more` is what an exact cost may have above it. */
static lethe_err cost_of(void *arg, uint32_t g, uint64_t *out)
{
    const world *w = arg;
    const lethe_ancestors *m = &w->bag[w->m[g]];
    uint64_t scale = lethe_tree_scale(w->t), base = w->items[g] * scale;
    if (w->increase) base = w->n[g] * lethe_ancestors_overlap(w->t, m, m);
    *out = base + w->record->size * scale -
           (w->n[g] + 1) * lethe_ancestors_overlap(w->t, m, w->record) + w->more[g];
    return LETHE_OK;
}

static bool may(void *arg, uint32_t g) { return !((const world *)arg)->barred[g]; }

static uint32_t scan(world *w)
{
    uint32_t best = LETHE_NONE;
    uint64_t least = 0, cost;
    for (uint32_t g = 0; g < w->n_groups; g++) {
        if (!w->in[g] || w->barred[g]) continue;
        if (cost_of(w, g, &cost) != LETHE_OK) abort();
        if (best == LETHE_NONE || cost < least) best = g, least = cost;
    }
    return best;
}

/* A group comes, changes, or goes. */
static void change(world *w, lethe_clump_nearest *x, uint64_t *s)
{
    uint32_t g = c_below(s, w->n_groups);
    w->barred[g] = c_below(s, 5) == 0;
    if (c_below(s, 4) == 0) {
        lethe_clump_nearest_remove(x, g);
        w->in[g] = false;
        return;
    }
    w->m[g] = c_below(s, w->n_bags);
    w->n[g] = 1 + c_below(s, 4);
    w->items[g] = w->n[g] * w->bag[w->m[g]].size + c_below(s, 20);
    w->more[g] = c_below(s, 3) ? 0 : c_below(s, 50);
    w->in[g] = true;
    lethe_clump_nearest_put(x, g, w->items[g], w->n[g], &w->bag[w->m[g]]);
}

static lethe_ancestors *random_bags(const lethe_tree *t, uint64_t *s, size_t n, lethe_arena *a)
{
    lethe_ancestors *bag = lethe_new(a, lethe_ancestors, n);
    uint32_t item[40], narrow = 1 + c_below(s, t->n); /* part of the tree: many alike */
    for (size_t i = 0; i < n; i++) {
        size_t size = c_below(s, LETHE_COUNT(item));
        for (size_t k = 0; k < size; k++)
            item[k] = c_below(s, narrow);
        assert_int_equal(lethe_ancestors_of(t, item, size, a, &bag[i]), LETHE_OK);
    }
    return bag;
}

static uint32_t count_in(const world *w)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < w->n_groups; g++)
        n += w->in[g];
    return n;
}

static void the_nearest_is_what_a_scan_finds(void **state)
{
    (void)state;
    uint64_t looked_at = 0, could = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed;
        lethe_arena *a = lethe_arena_new();
        lethe_tree *t = c_random_tree(&s, 1 + c_below(&s, 500));
        world w = {.t = t, .n_bags = 100, .increase = seed % 2 != 0};
        w.n_groups = 1 + c_below(&s, MOST_GROUPS);
        w.bag = random_bags(t, &s, w.n_bags, a);
        lethe_clump_nearest *x = NULL;
        assert_int_equal(lethe_clump_nearest_new(t, w.bag, w.n_bags, w.n_groups, w.increase, &x),
                         LETHE_OK);
        for (int i = 0; i < FINDS; i++) {
            uint32_t got = 77;
            uint64_t n = 0;
            for (int k = 0; k < 20; k++)
                change(&w, x, &s);
            assert_int_equal(lethe_clump_nearest_count(x), count_in(&w));
            w.record = &w.bag[c_below(&s, w.n_bags)];
            lethe_clump_nearest_query ask = {.arg = &w, .may = may, .cost = cost_of};
            assert_int_equal(lethe_clump_nearest_find(x, w.record, &ask, &got, &n), LETHE_OK);
            if (got != scan(&w)) fail_msg("seed %llu, search %d", (unsigned long long)seed, i);
            assert_true(n <= count_in(&w));
            looked_at += n;
            could += count_in(&w);
        }
        lethe_clump_nearest_free(x);
        lethe_tree_free(t);
        lethe_arena_free(a);
    }
    assert_true(looked_at * 2 < could); // the bounds are of use
}

static lethe_err no_cost(void *arg, uint32_t g, uint64_t *out)
{
    (void)arg, (void)g, (void)out;
    return LETHE_ECANCEL;
}

static void none_where_there_is_none(void **state)
{
    (void)state;
    uint32_t parent[] = {LETHE_NONE, 0, 0}, item = 1, got = 77;
    uint64_t n = 0;
    lethe_arena *a = lethe_arena_new();
    lethe_tree *t = c_tree(parent, 3);
    lethe_ancestors v;
    lethe_clump_nearest *x = NULL;
    world w = {.t = t, .bag = &v, .n_groups = 2, .record = &v};
    assert_int_equal(lethe_ancestors_of(t, &item, 1, a, &v), LETHE_OK);
    assert_int_equal(lethe_clump_nearest_new(t, &v, 1, 2, false, &x), LETHE_OK);
    lethe_clump_nearest_query ask = {.arg = &w, .may = may, .cost = cost_of};
    assert_int_equal(lethe_clump_nearest_find(x, &v, &ask, &got, &n), LETHE_OK);
    assert_int_equal(got, LETHE_NONE);
    w.items[1] = w.n[1] = 1;
    w.in[1] = w.barred[1] = true;
    lethe_clump_nearest_put(x, 1, 1, 1, &v);
    lethe_clump_nearest_remove(x, 0); // it is not in it
    assert_int_equal(lethe_clump_nearest_count(x), 1);
    assert_int_equal(lethe_clump_nearest_find(x, &v, &ask, &got, &n), LETHE_OK);
    assert_int_equal(got, LETHE_NONE);
    assert_int_equal(n, 0);
    ask = (lethe_clump_nearest_query){.arg = &w, .cost = no_cost};
    assert_int_equal(lethe_clump_nearest_find(x, &v, &ask, &got, &n), LETHE_ECANCEL);
    lethe_clump_nearest_free(x);
    lethe_clump_nearest_free(NULL);
    lethe_tree_free(t);
    lethe_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_is_what_a_scan_finds),
        cmocka_unit_test(none_where_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
