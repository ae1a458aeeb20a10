/* SPDX-License-Identifier: Apache-2.0 */
/* independent_internal.h - the parts of independent.c.
 *
 * The kernel: the classes that the reductions leave (independent_reduce.c).  Pieces: the kernel as
 * small independent problems of set packing (independent_pieces.c).  Each is solved exactly
 * (independent_exact.c) or by local search (independent_search.c). */
#ifndef LETHE_METHOD_DISCONNECT_INDEPENDENT_INDEPENDENT_INTERNAL_H
#define LETHE_METHOD_DISCONNECT_INDEPENDENT_INDEPENDENT_INTERNAL_H
#include "method/disconnect/independent/independent.h"
#include "core/dict.h"
#include "core/mem.h"
#include "core/rng.h"

/* --- union and find --- */

static inline uint32_t lethe_independent_root(uint32_t *parent, uint32_t x)
{
    while (parent[x] != x)
        x = parent[x] = parent[parent[x]];
    return x;
}

static inline void lethe_independent_unite(uint32_t *parent, uint32_t x, uint32_t y)
{
    x = lethe_independent_root(parent, x);
    y = lethe_independent_root(parent, y);
    parent[LETHE_MAX(x, y)] = LETHE_MIN(x, y);
}

/* --- reductions --- */

enum {
    LETHE_INDEPENDENT_OPEN, /* an undecided class */
    LETHE_INDEPENDENT_KEPT,
    LETHE_INDEPENDENT_ASIDE, /* kept if none of the others on a URL is */
    LETHE_INDEPENDENT_GONE,
};

/* A class set aside, and that URL; or a removed class, and the one that is no worse. */
typedef struct lethe_independent_note {
    uint32_t what, by;
} lethe_independent_note;

typedef struct lethe_independent_kernel {
    const lethe_click_graph *g;
    uint8_t *state;   /* of each class */
    uint64_t *weight; /* of each open class, above 0: minus what was subtracted */
    uint32_t *n_live; /* URLs of each open class that have other open ones */
    uint32_t *n_open; /* of each URL: its open classes.  It is live from 2 on; not counted below */
    uint32_t *on;     /* g->class_of_url; those that are not open are dropped now and then */
    uint32_t *n_on;   /* of each URL */
    uint32_t *top;    /* of each URL: its heaviest class when last examined; or LETHE_NONE */
    uint64_t *second; /* of each URL: no other of its classes is heavier */
    uint32_t *queue;  /* a ring of n_urls: URLs to examine */
    uint32_t head, n_queue;
    uint8_t *queued;              /* of each URL */
    lethe_independent_note *note; /* in order of time */
    uint32_t n_notes;
    uint64_t settled; /* weight that is certain, whatever is found for the kernel */
    uint64_t steps, steps_max;
} lethe_independent_kernel;

/* Takes ownership of `weight`, of each class, also on failure. */
LETHE_MUST_CHECK lethe_err lethe_independent_kernel_new(lethe_ctx *ctx, const lethe_click_graph *g,
                                                        uint64_t *weight,
                                                        lethe_independent_kernel *out);
void lethe_independent_kernel_free(lethe_independent_kernel *r);
/* `in` of each class, none of them connected: becomes a set of open classes that, with what is
 * settled, is no lighter than before. */
void lethe_independent_kernel_follow(const lethe_independent_kernel *r, uint8_t *in);
/* `in` of each open class: becomes a set of all classes.  `taken`: of each URL, zeros. */
void lethe_independent_kernel_undo(const lethe_independent_kernel *r, uint8_t *in, uint8_t *taken);

static inline bool lethe_independent_kernel_live(const lethe_independent_kernel *r, uint32_t url)
{
    return r->n_open[url] > 1;
}

/* --- pieces --- */

/* Sets of URLs, among which the heaviest disjoint ones are sought.  Sets are numbered from 0, the
 * heaviest first; every URL is in at least two. */
typedef struct lethe_independent_piece {
    uint32_t n, n_urls;
    const uint64_t *weight;
    const uint64_t *url_start; /* n + 1, into `url` */
    const uint32_t *url;
    const uint64_t *set_start; /* n_urls + 1, into `set` */
    const uint32_t *set;       /* those that have a URL: ascending */
} lethe_independent_piece;

/* All pieces, those with most sets first. */
typedef struct lethe_independent_pieces {
    uint32_t n;
    uint32_t n_sets, n_urls;
    uint32_t *first_set, *first_url; /* n + 1 */
    uint32_t *class_of;              /* of each set */
    uint64_t *weight;
    uint64_t *url_start, *set_start;
    uint32_t *url, *set; /* numbered within their piece */
} lethe_independent_pieces;

LETHE_MUST_CHECK lethe_err lethe_independent_pieces_new(const lethe_independent_kernel *r,
                                                        lethe_independent_pieces *out);
void lethe_independent_pieces_free(lethe_independent_pieces *p);
lethe_independent_piece lethe_independent_piece_at(const lethe_independent_pieces *p, uint32_t i);

/* --- exactly --- */

/* A solver for pieces of at most LETHE_INDEPENDENT_TRIED sets, one after the other. */
typedef struct lethe_independent_exact lethe_independent_exact;
lethe_independent_exact *lethe_independent_exact_new(void); /* NULL: no memory */
void lethe_independent_exact_free(lethe_independent_exact *x);
/* `in` of each set, with weight `at_least`: replaced by a heavier solution if there is one.  False:
 * given up after nodes_max nodes (0: never), and perhaps not the heaviest. */
bool lethe_independent_exact_solve(lethe_independent_exact *x, const lethe_independent_piece *p,
                                   uint64_t nodes_max, uint64_t at_least, uint8_t *in);

/* --- by local search --- */

/* Sets `in` of each set; no lighter than any of the n_starts solutions in `start`.  Each round (at
 * least 3) tries every set. */
LETHE_MUST_CHECK lethe_err lethe_independent_search_solve(lethe_ctx *ctx,
                                                          const lethe_independent_piece *p,
                                                          lethe_rng *rng, uint32_t n_rounds,
                                                          const uint8_t *const *start,
                                                          size_t n_starts, uint8_t *in);

#endif
