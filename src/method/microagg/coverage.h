/* SPDX-License-Identifier: Apache-2.0 */
/* coverage.h - chooses the list of a group by what it keeps of its members' interests.
 *
 * The semantic remain percentage (srp.h) of a list, added up over members and levels, grows ever
 * more slowly with each query: it is monotone and submodular.  So the list that takes the query
 * with the greatest gain each time keeps at least 1 - 1/e of what the best list of that length
 * keeps.  G. Nemhauser, L. Wolsey and M. Fisher, "An analysis of approximations for maximizing
 * submodular set functions", 1978; that gains need not be computed again while they are only
 * bounds: M. Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978.
 *
 * docs/microagg.md has the exact definition.  In whole numbers: nothing is decided in floating
 * point, and nothing at random. */
#ifndef LETHE_METHOD_MICROAGG_COVERAGE_H
#define LETHE_METHOD_MICROAGG_COVERAGE_H
#include "method/microagg/centroid.h"
#include "method/microagg/classify.h"

/* What a member's interests at one level are worth together: a category is worth its share of it.
 */
#define LETHE_COVERAGE_UNIT (UINT32_C(1) << 31)

/* What lists are chosen from: shared by all threads. */
typedef struct lethe_coverage_source {
    const lethe_centroid_texts *texts;
    const lethe_classes *classes;
    const lethe_microagg_interests *interests;
    uint32_t levels;
    bool best; /* a published text counts for the first category of each of its words alone */
} lethe_coverage_source;

/* Buffers for choosing; for one thread. */
typedef struct lethe_coverage {
    lethe_microagg_tally text; /* categories of the current text */
    uint32_t *slot;            /* of each category: its place among those of the group */
    uint64_t *total;           /* by level: the counts of a member's categories */
    lethe_buf needs, shares, candidates, heap;
} lethe_coverage;
/* Does not report LETHE_ENOMEM; then there is nothing to free. */
LETHE_MUST_CHECK lethe_err lethe_coverage_new(const lethe_directory *dir, uint32_t levels,
                                              lethe_coverage *out);
void lethe_coverage_free(lethe_coverage *c); /* all zero is fine */

/* Replaces `list` by that of a group.  A text is gone over once for each time that a category of it
 * has been covered for one more member, at most.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_coverage_choose(lethe_coverage *c, const lethe_coverage_source *s,
                                                 const uint32_t *member, size_t n,
                                                 lethe_centroid *list);

#endif
