/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of scrubbed: what it lets pass, what it objects to, and what it tells of that. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "check/check.h"
#include "core/ctx.h"
#include "io/json/json.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
#define ALL "\"ssn\",\"card\",\"phone\",\"email\",\"ip\",\"number\",\"address\",\"url\""
#define CLAIM(kinds) "{\"notion\":\"scrubbed\",\"kinds\":[" kinds "]}"

typedef struct outcome {
    lethe_err err;
    bool holds;
    char why[512]; /* as JSON; empty: none */
} outcome;

/* What else is known of the release. */
typedef struct known {
    const lethe_log_form *form;
    const char *manifest; /* as JSON */
    unsigned n_threads;
    const char *claims; /* as JSON */
} known;

static outcome check_in(int dirfd, const char *claim_text, known k)
{
    outcome o = {.err = LETHE_OK};
    lethe_ctx *ctx = o_ctx(k.n_threads ? k.n_threads : 2, 0);
    lethe_json_doc *claim_doc = NULL, *manifest_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *claim = NULL, *manifest = NULL, *why = NULL;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &claim_doc, &claim),
                     LETHE_OK);
    if (k.manifest)
        assert_int_equal(
            lethe_json_parse(NULL, "m", lethe_str_of(k.manifest), &manifest_doc, &manifest),
            LETHE_OK);
    lethe_json_doc *claims_doc = NULL;
    lethe_json *claims = NULL;
    if (k.claims)
        assert_int_equal(lethe_json_parse(NULL, "c", lethe_str_of(k.claims), &claims_doc, &claims),
                         LETHE_OK);
    lethe_published p = {.ctx = ctx,
                         .dirfd = dirfd,
                         .shape = LETHE_SHAPE_LOG,
                         .form = k.form,
                         .manifest = manifest,
                         .claims = claims};
    o.err = lethe_notion_scrubbed.check(&p, claim, doc, &o.holds, &why);
    if (why) {
        char *text = lethe_json_write(why, 0, NULL);
        snprintf(o.why, sizeof o.why, "%s", text);
        lethe_json_text_free(text);
    }
    lethe_json_doc_free(claim_doc);
    lethe_json_doc_free(manifest_doc);
    lethe_json_doc_free(claims_doc);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return o;
}

/* Decides over a data file with these rows below the header. */
static outcome check_below(const char *header, const char *claim, const char *rows, known k)
{
    char path[64], *text = malloc(strlen(header) + strlen(rows) + 1);
    int dirfd = o_folder(path);
    strcat(strcpy(text, header), rows);
    o_write_published(dirfd, text, strlen(text));
    outcome o = check_in(dirfd, claim, k);
    free(text);
    o_folder_gone(dirfd, path);
    return o;
}

static outcome check_known(const char *claim, const char *rows, known k)
{
    return check_below(HEADER, claim, rows, k);
}

static void holds(const char *claim, const char *rows)
{
    outcome o = check_known(claim, rows, (known){0});
    assert_int_equal(o.err, LETHE_OK);
    if (!o.holds) fail_msg("does not hold for %s: %s", rows, o.why);
    assert_string_equal(o.why, "");
}

static void broken(const char *claim, const char *rows, const char *why)
{
    outcome o = check_known(claim, rows, (known){0});
    assert_int_equal(o.err, LETHE_OK);
    if (o.holds) fail_msg("holds for %s", rows);
    assert_string_equal(o.why, why);
}

/* --- queries --- */

static const struct {
    const char *kind, *query, *shape;
} samples[] = {
    {"ssn", "john lee 219-09-9999", "999-99-9999"},
    {"card", "is 4111 1111 1111 1111 stolen", "9999 9999 9999 9999"},
    {"phone", "call 212-555-0187 now", "999-999-9999"},
    {"email", "mail of bob@example.com", "xxx@xxxxxxx.xxx"},
    {"ip", "who is 192.168.17.4", "999.999.99.9"},
    {"number", "case 12345678901234567890123", "99999999999999999999999"},
    {"address", "12 elm street", "99 xxx xxxxxx"},
    {"url", "see a.example.com/x?y=1", "x.xxxxxxx.xxx/x?x=9"},
};

