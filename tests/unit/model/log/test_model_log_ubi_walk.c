/* SPDX-License-Identifier: Apache-2.0 */
/* Walking User Behavior Insights: options, files, the same for any threads and memory, failures. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_rows.h"
#include "ubi_lines.h"
#include <fcntl.h>
#include <unistd.h>

/* --- options --- */

static void bulk_files_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        lethe_err err;
        const char *rows;
    } table[] = {
        {ACTION("ubi_queries") DOC("q", "ann", "x", T1), LETHE_OK, "1|ann|x|" W1 "||\n"},
        {" { \"create\":{\"_id\":\"1\",\"_index\":\"ubi_events\"}}\n" CLICK("q", "ann", "B1", "1")
             DOC("q", "ann", "x", T1),
         LETHE_OK, "1|ann|x|" W1 "|1|=B1\n"},
        // documents alone are JSON Lines like any other, and no clicks are joined
        {DOC("q", "ann", "x", T1), LETHE_OK, "0|ann|x|" W1 "||\n"},
        {DOC("q", "ann", "x", T1) DOC("q", "ann", "x", T1), LETHE_OK,
         "0|ann|x|" W1 "||\n1|ann|x|" W1 "||\n"},
        {ACTION("ubix") DOC("q", "ann", "x", T1), LETHE_EINPUT, NULL},
        {ACTION("products") DOC("q", "ann", "x", T1), LETHE_EINPUT, NULL},
        {"{\"index\":{\"_index\":\"ubi_x\"},\"user\":\"ann\",\"query\":\"x\",\"time\":0}\n",
         LETHE_OK, "0|ann|x|1970-01-01 00:00:00||\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        outcome o;
        outcome_begin(&o);
        outcome_of(&o, lethe_str_of(table[i].in), NULL, 1);
        if (o.err != table[i].err) fail_msg("%zu: error %d: %s", i, o.err, o.messages.at);
        if (table[i].rows) assert_string_equal(o.rows.at, table[i].rows);
        outcome_end(&o);
    }
}

static void columns_cannot_be_chosen(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    lethe_read_options reading = ubi;
    reading.columns = "user=client_id,query=user_query";
    outcome_of(&o, LETHE_LIT(DOC("q", "ann", "x", T1)), &reading, 1);
    assert_int_equal(o.err, LETHE_EUSAGE);
    // who names columns has something else than what its first line looks like
    reading.format = LETHE_FORMAT_GUESS;
    reading.columns = "user=index._id,query=index._index";
    outcome_of(&o, LETHE_LIT(ACTION("ubi_queries")), &reading, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.rows.at, "0|x|ubi_queries|||\n");
    outcome_end(&o);
}

static void users_are_kept_by_their_clicked_queries(void **state)
{
    (void)state;
    static const char in[] = DOC("q1", "ann", "a", T1) DOC("q2", "bob", "a", T1)
        DOC("q3", "bob", "b", T1) CLICK("q3", "bob", "B2", "2") CLICK("q1", "ann", "B1", "1")
            CLICK("q1", "ann", "B3", "3") CLICK("q2", "bob", "B1", "1") DOC("q4", "cat", "", T1)
                DOC("q5", "cat", "c", T1);
    lethe_read_options reading = ubi;
    reading.has_users_with = true;
    reading.users_with_min = reading.users_with_max = 1;
    for (unsigned threads = 1; threads <= 3; threads++) {
        outcome o;
        outcome_begin(&o);
        outcome_of(&o, lethe_str_of(in), &reading, threads);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.rows.at, "4|ann|a|" W1 "|1|=B1\n5|ann|a|" W1 "|3|=B3\n");
        assert_int_equal(o.counts.lines, 6);
        assert_int_equal(o.counts.rows, 5);
        assert_int_equal(o.counts.filtered, 3);
        assert_int_equal(o.counts.empty, 1);
        outcome_end(&o);
    }
}

/* --- files --- */

typedef struct files {
    char dir[64];
    char at[3][80];
} files;

