/* SPDX-License-Identifier: Apache-2.0 */
/* B. Poblete, M. Spiliopoulou and R. Baeza-Yates, "Website Privacy Preservation for Query Log
 * Publishing", 2007, section 7.4: Definition 1, the heuristic, Methods 1 to 3, Figure 7.2: the
 * vectors of graph.json but for the best set (test_graph_best.c). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/click_ranking.h"
#include "core/dict.h"
#include "golden.h"

enum { MOST = 64, VECTORS = 37, BEST = 1 };

typedef struct paper_log {
    lethe_dict *name; /* queries, in the order of the input */
    lethe_click_graph *graph;
    uint64_t frequency[MOST], clicks[MOST];
    uint32_t n;
} paper_log;

static paper_log read_log(const lethe_json *v)
{
    const lethe_json *queries = golden_object(v, "input.queries");
    paper_log log = {.name = lethe_dict_new(), .n = (uint32_t)lethe_json_count(queries)};
    lethe_dict *urls = lethe_dict_new();
    lethe_click click[MOST * MOST];
    size_t n = 0;
    assert_true(log.name && urls && log.n > 0 && log.n <= MOST);
    for (uint32_t q = 0; q < log.n; q++) {
        const lethe_json *query = lethe_json_at(queries, q);
        const lethe_json *of = golden_array(query, "urls");
        uint32_t id;
        assert_int_equal(lethe_dict_add(log.name, lethe_json_name(queries, q), &id), LETHE_OK);
        assert_int_equal(id, q);
        log.frequency[q] = (uint64_t)golden_int(query, "freq");
        log.clicks[q] = (uint64_t)golden_int(query, "clicks");
        for (size_t i = 0; i < lethe_json_count(of); i++, n++) {
            lethe_str url = lethe_json_text(lethe_json_at(of, i));
            assert_true(n < LETHE_COUNT(click));
            click[n].query = q;
            assert_int_equal(lethe_dict_add(urls, url, &click[n].url), LETHE_OK);
        }
    }
    assert_int_equal(lethe_click_graph_new(click, n, log.n, lethe_dict_count(urls), &log.graph),
                     LETHE_OK);
    lethe_dict_free(urls);
    return log;
}

static void free_log(paper_log *log)
{
    lethe_dict_free(log->name);
    lethe_click_graph_free(log->graph);
}

static fraction density_of(uint64_t edges, uint64_t n)
{
    return n < 2 ? fraction_of(0, 1) : fraction_of((int64_t)(2 * edges), (int64_t)(n * (n - 1)));
}

/* "edges" is a number, or a list of pairs, which Definition 1 gives for each two queries. */
static void expect_edges(const lethe_json *v, const paper_log *log, uint64_t got)
{
    const lethe_json *want = golden_find(v, "expected.edges");
    if (!want) return;
    if (lethe_json_kind(want) == LETHE_JSON_INT) {
        assert_int_equal(got, lethe_json_int(want));
        return;
    }
    bool joined[MOST][MOST] = {{false}};
    assert_int_equal(got, lethe_json_count(want));
    for (size_t i = 0; i < lethe_json_count(want); i++) {
        const lethe_json *pair = lethe_json_at(want, i);
        uint32_t a = lethe_dict_find(log->name, lethe_json_text(lethe_json_at(pair, 0)));
        uint32_t b = lethe_dict_find(log->name, lethe_json_text(lethe_json_at(pair, 1)));
        assert_true(a < log->n && b < log->n);
        joined[a][b] = joined[b][a] = true;
    }
    const lethe_click_graph *g = log->graph;
    for (uint32_t a = 0; a < log->n; a++) {
        for (uint32_t b = 0; b < log->n; b++) {
            uint32_t s = g->class_of[a], t = g->class_of[b];
            bool shared = false;
            for (uint64_t i = g->url_start[s]; i < g->url_start[s + 1]; i++)
                for (uint64_t k = g->url_start[t]; k < g->url_start[t + 1]; k++)
                    shared = shared || (a != b && g->url[i] == g->url[k]);
            assert_int_equal(shared, joined[a][b]);
        }
    }
}

