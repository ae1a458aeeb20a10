/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of `disconnected`: what it refuses, and what it cannot know. */
/* suite: threads */
#include "check_disconnected_harness.h"
#include "check/shared_urls.h"

static char noted[256];

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    if (m->severity == LETHE_NOTE) snprintf(noted, sizeof noted, "%s", m->text);
}

/* `rows` below the header, sorted first where they are to be. */
static cd_outcome check_bytes(unsigned threads, const char *claim, const char *text, bool sorts,
                              cd_situation s)
{
    char path[64];
    int dirfd = o_folder(path);
    lethe_settings settings = {.n_threads = threads, .on_message = keep_message};
    lethe_ctx *ctx;
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    if (sorts)
        o_write_published(dirfd, text, strlen(text));
    else
        o_write(dirfd, "data.tsv", text, strlen(text));
    noted[0] = '\0';
    cd_outcome o = cd_check(ctx, dirfd, claim, &s);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
    return o;
}

static cd_outcome check_as(unsigned threads, const char *claim, const char *rows, cd_situation s)
{
    char *text = malloc(strlen(CD_HEADER) + strlen(rows) + 1);
    strcat(strcpy(text, CD_HEADER), rows);
    cd_outcome o = check_bytes(threads, claim, text, true, s);
    free(text);
    return o;
}

static const unsigned threads[] = {1, 2, 7};

static void holds_as(const char *claim, const char *rows, cd_situation s)
{
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        cd_outcome o = check_as(threads[i], claim, rows, s);
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(o.why, "");
        assert_true(o.holds);
    }
}

static void broken_as(const char *claim, const char *rows, cd_situation s, const char *why)
{
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        cd_outcome o = check_as(threads[i], claim, rows, s);
        assert_int_equal(o.err, LETHE_OK);
        assert_false(o.holds);
        assert_string_equal(o.why, why);
    }
}

static void holds(const char *claim, const char *rows) { holds_as(claim, rows, (cd_situation){0}); }
static void broken(const char *claim, const char *rows, const char *why)
{
    broken_as(claim, rows, (cd_situation){0}, why);
}

#define CLAIM(density) "{\"notion\":\"disconnected\",\"density\":" density "}"
#define CLAIM_m(m) "{\"notion\":\"disconnected\",\"density\":0,\"m\":" m "}"
#define CLAIM_k(k) "{\"notion\":\"disconnected\",\"density\":0.0,\"k\":" k "}"
#define CLAIM_kK(k, K) "{\"notion\":\"disconnected\",\"density\":0.0,\"k\":" k ",\"K\":" K "}"
#define ROW(user, query, url) user "\t" query "\t\t\t" url "\n"
#define ID_1 "aaaabbbbccccdddd"
#define ID_2 "aaaabbbbcccceeee"

/* --- density 0 --- */

static void texts_apart_hold(void **state)
{
    (void)state;
    static const char *const zero[] = {CLAIM("0"), CLAIM("0.0"), CLAIM("-0.0"), CLAIM("1e-300")};
    for (size_t i = 0; i < LETHE_COUNT(zero); i++) {
        holds(zero[i], ROW("u", "a", "x.com"));
        holds(zero[i], ROW("u", "a", "x.com") ROW("u", "b", "y.com"));
        holds(zero[i], ROW("u", "a", "x.com") ROW("v", "a", "x.com")); /* one text */
        holds(zero[i], ROW("u", "a", "") ROW("v", "b", ""));           /* no click is no URL */
        holds(zero[i], ROW("u", "a", "x.com") ROW("v", "a", "y.com") ROW("v", "b", "z.com")
                           ROW("w", "c", ""));
        /* as bytes: nothing is brought to one form */
        holds(zero[i], ROW("u", "a", "x.com") ROW("u", "b", "X.com") ROW("u", "c", "www.x.com"));
        holds(zero[i], ROW("u", "a", "http://x.com/a") ROW("u", "b", "http://x.com/b"));
        holds(zero[i], ROW("u", "a", "x.com") ROW("u", "b", "x.co") ROW("u", "c", "x.com."));
        /* where a text ends and a URL begins */
        holds(zero[i], ROW("u", "ab", "c") ROW("u", "a", "bc"));
    }
}

