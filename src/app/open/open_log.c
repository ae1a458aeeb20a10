/* SPDX-License-Identifier: Apache-2.0 */
/* open_log.c - the rows of a sealed log that can be opened, as a log, for evaluations. */
#include "app/open/open_log.h"
#include "app/open/open.h"

typedef struct opened_log {
    lethe_open_run run;
    lethe_dict *users;
    lethe_buf *last; /* by worker: the last user; lines are sorted, so a user's follow each other */
    lethe_log *log;
} opened_log;

static lethe_err on_row(void *arg, unsigned w, const lethe_sealed_row *row)
{
    opened_log *r = arg;
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
    opened_log *r = arg;
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

lethe_err lethe_sealed_opened(lethe_ctx *ctx, int dirfd, lethe_log **out, uint64_t *n_users)
{
    opened_log r = {.run = {.ctx = ctx, .n_workers = lethe_ctx_threads(ctx)}};
    lethe_open_run *g = &r.run;
    lethe_sealed_walk how = {.row = on_row, .arg = &r};
    pthread_mutex_init(&g->lock, NULL);
    r.last = lethe_alloc_zero(g->n_workers, sizeof *r.last);
    r.users = lethe_dict_new();
    lethe_err e = r.last && r.users ? lethe_open_begin(g, 1) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = lethe_log_store(ctx, lethe_ctx_memory(ctx) / 8, &r.log);
    lethe_ctx_phase(ctx, "open", 0);
    if (e == LETHE_OK) e = lethe_sealed_published(ctx, dirfd, "data.tsv", &how, &g->form, &g->read);
    if (e == LETHE_OK) e = lethe_sorter_each(g->groups, lethe_open_part, g);
    if (e == LETHE_OK && g->rejects->n > 0)
        e = lethe_rejects_say(lethe_ctx_diag(ctx), "data.tsv", g->rejects);
    if (e == LETHE_OK) e = lethe_sorter_each(g->lines, lines_take, &r);
    if (e == LETHE_OK) {
        *out = r.log;
        *n_users = lethe_dict_count(r.users);
    } else {
        lethe_log_free(r.log);
        if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    }
    for (unsigned w = 0; r.last && w < g->n_workers; w++)
        lethe_buf_free(&r.last[w]);
    lethe_free(r.last);
    lethe_dict_free(r.users);
    lethe_open_end(g, 1);
    return e;
}
