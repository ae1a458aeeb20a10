/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - augmenting paths for items that may stand for anything in several spans. */
#include "algo/match/spans.h"
#include "core/sort.h"

struct state {
    uint32_t left; /* copies without a match */
    uint32_t seen; /* the phase that last met the item */
};

static const lethe_item_span *span_at(const lethe_spans *s, size_t i)
{
    return (const lethe_item_span *)(const void *)s->span.at + i;
}

static struct state *state_of(const lethe_spans *s, size_t i)
{
    return (struct state *)(void *)s->state.at + i;
}

void lethe_spans_begin(lethe_spans *s) { s->span.n = s->state.n = 0; }

lethe_err lethe_spans_put(lethe_spans *s, const lethe_item_span *span)
{
    if (s->span.n / sizeof *span == LETHE_NONE) return LETHE_ENOMEM;
    LETHE_TRY(lethe_buf_put(&s->span, span, sizeof *span));
    return lethe_buf_put(&s->state, &(struct state){0}, sizeof(struct state));
}

static lethe_err make_room(lethe_spans *s, uint32_t n)
{
    uint32_t **const all[] = {&s->taker, &s->free,  &s->skip, &s->met,
                              &s->place, &s->start, &s->path, &s->via};
    for (size_t i = 0; n >= s->room && i < LETHE_COUNT(all); i++) {
        uint32_t *larger = lethe_realloc(*all[i], (size_t)n + 2, sizeof *larger);
        if (!larger) return LETHE_ENOMEM;
        *all[i] = larger;
    }
    s->room = LETHE_MAX(s->room, n + 1);
    s->n_known = n;
    for (uint32_t k = 0; k <= n; k++) {
        s->free[k] = s->skip[k] = k;
        s->taker[k] = LETHE_NONE;
    }
    return LETHE_OK;
}

void lethe_spans_free(lethe_spans *s)
{
    uint32_t *const all[] = {s->taker, s->free,  s->skip, s->met,
                             s->place, s->start, s->path, s->via};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    lethe_buf_free(&s->span);
    lethe_buf_free(&s->state);
    *s = (lethe_spans){0};
}

/* The first from k on that is not gone; paths are halved. */
static uint32_t next_left(uint32_t *skip, uint32_t k)
{
    while (skip[k] != k)
        k = skip[k] = skip[skip[k]];
    return k;
}

/* One past the spans of the item whose spans begin at `at`. */
static uint32_t end_of_item(const lethe_spans *s, uint32_t at)
{
    uint32_t end = at + 1, n = (uint32_t)(s->span.n / sizeof(lethe_item_span));
    while (end < n && span_at(s, end)->item == span_at(s, at)->item)
        end++;
    return end;
}

/* A free item that it may stand for; LETHE_NONE: there is none. */
static uint32_t find_free(lethe_spans *s, uint32_t at)
{
    for (uint32_t i = at, end = end_of_item(s, at); i < end; i++) {
        uint32_t k = next_left(s->free, span_at(s, i)->first);
        if (k < span_at(s, i)->end) return k;
    }
    return LETHE_NONE;
}

/* Everything that it may stand for and that was not met before. */
static void meet(lethe_spans *s, uint32_t at, uint32_t *n_met)
{
    for (uint32_t i = at, end = end_of_item(s, at); i < end; i++) {
        uint32_t k = next_left(s->skip, span_at(s, i)->first);
        for (; k < span_at(s, i)->end; k = next_left(s->skip, k)) {
            s->skip[k] = k + 1;
            s->met[(*n_met)++] = k;
        }
    }
}

/* Levels from the items of a class (spans from .. end - 1) that lack a match: level 0 is what they
 * may stand for, level i + 1 what the takers of level i may.  They are in `met`, each ascending and
 * beginning at start[i], up to the first level whose items may stand for something free: *last.
 * false: none may. */
static bool find_levels(lethe_spans *s, uint32_t from, uint32_t end, uint32_t *n_met,
                        uint32_t *last)
{
    bool found = false;
    uint32_t level = 0, n = 0;
    for (uint32_t at = from; at < end; at++) {
        if (state_of(s, at)->left == 0) continue;
        state_of(s, at)->seen = s->phase;
        found = found || find_free(s, at) != LETHE_NONE;
        if (!found) meet(s, at, &n);
    }
    s->start[0] = 0;
    for (uint32_t next = 0; !found && next < n; level++) {
        uint32_t stop = s->start[level + 1] = n;
        lethe_sort_u32(s->met + next, stop - next);
        for (; next < stop; next++) {
            uint32_t at = s->taker[s->met[next]];
            if (state_of(s, at)->seen == s->phase) continue;
            state_of(s, at)->seen = s->phase;
            found = found || find_free(s, at) != LETHE_NONE;
            if (!found) meet(s, at, &n);
        }
    }
    *n_met = n;
    *last = level;
    return found;
}

