/* topdown.h - records parted from the top of a taxonomy down, until parts would be too small.
 *
 * He & Naughton, "Anonymization of Set-Valued Data via Top-Down, Local Generalization", VLDB 2009.
 * A part is a set of records and a set of nodes, such that every record has an item below each of
 * the nodes, and none elsewhere.  It begins as {root} with all records.  To expand an inner node v
 * of a part, its records are grouped by the children of v that they touch:
 *
 *   - Groups that hold at least k persons become parts of their own, with the children they touch
 *     in place of v.
 *   - The records of all other groups are the leftover, a part that keeps v and may expand other
 *     nodes, but never v again.
 *   - Where a leftover is there but holds less than k persons, records are lent to it, one at a
 *     time: the one that loses the least by it, of equal ones the first in the input.  One may be
 *     lent if its group still holds k persons without it, and if its person is not in the leftover
 *     yet.  When the leftover holds k persons it has enough.
 *   - When no record can be lent before that, the whole group that loses the least is folded into
 *     the leftover (of equal ones the one whose children come first in preorder); those lent before
 *     stay there.  If that was the last group, v cannot be expanded in this part.
 *
 * What a record gains by an expansion is its loss of information before less that after: the sum
 * over its items below v of LM(v) - LM(the child of v above the item), copies counted.  An
 * expansion gains what the records in its groups gain.  Of the nodes that can be expanded the one
 * that gains the most is (BY_GAIN), or the one with the greatest loss as it stands, LM(v) times the
 * items below it (BY_MASS); of equal ones the first in preorder.  All in whole numbers.
 *
 * A person's records may be in several parts; each part holds k persons.  Where every record is a
 * person's own, these are the paper's rules.
 *
 * Cost: looking at v costs, for each record of the part, the children of v that it touches times a
 * logarithm of its length: no more than the items below v, and never the children nobody touches.
 * Looking is lazy: nodes wait under upper bounds, inherited from the part that this one was split
 * from (fewer records gain less), and are looked at only when their bound is the greatest; one that
 * cannot be expanded in a part cannot be in any below it, and is closed for good; a node with one
 * child present is not looked at, but counted once; and an expansion that keeps all records
 * together keeps all that is known.  So a part costs its records times the nodes that are still
 * open, and all of it the items times the depth of the tree times a logarithm, times how often a
 * record's part is split while a node stays open, which on sparse data is a small number. */
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

/* A part that nothing can be expanded in. */
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

/* The parts of the records that have items, who must hold at least k persons.  Parallel over parts;
 * the same for any number of threads.  No recursion: depth is bounded by memory only.  Memory: 4
 * bytes a record, 32 a node of a part; and for each worker 12 bytes a person and about 80 a record
 * of the largest part it has seen.  Fails for lack of memory (not said) or LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_topdown_run(lethe_ctx *ctx, const lethe_topdown_options *how,
                                             lethe_topdown_parts *out);
void lethe_topdown_parts_free(lethe_topdown_parts *p);

#endif
