/* SPDX-License-Identifier: Apache-2.0 */
/* --users-with: the users with so many clicked queries.  How many a user has is known only when all
 * of the log has been read, so the rows go through the sorter twice: by user, to count, and by
 * origin, so that what comes out has the input's order, whatever the threads and the memory. */
#include "model/log/log_internal.h"
#include "io/sort/sorter.h"

typedef struct scratch {
    lethe_buf record, user;
    uint64_t filtered;
    uint8_t apart[64]; /* so that no two workers count in one cache line */
} scratch;

struct lethe_users_filter {
    lethe_ctx *ctx;
    uint64_t min, max;
    lethe_sorter *by_user;
    lethe_by_origin *by_origin;
    scratch *workers;
    unsigned n_workers;
};

lethe_err lethe_users_filter_new(lethe_ctx *ctx, uint64_t min, uint64_t max,
                                 lethe_users_filter **out)
{
    unsigned n = lethe_ctx_threads(ctx);
    uint64_t share = lethe_ctx_memory(ctx) / 6; // there are two, and the visitor has needs too
    lethe_users_filter *f = lethe_alloc(1, sizeof *f);
    scratch *workers = lethe_alloc_zero(n, sizeof *workers);
    if (!f || !workers) {
        lethe_free_all(f, workers);
        return lethe_no_memory(ctx);
    }
    *f = (lethe_users_filter){
        .ctx = ctx, .min = min, .max = max, .workers = workers, .n_workers = n};
    lethe_err e = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, share, &f->by_user);
    if (e == LETHE_OK) e = lethe_by_origin_new(ctx, share, &f->by_origin);
    if (e == LETHE_OK)
        *out = f;
    else
        lethe_users_filter_free(f);
    return e;
}

void lethe_users_filter_free(lethe_users_filter *f)
{
    if (!f) return;
    for (unsigned w = 0; w < f->n_workers; w++) {
        lethe_buf_free(&f->workers[w].record);
        lethe_buf_free(&f->workers[w].user);
    }
    lethe_sorter_free(f->by_user);
    lethe_by_origin_free(f->by_origin);
    lethe_free_all(f->workers, f);
}

lethe_err lethe_users_filter_put(lethe_users_filter *f, unsigned w, const lethe_row *row)
{
    lethe_buf *b = &f->workers[w].record;
    if (lethe_row_pack(row, LETHE_BY_USER, b) != LETHE_OK) return lethe_no_memory(f->ctx);
    return lethe_sorter_put(f->by_user, w, b->at, b->n);
}

/* One user's rows, `first` being the one just read: how many, and how many clicked queries.  Rows
 * come by time and query, so those of one query stand together. */
static lethe_err count_user(lethe_sorted *it, lethe_buf *user, lethe_str first, uint64_t *n_rows,
                            uint64_t *n_clicked)
{
    lethe_row row, before;
    lethe_str record = first;
    bool counted = false; // the query of `before`
    lethe_row_unpack(first, LETHE_BY_USER, &before);
    user->n = 0;
    LETHE_TRY(lethe_buf_str(user, before.user));
    *n_rows = *n_clicked = 0;
    do {
        lethe_row_unpack(record, LETHE_BY_USER, &row);
        if (!lethe_str_eq(row.user, (lethe_str){(const char *)user->at, user->n})) break;
        if (row.time != before.time || !lethe_str_eq(row.query, before.query)) counted = false;
        if (row.url.n > 0 && !counted) {
            counted = true;
            ++*n_clicked;
        }
        ++*n_rows;
        before = row; // still valid at the next record, as the sorter promises
    } while (lethe_sorted_next(it, &record));
    return lethe_sorted_err(it);
}

/* A row that was there before the rewind is there after it, unless something failed. */
static lethe_err next_again(lethe_sorted *it, lethe_str *record)
{
    if (lethe_sorted_next(it, record)) return LETHE_OK;
    lethe_err e = lethe_sorted_err(it);
    assert(e != LETHE_OK);
    return e;
}

static lethe_err part_of_users(void *arg, size_t part_index, unsigned w, lethe_sorted *it)
{
    (void)part_index;
    lethe_users_filter *f = arg;
    scratch *s = &f->workers[w];
    lethe_str record;
    bool more = lethe_sorted_next(it, &record);
    while (more) {
        uint64_t n_rows, n_clicked;
        if (lethe_ctx_cancelled(f->ctx)) return LETHE_ECANCEL;
        lethe_sorted_mark(it);
        lethe_err e = count_user(it, &s->user, record, &n_rows, &n_clicked);
        if (e == LETHE_ENOMEM) return lethe_no_memory(f->ctx);
        if (e != LETHE_OK) return e;
        bool wanted = n_clicked >= f->min && n_clicked <= f->max;
        LETHE_TRY(lethe_sorted_rewind(it));
        if (wanted) {
            // to the second sorter, under their origin
            for (uint64_t i = 0; i < n_rows; i++) {
                lethe_row row;
                LETHE_TRY(next_again(it, &record));
                lethe_row_unpack(record, LETHE_BY_USER, &row);
                LETHE_TRY(lethe_by_origin_put(f->by_origin, w, row.origin, record));
            }
        } else {
            s->filtered += n_rows;
            for (uint64_t i = 0; i < n_rows; i++)
                LETHE_TRY(next_again(it, &record));
        }
        more = lethe_sorted_next(it, &record);
    }
    return lethe_sorted_err(it);
}

lethe_err lethe_users_filter_walk(lethe_users_filter *f, const lethe_row_visitor *visitor,
                                  uint64_t *filtered)
{
    LETHE_TRY(lethe_sorter_each(f->by_user, part_of_users, f));
    uint64_t n = 0;
    for (unsigned w = 0; w < f->n_workers; w++)
        n += f->workers[w].filtered;
    *filtered = n;
    return lethe_by_origin_walk(f->by_origin, visitor);
}
