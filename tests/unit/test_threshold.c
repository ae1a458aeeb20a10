#include "threshold_harness.h"
#include "core/ctx.h"

/* Rows as "user query second [url]", on 2006-03-01 plus `second`. */
typedef struct short_row {
    const char *user, *query;
    int64_t second;
    const char *url;
} short_row;

static olog rows_of(const short_row *s, size_t n)
{
    olog log = {calloc(n, sizeof(orow)), n};
    for (size_t i = 0; i < n; i++) {
        orow *r = &log.at[i];
        snprintf(r->user, sizeof r->user, "%s", s[i].user);
        snprintf(r->owner, sizeof r->owner, "%.*s", (int)strcspn(s[i].user, "/"), s[i].user);
        snprintf(r->query, sizeof r->query, "%s", s[i].query);
        snprintf(r->url, sizeof r->url, "%s", s[i].url ? s[i].url : "");
        r->rank = s[i].url ? 3 : LETHE_NO_RANK;
        r->time = 1141171200 + s[i].second;
    }
    return log;
}

static size_t with_text(const harness *h, const char *query)
{
    size_t n = 0;
    for (size_t i = 0; i < h->rows.n; i++)
        n += strcmp(h->rows.at[i].query, query) == 0;
    return n;
}

static lethe_err run_on(harness *h, const short_row *s, size_t n, setting how)
{
    olog log = rows_of(s, n);
    h_begin(h, o_ctx(2, 0));
    lethe_err err = h_run_rows(h, &log, &how);
    o_free(&log);
    return err;
}

static void done(harness *h)
{
    lethe_ctx_free(h->ctx);
    h_end(h);
}

/* Two users have "maps", one has asked for herself three times. */
static const short_row sample[] = {
    {"1", "maps", 0, "http://a.com"},
    {"1", "maps", 0, "http://b.com"},
    {"2", "maps", 5, NULL},
    {"1", "arnold", 0, NULL},
    {"1", "arnold", 60, "http://c.com"},
    {"1", "arnold", 86400, NULL},
    {"3", "rare", 0, NULL},
};
#define N_SAMPLE (sizeof sample / sizeof *sample)

static void users_are_counted_once(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = "2"}), LETHE_OK);
    assert_int_equal(h.rows.n, 3);
    assert_int_equal(with_text(&h, "maps"), 3);
    assert_int_equal(h.dropped, 4);
    assert_int_equal(h_figure(&h, "rows_kept"), 3);
    assert_int_equal(h_figure(&h, "rows_suppressed"), 4);
    assert_int_equal(h_figure(&h, "rows_hashed"), 0);
    assert_int_equal(h_figure(&h, "queries_kept"), 1);
    done(&h);
}

static void rows_come_out_as_they_went_in(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, sample, 1, (setting){.t = "1"}), LETHE_OK);
    assert_int_equal(h.rows.n, 1);
    const orow *r = &h.rows.at[0];
    assert_string_equal(r->user, "1");
    assert_string_equal(r->query, "maps");
    assert_string_equal(r->url, "http://a.com");
    assert_int_equal(r->time, 1141171200);
    assert_int_equal(r->rank, 3);
    done(&h);
}

/* "arnold" has three queries to the second, two to the day, one where times are dropped. */
static void queries_count_as_published(void **state)
{
    (void)state;
    static const struct {
        lethe_time_unit times;
        const char *t;
        size_t arnold;
    } want[] = {{LETHE_TIME_EXACT, "3", 3}, {LETHE_TIME_EXACT, "4", 0}, {LETHE_TIME_HOUR, "3", 0},
                {LETHE_TIME_HOUR, "2", 3},  {LETHE_TIME_DAY, "3", 0},   {LETHE_TIME_DAY, "2", 3},
                {LETHE_TIME_DROP, "2", 0},  {LETHE_TIME_DROP, "1", 3}};
    for (size_t i = 0; i < LETHE_COUNT(want); i++) {
        harness h;
        setting how = {.t = want[i].t, .by = "queries", .times = want[i].times};
        (void)!run_on(&h, sample, N_SAMPLE, how);
        assert_int_equal(with_text(&h, "arnold"), want[i].arnold);
        done(&h);
    }
}

static void rows_count_every_line(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = "3", .by = "rows"}), LETHE_OK);
    assert_int_equal(with_text(&h, "maps"), 3);
    assert_int_equal(with_text(&h, "arnold"), 3);
    assert_int_equal(with_text(&h, "rare"), 0);
    done(&h);
}

