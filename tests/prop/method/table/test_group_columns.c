/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy and recursive diversity, closeness, several sensitive columns and k-map in thousands of
 * small tables: what cuts cost, the cheapest of all cuts and of all levels, and what annealing
 * finds, against every cut by the definitions, row by row. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "method/table/full_domain.h"
#include "method/table/table_anneal.h"
#include "seeds.h"
#include "table_search_harness.h"

#define TABLES seeds(60000)
enum { CUTS = 240, CUTS_OF_TREE = 64, COLUMNS = 3, VALUES = 4, ROWS = 14, PEOPLE = 14, NODES = 8 };

__extension__ typedef __int128 big;

static lethe_ctx *pool[2];

static int begin(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        lethe_settings set = {.n_threads = i == 0 ? 1 : 3};
        if (lethe_ctx_new(&set, &pool[i]) != LETHE_OK) return -1;
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(pool[0]);
    lethe_ctx_free(pool[1]);
    return 0;
}

/* --- a table and what is asked of it --- */

/* What is asked of a column, as the definitions have it. */
typedef struct asked {
    uint32_t n; /* values */
    lethe_theta theta;
    uint32_t distinct;
    lethe_theta entropy, c;
    uint32_t l;
    bool close;
    lethe_theta t;
    lethe_value_distance distance;
    uint32_t number[VALUES];                      /* ordered: the number of each value */
    uint32_t n_nodes, above[NODES], leaf[VALUES]; /* hierarchical */
} asked;

typedef struct world {
    h_world h;
    size_t n_columns;
    lethe_column column[COLUMNS];
    uint32_t code[COLUMNS][ROWS];
    asked ask[COLUMNS];
    size_t n_people;
    uint32_t people[H_QI][PEOPLE];
    /* the same as the methods take it */
    lethe_group_column demand[COLUMNS];
    lethe_group_closeness close[COLUMNS];
    uint32_t place[COLUMNS][VALUES], with[COLUMNS][NODES], climb[COLUMNS][NODES];
    lethe_theta thetas[VALUES];
} world;

/* --- by the definitions --- */

typedef struct rows {
    size_t n;
    size_t row[ROWS];
} rows;

static void count(const world *w, size_t column, const rows *r, uint64_t with[VALUES])
{
    memset(with, 0, VALUES * sizeof *with);
    for (size_t i = 0; i < r->n; i++)
        with[w->code[column][r->row[i]]]++;
}

static big power(big x, uint64_t n)
{
    big out = 1;
    while (n-- > 0)
        out *= x;
    return out;
}

/* n^n >= l^n prod with^with, which is entropy >= log l. */
static bool is_entropic(lethe_theta l, const uint64_t *with, uint64_t n)
{
    big left = power((big)n, n) * power((big)l.den, n), right = power((big)l.num, n);
    for (uint32_t v = 0; v < VALUES; v++)
        right *= power((big)with[v], with[v]);
    return left >= right;
}

static bool is_recursive(lethe_theta c, uint32_t l, const uint64_t *with)
{
    uint64_t r[VALUES], tail = 0;
    memcpy(r, with, sizeof r);
    for (uint32_t i = 0; i < VALUES; i++)
        for (uint32_t j = i + 1; j < VALUES; j++)
            if (r[j] > r[i]) {
                uint64_t x = r[i];
                r[i] = r[j];
                r[j] = x;
            }
    for (uint32_t i = l - 1; i < VALUES; i++)
        tail += r[i];
    return r[0] * c.den < c.num * tail;
}

