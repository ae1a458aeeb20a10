/* SPDX-License-Identifier: Apache-2.0 */
/* generalize.c - what the methods that generalize a table share: options, claims and caveats,
 * thresholds, and what is asked of groups. */
#include "method/table/generalize.h"
#include "io/json/json.h"
#include "io/write/sink.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;
enum { NAME_SHOWN = 80 };

/* --- options --- */

/* An option's value, where the method has the option at all. */
static const char *text_of(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_find(v, name);
    return value ? value->text : NULL;
}

static int64_t count_of(const lethe_values *v, const char *name, int64_t otherwise)
{
    const lethe_value *value = lethe_value_find(v, name);
    return value && value->present ? value->count : otherwise;
}

static lethe_group_suppress suppress_of(const lethe_values *v)
{
    return (lethe_group_suppress)count_of(v, "suppress", LETHE_SUPPRESS_NONE);
}

/* What a deleted row costs, in rows: the thesis's 2 where nothing else is asked for. */
static double deletion_of(const lethe_values *v)
{
    const lethe_value *value = lethe_value_find(v, "deletion-weight");
    return value && value->present ? value->real : 2;
}

static bool has_thetas(const lethe_values *v)
{
    return text_of(v, "theta") || lethe_value_of(v, "theta-file")->given ||
           text_of(v, "theta-by-frequency");
}

/* May be asked of a manifest's options, which may be anything. */
static bool several_columns(const lethe_values *v)
{
    lethe_arena *a = lethe_arena_new();
    lethe_str *sa;
    size_t n = 0;
    bool several = a && lethe_names_parse(NULL, a, text_of(v, "sa"), &sa, &n) == LETHE_OK && n > 1;
    lethe_arena_free(a);
    return several;
}

static lethe_err theta_check(const lethe_values *v, const char *option, lethe_diag *d)
{
    lethe_theta theta;
    const char *text = text_of(v, option);
    if (!text || lethe_theta_parse(lethe_str_of(text), &theta)) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE, "--%s: '%s' %s", option, text,
                      lethe_theta_fault(lethe_str_of(text)));
}

/* DM and CM have prices of their own for a deleted row, and the other schemes delete none. */
static lethe_err deletion_check(const lethe_values *v, lethe_diag *d)
{
    const lethe_value *value = lethe_value_find(v, "deletion-weight");
    lethe_group_suppress suppress = suppress_of(v);
    lethe_deletion_weight weight;
    if (!value || !value->present) return LETHE_OK;
    if (suppress != LETHE_SUPPRESS_VIO_REC && suppress != LETHE_SUPPRESS_ALL_REC)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--deletion-weight needs --suppress vioRec or allRec: the other schemes "
                          "delete no rows");
    if (count_of(v, "cost", 0) != LETHE_COST_LM)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--deletion-weight needs --cost LM: DM and CM have a price for a deleted "
                          "row by definition");
    if (!lethe_deletion_weight_of(value->real, &weight))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--deletion-weight: a number from 1 to 100 with at most three decimals");
    return LETHE_OK;
}

/* DM and CM have prices of their own, and where nothing is suppressed there is none. */
static lethe_err prices_check(const lethe_values *v, lethe_diag *d)
{
    const lethe_value *value = lethe_value_find(v, "prices");
    if (!value || !value->given) return LETHE_OK;
    if (suppress_of(v) == LETHE_SUPPRESS_NONE)
        return lethe_fail(d, LETHE_EUSAGE, "--prices needs a scheme of --suppress other than none");
    if (count_of(v, "cost", 0) != LETHE_COST_LM)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--prices needs --cost LM: DM and CM have a price for a deleted row by "
                          "definition");
    if (!text_of(v, "sa") || several_columns(v))
        return lethe_fail(d, LETHE_EUSAGE, "--prices needs one sensitive column: --sa COLUMN");
    return LETHE_OK;
}

double lethe_precaution_suppress(const lethe_values *v)
{
    const lethe_value *value = lethe_value_find(v, "precaution-suppress");
    return value && value->present ? value->real : 0;
}

