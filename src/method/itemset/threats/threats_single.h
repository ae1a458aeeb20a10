/* SPDX-License-Identifier: Apache-2.0 */
/* threats_single.h - threats where one item that is present is all that is known. */
#ifndef LETHE_METHOD_ITEMSET_THREATS_THREATS_SINGLE_H
#define LETHE_METHOD_ITEMSET_THREATS_THREATS_SINGLE_H
#include "method/itemset/threats/threats.h"

/* Is it all that is known, with nothing told of sensitive items? */
bool lethe_threats_is_single(const lethe_records *sets, const lethe_kl *kl);
/* out->empty, or *rooted: the root alone is a threat; else out->locked and out->nodes, as the
 * search has them, and there is no threat that is not below a locked node.  LETHE_ENOMEM comes
 * without a message; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_threats_single(lethe_ctx *ctx, const lethe_records *sets,
                                                const lethe_tree *t, const lethe_kl *kl,
                                                lethe_threats *out, bool *rooted);

#endif
