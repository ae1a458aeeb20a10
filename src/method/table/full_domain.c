/* SPDX-License-Identifier: Apache-2.0 */
/* full_domain.c - Incognito: goes through the subsets of the quasi-identifiers by size, and in each
 * through the vectors of levels whose parts are all valid, from the most specific up; everything
 * above a valid vector is valid too. */
#include "method/table/full_domain_internal.h"
#include "core/clock.h"
#include <stdlib.h>

enum { POINTS_MAX = 1 << 28 };

/* Of a vector of levels. */
enum { REFUSED, UNKNOWN, VALID, MINIMAL }; /* the last: valid, and nothing below it is */

/* The vectors of one subset: numbers in mixed radix, the first quasi-identifier's level first. */
typedef struct subset {
    uint32_t mask;
    size_t n; /* quasi-identifiers */
    const full_domain_levels **ladder;
    size_t *stride;
    size_t first; /* the number of its first vector among those of all subsets of its size */
    size_t n_points;
} subset;

/* All subsets of one size. */
typedef struct layer {
    lethe_arena *arena;
    size_t n;
    subset *at;
    size_t n_points;
    uint8_t *state;
    uint32_t *order;  /* vectors by the sum of their levels */
    size_t *sum_from; /* where each sum begins, n_sums + 1 */
    size_t n_sums;
} layer;

/* A vector whose groups are counted. */
typedef struct probe {
    uint32_t point;
    const subset *of;
    const full_domain_counts *from; /* NULL: the tuples */
    size_t which;                   /* the quasi-identifier that `from` has one level lower */
    full_domain_counts *own;        /* to roll up from */
    bool done, valid;
} probe;

typedef struct probes {
    probe *at;
    size_t n, cap;
} probes;

typedef struct domain {
    lethe_ctx *ctx;
    const lethe_tuples *t;
    const lethe_group_demand *d;
    const uint64_t *const *weight;
    const lethe_table_limits *limits;
    lethe_arena *tmp;
    full_domain_levels *ladder;      /* by quasi-identifier */
    const full_domain_levels **open; /* those with more than one level */
    size_t n_open;
    uint32_t *where; /* by mask: its number among the subsets of its size */
    layer now, before;
    probes wave, last;
    full_domain_room *room; /* by worker */
    _Atomic uint64_t kept_bytes;
    uint64_t keep_most;
    double began; /* lethe_clock_s() */
    bool stopped;
    uint64_t examined, to_best;
} domain;

static uint32_t level_at(const subset *s, size_t point, size_t j)
{
    return (uint32_t)(point / s->stride[j] % s->ladder[j]->n);
}

/* --- subsets of one size --- */

static lethe_err make_subsets(domain *x, layer *l, size_t size)
{
    size_t n = 0;
    *l = (layer){.arena = lethe_arena_new()};
    if (!l->arena) return LETHE_ENOMEM;
    for (uint32_t mask = 1; mask < 1u << x->n_open; mask++)
        n += (size_t)__builtin_popcount(mask) == size;
    l->at = lethe_new(l->arena, subset, n);
    if (!l->at) return LETHE_ENOMEM;
    for (uint32_t mask = 1; mask < 1u << x->n_open; mask++) {
        if ((size_t)__builtin_popcount(mask) != size) continue;
        subset *s = &l->at[l->n];
        *s = (subset){.mask = mask,
                      .ladder = lethe_new(l->arena, const full_domain_levels *, size),
                      .stride = lethe_new(l->arena, size_t, size),
                      .first = l->n_points,
                      .n_points = 1};
        if (!s->ladder || !s->stride) return LETHE_ENOMEM;
        for (size_t a = 0; a < x->n_open; a++)
            if (mask >> a & 1) s->ladder[s->n++] = x->open[a];
        for (size_t j = size; j-- > 0;) {
            s->stride[j] = s->n_points;
            s->n_points *= s->ladder[j]->n;
        }
        x->where[mask] = (uint32_t)l->n++;
        l->n_points += s->n_points;
    }
    l->state = lethe_new(l->arena, uint8_t, l->n_points);
    l->order = lethe_new(l->arena, uint32_t, l->n_points);
    return l->state && l->order ? LETHE_OK : LETHE_ENOMEM;
}

