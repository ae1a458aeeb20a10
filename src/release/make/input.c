/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - an input that is read once and kept, in memory or on disk, for several runs. */
#include "release/make/input.h"
#include "io/read/blocks.h"
#include "io/read/source.h"
#include "release/make/table_options.h"

enum { READ_BYTES = 1 << 20 };

/* --- a log or a table? --- */

static lethe_err file_is_table(lethe_ctx *ctx, const char *path, const lethe_read_options *reading,
                               bool *is_table)
{
    enum { LOOK_BYTES = 64 << 10 };
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_source *source = NULL;
    lethe_blocks *blocks = NULL;
    lethe_str text = {"", 0};
    lethe_source_form form;
    bool is_log = true;
    LETHE_TRY(lethe_source_form_of(d, path, &form));
    *is_table = false;
    if (form == LETHE_SOURCE_SETS) return LETHE_OK;
    LETHE_TRY(lethe_source_open_text(d, path, reading->encoding, true, &source));
    LETHE_TRY(lethe_blocks_new(d, source, LETHE_CUT_LINES, ',', 1 << 20, &blocks));
    lethe_err e = lethe_blocks_peek(blocks, LOOK_BYTES, &text);
    if (e == LETHE_OK &&
        lethe_log_recognise(reading, text, text.n < LOOK_BYTES,
                            form == LETHE_SOURCE_CSV || reading->header, &is_log) != LETHE_OK)
        e = lethe_no_memory(ctx);
    lethe_blocks_free(blocks);
    *is_table = !is_log;
    return e;
}

lethe_err lethe_inputs_are_table(lethe_ctx *ctx, const char *const *paths, size_t n,
                                 const lethe_read_options *reading, bool *is_table)
{
    *is_table = false;
    // What is looked at must be there again when it is read: a pipe's first bytes would be lost.
    if (n == 0 || !lethe_source_rereads(lethe_ctx_diag(ctx), paths[0])) return LETHE_OK;
    return file_is_table(ctx, paths[0], reading, is_table);
}

lethe_err lethe_input_shape_of(lethe_ctx *ctx, const char *const *paths, size_t n,
                               const lethe_read_options *reading, bool qi, lethe_shape *out)
{
    bool records, table = false;
    lethe_diag *d = lethe_ctx_diag(ctx);
    if (reading->format == LETHE_FORMAT_TABLE && !qi)
        return lethe_fail(d, LETHE_EUSAGE, "a table needs --qi: the columns that others may know");
    if (qi) {
        *out = LETHE_SHAPE_TABLE; // what does not fit is refused when it is read
        return LETHE_OK;
    }
    LETHE_TRY(lethe_inputs_are_records(ctx, paths, n, reading, &records));
    if (!records) LETHE_TRY(lethe_inputs_are_table(ctx, paths, n, reading, &table));
    if (table)
        return lethe_fail(d, LETHE_EUSAGE,
                          "'%s' has no user and query columns in its first line: for a log, say "
                          "which they are, as in --columns user=1,query=3; for a table, name the "
                          "columns that others may know with --qi ('lethe profile' proposes some)",
                          paths[0]);
    *out = records ? LETHE_SHAPE_RECORDS : LETHE_SHAPE_LOG;
    return LETHE_OK;
}

/* --- a log --- */

static lethe_err row_keep(void *arg, unsigned w, const lethe_row *row)
{
    return lethe_log_append(arg, w, row);
}

static lethe_err log_hold(lethe_ctx *ctx, const char *const *paths, size_t n,
                          const lethe_read_options *reading, lethe_input *in)
{
    lethe_log *files;
    LETHE_TRY(lethe_log_files(ctx, paths, n, reading, &files));
    lethe_err e = lethe_log_store(ctx, lethe_ctx_memory(ctx) / 8, &in->log);
    if (e == LETHE_OK)
        e = lethe_log_walk(ctx, files, &(lethe_row_visitor){.row = row_keep, .arg = in->log});
    in->counts = *lethe_log_counts(files);
    lethe_log_free(files);
    return e;
}

