/* SPDX-License-Identifier: Apache-2.0 */
/* diag.h - messages: how a failure, a warning or a note is reported. */
#ifndef LETHE_CORE_DIAG_H
#define LETHE_CORE_DIAG_H
#include "core/base.h"

/* Begins every message of LETHE_EINTERNAL: `lethe_fail(d, LETHE_EINTERNAL, LETHE_FAULT "..")`. */
#define LETHE_FAULT "internal error in lethe, please report it: "
/* Reports a failure and returns `e`: `return lethe_fail(d, LETHE_EIO, "cannot open '%s': %s", ..)`.
 * `d` may be NULL; with ctx.h it may also be a context.  Text: lower case, fault first, no full
 * stop. */
LETHE_PRINTF(3, 4) lethe_err lethe_fail(lethe_diag *d, lethe_err e, const char *fmt, ...);
LETHE_PRINTF(6, 7)
lethe_err lethe_fail_at(lethe_diag *d, lethe_err e, const char *file, uint64_t line,
                        uint32_t column, const char *fmt, ...);
LETHE_PRINTF(2, 3) void lethe_warn(lethe_diag *d, const char *fmt, ...);
LETHE_PRINTF(2, 3) void lethe_note(lethe_diag *d, const char *fmt, ...);
/* Only where lethe_ctx_details(): nobody else expects this severity. */
LETHE_PRINTF(2, 3) void lethe_detail(lethe_diag *d, const char *fmt, ...);
void lethe_say(lethe_diag *d, const lethe_message *m);
/* Sends messages to `to` from now on; returns where they went before, so that it can be restored.
 * Not while workers run. */
typedef struct lethe_listener {
    lethe_message_fn fn; /* may be NULL */
    void *ctx;
} lethe_listener;
lethe_listener lethe_diag_divert(lethe_diag *d, lethe_listener to);
/* Inputs that stand for files: whoever opens one by its name asks here first (io/arrow/streams.h).
 * `place` turns the line and column of a message of a context into those of the input that it
 * names. Not while workers run. */
typedef struct lethe_diag_inputs {
    void *at; /* NULL: there are none */
    void (*place)(void *at, lethe_message *m);
} lethe_diag_inputs;
void lethe_diag_set_inputs(lethe_diag *d, lethe_diag_inputs inputs);
lethe_diag_inputs lethe_diag_inputs_of(const lethe_diag *d); /* NULL: has none */
/* `s` as a terminal may show it: control characters and what is not UTF-8 become \n, \t, \x1b;
 * NUL-ended, at most cap - 1 bytes (cap >= 4), "..." where it was cut.  Returns the length. */
size_t lethe_show(char *out, size_t cap, lethe_str s);
/* LETHE_ENOMEM, with a message. */
lethe_err lethe_no_memory(lethe_diag *d);

#endif
