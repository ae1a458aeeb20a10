/* SPDX-License-Identifier: Apache-2.0 */
/* disconnect through whole releases: each reason and option, what is refused, chains, threads and
 * memory, lack of memory. */
/* suite: threads */
#include "disconnect_harness.h"
#include "sanitized.h"

/* A row of `user` at a second of its own, unless it is one of several clicks. */
static void put_row(FILE *f, const char *user, const char *query, int second, const char *url)
{
    fprintf(f, "%s\t%s\t2006-03-01 10:%02d:%02d\t%s\t%s\n", user, query, second / 60, second % 60,
            *url ? "7" : "", url);
}

/* Each query with its URLs, one user, one second: "maps a.com/1 b.com/2", in this order. */
static void write_log(const ground *g, const char *const *lines, size_t n)
{
    FILE *f = fopen(g->log, "w");
    for (size_t i = 0; i < n; i++) {
        char copy[512], *save = NULL;
        snprintf(copy, sizeof copy, "%s", lines[i]);
        char *bar = strchr(copy, '|');
        if (bar) *bar = '\0';
        char *url = bar ? strtok_r(bar + 1, " ", &save) : NULL;
        if (!url) put_row(f, "1", copy, (int)i, "");
        for (; url; url = strtok_r(NULL, " ", &save))
            put_row(f, "1", copy, (int)i, url);
    }
    fclose(f);
}
#define WRITE_LOG(g, ...)                                                                          \
    write_log(g, (const char *const[]){__VA_ARGS__},                                               \
              LETHE_COUNT(((const char *const[]){__VA_ARGS__})))

/* The distinct queries of the release, sorted, with a comma between them. */
static const char *kept(const made *m)
{
    static char out[512];
    char names[32][64];
    size_t n = 0;
    out[0] = '\0';
    for (const char *l = m->data; l && *l; l = strchr(l, '\n') + 1) {
        const char *q = strchr(l, '\t') + 1;
        int len = (int)(strchr(q, '\t') - q);
        size_t i = 0;
        snprintf(names[n], sizeof names[0], "%.*s", len, q);
        while (strcmp(names[i], names[n]) != 0)
            i++;
        n += i == n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (strcmp(names[i], names[j]) > 0) {
                char swap[64];
                memcpy(swap, names[i], 64);
                memcpy(names[i], names[j], 64);
                memcpy(names[j], swap, 64);
            }
    for (size_t i = 0; i < n; i++)
        snprintf(out + strlen(out), sizeof out - strlen(out), "%s%.63s", i ? "," : "", names[i]);
    return out;
}

/* Makes a release, keeping URLs; these queries are left. */
static void leaves(ground *g, const char *options, const char *want)
{
    made m = d_one(g, options, (how){.urls = LETHE_URLS_KEEP});
    if (m.err != LETHE_OK) fail_msg("%s: %s", options, g->said);
    if (strcmp(kept(&m), want) != 0) fail_msg("%s: left are %s", options, kept(&m));
    d_gone(g, &m);
}

static void ends_with(ground *g, const char *options, lethe_err err, const char *said)
{
    made m = d_one(g, options, (how){.urls = LETHE_URLS_KEEP});
    assert_int_equal(m.err, err);
    assert_null(m.data);
    if (strcmp(g->said, said) != 0) fail_msg("%s: %s", options, g->said);
    d_gone(g, &m);
}

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

/* A path in the ground, with what is written there. */
static const char *file(const ground *g, const char *name, const char *text)
{
    static char path[2][400];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[0], "%s/%s", g->dir, name);
    if (text) g_write(path[turn], text);
    return path[turn];
}

