/* SPDX-License-Identifier: Apache-2.0 */
/* Studies: which runs there are, what becomes of them, and that a study that was stopped comes to
 * the same end. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "release_harness.h"
#include "sanitized.h"
#include "core/mem.h"
#include "app/study/study.h"

static const lethe_option options[] = {
    {.name = "gap", .type = LETHE_OPT_DURATION, .word = "all", .max = 9e15},
    {.name = "taxonomy", .type = LETHE_OPT_PATH, .word = "wordnet|wordnet:present"},
    {.name = "qi", .type = LETHE_OPT_TEXT},
    {.name = "sa", .type = LETHE_OPT_TEXT},
    {.name = "known", .type = LETHE_OPT_COUNT, .min = 1, .max = 1000},
    {.name = "k", .letter = 'k', .type = LETHE_OPT_TEXT},
    {0},
};
enum { N_OPTIONS = sizeof options / sizeof *options };

typedef struct asked {
    lethe_value at[N_OPTIONS];
    lethe_values values;
    const char *inputs[2];
    lethe_compare_options c;
} asked;

static void ask(asked *a, const char *input, const char *out)
{
    *a = (asked){.inputs = {input}};
    lethe_values_init(&a->values, options, a->at);
    a->c = (lethe_compare_options){.inputs = a->inputs,
                                   .n_inputs = 1,
                                   .values = &a->values,
                                   .publishing = {.has_seed = true, .seed = 7},
                                   .out = out};
}

static void give(asked *a, const char *name, const char *text)
{
    for (size_t i = 0; i < a->values.n; i++)
        if (strcmp(options[i].name, name) == 0)
            assert_int_equal(lethe_values_set(&a->values, i, text, NULL), LETHE_OK);
}

/* --- the plan --- */

/* Labels of all runs, parted by commas; or what was said. */
static const char *planned_of(const asked *a, lethe_shape shape, const lethe_input_facts *facts)
{
    static char text[4096];
    ground g = {0};
    lethe_diag *d = lethe_diag_new(g_hear, &g);
    lethe_arena *arena = lethe_arena_new();
    lethe_plan plan;
    lethe_err e = lethe_plan_make(d, arena, &a->c, shape, facts, &plan);
    text[0] = '\0';
    for (size_t i = 0; e == LETHE_OK && i < plan.n; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s", i ? "," : "", plan.at[i].label);
        for (const char *c = plan.at[i].name; *c; c++)
            assert_true(strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", *c));
    }
    if (e != LETHE_OK) {
        assert_int_equal(e, LETHE_EUSAGE);
        snprintf(text, sizeof text, "%s", g.said);
    }
    lethe_arena_free(arena);
    lethe_diag_free(d);
    return text;
}

/* What is known of a log when it is planned, or of an input that has nothing. */
static const lethe_input_facts nothing;

static const char *planned(const asked *a, lethe_shape shape)
{
    return planned_of(a, shape, &nothing);
}

static void settings_are_expanded_by_what_each_method_sweeps(void **state)
{
    asked a;
    (void)state;
    ask(&a, "x", NULL);
    a.c.methods = "clump,threshold,split,scrub,disconnect,seal";
    a.c.k = "3,07";
    a.c.t = "4";
    assert_string_equal(planned(&a, LETHE_SHAPE_LOG),
                        "clump k=3,clump k=7,disconnect rank=degree,disconnect rank=frequency,"
                        "disconnect rank=clicks,disconnect rank=best,scrub,seal t=4,split by=day,"
                        "split by=gap,split by=interest,split by=query,threshold t=4");
    a.c.methods = "threshold,aa";
    a.c.k = a.c.t = NULL;
    assert_string_equal(planned(&a, LETHE_SHAPE_LOG),
                        "aa k=5,aa k=10,threshold t=5,threshold t=10");
    a.c.methods = "ssg,aa,mog";
    a.c.k = "2";
    assert_string_equal(planned(&a, LETHE_SHAPE_RECORDS), "aa k=2,mog k=2,ssg k=2");
}

/* The rows of the table with all their settings, but those that need what is not there. */
static const char *rows_of(lethe_shape shape, unsigned lacking, lethe_setting_values sizes,
                           const char *theta)
{
    static char text[4096];
    lethe_arena *arena = lethe_arena_new();
    text[0] = '\0';
    for (const lethe_candidate *c = lethe_candidates(); c->steps; c++) {
        if (c->shape != shape || c->needs & lacking) continue;
        bool varied = lethe_candidate_has(c, 'K') || lethe_candidate_has(c, 'T');
        for (size_t i = 0; i < (varied ? sizes.n : 1); i++) {
            lethe_planned_run run;
            const lethe_letters letters = {.k = sizes.at[i], .t = sizes.at[i], .theta = theta};
            assert_int_equal(lethe_candidate_run(NULL, arena, c, letters, &run), LETHE_OK);
            size_t n = strlen(text);
            snprintf(text + n, sizeof text - n, "%s%s", n ? "," : "", run.label);
        }
    }
    lethe_arena_free(arena);
    return text;
}

/* Without names of methods a study runs the table of candidates, as `publish` does. */
static void a_study_runs_the_table_of_candidates(void **state)
{
    static const char *const five_and_ten[] = {"5", "10"}, *const three[] = {"3"};
    static const lethe_input_facts known = {.taxonomy = "wordnet"}, half = {.theta = "1/2"};
    const lethe_setting_values usual = {five_and_ten, 2}, one = {three, 1};
    asked a;
    (void)state;
    ask(&a, "x", NULL);
    assert_string_equal(planned(&a, LETHE_SHAPE_LOG), rows_of(LETHE_SHAPE_LOG, 0, usual, NULL));
    assert_string_equal(planned(&a, LETHE_SHAPE_RECORDS),
                        rows_of(LETHE_SHAPE_RECORDS, LETHE_NEEDS_TAXONOMY, usual, NULL));
    assert_string_equal(planned_of(&a, LETHE_SHAPE_RECORDS, &known),
                        rows_of(LETHE_SHAPE_RECORDS, 0, usual, NULL));
    give(&a, "qi", "age");
    a.c.k = "3";
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE),
                        rows_of(LETHE_SHAPE_TABLE, LETHE_NEEDS_SENSITIVE, one, NULL));
    give(&a, "sa", "ill");
    assert_string_equal(planned_of(&a, LETHE_SHAPE_TABLE, &half),
                        rows_of(LETHE_SHAPE_TABLE, LETHE_NEEDS_INSENSITIVE, one, "1/2"));
    // a column of one value: no theta fits
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE),
                        rows_of(LETHE_SHAPE_TABLE, LETHE_NEEDS_SENSITIVE, one, NULL));
}

