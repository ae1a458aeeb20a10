/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of cuts/cuts.h, edge by edge. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "cuts_plain.h"
#include "core/mem.h"
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 64, THREATS = 32, ITEMS = 128 };

/* A taxonomy by lines, costs and threats by names. */
typedef struct world {
    lethe_ctx *ctx;
    lethe_tree *t;
    uint8_t live[NODES], locked[NODES];
    uint64_t cost[NODES];
    uint64_t start[THREATS + 1];
    uint32_t item[ITEMS];
    lethe_threats threats;
    lethe_cuts_problem p;
    unsigned without; /* plain_find */
} world;

static uint32_t n_heard;

static void hear(void *user, const lethe_message *m)
{
    (void)user;
    (void)m;
    n_heard++;
}

static uint32_t node(const world *w, const char *name)
{
    uint32_t v = lethe_tree_find(w->t, lethe_str_of(name));
    assert_int_not_equal(v, LETHE_NONE);
    return v;
}

static void open_world(world *w, unsigned threads, const char *lines)
{
    lethe_settings set = {.n_threads = threads, .on_message = hear};
    *w = (world){.threats = {.start = w->start, .item = w->item, .locked = w->locked}};
    n_heard = 0;
    assert_int_equal(lethe_ctx_new(&set, &w->ctx), LETHE_OK);
    assert_int_equal(lethe_tree_memory(w->ctx, lethe_str_of(lines), LETHE_NAMES_RAW, &w->t),
                     LETHE_OK);
    assert_true(w->t->n <= NODES);
    memset(w->live, 1, w->t->n);
    w->p = (lethe_cuts_problem){
        .t = w->t, .live = w->live, .cost = w->cost, .threats = &w->threats, .top = 1};
}

static void close_world(world *w)
{
    lethe_tree_free(w->t);
    lethe_ctx_free(w->ctx);
}

/* A node's own w: its cost is that of its children more. */
static void costs(world *w, const char *name, uint64_t own)
{
    for (uint32_t v = node(w, name); v != LETHE_NONE; v = w->t->parent[v])
        w->cost[v] += own;
}

static void threat(world *w, const char *names)
{
    char text[256], *at = text, *name;
    uint64_t n = w->start[w->threats.n];
    snprintf(text, sizeof text, "%s", names);
    while ((name = strsep(&at, " ")) != NULL)
        if (*name) w->item[n++] = node(w, name);
    w->start[++w->threats.n] = n;
}

static lethe_cuts find(const world *w)
{
    lethe_cuts got;
    assert_int_equal(plain_find(w->ctx, &w->p, w->without, &got), LETHE_OK);
    return got;
}

static void names_of(const world *w, const lethe_cuts_cut *c, char *out, size_t cap)
{
    size_t used = 0;
    for (size_t i = 0; i < c->n; i++) {
        lethe_str s = lethe_tree_name(w->t, c->node[i]);
        used += (size_t)snprintf(out + used, cap - used, "%s%.*s", i ? " " : "", (int)s.n, s.at);
    }
}

/* The cheapest, whichever way it is sought. */
static void expect(world *w, const char *names, uint64_t cost)
{
    for (w->without = 0; w->without < 32; w->without++) {
        lethe_cuts got = find(w);
        char text[512];
        assert_int_equal(got.n, 1);
        names_of(w, &got.cut[0], text, sizeof text);
        assert_string_equal(text, names);
        assert_int_equal(got.cut[0].cost, cost);
        assert_true(got.optimal && got.examined > 0);
        lethe_cuts_free(&got);
    }
    w->without = 0;
}

static void expect_none(world *w)
{
    for (w->without = 0; w->without < 32; w->without++) {
        lethe_cuts got = find(w);
        assert_int_equal(got.n, 0);
        assert_true(got.optimal);
        lethe_cuts_free(&got);
    }
    w->without = 0;
}

#define TWO "A\tr\nB\tr\na1\tA\na2\tA\nb1\tB\nb2\tB\n"

static void two(world *w)
{
    open_world(w, 1, TWO);
    costs(w, "A", 5);
    costs(w, "B", 3);
    costs(w, "r", 10);
}

/* --- what is valid --- */

static void without_threats_all_is_specialized(void **state)
{
    (void)state;
    world w;
    two(&w);
    expect(&w, "a1 a2 b1 b2", 0);
    close_world(&w);
}

static void one_of_a_threats_items_is_hidden(void **state)
{
    (void)state;
    world w;
    two(&w);
    threat(&w, "a1 b2");
    expect(&w, "a1 a2 B", 3);
    threat(&w, "a1 a2"); // of one parent: it is locked
    expect(&w, "A b1 b2", 5);
    threat(&w, "b1");
    expect(&w, "A B", 8);
    threat(&w, "A B");
    expect(&w, "r", 18);
    close_world(&w);
}

