/* SPDX-License-Identifier: Apache-2.0 */
/* texts.c - see the header.  Workers gather names and pairs in dictionaries of their own; what they
 * found is put in the order of bytes, so that nothing depends on who found it first. */
#include "attack/texts.h"
#include "core/rng.h"
#include "core/sort.h"
#include "io/sort/sorter.h"
#include <stdlib.h>

struct gatherer {
    lethe_dict *found; /* names of users; or person (4 bytes) and text */
    lethe_buf key;
    uint64_t *rows; /* by person */
};

struct gathering {
    lethe_ctx *ctx;
    unsigned n_workers;
    struct gatherer *workers;
    const lethe_dict *persons; /* NULL: users are gathered */
};

static lethe_err gather(struct gathering *g, unsigned w, lethe_str key)
{
    uint32_t id;
    return lethe_dict_add(g->workers[w].found, key, &id) == LETHE_OK ? LETHE_OK
                                                                     : lethe_no_memory(g->ctx);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct gathering *g = arg;
    struct gatherer *k = &g->workers[w];
    if (!g->persons) return gather(g, w, row->user);
    uint32_t person = lethe_dict_find(g->persons, row->user);
    if (person == LETHE_NONE) return LETHE_OK;
    uint8_t number[4];
    lethe_be32_put(number, person);
    k->rows[person]++;
    k->key.n = 0;
    if (lethe_buf_put(&k->key, number, sizeof number) != LETHE_OK ||
        lethe_buf_str(&k->key, row->query) != LETHE_OK)
        return lethe_no_memory(g->ctx);
    return gather(g, w, (lethe_str){(const char *)k->key.at, k->key.n});
}

/* What all workers found, in the order of bytes, each once: *n views that live as long as the
 * workers. */
static lethe_err gathered(struct gathering *g, lethe_arena *a, lethe_str **out, size_t *n)
{
    lethe_dict *all = g->workers[0].found;
    for (unsigned w = 1; w < g->n_workers; w++)
        for (uint32_t i = 0; i < lethe_dict_count(g->workers[w].found); i++)
            LETHE_TRY(gather(g, 0, lethe_dict_at(g->workers[w].found, i)));
    *n = lethe_dict_count(all);
    *out = lethe_new(a, lethe_str, *n + 1);
    if (!*out) return lethe_no_memory(g->ctx);
    for (uint32_t i = 0; i < *n; i++)
        (*out)[i] = lethe_dict_at(all, i);
    qsort(*out, *n, sizeof **out, lethe_strs_cmp);
    return LETHE_OK;
}

static lethe_err gathering_open(struct gathering *g, lethe_ctx *ctx, const lethe_dict *persons)
{
    *g = (struct gathering){.ctx = ctx, .n_workers = lethe_ctx_threads(ctx), .persons = persons};
    g->workers = lethe_alloc_zero(g->n_workers, sizeof *g->workers);
    if (!g->workers) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < g->n_workers; w++) {
        struct gatherer *k = &g->workers[w];
        k->found = lethe_dict_new();
        k->rows = lethe_alloc_zero(persons ? lethe_dict_count(persons) + 1 : 1, sizeof *k->rows);
        if (!k->found || !k->rows) return lethe_no_memory(ctx);
    }
    return LETHE_OK;
}

static void gathering_close(struct gathering *g)
{
    for (unsigned w = 0; g->workers && w < g->n_workers; w++) {
        lethe_dict_free(g->workers[w].found);
        lethe_buf_free(&g->workers[w].key);
        lethe_free(g->workers[w].rows);
    }
    lethe_free(g->workers);
}

/* Some of the names, without putting back. */
static lethe_err persons_draw(lethe_ctx *ctx, lethe_str *name, size_t n, uint64_t seed,
                              uint32_t most, lethe_person_texts *out)
{
    lethe_secret *secret = NULL;
    uint32_t id;
    if (lethe_secret_from_seed(seed, &secret) != LETHE_OK) return lethe_no_memory(ctx);
    lethe_rng rng = lethe_rng_stream(secret, "persons of texts", 0);
    lethe_err e = LETHE_OK;
    out->n = (uint32_t)LETHE_MIN(n, most);
    for (size_t i = 0; e == LETHE_OK && i < out->n; i++) {
        size_t j = i + (size_t)lethe_rng_below(&rng, n - i);
        lethe_str drawn = name[j];
        name[j] = name[i];
        e = lethe_dict_add(out->persons, drawn, &id);
    }
    lethe_rng_wipe(&rng);
    lethe_secret_free(secret);
    return e == LETHE_OK ? e : lethe_no_memory(ctx);
}

static lethe_err users_gather(lethe_ctx *ctx, lethe_log *log, uint64_t seed, uint32_t most,
                              lethe_person_texts *out)
{
    struct gathering g;
    lethe_str *name;
    size_t n = 0;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = gathering_open(&g, ctx, NULL);
    if (e == LETHE_OK && !a) e = lethe_no_memory(ctx);
    if (e == LETHE_OK) e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = &g});
    if (e == LETHE_OK) e = gathered(&g, a, &name, &n);
    if (e == LETHE_OK) e = persons_draw(ctx, name, n, seed, most, out);
    out->n_users = n;
    gathering_close(&g);
    lethe_arena_free(a);
    return e;
}

