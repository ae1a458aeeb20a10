/* SPDX-License-Identifier: Apache-2.0 */
/* linking.c - an adversary who has a table of persons with their quasi-identifiers (a register of
 * voters, a list of members) and looks each of them up.
 *
 * Before, candidates are the rows of the original with the person's own values; after, the
 * published rows each of whose quasi-identifiers is the person's value or stands above it.
 * Published values stand apart, so these are the rows of one group, or none.  The best guess at the
 * person's sensitive value is the commonest among the candidates, and its share is how sure one may
 * be of it (Liu 2010, section 3.1.1): a starred row counts among the candidates, and shows no
 * value.
 *
 * With vioSA a value is starred in all rows of a group or in none.  So where a group shows all
 * values that there are but one, its stars are that one: it is counted as if it were shown.
 *
 * Who finds nothing, or stars alone, guesses the commonest value of the published table.  Where
 * there is no sensitive column, it is guessed which row is the person's.
 *
 * The worst case is who knows the quasi-identifiers of everybody in the original, and so it is
 * where no table is given. */
#include "attack/attack.h"
#include "attack/external.h"
#include "model/table/table_beside.h"
#include <math.h>
#include <stdlib.h>

/* Groups of candidates. */
struct groups {
    uint32_t n;
    uint64_t *size;  /* rows; */
    uint64_t *most;  /* those with the commonest value, or 1 where there is no sensitive column; */
    uint64_t *shown; /* those that show their value; likewise */
    uint32_t *kinds; /* different values shown */
    uint64_t *in;    /* persons who would be found there */
};

struct table_lookup {
    lethe_comparison *c;
    const lethe_table *original;
    lethe_table_beside *b;
    lethe_arena *arena;
    lethe_external persons;
    lethe_dict *keys;     /* of the original: groups by their leaves */
    struct groups before; /* rows of the original with equal values */
    struct groups after;  /* published ones */
    bool *revealed;       /* by published group: its stars are one value */
    double commonest;     /* the share of the commonest value */
    double baseline;
};

/* --- groups --- */

/* How many of the `n` rows are in each group, and how often each value of `value` is there;
 * `starred` is none. */
static lethe_err groups_fill(const struct table_lookup *a, size_t n, const uint32_t *group,
                             uint32_t n_groups, const uint32_t *value, uint32_t starred,
                             struct groups *g)
{
    g->n = n_groups;
    g->size = lethe_new(a->arena, uint64_t, (size_t)n_groups + 1);
    g->most = lethe_new(a->arena, uint64_t, (size_t)n_groups + 1);
    g->shown = lethe_new(a->arena, uint64_t, (size_t)n_groups + 1);
    g->kinds = lethe_new(a->arena, uint32_t, (size_t)n_groups + 1);
    g->in = lethe_new(a->arena, uint64_t, (size_t)n_groups + 1);
    if (!g->size || !g->most || !g->shown || !g->kinds || !g->in) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < n; i++)
        g->size[group[i]]++;
    for (uint32_t i = 0; i < g->n && !value; i++)
        g->most[i] = g->shown[i] = 1;
    if (!value) return LETHE_OK;
    const uint32_t *column[2] = {group, value};
    uint32_t *of = NULL, n_pairs = 0;
    lethe_dict *keys = lethe_dict_new();
    lethe_err e =
        keys ? lethe_rows_group(a->arena, keys, n, column, 2, &of, &n_pairs) : LETHE_ENOMEM;
    lethe_dict_free(keys);
    uint64_t *often = e == LETHE_OK ? lethe_new(a->arena, uint64_t, (size_t)n_pairs + 1) : NULL;
    if (!often) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < n; i++) {
        if (value[i] == starred) continue;
        g->kinds[group[i]] += often[of[i]]++ == 0;
        g->shown[group[i]]++;
        g->most[group[i]] = LETHE_MAX(g->most[group[i]], often[of[i]]);
    }
    return LETHE_OK;
}

