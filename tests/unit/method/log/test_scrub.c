/* SPDX-License-Identifier: Apache-2.0 */
/* scrub: what it masks, cuts and leaves out, row by row, and in chains. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "scrub_harness.h"
#include "model/log/time.h"

#define SSN "219-09-9999"
#define CARD "4111 1111 1111 1111"
#define PHONE "(212) 555-0187"
#define EMAIL "bob.lee@example.com"
#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    *state = &g;
    return 0;
}
static int end(void **state)
{
    g_end(*state);
    return 0;
}

static void expect_str(lethe_str got, const char *want)
{
    if (!lethe_str_eq(got, lethe_str_of(want)))
        fail_msg("got '%.*s', not '%s'", (int)got.n, got.at, want);
}

static int64_t figure(const lethe_json *metrics, const char *name)
{
    const lethe_json *v = lethe_json_get(metrics, name);
    return lethe_json_kind(v) == LETHE_JSON_INT ? lethe_json_int(v) : -1;
}

static int64_t found(const scrubber *s, const char *kind)
{
    return figure(lethe_json_get(s->metrics, "found"), kind);
}

/* --- queries --- */

static const struct {
    const char *kind, *query, *masked;
} samples[] = {
    {"ssn", "john lee " SSN, "john lee [ssn]"},
    {"card", "is " CARD " stolen", "is [card] stolen"},
    {"phone", "who has " PHONE, "who has [phone]"},
    {"email", "password of " EMAIL " lost", "password of [email] lost"},
    {"ip", "192.168.17.4 router", "[ip] router"},
    {"number", "case 00123456789012345678901", "case [number]"},
    {"address", "houses near 12 elm street springfield", "houses near [address] springfield"},
    {"url", "https://bank.example.com/account?id=7 closed", "[url] closed"},
    {"iban", "account gb82 west 1234 5698 7654 32 closed", "account [iban] closed"},
    {"id", "lost card of ab123456c", "lost card of [id]"},
    {"birth", "star sign born 3/12/1970", "star sign born [birth]"},
    {"plate", "who owns lx61kfj", "who owns [plate]"},
    {"person", "pictures of barbara kowalski", "pictures of [person]"},
    {"place", "cheap flights to milwaukee", "cheap flights to [place]"},
};

static void every_kind_is_masked_and_counted(void **state)
{
    scrubber s;
    assert_int_equal(LETHE_COUNT(samples), LETHE_PII_LIST);
    assert_int_equal(sc_begin(&s, *state, 1, ""), LETHE_OK);
    for (size_t i = 0; i < LETHE_PII_PERSON; i++) {
        scrubbed_row r = sc_row(&s, samples[i].query, "");
        assert_int_equal(r.err, LETHE_OK);
        assert_null(r.dropped);
        expect_str(r.row.query, samples[i].masked);
    }
    assert_int_equal(sc_end(&s), LETHE_OK);
    char *text = lethe_json_write(s.metrics, 0, NULL);
    assert_string_equal(text, "{\"found\":{\"ssn\":1,\"card\":1,\"phone\":1,\"email\":1,\"ip\":1,"
                              "\"number\":1,\"address\":1,\"url\":1,\"iban\":1,\"id\":1,"
                              "\"birth\":1,\"plate\":1},"
                              "\"rows_dropped\":0,\"urls_cut\":0,\"urls_dropped\":0}");
    lethe_json_text_free(text);
    assert_int_equal(lethe_json_count(s.caveats), 0);
    sc_free(&s);
}

