/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of vocabularies refined: what they are said to have in common is what joining their
 * members, one after the other, gives; they keep their persons, and lose no more; for small groups,
 * for those of which less is kept, and for those that nobody leaves.  And what one more member
 * would cost; and large bags, matched by neighbourhoods. */
/* suite: threads */
#include "method/cluster/refine/refine_blm_internal.h"
#include "seeds.h"
#include "ssg_harness.h"

/* Records, and what is made of them. */
struct made {
    lethe_tree *tree;
    c_records c;
    uint32_t *term;
    lethe_meaning *meaning;
    lethe_ssg_options how;
    lethe_ssg_groups groups;
};

static void make(struct made *m, lethe_ctx *ctx, uint64_t seed, uint32_t n, uint32_t owners,
                 uint64_t k)
{
    uint64_t s = seed * 7919;
    size_t n_terms = 0;
    *m = (struct made){.tree = c_random_tree(&s, 60)};
    c_random_records(&m->c, m->tree, &s, n, 5, owners);
    assert_int_equal(lethe_ssg_terms(&m->c.r, &m->term, &n_terms), LETHE_OK);
    lethe_meaning_terms terms = {.at = m->term, .n = n_terms};
    assert_int_equal(lethe_meaning_tree(ctx, m->tree, &terms, 2 + c_below(&s, 4), &m->meaning),
                     LETHE_OK);
    m->how = (lethe_ssg_options){.records = &m->c.r,
                                 .matcher = {.meaning = m->meaning, .greedy = seed % 5 == 0},
                                 .each = owners == 0,
                                 .by_members = seed % 2,
                                 .k = k};
    assert_int_equal(lethe_ssg_run(ctx, &m->how, &m->groups), LETHE_OK);
}

static void unmake(struct made *m)
{
    lethe_ssg_groups_free(&m->groups);
    lethe_meaning_free(m->meaning);
    lethe_free(m->term);
    c_free(&m->c);
    lethe_tree_free(m->tree);
}

static uint64_t loss_of(const lethe_ssg_groups *g, uint64_t scale)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n; i++)
        sum += lethe_hyper_loss(&g->hyper[i], scale);
    return sum;
}

static bool same_hyper(const lethe_hyper *a, const lethe_hyper *b)
{
    if (a->n != b->n || a->n_records != b->n_records || a->items != b->items) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->start[i] != b->start[i] || a->start[i + 1] != b->start[i + 1]) return false;
    return a->n == 0 || memcmp(a->voter, b->voter, a->start[a->n] * sizeof *a->voter) == 0;
}

static void check_group(const struct made *m, uint64_t seed, uint32_t g, uint8_t *seen)
{
    const lethe_ssg_groups *all = &m->groups;
    lethe_hyper_work w;
    lethe_hyper h = {0}, copy = {0};
    uint64_t persons = 0;
    uint8_t *met = calloc(m->c.r.n + 1, 1);
    assert_int_equal(lethe_hyper_work_begin(&w, &m->how.matcher), LETHE_OK);
    for (uint32_t i = all->first[g]; i < all->first[g + 1]; i++) {
        uint32_t r = all->member[i], person = m->how.each ? r : m->c.r.owner[r];
        c_bag bag = c_record(&m->c, r);
        uint64_t loss = 0;
        assert_int_equal(all->group[r], g);
        assert_int_equal(seen[r]++, 0);
        persons += !met[person];
        met[person] = 1;
        assert_int_equal(lethe_hyper_loss_with(&h, &w, bag.item, bag.n, 59, &loss), LETHE_OK);
        assert_int_equal(lethe_hyper_join(&h, &w, bag.item, bag.n), LETHE_OK);
        if (loss != lethe_hyper_loss(&h, 59))
            fail_msg("seed %llu: one more costs otherwise", (unsigned long long)seed);
        assert_int_equal(lethe_hyper_copy(&copy, &h), LETHE_OK);
        assert_true(same_hyper(&copy, &h) && lethe_hyper_loss(&copy, 59) == loss);
    }
    if (persons < m->how.k) fail_msg("seed %llu: too few persons", (unsigned long long)seed);
    if (!same_hyper(&h, &all->hyper[g]))
        fail_msg("seed %llu: group %u has other terms", (unsigned long long)seed, g);
    lethe_hyper_free(&h);
    lethe_hyper_free(&copy);
    lethe_hyper_work_end(&w);
    free(met);
}

