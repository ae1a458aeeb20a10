/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - an input that is read once and then used many times: by every run of a study, and by
 * the measures and adversaries that look at its releases. */
#ifndef LETHE_RELEASE_MAKE_INPUT_H
#define LETHE_RELEASE_MAKE_INPUT_H
#include "release/release.h"
#include "release/make/bind.h"

typedef struct lethe_input {
    lethe_shape shape;        /* of what was read: a log, records or a table */
    lethe_log *log;           /* its rows, in memory and then on disk, */
    lethe_read_counts counts; /* and what became of its lines */
    lethe_buf *texts;         /* records: the files' bytes, decompressed, */
    const char *const *names; /* and what they are called (borrowed) */
    size_t n_texts;
    lethe_table *table;
} lethe_input;

/* Does the first file look like a table, and not like a log or records?  Nothing is told of a pipe,
 * whose first bytes would be lost: *is_table is then false. */
LETHE_MUST_CHECK lethe_err lethe_inputs_are_table(lethe_ctx *ctx, const char *const *paths,
                                                  size_t n, const lethe_read_options *reading,
                                                  bool *is_table);
/* Which shape is it?  `qi`: quasi-identifiers were named, and so it is a table; else as
 * lethe_inputs_are_records.  LETHE_EUSAGE: --from says otherwise, or it looks like a table. */
LETHE_MUST_CHECK lethe_err lethe_input_shape_of(lethe_ctx *ctx, const char *const *paths, size_t n,
                                                const lethe_read_options *reading, bool qi,
                                                lethe_shape *out);
/* Reads it all; what cannot be read, or has too many bad lines, fails here as it would in a single
 * run.  `v`: the options of a method over tables, for that shape alone.  `paths` are borrowed while
 * *out lives.  lethe_input_free() in any case. */
LETHE_MUST_CHECK lethe_err lethe_input_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                                            const lethe_read_options *reading, lethe_shape shape,
                                            const lethe_values *v, lethe_input *out);
void lethe_input_free(lethe_input *in);

/* Of a file of records: they, as they stand there, not yet bound to anything. */
LETHE_MUST_CHECK lethe_err lethe_input_raw(lethe_ctx *ctx, const lethe_input *in,
                                           const lethe_read_options *reading, lethe_records **out);
/* The input as records, as the options of a method say (lethe_bind_log,
 * lethe_bind_files). */
LETHE_MUST_CHECK lethe_err lethe_input_to_records(lethe_ctx *ctx, const lethe_input *in,
                                                  const lethe_values *v,
                                                  const lethe_sensitive *marks,
                                                  const lethe_read_options *reading,
                                                  lethe_bound_records *out);

/* What is found of a release, for its manifest: what adversaries found, as lethe_release_job.risk,
 * and what is left of the original (measure/kept.h).  NULL: nothing. */
typedef struct lethe_findings {
    const lethe_json *risk, *kept;
} lethe_findings;
/* Judges a release that is complete and has not appeared yet: folder and map can be read as those
 * of any other (`map` is NULL where there is none).  It appears only on LETHE_OK. */
typedef struct lethe_trial {
    lethe_err (*judge)(void *user, const char *folder, const char *map, lethe_findings *found);
    void *user;
    lethe_run_caveat caveat; /* why it was made so */
} lethe_trial;
/* As lethe_release_make, from `input` (NULL: from the job's files, which otherwise only name it).
 * `trial`: NULL for none; the job must have a folder. */
LETHE_MUST_CHECK lethe_err lethe_release_make_from(lethe_ctx *ctx, const lethe_release_job *job,
                                                   const lethe_input *input,
                                                   const lethe_trial *trial, lethe_json_doc *doc,
                                                   lethe_json **report);
/* As lethe_release_measure and lethe_release_attack one after the other, on `input`: the
 * figures that measures add go into `measures`, those of all adversaries that apply into
 * `attacks`, each under its name; that none applies is no failure. */
LETHE_MUST_CHECK lethe_err lethe_release_evaluate(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                  const lethe_input *input, lethe_json_doc *doc,
                                                  lethe_json *measures, lethe_json *attacks);

#endif
