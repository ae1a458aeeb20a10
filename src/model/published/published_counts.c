/* SPDX-License-Identifier: Apache-2.0 */
/* Reads counts.tsv as strictly as it is written.  Two lines with one item need not stand together,
 * so the items also go through the sorter. */
#include "model/published/published_counts.h"
#include "core/parse.h"
#include "io/sort/sorter.h"
#include "model/published/published_lines.h"
#include "text/normalize.h"
#include <stdatomic.h>

enum { LINE_BYTES_MAX = 1 << 20 }; /* a log has no longer line */

typedef struct counts_reader {
    lethe_published_lines lines;
    lethe_sorter *items;
    lethe_buf normal;
    lethe_buf before; /* the item of the line before */
    uint64_t count_before;
    atomic_bool twice; /* does an item stand in two lines? */
} counts_reader;

static lethe_err header_read(counts_reader *r)
{
    lethe_str line;
    if (!lethe_published_next(&r->lines, &line)) return r->lines.err;
    if (lethe_str_eq(line, (lethe_str){LETHE_COUNTS_HEADER, sizeof LETHE_COUNTS_HEADER - 2}))
        return LETHE_OK;
    return lethe_published_fault(&r->lines, 0, "not the header of counts");
}

/* A whole number as it is written: no sign, and no zero before it. */
static bool count_read(lethe_str text, uint64_t *count)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] < '0' || text.at[i] > '9') return false;
    return text.n > 0 && text.at[0] != '0' && lethe_parse_u64(text, count) && *count <= INT64_MAX;
}

static lethe_err item_check(counts_reader *r, lethe_str item)
{
    lethe_str normal;
    bool invalid;
    if (lethe_normalize(item, &r->normal, &normal, &invalid) != LETHE_OK)
        return lethe_no_memory(r->lines.ctx);
    if (item.n > 0 && !invalid && lethe_str_eq(item, normal)) return LETHE_OK;
    return lethe_published_fault(&r->lines, 1, "an item that is not in normal form");
}

static lethe_err order_check(counts_reader *r, lethe_str item, uint64_t count)
{
    lethe_str before = {(const char *)r->before.at, r->before.n};
    bool first = r->count_before == 0,
         in_order = first || count < r->count_before ||
                    (count == r->count_before && lethe_str_cmp(before, item) < 0);
    if (!in_order) return lethe_published_fault(&r->lines, 0, "line out of order");
    r->count_before = count;
    r->before.n = 0;
    return lethe_buf_str(&r->before, item) == LETHE_OK ? LETHE_OK : lethe_no_memory(r->lines.ctx);
}

static lethe_err line_read(counts_reader *r, lethe_str line, lethe_count_fn fn, void *arg)
{
    const char *tab = memchr(line.at, '\t', line.n);
    size_t n = tab ? (size_t)(tab - line.at) : line.n;
    lethe_str item = {line.at, n};
    uint64_t count = 0;
    if (!tab) return lethe_published_fault(&r->lines, 0, "no tab between item and count");
    if (!count_read((lethe_str){tab + 1, line.n - n - 1}, &count))
        return lethe_published_fault(&r->lines, n + 2, "not a count");
    LETHE_TRY(item_check(r, item));
    LETHE_TRY(order_check(r, item, count));
    LETHE_TRY(lethe_sorter_put(r->items, 0, item.at, item.n));
    return fn ? fn(arg, item, count) : LETHE_OK;
}

static lethe_err part_distinct(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    counts_reader *r = arg;
    lethe_str item, before = {NULL, 0};
    (void)part, (void)w;
    for (; lethe_sorted_next(it, &item); before = item)
        if (before.at && lethe_str_eq(before, item)) atomic_store(&r->twice, true);
    return lethe_sorted_err(it);
}

static lethe_err all_read(counts_reader *r, lethe_count_fn fn, void *arg)
{
    lethe_ctx *ctx = r->lines.ctx;
    lethe_str line;
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 4, &r->items));
    LETHE_TRY(header_read(r));
    while (lethe_published_next(&r->lines, &line))
        LETHE_TRY(line_read(r, line, fn, arg));
    LETHE_TRY(r->lines.err);
    if (r->count_before == 0) return lethe_published_fault(&r->lines, 0, "no item");
    LETHE_TRY(lethe_sorter_each(r->items, part_distinct, r));
    return atomic_load(&r->twice) ? lethe_published_fault(&r->lines, 0, "an item stands twice")
                                  : LETHE_OK;
}

static lethe_err read_and_close(counts_reader *r, lethe_err opened, lethe_count_fn fn, void *arg)
{
    lethe_err e = opened == LETHE_OK ? all_read(r, fn, arg) : opened;
    lethe_published_close(&r->lines);
    lethe_sorter_free(r->items);
    lethe_buf_free(&r->normal);
    lethe_buf_free(&r->before);
    return e;
}

lethe_err lethe_counts_published(lethe_ctx *ctx, int dirfd, lethe_count_fn fn, void *arg)
{
    counts_reader r = {.items = NULL};
    lethe_err e = lethe_published_open(&r.lines, ctx, dirfd, LETHE_COUNTS_NAME, LINE_BYTES_MAX);
    return read_and_close(&r, e, fn, arg);
}

lethe_err lethe_counts_memory(lethe_ctx *ctx, lethe_str bytes, lethe_count_fn fn, void *arg)
{
    counts_reader r = {.items = NULL};
    lethe_published_memory(&r.lines, ctx, bytes, LETHE_COUNTS_NAME, LINE_BYTES_MAX);
    return read_and_close(&r, LETHE_OK, fn, arg);
}
