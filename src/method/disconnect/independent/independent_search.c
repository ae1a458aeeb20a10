/* SPDX-License-Identifier: Apache-2.0 */
/* independent_search.c - local search for heavy disjoint sets.  A set is put in, those that clash
 * with it are put out, and the URLs that this frees are filled with the sets that gain most, which
 * may put out others in turn; if in the end more is lost than allowed, all is undone.  So exchanges
 * of one set for several, and of several for several, are found (as in B. Nogueira, R. Pinheiro and
 * A. Subramanian, "A hybrid iterated local search heuristic for the maximum weight independent set
 * problem", 2018, without its edges).  The allowed loss falls from round to round to 0 (G. Dueck
 * and T. Scheuer, "Threshold accepting", 1990).
 *
 * A heavy set of many URLs clashes with thousands of light ones, and each trial to replace it would
 * fill all its URLs: nearly all time went there, and nearly no gain came from there.  So in a round
 * it is put out by much lighter ones a few times only, and a round takes time linear in the
 * piece. */
#include "method/disconnect/independent/independent_internal.h"
#include <stdlib.h>

enum {
    LOOKS = 48, /* sets of a URL that are examined: the heaviest */
    FILLS = 64, /* sets that are put in by one trial */
    SHARE = 4,  /* of a set's weight: the allowed loss at first */
    LIGHT = 4,  /* a set is much lighter if those that it puts out weigh more than LIGHT times it */
    CHANCES = 8,  /* of much lighter sets, in a round, to put out a set */
    BREATH = 256, /* trials between two checks for cancellation */
};

__extension__ typedef unsigned __int128 u128;

typedef struct change {
    uint32_t set;
    uint32_t came; /* bool */
} change;

typedef struct u32_list {
    uint32_t *at;
    size_t n, cap;
} u32_list;

typedef struct search {
    const lethe_independent_piece *p;
    uint32_t *owner; /* of each URL: the set that is in and has it; or LETHE_NONE */
    uint8_t *in;     /* of each set */
    uint64_t weight; /* of those */
    uint32_t *seen;  /* of each set: the last count in which it was met */
    uint32_t count;
    uint8_t *tried;         /* of each set: in vain, and nothing near it has changed since */
    uint8_t *n_out;         /* of each set: how often much lighter ones put it out in this round */
    uint32_t *order;        /* scratch: all sets */
    uint32_t loss, loss_of; /* a trial may lose weight / SHARE * loss / loss_of */
    change *log;            /* of a trial; room for log_cap */
    size_t n_log, log_cap;
    u32_list idle; /* URLs that it freed, and that may be taken again */
} search;

#define EACH_URL(p, s, i)                                                                          \
    for (uint64_t i = (p)->url_start[(s)]; (i) < (p)->url_start[(s) + 1]; (i)++)

/* --- put in, put out --- */

static void come(search *k, uint32_t s)
{
    EACH_URL(k->p, s, i)
    k->owner[k->p->url[i]] = s;
    k->in[s] = 1;
    k->weight += k->p->weight[s];
}

static void leave(search *k, uint32_t s)
{
    EACH_URL(k->p, s, i)
    k->owner[k->p->url[i]] = LETHE_NONE;
    k->in[s] = 0;
    k->weight -= k->p->weight[s];
}

static bool fits(const search *k, uint32_t s)
{
    EACH_URL(k->p, s, i)
    if (k->owner[k->p->url[i]] != LETHE_NONE) return false;
    return true;
}

static void clear(search *k)
{
    memset(k->in, 0, k->p->n);
    memset(k->owner, 0xff, k->p->n_urls * sizeof *k->owner);
    k->weight = 0;
}

static void fill(search *k, const uint32_t *order)
{
    for (uint32_t i = 0; i < k->p->n; i++) {
        uint32_t s = order ? order[i] : i;
        if (!k->in[s] && fits(k, s)) come(k, s);
    }
}

/* --- start --- */

/* The price of a set: its number of URLs, or of other sets on them. */
typedef enum price { BY_URLS, BY_OTHERS, N_PRICES } price;

typedef struct offer {
    uint64_t weight, price;
    uint32_t set;
} offer;