/* One kind alone finds its own sample; and what it is not asked for it lets stand. */
static void only_the_kinds_asked_for_are_looked_for(void **state)
{
    static const char harmless[] = "cheap tickets 2006 [ssn] 747 rock & roll";
    for (size_t i = 0; i < LETHE_COUNT(samples); i++) {
        scrubber s;
        char options[64];
        snprintf(options, sizeof options, "kinds=%s", samples[i].kind);
        assert_int_equal(sc_begin(&s, *state, 1, options), LETHE_OK);
        expect_str(sc_row(&s, samples[i].query, "").row.query, samples[i].masked);
        for (size_t k = 0; k < LETHE_COUNT(samples); k++) {
            if (k == i || k == LETHE_PII_NUMBER || i == LETHE_PII_NUMBER) continue;
            if (i >= LETHE_PII_PERSON && k < LETHE_PII_PERSON) continue; // they name some
            expect_str(sc_row(&s, samples[k].query, "").row.query, samples[k].query);
        }
        expect_str(sc_row(&s, harmless, "").row.query, harmless);
        assert_int_equal(sc_end(&s), LETHE_OK);
        assert_int_equal(lethe_json_count(lethe_json_get(s.metrics, "found")), 1);
        assert_true(found(&s, samples[i].kind) >= 1);
        sc_free(&s);
    }
}

static void the_options_name_the_kinds_in_their_order(void **state)
{
    (void)state;
    char bars[160] = "", commas[160] = "";
    for (int k = 0; k < LETHE_PII_LIST; k++) {
        strcat(strcat(bars, k ? "|" : ""), lethe_pii_names[k]);
        if (k < LETHE_PII_PERSON) strcat(strcat(commas, k ? "," : ""), lethe_pii_names[k]);
    }
    assert_string_equal(lethe_method_scrub.options[0].name, "kinds");
    assert_string_equal(lethe_method_scrub.options[0].arg, bars);
    assert_string_equal(lethe_method_scrub.options[0].fallback, commas);
}

static void what_is_nothing_but_personal_stays_as_its_mask(void **state)
{
    scrubber s;
    assert_int_equal(sc_begin(&s, *state, 1, ""), LETHE_OK);
    expect_str(sc_row(&s, SSN, "").row.query, "[ssn]");
    expect_str(sc_row(&s, SSN " " EMAIL, "").row.query, "[ssn] [email]");
    assert_null(sc_row(&s, SSN, "").dropped);
    sc_free(&s);
}

static void dropping_leaves_the_row_out_and_counts_it(void **state)
{
    scrubber s;
    assert_int_equal(sc_begin(&s, *state, 1, "action=drop kinds=ssn,email"), LETHE_OK);
    scrubbed_row r = sc_row(&s, SSN " of " EMAIL " and " EMAIL, "http://a.com/x");
    assert_int_equal(r.err, LETHE_OK);
    assert_string_equal(r.dropped, "personal data in the query");
    r = sc_row(&s, "weather", "http://a.com/x");
    assert_null(r.dropped);
    expect_str(r.row.query, "weather");
    r = sc_row(&s, PHONE, ""); // not asked for
    assert_null(r.dropped);
    assert_int_equal(sc_end(&s), LETHE_OK);
    assert_int_equal(figure(s.metrics, "rows_dropped"), 1);
    assert_int_equal(found(&s, "ssn"), 1);
    assert_int_equal(found(&s, "email"), 2);
    assert_int_equal(figure(s.metrics, "urls_cut"), 0); // what is not published is not cut
    sc_free(&s);
}

/* A mask is longer than the least of what it stands for; a line that grows past what can be read
 * back is left out. */
static void what_grows_too_long_is_left_out(void **state)
{
    enum { N = 200000 };
    static const char piece[] = "::1 ";
    char *query = malloc(N * (sizeof piece - 1) + 1);
    scrubber s;
    assert_int_equal(sc_begin(&s, *state, 1, ""), LETHE_OK);
    size_t n = 0;
    for (size_t i = 0; i < N; i++, n += sizeof piece - 1)
        memcpy(query + n, piece, sizeof piece - 1);
    query[n - 1] = '\0';
    scrubbed_row r = sc_row(&s, query, "");
    assert_int_equal(r.err, LETHE_OK);
    assert_null(r.dropped); // 1,000,000 bytes
    assert_int_equal(r.row.query.n, N * 5 - 1);
    char url[100000 + 1];
    memset(url, 'a', sizeof url - 1);
    memcpy(url, "http://a.com/", 13);
    url[sizeof url - 1] = '\0';
    r = sc_row(&s, query, url);
    assert_int_equal(r.err, LETHE_OK);
    assert_string_equal(r.dropped, "query too long once masked");
    assert_int_equal(sc_end(&s), LETHE_OK);
    assert_int_equal(figure(s.metrics, "rows_dropped"), 1);
    sc_free(&s);
    free(query);
}

