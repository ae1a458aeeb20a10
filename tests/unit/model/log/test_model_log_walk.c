/* SPDX-License-Identifier: Apache-2.0 */
/* Walking logs: the same for any number of threads, files as one log, failures. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include <fcntl.h>
#include <unistd.h>

#define D1 "2006-03-01 16:01:20"
#define D2 "2006-03-02 08:00:00"
#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
#define MORE "\xE2\x80\xA6 and "

/* Lines enough that one rejected is not too many. */
#define NINE                                                                                       \
    "9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2             \
    "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n9\tnine\t" D2 "\n"

/* --- many blocks --- */

static uint64_t next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

/* About a megabyte, with a few bad lines of several kinds. */
static text big_log(bool header)
{
    static const char *const bad[] = {"x\n",
                                      "u\tq\n",
                                      "\tq\t" D1 "\n",
                                      "u\tq\tnever\n",
                                      "\n",
                                      "u\tq\t" D1 "\tfirst\t\n",
                                      "u\tq\t" D1 "\t\t\t\t\n",
                                      "u\tq\r\r\t" D1 "\n"};
    text t = {0};
    uint64_t s = 99;
    if (header) text_add(&t, HEADER);
    for (int i = 0; i < 25000; i++) {
        if (i > 10 && next(&s) % 300 == 0) {
            text_add(&t, "%s", bad[next(&s) % LETHE_COUNT(bad)]);
            continue;
        }
        text_add(&t, "%u\tquery %u\t" D1 "\t%u\thttp://a%u.com\n", (unsigned)next(&s) % 1000,
                 (unsigned)next(&s) % 500, (unsigned)next(&s) % 20, (unsigned)next(&s) % 100);
    }
    return t;
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        text t = big_log(true);
        outcome one;
        outcome_begin(&one);
        one.show_content = true;
        lethe_read_options reading = {.strict = strict};
        outcome_of(&one, (lethe_str){t.at, t.n}, &reading, 1);
        assert_int_equal(one.err, strict ? LETHE_EINPUT : LETHE_OK);
        if (!strict) {
            assert_int_equal(one.counts.lines, 25000);
            assert_true(one.counts.rejected > 50);
            assert_non_null(strstr(one.messages.at, MORE));
            assert_true(one.n_blocks > 10 && one.max_block == one.n_blocks - 1);
        }
        for (unsigned threads = 2; threads <= 7; threads += 5) {
            outcome many;
            outcome_begin(&many);
            many.show_content = true;
            outcome_of(&many, (lethe_str){t.at, t.n}, &reading, threads);
            assert_int_equal(many.err, one.err);
            assert_string_equal(many.messages.at, one.messages.at);
            if (!strict) {
                assert_memory_equal(&many.counts, &one.counts, sizeof one.counts);
                assert_string_equal(many.rows.at, one.rows.at);
                assert_int_equal(many.n_blocks, one.n_blocks);
                assert_int_equal(many.max_block, one.max_block);
            }
            outcome_end(&many);
        }
        outcome_end(&one);
        free(t.at);
    }
}

static void a_visitor_that_fails_ends_the_walk(void **state)
{
    (void)state;
    text t = big_log(false);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o;
        outcome_begin(&o);
        o.fail_in_row = true;
        o.fail_at = 3; // good lines all up to there
        outcome_of(&o, (lethe_str){t.at, t.n}, NULL, threads);
        assert_int_equal(o.err, LETHE_ANSWER_NO);
        assert_string_equal(o.messages.at, "");
        outcome_end(&o);
    }
    free(t.at);
}

/* A late block fails at once, the first one after a while: the first decides. */
static lethe_err slow_then_fail(void *arg, unsigned w, const lethe_row *row)
{
    (void)arg, (void)w;
    if (row->origin == 0) usleep(50000);
    if (row->origin == 5) return LETHE_ANSWER_NO;
    return row->origin > 20000 ? LETHE_EIO : LETHE_OK;
}

