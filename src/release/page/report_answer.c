/* SPDX-License-Identifier: Apache-2.0 */
/* report_answer.c - the answer, which the page begins with: is the promise kept, and what does an
 * adversary still find, before and after?
 *
 * Green is for what is known to be low: a promise that is kept, and adversaries of each kind that
 * were tried and whose success is low even at its upper confidence bound.  What was not tried is
 * not low. */
#include "release/page/report_page.h"
#include <math.h>

/* --- the risks --- */

/* What is known of a kind of adversary. */
typedef enum kind_state {
    KIND_NONE,    /* lethe has none that applies to this release */
    KIND_UNTRIED, /* there is one, which was not run */
    KIND_NOTHING, /* it was run and had nothing to try */
    KIND_TRIED,
} kind_state;

typedef struct answer {
    bool attacked;
    kind_state state[LETHE_N_THREATS];
    lethe_risk worst[LETHE_N_THREATS];
    double bound;
} answer;

/* An adversary that was not run although the owner of the data could: the others need what nobody
 * may have, or do not apply. */
static bool could_run(const lethe_page *p, lethe_threat threat, bool attacked,
                      const lethe_json *metrics)
{
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++) {
        bool of_kind = (*a)->threat == threat && ((*a)->shapes & p->in->shape);
        bool needs_map = (*a)->needs && strcmp((*a)->needs, "map") == 0;
        if (of_kind && !attacked && (!(*a)->needs || needs_map)) return true;
        if (of_kind && needs_map && !lethe_json_get(metrics, (*a)->name)) return true;
    }
    return false;
}

static bool was_run(lethe_threat threat, const lethe_json *metrics)
{
    for (const lethe_adversary *const *a = lethe_adversaries(); *a; a++)
        if ((*a)->threat == threat && lethe_json_get(metrics, (*a)->name)) return true;
    return false;
}

static answer answer_of(const lethe_page *p)
{
    const lethe_json *told = lethe_json_get(p->in->manifest, "risk"),
                     *metrics = lethe_json_get(p->in->attack, "metrics");
    bool seen[LETHE_N_THREATS] = {false}, run[LETHE_N_THREATS] = {false};
    answer a = {.bound = p->in->bound > 0 ? p->in->bound : LETHE_RISK_BOUND,
                .attacked = lethe_json_count(p->in->attack ? metrics : told) > 0};
    if (p->in->attack)
        lethe_risk_worst(metrics, seen, a.worst);
    else
        for (size_t i = 0; i < lethe_json_count(told); i++) {
            lethe_risk r;
            if (!lethe_risk_told(lethe_json_at(told, i), &r)) continue;
            run[r.threat] = true;
            if (r.trials == 0) continue;
            if (!seen[r.threat] || r.risk > a.worst[r.threat].risk) a.worst[r.threat] = r;
            seen[r.threat] = true;
        }
    bool any = false; // who had nothing to try has shown nothing
    for (int t = 0; t < LETHE_N_THREATS; t++)
        any = any || seen[t];
    a.attacked = a.attacked && any;
    for (int t = 0; t < LETHE_N_THREATS; t++)
        a.state[t] = seen[t]                                              ? KIND_TRIED
                     : run[t] || was_run((lethe_threat)t, metrics)        ? KIND_NOTHING
                     : could_run(p, (lethe_threat)t, a.attacked, metrics) ? KIND_UNTRIED
                                                                          : KIND_NONE;
    return a;
}

/* --- words --- */

