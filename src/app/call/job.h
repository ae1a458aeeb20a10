/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - the inside of a request, for the files of call alone: what was asked for, with values
 * checked one by one, but not yet together. */
#ifndef LETHE_APP_CALL_JOB_H
#define LETHE_APP_CALL_JOB_H
#include "app/call/command.h"
#include "core/mem.h"
#include "lethe/call.h"

typedef struct lethe_job_method {
    lethe_command command;
    const lethe_method *method;
    lethe_values values;
} lethe_job_method;

/* An input: a file, or a stream or bytes in memory, which get a name when the job runs. */
typedef struct lethe_job_input {
    const char *path; /* NULL: one of the others */
    struct ArrowArrayStream *stream;
    size_t number;      /* of the stream, among all of them */
    const char *weight; /* its column that says how often a row is there; NULL: there is none */
    lethe_str bytes;
} lethe_job_input;

struct lethe_job {
    lethe_ctx *ctx;
    lethe_arena *a; /* owns all strings and tables below */
    const lethe_runner *runner;
    lethe_values values, common;
    lethe_job_method *steps;
    size_t n_steps;
    lethe_job_input *inputs;
    size_t n_inputs;
    const char *release, *out, *column;
    struct ArrowArrayStream *out_stream;
    lethe_err failed;  /* the first failure so far */
    const char *fault; /* what was said of it; NULL: nothing */
};

/* Reads a request into a new job.  Streams are taken from `in` and `out`; one that is not named is
 * LETHE_EUSAGE. */
LETHE_MUST_CHECK lethe_err lethe_job_read(lethe_ctx *ctx, const char *request,
                                          struct ArrowArrayStream *const *in, size_t n_in,
                                          struct ArrowArrayStream *const *out, size_t n_out,
                                          lethe_job **job);

/* LETHE_EUSAGE, after a message, unless there is such an option, and if `flag` one without a value.
 */
LETHE_MUST_CHECK lethe_err lethe_job_has_option(lethe_job *job, const char *name, bool flag);

#endif
