/* SPDX-License-Identifier: Apache-2.0 */
/* scale_harness.h - a release of any shape beside its original, both as text, for the measure and
 * the adversary that all shapes have in common. */
#ifndef LETHE_TESTS_SCALE_HARNESS_H
#define LETHE_TESTS_SCALE_HARNESS_H
#include "algo/text/log_records.h"
#include "algo/text/person_terms.h"
#include "attack/attack.h"
#include "measure/measure.h"
#include "published_harness.h"

typedef struct sc_case {
    const char *log;       /* the original: user TAB query TAB time; NULL: it is records */
    const char *records;   /* the original; of a log: NULL */
    const char *tree;      /* edges; the release is records.  NULL: it is a log */
    const char *published; /* data.txt; of a log user TAB query TAB time, in any order */
    uint64_t n_sealed;     /* > 0: a sealed log of so many users, `published` what opens */
    bool sets, loose;      /* persons' records are merged; items may be unknown */
    const char *sensitive; /* NULL: none */
    const char *taxonomy, *map, *manifest;
    const char *known, *crowd, *patterns; /* NULL: as the tables say */
    bool keep_users, renamed, has_seed;
    uint64_t seed;
} sc_case;

/* Everything that a comparison borrows. */
typedef struct sc_open {
    lethe_log *log, *opened;
    lethe_records *records;
    lethe_tree *tree, *grown, *with_marks;
    lethe_json_doc *manifest_doc;
    lethe_json *manifest;
    lethe_records *terms;
} sc_open;

static inline lethe_log *sc_log(lethe_ctx *ctx, const char *lines)
{
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log *log = NULL;
    assert_int_equal(lethe_log_memory(ctx, lethe_str_of(lines), &reading, &log), LETHE_OK);
    return log;
}

static inline void sc_bind(lethe_ctx *ctx, const sc_case *c, sc_open *o)
{
    lethe_records *r = NULL, *next = NULL;
    lethe_log_records_result counts;
    lethe_log_records_options how = {.gap_s = LETHE_GAP_ALL};
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(c->tree), LETHE_NAMES_ITEMS, &o->tree),
                     LETHE_OK);
    if (c->log) {
        assert_int_equal(lethe_log_to_records(ctx, o->log, &how, &counts, &r), LETHE_OK);
    } else {
        assert_int_equal(lethe_records_memory(ctx, lethe_str_of(c->records), true, &r), LETHE_OK);
        assert_int_equal(lethe_terms_of_records(ctx, r, &o->terms), LETHE_OK);
    }
    if (c->sensitive) {
        lethe_sensitive *list = NULL;
        assert_int_equal(
            lethe_sensitive_memory(ctx, lethe_str_of(c->sensitive), LETHE_NAMES_ITEMS, &list),
            LETHE_OK);
        assert_int_equal(lethe_records_mark(ctx, r, list, false), LETHE_OK);
        lethe_sensitive_free(list);
    }
    assert_int_equal(lethe_records_bind(ctx, r, o->tree, !c->loose, &next, &o->grown), LETHE_OK);
    if (c->sets) {
        r = next;
        assert_int_equal(lethe_records_sets(ctx, r, true, &next), LETHE_OK);
    }
    assert_int_equal(
        lethe_records_unmark(ctx, next, o->grown ? o->grown : o->tree, &o->records, &o->with_marks),
        LETHE_OK);
}

static inline sc_open sc_begin(lethe_ctx *ctx, const sc_case *c)
{
    sc_open o = {0};
    if (c->log) o.log = sc_log(ctx, c->log);
    if (c->tree) sc_bind(ctx, c, &o);
    if (c->n_sealed) o.opened = sc_log(ctx, c->published);
    if (c->manifest)
        assert_int_equal(lethe_json_parse(NULL, "manifest", lethe_str_of(c->manifest),
                                          &o.manifest_doc, &o.manifest),
                         LETHE_OK);
    return o;
}

static inline void sc_end(sc_open *o)
{
    lethe_log_free(o->log);
    lethe_log_free(o->opened);
    lethe_records_free(o->records);
    lethe_records_free(o->terms);
    lethe_tree_free(o->with_marks);
    lethe_tree_free(o->grown);
    lethe_tree_free(o->tree);
    lethe_json_doc_free(o->manifest_doc);
}