static void each_kind_is_found_where_it_is_claimed(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(samples); i++) {
        char rows[256], why[256], one[128];
        snprintf(rows, sizeof rows, "1\tmaps\t2006-03-01\t\t\n2\t%s\t2006-03-01\t\t\n",
                 samples[i].query);
        snprintf(why, sizeof why, "{\"kind\":\"%s\",\"shape\":\"%s\",\"where\":\"query\"}",
                 samples[i].kind, samples[i].shape);
        snprintf(one, sizeof one, CLAIM("\"%s\""), samples[i].kind);
        broken(one, rows, why);
        broken(CLAIM(ALL), rows, why);
        const char *other = i == 4 ? "email" : "ip";
        snprintf(one, sizeof one, CLAIM("\"%s\""), other);
        holds(one, rows);
    }
}

static void masks_and_harmless_texts_pass(void **state)
{
    (void)state;
    holds(CLAIM(ALL),
          "1\t[ssn]\t2006-03-01\t\t\n1\tcall [phone] or [email]\t\t1\twww.a.com\n"
          "2\t60 single men\t\t\t\n2\tnumb fingers\t\t\t\n2\t\xc3\xa9t\xc3\xa9 2006\t\t\t\n"
          "3\t[list] in [list], ga\t\t\t\n4\twww.a.com\t\t\ta.co.uk\n");
}

/* Only where another claim says that there are hashes. */
static void hashes_of_hidden_texts_pass(void **state)
{
    (void)state;
    static const char hash[] = "1\t#01234567890123456789012345678901\t\t\t\n";
    known hashed = {.claims = "[{\"notion\":\"query-threshold\",\"rare\":\"hash\"}]"};
    known other = {.claims = "[{\"notion\":\"query-threshold\",\"rare\":\"drop\"}]"};
    assert_true(check_known(CLAIM(ALL), hash, hashed).holds);
    assert_false(check_known(CLAIM(ALL), hash, other).holds);
    assert_false(check_known(CLAIM(ALL), hash, (known){0}).holds);
    static const char *const fake[] = {
        "#0123456789012345678901234567890",   /* 31 */
        "#012345678901234567890123456789012", /* 33 */
        "01234567890123456789012345678901",
        "# 0123456789012345678901234567890",
        "#0123456789012345678901234567890g 1234567890",
    };
    for (size_t i = 0; i < LETHE_COUNT(fake); i++) {
        char rows[128];
        snprintf(rows, sizeof rows, "1\t%s\t\t\t\n", fake[i]);
        outcome o = check_known(CLAIM(ALL), rows, hashed);
        assert_int_equal(o.err, LETHE_OK);
        if (o.holds) fail_msg("holds for %s", fake[i]);
    }
}

/* --- URLs --- */

static void urls_must_have_no_path(void **state)
{
    (void)state;
    static const char *const hosts[] = {"www.a.com", "http://www.a.com", "a", "ftp://a.org",
                                        "xn--bcher-kva.de"};
    static const char *const more[] = {
        "www.a.com/",   "http://www.a.com/", "http://www.a.com/x",
        "www.a.com/x",  "www.a.com?q=1",     "www.a.com#x",
        "www.a.com:80", "bob@a.com",         "http://u@a.com",
        "www.a.com\\x", "mailto:x",          "john lee",
        "http://",      "://a.com",          "http:/a.com",
        "a://b://c",    "http:///x",         "x:/",
        "www.A.com",    "/etc/passwd",       "http://http://a",
        "\xc3\xa9.com", "a%2fb.com",         "a..b",
    };
    for (size_t i = 0; i < LETHE_COUNT(hosts); i++) {
        char rows[128];
        snprintf(rows, sizeof rows, "1\tq\t\t1\t%s\n", hosts[i]);
        holds(CLAIM("\"url\""), rows);
        holds(CLAIM(ALL), rows);
    }
    for (size_t i = 0; i < LETHE_COUNT(more); i++) {
        char rows[128];
        snprintf(rows, sizeof rows, "1\tq\t\t1\t%s\n", more[i]);
        outcome o = check_known(CLAIM("\"url\""), rows, (known){0});
        assert_int_equal(o.err, LETHE_OK);
        if (o.holds) fail_msg("holds for %s", more[i]);
        assert_non_null(strstr(o.why, "\"kind\":\"url\""));
        assert_non_null(strstr(o.why, "\"where\":\"url\""));
    }
    broken(CLAIM("\"url\""), "1\tq\t\t1\thttp://a.com/john/77\n",
           "{\"kind\":\"url\",\"shape\":\"xxxx://x.xxx/xxxx/99\",\"where\":\"url\"}");
}

