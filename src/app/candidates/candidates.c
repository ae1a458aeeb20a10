/* SPDX-License-Identifier: Apache-2.0 */
/* candidates.c - the table of chains, and how one of them becomes a run. */
#include "app/candidates/candidates.h"

enum {
    PATTERNS = 1 << LETHE_GOAL_PATTERNS,
    SESSIONS = 1 << LETHE_GOAL_SESSIONS,
    CLICKS = 1 << LETHE_GOAL_CLICKS,
    COUNTS = 1 << LETHE_GOAL_COUNTS,
    LOG = LETHE_SHAPE_LOG,
    RECORDS = LETHE_SHAPE_RECORDS,
    TABLE = LETHE_SHAPE_TABLE,
    WORDNET = LETHE_NEEDS_WORDNET,
    TIMES = LETHE_NEEDS_TIMES,
    TAXONOMY = LETHE_NEEDS_TAXONOMY,
};

/* Of a log, personal data is masked first, always (microagg does so itself).  Rare texts are left
 * out before anything is generalized or split, because one rare word makes all words of its group
 * general, and a rare text finds its user in any persona.  What is fast comes first: time may be
 * short.  Rows for no goal: after scrub alone nearly everybody is found; disconnect protects sites,
 * not users; seal publishes sealed texts; mog and aa leave no more of whole histories than og does.
 */
// clang-format off
static const lethe_candidate candidates[] = {
    {"scrub", "scrub", LOG, 0, 0},
    {"scrub > threshold t=T", "threshold t=T", LOG, WORDNET, PATTERNS | SESSIONS | CLICKS | COUNTS},
    {"scrub > threshold t=T as=counts", "counts t=T", LOG, WORDNET, COUNTS},
    {"scrub > threshold t=T > split by=day", "split t=T by=day", LOG, WORDNET | TIMES, PATTERNS | SESSIONS | CLICKS},
    {"scrub > threshold t=T > split by=gap gap=1h", "split t=T 1h", LOG, WORDNET | TIMES, PATTERNS | SESSIONS | CLICKS},
    {"scrub > threshold t=T > split by=interest", "split t=T by=interest", LOG, WORDNET | LETHE_NEEDS_CLICKS, PATTERNS | SESSIONS | CLICKS},
    {"scrub > threshold t=T > split by=query", "split t=T by=query", LOG, WORDNET | TIMES, CLICKS | COUNTS},
    {"scrub > threshold t=T clicks=all > disconnect rank=best", "disconnect t=T", LOG, WORDNET | LETHE_NEEDS_CLICKS, 0},
    {"scrub > seal t=T", "seal t=T", LOG, 0, 0},
    {"microagg k=K", "microagg k=K", LOG, WORDNET, PATTERNS},
    {"scrub > threshold t=K > og k=K distinct", "og k=K", LOG, WORDNET, PATTERNS | COUNTS},
    {"scrub > threshold t=K > mog k=K distinct", "mog k=K", LOG, WORDNET, 0},
    {"scrub > threshold t=K > aa k=K distinct", "aa k=K", LOG, WORDNET, 0},
    {"scrub > threshold t=K > mm k=K distinct", "mm k=K", LOG, WORDNET, PATTERNS | COUNTS},
    {"scrub > threshold t=K > clump k=K gap=1h distinct", "clump k=K 1h", LOG, WORDNET | TIMES, PATTERNS},
    {"scrub > threshold t=K > partition k=K gap=1h distinct", "partition k=K 1h", LOG, WORDNET | TIMES, PATTERNS},
    {"scrub > ssg k=K gap=1h refine=1", "ssg k=K 1h", LOG, WORDNET | TIMES, PATTERNS | SESSIONS},

    {"og k=K", "og k=K", RECORDS, TAXONOMY, PATTERNS | COUNTS},
    {"og k=K m=3", "og k=K m=3", RECORDS, TAXONOMY, PATTERNS | COUNTS},
    {"mm k=K", "mm k=K", RECORDS, 0, PATTERNS | COUNTS},
    {"mm k=K p=3", "mm k=K p=3", RECORDS, 0, PATTERNS | COUNTS},
    {"clump k=K", "clump k=K", RECORDS, TAXONOMY, PATTERNS},
    {"partition k=K", "partition k=K", RECORDS, TAXONOMY, PATTERNS},
    {"ssg k=K", "ssg k=K", RECORDS, TAXONOMY, PATTERNS | SESSIONS},

    {"lplus k=K", "lplus k=K", TABLE, LETHE_NEEDS_INSENSITIVE, PATTERNS | COUNTS},
    {"lplus k=K theta=F", "lplus k=K theta=F", TABLE, LETHE_NEEDS_SENSITIVE, PATTERNS | COUNTS},
    {"local k=K", "local k=K", TABLE, LETHE_NEEDS_INSENSITIVE, PATTERNS | COUNTS},
    {"local k=K theta=F", "local k=K theta=F", TABLE, LETHE_NEEDS_SENSITIVE, PATTERNS | COUNTS},
    {0},
};
// clang-format on