/* Personas of one owner are one person (METHODS 6d), whatever users they publish under. */
static void owners_count_and_not_their_personas(void **state)
{
    (void)state;
    static const short_row split[] = {{"1/a", "q", 0, NULL},
                                      {"1/b", "q", 0, NULL},
                                      {"1/c", "q", 9, NULL},
                                      {"2/a", "r", 0, NULL},
                                      {"1/a", "r", 0, NULL}};
    harness h;
    assert_int_equal(run_on(&h, split, 5, (setting){.t = "2"}), LETHE_OK);
    assert_int_equal(with_text(&h, "q"), 0);
    assert_int_equal(with_text(&h, "r"), 2);
    done(&h);
    assert_int_equal(run_on(&h, split, 5, (setting){.t = "3", .by = "queries"}), LETHE_OK);
    assert_int_equal(with_text(&h, "q"), 3); /* three users as published */
    done(&h);
}

static void hashed_rows_lose_text_and_click(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = "2", .rare = "hash"}), LETHE_OK);
    assert_int_equal(h.rows.n, N_SAMPLE);
    assert_int_equal(h.dropped, 0);
    assert_int_equal(h_figure(&h, "rows_kept"), 3);
    assert_int_equal(h_figure(&h, "rows_hashed"), 4);
    assert_int_equal(h_figure(&h, "rows_suppressed"), 0);
    char arnold[64] = "";
    for (size_t i = 0; i < h.rows.n; i++) {
        const orow *r = &h.rows.at[i];
        if (strcmp(r->query, "maps") == 0) continue;
        assert_true(h_is_hash(r->query));
        assert_string_equal(r->url, "");
        assert_int_equal(r->rank, LETHE_NO_RANK);
        if (strcmp(r->user, "1") != 0) continue;
        if (!*arnold) strcpy(arnold, r->query);
        assert_string_equal(r->query, arnold); /* equal texts, equal hashes */
    }
    assert_int_equal(with_text(&h, arnold), 3);
    done(&h);
}

/* The hash is that of the key given, under a label of its own. */
static void hash_is_keyed(void **state)
{
    (void)state;
    harness h;
    lethe_secret *key, *derived;
    uint8_t mac[16];
    char want[34] = "#";
    assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
    assert_int_equal(lethe_secret_derive(key, "query-hash", &derived), LETHE_OK);
    lethe_secret_mac(derived, LETHE_LIT("rare"), mac, sizeof mac);
    for (size_t i = 0; i < sizeof mac; i++)
        sprintf(want + 1 + 2 * i, "%02x", mac[i]);
    lethe_secret_free(key);
    lethe_secret_free(derived);
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = "2", .rare = "hash"}), LETHE_OK);
    assert_int_equal(with_text(&h, want), 1);
    done(&h);
}

/* Who types something that looks like a hash is not let through for it. */
static void typed_hashes_are_texts(void **state)
{
    (void)state;
    const char *typed = "#0123456789abcdef0123456789abcdef";
    const short_row log[] = {{"1", typed, 0, NULL}, {"2", "x", 0, NULL}, {"1", "x", 0, NULL}};
    harness h;
    assert_int_equal(run_on(&h, log, 3, (setting){.t = "2", .rare = "hash"}), LETHE_OK);
    assert_int_equal(h.rows.n, 3);
    assert_int_equal(with_text(&h, typed), 0);
    done(&h);
    assert_int_equal(run_on(&h, log, 3, (setting){.t = "2"}), LETHE_OK);
    assert_int_equal(h.rows.n, 2);
    done(&h);
    assert_int_equal(run_on(&h, log, 3, (setting){.t = "1"}), LETHE_OK);
    assert_int_equal(with_text(&h, typed), 1);
    done(&h);
}

static void nothing_left_is_no(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = NULL}),
                     LETHE_ENO); /* five users: none */
    assert_int_equal(h.rows.n, 0);
    assert_int_equal(h.dropped, N_SAMPLE);
    done(&h);
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = "1000000000", .by = "rows"}),
                     LETHE_ENO);
    done(&h);
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.rare = "hash"}),
                     LETHE_OK); /* all hashed */
    assert_int_equal(h_figure(&h, "rows_hashed"), N_SAMPLE);
    assert_int_equal(h_figure(&h, "rows_kept"), 0);
    done(&h);
}

static char said[256];

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    if (m->severity == LETHE_ERROR) snprintf(said, sizeof said, "%s", m->text);
}

static void nothing_left_is_said(void **state)
{
    (void)state;
    lethe_settings s = {.n_threads = 1, .on_message = keep_message};
    lethe_ctx *ctx;
    harness h;
    olog log = rows_of(sample, N_SAMPLE);
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    h_begin(&h, ctx);
    assert_int_equal(h_run_rows(&h, &log, &(setting){.t = "7"}), LETHE_ENO);
    assert_string_equal(said, "no query text has 7 users: nothing is left to publish");
    done(&h);
    o_free(&log);
}

