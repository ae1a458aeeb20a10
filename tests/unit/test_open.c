/* Opening sealed logs: what comes out, what stays closed, what is damaged, and that nothing appears
 * by halves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include <zlib.h>
#include "core/mem.h"
#include "release_harness.h"
#include "sealed_harness.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static const lethe_sealed_form two_of_five = {.t = 2, .n = 5}, three_of_ten = {.t = 3, .n = 10};

/* --- a file, and opening it --- */

typedef struct opened {
    ground g;
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_buf text; /* sealed */
    char target[300];
    unsigned threads;
    bool strict, force;
} opened;

static int begin(void **state)
{
    opened *o = calloc(1, sizeof *o);
    g_begin(&o->g);
    snprintf(o->target, sizeof o->target, "%s/opened.tsv", o->g.dir);
    o->threads = 2;
    *state = o;
    return 0;
}

static int end(void **state)
{
    opened *o = *state;
    lethe_json_doc_free(o->doc);
    lethe_buf_free(&o->text);
    g_end(&o->g);
    free(o);
    return 0;
}

static void save(opened *o, const char *path)
{
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    g_write(path, (const char *)o->text.at);
}

static lethe_err open_files(opened *o, const char *const *inputs, size_t n)
{
    lethe_opening how = {
        .inputs = inputs, .n_inputs = n, .strict = o->strict, .out = o->target, .force = o->force};
    lethe_json_doc_free(o->doc);
    o->doc = lethe_json_doc_new();
    o->g.said[0] = '\0';
    lethe_ctx *ctx = g_ctx(&o->g, o->threads);
    lethe_err e = lethe_open_sealed(ctx, &how, o->doc, &o->report);
    lethe_ctx_free(ctx);
    return e;
}

/* Opens o->text. */
static lethe_err open_text(opened *o)
{
    const char *const inputs[] = {o->g.log};
    save(o, o->g.log);
    return open_files(o, inputs, 1);
}

static int64_t figure(const opened *o, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(o->report, "metrics"), name));
}

static int64_t damaged(const opened *o, const char *cause)
{
    const lethe_json *m = lethe_json_get(lethe_json_get(o->report, "metrics"), "rows_damaged");
    return lethe_json_int(lethe_json_get(m, cause));
}

static void adds_up(const opened *o)
{
    const lethe_json *c = lethe_json_get(o->report, "counts");
    assert_int_equal(lethe_json_int(lethe_json_get(c, "read")),
                     lethe_json_int(lethe_json_get(c, "published")) +
                         lethe_json_int(lethe_json_get(c, "suppressed")) +
                         lethe_json_int(lethe_json_get(c, "rejected")));
}

static void expect_log(const opened *o, const char *want)
{
    char *got = g_read(o->target);
    assert_non_null(got);
    assert_string_equal(got, want);
    free(got);
}

static void no_target(const opened *o) { assert_int_not_equal(access(o->target, F_OK), 0); }

/* --- users with chosen indices --- */

/* A user whose share of the query has that index. */
static const char *user_with(const lethe_sealer *s, lethe_sealed_form form, const char *query,
                             uint32_t index, char user[16])
{
    for (int u = 0; u < 100000; u++) {
        lethe_buf b = {0};
        lethe_sealed_row row;
        uint32_t column;
        snprintf(user, 16, "u%d", u);
        sealed_row(&b, s, user, query, 0, NULL);
        form.clicks = false;
        sealed_must(!lethe_sealed_parse(&form, (lethe_str){(char *)b.at, b.n - 1}, &row, &column));
        lethe_buf_free(&b);
        if (row.index == index) return user;
    }
    abort();
}

static void row_with(opened *o, const lethe_sealer *s, lethe_sealed_form form, const char *query,
                     uint32_t index)
{
    char user[16];
    user_with(s, form, query, index, user);
    sealed_row(&o->text, s, user, query, 0, form.clicks ? "3\twww.a.com" : NULL);
}

