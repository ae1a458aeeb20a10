/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of `sealed`: what it lets pass, what it objects to, and what it says of it. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <zlib.h>
#include "check_sealed_harness.h"
#include "core/mem.h"

/* Pseudonyms, in order. */
#define ANN "aaaaaaaaaaaaaaa2"
#define BOB "bbbbbbbbbbbbbbb3"
#define CID "cccccccccccccccc"
#define DAN "dddddddddddddd77"
#define DAY1 "2006-03-01"

static const lethe_sealed_form two_of_five = {.t = 2, .n = 5},
                               with_clicks = {.t = 2, .n = 5, .clicks = true};
static const lethe_log_form days = {.times = LETHE_TIME_DAY, .urls = LETHE_URL_HOST};
static const char claim25[] =
    "{\"notion\":\"sealed\",\"t\":2,\"n\":5,\"scheme\":\"shamir\",\"clicks\":false}";

/* --- a folder, and the checker over what is put there --- */

typedef struct ground {
    char path[64];
    int dirfd;
    unsigned threads;
    const lethe_log_form *form;
    char said[256]; /* the first message */
    uint64_t said_line;
    cs_file file;
    lethe_sealer *sealer;
} ground;

static void hear(void *user, const lethe_message *m)
{
    ground *g = user;
    if (g->said[0]) return;
    snprintf(g->said, sizeof g->said, "%s", m->text);
    g->said_line = m->line;
}

static int begin(void **state)
{
    ground *g = calloc(1, sizeof *g);
    g->dirfd = o_folder(g->path);
    g->threads = 2;
    g->form = &days;
    *state = g;
    return 0;
}

static int end(void **state)
{
    ground *g = *state;
    unlinkat(g->dirfd, "data.tsv", 0);
    unlinkat(g->dirfd, "data.tsv", AT_REMOVEDIR);
    close(g->dirfd);
    rmdir(g->path);
    lethe_sealer_free(g->sealer);
    free(g);
    return 0;
}

static lethe_ctx *ctx_of(ground *g)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {
        .n_threads = g->threads, .memory_bytes = 64 << 20, .on_message = hear, .user = g};
    g->said[0] = '\0';
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

static cs_answer look(ground *g, const char *claim)
{
    lethe_ctx *ctx = ctx_of(g);
    cs_answer a = cs_check(ctx, g->dirfd, claim, g->form);
    lethe_ctx_free(ctx);
    return a;
}

static cs_answer look_at_text(ground *g, const char *claim, lethe_str text)
{
    o_write(g->dirfd, "data.tsv", text.at, text.n);
    return look(g, claim);
}

/* The rows as they stand. */
static cs_answer look_at_rows(ground *g, const char *claim)
{
    lethe_buf b = {0};
    cs_text(&g->file, &b);
    cs_answer a = look_at_text(g, claim, (lethe_str){(const char *)b.at, b.n});
    lethe_buf_free(&b);
    return a;
}

static cs_answer look_at_sorted(ground *g, const char *claim)
{
    cs_sort(&g->file);
    return look_at_rows(g, claim);
}

static void kept(const cs_answer *a, const char *figures)
{
    assert_int_equal(a->err, LETHE_OK);
    assert_string_equal(a->why, "");
    assert_true(a->holds);
    assert_string_equal(a->figures, figures);
}

static void broken(const cs_answer *a, const char *why)
{
    assert_int_equal(a->err, LETHE_OK);
    assert_false(a->holds);
    assert_string_equal(a->why, why);
}

/* --- a log: maps of three users (two or three indices), fish of one, in lines 3 to 7 --- */

static void begin_file(ground *g, lethe_sealed_form form)
{
    lethe_sealer_free(g->sealer);
    g->sealer = sealed_by(7, form, 0);
    g->file = (cs_file){.form = form};
}

static void small_log(ground *g, lethe_sealed_form form)
{
    begin_file(g, form);
    cs_add(&g->file, g->sealer, ANN, "maps", DAY1);
    cs_add(&g->file, g->sealer, ANN, "maps", "2006-03-02");
    cs_add(&g->file, g->sealer, BOB, "maps", DAY1);
    cs_add(&g->file, g->sealer, CID, "maps", DAY1);
    cs_add(&g->file, g->sealer, DAN, "fish", DAY1);
    cs_sort(&g->file);
    assert_int_not_equal(cs_index(&g->file.rows[0]), cs_index(&g->file.rows[2]));
}