static void free_layer(layer *l)
{
    lethe_arena_free(l->arena);
    *l = (layer){0};
}

/* Is the vector valid without any one of its quasi-identifiers?  Where it is not, nor is the whole.
 */
static bool is_candidate(const domain *x, const subset *s, size_t point)
{
    for (size_t drop = 0, a = 0; drop < s->n && s->n > 1; drop++, a++) {
        size_t i = 0, index = 0;
        while (!(s->mask >> a & 1))
            a++;
        const subset *part = &x->before.at[x->where[s->mask & ~(1u << a)]];
        for (size_t j = 0; j < s->n; j++)
            if (j != drop) index += level_at(s, point, j) * part->stride[i++];
        if (x->before.state[part->first + index] < VALID) return false;
    }
    return true;
}

static size_t sum_of(const subset *s, size_t point)
{
    size_t sum = 0;
    for (size_t j = 0; j < s->n; j++)
        sum += level_at(s, point, j);
    return sum;
}

/* Candidates by the sum of their levels, and of one sum by number. */
static lethe_err list_candidates(domain *x, layer *l)
{
    size_t *at;
    l->n_sums = 1;
    for (size_t a = 0; a < x->n_open; a++)
        l->n_sums += x->open[a]->n - 1;
    at = l->sum_from = lethe_new(l->arena, size_t, l->n_sums + 2);
    if (!at) return LETHE_ENOMEM;
    for (size_t i = 0; i < l->n; i++) {
        const subset *s = &l->at[i];
        if (lethe_ctx_cancelled(x->ctx)) return LETHE_ECANCEL;
        for (size_t p = 0; p < s->n_points; p++) {
            if (!is_candidate(x, s, p)) continue;
            l->state[s->first + p] = UNKNOWN;
            at[sum_of(s, p) + 2]++;
        }
    }
    for (size_t k = 0; k < l->n_sums; k++)
        at[k + 2] += at[k + 1];
    for (size_t i = 0; i < l->n; i++)
        for (size_t p = 0; p < l->at[i].n_points; p++)
            if (l->state[l->at[i].first + p] == UNKNOWN)
                l->order[at[sum_of(&l->at[i], p) + 1]++] = (uint32_t)(l->at[i].first + p);
    return LETHE_OK;
}

/* --- waves: vectors of one sum --- */

static void free_probes(domain *x, probes *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->at[i].own) x->kept_bytes -= p->at[i].own->bytes;
        lethe_free(p->at[i].own);
    }
    p->n = 0;
}

static int by_point(const void *a, const void *b)
{
    uint32_t x = ((const probe *)a)->point, y = ((const probe *)b)->point;
    return (x > y) - (x < y);
}

