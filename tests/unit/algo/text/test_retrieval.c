/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include "algo/text/retrieval.h"

/* Documents as words of one letter. */
typedef struct texts {
    const char *const *at;
    uint32_t n;
} texts;

static lethe_err index_of(texts t, lethe_retrieval **out)
{
    uint64_t start[16] = {0};
    uint32_t at[256];
    for (uint32_t d = 0; d < t.n; d++) {
        start[d + 1] = start[d];
        for (const char *c = t.at[d]; *c; c++)
            at[start[d + 1]++] = (uint32_t)(*c - 'a');
    }
    return lethe_retrieval_new(t.n, start, at, 26, out);
}

static void like(texts t, uint32_t doc, uint32_t k, const uint32_t *want, uint32_t n,
                 uint32_t matching)
{
    lethe_retrieval *r = NULL;
    lethe_search *s = NULL;
    lethe_hits hits;
    assert_int_equal(index_of(t, &r), LETHE_OK);
    assert_int_equal(lethe_search_new(r, &s), LETHE_OK);
    for (int again = 0; again < 2; again++) { // a search leaves nothing behind
        assert_int_equal(lethe_search_like(s, doc, k, &hits), LETHE_OK);
        assert_int_equal(hits.n, n);
        assert_int_equal(hits.matching, matching);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(hits.at[i].doc, want[i]);
    }
    lethe_search_free(s);
    lethe_retrieval_free(r);
}

#define TEXTS(...)                                                                                 \
    (texts)                                                                                        \
    {                                                                                              \
        (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *) \
    }
#define DOCS(...)                                                                                  \
    (const uint32_t[]) { __VA_ARGS__ }

static void rare_terms_count_for_more(void **state)
{
    (void)state;
    like(TEXTS("ab", "axx", "byy", "azz", "azz"), 0, 4, DOCS(2, 1, 3, 4), 4, 4);
}

static void shorter_documents_come_first(void **state)
{
    (void)state;
    like(TEXTS("a", "axyz", "ax", "axy", "q", "r", "s"), 0, 4, DOCS(2, 3, 1), 3, 3);
}

static void repeated_terms_count(void **state)
{
    (void)state;
    like(TEXTS("a", "axx", "aax", "q", "r", "s"), 0, 2, DOCS(2, 1), 2, 2);
    // and in the query
    like(TEXTS("abbb", "ax", "bx", "ay", "by", "q"), 0, 1, DOCS(2), 1, 4);
}

static void ties_go_to_the_lowest_number(void **state)
{
    (void)state;
    like(TEXTS("ab", "b", "a", "b", "a", "ab"), 3, 3, DOCS(1, 0, 5), 3, 3);
    like(TEXTS("a", "a", "a", "a"), 2, 2, DOCS(0, 1), 2, 3);
}

static void what_shares_nothing_is_not_found(void **state)
{
    (void)state;
    like(TEXTS("ab", "cd", "ef"), 0, 5, NULL, 0, 0);
    like(TEXTS("", "", "a"), 0, 5, NULL, 0, 0);
    like(TEXTS("a"), 0, 5, NULL, 0, 0);
}

static void a_term_that_all_have_is_found(void **state)
{
    (void)state;
    like(TEXTS("a", "a", "ab"), 0, 5, DOCS(1, 2), 2, 2);
}

static void all_that_match_are_counted(void **state)
{
    (void)state;
    texts t = TEXTS("ab", "a", "a", "b", "c");
    like(t, 0, 1, DOCS(3), 1, 3);
    like(t, 1, 1, DOCS(2), 1, 2);
    like(t, 4, 1, NULL, 0, 0);
}

/* By hand: N = 2, df(a) = 2, df(b) = 1; lengths 1 and 2, mean 1.5. */
static void the_score_is_that_of_the_formula(void **state)
{
    (void)state;
    lethe_retrieval *r = NULL;
    lethe_search *s = NULL;
    lethe_hits hits;
    uint32_t bag[] = {1, 0, 0, 25, 4000000000u};
    assert_int_equal(index_of(TEXTS("a", "ab"), &r), LETHE_OK);
    assert_int_equal(lethe_search_new(r, &s), LETHE_OK);
    assert_int_equal(lethe_search_bag(s, bag, LETHE_COUNT(bag), 10, &hits), LETHE_OK);
    double a = log(1.2), b = log(2), one = 1.2 * (0.25 + 0.75 / 1.5),
           two = 1.2 * (0.25 + 0.75 * 2 / 1.5);
    assert_int_equal(hits.n, 2);
    assert_int_equal(hits.at[0].doc, 1);
    assert_true(fabs(hits.at[0].score - (b + 2 * a) * 2.2 / (1 + two)) < 1e-14);
    assert_int_equal(hits.at[1].doc, 0);
    assert_true(fabs(hits.at[1].score - 2 * a * 2.2 / (1 + one)) < 1e-14);
    assert_int_equal(lethe_search_bag(s, bag, 0, 10, &hits), LETHE_OK);
    assert_int_equal(hits.n + hits.matching, 0);
    lethe_search_free(s);
    lethe_retrieval_free(r);
}

