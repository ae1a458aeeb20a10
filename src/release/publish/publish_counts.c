/* SPDX-License-Identifier: Apache-2.0 */
/* publish_counts.c - sorts items by their counts.
 *
 * A line waits in the sorter as a record of the same length, so that the place of each part in the
 * file is known before it is sorted: a byte that falls with the number of digits, the count's
 * digits, each taken from 9, and the item.  The order of its bytes is the order of the lines. */
#include "release/publish/publish_counts.h"
#include "core/mem.h"
#include "model/published/published_counts.h"
#include "release/publish/lines.h"
#include <stdio.h>

enum { DIGITS_MAX = 20 }; /* of 2^64 - 1 */

typedef struct worker {
    lethe_buf record;
    uint64_t rows;
    char apart[64]; /* workers do not share a cache line */
} worker;

struct lethe_counts_publisher {
    lethe_ctx *ctx;
    lethe_sorter *lines;
    lethe_recount *recount; /* NULL: counts are not exact */
    bool piped;
    unsigned n_workers;
    worker *workers;
};

lethe_err lethe_counts_publisher_new(lethe_ctx *ctx, lethe_counted unit, bool piped,
                                     uint64_t cap_bytes, void **out)
{
    lethe_counts_publisher *p = lethe_alloc_zero(1, sizeof *p);
    if (!p) return lethe_no_memory(ctx);
    p->ctx = ctx;
    p->piped = piped;
    p->n_workers = lethe_ctx_threads(ctx);
    p->workers = lethe_alloc_zero(p->n_workers, sizeof *p->workers);
    lethe_err e = p->workers ? lethe_sorter_new(ctx, LETHE_ORDER_BYTES, cap_bytes / 2, &p->lines)
                             : lethe_no_memory(ctx);
    if (e == LETHE_OK && unit != LETHE_N_COUNTED)
        e = lethe_recount_new(ctx, unit, cap_bytes / 2, &p->recount);
    if (e == LETHE_OK)
        *out = p;
    else
        lethe_counts_publisher_free(p);
    return e;
}

void lethe_counts_publisher_free(void *publisher)
{
    lethe_counts_publisher *p = publisher;
    if (!p) return;
    for (unsigned w = 0; p->workers && w < p->n_workers; w++)
        lethe_buf_free(&p->workers[w].record);
    lethe_free(p->workers);
    lethe_sorter_free(p->lines);
    lethe_recount_free(p->recount);
    lethe_free(p);
}

lethe_err lethe_counts_publisher_item(lethe_counts_publisher *p, unsigned w, lethe_str item,
                                      uint64_t count)
{
    lethe_buf *b = &p->workers[w].record;
    char head[1 + DIGITS_MAX + 1];
    int n = snprintf(head + 1, sizeof head - 1, "%llu", (unsigned long long)count);
    head[0] = (char)(DIGITS_MAX - n);
    for (int i = 1; i <= n; i++)
        head[i] = (char)('0' + ('9' - head[i]));
    b->n = 0;
    if (lethe_buf_put(b, head, (size_t)n + 1) != LETHE_OK || lethe_buf_str(b, item) != LETHE_OK)
        return lethe_no_memory(p->ctx);
    if (p->recount) LETHE_TRY(lethe_recount_item(p->recount, w, item, count));
    return lethe_sorter_put(p->lines, w, b->at, b->n);
}

lethe_err lethe_counts_publisher_row(lethe_counts_publisher *p, unsigned w, const lethe_row *row)
{
    p->workers[w].rows++;
    return p->recount ? lethe_recount_row(p->recount, w, row) : LETHE_OK;
}

uint64_t lethe_counts_publisher_rows(const lethe_counts_publisher *p)
{
    uint64_t n = 0;
    for (unsigned w = 0; w < p->n_workers; w++)
        n += p->workers[w].rows;
    return n;
}

uint64_t lethe_counts_publisher_items(const lethe_counts_publisher *p)
{
    return lethe_sorter_count(p->lines);
}

lethe_err lethe_counts_publisher_check(lethe_counts_publisher *p, bool *same)
{
    *same = true;
    return p->recount ? lethe_recount_check(p->recount, same) : LETHE_OK;
}

/* The line of a record, in its place. */
static void line_of(lethe_str record, char *line)
{
    size_t n_digits = (size_t)(DIGITS_MAX - record.at[0]), n_item = record.n - 1 - n_digits;
    memcpy(line, record.at + 1 + n_digits, n_item);
    line[n_item] = '\t';
    for (size_t i = 0; i < n_digits; i++)
        line[n_item + 1 + i] = (char)('0' + ('9' - record.at[1 + i]));
}

lethe_err lethe_counts_publisher_data(void *publisher, lethe_sink *to)
{
    lethe_counts_publisher *p = publisher;
    const lethe_str head = LETHE_LIT(LETHE_COUNTS_HEADER);
    return p->piped ? lethe_formed_lines_print(p->ctx, p->lines, head, line_of, to)
                    : lethe_formed_lines_write(p->ctx, p->lines, head, line_of, to);
}
