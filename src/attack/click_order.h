/* SPDX-License-Identifier: Apache-2.0 */
/* click_order.h - which page does an identifier stand for, by how often it was clicked?
 *
 * People click the first result most, then the second: of a query's identifiers the one with most
 * clicks is guessed to be the first page of the answer, the next one the second, and so on.  No
 * other query is needed. */
#ifndef LETHE_ATTACK_CLICK_ORDER_H
#define LETHE_ATTACK_CLICK_ORDER_H
#include "attack/answers.h"

/* The identifiers of one query after the other.  All zero at first. */
typedef struct lethe_click_order {
    lethe_buf bytes; /* of the identifiers */
    lethe_buf ids;   /* lethe_click_guess each, their names as places in `bytes` */
    lethe_buf pages; /* of the answer, uint32_t each, each once */
} lethe_click_order;

typedef struct lethe_click_guess {
    size_t at, n_bytes; /* the identifier; lethe_click_guess_id() */
    uint64_t clicks;
    uint32_t page; /* LETHE_NONE: the answer has no page for it */
} lethe_click_guess;

void lethe_click_order_begin(lethe_click_order *o);
/* Clicks on an identifier; those on one come together. */
LETHE_MUST_CHECK lethe_err lethe_click_order_add(lethe_click_order *o, lethe_str id,
                                                 uint64_t clicks);
/* Guesses a page for each, by clicks and then by the bytes of the identifier, which have no
 * meaning. The answer: *n guesses, in that order. */
LETHE_MUST_CHECK lethe_err lethe_click_order_guess(lethe_click_order *o, const lethe_answers *a,
                                                   const uint32_t *urls, size_t n_urls,
                                                   const lethe_click_guess **out, size_t *n);
lethe_str lethe_click_guess_id(const lethe_click_order *o, const lethe_click_guess *g);
void lethe_click_order_free(lethe_click_order *o);

/* The page that most of an identifier's clicks are guessed to be on; of two with as many the first
 * one. */
typedef struct lethe_page_votes {
    uint32_t best; /* LETHE_NONE: no vote yet */
    uint64_t most;
    uint32_t page; /* the one at hand */
    uint64_t clicks;
} lethe_page_votes;
void lethe_page_votes_begin(lethe_page_votes *v);
/* By page, ascending. */
void lethe_page_votes_add(lethe_page_votes *v, uint32_t page, uint64_t clicks);

#endif
