/* SPDX-License-Identifier: Apache-2.0 */
/* refine_blm_near.c - the groups near a record: those that have the most terms in common with it,
 * or near its own, a window at a time; the cheapest to join stay. */
#include "method/cluster/refine/refine_blm_internal.h"

enum {
    LOOKED = 8, /* most groups examined per term; of a term near it, one */
    TURN = 31,  /* a record has the windows that this one after it had a round before */
    LOOKS = 2,  /* a record looks for other candidates every so many rounds, */
    STAY = 8,   /* and so many of those that it has stay */
};

lethe_err lethe_blm_near_terms(void *arg, size_t i, unsigned w)
{
    struct lethe_blm *x = arg;
    size_t n = 0;
    uint32_t *near = x->near + i * LETHE_BLM_SHORT;
    const lethe_meaning_neighbour *around =
        lethe_meaning_neighbourhood(x->worker[w].match.asker, x->term[i], &n);
    x->worker[w].n_near += n;
    lethe_blm_most_put(x, (uint32_t)i, around, n);
    near[0] = (uint32_t)i;
    for (size_t k = 0, at = 1; at < LETHE_BLM_SHORT; k++) {
        if (k < n && around[k].term == x->term[i]) continue;
        near[at++] = k < n ? x->slot_at[around[k].term] : LETHE_NONE;
        if (k >= n) break;
    }
    return LETHE_OK;
}

/* The first n groups by the terms of their centres. */
static lethe_err make_lists(const struct lethe_blm *x, struct lethe_blm_lists *l, uint32_t n)
{
    size_t sum = 0;
    for (uint32_t g = 0; g < n; g++)
        sum += x->group[g].n ? x->group[g].hyper.n : 0;
    if (sum > l->room) {
        uint32_t *group = lethe_realloc(l->group, sum, sizeof *group);
        if (!group) return LETHE_ENOMEM;
        l->group = group;
        l->room = sum;
    }
    memset(l->start, 0, (x->n_terms + 2) * sizeof *l->start);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t g = 0; g < n; g++) {
            const lethe_hyper *h = &x->group[g].hyper;
            for (uint32_t k = 0; x->group[g].n > 0 && k < h->n; k++) {
                uint32_t slot = x->slot_at[lethe_hyper_elect(h, k)];
                if (fill)
                    l->group[l->start[slot + 1]++] = g;
                else
                    l->start[slot + 2]++;
            }
        }
        for (size_t i = 0; !fill && i <= x->n_terms; i++)
            l->start[i + 1] += l->start[i]; // one ahead: they end up where lists begin
    }
    return LETHE_OK;
}

lethe_err lethe_blm_ready(void *arg, uint32_t n_groups, const uint32_t *changed, size_t n_changed)
{
    struct lethe_blm *x = arg;
    (void)changed; // each group knows when it did
    (void)n_changed;
    x->round++;
    return make_lists(x, &x->lists, n_groups);
}

/* Is a candidate of a record of that size to be examined before another one? */
static bool is_nearer(const struct lethe_blm *x, uint32_t size, const lethe_refine_candidate *a,
                      const lethe_refine_candidate *b)
{
    if (a->score != b->score) return a->score > b->score;
    uint32_t na = x->group[a->group].hyper.n, nb = x->group[b->group].hyper.n;
    uint32_t ga = na > size ? na - size : size - na, gb = nb > size ? nb - size : size - nb;
    return ga != gb ? ga < gb : a->group < b->group;
}

