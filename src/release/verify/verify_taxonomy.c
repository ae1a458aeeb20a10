/* SPDX-License-Identifier: Apache-2.0 */
/* verify_taxonomy.c - is taxonomy.tsv of published records a part of the taxonomy that they were
 * generalized with?  The file says how many leaves of the whole taxonomy are below a node, which
 * cannot be seen from the release: a promise about what a person does not have counts them, so with
 * larger numbers it would hold of anything.  They are compared with a copy that the verifier has.
 *
 * An item of the original that is an inner node has a leaf of its own, `=NAME`.  Such leaves are in
 * no copy, and how many there are is known to the publisher alone: there is at most one per inner
 * node.  Within that bound they cannot be checked; then the claims are decided once more with the
 * leaves of the copy alone, and only if they do not hold so, the answer depends on the file. */
#include "release/verify/verify_internal.h"
#include "lexicon/taxonomy.h"
#include "model/published/published_tree.h"
#include <stdio.h>

bool lethe_claims_count_leaves(const lethe_json *claims)
{
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        if (lethe_claim_counts_leaves(lethe_json_at(claims, i))) return true;
    return false;
}

bool lethe_claim_counts_leaves(const lethe_json *claim)
{
    return lethe_str_eq(lethe_json_text(lethe_json_get(claim, "notion")),
                        LETHE_LIT("kl-privacy")) &&
           lethe_json_int(lethe_json_get(claim, "n")) > 0;
}

/* --- the verifier's copy --- */

static bool is_wordnet(const char *name) { return strcmp(name, "wordnet") == 0; }

static lethe_err copy_read(lethe_verification *v, const char *name, lethe_tree **out)
{
    lethe_ctx *ctx = v->p->ctx;
    const lethe_json *parameters = lethe_json_get(v->last_step, "parameters");
    lethe_wordnet *wn;
    if (!is_wordnet(name))
        return lethe_tree_read(
            ctx, name,
            lethe_manifest_of_records(v->p->manifest) ? LETHE_NAMES_ITEMS : LETHE_NAMES_TERMS, out);
    bool merge =
        lethe_str_eq(lethe_json_text(lethe_json_get(parameters, "synonyms")), LETHE_LIT("merge"));
    LETHE_TRY(lethe_wordnet_open(ctx, NULL, &wn));
    lethe_err e = lethe_wordnet_tree(lethe_ctx_diag(ctx), wn, NULL, 0, merge, out);
    lethe_wordnet_free(wn);
    return e;
}

/* --- the comparison --- */

/* A node of taxonomy.tsv beside the copy. */
struct listed {
    uint32_t there; /* in the copy; LETHE_NONE: a leaf of its own */
    uint32_t inner; /* inner nodes of the copy at or below it: each may have got a leaf */
    uint32_t more;  /* leaves that it has beyond those of the copy */
};

/* Is node v the leaf `=NAME` of an inner node NAME of the copy? */
static bool is_own_leaf(const lethe_published_tree *p, uint32_t v, const lethe_tree *t)
{
    if (v == 0 || !lethe_tree_is_leaf(p->tree, v) || p->leaves[v] != 1) return false;
    lethe_str name = lethe_tree_name(p->tree, v),
              above = lethe_tree_name(p->tree, p->tree->parent[v]);
    uint32_t up = lethe_tree_find(t, above);
    size_t marks = name.n > above.n ? name.n - above.n : 0;
    for (size_t i = 0; i < marks; i++)
        if (name.at[i] != '=') return false;
    return marks > 0 && memcmp(name.at + marks, above.at, above.n) == 0 && up != LETHE_NONE &&
           !lethe_tree_is_leaf(t, up);
}

/* Where v is in the copy; NULL: it is there, below the same parent, with at least as many leaves.
 * Otherwise what is wrong. */
