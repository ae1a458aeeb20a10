/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - what a release keeps for a goal, and how likely a person is found in it. */
#include "app/judge.h"
#include "release/release.h"
#include <math.h>

/* --- what is kept --- */

/* A share, by itself or of a pair of counts; NAN: there is none. */
static double share_of(const lethe_json *measures, const char *name)
{
    const lethe_json *v = lethe_json_get(measures, name);
    if (lethe_json_kind(v) == LETHE_JSON_OBJECT) v = lethe_json_get(v, "share");
    lethe_json_type kind = lethe_json_kind(v);
    if (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL) return NAN;
    return fmin(fmax(lethe_json_real(v), 0), 1);
}

static const struct {
    const char *name, *figure;
    bool loss; /* what is left is 1 - it */
} kept[] = {
    {"queries", "queries", false},       {"clicks", "clicks", false},
    {"sessions", "sessions", false},     {"patterns", "pattern_recall", false},
    {"terms", "terms_kept", false},      {"detail", "loss", true},
    {"counts", "volume_covered", false},
};

static double kept_share(const lethe_json *measures, const char *name)
{
    for (size_t i = 0; i < LETHE_COUNT(kept); i++) {
        if (strcmp(kept[i].name, name) != 0) continue;
        double share = share_of(measures, kept[i].figure);
        return kept[i].loss ? 1 - share : share;
    }
    return NAN;
}

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
        double detail = kept_share(measures, "detail");
        return isnan(detail) ? 0 : detail;
    }
    for (size_t i = 0; i < LETHE_COUNT(names[goal]) && names[goal][i]; i++) {
        double share = kept_share(measures, names[goal][i]);
        if (!isnan(share)) return share;
    }
    return 0;
}

lethe_json *lethe_kept_json(lethe_json_doc *doc, const lethe_json *measures)
{
    lethe_json *o = lethe_json_object(doc);
    for (size_t i = 0; i < LETHE_COUNT(kept); i++) {
        double share = kept_share(measures, kept[i].name);
        if (!isnan(share)) lethe_set_real(doc, o, kept[i].name, share);
    }
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
    lethe_exposure x = {.chance = NAN, .before = NAN};
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        lethe_risk risks[2];
        size_t n = risks_of(*a, attacks, risks);
        for (size_t i = 0; i < n; i++) {
            const lethe_risk *r = &risks[i];
            if (!counts(r) || (x.by && r->risk <= x.risk)) continue;
            x = (lethe_exposure){
                .by = *a, .risk = r->risk, .chance = r->baseline, .before = r->before};
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

const char *lethe_goal_name(lethe_goal goal)
{
    static const char *const names[LETHE_N_GOALS] = {[LETHE_GOAL_PATTERNS] = "patterns",
                                                     [LETHE_GOAL_SESSIONS] = "sessions",
                                                     [LETHE_GOAL_CLICKS] = "clicks",
                                                     [LETHE_GOAL_COUNTS] = "counts"};
    return names[goal];
}
