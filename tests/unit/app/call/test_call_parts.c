/* SPDX-License-Identifier: Apache-2.0 */
/* The command `part`: steps over a part of the rows of a log, as rows or as lines of a release. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "parts_harness.h"
#include "arrow_feed.h"

#define KEY "{\"key-file\": \"key\", \"time\": \"exact\"}"
#define KEY_ALONE "{\"key-file\": \"key\"}"
#define SCRUB "[{\"method\": \"scrub\"}]"
#define SPLIT "[{\"method\": \"split\", \"options\": {\"by\": \"query\"}}]"
#define SEAL "[{\"method\": \"scrub\"}, {\"method\": \"seal\", \"options\": {\"t\": 2}}]"
#define THRESHOLD "[{\"method\": \"threshold\", \"options\": {\"t\": 2}}]"
#define LOG                                                                                        \
    "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"                                               \
    "u1\tMaps \t2006-03-01 10:00:00\t3\thttp://www.a.com/x\n"                                      \
    "u2\tmaps\t2006-03-01 11:00:00\t\t\n"                                                          \
    "u1\tcall 212-555-0187\t2006-03-02 10:00:00\t\t\n"                                             \
    "u2\t\t2006-03-02 10:00:00\t\t\n"                                                              \
    "u2\tmaps\tnever\t\t\n"

typedef struct place {
    ground g;
    lethe_ctx *ctx;
    lethe_err report_err; /* what on_report returns */
    unsigned n_reports;
    const char *expects; /* in each report */
    char text[sizeof LOG];
} place;

static lethe_err hear_report(void *user, const char *text)
{
    place *p = user;
    if (p->expects) assert_non_null(strstr(text, p->expects));
    p->n_reports++;
    return p->report_err;
}

static void hear(void *user, const lethe_message *m) { g_hear(&((place *)user)->g, m); }

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->expects = "\"command\":\"part\"";
    g_begin(&p->g);
    lethe_settings s = {.size = sizeof s,
                        .n_threads = 2,
                        .spill_dir = p->g.dir,
                        .on_message = hear,
                        .on_report = hear_report,
                        .user = p};
    if (chdir(p->g.dir) != 0 || lethe_ctx_new(&s, &p->ctx) != LETHE_OK) return -1;
    g_write("log.tsv", LOG);
    g_write("key", "0123456789abcdef0123456789abcdef");
    *state = p;
    return chmod("key", 0600);
}

static int tear_down(void **state)
{
    place *p = *state;
    lethe_alloc_fail_at(0);
    lethe_ctx_free(p->ctx);
    int failed = chdir("/");
    g_end(&p->g);
    free(p);
    return failed;
}

/* Members of a request for a part of log.tsv, besides these two. */
#define PART(steps, publish, more)                                                                 \
    "{\"command\": \"part\", \"inputs\": [{\"path\": \"log.tsv\"}], \"steps\": " steps             \
    ", \"publish\": " publish ", " more ", \"output\": {\"stream\": 0}}"

/* All rows, sorted, a line each; malloc'd. */
static char *text_of(lines *l)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    lines_sort(l);
    for (size_t i = 0; i < l->n; i++)
        fprintf(f, "%s\n", l->at[i]);
    fclose(f);
    lines_free(l);
    return text;
}

static void check(place *p, const char *request, const char *names, const char *want,
                  const char *const counts)
{
    struct ArrowArrayStream out = {0};
    char found[128], *report = NULL;
    lines rows = {0};
    p->g.said[0] = '\0';
    if (ask(p->ctx, &out, &report, "%s", request) != LETHE_OK)
        fail_msg("%s: %s", request, p->g.said);
    stream_lines(&out, &rows, found);
    assert_null(out.release);
    char *text = text_of(&rows);
    assert_string_equal(found, names);
    if (want) assert_string_equal(text, want);
    if (!strstr(report, counts)) fail_msg("'%s' is not in %s", counts, report);
    free(text);
    lethe_text_free(report);
}

#define ROW_NAMES "owner user query time rank url"

static void rows_as_they_are_read(void **state)
{
    check(*state, PART(SCRUB, "{}", "\"options\": {\"end\": 0}"), ROW_NAMES,
          "u1\tu1\tcall 212-555-0187\t1141293600\t\t\n"
          "u1\tu1\tmaps\t1141207200\t3\thttp://www.a.com/x\n"
          "u2\tu2\tmaps\t1141210800\t\t\n",
          "\"counts\":{\"read\":5,\"rows\":3,\"suppressed\":1,\"rejected\":1,\"invalid_utf8\":0}");
}

