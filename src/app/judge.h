/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - what a release keeps for a goal, and how likely a person is found in it: what `publish`
 * decides by, and what `compare` and `suggest` show. */
#ifndef LETHE_APP_JUDGE_H
#define LETHE_APP_JUDGE_H
#include "attack/risk.h"
#include "release/commands.h"
#include "measure/kept.h"

/* How likely a person is found. */
typedef struct lethe_exposure {
    const lethe_adversary *by; /* the most successful of those that count; NULL: none had anything
                                  to try */
    double risk;               /* of it, an upper bound; 0: there is none */
    double success;            /* as it was found; NAN: there is none */
    double chance;             /* the success of a random choice; NAN: not known */
    double before;             /* the success on the original; NAN: not known */
} lethe_exposure;
lethe_exposure lethe_exposure_of(const lethe_json *attacks);

/* The share that is kept of what matters for the goal, by the figures of all measures; 0: nothing
 * of it was measured. */
double lethe_kept_for(lethe_goal goal, lethe_shape out, const lethe_json *measures);
/* The same for each of the goals (bits), by name. */
lethe_json *lethe_kept_for_json(lethe_json_doc *doc, unsigned goals, lethe_shape out,
                                const lethe_json *measures);
/* An array with an object for each adversary that had something to try: adversary, threat, counts
 * (towards the risk), success, upper, risk, before, baseline, trials. */
lethe_json *lethe_risks_json(lethe_json_doc *doc, const lethe_json *attacks);
/* An array of {adversary, needs}: those that would apply to such a release, for which an option was
 * not given. */
lethe_json *lethe_not_tried_json(lethe_json_doc *doc, lethe_shape shape, const lethe_values *v);
/* "patterns", "sessions", "clicks", "counts". */
const char *lethe_goal_name(lethe_goal goal);
/* "find what occurs together" */
const char *lethe_goal_meaning(lethe_goal goal);

#endif
