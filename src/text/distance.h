/* SPDX-License-Identifier: Apache-2.0 */
/* distance.h - how far apart two texts are. */
#ifndef LETHE_TEXT_DISTANCE_H
#define LETHE_TEXT_DISTANCE_H
#include "core/mem.h"

/* Levenshtein's distance in code points (invalid bytes count one each), or any number above `bound`
 * as soon as it is known to be above.  Bit-parallel: Myers, "A Fast Bit-Vector Algorithm for
 * Approximate String Matching Based on Dynamic Programming", JACM 1999; in blocks of 64 for longer
 * texts (Hyyro 2003), only as many of them as the bound lets matter.  `tmp` is scratch and may be
 * used again and again. */
typedef struct lethe_distance_scratch {
    lethe_buf buf;
} lethe_distance_scratch;
void lethe_distance_scratch_free(lethe_distance_scratch *tmp);
LETHE_MUST_CHECK lethe_err lethe_levenshtein(lethe_str a, lethe_str b, uint32_t bound,
                                             lethe_distance_scratch *tmp, uint32_t *out);

/* Is Levenshtein's distance at most `share` (0 to 1) of the longer text's length?  Adar, section 6.
 * Of the longer, so that helo and hello (1 of 5) are similar at 0.2.  Decided in whole
 * numbers: share is taken in millionths. */
LETHE_MUST_CHECK lethe_err lethe_edit_within(lethe_str a, lethe_str b, double share,
                                             lethe_distance_scratch *tmp, bool *out);

/* Words in common, and words in all, of two texts taken as sets of words (words.h): Jaccard's
 * coefficient as a fraction.  Two texts without words: 0 of 0. */
LETHE_MUST_CHECK lethe_err lethe_jaccard(lethe_str a, lethe_str b, lethe_distance_scratch *tmp,
                                         uint32_t *common, uint32_t *all);

#endif
