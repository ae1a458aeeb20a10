/* SPDX-License-Identifier: Apache-2.0 */
/* any_table.c - reads any CSV file into columns of coded values. */
#include "model/table/any_table.h"
#include "model/table/csv_rows.h"
#include "model/table/table.h"
#include "text/normalize.h"
#include "text/utf8.h"

struct any_reader {
    lethe_csv_rows rows;
    lethe_any_table *to;
    lethe_u32s *code; /* by column */
    lethe_u64s line_of;
};

/* --- rows --- */

static bool has_quote_behind_space(lethe_str field, lethe_str value)
{
    return value.n > 0 && value.at != field.at && value.at[0] == '"';
}

static lethe_err take_row(void *reader, lethe_str record)
{
    struct any_reader *r = reader;
    lethe_csv_rows *rows = &r->rows;
    lethe_published_table *t = &r->to->table;
    uint32_t n = (uint32_t)t->n_columns;
    if (memchr(record.at, '\0', record.n))
        return lethe_csv_rows_reject(rows, 0, "NUL byte", record, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (has_quote_behind_space(rows->fields[i], lethe_str_trim(rows->fields[i])))
            return lethe_csv_rows_reject(
                rows, i + 1, "quote after a space at the beginning of a field", record, NULL);
    if (t->n >= LETHE_NONE - 1) return LETHE_ENOMEM; // rows have numbers of 32 bits
    for (uint32_t i = 0; i < n; i++) {
        lethe_str value = lethe_str_trim(rows->fields[i]);
        uint32_t id;
        if (value.n == 0) value = LETHE_LIT(LETHE_MISSING);
        LETHE_TRY(lethe_dict_add(t->column[i].values, value, &id));
        LETHE_TRY(lethe_u32s_append(t->arena, &r->code[i], &id, 1));
    }
    rows->read++;
    t->n++;
    bool invalid = !lethe_ascii_plain(record) && !lethe_utf8_valid(record);
    r->to->invalid_utf8 += invalid;
    rows->invalid_utf8 += invalid;
    return lethe_u64s_append(t->arena, &r->line_of, &rows->line, 1);
}

/* --- the header --- */

/* The name of field `i`, in the table's arena. */
static lethe_err name_take(struct any_reader *r, uint32_t i, lethe_str *out)
{
    lethe_str name = lethe_str_trim(r->rows.fields[i]);
    char *copy = name.n > 0 ? lethe_arena_dup(r->to->table.arena, name)
                            : lethe_arena_printf(r->to->table.arena, "column %u", (unsigned)i + 1);
    if (!copy) return LETHE_ENOMEM;
    if (!lethe_utf8_valid(name))
        return lethe_csv_rows_fault(&r->rows, i + 1, "a column's name is not utf-8");
    for (size_t at = 0; at < name.n; at++)
        if ((uint8_t)name.at[at] < ' ')
            return lethe_csv_rows_fault(&r->rows, i + 1, "a control character in a column's name");
    *out = name.n > 0 ? (lethe_str){copy, name.n} : lethe_str_of(copy);
    return LETHE_OK;
}

/* A later file has the columns of the first. */
static lethe_err header_compare(const struct any_reader *r, uint32_t n)
{
    size_t n_columns = r->to->table.n_columns;
    for (uint32_t i = 0; i < n && i < n_columns; i++) {
        lethe_str name = lethe_str_trim(r->rows.fields[i]);
        if (name.n > 0 && !lethe_str_eq(name, r->to->table.column[i].name))
            return lethe_csv_rows_fault(&r->rows, i + 1, "another column than in the first file");
    }
    if (n != n_columns)
        return lethe_csv_rows_fault(&r->rows, (uint32_t)LETHE_MIN(n, n_columns) + 1,
                                    "another number of columns than in the first file");
    return LETHE_OK;
}

static lethe_err take_header(void *reader, uint32_t n)
{
    struct any_reader *r = reader;
    lethe_published_table *t = &r->to->table;
    if (r->to->header) return header_compare(r, n);
    if (n > LETHE_TABLE_COLUMNS_MAX) return lethe_csv_rows_fault(&r->rows, 0, "too many columns");
    r->to->delimiter = r->rows.delimiter;
    r->to->header = lethe_dict_new();
    t->column = lethe_new(t->arena, lethe_published_column, n);
    r->code = lethe_new(t->arena, lethe_u32s, n);
    if (!r->to->header || !t->column || !r->code) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id;
        lethe_str name = {0};
        LETHE_TRY(name_take(r, i, &name));
        LETHE_TRY(lethe_dict_add(r->to->header, name, &id));
        if (id < i) return lethe_csv_rows_twice(&r->rows, i + 1, name);
        t->column[i] = (lethe_published_column){.name = name, .values = lethe_dict_new()};
        if (!t->column[i].values) return LETHE_ENOMEM;
        t->n_columns++;
    }
    return LETHE_OK;
}

/* --- the whole --- */