static void claim_says_what_was_asked(void **state)
{
    (void)state;
    static const struct {
        setting how;
        const char *want;
    } table[] = {
        {{0}, "[{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\"}]"},
        {{.t = "3", .by = "queries"},
         "[{\"notion\":\"query-threshold\",\"t\":3,\"by\":\"queries\"}]"},
        {{.t = "2", .by = "rows", .rare = "hash"},
         "[{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"rows\",\"rare\":\"hash\"}]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *claims = lethe_json_array(doc);
        lethe_value at[8];
        lethe_values v;
        size_t n;
        h_values(&v, at, &table[i].how);
        lethe_method_threshold.claims(&v, doc, claims);
        char *text = lethe_json_write(claims, 0, &n);
        assert_string_equal(text, table[i].want);
        lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
}

static void options_keep_their_range(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"t", "0"},       {"t", "-1"},      {"t", "1000000001"},
                                         {"t", "2.5"},     {"t", ""},        {"by", "rowz"},
                                         {"rare", "keep"}, {"same", "words"}};
    lethe_value at[8];
    lethe_values v;
    lethe_values_init(&v, lethe_method_threshold.options, at);
    for (size_t k = 0; k < LETHE_COUNT(bad); k++) {
        size_t i = 0;
        while (strcmp(v.table[i].name, bad[k][0]) != 0)
            i++;
        assert_int_equal(lethe_values_set(&v, i, bad[k][1], NULL), LETHE_EUSAGE);
    }
}

static void tables_know_it(void **state)
{
    (void)state;
    assert_ptr_equal(lethe_method_find("threshold"), &lethe_method_threshold);
    assert_null(lethe_method_find("thresholds"));
    assert_null(lethe_method_find(""));
    bool found = false;
    for (const lethe_method *const *m = lethe_methods(); *m; m++) {
        found = found || *m == &lethe_method_threshold;
        assert_non_null(lethe_notion_find(lethe_str_of((*m)->notion)));
        assert_true((*m)->caveats && (*m)->caveats[0]);
    }
    assert_true(found);
    assert_null(lethe_notion_find(LETHE_LIT("query")));
    assert_null(lethe_notion_find(LETHE_LIT("query-threshold2")));
    assert_ptr_equal(lethe_notions()[0], &lethe_notion_query_threshold);
    assert_non_null(lethe_measures()[0]);
    assert_null(lethe_adversaries()[0]);
}

static lethe_err refuse(lethe_result *out, unsigned w, const lethe_row *row)
{
    (void)out, (void)w, (void)row;
    return LETHE_EIO;
}

static void a_failing_receiver_ends_it(void **state)
{
    (void)state;
    harness h;
    olog log = rows_of(sample, N_SAMPLE);
    lethe_secret *key;
    lethe_value at[8];
    lethe_values v;
    h_begin(&h, o_ctx(2, 0));
    h_values(&v, at, &(setting){.t = "1"});
    assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
    lethe_log *in = h_store(h.ctx, &log);
    lethe_run run = {
        .ctx = h.ctx, .values = &v, .random = key, .key = key, .memory_bytes = 1 << 20};
    lethe_result out = {
        .pipeline = &h, .emit = refuse, .drop = h_drop, .doc = h.doc, .metrics = h.metrics};
    assert_int_equal(lethe_method_threshold.run(&run, &(lethe_data){LETHE_SHAPE_LOG, in}, &out),
                     LETHE_EIO);
    lethe_log_free(in);
    lethe_secret_free(key);
    o_free(&log);
    done(&h);
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    harness h;
    olog log = rows_of(sample, N_SAMPLE);
    h_begin(&h, o_ctx(2, 0));
    lethe_log *in = h_store(h.ctx, &log);
    lethe_ctx_cancel(h.ctx);
    assert_int_equal(h_run(&h, in, &(setting){.t = "1"}), LETHE_ECANCEL);
    lethe_log_free(in);
    o_free(&log);
    done(&h);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    olog log = rows_of(sample, N_SAMPLE);
    lethe_ctx *ctx = o_ctx(2, 0);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        harness h;
        h_begin(&h, ctx);
        lethe_log *in = h_store(ctx, &log);
        lethe_alloc_fail_at(n);
        err = h_run(&h, in, &(setting){.t = "2", .rare = "hash"});
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_log_free(in);
        h_end(&h);
    }
    assert_true(n > 5);
    lethe_ctx_free(ctx);
    o_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_are_counted_once),
        cmocka_unit_test(rows_come_out_as_they_went_in),
        cmocka_unit_test(queries_count_as_published),
        cmocka_unit_test(rows_count_every_line),
        cmocka_unit_test(owners_count_and_not_their_personas),
        cmocka_unit_test(hashed_rows_lose_text_and_click),
        cmocka_unit_test(hash_is_keyed),
        cmocka_unit_test(typed_hashes_are_texts),
        cmocka_unit_test(nothing_left_is_no),
        cmocka_unit_test(nothing_left_is_said),
        cmocka_unit_test(claim_says_what_was_asked),
        cmocka_unit_test(options_keep_their_range),
        cmocka_unit_test(tables_know_it),
        cmocka_unit_test(a_failing_receiver_ends_it),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
