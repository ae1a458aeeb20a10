/* SPDX-License-Identifier: Apache-2.0 */
/* profile_table.c - what a table contains, which of its columns identify people, and how well. */
#include "app/profile_records.h"
#include "measure/measure.h"
#include "measure/table_profile_json.h"
#include "model/table/any_table.h"
#include "release/make/bind.h"
#include "release/make/input.h"

enum { PROPOSED_MAX = 16 };

typedef struct table_survey {
    lethe_ctx *ctx;
    const lethe_profile_options *asked;
    lethe_json_doc *doc;
    lethe_json *metrics;
    lethe_arena *arena;
    lethe_any_table *any;
    const lethe_published_table *table;
    lethe_column_profile *profile;
    uint32_t *qi, *sa;
    size_t n_qi, n_sa;
} table_survey;

/* --- which columns are quasi-identifiers? --- */

static bool is_listed(const uint32_t *list, size_t n, uint32_t column)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == column) return true;
    return false;
}

static void list_set(table_survey *s, const char *name, const uint32_t *column, size_t n)
{
    lethe_json_set(s->doc, s->metrics, name, lethe_column_names_json(s->doc, s->table, column, n));
}

/* Columns that a person could be found by; the others are named in `metrics` with the reason. */
static lethe_err candidates_find(table_survey *s, uint32_t **out, size_t *n)
{
    size_t n_columns = s->table->n_columns, n_id = 0, n_text = 0, n_constant = 0;
    uint32_t *of[4];
    for (size_t i = 0; i < LETHE_COUNT(of); i++) {
        of[i] = lethe_new(s->arena, uint32_t, n_columns);
        if (!of[i]) return lethe_no_memory(s->ctx);
    }
    *n = 0;
    for (uint32_t i = 0; i < n_columns; i++) {
        const lethe_column_profile *p = &s->profile[i];
        if (p->distinct + (p->missing > 0) < 2)
            of[0][n_constant++] = i;
        else if (p->type == LETHE_COLUMN_IDENTIFIER)
            of[1][n_id++] = i;
        else if (p->type == LETHE_COLUMN_FREE_TEXT)
            of[2][n_text++] = i;
        else if (!is_listed(s->sa, s->n_sa, i))
            of[3][(*n)++] = i;
    }
    list_set(s, "identifiers", of[1], n_id);
    list_set(s, "free_texts", of[2], n_text);
    list_set(s, "constants", of[0], n_constant);
    *out = of[3];
    return LETHE_OK;
}

/* How well a column singles rows out, alone and in pairs. */
typedef struct strength {
    uint32_t column;
    uint64_t alone, best; /* unique rows; `best` in the best pair */
    uint32_t partner;     /* of that; LETHE_NONE: there is no other column */
    uint64_t in_pairs;    /* over all pairs */
    double separation;
} strength;

static bool is_stronger(const strength *a, const strength *b)
{
    if (a->in_pairs != b->in_pairs) return a->in_pairs > b->in_pairs;
    if (a->separation != b->separation) return a->separation > b->separation;
    return a->column < b->column;
}

static strength strength_of(const table_survey *s, const lethe_singling *g, size_t i)
{
    strength x = {.column = g->column[i],
                  .alone = g->pair[i * g->n + i],
                  .partner = LETHE_NONE,
                  .separation = s->profile[g->column[i]].separation};
    for (size_t k = 0; k < g->n; k++) {
        uint64_t unique = g->pair[i * g->n + k];
        if (k == i) continue;
        x.in_pairs += unique;
        if (x.partner != LETHE_NONE && unique <= x.best) continue;
        x.partner = g->column[k];
        x.best = unique;
    }
    return x;
}

static void share_set(const table_survey *s, lethe_json *o, const char *name, uint64_t rows)
{
    lethe_set_real(s->doc, o, name, (double)rows / (double)s->table->n);
}

/* All columns that were combined, the strongest first. */
static lethe_err strengths_sort(const table_survey *s, const lethe_singling *g, strength **out)
{
    strength *x = lethe_new(s->arena, strength, g->n);
    if (!x) return lethe_no_memory(s->ctx);
    for (size_t i = 0; i < g->n; i++) {
        strength now = strength_of(s, g, i);
        size_t at = i;
        for (; at > 0 && is_stronger(&now, &x[at - 1]); at--)
            x[at] = x[at - 1];
        x[at] = now;
    }
    *out = x;
    return LETHE_OK;
}

