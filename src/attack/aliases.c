/* SPDX-License-Identifier: Apache-2.0 */
/* aliases.c - see the header.  Users of the map and of the release meet in the sorter: user NUL,
 * and for the map's one byte more. */
#include "attack/aliases.h"
#include "io/sort/sorter.h"
#include "model/map.h"

struct worker {
    lethe_buf record;
    lethe_buf last_user; /* lines of one user follow each other */
};

struct map_users {
    lethe_ctx *ctx;
    const char *digest; /* of the release's manifest; NULL: not compared */
    lethe_sorter *sorter;
    unsigned n_workers;
    struct worker *workers;
};

static lethe_err user_put(struct map_users *m, unsigned w, lethe_str user, bool of_map)
{
    lethe_buf *b = &m->workers[w].record;
    b->n = 0;
    if (lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, "\0\1", 1 + of_map) != LETHE_OK)
        return lethe_no_memory(m->ctx);
    return lethe_sorter_put(m->sorter, w, b->at, b->n);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct map_users *m = arg;
    lethe_buf *last = &m->workers[w].last_user;
    if (lethe_str_eq((lethe_str){(const char *)last->at, last->n}, row->user)) return LETHE_OK;
    last->n = 0;
    if (lethe_buf_str(last, row->user) != LETHE_OK) return lethe_no_memory(m->ctx);
    return user_put(m, w, row->user, false);
}

/* LETHE_ANSWER_NO, unreported because several parts may find one: a published user whom the map
 * does not know. */
static lethe_err users_known(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    lethe_str record, before = {NULL, 0};
    bool known = true;
    (void)arg, (void)i, (void)w;
    for (; known && lethe_sorted_next(it, &record); before = record) {
        bool of_map = record.at[record.n - 1] != 0;
        lethe_str user = {record.at, record.n - 1 - of_map};
        bool same = before.at && before.n > user.n && memcmp(before.at, record.at, user.n + 1) == 0;
        // the map's comes last, so a user without it is followed by another
        if (before.at && !same) known = before.at[before.n - 1] != 0;
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (known && before.at) known = before.at[before.n - 1] != 0;
    return known ? LETHE_OK : LETHE_ANSWER_NO;
}

static lethe_err take_lines(struct map_users *m, const char *path, lethe_alias_fn fn, void *arg)
{
    lethe_lines l;
    lethe_str line;
    lethe_err err = lethe_lines_open(&l, lethe_ctx_diag(m->ctx), path);
    while (err == LETHE_OK && lethe_map_next(&l, m->digest, &line)) {
        const char *tab = memchr(line.at, '\t', line.n);
        lethe_str original = {line.at, tab ? (size_t)(tab - line.at) : line.n};
        lethe_str published = {tab ? tab + 1 : NULL, tab ? line.n - original.n - 1 : 0};
        if (!tab)
            err = lethe_lines_fault(&l, 0, "not a line of a map: there is no tab");
        else if (original.n == 0)
            err = lethe_lines_fault(&l, 1, "not a line of a map: no original user");
        else if (published.n == 0)
            err = lethe_lines_fault(&l, 2, "not a line of a map: no published user");
        else if (memchr(published.at, '\t', published.n))
            err = lethe_lines_fault(&l, 3, "not a line of a map: more than two users");
        else
            err = user_put(m, 0, published, true);
        if (err == LETHE_OK) err = fn(arg, original, published);
    }
    if (err == LETHE_OK) err = lethe_lines_err(&l);
    lethe_lines_close(&l);
    return err;
}

lethe_err lethe_aliases_read(const lethe_comparison *c, lethe_log *published, lethe_alias_fn fn,
                             void *arg)
{
    lethe_ctx *ctx = c->ctx;
    struct map_users m = {.ctx = ctx, .digest = c->map_digest, .n_workers = lethe_ctx_threads(ctx)};
    m.workers = lethe_alloc_zero(m.n_workers, sizeof *m.workers);
    lethe_err err = m.workers ? LETHE_OK : lethe_no_memory(m.ctx);
    if (err == LETHE_OK)
        err = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 2, &m.sorter);
    if (err == LETHE_OK) err = take_lines(&m, c->map, fn, arg);
    if (err == LETHE_OK)
        err = lethe_log_walk(ctx, published, &(lethe_row_visitor){.row = on_row, .arg = &m});
    if (err == LETHE_OK) err = lethe_sorter_each(m.sorter, users_known, NULL);
    if (err == LETHE_ANSWER_NO)
        err = lethe_fail(ctx, LETHE_EINPUT,
                         "the map does not match this release: it lacks a published user");
    lethe_sorter_free(m.sorter);
    for (unsigned w = 0; m.workers && w < m.n_workers; w++) {
        lethe_buf_free(&m.workers[w].record);
        lethe_buf_free(&m.workers[w].last_user);
    }
    lethe_free(m.workers);
    return err;
}
