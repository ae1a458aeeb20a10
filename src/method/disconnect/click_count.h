/* click_count.h - what one query's rows come to: how often it was asked and clicked, its URLs and
 * their sites.  Rows are seen once and not held; URLs and sites are held as hashes. */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_COUNT_H
#define LETHE_METHOD_DISCONNECT_CLICK_COUNT_H
#include "method/disconnect/hash_numbers.h"
#include "model/log/log.h"

typedef struct lethe_click_count {
    const lethe_hash_key *key;
    lethe_url_form form; /* how URLs will be published; what will not be is none */
    uint64_t rows;
    uint64_t volume;                /* distinct seconds of its users: how often it was asked */
    uint64_t clicks;                /* rows with a URL */
    uint64_t origin;                /* the lowest: when it was first seen */
    uint64_t top;                   /* clicks of the site that has most */
    bool named;                     /* the text names a clicked site (algo/click_sites.h) */
    lethe_hash_numbers urls, sites; /* in the order in which they come by */
    lethe_row last;                 /* the row that came last; its views are the caller's */
    lethe_buf site_clicks, host, dotted, domain; /* its own */
} lethe_click_count;

/* For the next query; key and form stay, and so does the room. */
void lethe_click_count_begin(lethe_click_count *c);
/* Rows of one query, as LETHE_BY_QUERY orders them.  LETHE_ENOMEM, not said. */
LETHE_MUST_CHECK lethe_err lethe_click_count_row(lethe_click_count *c, const lethe_row *row);
/* A URL that counts for its site alone. */
LETHE_MUST_CHECK lethe_err lethe_click_count_site(lethe_click_count *c, lethe_str url);
void lethe_click_count_free(lethe_click_count *c);

#endif
