/* SPDX-License-Identifier: Apache-2.0 */
/* The log itself: what it is made from, and how its files are walked.  Each file is cut into blocks
 * that workers take in rising order; what a worker counts and rejects is its own until the file's
 * end, so that rows take no lock. */
#include "model/log/log_internal.h"
#include <stdatomic.h>
#include <stdlib.h>

#define PEEK_BYTES ((size_t)64 << 10)
#define BLOCK_LEAST ((size_t)64 << 10)
#define BLOCK_MOST ((size_t)1 << 20)

#define PUBLISHED_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL" /* and further columns */
#define HEADER_MOST (LETHE_KEEP_MAX * (LETHE_KEEP_NAME_MAX + 1) + 1)    /* of these, with LF */

typedef enum log_kind { LOG_FILES, LOG_MEMORY, LOG_PUBLISHED, LOG_STORE } log_kind;

struct lethe_log {
    log_kind kind;
    lethe_ctx *ctx;
    lethe_arena *arena;
    char **paths;
    size_t n_paths;
    lethe_read_options reading;
    lethe_log_columns columns;
    lethe_ubi_actions actions;
    lethe_keep keep; /* as asked for; of PUBLISHED, what the header has */
    lethe_str memory;
    lethe_stored *stored; /* PUBLISHED; else NULL */
    const lethe_log_form *form;
    lethe_store *store;
    lethe_read_counts counts;
    lethe_date_order dates; /* as the first file that needs it tells */
    bool told;              /* messages about its lines have been given, once is enough */
    bool stdin_used;        /* and cannot be read again */
};

/* --- making --- */

static lethe_log *log_new(lethe_ctx *ctx, log_kind kind)
{
    lethe_log *log = lethe_alloc(1, sizeof *log);
    lethe_arena *arena = lethe_arena_new();
    if (!log || !arena) {
        lethe_free(log);
        lethe_arena_free(arena);
        return NULL;
    }
    *log = (lethe_log){.kind = kind, .ctx = ctx, .arena = arena};
    return log;
}

void lethe_log_free(lethe_log *log)
{
    if (!log) return;
    lethe_stored_close(log->stored);
    lethe_store_free(log->store);
    lethe_arena_free(log->arena);
    lethe_free(log);
}

/* The caller's names may go. */
static lethe_err set_keep(lethe_log *log)
{
    const lethe_keep *asked = log->reading.keep;
    log->reading.keep = NULL;
    if (!asked || asked->n == 0) return LETHE_OK;
    if (log->reading.format == LETHE_FORMAT_UBI)
        return lethe_fail(log->ctx, LETHE_EUSAGE,
                          "--keep does not apply to User Behavior Insights");
    LETHE_TRY(lethe_keep_check(lethe_ctx_diag(log->ctx), asked));
    for (size_t i = 0; i < asked->n; i++) {
        const char *name = lethe_arena_dup(log->arena, asked->at[i]);
        if (!name) return lethe_no_memory(log->ctx);
        log->keep.at[i] = (lethe_str){name, asked->at[i].n};
    }
    log->keep.n = asked->n;
    log->reading.keep = &log->keep;
    return LETHE_OK;
}

static lethe_err set_reading(lethe_log *log, const lethe_read_options *reading)
{
    static const lethe_read_options guess;
    lethe_diag *d = lethe_ctx_diag(log->ctx);
    log->reading = reading ? *reading : guess;
    char c = log->reading.delimiter;
    if (log->reading.format == LETHE_FORMAT_RECORDS || log->reading.format == LETHE_FORMAT_TABLE)
        return lethe_fail(d, LETHE_EUSAGE, "--from %s: a log is needed here",
                          log->reading.format == LETHE_FORMAT_TABLE ? "table" : "records");
    if (log->reading.columns && log->reading.format == LETHE_FORMAT_UBI)
        return lethe_fail(d, LETHE_EUSAGE,
                          "the columns of User Behavior Insights cannot be chosen: its fields have "
                          "their names");
    if (log->reading.time_format) {
        const char *fault = lethe_time_format_fault(log->reading.time_format);
        if (log->reading.format == LETHE_FORMAT_UBI)
            return lethe_fail(d, LETHE_EUSAGE,
                              "--time-format does not apply to User Behavior Insights");
        if (fault)
            return lethe_fail(d, LETHE_EUSAGE, "--time-format '%s': %s", log->reading.time_format,
                              fault);
        log->reading.time_format =
            lethe_arena_dup(log->arena, lethe_str_of(log->reading.time_format));
        if (!log->reading.time_format) return lethe_no_memory(d);
    }
    if (log->reading.encoding) {
        log->reading.encoding = lethe_arena_dup(log->arena, lethe_str_of(log->reading.encoding));
        if (!log->reading.encoding) return lethe_no_memory(d);
    }
    if (log->reading.null_texts) {
        log->reading.null_texts =
            lethe_arena_dup(log->arena, lethe_str_of(log->reading.null_texts));
        if (!log->reading.null_texts) return lethe_no_memory(d);
    }
    if (c == '\n' || c == '\r' || c == '"')
        return lethe_fail(d, LETHE_EUSAGE, "the column separator cannot be a quote or a line end");
    LETHE_TRY(lethe_log_columns_parse(d, log->arena, log->reading.columns, &log->columns));
    log->reading.columns = NULL; // parsed; the caller's string may go
    LETHE_TRY(set_keep(log));
    if (!log->reading.actions) return LETHE_OK;
    log->reading.actions = lethe_arena_dup(log->arena, lethe_str_of(log->reading.actions));
    if (!log->reading.actions) return lethe_no_memory(d);
    return lethe_ubi_actions_parse(d, log->reading.actions, &log->actions);
}

