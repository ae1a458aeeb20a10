/* SPDX-License-Identifier: Apache-2.0 */
/* A. Erola and others, "Semantic microaggregation for the anonymization of query logs using the
 * Open Directory Project", 2011: the vectors odp-01 to odp-04 and odp-11 made from Algorithms 1 to
 * 4: what users have in common, and their groups. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "erola_literal.h"
#include "core/dict.h"
#include "golden.h"

enum { USERS = 7, MOST = 64 };

/* The category of a path's first `level` parts; new ones get the next number. */
static uint32_t category_of(lethe_dict *d, const lethe_json *path, size_t level)
{
    char name[256];
    size_t n = 0;
    uint32_t id;
    for (size_t i = 0; i < level; i++) {
        lethe_str part = lethe_json_text(lethe_json_at(path, i));
        n += (size_t)snprintf(name + n, sizeof name - n, "/%.*s", (int)part.n, part.at);
    }
    assert_int_equal(lethe_dict_add(d, (lethe_str){name, n}, &id), LETHE_OK);
    assert_true(id < MOST);
    return id;
}

/* Algorithm 1: every occurrence of a term counts at each of its categories' levels. */
static void count_term(const lethe_json *v, lethe_dict *d, lethe_str term, uint32_t user,
                       const c_table *t)
{
    char at[64];
    snprintf(at, sizeof at, "input.categories.%.*s", (int)term.n, term.at);
    const lethe_json *paths = golden_array(v, at);
    size_t levels = (size_t)golden_int(v, "parameters.L");
    for (size_t i = 0; i < lethe_json_count(paths); i++) {
        const lethe_json *path = lethe_json_at(paths, i);
        for (size_t l = 1; l <= levels && l <= lethe_json_count(path); l++)
            ++*c_at(t, user, category_of(d, path, l));
    }
}

static lethe_microagg_interests read_users(const lethe_json *v)
{
    const lethe_json *users = golden_object(v, "input.users");
    c_table t = c_table_new(USERS, MOST);
    lethe_dict *d = lethe_dict_new();
    assert_non_null(d);
    assert_int_equal(lethe_json_count(users), USERS);
    for (uint32_t u = 0; u < USERS; u++) {
        const lethe_json *terms = lethe_json_at(users, u);
        for (size_t i = 0; i < lethe_json_count(terms); i++)
            count_term(v, d, lethe_json_text(lethe_json_at(terms, i)), u, &t);
    }
    lethe_dict_free(d);
    lethe_microagg_interests of = c_interests(&t);
    free(t.count);
    return of;
}

/* u1 is user 0. */
static uint32_t user_of(lethe_str name)
{
    assert_true(name.n == 2 && name.at[0] == 'u' && name.at[1] >= '1' && name.at[1] <= '7');
    return (uint32_t)(name.at[1] - '1');
}

static void what_users_have_in_common(void **state)
{
    (void)state;
    golden g = golden_open("odp");
    for (int id = 1; id <= 3; id++) {
        char name[16];
        snprintf(name, sizeof name, "odp-%02d", id);
        const lethe_json *v = golden_vector(&g, name), *want = golden_object(v, "expected");
        lethe_microagg_interests of = read_users(v);
        assert_int_equal(lethe_json_count(want), USERS * (USERS - 1) / 2);
        for (size_t i = 0; i < lethe_json_count(want); i++) {
            lethe_str pair = lethe_json_name(want, i);
            assert_int_equal(pair.n, 5);
            uint32_t a = user_of((lethe_str){pair.at, 2});
            uint32_t b = user_of((lethe_str){pair.at + 3, 2});
            fraction common = fraction_of(lethe_json_int(lethe_json_at(want, i)), 1);
            golden_expect(v, pair.at, common,
                          fraction_of((int64_t)lethe_microagg_common(&of, a, b), 1));
            golden_expect(v, pair.at, common,
                          fraction_of((int64_t)lethe_microagg_common(&of, b, a), 1));
        }
        c_interests_free(&of);
    }
    golden_close(&g);
}

static void groups_are_those_of_the_paper(void **state)
{
    static const char *const ids[] = {"odp-04", "odp-11"};
    lethe_settings set = {.n_threads = 2};
    lethe_ctx *ctx = NULL;
    (void)state;
    golden g = golden_open("odp");
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    for (size_t id = 0; id < LETHE_COUNT(ids); id++) {
        const lethe_json *v = golden_vector(&g, ids[id]);
        const lethe_json *clusters = golden_array(v, "expected.clusters");
        lethe_microagg_interests of = read_users(v);
        lethe_microagg_groups got = {0};
        uint32_t n = 0;
        assert_int_equal(
            lethe_microagg_groups_find(ctx, &of, (uint32_t)golden_int(v, "parameters.k"), &got),
            LETHE_OK);
        assert_int_equal(got.n, lethe_json_count(clusters));
        for (size_t c = 0; c < lethe_json_count(clusters); c++) { // in any order
            const lethe_json *members = lethe_json_at(clusters, c);
            uint32_t group = got.group[user_of(lethe_json_text(lethe_json_at(members, 0)))],
                     size = 0;
            for (size_t i = 0; i < lethe_json_count(members); i++)
                assert_int_equal(got.group[user_of(lethe_json_text(lethe_json_at(members, i)))],
                                 group);
            for (uint32_t u = 0; u < USERS; u++)
                size += got.group[u] == group;
            assert_int_equal(size, lethe_json_count(members));
            n += size;
        }
        assert_int_equal(n, USERS);
        lethe_microagg_groups_free(&got);
        c_interests_free(&of);
    }
    lethe_ctx_free(ctx);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_users_have_in_common),
        cmocka_unit_test(groups_are_those_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
