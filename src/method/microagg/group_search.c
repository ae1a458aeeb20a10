/* SPDX-License-Identifier: Apache-2.0 */
/* group_search.c - builds the groups, and places the users left over. */
#include "method/microagg/group_search_internal.h"

uint64_t lethe_microagg_common(const lethe_microagg_interests *of, uint32_t u, uint32_t v)
{
    uint64_t sum = 0, i = of->start[u], j = of->start[v];
    while (i < of->start[u + 1] && j < of->start[v + 1]) {
        uint32_t x = of->category[i], y = of->category[j];
        if (x == y) sum += LETHE_MIN(of->count[i], of->count[j]);
        i += x <= y;
        j += y <= x;
    }
    return sum;
}

uint64_t lethe_microagg_row_common(const lethe_microagg_interests *of, lethe_microagg_row *row,
                                   uint32_t u, uint32_t v)
{
    uint64_t sum = 0;
    if (row->user != u) {
        if (row->user != LETHE_NONE)
            for (uint64_t i = of->start[row->user]; i < of->start[row->user + 1]; i++)
                row->count[of->category[i]] = 0;
        for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
            row->count[of->category[i]] = of->count[i];
        row->user = u;
    }
    for (uint64_t i = of->start[v]; i < of->start[v + 1]; i++) {
        uint32_t have = row->count[of->category[i]];
        sum += LETHE_MIN(have, of->count[i]);
    }
    return sum;
}

/* --- groups --- */

typedef struct search {
    lethe_ctx *ctx;
    const lethe_microagg_interests *of;
    uint32_t k;
    lethe_microagg_pool pool;
    lethe_microagg_pairs pairs;
    lethe_microagg_partial partial;
    lethe_microagg_groups *out;
} search;

static void join(search *s, uint32_t user, uint32_t group)
{
    lethe_microagg_partial_join(&s->partial, user);
    s->out->group[user] = group;
    if (s->partial.n >= s->k) return;
    for (uint32_t i = 0; i < s->pairs.partners[user].n; i++)
        lethe_microagg_partial_near(&s->partial, s->pairs.partners[user].at[i].user);
    for (uint32_t i = 0; i < s->pairs.of[user].n; i++)
        lethe_microagg_partial_near(&s->partial, s->pairs.of[user].at[i]);
}

/* Users that have much in common with one of the first two are good guesses for the next: the
 * better the guess, the fewer others are examined. */
static lethe_err build_group(search *s, uint32_t i, uint32_t j, uint64_t common, uint32_t group)
{
    enum { GUESSES = 8 };
    const uint32_t pair[2] = {i, j};
    lethe_microagg_partial_begin(&s->partial, group, common);
    join(s, i, group);
    join(s, j, group);
    for (uint32_t p = 0; p < 2 && s->k > 2; p++) {
        const lethe_microagg_partners *m = &s->pairs.partners[pair[p]];
        for (uint32_t g = 0; g < m->n && g < GUESSES; g++)
            lethe_microagg_partial_try(&s->partial, m->at[g].user);
    }
    while (s->partial.n < s->k)
        join(s, lethe_microagg_partial_next(&s->partial), group);
    for (uint32_t m = 0; m < s->k; m++)
        lethe_microagg_pairs_forget(&s->pairs, s->partial.member[m].user);
    return lethe_microagg_pool_compact(&s->pool);
}

/* --- the users left over --- */

typedef struct leftovers {
    search *s;
    lethe_microagg_row row; /* of the current user */
    uint64_t *common;       /* with each user */
    uint64_t *sum, *size;   /* of each group */
} leftovers;

enum { PIECE = 1024 };

static lethe_err compare_users(void *arg, size_t piece, unsigned w)
{
    leftovers *x = arg;
    lethe_microagg_row row = x->row; // read only: it already has that user's counts
    size_t end = LETHE_MIN((size_t)x->s->of->n, (piece + 1) * PIECE);
    (void)w;
    for (size_t v = piece * PIECE; v < end; v++)
        x->common[v] = lethe_microagg_row_common(x->s->of, &row, row.user, (uint32_t)v);
    return LETHE_OK;
}

/* Is a / m > b / n?  m and n are numbers of users. */
static bool is_more(uint64_t a, uint64_t m, uint64_t b, uint64_t n)
{
    if (a / m != b / n) return a / m > b / n;
    return a % m * n > b % n * m;
}

