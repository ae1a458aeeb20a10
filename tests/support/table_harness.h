/* SPDX-License-Identifier: Apache-2.0 */
/* table_harness.h - releases of tables made by hand: their files, what is said of them, and
 * measures and adversaries set upon them. */
#ifndef LETHE_TESTS_TABLE_HARNESS_H
#define LETHE_TESTS_TABLE_HARNESS_H
#include "published_harness.h"
#include "model/table/table.h"
#include "model/table/table_beside.h"

enum { T_QI = 4 };

/* A comparison as text. */
typedef struct beside {
    const char *original;       /* CSV with a header */
    lethe_roles roles;          /* of its columns */
    const char *tree[T_QI];     /* hierarchies, edges; NULL: none */
    const char *ranges;         /* as --ranges has it */
    const char *published;      /* data.csv */
    const char *taxonomy;       /* taxonomy.tsv */
    const char *thetas;         /* theta.tsv; NULL: none */
    const char *map;            /* NULL: none */
    const char *manifest;       /* JSON; NULL: none */
    const char *option, *value; /* one that is given; NULL: none */
    const char *external;       /* what --external holds; NULL: it is not given */
    bool lacks_hierarchies;     /* the owner's are not at hand */
    uint64_t fail_at;           /* the n-th allocation of the run fails; 0: none */
} beside;

static inline lethe_table *t_read(lethe_ctx *ctx, const beside *b)
{
    lethe_tree *tree[T_QI] = {NULL};
    const lethe_ranges *of[T_QI] = {NULL};
    lethe_ranges *ranges = NULL;
    lethe_table *t = NULL;
    lethe_str *name;
    size_t n_ranges = 0, n_names = 0;
    lethe_arena *a = lethe_arena_new();
    assert_int_equal(lethe_names_parse(NULL, a, b->roles.qi, &name, &n_names), LETHE_OK);
    if (b->ranges)
        assert_int_equal(lethe_ranges_parse(NULL, a, b->ranges, &ranges, &n_ranges), LETHE_OK);
    for (size_t i = 0; i < n_names; i++) {
        for (size_t k = 0; k < n_ranges; k++)
            if (lethe_str_eq(ranges[k].column, name[i])) of[i] = &ranges[k];
        if (b->tree[i])
            assert_int_equal(
                lethe_tree_memory(ctx, lethe_str_of(b->tree[i]), LETHE_NAMES_RAW, &tree[i]),
                LETHE_OK);
    }
    lethe_table_read_options how = {.roles = b->roles,
                                    .strict = true,
                                    .hierarchy = (const lethe_tree *const *)tree,
                                    .ranges = of};
    assert_int_equal(lethe_table_memory(ctx, lethe_str_of(b->original), &how, &t), LETHE_OK);
    for (size_t i = 0; i < T_QI; i++)
        lethe_tree_free(tree[i]);
    lethe_arena_free(a);
    t->lacks_hierarchies = b->lacks_hierarchies;
    return t;
}

