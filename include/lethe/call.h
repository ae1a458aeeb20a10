/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - one function for everything: a request in JSON, data in files or Arrow streams, and a
 * report in JSON. */
#ifndef LETHE_CALL_H
#define LETHE_CALL_H
#include "lethe/arrow.h"
#include "lethe/context.h"
LETHE_API_BEGIN

/* Runs a request, an object as lethe-request(5) describes it; its members have the names of the
 * command line, without dashes:
 *
 *   {"command": "release",
 *    "inputs": [{"path": "log.tsv.gz"}, {"stream": 0}],
 *    "read": {"columns": "user=client,query=text"},
 *    "steps": [{"method": "scrub"}, {"method": "threshold", "options": {"t": 5}}],
 *    "publish": {"time": "day"},
 *    "output": {"path": "release"}}
 *
 * {"stream": i} stands for in[i] among the inputs, and for out[i] as output.  A stream that is read
 * is taken over: it is released before the function returns, whatever it returns, and *in[i] is
 * marked as released.  An output stream is made on LETHE_OK alone, in *out[i], which the caller
 * releases; it needs neither the context nor the input any more.  Streams that the request does not
 * name are LETHE_EUSAGE.  {"stream": 0, "weight": "n"}: column n says how often each row is there.
 *
 * *report is set on LETHE_OK and LETHE_ANSWER_NO to the report as JSON, NUL-terminated, to be freed
 * with lethe_text_free(); on other results it is NULL, and lethe_ctx_error() says what is wrong.
 * `report` may be NULL.  A request that is refused (unknown members or options, values of another
 * type) is LETHE_EUSAGE, and nothing has been read or written then. */
LETHE_MUST_CHECK lethe_err lethe_call(lethe_ctx *ctx, const char *request,
                                      struct ArrowArrayStream *const *in, size_t n_in,
                                      struct ArrowArrayStream *const *out, size_t n_out,
                                      char **report);
void lethe_text_free(char *text); /* NULL is allowed */

/* The published rows of a release that is there already, as an output stream of lethe_call() has
 * them; what they promise is for `verify` to say.  Data in parts is opened part by part, so the
 * folder must stay until the end of the stream.  LETHE_EIO: it has no data file, or that cannot be
 * read; LETHE_EINPUT: the file is none of a release. */
LETHE_MUST_CHECK lethe_err lethe_release_rows(lethe_ctx *ctx, const char *folder,
                                              struct ArrowArrayStream *out);

/* A call, put together step by step.  Functions that set something return LETHE_EUSAGE, with a
 * message to the context, where there is no such method or option or the value does not fit.  The
 * first failure is also the result of lethe_job_run(), so that it is enough to look at that.
 * Strings are copied; streams and memory are borrowed until lethe_job_run() returns, which takes
 * the streams over. */
typedef struct lethe_job lethe_job;
/* NULL, after a message: there is no such command, or out of memory.  All functions below accept
 * that: they do nothing, and return LETHE_EUSAGE. */
lethe_job *lethe_job_new(lethe_ctx *ctx, const char *command);
void lethe_job_free(lethe_job *job);
/* The next method of a chain.  lethe_job_set() refers to it from now on, as far as it has the
 * option. */
lethe_err lethe_job_step(lethe_job *job, const char *method);
/* An option by its name on the command line, without dashes, and its value as it is typed there; ""
 * for one that takes no value. */
lethe_err lethe_job_set(lethe_job *job, const char *option, const char *value);
lethe_err lethe_job_input_file(lethe_job *job, const char *path);
lethe_err lethe_job_input_memory(lethe_job *job, const void *bytes, size_t n);
lethe_err lethe_job_input_stream(lethe_job *job, struct ArrowArrayStream *stream);
/* The column of the stream before that says how often each row is there: whole numbers from 1. */
lethe_err lethe_job_weight(lethe_job *job, const char *column);
/* The release that `verify`, `measure`, `attack`, `report` and `redo` look at. */
lethe_err lethe_job_release(lethe_job *job, const char *folder);
/* A file or folder, or a stream for the published rows. */
lethe_err lethe_job_output(lethe_job *job, const char *path);
lethe_err lethe_job_output_stream(lethe_job *job, struct ArrowArrayStream *out);
/* As lethe_call(). */
LETHE_MUST_CHECK lethe_err lethe_job_run(lethe_job *job, char **report);

LETHE_API_END
#endif
