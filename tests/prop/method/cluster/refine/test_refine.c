/* SPDX-License-Identifier: Apache-2.0 */
/* Random small groupings: refined, their cost is never more, and is what the definition says; every
 * group keeps its persons; nothing better is one move or one swap away; the best grouping of all is
 * no worse; threads do not matter. */
/* suite: threads */
#include "refine_harness.h"
#include "seeds.h"

#define CASES seeds(4000)
#define TINY seeds(600)

static lethe_ctx *contexts[3];

static int set_up(void **state)
{
    static const unsigned threads[] = {1, 2, 7};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        contexts[i] = f_ctx(threads[i]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(contexts[i]);
    return 0;
}

static bool random_case(f_case *c, uint64_t *s, size_t most)
{
    size_t n = 1 + f_below(s, most);
    *c = (f_case){.ctx = contexts[0], .t = f_random_tree(s), .arena = lethe_arena_new()};
    f_random_records(c, s, n);
    c->g.k = 1 + f_below(s, 4);
    if (f_below(s, 2)) {
        c->g.n_owners = 1 + f_below(s, n);
        c->g.owner = c->owner;
        for (size_t r = 0; r < n; r++)
            c->owner[r] = f_below(s, 3) ? f_below(s, c->g.n_owners) : 0;
    }
    return f_random_groups(c, s);
}

/* --- the model by costs alone, and all groups near --- */

typedef struct plain {
    const f_case *c;
    uint32_t n_groups;
    bool there[F_RECORDS], changed[F_RECORDS];
    uint32_t of[F_RECORDS];
} plain;

static lethe_err plain_cost(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out)
{
    (void)w;
    for (size_t i = 1; i < n; i++)
        assert_true(member[i - 1] < member[i]);
    *out = f_cost(((plain *)arg)->c, member, n);
    return LETHE_OK;
}

static lethe_err plain_change(void *arg, unsigned w, uint32_t g, const uint32_t *member, size_t n,
                              uint64_t *out)
{
    plain *p = arg;
    p->there[g] = n > 0;
    for (size_t i = 0; i < n; i++)
        p->of[member[i]] = g;
    *out = 0;
    return n > 0 ? plain_cost(arg, w, member, n, out) : LETHE_OK;
}

static lethe_err plain_ready(void *arg, uint32_t n, const uint32_t *changed, size_t n_changed)
{
    plain *p = arg;
    p->n_groups = n;
    memset(p->changed, 0, sizeof p->changed);
    for (size_t i = 0; i < n_changed; i++)
        p->changed[changed[i]] = true;
    return LETHE_OK;
}

static lethe_err plain_near(void *arg, unsigned w, uint32_t r, bool changed, uint32_t *group,
                            size_t *n)
{
    const plain *p = arg;
    (void)w;
    *n = 0;
    for (uint32_t g = 0; g < p->n_groups && *n < LETHE_REFINE_NEAR; g++)
        if (p->there[g] && g != p->of[r] && (!changed || p->changed[g])) group[(*n)++] = g;
    return LETHE_OK;
}

/* --- the same, with candidates and prices that are kept --- */

static size_t plain_members(const plain *p, uint32_t g, uint32_t out, uint32_t in, uint32_t *member)
{
    size_t n = 0;
    for (uint32_t r = 0; r < p->c->g.n; r++)
        if (r == in || (p->of[r] == g && r != out)) member[n++] = r;
    return n;
}

/* The change of a group's cost if `out` leaves it and `in` joins it; LETHE_NONE: nobody. */
static int64_t plain_delta(const plain *p, uint32_t g, uint32_t out, uint32_t in)
{
    uint32_t member[F_RECORDS] = {0};
    size_t n = plain_members(p, g, LETHE_NONE, LETHE_NONE, member);
    int64_t before = (int64_t)f_cost(p->c, member, n);
    n = plain_members(p, g, out, in, member);
    return (int64_t)f_cost(p->c, member, n) - before;
}

static lethe_err plain_join(void *arg, unsigned w, uint32_t r, uint32_t g, int64_t *out)
{
    (void)w;
    *out = plain_delta(arg, g, LETHE_NONE, r);
    return LETHE_OK;
}

static lethe_err plain_leave(void *arg, unsigned w, uint32_t r, int64_t *out)
{
    (void)w;
    *out = plain_delta(arg, ((plain *)arg)->of[r], r, LETHE_NONE);
    return LETHE_OK;
}

static lethe_err plain_swap(void *arg, unsigned w, uint32_t a, uint32_t b, int64_t bound,
                            int64_t *out)
{
    const plain *p = arg;
    (void)w;
    *out = plain_delta(p, p->of[a], a, b) + plain_delta(p, p->of[b], b, a);
    if (*out >= bound) *out = bound + (int64_t)(a % 3);
    return LETHE_OK;
}

/* Sometimes exact. */
static bool plain_swap_any(void *arg, uint32_t r, uint32_t g, int64_t bound)
{
    const plain *p = arg;
    bool any = (r + g) % 3 == 0;
    for (uint32_t b = 0; b < p->c->g.n && !any; b++)
        any = p->of[b] == g && plain_delta(p, p->of[r], r, b) + plain_delta(p, g, b, r) < bound;
    return any;
}

/* Sometimes exact, sometimes far off. */
static int64_t plain_join_least(void *arg, unsigned w, uint32_t r, uint32_t g)
{
    (void)w;
    return plain_delta(arg, g, LETHE_NONE, r) - (int64_t)((r * 7 + g * 5) % 4) * 3;
}

static lethe_err plain_renew(void *arg, unsigned w, uint32_t r, bool changed,
                             lethe_refine_candidate *at, size_t *n)
{
    const plain *p = arg;
    lethe_refine_candidate old[LETHE_REFINE_NEAR];
    size_t n_old = *n;
    (void)w;
    assert_true(changed || n_old == 0);
    memcpy(old, at, n_old * sizeof *old);
    *n = 0;
    for (uint32_t g = p->n_groups; g-- > 0 && *n < LETHE_REFINE_NEAR;) {
        if (!p->there[g] || g == p->of[r]) continue;
        lethe_refine_candidate c = {.group = g, .fresh = true};
        for (size_t i = 0; i < n_old; i++)
            if (old[i].group == g && !p->changed[g]) {
                c = old[i];
                c.fresh = false;
            }
        at[(*n)++] = c;
    }
    return LETHE_OK;
}

/* --- what must hold --- */

/* Is there a move or swap that lowers the cost and keeps persons?  By trying all of them. */
static bool can_be_better(f_case *c)
{
    uint32_t *group = c->g.group;
    for (uint32_t a = 0; a < c->g.n; a++)
        for (uint32_t to = 0; to < c->g.n_groups; to++) {
            uint32_t from = group[a];
            if (to == from) continue;
            uint64_t before = f_group_cost(c, group, from) + f_group_cost(c, group, to);
            group[a] = to;
            bool better = f_persons(c, group, from) >= c->g.k &&
                          f_group_cost(c, group, from) + f_group_cost(c, group, to) < before;
            for (uint32_t b = 0; !better && b < c->g.n; b++) {
                if (b == a || group[b] != to) continue;
                group[b] = from;
                better = f_persons(c, group, from) >= c->g.k && f_persons(c, group, to) >= c->g.k &&
                         f_group_cost(c, group, from) + f_group_cost(c, group, to) < before;
                group[b] = to;
            }
            group[a] = from;
            if (better) return true;
        }
    return false;
}

static void check(f_case *c, const lethe_refine_result *done, uint64_t before, uint64_t seed)
{
    uint64_t after = f_total(c, c->g.group, c->g.n_groups);
    bool ok = f_is_good(c, c->g.group, c->g.n_groups) && done->cost_before == before &&
              done->cost_after == after && after <= before &&
              (done->rounds == 0) == (after == before);
    if (ok && done->settled && c->g.n_groups <= LETHE_REFINE_NEAR) ok = !can_be_better(c);
    if (!ok) fail_msg("seed %llu", (unsigned long long)seed);
}

static void refined_by_ggd(void **state)
{
    (void)state;
    uint64_t lower = 0, swaps = 0, moves = 0, splits = 0, dissolved = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed * UINT64_C(0x9E3779B97F4A7C15);
        f_case c;
        if (random_case(&c, &s, seed % 8 ? 24 : F_RECORDS)) {
            uint32_t start[F_RECORDS], first[F_RECORDS], n_start = c.g.n_groups, n_first = 0;
            uint64_t rounds = f_below(&s, 8) ? 1000 : f_below(&s, 4);
            uint64_t before = f_total(&c, c.group, c.g.n_groups);
            memcpy(start, c.group, sizeof start);
            for (size_t i = 0; i < 3; i++) {
                lethe_refine_result done = {0};
                memcpy(c.group, start, sizeof start);
                c.g.n_groups = n_start;
                assert_int_equal(lethe_refine_ggd(contexts[i], c.t, c.vector, rounds, &c.g, &done),
                                 LETHE_OK);
                if (i > 0) { // the same for all
                    assert_int_equal(c.g.n_groups, n_first);
                    assert_memory_equal(c.group, first, c.g.n * sizeof *first);
                    continue;
                }
                check(&c, &done, before, seed);
                assert_true(rounds < 1000 || done.settled);
                assert_true(done.rounds <= rounds);
                memcpy(first, c.group, sizeof first);
                n_first = c.g.n_groups;
                lower += done.rounds > 0;
                swaps += done.swaps;
                moves += done.moves;
                splits += done.splits;
                dissolved += done.dissolved;
            }
        }
        f_free(&c);
    }
    // the cases are worth something: every kind of change was made, often
    assert_true(lower > CASES / 4 && swaps > CASES && moves > CASES / 40 && splits > CASES / 40 &&
                dissolved > CASES / 200);
}

