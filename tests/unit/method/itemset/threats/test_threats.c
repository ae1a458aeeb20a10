/* SPDX-License-Identifier: Apache-2.0 */
/* Threats where there is little to find, or nothing, or no end. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "threats_harness.h"

static lethe_ctx *context(unsigned threads)
{
    lethe_ctx *ctx = NULL;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = threads}, &ctx), LETHE_OK);
    return ctx;
}

/* r above A and B; A above a, b, c; B above d, e.  So r=0 A=1 a=2 b=3 c=4 B=5 d=6 e=7. */
enum { R, A, a, b, c, B, d, e };

static lethe_tree *tree(void)
{
    static const lethe_str name[] = {{"r", 1}, {"A", 1}, {"a", 1}, {"b", 1},
                                     {"c", 1}, {"B", 1}, {"d", 1}, {"e", 1}};
    static const uint32_t parent[] = {LETHE_NONE, R, A, A, A, R, B, B};
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_from(NULL, 8, parent, name, &t), LETHE_OK);
    return t;
}

#define BIT(x) (1u << (x))

/* Sets given as masks; the list of what was found, as masks, in `got`. */
static lethe_threats find_in(h_case *k, unsigned without)
{
    h_records h;
    lethe_threats found;
    lethe_ctx *ctx = context(1);
    h_records_make(k, &h);
    assert_int_equal(lethe_threats_find(ctx, &h.r, k->t, &k->kl, without, &found), LETHE_OK);
    h_records_free(&h);
    lethe_ctx_free(ctx);
    return found;
}

