/* SPDX-License-Identifier: Apache-2.0 */
/* Takes streams over, calls their producers, and keeps what these hand out. */
#include "io/arrow/streams.h"
#include "core/mem.h"
#include "core/parse.h"
#include "io/arrow/streams_internal.h"
#include <errno.h>
#include <stdio.h>

/* --- taking over --- */

static lethe_err streams_check(lethe_ctx *ctx, struct ArrowArrayStream *const *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool usable = in[i] && in[i]->release && in[i]->get_schema && in[i]->get_next;
        for (size_t k = 0; k < i; k++)
            usable = usable && in[i] != in[k];
        if (!usable)
            return lethe_fail(ctx, LETHE_EUSAGE, "stream %zu has been released already", i);
    }
    return LETHE_OK;
}

static lethe_err stream_init(lethe_stream *s, size_t i)
{
    *s = (lethe_stream){.a = lethe_arena_new()};
    if (!s->a) return LETHE_ENOMEM;
    snprintf(s->name, sizeof s->name, "stream:%zu", i);
    if (lethe_stream_places_init(&s->places) == LETHE_OK) {
        if (pthread_mutex_init(&s->lock, NULL) == 0) return LETHE_OK;
        lethe_stream_places_free(&s->places);
    }
    lethe_arena_free(s->a);
    return LETHE_ENOMEM;
}

static void array_release(struct ArrowArray *a)
{
    if (!a) return;
    if (a->release) a->release(a);
    lethe_free(a);
}

static void stream_free(lethe_stream *s)
{
    for (size_t i = 0; i < s->n_batches; i++)
        array_release(s->batches[i]);
    lethe_free(s->batches);
    if (s->in.release) s->in.release(&s->in);
    lethe_stream_places_free(&s->places);
    pthread_mutex_destroy(&s->lock);
    lethe_arena_free(s->a);
}

void lethe_streams_free(lethe_streams *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n; i++)
        stream_free(&s->at[i]);
    lethe_free_all(s->at, s->memory, s);
}

lethe_err lethe_streams_new(lethe_ctx *ctx, struct ArrowArrayStream *const *in, size_t n,
                            lethe_streams **out)
{
    LETHE_TRY(streams_check(ctx, in, n));
    lethe_streams *s = lethe_alloc(1, sizeof *s);
    if (!s) return lethe_no_memory(ctx);
    *s = (lethe_streams){.ctx = ctx, .at = lethe_alloc(n, sizeof *s->at)};
    while (s->at && s->n < n && stream_init(&s->at[s->n], s->n) == LETHE_OK)
        s->n++;
    if (!s->at || s->n < n) {
        lethe_streams_free(s);
        return lethe_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) { // moved, as the specification says
        s->at[i].in = *in[i];
        in[i]->release = NULL;
    }
    *out = s;
    return LETHE_OK;
}

lethe_err lethe_streams_add_memory(lethe_streams *s, const void *bytes, size_t n, size_t *index)
{
    lethe_str *memory = lethe_realloc(s->memory, s->n_memory + 1, sizeof *memory);
    if (!memory) return lethe_no_memory(s->ctx);
    s->memory = memory;
    memory[s->n_memory] = (lethe_str){n > 0 ? bytes : "", n};
    *index = s->n_memory++;
    return LETHE_OK;
}

lethe_err lethe_streams_set_weight(lethe_streams *s, size_t i, const char *column)
{
    lethe_stream *to = &s->at[i];
    assert(i < s->n && !to->typed);
    to->weight_name = lethe_arena_dup(to->a, lethe_str_of(column));
    return to->weight_name ? LETHE_OK : lethe_no_memory(s->ctx);
}

/* --- names --- */

static bool number_after(const char *name, const char *prefix, size_t below, size_t *out)
{
    uint64_t v;
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || !lethe_parse_u64(lethe_str_of(name + n), &v) || v >= below)
        return false;
    *out = (size_t)v;
    return true;
}

bool lethe_streams_find(const lethe_streams *s, const char *name, lethe_stream_name *out)
{
    size_t i;
    if (s && number_after(name, "stream:", s->n, &i)) {
        *out = (lethe_stream_name){.i = i};
        return true;
    }
    if (s && number_after(name, "memory:", s->n_memory, &i)) {
        *out = (lethe_stream_name){true, i, s->memory[i]};
        return true;
    }
    return false;
}

uint64_t lethe_streams_row(const lethe_streams *s, size_t i, uint64_t line)
{
    return lethe_stream_places_row(&s->at[i].places, line);
}

/* A line of the text becomes a row, a field a column, of which the weight is one, too. */
static void message_place(void *arg, lethe_message *m)
{
    lethe_streams *all = arg;
    lethe_stream_name name;
    if (!m->file || m->line == 0 || !lethe_streams_find(all, m->file, &name) || name.is_memory)
        return;
    lethe_stream *s = &all->at[name.i];
    m->line = lethe_stream_places_row(&s->places, m->line);
    if (!s->typed) return;
    if (s->list != LETHE_STREAM_NO_COLUMN) m->column = 0;
    if (m->column > s->weight) m->column++;
}