const lethe_candidate *lethe_candidates(void) { return candidates; }

/* --- from a row of the table to a run --- */

static const char *letter_value(char letter, lethe_letters v)
{
    return letter == 'K' ? v.k : letter == 'T' ? v.t : letter == 'F' ? v.theta : NULL;
}

/* Is it a letter that stands for a value: after '=', at the end of a word? */
static bool is_letter(const char *s, const char *at)
{
    return at > s && at[-1] == '=' && (at[1] == '\0' || at[1] == ' ') && strchr("KTF", *at);
}

bool lethe_candidate_has(const lethe_candidate *c, char letter)
{
    for (const char *s = c->steps; *s; s++)
        if (*s == letter && is_letter(c->steps, s)) return true;
    return false;
}

/* "split t=T by=gap" with its letters replaced; NULL: no memory. */
static char *label_of(lethe_arena *a, const lethe_candidate *c, lethe_letters v)
{
    char *out = lethe_arena_printf(a, "%s", "");
    for (const char *s = c->label; out && *s;) {
        size_t n = strcspn(s, "KTF");
        bool letter = s[n] && is_letter(c->label, s + n);
        const char *value = letter ? letter_value(s[n], v) : NULL;
        if (!letter && s[n]) n++;
        out = lethe_arena_printf(a, "%s%.*s%s", out, (int)n, s, value ? value : "");
        s += n + letter;
    }
    return out;
}

/* The next word before a space, and what follows it. */
static lethe_str word_take(const char **s)
{
    *s += strspn(*s, " ");
    lethe_str w = {*s, strcspn(*s, " ")};
    *s += w.n;
    return w;
}

/* "t=T", "by=gap" or "distinct". */
static lethe_err setting_parse(lethe_diag *d, lethe_arena *a, lethe_str word, lethe_letters v,
                               lethe_setting *out)
{
    const char *eq = memchr(word.at, '=', word.n);
    size_t n = eq ? (size_t)(eq - word.at) : word.n;
    lethe_str value = eq ? (lethe_str){eq + 1, word.n - n - 1} : (lethe_str){"", 0};
    bool letter = value.n == 1 && strchr("KTF", value.at[0]);
    out->option = lethe_arena_dup(a, (lethe_str){word.at, n});
    out->value = letter ? letter_value(value.at[0], v) : lethe_arena_dup(a, value);
    return out->option && (letter || out->value) ? LETHE_OK : lethe_no_memory(d);
}

lethe_err lethe_candidate_run(lethe_diag *d, lethe_arena *a, const lethe_candidate *c,
                              lethe_letters v, lethe_planned_run *out)
{
    *out = (lethe_planned_run){.goals = c->goals, .needs = c->needs};
    lethe_planned_step *step = NULL;
    for (const char *s = c->steps; *s;) {
        lethe_str word = word_take(&s);
        if (!step) {
            assert(out->n_steps < LETHE_CANDIDATE_STEPS); // a row of our own table
            step = &out->step[out->n_steps++];
            char *name = lethe_arena_dup(a, word);
            if (!name) return lethe_no_memory(d);
            out->method = step->method = lethe_method_find(name);
            assert(step->method);
        } else if (word.n == 1 && word.at[0] == '>') {
            step = NULL;
        } else {
            assert(step->n_settings < LETHE_CANDIDATE_SETTINGS);
            lethe_setting *setting = &step->setting[step->n_settings];
            LETHE_TRY(setting_parse(d, a, word, v, setting));
            if (setting->value) step->n_settings++;
        }
    }
    if (lethe_candidate_has(c, 'K')) out->varied[out->n_varied++] = (lethe_setting){"k", v.k};
    if (lethe_candidate_has(c, 'T')) out->varied[out->n_varied++] = (lethe_setting){"t", v.t};
    if (lethe_candidate_has(c, 'F') && v.theta)
        out->varied[out->n_varied++] = (lethe_setting){"theta", v.theta};
    out->label = label_of(a, c, v);
    return out->label ? LETHE_OK : lethe_no_memory(d);
}

