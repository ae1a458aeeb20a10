/* SPDX-License-Identifier: Apache-2.0 */
/* holders.h - who holds a few known terms, and whom the adversary chooses: published users, or
 * records with items at or above the terms.  The strategies of known-terms.
 *
 * Of N holders (lines, where equal records are one holder), h shows size(h) different terms or
 * items.  A known term t is held by the lowest node v of h at or above it; of a log, v is t.
 *
 *   most   the number of known terms that h holds
 *   idf    the sum of log(N / n(v)) over the known terms that h holds, less log(size(h)) / 2;
 *          n(v): how many show something at or below v
 *   bayes  the sum of log(1 + p(t, h) / p(t)) over them, p(t, h) = 1 / (size(h) * leaves(v)) and
 *          p(t) its mean over all N: naive Bayes, where a known term comes from h or, as likely,
 *          from anybody
 *   near   a known term t that h is near to is worth log(1 + N / (100 m sqrt(size(h)))), m: how
 *          many are as near to t as h or nearer.  h is near to the terms that it holds and, where a
 *          release puts terms in the place of others, to those that a node of h is within `reach`
 *          edges of.  How near, the fewest edges from such a node tell; t goes to that node, of
 *          several the first, and of the terms that go to one node the one that is worth the most
 *          counts: what is published for one term is not published for another.  It is naive Bayes
 *          again, but a known term comes a hundred times as likely from anybody: most are near to
 *          many, and the rare ones decide
 *
 * Those with the best score are the candidates; holders without a known term never are, but by
 * `near`, for which one that is near is enough.
 * Scores are summed in the order of the terms and, where they differ by less than
 * LETHE_HOLDERS_TIE, are equal: what is equal by its formula is not told apart by rounding. */
#ifndef LETHE_ATTACK_HOLDERS_H
#define LETHE_ATTACK_HOLDERS_H
#include "core/mem.h"
#include "model/published/published_items.h"

enum {
    LETHE_HOLDERS_MOST,
    LETHE_HOLDERS_IDF,
    LETHE_HOLDERS_BAYES,
    LETHE_HOLDERS_NEAR,
    LETHE_HOLDERS_STRATEGIES
};
extern const char *const lethe_holders_strategies[LETHE_HOLDERS_STRATEGIES]; /* their names */
#define LETHE_HOLDERS_TIE 1e-9

/* Sets of keys, one for each holder; a key may come again. */
typedef struct lethe_holder_sets {
    const uint64_t *start;
    const uint32_t *item;
    uint32_t n_items;
    const uint32_t *key;                /* by item, LETHE_NONE: none; NULL: an item is its key */
    const lethe_published_items *items; /* in place of `key`: an item has several */
} lethe_holder_sets;

/* Who holds what.  A key is a term of the original, or a node of the taxonomy: then what stands at
 * the nodes above it is held too.  The caller sets the first part. */
typedef struct lethe_holders {
    size_t n;
    uint64_t total;         /* N: with those that hold nothing */
    const uint64_t *first;  /* n + 1: how many records one is, by lines; NULL: one each */
    const lethe_tree *tree; /* NULL: keys are no nodes */
    uint32_t n_keys;
    const uint32_t *key_of; /* by term, LETHE_NONE: nowhere; NULL: a term is its key */
    uint32_t reach; /* with a tree: edges over which terms may stand for each other; 0: none do */

    uint64_t *start, *end; /* by key: holder[start[k]] .. holder[end[k] - 1], ascending */
    uint32_t *holder;
    uint64_t n_entries; /* in `holder`, some of them not used */
    uint64_t *below;    /* by key: n(v) */
    uint32_t *size;     /* by holder */
    /* With a reach: nodes at or above what is shown, ascending; by node, how many before it. */
    uint32_t *shown, *n_shown_before;
} lethe_holders;

/* `wanted`: the terms that will be asked for, as a list.  All but what the caller set is made, in
 * `a`.  Memory: 4 bytes for each time that a wanted key, or a node above it, stands in a set (with
 * a reach, any key), 4 for each holder, 24 for each key and 8 more with a reach.  LETHE_ENOMEM (no
 * message).  x->n is below LETHE_NONE. */
LETHE_MUST_CHECK lethe_err lethe_holders_make(lethe_holders *x, const lethe_holder_sets *s,
                                              const lethe_u32s *wanted, lethe_arena *a);

/* A worker's scratch: 64 bytes for each holder, 8 for each key, 12 for each entry of a list.  Made
 * for what it will search, `n` of them.  NULL: no memory. */
typedef struct lethe_holder_search lethe_holder_search;
lethe_holder_search *lethe_holder_search_new(lethe_arena *a, const lethe_holders *x, size_t n);

/* What a strategy leaves: candidates, and those of them that are the person's own; lines. */
typedef struct lethe_holders_found {
    uint64_t candidates, own;
} lethe_holders_found;

/* Looks for who holds the n terms.  `own`: n_own holders that are the person's; one that is so many
 * of the person's records, so often.  Costs as many steps as the lists of the terms, and of what is
 * near them, are long, and what is shown within reach of them. */
void lethe_holders_find(const lethe_holders *x, lethe_holder_search *w, const uint32_t *term,
                        size_t n, const uint32_t *own, size_t n_own,
                        lethe_holders_found out[LETHE_HOLDERS_STRATEGIES]);

#endif
