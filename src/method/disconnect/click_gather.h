/* SPDX-License-Identifier: Apache-2.0 */
/* click_gather.h - the queries of a log that have clicked URLs, and these URLs, as hashes: gathered
 * by workers in any order, then numbered for the click graph in the order in which they were first
 * seen. */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_GATHER_H
#define LETHE_METHOD_DISCONNECT_CLICK_GATHER_H
#include "core/need.h"
#include "method/disconnect/hash_numbers.h"
#include "model/knowledge/click_graph.h"

/* A query with at least one URL. */
typedef struct lethe_click_query {
    lethe_hash text;
    uint64_t origin; /* the lowest of its rows: when it was first seen */
    uint64_t frequency, clicks;
    uint64_t hidden; /* further clicks, which are not published */
    uint64_t weight;
    uint32_t n_urls;
    bool gone;          /* removed before there is a graph */
    bool confirmed;     /* for the caller's use */
    uint16_t worker;    /* set by lethe_click_gather_put() */
    uint64_t url_start; /* likewise */
} lethe_click_query;

typedef struct lethe_click_gather {
    unsigned n_parts;
    struct lethe_click_gather_part *parts; /* of each worker */
    _Atomic uint64_t put, put_urls;        /* of all of them */
    /* The rest is set by lethe_click_gather_number(). */
    uint32_t n, n_urls;
    struct lethe_click_gather_place {
        uint64_t origin;
        const lethe_click_query *query;
    } * at;             /* queries by number */
    lethe_click *click; /* sorted by query; the caller may change and free them (and set NULL) */
    size_t n_clicks;
} lethe_click_gather;

/* How many queries and URLs there are so far; from any thread. */
lethe_sizes lethe_click_gather_sizes(const lethe_click_gather *g);

lethe_click_gather *lethe_click_gather_new(unsigned n_workers); /* NULL: no memory */
void lethe_click_gather_free(lethe_click_gather *g);            /* NULL is fine */

/* Adds a query, once, and its q->n_urls distinct URLs.  Safe from several threads, each with its
 * own w.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_click_gather_put(lethe_click_gather *g, unsigned w,
                                                  const lethe_click_query *q,
                                                  const lethe_hash *url);

/* To be called once, after the last query.  Queries are numbered in order of origin (ties by hash),
 * URLs in order of the first query that has them, and within it in its own order: the same for any
 * number of workers and, except for hash collisions, any key.  The URLs' hashes are freed.
 * LETHE_ENOMEM, not reported, also for more than 2^32 - 2 queries; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_click_gather_number(lethe_ctx *ctx, lethe_click_gather *g);

#endif
