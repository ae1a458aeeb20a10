/* SPDX-License-Identifier: Apache-2.0 */
/* lethe_call(): a request of every command, with reports as text; requests that are refused, before
 * anything is read or written; jobs that are put together step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lethe/lethe.h"
#include "release_harness.h"

enum { REQUEST_BYTES = 2048 };

static lethe_ctx *ctx_of(ground *g, lethe_option_style style)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.size = sizeof s,
                        .n_threads = 2,
                        .spill_dir = g->dir,
                        .on_message = g_hear,
                        .user = g,
                        .style = style};
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

/* Each of twelve users issues four texts that all know, and one of their own. */
static void log_write(const ground *g)
{
    static const char *const texts[] = {"red shoes", "weather", "train times", "cat food"};
    FILE *f = fopen(g->log, "w");
    assert_non_null(f);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (int u = 0; u < 12; u++) {
        for (int i = 0; i < 4; i++)
            fprintf(f, "%d\t%s\t2006-03-01 1%d:00:00\t1\thttp://a%d.com\n", u, texts[i], i, i);
        fprintf(f, "%d\tmy own text %c\t2006-03-02 10:00:00\t\t\n", u, 'a' + u);
    }
    fclose(f);
}

/* Single quotes stand for double ones, % for the folder of the test. */
static const char *request_of(const ground *g, const char *form)
{
    static char text[REQUEST_BYTES];
    size_t n = 0;
    text[0] = '\0';
    for (const char *s = form; *s; s++) {
        int room = (int)(sizeof text - n);
        int put = snprintf(text + n, (size_t)room, "%.*s", *s == '%' ? (int)strlen(g->dir) : 1,
                           *s == '%'    ? g->dir
                           : *s == '\'' ? "\""
                                        : s);
        assert_true(put < room);
        n += (size_t)put;
    }
    return text;
}

static lethe_err ask(lethe_ctx *ctx, const ground *g, const char *form, char **report)
{
    return lethe_call(ctx, request_of(g, form), NULL, 0, NULL, 0, report);
}

/* --- a request of every command --- */

typedef struct asked {
    const char *request;
    lethe_err answer;
    const char *names[2]; /* of the report: a member, and a member of that */
} asked;

#define LOG "'inputs':[{'path':'%/log.tsv'}]"
#define RECORDS "'inputs':[{'path':'%/sets.txt'}],'read':{'from':'records'}"
#define TABLE "'inputs':[{'path':'%/table.csv'}]"

static const asked commands[] = {
    {"{'command':'release'," LOG ",'steps':[{'method':'scrub'},{'method':'threshold','options':"
     "{'t':5,'by':'users'}}],'publish':{'seed':1,'map':'%/map.tsv','title':'T'},"
     "'output':{'path':'%/release'}}",
     LETHE_OK,
     {"counts", "published"}},
    {"{'command':'verify','release':'%/release'}", LETHE_OK, {"metrics", "holds"}},
    {"{'command':'measure','release':'%/release'," LOG "}", LETHE_OK, {"metrics", "queries"}},
    {"{'command':'attack','release':'%/release'," LOG ",'options':{'map':'%/map.tsv','seed':7}}",
     LETHE_OK,
     {"metrics", "known-terms"}},
    {"{'command':'report','release':'%/release','output':{'path':'%/page.html'}}",
     LETHE_OK,
     {"metrics", "bytes"}},
    {"{'command':'redo','release':'%/release'," LOG ",'options':{'risk':1},"
     "'output':{'path':'%/redone'}}",
     LETHE_OK,
     {"metrics", NULL}},
    {"{'command':'profile'," LOG "}", LETHE_OK, {"metrics", "users"}},
    {"{'command':'suggest'," LOG ",'options':{'goal':'counts','risk':1,'least':0}}",
     LETHE_OK,
     {"metrics", NULL}},
    {"{'command':'publish'," LOG ",'options':{'goal':'counts'},'publish':{'seed':3},"
     "'output':{'path':'%/published'}}",
     LETHE_OK,
     {"metrics", NULL}},
    {"{'command':'compare'," LOG ",'options':{'methods':'threshold','t':[3,5]},"
     "'output':{'path':'%/study'}}",
     LETHE_OK,
     {"metrics", "rows"}},
    {"{'command':'release'," RECORDS ",'steps':[{'method':'mm','options':{'k':2,'p':1}}],"
     "'output':{'path':'%/sets'}}",
     LETHE_OK,
     {"counts", "published"}},
    {"{'command':'check'," TABLE ",'options':{'qi':['age','sex'],'k':3}}",
     LETHE_ANSWER_NO,
     {"verdict", "checks"}},
    {"{'command':'hierarchy'," TABLE ",'options':{'column':'age','widths':'5,10'},"
     "'output':{'path':'%/age.csv'}}",
     LETHE_OK,
     {"metrics", "levels"}},
    {"{'command':'release'," LOG ",'steps':[{'method':'seal','options':{'t':3}}],"
     "'output':{'path':'%/sealed'}}",
     LETHE_OK,
     {"counts", "published"}},
    {"{'command':'open','inputs':[{'path':'%/sealed'}],'output':{'path':'%/opened.tsv'}}",
     LETHE_OK,
     {"metrics", "queries_opened"}},
    {"{'command':'key','output':{'path':'%/key'}}", LETHE_OK, {NULL}},
    {"{'command':'methods'}", LETHE_OK, {"methods", NULL}},
    {"{'command':'version'}", LETHE_OK, {NULL}},
};

