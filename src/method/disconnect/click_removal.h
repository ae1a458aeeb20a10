/* click_removal.h - which of the gathered queries go so that the others share no clicked URL, or so
 * few that density is at most what is asked for: by a ranking (algo/disconnect.h), or as the best
 * set that can be found (algo/independent.h). */
#ifndef LETHE_METHOD_DISCONNECT_CLICK_REMOVAL_H
#define LETHE_METHOD_DISCONNECT_CLICK_REMOVAL_H
#include "method/disconnect/click_gather.h"

/* What a query counts. */
typedef enum lethe_click_value {
    LETHE_CLICK_VALUE_ONE,
    LETHE_CLICK_VALUE_FREQUENCY,
    LETHE_CLICK_VALUE_CLICKS,
    LETHE_CLICK_VALUE_WEIGHT /* its own; above 0 */
} lethe_click_value;

typedef struct lethe_click_removal_options {
    lethe_click_gather *gather; /* not numbered yet; its clicks are used up */
    uint64_t n_plain;           /* queries besides, without a URL: they count for density alone */
    bool best; /* what is kept counts most; else by degree over what a query counts */
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

/* Queries that are gone take no part, but in edges_before.  Same result for any number of threads.
 * LETHE_EINPUT: what counts comes to 2^63 together (with `best`), or there are 2^32 queries.  All
 * failures are said. */
LETHE_MUST_CHECK lethe_err lethe_click_remove(lethe_ctx *ctx,
                                              const lethe_click_removal_options *how,
                                              lethe_click_removal *out);
void lethe_click_removal_free(lethe_click_removal *r);

#endif
