/* SPDX-License-Identifier: Apache-2.0 */
/* homogeneity.c - what a group tells of a person who is known to be in it.
 *
 * k-anonymity hides which record of a group is a person's, not what its records have in common: A.
 * Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam, "l-diversity: privacy beyond
 * k-anonymity", ICDE 2006 (homogeneity attack); Liu 2010, section 2.1.  What the adversary knows:
 *
 *   records  where they are published in groups of equal ones and a map tells whose, the group;
 *            else M items of the person (attack/homogeneity/records.c)
 *   lists    of `microagg`: the group (attack/homogeneity/lists.c)
 *   tables   the group, that is the published quasi-identifiers of the person's row
 *
 * and he names something that he does not know: of a table, the commonest value of a column in the
 * group; of the others, an item that most of the candidates show, by one of two strategies the
 * commonest such item of the release, or the rarest, which tells most.  `success` is how often that
 * is right; `certain`, of how many persons something is known for certain.  `prior` is the share of
 * all persons of whom the item named is true, and `lift` by how much `success` is above it.
 *
 * Of a table each row is a person; `*` is no value. */
#include "attack/homogeneity/homogeneity_internal.h"
#include "attack/strategies.h"
#include "model/table/table_beside.h"
#include <math.h>

static const char *const strategies[LETHE_NAMES] = {"common", "rare"};

/* --- tables --- */

/* How a column lies in groups, over all rows. */
struct column_learned {
    double success, certain, baseline; /* shares of the rows */
};

/* `skip`: a value that is none; or LETHE_NONE. */
static lethe_err column_learn(lethe_arena *a, size_t n, const uint32_t *group, uint32_t n_groups,
                              const uint32_t *code, uint32_t n_values, uint32_t skip,
                              struct column_learned *out)
{
    const uint32_t *both[2] = {group, code};
    uint32_t *pair = NULL, n_pairs = 0;
    lethe_dict *keys = lethe_dict_new();
    lethe_err e = keys ? lethe_rows_group(a, keys, n, both, 2, &pair, &n_pairs) : LETHE_ENOMEM;
    lethe_dict_free(keys);
    if (e != LETHE_OK) return e;
    uint64_t *often = lethe_new(a, uint64_t, (size_t)n_pairs + 1),
             *size = lethe_new(a, uint64_t, (size_t)n_groups + 1),
             *most = lethe_new(a, uint64_t, (size_t)n_groups + 1),
             *all = lethe_new(a, uint64_t, (size_t)n_values + 1);
    if (!often || !size || !most || !all) return LETHE_ENOMEM;
    uint64_t right = 0, certain = 0, commonest = 0;
    for (size_t i = 0; i < n; i++) {
        size[group[i]]++;
        if (code[i] == skip) continue;
        often[pair[i]]++;
        all[code[i]]++;
        most[group[i]] = LETHE_MAX(most[group[i]], often[pair[i]]);
        commonest = LETHE_MAX(commonest, all[code[i]]);
    }
    for (uint32_t g = 0; g < n_groups; g++) {
        right += most[g];
        certain += most[g] == size[g] ? size[g] : 0;
    }
    double rows = (double)LETHE_MAX(n, 1);
    *out = (struct column_learned){(double)right / rows, (double)certain / rows,
                                   (double)commonest / rows};
    return LETHE_OK;
}

struct table_search {
    lethe_comparison *c;
    const lethe_table *original;
    lethe_arena *arena;
    lethe_table_beside *beside;
    uint32_t *before; /* by row of the original: its group */
    uint32_t n_before;
};

/* A column of the original that is no quasi-identifier; NULL: there is none of that name. */
static const lethe_column *column_of(const lethe_table *t, lethe_str name)
{
    for (size_t i = 0; i < t->n_sa; i++)
        if (lethe_str_eq(t->sa[i].name, name)) return &t->sa[i];
    for (size_t i = 0; i < t->n_keep; i++)
        if (lethe_str_eq(t->keep[i].name, name)) return &t->keep[i];
    return t->class && lethe_str_eq(t->class->name, name) ? t->class : NULL;
}

