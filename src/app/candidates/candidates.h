/* SPDX-License-Identifier: Apache-2.0 */
/* candidates.h - chains of methods that are worth trying: one table, from which `publish`,
 * `suggest` and `compare` take what they run, so that they cannot contradict each other. */
#ifndef LETHE_APP_CANDIDATES_CANDIDATES_H
#define LETHE_APP_CANDIDATES_CANDIDATES_H
#include "core/mem.h"
#include "release/release.h"

enum { LETHE_CANDIDATE_STEPS = 4, LETHE_CANDIDATE_SETTINGS = 6 };

/* What an input must have for a candidate to make sense. */
enum {
    LETHE_NEEDS_CLICKS = 1,
    LETHE_NEEDS_TIMES = 2,
    LETHE_NEEDS_WORDNET = 4,      /* WordNet's dictionary files */
    LETHE_NEEDS_TAXONOMY = 8,     /* of records: a taxonomy, or items that WordNet knows */
    LETHE_NEEDS_SENSITIVE = 16,   /* of tables: a sensitive column */
    LETHE_NEEDS_INSENSITIVE = 32, /* of tables: none */
};

/* A chain.  In `steps` and `label`, K and T as values are replaced by each value of k and t that
 * is tried, and F by the threshold that fits the sensitive column. */
typedef struct lethe_candidate {
    const char *steps; /* "scrub > threshold t=T > split by=gap"; NULL ends the table */
    const char *label; /* "split t=T by=gap" */
    unsigned shape;    /* of the input: lethe_shape */
    unsigned needs;
    /* Goals that `publish` and `suggest` try it for: bits 1 << lethe_goal. */
    unsigned goals;
} lethe_candidate;
const lethe_candidate *lethe_candidates(void);

/* The value of an option in a run. */
typedef struct lethe_setting {
    const char *option, *value;
} lethe_setting;
typedef struct lethe_planned_step {
    const lethe_method *method;
    lethe_setting setting[LETHE_CANDIDATE_SETTINGS];
    size_t n_settings;
} lethe_planned_step;

/* A chain with all its settings. */
typedef struct lethe_planned_run {
    lethe_planned_step step[LETHE_CANDIDATE_STEPS];
    size_t n_steps;
    const lethe_method *method; /* of the last step */
    lethe_setting varied[2];    /* what is varied: n_varied of them */
    size_t n_varied;
    const char *label; /* "clump k=5" */
    const char *name;  /* of its files: "clump-k5"; letters, digits, -, _ and . alone */
} lethe_planned_run;

typedef struct lethe_plan {
    lethe_planned_run *at;
    size_t n;
} lethe_plan;

/* Adds a run to the plan, in `a`; its name follows from its label. */
LETHE_MUST_CHECK lethe_err lethe_plan_add(lethe_diag *d, lethe_arena *a, lethe_plan *plan,
                                          lethe_planned_run run);
/* Values for the letters of a candidate; NULL: none. */
typedef struct lethe_letters {
    const char *k, *t, *theta;
} lethe_letters;
/* The run of a candidate: `theta` NULL leaves the setting with F out. */
LETHE_MUST_CHECK lethe_err lethe_candidate_run(lethe_diag *d, lethe_arena *a,
                                               const lethe_candidate *c, lethe_letters v,
                                               lethe_planned_run *out);
/* Does a letter stand in its steps as a value? */
bool lethe_candidate_has(const lethe_candidate *c, char letter);

/* The options of the steps of a run, in `a`: what the method sets for studies, what the user gave
 * (`values`, by name; may be NULL), what the run says.  LETHE_EUSAGE: a value that a method does
 * not take. */
LETHE_MUST_CHECK lethe_err lethe_run_steps(lethe_diag *d, lethe_arena *a,
                                           const lethe_planned_run *run, const lethe_values *values,
                                           lethe_step out[LETHE_CANDIDATE_STEPS]);

/* Options of commands that run candidates say what is tried; are those of this name for the steps?
 */
bool lethe_is_for_steps(const char *name);

/* --- command lines, quoted for a shell; in `a`; NULL: no memory --- */

/* "lethe scrub log.tsv --from csv": a command with its inputs and how they are read. */
const char *lethe_command_begin(lethe_arena *a, const char *name, const char *const *inputs,
                                size_t n_inputs, const lethe_read_options *reading);
/* Adds " --name value", or " -k value" where the name is a letter; `value` NULL: a flag.  `line`
 * may be NULL, and stays so. */
const char *lethe_command_option(lethe_arena *a, const char *line, const char *name,
                                 const char *value);
/* The command that makes a release: "lethe scrub log.tsv --then threshold -t 5 -o OUT". */
const char *lethe_run_command(lethe_arena *a, const lethe_step *steps, size_t n_steps,
                              const char *const *inputs, size_t n_inputs,
                              const lethe_read_options *reading, const char *out);

#endif