/* --- records --- */

static lethe_err text_read(lethe_ctx *ctx, lethe_source *s, lethe_buf *out)
{
    lethe_err e = LETHE_OK;
    for (size_t got = 1; e == LETHE_OK && got > 0;) {
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (lethe_buf_reserve(out, READ_BYTES) != LETHE_OK) return lethe_no_memory(ctx);
        e = lethe_source_read(s, out->at + out->n, READ_BYTES, &got);
        if (e == LETHE_OK) out->n += got;
        if (e == LETHE_OK) e = lethe_ctx_grows(ctx, &(lethe_sizes){.held = out->n}, 0, 0);
    }
    return e;
}

lethe_err lethe_input_raw(lethe_ctx *ctx, const lethe_input *in, const lethe_read_options *reading,
                          lethe_records **out)
{
    lethe_str *views = lethe_alloc(in->n_texts, sizeof *views);
    if (!views) return lethe_no_memory(ctx);
    for (size_t i = 0; i < in->n_texts; i++)
        views[i] = (lethe_str){(const char *)in->texts[i].at, in->texts[i].n};
    lethe_err e = lethe_records_texts(ctx, in->names, views, in->n_texts, reading, out);
    lethe_free(views);
    return e;
}

/* Lines that are bad are found, and said, as soon as the bytes are there. */
static lethe_err texts_hold(lethe_ctx *ctx, const char *const *paths, size_t n,
                            const lethe_read_options *reading, lethe_input *in)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_records *raw;
    size_t n_stdin = 0;
    for (size_t i = 0; i < n; i++)
        n_stdin += strcmp(paths[i], "-") == 0;
    if (n_stdin > 1) return lethe_fail(d, LETHE_EUSAGE, "standard input can be read only once");
    in->texts = lethe_alloc_zero(n, sizeof *in->texts);
    if (!in->texts) return lethe_no_memory(d);
    in->names = paths;
    in->n_texts = n;
    lethe_ctx_phase(ctx, "reading", 0);
    for (size_t i = 0; i < n; i++) {
        lethe_source *s;
        LETHE_TRY(lethe_source_open_text(d, paths[i], reading->encoding, false, &s));
        lethe_source_watch(s, ctx);
        lethe_err e = text_read(ctx, s, &in->texts[i]);
        lethe_source_close(s);
        LETHE_TRY(e);
    }
    LETHE_TRY(lethe_input_raw(ctx, in, reading, &raw));
    lethe_records_free(raw);
    return LETHE_OK;
}

/* --- all of them --- */

lethe_err lethe_input_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                           const lethe_read_options *reading, lethe_shape shape,
                           const lethe_values *v, lethe_input *out)
{
    *out = (lethe_input){.shape = shape};
    if (shape == LETHE_SHAPE_TABLE)
        return lethe_table_from_files(ctx, paths, n, reading, v, &out->table);
    return shape == LETHE_SHAPE_RECORDS ? texts_hold(ctx, paths, n, reading, out)
                                        : log_hold(ctx, paths, n, reading, out);
}

void lethe_input_free(lethe_input *in)
{
    lethe_log_free(in->log);
    for (size_t i = 0; in->texts && i < in->n_texts; i++)
        lethe_buf_free(&in->texts[i]);
    lethe_free(in->texts);
    lethe_table_free(in->table);
    *in = (lethe_input){0};
}

lethe_err lethe_input_to_records(lethe_ctx *ctx, const lethe_input *in, const lethe_values *v,
                                 const lethe_sensitive *marks, const lethe_read_options *reading,
                                 lethe_bound_records *out)
{
    lethe_records *raw;
    *out = (lethe_bound_records){0};
    if (in->shape == LETHE_SHAPE_LOG)
        return lethe_bind_log(ctx, in->log, v, marks, reading->strict, out);
    LETHE_TRY(lethe_input_raw(ctx, in, reading, &raw));
    return lethe_bind_raw(ctx, raw, v, marks, reading->strict, out);
}