static lethe_err column_try(struct table_search *s, lethe_str name, struct column_learned *before,
                            struct column_learned *after)
{
    const lethe_table_beside *b = s->beside;
    const lethe_published_table *p = b->published;
    const lethe_column *column = column_of(s->original, name);
    uint32_t at = column ? lethe_published_column_find(p, name) : LETHE_NONE;
    if (at == LETHE_NONE)
        return lethe_fail(s->c->ctx, LETHE_EUSAGE,
                          "homogeneity: '%.*s' is no published column beside the "
                          "quasi-identifiers",
                          (int)name.n, name.at);
    const lethe_published_column *shown = &p->column[at];
    lethe_err e = column_learn(s->arena, s->original->n, s->before, s->n_before, column->code,
                               lethe_dict_count(column->values), LETHE_NONE, before);
    if (e == LETHE_OK)
        e = column_learn(s->arena, p->n, b->group, b->n_groups, shown->code,
                         lethe_dict_count(shown->values),
                         lethe_dict_find(shown->values, LETHE_LIT(LETHE_STARRED)), after);
    return e == LETHE_OK ? e : lethe_no_memory(s->c->ctx);
}

static double lift_of(double success, double prior) { return prior > 0 ? success / prior : NAN; }

static void column_set(lethe_json_doc *doc, lethe_json *o, const struct column_learned *before,
                       const struct column_learned *after)
{
    lethe_set_real(doc, o, "success", after->success);
    lethe_set_real(doc, o, "before", before->success);
    lethe_set_real(doc, o, "baseline", after->baseline);
    lethe_set_real(doc, o, "certain", after->certain);
    lethe_set_real(doc, o, "certain_before", before->certain);
    lethe_set_real(doc, o, "lift", lift_of(after->success, after->baseline));
}

/* The columns to guess: those named, else the sensitive ones, else all others. */
static lethe_err columns_list(const struct table_search *s, lethe_str **out, size_t *n)
{
    const lethe_table *t = s->original;
    const lethe_value *asked = lethe_value_of(s->c->values, "guess");
    if (asked->present)
        return lethe_names_parse(lethe_ctx_diag(s->c->ctx), s->arena, asked->text, out, n);
    *out = lethe_new(s->arena, lethe_str, t->n_sa + t->n_keep + 1);
    if (!*out) return lethe_no_memory(s->c->ctx);
    *n = 0;
    for (size_t i = 0; i < t->n_sa; i++)
        (*out)[(*n)++] = t->sa[i].name;
    if (*n > 0) return LETHE_OK;
    if (t->class) (*out)[(*n)++] = t->class->name;
    for (size_t i = 0; i < t->n_keep; i++)
        (*out)[(*n)++] = t->keep[i].name;
    return LETHE_OK;
}

static lethe_err table_open(struct table_search *s)
{
    const lethe_table *t = s->original;
    s->arena = lethe_arena_new();
    lethe_dict *keys = lethe_dict_new();
    const uint32_t *column[LETHE_QI_MAX];
    for (size_t i = 0; i < t->n_qi; i++)
        column[i] = t->qi[i].leaf;
    lethe_err e = s->arena && keys ? lethe_rows_group(s->arena, keys, t->n, column, t->n_qi,
                                                      &s->before, &s->n_before)
                                   : LETHE_ENOMEM;
    lethe_dict_free(keys);
    if (e != LETHE_OK) return lethe_no_memory(s->c->ctx);
    return lethe_table_beside_open(s->c->published, t, &s->beside);
}

static lethe_err table_run(struct table_search *s, lethe_json_doc *doc, lethe_json *out)
{
    lethe_str *name, best = {NULL, 0};
    size_t n;
    struct column_learned before, after, most_before = {0}, most = {0};
    lethe_json *columns = lethe_json_array(doc);
    LETHE_TRY(table_open(s));
    LETHE_TRY(columns_list(s, &name, &n));
    for (size_t i = 0; i < n; i++) {
        LETHE_TRY(column_try(s, name[i], &before, &after));
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "column", lethe_json_new_text(doc, name[i]));
        column_set(doc, o, &before, &after);
        lethe_json_push(doc, columns, o);
        // the one of which most is learned
        if (best.at && after.success - after.baseline <= most.success - most.baseline + 1e-12)
            continue;
        best = name[i];
        most_before = before;
        most = after;
    }
    column_set(doc, out, &most_before, &most);
    lethe_set_count(doc, out, "persons", s->beside->published->n);
    lethe_set_text(doc, out, "knows", "group");
    lethe_json_set(doc, out, "guessed", lethe_json_new_text(doc, best));
    lethe_json_set(doc, out, "columns", columns);
    return LETHE_OK;
}