static void personal_data_is_found_however_it_hides_in_a_url(void **state)
{
    (void)state;
    static const char claim[] = CLAIM("\"ssn\",\"email\",\"ip\"");
    static const struct {
        const char *url, *kind;
    } bad[] = {
        {"http://a.com/219-09-9999", "ssn"},
        {"http://a.com/?s=%32%31%39-09-9999", "ssn"},
        {"http://a.com/?s=219%2D09%2d9999", "ssn"},
        {"http://a.com/?s=219+09+9999", "ssn"},
        {"http://a.com/?m=bob%40example.com", "email"},
        {"http://a.com/?m=bob%2540example.com", "email"},
        {"http://a.com/?m=bob%25252540example.com", "email"},
        {"http://a.com/?s=219%252B09%252B9999", "ssn"},
        {"http://a.com/?m=bob%EF%BC%A0example.com", "email"},
        {"http://a.com/?m=BOB@EXAMPLE.COM", "email"},
        {"mailto:bob@example.com", "email"},
        {"192.168.17.4", "ip"},
        {"http://192.168.17.4:8080/x", "ip"},
        {"219-09-9999.com", "ssn"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        char rows[128], kind[40];
        snprintf(rows, sizeof rows, "1\tq\t\t1\t%s\n", bad[i].url);
        snprintf(kind, sizeof kind, "{\"kind\":\"%s\",", bad[i].kind);
        outcome o = check_known(claim, rows, (known){0});
        assert_int_equal(o.err, LETHE_OK);
        if (o.holds) fail_msg("holds for %s", bad[i].url);
        assert_non_null(strstr(o.why, kind));
        assert_non_null(strstr(o.why, "\"where\":\"url\""));
    }
    holds(claim, "1\tq\t\t1\thttp://a.com/john?x=%2B%zz%4\n1\tq\t\t1\thttp://a.com/%\n"
                 "1\tq\t\t1\thttp://a.com/joe%2525252540aol.com\n1\tq\t\t1\tb.com/%00%ff+%0a\n");
}

/* Digits in keyed pseudonyms say nothing, where the release says that there are pseudonyms. */
static void pseudonyms_pass_only_where_the_release_says_so(void **state)
{
    (void)state;
    static const char rows[] = "aaaaaaaaaaaaaaaa\tq\t\t1\t2345672345672345\n";
    static const lethe_log_form ids = {.urls = LETHE_URL_ID}, any = {.urls = LETHE_URL_ANY};
    static const char said[] = "{\"steps\":[{\"parameters\":{\"urls\":\"host\"}},"
                               "{\"parameters\":{\"urls\":\"id\"}}]}";
    static const char *const not_said[] = {
        "{\"steps\":[{\"parameters\":{\"urls\":\"id\"}},{\"parameters\":{\"urls\":\"keep\"}}]}",
        "{\"steps\":[{\"parameters\":{}}]}", "{\"steps\":[]}", "{}",
        "{\"steps\":[{\"parameters\":{\"urls\":3}}]}"};
    assert_true(check_known(CLAIM(ALL), rows, (known){.form = &ids}).holds);
    assert_true(check_known(CLAIM(ALL), rows, (known){.manifest = said}).holds);
    assert_false(check_known(CLAIM(ALL), rows, (known){.form = &any}).holds);
    assert_false(check_known(CLAIM(ALL), rows, (known){.form = &any, .manifest = said}).holds);
    assert_false(check_known(CLAIM(ALL), rows, (known){0}).holds);
    for (size_t i = 0; i < LETHE_COUNT(not_said); i++)
        assert_false(check_known(CLAIM(ALL), rows, (known){.manifest = not_said[i]}).holds);
    // queries are looked at all the same
    assert_false(
        check_known(CLAIM(ALL), "aaaaaaaaaaaaaaaa\t219-09-9999\t\t\t\n", (known){.form = &ids})
            .holds);
}

/* --- which one is told, and what of it --- */

static void kept_values_are_looked_at_as_urls_are(void **state)
{
    (void)state;
    static const char header[] = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\td\tc\n";
    static const struct {
        const char *row, *why;
    } cases[] = {
        {"1\tmaps\t\t\t\tphone\tde\n", ""},
        {"1\tmaps\t\t\t\t\t\n", ""},
        {"1\tmaps\t\t\t\tBob@Example.com\t\n",
         "{\"kind\":\"email\",\"shape\":\"xxx@xxxxxxx.xxx\",\"where\":\"kept\"}"},
        {"1\tmaps\t\t\t\tde\tof bob%2540example.com\n",
         "{\"kind\":\"email\",\"shape\":\"xxx@xxxxxxx.xxx\",\"where\":\"kept\"}"},
        {"1\tmaps\t\t\t\t\tcall+212-555-0187\n",
         "{\"kind\":\"phone\",\"shape\":\"+999-999-9999\",\"where\":\"kept\"}"},
        // of equal texts the query is told, and of others the least
        {"1\tbob@example.com\t\t\t\t\tbob@example.com\n",
         "{\"kind\":\"email\",\"shape\":\"xxx@xxxxxxx.xxx\",\"where\":\"query\"}"},
        {"1\tmaps\t\t\t\tb@example.com\ta@example.org\n",
         "{\"kind\":\"email\",\"shape\":\"x@xxxxxxx.xxx\",\"where\":\"kept\"}"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        outcome o = check_below(header, CLAIM("\"phone\",\"email\""), cases[i].row, (known){0});
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.why, cases[i].why);
        assert_int_equal(o.holds, !cases[i].why[0]);
    }
    // in a hash digits say nothing; a kept value of that form is none
    outcome o = check_below(
        header, CLAIM("\"number\""), "1\tq\t\t\t\t#12345678901234567890123456789012\t\n",
        (known){.claims = "[{\"notion\":\"query-threshold\",\"rare\":\"hash\"}]"});
    assert_int_equal(o.err, LETHE_OK);
    assert_false(o.holds);
}

static void the_least_text_is_told_by_its_form(void **state)
{
    (void)state;
    static const char all[] = CLAIM(ALL);
    broken(
        all,
        "1\tz 219-09-9999\t\t\t\n1\tb bob@example.com\t\t\t\n2\tc 192.168.17.4\t\t1\twww.a.com\n",
        "{\"kind\":\"email\",\"shape\":\"xxx@xxxxxxx.xxx\",\"where\":\"query\"}");
    // among URLs and queries together; and a text that is both is told as a query
    broken(all, "1\tz 219-09-9999\t\t1\ta.com/x\n",
           "{\"kind\":\"url\",\"shape\":\"x.xxx/x\",\"where\":\"url\"}");
    broken(all, "1\ta.com/x\t\t1\ta.com/x\n2\tb\t\t1\ta.com/x\n",
           "{\"kind\":\"url\",\"shape\":\"x.xxx/x\",\"where\":\"query\"}");
    broken(all, "1\tb\t\t1\ta.com/x\n2\ta.com/x\t\t\t\n",
           "{\"kind\":\"url\",\"shape\":\"x.xxx/x\",\"where\":\"query\"}");
    // the first finding of the text
    broken(all, "1\ta 219-09-9999 bob@example.com\t\t\t\n",
           "{\"kind\":\"ssn\",\"shape\":\"999-99-9999\",\"where\":\"query\"}");
}

/* Several blocks, many offences: the same answer for any number of threads, and nothing of what was
 * found in it. */
static void the_answer_does_not_depend_on_threads(void **state)
{
    (void)state;
    char path[64], *text = NULL;
    size_t n;
    int dirfd = o_folder(path);
    FILE *f = open_memstream(&text, &n);
    fputs(HEADER, f);
    for (size_t i = 0; i < 60000; i++)
        if (i % 7 == 3)
            fprintf(f, "%06zu\tnumber %zu of case 9%07zu\t2006-03-01\t\t\n", i, i * 7919 % 10000,
                    i * 104729 % 9999991);
        else
            fprintf(f, "%06zu\ta harmless text of some length\t2006-03-01\t1\twww.example.com\n",
                    i);
    fclose(f);
    o_write(dirfd, "data.tsv", text, n);
    outcome first = check_in(dirfd, CLAIM(ALL), (known){.n_threads = 1});
    assert_int_equal(first.err, LETHE_OK);
    assert_false(first.holds);
    assert_string_equal(first.why,
                        "{\"kind\":\"number\",\"shape\":\"99999999\",\"where\":\"query\"}");
    for (unsigned threads = 2; threads <= 7; threads += 5) {
        outcome o = check_in(dirfd, CLAIM(ALL), (known){.n_threads = threads});
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.why, first.why);
    }
    free(text);
    o_folder_gone(dirfd, path);
}

