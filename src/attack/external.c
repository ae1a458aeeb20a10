/* SPDX-License-Identifier: Apache-2.0 */
/* external.c - reads the adversary's table: finds the quasi-identifiers among its columns and looks
 * up each value in its hierarchy. */
#include "attack/external.h"
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include "model/table/table_beside.h"
#include "text/normalize.h"

enum { BLOCK_BYTES = 1 << 20, PEEK_BYTES = 1 << 16, FIELDS_FIRST = 64 };

struct external_reader {
    lethe_ctx *ctx;
    const lethe_table *t;
    lethe_arena *arena;
    const char *name; /* of the file */
    lethe_blocks *blocks;
    lethe_block block;
    lethe_buf scratch, repaired;
    char delimiter;
    lethe_str *field;
    uint32_t max, n_fields; /* room, and fields of the header; 0: it is not read yet */
    uint32_t *column;       /* by quasi-identifier: which field */
    lethe_u32s *leaf;       /* by quasi-identifier */
    uint64_t line;
};

static lethe_diag *diag(const struct external_reader *r) { return lethe_ctx_diag(r->ctx); }
static lethe_err fault(const struct external_reader *r, uint32_t column, const char *why)
{
    return lethe_fail_at(diag(r), LETHE_EINPUT, r->name, r->line, column, "%s", why);
}

/* A field as a table has it: UTF-8, no spaces at its ends. */
static lethe_err field_take(struct external_reader *r, lethe_str raw, lethe_str *out)
{
    bool was_valid;
    r->repaired.n = 0;
    if (lethe_utf8_repair(raw, &r->repaired, out, &was_valid) != LETHE_OK)
        return lethe_no_memory(diag(r));
    while (out->n > 0 && out->at[0] == ' ')
        *out = (lethe_str){out->at + 1, out->n - 1};
    while (out->n > 0 && out->at[out->n - 1] == ' ')
        out->n--;
    return LETHE_OK;
}

/* Where each quasi-identifier is. */
static lethe_err header_take(struct external_reader *r, uint32_t n)
{
    lethe_str name;
    for (size_t a = 0; a < r->t->n_qi; a++)
        r->column[a] = LETHE_NONE;
    for (uint32_t i = 0; i < n; i++) {
        LETHE_TRY(field_take(r, r->field[i], &name));
        for (size_t a = 0; a < r->t->n_qi; a++) {
            if (!lethe_str_eq(name, r->t->qi[a].name)) continue;
            if (r->column[a] != LETHE_NONE) return fault(r, i + 1, "duplicate column name");
            r->column[a] = i;
        }
    }
    for (size_t a = 0; a < r->t->n_qi; a++)
        if (r->column[a] == LETHE_NONE)
            return lethe_fail_at(diag(r), LETHE_EINPUT, r->name, r->line, 0,
                                 "no column '%.*s': the file must have all quasi-identifiers",
                                 (int)r->t->qi[a].name.n, r->t->qi[a].name.at);
    r->n_fields = n;
    return LETHE_OK;
}

static lethe_err row_take(struct external_reader *r, uint32_t n, lethe_str row, lethe_csv_fault f)
{
    if (f != LETHE_CSV_OK)
        return fault(r, n + 1,
                     f == LETHE_CSV_OPEN_QUOTE ? "a quote is not closed"
                                               : "text after a closing quote");
    if (row.n == 0) return LETHE_OK;
    if (memchr(row.at, '\0', row.n)) return fault(r, 0, "a NUL byte");
    if (r->n_fields == 0) return header_take(r, n);
    if (n != r->n_fields)
        return lethe_fail_at(diag(r), LETHE_EINPUT, r->name, r->line, 0,
                             "%lu fields where the header has %lu", (unsigned long)n,
                             (unsigned long)r->n_fields);
    lethe_str value;
    for (size_t a = 0; a < r->t->n_qi; a++) {
        LETHE_TRY(field_take(r, r->field[r->column[a]], &value));
        uint32_t leaf = lethe_qi_leaf(&r->t->qi[a], value);
        if (lethe_u32s_append(r->arena, &r->leaf[a], &leaf, 1) != LETHE_OK)
            return lethe_no_memory(diag(r));
    }
    return LETHE_OK;
}

static lethe_err blocks_take(struct external_reader *r)
{
    for (bool more = true;;) {
        LETHE_TRY(lethe_blocks_next(r->blocks, &r->block, &more));
        if (!more) return LETHE_OK;
        r->line = r->block.first_line;
        if (r->block.too_long) return fault(r, 0, "a row is too long");
        lethe_csv csv = lethe_csv_begin(r->block.text, r->delimiter);
        while (more) {
            if (lethe_ctx_cancelled(r->ctx)) return LETHE_ECANCEL;
            lethe_csv before = csv;
            lethe_csv_fault f;
            lethe_str row;
            uint32_t n, used;
            if (lethe_csv_next(&csv, &r->scratch, r->field, r->max, &n, &row, &used, &f, &more) !=
                LETHE_OK)
                return lethe_no_memory(diag(r));
            if (more && n > r->max) { // room for more fields is made, and the row is read again
                r->max = n;
                r->field = lethe_new(r->arena, lethe_str, n);
                csv = before;
                if (!r->field) return lethe_no_memory(diag(r));
            } else if (more) {
                LETHE_TRY(row_take(r, n, row, f));
                r->line += used;
            }
        }
    }
}

static lethe_err external_make(struct external_reader *r, const char *path, lethe_external *out)
{
    lethe_source *s = NULL;
    lethe_str first;
    r->max = FIELDS_FIRST;
    r->field = lethe_new(r->arena, lethe_str, r->max);
    r->column = lethe_new(r->arena, uint32_t, r->t->n_qi);
    r->leaf = lethe_new(r->arena, lethe_u32s, r->t->n_qi);
    if (!r->field || !r->column || !r->leaf) return lethe_no_memory(diag(r));
    LETHE_TRY(lethe_source_open(diag(r), path, &s));
    lethe_source_watch(s, r->ctx);
    LETHE_TRY(lethe_blocks_new(diag(r), s, LETHE_CUT_CSV, ',', BLOCK_BYTES, &r->blocks));
    LETHE_TRY(lethe_blocks_peek(r->blocks, PEEK_BYTES, &first));
    r->delimiter = lethe_guess_delimiter(first);
    if (!r->delimiter) r->delimiter = ','; // one column alone
    lethe_blocks_set_cut(r->blocks, LETHE_CUT_CSV, r->delimiter);
    LETHE_TRY(blocks_take(r));
    r->line = 0;
    if (r->n_fields == 0) return fault(r, 0, "no header");
    if (r->leaf[0].n == 0) return fault(r, 0, "no row");
    const uint32_t **leaf = lethe_new(r->arena, const uint32_t *, r->t->n_qi);
    if (!leaf) return lethe_no_memory(diag(r));
    for (size_t a = 0; a < r->t->n_qi; a++)
        leaf[a] = r->leaf[a].at;
    *out = (lethe_external){.n = r->leaf[0].n, .leaf = leaf};
    return LETHE_OK;
}

lethe_err lethe_external_read(lethe_ctx *ctx, const char *path, const lethe_table *t,
                              lethe_arena *a, lethe_external *out)
{
    struct external_reader r = {.ctx = ctx, .t = t, .arena = a, .name = path};
    lethe_err e = external_make(&r, path, out);
    lethe_blocks_free(r.blocks);
    lethe_block_free(&r.block);
    lethe_buf_free(&r.scratch);
    lethe_buf_free(&r.repaired);
    return e;
}