/* The extra of a node, times n and N; adds what is matched at and below it, times the heights. */
static int64_t extra(const asked *a, uint32_t v, const int64_t *too_much, uint32_t *height,
                     int64_t *cost)
{
    int64_t plus = 0, minus = 0, own = 0;
    bool inner = false;
    *height = 0;
    for (uint32_t u = v + 1; u < a->n_nodes; u++) {
        uint32_t h;
        if (a->above[u] != v) continue;
        int64_t x = extra(a, u, too_much, &h, cost);
        *height = LETHE_MAX(*height, h + 1);
        inner = true;
        if (x > 0)
            plus += x;
        else
            minus -= x;
    }
    if (inner) {
        *cost += *height * LETHE_MIN(plus, minus);
        return plus - minus;
    }
    for (uint32_t s = 0; s < a->n; s++)
        if (a->leaf[s] == v) own += too_much[s];
    return own;
}

/* Is the distance between the group and the table at most t? */
static bool is_close(const world *w, size_t column, const uint64_t *with, uint64_t n)
{
    const asked *a = &w->ask[column];
    rows whole = {.n = w->h.table.n};
    uint64_t all[VALUES], rows_all = whole.n;
    int64_t too_much[VALUES] = {0}, sum = 0, scale = (int64_t)(n * rows_all);
    for (size_t i = 0; i < whole.n; i++)
        whole.row[i] = i;
    count(w, column, &whole, all);
    uint32_t m = 0;
    for (uint32_t s = 0; s < a->n; s++) {
        too_much[s] = (int64_t)(with[s] * rows_all) - (int64_t)(all[s] * n);
        m += all[s] > 0;
    }
    if (a->distance == LETHE_DISTANCE_EQUAL)
        for (uint32_t s = 0; s < a->n; s++)
            sum += too_much[s] > 0 ? too_much[s] : 0;
    if (a->distance == LETHE_DISTANCE_ORDERED) {
        for (uint32_t s = 0; s < a->n; s++) { // what must be moved past the number of s
            int64_t below = 0;
            for (uint32_t u = 0; u < a->n; u++)
                if (a->number[u] <= a->number[s]) below += too_much[u];
            if (all[s] > 0) sum += below < 0 ? -below : below;
        }
        scale *= m > 1 ? m - 1 : 1;
    }
    if (a->distance == LETHE_DISTANCE_HIERARCHICAL) {
        uint32_t height;
        extra(a, 0, too_much, &height, &sum);
        scale *= LETHE_MAX(height, 1);
    }
    return (uint64_t)sum * a->t.den <= a->t.num * (uint64_t)scale;
}

/* Does the column of these rows keep what is asked, but theta and distinct of an only column? */
static bool column_keeps(const world *w, size_t column, const rows *r)
{
    const asked *a = &w->ask[column];
    uint64_t with[VALUES], shown = 0;
    if (r->n == 0) return true;
    count(w, column, r, with);
    for (uint32_t s = 0; s < a->n; s++) {
        shown += with[s] > 0;
        if (with[s] * a->theta.den > a->theta.num * r->n) return false;
    }
    if (shown < a->distinct) return false;
    if (a->entropy.den && !is_entropic(a->entropy, with, r->n)) return false;
    if (a->l && !is_recursive(a->c, a->l, with)) return false;
    return !a->close || is_close(w, column, with, r->n);
}

/* The rows of the population that fall under the group's values. */
static uint64_t people_of(const world *w, const h_cut *c, size_t row)
{
    uint64_t n = 0;
    for (size_t p = 0; p < w->n_people; p++) {
        bool within = true;
        for (size_t q = 0; q < w->h.table.n_qi; q++)
            within = within &&
                     lethe_tree_covers(w->h.qi[q].tree, h_value(&w->h, c, q, row), w->people[q][p]);
        n += within;
    }
    return n;
}

static bool keeps(const world *w, const rows *r, uint64_t people)
{
    if (r->n == 0) return true;
    if (r->n < w->h.d.k || people < w->h.d.k_map) return false;
    for (size_t k = 0; k < w->n_columns; k++)
        if (!column_keeps(w, k, r)) return false;
    return true;
}