static void a_mebibyte_of_digits_takes_no_time(void **state)
{
    enum { N = (1 << 20) - 200 };
    char *query = malloc(N + 1);
    scrubber s;
    memset(query, '7', N);
    query[N] = '\0';
    assert_int_equal(sc_begin(&s, *state, 1, ""), LETHE_OK);
    scrubbed_row r = sc_row(&s, query, "");
    assert_int_equal(r.err, LETHE_OK);
    expect_str(r.row.query, "[number]");
    for (size_t i = 0; i < N; i += 4)
        query[i] = ' ';
    r = sc_row(&s, query + 1, "");
    assert_int_equal(r.err, LETHE_OK);
    lethe_finding f;
    assert_false(lethe_pii_next(&(lethe_detector){.kinds = LETHE_PII_ALL}, r.row.query, 0, &f));
    sc_free(&s);
    free(query);
}

/* --- clicked URLs --- */

typedef struct click {
    const char *url, *want; /* "": left out */
} click;

static void check_clicks(ground *g, const char *options, const click *at, size_t n, int64_t cut,
                         int64_t dropped)
{
    scrubber s;
    assert_int_equal(sc_begin(&s, g, 1, options), LETHE_OK);
    for (size_t i = 0; i < n; i++) {
        scrubbed_row r = sc_row(&s, "maps", at[i].url);
        assert_int_equal(r.err, LETHE_OK);
        assert_null(r.dropped); // a URL never costs the row
        expect_str(r.row.query, "maps");
        expect_str(r.row.url, at[i].want);
        assert_int_equal(r.row.rank, *at[i].want ? 3 : LETHE_NO_RANK);
    }
    assert_int_equal(sc_end(&s), LETHE_OK);
    assert_int_equal(figure(s.metrics, "urls_cut"), cut);
    assert_int_equal(figure(s.metrics, "urls_dropped"), dropped);
    const lethe_json *in_queries = lethe_json_get(s.metrics, "found");
    for (size_t i = 0; i < lethe_json_count(in_queries); i++)
        assert_int_equal(lethe_json_int(lethe_json_at(in_queries, i)), 0);
    sc_free(&s);
}

static void urls_are_cut_to_their_host(void **state)
{
    static const click clicks[] = {
        {"http://www.maps.com", "www.maps.com"}, // no more than a host: not counted as cut
        {"https://www.maps.com/", "www.maps.com"},
        {"www.maps.com", "www.maps.com"},
        {"http://www.maps.com/john/lee?q=1", "www.maps.com"},
        {"https://Bank.example.com:8443/", "bank.example.com"},
        {"http://bob:secret@host.com/", "host.com"},
        {"http://a.com#john", "a.com"},
        {"mailto:bob@example.com", ""},
        {"javascript:alert(1)", ""},
        {"john lee", ""},
        {"http://192.168.17.4/x", ""},
        {"http://[::1]/x", ""},
        {"http://" SSN ".com/", ""},
        {"http://call-12345678901234567890.com/", ""},
        {"\xef\xbf\xbd", ""},
    };
    check_clicks(*state, "", clicks, LETHE_COUNT(clicks), 4, 8);
    static const click by_url_alone[] = {
        {"http://192.168.17.4/x", "192.168.17.4"},
        {"http://a.com/" SSN, "a.com"},
        {"http://a.com/%32%31%39-09-9999", "a.com"},
    };
    check_clicks(*state, "kinds=url", by_url_alone, LETHE_COUNT(by_url_alone), 3, 0);
}

