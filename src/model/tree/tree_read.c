/* SPDX-License-Identifier: Apache-2.0 */
/* Taxonomies from files.  Both forms are read line by line: a label in quotes may not hold a line
 * end anyway, since no name may. */
#include "model/tree/tree_build.h"
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include <stdio.h>

enum { BLOCK_BYTES = 1 << 20, MAX_COLUMNS = 3 };
typedef enum form { UNKNOWN, EDGES, ARX } form;

typedef struct reader {
    lethe_diag *diag;
    lethe_tree_builder *builder;
    lethe_naming naming;
    form form;
    uint64_t line;
    uint32_t root;      /* ARX: the name in which every row ends; edges: the one that the first line
                           says has no parent; LETHE_NONE: not known yet, or not said */
    uint64_t root_line; /* ARX: and the line of the first */
    bool begun;         /* edges: was there a line? */
    lethe_buf named[2]; /* of lethe_naming_apply */
    lethe_buf unquoted, labels; /* of an ARX row */
} reader;

/* --- names --- */

static lethe_err fault(reader *r, uint32_t column, lethe_str content, const char *text)
{
    return lethe_tree_builder_fail(r->builder, r->line, column, content, text);
}

/* Why the bytes of a field can be no name; NULL: they can. */
static const char *fault_of(lethe_str f)
{
    if (f.n == 0) return NULL; // the builder refuses it
    if (lethe_ascii_plain(f) && !memchr(f.at, '\t', f.n)) return NULL;
    for (size_t i = 0; i < f.n; i++) {
        if (f.at[i] == 0) return "a NUL in a name";
        if (f.at[i] == '\t') return "a tab in a name";
        if (f.at[i] == '\r' || f.at[i] == '\n') return "a line end in a name";
    }
    return lethe_utf8_valid(f) ? NULL : "a name is not valid utf-8";
}

lethe_err lethe_naming_apply(lethe_naming naming, lethe_str field, lethe_buf both[2],
                             lethe_str *out)
{
    bool invalid;
    *out = field;
    if (naming == LETHE_NAMES_TERMS) LETHE_TRY(lethe_normalize(field, &both[0], out, &invalid));
    if (naming == LETHE_NAMES_RAW || out->n == 0 || !memchr(out->at, ' ', out->n)) return LETHE_OK;
    lethe_buf *b = &both[1];
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, *out));
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i] == ' ') b->at[i] = '_';
    *out = (lethe_str){(const char *)b->at, b->n};
    return LETHE_OK;
}

/* The number of the name in a field. */
static lethe_err name_take(reader *r, lethe_str field, uint32_t column, uint32_t *id)
{
    const char *cause = fault_of(field);
    if (cause) return fault(r, column, field, cause);
    lethe_str name;
    if (lethe_naming_apply(r->naming, field, r->named, &name) != LETHE_OK)
        return lethe_no_memory(r->diag);
    lethe_tree_builder_column(r->builder, column);
    return lethe_tree_builder_name(r->builder, name, r->line, id);
}

/* --- lines --- */

/* `child TAB parent`, and perhaps a third column.  Of taxonomy.tsv the first line is the root's,
 * which has leaves but no parent. */
static lethe_err take_edge(reader *r, const lethe_str *f, uint32_t n, lethe_str line)
{
    uint32_t child, parent;
    bool is_first = !r->begun;
    r->begun = true;
    if (n != 2 && n != MAX_COLUMNS) {
        char text[96];
        snprintf(text, sizeof text, "%u column%s: expected child and parent", n, n == 1 ? "" : "s");
        return fault(r, LETHE_MIN(n, MAX_COLUMNS + 1), line, text);
    }
    LETHE_TRY(name_take(r, f[0], 1, &child));
    const char *cause = n == MAX_COLUMNS ? fault_of(f[2]) : NULL;
    if (cause) return fault(r, MAX_COLUMNS, f[2], cause);
    if (is_first && n == MAX_COLUMNS && f[1].n == 0) {
        r->root = child;
        return LETHE_OK;
    }
    LETHE_TRY(name_take(r, f[1], 2, &parent));
    if (child == r->root) return fault(r, 2, f[1], "the root, by the first line, gets a parent");
    return lethe_tree_builder_edge(r->builder, child, parent, r->line);
}