static void the_failure_in_the_lowest_block_decides(void **state)
{
    (void)state;
    text t = big_log(false);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o;
        outcome_begin(&o);
        lethe_ctx *ctx = outcome_ctx(&o, threads, 1 << 20);
        lethe_log *log = NULL;
        assert_non_null(ctx);
        assert_int_equal(lethe_log_memory(ctx, (lethe_str){t.at, t.n}, NULL, &log), LETHE_OK);
        lethe_row_visitor v = {.row = slow_then_fail};
        assert_int_equal(lethe_log_walk(ctx, log, &v), LETHE_ANSWER_NO);
        lethe_log_free(log);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
    free(t.at);
}

static lethe_err slow_at_first(void *arg, unsigned w, const lethe_row *row)
{
    (void)arg, (void)w;
    if (row->origin == 0) usleep(50000);
    return LETHE_OK;
}

/* Later blocks are read while the first one takes its time; they hold times that are not
 * understood, the first one lacks a user. */
static void a_refusal_says_nothing_of_later_blocks(void **state)
{
    (void)state;
    text t = {0};
    text_add(&t, "1\ta\t" D1 "\n\tb\t" D1 "\n");
    for (int i = 0; i < 25000; i++)
        text_add(&t, "%d\tquery\t%s\n", i % 100, i > 20000 ? "never" : D1);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o;
        outcome_begin(&o);
        lethe_ctx *ctx = outcome_ctx(&o, threads, 1 << 20);
        lethe_log *log = NULL;
        assert_non_null(ctx);
        lethe_read_options strict = {.strict = true};
        assert_int_equal(lethe_log_memory(ctx, (lethe_str){t.at, t.n}, &strict, &log), LETHE_OK);
        lethe_row_visitor v = {.row = slow_at_first};
        assert_int_equal(lethe_log_walk(ctx, log, &v), LETHE_EINPUT);
        assert_string_equal(o.messages.at, "E memory:2:1 no user\n");
        lethe_log_free(log);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
    free(t.at);
}

static void messages_name_three_and_count_the_rest(void **state)
{
    (void)state;
    text t = {0};
    for (int i = 0; i < 100; i++)
        text_add(&t, "u\tq\t" D1 "\n");
    text_add(&t, "u\tq\tbad1\nx\nu\tq\tbad2\nu\tq\tbad3\ny\nu\tq\tbad4\nu\tq\tbad5\n");
    outcome o;
    outcome_begin(&o);
    o.show_content = true;
    outcome_of(&o, (lethe_str){t.at, t.n}, NULL, 2);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.messages.at, "W memory:101:3 time not understood: 'xxx9' [u\tq\tbad1]\n"
                                       "W memory:102:2 too few columns [x]\n"
                                       "W memory:103:3 time not understood: 'xxx9' [u\tq\tbad2]\n"
                                       "W memory:104:3 time not understood: 'xxx9' [u\tq\tbad3]\n"
                                       "W memory:105:2 too few columns [y]\n"
                                       "W memory:0:0 " MORE "2 more lines: time not understood\n"
                                       "N (forms of times)\n");
    outcome_end(&o);
    free(t.at);
}

/* --- files --- */

static void write_file(const char *path, const char *content)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, strlen(content), f), strlen(content));
    assert_int_equal(fclose(f), 0);
}

typedef struct files {
    char dir[64];
    char a[80], b[80], none[80];
} files;

static files files_new(const char *a, const char *b)
{
    files f = {.dir = "/tmp/lethe-log-XXXXXX"};
    assert_non_null(mkdtemp(f.dir));
    snprintf(f.a, sizeof f.a, "%s/a", f.dir);
    snprintf(f.b, sizeof f.b, "%s/b", f.dir);
    snprintf(f.none, sizeof f.none, "%s/none", f.dir);
    write_file(f.a, a);
    write_file(f.b, b);
    return f;
}

