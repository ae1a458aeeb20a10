/* SPDX-License-Identifier: Apache-2.0 */
/* csv_rows.c - CSV files row by row, and what is wrong with a row as such. */
#include "model/table/csv_rows.h"
#include "io/read/blocks.h"
#include "io/read/fields.h"

enum { BLOCK_BYTES = 1 << 20, PEEK_BYTES = 64 << 10 };

/* --- faults --- */

static const char open_quote[] = "quote not closed";
static const char after_quote[] = "text after a closing quote";

lethe_err lethe_csv_rows_fault(const lethe_csv_rows *r, uint32_t column, const char *text)
{
    return lethe_fail_at(r->diag, LETHE_EINPUT, r->name, r->line, column, "%s", text);
}

lethe_err lethe_csv_rows_twice(const lethe_csv_rows *r, uint32_t column, lethe_str name)
{
    char shown[80];
    lethe_show(shown, sizeof shown, name);
    return lethe_fail_at(r->diag, LETHE_EINPUT, r->name, r->line, column,
                         "column '%s' is named twice", shown);
}

/* `n_lines`: what the row counts for. */
static lethe_err reject(lethe_csv_rows *r, uint64_t n_lines, uint32_t column, const char *cause,
                        lethe_str content, const lethe_str *value)
{
    if (!cause) return LETHE_ENOMEM;
    r->read += n_lines;
    r->rejected += n_lines;
    LETHE_TRY(value ? lethe_rejects_add_value(&r->rejects, r->line, column, cause, content, *value)
                    : lethe_rejects_add(&r->rejects, r->line, column, cause, content));
    r->row_failed = r->strict;
    return r->strict ? LETHE_EINPUT : LETHE_OK;
}

lethe_err lethe_csv_rows_reject(lethe_csv_rows *r, uint32_t column, const char *cause,
                                lethe_str content, const lethe_str *value)
{
    return reject(r, 1, column, cause, content, value);
}

/* --- one row --- */

static bool is_blank(lethe_str record) { return lethe_str_trim(record).n == 0; }

static lethe_err take_header(lethe_csv_rows *r, lethe_csv_fault quotes, uint32_t n)
{
    if (quotes == LETHE_CSV_OPEN_QUOTE) return lethe_csv_rows_fault(r, n + 1, open_quote);
    if (quotes == LETHE_CSV_AFTER_QUOTE) return lethe_csv_rows_fault(r, n + 1, after_quote);
    r->has_header = true;
    r->n_columns = n;
    return r->header(r->reader, n);
}

static lethe_err take_record(lethe_csv_rows *r, lethe_str record, uint32_t n, uint32_t lines,
                             lethe_csv_fault quotes)
{
    if (r->delimiter == ' ' ? record.n == 0 : is_blank(record))
        return LETHE_OK; // where spaces separate fields they are a row
    if (!r->has_header) return take_header(r, quotes, n);
    if (quotes != LETHE_CSV_OK)
        return reject(r, lines, n + 1, quotes == LETHE_CSV_OPEN_QUOTE ? open_quote : after_quote,
                      record, NULL);
    if (n < r->n_columns) return reject(r, 1, n + 1, "fewer fields than the header", record, NULL);
    if (n > r->n_columns)
        return reject(r, 1, r->n_columns + 1, "more fields than the header", record, NULL);
    for (uint32_t i = 0; r->null_texts && i < n; i++)
        if (lethe_null_text_is(r->null_texts, r->fields[i])) r->fields[i].n = 0;
    return r->row(r->reader, record);
}

