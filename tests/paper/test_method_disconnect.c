/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of graph.json through whole releases, as far as a log can hold them: a query of
 * frequency f and c clicks is asked in f seconds and clicked in c rows, which must be as many as it
 * has URLs.  The others are in test_graph.c and test_graph_best.c. */
/* suite: threads */
#include "disconnect_harness.h"
#include "golden.h"

enum { VECTORS = 37, MOST = 64 };

static bool fits_in_a_log(const lethe_json *v)
{
    const lethe_json *queries = golden_object(v, "input.queries");
    for (size_t i = 0; i < lethe_json_count(queries); i++) {
        const lethe_json *q = lethe_json_at(queries, i);
        if (golden_int(q, "clicks") < (int64_t)lethe_json_count(golden_array(q, "urls")))
            return false;
        if (golden_int(q, "freq") < 1) return false;
    }
    return true;
}

/* A query's clicks go round its URLs, in the last second where there are more of them. */
static void write_query(FILE *f, lethe_str name, const lethe_json *q)
{
    int64_t frequency = golden_int(q, "freq"), clicks = golden_int(q, "clicks");
    const lethe_json *urls = golden_array(q, "urls");
    for (int64_t i = 0; i < frequency || i < clicks; i++) {
        int64_t second = i < frequency ? i : frequency - 1;
        lethe_str url = {"", 0};
        if (i < clicks)
            url = lethe_json_text(lethe_json_at(urls, (size_t)i % lethe_json_count(urls)));
        fprintf(f, "user\t%.*s\t2006-03-01 10:%02d:%02d\t\t%.*s\n", (int)name.n, name.at,
                (int)second / 60, (int)second % 60, (int)url.n, url.at);
    }
}

static void write_log(const ground *g, const lethe_json *v)
{
    const lethe_json *queries = golden_object(v, "input.queries");
    FILE *f = fopen(g->log, "w");
    for (size_t i = 0; i < lethe_json_count(queries); i++)
        write_query(f, lethe_json_name(queries, i), lethe_json_at(queries, i));
    fclose(f);
}

static bool is_published(const made *m, lethe_str name)
{
    char field[64];
    snprintf(field, sizeof field, "\t%.*s\t", (int)name.n, name.at);
    return strstr(m->data, field) != NULL;
}

static void expect_kept(const lethe_json *v, const made *m)
{
    const lethe_json *queries = golden_object(v, "input.queries"),
                     *kept = golden_find(v, "expected.kept");
    size_t published = 0;
    if (!kept) return;
    for (size_t i = 0; i < lethe_json_count(queries); i++)
        published += is_published(m, lethe_json_name(queries, i));
    if (published != lethe_json_count(kept))
        fail_msg("%.*s: %zu are kept", GOLDEN_ID(v), published);
    for (size_t i = 0; i < lethe_json_count(kept); i++)
        if (!is_published(m, lethe_json_text(lethe_json_at(kept, i))))
            fail_msg("%.*s: one is not kept", GOLDEN_ID(v));
}

/* Densities are the nearest doubles of the paper's fractions. */
static double real_of(const lethe_json *v, const char *path)
{
    fraction f = golden_fraction(v, path);
    return (double)f.num / (double)f.den;
}

static void expect_figures(const lethe_json *v, const made *m)
{
    const lethe_json *trace = golden_find(v, "expected.trace"), *path = d_figure(m, "density_path"),
                     *removed = golden_find(v, "expected.removed_in_order");
    if (golden_find(v, "expected.density"))
        assert_true(lethe_json_real(d_figure(m, "density_before")) ==
                    real_of(v, "expected.density"));
    if (removed) assert_int_equal(d_removed(m, "removed", "graph"), lethe_json_count(removed));
    if (!trace) return;
    assert_int_equal(lethe_json_count(path), lethe_json_count(trace));
    for (size_t i = 0; i < lethe_json_count(trace); i++) {
        char at[64];
        snprintf(at, sizeof at, "expected.trace.%zu.density", i);
        assert_true(lethe_json_real(lethe_json_at(path, i)) == real_of(v, at));
    }
}

static void check_ranking(ground *g, const lethe_json *v)
{
    static const char *const ranks[] = {"degree", "frequency", "clicks"};
    int64_t method = golden_find(v, "parameters.method") ? golden_int(v, "parameters.method") : 1;
    char options[128];
    double density =
        golden_find(v, "parameters.threshold") ? real_of(v, "parameters.threshold") : 0;
    assert_in_range(method, 1, 3);
    snprintf(options, sizeof options, "keep-vulnerable=1 rank=%s density=%.17g", ranks[method - 1],
             density);
    made m = d_one(g, options, (how){.urls = LETHE_URLS_KEEP});
    if (m.err != LETHE_OK) fail_msg("%.*s: %s", GOLDEN_ID(v), g->said);
    expect_kept(v, &m);
    expect_figures(v, &m);
    d_gone(g, &m);
}

/* The greatest number of queries, and the greatest frequency together. */
static void check_best(ground *g, const lethe_json *v)
{
    const lethe_json *queries = golden_object(v, "input.queries"),
                     *best = golden_array(v, "expected.best_frequency_set");
    made m = d_one(g, "keep-vulnerable=1 rank=best weight=queries", (how){.urls = LETHE_URLS_ID});
    assert_int_equal(m.err, LETHE_OK);
    assert_int_equal((int64_t)lethe_json_count(queries) - d_removed(&m, "removed", "graph"),
                     golden_int(v, "expected.max_cardinality"));
    d_gone(g, &m);
    m = d_one(g, "keep-vulnerable=1 rank=best", (how){.urls = LETHE_URLS_ID});
    assert_int_equal(m.err, LETHE_OK);
    int64_t volume = 0;
    for (size_t i = 0; i < lethe_json_count(queries); i++)
        if (is_published(&m, lethe_json_name(queries, i)))
            volume += golden_int(lethe_json_at(queries, i), "freq");
    assert_int_equal(volume, golden_int(v, "expected.max_total_frequency"));
    for (size_t i = 0; i < lethe_json_count(best); i++)
        assert_true(is_published(&m, lethe_json_text(lethe_json_at(best, i))));
    d_gone(g, &m);
}

static void releases_are_those_of_the_vectors(void **state)
{
    (void)state;
    size_t checked = 0;
    ground ground_;
    g_begin(&ground_);
    golden g = golden_open("graph");
    assert_int_equal(g.n, VECTORS);
    for (size_t i = 0; i < g.n; i++) {
        const lethe_json *v = golden_at(&g, i);
        if (!fits_in_a_log(v)) continue;
        write_log(&ground_, v);
        if (golden_find(v, "expected.max_cardinality"))
            check_best(&ground_, v);
        else
            check_ranking(&ground_, v);
        checked++;
    }
    assert_int_equal(checked, 33); /* four have fewer clicks than URLs */
    golden_close(&g);
    g_end(&ground_);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_are_those_of_the_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
