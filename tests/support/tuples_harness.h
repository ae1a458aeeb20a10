/* SPDX-License-Identifier: Apache-2.0 */
/* tuples_harness.h - small tables drawn by a seed, all cuts of their trees, and prices of groups
 * and cuts row by row, straight from the definitions. */
#ifndef LETHE_TESTS_TUPLES_HARNESS_H
#define LETHE_TESTS_TUPLES_HARNESS_H
#include "method/table/tuples.h"
#include "log_oracle.h"
#include <inttypes.h>

enum { TH_ROWS = 16, TH_QI = 3, TH_NODES = 9, TH_SA = 4, TH_CLASSES = 3, TH_CUTS = 64 };

/* --- groups of rows --- */

typedef struct th_row {
    uint32_t sa, class;
    bool deleted, starred;
} th_row;

typedef struct th_price {
    bool valid;
    uint64_t cost, deleted, starred;
} th_price;

static inline uint64_t th_left(const th_row *row, size_t n)
{
    uint64_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += !row[i].deleted;
    return left;
}

/* Rows that stay and show the value. */
static inline uint64_t th_shown(const th_row *row, size_t n, uint32_t sa)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < n; i++)
        shown += !row[i].deleted && !row[i].starred && row[i].sa == sa;
    return shown;
}

static inline bool th_violated(const lethe_group_demand *d, const th_row *row, size_t n,
                               uint32_t sa)
{
    if (d->n_sa == 0 || !d->theta) return false;
    return th_shown(row, n, sa) * d->theta[sa].den > d->theta[sa].num * th_left(row, n);
}

static inline bool th_any_violated(const lethe_group_demand *d, const th_row *row, size_t n)
{
    for (uint32_t s = 0; s < d->n_sa; s++)
        if (th_violated(d, row, n, s)) return true;
    return false;
}

/* Fewer than `distinct` values, but some. */
static inline bool th_few(const lethe_group_demand *d, const th_row *row, size_t n)
{
    uint32_t values = 0;
    for (uint32_t s = 0; s < d->n_sa; s++)
        values += th_shown(row, n, s) > 0;
    return values > 0 && values < d->distinct;
}

/* What the rows cost as they are marked. */
static inline uint64_t th_cost(const lethe_group_demand *d, const th_row *row, size_t n,
                               uint64_t general)
{
    uint64_t left = th_left(row, n), cost = 0, most = 0;
    for (uint32_t c = 0; c < d->n_class; c++) {
        uint64_t of = 0;
        for (size_t i = 0; i < n; i++)
            of += !row[i].deleted && row[i].class == c;
        most = LETHE_MAX(most, of);
    }
    for (size_t i = 0; i < n; i++) {
        if (d->cost == LETHE_COST_DM)
            cost += row[i].deleted ? d->rows : left;
        else if (d->cost == LETHE_COST_LM)
            cost += row[i].deleted ? 2 * d->n_qi * d->scale
                                   : general + (row[i].starred ? d->n_qi * d->scale : 0);
    }
    return d->cost == LETHE_COST_CM ? n - most : cost;
}

/* Deletes one row of a violated value after the other: each is forced, since later deletions only
 * make what is left smaller. */
static inline void th_delete(const lethe_group_demand *d, th_row *row, size_t n)
{
    while (th_any_violated(d, row, n))
        for (uint32_t s = 0; s < d->n_sa; s++)
            for (size_t i = 0; i < n && th_violated(d, row, n, s); i++)
                if (row[i].sa == s) row[i].deleted = true;
}

/* CM: the least cost over all ways to delete as many of each value as are deleted. */
static inline uint64_t th_cheapest(const lethe_group_demand *d, th_row *row, size_t n,
                                   uint64_t general)
{
    uint64_t gone[TH_SA] = {0}, best = UINT64_MAX;
    if (d->cost != LETHE_COST_CM) return th_cost(d, row, n, general);
    for (size_t i = 0; i < n; i++)
        gone[row[i].sa] += row[i].deleted;
    /* For each class: of every value the others' rows go first. */
    for (uint32_t c = 0; c < d->n_class; c++) {
        uint64_t left[TH_SA];
        memcpy(left, gone, sizeof left);
        for (size_t i = 0; i < n; i++)
            row[i].deleted = false;
        for (int own = 0; own < 2; own++)
            for (size_t i = 0; i < n; i++)
                if ((row[i].class == c) == own && left[row[i].sa] > 0) {
                    row[i].deleted = true;
                    left[row[i].sa]--;
                }
        best = LETHE_MIN(best, th_cost(d, row, n, general));
    }
    return best;
}

/* evenSA: as few stars as may be, with each value shown at most `most` times, so that who thinks
 * any value that is shown as often as `most` (or any at all, where none is shown) equally likely to
 * be starred is not surer of one than theta. */