static int by_value(const void *a, const void *b)
{
    const offer *x = a, *y = b;
    u128 l = (u128)x->weight * y->price, r = (u128)y->weight * x->price;
    if (l != r) return l > r ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

static lethe_err order_by(search *k, price by)
{
    offer *all = lethe_alloc(k->p->n, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    const lethe_independent_piece *p = k->p;
    for (uint32_t s = 0; s < p->n; s++) {
        all[s] = (offer){p->weight[s], 0, s};
        EACH_URL(p, s, i)
        all[s].price +=
            by == BY_URLS ? 1 : p->set_start[p->url[i] + 1] - p->set_start[p->url[i]] - 1;
    }
    qsort(all, k->p->n, sizeof *all, by_value);
    for (uint32_t i = 0; i < k->p->n; i++)
        k->order[i] = all[i].set;
    lethe_free(all);
    return LETHE_OK;
}

/* Every set weighs more than 0, so the first solution is heavier than none. */
static void note_best(const search *k, uint64_t *weight, uint8_t *in)
{
    if (k->weight <= *weight) return;
    *weight = k->weight;
    memcpy(in, k->in, k->p->n);
}

static void load(search *k, const uint8_t *in)
{
    clear(k);
    for (uint32_t s = 0; s < k->p->n; s++) {
        if (!in[s]) continue;
        assert(fits(k, s));
        come(k, s);
    }
}

/* Greedy by weight and by both prices, and the given solutions, filled up: the heaviest of them. */
static lethe_err find_start(search *k, const uint8_t *const *start, size_t n_starts, uint8_t *best)
{
    uint64_t weight = 0;
    clear(k);
    fill(k, NULL);
    note_best(k, &weight, best);
    for (price by = 0; by < N_PRICES; by++) {
        LETHE_TRY(order_by(k, by));
        clear(k);
        fill(k, k->order);
        note_best(k, &weight, best);
    }
    for (size_t i = 0; i < n_starts; i++) {
        load(k, start[i]);
        fill(k, NULL);
        note_best(k, &weight, best);
    }
    load(k, best);
    return LETHE_OK;
}

/* --- trials --- */

static lethe_err room(search *k, uint32_t s)
{
    size_t urls = (size_t)(k->p->url_start[s + 1] - k->p->url_start[s]);
    if (k->n_log == k->log_cap) {
        size_t cap = 2 * k->log_cap + 64;
        change *log = lethe_realloc(k->log, cap, sizeof *log);
        if (!log) return LETHE_ENOMEM;
        k->log = log;
        k->log_cap = cap;
    }
    if (urls > k->idle.cap - k->idle.n) {
        size_t cap = 2 * k->idle.cap + urls + 64;
        uint32_t *at = lethe_realloc(k->idle.at, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        k->idle.at = at;
        k->idle.cap = cap;
    }
    return LETHE_OK;
}

/* Puts `s` in, and those that clash with it out. */
static lethe_err put(search *k, uint32_t s)
{
    EACH_URL(k->p, s, i)
    {
        uint32_t out = k->owner[k->p->url[i]];
        if (out == LETHE_NONE) continue;
        LETHE_TRY(room(k, out));
        leave(k, out);
        k->log[k->n_log++] = (change){out, false};
        EACH_URL(k->p, out, j)
        k->idle.at[k->idle.n++] = k->p->url[j];
    }
    LETHE_TRY(room(k, s));
    come(k, s);
    k->log[k->n_log++] = (change){s, true};
    return LETHE_OK;
}

/* The gain of putting `s` in; 0 if it is at most `bound`, or would put `fixed` out. */
static uint64_t gain(search *k, uint32_t s, uint32_t fixed, uint64_t bound)
{
    uint64_t left = k->p->weight[s];
    k->count++;
    EACH_URL(k->p, s, i)
    {
        uint32_t out = k->owner[k->p->url[i]];
        if (out == LETHE_NONE || k->seen[out] == k->count) continue;
        uint64_t w = k->p->weight[out];
        if (out == fixed || w >= left || left - w <= bound) return 0;
        k->seen[out] = k->count;
        left -= w;
    }
    return left;
}

/* The set of a free URL that gains most; LETHE_NONE: none gains. */
static uint32_t best_at(search *k, uint32_t url, uint32_t fixed)
{
    uint64_t from = k->p->set_start[url], end = k->p->set_start[url + 1], most = 0;
    uint32_t best = LETHE_NONE;
    end = LETHE_MIN(end, from + LOOKS);
    for (uint64_t i = from; i < end && k->p->weight[k->p->set[i]] > most; i++) {
        uint64_t g = gain(k, k->p->set[i], fixed, most);
        if (g <= most) continue;
        most = g;
        best = k->p->set[i];
    }
    return best;
}

/* Does `s` put out much more than it weighs, and the heaviest of that too often? */
static bool too_light(search *k, uint32_t s)
{
    uint64_t sum = 0;
    uint32_t heaviest = LETHE_NONE;
    k->count++;
    EACH_URL(k->p, s, i)
    {
        uint32_t out = k->owner[k->p->url[i]];
        if (out == LETHE_NONE || k->seen[out] == k->count) continue;
        k->seen[out] = k->count;
        sum += k->p->weight[out];
        heaviest = LETHE_MIN(heaviest, out); // they are numbered by weight
    }
    if (sum / LIGHT <= k->p->weight[s]) return false;
    if (k->n_out[heaviest] == CHANCES) return true;
    k->n_out[heaviest]++;
    return false;
}

static lethe_err try_set(search *k, uint32_t s)
{
    uint64_t before = k->weight;
    k->n_log = k->idle.n = 0;
    LETHE_TRY(put(k, s));
    size_t fills = 0;
    for (size_t i = 0; i < k->idle.n && fills < FILLS; i++) {
        if (k->owner[k->idle.at[i]] != LETHE_NONE) continue;
        uint32_t more = best_at(k, k->idle.at[i], s);
        if (more == LETHE_NONE) continue;
        LETHE_TRY(put(k, more));
        fills++;
    }
    uint64_t may_lose = (uint64_t)((u128)k->p->weight[s] * k->loss / ((u128)k->loss_of * SHARE));
    if (k->weight < before && before - k->weight > may_lose) { // undo
        while (k->n_log > 0) {
            change c = k->log[--k->n_log];
            if (c.came)
                leave(k, c.set);
            else
                come(k, c.set);
        }
        k->tried[s] = 1;
        return LETHE_OK;
    }
    for (size_t c = 0; c < k->n_log; c++) { // sets that clash with these are worth another trial
        EACH_URL(k->p, k->log[c].set, i)
        {
            uint64_t from = k->p->set_start[k->p->url[i]], end = k->p->set_start[k->p->url[i] + 1];
            end = LETHE_MIN(end, from + LOOKS);
            for (; from < end; from++)
                k->tried[k->p->set[from]] = 0;
        }
    }
    return LETHE_OK;
}

/* Tries every set that is not in, in a new random order. */
static lethe_err run_round(lethe_ctx *ctx, search *k, lethe_rng *rng)
{
    for (uint32_t i = k->p->n; i > 1; i--) {
        uint32_t j = (uint32_t)lethe_rng_below(rng, i), x = k->order[j];
        k->order[j] = k->order[i - 1];
        k->order[i - 1] = x;
    }
    memset(k->n_out, 0, k->p->n);
    for (uint32_t i = 0; i < k->p->n; i++) {
        if (k->count > UINT32_MAX / 2) {
            memset(k->seen, 0, k->p->n * sizeof *k->seen);
            k->count = 0;
        }
        if (i % BREATH == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        uint32_t s = k->order[i];
        if (!k->in[s] && !k->tried[s] && !too_light(k, s)) LETHE_TRY(try_set(k, s));
    }
    return LETHE_OK;
}

/* The last two rounds lose nothing.  `best` is the start, and becomes the heaviest solution that a
 * round ended with. */
static lethe_err run_rounds(lethe_ctx *ctx, search *k, lethe_rng *rng, uint32_t n, uint8_t *best)
{
    uint64_t most = k->weight;
    assert(n > 2);
    k->loss_of = n - 2;
    for (uint32_t i = 0; i < k->p->n; i++)
        k->order[i] = i;
    for (uint32_t r = 0; r < n; r++) {
        k->loss = r < n - 2 ? n - 2 - r : 0;
        LETHE_TRY(run_round(ctx, k, rng));
        fill(k, NULL); // a trial that stopped at FILLS may have left room
        note_best(k, &most, best);
    }
    return LETHE_OK;
}

lethe_err lethe_independent_search_solve(lethe_ctx *ctx, const lethe_independent_piece *p,
                                         lethe_rng *rng, uint32_t n_rounds,
                                         const uint8_t *const *start, size_t n_starts, uint8_t *in)
{
    search k = {.p = p,
                .owner = lethe_alloc(p->n_urls, sizeof *k.owner),
                .in = lethe_alloc(p->n, 1),
                .seen = lethe_alloc_zero(p->n, sizeof *k.seen),
                .tried = lethe_alloc_zero(p->n, 1),
                .n_out = lethe_alloc(p->n, 1),
                .order = lethe_alloc(p->n, sizeof *k.order)};
    bool ok = k.owner && k.in && k.tried && k.n_out && k.seen && k.order;
    lethe_err e = ok ? find_start(&k, start, n_starts, in) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = run_rounds(ctx, &k, rng, n_rounds, in);
    lethe_free(k.owner);
    lethe_free(k.in);
    lethe_free(k.seen);
    lethe_free(k.tried);
    lethe_free(k.n_out);
    lethe_free(k.order);
    lethe_free(k.log);
    lethe_free(k.idle.at);
    return e;
}