static void expect(h_case k, unsigned without, const uint32_t *want, size_t n)
{
    k.t = tree();
    lethe_threats found = find_in(&k, without);
    assert_int_equal(found.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(h_mask(&found, i), want[i]);
    lethe_threats_free(&found);
    lethe_tree_free(k.t);
}

/* --- the empty set --- */

static void of_no_sets_nothing_is_a_threat(void **state)
{
    (void)state;
    expect((h_case){.kl = {.k = 5, .l = 2, .m = 3, .n = 3, .strict = true}}, 0, NULL, 0);
}

static void fewer_sets_than_k_leave_no_cut(void **state)
{
    (void)state;
    h_case k = {.t = tree(), .n = 2, .items = {BIT(a), BIT(a)}, .kl = {.k = 3, .l = 1, .m = 1}};
    lethe_threats found = find_in(&k, 0);
    assert_true(found.empty && found.n == 0);
    assert_int_equal(found.common, LETHE_NONE);
    lethe_threats_free(&found);
    k.kl.k = 2;
    found = find_in(&k, 0);
    assert_false(found.empty);
    lethe_threats_free(&found);
    lethe_tree_free(k.t);
}

static void a_sensitive_item_in_too_many_sets_is_named(void **state)
{
    (void)state;
    h_case k = {.t = tree(),
                .n = 5,
                .items = {BIT(a), BIT(a), BIT(b), BIT(b), BIT(d)},
                .marks = {3, 2, 2, 1, 1}, // 0 and 1 in three of five: the first is named
                .kl = {.k = 1, .l = 2, .m = 1}};
    lethe_threats found = find_in(&k, 0);
    assert_true(found.empty);
    assert_int_equal(found.common, 0);
    assert_int_equal(found.common_n, 3);
    lethe_threats_free(&found);
    k.marks[4] = 2; // 1 in four
    found = find_in(&k, 0);
    assert_int_equal(found.common, 1);
    assert_int_equal(found.common_n, 4);
    lethe_threats_free(&found);
    k.kl = (lethe_kl){
        .k = 10, .l = 2, .m = 0, .n = 0, .strict = false}; // too few, and one too frequent: both
    found = find_in(&k, 0);
    assert_true(found.empty);
    assert_int_equal(found.common, 1);
    lethe_threats_free(&found);
    k.kl = (lethe_kl){
        .k = 1, .l = 1.25, .m = 0, .n = 0, .strict = false}; // four of five are 1/l, not more
    found = find_in(&k, 0);
    assert_false(found.empty);
    lethe_threats_free(&found);
    lethe_tree_free(k.t);
}

/* --- the root --- */

static void the_root_alone_can_be_a_threat(void **state)
{
    (void)state;
    static const uint32_t root = BIT(R);
    h_case k = {.n = 6, .items = {BIT(a), BIT(d)}, .kl = {.k = 3, .l = 1, .m = 1}};
    for (unsigned without = 0; without < 16; without++) {
        expect(k, without, &root, 1); // two sets have anything at all
        h_case absent = k;
        absent.kl = (lethe_kl){
            .k = 5, .l = 1, .m = 0, .n = 5, .strict = false}; // four have nothing, by five leaves
        expect(absent, without, &root, 1);
        absent.kl.n = 1; // five lack a, five lack d
        expect(absent, without, NULL, 0);
    }
}

static void empty_sets_are_sets(void **state)
{
    (void)state;
    h_case k = {.n = 6, .kl = {.k = 3, .l = 1, .m = 3, .n = 3}};
    expect(k, 0, NULL, 0);
    k.marks[0] = k.marks[1] = 1;
    k.kl.l = 3; // two of six
    expect(k, 0, NULL, 0);
}

/* --- power --- */

static void no_power_no_threat(void **state)
{
    (void)state;
    h_case k = {.n = 3, .items = {BIT(a), BIT(b) | BIT(d), BIT(c)}, .kl = {.k = 2, .l = 1, .m = 0}};
    for (unsigned without = 0; without < 16; without++)
        expect(k, without, NULL, 0);
}

static void absence_alone(void **state)
{
    (void)state;
    static const uint32_t want[] = {BIT(a)};
    h_case k = {.n = 4,
                .items = {BIT(a) | BIT(d), BIT(a) | BIT(b), BIT(a) | BIT(b), BIT(b) | BIT(d)},
                .kl = {.k = 2, .l = 1, .m = 0, .n = 1}}; // one set lacks a, one lacks b
    static const uint32_t both[] = {BIT(a), BIT(b)};
    expect(k, LETHE_PRUNE_LOCKED, both, 2);
    k.items[0] |= BIT(b);
    k.items[3] = BIT(d) | BIT(b);
    expect(k, LETHE_PRUNE_LOCKED, want, 1);
}

/* What no set has is absent from all: it says nothing, and is no part of the tree. */
static void leaves_are_counted_in_the_whole_taxonomy(void **state)
{
    (void)state;
    static const uint32_t want[] = {BIT(A)};
    h_case k = {.n = 4,
                .items = {BIT(a), BIT(a), BIT(a), BIT(d)},
                .kl = {.k = 2,
                       .l = 1,
                       .m = 0,
                       .n = 2}}; // A- has the power of three leaves, though b, c are not there
    static const uint32_t just_a[] = {BIT(a)};
    expect(k, LETHE_PRUNE_LOCKED, just_a, 1);
    k.kl.n = 3;
    expect(k, LETHE_PRUNE_LOCKED, want, 1);
}

static void nothing_to_protect(void **state)
{
    (void)state;
    h_case k = {.n = 3,
                .items = {BIT(a), BIT(b), BIT(c)},
                .marks = {1},
                .kl = {.k = 1, .l = 1, .m = 3, .n = 3, .strict = true}};
    expect(k, 0, NULL, 0);
    k.marks[0] = 0;
    k.kl.l = 9;
    expect(k, 0, NULL, 0);
}

/* A cut's nodes as items: they are the lowest, and have the leaves of the taxonomy. */
static void items_may_be_inner_nodes(void **state)
{
    (void)state;
    static const uint32_t want[] = {BIT(A) | BIT(d), BIT(A) | BIT(e)};
    h_case k = {.n = 6,
                .items = {BIT(A) | BIT(d), BIT(A) | BIT(e), BIT(d), BIT(e), BIT(A), BIT(A)},
                .kl = {.k = 2, .l = 1, .m = 2, .n = 2}};
    expect(k, LETHE_PRUNE_LOCKED, want, 2);
}

static void huge_power_is_fine(void **state)
{
    (void)state;
    h_case k = {.n = 4,
                .items = {BIT(a) | BIT(d), BIT(a) | BIT(d), BIT(b) | BIT(e), BIT(b) | BIT(e)},
                .kl = {.k = 2, .l = 1, .m = UINT32_MAX, .n = UINT64_MAX}};
    for (unsigned without = 0; without < 16; without++)
        expect(k, without, NULL, 0);
    k.kl.k = 3;
    static const uint32_t want[] = {BIT(A), BIT(B)}; // A- and B+ are the same two sets
    k.items[2] = k.items[3] = BIT(e);
    k.items[0] = k.items[1] = BIT(a);
    expect(k, LETHE_PRUNE_LOCKED, want, 2);
    lethe_tree *t = tree();
    k.t = t;
    lethe_threats found = find_in(&k, 0);
    assert_int_equal(found.n, 0);
    assert_int_equal(found.locked[R], 1);
    lethe_threats_free(&found);
    lethe_tree_free(t);
}

/* --- the run --- */

static h_case busy(void)
{
    uint64_t seed = 77;
    h_case k;
    do {
        h_case_draw(&seed, 14, &k);
        if (k.n >= 12 && k.t->n >= 10) break;
        lethe_tree_free(k.t);
    } while (true);
    k.kl = (lethe_kl){.k = 2, .l = 2.5, .m = 3, .n = 3, .strict = true};
    for (size_t i = 0; i < k.n; i++)
        k.marks[i] = i % 4 == 0;
    return k;
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    h_case k = busy();
    h_records h;
    lethe_threats found = {.n = 99};
    lethe_ctx *ctx = context(2);
    h_records_make(&k, &h);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_threats_find(ctx, &h.r, k.t, &k.kl, 0, &found), LETHE_ECANCEL);
    assert_int_equal(found.n, 99); // untouched
    h_records_free(&h);
    lethe_tree_free(k.t);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    h_case k = busy();
    h_records h;
    lethe_ctx *ctx = context(1);
    h_records_make(&k, &h);
    for (unsigned without = 0; without <= LETHE_PRUNE_LOCKED; without += LETHE_PRUNE_LOCKED) {
        lethe_threats found = {.n = 99};
        lethe_err err = LETHE_ENOMEM;
        uint64_t n = 0;
        while (err == LETHE_ENOMEM) {
            lethe_alloc_fail_at(++n);
            err = lethe_threats_find(ctx, &h.r, k.t, &k.kl, without, &found);
            lethe_alloc_fail_at(0);
            assert_true(err == LETHE_OK || found.n == 99);
        }
        assert_int_equal(err, LETHE_OK);
        assert_true(n > 40);
        assert_true(found.n + found.nodes > 0);
        lethe_threats_free(&found);
    }
    h_records_free(&h);
    lethe_tree_free(k.t);
    lethe_ctx_free(ctx);
}

