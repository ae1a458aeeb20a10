/* SPDX-License-Identifier: Apache-2.0 */
/* The command `assemble`: a release of files that others have written, and all that it refuses.
 * Nothing appears then, and nothing but parts is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "parts_harness.h"
#include "io/write/place.h"

#define KEY "{\"key-file\": \"key\"}"
#define STEPS "[{\"method\": \"scrub\"}, {\"method\": \"split\", \"options\": {\"by\": \"query\"}}]"

enum { N_LINES = 12, N_PARTS = 3 };

typedef struct place {
    ground g;
    lethe_ctx *ctx;
    lethe_err report_err;
    lines data;      /* lines of the release, sorted */
    account account; /* of them */
} place;

static lethe_err hear_report(void *user, const char *text)
{
    assert_non_null(strstr(text, "\"verdict\""));
    return ((place *)user)->report_err;
}

static void hear(void *user, const lethe_message *m) { g_hear(&((place *)user)->g, m); }

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    lethe_json *report = NULL;
    const chain c = {STEPS, KEY};
    g_begin(&p->g);
    lethe_settings s = {
        .size = sizeof s, .n_threads = 2, .spill_dir = p->g.dir, .on_message = hear, .user = p};
    if (chdir(p->g.dir) != 0 || lethe_ctx_new(&s, &p->ctx) != LETHE_OK) return -1;
    FILE *f = fopen("log.tsv", "w");
    for (int i = 0; i < N_LINES; i++)
        fprintf(f, "u%d\ttext %d\t2006-03-0%d 10:00:00\t1\thttp://a.com/x\n", i % 4, i, i % 5 + 1);
    fprintf(f, "u1\t\t2006-03-01 10:00:00\nu1\tbad\tnever\n");
    fclose(f);
    g_write("key", "0123456789abcdef0123456789abcdef");
    if (chmod("key", 0600) != 0) return -1;
    account_begin(&p->account);
    assert_int_equal(part_of(p->ctx, &c, "log.tsv", 0, 2, true, &p->data, p->account.doc, &report),
                     LETHE_OK);
    account_stage(&p->account, report, true);
    p->account.renamed = true;
    p->account.published = (int64_t)p->data.n;
    lines_sort(&p->data);
    lethe_ctx_free(p->ctx);
    s.on_report = hear_report; // of `part` there is no verdict
    p->g.said[0] = '\0';
    *state = p;
    return lethe_ctx_new(&s, &p->ctx) == LETHE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    place *p = *state;
    lethe_alloc_fail_at(0);
    lethe_ctx_free(p->ctx);
    account_end(&p->account);
    lines_free(&p->data);
    int failed = chdir("/");
    g_end(&p->g);
    free(p);
    return failed;
}

/* The folder `parts`, made anew. */
static void parts_new(place *p)
{
    static const size_t ends[N_PARTS - 1] = {0, 5};
    g_remove("parts");
    if (mkdir("parts", 0700) != 0) abort();
    parts_write("parts", &p->account, &p->data, ends, N_PARTS - 1);
    json_write_file("parts/account.json", account_json(&p->account));
    p->g.said[0] = '\0';
}

#define ASSEMBLE(steps, publish, more, out)                                                        \
    "{\"command\": \"assemble\", \"steps\": " steps ", \"publish\": " publish more                 \
    ", \"options\": {\"parts\": \"parts\"}, \"output\": {\"path\": \"" out "\"}}"

static lethe_err assemble(place *p)
{
    return ask(p->ctx, NULL, NULL, ASSEMBLE(STEPS, KEY, "", "release"));
}

/* Nothing has appeared, and nothing is left over. */
static void nothing_there(place *p, const char *what)
{
    if (strcmp(g_names(&p->g), "key log.tsv parts") != 0) fail_msg("%s: %s", what, g_names(&p->g));
}

static void refused(place *p, lethe_err e, lethe_err want, const char *says, const char *what)
{
    if (e != want || !strstr(p->g.said, says))
        fail_msg("%s: %s, without '%s': %s", what, lethe_err_name(e), says, p->g.said);
    nothing_there(p, what);
}

/* --- what is made --- */