/* What is not defined, or not proven, for demands beyond theta, distinct and k. */
static lethe_err schemes_check(const lethe_values *v, const lethe_asked *k, lethe_diag *d)
{
    lethe_group_suppress suppress = suppress_of(v);
    bool stars = lethe_suppress_stars(suppress);
    if (stars && (k->entropy.den > 0 || k->l > 0))
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--suppress vioSA, allSA and evenSA go with --theta and --distinct-l only: what "
            "%s asks of starred values is not defined",
            k->entropy.den > 0 ? "--entropy-l" : "--recursive");
    if (k->has_t && suppress != LETHE_SUPPRESS_NONE)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--t-closeness needs --suppress none: what is suppressed would change "
                          "the distribution that groups are compared with");
    // values with thresholds of their own are told apart by these
    if (suppress == LETHE_SUPPRESS_EVEN_SA &&
        (!text_of(v, "theta") || lethe_value_of(v, "theta-file")->given))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--suppress evenSA needs --theta, one threshold for all values");
    if (k->n_sa <= 1) return LETHE_OK;
    if (lethe_value_of(v, "theta-file")->given || text_of(v, "theta-by-frequency"))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--theta-file and --theta-by-frequency are for one sensitive column; "
                          "with several, use --theta");
    if (stars)
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--suppress vioSA, allSA and evenSA are for one sensitive column; with several, "
            "use --suppress none or allRec");
    if (suppress == LETHE_SUPPRESS_VIO_REC && k->has_theta)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--suppress vioRec, the default, deletes for --theta in one sensitive "
                          "column; with several, use --suppress none or allRec");
    return LETHE_OK;
}

static lethe_err asked_check(const lethe_values *v, lethe_arena *a, lethe_diag *d)
{
    lethe_asked k;
    LETHE_TRY(lethe_asked_read(d, a, v, &k));
    const char *sensitive = lethe_asked_sensitive(&k);
    if (!sensitive && count_of(v, "k", 1) == 1 && k.k_map == 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "no privacy requirement given: use -k (2 or more), --theta, "
                          "--distinct-l, --entropy-l, --recursive, --t-closeness or --k-map");
    if (sensitive && k.n_sa == 0)
        return lethe_fail(d, LETHE_EUSAGE, "%s needs a sensitive column: --sa COLUMN", sensitive);
    return schemes_check(v, &k, d);
}

lethe_err lethe_generalize_validate(const lethe_values *v, lethe_diag *d)
{
    bool stars = lethe_suppress_stars(suppress_of(v));
    int64_t cost = count_of(v, "cost", 0);
    LETHE_TRY(theta_check(v, "theta", d));
    LETHE_TRY(theta_check(v, "theta-by-frequency", d));
    LETHE_TRY(deletion_check(v, d));
    LETHE_TRY(prices_check(v, d));
    if (lethe_precaution_suppress(v) > 0 && suppress_of(v) == LETHE_SUPPRESS_NONE)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--precaution-suppress needs a scheme of --suppress other than none");
    if (text_of(v, "theta-by-frequency") &&
        (text_of(v, "theta") || lethe_value_of(v, "theta-file")->given))
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--theta-by-frequency sets all thresholds: it cannot be combined with --theta "
            "or --theta-file");
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? asked_check(v, a, d) : lethe_no_memory(d);
    lethe_arena_free(a);
    LETHE_TRY(e);
    if (cost != LETHE_COST_LM && stars)
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--suppress vioSA, allSA and evenSA need --cost LM: DM and CM have no price for a "
            "starred value");
    if (cost == LETHE_COST_CM && !text_of(v, "class"))
        return lethe_fail(d, LETHE_EUSAGE, "--cost CM needs a column of classes: --class COLUMN");
    return LETHE_OK;
}

