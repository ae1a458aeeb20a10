/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline with tables: from the bytes of the input to those of the release, what is refused,
 * and what is left when it does not come to one.  The methods are this file's own, but for lplus
 * and local; they publish what nobody should. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/write/sink.h"
#include "records_release_harness.h"
#include "release/release.h"

static const char rows_text[] = "zip,note,age,\"ill, told\"\n"
                                "1050,n1,23,flu\n"
                                "1050,n2,27,hiv\n"
                                "1060,n3,31,flu\n"
                                "1060,n4,39,cold\n"
                                "1061,n5,41,hiv\n";
static const char zip_text[] = "1050;105*;*\n1060;106*;*\n1061;106*;*\n";

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    g_write(rr_path(&g, "in.csv"), rows_text);
    assert_int_equal(mkdir(rr_path(&g, "trees"), 0700), 0);
    g_write(rr_path(&g, "trees/zip.csv"), zip_text);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

/* --- methods of our own --- */

enum {
    PLAIN,     /* every row as it is */
    ROOTS,     /* all roots */
    FIRST_TWO, /* only the first two rows, by roots */
    NOTHING,   /* no row */
    TWICE,     /* the first row twice */
    BEYOND,    /* a row that is not there */
    BESIDE,    /* a value that is not above the row's own */
    NO_NODE,   /* a node that is not there */
    STARS,     /* by roots, each sensitive value starred */
    OVERLAP,   /* the first row by roots, the others as they are */
    FAILS,     /* gives up after a row */
    STOPS,     /* somebody stops the run after a row */
    THETAS,    /* by roots, with thresholds that say nothing */
    RANGES,    /* the last column by two ranges of values */
    CROSSING,  /* by two ranges that overlap */
    NO_RANGE,  /* a range from a greater value to a smaller one */
    NARROW     /* a range that lacks the row's own value */
};

static const lethe_option options[] = {
    LETHE_TABLE_OPTIONS,
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "1", .max = 1e9},
    {.name = "theta", .type = LETHE_OPT_TEXT, .arg = "X"},
    {.name = "trace", .type = LETHE_OPT_PATH, .arg = "FILE"},
    {.name = "way",
     .type = LETHE_OPT_CHOICE,
     .arg = "plain|roots|first-two|nothing|twice|beyond|beside|no-node|stars|overlap|fails|stops|"
            "thetas|ranges|crossing|no-range|narrow",
     .fallback = "plain"},
    {.name = NULL},
};

static lethe_json *claim_new(const lethe_values *v, lethe_json_doc *doc, const char *notion)
{
    lethe_json *c = lethe_json_object(doc), *qi = lethe_json_array(doc);
    char names[64], *save = NULL;
    snprintf(names, sizeof names, "%s", lethe_value_of(v, "qi")->text);
    lethe_set_text(doc, c, "notion", notion);
    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
        lethe_json_push(doc, qi, lethe_json_new_text(doc, lethe_str_of(name)));
    lethe_json_set(doc, c, "qi", qi);
    return c;
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = claim_new(v, doc, "k-anonymity");
    lethe_set_count(doc, c, "k", (uint64_t)lethe_count_of(v, "k"));
    lethe_json_push(doc, out, c);
    if (!lethe_value_of(v, "theta")->text) return;
    c = claim_new(v, doc, "l-plus-diversity");
    lethe_set_text(doc, c, "sa", lethe_value_of(v, "sa")->text ? "ill, told" : NULL);
    lethe_set_text(doc, c, "theta", lethe_value_of(v, "theta")->text);
    lethe_json_push(doc, out, c);
}

static void nodes_fill(const lethe_table *t, size_t row, int64_t way, uint32_t *node)
{
    bool roots = way == ROOTS || way == FIRST_TWO || way == STARS || way == THETAS ||
                 (way == OVERLAP && row == 0);
    for (size_t a = 0; a < t->n_qi; a++)
        node[a] = roots ? 0 : t->qi[a].leaf[row];
    if (way == BESIDE && row == 1) node[0] = t->qi[0].leaf[t->n - 1];
    if (way == NO_NODE && row == 1) node[t->n_qi - 1] = t->qi[t->n_qi - 1].tree->n;
}

