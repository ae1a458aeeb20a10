/* SPDX-License-Identifier: Apache-2.0 */
/* risk.h - what the success of an adversary says about the risk, and when a risk is low.
 *
 * An adversary tries a number of persons (or identifiers, or clicks).  Its success on others like
 * them may be higher than on those it happened to try, so that the risk is not the success but its
 * upper confidence bound: what 95 of 100 such samples stay below.
 *
 * A risk is low up to LETHE_RISK_BOUND, which is what the European Medicines Agency (Policy 0070)
 * and Health Canada ask for clinical data that is published; raised up to twice that; else high. */
#ifndef LETHE_ATTACK_RISK_H
#define LETHE_ATTACK_RISK_H
#include "io/json/json.h"
#include "model/tables.h"

#define LETHE_RISK_BOUND 0.09 /* 1 in 11 */

/* The one-sided 95 % upper confidence bound of a share that was found in `trials` trials: Clopper
 * and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
 * Biometrika 26 (1934).  A success may be a mean of chances, of which it is a bound too (a sum of
 * chances spreads less than one of successes; Hoeffding 1956).  1 without a trial. */
double lethe_success_upper(double success, uint64_t trials);

typedef struct lethe_risk {
    const lethe_adversary *adversary;
    lethe_threat threat;
    double success, upper;
    double before;   /* the success on the original; NAN: there is none */
    double baseline; /* a random choice; of a guess at a value, the commonest one.  NAN: none */
    uint64_t trials;
    /* What is compared with the bound.  Of singling out and linking: `upper`.  Of inference: which
     * part of what a guess without the person's data gets wrong is told right, (upper - guess) /
     * (1 - guess), because the commonest value is guessed right without any release; of several
     * columns or strategies the greatest (Giomi et al., "A Unified Framework for Quantifying
     * Privacy Risk in Synthetic Data", PoPETs 2023, section 4). */
    double risk;
} lethe_risk;

/* Reads it from the figures of an adversary's run.  False: there are none, or it had nothing to
 * try. */
bool lethe_risk_of(const lethe_adversary *a, const lethe_json *figures, lethe_risk *out);

/* Of a table with a sensitive column: the risk that a person's row is found, which the same run has
 * counted.  False: there is none. */
bool lethe_risk_of_row(const lethe_adversary *a, const lethe_json *figures, lethe_risk *out);

/* As a member of `risk` in a manifest: adversary, threat, trials and, where these are not 0,
 * success, upper, risk and, where there are any, before and baseline. */
lethe_json *lethe_risk_as_json(lethe_json_doc *doc, const lethe_risk *r);
/* Of all adversaries in `metrics`, those that had nothing to try too: an array. */
lethe_json *lethe_risks_as_json(lethe_json_doc *doc, const lethe_json *metrics);
/* Reads it back.  False: it has other members, or it is not what lethe_risk_as_json() could have
 * written: a share outside 0 to 1, an upper bound that is not that of the success, a kind that is
 * not the adversary's. */
bool lethe_risk_told(const lethe_json *told, lethe_risk *out);

typedef enum lethe_risk_level {
    LETHE_RISK_LOW,    /* up to the bound */
    LETHE_RISK_RAISED, /* up to twice the bound */
    LETHE_RISK_HIGH
} lethe_risk_level;
lethe_risk_level lethe_risk_judge(double risk, double bound);
const char *lethe_risk_level_name(lethe_risk_level level); /* "low", "raised", "high" */

/* Of `metrics`, an object of figures by adversary as `attack` reports it, the greatest risk of each
 * kind.  seen[t]: one of this kind had something to try. */
void lethe_risk_worst(const lethe_json *metrics, bool seen[LETHE_N_THREATS],
                      lethe_risk worst[LETHE_N_THREATS]);

#endif
