/* SPDX-License-Identifier: Apache-2.0 */
/* holders.h - persons per item: whether an item that a group shares discloses its members. */
#ifndef LETHE_METHOD_CLUSTER_CLUMP_HOLDERS_H
#define LETHE_METHOD_CLUSTER_CLUMP_HOLDERS_H
#include "model/records/records.h"

/* For each node that is an item, the number of persons who have it (`each`: of records); 0 for
 * others.  To be freed by lethe_free().  LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_clump_holders_count(const lethe_records *r, const lethe_tree *t,
                                                     bool each, uint32_t **out);

/* Do the nodes include a leaf that fewer than `limit` have?  With a limit of 2 k, of a group of at
 * least k persons who all have it: anyone who has it is more likely than not one of them. */
bool lethe_clump_holders_rare(const uint32_t *holders, const lethe_tree *t, uint64_t limit,
                              const uint32_t *node, size_t n);

#endif