static cs_row *row_of(ground *g, const char *user)
{
    for (size_t i = 0; i < g->file.n; i++)
        if (strcmp(g->file.rows[i].user, user) == 0) return &g->file.rows[i];
    fail();
    return NULL;
}

static int line_of(ground *g, const char *user)
{
    return (int)(row_of(g, user) - g->file.rows) + 3;
}

static void what_was_sealed_holds(void **state)
{
    ground *g = *state;
    small_log(g, two_of_five);
    cs_answer a = look_at_rows(g, claim25);
    kept(&a, "{\"rows\":5,\"queries\":2,\"openable\":1,\"recoverable\":0.8}");
    g->form = NULL;
    a = look_at_rows(g, claim25);
    kept(&a, "{\"rows\":5,\"queries\":2,\"openable\":1,\"recoverable\":0.8}");
    lethe_sealed_form additive = {.t = 3, .n = 3, .scheme = LETHE_SCHEME_ADDITIVE};
    char claim[128];
    begin_file(g, additive);
    cs_add(&g->file, g->sealer, ANN, "maps", "");
    cs_claim(additive, claim);
    a = look_at_sorted(g, claim);
    kept(&a, "{\"rows\":1,\"queries\":1,\"openable\":0,\"recoverable\":0.0}");
}

static void clicks_hold_where_they_are_claimed(void **state)
{
    ground *g = *state;
    char claim[128];
    cs_claim(with_clicks, claim);
    small_log(g, with_clicks);
    row_of(g, BOB)->rank[0] = row_of(g, BOB)->url[0] = '\0';
    cs_answer a = look_at_sorted(g, claim);
    kept(&a, "{\"rows\":5,\"queries\":2,\"openable\":1,\"recoverable\":0.8}");
}

/* One index is one share, however many users show it. */
static void indices_count_once(void **state)
{
    ground *g = *state;
    begin_file(g, two_of_five);
    uint32_t index = 0;
    for (char c = 'a'; g->file.n < 6; c++) {
        char user[] = "aaaaaaaaaaaaaaaa";
        user[15] = c;
        assert_true(c <= 'z');
        const cs_row *r = cs_add(&g->file, g->sealer, user, "maps", DAY1);
        if (index == 0) index = cs_index(r);
        if (cs_index(r) != index) g->file.n--;
        if (c == 'z') break;
    }
    assert_true(g->file.n >= 2);
    char want[128];
    snprintf(want, sizeof want, "{\"rows\":%zu,\"queries\":1,\"openable\":0,\"recoverable\":0.0}",
             g->file.n);
    cs_answer a = look_at_sorted(g, claim25);
    kept(&a, want);
}

/* --- claims --- */

static void malformed_claims_are_bad_input(void **state)
{
    ground *g = *state;
#define NO(name) name " must be a whole number from 0 to 4294967295"
#define SAYS(t, n, scheme, clicks)                                                                 \
    "{\"notion\":\"sealed\",\"t\":" t ",\"n\":" n ",\"scheme\":" scheme ",\"clicks\":" clicks "}"
    static const struct {
        const char *claim, *says;
    } table[] = {
        {SAYS("1", "5", "\"shamir\"", "false"), "t is less than 2"},
        {SAYS("0", "5", "\"shamir\"", "false"), "t is less than 2"},
        {SAYS("6", "5", "\"shamir\"", "false"), "t is more than n"},
        {SAYS("2", "256", "\"shamir\"", "false"), "n is more than 255"},
        {SAYS("2", "0", "\"shamir\"", "false"), "t is more than n"},
        {SAYS("-2", "5", "\"shamir\"", "false"), NO("t")},
        {SAYS("2", "-5", "\"shamir\"", "false"), NO("n")},
        {SAYS("4294967298", "5", "\"shamir\"", "false"), NO("t")},
        {SAYS("2", "4294967301", "\"shamir\"", "false"), NO("n")},
        {SAYS("2.0", "5", "\"shamir\"", "false"), NO("t")},
        {SAYS("\"2\"", "5", "\"shamir\"", "false"), NO("t")},
        {SAYS("2", "null", "\"shamir\"", "false"), NO("n")},
        {SAYS("2", "5", "\"Shamir\"", "false"), "scheme must be one of shamir, additive"},
        {SAYS("2", "5", "\"\"", "false"), "scheme must be one of shamir, additive"},
        {SAYS("2", "5", "0", "false"), "scheme must be one of shamir, additive"},
        {SAYS("2", "5", "\"additive\"", "false"), "n is not t, which the additive scheme requires"},
        {SAYS("2", "5", "\"shamir\"", "0"), "clicks must be true or false"},
        {SAYS("2", "5", "\"shamir\"", "null"), "clicks must be true or false"},
        {SAYS("2", "5", "\"shamir\"", "\"false\""), "clicks must be true or false"},
        {"{\"notion\":\"sealed\",\"t\":2,\"n\":5,\"scheme\":\"shamir\"}", "clicks is missing"},
        {"{\"notion\":\"sealed\",\"t\":2,\"n\":5,\"clicks\":false}", "scheme is missing"},
        {"{\"notion\":\"sealed\",\"t\":2,\"scheme\":\"shamir\",\"clicks\":false}", "n is missing"},
        {"{\"notion\":\"sealed\",\"n\":5,\"scheme\":\"shamir\",\"clicks\":false}", "t is missing"},
        {"{\"t\":2,\"n\":5,\"scheme\":\"shamir\",\"clicks\":false}", "its notion is not sealed"},
        {"{\"notion\":\"scrubbed\",\"t\":2,\"n\":5,\"scheme\":\"shamir\",\"clicks\":false}",
         "its notion is not sealed"},
        {"{\"notion\":\"sealed\",\"t\":2,\"n\":5,\"scheme\":\"shamir\",\"clicks\":false,"
         "\"epoch\":9}",
         "sealed has no parameter 'epoch': it takes t, n, scheme, clicks"},
        {"{}", "its notion is not sealed"},
        {"[\"sealed\",2,5,\"shamir\",false]", "not an object"},
        {"5", "not an object"},
    };
#undef SAYS
#undef NO
    small_log(g, two_of_five);
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        char want[128];
        snprintf(want, sizeof want, "malformed claim: %s", table[i].says);
        cs_answer a = look_at_rows(g, table[i].claim);
        assert_int_equal(a.err, LETHE_EINPUT);
        assert_false(a.holds);
        assert_string_equal(a.figures, "");
        assert_string_equal(g->said, want);
    }
}

