/* SPDX-License-Identifier: Apache-2.0 */
/* J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", thesis, 2010: Example 5.4 and
 * Figure 5.2(a), Example 5.5 and Figure 5.4, pages 129 to 133; and the vectors ssg-01 to
 * ssg-14 made from them: distances of terms, and of all vocabularies of Figure 5.1(b) for three
 * epsilon and four omega. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/match/assignment.h"
#include "method/cluster/ssg/meaning.h"
#include "golden.h"

enum { MOST = 8 };

static lethe_meaning_asker *ask(const lethe_tree *t, uint32_t epsilon, lethe_meaning **m)
{
    uint32_t all[64];
    lethe_ctx *ctx = NULL;
    lethe_meaning_asker *a = NULL;
    assert_true(t->n <= 64);
    for (uint32_t v = 0; v < t->n; v++)
        all[v] = v;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    assert_int_equal(
        lethe_meaning_tree(ctx, t, &(lethe_meaning_terms){.at = all, .n = t->n}, epsilon, m),
        LETHE_OK);
    lethe_ctx_free(ctx);
    assert_int_equal(lethe_meaning_asker_new(*m, &a), LETHE_OK);
    return a;
}

static void terms_are_as_far_as_example_5_4_says(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-01"), *want = golden_object(v, "expected");
    lethe_tree *t = golden_tree(v);
    lethe_meaning *m = NULL;
    lethe_meaning_asker *a = ask(t, 100, &m);
    for (size_t i = 0; i < lethe_json_count(want); i++) {
        lethe_str pair = lethe_json_name(want, i); // Wine-Raw-milk: the first dash parts them
        size_t n = (size_t)((const char *)memchr(pair.at, '-', pair.n) - pair.at);
        uint32_t x = golden_node(v, t, (lethe_str){pair.at, n});
        uint32_t y = golden_node(v, t, (lethe_str){pair.at + n + 1, pair.n - n - 1});
        assert_int_equal(lethe_meaning_distance(a, x, y), lethe_json_int(lethe_json_at(want, i)));
    }
    assert_int_equal(lethe_json_count(want), 6);
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    // epsilon = 2: Wine and Vino are relevant, Wine and Jackets are not
    a = ask(t, 2, &m);
    uint32_t wine = golden_node(v, t, LETHE_LIT("Wine"));
    assert_int_equal(lethe_meaning_distance(a, wine, golden_node(v, t, LETHE_LIT("Vino"))), 2);
    assert_int_equal(lethe_meaning_distance(a, wine, golden_node(v, t, LETHE_LIT("Jackets"))),
                     LETHE_NONE);
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    lethe_tree_free(t);
    golden_close(&g);
}

/* --- vocabularies --- */

/* One vocabulary, in the order of the file, or backwards: a distance does not depend on it. */
static uint32_t terms_of(const lethe_json *v, const lethe_tree *t, const char *name, bool back,
                         uint32_t *out)
{
    char path[64];
    snprintf(path, sizeof path, "input.vocabularies.%s", name);
    const lethe_json *bag = golden_array(v, path);
    size_t n = lethe_json_count(bag);
    assert_true(n > 0 && n <= MOST);
    for (size_t i = 0; i < n; i++) {
        const lethe_json *term = lethe_json_at(bag, back ? n - 1 - i : i);
        out[i] = golden_node(v, t, lethe_json_text(term));
    }
    return (uint32_t)n;
}

static lethe_assign_omega omega_of(const lethe_json *v)
{
    const lethe_json *omega = golden_get(v, "parameters.omega");
    if (lethe_json_kind(omega) == LETHE_JSON_NULL)
        return (lethe_assign_omega){.kind = LETHE_ASSIGN_OMEGA_NONE};
    return (lethe_assign_omega){LETHE_ASSIGN_OMEGA_IS, (uint64_t)golden_int(v, "parameters.omega")};
}

typedef struct between {
    lethe_assign_matching exact, greedy;
    uint64_t price;
    lethe_assign_cost over; /* omega over any epsilon */
} between;