static void candidates_take_what_is_given(void **state)
{
    static const lethe_input_facts half = {.theta = "1/2", .ranges = "age=5,10"};
    asked a;
    lethe_arena *arena = lethe_arena_new();
    lethe_plan plan;
    (void)state;
    ask(&a, "x", NULL);
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_LOG, &nothing, &plan),
                     LETHE_OK);
    assert_string_equal(plan.at[0].label, "scrub");
    assert_int_equal(plan.at[0].goals, 0); // it cannot be named as the best
    a.c.k = "3";
    a.c.t = "4";
    const char *all = planned(&a, LETHE_SHAPE_LOG);
    assert_non_null(strstr(all, "scrub,threshold t=4,counts t=4,"));
    assert_non_null(strstr(all, "clump k=3 1h,"));
    assert_null(strstr(all, "t=3"));
    give(&a, "qi", "age");
    a.c.theta = "1/3,1/4";
    assert_non_null(strstr(planned_of(&a, LETHE_SHAPE_TABLE, &half), "name one with --sa"));
    give(&a, "sa", "ill");
    assert_string_equal(planned_of(&a, LETHE_SHAPE_TABLE, &half),
                        "lplus k=3 theta=1/3,lplus k=3 theta=0.25,local k=3 theta=1/3,"
                        "local k=3 theta=0.25");
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_TABLE, &half, &plan), LETHE_OK);
    assert_string_equal(lethe_plan_varied(arena, &plan),
                        "k = 3 (lplus, local); theta = 1/3, 0.25 (lplus, local)");
    // what the input wants besides
    const lethe_planned_step *step = &plan.at[0].step[0];
    assert_string_equal(step->setting[step->n_settings - 1].option, "ranges");
    assert_string_equal(step->setting[step->n_settings - 1].value, "age=5,10");
    lethe_arena_free(arena);
}

static void tables_vary_what_is_given(void **state)
{
    asked a;
    (void)state;
    ask(&a, "x", NULL);
    give(&a, "qi", "age");
    a.c.methods = "lplus";
    a.c.k = "2,3";
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE), "lplus k=2,lplus k=3");
    give(&a, "sa", "disease");
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE), "lplus k=2,lplus k=3");
    a.c.theta = "0.250,1";
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE),
                        "lplus k=2 theta=0.25,lplus k=2 theta=1,lplus k=3 theta=0.25,"
                        "lplus k=3 theta=1");
    a.c.k = NULL;
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE), "lplus theta=0.25,lplus theta=1");
    a.c.theta = NULL;
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE),
                        "lplus theta=0.5,lplus theta=0.2,lplus theta=0.1");
    ask(&a, "x", NULL);
    give(&a, "qi", "age");
    a.c.methods = "lplus";
    assert_string_equal(planned(&a, LETHE_SHAPE_TABLE), "lplus k=5,lplus k=10");
}

