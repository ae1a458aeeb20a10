/* SPDX-License-Identifier: Apache-2.0 */
/* synth.c - the synthetic log: blocks of users made on all workers, written in their order. */
#include "app/synth/synth.h"
#include "app/synth/synth2.h"
#include "io/write/ordered.h"
#include "text/words.h"

#define LOG_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

struct worker {
    lethe_synth_person person;
    lethe_dict *texts; /* where results are wanted */
    lethe_synth_counts counts;
    char pad[64]; /* workers count without touching each other's lines of memory */
};

struct synthesis {
    lethe_ctx *ctx;
    const lethe_synth *how;
    lethe_synth_world world;
    lethe_ordered *log, *truth; /* truth: NULL where it is not wanted */
    struct worker *workers;
    bool wants_results;
};

/* The texts of the person just made. */
static lethe_err texts_note(struct worker *k)
{
    uint32_t id;
    if (!k->texts) k->texts = lethe_dict_new();
    if (!k->texts) return LETHE_ENOMEM;
    for (size_t i = 0; i < k->person.n_typed; i++)
        if (k->person.typed[i].asked)
            LETHE_TRY(lethe_dict_add(k->texts,
                                     lethe_synth_typed_text(&k->person, &k->person.typed[i]), &id));
    return LETHE_OK;
}

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
    for (uint64_t user = from; user < to && e == LETHE_OK; user++) {
        e = lethe_synth_person_write(&s->world, &planting, s->how->queries_per_user, user,
                                     &k->person, &log, s->truth ? &truth : NULL, &k->counts);
        if (e == LETHE_OK && s->wants_results) e = texts_note(k);
    }
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

static lethe_err results_put(lethe_str text, lethe_buf *lines)
{
    lethe_synth_answers a = lethe_synth2_ask(text);
    LETHE_TRY(lethe_buf_reserve(lines, (size_t)a.n_results * LETHE_TEXT_ROOM));
    lethe_synth_pen pen = {(char *)lines->at + lines->n};
    for (uint32_t rank = 1; rank <= a.n_results; rank++) {
        lethe_synth_pen_str(&pen, text);
        lethe_synth_pen_char(&pen, '\t');
        lethe_synth2_result(&a, rank, &pen);
        lethe_synth_pen_char(&pen, '\n');
    }
    lines->n = (size_t)(pen.at - (char *)lines->at);
    return LETHE_OK;
}

/* Answers to all texts of all workers, each once, in order of bytes. */
static lethe_err results_write(const struct synthesis *s, lethe_sink *out)
{
    enum { PIECE = 1 << 16 };
    unsigned n_workers = lethe_ctx_threads(s->ctx);
    size_t n = 0, at = 0;
    for (unsigned w = 0; w < n_workers; w++)
        n += s->workers[w].texts ? lethe_dict_count(s->workers[w].texts) : 0;
    lethe_str *texts = lethe_alloc(n + 1, sizeof *texts);
    if (!texts) return LETHE_ENOMEM;
    for (unsigned w = 0; w < n_workers; w++) {
        const lethe_dict *d = s->workers[w].texts;
        for (uint32_t i = 0; d && i < lethe_dict_count(d); i++)
            texts[at++] = lethe_dict_at(d, i);
    }
    lethe_words_sort(texts, n);
    lethe_buf lines = {0};
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < n && e == LETHE_OK; i++) {
        if (i == 0 || !lethe_str_eq(texts[i], texts[i - 1])) e = results_put(texts[i], &lines);
        if (e != LETHE_OK || (lines.n < PIECE && i + 1 < n)) continue;
        e = lethe_sink_write(out, lines.at, lines.n);
        lines.n = 0;
    }
    lethe_buf_free(&lines);
    lethe_free(texts);
    return e;
}

lethe_err lethe_synth_write(lethe_ctx *ctx, const lethe_wordnet *wn, const lethe_synth *how,
                            const lethe_synth_sinks *to, lethe_synth_counts *counts)
{
    struct synthesis s = {.ctx = ctx, .how = how, .wants_results = to->results};
    lethe_arena *a = lethe_arena_new(), *tmp = lethe_arena_new();
    lethe_err e =
        a && tmp ? lethe_synth_world_make(ctx, wn, how, a, tmp, &s.world) : lethe_no_memory(ctx);
    lethe_arena_free(tmp);
    if (e == LETHE_OK) e = blocks_make(&s, to->log, to->truth);
    if (e == LETHE_OK && to->results) {
        e = results_write(&s, to->results);
        if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    }
    lethe_synth_counts sum = {0};
    for (unsigned w = 0; s.workers && w < lethe_ctx_threads(ctx); w++) {
        const lethe_synth_counts *c = &s.workers[w].counts;
        sum.rows += c->rows;
        sum.queries += c->queries;
        for (size_t i = 0; i < LETHE_N_PLANTS; i++)
            sum.planted[i] += c->planted[i];
        lethe_synth_person_free(&s.workers[w].person);
        lethe_dict_free(s.workers[w].texts);
    }
    if (e == LETHE_OK) *counts = sum;
    lethe_free(s.workers);
    lethe_ordered_free(s.log);
    lethe_ordered_free(s.truth);
    lethe_arena_free(a);
    return e;
}
