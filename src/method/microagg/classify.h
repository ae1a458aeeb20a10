/* SPDX-License-Identifier: Apache-2.0 */
/* classify.h - the categories that a directory gives to the words of texts, counted level by level.
 * A. Erola and others, "Semantic microaggregation for the anonymization of query logs using the
 * Open Directory Project", 2011, sections 2.3 and 3.1, Algorithm 1.
 *
 * Every word that is not a mask is a term; a given number of its best categories count.  Each of
 * them adds 1 to itself and to all categories above it, down to level L: a deeper category counts
 * as its ancestor at L.  A path that ends before a level adds nothing there. */
#ifndef LETHE_METHOD_MICROAGG_CLASSIFY_H
#define LETHE_METHOD_MICROAGG_CLASSIFY_H
#include "method/microagg/group_search.h"
#include "method/microagg/user_texts.h"
#include "model/knowledge/directory.h"

/* Texts and their terms.  Immutable except for lethe_classes_cut(); thread-safe. */
typedef struct lethe_classes {
    const lethe_directory *dir;
    uint32_t n_texts, n_terms;
    uint64_t *term_start; /* n_texts + 1, into `term`: the terms of each text, in its order */
    uint32_t *term;
    uint64_t *category_start; /* n_terms + 1, into `category`: those of each term, best first */
    uint32_t *category;
    uint32_t *depth; /* of each term: the level of its deepest category; 0: it has none */
} lethe_classes;

/* Looks up every distinct term once, on all threads.  `most`: categories per term; 0: all. */
LETHE_MUST_CHECK lethe_err lethe_classes_new(lethe_ctx *ctx, const lethe_directory *dir,
                                             const lethe_dict *texts, uint32_t most,
                                             lethe_classes **out);
void lethe_classes_free(lethe_classes *c); /* NULL is fine */

/* Of all queries of all users, and of the occurrences of terms in them: how many there are, and for
 * l = 1 .. levels how many have a category at level l or deeper, a query by any of its terms. */
typedef struct lethe_classes_share {
    uint64_t *words, *queries; /* of l - 1 */
    uint64_t all_words, all_queries;
} lethe_classes_share;
/* Does not report LETHE_ENOMEM; then there is nothing to free. */
LETHE_MUST_CHECK lethe_err lethe_classes_reach(const lethe_classes *c, const lethe_user_texts *u,
                                               uint32_t levels, lethe_classes_share *out);
void lethe_classes_share_free(lethe_classes_share *r);
/* The deepest level that at least half of the queries reach, at least 1 and at most `most`: section
 * 4.2.1. */
LETHE_MUST_CHECK lethe_err lethe_classes_levels(const lethe_classes *c, const lethe_user_texts *u,
                                                uint32_t most, uint32_t *levels);

/* Replaces every category below level `levels` by its ancestor there. */
void lethe_classes_cut(lethe_classes *c, uint32_t levels);

/* Counts of categories; for one thread. */
typedef struct lethe_microagg_tally {
    const lethe_directory *dir;
    uint64_t *count;   /* of each category */
    uint32_t *touched; /* those whose count is not 0, unordered until sorted */
    uint32_t n;
} lethe_microagg_tally;
LETHE_MUST_CHECK lethe_err lethe_microagg_tally_new(const lethe_directory *dir,
                                                    lethe_microagg_tally *out);
void lethe_microagg_tally_free(lethe_microagg_tally *t);
void lethe_microagg_tally_clear(lethe_microagg_tally *t);
/* Adds a text `times` times; with `best`, only the first category of each of its terms. */
void lethe_microagg_tally_add(lethe_microagg_tally *t, const lethe_classes *c, uint32_t text,
                              uint64_t times, bool best);
void lethe_microagg_tally_sort(lethe_microagg_tally *t);

/* Counts the categories of each user's queries, users in parallel.  LETHE_EINPUT: more than 2^32 -
 * 1 of one category for one user. */
typedef struct lethe_user_interests {
    lethe_microagg_interests of;
    uint64_t *start;
    uint32_t *category, *count;
} lethe_user_interests;
LETHE_MUST_CHECK lethe_err lethe_user_interests_new(lethe_ctx *ctx, const lethe_classes *c,
                                                    const lethe_user_texts *u,
                                                    lethe_user_interests *out);
void lethe_user_interests_free(lethe_user_interests *i);

#endif