static void urls_stay_unless_something_is_found_in_them(void **state)
{
    static const click clicks[] = {
        {"http://www.maps.com/john/lee?q=1", "http://www.maps.com/john/lee?q=1"},
        {"http://Maps.com/100%25+free%20%zz%4", "http://Maps.com/100%25+free%20%zz%4"},
        {"http://a.com/u/" SSN, "a.com"},
        {"http://a.com/?ssn=%32%31%39-09-9999", "a.com"},
        {"http://a.com/?m=bob.lee%40Example.com", "a.com"},
        {"http://a.com/?m=BOB.LEE@EXAMPLE.COM", "a.com"},
        {"http://a.com/?m=\xef\xbd\x82ob.lee%EF%BC%A0example.com", "a.com"}, // full width
        {"http://a.com/?m=bob.lee\xef\xbc\xa0"
         "example.com",
         "a.com"},
        {"http://a.com/?q=219+09+9999", "a.com"},
        {"http://a.com/?q=219%2B09%2B9999", "a.com"}, // a space in a URL within the URL
        {"http://a.com/?m=joe%2540aol.com", "a.com"},
        {"http://a.com/?m=joe%25252540aol.com", "a.com"}, // four times
        {"http://a.com/?m=joe%2525252540aol.com", "http://a.com/?m=joe%2525252540aol.com"},
        {"http://a.com/?q=219%252B09%2B9999", "a.com"},
        {"http://a.com/?q=1%2B1%2525", "http://a.com/?q=1%2B1%2525"},
        {"http://a.com/?q=219%2509%259999",
         "http://a.com/?q=219%2509%259999"}, // a tab, and no UTF-8
        {"mailto:bob.lee@example.com", ""},
        {"http://" SSN ".com/", ""},
        {"http://bob@a.com/", "a.com"},
        {"john lee", "john lee"},
    };
    check_clicks(*state, "kinds=ssn,email", clicks, LETHE_COUNT(clicks), 12, 2);
}

/* With kinds that do not find the whole URL, what is published of it may still be its host. */
static void a_host_that_tells_goes_even_where_the_url_does_not(void **state)
{
    static const click clicks[] = {
        {"http://192.168.17.4/x", ""},
        {"http://192.168.17.4:8080", ""},
        {"http://x@192.168.17.4/", ""},
        {"http://a.com/", "http://a.com/"},
    };
    check_clicks(*state, "kinds=ip", clicks, LETHE_COUNT(clicks), 0, 3);
}

static void a_rank_without_url_stays(void **state)
{
    scrubber s;
    const char *dropped = NULL;
    lethe_row row = {.user = LETHE_LIT("1"), .query = LETHE_LIT("maps"), .url = {"", 0}, .rank = 4};
    assert_int_equal(sc_begin(&s, *state, 1, ""), LETHE_OK);
    assert_int_equal(lethe_method_scrub.rows->row(s.state, 0, &row, &dropped), LETHE_OK);
    assert_int_equal(row.rank, 4);
    sc_free(&s);
}

/* --- the owner's list --- */

