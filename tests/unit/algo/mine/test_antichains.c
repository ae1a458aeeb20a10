/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of antichains.h, edge by edge. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/mine/antichains.h"
#include "core/mem.h"
#include <string.h>

static unsigned n_heard;

static void hear(void *user, const lethe_message *m)
{
    (void)user;
    (void)m;
    n_heard++;
}

static lethe_ctx *context(unsigned threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = threads, .on_message = hear};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    n_heard = 0;
    return ctx;
}

/* root above a (of x and y) and b. */
enum { ROOT, A, X, Y, B, N_NODES };

static lethe_tree *tree(void)
{
    static const uint32_t parent[] = {LETHE_NONE, ROOT, A, A, ROOT};
    static const char *const text[] = {"root", "a", "x", "y", "b"};
    lethe_str name[N_NODES];
    lethe_tree *t = NULL;
    for (size_t i = 0; i < N_NODES; i++)
        name[i] = (lethe_str){text[i], strlen(text[i])};
    assert_int_equal(lethe_tree_from(NULL, N_NODES, parent, name, &t), LETHE_OK);
    return t;
}

/* x y | x b | nothing | b b */
static const uint64_t start[] = {0, 2, 4, 4, 6};
static const uint32_t item[] = {X, Y, X, B, B, B};
static const lethe_transactions four = {.n = 4, .start = start, .item = item, .n_items = N_NODES};

static lethe_antichains_asked asked_of(const lethe_tree *t)
{
    return (lethe_antichains_asked){
        .tree = t, .original = &four, .published = &four, .most = LETHE_ANTICHAINS_MOST};
}

static lethe_antichains count(const lethe_antichains_asked *asked, unsigned threads)
{
    lethe_antichains got;
    lethe_ctx *ctx = context(threads);
    assert_int_equal(lethe_antichains_count(ctx, asked, &got), LETHE_OK);
    assert_int_equal(n_heard, 0);
    lethe_ctx_free(ctx);
    return got;
}

/* root 3, a 2, x 2, y 1, b 2, xy 1, xb 1, ab 1. */
static void by_hand(void **state)
{
    (void)state;
    lethe_tree *t = tree();
    lethe_antichains_asked asked = asked_of(t);
    lethe_antichains got = count(&asked, 1);
    assert_true(got.all);
    assert_int_equal(got.published, 8);
    assert_int_equal(got.both, 8);
    assert_int_equal(got.support, 13);
    assert_int_equal(got.difference, 0);
    asked.support = 2;
    got = count(&asked, 1);
    assert_int_equal(got.published, 4);
    assert_int_equal(got.support, 9);
    asked.support = UINT64_MAX;
    got = count(&asked, 1);
    assert_true(got.all);
    assert_int_equal(got.published, 0);
    lethe_tree_free(t);
}

/* Weights 2, 0, 1, 1: root 3, a 2, x 2, y 2, b 1, xy 2; xb and ab are gone. */
static void supports_are_compared(void **state)
{
    (void)state;
    static const uint32_t weight[] = {2, 0, 1, 1};
    lethe_tree *t = tree();
    lethe_transactions weighted = four;
    weighted.weight = weight;
    lethe_antichains_asked asked = asked_of(t);
    asked.published = &weighted;
    lethe_antichains got = count(&asked, 1);
    assert_int_equal(got.published, 6);
    assert_int_equal(got.both, 6);
    assert_int_equal(got.support, 3 + 2 + 2 + 1 + 2 + 1);
    assert_int_equal(got.difference, 1 + 1 + 1);
    asked.support = 2; // y and xy are frequent in what was published alone
    got = count(&asked, 1);
    assert_int_equal(got.published, 5);
    assert_int_equal(got.both, 3);
    assert_int_equal(got.support, 3 + 2 + 2);
    assert_int_equal(got.difference, 0);
    lethe_tree_free(t);
}

/* In 10 of 1000 transactions x, y and b, in the others none of them: rare enough for lists, and
 * each list is all of the other, so that none may end early.  At 10: root, a, x, y, b, xy, xb, yb,
 * ab, xyb; at 11 only what the others have, root. */
