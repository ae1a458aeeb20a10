/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - bounds by an inverted index over some nodes near the root, and a search in their
 * order. */
#include "method/cluster/clump/nearest.h"

/* Kept nodes: more make bounds tighter and their sums longer; bench/bench_clump.c. */
enum { KEPT = 16 };

/* A list each: one of the root's own rest, then for each kept node its count and its rest: the
 * items below it but below no kept child of it. */
enum { LISTS = 1 + 2 * KEPT };

struct lethe_clump_nearest {
    const lethe_tree *t;
    uint64_t scale;
    bool increase;
    uint8_t n_kept;
    uint8_t up[KEPT + 1];   /* of a kept node (from 1) its parent among them, 0: the root */
    uint32_t coef[LISTS];   /* what a common item in the list is worth */
    uint8_t *kept;          /* of each node of the tree, its number among the kept; 0: none */
    uint32_t n_groups, n;   /* room, and groups in it: slots 0 .. n - 1 */
    uint32_t *slot, *group; /* of a group, its slot or LETHE_NONE; of a slot, its group */
    uint64_t *base, *times, *mass; /* of a slot: a(S), |S| + 1, mass of M */
    uint32_t *list;                /* LISTS rows of n_groups: counts by slot */
    uint32_t *sum;                 /* by slot: the bound of the overlap, in a search */
    uint64_t *bound;               /* by slot: of the cost */
    uint32_t *heap;                /* slots that might win */
};

/* --- the kept nodes --- */

struct choice {
    uint64_t key; /* counts of all records times LM of the parent */
    uint32_t node;
};

static bool is_before(const struct choice *a, const struct choice *b)
{
    return a->key != b->key ? a->key > b->key : a->node < b->node;
}

/* The first KEPT nodes by what their items can give at most, which never grows from a parent to its
 * child; so with a node its parent is kept too. */
static void choose(lethe_clump_nearest *x, const uint64_t *total)
{
    struct choice best[KEPT + 1];
    uint8_t n = 0;
    for (uint32_t v = 1; v < x->t->n; v++) {
        struct choice c = {total[v] * lethe_tree_lm(x->t, x->t->parent[v]), v};
        if (c.key == 0) continue;
        uint8_t i = n;
        for (; i > 0 && is_before(&c, &best[i - 1]); i--)
            best[i] = best[i - 1];
        best[i] = c;
        if (n < KEPT) n++;
    }
    x->n_kept = n;
    for (uint8_t i = 0; i < n; i++)
        x->kept[best[i].node] = (uint8_t)(i + 1);
    x->coef[0] = lethe_tree_scale(x->t);
    for (uint8_t i = 0; i < n; i++) {
        x->up[i + 1] = x->kept[x->t->parent[best[i].node]];
        x->coef[1 + 2 * i] = lethe_ancestors_weight(x->t, best[i].node);
        x->coef[2 + 2 * i] = lethe_tree_lm(x->t, best[i].node);
    }
}

static size_t rest_of(uint8_t kept) { return 2 * (size_t)kept; }

/* What a bag has in each list. */
static void count_lists(const lethe_clump_nearest *x, const lethe_ancestors *a, uint32_t out[LISTS])
{
    memset(out, 0, LISTS * sizeof *out);
    out[0] = (uint32_t)a->size;
    for (size_t i = 0; i < a->n; i++) {
        uint8_t c = x->kept[a->at[i].node];
        if (c == 0) continue;
        out[rest_of(c) - 1] = a->at[i].count;
        out[rest_of(c)] += a->at[i].count;
        out[rest_of(x->up[c])] -= a->at[i].count;
    }
}

/* --- groups --- */

void lethe_clump_nearest_free(lethe_clump_nearest *x)
{
    if (!x) return;
    void *const all[] = {x->kept, x->slot, x->group, x->base, x->times, x->mass,
                         x->list, x->sum,  x->bound, x->heap, x};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
}

