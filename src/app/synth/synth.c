/* SPDX-License-Identifier: Apache-2.0 */
/* synth.c - the synthetic log: blocks of users made on all workers, written in their order. */
#include "app/synth/synth.h"
#include "app/synth/synth_internal.h"
#include "io/write/ordered.h"

#define LOG_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

struct worker {
    lethe_synth_person person;
    lethe_synth_counts counts;
    char pad[64]; /* workers count without touching each other's lines of memory */
};

struct synthesis {
    lethe_ctx *ctx;
    const lethe_synth *how;
    lethe_synth_world world;
    lethe_ordered *log, *truth; /* truth: NULL where it is not wanted */
    struct worker *workers;
};

/* A block is a group of those that persons are planted in. */
static lethe_err block_make(void *arg, size_t block, unsigned w)
{
    struct synthesis *s = arg;
    struct worker *k = &s->workers[w];
    lethe_buf log = {0}, truth = {0};
    lethe_synth_plants planting;
    uint64_t from = (uint64_t)block * LETHE_GROUP,
             to = LETHE_MIN(from + LETHE_GROUP, s->how->n_users);
    lethe_err e = LETHE_OK;
    lethe_synth_plants_of(&s->world, block, &planting);
    for (uint64_t user = from; user < to && e == LETHE_OK; user++)
        e = lethe_synth_person_write(&s->world, &planting, s->how->queries_per_user, user,
                                     &k->person, &log, s->truth ? &truth : NULL, &k->counts);
    if (e == LETHE_ENOMEM) e = lethe_no_memory(s->ctx);
    if (e == LETHE_OK) e = lethe_ordered_put(s->log, block, &log);
    if (e == LETHE_OK && s->truth) e = lethe_ordered_put(s->truth, block, &truth);
    lethe_buf_free(&log);
    lethe_buf_free(&truth);
    lethe_ctx_advance(s->ctx, to - from);
    return e;
}

static lethe_err blocks_make(struct synthesis *s, lethe_sink *log, lethe_sink *truth)
{
    uint64_t n_users = s->how->n_users,
             n_blocks = n_users / LETHE_GROUP + (n_users % LETHE_GROUP > 0);
    s->workers = lethe_alloc_zero(lethe_ctx_threads(s->ctx), sizeof *s->workers);
    if (!s->workers) return lethe_no_memory(s->ctx);
    LETHE_TRY(lethe_ordered_new(s->ctx, log, &s->log));
    if (truth) LETHE_TRY(lethe_ordered_new(s->ctx, truth, &s->truth));
    LETHE_TRY(lethe_sink_write(log, LOG_HEADER, sizeof LOG_HEADER - 1));
    if (truth)
        LETHE_TRY(lethe_sink_write(truth, LETHE_TRUTH_HEADER, sizeof LETHE_TRUTH_HEADER - 1));
    lethe_ctx_phase(s->ctx, "inventing", n_users);
    lethe_err e = lethe_pool_for(s->ctx, (size_t)n_blocks, block_make, s);
    lethe_ctx_phase(s->ctx, NULL, 0);
    LETHE_TRY(e);
    LETHE_TRY(lethe_ordered_finish(s->log));
    return truth ? lethe_ordered_finish(s->truth) : LETHE_OK;
}

lethe_err lethe_synth_write(lethe_ctx *ctx, const lethe_wordnet *wn, const lethe_synth *how,
                            lethe_sink *log, lethe_sink *truth, lethe_synth_counts *counts)
{
    struct synthesis s = {.ctx = ctx, .how = how};
    lethe_arena *a = lethe_arena_new(), *tmp = lethe_arena_new();
    lethe_err e = a && tmp ? lethe_synth_world_make(ctx, wn, how->random, a, tmp, &s.world)
                           : lethe_no_memory(ctx);
    lethe_arena_free(tmp);
    if (e == LETHE_OK) e = blocks_make(&s, log, truth);
    lethe_synth_counts sum = {0};
    for (unsigned w = 0; s.workers && w < lethe_ctx_threads(ctx); w++) {
        const lethe_synth_counts *c = &s.workers[w].counts;
        sum.rows += c->rows;
        sum.queries += c->queries;
        for (size_t i = 0; i < LETHE_N_PLANTS; i++)
            sum.planted[i] += c->planted[i];
        lethe_synth_person_free(&s.workers[w].person);
    }
    if (e == LETHE_OK) *counts = sum;
    lethe_free(s.workers);
    lethe_ordered_free(s.log);
    lethe_ordered_free(s.truth);
    lethe_arena_free(a);
    return e;
}
