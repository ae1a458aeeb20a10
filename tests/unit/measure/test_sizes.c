/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include "threshold_harness.h"
#include "measure/measure.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static const char original[] = "1\tred shoes\t2006-03-01 10:00:00\t1\thttp://a.com/x\n"
                               "1\tred shoes\t2006-03-01 10:00:00\t2\thttp://b.com/y\n"
                               "1\tred shoes\t2006-03-01 10:30:00\t\t\n"
                               "2\tred shoes\t2006-03-01 10:00:00\t\t\n"
                               "3\tblue red\t2006-03-01 10:00:00\t1\thttp://c.com/\n";
static const char published[] = HEADER "p1\tred shoes\t2006-03-01\t\t\n"
                                       "p1\tred shoes\t2006-03-01\t1\ta.com\n"
                                       "p1\tred shoes\t2006-03-01\t2\ta.com\n"
                                       "p2\tred shoes\t2006-03-01\t\t\n";

static lethe_err measure(lethe_ctx *ctx, int dirfd, lethe_json_doc *doc, lethe_json *out)
{
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log *log = NULL;
    lethe_err err = lethe_log_memory(ctx, lethe_str_of(original), &reading, &log);
    if (err != LETHE_OK) return err;
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    lethe_comparison c = {
        .ctx = ctx, .published = &p, .original = {.shape = LETHE_SHAPE_LOG, .log = log}};
    err = lethe_measure_log_sizes.run(&c, doc, out);
    lethe_log_free(log);
    return err;
}

static void both_sides_and_their_share(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t original, published;
    } want[] = {
        {"rows", 5, 4},           {"users", 3, 2},  {"queries", 4, 2}, {"distinct_queries", 2, 1},
        {"distinct_terms", 3, 2}, {"clicks", 3, 2}, {"urls", 3, 1}};
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    o_write(dirfd, "data.tsv", published, strlen(published));
    assert_int_equal(measure(ctx, dirfd, doc, out), LETHE_OK);
    assert_int_equal(lethe_json_count(out), LETHE_COUNT(want));
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        const lethe_json *o = lethe_json_get(out, want[i].name);
        assert_int_equal(lethe_json_int(lethe_json_get(o, "original")), want[i].original);
        assert_int_equal(lethe_json_int(lethe_json_get(o, "published")), want[i].published);
        assert_true(lethe_json_real(lethe_json_get(o, "share")) ==
                    (double)want[i].published / (double)want[i].original);
    }
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

static void figures_are_those_of_the_table(void **state)
{
    (void)state;
    static const char *const names[] = {"rows",           "users",  "queries", "distinct_queries",
                                        "distinct_terms", "clicks", "urls"};
    const lethe_figure *f = lethe_measure_log_sizes.figures;
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        assert_string_equal(f[i].name, names[i]);
    assert_null(f[LETHE_COUNT(names)].name);
}

/* More words than the worker remembers, and than memory holds: each is still counted once. */
static void distinct_words_are_exact(void **state)
{
    (void)state;
    enum { N_WORDS = 15000, N_ROWS = 45000 };
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    size_t n;
    char *text;
    FILE *f = open_memstream(&text, &n);
    for (size_t i = 0; i < N_ROWS; i++) {
        size_t a = i % N_WORDS, b = i * 7919 % N_WORDS;
        fprintf(f, "%zu\tw%zu a-rather-long-word-to-fill-memory-%zu\t2006-03-01 10:00:00\n",
                i % 100, a, b);
    }
    fclose(f);
    for (unsigned threads = 1; threads <= 7; threads += 6) {
        lethe_ctx *ctx = o_ctx(threads, 1 << 20);
        lethe_log *log = NULL;
        lethe_profile p;
        assert_int_equal(lethe_log_memory(ctx, (lethe_str){text, n}, &reading, &log), LETHE_OK);
        assert_int_equal(lethe_profile_count(ctx, log, &(lethe_profile_asked){.terms = true}, &p),
                         LETHE_OK);
        assert_int_equal(p.terms, 2 * N_WORDS);
        lethe_log_free(log);
        lethe_ctx_free(ctx);
    }
    free(text);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    o_write(dirfd, "data.tsv", published, strlen(published));
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(n);
        err = measure(ctx, dirfd, doc, out);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 10);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_and_their_share),
        cmocka_unit_test(figures_are_those_of_the_table),
        cmocka_unit_test(distinct_words_are_exact),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