/* Runs a measure or an adversary; figures go to `out`. */
static inline lethe_err t_run(lethe_ctx *ctx, const beside *b, const lethe_table *t,
                              lethe_compare_fn fn, const lethe_option *options, lethe_json_doc *doc,
                              lethe_json *out)
{
    char path[64], map[80], external[80];
    lethe_json_doc *manifest_doc = NULL;
    lethe_json *manifest = NULL;
    lethe_value at[4];
    lethe_values values;
    int dirfd = o_folder(path);
    if (b->published) o_write(dirfd, "data.csv", b->published, strlen(b->published));
    if (b->taxonomy) o_write(dirfd, "taxonomy.tsv", b->taxonomy, strlen(b->taxonomy));
    if (b->thetas) o_write(dirfd, "theta.tsv", b->thetas, strlen(b->thetas));
    if (b->map) o_write(dirfd, "map", b->map, strlen(b->map));
    if (b->external) o_write(dirfd, "external", b->external, strlen(b->external));
    snprintf(map, sizeof map, "%s/map", path);
    snprintf(external, sizeof external, "%s/external", path);
    if (b->manifest)
        assert_int_equal(
            lethe_json_parse(NULL, "manifest", lethe_str_of(b->manifest), &manifest_doc, &manifest),
            LETHE_OK);
    lethe_values_init(&values, options, at);
    for (size_t i = 0; i < values.n; i++) {
        const char *text = b->external && strcmp(options[i].name, "external") == 0 ? external
                           : b->option && strcmp(options[i].name, b->option) == 0  ? b->value
                                                                                   : NULL;
        if (text) assert_int_equal(lethe_values_set(&values, i, text, NULL), LETHE_OK);
    }
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_TABLE, .manifest = manifest};
    lethe_comparison c = {.ctx = ctx,
                          .published = &p,
                          .original = {.shape = LETHE_SHAPE_TABLE, .table = t},
                          .map = b->map ? map : NULL,
                          .values = &values};
    lethe_alloc_fail_at(b->fail_at);
    lethe_err e = fn(&c, doc, out);
    lethe_alloc_fail_at(0);
    unlinkat(dirfd, "map", 0);
    unlinkat(dirfd, "external", 0);
    unlinkat(dirfd, "data.csv", 0);
    unlinkat(dirfd, "taxonomy.tsv", 0);
    unlinkat(dirfd, "theta.tsv", 0);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(manifest_doc);
    return e;
}

/* The figures as one line of JSON, to be freed with lethe_json_text_free(); NULL: it failed. */
static inline char *t_text(const beside *b, lethe_compare_fn fn, const lethe_option *options,
                           heard *h, lethe_err *e)
{
    lethe_ctx *ctx = heard_ctx(h, 1);
    lethe_table *t = t_read(ctx, b);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    *e = t_run(ctx, b, t, fn, options, doc, out);
    char *text = *e == LETHE_OK ? lethe_json_write(out, 0, NULL) : NULL;
    lethe_json_doc_free(doc);
    lethe_table_free(t);
    lethe_ctx_free(ctx);
    return text;
}

/* Every allocation fails in turn: nothing but LETHE_ENOMEM, said once. */
static inline void t_out_of_memory(const beside *b, lethe_compare_fn fn,
                                   const lethe_option *options)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_table *t = t_read(ctx, b);
    for (uint64_t n = 1;; n++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_true(n < 10000);
        h.n = 0;
        beside failing = *b;
        failing.fail_at = n;
        lethe_err e = t_run(ctx, &failing, t, fn, options, doc, out);
        lethe_json_doc_free(doc);
        if (e == LETHE_OK) break;
        assert_int_equal(e, LETHE_ENOMEM);
        assert_int_equal(h.n, 1);
    }
    lethe_table_free(t);
    lethe_ctx_free(ctx);
}

/* --- the table of the thesis (Liu 2010), Table 3.1(a) and Figure 3.1 --- */

#define T_EDU "Sec\tAnyEdu\nJr\tSec\nSr\tSec\nUni\tAnyEdu\nBa\tUni\nGrad\tUni\n"
#define T_COUNTRY "Eu\tAnyCountry\nUK\tEu\nFr\tEu\nAm\tAnyCountry\nUSA\tAm\nCa\tAm\n"
#define T_ROWS                                                                                     \
    "edu,country,disease\nJr,Fr,Flu\nJr,UK,Asthma\nSr,Fr,Flu\nSr,UK,Cancer\nBa,UK,Asthma\n"        \
    "Ba,Ca,Asthma\nBa,USA,Flu\nGrad,USA,Asthma\nGrad,Ca,Cancer\nGrad,Ca,Cancer\n"
/* Generalized by cut a. */
#define T_TAXONOMY_A                                                                               \
    "edu=AnyEdu\t\t4\nedu=Sec\tedu=AnyEdu\t2\nedu=Jr\tedu=Sec\t1\nedu=Sr\tedu=Sec\t1\n"            \
    "edu=Uni\tedu=AnyEdu\t2\ncountry=AnyCountry\t\t4\ncountry=Eu\tcountry=AnyCountry\t2\n"         \
    "country=Am\tcountry=AnyCountry\t2\n"

#endif
