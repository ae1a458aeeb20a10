/* user_texts.h - a log as users and their distinct texts: who issued what, and how often. */
#ifndef LETHE_METHOD_MICROAGG_USER_TEXTS_H
#define LETHE_METHOD_MICROAGG_USER_TEXTS_H
#include "core/dict.h"
#include "model/log/log.h"

/* Rows of one user with the same text and time are one query.  Users stand in the order of their
 * first lines; a user's texts in that of their first queries: by time, those of one second by their
 * bytes. */
typedef struct lethe_user_texts {
    uint32_t n; /* users; one may have no text left */
    lethe_arena *arena;
    lethe_str *name;   /* of each user */
    lethe_dict *texts; /* numbered in no meaningful order */
    uint64_t *start;   /* n + 1: user u has text[start[u]] .. text[start[u + 1] - 1] */
    uint32_t *text;    /* no text twice for a user */
    uint64_t *queries; /* how many of that text, */
    uint64_t *rows;    /* and of how many lines */
} lethe_user_texts;

/* May change the row's query (a new one lives until the worker's next call) or set *dropped: the
 * row has no text then, but its user is still one.  Called on worker w; NULL: nothing changes. */
typedef lethe_err (*lethe_user_texts_fn)(void *arg, unsigned w, lethe_row *row, bool *dropped);

/* Walks the log and sorts within `cap_bytes`; the result is held in memory, which is linear in the
 * distinct texts of all users.  The same for any number of threads and any cap, but for the
 * numbers of texts.  What fails is said, but by `change`, whose failures are handed on. */
LETHE_MUST_CHECK lethe_err lethe_user_texts_read(lethe_ctx *ctx, lethe_log *log,
                                                 lethe_user_texts_fn change, void *arg,
                                                 uint64_t cap_bytes, lethe_user_texts **out);
void lethe_user_texts_free(lethe_user_texts *t); /* NULL is fine */

#endif