static lethe_err groups_after(struct table_lookup *a)
{
    const lethe_table_beside *b = a->b;
    struct groups *g = &a->after;
    a->revealed = lethe_new(a->arena, bool, (size_t)b->n_groups + 1);
    if (!a->revealed) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(groups_fill(a, b->published->n, b->group, b->n_groups, b->sa ? b->sa->code : NULL,
                          b->starred, g));
    const lethe_json *step = lethe_json_at(lethe_json_get(a->c->published->manifest, "steps"), 0);
    lethe_str suppress =
        lethe_json_text(lethe_json_get(lethe_json_get(step, "parameters"), "suppress"));
    // with vioSA every row of a value in a group is starred, or none
    if (!b->sa || !lethe_str_eq(suppress, LETHE_LIT("vioSA"))) return LETHE_OK;
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t stars = g->size[i] - g->shown[i];
        a->revealed[i] =
            stars > 0 && (uint64_t)g->kinds[i] + 1 == lethe_dict_count(a->original->sa->values);
        if (!a->revealed[i]) continue;
        g->most[i] = LETHE_MAX(g->most[i], stars);
        g->shown[i] = g->size[i];
    }
    return LETHE_OK;
}

/* Counts persons by the groups that they would be found in; and those with a value of nowhere. */
static uint64_t persons_find(struct table_lookup *a)
{
    size_t n_qi = a->original->n_qi;
    uint32_t leaf[LETHE_QI_MAX], before, after;
    uint64_t unknown = 0;
    for (size_t i = 0; i < a->persons.n; i++) {
        bool is_known = true;
        for (size_t k = 0; k < n_qi; k++) {
            leaf[k] = a->persons.leaf[k][i];
            is_known = is_known && leaf[k] != LETHE_NONE;
        }
        unknown += !is_known;
        if (!is_known) continue;
        before = lethe_dict_find(a->keys, (lethe_str){(const char *)leaf, n_qi * sizeof *leaf});
        after = lethe_beside_group(a->b, leaf);
        if (before != LETHE_NONE) a->before.in[before]++;
        if (after != LETHE_NONE) a->after.in[after]++;
    }
    return unknown;
}

/* --- the answer --- */

struct summary {
    uint64_t linked, unique, certain; /* persons */
    double mean, median, confidence;  /* over those who have a candidate */
};

static int by_size(const void *a, const void *b, void *arg)
{
    const struct groups *g = arg;
    uint64_t x = g->size[*(const uint32_t *)a], y = g->size[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* The size of the group of the person who comes at this place, in the order of such sizes; `order`
 * has the groups in that order. */
static double size_at(const struct groups *g, const uint32_t *order, uint64_t place)
{
    uint32_t i = 0;
    for (; place >= g->in[order[i]]; i++)
        place -= g->in[order[i]];
    return (double)g->size[order[i]];
}

static lethe_err summarize(const struct table_lookup *a, struct groups *g, struct summary *out)
{
    struct summary s = {.mean = NAN, .median = NAN, .confidence = NAN};
    double candidates = 0, confidence = 0;
    uint32_t *order = lethe_new(a->arena, uint32_t, (size_t)g->n + 1);
    if (!order) return lethe_no_memory(a->c->ctx);
    for (uint32_t i = 0; i < g->n; i++) {
        double in = (double)g->in[i], size = (double)g->size[i];
        order[i] = i;
        s.linked += g->in[i];
        s.unique += g->size[i] == 1 ? g->in[i] : 0;
        s.certain += g->most[i] == g->size[i] ? g->in[i] : 0;
        candidates += in * size;
        confidence += in * (double)g->most[i] / size;
    }
    qsort_r(order, g->n, sizeof *order, by_size, g);
    if (s.linked > 0) {
        s.median = (size_at(g, order, (s.linked - 1) / 2) + size_at(g, order, s.linked / 2)) / 2;
        s.mean = candidates / (double)s.linked;
        s.confidence = confidence / (double)s.linked;
    }
    *out = s;
    return LETHE_OK;
}

static void summary_set(lethe_json_doc *doc, lethe_json *out, const char *name,
                        const struct summary *s, double persons)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "unique", (double)s->unique / persons);
    lethe_set_real(doc, o, "candidates_mean", s->mean);
    lethe_set_real(doc, o, "candidates_median", s->median);
    lethe_set_real(doc, o, "confidence", s->confidence);
    lethe_set_real(doc, o, "certain", (double)s->certain / persons);
    lethe_json_set(doc, out, name, o);
}

/* How often the best guess is right: the commonest value of the person's group, or of all. */
static double success_of(const struct table_lookup *a, const struct groups *g)
{
    uint64_t guessed = a->persons.n; // those for whom no group shows a value
    double sum = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->shown[i] == 0) continue;
        sum += (double)g->in[i] * (double)g->most[i] / (double)g->size[i];
        guessed -= g->in[i];
    }
    return (sum + (double)guessed * a->commonest) / (double)a->persons.n;
}

/* --- the whole --- */

