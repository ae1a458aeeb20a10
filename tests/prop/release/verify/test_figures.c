/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of small releases of every method.  What verify computes from the files is what the
 * methods have counted; and a manifest in which one figure is another is refused if the figure
 * follows from the files, and otherwise names it as the publisher's word. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "records_release_harness.h"
#include "release/release.h"
#include "seeds.h"
#include "small_wordnet.h"

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

/* --- inputs --- */

static FILE *file(const ground *g, const char *name)
{
    FILE *f = fopen(rr_path(g, name), "w");
    assert_non_null(f);
    return f;
}

static void write_log(const ground *g, uint64_t *s)
{
    static const char *const texts[] = {
        "car",  "car fish", "fish car", "box man",           "mouse",
        "city", "goose",    "watch",    "call 212-555-0187", "#0123456789abcdef0123456789abcdef"};
    static const char *const urls[] = {"http://www.a.com/x?q=1", "https://B.org/",
                                       "http://a.com:8080/p", "mailto:ann@example.com"};
    size_t users = 2 + below(s, 5), rows = 4 + below(s, 40), n_texts = 1 + below(s, 10);
    FILE *f = file(g, "log.tsv");
    for (size_t i = 0; i < rows; i++) {
        fprintf(f, "u%zu\t%s\t", below(s, users), texts[below(s, n_texts)]);
        fprintf(f, "2006-03-%02zu %02zu:00:00", 1 + below(s, 5), below(s, 3));
        if (below(s, 2))
            fprintf(f, "\t%zu\t%s\n", 1 + below(s, 3), urls[below(s, 4)]);
        else
            fputs("\t\t\n", f);
    }
    fclose(f);
    g_write(rr_path(g, "dir.tsv"), "car\tmoving/road\nfish\tmoving/sea\nbox\tstill/small\n"
                                   "mouse\tmoving/small\ncity\tstill/large\n");
}

/* Items a0 .. h1, two to a letter; the letters are below two nodes, and s is outside. */
static void write_records(const ground *g, uint64_t *s)
{
    size_t records = 4 + below(s, 12), n = 1 + below(s, 16);
    FILE *f = file(g, "in.txt");
    for (size_t i = 0; i < records; i++) {
        for (size_t k = below(s, 5); k > 0; k--) {
            size_t item = below(s, n);
            fprintf(f, "%c%zu ", (char)('a' + item / 2), item % 2);
        }
        if (below(s, 6) == 0) fputs("unheard ", f);
        if (below(s, 9) == 0) fputs("b ", f);
        fputs(below(s, 8) ? "a0\n" : "s a0\n", f);
    }
    fclose(f);
    f = file(g, "tax.tsv");
    for (char c = 'a'; c <= 'h'; c++)
        fprintf(f, "%c0\t%c\n%c1\t%c\n%c\t%s\n", c, c, c, c, c, c < 'e' ? "left" : "right");
    fputs("left\tall\nright\tall\n", f);
    fclose(f);
    g_write(rr_path(g, "list"), "s\n");
}

static void write_table(const ground *g, uint64_t *s)
{
    size_t rows = 5 + below(s, 25), ills = 2 + below(s, 3);
    FILE *f = file(g, "in.csv");
    fputs("age,zip,ill,class\n", f);
    for (size_t i = 0; i < rows; i++) {
        fprintf(f, "%zu,", below(s, 6));
        if (below(s, 10))
            fprintf(f, "z%zu", below(s, 4));
        else
            fputc('?', f);
        fprintf(f, ",ill%zu,%zu\n", below(s, ills), below(s, 2));
    }
    fclose(f);
    mkdir(rr_path(g, "trees"), 0700);
    g_write(rr_path(g, "trees/age.csv"),
            "0;young;all\n1;young;all\n2;young;all\n3;old;all\n4;old;all\n5;old;all\n");
    g_write(rr_path(g, "trees/zip.csv"), "z0;z;all\nz1;z;all\nz2;y;all\nz3;y;all\n?;?;all\n");
}

/* --- releases --- */

enum { STEPS_MAX = 3 };

