/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline with records: methods that lie or lose records, accounts, the manifest and what is
 * forged in it.  Nothing unchecked may get out, and nothing be left behind. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "records_release_harness.h"
#include "release/release.h"
#include "small_wordnet.h"

static const char taxonomy_text[] = "milk\tdairy\nbutter\tdairy\napple\tfruit\npear\tfruit\n"
                                    "dairy\tfood\nfruit\tfood\n";
/* b has two records. */
static const char records_text[] = "a\tmilk apple\nb\tbutter apple\nb\tmilk pear\nc\tmilk\n"
                                   "d\tbutter pear\n";
enum { N_RECORDS = 5 };

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    g_write(rr_path(&g, "tax.tsv"), taxonomy_text);
    g_write(rr_path(&g, "in.txt"), records_text);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

static const char *with(const ground *g, const char *how)
{
    static char text[1024];
    snprintf(text, sizeof text, "taxonomy=%s/tax.tsv %s", g->dir, how);
    return text;
}

static made run(ground *g, const lethe_method *m, const char *how, const char *input)
{
    g->said[0] = '\0';
    return rr_make(g, m, with(g, how), rr_path(g, input), 2, false);
}

static bool has_caveat(const made *m, const char *part)
{
    const lethe_json *caveats = lethe_json_get(m->report, "caveats");
    for (size_t i = 0; i < lethe_json_count(caveats); i++) {
        lethe_str text = lethe_json_text(lethe_json_at(caveats, i));
        if (memmem(text.at, text.n, part, strlen(part))) return true;
    }
    return false;
}

/* --- methods that no table holds --- */

enum {
    HONEST,      /* everything becomes the root, in one group */
    SUPPRESSES,  /* all but the last record */
    PARTS,       /* each record in a group of its own, all of them equal */
    DIFFERS,     /* the first record of the one group has another item */
    TWICE,       /* the first record, again */
    NOT_THERE,   /* a record past the last */
    NO_NODE,     /* an item past the last */
    ONE_PERSON,  /* the records of b in a group of their own */
    UNEQUAL,     /* groups of one record that is like no other */
    GIVES_NONE,  /* no record at all */
    GIVES_EMPTY, /* no item at all */
    BAG,         /* the leaves, joined in any order, twice */
    BAG_PLAIN,   /* the first two leaves, joined, and the first node below the root; and a bag that
                    no record has */
    BAG_OF_ONE,
    BAG_TWICE, /* the same node again */
    BAG_NO_NODE,
    BAG_UNMADE, /* an item past the last bag */
};

static const lethe_option options[] = {
    LETHE_RECORD_OPTIONS,
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e6},
    {.name = "way",
     .type = LETHE_OPT_CHOICE,
     .arg = "honest|suppresses|parts|differs|twice|not-there|no-node|one-person|unequal|gives-none|"
            "gives-empty|bag|bag-plain|bag-of-one|bag-twice|bag-no-node|bag-unmade",
     .fallback = "honest"},
    {.name = NULL},
};

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "record-k-anonymity");
    lethe_set_count(doc, c, "k", (uint64_t)lethe_count_of(v, "k"));
    if (lethe_count_of(v, "persons") == 1) lethe_set_text(doc, c, "persons", "record");
    lethe_json_push(doc, out, c);
}

/* Bags are made anew for each record, from nodes that are turned round. */
static lethe_err fake_bags(const lethe_data *in, int64_t way, lethe_result *out)
{
    const lethe_tree *t = in->tree;
    uint32_t leaf[64], n = 0, item[3] = {0};
    for (uint32_t v = 0; v < t->n && n < 64; v++)
        if (lethe_tree_is_leaf(t, v)) leaf[n++] = v;
    for (size_t i = 0; i < in->records->n; i++) {
        uint32_t node[64], last = way == BAG ? n : 2, unused;
        for (uint32_t k = 0; k < last; k++)
            node[k] = leaf[(k + i) % last];
        if (way == BAG_TWICE) node[1] = node[0];
        if (way == BAG_NO_NODE) node[1] = t->n;
        LETHE_TRY(out->bag(out, node, way == BAG_OF_ONE ? 1 : last, &item[0]));
        if (way == BAG_PLAIN && n >= 4) LETHE_TRY(out->bag(out, leaf + n - 2, 2, &unused));
        item[1] = way == BAG_PLAIN ? 1 : item[0];
        if (way == BAG_UNMADE) item[1]++;
        LETHE_TRY(out->record(out, i, 0, item, 2));
    }
    return LETHE_OK;
}

