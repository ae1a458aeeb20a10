/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - which methods fit an input and a goal, and how they would be called.
 *
 * What a method takes, keeps, promises and needs stands in its row of the table; what is decided
 * here is whether this input has what that needs, and with which steps before and which k and t the
 * method makes sense. */
#include "app/suggest/suggest.h"
#include "app/candidates/candidates.h"
#include "release/shape_ops.h"

static const struct {
    const char *name, *meaning;
} goals[LETHE_N_GOALS] = {
    [LETHE_GOAL_PATTERNS] = {"patterns", "find what occurs together"},
    [LETHE_GOAL_SESSIONS] = {"sessions", "follow what one person asks in a sitting"},
    [LETHE_GOAL_CLICKS] = {"clicks", "learn which results are clicked for a query"},
    [LETHE_GOAL_COUNTS] = {"counts", "count how often something occurs"},
};

typedef struct suggestion {
    const lethe_suggest_options *asked;
    lethe_text_arena *tell;
    const lethe_suggest_facts *facts;
    lethe_goal goal;
    lethe_json_doc *doc;
} suggestion;

/* What comes before the method itself, for the promise it makes is not enough alone. */
typedef enum before {
    NOTHING,
    SCRUB_THEN,           /* and the method is a threshold, or locks rare texts */
    SCRUB_THRESHOLD_THEN, /* texts are published as they are, and nothing else sees to them */
    THRESHOLD_THEN,       /* rare words would make all terms general */
} before;

