/* SPDX-License-Identifier: Apache-2.0 */
/* presence_harness.h - releases of sets by hand, with sensitive items, before the adversary who
 * knows what is there and what is not. */
#ifndef LETHE_TESTS_PRESENCE_HARNESS_H
#define LETHE_TESTS_PRESENCE_HARNESS_H
#include "attack/attack.h"
#include "published_harness.h"

/* Files as text; NULL: it is not there. */
typedef struct pa_case {
    const char *tree, *original, *published, *sensitive, *taxonomy, *map, *manifest;
    const char *known, *absent, *sensitive_known; /* NULL: as the table says */
    bool by_record;                               /* a person's records are not merged */
    bool bags;                                    /* nor are they made sets */
    bool has_seed;
    uint64_t seed;
} pa_case;

/* The original as a release's method has it. */
typedef struct pa_original {
    lethe_records *records;
    lethe_tree *tree, *grown, *with_marks;
} pa_original;

static inline const lethe_tree *pa_taxonomy(const pa_original *o)
{
    return o->grown ? o->grown : o->tree;
}

static inline pa_original pa_read(lethe_ctx *ctx, const pa_case *c)
{
    pa_original o = {0};
    lethe_records *r = NULL, *next = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(c->tree), LETHE_NAMES_ITEMS, &o.tree),
                     LETHE_OK);
    assert_int_equal(lethe_records_memory(ctx, lethe_str_of(c->original), true, &r), LETHE_OK);
    if (c->sensitive) {
        lethe_sensitive *list = NULL;
        assert_int_equal(
            lethe_sensitive_memory(ctx, lethe_str_of(c->sensitive), LETHE_NAMES_ITEMS, &list),
            LETHE_OK);
        assert_int_equal(lethe_records_mark(ctx, r, list, false), LETHE_OK);
        lethe_sensitive_free(list);
    }
    assert_int_equal(lethe_records_bind(ctx, r, o.tree, true, &next, &o.grown), LETHE_OK);
    r = next;
    if (!c->bags) {
        assert_int_equal(lethe_records_sets(ctx, r, !c->by_record, &next), LETHE_OK);
        r = next;
    }
    assert_int_equal(lethe_records_unmark(ctx, r, pa_taxonomy(&o), &o.records, &o.with_marks),
                     LETHE_OK);
    return o;
}

static inline void pa_free(pa_original *o)
{
    lethe_records_free(o->records);
    lethe_tree_free(o->with_marks);
    lethe_tree_free(o->grown);
    lethe_tree_free(o->tree);
}

static inline void pa_put(int dirfd, const char *name, const char *text)
{
    if (text) o_write(dirfd, name, text, strlen(text));
}

static inline lethe_err pa_run_in(lethe_ctx *ctx, int dirfd, const char *path, const pa_case *c,
                                  const pa_original *o, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_adversary *a = &lethe_adversary_presence_absence;
    char map[80];
    lethe_json_doc *manifest_doc = NULL;
    lethe_json *manifest = NULL;
    lethe_value at[4];
    lethe_values values;
    snprintf(map, sizeof map, "%s/map", path);
    if (c->manifest)
        assert_int_equal(
            lethe_json_parse(NULL, "manifest", lethe_str_of(c->manifest), &manifest_doc, &manifest),
            LETHE_OK);
    lethe_values_init(&values, a->options, at);
    if (c->known) assert_int_equal(lethe_values_set(&values, 0, c->known, NULL), LETHE_OK);
    if (c->absent) assert_int_equal(lethe_values_set(&values, 1, c->absent, NULL), LETHE_OK);
    if (c->sensitive_known)
        assert_int_equal(lethe_values_set(&values, 2, c->sensitive_known, NULL), LETHE_OK);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS, .manifest = manifest};
    lethe_comparison comparison = {
        .ctx = ctx,
        .published = &p,
        .original = {.shape = LETHE_SHAPE_RECORDS,
                     .records = o->records,
                     .tree = o->with_marks ? o->with_marks : pa_taxonomy(o)},
        .taxonomy = o->with_marks ? pa_taxonomy(o) : NULL,
        .map = c->map ? map : NULL,
        .values = &values,
        .has_seed = c->has_seed,
        .seed = c->seed};
    lethe_err e = a->run(&comparison, doc, out);
    lethe_json_doc_free(manifest_doc);
    return e;
}

static inline lethe_err pa_run(lethe_ctx *ctx, const pa_case *c, const pa_original *o,
                               lethe_json_doc *doc, lethe_json *out)
{
    char path[64];
    int dirfd = o_folder(path);
    pa_put(dirfd, "data.txt", c->published);
    pa_put(dirfd, "taxonomy.tsv", c->taxonomy);
    pa_put(dirfd, "map", c->map);
    lethe_err e = pa_run_in(ctx, dirfd, path, c, o, doc, out);
    unlinkat(dirfd, "map", 0);
    unlinkat(dirfd, "data.txt", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    o_folder_gone(dirfd, path);
    return e;
}

/* The figures as one line of JSON, to be freed with lethe_json_text_free(); NULL: it failed. */
static inline char *pa_text(const pa_case *c, unsigned threads, heard *h, lethe_err *e)
{
    lethe_ctx *ctx = heard_ctx(h, threads);
    pa_original o = pa_read(ctx, c);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    *e = pa_run(ctx, c, &o, doc, out);
    char *text = *e == LETHE_OK ? lethe_json_write(out, 0, NULL) : NULL;
    lethe_json_doc_free(doc);
    pa_free(&o);
    lethe_ctx_free(ctx);
    return text;
}

#endif