/* Least deletions for theta of the only column: a row of a violated value must go, one by one. */
static void delete_for_theta(const world *w, rows *r)
{
    const asked *a = &w->ask[0];
    for (bool again = true; again;) {
        uint64_t with[VALUES];
        again = false;
        count(w, 0, r, with);
        for (size_t i = 0; i < r->n && !again; i++) {
            if (with[w->code[0][r->row[i]]] * a->theta.den <= a->theta.num * r->n) continue;
            r->row[i] = r->row[--r->n];
            again = true;
        }
    }
}

static uint64_t class_cost(const world *w, const rows *all, const rows *left)
{
    uint64_t most = 0;
    for (uint32_t c = 0; c < H_CLASS; c++) { // rows of other classes go first, value by value
        uint64_t kept = 0;
        for (uint32_t s = 0; s < VALUES; s++) {
            uint64_t of = 0, stay = 0;
            for (size_t i = 0; i < all->n; i++)
                of += w->code[0][all->row[i]] == s && w->h.class_of[all->row[i]] == c;
            for (size_t i = 0; i < left->n; i++)
                stay += w->code[0][left->row[i]] == s;
            kept += LETHE_MIN(of, stay);
        }
        most = LETHE_MAX(most, kept);
    }
    return all->n - most;
}

static bool is_starring(lethe_group_suppress s)
{
    return s == LETHE_SUPPRESS_VIO_SA || s == LETHE_SUPPRESS_ALL_SA;
}

/* Stars: k-map is asked of rows, starred or not. */
static bool star_price(const world *w, const rows *all, uint64_t people, uint64_t weight,
                       uint64_t *cost)
{
    const lethe_group_demand *d = &w->h.d;
    const asked *a = &w->ask[0];
    uint64_t with[VALUES], shown = 0, different = 0, starred = 0;
    count(w, 0, all, with);
    for (uint32_t s = 0; s < a->n; s++) {
        bool over = with[s] * a->theta.den > a->theta.num * all->n;
        different += with[s] > 0;
        shown += with[s] > 0 && !over;
        starred += over ? with[s] : 0;
    }
    if (all->n < d->k || people < d->k_map) return false;
    if (d->suppress == LETHE_SUPPRESS_VIO_SA && shown > 0 && shown < a->distinct) return false;
    if (d->suppress == LETHE_SUPPRESS_ALL_SA)
        starred = starred > 0 || different < a->distinct ? all->n : 0;
    *cost += all->n * weight + starred * d->n_qi * d->scale;
    return true;
}

static bool price(const world *w, const h_cut *c, const rows *all, uint64_t *cost)
{
    rows left = *all;
    const lethe_group_demand *d = &w->h.d;
    uint64_t people = people_of(w, c, all->row[0]), weight = 0;
    for (size_t q = 0; q < w->h.table.n_qi; q++)
        weight += w->h.weight[q][h_value(&w->h, c, q, all->row[0])];
    if (is_starring(d->suppress)) return star_price(w, all, people, weight, cost);
    if (d->suppress == LETHE_SUPPRESS_VIO_REC && w->n_columns == 1) delete_for_theta(w, &left);
    if (!keeps(w, &left, people)) {
        if (d->suppress == LETHE_SUPPRESS_NONE) return false;
        left.n = 0;
    }
    uint64_t gone = all->n - left.n;
    if (d->cost == LETHE_COST_LM)
        *cost += left.n * weight + gone * 2 * d->n_qi * d->scale;
    else if (d->cost == LETHE_COST_DM)
        *cost += left.n * left.n + gone * w->h.table.n;
    else if (left.n == 0 || left.n == all->n || w->n_columns == 1)
        *cost += left.n == 0 ? all->n : class_cost(w, all, &left);
    else
        fail_msg("not defined");
    return true;
}