/* Leaves are 1 to 5. */
static lethe_err range_fill(lethe_result *out, const lethe_table *t, size_t row, int64_t way,
                            uint32_t *node)
{
    size_t a = t->n_qi - 1;
    uint32_t leaf = t->qi[a].leaf[row];
    bool low = leaf <= 3;
    if (way < RANGES) return LETHE_OK;
    if (way == NO_RANGE) return out->range(out, a, 2, 1, &node[a]);
    if (way == NARROW) return out->range(out, a, 1, 2, &node[a]);
    for (size_t i = 0; i < a; i++)
        node[i] = 0;
    return out->range(out, a, low ? 1 : way == CROSSING ? 3 : 4, low ? 3 : 5, &node[a]);
}

static lethe_err run_tab(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_table *t = in->table;
    static const lethe_theta none[8] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}};
    uint32_t node[LETHE_QI_MAX];
    int64_t way = lethe_count_of(run->values, "way");
    size_t n = way == NOTHING ? 0 : way == FIRST_TWO ? 2 : t->n;
    if (run->trace) LETHE_TRY(lethe_sink_write(run->trace, "a trace\n", 8));
    if (way == THETAS) LETHE_TRY(out->thetas(out, none));
    for (size_t i = 0; i < n; i++) {
        nodes_fill(t, i, way, node);
        LETHE_TRY(range_fill(out, t, i, way, node));
        if (way == FAILS && i == 1) return LETHE_EIO;
        if (way == STOPS && i == 1) lethe_ctx_cancel(run->ctx);
        LETHE_TRY(out->cells(out, i, node, way == STARS));
        if (way == TWICE && i == 0) LETHE_TRY(out->cells(out, i, node, false));
    }
    return way == BEYOND ? out->cells(out, t->n, node, false) : LETHE_OK;
}

static const lethe_method tab = {.name = "tab",
                                 .in = LETHE_SHAPE_TABLE,
                                 .out = LETHE_SHAPE_TABLE,
                                 .options = options,
                                 .notion = "k-anonymity",
                                 .claims = claims,
                                 .run = run_tab};

static const lethe_method *const methods[] = {&lethe_method_lplus, &lethe_method_local, &tab, NULL};
const lethe_method *const *lethe_methods(void) { return methods; }
const lethe_method *lethe_method_find(const char *name)
{
    for (size_t i = 0; methods[i]; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}

/* --- running them --- */

/* The recipe's options are parted by spaces, so the sensitive column, which has one, is set here.
 */
typedef struct way {
    const lethe_method *method;
    const char *options;
    bool sa, map, force;
    unsigned threads; /* 0: 2 */
    uint64_t fail_at;
    const char *out; /* NULL: the ground's */
    uint64_t used;   /* allocations */
} way;

static made make(ground *g, way *w)
{
    recipe r;
    made m = {.doc = lethe_json_doc_new()};
    const char *input = rr_path(g, "in.csv");
    lethe_ctx *ctx = g_ctx(g, w->threads ? w->threads : 2);
    rr_recipe(&r, w->method, w->options);
    for (size_t i = 0; w->sa && i < r.step.values.n; i++)
        if (strcmp(r.step.values.table[i].name, "sa") == 0)
            assert_int_equal(lethe_values_set(&r.step.values, i, "\"ill, told\"", NULL), LETHE_OK);
    lethe_release_job job = {
        .inputs = &input,
        .n_inputs = 1,
        .steps = &r.step,
        .n_steps = 1,
        .out = w->out ? w->out : g->out,
        .publishing = {
            .map = w->map ? g->map : NULL, .force = w->force, .has_seed = true, .seed = 1}};
    g->said[0] = '\0';
    uint64_t before = lethe_alloc_count();
    lethe_alloc_fail_at(w->fail_at);
    m.e = lethe_release_make(ctx, &job, m.doc, &m.report);
    lethe_alloc_fail_at(0);
    w->used = lethe_alloc_count() - before;
    lethe_ctx_free(ctx);
    return m;
}

static made run(ground *g, const lethe_method *method, const char *how, bool map)
{
    return make(g, &(way){.method = method, .options = how, .sa = true, .map = map});
}

static void file_is(const ground *g, const char *name, const char *want)
{
    char path[64];
    snprintf(path, sizeof path, "release/%s", name);
    char *text = g_read(rr_path(g, path));
    if (!want) assert_null(text);
    if (want) {
        assert_non_null(text);
        assert_string_equal(text, want);
    }
    free(text);
}

static void clear(ground *g)
{
    g_remove(g->out);
    unlink(g->map);
    unlink(rr_path(g, "trace"));
}

static const char *with(const ground *g, const char *how)
{
    static char text[1400];
    snprintf(text, sizeof text, "qi=zip,age hierarchies=%s/trees ranges=age=10,20 %s", g->dir, how);
    return text;
}

/* --- what is published --- */

static void rows_are_published_as_they_are_given(void **state)
{
    ground *g = *state;
    made m = run(g, &tab, with(g, ""), true);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.csv",
            "zip,age,\"ill, told\"\n1050,23,flu\n1050,27,hiv\n1060,31,flu\n1060,39,cold\n"
            "1061,41,hiv\n");
    file_is(g, "theta.tsv", NULL);
    char *map = g_read_map(g), *manifest = g_read(rr_path(g, "release/manifest.json"));
    assert_string_equal(map, "2\t2\n3\t3\n4\t4\n5\t5\n6\t6\n");
    assert_null(strstr(manifest, g->dir)); // no path
    free(manifest);
    free(map);
    assert_int_equal(rr_count(&m, "read"), 5);
    assert_int_equal(rr_count(&m, "published"), 5);
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
}

