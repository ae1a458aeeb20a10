/* SPDX-License-Identifier: Apache-2.0 */
/* Refinement of groups on cases made by hand, and when things go wrong. */
/* suite: threads */
#include "refine_harness.h"

/* root{X{a,b}, Y{c,d}}: nodes in preorder. */
enum { ROOT, X, A, B, Y, C, D };
static const uint32_t parents[] = {LETHE_NONE, ROOT, X, X, ROOT, Y, Y};

static void begin(f_case *c, uint64_t k)
{
    *c = (f_case){.ctx = f_ctx(1), .t = f_tree(parents, 7), .arena = lethe_arena_new()};
    c->g = (lethe_refine_grouping){.group = c->group, .k = k};
}

static void add(f_case *c, uint32_t group, uint32_t owner, uint32_t item)
{
    size_t r = c->g.n++;
    c->item[r][0] = item;
    c->n_items[r] = 1;
    c->group[r] = group;
    c->owner[r] = owner;
    c->g.n_groups = LETHE_MAX(c->g.n_groups, group + 1);
    c->g.n_owners = LETHE_MAX(c->g.n_owners, owner + 1);
    assert_int_equal(lethe_ancestors_of(c->t, c->item[r], 1, c->arena, &c->vector[r]), LETHE_OK);
}

static lethe_refine_result refine(f_case *c, uint64_t rounds)
{
    lethe_refine_result done = {0};
    assert_int_equal(lethe_refine_ggd(c->ctx, c->t, c->vector, rounds, &c->g, &done), LETHE_OK);
    return done;
}

static void end(f_case *c)
{
    lethe_ctx_free(c->ctx);
    f_free(c);
}

static void assert_groups(const f_case *c, const char *want)
{
    assert_int_equal(strlen(want), c->g.n);
    for (size_t r = 0; r < c->g.n; r++)
        if (c->group[r] != (uint32_t)(want[r] - '0'))
            fail_msg("record %zu is in group %u of '%s'", r, c->group[r], want);
}

/* --- changes --- */

static void two_that_stand_wrong_change_places(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 0, 0, A);
    add(&c, 0, 1, C);
    add(&c, 1, 2, A);
    add(&c, 1, 3, C);
    lethe_refine_result done = refine(&c, 10);
    assert_groups(&c, "0101");
    assert_int_equal(done.swaps, 1);
    assert_int_equal(done.moves + done.splits + done.dissolved, 0);
    assert_int_equal(done.cost_before, 4 * 3); // four items at the root, LM 1 = 3 of 3
    assert_int_equal(done.cost_after, 0);
    assert_int_equal(done.rounds, 1);
    assert_true(done.settled);
    end(&c);
}

static void one_too_many_moves(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    for (uint32_t i = 0; i < 5; i++)
        add(&c, i >= 3, i, i >= 2 ? C : A);
    lethe_refine_result done = refine(&c, 10);
    assert_groups(&c, "00111");
    assert_int_equal(done.moves, 1);
    assert_int_equal(done.swaps, 0);
    assert_int_equal(done.cost_after, 0);
    end(&c);
}

static void none_moves_from_a_group_that_needs_it(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 3);
    for (uint32_t i = 0; i < 6; i++)
        add(&c, i >= 3, i, i >= 2 ? C : A);
    lethe_refine_result done = refine(&c, 10);
    assert_groups(&c, "000111");
    assert_int_equal(done.rounds, 0);
    assert_int_equal(done.cost_after, 3 * 3);
    assert_true(done.settled);
    end(&c);
}

static void a_large_group_is_split(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    for (uint32_t i = 0; i < 4; i++)
        add(&c, 0, i, i % 2 ? C : A);
    lethe_refine_result done = refine(&c, 10);
    assert_groups(&c, "0101");
    assert_int_equal(done.splits, 1);
    assert_int_equal(c.g.n_groups, 2);
    assert_int_equal(done.cost_after, 0);
    end(&c);
}

static void a_group_is_dissolved_where_that_pays(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 0, 0, A);
    add(&c, 0, 1, A);
    add(&c, 1, 2, A); // the two have nothing in common, and each a home elsewhere
    add(&c, 1, 3, D);
    add(&c, 2, 4, D);
    add(&c, 2, 5, D);
    lethe_refine_result done = refine(&c, 10);
    assert_groups(&c, "000111");
    assert_int_equal(done.dissolved, 1);
    assert_int_equal(c.g.n_groups, 2);
    assert_int_equal(done.cost_after, 0);
    end(&c);
}