static void evaluate(const world *w, h_cut *c)
{
    bool done[ROWS] = {false};
    c->valid = true;
    c->cost = 0;
    for (size_t i = 0; i < w->h.table.n; i++) {
        rows r = {0};
        if (done[i]) continue;
        for (size_t j = i; j < w->h.table.n; j++) {
            if (!h_together(&w->h, c, i, j)) continue;
            done[j] = true;
            r.row[r.n++] = j;
        }
        c->valid = price(w, c, &r, &c->cost) && c->valid;
    }
}

/* --- drawing --- */

static lethe_tree *draw_tree(uint64_t *seed, uint32_t most)
{
    uint32_t n = 1 + (uint32_t)o_below(seed, most), parent[H_NODES] = {LETHE_NONE};
    for (uint32_t i = 1; i < n; i++)
        parent[i] = (uint32_t)o_below(seed, i);
    return h_tree(n, parent);
}

static uint32_t draw_leaf(uint64_t *seed, const lethe_tree *t)
{
    uint32_t v;
    do
        v = (uint32_t)o_below(seed, t->n);
    while (t->end[v] != v + 1);
    return v;
}

static const lethe_theta shares[] = {{0, 1}, {1, 10}, {1, 5}, {1, 4}, {1, 3}, {2, 5},
                                     {1, 2}, {2, 3},  {3, 4}, {1, 1}, {1, 1}};
static const lethe_theta logs[] = {{1, 1}, {11, 10}, {3, 2}, {19, 10}, {2, 1}, {5, 2}, {3, 1}};
static const lethe_theta factors[] = {{1, 2}, {1, 1}, {3, 2}, {2, 1}, {3, 1}, {10, 1}};
#define DRAW(seed, of) (of)[o_below((seed), LETHE_COUNT(of))]

static void draw_ask(uint64_t *seed, asked *a, bool may_close)
{
    unsigned kinds = (unsigned)(o_below(seed, 32) & (o_below(seed, 3) ? o_below(seed, 32) : 31));
    a->theta = kinds & 1 ? DRAW(seed, shares) : (lethe_theta){1, 1};
    a->distinct = kinds & 2 ? 1 + (uint32_t)o_below(seed, 3) : 1;
    if (kinds & 4) a->entropy = DRAW(seed, logs);
    if (kinds & 8) {
        a->c = DRAW(seed, factors);
        a->l = 1 + (uint32_t)o_below(seed, 3);
    }
    a->close = may_close && kinds & 16;
    a->t = DRAW(seed, shares);
    a->distance = (lethe_value_distance)o_below(seed, 3);
    for (uint32_t s = 0; s < VALUES; s++) // numbers in another order than the values
        a->number[s] = (s * 3 + 1 + a->n) % (VALUES + 1);
    a->n_nodes = 0; // a random tree whose leaves are the values
    a->above[a->n_nodes++] = LETHE_NONE;
    uint32_t inner = 1 + (uint32_t)o_below(seed, 3);
    for (; a->n_nodes < inner; a->n_nodes++)
        a->above[a->n_nodes] = (uint32_t)o_below(seed, a->n_nodes);
    for (uint32_t s = 0; s < a->n; s++) {
        a->leaf[s] = a->n_nodes;
        a->above[a->n_nodes++] = (uint32_t)o_below(seed, inner);
    }
}

static uint32_t height_of(const asked *a, uint32_t v, const bool *there)
{
    uint32_t height = 0;
    for (uint32_t u = v + 1; u < a->n_nodes; u++)
        if (a->above[u] == v && there[u]) height = LETHE_MAX(height, 1 + height_of(a, u, there));
    return height;
}