static void rows_that_are_not_given_are_suppressed(void **state)
{
    ground *g = *state;
    made m = run(g, &tab, with(g, "way=first-two keep=note k=2"), true);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.csv", "zip,note,age,\"ill, told\"\n*,n1,*,flu\n*,n2,*,hiv\n");
    file_is(g, "taxonomy.tsv", "zip=*\t\t3\nage=*\t\t19\n");
    assert_int_equal(rr_count(&m, "published"), 2);
    assert_int_equal(rr_count(&m, "suppressed"), 3);
    char *map = g_read_map(g);
    assert_string_equal(map, "2\t2\n3\t3\n4\t\n5\t\n6\t\n");
    free(map);
    rr_free(&m);
}

static void stars_and_thresholds_are_published(void **state)
{
    ground *g = *state;
    made m = run(g, &tab, with(g, "way=stars theta=0 k=5"), false);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.csv", "zip,age,\"ill, told\"\n*,*,*\n*,*,*\n*,*,*\n*,*,*\n*,*,*\n");
    rr_free(&m);
    clear(g);
    // thresholds that are kept by nobody: the file is there, and the check reads it
    m = run(g, &tab, with(g, "way=thetas theta=listed"), false);
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    assert_non_null(strstr(g->said, "does not keep the promise l-plus-diversity"));
    assert_string_equal(g_names(g), "in.csv trees");
    rr_free(&m);
    m = run(g, &tab, with(g, "way=thetas"), false); // nothing is promised of them
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "theta.tsv", "cold\t0\nflu\t0\nhiv\t0\n");
    rr_free(&m);
}

static void ranges_of_values_are_published(void **state)
{
    ground *g = *state;
    made m = run(g, &tab, with(g, "ranges=age=values way=ranges k=2"), false);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.csv",
            "zip,age,\"ill, told\"\n*,23-31,flu\n*,23-31,flu\n*,23-31,hiv\n*,39-41,cold\n"
            "*,39-41,hiv\n");
    file_is(g, "taxonomy.tsv",
            "zip=*\t\t3\nage=23-41\t\t5\nage=23-31\tage=23-41\t3\nage=39-41\tage=23-41\t2\n");
    rr_free(&m);
}

/* --- what is refused --- */