static void rows_of_steps(void **state)
{
    check(*state, PART(SCRUB, KEY, "\"options\": {\"end\": 1}"), ROW_NAMES,
          "u1\tu1\tcall [phone]\t1141293600\t\t\n"
          "u1\tu1\tmaps\t1141207200\t3\twww.a.com\n"
          "u2\tu2\tmaps\t1141210800\t\t\n",
          "\"phone\":1");
    check(*state,
          PART("[{\"method\": \"scrub\", \"options\": {\"action\": \"drop\"}}]", KEY,
               "\"options\": {\"end\": 1}"),
          ROW_NAMES,
          "u1\tu1\tmaps\t1141207200\t3\twww.a.com\n"
          "u2\tu2\tmaps\t1141210800\t\t\n",
          "\"rows\":2,\"suppressed\":2,\"rejected\":1");
}

/* A persona has the owner beside it, and follows from the key. */
static void rows_of_split(void **state)
{
    place *p = *state;
    lines a = {0}, b = {0};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    const chain c = {SPLIT, KEY};
    assert_int_equal(part_of(p->ctx, &c, "log.tsv", 0, 1, false, &a, doc, &report), LETHE_OK);
    assert_int_equal(part_of(p->ctx, &c, "log.tsv", 0, 1, false, &b, doc, &report), LETHE_OK);
    assert_int_equal(a.n, 3);
    for (size_t i = 0; i < a.n; i++) {
        char *owner = line_column(a.at[i], 0), *user = line_column(a.at[i], 1);
        assert_true(owner[0] == 'u' && strlen(user) == 16);
        free(owner);
        free(user);
    }
    char *first = text_of(&a), *again = text_of(&b);
    assert_string_equal(first, again);
    free(first);
    free(again);
    lethe_json_doc_free(doc);
}

/* Lines, sorted, behind their head are the data of a release. */
static void lines_of_a_release(void **state)
{
    place *p = *state;
    static const chain chains[] = {{SCRUB, KEY}, {SPLIT, KEY}, {SEAL, KEY}};
    p->expects = NULL;
    *strstr(strcpy(p->text, LOG), "u2\tmaps\tnever") = '\0'; // a fifth would be too much
    g_write("log.tsv", p->text);
    for (size_t i = 0; i < LETHE_COUNT(chains); i++) {
        lines rows = {0};
        account a;
        lethe_json *report = NULL;
        size_t n = i == 2 ? 2 : 1;
        account_begin(&a);
        assert_int_equal(part_of(p->ctx, &chains[i], "log.tsv", 0, n, true, &rows, a.doc, &report),
                         LETHE_OK);
        account_stage(&a, report, true);
        char *text = text_of(&rows);
        if (ask(p->ctx, NULL, NULL,
                "{\"command\": \"release\", \"inputs\": [{\"path\": \"log.tsv\"}], "
                "\"steps\": %s, \"publish\": %s, \"output\": {\"path\": \"release\"}}",
                chains[i].steps, chains[i].publish) != LETHE_OK)
            fail_msg("%s", p->g.said);
        char *data = g_data(&p->g);
        assert_memory_equal(data, a.head, strlen(a.head));
        assert_string_equal(data + strlen(a.head), text);
        g_remove("release");
        free(data);
        free(text);
        account_end(&a);
    }
}

/* --- what is refused --- */

