/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline with sets: a person's records as one, sensitive items beside the others, from the
 * bytes of the input to those of the release, and back in measures and adversaries.  The methods
 * are this file's own, and so is the table that a manifest's steps are looked up in. */
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
#include "small_wordnet.h"

static const char taxonomy_text[] = "milk\tdairy\nbutter\tdairy\napple\tfruit\npear\tfruit\n"
                                    "dairy\tfood\nfruit\tfood\n";
/* b has three records; the last two lines are nobody's. */
static const char records_text[] = "b\tbutter apple hiv\na\tmilk apple flu\nb\tmilk\n"
                                   "b\tbutter butter cold hiv\nmilk apple\nflu\n";
static const char list_text[] = "hiv\nflu\ncold\n";

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    g_write(rr_path(&g, "tax.tsv"), taxonomy_text);
    g_write(rr_path(&g, "in.txt"), records_text);
    g_write(rr_path(&g, "list"), list_text);
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
    PLAIN,    /* every set as it is */
    ROOTS,    /* one root for all of its items */
    ONE,      /* as if all were one person's */
    MARK,     /* a mark, as if it were an item */
    CUTS,     /* without the first item of each set, if it has two */
    ONE_GROUP /* the root, and all in one group */
};

static const lethe_option set_options[] = {
    LETHE_SET_OPTIONS,
    LETHE_SENSITIVE_OPTION,
    {.name = "way",
     .type = LETHE_OPT_CHOICE,
     .arg = "plain|roots|one|mark|cuts|one-group",
     .fallback = "plain"},
    {.name = NULL},
};

static const lethe_option flat_options[] = {
    LETHE_FLAT_SET_OPTIONS,
    LETHE_SENSITIVE_OPTION,
    {.name = "way",
     .type = LETHE_OPT_CHOICE,
     .arg = "plain|roots|one|mark|cuts|one-group",
     .fallback = "plain"},
    {.name = NULL},
};

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "record-k-anonymity");
    lethe_set_count(doc, c, "k", 1);
    if (lethe_count_of(v, "persons") == 1) lethe_set_text(doc, c, "persons", "record");
    lethe_json_push(doc, out, c);
}

static lethe_err run_sets(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_records *r = in->records;
    int64_t way = lethe_count_of(run->values, "way");
    static const uint32_t root = 0;
    for (size_t i = 0; i < r->n; i++) {
        const uint32_t *node = r->item + r->start[i], mark = in->tree->n;
        size_t n = (size_t)lethe_record_size(r, i);
        uint32_t group = way == ONE_GROUP ? 0 : (uint32_t)i;
        for (size_t k = 1; k < n; k++)
            assert_true(node[k - 1] < node[k]); // a set
        if (way == ROOTS || way == ONE_GROUP) {
            node = &root;
            n = way == ONE_GROUP || n > 0;
        }
        if (way == CUTS && n > 1) node++, n--;
        if (way == ONE) ((uint32_t *)r->owner)[i] = 0; // a method may do anything
        if (way == MARK) {
            node = &mark;
            n = 1;
        }
        LETHE_TRY(out->record(out, i, group, node, n));
    }
    return LETHE_OK;
}

static const lethe_method sets = {.name = "sets",
                                  .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
                                  .out = LETHE_SHAPE_RECORDS,
                                  .options = set_options,
                                  .notion = "record-k-anonymity",
                                  .claims = claims,
                                  .sets = true,
                                  .run = run_sets};
static const lethe_method flat = {.name = "flat",
                                  .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
                                  .out = LETHE_SHAPE_RECORDS,
                                  .options = flat_options,
                                  .notion = "record-k-anonymity",
                                  .claims = claims,
                                  .sets = true,
                                  .run = run_sets};