/* %s in options is the folder of the inputs. */
static const struct recipe_text {
    lethe_format format;
    const char *method[STEPS_MAX], *options[STEPS_MAX];
} recipes[] = {
    {LETHE_FORMAT_AOL, {"scrub"}, {""}},
    {LETHE_FORMAT_AOL, {"scrub"}, {"action=drop kinds=phone"}},
    {LETHE_FORMAT_AOL, {"threshold"}, {"t=2"}},
    {LETHE_FORMAT_AOL, {"threshold"}, {"t=3 rare=hash"}},
    {LETHE_FORMAT_AOL, {"threshold"}, {"t=2 by=rows same=exact"}},
    {LETHE_FORMAT_AOL, {"threshold"}, {"t=2 by=queries"}},
    {LETHE_FORMAT_AOL, {"threshold"}, {"t=2 as=counts"}},
    {LETHE_FORMAT_AOL, {"scrub", "threshold"}, {"", "t=2 as=counts by=rows same=exact"}},
    {LETHE_FORMAT_AOL, {"split"}, {"by=day"}},
    {LETHE_FORMAT_AOL, {"split"}, {"by=gap gap=2h"}},
    {LETHE_FORMAT_AOL, {"split"}, {"by=interest"}},
    {LETHE_FORMAT_AOL, {"split"}, {"by=query"}},
    {LETHE_FORMAT_AOL, {"seal"}, {"t=2 n=3"}},
    {LETHE_FORMAT_AOL, {"disconnect"}, {""}},
    {LETHE_FORMAT_AOL, {"disconnect"}, {"density=0.4 keep-vulnerable targeted=none"}},
    {LETHE_FORMAT_AOL, {"disconnect"}, {"rank=best keep-vulnerable targeted=none min-results=1"}},
    {LETHE_FORMAT_AOL, {"microagg"}, {"k=2 directory=%s/dir.tsv min-users=1"}},
    {LETHE_FORMAT_AOL, {"microagg"}, {"k=2 directory=%s/dir.tsv min-users=1 list=paper"}},
    {LETHE_FORMAT_AOL, {"microagg"}, {"k=2 directory=%s/dir.tsv min-users=2 synthetic"}},
    {LETHE_FORMAT_AOL, {"clump"}, {"k=2"}},
    {LETHE_FORMAT_AOL, {"clump"}, {"k=2 taxonomy=wordnet:present gap=1h synonyms=merge"}},
    {LETHE_FORMAT_AOL, {"mm"}, {"k=2 p=1 terms=words"}},
    {LETHE_FORMAT_AOL, {"og"}, {"k=2 m=1"}},
    {LETHE_FORMAT_AOL, {"ssg"}, {"k=2 gap=1h refine=0"}},
    {LETHE_FORMAT_AOL, {"scrub", "threshold"}, {"", "t=2"}},
    {LETHE_FORMAT_AOL, {"threshold", "scrub"}, {"t=2 clicks=all", ""}},
    {LETHE_FORMAT_AOL, {"threshold", "threshold"}, {"t=2 rare=hash clicks=all", "t=2 by=rows"}},
    {LETHE_FORMAT_AOL, {"threshold", "threshold"}, {"t=2", "t=3 rare=hash"}},
    {LETHE_FORMAT_AOL, {"scrub", "threshold", "split"}, {"", "t=2", "by=query"}},
    {LETHE_FORMAT_AOL, {"threshold", "disconnect"}, {"t=2 rare=hash clicks=all", ""}},
    {LETHE_FORMAT_AOL, {"partition"}, {"k=2 gap=1h"}},
    {LETHE_FORMAT_RECORDS, {"clump"}, {"k=2 taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_RECORDS, {"clump"}, {"k=2 taxonomy=%s/tax.tsv distinct refine=1"}},
    {LETHE_FORMAT_RECORDS, {"clump"}, {"k=3 taxonomy=%s/tax.tsv unique persons=record"}},
    {LETHE_FORMAT_RECORDS, {"clump"}, {"k=2 taxonomy=%s/tax.tsv as-published order=random"}},
    {LETHE_FORMAT_RECORDS, {"partition"}, {"k=2 taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_RECORDS, {"ssg"}, {"k=2 taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_RECORDS, {"ssg"}, {"k=2 taxonomy=%s/tax.tsv centre=bag"}},
    {LETHE_FORMAT_RECORDS, {"ssg"}, {"k=2 taxonomy=%s/tax.tsv min-owners=1 matching=greedy"}},
    {LETHE_FORMAT_RECORDS, {"mm"}, {"k=2 p=2 sensitive=%s/list"}},
    {LETHE_FORMAT_RECORDS, {"og"}, {"k=2 m=2 taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_RECORDS, {"og"}, {"k=2 l=2 m=1 n=1 taxonomy=%s/tax.tsv sensitive=%s/list"}},
    {LETHE_FORMAT_RECORDS, {"og"}, {"k=2 m=2 top-h=3 persons=record taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_RECORDS, {"mog"}, {"k=3 m=2 taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_RECORDS, {"aa"}, {"k=2 m=2 taxonomy=%s/tax.tsv"}},
    {LETHE_FORMAT_TABLE, {"lplus"}, {"qi=age,zip sa=ill theta=2/3 hierarchies=%s/trees"}},
    {LETHE_FORMAT_TABLE,
     {"lplus"},
     {"qi=zip,age sa=ill theta=1/2 hierarchies=%s/trees suppress=vioSA"}},
    {LETHE_FORMAT_TABLE,
     {"lplus"},
     {"qi=age sa=ill k=3 hierarchies=%s/trees cost=DM missing=drop keep=zip"}},
    {LETHE_FORMAT_TABLE,
     {"lplus"},
     {"qi=age,zip sa=ill theta=1/2 ranges=age=2,4 suppress=allRec top-h=3"}},
    {LETHE_FORMAT_TABLE, {"lplus"}, {"qi=age,zip sa=ill theta=1/2 ranges=age=2,4 suppress=evenSA"}},
    {LETHE_FORMAT_TABLE, {"lplus"}, {"qi=age sa=ill theta=1/2 ranges=age=2,4 suppress=allSA"}},
    {LETHE_FORMAT_TABLE,
     {"lplus"},
     {"qi=age,zip sa=ill k=3 ranges=age=2,4 suppress=allRec deletion-weight=1.5"}},
    {LETHE_FORMAT_TABLE,
     {"lplus"},
     {"qi=age,zip sa=ill,class hierarchies=%s/trees suppress=allRec entropy-l=1.5"}},
    {LETHE_FORMAT_TABLE,
     {"lplus"},
     {"qi=age,zip sa=ill recursive=3,2 hierarchies=%s/trees suppress=vioRec"}},
    {LETHE_FORMAT_TABLE, {"incognito"}, {"qi=age,zip k=2 hierarchies=%s/trees cost=DM"}},
    {LETHE_FORMAT_TABLE, {"incognito"}, {"qi=age,zip sa=ill t-closeness=1/2 hierarchies=%s/trees"}},
    {LETHE_FORMAT_TABLE, {"incognito"}, {"qi=age,zip sa=ill theta=2/3 hierarchies=%s/trees"}},
    {LETHE_FORMAT_TABLE, {"local"}, {"qi=age,zip k=2 hierarchies=%s/trees"}},
    {LETHE_FORMAT_TABLE,
     {"local"},
     {"qi=age,zip sa=ill k=2 distinct-l=2 ranges=age=values missing=drop weights=age=0.5 "
      "suppress=1/4"}},
    {LETHE_FORMAT_TABLE,
     {"local"},
     {"qi=age,zip sa=ill theta=2/3 ranges=age=values weights=zip=3 suppress=0.1 missing=drop"}},
    {LETHE_FORMAT_TABLE,
     {"anneal"},
     {"qi=age,zip sa=ill theta=2/3 hierarchies=%s/trees cost=CM class=class"}},
};

static lethe_err make(ground *g, const struct recipe_text *t, uint64_t *s, unsigned threads)
{
    static recipe r[STEPS_MAX];
    lethe_step chain[STEPS_MAX];
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    size_t n = 0;
    for (; n < STEPS_MAX && t->method[n]; n++) {
        char options[900];
        // the formats are those above, with one argument or two that are the same
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(options, sizeof options, t->options[n], g->dir, g->dir);
#pragma GCC diagnostic pop
        rr_recipe(&r[n], lethe_method_find(t->method[n]), options);
        chain[n] = r[n].step;
    }
    const char *input = rr_path(g, t->format == LETHE_FORMAT_RECORDS ? "in.txt"
                                   : t->format == LETHE_FORMAT_TABLE ? "in.csv"
                                                                     : "log.tsv");
    lethe_ctx *ctx = g_ctx(g, threads);
    lethe_release_job job = {.inputs = &input,
                             .n_inputs = 1,
                             .reading = {.format = t->format},
                             .steps = chain,
                             .n_steps = n,
                             .out = g->out,
                             .publishing = {.has_seed = true,
                                            .seed = 1 + below(s, 100),
                                            .keep_users = below(s, 2),
                                            .times = (lethe_times)below(s, 4),
                                            .urls = (lethe_urls)below(s, 4)}};
    g->said[0] = '\0';
    g_remove(g->out);
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    lethe_ctx_free(ctx);
    lethe_json_doc_free(doc);
    return e;
}

/* --- verifying --- */

typedef struct verified {
    lethe_err e;
    lethe_json_doc *doc;
    lethe_json *report;
} verified;

static verified verify(ground *g, unsigned threads)
{
    verified v = {.doc = lethe_json_doc_new()};
    lethe_ctx *ctx = g_ctx(g, threads);
    g->said[0] = '\0';
    v.e = lethe_release_verify(ctx, g->out, NULL, v.doc, &v.report);
    lethe_ctx_free(ctx);
    return v;
}

/* Is the name in the sentence of the figures that are not checked? */
static bool is_named(const verified *v, const char *name)
{
    const lethe_json *all = lethe_json_get(v->report, "unchecked");
    for (size_t i = 0; i < lethe_json_count(all); i++) {
        char text[1000], word[100];
        lethe_str s = lethe_json_text(lethe_json_at(all, i));
        snprintf(text, sizeof text, ", %.*s", (int)s.n, s.at); // "a, b (the publisher's word)"
        char *end = strstr(text, " (the publisher's word)");
        if (!end) continue;
        memcpy(end, ",", 2);
        snprintf(word, sizeof word, " %s,", name);
        if (strstr(text, word)) return true;
    }
    return false;
}

/* --- forging --- */

static void manifest_write(ground *g, const lethe_json *m)
{
    char *text = lethe_json_write(m, 2, NULL);
    g_write(rr_path(g, "release/manifest.json"), text);
    lethe_json_text_free(text);
}

/* Another value of the same kind. */
static lethe_json *other(lethe_json_doc *doc, const lethe_json *v, unsigned kind)
{
    double x = lethe_json_real(v);
    lethe_json *copy = lethe_json_copy(doc, v);
    size_t n = lethe_json_count(v);
    char name[80] = "other";
    switch ((lethe_figure_kind)kind) {
    case LETHE_FIGURE_COUNT:
        return lethe_json_new_int(doc, lethe_json_int(v) + 1);
    case LETHE_FIGURE_NUMBER:
    case LETHE_FIGURE_SHARE:
        return lethe_json_new_real(doc, x > 0 ? x / 2 : 0.5);
    case LETHE_FIGURE_FLAG:
        return lethe_json_new_bool(doc, !lethe_json_bool(v));
    case LETHE_FIGURE_COUNTS:
        if (n > 0)
            snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(v, 0).n,
                     lethe_json_name(v, 0).at);
        lethe_set_count(doc, copy, name, 1 + (uint64_t)lethe_json_int(lethe_json_get(v, name)));
        return copy;
    case LETHE_FIGURE_SHARES:
        lethe_json_push(doc, copy, lethe_json_new_real(doc, 0.25));
        return copy;
    case LETHE_FIGURE_NAMES:
        lethe_json_push(doc, copy, lethe_json_new_text(doc, LETHE_LIT("zz")));
        return copy;
    case LETHE_FIGURE_NAMES_BY:
        snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(v, 0).n, lethe_json_name(v, 0).at);
        lethe_json_set(doc, copy, name, lethe_json_array(doc));
        return copy;
    }
    return NULL;
}

/* A copy of the manifest with this figure; NULL: without it. */
static lethe_json *forged(lethe_json_doc *doc, const lethe_json *m, const char *name,
                          lethe_json *value)
{
    lethe_json *out = lethe_json_copy(doc, m), *metrics = lethe_json_object(doc);
    const lethe_json *old = lethe_json_get(m, "metrics");
    for (size_t i = 0; i < lethe_json_count(old); i++) {
        char copy[80];
        snprintf(copy, sizeof copy, "%.*s", (int)lethe_json_name(old, i).n,
                 lethe_json_name(old, i).at);
        if (strcmp(copy, name) != 0)
            lethe_json_set(doc, metrics, copy, lethe_json_copy(doc, lethe_json_at(old, i)));
    }
    if (value) lethe_json_set(doc, metrics, name, value);
    lethe_json_set(doc, out, "metrics", metrics);
    return out;
}

static void expect_refused(ground *g, lethe_json_doc *doc, const lethe_json *m, const char *name,
                           lethe_json *value, const char *what)
{
    manifest_write(g, forged(doc, m, name, value));
    verified v = verify(g, 1);
    if (v.e != LETHE_ANSWER_NO) fail_msg("%s: %s passes (%d)", name, what, v.e);
    lethe_json_doc_free(v.doc);
}

typedef struct tally {
    uint64_t releases, checked, words, caught;
} tally;

static void forge_one(ground *g, lethe_json_doc *doc, const lethe_json *m, const char *name,
                      tally *t)
{
    const lethe_json *chain = lethe_json_get(m, "steps"),
                     *said = lethe_json_get(lethe_json_get(m, "metrics"), name);
    const lethe_figure *f = lethe_steps_figure(chain, lethe_str_of(name), NULL);
    bool checked = lethe_steps_figure_is_checked(chain, lethe_str_of(name));
    assert_non_null(f);
    expect_refused(g, doc, m, name, lethe_json_new_text(doc, LETHE_LIT("good")), "a text");
    expect_refused(g, doc, m, name, lethe_json_new_real(doc, -1), "less than nothing");
    if (!f->optional) expect_refused(g, doc, m, name, NULL, "a manifest without it");
    manifest_write(g, forged(doc, m, name, other(doc, said, f->kind)));
    verified v = verify(g, 1);
    if (checked && v.e != LETHE_ANSWER_NO) fail_msg("%s: another value passes", name);
    if (v.e == LETHE_OK && !is_named(&v, name)) fail_msg("%s: is not named as unchecked", name);
    if (v.e != LETHE_OK && v.e != LETHE_ANSWER_NO) fail_msg("%s: %d, %s", name, v.e, g->said);
    t->checked += checked;
    t->words += !checked;
    t->caught += !checked && v.e == LETHE_ANSWER_NO;
    lethe_json_doc_free(v.doc);
}

static void forge_all(ground *g, tally *t)
{
    char *text = g_read(rr_path(g, "release/manifest.json"));
    lethe_json_doc *doc = NULL;
    lethe_json *m = NULL;
    assert_int_equal(lethe_json_parse(NULL, NULL, lethe_str_of(text), &doc, &m), LETHE_OK);
    free(text);
    const lethe_json *metrics = lethe_json_get(m, "metrics");
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)lethe_json_name(metrics, i).n,
                 lethe_json_name(metrics, i).at);
        forge_one(g, doc, m, name, t);
    }
    expect_refused(g, doc, m, "safe", lethe_json_new_int(doc, 1), "a figure of no step");
    const lethe_json *chain = lethe_json_get(m, "steps");
    for (size_t i = 0; i < lethe_json_count(chain); i++)
        for (const lethe_figure *f = lethe_step_method(lethe_json_at(chain, i))->figures; f->name;
             f++)
            if (f->source == LETHE_FIGURE_RUN) {
                assert_null(lethe_json_get(metrics, f->name));
                expect_refused(g, doc, m, f->name, lethe_json_new_int(doc, 1),
                               "a figure of the run");
            }
    lethe_json_doc_free(doc);
}

/* --- tests --- */

static void methods_and_verify_count_alike(void **state)
{
    ground *g = *state;
    tally t = {0};
    bool was_made[LETHE_COUNT(recipes)] = {0};
    uint64_t n = seeds(4 * 6 * LETHE_COUNT(recipes));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t s = 1000 + i;
        const struct recipe_text *how = &recipes[i % LETHE_COUNT(recipes)];
        write_log(g, &s);
        write_records(g, &s);
        write_table(g, &s);
        lethe_err e = make(g, how, &s, 1 + i % 2);
        if (e != LETHE_OK && e != LETHE_ANSWER_NO)
            fail_msg("seed %llu: %s fails: %s", (unsigned long long)i, how->method[0], g->said);
        if (e != LETHE_OK) continue;
        verified v = verify(g, (unsigned)(1 + i / 2 % 3));
        if (v.e != LETHE_OK) {
            char *why = lethe_json_write(lethe_json_get(v.report, "metrics"), 0, NULL);
            fail_msg("seed %llu: %s %s: %s", (unsigned long long)i, how->method[0], g->said, why);
        }
        lethe_json_doc_free(v.doc);
        t.releases++;
        bool first = !was_made[i % LETHE_COUNT(recipes)];
        was_made[i % LETHE_COUNT(recipes)] = true;
        if (first || i % 16 == 0) forge_all(g, &t);
    }
    if (!SANITIZED)
        for (size_t i = 0; i < LETHE_COUNT(recipes); i++)
            if (!was_made[i]) fail_msg("recipe %zu (%s) made no release", i, recipes[i].method[0]);
    print_message("%llu releases; of %llu figures that follow from the files every forgery was "
                  "refused, of %llu others %llu\n",
                  (unsigned long long)t.releases, (unsigned long long)t.checked,
                  (unsigned long long)t.words, (unsigned long long)t.caught);
    assert_true(t.releases * 2 > n && t.checked > 0 && t.caught > 0 && t.caught < t.words);
}

