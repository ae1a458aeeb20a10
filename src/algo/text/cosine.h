/* SPDX-License-Identifier: Apache-2.0 */
/* cosine.h - which documents are most like this one, by the cosine of weighted features?
 * Salton & Buckley, "Term-weighting approaches in automatic text retrieval", 1988.
 *
 * A document is a bag of features, which are numbers.  Each feature belongs to a layer, and there
 * are several cosines at once: the l-th is over the features of layers 0 to l.  So what words tell,
 * what words and clicks tell, and what all tells is found by reading each list once.
 *
 * A feature that tf of its occurrences and df of the N documents have weighs, in whole numbers,
 *
 *     round(2^12 * (1 + log(tf)) * log((N + 1) / df))     and 1 at least
 *
 * or nothing if more than LETHE_COSINE_COMMON documents and more than one in 16 have it: it would
 * tell little, and its list would be the longest.  A score is the sum of the products of weights
 * that both have, times the inverse of the root of the other's sum of squares; the query's own norm
 * would change no order.  Sums are whole numbers, exact up to 2^53, so they are the same in any
 * order.
 *
 * The best k are exact: the same as scoring every document; of equal scores the lowest number is
 * better. */
#ifndef LETHE_ALGO_TEXT_COSINE_H
#define LETHE_ALGO_TEXT_COSINE_H
#include "algo/text/retrieval.h"

enum { LETHE_COSINE_LAYERS = 4, LETHE_COSINE_COMMON = 1000 };

/* 16 bytes for each feature of each document that another one has too, 8 for each document and
 * layer, 8 for each feature; 16 more for each feature while it is made.  Read only: any number of
 * threads may search it. */
typedef struct lethe_cosine lethe_cosine;

/* Document i has the features at[start[i]] .. at[start[i + 1] - 1], each below n_features, in any
 * order; one that comes again has a higher tf.  `layer`: by feature, below n_layers.  All is
 * copied. LETHE_ENOMEM (no message). */
LETHE_MUST_CHECK lethe_err lethe_cosine_new(uint32_t n_docs, const uint64_t *start,
                                            const uint32_t *at, uint32_t n_features,
                                            const uint8_t *layer, unsigned n_layers,
                                            lethe_cosine **out);
void lethe_cosine_free(lethe_cosine *c); /* NULL is fine */
/* Has the document a feature of layers 0 to l that weighs anything? */
bool lethe_cosine_has(const lethe_cosine *c, uint32_t doc, unsigned l);

/* One worker's scratch: 48 KiB, and 24 bytes for each feature of the longest document. */
typedef struct lethe_cosine_search lethe_cosine_search;
LETHE_MUST_CHECK lethe_err lethe_cosine_search_new(const lethe_cosine *c,
                                                   lethe_cosine_search **out);
void lethe_cosine_search_free(lethe_cosine_search *s); /* NULL is fine */

/* The k >= 1 documents most like document `doc`, itself left out, by each layer's cosine: hits[l]
 * for l below n_layers; the best of them first, the others in any order.  Documents with a score of
 * 0 are none; `matching` counts the others.  Reads
 * the lists of all its features.  LETHE_ENOMEM (no message). */
LETHE_MUST_CHECK lethe_err lethe_cosine_like(lethe_cosine_search *s, uint32_t doc, uint32_t k,
                                             lethe_hits *hits);

#endif
