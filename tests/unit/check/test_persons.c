/* SPDX-License-Identifier: Apache-2.0 */
/* Persons behind queries, against counting by hand: every pair of rows is looked at. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "check/check.h"
#include "check/persons.h"
#include "core/mem.h"
#include "log_oracle.h"

typedef struct pair {
    char query[40], owner[64];
} pair;

/* A notion for tests: `t` persons for every query but those that begin with '!', which need `t` and
 * one. */
static uint64_t needs(const lethe_json *claim, lethe_str query)
{
    return (uint64_t)lethe_json_int(lethe_json_get(claim, "t")) +
           (query.n > 0 && query.at[0] == '!');
}
static const lethe_notion test_notion = {.name = "test", .persons = needs};

static lethe_json *claim_of(lethe_json_doc *doc, int64_t t)
{
    lethe_json *claim = lethe_json_object(doc);
    lethe_json_set(doc, claim, "notion", lethe_json_new_text(doc, LETHE_LIT("query-threshold")));
    lethe_json_set(doc, claim, "t", lethe_json_new_int(doc, t));
    lethe_json_set(doc, claim, "by", lethe_json_new_text(doc, LETHE_LIT("users")));
    return claim;
}

typedef struct putting {
    lethe_persons *p;
    const pair *at;
} putting;

static lethe_err put_one(void *arg, size_t i, unsigned w)
{
    const putting *all = arg;
    return lethe_persons_put(all->p, w, lethe_str_of(all->at[i].query),
                             lethe_str_of(all->at[i].owner));
}

static lethe_err ask(lethe_ctx *ctx, const pair *at, size_t n, const lethe_notion *notion,
                     const lethe_json *claim, lethe_json_doc *doc, bool *holds, lethe_json **why)
{
    putting all = {.at = at};
    LETHE_TRY(lethe_persons_new(ctx, 1 << 20, &all.p));
    lethe_err e = lethe_pool_for(ctx, n, put_one, &all);
    if (e == LETHE_OK) e = lethe_persons_check(all.p, notion, claim, doc, holds, why);
    lethe_persons_free(all.p);
    return e;
}

static size_t owners_of(const pair *at, size_t n, const char *query)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        bool first = strcmp(at[i].query, query) == 0;
        for (size_t j = 0; first && j < i; j++)
            first = strcmp(at[j].query, query) != 0 || strcmp(at[j].owner, at[i].owner) != 0;
        found += first;
    }
    return found;
}

/* The least query in order of bytes with too few owners; NULL: there is none. */
static const char *least_broken(const pair *at, size_t n, size_t t)
{
    const char *least = NULL;
    for (size_t i = 0; i < n; i++)
        if (owners_of(at, n, at[i].query) < t + (at[i].query[0] == '!') &&
            (!least || strcmp(at[i].query, least) < 0))
            least = at[i].query;
    return least;
}

static void compare(lethe_ctx *ctx, const pair *at, size_t n, size_t t, uint64_t seed)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *why = NULL;
    bool holds = false;
    if (ask(ctx, at, n, &test_notion, claim_of(doc, (int64_t)t), doc, &holds, &why) != LETHE_OK)
        fail_msg("seed %llu: failed", (unsigned long long)seed);
    const char *want = least_broken(at, n, t);
    if (holds != !want) fail_msg("seed %llu: holds is %d", (unsigned long long)seed, holds);
    if (want) {
        lethe_str query = lethe_json_text(lethe_json_get(why, "query"));
        if (!lethe_str_eq(query, lethe_str_of(want)))
            fail_msg("seed %llu: '%.*s' and not '%s'", (unsigned long long)seed, (int)query.n,
                     query.at, want);
        assert_int_equal(lethe_json_int(lethe_json_get(why, "persons")), owners_of(at, n, want));
        assert_int_equal(lethe_json_int(lethe_json_get(why, "needed")), t + (want[0] == '!'));
    } else {
        assert_null(why);
    }
    lethe_json_doc_free(doc);
}

static void random_rows_as_counted_by_hand(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    static const char *const prefixes[] = {"", "!", "a", "ab", "\xc3\xa9"};
    for (size_t k = 0; k < LETHE_COUNT(threads); k++) {
        lethe_ctx *ctx = o_ctx(threads[k], 64 << 20);
        for (uint64_t seed = 1; seed <= 700; seed++) {
            uint64_t s = seed * 2654435761u + k;
            pair at[60];
            size_t n = o_below(&s, 60), n_queries = 1 + o_below(&s, 9),
                   n_owners = 1 + o_below(&s, 6);
            for (size_t i = 0; i < n; i++) {
                // an owner's name may begin with another's, and a query with another query
                size_t q = o_below(&s, n_queries), o = o_below(&s, n_owners);
                snprintf(at[i].query, sizeof at[i].query, "%s%zu",
                         prefixes[q % LETHE_COUNT(prefixes)], q);
                snprintf(at[i].owner, sizeof at[i].owner, "%.*s", (int)(o + 1), "1111111111");
            }
            compare(ctx, at, n, 1 + o_below(&s, 4), seed);
        }
        lethe_ctx_free(ctx);
    }
}