static void too_many_sets_are_refused(void **state)
{
    (void)state;
    lethe_tree *t = tree();
    lethe_ctx *ctx = context(1);
    lethe_records r = {.n = UINT32_MAX}; // is not looked at
    lethe_kl kl = {.k = 2, .l = 1, .m = 1};
    lethe_threats found;
    assert_int_equal(lethe_threats_find(ctx, &r, t, &kl, 0, &found), LETHE_EUSAGE);
    lethe_ctx_free(ctx);
    lethe_tree_free(t);
}

/* Nested sets, each with one item more: itemsets as long as there are sets. */
static void depth_is_no_danger(void **state)
{
    (void)state;
    enum { DEEP = 300 };
    static uint32_t parent[DEEP + 1], item[DEEP * (DEEP + 1) / 2];
    static uint64_t start[DEEP + 1];
    static lethe_str names[DEEP + 1];
    static char text[DEEP + 1][8];
    lethe_tree *t = NULL;
    lethe_threats found;
    lethe_ctx *ctx = context(1);
    for (uint32_t i = 0; i <= DEEP; i++) {
        parent[i] = i == 0 ? LETHE_NONE : 0;
        names[i] = (lethe_str){text[i], (size_t)snprintf(text[i], sizeof *text, "%u", i)};
    }
    assert_int_equal(lethe_tree_from(NULL, DEEP + 1, parent, names, &t), LETHE_OK);
    for (uint32_t i = 0; i < DEEP; i++) {
        start[i + 1] = start[i] + i + 1;
        for (uint32_t k = 0; k <= i; k++)
            item[start[i] + k] = DEEP - i + k; // the last items: the later, the more have them
    }
    lethe_records r = {.n = DEEP, .start = start, .item = item};
    lethe_kl kl = {.k = 2, .l = 1, .m = DEEP};
    assert_int_equal(lethe_threats_find(ctx, &r, t, &kl, LETHE_PRUNE_LOCKED, &found), LETHE_OK);
    assert_int_equal(found.n, 1); // the first item is in one set; more say no more than the rarest
    assert_int_equal(found.item[0], 1);
    lethe_threats_free(&found);
    assert_int_equal(lethe_threats_find(ctx, &r, t, &kl, 0, &found), LETHE_OK);
    assert_int_equal(found.locked[0], 1);
    lethe_threats_free(&found);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

/* WIDE children of the root, of which a set has four: one of two or three of them is a very long
 * list, for each set and at all. */
enum { WIDE = 100, SETS = 2000, EACH = 4 };

static void wide_make(lethe_tree **t, lethe_records *r)
{
    static uint32_t parent[WIDE + 1], item[SETS * EACH], mark[SETS];
    static uint64_t start[SETS + 1], mark_start[SETS + 1];
    static lethe_str names[WIDE + 1];
    static char text[WIDE + 1][8];
    uint32_t one;
    *r = (lethe_records){.n = SETS, .start = start, .item = item, .mark_start = mark_start};
    r->mark = mark; // all zero
    r->marks = lethe_dict_new();
    assert_int_equal(lethe_dict_add(r->marks, LETHE_LIT("S"), &one), LETHE_OK);
    for (uint32_t i = 0; i <= WIDE; i++) {
        parent[i] = i == 0 ? LETHE_NONE : 0;
        names[i] = (lethe_str){text[i], (size_t)snprintf(text[i], sizeof *text, "%u", i)};
    }
    assert_int_equal(lethe_tree_from(NULL, WIDE + 1, parent, names, t), LETHE_OK);
    for (uint32_t i = 0; i < SETS; i++) {
        uint32_t step = 1 + i / WIDE; // at most 20: four items do not wrap
        for (uint32_t k = 0; k < EACH; k++)
            item[EACH * i + k] = 1 + (i % (WIDE - 3 * step)) + k * step;
        start[i + 1] = EACH * (i + 1);
        mark_start[i + 1] = mark_start[i] + (i % 50 == 0);
    }
}

/* What is too much for the memory that there may be is refused, not asked for; and where a child is
 * a threat by itself, nobody asks. */
static void one_of_very_many_is_refused(void **state)
{
    (void)state;
    lethe_tree *t = NULL;
    lethe_records r;
    lethe_threats found;
    lethe_ctx *ctx = NULL;
    lethe_settings little = {.n_threads = 1, .memory_bytes = 16 << 20};
    lethe_kl kl = {.k = 2, .l = 2, .m = 1, .strict = true};
    wide_make(&t, &r);
    assert_int_equal(lethe_ctx_new(&little, &ctx), LETHE_OK);
    assert_int_equal(lethe_threats_find(ctx, &r, t, &kl, 0, &found), LETHE_ENOMEM);
    kl.k = SETS / 4;
    assert_int_equal(lethe_threats_find(ctx, &r, t, &kl, 0, &found), LETHE_OK);
    assert_int_equal(found.locked[0], 1);
    lethe_threats_free(&found);
    lethe_ctx_free(ctx);
    lethe_dict_free(r.marks);
    lethe_tree_free(t);
}

static void free_takes_nothing(void **state)
{
    (void)state;
    lethe_threats none = {0};
    lethe_threats_free(&none);
    lethe_threats_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_no_sets_nothing_is_a_threat),
        cmocka_unit_test(fewer_sets_than_k_leave_no_cut),
        cmocka_unit_test(a_sensitive_item_in_too_many_sets_is_named),
        cmocka_unit_test(the_root_alone_can_be_a_threat),
        cmocka_unit_test(empty_sets_are_sets),
        cmocka_unit_test(no_power_no_threat),
        cmocka_unit_test(absence_alone),
        cmocka_unit_test(leaves_are_counted_in_the_whole_taxonomy),
        cmocka_unit_test(nothing_to_protect),
        cmocka_unit_test(items_may_be_inner_nodes),
        cmocka_unit_test(huge_power_is_fine),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(lack_of_memory_is_told),
        cmocka_unit_test(too_many_sets_are_refused),
        cmocka_unit_test(depth_is_no_danger),
        cmocka_unit_test(one_of_very_many_is_refused),
        cmocka_unit_test(free_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