/* Pairs come by person, of each by text. */
static lethe_err pairs_list(lethe_ctx *ctx, const lethe_str *pair, size_t n,
                            lethe_person_texts *out)
{
    out->start = lethe_new(out->arena, uint64_t, (size_t)out->n + 1);
    out->text = lethe_new(out->arena, uint32_t, n + 1);
    if (!out->start || !out->text) return lethe_no_memory(ctx);
    for (size_t i = 0; i < n; i++) {
        lethe_str text = {pair[i].at + 4, pair[i].n - 4};
        out->start[lethe_be32_get((const uint8_t *)pair[i].at) + 1]++;
        if (lethe_dict_add(out->texts, text, &out->text[i]) != LETHE_OK)
            return lethe_no_memory(ctx);
    }
    for (uint32_t p = 0; p < out->n; p++)
        out->start[p + 1] += out->start[p];
    return LETHE_OK;
}

static lethe_err texts_gather(lethe_ctx *ctx, lethe_log *log, lethe_person_texts *out)
{
    struct gathering g;
    lethe_str *pair;
    size_t n = 0;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = gathering_open(&g, ctx, out->persons);
    out->rows = lethe_new(out->arena, uint64_t, (size_t)out->n + 1);
    if (e == LETHE_OK && (!a || !out->rows)) e = lethe_no_memory(ctx);
    if (e == LETHE_OK) e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = &g});
    if (e == LETHE_OK) e = gathered(&g, a, &pair, &n);
    if (e == LETHE_OK) e = pairs_list(ctx, pair, n, out);
    for (unsigned w = 0; e == LETHE_OK && w < g.n_workers; w++)
        for (uint32_t p = 0; p < out->n; p++)
            out->rows[p] += g.workers[w].rows[p];
    gathering_close(&g);
    lethe_arena_free(a);
    return e;
}

lethe_err lethe_person_texts_draw(lethe_ctx *ctx, lethe_log *log, uint64_t seed, uint32_t most,
                                  lethe_person_texts *out)
{
    *out = (lethe_person_texts){
        .arena = lethe_arena_new(), .persons = lethe_dict_new(), .texts = lethe_dict_new()};
    if (!out->arena || !out->persons || !out->texts) return lethe_no_memory(ctx);
    LETHE_TRY(users_gather(ctx, log, seed, most, out));
    return texts_gather(ctx, log, out);
}

void lethe_person_texts_free(lethe_person_texts *p)
{
    lethe_dict_free(p->persons);
    lethe_dict_free(p->texts);
    lethe_arena_free(p->arena);
}

/* --- how many users issued them --- */

struct counting {
    lethe_ctx *ctx;
    const lethe_dict *texts;
    lethe_sorter *sorter; /* number of a text, in hex, NUL user; or TAB user, once for a few rows */
    unsigned n_workers;
    struct counter {
        lethe_buf record, user;
        uint64_t n_users;
    } * workers;
    uint64_t *users;
};

static lethe_err counted_put(struct counting *c, unsigned w, lethe_str key, lethe_str rest)
{
    lethe_buf *b = &c->workers[w].record;
    b->n = 0;
    if (lethe_buf_str(b, key) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, rest) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->sorter, w, b->at, b->n);
}

static lethe_err on_counted(void *arg, unsigned w, const lethe_row *row)
{
    struct counting *c = arg;
    struct counter *k = &c->workers[w];
    uint32_t text = lethe_dict_find(c->texts, row->query);
    if (!lethe_str_eq((lethe_str){(const char *)k->user.at, k->user.n}, row->user)) {
        k->user.n = 0; // a release is sorted by its users: few rows have another than before
        if (lethe_buf_str(&k->user, row->user) != LETHE_OK) return lethe_no_memory(c->ctx);
        LETHE_TRY(counted_put(c, w, row->user, (lethe_str){"", 0}));
    }
    if (text == LETHE_NONE) return LETHE_OK;
    // no user holds a tab
    char key[] = "\t        ";
    for (int i = 0; i < 8; i++)
        key[1 + i] = "0123456789abcdef"[text >> (28 - 4 * i) & 15];
    return counted_put(c, w, lethe_str_of(key), row->user);
}

static uint32_t text_number(lethe_str record)
{
    uint32_t n = 0;
    for (int i = 1; i <= 8; i++)
        n = n << 4 | (uint32_t)(record.at[i] <= '9' ? record.at[i] - '0' : record.at[i] - 'a' + 10);
    return n;
}

/* Groups are texts, each with its users, and users. */
static lethe_err counted_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct counting *c = arg;
    lethe_str record, before = {NULL, 0};
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(before, record)) continue;
        if (record.at[0] == '\t')
            c->users[text_number(record)]++;
        else
            c->workers[w].n_users++;
    }
    return lethe_sorted_err(it);
}

lethe_err lethe_texts_count(lethe_ctx *ctx, lethe_log *log, const lethe_dict *texts,
                            uint64_t *users, uint64_t *n_users)
{
    struct counting c = {.ctx = ctx, .texts = texts, .n_workers = lethe_ctx_threads(ctx)};
    c.users = users;
    *n_users = 0;
    c.workers = lethe_alloc_zero(c.n_workers, sizeof *c.workers);
    lethe_err e = c.workers ? LETHE_OK : lethe_no_memory(ctx);
    if (e == LETHE_OK)
        e = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 4, &c.sorter);
    if (e == LETHE_OK)
        e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_counted, .arg = &c});
    if (e == LETHE_OK) e = lethe_sorter_each(c.sorter, counted_part, &c);
    lethe_sorter_free(c.sorter);
    for (unsigned w = 0; c.workers && w < c.n_workers; w++) {
        *n_users += c.workers[w].n_users;
        lethe_buf_free(&c.workers[w].record);
        lethe_buf_free(&c.workers[w].user);
    }
    lethe_free(c.workers);
    return e;
}