/* Windows of long lists begin elsewhere for each record, and in each round. */
static void score_groups(const struct lethe_blm *x, const struct lethe_blm_lists *l,
                         struct lethe_blm_worker *w, uint32_t record, uint32_t slot,
                         size_t *n_found)
{
    const uint32_t *near = x->near + (size_t)slot * LETHE_BLM_SHORT;
    // multiples of the golden ratio are spread evenly, without a division for each list
    uint32_t turn = (record + (uint32_t)x->round * TURN) * UINT32_C(0x9E3779B9);
    for (uint32_t i = 0; i < LETHE_BLM_SHORT && near[i] != LETHE_NONE; i++) {
        uint32_t from = l->start[near[i]], n = l->start[near[i] + 1] - from;
        uint32_t most = LETHE_MIN(n, i == 0 ? (uint32_t)LOOKED : 1);
        uint32_t at = n > most ? (uint32_t)((uint64_t)n * turn >> 32) : 0;
        for (uint32_t k = 0; k < most; k++) {
            uint32_t g = l->group[from + (at + k < n ? at + k : at + k - n)];
            if (g == x->record[record].of) continue;
            if (w->score[g] == 0) w->found[(*n_found)++] = g;
            w->score[g] += i == 0 ? 3 : 2; // its own term counts for more
        }
    }
}

/* Puts a candidate among the n first of at most `room`, by nearness, if it is one of the nearest.
 */
static void place(const struct lethe_blm *x, uint32_t size, lethe_refine_candidate c, size_t room,
                  lethe_refine_candidate *at, size_t *n)
{
    size_t to = *n;
    while (to > 0 && is_nearer(x, size, &c, &at[to - 1]))
        to--;
    if (to == room) return;
    if (*n < room) ++*n;
    memmove(at + to + 1, at + to, (*n - 1 - to) * sizeof *at);
    at[to] = c;
}

/* The cheapest candidates to join first, as far as that is known. */
static void sort_by_join(lethe_refine_candidate *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        lethe_refine_candidate c = at[i];
        size_t to = i;
        for (; to > 0; to--) {
            const lethe_refine_candidate *b = &at[to - 1];
            if (b->join < c.join || (b->join == c.join && b->group < c.group)) break;
            at[to] = *b;
        }
        at[to] = c;
    }
}

/* Of the candidates so far, those that cost least to join stay; the others give way to new ones. */
static void look_for_others(const struct lethe_blm *x, struct lethe_blm_worker *k, uint32_t record,
                            lethe_refine_candidate *at, size_t *n)
{
    uint32_t size = lethe_blm_size_of(x, record);
    size_t n_found = 0, n_new = 0;
    sort_by_join(at, *n);
    *n = LETHE_MIN(*n, (size_t)STAY);
    for (uint32_t i = 0; i < size; i++)
        score_groups(x, &x->lists, k, record, x->slot[x->r->start[record] + i], &n_found);
    for (size_t i = 0; i < *n; i++)
        k->score[at[i].group] = 0;
    for (size_t i = 0; i < n_found; i++) {
        uint32_t g = k->found[i], score = k->score[g];
        if (score == 0) continue; // it stays
        k->score[g] = 0;
        lethe_refine_candidate c = {
            .group = g, .score = (uint16_t)LETHE_MIN(score, UINT16_MAX), .fresh = true};
        place(x, size, c, LETHE_REFINE_NEAR - *n, at + *n, &n_new);
    }
    *n += n_new;
}

lethe_err lethe_blm_renew(void *arg, unsigned w, uint32_t record, bool changed,
                          lethe_refine_candidate *at, size_t *n)
{
    const struct lethe_blm *x = arg;
    struct lethe_blm_worker *k = &x->worker[w];
    size_t n_old = changed ? *n : 0;
    k->asked.record = LETHE_NONE; // groups may have changed
    k->rest[0].record = k->rest[1].record = LETHE_NONE;
    k->most.rest_of = 0;
    *n = 0;
    for (size_t i = 0; i < n_old; i++) {
        const struct lethe_blm_group *g = &x->group[at[i].group];
        if (g->n == 0 || at[i].group == x->record[record].of) continue;
        at[*n] = at[i];
        at[(*n)++].fresh = g->changed + 1 == x->round;
    }
    if (!changed || lethe_blm_size_of(x, record) >= LETHE_BLM_LONG ||
        (record + x->round) % LOOKS == 0)
        look_for_others(x, k, record, at, n);
    return LETHE_OK;
}
