/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.c - how many sessions are left in the release of a log: what was asked in one sitting
 * can only be followed where more than one thing is left of it.
 *
 * A session is what a user asks without a pause of more than an hour, and counts if it has two
 * different words.  Of a release that is a log, the same, by its users and times: with times cut to
 * days that is a user's day, and without times nobody can tell what was one sitting.  Of records,
 * each that has two different words: what stands for several of them, such as a general term, is no
 * word. */
#include "measure/measure.h"
#include "algo/text/log_records.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include <stdatomic.h>

enum { PAUSE_S = 3600 };

/* Records with two different items; the items of a record stand together. */
static uint64_t count_of_two(const lethe_records *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        bool two = false;
        for (uint64_t k = r->start[i] + 1; k < r->start[i + 1] && !two; k++)
            two = r->item[k] != r->item[r->start[i]];
        n += two;
    }
    return n;
}

static lethe_err note_time(void *arg, unsigned w, const lethe_row *row)
{
    atomic_bool *timed = arg;
    (void)w;
    if (row->time != LETHE_NO_TIME && !atomic_load_explicit(timed, memory_order_relaxed))
        atomic_store_explicit(timed, true, memory_order_relaxed);
    return LETHE_OK;
}

static lethe_err log_sessions(lethe_ctx *ctx, lethe_log *log, uint64_t *out)
{
    atomic_bool timed = false;
    *out = 0;
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = note_time, .arg = &timed}));
    if (!timed) return LETHE_OK;
    lethe_log_records_options how = {.gap_s = PAUSE_S, .coarse = true, .distinct = true};
    lethe_log_records_result counts;
    lethe_records *records;
    LETHE_TRY(lethe_log_to_records(ctx, log, &how, &counts, &records));
    *out = count_of_two(records);
    lethe_records_free(records);
    return LETHE_OK;
}

/* Lines with two different words; equal items of a record stand together. */
static uint64_t lines_of_two(const lethe_published_records *r, const lethe_published_items *items)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint32_t first = LETHE_NONE;
        bool two = false;
        for (uint64_t k = r->start[i]; k < r->start[i + 1] && !two; k++) {
            uint32_t item = r->item[k];
            if (lethe_item_leaves(items, item) != 1) continue;
            two = first != LETHE_NONE && item != first;
            first = item;
        }
        if (two) n += r->first[i + 1] - r->first[i];
    }
    return n;
}

static lethe_err published_sessions(lethe_comparison *c, uint64_t *out)
{
    if (c->published->shape == LETHE_SHAPE_LOG) {
        lethe_log *log;
        LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
        lethe_err e = log_sessions(c->ctx, log, out);
        lethe_log_free(log);
        return e;
    }
    lethe_published_records *r;
    lethe_published_items items;
    LETHE_TRY(lethe_published_records_read(c->ctx, c->published->dirfd, &r));
    lethe_err e = lethe_published_items_read(c->original.tree, r->items, r->arena, &items);
    if (e == LETHE_OK) *out = lines_of_two(r, &items);
    lethe_published_records_free(r);
    return e == LETHE_OK ? e : lethe_no_memory(c->ctx);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_log *log = c->original.shape == LETHE_SHAPE_LOG ? c->original.log : c->log;
    uint64_t before, after;
    if (!log) return LETHE_OK; // records have no sessions
    LETHE_TRY(log_sessions(c->ctx, log, &before));
    LETHE_TRY(published_sessions(c, &after));
    lethe_measure_set_size(doc, out, "sessions", before, after);
    return lethe_json_failed(doc) ? lethe_no_memory(c->ctx) : LETHE_OK;
}

static const lethe_option no_options[] = {{.name = NULL}};

static const lethe_figure figures[] = {
    {"sessions",
     "sessions with two different words: of the original, without a pause of more than an hour; of "
     "a published log by its users and times, none without times; of records each record, where "
     "general terms do not "
     "count",
     .better = 1, .label = "sessions of several words"},
    {.name = NULL},
};

const lethe_measure lethe_measure_sessions = {
    .name = "sessions",
    .summary = "sessions in which more than one thing is left",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .options = no_options,
    .figures = figures,
    .run = run,
};
