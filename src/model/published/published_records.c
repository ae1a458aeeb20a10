/* SPDX-License-Identifier: Apache-2.0 */
/* Reads data.txt: checks its order, and keeps equal records once. */
#include "model/published/published_records.h"
#include "model/records/records.h"

lethe_err lethe_record_lines_open(lethe_record_lines *l, lethe_ctx *ctx, int dirfd)
{
    *l = (lethe_record_lines){.same = false};
    return lethe_published_open(&l->lines, ctx, dirfd, LETHE_RECORDS_NAME, LETHE_RECORD_MAX);
}

void lethe_record_lines_memory(lethe_record_lines *l, lethe_ctx *ctx, lethe_str bytes)
{
    *l = (lethe_record_lines){.same = false};
    lethe_published_memory(&l->lines, ctx, bytes, LETHE_RECORDS_NAME, LETHE_RECORD_MAX);
}

void lethe_record_lines_close(lethe_record_lines *l)
{
    lethe_published_close(&l->lines);
    lethe_buf_free(&l->before);
}

/* Items are not empty and do not fall. */
static lethe_err items_check(lethe_record_lines *l, lethe_str record)
{
    const char *from = record.at;
    const char *tab = record.n ? memchr(record.at, '\t', record.n) : NULL;
    lethe_str item, last = {NULL, 0};
    if (tab) return lethe_published_fault(&l->lines, (size_t)(tab - from) + 1, "a tab");
    // the last space would be taken with the item before it
    if (record.n && record.at[record.n - 1] == ' ')
        return lethe_published_fault(&l->lines, record.n, "an empty item");
    while (lethe_record_item(&record, &item)) {
        size_t column = (size_t)(item.at - from) + 1;
        if (item.n == 0) return lethe_published_fault(&l->lines, column, "an empty item");
        if (lethe_str_cmp(last, item) > 0)
            return lethe_published_fault(&l->lines, column, "an item out of order");
        last = item;
    }
    return LETHE_OK;
}

bool lethe_record_lines_next(lethe_record_lines *l, lethe_str *record)
{
    bool is_first = l->lines.number == 0;
    if (!lethe_published_next(&l->lines, record)) return false;
    int order = lethe_str_cmp((lethe_str){(const char *)l->before.at, l->before.n}, *record);
    l->same = !is_first && order == 0;
    if (l->same) return true;
    if (!is_first && order > 0) {
        l->lines.err = lethe_published_fault(&l->lines, 0, "a record out of order");
        return false;
    }
    if (items_check(l, *record) != LETHE_OK) return false;
    l->before.n = 0;
    if (lethe_buf_str(&l->before, *record) == LETHE_OK) return true;
    l->lines.err = lethe_no_memory(l->lines.ctx);
    return false;
}

struct collector {
    lethe_published_records *to;
    lethe_u64s first, start;
    lethe_u32s item;
};

static lethe_err records_take(struct collector *c, lethe_record_lines *l)
{
    lethe_str record;
    lethe_published_records *to = c->to;
    for (; lethe_record_lines_next(l, &record); to->n_records++) {
        if (!l->same) {
            uint64_t line = to->n_records;
            lethe_arena *a = c->to->arena;
            lethe_str item;
            uint32_t id;
            LETHE_TRY(lethe_u64s_append(a, &c->first, &line, 1));
            uint64_t start = c->item.n;
            LETHE_TRY(lethe_u64s_append(a, &c->start, &start, 1));
            while (lethe_record_item(&record, &item)) {
                LETHE_TRY(lethe_dict_add(c->to->items, item, &id));
                LETHE_TRY(lethe_u32s_append(a, &c->item, &id, 1));
            }
            c->to->n++;
        }
    }
    LETHE_TRY(lethe_record_lines_err(l));
    LETHE_TRY(lethe_u64s_append(to->arena, &c->first, &to->n_records, 1));
    uint64_t end = c->item.n;
    LETHE_TRY(lethe_u64s_append(to->arena, &c->start, &end, 1));
    to->first = c->first.at;
    to->start = c->start.at;
    to->item = c->item.at;
    return LETHE_OK;
}

/* Takes the open lines over. */
static lethe_err collect(lethe_ctx *ctx, lethe_record_lines *l, lethe_published_records **out)
{
    lethe_arena *a = lethe_arena_new();
    struct collector c = {.to = a ? lethe_new(a, lethe_published_records, 1) : NULL};
    lethe_err e = LETHE_ENOMEM;
    if (c.to) {
        c.to->arena = a;
        c.to->items = lethe_dict_new();
        if (c.to->items) e = records_take(&c, l);
    }
    if (e == LETHE_ENOMEM && lethe_record_lines_err(l) == LETHE_OK)
        e = lethe_no_memory(ctx); // else the lines have said so
    lethe_record_lines_close(l);
    if (e == LETHE_OK)
        *out = c.to;
    else if (c.to)
        lethe_published_records_free(c.to);
    else
        lethe_arena_free(a);
    return e;
}

lethe_err lethe_published_records_read(lethe_ctx *ctx, int dirfd, lethe_published_records **out)
{
    lethe_record_lines l;
    lethe_err e = lethe_record_lines_open(&l, ctx, dirfd);
    if (e == LETHE_OK) return collect(ctx, &l, out);
    lethe_record_lines_close(&l);
    return e;
}

lethe_err lethe_published_records_memory(lethe_ctx *ctx, lethe_str bytes,
                                         lethe_published_records **out)
{
    lethe_record_lines l;
    lethe_record_lines_memory(&l, ctx, bytes);
    return collect(ctx, &l, out);
}

void lethe_published_records_free(lethe_published_records *r)
{
    if (!r) return;
    lethe_dict_free(r->items);
    lethe_arena_free(r->arena);
}

size_t lethe_published_record_of(const lethe_published_records *r, uint64_t line)
{
    assert(line < r->n_records);
    size_t low = 0, high = r->n; // first[low] <= line < first[high]
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->first[middle] <= line)
            low = middle;
        else
            high = middle;
    }
    return low;
}
