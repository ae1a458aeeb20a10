/* SPDX-License-Identifier: Apache-2.0 */
/* neighbourhoods.c - a cache of neighbourhoods. */
#include "method/cluster/ssg/neighbourhoods.h"

enum {
    MOST = 16 << 20,  /* entries in the cache */
    WHOLE = 12 << 20, /* of whole neighbourhoods; beyond, only the nearest ... */
    NEAREST = 256     /* ... so many of each are kept */
};

lethe_err lethe_ssg_neighbourhoods_new(const lethe_meaning *m, const uint32_t *terms, size_t n,
                                       lethe_ssg_neighbourhoods **out)
{
    lethe_ssg_neighbourhoods *b = lethe_alloc_zero(1, sizeof *b);
    if (!b) return LETHE_ENOMEM;
    b->end = n ? terms[n - 1] + 1 : 0;
    b->n_slots = (uint32_t)n;
    b->room = MOST;
    b->room_whole = WHOLE;
    b->nearest = NEAREST;
    b->slot = lethe_alloc_zero(b->end, sizeof *b->slot);
    b->around = lethe_alloc_zero(n, sizeof *b->around);
    b->n = lethe_alloc_zero(n, sizeof *b->n);
    b->n_kept = lethe_alloc_zero(n, sizeof *b->n_kept);
    b->arena = lethe_arena_new();
    bool ok = b->slot && b->around && b->n && b->n_kept && b->arena;
    if (!ok || lethe_meaning_asker_new(m, &b->asker) != LETHE_OK) {
        lethe_ssg_neighbourhoods_free(b);
        return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        b->slot[terms[i]] = i;
    *out = b;
    return LETHE_OK;
}

void lethe_ssg_neighbourhoods_free(lethe_ssg_neighbourhoods *b)
{
    if (!b) return;
    lethe_meaning_asker_free(b->asker);
    lethe_free(b->slot);
    lethe_free(b->around);
    lethe_free(b->n);
    lethe_free(b->n_kept);
    lethe_arena_free(b->arena);
    lethe_free(b);
}

/* Computes a neighbourhood, and keeps as much of it as there is room for. */
static const lethe_meaning_neighbour *compute(lethe_ssg_neighbourhoods *b, uint32_t term, size_t *n)
{
    uint32_t slot = b->slot[term];
    const lethe_meaning_neighbour *around = lethe_meaning_neighbourhood(b->asker, term, n);
    if (b->n[slot] > 0) return around; // did not fit before
    size_t keep = b->kept + *n <= b->room_whole ? *n : LETHE_MIN(*n, b->nearest);
    b->n[slot] = (uint32_t)*n;
    if (b->kept + keep > b->room) return around;
    lethe_meaning_neighbour *copy = lethe_new(b->arena, lethe_meaning_neighbour, keep);
    if (!copy) return around; // only slower
    memcpy(copy, around, keep * sizeof *copy);
    b->around[slot] = copy;
    b->n_kept[slot] = (uint32_t)keep;
    b->kept += keep;
    return around;
}

const lethe_meaning_neighbour *lethe_ssg_neighbourhoods_of(lethe_ssg_neighbourhoods *b,
                                                           uint32_t term, size_t *n)
{
    uint32_t slot = b->slot[term];
    if (!b->around[slot] || b->n_kept[slot] < b->n[slot]) return compute(b, term, n);
    *n = b->n[slot];
    return b->around[slot];
}

const lethe_meaning_neighbour *
lethe_ssg_neighbourhoods_nearest(lethe_ssg_neighbourhoods *b, uint32_t term, size_t *n, bool *whole)
{
    uint32_t slot = b->slot[term];
    const lethe_meaning_neighbour *around = b->around[slot];
    *n = b->n_kept[slot];
    if (!around) around = compute(b, term, n);
    *whole = *n == b->n[slot];
    return around;
}
