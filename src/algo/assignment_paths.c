/* Shortest augmenting paths for large components, and the tie rule on what they leave behind.
 *
 * Potentials u, v with u[l] + v[r] <= weight for all pairs, u[l] <= nil, v <= 0 prove a placement
 * cheapest if it uses tight pairs only (u + v = weight, or u = nil for nobody) and every right term
 * with v < 0 is taken; and then the cheapest ones are exactly all placements of that kind.  No
 * number here leaves -nil .. nil: a search ends at nil's own cost at the latest. */
#include "algo/assignment_internal.h"

/* --- a heap of right terms by distance, which knows where each stands --- */

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
        const lethe_pair *p = &a->pairs->at[i];
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
void lethe_assign_place(lethe_assigner *a, uint32_t l, lethe_part *part)
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

/* --- ties --- */

/* Another cheapest placement differs along a cycle of tight pairs: l takes r, whose owner takes
 * another, and so on, until somebody takes what l had.  Or somebody takes a free place, and a place
 * that may be free (nobody, or a right term with v = 0) is released: by l, which ends the cycle, or
 * by another who goes on.  `free_*` is where the free place was found, once. */
typedef struct exchange {
    const lethe_component *c;
    uint32_t l, had; /* the left term to be moved, and its right one */
    bool may_release;
    bool was_free; /* a free place was found, and all that may release were tried */
    uint32_t free_right, free_left; /* which: a right term, or nobody for a left one */
    uint32_t n_stack, n_visited; /* the right terms visited follow the stack, in the same array */
    uint64_t mark;
} exchange;

static bool is_tight(const lethe_assigner *a, const lethe_assign_left *x, const lethe_pair *p)
{
    return (int64_t)p->weight == x->potential + a->right[p->right].potential;
}

static bool may_release(const lethe_assigner *a, uint32_t r)
{
    return r == LETHE_NONE || a->right[r].potential == 0;
}

/* All tight right terms of x, where they are new and their owner may still be moved.  true: one of
 * them is what l had. */
static bool push_all(lethe_assigner *a, exchange *e, uint32_t x, bool released)
{
    lethe_assign_left *from = &a->left[x];
    from->seen = e->mark;
    from->released = released;
    for (size_t i = from->first; i < from[1].first; i++) {
        const lethe_pair *p = &a->pairs->at[i];
        if (p->weight > (uint64_t)a->nil || !is_tight(a, from, p)) continue;
        lethe_assign_right *r = &a->right[p->right];
        if (r->seen == e->mark || p->right == from->to) continue;
        if (r->owner != LETHE_NONE && r->owner < e->l) continue; // has its final place
        r->seen = e->mark;
        r->via = x;
        if (p->right == e->had) return true;
        a->heap[e->n_stack++] = p->right;
    }
    return false;
}

/* A free place: the end if l can release what it has, else others may release. */
static bool found_free(lethe_assigner *a, exchange *e, uint32_t right, uint32_t left)
{
    if (e->was_free) return false;
    e->was_free = true;
    e->free_right = right;
    e->free_left = left;
    if (e->may_release) return true;
    for (uint32_t i = 0; i < e->c->n_left; i++) {
        uint32_t x = e->c->left[i];
        if (x <= e->l || a->left[x].seen == e->mark || !may_release(a, a->left[x].to)) continue;
        if (push_all(a, e, x, true)) return true;
    }
    return false;
}

/* Can r be taken?  Marks stay for the next try: what led nowhere leads nowhere again. */
static bool can_take(lethe_assigner *a, exchange *e, uint32_t r)
{
    a->right[r].seen = e->mark;
    a->right[r].via = e->l;
    a->heap[0] = r;
    e->n_stack = 1;
    while (e->n_stack > 0) {
        r = a->heap[--e->n_stack];
        a->heap[a->pairs->n_right + e->n_visited++] = r;
        uint32_t x = a->right[r].owner;
        if (x == LETHE_NONE) {
            if (found_free(a, e, r, LETHE_NONE)) return true;
            continue;
        }
        if (a->left[x].seen == e->mark) continue;
        if (push_all(a, e, x, false)) return true;
        if (a->left[x].potential == a->nil && found_free(a, e, LETHE_NONE, x)) return true;
    }
    return false;
}

/* Walks the cycle from its end, what l had or a free place, back to l. */
static void apply(lethe_assigner *a, exchange *e)
{
    bool by_free = e->had == LETHE_NONE || a->right[e->had].seen != e->mark;
    uint32_t r = by_free ? e->free_right : e->had, x;
    if (by_free && e->had != LETHE_NONE) a->right[e->had].owner = LETHE_NONE;
    for (;;) {
        x = r == LETHE_NONE ? e->free_left : a->right[r].via;
        uint32_t before = a->left[x].to;
        a->left[x].to = r;
        if (r != LETHE_NONE) a->right[r].owner = x;
        if (x == e->l) return;
        r = before;
        if (!a->left[x].released) continue;
        if (before != LETHE_NONE) a->right[before].owner = LETHE_NONE;
        r = e->free_right;
    }
}

/* Takes back the marks of a search that found something. */
static void unmark(lethe_assigner *a, exchange *e)
{
    uint32_t *visited = a->heap + a->pairs->n_right;
    while (e->n_stack > 0)
        a->right[a->heap[--e->n_stack]].seen = 0;
    for (uint32_t i = 0; i < e->n_visited; i++) {
        lethe_assign_right *r = &a->right[visited[i]];
        r->seen = 0;
        if (r->owner != LETHE_NONE) a->left[r->owner].seen = 0;
    }
}

/* The earliest right term before the one that e->l has; false: it has the earliest. */
static bool improve(lethe_assigner *a, exchange *e)
{
    const lethe_assign_left *from = &a->left[e->l];
    for (size_t k = from->first; k < from[1].first; k++) {
        const lethe_pair *p = &a->pairs->at[k];
        const lethe_assign_right *r = &a->right[p->right];
        if (p->right == e->had) return false;
        if (p->weight > (uint64_t)a->nil || !is_tight(a, from, p)) continue;
        if (r->seen == e->mark || (r->owner != LETHE_NONE && r->owner < e->l)) continue;
        e->n_visited = 0;
        if (can_take(a, e, p->right)) return true;
    }
    return false;
}

/* From what left terms that go to nobody have tried in vain there is no way to a free place for
 * later ones either: less and less can be moved, and an exchange for such a one goes through
 * nothing from which there was no way.  So these marks stay (`dead`), and one more costs a look at
 * its pairs.  An exchange for a left term that has a right one, of which there are fewer, may open
 * new ways. */
void lethe_assign_settle(lethe_assigner *a, const lethe_component *c)
{
    uint64_t dead = ++a->round;
    for (uint32_t i = 0; i < c->n_left; i++) {
        uint32_t l = c->left[i];
        exchange e = {.c = c, .l = l, .had = a->left[l].to};
        bool to_nobody = e.had == LETHE_NONE;
        e.may_release = may_release(a, e.had);
        e.mark = to_nobody ? dead : ++a->round;
        if (!improve(a, &e)) continue;
        if (to_nobody)
            unmark(a, &e);
        else
            dead = ++a->round;
        apply(a, &e);
    }
}
