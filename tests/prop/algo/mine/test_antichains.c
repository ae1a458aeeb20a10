/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized frequent patterns in two sets of transactions, against all sets of nodes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/mine/antichains.h"
#include <stdio.h>
#include <stdlib.h>

enum { CASES = 4000, MOST_NODES = 11, MOST_ROWS = 200, MOST_IN = 6 };

static uint64_t mix(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)(mix(s) % n); }

/* Each node below one of the last three. */
static lethe_tree *draw_tree(uint64_t *s)
{
    uint32_t n = 1 + below(s, MOST_NODES), parent[MOST_NODES];
    char text[MOST_NODES][8];
    lethe_str name[MOST_NODES];
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) {
        parent[i] = i == 0 ? LETHE_NONE : i - 1 - below(s, LETHE_MIN(i, 3));
        name[i] = (lethe_str){text[i], (size_t)snprintf(text[i], sizeof text[i], "n%u", i)};
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, name, &t), LETHE_OK);
    return t;
}

typedef struct database {
    uint64_t start[MOST_ROWS + 1];
    uint32_t item[MOST_ROWS * MOST_IN], weight[MOST_ROWS];
    lethe_transactions t;
} database;

/* So many rows that bits are many words, some nodes nearly in all, some so rare that they are
 * lists.
 */
static void draw_many(database *d, const lethe_tree *t, uint64_t *s)
{
    uint32_t rare = 10 + below(s, 60), common[2] = {below(s, t->n), below(s, t->n)};
    d->start[0] = 0;
    for (uint32_t i = 0; i < MOST_ROWS; i++) {
        d->start[i + 1] = d->start[i];
        d->weight[i] = below(s, 60);
        for (uint32_t k = 0; k < MOST_IN; k++)
            if (k < 2 ? below(s, 20) > 0 : below(s, rare) == 0)
                d->item[d->start[i + 1]++] = k < 2 ? common[k] : below(s, t->n);
    }
    d->t = (lethe_transactions){
        .n = MOST_ROWS, .start = d->start, .item = d->item, .weight = d->weight, .n_items = t->n};
}

/* Any nodes, inner ones too, and numbers that are none. */
static void draw(database *d, const lethe_tree *t, uint64_t *s)
{
    uint32_t n = below(s, below(s, 8) ? 12 : MOST_ROWS), most = 1 + below(s, MOST_IN);
    bool weighted = below(s, 2);
    d->start[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        d->start[i + 1] = d->start[i];
        d->weight[i] = weighted ? below(s, 20) : 1;
        for (uint32_t k = below(s, most + 1); k > 0; k--)
            d->item[d->start[i + 1]++] = below(s, below(s, 20) ? t->n : t->n + 2);
    }
    d->t = (lethe_transactions){.n = n,
                                .start = d->start,
                                .item = d->item,
                                .weight = weighted ? d->weight : NULL,
                                .n_items = t->n + 2};
}

static uint64_t support_of(const lethe_tree *t, const database *d, uint32_t set)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < d->t.n; i++) {
        bool has = true;
        for (uint32_t v = 0; v < t->n && has; v++) {
            bool at_or_below = !(set >> v & 1);
            for (uint64_t k = d->start[i]; k < d->start[i + 1] && !at_or_below; k++)
                at_or_below = d->item[k] < t->n && lethe_tree_covers(t, v, d->item[k]);
            has = at_or_below;
        }
        sum += has ? d->weight[i] : 0;
    }
    return sum;
}

static bool is_antichain(const lethe_tree *t, uint32_t set)
{
    for (uint32_t u = 0; u < t->n; u++)
        for (uint32_t v = u + 1; v < t->n; v++)
            if ((set >> u & 1) && (set >> v & 1) && lethe_tree_covers(t, u, v)) return false;
    return true;
}

static lethe_antichains enumerate(const lethe_antichains_asked *asked, const database *original,
                                  const database *published)
{
    lethe_antichains sums = {.all = true};
    uint64_t least = asked->support ? asked->support : 1;
    for (uint32_t set = 1; set < (uint32_t)1 << asked->tree->n; set++) {
        if (!is_antichain(asked->tree, set)) continue;
        uint64_t after = support_of(asked->tree, published, set), before;
        if (after < least) continue;
        sums.published++;
        before = support_of(asked->tree, original, set);
        if (before < least) continue;
        sums.both++;
        sums.support += before;
        sums.difference += after > before ? after - before : before - after;
    }
    return sums.published > asked->most ? (lethe_antichains){0} : sums;
}

static void as_defined(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    static database original, published;
    lethe_ctx *ctx[3] = {0};
    for (int i = 0; i < 3; i++) {
        lethe_settings set = {.n_threads = threads[i]};
        assert_int_equal(lethe_ctx_new(&set, &ctx[i]), LETHE_OK);
    }
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed * 0x2545f4914f6cdd1du;
        lethe_tree *t = draw_tree(&s);
        void (*drawn)(database *, const lethe_tree *, uint64_t *) = seed % 8 ? draw : draw_many;
        drawn(&original, t, &s);
        drawn(&published, t, &s);
        lethe_antichains_asked asked = {.tree = t,
                                        .original = &original.t,
                                        .published = &published.t,
                                        .support = below(&s, below(&s, 2) ? 5 : 60),
                                        .most =
                                            below(&s, 4) ? LETHE_ANTICHAINS_MOST : below(&s, 40)};
        lethe_antichains want = enumerate(&asked, &original, &published), got;
        assert_int_equal(lethe_antichains_count(ctx[seed % 5 ? 0 : 1 + seed / 5 % 2], &asked, &got),
                         LETHE_OK);
        if (got.all != want.all || got.published != want.published || got.both != want.both ||
            got.support != want.support || got.difference != want.difference)
            fail_msg("seed %llu: %llu patterns, not %llu", (unsigned long long)seed,
                     (unsigned long long)got.published, (unsigned long long)want.published);
        lethe_tree_free(t);
    }
    for (int i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