/* The data is in order by itself, but is not what is claimed. */
static void the_first_lines_must_say_what_is_claimed(void **state)
{
    ground *g = *state;
    lethe_sealed_form additive = {.t = 2, .n = 2, .scheme = LETHE_SCHEME_ADDITIVE};
    static const char published[] = ",\"published\":{\"t\":2,\"n\":5,\"scheme\":\"shamir\","
                                    "\"clicks\":false}}";
    const struct {
        lethe_sealed_form file, claim;
        const char *reason;
        int line;
    } table[] = {
        {two_of_five, {.t = 3, .n = 5}, "the first line has another t, n or scheme", 1},
        {two_of_five, {.t = 2, .n = 6}, "the first line has another t, n or scheme", 1},
        {two_of_five, additive, "the first line has another t, n or scheme", 1},
        {two_of_five, with_clicks, "there are no columns of clicks", 2},
        {with_clicks, two_of_five, "there are columns of clicks", 2},
        {additive, {.t = 2, .n = 2}, "the first line has another t, n or scheme", 1},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        char claim[128], want[256];
        begin_file(g, table[i].file);
        cs_add(&g->file, g->sealer, "no pseudonym", "maps", DAY1); // comes second
        cs_claim(table[i].claim, claim);
        cs_answer a = look_at_rows(g, claim);
        snprintf(want, sizeof want, "{\"reason\":\"%s\",\"line\":%d", table[i].reason,
                 table[i].line);
        assert_int_equal(a.err, LETHE_OK);
        assert_false(a.holds);
        assert_memory_equal(a.why, want, strlen(want));
        if (i < 4) assert_string_equal(a.why + strlen(want), published);
        assert_string_equal(a.figures, "");
    }
}

/* --- rows that do not agree --- */

/* Another digit, of hex or base64. */
static void other_digit(char *at) { *at = *at == '0' ? '1' : '0'; }

static void any_byte_of_a_share_counts(void **state)
{
    ground *g = *state;
    for (size_t at = 0; at < 64; at++) {
        char want[256];
        small_log(g, two_of_five);
        cs_row *r = &g->file.rows[1]; // of ann, who shows the same share twice
        other_digit(strchr(r->share, ':') + 1 + at);
        cs_answer a = look_at_sorted(g, claim25);
        // the two rows stand in order of their shares now
        const cs_row *first = &g->file.rows[0], *second = &g->file.rows[1];
        assert_true(strcmp(first->user, ANN) == 0 && strcmp(second->user, ANN) == 0);
        snprintf(want, sizeof want,
                 "{\"reason\":\"shares with the same index of one QueryID differ\","
                 "\"query_id\":\"%s\",\"index\":%u,\"line\":4,\"other_line\":3}",
                 first->id, cs_index(first));
        broken(&a, want);
    }
}

