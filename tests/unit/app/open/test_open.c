/* SPDX-License-Identifier: Apache-2.0 */
/* Opening sealed logs: what comes out, what stays closed, and that nothing appears by halves. */
/* suite: threads */
#include "open_harness.h"
#include <zlib.h>

/* --- what opens --- */

static void t_shares_open_a_query_and_fewer_do_not(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, two_of_five, 0);
    char want[512], a[16], b[16];
    sealed_begin(&o->text, two_of_five);
    row_with(o, s, two_of_five, "maps", 1);
    row_with(o, s, two_of_five, "maps", 4);
    row_with(o, s, two_of_five, "ann lee", 2);
    row_with(o, s, two_of_five, "ann lee", 2);
    assert_int_equal(open_text(o), LETHE_OK);
    user_with(s, two_of_five, "maps", 1, a);
    user_with(s, two_of_five, "maps", 4, b);
    bool first = strcmp(a, b) < 0;
    snprintf(want, sizeof want,
             HEADER "%s\tmaps\t1970-01-01 00:00:00\t\t\n%s\tmaps\t1970-01-01 00:00:00\t\t\n",
             first ? a : b, first ? b : a);
    expect_log(o, want);
    assert_int_equal(figure(o, "rows_opened"), 2);
    assert_int_equal(figure(o, "queries_opened"), 1);
    assert_int_equal(figure(o, "queries_closed"), 1);
    assert_string_equal(o->g.said, "");
    adds_up(o);
    lethe_sealer_free(s);
}

static void clicks_are_written_where_they_were_kept(void **state)
{
    opened *o = *state;
    lethe_sealed_form form = {2, 2, LETHE_SCHEME_ADDITIVE, true};
    lethe_sealer *s = sealed_by(1, form, 0);
    sealed_begin(&o->text, form);
    row_with(o, s, form, "maps", 2);
    row_with(o, s, form, "maps", 1);
    assert_int_equal(open_text(o), LETHE_OK);
    char *got = g_read(o->target);
    assert_non_null(strstr(got, "\tmaps\t1970-01-01 00:00:00\t3\twww.a.com\n"));
    free(got);
    lethe_sealer_free(s);
}

/* Many rows: the same bytes for any number of threads, and as sort has them. */
static void threads_do_not_matter(void **state)
{
    opened *o = *state;
    enum { ROWS = 20000 };
    lethe_sealer *s = sealed_by(2, three_of_ten, 0);
    static const unsigned threads[] = {1, 2, 7};
    char *want = NULL;
    sealed_begin(&o->text, three_of_ten);
    for (int i = 0; i < ROWS; i++) {
        char user[16], query[32];
        snprintf(user, sizeof user, "%d", i * 7919 % 1009);
        snprintf(query, sizeof query, "query %d", i % 4 ? i % 97 : i);
        sealed_row(&o->text, s, user, query, i, NULL);
    }
    o->force = true;
    for (size_t i = 0; i < 3; i++) {
        o->threads = threads[i];
        assert_int_equal(open_text(o), LETHE_OK);
        char *got = g_read(o->target);
        if (want) assert_string_equal(got, want);
        free(want);
        want = got;
    }
    adds_up(o);
    assert_true(figure(o, "queries_opened") >= 97);
    assert_true(figure(o, "queries_closed") > 4000);
    uint64_t lines = 0;
    for (char *p = want, *lf, *before = NULL; (lf = strchr(p, '\n')); before = p, p = lf + 1) {
        *lf = '\0';
        if (lines++ > 1) assert_true(strcmp(before, p) <= 0);
    }
    assert_int_equal(lines, 1 + figure(o, "rows_opened"));
    free(want);
    lethe_sealer_free(s);
}

