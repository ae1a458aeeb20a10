/* SPDX-License-Identifier: Apache-2.0 */
/* verify_figures.c - are the figures of a manifest true?  They are those that its steps have, each
 * of its kind.  Figures that follow from the published files are computed from these again.  Of the
 * others, the publisher's word, only what contradicts the files is refused. */
#include "release/verify/verify_seen.h"
#include "core/parse.h"
#include "core/mem.h"
#include "model/table/theta.h"
#include <math.h>
#include <stdio.h>

/* Two ways to compute a real from the same numbers may differ in the last bits; a forgery that is
 * this close says nothing else. */
#define CLOSE 1e-9

enum { PRICE_MAX = 100 }; /* of --prices, in rows */

static const lethe_json *steps_of(const lethe_verification *v)
{
    return lethe_json_get(v->p->manifest, "steps");
}
static const lethe_json *metrics_of(const lethe_verification *v)
{
    return lethe_json_get(v->p->manifest, "metrics");
}
static const lethe_json *said_of(const lethe_verification *v, const char *name)
{
    return lethe_json_get(metrics_of(v), name);
}

static bool is_close(double a, double b) { return fabs(a - b) <= CLOSE * fmax(fabs(a), fabs(b)); }

/* --- refusing --- */

/* The reason, with the figure and what the manifest says of it; the caller adds what is found. */
static lethe_err refuse(lethe_verification *v, lethe_str name, const lethe_json *said,
                        const char *text)
{
    char shown[80];
    lethe_show(shown, sizeof shown, name);
    lethe_err e = lethe_fail(v->p->ctx, LETHE_ANSWER_NO, "%s: '%s'", text, shown);
    v->why = lethe_json_object(v->doc);
    lethe_set_text(v->doc, v->why, "reason", text);
    lethe_json_set(v->doc, v->why, "figure", lethe_json_new_text(v->doc, name));
    if (said) lethe_json_set(v->doc, v->why, "said", lethe_json_copy(v->doc, said));
    return e;
}

/* --- which figures there are, and their kinds --- */

static bool is_real(const lethe_json *x, double max)
{
    lethe_json_type kind = lethe_json_kind(x);
    double value = lethe_json_real(x);
    return (kind == LETHE_JSON_REAL || kind == LETHE_JSON_INT) && value >= 0 && value <= max;
}

static bool is_count(const lethe_json *x)
{
    return lethe_json_kind(x) == LETHE_JSON_INT && lethe_json_int(x) >= 0;
}

static bool is_share(const lethe_json *x)
{
    return lethe_json_kind(x) == LETHE_JSON_REAL && is_real(x, 1 + CLOSE);
}

/* Figures that are objects, and what they count: a name of any other would stand on the page. */
static const struct {
    const char *figure, *parts;
} counts_of[] = {
    {"found", "ssn card phone email ip number address url iban id birth plate person place "
              "list"},
    {"removed", "few_results targeted named few_sites graph"},
    {"removed_volume", "few_results targeted named few_sites graph"},
    {"removed_clicks", "few_results targeted named few_sites graph hidden"},
};

static bool is_part(const char *figure, lethe_str name)
{
    const char *parts = "";
    for (size_t i = 0; i < LETHE_COUNT(counts_of); i++)
        if (strcmp(counts_of[i].figure, figure) == 0) parts = counts_of[i].parts;
    for (size_t n; *parts; parts += n + (parts[n] == ' ')) {
        n = strcspn(parts, " ");
        if (lethe_str_eq(name, (lethe_str){parts, n})) return true;
    }
    return false;
}

static bool is_counts(const lethe_json *x, const char *figure)
{
    bool is = lethe_json_kind(x) == LETHE_JSON_OBJECT;
    for (size_t i = 0; i < lethe_json_count(x) && is; i++)
        is = is_count(lethe_json_at(x, i)) && is_part(figure, lethe_json_name(x, i));
    return is;
}

static bool is_texts(const lethe_json *x)
{
    bool is = lethe_json_kind(x) == LETHE_JSON_ARRAY;
    for (size_t i = 0; i < lethe_json_count(x) && is; i++)
        is = lethe_json_kind(lethe_json_at(x, i)) == LETHE_JSON_TEXT;
    return is;
}