static void users_with_the_same_index_show_the_same_share(void **state)
{
    ground *g = *state;
    char want[256];
    small_log(g, two_of_five);
    cs_row *r = row_of(g, CID);
    memcpy(r->share, row_of(g, ANN)->share, sizeof r->share); // as though it were theirs too
    cs_answer a = look_at_sorted(g, claim25);
    assert_true(a.holds);
    r = row_of(g, CID);
    other_digit(strchr(r->share, ':') + 64);
    a = look_at_sorted(g, claim25);
    snprintf(want, sizeof want,
             "{\"reason\":\"shares with the same index of one QueryID differ\","
             "\"query_id\":\"%s\",\"index\":%u,\"line\":%d,\"other_line\":3}",
             r->id, cs_index(row_of(g, ANN)), line_of(g, CID));
    broken(&a, want);
}

static void a_user_shows_one_share(void **state)
{
    ground *g = *state;
    char want[256];
    small_log(g, two_of_five);
    cs_row *two = &g->file.rows[g->file.n++]; // bob's share, under ann's name
    *two = *row_of(g, BOB);
    memcpy(two->user, ANN, sizeof ANN);
    memcpy(two->time, "2006-03-09", 11);
    cs_answer a = look_at_sorted(g, claim25);
    // three rows of ann: those of the lower index come first, by number and not by text
    int line = 0, other = 0;
    uint32_t low = UINT32_MAX;
    for (int i = 0; i < 3; i++)
        low = LETHE_MIN(low, cs_index(&g->file.rows[i]));
    for (int i = 2; i >= 0; i--) {
        if (cs_index(&g->file.rows[i]) == low)
            other = i + 3;
        else
            line = i + 3;
    }
    snprintf(want, sizeof want,
             "{\"reason\":\"a user shows two shares of one QueryID\",\"query_id\":\"%s\","
             "\"user\":\"" ANN "\",\"line\":%d,\"other_line\":%d}",
             row_of(g, ANN)->id, line, other);
    broken(&a, want);
    assert_string_equal(
        a.figures, "{\"rows\":6,\"queries\":2,\"openable\":1,\"recoverable\":0.8333333333333334}");
    // the same share of another query is another matter
    small_log(g, two_of_five);
    cs_add(&g->file, g->sealer, ANN, "fish", DAY1);
    a = look_at_sorted(g, claim25);
    assert_true(a.holds);
}

static void rows_of_a_query_have_one_box(void **state)
{
    ground *g = *state;
    char want[256];
    lethe_sealed_form form = two_of_five;
    cs_file other = {.form = form};
    small_log(g, form);
    // of another query of the same length class, of one of another class, and one bit of itself
    const char *const texts[] = {"fish", "a query of the next class of length", "maps"};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        small_log(g, form);
        cs_row *r = row_of(g, CID);
        const cs_row *from = cs_add(&other, g->sealer, CID, texts[i], DAY1);
        if (i < 2) memcpy(r->box, from->box, sizeof r->box);
        if (i == 2) other_digit(r->box);
        cs_answer a = look_at_sorted(g, claim25);
        snprintf(want, sizeof want,
                 "{\"reason\":\"boxes of one QueryID differ\",\"query_id\":\"%s\",\"line\":%d,"
                 "\"other_line\":3}",
                 row_of(g, CID)->id, line_of(g, CID));
        broken(&a, want);
    }
    // a box that two queries share breaks no promise of this notion
    small_log(g, form);
    memcpy(row_of(g, DAN)->box, row_of(g, ANN)->box, sizeof row_of(g, DAN)->box);
    cs_answer a = look_at_sorted(g, claim25);
    assert_true(a.holds);
}

static void the_lowest_query_id_is_named(void **state)
{
    ground *g = *state;
    static const char *const texts[] = {"maps", "fish", "chips", "salt", "vinegar"};
    char lowest[40] = "g", want[128];
    begin_file(g, two_of_five);
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        cs_add(&g->file, g->sealer, ANN, texts[i], DAY1);
        cs_row *r = cs_add(&g->file, g->sealer, BOB, texts[i], DAY1);
        other_digit(r->box);
        if (strcmp(r->id, lowest) < 0) memcpy(lowest, r->id, sizeof lowest);
    }
    snprintf(want, sizeof want, "{\"reason\":\"boxes of one QueryID differ\",\"query_id\":\"%s\"",
             lowest);
    for (g->threads = 1; g->threads <= 4; g->threads++) {
        cs_answer a = look_at_sorted(g, claim25);
        assert_int_equal(a.err, LETHE_OK);
        assert_memory_equal(a.why, want, strlen(want));
    }
}