/* Sets s->qi, and `proposal` with what speaks for each. */
static lethe_err qi_propose(table_survey *s, const lethe_singling *g)
{
    lethe_json *list = lethe_json_array(s->doc);
    uint64_t so_far[PROPOSED_MAX];
    strength *x;
    LETHE_TRY(strengths_sort(s, g, &x));
    s->n_qi = LETHE_MIN(g->n, (size_t)PROPOSED_MAX);
    s->qi = lethe_new(s->arena, uint32_t, g->n);
    if (!s->qi) return lethe_no_memory(s->ctx);
    for (size_t i = 0; i < g->n; i++)
        s->qi[i] = x[i].column;
    LETHE_TRY(lethe_unique_rows_count(s->ctx, s->table, s->qi, s->n_qi, so_far));
    for (size_t i = 0; i < s->n_qi; i++) {
        lethe_json *o = lethe_json_object(s->doc);
        lethe_json_set(s->doc, o, "column",
                       lethe_json_new_text(s->doc, s->table->column[x[i].column].name));
        share_set(s, o, "alone", x[i].alone);
        if (x[i].partner != LETHE_NONE) {
            lethe_json_set(s->doc, o, "partner",
                           lethe_json_new_text(s->doc, s->table->column[x[i].partner].name));
            share_set(s, o, "pair", x[i].best);
        }
        share_set(s, o, "together", so_far[i]);
        lethe_json_push(s->doc, list, o);
    }
    lethe_json_set(s->doc, s->metrics, "proposal", list);
    list_set(s, "not_proposed", s->qi + s->n_qi, g->n - s->n_qi);
    return LETHE_OK;
}

/* --- groups --- */

static lethe_err population_measure(table_survey *s, lethe_population_risk *out)
{
    lethe_any_table *p = NULL;
    uint32_t *of = lethe_new(s->arena, uint32_t, s->n_qi);
    if (!of) return lethe_no_memory(s->ctx);
    const lethe_read_options reading = {.strict = s->asked->reading.strict};
    LETHE_TRY(lethe_any_table_read(s->ctx, &s->asked->population, 1, &reading, &p));
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < s->n_qi && e == LETHE_OK; i++)
        e = lethe_any_table_column(lethe_ctx_diag(s->ctx), s->arena, p, s->asked->population,
                                   s->table->column[s->qi[i]].name, &of[i]);
    lethe_ctx_phase(s->ctx, "grouping", 0);
    if (e == LETHE_OK)
        e = lethe_population_risk_count(s->ctx, s->table, s->qi, &p->table, of, s->n_qi, out);
    lethe_any_table_free(p);
    return e;
}

static lethe_err groups_measure(table_survey *s)
{
    lethe_row_groups g;
    lethe_group_sizes sizes;
    lethe_population_risk population;
    lethe_json *sensitive = lethe_json_array(s->doc);
    lethe_ctx_phase(s->ctx, "grouping", s->n_qi);
    LETHE_TRY(lethe_row_groups_make(s->ctx, s->table, s->qi, s->n_qi, &g));
    lethe_group_sizes_count(&g, &sizes);
    lethe_group_sizes_json(s->doc, s->metrics, &sizes);
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < s->n_sa && e == LETHE_OK; i++) {
        lethe_group_diversity d;
        const lethe_published_column *sa = &s->table->column[s->sa[i]];
        e = lethe_diversity_count(s->ctx, &g, sa, &d);
        if (e == LETHE_OK) lethe_json_push(s->doc, sensitive, lethe_diversity_json(s->doc, sa, &d));
    }
    lethe_row_groups_free(&g);
    LETHE_TRY(e);
    if (s->n_sa > 0) lethe_json_set(s->doc, s->metrics, "sensitive", sensitive);
    if (s->asked->population) LETHE_TRY(population_measure(s, &population));
    lethe_risk_json(s->doc, s->metrics, &sizes, s->asked->population ? &population : NULL);
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err roles_take(table_survey *s)
{
    lethe_diag *d = lethe_ctx_diag(s->ctx);
    LETHE_TRY(lethe_any_table_columns(d, s->arena, s->any, "--qi", s->asked->qi, &s->qi, &s->n_qi));
    LETHE_TRY(lethe_any_table_columns(d, s->arena, s->any, "--sa", s->asked->sa, &s->sa, &s->n_sa));
    for (size_t i = 0; i < s->n_sa; i++)
        if (is_listed(s->qi, s->n_qi, s->sa[i])) {
            char shown[80];
            lethe_show(shown, sizeof shown, s->table->column[s->sa[i]].name);
            return lethe_fail(d, LETHE_EUSAGE, "column '%s' has two roles", shown);
        }
    return LETHE_OK;
}

