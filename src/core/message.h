/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - messages for callers who do not type options with dashes, and the last error. */
#ifndef LETHE_CORE_MESSAGE_H
#define LETHE_CORE_MESSAGE_H
#include "core/diag.h"

enum { LETHE_MESSAGE_BYTES = 6 << 10, LETHE_OPTION_BYTES = 64 };

/* A message that outlives its callback. */
typedef struct lethe_kept_message {
    lethe_message message; /* views of what follows; severity LETHE_ERROR, or size 0: none */
    char text[LETHE_MESSAGE_BYTES], file[LETHE_MESSAGE_BYTES], option[LETHE_OPTION_BYTES];
} lethe_kept_message;

/* `text` with the options in it written as `style` says, and in `option` the first of them, without
 * dashes ("" if there is none).  An option is --word or -w where a word may begin, but not in
 * single quotes: there stands what came from outside. */
void lethe_message_options(const char *text, lethe_option_style style,
                           char out[LETHE_MESSAGE_BYTES], char option[LETHE_OPTION_BYTES]);
/* Copies what `m` shows; `content` is left out. */
void lethe_message_keep(lethe_kept_message *kept, const lethe_message *m);

#endif
