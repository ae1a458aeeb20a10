/* SPDX-License-Identifier: Apache-2.0 */
/* similar.h - finds, among the earlier texts, the first one that is similar.
 * E. Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6.
 *
 * Two texts are similar if they are equal; or have a result in common; or their Levenshtein
 * distance is at most `edit` of the longer one's length (text/distance.h); or at least `overlap` of
 * all their distinct words (text/words.h) are in both, and there is a word at all.  Both shares are
 * taken in millionths, and compared as whole numbers.
 *
 * The answer is that of a comparison with every earlier text in turn, but few are looked at:
 *
 * Results: a table of the first text of each.
 *
 * Overlap: an inverted index of words by the size of their set.  Two sets of n and m words need
 * c = ceil(overlap (n + m) / (1 + overlap)) in common, so the other set contains one of any
 * n - c + 1 words of the new text: the rarest are looked up (prefix filter).
 *
 * Edit: texts are kept by length.  Within the lengths that the bound allows, counts of letters give
 * a lower bound of the distance in a few instructions.  The remaining texts are cut into pieces of
 * three characters: an edit breaks at most one, and all others must be in the new text.  What
 * remains then is compared by bit-parallel Levenshtein.
 *
 * Each search ends at the best text found by those before it. */
#ifndef LETHE_METHOD_LOG_SIMILAR_H
#define LETHE_METHOD_LOG_SIMILAR_H
#include "core/dict.h"

/* Texts in the order in which they were added, numbered 0, 1, 2, ...  Not thread-safe. */
typedef struct lethe_similar lethe_similar;

lethe_similar *lethe_similar_new(double edit, double overlap); /* 0 to 1; NULL: no memory */
void lethe_similar_free(lethe_similar *s);                     /* NULL is fine */

/* Removes all texts.  After LETHE_ENOMEM only lethe_similar_free() may be called. */
LETHE_MUST_CHECK lethe_err lethe_similar_clear(lethe_similar *s);

/* *index = the text's number.  For a new text, *first = the smallest number of a similar one before
 * it, or LETHE_NONE; its results, given as any numbers, are remembered.  For a text that was there,
 * *first = *index, and `results` is ignored.  The bytes are copied.  After LETHE_ENOMEM as above.
 */
LETHE_MUST_CHECK lethe_err lethe_similar_add(lethe_similar *s, lethe_str text,
                                             const uint64_t *results, size_t n_results,
                                             uint32_t *index, uint32_t *first);

#endif
