/* SPDX-License-Identifier: Apache-2.0 */
/* mass_sketch.h - the mass of a bag in each of 64 parts of the tree, which bounds the overlap of
 * two bags from above at a small part of the cost of computing it.
 *
 * However the nodes are divided, the overlap of two bags within a part is at most the lesser of
 * their masses there.  The nodes with the greatest mass in the given records, which are near the
 * root, are parts of their own; the others are divided in preorder, which puts similar ones
 * together, into parts of about equal mass. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_MASS_SKETCH_H
#define LETHE_METHOD_CLUSTER_REFINE_MASS_SKETCH_H
#include "method/cluster/clump/ancestors.h"

enum { LETHE_MASS_SKETCH_PARTS = 64 };

/* Masses, rounded up to the unit of the parts; all together below 2^31. */
typedef struct lethe_mass_sketch {
    int32_t part[LETHE_MASS_SKETCH_PARTS];
} lethe_mass_sketch;

typedef struct lethe_mass_sketcher lethe_mass_sketcher;

/* For bags none of which is heavier than the heaviest of these.  All masses together are below
 * 2^63. Memory: one byte per node, and 8 more while it runs.  LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_mass_sketcher_new(const lethe_tree *t,
                                                   const lethe_ancestors *record, size_t n,
                                                   lethe_mass_sketcher **out);
void lethe_mass_sketcher_free(lethe_mass_sketcher *p); /* NULL is fine */

void lethe_mass_sketch_of(const lethe_mass_sketcher *p, const lethe_ancestors_entry *at, size_t n,
                          lethe_mass_sketch *out);

/* No two bags with these sketches have a greater overlap. */
uint64_t lethe_mass_sketch_overlap_bound(const lethe_mass_sketcher *p, const lethe_mass_sketch *a,
                                         const lethe_mass_sketch *b);

#endif
