/* SPDX-License-Identifier: Apache-2.0 */
/* knowledge.h - what an adversary may know about a person's set, and when that is too much:
 * KL(m,n)-privacy.  J. Liu, thesis, 2010, Definitions 4.1 to 4.4.
 *
 * Knowledge is a set of decorated items: i+ (the set has an item at or below i), i- (it has none).
 * Its *power* is how many are positive, and how many leaves of the taxonomy the negative ones have
 * together.  A *threat* is knowledge within the power (m,n) that some sets but fewer than k
 * satisfy, or of whose sets more than 1/l have a sensitive item.
 *
 * Methods and checkers share these parameters, and decide by functions of their own:
 * method/itemset/power.h and check/bounds.h. */
#ifndef LETHE_MODEL_KNOWLEDGE_KNOWLEDGE_H
#define LETHE_MODEL_KNOWLEDGE_KNOWLEDGE_H
#include "core/base.h"

typedef struct lethe_kl {
    uint64_t k; /* 1: persons are not hidden, sensitive items are */
    double l;   /* 1 or more; 1: sensitive items are not protected */
    uint32_t m; /* positive items */
    uint64_t n; /* leaves below negative items */
    /* Closes two gaps of the definition: i+ together with j- for a j below i; and that one of two
     * or three children of a node is there, which no item says unless it has no further children.
     */
    bool strict;
    /* Sensitive items that may be known, too: knowledge X and up to so many of them are satisfied
     * by no set or by k, at most 1/l of which have any one other sensitive item.  That sensitive
     * items may be known is what rho-uncertainty is about (J. Cao, P. Karras, C. Raissi and K.-L.
     * Tan, VLDB 2010).  0: none is, as in the thesis. */
    uint32_t sensitive_known;
} lethe_kl;

#endif
