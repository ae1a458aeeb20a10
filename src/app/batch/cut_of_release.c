/* SPDX-License-Identifier: Apache-2.0 */
/* The cut of a release.  Its manifest names the values that are published, which `verify` has
 * compared with the data; what is below each of them only the hierarchies tell.  A method publishes
 * by one cut, so that of two published values none is above the other: which one a value has is
 * unique.  What is below none of them is not published, and stays so. */
#include "app/evaluate.h"
#include "core/mem.h"
#include "model/cut/cut.h"
#include "model/knowledge/sensitive.h"
#include "model/published/published_table.h"
#include "model/published/published_tree.h"
#include "model/table/table.h"
#include "release/make/table_options.h"
#include "release/release.h"

enum { SHOWN = 80 };

typedef struct cut_maker {
    lethe_ctx *ctx;
    const lethe_cut_source *from;
    lethe_arena *arena;
    lethe_published published;
    lethe_json_doc *doc;
    lethe_step step; /* the last one */
    const lethe_json *cut;
    lethe_cut_builder *builder;
} cut_maker;

/* --- lines --- */

static lethe_err add(cut_maker *d, lethe_str column, lethe_cut_kind kind, lethe_str value,
                     lethe_str published)
{
    const char *fault;
    char shown[SHOWN];
    if (lethe_cut_add(d->builder, column, kind, value, published, &fault) != LETHE_OK)
        return lethe_no_memory(d->ctx);
    if (!fault) return LETHE_OK;
    lethe_show(shown, sizeof shown, value);
    return lethe_fail(d->ctx, LETHE_EINPUT, "'%s' can be no value of a cut: %s", shown, fault);
}

static lethe_err unknown(cut_maker *d, lethe_str name)
{
    char shown[SHOWN];
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(d->ctx, LETHE_EINPUT,
                      "'%s' is published, and not known to the hierarchies: they are not those "
                      "that the release was made with",
                      shown);
}

/* The inner node whose own leaf has this name (lethe_tree_grow); NONE: it is none. */
static uint32_t owner_of(const lethe_tree *t, lethe_str name)
{
    while (name.n > 1 && name.at[0] == '=') {
        name = (lethe_str){name.at + 1, name.n - 1};
        uint32_t v = lethe_tree_find(t, name);
        if (v != LETHE_NONE && !lethe_tree_is_leaf(t, v)) return v;
    }
    return LETHE_NONE;
}

/* All names at or below the published one. */
static lethe_err add_below(cut_maker *d, lethe_str column, const lethe_tree *t, lethe_str published)
{
    uint32_t v = lethe_tree_find(t, published);
    if (v == LETHE_NONE) {
        uint32_t owner = owner_of(t, published);
        if (owner == LETHE_NONE) return unknown(d, published);
        return add(d, column, LETHE_CUT_VALUE, lethe_tree_name(t, owner), published);
    }
    for (uint32_t w = v; w < t->end[v]; w++)
        LETHE_TRY(add(d, column, LETHE_CUT_VALUE, lethe_tree_name(t, w), published));
    return LETHE_OK;
}

/* --- tables --- */

/* A column's published values; NULL: the figure has none. */
static const lethe_json *names_of(const cut_maker *d, lethe_str column)
{
    for (size_t i = 0; i < lethe_json_count(d->cut); i++)
        if (lethe_str_eq(lethe_json_name(d->cut, i), column)) return lethe_json_at(d->cut, i);
    return NULL;
}

/* What a column's values stand below. */
typedef struct origin {
    lethe_str column;
    const lethe_tree *tree; /* NULL: no file; then */
    bool numbers;           /* --ranges, or */
} origin;

static lethe_err add_published(cut_maker *d, const origin *o, lethe_str name, bool is_root)
{
    if (is_root) return add(d, o->column, LETHE_CUT_ANY, LETHE_LIT(""), name);
    bool missing = lethe_str_eq(name, LETHE_LIT(LETHE_MISSING)) &&
                   (!o->tree || lethe_tree_find(o->tree, name) == LETHE_NONE);
    if (o->tree && !missing) return add_below(d, o->column, o->tree, name);
    return add(d, o->column, o->numbers && !missing ? LETHE_CUT_RANGE : LETHE_CUT_VALUE, name,
               name);
}

/* A published node: is it where the release has it?  `above` is empty for the root. */
static lethe_err node_match(cut_maker *d, const lethe_tree *t, lethe_str name, lethe_str above,
                            uint64_t leaves)
{
    bool is_root = above.n == 0;
    uint32_t v = lethe_tree_find(t, name), p = is_root ? LETHE_NONE : lethe_tree_find(t, above);
    bool own = v == LETHE_NONE && p != LETHE_NONE &&
               ((lethe_str_eq(name, LETHE_LIT(LETHE_MISSING)) && p == 0) || owner_of(t, name) == p);
    bool there = v != LETHE_NONE && t->parent[v] == p && t->leaves[v] <= leaves;
    return own || there ? LETHE_OK : unknown(d, name);
}

