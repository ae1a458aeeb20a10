/* classify.h - what texts are about: the categories that a directory has for their words, counted
 * level by level.  A. Erola and others, "Semantic microaggregation for the anonymization of query
 * logs using the Open Directory Project", 2011, sections 2.3 and 3.1, Algorithm 1.
 *
 * A word that is no mask is a term; its first categories count, as many as are wanted.  Each of
 * them adds 1 to itself and to all above it, down to level L: what is deeper counts as what is
 * above it at L.  A path that ends before a level adds nothing there. */
#ifndef LETHE_METHOD_MICROAGG_CLASSIFY_H
#define LETHE_METHOD_MICROAGG_CLASSIFY_H
#include "method/microagg/group_search.h"
#include "method/microagg/user_texts.h"
#include "model/knowledge/directory.h"

/* Texts and their terms.  Immutable but for lethe_classes_cut(); safe from several threads. */
typedef struct lethe_classes {
    const lethe_directory *dir;
    uint32_t n_texts, n_terms;
    uint64_t *term_start; /* n_texts + 1: the terms of each text, as they stand there, in */
    uint32_t *term;
    uint64_t *category_start; /* n_terms + 1: the categories of each term, best first, in */
    uint32_t *category;
    uint32_t *depth; /* of each term: its deepest category's level; 0: it has none */
} lethe_classes;

/* Looks every distinct term up once, on all threads.  `most`: categories of a term; 0: all. */
LETHE_MUST_CHECK lethe_err lethe_classes_new(lethe_ctx *ctx, const lethe_directory *dir,
                                             const lethe_dict *texts, uint32_t most,
                                             lethe_classes **out);
void lethe_classes_free(lethe_classes *c); /* NULL is fine */

/* Occurrences of terms in all queries of all users: *all, and reach[l - 1] of them with a category
 * at level l or below it, for l = 1 .. levels. */
void lethe_classes_reach(const lethe_classes *c, const lethe_user_texts *u, uint32_t levels,
                         uint64_t *reach, uint64_t *all);
/* The deepest level that at least half of them reach, at least 1 and at most `most`. */
LETHE_MUST_CHECK lethe_err lethe_classes_levels(const lethe_classes *c, const lethe_user_texts *u,
                                                uint32_t most, uint32_t *levels);

/* From now on a category below level L is the one above it at L. */
void lethe_classes_cut(lethe_classes *c, uint32_t levels);

/* A sum of categories: one thread's own. */
typedef struct lethe_microagg_tally {
    const lethe_directory *dir;
    uint64_t *count;   /* of each category */
    uint32_t *touched; /* those that are not 0, in no order until lethe_microagg_tally_sort() */
    uint32_t n;
} lethe_microagg_tally;
LETHE_MUST_CHECK lethe_err lethe_microagg_tally_new(const lethe_directory *dir,
                                                    lethe_microagg_tally *out);
void lethe_microagg_tally_free(lethe_microagg_tally *t);
void lethe_microagg_tally_clear(lethe_microagg_tally *t);
/* Adds a text `times` times; with `best` only the first category of each of its terms. */
void lethe_microagg_tally_add(lethe_microagg_tally *t, const lethe_classes *c, uint32_t text,
                              uint64_t times, bool best);
void lethe_microagg_tally_sort(lethe_microagg_tally *t);

/* What each user's queries are about, users in parallel.  LETHE_EINPUT: more than 2^32 - 1 of one
 * category for one user. */
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