bool lethe_figure_fits(const lethe_figure *f, const lethe_json *x)
{
    size_t n = lethe_json_count(x);
    bool array = lethe_json_kind(x) == LETHE_JSON_ARRAY,
         object = lethe_json_kind(x) == LETHE_JSON_OBJECT;
    switch ((lethe_figure_kind)f->kind) {
    case LETHE_FIGURE_COUNT:
        return is_count(x);
    case LETHE_FIGURE_NUMBER:
        return is_real(x, INFINITY);
    case LETHE_FIGURE_SHARE:
        return is_share(x);
    case LETHE_FIGURE_FLAG:
        return lethe_json_kind(x) == LETHE_JSON_BOOL;
    case LETHE_FIGURE_COUNTS:
        return is_counts(x, f->name);
    case LETHE_FIGURE_SHARES:
        for (size_t i = 0; i < n && array; i++)
            array = is_share(lethe_json_at(x, i)) ||
                    lethe_json_kind(lethe_json_at(x, i)) == LETHE_JSON_NULL;
        return array;
    case LETHE_FIGURE_NAMES:
        return is_texts(x);
    case LETHE_FIGURE_NAMES_BY:
        for (size_t i = 0; i < n && object; i++)
            object = is_texts(lethe_json_at(x, i));
        return object;
    }
    return false;
}

static bool is_of_this_version(const lethe_verification *v)
{
    return lethe_str_eq(lethe_json_text(lethe_json_get(v->p->manifest, "lethe")),
                        lethe_str_of(lethe_version()));
}

/* Can a release with these steps have the figure?  One that was joined from parts has only those
 * that follow from its parts. */
static bool is_had(const lethe_verification *v, lethe_str name)
{
    return lethe_manifest_parts(v->p->manifest) == 0 || lethe_steps_joint(steps_of(v), name);
}

static lethe_err members_check(lethe_verification *v)
{
    const lethe_json *metrics = metrics_of(v);
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        lethe_str name = lethe_json_name(metrics, i);
        const lethe_json *said = lethe_json_at(metrics, i);
        const lethe_figure *f = lethe_steps_figure(steps_of(v), name, NULL);
        // versions up to 0.2 published figures of the run
        if (!f || (f->source == LETHE_FIGURE_RUN && is_of_this_version(v)) || !is_had(v, name))
            return refuse(v, name, NULL, "the manifest has a figure that its steps do not publish");
        if (!lethe_figure_fits(f, said))
            return refuse(v, name, said, "a figure of the manifest is not of its kind");
    }
    return LETHE_OK;
}

static lethe_err all_there(lethe_verification *v, const lethe_figure *table)
{
    for (const lethe_figure *f = table; f && f->name; f++)
        if (!f->optional && f->source != LETHE_FIGURE_RUN && !said_of(v, f->name) &&
            is_had(v, lethe_str_of(f->name)))
            return refuse(v, lethe_str_of(f->name), NULL,
                          "the manifest lacks a figure that its steps publish");
    return LETHE_OK;
}

static lethe_err missing_check(lethe_verification *v)
{
    const lethe_json *steps = steps_of(v);
    for (size_t i = 0; i < lethe_json_count(steps); i++)
        LETHE_TRY(all_there(v, lethe_step_method(lethe_json_at(steps, i))->figures));
    return all_there(v, v->ops->adds);
}

/* --- what the files show --- */

/* Where two arrays of texts differ first, and what each has there; NULL: nothing. */
static void first_difference(const lethe_json **said, const lethe_json **found)
{
    size_t n = lethe_json_count(*said), m = lethe_json_count(*found), i = 0;
    while (i < n && i < m &&
           lethe_str_eq(lethe_json_text(lethe_json_at(*said, i)),
                        lethe_json_text(lethe_json_at(*found, i))))
        i++;
    *said = i < n ? lethe_json_at(*said, i) : NULL;
    *found = i < m ? lethe_json_at(*found, i) : NULL;
}

static lethe_err differ(lethe_verification *v, lethe_str name, const lethe_json *said,
                        const lethe_json *found)
{
    lethe_err e =
        refuse(v, name, said, "a figure of the manifest is not what the published files show");
    if (found) lethe_json_set(v->doc, v->why, "found", lethe_json_copy(v->doc, found));
    return e;
}

