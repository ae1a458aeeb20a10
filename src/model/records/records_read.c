/* SPDX-License-Identifier: Apache-2.0 */
/* Lines into records.  A line is looked over as a whole before anything of it is kept, so that what
 * is rejected leaves no trace, not even a name among the items. */
#include "model/records/records_internal.h"
#include "text/normalize.h"

const char lethe_record_too_long[] = "line over 64 MiB";
static const char has_nul[] = "NUL byte";
static const char has_cr[] = "carriage return inside the line";
static const char no_id[] = "empty ID";
static const char no_item[] = "empty item";
static const char second_tab[] = "second tab";

enum { BLOCK_BYTES = 1 << 20 };

typedef lethe_records_reader reader;

/* --- one line --- */

typedef struct fault {
    const char *cause; /* NULL: none */
    size_t at;         /* the byte, from 0 */
} fault;

/* Looks for what may stand neither in an ID nor in an item. */
static fault check_id(lethe_str id)
{
    if (id.n == 0) return (fault){no_id, 0};
    for (size_t i = 0; i < id.n; i++)
        if (id.at[i] == '\0' || id.at[i] == '\r') return (fault){id.at[i] ? has_cr : has_nul, i};
    return (fault){0};
}

/* `from` is where the items begin.  *high: not all of them are ASCII. */
static fault check_items(lethe_str line, size_t from, bool *high)
{
    size_t begin = from; // of the item at hand
    uint8_t all = 0;
    for (size_t i = from; i < line.n; i++) {
        uint8_t c = (uint8_t)line.at[i];
        all |= c;
        if (c > ' ') continue;
        if (c == '\0') return (fault){has_nul, i};
        if (c == '\r') return (fault){has_cr, i};
        if (c == '\t') return (fault){second_tab, i};
        if (c != ' ') continue;
        if (i == begin) return (fault){no_item, i};
        begin = i + 1;
    }
    *high = all >= 0x80;
    return (fault){0};
}

/* Where the items begin: after a tab, if there is one. */
static size_t items_from(lethe_str line)
{
    const char *tab = memchr(line.at, '\t', line.n);
    return tab ? (size_t)(tab - line.at) + 1 : 0;
}

lethe_err lethe_records_reject(reader *r, uint64_t line, uint32_t column, const char *cause,
                               lethe_str content)
{
    r->n_rejected++;
    if (lethe_rejects_add(&r->rejects, line, column, cause, content) != LETHE_OK)
        return LETHE_ENOMEM;
    return r->strict ? LETHE_EINPUT : LETHE_OK;
}

static lethe_err take_line(reader *r, lethe_str line, uint64_t number)
{
    size_t from = items_from(line);
    bool high = false, invalid = false;
    fault f = from ? check_id((lethe_str){line.at, from - 1}) : (fault){0};
    if (!f.cause) f = check_items(line, from, &high);
    uint64_t origin = r->counts.read + r->n_lines++;
    if (f.cause) return lethe_records_reject(r, number, (uint32_t)f.at + 1, f.cause, line);
    // A broken part never holds a byte of ASCII: what separates the fields stays where it is.
    if (high || from) LETHE_TRY(lethe_utf8_repair(line, &r->repaired, &line, &invalid));
    r->counts.invalid_utf8 += invalid;
    from = items_from(line); // it may have moved
    lethe_records_builder *b = r->builder;
    lethe_str id = {line.at, from ? from - 1 : 0};
    LETHE_TRY(lethe_records_begin(b, from ? &id : NULL, origin));
    while (from < line.n) {
        const char *p = line.at + from, *space = memchr(p, ' ', line.n - from);
        size_t n = space ? (size_t)(space - p) : line.n - from;
        LETHE_TRY(lethe_records_item(b, (lethe_str){p, n}));
        from += n + 1;
    }
    return LETHE_OK;
}

/* --- one file --- */

