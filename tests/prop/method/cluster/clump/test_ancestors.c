/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, LCG and GGD against what the definitions say of small bags: generalizations by injection
 * (Definition 1), the least of the common ones by enumeration (Definition 2), distortion item by
 * item (Definition 3), and Lemma 1. */
/* suite: threads */
#include "clump_harness.h"
#include "method/cluster/clump/ancestors.h"

enum { CASES = 4000, MOST_NODES = 9, MOST_ITEMS = 4 };

/* --- Definition 1 --- */

/* Can each of a[i..] be given an item of b, its own, that it is above? */
static bool injects(const lethe_tree *t, const c_bag *a, size_t i, const c_bag *b, unsigned used)
{
    if (i == a->n) return true;
    for (size_t k = 0; k < b->n; k++) {
        uint32_t v = b->item[k];
        while (v != LETHE_NONE && v != a->item[i])
            v = t->parent[v];
        if (v != LETHE_NONE && !(used >> k & 1) && injects(t, a, i + 1, b, used | 1u << k))
            return true;
    }
    return false;
}

static bool generalizes(const lethe_tree *t, const c_bag *a, const c_bag *b)
{
    return injects(t, a, 0, b, 0);
}

/* Calls `visit` with every bag that replacing each item of `b` by one above it, or by none, gives.
 */
typedef struct walk {
    const lethe_tree *t;
    const c_bag *b;
    const c_bag *set; /* the records */
    size_t n_set;
    const c_bag *lcg;
    size_t n_common;
    const char *fault;
} walk;

static void visit(walk *w, const c_bag *g)
{
    for (size_t i = 0; i < w->n_set; i++)
        if (!generalizes(w->t, g, &w->set[i])) return;
    w->n_common++;
    if (!generalizes(w->t, g, w->lcg)) w->fault = "a common generalization is not above the LCG";
}

static void each_generalization(walk *w, size_t i, c_bag *g)
{
    if (i == w->b->n) {
        visit(w, g);
        return;
    }
    each_generalization(w, i + 1, g);
    for (uint32_t v = w->b->item[i]; v != LETHE_NONE; v = w->t->parent[v]) {
        g->item[g->n++] = v;
        each_generalization(w, i + 1, g);
        g->n--;
    }
}

/* --- the library's --- */

static lethe_ancestors counts_of(const lethe_tree *t, const c_bag *b, lethe_arena *a)
{
    lethe_ancestors out = {0};
    assert_int_equal(lethe_ancestors_of(t, b->item, b->n, a, &out), LETHE_OK);
    return out;
}

static c_bag items_of(const lethe_tree *t, const lethe_ancestors *m, lethe_arena *a)
{
    c_bag out = {0};
    assert_int_equal(lethe_ancestors_items(t, m, a, &out.item, &out.n), LETHE_OK);
    return out;
}

static bool same_bag(const c_bag *a, const c_bag *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->item, b->item, a->n * sizeof *a->item) == 0);
}

static const char *counts_fault(const lethe_tree *t, const lethe_ancestors *a, const c_bag *b)
{
    uint32_t *cnt = c_counts(t, b->item, b->n);
    size_t n = 0;
    const char *fault = a->size == b->n ? NULL : "size";
    for (uint32_t v = 1; v < t->n && !fault; v++) {
        if (cnt[v] == 0) continue;
        if (n >= a->n || a->at[n].node != v || a->at[n].count != cnt[v]) fault = "counts";
        n++;
    }
    free(cnt);
    return fault ? fault : n == a->n ? NULL : "more entries than nodes";
}

static uint64_t slow_overlap(const lethe_tree *t, const c_bag *a, const c_bag *b)
{
    uint32_t *x = c_counts(t, a->item, a->n), *y = c_counts(t, b->item, b->n);
    uint64_t sum = 0;
    for (uint32_t v = 1; v < t->n; v++)
        sum += (uint64_t)(x[v] < y[v] ? x[v] : y[v]) *
               (lethe_tree_lm(t, t->parent[v]) - lethe_tree_lm(t, v));
    free(x);
    free(y);
    return sum;
}

/* --- one case --- */

