/* SPDX-License-Identifier: Apache-2.0 */
/* kept_values.c - counts the persons of each value in the external sort, and blanks what too few
 * have.  Rows are never left out here, so that one value does not change what another one has. */
#include "release/publish/kept_values.h"
#include "core/dict.h"
#include "core/mem.h"
#include "io/sort/sorter.h"
#include <pthread.h>

typedef struct worker {
    lethe_buf record;                 /* column, value, NUL, owner */
    lethe_buf before[LETHE_KEEP_MAX]; /* the last one of each column: rows often repeat it */
    lethe_buf kept;
    uint64_t n_rows, n_dropped;
    bool seen[LETHE_KEEP_MAX], published[LETHE_KEEP_MAX]; /* is there a value, in any row? */
    char apart[64];                                       /* no two workers write in one line */
} worker;

struct lethe_kept_values {
    lethe_ctx *ctx;
    size_t n; /* columns */
    uint64_t min, cap_bytes;
    lethe_log *rows;
    lethe_sorter *owners;
    pthread_mutex_t lock;
    lethe_dict *common; /* column, value: of those that have enough */
    unsigned n_workers;
    worker *workers;
    lethe_kept_row_fn fn; /* while rows are handed out */
    void *arg;
};

lethe_err lethe_kept_values_new(lethe_ctx *ctx, size_t n, uint64_t min, uint64_t cap_bytes,
                                lethe_kept_values **out)
{
    lethe_kept_values *k = lethe_alloc_zero(1, sizeof *k);
    if (!k) return lethe_no_memory(ctx);
    *k = (lethe_kept_values){.ctx = ctx,
                             .n = n,
                             .min = min,
                             .cap_bytes = cap_bytes,
                             .n_workers = lethe_ctx_threads(ctx)};
    pthread_mutex_init(&k->lock, NULL); // cannot fail with default attributes
    k->workers = lethe_alloc_zero(k->n_workers, sizeof *k->workers);
    k->common = lethe_dict_new();
    lethe_err e = k->workers && k->common ? LETHE_OK : lethe_no_memory(ctx);
    if (e == LETHE_OK) e = lethe_log_store(ctx, cap_bytes / 2, &k->rows);
    if (e == LETHE_OK) e = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes / 4, &k->owners);
    if (e == LETHE_OK)
        *out = k;
    else
        lethe_kept_values_free(k);
    return e;
}

void lethe_kept_values_free(lethe_kept_values *k)
{
    if (!k) return;
    for (unsigned w = 0; k->workers && w < k->n_workers; w++) {
        lethe_buf_free(&k->workers[w].record);
        lethe_buf_free(&k->workers[w].kept);
        for (size_t i = 0; i < LETHE_KEEP_MAX; i++)
            lethe_buf_free(&k->workers[w].before[i]);
    }
    lethe_free(k->workers);
    lethe_log_free(k->rows);
    lethe_sorter_free(k->owners);
    lethe_dict_free(k->common);
    pthread_mutex_destroy(&k->lock);
    lethe_free(k);
}

/* --- counting --- */

/* A value of column i as a key: values of two columns are never the same. */
static lethe_err key_of(lethe_buf *b, size_t i, lethe_str value)
{
    const uint8_t column = (uint8_t)(i + 1);
    b->n = 0;
    LETHE_TRY(lethe_buf_put(b, &column, 1));
    return lethe_buf_str(b, value);
}

static lethe_err owner_put(lethe_kept_values *k, unsigned w, size_t i, lethe_str value,
                           lethe_str owner)
{
    worker *me = &k->workers[w];
    lethe_buf *b = &me->record;
    lethe_err e = key_of(b, i, value);
    if (e == LETHE_OK) e = lethe_buf_put(b, "", 1);
    if (e == LETHE_OK) e = lethe_buf_str(b, owner);
    if (e != LETHE_OK) return lethe_no_memory(k->ctx);
    lethe_buf *before = &me->before[i];
    if (before->n == b->n && memcmp(before->at, b->at, b->n) == 0) return LETHE_OK;
    LETHE_TRY(lethe_sorter_put(k->owners, w, b->at, b->n));
    lethe_buf spare = *before;
    *before = *b;
    *b = spare;
    return LETHE_OK;
}