static void the_list_is_masked_in_queries_and_urls(void **state)
{
    ground *g = *state;
    char options[400];
    scrubber s;
    g_write(g->map, "# names\nJarrett Arnold\n\nLilburn\r\nm\xc3\xbcller");
    snprintf(options, sizeof options, "kinds=ssn list=%s", g->map);
    assert_int_equal(sc_begin(&s, g, 1, options), LETHE_OK);
    static const char *const pairs[][2] = {
        {"jarrett arnold in lilburn, ga", "[list] in [list], ga"},
        {"jarrett arnolds", "jarrett arnolds"},
        {"arnold jarrett", "arnold jarrett"},
        {"lilburnia", "lilburnia"},
        {"dr m\xc3\xbcller", "dr [list]"},
        {"jarrett arnold " SSN, "[list] [ssn]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(pairs); i++)
        expect_str(sc_row(&s, pairs[i][0], "").row.query, pairs[i][1]);
    expect_str(sc_row(&s, "x", "http://a.com/Jarrett%20Arnold").row.url, "a.com");
    expect_str(sc_row(&s, "x", "http://a.com/q=jarrett+arnold").row.url, "a.com");
    expect_str(sc_row(&s, "x", "http://a.com/lilburn").row.url, "a.com");
    expect_str(sc_row(&s, "x", "http://a.com/maps").row.url, "http://a.com/maps");
    assert_int_equal(sc_end(&s), LETHE_OK);
    assert_int_equal(found(&s, "list"), 4);
    assert_int_equal(found(&s, "ssn"), 1);
    assert_int_equal(lethe_json_count(lethe_json_get(s.metrics, "found")), 2);
    sc_free(&s);
}

static void lists_that_cannot_be_read_are_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *text;
        lethe_err want;
    } bad[] = {{NULL, LETHE_EIO},
               {"", LETHE_EINPUT},
               {"\n# nobody\n", LETHE_EINPUT},
               {"ann\n...\n", LETHE_EINPUT},
               {"ann\xff\n", LETHE_EINPUT}};
    char options[400];
    scrubber s;
    snprintf(options, sizeof options, "list=%s", g->map);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        if (bad[i].text) g_write(g->map, bad[i].text);
        g->said[0] = '\0';
        assert_int_equal(sc_begin(&s, g, 2, options), bad[i].want);
        assert_null(s.state);
        assert_true(strlen(g->said) > 0);
        sc_free(&s);
    }
    unlink(g->map);
    assert_int_equal(mkdir(g->map, 0700), 0);
    assert_int_equal(sc_begin(&s, g, 2, options), LETHE_EIO);
    sc_free(&s);
}

/* --- claims --- */

static void claims_name_the_kinds_in_the_order_of_the_table(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", "[{\"notion\":\"scrubbed\",\"kinds\":[\"ssn\",\"card\",\"phone\",\"email\",\"ip\","
             "\"number\",\"address\",\"url\",\"iban\",\"id\",\"birth\",\"plate\"]}]"},
        {"kinds=url,ssn", "[{\"notion\":\"scrubbed\",\"kinds\":[\"ssn\",\"url\"]}]"},
        {"kinds=ssn,url action=drop list=x",
         "[{\"notion\":\"scrubbed\",\"kinds\":[\"ssn\",\"url\"]}]"},
        {"kinds=place,person,ip",
         "[{\"notion\":\"scrubbed\",\"kinds\":[\"ip\",\"person\",\"place\"]}]"},
        {"kinds=ip", "[{\"notion\":\"scrubbed\",\"kinds\":[\"ip\"]}]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(pairs); i++) {
        steps s = {0};
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *claims = lethe_json_array(doc);
        s_add(&s, &lethe_method_scrub, pairs[i][0]);
        lethe_method_scrub.claims(&s.at[0].values, doc, claims);
        char *text = lethe_json_write(claims, 0, NULL);
        assert_string_equal(text, pairs[i][1]);
        lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
}

/* --- in the pipeline --- */

typedef struct ran {
    lethe_err err;
    lethe_json_doc *doc;
    lethe_json *report;
} ran;

static ran run_job(ground *g, unsigned n_threads, const lethe_release_job *job)
{
    ran r = {.doc = lethe_json_doc_new()};
    lethe_ctx *ctx = g_ctx(g, n_threads);
    r.err = lethe_release_make(ctx, job, r.doc, &r.report);
    lethe_ctx_free(ctx);
    return r;
}

static ran run_steps(ground *g, const steps *s)
{
    const char *inputs[] = {g->log};
    lethe_release_job job = g_job(g, s, inputs);
    return run_job(g, 2, &job);
}

static lethe_err verify(ground *g)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_ctx *ctx = g_ctx(g, 2);
    lethe_err err = lethe_release_verify(ctx, g->out, NULL, doc, &report);
    lethe_ctx_free(ctx);
    lethe_json_doc_free(doc);
    return err;
}

/* Masked texts are one text, and the promise of both steps holds for the final bytes. */
static void threshold_counts_masked_texts_together(void **state)
{
    ground *g = *state;
    steps s = {0};
    g_write(g->log, "1\tssn 219-09-9999\t2006-03-01 10:00:00\t\t\n"
                    "2\tssn 219-09-9998\t2006-03-01 10:00:00\t1\thttp://a.com/219-09-9998\n"
                    "3\tann lee\t2006-03-01 10:00:00\t\t\n");
    s_add(&s, &lethe_method_scrub, "");
    s_add(&s, &lethe_method_threshold, "t=2 same=exact clicks=all");
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_OK);
    char *data = g_data(g);
    assert_string_equal(data, HEADER "1\tssn [ssn]\t2006-03-01 10:00:00\t\t\n"
                                     "2\tssn [ssn]\t2006-03-01 10:00:00\t1\ta.com\n");
    free(data);
    assert_int_equal(lethe_json_count(lethe_json_get(r.report, "claims")), 2);
    assert_true(lethe_json_bool(lethe_json_get(lethe_json_get(r.report, "verdict"), "holds")));
    assert_int_equal(verify(g), LETHE_OK);
    lethe_json_doc_free(r.doc);
}

