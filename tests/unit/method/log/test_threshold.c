/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
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

/* Personas of one owner are one person (docs/methods.md), whatever users they publish under. */
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

static void hash_of(const char *label, const char *text, char want[34])
{
    lethe_secret *key, *derived;
    uint8_t mac[16];
    assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
    assert_int_equal(lethe_secret_derive(key, label, &derived), LETHE_OK);
    lethe_secret_mac(derived, lethe_str_of(text), mac, sizeof mac);
    strcpy(want, "#");
    for (size_t i = 0; i < sizeof mac; i++)
        sprintf(want + 1 + 2 * i, "%02x", mac[i]);
    lethe_secret_free(key);
    lethe_secret_free(derived);
}

/* The hash is that of the key given, under a label of its own: of the text, or of its words. */
static void hash_is_keyed(void **state)
{
    (void)state;
    static const short_row log[] = {{"1", "red cars", 0, NULL}, {"2", "x", 0, NULL}};
    static const struct {
        const char *same, *label, *text;
    } table[] = {{"exact", "query-hash", "red cars"},
                 {"words", "words-hash", "car red"},
                 {NULL, "words-hash", "car red"}};
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        harness h;
        char want[34];
        hash_of(table[i].label, table[i].text, want);
        setting how = {.t = "2", .rare = "hash", .same = table[i].same};
        assert_int_equal(run_on(&h, log, 2, how), LETHE_OK);
        assert_int_equal(with_text(&h, want), 1);
        done(&h);
    }
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
    // nor if as many typed it as are needed: among hashes, nobody would look at it again
    const short_row both[] = {{"1", typed, 0, NULL}, {"2", typed, 0, NULL}};
    assert_int_equal(run_on(&h, both, 2, (setting){.t = "2", .rare = "hash"}), LETHE_OK);
    assert_int_equal(h.rows.n, 2);
    assert_int_equal(with_text(&h, typed), 0);
    assert_int_equal(h_figure(&h, "rows_hashed"), 2);
    done(&h);
}

/* --- texts with the same words --- */

/* Seven users, in four ways of asking; "red cars" has most of them. */
static const short_row cars[] = {
    {"1", "red cars", 0, "http://a.com"}, {"2", "red cars", 0, NULL},
    {"3", "red cars", 0, NULL},           {"4", "cars red", 0, NULL},
    {"5", "cars red", 0, NULL},           {"6", "car red", 0, "http://b.com"},
    {"7", "red, car!", 0, NULL},          {"7", "blue cars", 0, NULL},
};
#define N_CARS (sizeof cars / sizeof *cars)

static void the_same_words_are_one_text(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, cars, N_CARS, (setting){.t = "7", .clicks = "all"}), LETHE_OK);
    assert_int_equal(h.rows.n, 7);
    assert_int_equal(with_text(&h, "red cars"), 7);
    assert_int_equal(h.dropped, 1);
    assert_int_equal(h_figure(&h, "rows_kept"), 7);
    assert_int_equal(h_figure(&h, "rows_suppressed"), 1);
    assert_int_equal(h_figure(&h, "queries_kept"), 1);
    for (size_t i = 0; i < h.rows.n; i++) /* clicks go with their rows */
        if (strcmp(h.rows.at[i].user, "6") == 0)
            assert_string_equal(h.rows.at[i].url, "http://b.com");
    done(&h);
    assert_int_equal(run_on(&h, cars, N_CARS, (setting){.t = "8"}), LETHE_ANSWER_NO);
    assert_int_equal(h.dropped, N_CARS);
    done(&h);
}

static void exactly_the_same_is_what_exact_says(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, cars, N_CARS, (setting){.t = "2", .same = "exact"}), LETHE_OK);
    assert_int_equal(with_text(&h, "red cars"), 3);
    assert_int_equal(with_text(&h, "cars red"), 2);
    assert_int_equal(h.rows.n, 5);
    assert_int_equal(h_figure(&h, "queries_kept"), 2);
    done(&h);
}