static lethe_err set_paths(lethe_log *log, const char *const *paths, size_t n)
{
    if (n == 0) return lethe_fail(log->ctx, LETHE_EUSAGE, "no input");
    log->paths = lethe_new(log->arena, char *, n);
    if (!log->paths) return lethe_no_memory(log->ctx);
    for (size_t i = 0; i < n; i++) {
        log->paths[i] = lethe_arena_dup(log->arena, lethe_str_of(paths[i]));
        if (!log->paths[i]) return lethe_no_memory(log->ctx);
    }
    log->n_paths = n;
    return lethe_sources_size(lethe_ctx_diag(log->ctx), paths, n, &(uint64_t){0});
}

lethe_err lethe_log_files(lethe_ctx *ctx, const char *const *paths, size_t n,
                          const lethe_read_options *reading, lethe_log **out)
{
    lethe_log *log = log_new(ctx, LOG_FILES);
    if (!log) return lethe_no_memory(ctx);
    lethe_err e = set_reading(log, reading);
    if (e == LETHE_OK) e = set_paths(log, paths, n);
    if (e == LETHE_OK)
        *out = log;
    else
        lethe_log_free(log);
    return e;
}

lethe_err lethe_log_memory(lethe_ctx *ctx, lethe_str bytes, const lethe_read_options *reading,
                           lethe_log **out)
{
    lethe_log *log = log_new(ctx, LOG_MEMORY);
    if (!log) return lethe_no_memory(ctx);
    lethe_err e = set_reading(log, reading);
    if (e != LETHE_OK) {
        lethe_log_free(log);
        return e;
    }
    log->memory = bytes;
    log->n_paths = 1;
    *out = log;
    return LETHE_OK;
}

lethe_err lethe_log_store(lethe_ctx *ctx, uint64_t cap_bytes, lethe_log **out)
{
    lethe_log *log = log_new(ctx, LOG_STORE);
    if (!log) return lethe_no_memory(ctx);
    lethe_err e = lethe_store_new(ctx, cap_bytes, &log->store);
    if (e == LETHE_OK)
        *out = log;
    else
        lethe_log_free(log);
    return e;
}

lethe_err lethe_log_append(lethe_log *log, unsigned w, const lethe_row *row)
{
    assert(log->kind == LOG_STORE);
    return lethe_store_append(log->store, w, row);
}

/* --- what was published --- */

/* The bytes from `offset` on, up to `cap` of them; fewer are all that there are. */
static lethe_err stored_head(lethe_diag *d, lethe_stored *stored, uint64_t offset, char *to,
                             size_t cap, size_t *n)
{
    size_t got = 1;
    for (*n = 0; *n < cap && got > 0; *n += got)
        LETHE_TRY(lethe_stored_read(d, stored, to + *n, cap - *n, offset + *n, &got));
    return LETHE_OK;
}

lethe_err lethe_stored_begins(lethe_diag *d, lethe_stored *stored, lethe_str begins,
                              const char *fault)
{
    char head[64];
    size_t n;
    assert(begins.n <= sizeof head);
    LETHE_TRY(stored_head(d, stored, 0, head, begins.n, &n));
    if (lethe_str_eq((lethe_str){head, n}, begins)) return LETHE_OK;
    return lethe_fail_at(d, LETHE_EINPUT, lethe_stored_name(stored), 1, 0, "%s", fault);
}

static const char not_published[] = "not the header of a published log";

