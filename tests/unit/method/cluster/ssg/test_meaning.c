/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of metrics: what a term is, what is relevant, who may ask. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "method/cluster/ssg/meaning.h"
#include "core/mem.h"
#include "wordnet_oracle.h"

static lethe_ctx *ctx;
static char warned[256];

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    snprintf(warned, sizeof warned, "%s", m->text);
}

static int begin(void **state)
{
    (void)state;
    lethe_settings s = {.n_threads = 1, .on_message = keep_message};
    return lethe_ctx_new(&s, &ctx) == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

static lethe_meaning_asker *asker(const lethe_meaning *m)
{
    lethe_meaning_asker *a = NULL;
    assert_int_equal(lethe_meaning_asker_new(m, &a), LETHE_OK);
    return a;
}

/* "term:distance " of a neighbourhood. */
static const char *around(lethe_meaning_asker *a, uint32_t term)
{
    static char text[512];
    size_t n, at = 0;
    const lethe_meaning_neighbour *near = lethe_meaning_neighbourhood(a, term, &n);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%u:%u ", near[i].term, near[i].distance);
    return text;
}

/* --- the tree --- */

/* a(0) { b(1) { c(2) d(3) } e(4) { f(5) { g(6) } h(7) } } */
static lethe_tree *uneven(void)
{
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_memory(ctx, LETHE_LIT("b\ta\nc\tb\nd\tb\ne\ta\nf\te\ng\tf\nh\te\n"),
                                       LETHE_NAMES_RAW, &t),
                     LETHE_OK);
    return t;
}

static void balls_hold_what_is_present(void **state)
{
    (void)state;
    lethe_tree *t = uneven();
    static const uint32_t leaves[] = {2, 3, 6, 7}, some[] = {2, 6};
    lethe_meaning *m = NULL;
    assert_int_equal(
        lethe_meaning_tree(ctx, t, &(lethe_meaning_terms){.at = leaves, .n = 4}, 4, &m), LETHE_OK);
    assert_int_equal(lethe_meaning_unit(m), 1);
    assert_int_equal(lethe_meaning_epsilon(m), 4);
    assert_int_equal(lethe_meaning_unknown(m), 0);
    lethe_meaning_asker *a = asker(m);
    assert_string_equal(around(a, 2), "2:0 3:2 7:4 ");
    assert_string_equal(around(a, 6), "6:0 7:3 ");
    assert_string_equal(around(a, 7), "7:0 6:3 2:4 3:4 ");
    assert_int_equal(lethe_meaning_distance(a, 2, 7), 4);
    assert_int_equal(lethe_meaning_distance(a, 2, 6), LETHE_NONE);
    assert_int_equal(lethe_meaning_distance(a, 0, 6), 3); // any nodes
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    assert_int_equal(
        lethe_meaning_tree(ctx, t, &(lethe_meaning_terms){.at = some, .n = 2}, UINT32_MAX, &m),
        LETHE_OK);
    a = asker(m);
    assert_string_equal(around(a, 2), "2:0 6:5 ");
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    assert_int_equal(lethe_meaning_tree(ctx, t, &(lethe_meaning_terms){.at = some, .n = 2}, 0, &m),
                     LETHE_OK);
    a = asker(m);
    assert_string_equal(around(a, 6), "6:0 ");
    assert_int_equal(lethe_meaning_distance(a, 6, 6), 0);
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    lethe_tree_free(t);
}

static void there_may_be_no_term(void **state)
{
    (void)state;
    lethe_tree *t = uneven();
    lethe_meaning *m = NULL;
    assert_int_equal(lethe_meaning_tree(ctx, t, &(lethe_meaning_terms){0}, 6, &m), LETHE_OK);
    lethe_meaning_asker *a = asker(m);
    assert_int_equal(lethe_meaning_distance(a, 2, 3), 2);
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    lethe_meaning_free(NULL);
    lethe_meaning_asker_free(NULL);
    lethe_tree_free(t);
}