static between distance(const lethe_json *v, const lethe_tree *t, const char *x, const char *y,
                        bool back)
{
    uint32_t left[MOST], right[MOST], to[MOST], n_left = terms_of(v, t, x, false, left);
    uint32_t n_right = terms_of(v, t, y, back, right), epsilon;
    lethe_assign_pair pairs[MOST * MOST];
    lethe_assign_pairs p = {n_left, n_right, 0, pairs};
    lethe_meaning *m = NULL;
    lethe_assign_cost price;
    between d;
    bool within;
    epsilon = (uint32_t)golden_int(v, "parameters.eps");
    lethe_meaning_asker *a = ask(t, epsilon, &m);
    for (uint32_t l = 0; l < n_left; l++)
        for (uint32_t r = 0; r < n_right; r++) {
            uint32_t w = lethe_meaning_distance(a, left[l], right[r]);
            if (w != LETHE_NONE) pairs[p.n++] = (lethe_assign_pair){l, r, w};
        }
    lethe_assigner *work = lethe_assigner_new();
    assert_int_equal(lethe_assign(work, &p, omega_of(v), to, &d.exact), LETHE_OK);
    price = lethe_assign_cost_of(omega_of(v), n_left, n_right, d.exact);
    assert_int_equal(price.unmatched, 0);
    d.price = price.weight;
    assert_int_equal(
        lethe_assign_price(work, &p, omega_of(v), LETHE_ASSIGN_COST_ANY, &price, &within),
        LETHE_OK);
    assert_true(within && price.unmatched == 0 && price.weight == d.price);
    assert_int_equal(lethe_assign_price(work, &p,
                                        (lethe_assign_omega){.kind = LETHE_ASSIGN_OMEGA_OVER},
                                        LETHE_ASSIGN_COST_ANY, &d.over, &within),
                     LETHE_OK);
    assert_int_equal(lethe_assign_greedy(work, &p, to, &d.greedy), LETHE_OK);
    lethe_assigner_free(work);
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
    return d;
}

static void t1_and_t2_are_matched_as_in_figure_5_4(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    const lethe_json *v = golden_vector(&g, "ssg-02");
    lethe_tree *t = golden_tree(v);
    between d = distance(v, t, "t1", "t2", false);
    assert_int_equal(d.exact.matched, golden_int(v, "expected.matched"));
    assert_int_equal(d.price, golden_int(v, "expected.distance"));
    assert_int_equal(d.greedy.matched, 4);
    assert_int_equal(d.greedy.weight, 6);
    lethe_tree_free(t);
    golden_close(&g);
}

/* Symmetric, whatever the order of terms; and omega = 100 says what "over any epsilon" says. */
static void all_pairs_are_as_far_as_the_vectors_say(void **state)
{
    (void)state;
    golden g = golden_open("ssg");
    size_t n_checked = 0;
    for (int id = 3; id <= 14; id++) {
        char name[16];
        snprintf(name, sizeof name, "ssg-%02d", id);
        const lethe_json *v = golden_vector(&g, name), *want = golden_object(v, "expected");
        lethe_tree *t = golden_tree(v);
        for (size_t i = 0; i < lethe_json_count(want); i++, n_checked++) {
            lethe_str pair = lethe_json_name(want, i);
            assert_int_equal(pair.n, 5); // t1-t2
            char x[] = {'t', pair.at[1], 0}, y[] = {'t', pair.at[4], 0};
            int64_t distance_wanted = lethe_json_int(lethe_json_at(want, i));
            for (int turn = 0; turn < 4; turn++) {
                between d = distance(v, t, turn & 1 ? y : x, turn & 1 ? x : y, turn & 2);
                if ((int64_t)d.price != distance_wanted)
                    fail_msg("%s: %.*s is %llu", name, (int)pair.n, pair.at,
                             (unsigned long long)d.price);
                if (omega_of(v).kind == LETHE_ASSIGN_OMEGA_NONE) continue;
                if (omega_of(v).value != 100) continue;
                assert_int_equal(100 * d.over.unmatched + d.over.weight, distance_wanted);
            }
        }
        lethe_tree_free(t);
    }
    assert_int_equal(n_checked, 12 * 10);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_as_far_as_example_5_4_says),
        cmocka_unit_test(t1_and_t2_are_matched_as_in_figure_5_4),
        cmocka_unit_test(all_pairs_are_as_far_as_the_vectors_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
