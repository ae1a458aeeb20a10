/* input.c - an input that is read once and kept, in memory or on disk, for several runs. */
#include "release/make/input.h"
#include "io/read/source.h"
#include "release/make/table_options.h"

enum { READ_BYTES = 1 << 20 };

lethe_err lethe_input_shape_of(lethe_ctx *ctx, const char *const *paths, size_t n,
                               const lethe_read_options *reading, bool qi, lethe_shape *out)
{
    bool records;
    lethe_diag *d = lethe_ctx_diag(ctx);
    if (reading->format == LETHE_FORMAT_TABLE && !qi)
        return lethe_fail(d, LETHE_EUSAGE, "a table needs --qi: the columns that others may know");
    if (qi) {
        *out = LETHE_SHAPE_TABLE; // what does not fit is refused when it is read
        return LETHE_OK;
    }
    LETHE_TRY(lethe_inputs_are_records(ctx, paths, n, reading, &records));
    *out = records ? LETHE_SHAPE_RECORDS : LETHE_SHAPE_LOG;
    return LETHE_OK;
}

/* --- a log --- */

static lethe_err row_keep(void *arg, unsigned w, const lethe_row *row)
{
    return lethe_log_append(arg, w, row);
}

static lethe_err log_hold(lethe_ctx *ctx, const char *const *paths, size_t n,
                          const lethe_read_options *reading, lethe_input *h)
{
    lethe_log *files;
    LETHE_TRY(lethe_log_files(ctx, paths, n, reading, &files));
    lethe_err e = lethe_log_store(ctx, lethe_ctx_memory(ctx) / 8, &h->log);
    if (e == LETHE_OK)
        e = lethe_log_walk(ctx, files, &(lethe_row_visitor){.row = row_keep, .arg = h->log});
    h->counts = *lethe_log_counts(files);
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
    }
    return e;
}

lethe_err lethe_input_raw(lethe_ctx *ctx, const lethe_input *h, bool strict, lethe_records **out)
{
    lethe_str *views = lethe_alloc(h->n_texts, sizeof *views);
    if (!views) return lethe_no_memory(ctx);
    for (size_t i = 0; i < h->n_texts; i++)
        views[i] = (lethe_str){(const char *)h->texts[i].at, h->texts[i].n};
    lethe_err e = lethe_records_texts(ctx, h->names, views, h->n_texts, strict, out);
    lethe_free(views);
    return e;
}

/* Lines that are bad are found, and said, as soon as the bytes are there. */
static lethe_err texts_hold(lethe_ctx *ctx, const char *const *paths, size_t n, bool strict,
                            lethe_input *h)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_records *raw;
    size_t n_stdin = 0;
    for (size_t i = 0; i < n; i++)
        n_stdin += strcmp(paths[i], "-") == 0;
    if (n_stdin > 1) return lethe_fail(d, LETHE_EUSAGE, "standard input can be read only once");
    h->texts = lethe_alloc_zero(n, sizeof *h->texts);
    if (!h->texts) return lethe_no_memory(d);
    h->names = paths;
    h->n_texts = n;
    lethe_ctx_phase(ctx, "reading", 0);
    for (size_t i = 0; i < n; i++) {
        lethe_source *s;
        LETHE_TRY(lethe_source_open(d, paths[i], &s));
        lethe_source_watch(s, ctx);
        lethe_err e = text_read(ctx, s, &h->texts[i]);
        lethe_source_close(s);
        LETHE_TRY(e);
    }
    LETHE_TRY(lethe_input_raw(ctx, h, strict, &raw));
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
    return shape == LETHE_SHAPE_RECORDS ? texts_hold(ctx, paths, n, reading->strict, out)
                                        : log_hold(ctx, paths, n, reading, out);
}

void lethe_input_free(lethe_input *h)
{
    lethe_log_free(h->log);
    for (size_t i = 0; h->texts && i < h->n_texts; i++)
        lethe_buf_free(&h->texts[i]);
    lethe_free(h->texts);
    lethe_table_free(h->table);
    *h = (lethe_input){0};
}

lethe_err lethe_input_to_records(lethe_ctx *ctx, const lethe_input *h, const lethe_values *v,
                                 const lethe_sensitive *marks, bool strict,
                                 lethe_bound_records *out)
{
    lethe_records *raw;
    *out = (lethe_bound_records){0};
    if (h->shape == LETHE_SHAPE_LOG) return lethe_bind_log(ctx, h->log, v, marks, strict, out);
    LETHE_TRY(lethe_input_raw(ctx, h, strict, &raw));
    return lethe_bind_raw(ctx, raw, v, marks, strict, out);
}
