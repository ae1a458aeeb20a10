/* SPDX-License-Identifier: Apache-2.0 */
/* assignment_paths.c - shortest augmenting paths for large components.
 *
 * Potentials u, v with u[l] + v[r] <= weight for all pairs, u[l] <= nil, v <= 0 prove a placement
 * cheapest if it uses tight pairs only (u + v = weight, or u = nil for nobody) and every right term
 * with v < 0 is taken; and then the cheapest ones are exactly all placements of that kind, among
 * which assignment_ties.c chooses.  No number here leaves -nil .. nil: a search ends at nil's own
 * cost at the latest. */
#include "algo/match/assignment_internal.h"

/* --- a heap of right terms by distance, in which each knows its place --- */

static bool heap_less(const lethe_assigner *a, uint32_t x, uint32_t y)
{
    return a->right[x].distance < a->right[y].distance;
}

static void heap_set(lethe_assigner *a, uint32_t at, uint32_t r)
{
    a->heap[at] = r;
    a->right[r].heap_at = at;
}

static void heap_rise(lethe_assigner *a, uint32_t r)
{
    uint32_t at = a->right[r].heap_at;
    for (; at > 0 && heap_less(a, r, a->heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_set(a, at, a->heap[(at - 1) / 2]);
    heap_set(a, at, r);
}

static uint32_t heap_pop(lethe_assigner *a)
{
    uint32_t top = a->heap[0], last = a->heap[--a->n_heap], at = 0;
    a->right[top].heap_at = LETHE_NONE;
    if (a->n_heap == 0) return top;
    for (uint32_t c; (c = 2 * at + 1) < a->n_heap; at = c) {
        if (c + 1 < a->n_heap && heap_less(a, a->heap[c + 1], a->heap[c])) c++;
        if (!heap_less(a, a->heap[c], last)) break;
        heap_set(a, at, a->heap[c]);
    }
    heap_set(a, at, last);
    return top;
}

/* --- one path --- */

/* The end of the shortest path so far: a free right term, or nobody for `left`. */
typedef struct path_end {
    int64_t distance;
    uint32_t right, left;
} path_end;

/* From left term x, which stands at `distance`. */
static void relax(lethe_assigner *a, uint32_t x, int64_t distance, path_end *end)
{
    const lethe_assign_left *from = &a->left[x];
    int64_t base = distance - from->potential;
    if (base + a->nil < end->distance) *end = (path_end){base + a->nil, LETHE_NONE, x};
    for (size_t i = from->first; i < from[1].first; i++) {
        const lethe_assign_pair *p = &a->pairs->at[i];
        if (p->weight > (uint64_t)a->nil) continue;
        lethe_assign_right *r = &a->right[p->right];
        int64_t d = base + (int64_t)p->weight - r->potential;
        if (d >= end->distance) continue;
        bool is_new = r->seen != a->round;
        if (!is_new && d >= r->distance) continue;
        r->distance = d;
        r->via = x;
        if (r->owner == LETHE_NONE) {
            *end = (path_end){d, p->right, x};
            continue;
        }
        if (is_new) {
            r->seen = a->round;
            r->heap_at = a->n_heap++;
        }
        heap_rise(a, p->right);
    }
}

/* Moves every left term on the path on by one. */
static void augment(lethe_assigner *a, uint32_t start, path_end end)
{
    uint32_t x = end.left, r = end.right;
    for (;;) {
        uint32_t before = a->left[x].to;
        a->left[x].to = r;
        if (r != LETHE_NONE) a->right[r].owner = x;
        if (x == start) return;
        r = before;
        x = a->right[r].via;
    }
}

/* Dijkstra's algorithm from l over reduced costs, until a free place is nearest.  Settled right
 * terms stay where the heap's array ends, so that their potentials can be mended. */
void lethe_assign_place(lethe_assigner *a, uint32_t l, lethe_assign_part *part)
{
    path_end end = {a->nil, LETHE_NONE, l};
    uint32_t n_settled = 0, *settled = a->heap + a->pairs->n_right;
    a->round++;
    a->n_heap = 0;
    a->left[l].potential = 0; // v <= 0 <= weight
    a->left[l].to = LETHE_NONE;
    relax(a, l, 0, &end);
    while (a->n_heap > 0 && a->right[a->heap[0]].distance < end.distance) {
        uint32_t r = heap_pop(a);
        settled[n_settled++] = r;
        relax(a, a->right[r].owner, a->right[r].distance, &end);
    }
    for (uint32_t i = 0; i < n_settled; i++) {
        lethe_assign_right *r = &a->right[settled[i]];
        int64_t slack = end.distance - r->distance;
        r->potential -= slack;
        a->left[r->owner].potential += slack;
    }
    a->left[l].potential = end.distance;
    augment(a, l, end);
    part->unmatched += end.right == LETHE_NONE;
    part->weight += end.distance - (end.right == LETHE_NONE ? a->nil : 0);
}
