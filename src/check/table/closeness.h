/* SPDX-License-Identifier: Apache-2.0 */
/* closeness.h - how far is the distribution of a group's sensitive values from that of the whole
 * table?  The earth mover's distance for three ground distances.  N. Li, T. Li, S.
 * Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007,
 * section 3.
 *
 * Distances are fractions of whole numbers, and compared as such.  Of a group of n of the N rows, a
 * value that c and C rows have is c N - C n too frequent, in units of 1/(n N): below 2^64, since
 * tables have fewer than 2^32 rows.  A sum over values, or times a height, is below 2^96. */
#ifndef LETHE_CHECK_TABLE_CLOSENESS_H
#define LETHE_CHECK_TABLE_CLOSENESS_H
#include "core/mem.h"
#include "model/table/theta.h"

__extension__ typedef unsigned __int128 lethe_wide;

typedef enum lethe_ground {
    LETHE_GROUND_EQUAL,       /* any two values: 1 */
    LETHE_GROUND_ORDERED,     /* the i-th and the k-th of m numbers: |i - k| / (m - 1) */
    LETHE_GROUND_HIERARCHICAL /* the height of the lowest node above both / that of the root, the
                                 height of a node being the longest way down from it */
} lethe_ground;

/* The distribution of a table over places: values, ranks of numbers, or nodes. */
typedef struct lethe_closeness {
    lethe_ground ground;
    uint32_t n;     /* places */
    uint64_t total; /* rows, below 2^32 */
    uint64_t *rows; /* by place; by node: of all leaves below it too */
    /* LETHE_GROUND_ORDERED, by place: */
    uint64_t *up_to; /* rows there and before */
    uint64_t *sums;  /* of up_to[0] .. up_to[i - 1]; one more than places */
    /* LETHE_GROUND_HIERARCHICAL, by node: */
    const uint32_t *parent; /* smaller than the node's own number; the root is 0 */
    uint32_t *height;
    struct lethe_node_share *share; /* scratch */
    uint32_t *touched;              /* scratch */
} lethe_closeness;

/* In `a`.  `rows`: by place, of a hierarchy of the leaves alone; taken over and changed.  `parent`:
 * of a hierarchy; borrowed.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_closeness_init(lethe_closeness *c, lethe_arena *a,
                                                lethe_ground ground, uint32_t n, uint64_t *rows,
                                                const uint32_t *parent);

/* So many rows of a group are there. */
typedef struct lethe_rows_at {
    uint32_t place;
    uint64_t rows;
} lethe_rows_at;
typedef struct lethe_distance {
    lethe_wide num, den; /* below 2^96; den is above 0 */
} lethe_distance;
/* Of a group that has at least one row; sorts `at`.  Of a hierarchy the places are leaves.  Changes
 * the scratch of `c`, so not from two threads at once. */
lethe_distance lethe_closeness_of(lethe_closeness *c, lethe_rows_at *at, size_t n);

/* Is the distance larger than t? */
bool lethe_is_further(lethe_distance d, lethe_theta t);
static inline double lethe_distance_value(lethe_distance d)
{
    return (double)d.num / (double)d.den;
}

#endif