static lethe_err texts_compare(lethe_verification *v, lethe_str name, const lethe_json *said,
                               const lethe_json *found)
{
    first_difference(&said, &found);
    return said || found ? differ(v, name, said, found) : LETHE_OK;
}

/* By column, in the order of the step; values in any order. */
static lethe_err columns_compare(lethe_verification *v, lethe_str name, const lethe_json *said,
                                 const lethe_json *found)
{
    size_t n = lethe_json_count(found);
    if (lethe_json_count(said) != n) return differ(v, name, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        lethe_json *sorted;
        if (!lethe_str_eq(lethe_json_name(said, i), lethe_json_name(found, i)))
            return differ(v, name, NULL, NULL);
        LETHE_TRY(
            lethe_texts_sorted(lethe_ctx_diag(v->p->ctx), v->doc, lethe_json_at(said, i), &sorted));
        LETHE_TRY(texts_compare(v, name, sorted, lethe_json_at(found, i)));
    }
    return LETHE_OK;
}

static lethe_err figure_compare(lethe_verification *v, const lethe_figure *f,
                                const lethe_json *said, const lethe_json *found)
{
    lethe_str name = lethe_str_of(f->name);
    bool same;
    if (!found)
        return lethe_fail(v->p->ctx, LETHE_EINTERNAL,
                          LETHE_FAULT "nothing computes the figure %s from the files", f->name);
    if (f->kind == LETHE_FIGURE_NAMES) return texts_compare(v, name, said, found);
    if (f->kind == LETHE_FIGURE_NAMES_BY) return columns_compare(v, name, said, found);
    if (f->kind == LETHE_FIGURE_COUNT)
        same = lethe_json_int(said) == lethe_json_int(found);
    else
        same = is_close(lethe_json_real(said), lethe_json_real(found));
    return same ? LETHE_OK : differ(v, name, said, found);
}

/* `found`: the figures that the files show, by name. */
static lethe_err found_check(lethe_verification *v, const lethe_json *found)
{
    const lethe_json *metrics = metrics_of(v);
    if (lethe_json_failed(v->doc)) return lethe_no_memory(v->p->ctx);
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        lethe_str name = lethe_json_name(metrics, i);
        const lethe_figure *f = lethe_steps_figure(steps_of(v), name, NULL);
        if (lethe_steps_figure_is_checked(steps_of(v), name))
            LETHE_TRY(
                figure_compare(v, f, lethe_json_at(metrics, i), lethe_json_get(found, f->name)));
    }
    return LETHE_OK;
}

/* --- what cannot be true of the files --- */

/* A figure must lie between these.  One that a later step may have changed is not asked, nor one
 * that is not there. */
static lethe_err within(lethe_verification *v, const char *name, double least, double most)
{
    const lethe_json *said = said_of(v, name);
    double x = lethe_json_real(said);
    bool last = false;
    if (!said || !lethe_steps_figure(steps_of(v), lethe_str_of(name), &last) || !last)
        return LETHE_OK;
    if ((x >= least || is_close(x, least)) && (x <= most || is_close(x, most))) return LETHE_OK;
    lethe_err e = refuse(v, lethe_str_of(name), said,
                         "a figure of the manifest cannot be true of the published files");
    lethe_set_real(v->doc, v->why, "at_least", least);
    if (isfinite(most)) lethe_set_real(v->doc, v->why, "at_most", most);
    return e;
}

static lethe_err equals(lethe_verification *v, const char *name, double x)
{
    return within(v, name, x, x);
}

static double real_of(const lethe_verification *v, const char *name)
{
    return lethe_json_real(said_of(v, name));
}

static double sum_of(const lethe_verification *v, const char *name)
{
    const lethe_json *o = said_of(v, name);
    double sum = 0;
    for (size_t i = 0; i < lethe_json_count(o); i++)
        sum += lethe_json_real(lethe_json_at(o, i));
    return sum;
}

static double count_of(const lethe_verification *v, const char *name)
{
    return lethe_json_real(lethe_json_get(lethe_json_get(v->p->manifest, "counts"), name));
}

static const lethe_json *parameter(const lethe_verification *v, const char *name)
{
    return lethe_json_get(lethe_json_get(v->last_step, "parameters"), name);
}

static bool parameter_is(const lethe_verification *v, const char *name, const char *text)
{
    return lethe_str_eq(lethe_json_text(parameter(v, name)), lethe_str_of(text));
}

