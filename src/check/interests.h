/* SPDX-License-Identifier: Apache-2.0 */
/* interests.h - the texts of a persona in order of time: is each similar to an earlier one?
 *
 * Similar as in Adar 2007, section 6: equal; or with a result in common; or at a Levenshtein
 * distance of at most `edit` times the length of the longer; or with at least the share `overlap`
 * of all words in both.  Texts of the same time may stand in any order.
 *
 * Every pair is compared until an answer is found, but a few bits tell most pairs apart: time grows
 * with the square of a persona's texts, at some nanoseconds per pair.  Written for the checker
 * alone: the code that checks a split shares nothing with the code that makes it. */
#ifndef LETHE_CHECK_INTERESTS_H
#define LETHE_CHECK_INTERESTS_H
#include "core/ctx.h"
#include "model/knowledge/results.h"

typedef struct lethe_likeness {
    double edit, overlap;         /* shares, taken in millionths */
    const lethe_results *results; /* NULL: they come with each text */
    size_t top;                   /* how many of those in `results` count */
} lethe_likeness;

/* One persona's texts; one thread at a time. */
typedef struct lethe_interests lethe_interests;
lethe_interests *lethe_interests_new(const lethe_likeness *how); /* copied; NULL: no memory */
void lethe_interests_free(lethe_interests *x);                   /* NULL is fine */

/* The next persona. */
LETHE_MUST_CHECK lethe_err lethe_interests_clear(lethe_interests *x);
/* A row of it, in order of time.  Valid UTF-8; copied.  A text that came before is ignored. `urls`:
 * the text's results as n_urls numbers, where how.results is NULL; copied. */
LETHE_MUST_CHECK lethe_err lethe_interests_add(lethe_interests *x, lethe_str text, int64_t time,
                                               const uint64_t *urls, size_t n_urls);
/* *loose counts the texts, other than the first, that are similar to none before them in the best
 * order; *first is one of these, of the earliest time (it lives until the next call of another
 * function).  Without `by_urls`, results in common do not count.  LETHE_ECANCEL, LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_interests_loose(lethe_interests *x, const lethe_ctx *ctx,
                                                 bool by_urls, uint64_t *loose, lethe_str *first);

#endif