/* What a method is told of it. */
static void tell(world *w, size_t k)
{
    asked *a = &w->ask[k];
    lethe_group_closeness *c = &w->close[k];
    bool several = w->n_columns > 1;
    w->demand[k] = (lethe_group_column){.of = several ? w->h.t->part[k] : NULL,
                                        .n = a->n,
                                        .entropy = a->entropy,
                                        .c = a->c,
                                        .l = a->l,
                                        .close = a->close ? c : NULL};
    if (several) {
        w->demand[k].theta = a->theta;
        w->demand[k].distinct = a->distinct;
    }
    *c = (lethe_group_closeness){.t = a->t,
                                 .distance = a->distance,
                                 .rows = w->h.table.n,
                                 .place = w->place[k],
                                 .with = w->with[k]};
    if (a->distance == LETHE_DISTANCE_HIERARCHICAL) {
        bool there[NODES] = {true};
        c->n = a->n_nodes;
        c->parent = a->above;
        c->climb = w->climb[k];
        for (size_t i = 0; i < w->h.table.n; i++)
            for (uint32_t v = a->leaf[w->code[k][i]]; v != LETHE_NONE; v = a->above[v]) {
                w->with[k][v]++;
                there[v] = true;
            }
        c->height = height_of(a, 0, there);
        for (uint32_t v = 1; v < a->n_nodes; v++)
            w->climb[k][v] =
                there[v] ? height_of(a, a->above[v], there) - height_of(a, v, there) : 0;
        memcpy(w->place[k], a->leaf, sizeof a->leaf);
        return;
    }
    for (uint32_t s = 0; s < a->n; s++) {
        uint32_t at = 0;
        for (uint32_t u = 0; u < a->n; u++)
            at += a->number[u] < a->number[s];
        w->place[k][s] = a->distance == LETHE_DISTANCE_EQUAL ? s : at;
    }
    c->n = a->n;
    for (size_t i = 0; i < w->h.table.n; i++)
        w->with[k][w->place[k][w->code[k][i]]]++;
}

static const struct {
    lethe_group_suppress suppress;
    lethe_group_cost cost;
} pair[] = {
    {LETHE_SUPPRESS_VIO_SA, LETHE_COST_LM},  {LETHE_SUPPRESS_ALL_SA, LETHE_COST_LM},
    {LETHE_SUPPRESS_NONE, LETHE_COST_LM},    {LETHE_SUPPRESS_VIO_REC, LETHE_COST_LM},
    {LETHE_SUPPRESS_ALL_REC, LETHE_COST_LM}, {LETHE_SUPPRESS_NONE, LETHE_COST_DM},
    {LETHE_SUPPRESS_VIO_REC, LETHE_COST_DM}, {LETHE_SUPPRESS_ALL_REC, LETHE_COST_DM},
    {LETHE_SUPPRESS_NONE, LETHE_COST_CM},    {LETHE_SUPPRESS_VIO_REC, LETHE_COST_CM},
    {LETHE_SUPPRESS_ALL_REC, LETHE_COST_CM},
};

static void draw_trees(uint64_t *seed, h_world *h)
{
    static const uint32_t most[] = {0, 14, 7, 5};
    for (;;) {
        double cuts = 1;
        for (size_t q = 0; q < h->table.n_qi; q++) {
            lethe_tree_free(h->qi[q].tree);
            h->qi[q].tree = draw_tree(seed, most[h->table.n_qi]);
            double of = lethe_tuples_tree_cuts(h->qi[q].tree);
            cuts = of > CUTS_OF_TREE - 8 ? CUTS + 1 : cuts * of;
        }
        if (cuts <= CUTS) return;
    }
}

/* Every value of a column occurs, as in a table that is read. */
static void draw_column(uint64_t *seed, world *w, size_t k)
{
    bool skewed = o_below(seed, 2);
    uint32_t n = 0, number[VALUES];
    memset(number, 0xff, sizeof number);
    for (size_t i = 0; i < w->h.table.n; i++) {
        uint32_t s = (uint32_t)o_below(seed, w->ask[k].n);
        if (skewed && o_below(seed, 2)) s = 0;
        if (number[s] == LETHE_NONE) number[s] = n++;
        w->code[k][i] = number[s];
    }
    w->ask[k].n = n;
    w->column[k] = (lethe_column){.values = h_names(n), .code = w->code[k]};
}

