/* SPDX-License-Identifier: Apache-2.0 */
/* answers.h - which page can an identifier stand for?  The answers of a search engine, as numbered
 * pages and sites, and the pages that are in the answers to all queries of an identifier. */
#ifndef LETHE_ATTACK_ANSWERS_H
#define LETHE_ATTACK_ANSWERS_H
#include "attack/pages.h"
#include "model/knowledge/results.h"

typedef struct lethe_answers {
    const lethe_results *results;
    lethe_dict *pages, *sites; /* the latter has the owned ones too */
    uint32_t *page_of;         /* by URL of the results */
    uint32_t *site_of;         /* by page */
    bool *owned;               /* by site */
    bool all;                  /* all queries are replayed; else those that retrieve a page of an
                                  owned site */
    bool hosts;                /* a page is a whole host, since URLs were cut to hosts */
    uint64_t replayed;         /* queries */
} lethe_answers;

/* `owned`: hosts separated by commas; NULL: all queries are replayed.  LETHE_EUSAGE, with a
 * message, for one that is not a host; LETHE_ENOMEM comes without a message.  Call
 * lethe_answers_free() in any case. */
LETHE_MUST_CHECK lethe_err lethe_answers_make(lethe_ctx *ctx, const lethe_results *results,
                                              const char *owned, bool hosts, lethe_answers *out);
void lethe_answers_free(lethe_answers *a); /* a zeroed one is fine */
/* The page of a URL, as these answers count pages (attack/pages.h). */
LETHE_MUST_CHECK lethe_err lethe_answers_page(const lethe_answers *a, lethe_str url,
                                              lethe_buf *host, lethe_buf *page, lethe_str *out);

/* The answer to a normalised query: URLs of the results by rank, one that was listed twice at both;
 * none for a query that is not replayed. */
const uint32_t *lethe_answers_of(const lethe_answers *a, lethe_str query, size_t *n);

/* The candidates of one identifier.  All zero at first; begin before each identifier. */
typedef struct lethe_page_candidates {
    lethe_buf pages, next; /* uint32_t each, ascending: those in all answers so far */
    bool any;              /* was there an answer? */
    uint32_t pick;         /* the page at the published ranks; LETHE_NONE: none yet */
    bool torn;             /* the ranks point at different pages */
} lethe_page_candidates;
void lethe_page_candidates_begin(lethe_page_candidates *g);
/* The identifier was clicked for a query with this answer.  An empty answer changes nothing. */
LETHE_MUST_CHECK lethe_err lethe_page_candidates_intersect(lethe_page_candidates *g,
                                                           const lethe_answers *a,
                                                           const uint32_t *urls, size_t n);
/* It was clicked at this rank of the answer, from 1.  A rank past its end changes nothing. */
void lethe_page_candidates_rank(lethe_page_candidates *g, const lethe_answers *a,
                                const uint32_t *urls, size_t n, uint32_t rank);
/* How many there are, and whether a page is one. */
size_t lethe_page_candidates_count(const lethe_page_candidates *g);
bool lethe_page_candidates_has(const lethe_page_candidates *g, uint32_t page);
void lethe_page_candidates_free(lethe_page_candidates *g);

/* The page and site that the answers name; LETHE_NONE: they name none.  Where they name the page,
 * they name the site. */
lethe_page_site lethe_page_candidates_named(const lethe_page_candidates *g, const lethe_answers *a,
                                            bool ranks);

#endif
