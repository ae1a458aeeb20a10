/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.h - a release that is being made: what the files of make/ share; nobody else includes
 * it.
 *
 *   prepare.c       before the first row: targets, secrets, promises
 *   steps.c         what is the same for the steps of all shapes
 *   make_log.c      the steps of a log, and what they publish
 *   make_records.c  the same for records
 *   make_table.c    the same for a table
 *   make_counts.c   the same for counts
 *   stream.c        a chain of row methods onto standard output
 *   part.c          some steps over a part of the rows, which others put together
 *   written.c       data files that others have written
 *   join.c          another way to the finished data: the releases of parts of an input
 *   join_data.c     their lines and their taxonomies
 *   join_figures.c  what follows from their figures
 *   pipeline.c      all phases in order: checks, manifest, the files appear */
#ifndef LETHE_RELEASE_MAKE_PIPELINE_H
#define LETHE_RELEASE_MAKE_PIPELINE_H
#include "release/shape_ops.h"
#include "check/persons.h"
#include "core/mem.h"
#include "model/map.h"
#include "release/publish/kept_values.h"
#include "release/publish/publish_log.h"
#include "release/publish/publish_records.h"
#include "release/publish/publish_table.h"
#include "release/make/bind.h"
#include "release/make/table_options.h"
#include "release/make/input.h"

enum { LETHE_MAX_REASONS = 32 };

/* Rows that steps left out, by reason.  Each worker has its own. */
typedef struct lethe_drops {
    const char *reason[LETHE_MAX_REASONS];
    uint64_t rows[LETHE_MAX_REASONS];
    size_t n;
    uint64_t other; /* past LETHE_MAX_REASONS */
    uint64_t kept;  /* where the last step samples: rows that were not left out */
    char pad[64];
} lethe_drops;

/* Files that appear together with the release, outside its folder. */
typedef enum lethe_beside { LETHE_BESIDE_TRACE, LETHE_BESIDE_MAP, LETHE_N_BESIDE } lethe_beside;

/* Digests of manifests, 64 characters and NUL each. */
typedef struct lethe_digests {
    char (*at)[LETHE_DIGEST_CHARS + 1];
    size_t n;
} lethe_digests;

struct lethe_pipeline {
    lethe_ctx *ctx;
    const lethe_release_job *job;
    lethe_publish_options *publishing; /* the job's: what is found on the way is added */
    const lethe_input *input;          /* has been read already; NULL: read the job's files */
    const lethe_trial *trial;          /* judges the release before it appears; NULL: none */
    lethe_findings found;              /* by it */
    bool map_written;                  /* for the trial: only its first line will change */
    uint64_t n_parts; /* it is joined from so many (join.c); 0: it is made from rows */
    lethe_json_doc *doc;
    bool to_stdout;
    size_t first, end; /* the steps that are run: [first, end) */
    bool part;         /* over a part of the rows alone */
    lethe_err (*emit)(lethe_result *out, unsigned w, const lethe_row *row); /* what becomes of the
                                   last step's rows; NULL: they are published */
    void *emitted;                                                          /* for that */
    bool streams;               /* row methods alone, onto standard output: no row is kept */
    const lethe_shape_ops *ops; /* of the shape that the last step gives */
    lethe_line_layout layout;
    lethe_folder *folder;
    lethe_sink *beside[LETHE_N_BESIDE]; /* NULL: not wanted */
    lethe_digests replaced;             /* of manifests of releases that go when this one appears */
    char *spill_dir; /* the context's own, while spill files go beside the target */
    lethe_secret *random, *key;
    void *publisher; /* lethe_log_publisher, lethe_record_publisher, lethe_table_publisher or
                        lethe_counts_publisher */
    lethe_bound_records bound; /* the records, where it publishes such */
    lethe_table *table;        /* its own, or that of the input */
    bool records_are_persons;
    void **states;    /* one per step: those that work row by row have begun */
    lethe_log *store; /* where a step that is not the last puts its rows */
    lethe_drops *drops;
    lethe_persons **persons; /* one per claim, NULL where it counts none */
    size_t n_persons;
    lethe_persons *value_persons; /* the one of these that counts values of kept columns, or NULL */
    lethe_kept_values *kept;      /* rows of the last step wait here (--keep); NULL: they do not */
    lethe_json *claims, *metrics, *caveats, *verdict, *steps, *report;
    lethe_json *undecided; /* of each claim; NULL: not checked */
    lethe_counts counts;
    uint64_t invalid_utf8;
    lethe_read_counts read; /* of the log that is the input */
};

