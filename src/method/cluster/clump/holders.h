/* holders.h - who has an item: whether what a group shares gives its members away. */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_HOLDERS_H
#define LETHE_METHOD_CLUSTER_CLUMP_HOLDERS_H
#include "model/records/records.h"

/* For each node of the tree that is an item, how many persons have it (`each`: how many records);
 * 0 for others.  To be freed by lethe_free().  LETHE_ENOMEM, unsaid. */
LETHE_MUST_CHECK lethe_err lethe_clump_holders_count(const lethe_records *r, const lethe_tree *t,
                                                     bool each, uint32_t **out);

/* Is a leaf among the nodes that fewer than `limit` have?  Of a group of k or more persons who all
 * have it, with a limit of 2 k: who has it is more likely than not one of them. */
bool lethe_clump_holders_rare(const uint32_t *holders, const lethe_tree *t, uint64_t limit,
                              const uint32_t *node, size_t n);

#endif