static const lethe_method *const methods[] = {&flat, &sets, NULL};
const lethe_method *const *lethe_methods(void) { return methods; }
const lethe_method *lethe_method_find(const char *name)
{
    for (size_t i = 0; methods[i]; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}

/* --- running them --- */

static const char *with(const ground *g, const char *how)
{
    static char text[1024];
    snprintf(text, sizeof text, "sensitive=%s/list %s%s%s %s", g->dir,
             strstr(how, "taxonomy=") ? "" : "taxonomy=", strstr(how, "taxonomy=") ? "" : g->dir,
             strstr(how, "taxonomy=") ? "" : "/tax.tsv", how);
    return text;
}

static const char *without_tree(const ground *g, const char *how)
{
    static char text[1024];
    snprintf(text, sizeof text, "sensitive=%s/list %s", g->dir, how);
    return text;
}

static made run(ground *g, const lethe_method *m, const char *options, const char *input, bool map)
{
    g->said[0] = '\0';
    return rr_make(g, m, options, rr_path(g, input), 2, map);
}

/* NULL: the file is not to be there. */
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

static int64_t figure(const made *m, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(m->report, "metrics"), name));
}

/* --- what is published --- */

static void persons_are_published_as_sets(void **state)
{
    ground *g = *state;
    for (unsigned threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        made m = rr_make(g, &sets, with(g, ""), rr_path(g, "in.txt"), threads, true);
        if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
        file_is(g, "data.txt", "apple butter cold hiv milk\napple flu milk\napple milk\nflu\n");
        file_is(g, "sensitive.txt", "cold\nflu\nhiv\n");
        file_is(g, "taxonomy.tsv",
                "food\t\t4\napple\tfruit\t1\nbutter\tdairy\t1\ndairy\tfood\t2\n"
                "fruit\tfood\t2\nmilk\tdairy\t1\n");
        assert_int_equal(rr_count(&m, "read"), 6);
        assert_int_equal(rr_count(&m, "published"), 6); // lines, of four records
        assert_int_equal(rr_count(&m, "suppressed"), 0);
        assert_int_equal(figure(&m, "records"), 4);
        assert_int_equal(figure(&m, "unknown_items"), 0);
        char *map = g_read_map(g);
        assert_string_equal(map, "b\t1\na\t2\n5\t3\n6\t4\n");
        free(map);
        char *manifest = g_read(rr_path(g, "release/manifest.json"));
        assert_non_null(strstr(manifest, "\"name\": \"sensitive.txt\""));
        assert_non_null(strstr(manifest, "\"sensitive\": true")); // and no path
        assert_null(strstr(manifest, g->dir));
        free(manifest);
        assert_int_equal(rr_verify(g), LETHE_OK);
        rr_free(&m);
        g_remove(g->out);
        unlink(g->map);
    }
}

static void records_are_sets_where_they_count_for_persons(void **state)
{
    ground *g = *state;
    made m = run(g, &sets, with(g, "persons=record"), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt",
            "apple butter hiv\napple flu milk\napple milk\nbutter cold hiv\nflu\nmilk\n");
    char *map = g_read_map(g);
    assert_string_equal(map, "b\t1\na\t2\nb\t6\nb\t4\n5\t3\n6\t5\n");
    free(map);
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
}

static void marks_are_added_to_what_is_generalized(void **state)
{
    ground *g = *state;
    made m = run(g, &sets, with(g, "way=roots"), "in.txt", false);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "cold food hiv\nflu\nflu food\nfood\n");
    file_is(g, "taxonomy.tsv", "food\t\t4\n");
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
    g_remove(g->out);
    // records of one group have the same items, and their own sensitive ones; here the check of
    // the claim has no objection, since it counts to one
    m = run(g, &sets, with(g, "way=one-group"), "in.txt", false);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "cold food hiv\nflu food\nflu food\nfood\n");
    rr_free(&m);
}

