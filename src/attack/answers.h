/* answers.h - which page can an identifier be?  The answers of a search engine, as pages and
 * sites by number, and what is left when the answers to several queries are laid upon each other.
 */
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
    bool all;                  /* are all queries replayed, or those only that retrieve a page of
                                  an owned site? */
    bool hosts;                /* are pages those of a host, as URLs that were cut have them? */
    uint64_t replayed;         /* how many */
} lethe_answers;

/* `owned`: hosts, parted by commas; NULL: all queries are replayed.  LETHE_EUSAGE, with a message,
 * where one is no host; LETHE_ENOMEM is not said.  lethe_answers_free() in any case. */
LETHE_MUST_CHECK lethe_err lethe_answers_make(lethe_ctx *ctx, const lethe_results *results,
                                              const char *owned, bool hosts, lethe_answers *out);
void lethe_answers_free(lethe_answers *a); /* a zeroed one is fine */
/* What of a URL is one page for these answers (attack/pages.h). */
LETHE_MUST_CHECK lethe_err lethe_answers_page(const lethe_answers *a, lethe_str url,
                                              lethe_buf *host, lethe_buf *page, lethe_str *out);

/* The answer to a normalised query: URLs of the results, the best first; none where it is not
 * replayed. */
const uint32_t *lethe_answers_of(const lethe_answers *a, lethe_str query, size_t *n);

/* What is known of one identifier.  All zero at first; begin before each. */
typedef struct lethe_page_candidates {
    lethe_buf pages, next; /* uint32_t each, ascending: those in all answers so far */
    bool any;              /* was there an answer? */
    uint32_t pick;         /* what the ranks point at; LETHE_NONE: nothing yet */
    bool torn;             /* they point at different pages */
} lethe_page_candidates;
void lethe_page_candidates_begin(lethe_page_candidates *g);
/* It was clicked for a query with this answer.  One that is empty says nothing. */
LETHE_MUST_CHECK lethe_err lethe_page_candidates_intersect(lethe_page_candidates *g,
                                                           const lethe_answers *a,
                                                           const uint32_t *urls, size_t n);
/* It was clicked at this rank of that answer, from 1; one that is not there says nothing. */
void lethe_page_candidates_rank(lethe_page_candidates *g, const lethe_answers *a,
                                const uint32_t *urls, size_t n, uint32_t rank);
void lethe_page_candidates_free(lethe_page_candidates *g);

/* The page and site that the answers name; LETHE_NONE: they name none.  Where they name the page,
 * they name the site. */
lethe_page_site lethe_page_candidates_named(const lethe_page_candidates *g, const lethe_answers *a,
                                            bool ranks);

#endif