static void nothing_is_published_that_is_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *options;
        bool no_sa;
        lethe_err e;
        const char *said;
    } cases[] = {
        {"way=twice", false, LETHE_EINTERNAL, "published twice, or does not exist"},
        {"way=beyond", false, LETHE_EINTERNAL, "published twice, or does not exist"},
        {"way=beside", false, LETHE_EINTERNAL, "does not generalize the row's own"},
        {"way=no-node", false, LETHE_EINTERNAL, "does not generalize the row's own"},
        {"way=stars", true, LETHE_EINTERNAL, "no sensitive column"},
        {"way=nothing", false, LETHE_ANSWER_NO, "nothing is left to publish"},
        {"way=plain k=2", false, LETHE_ANSWER_NO, "does not keep the promise k-anonymity"},
        {"way=roots k=6", false, LETHE_ANSWER_NO, "does not keep the promise k-anonymity"},
        {"way=roots theta=0.3", false, LETHE_ANSWER_NO,
         "does not keep the promise l-plus-diversity"},
        {"way=overlap", false, LETHE_ANSWER_NO, "does not keep the promise k-anonymity"},
        {"way=crossing ranges=age=values", false, LETHE_ANSWER_NO,
         "does not keep the promise k-anonymity"},
        {"way=no-range ranges=age=values", false, LETHE_EINTERNAL, "a published range is no range"},
        {"way=ranges", false, LETHE_EINTERNAL, "a published range is no range"},
        {"way=narrow ranges=age=values", false, LETHE_EINTERNAL,
         "does not generalize the row's own"},
        {"way=no-node ranges=age=values", false, LETHE_EINTERNAL,
         "does not generalize the row's own"},
        {"way=fails", false, LETHE_EIO, ""},
        {"way=stops", false, LETHE_ECANCEL, ""},
        {"theta=listed way=roots", false, LETHE_EIO, "theta.tsv"},
    };
    char how[200];
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        snprintf(how, sizeof how, "%s trace=%s", cases[i].options, rr_path(g, "trace"));
        made m = make(
            g, &(way){.method = &tab, .options = with(g, how), .sa = !cases[i].no_sa, .map = true});
        if (m.e != cases[i].e || !strstr(g->said, cases[i].said))
            fail_msg("case %zu: %s: %s", i, lethe_err_name(m.e), g->said);
        assert_string_equal(g_names(g), "in.csv trees");
        assert_null(strstr(g->said, "1050")); // nothing of what is in the table
        assert_null(strstr(g->said, "flu"));
        rr_free(&m);
    }
}

/* --- what is written beside the release --- */

static void the_trace_appears_with_the_release(void **state)
{
    ground *g = *state;
    char how[600];
    snprintf(how, sizeof how, "trace=%s", rr_path(g, "trace"));
    made m = run(g, &tab, with(g, how), true);
    assert_int_equal(m.e, LETHE_OK);
    char *text = g_read(rr_path(g, "trace"));
    assert_string_equal(text, "a trace\n");
    free(text);
    rr_free(&m);
    g_remove(g->out);
    m = run(g, &tab, with(g, how), false); // it is there already
    assert_int_equal(m.e, LETHE_EUSAGE);
    assert_int_equal(access(g->out, F_OK), -1);
    rr_free(&m);
    // with --force it is replaced, but only by a release that comes
    g_write(rr_path(g, "trace"), "old\n");
    snprintf(how, sizeof how, "way=plain k=2 trace=%s", rr_path(g, "trace"));
    m = make(g, &(way){.method = &tab, .options = with(g, how), .sa = true, .force = true});
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    text = g_read(rr_path(g, "trace"));
    assert_string_equal(text, "old\n");
    free(text);
    rr_free(&m);
    snprintf(how, sizeof how, "trace=%s", rr_path(g, "trace"));
    m = make(g, &(way){.method = &tab, .options = with(g, how), .sa = true, .force = true});
    assert_int_equal(m.e, LETHE_OK);
    text = g_read(rr_path(g, "trace"));
    assert_string_equal(text, "a trace\n");
    free(text);
    rr_free(&m);
}

static void the_trace_replaces_nothing_that_is_read(void **state)
{
    ground *g = *state;
    static const struct {
        const char *name, *said;
    } cases[] = {{"in.csv", "would replace an input"},
                 {"release/trace", "must not be in the release folder"},
                 {"release", "must not be in the release folder"}};
    made m = run(g, &tab, with(g, ""), false); // what --force would replace
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char how[600];
        snprintf(how, sizeof how, "trace=%s", rr_path(g, cases[i].name));
        m = make(g, &(way){.method = &tab, .options = with(g, how), .sa = true, .force = true});
        if (m.e != LETHE_EUSAGE || !strstr(g->said, cases[i].said))
            fail_msg("%s: %s: %s", cases[i].name, lethe_err_name(m.e), g->said);
        rr_free(&m);
    }
    char *text = g_read(rr_path(g, "in.csv"));
    assert_string_equal(text, rows_text);
    free(text);
    assert_int_equal(rr_verify(g), LETHE_OK);
}