static void the_release_of_the_whole(void **state)
{
    place *p = *state;
    struct stat st;
    parts_new(p);
    if (chmod("parts/part-00001.tsv", 0600) != 0) abort();
    char *report = NULL;
    if (ask(p->ctx, NULL, &report, ASSEMBLE(STEPS, KEY, "", "release")) != LETHE_OK)
        fail_msg("%s", p->g.said);
    assert_non_null(strstr(report, "\"holds\":true"));
    assert_non_null(strstr(report, "\"published\":12"));
    lethe_text_free(report);
    assert_int_equal(ask(p->ctx, NULL, NULL,
                         "{\"command\": \"release\", \"inputs\": [{\"path\": \"log.tsv\"}], "
                         "\"steps\": " STEPS ", \"publish\": " KEY
                         ", \"output\": {\"path\": \"whole\"}}"),
                     LETHE_OK);
    char *got = parts_read("release"), *want = g_read("whole/data.tsv"),
         *m = manifest_less_files("release"), *n = manifest_less_files("whole");
    assert_string_equal(got, want);
    assert_string_equal(m, n);
    assert_int_equal(stat("release/part-00001.tsv", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~lethe_umask());
    // what was moved is not there any more, and what was not, is
    assert_int_equal(stat("parts/part-00000.tsv", &st), -1);
    assert_int_equal(stat("parts/account.json", &st), 0);
    assert_int_equal(ask(p->ctx, NULL, NULL, "{\"command\": \"verify\", \"release\": \"release\"}"),
                     LETHE_OK);
    free(got);
    free(want);
    lethe_json_text_free(m);
    lethe_json_text_free(n);
}

/* Title, date and page are those that were asked for. */
static void title_date_and_page(void **state)
{
    place *p = *state;
    parts_new(p);
    if (ask(p->ctx, NULL, NULL,
            ASSEMBLE(STEPS,
                     "{\"key-file\": \"key\", \"title\": \"Our log\", \"date\": \"May\", "
                     "\"report\": true}",
                     "", "release")) != LETHE_OK)
        fail_msg("%s", p->g.said);
    char *manifest = g_read("release/manifest.json"), *page = g_read("release/report.html");
    assert_non_null(strstr(manifest, "Our log"));
    assert_non_null(strstr(manifest, "\"May\""));
    assert_non_null(strstr(manifest, "report.html"));
    assert_non_null(strstr(page, "Our log"));
    free(manifest);
    free(page);
    assert_int_equal(ask(p->ctx, NULL, NULL, "{\"command\": \"verify\", \"release\": \"release\"}"),
                     LETHE_OK);
}

static void an_old_release(void **state)
{
    place *p = *state;
    parts_new(p);
    assert_int_equal(assemble(p), LETHE_OK);
    parts_new(p);
    assert_int_not_equal(assemble(p), LETHE_OK);
    assert_int_equal(access("parts/part-00002.tsv", F_OK), 0); // refused before anything is moved
    assert_int_equal(
        ask(p->ctx, NULL, NULL,
            ASSEMBLE(STEPS, "{\"key-file\": \"key\", \"force\": true, \"title\": \"B\"}", "",
                     "release")),
        LETHE_OK);
    char *manifest = g_read("release/manifest.json");
    assert_non_null(strstr(manifest, "\"B\""));
    free(manifest);
    assert_string_equal(g_names(&p->g), "key log.tsv parts release");
    // what is no release stays
    parts_new(p);
    g_remove("release");
    if (mkdir("release", 0700) != 0) abort();
    g_write("release/mine", "x");
    assert_int_not_equal(
        ask(p->ctx, NULL, NULL,
            ASSEMBLE(STEPS, "{\"key-file\": \"key\", \"force\": true}", "", "release")),
        LETHE_OK);
    assert_int_equal(access("release/mine", F_OK), 0);
}

/* --- what is refused --- */

static void requests(void **state)
{
    place *p = *state;
    static const struct {
        const char *request, *says;
    } cases[] = {
        {ASSEMBLE(STEPS, KEY, "", "-"), "which is a folder"},
        {"{\"command\": \"assemble\", \"steps\": " STEPS ", \"options\": {\"parts\": \"parts\"}}",
         "no output given"},
        {"{\"command\": \"assemble\", \"steps\": " STEPS ", \"output\": {\"path\": \"release\"}}",
         "parts"},
        {"{\"command\": \"assemble\", \"options\": {\"parts\": \"parts\"}, \"output\": {\"path\": "
         "\"release\"}}",
         "at least one step"},
        {ASSEMBLE(STEPS, KEY, ", \"inputs\": [{\"path\": \"log.tsv\"}]", "release"),
         "takes no input"},
        {ASSEMBLE(STEPS, "{\"map\": \"map\"}", "", "release"), "--map"},
        {ASSEMBLE(STEPS, "{\"seed\": 3}", "", "release"), "--seed does not apply"},
        {ASSEMBLE(STEPS, "{\"publish-as\": \"ubi\"}", "", "release"), "--publish-as"},
        {ASSEMBLE("[{\"method\": \"scrub\"}]", "{\"keep\": \"x\"}", "", "release"), "--keep"},
        {ASSEMBLE("[{\"method\": \"scrub\"}]", "{\"keep-min\": 3}", "", "release"), "--keep"},
        {ASSEMBLE(STEPS, KEY, ", \"read\": {\"users-with\": \"1-2\"}", "release"), "--users-with"},
        {ASSEMBLE(STEPS, "{\"title\": \"\\n\"}", "", "release"), "title"},
        {ASSEMBLE("[{\"method\": \"mm\", \"options\": {\"k\": 2, \"p\": 1}}]", "{}", "", "release"),
         "mm does not give rows"},
        {ASSEMBLE("[{\"method\": \"threshold\", \"options\": {\"as\": \"counts\"}}]", "{}", "",
                  "release"),
         "threshold does not give rows"},
        {ASSEMBLE("[{\"method\": \"microagg\", \"options\": {\"k\": 2}}]", "{}", "", "release"),
         "microagg does not give rows"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        parts_new(p);
        lethe_err e = ask(p->ctx, NULL, NULL, "%s", cases[i].request);
        refused(p, e, LETHE_EUSAGE, cases[i].says, cases[i].request);
    }
}

/* The good account with a member of a member in place of what is there; NULL: without it. */
static void account_change(place *p, const char *top, const char *name, const char *value)
{
    lethe_json_doc *doc = p->account.doc, *own = NULL;
    lethe_json *v = NULL, *all = account_json(&p->account);
    if (value && lethe_json_read(value, &own, &v) != LETHE_OK) abort();
    v = value ? lethe_json_copy(doc, v) : NULL;
    if (name) {
        lethe_json *sub = value ? lethe_json_copy(doc, lethe_json_get(all, top))
                                : json_less(doc, lethe_json_get(all, top), name);
        if (value) lethe_json_set(doc, sub, name, v);
        lethe_json_set(doc, all, top, sub);
    } else if (value) {
        lethe_json_set(doc, all, top, v);
    } else {
        all = json_less(doc, all, top);
    }
    json_write_file("parts/account.json", all);
    lethe_json_doc_free(own);
}

static void accounts(void **state)
{
    place *p = *state;
    static const struct {
        const char *top, *name, *value;
        lethe_err err;
        const char *says;
    } cases[] = {
        {"counts", NULL, NULL, LETHE_EINPUT, "a count is missing"},
        {"counts", NULL, "[1]", LETHE_EINPUT, "a count is missing"},
        {"counts", "read", NULL, LETHE_EINPUT, "a count is missing"},
        {"counts", "published", NULL, LETHE_EINPUT, "a count is missing"},
        {"counts", "suppressed", NULL, LETHE_EINPUT, "a count is missing"},
        {"counts", "rejected", NULL, LETHE_EINPUT, "a count is missing"},
        {"counts", "invalid_utf8", NULL, LETHE_EINPUT, "a count is missing"},
        {"counts", "suppressed", "-1", LETHE_EINPUT, "a count is missing"},
        {"counts", "suppressed", "\"1\"", LETHE_EINPUT, "a count is missing"},
        {"counts", "suppressed", "1.0", LETHE_EINPUT, "a count is missing"},
        {"counts", "suppressed", "1e30", LETHE_EINPUT, "a count is missing"},
        {"counts", "read", "13", LETHE_EINPUT, "do not add up"},
        {"counts", "published", "13", LETHE_EINPUT, "do not add up"},
        {"counts", "published", "9223372036854775807", LETHE_EINPUT, "do not add up"},
        {"counts", "suppressed", "9223372036854775807", LETHE_EINPUT, "do not add up"},
        {"counts", "rejected", "9223372036854775807", LETHE_EINPUT, "do not add up"},
        // they add up, but the files show otherwise
        {"counts", NULL,
         "{\"read\": 14, \"published\": 11, \"suppressed\": 2, \"rejected\": 1, "
         "\"invalid_utf8\": 0}",
         LETHE_ANSWER_NO, "does not stand up to verification"},
        {"counts", NULL,
         "{\"read\": 14, \"published\": 0, \"suppressed\": 13, \"rejected\": 1, "
         "\"invalid_utf8\": 0}",
         LETHE_ANSWER_NO, "nothing is left to publish"},
        {"counts", NULL,
         "{\"read\": 14, \"published\": 12, \"suppressed\": 0, \"rejected\": 2, "
         "\"invalid_utf8\": 0}",
         LETHE_EINPUT, "more than a tenth"},
        {"metrics", NULL, NULL, LETHE_EINPUT, "no object 'metrics'"},
        {"metrics", NULL, "[]", LETHE_EINPUT, "no object 'metrics'"},
        {"metrics", "happiness", "1", LETHE_EINPUT, "'happiness' is not a figure"},
        {"metrics", "rows", "1", LETHE_EINPUT, "'rows' is not a figure"}, // of seal
        {"metrics", "a\\u0000b", "1", LETHE_EINPUT, "is not a figure"},
        {"metrics", "users", "-4", LETHE_EINPUT, "'users' is not a value"},
        {"metrics", "users", "\"4\"", LETHE_EINPUT, "'users' is not a value"},
        {"metrics", "found", "{\"secret\": 1}", LETHE_EINPUT, "'found' is not a value"},
        {"metrics", "found", "{\"email\": -1}", LETHE_EINPUT, "'found' is not a value"},
        {"metrics", "personas_per_user", "true", LETHE_EINPUT, "is not a value"},
        {"metrics", "undecided", "7", LETHE_EINPUT, "for the checks to say"},
        {"metrics", "personas", NULL, LETHE_ANSWER_NO, "does not stand up"},
        {"metrics", "users", NULL, LETHE_ANSWER_NO, "does not stand up"},
        {"metrics", "personas", "11", LETHE_ANSWER_NO, "does not stand up"},
        {"caveats", NULL, NULL, LETHE_EINPUT, "no list 'caveats'"},
        {"caveats", NULL, "{}", LETHE_EINPUT, "no list 'caveats'"},
        {"caveats", NULL, "[\"All is well.\"]", LETHE_EINPUT, "a caveat is none"},
        {"caveats", NULL, "[3]", LETHE_EINPUT, "a caveat is none"},
        {"persons", NULL, NULL, LETHE_EINPUT, "how many persons"},
        {"persons", "persons", "-1", LETHE_EINPUT, "how many persons"},
        {"persons", "persons", NULL, LETHE_EINPUT, "how many persons"},
        {"persons", "query", NULL, LETHE_EINPUT, "how many persons"},
        {"persons", "query", "3", LETHE_EINPUT, "how many persons"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char what[64];
        snprintf(what, sizeof what, "account %zu", i);
        parts_new(p);
        account_change(p, cases[i].top, cases[i].name, cases[i].value);
        refused(p, assemble(p), cases[i].err, cases[i].says, what);
        if (cases[i].err == LETHE_EINPUT) // refused before anything is moved
            assert_int_equal(access("parts/part-00002.tsv", F_OK), 0);
    }
    static const char *const texts[] = {"", "[]", "7", "{", "null", "{\"counts\": {}} x"};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        parts_new(p);
        g_write("parts/account.json", texts[i]);
        refused(p, assemble(p), LETHE_EINPUT, "", texts[i]);
    }
}

/* A promise that the files do not show: the account names the text with the fewest persons. */
static void persons_behind_texts(void **state)
{
    place *p = *state;
    static const char first[] = "{\"method\": \"threshold\", \"options\": {\"t\": 2}}",
                      whole[] = "{\"command\": \"release\", \"inputs\": [{\"path\": \"log.tsv\"}], "
                                "\"steps\": [%s, %s], \"publish\": " KEY
                                ", \"output\": {\"path\": \"whole\"}}",
                      split[] = "{\"method\": \"split\", \"options\": {\"by\": \"query\"}}";
    static const struct {
        const char *persons;
        lethe_err err;
        const char *says;
    } cases[] = {{"0", LETHE_ANSWER_NO, "a published query has 0 persons, not 2"},
                 {"1", LETHE_ANSWER_NO, "a published query has 1 persons, not 2"},
                 {"2", LETHE_OK, ""}};
    g_write("log.tsv", "u1\tmaps\t2006-03-01 10:00:00\nu2\tmaps\t2006-03-02 11:00:00\n");
    if (ask(p->ctx, NULL, NULL, whole, first, split) != LETHE_OK) fail_msg("%s", p->g.said);
    char *text = g_read("whole/manifest.json");
    lethe_json_doc *doc;
    lethe_json *manifest;
    assert_int_equal(lethe_json_read(text, &doc, &manifest), LETHE_OK);
    free(text);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        parts_new(p);
        assert_int_equal(system("rm parts/part-*; cp whole/data.tsv parts/part-00000.tsv"), 0);
        char *metrics = lethe_json_write(
            json_less(doc, json_less(doc, lethe_json_get(manifest, "metrics"), "undecided"),
                      "rows_without_time"),
            0, NULL);
        FILE *f = fopen("parts/account.json", "w");
        fprintf(f,
                "{\"counts\": {\"read\": 2, \"published\": 2, \"suppressed\": 0, \"rejected\": 0, "
                "\"invalid_utf8\": 0}, \"metrics\": %s, \"caveats\": [], \"persons\": {\"query\": "
                "\"maps\", \"persons\": %s}}",
                metrics, cases[i].persons);
        fclose(f);
        lethe_json_text_free(metrics);
        lethe_err e = ask(p->ctx, NULL, NULL,
                          "{\"command\": \"assemble\", \"steps\": [%s, %s], \"publish\": " KEY
                          ", \"options\": {\"parts\": \"parts\"}, \"output\": {\"path\": "
                          "\"release\"}}",
                          first, split);
        if (e != cases[i].err || !strstr(p->g.said, cases[i].says))
            fail_msg("%s persons: %s: %s", cases[i].persons, lethe_err_name(e), p->g.said);
        assert_int_equal(access("release", F_OK), e == LETHE_OK ? 0 : -1);
    }
    lethe_json_doc_free(doc);
}

static void part_files(void **state)
{
    place *p = *state;
    static const struct {
        const char *command, *says;
        lethe_err err;
    } cases[] = {
        {"rm parts/part-*", "has no part-00000.tsv", LETHE_EINPUT},
        {"rm parts/part-00000.tsv", "a part of the data is missing", LETHE_EINPUT},
        {"rm parts/part-00001.tsv", "a part of the data is missing", LETHE_EINPUT},
        {"cp parts/part-00002.tsv parts/part-3.tsv", "'part-3.tsv' is not the name of a part",
         LETHE_EINPUT},
        {"mv parts/part-00002.tsv x && ln -s ../x parts/part-00002.tsv",
         "'parts/part-00002.tsv' is "
         "not a regular file",
         LETHE_EINPUT},
        {"rm parts/part-00001.tsv && mkfifo parts/part-00001.tsv", "is not a regular file",
         LETHE_EINPUT},
        {"rm parts/part-00001.tsv && mkdir parts/part-00001.tsv", "is not a regular file",
         LETHE_EINPUT},
        {"ln parts/part-00001.tsv parts/other", "is not a regular file", LETHE_EINPUT},
        {": > parts/part-00001.tsv", "'parts/part-00001.tsv' is empty", LETHE_EINPUT},
        {"mv parts/part-00001.tsv x && mv parts/part-00002.tsv parts/part-00001.tsv && "
         "mv x parts/part-00002.tsv",
         "line out of order", LETHE_ANSWER_NO},
        {"cat parts/part-00001.tsv >> parts/part-00002.tsv", "line out of order", LETHE_ANSWER_NO},
        {"truncate -s -1 parts/part-00001.tsv", "", LETHE_EINPUT},
        {"cp parts/part-00001.tsv parts/part-00000.tsv", "", LETHE_EINPUT},
        {"cat parts/part-00000.tsv parts/part-00001.tsv > x && mv x parts/part-00001.tsv", "",
         LETHE_EINPUT},
        {"echo 'u1' > parts/part-00002.tsv", "", LETHE_EINPUT},
        {"sed -i 's/2006-03-01/2006-03-01 10:00:00/' parts/part-00001.tsv", "", LETHE_EINPUT},
        {"sed -i 's/text 1\t/call 212-555-0187\t/' parts/part-0000*.tsv", "", LETHE_ANSWER_NO},
        {"sed -i '$d' parts/part-00002.tsv", "does not stand up", LETHE_ANSWER_NO},
        {"rm parts/account.json", "account.json", LETHE_EIO},
        {"mv parts/account.json x && ln -s ../x parts/account.json", "account.json", LETHE_EIO},
        {"rm parts/account.json && mkfifo parts/account.json", "account.json", LETHE_EIO},
        {"rm parts/account.json && mkdir parts/account.json", "account.json", LETHE_EIO},
        {"truncate -s 17M parts/account.json", "larger than", LETHE_EINPUT},
        {"rm -r parts && : > parts", "'parts'", LETHE_EIO},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        parts_new(p);
        assert_int_equal(system(cases[i].command), 0);
        lethe_err e = assemble(p);
        if (access("x", F_OK) == 0) unlink("x");
        bool broken = cases[i].err == LETHE_EINPUT && !*cases[i].says;
        if (broken && e == LETHE_ANSWER_NO) e = LETHE_EINPUT; // whoever finds it first
        refused(p, e, cases[i].err, cases[i].says, cases[i].command);
        unlink("parts");
    }
}

/* --- failures --- */

static void a_report_that_is_refused(void **state)
{
    place *p = *state;
    static const lethe_err errs[] = {LETHE_EIO, LETHE_ECANCEL, LETHE_ENOMEM};
    for (size_t i = 0; i < LETHE_COUNT(errs); i++) {
        parts_new(p);
        p->report_err = errs[i];
        refused(p, assemble(p), errs[i], "", "report");
    }
}

/* Parts are moved, not copied. */
static void another_file_system(void **state)
{
    place *p = *state;
    struct stat here, there;
    char out[64] = "/tmp/lethe-test-XXXXXX";
    if (!mkdtemp(out)) abort();
    parts_new(p);
    if (stat(".", &here) == 0 && stat(out, &there) == 0 && here.st_dev != there.st_dev) {
        lethe_err e = ask(p->ctx, NULL, NULL,
                          "{\"command\": \"assemble\", \"steps\": " STEPS ", \"publish\": " KEY
                          ", \"options\": {\"parts\": \"parts\"}, \"output\": {\"path\": "
                          "\"%s/release\"}}",
                          out);
        refused(p, e, LETHE_EIO, "write the parts on the file system of the output", out);
        assert_int_equal(access("parts/part-00000.tsv", F_OK), 0);
    }
    assert_int_equal(rmdir(out), 0); // nothing is left in it
}

static void allocations_fail(void **state)
{
    place *p = *state;
    uint64_t n_all = 0;
    for (int round = 0; round < 2; round++) {
        // each of the first, and then some: the checks allocate by the thousand
        uint64_t step = n_all > 400 ? n_all / 400 : 1;
        for (uint64_t n = round ? 1 : UINT64_MAX; n <= (round ? n_all : UINT64_MAX);
             n += n < 150 ? 1 : step) {
            parts_new(p);
            uint64_t before = lethe_alloc_count();
            lethe_alloc_fail_at(round ? n : 0);
            lethe_err e = assemble(p);
            lethe_alloc_fail_at(0);
            if (!round) n_all = lethe_alloc_count() - before;
            if (e != LETHE_OK && (e != LETHE_ENOMEM || !round))
                fail_msg("allocation %llu: %s: %s", (unsigned long long)n, lethe_err_name(e),
                         p->g.said);
            if (e == LETHE_OK) g_remove("release");
            nothing_there(p, "allocation");
            if (!round) break;
        }
    }
    assert_true(n_all > 100);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_release_of_the_whole),
        TEST(title_date_and_page),
        TEST(an_old_release),
        TEST(requests),
        TEST(accounts),
        TEST(persons_behind_texts),
        TEST(part_files),
        TEST(a_report_that_is_refused),
        TEST(another_file_system),
        TEST(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
