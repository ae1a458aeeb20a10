/* SPDX-License-Identifier: Apache-2.0 */
/* Adar, "User 4XXXXX9: Anonymizing Query Logs", section 6: its examples of similar queries, and
 * personas worked out by hand (golden adar-07 to adar-12). */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/log/similar.h"
#include "golden.h"
#include "text/distance.h"

#define EDIT 0.2
#define OVERLAP 0.5

/* adar-07 to adar-10: distances as exact fractions, and the decision, in both orders. */
static void the_papers_pairs_are_judged_as_it_says(void **state)
{
    (void)state;
    golden g = golden_open("adar");
    for (int i = 7; i <= 10; i++) {
        char id[16];
        snprintf(id, sizeof id, "adar-%02d", i);
        const lethe_json *v = golden_vector(&g, id);
        lethe_str a = golden_text(v, "input.a"), b = golden_text(v, "input.b");
        lethe_distance_scratch tmp = {0};
        uint32_t d, common, all, index, first;
        assert_int_equal(lethe_levenshtein(a, b, UINT32_MAX, &tmp, &d), LETHE_OK);
        golden_expect(v, "levenshtein", golden_fraction(v, "expected.normalised_levenshtein"),
                      fraction_of(d, (int64_t)LETHE_MAX(a.n, b.n)));
        assert_int_equal(lethe_jaccard(a, b, &tmp, &common, &all), LETHE_OK);
        golden_expect(v, "jaccard", golden_fraction(v, "expected.jaccard"),
                      fraction_of(common, all));
        bool want = lethe_json_bool(golden_get(v, "expected.similar"));
        for (int turn = 0; turn < 2; turn++) {
            lethe_similar *s = lethe_similar_new(EDIT, OVERLAP);
            assert_int_equal(lethe_similar_add(s, turn ? b : a, NULL, 0, &index, &first), LETHE_OK);
            assert_int_equal(lethe_similar_add(s, turn ? a : b, NULL, 0, &index, &first), LETHE_OK);
            if ((first == 0) != want) fail_msg("%s: similar is wrong", id);
            lethe_similar_free(s);
        }
        lethe_distance_scratch_free(&tmp);
    }
    golden_close(&g);
}

/* Results of a query, numbered by the dictionary. */
static size_t results_of(const lethe_json *v, lethe_dict *urls, lethe_str query, uint64_t *out)
{
    const lethe_json *all = golden_object(v, "input.results");
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        const lethe_json *list = lethe_json_at(all, i);
        if (!lethe_str_eq(lethe_json_name(all, i), query)) continue;
        for (size_t k = 0; k < lethe_json_count(list); k++) {
            uint32_t id;
            assert_int_equal(lethe_dict_add(urls, lethe_json_text(lethe_json_at(list, k)), &id),
                             LETHE_OK);
            out[k] = id;
        }
        return lethe_json_count(list);
    }
    return 0;
}

/* adar-11, adar-12: the first earlier similar query wins, a new persona only where none is (E20).
 */
static void personas_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    static const char *const ids[] = {"adar-11", "adar-12"};
    golden g = golden_open("adar");
    for (size_t t = 0; t < LETHE_COUNT(ids); t++) {
        const lethe_json *v = golden_vector(&g, ids[t]),
                         *queries = golden_array(v, "input.queries");
        const lethe_json *want = golden_array(v, "expected.ids");
        int64_t persona[64], n_personas = 0;
        lethe_similar *s = lethe_similar_new(EDIT, OVERLAP);
        lethe_dict *urls = lethe_dict_new();
        assert_int_equal(lethe_json_count(queries), lethe_json_count(want));
        for (size_t i = 0; i < lethe_json_count(queries); i++) {
            lethe_str query = lethe_json_text(lethe_json_at(queries, i));
            uint64_t results[8];
            uint32_t index, first;
            size_t n = results_of(v, urls, query, results);
            assert_int_equal(lethe_similar_add(s, query, results, n, &index, &first), LETHE_OK);
            if (first != index)
                persona[index] = first == LETHE_NONE ? n_personas++ : persona[first];
            assert_int_equal(persona[index], lethe_json_int(lethe_json_at(want, i)));
        }
        lethe_dict_free(urls);
        lethe_similar_free(s);
    }
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_pairs_are_judged_as_it_says),
        cmocka_unit_test(personas_are_those_worked_out_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