static const char *with(const char *format, ...)
{
    static char out[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(out, sizeof out, format, ap);
    va_end(ap);
    return out;
}

/* --- the process --- */

static void every_reason_counts_once_and_in_order(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "few a.com|http://a.com/ http://a.com/2", /* few results, targeted and named */
              "aimed|http://a.com/ http://a.com/3",        /* targeted, few sites too */
              "b.com|http://b.com/ http://x.com/",         /* named, few sites too */
              "one site|http://d.com/ http://e.com/",      /* few sites, and in the graph */
              "left|http://d.com/ http://f.com/", "right|http://f.com/ http://h.com/", "plain",
              "unknown");
    const char *results =
        file(g, "results",
             "few a.com\ta.com/\n"
             "aimed\ta.com/1\naimed\ta.com/2\nb.com\tb.com/1\nb.com\twww.b.com/2\n"
             "one site\tz.com/1\nONE  site\twww.z.com/2\nleft\td.com\nleft\tf.com\n"
             "right\tf.com\nright\th.com\nplain\tp.com\nplain\tq.com\n");
    made m = d_one(g, with("results=%s min-results=2 min-sites=2", results),
                   (how){.urls = LETHE_URLS_KEEP});
    assert_int_equal(m.err, LETHE_OK);
    assert_string_equal(kept(&m), "plain,right");
    d_expect_json(d_figure(&m, "removed"), "{\"few_results\":2,\"targeted\":1,\"named\":1,"
                                           "\"few_sites\":1,\"graph\":1}");
    d_expect_json(d_figure(&m, "removed_volume"), "{\"few_results\":2,\"targeted\":1,\"named\":1,"
                                                  "\"few_sites\":1,\"graph\":1}");
    d_expect_json(d_figure(&m, "removed_clicks"), "{\"few_results\":2,\"targeted\":2,\"named\":2,"
                                                  "\"few_sites\":2,\"graph\":2}");
    d_expect_json(d_figure(&m, "queries"), "8");
    d_expect_json(d_figure(&m, "density_before"), "0.10714285714285714"); /* 3 of 28 */
    d_expect_json(d_figure(&m, "density_after"), "0.0");
    d_expect_json(d_figure(&m, "density_path"), "[0.3333333333333333,0.0]"); /* 1 of 3 */
    d_expect_json(d_figure(&m, "volume_kept"), "0.25");
    d_expect_json(d_figure(&m, "clicks_kept"), "0.16666666666666666");
    d_expect_json(d_figure(&m, "rows_kept"), "3");
    assert_null(d_figure(&m, "unconfirmed"));
    d_expect_json(lethe_json_get(m.report, "claims"),
                  "[{\"notion\":\"disconnected\",\"density\":0.0,\"k\":2,\"K\":2}]");
    d_expect_json(lethe_json_get(m.report, "parameters"),
                  "{\"rank\":\"frequency\",\"weight\":\"volume\",\"density\":0.0,\"min-results\":2,"
                  "\"min-sites\":2,\"results\":true,\"targeted\":0.9,\"targeted-clicks\":1,\"min-"
                  "urls\":\"none\",\"keep-vulnerable\":false,"
                  "\"keep-users\":true,\"time\":\"exact\",\"urls\":\"keep\"}");
    d_gone(g, &m);
}

static void what_targets_is_a_share_of_clicks(void **state)
{
    ground *g = *state;
    WRITE_LOG(g,
              "nine|http://a.com/1 http://a.com/2 http://www.a.com/3 http://a.com/4 "
              "http://A.com/5 http://a.com/6 http://a.com/7 http://a.com/8 http://a.com/9 "
              "http://b.com/",
              "eight|http://c.com/1 http://c.com/2 http://c.com/3 http://c.com/4 http://c.com/5 "
              "http://c.com/6 http://c.com/7 http://c.com/8 http://d.com/ http://e.com/",
              "once|http://f.com/", "plain");
    leaves(g, "", "eight,plain");
    leaves(g, "targeted=0.91", "eight,nine,plain");
    leaves(g, "targeted=0.8", "plain");
    leaves(g, "targeted=none", "eight,nine,once,plain");
    leaves(g, "keep-vulnerable=1", "eight,nine,once,plain");
    leaves(g, "keep-vulnerable=1 targeted=0.1", "eight,nine,once,plain");
}

static void a_text_that_names_a_clicked_site_goes(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "www.example.com|http://example.com/ http://o1.com/",
              "example com shop|http://www.shop.example.com/ http://o2.com/",
              "examples com|http://example.com/3 http://o3.com/",
              "bbc.co.uk|http://news.bbc.co.uk/ http://o4.com/",
              "co.uk|http://news.bbc.co.uk/5 http://o5.com/",
              "at 10.0.0.1|http://10.0.0.1:80/ http://o6.com/",
              "0.0.1|http://10.0.0.1/7 http://o7.com/", "web.de|http://www.web.de/ http://o8.com/",
              "other.com|http://example.com/9 http://o9.com/");
    leaves(g, "targeted=none", "0.0.1,co.uk,examples com,other.com");
    leaves(g, "targeted=none keep-vulnerable=1",
           "0.0.1,at 10.0.0.1,bbc.co.uk,co.uk,example com shop,examples com,other.com,web.de,"
           "www.example.com");
}

