/* SPDX-License-Identifier: Apache-2.0 */
/* threats.h - the sets of items that a generalization must not show: phase 1 of OG.
 * J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010,
 * section 4.3: the most general undecorated threats, by depth-first search of the inverse itemset
 * enumeration tree.
 *
 * A cut of the taxonomy is invalid if some threat has each of its items, stripped of + and -, at or
 * above an item of the cut.  So the most general threats, stripped, are enough; and of these
 * (Pruning IV) those without an item below a *locked* node, which no valid cut specializes since
 * all items of a threat are among its children.
 *
 * The tree that counts is that of the items present and all above them: the children of a node are
 * those at or above an item that is present.  Leaves are counted in the whole taxonomy. */
#ifndef LETHE_METHOD_ITEMSET_THREATS_THREATS_H
#define LETHE_METHOD_ITEMSET_THREATS_THREATS_H
#include "method/itemset/power.h"
#include "model/records/records.h"

/* Prunings that tests and benchmarks can turn off: only the time changes, and without LOCKED which
 * threats are listed. */
enum {
    LETHE_PRUNE_GLOBAL = 1,  /* I: what is a specialization of a threat */
    LETHE_PRUNE_LOCAL = 2,   /* II: what stands below or beside a threat */
    LETHE_PRUNE_GENERIC = 4, /* III: what is satisfied by the same sets as its parent */
    LETHE_PRUNE_LOCKED = 8,  /* IV: what is below a locked node */
};

typedef struct lethe_threats {
    size_t n;
    uint64_t *start; /* n + 1: threat i is item[start[i]] .. item[start[i + 1] - 1] */
    uint32_t *item;  /* nodes, ascending; threats in order of their items, a prefix first */
    uint8_t *locked; /* by node of the taxonomy: no valid cut specializes it.  Of such nodes that
                        are one above the other only the topmost is said; LOCKED off: none */
    uint64_t nodes;  /* itemsets of the enumeration tree that were examined, if any set has them */
    uint64_t stored; /* threats that were kept while searching: the count of Table 4.4 */
    /* The empty set is a threat: no cut is valid, and no other threat was looked for; n is 0. There
     * are sets, but fewer than k; or `common` is a sensitive item that is in too many of all, the
     * most frequent, else LETHE_NONE; or both. */
    bool empty;
    uint32_t common;
    uint64_t common_n; /* sets that have it */
} lethe_threats;

/* The sets: records bound to `t`, each with distinct items in ascending order (lethe_records_sets),
 * and sensitive items (`mark`).  Items are leaves, or nodes of a cut, none above another: then
 * these are what counts as leaves, save for power, which goes by the taxonomy's.  `without`: bits
 * of the above.
 *
 * What comes out is the same for any number of threads, also `nodes` and `stored`; threats without
 * GLOBAL or LOCAL are brought to the same list at the end.  A threat of the root alone is listed,
 * and is then the only one: no cut is valid.
 *
 * Memory: for each distinct set its items and all above them (in strict also the two and three
 * children that one of is there: see lethe_threats_clauses), 12 bytes each, and 8 bytes for each
 * sensitive item; a worker adds 8 bytes for each item of the sets that it is at, and threats 4
 * bytes per item and about 24 bytes more while they are stored.  Reports LETHE_EUSAGE for 2^32 - 1
 * sets or more, and LETHE_ENOMEM; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_threats_find(lethe_ctx *ctx, const lethe_records *sets,
                                              const lethe_tree *t, const lethe_kl *kl,
                                              unsigned without, lethe_threats *out);
void lethe_threats_free(lethe_threats *t);

#endif
