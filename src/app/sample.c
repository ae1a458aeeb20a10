/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - what a log has, and a part of its users. */
#include "app/sample.h"
#include "core/rng.h"

/* --- facts of a log --- */

typedef struct worker_facts {
    lethe_dict *persons;
    uint64_t rows;
    bool has_clicks, has_times;
    char pad[64];
} worker_facts;

static lethe_err row_look(void *arg, unsigned w, const lethe_row *row)
{
    worker_facts *f = &((worker_facts *)arg)[w];
    uint32_t number;
    f->rows++;
    f->has_clicks = f->has_clicks || row->url.n > 0;
    f->has_times = f->has_times || row->time != LETHE_NO_TIME;
    return lethe_dict_add(f->persons, row->owner, &number);
}

static lethe_err facts_join(const worker_facts *at, unsigned n, lethe_log_facts *out)
{
    lethe_dict *all = at[0].persons;
    uint32_t number;
    for (unsigned w = 0; w < n; w++) {
        out->rows += at[w].rows;
        out->has_clicks = out->has_clicks || at[w].has_clicks;
        out->has_times = out->has_times || at[w].has_times;
        for (uint32_t i = 0; w > 0 && i < lethe_dict_count(at[w].persons); i++)
            LETHE_TRY(lethe_dict_add(all, lethe_dict_at(at[w].persons, i), &number));
    }
    out->persons = lethe_dict_count(all);
    return LETHE_OK;
}

lethe_err lethe_log_look(lethe_ctx *ctx, lethe_log *log, lethe_log_facts *out)
{
    unsigned n = lethe_ctx_threads(ctx);
    worker_facts *at = lethe_alloc_zero(n, sizeof *at);
    lethe_err e = at ? LETHE_OK : LETHE_ENOMEM;
    *out = (lethe_log_facts){.rows = 0};
    for (unsigned w = 0; e == LETHE_OK && w < n; w++)
        if (!(at[w].persons = lethe_dict_new())) e = LETHE_ENOMEM;
    if (e == LETHE_OK)
        e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = row_look, .arg = at});
    if (e == LETHE_OK) e = facts_join(at, n, out);
    for (unsigned w = 0; at && w < n; w++)
        lethe_dict_free(at[w].persons);
    lethe_free(at);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

/* --- the sample --- */

typedef struct sampling {
    const lethe_secret *secret;
    uint64_t most; /* a person whose hash is no more is in the sample */
    lethe_log *to;
} sampling;

static lethe_err row_sample(void *arg, unsigned w, const lethe_row *row)
{
    const sampling *s = arg;
    uint8_t hash[16];
    uint64_t number;
    lethe_secret_mac(s->secret, row->owner, hash, sizeof hash);
    memcpy(&number, hash, sizeof number);
    return number <= s->most ? lethe_log_append(s->to, w, row) : LETHE_OK;
}

lethe_err lethe_log_sample(lethe_ctx *ctx, lethe_log *log, double share, uint64_t seed,
                           lethe_log **out)
{
    lethe_secret *secret;
    lethe_err e = lethe_secret_from_seed(seed, &secret);
    if (e != LETHE_OK) return lethe_no_memory(ctx);
    sampling s = {.secret = secret, .most = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX};
    e = lethe_log_store(ctx, lethe_ctx_memory(ctx) / 8, &s.to);
    if (e == LETHE_OK) {
        e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = row_sample, .arg = &s});
        if (e == LETHE_OK)
            *out = s.to;
        else
            lethe_log_free(s.to);
    }
    lethe_secret_free(secret);
    return e;
}

lethe_err lethe_input_sample(lethe_ctx *ctx, const lethe_input *whole, double share, uint64_t seed,
                             lethe_input *out, lethe_log_facts *facts)
{
    *out = (lethe_input){.shape = LETHE_SHAPE_LOG};
    LETHE_TRY(lethe_log_sample(ctx, whole->log, share, seed, &out->log));
    LETHE_TRY(lethe_log_look(ctx, out->log, facts));
    out->counts = (lethe_read_counts){.lines = facts->rows, .rows = facts->rows};
    return LETHE_OK;
}