static void draw_world(uint64_t *seed, world *w, size_t number)
{
    h_world *h = &w->h;
    memset(w, 0, sizeof *w);
    h->table.n_qi = 1 + o_below(seed, 3);
    draw_trees(seed, h);
    h->table.n = 1 + o_below(seed, ROWS);
    h->table.qi = h->qi;
    h->n_class = 1 + (uint32_t)o_below(seed, 3);
    for (size_t q = 0; q < h->table.n_qi; q++) {
        h->qi[q].leaf = h->leaf[q];
        for (size_t i = 0; i < h->table.n; i++)
            h->leaf[q][i] = draw_leaf(seed, h->qi[q].tree);
    }
    for (size_t i = 1; i < h->table.n; i++)
        for (size_t q = 0; q < h->table.n_qi && o_below(seed, 3) == 0; q++)
            h->leaf[q][i] = h->leaf[q][i - 1];
    for (size_t i = 0; i < h->table.n; i++)
        h->class_of[i] = (uint32_t)o_below(seed, h->n_class);
    lethe_group_suppress suppress = pair[number % LETHE_COUNT(pair)].suppress;
    w->n_columns = o_below(seed, 3) || is_starring(suppress) ? 1 : 2 + o_below(seed, 2);
    for (size_t k = 0; k < w->n_columns; k++) {
        w->ask[k].n = 1 + (uint32_t)o_below(seed, VALUES);
        draw_column(seed, w, k);
        draw_ask(seed, &w->ask[k], suppress == LETHE_SUPPRESS_NONE);
        if (is_starring(suppress)) { // not defined, nor is closeness
            w->ask[k].entropy = (lethe_theta){0};
            w->ask[k].l = 0;
        }
        if (w->n_columns > 1 && suppress == LETHE_SUPPRESS_VIO_REC)
            w->ask[k].theta = (lethe_theta){1, 1}; // not defined
    }
    h->class = (lethe_column){.values = h_names(h->n_class), .code = h->class_of};
    h->table.class = &h->class;
    h->table.sa = w->column;
    h->table.n_sa = w->n_columns;
    h->d = (lethe_group_demand){.suppress = suppress,
                                .cost = pair[number % LETHE_COUNT(pair)].cost,
                                .k = o_below(seed, 3) ? 1 : 1 + o_below(seed, 3),
                                .k_map = o_below(seed, 2) ? 0 : 1 + o_below(seed, 4),
                                .distinct = 1,
                                .n_class = h->n_class,
                                .rows = h->table.n,
                                .n_qi = (uint32_t)h->table.n_qi};
    if (h->d.k_map) w->n_people = o_below(seed, PEOPLE + 1);
    for (size_t p = 0; p < w->n_people; p++)
        for (size_t q = 0; q < h->table.n_qi; q++)
            w->people[q][p] = o_below(seed, 2) ? draw_leaf(seed, h->qi[q].tree)
                                               : h->leaf[q][o_below(seed, h->table.n)];
}

static void close_world(world *w)
{
    h_world *h = &w->h;
    const uint32_t *leaf[H_QI];
    for (size_t q = 0; q < h->table.n_qi; q++)
        leaf[q] = w->people[q];
    lethe_population p = {w->n_people, leaf};
    h->arena = lethe_arena_new();
    assert_int_equal(lethe_tuples_beside(pool[0], &h->table, h->d.k_map ? &p : NULL,
                                         h->d.cost == LETHE_COST_CM, &h->t),
                     LETHE_OK);
    assert_int_equal(lethe_tuples_weights(h->t, h->arena, &h->weight, &h->d.scale), LETHE_OK);
    for (size_t k = 0; k < w->n_columns; k++)
        tell(w, k);
    h->d.n_sa = h->t->n_sa;
    if (w->n_columns == 1) {
        for (uint32_t s = 0; s < VALUES; s++)
            w->thetas[s] = w->ask[0].theta;
        h->d.theta = w->thetas;
        h->d.distinct = w->ask[0].distinct;
    }
    h->d.column = w->demand;
    h->d.n_columns = is_starring(h->d.suppress) ? 0 : (uint32_t)w->n_columns;
}