static bool is_last(const lethe_verification *v, const char *method)
{
    return lethe_str_eq(lethe_json_text(lethe_json_get(v->last_step, "command")),
                        lethe_str_of(method));
}

/* A share of a part that is known and another one. */
static double share(double part, double other)
{
    return part + other > 0 ? part / (part + other) : 1;
}

static lethe_err too_many(lethe_verification *v, const char *name, double most)
{
    lethe_err e = refuse(v, lethe_str_of(name), said_of(v, name),
                         "the manifest's figures do not agree with its counts");
    lethe_set_count(v->doc, v->why, "at_most", (uint64_t)most);
    return e;
}

/* Lines that steps left out are suppressed lines, wherever these steps stand. */
static lethe_err left_out_limits(lethe_verification *v)
{
    static const char *const names[] = {"rows_dropped", "rows_suppressed", "rows_deleted"};
    double suppressed = count_of(v, "suppressed"), sum = 0;
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        sum += real_of(v, names[i]);
        if (sum > suppressed) return too_many(v, names[i], suppressed);
    }
    return LETHE_OK;
}

/* Rows, and what rows have, are no more than the lines that were read, whatever step counted them.
 */
static lethe_err lines_limits(lethe_verification *v)
{
    static const char *const names[] = {"rows_kept",      "rows_hashed",      "queries_kept",
                                        "users",          "personas",         "queries",
                                        "urls_cut",       "urls_dropped",     "urls_uncut",
                                        "clicks_dropped", "kept_rows_changed"};
    double read = count_of(v, "read");
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        if (real_of(v, names[i]) > read) return too_many(v, names[i], read);
    return LETHE_OK;
}

/* `undecided` is summed over the promises of a chain, so a row may count once for each. */
static double undecided_most(const lethe_verification *v, double rows)
{
    return rows * (double)lethe_json_count(lethe_json_get(v->p->manifest, "claims"));
}

/* Does what is undecided depend on the search results at hand?  Then it may have been less when the
 * release was made. */
static bool needs_results(const lethe_verification *v)
{
    const lethe_json *claims = lethe_json_get(v->p->manifest, "claims");
    bool needs = false;
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        lethe_str notion = lethe_json_text(lethe_json_get(claim, "notion")),
                  results = lethe_json_text(lethe_json_get(claim, "results"));
        needs = needs || lethe_str_eq(notion, LETHE_LIT("disconnected")) ||
                lethe_str_eq(results, LETHE_LIT("file"));
    }
    return needs;
}

/* The page shows it: a manifest that leaves it out would make the promise look certain. */
static lethe_err undecided_check(lethe_verification *v)
{
    static const char name[] = "undecided";
    const lethe_json *found = lethe_json_get(v->p->figures, name);
    if (needs_results(v)) return LETHE_OK;
    if (!said_of(v, name) && lethe_json_int(found) > 0)
        return refuse(v, lethe_str_of(name), NULL,
                      "the manifest lacks a figure that its steps publish");
    return equals(v, name, lethe_json_real(found));
}

/* Both figures are of the same step. */
static lethe_err personas_limits(lethe_verification *v)
{
    double personas = real_of(v, "personas"), users = real_of(v, "users"),
           mean = users > 0 ? personas / users : 0;
    const lethe_json *said = said_of(v, "personas_per_user");
    if (!said || is_close(lethe_json_real(said), mean)) return LETHE_OK;
    lethe_err e = refuse(v, LETHE_LIT("personas_per_user"), said,
                         "the manifest's figures do not agree with each other");
    lethe_set_real(v->doc, v->why, "found", mean);
    return e;
}

/* Figures of kept columns are there where columns are kept, and nowhere else. */
static lethe_err kept_there(lethe_verification *v)
{
    static const char *const names[] = {"kept_values", "kept_values_dropped", "kept_rows_changed",
                                        "values_dropped"};
    bool scrubs = false;
    for (size_t i = 0; i < lethe_json_count(steps_of(v)); i++)
        scrubs =
            scrubs ||
            lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(steps_of(v), i), "command")),
                         LETHE_LIT("scrub"));
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        bool needed = v->keep.n > 0 && (scrubs || i + 1 < LETHE_COUNT(names));
        if ((said_of(v, names[i]) != NULL) != needed)
            return refuse(v, lethe_str_of(names[i]), NULL,
                          needed ? "the manifest lacks a figure that its steps publish"
                                 : "the manifest has a figure that its steps do not publish");
    }
    return LETHE_OK;
}

