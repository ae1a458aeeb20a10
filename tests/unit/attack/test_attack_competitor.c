/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include "competitor_harness.h"
#include "attack/page_match.h"
#include "attack/pages.h"
#include "algo/text/click_sites.h"
#include "small_wordnet.h"
#include <math.h>

#define RESULTS                                                                                    \
    "car\thttp://www.a.com/one\n"                                                                  \
    "car\thttp://b.com/\n"                                                                         \
    "car\thttp://c.com/x\n"                                                                        \
    "auto\thttp://d.com/\n"                                                                        \
    "auto\thttp://www.a.com/one\n"                                                                 \
    "cheap\thttp://b.com/\n"                                                                       \
    "cheap\thttp://www.a.com/one\n"                                                                \
    "dog\thttp://www.e.com/1\n"                                                                    \
    "dog\thttp://e.com/2\n"                                                                        \
    "sole\thttp://f.com/\n"

/* Figures are counts of clicks or URLs here: the shares times these. */
typedef struct expectation {
    const char *what;
    contest attack;
    int64_t urls, clicks;              /* of the original */
    int64_t before, after;             /* clicks whose URL is named */
    int64_t sites_before, sites_after; /* URLs whose site is */
    int64_t right, wrong, unconfirmed;
} expectation;

static const expectation cases[] = {
    {"two queries that share a URL name it",
     {"1\tcar\t\thttp://www.a.com/one\n1\tauto\t\thttp://www.a.com/one\n",
      "p\tcar\t\tida\np\tauto\t\tida\n", RESULTS, NULL, NULL},
     1,
     2,
     2,
     2,
     1,
     1,
     1,
     0,
     0},
    {"each by itself does not",
     {"1\tcar\t\thttp://www.a.com/one\n1\tauto\t\thttp://www.a.com/one\n", "p\tcar\t\tida\n",
      RESULTS, NULL, NULL},
     1,
     2,
     2,
     0,
     1,
     0,
     0,
     0,
     0},
    {"all clicks of the original on a URL count, published or not",
     {"1\tcar\t\thttp://www.a.com/one\n2\tcar\t\thttp://www.a.com/one\n"
      "1\tauto\t\thttp://www.a.com/one\n3\tcar\t\thttp://c.com/x\n",
      "p\tcar\t\tida\np\tauto\t\tida\n", RESULTS, NULL, NULL},
     2,
     4,
     3,
     3,
     1,
     1,
     1,
     0,
     0},
    {"one query with one result names it",
     {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tidf\n", RESULTS, NULL, NULL},
     1,
     1,
     1,
     1,
     1,
     1,
     1,
     0,
     0},
    {"two that are left stay two",
     {"1\tcar\t\thttp://b.com/\n1\tcheap\t\thttp://b.com/\n", "p\tcar\t\tidb\np\tcheap\t\tidb\n",
      RESULTS, NULL, NULL},
     1,
     2,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
    {"several pages of one site: the site is told",
     {"1\tdog\t\thttp://www.e.com/1\n1\tdog\t\thttp://e.com/2\n", "p\tdog\t\tid1\np\tdog\t\tid2\n",
      RESULTS, NULL, NULL},
     2,
     2,
     0,
     0,
     2,
     2,
     0,
     0,
     0},
    {"a query that the answers lack says nothing",
     {"1\tcar\t\thttp://www.a.com/one\n1\tbus\t\thttp://www.a.com/one\n",
      "p\tcar\t\tida\np\tbus\t\tida\n", RESULTS, NULL, NULL},
     1,
     2,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
    {"nor does one that has nothing in common leave anything",
     {"1\tsole\t\thttp://f.com/\n1\tdog\t\thttp://f.com/\n", "p\tsole\t\tidf\np\tdog\t\tidf\n",
      RESULTS, NULL, NULL},
     1,
     2,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
    {"a rank tells the page",
     {"1\tcar\t3\thttp://c.com/x\n", "p\tcar\t3\tidc\n", RESULTS, NULL, NULL},
     1,
     1,
     1,
     1,
     1,
     1,
     1,
     0,
     0},
    {"not where it was left out",
     {"1\tcar\t3\thttp://c.com/x\n", "p\tcar\t\tidc\n", RESULTS, NULL, NULL},
     1,
     1,
     1,
     0,
     1,
     0,
     0,
     0,
     0},
    {"ranks that point at different pages say nothing",
     {"1\tcar\t3\thttp://c.com/x\n2\tcar\t2\thttp://c.com/x\n", "p\tcar\t3\tidc\np\tcar\t2\tidc\n",
      RESULTS, NULL, NULL},
     1,
     2,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
    {"nor do those past the answer, or zero, or one of another answer",
     {"1\tcar\t4\thttp://c.com/x\n1\tcar\t0\thttp://b.com\n1\tauto\t1\thttp://www.a.com/one\n"
      "1\tcar\t\thttp://www.a.com/one\n",
      "p\tcar\t4\tidc\np\tcar\t0\tidb\np\tauto\t1\tida\np\tcar\t\tida\n", RESULTS, NULL, NULL},
     3,
     4,
     2,
     2,
     1,
     1,
     1,
     0,
     0},
    {"a name may be wrong: the engine answers otherwise today",
     {"1\tsole\t\thttp://z.com/\n", "p\tsole\t\tidz\n", RESULTS, NULL, NULL},
     1,
     1,
     0,
     0,
     0,
     0,
     0,
     1,
     0},
    {"where two URLs fit it is not confirmed",
     {"1\tsole\t\thttp://f.com/\n2\tsole\t\thttp://z.com/\n", "p\tsole\t\tidf\n", RESULTS, NULL,
      NULL},
     2,
     2,
     1,
     0,
     1,
     0,
     0,
     0,
     1},
    {"the number of clicks decides",
     {"1\tsole\t\thttp://f.com/\n3\tsole\t\thttp://f.com/\n2\tsole\t\thttp://z.com/\n",
      "p\tsole\t\tidf\nq\tsole\t\tidf\n", RESULTS, NULL, NULL},
     2,
     3,
     2,
     2,
     1,
     1,
     1,
     0,
     0},
    {"or a rank",
     {"1\tsole\t1\thttp://f.com/\n2\tsole\t2\thttp://z.com/\n", "p\tsole\t1\tidf\n", RESULTS, NULL,
      NULL},
     2,
     2,
     1,
     1,
     1,
     1,
     1,
     0,
     0},
    {"or another text, be it replayed or not",
     {"1\tsole\t\thttp://f.com/\n2\tsole\t\thttp://z.com/\n1\tbus\t\thttp://f.com/\n",
      "p\tsole\t\tidf\np\tbus\t\tidf\n", RESULTS, NULL, NULL},
     2,
     3,
     2,
     2,
     1,
     1,
     1,
     0,
     0},
    {"texts that the original lacks confirm nothing",
     {"1\tsoul\t\thttp://f.com/\n", "p\tsole\t\tidf\n", RESULTS, NULL, NULL},
     1,
     1,
     0,
     0,
     0,
     0,
     0,
     0,
     1},
    {"nor do more clicks than it has",
     {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tidf\nq\tsole\t\tidf\n", RESULTS, NULL, NULL},
     1,
     1,
     1,
     0,
     1,
     0,
     0,
     0,
     1},
    {"a text that it lacks leaves the others to tell",
     {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tidf\np\tsoul\t\tidf\n", RESULTS, NULL, NULL},
     1,
     1,
     1,
     1,
     1,
     1,
     1,
     0,
     0},
    {"scheme and a lone slash are no difference",
     {"1\tsole\t\thttps://F.com\n2\tsole\t\thttp://f.com/\n", "p\tsole\t\tid1\nq\tsole\t\tid2\n",
      RESULTS, NULL, NULL},
     1,
     2,
     2,
     2,
     1,
     1,
     2,
     0,
     0},
    {"two results that are one page are one",
     {"1\tq\t\thttp://f.com/\n", "p\tq\t\tidf\n", "q\thttp://f.com\nq\thttps://F.COM/\n", NULL,
      NULL},
     1,
     1,
     1,
     1,
     1,
     1,
     1,
     0,
     0},
    {"a competitor replays what retrieves its pages, and names those of others",
     {"1\tcar\t\thttp://www.a.com/one\n1\tauto\t\thttp://www.a.com/one\n1\tsole\t\thttp://f.com/\n"
      "1\tauto\t\thttp://d.com/\n",
      "p\tcar\t\tida\np\tauto\t\tida\np\tsole\t\tidf\np\tauto\t\tidd\n", RESULTS, "D.com", NULL},
     2,
     3,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
    {"of several sites, with www or without",
     {"1\tcar\t\thttp://www.a.com/one\n1\tauto\t\thttp://www.a.com/one\n1\tsole\t\thttp://f.com/\n",
      "p\tcar\t\tida\np\tauto\t\tida\np\tsole\t\tidf\n", RESULTS, "www.d.com,b.com", NULL},
     2,
     3,
     2,
     2,
     1,
     1,
     1,
     0,
     0},
    {"its own pages do not count",
     {"1\tsole\t\thttp://f.com/\n1\tsole\t\thttp://www.f.com/other\n1\tcar\t\thttp://b.com\n",
      "p\tsole\t\tidf\np\tsole\t\tidg\np\tcar\t\tidb\n", RESULTS, "f.com", NULL},
     1,
     1,
     0,
     0,
     0,
     0,
     0,
     0,
     0},
    {"a URL without a host is a page and a site of its own",
     {"1\tq\t\tmailto:me\n", "p\tq\t\tidm\n", "q\tmailto:me\n", NULL, NULL},
     1,
     1,
     1,
     1,
     1,
     1,
     1,
     0,
     0},
    {"queries without a click are none",
     {"1\tsole\t\thttp://f.com/\n1\tcar\t\t\n", "p\tcar\t\t\n", RESULTS, NULL, NULL},
     1,
     1,
     1,
     0,
     1,
     0,
     0,
     0,
     0},
    {"an original without clicks",
     {"1\tsole\t\t\n", "p\tsole\t\tidf\n", RESULTS, NULL, NULL},
     0,
     0,
     0,
     0,
     0,
     0,
     0,
     0,
     1},
};

static bool is_share(const lethe_json *out, const char *name, int64_t some, int64_t all)
{
    return l_real(out, name) == (all ? (double)some / (double)all : 0);
}

static void each_case_is_decided(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        const expectation *x = &cases[i];
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(contest_run(ctx, &x->attack, doc, out), LETHE_OK);
        char *text = lethe_json_write(out, 0, NULL);
        if (l_count(out, "urls") != x->urls || l_count(out, "clicks") != x->clicks ||
            !is_share(out, "clicks_named_before", x->before, x->clicks) ||
            !is_share(out, "clicks_named_after", x->after, x->clicks) ||
            !is_share(out, "urls_sited_before", x->sites_before, x->urls) ||
            !is_share(out, "urls_sited_after", x->sites_after, x->urls) ||
            l_count(out, "right") != x->right || l_count(out, "wrong") != x->wrong ||
            l_count(out, "unconfirmed") != x->unconfirmed)
            fail_msg("%s: %s", x->what, text);
        assert_true(lethe_json_text(lethe_json_get(out, "meaning")).n > 20);
        lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* Every figure of one contest in which they differ. */
static void all_figures_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
    } want[] = {
        {"success", 4.0 / 9},
        {"before", 5.0 / 9},
        {"baseline", (2 + 2.0 / 3 + 4 * 0.5) / 9}, // of a.com the only one, of c.com one of three
        {"success_at_most", 5.0 / 9},
        {"success_without_rank", 3.5 / 9}, // by order: a.com, and half of e.com and f.com
        {"before_without_rank", 4.0 / 9},  // by order: a.com, f.com and b.com
        {"urls_named_before", 3.0 / 7},
        {"urls_named_after", 2.0 / 7},
        {"clicks_named_before", 5.0 / 9},
        {"clicks_named_after", 4.0 / 9},
        {"urls_sited_before", 5.0 / 7},
        {"urls_sited_after", 4.0 / 7},
        {"clicks_sited_before", 7.0 / 9},
        {"clicks_sited_after", 6.0 / 9},
        {"urls", 7},
        {"clicks", 9},
        {"replayed", 5},
        {"wrong_before", 1},
        {"ids", 6},
        {"right", 2},
        {"wrong", 0},
        {"unconfirmed", 2},
        {"sites_right", 4},
        {"sites_wrong", 0},
        {"sites_unconfirmed", 2},
    };
    contest a = {"1\tcar\t\thttp://www.a.com/one\n1\tauto\t\thttp://www.a.com/one\n"
                 "1\tcar\t3\thttp://c.com/x\n1\tdog\t\thttp://www.e.com/1\n"
                 "1\tdog\t\thttp://e.com/2\n1\tsole\t\thttp://f.com/\n1\tsole\t\thttp://z.com/\n"
                 "1\tbus\t1\thttp://c.com/x\n1\tcheap\t9\thttp://b.com\n",
                 "p\tcar\t\tida\np\tauto\t\tida\np\tcar\t3\tidc\np\tdog\t\tid1\np\tdog\t\tid2\n"
                 "p\tsole\t\tidf\np\tsole\t\tidz\n",
                 RESULTS, NULL, NULL};
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    assert_int_equal(contest_run(ctx, &a, doc, out), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(want); i++)
        if (fabs(l_real(out, want[i].name) - want[i].value) > 1e-7)
            fail_msg("%s is %g, not %g", want[i].name, l_real(out, want[i].name), want[i].value);
    // the meaning, and three of the strategies
    assert_int_equal(lethe_json_count(out), LETHE_COUNT(want) + 4);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

#define URLS(form) "{\"steps\":[{},{\"parameters\":{\"urls\":\"" form "\"}}]}"

/* Nothing to be found is not the same as nothing found. */
static void why_nothing_is_found_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *original, *published, *owned, *manifest, *note;
        double before;
    } forms[] = {
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\thttp://f.com/\n", NULL, URLS("keep"), "in full",
         1},
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tf.com\n", NULL, URLS("host"), "hosts", 1},
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\t\n", NULL, URLS("drop"), "no click is", 1},
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\t\n", NULL, URLS("id"), "no click is", 1},
        {"1\tsole\t\t\n", "p\tsole\t\tidf\n", NULL, NULL, "the original has no click", 0},
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tidf\n", "f.com", NULL,
         "the original has no click", 0},
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tidf\n", "nowhere.com", NULL, "owned", 0},
        {"1\tsoul\t\thttp://f.com/\n", "p\tsole\t\tidf\n", NULL, NULL, "cannot confirm", 0},
        {"1\tsole\t\thttp://f.com/\n", "p\tsole\t\tidf\n", NULL, URLS("id"), NULL, 1},
    };
    lethe_ctx *ctx = o_ctx(1, 0);
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        contest a = {forms[i].original, forms[i].published, RESULTS, forms[i].owned,
                     forms[i].manifest};
        assert_int_equal(contest_run(ctx, &a, doc, out), LETHE_OK);
        lethe_str note = lethe_json_text(lethe_json_get(out, "note"));
        const char *want = forms[i].note ? forms[i].note : "";
        assert_int_equal(note.n > 0, *want != '\0');
        assert_true(note.n == 0 || memmem(note.at, note.n, want, strlen(want)));
        assert_true(l_real(out, "before") == forms[i].before);
        assert_true(l_real(out, "success") == (forms[i].note ? 0 : 1));
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* What cannot be confirmed may still be true, and is in the upper bound. */
static void the_bound_counts_what_is_not_confirmed(void **state)
{
    (void)state;
    static const struct {
        contest attack;
        double most;
    } forms[] = {
        {{"1\tsole\t\thttp://f.com/\n1\tcar\t\thttp://b.com/\n", "p\tsole\t\tidf\n", RESULTS, NULL,
          NULL},
         0.5},
        {{"1\tsole\t\thttp://f.com/\n1\tsole\t\thttp://z.com/\n", "p\tsole\t\tidf\n", RESULTS, NULL,
          NULL},
         0.5},
        {{"1\tsoul\t\thttp://f.com/\n", "p\tsole\t\tidf\n", RESULTS, NULL, NULL}, 1},
        {{"1\tsole\t\thttp://z.com/\n1\tcar\t\thttp://f.com\n", "p\tsole\t\tidz\n", RESULTS, NULL,
          NULL},
         0},
    };
    lethe_ctx *ctx = o_ctx(1, 0);
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(contest_run(ctx, &forms[i].attack, doc, out), LETHE_OK);
        assert_true(l_real(out, "success_at_most") == forms[i].most);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

#define SCRUB(kinds, form)                                                                         \
    "{\"steps\":[{\"command\":\"scrub\",\"parameters\":{\"kinds\":\"" kinds                        \
    "\"}},{\"parameters\":{\"urls\":\"" form "\"}}]}"

/* Where URLs were cut an identifier stands for a host, and no page of it has all the clicks. */
static void urls_that_were_cut_are_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *manifest;
        double success, before;
        int64_t urls, right;
        bool says;
    } forms[] = {
        {SCRUB("ssn,url", "id"), 4.0 / 6, 4.0 / 6, 2, 1, true},
        {SCRUB("url", "id"), 4.0 / 6, 4.0 / 6, 2, 1, true},
        {SCRUB("url,ip", "host"), 0, 2.0 / 6, 3, 0, false},
        {SCRUB("ssn,urls", "id"), 0, 2.0 / 6, 3, 0, false},
    };
    contest a = {"1\tq\t\thttp://h.com/a\n2\tq\t\thttp://h.com/b\n3\tq\t\thttp://c.com/x\n"
                 "4\tq\t\thttp://c.com/x\n5\tp\t\thttp://h.com/a\n5\tp\t\thttp://h.com/b\n",
                 "p\tq\t\tidh\nr\tq\t\tidh\ns\tq\t\tidc\nt\tq\t\tidc\nu\tp\t\tidh\n"
                 "u\tp\t\tidh\n",
                 "q\thttp://h.com/a\nq\thttp://c.com/x\np\thttp://h.com/a\np\thttp://z.com\n", NULL,
                 NULL};
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        a.manifest = forms[i].manifest;
        assert_int_equal(contest_run(ctx, &a, doc, out), LETHE_OK);
        assert_true(l_real(out, "success") == forms[i].success);
        assert_true(l_real(out, "before") == forms[i].before);
        assert_int_equal(l_count(out, "urls"), forms[i].urls);
        assert_int_equal(l_count(out, "right"), forms[i].right);
        lethe_str note = lethe_json_text(lethe_json_get(out, "note"));
        assert_int_equal(forms[i].says,
                         note.n > 0 && memmem(note.at, note.n, "stand for hosts", 15) != NULL);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

#define WORDS                                                                                      \
    "{\"steps\":[{\"parameters\":{\"same\":\"words\"}},{\"parameters\":{\"urls\":\"id\"}}]}"

/* Texts that were published under another: the clicks of all are the original's. */
static void texts_with_the_same_words_are_one(void **state)
{
    (void)state;
    static const char original[] = "1\tsole cars\t\thttp://f.com/\n2\tcar sole\t\thttp://f.com/\n"
                                   "3\tcar sole\t\thttp://z.com/\n4\tcar sole\t\thttp://z.com/\n",
                      published[] = "p\tcar sole\t\tidf\nq\tcar sole\t\tidf\n"
                                    "r\tcar sole\t\tidz\ns\tcar sole\t\tidz\n";
    static const struct {
        const char *published, *manifest, *folder;
        int64_t right, wrong, unconfirmed;
    } forms[] = {
        {published, WORDS, small_folder, 0, 0, 2}, // both have two
        {"p\tcar sole\t\tidf\nq\tcar sole\t\tidf\n", URLS("id"), small_folder, 0, 1, 0},
        {"p\tcar sole\t\tidf\n", WORDS, "/nowhere", 0, 0, 1},
    };
    lethe_ctx *ctx = o_ctx(2, 0);
    small_wordnet();
    for (size_t i = 0; i < LETHE_COUNT(forms); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        contest a = {original, forms[i].published, "car sole\thttp://f.com\n", NULL,
                     forms[i].manifest};
        assert_int_equal(setenv("WNSEARCHDIR", forms[i].folder, 1), 0);
        assert_int_equal(contest_run(ctx, &a, doc, out), LETHE_OK);
        assert_int_equal(l_count(out, "right"), forms[i].right);
        assert_int_equal(l_count(out, "wrong"), forms[i].wrong);
        assert_int_equal(l_count(out, "unconfirmed"), forms[i].unconfirmed);
        lethe_str note = lethe_json_text(lethe_json_get(out, "note"));
        assert_int_equal(i == 2, note.n > 0 && memmem(note.at, note.n, "WordNet", 7) != NULL);
        lethe_json_doc_free(doc);
    }
    assert_int_equal(setenv("WNSEARCHDIR", small_folder, 1), 0);
    lethe_ctx_free(ctx);
}

/* As every reader of a published log has it. */
static void a_release_without_a_line_is_refused(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    contest a = {"1\tsole\t\thttp://f.com/\n", "", RESULTS, NULL, NULL};
    assert_int_equal(contest_run(ctx, &a, doc, lethe_json_object(doc)), LETHE_EINPUT);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *results, *owned;
        lethe_err err;
    } bad[] = {{"no tab\n", NULL, LETHE_EINPUT},    {"", NULL, LETHE_EINPUT},
               {RESULTS, "", LETHE_EUSAGE},         {RESULTS, "a.com,", LETHE_EUSAGE},
               {RESULTS, ",a.com", LETHE_EUSAGE},   {RESULTS, "a", LETHE_EUSAGE},
               {RESULTS, "a.com/b", LETHE_EUSAGE},  {RESULTS, "a.com, b.com", LETHE_EUSAGE},
               {RESULTS, "a.com:80", LETHE_EUSAGE}, {RESULTS, "a.com", LETHE_OK}};
    lethe_ctx *ctx = o_ctx(2, 0);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        contest a = {"1\tcar\t1\thttp://www.a.com/one\n", "p\tcar\t1\tida\n", bad[i].results,
                     bad[i].owned, NULL};
        assert_int_equal(contest_run(ctx, &a, doc, lethe_json_object(doc)), bad[i].err);
        lethe_json_doc_free(doc);
    }
    lethe_ctx_free(ctx);
}

/* A hub: a URL of very many queries, and a text of very many URLs, for any number of threads and
 * little memory. */
static void large_ones_are_the_same_for_any_threads(void **state)
{
    (void)state;
    enum { N = 20000 };
    char *original = NULL, *published = NULL, *results = NULL, *first = NULL;
    size_t n;
    FILE *fo = open_memstream(&original, &n), *fp = open_memstream(&published, &n),
         *fr = open_memstream(&results, &n);
    for (size_t i = 0; i < N; i++) {
        fprintf(fo, "1\tq%zu\t\thttp://hub.com/\n1\thead\t\thttp://h%zu.com\n", i, i);
        fprintf(fp, "p\tq%zu\t\tidhub\np\thead\t\tid%zu\n", i, i);
        fprintf(fr, "q%zu\thttp://o%zu.com\nq%zu\thttp://hub.com/\n", i, i % 7, i);
    }
    fputs("head\thttp://h7.com/\n", fr);
    fclose(fo);
    fclose(fp);
    fclose(fr);
    contest a = {original, published, results, NULL, NULL};
    static const unsigned threads[] = {1, 2, 7, 2};
    for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
        lethe_ctx *ctx = o_ctx(threads[t], t == 3 ? 1 << 20 : 0);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(contest_run(ctx, &a, doc, out), LETHE_OK);
        assert_int_equal(l_count(out, "right"), 1);
        assert_int_equal(l_count(out, "wrong"), 0);
        assert_int_equal(l_count(out, "unconfirmed"), N); // each of them could be each
        assert_int_equal(l_count(out, "wrong_before"), N - 1);
        assert_true(l_real(out, "success") == 0.5);
        assert_true(l_real(out, "before") == (double)(N + 1) / (2 * N));
        char *text = lethe_json_write(out, 0, NULL);
        if (!first)
            first = text;
        else
            assert_string_equal(first, text);
        if (first != text) lethe_json_text_free(text);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    lethe_json_text_free(first);
    free(original);
    free(published);
    free(results);
}

static void cancelling_ends_it(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_ctx_cancel(ctx);
    assert_int_equal(contest_run(ctx, &cases[0].attack, doc, lethe_json_object(doc)),
                     LETHE_ECANCEL);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
}

static void expect_fits(lethe_page_match *f, const uint32_t *want, size_t n)
{
    const lethe_page_site *fits = NULL;
    size_t got;
    bool says;
    assert_int_equal(lethe_page_match_find(f, &fits, &got, &says), LETHE_OK);
    assert_int_equal(says, want != NULL);
    assert_int_equal(got, want ? n : 0);
    for (size_t i = 0; want && i < n; i++)
        assert_int_equal(fits[i].page, want[i]);
}

/* Up to so many pages are listed; over that, or without any click, nothing is said. */
static void what_fits_is_listed(void **state)
{
    (void)state;
    lethe_page_match f = {0};
    uint32_t all[LETHE_PAGE_MATCHES_MAX + 1];
    for (uint32_t extra = 0; extra < 2; extra++) {
        lethe_page_match_begin(&f, false);
        for (uint32_t p = 0; p < LETHE_PAGE_MATCHES_MAX + extra; p++) {
            all[p] = 3 * p;
            assert_int_equal(lethe_page_match_original(&f, (lethe_page_site){3 * p, 0}, 1, 1),
                             LETHE_OK);
            assert_int_equal(lethe_page_match_original(&f, (lethe_page_site){3 * p, 0}, 2 + p, 2),
                             LETHE_OK);
        }
        assert_int_equal(lethe_page_match_click(&f, LETHE_NO_RANK), LETHE_OK);
        expect_fits(&f, extra ? NULL : all, LETHE_PAGE_MATCHES_MAX);
        assert_int_equal(lethe_page_match_click(&f, 1), LETHE_OK);
        expect_fits(&f, extra ? NULL : all, LETHE_PAGE_MATCHES_MAX);
        assert_int_equal(lethe_page_match_click(&f, 4), LETHE_OK);
        expect_fits(&f, (uint32_t[]){6}, 1);
        for (int i = 0; i < 2; i++)
            assert_int_equal(lethe_page_match_click(&f, 1), LETHE_OK);
        expect_fits(&f, all, 0);
        assert_int_equal(lethe_page_match_click(&f, 4), LETHE_OK);
        for (int i = 0; i < 3; i++)
            assert_int_equal(lethe_page_match_click(&f, LETHE_NO_RANK), LETHE_OK);
        expect_fits(&f, all, 0); // three are there, four are wanted
        expect_fits(&f, NULL, 0);
    }
    lethe_page_match_begin(&f, false);
    assert_int_equal(lethe_page_match_click(&f, 1), LETHE_OK);
    expect_fits(&f, NULL, 0);
    lethe_page_match_free(&f);
}

static void pages_and_sites(void **state)
{
    (void)state;
    static const struct {
        const char *url, *page, *site;
    } urls[] = {
        {"http://www.A.com/", "//www.a.com", "a.com"},
        {"https://me@a.com:8080/b?c#d", "//a.com:8080/b?c#d", "a.com"},
        {"//a.com", "//a.com", "a.com"},
        {"a.com/x", "//a.com/x", "a.com"},
        {"http://localhost/x", "//localhost/x", "localhost"},
        {"http://[::1]:80/x", "//[::1]:80/x", "[::1]"},
        {"http://www.www.a.com", "//www.www.a.com", "www.a.com"},
        {"mailto:me@a.com", "mailto:me@a.com", "mailto:me@a.com"},
        {"/x", "/x", "/x"},
    };
    lethe_buf host = {0}, buf = {0}, again = {0};
    for (size_t i = 0; i < LETHE_COUNT(urls); i++) {
        lethe_str page, site, same;
        bool has;
        assert_int_equal(lethe_page_of(lethe_str_of(urls[i].url), &host, &buf, &page), LETHE_OK);
        assert_true(lethe_str_eq(page, lethe_str_of(urls[i].page)));
        assert_int_equal(lethe_site_of_url(page, &host, &site, &has), LETHE_OK);
        assert_true(lethe_str_eq(site, lethe_str_of(urls[i].site)));
        assert_int_equal(lethe_page_of(page, &host, &again, &same), LETHE_OK);
        assert_true(lethe_str_eq(page, same));
    }
    lethe_buf_free(&again);
    lethe_buf_free(&host);
    lethe_buf_free(&buf);
}

static void lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    contest a = {"1\tCar\t1\thttp://www.a.com/one\n1\tauto\t\thttp://www.a.com/one\n",
                 "p\tcar\t1\tida\np\tauto\t\tida\n", RESULTS, "d.com,b.com", WORDS};
    lethe_ctx *ctx = o_ctx(2, 0);
    uint64_t n = 1;
    small_wordnet();
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        lethe_alloc_fail_at(n);
        err = contest_run(ctx, &a, doc, out);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
        if (err == LETHE_OK) assert_int_equal(l_count(out, "right"), 1);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 50);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_is_decided),
        cmocka_unit_test(all_figures_are_told),
        cmocka_unit_test(why_nothing_is_found_is_said),
        cmocka_unit_test(the_bound_counts_what_is_not_confirmed),
        cmocka_unit_test(urls_that_were_cut_are_hosts),
        cmocka_unit_test(texts_with_the_same_words_are_one),
        cmocka_unit_test(a_release_without_a_line_is_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(large_ones_are_the_same_for_any_threads),
        cmocka_unit_test(cancelling_ends_it),
        cmocka_unit_test(what_fits_is_listed),
        cmocka_unit_test(pages_and_sites),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
