#include "linkage_harness.h"
#include "core/mem.h"

#define RESULTS                                                                                    \
    "car\thttp://www.a.com/one\n"                                                                  \
    "car\thttp://www.b.com/\n"                                                                     \
    "car\thttp://www.a.com/two?x=1\n"                                                              \
    "car\thttps://www.c.com/only/page.html\n"                                                      \
    "dog\thttp://www.a.com/dogs\n"

typedef struct expectation {
    const char *what;
    replay attack;
    int64_t clicks, right, wrong, unconfirmed, in_full;
    double without_rank, baseline;
} expectation;

static const expectation cases[] = {
    {"the only result of a host tells, rank or no rank",
     {"1\tcar\t4\thttp://www.c.com/only/page.html\n", "p\tcar\t4\twww.c.com\n", RESULTS, NULL},
     1,
     1,
     0,
     0,
     0,
     1,
     0},
    {"of two results of a host the rank tells which",
     {"1\tcar\t3\thttp://www.a.com/two?x=1\n", "p\tcar\t3\twww.a.com\n", RESULTS, NULL},
     1,
     1,
     0,
     0,
     0,
     0,
     0},
    {"without a rank it stays open",
     {"1\tcar\t3\thttp://www.a.com/two?x=1\n", "p\tcar\t\twww.a.com\n", RESULTS, NULL},
     1,
     0,
     0,
     0,
     0,
     0,
     0},
    {"a rank that is another host's tells nothing",
     {"1\tcar\t2\thttp://www.a.com/one\n", "p\tcar\t2\twww.a.com\n", RESULTS, NULL},
     1,
     0,
     0,
     0,
     0,
     0,
     0},
    {"but the only result of the host still does",
     {"1\tcar\t2\thttp://www.c.com/only/page.html\n", "p\tcar\t2\twww.c.com\n", RESULTS, NULL},
     1,
     1,
     0,
     0,
     0,
     1,
     0},
    {"ranks that no result has: none, zero, too high",
     {"1\tcar\t0\thttp://www.a.com/one\n1\tcar\t900\thttp://www.a.com/one\n",
      "p\tcar\t0\twww.a.com\np\tcar\t900\twww.a.com\n", RESULTS, NULL},
     2,
     0,
     0,
     0,
     0,
     0,
     0},
    {"an answer may be wrong: the engine answers otherwise today",
     {"1\tcar\t4\thttp://www.c.com/other\n", "p\tcar\t4\twww.c.com\n", RESULTS, NULL},
     1,
     0,
     1,
     0,
     0,
     0,
     0},
    {"a query that was not asked again stays closed",
     {"1\tcat\t1\thttp://www.a.com/dogs\n", "p\tcat\t1\twww.a.com\n", RESULTS, NULL},
     1,
     0,
     0,
     0,
     0,
     0,
     0},
    {"nor do another query's results help",
     {"1\tdog\t1\thttp://www.c.com/only/page.html\n", "p\tdog\t1\twww.c.com\n", RESULTS, NULL},
     1,
     0,
     0,
     0,
     0,
     0,
     0},
    {"a click on the host itself needs no recovery",
     {"1\tcar\t2\thttp://www.b.com\n1\tcat\t9\thttp://z.com/\n",
      "p\tcar\t2\twww.b.com\np\tcat\t9\tz.com\n", RESULTS, NULL},
     2,
     1,
     0,
     0,
     0,
     0.5,
     1},
    {"scheme and a lone slash are no difference; path, query and port are",
     {"1\tcar\t2\thttps://WWW.B.com\n2\tcar\t4\thttp://www.c.com/only/page.html?\n"
      "3\tcar\t2\thttp://www.b.com:81/\n",
      "p\tcar\t2\twww.b.com\nq\tcar\t4\twww.c.com\nr\tcar\t2\twww.b.com\n", RESULTS, NULL},
     3,
     2,
     1,
     0,
     0,
     2.0 / 3,
     0},
    {"the same click many times counts each time",
     {"1\tdog\t1\thttp://www.a.com/dogs\n",
      "p\tdog\t1\twww.a.com\nq\tdog\t1\twww.a.com\n"
      "r\tdog\t1\twww.a.com\n",
      RESULTS, NULL},
     3,
     3,
     0,
     0,
     0,
     1,
     0},
    {"what the original does not show cannot be judged",
     {"1\tcars\t4\thttp://www.c.com/only/page.html\n", "p\tcar\t4\twww.c.com\n", RESULTS, NULL},
     1,
     0,
     0,
     1,
     0,
     0,
     0},
    {"queries without a click, and URLs that are more than a host",
     {"1\tcar\t1\thttp://www.a.com/one\n", "p\tcar\t\t\np\tcar\t1\thttp://www.a.com/one\n", RESULTS,
      NULL},
     0,
     0,
     0,
     0,
     1,
     0,
     0},
    {"results are normalised as queries are",
     {"1\tCAR\t4\thttp://www.c.com/only/page.html\n", "p\tcar\t4\twww.c.com\n",
      " Car \thttp://www.c.com/only/page.html", NULL},
     1,
     1,
     0,
     0,
     0,
     1,
     0},
};