static void two_texts_of_one_url_are_named(void **state)
{
    (void)state;
    broken(CLAIM("0"), ROW("u", "maps", ID_1) ROW("v", "news", ID_1),
           "{\"queries\":[\"maps\",\"news\"],\"url\":\"" ID_1 "\"}");
    broken(CLAIM("0"), ROW("u", "news", "x.com") ROW("u", "maps", "x.com"),
           "{\"queries\":[\"maps\",\"news\"],\"url\":\"x.com\"}");
    broken(CLAIM("0"), ROW("u", "a", "http://x.com/a?b=c#d") ROW("u", "b", "http://x.com/a?b=c#d"),
           "{\"queries\":[\"a\",\"b\"],\"url\":\"http://x.com/a?b=c#d\"}");
    /* among others, of one user or several, and however often */
    broken(CLAIM("0"),
           ROW("u", "a", ID_1) ROW("u", "a", ID_1) ROW("v", "a", "") ROW("w", "b", ID_2)
               ROW("w", "a", ID_1) ROW("w", "c", ID_1) ROW("w", "d", ""),
           "{\"queries\":[\"a\",\"c\"],\"url\":\"" ID_1 "\"}");
    broken(CLAIM("0"), ROW("u", "a", "x") ROW("u", "ab", "x"),
           "{\"queries\":[\"a\",\"ab\"],\"url\":\"x\"}");
    broken(CLAIM("0"), ROW("u", "\xc3\xa9", "x") ROW("u", "z", "x"),
           "{\"queries\":[\"z\",\"\xc3\xa9\"],\"url\":\"x\"}");
}

static void the_least_pair_is_named(void **state)
{
    (void)state;
    broken(CLAIM("0"),
           ROW("1", "d", "p") ROW("1", "e", "p") ROW("1", "b", "q") ROW("1", "z", "q")
               ROW("1", "b", "r") ROW("1", "c", "r") ROW("1", "c", "s") ROW("1", "d", "s"),
           "{\"queries\":[\"b\",\"c\"],\"url\":\"r\"}");
    broken(CLAIM("0"), /* of several URLs the least */
           ROW("1", "b", "z") ROW("1", "c", "z") ROW("1", "b", "y") ROW("1", "c", "y")
               ROW("1", "b", "yy") ROW("1", "c", "yy"),
           "{\"queries\":[\"b\",\"c\"],\"url\":\"y\"}");
    broken(CLAIM("0"), /* of one URL the first two */
           ROW("1", "c", "z") ROW("1", "b", "z") ROW("1", "a", "z") ROW("1", "a", "y"),
           "{\"queries\":[\"a\",\"b\"],\"url\":\"z\"}");
}

/* --- densities between --- */

/* A path of n texts: t0-t1, t1-t2 and so on; `edges` of them. */
static char *path_of(size_t n, size_t edges)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "u\tt%zu\t\t\t\n", i);
    for (size_t i = 0; i < edges; i++)
        fprintf(f, "u\tt%zu\t\t\tx%zu\nu\tt%zu\t\t\tx%zu\n", i, i, i + 1, i);
    fclose(f);
    return text;
}

static void a_density_holds_up_to_its_last_pair(void **state)
{
    (void)state;
    char *two = path_of(5, 2), *three = path_of(5, 3), *four = path_of(5, 4);
    holds(CLAIM("0.3"), two);
    holds(CLAIM("0.3"), three); /* 3 of 10 is 0.3 */
    broken(CLAIM("0.3"), four, "{\"density_at_least\":0.4,\"allowed\":0.3}");
    holds(CLAIM("0.29999999999999998"), three); /* the same double */
    broken(CLAIM("0.2999999999999999"), three,
           "{\"density_at_least\":0.3,\"allowed\":0.2999999999999999}");
    holds(CLAIM("0.4"), four);
    holds(CLAIM("1"), four);
    holds(CLAIM("1.0"), four);
    broken(CLAIM("1e-300"), two, "{\"density_at_least\":0.1,\"allowed\":1e-300}");
    broken(CLAIM("0"), two, "{\"queries\":[\"t0\",\"t1\"],\"url\":\"x0\"}");
    free(two);
    free(three);
    free(four);
}