/* --- columns that are too fine --- */

static void columns_are_as_coarse_as_the_release_says(void **state)
{
    ground *g = *state;
    char claim[128];
    static const char user[] = "user is not a pseudonym",
                      time[] = "time is finer than the release says",
                      url[] = "URL is finer than the release says",
                      rank[] = "rank of a click that the release leaves out";
    const struct {
        lethe_log_form form;
        const char *user, *time, *rank, *url, *reason;
    } table[] = {
        {days, ANN, DAY1, "1", "www.a.com", NULL},
        {days, ANN, "", "", "", NULL},
        {days, "4417749", DAY1, "1", "www.a.com", user},
        {days, "aaaaaaaaaaaaaaa", DAY1, "1", "www.a.com", user},
        {days, "aaaaaaaaaaaaaaaaa", DAY1, "1", "www.a.com", user},
        {days, "Aaaaaaaaaaaaaaaa", DAY1, "1", "www.a.com", user},
        {days, "aaaaaaaaaaaaaaa1", DAY1, "1", "www.a.com", user},
        {{.any_user = true, .times = LETHE_TIME_DAY}, "4417749", DAY1, "1", "www.a.com", NULL},
        {days, ANN, "2006-03-01 16", "1", "www.a.com", time},
        {days, ANN, "2006-03-01 16:01:20", "1", "www.a.com", time},
        {{.times = LETHE_TIME_HOUR}, ANN, "2006-03-01 16", "1", "www.a.com", NULL},
        {{.times = LETHE_TIME_HOUR}, ANN, "2006-03-01 16:01:20", "1", "www.a.com", time},
        {{.times = LETHE_TIME_EXACT}, ANN, "2006-03-01 16:01:20", "1", "www.a.com", NULL},
        {{.times = LETHE_TIME_DROP}, ANN, "", "1", "www.a.com", NULL},
        {{.times = LETHE_TIME_DROP}, ANN, DAY1, "1", "www.a.com", time},
        {days, ANN, DAY1, "1", "http://www.a.com/maps?q=ann", url},
        {days, ANN, DAY1, "1", "http://www.a.com", url},
        {days, ANN, DAY1, "1", "www.a.com/", url},
        {{.urls = LETHE_URL_ANY}, ANN, DAY1, "1", "http://www.a.com/maps?q=ann", NULL},
        {{.urls = LETHE_URL_ID}, ANN, DAY1, "1", CID, NULL},
        {{.urls = LETHE_URL_ID}, ANN, DAY1, "1", "www.a.com", url},
        {{.urls = LETHE_URL_NONE}, ANN, DAY1, "", "", NULL},
        {{.urls = LETHE_URL_NONE}, ANN, DAY1, "", "www.a.com", url},
        {{.urls = LETHE_URL_NONE}, ANN, DAY1, "1", "", rank},
        {days, "ann", "2006-03-01 16:01:20", "1", "http://www.a.com/maps", user},
    };
    cs_claim(with_clicks, claim);
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        char want[128];
        small_log(g, with_clicks);
        for (size_t k = 0; k < g->file.n; k++) { // all are as coarse as can be
            g->file.rows[k].time[0] = g->file.rows[k].url[0] = g->file.rows[k].rank[0] = '\0';
        }
        cs_row *r = row_of(g, CID);
        snprintf(r->user, sizeof r->user, "%s", table[i].user);
        snprintf(r->time, sizeof r->time, "%s", table[i].time);
        snprintf(r->rank, sizeof r->rank, "%s", table[i].rank);
        snprintf(r->url, sizeof r->url, "%s", table[i].url);
        if (strcmp(r->user, ANN) == 0) memcpy(r->share, row_of(g, ANN)->share, sizeof r->share);
        g->form = &table[i].form;
        cs_answer a = look_at_sorted(g, claim);
        if (!table[i].reason) {
            assert_string_equal(a.why, "");
            assert_true(a.err == LETHE_OK && a.holds);
            continue;
        }
        int line = 0;
        for (size_t k = 0; k < g->file.n; k++)
            if (strcmp(g->file.rows[k].user, table[i].user) == 0 &&
                strcmp(g->file.rows[k].time, table[i].time) == 0 &&
                strcmp(g->file.rows[k].rank, table[i].rank) == 0 &&
                strcmp(g->file.rows[k].url, table[i].url) == 0)
                line = (int)k + 3;
        snprintf(want, sizeof want, "{\"reason\":\"%s\",\"line\":%d}", table[i].reason, line);
        broken(&a, want);
        assert_string_not_equal(a.figures, ""); // which can be counted all the same
        g->form = NULL;                         // where nothing is said, nothing is too fine
        a = look_at_sorted(g, claim);
        assert_true(a.err == LETHE_OK && a.holds);
    }
}