/* --- records and lists --- */

static void learned_set(lethe_json_doc *doc, lethe_json *out, const lethe_homogeneity *h,
                        bool records)
{
    double n = (double)LETHE_MAX(h->persons, 1), success[LETHE_NAMES];
    for (int i = 0; i < LETHE_NAMES; i++)
        success[i] = h->after.right[i] / n;
    size_t best = lethe_strategy_best(success, LETHE_NAMES),
           best_before = lethe_strategy_best(h->before.right, LETHE_NAMES);
    lethe_set_real(doc, out, "success", success[best]);
    lethe_set_real(doc, out, "before", h->before.right[best_before] / n);
    lethe_set_real(doc, out, "baseline", h->blind / n);
    lethe_set_real(doc, out, "certain", h->after.certain / n);
    lethe_set_real(doc, out, "certain_before", h->before.certain / n);
    if (records) lethe_set_real(doc, out, "misled", h->after.wrong / n);
    lethe_set_real(doc, out, "prior", h->after.prior[best] / n);
    lethe_set_real(doc, out, "lift", lift_of(h->after.right[best], h->after.prior[best]));
    lethe_set_count(doc, out, "persons", h->persons);
    lethe_set_text(doc, out, "knows", h->by_items ? "items" : "group");
    lethe_set_text(doc, out, "strategy", strategies[best]);
    lethe_json *all = lethe_json_object(doc);
    for (int i = 0; i < LETHE_NAMES; i++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", success[i]);
        lethe_set_real(doc, one, "before", h->before.right[i] / n);
        lethe_set_real(doc, one, "prior", h->after.prior[i] / n);
        lethe_set_real(doc, one, "lift", lift_of(h->after.right[i], h->after.prior[i]));
        lethe_json_set(doc, all, strategies[i], one);
    }
    lethe_json_set(doc, out, "strategies", all);
}

/* --- the whole --- */

static const char *lacks(const lethe_comparison *c)
{
    const lethe_published *p = c->published;
    const lethe_json *steps = lethe_json_get(p->manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    if (p->shape == LETHE_SHAPE_TABLE) {
        const lethe_table *t = c->original.table;
        return t->n_sa + t->n_keep > 0 || t->class ? NULL
                                                   : "no column is published beside the "
                                                     "quasi-identifiers";
    }
    if (p->shape == LETHE_SHAPE_RECORDS) return NULL;
    if (!lethe_str_eq(lethe_json_text(lethe_json_get(last, "command")), LETHE_LIT("microagg")))
        return "its users are not published in groups";
    if (lethe_json_bool(lethe_json_get(lethe_json_get(last, "parameters"), "synthetic")))
        return "categories are published in place of texts";
    return c->map || c->own_names ? NULL : "without --map, nobody knows who is in which group";
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_err e;
    if (c->published->shape == LETHE_SHAPE_TABLE) {
        struct table_search s = {.c = c, .original = c->original.table};
        lethe_ctx_phase(c->ctx, "looking at groups", 0);
        e = table_run(&s, doc, out);
        lethe_table_beside_free(s.beside);
        lethe_arena_free(s.arena);
    } else {
        lethe_homogeneity h = {0};
        bool records = c->published->shape == LETHE_SHAPE_RECORDS;
        e = records ? lethe_homogeneity_records(c, &h) : lethe_homogeneity_lists(c, &h);
        if (e == LETHE_OK) learned_set(doc, out, &h, records);
    }
    if (e == LETHE_OK) lethe_set_text(doc, out, "meaning", lethe_adversary_homogeneity.meaning);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    LETHE_ATTACK_KNOWN("of records that are not in groups: how many items of a person are known"),
    {.name = "guess",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "for tables: columns whose values are guessed [default: the sensitive ones; without "
             "any, all that are no quasi-identifiers]"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_homogeneity = {
    .name = "homogeneity",
    .summary = "what does a group tell of a person who is known to be in it?",
    .threat = LETHE_THREAT_INFERENCE,
    .trials = "persons",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS | LETHE_SHAPE_TABLE,
    .options = options,
    .lacks = lacks,
    .meaning = "how often an item or value of a person is named rightly by who knows the person's "
               "group (of records that are not in groups: a few of the person's items): of a "
               "table, the commonest value of the group; else the commonest or the rarest item "
               "that most candidates show; before: in the original; baseline: the commonest item "
               "or value of the release",
    .run = run,
};
