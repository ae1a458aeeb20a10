/* SPDX-License-Identifier: Apache-2.0 */
/* cuts_relax.c - a better bound for hard states: Lagrangian relaxation by subgradient steps
 * (M. Held, P. Wolfe and H. Crowder, "Validation of subgradient optimization", 1974).
 *
 * A row requires that a number of its nodes stay: 1 of a bar, all but one of a clique of nodes that
 * exclude each other.  If what a row lacks is charged at y >= 0 instead of being forbidden, the
 * cheapest cut is found in one walk from the leaves up: a node stays if that is cheaper, less the
 * charges in its subtree, than the best of its children.  The result is a bound for any y; steps
 * towards rows that lack something raise it.  The bound with a node of the front split, or staying,
 * tells which of the two costs too much.
 *
 * Everything is in scaled whole numbers, so that a bound is certain; only the step lengths are not.
 */
#include "method/itemset/cuts/cuts_internal.h"

enum { FIRST_STEPS = 300, STEPS = 12, PATIENCE = 8 };

static uint32_t bits(uint64_t x) { return x == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(x); }

/* --- rows --- */

/* Greedy cliques of the whole, each node in one at most; bars as they are. */
static lethe_err make_rows(lethe_cuts_relaxation *r, lethe_arena *a, const lethe_cuts_bound *b)
{
    const lethe_cuts_net *net = r->net;
    uint8_t *used = lethe_new(a, uint8_t, (size_t)b->n_rank + 1);
    uint64_t *left = lethe_new(a, uint64_t, b->words + 1), n = net->start[net->n_bars];
    r->start = lethe_new(a, uint64_t, (size_t)net->n_bars + b->n_rank + 1);
    r->member = lethe_new(a, uint32_t, n + b->n_rank + 1);
    if (!used || !left || !r->start || !r->member) return LETHE_ENOMEM;
    memcpy(r->start, net->start, ((size_t)net->n_bars + 1) * sizeof *r->start);
    memcpy(r->member, net->member, n * sizeof *r->member);
    r->n = net->n_bars;
    for (uint32_t i = 0; i < b->n_rank; i++) {
        uint64_t first = n;
        if (used[i]) continue;
        memcpy(left, b->excludes + i * b->words, b->words * sizeof *left);
        r->member[n++] = b->rank[i];
        used[i] = 1;
        for (uint32_t j = 0; j < b->n_rank; j++) {
            if (used[j] || !(left[j / 64] >> (j & 63) & 1)) continue;
            for (size_t w = 0; w < b->words; w++)
                left[w] &= b->excludes[j * b->words + w];
            r->member[n++] = b->rank[j];
            used[j] = 1;
        }
        if (n - first < 3) // a bar says as much
            n = first;
        else
            r->start[++r->n] = n;
    }
    return LETHE_OK;
}

lethe_err lethe_cuts_relaxation_new(lethe_arena *a, const lethe_cuts_net *net,
                                    const lethe_cuts_bound *b, lethe_cuts_relaxation *out)
{
    lethe_cuts_relaxation r = {.net = net};
    size_t n = (size_t)net->n + 1;
    uint64_t all = 0;
    LETHE_TRY(make_rows(&r, a, b));
    r.y = lethe_new(a, int64_t, (size_t)r.n + 1);
    r.active = lethe_new(a, uint32_t, (size_t)r.n + 1);
    r.lacks = lethe_new(a, int32_t, (size_t)r.n + 1);
    r.w = lethe_new(a, int64_t, n);
    r.load = lethe_new(a, int64_t, n);
    r.stay = lethe_new(a, int64_t, n);
    r.split = lethe_new(a, int64_t, n);
    r.in = lethe_new(a, uint8_t, n);
    r.forced = lethe_new(a, uint8_t, n);
    if (!r.y || !r.active || !r.lacks || !r.w || !r.load || !r.stay || !r.split || !r.in ||
        !r.forced)
        return LETHE_ENOMEM;
    for (uint32_t v = 0; v < net->n; v = net->end[v])
        all += net->all[v];
    r.shift = 60 - (int)bits(r.n + 1) - (int)bits(all); // no sum of charges overflows
    r.shift = LETHE_MIN(r.shift, 16);
    *out = r;
    return LETHE_OK;
}

/* --- one walk --- */

static int64_t scaled(const lethe_cuts_relaxation *r, uint64_t w)
{
    return (int64_t)(r->shift >= 0 ? w << r->shift : w >> -r->shift);
}

/* The bound in whole costs: rounded up, for costs are whole; down where they were. */
static uint64_t unscaled(const lethe_cuts_relaxation *r, int64_t value)
{
    if (value <= 0) return 0;
    if (r->shift < 0) return (uint64_t)value << -r->shift;
    return ((uint64_t)value + ((uint64_t)1 << r->shift) - 1) >> r->shift;
}

static uint32_t open_members(const lethe_cuts_relaxation *r, const lethe_cuts_state *s,
                             uint32_t row)
{
    uint32_t n = 0;
    for (uint64_t i = r->start[row]; i < r->start[row + 1]; i++)
        n += s->is[r->member[i]] == LETHE_CUTS_OPEN;
    return n;
}

