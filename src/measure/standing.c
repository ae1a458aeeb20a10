#include "measure/standing.h"

/* --- memory --- */

static bool grow(uint32_t **p, size_t n)
{
    uint32_t *larger = lethe_realloc(*p, n, sizeof **p);
    if (larger) *p = larger;
    return larger != NULL;
}

static lethe_err make_room(lethe_standing *s, size_t n, size_t n_published)
{
    if (n > s->room) {
        uint32_t **const of_items[] = {&s->mate, &s->level, &s->skip, &s->order, &s->place};
        for (size_t i = 0; i < LETHE_COUNT(of_items); i++)
            if (!grow(of_items[i], n + 1)) return LETHE_ENOMEM;
        s->room = n;
    }
    if (n_published > s->room_published) {
        uint32_t **const of_published[] = {&s->stands, &s->depth, &s->queue,
                                           &s->at,     &s->taken, &s->start};
        for (size_t i = 0; i < LETHE_COUNT(of_published); i++)
            if (!grow(of_published[i], n_published + 2)) return LETHE_ENOMEM;
        s->room_published = n_published;
    }
    return LETHE_OK;
}

void lethe_standing_free(lethe_standing *s)
{
    uint32_t *const all[] = {s->mate,  s->level,  s->skip,  s->order, s->place, s->start,
                             s->depth, s->stands, s->queue, s->at,    s->taken};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *s = (lethe_standing){0};
}

/* The first from i on that is not gone; paths are halved. */
static uint32_t next_left(uint32_t *skip, uint32_t i)
{
    while (skip[i] != i)
        i = skip[i] = skip[skip[i]];
    return i;
}

static void reset(uint32_t *skip, uint32_t n)
{
    for (uint32_t i = 0; i <= n; i++)
        skip[i] = i;
}

/* --- how far everything is from a published item that stands for nothing --- */

/* What published item p may stand for and nobody before it reached; whoever stands for such a one
 * is next.  Is one of them free? */
static bool reach(lethe_standing *s, const lethe_standing_asked *a, uint32_t p, bool last,
                  uint32_t *n_queue)
{
    bool found = false;
    for (uint32_t k = a->first[p]; k < a->first[p + 1]; k++) {
        uint32_t i = next_left(s->skip, a->span[k].from);
        for (; i < a->span[k].end; i = next_left(s->skip, i)) {
            uint32_t other = s->mate[i];
            s->level[i] = s->depth[p];
            s->skip[i] = i + 1;
            found = found || other == LETHE_NONE;
            if (other == LETHE_NONE || last) continue;
            s->depth[other] = s->depth[p] + 1;
            s->queue[(*n_queue)++] = other;
        }
    }
    return found;
}

/* Levels up to the first that has a free item; false: there is none. */
static bool reach_all(lethe_standing *s, const lethe_standing_asked *a)
{
    uint32_t n_queue = 0, last = LETHE_NONE;
    reset(s->skip, a->n);
    for (uint32_t i = 0; i < a->n; i++)
        s->level[i] = LETHE_NONE;
    for (uint32_t p = 0; p < a->n_published; p++)
        if (s->stands[p] == LETHE_NONE) {
            s->depth[p] = 0;
            s->queue[n_queue++] = p;
        }
    for (uint32_t at = 0; at < n_queue && s->depth[s->queue[at]] <= last; at++) {
        uint32_t p = s->queue[at];
        if (reach(s, a, p, last != LETHE_NONE, &n_queue)) last = s->depth[p];
    }
    return last != LETHE_NONE;
}

/* Items by level, and ascending in each: s->order, level l being s->start[l] .. s->start[l + 1]
 * - 1. There is a published item for each level. */
static void sort_levels(lethe_standing *s, const lethe_standing_asked *a)
{
    memset(s->start, 0, ((size_t)a->n_published + 2) * sizeof *s->start);
    // counted two further on, so that after filling, each is where it begins
    for (uint32_t i = 0; i < a->n; i++)
        if (s->level[i] != LETHE_NONE) s->start[s->level[i] + 2]++;
    for (uint32_t l = 1; l <= a->n_published + 1; l++)
        s->start[l] += s->start[l - 1];
    for (uint32_t i = 0; i < a->n; i++)
        if (s->level[i] != LETHE_NONE) s->order[s->start[s->level[i] + 1]++] = i;
}

/* --- paths to free items, one level at a step --- */

/* The first place in the level from which on items are `from` or more. */
static uint32_t place_of(const lethe_standing *s, uint32_t level, uint32_t from)
{
    uint32_t low = s->start[level], high = s->start[level + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->order[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Takes an item of this level that p may stand for; LETHE_NONE: none is left. */
static uint32_t take(lethe_standing *s, const lethe_standing_asked *a, uint32_t p, uint32_t level)
{
    for (uint32_t k = a->first[p]; k < a->first[p + 1]; k++) {
        uint32_t at = next_left(s->place, place_of(s, level, a->span[k].from));
        if (at >= s->start[level + 1] || s->order[at] >= a->span[k].end) continue;
        s->place[at] = at + 1;
        return s->order[at];
    }
    return LETHE_NONE;
}

/* From a published item that stands for nothing.  Whoever stands for an item that is taken is gone
 * on with; what leads nowhere stays taken.  Where a free item is found, all on the path move on. */
static bool follow(lethe_standing *s, const lethe_standing_asked *a, uint32_t p)
{
    uint32_t n = 0;
    s->at[0] = p;
    for (;;) {
        uint32_t i = take(s, a, s->at[n], n);
        if (i == LETHE_NONE) {
            if (n-- == 0) return false;
            continue;
        }
        s->taken[n] = i;
        if (s->mate[i] == LETHE_NONE) break;
        s->at[++n] = s->mate[i];
    }
    for (uint32_t k = 0; k <= n; k++) {
        s->stands[s->at[k]] = s->taken[k];
        s->mate[s->taken[k]] = s->at[k];
    }
    return true;
}

lethe_err lethe_standing_find(lethe_standing *s, const lethe_standing_asked *a, uint32_t *out)
{
    uint32_t left = a->n_published;
    if (a->n == 0 || left == 0) {
        *out = left > 0 ? 0 : LETHE_NONE;
        return LETHE_OK;
    }
    LETHE_TRY(make_room(s, a->n, left));
    for (uint32_t i = 0; i < a->n; i++)
        s->mate[i] = LETHE_NONE;
    for (uint32_t p = 0; p < a->n_published; p++)
        s->stands[p] = LETHE_NONE;
    while (left > 0 && reach_all(s, a)) {
        sort_levels(s, a);
        reset(s->place, a->n);
        for (uint32_t p = 0; p < a->n_published; p++)
            if (s->stands[p] == LETHE_NONE && follow(s, a, p)) left--;
    }
    *out = LETHE_NONE;
    for (uint32_t p = a->n_published; left > 0 && p-- > 0;)
        if (s->stands[p] == LETHE_NONE) *out = p;
    return LETHE_OK;
}