lethe_err lethe_kept_values_put(lethe_kept_values *k, unsigned w, const lethe_row *row)
{
    lethe_str rest = row->kept;
    for (size_t i = 0; i < k->n && rest.n > 0; i++) {
        lethe_str value = lethe_kept_next(&rest);
        if (value.n == 0) continue;
        k->workers[w].seen[i] = true;
        LETHE_TRY(owner_put(k, w, i, value, row->owner));
    }
    return lethe_log_append(k->rows, w, row);
}

/* `key` has as many persons. */
static lethe_err value_end(lethe_kept_values *k, unsigned w, lethe_str key, uint64_t persons)
{
    uint32_t id;
    if (persons < k->min) {
        k->workers[w].n_dropped++;
        return LETHE_OK;
    }
    pthread_mutex_lock(&k->lock);
    lethe_err e = lethe_dict_add(k->common, key, &id);
    bool full = lethe_dict_bytes(k->common) > LETHE_MAX(k->cap_bytes / 4, UINT64_C(1) << 20);
    pthread_mutex_unlock(&k->lock);
    if (e == LETHE_ENOMEM) return lethe_no_memory(k->ctx);
    LETHE_TRY(e);
    if (!full) return LETHE_OK;
    return lethe_fail(k->ctx, LETHE_ENOMEM,
                      "--keep: too many different values for the memory limit: give more --memory, "
                      "a higher --keep-min, or keep fewer columns");
}

/* Records come in order: another owner is one more person, another key a new value. */
static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    lethe_kept_values *k = arg;
    lethe_str record, before = {NULL, 0}, key = {NULL, 0};
    uint64_t persons = 0;
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        lethe_str here = {record.at, strnlen(record.at, record.n)};
        if (before.at && lethe_str_eq(here, key)) {
            persons += !lethe_str_eq(record, before);
        } else {
            if (before.at) LETHE_TRY(value_end(k, w, key, persons));
            persons = 1;
        }
        key = here;
    }
    LETHE_TRY(lethe_sorted_err(it));
    return before.at ? value_end(k, w, key, persons) : LETHE_OK;
}

/* --- handing out --- */

static lethe_err hand_out(void *arg, unsigned w, const lethe_row *row)
{
    lethe_kept_values *k = arg;
    worker *me = &k->workers[w];
    lethe_row shown = *row;
    lethe_str rest = row->kept;
    bool dropped = false;
    me->kept.n = 0;
    for (size_t i = 0; i < k->n; i++) {
        lethe_str value = lethe_kept_next(&rest);
        if (i > 0 && lethe_buf_put(&me->kept, "\t", 1) != LETHE_OK) return lethe_no_memory(k->ctx);
        if (value.n == 0) continue;
        if (key_of(&me->record, i, value) != LETHE_OK) return lethe_no_memory(k->ctx);
        lethe_str key = {(const char *)me->record.at, me->record.n};
        bool common = lethe_dict_find(k->common, key) != LETHE_NONE;
        if (common && lethe_buf_str(&me->kept, value) != LETHE_OK) return lethe_no_memory(k->ctx);
        me->published[i] |= common;
        dropped |= !common;
    }
    me->n_rows += dropped;
    shown.kept = (lethe_str){(const char *)me->kept.at, me->kept.n};
    return k->fn(k->arg, w, &shown);
}

lethe_err lethe_kept_values_each(lethe_kept_values *k, lethe_kept_row_fn fn, void *arg)
{
    k->fn = fn;
    k->arg = arg;
    lethe_ctx_phase(k->ctx, "kept values", lethe_sorter_count(k->owners));
    LETHE_TRY(lethe_sorter_each(k->owners, part, k));
    lethe_sorter_free(k->owners);
    k->owners = NULL;
    return lethe_log_walk(k->ctx, k->rows, &(lethe_row_visitor){.row = hand_out, .arg = k});
}

lethe_kept_counts lethe_kept_values_counts(const lethe_kept_values *k)
{
    lethe_kept_counts all = {.values = lethe_dict_count(k->common)};
    for (unsigned w = 0; w < k->n_workers; w++) {
        all.dropped += k->workers[w].n_dropped;
        all.rows += k->workers[w].n_rows;
    }
    for (size_t i = 0; i < k->n; i++) {
        bool seen = false, published = false;
        for (unsigned w = 0; w < k->n_workers; w++) {
            seen |= k->workers[w].seen[i];
            published |= k->workers[w].published[i];
        }
        all.lost[i] = seen && !published;
    }
    return all;
}