static void what_is_varied_is_said(void **state)
{
    asked a;
    lethe_arena *arena = lethe_arena_new();
    lethe_plan plan;
    (void)state;
    ask(&a, "x", NULL);
    give(&a, "qi", "age");
    give(&a, "sa", "disease");
    a.c.methods = "lplus,anneal";
    a.c.k = "2,5";
    a.c.theta = "1/3";
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_TABLE, NULL, &plan), LETHE_OK);
    assert_string_equal(lethe_plan_varied(arena, &plan),
                        "k = 2, 5 (anneal, lplus); theta = 1/3 (anneal, lplus)");
    assert_string_equal(plan.at[0].name, "anneal-k2-theta1_3");
    ask(&a, "x", NULL);
    a.c.methods = "clump,threshold,scrub";
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_LOG, &nothing, &plan),
                     LETHE_OK);
    assert_string_equal(lethe_plan_varied(arena, &plan),
                        "k = 5, 10 (clump); t = 5, 10 (threshold)");
    a.c.methods = "scrub";
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_LOG, &nothing, &plan),
                     LETHE_OK);
    assert_string_equal(lethe_plan_varied(arena, &plan), "");
    lethe_arena_free(arena);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const struct {
        const char *methods, *k, *theta, *option, *said;
    } cases[] = {
        {"nothing", NULL, NULL, NULL, "unknown method 'nothing'"},
        {"lplus", NULL, NULL, NULL, "lplus does not take a log"},
        {"clump,clump", NULL, NULL, NULL, "'clump' is given twice"},
        {"clump,", NULL, NULL, NULL, "an empty entry between commas"},
        {"clump", "5,05", NULL, NULL, "-k: '5' is given twice"},
        {"clump", "0", NULL, NULL, "'0' is not a whole number"},
        {"clump", "", NULL, NULL, "an empty entry between commas"},
        {"clump", "2,x", NULL, NULL, "'x' is not a whole number"},
        {"clump", NULL, "2", NULL, "'2' is not a share"},
        {"clump", NULL, "1/2,0.5", NULL, "'0.5' is given twice"},
        {"threshold", NULL, NULL, "gap",
         "--gap: no method that applies to this input has this option"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asked a;
        ask(&a, "x", NULL);
        a.c.methods = cases[i].methods;
        a.c.k = cases[i].k;
        a.c.theta = cases[i].theta;
        if (cases[i].option) give(&a, cases[i].option, "1h");
        const char *said = planned(&a, LETHE_SHAPE_LOG);
        if (!strstr(said, cases[i].said)) fail_msg("case %zu: %s", i, said);
    }
    asked a;
    ask(&a, "x", NULL);
    give(&a, "gap", "1h");
    assert_non_null(strstr(planned(&a, LETHE_SHAPE_RECORDS), "--gap applies to logs"));
}

static void options_reach_the_methods_that_have_them(void **state)
{
    asked a;
    lethe_arena *arena = lethe_arena_new();
    lethe_plan plan;
    lethe_step run[LETHE_CANDIDATE_STEPS];
    const lethe_values *v = &run[0].values;
    (void)state;
    ask(&a, "x", NULL);
    a.c.methods = "aa,split,threshold";
    a.c.k = "4";
    give(&a, "gap", "90s");
    give(&a, "k", "4"); // the study's own: no value for a method
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_LOG, &nothing, &plan),
                     LETHE_OK);
    assert_int_equal(lethe_run_steps(NULL, arena, &plan.at[0], a.c.values, run), LETHE_OK);
    assert_int_equal(lethe_count_of(v, "k"), 4);
    assert_int_equal(plan.at[0].goals, 1 << LETHE_GOAL_PATTERNS | 1 << LETHE_GOAL_COUNTS); // aa
    assert_int_equal(lethe_count_of(v, "m"), 2); // set for studies
    assert_int_equal(lethe_count_of(v, "gap"), 90);
    assert_int_equal(lethe_run_steps(NULL, arena, &plan.at[2], a.c.values, run), LETHE_OK);
    assert_string_equal(plan.at[2].label, "split by=gap");
    assert_int_equal(lethe_count_of(v, "by"), 1);
    assert_int_equal(lethe_count_of(v, "gap"), 90);
    assert_int_equal(lethe_run_steps(NULL, arena, &plan.at[plan.n - 1], a.c.values, run), LETHE_OK);
    assert_int_equal(lethe_count_of(v, "t"), 4);
    lethe_arena_free(arena);
}