static void texts_without_clicks_count_as_texts(void **state)
{
    (void)state;
    static const char pair[] = ROW("u", "a", "x") ROW("u", "b", "x");
    char rows[256];
    broken(CLAIM("0.5"), pair, "{\"density_at_least\":1.0,\"allowed\":0.5}");
    snprintf(rows, sizeof rows, "%s%s", pair, ROW("u", "c", ""));
    holds(CLAIM("0.5"), rows);
    broken(CLAIM("0.33"), rows, "{\"density_at_least\":0.3333333333333333,\"allowed\":0.33}");
    snprintf(rows, sizeof rows, "%s%s", pair, ROW("u", "c", "") ROW("v", "c", "y"));
    broken(CLAIM("0.33"), rows, "{\"density_at_least\":0.3333333333333333,\"allowed\":0.33}");
    snprintf(rows, sizeof rows, "%s%s", pair, ROW("u", "c", "y") ROW("v", "d", "z"));
    holds(CLAIM("0.33"), rows);
}

/* A pair counts once, whatever it shares; and what one URL alone joins is said in full. */
static void pairs_count_once(void **state)
{
    (void)state;
    holds(CLAIM("0.34"), ROW("u", "a", "x") ROW("u", "a", "y") ROW("u", "a", "z") ROW("u", "b", "x")
                             ROW("u", "b", "y") ROW("u", "c", "w"));
    holds(CLAIM("0.34"), ROW("u", "a", "x") ROW("u", "a", "y") ROW("u", "b", "x") ROW("u", "b", "y")
                             ROW("v", "b", "x") ROW("u", "c", ""));
    broken(CLAIM("0.1"),
           ROW("u", "a", "x") ROW("u", "b", "x") ROW("u", "c", "x") ROW("u", "d", "x")
               ROW("u", "e", ""),
           "{\"density_at_least\":0.6,\"allowed\":0.1}");
    broken(CLAIM("0.1"),
           ROW("u", "a", "x") ROW("u", "b", "x") ROW("u", "c", "x") ROW("u", "d", "x")
               ROW("u", "a", "y") ROW("u", "b", "z") ROW("u", "e", ""),
           "{\"density_at_least\":0.6,\"allowed\":0.1}");
}

/* --- results and sites --- */

static void write_results(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void every_text_needs_its_results(void **state)
{
    (void)state;
    static const char rows[] = ROW("u", "maps", "x") ROW("u", "maps", "y") ROW("v", "news", "");
    char path[] = "/tmp/lethe-disconnected-XXXXXX";
    close(mkstemp(path));
    cd_situation s = {.results = path};
    write_results(path, "maps\ta.com\nnews\tb.com\nmaps\tc.com\nnews\tb.com\nother\ta.com\n");
    holds_as(CLAIM_k("1"), rows, s);
    broken_as(CLAIM_k("2"), rows, s, "{\"query\":\"news\",\"results\":1,\"needed\":2}");
    broken_as(CLAIM_k("3"), rows, s, "{\"query\":\"maps\",\"results\":2,\"needed\":3}");
    broken_as(CLAIM_k("9223372036854775807"), rows, s,
              "{\"query\":\"maps\",\"results\":2,\"needed\":9223372036854775807}");
    holds_as(CLAIM("0"), rows, s); /* nothing is claimed of results */
    write_results(path, "maps\ta.com\n");
    broken_as(CLAIM_k("1"), rows, s, "{\"query\":\"news\",\"results\":0,\"needed\":1}");
    broken_as("{\"notion\":\"disconnected\",\"density\":0.5,\"k\":1}", rows, s,
              "{\"query\":\"news\",\"results\":0,\"needed\":1}");
    broken_as("{\"notion\":\"disconnected\",\"density\":1,\"k\":1}", rows, s,
              "{\"query\":\"news\",\"results\":0,\"needed\":1}");
    broken_as("{\"notion\":\"disconnected\",\"density\":0,\"K\":1}", rows, s,
              "{\"query\":\"news\",\"sites\":0,\"needed\":1}");
    unlink(path);
}

static void every_text_needs_its_sites(void **state)
{
    (void)state;
    static const char rows[] = ROW("u", "maps", "x");
    static const struct {
        const char *results, *k, *K;
    } cases[] = {
        {"maps\thttp://a.com/1\nmaps\thttp://a.com/2\n", "2", "1"},
        {"maps\thttp://a.com/\nmaps\thttp://www.a.com/\n", "2", "1"},
        {"maps\thttp://a.com/\nmaps\tHTTP://WWW.A.COM:80/\nmaps\ta.com\n", "3", "1"},
        {"maps\thttp://a.com/\nmaps\thttp://ww.a.com/\n", "2", "2"},
        {"maps\thttp://a.com/\nmaps\thttp://www2.a.com/\n", "2", "2"},
        {"maps\thttp://a.com/\nmaps\thttp://www.www.a.com/\n", "2", "2"},
        {"maps\tlocalhost\nmaps\thttp://localhost/\n", "2", "2"}, /* the first has no host */
        {"maps\tone\nmaps\ttwo\nmaps\tthree\n", "3", "3"},
        {"maps\tmailto:a@b.com\nmaps\thttp://b.com/\n", "2", "2"},
        {"maps\thttp://www/\nmaps\twww\n", "2", "2"},
    };
    char path[] = "/tmp/lethe-disconnected-XXXXXX", claim[128], why[128];
    close(mkstemp(path));
    cd_situation s = {.results = path};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        write_results(path, cases[i].results);
        snprintf(claim, sizeof claim, CLAIM_kK("%s", "%s"), cases[i].k, cases[i].K);
        holds_as(claim, rows, s);
        int needed = atoi(cases[i].K) + 1;
        snprintf(claim, sizeof claim, CLAIM_kK("%s", "%d"), cases[i].k, needed);
        snprintf(why, sizeof why, "{\"query\":\"maps\",\"sites\":%d,\"needed\":%d}", needed - 1,
                 needed);
        broken_as(claim, rows, s, why);
    }
    unlink(path);
}