/* In the first round one of the groups that would take its records changes otherwise. */
static void a_group_is_dissolved_at_the_second_attempt(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 0, 0, A);
    add(&c, 0, 1, A);
    add(&c, 1, 2, A);
    add(&c, 1, 3, D);
    add(&c, 2, 4, D);
    add(&c, 2, 5, D);
    add(&c, 2, 2, C); // moves; and cannot change places with D, its person being there
    add(&c, 3, 6, C);
    add(&c, 3, 7, C);
    c.g.owner = c.owner;
    lethe_refine_result done = refine(&c, 10);
    assert_groups(&c, "000111222");
    assert_int_equal(done.moves, 1);
    assert_int_equal(done.swaps, 0);
    assert_int_equal(done.dissolved, 1);
    assert_int_equal(done.rounds, 2);
    assert_int_equal(done.cost_after, 0);
    end(&c);
}

/* --- persons --- */

static void a_swap_that_leaves_one_person_is_not_made(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 0, 0, A);
    add(&c, 0, 1, C);
    add(&c, 1, 0, A); // the first one's person
    add(&c, 1, 2, C);
    c.g.owner = c.owner;
    assert_int_equal(refine(&c, 10).rounds, 0);
    assert_groups(&c, "0011");
    c.g.owner = NULL; // records count
    assert_int_equal(refine(&c, 10).swaps, 1);
    assert_groups(&c, "0101");
    end(&c);
}

static void two_records_of_one_person_may_change_places(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 0, 0, A);
    add(&c, 0, 1, C);
    add(&c, 1, 1, A);
    add(&c, 1, 2, C);
    c.g.owner = c.owner;
    assert_int_equal(refine(&c, 10).swaps, 1);
    assert_groups(&c, "0101");
    end(&c);
}

static void a_second_record_of_a_person_may_leave(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 0, 0, A);
    add(&c, 0, 1, A);
    add(&c, 0, 1, C);
    add(&c, 1, 2, C);
    add(&c, 1, 3, C);
    c.g.owner = c.owner;
    assert_int_equal(refine(&c, 10).moves, 1);
    assert_groups(&c, "00111");
    end(&c);
}

/* --- edges --- */

static void nothing_and_little(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    lethe_refine_result done = refine(&c, 10); // no record, no group
    assert_int_equal(done.cost_before, 0);
    assert_true(done.settled);
    assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, 10, &c.g), LETHE_OK);
    assert_int_equal(c.g.n_groups, 0);
    add(&c, 0, 0, A);
    done = refine(&c, 10); // fewer than k persons: left as they are
    assert_int_equal(done.rounds, 0);
    c.g.n_groups = 7;
    assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, 10, &c.g), LETHE_OK);
    assert_int_equal(c.g.n_groups, 1);
    assert_groups(&c, "0");
    end(&c);
}

static void no_rounds_change_nothing(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    add(&c, 1, 0, A); // numbers stay as they are, too
    add(&c, 1, 1, C);
    add(&c, 0, 2, A);
    add(&c, 0, 3, C);
    lethe_refine_result done = refine(&c, 0);
    assert_groups(&c, "1100");
    assert_int_equal(done.cost_before, 12);
    assert_int_equal(done.cost_after, 12);
    assert_false(done.settled);
    end(&c);
}

static void equal_records_stay(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 3);
    for (uint32_t i = 0; i < 60; i++)
        add(&c, i / 3, i, B);
    lethe_refine_result done = refine(&c, 100);
    assert_int_equal(done.cost_before, 0);
    assert_int_equal(done.rounds, 0);
    end(&c);
}

static void nearest_start_puts_like_by_like(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 2);
    for (uint32_t i = 0; i < 9; i++)
        add(&c, 0, i, i % 2 ? D : A);
    assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, 100, &c.g), LETHE_OK);
    assert_int_equal(c.g.n_groups, 4);
    assert_int_equal(refine(&c, 100).cost_after, 0);
    end(&c);
}

