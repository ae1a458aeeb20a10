/* SPDX-License-Identifier: Apache-2.0 */
/* risk.c - upper bounds of an adversary's success, and whether a risk is low. */
#include "attack/risk.h"
#include <math.h>

/* --- the upper bound --- */

/* ln of the gamma function for x > 0: Stirling's series, from 10 on good to 13 digits.  lgamma() of
 * the C library writes a global variable. */
static double ln_gamma(double x)
{
    static const double half_ln_2pi = 0.91893853320467274178;
    double below = 0;
    while (x < 10) {
        below += log(x);
        x += 1;
    }
    double i = 1 / (x * x),
           series = (1. / 12 - i * (1. / 360 - i * (1. / 1260 - i * (1. / 1680 - i / 1188)))) / x;
    return (x - 0.5) * log(x) - x + half_ln_2pi + series - below;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    enum { STEPS_MAX = 100000 };
    static const double tiny = 1e-300, close = 1e-15;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < STEPS_MAX; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
               odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), factor = 1;
        const double terms[] = {even, odd};
        for (int i = 0; i < 2; i++) {
            d = 1 + terms[i] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + terms[i] / c;
            if (fabs(c) < tiny) c = tiny;
            factor = c * d;
            value *= factor;
        }
        if (fabs(factor - 1) < close) break;
    }
    return value;
}

/* The regularized incomplete beta function I_x(a, b), for 0 < x < 1. */
static double beta_part(double a, double b, double x)
{
    double front = exp(ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double lethe_success_upper(double success, uint64_t trials)
{
    enum { HALVINGS = 60 };
    static const double missed = 0.05;
    double n = (double)trials, x = success * n;
    if (trials == 0 || !(success < 1)) return 1;
    if (x < 0) x = 0;
    double low = x / n, high = 1;
    // how likely are x or fewer successes if each has probability `middle`?
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (!(middle > low && middle < high)) break;
        *(beta_part(n - x, x + 1, 1 - middle) > missed ? &low : &high) = middle;
    }
    return high;
}

/* --- the risk --- */

const char *lethe_threat_name(lethe_threat threat)
{
    static const char *const names[] = {[LETHE_THREAT_SINGLING_OUT] = "singling-out",
                                        [LETHE_THREAT_LINKING] = "linking",
                                        [LETHE_THREAT_INFERENCE] = "inference"};
    return names[threat];
}

/* NAN: there is no such number. */
static double number_of(const lethe_json *o, const char *name)
{
    const lethe_json *v = lethe_json_get(o, name);
    lethe_json_type kind = lethe_json_kind(v);
    return kind == LETHE_JSON_INT || kind == LETHE_JSON_REAL ? lethe_json_real(v) : NAN;
}

/* How often a guess without the person's data is right: the commonest value; else the lower of how
 * often what was named is true of anybody, and the baseline. */
static double guess_of(const lethe_json *o)
{
    double commonest = number_of(o, "commonest"),
           guess = fmin(number_of(o, "prior"), number_of(o, "baseline")); // of those that there are
    if (isfinite(commonest)) guess = commonest;
    return guess >= 0 && guess <= 1 ? guess : 0;
}

static double gain_of(const lethe_json *o, uint64_t trials)
{
    double success = number_of(o, "success"), guess = guess_of(o);
    if (!(success >= 0 && success <= 1)) return 0;
    double upper = lethe_success_upper(success, trials);
    if (!(upper > guess)) return 0;
    return guess < 1 ? (upper - guess) / (1 - guess) : 0;
}

/* Of those parts of the figures that have a guess of their own. */
static double gain_worst(const lethe_json *figures, uint64_t trials)
{
    static const char *const parts[] = {"columns", "sensitive", "strategies"};
    double worst = gain_of(figures, trials);
    for (size_t i = 0; i < LETHE_COUNT(parts); i++) {
        const lethe_json *list = lethe_json_get(figures, parts[i]);
        for (size_t k = 0; k < lethe_json_count(list); k++) {
            const lethe_json *one = lethe_json_at(list, k);
            bool own = lethe_json_get(one, "prior") || lethe_json_get(one, "baseline");
            if (own) worst = fmax(worst, gain_of(one, trials));
        }
    }
    return worst;
}

bool lethe_risk_of(const lethe_adversary *a, const lethe_json *figures, lethe_risk *out)
{
    const lethe_json *trials = lethe_json_get(figures, a->trials);
    lethe_risk r = {.adversary = a,
                    .threat = a->threat,
                    .success = number_of(figures, "success"),
                    .before = number_of(figures, "before"),
                    .baseline = number_of(figures, "baseline"),
                    .trials = (uint64_t)LETHE_MAX(lethe_json_int(trials), 0)};
    if (r.trials == 0 || !(r.success >= 0 && r.success <= 1)) return false;
    if (lethe_json_get(figures, "revealed")) { // it guesses values
        r.threat = LETHE_THREAT_INFERENCE;
        r.baseline = number_of(figures, "commonest");
    }
    r.upper = lethe_success_upper(r.success, r.trials);
    r.risk = r.threat == LETHE_THREAT_INFERENCE ? gain_worst(figures, r.trials) : r.upper;
    *out = r;
    return true;
}

bool lethe_risk_of_row(const lethe_adversary *a, const lethe_json *figures, lethe_risk *out)
{
    // who counts persons and rows has fewer candidates; fmax takes the number that there is
    lethe_risk r = {.success =
                        fmax(number_of(figures, "row_success"), number_of(figures, "row_counted"))};
    if (!(r.success >= 0 && r.success <= 1) || !lethe_risk_of(a, figures, out)) return false;
    out->threat = a->threat;
    out->success = r.success;
    out->before = number_of(figures, "row_before");
    out->baseline = NAN;
    out->risk = out->upper = lethe_success_upper(out->success, out->trials);
    return true;
}

/* --- in a manifest --- */

lethe_json *lethe_risk_as_json(lethe_json_doc *doc, const lethe_risk *r)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_text(doc, o, "adversary", r->adversary->name);
    lethe_set_text(doc, o, "threat", lethe_threat_name(r->threat));
    lethe_set_count(doc, o, "trials", r->trials);
    if (r->trials == 0) return o;
    lethe_set_real(doc, o, "success", r->success);
    lethe_set_real(doc, o, "upper", r->upper);
    lethe_set_real(doc, o, "risk", r->risk);
    if (isfinite(r->before)) lethe_set_real(doc, o, "before", r->before);
    if (isfinite(r->baseline)) lethe_set_real(doc, o, "baseline", r->baseline);
    return o;
}

