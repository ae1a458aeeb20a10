/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of records and rows.  Originals are found by their text: an ID may look like a line's
 * number, and then both are one here as they are in the file. */
#include "model/records/record_map.h"
#include "model/map.h"
#include "core/parse.h"
#include <stdio.h>

struct reader {
    lethe_ctx *ctx;
    lethe_lines lines;
    const char *digest; /* of the release's manifest; NULL: not compared */
    const lethe_records *original;
    lethe_dict *names;
    size_t *next;    /* by name: the record that its next line is of; SIZE_MAX: none is left */
    size_t *first;   /* by name: its first record */
    size_t *after;   /* by record: the next one of the same name; SIZE_MAX: it is the last */
    uint64_t *taken; /* one bit per published line: does it have an owner? */
    uint64_t n_published, n_taken;
    uint64_t header; /* lines before the first, in the original and in what is published */
    uint64_t *line;
};

/* The text by which a map calls the person of record i. */
static lethe_str name_of(const lethe_records *r, size_t i, uint64_t header, char number[24])
{
    uint32_t owner = r->owner_name ? r->owner_name[r->owner[i]] : LETHE_NONE;
    if (owner != LETHE_NONE) return lethe_dict_at(r->owners, owner);
    int n = snprintf(number, 24, "%llu", (unsigned long long)(r->origin[i] + header + 1));
    return (lethe_str){number, (size_t)n};
}

static lethe_err put(const lethe_records *r, size_t i, uint64_t line, uint64_t header,
                     lethe_buf *to)
{
    char number[24], published[24];
    int n = line == LETHE_NOT_PUBLISHED ? snprintf(published, sizeof published, "\t\n")
                                        : snprintf(published, sizeof published, "\t%llu\n",
                                                   (unsigned long long)(line + header + 1));
    size_t began = to->n;
    lethe_err e = lethe_buf_str(to, name_of(r, i, header, number));
    if (e == LETHE_OK) e = lethe_buf_put(to, published, (size_t)n);
    if (e != LETHE_OK) to->n = began;
    return e;
}

lethe_err lethe_record_map_put(const lethe_records *r, size_t i, uint64_t line, lethe_buf *to)
{
    return put(r, i, line, 0, to);
}

/* As far as a map looks at them, rows are records without ID. */
static lethe_records rows_of(const lethe_table *t)
{
    return (lethe_records){.n = t->n, .origin = t->origin};
}

lethe_err lethe_table_map_put(const lethe_table *t, size_t i, uint64_t row, lethe_buf *to)
{
    const lethe_records rows = rows_of(t);
    return put(&rows, i, row, 1, to);
}

/* --- reading --- */

/* *line: from 0, or LETHE_NOT_PUBLISHED. */
static lethe_err published_read(struct reader *r, lethe_str text, uint64_t *line)
{
    uint64_t n;
    *line = LETHE_NOT_PUBLISHED;
    if (text.n == 0) return LETHE_OK; // suppressed
    if (!lethe_parse_u64(text, &n) || n <= r->header)
        return lethe_lines_fault(&r->lines, 2, "not the number of a line");
    n -= r->header;
    if (n > r->n_published)
        return lethe_lines_fault(
            &r->lines, 2, "the release has no such line: the map belongs to another release");
    uint64_t *word = &r->taken[(n - 1) / 64], bit = (uint64_t)1 << ((n - 1) % 64);
    if (*word & bit)
        return lethe_lines_fault(&r->lines, 2, "the line already belongs to another record");
    *word |= bit;
    r->n_taken++;
    *line = n - 1;
    return LETHE_OK;
}

static lethe_err line_take(struct reader *r, lethe_str line)
{
    const char *tab = line.n ? memchr(line.at, '\t', line.n) : NULL;
    if (!tab) return lethe_lines_fault(&r->lines, 0, "not a line of a map: there is no tab");
    lethe_str original = {line.at, (size_t)(tab - line.at)};
    lethe_str published = {tab + 1, line.n - original.n - 1};
    if (published.n && memchr(published.at, '\t', published.n))
        return lethe_lines_fault(&r->lines, 3, "not a line of a map: a second tab");
    uint32_t id = lethe_dict_find(r->names, original);
    if (id == LETHE_NONE)
        return lethe_lines_fault(&r->lines, 1,
                                 "not in the original: the map belongs to another input");
    size_t record = r->next[id];
    if (record == SIZE_MAX)
        return lethe_lines_fault(&r->lines, 1, "more lines than it has records in the original");
    r->next[id] = r->after[record];
    return published_read(r, published, &r->line[record]);
}