/* One person who asks in many ways is one person still; so are a user's queries of one time. */
static void who_asks_in_other_words_counts_once(void **state)
{
    (void)state;
    static const short_row log[] = {{"1", "red cars", 0, NULL},  {"1", "cars red", 0, NULL},
                                    {"1", "red car", 60, NULL},  {"2", "car red", 0, NULL},
                                    {"2", "red cars", 60, NULL}, {"2", "car, red", 86400, NULL}};
    static const struct {
        const char *t, *by;
        lethe_time_unit times;
        size_t left;
    } table[] = {
        {"2", "users", LETHE_TIME_DAY, 6},     {"3", "users", LETHE_TIME_DAY, 0},
        {"5", "queries", LETHE_TIME_EXACT, 6}, {"6", "queries", LETHE_TIME_EXACT, 0},
        {"3", "queries", LETHE_TIME_DAY, 6},   {"4", "queries", LETHE_TIME_DAY, 0},
        {"2", "queries", LETHE_TIME_DROP, 6},  {"3", "queries", LETHE_TIME_DROP, 0},
        {"6", "rows", LETHE_TIME_DAY, 6},      {"7", "rows", LETHE_TIME_DAY, 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        harness h;
        setting how = {.t = table[i].t, .by = table[i].by, .times = table[i].times};
        assert_int_equal(run_on(&h, log, 6, how), table[i].left ? LETHE_OK : LETHE_ANSWER_NO);
        assert_int_equal(with_text(&h, "red cars"), table[i].left); /* the one of two users */
        assert_int_equal(h.rows.n, table[i].left);
        done(&h);
    }
}

/* Most users, then the shortest, then the lesser bytes; never who types it most often. */
static void the_commonest_text_is_published(void **state)
{
    (void)state;
    static const struct {
        short_row log[6];
        size_t n;
        const char *want;
    } table[] = {
        /* more users beat more rows */
        {{{"1", "b a", 0, NULL},
          {"1", "b a", 1, NULL},
          {"1", "b a", 2, NULL},
          {"2", "a b", 0, NULL},
          {"3", "a b", 0, NULL}},
         5,
         "a b"},
        {{{"1", "a b", 0, NULL},
          {"1", "a b", 1, NULL},
          {"1", "a b", 2, NULL},
          {"2", "b a", 0, NULL},
          {"3", "b a", 0, NULL}},
         5,
         "b a"},
        /* of as many users, the shorter, however often the longer was typed */
        {{{"1", "a, b", 0, NULL}, {"1", "a, b", 1, NULL}, {"2", "b a", 0, NULL}}, 3, "b a"},
        {{{"1", "weather =+%$^~|<>", 0, NULL},
          {"1", "weather =+%$^~|<>", 1, NULL},
          {"2", "weather ?", 0, NULL}},
         3,
         "weather ?"},
        /* of as long ones, the lesser in bytes; the key itself has no advantage */
        {{{"1", "b a", 0, NULL}, {"1", "b a", 1, NULL}, {"2", "a b", 0, NULL}}, 3, "a b"},
        {{{"1", "cars red", 0, NULL}, {"2", "car, red", 0, NULL}, {"3", "car red", 0, NULL}},
         3,
         "car red"},
        {{{"1", "!car red", 0, NULL}, {"2", "cars red", 0, NULL}}, 2, "!car red"},
        /* personas of one person do not make a text common */
        {{{"1/a", "b a", 0, NULL},
          {"1/b", "b a", 0, NULL},
          {"1/c", "b a", 0, NULL},
          {"2", "a b", 0, NULL},
          {"3", "a b", 0, NULL}},
         5,
         "a b"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        harness h;
        assert_int_equal(run_on(&h, table[i].log, table[i].n, (setting){.t = "2"}), LETHE_OK);
        assert_int_equal(h.rows.n, table[i].n);
        assert_int_equal(with_text(&h, table[i].want), table[i].n);
        done(&h);
    }
}

static void texts_of_one_class_share_a_hash(void **state)
{
    (void)state;
    static const short_row log[] = {{"1", "red cars", 0, "http://a.com"},
                                    {"1", "cars red", 9, NULL},
                                    {"1", "cars: red", 9, NULL},
                                    {"2", "blue cars", 0, NULL},
                                    {"2", "x", 0, NULL},
                                    {"1", "x", 0, NULL}};
    harness h;
    char hash[34];
    hash_of("words-hash", "car red", hash);
    /* by two users, and by queries (2 are published, 3 would do): decided at once, and again */
    for (int by = 0; by < 2; by++) {
        setting how = {.t = by ? "3" : "2", .rare = "hash", .by = by ? "queries" : "users"};
        assert_int_equal(run_on(&h, log, 6, how), LETHE_OK);
        assert_int_equal(with_text(&h, hash), 3);
        assert_int_equal(with_text(&h, "x"), by ? 0 : 2);
        for (size_t i = 0; i < h.rows.n; i++) {
            if (!h_is_hash(h.rows.at[i].query)) continue;
            assert_string_equal(h.rows.at[i].url, "");
            assert_int_equal(h.rows.at[i].rank, LETHE_NO_RANK);
        }
        done(&h);
    }
}

/* What scrub has hidden is no word that somebody typed. */
static void masks_are_not_the_words_they_look_like(void **state)
{
    (void)state;
    static const short_row log[] = {{"1", "[email] login", 0, NULL},
                                    {"2", "login [email]", 0, NULL},
                                    {"3", "email login", 0, NULL},
                                    {"4", "[email]s login", 0, NULL}};
    harness h;
    assert_int_equal(run_on(&h, log, 4, (setting){.t = "2"}), LETHE_OK);
    assert_int_equal(h.rows.n, 2);
    assert_int_equal(with_text(&h, "[email] login"), 2);
    done(&h);
    assert_int_equal(run_on(&h, log, 4, (setting){.t = "3"}), LETHE_ANSWER_NO);
    done(&h);
}

static void texts_without_words_are_like_no_others(void **state)
{
    (void)state;
    static const short_row log[] = {
        {"1", "???", 0, NULL}, {"2", "???", 0, NULL}, {"3", "? ??", 0, NULL}, {"4", "!", 0, NULL}};
    harness h;
    assert_int_equal(run_on(&h, log, 4, (setting){.t = "2"}), LETHE_OK);
    assert_int_equal(h.rows.n, 2);
    assert_int_equal(with_text(&h, "???"), 2);
    done(&h);
}

/* More ways to say the same than memory would hold texts, all in one class; and every one of them
 * by a person of its own, or all by three. */
static void many_texts_of_one_class_take_no_memory(void **state)
{
    (void)state;
    enum { N = 30000 };
    olog log = {calloc(N, sizeof(orow)), N};
    for (size_t i = 0; i < N; i++) { /* the same two words, and i in signs between them */
        orow *r = &log.at[i];
        char *q = r->query;
        q += sprintf(q, "cars");
        for (size_t k = 0; k < 16; k++)
            *q++ = i >> k & 1 ? '+' : '*';
        strcpy(q, "red");
        sprintf(r->user, "%zu", i);
        r->time = 1141171200;
        r->rank = LETHE_NO_RANK;
    }
    for (int few = 0; few < 2; few++) {
        for (size_t i = 0; i < N; i++)
            sprintf(log.at[i].owner, "%zu", few ? i % 3 : i);
        for (int t = 0; t < 2; t++) {
            harness h;
            const char *const counts[2][2] = {{"30000", "30001"}, {"3", "4"}};
            h_begin(&h, o_ctx(2, 0));
            setting how = {.t = counts[few][t], .memory_bytes = 1 << 20};
            assert_int_equal(h_run_rows(&h, &log, &how), t ? LETHE_ANSWER_NO : LETHE_OK);
            assert_int_equal(h.rows.n, t ? 0 : N);
            assert_int_equal(with_text(&h, log.at[0].query), t ? 0 : N); /* the least in bytes */
            assert_int_equal(h.dropped, t ? N : 0);
            done(&h);
        }
    }
    o_free(&log);
}

static char said[512];

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    size_t n = strlen(said);
    if (m->severity == LETHE_ERROR) snprintf(said + n, sizeof said - n, "%s\n", m->text);
}

static lethe_err run_saying(harness *h, setting how)
{
    lethe_settings s = {.n_threads = 1, .on_message = keep_message};
    lethe_ctx *ctx;
    olog log = rows_of(sample, N_SAMPLE);
    said[0] = '\0';
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    h_begin(h, ctx);
    lethe_err err = h_run_rows(h, &log, &how);
    o_free(&log);
    return err;
}

static void no_dictionary_is_said(void **state)
{
    (void)state;
    harness h;
    small_wordnet();
    assert_int_equal(setenv("WNSEARCHDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(run_saying(&h, (setting){.t = "2"}), LETHE_EIO);
    assert_int_equal(h.rows.n + h.dropped, 0);
    assert_non_null(strstr(said, "wordnet-base"));
    assert_non_null(strstr(said, "--same exact"));
    done(&h);
    assert_int_equal(run_saying(&h, (setting){.t = "2", .same = "exact"}), LETHE_OK);
    assert_string_equal(said, "");
    assert_int_equal(h.rows.n, 3);
    done(&h);
    assert_int_equal(setenv("WNSEARCHDIR", small_folder, 1), 0);
}

static void nothing_left_is_no(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = NULL}),
                     LETHE_ANSWER_NO); /* five users: none */
    assert_int_equal(h.rows.n, 0);
    assert_int_equal(h.dropped, N_SAMPLE);
    done(&h);
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.t = "1000000000", .by = "rows"}),
                     LETHE_ANSWER_NO);
    done(&h);
    assert_int_equal(run_on(&h, sample, N_SAMPLE, (setting){.rare = "hash"}),
                     LETHE_OK); /* all hashed */
    assert_int_equal(h_figure(&h, "rows_hashed"), N_SAMPLE);
    assert_int_equal(h_figure(&h, "rows_kept"), 0);
    done(&h);
}

