/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the items of records to the leaves of a taxonomy: WordNet's nouns, a file's names, or a
 * tree of one level. */
#include "lexicon/taxonomy.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- items to words --- */

/* The word an item is: itself where that is a noun (what a log gave is reduced already, and to
 * reduce twice could lead elsewhere), else what it is reduced to; LETHE_NONE: no noun. */
static uint32_t noun_of(const lethe_wordnet *wn, bool merge, lethe_str item)
{
    uint32_t noun = lethe_wordnet_find(wn, item);
    if (noun == LETHE_NONE) noun = lethe_wordnet_reduce(wn, item);
    return noun != LETHE_NONE && merge ? lethe_wordnet_merged(wn, noun) : noun;
}

/* How the names of a list are looked up. */
struct lookup {
    const lethe_wordnet *wn;
    bool merge, of_queries;
};

static lethe_str name_of(const void *arg, lethe_str item)
{
    const struct lookup *l = arg;
    uint32_t noun = LETHE_NONE;
    if (!l->of_queries)
        noun = noun_of(l->wn, l->merge, item);
    else if ((noun = lethe_wordnet_reduce(l->wn, item)) != LETHE_NONE && l->merge)
        noun = lethe_wordnet_merged(l->wn, noun);
    return noun == LETHE_NONE ? item : lethe_wordnet_noun(l->wn, noun);
}

lethe_err lethe_sensitive_nouns(lethe_ctx *ctx, const lethe_wordnet *wn, bool merge,
                                bool of_queries, lethe_sensitive *list)
{
    struct lookup l = {wn, merge, of_queries};
    return lethe_sensitive_rename(ctx, list, name_of, &l);
}

static lethe_err rename_with(const lethe_wordnet *wn, bool merge, lethe_records *in,
                             lethe_dict *items, uint32_t *number)
{
    for (uint32_t i = 0; i < lethe_dict_count(in->items); i++) {
        lethe_str item = lethe_dict_at(in->items, i);
        uint32_t noun = noun_of(wn, merge, item);
        if (noun != LETHE_NONE) item = lethe_wordnet_noun(wn, noun);
        LETHE_TRY(lethe_dict_add(items, item, &number[i]));
    }
    uint32_t *item = (uint32_t *)in->item; // ours now: `in` was handed over
    for (uint64_t k = 0; k < in->start[in->n]; k++)
        item[k] = number[item[k]];
    lethe_dict_free(in->items);
    in->items = items;
    return LETHE_OK;
}

static lethe_err rename_items(lethe_diag *d, const lethe_wordnet *wn, bool merge, lethe_records *in)
{
    lethe_dict *items = lethe_dict_new();
    uint32_t *number = lethe_alloc(lethe_dict_count(in->items), sizeof *number);
    lethe_err e = items && number ? rename_with(wn, merge, in, items, number) : LETHE_ENOMEM;
    lethe_free(number);
    if (e == LETHE_OK) return LETHE_OK;
    lethe_dict_free(items);
    return lethe_no_memory(d);
}

/* --- trees --- */

/* No item holds a space, so none is called as the root is. */
static lethe_err flat_tree(lethe_diag *d, const lethe_dict *items, lethe_tree **out)
{
    uint32_t n = lethe_dict_count(items);
    lethe_str *name = lethe_alloc((size_t)n + 1, sizeof *name);
    uint32_t *parent = lethe_alloc_zero((size_t)n + 1, sizeof *parent); // the root
    lethe_err e = name && parent ? LETHE_OK : lethe_no_memory(d);
    if (e == LETHE_OK) {
        name[0] = LETHE_LIT("all items");
        parent[0] = LETHE_NONE;
        for (uint32_t i = 0; i < n; i++)
            name[i + 1] = lethe_dict_at(items, i);
        qsort(name + 1, n, sizeof *name, lethe_strs_cmp);
        e = lethe_tree_from(d, n + 1, parent, name, out);
    }
    lethe_free_all(name, parent);
    return e;
}

static bool is_wordnet(const char *name)
{
    return name && (strcmp(name, "wordnet") == 0 || strcmp(name, "wordnet:present") == 0);
}

/* The tree, and items that are not in the list. */
static lethe_err tree_named(lethe_ctx *ctx, const lethe_binding *how, lethe_records *in,
                            lethe_tree **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    bool wordnet = is_wordnet(how->name);
    assert(how->wn || !wordnet);
    if (wordnet) LETHE_TRY(rename_items(d, how->wn, how->merge, in));
    if (how->sensitive) LETHE_TRY(lethe_records_mark(ctx, in, how->sensitive, how->strict));
    if (!how->name) return flat_tree(d, in->items, out);
    if (!wordnet) return lethe_tree_read(ctx, how->name, how->naming, out);
    if (strcmp(how->name, "wordnet:present") == 0) {
        // Of the nouns among the items.
        uint32_t n = 0, n_nouns = lethe_wordnet_nouns(how->wn),
                 *nouns = lethe_alloc(n_nouns, sizeof *nouns);
        bool *present = lethe_alloc_zero(n_nouns, sizeof *present);
        lethe_err e = nouns && present ? LETHE_OK : lethe_no_memory(d);
        for (uint32_t i = 0; e == LETHE_OK && i < lethe_dict_count(in->items); i++) {
            uint32_t noun = lethe_wordnet_find(how->wn, lethe_dict_at(in->items, i));
            if (noun != LETHE_NONE) present[noun] = true;
        }
        for (uint32_t i = 0; e == LETHE_OK && i < n_nouns; i++)
            if (present[i]) nouns[n++] = i;
        if (e == LETHE_OK) e = lethe_wordnet_tree(d, how->wn, nouns, n, how->merge, out);
        lethe_free_all(nouns, present);
        return e;
    }
    return lethe_wordnet_tree(d, how->wn, NULL, 0, how->merge, out);
}

lethe_err lethe_taxonomy_bind_as(lethe_ctx *ctx, const lethe_binding *how, lethe_records *in,
                                 lethe_records **out, lethe_tree **tree)
{
    lethe_tree *named = NULL, *grown = NULL;
    lethe_err e = tree_named(ctx, how, in, &named);
    if (e == LETHE_OK && how->sensitive)
        e = lethe_sensitive_apart(ctx, how->sensitive, named, is_wordnet(how->name));
    if (e == LETHE_OK && how->digest)
        e = lethe_tree_digest(lethe_ctx_diag(ctx), named, how->digest);
    if (e != LETHE_OK) {
        lethe_tree_free(named);
        lethe_records_free(in);
        return e;
    }
    e = lethe_records_bind(ctx, in, named, how->strict, out, &grown);
    if (e == LETHE_OK) *tree = grown ? grown : named;
    if (e != LETHE_OK || grown) lethe_tree_free(named);
    return e;
}

lethe_err lethe_taxonomy_bind(lethe_ctx *ctx, const char *name, const lethe_wordnet *wn, bool merge,
                              lethe_naming naming, bool strict, lethe_records *in,
                              lethe_records **out, lethe_tree **tree)
{
    lethe_binding how = {
        .name = name, .wn = wn, .merge = merge, .naming = naming, .strict = strict};
    return lethe_taxonomy_bind_as(ctx, &how, in, out, tree);
}
