/* SPDX-License-Identifier: Apache-2.0 */
/* Reads data.csv as strictly as it is written: one way to quote a field, rows in order. */
#include "model/published/published_table.h"
#include "model/published/published_lines.h"

struct reader {
    lethe_published_lines lines;
    lethe_published_table *to;
    lethe_u32s *code; /* by column */
    lethe_dict *names;
    lethe_buf before; /* the row before, for the order */
    lethe_buf text;   /* the last field that stood in quotes */
};

/* --- fields --- */

/* The field in quotes at line.at[*at]; *at moves behind it.  One way of writing a field: quotes
 * where there need be none could tell rows apart that are equal. */
static lethe_err quoted_take(struct reader *r, lethe_str line, size_t *at, lethe_str *out)
{
    size_t from = *at, i = from + 1;
    bool needed = false;
    r->text.n = 0;
    LETHE_TRY(lethe_buf_reserve(&r->text, line.n));
    for (;;) {
        if (i == line.n) return lethe_published_fault(&r->lines, from + 1, "an open quote");
        char c = line.at[i++];
        if (c == '\t') return lethe_published_fault(&r->lines, i, "a tab");
        if (c == '"' && (i == line.n || line.at[i] != '"')) break;
        i += c == '"';
        needed |= c == '"' || c == ',';
        r->text.at[r->text.n++] = (uint8_t)c;
    }
    if (i < line.n && line.at[i] != ',')
        return lethe_published_fault(&r->lines, i + 1, "text after a closing quote");
    bool nothing_else = r->text.n == 0 && line.n == 2; // an empty line would be no row
    if (!needed && !nothing_else)
        return lethe_published_fault(&r->lines, from + 1, "unneeded quotes");
    *out = (lethe_str){(const char *)r->text.at, r->text.n};
    *at = i;
    return LETHE_OK;
}

/* The field that begins at line.at[*at]; *at moves to the comma behind it, or to the line's end.
 * The view lives until the next call. */
static lethe_err field_take(struct reader *r, lethe_str line, size_t *at, lethe_str *out)
{
    size_t i = *at;
    if (i < line.n && line.at[i] == '"') return quoted_take(r, line, at, out);
    for (; i < line.n && line.at[i] != ','; i++) {
        if (line.at[i] == '"')
            return lethe_published_fault(&r->lines, i + 1, "a quote in a field without quotes");
        if (line.at[i] == '\t') return lethe_published_fault(&r->lines, i + 1, "a tab");
    }
    *out = (lethe_str){line.at + *at, i - *at};
    *at = i;
    return LETHE_OK;
}

/* --- the header --- */

static size_t commas(lethe_str line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n; i++)
        n += line.at[i] == ',';
    return n;
}

static lethe_err header_take(struct reader *r)
{
    lethe_str line, name;
    if (!lethe_published_next(&r->lines, &line)) return r->lines.err;
    size_t cap = LETHE_MIN(commas(line) + 1, (size_t)LETHE_TABLE_COLUMNS_MAX);
    r->to->column = lethe_new(r->to->arena, lethe_published_column, cap);
    r->code = lethe_new(r->to->arena, lethe_u32s, cap);
    r->names = lethe_dict_new();
    if (!r->to->column || !r->code || !r->names) return LETHE_ENOMEM;
    for (size_t at = 0;; at++) {
        size_t from = at;
        LETHE_TRY(field_take(r, line, &at, &name));
        lethe_published_table *t = r->to;
        uint32_t id;
        if (name.n == 0)
            return lethe_published_fault(&r->lines, from + 1, "a column without a name");
        if (t->n_columns == LETHE_TABLE_COLUMNS_MAX)
            return lethe_published_fault(&r->lines, from + 1, "more than %d columns",
                                         LETHE_TABLE_COLUMNS_MAX);
        LETHE_TRY(lethe_dict_add(r->names, name, &id));
        if (id < t->n_columns)
            return lethe_published_fault(&r->lines, from + 1, "two columns have the same name");
        char *copy = lethe_arena_dup(t->arena, name);
        lethe_published_column c = {.name = {copy, name.n}, .values = lethe_dict_new()};
        if (!copy || !c.values) {
            lethe_dict_free(c.values);
            return LETHE_ENOMEM;
        }
        t->column[t->n_columns++] = c;
        if (at == line.n) return LETHE_OK;
    }
}

/* --- rows --- */

