/* SPDX-License-Identifier: Apache-2.0 */
/* rejects.h - lines of a file that did not parse: the first few of each cause are named, the rest
 * counted. */
#ifndef LETHE_MODEL_LOG_REJECTS_H
#define LETHE_MODEL_LOG_REJECTS_H
#include "core/ctx.h"
#include "core/mem.h"

#define LETHE_SAMPLES 3     /* lines named for each cause */
#define LETHE_CAUSES_MAX 40 /* further causes count under the last */
#define LETHE_CONTENT_MAX 4096

typedef struct lethe_sample {
    uint64_t line;
    uint32_t column;
    uint32_t n;
    char *content; /* the line's first bytes */
    char *value;   /* what the cause is about, as a terminal may show it; NULL: not said */
} lethe_sample;
typedef struct lethe_cause {
    const char *text; /* static */
    uint64_t n;
    lethe_sample samples[LETHE_SAMPLES]; /* the lowest lines, rising */
} lethe_cause;
typedef struct lethe_rejects {
    lethe_cause *causes; /* room for LETHE_CAUSES_MAX, once there is one */
    size_t n;
} lethe_rejects;

/* Lines may come in any order; in rising order it is cheapest. */
LETHE_MUST_CHECK lethe_err lethe_rejects_add(lethe_rejects *r, uint64_t line, uint32_t column,
                                             const char *cause, lethe_str content);
/* The same, and the message names the value: only for causes for which the documentation says so.
 */
LETHE_MUST_CHECK lethe_err lethe_rejects_add_value(lethe_rejects *r, uint64_t line, uint32_t column,
                                                   const char *cause, lethe_str content,
                                                   lethe_str value);
/* Adds what `from` holds, wherever its lines lie. */
LETHE_MUST_CHECK lethe_err lethe_rejects_merge(lethe_rejects *r, lethe_rejects *from);
/* Reports the samples in order of lines, then for each cause how many more there were. */
LETHE_MUST_CHECK lethe_err lethe_rejects_say(lethe_diag *d, const char *file,
                                             const lethe_rejects *r);
/* Reports the lowest line, as an error; gives its cause, NULL: there is none. */
const char *lethe_rejects_say_first(lethe_diag *d, const char *file, const lethe_rejects *r);
/* Is there a line with this cause? */
bool lethe_rejects_have(const lethe_rejects *r, const char *cause);
void lethe_rejects_clear(lethe_rejects *r); /* empties it, keeps its room */
void lethe_rejects_free(lethe_rejects *r);

#endif
