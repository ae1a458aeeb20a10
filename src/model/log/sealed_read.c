/* SPDX-License-Identifier: Apache-2.0 */
/* A sealed log, walked in parallel blocks. */
#include "io/read/blocks.h"
#include "model/log/log_internal.h"
#include "model/log/sealed.h"
#include <stdatomic.h>

enum {
    BLOCK_LEAST = 64 << 10,
    BLOCK_MOST = 1 << 20,
    HEAD_LINES = 2,
};

typedef struct worker {
    lethe_block block;
    lethe_rejects rejects;
    lethe_sealed_counts counts;
    lethe_order_seen order;
    lethe_err err;         /* what ended its work */
    uint64_t err_block;    /* and where: the lowest block decides */
    bool err_is_rejection; /* strict: a rejected line did */
    uint8_t apart[64];     /* so that no two workers count in one cache line */
} worker;

typedef struct walk {
    lethe_ctx *ctx;
    const lethe_sealed_walk *how;
    const lethe_sealed_form *form;
    lethe_blocks *blocks;
    const char *name;
    worker *workers;
    unsigned n_workers;
    lethe_block_edges edges;
    atomic_bool stop;
    atomic_uint_least64_t taken; /* stored bytes that were reported */
} walk;

/* --- the first two lines --- */

static lethe_str line_take(lethe_str *text)
{
    const char *lf = text->n ? memchr(text->at, '\n', text->n) : NULL;
    lethe_str line = {text->at, lf ? (size_t)(lf - text->at) : text->n};
    size_t taken = line.n + (lf != NULL);
    *text = (lethe_str){text->at + taken, text->n - taken};
    return line;
}

static lethe_err head_read(walk *k, lethe_sealed_form *form)
{
    lethe_sealed_form got;
    uint32_t at;
    lethe_str text;
    LETHE_TRY(lethe_blocks_peek(k->blocks, (size_t)2 * LETHE_SEALED_HEAD_MAX, &text));
    if (text.n == 0) return lethe_fail(k->ctx, LETHE_EINPUT, "'%s' is empty", k->name);
    lethe_str first = line_take(&text), second = line_take(&text);
    const char *fault = lethe_sealed_head_parse(first, second, &got, &at);
    if (fault) return lethe_fail_at(k->ctx, LETHE_EINPUT, k->name, at, 0, "%s", fault);
    if (form->t > 0 && (form->t != got.t || form->n != got.n || form->scheme != got.scheme))
        return lethe_fail_at(k->ctx, LETHE_EINPUT, k->name, 1, 0,
                             "sealed with t=%u n=%u scheme=%s, not t=%u n=%u scheme=%s as expected",
                             got.t, got.n, lethe_scheme_names[got.scheme], form->t, form->n,
                             lethe_scheme_names[form->scheme]);
    *form = got;
    return LETHE_OK;
}

/* --- a block --- */

static lethe_err reject(walk *k, worker *me, uint64_t line, uint32_t column, const char *cause,
                        lethe_str content)
{
    me->counts.rejected++;
    LETHE_TRY(lethe_rejects_add(&me->rejects, line, column, cause, content));
    if (!k->how->strict) return LETHE_OK;
    me->err_is_rejection = true;
    return LETHE_EINPUT;
}

static const char *line_fault(walk *k, worker *me, lethe_str line, bool ends_well,
                              lethe_sealed_row *row, uint32_t *column)
{
    *column = 0;
    // a CR before the LF is left in the line by nobody but who changed it
    if (!ends_well) return "line does not end with LF";
    const char *cause = lethe_sealed_parse(k->form, line, row, column);
    if (cause || !k->how->sorted || lethe_order_line(&me->order, line)) return cause;
    *column = 0;
    return "line out of order: it may reveal the order of the input";
}

static lethe_err block_read(walk *k, worker *me, unsigned w)
{
    const lethe_block *b = &me->block;
    uint64_t number = b->first_line;
    lethe_str text = b->text;
    me->counts.bytes += text.n;
    if (b->too_long) {
        me->counts.lines++;
        return reject(k, me, number, 0, "line over 3 MiB", (lethe_str){"", 0});
    }
    for (; text.n > 0; number++) {
        lethe_sealed_row row;
        uint32_t column;
        lethe_str line = line_take(&text);
        bool ends_well = line.at + line.n < b->text.at + b->text.n &&
                         (line.n == 0 || line.at[line.n - 1] != '\r');
        if (number <= HEAD_LINES) continue;
        me->counts.lines++;
        const char *cause = line_fault(k, me, line, ends_well, &row, &column);
        if (cause) {
            LETHE_TRY(reject(k, me, number, column, cause, line));
            continue;
        }
        me->counts.rows++;
        row.line = number;
        LETHE_TRY(k->how->row(k->how->arg, w, &row));
    }
    return k->how->sorted ? lethe_block_edges_add(&k->edges, &me->order, b->index) : LETHE_OK;
}

/* Blocks are handed out in rising order, so all below the one that fails are in somebody's hands
 * and will be finished: the lowest failure is found for any number of threads. */
