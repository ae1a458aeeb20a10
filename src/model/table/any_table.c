/* SPDX-License-Identifier: Apache-2.0 */
/* any_table.c - reads any CSV file into columns of coded values. */
#include "model/table/any_table.h"
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include "model/log/rejects.h"
#include "model/table/table.h"
#include "text/utf8.h"
#include "text/normalize.h"

enum { BLOCK_BYTES = 1 << 20, PEEK_BYTES = 64 << 10 };

static const char too_few[] = "fewer fields than the header";
static const char too_many[] = "more fields than the header";
static const char open_quote[] = "quote not closed";
static const char after_quote[] = "text after a closing quote";
static const char quote_behind[] = "quote after a space at the beginning of a field";
static const char nul_byte[] = "NUL byte";
static const char too_long[] = "row over 1 MiB";

struct any_reader {
    lethe_ctx *ctx;
    lethe_diag *diag;
    char wanted_delimiter;
    bool strict;
    lethe_any_table *to;
    lethe_u32s *code; /* by column */
    lethe_u64s line_of;
    lethe_str *fields;
    uint32_t n_fields; /* room for so many */
    lethe_buf scratch;
    /* of the file at hand */
    const char *name;
    char delimiter;
    bool has_header;
    uint64_t line;
    lethe_rejects rejects;
    bool row_failed; /* strict: the failure is a rejected row */
};

/* --- rows --- */

/* `n_lines` is what a row counts for: one whose quotes are wrong may have taken others in. */
static lethe_err reject(struct any_reader *r, uint64_t n_lines, uint32_t column, const char *cause,
                        lethe_str content)
{
    r->to->read += n_lines;
    r->to->rejected += n_lines;
    LETHE_TRY(lethe_rejects_add(&r->rejects, r->line, column, cause, content));
    r->row_failed = r->strict;
    return r->strict ? LETHE_EINPUT : LETHE_OK;
}

static bool has_quote_behind_space(lethe_str field, lethe_str value)
{
    return value.n > 0 && value.at != field.at && value.at[0] == '"';
}

static lethe_err take_row(struct any_reader *r, lethe_str record, uint32_t n)
{
    lethe_published_table *t = &r->to->table;
    if (n < t->n_columns) return reject(r, 1, n + 1, too_few, record);
    if (n > t->n_columns) return reject(r, 1, (uint32_t)t->n_columns + 1, too_many, record);
    if (memchr(record.at, '\0', record.n)) return reject(r, 1, 0, nul_byte, record);
    for (uint32_t i = 0; i < n; i++)
        if (has_quote_behind_space(r->fields[i], lethe_str_trim(r->fields[i])))
            return reject(r, 1, i + 1, quote_behind, record);
    if (t->n >= LETHE_NONE - 1) return LETHE_ENOMEM; // rows have numbers of 32 bits
    for (uint32_t i = 0; i < n; i++) {
        lethe_str value = lethe_str_trim(r->fields[i]);
        uint32_t id;
        if (value.n == 0) value = LETHE_LIT(LETHE_MISSING);
        LETHE_TRY(lethe_dict_add(t->column[i].values, value, &id));
        LETHE_TRY(lethe_u32s_append(t->arena, &r->code[i], &id, 1));
    }
    r->to->read++;
    t->n++;
    r->to->invalid_utf8 += !lethe_ascii_plain(record) && !lethe_utf8_valid(record);
    return lethe_u64s_append(t->arena, &r->line_of, &r->line, 1);
}

/* --- the header --- */

static lethe_err header_fault(const struct any_reader *r, uint32_t column, const char *text)
{
    return lethe_fail_at(r->diag, LETHE_EINPUT, r->name, r->line, column, "%s", text);
}

/* The name of field `i`, in the table's arena. */
static lethe_err name_take(struct any_reader *r, uint32_t i, lethe_str *out)
{
    lethe_str name = lethe_str_trim(r->fields[i]);
    char *copy = name.n > 0 ? lethe_arena_dup(r->to->table.arena, name)
                            : lethe_arena_printf(r->to->table.arena, "column %u", (unsigned)i + 1);
    if (!copy) return LETHE_ENOMEM;
    if (!lethe_utf8_valid(name)) return header_fault(r, i + 1, "a column's name is not utf-8");
    for (size_t at = 0; at < name.n; at++)
        if ((uint8_t)name.at[at] < ' ')
            return header_fault(r, i + 1, "a control character in a column's name");
    *out = name.n > 0 ? (lethe_str){copy, name.n} : lethe_str_of(copy);
    return LETHE_OK;
}

