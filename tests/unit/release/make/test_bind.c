/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs become records: what is taken for them, what the options mean, and what is counted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "core/mem.h"
#include "records_release_harness.h"
#include "release/make/bind.h"
#include "small_wordnet.h"

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    g_write(rr_path(&g, "tax.tsv"), "milk\tdairy\nbutter\tdairy\napple\tfruit\npear\tfruit\n"
                                    "dairy\tfood\nfruit\tfood\n");
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

/* --- records, or a log? --- */

static lethe_err guess(ground *g, const char *path, const lethe_read_options *reading, bool *are)
{
    lethe_ctx *ctx = g_ctx(g, 1);
    *are = false;
    lethe_err e = lethe_inputs_are_records(ctx, &path, 1, reading, are);
    lethe_ctx_free(ctx);
    return e;
}

static void content_tells_records_from_logs(void **state)
{
    ground *g = *state;
    static const struct {
        const char *text;
        bool are;
    } cases[] = {
        {"milk butter\n", true},
        {"a\tmilk butter\nb\tapple\n", true},
        {"1 2 3 \n4 5 \n", true},
        {"\n\n", true},
        {"milk", true},
        {"", false},
        {"1\tmaps\t2006-03-01 10:00:00\n", false},
        {"a\tmilk\n1\tmaps\t2006-03-01 10:00:00\n", false},
        {"a\tmilk\nb\tc\tmilk\nbutter\n", true}, // a line that will be rejected
        {"milk,fresh bread\nbutter\n", true},
        {"1,maps,2006-03-01 10:00:00\n", false},
        {"1;maps;2006-03-01 10:00:00\n", false},
        {"1|maps|2006-03-01 10:00:00\n", false},
        {"{\"user\": 1}\n", false},
        {"#lethe-sealed 1 t=3 n=10 scheme=shamir\n", false},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        bool are;
        g_write(g->log, cases[i].text);
        assert_int_equal(guess(g, g->log, &(lethe_read_options){0}, &are), LETHE_OK);
        if (are != cases[i].are) fail_msg("'%s' is taken for another thing", cases[i].text);
    }
}

static void what_the_user_says_is_believed(void **state)
{
    ground *g = *state;
    bool are;
    g_write(g->log, "milk butter\n");
    assert_int_equal(guess(g, g->log, &(lethe_read_options){.format = LETHE_FORMAT_AOL}, &are), 0);
    assert_false(are);
    assert_int_equal(guess(g, g->log, &(lethe_read_options){.delimiter = '\t'}, &are), 0);
    assert_false(are);
    assert_int_equal(guess(g, g->log, &(lethe_read_options){.has_users_with = true}, &are), 0);
    assert_false(are);
    g_write(g->log, "1\tmaps\t2006-03-01 10:00:00\n");
    assert_int_equal(guess(g, g->log, &(lethe_read_options){.format = LETHE_FORMAT_RECORDS}, &are),
                     0);
    assert_true(are);
    assert_int_equal(guess(g, "-", &(lethe_read_options){.format = LETHE_FORMAT_RECORDS}, &are), 0);
    assert_true(are);
    assert_int_equal(guess(g, "-", &(lethe_read_options){0}, &are), LETHE_OK);
    assert_false(are);
    assert_int_equal(guess(g, "/nonexistent/x", &(lethe_read_options){0}, &are), LETHE_EIO);
}

/* A filter of users that is silently ignored would be believed to have been at work. */
static void what_is_of_logs_is_refused_with_records(void **state)
{
    ground *g = *state;
    const lethe_format records = LETHE_FORMAT_RECORDS;
    const lethe_read_options readings[] = {
        {.format = records, .has_users_with = true, .users_with_max = 9},
        {.format = records, .columns = "user=1,time=2,query=3"},
        {.format = records, .time_format = "%s"}};
    static const char *const said[] = {"--users-with", "--columns", "--time-format"};
    g_write(g->log, "milk\n");
    for (size_t i = 0; i < LETHE_COUNT(readings); i++) {
        bool are;
        g->said[0] = '\0';
        assert_int_equal(guess(g, g->log, &readings[i], &are), LETHE_EUSAGE);
        assert_non_null(strstr(g->said, said[i]));
    }
}

static void *feed(void *arg)
{
    int fd = open(arg, O_WRONLY);
    if (fd < 0 || write(fd, "milk\n", 5) != 5) abort();
    close(fd);
    return NULL;
}

/* What is looked at there is gone when it is read. */
static void a_pipe_is_not_looked_into(void **state)
{
    ground *g = *state;
    const char *path = rr_path(g, "pipe");
    pthread_t thread;
    char got[16] = "";
    bool are;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, feed, (void *)(uintptr_t)path), 0);
    assert_int_equal(guess(g, path, &(lethe_read_options){0}, &are), LETHE_OK);
    assert_false(are);
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    pthread_join(thread, NULL);
    assert_int_equal(read(fd, got, sizeof got - 1), 5);
    assert_string_equal(got, "milk\n");
    close(fd);
}

