/* SPDX-License-Identifier: Apache-2.0 */
/* user_texts.c - sorts rows by user, then merges each user's queries by text. */
#include "method/microagg/user_texts.h"
#include "io/sort/sorter.h"
#include <pthread.h>
#include <stdlib.h>

/* A text of a user; while the user's rows are read, one of its queries. */
struct entry {
    uint32_t text;
    uint32_t place; /* among the user's queries */
    uint64_t queries, rows;
};

struct user {
    uint64_t first; /* line of the log */
    unsigned w;     /* the worker that has its entries */
    size_t start, n;
    lethe_str name;
};

enum { QUERIES_FEW = 4096 }; /* of a user, that are held one by one */

struct worker {
    lethe_buf record;
    lethe_buf queries; /* struct entry: of the current user */
    uint32_t place;    /* of its next query */
    uint64_t n_rows;   /* of the current user */
    size_t n_merged;   /* entries of its queries that were merged last */
    lethe_buf entries; /* struct entry: of all its users */
    lethe_buf users;   /* struct user */
    lethe_arena *names;
    char apart[64]; /* no two workers write in one cache line */
};

struct reader {
    lethe_ctx *ctx;
    lethe_user_texts_fn change;
    void *arg;
    lethe_sorter *rows;
    pthread_mutex_t lock; /* of the dictionary and of `all` */
    lethe_dict *texts;
    lethe_sizes all; /* users that were read, and their texts */
    uint64_t done;   /* rows of these */
    unsigned n_workers;
    struct worker *workers;
};

/* --- rows into the sorter --- */

/* A row that is left out is sorted without text, so that its user counts.  Clicks are not needed.
 */
static lethe_err sort_row(void *arg, unsigned w, const lethe_row *in)
{
    struct reader *r = arg;
    lethe_buf *b = &r->workers[w].record;
    lethe_row row = *in;
    bool dropped = false;
    row.url = (lethe_str){"", 0};
    row.rank = LETHE_NO_RANK;
    if (r->change) LETHE_TRY(r->change(r->arg, w, &row, &dropped));
    if (dropped) row.query = (lethe_str){"", 0};
    if (lethe_row_pack(&row, LETHE_BY_USER, b) != LETHE_OK) return lethe_no_memory(r->ctx);
    return lethe_sorter_put(r->rows, w, b->at, b->n);
}

/* --- users out of the sorter --- */

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->text != y->text) return x->text < y->text ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Merges the current user's queries with one text into one entry, at the place of the first: a
 * robot has few texts and many queries. */
static void merge_queries(struct worker *k)
{
    struct entry *e = (struct entry *)(void *)k->queries.at;
    size_t n = k->queries.n / sizeof *e, last = 0;
    k->n_merged = n;
    if (n == 0) return;
    qsort(e, n, sizeof *e, by_text);
    for (size_t i = 1; i < n; i++) {
        if (e[i].text == e[last].text) {
            e[last].queries += e[i].queries;
            e[last].rows += e[i].rows;
        } else {
            e[++last] = e[i];
        }
    }
    k->n_merged = last + 1;
    k->queries.n = k->n_merged * sizeof *e;
    qsort(e, k->n_merged, sizeof *e, by_place);
}

enum { TOLD_USERS = 256 }; /* what is held is looked at each time so many more were read */

