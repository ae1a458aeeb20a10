/* similar.h - of the texts that came before, the first one that is similar.
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6.
 *
 * Two texts are similar if they are the same; or have a result in common; or Levenshtein's distance
 * is at most `edit` of the longer one's length (text/distance.h); or of all their words
 * (text/words.h, each once) at least `overlap` are in both, and there is a word at all.  Both
 * shares are taken in millionths, and decided in whole numbers.
 *
 * The answer is that of comparing with every earlier text in turn.  What is looked at is much less:
 *
 * Results: each one's first text, in a table.
 *
 * Overlap: an inverted index of words by the size of the set they stand in.  Two sets of n and m
 * words need c = ceil(overlap (n + m) / (1 + overlap)) in common, so one of any n - c + 1 words of
 * the new text is in the other: the rarest are asked (prefix filter).
 *
 * Edit: texts stand by length.  In the lengths that the bound allows, how often each letter occurs
 * gives a lower bound of the distance, in a few instructions.  What is left is cut in pieces of
 * three characters: an edit breaks one at most, and all others must be in the new text.  What is
 * left then is compared by bit-parallel Levenshtein.
 *
 * Each search ends at the best found by those before it. */
#ifndef LETHE_METHOD_LOG_SIMILAR_H
#define LETHE_METHOD_LOG_SIMILAR_H
#include "core/dict.h"

/* Texts in the order they came, numbered 0, 1, 2, ...  Not for use by two threads at once. */
typedef struct lethe_similar lethe_similar;

lethe_similar *lethe_similar_new(double edit, double overlap); /* 0 to 1; NULL: no memory */
void lethe_similar_free(lethe_similar *s);                     /* NULL is fine */

/* Forgets all texts.  LETHE_ENOMEM: good for nothing but lethe_similar_free(). */
LETHE_MUST_CHECK lethe_err lethe_similar_clear(lethe_similar *s);

/* *index = the text's number.  A new text: *first = the least number of a similar one before it,
 * LETHE_NONE where there is none; its results, by any numbers, are remembered.  A text that was
 * there: *first = *index, and `results` is not looked at.  The bytes are copied.  On failure as
 * above. */
LETHE_MUST_CHECK lethe_err lethe_similar_add(lethe_similar *s, lethe_str text,
                                             const uint64_t *results, size_t n_results,
                                             uint32_t *index, uint32_t *first);

#endif