/* Adds a claim about the quasi-identifiers and, where `sa` has a name, a sensitive column. */
static lethe_json *claim_add(const lethe_values *v, const char *notion, lethe_str sa,
                             lethe_json_doc *doc, lethe_json *claims)
{
    lethe_json *claim = lethe_json_object(doc), *names = lethe_json_array(doc);
    lethe_arena *a = lethe_arena_new();
    lethe_str *qi = NULL;
    size_t n = 0;
    lethe_set_text(doc, claim, "notion", notion);
    // a manifest's list may be anything: a claim about no column cannot hold
    if (!a || lethe_names_parse(NULL, a, text_of(v, "qi"), &qi, &n) != LETHE_OK) n = 0;
    for (size_t i = 0; i < n; i++)
        lethe_json_push(doc, names, lethe_json_new_text(doc, qi[i]));
    lethe_arena_free(a);
    lethe_json_set(doc, claim, "qi", names);
    if (sa.at) lethe_json_set(doc, claim, "sa", lethe_json_new_text(doc, sa));
    lethe_json_push(doc, claims, claim);
    return claim;
}

static void set_decimal(lethe_json_doc *doc, lethe_json *claim, const char *name, lethe_theta x)
{
    char text[LETHE_THETA_MAX];
    lethe_decimal_print(x, text);
    lethe_set_text(doc, claim, name, text);
}

/* What is asked of each sensitive column by itself. */
static void column_claims(const lethe_values *v, const lethe_asked *k, size_t column,
                          lethe_json_doc *doc, lethe_json *claims)
{
    lethe_str sa = k->sa[column];
    if (k->entropy.den > 0)
        set_decimal(doc, claim_add(v, "entropy-l", sa, doc, claims), "l", k->entropy);
    if (k->l > 0) {
        lethe_json *claim = claim_add(v, "recursive-cl", sa, doc, claims);
        set_decimal(doc, claim, "c", k->c);
        lethe_set_count(doc, claim, "l", k->l);
    }
    if (k->has_t) {
        lethe_json *claim = claim_add(v, "t-closeness", sa, doc, claims);
        set_decimal(doc, claim, "t", k->t);
        lethe_set_text(doc, claim, "distance", lethe_distance_name(k->distance[column]));
    }
}

static void claims_add(const lethe_values *v, const lethe_asked *k, lethe_json_doc *doc,
                       lethe_json *claims)
{
    int64_t rows = count_of(v, "k", 1);
    for (size_t i = 0; i < k->n_sa && k->has_theta; i++) {
        // a share as it is printed after parsing, so that it has one form
        char text[LETHE_THETA_MAX] = "listed";
        lethe_theta theta;
        bool listed = lethe_value_of(v, "theta-file")->given || text_of(v, "theta-by-frequency");
        if (!listed && lethe_theta_parse(lethe_str_of(text_of(v, "theta")), &theta))
            lethe_theta_print(theta, text);
        lethe_json *claim = claim_add(v, "l-plus-diversity", k->sa[i], doc, claims);
        lethe_set_text(doc, claim, "theta", text);
        if (suppress_of(v) == LETHE_SUPPRESS_EVEN_SA)
            lethe_set_text(doc, claim, "counting", "fixed-cut");
    }
    if (rows > 1)
        lethe_set_count(doc, claim_add(v, "k-anonymity", (lethe_str){0}, doc, claims), "k",
                        (uint64_t)rows);
    for (size_t i = 0; i < k->n_sa && k->distinct > 1; i++)
        lethe_set_count(doc, claim_add(v, "distinct-l", k->sa[i], doc, claims), "l", k->distinct);
    for (size_t i = 0; i < k->n_sa; i++)
        column_claims(v, k, i, doc, claims);
    if (k->k_map == 0) return;
    const char *digest = text_of(v, "population-blake2b");
    lethe_json *claim = claim_add(v, "k-map", (lethe_str){0}, doc, claims);
    lethe_set_count(doc, claim, "k", k->k_map);
    lethe_set_text(doc, claim, "population", digest ? digest : "");
}

void lethe_generalize_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims)
{
    lethe_arena *a = lethe_arena_new();
    lethe_asked k = {0};
    // what cannot be read was refused before: a claim of no kind cannot be taken for less
    if (a && lethe_asked_read(NULL, a, v, &k) == LETHE_OK)
        claims_add(v, &k, doc, claims);
    else
        claim_add(v, "", (lethe_str){0}, doc, claims);
    lethe_arena_free(a);
}