/* The same by costs of whole groups alone, so that what Clump's model does quickly is right. */
static void refined_by_costs_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES / 4; seed++) {
        uint64_t s = seed * UINT64_C(0xD1B54A32D192ED03);
        f_case c;
        if (random_case(&c, &s, 16)) {
            uint32_t group[F_RECORDS], n_groups = c.g.n_groups;
            lethe_refine_result done, quick;
            uint64_t before = f_total(&c, c.group, n_groups);
            plain p = {.c = &c};
            lethe_refine_model m = {.arg = &p,
                                    .cost = plain_cost,
                                    .near = plain_near,
                                    .change = plain_change,
                                    .ready = plain_ready};
            memcpy(group, c.group, sizeof group);
            assert_int_equal(lethe_refine(contexts[0], &m, 1000, &c.g, &done), LETHE_OK);
            assert_true(done.settled);
            check(&c, &done, before, seed);
            // all groups are near in both, so that the two do the same
            lethe_refine_grouping g = c.g;
            g.group = group;
            g.n_groups = n_groups;
            assert_int_equal(lethe_refine_ggd(contexts[0], c.t, c.vector, 1000, &g, &quick),
                             LETHE_OK);
            if (done.cost_after != quick.cost_after || g.n_groups != c.g.n_groups ||
                memcmp(group, c.group, c.g.n * sizeof *group) != 0)
                fail_msg("seed %llu", (unsigned long long)seed);
        }
        f_free(&c);
    }
}

