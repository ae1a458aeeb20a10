/* SPDX-License-Identifier: Apache-2.0 */
/* retrieval.h - ranked retrieval: which documents are most like this one?
 * Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.
 *
 * A document is a bag of terms, which are numbers.  A query is a bag too.  The score of document d
 * for query q is the sum, over the terms t that both have, of
 *
 *     qtf * (idf * (tf * (k1 + 1) / (tf + k1 * (1 - b + b * dl / mean dl))))
 *     idf = log(1 + (N - df + 0.5) / (df + 0.5))
 *
 * with k1 = 1.2 and b = 0.75; tf and qtf: how often d and q have t; df: how many of the N documents
 * have it; dl: the length of d, repeated terms counted.  The sum is taken in one order, the rarest
 * term first (fewest documents, then lowest number), in double, so that a score is the same bits
 * whoever computes it.  Every score of a document that shares a term with the query is above 0.
 *
 * The best k are exact: the same as scoring every document, the better first, of equal scores the
 * lowest number first.  No term is left out for being common. */
#ifndef LETHE_ALGO_TEXT_RETRIEVAL_H
#define LETHE_ALGO_TEXT_RETRIEVAL_H
#include "core/dict.h"
#include "core/mem.h"

#define LETHE_BM25_K1 1.2
#define LETHE_BM25_B 0.75

/* Documents and the lists of who has a term.  20 bytes for each term of each document (a repeated
 * one counted once), 8 for each document, 12 for each term; 16 more for each term while it is made.
 * Read only: any number of threads may search it. */
typedef struct lethe_retrieval lethe_retrieval;

/* Document i has the terms at[start[i]] .. at[start[i + 1] - 1], in any order, each below n_terms.
 * All is copied.  LETHE_ENOMEM (no message).  Linear but for sorting each document's terms. */
LETHE_MUST_CHECK lethe_err lethe_retrieval_new(uint32_t n_docs, const uint64_t *start,
                                               const uint32_t *at, uint32_t n_terms,
                                               lethe_retrieval **out);
void lethe_retrieval_free(lethe_retrieval *r); /* NULL is fine */
uint32_t lethe_retrieval_count(const lethe_retrieval *r);
/* How many different terms a document has. */
uint32_t lethe_retrieval_length(const lethe_retrieval *r, uint32_t doc);

typedef struct lethe_hit {
    uint32_t doc;
    double score;
} lethe_hit;

/* What one search found. */
typedef struct lethe_hits {
    const lethe_hit *at; /* the best first; lives in the search until its next use */
    uint32_t n;          /* k, or as many as match at all */
    uint32_t matching;   /* documents that share a term with the query */
} lethe_hits;

/* One worker's scratch: 48 KiB, and 32 bytes for each term of the longest query. */
typedef struct lethe_search lethe_search;
LETHE_MUST_CHECK lethe_err lethe_search_new(const lethe_retrieval *r, lethe_search **out);
void lethe_search_free(lethe_search *s); /* NULL is fine */

/* The k >= 1 documents most like document `doc`, itself left out (and not counted as matching).
 * Reads the lists of all its terms.  LETHE_ENOMEM (no message). */
LETHE_MUST_CHECK lethe_err lethe_search_like(lethe_search *s, uint32_t doc, uint32_t k,
                                             lethe_hits *out);
/* The k >= 1 documents most like the bag of terms; a term that no document has does not count. */
LETHE_MUST_CHECK lethe_err lethe_search_bag(lethe_search *s, const uint32_t *terms, size_t n,
                                            uint32_t k, lethe_hits *out);

#endif
