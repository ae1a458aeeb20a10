/* SPDX-License-Identifier: Apache-2.0 */
/* json_events.h - JSON text as a sequence of events, for the readers of io/json alone. */
#ifndef LETHE_IO_JSON_JSON_EVENTS_H
#define LETHE_IO_JSON_JSON_EVENTS_H
#include "core/mem.h"

enum { LETHE_JSON_DEPTH = 64 };

typedef enum lethe_json_bad {
    LETHE_JSON_GOOD,
    LETHE_JSON_BAD,       /* against the grammar; `detail` says how */
    LETHE_JSON_EMPTY,     /* nothing but space */
    LETHE_JSON_CUT,       /* the text ends too early */
    LETHE_JSON_TRAILING,  /* the text goes on after the value */
    LETHE_JSON_DEEP,      /* more than LETHE_JSON_DEPTH levels */
    LETHE_JSON_UTF8,      /* not UTF-8 */
    LETHE_JSON_SURROGATE, /* an escaped surrogate without its partner */
    LETHE_JSON_STOPPED,   /* a handler said so */
} lethe_json_bad;

typedef struct lethe_json_fault {
    lethe_json_bad bad;
    size_t at;          /* the byte of the text where it is, or where its token begins */
    const char *detail; /* lives in `tmp`; never NULL for LETHE_JSON_BAD */
} lethe_json_fault;

typedef struct lethe_json_rules {
    /* Bytes that are not UTF-8 are passed on as they are (the reader of the log counts and replaces
     * them), and a lone surrogate becomes U+FFFD.  Otherwise both are faults. */
    bool lenient;
} lethe_json_rules;

/* What is called for each part of a value; false stops the parse.  Texts and names are unescaped,
 * numbers as they are written; none may be kept. */
typedef struct lethe_json_handlers {
    bool (*null)(void *ctx);
    bool (*boolean)(void *ctx, bool b);
    bool (*number)(void *ctx, lethe_str s);
    bool (*text)(void *ctx, lethe_str s);
    bool (*name)(void *ctx, lethe_str s); /* of the object's next member */
    bool (*object)(void *ctx);
    bool (*array)(void *ctx);
    bool (*end)(void *ctx); /* of an object or array */
} lethe_json_handlers;

/* Calls the handlers with `ctx` for the one value in `text`.  LETHE_OK, and fault->bad says whether
 * it was JSON; or LETHE_ENOMEM.  `tmp` is scratch.  *run is set before the first call. */
typedef struct lethe_json_run lethe_json_run;
LETHE_MUST_CHECK lethe_err lethe_json_events(lethe_arena *tmp, lethe_str text,
                                             lethe_json_rules rules, const lethe_json_handlers *on,
                                             void *ctx, lethe_json_run **run,
                                             lethe_json_fault *fault);
/* For handlers: where the token ends that they are called for; and where such a token begins. */
size_t lethe_json_consumed(const lethe_json_run *run);
size_t lethe_json_token(lethe_str text, size_t end);

/* Bytes of the character at p (n >= 1), *good; or those of the longest beginning of one, not *good.
 */
size_t lethe_utf8_take(const uint8_t *p, size_t n, bool *good);

#endif