static lethe_err row_take(struct reader *r, lethe_str line)
{
    bool is_first = r->to->n == 0;
    int order = lethe_str_cmp((lethe_str){(const char *)r->before.at, r->before.n}, line);
    if (r->to->n == LETHE_NONE - 1) return LETHE_ENOMEM; // rows have numbers of 32 bits
    if (!is_first && order > 0) return lethe_published_fault(&r->lines, 0, "a row out of order");
    r->to->n++;
    if (!is_first && order == 0) {
        for (size_t i = 0; i < r->to->n_columns; i++) {
            uint32_t id = r->code[i].at[r->code[i].n - 1];
            LETHE_TRY(lethe_u32s_append(r->to->arena, &r->code[i], &id, 1));
        }
        return LETHE_OK;
    }
    size_t n_columns = r->to->n_columns, i = 0;
    lethe_str value;
    if (line.n == 0 && n_columns == 1) return lethe_published_fault(&r->lines, 0, "an empty line");
    for (size_t at = 0;; at++) {
        if (i == n_columns)
            return lethe_published_fault(&r->lines, at + 1, "more fields than the header has");
        LETHE_TRY(field_take(r, line, &at, &value));
        size_t column = i++;
        lethe_u32s *code = &r->code[column];
        lethe_dict *values = r->to->column[column].values;
        uint32_t id = code->n ? code->at[code->n - 1] : LETHE_NONE;
        // rows are sorted, so a value often stands in the row before as well
        if (id == LETHE_NONE || !lethe_str_eq(lethe_dict_at(values, id), value))
            LETHE_TRY(lethe_dict_add(values, value, &id));
        LETHE_TRY(lethe_u32s_append(r->to->arena, code, &id, 1));
        if (at == line.n) break;
    }
    if (i < n_columns)
        return lethe_published_fault(&r->lines, 0, "fewer fields than the header has");
    r->before.n = 0;
    return lethe_buf_str(&r->before, line);
}

/* --- the whole --- */

static lethe_err table_take(struct reader *r)
{
    lethe_arena *a = lethe_arena_new();
    r->to = a ? lethe_new(a, lethe_published_table, 1) : NULL;
    if (!r->to) {
        lethe_arena_free(a);
        return LETHE_ENOMEM;
    }
    r->to->arena = a;
    lethe_str line;
    LETHE_TRY(header_take(r));
    while (lethe_published_next(&r->lines, &line))
        LETHE_TRY(row_take(r, line));
    LETHE_TRY(r->lines.err);
    if (r->to->n == 0) return lethe_published_fault(&r->lines, 0, "a header, and no row");
    for (size_t i = 0; i < r->to->n_columns; i++)
        r->to->column[i].code = r->code[i].at;
    return LETHE_OK;
}

static lethe_err reader_finish(struct reader *r, lethe_published_table **out)
{
    lethe_err e = r->lines.err == LETHE_OK ? table_take(r) : r->lines.err;
    if (e == LETHE_ENOMEM && r->lines.err == LETHE_OK)
        e = lethe_no_memory(r->lines.ctx); // else the lines have said so
    if (e == LETHE_OK)
        *out = r->to;
    else
        lethe_published_table_free(r->to);
    lethe_published_close(&r->lines);
    lethe_dict_free(r->names);
    lethe_buf_free(&r->before);
    lethe_buf_free(&r->text);
    return e;
}

lethe_err lethe_published_table_read(lethe_ctx *ctx, int dirfd, lethe_published_table **out)
{
    struct reader r = {0};
    // what fails is in r.lines.err as well
    (void)!lethe_published_open(&r.lines, ctx, dirfd, LETHE_TABLE_NAME, LETHE_TABLE_LINE_MAX);
    return reader_finish(&r, out);
}

lethe_err lethe_published_table_memory(lethe_ctx *ctx, lethe_str bytes, lethe_published_table **out)
{
    struct reader r = {0};
    lethe_published_memory(&r.lines, ctx, bytes, LETHE_TABLE_NAME, LETHE_TABLE_LINE_MAX);
    return reader_finish(&r, out);
}

void lethe_published_table_free(lethe_published_table *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->n_columns; i++)
        lethe_dict_free(t->column[i].values);
    lethe_arena_free(t->arena);
}

uint32_t lethe_published_column_find(const lethe_published_table *t, lethe_str name)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (lethe_str_eq(t->column[i].name, name)) return i;
    return LETHE_NONE;
}