static void each_case_is_decided(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        const expectation *x = &cases[i];
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(l_replay(ctx, &x->attack, doc, out), LETHE_OK);
        char *text = lethe_json_write(out, 0, NULL);
        if (l_count(out, "clicks") != x->clicks || l_count(out, "right") != x->right ||
            l_count(out, "wrong") != x->wrong || l_count(out, "unconfirmed") != x->unconfirmed ||
            l_count(out, "in_full") != x->in_full || l_real(out, "baseline") != x->baseline ||
            l_real(out, "without_rank") != x->without_rank)
            fail_msg("%s: %s", x->what, text);
        double clicks = x->clicks ? (double)x->clicks : 1;
        assert_true(l_real(out, "success") == (double)x->right / clicks);
        assert_true(lethe_json_text(lethe_json_get(out, "meaning")).n > 20);
        lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* A pseudonym may look like a host. */
static void identifiers_are_no_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *urls;
        int64_t clicks;
    } forms[] = {{"host", 1}, {"id", 0}, {"drop", 0}, {"keep", 1}};
    lethe_ctx *ctx = o_ctx(1, 0);
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *manifest = lethe_json_object(doc), *steps = lethe_json_array(doc),
                   *step = lethe_json_object(doc), *parameters = lethe_json_object(doc),
                   *out = lethe_json_object(doc);
        lethe_set_text(doc, parameters, "urls", forms[i].urls);
        lethe_json_set(doc, step, "parameters", parameters);
        lethe_json_push(doc, steps, lethe_json_object(doc));
        lethe_json_push(doc, steps, step);
        lethe_json_set(doc, manifest, "steps", steps);
        replay a = {"1\tcar\t1\thttp://www.a.com/one\n", "p\tcar\t1\tabcdefghijklmnop\n", RESULTS,
                    manifest};
        assert_int_equal(l_replay(ctx, &a, doc, out), LETHE_OK);
        assert_int_equal(l_count(out, "clicks"), forms[i].clicks);
        assert_true(l_real(out, "success") == 0);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