static void a_threat_may_name_what_is_above_another_item(void **state)
{
    (void)state;
    world w;
    two(&w);
    threat(&w, "A a1"); // with a1 shown A is
    expect(&w, "A b1 b2", 5);
    threat(&w, "r b1"); // the root always is
    expect(&w, "A B", 8);
    close_world(&w);
}

static void of_the_root_alone_no_cut_is_valid(void **state)
{
    (void)state;
    world w;
    two(&w);
    threat(&w, "r");
    expect_none(&w);
    close_world(&w);
}

static void of_nothing_no_cut_is_valid(void **state)
{
    (void)state;
    world w;
    two(&w);
    threat(&w, "");
    expect_none(&w);
    w.threats.n = 0;
    w.threats.empty = true;
    expect_none(&w);
    close_world(&w);
}

static void what_is_locked_is_kept_to(void **state)
{
    (void)state;
    world w;
    two(&w);
    w.locked[node(&w, "A")] = 1;
    w.locked[node(&w, "b1")] = 1; // a leaf is not specialized anyway
    expect(&w, "A b1 b2", 5);
    w.locked[0] = 1;
    expect(&w, "r", 18);
    w.threats.locked = NULL;
    expect(&w, "a1 a2 b1 b2", 0);
    close_world(&w);
}

static void what_is_not_live_is_in_no_cut_and_no_threat(void **state)
{
    (void)state;
    world w;
    two(&w);
    w.live[node(&w, "a2")] = w.live[node(&w, "b1")] = w.live[node(&w, "b2")] = 0;
    w.cost[node(&w, "B")] = 0;
    w.cost[0] = 15;
    threat(&w, "a1 b1");
    threat(&w, "a2");
    expect(&w, "a1 B", 0); // B is what counts as a leaf
    threat(&w, "a1 B");
    expect(&w, "A B", 5);
    close_world(&w);
}

static void the_lowest_may_cost_something(void **state)
{
    (void)state;
    world w;
    two(&w);
    costs(&w, "a1", 7);
    costs(&w, "b2", 1);
    threat(&w, "a1 b1");
    expect(&w, "a1 a2 B", 11);
    close_world(&w);
}

static void a_taxonomy_of_one_node_has_one_cut(void **state)
{
    (void)state;
    world w;
    two(&w);
    for (uint32_t v = 1; v < w.t->n; v++)
        w.live[v] = 0;
    w.cost[0] = 4;
    expect(&w, "r", 4);
    w.p.top = 3;
    expect(&w, "r", 4);
    close_world(&w);
}

/* --- of several that cost the same --- */

static void of_equals_the_first_in_order_is_taken(void **state)
{
    (void)state;
    world w;
    open_world(&w, 1, TWO);
    costs(&w, "A", 5);
    costs(&w, "B", 5);
    costs(&w, "r", 1);
    threat(&w, "a1 b2");
    expect(&w, "A b1 b2", 5);
    close_world(&w);
}

/* u costs what A does, z nothing: to specialize either alone gains nothing. */
static void what_gains_nothing_is_not_specialized(void **state)
{
    (void)state;
    world w;
    open_world(&w, 1, "u\tr\nA\tu\na1\tA\na2\tA\nz\tr\nz1\tz\nz2\tz\ny\tr\ny1\ty\n");
    costs(&w, "A", 4);
    costs(&w, "y", 5);
    threat(&w, "a1 y1");
    expect(&w, "u z y1", 4);
    close_world(&w);
}

/* With X split, V stays, Z and Q too: 13.  With X staying no threat is left for V, so that it is
 * split; but for Y its children stay, and V may as well: 13, and the first in order once V is
 * joined again, before the two are compared. */
static void what_was_split_for_nothing_is_joined_again(void **state)
{
    (void)state;
    world w;
    open_world(&w, 1,
               "V\tr\nc\tV\nl1\tc\nl2\tc\nd\tV\nl3\td\nl4\td\nX\tr\nx1\tX\nx2\tX\nZ\tr\nz1\tZ\n"
               "z2\tZ\nQ\tr\nq1\tQ\nq2\tQ\nY\tr\ny1\tY\ny2\tY\n");
    costs(&w, "c", 1);
    costs(&w, "d", 1);
    costs(&w, "X", 11);
    costs(&w, "Z", 10);
    costs(&w, "Q", 1);
    costs(&w, "Y", 3);
    costs(&w, "r", 1);
    threat(&w, "c x1");
    threat(&w, "x1 z1");
    threat(&w, "x1 q1");
    threat(&w, "l1 y1");
    threat(&w, "l3 y1");
    expect(&w, "V X z1 z2 q1 q2 y1 y2", 13);
    close_world(&w);
}