unsigned lethe_method_goals(const lethe_method *m)
{
    unsigned goals = 0;
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
        if (m->good_for[g] > 0) goals |= 1U << g;
    return goals ? goals : (1U << LETHE_N_GOALS) - 1;
}

lethe_err lethe_plan_add(lethe_diag *d, lethe_arena *a, lethe_plan *plan, lethe_planned_run run)
{
    lethe_planned_run *at =
        lethe_arena_grow(a, plan->at, plan->n * sizeof *at, (plan->n + 1) * sizeof *at);
    char *name = lethe_arena_dup(a, lethe_str_of(run.label));
    if (!at || !name) return lethe_no_memory(d);
    plan->at = at;
    // safe as a file's name, whatever the value: "k=5" becomes "-k5", and 1/3 becomes 1_3
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    char *to = name;
    for (const char *c = run.label; *c; c++) {
        bool digit = c[1] >= '0' && c[1] <= '9';
        if (*c == ' ')
            *to++ = '-';
        else if (*c != '=' || !digit)
            *to++ = *c == '=' ? '-' : strchr(fine, *c) ? *c : '_';
    }
    *to = '\0';
    for (size_t i = 0; i < plan->n; i++)
        assert(strcmp(at[i].name, name) != 0); // values differ, and so do their forms
    run.name = name;
    at[plan->n++] = run;
    return LETHE_OK;
}

/* --- the options of a run --- */

static lethe_err value_set(lethe_diag *d, lethe_values *v, const char *name, const char *text)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->table[i].name, name) == 0) return lethe_values_set(v, i, text, d);
    return LETHE_OK;
}

/* Further options for studies, of the method's own row: "m=2 n=0". */
static lethe_err presets_set(lethe_diag *d, lethe_arena *a, const lethe_method *m, lethe_values *v)
{
    for (const char *preset = m->compare; preset && *preset;) {
        lethe_setting s;
        LETHE_TRY(setting_parse(d, a, word_take(&preset), (lethe_letters){0}, &s));
        LETHE_TRY(value_set(d, v, s.option, s.value));
    }
    return LETHE_OK;
}

bool lethe_is_for_steps(const char *name)
{
    static const char *const own[] = {"k",    "t",    "theta", "methods", "output",
                                      "goal", "risk", "least", "within",  "all"};
    for (size_t i = 0; i < LETHE_COUNT(own); i++)
        if (strcmp(own[i], name) == 0) return false;
    return true;
}

bool lethe_step_takes(const lethe_step *step, const char *name)
{
    const lethe_value *by = lethe_value_find(&step->values, "by");
    const char *way = by ? by->text : NULL;
    if (strcmp(name, "results") != 0 || strcmp(step->method->name, "split") != 0) return true;
    return way && strcmp(way, "interest") == 0;
}

static lethe_err step_values(lethe_diag *d, lethe_arena *a, const lethe_planned_step *step,
                             const lethe_values *given, lethe_values *out)
{
    const lethe_option *table = step->method->options;
    lethe_value *at = lethe_new(a, lethe_value, lethe_option_count(table) + 1);
    if (!at) return lethe_no_memory(d);
    lethe_values_init(out, table, at);
    LETHE_TRY(presets_set(d, a, step->method, out));
    for (size_t i = 0; i < step->n_settings; i++)
        LETHE_TRY(value_set(d, out, step->setting[i].option, step->setting[i].value));
    for (size_t i = 0; given && i < given->n; i++) {
        const lethe_value *value = &given->at[i];
        const lethe_step so_far = {.method = step->method, .values = *out};
        if (!value->given || !lethe_is_for_steps(given->table[i].name) ||
            !lethe_step_takes(&so_far, given->table[i].name))
            continue;
        LETHE_TRY(value_set(d, out, given->table[i].name, value->text ? value->text : ""));
    }
    return lethe_values_check(out, step->method->name, d);
}

lethe_err lethe_run_steps(lethe_diag *d, lethe_arena *a, const lethe_planned_run *run,
                          const lethe_values *values, lethe_step out[LETHE_CANDIDATE_STEPS])
{
    for (size_t i = 0; i < run->n_steps; i++) {
        out[i].method = run->step[i].method;
        LETHE_TRY(step_values(d, a, &run->step[i], values, &out[i].values));
    }
    return LETHE_OK;
}