static void files_end(const files *f)
{
    unlink(f->a);
    unlink(f->b);
    rmdir(f->dir);
}

static void walk_paths(outcome *o, const char *const *paths, size_t n,
                       const lethe_read_options *reading, int walks)
{
    lethe_ctx *ctx = outcome_ctx(o, 2, 0);
    lethe_log *log = NULL;
    assert_non_null(ctx);
    o->err = lethe_log_files(ctx, paths, n, reading, &log);
    for (int i = 0; i < walks && o->err == LETHE_OK; i++) {
        for (size_t k = 0; k < o->n_seen; k++)
            free(o->seen[k].text);
        o->n_seen = 0;
        o->rows.n = 0;
        outcome_walk(o, ctx, log);
    }
    lethe_log_free(log);
    lethe_ctx_free(ctx);
}

static void files_are_read_as_one_log(void **state)
{
    (void)state;
    files f = files_new(HEADER "1\ta\t" D1 "\t\t\n1\tb\t" D1 "\t\t\n",
                        "{\"user\":2,\"q\":\"c\",\"time\":0}\n");
    const char *paths[] = {f.a, f.b, f.a};
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, paths, 3, NULL, 2);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.rows.at, "0|1|a|" D1 "||\n1|1|b|" D1 "||\n2|2|c|1970-01-01 00:00:00||\n"
                                   "3|1|a|" D1 "||\n4|1|b|" D1 "||\n");
    assert_int_equal(o.max_block, 2);
    assert_int_equal(o.n_blocks, 6); // two walks
    char want[400];
    snprintf(want, sizeof want,
             "N '%s': first line taken for a header\nN '%s': first line taken for a header\n", f.a,
             f.a); // said in the first walk only
    assert_string_equal(o.messages.at, want);
    outcome_end(&o);
    files_end(&f);
}

static void origins_count_physical_lines(void **state)
{
    (void)state;
    files f = files_new("user,query,time,\"n\nm\"\nu,a," D1 ",\"x\ny\nz\"\nu,b," D1 ",\n",
                        "v,c," D2 "\n");
    const char *paths[] = {f.a, f.b};
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, paths, 2, &(lethe_read_options){.format = LETHE_FORMAT_CSV}, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.rows.at, "0|u|a|" D1 "||\n3|u|b|" D1 "||\n4|v|c|" D2 "||\n");
    assert_int_equal(o.counts.lines, 3);
    outcome_end(&o);
    files_end(&f);
}

static void one_bad_file_among_several_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *content, *message;
        lethe_err err;
    } table[] = {
        {"", "E '%s' is empty\n", LETHE_EINPUT},
        {HEADER, "N '%s': first line taken for a header\nE '%s' holds only a header\n",
         LETHE_EINPUT},
        {"x\n",
         "W %s:1:2 too few columns\nE '%s': 1 of 1 lines rejected: not a log of this format? "
         "(--from and --columns say how to read it)\n",
         LETHE_EINPUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        files f = files_new(NINE NINE NINE, table[i].content);
        const char *paths[] = {f.a, f.b, f.a};
        outcome o;
        outcome_begin(&o);
        walk_paths(&o, paths, 3, NULL, 1);
        assert_int_equal(o.err, table[i].err);
        char want[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
        snprintf(want, sizeof want, table[i].message, f.b, f.b);
#pragma GCC diagnostic pop
        assert_string_equal(o.messages.at, want);
        outcome_end(&o);
        files_end(&f);
    }
}

static void a_tenth_is_of_all_files(void **state)
{
    (void)state;
    files f = files_new(NINE NINE NINE, "x\n1\tq\t" D1 "\n"); // half of the second, little of all
    const char *paths[] = {f.a, f.b};
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, paths, 2, NULL, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(o.counts.rejected, 1);
    assert_int_equal(o.counts.rows, 28);
    outcome_end(&o);
    files_end(&f);
}

static void what_cannot_be_opened_is_a_system_failure(void **state)
{
    (void)state;
    files f = files_new(NINE, "");
    const char *none[] = {f.none}, *dir[] = {f.dir};
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, none, 1, NULL, 1);
    assert_int_equal(o.err, LETHE_EIO);
    assert_non_null(strstr(o.messages.at, "no such file"));
    walk_paths(&o, dir, 1, NULL, 1);
    assert_int_equal(o.err, LETHE_EIO);
    assert_non_null(strstr(o.messages.at, "directory"));
    outcome_end(&o);
    files_end(&f);
}