static void an_old_release_is_replaced_by_force_alone(void **state)
{
    ground *g = *state;
    made m = run(g, &tab, with(g, "way=roots"), true);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    m = run(g, &tab, with(g, ""), true);
    assert_int_equal(m.e, LETHE_EUSAGE);
    rr_free(&m);
    way again = {.method = &tab, .options = with(g, "k=2"), .sa = true, .map = true, .force = true};
    m = make(g, &again); // refused by the check: release and map are as they were
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    file_is(g, "data.csv", "zip,age,\"ill, told\"\n*,*,cold\n*,*,flu\n*,*,flu\n*,*,hiv\n*,*,hiv\n");
    char *map = g_read_map(g);
    assert_string_equal(map, "2\t3\n3\t5\n4\t4\n5\t2\n6\t6\n");
    free(map);
    rr_free(&m);
    again.options = with(g, "");
    m = make(g, &again);
    assert_int_equal(m.e, LETHE_OK);
    map = g_read_map(g);
    assert_string_equal(map, "2\t2\n3\t3\n4\t4\n5\t5\n6\t6\n");
    free(map);
    rr_free(&m);
    assert_string_equal(g_names(g), "in.csv map.tsv release trees");
}

/* What went to standard output, while it was a file. */
static char *printed(ground *g, way *w, lethe_err *e)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO),
        to = open(rr_path(g, "printed"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(kept >= 0 && to >= 0);
    dup2(to, STDOUT_FILENO);
    close(to);
    w->out = "-";
    made m = make(g, w);
    *e = m.e;
    rr_free(&m);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    char *text = g_read(rr_path(g, "printed"));
    unlink(rr_path(g, "printed"));
    return text;
}

static void the_data_alone_goes_to_standard_output(void **state)
{
    ground *g = *state;
    lethe_err e;
    // nothing is claimed for it, so nothing is checked
    way w = {.method = &tab, .options = with(g, "way=first-two k=9"), .sa = true, .map = true};
    char *text = printed(g, &w, &e);
    assert_int_equal(e, LETHE_OK);
    assert_string_equal(text, "zip,age,\"ill, told\"\n*,*,flu\n*,*,hiv\n");
    free(text);
    assert_string_equal(g_names(g), "in.csv map.tsv trees");
    unlink(g->map);
    w.options = with(g, "way=fails");
    text = printed(g, &w, &e);
    assert_int_equal(e, LETHE_EIO);
    assert_string_equal(text, "");
    free(text);
    assert_string_equal(g_names(g), "in.csv trees");
}

/* --- a method as it is --- */

static const char lplus_how[] = "theta=1/2 suppress=vioRec";

static void threads_do_not_matter(void **state)
{
    ground *g = *state;
    static const char *const names[] = {"data.csv", "taxonomy.tsv"};
    char *first[LETHE_COUNT(names)] = {NULL}, path[64];
    for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        made m = make(g, &(way){.method = &lethe_method_lplus,
                                .options = with(g, lplus_how),
                                .sa = true,
                                .threads = threads});
        if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
        for (size_t i = 0; i < LETHE_COUNT(names); i++) {
            snprintf(path, sizeof path, "release/%s", names[i]);
            char *text = g_read(rr_path(g, path));
            assert_non_null(text);
            if (first[i]) assert_string_equal(text, first[i]);
            free(first[i]);
            first[i] = text;
        }
        rr_free(&m);
        clear(g);
    }
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        free(first[i]);
}

static const lethe_json *cut_of(const made *m, const char *column)
{
    return lethe_json_get(lethe_json_get(lethe_json_get(m->report, "metrics"), "cut"), column);
}

/* A value of a row that was deleted must not stand in the manifest. */
static void figures_tell_no_value_that_is_not_published(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.csv"), "who,s\nann,1\nann,2\nbob,1\nbob,2\nsecret,1\n");
    way w = {.method = &lethe_method_lplus, .options = "qi=who sa=s theta=1/2 suppress=allRec"};
    made m = make(g, &w);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.csv", "who,s\nann,1\nann,2\nbob,1\nbob,2\n");
    assert_int_equal(lethe_json_count(cut_of(&m, "who")), 2);
    char *manifest = g_read(rr_path(g, "release/manifest.json"));
    assert_null(strstr(manifest, "secret"));
    free(manifest);
    rr_free(&m);
}