static void grown_leaves_have_their_inner_nodes_name(void **state)
{
    (void)state;
    static const uint32_t inner[] = {1, 4};
    lethe_tree *t = uneven(), *grown = NULL;
    assert_int_equal(lethe_tree_grow(NULL, t, inner, 2, &grown), LETHE_OK);
    uint32_t leaf = lethe_tree_find(grown, LETHE_LIT("=b"));
    assert_true(lethe_str_eq(lethe_meaning_tree_name(grown, leaf), LETHE_LIT("b")));
    assert_true(lethe_str_eq(lethe_meaning_tree_name(grown, lethe_tree_find(grown, LETHE_LIT("g"))),
                             LETHE_LIT("g")));
    lethe_tree_free(grown);
    lethe_tree_free(t);
    // =b is taken: the leaf of b is ==b; and names of their own that begin so stay
    static const uint32_t b[] = {1};
    assert_int_equal(
        lethe_tree_memory(ctx, LETHE_LIT("b\ta\nc\tb\n=b\ta\n=x\ta\n"), LETHE_NAMES_RAW, &t),
        LETHE_OK);
    assert_int_equal(lethe_tree_grow(NULL, t, b, 1, &grown), LETHE_OK);
    leaf = lethe_tree_find(grown, LETHE_LIT("==b"));
    assert_true(leaf != LETHE_NONE);
    assert_true(lethe_str_eq(lethe_meaning_tree_name(grown, leaf), LETHE_LIT("b")));
    leaf = lethe_tree_find(grown, LETHE_LIT("=b"));
    assert_true(lethe_str_eq(lethe_meaning_tree_name(grown, leaf), LETHE_LIT("=b")));
    lethe_tree_free(grown);
    lethe_tree_free(t);
    // also where =b stands below b: two terms, not one
    assert_int_equal(lethe_tree_memory(ctx, LETHE_LIT("b\ta\nc\tb\n=b\tb\n"), LETHE_NAMES_RAW, &t),
                     LETHE_OK);
    assert_int_equal(lethe_tree_grow(NULL, t, b, 1, &grown), LETHE_OK);
    leaf = lethe_tree_find(grown, LETHE_LIT("==b"));
    assert_true(lethe_str_eq(lethe_meaning_tree_name(grown, leaf), LETHE_LIT("b")));
    leaf = lethe_tree_find(grown, LETHE_LIT("=b"));
    assert_true(lethe_str_eq(lethe_meaning_tree_name(grown, leaf), LETHE_LIT("=b")));
    lethe_tree_free(grown);
    lethe_tree_free(t);
}

/* --- the network --- */

static lethe_str word(const void *arg, uint32_t term)
{
    return lethe_str_of(((const char *const *)arg)[term]);
}

/* fake_small: entity { thing object { food nutrient { fruit { apple } nutrient { } cider } plant {
 * apple orchard_tree } } }; cider below apple too, that orchard_tree below thing. */
static void words_are_linked_by_all_senses(void **state)
{
    (void)state;
    static const char *const words[] = {"apple",  "cider",  "nutrient", "fruit",
                                        "plants", "qwerty", "plant"};
    static const uint32_t terms[] = {0, 1, 2, 3, 4, 5, 6};
    fake_files f = fake_make(fake_small, FAKE_SMALL, "axes ax\n", false);
    lethe_wordnet *wn = NULL;
    lethe_meaning *m = NULL;
    assert_int_equal(fake_open(ctx, &f, &wn), LETHE_OK);
    warned[0] = '\0';
    assert_int_equal(
        lethe_meaning_network(ctx, wn, &(lethe_meaning_terms){terms, 7, word, words}, 4, &m),
        LETHE_OK);
    assert_string_equal(warned, "1 of 7 terms are not in WordNet: each is relevant only to itself");
    assert_int_equal(lethe_meaning_unknown(m), 1);
    assert_int_equal(lethe_meaning_unit(m), 1);
    lethe_meaning_asker *a = asker(m);
    assert_int_equal(lethe_meaning_distance(a, 0, 3), 3); // apple, its synset, fruit's, fruit
    assert_int_equal(lethe_meaning_distance(a, 0, 1), 3);
    assert_int_equal(lethe_meaning_distance(a, 0, 6), 3); // by its second sense
    assert_int_equal(lethe_meaning_distance(a, 1, 2), 3); // by its second hypernym
    assert_int_equal(lethe_meaning_distance(a, 2, 0), 4);
    assert_int_equal(lethe_meaning_distance(a, 3, 6), LETHE_NONE);
    assert_int_equal(lethe_meaning_distance(a, 4, 6), 0); // one noun
    assert_int_equal(lethe_meaning_distance(a, 5, 5), 0);
    assert_int_equal(lethe_meaning_distance(a, 5, 0), LETHE_NONE);
    assert_string_equal(around(a, 5), "5:0 ");
    assert_string_equal(around(a, 6), "4:0 6:0 0:3 2:4 ");
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    lethe_wordnet_free(wn);
    fake_free(&f);
}

/* --- a file --- */

static lethe_edges *edges(const char *text)
{
    lethe_edges *e = NULL;
    assert_int_equal(lethe_edges_memory(ctx, lethe_str_of(text), LETHE_NAMES_RAW, &e), LETHE_OK);
    return e;
}