/* Bytes of all users and their texts in the end (lethe_user_texts). */
static uint64_t held_of(uint64_t n_users, uint64_t n_texts)
{
    return n_users * (sizeof(uint64_t) + sizeof(lethe_str)) +
           n_texts * (sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

static lethe_err so_far_fits(struct reader *r, const struct user *u, uint64_t rows)
{
    pthread_mutex_lock(&r->lock);
    r->all.n++;
    r->all.parts += u->n;
    r->done += rows;
    lethe_sizes s = r->all;
    uint64_t done = r->done;
    s.distinct = lethe_dict_count(r->texts);
    s.held = lethe_dict_bytes(r->texts) + held_of(s.n, s.parts);
    pthread_mutex_unlock(&r->lock);
    return s.n % TOLD_USERS ? LETHE_OK
                            : lethe_ctx_grows(r->ctx, &s, done, lethe_sorter_count(r->rows));
}

static lethe_err end_user(struct reader *r, struct worker *k, struct user *u)
{
    const struct entry *e = (const struct entry *)(const void *)k->queries.at;
    merge_queries(k);
    u->start = k->entries.n / sizeof *e;
    u->n = k->n_merged;
    if (lethe_buf_put(&k->users, u, sizeof *u) != LETHE_OK) return lethe_no_memory(r->ctx);
    if (u->n > 0 && lethe_buf_put(&k->entries, e, u->n * sizeof *e) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    uint64_t rows = k->n_rows;
    k->n_rows = 0;
    return so_far_fits(r, u, rows);
}

static lethe_err read_users(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct reader *r = arg;
    struct worker *k = &r->workers[w];
    struct user u;
    lethe_row row, before = {0};
    lethe_str record;
    bool any = false;
    (void)i;
    for (; lethe_sorted_next(it, &record); any = true, before = row) {
        if (lethe_ctx_cancelled(r->ctx)) return LETHE_ECANCEL;
        lethe_row_unpack(record, LETHE_BY_USER, &row);
        bool same = any && lethe_str_eq(row.user, before.user);
        if (any && !same) LETHE_TRY(end_user(r, k, &u));
        if (!same) {
            char *name = lethe_arena_dup(k->names, row.user);
            if (!name) return lethe_no_memory(r->ctx);
            u = (struct user){.first = row.origin, .w = w, .name = {name, row.user.n}};
            k->queries.n = k->n_merged = k->place = 0;
        }
        k->n_rows++;
        u.first = LETHE_MIN(u.first, row.origin);
        if (row.query.n == 0) continue;
        if (!same || row.time != before.time || !lethe_str_eq(row.query, before.query)) {
            struct entry e = {.place = k->place, .queries = 1};
            if (k->place++ == UINT32_MAX) return lethe_no_memory(r->ctx); // too many to number
            if (k->queries.n / sizeof e >= QUERIES_FEW + 2 * k->n_merged) merge_queries(k);
            pthread_mutex_lock(&r->lock);
            lethe_err err = lethe_dict_add(r->texts, row.query, &e.text);
            pthread_mutex_unlock(&r->lock);
            if (err == LETHE_OK) err = lethe_buf_put(&k->queries, &e, sizeof e);
            if (err != LETHE_OK) return lethe_no_memory(r->ctx);
        }
        ((struct entry *)(void *)(k->queries.at + k->queries.n))[-1].rows++;
    }
    LETHE_TRY(lethe_sorted_err(it));
    return any ? end_user(r, k, &u) : LETHE_OK;
}

/* --- all of them together --- */

static int by_line(const void *a, const void *b)
{
    const struct user *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Fills `t` with the users of all workers, in the order of their first lines. */
static lethe_err gather(const struct reader *r, lethe_buf *all, lethe_user_texts *t)
{
    size_t n_entries = 0;
    for (unsigned w = 0; w < r->n_workers; w++) {
        const struct worker *k = &r->workers[w];
        if (k->users.n > 0) LETHE_TRY(lethe_buf_put(all, k->users.at, k->users.n));
        n_entries += k->entries.n / sizeof(struct entry);
    }
    struct user *users = (struct user *)(void *)all->at;
    size_t n = all->n / sizeof *users;
    if (n >= LETHE_NONE) return LETHE_ENOMEM; // too many to number
    if (n > 0) qsort(users, n, sizeof *users, by_line);
    t->name = lethe_new(t->arena, lethe_str, n);
    t->start = lethe_alloc(n + 1, sizeof *t->start);
    t->text = lethe_alloc(n_entries, sizeof *t->text);
    t->queries = lethe_alloc(n_entries, sizeof *t->queries);
    t->rows = lethe_alloc(n_entries, sizeof *t->rows);
    if (!t->name || !t->start || !t->text || !t->queries || !t->rows) return LETHE_ENOMEM;
    uint64_t to = 0;
    for (size_t i = 0; i < n; i++) {
        const struct user *u = &users[i];
        const lethe_buf *entries = &r->workers[u->w].entries;
        const struct entry *e = (const struct entry *)(const void *)entries->at;
        char *name = lethe_arena_dup(t->arena, u->name);
        if (!name) return LETHE_ENOMEM;
        t->name[i] = (lethe_str){name, u->name.n};
        t->start[i] = to;
        for (size_t k = u->start; k < u->start + u->n; k++, to++) {
            t->text[to] = e[k].text;
            t->queries[to] = e[k].queries;
            t->rows[to] = e[k].rows;
        }
    }
    t->start[n] = to;
    t->n = (uint32_t)n;
    return LETHE_OK;
}

/* --- the whole log --- */

static lethe_err read_log(struct reader *r, lethe_log *log, uint64_t cap_bytes, lethe_user_texts *t)
{
    r->texts = lethe_dict_new();
    r->workers = lethe_alloc_zero(r->n_workers, sizeof *r->workers);
    if (!r->texts || !r->workers) return lethe_no_memory(r->ctx);
    for (unsigned w = 0; w < r->n_workers; w++) {
        r->workers[w].names = lethe_arena_new();
        if (!r->workers[w].names) return lethe_no_memory(r->ctx);
    }
    LETHE_TRY(lethe_sorter_new(r->ctx, LETHE_ORDER_GROUP, cap_bytes, &r->rows));
    lethe_ctx_phase(r->ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(r->ctx, log, &(lethe_row_visitor){.row = sort_row, .arg = r}));
    lethe_ctx_phase(r->ctx, "users", lethe_sorter_count(r->rows));
    LETHE_TRY(lethe_sorter_each(r->rows, read_users, r));
    lethe_buf users = {0};
    lethe_err e = gather(r, &users, t);
    lethe_buf_free(&users);
    return e == LETHE_OK ? e : lethe_no_memory(r->ctx);
}

static void reader_free(struct reader *r)
{
    for (unsigned w = 0; r->workers && w < r->n_workers; w++) {
        struct worker *k = &r->workers[w];
        lethe_buf_free(&k->record);
        lethe_buf_free(&k->queries);
        lethe_buf_free(&k->entries);
        lethe_buf_free(&k->users);
        if (k->names) lethe_arena_free(k->names);
    }
    lethe_free(r->workers);
    lethe_sorter_free(r->rows);
    if (r->texts) lethe_dict_free(r->texts);
    pthread_mutex_destroy(&r->lock);
}

lethe_sizes lethe_user_texts_sizes(const lethe_user_texts *t)
{
    uint64_t parts = t->start[t->n];
    return (lethe_sizes){.things = "users",
                         .parts_are = "texts",
                         .n = t->n,
                         .parts = parts,
                         .distinct = lethe_dict_count(t->texts),
                         .persons = t->n,
                         .held = lethe_dict_bytes(t->texts) + held_of(t->n, parts)};
}

void lethe_user_texts_free(lethe_user_texts *t)
{
    if (!t) return;
    lethe_free(t->start);
    lethe_free(t->text);
    lethe_free(t->queries);
    lethe_free(t->rows);
    if (t->texts) lethe_dict_free(t->texts);
    if (t->arena) lethe_arena_free(t->arena);
    lethe_free(t);
}

lethe_err lethe_user_texts_read(lethe_ctx *ctx, lethe_log *log, lethe_user_texts_fn change,
                                void *arg, uint64_t cap_bytes, lethe_user_texts **out)
{
    struct reader r = {
        .ctx = ctx, .change = change, .arg = arg, .n_workers = lethe_ctx_threads(ctx)};
    r.all = (lethe_sizes){.things = "users", .parts_are = "texts"};
    lethe_user_texts *t = lethe_alloc_zero(1, sizeof *t);
    if (t) t->arena = lethe_arena_new();
    pthread_mutex_init(&r.lock, NULL);
    bool ok = t && t->arena;
    lethe_err err = ok ? read_log(&r, log, cap_bytes, t) : lethe_no_memory(ctx);
    if (ok && err == LETHE_OK) {
        t->texts = r.texts;
        r.texts = NULL;
        *out = t;
    } else {
        lethe_user_texts_free(t);
    }
    reader_free(&r);
    return err;
}