size_t lethe_generalize_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    const lethe_value *top = lethe_value_find(v, "top-h");
    lethe_group_suppress suppress = suppress_of(v);
    size_t n = 0;
    bool close = text_of(v, "t-closeness"),
         sensitive = has_thetas(v) || count_of(v, "distinct-l", 1) > 1 || text_of(v, "entropy-l") ||
                     text_of(v, "recursive") || close;
    if (text_of(v, "sa") && !sensitive)
        out[n++] = "The sensitive column has no requirement: all rows of a group may have the same "
                   "value, which is then known.";
    if (several_columns(v))
        out[n++] = "Each sensitive column is protected by itself: anyone who knows one sensitive "
                   "value of a person can use it to narrow down the others.";
    if (count_of(v, "k-map", 1) > 1)
        out[n++] = "k-map counts rows of the population: it does not protect against anyone who "
                   "knows who is in the table, and holds only as far as the population's table is "
                   "complete.";
    if (suppress == LETHE_SUPPRESS_EVEN_SA)
        out[n++] =
            "Counting stars is considered for a fixed cut only: it would make nobody surer of "
            "a value than the threshold allows, if the cut did not depend on the sensitive values. "
            "But the cut is chosen by them, and that choice can tell more, even a value for "
            "certain. Anyone to whom not all values and all rows of a group are alike, by a "
            "column that is kept, the class of a person or what is common elsewhere, may be "
            "surer too.";
    if (close)
        out[n++] = "Closeness limits how much more can be learned of a person's group than of the "
                   "whole table, whose distribution is published. It does not consider what else "
                   "is known about a person.";
    else if (has_thetas(v))
        out[n++] =
            "A threshold limits how sure anyone can be of a value by its share in a group. It "
            "does not consider that some values are similar, or rarer elsewhere, or what else "
            "is known about a person.";
    else
        out[n++] =
            "What is required of groups does not consider that some values are similar, or rarer "
            "elsewhere, or what else is known about a person.";
    if (suppress == LETHE_SUPPRESS_VIO_SA)
        out[n++] = "Stars replace values that are too common in their group: the number of stars "
                   "reveals that there was such a value, and which one if all others are seen.";
    if (suppress == LETHE_SUPPRESS_VIO_REC || suppress == LETHE_SUPPRESS_ALL_REC)
        out[n++] =
            "Anyone who knows how many rows a group had sees that some were deleted, and may "
            "learn which value these had.";
    if (suppress != LETHE_SUPPRESS_NONE && text_of(v, "theta-by-frequency"))
        out[n++] = THRESHOLDS_TELL;
    const lethe_value *precaution = lethe_value_find(v, "precaution");
    if ((!top || top->count <= 1) && precaution && precaution->real <= 0 &&
        lethe_precaution_suppress(v) <= 0)
        out[n++] = "The cut is the best one: anyone who knows the method can rule out tables for "
                   "which it would have published more (minimality; --precaution).";
    return n;
}

lethe_err lethe_cut_validate(const lethe_values *v, lethe_diag *d)
{
    if (text_of(v, "ranges") && lethe_ranges_have_values(text_of(v, "ranges")))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--ranges COLUMN=values: one cut for the whole table needs fixed ranges; "
                          "give widths, such as COLUMN=5,10, or use local");
    return lethe_generalize_validate(v, d);
}

const lethe_figure lethe_generalize_figures[] = {
    {"cost", "loss of the release, as --cost measures it", -1, .kind = LETHE_FIGURE_NUMBER,
     .label = "loss in total", .unit = "as --cost measures it"},
    {"cut", "the values that are published, by column", 0, .source = LETHE_FIGURE_RELEASE,
     .kind = LETHE_FIGURE_NAMES_BY, .label = "values published"},
    {"optimal", "whether the published cut is proven to be the cheapest", 1,
     .kind = LETHE_FIGURE_FLAG, .label = "least possible loss"},
    {"cuts_total", "number of possible cuts", 0, .kind = LETHE_FIGURE_NUMBER,
     .label = "possible cuts", .detail = true},
    {"cuts_examined", "cuts examined; those of the start may count twice", 0,
     .source = LETHE_FIGURE_RUN, .label = "cuts examined", .detail = true},
    {"cuts_to_best", "cuts examined until the best was found", 0, .source = LETHE_FIGURE_RUN,
     .label = "cuts examined until the best", .detail = true},
    {"rows_deleted", "rows deleted by --suppress", .better = -1},
    {"values_starred", "sensitive values starred by --suppress", -1, .source = LETHE_FIGURE_RELEASE,
     .label = "sensitive values starred"},
    {"groups", "groups of published rows that look alike", 1, .source = LETHE_FIGURE_RELEASE,
     .label = "groups of rows that look alike"},
    {0},
};