static void without_marks_the_list_is_empty(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "list"), "fever\n");
    g_write(rr_path(g, "in.txt"), "a\tmilk\nb\tapple pear\n");
    made m = run(g, &sets, with(g, ""), "in.txt", false);
    assert_int_equal(m.e, LETHE_OK);
    assert_non_null(strstr(g->said, "1 of 1 sensitive item is in no record"));
    file_is(g, "sensitive.txt", "");
    file_is(g, "data.txt", "apple pear\nmilk\n");
    const char *said = lethe_run_caveats[LETHE_CAVEAT_NOTHING_SENSITIVE];
    assert_true(lethe_json_has_text(lethe_json_get(m.report, "caveats"), said));
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
}

static void nothing_is_generalized_without_a_taxonomy(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.txt"), "a\tx y hiv\nb\ty\na\tzz flu cold\n");
    made m = run(g, &flat, without_tree(g, ""), "in.txt", true);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    file_is(g, "data.txt", "cold flu hiv x y zz\ny\n");
    file_is(g, "taxonomy.tsv", NULL);
    file_is(g, "sensitive.txt", "cold\nflu\nhiv\n");
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
    g_remove(g->out);
    unlink(g->map);
    m = run(g, &flat, "", "in.txt", false); // without a list they are items like others
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "cold flu hiv x y zz\ny\n");
    file_is(g, "sensitive.txt", NULL);
    rr_free(&m);
    g_remove(g->out);
    m = run(g, &flat, "way=roots", "in.txt", false); // a root that has no name
    assert_int_equal(m.e, LETHE_EINPUT);
    assert_non_null(strstr(g->said, "holds a space"));
    rr_free(&m);
}

/* --- logs --- */

static const char log_text[] = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
                               "1\tmice sickly\t2006-03-01 10:00:00\t\t\n"
                               "1\tgoose cars\t2006-03-04 10:00:00\t\t\n"
                               "2\tSickly geese\t2006-03-01 11:00:00\t\t\n"
                               "2\tquickly\t2006-03-01 13:00:00\t\t\n"
                               "3\tsickly\t2006-03-01 12:00:00\t\t\n";

static void words_of_a_log_that_are_no_nouns_are_seen(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    g_write(rr_path(g, "list"), "SICKLY\nmouse\n");
    made m = run(g, &sets, with(g, "taxonomy=wordnet gap=1h"), "log.tsv", true);
    if (m.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(m.e), g->said);
    // the records of 1 are one; who has nothing but a sensitive word is there, too
    file_is(g, "data.txt", "car goose mouse sickly\ngoose sickly\nsickly\n");
    file_is(g, "sensitive.txt", "mouse\nsickly\n");
    char *tree = g_read(rr_path(g, "release/taxonomy.tsv"));
    assert_null(strstr(tree, "mouse"));
    assert_non_null(strstr(tree, "\t\t14\n")); // it keeps the leaf all the same
    free(tree);
    assert_int_equal(rr_count(&m, "read"), 5);
    assert_int_equal(rr_count(&m, "published"), 4);
    assert_int_equal(rr_count(&m, "suppressed"), 1); // quickly, in a record of its own
    char *map = g_read_map(g);
    assert_string_equal(map, "1\t1\n2\t2\n3\t3\n");
    free(map);
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
    g_remove(g->out);
    unlink(g->map);
    // of the words present, what is sensitive is none
    m = run(g, &sets, with(g, "taxonomy=wordnet:present"), "log.tsv", false);
    assert_int_equal(m.e, LETHE_OK);
    tree = g_read(rr_path(g, "release/taxonomy.tsv"));
    assert_non_null(strstr(tree, "\t\t2\n"));
    free(tree);
    rr_free(&m);
    g_remove(g->out);
    g_write(rr_path(g, "list"), "mice\nnobody\n"); // a plural is its noun
    m = run(g, &sets, with(g, "taxonomy=wordnet"), "log.tsv", false);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "car goose mouse\ngoose\n");
    file_is(g, "sensitive.txt", "mouse\n");
    assert_non_null(strstr(g->said, "1 of 2 sensitive items are in no record"));
    rr_free(&m);
}