static void what_is_too_fine_comes_before_what_does_not_agree(void **state)
{
    ground *g = *state;
    char want[128];
    small_log(g, two_of_five);
    other_digit(row_of(g, BOB)->box);
    memcpy(row_of(g, DAN)->time, "2006-03-01 16", 14);
    cs_answer a = look_at_sorted(g, claim25);
    snprintf(want, sizeof want, "{\"reason\":\"time is finer than the release says\",\"line\":%d}",
             line_of(g, DAN));
    broken(&a, want);
    memcpy(row_of(g, CID)->user, "Cid", 4); // sorts first
    a = look_at_sorted(g, claim25);
    broken(&a, "{\"reason\":\"user is not a pseudonym\",\"line\":3}");
}

/* --- data that cannot be read --- */

static void refused(ground *g, lethe_str text, const char *said, uint64_t line)
{
    cs_answer a = look_at_text(g, claim25, text);
    assert_int_equal(a.err, LETHE_EINPUT);
    assert_false(a.holds);
    assert_string_equal(a.why, "");
    assert_string_equal(a.figures, "");
    assert_string_equal(g->said, said);
    assert_int_equal(g->said_line, line);
}

#define FIRST "#lethe-sealed 1 t=2 n=5 scheme=shamir\n"
#define COLUMNS "AnonID\tQueryID\tShare\tBox\tQueryTime\n"
#define HEAD FIRST COLUMNS
#define ID "0123456789abcdef0123456789abcdef"
#define HEX64 ID ID
#define BOX "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" /* 32 bytes */
#define ROW(user, id, share, box, time) user "\t" id "\t" share "\t" box "\t" time "\n"
#define GOOD ROW(ANN, ID, "1:" HEX64, BOX, DAY1)
#define TEXT(s) ((lethe_str){(s), sizeof(s) - 1})