static void standard_input_is_read_once(void **state)
{
    (void)state;
    files f = files_new("1\ta\t" D1 "\n", "");
    const char *twice[] = {"-", "-"}, *once[] = {"-"};
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, twice, 2, NULL, 1);
    assert_int_equal(o.err, LETHE_EUSAGE);
    walk_paths(&o, once, 0, NULL, 1);
    assert_int_equal(o.err, LETHE_EUSAGE);
    int fd = open(f.a, O_RDONLY), keep = dup(0);
    assert_true(fd >= 0 && dup2(fd, 0) == 0);
    o.messages.n = 0;
    walk_paths(&o, once, 1, NULL, 2);
    assert_int_equal(o.err, LETHE_EUSAGE);
    assert_string_equal(o.messages.at, "E standard input can be read only once\n");
    assert_true(keep < 0 || dup2(keep, 0) == 0);
    close(fd);
    if (keep >= 0) close(keep);
    outcome_end(&o);
    files_end(&f);
}

static void a_cancelled_walk_says_so(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    lethe_ctx *ctx = outcome_ctx(&o, 2, 0);
    lethe_log *log = NULL;
    assert_non_null(ctx);
    assert_int_equal(lethe_log_memory(ctx, LETHE_LIT(NINE), NULL, &log), LETHE_OK);
    lethe_ctx_cancel(ctx);
    outcome_walk(&o, ctx, log);
    assert_int_equal(o.err, LETHE_ECANCEL);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void lack_of_memory_is_clean(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        lethe_read_options reading;
    } table[] = {
        {HEADER "1\tCaf\xC3\x89 \xFF\t" D1 "\t\tU\xFF\nbad\n" NINE, {0}},
        {"user,query,time\n1,\"a \"\"B\"\"\"," D1 "\n2,C," D2 "\n", {.format = LETHE_FORMAT_CSV}},
        {"{\"user\":\"a\",\"query\":\"B\",\"time\":1}\n", {0}},
        {NINE, {.columns = "user=1,query=2,time=3"}},
        {NINE "1\ta\t" D1 "\t1\tu\n", {.has_users_with = true, .users_with_max = 5}},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            bool done = false;
            for (uint64_t n = 1; !done; n++) {
                outcome o;
                outcome_begin(&o);
                lethe_alloc_fail_at(n);
                outcome_of(&o, lethe_str_of(table[i].in), &table[i].reading, threads);
                lethe_alloc_fail_at(0);
                done = o.err == LETHE_OK;
                if (!done && o.err != LETHE_ENOMEM) fail_msg("row %zu: error %d", i, o.err);
                assert_true(!done || n > 8);
                outcome_end(&o);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(a_visitor_that_fails_ends_the_walk),
        cmocka_unit_test(the_failure_in_the_lowest_block_decides),
        cmocka_unit_test(a_refusal_says_nothing_of_later_blocks),
        cmocka_unit_test(messages_name_three_and_count_the_rest),
        cmocka_unit_test(files_are_read_as_one_log),
        cmocka_unit_test(origins_count_physical_lines),
        cmocka_unit_test(one_bad_file_among_several_is_named),
        cmocka_unit_test(a_tenth_is_of_all_files),
        cmocka_unit_test(what_cannot_be_opened_is_a_system_failure),
        cmocka_unit_test(standard_input_is_read_once),
        cmocka_unit_test(a_cancelled_walk_says_so),
        cmocka_unit_test(lack_of_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