static void items_of_records_meet_the_list_as_nouns(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.txt"), "a\tmice car\nb\tcars sickly\n");
    g_write(rr_path(g, "list"), "mouse\nsickly\n");
    made m = run(g, &sets, with(g, "taxonomy=wordnet"), "in.txt", false);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "car mouse\ncar sickly\n");
    file_is(g, "sensitive.txt", "mouse\nsickly\n");
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
    g_remove(g->out);
    g_write(rr_path(g, "list"), "entity.n.01\n"); // what words are generalized to
    m = run(g, &sets, with(g, "taxonomy=wordnet"), "in.txt", false);
    assert_int_equal(m.e, LETHE_EINPUT);
    assert_non_null(strstr(g->said, "also in the taxonomy"));
    rr_free(&m);
}

static void words_of_a_log_are_sets_without_wordnet(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    g_write(rr_path(g, "list"), "Sickly\n");
    made m = run(g, &flat, without_tree(g, ""), "log.tsv", false);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "cars goose mice sickly\ngeese quickly sickly\nsickly\n");
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&m);
    g_remove(g->out);
    m = run(g, &flat, without_tree(g, "terms=nouns"), "log.tsv", false);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "car goose mouse sickly\ngoose sickly\nsickly\n");
    rr_free(&m);
}

/* --- what is refused --- */

static void nothing_is_published_that_is_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *records, *list, *options;
        lethe_err e;
        const char *said;
    } cases[] = {
        {records_text, "hiv\nmilk\n", "", LETHE_EINPUT, "also in the taxonomy"},
        {records_text, "hiv\nfood\n", "", LETHE_EINPUT, "also in the taxonomy"},
        {records_text, "hiv\n\n", "", LETHE_EINPUT, "an empty line"},
        {records_text, list_text, "way=one", LETHE_EINTERNAL,
         "two published records belong to one person"},
        {records_text, list_text, "way=mark", LETHE_EINTERNAL, "not in the taxonomy"},
        // an item that is an inner node gets a leaf with a name that happens to be in the list
        {"a\tdairy =dairy\n", "=dairy\n", "", LETHE_EINPUT, "has the same name as another"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        g_write(rr_path(g, "in.txt"), cases[i].records);
        g_write(rr_path(g, "list"), cases[i].list);
        made m = run(g, &sets, with(g, cases[i].options), "in.txt", true);
        if (m.e != cases[i].e || !strstr(g->said, cases[i].said))
            fail_msg("case %zu: %s: %s", i, lethe_err_name(m.e), g->said);
        assert_string_equal(g_names(g), "in.txt list tax.tsv");
        rr_free(&m);
    }
    // where records count for persons, nobody asks whose they are
    g_write(rr_path(g, "in.txt"), records_text);
    g_write(rr_path(g, "list"), list_text);
    made m = run(g, &sets, with(g, "way=one persons=record"), "in.txt", false);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
}

/* Writes a file of the release anew, and its size and digest in the manifest. */
static void forge(ground *g, const char *name, const char *text)
{
    char path[64], old[65], digest[65], line[200], *manifest, *at;
    uint64_t bytes, before;
    lethe_ctx *ctx = g_ctx(g, 1);
    int dirfd = open(g->out, O_RDONLY | O_DIRECTORY);
    assert_int_equal(lethe_file_digest(ctx, dirfd, name, old, &before), LETHE_OK);
    snprintf(path, sizeof path, "release/%s", name);
    chmod(rr_path(g, path), 0600);
    g_write(rr_path(g, path), text);
    assert_int_equal(lethe_file_digest(ctx, dirfd, name, digest, &bytes), LETHE_OK);
    manifest = g_read(rr_path(g, "release/manifest.json"));
    at = strstr(manifest, old);
    assert_non_null(at);
    memcpy(at, digest, 64);
    snprintf(line, sizeof line, "\"bytes\": %llu", (unsigned long long)before);
    at = strstr(strstr(manifest, name), line);
    assert_non_null(at);
    assert_int_equal(snprintf(NULL, 0, "%llu", (unsigned long long)bytes),
                     snprintf(NULL, 0, "%llu", (unsigned long long)before));
    snprintf(line, sizeof line, "\"bytes\": %llu", (unsigned long long)bytes);
    memcpy(at, line, strlen(line));
    chmod(rr_path(g, "release/manifest.json"), 0600);
    g_write(rr_path(g, "release/manifest.json"), manifest);
    free(manifest);
    close(dirfd);
    lethe_ctx_free(ctx);
}

