/* SPDX-License-Identifier: Apache-2.0 */
/* moles.h - the items to remove from all sets for (h,k,p)-coherence: MM.
 * Y. Xu, K. Wang, A. Fu and P. Yu, "Anonymizing Transaction Databases for Publication", KDD 2008.
 *
 * A *mole* is a combination of at most p items that is in some but fewer than k sets, or of whose
 * sets more than the share h have some one sensitive item.  It is minimal if no part of it is one.
 * Items that are moles by themselves are removed first.  Then, while a minimal mole is left, the
 * item is removed for which (minimal moles that have it) / (sets that have it) is greatest; of
 * equal ones the lowest.  Removing an item makes no new mole, and every mole contains a minimal
 * one: so they are found once, and in the end none is left. */
#ifndef LETHE_METHOD_ITEMSET_MOLES_H
#define LETHE_METHOD_ITEMSET_MOLES_H
#include "core/mem.h"
#include "model/records/records.h"

typedef struct lethe_moles_coherence {
    double h;   /* 0 to 1; 1: sensitive items are not protected */
    uint64_t k; /* from 1 on */
    uint32_t p; /* from 1 on */
} lethe_moles_coherence;

/* A quotient rounds as the share did when it was read: 29 of 100 are no more than 0.29. */
static inline bool lethe_moles_tells(const lethe_moles_coherence *c, uint64_t with, uint64_t sets)
{
    return sets > 0 && (double)with / (double)sets > c->h;
}

typedef struct lethe_moles {
    /* The combination of no items may be a mole, too.  Then nothing helps, and no other was looked
     * for: there are fewer than k sets (`few`), or `common` (else LETHE_NONE) is the most frequent
     * sensitive item of all sets, and too frequent; or both. */
    bool few;
    uint32_t common;
    uint64_t common_n;
    uint8_t *suppressed;   /* by item; in the arena */
    uint32_t n_suppressed; /* items, */
    uint64_t occurrences;  /* and where they were */
    uint64_t minimal;      /* minimal moles, with items that are one */
} lethe_moles;

/* The sets: distinct items in ascending order, below n_items, and sensitive items
 * (lethe_records_sets).  One thread.  Memory: see lethe_moles_need().  Reports LETHE_EUSAGE for
 * 2^32 - 1 sets or more, and LETHE_ENOMEM; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_moles_suppress(lethe_ctx *ctx, const lethe_records *sets,
                                                uint32_t n_items, const lethe_moles_coherence *c,
                                                lethe_arena *a, lethe_moles *out);

/* What that needs, in bytes.  Places take 8 bytes per occurrence of an item that is no mole, once
 * for single items and, with p above 2, once more for each further item of a combination, at most;
 * the arrays by item 45 bytes, and 13 for each item of a combination.  A minimal mole of two items
 * takes some 60: 24 of slots, two to four of 8 bytes each; 20 for its start and items, in arrays
 * that grow by a quarter; and in the end 17 for the lists of moles by item.  How
 * many moles there are is estimated from those of some items; moles of three and more, which are
 * found only by looking for them, are not counted.  NULL: records are still being read. */
uint64_t lethe_moles_need(const lethe_records *sets, uint32_t n_items,
                          const lethe_moles_coherence *c, const lethe_sizes *s);

#endif
