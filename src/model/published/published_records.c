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

/* How many bytes from the start two texts have in common. */
static size_t shared_bytes(lethe_str a, lethe_str b)
{
    size_t n = LETHE_MIN(a.n, b.n), i = 0;
    for (uint64_t x, y; i + sizeof x <= n; i += sizeof x) {
        memcpy(&x, a.at + i, sizeof x);
        memcpy(&y, b.at + i, sizeof y);
        if (x != y) break;
    }
    while (i < n && a.at[i] == b.at[i])
        i++;
    return i;
}

/* As lethe_str_cmp, of texts that have so many bytes in common. */
static int order_after(lethe_str a, lethe_str b, size_t shared)
{
    if (shared < a.n && shared < b.n)
        return (unsigned char)a.at[shared] < (unsigned char)b.at[shared] ? -1 : 1;
    return (a.n > b.n) - (a.n < b.n);
}

/* Where the item begins that byte `at` of a record is in, or comes right after. */
static size_t item_begin(lethe_str record, size_t at)
{
    while (at > 0 && record.at[at - 1] != ' ')
        at--;
    return at;
}

/* Items are not empty and do not fall.  Those that the record shares with the one before, each with
 * the space after it, were looked at there. */
static lethe_err items_check(lethe_record_lines *l, lethe_str record)
{
    const char *from = record.at;
    size_t known = item_begin(record, l->shared);
    lethe_str item, last = {NULL, 0}, rest = {from + known, record.n - known};
    const char *tab = rest.n ? memchr(rest.at, '\t', rest.n) : NULL;
    if (tab) return lethe_published_fault(&l->lines, (size_t)(tab - from) + 1, "a tab");
    // the last space would be taken with the item before it
    if (record.n && record.at[record.n - 1] == ' ')
        return lethe_published_fault(&l->lines, record.n, "an empty item");
    if (known > 0) {
        size_t begin = item_begin(record, known - 1);
        last = (lethe_str){from + begin, known - 1 - begin};
    }
    while (lethe_record_item(&rest, &item)) {
        size_t column = (size_t)(item.at - from) + 1;
        if (item.n == 0) return lethe_published_fault(&l->lines, column, "an empty item");
        if (lethe_str_cmp(last, item) > 0)
            return lethe_published_fault(&l->lines, column, "an item out of order");
        last = item;
    }
    return LETHE_OK;
}

/* What comes after `shared` becomes what is remembered of the line. */
static lethe_err line_keep(lethe_record_lines *l, lethe_str record)
{
    lethe_str rest = {record.at + l->shared, record.n - l->shared};
    l->before.n = l->shared;
    return lethe_buf_str(&l->before, rest) == LETHE_OK ? LETHE_OK : lethe_no_memory(l->lines.ctx);
}

bool lethe_record_lines_next(lethe_record_lines *l, lethe_str *record)
{
    bool is_first = l->lines.number == 0;
    if (!lethe_published_next(&l->lines, record)) return false;
    lethe_str before = {(const char *)l->before.at, l->before.n};
    l->shared = shared_bytes(before, *record);
    int order = order_after(before, *record, l->shared);
    l->same = !is_first && order == 0;
    if (l->same) return true;
    if (!is_first && order > 0) {
        l->lines.err = lethe_published_fault(&l->lines, 0, "a record out of order");
        return false;
    }
    if (items_check(l, *record) != LETHE_OK) return false;
    l->lines.err = line_keep(l, *record);
    return l->lines.err == LETHE_OK;
}

struct collector {
    lethe_published_records *to;
    lethe_arena *tmp;
    lethe_u64s first, start;
    lethe_u32s item;
    lethe_u32s now;  /* the items of the record last taken, */
    lethe_u64s ends; /* and where each ends in it */
};

/* Lines stand in order, and mostly begin as the one before does: items that end, with the space
 * after them, within that are the same. */
static lethe_err record_take(struct collector *c, const lethe_record_lines *l, lethe_str record)
{
    lethe_arena *a = c->to->arena;
    uint64_t line = c->to->n_records, start = c->item.n;
    const char *from = record.at;
    lethe_str item;
    LETHE_TRY(lethe_u64s_append(a, &c->first, &line, 1));
    LETHE_TRY(lethe_u64s_append(a, &c->start, &start, 1));
    while (c->ends.n > 0 && c->ends.at[c->ends.n - 1] >= l->shared)
        c->ends.n--;
    c->now.n = c->ends.n;
    size_t known = c->ends.n > 0 ? (size_t)c->ends.at[c->ends.n - 1] + 1 : 0;
    record = (lethe_str){record.at + known, record.n - known};
    while (lethe_record_item(&record, &item)) {
        uint32_t id;
        uint64_t end = (uint64_t)(item.at - from) + item.n;
        LETHE_TRY(lethe_dict_add(c->to->items, item, &id));
        LETHE_TRY(lethe_u32s_append(c->tmp, &c->now, &id, 1));
        LETHE_TRY(lethe_u64s_append(c->tmp, &c->ends, &end, 1));
    }
    c->to->n++;
    return lethe_u32s_append(a, &c->item, c->now.at, c->now.n);
}

static lethe_err records_take(struct collector *c, lethe_record_lines *l)
{
    lethe_str record;
    lethe_published_records *to = c->to;
    for (; lethe_record_lines_next(l, &record); to->n_records++)
        if (!l->same) LETHE_TRY(record_take(c, l, record));
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
    struct collector c = {.to = a ? lethe_new(a, lethe_published_records, 1) : NULL,
                          .tmp = lethe_arena_new()};
    lethe_err e = LETHE_ENOMEM;
    if (c.to) {
        c.to->arena = a;
        c.to->items = lethe_dict_new();
        if (c.to->items && c.tmp) e = records_take(&c, l);
    }
    if (e == LETHE_ENOMEM && lethe_record_lines_err(l) == LETHE_OK)
        e = lethe_no_memory(ctx); // else the lines have said so
    lethe_record_lines_close(l);
    lethe_arena_free(c.tmp);
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
