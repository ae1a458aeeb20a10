#include "attack/taking.h"
#include <stdlib.h>

static const lethe_reach *reaches(const lethe_taking *g)
{
    return (const lethe_reach *)(const void *)g->reach.at;
}

/* --- memory --- */

void lethe_taking_begin(lethe_taking *g) { g->reach.n = g->marked.n = 0; }

lethe_err lethe_taking_put(lethe_taking *g, const lethe_reach *r)
{
    if (g->reach.n / sizeof *r == LETHE_NONE) return LETHE_ENOMEM;
    LETHE_TRY(lethe_buf_put(&g->reach, r, sizeof *r));
    return lethe_buf_put(&g->marked, &(uint32_t){0}, sizeof(uint32_t));
}

void lethe_taking_free(lethe_taking *g)
{
    lethe_buf_free(&g->reach);
    lethe_buf_free(&g->marked);
    lethe_free(g->taker);
    lethe_free(g->skip);
    lethe_free(g->came);
    lethe_free(g->met);
    *g = (lethe_taking){0};
}

static lethe_err make_room(lethe_taking *g, uint32_t n)
{
    uint32_t **const all[] = {&g->taker, &g->skip, &g->came, &g->met};
    if (n < g->room) return LETHE_OK;
    for (size_t i = 0; i < LETHE_COUNT(all); i++) {
        uint32_t *larger = lethe_realloc(*all[i], (size_t)n + 1, sizeof *larger);
        if (!larger) return LETHE_ENOMEM;
        *all[i] = larger;
    }
    g->room = (size_t)n + 1;
    return LETHE_OK;
}

/* --- one more --- */

/* The first known item from k on that was not met; paths are halved. */
static uint32_t not_met(uint32_t *skip, uint32_t k)
{
    while (skip[k] != k)
        k = skip[k] = skip[skip[k]];
    return k;
}

/* Meets all that the item which begins at `at` could stand for.  One that nothing stands for yet,
 * which is the last one met then; else LETHE_NONE. */
static uint32_t meet(lethe_taking *g, uint32_t at, uint32_t from, size_t *n_met)
{
    const lethe_reach *r = reaches(g);
    size_t n = g->reach.n / sizeof *r;
    for (size_t i = at; i < n && r[i].item == r[at].item; i++) {
        uint32_t k = not_met(g->skip, r[i].first);
        for (; k < r[i].end; k = not_met(g->skip, k)) {
            g->skip[k] = k + 1;
            g->came[k] = from;
            g->met[(*n_met)++] = k;
            if (g->taker[k] == LETHE_NONE) return k;
        }
    }
    return LETHE_NONE;
}

/* A copy of the item that begins at `at` takes up a known one, others making room for it.  false:
 * they cannot.  Then those that were met are all taken, and by items that can stand for nothing
 * else: nobody will ever find room there, and they stay met. */
static bool take_up(lethe_taking *g, uint32_t at)
{
    uint32_t *marked = (uint32_t *)(void *)g->marked.at;
    size_t n_met = 0;
    marked[at] = ++g->search;
    uint32_t k = meet(g, at, LETHE_NONE, &n_met);
    for (size_t next = 0; k == LETHE_NONE && next < n_met; next++) {
        uint32_t other = g->taker[g->met[next]];
        if (marked[other] == g->search) continue;
        marked[other] = g->search;
        k = meet(g, other, g->met[next], &n_met);
    }
    if (k == LETHE_NONE) return false;
    for (; g->came[k] != LETHE_NONE; k = g->came[k])
        g->taker[k] = g->taker[g->came[k]];
    g->taker[k] = at;
    for (size_t i = 0; i < n_met; i++)
        g->skip[g->met[i]] = g->met[i];
    return true;
}

/* --- all of them --- */

static int by_bits(const void *a, const void *b)
{
    const lethe_reach *x = a, *y = b;
    if (x->bits != y->bits) return x->bits > y->bits ? -1 : 1;
    if (x->item != y->item) return x->item > y->item ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

lethe_err lethe_taking_find(lethe_taking *g, uint32_t n_known, uint64_t *n, double *bits)
{
    uint32_t n_reaches = (uint32_t)(g->reach.n / sizeof(lethe_reach));
    LETHE_TRY(make_room(g, n_known));
    if (n_reaches > 1) qsort(g->reach.at, n_reaches, sizeof(lethe_reach), by_bits);
    for (uint32_t k = 0; k <= n_known; k++) {
        g->skip[k] = k;
        g->taker[k] = LETHE_NONE;
    }
    g->search = 0;
    *n = 0;
    *bits = 0;
    const lethe_reach *r = reaches(g);
    for (uint32_t at = 0; at < n_reaches && *n < n_known; at++) {
        if (at > 0 && r[at].item == r[at - 1].item) continue; // seen to already
        for (uint32_t c = 0; c < r[at].count && take_up(g, at); c++) {
            ++*n;
            *bits += r[at].bits;
        }
    }
    return LETHE_OK;
}