lethe_sizes lethe_any_table_sizes(const lethe_any_table *t)
{
    lethe_sizes s = {.things = "rows",
                     .parts_are = "values",
                     .n = t->table.n,
                     .parts = (uint64_t)t->table.n * t->table.n_columns,
                     .held = lethe_arena_bytes(t->table.arena)};
    for (size_t i = 0; i < t->table.n_columns; i++) {
        s.distinct += lethe_dict_count(t->table.column[i].values);
        s.held += lethe_dict_bytes(t->table.column[i].values);
    }
    return s;
}

static lethe_sizes so_far(const void *reader)
{
    const struct any_reader *r = reader;
    return lethe_any_table_sizes(r->to);
}

static lethe_err reader_begin(struct any_reader *r, lethe_ctx *ctx, char delimiter, bool strict)
{
    r->rows = (lethe_csv_rows){.ctx = ctx,
                               .diag = lethe_ctx_diag(ctx),
                               .wanted = delimiter,
                               .strict = strict,
                               .reader = r,
                               .header = take_header,
                               .row = take_row,
                               .so_far = so_far};
    lethe_arena *a = lethe_arena_new();
    r->to = a ? lethe_new(a, lethe_any_table, 1) : NULL;
    if (r->to) {
        r->to->table.arena = a;
        return LETHE_OK;
    }
    lethe_arena_free(a);
    return lethe_no_memory(ctx);
}

static lethe_err rows_check(const struct any_reader *r)
{
    unsigned long long rejected = r->rows.rejected, read = r->rows.read;
    if (rejected > read / 10)
        return lethe_fail(r->rows.diag, LETHE_EINPUT,
                          "%llu of %llu rows rejected: not the table that is meant?", rejected,
                          read);
    if (r->to->table.n > 0) return LETHE_OK;
    return lethe_fail(r->rows.diag, LETHE_EINPUT, "no rows after the header");
}

static lethe_err reader_end(struct any_reader *r, lethe_err e, lethe_any_table **out)
{
    if (e == LETHE_OK) e = rows_check(r);
    lethe_csv_rows_free(&r->rows);
    if (e != LETHE_OK) {
        lethe_any_table_free(r->to);
        return e;
    }
    for (size_t i = 0; i < r->to->table.n_columns; i++)
        r->to->table.column[i].code = r->code[i].at;
    r->to->line = r->line_of.at;
    r->to->read = r->rows.read;
    r->to->rejected = r->rows.rejected;
    *out = r->to;
    return LETHE_OK;
}

lethe_err lethe_any_table_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                               const lethe_read_options *reading, lethe_any_table **out)
{
    struct any_reader r = {0};
    lethe_err e = reader_begin(&r, ctx, reading->delimiter, reading->strict);
    r.rows.encoding = reading->encoding;
    r.rows.null_texts = reading->null_texts;
    if (e == LETHE_OK) e = lethe_csv_rows_read(&r.rows, paths, n);
    return reader_end(&r, e, out);
}

lethe_err lethe_any_table_memory(lethe_ctx *ctx, lethe_str bytes, char delimiter, bool strict,
                                 lethe_any_table **out)
{
    struct any_reader r = {0};
    lethe_err e = reader_begin(&r, ctx, delimiter, strict);
    if (e == LETHE_OK) e = lethe_csv_rows_memory(&r.rows, bytes);
    return reader_end(&r, e, out);
}

void lethe_any_table_free(lethe_any_table *t)
{
    if (!t) return;
    lethe_dict_free(t->header);
    lethe_published_table_free(&t->table); // and `t` with it
}

/* LETHE_EINPUT, with the columns that there are. */
static lethe_err column_unknown(lethe_diag *d, lethe_arena *a, const lethe_any_table *t,
                                const lethe_column_asked *asked, lethe_str name)
{
    lethe_str *all = lethe_new(a, lethe_str, t->table.n_columns);
    if (!all) return lethe_no_memory(d);
    for (size_t i = 0; i < t->table.n_columns; i++)
        all[i] = t->table.column[i].name;
    return lethe_column_unknown(d, asked, name, all, t->table.n_columns);
}

lethe_err lethe_any_table_column(lethe_diag *d, lethe_arena *a, const lethe_any_table *t,
                                 const char *file, lethe_str name, uint32_t *out)
{
    lethe_column_asked asked = {.err = LETHE_EINPUT, .file = file};
    *out = lethe_dict_find(t->header, name);
    return *out != LETHE_NONE ? LETHE_OK : column_unknown(d, a, t, &asked, name);
}

lethe_err lethe_any_table_columns(lethe_diag *d, lethe_arena *a, const lethe_any_table *t,
                                  const char *option, const char *names, uint32_t **out, size_t *n)
{
    lethe_column_asked asked = {.err = LETHE_EINPUT, .option = option};
    lethe_str *name;
    size_t n_names;
    LETHE_TRY(lethe_names_parse(d, a, names, &name, &n_names));
    uint32_t *at = lethe_new(a, uint32_t, n_names);
    if (!at) return lethe_no_memory(d);
    for (size_t i = 0; i < n_names; i++) {
        at[i] = lethe_dict_find(t->header, name[i]);
        if (at[i] == LETHE_NONE) return column_unknown(d, a, t, &asked, name[i]);
    }
    *out = at;
    *n = n_names;
    return LETHE_OK;
}