static void nothing_left_is_said(void **state)
{
    (void)state;
    harness h;
    assert_int_equal(run_saying(&h, (setting){.t = "7"}), LETHE_ANSWER_NO);
    assert_string_equal(said, "no query text has 7 users: nothing is left to publish\n");
    done(&h);
}

static void claim_says_what_was_asked(void **state)
{
    (void)state;
    static const struct {
        setting how;
        const char *want;
    } table[] = {
        {{0},
         "[{\"notion\":\"query-threshold\",\"t\":5,\"by\":\"users\",\"clicked\":\"threshold\"}]"},
        {{.as = "counts"}, "[{\"notion\":\"counted-threshold\",\"t\":5,\"by\":\"users\"}]"},
        {{.t = "3", .by = "queries", .clicks = "all"},
         "[{\"notion\":\"query-threshold\",\"t\":3,\"by\":\"queries\"}]"},
        {{.t = "3", .same = "exact", .clicks = "all"},
         "[{\"notion\":\"query-threshold\",\"t\":3,\"by\":\"users\"}]"},
        {{.t = "2", .by = "rows", .rare = "hash"},
         "[{\"notion\":\"query-threshold\",\"t\":2,\"by\":\"rows\",\"rare\":\"hash\","
         "\"clicked\":\"threshold\"}]"},
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
                                         {"rare", "keep"}, {"same", "word"}, {"same", ""}};
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
    assert_ptr_equal(lethe_notion_find(LETHE_LIT("query-threshold")),
                     &lethe_notion_query_threshold);
    assert_non_null(lethe_measures()[0]);
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
    assert_int_equal(
        lethe_method_threshold.run(&run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = in}, &out),
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
    /* 7 users by words, of whom no text has more than three: they are counted again */
    olog log = rows_of(cars, N_CARS);
    lethe_ctx *ctx = o_ctx(2, 0);
    static const setting how[] = {{.t = "5", .rare = "hash"},
                                  {.t = "3", .rare = "hash", .same = "exact"}};
    for (size_t i = 0; i < LETHE_COUNT(how); i++) {
        uint64_t n = 1;
        for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
            harness h;
            h_begin(&h, ctx);
            lethe_log *in = h_store(ctx, &log);
            lethe_alloc_fail_at(n);
            err = h_run(&h, in, &how[i]);
            lethe_alloc_fail_at(0);
            if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
            lethe_log_free(in);
            h_end(&h);
        }
        assert_true(n > 5);
    }
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
        cmocka_unit_test(the_same_words_are_one_text),
        cmocka_unit_test(exactly_the_same_is_what_exact_says),
        cmocka_unit_test(who_asks_in_other_words_counts_once),
        cmocka_unit_test(the_commonest_text_is_published),
        cmocka_unit_test(texts_of_one_class_share_a_hash),
        cmocka_unit_test(masks_are_not_the_words_they_look_like),
        cmocka_unit_test(texts_without_words_are_like_no_others),
        cmocka_unit_test(many_texts_of_one_class_take_no_memory),
        cmocka_unit_test(no_dictionary_is_said),
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