static bool take_room(lethe_clump_nearest *x)
{
    size_t n = x->n_groups;
    return (x->kept = lethe_alloc_zero(x->t->n, sizeof *x->kept)) &&
           (x->slot = lethe_alloc(n, sizeof *x->slot)) &&
           (x->group = lethe_alloc(n, sizeof *x->group)) &&
           (x->base = lethe_alloc(n, sizeof *x->base)) &&
           (x->times = lethe_alloc(n, sizeof *x->times)) &&
           (x->mass = lethe_alloc(n, sizeof *x->mass)) &&
           (x->list = lethe_alloc_zero(n, LISTS * sizeof *x->list)) &&
           (x->sum = lethe_alloc(n, sizeof *x->sum)) &&
           (x->bound = lethe_alloc(n, sizeof *x->bound)) &&
           (x->heap = lethe_alloc(n, sizeof *x->heap));
}

lethe_err lethe_clump_nearest_new(const lethe_tree *t, const lethe_ancestors *record,
                                  size_t n_records, uint32_t n_groups, bool increase,
                                  lethe_clump_nearest **out)
{
    lethe_clump_nearest *x = lethe_alloc_zero(1, sizeof *x);
    uint64_t *total = lethe_alloc_zero(t->n, sizeof *total);
    if (x) *x = (lethe_clump_nearest){.t = t, .increase = increase, .n_groups = n_groups};
    if (!x || !total || !take_room(x)) {
        lethe_clump_nearest_free(x);
        lethe_free(total);
        return LETHE_ENOMEM;
    }
    x->scale = lethe_tree_scale(t);
    for (size_t i = 0; i < n_records; i++)
        for (size_t k = 0; k < record[i].n; k++)
            total[record[i].at[k].node] += record[i].at[k].count;
    choose(x, total);
    lethe_free(total);
    for (uint32_t g = 0; g < n_groups; g++)
        x->slot[g] = LETHE_NONE;
    *out = x;
    return LETHE_OK;
}

uint32_t lethe_clump_nearest_count(const lethe_clump_nearest *x) { return x->n; }

void lethe_clump_nearest_put(lethe_clump_nearest *x, uint32_t group, uint64_t items, uint64_t n,
                             const lethe_ancestors *m)
{
    uint32_t counts[LISTS];
    assert(group < x->n_groups);
    if (x->slot[group] == LETHE_NONE) {
        x->group[x->n] = group;
        x->slot[group] = x->n++;
    }
    uint32_t s = x->slot[group];
    x->mass[s] = lethe_ancestors_mass(x->t, m);
    x->times[s] = n + 1;
    x->base[s] = x->increase ? n * x->mass[s] : items * x->scale;
    count_lists(x, m, counts);
    for (size_t l = 0; l < LISTS; l++)
        x->list[l * x->n_groups + s] = counts[l];
}

void lethe_clump_nearest_remove(lethe_clump_nearest *x, uint32_t group)
{
    uint32_t s = x->slot[group], last = x->n - 1;
    if (s == LETHE_NONE) return;
    x->slot[x->group[last]] = s;
    x->slot[group] = LETHE_NONE;
    x->group[s] = x->group[last];
    x->base[s] = x->base[last];
    x->times[s] = x->times[last];
    x->mass[s] = x->mass[last];
    for (size_t l = 0; l < LISTS; l++)
        x->list[l * x->n_groups + s] = x->list[l * x->n_groups + last];
    x->n = last;
}

/* --- searching --- */

static void add_list(uint32_t *restrict sum, const uint32_t *restrict list, uint32_t n,
                     uint32_t count, uint32_t coef)
{
    for (uint32_t s = 0; s < n; s++)
        sum[s] += (list[s] < count ? list[s] : count) * coef;
}

/* A bound of the overlap with each group.  At most |t| times the scale, so that it fits where that
 * does; a record so long that it does not goes without. */
