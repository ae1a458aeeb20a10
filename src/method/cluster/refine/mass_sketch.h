/* mass_sketch.h - bags in outline: their mass in each of some parts of the tree, so that what two
 * have in common is bounded from above at a small part of the cost of counting it.
 *
 * However the nodes are parted, the overlap of two bags within a part is at most the lesser of
 * their masses there.  The nodes that weigh most in the records given, which are those near the
 * root, are parts of their own, and so bounded by what they are; the others are parted in preorder,
 * like by like, into parts of about equal mass. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_MASS_SKETCH_H
#define LETHE_METHOD_CLUSTER_REFINE_MASS_SKETCH_H
#include "method/cluster/clump/ancestors.h"

enum { LETHE_MASS_SKETCH_PARTS = 64 };

/* Masses, rounded up to the unit of the parts; all together below 2^31. */
typedef struct lethe_mass_sketch {
    int32_t part[LETHE_MASS_SKETCH_PARTS];
} lethe_mass_sketch;

typedef struct lethe_mass_sketcher lethe_mass_sketcher;

/* For bags of which none is heavier than the heaviest of these.  All masses together below 2^63.  A
 * byte a node, and 8 more while it runs.  LETHE_ENOMEM only, not said. */
LETHE_MUST_CHECK lethe_err lethe_mass_sketcher_new(const lethe_tree *t,
                                                   const lethe_ancestors *record, size_t n,
                                                   lethe_mass_sketcher **out);
void lethe_mass_sketcher_free(lethe_mass_sketcher *p); /* NULL is fine */

void lethe_mass_sketch_of(const lethe_mass_sketcher *p, const lethe_ancestors_entry *at, size_t n,
                          lethe_mass_sketch *out);

/* No overlap of two bags with these outlines is more. */
uint64_t lethe_mass_sketch_overlap_bound(const lethe_mass_sketcher *p, const lethe_mass_sketch *a,
                                         const lethe_mass_sketch *b);

#endif
