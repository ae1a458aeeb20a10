/* SPDX-License-Identifier: Apache-2.0 */
/* Random records over random trees: the method against the literal algorithm, record by record and
 * figure by figure; and what must hold of anything that is published. */
/* suite: threads */
#include "partition_harness.h"
#include "partition_literal.h"
#include "seeds.h"

typedef struct dice {
    uint64_t s;
} dice;

static uint32_t roll(dice *d, uint32_t n) /* 0 .. n - 1 */
{
    d->s += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = d->s;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) % n);
}

/* Preorder by itself: a node hangs below the one before it, or below one of that one's ancestors;
 * `deep` of 4 times the former. */
static lethe_tree *random_tree(dice *d, uint32_t n, uint32_t deep)
{
    uint32_t *parent = malloc(n * sizeof *parent);
    if (!parent) abort();
    parent[0] = LETHE_NONE;
    for (uint32_t i = 1; i < n; i++) {
        parent[i] = i - 1;
        while (parent[i] != 0 && roll(d, 4) >= deep)
            parent[i] = parent[parent[i]];
    }
    lethe_tree *t = tree_of(parent, n);
    free(parent);
    return t;
}

typedef struct shape {
    uint32_t n_records, n_owners, longest, n_items, empty; /* of 8 records so many are empty */
    bool even;                                             /* no person has most */
} shape;

static void random_bags(dice *d, const lethe_tree *t, const shape *s, bags *b)
{
    uint32_t leaf[512], n = 0;
    for (uint32_t v = 0; v < t->n && n < LETHE_COUNT(leaf); v++) {
        if (t->end[v] == v + 1) leaf[n++] = v;
    }
    if (s->n_items < n) n = s->n_items;
    for (uint32_t i = 0; i < s->n_records; i++) {
        uint32_t owner = s->n_owners ? roll(d, s->n_owners) : i;
        if (s->n_owners && !s->even && roll(d, 3) == 0) owner = 0; // one has most
        bags_begin(b, owner);
        if (roll(d, 8) < s->empty) continue;
        for (uint32_t k = 1 + roll(d, s->longest); k > 0; k--)
            bags_item(b, leaf[roll(d, n)]);
    }
}

/* --- what must hold --- */

static uint64_t count_below(const lethe_tree *t, const uint32_t *at, size_t n, uint32_t v)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += v <= at[i] && at[i] < t->end[v];
    return count;
}

/* Definition 1: no node has more published items below it than the record has. */
static void expect_truth(const lethe_tree *t, const part_run *h, uint64_t seed)
{
    for (size_t i = 0; i < h->r->n; i++) {
        const uint32_t *item = h->r->item + h->r->start[i];
        size_t n = (size_t)lethe_record_size(h->r, i);
        for (uint32_t v = 0; v < t->n; v++) {
            if (count_below(t, h->node[i], h->n_nodes[i], v) > count_below(t, item, n, v))
                fail_msg("seed %llu: record %zu is not true", (unsigned long long)seed, i);
        }
    }
}

