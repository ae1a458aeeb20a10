#include "lexicon/taxonomy.h"

/* --- items to words --- */

/* The word an item is: itself where that is a noun (what a log gave is reduced already, and to
 * reduce twice could lead elsewhere), else what it is reduced to; LETHE_NONE: no noun. */
static uint32_t noun_of(const lethe_wordnet *wn, bool merge, lethe_str item)
{
    uint32_t noun = lethe_wordnet_find(wn, item);
    if (noun == LETHE_NONE) noun = lethe_wordnet_reduce(wn, item);
    return noun != LETHE_NONE && merge ? lethe_wordnet_merged(wn, noun) : noun;
}

typedef struct renaming {
    lethe_dict *items;
    uint32_t *number; /* in the new dictionary, of each item in the old one */
    uint8_t *present; /* of each noun */
} renaming;

static lethe_err rename_items(renaming *r, const lethe_wordnet *wn, bool merge, lethe_records *in)
{
    uint32_t n = lethe_dict_count(in->items);
    r->items = lethe_dict_new();
    r->number = lethe_alloc(n, sizeof *r->number);
    r->present = lethe_alloc_zero(lethe_wordnet_nouns(wn), sizeof *r->present);
    if (!r->items || !r->number || !r->present) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        lethe_str item = lethe_dict_at(in->items, i);
        uint32_t noun = noun_of(wn, merge, item);
        if (noun != LETHE_NONE) {
            item = lethe_wordnet_noun(wn, noun);
            r->present[noun] = 1;
        }
        LETHE_TRY(lethe_dict_add(r->items, item, &r->number[i]));
    }
    uint32_t *items = (uint32_t *)in->item; // ours now: `in` was handed over
    for (uint64_t k = 0; k < in->start[in->n]; k++)
        items[k] = r->number[items[k]];
    lethe_dict_free(in->items);
    in->items = r->items;
    r->items = NULL;
    return LETHE_OK;
}

/* --- trees --- */

static lethe_err tree_of_present(lethe_diag *d, const lethe_wordnet *wn, bool merge,
                                 const uint8_t *present, lethe_tree **out)
{
    uint32_t n = 0, *nouns = lethe_alloc(lethe_wordnet_nouns(wn), sizeof *nouns);
    if (!nouns) return lethe_no_memory(d);
    for (uint32_t i = 0; i < lethe_wordnet_nouns(wn); i++)
        if (present[i]) nouns[n++] = i;
    lethe_err e = lethe_wordnet_tree(d, wn, nouns, n, merge, out);
    lethe_free(nouns);
    return e;
}

static lethe_err wordnet_tree(lethe_diag *d, const lethe_wordnet *wn, bool merge, bool of_present,
                              lethe_records *in, lethe_tree **out)
{
    renaming r = {0};
    lethe_err e = rename_items(&r, wn, merge, in);
    if (e != LETHE_OK)
        e = lethe_no_memory(d);
    else if (of_present)
        e = tree_of_present(d, wn, merge, r.present, out);
    else
        e = lethe_wordnet_tree(d, wn, NULL, 0, merge, out);
    lethe_dict_free(r.items);
    lethe_free(r.number);
    lethe_free(r.present);
    return e;
}

static lethe_err tree_named(lethe_ctx *ctx, const char *name, const lethe_wordnet *wn, bool merge,
                            lethe_naming naming, lethe_records *in, lethe_tree **out)
{
    bool present = strcmp(name, "wordnet:present") == 0;
    if (!present && strcmp(name, "wordnet") != 0) return lethe_tree_read(ctx, name, naming, out);
    assert(wn);
    return wordnet_tree(lethe_ctx_diag(ctx), wn, merge, present, in, out);
}

lethe_err lethe_taxonomy_bind(lethe_ctx *ctx, const char *name, const lethe_wordnet *wn, bool merge,
                              lethe_naming naming, bool strict, lethe_records *in,
                              lethe_records **out, lethe_tree **tree)
{
    lethe_tree *named = NULL, *grown = NULL;
    lethe_err e = tree_named(ctx, name, wn, merge, naming, in, &named);
    if (e != LETHE_OK) {
        lethe_records_free(in);
        return e;
    }
    e = lethe_records_bind(ctx, in, named, strict, out, &grown);
    if (e == LETHE_OK) *tree = grown ? grown : named;
    if (e != LETHE_OK || grown) lethe_tree_free(named);
    return e;
}