/* What joins comes first; then the least text, and of it results before sites. */
static void the_least_shortage_is_named(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-disconnected-XXXXXX";
    close(mkstemp(path));
    cd_situation s = {.results = path};
    write_results(path, "a\thttp://x.com/1\na\thttp://x.com/2\nb\ty.com\nc\ty.com\nc\tz.com\n");
    static const char rows[] = ROW("u", "c", "1") ROW("u", "b", "2") ROW("u", "a", "3");
    broken_as(CLAIM_kK("2", "2"), rows, s, "{\"query\":\"a\",\"sites\":1,\"needed\":2}");
    broken_as(CLAIM_kK("3", "2"), rows, s, "{\"query\":\"a\",\"results\":2,\"needed\":3}");
    broken_as(CLAIM_kK("2", "1"), rows, s, "{\"query\":\"b\",\"results\":1,\"needed\":2}");
    holds_as(CLAIM_kK("1", "1"), rows, s);
    broken_as(CLAIM_kK("2", "1"), ROW("u", "b", "1") ROW("u", "c", "1"), s,
              "{\"queries\":[\"b\",\"c\"],\"url\":\"1\"}");
    unlink(path);
}

static void without_results_texts_are_undecided(void **state)
{
    (void)state;
    static const char rows[] =
        ROW("u", "maps", "x") ROW("u", "maps", "y") ROW("v", "maps", "") ROW("v", "news", "");
    static const char *const claims[] = {CLAIM_k("5"), CLAIM_kK("5", "2"),
                                         "{\"notion\":\"disconnected\",\"density\":0.1,\"k\":5}",
                                         "{\"notion\":\"disconnected\",\"density\":1,\"K\":5}"};
    cd_situation making = {.figures = true}, there = {.figures = true, .has_manifest = true};
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        cd_outcome o = check_as(2, claims[i], rows, making);
        assert_true(o.err == LETHE_OK && o.holds);
        assert_int_equal(o.undecided, 2);
        assert_non_null(strstr(o.because, "use --results"));
        assert_int_equal(check_as(2, claims[i], rows, there).undecided, 2);
        o = check_as(7, claims[i], rows, (cd_situation){.has_manifest = true});
        assert_true(o.holds); /* nobody asks for the figure, but it is said */
        assert_int_equal(o.undecided, -1);
        assert_non_null(strstr(o.because, "use --results"));
    }
    making.counted = 4; /* another promise of the chain */
    assert_int_equal(check_as(2, claims[0], rows, making).undecided, 6);
    making.counted = 0;
    assert_int_equal(check_as(2, CLAIM("0"), rows, making).undecided, -1);
    assert_int_equal(check_as(2, CLAIM("0.5"), rows, there).undecided, -1);
    assert_null(check_as(2, CLAIM("0.5"), rows, there).because);
    holds(claims[0], rows); /* nobody asks at all */
    /* what the rows show is still a contradiction */
    broken(CLAIM_k("5"), ROW("u", "a", "x") ROW("u", "b", "x"),
           "{\"queries\":[\"a\",\"b\"],\"url\":\"x\"}");
}

