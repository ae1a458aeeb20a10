/* base.h - status values, string views, messages: what every other header leans on. */
#ifndef LETHE_BASE_H
#define LETHE_BASE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LETHE_MUST_CHECK __attribute__((warn_unused_result))
#define LETHE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define LETHE_MUST_CHECK
#define LETHE_PRINTF(fmt, args)
#endif

/* Only what stands between LETHE_API_BEGIN and LETHE_API_END is exported by the shared library. */
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

/* How a call ended.  lethe_exit_status() maps these to the program's exit status. */
typedef enum lethe_err {
    LETHE_OK = 0,
    LETHE_ANSWER_NO, /* the answer is no: promise broken, infeasible, nothing left to publish */
    LETHE_EUSAGE,    /* the caller asked for something that makes no sense */
    LETHE_EINPUT,    /* the data is not what it should be */
    LETHE_EIO,       /* a file or the system failed */
    LETHE_ENOMEM,    /* no memory left */
    LETHE_ECANCEL,   /* somebody asked us to stop */
    LETHE_EINTERNAL, /* lethe itself is at fault: an invariant does not hold */
} lethe_err;

/* 0 to 5, as the manual says; LETHE_ECANCEL and LETHE_ENOMEM are 4. */
int lethe_exit_status(lethe_err e);
const char *lethe_err_name(lethe_err e);
const char *lethe_version(void);

/* Bytes that somebody else owns; not NUL-ended. */
typedef struct lethe_str {
    const char *at;
    size_t n;
} lethe_str;

/* Where messages go.  One object a command; safe to use from several threads. */
typedef struct lethe_diag lethe_diag;

typedef enum lethe_severity { LETHE_ERROR, LETHE_WARNING, LETHE_NOTE } lethe_severity;

/* One message: where, and what was wrong.  `file` is NULL and `line`, `column` are 0 where they
 * do not apply.  `content` is the offending text; it is raw data and shown only when asked for. */
typedef struct lethe_message {
    lethe_severity severity;
    const char *file;
    uint64_t line;
    uint32_t column;
    const char *text;
    lethe_str content;
} lethe_message;

typedef void (*lethe_message_fn)(void *ctx, const lethe_message *message);

/* Every message is handed to `fn` (may be NULL) as it comes, one at a time.  NULL: no memory. */
lethe_diag *lethe_diag_new(lethe_message_fn fn, void *ctx);
void lethe_diag_free(lethe_diag *d);

LETHE_API_END
#endif