/* The columns behind the five. */
static lethe_err header_read(lethe_log *log, const char *name)
{
    lethe_diag *d = lethe_ctx_diag(log->ctx);
    char *tail = lethe_new(log->arena, char, HEADER_MOST);
    size_t n, begin = sizeof PUBLISHED_HEADER - 1;
    if (!tail) return lethe_no_memory(d);
    LETHE_TRY(stored_head(d, log->stored, begin, tail, HEADER_MOST, &n));
    const char *lf = memchr(tail, '\n', n);
    if (lf && lethe_keep_header((lethe_str){tail, (size_t)(lf - tail)}, &log->keep))
        return LETHE_OK;
    return lethe_fail_at(d, LETHE_EINPUT, name, 1, 0, "%s", not_published);
}

lethe_err lethe_log_published(lethe_ctx *ctx, int dirfd, const char *name, lethe_log **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_log *log = log_new(ctx, LOG_PUBLISHED);
    if (!log) return lethe_no_memory(ctx);
    lethe_err e = set_paths(log, &name, 1);
    if (e == LETHE_OK) e = lethe_stored_open(d, dirfd, name, &log->stored);
    if (e == LETHE_OK)
        e = lethe_stored_begins(d, log->stored, LETHE_LIT(PUBLISHED_HEADER), not_published);
    if (e == LETHE_OK) e = header_read(log, name);
    if (e == LETHE_OK)
        *out = log;
    else
        lethe_log_free(log);
    return e;
}

void lethe_log_expect(lethe_log *log, const lethe_log_form *form) { log->form = form; }

const lethe_keep *lethe_log_keeps(const lethe_log *log) { return &log->keep; }

/* --- walking files --- */

typedef struct walk {
    lethe_ctx *ctx;
    lethe_log *log;
    const lethe_row_visitor *visitor;
    lethe_reader *readers; /* one per worker */
    unsigned n_readers;
    uint64_t origin_base, block_base;
    lethe_ubi *ubi; /* the files are User Behavior Insights, and this joins them */
    /* of the file at hand */
    size_t file;
    lethe_blocks *blocks;
    const char *name;
    lethe_layout layout;
    lethe_log_read_job job;
    lethe_block_edges edges; /* of blocks, for their order */
    _Atomic uint64_t taken;  /* stored bytes reported as progress */
    atomic_bool stop;
} walk;

