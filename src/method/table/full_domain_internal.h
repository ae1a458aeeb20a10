/* SPDX-License-Identifier: Apache-2.0 */
/* full_domain_internal.h - the levels of hierarchies, and the frequency sets of values at them. */
#ifndef LETHE_METHOD_TABLE_FULL_DOMAIN_INTERNAL_H
#define LETHE_METHOD_TABLE_FULL_DOMAIN_INTERNAL_H
#include "method/table/full_domain.h"
#include "method/table/tuples_internal.h"

/* The levels of a quasi-identifier.  A value is named by its place among the nodes of its level. */
typedef struct full_domain_levels {
    size_t qi;
    uint32_t n;         /* levels */
    uint32_t *n_nodes;  /* by level */
    uint32_t **node;    /* by level: its cut, ascending */
    uint32_t **of_node; /* by level and node: the place of the one above it, or itself */
    uint32_t **up;      /* by level but the last and place: the place one level up */
} full_domain_levels;

/* Levels times nodes at most; far beyond any hierarchy that is of use. */
enum { FULL_DOMAIN_LEVELS_MAX = 1 << 26 };

/* LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_full_domain_levels(lethe_arena *a, const lethe_tree *t, size_t qi,
                                                    full_domain_levels *out);

/* How many rows have which values and sensitive value: the frequency set of Incognito. */
typedef struct full_domain_counts {
    size_t n;
    uint32_t *sa, *count;
    uint32_t *population; /* where there is one */
    uint32_t *value;      /* n for each quasi-identifier of the subset, one after the other */
    size_t bytes;
} full_domain_counts;

/* A worker's room. */
typedef struct full_domain_room {
    lethe_arena *arena; /* NULL: not there yet */
    lethe_tuples_fold fold;
    uint64_t *size;                   /* by group: rows */
    uint32_t *n_values;               /* by group: sensitive values */
    uint64_t *population;             /* by group; where there is one */
    uint32_t *of_population;          /* by entry; likewise */
    uint32_t *group, *count, *source; /* by entry: its group, rows, where it was first met */
    size_t n;
    uint32_t n_groups;
    /* Where more is asked of sensitive columns: */
    uint32_t *start, *entry; /* by group: its entries, start[g] .. start[g + 1] - 1 */
    uint32_t *value, *with, *cut, *price_room; /* a group, as lethe_group_counts has it */
} full_domain_room;
LETHE_MUST_CHECK lethe_err lethe_full_domain_room(const lethe_tuples *t,
                                                  const lethe_group_demand *d, full_domain_room *r);

/* What to count: a subset of the quasi-identifiers, each at a level. */
typedef struct full_domain_point {
    size_t n;
    const full_domain_levels *const *ladder;
    const uint32_t *level;
} full_domain_point;

/* Counts the tuples at that point, into the room. */
void lethe_full_domain_scan(full_domain_room *r, const lethe_tuples *t, const full_domain_point *p);
/* The same from the counts at the point where quasi-identifier `which` of the subset is one level
 * lower. */
void lethe_full_domain_roll_up(full_domain_room *r, const full_domain_counts *from,
                               const lethe_tuples *t, const full_domain_point *p, size_t which);
/* Does every group in the room keep what is asked? */
bool lethe_full_domain_valid(full_domain_room *r, const lethe_tuples *t,
                             const lethe_group_demand *d, const full_domain_counts *from);
/* A copy of what is in the room, to roll up later; NULL: no memory.  Freed with lethe_free. */
full_domain_counts *lethe_full_domain_keep(const full_domain_room *r, const lethe_tuples *t,
                                           const full_domain_point *p,
                                           const full_domain_counts *from, size_t which);

#endif