static inline bool th_even(const lethe_group_demand *d, th_row *row, size_t n)
{
    for (size_t most = n + 1; most-- > 0;) {
        uint64_t stars = 0, t = 0;
        for (size_t i = 0; i < n; i++) {
            row[i].starred = false;
            row[i].starred = th_shown(row, i + 1, row[i].sa) > most;
            stars += row[i].starred;
        }
        for (uint32_t s = 0; s < d->n_sa; s++)
            t += th_shown(row, n, s) == most;
        if (t == 0 || th_few(d, row, n)) continue;
        if ((t * most + stars) * d->theta[0].den <= d->theta[0].num * t * n) return true;
    }
    return false;
}

static inline th_price th_group(const lethe_group_demand *d, th_row *row, size_t n,
                                uint64_t general)
{
    bool bad = n < d->k || th_few(d, row, n) || th_any_violated(d, row, n);
    bool all_sa = th_few(d, row, n) || th_any_violated(d, row, n), vio[TH_SA] = {false};
    th_price p = {.valid = true};
    for (uint32_t s = 0; s < d->n_sa; s++)
        vio[s] = th_violated(d, row, n, s);
    switch (d->suppress) {
    case LETHE_SUPPRESS_NONE:
        p.valid = !bad;
        break;
    case LETHE_SUPPRESS_VIO_SA:
        for (size_t i = 0; i < n; i++)
            row[i].starred = vio[row[i].sa];
        p.valid = n >= d->k && !th_few(d, row, n);
        break;
    case LETHE_SUPPRESS_ALL_SA:
        for (size_t i = 0; i < n; i++)
            row[i].starred = all_sa;
        p.valid = n >= d->k;
        break;
    case LETHE_SUPPRESS_VIO_REC:
        th_delete(d, row, n);
        bad = th_left(row, n) < d->k || th_few(d, row, n);
        for (size_t i = 0; i < n && bad; i++)
            row[i].deleted = true;
        break;
    case LETHE_SUPPRESS_ALL_REC:
        for (size_t i = 0; i < n; i++)
            row[i].deleted = bad;
        break;
    case LETHE_SUPPRESS_EVEN_SA:
        p.valid = th_even(d, row, n) && n >= d->k;
        break;
    }
    p.deleted = n - th_left(row, n);
    for (size_t i = 0; i < n; i++)
        p.starred += row[i].starred;
    p.cost = th_cheapest(d, row, n, general);
    return p;
}

/* --- demands --- */

static const lethe_theta TH_THETAS[] = {{0, 1}, {1, 4}, {1, 3}, {2, 5}, {1, 2},
                                        {2, 3}, {3, 4}, {1, 1}, {1, 1}, {299, 1000}};

/* Theta with one value in two for all alike; schemes that star with LM only, evenSA with one theta.
 */
static inline lethe_group_demand th_demand(uint64_t *seed, uint32_t n_sa, uint32_t n_class,
                                           lethe_theta *theta)
{
    lethe_group_demand d = {.theta = theta,
                            .n_sa = n_sa,
                            .k = o_below(seed, 2) ? 1 : 1 + o_below(seed, 4),
                            .distinct = o_below(seed, 2) ? 1 : 1 + (uint32_t)o_below(seed, 3),
                            .cost = (lethe_group_cost)o_below(seed, 3),
                            .suppress = (lethe_group_suppress)o_below(seed, n_sa > 0 ? 6 : 5),
                            .n_class = n_class};
    lethe_theta all = TH_THETAS[o_below(seed, LETHE_COUNT(TH_THETAS))];
    bool even = d.suppress == LETHE_SUPPRESS_EVEN_SA, alike = o_below(seed, 2) || even;
    for (uint32_t s = 0; s < n_sa; s++)
        theta[s] = alike ? all : TH_THETAS[o_below(seed, LETHE_COUNT(TH_THETAS))];
    if (o_below(seed, 8) == 0 && !even) d.theta = NULL;
    if (lethe_suppress_stars(d.suppress)) d.cost = LETHE_COST_LM;
    return d;
}

/* --- tables --- */

typedef struct th_table {
    lethe_table t;
    lethe_qi qi[TH_QI];
    lethe_column sa, class;
    uint32_t leaf[TH_QI][TH_ROWS], sa_code[TH_ROWS], class_code[TH_ROWS];
    lethe_theta theta[TH_SA];
    lethe_group_demand d;
} th_table;