static bool same_nodes(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    return n == m && (n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

/* Records of a group are the same, and belong to k persons. */
static void expect_groups(const literal *l, const part_run *h, uint64_t seed)
{
    for (size_t i = 0; i < h->r->n; i++) {
        lit_list group = {0};
        if (h->group[i] == LETHE_NONE) continue;
        for (uint32_t j = 0; j < h->r->n; j++) {
            if (h->group[j] != h->group[i]) continue;
            lit_add(&group, j);
            if (!same_nodes(h->node[i], h->n_nodes[i], h->node[j], h->n_nodes[j]))
                fail_msg("seed %llu: a group is not one", (unsigned long long)seed);
        }
        if (lit_persons(l, &group) < l->k)
            fail_msg("seed %llu: a group of too few", (unsigned long long)seed);
        free(group.at);
    }
}

/* --- figures, from what was published --- */

typedef struct sums {
    uint64_t records, items, published, levels, lm, heights;
    double represents, far;
} sums;

/* Distinct items below v of the group that record i is in. */
static uint32_t distinct_below(const literal *l, size_t i, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t x = v; x < l->t->end[v]; x++) {
        bool there = false;
        for (uint32_t j = 0; j < l->r->n && !there; j++)
            there = l->group[j] == l->group[i] && lit_covered(l, j, x) > 0 && l->t->end[x] == x + 1;
        n += there;
    }
    return n;
}

static void add_record(const literal *l, size_t i, sums *s)
{
    const lethe_tree *t = l->t;
    s->records++;
    s->items += lethe_record_size(l->r, i);
    s->published += l->n_nodes[i];
    for (size_t k = 0; k < l->n_nodes[i]; k++) {
        uint32_t v = l->node[i][k];
        s->levels += t->level[v] + 1;
        s->lm += t->leaves[v] - 1;
        s->represents += distinct_below(l, i, v) - 1;
    }
    for (uint64_t k = l->r->start[i]; k < l->r->start[i + 1]; k++) {
        uint32_t x = l->r->item[k], v = x;
        while (count_below(t, l->node[i], l->n_nodes[i], v) == 0)
            v = t->parent[v];
        s->heights += t->level[x] - t->level[v];
        double share = 0; // of the record's items there that are published
        for (size_t j = 0; j < l->n_nodes[i]; j++)
            share += l->node[i][j] == v;
        share /= (double)count_below(t, l->r->item + l->r->start[i], lethe_record_size(l->r, i), v);
        s->far += 1 - share;
        if (x > 0) s->far += share * (t->level[x] - t->level[v]) / t->level[x];
    }
}

static void expect_figures(const literal *l, const part_run *h)
{
    sums s = {0};
    double scale = l->t->leaves[0] - 1;
    for (size_t i = 0; i < l->r->n; i++) {
        if (l->group[i] != LETHE_NONE) add_record(l, i, &s);
    }
    double lost = (double)(s.items - s.published), all = (double)l->r->start[l->r->n];
    part_expect(h, "items_suppressed", lost);
    part_expect(h, "clusters", l->n_groups);
    part_expect(h, "ggd", lost + (scale > 0 ? (double)s.lm / scale : 0));
    part_expect(h, "blm", (lost + (scale > 0 ? s.represents / scale : 0)) / (double)s.items);
    part_expect(h, "distance_loss", s.far / (double)s.items);
    part_expect(h, "gheight", (double)s.heights / (double)s.items);
    part_expect(h, "avg_length", (double)s.published / (double)s.records);
    part_expect(h, "avg_level", (double)s.levels / (double)s.published);
    part_expect(h, "density", all / (double)l->r->n / (scale + 1));
}

/* --- one case --- */

static void expect_same(const literal *l, const part_run *h, uint64_t seed)
{
    for (size_t i = 0; i < l->r->n; i++) {
        if (l->group[i] != h->group[i])
            fail_msg("seed %llu: record %zu is in group %u, not %u", (unsigned long long)seed, i,
                     h->group[i], l->group[i]);
        if (h->n_nodes[i] > 1) qsort(h->node[i], h->n_nodes[i], sizeof **h->node, lit_order);
        if (!same_nodes(l->node[i], l->n_nodes[i], h->node[i], h->n_nodes[i]))
            fail_msg("seed %llu: record %zu has other items", (unsigned long long)seed, i);
    }
}

typedef struct tally {
    uint64_t cases, infeasible, parted; /* parted: in more than one group */
} tally;

static void one_case(const lethe_tree *t, const bags *b, const part_setting *s, uint64_t seed,
                     tally *n)
{
    literal l = {.t = t,
                 .r = &b->r,
                 .k = (uint64_t)atoi(s->k),
                 .by_record = s->persons != NULL,
                 .mass = s->pick != NULL,
                 .bag = s->bag};
    part_run h = {0};
    bool feasible = lit_run(&l);
    lethe_err err = part_do(&h, t, &b->r, s);
    lit_renumber(&l);
    n->cases++;
    if (err != (feasible ? LETHE_OK : LETHE_ANSWER_NO))
        fail_msg("seed %llu: ends with %s", (unsigned long long)seed, lethe_err_name(err));
    if (feasible) {
        expect_same(&l, &h, seed);
        expect_groups(&l, &h, seed);
        expect_truth(t, &h, seed);
        if (b->r.n < 64) expect_figures(&l, &h);
        n->parted += l.n_groups > 1;
    } else {
        assert_int_equal(h.n_published, 0);
        n->infeasible++;
    }
    part_end(&h);
    lit_free(&l);
}

static void cases(uint64_t first, uint64_t n_seeds, uint32_t max_records, tally *n)
{
    static const char *const ks[] = {"2", "3", "5"};
    for (uint64_t seed = first; seed < first + n_seeds; seed++) {
        dice d = {seed};
        lethe_tree *t = random_tree(&d, 1 + roll(&d, 40), 1 + roll(&d, 3));
        shape s = {.n_records = 1 + roll(&d, max_records),
                   .longest = 1 + roll(&d, 8),
                   .n_items = 1 + roll(&d, 12),
                   .empty = roll(&d, 4) == 0 ? 2 : 0};
        bags b = {0};
        if (roll(&d, 2) == 0) s.n_owners = 1 + roll(&d, s.n_records);
        random_bags(&d, t, &s, &b);
        part_setting how = {.k = ks[roll(&d, 3)],
                            .pick = roll(&d, 2) ? "mass" : NULL,
                            .persons = roll(&d, 3) == 0 ? "record" : NULL,
                            .bag = roll(&d, 2),
                            .threads = seed % 16 == 0 ? 2 : 1};
        one_case(t, &b, &how, seed, n);
        bags_free(&b);
        lethe_tree_free(t);
    }
}

static void small_cases_are_the_literal_ones(void **state)
{
    tally n = {0};
    (void)state;
    cases(1, seeds(6000), 24, &n);
    assert_true(n.parted > n.cases / 5 && n.infeasible > n.cases / 50);
}

static void middling_cases_are_the_literal_ones(void **state)
{
    tally n = {0};
    (void)state;
    cases(100000, seeds(150), 120, &n);
    assert_true(n.parted > n.cases / 2);
}

/* Few persons with many records each: the leftover often has too few of them where a part of it
 * would have none left over.  So a node that could not be expanded can be later, and one may gain
 * more in a part than it did in the whole. */
static void few_persons_are_the_literal_cases(void **state)
{
    tally n = {0};
    (void)state;
    for (uint64_t seed = 200000; seed < 200000 + seeds(6000); seed++) {
        dice d = {seed};
        lethe_tree *t = random_tree(&d, 8 + roll(&d, 16), 1 + roll(&d, 2));
        shape s = {.n_records = 6 + roll(&d, 30),
                   .n_owners = 2 + roll(&d, 5),
                   .longest = 2 + roll(&d, 2),
                   .n_items = 2 + roll(&d, 8),
                   .even = true};
        bags b = {0};
        random_bags(&d, t, &s, &b);
        part_setting how = {.k = roll(&d, 3) ? "2" : "3", .pick = roll(&d, 3) ? NULL : "mass"};
        one_case(t, &b, &how, seed, &n);
        bags_free(&b);
        lethe_tree_free(t);
    }
    assert_true(n.parted > n.cases / 5);
}

/* Past the size from which parts are handed to all workers; ours for 1, 2 and 7 threads. */
static void large_cases_are_the_literal_ones(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        dice d = {seed * 77};
        tally n = {0};
        lethe_tree *t = random_tree(&d, 60, 2);
        shape s = {.n_records = 1200, .longest = 5, .n_items = 30};
        bags b = {0};
        random_bags(&d, t, &s, &b);
        for (unsigned i = 0; i < 3; i++) {
            part_setting how = {.k = "4",
                                .persons = "record",
                                .pick = seed % 2 ? "mass" : NULL,
                                .threads = i == 0   ? 1
                                           : i == 1 ? 2
                                                    : 7};
            one_case(t, &b, &how, seed, &n);
        }
        assert_int_equal(n.parted, 3);
        bags_free(&b);
        lethe_tree_free(t);
    }
}