static lethe_err hierarchy_match(cut_maker *d, const lethe_tree *t,
                                 const lethe_published_hierarchy *h)
{
    for (uint32_t i = 0; i < h->n; i++) {
        lethe_str above = i > 0 ? lethe_dict_at(h->names, h->parent[i]) : (lethe_str){"", 0};
        LETHE_TRY(node_match(d, t, lethe_dict_at(h->names, i), above, h->leaves[i]));
    }
    return LETHE_OK;
}

static lethe_err column_add(cut_maker *d, const origin *o, const lethe_published_hierarchy *h)
{
    const lethe_json *names = names_of(d, o->column);
    lethe_str root = lethe_dict_at(h->names, 0);
    if (lethe_json_count(names) == 0)
        return lethe_fail(d->ctx, LETHE_EINPUT, "the manifest names no published value of '%.*s'",
                          (int)LETHE_MIN(o->column.n, (size_t)SHOWN), o->column.at);
    if (o->tree) LETHE_TRY(hierarchy_match(d, o->tree, h));
    for (size_t i = 0; i < lethe_json_count(names); i++) {
        lethe_str name = lethe_json_text(lethe_json_at(names, i));
        LETHE_TRY(add_published(d, o, name, lethe_str_eq(name, root)));
    }
    return LETHE_OK;
}

static lethe_err columns_add(cut_maker *d, const lethe_str *qi, size_t n,
                             const lethe_hierarchies *h,
                             const lethe_published_hierarchies *published)
{
    const lethe_value *text = lethe_value_of(&d->step.values, "ranges");
    lethe_ranges *ranges = NULL;
    size_t n_ranges = 0;
    LETHE_TRY(lethe_ranges_parse(lethe_ctx_diag(d->ctx), d->arena, text->text, &ranges, &n_ranges));
    for (size_t i = 0; i < n; i++) {
        origin o = {.column = qi[i], .tree = h->n > 0 ? h->at[i] : NULL};
        for (size_t k = 0; k < n_ranges; k++)
            o.numbers = o.numbers || lethe_str_eq(ranges[k].column, qi[i]);
        LETHE_TRY(column_add(d, &o, &published->at[i]));
    }
    return LETHE_OK;
}

static lethe_err table_add(cut_maker *d)
{
    lethe_diag *diag = lethe_ctx_diag(d->ctx);
    const char *dir = d->from->hierarchies;
    bool with_files = lethe_value_of(&d->step.values, "hierarchies")->given;
    lethe_published_hierarchies *published = NULL;
    lethe_hierarchies h = {0};
    lethe_str *qi;
    size_t n;
    if (d->from->taxonomy)
        return lethe_fail(d->ctx, LETHE_EUSAGE, "a table has hierarchies, and no taxonomy");
    if (with_files != (dir != NULL))
        return lethe_fail(d->ctx, LETHE_EUSAGE,
                          with_files ? "the release was made with its owner's hierarchies, which "
                                       "must be given"
                                     : "the release was made without a folder of hierarchies");
    LETHE_TRY(lethe_table_qi(diag, d->arena, &d->step.values, &qi, &n));
    LETHE_TRY(lethe_published_hierarchies_read(d->ctx, d->published.dirfd, qi, n, &published));
    lethe_err e = dir ? lethe_hierarchies_read(d->ctx, dir, qi, n, &h) : LETHE_OK;
    if (e == LETHE_OK) e = columns_add(d, qi, n, &h, published);
    lethe_hierarchies_free(&h);
    lethe_published_hierarchies_free(published);
    return e;
}

/* --- sets --- */

/* Sensitive items are published as they are: those that are listed. */
static lethe_err sensitive_add(cut_maker *d)
{
    lethe_dict *names = NULL;
    LETHE_TRY(lethe_published_sensitive_read(d->ctx, d->published.dirfd, &names));
    lethe_err e = LETHE_OK;
    for (uint32_t i = 0; names && i < lethe_dict_count(names) && e == LETHE_OK; i++)
        e = add(d, LETHE_LIT(LETHE_CUT_ITEMS), LETHE_CUT_VALUE, lethe_dict_at(names, i),
                lethe_dict_at(names, i));
    lethe_dict_free(names);
    return e;
}

static lethe_err taxonomy_match(cut_maker *d, const lethe_tree *t)
{
    lethe_published_tree *p = NULL;
    LETHE_TRY(lethe_published_tree_read(d->ctx, d->published.dirfd, &p));
    lethe_err e = LETHE_OK;
    for (uint32_t v = 0; p && v < p->tree->n && e == LETHE_OK; v++) {
        lethe_str above = v > 0 ? lethe_tree_name(p->tree, p->tree->parent[v]) : (lethe_str){"", 0};
        e = node_match(d, t, lethe_tree_name(p->tree, v), above, p->leaves[v]);
    }
    lethe_published_tree_free(p);
    return e;
}

