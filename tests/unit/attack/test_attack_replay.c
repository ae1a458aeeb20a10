/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
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
    double without_rank, host_itself;
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
    {"a rank that is another host's tells nothing, but the first result is likely",
     {"1\tcar\t2\thttp://www.a.com/one\n", "p\tcar\t2\twww.a.com\n", RESULTS, NULL},
     1,
     1,
     0,
     0,
     0,
     1,
     0},
    {"without a rank too",
     {"1\tcar\t1\thttp://www.a.com/one\n2\tcar\t1\thttp://www.a.com/one\n"
      "3\tcar\t3\thttp://www.a.com/two?x=1\n",
      "p\tcar\t\twww.a.com\nq\tcar\t\twww.a.com\nr\tcar\t\twww.a.com\n", RESULTS, NULL},
     3,
     2,
     1,
     0,
     0,
     2.0 / 3,
     0},
    {"where results have moved, the first one may be better than the rank",
     {"1\tcar\t3\thttp://www.a.com/one\n", "p\tcar\t3\twww.a.com\n", RESULTS, NULL},
     1,
     1,
     0,
     0,
     0,
     1,
     0},
    {"a URL that is listed twice has both ranks, and moves no other",
     {"1\tcar\t3\thttp://www.a.com/x\n2\tcar\t4\thttp://www.a.com/y\n",
      "p\tcar\t3\twww.a.com\nq\tcar\t4\twww.a.com\n",
      "car\thttp://www.a.com/x\ncar\thttp://www.b.com/\ncar\thttp://www.a.com/x\n"
      "car\thttp://www.a.com/y\n",
      NULL},
     2,
     2,
     0,
     0,
     0,
     0.5,
     0},
    {"two URLs of one page are one result of the host",
     {"1\tcar\t9\thttp://www.a.com/x\n", "p\tcar\t9\twww.a.com\n",
      "car\thttp://www.a.com/x\ncar\thttp://www.a.com/y\ncar\thttps://www.a.com/x\n", NULL},
     1,
     1,
     0,
     0,
     0,
     1,
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
     2,
     0,
     0,
     0,
     1,
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
     1,
     2,
     0,
     0,
     1.0 / 3,
     1.0 / 3},
    {"the same click many times counts each time",
     {"1\tdog\t1\thttp://www.a.com/dogs\n2\tdog\t1\thttp://www.a.com/dogs\n"
      "3\tdog\t1\thttp://www.a.com/dogs\n",
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
    {"only the clicks that went to the page that is named are right",
     {"1\tdog\t1\thttp://www.a.com/dogs\n2\tdog\t1\thttp://www.a.com/cats\n"
      "3\tdog\t1\thttp://www.a.com/cats\n4\tdog\t1\thttp://www.a.com/\n",
      "p\tdog\t1\twww.a.com\nq\tdog\t1\twww.a.com\n"
      "r\tdog\t1\twww.a.com\ns\tdog\t1\twww.a.com\n",
      RESULTS, NULL},
     4,
     1,
     3,
     0,
     0,
     0.25,
     0.25},
    {"clicks that were not published are left out in proportion",
     {"1\tdog\t1\thttp://www.a.com/dogs\n2\tdog\t1\thttp://www.a.com/cats\n"
      "3\tdog\t1\thttp://www.a.com/dogs\n4\tdog\t1\thttp://www.a.com/\n",
      "p\tdog\t1\twww.a.com\nq\tdog\t1\twww.a.com\n", RESULTS, NULL},
     2,
     1,
     1,
     0,
     0,
     0.5,
     0.25},
    {"of more clicks than the original has the others are not judged",
     {"1\tdog\t1\thttp://www.a.com/dogs\n",
      "p\tdog\t1\twww.a.com\nq\tdog\t1\twww.a.com\nr\tcow\t1\twww.a.com\n", RESULTS, NULL},
     3,
     1,
     0,
     2,
     0,
     1,
     0},
    {"a click without a rank is one of those without, where there are any",
     {"1\tcar\t\thttp://www.c.com/other\n1\tcar\t4\thttp://www.c.com/only/page.html\n",
      "p\tcar\t\twww.c.com\np\tcar\t4\twww.c.com\n", RESULTS, NULL},
     2,
     1,
     1,
     0,
     0,
     0.5,
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
            l_count(out, "in_full") != x->in_full || l_real(out, "host_itself") != x->host_itself ||
            l_real(out, "without_rank") != x->without_rank)
            fail_msg("%s: %s", x->what, text);
        int64_t judged = x->clicks - x->unconfirmed;
        assert_true(l_real(out, "success") == (double)x->right / (judged ? (double)judged : 1));
        assert_int_equal(judged == 0, lethe_json_text(lethe_json_get(out, "note")).n > 10);
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

/* Nothing to be found is not the same as nothing found. */
static void why_nothing_is_found_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *published, *note;
    } forms[] = {
        {"p\tcar\t1\thttp://www.a.com/one\n", "in full"},
        {"p\tcar\t\t\n", "no click"},
        {"p\tbus\t1\twww.a.com\n", "none of the published"},
    };
    lethe_ctx *ctx = o_ctx(1, 0);
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        replay a = {"1\tcar\t1\thttp://www.a.com/one\n", forms[i].published, RESULTS, NULL};
        assert_int_equal(l_replay(ctx, &a, doc, out), LETHE_OK);
        lethe_str note = lethe_json_text(lethe_json_get(out, "note"));
        assert_true(note.n > 0 && memmem(note.at, note.n, forms[i].note, strlen(forms[i].note)));
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* The paper's figure: for how many is a URL named, right or wrong? */
static void answers_are_counted_by_themselves(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    replay a = {"1\tcar\t4\thttp://www.c.com/other\n1\tcar\t3\thttp://www.a.com/two?x=1\n",
                "p\tcar\t4\twww.c.com\np\tcar\t3\twww.a.com\np\tdog\t7\twww.a.com\n"
                "p\tcar\t9\twww.a.com\n",
                RESULTS, NULL};
    assert_int_equal(l_replay(ctx, &a, doc, out), LETHE_OK);
    assert_int_equal(l_count(out, "clicks"), 4);
    assert_int_equal(l_count(out, "answered"), 3);
    assert_int_equal(l_count(out, "right"), 1);
    assert_int_equal(l_count(out, "wrong"), 1);
    assert_int_equal(l_count(out, "unconfirmed"), 2);
    assert_true(l_real(out, "success") == 0.5);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* A page under two schemes is one of the results to choose from. */
static void two_urls_of_a_page_are_one_choice(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    replay a = {"1\tcar\t9\thttp://www.a.com/x\n", "p\tcar\t9\twww.a.com\n",
                "car\thttp://www.a.com/x\ncar\thttp://www.a.com/y\ncar\thttps://www.a.com/x\n",
                NULL};
    assert_int_equal(l_replay(ctx, &a, doc, out), LETHE_OK);
    assert_true(l_real(out, "baseline") == 0.5);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

/* Every pair of clicks looked at, in place of the sorter. */
typedef struct oclick {
    size_t query, host, page, rank; /* rank 0: none; page 0: the host itself */
} oclick;

enum { N_CLICKS = 60, N_QUERIES = 3, RESULTS_EACH = 4 };

enum { ONLY, FIRST, UNRANKED, STRATEGIES };
static const char *const strategies[] = {"only", "first", "unranked"};

typedef struct oworld {
    oclick original[N_CLICKS], published[N_CLICKS], results[N_QUERIES][RESULTS_EACH];
    size_t n, m;
    double right[STRATEGIES], without[STRATEGIES], bare, random;
    int64_t answered[STRATEGIES], judged_answered[STRATEGIES], judged;
} oworld;

static void world_random(uint64_t *s, oworld *v)
{
    for (size_t q = 0; q < N_QUERIES; q++)
        for (size_t i = 0; i < RESULTS_EACH; i++) // a URL may come again
            v->results[q][i] = (oclick){q, o_below(s, 3), o_below(s, 3), i + 1};
    v->n = 1 + o_below(s, N_CLICKS);
    v->m = 1 + o_below(s, N_CLICKS);
    for (size_t i = 0; i < v->n; i++)
        v->original[i] =
            (oclick){o_below(s, N_QUERIES + 1), o_below(s, 3), o_below(s, 3), o_below(s, 6)};
    for (size_t i = 0; i < v->m; i++) {
        v->published[i] = v->original[o_below(s, v->n)];
        if (o_below(s, 4) == 0) v->published[i].rank = 0;
        if (o_below(s, 6) == 0) v->published[i].query = o_below(s, N_QUERIES + 1);
    }
}

static void click_print(FILE *f, const char *user, const oclick *c, bool in_full)
{
    fprintf(f, "%s\tq%zu\t", user, c->query);
    if (c->rank) fprintf(f, "%zu", c->rank);
    fprintf(f, in_full ? "\thttp://h%zu.com/" : "\th%zu.com", c->host);
    if (in_full && c->page) fprintf(f, "p%zu", c->page);
    fputc('\n', f);
}

/* What published click i counts for: one, less its share of those that are too many. */
static void click_judge(oworld *v, size_t i)
{
    const oclick *p = &v->published[i];
    size_t of_host = 0, first = SIZE_MAX, at_rank = SIZE_MAX, same = 0, before = 0, all = 0;
    bool listed[3] = {false}; // pages of the host
    for (size_t j = 0; j < RESULTS_EACH && p->query < N_QUERIES; j++) {
        const oclick *x = &v->results[p->query][j];
        if (x->host != p->host) continue;
        of_host += !listed[x->page];
        listed[x->page] = true;
        if (first == SIZE_MAX) first = x->page;
        if (p->rank == j + 1) at_rank = x->page;
    }
    size_t only = of_host == 1 ? first : SIZE_MAX, with = at_rank != SIZE_MAX;
    size_t named[] = {with ? at_rank : only, with ? at_rank : first, first},
           without[] = {only, first, first};
    bool rankless = false;
    for (size_t j = 0; j < v->n; j++)
        rankless = rankless || (v->original[j].query == p->query &&
                                v->original[j].host == p->host && v->original[j].rank == 0);
    size_t to_named[STRATEGIES] = {0}, to_other[STRATEGIES] = {0}, to_host = 0, to_any = 0;
    for (size_t j = 0; j < v->n; j++) {
        const oclick *o = &v->original[j];
        if (o->query != p->query || o->host != p->host) continue;
        if (p->rank ? o->rank != p->rank : rankless && o->rank != 0) continue;
        all++;
        for (size_t k = 0; k < STRATEGIES; k++) {
            to_named[k] += o->page == named[k];
            to_other[k] += o->page == without[k];
        }
        to_host += o->page == 0;
        to_any += listed[o->page];
    }
    for (size_t j = 0; j < v->m; j++) {
        const oclick *o = &v->published[j];
        bool is = o->query == p->query && o->host == p->host && o->rank == p->rank;
        same += is;
        before += is && j < i;
    }
    v->judged += before < all; // of the same, as many as the original has
    double counts = all ? (double)(same < all ? same : all) / (double)same / (double)all : 0;
    for (size_t k = 0; k < STRATEGIES; k++) {
        v->answered[k] += named[k] != SIZE_MAX;
        v->judged_answered[k] += before < all && named[k] != SIZE_MAX;
        v->right[k] += counts * (double)to_named[k];
        v->without[k] += counts * (double)to_other[k];
    }
    v->bare += counts * (double)to_host;
    v->random += of_host ? counts * (double)to_any / (double)of_host : 0;
}

static bool about(double got, double parts, int64_t judged)
{
    double want = judged ? parts / (double)judged : 0, slip = got - want;
    return slip < 1e-6 && slip > -1e-6;
}

static void expect_random(uint64_t seed, lethe_ctx *const ctx[3])
{
    uint64_t s = seed;
    oworld v = {0};
    char *original = NULL, *published = NULL, *results = NULL, *first = NULL;
    size_t bytes;
    size_t best = 0, won;
    FILE *fo = open_memstream(&original, &bytes), *fp = open_memstream(&published, &bytes),
         *fr = open_memstream(&results, &bytes);
    world_random(&s, &v);
    for (size_t q = 0; q < N_QUERIES; q++)
        for (size_t i = 0; i < RESULTS_EACH; i++) {
            fprintf(fr, "q%zu\thttp://h%zu.com/", q, v.results[q][i].host);
            if (v.results[q][i].page) fprintf(fr, "p%zu", v.results[q][i].page);
            fputc('\n', fr);
        }
    for (size_t i = 0; i < v.n; i++)
        click_print(fo, "u", &v.original[i], true);
    for (size_t i = 0; i < v.m; i++) {
        click_print(fp, "p", &v.published[i], false);
        click_judge(&v, i);
    }
    fclose(fo);
    fclose(fp);
    fclose(fr);
    for (size_t k = 1; k < STRATEGIES; k++)
        if (v.right[k] > v.right[best] + 1e-6) best = k;
    replay a = {original, published, results, NULL};
    for (size_t t = 0; t < 3; t++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(l_replay(ctx[t], &a, doc, out), LETHE_OK);
        char *text = lethe_json_write(out, 0, NULL);
        for (won = 0; won < STRATEGIES; won++)
            if (lethe_str_eq(lethe_json_text(lethe_json_get(out, "strategy")),
                             lethe_str_of(strategies[won])))
                break;
        assert_true(won < STRATEGIES);
        for (size_t k = 0; k < STRATEGIES; k++) {
            const lethe_json *one =
                lethe_json_get(lethe_json_get(out, "strategies"), strategies[k]);
            if (l_count(one, "answered") != v.answered[k] ||
                !about(l_real(one, "success"), v.right[k], v.judged) ||
                !about(l_real(one, "without_rank"), v.without[k], v.judged))
                fail_msg("seed %llu: %s: %s", (unsigned long long)seed, strategies[k], text);
        }
        if (l_count(out, "clicks") != (int64_t)v.m || l_count(out, "answered") != v.answered[won] ||
            l_count(out, "unconfirmed") != (int64_t)v.m - v.judged ||
            l_count(out, "right") + l_count(out, "wrong") != v.judged_answered[won] ||
            !about(l_real(out, "success"), v.right[best], v.judged) ||
            !about(l_real(out, "without_rank"), v.without[FIRST], v.judged) ||
            !about(l_real(out, "host_itself"), v.bare, v.judged) ||
            !about(l_real(out, "baseline"), v.random, v.judged) ||
            !about(l_real(out, "success"), v.right[won], v.judged))
            fail_msg("seed %llu: %s, not %g right, %g without, %lld judged",
                     (unsigned long long)seed, text, v.right[best], v.without[FIRST],
                     (long long)v.judged);
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
        cmocka_unit_test(why_nothing_is_found_is_said),
        cmocka_unit_test(answers_are_counted_by_themselves),
        cmocka_unit_test(two_urls_of_a_page_are_one_choice),
        cmocka_unit_test(agrees_with_looking_at_every_pair),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
