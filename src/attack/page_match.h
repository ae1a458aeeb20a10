/* SPDX-License-Identifier: Apache-2.0 */
/* page_match.h - which pages of the original can the published clicks of a text have been on?
 *
 * A published click is one of the original's, with or without its rank.  So the page has, in the
 * original, at least as many clicks at each of their ranks, and at least as many in all; just as
 * many in all where every click of a text is published, and every page has one identifier. */
#ifndef LETHE_ATTACK_PAGE_MATCH_H
#define LETHE_ATTACK_PAGE_MATCH_H
#include "attack/pages.h"

/* The most pages that are listed. */
#define LETHE_PAGE_MATCHES_MAX 32

/* The scratch of one thread, for one text after the other.  All zero at first. */
typedef struct lethe_page_match {
    lethe_buf seen;   /* the original's clicks, by page and rank */
    lethe_buf groups; /* its pages, those with most clicks first */
    lethe_buf ranks;  /* its clicks by rank, those with most first */
    lethe_buf clicks; /* the published ones, by rank */
    lethe_buf fits;   /* lethe_page_site each, by page */
    bool whole;       /* the text is published with every click, and as many identifiers as pages */
} lethe_page_match;

void lethe_page_match_begin(lethe_page_match *f, bool whole);
/* `n` clicks of the original, ascending by page and then rank; the same page and rank may come
 * again. All of them come before the first published click. */
LETHE_MUST_CHECK lethe_err lethe_page_match_original(lethe_page_match *f, lethe_page_site page,
                                                     uint32_t rank, uint64_t n);
/* A published click (LETHE_NO_RANK: without a rank); by rank, ascending. */
LETHE_MUST_CHECK lethe_err lethe_page_match_click(lethe_page_match *f, uint32_t rank);
/* The pages that fit the published clicks since the last call: *n of them, by page.  *says is
 * false, and there are none, if the original has no click for the text or too many pages fit. */
LETHE_MUST_CHECK lethe_err lethe_page_match_find(lethe_page_match *f, const lethe_page_site **fits,
                                                 size_t *n, bool *says);
void lethe_page_match_free(lethe_page_match *f);

#endif
