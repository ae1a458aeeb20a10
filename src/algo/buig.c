#include "algo/buig.h"
#include "algo/ancestors.h"

/* R_i of every node i that is above an item (the root apart), in preorder. */
struct table {
    const lethe_tree *t;
    lethe_ancestors rows;
    size_t m;
    uint32_t *r;      /* R_i[j] at i * m + j */
    uint32_t *copies; /* of each node in the result */
};

static size_t row_of(const struct table *h, uint32_t node)
{
    size_t lo = 0, hi = h->rows.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (h->rows.at[mid].node < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    assert(lo < h->rows.n && h->rows.at[lo].node == node);
    return lo;
}

/* The nodes that need to be looked at: R is 0 everywhere else. */
static lethe_err begin(struct table *h, const lethe_bag *bag, lethe_arena *a)
{
    size_t n = 0;
    for (size_t j = 0; j < h->m; j++)
        n += bag[j].n;
    uint32_t *all = lethe_new(a, uint32_t, n);
    if (!all) return LETHE_ENOMEM;
    n = 0;
    for (size_t j = 0; j < h->m; n += bag[j++].n)
        if (bag[j].n > 0) memcpy(all + n, bag[j].item, bag[j].n * sizeof *all);
    LETHE_TRY(lethe_ancestors_of(h->t, all, n, a, &h->rows));
    h->r = lethe_arena_get(a, h->rows.n, h->m * sizeof *h->r);
    h->copies = lethe_new(a, uint32_t, h->rows.n);
    return h->r && h->copies ? LETHE_OK : LETHE_ENOMEM;
}

/* Lines 2-6: how often each bag contains i itself. */
static void count_copies(struct table *h, const lethe_bag *bag)
{
    for (size_t j = 0; j < h->m; j++)
        for (size_t k = 0; k < bag[j].n; k++)
            if (bag[j].item[k] != 0) h->r[row_of(h, bag[j].item[k]) * h->m + j]++;
}

/* BUIG(i), lines 4-9: from the last node to the first, so that children come before parents.  How
 * many items are in the result then. */
static uint64_t generalize(struct table *h)
{
    uint64_t n = 0;
    for (size_t i = h->rows.n; i-- > 0;) {
        const uint32_t *r = h->r + i * h->m;
        uint32_t least = r[0], parent = h->t->parent[h->rows.at[i].node];
        for (size_t j = 1; j < h->m; j++)
            least = LETHE_MIN(least, r[j]);
        h->copies[i] = least;
        n += least;
        if (least > 0 || parent == 0) continue;
        uint32_t *up = h->r + row_of(h, parent) * h->m;
        for (size_t j = 0; j < h->m; j++)
            up[j] += r[j];
    }
    return n;
}

lethe_err lethe_buig(const lethe_tree *t, const lethe_bag *bag, size_t m, lethe_arena *a,
                     lethe_bag *out)
{
    struct table h = {.t = t, .m = m};
    assert(m > 0);
    LETHE_TRY(begin(&h, bag, a));
    count_copies(&h, bag);
    uint64_t n = generalize(&h);
    size_t shortest = bag[0].n, k;
    for (size_t j = 1; j < m; j++)
        shortest = LETHE_MIN(shortest, bag[j].n);
    assert(n <= shortest); // every copy stands for an item of its own in each bag
    uint32_t *item = lethe_new(a, uint32_t, shortest);
    if (!item) return LETHE_ENOMEM;
    k = shortest - (size_t)n; // lines 10-11: as many copies of the root, which is 0
    for (size_t i = 0; i < h.rows.n; i++)
        for (uint32_t c = h.copies[i]; c > 0; c--)
            item[k++] = h.rows.at[i].node;
    *out = (lethe_bag){item, shortest};
    return LETHE_OK;
}
