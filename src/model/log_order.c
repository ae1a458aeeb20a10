/* Are the lines of a published log in order of their bytes?  Inside a block its reader sees;
 * between blocks, which several workers read, the first and last line of each are held against each
 * other. */
#include "model/log_internal.h"
#include <stdlib.h>

bool lethe_order_line(lethe_order_seen *o, lethe_str line)
{
    bool in_order = !o->has_last || lethe_str_cmp(o->last, line) <= 0;
    if (!o->has_last) o->first = line;
    o->last = line;
    o->has_last = true;
    return in_order;
}

static lethe_err edges_room(lethe_order_seen *o)
{
    if (o->n < o->cap) return LETHE_OK;
    size_t cap = o->cap + o->cap / 4 + 16;
    lethe_edge *at = lethe_realloc(o->at, cap, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    o->at = at;
    o->cap = cap;
    return LETHE_OK;
}

lethe_err lethe_order_block(lethe_order_seen *o, uint64_t block)
{
    if (!o->has_last) return LETHE_OK; // the header alone
    LETHE_TRY(edges_room(o));
    LETHE_TRY(lethe_buf_reserve(&o->bytes, o->first.n + o->last.n));
    o->at[o->n++] = (lethe_edge){.block = block,
                                 .start = o->bytes.n,
                                 .n_first = o->first.n,
                                 .n_last = o->last.n,
                                 .bytes = &o->bytes};
    LETHE_TRY(lethe_buf_str(&o->bytes, o->first));
    LETHE_TRY(lethe_buf_str(&o->bytes, o->last));
    o->has_last = false;
    return LETHE_OK;
}

static int by_block(const void *a, const void *b)
{
    const lethe_edge *x = a, *y = b;
    return (x->block > y->block) - (x->block < y->block);
}

static lethe_str first_of(const lethe_edge *e)
{
    return (lethe_str){(const char *)e->bytes->at + e->start, e->n_first};
}

static lethe_str last_of(const lethe_edge *e)
{
    return (lethe_str){(const char *)e->bytes->at + e->start + e->n_first, e->n_last};
}

lethe_err lethe_order_between(const lethe_order_seen *const *seen, size_t n, bool *in_order)
{
    size_t n_all = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        n_all += seen[i]->n;
    lethe_edge *all = lethe_alloc(n_all, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < seen[i]->n; j++)
            all[k++] = seen[i]->at[j];
    qsort(all, n_all, sizeof *all, by_block);
    *in_order = true;
    for (size_t i = 1; i < n_all && *in_order; i++)
        *in_order = lethe_str_cmp(last_of(&all[i - 1]), first_of(&all[i])) <= 0;
    lethe_free(all);
    return LETHE_OK;
}

void lethe_order_clear(lethe_order_seen *o)
{
    o->n = o->bytes.n = 0;
    o->has_last = false;
}

void lethe_order_free(lethe_order_seen *o)
{
    lethe_free(o->at);
    lethe_buf_free(&o->bytes);
}