/* What is kept from round to round changes nothing: the groups are those of Clump's model. */
static void refined_by_kept_prices(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES / 4; seed++) {
        uint64_t s = seed * UINT64_C(0xBF58476D1CE4E5B9);
        f_case c;
        if (random_case(&c, &s, 16)) {
            uint32_t group[F_RECORDS], n_groups = c.g.n_groups;
            lethe_refine_result done, quick;
            plain p = {.c = &c};
            lethe_refine_model m = {.arg = &p,
                                    .cost = plain_cost,
                                    .change = plain_change,
                                    .ready = plain_ready,
                                    .join = plain_join,
                                    .leave = plain_leave,
                                    .swap = plain_swap,
                                    .swap_any = plain_swap_any,
                                    .renew = plain_renew,
                                    .join_least = plain_join_least};
            memcpy(group, c.group, sizeof group);
            assert_int_equal(lethe_refine(contexts[seed % 3], &m, 1000, &c.g, &done), LETHE_OK);
            lethe_refine_grouping g = c.g;
            g.group = group;
            g.n_groups = n_groups;
            assert_int_equal(lethe_refine_ggd(contexts[0], c.t, c.vector, 1000, &g, &quick),
                             LETHE_OK);
            if (done.cost_after != quick.cost_after || done.rounds != quick.rounds ||
                g.n_groups != c.g.n_groups || memcmp(group, c.group, c.g.n * sizeof *group) != 0)
                fail_msg("seed %llu", (unsigned long long)seed);
        }
        f_free(&c);
    }
}

/* --- the best of all groupings --- */

static void best_of_all(f_case *c, uint32_t *group, uint32_t r, uint32_t n_groups, uint64_t *best)
{
    if (r == c->g.n) {
        if (f_is_good(c, group, n_groups)) *best = LETHE_MIN(*best, f_total(c, group, n_groups));
        return;
    }
    for (uint32_t g = 0; g <= n_groups; g++) {
        group[r] = g;
        for (uint32_t q = r + 1; q < c->g.n; q++)
            group[q] = LETHE_NONE;
        best_of_all(c, group, r + 1, n_groups + (g == n_groups), best);
    }
}