static lethe_err fake_run(lethe_run *r, const lethe_data *in, lethe_result *out)
{
    const lethe_records *records = in->records;
    int64_t way = lethe_count_of(r->values, "way");
    if (way == GIVES_NONE) return LETHE_OK;
    if (way >= BAG) return fake_bags(in, way, out);
    for (size_t i = 0; i < records->n; i++) {
        uint32_t node = 0, group = way == PARTS || way == UNEQUAL ? (uint32_t)i : 0;
        size_t n = way == GIVES_EMPTY ? 0 : 1;
        if (way == SUPPRESSES && i + 1 == records->n) break;
        if (way == ONE_PERSON) group = records->owner[i] == 1;
        if (way == ONE_PERSON && group) node = 1;
        if (way == DIFFERS && i == 0) node = 1;
        if (way == UNEQUAL && i < 1) node = 1;
        if (way == NO_NODE) node = in->tree->n;
        LETHE_TRY(out->record(out, way == NOT_THERE ? records->n : i, group, &node, n));
        if (way == TWICE) LETHE_TRY(out->record(out, i, group, &node, n));
    }
    return LETHE_OK;
}

static const lethe_method fake = {.name = "fake",
                                  .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
                                  .out = LETHE_SHAPE_RECORDS,
                                  .options = options,
                                  .notion = "record-k-anonymity",
                                  .claims = claims,
                                  .run = fake_run};