/* A value that is left out is left out of a row.  Of scrub's, rows may have been left out later. */
static lethe_err kept_limits(lethe_verification *v, double rows)
{
    double dropped = real_of(v, "kept_values_dropped"), columns = (double)v->keep.n;
    if (v->keep.n == 0) return LETHE_OK;
    LETHE_TRY(within(v, "kept_rows_changed", ceil(dropped / columns), dropped > 0 ? rows : 0));
    return within(v, "values_dropped", 0, columns * count_of(v, "read"));
}

static lethe_err log_limits(lethe_verification *v, const lethe_log_seen *s)
{
    double rows = (double)s->rows, texts = (double)s->texts, read = count_of(v, "read");
    LETHE_TRY(kept_limits(v, rows));
    if (parameter_is(v, "clicks", "all")) LETHE_TRY(equals(v, "clicks_dropped", 0));
    LETHE_TRY(within(v, "clicks_dropped", 0, rows)); // whose rows are published
    if (is_last(v, "microagg"))
        LETHE_TRY(within(v, "clusters", 1, read / fmax(1, lethe_json_real(parameter(v, "k")))));
    if (is_last(v, "split")) {
        double users = (double)s->users, fewest = (double)s->queries;
        double most = parameter_is(v, "time", "exact") ? fewest : rows;
        LETHE_TRY(within(v, "users", 1, users));
        LETHE_TRY(within(v, "queries_per_persona", fewest / users, most / users));
        LETHE_TRY(within(v, "undecided", 0, undecided_most(v, rows)));
    }
    if (is_last(v, "disconnect")) {
        double clicks = share((double)s->clicks, sum_of(v, "removed_clicks"));
        bool all = sum_of(v, "removed_volume") == 0;
        LETHE_TRY(equals(v, "queries", texts + sum_of(v, "removed")));
        LETHE_TRY(equals(v, "clicks_kept", clicks));
        LETHE_TRY(within(v, "volume_kept", all ? 1 : 0, 1));
        LETHE_TRY(within(v, "unconfirmed", 0, texts));
        LETHE_TRY(within(v, "undecided", 0, undecided_most(v, rows)));
    }
    return LETHE_OK;
}

/* Sets that are generalized by a cut: what is published lost at least what its items lost, and a
 * mean lies between the least and the greatest. */
static lethe_err cut_limits(lethe_verification *v, const lethe_records_seen *s)
{
    double items = (double)(s->items - s->exact), ncp = real_of(v, "ncp");
    LETHE_TRY(within(v, "ncp", items > 0 ? s->lm_min : 0, s->lm_max));
    LETHE_TRY(within(v, "cost", s->lm, INFINITY));
    // an item of a published set stands for one or more of the person's
    return ncp > 0 ? within(v, "cost", items * ncp, INFINITY) : equals(v, "cost", 0);
}

/* Sets of which items are removed: of `all` items, ncp of them. */
static lethe_err removed_limits(lethe_verification *v, const lethe_records_seen *s)
{
    double items = (double)(s->items - s->exact), ncp = real_of(v, "ncp");
    if (items == 0) return LETHE_OK;
    double removed = ncp < 1 ? round(items * ncp / (1 - ncp)) : INFINITY;
    LETHE_TRY(within(v, "distinct_items_removed", removed > 0 ? 1 : 0, removed));
    return within(v, "ncp", 0, removed / (items + removed));
}

/* So many persons of its group used each published term: so many have its record. */
static lethe_err owners_limits(lethe_verification *v, const lethe_records_seen *s)
{
    const lethe_json *least = parameter(v, "min-owners");
    if (!least || parameter_is(v, "owners", "log") || lethe_json_real(least) <= (double)s->fewest)
        return LETHE_OK;
    lethe_err e = lethe_verify_refuse(
        v, "a record is published that fewer persons have than min-owners says");
    lethe_set_count(v->doc, v->why, "records", s->fewest);
    lethe_json_set(v->doc, v->why, "needed", lethe_json_copy(v->doc, least));
    return e;
}

