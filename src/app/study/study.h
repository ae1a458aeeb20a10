/* SPDX-License-Identifier: Apache-2.0 */
/* study.h - a study of many releases of one input: what its files share, and publish/ uses.
 *
 *   study_plan.c      which methods, over which settings
 *   study_settings.c  what must be the same for a study to go on
 *   study_folder.c    the folder: begun, taken up again, cleared
 *   study_row.c       one run: made, measured, attacked, and what is said of it
 *   study_order.c     what is made first, where time is short, and what is shown first
 *   study_csv.c       all rows for a spreadsheet
 *   study.c           all runs, and the files about them */
#ifndef LETHE_APP_STUDY_STUDY_H
#define LETHE_APP_STUDY_STUDY_H
#include "app/candidates/candidates.h"
#include "release/make/input.h"
#include <sys/types.h>

#define LETHE_STUDY_NAME "study.json"
#define LETHE_STUDY_CSV "study.csv"

/* --- the plan --- */

/* All runs, in `a`: the rows of the table of candidates that fit the shape and the facts (of a log
 * all), or the methods that are named, each alone, in the order of their table; these need no
 * facts. LETHE_EUSAGE: an unknown method, one that does not take the shape, one named twice; a list
 * with what is no number, or has one twice; theta without a sensitive column for candidates; an
 * option that nothing here takes. */
LETHE_MUST_CHECK lethe_err lethe_plan_make(lethe_diag *d, lethe_arena *a,
                                           const lethe_compare_options *c, lethe_shape shape,
                                           const lethe_input_facts *facts, lethe_plan *out);
/* Which options are varied, over which values, by which methods: "k = 2, 5 (lplus, anneal)"; in
 * `a`, empty if none is; NULL: no memory. */
char *lethe_plan_varied(lethe_arena *a, const lethe_plan *plan);
/* What the user gave for measures and adversaries, and the map, as if that were an option too; in
 * `a`. */
LETHE_MUST_CHECK lethe_err lethe_plan_evaluate_values(lethe_diag *d, lethe_arena *a,
                                                      const lethe_compare_options *c,
                                                      const char *map, lethe_values *out);
/* --- the folder --- */

typedef struct lethe_study_folder {
    const char *path; /* in the study's arena */
    char *parents;    /* the same, where folders above it are made; else NULL */
    size_t parents_made;
    int fd;         /* locked; -1: not open */
    bool temporary; /* nothing is kept */
    bool made;      /* it was not there before, or not a study */
    bool begun;     /* the settings stand in it */
} lethe_study_folder;

/* What must be the same for a study to go on: an object in `doc`.  *again = false: the input is not
 * one that can be known again (a pipe, say). */
LETHE_MUST_CHECK lethe_err lethe_study_settings(lethe_diag *d, lethe_json_doc *doc,
                                                const lethe_compare_options *c,
                                                const lethe_plan *plan, lethe_json **out,
                                                bool *again);
/* Opens and locks the folder c->out, or a new one for temporary files where that is NULL.
 * LETHE_EUSAGE as lethe_compare_options says, and where another process has it.  Nothing but the
 * folder itself and those above it is made, and nothing removed. */
LETHE_MUST_CHECK lethe_err lethe_study_open(lethe_ctx *ctx, lethe_arena *a,
                                            const lethe_compare_options *c,
                                            const lethe_json *settings, bool again,
                                            lethe_study_folder *out);
/* Clears what a forced or an interrupted study has left, and writes the settings. */
LETHE_MUST_CHECK lethe_err lethe_study_begin(lethe_diag *d, lethe_study_folder *f, bool force,
                                             const lethe_json *settings);
/* The finished row of a run, in a new *doc, where a study is taken up; NULL where the run is to be
 * made: what was left of it is then gone.  LETHE_EUSAGE: what was left is not a study's own. */
LETHE_MUST_CHECK lethe_err lethe_study_resume(lethe_diag *d, lethe_study_folder *f,
                                              const lethe_planned_run *run, lethe_json_doc **doc,
                                              lethe_json **row);
/* Removes all that there is of a run.  LETHE_EUSAGE as above. */
LETHE_MUST_CHECK lethe_err lethe_study_forget(lethe_diag *d, const lethe_study_folder *f,
                                              const lethe_planned_run *run);
LETHE_MUST_CHECK lethe_err lethe_study_row_write(lethe_diag *d, const lethe_study_folder *f,
                                                 const lethe_planned_run *run,
                                                 const lethe_json *row);