void lethe_streams_set(lethe_ctx *ctx, lethe_streams *s)
{
    lethe_diag_set_inputs(lethe_ctx_diag(ctx), (lethe_diag_inputs){s, message_place});
}

/* --- the producer --- */

static lethe_err producer_failed(lethe_stream *s, int errnum)
{
    const char *text = s->in.get_last_error ? s->in.get_last_error(&s->in) : NULL;
    char system[128] = "";
    if (!text || !*text) text = strerror_r(errnum, system, sizeof system);
    // what follows may be a traceback, with data in it
    return lethe_stream_fail(s, LETHE_EIO, "cannot read '%s': its producer failed: %.*s", s->name,
                             (int)strcspn(text, "\r\n"), text);
}

lethe_err lethe_stream_say(lethe_streams *all, const lethe_stream *s)
{
    if (s->failed == LETHE_ECANCEL) return s->failed;
    return lethe_fail(all->ctx, s->failed, "%s", s->why);
}

static lethe_err type_read(lethe_stream *s)
{
    struct ArrowSchema schema = {0};
    int errnum = s->in.get_schema(&s->in, &schema);
    if (errnum != 0) return producer_failed(s, errnum);
    if (!schema.release)
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s' is malformed: it has no schema", s->name);
    lethe_err e = lethe_stream_columns(s, &schema);
    schema.release(&schema);
    s->typed = e == LETHE_OK;
    return e;
}

/* Dates in a zone with summer time cannot be told without tables of zones. */
static void zones_say(const lethe_streams *all, const lethe_stream *s)
{
    for (size_t i = 0; i < s->n_columns; i++) {
        const lethe_arrow_type *t = s->columns[i].type;
        while (t->values)
            t = t->values;
        if (t->kind != LETHE_ARROW_TIMESTAMP || !t->zone || i == s->weight) continue;
        lethe_note(all->ctx, "'%s': the times of column '%s', of zone %s, are read in UTC", s->name,
                   s->columns[i].name.at, t->zone);
    }
}

lethe_err lethe_stream_type(lethe_streams *all, lethe_stream *s)
{
    pthread_mutex_lock(&s->lock);
    bool first = !s->typed;
    if (first && s->failed == LETHE_OK) (void)type_read(s);
    lethe_err e = s->failed;
    pthread_mutex_unlock(&s->lock);
    if (first && e == LETHE_OK) zones_say(all, s);
    return e;
}

static lethe_err batch_keep(lethe_stream *s, struct ArrowArray *a)
{
    struct ArrowArray *kept = lethe_alloc(1, sizeof *kept);
    if (kept && s->n_batches == s->cap_batches) {
        size_t cap = s->cap_batches ? 2 * s->cap_batches : 16;
        struct ArrowArray **batches = lethe_realloc(s->batches, cap, sizeof(struct ArrowArray *));
        if (batches) {
            s->batches = batches;
            s->cap_batches = cap;
        }
    }
    if (!kept || s->n_batches == s->cap_batches) {
        lethe_free(kept);
        return lethe_stream_fail(s, LETHE_ENOMEM, "out of memory");
    }
    *kept = *a;
    s->batches[s->n_batches++] = kept;
    return LETHE_OK;
}

static lethe_err batch_next(lethe_streams *all, lethe_stream *s)
{
    struct ArrowArray a = {0};
    if (lethe_ctx_cancelled(all->ctx)) return s->failed = LETHE_ECANCEL;
    int errnum = s->in.get_next(&s->in, &a);
    if (errnum != 0) return producer_failed(s, errnum);
    if (a.release) {
        lethe_err e = lethe_stream_batch_check(s, &a);
        if (e == LETHE_OK) e = batch_keep(s, &a);
        if (e != LETHE_OK) a.release(&a);
        return e;
    }
    s->ended = true;
    s->in.release(&s->in); // it may hold a file open, or rows of its own
    s->in.release = NULL;
    return LETHE_OK;
}

lethe_err lethe_stream_batch(lethe_streams *all, lethe_stream *s, size_t i,
                             const struct ArrowArray **out)
{
    *out = NULL;
    pthread_mutex_lock(&s->lock);
    assert(i <= s->n_batches);
    lethe_err e = LETHE_OK;
    if (i == s->n_batches && !s->ended) e = s->failed != LETHE_OK ? s->failed : batch_next(all, s);
    if (e == LETHE_OK && i < s->n_batches) *out = s->batches[i];
    pthread_mutex_unlock(&s->lock);
    return e;
}

lethe_err lethe_streams_form(lethe_streams *s, size_t i, lethe_stream_form *out)
{
    assert(i < s->n);
    if (lethe_stream_type(s, &s->at[i]) != LETHE_OK) return lethe_stream_say(s, &s->at[i]);
    *out = s->at[i].list == LETHE_STREAM_NO_COLUMN ? LETHE_STREAM_CSV : LETHE_STREAM_SETS;
    return LETHE_OK;
}