static void compressed_files_and_folders_are_opened(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, two_of_five, 0);
    char path[400], data[420];
    sealed_begin(&o->text, two_of_five);
    row_with(o, s, two_of_five, "maps", 3);
    row_with(o, s, two_of_five, "maps", 5);
    snprintf(path, sizeof path, "%s/sealed", o->g.dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(data, sizeof data, "%s/data.tsv", path);
    save(o, data);
    snprintf(path, sizeof path, "%s/sealed//", o->g.dir);
    assert_int_equal(open_files(o, (const char *const[]){path}, 1), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 2);
    char *plain = g_read(o->target);
    gzFile gz = gzopen(o->g.log, "wb");
    assert_int_equal(gzwrite(gz, o->text.at, (unsigned)o->text.n), (int)o->text.n);
    gzclose(gz);
    o->force = true;
    assert_int_equal(open_files(o, (const char *const[]){o->g.log}, 1), LETHE_OK);
    expect_log(o, plain);
    free(plain);
    lethe_sealer_free(s);
}

/* --- several files --- */

static void files_are_opened_together(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, two_of_five, 0), *other = sealed_by(2, two_of_five, 0),
                 *daily = sealed_by(1, two_of_five, 86400), *three = sealed_by(1, three_of_ten, 0);
    lethe_sealer *const second[] = {s, other, daily, three};
    const char *const inputs[] = {o->g.log, o->g.map};
    for (size_t i = 0; i < LETHE_COUNT(second); i++) {
        lethe_sealed_form form = second[i] == three ? three_of_ten : two_of_five;
        sealed_begin(&o->text, two_of_five);
        row_with(o, s, two_of_five, "maps", 1);
        save(o, o->g.log);
        sealed_begin(&o->text, form);
        row_with(o, second[i], form, "maps", 2);
        save(o, o->g.map);
        lethe_err e = open_files(o, inputs, 2);
        if (i == 0) {
            assert_int_equal(e, LETHE_OK);
            assert_int_equal(figure(o, "rows_opened"), 2);
            unlink(o->target);
        } else if (i < 3) {
            assert_int_equal(e, LETHE_ANSWER_NO);
            assert_int_equal(figure(o, "queries_closed"), 2);
            assert_string_equal(
                o->g.said, "nothing to open: no query has 2 good shares and a box that opens\n");
        } else {
            assert_int_equal(e, LETHE_EINPUT);
            assert_string_equal(o->g.said, "sealed with t=3 n=10 scheme=shamir, not t=2 n=5 "
                                           "scheme=shamir as expected\n");
        }
        no_target(o);
    }
    for (size_t i = 0; i < LETHE_COUNT(second); i++)
        lethe_sealer_free(second[i]);
}

/* A query of two epochs has a QueryID in each, and shares of one do not help the other. */
static void epochs_do_not_combine(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, two_of_five, 86400);
    char a[16], b[16];
    user_with(s, two_of_five, "maps", 1, a);
    user_with(s, two_of_five, "maps", 2, b);
    sealed_begin(&o->text, two_of_five);
    sealed_row(&o->text, s, a, "maps", 86399, NULL);
    sealed_row(&o->text, s, b, "maps", 86400, NULL);
    assert_int_equal(open_text(o), LETHE_ANSWER_NO);
    assert_int_equal(figure(o, "queries_closed"), 2);
    sealed_row(&o->text, s, b, "maps", 0, NULL);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 2);
    assert_int_equal(figure(o, "queries_closed"), 1);
    lethe_sealer_free(s);
}

/* --- targets and inputs --- */

static void targets_and_inputs(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 3);
    save(o, o->g.log);
    const char *const good[] = {o->g.log}, *const none[] = {o->g.key}, *const folder[] = {o->g.dir},
                      *const twice[] = {"-", "-"};
    assert_int_equal(open_files(o, none, 1), LETHE_EIO);
    assert_int_equal(open_files(o, folder, 1), LETHE_EIO); // no data.tsv in it
    assert_int_equal(open_files(o, twice, 2), LETHE_EUSAGE);
    assert_int_equal(open_files(o, good, 0), LETHE_EUSAGE);
    g_write(o->g.key, "");
    assert_int_equal(open_files(o, none, 1), LETHE_EINPUT);
    no_target(o);
    g_write(o->target, "mine");
    assert_int_equal(open_files(o, good, 1), LETHE_EUSAGE);
    expect_log(o, "mine");
    o->force = true;
    assert_int_equal(open_files(o, none, 1), LETHE_EINPUT);
    expect_log(o, "mine");
    assert_int_equal(open_files(o, good, 1), LETHE_OK);
    assert_string_equal(g_names(&o->g), "key log.tsv opened.tsv");
    lethe_sealer_free(s);
}