static void csv_quotes_what_needs_it(void **state)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *rows = lethe_json_array(doc), *row = lethe_json_object(doc);
    lethe_buf out = {0};
    (void)state;
    lethe_set_text(doc, row, "label", "a k=1");
    lethe_set_real(doc, row, "utility", 0.5);
    lethe_json_set(doc, row, "holds", lethe_json_new_bool(doc, false));
    lethe_set_text(doc, row, "error", "'x, \"y\"'\nz");
    lethe_json_push(doc, rows, row);
    assert_int_equal(lethe_study_csv(rows, &out), LETHE_OK);
    assert_int_equal(lethe_buf_put(&out, "", 1), LETHE_OK);
    assert_string_equal((const char *)out.at,
                        "label,method,notion,holds,utility,recall,success,baseline,published,"
                        "suppressed,seconds,peak_bytes,status,error,kept_for patterns,"
                        "kept_for sessions,kept_for clicks,kept_for counts,exposure,"
                        "exposure_found,exposure_before\n"
                        "a k=1,,,false,0.5,,,,,,,,,\"'x, \"\"y\"\"'\nz\",,,,,,,\n");
    lethe_buf_free(&out);
    lethe_json_doc_free(doc);
}

/* --- orders --- */

static void the_cheapest_comes_first(void **state)
{
    lethe_run_cost at[] = {{0, 3}, {1, 0}, {2, 3}, {3, 0.5}, {4, 0}};
    static const size_t want[] = {1, 4, 3, 0, 2};
    (void)state;
    lethe_run_costs_sort(at, LETHE_COUNT(at));
    for (size_t i = 0; i < LETHE_COUNT(want); i++)
        assert_int_equal(at[i].run, want[i]);
}

static void the_most_useful_row_comes_first(void **state)
{
    static const char *const want[] = {"two goals", "one goal",         "no user to find",
                                       "risky",     "promises nothing", "for no goal",
                                       "little",    "no release"};
    static const char text[] =
        "[{\"label\": \"no release\", \"error\": \"nothing is left\", \"holds\": false},"
        "{\"label\": \"little\", \"holds\": true, \"exposure\": 0, \"kept_for\": {\"counts\": "
        "0.01}},"
        "{\"label\": \"risky\", \"holds\": true, \"exposure\": 0.0901, \"kept_for\": {\"counts\": "
        "1}},"
        "{\"label\": \"no user to find\", \"holds\": true, \"kept_for\": {\"counts\": 0.1}},"
        "{\"label\": \"promises nothing\", \"holds\": true, \"nothing\": \"t is 1\", \"exposure\": "
        "0.01, \"kept_for\": {\"counts\": 0.9}},"
        "{\"label\": \"for no goal\", \"holds\": true, \"exposure\": 0.01, \"goals\": [], "
        "\"kept_for\": {\"counts\": 0.8}},"
        "{\"label\": \"one goal\", \"holds\": true, \"exposure\": 0.09, \"kept_for\": {\"counts\": "
        "0.5}},"
        "{\"label\": \"two goals\", \"holds\": true, \"exposure\": 0.05, \"kept_for\": "
        "{\"counts\": "
        "0.3, \"clicks\": 0.3}}]";
    lethe_json_doc *doc = NULL;
    lethe_json *list = NULL;
    const lethe_json *rows[LETHE_COUNT(want)];
    (void)state;
    assert_int_equal(lethe_json_parse(NULL, "rows", lethe_str_of(text), &doc, &list), LETHE_OK);
    assert_int_equal(lethe_json_count(list), LETHE_COUNT(want));
    for (size_t i = 0; i < LETHE_COUNT(want); i++)
        rows[i] = lethe_json_at(list, i);
    lethe_study_sort(rows, LETHE_COUNT(want), 0.09);
    for (size_t i = 0; i < LETHE_COUNT(want); i++)
        assert_string_equal(lethe_json_text(lethe_json_get(rows[i], "label")).at, want[i]);
    lethe_json_doc_free(doc);
}

/* --- studies --- */

static const char log_text[] = "1\tmaps\t2006-03-01 10:00:00\t1\thttp://maps.com/a\n"
                               "2\tmaps\t2006-03-01 11:00:00\t\t\n"
                               "3\tmaps\t2006-03-02 10:00:00\t2\thttp://maps.org/\n"
                               "1\tnews\t2006-03-01 10:05:00\t\t\n"
                               "2\tnews\t2006-03-03 10:05:00\t\t\n"
                               "3\tann lee\t2006-03-04 07:00:01\t\t\n"
                               "2\t\t2006-03-04 07:00:01\t\t\n";