const char *const lethe_generalize_caveats[] = {
    "Each row counts as one person: a person with several rows is not protected.",
    "Releases of the same or of overlapping data are not protected together.",
    NULL,
};

const char *const lethe_generalize_found[] = {FEWER_RAISED, FEWER_SUPPRESSED, NULL};

/* --- thresholds --- */

/* theta * fr / fr_avg for a value that is at least as frequent as the average (section 3.6.1.2);
 * cut to thousandths, since more would tell how often the value stood in the table.  Where a
 * thousandth is fewer than SAME rows, they are counted in steps of SAME: so at least so many
 * numbers of rows have the same threshold. */
static lethe_theta theta_by_frequency(lethe_theta base, uint64_t with, uint64_t rows, uint64_t n)
{
    enum { SAME = 10 };
    if ((wide)rows * base.den < (wide)SAME * 1000 * base.num * n) with -= with % SAME;
    if (with * n < rows) return base;
    // below 2^60 * 2^64, and once it is below the other also a thousand times as much fits
    wide above = (wide)base.num * with * n, below = (wide)base.den * rows;
    uint64_t thousandths = above >= below ? 1000 : (uint64_t)(above * 1000 / below);
    // never under the base, which it is of right at the average
    if ((wide)thousandths * base.den < (wide)base.num * 1000) return base;
    char text[LETHE_THETA_MAX];
    lethe_theta out = base;
    snprintf(text, sizeof text, "%llu/1000", (unsigned long long)thousandths);
    return lethe_theta_parse(lethe_str_of(text), &out) ? out : base;
}

/* By sensitive value: how many rows have it; NULL: no memory. */
static uint64_t *count_sensitive(lethe_generalize_run *g)
{
    const lethe_column *sa = g->table->sa;
    uint64_t *with =
        lethe_new(g->arena, uint64_t, sa ? (size_t)lethe_dict_count(sa->values) + 1 : 1);
    for (size_t i = 0; with && sa && i < g->table->n; i++)
        with[sa->code[i]]++;
    return with;
}

static lethe_err set_thetas(lethe_generalize_run *g)
{
    const lethe_values *v = g->run->values;
    const char *file = text_of(v, "theta-file"), *all = text_of(v, "theta"),
               *base = text_of(v, "theta-by-frequency");
    lethe_theta given = {0};
    if (!file && !all && !base) return LETHE_OK;
    uint32_t n = g->demand.n_sa; // of the only column; several have no lists of their own
    lethe_theta *theta = lethe_new(g->arena, lethe_theta, n);
    uint64_t *with = base ? count_sensitive(g) : NULL;
    if (!theta || (base && !with)) return lethe_no_memory(g->run->ctx);
    g->demand.theta = theta;
    g->listed = file || base;
    if ((all || base) && !lethe_theta_parse(lethe_str_of(all ? all : base), &given))
        return lethe_fail(g->run->ctx, LETHE_EUSAGE, "a threshold is not a share"); // was checked
    for (uint32_t s = 0; s < n; s++)
        theta[s] = base ? theta_by_frequency(given, with[s], g->table->n, n) : given;
    if (!file) return LETHE_OK;
    lethe_thetas list = {0};
    lethe_err e = lethe_thetas_read(g->run->ctx, file, &list);
    for (uint32_t s = 0; e == LETHE_OK && s < n; s++) {
        lethe_str name = lethe_dict_at(g->table->sa->values, s);
        uint32_t at = lethe_dict_find(list.names, name);
        if (at != LETHE_NONE) theta[s] = list.at[at];
        if (at != LETHE_NONE || all) continue; // a value that the file lacks has --theta
        char shown[NAME_SHOWN];
        lethe_show(shown, sizeof shown, name);
        e = lethe_fail_at(lethe_ctx_diag(g->run->ctx), LETHE_EINPUT, file, 0, 0,
                          "sensitive value '%s' has no threshold: add it, or give --theta for "
                          "all other values",
                          shown);
    }
    lethe_thetas_free(&list);
    return e;
}

