/* SPDX-License-Identifier: Apache-2.0 */
/* clumps.h - records in groups of k, by the greedy algorithm.
 *
 * Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization", section
 * III, Algorithm 1; what it leaves open or gets wrong is resolved as docs/clump.md says:
 *
 *   1. n groups.  Group i begins with the record at position i k of the order (from 0).
 *   2. Each further record, in order, joins one of the first r groups (by number) that have fewer
 *      than k records: the one whose GGD with it is least or, with `increase`, grows least; ties go
 *      to the lowest.  The phase ends as soon as no group has fewer than k.
 *   3. Each record that is left, in order, joins likewise the best of all groups, without r.
 *
 * k counts persons.  Where a person has several records: n is the greatest possible number of
 * groups; group i begins at position floor(i |D| / n); a group is full at k persons; until then a
 * record joins only a group that lacks its person (r counts such groups), and one that finds none
 * is left for phase 3; a group that is not full then is dissolved, and its records are left, too.
 * At least one group is full: if none were, each person would be in min(records, n) groups, and
 * these are n k together.  Where nobody has two records this is the paper's algorithm. */
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
    bool buig; /* the result of a group, and so its cost, is lethe_clump_buig(result so far, new
                  record) in place of the least common generalization */
} lethe_clump_options;

/* Nodes of a tree, ascending, one entry per copy. */
typedef struct lethe_clump_bag {
    const uint32_t *item;
    size_t n;
} lethe_clump_bag;

typedef struct lethe_clump_groups {
    uint32_t n;              /* groups */
    uint32_t *group;         /* of each record */
    lethe_clump_bag *result; /* of each group, with `buig`; else NULL */
    uint64_t scored;         /* costs computed */
    uint64_t open;           /* sum over placed records of the groups that were open */
} lethe_clump_groups;

/* The result lives in the arena.  The same for any number of threads: placing is serial by
 * definition.  The input must have passed lethe_generalized_fits.  LETHE_ENOMEM, LETHE_ECANCEL.
 * Progress: phase "clusters", one unit per record.
 *
 * Linear in the records for a given r, except for phase 3, where each record is compared with all
 * groups, if only by a bound.  That is fewer than k records in the paper's case; where one person
 * owns a large share of the records it is most of them, and the time grows with their square: 6 s
 * for 200,000 records of which one person owns nine tenths, 11 s where one owns half.  In a tree of
 * one leaf all costs are 0, and records join the lowest group. */
LETHE_MUST_CHECK lethe_err lethe_clump_run(lethe_ctx *ctx, const lethe_clump_options *how,
                                           lethe_arena *a, lethe_clump_groups *out);

#endif
