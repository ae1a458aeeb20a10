/* SPDX-License-Identifier: Apache-2.0 */
/* recount.c - the counts that a method gives and the rows behind them meet in the external sort,
 * item by item. */
#include "check/recount.h"
#include "io/sort/sorter.h"
#include <stdatomic.h>

struct lethe_recount {
    lethe_ctx *ctx;
    lethe_counted unit;
    lethe_sorter *sorter; /* item NUL 'c' count(8), or item NUL 'r' and what tells rows apart */
    lethe_buf *scratch;   /* one a worker */
    unsigned n_workers;
    atomic_bool differs;
};

lethe_err lethe_recount_new(lethe_ctx *ctx, lethe_counted unit, uint64_t cap_bytes,
                            lethe_recount **out)
{
    lethe_recount *r = lethe_alloc_zero(1, sizeof *r);
    if (!r) return lethe_no_memory(ctx);
    r->ctx = ctx;
    r->unit = unit;
    r->n_workers = lethe_ctx_threads(ctx);
    r->scratch = lethe_alloc_zero(r->n_workers, sizeof *r->scratch);
    lethe_err e = r->scratch ? lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes, &r->sorter)
                             : lethe_no_memory(ctx);
    if (e != LETHE_OK) {
        lethe_recount_free(r);
        return e;
    }
    *out = r;
    return LETHE_OK;
}

void lethe_recount_free(lethe_recount *r)
{
    if (!r) return;
    for (unsigned w = 0; r->scratch && w < r->n_workers; w++)
        lethe_buf_free(&r->scratch[w]);
    lethe_free(r->scratch);
    lethe_sorter_free(r->sorter);
    lethe_free(r);
}

static lethe_err number_put(lethe_buf *b, uint64_t number)
{
    uint8_t bytes[8];
    lethe_be64_put(bytes, number);
    return lethe_buf_put(b, bytes, sizeof bytes);
}

/* item NUL mark, into `b`. */
static lethe_err head_put(lethe_buf *b, lethe_str item, char mark)
{
    const char behind[] = {'\0', mark};
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, item));
    return lethe_buf_put(b, behind, sizeof behind);
}

/* What makes a row one more of what is counted. */
static lethe_err row_put(const lethe_recount *r, const lethe_row *row, lethe_buf *b)
{
    LETHE_TRY(head_put(b, row->query, 'r'));
    if (r->unit == LETHE_COUNTED_ROWS) return number_put(b, row->origin);
    LETHE_TRY(lethe_buf_str(b, row->owner));
    if (r->unit == LETHE_COUNTED_USERS) return LETHE_OK;
    LETHE_TRY(lethe_buf_put(b, "", 1));
    LETHE_TRY(lethe_buf_str(b, row->user));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    return number_put(b, (uint64_t)row->time);
}

lethe_err lethe_recount_row(lethe_recount *r, unsigned w, const lethe_row *row)
{
    lethe_buf *b = &r->scratch[w];
    if (row_put(r, row, b) != LETHE_OK) return lethe_no_memory(r->ctx);
    return lethe_sorter_put(r->sorter, w, b->at, b->n);
}

lethe_err lethe_recount_item(lethe_recount *r, unsigned w, lethe_str item, uint64_t count)
{
    lethe_buf *b = &r->scratch[w];
    if (head_put(b, item, 'c') != LETHE_OK || number_put(b, count) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    return lethe_sorter_put(r->sorter, w, b->at, b->n);
}

/* One item, as its records come: first what is said of it, then its rows. */
struct item_count {
    uint64_t said, n_said, counted;
};

static void item_end(lethe_recount *r, const struct item_count *c)
{
    if (c->n_said != 1 || c->said != c->counted) atomic_store(&r->differs, true);
}

static lethe_err part_check(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    lethe_recount *r = arg;
    lethe_str record, before = {NULL, 0};
    size_t n_before = 0; // bytes of its item
    struct item_count c = {0};
    (void)part, (void)w;
    for (; lethe_sorted_next(it, &record); before = record) {
        size_t n = strnlen(record.at, record.n);
        bool same_item = before.at && n == n_before && memcmp(before.at, record.at, n) == 0;
        if (!same_item) {
            if (before.at) item_end(r, &c);
            c = (struct item_count){0};
        }
        n_before = n;
        if (record.at[n + 1] == 'c') {
            c.said = lethe_be64_get((const uint8_t *)record.at + n + 2);
            c.n_said++;
        } else {
            c.counted += !same_item || !lethe_str_eq(before, record);
        }
    }
    if (before.at) item_end(r, &c);
    return lethe_sorted_err(it);
}

lethe_err lethe_recount_check(lethe_recount *r, bool *same)
{
    LETHE_TRY(lethe_sorter_each(r->sorter, part_check, r));
    *same = !atomic_load(&r->differs);
    return LETHE_OK;
}
