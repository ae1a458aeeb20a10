/* interests.h - a persona's texts in order of time: is each similar to an earlier one?
 *
 * Similar as Adar, section 6, has it: the same; or with a result in common; or Levenshtein's
 * distance at most `edit` of the longer; or of all words at least `overlap` in both.  Where several
 * texts have the same time, any order of them will do.
 *
 * Every pair is compared until an answer is found, but most are told apart by a few bits: time
 * grows by the square of a persona's texts, at some nanoseconds a pair.  Written for the checker
 * alone: what judges a split shares nothing with what makes it. */
#ifndef LETHE_CHECK_INTERESTS_H
#define LETHE_CHECK_INTERESTS_H
#include "core/ctx.h"
#include "model/knowledge/results.h"

typedef struct lethe_likeness {
    double edit, overlap;         /* shares, taken in millionths */
    const lethe_results *results; /* NULL: not known, so that none are in common */
    size_t top;                   /* how many of a text's results count */
} lethe_likeness;

/* One persona's texts; one thread at a time. */
typedef struct lethe_interests lethe_interests;
lethe_interests *lethe_interests_new(const lethe_likeness *how); /* copied; NULL: no memory */
void lethe_interests_free(lethe_interests *x);                   /* NULL is fine */

/* The next persona. */
LETHE_MUST_CHECK lethe_err lethe_interests_clear(lethe_interests *x);
/* A row of it; times never fall.  Valid UTF-8; copied.  A text that was there is passed over. */
LETHE_MUST_CHECK lethe_err lethe_interests_add(lethe_interests *x, lethe_str text, int64_t time);
/* *loose texts, at the best of orders, are similar to none before them though there is one; *first
 * is one of these, of the earliest time (lives until the next call but this).  LETHE_ECANCEL,
 * LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_interests_loose(lethe_interests *x, const lethe_ctx *ctx,
                                                 uint64_t *loose, lethe_str *first);

#endif