static void report_progress(walk *k)
{
    uint64_t now = lethe_source_taken(lethe_blocks_source(k->blocks));
    uint64_t before = atomic_load_explicit(&k->taken, memory_order_relaxed);
    while (now > before) {
        if (!atomic_compare_exchange_weak_explicit(&k->taken, &before, now, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        lethe_ctx_advance(k->ctx, now - before);
        return;
    }
}

static void stop_at(walk *k, lethe_reader *r, uint64_t block, lethe_err e)
{
    r->err = e;
    r->err_block = block;
    atomic_store_explicit(&k->stop, true, memory_order_relaxed);
}

/* Takes blocks until there are none.  Blocks are given out in rising order and whoever has one goes
 * through with it, so the lowest failure is always found; it decides, for any number of threads. */
static lethe_err read_blocks(void *arg, size_t i, unsigned w)
{
    (void)i;
    walk *k = arg;
    lethe_reader *r = &k->readers[w];
    const lethe_row_visitor *v = k->visitor;
    while (!atomic_load_explicit(&k->stop, memory_order_relaxed)) {
        bool more = false;
        if (lethe_ctx_cancelled(k->ctx)) return LETHE_ECANCEL;
        lethe_err e = lethe_blocks_next(k->blocks, &r->block, &more);
        if (e != LETHE_OK) {
            stop_at(k, r, UINT64_MAX, e);
            break;
        }
        if (!more) break;
        e = lethe_reader_block(r, &k->job, w);
        if (e == LETHE_OK && v->end_of_block && !k->ubi)
            e = v->end_of_block(v->arg, w, k->block_base + r->block.index);
        if (e != LETHE_OK) stop_at(k, r, r->block.index, e);
        report_progress(k);
    }
    return LETHE_OK;
}

/* --- the answer to a search: by one worker, since where a hit begins only those before it tell ---
 */

static lethe_err take_hit(walk *k, const lethe_ubi_hit *hit)
{
    lethe_log_place p = {
        .r = &k->readers[0], .job = &k->job, .line = hit->line, .n_lines = 1, .raw = hit->text};
    lethe_err e =
        hit->too_long ? lethe_ubi_refuse(&p, 0, lethe_cause_too_long) : lethe_ubi_take(&p);
    return e == LETHE_ENOMEM ? lethe_no_memory(k->ctx) : e;
}

static void say_answer(const walk *k, const lethe_ubi_answer *a)
{
    if (k->log->told) return;
    if (a->hits < a->total)
        lethe_warn(k->ctx,
                   "'%s' has %llu of %llu hits: a search gives 10 unless it is asked for more "
                   "(\"size\", scrolling)",
                   k->name, (unsigned long long)a->hits, (unsigned long long)a->total);
    if (a->partial)
        lethe_warn(k->ctx,
                   "'%s': the search ran out of time, or failed on some shards: hits may "
                   "be missing",
                   k->name);
}

static lethe_err bad_answer(walk *k, const lethe_ubi_fault *fault)
{
    return lethe_fail_at(k->ctx, LETHE_EINPUT, k->name, fault->line, 0, "%s", fault->cause);
}

static lethe_err read_hits(walk *k, lethe_ubi_hits *h)
{
    lethe_reader *r = &k->readers[0];
    lethe_ubi_hit hit;
    lethe_ubi_fault fault;
    for (bool more = true; more;) {
        if (lethe_ctx_cancelled(k->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_blocks_next(k->blocks, &r->block, &more));
        lethe_str text = r->block.text;
        r->counts.bytes += text.n;
        while (text.n > 0) {
            bool found;
            if (lethe_ubi_hits_next(h, &text, &hit, &found, &fault) != LETHE_OK)
                return lethe_no_memory(k->ctx);
            if (fault.cause) return bad_answer(k, &fault);
            if (found) LETHE_TRY(take_hit(k, &hit));
        }
        report_progress(k);
    }
    lethe_ubi_answer answer = lethe_ubi_hits_end(h, &fault);
    if (fault.cause) return bad_answer(k, &fault);
    r->last_line = answer.last_line;
    r->n_blocks = 1;
    say_answer(k, &answer);
    return LETHE_OK;
}

static lethe_err read_answer(walk *k)
{
    lethe_ubi_hits *h = lethe_ubi_hits_new();
    lethe_err e = h ? read_hits(k, h) : lethe_no_memory(k->ctx);
    lethe_ubi_hits_free(h);
    return e;
}

static void add_counts(lethe_read_counts *sum, const lethe_read_counts *c)
{
    sum->lines += c->lines;
    sum->rows += c->rows;
    sum->empty += c->empty;
    sum->rejected += c->rejected;
    sum->clicks += c->clicks;
    sum->ranks += c->ranks;
    sum->times += c->times;
    sum->invalid_utf8 += c->invalid_utf8;
    sum->bytes += c->bytes;
    sum->sampled_words += c->sampled_words;
    sum->english_words += c->english_words;
}

static void say_time_forms(walk *k)
{
    if (!k->log->told && !k->layout.times.format) lethe_note(k->ctx, "%s", lethe_time_forms);
}

/* Then the dates that can be read in both ways were read by a guess. */
static lethe_err mixed_orders(walk *k)
{
    return lethe_fail(k->ctx, LETHE_EINPUT,
                      "'%s': some dates have the day first and others the month: say with "
                      "--time-format which to read",
                      k->name);
}

/* The failure in the lowest block, said where nobody has said it yet. */
static lethe_err first_failure(walk *k, const lethe_rejects *rejects)
{
    const lethe_reader *first = NULL;
    for (unsigned w = 0; w < k->n_readers; w++) {
        const lethe_reader *r = &k->readers[w];
        if (r->err != LETHE_OK && (!first || r->err_block < first->err_block)) first = r;
    }
    if (!first) return LETHE_OK;
    if (first->err_is_rejection) { /* later blocks may have been read as well, or not */
        const char *cause = lethe_rejects_say_first(lethe_ctx_diag(k->ctx), k->name, rejects);
        if (cause == lethe_cause_bad_time) say_time_forms(k);
    }
    if (first->err == LETHE_ENOMEM) return lethe_no_memory(k->ctx);
    return first->err;
}

static lethe_err too_many_rejected(lethe_diag *d, const char *name, const lethe_read_counts *c)
{
    return lethe_fail(d, LETHE_EINPUT,
                      "%s%s%s%llu of %llu lines rejected: not a log of this format? "
                      "(--from and --columns say how to read it)",
                      name ? "'" : "", name ? name : "", name ? "': " : "",
                      (unsigned long long)c->rejected, (unsigned long long)c->lines);
}

/* Documents become lines only when all files are joined, so here a file is judged by its documents.
 * An action that is the last line has lost its document: the file was cut there. */
static lethe_err ubi_file_end(walk *k, lethe_rejects *rejects, lethe_read_counts *counts,
                              uint64_t last_line)
{
    static const char no_document[] = "bulk action without its document";
    lethe_diag *d = lethe_ctx_diag(k->ctx);
    lethe_ubi_seen seen = {0};
    for (unsigned w = 0; w < k->n_readers; w++)
        lethe_ubi_seen_add(&seen, &k->readers[w].ubi);
    if (last_line == 0) return lethe_fail(d, LETHE_EINPUT, "'%s' is empty", k->name);
    if (seen.last_action == last_line) {
        counts->lines++;
        counts->rejected++;
        if (lethe_rejects_add(rejects, last_line, 0, no_document, (lethe_str){"", 0}) != LETHE_OK)
            return lethe_no_memory(d);
    }
    if (seen.documents == 0 && counts->rejected == 0 && k->layout.answer)
        return lethe_fail(d, LETHE_EINPUT, "'%s': the search has found nothing", k->name);
    if (seen.documents == 0 && !k->log->reading.strict) {
        if (!k->log->told && lethe_rejects_say(d, k->name, rejects) != LETHE_OK)
            return lethe_no_memory(d);
        return too_many_rejected(d, k->name, counts);
    }
    return lethe_ubi_file_end(k->ubi, k->name, k->job.origin_base, &seen, rejects);
}

/* Brings together what the workers found in a file. */
static lethe_err file_end(walk *k, lethe_rejects *rejects)
{
    lethe_diag *d = lethe_ctx_diag(k->ctx);
    lethe_read_counts counts = {0};
    uint64_t last_line = k->layout.header_lines, n_blocks = 0;
    for (unsigned w = 0; w < k->n_readers; w++) {
        lethe_reader *r = &k->readers[w];
        add_counts(&counts, &r->counts);
        last_line = LETHE_MAX(last_line, r->last_line);
        n_blocks = LETHE_MAX(n_blocks, r->n_blocks);
        if (lethe_rejects_merge(rejects, &r->rejects) != LETHE_OK) return lethe_no_memory(d);
    }
    k->origin_base += last_line - k->layout.header_lines;
    k->block_base += n_blocks;
    lethe_err e = first_failure(k, rejects);
    if (e == LETHE_OK && k->ubi) e = ubi_file_end(k, rejects, &counts, last_line);
    add_counts(&k->log->counts, &counts);
    if (e != LETHE_OK || k->ubi) return e;
    if (!k->edges.in_order)
        return lethe_fail(d, LETHE_EINPUT, "'%s': lines are not in order of their bytes", k->name);
    if (counts.lines == 0)
        return lethe_fail(d, LETHE_EINPUT,
                          k->layout.header_lines ? "'%s' holds only a header" : "'%s' is empty",
                          k->name);
    if (!k->log->told && lethe_rejects_say(d, k->name, rejects) != LETHE_OK)
        return lethe_no_memory(d);
    if (lethe_rejects_have(rejects, lethe_cause_bad_time)) say_time_forms(k);
    if (!k->log->told)
        lethe_source_say_invalid(lethe_blocks_source(k->blocks), counts.invalid_utf8);
    if (lethe_rejects_have(rejects, lethe_cause_other_order)) return mixed_orders(k);
    if (counts.rejected == counts.lines && !k->log->reading.part)
        return too_many_rejected(d, k->name, &counts);
    return LETHE_OK;
}

/* --- the order of day and month --- */

/* Looks at the times of a block's text, or of all blocks, until they tell. */
static lethe_err look_at_dates(walk *k, const lethe_layout *layout, lethe_blocks *blocks,
                               lethe_str head, lethe_date_evidence *seen)
{
    lethe_reader *r = &k->readers[0];
    lethe_log_read_job job = {
        .layout = layout, .null_texts = k->log->reading.null_texts, .dates = seen};
    bool more = true;
    if (lethe_reader_begin(r, layout) != LETHE_OK) return lethe_no_memory(k->ctx);
    while (more && lethe_date_untold(seen)) {
        if (lethe_ctx_cancelled(k->ctx)) return LETHE_ECANCEL;
        if (blocks)
            LETHE_TRY(lethe_blocks_next(blocks, &r->block, &more));
        else
            r->block = (lethe_block){.text = head, .first_line = 1, .buf = r->block.buf};
        if (more && lethe_reader_block(r, &job, 0) != LETHE_OK) return lethe_no_memory(k->ctx);
        more = more && blocks;
    }
    return LETHE_OK;
}

static lethe_err settle_layout(walk *k, lethe_arena *a, const char *name, lethe_blocks *blocks,
                               bool quiet, lethe_layout *out, lethe_str *head);
static lethe_err open_blocks(walk *k, size_t i, bool quiet, lethe_blocks **out);

/* The whole of a file, once more or before its time; one that can be read only once is left out. */
static lethe_err look_at_file(walk *k, size_t i, lethe_date_evidence *seen)
{
    lethe_blocks *blocks = NULL;
    lethe_layout layout;
    lethe_str head;
    bool again = k->log->kind == LOG_MEMORY ||
                 lethe_source_rereads(lethe_ctx_diag(k->ctx), k->log->paths[i]);
    if (!again) return LETHE_OK;
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(k->ctx);
    lethe_err e = open_blocks(k, i, true, &blocks);
    if (e == LETHE_OK)
        e = settle_layout(k, a, lethe_source_name(lethe_blocks_source(blocks)), blocks, true,
                          &layout, &head);
    if (e == LETHE_OK && layout.has_time && layout.kind != LETHE_LAYOUT_UBI)
        e = look_at_dates(k, &layout, blocks, head, seen);
    lethe_blocks_free(blocks);
    lethe_arena_free(a);
    return e;
}

/* Dates such as 04/05/2006 do not tell which is the day: the first file that has them decides for
 * all, by the first value that can be read in one way only, in it or in a file after it.  What
 * contradicts it later ends the work.  Without any, nothing is guessed. */
static lethe_err settle_dates(walk *k, lethe_str head)
{
    lethe_log *log = k->log;
    lethe_diag *d = lethe_ctx_diag(k->ctx);
    lethe_date_evidence seen = {0};
    const char *lf = memrchr(head.at, '\n', head.n); // its last line may be cut off
    if (log->dates != LETHE_DATE_UNKNOWN) return LETHE_OK;
    if (lf) head.n = (size_t)(lf - head.at) + 1;
    LETHE_TRY(look_at_dates(k, &k->layout, NULL, head, &seen));
    if (seen.dotted && !log->told) lethe_note(d, "'%s': dates are read as day.month.year", k->name);
    if (seen.n == 0) return LETHE_OK;
    if (log->reading.part) seen = (lethe_date_evidence){.n = seen.n};
    for (size_t i = k->file; i < log->n_paths && lethe_date_untold(&seen) && !log->reading.part;
         i++)
        LETHE_TRY(look_at_file(k, i, &seen));
    if (lethe_date_untold(&seen))
        return lethe_fail(d, LETHE_EINPUT,
                          "'%s': the dates do not tell whether the day or the month is first: name "
                          "their form, such as --time-format '%%d/%%m/%%Y %%H:%%M:%%S' or "
                          "--time-format '%%m/%%d/%%Y'",
                          k->name);
    log->dates = seen.day_first ? LETHE_DATE_DAY_FIRST : LETHE_DATE_MONTH_FIRST;
    if (!log->told)
        lethe_note(d, "'%s': dates are read as %s, because some can be read in no other way",
                   k->name, seen.day_first ? "day/month/year" : "month/day/year");
    return LETHE_OK;
}

/* --- one file --- */

/* What is said of how files are read does not hold of a stream: *headed. */
static lethe_err stream_check(const walk *k, const char *name, bool *headed)
{
    lethe_source_form form;
    const lethe_read_options *r = &k->log->reading;
    LETHE_TRY(lethe_source_form_of(lethe_ctx_diag(k->ctx), name, &form));
    *headed = form == LETHE_SOURCE_CSV || (form == LETHE_SOURCE_TEXT && r->header);
    if (form == LETHE_SOURCE_SETS)
        return lethe_fail(
            k->ctx, LETHE_EINPUT,
            "'%s' has a column of lists, which makes it records: a log has text there", name);
    bool other = r->format != LETHE_FORMAT_GUESS && r->format != LETHE_FORMAT_CSV;
    if (form == LETHE_SOURCE_TEXT && r->header && (other || k->ubi))
        return lethe_fail(k->ctx, LETHE_EUSAGE, "--header applies to CSV");
    if (form == LETHE_SOURCE_CSV && (other || k->ubi || (r->delimiter && r->delimiter != ',')))
        return lethe_fail(
            k->ctx, LETHE_EUSAGE,
            "'%s' is a stream, which has columns: --from and --delimiter apply to files", name);
    return LETHE_OK;
}

/* Settles how the file is to be read, from its first bytes, which *head has then. */
static lethe_err settle_layout(walk *k, lethe_arena *a, const char *name, lethe_blocks *blocks,
                               bool quiet, lethe_layout *out, lethe_str *head)
{
    const lethe_log *log = k->log;
    size_t cap = PEEK_BYTES;
    *head = (lethe_str){"", 0};
    LETHE_TRY(lethe_blocks_peek(blocks, cap, head));
    if (head->n == cap && !memchr(head->at, '\n', head->n)) {
        cap = LETHE_LINE_MAX + 16; // with a mark and CRLF
        LETHE_TRY(lethe_blocks_peek(blocks, cap, head));
    }
    lethe_read_options reading = log->reading;
    bool headed = false;
    if (log->kind == LOG_FILES) LETHE_TRY(stream_check(k, name, &headed));
    if (k->ubi) reading.format = LETHE_FORMAT_UBI; // what is joined is joined with all files
    LETHE_TRY(lethe_layout_settle(lethe_ctx_diag(k->ctx), a, name, &reading, &log->columns, *head,
                                  head->n < cap, headed, quiet, out));
    lethe_blocks_set_cut(blocks,
                         out->kind == LETHE_LAYOUT_CSV ? LETHE_CUT_CSV
                         : out->answer                 ? LETHE_CUT_ANYWHERE
                                                       : LETHE_CUT_LINES,
                         out->delimiter);
    return LETHE_OK;
}

static lethe_err file_layout(walk *k, lethe_arena *a)
{
    lethe_log *log = k->log;
    lethe_str head;
    if (log->kind == LOG_PUBLISHED) {
        k->layout =
            (lethe_layout){.kind = LETHE_LAYOUT_PUBLISHED, .delimiter = '\t', .header_lines = 1};
        k->layout.n_keep = (uint32_t)log->keep.n;
        for (uint32_t i = 0; i < k->layout.n_keep; i++)
            k->layout.keep_at[i] = LETHE_COLS + i;
        if (!log->form || lethe_keep_is(log->form->keep, &log->keep)) return LETHE_OK;
        return lethe_fail_at(k->ctx, LETHE_EINPUT, k->name, 1, 0,
                             "other columns than the release says");
    }
    LETHE_TRY(settle_layout(k, a, k->name, k->blocks, log->told, &k->layout, &head));
    bool alike = k->layout.has_time && k->layout.kind != LETHE_LAYOUT_UBI;
    if (alike && !k->layout.times.format) LETHE_TRY(settle_dates(k, head));
    k->layout.times.order = log->dates;
    return LETHE_OK;
}

static lethe_err file_run(walk *k, lethe_arena *a)
{
    lethe_rejects rejects = {0};
    LETHE_TRY(file_layout(k, a));
    if (!k->ubi && k->layout.kind == LETHE_LAYOUT_UBI) { // the first file decides
        if (k->origin_base > 0)
            return lethe_fail(k->ctx, LETHE_EINPUT,
                              "'%s' looks like User Behavior Insights, what was read before it "
                              "does not (--from says how to read them)",
                              k->name);
        LETHE_TRY(lethe_ubi_new(k->ctx, k->visitor, k->log->reading.has_users_with, &k->ubi));
    }
    if (!k->ubi && k->log->actions.n > 0)
        return lethe_fail(k->ctx, LETHE_EUSAGE,
                          "--actions applies to User Behavior Insights, and '%s' is something else",
                          k->name);
    for (unsigned w = 0; w < k->n_readers; w++)
        if (lethe_reader_begin(&k->readers[w], &k->layout) != LETHE_OK)
            return lethe_no_memory(k->ctx);
    k->job = (lethe_log_read_job){.layout = &k->layout,
                                  .visitor = k->visitor,
                                  .edges = &k->edges,
                                  .ubi = k->ubi,
                                  .actions = &k->log->actions,
                                  .form = k->log->form,
                                  .null_texts = k->log->reading.null_texts,
                                  .origin_base = k->origin_base,
                                  .strict = (k->log->reading.strict && !k->ubi) ||
                                            k->log->kind == LOG_PUBLISHED};
    atomic_store(&k->taken, 0);
    atomic_store(&k->stop, false);
    lethe_block_edges_begin(&k->edges);
    lethe_err e =
        k->layout.answer ? read_answer(k) : lethe_pool_for(k->ctx, k->n_readers, read_blocks, k);
    if (e == LETHE_OK) e = file_end(k, &rejects);
    lethe_block_edges_end(&k->edges);
    lethe_rejects_free(&rejects);
    return e;
}

static lethe_err open_source(walk *k, size_t i, lethe_source **out)
{
    lethe_log *log = k->log;
    lethe_diag *d = lethe_ctx_diag(k->ctx);
    if (log->kind == LOG_MEMORY) return lethe_source_memory(d, log->memory, out);
    if (log->kind == LOG_PUBLISHED) return lethe_source_stored(d, log->stored, out);
    if (strcmp(log->paths[i], "-") == 0) {
        if (log->stdin_used)
            return lethe_fail(d, LETHE_EUSAGE, "standard input can be read only once");
        log->stdin_used = true;
    }
    return lethe_source_open(d, log->paths[i], out);
}

static lethe_err open_blocks(walk *k, size_t i, bool quiet, lethe_blocks **out)
{
    const lethe_log *log = k->log;
    lethe_source *source = NULL;
    uint64_t wish = lethe_ctx_memory(k->ctx) / 16 / k->n_readers;
    size_t block_bytes = (size_t)LETHE_MIN(LETHE_MAX(wish, BLOCK_LEAST), BLOCK_MOST);
    LETHE_TRY(open_source(k, i, &source));
    lethe_source_watch(source, k->ctx);
    // nothing is guessed of what is in memory, or was published; nor from a part of the lines
    const char *encoding = log->reading.encoding;
    if (!encoding && log->reading.part) encoding = "utf-8";
    if (log->kind == LOG_FILES || encoding) {
        lethe_err e = lethe_source_text(source, encoding, quiet);
        if (e != LETHE_OK) lethe_source_close(source);
        LETHE_TRY(e);
    }
    // closes the source if it fails
    return lethe_blocks_new(lethe_ctx_diag(k->ctx), source, LETHE_CUT_LINES, '\t', block_bytes,
                            out);
}

static lethe_err walk_file(walk *k, size_t i)
{
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(k->ctx);
    lethe_err e = open_blocks(k, i, k->log->told, &k->blocks);
    if (e == LETHE_OK) {
        k->file = i;
        k->name = lethe_source_name(lethe_blocks_source(k->blocks));
        e = file_run(k, a);
        lethe_blocks_free(k->blocks);
    }
    lethe_arena_free(a);
    return e;
}

/* All files have been read. */
static lethe_err files_end(walk *k)
{
    lethe_log *log = k->log;
    if (k->ubi)
        LETHE_TRY(
            lethe_ubi_join(k->ubi, &log->actions, log->reading.strict, log->told, &log->counts));
    log->told = true;
    const char *only = log->kind == LOG_FILES && log->n_paths == 1 ? log->paths[0] : NULL;
    if (log->counts.lines == 0)
        return lethe_fail(k->ctx, LETHE_EINPUT, "%s%s%sno queries and no clicks", only ? "'" : "",
                          only ? only : "", only ? "': " : "");
    if (log->counts.rejected > log->counts.lines / 10 && !log->reading.part)
        return too_many_rejected(lethe_ctx_diag(k->ctx), only, &log->counts);
    return k->ubi ? lethe_ubi_walk(k->ubi) : LETHE_OK;
}

static lethe_err walk_sources(lethe_ctx *ctx, lethe_log *log, const lethe_row_visitor *visitor)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    walk k = {.ctx = ctx, .log = log, .visitor = visitor, .n_readers = lethe_ctx_threads(ctx)};
    uint64_t bytes = log->memory.n;
    if (log->kind == LOG_FILES)
        LETHE_TRY(lethe_sources_size(d, (const char *const *)log->paths, log->n_paths, &bytes));
    k.readers = lethe_alloc_zero(k.n_readers, sizeof *k.readers);
    if (!k.readers) return lethe_no_memory(d);
    if (log->kind != LOG_PUBLISHED) lethe_ctx_phase(ctx, "reading", bytes);
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < log->n_paths && e == LETHE_OK; i++)
        e = walk_file(&k, i);
    for (unsigned w = 0; w < k.n_readers; w++)
        lethe_reader_free(&k.readers[w]);
    lethe_free(k.readers);
    if (e == LETHE_OK) e = files_end(&k);
    lethe_ubi_free(k.ubi);
    return e;
}

/* --- walking --- */

static lethe_err into_filter(void *arg, unsigned w, const lethe_row *row)
{
    return lethe_users_filter_put(arg, w, row);
}

lethe_err lethe_log_walk(lethe_ctx *ctx, lethe_log *log, const lethe_row_visitor *visitor)
{
    log->counts = (lethe_read_counts){0};
    if (log->kind != LOG_STORE) {
        const lethe_read_options *r = &log->reading;
        if (!r->has_users_with) return walk_sources(ctx, log, visitor);
        lethe_users_filter *f = NULL;
        LETHE_TRY(lethe_users_filter_new(ctx, r->users_with_min, r->users_with_max, &f));
        lethe_row_visitor inner = {.row = into_filter, .arg = f};
        lethe_err e = walk_sources(ctx, log, &inner);
        if (e == LETHE_OK) e = lethe_users_filter_walk(f, visitor, &log->counts.filtered);
        lethe_users_filter_free(f);
        return e;
    }
    log->counts.lines = log->counts.rows = lethe_store_rows(log->store);
    log->counts.bytes = lethe_store_bytes(log->store);
    return lethe_store_walk(log->store, visitor);
}

const lethe_read_counts *lethe_log_counts(const lethe_log *log) { return &log->counts; }

void lethe_log_note_language(lethe_ctx *ctx, const lethe_read_counts *c)
{
    enum { LEAST_WORDS = 20 };
    bool foreign = c->sampled_words >= LEAST_WORDS && c->english_words * 2 < c->sampled_words;
    if (!foreign || !lethe_ctx_english(ctx)) return;
    lethe_note(
        ctx,
        "most words of the log are not English (%llu of %llu in its first rows are): WordNet "
        "does not know them, and what it decides here means little",
        (unsigned long long)c->english_words, (unsigned long long)c->sampled_words);
}
