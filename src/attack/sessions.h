/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.h - the published users of a log as documents of features: what can link them. */
#ifndef LETHE_ATTACK_SESSIONS_H
#define LETHE_ATTACK_SESSIONS_H
#include "core/dict.h"
#include "model/log/log.h"

/* Layers of features; those of a text come first. */
enum { LETHE_SESSION_TEXTS, LETHE_SESSION_CLICKS, LETHE_SESSION_TIMES, LETHE_SESSION_LAYERS };

/* A session is a published user.  Its features are, as the release has them,
 *
 *   words     of its texts, as often as they have them; masks are none
 *   pairs     of neighbouring words in a text
 *   texts     that have a word
 *   clicks    each URL, host or identifier; of a URL that is more than a host, the host too
 *   times     days; where times are finer than days, also the hour of the day and the hour itself;
 *             where they are finer than hours, also the ten minutes
 *
 * Texts, clicks and times of a user count once, however often they come: a release has a line for
 * every click.  Sessions are numbered in the order of their bytes, and so are the words, which are
 * the first features: nothing depends on the order of the lines or on threads. */
typedef struct lethe_sessions {
    uint32_t n;
    lethe_dict *names;
    uint32_t n_features, n_words;
    uint8_t *layer;    /* by feature */
    uint64_t *start;   /* n + 1: session i has feature[start[i]] .. feature[start[i + 1] - 1] */
    uint32_t *feature; /* those of a session in any order, repeated as often as it has them */
} lethe_sessions;

/* Reads a published log.  Call lethe_sessions_free() in any case.  Memory: 4 bytes for each feature
 * of each session, and the distinct features' bytes while it is read.  LETHE_EINPUT for too many
 * users; reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_sessions_read(lethe_ctx *ctx, lethe_log *log, lethe_sessions *out);
void lethe_sessions_free(lethe_sessions *s); /* a zeroed one is fine */

/* The same documents with nothing but their words, for an engine that knows no other features. */
LETHE_MUST_CHECK lethe_err lethe_sessions_words(const lethe_sessions *s, uint64_t **start,
                                                uint32_t **word);

#endif
