/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - what a release keeps for a goal, and how likely a person is found in it. */
#include "app/judge.h"
#include "release/release.h"
#include <math.h>

/* --- what is kept --- */

/* What matters for a goal; the first of these that was measured. */
double lethe_kept_for(lethe_goal goal, lethe_shape out, const lethe_json *measures)
{
    static const char *const names[LETHE_N_GOALS][3] = {
        [LETHE_GOAL_PATTERNS] = {"patterns", "terms"},
        [LETHE_GOAL_SESSIONS] = {"sessions", "patterns", "terms"},
        [LETHE_GOAL_CLICKS] = {"clicks"},
        [LETHE_GOAL_COUNTS] = {"queries", "counts", "terms"},
    };
    if (out == LETHE_SHAPE_TABLE) {
        double detail = lethe_kept_share(measures, "detail");
        return isnan(detail) ? 0 : detail;
    }
    for (size_t i = 0; i < LETHE_COUNT(names[goal]) && names[goal][i]; i++) {
        double share = lethe_kept_share(measures, names[goal][i]);
        if (!isnan(share)) return share;
    }
    return 0;
}

lethe_json *lethe_kept_for_json(lethe_json_doc *doc, unsigned goals, lethe_shape out,
                                const lethe_json *measures)
{
    lethe_json *o = lethe_json_object(doc);
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
        if (goals & 1U << g)
            lethe_set_real(doc, o, lethe_goal_name(g), lethe_kept_for(g, out, measures));
    return o;
}

/* --- what is given away --- */

/* Adversaries that find a person count; not those who learn something about a group, nor those who
 * take part themselves, whom no release of a log can keep out. */
static bool counts(const lethe_risk *r)
{
    return r->threat != LETHE_THREAT_INFERENCE && !r->adversary->active;
}

/* The risks of an adversary's figures: its own, and of `linking` beside a sensitive value the
 * person's row.  Returns how many. */
static size_t risks_of(const lethe_adversary *a, const lethe_json *attacks, lethe_risk out[2])
{
    const lethe_json *figures = lethe_json_get(attacks, a->name);
    size_t n = lethe_risk_of(a, figures, &out[0]);
    return n + (n && lethe_risk_of_row(a, figures, &out[1]));
}

lethe_exposure lethe_exposure_of(const lethe_json *attacks)
{
    lethe_exposure x = {.success = NAN, .chance = NAN, .before = NAN};
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        lethe_risk risks[2];
        size_t n = risks_of(*a, attacks, risks);
        for (size_t i = 0; i < n; i++) {
            const lethe_risk *r = &risks[i];
            if (!counts(r) || (x.by && r->risk <= x.risk)) continue;
            x = (lethe_exposure){.by = *a,
                                 .risk = r->risk,
                                 .success = r->success,
                                 .chance = r->baseline,
                                 .before = r->before};
        }
    }
    return x;
}

lethe_json *lethe_risks_json(lethe_json_doc *doc, const lethe_json *attacks)
{
    lethe_json *list = lethe_json_array(doc);
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        lethe_risk risks[2];
        size_t n = risks_of(*a, attacks, risks);
        for (size_t i = 0; i < n; i++) {
            lethe_json *o = lethe_risk_as_json(doc, &risks[i]);
            lethe_json_set(doc, o, "counts", lethe_json_new_bool(doc, counts(&risks[i])));
            lethe_json_push(doc, list, o);
        }
    }
    return list;
}

lethe_json *lethe_not_tried_json(lethe_json_doc *doc, lethe_shape shape, const lethe_values *v)
{
    lethe_json *list = lethe_json_array(doc);
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        const char *needs = (*a)->needs; // the map is always there
        if (!((*a)->shapes & shape) || !needs || strcmp(needs, "map") == 0 ||
            lethe_is_given(v, needs))
            continue;
        lethe_json *o = lethe_json_object(doc);
        lethe_set_text(doc, o, "adversary", (*a)->name);
        lethe_set_text(doc, o, "needs", needs);
        lethe_json_push(doc, list, o);
    }
    return list;
}

static const struct {
    const char *name, *meaning;
} goals[LETHE_N_GOALS] = {
    [LETHE_GOAL_PATTERNS] = {"patterns", "find what occurs together"},
    [LETHE_GOAL_SESSIONS] = {"sessions", "follow what one person asks in a sitting"},
    [LETHE_GOAL_CLICKS] = {"clicks", "learn which results are clicked for a query"},
    [LETHE_GOAL_COUNTS] = {"counts", "count how often something occurs"},
};

const char *lethe_goal_name(lethe_goal goal) { return goals[goal].name; }
const char *lethe_goal_meaning(lethe_goal goal) { return goals[goal].meaning; }