/* The rows without what differs between any two runs; malloc'd. */
static char *rows_text(lethe_json_doc *doc, const lethe_json *report)
{
    const lethe_json *rows = lethe_json_get(lethe_json_get(report, "metrics"), "rows");
    lethe_json *copy = lethe_json_array(doc);
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        lethe_json *row = lethe_json_copy(doc, lethe_json_at(rows, i));
        lethe_json_set(doc, row, "seconds", NULL);
        assert_true(lethe_json_int(lethe_json_get(row, "peak_bytes")) > 1000);
        lethe_json_set(doc, row, "peak_bytes", lethe_json_new_bool(doc, true));
        lethe_json_set(doc, row, "seconds", lethe_json_new_bool(doc, true));
        lethe_json_push(doc, copy, row);
    }
    return lethe_json_write(copy, 1, NULL);
}

/* What a study comes to: the rows, or NULL and how it failed. */
static char *compare(ground *g, const asked *a, unsigned n_threads, lethe_err want)
{
    lethe_ctx *ctx = g_ctx(g, n_threads);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_err e = lethe_compare_make(ctx, &a->c, doc, &report);
    if (e != want) fail_msg("%s: %s", lethe_err_name(e), g->said);
    char *text = report ? rows_text(doc, report) : NULL;
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return text;
}

/* Every file below a folder with its bytes, in order of names, one text; malloc'd. */
static void tree_put(const char *path, FILE *to)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char inner[2048];
        struct stat st;
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        bool dot = strcmp(names[i]->d_name, ".") == 0 || strcmp(names[i]->d_name, "..") == 0;
        if (!dot && lstat(inner, &st) == 0) {
            fprintf(to, "[%s %o]\n", names[i]->d_name, (unsigned)st.st_mode);
            char *text = S_ISREG(st.st_mode) ? g_read(inner) : NULL;
            if (text) fputs(text, to);
            free(text);
            if (S_ISDIR(st.st_mode)) tree_put(inner, to);
        }
        free(names[i]);
    }
    if (n >= 0) free(names);
}

static char *tree_text(const char *path)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    tree_put(path, to);
    fclose(to);
    return text;
}

static char *part_text(const ground *g, const char *part)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", g->out, part);
    return tree_text(path);
}

static void log_ask(ground *g, asked *a)
{
    g_begin(g);
    g_write(g->log, log_text);
    ask(a, g->log, g->out);
    a->c.methods = "scrub,threshold,seal,split";
    a->c.k = "2,3";
}

static void a_setting_that_fails_is_a_row(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    a.c.methods = "threshold";
    a.c.k = "2,50";
    char *rows = compare(&g, &a, 2, LETHE_OK);
    assert_non_null(strstr(rows, "\"label\": \"threshold t=2\""));
    assert_non_null(strstr(rows, "\"status\": 0"));
    assert_non_null(strstr(rows, "\"status\": 1"));
    assert_non_null(strstr(rows, "\"error\": \"no query text has 50 users"));
    assert_null(strstr(g.said, "no query text")); // it is no end
    free(rows);
    char *releases = part_text(&g, "releases");
    assert_non_null(strstr(releases, "[threshold-t2 "));
    assert_null(strstr(releases, "t50"));
    free(releases);
    // where all fail, the answer is no
    a.c.k = "50,60";
    a.c.publishing.force = true;
    free(compare(&g, &a, 2, LETHE_ANSWER_NO));
    assert_non_null(strstr(g.said, "no method produces a release"));
    g_end(&g);
}

static void nothing_is_kept_without_a_folder(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    char *kept = compare(&g, &a, 2, LETHE_OK);
    g_remove(g.out);
    a.c.out = NULL;
    char *rows = compare(&g, &a, 2, LETHE_OK);
    assert_string_equal(rows, kept);
    assert_string_equal(g_names(&g), "log.tsv");
    free(rows);
    free(kept);
    g_end(&g);
}

static void the_folder_is_its_owners_and_releases_are_not_closed(void **state)
{
    ground g;
    asked a;
    char path[400];
    struct stat st;
    static const struct {
        const char *name;
        unsigned mode;
    } want[] = {{"", 0700},           {"/maps", 0700},          {"/maps/scrub.tsv", 0600},
                {"/rows", 0700},      {"/settings.json", 0600}, {"/study.json", 0600},
                {"/study.csv", 0600}, {"/report.html", 0600}};
    (void)state;
    log_ask(&g, &a);
    free(compare(&g, &a, 1, LETHE_OK));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        snprintf(path, sizeof path, "%s%s", g.out, want[i].name);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, want[i].mode);
    }
    snprintf(path, sizeof path, "%s/settings.json", g.out);
    char *settings = g_read(path);
    assert_null(strstr(settings, ": 7")); // the seed
    free(settings);
    g_end(&g);
}

