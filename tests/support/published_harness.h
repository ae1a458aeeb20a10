/* SPDX-License-Identifier: Apache-2.0 */
/* published_harness.h - releases of records made by hand: their files, what is said of them, and
 * measures and adversaries set upon them. */
#ifndef LETHE_TESTS_PUBLISHED_HARNESS_H
#define LETHE_TESTS_PUBLISHED_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/json/json.h"
#include "log_oracle.h"
#include "model/data.h"

/* The last message. */
typedef struct heard {
    unsigned n;
    uint64_t line;
    uint32_t column;
    char file[64], text[160];
} heard;

static inline void hear(void *user, const lethe_message *m)
{
    heard *h = user;
    h->n++;
    h->line = m->line;
    h->column = m->column;
    snprintf(h->file, sizeof h->file, "%s", m->file ? m->file : "");
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

static inline lethe_ctx *heard_ctx(heard *h, unsigned threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.n_threads = threads, .on_message = hear, .user = h};
    *h = (heard){0};
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

/* A comparison as text. */
typedef struct against {
    const char *tree;      /* edges */
    const char *original;  /* lines of records */
    const char *published; /* data.txt */
    const char *map;       /* NULL: none */
    const char *manifest;  /* JSON; NULL: none */
    const char *known;     /* NULL: as the table says */
    const char *taxonomy;  /* taxonomy.tsv; NULL: none */
    bool has_seed;
    uint64_t seed;
} against;

/* Records bound to their taxonomy. */
typedef struct bound {
    lethe_records *records;
    lethe_tree *tree, *grown;
} bound;

static inline bound bind_text(lethe_ctx *ctx, const char *tree, const char *original)
{
    bound b = {0};
    lethe_records *r = NULL;
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(tree), LETHE_NAMES_ITEMS, &b.tree),
                     LETHE_OK);
    assert_int_equal(lethe_records_memory(ctx, lethe_str_of(original), true, &r), LETHE_OK);
    assert_int_equal(lethe_records_bind(ctx, r, b.tree, true, &b.records, &b.grown), LETHE_OK);
    return b;
}

static inline const lethe_tree *bound_tree(const bound *b) { return b->grown ? b->grown : b->tree; }

static inline void bound_free(bound *b)
{
    lethe_records_free(b->records);
    lethe_tree_free(b->grown);
    lethe_tree_free(b->tree);
}

/* Runs a measure or an adversary over bound records; figures go to `out`. */
static inline lethe_err against_bound(lethe_ctx *ctx, const against *a, const bound *b,
                                      lethe_compare_fn fn, const lethe_option *options,
                                      lethe_json_doc *doc, lethe_json *out)
{
    char path[64], map[80];
    lethe_json_doc *manifest_doc = NULL;
    lethe_json *manifest = NULL;
    lethe_value at[4];
    lethe_values values;
    int dirfd = o_folder(path);
    if (a->published) o_write(dirfd, "data.txt", a->published, strlen(a->published));
    if (a->taxonomy) o_write(dirfd, "taxonomy.tsv", a->taxonomy, strlen(a->taxonomy));
    if (a->map) o_write(dirfd, "map", a->map, strlen(a->map));
    snprintf(map, sizeof map, "%s/map", path);
    if (a->manifest)
        assert_int_equal(
            lethe_json_parse(NULL, "manifest", lethe_str_of(a->manifest), &manifest_doc, &manifest),
            LETHE_OK);
    lethe_values_init(&values, options, at);
    if (a->known) assert_int_equal(lethe_values_set(&values, 0, a->known, NULL), LETHE_OK);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_RECORDS, .manifest = manifest};
    lethe_comparison c = {
        .ctx = ctx,
        .published = &p,
        .original = {.shape = LETHE_SHAPE_RECORDS, .records = b->records, .tree = bound_tree(b)},
        .map = a->map ? map : NULL,
        .values = &values,
        .has_seed = a->has_seed,
        .seed = a->seed};
    lethe_err e = fn(&c, doc, out);
    unlinkat(dirfd, "map", 0);
    unlinkat(dirfd, "data.txt", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(manifest_doc);
    return e;
}

/* The figures as one line of JSON, to be freed with lethe_json_text_free(); NULL: it failed. */
static inline char *against_text(const against *a, lethe_compare_fn fn, const lethe_option *options,
                                 unsigned threads, heard *h, lethe_err *e)
{
    lethe_ctx *ctx = heard_ctx(h, threads);
    bound b = bind_text(ctx, a->tree, a->original);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    *e = against_bound(ctx, a, &b, fn, options, doc, out);
    char *text = *e == LETHE_OK ? lethe_json_write(out, 0, NULL) : NULL;
    lethe_json_doc_free(doc);
    bound_free(&b);
    lethe_ctx_free(ctx);
    return text;
}

#endif