/* The byte at field `f` (from 0) and place `at` of line `line` (from 1) becomes `to`. */
static char *place_of(opened *o, int line, int f, size_t at)
{
    char *p = (char *)o->text.at;
    for (int i = 1; i < line; i++)
        p = strchr(p, '\n') + 1;
    for (int i = 0; i < f; i++)
        p = strchr(p, '\t') + 1;
    return p + at;
}

static void change(opened *o, int line, int f, size_t at)
{
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    char *p = place_of(o, line, f, at);
    *p = *p == '0' ? '1' : *p == 'A' ? 'B' : f == 3 ? 'A' : '0';
}

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
            assert_int_equal(e, LETHE_ENO);
            assert_int_equal(figure(o, "queries_closed"), 2);
            assert_string_equal(o->g.said, "nothing to open: no query has 2 good shares\n");
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
    assert_int_equal(open_text(o), LETHE_ENO);
    assert_int_equal(figure(o, "queries_closed"), 2);
    sealed_row(&o->text, s, b, "maps", 0, NULL);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 2);
    assert_int_equal(figure(o, "queries_closed"), 1);
    lethe_sealer_free(s);
}

/* --- damage --- */

/* Lines 3.. hold shares 1..n_shares of "maps"; and enough others that one is under a tenth. */
static void maps_with(opened *o, const lethe_sealer *s, uint32_t n_shares)
{
    sealed_begin(&o->text, three_of_ten);
    for (uint32_t i = 1; i <= n_shares; i++)
        row_with(o, s, three_of_ten, "maps", i);
}

static void a_damaged_share_is_found_and_the_others_open(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    o->force = true;
    for (int line = 3; line <= 6; line++) { // any one of four
        maps_with(o, s, 4);
        change(o, line, 2, 9);
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), 3);
        assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 1);
        assert_string_equal(o->g.said, "share does not fit the others of its QueryID\n");
        adds_up(o);
    }
    maps_with(o, s, 6); // and any three of six
    change(o, 3, 2, 9);
    change(o, 5, 2, 10);
    change(o, 8, 2, 11);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 3);
    assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 3);
    maps_with(o, s, 3); // with no share to spare nobody can tell which one it is
    change(o, 4, 2, 9);
    unlink(o->target);
    assert_int_equal(open_text(o), LETHE_ENO);
    assert_int_equal(damaged(o, "shares do not make the key of their QueryID"), 3);
    assert_int_equal(figure(o, "queries_closed"), 1);
    adds_up(o);
    no_target(o);
    lethe_sealer_free(s);
}

/* The same index with two values: each is tried. */
static void two_values_of_one_index(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    o->force = true;
    for (size_t at = 2; at < 10; at++) { // the damaged one sorts before or after the good one
        maps_with(o, s, 3);
        row_with(o, s, three_of_ten, "maps", 2);
        change(o, 6, 2, at);
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), 3);
        assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 1);
    }
    lethe_sealer_free(s);
}

static void a_damaged_box_is_left_out(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    o->force = true;
    for (int line = 3; line <= 6; line++) {
        maps_with(o, s, 4);
        change(o, line, 3, 7);
        assert_int_equal(open_text(o), LETHE_OK);
        assert_int_equal(figure(o, "rows_opened"), 3); // its share is good
        assert_int_equal(damaged(o, "box does not open"), 1);
        adds_up(o);
    }
    maps_with(o, s, 3);
    for (int line = 3; line <= 5; line++)
        change(o, line, 3, 7);
    unlink(o->target);
    assert_int_equal(open_text(o), LETHE_ENO);
    assert_int_equal(damaged(o, "box does not open"), 3);
    assert_int_equal(figure(o, "queries_opened"), 0);
    no_target(o);
    lethe_sealer_free(s);
}