static files files_new(const char *a, const char *b, const char *c)
{
    files f = {.dir = "/tmp/lethe-ubi-XXXXXX"};
    const char *const content[] = {a, b, c};
    assert_non_null(mkdtemp(f.dir));
    for (int i = 0; i < 3; i++) {
        strcpy(f.at[i], f.dir);
        strcat(f.at[i], (const char *[]){"/a", "/b", "/c"}[i]);
        FILE *out = fopen(f.at[i], "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(content[i], 1, strlen(content[i]), out), strlen(content[i]));
        assert_int_equal(fclose(out), 0);
    }
    return f;
}

static void files_end(const files *f)
{
    for (int i = 0; i < 3; i++)
        unlink(f->at[i]);
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

static void the_join_is_over_all_files(void **state)
{
    (void)state;
    files f =
        files_new(CLICK("q", "ann", "B1", "1") CLICK("z", "ann", "B1", "1") EVENT("view", "q"),
                  EVENT("impression", "q"), DOC("q", "ann", "x", T1) "{\n" TWENTY);
    const char *paths[] = {f.at[0], f.at[1], f.at[2]};
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, paths, 3, &ubi, 2);
    char want_said[400];
    snprintf(want_said, sizeof want_said,
             "W %s:2:0 no query document with its query id\nW %s:2:2 cut off in the middle\n"
             "N 2 events that are no clicks: left out (impression 1, view 1)\n",
             f.at[0], f.at[2]); // in the first walk only
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.messages.at, want_said);
    assert_int_equal(strncmp(o.rows.at, "0|ann|x|" W1 "|1|=B1\n6|n|nine|", 35), 0);
    assert_int_equal(o.counts.lines, 23);
    assert_int_equal(o.counts.rejected, 2);
    outcome_end(&o);
    files_end(&f);
}

static void files_are_judged_one_by_one_too(void **state)
{
    (void)state;
    files f = files_new(ACTION("ubi_queries") TWENTY, "", "1\tx\t2006-03-01 10:00:00\n");
    char said[400];
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, (const char *[]){f.at[0], f.at[1]}, 2, &ubi, 1);
    snprintf(said, sizeof said, "E '%s' is empty\n", f.at[1]);
    assert_int_equal(o.err, LETHE_EINPUT);
    assert_string_equal(o.messages.at, said);
    o.messages.n = 0;
    walk_paths(&o, (const char *[]){f.at[0], f.at[2]}, 2, &ubi, 1);
    snprintf(said, sizeof said,
             "W %s:1:1 not a JSON object\nE '%s': 1 of 1 lines rejected: not a log of this format? "
             "" HOW,
             f.at[2], f.at[2]);
    assert_int_equal(o.err, LETHE_EINPUT);
    assert_string_equal(o.messages.at, said);
    // a guess is made by the first file
    o.messages.n = 0;
    walk_paths(&o, (const char *[]){f.at[0], f.at[2]}, 2, NULL, 1);
    assert_int_equal(o.err, LETHE_EINPUT);
    assert_string_equal(o.messages.at, said);
    o.messages.n = 0;
    walk_paths(&o, (const char *[]){f.at[2], f.at[0]}, 2, NULL, 1);
    assert_int_equal(o.err, LETHE_EINPUT);
    snprintf(said, sizeof said,
             "E '%s' looks like User Behavior Insights, what was read before it does not "
             "(--from says how to read them)\n",
             f.at[0]);
    assert_string_equal(o.messages.at, said);
    // strict: the lowest line, which is in the first file that has one
    o.messages.n = 0;
    lethe_read_options strict = ubi;
    strict.strict = true;
    walk_paths(&o, (const char *[]){f.at[0], f.at[2], f.at[2]}, 3, &strict, 1);
    snprintf(said, sizeof said, "E %s:1:1 not a JSON object\n", f.at[2]);
    assert_int_equal(o.err, LETHE_EINPUT);
    assert_string_equal(o.messages.at, said);
    outcome_end(&o);
    files_end(&f);
}

