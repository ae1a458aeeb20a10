/* SPDX-License-Identifier: Apache-2.0 */
/* closed.h - the most frequent closed itemsets.
 *
 * A set of items is closed if no larger set is in just the same transactions.  Top-n without a
 * support given: J. Han, J. Wang, Y. Lu, P. Tzvetkov, "Mining Top-K Frequent Closed Patterns
 * without Minimum Support", ICDM 2002, which J. Liu, "Enhancing Utility in Privacy Preserving
 * Data Publishing", 2010, asks for in section 5.5.2.  The search
 * is that of T. Uno, T. Asai, Y. Uchida, H. Arimura, "An Efficient Algorithm for Enumerating Closed
 * Patterns in Transaction Databases", DS 2004 (LCM): every closed set is made once, by a
 * prefix-preserving closure extension of another, and nothing found need be kept to know that.
 * Where we depart: the support that is needed rises while sets are found, frequent items being
 * searched first; equal transactions are one from the start, but are not merged anew for each set;
 * what is too rare beside the item searched from is left out of its transactions.
 *
 * Ties.  A closed set is among the top n if fewer than n closed sets have more support (Han et
 * al.). So all those with the support of the n-th are, and there may be more than n.  The empty set
 * is none of them. */
#ifndef LETHE_ALGO_MINE_CLOSED_H
#define LETHE_ALGO_MINE_CLOSED_H
#include "core/ctx.h"
#include "model/records/records.h"

/* Bags of items; one with none counts in no support, but is a transaction like any other. */
typedef struct lethe_transactions {
    size_t n;
    const uint64_t *start;  /* n + 1: transaction i is item[start[i]] .. item[start[i + 1] - 1] */
    const uint32_t *item;   /* below n_items; in any order */
    const uint32_t *weight; /* how often each is there, 0 too; NULL: once */
    uint32_t n_items;
} lethe_transactions;

/* Records as they stand; `n_items` as above. */
static inline lethe_transactions lethe_transactions_of(const lethe_records *r, uint32_t n_items)
{
    return (lethe_transactions){.n = r->n, .start = r->start, .item = r->item, .n_items = n_items};
}

typedef struct lethe_closed_asked {
    uint64_t n;       /* the n most frequent, with ties; 0: all */
    uint64_t support; /* the least that counts; 0 is as 1 */
    uint32_t longest; /* closed sets of more items are not wanted; 0: they are */
    uint64_t most;    /* where ties make more than that, they are left out; 0: they never are */
    bool copies; /* an item that a transaction holds twice is in it twice, and sets are bags: in a
                    transaction if it has as many copies.  Else copies count once, as Liu has
                    it (section 5.6.3) */
} lethe_closed_asked;

/* Exactly the closed sets of at least one and at most `longest` items whose support is `least` or
 * more; by support, the greatest first, then size, then items.  `least` is the greatest of what was
 * asked for, the support of the n-th, and the least at which there are at most `most` of them. */
typedef struct lethe_itemsets {
    size_t n;
    const uint64_t *support;
    const uint64_t *start; /* n + 1: set i is item[start[i]] .. item[start[i + 1] - 1] */
    const uint32_t *item;  /* ascending; a copy each */
    uint64_t least;
    bool tied_out;      /* were there more than `most`, so that some are left out? */
    lethe_arena *arena; /* this and all of the above lives there */
} lethe_itemsets;

/* The same for any number of threads.  Time: at worst, for every closed set found, what the
 * transactions that hold it have together.  Memory, with E items in the distinct transactions, T of
 * those, I items and N transactions: 12 E + 16 T + 4 N + O(I) and as much again while it is made,
 * 8 E + O(I) and 20 for each item of the transactions of one item, at most 20 E + 20 T, for each
 * worker, and what is found: all that has the support known to be needed so far, at most twice, and
 * 48 bytes for each set.  LETHE_ENOMEM, said; LETHE_EUSAGE where weights add up to 2^32 - 1 or
 * more; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_closed_find(lethe_ctx *ctx, const lethe_transactions *t,
                                             const lethe_closed_asked *asked, lethe_itemsets **out);
void lethe_itemsets_free(lethe_itemsets *s); /* NULL is fine */
/* Which sets hold each of `n_items` items, in `a`: those of x are holding[first[x]] ..
 * holding[first[x + 1] - 1], ascending.  LETHE_ENOMEM comes without a message. */
LETHE_MUST_CHECK lethe_err lethe_itemsets_index(const lethe_itemsets *s, size_t n_items,
                                                lethe_arena *a, uint64_t **first,
                                                uint32_t **holding);

#endif
