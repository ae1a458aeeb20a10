/* SPDX-License-Identifier: Apache-2.0 */
/* threats_lock.h - nodes that no valid cut specializes.  J. Liu, 2010, Pruning IV. */
#ifndef LETHE_METHOD_ITEMSET_THREATS_THREATS_LOCK_H
#define LETHE_METHOD_ITEMSET_THREATS_THREATS_LOCK_H
#include "method/itemset/threats/threats_internal.h"

/* locked[v] for the topmost nodes v among whose children are all items of a threat.  `live` has the
 * items, `rows` the sets; *nodes is raised by the itemsets that were looked at.  The root alone is
 * no threat.  LETHE_ENOMEM without a message. */
LETHE_MUST_CHECK lethe_err lethe_threats_lock(lethe_ctx *ctx, const lethe_tree *t,
                                              const threats_base *live, const threats_rows *rows,
                                              const lethe_kl *kl, unsigned without, uint8_t *locked,
                                              uint64_t *nodes);

#endif