/* The offences differ in kind and form, and stand far apart: only the least may be told. */
static void the_least_of_all_blocks_is_told(void **state)
{
    (void)state;
    enum { N = 200000 };
    char path[64], *text = NULL;
    size_t n;
    int dirfd = o_folder(path);
    FILE *f = open_memstream(&text, &n);
    fputs(HEADER, f);
    for (size_t i = 0; i < N; i++) {
        const char *query = i == 10      ? "m 219-09-9999"
                            : i == N / 2 ? "b 12 elm street"
                            : i == N - 9 ? "c bob@example.com"
                                         : "a harmless text of some length, told again and again";
        fprintf(f, "%06zu\t%s\t2006-03-01\t\t\n", i, query);
    }
    fclose(f);
    o_write(dirfd, "data.tsv", text, n);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        outcome o = check_in(dirfd, CLAIM(ALL), (known){.n_threads = threads});
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(
            o.why, "{\"kind\":\"address\",\"shape\":\"99 xxx xxxxxx\",\"where\":\"query\"}");
    }
    free(text);
    o_folder_gone(dirfd, path);
}

/* --- what cannot be decided --- */

static void malformed_claims_are_bad_input(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "[\"ssn\"]",
        "\"scrubbed\"",
        "{\"notion\":\"scrubbed\"}",
        "{\"kinds\":[\"ssn\"]}",
        "{\"notion\":\"query-threshold\",\"kinds\":[\"ssn\"]}",
        CLAIM(""),
        CLAIM("\"list\""),
        CLAIM("\"ssn\",\"list\""),
        CLAIM("\"name\""),
        CLAIM("\"SSN\""),
        CLAIM("\"ss\""),
        CLAIM("\"\""),
        CLAIM("\"ssn\",\"ssn\""),
        CLAIM("\"card\",\"ssn\""),
        CLAIM("0"),
        CLAIM("null"),
        CLAIM("\"ssn\",3"),
        CLAIM("[\"ssn\"]"),
        "{\"notion\":\"scrubbed\",\"kinds\":\"ssn\"}",
        "{\"notion\":\"scrubbed\",\"kinds\":{\"ssn\":true}}",
        "{\"notion\":\"scrubbed\",\"kinds\":null}",
        "{\"notion\":\"scrubbed\",\"kinds\":255}",
        "{\"notion\":\"scrubbed\",\"kinds\":[\"ssn\"],\"list\":\"x\"}",
        "{\"notion\":\"scrubbed\",\"kinds\":[\"ssn\"],\"action\":\"mask\"}",
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o = check_known(bad[i], "1\tq\t\t\t\n", (known){0});
        if (o.err != LETHE_EINPUT || o.holds) fail_msg("taken: %s", bad[i]);
    }
}

