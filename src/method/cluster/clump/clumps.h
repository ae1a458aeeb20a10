/* clumps.h - records in groups of k, the greedy way.
 *
 * Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization", section
 * III, Algorithm 1, where it says too little or is mistaken resolved as docs/clump.md tells:
 *
 *   1. n groups.  Group i begins with the record at position i k of the order (from 0).
 *   2. Each further record in order: among the first r groups (by number) with fewer than k
 *      records, to the one whose GGD with it is least, not the one that grows least (`increase`
 *      for that); of several the lowest.  The phase ends as soon as no group has fewer than k.
 *   3. Each record that is left, in order: likewise, among all groups; r is not meant for these.
 *
 * k counts persons.  Where one of them has several records: n is the greatest number of groups that
 * there can be; group i begins at position floor(i |D| / n); a group is full at k persons; until
 * then a record goes to a group that lacks its person only (r counts such groups), and one that
 * finds none is left for phase 3; a group that is not full then is dissolved, its records being
 * left too.  One group at least is full: if none were, each person would be in min(records, n)
 * groups, which makes n k.  Where nobody has two records all that is the paper's. */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_CLUMPS_H
#define LETHE_METHOD_CLUSTER_CLUMP_CLUMPS_H
#include "method/cluster/clump/ancestors.h"

typedef struct lethe_clump_options {
    const lethe_tree *t;
    const lethe_records *records;  /* items are nodes of t */
    const lethe_ancestors *vector; /* theirs */
    const uint32_t *order;         /* the numbers of all records */
    bool each;                     /* every record is a person */
    uint64_t k;                    /* at least 1, at most the persons there are */
    uint64_t r;                    /* UINT64_MAX: all */
    bool increase;
    /* Groups have lethe_clump_buig(result so far, new record) for result in place of the least
     * common generalization, and cost what that costs. */
    bool buig;
} lethe_clump_options;

/* Nodes of a tree, ascending, a copy for each. */
typedef struct lethe_clump_bag {
    const uint32_t *item;
    size_t n;
} lethe_clump_bag;

typedef struct lethe_clump_groups {
    uint32_t n;              /* groups */
    uint32_t *group;         /* of each record */
    lethe_clump_bag *result; /* of each group, with `buig`; else NULL */
    uint64_t scored;         /* costs worked out, */
    uint64_t open;           /* of so many groups that were open when a record was placed */
} lethe_clump_groups;

/* The result lives in the arena.  The same for any number of threads: the placing is serial, as it
 * is by definition.  What lethe_generalized_fits refuses must not come here.  LETHE_ENOMEM,
 * LETHE_ECANCEL.  Progress: phase "clusters", a unit a record.
 *
 * Linear in the records for a given r, but for phase 3, where each record is compared with all
 * groups, if only by a bound.  That is fewer than k records in the paper's case; of a person who
 * owns a large share of them it is most, and the time then grows with the square of the records:
 * 6 s for 200,000 of which one owns nine tenths, 11 s where one owns half.  In a tree of one leaf
 * all costs are 0, and records go to the lowest group. */
LETHE_MUST_CHECK lethe_err lethe_clump_run(lethe_ctx *ctx, const lethe_clump_options *how,
                                           lethe_arena *a, lethe_clump_groups *out);

#endif