/* What the step was told, if it was: edges, or levels of two edges. */
static lethe_err epsilon_limits(lethe_verification *v)
{
    const lethe_json *told = parameter(v, "epsilon");
    lethe_str text = lethe_json_text(told);
    double levels = 0;
    if (lethe_json_kind(told) != LETHE_JSON_TEXT)
        return told && parameter(v, "metric") ? equals(v, "epsilon", floor(lethe_json_real(told)))
                                              : LETHE_OK;
    if (text.n == 0 || !lethe_parse_real((lethe_str){text.at, text.n - 1}, &levels))
        return LETHE_OK; // auto
    return equals(v, "epsilon", floor(2 * levels));
}

static lethe_err records_limits(lethe_verification *v, const lethe_records_seen *s)
{
    double k = fmax(1, lethe_json_real(parameter(v, "k")));
    LETHE_TRY(owners_limits(v, s));
    LETHE_TRY(epsilon_limits(v));
    LETHE_TRY(within(v, "clusters", (double)s->distinct, (double)s->records / k));
    LETHE_TRY(equals(v, "ggd", s->lm + real_of(v, "items_suppressed")));
    if (s->generalized > 0 && said_of(v, "gheight")) {
        double items = (double)(s->items - s->exact) + real_of(v, "items_suppressed");
        LETHE_TRY(within(v, "gheight", (double)s->generalized / items, INFINITY));
    }
    if (is_last(v, "mm")) return removed_limits(v, s);
    return said_of(v, "cut") ? cut_limits(v, s) : LETHE_OK;
}

/* What groups that are recoded by themselves cost; and no more rows may be deleted than the step
 * allows. */
static lethe_err local_limits(lethe_verification *v, const lethe_table_seen *s)
{
    double deleted = real_of(v, "rows_deleted"), all = (double)s->rows + deleted;
    lethe_theta share = {0, 1};
    LETHE_TRY(equals(v, "cost", s->weighted + deleted * s->weights));
    LETHE_TRY(equals(v, "loss", (s->lm + deleted * (double)s->n_qi) / (all * (double)s->n_qi)));
    if (!lethe_theta_parse(lethe_json_text(parameter(v, "suppress")), &share)) share.num = 0;
    // as many as no table has: none may be deleted
    uint64_t rows = all >= 0 && all <= UINT32_MAX ? (uint64_t)all : 0;
    lethe_theta_product most = (lethe_theta_product)rows * share.num / share.den;
    return within(v, "rows_deleted", 0, (double)most);
}

/* What the table costs follows from its rows, and from how many were deleted: section 3.5 of the
 * thesis.  (CM also needs the classes; nothing is asked of it.) */
static lethe_err table_limits(lethe_verification *v, const lethe_table_seen *s)
{
    double deleted = real_of(v, "rows_deleted"), starred = (double)s->starred;
    const lethe_json *weight = parameter(v, "deletion-weight");
    double gone = weight ? lethe_json_real(weight) : 2; // what a deleted row costs, in rows
    if (parameter_is(v, "missing", "keep"))
        LETHE_TRY(equals(v, "rows_deleted", count_of(v, "suppressed")));
    if (is_last(v, "local")) return local_limits(v, s);
    if (!parameter_is(v, "suppress", "vioRec") && !parameter_is(v, "suppress", "allRec"))
        LETHE_TRY(equals(v, "rows_deleted", 0));
    double least = starred + gone * deleted, most = least; // in rows
    if (lethe_json_bool(parameter(v, "prices"))) { // what each value costs nobody can see here
        least = starred + deleted;
        most = PRICE_MAX * least;
    }
    if (parameter_is(v, "cost", "LM"))
        LETHE_TRY(
            within(v, "cost", s->lm + (double)s->n_qi * least, s->lm + (double)s->n_qi * most));
    if (parameter_is(v, "cost", "DM"))
        LETHE_TRY(equals(v, "cost", s->alike + ((double)s->rows + deleted) * deleted));
    return within(v, "cuts_total", 1, INFINITY);
}

