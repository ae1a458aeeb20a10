/* pipeline.h - a release in the making: what the pipeline's files share; nobody else includes it.
 *
 *   prepare.c   before the first row: targets, secrets, promises
 *   steps.c     the steps, from what is read to what is published
 *   pipeline.c  the checks, the manifest, letting out
 *   stream.c    a chain of row methods onto standard output */
#ifndef LETHE_RELEASE_MAKE_PIPELINE_H
#define LETHE_RELEASE_MAKE_PIPELINE_H
#include "release/release.h"
#include "check/persons.h"
#include "core/mem.h"
#include "release/publish/publish_records.h"
#include "release/publish/publish_table.h"
#include "release/make/bind.h"
#include "release/make/table_options.h"
#include "release/make/input.h"

enum { LETHE_MAX_REASONS = 32 };

/* What became of rows: those that a step left out, by reason.  Each worker has its own. */
typedef struct lethe_drops {
    const char *reason[LETHE_MAX_REASONS];
    uint64_t rows[LETHE_MAX_REASONS];
    size_t n;
    uint64_t other; /* past LETHE_MAX_REASONS */
    uint64_t kept;  /* where the last step samples: rows that were not left out */
    char pad[64];
} lethe_drops;

typedef struct lethe_pipeline {
    lethe_ctx *ctx;
    const lethe_job *job;
    const lethe_input *held; /* the input, read already; NULL: the job's files are to be read */
    lethe_json_doc *doc;
    bool to_stdout;
    lethe_shape shape; /* that the last step gives */
    lethe_line_layout layout;
    lethe_folder *folder;
    lethe_sink *map, *trace; /* appear with the release */
    char *spill_dir;         /* the context's own, while spill files go beside the target */
    lethe_secret *random, *key;
    lethe_publisher *publisher;               /* of a log, open or sealed */
    lethe_record_publisher *record_publisher; /* or of records */
    lethe_bound_records shaped;               /* they are in there */
    lethe_table_publisher *table_publisher;   /* or of a table */
    lethe_table *table;                       /* its own, or the one that is held */
    bool records_are_persons;
    void **states;    /* one a step: those that work row by row have begun */
    lethe_log *store; /* where a step that is not the last puts its rows */
    lethe_drops *drops;
    lethe_persons **persons; /* one for each claim, NULL where it counts none */
    size_t n_persons;
    lethe_json *claims, *metrics, *caveats, *verdict, *steps, *report;
    lethe_counts counts;
    uint64_t invalid_utf8;
} lethe_pipeline;

/* Opens all that is needed; lethe_pipeline_end() in any case, and what has not appeared by then is
 * gone. */
LETHE_MUST_CHECK lethe_err lethe_pipeline_begin(lethe_pipeline *p);
void lethe_pipeline_end(lethe_pipeline *p);
LETHE_MUST_CHECK lethe_err lethe_job_check(lethe_ctx *ctx, const lethe_job *job);

/* Reads, runs every step, and counts. */
LETHE_MUST_CHECK lethe_err lethe_steps_run(lethe_pipeline *p);

lethe_run lethe_pipeline_run_of(lethe_pipeline *p, size_t step);
lethe_result lethe_pipeline_result(lethe_pipeline *p, bool last);
/* What was read of a log, and what was published and left out. */
void lethe_pipeline_count_in(lethe_pipeline *p, const lethe_log *in);
void lethe_pipeline_count_out(lethe_pipeline *p);

/* Do all steps work row by row, onto standard output?  Then rows need not be kept. */
bool lethe_can_stream(const lethe_pipeline *p);
LETHE_MUST_CHECK lethe_err lethe_stream_run(lethe_pipeline *p);

#endif