static void no_documents_at_all(void **state)
{
    (void)state;
    lethe_retrieval *r = NULL;
    lethe_search *s = NULL;
    lethe_hits hits;
    uint64_t start = 0;
    uint32_t bag = 0;
    assert_int_equal(lethe_retrieval_new(0, &start, NULL, 0, &r), LETHE_OK);
    assert_int_equal(lethe_search_new(r, &s), LETHE_OK);
    assert_int_equal(lethe_search_bag(s, &bag, 1, 3, &hits), LETHE_OK);
    assert_int_equal(hits.n, 0);
    lethe_search_free(s);
    lethe_retrieval_free(r);
}

/* Documents are added up block by block: some thousands, around the edges of blocks, with ties
 * across them. */
static void blocks_of_documents_are_one_corpus(void **state)
{
    (void)state;
    enum { MOST = 3 * 4096 + 1 };
    static uint64_t start[MOST + 1];
    static uint32_t at[2 * MOST];
    static const uint32_t sizes[] = {4095, 4096, 4097, 8192, MOST};
    for (size_t c = 0; c < LETHE_COUNT(sizes); c++) {
        uint32_t n_docs = sizes[c], n = 0;
        lethe_retrieval *r = NULL;
        lethe_search *s = NULL;
        lethe_hits hits;
        for (uint32_t d = 0; d < n_docs; d++) {
            start[d] = n;
            at[n++] = 0;
            if (d % 4000 == 95 || d == n_docs - 1) at[n++] = 1;
        }
        start[n_docs] = n;
        assert_int_equal(lethe_retrieval_new(n_docs, start, at, 2, &r), LETHE_OK);
        assert_int_equal(lethe_search_new(r, &s), LETHE_OK);
        assert_int_equal(lethe_search_like(s, n_docs - 1, 7, &hits), LETHE_OK);
        assert_int_equal(hits.matching, n_docs - 1);
        assert_int_equal(hits.n, 7);
        uint32_t rare = (n_docs - 2 - 95) / 4000 + 1, next = 0; // then the lowest of the others
        for (uint32_t i = 0; i < 7; i++)
            assert_int_equal(hits.at[i].doc, i < rare ? i * 4000 + 95 : next++);
        for (uint32_t i = 1; i < 7; i++)
            assert_int_equal(hits.at[i].score == hits.at[i - 1].score, i != rare);
        lethe_search_free(s);
        lethe_retrieval_free(r);
    }
}

static lethe_err make_and_search(void)
{
    lethe_retrieval *r = NULL;
    lethe_search *s = NULL;
    lethe_hits hits;
    uint32_t bag[] = {0, 1, 2};
    lethe_err err = index_of(TEXTS("abc", "bcd", "a"), &r);
    if (err == LETHE_OK) err = lethe_search_new(r, &s);
    if (err == LETHE_OK) err = lethe_search_like(s, 0, 3, &hits);
    if (err == LETHE_OK) err = lethe_search_bag(s, bag, 3, 3, &hits);
    lethe_search_free(s);
    lethe_retrieval_free(r);
    return err;
}

static void lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_alloc_fail_at(n);
        err = make_and_search();
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
    }
    assert_true(n > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rare_terms_count_for_more),
        cmocka_unit_test(shorter_documents_come_first),
        cmocka_unit_test(repeated_terms_count),
        cmocka_unit_test(ties_go_to_the_lowest_number),
        cmocka_unit_test(what_shares_nothing_is_not_found),
        cmocka_unit_test(a_term_that_all_have_is_found),
        cmocka_unit_test(all_that_match_are_counted),
        cmocka_unit_test(the_score_is_that_of_the_formula),
        cmocka_unit_test(no_documents_at_all),
        cmocka_unit_test(blocks_of_documents_are_one_corpus),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
