/* SPDX-License-Identifier: Apache-2.0 */
/* Threats of small sets, drawn by a seed, against all decorated itemsets and all cuts by the
 * definitions (J. Liu, 2010, Definitions 4.1 to 4.6): every combination of prunings, one,
 * two and seven threads. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "seeds.h"
#include "threats_harness.h"

static const unsigned THREADS[] = {1, 2, 7};
static lethe_ctx *ctx[LETHE_COUNT(THREADS)];

static int begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++)
        if (lethe_ctx_new(&(lethe_settings){.n_threads = THREADS[i]}, &ctx[i]) != LETHE_OK)
            return 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++)
        lethe_ctx_free(ctx[i]);
    return 0;
}

static bool alike(const lethe_threats *a, const lethe_threats *b, const lethe_tree *t)
{
    return a->n == b->n && a->nodes == b->nodes && a->stored == b->stored && a->empty == b->empty &&
           a->common == b->common && a->common_n == b->common_n &&
           memcmp(a->locked, b->locked, t->n) == 0 &&
           memcmp(a->start, b->start, (a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->item, b->item, a->start[a->n] * sizeof *a->item) == 0;
}

static void expect(const h_case *c, const h_oracle *o, uint64_t seed, unsigned without)
{
    h_records h;
    lethe_threats found[LETHE_COUNT(THREADS)];
    h_records_make(c, &h);
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++)
        assert_int_equal(lethe_threats_find(ctx[i], &h.r, c->t, &c->kl, without, &found[i]),
                         LETHE_OK);
    for (size_t i = 1; i < LETHE_COUNT(THREADS); i++)
        if (!alike(&found[0], &found[i], c->t))
            fail_msg("seed %llu without %u: %u threads differ", (unsigned long long)seed, without,
                     THREADS[i]);
    if (!h_same(c, o, &found[0], (without & LETHE_PRUNE_LOCKED) == 0))
        fail_msg("seed %llu without %u: threats differ", (unsigned long long)seed, without);
    if (!h_same_cuts(c, o, &found[0]))
        fail_msg("seed %llu without %u: cuts differ", (unsigned long long)seed, without);
    assert_true(o->empty || found[0].stored >= found[0].n);
    for (size_t i = 0; i < LETHE_COUNT(THREADS); i++)
        lethe_threats_free(&found[i]);
    h_records_free(&h);
}

/* How many cases had what: a test of the test. */
static struct {
    size_t empty, none, threats, locked, absent, triples;
} met;

static void run(uint64_t seed, uint32_t nodes, bool strict)
{
    static h_oracle o;
    h_case c;
    uint64_t state = seed;
    h_case_draw(&state, nodes, &c);
    c.kl.strict = strict;
    if (strict) c.kl.m = LETHE_MIN(c.kl.m, 2);
    h_oracle_make(&c, &o);
    met.empty += o.empty;
    met.none += !o.empty && o.n == 0;
    met.threats += o.n > 1;
    met.absent += o.n > 1 && c.kl.n > 0;
    for (unsigned without = 0; without < 16; without++)
        expect(&c, &o, seed, without);
    uint8_t locked[H_NODES];
    h_locked(&c, &o, locked);
    met.locked += !o.empty && h_below_locked(&c, locked) != 0;
    lethe_tree_free(c.t);
}

static void threats_are_those_of_the_definitions(void **state)
{
    (void)state;
    uint64_t n = seeds(3000);
    for (uint64_t seed = 1; seed <= n; seed++)
        run(seed, 6 + (uint32_t)(seed % 6), false);
    assert_true(met.empty > n / 50 && met.none > n / 50 && met.threats > n / 10);
    assert_true(met.locked > n / 10 && met.absent > n / 20);
}

/* Where one item is all that is known, counts take the place of the search, which is asked for by
 * turning a pruning off that changes nothing there: the same threats, locks and figures. */