static lethe_err take_block(reader *r, const lethe_block *block)
{
    if (r->delimiter) return lethe_records_fields(r, block);
    const char *p = block->text.at, *end = p + block->text.n;
    uint64_t number = block->first_line;
    if (block->too_long) {
        r->n_lines++;
        return lethe_records_reject(r, number, 0, lethe_record_too_long, (lethe_str){"", 0});
    }
    while (p < end) {
        const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
        lethe_str line = {p, (size_t)(stop - p)};
        if (lf && line.n > 0 && lf[-1] == '\r') line.n--;
        LETHE_TRY(take_line(r, line, number++));
        p = stop + (lf != NULL);
    }
    return LETHE_OK;
}

static lethe_err too_many_rejected(lethe_diag *d, const char *name, uint64_t rejected,
                                   uint64_t lines)
{
    return lethe_fail(d, LETHE_EINPUT, "%s%s%s%llu of %llu lines rejected: not a file of records?",
                      name ? "'" : "", name ? name : "", name ? "': " : "",
                      (unsigned long long)rejected, (unsigned long long)lines);
}

/* Brings the file's sums to an end. */
static lethe_err file_end(reader *r)
{
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    r->counts.read += r->n_lines;
    r->counts.rejected += r->n_rejected;
    if (r->n_lines == 0) return lethe_fail(d, LETHE_EINPUT, "'%s' is empty", r->name);
    if (lethe_rejects_say(d, r->name, &r->rejects) != LETHE_OK) return lethe_no_memory(d);
    if (r->n_rejected == r->n_lines)
        return too_many_rejected(d, r->name, r->n_rejected, r->n_lines);
    r->n_lines = r->n_rejected = 0;
    lethe_rejects_clear(&r->rejects);
    return LETHE_OK;
}

static lethe_err so_far_fits(const reader *r)
{
    lethe_sizes s = lethe_records_so_far(r->builder);
    s.held += r->beside + lethe_records_gathered_bytes(r);
    return lethe_ctx_grows(r->ctx, &s, r->taken, r->bytes);
}

/* Closes the source.  `name` NULL: its own. */
static lethe_err read_source(reader *r, lethe_source *source, const char *name, char delimiter)
{
    lethe_blocks *blocks = NULL;
    LETHE_TRY(
        lethe_blocks_new(lethe_ctx_diag(r->ctx), source, LETHE_CUT_LINES, 0, BLOCK_BYTES, &blocks));
    lethe_blocks_set_line_max(blocks, LETHE_RECORD_MAX);
    lethe_source_watch(source, r->ctx);
    r->name = name ? name : lethe_source_name(source);
    lethe_block block = {0};
    lethe_err e = lethe_records_file_begin(r, blocks, delimiter);
    uint64_t taken = 0, invalid = r->counts.invalid_utf8;
    for (bool more = true; e == LETHE_OK;) {
        if (lethe_ctx_cancelled(r->ctx)) e = LETHE_ECANCEL;
        if (e == LETHE_OK) e = lethe_blocks_next(blocks, &block, &more);
        if (e != LETHE_OK || !more) break;
        e = take_block(r, &block);
        uint64_t now = lethe_source_taken(lethe_blocks_source(blocks));
        lethe_ctx_advance(r->ctx, now - taken);
        r->taken += now - taken;
        taken = now;
        if (e == LETHE_ENOMEM) e = lethe_no_memory(r->ctx);
        if (e == LETHE_OK) e = so_far_fits(r);
        if (e == LETHE_EINPUT)
            lethe_rejects_say_first(lethe_ctx_diag(r->ctx), r->name, &r->rejects);
    }
    lethe_block_free(&block);
    if (e == LETHE_OK) e = file_end(r);
    if (e == LETHE_OK)
        lethe_source_say_invalid(lethe_blocks_source(blocks), r->counts.invalid_utf8 - invalid);
    lethe_blocks_free(blocks);
    return e;
}

/* --- all files --- */

