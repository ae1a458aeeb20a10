/* SPDX-License-Identifier: Apache-2.0 */
/* check_table.c - does a table that lethe did not make keep a promise?
 *
 * Each option becomes a claim as a release would make it, and the checkers of releases decide it
 * (check/), on the table as it was read.  What the table reaches is counted apart from them
 * (measure/). */
#include "check/check.h"
#include "core/parse.h"
#include "io/read/source.h"
#include "measure/table_profile_json.h"
#include "model/data.h"
#include "model/table/any_table.h"
#include "model/table/numbers.h"
#include "model/table/population.h"
#include "model/table/table.h"
#include "model/table/theta.h"
#include "release/release.h"
#include <stdio.h>

typedef struct table_check {
    lethe_ctx *ctx;
    const lethe_check_options *asked;
    lethe_json_doc *doc;
    lethe_json *claims;
    lethe_arena *arena;
    lethe_any_table *any;
    const lethe_published_table *table;
    uint32_t *qi, *sa;
    size_t n_qi, n_sa;
    lethe_group_sizes sizes;
    uint64_t rows_below;               /* in groups of fewer rows than -k says */
    lethe_group_diversity *diversity;  /* by sensitive column */
    lethe_population_table population; /* of --k-map */
} table_check;

/* --- options become claims --- */

typedef enum requirement_kind {
    REQUIRES_COUNT,    /* a whole number */
    REQUIRES_MAP,      /* the same, and beside it the digest of the population */
    REQUIRES_SHARE,    /* a share, "0.2" or "1/5"; to the text that one share has */
    REQUIRES_DISTANCE, /* a share, and beside it the distance that it is about */
    REQUIRES_NUMBER,   /* a number of 1 or more; to its text */
    REQUIRES_RATIO,    /* "C,L": to c, the text of a number, and to l */
} requirement_kind;

/* One row per option. */
static const struct requirement {
    const char *option, *notion, *parameter;
    requirement_kind kind;
    bool needs_sa;
} requirements[] = {
    {"k", "k-anonymity", "k", REQUIRES_COUNT, false},
    {"theta", "l-plus-diversity", "theta", REQUIRES_SHARE, true},
    {"distinct-l", "distinct-l", "l", REQUIRES_COUNT, true},
    {"entropy-l", "entropy-l", "l", REQUIRES_NUMBER, true},
    {"recursive", "recursive-cl", "l", REQUIRES_RATIO, true},
    {"k-map", "k-map", "k", REQUIRES_MAP, false},
    {"t-closeness", "t-closeness", "t", REQUIRES_DISTANCE, true},
};

static const lethe_value *value_of(const table_check *c, const char *option)
{
    const lethe_value *v = c->asked->values ? lethe_value_find(c->asked->values, option) : NULL;
    return v && v->given ? v : NULL;
}

static lethe_err bad_value(const table_check *c, const struct requirement *r, const char *wanted)
{
    return lethe_fail(c->ctx, LETHE_EUSAGE, "--%s: '%s' is not %s", r->option,
                      value_of(c, r->option)->text, wanted);
}

/* A number above 0, or of at least one, as the checker reads it from the claim. */
static bool is_number(lethe_str s, bool at_least_one)
{
    lethe_theta x;
    return lethe_decimal_parse(s, &x) && x.num >= (at_least_one ? x.den : 1);
}

static lethe_err ratio_set(const table_check *c, const struct requirement *r, lethe_str text,
                           lethe_json *claim)
{
    static const char wanted[] = "C,L: a number above 0, up to a million and with at most nine "
                                 "decimals, and a whole number, such as 3,2";
    const char *comma = text.n ? memchr(text.at, ',', text.n) : NULL;
    uint64_t l;
    if (!comma) return bad_value(c, r, wanted);
    size_t at = (size_t)(comma - text.at);
    lethe_str first = lethe_str_trim((lethe_str){text.at, at}),
              second = lethe_str_trim((lethe_str){comma + 1, text.n - at - 1});
    if (!is_number(first, false) || !lethe_parse_u64(second, &l) || l < 1 || l > INT64_MAX)
        return bad_value(c, r, wanted);
    lethe_json_set(c->doc, claim, "c", lethe_json_new_text(c->doc, first));
    lethe_set_count(c->doc, claim, "l", l);
    return LETHE_OK;
}

