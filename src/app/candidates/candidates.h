/* SPDX-License-Identifier: Apache-2.0 */
/* candidates.h - chains of methods that are worth trying: one table, from which `publish`,
 * `suggest` and `compare` take what they run, so that they cannot contradict each other.
 *
 *   candidates.c         the table, and how a row becomes a run
 *   candidate_facts.c    what an input has that candidates need
 *   candidate_plan.c     which rows fit an input and a goal, over which settings
 *   candidate_command.c  the command line of a run */
#ifndef LETHE_APP_CANDIDATES_CANDIDATES_H
#define LETHE_APP_CANDIDATES_CANDIDATES_H
#include "core/mem.h"
#include "release/make/input.h"
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
    /* Goals that `publish` and `suggest` try it for, and `compare` may name it for: bits 1 <<
     * lethe_goal.  0: `compare` shows it beside the others. */
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
    unsigned goals;             /* of its candidate, or that a named method is good for: bits */
    unsigned needs;             /* of its candidate */
    lethe_setting varied[2];    /* what is varied: n_varied of them */
    size_t n_varied;
    const char *label; /* "clump k=5" */
    const char *name;  /* of its files: "clump-k5"; letters, digits, -, _ and . alone */
} lethe_planned_run;

typedef struct lethe_plan {
    lethe_planned_run *at;
    size_t n;
} lethe_plan;

/* What a method is good for, as bits; all, where it is a step before others. */
unsigned lethe_method_goals(const lethe_method *m);

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

/* --- an input, and the rows that fit it --- */

typedef struct lethe_candidate_input {
    const char *const *paths;
    size_t n_paths;
    const lethe_read_options *reading;
    const lethe_values *given; /* by the user; may be NULL */
    lethe_shape shape;
} lethe_candidate_input;

/* What the input has. */
typedef struct lethe_input_facts {
    uint64_t persons, rows;
    bool has_clicks, has_times; /* of a log */
    const char *taxonomy;       /* for records: "wordnet" where it knows most items; NULL: not so */
    /* Of a table; NULL: none. */
    const char *theta;    /* for sensitive columns */
    const char *ranges;   /* for columns of numbers that have no hierarchy */
    const char *bare;     /* a column of many values that still has none */
    const char *suppress; /* for several sensitive columns */
    double top;           /* share of the commonest sensitive value; 0: there is no such column */
    const char *wordnet_dir; /* NULL: where it is by default */
} lethe_input_facts;

/* Reads the input, a table with the ranges that it gets, and fills the facts, whose texts are in
 * `a`.  lethe_input_free(), also on an error. */
LETHE_MUST_CHECK lethe_err lethe_facts_read(lethe_ctx *ctx, lethe_arena *a,
                                            const lethe_candidate_input *of, lethe_input *in,
                                            lethe_input_facts *out);
/* Those of a log that was read. */
LETHE_MUST_CHECK lethe_err lethe_facts_of_log(lethe_ctx *ctx, lethe_log *log,
                                              lethe_input_facts *out);
/* LETHE_NEEDS_... that are met. */
unsigned lethe_needs_met(const lethe_values *given, const lethe_input_facts *f, bool has_theta);

typedef struct lethe_setting_values {
    const char *const *at;
    size_t n;
} lethe_setting_values;
/* Which rows, over which settings. */
typedef struct lethe_candidate_choice {
    lethe_shape shape;
    const lethe_values *given;
    const lethe_input_facts *facts;
    bool any_goal;    /* rows for no goal, too */
    unsigned goals;   /* else: for any of these */
    unsigned assumed; /* needs that count as met, because nobody knows yet */
    lethe_setting_values k, t;
    lethe_setting_values theta; /* none: that of the facts */
} lethe_candidate_choice;
/* Their runs, in `a`: of rows for the shape, of which the input has what they need. */
LETHE_MUST_CHECK lethe_err lethe_candidates_plan(lethe_diag *d, lethe_arena *a,
                                                 const lethe_candidate_choice *of, lethe_plan *out);

/* The options of the steps of a run, in `a`: what the method sets for studies, what the user gave
 * (`values`, by name; may be NULL), what the run says.  LETHE_EUSAGE: a value that a method does
 * not take. */
LETHE_MUST_CHECK lethe_err lethe_run_steps(lethe_diag *d, lethe_arena *a,
                                           const lethe_planned_run *run, const lethe_values *values,
                                           lethe_step out[LETHE_CANDIDATE_STEPS]);

/* Is a value of that name for the step?  Search results are for `split` only by interest. */
bool lethe_step_takes(const lethe_step *step, const char *name);

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
