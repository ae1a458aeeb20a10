/* SPDX-License-Identifier: Apache-2.0 */
/* best_hits.h - the best k of many hits: a heap with the worst of them on top. */
#ifndef LETHE_ALGO_TEXT_BEST_HITS_H
#define LETHE_ALGO_TEXT_BEST_HITS_H
#include "algo/text/retrieval.h"
#include <stdlib.h>

/* The higher score; of equal ones the lower number. */
static inline bool lethe_hit_better(lethe_hit a, lethe_hit b)
{
    return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

typedef struct lethe_best_hits {
    lethe_hit *at; /* room for k */
    uint32_t n, k;
} lethe_best_hits;

/* What a hit must reach to be of any use. */
static inline double lethe_best_hits_bar(const lethe_best_hits *h)
{
    return h->n == h->k ? h->at[0].score : 0;
}

static inline void lethe_best_hits_put(lethe_best_hits *h, lethe_hit hit)
{
    if (h->n == h->k) {
        if (!lethe_hit_better(hit, h->at[0])) return;
        uint32_t i = 0;
        for (;;) {
            uint32_t child = 2 * i + 1;
            if (child >= h->n) break;
            if (child + 1 < h->n && lethe_hit_better(h->at[child], h->at[child + 1])) child++;
            if (!lethe_hit_better(hit, h->at[child])) break;
            h->at[i] = h->at[child];
            i = child;
        }
        h->at[i] = hit;
        return;
    }
    uint32_t i = h->n++;
    for (; i > 0 && lethe_hit_better(h->at[(i - 1) / 2], hit); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = hit;
}

static inline int lethe_best_hits_order(const void *a, const void *b)
{
    const lethe_hit *x = a, *y = b;
    return lethe_hit_better(*y, *x) - lethe_hit_better(*x, *y);
}

/* Only the best first, the others in any order: for who needs no more. */
static inline void lethe_best_hits_lead(lethe_best_hits *h)
{
    for (uint32_t i = 1; i < h->n; i++)
        if (lethe_hit_better(h->at[i], h->at[0])) {
            lethe_hit best = h->at[i];
            h->at[i] = h->at[0];
            h->at[0] = best;
        }
}

/* The best first; it is no heap then. */
static inline void lethe_best_hits_sort(lethe_best_hits *h)
{
    if (h->n > 1) qsort(h->at, h->n, sizeof *h->at, lethe_best_hits_order);
}

#endif