static void with_results_nothing_is_undecided(void **state)
{
    (void)state;
    static const char rows[] = ROW("u", "maps", "x");
    char path[] = "/tmp/lethe-disconnected-XXXXXX";
    close(mkstemp(path));
    write_results(path, "MAPS \ta.com\r\nmaps\tb.com\r\n"); /* normalised as a log is */
    cd_situation s = {.results = path, .figures = true, .has_manifest = true};
    cd_outcome o = check_as(2, CLAIM_kK("2", "2"), rows, s);
    assert_true(o.err == LETHE_OK && o.holds);
    assert_int_equal(o.undecided, 0);
    assert_string_equal(noted, "");
    unlink(path);
}

/* What came out of a pipe does not come again: a release is not lost for it. */
static void results_of_a_pipe_are_gone(void **state)
{
    (void)state;
    cd_situation s = {.figures = true, .gone = true};
    cd_outcome o = check_as(2, CLAIM_k("2"), ROW("u", "maps", "x"), s);
    assert_true(o.err == LETHE_OK && o.holds);
    assert_int_equal(o.undecided, 1);
    assert_non_null(strstr(noted, "cannot be read again"));
    holds_as(CLAIM("0"), ROW("u", "maps", "x"), s);
    assert_string_equal(noted, ""); /* of no use */
}

/* --- what is no claim, and no data --- */

static void claims_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[]",
        "{\"notion\":\"disconnected\"}",
        "{\"notion\":\"disconnected\",\"k\":5}",
        CLAIM("-0.1"),
        CLAIM("1.0000000000000002"),
        CLAIM("2"),
        CLAIM("\"0\""),
        CLAIM("null"),
        CLAIM("true"),
        CLAIM("[0]"),
        CLAIM("0,\"kk\":1"),
        CLAIM("0,\"rank\":\"degree\""),
        CLAIM("0,\"k\":0"),
        CLAIM("0,\"k\":-1"),
        CLAIM("0,\"k\":2.0"),
        CLAIM("0,\"k\":\"2\""),
        CLAIM("0,\"k\":null"),
        CLAIM("0,\"k\":5,\"K\":0"),
        CLAIM("0,\"k\":5,\"K\":1.5"),
        CLAIM("0,\"K\":false"),
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        cd_outcome o = check_as(2, bad[i], ROW("u", "a", "x"), (cd_situation){0});
        assert_int_equal(o.err, LETHE_EINPUT);
        assert_false(o.holds);
    }
    holds("{\"density\":0,\"K\":2,\"notion\":\"disconnected\",\"k\":1}", ROW("u", "a", "x"));
}

static void data_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    static const char *const claims[] = {CLAIM("0"), CLAIM("0.5"), CLAIM("1"), CLAIM_k("2")};
    static const char *const bad[] = {
        CD_HEADER "u\ta\t\t\tx\nu\tb\t\t\ty",       /* cut off */
        CD_HEADER "u\ta\t\t\tx\nu\tb\t\t\n",        /* a column is gone */
        CD_HEADER "u\ta\t\t\tx\nu\tb\n",            /* and more */
        CD_HEADER "u\ta\t\t\tx\r\nu\tb\t\t\ty\r\n", /* CRLF */
        CD_HEADER "u\tb\t\t\tx\nu\ta\t\t\ty\n",     /* not in order */
        CD_HEADER "u\ta\t\t\tx\nu\tb\t\t\ty\tz\n",  /* one too many */
        CD_HEADER "u\tA B\t\t\tx\n",                /* not normal */
        CD_HEADER "u\t\t\t\tx\n",                   /* no text */
        CD_HEADER "u\ta\t\t\tx\xff\n",              /* no UTF-8 */
        CD_HEADER "u\ta\t2006-03-99\t\tx\n",        /* no time */
        "u\ta\t\t\tx\n",                            /* no header */
        CD_HEADER,                                  /* nothing */
        "",
    };
    for (size_t c = 0; c < LETHE_COUNT(claims); c++)
        for (size_t i = 0; i < LETHE_COUNT(bad); i++)
            for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
                cd_outcome o = check_bytes(threads[t], claims[c], bad[i], false, (cd_situation){0});
                assert_int_equal(o.err, LETHE_EINPUT);
                assert_false(o.holds);
            }
}

