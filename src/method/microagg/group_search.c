/* companions.c - the groups; how two, and then others, are found: companions_internal.h. */
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

typedef struct work {
    lethe_ctx *ctx;
    const lethe_microagg_interests *of;
    uint32_t k;
    lethe_microagg_pool crowd;
    lethe_microagg_pairs pairing;
    lethe_microagg_partial team;
    lethe_microagg_groups *out;
} work;

static void join(work *h, uint32_t user, uint32_t group)
{
    lethe_microagg_partial_join(&h->team, user);
    h->out->group[user] = group;
}

/* Who has much in common with one of the two is a good guess: the better, the fewer others are
 * looked at. */
static void guess(work *h, uint32_t user)
{
    enum { GUESSES = 8 };
    const lethe_microagg_partners *m = &h->pairing.mates[user];
    for (uint32_t i = 0; i < m->n && i < GUESSES; i++)
        lethe_microagg_partial_try(&h->team, m->at[i].user);
}

static void make_group(work *h, uint32_t i, uint32_t j, uint32_t group)
{
    lethe_microagg_partial_begin(&h->team, group);
    join(h, i, group);
    join(h, j, group);
    if (h->k > 2) {
        guess(h, i);
        guess(h, j);
    }
    while (h->team.n < h->k)
        join(h, lethe_microagg_partial_next(&h->team), group);
    for (uint32_t m = 0; m < h->k; m++)
        lethe_microagg_pairs_forget(&h->pairing, h->team.member[m].user);
    lethe_microagg_pool_compact(&h->crowd);
}

/* Where no two of those that are left have anything in common, the least are taken each time. */
static void group_rest(work *h, uint32_t group)
{
    for (; h->crowd.n_left >= h->k; group++)
        for (uint32_t m = 0; m < h->k; m++) {
            h->out->group[h->crowd.least_left] = group;
            lethe_microagg_pool_remove(&h->crowd, h->crowd.least_left);
        }
}

static lethe_err make_groups(work *h)
{
    for (uint32_t group = 0; h->crowd.n_left >= h->k; group++) {
        uint32_t i = 0, j = 0;
        uint64_t value;
        if (lethe_ctx_cancelled(h->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_microagg_pairs_next(&h->pairing, &i, &j, &value));
        if (value == 0) {
            group_rest(h, group);
            break;
        }
        make_group(h, i, j, group);
        lethe_ctx_advance(h->ctx, h->k);
    }
    return LETHE_OK;
}

/* --- those who are left --- */

typedef struct leaving {
    work *h;
    lethe_microagg_row row;
    uint64_t *common;     /* with each user */
    uint64_t *sum, *size; /* of each group */
} leaving;

enum { PIECE = 1024 };

static lethe_err compare_some(void *arg, size_t piece, unsigned w)
{
    leaving *x = arg;
    lethe_microagg_row row = x->row; // read only: it is that user's already
    size_t end = LETHE_MIN((size_t)x->h->of->n, (piece + 1) * PIECE);
    (void)w;
    for (size_t v = piece * PIECE; v < end; v++)
        x->common[v] = lethe_microagg_row_common(x->h->of, &row, row.user, (uint32_t)v);
    return LETHE_OK;
}

/* Is a / m over b / n?  m and n are numbers of users. */
static bool is_more(uint64_t a, uint64_t m, uint64_t b, uint64_t n)
{
    if (a / m != b / n) return a / m > b / n;
    return a % m * n > b % n * m;
}

static lethe_err place(leaving *x, uint32_t user)
{
    lethe_microagg_groups *out = x->h->out;
    uint32_t n = x->h->of->n, best = 0;
    lethe_microagg_row_common(x->h->of, &x->row, user, user);
    LETHE_TRY(lethe_pool_for(x->h->ctx, ((size_t)n + PIECE - 1) / PIECE, compare_some, x));
    memset(x->sum, 0, out->n * sizeof *x->sum);
    for (uint32_t v = 0; v < n; v++)
        if (out->group[v] != LETHE_NONE) x->sum[out->group[v]] += x->common[v];
    for (uint32_t g = 1; g < out->n; g++)
        if (is_more(x->sum[g], x->size[g], x->sum[best], x->size[best])) best = g;
    out->group[user] = best;
    out->pairs += n - x->h->crowd.n_left;
    x->h->crowd.n_left--;
    x->size[best]++;
    return LETHE_OK;
}

static lethe_err place_rest(work *h)
{
    leaving x = {.h = h, .row = {.user = LETHE_NONE}};
    lethe_err e = LETHE_OK;
    if (h->crowd.n_left == 0) return LETHE_OK;
    x.row.count = lethe_alloc_zero(h->of->n_categories, sizeof *x.row.count);
    x.common = lethe_alloc(h->of->n, sizeof *x.common);
    x.sum = lethe_alloc(h->out->n, sizeof *x.sum);
    x.size = lethe_alloc(h->out->n, sizeof *x.size);
    if (!x.row.count || !x.common || !x.sum || !x.size) e = LETHE_ENOMEM;
    for (uint32_t g = 0; g < h->out->n && e == LETHE_OK; g++)
        x.size[g] = h->k;
    for (uint32_t u = 0; u < h->of->n && e == LETHE_OK; u++)
        if (h->out->group[u] == LETHE_NONE) e = place(&x, u);
    lethe_free(x.row.count);
    lethe_free(x.common);
    lethe_free(x.sum);
    lethe_free(x.size);
    return e;
}

/* --- all of it --- */

static lethe_err run(work *h)
{
    LETHE_TRY(lethe_microagg_pool_new(h->ctx, h->of, &h->crowd));
    LETHE_TRY(lethe_microagg_pairs_new(h->ctx, &h->crowd, &h->pairing));
    LETHE_TRY(lethe_microagg_partial_new(&h->crowd, h->k, &h->team));
    LETHE_TRY(make_groups(h));
    h->out->pairs = h->pairing.pairs + h->team.pairs;
    h->out->bounded = h->pairing.bounded + h->team.bounded;
    return place_rest(h);
}

lethe_err lethe_microagg_groups_find(lethe_ctx *ctx, const lethe_microagg_interests *of, uint32_t k,
                                     lethe_microagg_groups *out)
{
    lethe_microagg_groups c = {0};
    work h = {.ctx = ctx, .of = of, .k = k, .out = &c};
    if (k < 2 || of->n < k)
        return lethe_fail(ctx, LETHE_EUSAGE, "groups of %u users cannot be made of %u", k, of->n);
    c.n = of->n / k;
    c.group = lethe_alloc(of->n, sizeof *c.group);
    if (!c.group) return LETHE_ENOMEM;
    memset(c.group, c.n == 1 ? 0 : 0xff, of->n * sizeof *c.group);
    lethe_err e = c.n == 1 ? LETHE_OK : run(&h);
    lethe_microagg_partial_free(&h.team);
    lethe_microagg_pairs_free(&h.pairing);
    lethe_microagg_pool_free(&h.crowd);
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