static void lists_are_met_to_the_end(void **state)
{
    (void)state;
    enum { ALL = 1000, EVERY = 100 };
    uint64_t at[ALL + 1] = {0}, k = 0;
    uint32_t with[3 * ALL];
    lethe_tree *t = tree();
    for (uint32_t i = 0; i < ALL; i++) {
        if (i % EVERY == EVERY - 1) {
            with[k++] = X;
            with[k++] = Y;
            with[k++] = B;
        } else {
            with[k++] = ROOT;
        }
        at[i + 1] = k;
    }
    lethe_transactions rare = {.n = ALL, .start = at, .item = with, .n_items = N_NODES};
    lethe_antichains_asked asked = asked_of(t);
    asked.published = asked.original = &rare;
    asked.support = ALL / EVERY;
    lethe_antichains got = count(&asked, 1);
    assert_int_equal(got.published, 10);
    assert_int_equal(got.both, 10);
    assert_int_equal(got.support, ALL + 9 * ALL / EVERY);
    assert_int_equal(got.difference, 0);
    asked.support++;
    assert_int_equal(count(&asked, 1).published, 1);
    lethe_tree_free(t);
}

static void the_limit_is_exact(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    lethe_tree *t = tree();
    for (size_t i = 0; i < 3; i++) {
        lethe_antichains_asked asked = asked_of(t);
        asked.most = 8;
        assert_true(count(&asked, threads[i]).all);
        asked.most = 7;
        lethe_antichains got = count(&asked, threads[i]);
        assert_false(got.all);
        assert_int_equal(got.published, 0);
    }
    lethe_tree_free(t);
}

static void strangers_count_nothing(void **state)
{
    (void)state;
    static const uint32_t strange[] = {X, N_NODES, N_NODES + 1, B, UINT32_MAX - 1, B};
    lethe_tree *t = tree();
    lethe_transactions other = four;
    other.item = strange;
    other.n_items = UINT32_MAX;
    lethe_antichains_asked asked = asked_of(t);
    asked.published = &other; // x, b, nothing, b: root 3, a 1, x 1, b 2
    lethe_antichains got = count(&asked, 1);
    assert_int_equal(got.published, 4);
    assert_int_equal(got.difference, 1 + 1);
    lethe_tree_free(t);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    static const uint32_t weight[] = {UINT32_MAX - 2, 1, 0, 1};
    lethe_tree *t = tree();
    lethe_transactions heavy = four;
    heavy.weight = weight;
    for (int side = 0; side < 2; side++) {
        lethe_antichains_asked asked = asked_of(t);
        lethe_antichains got;
        lethe_ctx *ctx = context(1);
        *(side ? &asked.original : &asked.published) = &heavy;
        assert_int_equal(lethe_antichains_count(ctx, &asked, &got), LETHE_EUSAGE);
        assert_int_equal(n_heard, 1);
        lethe_ctx_free(ctx);
    }
    lethe_tree_free(t);
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    lethe_tree *t = tree();
    lethe_antichains_asked asked = asked_of(t);
    lethe_antichains got;
    lethe_ctx *ctx = context(2);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_antichains_count(ctx, &asked, &got), LETHE_ECANCEL);
    lethe_ctx_free(ctx);
    lethe_tree_free(t);
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    lethe_tree *t = tree();
    lethe_antichains_asked asked = asked_of(t);
    lethe_antichains got;
    lethe_ctx *ctx = context(1);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        n_heard = 0;
        lethe_alloc_fail_at(++n);
        e = lethe_antichains_count(ctx, &asked, &got);
        lethe_alloc_fail_at(0);
        assert_int_equal(n_heard, e == LETHE_OK ? 0 : 1);
    }
    assert_int_equal(e, LETHE_OK);
    assert_int_equal(got.published, 8);
    assert_true(n > 3);
    lethe_ctx_free(ctx);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(supports_are_compared),
        cmocka_unit_test(lists_are_met_to_the_end),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(strangers_count_nothing),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