static void what_cannot_be_read_is_not_kept(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",   "1\tq\n",         "1\tQ\t\t\t\n",     "1\tq\tnever\t\t\n", "1\t\t\t\t\n",
        "\n", "1\tq\t\t\t\t\n", "1\tq\xff\t\t\t\n", "1\tq\t\t\t"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o = check_known(CLAIM("\"ssn\""), bad[i], (known){0});
        if (o.err != LETHE_EINPUT || o.holds) fail_msg("taken: %s", bad[i]);
    }
    char path[64];
    int dirfd = o_folder(path);
    outcome o = check_in(dirfd, CLAIM("\"ssn\""), (known){0}); // no such file
    assert_int_equal(o.err, LETHE_EIO);
    assert_false(o.holds);
    o_folder_gone(dirfd, path);
    // finer than the release says
    static const lethe_log_form hosts = {.any_user = true, .urls = LETHE_URL_HOST};
    o = check_known(CLAIM("\"ssn\""), "1\tq\t\t1\ta.com/x\n", (known){.form = &hosts});
    assert_int_equal(o.err, LETHE_EINPUT);
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = NULL;
    lethe_json *claim = NULL, *why = NULL;
    bool yes = false;
    o_write(dirfd, "data.tsv", HEADER "1\tq\t\t\t\n", strlen(HEADER "1\tq\t\t\t\n"));
    assert_int_equal(lethe_json_parse(NULL, "claim", LETHE_LIT(CLAIM(ALL)), &doc, &claim),
                     LETHE_OK);
    lethe_ctx_cancel(ctx);
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    assert_int_equal(lethe_notion_scrubbed.check(&p, claim, doc, &yes, &why), LETHE_ECANCEL);
    assert_false(yes);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *claim_doc = NULL;
    lethe_json *claim = NULL;
    static const char text[] = HEADER "1\tq\t\t1\thttp://A.com/B%20c+d\n2\tz 219-09-9999\t\t\t\n";
    o_write(dirfd, "data.tsv", text, strlen(text));
    assert_int_equal(
        lethe_json_parse(NULL, "claim", LETHE_LIT(CLAIM("\"ssn\"")), &claim_doc, &claim), LETHE_OK);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        bool yes = true;
        lethe_json *why = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
        lethe_alloc_fail_at(n);
        err = lethe_notion_scrubbed.check(&p, claim, doc, &yes, &why);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) {
            assert_int_equal(err, LETHE_ENOMEM);
            assert_null(why);
        } else {
            assert_false(yes);
            assert_non_null(why);
        }
        lethe_json_doc_free(doc);
        assert_true(n < 10000);
    }
    assert_true(n > 5);
    lethe_json_doc_free(claim_doc);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_found_where_it_is_claimed),
        cmocka_unit_test(masks_and_harmless_texts_pass),
        cmocka_unit_test(hashes_of_hidden_texts_pass),
        cmocka_unit_test(urls_must_have_no_path),
        cmocka_unit_test(personal_data_is_found_however_it_hides_in_a_url),
        cmocka_unit_test(pseudonyms_pass_only_where_the_release_says_so),
        cmocka_unit_test(kept_values_are_looked_at_as_urls_are),
        cmocka_unit_test(the_least_text_is_told_by_its_form),
        cmocka_unit_test(the_answer_does_not_depend_on_threads),
        cmocka_unit_test(the_least_of_all_blocks_is_told),
        cmocka_unit_test(malformed_claims_are_bad_input),
        cmocka_unit_test(what_cannot_be_read_is_not_kept),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
