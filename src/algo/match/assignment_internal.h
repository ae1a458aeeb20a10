/* SPDX-License-Identifier: Apache-2.0 */
/* assignment_internal.h - the state of one matching, for assignment*.c.
 *
 * Each left term is placed with a right term or, at the cost `nil`, with nobody.  If `nil` is more
 * than all weights together, or twice omega (two terms stay unmatched in place of one pair), a
 * cheapest placement of all left terms is a cheapest matching. */
#ifndef LETHE_ALGO_MATCH_ASSIGNMENT_INTERNAL_H
#define LETHE_ALGO_MATCH_ASSIGNMENT_INTERNAL_H
#include "algo/match/assignment.h"

typedef struct lethe_assign_left {
    size_t first;         /* of its pairs, which end where those of the next one begin */
    int64_t potential;    /* u: u[l] + v[r] <= weight(l, r), u[l] <= nil, equal where matched */
    uint64_t seen, leads; /* ties: the last search from the front and from behind that met it; */
    uint32_t via;         /* from the front: the left term that would take its place, */
    bool released;        /* or it need not be taken: it may become free; */
    uint32_t next;        /* from behind: the right term it would take, or LETHE_NONE */
    uint32_t spot;        /* its place in a list of them */
    uint32_t to;          /* its right term, or LETHE_NONE */
    uint32_t above;       /* in its component's tree; the least left term is the root */
    uint32_t n_left, n_right; /* of a root: terms of the component */
    uint32_t at;              /* of a root: where its lefts begin in `order` */
} lethe_assign_left;

typedef struct lethe_assign_right {
    int64_t potential; /* v: at most 0, and 0 where free */
    int64_t distance;  /* of the search */
    uint64_t seen;     /* the last search that met it */
    uint32_t owner;    /* its left term, or LETHE_NONE */
    uint32_t via;      /* the left term from which it was reached */
    uint32_t heap_at;  /* its place there; LETHE_NONE: settled */
    uint32_t first;    /* the first left term with a pair; LETHE_NONE: none */
    uint32_t bit;      /* its number in a small component */
    uint32_t spot;     /* ties: its place in a list of them */
} lethe_assign_right;

typedef struct lethe_assign_sorted_pair {
    uint64_t weight;
    size_t i; /* of the pair */
} lethe_assign_sorted_pair;

enum {
    LETHE_ASSIGN_TABLE_LEFT = 16,
    LETHE_ASSIGN_TABLE_RIGHT = 5,
    LETHE_ASSIGN_TINY_RIGHT = 4 /* up to this, components are not searched for */
};

struct lethe_assigner {
    const lethe_assign_pairs *pairs; /* of this call, as the rest */
    lethe_assign_left *left;         /* n_left + 1 */
    lethe_assign_right *right;
    uint32_t *order; /* left terms, component by component, each ascending; and room for
                        two more such lists */
    uint32_t *heap;  /* of right terms; room for two lists of them */
    lethe_assign_sorted_pair *sorted; /* twice cap_sorted */
    lethe_assigner *turned; /* the same with left and right exchanged; NULL: not needed so far */
    lethe_assign_pair *turned_pair;
    lethe_assign_pairs turned_pairs;
    size_t cap_left, cap_right, cap_sorted, cap_turned;
    int64_t nil;
    uint64_t round; /* searches so far: older marks do not count */
    uint32_t n_heap;
    int64_t table[(LETHE_ASSIGN_TABLE_LEFT + 1) << LETHE_ASSIGN_TABLE_RIGHT];
};

/* The left terms of one component, ascending, and the number of right terms. */
typedef struct lethe_assign_component {
    const uint32_t *left;
    uint32_t n_left, n_right;
} lethe_assign_component;

/* The cost of a part of the problem: left terms without partner, and the weights of the others. */
typedef struct lethe_assign_part {
    uint64_t unmatched;
    int64_t weight;
} lethe_assign_part;

/* assignment_paths.c: places left term l, where the others are placed at least cost; adds to *part.
 */
void lethe_assign_place(lethe_assigner *a, uint32_t l, lethe_assign_part *part);
/* assignment_ties.c: makes the matching the lexicographically least, once all terms of the
 * component are placed and the pairs are exchanged, too. */
void lethe_assign_settle(lethe_assigner *a, const lethe_assign_component *c);

#endif