static void standard_input_is_read_once(void **state)
{
    (void)state;
    files f =
        files_new(ACTION("ubi_events") CLICK("q", "ann", "B1", "1"), DOC("q", "ann", "x", T1), "");
    int fd = open(f.at[0], O_RDONLY), keep = dup(0);
    assert_true(fd >= 0 && dup2(fd, 0) == 0);
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, (const char *[]){"-", f.at[1]}, 2, NULL, 1);
    assert_int_equal(o.err, LETHE_OK);
    assert_string_equal(o.rows.at, "1|ann|x|" W1 "|1|=B1\n");
    assert_true(keep < 0 || dup2(keep, 0) == 0);
    close(fd);
    if (keep >= 0) close(keep);
    outcome_end(&o);
    files_end(&f);
}

/* --- many --- */

static uint64_t next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

/* Some megabytes, so that the sorters spill: queries, clicks far from them, and a few bad lines. */
static text big_log(void)
{
    text t = {0};
    uint64_t s = 7;
    for (unsigned i = 0; i < 12000; i++) {
        unsigned q = (unsigned)next(&s) % 5000;
        text_add(&t, "{\"index\":{\"_index\":\"ubi_queries\"}}\n");
        size_t kind = next(&s) % 40;
        if (kind == 0)
            text_add(&t, i % 3 ? "{\n" : "x\n");
        else if (kind < 4)
            text_add(&t, EVENT("impression", "q"));
        else if (kind < 14)
            text_add(&t,
                     "{\"query_id\":\"%s%u\",\"client_id\":\"c%u\",\"user_query\":\"%s %u\","
                     "\"timestamp\":%u}\n",
                     i % 9 ? "d" : "", i, q % 97, "the words of the query", q % 50, 1700000000 + i);
        else // the number of a query that may be one
            text_add(&t,
                     "{\"query_id\":\"%u\",\"action_name\":\"click\",\"event_attributes\":{"
                     "\"object\":{\"object_id\":\"%0150u\"},\"position\":{\"ordinal\":%u}}}\n",
                     q * 2, i / 2, q % 20);
    }
    return t;
}

static void any_number_of_threads_and_any_memory_give_the_same(void **state)
{
    (void)state;
    text t = big_log();
    // queries enough that the clicks without one are not too many
    text all = {0};
    for (unsigned i = 0; i < 10000; i += 2)
        text_add(&all, DOC("%u", "c1", "filler", T1), i);
    text_put(&all, t.at, t.n);
    outcome one;
    outcome_begin(&one);
    one.show_content = true;
    lethe_ctx *ctx = outcome_ctx(&one, 1, (uint64_t)1 << 30);
    lethe_log *log = NULL;
    assert_int_equal(lethe_log_memory(ctx, (lethe_str){all.at, all.n}, &ubi, &log), LETHE_OK);
    outcome_walk(&one, ctx, log);
    lethe_log_free(log);
    lethe_ctx_free(ctx);
    assert_int_equal(one.err, LETHE_OK);
    assert_true(one.in_order && one.counts.rejected > 100 && one.counts.rows > 10000);
    for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        outcome many;
        outcome_begin(&many);
        many.show_content = true;
        outcome_of(&many, (lethe_str){all.at, all.n}, &ubi, threads); // one megabyte of memory
        assert_int_equal(many.err, LETHE_OK);
        assert_memory_equal(&many.counts, &one.counts, sizeof one.counts);
        assert_string_equal(many.messages.at, one.messages.at);
        assert_string_equal(many.rows.at, one.rows.at);
        assert_true(threads > 1 || many.in_order);
        assert_true(many.max_block == many.n_blocks - 1);
        outcome_end(&many);
    }
    outcome_end(&one);
    free(all.at);
    free(t.at);
}

static void a_visitor_that_fails_ends_the_walk(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    o.fail_in_row = true;
    o.fail_at = 3;
    outcome_of(&o, LETHE_LIT(TWENTY), &ubi, 3);
    assert_int_equal(o.err, LETHE_ANSWER_NO);
    outcome_end(&o);
}