static void without_results_nothing_is_enforced_and_it_says_so(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|http://a.com/ http://b.com/", "b|http://c.com/1 http://c.com/2", "c",
              "d|http://e.com/");
    made m = d_one(g, "min-results=2 min-sites=2 targeted=none", (how){.urls = LETHE_URLS_ID});
    assert_int_equal(m.err, LETHE_OK);
    assert_string_equal(kept(&m), "a,b,c,d");
    d_expect_json(d_figure(&m, "unconfirmed"), "3");
    d_expect_json(lethe_json_get(m.report, "claims"),
                  "[{\"notion\":\"disconnected\",\"density\":0.0}]");
    size_t said = 0;
    const lethe_json *caveats = lethe_json_get(m.report, "caveats");
    for (size_t i = 0; i < lethe_json_count(caveats); i++) {
        lethe_str s = lethe_json_text(lethe_json_at(caveats, i));
        said += memmem(s.at, s.n, "was not enforced", 16) != NULL;
    }
    assert_int_equal(said, 2);
    d_gone(g, &m);
    m = d_one(g, "targeted=none", (how){.urls = LETHE_URLS_ID});
    assert_null(d_figure(&m, "unconfirmed"));
    d_gone(g, &m);
}

/* What is asked for without the option for it is not claimed. */
static void warnings_follow_from_the_options(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        size_t warnings;
        const char *claims;
    } is[] = {
        {"", 4, "[{\"notion\":\"disconnected\",\"density\":0.0,\"m\":5}]"},
        {"min-urls=none", 4, "[{\"notion\":\"disconnected\",\"density\":0.0}]"},
        {"min-urls=2 results=x", 4, "[{\"notion\":\"disconnected\",\"density\":0.0,\"m\":2}]"},
        {"min-urls=none results=x min-results=3", 3,
         "[{\"notion\":\"disconnected\",\"density\":0.0,\"k\":3}]"},
        {"results=x min-sites=3", 3,
         "[{\"notion\":\"disconnected\",\"density\":0.0,\"K\":3,\"m\":5}]"},
        {"results=x min-results=3 min-sites=3 density=0.25 min-urls=none", 3,
         "[{\"notion\":\"disconnected\",\"density\":0.25,\"k\":3,\"K\":3}]"},
        {"density=0.1 keep-vulnerable=1 min-urls=none", 5,
         "[{\"notion\":\"disconnected\",\"density\":0.1}]"},
        {"targeted=none", 5, "[{\"notion\":\"disconnected\",\"density\":0.0,\"m\":5}]"},
    };
    for (size_t i = 0; i < LETHE_COUNT(is); i++) {
        steps s = {0};
        const char *texts[LETHE_WARNS_MAX];
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *claims = lethe_json_array(doc);
        s_add(&s, &lethe_method_disconnect, is[i].options);
        assert_int_equal(lethe_method_disconnect.warns(&s.at[0].values, texts), is[i].warnings);
        lethe_method_disconnect.claims(&s.at[0].values, doc, claims);
        d_expect_json(claims, is[i].claims);
        lethe_json_doc_free(doc);
    }
}

/* --- the graph --- */

/* Queries that are asked so often, with a URL each time or now and then. */
static void put_query(FILE *f, const char *query, int times, int clicks, const char *url)
{
    for (int i = 0; i < times || i < clicks; i++)
        put_row(f, "u", query, i < times ? i : times - 1, i < clicks ? url : "");
}

static void rankings_differ_as_they_should(void **state)
{
    ground *g = *state;
    FILE *f = fopen(g->log, "w");
    /* hub - three leaves on different URLs: degree 3 */
    put_query(f, "hub", 40, 1, "u1");
    put_query(f, "hub", 40, 1, "u2");
    put_query(f, "hub", 40, 1, "u3");
    put_query(f, "one", 1, 5, "u1");
    put_query(f, "two", 2, 5, "u2");
    put_query(f, "six", 3, 5, "u3");
    fclose(f);
    leaves(g, "keep-vulnerable=1 rank=degree", "one,six,two");
    leaves(g, "keep-vulnerable=1 rank=frequency", "hub");
    leaves(g, "keep-vulnerable=1", "hub");
    leaves(g, "keep-vulnerable=1 rank=clicks", "one,six,two");
    leaves(g, "keep-vulnerable=1 rank=best", "hub"); /* volume 40 against 6 */
    leaves(g, "keep-vulnerable=1 rank=best weight=queries", "one,six,two");
    leaves(g, "keep-vulnerable=1 rank=best weight=clicks", "one,six,two");
    const char *weights = file(g, "weights", "HUB\t2.5\none\t1\ntwo\t1\nsix\t0.000001\r\nx\t9");
    leaves(g, with("keep-vulnerable=1 weights=%s", weights), "hub");
    leaves(g, with("keep-vulnerable=1 rank=best weights=%s", weights), "hub");
    weights = file(g, "weights", "hub\t2\none\t1\ntwo\t1\nsix\t0.000001");
    leaves(g, with("keep-vulnerable=1 rank=best weights=%s", weights), "one,six,two");
}