/* Two groups show two values each.  Together they would show one: 1 is too common then. */
static void precaution_does_not_end_in_nothing(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.csv"), "a,s\nx,1\nx,2\nx,3\ny,1\ny,1\ny,1\n");
    g_write(rr_path(g, "theta"), "1\t1/2\n2\t1/2\n3\t1/7\n");
    char how[700];
    snprintf(how, sizeof how, "qi=a sa=s theta-file=%s distinct-l=2 suppress=vioSA precaution=1",
             rr_path(g, "theta"));
    made m = make(g, &(way){.method = &lethe_method_lplus, .options = how});
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.csv", "a,s\nx,*\nx,1\nx,2\ny,*\ny,*\ny,*\n");
    char *manifest = g_read(rr_path(g, "release/manifest.json"));
    assert_non_null(strstr(manifest, "--precaution asks for"));
    free(manifest);
    rr_free(&m);
    clear(g);
    // and where all would be deleted
    g_write(rr_path(g, "in.csv"), "a,s\nx,1\nx,2\ny,1\ny,1\ny,1\n");
    m = make(g, &(way){.method = &lethe_method_lplus,
                       .options = "qi=a sa=s theta=1/2 suppress=allRec precaution=1"});
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.csv", "a,s\nx,1\nx,2\n");
    rr_free(&m);
    clear(g);
    // where the more general one will do, it is taken
    g_write(rr_path(g, "in.csv"), "a,s\nx,1\nx,2\ny,1\ny,2\n");
    m = make(g, &(way){.method = &lethe_method_lplus,
                       .options = "qi=a sa=s theta=1/2 suppress=allRec precaution=1"});
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.csv", "a,s\n*,1\n*,1\n*,2\n*,2\n");
    rr_free(&m);
}

/* As often as the average to the digit, 29/100 of twice that is 58/100, and not less; and so it is
 * of 60 rows and of 69. */
static void thresholds_by_frequency_are_exact(void **state)
{
    static const size_t rows[] = {60, 30, 20, 30, 10};
    ground *g = *state;
    char text[1024] = "a,s\n";
    for (size_t v = 0; v < LETHE_COUNT(rows); v++)
        for (size_t i = 0; i < rows[v]; i++)
            sprintf(text + strlen(text), "x,%zu\n", v + 1);
    g_write(rr_path(g, "in.csv"), text);
    made m = make(g, &(way){.method = &lethe_method_lplus,
                            .options = "qi=a sa=s theta-by-frequency=0.29 suppress=vioSA"});
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "theta.tsv", "1\t0.58\n2\t0.29\n3\t0.29\n4\t0.29\n5\t0.29\n");
    rr_free(&m);
}