static lethe_err take_block(lethe_csv_rows *r, const lethe_block *block)
{
    r->line = block->first_line;
    if (block->too_long && !r->has_header) return lethe_csv_rows_fault(r, 0, "a header over 1 MiB");
    if (block->too_long) return reject(r, block->n_lines, 0, "row over 1 MiB", LETHE_LIT(""), NULL);
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

/* --- one file --- */

/* The first line that is not blank, with its end, as far as it is in `text`. */
static lethe_str first_line(lethe_str text)
{
    lethe_str line = {"", 0};
    while (text.n > 0) {
        const char *lf = memchr(text.at, '\n', text.n);
        line = (lethe_str){text.at, lf ? (size_t)(lf - text.at) + 1 : text.n};
        size_t end = line.n - (lf != NULL);
        if (end > 0 && line.at[end - 1] == '\r') end--;
        if (!is_blank((lethe_str){line.at, end})) break;
        text = (lethe_str){text.at + line.n, text.n - line.n};
    }
    return line;
}

static lethe_err file_begin(lethe_csv_rows *r, lethe_blocks *blocks)
{
    lethe_str text;
    lethe_source_form form;
    r->has_header = false;
    LETHE_TRY(lethe_source_form_of(r->diag, r->name, &form));
    if (form == LETHE_SOURCE_SETS)
        return lethe_fail(
            r->diag, LETHE_EINPUT,
            "'%s' has a column of lists, which makes it records: a table has text there", r->name);
    if (form == LETHE_SOURCE_CSV && r->wanted && r->wanted != ',')
        return lethe_fail(r->diag, LETHE_EUSAGE,
                          "'%s' is a stream, which has columns: --delimiter applies to files",
                          r->name);
    LETHE_TRY(lethe_blocks_peek(blocks, PEEK_BYTES, &text));
    r->delimiter = r->wanted ? r->wanted : lethe_guess_delimiter(first_line(text));
    if (form == LETHE_SOURCE_CSV) r->delimiter = ',';
    if (!r->delimiter) r->delimiter = ','; // one column
    lethe_blocks_set_cut(blocks, LETHE_CUT_CSV, r->delimiter);
    return LETHE_OK;
}

static lethe_err file_end(lethe_csv_rows *r)
{
    if (!r->has_header)
        return lethe_fail(r->diag, LETHE_EINPUT, "'%s' is empty: it has no header", r->name);
    if (r->file_end) LETHE_TRY(r->file_end(r->reader));
    return lethe_rejects_say(r->diag, r->name, &r->rejects) == LETHE_OK ? LETHE_OK
                                                                        : lethe_no_memory(r->diag);
}

static lethe_err so_far_fits(const lethe_csv_rows *r)
{
    if (!r->so_far) return LETHE_OK;
    lethe_sizes s = r->so_far(r->reader);
    return lethe_ctx_grows(r->ctx, &s, r->taken, r->bytes);
}

/* Closes the source. */
static lethe_err read_source(lethe_csv_rows *r, lethe_source *source)
{
    lethe_blocks *blocks = NULL;
    LETHE_TRY(lethe_blocks_new(r->diag, source, LETHE_CUT_CSV, ',', BLOCK_BYTES, &blocks));
    lethe_source_watch(source, r->ctx);
    r->name = lethe_source_name(source);
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
        r->taken += now - taken;
        taken = now;
        if (e == LETHE_ENOMEM) e = lethe_no_memory(r->diag);
        if (e == LETHE_OK) e = so_far_fits(r);
        if (e == LETHE_EINPUT && r->row_failed)
            lethe_rejects_say_first(r->diag, r->name, &r->rejects);
    }
    lethe_block_free(&block);
    if (e == LETHE_OK) e = file_end(r);
    if (e == LETHE_OK) lethe_source_say_invalid(source, r->invalid_utf8);
    if (e == LETHE_OK && r->strict &&
        lethe_source_invalid(source) > 0) // values may now be the same
        e = lethe_fail(r->diag, LETHE_EINPUT, "'%s' is not all in this encoding", r->name);
    r->invalid_utf8 = 0;
    lethe_rejects_clear(&r->rejects);
    lethe_blocks_free(blocks);
    return e;
}

/* --- all files --- */

static lethe_err separator_check(const lethe_csv_rows *r)
{
    if (r->wanted != '\n' && r->wanted != '\r' && r->wanted != '"') return LETHE_OK;
    return lethe_fail(r->diag, LETHE_EUSAGE,
                      "the column separator cannot be a quote or a line end");
}

lethe_err lethe_csv_rows_read(lethe_csv_rows *r, const char *const *paths, size_t n)
{
    uint64_t bytes;
    assert(n > 0);
    LETHE_TRY(separator_check(r));
    LETHE_TRY(lethe_sources_size(r->diag, paths, n, &bytes));
    lethe_ctx_phase(r->ctx, "reading", bytes);
    r->bytes = bytes;
    for (size_t i = 0; i < n; i++) {
        lethe_source *source = NULL;
        LETHE_TRY(lethe_source_open_text(r->diag, paths[i], r->encoding, false, &source));
        LETHE_TRY(read_source(r, source));
    }
    return LETHE_OK;
}

lethe_err lethe_csv_rows_memory(lethe_csv_rows *r, lethe_str bytes)
{
    lethe_source *source = NULL;
    LETHE_TRY(separator_check(r));
    LETHE_TRY(lethe_source_memory(r->diag, bytes, &source));
    return read_source(r, source);
}

void lethe_csv_rows_free(lethe_csv_rows *r)
{
    lethe_free(r->fields);
    lethe_buf_free(&r->scratch);
    lethe_rejects_free(&r->rejects);
}