static void member_check(const char *report, const char *const names[2])
{
    lethe_json_doc *doc;
    lethe_json *v;
    assert_int_equal(lethe_json_read(report, &doc, &v), LETHE_OK);
    const lethe_json *first = lethe_json_get(v, names[0]);
    if (!first || (names[1] && !lethe_json_get(first, names[1])))
        fail_msg("no %s.%s in %s", names[0], names[1] ? names[1] : "", report);
    lethe_json_doc_free(doc);
}

static void every_command(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    log_write(&g);
    char path[400];
    snprintf(path, sizeof path, "%s/sets.txt", g.dir);
    g_write(path, "bread,milk\nbread,milk\nbread,beer\nbread,beer\n");
    snprintf(path, sizeof path, "%s/table.csv", g.dir);
    g_write(path, "age,sex\n31,f\n31,f\n42,m\n");
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_DASHED);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const asked *c = &commands[i];
        char *report;
        g.said[0] = '\0';
        lethe_err e = ask(ctx, &g, c->request, &report);
        if (e != c->answer) fail_msg("%s: %s: %s", c->request, lethe_err_name(e), g.said);
        assert_non_null(report);
        if (c->names[0]) member_check(report, c->names);
        lethe_text_free(report);
    }
    lethe_ctx_free(ctx);
    g_end(&g);
}

/* --- requests that are refused --- */

static const struct {
    const char *request, *said;
} refused[] = {
    {"", "not valid JSON"},
    {"{'command':'profile',", "not valid JSON"},
    {"[]", "'request': an object expected"},
    {"{}", "'command': a text expected"},
    {"{'command':7}", "'command': a text expected"},
    {"{'command':'frobnicate'}", "there is no command 'frobnicate'"},
    {"{'command':'threshold'," LOG "}", "methods are steps of the command 'release'"},
    {"{'command':'profile'," LOG ",'colour':1}", "'request' has no member 'colour'"},
    {"{'command':'profile'," LOG ",'command':'verify'}", "the same name twice"},
    {"{'command':'profile'}", "profile needs an input"},
    {"{'command':'profile','inputs':{'path':'x'}}", "'inputs': a list expected"},
    {"{'command':'profile','inputs':['x']}", "'inputs': an object expected"},
    {"{'command':'profile','inputs':[{}]}", "either a path or a stream"},
    {"{'command':'profile','inputs':[{'path':'x','stream':0}]}", "either a path or a stream"},
    {"{'command':'profile','inputs':[{'path':3}]}", "'path': a text"},
    {"{'command':'profile','inputs':[{'path':'a\\u0000b'}]}", "without NUL"},
    {"{'command':'profile','inputs':[{'file':'x'}]}", "'inputs' has no member 'file'"},
    {"{'command':'profile','inputs':[{'stream':0}]}", "there is no stream 0"},
    {"{'command':'profile','inputs':[{'stream':-1}]}", "there is no stream -1"},
    {"{'command':'profile','inputs':[{'stream':'0'}]}", "'stream': a number expected"},
    {"{'command':'profile'," LOG ",'steps':[{'method':'scrub'}]}", "profile takes no steps"},
    {"{'command':'profile'," LOG ",'release':'%/r'}", "profile takes no release"},
    {"{'command':'profile'," LOG ",'output':{'path':'x'}}", "profile writes no output"},
    {"{'command':'profile'," LOG ",'read':{'columns':['user=1',{}]}}", "a text, a number"},
    {"{'command':'profile'," LOG ",'read':{'qi':'age'}}", "'read' has no member 'qi'"},
    {"{'command':'profile'," LOG ",'publish':{'columns':'user=1'}}", "'publish' has no member"},
    {"{'command':'profile'," LOG ",'options':{'explain':'very'}}", "has no option 'explain'"},
    {"{'command':'verify'}", "verify needs a release"},
    {"{'command':'verify','release':7}", "'release': a text"},
    {"{'command':'verify','release':'%/r'," LOG "}", "verify takes no input"},
    {"{'command':'measure','release':'%/r'," LOG ",'options':{'original':'%/log.tsv'}}",
     "--original and an input are the same thing"},
    {"{'command':'key'}", ""},
    {"{'command':'release'," LOG ",'output':{'path':'%/out'}}", "at least one step"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold'}]}", ""},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':5}}]}",
     "no output given"},
    {"{'command':'release'," LOG ",'steps':[{'methods':'threshold'}],'output':{'path':'%/out'}}",
     "'steps' has no member 'methods'"},
    {"{'command':'release'," LOG
     ",'steps':[{'method':'threshold','options':{'t':3,'output':'%/x'}}],"
     "'output':{'path':'%/out'}}",
     "'output' belongs to 'read' or 'publish'"},
    {"{'command':'release'," LOG ",'steps':['threshold'],'output':{'path':'%/out'}}",
     "'steps': an object expected"},
    {"{'command':'release'," LOG ",'steps':[{'method':'treshold'}],'output':{'path':'%/out'}}",
     "there is no method 'treshold'"},
    {"{'command':'release'," LOG ",'steps':[{'method':'verify'}],'output':{'path':'%/out'}}",
     "'verify' is not a method"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':'five'}}],"
     "'output':{'path':'%/out'}}",
     "-t: 'five' is not a whole number"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':2.5}}],"
     "'output':{'path':'%/out'}}",
     "is not a whole number"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':true}}],"
     "'output':{'path':'%/out'}}",
     "-t needs a value"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':{}}}],"
     "'output':{'path':'%/out'}}",
     "'t': a text, a number"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':5,'raree':1}}],"
     "'output':{'path':'%/out'}}",
     "threshold has no option 'raree' (did you mean 'rare'?)"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':5}}],"
     "'publish':{'force':'yes'},'output':{'path':'%/out'}}",
     "--force takes no value"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':5}}],"
     "'publish':{'output':'%/o'},'output':{'path':'%/out'}}",
     "'publish' has no member 'output'"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':5}}],"
     "'output':{'path':'%/out','stream':0}}",
     "there is no stream 0"},
    {"{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':5}}],"
     "'output':{}}",
     "a path or a stream"},
    {"{'command':'release'," LOG ",'steps':[{'method':'ssg','options':{'k':5,'gap':'1h'}}],"
     "'publish':{'time':'day'},'output':{'path':'%/out'}}",
     ""},
    {"{'command':'release','inputs':[],'steps':[{'method':'threshold','options':{'t':5}}],"
     "'output':{'path':'%/out'}}",
     "release needs an input"},
};