static void trace_line(void *user, double seconds, uint64_t cuts, uint64_t cost)
{
    lethe_generalize_run *g = user;
    char line[96];
    int n = snprintf(line, sizeof line, "%.6f\t%llu\t%.10g\n", seconds, (unsigned long long)cuts,
                     (double)cost / g->unit);
    if (g->trace_err == LETHE_OK) g->trace_err = lethe_sink_write(g->run->trace, line, (size_t)n);
}

/* --- prices --- */

static uint64_t priced(const lethe_generalize_run *g, lethe_deletion_weight w)
{
    return g->demand.scale / w.den * w.num * g->table->n_qi;
}

/* The price of each value, in rows: what the file says, or `otherwise`. */
static lethe_err prices_of(lethe_generalize_run *g, const char *file,
                           lethe_deletion_weight otherwise, lethe_deletion_weight *out)
{
    lethe_thetas list = {0};
    LETHE_TRY(lethe_prices_read(g->run->ctx, file, &list));
    for (uint32_t s = 0; s < g->demand.n_sa; s++) {
        uint32_t at = lethe_dict_find(list.names, lethe_dict_at(g->table->sa->values, s));
        out[s] = otherwise;
        if (at != LETHE_NONE) out[s] = (lethe_deletion_weight){list.at[at].num, list.at[at].den};
    }
    lethe_thetas_free(&list);
    return LETHE_OK;
}

/* Weights of nodes at a scale at which all prices are whole numbers: their denominators divide
 * 1000. */
static lethe_err set_prices(lethe_generalize_run *g)
{
    enum { PARTS = 1000 };
    const char *file = text_of(g->run->values, "prices");
    lethe_deletion_weight gone = {2, 1}, star = {1, 1}, most;
    if (!lethe_deletion_weight_of(deletion_of(g->run->values), &gone)) // was checked
        return lethe_fail(g->run->ctx, LETHE_EUSAGE, "the weight of a deletion is none");
    most = gone;
    uint32_t n = file ? g->demand.n_sa : 0;
    lethe_deletion_weight *each = lethe_new(g->arena, lethe_deletion_weight, (size_t)n + 1);
    uint64_t *price = lethe_new(g->arena, uint64_t, (size_t)n + 1), deletion;
    if (!each || !price) return lethe_no_memory(g->run->ctx);
    if (file) {
        bool stars = lethe_suppress_stars(g->demand.suppress);
        LETHE_TRY(prices_of(g, file, stars ? star : gone, each));
        most = (lethe_deletion_weight){gone.num * (PARTS / gone.den), PARTS};
        for (uint32_t s = 0; s < n; s++)
            most.num = LETHE_MAX(most.num, each[s].num * (PARTS / each[s].den));
    }
    if (lethe_tuples_weights_with(g->tuples, g->arena, most, &g->weight, &g->demand.scale,
                                  &deletion) != LETHE_OK)
        return lethe_no_memory(g->run->ctx);
    g->demand.deletion = priced(g, gone);
    for (uint32_t s = 0; s < n; s++)
        price[s] = priced(g, each[s]);
    if (file) g->demand.price = price;
    return LETHE_OK;
}

/* --- before the search --- */

static lethe_err make_tuples(lethe_generalize_run *g)
{
    const lethe_values *v = g->run->values;
    lethe_population p = {0};
    if (g->asked.k_map > 0) {
        lethe_ctx_phase(g->run->ctx, "population", 0);
        LETHE_TRY(lethe_asked_population(g->run->ctx, g->arena, text_of(v, "population"),
                                         text_of(v, "qi"), g->table, &p));
        g->population = p.n;
    }
    lethe_ctx_phase(g->run->ctx, "tuples", 0);
    return lethe_tuples_beside(g->run->ctx, g->table, g->asked.k_map > 0 ? &p : NULL,
                               g->demand.cost == LETHE_COST_CM, &g->tuples);
}