/* Hashes of rare texts have long runs of digits, and are no personal data. */
static void hashes_of_threshold_do_not_break_the_promise(void **state)
{
    ground *g = *state;
    steps s = {0};
    FILE *f = fopen(g->log, "w");
    for (int i = 0; i < 2000; i++)
        fprintf(f, "%d\trare text %d with 219-09-%04d\t2006-03-01 10:00:00\t\t\n", i, i, 1000 + i);
    fclose(f);
    s_add(&s, &lethe_method_scrub, "");
    s_add(&s, &lethe_method_threshold, "t=2 rare=hash same=exact clicks=all");
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_OK);
    assert_int_equal(verify(g), LETHE_OK);
    lethe_json_doc_free(r.doc);
}

/* Nor does a scrub that comes after them. */
static void hashes_are_left_alone_by_a_later_scrub(void **state)
{
    ground *g = *state;
    steps s = {0};
    FILE *f = fopen(g->log, "w");
    for (int i = 0; i < 2000; i++)
        fprintf(f, "%d\trare text %d\t2006-03-01 10:00:00\t\t\n", i, i);
    for (int i = 0; i < 3; i++)
        fprintf(f, "%d\tssn 219-09-9999\t2006-03-01 10:00:00\t\t\n", i);
    fclose(f);
    s_add(&s, &lethe_method_threshold, "t=2 rare=hash same=exact clicks=all");
    s_add(&s, &lethe_method_scrub, "");
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_OK);
    assert_int_equal(verify(g), LETHE_OK);
    lethe_json_doc_free(r.doc);
}

/* Nor have pseudonyms of URLs. */
static void pseudonyms_of_urls_do_not_break_the_promise(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    steps s = {0};
    FILE *f = fopen(g->log, "w");
    for (int i = 0; i < 60000; i++)
        fprintf(f, "1\tmaps\t2006-03-01 10:00:00\t1\thttp://a%x.com\n", (unsigned)i * 2654435761u);
    fclose(f);
    s_add(&s, &lethe_method_scrub, "");
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.urls = LETHE_URLS_ID;
    ran r = run_job(g, 2, &job);
    assert_int_equal(r.err, LETHE_OK);
    assert_int_equal(verify(g), LETHE_OK);
    lethe_json_doc_free(r.doc);
}

static void the_list_leaves_no_trace_in_the_manifest(void **state)
{
    ground *g = *state;
    steps s = {0};
    char options[400], path[400];
    g_write(g->log, "1\tmaps of lilburn\t2006-03-01 10:00:00\t1\thttp://a.com/lilburn\n"
                    "2\tmaps\t2006-03-01 10:00:00\t\t\n");
    g_write(g->key, "Lilburn\n");
    snprintf(options, sizeof options, "list=%s", g->key);
    s_add(&s, &lethe_method_scrub, options);
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_OK);
    snprintf(path, sizeof path, "%s/manifest.json", g->out);
    char *manifest = g_read(path), *data = g_data(g);
    assert_null(strcasestr(manifest, "lilburn"));
    assert_null(strstr(manifest, g->key));
    assert_null(strcasestr(data, "lilburn"));
    assert_non_null(strstr(manifest, "the list is not part of the promise"));
    assert_non_null(strstr(manifest, "\"list\": 1"));
    assert_int_equal(verify(g), LETHE_OK);
    free(manifest);
    free(data);
    lethe_json_doc_free(r.doc);
}