/* --- shaping --- */

static lethe_err shape(ground *g, bool of_log, const char *text, const char *options, bool strict,
                       lethe_bound_records *out)
{
    recipe r;
    lethe_ctx *ctx = g_ctx(g, 1);
    const char *path = g->log;
    g_write(g->log, text);
    rr_recipe(&r, &lethe_method_clump, options);
    g->said[0] = '\0';
    *out = (lethe_bound_records){0};
    lethe_err e;
    if (of_log) {
        lethe_log *log = NULL;
        e = lethe_log_files(ctx, &path, 1, &(lethe_read_options){.strict = strict}, &log);
        if (e == LETHE_OK) e = lethe_bind_log(ctx, log, &r.step.values, NULL, strict, out);
        lethe_log_free(log);
    } else {
        e = lethe_bind_files(ctx, &path, 1, &r.step.values, NULL,
                             &(lethe_read_options){.strict = strict}, out);
    }
    lethe_ctx_free(ctx);
    return e;
}

/* Names of items, records parted by "/". */
static const char *shown(const lethe_bound_records *s)
{
    static char text[1024];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->records->n; i++) {
        for (uint64_t k = s->records->start[i]; k < s->records->start[i + 1]; k++) {
            lethe_str name = lethe_tree_name(s->tree, s->records->item[k]);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s",
                                  k > s->records->start[i] ? " " : "", (int)name.n, name.at);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "/");
    }
    return text;
}

static const char *with_taxonomy(const ground *g, const char *options)
{
    static char text[1024];
    snprintf(text, sizeof text, "k=2 taxonomy=%s/tax.tsv %s", g->dir, options);
    return text;
}

static void records_are_bound_to_leaves(void **state)
{
    ground *g = *state;
    lethe_bound_records s;
    assert_int_equal(
        shape(g, false, "pear apple pear\n\nxyz milk\n", with_taxonomy(g, ""), false, &s),
        LETHE_OK);
    assert_string_equal(shown(&s), "pear apple pear//milk/");
    assert_int_equal(s.records->counts.unknown, 1);
    assert_int_equal(s.rows_unused, 0);
    assert_false(s.has_own_leaves);
    lethe_bound_records_free(&s);
    lethe_bound_records_free(&s); // what is freed is empty
    assert_int_equal(shape(g, false, "pear apple pear\n", with_taxonomy(g, "distinct"), false, &s),
                     LETHE_OK);
    assert_string_equal(shown(&s), "apple pear/");
    lethe_bound_records_free(&s);
    assert_int_equal(shape(g, false, "milk\nxyz\n", with_taxonomy(g, ""), true, &s), LETHE_EINPUT);
    assert_null(strstr(g->said, "xyz"));
    lethe_bound_records_free(&s);
}

/* Their number shows in what is published: taxonomy.tsv counts leaves. */
static void inner_nodes_get_leaves_and_that_is_known(void **state)
{
    ground *g = *state;
    lethe_bound_records s;
    assert_int_equal(shape(g, false, "milk\ndairy\nfood\n", with_taxonomy(g, ""), false, &s),
                     LETHE_OK);
    assert_string_equal(shown(&s), "milk/=dairy/=food/");
    assert_true(s.has_own_leaves);
    lethe_bound_records_free(&s);
    // the first child of its parent, but no leaf that was made
    g_write(rr_path(g, "tax.tsv"), "=x\tfood\nb\tfood\n==\tb\n");
    assert_int_equal(shape(g, false, "=x\n==\n", with_taxonomy(g, ""), false, &s), LETHE_OK);
    assert_false(s.has_own_leaves);
    lethe_bound_records_free(&s);
}

static const char log_text[] = "1\tmilk pear\t2006-03-01 10:00:00\t1\thttp://a.com\n"
                               "1\tmilk pear\t2006-03-01 10:00:00\t2\thttp://b.com\n"
                               "1\tapple\t2006-03-01 12:00:01\t\t\n"
                               "2\t!!\t2006-03-01 10:00:00\t\t\n"
                               "2\tbutter\t2006-03-02 10:00:00\t\t\n"
                               "3\t\t2006-03-02 10:00:00\t\t\n"
                               "3\txyz\t2006-03-02 10:00:00\t\t\n";