static bool is_sensitive(const table_check *c, lethe_str name)
{
    for (size_t i = 0; i < c->n_sa; i++)
        if (lethe_str_eq(c->table->column[c->sa[i]].name, name)) return true;
    return false;
}

/* Of other values than numbers no order is known: to say that the promise is broken would be no
 * answer.  (`*` is for the checker to judge.) */
static lethe_err order_check(const table_check *c, lethe_str sa)
{
    const lethe_published_column *column =
        &c->table->column[lethe_published_column_find(c->table, sa)];
    for (uint32_t i = 0; i < lethe_dict_count(column->values); i++) {
        lethe_str value = lethe_dict_at(column->values, i);
        lethe_number number;
        char name[80], shown[80];
        if (lethe_number_parse(value, &number) || lethe_str_eq(value, LETHE_LIT(LETHE_STARRED)))
            continue;
        lethe_show(name, sizeof name, sa);
        lethe_show(shown, sizeof shown, value);
        return lethe_fail(c->ctx, LETHE_EINPUT,
                          "--t-distance ordered needs numbers: '%s' has the value '%s'", name,
                          shown);
    }
    return LETHE_OK;
}

/* --t-distance: one word for all columns, or COLUMN=word for some. */
static lethe_err distance_set(const table_check *c, lethe_str sa, lethe_json *claim)
{
    static const char *const words[] = {"equal", "ordered"};
    const lethe_value *v = value_of(c, "t-distance");
    lethe_str text = v ? lethe_str_of(v->text) : LETHE_LIT(""), word = LETHE_LIT("equal");
    while (text.n > 0) {
        const char *comma = memchr(text.at, ',', text.n);
        lethe_str one = {text.at, comma ? (size_t)(comma - text.at) : text.n};
        const char *sign = memrchr(one.at, '=', one.n);
        lethe_str column = {one.at, sign ? (size_t)(sign - one.at) : 0};
        if (sign && !is_sensitive(c, lethe_str_trim(column)))
            return lethe_fail(c->ctx, LETHE_EUSAGE, "--t-distance: '%.*s' is not a column of --sa",
                              (int)column.n, column.at);
        if (!sign || lethe_str_eq(lethe_str_trim(column), sa))
            word = lethe_str_trim(sign ? (lethe_str){sign + 1, one.n - column.n - 1} : one);
        size_t used = one.n + (comma != NULL);
        text = (lethe_str){text.at + used, text.n - used};
    }
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        if (lethe_str_eq(word, lethe_str_of(words[i]))) {
            lethe_set_text(c->doc, claim, "distance", words[i]);
            return i == 1 ? order_check(c, sa) : LETHE_OK;
        }
    return lethe_fail(c->ctx, LETHE_EUSAGE,
                      "--t-distance: '%.*s' is not equal or ordered (hierarchical distances need a "
                      "release)",
                      (int)word.n, word.at);
}

