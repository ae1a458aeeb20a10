/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order of their origin: where they had to be brought together by something else first,
 * the input's order is restored, whatever the threads and the memory. */
#include "model/log/log_internal.h"
#include "io/sort/sorter.h"

typedef struct worker {
    lethe_buf record;
    uint8_t apart[64]; /* so that no two workers write in one cache line */
} worker;

struct lethe_by_origin {
    lethe_ctx *ctx;
    lethe_sorter *sorter; /* of the origin, eight bytes, and the packed row */
    worker *workers;
    unsigned n_workers;
    const lethe_row_visitor *visitor; /* during a walk */
};

lethe_err lethe_by_origin_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_by_origin **out)
{
    unsigned n = lethe_ctx_threads(ctx);
    lethe_by_origin *b = lethe_alloc(1, sizeof *b);
    worker *workers = lethe_alloc_zero(n, sizeof *workers);
    if (!b || !workers) {
        lethe_free_all(b, workers);
        return lethe_no_memory(ctx);
    }
    *b = (lethe_by_origin){.ctx = ctx, .workers = workers, .n_workers = n};
    lethe_err e = lethe_sorter_new(ctx, LETHE_ORDER_BYTES, cap_bytes, &b->sorter);
    if (e == LETHE_OK)
        *out = b;
    else
        lethe_by_origin_free(b);
    return e;
}

void lethe_by_origin_free(lethe_by_origin *b)
{
    if (!b) return;
    for (unsigned w = 0; w < b->n_workers; w++)
        lethe_buf_free(&b->workers[w].record);
    lethe_sorter_free(b->sorter);
    lethe_free_all(b->workers, b);
}

lethe_err lethe_by_origin_put(lethe_by_origin *b, unsigned w, uint64_t origin, lethe_str packed)
{
    lethe_buf *r = &b->workers[w].record;
    uint8_t head[8];
    lethe_be64_put(head, origin);
    r->n = 0;
    if (lethe_buf_put(r, head, 8) != LETHE_OK || lethe_buf_str(r, packed) != LETHE_OK)
        return lethe_no_memory(b->ctx);
    return lethe_sorter_put(b->sorter, w, r->at, r->n);
}

static lethe_err part_of_rows(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    const lethe_by_origin *b = arg;
    const lethe_row_visitor *v = b->visitor;
    lethe_str record;
    while (lethe_sorted_next(it, &record)) {
        lethe_row row;
        lethe_row_unpack((lethe_str){record.at + 8, record.n - 8}, LETHE_BY_USER, &row);
        LETHE_TRY(v->row(v->arg, w, &row));
    }
    LETHE_TRY(lethe_sorted_err(it));
    return v->end_of_block ? v->end_of_block(v->arg, w, part) : LETHE_OK;
}

lethe_err lethe_by_origin_walk(lethe_by_origin *b, const lethe_row_visitor *visitor)
{
    b->visitor = visitor;
    return lethe_sorter_each(b->sorter, part_of_rows, b);
}