/* Not even with --force: what stays closed would be gone for good. */
static void what_is_read_is_not_replaced(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 3);
    save(o, o->target);
    char *before = g_read(o->target), other[400];
    o->force = true;
    assert_int_equal(open_files(o, (const char *const[]){o->target}, 1), LETHE_EUSAGE);
    assert_non_null(strstr(o->g.said, "would replace an input"));
    snprintf(other, sizeof other, "%s/./opened.tsv", o->g.dir);
    save(o, o->g.log);
    assert_int_equal(open_files(o, (const char *const[]){o->g.log, other}, 2), LETHE_EUSAGE);
    expect_log(o, before);
    snprintf(o->target, sizeof o->target, "%s/data.tsv", o->g.dir); // by way of its folder
    save(o, o->target);
    assert_int_equal(open_files(o, (const char *const[]){o->g.dir}, 1), LETHE_EUSAGE);
    expect_log(o, before);
    free(before);
    lethe_sealer_free(s);
}

/* What memory does not hold goes beside the target, whatever the context says, and the context is
 * as before. */
static void spills_go_beside_the_target(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(2, three_of_ten, 0);
    char nowhere[400];
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", o->g.dir);
    sealed_begin(&o->text, three_of_ten);
    for (int i = 0; i < 20000; i++) {
        char user[16], query[32];
        snprintf(user, sizeof user, "%d", i);
        snprintf(query, sizeof query, "query %d", i % 97);
        sealed_row(&o->text, s, user, query, i, NULL);
    }
    save(o, o->g.log);
    for (int to_stdout = 0; to_stdout < 2; to_stdout++) {
        const char *const inputs[] = {o->g.log};
        lethe_settings settings = {.n_threads = 2,
                                   .memory_bytes = 2 << 20,
                                   .spill_dir = nowhere,
                                   .on_message = g_hear,
                                   .user = &o->g};
        lethe_open_options how = {
            .inputs = inputs, .n_inputs = 1, .out = to_stdout ? "-" : o->target};
        lethe_ctx *ctx = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
        assert_int_equal(lethe_open_sealed(ctx, &how, doc, &report),
                         to_stdout ? LETHE_EIO : LETHE_OK);
        assert_string_equal(lethe_ctx_spill_dir(ctx), nowhere);
        lethe_ctx_free(ctx);
        lethe_json_doc_free(doc);
    }
    assert_string_equal(g_names(&o->g), "log.tsv opened.tsv");
    lethe_sealer_free(s);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    const char *const inputs[] = {o->g.log};
    maps_with(o, s, 5);
    row_with(o, s, three_of_ten, "maps", 4);
    change(o, 4, 2, 9);
    change(o, 6, 3, 7);
    save(o, o->g.log);
    lethe_json_doc_free(o->doc);
    o->doc = NULL;
    uint64_t n = 1;
    for (lethe_err e = LETHE_ENOMEM; e != LETHE_OK; n++) {
        lethe_ctx *ctx = g_ctx(&o->g, 1);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        lethe_open_options how = {.inputs = inputs, .n_inputs = 1, .out = o->target};
        lethe_alloc_fail_at(n);
        e = lethe_open_sealed(ctx, &how, doc, &report);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) {
            if (e != LETHE_ENOMEM) fail_msg("%d: %s", (int)n, lethe_err_name(e));
            no_target(o);
            assert_string_equal(g_names(&o->g), "log.tsv");
        }
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    assert_true(n > 20);
    lethe_sealer_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_shares_open_a_query_and_fewer_do_not),
        TEST(clicks_are_written_where_they_were_kept),
        TEST(threads_do_not_matter),
        TEST(compressed_files_and_folders_are_opened),
        TEST(files_are_opened_together),
        TEST(epochs_do_not_combine),
        TEST(targets_and_inputs),
        TEST(what_is_read_is_not_replaced),
        TEST(spills_go_beside_the_target),
        TEST(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