static void of_equals_the_first_seen_goes(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "b|u1", "a|u1", "c|u2", "d|u2");
    leaves(g, "keep-vulnerable=1", "a,d");
    WRITE_LOG(g, "a|u1", "b|u1", "d|u2", "c|u2");
    leaves(g, "keep-vulnerable=1", "b,c");
}

static void density_stops_it_early(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|u1", "b|u1", "c|u1", "d|u2", "e|u2", "f", "g");
    made m = d_one(g, "keep-vulnerable=1 density=0.1 rank=degree", (how){.urls = LETHE_URLS_ID});
    assert_string_equal(kept(&m), "c,d,e,f,g");
    d_expect_json(d_figure(&m, "density_before"), "0.19047619047619047"); /* 4 of 21 */
    d_expect_json(d_figure(&m, "density_path"), "[0.19047619047619047,0.13333333333333333,0.1]");
    d_expect_json(d_figure(&m, "density_after"), "0.1");
    d_gone(g, &m);
    leaves(g, "keep-vulnerable=1 density=0.2", "a,b,c,d,e,f,g");
    leaves(g, "keep-vulnerable=1 density=1", "a,b,c,d,e,f,g");
}

static void no_clicks_at_all_are_no_graph(void **state)
{
    ground *g = *state;
    static const char *const ranks[] = {"degree", "frequency", "clicks", "best"};
    WRITE_LOG(g, "a", "b", "c", "a");
    for (size_t i = 0; i < LETHE_COUNT(ranks); i++)
        leaves(g, with("rank=%s", ranks[i]), "a,b,c");
    made m = d_one(g, "", (how){.urls = LETHE_URLS_ID});
    d_expect_json(d_figure(&m, "clicks_kept"), "1.0");
    d_expect_json(d_figure(&m, "volume_kept"), "1.0");
    d_expect_json(d_figure(&m, "density_before"), "0.0");
    d_expect_json(d_figure(&m, "density_path"), "[0.0]");
    d_gone(g, &m);
    leaves(g, with("weights=%s", file(g, "weights", "other\t1\n")), "a,b,c");
}

static void every_query_on_one_url_leaves_one(void **state)
{
    ground *g = *state;
    enum { QUERIES = 3000 };
    FILE *f = fopen(g->log, "w");
    for (int i = 0; i < QUERIES; i++) {
        char query[32];
        snprintf(query, sizeof query, "query %04d", i);
        put_row(f, "1", query, i % 3000, "http://hub.com/");
        put_row(f, "1", query, i % 3000, "http://other.com/");
    }
    put_row(f, "1", "often", 1, "http://hub.com/");
    put_row(f, "1", "often", 2, "http://other.com/");
    fclose(f);
    leaves(g, "", "often");
    leaves(g, "rank=best", "often");
    leaves(g, "rank=degree", "often"); /* the last one seen */
    made m = d_one(g, "", (how){.urls = LETHE_URLS_KEEP});
    d_expect_json(d_figure(&m, "density_before"), "1.0");
    assert_int_equal(lethe_json_count(d_figure(&m, "density_path")), 101);
    assert_true(lethe_json_real(lethe_json_at(d_figure(&m, "density_path"), 99)) == 1.0);
    assert_int_equal(d_removed(&m, "removed", "graph"), QUERIES);
    d_gone(g, &m);
}

static void a_url_may_be_huge(void **state)
{
    ground *g = *state;
    enum { LENGTH = 1000 * 1000 };
    char *url = malloc(LENGTH + 1);
    memset(url, 'x', LENGTH);
    memcpy(url, "http://a.com/", 13);
    url[LENGTH] = '\0';
    FILE *f = fopen(g->log, "w");
    put_row(f, "1", "first", 1, url);
    put_row(f, "1", "second", 2, url);
    url[LENGTH - 1] = 'y';
    put_row(f, "1", "third", 3, url);
    url[LENGTH - 1] = 'x';
    put_row(f, "1", "second", 4, url);
    fclose(f);
    leaves(g, "targeted=none", "second,third");
    made m = d_one(g, "targeted=none", (how){.urls = LETHE_URLS_HOST});
    assert_string_equal(kept(&m), "second");
    d_gone(g, &m);
    free(url);
}

/* --- how URLs are published --- */