static void malformed_data_is_bad_input(void **state)
{
    ground *g = *state;
    static const char order[] = "line out of order: it may reveal the order of the input",
                      no_form[] = "the first line does not say t, n and the scheme",
                      columns[] = "the columns are not those of a sealed log",
                      lf[] = "line does not end with LF",
                      not_sealed[] = "not a sealed log: the first line is not its header";
    const struct {
        lethe_str text;
        const char *said;
        uint64_t line;
    } table[] = {
        {TEXT(""), not_sealed, 1},
        {TEXT("#lethe-sealed"), not_sealed, 1},
        {TEXT("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tq\t\t\t\n"), not_sealed, 1},
        {TEXT("\xef\xbb\xbf" HEAD GOOD), not_sealed, 1},
        {TEXT("#lethe-sealed 2 t=2 n=5 scheme=shamir\n" COLUMNS GOOD),
         "a sealed log of another version", 1},
        {TEXT("#lethe-sealed 1 t=2 scheme=shamir\n" COLUMNS GOOD), no_form, 1},
        {TEXT("#lethe-sealed 1 t=1 n=5 scheme=shamir\n" COLUMNS GOOD), "t is less than 2", 1},
        {TEXT(HEAD), "'data.tsv' holds only a header", 0},
        {TEXT(FIRST GOOD), columns, 2},
        {TEXT(FIRST), columns, 2},
        {TEXT("#lethe-sealed 1 t=2 n=5 scheme=shamir\r\n" COLUMNS GOOD),
         "the scheme is neither shamir nor additive", 1},
        {TEXT(FIRST "AnonID\tQueryID\tShare\tBox\tQueryTime\r\n" GOOD), columns, 2},
        {TEXT(HEAD HEAD GOOD), "not five columns", 3},
        {TEXT(HEAD COLUMNS GOOD), "QueryID is not 32 hex digits", 3},
        {TEXT(HEAD GOOD COLUMNS), "QueryID is not 32 hex digits", 4},
        {TEXT(HEAD ANN "\t" ID "\t1:" HEX64 "\t" BOX "\t" DAY1), lf, 3},
        {TEXT(HEAD GOOD ANN "\t" ID "\t1:" HEX64 "\t" BOX "\t" DAY1 "\r\n"), lf, 4},
        {TEXT(HEAD GOOD ANN "\t" ID "\t1:"), lf, 4},
        {TEXT(HEAD GOOD "\n"), "empty line", 4},
        {TEXT(HEAD GOOD ROW(BOB "\0", ID, "1:" HEX64, BOX, DAY1)), "NUL byte", 4},
        {TEXT(HEAD GOOD ROW(BOB "\xff", ID, "1:" HEX64, BOX, DAY1)), "not UTF-8", 4},
        {TEXT(HEAD GOOD ROW("b\rb", ID, "1:" HEX64, BOX, DAY1)), "line end inside the line", 4},
        {TEXT(HEAD ROW(BOB, ID, "1:" HEX64, BOX, DAY1) GOOD), order, 4},
        {TEXT(HEAD ROW(ANN, ID, "2:" HEX64, BOX, DAY1) GOOD), order, 4},
        {TEXT(HEAD ROW("", ID, "1:" HEX64, BOX, DAY1)), "no user", 3},
        {TEXT(HEAD ROW(ANN, ID "0", "1:" HEX64, BOX, DAY1)), "QueryID is not 32 hex digits", 3},
        {TEXT(HEAD ROW(ANN, "how to kill", "1:" HEX64, BOX, DAY1)), "QueryID is not 32 hex digits",
         3},
        {TEXT(HEAD ROW(ANN, ID, "0:" HEX64, BOX, DAY1)), "share without an index and a colon", 3},
        {TEXT(HEAD ROW(ANN, ID, "6:" HEX64, BOX, DAY1)), "index of the share is not in 1 to n", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64 "00", BOX, DAY1)), "share is not 64 hex digits", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, "bWFwcw==", DAY1)), "box has an impossible size", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, "maps", DAY1)), "box has an impossible size", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, "", DAY1)), "box is not base64", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, BOX, "yesterday")), "not a time as published", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, BOX, "1141171200")), "not a time as published", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, BOX, "2006-02-30")), "not a time as published", 3},
        {TEXT(HEAD ROW(ANN, ID, "1:" HEX64, BOX, DAY1 "\t1\twww.a.com")), "not five columns", 3},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++)
        refused(g, table[i].text, table[i].said, table[i].line);
    cs_answer a = look_at_text(g, claim25, TEXT(HEAD GOOD)); // and this is none of them
    assert_true(a.err == LETHE_OK && a.holds);
}

/* A line that does not parse is bad input though others are of another form than is claimed. */
static void malformed_data_comes_before_what_is_claimed(void **state)
{
    ground *g = *state;
    static const char other[] = "#lethe-sealed 1 t=3 n=5 scheme=shamir\n" COLUMNS GOOD;
    refused(g, TEXT(HEAD ROW("Ann", ID, "1:" HEX64, BOX, DAY1) "x\n"), "not five columns", 4);
    cs_answer a = look_at_text(g, claim25, TEXT(other));
    assert_true(a.err == LETHE_OK && !a.holds);
    char cut[sizeof other];
    memcpy(cut, other, sizeof other);
    refused(g, (lethe_str){cut, sizeof other - 2}, "line does not end with LF", 3);
}

static void huge_lines_are_refused(void **state)
{
    ground *g = *state;
    size_t n = (size_t)4 << 20, head = strlen(HEAD);
    char *text = malloc(n);
    memset(text, 'a', n);
    memcpy(text, HEAD, head);
    text[n - 1] = '\n';
    refused(g, (lethe_str){text, n}, "line over 3 MiB", 3);
    free(text);
}