/* The labels of an ARX row; the array grows until they fit. */
static lethe_err split_row(reader *r, lethe_str line, uint32_t *n)
{
    for (;;) {
        lethe_csv csv = lethe_csv_begin(line, ';');
        lethe_str record;
        lethe_csv_fault quotes;
        uint32_t used, max = (uint32_t)(r->labels.cap / sizeof(lethe_str));
        bool more;
        if (lethe_csv_next(&csv, &r->unquoted, (lethe_str *)(void *)r->labels.at, max, n, &record,
                           &used, &quotes, &more) != LETHE_OK)
            return lethe_no_memory(r->diag);
        if (quotes == LETHE_CSV_OPEN_QUOTE) return fault(r, *n + 1, line, "a quote is not closed");
        if (quotes == LETHE_CSV_AFTER_QUOTE)
            return fault(r, *n + 1, line, "something follows a closing quote");
        if (*n <= max) return LETHE_OK;
        r->labels.n = 0;
        if (lethe_buf_reserve(&r->labels, *n * sizeof(lethe_str)) != LETHE_OK)
            return lethe_no_memory(r->diag);
    }
}

/* `leaf;parent;...;root`. */
static lethe_err take_row(reader *r, lethe_str line)
{
    uint32_t n, id = LETHE_NONE, below = LETHE_NONE;
    LETHE_TRY(split_row(r, line, &n));
    const lethe_str *label = (const lethe_str *)(const void *)r->labels.at;
    for (uint32_t i = 0; i < n; i++, below = id) {
        LETHE_TRY(name_take(r, label[i], i + 1, &id));
        if (i > 0 && id != below)
            LETHE_TRY(lethe_tree_builder_edge(r->builder, below, id, r->line));
    }
    if (r->root == LETHE_NONE) {
        r->root = id;
        r->root_line = r->line;
    }
    if (id == r->root) return LETHE_OK;
    char text[96];
    snprintf(text, sizeof text, "the row ends in another root than line %llu",
             (unsigned long long)r->root_line);
    return fault(r, n, label[n - 1], text);
}

/* --- files --- */

static lethe_err take_block(reader *r, const lethe_block *block)
{
    lethe_str f[MAX_COLUMNS], line;
    uint32_t n;
    r->line = block->first_line;
    if (block->too_long) return fault(r, 0, LETHE_LIT(""), "a line over 1 MiB");
    lethe_tsv t = lethe_tsv_begin(block->text, '\t');
    for (; lethe_tsv_next(&t, f, MAX_COLUMNS, &n, &line); r->line++) {
        if (line.n == 0) continue;
        if (r->form == UNKNOWN) r->form = n > 1 ? EDGES : ARX;
        LETHE_TRY(r->form == EDGES ? take_edge(r, f, n, line) : take_row(r, line));
    }
    return LETHE_OK;
}

static lethe_err read_source(lethe_ctx *ctx, lethe_source *source, lethe_naming naming,
                             lethe_tree **out)
{
    reader r = {.diag = lethe_ctx_diag(ctx), .naming = naming, .root = LETHE_NONE};
    lethe_blocks *blocks = NULL;
    lethe_source_watch(source, ctx);
    LETHE_TRY(lethe_blocks_new(r.diag, source, LETHE_CUT_LINES, '\t', BLOCK_BYTES, &blocks));
    lethe_err e = lethe_tree_builder_new(r.diag, lethe_source_name(source), &r.builder);
    lethe_block block = {0};
    for (bool more = true; e == LETHE_OK && more;) {
        e = lethe_ctx_cancelled(ctx) ? LETHE_ECANCEL : lethe_blocks_next(blocks, &block, &more);
        if (e == LETHE_OK && more) e = take_block(&r, &block);
    }
    lethe_block_free(&block);
    lethe_blocks_free(blocks);
    lethe_buf_free(&r.named[0]);
    lethe_buf_free(&r.named[1]);
    lethe_buf_free(&r.unquoted);
    lethe_buf_free(&r.labels);
    if (e == LETHE_OK) return lethe_tree_build(r.builder, out);
    lethe_tree_builder_free(r.builder);
    return e;
}

lethe_err lethe_tree_read(lethe_ctx *ctx, const char *path, lethe_naming naming, lethe_tree **out)
{
    lethe_source *source = NULL;
    LETHE_TRY(lethe_source_open(lethe_ctx_diag(ctx), path, &source));
    return read_source(ctx, source, naming, out);
}

lethe_err lethe_tree_memory(lethe_ctx *ctx, lethe_str bytes, lethe_naming naming, lethe_tree **out)
{
    lethe_source *source = NULL;
    LETHE_TRY(lethe_source_memory(lethe_ctx_diag(ctx), bytes, &source));
    return read_source(ctx, source, naming, out);
}