/* Who draws one of several cuts, or generalizes further, does not publish the proven best. */
static lethe_err optimal_check(lethe_verification *v)
{
    static const char name[] = "optimal";
    bool drawn = lethe_json_real(parameter(v, "top-h")) > 1 ||
                 lethe_json_real(parameter(v, "precaution")) > 0 ||
                 lethe_json_real(parameter(v, "precaution-suppress")) > 0;
    if (!drawn || !lethe_json_bool(said_of(v, name))) return LETHE_OK;
    return refuse(v, lethe_str_of(name), said_of(v, name),
                  "a figure of the manifest cannot be true with the options of its steps");
}

/* --- by shape --- */

static bool any_is_checked(const lethe_verification *v)
{
    const lethe_json *metrics = metrics_of(v);
    bool any = false;
    for (size_t i = 0; i < lethe_json_count(metrics) && !any; i++)
        any = lethe_steps_figure_is_checked(steps_of(v), lethe_json_name(metrics, i));
    return any;
}

/* Where no two texts may share a URL, the claim was checked: the density is 0.  What the checkers
 * have counted is not counted again; the last one of a notion is that of the last step. */
static lethe_err log_check(lethe_verification *v)
{
    lethe_json *found = lethe_json_object(v->doc);
    lethe_log_seen s;
    bool disconnects = is_last(v, "disconnect");
    unsigned wants = is_last(v, "threshold") || disconnects ? LETHE_SEES_TEXTS : 0;
    if (is_last(v, "split")) wants |= LETHE_SEES_USERS;
    if (disconnects && lethe_json_real(parameter(v, "density")) > 0) wants |= LETHE_SEES_DENSITY;
    if (v->keep.n > 0) wants |= LETHE_SEES_VALUES;
    LETHE_TRY(kept_there(v));
    if (!any_is_checked(v)) return LETHE_OK; // as after scrub: there is nothing to read for
    s = v->p->seen;
    if (!wants || (s.what & wants) != wants)
        LETHE_TRY(lethe_log_see(v, wants, parameter_is(v, "rare", "hash"), &s));
    lethe_set_count(v->doc, found, "rows_kept", s.rows - s.hashed);
    lethe_set_count(v->doc, found, "rows_hashed", s.hashed);
    lethe_set_count(v->doc, found, "rows_out", s.rows);
    lethe_set_count(v->doc, found, "queries_kept", s.texts);
    lethe_set_count(v->doc, found, "personas", s.users);
    lethe_set_real(v->doc, found, "density_after", s.density);
    lethe_set_count(v->doc, found, "kept_values", v->p->seen.values); // by the claim's check
    // as the check of personas has counted them
    lethe_set_count(v->doc, found, "rows_without_time",
                    (uint64_t)lethe_json_int(lethe_json_get(v->p->figures, "rows_without_time")));
    LETHE_TRY(found_check(v, found));
    if (is_last(v, "split")) LETHE_TRY(undecided_check(v));
    return log_limits(v, &s);
}

static double mean(uint64_t sum, uint64_t n) { return n ? (double)sum / (double)n : 0; }

static lethe_err records_check(lethe_verification *v)
{
    lethe_json *found = lethe_json_object(v->doc);
    lethe_records_seen s;
    LETHE_TRY(lethe_records_see(v, &s));
    lethe_set_count(v->doc, found, "records", s.records);
    lethe_set_count(v->doc, found, "empty", s.empty);
    lethe_set_real(v->doc, found, "avg_length", mean(s.items, s.records));
    lethe_set_real(v->doc, found, "avg_level", mean(s.levels, s.items - s.exact));
    lethe_json_set(v->doc, found, "cut", s.names);
    LETHE_TRY(found_check(v, found));
    return records_limits(v, &s);
}

static lethe_err table_check(lethe_verification *v)
{
    lethe_json *found = lethe_json_object(v->doc);
    lethe_table_seen s;
    LETHE_TRY(lethe_table_see(v, &s));
    lethe_set_count(v->doc, found, "groups", s.groups);
    lethe_set_count(v->doc, found, "smallest_group", s.smallest);
    lethe_set_real(v->doc, found, "mean_group", (double)s.rows / (double)s.groups);
    lethe_set_count(v->doc, found, "values_starred", s.starred);
    lethe_json_set(v->doc, found, "cut", s.names);
    LETHE_TRY(found_check(v, found));
    return table_limits(v, &s);
}