static const char *pair_fault(const lethe_tree *t, const c_bag *x, const c_bag *y,
                              lethe_ancestors_dense *laid, lethe_arena *a)
{
    lethe_ancestors p = counts_of(t, x, a), q = counts_of(t, y, a);
    uint64_t want = slow_overlap(t, x, y);
    if (lethe_ancestors_overlap(t, &p, &q) != want || lethe_ancestors_overlap(t, &q, &p) != want)
        return "overlap";
    lethe_ancestors_dense_set(laid, &p);
    if (lethe_ancestors_dense_overlap(laid, &q) != want) return "overlap of what is laid out";
    if (lethe_ancestors_mass(t, &p) != slow_overlap(t, x, x)) return "mass";
    return NULL;
}

/* LCG(S) by enumeration; GGD by definition; each record added to the LCG of those before it. */
static const char *set_fault(const lethe_tree *t, const c_bag *set, size_t n, lethe_arena *a)
{
    uint32_t scratch[MOST_ITEMS];
    lethe_ancestors first = counts_of(t, &set[0], a);
    lethe_ancestors_min m = {0};
    uint64_t items = set[0].n;
    c_bag g = {scratch, 0}, lcg = {0};
    const char *fault = lethe_ancestors_min_set(&m, &first) == LETHE_OK ? NULL : "memory";
    for (size_t i = 1; i < n && !fault; i++) {
        lethe_ancestors v = counts_of(t, &set[i], a), so_far = lethe_ancestors_min_view(&m);
        lcg = items_of(t, &so_far, a); // Lemma 1: counts of the LCG so far are M
        if (counts_fault(t, &so_far, &lcg)) fault = "counts of the LCG are not M";
        lethe_ancestors_min_meet(&m, &v);
        items += set[i].n;
    }
    lethe_ancestors least = lethe_ancestors_min_view(&m);
    lcg = items_of(t, &least, a);
    walk w = {.t = t, .b = &set[0], .set = set, .n_set = n, .lcg = &lcg};
    for (size_t i = 0; i < n; i++)
        if (!generalizes(t, &lcg, &set[i])) fault = "the LCG is no generalization";
    if (!fault) each_generalization(&w, 0, &g);
    if (w.fault) fault = w.fault;
    if (lethe_ancestors_ggd(t, items, n, lethe_ancestors_mass(t, &least)) !=
        c_ggd(t, &lcg, n, items))
        fault = "GGD";
    lethe_ancestors_min_free(&m);
    return fault;
}

/* As printed: a common generalization, never more special than the LCG, and the slow one's. */
static const char *buig_fault(const lethe_tree *t, const c_bag *set, size_t n, lethe_arena *a)
{
    c_bag got = {0}, want = c_buig(t, set, n);
    if (c_fast_buig(t, set, n, a, &got) != LETHE_OK) return "memory";
    const char *fault = same_bag(&got, &want) ? NULL : "BUIG";
    for (size_t i = 0; i < n; i++)
        if (!generalizes(t, &got, &set[i])) fault = "BUIG gives no generalization";
    free(want.item);
    return fault;
}

/* Bags of any nodes where `inner`, else of leaves. */
static void random_set(const lethe_tree *t, uint64_t *s, c_bag *set, size_t n, bool inner)
{
    for (size_t i = 0; i < n; i++) {
        set[i] = (c_bag){malloc(MOST_ITEMS * sizeof(uint32_t)), c_below(s, MOST_ITEMS + 1)};
        for (size_t k = 0; k < set[i].n; k++)
            set[i].item[k] = inner ? c_below(s, t->n) : c_random_leaf(t, s);
    }
}