static bool has_option(const lethe_method *m, const char *name)
{
    for (const lethe_option *o = m->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

static bool sweeps(const lethe_method *m, const char *option)
{
    return m->sweep && strcmp(m->sweep, option) == 0;
}

static before before_of(const lethe_suggest_facts *f, const lethe_method *m)
{
    if (f->shape != LETHE_SHAPE_LOG) return NOTHING;
    if (m->out & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED) && sweeps(m, "t")) return SCRUB_THEN;
    if (m->out & LETHE_SHAPE_LOG && !m->samples) return SCRUB_THRESHOLD_THEN;
    return m->sets && f->t_of_k ? THRESHOLD_THEN : NOTHING;
}

/* --- does it fit? --- */

/* What the goal asks of any input; NULL: it has that. */
static const char *goal_lacks(const suggestion *g)
{
    const lethe_suggest_facts *f = g->facts;
    bool is_log = f->shape == LETHE_SHAPE_LOG;
    if (g->goal == LETHE_GOAL_CLICKS && !is_log) return "only a log has clicks";
    if (g->goal == LETHE_GOAL_CLICKS && f->clicks == 0) return "the log has no clicks";
    if (g->goal != LETHE_GOAL_SESSIONS) return NULL;
    if (f->shape == LETHE_SHAPE_TABLE) return "a table has no sessions";
    if (is_log && !f->has_times) return "the log has no times: sessions cannot be recognized";
    if (is_log && !f->has_several) return "no user has two different queries";
    return NULL;
}

/* Why the method does not fit; NULL: it does. */
static const char *why_not(const suggestion *g, const lethe_method *m)
{
    const lethe_suggest_facts *f = g->facts;
    before b = before_of(f, m);
    bool any = false;
    for (size_t i = 0; i < LETHE_N_GOALS; i++)
        any = any || m->good_for[i];
    if (!(m->in & (unsigned)f->shape))
        return lethe_text_printf(g->tell, "takes %s, but the input is %s", lethe_shape_noun(m->in),
                                 lethe_shape_noun(f->shape));
    if (!any) return "is a preparation step, not a protection by itself";
    if (!m->good_for[g->goal])
        return lethe_text_printf(g->tell, "keeps something else: %s", m->keeps);
    if (goal_lacks(g)) return goal_lacks(g);
    if (g->goal == LETHE_GOAL_SESSIONS && f->shape == LETHE_SHAPE_RECORDS && !m->substitutes)
        return "applies only to logs for this goal";
    if (f->k == 0) return "all data belongs to one person: there is nobody to hide among";
    if (f->shape == LETHE_SHAPE_LOG && f->t == 0 && (b != NOTHING || m->samples) && !m->sets)
        return "no text was issued by two users: nothing would be left";
    if (!m->knowledge) return NULL;
    if (strcmp(m->knowledge, "directory") == 0 && !f->wordnet)
        return "needs a directory of categories: WordNet is not installed (Debian: wordnet-base)";
    if (strcmp(m->knowledge, "taxonomy") != 0 || lethe_suggest_given(g->asked, "taxonomy"))
        return NULL;
    if (!f->wordnet)
        return "needs a taxonomy: WordNet is not installed (Debian: wordnet-base), and no "
               "--taxonomy is given";
    if (f->shape == LETHE_SHAPE_LOG && f->nouns <= 0)
        return "no word of the queries is a noun of WordNet, and no --taxonomy is given";
    if (f->shape == LETHE_SHAPE_RECORDS && f->known < 0.5)
        return lethe_text_printf(
            g->tell,
            "needs --taxonomy, a file that tells what items can be generalized to: "
            "WordNet has %.0f %% of them",
            100 * f->known);
    return NULL;
}

/* --- the command line --- */

/* What lacked memory is found at the end. */
static const char *told(lethe_text_arena *t, const char *line)
{
    t->failed = t->failed || !line;
    return line ? line : "";
}

static const char *append_option(lethe_text_arena *t, const char *line, const char *name,
                                 const char *value)
{
    return told(t, lethe_command_option(t->a, line, name, value));
}

/* To compare meanings takes long: of a large log the first round must do, and brings most. */
static bool refines_little(const lethe_suggest_facts *f, const lethe_method *m)
{
    enum { LARGE = 10000 };
    return m->substitutes && has_option(m, "refine") && f->rows > LARGE;
}

/* The command of the first step, with the input and how it is read. */
static const char *first_step(const suggestion *g, const char *name)
{
    const lethe_suggest_options *s = g->asked;
    return told(g->tell,
                lethe_command_begin(g->tell->a, name, s->inputs, s->n_inputs, &s->reading));
}

/* The method's own options: its numbers, its presets for studies ("m=2 n=0"), what the user gave,
 * and what this shape and goal want besides. */
static const char *append_method_options(const suggestion *g, const char *line,
                                         const lethe_method *m)
{
    const lethe_suggest_facts *f = g->facts;
    const lethe_values *v = g->asked->values;
    lethe_text_arena *t = g->tell;
    bool is_log = f->shape == LETHE_SHAPE_LOG;
    if (sweeps(m, "t")) line = lethe_text_printf(t, "%s -t %llu", line, (unsigned long long)f->t);
    if (sweeps(m, "k") || sweeps(m, "theta"))
        line = lethe_text_printf(t, "%s -k %llu", line, (unsigned long long)f->k);
    if (has_option(m, "theta") && f->theta) line = append_option(t, line, "theta", f->theta);
    if (sweeps(m, "theta") && f->theta && f->several && has_option(m, "suppress"))
        line = append_option(t, line, "suppress", "allRec"); // the default is for one column
    for (const char *preset = m->compare; preset && *preset;) {
        size_t n = strcspn(preset, " "), eq = strcspn(preset, "=");
        line = lethe_text_printf(t, "%s %s%.*s %.*s", line, eq > 1 ? "--" : "-", (int)eq, preset,
                                 (int)(n - eq - 1), preset + eq + 1);
        preset += n + (preset[n] == ' ');
    }
    for (size_t i = 0; v && i < v->n; i++) {
        const char *text = lethe_suggest_given(g->asked, v->table[i].name);
        if (text && has_option(m, v->table[i].name))
            line = append_option(t, line, v->table[i].name, text);
    }
    if (refines_little(f, m)) line = lethe_text_printf(t, "%s --refine 1", line);
    if (is_log && m->substitutes && has_option(m, "gap"))
        line = lethe_text_printf(t, "%s --gap 1h", line);
    if (is_log && !m->substitutes && has_option(m, "distinct"))
        line = lethe_text_printf(t, "%s --distinct", line);
    if (sweeps(m, "by") && g->goal == LETHE_GOAL_SESSIONS)
        line = lethe_text_printf(t, "%s --by gap", line);
    if (f->shape == LETHE_SHAPE_RECORDS && has_option(m, "taxonomy") &&
        !lethe_suggest_given(g->asked, "taxonomy"))
        line = lethe_text_printf(t, "%s --taxonomy wordnet", line);
    if (f->ranges && has_option(m, "ranges")) line = append_option(t, line, "ranges", f->ranges);
    return line;
}

static const char *command_of(const suggestion *g, const lethe_method *m)
{
    const lethe_suggest_facts *f = g->facts;
    lethe_text_arena *t = g->tell;
    const char *line;
    switch (before_of(f, m)) {
    case SCRUB_THEN:
        line = lethe_text_printf(t, "%s --then %s", first_step(g, "scrub"), m->name);
        break;
    case SCRUB_THRESHOLD_THEN:
        // who leaves out clicks cannot follow a threshold that has counted them
        line =
            lethe_text_printf(t, "%s --then threshold -t %llu%s --then %s", first_step(g, "scrub"),
                              (unsigned long long)f->t, m->renames ? "" : " --clicks all", m->name);
        break;
    case THRESHOLD_THEN:
        line = lethe_text_printf(t, "%s -t %llu --then %s", first_step(g, "threshold"),
                                 (unsigned long long)f->t_of_k, m->name);
        break;
    default:
        line = first_step(g, m->name);
        break;
    }
    return lethe_text_printf(t, "%s -o release-%s", append_method_options(g, line, m), m->name);
}

/* --- reasons --- */

static void push(const suggestion *g, lethe_json *list, const char *text)
{
    lethe_json_push(g->doc, list, lethe_json_new_text(g->doc, lethe_str_of(text)));
}

static void log_reasons(const suggestion *g, const lethe_method *m, lethe_json *list)
{
    const lethe_suggest_facts *f = g->facts;
    lethe_text_arena *t = g->tell;
    before b = before_of(f, m);
    bool scrubs = b == SCRUB_THEN || b == SCRUB_THRESHOLD_THEN;
    if (scrubs)
        push(g, list,
             lethe_text_printf(
                 t,
                 "%.1f %% of the users have a query that nobody else issued; with t = %llu, "
                 "%.1f %% of the queries (%llu texts) %s",
                 100 * f->alone, (unsigned long long)f->t, 100 * f->left,
                 (unsigned long long)f->left_texts,
                 m->out & LETHE_SHAPE_SEALED ? "can be opened" : "remain"));
    if (scrubs && f->left < 0.1)
        push(g, list, "that is little: a larger log, or one about fewer subjects, leaves more");
    if (scrubs && f->personal)
        push(g, list,
             lethe_text_printf(
                 t, "up to %llu queries contain what looks like personal data: scrub masks it",
                 (unsigned long long)f->personal));
    if (b == THRESHOLD_THEN)
        push(g, list,
             lethe_text_printf(t,
                               "only queries of %llu users or more are used: rarer words would %s",
                               (unsigned long long)f->t_of_k,
                               m->knowledge ? "make all terms general" : "be left out anyway"));
    if (m->knowledge && !lethe_suggest_given(g->asked, "taxonomy"))
        push(g, list,
             lethe_text_printf(t, "%.1f %% of the words are nouns of WordNet; others do not count",
                               100 * f->nouns));
}

static lethe_json *reasons_of(const suggestion *g, const lethe_method *m)
{
    const lethe_suggest_facts *f = g->facts;
    lethe_json *list = lethe_json_array(g->doc);
    const char *word = f->shape == LETHE_SHAPE_LOG       ? "users"
                       : f->shape == LETHE_SHAPE_RECORDS ? "persons"
                                                         : "rows";
    if (f->shape == LETHE_SHAPE_LOG) log_reasons(g, m, list);
    if (f->shape == LETHE_SHAPE_TABLE) {
        if (f->top > 0 && f->theta && has_option(m, "theta"))
            push(g, list,
                 lethe_text_printf(g->tell,
                                   "the most common sensitive value has %.1f %% of the rows: theta "
                                   "%s limits its share in every group",
                                   100 * f->top, f->theta));
        if (f->top > 0 && !f->theta)
            push(g, list,
                 "the sensitive column has one value, or nearly so: nothing can be hidden in it");
        if (f->top <= 0)
            push(g, list,
                 "no sensitive column is given (--sa): values that all rows of a group share are "
                 "disclosed");
        if (f->ranges) push(g, list, "columns of numbers have no hierarchy: ranges make one");
        if (f->bare)
            push(g, list,
                 lethe_text_printf(g->tell,
                                   "'%s' has no hierarchy, so that its values are kept or starred: "
                                   "'lethe hierarchy' writes one, for --hierarchies",
                                   f->bare));
    }
    if (refines_little(f, m))
        push(g, list, "groups are refined once: more rounds are slightly better, but slow");
    if (has_option(m, "k"))
        push(g, list,
             lethe_text_printf(g->tell, "k = %llu among %llu %s", (unsigned long long)f->k,
                               (unsigned long long)f->persons, word));
    return list;
}

/* --- all methods, for one goal --- */

/* How well it does on this input: its row's word for it, less where the input suits it badly. */
static unsigned grade(const suggestion *g, const lethe_method *m)
{
    const lethe_suggest_facts *f = g->facts;
    unsigned grade = m->good_for[g->goal];
    if (f->shape != LETHE_SHAPE_LOG) return grade;
    bool bad = m->sets || (m->knowledge && f->nouns < 0.25) ||
               (before_of(f, m) != NOTHING && !m->sets && f->left < 0.1);
    return bad && grade > 1 ? grade - 1 : grade;
}

static lethe_json *fit_json(const suggestion *g, const lethe_method *m)
{
    lethe_json *o = lethe_json_object(g->doc);
    // without thresholds for a sensitive column, groups of k are what is promised
    const char *notion = sweeps(m, "theta") && !g->facts->theta ? "k-anonymity" : m->notion,
               *promise = "";
    for (const lethe_notion *const *n = lethe_notions(); *n; n++)
        if (strcmp((*n)->name, notion) == 0) promise = (*n)->holds;
    lethe_set_text(g->doc, o, "method", m->name);
    lethe_set_text(g->doc, o, "summary", m->summary);
    lethe_set_text(g->doc, o, "keeps", m->keeps);
    lethe_set_text(g->doc, o, "notion", notion);
    lethe_set_text(g->doc, o, "promise", promise);
    lethe_json_set(g->doc, o, "reasons", reasons_of(g, m));
    if (m->caveats && m->caveats[0]) lethe_set_text(g->doc, o, "caveat", m->caveats[0]);
    lethe_set_text(g->doc, o, "command", command_of(g, m));
    return o;
}

/* Equals stay in the order of the table. */
static lethe_json *goal_json(const suggestion *g, bool *any)
{
    lethe_json *o = lethe_json_object(g->doc), *fits = lethe_json_array(g->doc),
               *others = lethe_json_array(g->doc);
    for (unsigned wanted = 3; wanted > 0; wanted--)
        for (const lethe_method *const *m = lethe_methods(); *m; m++)
            if (grade(g, *m) == wanted && !why_not(g, *m)) {
                lethe_json_push(g->doc, fits, fit_json(g, *m));
                *any = true;
            }
    for (const lethe_method *const *m = lethe_methods(); *m; m++) {
        const char *why = why_not(g, *m);
        if (!why) continue;
        lethe_json *other = lethe_json_object(g->doc);
        lethe_set_text(g->doc, other, "method", (*m)->name);
        lethe_set_text(g->doc, other, "why", why);
        lethe_json_push(g->doc, others, other);
    }
    lethe_set_text(g->doc, o, "goal", goals[g->goal].name);
    lethe_set_text(g->doc, o, "meaning", goals[g->goal].meaning);
    const char *lacks = goal_lacks(g);
    if (lacks) lethe_set_text(g->doc, o, "lacks", lacks);
    lethe_json_set(g->doc, o, "fits", fits);
    lethe_json_set(g->doc, o, "others", others);
    return o;
}

static lethe_err suggest(lethe_ctx *ctx, const lethe_suggest_options *s, lethe_text_arena *t,
                         lethe_json_doc *doc, lethe_json *report)
{
    lethe_suggest_facts facts;
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_json *list = lethe_json_array(doc), *metrics = lethe_json_object(doc);
    bool any = false;
    lethe_json_set(doc, report, "metrics", metrics);
    LETHE_TRY(lethe_suggest_facts_gather(ctx, s, t, doc, report, metrics, &facts));
    for (unsigned i = 0; i < LETHE_N_GOALS; i++) {
        suggestion g = {.asked = s, .tell = t, .facts = &facts, .goal = (lethe_goal)i, .doc = doc};
        if (!s->has_goal || s->goal == g.goal) lethe_json_push(doc, list, goal_json(&g, &any));
    }
    lethe_json_set(doc, metrics, "goals", list);
    if (t->failed || lethe_json_failed(doc)) return lethe_no_memory(d);
    return any ? LETHE_OK : lethe_fail(d, LETHE_ANSWER_NO, "no method fits this input");
}

lethe_err lethe_suggest(lethe_ctx *ctx, const lethe_suggest_options *s, lethe_json_doc *doc,
                        lethe_json **report)
{
    lethe_json *r = lethe_json_object(doc), *parameters = lethe_json_object(doc);
    lethe_text_arena t = {.a = lethe_arena_new()};
    lethe_set_text(doc, r, "command", "suggest");
    lethe_reading_json(doc, parameters, &s->reading);
    if (s->has_goal) lethe_set_text(doc, parameters, "goal", goals[s->goal].name);
    lethe_json_set(doc, r, "parameters", parameters);
    *report = r;
    const lethe_work work = {.name = "suggest"}, waits = lethe_ctx_begin_work(ctx, &work);
    lethe_err e = t.a ? suggest(ctx, s, &t, doc, r) : lethe_no_memory(ctx);
    lethe_ctx_begin_work(ctx, &waits);
    lethe_arena_free(t.a);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
