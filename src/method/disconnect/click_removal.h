/* SPDX-License-Identifier: Apache-2.0 */
/* click_removal.h - decides which of the gathered queries go, so that the others share no clicked
 * URL, or so few that the density is at most what is asked for: by a ranking (click_ranking.h), or
 * as the best set that can be found (independent/independent.h). */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_REMOVAL_H
#define LETHE_METHOD_DISCONNECT_CLICK_REMOVAL_H
#include "method/disconnect/click_gather.h"

/* What a query is worth. */
typedef enum lethe_click_value {
    LETHE_CLICK_VALUE_ONE,
    LETHE_CLICK_VALUE_FREQUENCY,
    LETHE_CLICK_VALUE_CLICKS,
    LETHE_CLICK_VALUE_WEIGHT /* its own weight; above 0 */
} lethe_click_value;

typedef struct lethe_click_removal_options {
    lethe_click_gather *gather; /* not numbered yet; its clicks are used up */
    uint64_t n_plain;           /* further queries, without a URL: they count for density alone */
    bool best;                  /* keep the greatest worth; else rank by degree over worth */
    lethe_click_value by;
    double density; /* 0 with `best` */
} lethe_click_removal_options;

enum { LETHE_CLICK_PATH_MAX = 101 };

typedef struct lethe_click_removal {
    lethe_hash_numbers texts; /* of queries that were not gone before, by number in the graph */
    uint8_t *kept;            /* of each of these: 0 or 1 */
    uint64_t edges_before;    /* of all that was gathered, those that were gone among them */
    uint64_t edges_after;
    /* By a ranking: density before the first removal, after the last one, and at equal steps
     * between. */
    double path[LETHE_CLICK_PATH_MAX];
    size_t n_path;
} lethe_click_removal;

/* Queries that are gone count in edges_before alone.  The result is the same for any number of
 * threads.  LETHE_EINPUT: the worth of all queries reaches 2^63 (with `best`), or there are 2^32
 * queries.  Reports all failures. */
LETHE_MUST_CHECK lethe_err lethe_click_remove(lethe_ctx *ctx,
                                              const lethe_click_removal_options *how,
                                              lethe_click_removal *out);
void lethe_click_removal_free(lethe_click_removal *r);

#endif
