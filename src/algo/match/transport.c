/* SPDX-License-Identifier: Apache-2.0 */
/* transport.c - greedy at first, then blocking flows along shortest augmenting paths. */
#include "algo/match/transport.h"
#include "core/dict.h"

typedef struct sender {
    const lethe_transport *t;
    lethe_arena *arena;
    uint32_t *has, *takes;  /* what is left */
    uint32_t *sent;         /* by pair */
    uint32_t *left;         /* by pair */
    uint32_t *first_back;   /* by place on the right, n_right + 1: */
    uint32_t *back;         /* its pairs */
    uint32_t *level, *next; /* by place, those on the left first: distance, and the pair to try */
    uint32_t *queue, *path; /* places to visit; pairs from the start of the path on */
} sender;

static lethe_err sender_open(sender *s, const lethe_transport *t)
{
    size_t pairs = t->first[t->n_left], places = (size_t)t->n_left + t->n_right;
    *s = (sender){.t = t, .arena = lethe_arena_new()};
    if (!s->arena) return LETHE_ENOMEM;
    s->has = lethe_new(s->arena, uint32_t, (size_t)t->n_left + 1);
    s->takes = lethe_new(s->arena, uint32_t, (size_t)t->n_right + 1);
    s->sent = lethe_new(s->arena, uint32_t, pairs + 1);
    s->left = lethe_new(s->arena, uint32_t, pairs + 1);
    s->first_back = lethe_new(s->arena, uint32_t, (size_t)t->n_right + 2);
    s->back = lethe_new(s->arena, uint32_t, pairs + 1);
    s->level = lethe_new(s->arena, uint32_t, places + 1);
    s->next = lethe_new(s->arena, uint32_t, places + 1);
    s->queue = lethe_new(s->arena, uint32_t, places + 1);
    s->path = lethe_new(s->arena, uint32_t, places + 1);
    if (!s->has || !s->takes || !s->sent || !s->left || !s->first_back || !s->back || !s->level ||
        !s->next || !s->queue || !s->path)
        return LETHE_ENOMEM;
    if (t->n_left) memcpy(s->has, t->has, t->n_left * sizeof *s->has);
    if (t->n_right) memcpy(s->takes, t->takes, t->n_right * sizeof *s->takes);
    for (size_t e = 0; e < pairs; e++)
        s->first_back[t->right[e] + 2]++;
    for (uint32_t r = 0; r < t->n_right; r++)
        s->first_back[r + 2] += s->first_back[r + 1];
    for (uint32_t l = 0; l < t->n_left; l++)
        for (uint32_t e = t->first[l]; e < t->first[l + 1]; e++) {
            s->left[e] = l;
            s->back[s->first_back[t->right[e] + 1]++] = e;
        }
    return LETHE_OK;
}

static uint64_t send_first(sender *s)
{
    uint64_t sum = 0;
    for (uint32_t l = 0; l < s->t->n_left; l++)
        for (uint32_t e = s->t->first[l]; s->has[l] && e < s->t->first[l + 1]; e++) {
            uint32_t r = s->t->right[e], n = LETHE_MIN(s->has[l], s->takes[r]);
            s->sent[e] += n;
            s->has[l] -= n;
            s->takes[r] -= n;
            sum += n;
        }
    return sum;
}

/* Distances from what still has something; is anything that takes within reach? */
static bool levels_set(sender *s)
{
    const lethe_transport *t = s->t;
    uint32_t n_left = t->n_left, n = 0, nearest = LETHE_NONE;
    for (uint32_t v = 0; v < n_left + t->n_right; v++)
        s->level[v] = LETHE_NONE;
    for (uint32_t l = 0; l < n_left; l++) {
        s->next[l] = t->first[l];
        if (s->has[l] == 0) continue;
        s->level[l] = 0;
        s->queue[n++] = l;
    }
    for (uint32_t r = 0; r < t->n_right; r++)
        s->next[n_left + r] = s->first_back[r];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = s->queue[i], far = s->level[v] + 1;
        if (far > nearest) break; // nothing nearer is left
        if (v < n_left) {
            for (uint32_t e = t->first[v]; e < t->first[v + 1]; e++) {
                uint32_t r = t->right[e], to = n_left + r;
                if (s->level[to] != LETHE_NONE) continue;
                s->level[to] = far;
                s->queue[n++] = to;
                if (s->takes[r] && nearest == LETHE_NONE) nearest = far;
            }
        } else {
            for (uint32_t k = s->first_back[v - n_left]; k < s->first_back[v - n_left + 1]; k++) {
                uint32_t from = s->left[s->back[k]];
                if (s->sent[s->back[k]] == 0 || s->level[from] != LETHE_NONE) continue;
                s->level[from] = far;
                s->queue[n++] = from;
            }
        }
    }
    return nearest != LETHE_NONE;
}

/* One step on from place v; false: there is none left. */
static bool step_find(sender *s, uint32_t v, uint32_t *pair, uint32_t *to)
{
    const lethe_transport *t = s->t;
    uint32_t n_left = t->n_left;
    bool left = v < n_left;
    uint32_t end = left ? t->first[v + 1] : s->first_back[v - n_left + 1];
    for (; s->next[v] < end; s->next[v]++) {
        uint32_t e = left ? s->next[v] : s->back[s->next[v]];
        if (!left && s->sent[e] == 0) continue;
        uint32_t at = left ? n_left + t->right[e] : s->left[e];
        if (s->level[at] != s->level[v] + 1) continue;
        *pair = e;
        *to = at;
        return true;
    }
    return false;
}

/* Along the path of n pairs from `start`: there and back in turn. */
static uint32_t path_send(sender *s, uint32_t start, size_t n)
{
    uint32_t r = s->t->right[s->path[n - 1]], amount = LETHE_MIN(s->has[start], s->takes[r]);
    for (size_t i = 1; i < n; i += 2)
        amount = LETHE_MIN(amount, s->sent[s->path[i]]);
    for (size_t i = 0; i < n; i++)
        s->sent[s->path[i]] += i % 2 ? 0 - amount : amount;
    s->has[start] -= amount;
    s->takes[r] -= amount;
    return amount;
}

/* All that `start` can send along shortest paths. */
static uint64_t send_from(sender *s, uint32_t start)
{
    uint32_t n_left = s->t->n_left, v = start, pair = 0, to = 0;
    uint64_t sum = 0;
    size_t n = 0;
    while (s->has[start] > 0) {
        if (v >= n_left && s->takes[v - n_left] > 0) {
            sum += path_send(s, start, n);
            n = 0; // from the start again: pairs that were tried are not tried twice
            v = start;
        } else if (step_find(s, v, &pair, &to)) {
            s->path[n++] = pair;
            v = to;
        } else if (n == 0) {
            break;
        } else {
            uint32_t e = s->path[--n];
            v = n % 2 ? n_left + s->t->right[e] : s->left[e];
            s->next[v]++;
        }
    }
    return sum;
}

lethe_err lethe_transport_most(lethe_ctx *ctx, const lethe_transport *t, uint64_t *out)
{
    sender s;
    lethe_err e = sender_open(&s, t);
    if (e == LETHE_OK) {
        *out = send_first(&s);
        while (e == LETHE_OK && levels_set(&s)) {
            for (uint32_t l = 0; l < t->n_left; l++)
                if (s.has[l] > 0) *out += send_from(&s, l);
            if (lethe_ctx_cancelled(ctx)) e = LETHE_ECANCEL;
        }
    }
    lethe_arena_free(s.arena);
    return e;
}