static lethe_err all_taken(const struct reader *r)
{
    if (r->n_taken == r->n_published) return LETHE_OK;
    return lethe_fail_at(lethe_ctx_diag(r->ctx), LETHE_EINPUT, r->lines.name, 0, 0,
                         "the map does not match this release: %llu of %llu records have no owner",
                         (unsigned long long)(r->n_published - r->n_taken),
                         (unsigned long long)r->n_published);
}

static lethe_err lines_take(struct reader *r)
{
    lethe_str line;
    // Strings the records of each name together, in their order.
    const lethe_records *o = r->original;
    char number[24];
    size_t *last = r->next; // by name, until it has its own meaning
    uint32_t id;
    for (size_t i = 0; i < o->n; i++) {
        uint32_t n = lethe_dict_count(r->names);
        LETHE_TRY(lethe_dict_add(r->names, name_of(o, i, r->header, number), &id));
        if (id < n)
            r->after[last[id]] = i;
        else
            r->first[id] = i;
        last[id] = i;
        r->after[i] = SIZE_MAX;
        r->line[i] = LETHE_NOT_PUBLISHED;
    }
    if (o->n > 0) memcpy(r->next, r->first, lethe_dict_count(r->names) * sizeof *r->next);
    while (lethe_map_next(&r->lines, r->digest, &line))
        LETHE_TRY(line_take(r, line));
    LETHE_TRY(lethe_lines_err(&r->lines));
    // Whose lines ended too early, and lines that are nobody's.
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    for (id = 0; id < lethe_dict_count(r->names); id++)
        if (r->next[id] != r->first[id] && r->next[id] != SIZE_MAX)
            return lethe_fail_at(
                d, LETHE_EINPUT, r->lines.name, 0, 0,
                "record %zu of the original has no line, but others of its person do",
                r->next[id] + 1);
    return all_taken(r);
}

/* Takes the lines over; `e`: how opening them ended. */
static lethe_err map_make(struct reader *r, lethe_err e, lethe_arena *a, uint64_t **line)
{
    size_t n = r->original->n;
    if (e != LETHE_OK) {
        lethe_lines_close(&r->lines);
        return e;
    }
    e = LETHE_ENOMEM;
    r->names = lethe_dict_new();
    r->next = lethe_alloc(n, sizeof *r->next);
    r->first = lethe_alloc(n, sizeof *r->first);
    r->after = lethe_alloc(n, sizeof *r->after);
    r->taken = lethe_alloc_zero((size_t)(r->n_published / 64) + 1, sizeof *r->taken);
    r->line = lethe_new(a, uint64_t, n);
    if (r->names && r->next && r->first && r->after && r->taken && r->line) e = lines_take(r);
    if (e == LETHE_ENOMEM && lethe_lines_err(&r->lines) == LETHE_OK)
        e = lethe_no_memory(r->ctx); // else the lines have said so
    if (e == LETHE_OK) *line = r->line;
    lethe_dict_free(r->names);
    lethe_free_all(r->next, r->first, r->after, r->taken);
    lethe_lines_close(&r->lines);
    return e;
}

lethe_err lethe_record_map_read(lethe_ctx *ctx, const char *path, const char *digest,
                                const lethe_records *original, uint64_t n_published, lethe_arena *a,
                                uint64_t **line)
{
    struct reader r = {
        .ctx = ctx, .digest = digest, .original = original, .n_published = n_published};
    return map_make(&r, lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path), a, line);
}

lethe_err lethe_record_map_memory(lethe_ctx *ctx, lethe_str bytes, const lethe_records *original,
                                  uint64_t n_published, lethe_arena *a, uint64_t **line)
{
    struct reader r = {.ctx = ctx, .original = original, .n_published = n_published};
    return map_make(&r, lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes), a, line);
}