/* Bytes that would steer a terminal are not handed to it. */
static void messages_are_fit_to_print(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.csv"), "a,s\nx,\x1b[2Jred\nx,\x1b[2Jred\nx,2\n");
    made m = make(
        g, &(way){.method = &lethe_method_lplus, .options = "qi=a sa=s theta=1/2 suppress=none"});
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    assert_non_null(strstr(g->said, "2 of 3 rows"));
    assert_null(strchr(g->said, '\x1b'));
    rr_free(&m);
    char how[700];
    g_write(rr_path(g, "theta"), "2\t1/2\n");
    snprintf(how, sizeof how, "qi=a sa=s theta-file=%s", rr_path(g, "theta"));
    m = make(g, &(way){.method = &lethe_method_lplus, .options = how});
    assert_int_equal(m.e, LETHE_EINPUT);
    assert_non_null(strstr(g->said, "has no threshold"));
    assert_null(strchr(g->said, '\x1b'));
    rr_free(&m);
}

/* --- lack of memory --- */

static void every_allocation_fails(ground *g, way w, const char *names)
{
    w.fail_at = 0;
    made m = make(g, &w);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    uint64_t all = w.used;
    rr_free(&m);
    clear(g);
    for (w.fail_at = 1; w.fail_at <= all; w.fail_at++) {
        m = make(g, &w);
        rr_free(&m);
        if (m.e == LETHE_OK && w.fail_at + 4 > all) { // what came after the release was out
            clear(g);
            continue;
        }
        if (m.e != LETHE_ENOMEM || strcmp(g_names(g), names) != 0)
            fail_msg("allocation %llu of %llu: %s, %s: %s", (unsigned long long)w.fail_at,
                     (unsigned long long)all, lethe_err_name(m.e), g_names(g), g->said);
    }
    assert_true(all > 50);
}

static void nothing_is_left_where_memory_is_short(void **state)
{
    ground *g = *state;
    char how[700];
    snprintf(how, sizeof how, "keep=note theta=1/2 way=roots trace=%s", rr_path(g, "trace"));
    every_allocation_fails(
        g, (way){.method = &tab, .options = with(g, how), .sa = true, .map = true, .threads = 1},
        "in.csv trees");
}

static void nothing_is_left_of_lplus_either(void **state)
{
    ground *g = *state;
    char how[700];
    g_write(rr_path(g, "theta"), "flu\t1/2\n");
    snprintf(how, sizeof how, "theta=2/3 theta-file=%s precaution=0.5 top-h=3 trace=%s",
             rr_path(g, "theta"), rr_path(g, "trace"));
    every_allocation_fails(g,
                           (way){.method = &lethe_method_lplus,
                                 .options = with(g, how),
                                 .sa = true,
                                 .map = true,
                                 .threads = 1},
                           "in.csv theta trees");
}

static void nothing_is_left_of_local_either(void **state)
{
    ground *g = *state;
    char how[700];
    g_write(rr_path(g, "theta"), "flu\t1/2\n");
    snprintf(how, sizeof how,
             "ranges=age=values k=2 theta=2/3 theta-file=%s weights=age=2 suppress=1/4 keep=note",
             rr_path(g, "theta"));
    every_allocation_fails(g,
                           (way){.method = &lethe_method_local,
                                 .options = with(g, how),
                                 .sa = true,
                                 .map = true,
                                 .threads = 1},
                           "in.csv theta trees");
}

/* Every demand at once, of two columns, one of them with a hierarchy, and a population. */
static void nothing_is_left_of_other_demands_either(void **state)
{
    ground *g = *state;
    char how[700];
    g_write(rr_path(g, "in.csv"),
            "zip,note,age,ill\n1050,n1,23,flu\n1050,n2,27,hiv\n1060,n3,31,flu\n1060,n4,39,hiv\n");
    g_write(rr_path(g, "trees/note.csv"), "n1;n;*\nn2;n;*\nn3;m;*\nn4;m;*\nn5;m;*\n");
    snprintf(how, sizeof how,
             "sa=note,ill theta=1 entropy-l=1.5 recursive=9,1 t-closeness=1 "
             "t-distance=note=hierarchical suppress=none k-map=2 population=%s",
             rr_path(g, "in.csv"));
    every_allocation_fails(
        g, (way){.method = &lethe_method_lplus, .options = with(g, how), .map = true, .threads = 1},
        "in.csv trees");
}

int main(void)
{
#define ON_GROUND(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        ON_GROUND(rows_are_published_as_they_are_given),
        ON_GROUND(rows_that_are_not_given_are_suppressed),
        ON_GROUND(stars_and_thresholds_are_published),
        ON_GROUND(ranges_of_values_are_published),
        ON_GROUND(nothing_is_published_that_is_refused),
        ON_GROUND(the_trace_appears_with_the_release),
        ON_GROUND(the_trace_replaces_nothing_that_is_read),
        ON_GROUND(an_old_release_is_replaced_by_force_alone),
        ON_GROUND(the_data_alone_goes_to_standard_output),
        ON_GROUND(threads_do_not_matter),
        ON_GROUND(figures_tell_no_value_that_is_not_published),
        ON_GROUND(precaution_does_not_end_in_nothing),
        ON_GROUND(thresholds_by_frequency_are_exact),
        ON_GROUND(messages_are_fit_to_print),
        ON_GROUND(nothing_is_left_where_memory_is_short),
        ON_GROUND(nothing_is_left_of_lplus_either),
        ON_GROUND(nothing_is_left_of_local_either),
        ON_GROUND(nothing_is_left_of_other_demands_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