static lethe_err parameter_set(const table_check *c, const struct requirement *r, lethe_str sa,
                               lethe_json *claim)
{
    const lethe_value *v = value_of(c, r->option);
    lethe_str text = v->text ? lethe_str_trim(lethe_str_of(v->text)) : LETHE_LIT("");
    lethe_theta share;
    char shown[LETHE_THETA_MAX];
    switch (r->kind) {
    case REQUIRES_MAP:
        lethe_set_text(c->doc, claim, "population", c->population.digest);
        lethe_set_count(c->doc, claim, r->parameter, (uint64_t)v->count);
        return LETHE_OK;
    case REQUIRES_COUNT:
        lethe_set_count(c->doc, claim, r->parameter, (uint64_t)v->count);
        return LETHE_OK;
    case REQUIRES_NUMBER:
        if (!is_number(text, true))
            return bad_value(
                c, r, "a number from 1 to a million, with at most nine decimals, such as 2.5");
        lethe_json_set(c->doc, claim, r->parameter, lethe_json_new_text(c->doc, text));
        return LETHE_OK;
    case REQUIRES_RATIO:
        return ratio_set(c, r, text, claim);
    case REQUIRES_SHARE:
    case REQUIRES_DISTANCE:
        if (!lethe_theta_parse(text, &share))
            return lethe_fail(c->ctx, LETHE_EUSAGE, "--%s: '%s' %s", r->option, v->text,
                              lethe_theta_fault(text));
        lethe_theta_print(share, shown);
        lethe_set_text(c->doc, claim, r->parameter, shown);
        return r->kind == REQUIRES_DISTANCE ? distance_set(c, sa, claim) : LETHE_OK;
    }
    return LETHE_OK;
}

/* `sa`: LETHE_NONE for a notion that asks for none. */
static lethe_err claim_add(const table_check *c, const struct requirement *r, uint32_t sa)
{
    lethe_json *claim = lethe_json_object(c->doc);
    lethe_str column = sa == LETHE_NONE ? LETHE_LIT("") : c->table->column[sa].name;
    lethe_set_text(c->doc, claim, "notion", r->notion);
    lethe_json_set(c->doc, claim, "qi", lethe_column_names_json(c->doc, c->table, c->qi, c->n_qi));
    if (sa != LETHE_NONE) lethe_json_set(c->doc, claim, "sa", lethe_json_new_text(c->doc, column));
    LETHE_TRY(parameter_set(c, r, column, claim));
    lethe_json_push(c->doc, c->claims, claim);
    return LETHE_OK;
}

/* Reads the population of --k-map. */
static lethe_err population_take(table_check *c)
{
    const lethe_value *path = value_of(c, "population");
    lethe_str column[LETHE_QI_MAX];
    if (!value_of(c, "k-map")) return LETHE_OK; // companions_check says whether that is right
    if (!path) return lethe_fail(c->ctx, LETHE_EUSAGE, "--k-map needs --population");
    for (size_t i = 0; i < c->n_qi; i++)
        column[i] = c->table->column[c->qi[i]].name;
    return lethe_population_read(c->ctx, path->text, column, c->n_qi, NULL, &c->population);
}

/* An option that says more of another one would be ignored without it. */
static lethe_err companions_check(const table_check *c)
{
    static const char *const pairs[][2] = {{"t-distance", "t-closeness"}, {"population", "k-map"}};
    for (size_t i = 0; i < LETHE_COUNT(pairs); i++)
        if (value_of(c, pairs[i][0]) && !value_of(c, pairs[i][1]))
            return lethe_fail(c->ctx, LETHE_EUSAGE, "--%s applies only with --%s", pairs[i][0],
                              pairs[i][1]);
    return LETHE_OK;
}

static lethe_err claims_make(const table_check *c)
{
    LETHE_TRY(companions_check(c));
    for (const struct requirement *r = requirements; r < requirements + LETHE_COUNT(requirements);
         r++) {
        if (!value_of(c, r->option)) continue;
        if (!lethe_notion_find(lethe_str_of(r->notion)))
            return lethe_fail(c->ctx, LETHE_EUSAGE, "--%s: this version cannot check %s", r->option,
                              r->notion);
        if (r->needs_sa && c->n_sa == 0)
            return lethe_fail(c->ctx, LETHE_EUSAGE, "--%s needs a sensitive column: --sa COLUMN",
                              r->option);
        if (!r->needs_sa) LETHE_TRY(claim_add(c, r, LETHE_NONE));
        for (size_t i = 0; r->needs_sa && i < c->n_sa; i++)
            LETHE_TRY(claim_add(c, r, c->sa[i]));
    }
    return LETHE_OK;
}