/* One person has most of the records: few groups, all of them good. */
static void one_person_with_most_records(void **state)
{
    (void)state;
    f_case c;
    begin(&c, 3);
    for (uint32_t i = 0; i < 60; i++)
        add(&c, 0, i < 50 ? 0 : 1 + i % 5, 2 + i % 2 * 3);
    c.g.owner = c.owner;
    assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, 4, &c.g), LETHE_OK);
    assert_true(f_is_good(&c, c.group, c.g.n_groups));
    (void)refine(&c, 100);
    assert_true(f_is_good(&c, c.group, c.g.n_groups));
    end(&c);
}

/* --- many records --- */

/* n records of a few items each, over the small tree; `of` gives the person. */
typedef struct many {
    lethe_ctx *ctx;
    lethe_tree *t;
    lethe_arena *arena;
    lethe_ancestors *vector;
    lethe_refine_grouping g;
} many;

static void many_begin(many *m, size_t n, uint64_t k, bool alike, uint32_t (*of)(uint32_t, size_t))
{
    static const uint32_t leaf[] = {A, B, C, D};
    uint64_t s = 3;
    uint32_t *owner = lethe_alloc(n, sizeof *owner);
    *m = (many){.ctx = f_ctx(2), .t = f_tree(parents, 7), .arena = lethe_arena_new()};
    m->vector = lethe_alloc(n, sizeof *m->vector);
    for (uint32_t r = 0; r < n; r++) {
        uint32_t item[6], n_items = alike ? 3 : 1 + f_below(&s, 5);
        for (uint32_t i = 0; i < n_items; i++)
            item[i] = leaf[alike ? i : f_below(&s, 4)];
        // the first and the last person's are heavier
        if (of(r, n) == 0 || of(r, n) == n - 1) item[n_items++] = A;
        owner[r] = of(r, n);
        assert_int_equal(lethe_ancestors_of(m->t, item, n_items, m->arena, &m->vector[r]),
                         LETHE_OK);
    }
    m->g = (lethe_refine_grouping){.n = n, .owner = owner, .n_owners = (uint32_t)n, .k = k};
    m->g.group = lethe_alloc(n, sizeof *m->g.group);
    memset(m->g.group, 0, n * sizeof *m->g.group);
    m->g.n_groups = 1;
}

static void many_end(many *m)
{
    lethe_free((void *)m->g.owner);
    lethe_free(m->g.group);
    lethe_free(m->vector);
    lethe_arena_free(m->arena);
    lethe_tree_free(m->t);
    lethe_ctx_free(m->ctx);
}

/* Every group has a record, and k persons; by sorting nothing: persons are counted with stamps,
 * group by group. */
static void assert_many_good(const many *m)
{
    size_t n = m->g.n;
    uint32_t *persons = lethe_alloc_zero(m->g.n_groups, sizeof *persons);
    uint8_t *pair = lethe_alloc_zero(n, m->g.n_groups / 8 + 1); // person and group: seen
    for (size_t r = 0; r < n; r++) {
        uint32_t g = m->g.group[r];
        assert_true(g < m->g.n_groups);
        uint8_t *bits = pair + m->g.owner[r] * ((size_t)m->g.n_groups / 8 + 1) + g / 8;
        persons[g] += !(*bits >> g % 8 & 1);
        *bits |= (uint8_t)(1 << g % 8);
    }
    for (uint32_t g = 0; g < m->g.n_groups; g++)
        assert_true(persons[g] >= m->g.k);
    lethe_free(persons);
    lethe_free(pair);
}

static uint32_t each_its_own(uint32_t r, size_t n)
{
    (void)n;
    return r;
}
static uint32_t one_has_most(uint32_t r, size_t n) { return r < n * 3 / 4 ? 0 : r; }
static uint32_t two_by_turns(uint32_t r, size_t n)
{
    return r < n * 3 / 4 ? r % 2 * (uint32_t)(n - 1) : r;
}