/* A release of a study is the one that the method alone would make. */
static void releases_are_those_of_single_runs(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    a.c.methods = "threshold";
    a.c.k = "2";
    free(compare(&g, &a, 2, LETHE_OK));
    char *study = part_text(&g, "releases/threshold-t2"), *map = part_text(&g, "maps");
    g_remove(g.out);
    steps s = {0};
    s_add(&s, lethe_method_find("threshold"), "t=2");
    lethe_release_job job = g_job(&g, &s, a.inputs);
    job.publishing = (lethe_publish_options){.has_seed = true, .seed = 7, .map = g.map};
    lethe_ctx *ctx = g_ctx(&g, 2);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_OK);
    char *single = tree_text(g.out), *single_map = g_read(g.map);
    assert_string_equal(study, single);
    assert_non_null(strstr(map, single_map));
    assert_non_null(strstr(study, "\"read\": 7"));
    free(study);
    free(single);
    free(map);
    free(single_map);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    g_end(&g);
}

static void records_and_tables_are_studied_too(void **state)
{
    ground g;
    asked a;
    char tree[400];
    (void)state;
    g_begin(&g);
    g_write(g.log, "1\ta b c\n2\ta b\n3\ta c d\n4\tb c\n5\ta b c d\n");
    snprintf(tree, sizeof tree, "%s/tree", g.dir);
    g_write(tree, "a\tx\nb\tx\nc\ty\nd\ty\nx\tr\ny\tr\n");
    ask(&a, g.log, g.out);
    give(&a, "taxonomy", tree);
    a.c.methods = "clump,aa,mm";
    a.c.k = "2";
    char *one = compare(&g, &a, 1, LETHE_OK);
    a.c.publishing.force = true;
    char *seven = compare(&g, &a, 7, LETHE_OK);
    assert_string_equal(one, seven);
    assert_null(strstr(one, "\"holds\": false"));
    assert_non_null(strstr(one, "\"presence-absence\""));
    free(one);
    free(seven);
    g_write(g.log, "age,zip,ill\n20,1,a\n21,1,b\n20,2,c\n21,2,a\n20,1,b\n21,2,c\n");
    ask(&a, g.log, g.out);
    give(&a, "qi", "age,zip");
    give(&a, "sa", "ill");
    a.c.methods = "lplus,incognito";
    a.c.theta = "1/2";
    a.c.publishing.force = true;
    char *table = compare(&g, &a, 2, LETHE_OK);
    assert_non_null(strstr(table, "\"notion\": \"l-plus-diversity\""));
    assert_non_null(strstr(table, "\"utility\": "));
    assert_non_null(strstr(table, "\"success\": "));
    free(table);
    g_end(&g);
}

static void threads_do_not_matter(void **state)
{
    ground g;
    asked a;
    static const unsigned threads[] = {2, 7};
    (void)state;
    log_ask(&g, &a);
    char *rows = compare(&g, &a, 1, LETHE_OK), *releases = part_text(&g, "releases"),
         *maps = part_text(&g, "maps");
    a.c.publishing.force = true;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        char *r = compare(&g, &a, threads[i], LETHE_OK), *l = part_text(&g, "releases"),
             *m = part_text(&g, "maps");
        assert_string_equal(r, rows);
        assert_string_equal(l, releases);
        assert_string_equal(m, maps);
        free(r);
        free(l);
        free(m);
    }
    free(rows);
    free(releases);
    free(maps);
    g_end(&g);
}

/* --- taking up --- */

static void inner_write(const ground *g, const char *name, const char *text)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", g->out, name);
    if (text) {
        g_write(path, text);
    } else if (mkdir(path, 0700) != 0) {
        abort();
    }
}

static void inner_remove(const ground *g, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", g->out, name);
    if (unlink(path) != 0) g_remove(path);
}