static void sum_lists(lethe_clump_nearest *x, const lethe_ancestors *record)
{
    uint32_t counts[LISTS];
    if (record->size * x->scale > UINT32_MAX) {
        memset(x->sum, 0xff, x->n * sizeof *x->sum);
        return;
    }
    memset(x->sum, 0, x->n * sizeof *x->sum);
    count_lists(x, record, counts);
    for (size_t l = 0; l < LISTS; l++)
        if (counts[l] > 0 && x->coef[l] > 0)
            add_list(x->sum, x->list + l * x->n_groups, x->n, counts[l], x->coef[l]);
}

static void bound_costs(lethe_clump_nearest *x, const lethe_ancestors *record)
{
    uint64_t mass = lethe_ancestors_mass(x->t, record), own = record->size * x->scale;
    bool summed = own <= UINT32_MAX;
    sum_lists(x, record);
    for (uint32_t s = 0; s < x->n; s++) {
        uint64_t common = LETHE_MIN(mass, x->mass[s]), most = x->base[s] + own;
        if (summed && x->sum[s] < common) common = x->sum[s];
        uint64_t less = x->times[s] * common;
        x->bound[s] = less < most ? most - less : 0;
    }
}

/* Does slot a come before b: by bound, then by group? */
static bool is_sooner(const lethe_clump_nearest *x, uint32_t a, uint32_t b)
{
    if (x->bound[a] != x->bound[b]) return x->bound[a] < x->bound[b];
    return x->group[a] < x->group[b];
}

static void sift(const lethe_clump_nearest *x, uint32_t *heap, size_t i, size_t n)
{
    uint32_t s = heap[i];
    for (size_t c; (c = 2 * i + 1) < n; i = c) {
        if (c + 1 < n && is_sooner(x, heap[c + 1], heap[c])) c++;
        if (!is_sooner(x, heap[c], s)) break;
        heap[i] = heap[c];
    }
    heap[i] = s;
}

struct best {
    uint32_t group;
    uint64_t cost;
};

/* Can a group with that bound still win? */
static bool can_win(const struct best *b, uint64_t bound, uint32_t group)
{
    return b->group == LETHE_NONE || bound < b->cost || (bound == b->cost && group < b->group);
}

static lethe_err look_at(const lethe_clump_nearest_query *ask, uint32_t group, struct best *b,
                         uint64_t *n_looked_at)
{
    uint64_t cost;
    if (ask->may && !ask->may(ask->arg, group)) return LETHE_OK;
    LETHE_TRY(ask->cost(ask->arg, group, &cost));
    ++*n_looked_at;
    if (can_win(b, cost, group)) *b = (struct best){group, cost};
    return LETHE_OK;
}

lethe_err lethe_clump_nearest_find(lethe_clump_nearest *x, const lethe_ancestors *record,
                                   const lethe_clump_nearest_query *ask, uint32_t *group,
                                   uint64_t *n_looked_at)
{
    struct best b = {LETHE_NONE, 0};
    uint32_t first = 0;
    size_t n = 0;
    *group = LETHE_NONE;
    if (x->n == 0) return LETHE_OK;
    bound_costs(x, record);
    for (uint32_t s = 1; s < x->n; s++)
        if (is_sooner(x, s, first)) first = s;
    // the slot of the least bound comes first: few others can win then
    LETHE_TRY(look_at(ask, x->group[first], &b, n_looked_at));
    for (uint32_t s = 0; s < x->n; s++)
        if (s != first && can_win(&b, x->bound[s], x->group[s])) x->heap[n++] = s;
    for (size_t i = n / 2; i-- > 0;)
        sift(x, x->heap, i, n);
    while (n > 0 && can_win(&b, x->bound[x->heap[0]], x->group[x->heap[0]])) {
        LETHE_TRY(look_at(ask, x->group[x->heap[0]], &b, n_looked_at));
        x->heap[0] = x->heap[--n];
        if (n > 0) sift(x, x->heap, 0, n);
    }
    *group = b.group;
    return LETHE_OK;
}