/* One setting, with any number of threads.  By how much it loses less. */
static uint64_t refine_one(uint64_t seed, uint32_t n, uint32_t owners, uint64_t k, uint64_t rounds)
{
    static const unsigned threads[] = {1, 2, 7};
    uint32_t *first = malloc(n * sizeof *first);
    uint64_t gain = 0;
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        lethe_ctx *ctx = c_ctx(NULL, threads[i]);
        struct made m;
        make(&m, ctx, seed, n, owners, k);
        uint64_t before = loss_of(&m.groups, 59);
        assert_int_equal(lethe_refine_blm(ctx, &m.how, 59, rounds, &m.groups), LETHE_OK);
        uint64_t after = loss_of(&m.groups, 59);
        if (after > before) fail_msg("seed %llu: loses more", (unsigned long long)seed);
        gain = before - after;
        uint8_t *seen = calloc(n, 1);
        for (uint32_t g = 0; g < m.groups.n; g++)
            check_group(&m, seed, g, seen);
        for (uint32_t r = 0; r < n; r++)
            assert_int_equal(seen[r], 1);
        if (i == 0) memcpy(first, m.groups.group, n * sizeof *first);
        assert_memory_equal(first, m.groups.group, n * sizeof *first);
        free(seen);
        unmake(&m);
        lethe_ctx_free(ctx);
    }
    free(first);
    return gain;
}

static void refined_groups_are_what_their_members_make_of_them(void **state)
{
    (void)state;
    uint64_t better = 0, n = seeds(40);
    for (uint64_t seed = 1; seed <= n; seed++)
        better += refine_one(seed, 40 + (uint32_t)(seed % 60), seed % 3 ? 0 : 30, 2 + seed % 4,
                             1 + seed % 24) > 0;
    assert_true(better > n * 5 / 8);
}

/* There is no first round then. */
static void one_round_gains(void **state)
{
    (void)state;
    uint64_t better = 0, n = seeds(24);
    for (uint64_t seed = 1; seed <= n; seed++)
        better += refine_one(seed, 60, 0, 3, 1) > 0;
    assert_true(better > n / 4);
}

/* Of these not everything is kept; nor does anybody leave the largest. */
static void large_groups_are_refined_too(void **state)
{
    (void)state;
    bool all = seeds(600) == 600;
    assert_true(refine_one(3, all ? 300 : 160, 0, 40, all ? 8 : 4) > 0);
    refine_one(4, all ? 620 : 530, 0, all ? 300 : 260, all ? 4 : 1);
    refine_one(5, all ? 600 : 200, 12, 2, 4); // persons with many records
}

/* All of one group, or nearly: there is no place to go, and that is seen at once.  To price each
 * without one of its members would take minutes. */
static void a_group_of_thousands_takes_no_minutes(void **state)
{
    (void)state;
    lethe_ctx *ctx = c_ctx(NULL, 2);
    struct made m;
    make(&m, ctx, 2, 4000, 0, 1900);
    uint64_t before = loss_of(&m.groups, 59);
    assert_int_equal(m.groups.n, 2);
    assert_int_equal(lethe_refine_blm(ctx, &m.how, 59, 20, &m.groups), LETHE_OK);
    assert_true(loss_of(&m.groups, 59) <= before);
    unmake(&m);
    lethe_ctx_free(ctx);
}

/* --- large bags --- */

/* Nodes 1, 12, 23 .. below the root, each with ten leaves right behind it. */
static lethe_tree *make_flat(uint32_t n)
{
    uint32_t *parent = malloc(n * sizeof *parent);
    for (uint32_t v = 0; v < n; v++)
        parent[v] = v == 0 ? LETHE_NONE : (v - 1) % 11 == 0 ? 0 : v - 1 - (v - 1) % 11 + 1;
    lethe_tree *t = c_tree(parent, n);
    free(parent);
    return t;
}

/* What the bounds are computed from, as refining prepares it. */
static void begin_bounds(struct lethe_blm *x, const struct made *m, struct lethe_blm_worker *w)
{
    const lethe_records *r = &m->c.r;
    *x = (struct lethe_blm){.how = &m->how, .r = r, .scale = 7, .worker = w, .n_workers = 1};
    assert_int_equal(lethe_ssg_terms(r, &x->term, &x->n_terms), LETHE_OK);
    assert_int_equal(lethe_hyper_work_begin(&w->match, &m->how.matcher), LETHE_OK);
    x->record = lethe_alloc_zero(r->n, sizeof *x->record);
    x->slot = lethe_alloc(r->start[r->n], sizeof *x->slot);
    x->slot_at = lethe_alloc(m->tree->n, sizeof *x->slot_at);
    x->near = lethe_alloc(x->n_terms, LETHE_BLM_SHORT * sizeof *x->near);
    assert_true(x->record && x->slot && x->slot_at && x->near);
    for (uint32_t i = 0; i < x->n_terms; i++)
        x->slot_at[x->term[i]] = i;
    for (uint64_t i = 0; i < r->start[r->n]; i++)
        x->slot[i] = x->slot_at[r->item[i]];
    for (uint32_t i = 0; i < r->n; i++)
        x->record[i].size = (uint32_t)lethe_record_size(r, i);
    assert_int_equal(lethe_blm_most_begin(x), LETHE_OK);
    for (size_t i = 0; i < x->n_terms; i++)
        assert_int_equal(lethe_blm_near_terms(x, i, 0), LETHE_OK);
}

static void end_bounds(struct lethe_blm *x)
{
    lethe_blm_most_end(x);
    lethe_hyper_work_end(&x->worker->match);
    void *const all[] = {x->term, x->record, x->slot, x->slot_at, x->near};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lethe_free(all[i]);
}