/* What cannot be read is refused before the log is, wherever in the chain it is wanted. */
static void lists_of_later_steps_are_read_first(void **state)
{
    ground *g = *state;
    steps s = {0};
    char options[400];
    snprintf(options, sizeof options, "list=%s", g->key); // which is not there, nor is the log
    s_add(&s, &lethe_method_threshold, "t=1 same=exact clicks=all");
    s_add(&s, &lethe_method_scrub, options);
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_EIO);
    assert_non_null(strstr(g->said, g->key));
    assert_null(strstr(g->said, g->log));
    assert_string_equal(g_names(g), "");
    lethe_json_doc_free(r.doc);
}

static void a_map_does_not_replace_the_list(void **state)
{
    ground *g = *state;
    const char *inputs[] = {g->log};
    steps s = {0};
    char options[400];
    g_write(g->log, "1\tmaps\t2006-03-01 10:00:00\t\t\n");
    g_write(g->map, "ann lee\n");
    snprintf(options, sizeof options, "list=%s", g->map);
    s_add(&s, &lethe_method_threshold, "t=1 same=exact clicks=all");
    s_add(&s, &lethe_method_scrub, options);
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.map = g->map;
    job.publishing.force = true;
    ran r = run_job(g, 2, &job);
    assert_int_equal(r.err, LETHE_EUSAGE);
    assert_string_equal(g_names(g), "log.tsv map.tsv");
    char *list = g_read(g->map);
    assert_string_equal(list, "ann lee\n");
    free(list);
    lethe_json_doc_free(r.doc);
}

static void nothing_left_is_an_answer(void **state)
{
    ground *g = *state;
    steps s = {0};
    g_write(g->log, "1\tssn 219-09-9999\t2006-03-01 10:00:00\t\t\n");
    s_add(&s, &lethe_method_scrub, "action=drop");
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_ANSWER_NO);
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(r.doc);
}

/* Lines that are read as something else than they look like. */
static void odd_lines_are_scrubbed_as_they_are_published(void **state)
{
    ground *g = *state;
    steps s = {0};
    FILE *f = fopen(g->log, "w");
    fputs("\xef\xbb\xbf"
          "1\tbob\xff 219-09-9999\t2006-03-01 10:00:00\r\n",
          f);
    fputs("2\tSSN \xef\xbc\x92\xef\xbc\x91\xef\xbc\x99-\xef\xbc\x90\xef\xbc\x99-9999\t"
          "2006-03-01 10:00:00\t\t\r\n", // full-width digits
          f);
    fputs("3\t219-09-\xc2\xad"
          "9999\t2006-03-01 10:00:00\t\t\n", // a soft hyphen among the digits
          f);
    fputs("4\t  \x01 BOB.LEE@EXAMPLE.COM  \t2006-03-01 10:00:00\t\t", f); // no LF
    fclose(f);
    s_add(&s, &lethe_method_scrub, "");
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_OK);
    char *data = g_data(g);
    assert_string_equal(data, HEADER "1\tbob\xef\xbf\xbd [ssn]\t2006-03-01 10:00:00\t\t\n"
                                     "2\tssn [ssn]\t2006-03-01 10:00:00\t\t\n"
                                     "3\t[ssn]\t2006-03-01 10:00:00\t\t\n"
                                     "4\t[email]\t2006-03-01 10:00:00\t\t\n");
    free(data);
    lethe_json_doc_free(r.doc);
}