static void paths_go_through_terms_that_are_not_present(void **state)
{
    (void)state;
    lethe_edges *e = edges("a\tx\t0.5\nx\ty\t0\ny\tb\t0.5\na\tb\t3\nc\tb\t4000\nd\tc\t4000\n");
    lethe_dict *names = lethe_dict_new();
    uint32_t terms[4];
    static const char *const word_of[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(lethe_dict_add(names, lethe_str_of(word_of[i]), &terms[i]), LETHE_OK);
    lethe_meaning *m = NULL;
    lethe_meaning_terms present = {terms, 4, lethe_meaning_dict_name, names};
    warned[0] = '\0';
    assert_int_equal(lethe_meaning_edges(ctx, e, &present, UINT32_MAX, &m), LETHE_OK);
    assert_string_equal(warned, "");
    lethe_meaning_asker *a = asker(m);
    assert_int_equal(lethe_meaning_distance(a, 0, 1), 1000000);
    assert_int_equal(lethe_meaning_distance(a, 0, 2), 4001000000u);
    assert_int_equal(lethe_meaning_distance(a, 0, 3), LETHE_NONE); // does not fit a number
    assert_string_equal(around(a, 1), "1:0 0:1000000 2:4000000000 ");
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    lethe_dict_free(names);
    lethe_edges_free(e);
}

/* --- threads and memory --- */

typedef struct many {
    const lethe_meaning *m;
    size_t n;
    uint32_t sum;
    pthread_t thread;
} many;

static void *ask_all(void *arg)
{
    many *x = arg;
    lethe_meaning_asker *a = NULL;
    if (lethe_meaning_asker_new(x->m, &a) != LETHE_OK) return NULL;
    for (uint32_t i = 0; i < x->n; i++) {
        for (uint32_t j = 0; j < x->n; j++)
            x->sum = x->sum * 31 + lethe_meaning_distance(a, i, j);
        size_t n;
        const lethe_meaning_neighbour *near = lethe_meaning_neighbourhood(a, i, &n);
        for (size_t k = 0; k < n; k++)
            x->sum = x->sum * 31 + near[k].term + near[k].distance;
    }
    lethe_meaning_asker_free(a);
    return NULL;
}

static void askers_do_not_meet(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "b", "c", "d", "e"};
    static const uint32_t terms[] = {0, 1, 2, 3, 4};
    lethe_edges *e = edges("a\tb\t1\nb\tc\t1\nc\td\t0\nd\te\t2\ne\ta\t1.5\n");
    lethe_meaning *m = NULL;
    many all[7];
    assert_int_equal(
        lethe_meaning_edges(ctx, e, &(lethe_meaning_terms){terms, 5, word, words}, 2000000, &m),
        LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(all); i++) {
        all[i] = (many){.m = m, .n = 5};
        assert_int_equal(pthread_create(&all[i].thread, NULL, ask_all, &all[i]), 0);
    }
    for (size_t i = 0; i < LETHE_COUNT(all); i++) {
        pthread_join(all[i].thread, NULL);
        assert_true(all[i].sum != 0 && all[i].sum == all[0].sum);
    }
    lethe_meaning_free(m);
    lethe_edges_free(e);
}

/* Which of the three is made, and asked. */
static lethe_err make_and_ask(int which, const lethe_tree *t, const lethe_edges *e,
                              const lethe_wordnet *wn)
{
    static const char *const words[] = {"apple", "fruit", "x"};
    static const uint32_t terms[] = {0, 1, 2};
    lethe_meaning_terms present = {terms, 3, word, words};
    lethe_meaning *m = NULL;
    lethe_meaning_asker *a = NULL;
    lethe_err err = which == 0   ? lethe_meaning_tree(ctx, t, &present, 4, &m)
                    : which == 1 ? lethe_meaning_edges(ctx, e, &present, 4, &m)
                                 : lethe_meaning_network(ctx, wn, &present, 4, &m);
    assert_true((err == LETHE_OK) == (m != NULL));
    if (err == LETHE_OK) err = lethe_meaning_asker_new(m, &a);
    assert_true((err == LETHE_OK) == (a != NULL));
    if (a) {
        uint64_t before = lethe_alloc_count();
        size_t n;
        lethe_meaning_distance(a, 0, 1);
        lethe_meaning_neighbourhood(a, 0, &n);
        assert_int_equal(lethe_alloc_count(), before);
    }
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    return err;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fake_files f = fake_make(fake_small, FAKE_SMALL, "axes ax\n", false);
    lethe_wordnet *wn = NULL;
    lethe_tree *t = uneven();
    lethe_edges *e = edges("apple\tfruit\t1\n");
    assert_int_equal(fake_open(ctx, &f, &wn), LETHE_OK);
    for (int which = 0; which < 3; which++) {
        lethe_err err = LETHE_ENOMEM;
        uint64_t n = 0;
        while (err != LETHE_OK) {
            lethe_alloc_fail_at(++n);
            err = make_and_ask(which, t, e, wn);
            lethe_alloc_fail_at(0);
            assert_true(err == LETHE_OK || err == LETHE_ENOMEM);
        }
        assert_true(n > 5);
    }
    lethe_wordnet_free(wn);
    lethe_edges_free(e);
    lethe_tree_free(t);
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_hold_what_is_present),
        cmocka_unit_test(there_may_be_no_term),
        cmocka_unit_test(grown_leaves_have_their_inner_nodes_name),
        cmocka_unit_test(words_are_linked_by_all_senses),
        cmocka_unit_test(paths_go_through_terms_that_are_not_present),
        cmocka_unit_test(askers_do_not_meet),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