static lethe_err begin_run(lethe_generalize_run *g)
{
    const lethe_values *v = g->run->values;
    const lethe_table *t = g->table;
    const lethe_value *alpha = lethe_value_find(v, "alpha");
    g->arena = lethe_arena_new();
    if (!g->arena) return lethe_no_memory(g->run->ctx);
    g->demand = (lethe_group_demand){.suppress = suppress_of(v),
                                     .cost = (lethe_group_cost)count_of(v, "cost", LETHE_COST_LM),
                                     .n_sa = t->sa ? lethe_dict_count(t->sa->values) : 0,
                                     .k = (uint64_t)count_of(v, "k", 1),
                                     .distinct = (uint32_t)count_of(v, "distinct-l", 1),
                                     .n_class = t->class ? lethe_dict_count(t->class->values) : 1,
                                     .rows = t->n,
                                     .n_qi = (uint32_t)t->n_qi};
    g->limits = (lethe_table_limits){.top = (size_t)count_of(v, "top-h", 1),
                                     .alpha = alpha ? alpha->real : 0,
                                     .seconds = (double)count_of(v, "time-limit", 0),
                                     .cuts = (uint64_t)count_of(v, "max-cuts", 0)};
    LETHE_TRY(lethe_asked_read(lethe_ctx_diag(g->run->ctx), g->arena, v, &g->asked));
    LETHE_TRY(set_thetas(g));
    LETHE_TRY(make_tuples(g));
    lethe_theta theta = {1, 1};
    if (text_of(v, "theta") && !lethe_theta_parse(lethe_str_of(text_of(v, "theta")), &theta))
        return lethe_fail(g->run->ctx, LETHE_EUSAGE, "a threshold is not a share"); // was checked
    LETHE_TRY(
        lethe_asked_demand(g->run->ctx, g->arena, &g->asked, t, g->tuples, theta, &g->demand));
    LETHE_TRY(set_prices(g));
    g->unit = g->demand.cost == LETHE_COST_LM && g->demand.scale ? (double)g->demand.scale : 1;
    if (g->run->trace) {
        g->limits.on_better = trace_line;
        g->limits.user = g;
    }
    lethe_ctx_phase(g->run->ctx, "cuts", 0);
    return LETHE_OK;
}

uint64_t lethe_generalize_need(const lethe_data *in, const lethe_sizes *s, uint64_t per_tuple)
{
    const lethe_table *t = in ? in->table : NULL;
    double most = t ? 1 : 0;
    for (size_t i = 0; t && i < t->n_qi; i++)
        most *= t->qi[i].tree->leaves[0];
    for (size_t i = 0; t && i < t->n_sa; i++)
        most *= lethe_dict_count(t->sa[i].values);
    if (t && t->class) most *= lethe_dict_count(t->class->values);
    uint64_t tuples = (uint64_t)LETHE_MIN(most, (double)s->n);
    return LETHE_MAX(16 * s->n + per_tuple * tuples, s->held);
}

lethe_err lethe_generalize_table(lethe_run *run, const lethe_data *in, lethe_result *out,
                                 lethe_generalize_search_fn search)
{
    lethe_generalize_run g = {.run = run, .out = out, .table = in->table};
    lethe_err e = begin_run(&g);
    if (e == LETHE_OK) e = search(&g);
    lethe_tuples_free(g.tuples);
    lethe_arena_free(g.arena);
    return e;
}

/* --- why there is nothing to publish --- */

