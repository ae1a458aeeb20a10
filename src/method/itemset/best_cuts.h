/* SPDX-License-Identifier: Apache-2.0 */
/* best_cuts.h - the cheapest cuts that give KL(m,n)-privacy, with threats found as they are needed.
 *
 * The thesis (J. Liu, 2010, Algorithm 4.1) lists all threats of the data, then seeks the best cut.
 * Most threats are below that cut, and never matter.  Here the best cut for the threats that are
 * known is searched for threats, these are added, and so on until a cut shows none (cut
 * generation).  Every threat known is one of the data: so no valid cut is cheaper, and of valid
 * cuts of the same cost none comes before it in order. */
#ifndef LETHE_METHOD_ITEMSET_BEST_CUTS_H
#define LETHE_METHOD_ITEMSET_BEST_CUTS_H
#include "method/itemset/cuts/cuts.h"

enum { LETHE_CUTS_ON_THE_WAY = 2000 };

typedef struct lethe_best_cuts {
    lethe_cuts cuts;  /* as of lethe_cuts_find() with all threats; `examined` of all searches */
    uint64_t threats; /* kept in all searches for threats, */
    uint64_t nodes;   /* and itemsets examined there */
    /* Where the empty set is a threat, and there is no cut: */
    uint32_t common;           /* as in lethe_threats, */
    uint64_t common_n;         /* of all sets; or of those */
    uint64_t known_n;          /* so many sets */
    uint32_t known;            /* that have this sensitive item; LETHE_NONE: of all */
    uint32_t n_known;          /* and so many, with it, that may be known */
    double phase1_s, phase2_s; /* for threats, and for cuts */
} lethe_best_cuts;

/* `p`: the problem without threats; its limits hold for each search for a cut.  `sets` as for
 * lethe_threats_find(), their items being the lowest live nodes of the problem.  A cut that is
 * valid for power (valid_m,0) is known to be all lowest live nodes (0: nothing is known).  Searches
 * for a cut before the last examine `on_the_way` cuts at most, LETHE_CUTS_ON_THE_WAY as a rule.
 *
 * The same as one search for all threats and one for the cuts, for any number of threads; not so
 * under alpha and limits, where the cuts are valid and within alpha all the same.  Memory: see
 * threats.h and cuts.h, for the threats above the cuts on the way; and a copy of the sets.
 * On failure nothing is to be freed. */
LETHE_MUST_CHECK lethe_err lethe_best_cuts_find(lethe_ctx *ctx, const lethe_records *sets,
                                                const lethe_kl *kl, uint32_t valid_m,
                                                const lethe_cuts_problem *p, uint64_t on_the_way,
                                                lethe_best_cuts *out);

#endif