/* An item of the level that the one at `at` may stand for and that is in no path yet. */
static uint32_t take_from_level(lethe_spans *s, uint32_t at, uint32_t level)
{
    const uint32_t *met = s->met + s->start[level];
    uint32_t stop = s->start[level + 1], n = stop - s->start[level];
    for (uint32_t i = at, end = end_of_item(s, at); i < end; i++) {
        uint32_t k = s->start[level] + (uint32_t)lethe_gallop(met, n, span_at(s, i)->first);
        k = next_left(s->place, k);
        if (k >= stop || s->met[k] >= span_at(s, i)->end) continue;
        s->place[k] = k + 1;
        return s->met[k];
    }
    return LETHE_NONE;
}

/* A path from the item at `root` to a free one, one level per step; everything on it moves on by
 * one. */
static bool find_path(lethe_spans *s, uint32_t root, uint32_t last)
{
    uint32_t n = 0;
    s->path[0] = root;
    for (;;) {
        uint32_t at = s->path[n], k = n < last ? take_from_level(s, at, n) : find_free(s, at);
        if (k == LETHE_NONE) {
            if (n-- == 0) return false;
        } else if (n < last) {
            s->via[n++] = k;
            s->path[n] = s->taker[k];
        } else {
            s->free[k] = k + 1;
            for (s->taker[k] = at; n-- > 0;)
                s->taker[s->via[n]] = s->path[n];
            return true;
        }
    }
}

/* Shortest paths for items of a class that lack a match.  How many were found: if none, everything
 * that was met is taken by items that can stand for nothing else, no later path leads there, and it
 * stays met. */
static size_t run_phase(lethe_spans *s, uint32_t from, uint32_t end)
{
    uint32_t n_met, last;
    size_t n_found = 0;
    s->phase++;
    if (!find_levels(s, from, end, &n_met, &last)) return 0;
    for (uint32_t i = 0; i <= n_met; i++)
        s->place[i] = i;
    for (uint32_t at = from; at < end; at++) {
        struct state *item = state_of(s, at);
        for (; item->left > 0 && find_path(s, at, last); item->left--)
            n_found++;
    }
    for (uint32_t i = 0; i < n_met; i++)
        s->skip[s->met[i]] = s->met[i];
    return n_found;
}

static int by_bits(const void *a, const void *b)
{
    const lethe_item_span *x = a, *y = b;
    if (x->bits != y->bits) return x->bits > y->bits ? -1 : 1;
    if (x->item != y->item) return x->item > y->item ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

lethe_err lethe_spans_match(lethe_spans *s, uint32_t n_known, uint64_t *n, double *bits)
{
    uint32_t n_spans = (uint32_t)(s->span.n / sizeof(lethe_item_span));
    LETHE_TRY(make_room(s, n_known));
    if (n_spans > 1) qsort(s->span.at, n_spans, sizeof(lethe_item_span), by_bits);
    s->phase = 0;
    *n = 0;
    *bits = 0;
    for (uint32_t from = 0, end; from < n_spans && *n < n_known; from = end) {
        const lethe_item_span *r = span_at(s, from);
        uint64_t n_left = 0;
        for (end = from; end < n_spans && span_at(s, end)->bits == r->bits; end++) {
            bool is_first = end == from || span_at(s, end)->item != span_at(s, end - 1)->item;
            *state_of(s, end) = (struct state){.left = is_first ? span_at(s, end)->count : 0};
            n_left += state_of(s, end)->left;
        }
        for (size_t n_found = 1; n_found > 0 && n_left > 0 && *n < n_known; n_left -= n_found) {
            n_found = run_phase(s, from, end);
            for (size_t i = 0; i < n_found; i++)
                *bits += r->bits; // one by one: sums of reals depend on it
            *n += n_found;
        }
    }
    return LETHE_OK;
}

uint32_t lethe_spans_unmatched(lethe_spans *s, uint32_t n_items)
{
    uint32_t n = 0, item = 0;
    for (uint32_t k = 0; k < s->n_known; k++)
        if (s->taker[k] != LETHE_NONE) s->met[n++] = span_at(s, s->taker[k])->item;
    lethe_sort_u32(s->met, n);
    for (uint32_t i = 0; i < n && s->met[i] <= item; i++)
        item = s->met[i] + 1;
    return item < n_items ? item : LETHE_NONE;
}