static lethe_err reader_begin(reader *r, const lethe_read_options *reading)
{
    r->builder = lethe_records_builder_new();
    lethe_err e = r->builder ? lethe_records_form(r, reading) : lethe_no_memory(r->ctx);
    if (e != LETHE_OK) {
        lethe_records_builder_free(r->builder);
        lethe_records_form_free(r);
    }
    return e;
}

/* Each record of the long form is made of as many lines as it has items. */
static lethe_err lines_set(lethe_records *r)
{
    uint64_t *lines = lethe_new(r->arena, uint64_t, r->n + 1);
    if (!lines) return LETHE_ENOMEM;
    for (size_t i = 0; i < r->n; i++)
        lines[i] = lethe_record_size(r, i);
    r->lines = lines;
    return LETHE_OK;
}

/* The records, or why there are none; `e` is how reading ended. */
static lethe_err reader_end(reader *r, lethe_err e, const char *only, lethe_records **out)
{
    lethe_records *records = NULL;
    if (e == LETHE_OK && r->counts.rejected > r->counts.read / 10)
        e = too_many_rejected(lethe_ctx_diag(r->ctx), only, r->counts.rejected, r->counts.read);
    if (e == LETHE_OK && r->is_long && lethe_records_gathered(r) != LETHE_OK)
        e = lethe_no_memory(r->ctx);
    if (e == LETHE_OK && lethe_records_build(r->builder, &records) != LETHE_OK)
        e = lethe_no_memory(r->ctx);
    if (e == LETHE_OK && r->is_long && lines_set(records) != LETHE_OK) {
        e = lethe_no_memory(r->ctx);
        lethe_records_free(records);
    }
    lethe_records_builder_free(r->builder);
    lethe_records_form_free(r);
    lethe_rejects_free(&r->rejects);
    lethe_buf_free(&r->repaired);
    if (e != LETHE_OK) return e;
    records->counts = r->counts;
    *out = records;
    return LETHE_OK;
}

lethe_err lethe_records_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                             const lethe_read_options *reading, lethe_records **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    reader r = {.ctx = ctx, .strict = reading->strict};
    uint64_t bytes;
    assert(n > 0);
    LETHE_TRY(lethe_sources_size(d, paths, n, &bytes));
    LETHE_TRY(reader_begin(&r, reading));
    lethe_ctx_phase(ctx, "reading", bytes);
    r.bytes = bytes;
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < n && e == LETHE_OK; i++) {
        lethe_source *source = NULL;
        e = lethe_source_open_text(d, paths[i], reading->encoding, false, &source);
        if (e == LETHE_OK) e = read_source(&r, source, NULL, reading->delimiter);
    }
    return reader_end(&r, e, n == 1 ? paths[0] : NULL, out);
}

lethe_err lethe_records_texts(lethe_ctx *ctx, const char *const *names, const lethe_str *texts,
                              size_t n, const lethe_read_options *reading, lethe_records **out)
{
    reader r = {.ctx = ctx, .strict = reading->strict};
    lethe_err e = LETHE_OK;
    LETHE_TRY(reader_begin(&r, reading));
    for (size_t i = 0; i < n; i++)
        r.beside += texts[i].n;
    for (size_t i = 0; i < n && e == LETHE_OK; i++) {
        lethe_source *source = NULL;
        e = lethe_source_memory(lethe_ctx_diag(ctx), texts[i], &source);
        if (e == LETHE_OK) e = read_source(&r, source, names[i], reading->delimiter);
    }
    return reader_end(&r, e, n == 1 ? names[0] : NULL, out);
}

lethe_err lethe_records_memory(lethe_ctx *ctx, lethe_str bytes, bool strict, lethe_records **out)
{
    reader r = {.ctx = ctx, .strict = strict};
    lethe_source *source = NULL;
    LETHE_TRY(reader_begin(&r, &(lethe_read_options){0}));
    r.told = true;
    lethe_err e = lethe_source_memory(lethe_ctx_diag(ctx), bytes, &source);
    if (e == LETHE_OK) e = read_source(&r, source, NULL, '\0');
    return reader_end(&r, e, NULL, out);
}