/* A row of one query put among those of another. */
static void a_row_under_another_id_is_left_out(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 3);
    row_with(o, s, three_of_ten, "secret", 7);
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    memcpy(place_of(o, 6, 1, 0), place_of(o, 3, 1, 0), LETHE_SEALED_ID_CHARS);
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 3);
    assert_int_equal(damaged(o, "share does not fit the others of its QueryID"), 1);
    char *got = g_read(o->target);
    assert_null(strstr(got, "secret"));
    free(got);
    lethe_sealer_free(s);
}

/* Who has t shares has the key, and can lock another query into a box: then neither is believed. */
static void two_boxes_that_open_open_neither(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    lethe_weights *w = lethe_weights_new();
    lethe_shares shares = {0};
    uint8_t key[32], id[16], box[32], plain[16] = "other\x80";
    static const uint8_t nonce[12];
    char text[64];
    maps_with(o, s, 4);
    save(o, o->g.log);
    for (int i = 0; i < 3; i++) {
        lethe_sealed_row row;
        uint32_t column;
        char *line = place_of(o, 3 + i, 0, 0);
        size_t n = (size_t)(strchr(line, '\n') - line);
        assert_null(lethe_sealed_parse(&three_of_ten, (lethe_str){line, n}, &row, &column));
        shares.indices[i] = (uint8_t)row.index;
        lethe_sealed_share(&row, shares.bytes + 32 * i);
        lethe_sealed_id(&row, id);
    }
    assert_true(lethe_unseal_key(&three_of_ten, w, &shares, id, key));
    crypto_aead_chacha20poly1305_ietf_encrypt(box, NULL, plain, 16, NULL, 0, NULL, nonce, key);
    sodium_bin2base64(text, sizeof text, box, 32, sodium_base64_VARIANT_ORIGINAL);
    memcpy(place_of(o, 5, 3, 0), text, 44);
    assert_int_equal(open_text(o), LETHE_ENO);
    assert_int_equal(damaged(o, "boxes of one QueryID hold different queries"), 4);
    no_target(o);
    lethe_weights_free(w);
    lethe_sealer_free(s);
}

static void lines_that_do_not_parse_are_counted(void **state)
{
    opened *o = *state;
    lethe_sealer *s = sealed_by(1, three_of_ten, 0);
    maps_with(o, s, 10);
    row_with(o, s, three_of_ten, "maps", 1);
    sealed_put(&o->text, (lethe_str){"", 1});
    o->text.n--;
    *place_of(o, 7, 2, 20) = 'x';
    assert_int_equal(open_text(o), LETHE_OK);
    assert_int_equal(figure(o, "rows_opened"), 10);
    assert_int_equal(damaged(o, "share is not 64 hex digits"), 1);
    assert_string_equal(o->g.said, "share is not 64 hex digits\n");
    adds_up(o);
    o->strict = o->force = true;
    assert_int_equal(open_text(o), LETHE_EINPUT);
    maps_with(o, s, 4); // damage that only shows when opened is no less strictly taken
    change(o, 3, 2, 9);
    assert_int_equal(open_text(o), LETHE_EINPUT);
    o->text.n -= 30; // cut short
    o->strict = false;
    assert_int_equal(open_text(o), LETHE_EINPUT);
    assert_non_null(strstr(o->g.said, "line does not end with LF"));
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
        lethe_opening how = {.inputs = inputs, .n_inputs = 1, .out = o->target};
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_shares_open_a_query_and_fewer_do_not),
        TEST(clicks_are_written_where_they_were_kept),
        TEST(threads_do_not_matter),
        TEST(compressed_files_and_folders_are_opened),
        TEST(files_are_opened_together),
        TEST(epochs_do_not_combine),
        TEST(a_damaged_share_is_found_and_the_others_open),
        TEST(two_values_of_one_index),
        TEST(a_damaged_box_is_left_out),
        TEST(a_row_under_another_id_is_left_out),
        TEST(two_boxes_that_open_open_neither),
        TEST(lines_that_do_not_parse_are_counted),
        TEST(targets_and_inputs),
        TEST(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