static void a_nul_is_an_error(void **state)
{
    (void)state;
    static const char text[] = CD_HEADER "u\ta\0b\t\t\tx\n";
    char path[64];
    int dirfd = o_folder(path);
    lethe_ctx *ctx = o_ctx(2, 0);
    o_write(dirfd, "data.tsv", text, sizeof text - 1);
    assert_int_equal(cd_check(ctx, dirfd, CLAIM("0"), &(cd_situation){0}).err, LETHE_EINPUT);
    assert_int_equal(unlinkat(dirfd, "data.tsv", 0), 0); /* nor is a file that is not there one */
    assert_int_not_equal(cd_check(ctx, dirfd, CLAIM("0"), &(cd_situation){0}).err, LETHE_OK);
    lethe_ctx_free(ctx);
    o_folder_gone(dirfd, path);
}

static void rows_are_as_coarse_as_said(void **state)
{
    (void)state;
    const lethe_log_form ids = {.any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_ID};
    const lethe_log_form hosts = {
        .any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_HOST};
    cd_situation s = {.form = &ids};
    holds_as(CLAIM("0"), ROW("u", "a", ID_1) ROW("u", "b", ID_2), s);
    assert_int_equal(check_as(2, CLAIM("0"), ROW("u", "a", "x.com"), s).err, LETHE_EINPUT);
    s.form = &hosts;
    holds_as(CLAIM("0"), ROW("u", "a", "x.com"), s);
    assert_int_equal(check_as(2, CLAIM("0"), ROW("u", "a", "http://x.com/y"), s).err, LETHE_EINPUT);
}

/* Who asks the query has its results, and a rank picks one of them. */
static void identifiers_have_no_ranks(void **state)
{
    (void)state;
    static const char rows[] = "u\tb\t\t3\t" ID_1 "\n" ROW(
        "u", "c", ID_2) "v\ta\t\t2\taaaabbbbccccffff\nv\ta\t\t7\taaaabbbbccccffff\nw\td\t\t1\t\n";
    static const char *const claims[] = {CLAIM("0"), CLAIM("0.5"), CLAIM("1")};
    const lethe_log_form ids = {.any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_ID};
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        broken_as(claims[i], rows, (cd_situation){.form = &ids}, "{\"query\":\"a\",\"rank\":2}");
        broken_as(claims[i], ROW("u", "a", ID_1) "w\td\t\t1\t\n", (cd_situation){.form = &ids},
                  "{\"query\":\"d\",\"rank\":1}");
        holds(claims[i], rows); /* URLs that are published, or nobody says how */
    }
}

/* Of two identifiers the one with more clicks is the better result. */
static void identifiers_of_a_text_look_the_same(void **state)
{
    (void)state;
    const lethe_log_form ids = {.any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_ID};
    const cd_situation s = {.form = &ids};
    static const char two[] = ROW("u", "a", ID_1) ROW("v", "a", ID_2) ROW("u", "b", "");
    holds_as(CLAIM_m("2"), two, s);
    holds_as(CLAIM("0"), ROW("u", "a", ID_1), s); // nothing is claimed of it
    holds_as(CLAIM_m("3"), ROW("u", "a", "") ROW("u", "b", ""), s);
    broken_as(CLAIM_m("3"), two, s, "{\"query\":\"a\",\"identifiers\":2,\"needed\":3}");
    broken_as(CLAIM_m("2"), ROW("u", "a", ID_1) ROW("u", "a", ID_2) ROW("v", "a", ID_2), s,
              "{\"query\":\"a\",\"rows_of_identifier\":2,\"allowed\":1}");
    // as many each, but who clicked tells which of them many people clicked
    broken_as(CLAIM_m("2"),
              ROW("u", "a", ID_1) ROW("u", "a", ID_1) ROW("u", "a", ID_2) ROW("v", "a", ID_2), s,
              "{\"query\":\"a\",\"rows_of_identifier\":2,\"allowed\":1}");
    holds(CLAIM_m("2"), ROW("u", "a", "x.com")); // URLs that are published tell more anyway
}

static void it_is_a_notion_of_logs(void **state)
{
    (void)state;
    const lethe_notion *n = lethe_notion_find(LETHE_LIT("disconnected"));
    assert_ptr_equal(n, &lethe_notion_disconnected);
    assert_int_equal(n->shapes, LETHE_SHAPE_LOG); /* what is sealed or of records is refused */
}

/* --- large ones --- */

