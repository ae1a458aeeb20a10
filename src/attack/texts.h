/* SPDX-License-Identifier: Apache-2.0 */
/* texts.h - persons drawn from a log, the whole texts that they issued, and how many users issued
 * each of these. */
#ifndef LETHE_ATTACK_TEXTS_H
#define LETHE_ATTACK_TEXTS_H
#include "core/dict.h"
#include "model/log/log.h"

typedef struct lethe_person_texts {
    uint64_t n_users;    /* of the log */
    uint32_t n;          /* persons drawn, */
    lethe_dict *persons; /* with their names */
    uint64_t *rows;      /* by person */
    lethe_dict *texts;   /* all that they issued, in no meaningful order */
    uint64_t *start;     /* by person, n + 1: text[start[p]] .. text[start[p + 1] - 1], distinct, */
    uint32_t *text;      /* in the order of their bytes */
    lethe_arena *arena;  /* all of it */
} lethe_person_texts;

/* Draws up to `most` users of `log`, each as likely as any other, by `seed` and their names alone.
 * Walks the log twice.  Memory: the names of all users and the texts of those drawn, for each
 * thread.  Reports LETHE_ENOMEM; lethe_person_texts_free() in any case. */
LETHE_MUST_CHECK lethe_err lethe_person_texts_draw(lethe_ctx *ctx, lethe_log *log, uint64_t seed,
                                                   uint32_t most, lethe_person_texts *out);
void lethe_person_texts_free(lethe_person_texts *p); /* a zeroed one is fine */

/* By text of `texts`, how many different users of `log` issued it; *n_users: all there are. */
LETHE_MUST_CHECK lethe_err lethe_texts_count(lethe_ctx *ctx, lethe_log *log,
                                             const lethe_dict *texts, uint64_t *users,
                                             uint64_t *n_users);

#endif
