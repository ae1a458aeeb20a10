/* SPDX-License-Identifier: Apache-2.0 */
/* topdown_internal.h - one expansion: which parts the records of a part would go to. */
#ifndef LETHE_METHOD_CLUSTER_PARTITION_TOPDOWN_INTERNAL_H
#define LETHE_METHOD_CLUSTER_PARTITION_TOPDOWN_INTERNAL_H
#include "method/cluster/partition/topdown.h"
#include "core/mem.h"

/* A member of the part has items below a child of v. */
typedef struct lethe_topdown_touch {
    uint32_t member; /* its place in the part */
    uint32_t child;  /* its place among the children of v */
    uint32_t next;   /* the next touch of this child; LETHE_NONE: none */
} lethe_topdown_touch;

/* Members that touch the same children. */
typedef struct lethe_topdown_class {
    uint64_t gain;
    uint32_t size, persons;
    uint32_t first; /* a member that was in it from the beginning */
    uint32_t from;  /* where its members begin in `order` */
    bool kept;      /* becomes a part; otherwise its members are left over */
} lethe_topdown_class;

/* One per worker.  Arrays grow with the largest part seen. */
typedef struct lethe_topdown_expander {
    const lethe_topdown_options *how;
    /* by owner: the number of the class, or leftover, that a person was last seen in */
    uint32_t *seen, *left;
    uint32_t *own_pair; /* by owner: its pair in the class it was last seen in */
    uint32_t stamp;
    uint32_t *head;    /* by child: its last touch; LETHE_NONE but inside a call */
    uint32_t *touched; /* children with a touch */
    size_t n_touched;
    lethe_topdown_touch *touch; /* member by member, children ascending */
    size_t n_touches, cap_touches;
    uint32_t *split_to, *split_in; /* by class while they are refined: cap_touches + 1 */
    /* by member: cap_members, and one more of first_touch */
    size_t cap_members;
    uint64_t *gain;
    uint32_t *first_touch, *class_of, *pair_of, *order, *queue;
    uint32_t *pair;               /* records of one person in one class */
    lethe_topdown_class *classes; /* in order of their first members */
    uint32_t n_classes;
    /* the result */
    uint32_t n_kept; /* classes */
    uint32_t n_left; /* members left over */
    uint64_t value;  /* what is gained */
    uint64_t bound; /* what would be gained if nothing had to be lent: fewer records gain no more */
} lethe_topdown_expander;

LETHE_MUST_CHECK lethe_err lethe_topdown_expander_open(lethe_topdown_expander *e,
                                                       const lethe_topdown_options *how);
void lethe_topdown_expander_close(lethe_topdown_expander *e);

/* Expands v, which has children, for the n members, of at least k persons.  *can: it is possible;
 * then member i goes to lethe_topdown_expander_goes().  If not, it is not possible in any part of
 * fewer records either: see topdown_expand.c. */
LETHE_MUST_CHECK lethe_err lethe_topdown_expander_try(lethe_topdown_expander *e,
                                                      const uint32_t *member, uint32_t n,
                                                      uint32_t v, bool *can);

/* The class that becomes member i's part; LETHE_NONE: the leftover. */
static inline uint32_t lethe_topdown_expander_goes(const lethe_topdown_expander *e, uint32_t i)
{
    uint32_t c = e->class_of[i];
    return c != LETHE_NONE && e->classes[c].kept ? c : LETHE_NONE;
}

#endif