static void an_honest_method_is_released(void **state)
{
    ground *g = *state;
    made m = run(g, &fake, "k=4", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    char *data = g_read(rr_path(g, "release/data.txt"));
    assert_string_equal(data, "food\nfood\nfood\nfood\nfood\n");
    free(data);
    char *tree = g_read(rr_path(g, "release/taxonomy.tsv"));
    assert_string_equal(tree, "food\t\t4\n");
    free(tree);
    assert_string_equal(g_names(g), "in.txt release tax.tsv");
    rr_free(&m);
}

static void a_method_that_lies_is_not_released(void **state)
{
    ground *g = *state;
    static const struct {
        const char *options;
        lethe_err e;
        const char *said;
    } cases[] = {
        {"k=5", LETHE_ANSWER_NO, "a published group has 4 persons, not 5"}, // b counts once
        {"k=6 persons=record", LETHE_ANSWER_NO, "does not keep the promise"},
        {"k=2 way=parts", LETHE_ANSWER_NO, "a published group has 1 persons, not 2"},
        {"k=2 way=one-person", LETHE_ANSWER_NO, "a published group has 1 persons, not 2"},
        {"k=2 way=differs", LETHE_EINTERNAL, "records of one group are published differently"},
        {"k=2 way=unequal persons=record", LETHE_ANSWER_NO, "does not keep the promise"},
        {"k=2 way=twice", LETHE_EINTERNAL, "published twice, or does not exist"},
        {"k=2 way=not-there", LETHE_EINTERNAL, "published twice, or does not exist"},
        {"k=2 way=no-node", LETHE_EINTERNAL, "not in the taxonomy"},
        {"k=2 way=gives-none", LETHE_ANSWER_NO, "nothing is left to publish"},
        {"k=2 way=gives-empty", LETHE_ANSWER_NO, "nothing is left to publish"},
        {"k=2 way=bag-of-one", LETHE_EINTERNAL, "are equal, or not in the taxonomy"},
        {"k=2 way=bag-twice", LETHE_EINTERNAL, "are equal, or not in the taxonomy"},
        {"k=2 way=bag-no-node", LETHE_EINTERNAL, "are equal, or not in the taxonomy"},
        {"k=2 way=bag-unmade", LETHE_EINTERNAL, "not in the taxonomy"},
        {"k=6 way=bag persons=record", LETHE_ANSWER_NO, "does not keep the promise"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        made m = run(g, &fake, cases[i].options, "in.txt");
        if (m.e != cases[i].e || !strstr(g->said, cases[i].said))
            fail_msg("%s: %s: %s", cases[i].options, lethe_err_name(m.e), g->said);
        assert_string_equal(g_names(g), "in.txt tax.tsv");
        rr_free(&m);
    }
}

/* --- bags --- */

static void files_are(ground *g, const char *data, const char *taxonomy)
{
    char *got = g_read(rr_path(g, "release/data.txt"));
    assert_string_equal(got, data);
    free(got);
    got = g_read(rr_path(g, "release/taxonomy.tsv"));
    assert_string_equal(got, taxonomy);
    free(got);
}

/* By the bytes of names; the same nodes are the same item; what no record has is not listed. */
static void a_bag_is_its_members_in_order(void **state)
{
    ground *g = *state;
    made m = run(g, &fake, "k=4 way=bag", "in.txt");
    if (m.e != LETHE_OK) fail_msg("%s", g->said);
    files_are(g,
              "apple|butter|milk|pear apple|butter|milk|pear\n"
              "apple|butter|milk|pear apple|butter|milk|pear\n"
              "apple|butter|milk|pear apple|butter|milk|pear\n"
              "apple|butter|milk|pear apple|butter|milk|pear\n"
              "apple|butter|milk|pear apple|butter|milk|pear\n",
              "food\t\t4\napple\tfruit\t1\nbutter\tdairy\t1\ndairy\tfood\t2\nfruit\tfood\t2\n"
              "milk\tdairy\t1\npear\tfruit\t1\n");
    rr_free(&m);
    g_remove(g->out);
    // members are listed, and what is above them; not those of apple|pear, which no record has
    m = run(g, &fake, "k=4 way=bag-plain", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    char *tree = g_read(rr_path(g, "release/taxonomy.tsv"));
    assert_string_equal(tree, "food\t\t4\nbutter\tdairy\t1\ndairy\tfood\t2\nmilk\tdairy\t1\n");
    free(tree);
    rr_free(&m);
}

/* Items, and lines, stand in the order of their bytes, in which `|` comes after all letters. */
static void bags_are_sorted_by_their_bytes(void **state)
{
    ground *g = *state;
    g_write(rr_path(g, "tax.tsv"), "a\tab\nb\tab\nab\tr\nc\tr\n");
    g_write(rr_path(g, "in.txt"), "a\nb\nc\n");
    made m = run(g, &fake, "k=2 way=bag-plain", "in.txt");
    if (m.e != LETHE_OK) fail_msg("%s", g->said);
    files_are(g, "ab a|b\nab a|b\nab a|b\n", "r\t\t3\na\tab\t1\nab\tr\t2\nb\tab\t1\n");
    rr_free(&m);
    g_remove(g->out);
    g_write(rr_path(g, "tax.tsv"), "a\tZ\nb\tZ\nZ\tr\nc\tr\n");
    m = run(g, &fake, "k=2 way=bag-plain", "in.txt");
    if (m.e != LETHE_OK) fail_msg("%s", g->said);
    files_are(g, "Z a|b\nZ a|b\nZ a|b\n", "r\t\t3\nZ\tr\t2\na\tZ\t1\nb\tZ\t1\n");
    rr_free(&m);
}

/* What could not be told from a bag is refused beside one, and published without. */
static void names_that_hold_the_joint_are_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *taxonomy, *options;
        lethe_err e;
    } cases[] = {
        {"a|b\tx\nc\tx\nx\tr\n", "k=2 way=bag", LETHE_EINPUT},             // a member
        {"a\tx\nb\tx\nx\tr\na|b\tr\n", "k=2 way=bag-plain", LETHE_EINPUT}, // another node's name
        {"a\tx|y\nb\tx|y\nx|y\tr\n", "k=2 way=bag-plain", LETHE_EINPUT},   // beside a bag
        {"a\tx|y\nb\tx|y\nx|y\tr\n", "k=2 way=bag", LETHE_OK},             // listed, but no item
        {"a\tx\nb\tx\nx\tr\na|c\tr\n", "k=2 way=bag-plain", LETHE_OK},     // not shown
        {"a\tx|y\nb\tx|y\nx|y\tr\n", "k=2", LETHE_OK},
        {"a\tr|s\nb\tr|s\n", "k=2", LETHE_OK}, // the root, without a bag
    };
    g_write(rr_path(g, "in.txt"), "a\nb\nc\n");
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        g_write(rr_path(g, "tax.tsv"), cases[i].taxonomy);
        made m = run(g, &fake, cases[i].options, "in.txt");
        if (m.e != cases[i].e) fail_msg("%zu: %s: %s", i, lethe_err_name(m.e), g->said);
        if (m.e == LETHE_EINPUT)
            assert_non_null(strstr(g->said, "a name of the taxonomy holds a '|'"));
        assert_string_equal(g_names(g), m.e ? "in.txt tax.tsv" : "in.txt release tax.tsv");
        g_remove(g->out);
        rr_free(&m);
    }
}