/* What an adversary does, followed by how often; `row`: of a table, when it looks for the row. */
static const struct {
    const char *name;
    bool row;
    const char *does, *guess;
} words[] = {
    {"background", false, "Anyone who knows a few items of a person finds the person's record",
     "by chance"},
    {"known-terms", false,
     "Anyone who knows a few terms of a person finds what is published of the person", "by chance"},
    {"identity", false,
     "A planted person is found, by a number, by name and town, or by a few harmless queries,",
     "by chance"},
    {"marking", false,
     "Anyone who got a person to issue a few rare queries recognizes the person by them",
     "by chance"},
    {"presence-absence", false,
     "Anyone who knows a few items that a person has, and a few that they lack, finds the "
     "person's set",
     "by chance"},
    {"linking", true, "Anyone who knows the quasi-identifiers of a person finds the person's row",
     "by chance"},
    {"linking", false,
     "Anyone who knows the quasi-identifiers of a person guesses the sensitive value right",
     "always guessing the commonest"},
    {"linkage", false, "Published users who are one person are recognized as such", "by chance"},
    {"homogeneity", false,
     "Anyone who knows which group a person is in names something true of the person",
     "always naming the commonest"},
    {"frequency", false, "The text or address behind an identifier is named by how often it occurs",
     "by chance"},
    {"competitor", false,
     "The address behind a click is named by asking the published queries again", "by chance"},
    {"replay", false,
     "The full address behind a click is named by asking the published queries again", "by chance"},
};

static const char *share(lethe_page *p, double x)
{
    char text[40];
    return lethe_page_format(p, "%s", lethe_number_show(text, x, LETHE_UNIT_SHARE));
}

/* "1 in 11" for what is below a half, where that is a good approximation. */
static const char *one_in(lethe_page *p, double x)
{
    char text[40];
    if (!(x > 0 && x < 0.4)) return "";
    return lethe_page_format(p, ", 1 in %s",
                             lethe_number_show(text, round(1 / x), LETHE_UNIT_COUNT));
}

static const char *risk_words(lethe_page *p, const lethe_risk *r)
{
    bool row = r->threat == LETHE_THREAT_SINGLING_OUT;
    const char *does = "An adversary succeeds", *guess = "by chance", *beside = "";
    for (size_t i = 0; i < LETHE_COUNT(words); i++) {
        bool two = strcmp(words[i].name, "linking") == 0; // the row, and the value
        if (strcmp(words[i].name, r->adversary->name) != 0 || (two && words[i].row != row))
            continue;
        does = words[i].does;
        guess = words[i].guess;
    }
    if (isfinite(r->before))
        beside = lethe_page_format(p, "in the original: %s", share(p, r->before));
    if (isfinite(r->baseline))
        beside = lethe_page_format(p, "%s%s%s: %s", beside, beside[0] ? "; " : "", guess,
                                   share(p, r->baseline));
    return lethe_page_format(p, "%s in %s of cases%s%s%s%s.", does, share(p, r->success),
                             one_in(p, r->success), beside[0] ? " (" : "", beside,
                             beside[0] ? ")" : "");
}

static const char *bound_words(lethe_page *p, const lethe_risk *r)
{
    if (r->threat != LETHE_THREAT_INFERENCE)
        return lethe_page_format(p, "With 95 %% confidence at most %s.", share(p, r->upper));
    if (r->risk < 0.0005)
        return "With 95 % confidence, this is no more than a guess without the release gets right.";
    return lethe_page_format(p,
                             "With 95 %% confidence, the release tells at most %s of what a guess "
                             "without it gets wrong.",
                             share(p, r->risk));
}

/* --- the box --- */

static const char *const marks[] = {
    [LETHE_RISK_LOW] = "\u2713", [LETHE_RISK_RAISED] = "!", [LETHE_RISK_HIGH] = "\u2717"};
static const char *const classes[] = {
    [LETHE_RISK_LOW] = "good", [LETHE_RISK_RAISED] = "warn", [LETHE_RISK_HIGH] = "bad"};

static void part_begin(lethe_page *p, const char *class_name, const char *state, const char *name)
{
    lethe_html_begin(&p->h, "li");
    lethe_html_attr(&p->h, "class", class_name);
    lethe_html_leaf(&p->h, "span", "chip", state);
    lethe_html_begin(&p->h, "div");
    lethe_html_leaf(&p->h, "strong", NULL, name);
}

static void part_end(lethe_page *p)
{
    lethe_html_end(&p->h);
    lethe_html_end(&p->h);
}