/* Rows = those of records + those of none. */
static void rows_of_a_log_are_all_accounted_for(void **state)
{
    ground *g = *state;
    static const struct {
        const char *options, *shown;
        uint64_t unused;
    } cases[] = {
        {"", "milk pear apple/butter//", 0},
        {"gap=all", "milk pear apple/butter//", 0},
        {"gap=1h", "milk pear/apple/butter//", 1},
        {"gap=0s", "milk pear/apple/butter//", 1},
        {"clicked", "milk pear/", 4},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_bound_records s;
        uint64_t rows = 0;
        assert_int_equal(shape(g, true, log_text, with_taxonomy(g, cases[i].options), false, &s),
                         LETHE_OK);
        assert_string_equal(shown(&s), cases[i].shown);
        assert_int_equal(s.rows_unused, cases[i].unused);
        for (size_t r = 0; r < s.records->n; r++)
            rows += s.records->lines[r];
        assert_int_equal(rows + s.rows_unused, 6);
        lethe_bound_records_free(&s);
    }
}

static void options_that_do_not_fit_are_refused(void **state)
{
    ground *g = *state;
    static const struct {
        bool of_log;
        const char *options, *said;
    } cases[] = {
        {false, "gap=all", "--gap applies to logs"},
        {false, "clicked", "--clicked applies to logs"},
        {false, "terms=words", "--terms applies to logs"},
        {false, "synonyms=merge", "--synonyms merge needs"},
        {true, "synonyms=merge", "--synonyms merge needs"},
        {true, "synonyms=merge terms=words", "--synonyms merge needs"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_bound_records s;
        assert_int_equal(shape(g, cases[i].of_log, cases[i].of_log ? log_text : "milk\n",
                               with_taxonomy(g, cases[i].options), false, &s),
                         LETHE_EUSAGE);
        assert_non_null(strstr(g->said, cases[i].said));
        lethe_bound_records_free(&s);
    }
    lethe_bound_records s;
    assert_int_equal(shape(g, false, "milk\n", "k=2", false, &s), LETHE_EUSAGE);
    assert_non_null(strstr(g->said, "records need --taxonomy"));
    assert_true(lethe_is_log_option("gap") && lethe_is_log_option("clicked") &&
                lethe_is_log_option("terms"));
    assert_false(lethe_is_log_option("distinct") || lethe_is_log_option("taxonomy"));
}

static void a_taxonomy_that_is_none_is_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *text;
        lethe_err e;
    } cases[] = {{"", LETHE_EINPUT},
                 {"a\tb\nb\ta\n", LETHE_EINPUT},
                 {"a\tb\nc\td\n", LETHE_EINPUT},
                 {"a\tb\tc\td\n", LETHE_EINPUT},
                 {"\xff\tb\n", LETHE_EINPUT}};
    lethe_bound_records s;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        g_write(rr_path(g, "tax.tsv"), cases[i].text);
        assert_int_equal(shape(g, false, "a\n", with_taxonomy(g, ""), false, &s), cases[i].e);
        lethe_bound_records_free(&s);
    }
    assert_int_equal(shape(g, false, "a\n", "k=2 taxonomy=/nonexistent/x", false, &s), LETHE_EIO);
}

static void lack_of_memory_is_told_and_nothing_leaks(void **state)
{
    ground *g = *state;
    for (int of_log = 0; of_log < 2; of_log++) {
        lethe_err e = LETHE_ENOMEM;
        for (uint64_t n = 1; e != LETHE_OK; n++) {
            recipe r;
            lethe_bound_records s = {0};
            lethe_log *log = NULL;
            bool are;
            const char *path = g->log;
            g_write(g->log, of_log ? log_text : "milk dairy\nbutter xyz\n");
            lethe_ctx *ctx = g_ctx(g, 1);
            rr_recipe(&r, &lethe_method_clump, with_taxonomy(g, "distinct"));
            lethe_alloc_fail_at(n);
            e = lethe_inputs_are_records(ctx, &path, 1, &(lethe_read_options){0}, &are);
            if (e == LETHE_OK && of_log)
                e = lethe_log_files(ctx, &path, 1, &(lethe_read_options){0}, &log);
            if (e == LETHE_OK)
                e = of_log ? lethe_bind_log(ctx, log, &r.step.values, NULL, false, &s)
                           : lethe_bind_files(ctx, &path, 1, &r.step.values, NULL,
                                              &(lethe_read_options){0}, &s);
            lethe_alloc_fail_at(0);
            if (e != LETHE_OK && e != LETHE_ENOMEM)
                fail_msg("allocation %llu: %s", (unsigned long long)n, lethe_err_name(e));
            if (e != LETHE_OK) assert_null(s.records);
            lethe_bound_records_free(&s);
            lethe_log_free(log);
            lethe_ctx_free(ctx);
            assert_true(n < 10000);
        }
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        T(content_tells_records_from_logs),
        T(what_the_user_says_is_believed),
        T(what_is_of_logs_is_refused_with_records),
        T(a_pipe_is_not_looked_into),
        T(records_are_bound_to_leaves),
        T(inner_nodes_get_leaves_and_that_is_known),
        T(rows_of_a_log_are_all_accounted_for),
        T(options_that_do_not_fit_are_refused),
        T(a_taxonomy_that_is_none_is_refused),
        T(lack_of_memory_is_told_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