static void many_of_one_person_are_passed_over(void **state)
{
    (void)state;
    uint32_t (*const of[])(uint32_t, size_t) = {one_has_most, two_by_turns};
    for (size_t i = 0; i < 2; i++) {
        many m;
        lethe_refine_result done;
        many_begin(&m, 16000, 4, i == 1, of[i]); // alike: by turns in order, too
        assert_int_equal(lethe_refine_start(m.ctx, m.t, m.vector, 100, &m.g), LETHE_OK);
        assert_true(m.g.n_groups > 600);
        assert_many_good(&m);
        assert_int_equal(lethe_refine_ggd(m.ctx, m.t, m.vector, 3, &m.g, &done), LETHE_OK);
        assert_many_good(&m);
        many_end(&m);
    }
}

static void many_alike_are_soon_done(void **state)
{
    (void)state;
    many m;
    lethe_refine_result done;
    many_begin(&m, 20001, 5, true, each_its_own);
    m.vector[0] = m.vector[20000] = m.vector[1]; // the heavier ones too
    uint64_t window = UINT64_C(1) << 58;
    assert_int_equal(lethe_refine_start(m.ctx, m.t, m.vector, window, &m.g), LETHE_OK);
    assert_int_equal(m.g.n_groups, 4000);
    assert_int_equal(lethe_refine_ggd(m.ctx, m.t, m.vector, 20, &m.g, &done), LETHE_OK);
    assert_int_equal(done.cost_after, 0);
    many_end(&m);
}

static void one_huge_group_is_split(void **state)
{
    (void)state;
    many m;
    lethe_refine_result done;
    many_begin(&m, 5000, 5, false, each_its_own);
    assert_int_equal(lethe_refine_ggd(m.ctx, m.t, m.vector, 6, &m.g, &done), LETHE_OK);
    assert_true(done.splits > 3);
    assert_true(done.cost_after < done.cost_before);
    assert_many_good(&m);
    many_end(&m);
}

/* However wide, a window is as wide as all there is. */
static void the_widest_window_is_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t s = seed * UINT64_C(0x9E3779B97F4A7C15);
        uint32_t group[F_RECORDS];
        f_case c;
        begin(&c, 3);
        f_random_records(&c, &s, 40);
        c.g.owner = c.owner;
        c.g.n_owners = 20;
        for (uint32_t r = 0; r < 40; r++)
            c.owner[r] = f_below(&s, 20);
        assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, 40, &c.g), LETHE_OK);
        memcpy(group, c.group, sizeof group);
        for (unsigned shift = 57; shift < 64; shift++) {
            assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, UINT64_C(1) << shift, &c.g),
                             LETHE_OK);
            assert_memory_equal(c.group, group, 40 * sizeof *group);
        }
        end(&c);
    }
}

/* --- when things go wrong --- */

static void fill(f_case *c)
{
    uint64_t s = 77;
    begin(c, 3);
    f_random_records(c, &s, 50);
    c->g.owner = c->owner;
    c->g.n_owners = 30;
    for (uint32_t r = 0; r < 50; r++) {
        c->owner[r] = r % 30;
        c->group[r] = r / 3 % 15;
    }
    c->g.n_groups = 15;
}

static void no_memory_leaves_groups_as_they_were(void **state)
{
    (void)state;
    f_case c;
    uint32_t before[F_RECORDS];
    uint64_t failed = 0;
    fill(&c);
    memcpy(before, c.group, sizeof before);
    for (uint64_t n = 1;; n++) {
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_refine_ggd(c.ctx, c.t, c.vector, 100, &c.g, NULL);
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) break;
        assert_int_equal(e, LETHE_ENOMEM);
        assert_int_equal(c.g.n_groups, 15);
        assert_memory_equal(c.group, before, sizeof before);
        failed++;
    }
    assert_true(failed > 30);
    for (uint64_t n = 1;; n++) {
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_refine_start(c.ctx, c.t, c.vector, 10, &c.g);
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) break;
        assert_int_equal(e, LETHE_ENOMEM);
        assert_true(n < 1000);
    }
    end(&c);
}

static void cancelled_leaves_groups_as_they_were(void **state)
{
    (void)state;
    f_case c;
    uint32_t before[F_RECORDS];
    fill(&c);
    memcpy(before, c.group, sizeof before);
    lethe_ctx_cancel(c.ctx);
    assert_int_equal(lethe_refine_ggd(c.ctx, c.t, c.vector, 100, &c.g, NULL), LETHE_ECANCEL);
    assert_memory_equal(c.group, before, sizeof before);
    assert_int_equal(lethe_refine_start(c.ctx, c.t, c.vector, 10, &c.g), LETHE_ECANCEL);
    end(&c);
}