static void expect_removals(const lethe_json *v, const paper_log *log,
                            const lethe_click_ranking *got)
{
    const lethe_json *want = golden_find(v, "expected.removed_in_order");
    bool gone[MOST] = {false};
    if (!want) return;
    if (got->n_removed != lethe_json_count(want)) fail_msg("%.*s: too few or many", GOLDEN_ID(v));
    for (uint32_t i = 0; i < got->n_removed; i++) {
        if (!lethe_str_eq(lethe_dict_at(log->name, got->removed[i]),
                          lethe_json_text(lethe_json_at(want, i))))
            fail_msg("%.*s: removal %u is another query", GOLDEN_ID(v), i);
        gone[got->removed[i]] = true;
    }
    const lethe_json *kept = golden_array(v, "expected.kept");
    assert_int_equal(lethe_json_count(kept), log->n - got->n_removed);
    for (size_t i = 0; i < lethe_json_count(kept); i++) {
        uint32_t q = lethe_dict_find(log->name, lethe_json_text(lethe_json_at(kept, i)));
        assert_true(q < log->n && !gone[q]);
    }
    if (golden_find(v, "expected.nodes_kept"))
        assert_int_equal(golden_int(v, "expected.nodes_kept"), log->n - got->n_removed);
}

static void expect_trace(const lethe_json *v, const paper_log *log, const lethe_click_ranking *got)
{
    const lethe_json *trace = golden_find(v, "expected.trace");
    if (!trace) return;
    assert_int_equal(lethe_json_count(trace), got->n_removed + 1);
    for (uint32_t i = 0; i <= got->n_removed; i++) {
        char at[64];
        snprintf(at, sizeof at, "expected.trace.%u.n", i);
        assert_int_equal(golden_int(v, at), log->n - i);
        snprintf(at, sizeof at, "expected.trace.%u.edges", i);
        assert_int_equal(golden_int(v, at), got->edges[i]);
        snprintf(at, sizeof at, "expected.trace.%u.density", i);
        golden_expect(v, at, golden_fraction(v, at), density_of(got->edges[i], log->n - i));
    }
}

static void check_vector(lethe_ctx *ctx, const lethe_json *v, uint32_t hub)
{
    paper_log log = read_log(v);
    lethe_click_ranking_options how = {.graph = log.graph, .hub = hub};
    lethe_click_ranking got;
    int64_t method = golden_find(v, "parameters.method") ? golden_int(v, "parameters.method") : 1;
    assert_in_range(method, 1, 3);
    if (method > 1) how.weight = method == 2 ? log.frequency : log.clicks;
    if (golden_find(v, "parameters.threshold")) {
        fraction f = golden_fraction(v, "parameters.threshold");
        how.density = (double)f.num / (double)f.den;
    }
    assert_int_equal(lethe_click_rank(ctx, &how, &got), LETHE_OK);
    expect_edges(v, &log, got.edges[0]);
    if (golden_find(v, "expected.density"))
        golden_expect(v, "density", golden_fraction(v, "expected.density"),
                      density_of(got.edges[0], log.n));
    expect_removals(v, &log, &got);
    expect_trace(v, &log, &got);
    lethe_click_ranking_free(&got);
    free_log(&log);
}

static void graphs_are_disconnected_as_the_paper_does(void **state)
{
    lethe_settings set = {.n_threads = 2};
    lethe_ctx *ctx = NULL;
    size_t checked = 0;
    (void)state;
    golden g = golden_open("graph");
    assert_int_equal(lethe_ctx_new(&set, &ctx), LETHE_OK);
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        if (golden_find(v, "expected.max_cardinality")) continue;
        for (uint32_t hub = 0; hub < 4; hub++)
            check_vector(ctx, v, hub);
        checked++;
    }
    assert_int_equal(g.n, VECTORS);
    assert_int_equal(checked, VECTORS - BEST);
    lethe_ctx_free(ctx);
    golden_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_disconnected_as_the_paper_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