static lethe_err place_leftovers(search *s)
{
    leftovers x = {.s = s, .row = {.user = LETHE_NONE}};
    lethe_microagg_groups *out = s->out;
    uint32_t n = s->of->n;
    lethe_err e = LETHE_OK;
    if (s->pool.n_left == 0) return LETHE_OK;
    x.row.count = lethe_alloc_zero(s->of->n_categories, sizeof *x.row.count);
    x.common = lethe_alloc(s->of->n, sizeof *x.common);
    x.sum = lethe_alloc(s->out->n, sizeof *x.sum);
    x.size = lethe_alloc(s->out->n, sizeof *x.size);
    if (!x.row.count || !x.common || !x.sum || !x.size) e = LETHE_ENOMEM;
    for (uint32_t g = 0; g < s->out->n && e == LETHE_OK; g++)
        x.size[g] = s->k;
    for (uint32_t u = 0; u < n && e == LETHE_OK; u++) {
        if (out->group[u] != LETHE_NONE) continue;
        lethe_microagg_row_common(s->of, &x.row, u, u);
        e = lethe_pool_for(s->ctx, ((size_t)n + PIECE - 1) / PIECE, compare_users, &x);
        if (e != LETHE_OK) break;
        uint32_t best = 0;
        memset(x.sum, 0, out->n * sizeof *x.sum);
        for (uint32_t v = 0; v < n; v++)
            if (out->group[v] != LETHE_NONE) x.sum[out->group[v]] += x.common[v];
        for (uint32_t g = 1; g < out->n; g++)
            if (is_more(x.sum[g], x.size[g], x.sum[best], x.size[best])) best = g;
        out->group[u] = best;
        out->pairs += n - s->pool.n_left;
        s->pool.n_left--;
        x.size[best]++;
    }
    lethe_free(x.row.count);
    lethe_free(x.common);
    lethe_free(x.sum);
    lethe_free(x.size);
    return e;
}

/* --- the whole search --- */

static lethe_err run_search(search *s)
{
    LETHE_TRY(lethe_microagg_pool_new(s->ctx, s->of, &s->pool));
    LETHE_TRY(lethe_microagg_pairs_new(s->ctx, &s->pool, &s->pairs));
    LETHE_TRY(lethe_microagg_partial_new(&s->pool, s->k, &s->partial));
    for (uint32_t group = 0; s->pool.n_left >= s->k; group++) {
        uint32_t i = 0, j = 0;
        uint64_t value;
        if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_microagg_pairs_next(&s->pairs, &i, &j, &value));
        if (value > 0) {
            LETHE_TRY(build_group(s, i, j, value, group));
            lethe_ctx_advance(s->ctx, s->k);
            continue;
        }
        for (; s->pool.n_left >= s->k; group++) // nobody has anything in common: the lowest users
            for (uint32_t m = 0; m < s->k; m++) {
                s->out->group[s->pool.least_left] = group;
                lethe_microagg_pool_remove(&s->pool, s->pool.least_left);
            }
    }
    s->out->pairs = s->pairs.pairs + s->partial.pairs;
    s->out->bounded = s->pairs.bounded + s->partial.bounded;
    return place_leftovers(s);
}

lethe_err lethe_microagg_groups_find(lethe_ctx *ctx, const lethe_microagg_interests *of, uint32_t k,
                                     lethe_microagg_groups *out)
{
    lethe_microagg_groups c = {0};
    search s = {.ctx = ctx, .of = of, .k = k, .out = &c};
    if (k < 2 || of->n < k)
        return lethe_fail(ctx, LETHE_EUSAGE, "cannot make groups of %u out of %u users", k, of->n);
    c.n = of->n / k;
    c.group = lethe_alloc(of->n, sizeof *c.group);
    if (!c.group) return LETHE_ENOMEM;
    memset(c.group, c.n == 1 ? 0 : 0xff, of->n * sizeof *c.group);
    lethe_err e = c.n == 1 ? LETHE_OK : run_search(&s);
    lethe_microagg_partial_free(&s.partial);
    lethe_microagg_pairs_free(&s.pairs);
    lethe_microagg_pool_free(&s.pool);
    if (e == LETHE_OK)
        *out = c;
    else
        lethe_microagg_groups_free(&c);
    return e;
}

void lethe_microagg_groups_free(lethe_microagg_groups *c)
{
    lethe_free(c->group);
    *c = (lethe_microagg_groups){0};
}