static lethe_err add_probe(domain *x, const subset *s, size_t point)
{
    probes *w = &x->wave;
    probe p = {.point = (uint32_t)point, .of = s};
    if (w->n == w->cap) {
        size_t cap = LETHE_MAX(64, 2 * w->cap);
        probe *more = lethe_realloc(w->at, cap, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        w->at = more;
        w->cap = cap;
    }
    for (size_t j = 0; j < s->n; j++) { // the smallest counts that can be rolled up
        probe key = {.point = (uint32_t)(point - s->stride[j])};
        const probe *below = level_at(s, point - s->first, j) == 0 || x->last.n == 0
                                 ? NULL
                                 : bsearch(&key, x->last.at, x->last.n, sizeof key, by_point);
        if (!below || !below->own || (p.from && p.from->n <= below->own->n)) continue;
        p.from = below->own;
        p.which = j;
    }
    w->at[w->n++] = p;
    return LETHE_OK;
}

static lethe_err run_probe(void *arg, size_t i, unsigned w)
{
    domain *x = arg;
    probe *p = &x->wave.at[i];
    const subset *s = p->of;
    uint32_t level[32];
    full_domain_room *r = &x->room[w];
    full_domain_point at = {s->n, s->ladder, level};
    if (x->limits->seconds > 0 && lethe_clock_s() - x->began > x->limits->seconds) return LETHE_OK;
    if (!r->arena) LETHE_TRY(lethe_full_domain_room(x->t, x->d, r));
    for (size_t j = 0; j < s->n; j++)
        level[j] = level_at(s, p->point - s->first, j);
    if (p->from)
        lethe_full_domain_roll_up(r, p->from, x->t, &at, p->which);
    else
        lethe_full_domain_scan(r, x->t, &at);
    p->valid = lethe_full_domain_valid(r, x->t, x->d, p->from);
    p->done = true;
    if (p->valid || x->kept_bytes > x->keep_most) return LETHE_OK;
    p->own = lethe_full_domain_keep(r, x->t, &at, p->from, p->which);
    if (!p->own) return LETHE_ENOMEM;
    x->kept_bytes += p->own->bytes;
    return LETHE_OK;
}

/* Decides the vectors of one sum: by what is just below them, or by counting their groups. */
static lethe_err run_wave(domain *x, layer *l, size_t sum)
{
    probes swap = x->last;
    free_probes(x, &x->last);
    swap.n = 0;
    x->last = x->wave;
    x->wave = swap;
    for (size_t k = l->sum_from[sum], i = 0; k < l->sum_from[sum + 1]; k++) {
        size_t point = l->order[k];
        while (point >= l->at[i].first + l->at[i].n_points)
            i++; // points of one sum rise
        const subset *s = &l->at[i];
        for (size_t j = 0; j < s->n; j++) // is anything just below it valid?
            if (level_at(s, point - s->first, j) > 0 && l->state[point - s->stride[j]] >= VALID)
                l->state[point] = VALID;
        if (l->state[point] != VALID) LETHE_TRY(add_probe(x, s, point));
    }
    uint64_t most = x->limits->cuts, left = most > x->examined ? most - x->examined : 0;
    if (most > 0 && x->wave.n > left) { // no more vectors are tried than the limit leaves
        x->wave.n = (size_t)left;
        x->stopped = true;
    }
    LETHE_TRY(lethe_pool_for(x->ctx, x->wave.n, run_probe, x));
    for (size_t i = 0; i < x->wave.n; i++) {
        const probe *p = &x->wave.at[i];
        x->stopped = x->stopped || !p->done;
        x->examined += p->done;
        l->state[p->point] = !p->done ? UNKNOWN : p->valid ? MINIMAL : REFUSED;
    }
    return LETHE_OK;
}

static lethe_err run_layer(domain *x, size_t size)
{
    free_layer(&x->before);
    x->before = x->now;
    x->now = (layer){0};
    LETHE_TRY(make_subsets(x, &x->now, size));
    LETHE_TRY(list_candidates(x, &x->now));
    for (size_t sum = 0; sum < x->now.n_sums && !x->stopped; sum++)
        LETHE_TRY(run_wave(x, &x->now, sum));
    free_probes(x, &x->last);
    free_probes(x, &x->wave);
    return LETHE_OK;
}

/* --- the cheapest --- */

/* A vector for all quasi-identifiers, as a cut. */
static lethe_err cut_of(const domain *x, lethe_arena *a, const uint32_t *level,
                        lethe_table_cut *out)
{
    size_t n = 0;
    for (size_t q = 0; q < x->t->n_qi; q++)
        n += x->ladder[q].n_nodes[level[q]];
    *out = (lethe_table_cut){lethe_new(a, uint32_t, n), lethe_new(a, size_t, x->t->n_qi + 1)};
    if (!out->node || !out->start) return LETHE_ENOMEM;
    for (size_t q = 0, at = 0; q < x->t->n_qi; q++) {
        uint32_t m = x->ladder[q].n_nodes[level[q]];
        memcpy(out->node + at, x->ladder[q].node[level[q]], m * sizeof *out->node);
        out->start[q + 1] = at += m;
    }
    return LETHE_OK;
}

static lethe_err evaluate(const domain *x, const uint32_t *level, lethe_table_cut_price *out)
{
    lethe_table_cut cut;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? cut_of(x, a, level, &cut) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = lethe_table_cut_evaluate(x->ctx, x->t, x->d, x->weight, &cut, out);
    lethe_arena_free(a);
    return e;
}

/* The minimal vectors, and what they cost. */
typedef struct minimal {
    const domain *x;
    size_t n;
    uint32_t *level; /* n_qi for each */
    uint64_t *cost;
} minimal;

static lethe_err price_minimal(void *arg, size_t i, unsigned w)
{
    minimal *m = arg;
    lethe_table_cut_price p = {0};
    (void)w;
    LETHE_TRY(evaluate(m->x, m->level + i * m->x->t->n_qi, &p));
    assert(p.valid);
    m->cost[i] = p.cost;
    return LETHE_OK;
}

/* Up where it costs nothing, the first quasi-identifier as far as can be, then the next: what is
 * above costs no less, so this is the one of equals above `level` that compares least. */
static lethe_err raise_levels(domain *x, uint32_t *level, uint64_t cost)
{
    for (size_t q = 0; q < x->t->n_qi; q++) {
        while (level[q] + 1 < x->ladder[q].n) {
            lethe_table_cut_price p = {0};
            level[q]++;
            x->examined++;
            LETHE_TRY(evaluate(x, level, &p));
            if (p.cost == cost) continue;
            level[q]--;
            break;
        }
    }
    return LETHE_OK;
}

static void report_better(domain *x, uint64_t cost)
{
    x->to_best = x->examined;
    if (x->limits->on_better)
        x->limits->on_better(x->limits->user, lethe_clock_s() - x->began, x->examined, cost);
}

/* The cheapest of the minimal ones and what is above them; `best` is the roots to begin with. */
static lethe_err choose_cheapest(domain *x, uint32_t *best, uint64_t *cost)
{
    const subset *s = &x->now.at[0]; // the one that has all quasi-identifiers
    minimal m = {.x = x};
    size_t n_qi = x->t->n_qi;
    uint64_t least = *cost;
    for (size_t p = 0; p < s->n_points; p++)
        m.n += x->now.state[p] == MINIMAL;
    m.level = lethe_new(x->tmp, uint32_t, m.n * n_qi);
    m.cost = lethe_new(x->tmp, uint64_t, m.n);
    if (!m.level || !m.cost) return LETHE_ENOMEM;
    for (size_t p = 0, i = 0; p < s->n_points; p++) {
        if (x->now.state[p] != MINIMAL) continue;
        for (size_t j = 0; j < s->n; j++)
            m.level[i * n_qi + s->ladder[j]->qi] = level_at(s, p, j);
        i++;
    }
    LETHE_TRY(lethe_pool_for(x->ctx, m.n, price_minimal, &m));
    for (size_t i = 0; i < m.n; i++)
        least = LETHE_MIN(least, m.cost[i]);
    for (size_t i = 0; i < m.n; i++) {
        uint32_t *level = m.level + i * n_qi;
        if (m.cost[i] != least) continue;
        if (!x->stopped) LETHE_TRY(raise_levels(x, level, least));
        size_t q = 0; // of nested cuts the higher level compares least
        while (q < n_qi && level[q] == best[q])
            q++;
        if (*cost == least && (q == n_qi || level[q] < best[q])) continue;
        memcpy(best, level, n_qi * sizeof *best);
        if (*cost > least) report_better(x, least);
        *cost = least;
    }
    return LETHE_OK;
}

/* --- all of it --- */

static lethe_err search_lattice(domain *x, lethe_arena *a, lethe_table_found *out)
{
    size_t n_qi = x->t->n_qi;
    uint32_t *best = lethe_new(x->tmp, uint32_t, n_qi);
    lethe_table_cut_price roots = {0};
    x->ladder = lethe_new(x->tmp, full_domain_levels, n_qi);
    x->open = lethe_new(x->tmp, const full_domain_levels *, n_qi);
    x->room = lethe_new(x->tmp, full_domain_room, lethe_ctx_threads(x->ctx));
    if (!best || !x->ladder || !x->open || !x->room) return LETHE_ENOMEM;
    for (size_t q = 0; q < n_qi; q++) {
        LETHE_TRY(lethe_full_domain_levels(x->tmp, x->t->tree[q], q, &x->ladder[q]));
        if (x->ladder[q].n > 1) x->open[x->n_open++] = &x->ladder[q];
        best[q] = x->ladder[q].n - 1;
    }
    x->where = lethe_new(x->tmp, uint32_t, (size_t)1 << x->n_open);
    if (!x->where) return LETHE_ENOMEM;
    x->keep_most = lethe_ctx_memory(x->ctx) / 4;
    x->examined = 1;
    LETHE_TRY(evaluate(x, best, &roots));
    if (!roots.valid) { // nor is anything below them
        *out = (lethe_table_found){.optimal = true, .examined = 1};
        return LETHE_OK;
    }
    report_better(x, roots.cost);
    for (size_t size = 1; size <= x->n_open && !x->stopped; size++)
        LETHE_TRY(run_layer(x, size));
    bool whole = x->now.n == 1 && x->now.at[0].n == x->n_open;
    if (whole) LETHE_TRY(choose_cheapest(x, best, &roots.cost));
    lethe_table_found found = {.n = 1,
                               .cut = lethe_new(a, lethe_table_cut, 1),
                               .cost = lethe_new(a, uint64_t, 1),
                               .optimal = !x->stopped,
                               .examined = x->examined,
                               .to_best = x->to_best};
    if (!found.cut || !found.cost) return LETHE_ENOMEM;
    LETHE_TRY(cut_of(x, a, best, &found.cut[0]));
    found.cost[0] = roots.cost;
    *out = found;
    return LETHE_OK;
}

lethe_err lethe_full_domain(lethe_ctx *ctx, const lethe_tuples *t, const lethe_group_demand *d,
                            const uint64_t *const *weight, const lethe_table_limits *limits,
                            lethe_arena *a, lethe_table_found *out)
{
    assert(d->suppress == LETHE_SUPPRESS_NONE);
    domain x = {.ctx = ctx, .t = t, .d = d, .weight = weight, .limits = limits};
    double points = 1;
    bool is_tall = false;
    for (size_t q = 0; q < t->n_qi; q++) {
        uint64_t levels = (uint64_t)t->tree[q]->height + 1;
        is_tall = is_tall || levels * t->tree[q]->n > FULL_DOMAIN_LEVELS_MAX;
        if (levels > 1) points *= (double)levels + 1; // its levels, or it is not in the subset
    }
    if (is_tall || points > POINTS_MAX)
        return lethe_fail(
            ctx, LETHE_ENOMEM,
            "too many levels: full-domain generalization goes through all vectors of levels "
            "of all subsets of the quasi-identifiers");
    x.began = lethe_clock_s();
    x.tmp = lethe_arena_new();
    lethe_err e = x.tmp ? search_lattice(&x, a, out) : LETHE_ENOMEM;
    free_probes(&x, &x.last);
    free_probes(&x, &x.wave);
    lethe_free(x.last.at);
    lethe_free(x.wave.at);
    free_layer(&x.now);
    free_layer(&x.before);
    for (unsigned w = 0; x.room && w < lethe_ctx_threads(ctx); w++)
        lethe_arena_free(x.room[w].arena);
    lethe_arena_free(x.tmp);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

double lethe_full_domain_cuts(const lethe_tuples *t)
{
    double n = 1;
    for (size_t q = 0; q < t->n_qi; q++)
        n *= t->tree[q]->height + 1.0;
    return n;
}