/* With persons, too large for the literal algorithm: the same for 1, 2 and 7 threads. */
static void threads_do_not_matter(void **state)
{
    dice d = {4711};
    lethe_tree *t = random_tree(&d, 500, 2);
    shape s = {.n_records = 6000, .n_owners = 900, .longest = 9, .n_items = 200, .empty = 1};
    bags b = {0};
    part_run one = {0};
    (void)state;
    random_bags(&d, t, &s, &b);
    part_setting how = {.k = "5", .bag = true};
    assert_int_equal(part_do(&one, t, &b.r, &how), LETHE_OK);
    for (how.threads = 2; how.threads <= 7; how.threads += 5) {
        part_run h = {0};
        assert_int_equal(part_do(&h, t, &b.r, &how), LETHE_OK);
        assert_memory_equal(h.group, one.group, b.r.n * sizeof *h.group);
        for (size_t i = 0; i < b.r.n; i++)
            assert_true(same_nodes(h.node[i], h.n_nodes[i], one.node[i], one.n_nodes[i]));
        for (const lethe_figure *f = lethe_method_partition.figures; f->name; f++)
            assert_true(part_real(&h, f->name) == part_real(&one, f->name));
        part_end(&h);
    }
    assert_true(part_real(&one, "clusters") > 100);
    part_end(&one);
    bags_free(&b);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_cases_are_the_literal_ones),
        cmocka_unit_test(middling_cases_are_the_literal_ones),
        cmocka_unit_test(few_persons_are_the_literal_cases),
        cmocka_unit_test(large_cases_are_the_literal_ones),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
