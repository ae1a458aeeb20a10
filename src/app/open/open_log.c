#include "app/open/open_log.h"
#include "app/open/open.h"
#include <sodium.h>

typedef struct reading {
    lethe_open_run run;
    lethe_dict *users;
    lethe_buf
        *last; /* by worker: the last user seen; lines are sorted, so users follow each other */
    lethe_log *log;
} reading;

static lethe_err on_row(void *arg, unsigned w, const lethe_sealed_row *row)
{
    reading *r = arg;
    lethe_buf *last = &r->last[w];
    if (!lethe_str_eq((lethe_str){(const char *)last->at, last->n}, row->user)) {
        uint32_t id;
        last->n = 0;
        LETHE_TRY(lethe_buf_str(last, row->user));
        pthread_mutex_lock(&r->run.lock);
        lethe_err e = lethe_dict_add(r->users, row->user, &id);
        pthread_mutex_unlock(&r->run.lock);
        LETHE_TRY(e);
    }
    return lethe_open_row(&r->run, w, row);
}

/* Takes a field off `line`, and the tab behind it. */
static lethe_str field_take(lethe_str *line)
{
    const char *tab = line->n ? memchr(line->at, '\t', line->n) : NULL;
    lethe_str field = {line->at, tab ? (size_t)(tab - line->at) : line->n};
    size_t taken = field.n + (tab != NULL);
    *line = (lethe_str){line->at + taken, line->n - taken};
    return field;
}

/* Lines as open.c would write them.  Their order is all that a number would tell. */
static lethe_err lines_take(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    reading *r = arg;
    lethe_str line;
    (void)part;
    while (lethe_sorted_next(it, &line)) {
        lethe_row row = {.time = LETHE_NO_TIME, .rank = LETHE_NO_RANK};
        row.owner = row.user = field_take(&line);
        row.query = field_take(&line);
        if (!lethe_time_parse(field_take(&line), &row.time)) row.time = LETHE_NO_TIME;
        LETHE_TRY(lethe_log_append(r->log, w, &row));
    }
    return lethe_sorted_err(it);
}

static lethe_err rooms(reading *r)
{
    lethe_open_run *g = &r->run;
    g->workers = lethe_alloc_zero(g->n_workers, sizeof *g->workers);
    g->rejects = lethe_alloc_zero(1, sizeof *g->rejects);
    r->last = lethe_alloc_zero(g->n_workers, sizeof *r->last);
    r->users = lethe_dict_new();
    if (!g->workers || !g->rejects || !r->last || !r->users) return LETHE_ENOMEM;
    for (unsigned w = 0; w < g->n_workers; w++)
        if (!(g->workers[w].weights = lethe_weights_new())) return LETHE_ENOMEM;
    return LETHE_OK;
}

static void rooms_free(reading *r)
{
    lethe_open_run *g = &r->run;
    lethe_sorter_free(g->groups);
    lethe_sorter_free(g->lines);
    for (unsigned w = 0; g->workers && w < g->n_workers; w++) {
        lethe_open_worker *me = &g->workers[w];
        lethe_buf *const bufs[] = {&me->record, &me->line, &me->box, &me->tried, &me->plain};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_weights_free(me->weights);
        sodium_memzero(&me->shares, sizeof me->shares);
        sodium_memzero(me->at, sizeof me->at);
    }
    for (unsigned w = 0; r->last && w < g->n_workers; w++)
        lethe_buf_free(&r->last[w]);
    if (g->rejects) lethe_rejects_free(g->rejects);
    lethe_free(g->workers);
    lethe_free(g->rejects);
    lethe_free(r->last);
    lethe_dict_free(r->users);
    pthread_mutex_destroy(&g->lock);
}

static lethe_err rows_open(reading *r, int dirfd)
{
    lethe_open_run *g = &r->run;
    lethe_diag *d = lethe_ctx_diag(g->ctx);
    uint64_t memory = lethe_ctx_memory(g->ctx);
    lethe_sealed_walk how = {.row = on_row, .arg = r};
    if (sodium_init() < 0)
        return lethe_fail(d, LETHE_EIO, "cannot start the cryptographic library");
    LETHE_TRY(rooms(r));
    LETHE_TRY(lethe_sorter_new(g->ctx, LETHE_ORDER_GROUP, memory / 2, &g->groups));
    LETHE_TRY(lethe_sorter_new(g->ctx, LETHE_ORDER_BYTES, memory / 4, &g->lines));
    LETHE_TRY(lethe_log_store(g->ctx, memory / 8, &r->log));
    lethe_ctx_phase(g->ctx, "open", 0);
    LETHE_TRY(lethe_sealed_published(g->ctx, dirfd, "data.tsv", &how, &g->form, &g->read));
    LETHE_TRY(lethe_sorter_each(g->groups, lethe_open_part, g));
    if (g->rejects->n > 0) LETHE_TRY(lethe_rejects_say(d, "data.tsv", g->rejects));
    return lethe_sorter_each(g->lines, lines_take, r);
}

lethe_err lethe_sealed_opened(lethe_ctx *ctx, int dirfd, lethe_log **out, uint64_t *n_users)
{
    reading r = {.run = {.ctx = ctx, .n_workers = lethe_ctx_threads(ctx)}};
    pthread_mutex_init(&r.run.lock, NULL);
    lethe_err e = rows_open(&r, dirfd);
    if (e == LETHE_OK) {
        *out = r.log;
        *n_users = lethe_dict_count(r.users);
    } else {
        lethe_log_free(r.log);
        if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    }
    rooms_free(&r);
    return e;
}