static const char *node_place(const lethe_published_tree *p, uint32_t v, const lethe_tree *t,
                              struct listed *to)
{
    uint32_t there = lethe_tree_find(t, lethe_tree_name(p->tree, v)), up = LETHE_NONE;
    *to = (struct listed){.there = there, .more = 1};
    if (there == LETHE_NONE) return is_own_leaf(p, v, t) ? NULL : "it is not in the taxonomy";
    if (v > 0) up = lethe_tree_find(t, lethe_tree_name(p->tree, p->tree->parent[v]));
    if (t->parent[there] != up) return "it is below another node in the taxonomy";
    if (p->leaves[v] < t->leaves[there]) return "it has more leaves in the taxonomy";
    to->inner = t->end[there] - there - t->leaves[there];
    to->more = p->leaves[v] - t->leaves[there];
    return NULL;
}

/* Could the leaves of v that the copy lacks be leaves of inner nodes?  Those of listed children are
 * known; v itself, and inner nodes below it that are not listed, may have one each. */
static bool could_have_got(const lethe_tree *shown, uint32_t v, const struct listed *at)
{
    uint64_t known = 0, free = at[v].inner;
    for (uint32_t c = lethe_tree_first(shown, v); c < shown->end[v]; c = shown->end[c]) {
        known += at[c].more;
        free -= at[c].there == LETHE_NONE ? 1 : at[c].inner;
    }
    return at[v].more >= known && at[v].more - known <= free;
}

static lethe_err node_refuse(lethe_verification *v, lethe_str name, const char *cause)
{
    char shown[80], text[240];
    lethe_show(shown, sizeof shown, name);
    snprintf(text, sizeof text, "taxonomy.tsv is not a part of the taxonomy: '%s': %s", shown,
             cause);
    return lethe_verify_refuse(v, text);
}

/* *more: leaves of inner nodes, as far as the file is to be believed. */
static lethe_err nodes_compare(lethe_verification *v, const lethe_published_tree *p,
                               const lethe_tree *t, struct listed *at, uint32_t *more)
{
    for (uint32_t u = 0; u < p->tree->n; u++) {
        const char *wrong = node_place(p, u, t, &at[u]);
        if (wrong) return node_refuse(v, lethe_tree_name(p->tree, u), wrong);
    }
    for (uint32_t u = 0; u < p->tree->n; u++)
        if (at[u].there != LETHE_NONE && !could_have_got(p->tree, u, at))
            return node_refuse(v, lethe_tree_name(p->tree, u),
                               "it has fewer leaves in the taxonomy");
    *more = at[0].more;
    if (*more == 0) return LETHE_OK;
    v->least_leaves = lethe_alloc(p->tree->n, sizeof *v->least_leaves);
    if (!v->least_leaves) return lethe_no_memory(v->p->ctx);
    for (uint32_t u = 0; u < p->tree->n; u++)
        v->least_leaves[u] = at[u].there == LETHE_NONE ? 1 : t->leaves[at[u].there];
    return LETHE_OK;
}

static lethe_err compare(lethe_verification *v, const lethe_tree *t, uint32_t *more)
{
    lethe_published_tree *p = NULL;
    lethe_err e = lethe_published_tree_read(v->p->ctx, v->p->dirfd, &p);
    if (e == LETHE_EINPUT) return lethe_verify_refuse(v, "the published data is malformed");
    LETHE_TRY(e);
    struct listed *at = lethe_alloc_zero(p ? p->tree->n : 1, sizeof *at);
    e = !at ? lethe_no_memory(v->p->ctx) : p ? nodes_compare(v, p, t, at, more) : LETHE_OK;
    lethe_free(at);
    lethe_published_tree_free(p);
    return e;
}

/* --- what is decided --- */

/* Compares with a copy whose digest is the manifest's, or which the manifest has no digest of.
 * *why: what stays unchecked; empty: nothing. */
