/* SPDX-License-Identifier: Apache-2.0 */
/* suggest_facts.c - an input in the numbers that the choice of a method depends on. */
#include "lexicon/wordnet/wordnet.h"
#include "release/make/table_options.h"
#include "release/make/input.h"
#include "app/hierarchy/hierarchy.h"
#include "app/suggest/suggest.h"
#include "core/parse.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { K_USUAL = 5, K_MANY = 10, MANY = 10000, T_MOST = 10 };

const char *lethe_text_printf(lethe_text_arena *t, const char *fmt, ...)
{
    char small[1];
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    char *text = n < 0 ? NULL : lethe_new(t->a, char, (size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    t->failed = t->failed || !text;
    return text ? text : "";
}

const char *lethe_suggest_given(const lethe_suggest_options *s, const char *name)
{
    const lethe_value *v = s->values ? lethe_value_find(s->values, name) : NULL;
    return v && v->given ? v->text : NULL;
}

/* Groups of k are to be many, or what is published is what all have in common. */
static uint64_t k_of(uint64_t persons)
{
    if (persons < 2) return 0;
    if (persons >= MANY) return K_MANY;
    return LETHE_MAX(LETHE_MIN(persons / 2, K_USUAL), 2);
}

/* --- a log --- */

static double figure(const lethe_json *o, const char *name)
{
    return lethe_json_real(lethe_json_get(o, name));
}

static uint64_t count(const lethe_json *o, const char *name)
{
    int64_t n = lethe_json_int(lethe_json_get(o, name));
    return n > 0 ? (uint64_t)n : 0;
}

static lethe_err log_gather(lethe_ctx *ctx, const lethe_suggest_options *s, lethe_json_doc *doc,
                            lethe_json *report, lethe_suggest_facts *f)
{
    lethe_json *profile = NULL;
    LETHE_TRY(lethe_profile_log(ctx, s->inputs, s->n_inputs, &s->reading, doc, &profile));
    lethe_json_set(doc, report, "counts", lethe_json_copy(doc, lethe_json_get(profile, "counts")));
    const lethe_json *m = lethe_json_get(profile, "metrics"),
                     *per_user = lethe_json_get(m, "per_user"), *pii = lethe_json_get(m, "pii"),
                     *survival = lethe_json_get(m, "survival");
    f->persons = count(m, "users");
    f->rows = count(m, "queries");
    f->texts = count(m, "distinct_queries");
    f->clicks = count(m, "clicks");
    f->nouns = figure(m, "noun_share");
    f->alone = figure(m, "unique_user_share");
    f->has_times = count(lethe_json_get(per_user, "days"), "max") > 0;
    f->has_several = count(lethe_json_get(per_user, "distinct_queries"), "max") > 1;
    // a query may have several: a bound.  Names come last, and are not scrub's business by default
    for (size_t i = 0; i < lethe_json_count(pii) && i < LETHE_PII_PERSON; i++)
        f->personal += (uint64_t)lethe_json_int(lethe_json_at(pii, i));
    f->personal = LETHE_MIN(f->personal, f->rows);
    f->k = k_of(f->persons);
    // the largest t up to 10 that leaves half of what the least one, 2, does: beyond, the log gets
    // short faster than it gets safe
    double least = 0;
    for (size_t i = 0; i < lethe_json_count(survival); i++) {
        const lethe_json *at = lethe_json_at(survival, i);
        uint64_t t = count(at, "t"), texts = count(at, "texts");
        if (t < 2 || texts == 0) continue;
        if (t == 2) least = figure(at, "queries");
        if (t >= f->k && f->k > 0 && f->t_of_k == 0) f->t_of_k = t;
        if (t > T_MOST || figure(at, "queries") * 2 < least) continue;
        f->t = t;
        f->left = figure(at, "queries");
        f->left_texts = texts;
    }
    return LETHE_OK;
}

static lethe_err records_gather(lethe_ctx *ctx, const lethe_suggest_options *s, lethe_json_doc *doc,
                                lethe_json *report, lethe_suggest_facts *f)
{
    lethe_records *r;
    lethe_wordnet *wn = NULL;
    lethe_err e = LETHE_OK;
    uint64_t known = 0;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_records_read(ctx, s->inputs, s->n_inputs, &s->reading, &r));
    lethe_sizes sizes = lethe_records_sizes(r, NULL);
    e = lethe_ctx_need(ctx, &sizes);
    if (e != LETHE_OK) {
        lethe_records_free(r);
        return e;
    }
    f->persons = r->n_owners;
    f->rows = r->n;
    f->items = lethe_dict_count(r->items);
    f->n_items = r->start[r->n];
    f->k = k_of(f->persons);
    lethe_counts counts = {.read = r->counts.read, .rejected = r->counts.rejected};
    lethe_json_set(doc, report, "counts", lethe_counts_json(doc, &counts));
    if (f->wordnet && f->items > 0) e = lethe_wordnet_open_words(ctx, NULL, &wn);
    for (uint32_t i = 0; wn && i < f->items; i++)
        known += lethe_wordnet_find(wn, lethe_dict_at(r->items, i)) != LETHE_NONE;
    if (wn) f->known = (double)known / (double)f->items;
    lethe_wordnet_free(wn);
    lethe_records_free(r);
    return e;
}

/* --- a table --- */

/* Is every leaf below the root a number as --ranges takes it (digits, perhaps after a minus,
 * perhaps with nine decimals), missing values aside?  Then *n of them lie from *least to
 * *greatest. */
static bool are_numbers(const lethe_tree *t, double *least, double *greatest, uint32_t *n)
{
    *n = 0;
    for (uint32_t v = 1; v < t->n; v++) {
        double x;
        lethe_str name = lethe_tree_name(t, v);
        if (t->parent[v] != 0) return false;
        if (lethe_str_eq(name, LETHE_LIT(LETHE_MISSING))) continue;
        const char *point = memchr(name.at, '.', name.n);
        for (size_t i = 0; i < name.n; i++)
            if (!memchr("-.0123456789", name.at[i], 12)) return false;
        if (point && name.n - (size_t)(point - name.at) > 10) return false;
        if (!lethe_parse_real(name, &x) || fabs(x) >= 1e12) return false;
        *least = *n ? fmin(*least, x) : x;
        *greatest = *n ? fmax(*greatest, x) : x;
        ++*n;
    }
    return true;
}

enum { FEW = 10 }; /* so few values need no hierarchy */

static bool is_flat(const lethe_tree *t)
{
    for (uint32_t v = 1; v < t->n; v++)
        if (t->parent[v] != 0) return false;
    return true;
}

/* Are the values codes, such as ZIP codes, whose ranges would mean nothing? */
static bool are_codes(const lethe_qi *qi, lethe_text_arena *t)
{
    lethe_column_values c = {.arena = t->a, .name = qi->name};
    lethe_str *at = lethe_new(t->a, lethe_str, (size_t)qi->tree->n + 1);
    if (!at) {
        t->failed = true;
        return false;
    }
    for (uint32_t v = 1; v < qi->tree->n; v++)
        if (!lethe_str_eq(lethe_tree_name(qi->tree, v), LETHE_LIT(LETHE_MISSING)))
            at[c.n++] = lethe_tree_name(qi->tree, v);
    c.at = at;
    return lethe_kind_guess(&c) == LETHE_HIERARCHY_CODES;
}

/* The first column of many values for which there is no hierarchy, and ranges make none. */
static void bare_find(const lethe_table *table, lethe_text_arena *t, lethe_suggest_facts *f)
{
    for (size_t i = 0; i < table->n_qi && !f->bare; i++) {
        double least, greatest;
        uint32_t n;
        const lethe_qi *qi = &table->qi[i];
        if (!is_flat(qi->tree) || qi->tree->n <= FEW) continue;
        if (f->ranges && are_numbers(qi->tree, &least, &greatest, &n) && !are_codes(qi, t))
            continue;
        f->bare = lethe_text_printf(t, "%.*s", (int)qi->name.n, qi->name.at);
    }
}

/* A column of numbers without a hierarchy can only be kept or starred; ranges say more. */
static void ranges_choose(const lethe_suggest_options *s, const lethe_table *table,
                          lethe_text_arena *t, lethe_suggest_facts *f)
{
    if (lethe_suggest_given(s, "hierarchies") || lethe_suggest_given(s, "ranges")) return;
    for (size_t i = 0; i < table->n_qi; i++) {
        double least, greatest;
        uint32_t n;
        const lethe_qi *qi = &table->qi[i];
        bool plain = !memchr(qi->name.at, ',', qi->name.n) && !memchr(qi->name.at, ';', qi->name.n);
        if (!plain || !are_numbers(qi->tree, &least, &greatest, &n) || n < FEW) continue;
        if (are_codes(qi, t)) continue;
        // about a sixteenth of the way: 1, 2 or 5 times a power of ten
        unsigned long long w = 1;
        for (unsigned k = 0; (double)w * 16 < greatest - least; k++)
            w = k % 3 == 1 ? w / 2 * 5 : w * 2;
        f->ranges = lethe_text_printf(t, "%s%s%.*s=%llu,%llu,%llu,%llu", f->ranges ? f->ranges : "",
                                      f->ranges ? ";" : "", (int)qi->name.n, qi->name.at, w, 2 * w,
                                      4 * w, 8 * w);
    }
}

/* The largest l up to 5 for which no value is more than 1/l of all rows: then one group of all rows
 * would do, and so some cut always does.  Where a value has more than half of them, halfway between
 * its share and 1. */
static lethe_err theta_choose(lethe_diag *d, const lethe_table *table, lethe_text_arena *t,
                              lethe_suggest_facts *f)
{
    uint64_t most = 0;
    for (size_t k = 0; k < table->n_sa; k++) {
        const lethe_column *sa = &table->sa[k];
        uint64_t *with = lethe_new(t->a, uint64_t, (size_t)lethe_dict_count(sa->values) + 1);
        if (!with) return lethe_no_memory(d);
        for (size_t i = 0; i < table->n; i++) {
            uint64_t so_far = ++with[sa->code[i]];
            most = LETHE_MAX(most, so_far);
        }
    }
    f->several = table->n_sa > 1;
    if (most == 0) return LETHE_OK;
    f->top = (double)most / (double)table->n;
    uint64_t l = LETHE_MIN(table->n / most, 5), hundredths = 0;
    if (l >= 2) f->theta = lethe_text_printf(t, "1/%llu", (unsigned long long)l);
    if (l < 2) hundredths = (uint64_t)ceil(50 * (1 + f->top));
    if (l < 2 && hundredths < 100) f->theta = lethe_text_printf(t, "0.%02u", (unsigned)hundredths);
    return LETHE_OK;
}

static lethe_err table_gather(lethe_ctx *ctx, const lethe_suggest_options *s, lethe_text_arena *t,
                              lethe_json_doc *doc, lethe_json *report, lethe_suggest_facts *f)
{
    lethe_values values;
    lethe_table *table;
    lethe_diag *d = lethe_ctx_diag(ctx);
    const lethe_method *m = NULL; // any that takes tables: they have the same options for reading
    for (size_t i = 0; lethe_methods()[i] && !m; i++)
        if (lethe_methods()[i]->in & LETHE_SHAPE_TABLE) m = lethe_methods()[i];
    assert(m);
    lethe_value *at = lethe_new(t->a, lethe_value, lethe_option_count(m->options) + 1);
    if (!at) return lethe_no_memory(d);
    lethe_values_init(&values, m->options, at);
    for (size_t i = 0; i < values.n; i++) {
        const char *text = lethe_suggest_given(s, m->options[i].name);
        if (text) LETHE_TRY(lethe_values_set(&values, i, text, d));
    }
    LETHE_TRY(lethe_table_options_check(d, &values));
    LETHE_TRY(lethe_table_from_files(ctx, s->inputs, s->n_inputs, &s->reading, &values, &table));
    lethe_sizes sizes = lethe_table_sizes(table);
    lethe_err e = lethe_ctx_need(ctx, &sizes);
    if (e != LETHE_OK) {
        lethe_table_free(table);
        return e;
    }
    f->persons = f->rows = table->n;
    f->k = k_of(f->persons);
    lethe_counts counts = {.read = table->counts.read,
                           .suppressed = table->counts.missing,
                           .rejected = table->counts.rejected};
    lethe_json_set(doc, report, "counts", lethe_counts_json(doc, &counts));
    ranges_choose(s, table, t, f);
    bare_find(table, t, f);
    if (table->sa) e = theta_choose(d, table, t, f);
    lethe_table_free(table);
    return e;
}

lethe_err lethe_suggest_facts_gather(lethe_ctx *ctx, const lethe_suggest_options *s,
                                     lethe_text_arena *t, lethe_json_doc *doc, lethe_json *report,
                                     lethe_json *metrics, lethe_suggest_facts *out)
{
    *out = (lethe_suggest_facts){.wordnet = lethe_wordnet_installed(NULL)};
    LETHE_TRY(lethe_input_shape_of(ctx, s->inputs, s->n_inputs, &s->reading,
                                   lethe_suggest_given(s, "qi") != NULL, &out->shape));
    if (out->shape == LETHE_SHAPE_TABLE)
        LETHE_TRY(table_gather(ctx, s, t, doc, report, out));
    else if (out->shape == LETHE_SHAPE_RECORDS)
        LETHE_TRY(records_gather(ctx, s, doc, report, out));
    else
        LETHE_TRY(log_gather(ctx, s, doc, report, out));
    bool is_log = out->shape == LETHE_SHAPE_LOG, is_table = out->shape == LETHE_SHAPE_TABLE;
    lethe_set_text(doc, metrics, "shape", is_log ? "log" : is_table ? "table" : "records");
    lethe_set_count(doc, metrics, "persons", out->persons);
    lethe_set_count(doc, metrics, is_log ? "queries" : is_table ? "rows" : "records", out->rows);
    if (is_log) {
        lethe_set_count(doc, metrics, "distinct_queries", out->texts);
        lethe_set_count(doc, metrics, "clicks", out->clicks);
    } else if (!is_table) {
        lethe_set_count(doc, metrics, "items", out->n_items);
        lethe_set_count(doc, metrics, "distinct_items", out->items);
    }
    if (is_table && out->top > 0) lethe_set_real(doc, metrics, "top_share", out->top);
    if (is_table && out->bare) lethe_set_text(doc, metrics, "no_hierarchy", out->bare);
    return LETHE_OK;
}
