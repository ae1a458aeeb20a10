/* SPDX-License-Identifier: Apache-2.0 */
/* item_search.h - is there knowledge of a few items that gives too much away?  The search goes
 * through all knowledge within a power (model/knowledge/knowledge.h): the definition, and nothing
 * cleverer.
 *
 * Knowledge is a set of *clues*: an item is there (+), or is not (-); and with kl.strict, one of
 * two or three children of a node is there.  Without kl.strict i+ and j- do not stand together
 * where j is below i.
 *
 * Two kinds of sets are left out, with all that contain them: a set of clues that the same records
 * satisfy as one of its subsets, since it says no more at a higher power; and one that no record
 * satisfies. */
#ifndef LETHE_CHECK_ITEM_SEARCH_H
#define LETHE_CHECK_ITEM_SEARCH_H
#include "check/item_sets.h"
#include "model/knowledge/knowledge.h"

typedef struct lethe_item_question {
    lethe_kl kl;
    bool by_share; /* a sensitive item is disclosed if more than the share h of the records has it;
                      else by kl.l */
    double h;
} lethe_item_question;

#define LETHE_CLUE_ITEMS 3

typedef struct lethe_clue {
    uint32_t item[LETHE_CLUE_ITEMS]; /* ascending; LETHE_NONE: no further one */
    bool negative;
} lethe_clue;

/* The counterexample with the fewest clues; of these the least, clues being ordered as follows.
 * Items that are there: the rarer first, then the deeper, then by number.  One of several: by their
 * parent, two before three, then by number.  Items that are not: fewer leaves first, then the
 * deeper, then by number. */
typedef struct lethe_item_finding {
    bool found;
    lethe_clue *clue; /* ascending, in that order; lethe_free() */
    uint32_t n;
    uint64_t support; /* records that satisfy it: fewer than k, or else */
    uint32_t mark;    /* so many of them have this sensitive item, the least; LETHE_NONE: too few */
    uint64_t with;    /* records it is */
} lethe_item_finding;

/* The same for any number of threads.  Reports LETHE_ENOMEM; LETHE_ECANCEL: nothing is decided. */
LETHE_MUST_CHECK lethe_err lethe_item_search(lethe_ctx *ctx, const lethe_item_sets *s,
                                             const lethe_item_question *q, lethe_item_finding *out);

#endif