static void bad_results_are_refused(void **state)
{
    (void)state;
    static const char *const results[] = {"no tab\n", "", "car\t\n", "\thttp://a.com\n"};
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(results); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        replay a = {"1\tcar\t1\thttp://www.a.com/one\n", "p\tcar\t1\twww.a.com\n", results[i],
                    NULL};
        assert_int_equal(l_replay(ctx, &a, doc, lethe_json_object(doc)), LETHE_EINPUT);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* Every pair of clicks looked at, in place of the sorter. */
typedef struct oclick {
    size_t query, host, page, rank; /* rank 0: none; page 0: the host itself */
} oclick;

static void expect_random(uint64_t seed, lethe_ctx *const ctx[3])
{
    enum { N = 60, RESULTS_EACH = 4 };
    uint64_t s = seed;
    oclick o[N], p[N], r[3][RESULTS_EACH] = {0};
    size_t n = 1 + o_below(&s, N), m = 1 + o_below(&s, N);
    int64_t right = 0, without = 0, bare = 0, unconfirmed = 0, wrong = 0;
    char *original = NULL, *published = NULL, *results = NULL, *first = NULL;
    size_t bytes;
    FILE *fo = open_memstream(&original, &bytes), *fp = open_memstream(&published, &bytes),
         *fr = open_memstream(&results, &bytes);
    for (size_t q = 0; q < 3; q++)
        for (size_t i = 0; i < RESULTS_EACH; i++) { // each URL once, as the reader counts them
            bool new;
            do {
                r[q][i] = (oclick){q, o_below(&s, 3), o_below(&s, 3), i + 1};
                new = true;
                for (size_t j = 0; j < i; j++)
                    new = new && (r[q][i].host != r[q][j].host || r[q][i].page != r[q][j].page);
            } while (!new);
            fprintf(fr, "q%zu\thttp://h%zu.com/", q, r[q][i].host);
            if (r[q][i].page) fprintf(fr, "p%zu", r[q][i].page);
            fputc('\n', fr);
        }
    for (size_t i = 0; i < n; i++) {
        o[i] = (oclick){o_below(&s, 4), o_below(&s, 3), o_below(&s, 3), 1 + o_below(&s, 5)};
        fprintf(fo, "u\tq%zu\t%zu\thttp://h%zu.com/", o[i].query, o[i].rank, o[i].host);
        if (o[i].page) fprintf(fo, "p%zu", o[i].page);
        fputc('\n', fo);
    }
    for (size_t i = 0; i < m; i++) {
        p[i] = o[o_below(&s, n)];
        if (o_below(&s, 4) == 0) p[i].rank = 0;
        if (o_below(&s, 6) == 0) p[i].query = o_below(&s, 4);
        fprintf(fp, "p\tq%zu\t", p[i].query);
        if (p[i].rank) fprintf(fp, "%zu", p[i].rank);
        fprintf(fp, "\th%zu.com\n", p[i].host);
        size_t of_host = 0, the_one = 0, at_rank = SIZE_MAX;
        for (size_t j = 0; j < RESULTS_EACH && p[i].query < 3; j++) {
            const oclick *x = &r[p[i].query][j];
            if (x->host != p[i].host) continue;
            of_host++;
            the_one = x->page;
            if (p[i].rank == j + 1) at_rank = x->page;
        }
        size_t answer = at_rank != SIZE_MAX ? at_rank : of_host == 1 ? the_one : SIZE_MAX;
        bool is_right = false, is_right_without = false, all_bare = true, any = false;
        for (size_t j = 0; j < n; j++) {
            if (o[j].query != p[i].query || o[j].host != p[i].host) continue;
            if (p[i].rank && o[j].rank != p[i].rank) continue;
            any = true;
            is_right = is_right || o[j].page == answer;
            is_right_without = is_right_without || (of_host == 1 && o[j].page == the_one);
            all_bare = all_bare && o[j].page == 0;
        }
        right += is_right;
        wrong += any && answer != SIZE_MAX && !is_right;
        without += is_right_without;
        bare += any && all_bare;
        unconfirmed += !any;
    }
    fclose(fo);
    fclose(fp);
    fclose(fr);
    replay a = {original, published, results, NULL};
    for (size_t t = 0; t < 3; t++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(l_replay(ctx[t], &a, doc, out), LETHE_OK);
        char *text = lethe_json_write(out, 0, NULL);
        if (l_count(out, "clicks") != (int64_t)m || l_count(out, "right") != right ||
            l_count(out, "wrong") != wrong || l_count(out, "unconfirmed") != unconfirmed ||
            l_real(out, "without_rank") != (double)without / (double)m ||
            l_real(out, "baseline") != (double)bare / (double)m)
            fail_msg("seed %llu: %s, not %lld right, %lld without, %lld wrong",
                     (unsigned long long)seed, text, (long long)right, (long long)without,
                     (long long)wrong);
        if (t == 0) first = text;
        assert_string_equal(first, text);
        if (t > 0) lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
    lethe_json_text_free(first);
    free(original);
    free(published);
    free(results);
}

static void agrees_with_looking_at_every_pair(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    for (uint64_t i = 0; i < 300; i++)
        expect_random(9000 + i, ctx);
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

static void lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(n);
        err = l_replay(ctx, &cases[10].attack, doc, out);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 20);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_is_decided),
        cmocka_unit_test(identifiers_are_no_hosts),
        cmocka_unit_test(bad_results_are_refused),
        cmocka_unit_test(agrees_with_looking_at_every_pair),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