/* Opens all that is needed.  Call lethe_pipeline_end() in any case: it removes whatever has not
 * appeared by then. */
LETHE_MUST_CHECK lethe_err lethe_pipeline_begin(lethe_pipeline *p);
void lethe_pipeline_end(lethe_pipeline *p);
LETHE_MUST_CHECK lethe_err lethe_job_check(lethe_ctx *ctx, const lethe_release_job *job);
/* LETHE_EUSAGE: the job's title or date is not a line of text. */
LETHE_MUST_CHECK lethe_err lethe_job_texts_check(lethe_diag *d, const lethe_release_job *job);
/* The release folder, and the files that appear with it, not in it; spill files go there. */
LETHE_MUST_CHECK lethe_err lethe_pipeline_targets_begin(lethe_pipeline *p);
/* From the finished data on: writes, checks, reports, and lets everything appear.  `e`: how it went
 * so far; the report is made in any case. */
LETHE_MUST_CHECK lethe_err lethe_pipeline_publish(lethe_pipeline *p, lethe_err e);

lethe_run lethe_pipeline_run_of(lethe_pipeline *p, size_t step);
/* The functions that all shapes have; ops->run adds its own. */
lethe_result lethe_pipeline_result(lethe_pipeline *p);
/* `key`: a published query, or a group of records. */
LETHE_MUST_CHECK lethe_err lethe_pipeline_persons_put(lethe_pipeline *p, unsigned w, lethe_str key,
                                                      lethe_str owner);
const lethe_step *lethe_pipeline_last(const lethe_pipeline *p);
/* A step that holds its data in memory is the work at hand while it runs; returns what was before.
 * `adds`: what the pipeline needs besides, for its publisher; NULL: nothing that grows. */
typedef struct lethe_step_need {
    const lethe_step *step;
    uint64_t (*adds)(const lethe_sizes *s);
    const lethe_data *data; /* NULL: it is not read yet, or a log */
} lethe_step_need;
lethe_work lethe_pipeline_begin_work(lethe_pipeline *p, const lethe_step_need *need);
/* Are the inputs records?  LETHE_EUSAGE: they are, and the first step does not take them. */
LETHE_MUST_CHECK lethe_err lethe_pipeline_reads_records(lethe_pipeline *p, bool *records);
/* Adds up what was read of a log, and what all workers left out. */
void lethe_pipeline_count_in(lethe_pipeline *p, const lethe_log *in);
void lethe_pipeline_count_out(lethe_pipeline *p);

/* Reads a log and runs all steps over it; `last` runs the last one. */
typedef lethe_err (*lethe_log_step_fn)(lethe_pipeline *p, size_t step, lethe_log *in);
LETHE_MUST_CHECK lethe_err lethe_log_step_run(lethe_pipeline *p, size_t step, lethe_log *in);
LETHE_MUST_CHECK lethe_err lethe_log_steps_run(lethe_pipeline *p, lethe_log_step_fn last);

LETHE_MUST_CHECK lethe_err lethe_stream_run(lethe_pipeline *p);

/* LETHE_EUSAGE: the step does not give rows of a log that it was given, so that no part of them is
 * worth anything. */
LETHE_MUST_CHECK lethe_err lethe_step_for_parts(lethe_ctx *ctx, const lethe_step *step);
/* Is it a caveat that one of the steps may find while it runs? */
bool lethe_steps_find_caveat(const lethe_step *steps, size_t n, lethe_str text);

/* Of data files that others have written.  LETHE_EUSAGE: a job that cannot have such.  What was
 * counted is taken from the account.  The files become those of the release, and the caller frees
 * *files, which has room for LETHE_FILES_MAX more.  They are moved one by one: when something fails
 * then or later, those that have been moved are removed with the folder of the release. */
enum { LETHE_FILES_MAX = 4 };
LETHE_MUST_CHECK lethe_err lethe_written_check(lethe_ctx *ctx, const lethe_release_job *job);
LETHE_MUST_CHECK lethe_err lethe_written_account(lethe_pipeline *p);
LETHE_MUST_CHECK lethe_err lethe_written_move(lethe_pipeline *p, lethe_file_entry **files,
                                              size_t *n);

#endif