static inline lethe_tree *th_tree(uint64_t *seed)
{
    uint32_t n = 1 + (uint32_t)o_below(seed, TH_NODES), parent[TH_NODES];
    char text[TH_NODES][2];
    lethe_str name[TH_NODES];
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t back = o_below(seed, 2) ? 1 + (uint32_t)o_below(seed, LETHE_MIN(i + 1, 3)) : i;
        parent[i] = i == 0 ? LETHE_NONE : i - LETHE_MIN(LETHE_MAX(back, 1), i);
        snprintf(text[i], sizeof text[i], "%c", (char)('a' + i));
        name[i] = (lethe_str){text[i], 1};
    }
    if (lethe_tree_from(NULL, n, parent, name, &t) != LETHE_OK) fail_msg("no tree");
    return t;
}

static inline uint32_t th_leaf(uint64_t *seed, const lethe_tree *t)
{
    uint32_t v;
    do
        v = (uint32_t)o_below(seed, t->n);
    while (!lethe_tree_is_leaf(t, v));
    return v;
}

/* Names "v0", "v1", .. in an order of their own, so that number and name differ. */
static inline lethe_dict *th_names(uint64_t *seed, uint32_t n)
{
    lethe_dict *names = lethe_dict_new();
    uint32_t first = (uint32_t)o_below(seed, n), number;
    for (uint32_t i = 0; i < n; i++) {
        char text[8];
        snprintf(text, sizeof text, "v%u", (first + i) % n);
        if (!names || lethe_dict_add(names, lethe_str_of(text), &number) != LETHE_OK)
            fail_msg("no memory");
    }
    return names;
}

/* A table and what is asked of it; scale 0 and rows to be filled in with the weights. */
static inline void th_draw(uint64_t *seed, th_table *h)
{
    uint32_t n_sa = 1 + (uint32_t)o_below(seed, TH_SA), n_class = 1 + (uint32_t)o_below(seed, 3);
    memset(h, 0, sizeof *h);
    h->t = (lethe_table){.n = 1 + o_below(seed, TH_ROWS), .n_qi = 1 + o_below(seed, TH_QI)};
    h->t.qi = h->qi;
    for (size_t a = 0; a < h->t.n_qi; a++) {
        h->qi[a] = (lethe_qi){.tree = th_tree(seed), .leaf = h->leaf[a]};
        for (size_t i = 0; i < h->t.n; i++)
            h->leaf[a][i] = th_leaf(seed, h->qi[a].tree);
    }
    h->sa = (lethe_column){.values = th_names(seed, n_sa), .code = h->sa_code};
    h->class = (lethe_column){.values = th_names(seed, n_class), .code = h->class_code};
    for (size_t i = 0; i < h->t.n; i++) {
        h->sa_code[i] = (uint32_t)o_below(seed, n_sa);
        h->class_code[i] = (uint32_t)o_below(seed, n_class);
    }
    if (o_below(seed, 8)) h->t.sa = &h->sa;
    if (o_below(seed, 8)) h->t.class = &h->class;
    h->d = th_demand(seed, h->t.sa ? n_sa : 0, h->t.class ? n_class : 1, h->theta);
    h->d.rows = h->t.n;
    h->d.n_qi = (uint32_t)h->t.n_qi;
}

static inline void th_free(th_table *h)
{
    for (size_t a = 0; a < h->t.n_qi; a++)
        lethe_tree_free(h->qi[a].tree);
    lethe_dict_free(h->sa.values);
    lethe_dict_free(h->class.values);
}

/* The rank of a row's class among the names. */
static inline uint32_t th_class(const th_table *h, size_t row)
{
    uint32_t rank = 0;
    if (!h->t.class) return 0;
    for (uint32_t c = 0; c < lethe_dict_count(h->class.values); c++)
        rank += lethe_str_cmp(lethe_dict_at(h->class.values, c),
                              lethe_dict_at(h->class.values, h->class_code[row])) < 0;
    return rank;
}

/* --- cuts as sets of nodes --- */

typedef struct th_cut {
    uint32_t of[TH_QI];
} th_cut;

/* All cuts of the subtree of v: itself, or one of each child. */
static inline size_t th_tree_cuts(const lethe_tree *t, uint32_t v, uint32_t *out)
{
    uint32_t below[TH_CUTS], next[TH_CUTS];
    size_t n = 1, m = 0;
    below[0] = 0;
    for (uint32_t c = v + 1; c < t->end[v]; c = t->end[c]) {
        uint32_t child[TH_CUTS];
        size_t n_child = th_tree_cuts(t, c, child);
        m = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n_child; k++)
                next[m++] = below[i] | child[k];
        memcpy(below, next, m * sizeof *below);
        n = m;
    }
    out[0] = 1u << v;
    if (m > 0) memcpy(out + 1, below, m * sizeof *out);
    return 1 + m;
}