/* --- several --- */

static void the_cheapest_come_in_order(void **state)
{
    (void)state;
    static const char *const want[] = {"a1 a2 B", "A b1 b2", "A B", "r"};
    static const uint64_t cost[] = {3, 5, 8, 18};
    world w;
    two(&w);
    threat(&w, "a1 b2");
    for (w.p.top = 1; w.p.top <= 6; w.p.top++)
        for (w.without = 0; w.without < 32; w.without++) {
            lethe_cuts got = find(&w);
            assert_int_equal(got.n, LETHE_MIN(w.p.top, 4));
            for (size_t i = 0; i < got.n; i++) {
                char text[128];
                names_of(&w, &got.cut[i], text, sizeof text);
                assert_string_equal(text, want[i]);
                assert_int_equal(got.cut[i].cost, cost[i]);
            }
            lethe_cuts_free(&got);
        }
    close_world(&w);
}

/* --- limits --- */

/* Ten nodes with two leaves each, in a ring of threats. */
static void ring(world *w, unsigned threads)
{
    char lines[1024];
    size_t used = 0;
    for (int i = 0; i < 10; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used, "N%d\tr\na%d\tN%d\nb%d\tN%d\n",
                                 i, i, i, i, i);
    open_world(w, threads, lines);
    costs(w, "r", 1);
    for (int i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "N%d", i);
        costs(w, name, (uint64_t)(10 + i * 7 % 10));
        snprintf(name, sizeof name, "a%d b%d", LETHE_MIN(i, (i + 1) % 10),
                 LETHE_MAX(i, (i + 1) % 10));
        threat(w, name);
    }
}

static void a_limit_leaves_a_valid_cut(void **state)
{
    (void)state;
    world w;
    ring(&w, 2);
    lethe_cuts full = find(&w);
    for (w.p.top = 1; w.p.top <= 3; w.p.top += 2)
        for (w.without = 0; w.without <= 16; w.without += 16) {
            w.p.max_cuts = 1;
            lethe_cuts got = find(&w);
            assert_true(got.n >= 1 && !got.optimal && got.examined <= 1);
            assert_true(got.cut[0].cost >= full.cut[0].cost);
            lethe_cuts_free(&got);
            w.p.max_cuts = 0;
            w.p.seconds = 1e-12;
            got = find(&w);
            assert_true(got.n >= 1 && !got.optimal && got.examined == 0);
            lethe_cuts_free(&got);
            w.p.seconds = 0;
        }
    lethe_cuts_free(&full);
    close_world(&w);
}

static void limits_that_are_not_met_change_nothing(void **state)
{
    (void)state;
    world w;
    ring(&w, 2);
    lethe_cuts full = find(&w);
    w.p.max_cuts = 1000000;
    w.p.seconds = 1000;
    lethe_cuts got = find(&w);
    assert_true(got.optimal);
    assert_int_equal(got.cut[0].cost, full.cut[0].cost);
    assert_int_equal(got.examined, full.examined);
    lethe_cuts_free(&got);
    lethe_cuts_free(&full);
    close_world(&w);
}

static void alpha_says_whether_it_lost_something(void **state)
{
    (void)state;
    world w;
    ring(&w, 1);
    lethe_cuts full = find(&w);
    bool lost = false;
    for (w.without = 0; w.without <= 16; w.without += 16)
        for (w.p.alpha = 0.125; w.p.alpha < 5; w.p.alpha *= 2) {
            lethe_cuts got = find(&w);
            uint64_t cost = got.cut[0].cost;
            assert_true((double)cost <= (1 + w.p.alpha) * (double)full.cut[0].cost);
            assert_true(!got.optimal || cost == full.cut[0].cost);
            lost = lost || !got.optimal;
            lethe_cuts_free(&got);
        }
    assert_true(lost);
    lethe_cuts_free(&full);
    close_world(&w);
}

/* --- large, deep, failing --- */