static void a_list_that_is_forged_is_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"cold\nflu\nhiv\n", NULL}, // as it was
        {"cold\nflu\nhiv\npox\n", "in no published record"},
        {"cold\nflu\nhiv\nmilk\n", "in the taxonomy"},
        {"flu\ncold\nhiv\n", "malformed"},
        {"cold\nflu\nhiv", "malformed"},
        {"cold flu\nhiv\n", "malformed"},
        {"flu\nhiv\n.", NULL},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        made m = run(g, &sets, with(g, ""), "in.txt", false);
        assert_int_equal(m.e, LETHE_OK);
        rr_free(&m);
        if (i + 1 < LETHE_COUNT(cases)) {
            forge(g, "sensitive.txt", cases[i].text);
            g->said[0] = '\0';
            lethe_err e = rr_verify(g);
            if (cases[i].said ? e != LETHE_ANSWER_NO || !strstr(g->said, cases[i].said)
                              : e != LETHE_OK)
                fail_msg("case %zu: %s: %s", i, lethe_err_name(e), g->said);
        } else { // gone: cold is in no list, and the folder is not what it was
            unlink(rr_path(g, "release/sensitive.txt"));
            assert_int_equal(rr_verify(g), LETHE_ANSWER_NO);
        }
        g_remove(g->out);
    }
}

/* A list that holds one item less: what is left is in no taxonomy. */
static void an_item_that_no_file_knows_is_refused(void **state)
{
    ground *g = *state;
    made m = run(g, &sets, with(g, ""), "in.txt", false);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    g_write(rr_path(g, "list"), "aaaa\n");
    forge(g, "sensitive.txt", "cold\nfl\nhiv\n");
    assert_int_equal(rr_verify(g), LETHE_ANSWER_NO);
}

/* --- beside the original --- */

typedef struct figures {
    lethe_err e;
    lethe_json_doc *doc;
    const lethe_json *at; /* metrics */
} figures;

static figures compare(ground *g, bool attack, bool with_taxonomy, const char *input, bool map)
{
    static const lethe_option table[] = {
        {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "FILE"},
        {.name = "support", .type = LETHE_OPT_REAL, .arg = "S"},
        {.name = NULL}};
    lethe_value at[2];
    lethe_values values;
    lethe_values_init(&values, table, at);
    if (with_taxonomy)
        assert_int_equal(lethe_values_set(&values, 0, rr_path(g, "tax.tsv"), NULL), 0);
    assert_int_equal(lethe_values_set(&values, 1, "0.25", NULL), 0);
    const char *original = rr_path(g, input);
    lethe_evaluate_options against = {.folder = g->out,
                                      .originals = &original,
                                      .n_originals = 1,
                                      .map = map ? g->map : NULL,
                                      .adversary = attack ? "background" : NULL,
                                      .values = &values};
    figures f = {.doc = lethe_json_doc_new()};
    lethe_json *report = NULL;
    lethe_ctx *ctx = g_ctx(g, 2);
    g->said[0] = '\0';
    f.e = attack ? lethe_release_attack(ctx, &against, f.doc, &report)
                 : lethe_release_measure(ctx, &against, f.doc, &report);
    if (f.e == LETHE_OK) f.at = lethe_json_get(report, "metrics");
    lethe_ctx_free(ctx);
    return f;
}

