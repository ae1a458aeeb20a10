/* SPDX-License-Identifier: Apache-2.0 */
/* publish.h - from an input to a decision: what the files of publish/ share; nobody else includes
 * it.
 *
 *   publish_plan.c    which candidates fit the input and the goal
 *   publish_sample.c  a sample of the persons, where the whole takes long
 *   publish_release.c the release: made on the whole input, judged, and reported
 *   publish_redo.c    the same release of another input
 *   publish.c         tries the candidates, and makes the release of the best one */
#ifndef LETHE_APP_PUBLISH_PUBLISH_H
#define LETHE_APP_PUBLISH_PUBLISH_H
#include "app/judge.h"
#include "app/study/study.h"

/* --- a publication --- */

/* What the input has. */
typedef struct lethe_input_facts {
    uint64_t persons, rows;
    bool has_clicks, has_times;
    const char *taxonomy;       /* for records: "wordnet" where it knows most items; NULL: not so */
    const char *theta, *ranges; /* of a table, as suggest.h has them; NULL: none */
} lethe_input_facts;

/* A candidate that was tried. */
typedef struct lethe_attempt {
    const lethe_planned_run *run;
    lethe_json *row; /* of the study; NULL: not tried */
    double kept, risk;
    lethe_shape out; /* of the release */
    bool made;       /* there is one, with figures */
} lethe_attempt;

/* What is known of a release before it appears. */
typedef struct lethe_judgement {
    double kept;
    lethe_exposure exposure;
    lethe_json *shares, *risks, *examples;
} lethe_judgement;

typedef struct lethe_publication {
    lethe_ctx *ctx;
    const lethe_publish_request *asked;
    unsigned goals; /* bits 1 << lethe_goal: candidates for any of them are tried */
    double bound, least;
    lethe_arena *arena;
    lethe_json_doc *doc; /* of the report */
    lethe_shape shape;   /* of the input */
    lethe_input_facts facts;
    lethe_plan plan;
    lethe_attempt *attempts; /* by run of the plan; then the best first */
    lethe_compare_options study;
    lethe_study_folder folder; /* temporary */
    lethe_input input, sample;
    bool sampled;
    uint64_t sample_persons;
    lethe_study_messages messages;
    char *spill_dir;
    const char *out, *map;
    uint64_t fresh; /* seed of the last attack's draws */
    /* The one whose release is being made, and its steps. */
    const lethe_attempt *judged;
    const lethe_step *steps;
    size_t n_steps;
    lethe_run_caveat caveat; /* why it is made so */
    lethe_judgement judgement;
    bool too_risky; /* one was refused because of that, though it seemed to be below the bound */
    lethe_json *report;
} lethe_publication;

/* --- the plan --- */

/* All runs, in `a`: candidates for the shape and the goal, of which the input has what they need.
 */
LETHE_MUST_CHECK lethe_err lethe_publish_plan(lethe_diag *d, lethe_arena *a,
                                              const lethe_publication *p, lethe_plan *out);

/* Reads the input and tries all candidates: fills p->attempts, in the order of the plan. */
LETHE_MUST_CHECK lethe_err lethe_publication_try(lethe_publication *p);
/* Frees all but the report. */
void lethe_publication_close(lethe_publication *p);

/* --- the sample --- */

/* Persons, rows, clicks and times of a log. */
LETHE_MUST_CHECK lethe_err lethe_log_facts(lethe_ctx *ctx, lethe_log *log, lethe_input_facts *out);
/* The rows of a share of the users, drawn by a keyed hash of their names. */
LETHE_MUST_CHECK lethe_err lethe_log_sample(lethe_ctx *ctx, lethe_log *log, double share,
                                            uint64_t seed, lethe_log **out);

/* --- the release --- */

/* Begins with nothing; lethe_publication_close() in any case. */
LETHE_MUST_CHECK lethe_err lethe_publication_open(lethe_publication *p);
/* Where release and map go.  LETHE_EUSAGE: they are there already, or no folder was given. */
LETHE_MUST_CHECK lethe_err lethe_publication_targets(lethe_publication *p);
/* What the machinery of studies takes, the seed of the last attack's draws, and a temporary folder.
 */
LETHE_MUST_CHECK lethe_err lethe_publication_begin(lethe_publication *p);
/* Is the candidate worth making on the whole input? */
bool lethe_publication_worth(const lethe_publication *p, const lethe_attempt *a);
/* Makes the release of p->judged from p->steps, on the whole input; judges it, and reports.
 * LETHE_ANSWER_NO: it does not appear, and p->messages.error says why. */
LETHE_MUST_CHECK lethe_err lethe_publication_release(lethe_publication *p,
                                                     const lethe_publish_options *how);
/* p->report; `chosen` NULL: nothing is published. */
LETHE_MUST_CHECK lethe_err lethe_publication_report(lethe_publication *p,
                                                    const lethe_attempt *chosen);
/* Makes the release that an earlier one describes, from another input. */
LETHE_MUST_CHECK lethe_err lethe_publication_redo(lethe_publication *p);

#endif