lethe_err lethe_table_map_read(lethe_ctx *ctx, const char *path, const char *digest,
                               const lethe_table *original, uint64_t n_published, lethe_arena *a,
                               uint64_t **row)
{
    const lethe_records rows = rows_of(original);
    struct reader r = {
        .ctx = ctx, .digest = digest, .original = &rows, .n_published = n_published, .header = 1};
    return map_make(&r, lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path), a, row);
}

/* --- of a chain --- */

lethe_err lethe_row_map_put(const lethe_records *r, size_t i, uint64_t line, lethe_buf *to)
{
    char row[24];
    size_t began = to->n;
    lethe_err e = put(r, i, line, 0, to);
    if (e != LETHE_OK) return e;
    int n = snprintf(row, sizeof row, "\t%llu\n", (unsigned long long)(r->origin[i] + 1));
    to->n--; // the LF
    e = lethe_buf_put(to, row, (size_t)n);
    if (e != LETHE_OK) to->n = began;
    return e;
}

/* The record that row `origin` of the original went into; LETHE_NONE: none. */
static uint32_t record_of(const lethe_row_places *places, uint64_t origin)
{
    size_t from = 0, to = places->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (places->at[middle].origin < origin)
            from = middle + 1;
        else
            to = middle;
    }
    bool found = from < places->n && places->at[from].origin == origin;
    return found ? places->at[from].record : LETHE_NONE;
}

/* The person of the line must be that of the record. */
static lethe_err row_line_take(struct reader *r, lethe_str line, const lethe_row_places *places,
                               lethe_row_map *to)
{
    lethe_str field[3] = {line};
    char number[24];
    uint64_t row;
    for (size_t i = 0; i < 2; i++) {
        const char *tab = field[i].n ? memchr(field[i].at, '\t', field[i].n) : NULL;
        if (!tab)
            return lethe_lines_fault(&r->lines, 0,
                                     "not a line of the map of a chain: it needs three fields");
        field[i + 1] = (lethe_str){tab + 1, (size_t)(field[i].at + field[i].n - tab - 1)};
        field[i].n = (size_t)(tab - field[i].at);
    }
    uint32_t record =
        lethe_parse_u64(field[2], &row) && row > 0 ? record_of(places, row - 1) : LETHE_NONE;
    if (record == LETHE_NONE || !lethe_str_eq(field[0], name_of(r->original, record, 0, number)))
        return lethe_lines_fault(&r->lines, 3,
                                 "not in the original: the map belongs to another input");
    lethe_mapped_record one = {.record = record};
    LETHE_TRY(published_read(r, field[1], &one.line));
    if (to->n == to->cap) {
        size_t cap = to->cap + to->cap / 2 + 256;
        lethe_mapped_record *more = lethe_realloc(to->at, cap, sizeof *more);
        if (!more) return lethe_no_memory(r->ctx);
        to->at = more;
        to->cap = cap;
    }
    to->at[to->n++] = one;
    return LETHE_OK;
}

lethe_err lethe_row_map_read(lethe_ctx *ctx, const char *path, const char *digest,
                             const lethe_records *original, const lethe_row_places *places,
                             uint64_t n_published, lethe_row_map *out)
{
    struct reader r = {
        .ctx = ctx, .digest = digest, .original = original, .n_published = n_published};
    lethe_row_map map = {0};
    lethe_str line;
    lethe_err e = lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path);
    r.taken = lethe_alloc_zero((size_t)(n_published / 64) + 1, sizeof *r.taken);
    if (e == LETHE_OK && !r.taken) e = lethe_no_memory(ctx);
    while (e == LETHE_OK && lethe_map_next(&r.lines, digest, &line))
        e = row_line_take(&r, line, places, &map);
    if (e == LETHE_OK) e = lethe_lines_err(&r.lines);
    if (e == LETHE_OK) e = all_taken(&r);
    lethe_free(r.taken);
    lethe_lines_close(&r.lines);
    if (e == LETHE_OK)
        *out = map;
    else
        lethe_free(map.at);
    return e;
}