static void only_a_plain_file_is_read(void **state)
{
    ground *g = *state;
    char path[96];
    cs_answer a = look(g, claim25);
    assert_true(a.err == LETHE_EIO && !a.holds); // there is none
    assert_string_equal(g->said, "cannot open 'data.tsv': no such file or directory");
    o_write(g->dirfd, "elsewhere", HEAD GOOD, strlen(HEAD GOOD));
    assert_int_equal(symlinkat("elsewhere", g->dirfd, "data.tsv"), 0);
    a = look(g, claim25);
    assert_true(a.err == LETHE_EIO && !a.holds);
    assert_int_equal(unlinkat(g->dirfd, "data.tsv", 0), 0);
    assert_int_equal(unlinkat(g->dirfd, "elsewhere", 0), 0);
    assert_int_equal(mkdirat(g->dirfd, "data.tsv", 0700), 0);
    a = look(g, claim25);
    assert_true(a.err == LETHE_EINPUT && !a.holds);
    assert_int_equal(unlinkat(g->dirfd, "data.tsv", AT_REMOVEDIR), 0);
    assert_int_equal(mkfifoat(g->dirfd, "data.tsv", 0600), 0);
    a = look(g, claim25); // and does not wait for a writer
    assert_true(a.err == LETHE_EINPUT && !a.holds);
    assert_int_equal(unlinkat(g->dirfd, "data.tsv", 0), 0);
    snprintf(path, sizeof path, "%s/data.tsv", g->path);
    gzFile f = gzopen(path, "wb");
    assert_true(gzwrite(f, HEAD GOOD, (unsigned)strlen(HEAD GOOD)) > 0);
    assert_int_equal(gzclose(f), Z_OK);
    a = look(g, claim25); // what was digested and handed out must be what was checked
    assert_true(a.err == LETHE_EINPUT && !a.holds);
    assert_string_equal(g->said, "not a sealed log: the first line is not its header");
}

/* --- being stopped --- */

static void cancelled_is_cancelled(void **state)
{
    ground *g = *state;
    small_log(g, two_of_five);
    look_at_rows(g, claim25);
    lethe_ctx *ctx = ctx_of(g);
    lethe_ctx_cancel(ctx);
    cs_answer a = cs_check(ctx, g->dirfd, claim25, g->form);
    assert_int_equal(a.err, LETHE_ECANCEL);
    assert_false(a.holds);
    assert_string_equal(a.figures, "");
    lethe_ctx_free(ctx);
}

/* At no failure may a promise that is broken seem kept. */
static void lack_memory(ground *g, bool is_kept)
{
    lethe_ctx *ctx = ctx_of(g);
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim25), &claim_doc, &claim),
                     LETHE_OK);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        bool yes = false;
        lethe_json *why = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_published p = {.ctx = ctx,
                             .dirfd = g->dirfd,
                             .form = g->form,
                             .figures = lethe_json_object(doc),
                             .shape = LETHE_SHAPE_SEALED};
        g->said[0] = '\0';
        lethe_alloc_fail_at(n);
        err = lethe_notion_sealed.check(&p, claim, doc, &yes, &why);
        lethe_alloc_fail_at(0);
        assert_int_equal(yes, err == LETHE_OK && is_kept);
        assert_true(!why || (err == LETHE_OK && !is_kept));
        if (err != LETHE_OK) {
            assert_int_equal(err, LETHE_ENOMEM);
            assert_string_not_equal(g->said, "");
        }
        lethe_json_doc_free(doc);
    }
    assert_true(n > 5);
    lethe_json_doc_free(claim_doc);
    lethe_ctx_free(ctx);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    ground *g = *state;
    small_log(g, two_of_five);
    look_at_rows(g, claim25);
    lack_memory(g, true);
    cs_row *two = &g->file.rows[g->file.n++];
    *two = *row_of(g, BOB);
    memcpy(two->user, ANN, sizeof ANN);
    look_at_sorted(g, claim25);
    lack_memory(g, false);
    memcpy(row_of(g, DAN)->time, "2006-03-01 16", 14);
    look_at_sorted(g, claim25);
    lack_memory(g, false);
    small_log(g, with_clicks);
    look_at_sorted(g, claim25);
    lack_memory(g, false);
}

static void it_stands_in_the_table(void **state)
{
    (void)state;
    assert_ptr_equal(lethe_notion_find(LETHE_LIT("sealed")), &lethe_notion_sealed);
    assert_int_equal(lethe_notion_sealed.shapes, LETHE_SHAPE_SEALED);
    assert_null(lethe_notion_sealed.persons);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_was_sealed_holds),
        T(clicks_hold_where_they_are_claimed),
        T(indices_count_once),
        T(malformed_claims_are_bad_input),
        T(the_first_lines_must_say_what_is_claimed),
        T(any_byte_of_a_share_counts),
        T(users_with_the_same_index_show_the_same_share),
        T(a_user_shows_one_share),
        T(rows_of_a_query_have_one_box),
        T(the_lowest_query_id_is_named),
        T(columns_are_as_coarse_as_the_release_says),
        T(what_is_too_fine_comes_before_what_does_not_agree),
        T(malformed_data_is_bad_input),
        T(malformed_data_comes_before_what_is_claimed),
        T(huge_lines_are_refused),
        T(only_a_plain_file_is_read),
        T(cancelled_is_cancelled),
        T(every_lack_of_memory_ends_cleanly),
        T(it_stands_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