static void what_is_missing_is_made_again_and_leftovers_go(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    char *rows = compare(&g, &a, 2, LETHE_OK), *releases = part_text(&g, "releases"),
         *maps = part_text(&g, "maps");
    // as a study that died would have left it, at several moments at once
    inner_remove(&g, "rows/scrub.json");
    inner_remove(&g, "rows/seal-t2.json");
    inner_remove(&g, "releases/seal-t2");
    inner_remove(&g, "rows/seal-t3.json");
    inner_remove(&g, "releases/seal-t3");
    inner_remove(&g, "maps/seal-t3.tsv");
    inner_write(&g, "rows/split-by-day.json", "{\"label\":");
    inner_remove(&g, "releases/split-by-gap"); // its row stands
    inner_remove(&g, "study.json");
    inner_write(&g, ".study.json.lethe-abcdef", "half");
    inner_write(&g, "rows/.scrub.json.lethe-abcdef", "half");
    inner_write(&g, "maps/.seal-t3.tsv.lethe-abcdef", "half");
    inner_write(&g, "releases/.seal-t3.lethe-abcdef", NULL);
    inner_write(&g, "releases/.seal-t3.lethe-abcdef/data.tsv", "half");
    char *again = compare(&g, &a, 2, LETHE_OK), *releases_again = part_text(&g, "releases"),
         *maps_again = part_text(&g, "maps"), *all = tree_text(g.out);
    assert_string_equal(again, rows);
    assert_string_equal(releases_again, releases);
    assert_string_equal(maps_again, maps);
    assert_null(strstr(all, "lethe-abcdef"));
    assert_non_null(strstr(all, "[study.json "));
    free(rows);
    free(again);
    free(releases);
    free(releases_again);
    free(maps);
    free(maps_again);
    free(all);
    g_end(&g);
}

static void what_is_done_is_not_done_again(void **state)
{
    ground g;
    asked a;
    char path[400];
    struct stat before, after;
    (void)state;
    log_ask(&g, &a);
    free(compare(&g, &a, 2, LETHE_OK));
    snprintf(path, sizeof path, "%s/releases/scrub/manifest.json", g.out);
    assert_int_equal(stat(path, &before), 0);
    free(compare(&g, &a, 2, LETHE_OK));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    // an empty folder, and one that died at its first file, are as good as none
    g_remove(g.out);
    assert_int_equal(mkdir(g.out, 0700), 0);
    inner_write(&g, ".settings.json.lethe-abcdef", "half");
    free(compare(&g, &a, 2, LETHE_OK));
    g_end(&g);
}

static void another_study_is_refused_and_left_alone(void **state)
{
    ground g;
    asked a, other;
    (void)state;
    log_ask(&g, &a);
    free(compare(&g, &a, 2, LETHE_OK));
    char *before = tree_text(g.dir);
    other = a;
    other.values.at = other.at;
    other.c.values = &other.values;
    other.c.publishing.seed = 8;
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    other.c.publishing.seed = 7;
    other.c.k = "2,4";
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    other.c.k = a.c.k;
    other.c.publishing.keep_users = true;
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    other.c.publishing.keep_users = false;
    give(&other, "known", "4");
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    char *after = tree_text(g.dir);
    assert_string_equal(after, before);
    free(after);
    // something that no study has put there is never removed
    other.c.publishing.force = true;
    inner_write(&g, "mine.txt", "keep me");
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    assert_non_null(strstr(g.said, "'mine.txt'"));
    inner_remove(&g, "mine.txt");
    inner_write(&g, "releases/scrub/mine.txt", "keep me");
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    inner_remove(&g, "releases/scrub/mine.txt");
    after = tree_text(g.dir);
    assert_string_equal(after, before);
    free(after);
    free(before);
    free(compare(&g, &other, 2, LETHE_OK)); // and forced it is begun anew
    // another input of the same name
    g_write(g.log, "1\tmaps\t2006-03-01 10:00:00\t\t\n2\tmaps\t2006-03-01 10:00:00\t\t\n");
    other.c.publishing.force = false;
    free(compare(&g, &other, 2, LETHE_EUSAGE));
    assert_non_null(strstr(g.said, "another input"));
    g_end(&g);
}

static void what_is_no_study_is_refused(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    a.c.publishing.force = true;
    assert_int_equal(mkdir(g.out, 0755), 0);
    inner_write(&g, "data.tsv", "x");
    free(compare(&g, &a, 1, LETHE_EUSAGE));
    inner_remove(&g, "data.tsv");
    assert_int_equal(rmdir(g.out), 0);
    g_write(g.out, "a file");
    free(compare(&g, &a, 1, LETHE_EUSAGE));
    assert_int_equal(unlink(g.out), 0);
    assert_int_equal(symlink(g.dir, g.out), 0);
    free(compare(&g, &a, 1, LETHE_EUSAGE));
    assert_int_equal(unlink(g.out), 0);
    // nothing appears where the input cannot be read, or nothing is asked for
    g_write(g.log, "");
    free(compare(&g, &a, 1, LETHE_EINPUT));
    a.c.methods = "nothing";
    free(compare(&g, &a, 1, LETHE_EUSAGE));
    assert_string_equal(g_names(&g), "log.tsv");
    g_end(&g);
}