static void no_row_breaks_no_promise(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    compare(ctx, NULL, 0, 5, 0);
    lethe_ctx_free(ctx);
}

/* What the bytes cannot show: three users, one person. */
static void personas_are_one_person(void **state)
{
    (void)state;
    static const pair rows[] = {
        {"maps", "ann"}, {"maps", "ann"}, {"maps", "ann"}, {"news", "ann"}, {"news", "bob"}};
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *why = NULL;
    bool holds = true;
    assert_int_equal(ask(ctx, rows, LETHE_COUNT(rows), &lethe_notion_query_threshold,
                         claim_of(doc, 2), doc, &holds, &why),
                     LETHE_OK);
    assert_false(holds);
    assert_true(lethe_str_eq(lethe_json_text(lethe_json_get(why, "query")), LETHE_LIT("maps")));
    assert_int_equal(lethe_json_int(lethe_json_get(why, "persons")), 1);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* The notion itself says what counts: hashes may be exempt, queries and rows are not persons, and a
 * claim that it cannot read is kept by nobody. */
static void the_notion_says_how_many(void **state)
{
    (void)state;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *claim = claim_of(doc, 4);
    uint64_t (*persons)(const lethe_json *, lethe_str) = lethe_notion_query_threshold.persons;
    lethe_str hash = LETHE_LIT("#0123456789abcdef0123456789abcdef");
    assert_int_equal(persons(claim, LETHE_LIT("maps")), 4);
    assert_int_equal(persons(claim, hash), 4);
    lethe_json_set(doc, claim, "rare", lethe_json_new_text(doc, LETHE_LIT("hash")));
    assert_int_equal(persons(claim, LETHE_LIT("maps")), 4);
    assert_int_equal(persons(claim, hash), 0);
    lethe_json_set(doc, claim, "by", lethe_json_new_text(doc, LETHE_LIT("rows")));
    assert_int_equal(persons(claim, LETHE_LIT("maps")), 0);
    lethe_json_set(doc, claim, "by", lethe_json_new_text(doc, LETHE_LIT("nothing")));
    assert_true(persons(claim, LETHE_LIT("maps")) == UINT64_MAX);
    assert_true(persons(NULL, LETHE_LIT("maps")) == UINT64_MAX);
    lethe_json_doc_free(doc);
}

static void long_queries_and_empty_owners(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_persons *p;
    lethe_json *why = NULL;
    bool holds = false;
    size_t n = 300000;
    char *text = malloc(n);
    memset(text, 'x', n);
    assert_int_equal(lethe_persons_new(ctx, 1 << 20, &p), LETHE_OK);
    assert_int_equal(lethe_persons_put(p, 0, (lethe_str){text, n}, LETHE_LIT("")), LETHE_OK);
    assert_int_equal(lethe_persons_put(p, 1, (lethe_str){text, n}, LETHE_LIT("b")), LETHE_OK);
    assert_int_equal(lethe_persons_put(p, 0, (lethe_str){text, n - 1}, LETHE_LIT("b")), LETHE_OK);
    assert_int_equal(lethe_persons_put(p, 0, LETHE_LIT(""), LETHE_LIT("a")), LETHE_OK);
    assert_int_equal(lethe_persons_put(p, 0, LETHE_LIT(""), LETHE_LIT("b")), LETHE_OK);
    assert_int_equal(lethe_persons_check(p, &test_notion, claim_of(doc, 2), doc, &holds, &why),
                     LETHE_OK);
    assert_false(holds); // the one that is a byte shorter
    assert_int_equal(lethe_json_text(lethe_json_get(why, "query")).n, n - 1);
    lethe_persons_free(p);
    lethe_persons_free(NULL);
    free(text);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void every_failing_allocation_is_an_error(void **state)
{
    (void)state;
    static const pair rows[] = {
        {"maps", "ann"}, {"maps", "bob"}, {"news", "ann"}, {"news", "bob"}, {"maps", "ann"}};
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_ctx *ctx = o_ctx(1, 64 << 20);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *claim = claim_of(doc, 2), *why = NULL;
        bool holds = false;
        lethe_alloc_fail_at(n);
        e = ask(ctx, rows, LETHE_COUNT(rows), &test_notion, claim, doc, &holds, &why);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK && e != LETHE_ENOMEM)
            fail_msg("allocation %llu: %s", (unsigned long long)n, lethe_err_name(e));
        if (e == LETHE_OK) assert_true(holds);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
        assert_true(n < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows_as_counted_by_hand),
        cmocka_unit_test(no_row_breaks_no_promise),
        cmocka_unit_test(personas_are_one_person),
        cmocka_unit_test(the_notion_says_how_many),
        cmocka_unit_test(long_queries_and_empty_owners),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