static inline void sc_publish(int dirfd, const sc_case *c)
{
    char *text = NULL;
    size_t n;
    if (c->tree) o_write(dirfd, "data.txt", c->published, strlen(c->published));
    if (c->taxonomy) o_write(dirfd, "taxonomy.tsv", c->taxonomy, strlen(c->taxonomy));
    if (c->map) o_write(dirfd, "map", c->map, strlen(c->map));
    if (c->tree || c->n_sealed) return;
    FILE *f = open_memstream(&text, &n);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (const char *at = c->published, *lf; *at; at = lf + 1) {
        lf = strchr(at, '\n');
        fprintf(f, "%.*s\t\t\n", (int)(lf - at), at);
    }
    fclose(f);
    o_write_published(dirfd, text, n);
    free(text);
}

static inline void sc_values(const sc_case *c, lethe_values *v)
{
    for (size_t i = 0; i < v->n; i++) {
        const char *name = v->table[i].name, *text = strcmp(name, "known") == 0   ? c->known
                                                     : strcmp(name, "crowd") == 0 ? c->crowd
                                                                                  : c->patterns;
        if (text) assert_int_equal(lethe_values_set(v, i, text, NULL), LETHE_OK);
    }
}

static inline lethe_err sc_compare(lethe_ctx *ctx, const sc_case *c, sc_open *o, int dirfd,
                                   const char *path, lethe_compare_fn fn,
                                   const lethe_option *options, lethe_json_doc *doc,
                                   lethe_json *out)
{
    char map[80];
    lethe_value at[4];
    lethe_values values;
    const lethe_tree *tree = o->grown ? o->grown : o->tree;
    snprintf(map, sizeof map, "%s/map", path);
    lethe_values_init(&values, options, at);
    sc_values(c, &values);
    lethe_shape shape = c->tree       ? LETHE_SHAPE_RECORDS
                        : c->n_sealed ? LETHE_SHAPE_SEALED
                                      : LETHE_SHAPE_LOG;
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = shape, .manifest = o->manifest};
    lethe_comparison x = {.ctx = ctx,
                          .published = &p,
                          .map = c->map ? map : NULL,
                          .own_names = c->keep_users,
                          .renamed = c->renamed,
                          .terms = o->terms,
                          .opened = o->opened,
                          .n_sealed = c->n_sealed,
                          .values = &values,
                          .has_seed = c->has_seed,
                          .seed = c->seed};
    if (c->tree) {
        x.original = (lethe_data){.shape = LETHE_SHAPE_RECORDS,
                                  .records = o->records,
                                  .tree = o->with_marks ? o->with_marks : tree};
        x.taxonomy = o->with_marks ? tree : NULL;
        x.log = o->log;
    } else {
        x.original = (lethe_data){.shape = LETHE_SHAPE_LOG, .log = o->log};
    }
    lethe_err e = fn(&x, doc, out);
    o->terms = x.terms;
    return e;
}

static inline lethe_err sc_run(lethe_ctx *ctx, const sc_case *c, sc_open *o, lethe_compare_fn fn,
                               const lethe_option *options, lethe_json_doc *doc, lethe_json *out)
{
    static const char *const names[] = {"map", "data.txt", "taxonomy.tsv"};
    char path[64];
    int dirfd = o_folder(path);
    sc_publish(dirfd, c);
    lethe_err e = sc_compare(ctx, c, o, dirfd, path, fn, options, doc, out);
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        unlinkat(dirfd, names[i], 0);
    o_folder_gone(dirfd, path);
    return e;
}

/* The figures as one line of JSON, to be freed with lethe_json_text_free(); NULL: it failed. */
static inline char *sc_text(const sc_case *c, lethe_compare_fn fn, const lethe_option *options,
                            unsigned threads, heard *h, lethe_err *e)
{
    lethe_ctx *ctx = heard_ctx(h, threads);
    sc_open o = sc_begin(ctx, c);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    h->n = 0;
    *e = sc_run(ctx, c, &o, fn, options, doc, out);
    char *text = *e == LETHE_OK ? lethe_json_write(out, 0, NULL) : NULL;
    lethe_json_doc_free(doc);
    sc_end(&o);
    lethe_ctx_free(ctx);
    return text;
}

/* All allocations fail, one after the other. */
static inline void sc_fails_without_memory(const sc_case *c, lethe_compare_fn fn,
                                           const lethe_option *options)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    sc_open o = sc_begin(ctx, c);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        if (c->log) {
            lethe_records_free(o.terms);
            o.terms = NULL;
        }
        h.n = 0;
        lethe_alloc_fail_at(++n);
        e = sc_run(ctx, c, &o, fn, options, doc, out);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK && (e != LETHE_ENOMEM || h.n == 0))
            fail_msg("allocation %llu: %d, '%s'", (unsigned long long)n, (int)e, h.text);
        lethe_json_doc_free(doc);
    }
    assert_true(n > 20);
    sc_end(&o);
    lethe_ctx_free(ctx);
}

#endif