/* --- what the table reaches --- */

static lethe_err reached_count(table_check *c)
{
    lethe_row_groups g;
    lethe_ctx_phase(c->ctx, "grouping", c->n_qi);
    c->diversity = lethe_new(c->arena, lethe_group_diversity, c->n_sa);
    if (!c->diversity) return lethe_no_memory(c->ctx);
    LETHE_TRY(lethe_row_groups_make(c->ctx, c->table, c->qi, c->n_qi, &g));
    lethe_group_sizes_count(&g, &c->sizes);
    const lethe_value *k = value_of(c, "k");
    for (size_t i = 0; k && i < g.n; i++) {
        uint64_t size = g.start[i + 1] - g.start[i];
        if (size < (uint64_t)k->count) c->rows_below += size;
    }
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < c->n_sa && e == LETHE_OK; i++)
        e = lethe_diversity_count(c->ctx, &g, &c->table->column[c->sa[i]], &c->diversity[i]);
    lethe_row_groups_free(&g);
    return e;
}

static const lethe_group_diversity *diversity_of(const table_check *c, const lethe_json *check)
{
    lethe_str sa = lethe_json_text(lethe_json_get(check, "sa"));
    for (size_t i = 0; i < c->n_sa; i++)
        if (lethe_str_eq(c->table->column[c->sa[i]].name, sa)) return &c->diversity[i];
    return NULL;
}

static bool is_text(const lethe_json *v, const char *text)
{
    return lethe_str_eq(lethe_json_text(v), lethe_str_of(text));
}

/* The best parameter that the table keeps, where it has one. */
static lethe_json *reached_json(const table_check *c, const lethe_json *check)
{
    const lethe_json *notion = lethe_json_get(check, "notion");
    const lethe_group_diversity *d = diversity_of(c, check);
    lethe_json_doc *doc = c->doc;
    if (is_text(notion, "k-anonymity")) return lethe_json_new_int(doc, (int64_t)c->sizes.smallest);
    if (!d) return NULL;
    if (is_text(notion, "distinct-l") && d->distinct_l != UINT64_MAX)
        return lethe_json_new_int(doc, (int64_t)d->distinct_l);
    if (is_text(notion, "l-plus-diversity") && d->of > 0)
        return lethe_json_new_real(doc, (double)d->with / (double)d->of);
    if (d->starred) return NULL;
    if (is_text(notion, "entropy-l")) return lethe_json_new_real(doc, d->entropy_l);
    if (is_text(notion, "t-closeness") && is_text(lethe_json_get(check, "distance"), "equal"))
        return lethe_json_new_real(doc, d->t);
    return NULL;
}

/* --- the answer --- */

/* A counterexample counts lines as a release has them, the header first and one row each; in this
 * file rows may be elsewhere.  Adds the row's quasi-identifiers. */
static lethe_json *fault_place(const table_check *c, const lethe_json *why)
{
    lethe_json *placed = lethe_json_copy(c->doc, why), *group = lethe_json_object(c->doc);
    int64_t line = lethe_json_int(lethe_json_get(why, "line"));
    if (line < 2 || (uint64_t)line - 2 >= c->table->n) return placed;
    size_t row = (size_t)line - 2;
    lethe_set_count(c->doc, placed, "line",
                    lethe_source_line(lethe_ctx_diag(c->ctx), c->asked->input, c->any->line[row]));
    for (size_t i = 0; i < c->n_qi; i++) {
        const lethe_published_column *column = &c->table->column[c->qi[i]];
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)column->name.n, column->name.at);
        lethe_json_set(
            c->doc, group, name,
            lethe_json_new_text(c->doc, lethe_dict_at(column->values, column->code[row])));
    }
    lethe_json_set(c->doc, placed, "group", group);
    return placed;
}