static void promise_part(lethe_page *p, bool holds, const char *nothing)
{
    const lethe_json *claims = lethe_json_get(p->in->manifest, "claims");
    part_begin(p, holds && !nothing ? "good" : "bad",
               !holds    ? "\u2717 broken"
               : nothing ? "\u2717 empty"
                         : "\u2713 kept",
               "The promise");
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        const char *with = lethe_page_parameters(p, claim, "notion");
        lethe_html_begin(&p->h, "p");
        lethe_html_format(&p->h, "%s (%s%s%s).", lethe_page_notion(p, claim),
                          lethe_page_value(p, lethe_json_get(claim, "notion")), with[0] ? ": " : "",
                          with);
        lethe_html_end(&p->h);
    }
    if (lethe_json_count(claims) == 0) lethe_page_paragraph(p, "Nothing is promised.");
    const char *undecided = holds && !nothing ? lethe_page_undecided(p) : NULL;
    if (undecided) lethe_page_say(p, "As far as can be seen: %s.", undecided);
    part_end(p);
}

/* How to try what was not. */
static void command(lethe_page *p, const char *more)
{
    lethe_html_begin(&p->h, "p");
    lethe_html_words(&p->h, "Not tried. To try it: ");
    lethe_html_leaf(&p->h, "code", NULL,
                    lethe_page_format(p, "lethe report RELEASE --original FILE%s", more));
    lethe_html_end(&p->h);
}

static void kind_part(lethe_page *p, const answer *a, lethe_threat t)
{
    static const char *const names[] = {
        [LETHE_THREAT_SINGLING_OUT] = "Singling out: finding what belongs to a person",
        [LETHE_THREAT_LINKING] = "Linking: telling what belongs to the same person",
        [LETHE_THREAT_INFERENCE] = "Inference: learning something else about a person"};
    const lethe_risk *r = &a->worst[t];
    lethe_risk_level level;
    switch (a->state[t]) {
    case KIND_TRIED:
        level = lethe_risk_judge(r->risk, a->bound);
        part_begin(p, classes[level],
                   lethe_page_format(p, "%s %s", marks[level], lethe_risk_level_name(level)),
                   names[t]);
        lethe_html_leaf(&p->h, "p", NULL, risk_words(p, r));
        lethe_html_leaf(
            &p->h, "p", "note",
            lethe_page_format(p, "%s Adversary: %s.", bound_words(p, r), r->adversary->name));
        break;
    case KIND_NOTHING:
        part_begin(p, "plain", "none", names[t]);
        lethe_page_paragraph(p, t == LETHE_THREAT_LINKING
                                    ? "No person has two published users that could be linked."
                                    : "There was nothing to try it on.");
        break;
    case KIND_UNTRIED:
        part_begin(p, "warn", "? not tried", names[t]);
        if (p->in->attack_lacks)
            lethe_page_say(p, "Not tried. %s", lethe_page_sentence(p, p->in->attack_lacks));
        else
            command(p,
                    t == LETHE_THREAT_LINKING || p->in->attack ? " --map FILE" : " [--map FILE]");
        break;
    case KIND_NONE:
        part_begin(p, "plain", "no test", names[t]);
        if (p->in->shape == LETHE_SHAPE_COUNTS && t != LETHE_THREAT_INFERENCE)
            lethe_page_paragraph(p,
                                 "No users are published, so that there are no rows of a person. "
                                 "Whether an item names a person was not tried.");
        else
            lethe_page_paragraph(p,
                                 a->attacked || t == LETHE_THREAT_LINKING
                                     ? "No adversary of this program applies to this release. That "
                                       "does not mean that there is none."
                                     : "No adversary of this program applies without further "
                                       "files.");
        break;
    }
    part_end(p);
}