/* `n` texts on one URL, each with another of its own where `own`. */
static char *hub_of(size_t n, bool own)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "u\ttext %zu\t\t\thub\n", i);
        if (own) fprintf(f, "u\ttext %zu\t\t\tpage %zu\n", i, i / 2);
    }
    fprintf(f, "u\tloose\t\t\t\n");
    fclose(f);
    return text;
}

static void a_hub_is_not_counted_pair_by_pair(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        char *rows = hub_of(20000, own); /* 200,000,000 pairs */
        cd_outcome o = check_as(2, CLAIM("0.9999000049"), rows, (cd_situation){0});
        assert_true(o.err == LETHE_OK && !o.holds);
        assert_string_equal(o.why,
                            "{\"density_at_least\":0.99990000499975,\"allowed\":0.9999000049}");
        o = check_as(2, CLAIM("0.99990000499975"), rows, (cd_situation){0});
        assert_true(o.err == LETHE_OK && o.holds);
        free(rows);
    }
}

/* 200 URLs of 100 texts each, 64 of them as bits.  A pair shares at most one, so that all can be
 * counted by hand: text (x, y) has line x and column y. */
static void more_urls_than_bits_are_counted(void **state)
{
    (void)state;
    enum { SIDE = 100, TEXTS = SIDE * SIDE };
    char *text = NULL, claim[96];
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++)
            fprintf(f, "u\tt%d.%d\t\t\tline %d\nu\tt%d.%d\t\t\tcolumn %d\n", x, y, x, x, y, y);
    fclose(f);
    uint64_t edges = 2 * SIDE * (SIDE * (SIDE - 1) / 2);
    double density = (double)(2 * edges) / ((double)TEXTS * (TEXTS - 1));
    for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
        snprintf(claim, sizeof claim, CLAIM("%.17g"), density);
        cd_outcome o = check_as(threads[t], claim, text, (cd_situation){0});
        assert_true(o.err == LETHE_OK && o.holds);
        snprintf(claim, sizeof claim, CLAIM("%.17g"), density * 0.9999999);
        o = check_as(threads[t], claim, text, (cd_situation){0});
        assert_true(o.err == LETHE_OK && !o.holds);
        assert_non_null(strstr(o.why, "\"density_at_least\":0.0198019801980198"));
    }
    free(text);
}

/* So many sets of URLs that they are divided, and that it is asked now and then whether to go on.
 */
static void many_sets_of_urls_are_counted(void **state)
{
    (void)state;
    enum { TEXTS = 4000 };
    static uint64_t urls[TEXTS];
    uint64_t seed = 5, edges = 0;
    char *text = NULL, claim[96];
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    for (int i = 0; i < TEXTS; i++)
        for (int n = 0; n < 4; n++) {
            size_t u = o_below(&seed, 64);
            urls[i] |= UINT64_C(1) << u;
            fprintf(f, "u\ttext %d\t\t\tx%zu\n", i, u);
        }
    fclose(f);
    for (int i = 0; i < TEXTS; i++)
        for (int k = 0; k < i; k++)
            edges += (urls[i] & urls[k]) != 0;
    for (int less = 0; less < 2; less++) {
        double density = (double)(2 * (edges - (uint64_t)less)) / ((double)TEXTS * (TEXTS - 1));
        snprintf(claim, sizeof claim, CLAIM("%.17g"), density);
        cd_outcome o = check_as(2, claim, text, (cd_situation){0});
        assert_int_equal(o.err, LETHE_OK);
        assert_int_equal(o.holds, less == 0);
    }
    free(text);
}

static void it_can_be_stopped(void **state)
{
    (void)state;
    static const char *const claims[] = {CLAIM("0"), CLAIM("0.5"), CLAIM("1")};
    for (size_t i = 0; i < LETHE_COUNT(claims); i++) {
        char path[64];
        int dirfd = o_folder(path);
        lethe_ctx *ctx = o_ctx(2, 0);
        static const char text[] = CD_HEADER ROW("u", "a", "x");
        o_write(dirfd, "data.tsv", text, sizeof text - 1);
        lethe_ctx_cancel(ctx);
        assert_int_equal(cd_check(ctx, dirfd, claims[i], &(cd_situation){0}).err, LETHE_ECANCEL);
        lethe_ctx_free(ctx);
        o_folder_gone(dirfd, path);
    }
}

