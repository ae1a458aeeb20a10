/* SPDX-License-Identifier: Apache-2.0 */
/* publish.h - from an input to a decision: what the files of publish/ share with suggest/; nobody
 * else includes it.
 *
 *   publish_plan.c    which candidates are tried for the goal
 *   publish_release.c the release: made on the whole input, judged, and reported
 *   publish_redo.c    the same release of another input
 *   publish_try.c     tries the candidates, and puts the best first
 *   publish_refuse.c  why nothing is published, and what could be instead
 *   publish.c         makes the release of the best one
 *
 * ../suggest/ shows what was tried. */
#ifndef LETHE_APP_PUBLISH_PUBLISH_H
#define LETHE_APP_PUBLISH_PUBLISH_H
#include "app/judge.h"
#include "app/sample.h"
#include "app/study/study.h"

/* --- a publication --- */

/* A candidate that was tried. */
typedef struct lethe_attempt {
    const lethe_planned_run *run;
    lethe_json *row;   /* of the study; NULL: not tried */
    double kept, risk; /* kept: for the goal */
    lethe_shape out;   /* of the release */
    bool made;         /* there is one, with figures */
    bool late;         /* it was not tried to its end: time or memory was not enough */
    double refused;    /* the risk of its release on the whole, above the bound; 0: not refused */
    bool slow;         /* its release on the whole would end after `end_s` of the publication */
} lethe_attempt;

/* What becomes of a candidate. */
typedef enum lethe_fitness {
    LETHE_FIT,
    LETHE_FIT_RISKY,   /* its risk is above the bound */
    LETHE_FIT_LITTLE,  /* it keeps less than the least */
    LETHE_FIT_NOTHING, /* it gives no release */
    LETHE_FIT_LATE,    /* time or memory was not enough */
    LETHE_N_FITNESSES
} lethe_fitness;

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
    bool makes;   /* a release follows, and needs time of its own */
    double end_s; /* by the clock: no time is left */
    lethe_study_messages messages;
    char *spill_dir;
    const char *out, *map;
    uint64_t fresh; /* seed of the last attack's draws */
    /* The one whose release is being made, and its steps. */
    const lethe_attempt *judged;
    const lethe_step *steps;
    size_t n_steps;
    const lethe_publish_options *how; /* it is published; NULL: as asked for */
    lethe_err failure;       /* of the last release that could not be made; else LETHE_OK */
    lethe_run_caveat caveat; /* why it is made so */
    lethe_judgement judgement;
    bool too_risky; /* one was refused because of that, though it seemed to be below the bound */
    lethe_json *report;
    lethe_json *instead; /* NULL: nothing */
    size_t n_late;       /* attempts, of those that look for it too */
} lethe_publication;

/* --- the plan --- */

/* All runs, in `a`: candidates for the shape and the goal, of which the input has what they need.
 */
LETHE_MUST_CHECK lethe_err lethe_publish_plan(lethe_diag *d, lethe_arena *a,
                                              const lethe_publication *p, lethe_plan *out);

/* Why no candidate can serve the goal, such as clicks of a log without any; NULL: one may. */
const char *lethe_goal_lacks(const lethe_publication *p, lethe_goal goal);

/* --- trying --- */

/* Reads the input and tries all candidates: fills p->attempts, in the order of the plan. */
LETHE_MUST_CHECK lethe_err lethe_publication_try(lethe_publication *p);
/* Of the release that it would give. */
LETHE_MUST_CHECK lethe_err lethe_attempt_shape(lethe_publication *p, const lethe_attempt *a,
                                               lethe_shape *out);
/* Tries a->run; what is kept for a goal stands in the row then. */
LETHE_MUST_CHECK lethe_err lethe_attempt_make(lethe_publication *p, lethe_attempt *a,
                                              double seconds);
double lethe_attempt_kept(const lethe_attempt *a, lethe_goal goal);
lethe_fitness lethe_attempt_fitness(const lethe_publication *p, const lethe_attempt *a);
/* Is it worth making on the whole input: LETHE_FIT? */
/* About how long the release of a candidate takes on the whole input, by what it took where it was
 * tried. */
double lethe_attempt_seconds(const lethe_publication *p, const lethe_attempt *a);
bool lethe_publication_worth(const lethe_publication *p, const lethe_attempt *a);
/* Those that are worth making first, and what keeps most. */
void lethe_attempts_sort(lethe_publication *p, lethe_attempt *at, size_t n);

/* --- refusing --- */

/* Why nothing can be published, as a message: LETHE_ANSWER_NO. */
LETHE_MUST_CHECK lethe_err lethe_publication_refuse(lethe_publication *p);
/* Looks for what could be published for another goal, of a log as a list of counts; p->instead is
 * then an object with goal, label, kept_for_goal, risk and command. */
LETHE_MUST_CHECK lethe_err lethe_publication_instead(lethe_publication *p);
/* "lethe publish INPUT --goal GOAL -o FOLDER", with the options that were given; in the arena. */
LETHE_MUST_CHECK lethe_err lethe_publication_command(lethe_publication *p, lethe_goal goal,
                                                     const char **out);

/* Frees all but the report. */
void lethe_publication_close(lethe_publication *p);

/* --- the release --- */

/* Begins with nothing; lethe_publication_close() in any case. */
LETHE_MUST_CHECK lethe_err lethe_publication_open(lethe_publication *p);
/* Where release and map go.  LETHE_EUSAGE: they are there already, or no folder was given. */
LETHE_MUST_CHECK lethe_err lethe_publication_targets(lethe_publication *p);
/* What the machinery of studies takes, the seed of the last attack's draws, and a temporary folder.
 */
LETHE_MUST_CHECK lethe_err lethe_publication_begin(lethe_publication *p);
/* Makes the release of p->judged from p->steps, on the whole input; judges it, and reports.
 * LETHE_ANSWER_NO: it does not appear, and p->messages.error says why. */
LETHE_MUST_CHECK lethe_err lethe_publication_release(lethe_publication *p,
                                                     const lethe_publish_options *how);
/* Adds how a log is published to a command, where that is not the default. */
const char *lethe_publishing_append(const lethe_publication *p, const lethe_publish_options *how,
                                    bool has_urls, const char *line);
/* p->report; `chosen` NULL: nothing is published. */
LETHE_MUST_CHECK lethe_err lethe_publication_report(lethe_publication *p,
                                                    const lethe_attempt *chosen);
/* Makes the release that an earlier one describes, from another input. */
LETHE_MUST_CHECK lethe_err lethe_publication_redo(lethe_publication *p);

#endif