/* Reads the release and the persons, and groups the rows of both tables. */
static lethe_err lookup_open(struct table_lookup *a)
{
    a->arena = lethe_arena_new();
    if (!a->arena) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(lethe_table_beside_open(a->c->published, a->original, &a->b));
    const lethe_table *t = a->original;
    const lethe_value *file = lethe_value_of(a->c->values, "external");
    const uint32_t **leaf = lethe_new(a->arena, const uint32_t *, t->n_qi);
    uint32_t *of, n_before;
    a->keys = lethe_dict_new();
    if (!leaf || !a->keys) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < t->n_qi; i++)
        leaf[i] = t->qi[i].leaf;
    a->persons = (lethe_external){.n = t->n, .leaf = leaf};
    if (file->present)
        LETHE_TRY(lethe_external_read(a->c->ctx, file->text, t, a->arena, &a->persons));
    if (lethe_rows_group(a->arena, a->keys, t->n, leaf, t->n_qi, &of, &n_before) != LETHE_OK)
        return lethe_no_memory(a->c->ctx);
    LETHE_TRY(
        groups_fill(a, t->n, of, n_before, t->sa ? t->sa->code : NULL, LETHE_NONE, &a->before));
    return groups_after(a);
}

static lethe_err attack_run(struct table_lookup *a, lethe_json_doc *doc, lethe_json *out)
{
    LETHE_TRY(lookup_open(a));
    /* The share of the commonest value in the published table, which is the guess for those who are
     * not found; and the chance that a row chosen at random has the value of another.  Where
     * nothing is sensitive, both are the share of a row. */
    const lethe_table_beside *b = a->b;
    assert(b);
    size_t n = b->published->n;
    a->commonest = a->baseline = n > 0 ? 1 / (double)n : NAN;
    if (b->sa && n != 0) {
        uint32_t n_values = lethe_dict_count(b->sa->values);
        uint64_t *often = lethe_new(a->arena, uint64_t, (size_t)n_values + 1);
        if (!often) return lethe_no_memory(a->c->ctx);
        for (size_t i = 0; i < n; i++)
            often[b->sa->code[i]]++;
        double most = 0, same = 0;
        for (uint32_t v = 0; v < n_values; v++) {
            double times = v == b->starred ? 0 : (double)often[v];
            most = LETHE_MAX(most, times);
            same += times * times;
        }
        a->commonest = most / (double)n;
        a->baseline = same / ((double)n * (double)n);
    }
    uint64_t unknown = persons_find(a);
    double persons = (double)a->persons.n;
    uint64_t revealed = 0;
    struct summary before = {0}, after = {0};
    LETHE_TRY(summarize(a, &a->before, &before));
    LETHE_TRY(summarize(a, &a->after, &after));
    for (uint32_t i = 0; i < a->after.n; i++)
        revealed += a->revealed[i] && a->after.shown[i] > 0 ? a->after.in[i] : 0;
    lethe_set_real(doc, out, "success", success_of(a, &a->after));
    lethe_set_real(doc, out, "before", success_of(a, &a->before));
    lethe_set_real(doc, out, "baseline", a->baseline);
    lethe_set_real(doc, out, "commonest", a->commonest);
    lethe_set_count(doc, out, "persons", a->persons.n);
    lethe_set_count(doc, out, "unknown", unknown);
    lethe_set_real(doc, out, "linked", (double)after.linked / persons);
    summary_set(doc, out, "candidates_before", &before, persons);
    summary_set(doc, out, "candidates_after", &after, persons);
    if (a->b->sa) lethe_set_real(doc, out, "revealed", (double)revealed / persons);
    lethe_set_text(doc, out, "meaning", lethe_adversary_linking.meaning);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct table_lookup a = {.c = c, .original = c->original.table};
    lethe_ctx_phase(c->ctx, "looking for persons", 0);
    lethe_err e = attack_run(&a, doc, out);
    lethe_table_beside_free(a.b);
    lethe_dict_free(a.keys);
    lethe_arena_free(a.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "external",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for tables: persons as a CSV file with the quasi-identifiers, as they are in the "
             "original; without it, all persons of the original"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_linking = {
    .name = "linking",
    .summary = "what does a table tell anyone who knows the quasi-identifiers of persons?",
    .shapes = LETHE_SHAPE_TABLE,
    .options = options,
    .meaning = "how often the best guess at a person's sensitive value (without a sensitive "
               "column: at the person's row) is right, for an adversary who knows the "
               "quasi-identifiers of all persons; before: in the original; baseline: the value of "
               "a published row chosen at random",
    .run = run,
};