static lethe_err sets_add(cut_maker *d)
{
    const lethe_value *taxonomy = lethe_value_of(&d->step.values, "taxonomy");
    lethe_tree *t;
    if (d->from->hierarchies)
        return lethe_fail(d->ctx, LETHE_EUSAGE, "sets have a taxonomy, and no hierarchies");
    if (!lethe_manifest_of_records(d->published.manifest))
        return lethe_fail(d->ctx, LETHE_EUSAGE,
                          "the release was made from a log, whose queries are no items yet");
    if (taxonomy->given && taxonomy->word)
        return lethe_fail(d->ctx, LETHE_EUSAGE,
                          "the release was made with WordNet, which takes items for words");
    if (!d->from->taxonomy)
        return lethe_fail(d->ctx, LETHE_EUSAGE,
                          "the release was made with its owner's taxonomy, which must be given");
    LETHE_TRY(lethe_tree_read(d->ctx, d->from->taxonomy, LETHE_NAMES_ITEMS, &t));
    lethe_err e = taxonomy_match(d, t);
    for (size_t i = 0; i < lethe_json_count(d->cut) && e == LETHE_OK; i++)
        e = add_below(d, LETHE_LIT(LETHE_CUT_ITEMS), t, lethe_json_text(lethe_json_at(d->cut, i)));
    lethe_tree_free(t);
    return e == LETHE_OK ? sensitive_add(d) : e;
}

/* --- all of it --- */

static bool cuts(const lethe_method *m, const lethe_method *const *list, size_t n)
{
    bool is = false;
    for (size_t i = 0; i < n; i++)
        is = is || m == list[i];
    return is;
}

static lethe_err derive(cut_maker *d)
{
    static const lethe_method *const of_tables[] = {&lethe_method_lplus, &lethe_method_incognito,
                                                    &lethe_method_anneal},
                                     *const of_sets[] = {&lethe_method_og, &lethe_method_mog,
                                                         &lethe_method_aa};
    const lethe_json *manifest = d->published.manifest, *steps = lethe_json_get(manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    LETHE_TRY(lethe_step_read(lethe_ctx_diag(d->ctx), d->arena, last, d->doc, &d->step));
    const lethe_method *m = d->step.method;
    bool sets = cuts(m, of_sets, LETHE_COUNT(of_sets));
    if (!sets && !cuts(m, of_tables, LETHE_COUNT(of_tables)))
        return lethe_fail(d->ctx, LETHE_EUSAGE,
                          "'%s' was made by %s, which does not publish by one cut",
                          d->from->release, m->name);
    d->cut = lethe_json_get(lethe_json_get(manifest, "metrics"), "cut");
    if (lethe_json_kind(d->cut) != (sets ? LETHE_JSON_ARRAY : LETHE_JSON_OBJECT))
        return lethe_fail(d->ctx, LETHE_EINPUT, "the manifest does not name the published values");
    d->builder = lethe_cut_builder_new(sets);
    if (!d->builder) return lethe_no_memory(d->ctx);
    return sets ? sets_add(d) : table_add(d);
}

static lethe_err build(cut_maker *d, lethe_cut **out)
{
    const char *fault = NULL;
    lethe_err e = lethe_cut_build(d->builder, out, &fault);
    d->builder = NULL;
    if (e != LETHE_OK) return lethe_no_memory(d->ctx);
    return fault ? lethe_fail(d->ctx, LETHE_EINPUT, "the published values are no cut: %s", fault)
                 : LETHE_OK;
}

static lethe_err release_hold(lethe_ctx *ctx, const char *folder)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return lethe_no_memory(ctx);
    lethe_err e = lethe_release_must_hold(ctx, folder, &(lethe_verify_options){0},
                                          "no cut is taken from it", doc, NULL);
    lethe_json_doc_free(doc);
    return e;
}

lethe_err lethe_cut_of_release(lethe_ctx *ctx, const lethe_cut_source *from, lethe_cut **out)
{
    lethe_cut_source known = {.size = sizeof known};
    cut_maker d = {.ctx = ctx, .from = &known, .published = {.ctx = ctx, .dirfd = -1}};
    lethe_ctx_forget_error(ctx);
    memcpy(&known, from, LETHE_MIN(from->size, sizeof known));
    if (!known.release) return lethe_fail(ctx, LETHE_EUSAGE, "no release given");
    LETHE_TRY(release_hold(ctx, known.release));
    d.arena = lethe_arena_new();
    lethe_err e = d.arena ? lethe_release_open(ctx, known.release, &d.published, &d.doc)
                          : lethe_no_memory(ctx);
    if (e == LETHE_OK) e = derive(&d);
    if (e == LETHE_OK)
        e = build(&d, out);
    else
        lethe_cut_builder_free(d.builder);
    lethe_release_close(&d.published, d.doc);
    lethe_arena_free(d.arena);
    return e;
}