/* A later file has the columns of the first. */
static lethe_err header_compare(const struct any_reader *r, uint32_t n)
{
    size_t n_columns = r->to->table.n_columns;
    for (uint32_t i = 0; i < n && i < n_columns; i++) {
        lethe_str name = lethe_str_trim(r->fields[i]);
        if (name.n > 0 && !lethe_str_eq(name, r->to->table.column[i].name))
            return header_fault(r, i + 1, "another column than in the first file");
    }
    if (n != n_columns)
        return header_fault(r, (uint32_t)LETHE_MIN(n, n_columns) + 1,
                            "another number of columns than in the first file");
    return LETHE_OK;
}

static lethe_err take_header(struct any_reader *r, lethe_csv_fault quotes, uint32_t n)
{
    lethe_published_table *t = &r->to->table;
    if (quotes == LETHE_CSV_OPEN_QUOTE) return header_fault(r, n + 1, open_quote);
    if (quotes == LETHE_CSV_AFTER_QUOTE) return header_fault(r, n + 1, after_quote);
    r->has_header = true;
    if (r->to->header) return header_compare(r, n);
    if (n > LETHE_TABLE_COLUMNS_MAX) return header_fault(r, 0, "too many columns");
    r->to->delimiter = r->delimiter;
    r->to->header = lethe_dict_new();
    t->column = lethe_new(t->arena, lethe_published_column, n);
    r->code = lethe_new(t->arena, lethe_u32s, n);
    if (!r->to->header || !t->column || !r->code) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        char shown[80];
        uint32_t id;
        lethe_str name;
        LETHE_TRY(name_take(r, i, &name));
        LETHE_TRY(lethe_dict_add(r->to->header, name, &id));
        if (id < i) {
            lethe_show(shown, sizeof shown, name);
            return lethe_fail_at(r->diag, LETHE_EINPUT, r->name, r->line, i + 1,
                                 "column '%s' is named twice", shown);
        }
        t->column[i] = (lethe_published_column){.name = name, .values = lethe_dict_new()};
        if (!t->column[i].values) return LETHE_ENOMEM;
        t->n_columns++;
    }
    return LETHE_OK;
}

/* --- one file --- */

static lethe_err take_record(struct any_reader *r, lethe_str record, uint32_t n, uint32_t lines,
                             lethe_csv_fault quotes)
{
    if (r->delimiter == ' ' ? record.n == 0 : lethe_str_trim(record).n == 0)
        return LETHE_OK; // where spaces separate fields they are a row
    if (!r->has_header) return take_header(r, quotes, n);
    if (quotes != LETHE_CSV_OK)
        return reject(r, lines, n + 1, quotes == LETHE_CSV_OPEN_QUOTE ? open_quote : after_quote,
                      record);
    return take_row(r, record, n);
}

static lethe_err take_block(struct any_reader *r, const lethe_block *block)
{
    r->line = block->first_line;
    if (block->too_long && !r->has_header) return header_fault(r, 0, "a header over 1 MiB");
    if (block->too_long) return reject(r, block->n_lines, 0, too_long, LETHE_LIT(""));
    lethe_csv csv = lethe_csv_begin(block->text, r->delimiter);
    for (;;) {
        const lethe_csv before = csv;
        lethe_str record;
        lethe_csv_fault quotes;
        uint32_t n, lines;
        bool more;
        LETHE_TRY(lethe_csv_next(&csv, &r->scratch, r->fields, r->n_fields, &n, &record, &lines,
                                 &quotes, &more));
        if (!more) return LETHE_OK;
        if (!r->has_header && n > r->n_fields) {
            // once more, with room for the header's fields: what a row has beyond does not matter
            lethe_str *fields = lethe_realloc(r->fields, n, sizeof *fields);
            if (!fields) return LETHE_ENOMEM;
            r->fields = fields;
            r->n_fields = n;
            csv = before;
            continue;
        }
        LETHE_TRY(take_record(r, record, n, lines, quotes));
        r->line += lines;
    }
}

static bool is_utf16(lethe_str text)
{
    if (text.n < 4) return false;
    bool little = memcmp(text.at, "\xFF\xFE", 2) == 0, big = memcmp(text.at, "\xFE\xFF", 2) == 0;
    return (little && text.at[3] == 0) || (big && text.at[2] == 0);
}

static lethe_err file_begin(struct any_reader *r, lethe_blocks *blocks)
{
    lethe_str text;
    LETHE_TRY(lethe_blocks_peek(blocks, PEEK_BYTES, &text));
    if (is_utf16(text))
        return lethe_fail(r->diag, LETHE_EINPUT, "'%s' is UTF-16, not UTF-8: convert it first",
                          r->name);
    r->delimiter = r->wanted_delimiter ? r->wanted_delimiter : lethe_guess_delimiter(text);
    if (!r->delimiter) r->delimiter = ','; // one column
    lethe_blocks_set_cut(blocks, LETHE_CUT_CSV, r->delimiter);
    return LETHE_OK;
}