static double real_of(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_INT ? (double)lethe_json_int(v) : lethe_json_real(v);
}

static double share_of(const figures *f, const char *name)
{
    return real_of(lethe_json_get(lethe_json_get(f->at, name), "share"));
}

static void a_release_that_changes_nothing_loses_nothing(void **state)
{
    ground *g = *state;
    made m = run(g, &sets, with(g, ""), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    figures f = compare(g, false, true, "in.txt", true);
    if (f.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(f.e), g->said);
    assert_string_equal(g->said, ""); // every item is known
    assert_true(share_of(&f, "records") == 1 && share_of(&f, "items") == 1);
    assert_true(share_of(&f, "distinct_items") == 1);
    assert_int_equal(
        lethe_json_int(lethe_json_get(lethe_json_get(f.at, "distinct_items"), "original")), 6);
    assert_true(lethe_json_bool(lethe_json_get(f.at, "truthful")));
    assert_true(real_of(lethe_json_get(f.at, "ggd")) == 0);
    assert_true(real_of(lethe_json_get(f.at, "items_suppressed")) == 0);
    assert_true(real_of(lethe_json_get(f.at, "avg_length")) == 11.0 / 4);
    assert_true(real_of(lethe_json_get(f.at, "avg_level")) == 3); // of nodes alone
    assert_true(real_of(lethe_json_get(f.at, "density")) == 7.0 / 4 / 4);
    assert_true(real_of(lethe_json_get(f.at, "recall")) == 1);
    assert_true(real_of(lethe_json_get(f.at, "sdist")) == 0);
    assert_true(real_of(lethe_json_get(f.at, "pattern_error")) == 0);
    lethe_json_doc_free(f.doc);
    f = compare(g, true, true, "in.txt", true);
    assert_int_equal(f.e, LETHE_OK);
    const lethe_json *b = lethe_json_get(f.at, "background");
    // who knows three of the items of b finds b, since nothing is changed
    assert_true(real_of(lethe_json_get(b, "success")) >= real_of(lethe_json_get(b, "baseline")));
    assert_int_equal(lethe_json_int(lethe_json_get(b, "persons")), 4); // one has nothing but flu
    lethe_json_doc_free(f.doc);
}

static void what_is_lost_is_that_of_nodes(void **state)
{
    ground *g = *state;
    made m = run(g, &sets, with(g, "way=roots"), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    figures f = compare(g, false, true, "in.txt", true);
    assert_int_equal(f.e, LETHE_OK);
    assert_true(lethe_json_bool(lethe_json_get(f.at, "truthful")));
    // 7 items that are not sensitive in three sets: a root (1) each, and 1 for each other
    assert_true(real_of(lethe_json_get(f.at, "ggd")) == 7);
    assert_true(real_of(lethe_json_get(f.at, "items_suppressed")) == 4);
    assert_true(real_of(lethe_json_get(f.at, "avg_level")) == 1);
    assert_true(real_of(lethe_json_get(f.at, "avg_length")) == (3.0 + 4.0) / 4);
    assert_true(real_of(lethe_json_get(f.at, "recall")) > 0); // sensitive items alone
    // four by themselves, food with each other, cold and hiv, and these with food
    assert_int_equal(lethe_json_int(lethe_json_get(f.at, "patterns")), 4 + 3 + 1 + 1);
    lethe_json_doc_free(f.doc);
}

/* Does the root stand for a sensitive item?  It does not: to know one tells as much as before. */
static void a_sensitive_item_is_below_nothing(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.txt"), "a\thiv\nb\tmilk\nc\tapple\nd\tpear\n");
    g_write(rr_path(g, "list"), "hiv\n");
    made m = run(g, &sets, with(g, "way=roots"), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    file_is(g, "data.txt", "food\nfood\nfood\nhiv\n");
    rr_free(&m);
    figures f = compare(g, true, true, "in.txt", true);
    assert_int_equal(f.e, LETHE_OK);
    const lethe_json *after =
        lethe_json_get(lethe_json_get(f.at, "background"), "candidates_after");
    // of three persons any of three records fits, of one nothing but theirs
    assert_float_equal(real_of(lethe_json_get(after, "success")), (3 * (1.0 / 3) + 1) / 4, 1e-12);
    assert_true(real_of(lethe_json_get(after, "among")) == 1);
    lethe_json_doc_free(f.doc);
}

static void a_flat_release_is_compared(void **state)
{
    ground *g = *state;
    made m = run(g, &flat, without_tree(g, "way=cuts"), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    // apple comes first of all, and is left out where there is more
    file_is(g, "data.txt", "butter cold hiv milk\nflu\nflu milk\nmilk\n");
    rr_free(&m);
    figures f = compare(g, false, false, "in.txt", true);
    if (f.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(f.e), g->said);
    assert_true(lethe_json_bool(lethe_json_get(f.at, "truthful")));
    assert_true(real_of(lethe_json_get(f.at, "items_suppressed")) == 3);
    assert_true(real_of(lethe_json_get(f.at, "ggd")) == 3);
    assert_true(share_of(&f, "items") == 8.0 / 11);
    lethe_json_doc_free(f.doc);
    f = compare(g, true, false, "in.txt", true);
    assert_int_equal(f.e, LETHE_OK);
    lethe_json_doc_free(f.doc);
}

static void a_log_is_compared(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    g_write(rr_path(g, "list"), "sickly\nmice\n");
    made m = run(g, &sets, with(g, "taxonomy=wordnet gap=1h"), "log.tsv", true);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    figures f = compare(g, false, false, "log.tsv", true);
    if (f.e != LETHE_OK) fail_msg("%s: %s", lethe_err_name(f.e), g->said);
    assert_true(lethe_json_bool(lethe_json_get(f.at, "truthful")));
    assert_true(real_of(lethe_json_get(f.at, "ggd")) == 0);
    assert_true(share_of(&f, "items") == 1);
    assert_true(real_of(lethe_json_get(f.at, "recall")) == 1);
    lethe_json_doc_free(f.doc);
}

static void a_sensitive_item_that_is_another_s_is_no_truth(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "in.txt"), "a\tmilk hiv\nb\tmilk flu\n");
    g_write(rr_path(g, "list"), "hiv\nflu\n");
    made m = run(g, &sets, with(g, ""), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    char map[LETHE_MAP_HEAD_BYTES + 16];
    g_map_head(g, map);
    strcat(map, "a\t1\nb\t2\n"); // flu is a's
    g_write(g->map, map);
    figures f = compare(g, false, true, "in.txt", true);
    assert_int_equal(f.e, LETHE_OK);
    assert_false(lethe_json_bool(lethe_json_get(f.at, "truthful")));
    assert_int_equal(lethe_json_int(lethe_json_get(f.at, "untruthful_records")), 2);
    lethe_str item = lethe_json_text(lethe_json_get(lethe_json_get(f.at, "untruth"), "item"));
    assert_true(lethe_str_eq(item, LETHE_LIT("flu")));
    lethe_json_doc_free(f.doc);
}

/* --- lack of memory --- */

static lethe_err make_failing(ground *g, uint64_t fail_at, uint64_t *used)
{
    recipe r;
    lethe_ctx *ctx = g_ctx(g, 1);
    const char *input = rr_path(g, "in.txt");
    rr_recipe(&r, &sets, with(g, "way=roots"));
    lethe_release_job job = {.inputs = &input,
                             .n_inputs = 1,
                             .steps = &r.step,
                             .n_steps = 1,
                             .out = g->out,
                             .publishing = {.map = g->map}};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    uint64_t before = lethe_alloc_count();
    lethe_alloc_fail_at(fail_at);
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    lethe_alloc_fail_at(0);
    *used = lethe_alloc_count() - before;
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static void every_failing_allocation_leaves_nothing(void **state)
{
    ground *g = *state;
    uint64_t all, used;
    assert_int_equal(make_failing(g, 0, &all), LETHE_OK);
    for (uint64_t n = 1; n <= all; n++) {
        g_remove(g->out);
        unlink(g->map);
        g->said[0] = '\0';
        lethe_err e = make_failing(g, n, &used);
        if (e == LETHE_OK && n + 4 > all) continue; // what came after the release was out
        if (e != LETHE_ENOMEM)
            fail_msg("allocation %llu of %llu: %s: %s", (unsigned long long)n,
                     (unsigned long long)all, lethe_err_name(e), g->said);
        assert_string_equal(g_names(g), "in.txt list tax.tsv");
    }
}

static void comparing_without_memory_is_clean(void **state)
{
    ground *g = *state;
    made m = run(g, &sets, with(g, ""), "in.txt", true);
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    for (int attack = 0; attack < 3; attack++) {
        lethe_err e = LETHE_ENOMEM;
        for (uint64_t n = 1; e != LETHE_OK; n++) {
            figures f = {0};
            char said[sizeof g->said];
            if (attack < 2) {
                // the context and the document of the report are not what is looked at
                const char *original = rr_path(g, "in.txt");
                static const lethe_option table[] = {
                    {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "FILE"}, {.name = NULL}};
                lethe_value at[1];
                lethe_values values;
                lethe_values_init(&values, table, at);
                assert_int_equal(lethe_values_set(&values, 0, rr_path(g, "tax.tsv"), NULL), 0);
                lethe_evaluate_options against = {.folder = g->out,
                                                  .originals = &original,
                                                  .n_originals = 1,
                                                  .map = g->map,
                                                  .adversary = attack ? "background" : NULL,
                                                  .values = &values};
                lethe_json *report = NULL;
                lethe_ctx *ctx = g_ctx(g, 1);
                f.doc = lethe_json_doc_new();
                lethe_alloc_fail_at(n);
                e = attack ? lethe_release_attack(ctx, &against, f.doc, &report)
                           : lethe_release_measure(ctx, &against, f.doc, &report);
                lethe_alloc_fail_at(0);
                lethe_json_doc_free(f.doc);
                lethe_ctx_free(ctx);
            } else {
                lethe_ctx *ctx = g_ctx(g, 1);
                lethe_json *report = NULL;
                f.doc = lethe_json_doc_new();
                lethe_alloc_fail_at(n);
                e = lethe_release_verify(ctx, g->out, NULL, f.doc, &report);
                lethe_alloc_fail_at(0);
                lethe_json_doc_free(f.doc);
                lethe_ctx_free(ctx);
            }
            memcpy(said, g->said, sizeof said);
            g->said[0] = '\0';
            if (e != LETHE_OK && e != LETHE_ENOMEM)
                fail_msg("%d: allocation %llu: %s: %s", attack, (unsigned long long)n,
                         lethe_err_name(e), said);
            assert_true(n < 10000);
        }
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        T(persons_are_published_as_sets),
        T(records_are_sets_where_they_count_for_persons),
        T(marks_are_added_to_what_is_generalized),
        T(without_marks_the_list_is_empty),
        T(nothing_is_generalized_without_a_taxonomy),
        T(words_of_a_log_that_are_no_nouns_are_seen),
        T(items_of_records_meet_the_list_as_nouns),
        T(words_of_a_log_are_sets_without_wordnet),
        T(nothing_is_published_that_is_refused),
        T(a_list_that_is_forged_is_refused),
        T(an_item_that_no_file_knows_is_refused),
        T(a_release_that_changes_nothing_loses_nothing),
        T(what_is_lost_is_that_of_nodes),
        T(a_sensitive_item_is_below_nothing),
        T(a_flat_release_is_compared),
        T(a_log_is_compared),
        T(a_sensitive_item_that_is_another_s_is_no_truth),
        T(every_failing_allocation_leaves_nothing),
        T(comparing_without_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