/* Each group with each record: neither bound is above the price, both are the same, and unless a
 * hyper-term costs more than it saves, all that can be matched is in them. */
static void a_bound_is_never_above_the_price(void **state)
{
    (void)state;
    uint64_t n = seeds(40), tight = 0, all = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        struct made m;
        struct lethe_blm x;
        struct lethe_blm_worker w = {0};
        lethe_ctx *ctx = c_ctx(NULL, 1);
        make(&m, ctx, seed, 60, 0, 2 + seed % 4);
        begin_bounds(&x, &m, &w);
        for (uint32_t g = 0; g < m.groups.n; g++)
            for (uint32_t r = 0; r < m.c.r.n; r++, all++) {
                const lethe_hyper *h = &m.groups.hyper[g];
                uint64_t price = 0;
                w.most.rest_of = r > 0 ? w.most.rest_of : 0; // another group
                int64_t one = lethe_blm_least_joined(&x, &w, h, r),
                        other = lethe_blm_least_in_rest(&x, &w, h, 0, r);
                assert_int_equal(lethe_hyper_loss_with(h, &w.match, m.c.r.item + m.c.r.start[r],
                                                       lethe_record_size(&m.c.r, r), x.scale,
                                                       &price),
                                 LETHE_OK);
                assert_int_equal(one, other);
                assert_true(one >= 0 && (uint64_t)one <= price);
                tight += (uint64_t)one == price;
            }
        end_bounds(&x);
        unmake(&m);
        lethe_ctx_free(ctx);
    }
    assert_true(tight > all / 2);
}

static void put_leaves(uint32_t *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = 2 + i / 10 * 11 + i % 10;
}

static void shuffle(uint32_t *at, uint32_t n, uint64_t *s)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = c_below(s, i), was = at[i - 1];
        at[i - 1] = at[k];
        at[k] = was;
    }
}

/* The pairs that are put are those of a look at all. */
static void large_bags_have_the_same_pairs(void **state)
{
    (void)state;
    enum { N = 1200 }; // 1.4 million pairs
    uint64_t s = 5;
    uint32_t left[N], right[N];
    lethe_ctx *ctx = c_ctx(NULL, 1);
    lethe_tree *t = make_flat(1 + 11 * N / 10);
    uint32_t all[N];
    put_leaves(all, N);
    lethe_meaning_terms terms = {.at = all, .n = N};
    lethe_meaning *meaning = NULL;
    assert_int_equal(lethe_meaning_tree(ctx, t, &terms, 2, &meaning), LETHE_OK);
    lethe_hyper_matcher how = {.meaning = meaning};
    lethe_hyper_work w;
    lethe_hyper h = {0};
    assert_int_equal(lethe_hyper_work_begin(&w, &how), LETHE_OK);
    for (uint32_t i = 0; i < N; i++) // with copies, some far from all of the other
        left[i] = all[c_below(&s, N)], right[i] = all[c_below(&s, N / 2)];
    assert_int_equal(lethe_hyper_join(&h, &w, left, N), LETHE_OK);
    for (int round = 0; round < 2; round++) { // the second time with two members each
        size_t n = 0, at = 0;
        uint64_t d = 0;
        assert_int_equal(lethe_hyper_put(&h, &w, right, N, &n), LETHE_OK);
        for (uint32_t l = 0; l < h.n; l++)
            for (uint32_t r = 0; r < N; r++)
                if (lethe_hyper_distance(&h, &w, l, right[r], &d)) {
                    assert_true(at < n && w.pair[at].left == l && w.pair[at].right == r);
                    assert_int_equal(w.pair[at++].weight, d);
                }
        assert_int_equal(at, n);
        shuffle(left, N, &s);
        assert_int_equal(lethe_hyper_join(&h, &w, left, N), LETHE_OK);
    }
    lethe_hyper_free(&h);
    lethe_hyper_work_end(&w);
    lethe_meaning_free(meaning);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

/* 10^10 pairs, of which few are relevant: to look at each would take minutes. */
static void two_bags_of_100000_terms_are_matched(void **state)
{
    (void)state;
    enum { N = 100000 };
    uint64_t s = 6;
    uint32_t *item = malloc(N * sizeof *item);
    lethe_tree *t = make_flat(1 + 11 * N / 10);
    c_records c;
    c_begin(&c);
    put_leaves(item, N);
    for (uint32_t i = 0; i < 2; i++) {
        shuffle(item, N, &s);
        c_add(&c, i, item, N - i); // not quite equal
    }
    c_run h;
    s_setting how = {.k = 2, .epsilon = 2};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_int_equal(h.bag[0].n, N - 1);
    c_run_end(&h);
    c_free(&c);
    free(item);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refined_groups_are_what_their_members_make_of_them),
        cmocka_unit_test(one_round_gains),
        cmocka_unit_test(large_groups_are_refined_too),
        cmocka_unit_test(a_group_of_thousands_takes_no_minutes),
        cmocka_unit_test(a_bound_is_never_above_the_price),
        cmocka_unit_test(large_bags_have_the_same_pairs),
        cmocka_unit_test(two_bags_of_100000_terms_are_matched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