/* Closes the source. */
static lethe_err read_source(struct any_reader *r, lethe_source *source)
{
    lethe_blocks *blocks = NULL;
    LETHE_TRY(lethe_blocks_new(r->diag, source, LETHE_CUT_CSV, ',', BLOCK_BYTES, &blocks));
    lethe_source_watch(source, r->ctx);
    r->name = lethe_source_name(source);
    r->has_header = false;
    lethe_err e = file_begin(r, blocks);
    lethe_block block = {0};
    uint64_t taken = 0;
    for (bool more = true; e == LETHE_OK;) {
        if (lethe_ctx_cancelled(r->ctx)) e = LETHE_ECANCEL;
        if (e == LETHE_OK) e = lethe_blocks_next(blocks, &block, &more);
        if (e != LETHE_OK || !more) break;
        e = take_block(r, &block);
        uint64_t now = lethe_source_taken(lethe_blocks_source(blocks));
        lethe_ctx_advance(r->ctx, now - taken);
        taken = now;
        if (e == LETHE_ENOMEM) e = lethe_no_memory(r->diag);
        if (e == LETHE_EINPUT && r->row_failed)
            lethe_rejects_say_first(r->diag, r->name, &r->rejects);
    }
    lethe_block_free(&block);
    if (e == LETHE_OK && !r->has_header)
        e = lethe_fail(r->diag, LETHE_EINPUT, "'%s' is empty: it has no header", r->name);
    if (e == LETHE_OK && lethe_rejects_say(r->diag, r->name, &r->rejects) != LETHE_OK)
        e = lethe_no_memory(r->diag);
    lethe_rejects_clear(&r->rejects);
    lethe_blocks_free(blocks);
    return e;
}

/* --- all files --- */

static lethe_err reader_begin(struct any_reader *r)
{
    char c = r->wanted_delimiter;
    if (c == '\n' || c == '\r' || c == '"')
        return lethe_fail(r->diag, LETHE_EUSAGE,
                          "the column separator cannot be a quote or a line end");
    lethe_arena *a = lethe_arena_new();
    r->to = a ? lethe_new(a, lethe_any_table, 1) : NULL;
    if (r->to) {
        r->to->table.arena = a;
        return LETHE_OK;
    }
    lethe_arena_free(a);
    return lethe_no_memory(r->diag);
}

static lethe_err rows_check(const struct any_reader *r)
{
    unsigned long long rejected = r->to->rejected, read = r->to->read;
    if (rejected > read / 10)
        return lethe_fail(r->diag, LETHE_EINPUT,
                          "%llu of %llu rows rejected: not the table that is meant?", rejected,
                          read);
    if (r->to->table.n > 0) return LETHE_OK;
    return lethe_fail(r->diag, LETHE_EINPUT, "no rows after the header");
}

static lethe_err reader_end(struct any_reader *r, lethe_err e, lethe_any_table **out)
{
    if (e == LETHE_OK) e = rows_check(r);
    lethe_free(r->fields);
    lethe_buf_free(&r->scratch);
    lethe_rejects_free(&r->rejects);
    if (e != LETHE_OK) {
        lethe_any_table_free(r->to);
        return e;
    }
    for (size_t i = 0; i < r->to->table.n_columns; i++)
        r->to->table.column[i].code = r->code[i].at;
    r->to->line = r->line_of.at;
    *out = r->to;
    return LETHE_OK;
}

lethe_err lethe_any_table_read(lethe_ctx *ctx, const char *const *paths, size_t n, char delimiter,
                               bool strict, lethe_any_table **out)
{
    struct any_reader r = {
        .ctx = ctx, .diag = lethe_ctx_diag(ctx), .wanted_delimiter = delimiter, .strict = strict};
    uint64_t bytes;
    assert(n > 0);
    LETHE_TRY(lethe_sources_size(r.diag, paths, n, &bytes));
    lethe_err e = reader_begin(&r);
    if (e == LETHE_OK) lethe_ctx_phase(ctx, "reading", bytes);
    for (size_t i = 0; i < n && e == LETHE_OK; i++) {
        lethe_source *source = NULL;
        e = lethe_source_open(r.diag, paths[i], &source);
        if (e == LETHE_OK) e = read_source(&r, source);
    }
    return reader_end(&r, e, out);
}

lethe_err lethe_any_table_memory(lethe_ctx *ctx, lethe_str bytes, char delimiter, bool strict,
                                 lethe_any_table **out)
{
    struct any_reader r = {
        .ctx = ctx, .diag = lethe_ctx_diag(ctx), .wanted_delimiter = delimiter, .strict = strict};
    lethe_source *source = NULL;
    lethe_err e = reader_begin(&r);
    if (e == LETHE_OK) e = lethe_source_memory(r.diag, bytes, &source);
    if (e == LETHE_OK) e = read_source(&r, source);
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