static void drop(world *w)
{
    lethe_tuples_free(w->h.t);
    lethe_arena_free(w->h.arena);
    for (size_t q = 0; q < w->h.table.n_qi; q++)
        lethe_tree_free(w->h.qi[q].tree);
    for (size_t k = 0; k < w->n_columns; k++)
        lethe_dict_free(w->column[k].values);
    lethe_dict_free(w->h.class.values);
}

/* --- comparing --- */

/* All cuts, the cheapest first. */
static h_cut *all_cuts(const world *w, size_t *n)
{
    h_world plain = w->h; // whose own prices are not looked at
    plain.d.suppress = LETHE_SUPPRESS_NONE;
    plain.n_sa = 0;
    h_cut *all = h_all_cuts(&plain, CUTS_OF_TREE, n);
    for (size_t i = 0; i < *n; i++)
        evaluate(w, &all[i]);
    qsort(all, *n, sizeof *all, h_by_cost);
    return all;
}

static void expect_prices(const world *w, const h_cut *all, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t node[H_QI * H_NODES];
        size_t start[H_QI + 1] = {0}, used = 0;
        for (size_t q = 0; q < w->h.table.n_qi; q++) {
            for (uint32_t v = 0; v < w->h.qi[q].tree->n; v++)
                if (all[i].in[q][v]) node[used++] = v;
            start[q + 1] = used;
        }
        lethe_table_cut cut = {node, start};
        lethe_table_cut_price got;
        assert_int_equal(lethe_table_cut_evaluate(pool[0], w->h.t, &w->h.d,
                                                  (const uint64_t *const *)w->h.weight, &cut, &got),
                         LETHE_OK);
        if (got.valid != all[i].valid || (got.valid && got.cost != all[i].cost))
            fail_msg("seed %llu: a cut costs %d %llu, not %d %llu; scheme %d",
                     (unsigned long long)seed, got.valid, (unsigned long long)got.cost,
                     all[i].valid, (unsigned long long)all[i].cost, w->h.d.suppress);
    }
}

static void expect_search(world *w, const h_cut *all, size_t n, uint64_t seed)
{
    size_t valid = 0;
    while (valid < n && all[valid].valid)
        valid++;
    for (unsigned i = 0; i < 4; i++) {
        lethe_table_limits limits = {.top = i < 2 ? 1 : 3, .without_update = i == 3};
        lethe_table_found got;
        assert_int_equal(h_search(pool[i % 2], &w->h, &limits, &got), LETHE_OK);
        size_t want = LETHE_MIN(valid, limits.top);
        if (got.n != want || !got.optimal)
            fail_msg("seed %llu: %zu cuts, not %zu", (unsigned long long)seed, got.n, want);
        for (size_t k = 0; k < want; k++) {
            h_cut c = h_marks_of(&w->h, &got.cut[k]);
            if (got.cost[k] != all[k].cost || h_compare(&c, &all[k]) != 0)
                fail_msg("seed %llu: cut %zu costs %llu, the cheapest %llu; scheme %d, cost %d",
                         (unsigned long long)seed, k, (unsigned long long)got.cost[k],
                         (unsigned long long)all[k].cost, w->h.d.suppress, w->h.d.cost);
        }
    }
}

/* Level h of a leaf: the highest node above it from which no leaf is more than h down. */
static void level_cut(const lethe_tree *t, uint32_t h, uint8_t *in)
{
    for (uint32_t v = 0; v < t->n; v++) {
        uint32_t u = v;
        if (!lethe_tree_is_leaf(t, v)) continue;
        for (uint32_t p = t->parent[u]; p != LETHE_NONE; p = t->parent[p]) {
            uint32_t deepest = 0;
            for (uint32_t x = p; x < t->end[p]; x++)
                if (lethe_tree_is_leaf(t, x))
                    deepest = LETHE_MAX(deepest, t->level[x] - t->level[p]);
            if (deepest <= h) u = p;
        }
        in[u] = 1;
    }
}