/* A model that fails when it is asked the n-th time. */
typedef struct failing {
    unsigned left;
    lethe_ctx *cancel;
} failing;

static lethe_err failing_cost(void *arg, unsigned w, const uint32_t *member, size_t n,
                              uint64_t *out)
{
    failing *f = arg;
    (void)w;
    *out = 0;
    for (size_t i = 1; i < n; i++)
        *out += member[i] - member[i - 1];
    if (f->left == 0) return LETHE_OK;
    if (--f->left > 0) return LETHE_OK;
    if (!f->cancel) return LETHE_EINPUT;
    lethe_ctx_cancel(f->cancel);
    return LETHE_OK;
}

static lethe_err failing_near(void *arg, unsigned w, uint32_t r, bool changed, uint32_t *group,
                              size_t *n)
{
    (void)arg, (void)w, (void)changed;
    group[0] = (r + 1) % 2;
    *n = 1;
    return LETHE_OK;
}

/* Groups of odd and even numbers: distances in a row cost less. */
static void failures_of_the_model_are_handed_on(void **state)
{
    (void)state;
    uint32_t group[] = {0, 1, 0, 1, 0, 1, 0, 1};
    lethe_ctx *ctx = f_ctx(1);
    failing f = {0};
    lethe_refine_model m = {.arg = &f, .cost = failing_cost, .near = failing_near};
    for (unsigned n = 1; n < 20; n++) {
        lethe_refine_grouping g = {.n = 8, .group = group, .n_groups = 2, .k = 3};
        f.left = n;
        assert_int_equal(lethe_refine(ctx, &m, 1, &g, NULL), LETHE_EINPUT);
        for (uint32_t r = 0; r < 8; r++)
            assert_int_equal(group[r], r % 2);
    }
    f = (failing){.left = 5, .cancel = ctx};
    lethe_refine_grouping g = {.n = 8, .group = group, .n_groups = 2, .k = 3};
    assert_int_equal(lethe_refine(ctx, &m, 9, &g, NULL), LETHE_ECANCEL);
    for (uint32_t r = 0; r < 8; r++)
        assert_int_equal(group[r], r % 2);
    lethe_ctx_free(ctx);
}

static void count_phase(void *user, const char *phase, uint64_t done, uint64_t total)
{
    if (phase && strcmp(phase, "refine") == 0 && done <= total) ++*(unsigned *)user;
}

static void progress_is_told(void **state)
{
    (void)state;
    unsigned told = 0;
    f_case c;
    fill(&c);
    lethe_ctx_free(c.ctx);
    lethe_settings set = {.n_threads = 1, .on_progress = count_phase, .user = &told};
    assert_int_equal(lethe_ctx_new(&set, &c.ctx), LETHE_OK);
    (void)refine(&c, 50);
    assert_true(told > 0);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_stand_wrong_change_places),
        cmocka_unit_test(one_too_many_moves),
        cmocka_unit_test(none_moves_from_a_group_that_needs_it),
        cmocka_unit_test(a_large_group_is_split),
        cmocka_unit_test(a_group_is_dissolved_where_that_pays),
        cmocka_unit_test(a_group_is_dissolved_at_the_second_attempt),
        cmocka_unit_test(a_swap_that_leaves_one_person_is_not_made),
        cmocka_unit_test(two_records_of_one_person_may_change_places),
        cmocka_unit_test(a_second_record_of_a_person_may_leave),
        cmocka_unit_test(nothing_and_little),
        cmocka_unit_test(no_rounds_change_nothing),
        cmocka_unit_test(equal_records_stay),
        cmocka_unit_test(nearest_start_puts_like_by_like),
        cmocka_unit_test(one_person_with_most_records),
        cmocka_unit_test(many_of_one_person_are_passed_over),
        cmocka_unit_test(many_alike_are_soon_done),
        cmocka_unit_test(one_huge_group_is_split),
        cmocka_unit_test(the_widest_window_is_all),
        cmocka_unit_test(no_memory_leaves_groups_as_they_were),
        cmocka_unit_test(cancelled_leaves_groups_as_they_were),
        cmocka_unit_test(failures_of_the_model_are_handed_on),
        cmocka_unit_test(progress_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
