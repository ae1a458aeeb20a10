/* SPDX-License-Identifier: Apache-2.0 */
/* topdown.h - records divided from the top of a taxonomy down, until parts would be too small.
 *
 * He & Naughton, "Anonymization of Set-Valued Data via Top-Down, Local Generalization", VLDB 2009.
 * A part is a set of records and a set of nodes such that every record has an item below each of
 * the nodes, and none elsewhere.  The first part is {root} with all records.  To expand an inner
 * node v of a part, its records are grouped by the children of v that they touch:
 *
 *   - Groups of at least k persons become parts of their own, with the children they touch in place
 *     of v.
 *   - The records of all other groups are the leftover, a part that keeps v and may expand other
 *     nodes, but never v again.
 *   - If there is a leftover of fewer than k persons, records are lent to it, one at a time: the
 * one that loses the least by it, ties to the first in the input.  A record may be lent if its
 * group still has k persons without it and its person is not in the leftover yet.  It ends when the
 *     leftover has k persons.
 *   - If no record can be lent before that, the whole group that loses the least is folded into the
 *     leftover (ties to the one whose children come first in preorder); records lent before stay
 *     there.  If that was the last group, v cannot be expanded in this part.
 *
 * A record gains by an expansion its loss of information before less that after: the sum over its
 * items below v of LM(v) - LM(the child of v above the item), copies counted.  An expansion gains
 * what the records in its groups gain.  The node to expand next is the one that gains the most
 * (BY_GAIN), or the one with the greatest current loss, LM(v) times the items below it (BY_MASS);
 * ties go to the first in preorder.  All numbers are whole.
 *
 * The records of a person may be in several parts; each part holds k persons.  Where every record
 * has a person of its own, these are the paper's rules.
 *
 * Cost: to evaluate v takes, for each record of the part, the children of v that it touches times a
 * logarithm of its length: no more than the items below v, and nothing for children that nobody
 * touches.  Evaluation is lazy.  Nodes wait under upper bounds inherited from the part that this
 * one was split from (fewer records gain less), and are evaluated only when their bound is the
 * greatest; a node that cannot be expanded in a part cannot be in any below it, and is closed for
 * good; a node with one child present is only counted, once; and an expansion that keeps all
 * records together keeps everything that is known.  So a part costs its records times the nodes
 * that are still open, and the whole costs the items times the depth of the tree times a logarithm,
 * times how often a record's part is split while a node stays open, which is a small number on
 * sparse data. */
#ifndef LETHE_METHOD_CLUSTER_PARTITION_TOPDOWN_H
#define LETHE_METHOD_CLUSTER_PARTITION_TOPDOWN_H
#include "method/cluster/partition/induced_tree.h"

typedef struct lethe_topdown_options {
    const lethe_induced_tree *records;
    size_t n;              /* records */
    const uint32_t *owner; /* the person of each record, 0 .. n_owners - 1; NULL: its own */
    uint32_t n_owners;
    uint64_t k;   /* at least 1 */
    bool by_mass; /* BY_MASS */
} lethe_topdown_options;

/* A part in which nothing can be expanded. */
typedef struct lethe_topdown_part {
    uint32_t *member; /* records, ascending */
    size_t n_members;
    uint32_t *node; /* of `records`, ascending */
    size_t n_nodes;
} lethe_topdown_part;

typedef struct lethe_topdown_parts {
    lethe_topdown_part *at; /* in order of their first records */
    size_t n;
} lethe_topdown_parts;

/* The parts of the records that have items, which must be of at least k persons.  Parallel over
 * parts; the same for any number of threads.  No recursion: depth is limited by memory only.
 * Memory: 4 bytes per record, 32 per node of a part; for each worker 12 bytes per person and about
 * 80 per record of its largest part.  LETHE_ENOMEM without a message, or LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_topdown_run(lethe_ctx *ctx, const lethe_topdown_options *how,
                                             lethe_topdown_parts *out);
void lethe_topdown_parts_free(lethe_topdown_parts *p);

#endif