/* Names the first column whose values do not keep what is asked even in the table as one group. */
static lethe_err fail_columns(lethe_generalize_run *g, const char *so, const char *hope)
{
    const lethe_group_demand *d = &g->demand;
    char shown[NAME_SHOWN];
    for (uint32_t k = 0; k < d->n_columns; k++) {
        const lethe_column *c = &g->table->sa[k];
        uint32_t n = lethe_dict_count(c->values), n_values = 0;
        uint32_t *with = lethe_new(g->arena, uint32_t, n),
                 *value = lethe_new(g->arena, uint32_t, n),
                 *zeros = lethe_new(g->arena, uint32_t, lethe_group_room(d));
        if (!with || !value || !zeros) return lethe_no_memory(g->run->ctx);
        for (size_t i = 0; i < g->table->n; i++)
            with[c->code[i]]++;
        for (uint32_t s = 0; s < n; s++)
            value[n_values++] = s; // each occurs
        lethe_column_counts counts = {n_values, g->table->n, value, with, zeros};
        if (lethe_group_column_keeps(&d->column[k], &counts)) continue;
        lethe_show(shown, sizeof shown, c->name);
        return lethe_fail(g->run->ctx, LETHE_ANSWER_NO,
                          "%s: not even all rows together have values of '%s' as diverse as is "
                          "asked%s",
                          so, shown, hope);
    }
    return lethe_fail(g->run->ctx, LETHE_ANSWER_NO, "%s", so);
}

/* evenSA: fewer than 1/theta values cannot all be at most at theta, not even if all are starred. */
static bool has_few_values(const lethe_group_demand *d)
{
    return d->suppress == LETHE_SUPPRESS_EVEN_SA && d->n_sa > 0 &&
           (wide)d->n_sa * d->theta[0].num < d->theta[0].den;
}

/* Names the reason why not even the table as one group keeps the promise: where a value is too
 * common in the whole table, no cut can help.  `so` begins the message. */
static lethe_err fail_infeasible(lethe_generalize_run *g, const char *so)
{
    const lethe_group_demand *d = &g->demand;
    uint64_t *with = count_sensitive(g), rows = g->table->n;
    char theta[LETHE_THETA_MAX], shown[NAME_SHOWN];
    bool may_suppress = lethe_value_find(g->run->values, "suppress");
    const char *hope =
        may_suppress && d->suppress == LETHE_SUPPRESS_NONE ? "; --suppress may help" : "";
    if (!with) return lethe_no_memory(g->run->ctx);
    if (has_few_values(d)) {
        lethe_theta_print(d->theta[0], theta);
        return lethe_fail(
            g->run->ctx, LETHE_ANSWER_NO,
            "%s: the sensitive column has %lu different values, and --suppress evenSA "
            "needs at least 1/theta (theta is %s)",
            so, (unsigned long)d->n_sa, theta);
    }
    for (uint32_t s = 0; d->theta && s < d->n_sa; s++) {
        if (!lethe_theta_violated(d->theta[s], with[s], rows)) continue;
        lethe_show(shown, sizeof shown, lethe_dict_at(g->table->sa->values, s));
        lethe_theta_print(d->theta[s], theta);
        return lethe_fail(g->run->ctx, LETHE_ANSWER_NO,
                          "%s: %llu of %llu rows (%.4g %%) have the sensitive value '%s', and "
                          "theta allows %s%s",
                          so, (unsigned long long)with[s], (unsigned long long)rows,
                          100.0 * (double)with[s] / (double)rows, shown, theta, hope);
    }
    if (rows < d->k)
        return lethe_fail(g->run->ctx, LETHE_ANSWER_NO,
                          "%s: the table has %llu rows, fewer than -k %llu", so,
                          (unsigned long long)rows, (unsigned long long)d->k);
    if (d->distinct > 1 && d->n_sa < d->distinct)
        return lethe_fail(
            g->run->ctx, LETHE_ANSWER_NO,
            "%s: the table has %lu different sensitive values, fewer than --distinct-l %lu", so,
            (unsigned long)d->n_sa, (unsigned long)d->distinct);
    if (g->asked.k_map > 0 && g->population < g->asked.k_map)
        return lethe_fail(g->run->ctx, LETHE_ANSWER_NO,
                          "%s: the population has %llu rows that are counted, fewer than --k-map "
                          "%llu",
                          so, (unsigned long long)g->population,
                          (unsigned long long)g->asked.k_map);
    return fail_columns(g, so, hope);
}

lethe_err lethe_generalize_infeasible(lethe_generalize_run *g, const char *so)
{
    return fail_infeasible(g, so);
}