static void expect_levels(world *w, uint64_t seed)
{
    uint32_t level[H_QI] = {0};
    size_t q, valid = 0;
    h_cut best = {0};
    do {
        h_cut c = {0};
        for (q = 0; q < w->h.table.n_qi; q++)
            level_cut(w->h.qi[q].tree, level[q], c.in[q]);
        evaluate(w, &c);
        if (c.valid && (valid == 0 || h_by_cost(&c, &best) < 0)) best = c;
        valid += c.valid;
        for (q = 0; q < w->h.table.n_qi && ++level[q] > w->h.qi[q].tree->height; q++)
            level[q] = 0;
    } while (q < w->h.table.n_qi);
    for (unsigned i = 0; i < 2; i++) {
        lethe_table_found got;
        assert_int_equal(lethe_full_domain(pool[i], w->h.t, &w->h.d,
                                           (const uint64_t *const *)w->h.weight,
                                           &(lethe_table_limits){.top = 1}, w->h.arena, &got),
                         LETHE_OK);
        if (!got.optimal || got.n != (valid > 0))
            fail_msg("seed %llu: levels, found or not", (unsigned long long)seed);
        if (valid == 0) continue;
        h_cut c = h_marks_of(&w->h, &got.cut[0]);
        if (got.cost[0] != best.cost || h_compare(&c, &best) != 0)
            fail_msg("seed %llu: levels cost %llu, not %llu", (unsigned long long)seed,
                     (unsigned long long)got.cost[0], (unsigned long long)best.cost);
    }
}

static void expect_annealed(world *w, const h_cut *all, uint64_t seed)
{
    lethe_anneal_schedule schedule = {.steps = 200, .t0 = 0.1, .cooling = 0.01};
    lethe_table_found got;
    lethe_secret *secret = NULL;
    assert_int_equal(lethe_secret_from_seed(seed, &secret), LETHE_OK);
    lethe_rng rng = lethe_rng_stream(secret, "anneal", 0);
    lethe_secret_free(secret);
    assert_int_equal(lethe_table_anneal(pool[0], w->h.t, &w->h.d,
                                        (const uint64_t *const *)w->h.weight, &schedule, &rng,
                                        &(lethe_table_limits){.top = 1}, w->h.arena, &got),
                     LETHE_OK);
    if (got.n == 0) return;
    h_cut c = h_marks_of(&w->h, &got.cut[0]);
    evaluate(w, &c);
    if (!c.valid || c.cost != got.cost[0] || c.cost < all[0].cost)
        fail_msg("seed %llu: annealing", (unsigned long long)seed);
}

static void the_cheapest_of_all_cuts_is_found(void **state)
{
    size_t found = 0, none = 0, general = 0;
    (void)state;
    for (size_t i = 0; i < TABLES; i++) {
        uint64_t first = 1 + i * 7919, seed = first;
        size_t n;
        world w;
        draw_world(&seed, &w, i);
        close_world(&w);
        h_cut *all = all_cuts(&w, &n);
        if (i % 4 == 0) expect_prices(&w, all, n, first);
        expect_search(&w, all, n, first);
        if (w.h.d.suppress == LETHE_SUPPRESS_NONE) expect_levels(&w, first);
        if (i % 8 == 0) expect_annealed(&w, all, first);
        found += all[0].valid;
        none += !all[0].valid;
        general += n > 1 && all[0].valid && !all[n - 1].valid;
        free(all);
        drop(&w);
    }
    assert_true(found > TABLES / 2 && none > TABLES / 20 && general > TABLES / 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_of_all_cuts_is_found),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
