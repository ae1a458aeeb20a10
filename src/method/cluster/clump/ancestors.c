/* SPDX-License-Identifier: Apache-2.0 */
/* ancestors.c - sparse counts over a taxonomy: made from bags, compared, intersected and turned
 * back into bags. */
#include "method/cluster/clump/ancestors.h"
#include "core/sort.h"

/* --- counts of a bag --- */

/* How many nodes at or above `item` are not above the item before it in preorder: these are new.
 * `before` is the root for the first. */
static uint32_t new_nodes(const lethe_tree *t, uint32_t before, uint32_t item)
{
    if (item == before) return 0;
    return t->level[item] - t->level[lethe_tree_lca(t, before, item)];
}

/* The number of entries of sorted items. */
static size_t count_entries(const lethe_tree *t, const uint32_t *item, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += new_nodes(t, i > 0 ? item[i - 1] : 0, item[i]);
    return sum;
}

/* Sorted items are in preorder, so those of a subtree are a run: the new nodes above an item get
 * their entries from the item upwards, each with the length of the run that begins here. */
static void fill_entries(const lethe_tree *t, const uint32_t *item, size_t n,
                         lethe_ancestors_entry *at)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t d = new_nodes(t, i > 0 ? item[i - 1] : 0, item[i]), v = item[i];
        size_t end = i;
        for (uint32_t k = d; k-- > 0; v = t->parent[v]) {
            end += lethe_gallop(item + end, n - end, t->end[v]);
            at[k] = (lethe_ancestors_entry){v, (uint32_t)(end - i)};
        }
        at += d;
    }
}

lethe_err lethe_ancestors_of(const lethe_tree *t, const uint32_t *item, size_t n, lethe_arena *a,
                             lethe_ancestors *out)
{
    assert(n < UINT32_MAX);
    uint32_t *sorted = lethe_alloc(n, sizeof *sorted);
    if (!sorted) return LETHE_ENOMEM;
    if (n > 0) memcpy(sorted, item, n * sizeof *sorted);
    lethe_sort_u32(sorted, n);
    size_t n_entries = count_entries(t, sorted, n);
    lethe_ancestors_entry *at = lethe_new(a, lethe_ancestors_entry, n_entries);
    if (at) {
        fill_entries(t, sorted, n, at);
        *out = (lethe_ancestors){at, n_entries, n};
    }
    lethe_free(sorted);
    return at ? LETHE_OK : LETHE_ENOMEM;
}

/* --- of all records --- */

enum { BLOCK = 256 }; /* records a worker takes at once */

struct all {
    const lethe_tree *t;
    const lethe_records *r;
    uint32_t *sorted;          /* the items of each record */
    lethe_ancestors_entry *at; /* entries of all records, end to end */
    lethe_ancestors *out;
};

static lethe_err count_block(void *arg, size_t block, unsigned w)
{
    struct all *h = arg;
    (void)w;
    for (size_t i = block * BLOCK; i < LETHE_MIN(h->r->n, (block + 1) * BLOCK); i++) {
        size_t n = (size_t)lethe_record_size(h->r, i);
        uint32_t *item = h->sorted + h->r->start[i];
        assert(n < UINT32_MAX);
        if (n > 0) memcpy(item, h->r->item + h->r->start[i], n * sizeof *item);
        lethe_sort_u32(item, n);
        h->out[i] = (lethe_ancestors){NULL, count_entries(h->t, item, n), n};
    }
    return LETHE_OK;
}

static lethe_err fill_block(void *arg, size_t block, unsigned w)
{
    struct all *h = arg;
    (void)w;
    for (size_t i = block * BLOCK; i < LETHE_MIN(h->r->n, (block + 1) * BLOCK); i++) {
        lethe_ancestors_entry *at = h->at + (h->out[i].at - h->at);
        fill_entries(h->t, h->sorted + h->r->start[i], (size_t)h->out[i].size, at);
    }
    return LETHE_OK;
}

lethe_err lethe_ancestors_all(lethe_ctx *ctx, const lethe_tree *t, const lethe_records *r,
                              lethe_arena *a, lethe_ancestors **out)
{
    struct all h = {.t = t, .r = r};
    size_t n_blocks = (r->n + BLOCK - 1) / BLOCK, sum = 0;
    h.sorted = lethe_alloc((size_t)r->start[r->n], sizeof *h.sorted);
    h.out = h.sorted ? lethe_new(a, lethe_ancestors, r->n) : NULL;
    lethe_err err = h.out ? LETHE_OK : lethe_no_memory(ctx);
    if (err == LETHE_OK) err = lethe_pool_for(ctx, n_blocks, count_block, &h);
    for (size_t i = 0; err == LETHE_OK && i < r->n; i++)
        sum += h.out[i].n;
    if (err == LETHE_OK && !(h.at = lethe_new(a, lethe_ancestors_entry, sum)))
        err = lethe_no_memory(ctx);
    sum = 0;
    for (size_t i = 0; err == LETHE_OK && i < r->n; i++) {
        h.out[i].at = h.at + sum;
        sum += h.out[i].n;
    }
    if (err == LETHE_OK) err = lethe_pool_for(ctx, n_blocks, fill_block, &h);
    lethe_free(h.sorted);
    if (err == LETHE_OK) *out = h.out;
    return err;
}

/* --- what two bags have in common --- */