static void definitions_hold_for_random_bags(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed;
        lethe_arena *a = lethe_arena_new();
        lethe_tree *t = c_random_tree(&s, MOST_NODES);
        lethe_ancestors_dense *laid = lethe_ancestors_dense_new(t);
        c_bag set[3];
        size_t n = 1 + c_below(&s, 3);
        random_set(t, &s, set, n, c_below(&s, 3) == 0);
        const char *fault = NULL;
        for (size_t i = 0; i < n && !fault; i++) {
            lethe_ancestors v = counts_of(t, &set[i], a);
            c_bag back = items_of(t, &v, a);
            fault = counts_fault(t, &v, &set[i]);
            if (!fault) fault = pair_fault(t, &set[i], &set[(i + 1) % n], laid, a);
            qsort(set[i].item, set[i].n, sizeof(uint32_t), c_cmp);
            if (!fault && !same_bag(&back, &set[i])) fault = "counts give another bag back";
        }
        if (!fault) fault = set_fault(t, set, n, a);
        if (!fault) fault = buig_fault(t, set, n, a);
        if (fault) fail_msg("seed %llu: %s", (unsigned long long)seed, fault);
        for (size_t i = 0; i < n; i++)
            free(set[i].item);
        lethe_ancestors_dense_free(laid);
        lethe_tree_free(t);
        lethe_arena_free(a);
    }
}

/* --- larger bags, by counting --- */

static void counts_of_larger_bags(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t s = seed;
        lethe_arena *a = lethe_arena_new();
        lethe_tree *t = c_random_tree(&s, 400);
        c_bag b[2];
        for (int k = 0; k < 2; k++) {
            b[k] = (c_bag){malloc(600 * sizeof(uint32_t)), c_below(&s, 600)};
            uint32_t near = 1 + c_below(&s, t->n); // many copies, or few
            for (size_t i = 0; i < b[k].n; i++)
                b[k].item[i] = c_below(&s, near);
        }
        lethe_ancestors x = counts_of(t, &b[0], a), y = counts_of(t, &b[1], a);
        c_bag back = items_of(t, &x, a);
        const char *fault = counts_fault(t, &x, &b[0]);
        if (!fault && lethe_ancestors_overlap(t, &x, &y) != slow_overlap(t, &b[0], &b[1]))
            fault = "overlap";
        qsort(b[0].item, b[0].n, sizeof(uint32_t), c_cmp);
        if (!fault && !same_bag(&back, &b[0])) fault = "counts give another bag back";
        if (fault) fail_msg("seed %llu: %s", (unsigned long long)seed, fault);
        free(b[0].item);
        free(b[1].item);
        lethe_tree_free(t);
        lethe_arena_free(a);
    }
}

static void all_records_are_as_each_for_any_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        static const unsigned threads[] = {1, 2, 7};
        uint64_t s = seed;
        lethe_tree *t = c_random_tree(&s, 60);
        c_records c;
        c_random_records(&c, t, &s, c_below(&s, 1200), 40, 0);
        for (size_t k = 0; k < LETHE_COUNT(threads); k++) {
            lethe_ctx *ctx = c_ctx(NULL, threads[k]);
            lethe_arena *a = lethe_arena_new();
            lethe_ancestors *all = NULL;
            assert_int_equal(lethe_ancestors_all(ctx, t, &c.r, a, &all), LETHE_OK);
            for (size_t i = 0; i < c.r.n; i++) {
                c_bag b = c_record(&c, i);
                const char *fault = counts_fault(t, &all[i], &b);
                if (fault)
                    fail_msg("seed %llu, record %zu: %s", (unsigned long long)seed, i, fault);
            }
            lethe_arena_free(a);
            lethe_ctx_free(ctx);
        }
        c_free(&c);
        lethe_tree_free(t);
    }
}

static void most_groups_are_by_their_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        uint64_t s = seed, of[6], total = 0, k = 1 + c_below(&s, 6), most = 0;
        size_t n = c_below(&s, 7);
        for (size_t i = 0; i < n; i++)
            total += of[i] = c_below(&s, c_below(&s, 2) ? 3 : 20);
        for (uint64_t g = 1; g <= total; g++) {
            uint64_t sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += of[i] < g ? of[i] : g;
            if (sum >= g * k) most = g;
        }
        if (lethe_clump_most_groups(of, n, k) != most)
            fail_msg("seed %llu", (unsigned long long)seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_hold_for_random_bags),
        cmocka_unit_test(counts_of_larger_bags),
        cmocka_unit_test(all_records_are_as_each_for_any_threads),
        cmocka_unit_test(most_groups_are_by_their_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