/* Rows that ask for something.  If a node of a clique is split, all others stay already. */
static void activate(lethe_cuts_relaxation *r, const lethe_cuts_state *s)
{
    r->n_active = 0;
    for (uint32_t row = 0; row < r->n; row++) {
        bool bar = row < r->net->n_bars;
        if (bar ? s->n_stay[row] == 0 : open_members(r, s, row) > 1) r->active[r->n_active++] = row;
    }
    for (uint32_t v = 0; v < r->net->n; v++) {
        r->w[v] = s->is[v] == LETHE_CUTS_OPEN ? scaled(r, r->net->w[v]) : 0;
        r->forced[v] = 0;
    }
}

static int64_t charge(lethe_cuts_relaxation *r, const lethe_cuts_state *s)
{
    int64_t sum = 0;
    memset(r->load, 0, r->net->n * sizeof *r->load);
    for (uint32_t k = 0; k < r->n_active; k++) {
        uint32_t row = r->active[k];
        r->lacks[k] = row < r->net->n_bars ? 1 : (int32_t)open_members(r, s, row) - 1;
        if (r->y[row] == 0) continue;
        sum += r->y[row] * r->lacks[k];
        for (uint64_t i = r->start[row]; i < r->start[row + 1]; i++)
            r->load[r->member[i]] += r->y[row];
    }
    return sum;
}

/* What it costs to stay at each open node, and to split it; the cheapest of all beyond `paid`. */
static int64_t cheapest(lethe_cuts_relaxation *r, const lethe_cuts_state *s)
{
    const lethe_cuts_net *net = r->net;
    int64_t sum = 0;
    for (uint32_t v = 0; v < net->n; v++) {
        r->stay[v] = r->w[v] - r->load[v];
        r->split[v] = 0;
    }
    for (uint32_t v = net->n; v-- > 0;) {
        if (s->is[v] != LETHE_CUTS_OPEN) continue;
        uint32_t up = net->parent[v];
        int64_t least = LETHE_MIN(r->stay[v], r->split[v]);
        if (up == LETHE_NONE || s->is[up] != LETHE_CUTS_OPEN) {
            sum += least;
            continue;
        }
        r->stay[up] += r->stay[v];
        r->split[up] += least;
    }
    return sum;
}

/* What each row lacks in that cheapest cut; the sum of squares. */
static double shortfall(lethe_cuts_relaxation *r, const lethe_cuts_state *s)
{
    const lethe_cuts_net *net = r->net;
    double sum = 0;
    for (uint32_t v = 0; v < net->n; v++) {
        uint32_t up = net->parent[v];
        bool below = up != LETHE_NONE && r->in[up]; // stays with what is above it
        r->in[v] = s->is[v] == LETHE_CUTS_OPEN && (below || r->stay[v] < r->split[v]);
    }
    for (uint32_t k = 0; k < r->n_active; k++) {
        uint32_t row = r->active[k];
        for (uint64_t i = r->start[row]; i < r->start[row + 1]; i++)
            r->lacks[k] -= r->in[r->member[i]];
        if (r->lacks[k] < 0 && r->y[row] == 0) r->lacks[k] = 0;
        sum += (double)r->lacks[k] * r->lacks[k];
    }
    return sum;
}

/* --- steps --- */

/* Nodes of the front that can only stay, or only be split, at too high a cost. */
static void note_forced(lethe_cuts_relaxation *r, const lethe_cuts_state *s, lethe_cuts_best *best,
                        int64_t value)
{
    for (uint32_t v = lethe_cuts_front(s, 0); v != LETHE_NONE;
         v = lethe_cuts_front(s, r->net->end[v])) {
        int64_t rest = value - LETHE_MIN(r->stay[v], r->split[v]);
        if (lethe_cuts_best_excludes(best, s->paid + unscaled(r, rest + r->stay[v])))
            r->forced[v] = LETHE_CUTS_SPLIT;
        else if (lethe_cuts_best_excludes(best, s->paid + unscaled(r, rest + r->split[v])))
            r->forced[v] = LETHE_CUTS_STAYS;
    }
}

uint64_t lethe_cuts_relaxation_bound(lethe_cuts_relaxation *r, const lethe_cuts_state *s,
                                     lethe_cuts_best *best)
{
    uint64_t bound = s->paid;
    uint32_t steps = r->begun ? STEPS : FIRST_STEPS, in_vain = 0;
    double factor = r->begun ? 0.5 : 1;
    int64_t most = INT64_MIN;
    activate(r, s);
    r->begun = true;
    for (uint32_t i = 0; i < steps; i++) {
        int64_t value = charge(r, s);
        value += cheapest(r, s);
        in_vain = value > most ? 0 : in_vain + 1;
        if (value > most) {
            most = value;
            bound = s->paid + unscaled(r, value);
            if (lethe_cuts_best_excludes(best, bound)) break;
            note_forced(r, s, best, value);
        }
        if (in_vain == PATIENCE) {
            in_vain = 0;
            factor /= 2;
        }
        double squares = shortfall(r, s);
        if (squares == 0 || !lethe_cuts_best_full(best)) break;
        double gap = (double)(scaled(r, best->cost[best->n - 1] - s->paid) - value);
        double length = factor * LETHE_MAX(gap, 1) / squares;
        for (uint32_t k = 0; k < r->n_active; k++) {
            int64_t y_max = (int64_t)1 << (60 - bits(r->n + 1)), *y = &r->y[r->active[k]];
            double to = (double)*y + length * r->lacks[k];
            *y = to <= 0 ? 0 : to >= (double)y_max ? y_max : (int64_t)to;
        }
    }
    return bound;
}