size_t lethe_ancestors_seek(const lethe_ancestors_entry *at, size_t n, uint32_t node)
{
    size_t step = 1, lo = 0, hi;
    while (step <= n && at[step - 1].node < node) {
        lo = step;
        step *= 2;
    }
    hi = step <= n ? step - 1 : n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (at[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint64_t lethe_ancestors_overlap(const lethe_tree *t, const lethe_ancestors *a,
                                 const lethe_ancestors *b)
{
    const lethe_ancestors *few = a->n <= b->n ? a : b, *many = a->n <= b->n ? b : a;
    size_t k = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < few->n && k < many->n; i++) {
        lethe_ancestors_entry e = few->at[i];
        k += lethe_ancestors_seek(many->at + k, many->n - k, e.node);
        if (k < many->n && many->at[k].node == e.node)
            sum +=
                (uint64_t)LETHE_MIN(e.count, many->at[k].count) * lethe_ancestors_weight(t, e.node);
    }
    return sum;
}

uint64_t lethe_ancestors_mass(const lethe_tree *t, const lethe_ancestors *a)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < a->n; i++)
        sum += (uint64_t)a->at[i].count * lethe_ancestors_weight(t, a->at[i].node);
    return sum;
}

struct lethe_ancestors_dense {
    const lethe_tree *t;
    lethe_ancestors bag;
    struct cell {
        uint32_t count, weight;
    } at[];
};

lethe_ancestors_dense *lethe_ancestors_dense_new(const lethe_tree *t)
{
    // bytes, so that the one head and the many cells are one thing; 2^32 cells fit in a size_t
    lethe_ancestors_dense *l = lethe_alloc_zero(1, sizeof *l + (size_t)t->n * sizeof(struct cell));
    if (!l) return NULL;
    l->t = t;
    for (uint32_t v = 1; v < t->n; v++)
        l->at[v].weight = lethe_ancestors_weight(t, v);
    return l;
}

void lethe_ancestors_dense_free(lethe_ancestors_dense *l) { lethe_free(l); }

void lethe_ancestors_dense_set(lethe_ancestors_dense *l, const lethe_ancestors *a)
{
    for (size_t i = 0; i < l->bag.n; i++)
        l->at[l->bag.at[i].node].count = 0;
    l->bag = a ? *a : (lethe_ancestors){0};
    for (size_t i = 0; i < l->bag.n; i++)
        l->at[l->bag.at[i].node].count = l->bag.at[i].count;
}

uint64_t lethe_ancestors_dense_overlap(const lethe_ancestors_dense *l, const lethe_ancestors *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct cell *c = &l->at[b->at[i].node];
        sum += (uint64_t)LETHE_MIN(c->count, b->at[i].count) * c->weight;
    }
    return sum;
}

/* --- counts that change --- */

lethe_err lethe_ancestors_min_set(lethe_ancestors_min *m, const lethe_ancestors *a)
{
    if (m->room < a->n) {
        lethe_ancestors_entry *at = lethe_realloc(m->at, a->n, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        m->at = at;
        m->room = a->n;
    }
    if (a->n > 0) memcpy(m->at, a->at, a->n * sizeof *m->at);
    m->n = a->n;
    m->size = a->size;
    return LETHE_OK;
}

void lethe_ancestors_min_meet(lethe_ancestors_min *m, const lethe_ancestors *a)
{
    size_t i = 0, k = 0, n = 0;
    while (i < m->n && k < a->n) {
        lethe_ancestors_entry p = m->at[i], q = a->at[k];
        if (p.node == q.node)
            m->at[n++] = (lethe_ancestors_entry){p.node, LETHE_MIN(p.count, q.count)};
        i += p.node <= q.node;
        k += q.node <= p.node;
    }
    m->n = n;
    m->size = LETHE_MIN(m->size, a->size);
}

void lethe_ancestors_min_free(lethe_ancestors_min *m)
{
    lethe_free(m->at);
    *m = (lethe_ancestors_min){0};
}

/* --- the bag that has given counts --- */

/* The first entry after i that is not below at[i].node. */
static size_t skip_subtree(const lethe_tree *t, const lethe_ancestors *m, size_t i)
{
    uint32_t end = t->end[m->at[i].node];
    return i + 1 + lethe_ancestors_seek(m->at + i + 1, m->n - i - 1, end);
}

/* Of `count` items at or below a node whose entries are at[i..end-1], those that are at it. */
static uint64_t at_node(const lethe_tree *t, const lethe_ancestors *m, uint64_t count, size_t i,
                        size_t end)
{
    for (; i < end; i = skip_subtree(t, m, i)) {
        assert(m->at[i].count <= count); // least counts: a parent has at least its children's sum
        count -= m->at[i].count;
    }
    return count;
}

lethe_err lethe_ancestors_items(const lethe_tree *t, const lethe_ancestors *m, lethe_arena *a,
                                uint32_t **item, size_t *n)
{
    uint32_t *out = lethe_new(a, uint32_t, (size_t)m->size);
    size_t n_out = (size_t)at_node(t, m, m->size, 0, m->n); // copies of the root, which is 0
    if (!out) return LETHE_ENOMEM;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t copies = at_node(t, m, m->at[i].count, i + 1, skip_subtree(t, m, i));
        for (; copies > 0; copies--)
            out[n_out++] = m->at[i].node;
    }
    assert(n_out == m->size);
    *item = out;
    *n = n_out;
    return LETHE_OK;
}

/* --- persons --- */

uint64_t lethe_clump_most_groups(const uint64_t *records_of, size_t n_owners, uint64_t k)
{
    uint64_t lo = 0, hi = 0; // n = lo is possible, n > hi is not
    assert(k > 0);
    for (size_t i = 0; i < n_owners; i++)
        hi += records_of[i];
    hi /= k;
    // the sum of min(records, n) is concave in n, n k is a line, both are 0 at 0: the possible n
    // are 1 .. some n.  A person is in a group once, and so in n groups at most.
    while (lo < hi) {
        uint64_t mid = hi - (hi - lo) / 2, sum = 0;
        for (size_t i = 0; i < n_owners; i++)
            sum += LETHE_MIN(records_of[i], mid);
        if (sum / k >= mid)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}