/* Each node of a chain has a leaf beside the next: no recursion, and no square of the depth. */
static void a_deep_taxonomy_is_no_trouble(void **state)
{
    (void)state;
    enum { DEEP = 30000, N = 2 * DEEP };
    uint32_t *parent = malloc(N * sizeof *parent), item[2];
    lethe_str *name = malloc(N * sizeof *name);
    char *text = malloc(N * 8);
    uint64_t *cost = calloc(N, sizeof *cost), start[] = {0, 2};
    uint8_t *live = malloc(N);
    lethe_tree *t = NULL;
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = 1};
    assert_true(parent && name && text && cost && live);
    for (uint32_t i = 0; i < N; i++) {
        parent[i] = i == 0 ? LETHE_NONE : i % 2 == 1 ? i - 1 : i - 2;
        name[i] = (lethe_str){text + 8 * i, (size_t)snprintf(text + 8 * i, 8, "%u", i)};
        live[i] = 1;
    }
    assert_int_equal(lethe_tree_from(NULL, N, parent, name, &t), LETHE_OK);
    for (uint32_t v = N; v-- > 0;) {
        if (!lethe_tree_is_leaf(t, v)) cost[v] += 1;
        if (v > 0) cost[t->parent[v]] += cost[v];
    }
    item[0] = t->node[DEEP + 1]; // a leaf half way down, and the lowest
    item[1] = t->node[N - 1];
    if (item[0] > item[1]) item[0] = item[1], item[1] = t->node[DEEP + 1];
    lethe_threats threats = {.n = 1, .start = start, .item = item};
    lethe_cuts_problem p = {.t = t, .live = live, .cost = cost, .threats = &threats, .top = 1};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    for (unsigned without = 0; without <= 16; without += 16) {
        lethe_cuts got;
        assert_int_equal(plain_find(ctx, &p, without, &got), LETHE_OK);
        assert_int_equal(got.cut[0].cost, 1); // the lowest node stays
        lethe_cuts_free(&got);
    }
    lethe_ctx_free(ctx);
    lethe_tree_free(t);
    free(parent);
    free(name);
    free(text);
    free(cost);
    free(live);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    char want[512] = "";
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        world w;
        char text[512];
        ring(&w, threads);
        lethe_cuts got = find(&w);
        names_of(&w, &got.cut[0], text, sizeof text);
        if (threads == 1) memcpy(want, text, sizeof want);
        assert_string_equal(text, want);
        lethe_cuts_free(&got);
        close_world(&w);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct {
        uint32_t top;
        unsigned without;
    } way[] = {{1, 0}, {4, 0}, {4, PLAIN_OURS}};
    for (size_t i = 0; i < LETHE_COUNT(way); i++) {
        world w;
        ring(&w, 1);
        w.p.top = way[i].top;
        w.without = way[i].without;
        lethe_err e = LETHE_ENOMEM;
        uint64_t n = 0;
        lethe_cuts got = {.examined = 77};
        while (e == LETHE_ENOMEM) {
            lethe_alloc_fail_at(++n);
            e = plain_find(w.ctx, &w.p, w.without, &got);
            lethe_alloc_fail_at(0);
            if (e != LETHE_OK) assert_int_equal(got.examined, 77);
            assert_int_equal(n_heard, n - (e == LETHE_OK));
        }
        assert_int_equal(e, LETHE_OK);
        assert_true(n > 8 && got.n == w.p.top);
        lethe_cuts_free(&got);
        close_world(&w);
    }
}

static void cancelled_gives_nothing(void **state)
{
    (void)state;
    world w;
    ring(&w, 2);
    lethe_ctx_cancel(w.ctx);
    for (w.p.top = 1; w.p.top <= 2; w.p.top++)
        for (w.without = 0; w.without <= 16; w.without += 16) {
            lethe_cuts got = {.examined = 77};
            assert_int_equal(plain_find(w.ctx, &w.p, w.without, &got), LETHE_ECANCEL);
            assert_int_equal(got.examined, 77);
        }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_threats_all_is_specialized),
        cmocka_unit_test(one_of_a_threats_items_is_hidden),
        cmocka_unit_test(a_threat_may_name_what_is_above_another_item),
        cmocka_unit_test(of_the_root_alone_no_cut_is_valid),
        cmocka_unit_test(of_nothing_no_cut_is_valid),
        cmocka_unit_test(what_is_locked_is_kept_to),
        cmocka_unit_test(what_is_not_live_is_in_no_cut_and_no_threat),
        cmocka_unit_test(the_lowest_may_cost_something),
        cmocka_unit_test(a_taxonomy_of_one_node_has_one_cut),
        cmocka_unit_test(of_equals_the_first_in_order_is_taken),
        cmocka_unit_test(what_gains_nothing_is_not_specialized),
        cmocka_unit_test(what_was_split_for_nothing_is_joined_again),
        cmocka_unit_test(the_cheapest_come_in_order),
        cmocka_unit_test(a_limit_leaves_a_valid_cut),
        cmocka_unit_test(limits_that_are_not_met_change_nothing),
        cmocka_unit_test(alpha_says_whether_it_lost_something),
        cmocka_unit_test(a_deep_taxonomy_is_no_trouble),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cancelled_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
