/* SPDX-License-Identifier: Apache-2.0 */
/* power.h - is knowledge within the power (m,n), and is it a threat?  For the search of threats;
 * the checker of the promise has functions of its own (check/bounds.h). */
#ifndef LETHE_METHOD_ITEMSET_POWER_H
#define LETHE_METHOD_ITEMSET_POWER_H
#include "model/knowledge/knowledge.h"

/* Is this much within the power?  (Section 4.6.1) */
static inline bool lethe_kl_within(const lethe_kl *kl, uint32_t positive, uint64_t negative_leaves)
{
    return positive <= kl->m && negative_leaves <= kl->n;
}

/* Do `sets` sets that satisfy a piece of knowledge name a person?  (k of them do not.) */
static inline bool lethe_kl_names(const lethe_kl *kl, uint64_t sets)
{
    return sets > 0 && sets < kl->k;
}

/* Of `sets` sets, `with` have a sensitive item: is that more than 1/l?  The product is quick, but
 * may be rounded up beyond `sets` where l is the exact quotient (3.24 and 630100 of 2041524). */
static inline bool lethe_kl_tells(const lethe_kl *kl, uint64_t with, uint64_t sets)
{
    return (double)with * kl->l > (double)sets && (double)sets / (double)with < kl->l;
}

#endif