static void nothing_is_done_that_was_not_asked_for(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    log_write(&g);
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_DASHED);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *report = (char *)1;
        g.said[0] = '\0';
        lethe_err e = ask(ctx, &g, refused[i].request, &report);
        if (e != LETHE_EUSAGE) fail_msg("%s: %s", refused[i].request, lethe_err_name(e));
        if (!strstr(g.said, refused[i].said))
            fail_msg("%s: said '%s', not '%s'", refused[i].request, g.said, refused[i].said);
        assert_null(report);
        assert_string_equal(g_names(&g), "log.tsv");
        const lethe_message *m = lethe_ctx_error(ctx);
        assert_non_null(m);
        // of bytes that are no JSON, the one who reads JSON speaks
        assert_int_equal(m->code, strstr(m->text, "JSON") ? LETHE_EINPUT : LETHE_EUSAGE);
    }
    lethe_ctx_free(ctx);
    g_end(&g);
}

/* --- jobs --- */

static char *made_from(lethe_ctx *ctx, ground *g, const char *text)
{
    lethe_job *job = lethe_job_new(ctx, "release");
    if (text)
        lethe_job_input_memory(job, text, strlen(text));
    else
        lethe_job_input_file(job, g->log);
    lethe_job_step(job, "threshold");
    lethe_job_set(job, "t", "3");
    lethe_job_set(job, "seed", "1");
    lethe_job_set(job, "force", "");
    lethe_job_output(job, g->out);
    assert_int_equal(lethe_job_run(job, NULL), LETHE_OK);
    lethe_job_free(job);
    return g_data(g);
}

static void a_job_is_the_same_as_its_request(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    log_write(&g);
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_DASHED);
    char *log = g_read(g.log), *of_file = made_from(ctx, &g, NULL), *report;
    assert_int_equal(ask(ctx, &g,
                         "{'command':'release'," LOG ",'steps':[{'method':'threshold','options':"
                         "{'t':3}}],'publish':{'force':true,'seed':1},"
                         "'output':{'path':'%/release'}}",
                         &report),
                     LETHE_OK);
    char *of_request = g_data(&g), *of_memory = made_from(ctx, &g, log);
    assert_string_equal(of_file, of_request);
    assert_string_equal(of_file, of_memory);
    lethe_text_free(report);
    free(log);
    free(of_file);
    free(of_request);
    free(of_memory);
    lethe_ctx_free(ctx);
    g_end(&g);
}

