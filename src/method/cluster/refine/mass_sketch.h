/* mass_sketch.h - bags in outline: their mass in each of some parts of the tree, so that what two have
 * in common is bounded from above at a small part of the cost of counting it.
 *
 * However the nodes are parted, the overlap of two bags within a part is at most the lesser of
 * their masses there.  The nodes that weigh most in the records given, which are those near the
 * root, are parts of their own, and so bounded by what they are; the others are parted in preorder,
 * like by like, into parts of about equal mass. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_OUTLINE_H
#define LETHE_METHOD_CLUSTER_REFINE_OUTLINE_H
#include "method/cluster/clump/ancestors.h"

enum { LETHE_OUTLINE_PARTS = 64 };

/* Masses, rounded up to the unit of the parts; all together below 2^31. */
typedef struct lethe_outline {
    int32_t part[LETHE_OUTLINE_PARTS];
} lethe_outline;

typedef struct lethe_outlines lethe_outlines;

/* For bags of which none is heavier than the heaviest of these.  All masses together below 2^63.  A
 * byte a node, and 8 more while it runs.  LETHE_ENOMEM only, not said. */
LETHE_MUST_CHECK lethe_err lethe_outlines_new(const lethe_tree *t, const lethe_ancestors *record,
                                              size_t n, lethe_outlines **out);
void lethe_outlines_free(lethe_outlines *p); /* NULL is fine */

void lethe_outline_of(const lethe_outlines *p, const lethe_above *at, size_t n, lethe_outline *out);

/* No overlap of two bags with these outlines is more. */
uint64_t lethe_outline_most(const lethe_outlines *p, const lethe_outline *a,
                            const lethe_outline *b);

#endif
