/* SPDX-License-Identifier: Apache-2.0 */
/* user_texts.h - a log as users and their distinct texts, with how often each user issued each. */
#ifndef LETHE_METHOD_MICROAGG_USER_TEXTS_H
#define LETHE_METHOD_MICROAGG_USER_TEXTS_H
#include "core/dict.h"
#include "core/need.h"
#include "model/log/log.h"

/* Rows of one user with the same text and time are one query.  Users are in the order of their
 * first lines; a user's texts in that of their first queries: by time, those of one second by
 * bytes. */
typedef struct lethe_user_texts {
    uint32_t n; /* users; one may have no text left */
    lethe_arena *arena;
    lethe_str *name;   /* of each user */
    lethe_dict *texts; /* in arbitrary order */
    uint64_t *start;   /* n + 1: user u has text[start[u]] .. text[start[u + 1] - 1] */
    uint32_t *text;    /* no text twice for a user */
    uint64_t *queries; /* queries with that text */
    uint64_t *rows;    /* lines with that text */
} lethe_user_texts;

/* May change the row's query (the new one lives until the worker's next call) or set *dropped: the
 * row then has no text, but its user still counts.  Called on worker w; NULL: nothing changes. */
typedef lethe_err (*lethe_user_texts_fn)(void *arg, unsigned w, lethe_row *row, bool *dropped);

/* Reads and sorts the log within `cap_bytes`; the result is in memory, linear in the distinct texts
 * of all users.  It is the same for any number of threads and any cap, except for the numbers of
 * texts.  Reports all failures except those of `change`, which are passed on. */
LETHE_MUST_CHECK lethe_err lethe_user_texts_read(lethe_ctx *ctx, lethe_log *log,
                                                 lethe_user_texts_fn change, void *arg,
                                                 uint64_t cap_bytes, lethe_user_texts **out);
lethe_sizes lethe_user_texts_sizes(const lethe_user_texts *t); /* how much there is of them */
void lethe_user_texts_free(lethe_user_texts *t);               /* NULL is fine */

#endif
