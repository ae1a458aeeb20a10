/* SPDX-License-Identifier: Apache-2.0 */
/* The exhaustive optima of tests/data/golden/graph.json, and on every other click graph of it the
 * sets that the three rankings keep: the heaviest set is no lighter than any of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/independent/independent.h"
#include "core/dict.h"
#include "core/mem.h"
#include "golden.h"

enum { MOST = 256, WEIGHTS = 3 };
static const char *const weight_name[WEIGHTS] = {NULL, "freq", "clicks"}; /* NULL: 1 each */

typedef struct input {
    const lethe_json *queries;
    uint32_t n, n_urls;
    lethe_click click[MOST * 8];
    size_t n_clicks;
    lethe_str url[MOST];
    uint64_t weight[WEIGHTS][MOST];
    lethe_click_graph *g;
} input;

static uint32_t number_of(input *in, lethe_str url)
{
    uint32_t u = 0;
    while (u < in->n_urls && !lethe_str_eq(in->url[u], url))
        u++;
    assert_true(u < MOST);
    if (u == in->n_urls) in->url[in->n_urls++] = url;
    return u;
}

static void load(const lethe_json *v, input *in)
{
    *in = (input){.queries = golden_object(v, "input.queries")};
    in->n = (uint32_t)lethe_json_count(in->queries);
    assert_true(in->n <= MOST);
    for (uint32_t q = 0; q < in->n; q++) {
        const lethe_json *one = lethe_json_at(in->queries, q), *urls = lethe_json_get(one, "urls");
        for (size_t i = 0; i < lethe_json_count(urls); i++) {
            assert_true(in->n_clicks < LETHE_COUNT(in->click));
            in->click[in->n_clicks++] =
                (lethe_click){q, number_of(in, lethe_json_text(lethe_json_at(urls, i)))};
        }
        for (int w = 0; w < WEIGHTS; w++) {
            const lethe_json *x = weight_name[w] ? lethe_json_get(one, weight_name[w]) : NULL;
            in->weight[w][q] = x ? (uint64_t)lethe_json_int(x) : 1;
        }
    }
    assert_int_equal(lethe_click_graph_new(in->click, in->n_clicks, in->n, in->n_urls, &in->g),
                     LETHE_OK);
}

static uint32_t query_of(const input *in, lethe_str name)
{
    for (uint32_t q = 0; q < in->n; q++)
        if (lethe_str_eq(lethe_json_name(in->queries, q), name)) return q;
    fail_msg("no query '%.*s'", (int)name.n, name.at);
    return 0;
}

static lethe_independent best(lethe_ctx *ctx, const input *in, int weight)
{
    lethe_independent s;
    assert_int_equal(lethe_independent_find(ctx, in->g, in->weight[weight], NULL, 0, &s), LETHE_OK);
    assert_int_equal(s.exact, s.components);
    return s;
}

static lethe_ctx *context(void)
{
    lethe_ctx *ctx = NULL;
    lethe_settings set = {.n_threads = 1};
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    return ctx;
}

static void expect_optimum(lethe_ctx *ctx, const lethe_json *v, const input *in)
{
    lethe_independent s = best(ctx, in, 0);
    golden_expect(v, "cardinality", golden_fraction(v, "expected.max_cardinality"),
                  fraction_of((int64_t)s.weight, 1));
    lethe_independent_free(&s);
    s = best(ctx, in, 1);
    golden_expect(v, "frequency", golden_fraction(v, "expected.max_total_frequency"),
                  fraction_of((int64_t)s.weight, 1));
    const lethe_json *want = golden_array(v, "expected.best_frequency_set");
    uint64_t sum = 0;
    for (size_t i = 0; i < lethe_json_count(want); i++) {
        uint32_t q = query_of(in, lethe_json_text(lethe_json_at(want, i)));
        if (!s.kept[q]) fail_msg("%.*s: query %u is not kept", GOLDEN_ID(v), q);
        sum += in->weight[1][q];
    }
    assert_int_equal(sum, s.weight);
    lethe_independent_free(&s);
}

/* What a ranking keeps, as a start: of each weight the heaviest is no lighter, start or none. */
static void expect_no_lighter(lethe_ctx *ctx, const lethe_json *v, const input *in)
{
    const lethe_json *kept = golden_array(v, "expected.kept");
    uint8_t in_start[MOST] = {0};
    const uint8_t *start[] = {in_start};
    for (size_t i = 0; i < lethe_json_count(kept); i++)
        in_start[query_of(in, lethe_json_text(lethe_json_at(kept, i)))] = 1;
    for (int w = 0; w < WEIGHTS; w++) {
        uint64_t least = 0;
        for (uint32_t q = 0; q < in->n; q++)
            least += in_start[q] ? in->weight[w][q] : 0;
        lethe_independent s = best(ctx, in, w), t;
        assert_int_equal(lethe_independent_find(ctx, in->g, in->weight[w], start, 1, &t), LETHE_OK);
        if (s.weight < least) fail_msg("%.*s: lighter than the ranking", GOLDEN_ID(v));
        assert_int_equal(s.weight, t.weight);
        lethe_independent_free(&s);
        lethe_independent_free(&t);
    }
}

static void all_vectors_are_met(void **state)
{
    (void)state;
    golden g = golden_open("graph");
    lethe_ctx *ctx = context();
    size_t optima = 0, rankings = 0;
    static input in;
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        load(v, &in);
        if (golden_find(v, "expected.max_cardinality")) {
            expect_optimum(ctx, v, &in);
            optima++;
        } else if (golden_find(v, "expected.kept") && !golden_find(v, "parameters.threshold")) {
            expect_no_lighter(ctx, v, &in);
            rankings++;
        }
        lethe_click_graph_free(in.g);
    }
    assert_true(optima > 0);
    assert_true(rankings > 30);
    lethe_ctx_free(ctx);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_vectors_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
