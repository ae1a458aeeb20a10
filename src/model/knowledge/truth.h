/* SPDX-License-Identifier: Apache-2.0 */
/* truth.h - the persons planted in a synthetic log, and the clues that identify them.
 *
 * A text file: a header `AnonID TAB Kind TAB Clues`, then a line for each planted person: the user,
 * the kind, and one clue or more, normalised (text/normalize.h), with tabs between them.
 *
 *   number   each clue is a number of theirs (social security, card, phone) or an e-mail
 *            address, as it stands in their queries: one alone tells who
 *   name     a name and a town: told by one user who asked for both
 *   pattern  many harmless queries, whole texts, that together only this user issued */
#ifndef LETHE_MODEL_KNOWLEDGE_TRUTH_H
#define LETHE_MODEL_KNOWLEDGE_TRUTH_H
#include "core/ctx.h"
#include "core/mem.h"

#define LETHE_TRUTH_HEADER "AnonID\tKind\tClues\n"
#define LETHE_TRUTH_CLUES 64 /* at most, of one person */

typedef enum lethe_plant {
    LETHE_PLANT_NUMBER,
    LETHE_PLANT_NAME,
    LETHE_PLANT_PATTERN,
    LETHE_N_PLANTS
} lethe_plant;
extern const char *const lethe_plant_names[LETHE_N_PLANTS]; /* "number", "name", "pattern" */

typedef struct lethe_planted {
    lethe_str user;
    lethe_plant kind;
    const lethe_str *clues;
    size_t n_clues; /* number: 1 or more; name: 2; pattern: 2 or more; LETHE_TRUTH_CLUES at most */
} lethe_planted;

typedef struct lethe_truth {
    const lethe_planted *at;
    size_t n;
    lethe_arena *arena;
} lethe_truth;

/* Strict: the first line that is not as above is LETHE_EINPUT with file, line, column (the field,
 * from 1) and cause; a user twice too.  Lines may end in CRLF, and the last one without.  A truth
 * without a person is fine. */
LETHE_MUST_CHECK lethe_err lethe_truth_read(lethe_ctx *ctx, const char *path, lethe_truth **out);
LETHE_MUST_CHECK lethe_err lethe_truth_memory(lethe_ctx *ctx, lethe_str bytes, lethe_truth **out);
void lethe_truth_free(lethe_truth *t); /* NULL is fine */

#endif