static lethe_err copy_compare(lethe_verification *v, const char *name, lethe_str said,
                              char why[LETHE_LEAVES_TEXT])
{
    lethe_tree *t = NULL;
    char digest[LETHE_TREE_DIGEST];
    uint32_t more = 0;
    LETHE_TRY(copy_read(v, name, &t));
    lethe_err e = lethe_tree_digest(lethe_ctx_diag(v->p->ctx), t, digest);
    bool same = e == LETHE_OK && (said.n == 0 || lethe_str_eq(said, lethe_str_of(digest)));
    if (e == LETHE_OK && !same && !v->taxonomy)
        snprintf(why, LETHE_LEAVES_TEXT,
                 "how many leaves the nodes of taxonomy.tsv have: the installed WordNet is not the "
                 "one of the manifest (give --taxonomy)");
    else if (e == LETHE_OK && !same)
        e = lethe_verify_refuse(v, "the manifest has the digest of another taxonomy");
    else if (e == LETHE_OK)
        e = compare(v, t, &more);
    if (e == LETHE_OK && more > 0)
        snprintf(why, LETHE_LEAVES_TEXT,
                 "leaves that taxonomy.tsv counts and the taxonomy does not have (%lu): they stand "
                 "for items of the original that are not leaves",
                 (unsigned long)more);
    lethe_tree_free(t);
    return e;
}

/* Two digits per byte, as lethe_tree_digest writes them. */
static bool is_digest(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("0123456789abcdef", s.at[i]) || !s.at[i]) return false;
    return s.n == LETHE_TREE_DIGEST - 1;
}

lethe_err lethe_verify_taxonomy(lethe_verification *v)
{
    const lethe_json *parameters = lethe_json_get(v->last_step, "parameters"),
                     *digest = lethe_json_get(parameters, LETHE_TAXONOMY_DIGEST);
    lethe_str said = lethe_json_text(digest),
              name = lethe_json_text(lethe_json_get(parameters, "taxonomy"));
    bool counts = lethe_claims_count_leaves(lethe_json_get(v->p->manifest, "claims")),
         wordnet = lethe_str_eq(name, LETHE_LIT("wordnet")),
         of_words = lethe_str_eq(name, LETHE_LIT("wordnet:present"));
    char *why = v->leaves_unchecked;
    if (digest && (!counts || of_words || !is_digest(said)))
        return lethe_verify_refuse(v, "the manifest's steps are not steps of lethe");
    if (v->taxonomy && !of_words) return copy_compare(v, v->taxonomy, said, why);
    if (!counts) return LETHE_OK;
    if (of_words)
        snprintf(why, LETHE_LEAVES_TEXT,
                 "how many leaves the nodes of taxonomy.tsv have: the taxonomy was made from the "
                 "words of the original");
    else if (wordnet && digest && lethe_wordnet_installed(lethe_ctx_wordnet_dir(v->p->ctx)))
        return copy_compare(v, "wordnet", said, why);
    else
        snprintf(why, LETHE_LEAVES_TEXT,
                 "how many leaves the nodes of taxonomy.tsv have (give --taxonomy)");
    return LETHE_OK;
}

/* Do the claims hold with the least leaves that there can be?  Then they do with any: whoever may
 * know of so many absent leaves knows most where they are fewest. */
static lethe_err least_check(lethe_verification *v, bool *hold)
{
    lethe_json *figures = v->p->figures, *verdict;
    *hold = false;
    if (!v->least_leaves) return LETHE_OK;
    v->p->leaves = v->least_leaves;
    v->p->figures = NULL; // they are counted already
    lethe_err e =
        lethe_claims_check(v->p, lethe_json_get(v->p->manifest, "claims"), NULL, v->doc, &verdict);
    v->p->leaves = NULL;
    v->p->figures = figures;
    *hold = e == LETHE_OK;
    return e == LETHE_ANSWER_NO ? LETHE_OK : e;
}

lethe_err lethe_verify_leaves_say(lethe_verification *v)
{
    bool hold;
    lethe_json *checks = (lethe_json *)lethe_json_get(v->verdict, "checks"); // ours: made here
    if (!v->leaves_unchecked[0] ||
        !lethe_claims_count_leaves(lethe_json_get(v->p->manifest, "claims")))
        return LETHE_OK;
    LETHE_TRY(least_check(v, &hold));
    if (hold) return LETHE_OK;
    lethe_verify_unchecked(v, v->leaves_unchecked);
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        lethe_json *check = (lethe_json *)lethe_json_at(checks, i);
        if (lethe_claim_counts_leaves(check))
            lethe_set_text(v->doc, check, "if", "taxonomy.tsv counts leaves truly");
    }
    return LETHE_OK;
}