static void one_item_needs_counts_alone(void **state)
{
    (void)state;
    static h_oracle o;
    uint64_t n = seeds(9000);
    size_t locked = 0, rooted = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        h_records h;
        lethe_threats counted, searched;
        uint64_t drawn = 3000000 + seed;
        h_case_draw(&drawn, 4 + (uint32_t)(seed % 9), &c);
        c.kl = (lethe_kl){.k = 2 + h_draw(&drawn, 4), .l = 1, .m = 1};
        h_oracle_make(&c, &o);
        expect(&c, &o, seed, 0);
        h_records_make(&c, &h);
        assert_int_equal(lethe_threats_find(ctx[0], &h.r, c.t, &c.kl, 0, &counted), LETHE_OK);
        assert_int_equal(
            lethe_threats_find(ctx[0], &h.r, c.t, &c.kl, LETHE_PRUNE_GENERIC, &searched), LETHE_OK);
        if (!alike(&counted, &searched, c.t))
            fail_msg("seed %llu: counts differ from the search", (unsigned long long)seed);
        locked += memchr(counted.locked, 1, c.t->n) != NULL;
        rooted += counted.n > 0;
        lethe_threats_free(&counted);
        lethe_threats_free(&searched);
        h_records_free(&h);
        lethe_tree_free(c.t);
    }
    assert_true(locked > n / 10 && rooted > n / 100);
}

static void strict_closes_both_gaps(void **state)
{
    (void)state;
    uint64_t n = seeds(1500);
    memset(&met, 0, sizeof met);
    for (uint64_t seed = 1; seed <= n; seed++)
        run(1000000 + seed, 5 + (uint32_t)(seed % 5), true);
    assert_true(met.threats > n / 10 && met.locked > n / 10 && met.absent > n / 20);
}

/* One node with four or five leaves, and one beside.  Three of the leaves tell more the more of
 * them there are: each alone is marked in one set, and not in sets of two of them; then some more
 * sets. */
static void draw_family(uint64_t *seed, h_case *c)
{
    static const double l[] = {1.5, 1.9, 2, 2.1, 2.1, 2.5};
    static const char name[] = "rPqabcde";
    uint32_t n = 7 + h_draw(seed, 2), parent[8] = {LETHE_NONE, 0, 0}, leaf[8], n_leaves = 0;
    lethe_str names[8];
    *c = (h_case){0};
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = v > 2 ? 1 : parent[v];
        names[v] = (lethe_str){name + v, 1};
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, names, &c->t), LETHE_OK);
    for (uint32_t v = 3; v < n; v++) // in any order
        leaf[n_leaves++] = c->t->node[v];
    for (uint32_t i = n_leaves; i > 1; i--) {
        uint32_t k = h_draw(seed, i), swap = leaf[k];
        leaf[k] = leaf[i - 1];
        leaf[i - 1] = swap;
    }
    for (uint32_t i = 0; i < 3; i++) {
        c->items[c->n] = 1u << leaf[i];
        c->marks[c->n++] = h_draw(seed, 8) > 0;
        if (i == 2 && h_draw(seed, 2)) continue; // the first and the third are not together
        c->items[c->n++] = 1u << leaf[i] | 1u << leaf[(i + 1) % 3];
    }
    for (uint32_t more = 2 + h_draw(seed, 6); more > 0; more--) {
        for (uint32_t v = 0; v < n; v++)
            if (lethe_tree_is_leaf(c->t, v) && h_draw(seed, v == leaf[3] ? 2 : 8) == 0)
                c->items[c->n] |= 1u << v;
        c->marks[c->n++] = h_draw(seed, 6) == 0;
    }
    c->kl = (lethe_kl){.k = 1 + h_draw(seed, 2),
                       .l = l[h_draw(seed, LETHE_COUNT(l))],
                       .m = 1 + h_draw(seed, 2),
                       .n = h_draw(seed, 2),
                       .strict = true};
}

static void strict_knows_one_of_three(void **state)
{
    (void)state;
    static h_oracle o;
    uint64_t n = seeds(3600);
    memset(&met, 0, sizeof met);
    for (uint64_t seed = 1; seed <= n; seed++) {
        h_case c;
        uint64_t drawn = 2000000 + seed;
        draw_family(&drawn, &c);
        h_oracle_make(&c, &o);
        for (size_t i = 0; i < o.n && c.kl.m == 1 && c.kl.n == 0; i++)
            met.triples += __builtin_popcount(o.most[i]) == 3; // by one clause alone
        for (unsigned without = 0; without < 16; without++)
            expect(&c, &o, 2000000 + seed, without);
        lethe_tree_free(c.t);
    }
    assert_true(met.triples > n / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threats_are_those_of_the_definitions),
        cmocka_unit_test(one_item_needs_counts_alone),
        cmocka_unit_test(strict_closes_both_gaps),
        cmocka_unit_test(strict_knows_one_of_three),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