/* Calls `visit` for each cut of the table. */
static inline void th_all_cuts(const th_table *h, void (*visit)(void *arg, const th_cut *cut),
                               void *arg)
{
    uint32_t of[TH_QI][TH_CUTS];
    size_t n[TH_QI], at[TH_QI] = {0}, a = 0;
    for (a = 0; a < h->t.n_qi; a++)
        n[a] = th_tree_cuts(h->qi[a].tree, 0, of[a]);
    do {
        th_cut cut = {{0}};
        for (a = 0; a < h->t.n_qi; a++)
            cut.of[a] = of[a][at[a]];
        visit(arg, &cut);
        for (a = 0; a < h->t.n_qi && ++at[a] == n[a]; a++)
            at[a] = 0;
    } while (a < h->t.n_qi);
}

static inline uint32_t th_above(const lethe_tree *t, uint32_t cut, uint32_t v)
{
    while (!(cut >> v & 1))
        v = t->parent[v];
    return v;
}

static inline bool th_together(const th_table *h, const th_cut *cut, size_t i, size_t k)
{
    for (size_t a = 0; a < h->t.n_qi; a++)
        if (th_above(h->qi[a].tree, cut->of[a], h->leaf[a][i]) !=
            th_above(h->qi[a].tree, cut->of[a], h->leaf[a][k]))
            return false;
    return true;
}

/* LM of a row, by its definition, scaled. */
static inline uint64_t th_general(const th_table *h, const th_cut *cut, size_t row)
{
    uint64_t sum = 0;
    for (size_t a = 0; a < h->t.n_qi; a++) {
        const lethe_tree *t = h->qi[a].tree;
        uint32_t v = th_above(t, cut->of[a], h->leaf[a][row]);
        if (t->leaves[0] > 1) sum += (t->leaves[v] - 1) * h->d.scale / (t->leaves[0] - 1);
    }
    return sum;
}

static inline th_price th_evaluate(const th_table *h, const th_cut *cut, uint64_t *groups)
{
    bool done[TH_ROWS] = {false};
    th_price sum = {.valid = true};
    *groups = 0;
    for (size_t i = 0; i < h->t.n; i++) {
        th_row row[TH_ROWS];
        size_t n = 0;
        if (done[i]) continue;
        for (size_t k = i; k < h->t.n; k++)
            if (th_together(h, cut, i, k)) {
                row[n++] = (th_row){.sa = h->t.sa ? h->sa_code[k] : 0, .class = th_class(h, k)};
                done[k] = true;
            }
        th_price p = th_group(&h->d, row, n, th_general(h, cut, i));
        sum.valid = sum.valid && p.valid;
        sum.cost += p.cost;
        sum.deleted += p.deleted;
        sum.starred += p.starred;
        ++*groups;
    }
    if (!sum.valid) sum = (th_price){0};
    return sum;
}

/* The set of nodes of a cut, and that it is one: every leaf is covered once. */
static inline th_cut th_from(const th_table *h, const lethe_table_cut *cut)
{
    th_cut out = {{0}};
    for (size_t a = 0; a < h->t.n_qi; a++) {
        const lethe_tree *t = h->qi[a].tree;
        uint32_t next = 0;
        for (size_t k = cut->start[a]; k < cut->start[a + 1]; k++) {
            uint32_t v = cut->node[k];
            if (v >= t->n) fail_msg("no such node");
            for (uint32_t u = next; u < v; u++)
                if (lethe_tree_is_leaf(t, u)) fail_msg("a leaf is left out");
            if (v < next) fail_msg("nodes overlap, or are not ascending");
            out.of[a] |= 1u << v;
            next = t->end[v];
        }
        for (uint32_t u = next; u < t->n; u++)
            if (lethe_tree_is_leaf(t, u)) fail_msg("a leaf is left out");
    }
    return out;
}

typedef struct th_list {
    uint32_t node[TH_QI * TH_NODES];
    size_t start[TH_QI + 1];
    lethe_table_cut cut;
} th_list;

static inline void th_to(const th_table *h, const th_cut *cut, th_list *out)
{
    size_t n = 0;
    for (size_t a = 0; a < h->t.n_qi; a++) {
        out->start[a] = n;
        for (uint32_t v = 0; v < h->qi[a].tree->n; v++)
            if (cut->of[a] >> v & 1) out->node[n++] = v;
    }
    out->start[h->t.n_qi] = n;
    out->cut = (lethe_table_cut){out->node, out->start};
}

/* Of two cuts, which comes first: at the first node that only one of them has. */
static inline bool th_before(const th_cut *a, const th_cut *b, size_t n_qi)
{
    for (size_t q = 0; q < n_qi; q++) {
        uint32_t differ = a->of[q] ^ b->of[q];
        if (differ) return a->of[q] & (differ & -differ);
    }
    return false;
}

#endif