static void the_first_failure_of_a_job_is_its_result(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    log_write(&g);
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_KEYWORDS);
    lethe_job *job = lethe_job_new(ctx, "release");
    assert_int_equal(lethe_job_input_file(job, g.log), LETHE_OK);
    assert_int_equal(lethe_job_step(job, "threshold"), LETHE_OK);
    assert_int_equal(lethe_job_set(job, "t", "many"), LETHE_EUSAGE);
    assert_int_equal(lethe_job_set(job, "t", "3"), LETHE_OK);
    assert_int_equal(lethe_job_output(job, g.out), LETHE_OK);
    char *report;
    assert_int_equal(lethe_job_run(job, &report), LETHE_EUSAGE);
    assert_null(report);
    assert_string_equal(lethe_ctx_error(ctx)->text, "t: 'many' is not a whole number");
    assert_string_equal(lethe_ctx_error(ctx)->option, "t");
    assert_string_equal(g_names(&g), "log.tsv");
    // also where another call came between
    char *version;
    assert_int_equal(ask(ctx, &g, "{'command':'version'}", &version), LETHE_OK);
    lethe_text_free(version);
    assert_null(lethe_ctx_error(ctx));
    assert_int_equal(lethe_job_run(job, &report), LETHE_EUSAGE);
    assert_string_equal(lethe_ctx_error(ctx)->text, "t: 'many' is not a whole number");
    lethe_job_free(job);

    job = lethe_job_new(ctx, "unrelease");
    assert_null(job);
    assert_int_equal(lethe_job_step(job, "threshold"), LETHE_EUSAGE);
    assert_int_equal(lethe_job_run(job, &report), LETHE_EUSAGE);
    assert_non_null(strstr(lethe_ctx_error(ctx)->text, "'unrelease'"));
    lethe_job_free(job);
    lethe_ctx_free(ctx);
    g_end(&g);
}

/* --- messages --- */

static void errors_know_where_they_are(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    g_write(g.log, "1\ta\t2006-03-01 10:00:00\n2\tb\tnot a time\n");
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_KEYWORDS);
    char *report;
    assert_null(lethe_ctx_error(ctx));
    assert_int_equal(
        ask(ctx, &g, "{'command':'profile'," LOG ",'read':{'strict-input':true}}", &report),
        LETHE_EINPUT);
    const lethe_message *m = lethe_ctx_error(ctx);
    assert_non_null(m);
    assert_int_equal(m->code, LETHE_EINPUT);
    assert_string_equal(m->file, g.log);
    assert_int_equal(m->line, 2);
    assert_int_equal(m->content.n, 0); // raw data is not kept
    assert_int_equal(ask(ctx, &g, "{'command':'version'}", &report), LETHE_OK);
    assert_null(lethe_ctx_error(ctx)); // of the last call
    lethe_text_free(report);
    lethe_ctx_free(ctx);
    g_end(&g);
}

/* A file that a caller names like one of ours is still a file. */
static void files_may_have_any_name(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_DASHED);
    char *report;
    for (int i = 0; i < 2; i++) {
        lethe_err e =
            lethe_call(ctx,
                       i ? "{\"command\":\"profile\",\"inputs\":[{\"path\":\"stream:0\"}]}"
                         : "{\"command\":\"profile\",\"inputs\":[{\"path\":\"memory:0\"}]}",
                       NULL, 0, NULL, 0, &report);
        assert_int_equal(e, LETHE_EIO);
        assert_non_null(strstr(g.said, "no such file"));
        g.said[0] = '\0';
    }
    lethe_ctx_free(ctx);
    g_end(&g);
}

/* --- memory --- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    ground g;
    g_begin(&g);
    log_write(&g);
    lethe_ctx *ctx = ctx_of(&g, LETHE_OPTIONS_DASHED);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n += 1 + n / 16) {
        char *report;
        lethe_alloc_fail_at(n);
        e = ask(ctx, &g,
                "{'command':'release'," LOG ",'steps':[{'method':'threshold','options':{'t':3,"
                "'by':'users'}}],'publish':{'seed':1},'output':{'path':'%/release'}}",
                &report);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_true((e == LETHE_OK) == (report != NULL));
        if (e != LETHE_OK) assert_string_equal(g_names(&g), "log.tsv");
        lethe_text_free(report);
    }
    lethe_ctx_free(ctx);
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command),
        cmocka_unit_test(nothing_is_done_that_was_not_asked_for),
        cmocka_unit_test(a_job_is_the_same_as_its_request),
        cmocka_unit_test(the_first_failure_of_a_job_is_its_result),
        cmocka_unit_test(errors_know_where_they_are),
        cmocka_unit_test(files_may_have_any_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