/* While pairs are counted too. */
static void counting_can_be_stopped(void **state)
{
    (void)state;
    for (int n_urls = 2; n_urls <= 80; n_urls += 78) {
        lethe_ctx *ctx = o_ctx(2, 0);
        lethe_shared_urls *j;
        uint64_t edges;
        assert_int_equal(lethe_shared_urls_new(ctx, 1 << 20, &j), LETHE_OK);
        for (int q = 0; q < 2 * n_urls; q++) {
            char url[16];
            snprintf(url, sizeof url, "%d", q % n_urls);
            assert_int_equal(lethe_shared_urls_add(j, 0, lethe_str_of(url)), LETHE_OK);
            assert_int_equal(lethe_shared_urls_end(j, 0), LETHE_OK);
        }
        lethe_ctx_cancel(ctx);
        assert_int_equal(lethe_shared_urls_count(j, 1000, &edges), LETHE_ECANCEL);
        lethe_shared_urls_free(j);
        lethe_ctx_free(ctx);
    }
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-disconnected-XXXXXX", *grid = NULL;
    size_t bytes;
    FILE *f = open_memstream(&grid, &bytes);
    for (int i = 0; i < 144; i++) /* 144 texts, 70 URLs and more */
        fprintf(f, "u\ttext %d\t\t\tx%d\nu\ttext %d\t\t\ty%d\n", i, i % 70, i, i / 2);
    fclose(f);
    close(mkstemp(path));
    write_results(path, "maps\ta.com\nmaps\tHTTP://B.com/\nnews\tc\nnews\ta.com\n");
    static const char maps[] = ROW("u", "maps", "x") ROW("u", "news", "x") ROW("v", "maps", "y");
    static const lethe_log_form ids = {
        .any_user = true, .times = LETHE_TIME_DAY, .urls = LETHE_URL_ID};
    const struct {
        const char *claim, *rows;
        cd_situation s;
    } cases[] = {
        {CLAIM("0"), maps, {0}},
        {CLAIM("0.5"), maps, {0}},
        {CLAIM("0.9"), grid, {0}},
        {CLAIM_kK("2", "2"), ROW("u", "maps", "x") ROW("u", "news", "y"), {.results = path}},
        {CLAIM_kK("3", "3"), ROW("u", "maps", "x") ROW("u", "news", "y"), {.results = path}},
        {CLAIM_k("2"), maps, {.figures = true, .has_manifest = true}},
        {CLAIM("0"), "u\tmaps\t\t1\t" ID_1 "\nu\tnews\t\t1\t" ID_2 "\n", {.form = &ids}},
        {CLAIM_m("2"), ROW("u", "maps", ID_1) ROW("u", "news", ID_2), {.form = &ids}},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        cd_situation s = cases[i].s;
        lethe_err err = LETHE_ENOMEM;
        while (err != LETHE_OK) {
            s.fail_at++;
            cd_outcome o = check_as(1 + (unsigned)s.fail_at % 2, cases[i].claim, cases[i].rows, s);
            err = o.err;
            assert_true(err == LETHE_OK || err == LETHE_ENOMEM);
        }
        assert_true(s.fail_at > 10);
    }
    unlink(path);
    free(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_apart_hold),
        cmocka_unit_test(two_texts_of_one_url_are_named),
        cmocka_unit_test(the_least_pair_is_named),
        cmocka_unit_test(a_density_holds_up_to_its_last_pair),
        cmocka_unit_test(texts_without_clicks_count_as_texts),
        cmocka_unit_test(pairs_count_once),
        cmocka_unit_test(every_text_needs_its_results),
        cmocka_unit_test(every_text_needs_its_sites),
        cmocka_unit_test(the_least_shortage_is_named),
        cmocka_unit_test(without_results_texts_are_undecided),
        cmocka_unit_test(with_results_nothing_is_undecided),
        cmocka_unit_test(results_of_a_pipe_are_gone),
        cmocka_unit_test(claims_that_are_none_are_refused),
        cmocka_unit_test(data_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_nul_is_an_error),
        cmocka_unit_test(rows_are_as_coarse_as_said),
        cmocka_unit_test(identifiers_have_no_ranks),
        cmocka_unit_test(identifiers_of_a_text_look_the_same),
        cmocka_unit_test(it_is_a_notion_of_logs),
        cmocka_unit_test(a_hub_is_not_counted_pair_by_pair),
        cmocka_unit_test(more_urls_than_bits_are_counted),
        cmocka_unit_test(many_sets_of_urls_are_counted),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(counting_can_be_stopped),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