static lethe_err read_blocks(void *arg, size_t i, unsigned w)
{
    walk *k = arg;
    worker *me = &k->workers[i];
    bool more = true;
    while (me->err == LETHE_OK && !atomic_load(&k->stop)) {
        if (lethe_ctx_cancelled(k->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_blocks_next(k->blocks, &me->block, &more));
        if (!more) break;
        me->err = block_read(k, me, w);
        me->err_block = me->block.index;
        // Progress goes by stored bytes, of which the source knows how many it has used.
        uint64_t now = lethe_source_taken(lethe_blocks_source(k->blocks));
        uint64_t before = atomic_load(&k->taken);
        while (now > before && !atomic_compare_exchange_weak(&k->taken, &before, now))
            ;
        if (now > before) lethe_ctx_advance(k->ctx, now - before);
    }
    if (me->err != LETHE_OK) atomic_store(&k->stop, true);
    return LETHE_OK;
}

/* --- the file --- */

static lethe_err file_judge(walk *k, const lethe_sealed_counts *c, const lethe_rejects *rejects)
{
    lethe_diag *d = lethe_ctx_diag(k->ctx);
    const worker *first = NULL; // of those that failed, by block
    for (unsigned i = 0; i < k->n_workers; i++) {
        const worker *me = &k->workers[i];
        if (me->err != LETHE_OK && (!first || me->err_block < first->err_block)) first = me;
    }
    if (first && first->err_is_rejection) lethe_rejects_say_first(d, k->name, rejects);
    if (first) return first->err == LETHE_ENOMEM ? lethe_no_memory(d) : first->err;
    if (!k->edges.in_order)
        return lethe_fail(d, LETHE_EINPUT, "'%s': lines are not in order of their bytes", k->name);
    if (c->lines == 0) return lethe_fail(d, LETHE_EINPUT, "'%s' holds only a header", k->name);
    if (c->rejected <= c->lines / 10) return LETHE_OK;
    if (lethe_rejects_say(d, k->name, rejects) != LETHE_OK) return lethe_no_memory(d);
    return lethe_fail(d, LETHE_EINPUT, "'%s': %llu of %llu lines rejected", k->name,
                      (unsigned long long)c->rejected, (unsigned long long)c->lines);
}

static lethe_err file_walk(walk *k, lethe_rejects *rejects, lethe_sealed_counts *counts)
{
    lethe_sealed_counts sum = {0};
    lethe_rejects mine = {0};
    LETHE_TRY(lethe_pool_for(k->ctx, k->n_workers, read_blocks, k));
    lethe_err e = LETHE_OK;
    for (unsigned i = 0; i < k->n_workers && e == LETHE_OK; i++) {
        const lethe_sealed_counts *c = &k->workers[i].counts;
        sum.lines += c->lines;
        sum.rows += c->rows;
        sum.rejected += c->rejected;
        sum.bytes += c->bytes;
        e = lethe_rejects_merge(&mine, &k->workers[i].rejects);
    }
    e = e == LETHE_OK ? file_judge(k, &sum, &mine) : lethe_no_memory(k->ctx);
    if (e == LETHE_OK && lethe_rejects_merge(rejects, &mine) != LETHE_OK)
        e = lethe_no_memory(k->ctx);
    lethe_rejects_free(&mine);
    counts->lines += sum.lines;
    counts->rows += sum.rows;
    counts->rejected += sum.rejected;
    counts->bytes += sum.bytes;
    return e;
}

lethe_err lethe_sealed_read(lethe_ctx *ctx, lethe_source *source, const lethe_sealed_walk *how,
                            lethe_sealed_form *form, lethe_rejects *rejects,
                            lethe_sealed_counts *counts)
{
    walk k = {.ctx = ctx, .how = how, .form = form, .n_workers = lethe_ctx_threads(ctx)};
    uint64_t wish = lethe_ctx_memory(ctx) / 16 / k.n_workers;
    size_t bytes = (size_t)LETHE_MIN(LETHE_MAX(wish, (uint64_t)BLOCK_LEAST), (uint64_t)BLOCK_MOST);
    LETHE_TRY(lethe_blocks_new(lethe_ctx_diag(ctx), source, LETHE_CUT_LINES, 0, bytes, &k.blocks));
    lethe_blocks_set_line_max(k.blocks, LETHE_SEALED_LINE_MAX);
    lethe_source_watch(source, ctx);
    k.name = lethe_source_name(source);
    lethe_block_edges_begin(&k.edges);
    k.workers = lethe_alloc_zero(k.n_workers, sizeof *k.workers);
    lethe_err e = k.workers ? head_read(&k, form) : lethe_no_memory(ctx);
    if (e == LETHE_OK) e = file_walk(&k, rejects, counts);
    for (unsigned i = 0; k.workers && i < k.n_workers; i++) {
        lethe_block_free(&k.workers[i].block);
        lethe_rejects_free(&k.workers[i].rejects);
    }
    lethe_free(k.workers);
    lethe_block_edges_end(&k.edges);
    lethe_blocks_free(k.blocks);
    return e;
}

/* --- what was published --- */

lethe_err lethe_sealed_published(lethe_ctx *ctx, int dirfd, const char *name,
                                 const lethe_sealed_walk *how, lethe_sealed_form *form,
                                 lethe_sealed_counts *counts)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_sealed_walk strictly = {.strict = true, .sorted = true, .row = how->row, .arg = how->arg};
    lethe_rejects rejects = {0};
    lethe_source *source = NULL;
    lethe_stored *stored;
    LETHE_TRY(lethe_stored_open(d, dirfd, name, &stored));
    lethe_err e = lethe_stored_begins(d, stored, LETHE_LIT("#lethe-sealed "),
                                      "not a sealed log: the first line is not its header");
    if (e == LETHE_OK) e = lethe_source_stored(d, stored, &source);
    if (e == LETHE_OK) e = lethe_sealed_read(ctx, source, &strictly, form, &rejects, counts);
    lethe_rejects_free(&rejects);
    lethe_stored_close(stored);
    return e;
}