static void a_study_at_work_is_not_taken_up(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    free(compare(&g, &a, 1, LETHE_OK));
    lethe_ctx *ctx = g_ctx(&g, 1);
    lethe_arena *arena = lethe_arena_new();
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_plan plan;
    lethe_json *settings;
    bool again;
    lethe_study_folder f;
    assert_int_equal(lethe_plan_make(NULL, arena, &a.c, LETHE_SHAPE_LOG, &nothing, &plan),
                     LETHE_OK);
    assert_int_equal(lethe_study_settings(NULL, doc, &a.c, &plan, &settings, &again), LETHE_OK);
    assert_true(again);
    assert_int_equal(lethe_study_open(ctx, arena, &a.c, settings, again, &f), LETHE_OK);
    assert_true(f.begun);
    free(compare(&g, &a, 1, LETHE_EUSAGE));
    assert_non_null(strstr(g.said, "in use by another process"));
    lethe_study_close(NULL, &f);
    free(compare(&g, &a, 1, LETHE_OK));
    lethe_json_doc_free(doc);
    lethe_arena_free(arena);
    lethe_ctx_free(ctx);
    g_end(&g);
}

static lethe_err cancel_it(void *user, const lethe_json *report)
{
    (void)user;
    (void)report;
    return LETHE_ECANCEL;
}

static void a_study_that_is_stopped_goes_on(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    char *whole = compare(&g, &a, 2, LETHE_OK);
    g_remove(g.out);
    lethe_ctx *ctx = g_ctx(&g, 2);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_compare_make(ctx, &a.c, doc, &report), LETHE_ECANCEL);
    assert_null(report);
    assert_string_equal(g_names(&g), "log.tsv");
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    a.c.on_report = cancel_it;
    free(compare(&g, &a, 2, LETHE_ECANCEL)); // all runs are done, and no word is said of them
    a.c.on_report = NULL;
    char *after = compare(&g, &a, 2, LETHE_OK);
    assert_string_equal(after, whole);
    free(after);
    free(whole);
    g_end(&g);
}

static void without_memory_it_ends_and_goes_on_later(void **state)
{
    ground g;
    asked a;
    (void)state;
    log_ask(&g, &a);
    a.c.methods = "scrub,threshold";
    a.c.k = "2";
    char *whole = compare(&g, &a, 1, LETHE_OK);
    g_remove(g.out);
    lethe_ctx *ctx = g_ctx(&g, 1);
    uint64_t before = lethe_alloc_count();
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    assert_int_equal(lethe_compare_make(ctx, &a.c, doc, &report), LETHE_OK);
    uint64_t all = lethe_alloc_count() - before, step = SANITIZED ? 97 : 23;
    lethe_json_doc_free(doc);
    a.c.publishing.force = true;
    for (uint64_t n = 1; n < all; n += n < 150 ? 1 : step) {
        doc = lethe_json_doc_new();
        report = NULL;
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_compare_make(ctx, &a.c, doc, &report);
        lethe_alloc_fail_at(0);
        bool taken_up = e == LETHE_OK && !a.c.publishing.force; // little was left to do
        if (e != LETHE_ENOMEM && !taken_up)
            fail_msg("allocation %d of %d: %s", (int)n, (int)all, lethe_err_name(e));
        lethe_json_doc_free(doc);
        a.c.publishing.force = n % 3 > 0;
    }
    lethe_ctx_free(ctx);
    a.c.publishing.force = false;
    char *after = compare(&g, &a, 1, LETHE_OK);
    assert_string_equal(after, whole);
    free(after);
    free(whole);
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_expanded_by_what_each_method_sweeps),
        cmocka_unit_test(a_study_runs_the_table_of_candidates),
        cmocka_unit_test(candidates_take_what_is_given),
        cmocka_unit_test(tables_vary_what_is_given),
        cmocka_unit_test(what_is_varied_is_said),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(options_reach_the_methods_that_have_them),
        cmocka_unit_test(csv_quotes_what_needs_it),
        cmocka_unit_test(the_cheapest_comes_first),
        cmocka_unit_test(the_most_useful_row_comes_first),
        cmocka_unit_test(a_setting_that_fails_is_a_row),
        cmocka_unit_test(nothing_is_kept_without_a_folder),
        cmocka_unit_test(the_folder_is_its_owners_and_releases_are_not_closed),
        cmocka_unit_test(releases_are_those_of_single_runs),
        cmocka_unit_test(records_and_tables_are_studied_too),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_is_missing_is_made_again_and_leftovers_go),
        cmocka_unit_test(what_is_done_is_not_done_again),
        cmocka_unit_test(another_study_is_refused_and_left_alone),
        cmocka_unit_test(what_is_no_study_is_refused),
        cmocka_unit_test(a_study_at_work_is_not_taken_up),
        cmocka_unit_test(a_study_that_is_stopped_goes_on),
        cmocka_unit_test(without_memory_it_ends_and_goes_on_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