static lethe_err table_measure(table_survey *s)
{
    lethe_singling g = {0};
    uint32_t *columns;
    size_t n_columns;
    bool given = s->asked->qi;
    s->profile = lethe_new(s->arena, lethe_column_profile, s->table->n_columns);
    if (!s->profile) return lethe_no_memory(s->ctx);
    LETHE_TRY(lethe_columns_profile(s->ctx, s->table, s->profile));
    lethe_json_set(s->doc, s->metrics, "columns", lethe_columns_json(s->doc, s->table, s->profile));
    LETHE_TRY(candidates_find(s, &columns, &n_columns));
    LETHE_TRY(lethe_singling_count(s->ctx, s->arena, s->table, s->profile, given ? s->qi : columns,
                                   given ? s->n_qi : n_columns, LETHE_SINGLING_WORK, &g));
    if (!given) LETHE_TRY(qi_propose(s, &g));
    list_set(s, "qi", s->qi, s->n_qi);
    lethe_json_set(s->doc, s->metrics, "qi_proposed", lethe_json_new_bool(s->doc, !given));
    if (s->n_qi > 0) LETHE_TRY(groups_measure(s));
    lethe_singling_json(s->doc, s->metrics, s->table, &g);
    return LETHE_OK;
}

static lethe_err reading_check(lethe_diag *d, const lethe_read_options *r)
{
    const char *option = lethe_option_of_logs(r);
    if (option)
        return lethe_fail(d, LETHE_EUSAGE, "--%s applies to logs, and the input is a table",
                          option);
    if (r->format != LETHE_FORMAT_GUESS && r->format != LETHE_FORMAT_TABLE &&
        r->format != LETHE_FORMAT_CSV)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--qi, --sa and --population apply to tables: use "
                          "--from table");
    return LETHE_OK;
}

/* Besides the table: for each row a few numbers while rows are counted (measure/row_groups.c). */
static uint64_t profile_need(const lethe_work *w, const lethe_sizes *s)
{
    (void)w;
    return lethe_need_program + s->held + 16 * s->n;
}

static lethe_err profile_table(lethe_ctx *ctx, const lethe_profile_options *p, lethe_json_doc *doc,
                               lethe_json *report, lethe_json *metrics)
{
    table_survey s = {.ctx = ctx, .asked = p, .doc = doc, .metrics = metrics};
    LETHE_TRY(reading_check(lethe_ctx_diag(ctx), &p->reading));
    s.arena = lethe_arena_new();
    if (!s.arena) return lethe_no_memory(ctx);
    lethe_err e = lethe_any_table_read(ctx, p->inputs, p->n_inputs, &p->reading, &s.any);
    if (e == LETHE_OK) {
        s.table = &s.any->table;
        lethe_counts counts = {.read = s.any->read, .rejected = s.any->rejected};
        lethe_json_set(doc, report, "counts", lethe_counts_json(doc, &counts));
        lethe_set_count(doc, metrics, "rows", s.table->n);
        lethe_set_count(doc, metrics, "rejected", s.any->rejected);
        lethe_set_count(doc, metrics, "invalid_utf8", s.any->invalid_utf8);
        lethe_sizes sizes = lethe_any_table_sizes(s.any);
        e = lethe_ctx_need(ctx, &sizes);
    }
    if (e == LETHE_OK) e = roles_take(&s);
    if (e == LETHE_OK) e = table_measure(&s);
    lethe_any_table_free(s.any);
    lethe_arena_free(s.arena);
    return e;
}

lethe_err lethe_profile_input(lethe_ctx *ctx, const lethe_profile_options *p, lethe_json_doc *doc,
                              lethe_json **report)
{
    bool told = p->qi || p->sa || p->population || p->reading.format == LETHE_FORMAT_TABLE,
         is_table = told, is_records = false;
    if (!told)
        LETHE_TRY(lethe_inputs_are_table(ctx, p->inputs, p->n_inputs, &p->reading, &is_table));
    if (!is_table)
        LETHE_TRY(lethe_inputs_are_records(ctx, p->inputs, p->n_inputs, &p->reading, &is_records));
    if (is_records) return lethe_profile_baskets(ctx, p, doc, report);
    if (!is_table) return lethe_profile_log(ctx, p->inputs, p->n_inputs, &p->reading, doc, report);
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *parameters = lethe_json_object(doc);
    lethe_reading_json(doc, parameters, &p->reading);
    if (p->qi) lethe_set_text(doc, parameters, "qi", p->qi);
    if (p->sa) lethe_set_text(doc, parameters, "sa", p->sa);
    lethe_set_text(doc, r, "command", "profile");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_set_text(doc, metrics, "shape", "table");
    lethe_json_set(doc, metrics, "detected", lethe_json_new_bool(doc, !told));
    *report = r;
    const lethe_work before =
        lethe_ctx_begin_work(ctx, &(lethe_work){.name = "profile", .need = profile_need});
    lethe_err e = profile_table(ctx, p, doc, r, metrics);
    lethe_ctx_begin_work(ctx, &before);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