/* The verdict, with places in the file and what is reached; *first: a counterexample. */
static lethe_json *verdict_place(const table_check *c, const lethe_json *verdict,
                                 const lethe_json **first, uint64_t *nothing)
{
    const lethe_json *checks = lethe_json_get(verdict, "checks");
    lethe_json *placed = lethe_json_object(c->doc), *list = lethe_json_array(c->doc);
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i),
                         *why = lethe_json_get(check, "counterexample");
        lethe_json *copy = lethe_json_copy(c->doc, check), *reached = reached_json(c, check);
        if (reached) lethe_json_set(c->doc, copy, "reached", reached);
        if (is_text(lethe_json_get(check, "notion"), "k-anonymity"))
            lethe_set_count(c->doc, copy, "rows_below", c->rows_below);
        if (why) lethe_json_set(c->doc, copy, "counterexample", fault_place(c, why));
        if (why && !*first) *first = lethe_json_get(copy, "counterexample");
        *nothing += lethe_json_get(check, "nothing") != NULL;
        lethe_json_push(c->doc, list, copy);
    }
    lethe_json_set(c->doc, placed, "holds",
                   lethe_json_copy(c->doc, lethe_json_get(verdict, "holds")));
    if (lethe_json_get(verdict, "decided"))
        lethe_json_set(c->doc, placed, "decided", lethe_json_new_bool(c->doc, false));
    lethe_json_set(c->doc, placed, "checks", list);
    return placed;
}

static lethe_err claims_decide(table_check *c, lethe_json *report, lethe_json *metrics)
{
    lethe_published p = {.ctx = c->ctx, .dirfd = -1, .shape = LETHE_SHAPE_TABLE, .table = c->table};
    if (c->population.rows) p.population = &c->population;
    lethe_json *verdict = NULL;
    const lethe_json *first = NULL;
    uint64_t nothing = 0;
    if (lethe_json_count(c->claims) == 0) return LETHE_OK;
    lethe_err e = lethe_claims_check(&p, c->claims, NULL, c->doc, &verdict);
    if (e != LETHE_OK && e != LETHE_ANSWER_NO) return e;
    lethe_json *placed = verdict_place(c, verdict, &first, &nothing);
    lethe_json_set(c->doc, report, "verdict", placed);
    lethe_json_set(c->doc, metrics, "holds", lethe_json_new_bool(c->doc, e == LETHE_OK));
    if (lethe_json_get(placed, "decided"))
        lethe_json_set(c->doc, metrics, "decided", lethe_json_new_bool(c->doc, false));
    if (first) lethe_json_set(c->doc, metrics, "counterexample", lethe_json_copy(c->doc, first));
    lethe_set_count(c->doc, metrics, "nothing", nothing);
    return e;
}

static void reached_set(const table_check *c, lethe_json *metrics)
{
    lethe_json *sensitive = lethe_json_array(c->doc);
    lethe_set_count(c->doc, metrics, "rows", c->sizes.rows);
    lethe_set_count(c->doc, metrics, "invalid_utf8", c->any->invalid_utf8);
    lethe_group_sizes_json(c->doc, metrics, &c->sizes);
    for (size_t i = 0; i < c->n_sa; i++)
        lethe_json_push(
            c->doc, sensitive,
            lethe_diversity_json(c->doc, &c->table->column[c->sa[i]], &c->diversity[i]));
    lethe_json_set(c->doc, metrics, "sensitive", sensitive);
    lethe_json_set(c->doc, metrics, "qi",
                   lethe_column_names_json(c->doc, c->table, c->qi, c->n_qi));
}

/* --- the whole --- */

