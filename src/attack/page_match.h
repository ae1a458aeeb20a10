/* page_match.h - which pages of the original can published clicks for a text have been on?
 *
 * A published click is one of the original's, with its rank or without.  So the page that they were
 * on has as many clicks there at each of their ranks, and as many all in all. */
#ifndef LETHE_ATTACK_PAGE_MATCH_H
#define LETHE_ATTACK_PAGE_MATCH_H
#include "attack/pages.h"

/* More than these are not listed. */
#define LETHE_PAGE_MATCHES_MAX 32

/* Of one thread, for one text after the other.  All zero at first. */
typedef struct lethe_page_match {
    lethe_buf seen;   /* the original's clicks, by page and rank */
    lethe_buf groups; /* its pages, those with most clicks first */
    lethe_buf ranks;  /* its clicks by rank, those with most first */
    lethe_buf clicks; /* the published ones, by rank */
    lethe_buf fits;   /* lethe_page_site each, by page */
} lethe_page_match;

void lethe_page_match_begin(lethe_page_match *f);
/* `n` clicks of the original; by page and then rank, ascending, the same again and again as it may
 * be.  All before the first published one. */
LETHE_MUST_CHECK lethe_err lethe_page_match_original(lethe_page_match *f, lethe_page_site page,
                                                     uint32_t rank, uint64_t n);
/* A published click (LETHE_NO_RANK: without a rank); by rank, ascending. */
LETHE_MUST_CHECK lethe_err lethe_page_match_click(lethe_page_match *f, uint32_t rank);
/* Which pages fit the published clicks since the last call: *n of them, by page.  *says: false, and
 * none, where the original has no click for the text or too many fit. */
LETHE_MUST_CHECK lethe_err lethe_page_match_find(lethe_page_match *f, const lethe_page_site **fits,
                                                 size_t *n, bool *says);
void lethe_page_match_free(lethe_page_match *f);

#endif