/* With --persons record one person may fill a group, and the release says so. */
static void records_count_for_persons_where_that_is_asked_for(void **state)
{
    ground *g = *state;
    made m = run(g, &fake, "k=2 way=one-person persons=record", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    assert_true(has_caveat(&m, "k counts records, not persons"));
    rr_free(&m);
    g_remove(g->out);
    m = run(g, &fake, "k=2", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    assert_false(has_caveat(&m, "k counts records, not persons"));
    rr_free(&m);
}

/* --- accounts --- */

static void accounts(const made *m, int64_t read, int64_t published, int64_t suppressed,
                     int64_t rejected)
{
    assert_int_equal(rr_count(m, "read"), read);
    assert_int_equal(rr_count(m, "published"), published);
    assert_int_equal(rr_count(m, "suppressed"), suppressed);
    assert_int_equal(rr_count(m, "rejected"), rejected);
}

static void records_are_all_accounted_for(void **state)
{
    ground *g = *state;
    made m = run(g, &fake, "k=2 way=suppresses", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    accounts(&m, 5, 4, 1, 0);
    rr_free(&m);
    g_remove(g->out);
    g_write(rr_path(g, "in.txt"), "milk\nmilk\n\nmilk  pear\nmilk\nxyz\nmilk\nmilk\nmilk\nmilk\n");
    m = run(g, &fake, "k=2", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    accounts(&m, 10, 9, 0, 1); // empty records, and those of unknown items, are records too
    const lethe_json *metrics = lethe_json_get(m.report, "metrics");
    assert_int_equal(lethe_json_int(lethe_json_get(metrics, "records")), 9);
    assert_int_equal(lethe_json_int(lethe_json_get(metrics, "unknown_items")), 1);
    assert_int_equal(rr_verify(g), LETHE_ANSWER_NO); // `fake` is in no table
    rr_free(&m);
    g_remove(g->out);
    m = run(g, &fake, "k=200", "in.txt"); // what is refused is accounted for, too
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    accounts(&m, 10, 9, 0, 1);
    rr_free(&m);
    m = run(g, &lethe_method_clump, "k=200", "in.txt");
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    accounts(&m, 10, 0, 9, 1);
    rr_free(&m);
}

static const char log_text[] = "1\tmilk pear\t2006-03-01 10:00:00\t1\thttp://a.com\n"
                               "1\tmilk pear\t2006-03-01 10:00:00\t2\thttp://b.com\n"
                               "1\tapple\t2006-03-01 12:00:00\t\t\n"
                               "2\t!!\t2006-03-01 10:00:00\t\t\n"
                               "2\tbutter\t2006-03-02 10:00:00\t1\thttp://a.com\n"
                               "3\t\t2006-03-02 10:00:00\t\t\n"
                               "3\tmilk\t2006-03-02 10:00:00\t\t\n"
                               "nonsense\n"
                               "4\tmilk\t2006-03-02 10:00:00\t1\thttp://a.com\n"
                               "4\tpear\t2006-03-02 10:00:00\t1\thttp://a.com\n";

static void lines_of_a_log_are_all_accounted_for(void **state)
{
    ground *g = *state;
    static const struct {
        const char *options;
        bool filter;
        int64_t published, suppressed, records;
    } cases[] = {
        {"k=2", false, 8, 1, 4},
        {"k=2 gap=1h", false, 7, 2, 5},
        {"k=2 clicked", false, 5, 4, 3},
        {"k=2 gap=1h clicked distinct", false, 5, 4, 3},
        {"k=2 way=suppresses", false, 6, 3, 3},
        {"k=2", true, 5, 4, 2}, // users with one clicked query: 1 and 2
    };
    g_write(g->log, log_text);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        recipe r;
        const char *input = g->log;
        rr_recipe(&r, &fake, with(g, cases[i].options));
        lethe_release_job job = {.inputs = &input,
                                 .n_inputs = 1,
                                 .steps = &r.step,
                                 .n_steps = 1,
                                 .out = g->out,
                                 .reading = {.has_users_with = cases[i].filter,
                                             .users_with_min = 1,
                                             .users_with_max = 1}};
        lethe_ctx *ctx = g_ctx(g, 2);
        made m = {.doc = lethe_json_doc_new()};
        g->said[0] = '\0';
        m.e = lethe_release_make(ctx, &job, m.doc, &m.report);
        if (m.e != LETHE_OK) fail_msg("%s: %s", cases[i].options, g->said);
        accounts(&m, 10, cases[i].published, cases[i].suppressed, 1);
        assert_int_equal(
            lethe_json_int(lethe_json_get(lethe_json_get(m.report, "metrics"), "records")),
            cases[i].records);
        lethe_ctx_free(ctx);
        rr_free(&m);
        g_remove(g->out);
    }
}

/* --- chains --- */

static lethe_err chain(ground *g, const lethe_method *first, const char *how,
                       const lethe_method *second, const char *more)
{
    recipe one, two;
    const char *input = g->log;
    rr_recipe(&one, first, how);
    rr_recipe(&two, second, more);
    lethe_step both[] = {one.step, two.step};
    lethe_release_job job = {
        .inputs = &input, .n_inputs = 1, .steps = both, .n_steps = 2, .out = g->out};
    lethe_ctx *ctx = g_ctx(g, 2);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    g->said[0] = '\0';
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static void promises_of_queries_are_not_claimed_of_records(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    assert_int_equal(chain(g, &lethe_method_threshold, "t=2", &lethe_method_clump, with(g, "k=2")),
                     LETHE_OK);
    char *manifest = g_read(rr_path(g, "release/manifest.json"));
    assert_non_null(strstr(manifest, "\"unclaimed\": \"applied before clump; its promise cannot be "
                                     "seen in records and is not claimed\""));
    assert_null(strstr(manifest, "query-threshold"));
    free(manifest);
    assert_int_equal(rr_verify(g), LETHE_OK);
    g_remove(g->out);
    assert_int_equal(chain(g, &lethe_method_clump, with(g, "k=2"), &lethe_method_threshold, "t=2"),
                     LETHE_EUSAGE);
    assert_non_null(strstr(
        g->said, "threshold cannot follow clump: it needs a log, and clump produces records"));
    assert_string_equal(g_names(g), "in.txt log.tsv tax.tsv");
}

/* --- what the manifest says --- */

static const lethe_json *parameters(const made *m)
{
    return lethe_json_get(m->report, "parameters");
}

static void a_manifest_shows_whether_a_log_was_read(void **state)
{
    ground *g = *state;
    made m = run(g, &lethe_method_partition, "k=2", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    assert_null(lethe_json_get(parameters(&m), "gap"));
    assert_null(lethe_json_get(parameters(&m), "clicked"));
    assert_null(lethe_json_get(parameters(&m), "taxonomy")); // a path
    assert_null(lethe_json_get(parameters(&m), "time"));
    assert_non_null(lethe_json_get(parameters(&m), "distinct"));
    rr_free(&m);
    assert_int_equal(rr_verify(g), LETHE_OK);
    g_remove(g->out);
    g_write(g->log, log_text);
    m = run(g, &lethe_method_partition, "k=2", "log.tsv");
    assert_int_equal(m.e, LETHE_OK);
    assert_non_null(lethe_json_get(parameters(&m), "gap"));
    rr_free(&m);
    assert_int_equal(rr_verify(g), LETHE_OK);
}

static void leaves_that_were_made_are_warned_of(void **state)
{
    ground *g = *state;
    made m = run(g, &lethe_method_clump, "k=2", "in.txt");
    assert_false(has_caveat(&m, "leaves of their own"));
    rr_free(&m);
    g_remove(g->out);
    g_write(rr_path(g, "in.txt"), "milk\ndairy\n");
    m = run(g, &lethe_method_clump, "k=2", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    assert_true(has_caveat(&m, "leaves of their own"));
    rr_free(&m);
}

/* Replaces the first `old` in the manifest; it must be there. */
static void forge(ground *g, const char *old, const char *new)
{
    const char *path = rr_path(g, "release/manifest.json");
    char *text = g_read(path), *at = text ? strstr(text, old) : NULL;
    FILE *f = at ? fopen(path, "w") : NULL;
    if (!f) fail_msg("'%s' is not in the manifest", old);
    fprintf(f, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    fclose(f);
    free(text);
}

static void what_is_forged_is_refused(void **state)
{
    ground *g = *state;
    static const struct {
        const char *options, *old, *new;
    } cases[] = {
        {"k=2", "\"k\": 2\n    }\n  ],\n  \"files\"", "\"k\": 1\n    }\n  ],\n  \"files\""},
        {"k=2", "\"k\": 2,", "\"k\": 3,"},
        {"k=2", "\"published\": 5", "\"published\": 4"},
        {"k=2", "\"read\": 5,\n    \"published\": 5", "\"read\": 6,\n    \"published\": 6"},
        {"k=2", "\"read\": 5,\n    \"published\": 5", "\"read\": 4,\n    \"published\": 4"},
        {"k=2", "\"records\": 5", "\"records\": 4"},
        {"k=2", "\"records\": 5", "\"record\": 5"},
        {"k=2", "\"distinct\": false", "\"distinct\": false, \"keep-users\": true"},
        {"k=2", "\"distinct\": false", "\"distinct\": false, \"taxonomy\": \"/etc/passwd\""},
        {"k=2", "\"holds\": true\n      }", "\"holds\": false\n      }"},
        {"k=2", "\"checks\": [", "\"checks\": [{},"},
        {"k=2", "\"name\": \"taxonomy.tsv\"", "\"name\": \"sensitive.txt\""},
        {"k=2", "\"command\": \"partition\"", "\"command\": \"threshold\""},
        {"k=2 persons=record", "k counts records, not persons", "k counts persons, as it should"},
        {"k=2 persons=record", ",\n      \"persons\": \"record\"", ""},
        {"k=2 persons=record", "\"persons\": \"record\"", "\"persons\": \"person\""},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        made m = run(g, &lethe_method_partition, cases[i].options, "in.txt");
        assert_int_equal(m.e, LETHE_OK);
        rr_free(&m);
        assert_int_equal(rr_verify(g), LETHE_OK);
        forge(g, cases[i].old, cases[i].new);
        lethe_err e = rr_verify(g);
        if (e != LETHE_ANSWER_NO) fail_msg("'%s': %s", cases[i].new, lethe_err_name(e));
        g_remove(g->out);
    }
}

/* A second step that cannot follow the first says nothing that could be true. */
static void steps_that_cannot_follow_each_other_are_refused(void **state)
{
    ground *g = *state;
    made m = run(g, &lethe_method_partition, "k=2", "in.txt");
    rr_free(&m);
    char *text = g_read(rr_path(g, "release/manifest.json")), step[2048], claim[256], both[5000];
    char *from = strstr(text, "    {\n      \"command\""),
         *to = strstr(text, "\n  ],\n  \"claims\"");
    assert_true(from && to && to - from < (int)sizeof step);
    snprintf(step, sizeof step, "%.*s", (int)(to - from), from);
    snprintf(claim, sizeof claim,
             "    {\n      \"notion\": \"record-k-anonymity\",\n      \"k\": 2\n    }");
    snprintf(both, sizeof both, "%s,\n%s", step, step);
    forge(g, step, both);
    snprintf(both, sizeof both, "%s,\n%s", claim, claim);
    forge(g, claim, both);
    g->said[0] = '\0';
    assert_int_equal(rr_verify(g), LETHE_ANSWER_NO);
    assert_non_null(strstr(g->said, "partition must be the last step"));
    free(text);
}

/* Of a log, a record is one line or more. */
static void more_records_than_lines_are_refused(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    made m = run(g, &lethe_method_partition, "k=2", "log.tsv");
    assert_int_equal(m.e, LETHE_OK);
    accounts(&m, 10, 8, 1, 1);
    rr_free(&m);
    forge(g, "\"published\": 8,\n    \"suppressed\": 1",
          "\"published\": 3,\n    \"suppressed\": 6");
    assert_int_equal(rr_verify(g), LETHE_ANSWER_NO);
}

/* --- the map --- */

static void a_map_says_where_each_record_went(void **state)
{
    ground *g = *state;
    struct stat st;
    made m = rr_make(g, &fake, with(g, "k=2 way=suppresses"), rr_path(g, "in.txt"), 1, true);
    assert_int_equal(m.e, LETHE_OK);
    char *map = g_read_map(g);
    assert_string_equal(map, "a\t1\nb\t2\nb\t3\nc\t4\nd\t\n");
    assert_int_equal(stat(g->map, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    free(map);
    rr_free(&m);
    g_remove(g->out);
    unlink(g->map);
    m = rr_make(g, &fake, with(g, "k=5"), rr_path(g, "in.txt"), 1, true); // no release, no map
    assert_int_equal(m.e, LETHE_ANSWER_NO);
    assert_string_equal(g_names(g), "in.txt tax.tsv");
    rr_free(&m);
}

/* --- lack of memory --- */

static lethe_err make_failing(ground *g, const lethe_method *method, const char *input,
                              uint64_t fail_at, uint64_t *used)
{
    recipe r;
    lethe_ctx *ctx = g_ctx(g, 1);
    rr_recipe(&r, method, with(g, method == &fake ? "k=2 way=bag" : "k=2"));
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

static void clear(ground *g)
{
    g_remove(g->out);
    unlink(g->map);
}

static void every_failing_allocation(ground *g, const lethe_method *method, const char *name)
{
    uint64_t all, used;
    const char *input = rr_path(g, name);
    assert_int_equal(make_failing(g, method, input, 0, &all), LETHE_OK);
    clear(g);
    for (uint64_t n = 1; n <= all; n++) {
        g->said[0] = '\0';
        lethe_err e = make_failing(g, method, rr_path(g, name), n, &used);
        if (e == LETHE_OK && n + 4 > all) { // what came after the release was out
            assert_string_equal(g_names(g), "in.txt log.tsv map.tsv release tax.tsv");
            clear(g);
            continue;
        }
        if (e != LETHE_ENOMEM)
            fail_msg("%s %s: allocation %llu of %llu: %s: %s", method->name, name,
                     (unsigned long long)n, (unsigned long long)all, lethe_err_name(e), g->said);
        assert_string_equal(g_names(g), "in.txt log.tsv tax.tsv");
    }
}

static void every_failing_allocation_leaves_nothing(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    every_failing_allocation(g, &lethe_method_partition, "in.txt");
    every_failing_allocation(g, &lethe_method_clump, "in.txt");
    every_failing_allocation(g, &lethe_method_clump, "log.tsv");
    every_failing_allocation(g, &fake, "in.txt");
}

static void verify_without_memory_says_neither_yes_nor_no(void **state)
{
    ground *g = *state;
    made m = run(g, &lethe_method_partition, "k=2", "in.txt");
    assert_int_equal(m.e, LETHE_OK);
    rr_free(&m);
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n++) {
        lethe_ctx *ctx = g_ctx(g, 1);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        lethe_alloc_fail_at(n);
        e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK && e != LETHE_ENOMEM)
            fail_msg("allocation %llu: %s", (unsigned long long)n, lethe_err_name(e));
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
        assert_true(n < 10000);
    }
}

/* --- beside the original --- */

static lethe_err measure(ground *g, const char *original, lethe_format format, bool with_taxonomy)
{
    static const lethe_option table[] = {
        {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "FILE"}, {.name = NULL}};
    lethe_value at[1];
    lethe_values values;
    lethe_values_init(&values, table, at);
    if (with_taxonomy)
        assert_int_equal(lethe_values_set(&values, 0, rr_path(g, "tax.tsv"), NULL), 0);
    lethe_evaluate_options against = {.folder = g->out,
                                      .originals = &original,
                                      .n_originals = 1,
                                      .reading = {.format = format},
                                      .values = &values};
    lethe_ctx *ctx = g_ctx(g, 1);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    g->said[0] = '\0';
    lethe_err e = lethe_release_measure(ctx, &against, doc, &report);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static void the_original_is_what_the_manifest_says(void **state)
{
    ground *g = *state;
    g_write(g->log, log_text);
    made m = run(g, &lethe_method_partition, "k=2", "in.txt");
    rr_free(&m);
    char in[600];
    snprintf(in, sizeof in, "%s", rr_path(g, "in.txt"));
    assert_int_equal(measure(g, in, LETHE_FORMAT_GUESS, true), LETHE_OK);
    assert_int_equal(measure(g, in, LETHE_FORMAT_RECORDS, true), LETHE_OK);
    assert_int_equal(measure(g, in, LETHE_FORMAT_GUESS, false), LETHE_EUSAGE);
    assert_non_null(strstr(g->said, "--taxonomy FILE"));
    assert_int_equal(measure(g, in, LETHE_FORMAT_AOL, true), LETHE_EUSAGE);
    assert_non_null(strstr(g->said, "was made from records"));
    assert_int_equal(measure(g, g->log, LETHE_FORMAT_GUESS, true), LETHE_EINPUT);
    g_write(rr_path(g, "comma.txt"), "milk,fresh\n"); // it would be taken for a log
    assert_int_equal(measure(g, rr_path(g, "comma.txt"), LETHE_FORMAT_GUESS, true), LETHE_OK);
    g_remove(g->out);
    m = run(g, &lethe_method_partition, "k=2", "log.tsv");
    rr_free(&m);
    assert_int_equal(measure(g, g->log, LETHE_FORMAT_GUESS, true), LETHE_OK);
    assert_int_equal(measure(g, in, LETHE_FORMAT_GUESS, true), LETHE_EUSAGE);
    assert_non_null(strstr(g->said, "was made from a log"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        T(an_honest_method_is_released),
        T(a_method_that_lies_is_not_released),
        T(a_bag_is_its_members_in_order),
        T(bags_are_sorted_by_their_bytes),
        T(names_that_hold_the_joint_are_refused),
        T(records_count_for_persons_where_that_is_asked_for),
        T(records_are_all_accounted_for),
        T(lines_of_a_log_are_all_accounted_for),
        T(promises_of_queries_are_not_claimed_of_records),
        T(a_manifest_shows_whether_a_log_was_read),
        T(leaves_that_were_made_are_warned_of),
        T(what_is_forged_is_refused),
        T(steps_that_cannot_follow_each_other_are_refused),
        T(more_records_than_lines_are_refused),
        T(a_map_says_where_each_record_went),
        T(every_failing_allocation_leaves_nothing),
        T(verify_without_memory_says_neither_yes_nor_no),
        T(the_original_is_what_the_manifest_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