static void refusals(void **state)
{
    place *p = *state;
    static const struct {
        const char *request, *says;
    } cases[] = {
        {"{\"command\": \"part\", \"inputs\": [{\"path\": \"log.tsv\"}], \"steps\": " SCRUB
         ", \"options\": {\"end\": 1}}",
         "go to a stream alone"},
        {"{\"command\": \"part\", \"inputs\": [{\"path\": \"log.tsv\"}], \"steps\": " SCRUB
         ", \"options\": {\"end\": 0}, \"output\": {\"path\": \"x\", \"stream\": 0}}",
         "go to a stream alone"},
        {"{\"command\": \"part\", \"inputs\": [{\"path\": \"log.tsv\"}], "
         "\"options\": {\"end\": 0}, \"output\": {\"stream\": 0}}",
         "at least one step"},
        {"{\"command\": \"part\", \"steps\": " SCRUB
         ", \"options\": {\"end\": 0}, \"output\": {\"stream\": 0}}",
         "needs an input"},
        {PART(SCRUB, KEY, "\"options\": {}"), "end"},
        {PART(SCRUB, KEY, "\"options\": {\"end\": -1}"), "end"},
        {PART(SCRUB, KEY, "\"options\": {\"end\": 1000}"), "end"},
        {PART(SCRUB, KEY, "\"options\": {\"end\": 2}"), "no steps 0 to 2"},
        {PART(SCRUB, KEY, "\"options\": {\"first\": 1, \"end\": 0}"), "no steps 1 to 0"},
        {PART(SEAL, KEY, "\"options\": {\"end\": 1, \"lines\": true}"), "only the last step"},
        {PART(SEAL, KEY, "\"options\": {\"end\": 2}"), "seal gives lines, not rows"},
        {PART(SEAL, KEY, "\"options\": {\"first\": 2, \"end\": 2, \"lines\": true}"),
         "rows cannot have it behind them"},
        {PART(THRESHOLD, KEY, "\"options\": {\"end\": 1}"), "threshold needs all rows at once"},
        {PART("[{\"method\": \"disconnect\"}]", KEY, "\"options\": {\"end\": 1}"),
         "disconnect needs all rows at once"},
        {PART("[{\"method\": \"threshold\", \"options\": {\"as\": \"counts\"}}]", KEY_ALONE,
              "\"options\": {\"end\": 1, \"whole\": true}"),
         "threshold does not give rows of its input"},
        {PART("[{\"method\": \"microagg\", \"options\": {\"k\": 2}}]", KEY_ALONE,
              "\"options\": {\"end\": 1, \"whole\": true}"),
         "microagg does not give rows of its input"},
        {PART("[{\"method\": \"microagg\", \"options\": {\"k\": 2}}]", KEY_ALONE,
              "\"options\": {\"first\": 1, \"end\": 1, \"lines\": true}"),
         "microagg does not give rows of its input"},
        {PART("[{\"method\": \"mm\", \"options\": {\"k\": 2, \"p\": 1}}]", "{}",
              "\"options\": {\"end\": 1}"),
         "parts need --key-file"},
        {PART("[{\"method\": \"seal\"}, {\"method\": \"scrub\"}]", KEY,
              "\"options\": {\"end\": 1}"),
         "scrub cannot follow seal"},
        {PART("[{\"method\": \"split\"}]", "{}", "\"options\": {\"end\": 1}"),
         "parts need --key-file"},
        {PART("[{\"method\": \"split\"}]", "{}", "\"options\": {\"end\": 1, \"whole\": true}"),
         "parts need --key-file"},
        {PART(SCRUB, "{}", "\"options\": {\"first\": 1, \"end\": 1, \"lines\": true}"),
         "parts need --key-file"},
        {PART(SCRUB, "{\"seed\": 3}", "\"options\": {\"end\": 1}"), "--seed is not for parts"},
        {PART(SCRUB, "{\"key-file\": \"key\", \"seed\": 3}", "\"options\": {\"end\": 1}"),
         "--seed is not for parts"},
        {PART(SCRUB, "{\"map\": \"m\"}", "\"options\": {\"end\": 0}"), "of a release"},
        {PART(SCRUB, "{\"title\": \"T\"}", "\"options\": {\"end\": 0}"), "of a release"},
        {PART(SCRUB, "{\"date\": \"D\"}", "\"options\": {\"end\": 0}"), "of a release"},
        {PART(SCRUB, "{\"report\": true}", "\"options\": {\"end\": 0}"), "of a release"},
        {PART(SCRUB, "{\"force\": true}", "\"options\": {\"end\": 0}"), "of a release"},
        {PART(SCRUB, "{\"keep\": \"x\"}", "\"options\": {\"end\": 0}"), "keep"},
        {PART(SCRUB, "{\"publish-as\": \"ubi\"}", "\"options\": {\"end\": 0}"), "publish-as"},
        {PART(SCRUB, KEY, "\"read\": {\"users-with\": \"1-2\"}, \"options\": {\"end\": 1}"),
         "--users-with is not for parts"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        struct ArrowArrayStream out = {0};
        char *report = NULL;
        p->g.said[0] = '\0';
        lethe_err e = ask(p->ctx, strstr(cases[i].request, "stream") ? &out : NULL, &report, "%s",
                          cases[i].request);
        if (e != LETHE_EUSAGE || !strstr(p->g.said, cases[i].says))
            fail_msg("%s: %s: %s", cases[i].request, lethe_err_name(e), p->g.said);
        assert_null(out.release);
        assert_null(report);
    }
    assert_string_equal(g_names(&p->g), "key log.tsv");
    assert_int_equal(p->n_reports, 0);
}

/* All rows are there: then methods that need them run, and what only all lines tell is asked. */
static void whole(void **state)
{
    place *p = *state;
    struct ArrowArrayStream out = {0};
    g_write("log.tsv", "u1\tmaps\t2006-03-01\nu2\tmaps\t2006-03-01\nu2\tb\t2006-03-01\n");
    check(p, PART(THRESHOLD, KEY, "\"options\": {\"end\": 1, \"whole\": true}"), ROW_NAMES,
          "u1\tu1\tmaps\t1141171200\t\t\nu2\tu2\tmaps\t1141171200\t\t\n", "\"suppressed\":1");
    g_write("log.tsv", LOG); // one of five lines is not understood
    assert_int_equal(
        ask(p->ctx, &out, NULL, PART(SCRUB, KEY, "\"options\": {\"end\": 1, \"whole\": true}")),
        LETHE_EINPUT);
    assert_null(out.release);
}

/* --- failures --- */

static void a_report_that_is_refused(void **state)
{
    place *p = *state;
    static const lethe_err errs[] = {LETHE_EIO, LETHE_ECANCEL, LETHE_ENOMEM};
    for (size_t i = 0; i < LETHE_COUNT(errs); i++) {
        struct ArrowArrayStream out = {0};
        char *report = NULL;
        p->report_err = errs[i];
        assert_int_equal(ask(p->ctx, &out, &report, PART(SCRUB, KEY, "\"options\": {\"end\": 1}")),
                         errs[i]);
        assert_null(out.release);
        assert_null(report);
    }
    assert_int_equal(p->n_reports, 3);
}

/* A stream that is read is released once, whatever happens. */
static void input_streams(void **state)
{
    place *p = *state;
    static const char *const requests[] = {
        PART(SCRUB, KEY, "\"options\": {\"end\": 1}"),
        PART(SCRUB, KEY, "\"options\": {\"end\": 1, \"lines\": true}"),
        PART(SCRUB, KEY, "\"options\": {\"end\": 0}"),
        PART(SPLIT, "{}", "\"options\": {\"end\": 1}"), // refused
        PART(SCRUB, KEY, "\"options\": {\"end\": 5}"),
    };
    static const int32_t ends[] = {0, 2, 4};
    const arrow_node user = TEXT_COLUMN("user", 2, ends, "u1u2"),
                     query = TEXT_COLUMN("query", 2, ends, "aabb");
    const arrow_node *const children[] = {&user, &query};
    const arrow_node batch = {.format = "+s",
                              .name = "",
                              .length = 2,
                              .n_buffers = 1,
                              .n_children = 2,
                              .children = children},
                     *const batches[] = {&batch};
    for (size_t i = 0; i < LETHE_COUNT(requests); i++)
        for (int fails = 0; fails < 2; fails++) {
            char *request = strdup(requests[i]), *path = strstr(request, "\"path\": \"log.tsv\"");
            memcpy(path, "\"stream\": 0       ", strlen("\"path\": \"log.tsv\""));
            arrow_feed feed = {.batches = batches, .n_batches = 1, .fail_next = fails ? EIO : 0};
            struct ArrowArrayStream in = feed_stream(&feed),
                                    out = {0}, *const ins[] = {&in}, *const outs[] = {&out};
            lethe_err e = lethe_call(p->ctx, request, ins, 1, outs, 1, NULL);
            assert_int_equal(e == LETHE_OK, i < 3 && !fails);
            assert_int_equal(out.release != NULL, e == LETHE_OK);
            assert_null(in.release);
            assert_int_equal(feed.made, feed.released);
            assert_int_equal(feed.twice, 0);
            if (out.release) out.release(&out);
            free(request);
        }
}

static void allocations_fail(void **state)
{
    place *p = *state;
    static const char *const requests[] = {
        PART(SCRUB, KEY, "\"options\": {\"end\": 0}"),
        PART(SCRUB, KEY, "\"options\": {\"end\": 1, \"lines\": true}"),
        PART(SPLIT, KEY, "\"options\": {\"end\": 1}"),
        PART(SEAL, KEY, "\"options\": {\"end\": 2, \"lines\": true}"),
    };
    for (size_t i = 0; i < LETHE_COUNT(requests); i++)
        for (uint64_t n = 1, done = 0; !done; n++) {
            struct ArrowArrayStream out = {0};
            char *report = NULL;
            lethe_alloc_fail_at(n);
            lethe_err e = ask(p->ctx, &out, &report, "%s", requests[i]);
            lethe_alloc_fail_at(0);
            if (e != LETHE_OK && e != LETHE_ENOMEM) fail_msg("%s: %s", requests[i], p->g.said);
            p->g.said[0] = '\0';
            assert_int_equal(out.release != NULL, e == LETHE_OK);
            assert_int_equal(report != NULL, e == LETHE_OK);
            done = e == LETHE_OK;
            if (out.release) out.release(&out);
            lethe_text_free(report);
            assert_true(n < 5000);
        }
    assert_string_equal(g_names(&p->g), "key log.tsv");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(rows_as_they_are_read),    TEST(rows_of_steps), TEST(rows_of_split),
        TEST(lines_of_a_release),       TEST(refusals),      TEST(whole),
        TEST(a_report_that_is_refused), TEST(input_streams), TEST(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