/* Every row that is counted has its text among the items; none is hashed. */
static lethe_err counts_check(lethe_verification *v)
{
    lethe_json *found = lethe_json_object(v->doc);
    lethe_set_count(v->doc, found, "rows_kept", v->published);
    lethe_set_count(v->doc, found, "rows_hashed", 0);
    lethe_set_count(v->doc, found, "queries_kept", v->n_items);
    LETHE_TRY(equals(v, "clicks_dropped", 0));
    return found_check(v, found);
}

/* --- all of them --- */

/* Was it held to the files and to rows_deleted (local_limits)?  Then it is no word of its own. */
static bool follows_from_deleted(const lethe_verification *v, lethe_str name)
{
    return is_last(v, "local") &&
           (lethe_str_eq(name, LETHE_LIT("cost")) || lethe_str_eq(name, LETHE_LIT("loss")));
}

/* One sentence with the names of those that are not computed again. */
static lethe_err words_say(lethe_verification *v)
{
    const lethe_json *metrics = metrics_of(v);
    lethe_buf text = {0};
    size_t n = 0;
    bool good = true, follow = false;
    for (size_t i = 0; i < lethe_json_count(metrics) && good; i++) {
        lethe_str name = lethe_json_name(metrics, i);
        if (lethe_steps_figure_is_checked(steps_of(v), name)) continue;
        follow = follow || follows_from_deleted(v, name);
        if (follows_from_deleted(v, name)) continue;
        good = (n++ == 0 || lethe_buf_str(&text, LETHE_LIT(", ")) == LETHE_OK) &&
               lethe_buf_str(&text, name) == LETHE_OK;
    }
    const char *word = follow
                           ? " (the publisher's word; cost and loss follow from it and the files)"
                           : " (the publisher's word)";
    good = good && lethe_buf_put(&text, word, strlen(word) + 1) == LETHE_OK;
    if (good && n > 0) lethe_verify_unchecked(v, (const char *)text.at);
    lethe_buf_free(&text);
    return good ? LETHE_OK : lethe_no_memory(v->p->ctx);
}

/* `disconnect` also removes what it calls vulnerable, which no notion promises: published URLs need
 * not show all clicks of a text. */
static void vulnerable_say(lethe_verification *v)
{
    for (size_t i = 0; i < lethe_json_count(steps_of(v)); i++) {
        const lethe_json *step = lethe_json_at(steps_of(v), i),
                         *parameters = lethe_json_get(step, "parameters");
        if (lethe_str_eq(lethe_json_text(lethe_json_get(step, "command")),
                         LETHE_LIT("disconnect")) &&
            !lethe_json_bool(lethe_json_get(parameters, "keep-vulnerable")))
            lethe_verify_unchecked(v, "that no query is left whose clicks go to one site, or that "
                                      "names a clicked site (the publisher's word)");
    }
}

/* Who used a term is counted while a release is made (check/persons.h). */
static void term_persons_say(lethe_verification *v)
{
    const lethe_json *claims = lethe_json_get(v->p->manifest, "claims");
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        if (lethe_json_get(lethe_json_at(claims, i), "term-persons"))
            lethe_verify_unchecked(v, "that term-persons of the input used each term: the files do "
                                      "not show it (the publisher's word)");
}

lethe_err lethe_verify_figures(lethe_verification *v)
{
    LETHE_TRY(members_check(v));
    LETHE_TRY(missing_check(v));
    LETHE_TRY(left_out_limits(v));
    LETHE_TRY(lines_limits(v));
    LETHE_TRY(optimal_check(v));
    LETHE_TRY(personas_limits(v));
    switch (v->p->shape) {
    case LETHE_SHAPE_LOG:
        LETHE_TRY(log_check(v));
        break;
    case LETHE_SHAPE_RECORDS:
        LETHE_TRY(records_check(v));
        break;
    case LETHE_SHAPE_TABLE:
        LETHE_TRY(table_check(v));
        break;
    case LETHE_SHAPE_COUNTS:
        LETHE_TRY(counts_check(v));
        break;
    case LETHE_SHAPE_SEALED:
        LETHE_TRY(found_check(v, v->p->figures));
        break;
    case LETHE_SHAPE_NONE:
        break;
    }
    vulnerable_say(v);
    term_persons_say(v);
    if (lethe_json_failed(v->doc)) return lethe_no_memory(v->p->ctx);
    return words_say(v);
}