/* Of one step alone: what later steps change cannot be computed from the files. */
static void only_the_last_step_is_checked(void **state)
{
    (void)state;
    lethe_json_doc *doc;
    lethe_json *chain;
    assert_int_equal(lethe_json_parse(NULL, NULL,
                                      LETHE_LIT("[{\"command\":\"threshold\",\"parameters\":{}},"
                                                "{\"command\":\"split\",\"parameters\":{}}]"),
                                      &doc, &chain),
                     LETHE_OK);
    assert_false(lethe_steps_figure_is_checked(chain, LETHE_LIT("rows_kept")));
    assert_true(lethe_steps_figure_is_checked(chain, LETHE_LIT("personas")));
    assert_false(lethe_steps_figure_is_checked(chain, LETHE_LIT("users")));
    assert_false(lethe_steps_figure_is_checked(chain, LETHE_LIT("urls_uncut")));
    assert_null(lethe_steps_figure(chain, LETHE_LIT("records"), NULL));
    lethe_json_doc_free(doc);
}

/* Whichever allocation fails: no memory is reported, and no figure is laid to the release. */
static void lack_of_memory_is_no_answer(void **state)
{
    ground *g = *state;
    static const char *const methods[] = {"disconnect", "split", "clump", "lplus"};
    for (size_t i = 0, found = 0; i < LETHE_COUNT(recipes) && found < LETHE_COUNT(methods); i++) {
        uint64_t s = 5, n = 1;
        if (strcmp(recipes[i].method[0], methods[found]) != 0) continue;
        found++;
        write_log(g, &s);
        write_records(g, &s);
        write_table(g, &s);
        assert_int_equal(make(g, &recipes[i], &s, 1), LETHE_OK);
        for (bool done = false; !done; n += 1 + n / (SANITIZED ? 8 : 40)) {
            lethe_ctx *ctx = g_ctx(g, 1);
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *report;
            uint64_t before = lethe_alloc_count();
            lethe_alloc_fail_at(n);
            lethe_err e = lethe_release_verify(ctx, g->out, NULL, doc, &report);
            lethe_alloc_fail_at(0);
            done = lethe_alloc_count() - before < n;
            if (e != (done ? LETHE_OK : LETHE_ENOMEM))
                fail_msg("%s, allocation %llu: %d: %s", recipes[i].method[0], (unsigned long long)n,
                         e, g->said);
            lethe_json_doc_free(doc);
            lethe_ctx_free(ctx);
        }
    }
}

static int begin(void **state)
{
    static ground g;
    small_wordnet();
    g_begin(&g);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(methods_and_verify_count_alike, begin, end),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_no_answer, begin, end),
        cmocka_unit_test(only_the_last_step_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
