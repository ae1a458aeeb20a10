/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a truth file: what is taken for one has the form of one, and survives being written
 * and read again. */
#include "core/dict.h"
#include "core/mem.h"
#include "model/knowledge/truth.h"
#include "text/normalize.h"
#include "fuzz.h"

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static void look_at(const lethe_truth *t)
{
    lethe_buf buf = {0};
    lethe_dict *users = lethe_dict_new();
    uint32_t id;
    MUST(users);
    for (size_t i = 0; i < t->n; i++) {
        const lethe_planted *p = &t->at[i];
        MUST(p->user.n > 0 && lethe_utf8_valid(p->user));
        MUST(lethe_dict_add(users, p->user, &id) == LETHE_OK && id == i);
        MUST(p->kind < LETHE_N_PLANTS && p->n_clues <= LETHE_TRUTH_CLUES);
        MUST(p->n_clues >= (p->kind == LETHE_PLANT_NUMBER ? 1u : 2u));
        MUST(p->kind != LETHE_PLANT_NAME || p->n_clues == 2);
        for (size_t c = 0; c < p->n_clues; c++) {
            lethe_str normal;
            bool invalid;
            MUST(lethe_normalize(p->clues[c], &buf, &normal, &invalid) == LETHE_OK && !invalid);
            MUST(normal.n > 0 && lethe_str_eq(normal, p->clues[c]));
        }
    }
    lethe_dict_free(users);
    lethe_buf_free(&buf);
}

static void put(lethe_buf *b, lethe_str s) { MUST(lethe_buf_str(b, s) == LETHE_OK); }

static void write_and_read_again(const lethe_truth *t)
{
    lethe_buf b = {0};
    lethe_truth *u = NULL;
    put(&b, LETHE_LIT(LETHE_TRUTH_HEADER));
    for (size_t i = 0; i < t->n; i++) {
        put(&b, t->at[i].user);
        put(&b, LETHE_LIT("\t"));
        put(&b, lethe_str_of(lethe_plant_names[t->at[i].kind]));
        for (size_t c = 0; c < t->at[i].n_clues; c++) {
            put(&b, LETHE_LIT("\t"));
            put(&b, t->at[i].clues[c]);
        }
        put(&b, LETHE_LIT("\n"));
    }
    MUST(lethe_truth_memory(ctx, (lethe_str){(const char *)b.at, b.n}, &u) == LETHE_OK);
    MUST(u->n == t->n);
    for (size_t i = 0; i < t->n; i++) {
        const lethe_planted *p = &t->at[i], *q = &u->at[i];
        MUST(lethe_str_eq(p->user, q->user) && p->kind == q->kind && p->n_clues == q->n_clues);
        for (size_t c = 0; c < p->n_clues; c++)
            MUST(lethe_str_eq(p->clues[c], q->clues[c]));
    }
    lethe_truth_free(u);
    lethe_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_truth *t = NULL;
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_err e = lethe_truth_memory(ctx, (lethe_str){n ? (const char *)data : "", n}, &t);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (t != NULL));
    if (!t) return 0;
    look_at(t);
    write_and_read_again(t);
    lethe_truth_free(t);
    return 0;
}