static void a_cancelled_walk_says_so(void **state)
{
    (void)state;
    outcome o;
    outcome_begin(&o);
    lethe_ctx *ctx = outcome_ctx(&o, 2, 0);
    lethe_log *log = NULL;
    assert_int_equal(lethe_log_memory(ctx, LETHE_LIT(TWENTY), &ubi, &log), LETHE_OK);
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
    static const char in[] = ACTION("ubi_queries") TWENTY DOC("q", "a\xFF", "X \xFF", T1)
        CLICK("q", "a\xFF", "B1", "1") CLICK("z", "ann", "B1", "1") "{\n" EVENT("view", "q");
    static const lethe_read_options readings[] = {
        {.format = LETHE_FORMAT_UBI},
        {.format = LETHE_FORMAT_GUESS, .has_users_with = true, .users_with_max = 5},
    };
    for (size_t i = 0; i < LETHE_COUNT(readings); i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            bool done = false;
            for (uint64_t n = 1; !done; n++) {
                outcome o;
                outcome_begin(&o);
                lethe_alloc_fail_at(n);
                outcome_of(&o, LETHE_LIT(in), &readings[i], threads);
                lethe_alloc_fail_at(0);
                done = o.err == LETHE_OK;
                if (!done && o.err != LETHE_ENOMEM)
                    fail_msg("%zu: error %d: %s", i, o.err, o.messages.at);
                assert_true(!done || n > 20);
                outcome_end(&o);
            }
        }
    }
}

/* --- a real one --- */

static void the_sample_is_read_as_counted_by_hand(void **state)
{
    (void)state;
    const char *data = getenv("LETHE_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/ubi_esci_sample.ndjson.zst", data ? data : "");
    if (!data || access(path, R_OK) != 0) {
        print_message("no ubi_esci_sample.ndjson.zst: skipped\n");
        skip();
    }
    outcome o;
    outcome_begin(&o);
    walk_paths(&o, (const char *[]){path}, 1, NULL, 1);
    assert_int_equal(o.err, LETHE_OK);
    // 473 query documents: 284 ids, 168 that repeat, 21 that contradict.  287 clicks, 20 of them on
    // queries that are not there; 192 queries have none.  267 clicks are on 186 objects, and so are
    // all other events of a query.
    assert_int_equal(o.counts.rows, 192 + 186);
    assert_int_equal(o.counts.rejected, 21 + 20);
    assert_int_equal(o.counts.empty, 0);
    assert_int_equal(o.counts.lines, 419);
    assert_non_null(strstr(o.messages.at, "N 2709 events that are no clicks: left out ("));
    assert_non_null(strstr(o.messages.at, "N 245 events other than clicks belong to no queries"));
    assert_non_null(strstr(o.messages.at, "N 288 events that repeat clicks"));
    assert_non_null(strstr(o.messages.at, "N 168 query documents that repeat others"));
    assert_non_null(strstr(o.messages.at, "and 18 more lines: another query document"));
    assert_non_null(strstr(o.messages.at, "and 17 more lines: no query document with its"));
    assert_non_null(strstr(o.rows.at, "|a9277f41-1df3-46af-9f4d-5d27a59f6223|ps4|"
                                      "2024-12-10 00:50:26|2|=B08GPZW3FB\n"));
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bulk_files_are_recognised),
        cmocka_unit_test(columns_cannot_be_chosen),
        cmocka_unit_test(users_are_kept_by_their_clicked_queries),
        cmocka_unit_test(the_join_is_over_all_files),
        cmocka_unit_test(files_are_judged_one_by_one_too),
        cmocka_unit_test(standard_input_is_read_once),
        cmocka_unit_test(any_number_of_threads_and_any_memory_give_the_same),
        cmocka_unit_test(a_visitor_that_fails_ends_the_walk),
        cmocka_unit_test(a_cancelled_walk_says_so),
        cmocka_unit_test(lack_of_memory_is_clean),
        cmocka_unit_test(the_sample_is_read_as_counted_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