/* A file in the folder, in place of an old one, mode 0600. */
LETHE_MUST_CHECK lethe_err lethe_study_file(lethe_diag *d, const lethe_study_folder *f,
                                            const char *name, lethe_sink **out);
/* The same, with a JSON value and an LF. */
LETHE_MUST_CHECK lethe_err lethe_study_json(lethe_diag *d, const lethe_study_folder *f,
                                            const char *name, const lethe_json *v);
/* Removes release and map of a run; that there are none is fine. */
LETHE_MUST_CHECK lethe_err lethe_study_drop(lethe_diag *d, const lethe_study_folder *f,
                                            const lethe_planned_run *run);
/* Where a run's release and map go, in `a`; NULL: no memory. */
char *lethe_study_release(lethe_arena *a, const lethe_study_folder *f,
                          const lethe_planned_run *run);
char *lethe_study_map(lethe_arena *a, const lethe_study_folder *f, const lethe_planned_run *run);
/* A temporary folder goes with all that is in it; so does one that was made and in which no study
 * has begun. */
void lethe_study_close(lethe_diag *d, lethe_study_folder *f);

/* --- one run --- */

/* The messages of a run, which are diverted here: its first error is kept, warnings and notes are
 * passed on, each once per study. */
typedef struct lethe_study_messages {
    lethe_listener to;
    lethe_dict *said;
    const char *label; /* of the run that speaks */
    bool failed;       /* there was an error: it is in */
    char error[1024];
} lethe_study_messages;
void lethe_study_on_message(void *messages, const lethe_message *m);

typedef struct lethe_study_work {
    lethe_ctx *ctx;
    const lethe_compare_options *asked;
    const lethe_input *input;
    const lethe_study_folder *folder;
    lethe_study_messages *messages;
} lethe_study_work;

/* Makes the release, measures and attacks it, within so many seconds (INFINITY: no limit); *row, in
 * `doc`, says how it went.  Where time or memory was not enough, `left_out` is true in it.  Fails
 * only where no row can be made: LETHE_ECANCEL, or no memory for the row itself. */
LETHE_MUST_CHECK lethe_err lethe_study_run(const lethe_study_work *w, const lethe_planned_run *run,
                                           double seconds, lethe_json_doc *doc, lethe_json **row);
/* The row of a run that is not made, with the reason: time or memory is not enough. */
LETHE_MUST_CHECK lethe_err lethe_study_leave_out(const lethe_study_work *w,
                                                 const lethe_planned_run *run, const char *why,
                                                 lethe_json_doc *doc, lethe_json **row);
/* The same for a run of which the input lacks something: it would be so whenever it is made. */
LETHE_MUST_CHECK lethe_err lethe_study_not_made(const lethe_study_work *w,
                                                const lethe_planned_run *run, const char *why,
                                                lethe_json_doc *doc, lethe_json **row);
/* Shows that run i of n begins, with the time that the rest will take about: what those from
 * `began` on took on average, but no longer than until `end` (INFINITY: no limit). */
void lethe_study_part(lethe_ctx *ctx, const char *label, size_t i, size_t n, double began,
                      double end);

/* --- the order --- */

/* What a run is expected to take, and its place in the plan. */
typedef struct lethe_run_cost {
    size_t run;
    double seconds; /* at least; 0: not known */
} lethe_run_cost;
/* Measures the runs of a large log that are to be made on a small sample of its users: at `n` of
 * *costs, in the plan's order, but the cheapest first.  Takes a tenth of the time that is left
 * until `end` at most. */
LETHE_MUST_CHECK lethe_err lethe_study_costs(const lethe_study_work *w, const lethe_plan *plan,
                                             double end, lethe_run_cost *costs, size_t n);
/* The cheapest first; equals stay in the order of the plan. */
void lethe_run_costs_sort(lethe_run_cost *at, size_t n);

/* Puts rows in the order of their use: first releases whose promise holds at a risk up to the
 * bound, and that keep something, then others, then what gave none; of each those that keep most,
 * in sum over the goals.  Equals stay as they are. */
void lethe_study_sort(const lethe_json **rows, size_t n, double bound);

/* --- the table --- */

/* The rows as CSV, with a header: an adversary's success, before and baseline are columns. */
LETHE_MUST_CHECK lethe_err lethe_study_csv(const lethe_json *rows, lethe_buf *out);

#endif