static lethe_err roles_take(table_check *c)
{
    lethe_diag *d = lethe_ctx_diag(c->ctx);
    LETHE_TRY(lethe_any_table_columns(d, c->arena, c->any, "--qi", c->asked->qi, &c->qi, &c->n_qi));
    LETHE_TRY(lethe_any_table_columns(d, c->arena, c->any, "--sa", c->asked->sa, &c->sa, &c->n_sa));
    if (c->n_qi > LETHE_QI_MAX)
        return lethe_fail(d, LETHE_EUSAGE, "too many quasi-identifiers: %zu, the limit is %d",
                          c->n_qi, LETHE_QI_MAX);
    for (size_t i = 0; i < c->n_qi; i++) {
        lethe_str name = c->table->column[c->qi[i]].name;
        if (memchr(name.at, '=', name.n))
            return lethe_fail(d, LETHE_EUSAGE, "--qi: the name of a column must not hold a '='");
        for (size_t k = 0; k < c->n_sa; k++)
            if (c->sa[k] == c->qi[i])
                return lethe_fail(d, LETHE_EUSAGE, "column '%.*s' has two roles", (int)name.n,
                                  name.at);
    }
    return LETHE_OK;
}

/* Besides the table: for each row a few numbers while rows are grouped (check/table/). */
static uint64_t check_need(const lethe_work *w, const lethe_sizes *s)
{
    (void)w;
    return lethe_need_program + s->held + 16 * s->n;
}

/* A row that cannot be read cannot be judged, so none may be left out.  Nor is an encoding guessed:
 * values are compared by their bytes. */
static lethe_err table_decide(table_check *c, lethe_json *report, lethe_json *metrics)
{
    lethe_read_options reading = c->asked->reading;
    reading.strict = true;
    if (!reading.encoding) reading.encoding = "utf-8";
    LETHE_TRY(lethe_any_table_read(c->ctx, &c->asked->input, 1, &reading, &c->any));
    c->table = &c->any->table;
    lethe_sizes sizes = lethe_any_table_sizes(c->any);
    LETHE_TRY(lethe_ctx_need(c->ctx, &sizes));
    lethe_counts counts = {.read = c->any->read};
    lethe_json_set(c->doc, report, "counts", lethe_counts_json(c->doc, &counts));
    LETHE_TRY(roles_take(c));
    LETHE_TRY(population_take(c));
    LETHE_TRY(claims_make(c));
    LETHE_TRY(reached_count(c));
    reached_set(c, metrics);
    return claims_decide(c, report, metrics);
}

static lethe_err reading_check(lethe_diag *d, const lethe_read_options *r)
{
    const char *option = lethe_option_of_logs(r);
    if (option)
        return lethe_fail(d, LETHE_EUSAGE, "--%s applies to logs, and the input is a table",
                          option);
    if (r->format != LETHE_FORMAT_GUESS && r->format != LETHE_FORMAT_TABLE &&
        r->format != LETHE_FORMAT_CSV)
        return lethe_fail(d, LETHE_EUSAGE, "--from: check takes a table");
    return LETHE_OK;
}

lethe_err lethe_table_check(lethe_ctx *ctx, const lethe_check_options *asked, lethe_json_doc *doc,
                            lethe_json **report)
{
    table_check c = {.ctx = ctx, .asked = asked, .doc = doc, .claims = lethe_json_array(doc)};
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *parameters =
                   asked->values ? lethe_values_json(doc, asked->values) : lethe_json_object(doc);
    lethe_set_text(doc, r, "command", "check");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_json_set(doc, r, "claims", c.claims);
    *report = r;
    LETHE_TRY(reading_check(lethe_ctx_diag(ctx), &asked->reading));
    c.arena = lethe_arena_new();
    const lethe_work before =
        lethe_ctx_begin_work(ctx, &(lethe_work){.name = "check", .need = check_need});
    lethe_err e = c.arena ? table_decide(&c, r, metrics) : lethe_no_memory(ctx);
    lethe_ctx_begin_work(ctx, &before);
    lethe_population_free(&c.population);
    lethe_any_table_free(c.any);
    lethe_arena_free(c.arena);
    lethe_report_close(ctx, doc, r);
    if ((e == LETHE_OK || e == LETHE_ANSWER_NO) && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