/* Is it known that persons are hardly found, however much is learned about them? */
static bool hardly_found(const answer *a)
{
    static const int finds[] = {LETHE_THREAT_SINGLING_OUT, LETHE_THREAT_LINKING};
    bool tried = false;
    for (size_t i = 0; i < LETHE_COUNT(finds); i++) {
        kind_state s = a->state[finds[i]];
        if (s == KIND_UNTRIED) return false;
        if (s != KIND_TRIED) continue;
        if (lethe_risk_judge(a->worst[finds[i]].risk, a->bound) != LETHE_RISK_LOW) return false;
        tried = true;
    }
    return tried;
}

/* The headline, and the level of all. */
static const char *headline(lethe_page *p, const answer *a, bool holds, const char *nothing,
                            lethe_risk_level *level)
{
    bool untried = !a->attacked, high = false, raised = false, seen = !lethe_page_undecided(p);
    for (int t = 0; t < LETHE_N_THREATS; t++) {
        untried = untried || a->state[t] == KIND_UNTRIED;
        if (a->state[t] != KIND_TRIED) continue;
        lethe_risk_level one = lethe_risk_judge(a->worst[t].risk, a->bound);
        high = high || one == LETHE_RISK_HIGH;
        raised = raised || one == LETHE_RISK_RAISED;
    }
    bool inferred = (high || raised) && hardly_found(a); // by inference alone, then
    *level = !holds || nothing || high    ? LETHE_RISK_HIGH
             : raised || untried || !seen ? LETHE_RISK_RAISED
                                          : LETHE_RISK_LOW;
    if (!holds) return "It does not keep its promise. It must not be handed out.";
    if (nothing) return lethe_page_format(p, "It %s.", nothing);
    return lethe_page_format(
        p, "It keeps its promise%s%s", seen ? "" : " as far as can be seen",
        inferred && high ? ", and hardly anybody can be found in it, but much "
                           "can be inferred about a person."
        : inferred       ? ", and hardly anybody can be found in it, but "
                           "something can be inferred about a person."
        : high           ? ", but an adversary still succeeds often."
        : raised         ? ", but a risk is not low."
        : !a->attacked && p->in->shape == LETHE_SHAPE_COUNTS
            ? ", and no users are published. Whether an item names a person was not tried."
        : !a->attacked ? ". What an adversary still finds was not tried."
        : untried      ? ". The risk is low as far as it was tried, which is not all."
                       : ", and the risk is low.");
}

void lethe_page_answer(lethe_page *p)
{
    const lethe_json *verdict = lethe_json_get(p->in->manifest, "verdict");
    bool holds = lethe_json_bool(lethe_json_get(verdict, "holds"));
    const char *nothing = lethe_page_nothing_at_all(p, verdict);
    answer a = answer_of(p);
    lethe_risk_level level;
    const char *said = headline(p, &a, holds, nothing, &level);
    lethe_html *h = &p->h;
    lethe_html_begin(h, "div");
    lethe_html_attr_format(h, "class", "answer %s", classes[level]);
    lethe_html_begin(h, "p");
    lethe_html_attr(h, "class", "headline");
    lethe_html_leaf(h, "strong", NULL, lethe_page_format(p, "%s %s", marks[level], said));
    if (holds && nothing)
        lethe_html_words(h, " Every claim below holds, but would hold of nearly any data.");
    lethe_html_end(h);
    lethe_html_begin(h, "ul");
    promise_part(p, holds, nothing);
    for (int t = 0; t < LETHE_N_THREATS; t++)
        kind_part(p, &a, (lethe_threat)t);
    lethe_html_end(h);
    lethe_html_leaf(
        h, "p", "note",
        lethe_page_format(
            p,
            "%sLow risk: at most %s%s%s. Raised: at most %s. High: above. Other adversaries may "
            "know more.",
            a.attacked && !p->in->attack
                ? "The figures about adversaries are the publisher's word. "
                : "",
            share(p, a.bound), one_in(p, a.bound),
            fabs(a.bound - LETHE_RISK_BOUND) < 1e-9
                ? ", which the European Medicines Agency and Health Canada ask for when clinical "
                  "data is published"
                : "",
            share(p, 2 * a.bound)));
    lethe_html_end(h);
}