static void urls_count_as_they_are_published(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|http://h.com/1", "b|http://h.com/2 mailto:x", "c|mailto:x", "d|http://h.com/1");
    static const struct {
        lethe_urls urls;
        const char *left;
        int64_t clicks;
    } is[] = {
        {LETHE_URLS_KEEP, "c,d", 3}, /* a-d by h.com/1, b-c by mailto */
        {LETHE_URLS_ID, "c,d", 3},
        {LETHE_URLS_HOST, "c,d", 2}, /* a, b and d by the host */
        {LETHE_URLS_DROP, "a,b,c,d", 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(is); i++) {
        made m = d_one(g, "keep-vulnerable=1 rank=degree", (how){.urls = is[i].urls});
        assert_int_equal(m.err, LETHE_OK);
        assert_string_equal(kept(&m), is[i].left);
        assert_int_equal(d_removed(&m, "removed_clicks", "graph"), is[i].clicks);
        d_gone(g, &m);
    }
}

static void identifiers_go_without_ranks(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|http://h.com/1 http://h.com/2", "b");
    made m = d_one(g, "keep-vulnerable=1", (how){.urls = LETHE_URLS_KEEP});
    assert_string_equal(m.data, "1\ta\t2006-03-01 10:00:00\t7\thttp://h.com/1\n"
                                "1\ta\t2006-03-01 10:00:00\t7\thttp://h.com/2\n"
                                "1\tb\t2006-03-01 10:00:01\t\t\n");
    d_gone(g, &m);
    g_write(g->log, "1\ta\t2006-03-01 10:00:00\t3\thttp://h.com/\n"
                    "1\tb\t2006-03-01 10:00:01\t4\t\n");
    m = d_one(g, "keep-vulnerable=1", (how){.urls = LETHE_URLS_ID});
    char *url = strstr(m.data, "10:00:00\t\t");
    assert_non_null(url);
    assert_int_equal(strspn(url + 10, LETHE_PSEUDONYM_DIGITS), LETHE_PSEUDONYM_CHARS);
    assert_non_null(strstr(m.data, "10:00:01\t\t\n"));
    d_gone(g, &m);
}

/* --- what is refused --- */

static void what_makes_no_sense_is_bad_usage(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|u", "b");
    ends_with(g, "weight=clicks", LETHE_EUSAGE, "--weight can only be used with --rank best\n");
    ends_with(g, "rank=best density=0.1", LETHE_EUSAGE, "--rank best needs --density 0\n");
    ends_with(g, "min-results=2 min-sites=3", LETHE_EUSAGE,
              "--min-sites 3 is more than --min-results 2: there are at most as many sites as "
              "results\n");
    ends_with(g, "weights=x rank=best weight=clicks", LETHE_EUSAGE,
              "--weight and --weights exclude each other\n");
    static const char *const ranks[] = {"degree", "frequency", "clicks"};
    for (size_t i = 0; i < LETHE_COUNT(ranks); i++)
        ends_with(g, with("weights=x rank=%s", ranks[i]), LETHE_EUSAGE,
                  "--weights replaces --rank, unless that is best\n");
    leaves(g, "min-sites=3", "b");
    leaves(g, "min-results=3 min-sites=3", "b");
}

static void files_that_are_none_are_refused(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|u1 u2", "b|u2 u3", "named u.com|http://u.com/", "plain");
    ends_with(g, with("keep-vulnerable=1 weights=%s", file(g, "weights", "a\t1\n")), LETHE_EINPUT,
              "--weights lacks 2 of the clicked queries\n");
    /* one that does not come as far as the graph needs none */
    leaves(g, with("targeted=none weights=%s", file(g, "weights", "a\t1\nb\t2\n")), "b,plain");
    ends_with(g, with("weights=%s", file(g, "weights", "a\t0\n")), LETHE_EINPUT,
              "the weight is not above 0\n");
    ends_with(g, with("weights=%s", file(g, "weights", "a\t-1\n")), LETHE_EINPUT,
              "the weight is not above 0\n");
    ends_with(g, with("results=%s min-results=1", file(g, "results", "a\n")), LETHE_EINPUT,
              "no tab: expected a query and a url\n");
    made m = d_one(g, "weights=/nowhere/at/all", (how){.urls = LETHE_URLS_KEEP});
    assert_int_equal(m.err, LETHE_EIO);
    d_gone(g, &m);
}

static void weights_may_not_come_to_too_much(void **state)
{
    ground *g = *state;
    enum { QUERIES = 10000 };
    char path[400];
    snprintf(path, sizeof path, "%s/weights", g->dir);
    FILE *f = fopen(g->log, "w"), *w = fopen(path, "w");
    for (int i = 0; i < QUERIES; i++) {
        char query[32];
        snprintf(query, sizeof query, "query %d", i);
        put_row(f, "1", query, i % 3000, i % 2 ? "u1" : "u2");
        fprintf(w, "%s\t1000000000\n", query);
    }
    fclose(f);
    fclose(w);
    made m = d_one(g, with("keep-vulnerable=1 rank=best weights=%s", path),
                   (how){.urls = LETHE_URLS_KEEP});
    assert_int_equal(m.err, LETHE_EINPUT);
    assert_true(g->said[0]);
    d_gone(g, &m);
    m = d_one(g, with("keep-vulnerable=1 weights=%s", path), (how){.urls = LETHE_URLS_KEEP});
    assert_int_equal(m.err, LETHE_OK); /* a ranking adds nothing up */
    d_gone(g, &m);
}

static void nothing_left_is_no_release(void **state)
{
    ground *g = *state;
    WRITE_LOG(g, "a|http://a.com/", "b|http://b.com/");
    ends_with(g, "", LETHE_ANSWER_NO, "every query was removed: nothing is left to publish\n");
}

/* --- chains --- */

static made chain(ground *g, const lethe_method *one, const char *options, const lethe_method *two,
                  const char *more)
{
    steps s = {0};
    s_add(&s, one, options);
    s_add(&s, two, more);
    return d_make(g, &s, (how){.urls = LETHE_URLS_ID});
}

static void other_steps_come_before(void **state)
{
    ground *g = *state;
    g_write(g->log, "1\tmail bob@x.com\t2006-03-01 10:00:00\t1\thttp://a.com/\n"
                    "2\tmail ann@x.com\t2006-03-01 10:00:00\t1\thttp://a.com/\n"
                    "1\tmail\t2006-03-01 10:00:00\t1\thttp://a.com/\n"
                    "1\tmail\t2006-03-02 10:00:00\t1\thttp://b.com/\n"
                    "2\tmail\t2006-03-01 10:00:00\t1\thttp://b.com/\n");
    const lethe_method *me = &lethe_method_disconnect;
    /* the two masked texts are one query of volume 2 */
    made m = chain(g, &lethe_method_scrub, "", me, D_PAPER "keep-vulnerable=1");
    assert_int_equal(m.err, LETHE_OK);
    assert_string_equal(kept(&m), "mail");
    assert_int_equal(d_removed(&m, "removed_volume", "graph"), 2);
    d_gone(g, &m);
    m = chain(g, &lethe_method_threshold, "t=2 same=exact clicks=all", me,
              D_PAPER "keep-vulnerable=1");
    assert_int_equal(m.err, LETHE_OK);
    d_expect_json(d_figure(&m, "queries"), "1");
    d_gone(g, &m);
    /* two personas of one person at one second are two occurrences, and so they were before */
    m = chain(g, &lethe_method_split, "by=query", me, D_PAPER "keep-vulnerable=1");
    assert_int_equal(m.err, LETHE_OK);
    assert_string_equal(kept(&m), "mail");
    assert_int_equal(d_removed(&m, "removed_volume", "graph"), 2);
    d_expect_json(lethe_json_get(m.report, "claims"),
                  "[{\"notion\":\"personas\",\"by\":\"query\"},"
                  "{\"notion\":\"disconnected\",\"density\":0.0}]");
    d_gone(g, &m);
}

static void other_steps_come_behind(void **state)
{
    ground *g = *state;
    const lethe_method *me = &lethe_method_disconnect;
    WRITE_LOG(g, "a|u1", "mail bob@x.com|u2", "mail ann@x.com|u3", "b|u4", "c|u1");
    static const struct {
        const lethe_method *method;
        const char *options, *left;
    } is[] = {
        {&lethe_method_split, "by=day", "b,c,mail ann@x.com,mail bob@x.com"},
        {&lethe_method_scrub, "", "b,c,mail [email]"}, /* one query with both URLs */
        {&lethe_method_threshold, "t=1 same=exact", "b,c,mail ann@x.com,mail bob@x.com"},
    };
    for (size_t i = 0; i < LETHE_COUNT(is); i++) {
        made m = chain(g, me, D_PAPER "keep-vulnerable=1", is[i].method, is[i].options);
        assert_int_equal(m.err, LETHE_OK);
        assert_string_equal(kept(&m), is[i].left);
        d_gone(g, &m);
    }
}

/* Density rises where others are left out, and new texts have no results. */
static void a_step_behind_may_break_the_promise(void **state)
{
    ground *g = *state;
    const lethe_method *me = &lethe_method_disconnect;
    g_write(g->log, "1\ta\t2006-03-01 10:00:00\t1\tu1\n2\ta\t2006-03-01 10:00:00\t1\tu1\n"
                    "1\tb\t2006-03-01 10:00:00\t1\tu1\n2\tb\t2006-03-01 10:00:00\t1\tu1\n"
                    "1\tc\t2006-03-01 10:00:00\t\t\n1\td 10.0.0.1\t2006-03-01 10:00:00\t\t\n");
    static const char broken[] =
        "the written data does not keep the promise disconnected: nothing is published\n";
    made m = chain(g, me, D_PAPER "keep-vulnerable=1 density=0.2", &lethe_method_threshold,
                   "t=1 same=exact");
    assert_int_equal(m.err, LETHE_OK);
    d_gone(g, &m);
    m = chain(g, me, D_PAPER "keep-vulnerable=1 density=0.2", &lethe_method_threshold,
              "t=2 same=exact");
    assert_int_equal(m.err, LETHE_ANSWER_NO);
    assert_string_equal(g->said, broken);
    d_gone(g, &m);
    const char *results = file(g, "results", "a\tx\nb\tx\nc\tx\nd 10.0.0.1\tx\n");
    m = chain(g, me, with(D_PAPER "keep-vulnerable=1 min-results=1 results=%s", results),
              &lethe_method_scrub, "kinds=ssn");
    assert_int_equal(m.err, LETHE_OK);
    d_gone(g, &m);
    m = chain(g, me, with(D_PAPER "keep-vulnerable=1 min-results=1 results=%s", results),
              &lethe_method_scrub, "kinds=ip");
    assert_int_equal(m.err, LETHE_ANSWER_NO);
    assert_string_equal(g->said, broken);
    d_gone(g, &m);
}

/* --- threads, memory --- */

static void write_big_log(const ground *g)
{
    FILE *f = fopen(g->log, "w");
    uint64_t s = 5;
    for (int i = 0; i < (SANITIZED ? 5000 : 30000); i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        unsigned a = (unsigned)(s >> 33) % 4000, b = (unsigned)(s >> 40) % 4000;
        unsigned text = a < b ? a : b, url = (unsigned)(s >> 21) % 3000;
        fprintf(f, "%u\ttext number %u of many\t2006-03-%02u 10:%02u:00\t",
                (unsigned)(s >> 50) % 90, text, 1 + (unsigned)(s >> 35) % 28,
                (unsigned)(s >> 45) % 60);
        if (s >> 60 & 1)
            fprintf(f, "%u\thttp://www.s%u.com/%u\n", url % 9, url % 700, url);
        else
            fputs("\t\n", f);
    }
    fclose(f);
}

static void threads_and_memory_change_nothing(void **state)
{
    ground *g = *state;
    static const char *const options[] = {"targeted=none", "rank=best weight=clicks targeted=none",
                                          "rank=degree density=0.0001"};
    static const struct {
        unsigned threads;
        uint64_t memory_bytes;
    } is[] = {{1, 0}, {2, 1 << 20}, {7, 0}, {7, 1 << 20}};
    write_big_log(g);
    for (size_t o = 0; o < LETHE_COUNT(options); o++) {
        made first = {0};
        for (size_t i = 0; i < LETHE_COUNT(is); i++) {
            made m = d_one(g, options[o],
                           (how){.threads = is[i].threads,
                                 .memory_bytes = is[i].memory_bytes,
                                 .urls = LETHE_URLS_ID,
                                 .coarse = true,
                                 .seeded = true});
            assert_int_equal(m.err, LETHE_OK);
            if (i == 0) {
                first = m;
                m = (made){0};
                g_remove(g->out);
                continue;
            }
            assert_string_equal(m.whole, first.whole);
            char *x = lethe_json_write(lethe_json_get(m.report, "metrics"), 0, NULL),
                 *y = lethe_json_write(lethe_json_get(first.report, "metrics"), 0, NULL);
            assert_string_equal(x, y);
            lethe_json_text_free(x);
            lethe_json_text_free(y);
            d_gone(g, &m);
        }
        d_gone(g, &first);
    }
}

/* Ties are broken by nothing that a key decides. */
static void keys_change_no_choice(void **state)
{
    ground *g = *state;
    static const char *const options[] = {"targeted=none", "rank=best targeted=none"};
    write_big_log(g);
    for (size_t o = 0; o < LETHE_COUNT(options); o++) {
        made a = d_one(g, options[o], (how){.urls = LETHE_URLS_KEEP});
        g_remove(g->out);
        made b = d_one(g, options[o], (how){.urls = LETHE_URLS_KEEP, .seeded = true});
        assert_string_equal(a.whole, b.whole);
        d_gone(g, &a);
        d_gone(g, &b);
    }
}

static lethe_err emit_nothing(lethe_result *out, unsigned w, const lethe_row *row)
{
    (void)out, (void)w, (void)row;
    return LETHE_OK;
}

static void drop_nothing(lethe_result *out, unsigned w, const char *reason, uint64_t n)
{
    (void)out, (void)w, (void)n;
    assert_non_null(reason);
}

static void lack_of_memory_is_said(void **state)
{
    ground *g = *state;
    const char *results = file(g, "results",
                               "a\tx.com\na\ty.com\nb\tx.com\nb\ty.com\n"
                               "c\tx.com\nc\ty.com\nd\tx\nd\ty\n");
    char more[512];
    WRITE_LOG(g, "a|http://x.com/ http://y.com/", "b|http://x.com/ http://z.com/", "d",
              "c|http://z.com/ http://WWW.Z.com/", "x|http://x.com/");
    snprintf(more, sizeof more, "results=%s min-results=2 min-sites=2 rank=best weights=%s",
             results, file(g, "weights", "a\t1\nb\t2\nc\t4\nx\t5\n"));
    const char *const options[] = {"density=0.1", more, "min-urls=2 targeted=none"};
    lethe_ctx *ctx = g_ctx(g, 1);
    for (size_t o = 0; o < LETHE_COUNT(options); o++) {
        lethe_err err = LETHE_ENOMEM;
        uint64_t n = 0;
        while (err != LETHE_OK) {
            steps s = {0};
            lethe_log *log = NULL;
            lethe_secret *key = NULL;
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_result out = {.emit = emit_nothing,
                                .drop = drop_nothing,
                                .doc = doc,
                                .metrics = lethe_json_object(doc)};
            s_add(&s, &lethe_method_disconnect, options[o]);
            assert_int_equal(lethe_log_files(ctx, (const char *const[]){g->log}, 1,
                                             &(lethe_read_options){0}, &log),
                             LETHE_OK);
            assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
            lethe_run run = {.ctx = ctx,
                             .values = &s.at[0].values,
                             .random = key,
                             .key = key,
                             .urls = o == 2 ? LETHE_URL_ID : LETHE_URL_ANY,
                             .memory_bytes = 4 << 20};
            g->said[0] = '\0';
            lethe_alloc_fail_at(++n);
            err = lethe_method_disconnect.run(
                &run, &(lethe_data){.shape = LETHE_SHAPE_LOG, .log = log}, &out);
            lethe_alloc_fail_at(0);
            if (err != LETHE_OK) {
                assert_int_equal(err, LETHE_ENOMEM);
                assert_true(g->said[0]);
            }
            lethe_secret_free(key);
            lethe_log_free(log);
            lethe_json_doc_free(doc);
        }
        assert_true(n > 40);
    }
    lethe_ctx_free(ctx);
}

static void it_can_be_stopped(void **state)
{
    ground *g = *state;
    write_big_log(g);
    lethe_ctx *ctx = g_ctx(g, 2);
    steps s = {0};
    const char *inputs[] = {g->log};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    s_add(&s, &lethe_method_disconnect, "");
    lethe_release_job job = g_job(g, &s, inputs);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_ECANCEL);
    assert_string_equal(g_names(g), "log.tsv");
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_reason_counts_once_and_in_order),
        T(what_targets_is_a_share_of_clicks),
        T(a_text_that_names_a_clicked_site_goes),
        T(without_results_nothing_is_enforced_and_it_says_so),
        T(warnings_follow_from_the_options),
        T(rankings_differ_as_they_should),
        T(of_equals_the_first_seen_goes),
        T(density_stops_it_early),
        T(no_clicks_at_all_are_no_graph),
        T(every_query_on_one_url_leaves_one),
        T(a_url_may_be_huge),
        T(urls_count_as_they_are_published),
        T(identifiers_go_without_ranks),
        T(what_makes_no_sense_is_bad_usage),
        T(files_that_are_none_are_refused),
        T(weights_may_not_come_to_too_much),
        T(nothing_left_is_no_release),
        T(other_steps_come_before),
        T(other_steps_come_behind),
        T(a_step_behind_may_break_the_promise),
        T(threads_and_memory_change_nothing),
        T(keys_change_no_choice),
        T(lack_of_memory_is_said),
        T(it_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
