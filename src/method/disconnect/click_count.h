/* SPDX-License-Identifier: Apache-2.0 */
/* click_count.h - the counts of one query's rows: how often it was asked and clicked, its URLs and
 * their sites.  Rows are read once and not held; URLs and sites are held as hashes. */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_COUNT_H
#define LETHE_METHOD_DISCONNECT_CLICK_COUNT_H
#include "method/disconnect/hash_numbers.h"
#include "model/log/log.h"

typedef struct lethe_click_count {
    const lethe_hash_key *key;
    lethe_url_form form; /* how URLs will be published; others do not count */
    uint64_t rows;
    uint64_t volume;                /* how often it was asked: distinct seconds of its users */
    uint64_t clicks;                /* rows with a URL */
    uint64_t origin;                /* the lowest: when it was first seen */
    uint64_t top;                   /* clicks of the site with most */
    bool named;                     /* the text names a clicked site (algo/text/click_sites.h) */
    lethe_hash_numbers urls, sites; /* in the order in which they come */
    lethe_row last;                 /* the last row; its views belong to the caller */
    lethe_buf url_clicks;           /* uint64_t each: of the URLs */
    lethe_buf site_clicks, host, dotted, domain; /* scratch */
} lethe_click_count;

/* Starts the next query; keeps key, form and buffers. */
void lethe_click_count_begin(lethe_click_count *c);
/* Adds a row of the query, in the order of LETHE_BY_QUERY.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_click_count_row(lethe_click_count *c, const lethe_row *row);
/* Adds a URL that counts for its site alone. */
LETHE_MUST_CHECK lethe_err lethe_click_count_site(lethe_click_count *c, lethe_str url);
void lethe_click_count_free(lethe_click_count *c);

#endif