/* Both risks of an adversary's figures; returns how many there are. */
static size_t risks_of(const lethe_adversary *a, const lethe_json *metrics, lethe_risk r[2])
{
    const lethe_json *figures = lethe_json_get(metrics, a->name);
    size_t n = lethe_risk_of(a, figures, &r[0]);
    return n + (n && lethe_risk_of_row(a, figures, &r[1]));
}

lethe_json *lethe_risks_as_json(lethe_json_doc *doc, const lethe_json *metrics)
{
    lethe_json *all = lethe_json_array(doc);
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        lethe_risk r[2] = {{.adversary = *a, .threat = (*a)->threat}};
        size_t n = risks_of(*a, metrics, r);
        if (n == 0 && lethe_json_get(metrics, (*a)->name)) n = 1; // it had nothing to try
        for (size_t i = 0; i < n; i++)
            lethe_json_push(doc, all, lethe_risk_as_json(doc, &r[i]));
    }
    return all;
}

static bool is_share(double x) { return x >= 0 && x <= 1; }

/* Its kind is the adversary's, or that of a guess at a value by one who looks for rows. */
static bool threat_told(const lethe_json *told, const lethe_adversary *a, lethe_threat *out)
{
    lethe_str name = lethe_json_text(lethe_json_get(told, "threat"));
    bool guesses = strcmp(a->name, "linking") == 0;
    for (lethe_threat t = 0; t < LETHE_N_THREATS; t++) {
        if (!lethe_str_eq(name, lethe_str_of(lethe_threat_name(t)))) continue;
        *out = t;
        return t == a->threat || (guesses && t == LETHE_THREAT_INFERENCE);
    }
    return false;
}

bool lethe_risk_told(const lethe_json *told, lethe_risk *out)
{
    if (lethe_json_kind(told) != LETHE_JSON_OBJECT) return false;
    static const double close = 1e-6;
    lethe_str name = lethe_json_text(lethe_json_get(told, "adversary"));
    const lethe_json *trials = lethe_json_get(told, "trials");
    lethe_risk r = {.success = number_of(told, "success"),
                    .upper = number_of(told, "upper"),
                    .before = number_of(told, "before"),
                    .baseline = number_of(told, "baseline"),
                    .risk = number_of(told, "risk")};
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++)
        if (lethe_str_eq(name, lethe_str_of((*a)->name))) r.adversary = *a;
    if (!r.adversary || !threat_told(told, r.adversary, &r.threat)) return false;
    if (lethe_json_kind(trials) != LETHE_JSON_INT || lethe_json_int(trials) < 0) return false;
    r.trials = (uint64_t)lethe_json_int(trials);
    if (r.trials == 0) {
        *out = (lethe_risk){.adversary = r.adversary, .threat = r.threat};
        return lethe_json_count(told) == 3;
    }
    bool before = lethe_json_get(told, "before"), baseline = lethe_json_get(told, "baseline");
    if (lethe_json_count(told) != (size_t)6 + before + baseline) return false;
    if ((before && !is_share(r.before)) || (baseline && !is_share(r.baseline))) return false;
    if (!is_share(r.success) || !is_share(r.upper) || !is_share(r.risk)) return false;
    if (!(fabs(r.upper - lethe_success_upper(r.success, r.trials)) < close)) return false;
    // what is told of other persons is their success; of values, no more than that
    if (r.threat != LETHE_THREAT_INFERENCE && !(fabs(r.risk - r.upper) < close)) return false;
    *out = r;
    return true;
}

/* --- levels --- */

lethe_risk_level lethe_risk_judge(double risk, double bound)
{
    if (risk <= bound) return LETHE_RISK_LOW;
    return risk <= 2 * bound ? LETHE_RISK_RAISED : LETHE_RISK_HIGH;
}

const char *lethe_risk_level_name(lethe_risk_level level)
{
    static const char *const names[] = {
        [LETHE_RISK_LOW] = "low", [LETHE_RISK_RAISED] = "raised", [LETHE_RISK_HIGH] = "high"};
    return names[level];
}

void lethe_risk_worst(const lethe_json *metrics, bool seen[LETHE_N_THREATS],
                      lethe_risk worst[LETHE_N_THREATS])
{
    for (int t = 0; t < LETHE_N_THREATS; t++)
        seen[t] = false;
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        lethe_risk r[2];
        for (size_t i = 0, n = risks_of(*a, metrics, r); i < n; i++) {
            lethe_threat t = r[i].threat;
            if (!seen[t] || r[i].risk > worst[t].risk) worst[t] = r[i];
            seen[t] = true;
        }
    }
}