static void never_better_than_the_best(void **state)
{
    (void)state;
    uint64_t reached = 0, tried = 0;
    for (uint64_t seed = 1; seed <= TINY; seed++) {
        uint64_t s = seed * UINT64_C(0xA0761D6478BD642F), best = UINT64_MAX;
        f_case c;
        if (random_case(&c, &s, 7)) {
            uint32_t group[F_RECORDS];
            lethe_refine_result done;
            assert_int_equal(lethe_refine_ggd(contexts[0], c.t, c.vector, 1000, &c.g, &done),
                             LETHE_OK);
            best_of_all(&c, group, 0, 0, &best);
            if (done.cost_after < best) fail_msg("seed %llu", (unsigned long long)seed);
            tried++;
            reached += done.cost_after == best;
        }
        f_free(&c);
    }
    assert_true(reached * 2 > tried);
}

/* --- the nearest start --- */

/* The next record of a group, straight from the words of the header: all that are left and of
 * another person, heaviest first, the first that raises the cost of the group least. */
static uint32_t slow_next(const f_case *c, const uint32_t *order, const uint32_t *group, uint32_t g)
{
    uint32_t member[F_RECORDS], best = LETHE_NONE;
    uint64_t least = UINT64_MAX;
    size_t n = f_members(c, group, g, member);
    for (size_t i = 0; i < c->g.n; i++) {
        uint32_t r = order[i];
        bool there = false;
        if (group[r] != LETHE_NONE) continue;
        for (size_t j = 0; j < n; j++)
            there |= c->g.owner && c->g.owner[member[j]] == c->g.owner[r];
        if (there) continue;
        if (n == 0) return r;
        member[n] = r;
        uint64_t cost = f_cost(c, member, n + 1);
        if (cost < least) {
            least = cost;
            best = r;
        }
    }
    return best;
}

static int heavier(const f_case *c, uint32_t a, uint32_t b)
{
    if (c->n_items[a] != c->n_items[b]) return c->n_items[a] > c->n_items[b] ? -1 : 1;
    for (uint32_t v = 1; v < c->t->n; v++) {
        uint32_t x = f_count(c, a, v), y = f_count(c, b, v);
        if (x != y) return x > y ? -1 : 1;
    }
    return a < b ? -1 : 1;
}

static uint32_t slow_start(const f_case *c, uint32_t *group)
{
    uint32_t order[F_RECORDS], n = (uint32_t)c->g.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && heavier(c, i, order[at - 1]) < 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
        group[i] = LETHE_NONE;
    }
    for (uint32_t g = 0;; g++) {
        if (f_persons(c, group, LETHE_NONE) < c->g.k) return g;
        for (uint64_t i = 0; i < c->g.k; i++)
            group[slow_next(c, order, group, g)] = g;
    }
}

static void nearest_start_is_as_told(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES / 2; seed++) {
        uint64_t s = seed * UINT64_C(0x8CB92BA72F3D8DD7);
        f_case c;
        uint32_t want[F_RECORDS];
        bool enough = random_case(&c, &s, 24);
        assert_int_equal(lethe_refine_start(contexts[0], c.t, c.vector, UINT64_MAX / 64, &c.g),
                         LETHE_OK);
        uint32_t n_want = slow_start(&c, want);
        assert_int_equal(c.g.n_groups, enough ? n_want : 1);
        bool ok = !enough || f_is_good(&c, c.group, c.g.n_groups);
        for (size_t r = 0; r < c.g.n; r++)
            ok &= !enough || want[r] == LETHE_NONE || want[r] == c.group[r];
        if (!ok) fail_msg("seed %llu", (unsigned long long)seed);
        // through a window it is another, but good
        assert_int_equal(lethe_refine_start(contexts[0], c.t, c.vector, 1 + seed % 3, &c.g),
                         LETHE_OK);
        if (enough && !f_is_good(&c, c.group, c.g.n_groups))
            fail_msg("seed %llu", (unsigned long long)seed);
        f_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refined_by_ggd),           cmocka_unit_test(refined_by_costs_alone),
        cmocka_unit_test(refined_by_kept_prices),   cmocka_unit_test(never_better_than_the_best),
        cmocka_unit_test(nearest_start_is_as_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