/* The publisher puts exact times together from a day it keeps and the time of day. */
static void exact_times_are_published_as_they_were(void **state)
{
    ground *g = *state;
    steps s = {0};
    static const int64_t times[] = {-62135596800, -62135596799, -1,         0,           1,
                                    86399,        86400,        1141207200, 22118399,    22118400,
                                    -86400,       -86401,       1709164799, 253402300799};
    char text[20];
    FILE *f = fopen(g->log, "w");
    for (size_t i = 0; i < 10 * LETHE_COUNT(times); i++) {
        int64_t t = times[i % LETHE_COUNT(times)];
        lethe_time_format(t, LETHE_TIME_EXACT, text);
        fprintf(f, "%zu\tmaps\t%s\t\t\n", 100 + i, text);
    }
    fclose(f);
    s_add(&s, &lethe_method_scrub, "");
    ran r = run_steps(g, &s);
    assert_int_equal(r.err, LETHE_OK);
    char *data = g_data(g), *line = strchr(data, '\n') + 1;
    for (size_t i = 0; i < 10 * LETHE_COUNT(times); i++, line = strchr(line, '\n') + 1) {
        char expected[80];
        lethe_time_format(times[i % LETHE_COUNT(times)], LETHE_TIME_EXACT, text);
        int n = snprintf(expected, sizeof expected, "%zu\tmaps\t%s\t\t\n", 100 + i, text);
        assert_int_equal(strlen(text), 19);
        assert_memory_equal(line, expected, (size_t)n);
    }
    free(data);
    lethe_json_doc_free(r.doc);
}

/* --- without memory --- */

static void every_lack_of_memory_ends_cleanly(void **state)
{
    ground *g = *state;
    char options[400];
    scrubber s;
    g_write(g->map, "Jarrett Arnold\n");
    snprintf(options, sizeof options, "kinds=ssn,email list=%s", g->map);
    uint64_t n = 1;
    lethe_err err = LETHE_ENOMEM;
    for (; err != LETHE_OK; n++) {
        s = (scrubber){.ctx = g_ctx(g, 2), .doc = lethe_json_doc_new()};
        s.metrics = lethe_json_object(s.doc);
        s.caveats = lethe_json_array(s.doc);
        s_add(&s.options, &lethe_method_scrub, options);
        lethe_run run = {.ctx = s.ctx, .values = &s.options.at[0].values};
        lethe_alloc_fail_at(n);
        err = lethe_method_scrub.rows->begin(&run, &s.state);
        if (err == LETHE_OK)
            err = sc_row(&s, "jarrett arnold " SSN, "http://A.com/B%20c+\xc3\x89").err;
        if (err == LETHE_OK) err = sc_end(&s);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        sc_free(&s);
        assert_true(n < 10000);
    }
    assert_true(n > 8);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_kind_is_masked_and_counted),
        T(only_the_kinds_asked_for_are_looked_for),
        T(the_options_name_the_kinds_in_their_order),
        T(what_is_nothing_but_personal_stays_as_its_mask),
        T(dropping_leaves_the_row_out_and_counts_it),
        T(what_grows_too_long_is_left_out),
        T(a_mebibyte_of_digits_takes_no_time),
        T(urls_are_cut_to_their_host),
        T(urls_stay_unless_something_is_found_in_them),
        T(a_host_that_tells_goes_even_where_the_url_does_not),
        T(a_rank_without_url_stays),
        T(the_list_is_masked_in_queries_and_urls),
        T(lists_that_cannot_be_read_are_refused),
        T(claims_name_the_kinds_in_the_order_of_the_table),
        T(threshold_counts_masked_texts_together),
        T(hashes_of_threshold_do_not_break_the_promise),
        T(hashes_are_left_alone_by_a_later_scrub),
        T(pseudonyms_of_urls_do_not_break_the_promise),
        T(the_list_leaves_no_trace_in_the_manifest),
        T(lists_of_later_steps_are_read_first),
        T(a_map_does_not_replace_the_list),
        T(nothing_left_is_an_answer),
        T(odd_lines_are_scrubbed_as_they_are_published),
        T(exact_times_are_published_as_they_were),
        T(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
