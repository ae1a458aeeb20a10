/* SPDX-License-Identifier: Apache-2.0 */
/* base.h - status values, string views and messages, used by every other header. */
#ifndef LETHE_BASE_H
#define LETHE_BASE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of these headers; lethe_version() is that of the library. */
#define LETHE_VERSION_MAJOR 0
#define LETHE_VERSION_MINOR 2
#define LETHE_VERSION_PATCH 0

#if defined(__GNUC__)
#define LETHE_MUST_CHECK __attribute__((warn_unused_result))
#define LETHE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define LETHE_MUST_CHECK
#define LETHE_PRINTF(fmt, args)
#endif

/* The shared library exports only what is declared between LETHE_API_BEGIN and LETHE_API_END. */
#if defined(__cplusplus)
#define LETHE_API_BEGIN extern "C" {
#define LETHE_API_END }
#elif defined(__GNUC__)
#define LETHE_API_BEGIN _Pragma("GCC visibility push(default)")
#define LETHE_API_END _Pragma("GCC visibility pop")
#else
#define LETHE_API_BEGIN
#define LETHE_API_END
#endif
LETHE_API_BEGIN

/* The result of a call.  Functions that return one set their outputs only on LETHE_OK, unless their
 * comment says otherwise. */
typedef enum lethe_err {
    LETHE_OK = 0,
    LETHE_ANSWER_NO, /* no fault: the promise does not hold, or nothing can be published */
    LETHE_EUSAGE,    /* invalid options or arguments */
    LETHE_EINPUT,    /* invalid input data */
    LETHE_EIO,       /* file or system error */
    LETHE_ENOMEM,    /* out of memory */
    LETHE_ECANCEL,   /* stopped by lethe_ctx_cancel() */
    LETHE_EINTERNAL, /* a fault of lethe itself: please report it */
} lethe_err;

/* The exit status of the program for a result, 0 to 5 as in lethe(1).  LETHE_ENOMEM and
 * LETHE_ECANCEL give 4. */
int lethe_exit_status(lethe_err e);
const char *lethe_err_name(lethe_err e); /* such as "out of memory"; a static string */
const char *lethe_version(void);         /* such as "0.2.0"; a static string */

/* A borrowed string: pointer and length, not NUL-terminated. */
typedef struct lethe_str {
    const char *at;
    size_t n;
} lethe_str;

/* Receives messages.  Create one per command; it may be used from several threads. */
typedef struct lethe_diag lethe_diag;

/* A detail comes only if lethe_settings.details asks for it; the program does with --verbose. */
typedef enum lethe_severity { LETHE_ERROR, LETHE_WARNING, LETHE_NOTE, LETHE_DETAIL } lethe_severity;

/* One message.  `file` is NULL, and `line` and `column` are 0, if they do not apply; an input that
 * is a stream has the name "stream:0" (the number in the request), and its lines are its rows, from
 * 1. `content` is the offending part of the input: it may be personal data, so show it only if the
 * user asks for it.  All strings are borrowed for the duration of the callback. */
typedef struct lethe_message {
    size_t size; /* of this struct: members may be added at its end */
    lethe_severity severity;
    lethe_err code;     /* of an error: what the call returns, unless something else comes first */
    const char *option; /* the first option that the text names, without dashes; NULL: none */
    const char *file;
    uint64_t line;
    uint32_t column;
    const char *text;
    lethe_str content;
} lethe_message;

/* How the texts of messages write options: --min-urls, 'min-urls' or min_urls=. */
typedef enum lethe_option_style {
    LETHE_OPTIONS_DASHED,
    LETHE_OPTIONS_QUOTED,
    LETHE_OPTIONS_KEYWORDS
} lethe_option_style;

typedef void (*lethe_message_fn)(void *ctx, const lethe_message *message);

/* Passes each message to `fn` (NULL: discards it) together with `ctx`; calls do not overlap.
 * Returns NULL if out of memory. */
lethe_diag *lethe_diag_new(lethe_message_fn fn, void *ctx);
void lethe_diag_free(lethe_diag *d); /* NULL is allowed */

LETHE_API_END
#endif
