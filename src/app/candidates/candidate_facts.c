/* SPDX-License-Identifier: Apache-2.0 */
/* candidate_facts.c - reads an input, and looks what it has that the choice of candidates depends
 * on. */
#include "app/candidates/candidates.h"
#include "app/hierarchy/hierarchy.h"
#include "app/sample.h"
#include "core/parse.h"
#include "io/read/source.h"
#include "lexicon/wordnet/wordnet.h"
#include "release/make/table_options.h"
#include <math.h>
#include <stdio.h>

typedef struct fact_search {
    lethe_ctx *ctx;
    lethe_arena *arena;
    const lethe_candidate_input *of;
    lethe_input *in;
    lethe_input_facts facts;
} fact_search;

/* The text of an option that was given; NULL: it was not. */
static const char *given(const fact_search *p, const char *name)
{
    const lethe_values *all = p->of->given;
    const lethe_value *v = all ? lethe_value_find(all, name) : NULL;
    return v && v->given ? v->text : NULL;
}

/* --- records --- */

static lethe_err records_look(fact_search *p, const lethe_records *r)
{
    lethe_wordnet *wn = NULL;
    uint64_t known = 0;
    lethe_sizes sizes = lethe_records_sizes(r, NULL);
    LETHE_TRY(lethe_ctx_need(p->ctx, &sizes));
    uint32_t n = lethe_dict_count(r->items);
    p->facts.persons = r->n_owners;
    p->facts.rows = r->n;
    if (!lethe_wordnet_installed(p->facts.wordnet_dir) || n == 0) return LETHE_OK;
    LETHE_TRY(lethe_wordnet_open_words(p->ctx, NULL, &wn));
    for (uint32_t i = 0; i < n; i++)
        known += lethe_wordnet_find(wn, lethe_dict_at(r->items, i)) != LETHE_NONE;
    if (2 * known >= n) p->facts.taxonomy = "wordnet";
    lethe_wordnet_free(wn);
    return LETHE_OK;
}

static lethe_err records_read(fact_search *p)
{
    const lethe_candidate_input *q = p->of;
    lethe_records *r;
    LETHE_TRY(lethe_input_read(p->ctx, q->paths, q->n_paths, q->reading, q->shape, NULL, p->in));
    LETHE_TRY(lethe_input_raw(p->ctx, p->in, q->reading, &r));
    lethe_err e = records_look(p, r);
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
static lethe_err codes_guess(fact_search *p, const lethe_qi *qi, bool *are_codes)
{
    lethe_column_values c = {.arena = p->arena, .name = qi->name};
    lethe_str *at = lethe_new(p->arena, lethe_str, (size_t)qi->tree->n + 1);
    if (!at) return lethe_no_memory(p->ctx);
    for (uint32_t v = 1; v < qi->tree->n; v++)
        if (!lethe_str_eq(lethe_tree_name(qi->tree, v), LETHE_LIT(LETHE_MISSING)))
            at[c.n++] = lethe_tree_name(qi->tree, v);
    c.at = at;
    *are_codes = lethe_kind_guess(&c) == LETHE_HIERARCHY_CODES;
    return LETHE_OK;
}

/* A column of numbers without a hierarchy can only be kept or starred; ranges say more. */
static lethe_err ranges_add(fact_search *p, const lethe_qi *qi, double spread)
{
    // about a sixteenth of the way: 1, 2 or 5 times a power of ten
    unsigned long long w = 1;
    const char *before = p->facts.ranges;
    for (unsigned k = 0; (double)w * 16 < spread; k++)
        w = k % 3 == 1 ? w / 2 * 5 : w * 2;
    p->facts.ranges =
        lethe_arena_printf(p->arena, "%s%s%.*s=%llu,%llu,%llu,%llu", before ? before : "",
                           before ? ";" : "", (int)qi->name.n, qi->name.at, w, 2 * w, 4 * w, 8 * w);
    return p->facts.ranges ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* With ranges the table is read once more, which a pipe cannot be. */
static bool can_read_again(lethe_diag *d, const lethe_candidate_input *of)
{
    for (size_t i = 0; i < of->n_paths; i++)
        if (!lethe_source_rereads(d, of->paths[i])) return false;
    return true;
}

/* Ranges for columns of numbers that have no hierarchy, and the first column of many values that is
 * left without any. */
static lethe_err columns_look(fact_search *p, const lethe_table *table)
{
    bool wanted = !given(p, "hierarchies") && !given(p, "ranges") &&
                  can_read_again(lethe_ctx_diag(p->ctx), p->of);
    for (size_t i = 0; i < table->n_qi; i++) {
        double least = 0, greatest = 0;
        uint32_t n;
        bool are_codes = false;
        const lethe_qi *qi = &table->qi[i];
        bool plain = !memchr(qi->name.at, ',', qi->name.n) && !memchr(qi->name.at, ';', qi->name.n);
        bool numbers = are_numbers(qi->tree, &least, &greatest, &n) && n >= FEW;
        if (numbers) LETHE_TRY(codes_guess(p, qi, &are_codes));
        if (wanted && plain && numbers && !are_codes)
            LETHE_TRY(ranges_add(p, qi, greatest - least));
        else if (!p->facts.bare && is_flat(qi->tree) && qi->tree->n > FEW) {
            p->facts.bare = lethe_arena_dup(p->arena, qi->name);
            if (!p->facts.bare) return lethe_no_memory(p->ctx);
        }
    }
    return LETHE_OK;
}

/* The largest l up to 5 for which no value is more than 1/l of all rows: then one group of all rows
 * would do, and so some cut always does.  Where a value has more than half of them, halfway between
 * its share and 1. */
static lethe_err theta_choose(fact_search *p, const lethe_table *table)
{
    uint64_t most = 0;
    for (size_t k = 0; k < table->n_sa; k++) {
        const lethe_column *sa = &table->sa[k];
        uint64_t *with = lethe_new(p->arena, uint64_t, (size_t)lethe_dict_count(sa->values) + 1);
        if (!with) return lethe_no_memory(p->ctx);
        for (size_t i = 0; i < table->n; i++) {
            uint64_t so_far = ++with[sa->code[i]];
            most = LETHE_MAX(most, so_far);
        }
    }
    if (most == 0) return LETHE_OK;
    p->facts.top = (double)most / (double)table->n;
    uint64_t l = LETHE_MIN(table->n / most, 5),
             hundredths = (uint64_t)ceil(50 * (1 + p->facts.top));
    if (l < 2 && hundredths >= 100) return LETHE_OK; // there is one value, or nearly so
    p->facts.theta = l >= 2 ? lethe_arena_printf(p->arena, "1/%u", (unsigned)l)
                            : lethe_arena_printf(p->arena, "0.%02u", (unsigned)hundredths);
    return p->facts.theta ? LETHE_OK : lethe_no_memory(p->ctx);
}

static lethe_err table_look(fact_search *p, const lethe_table *table)
{
    lethe_sizes sizes = lethe_table_sizes(table);
    LETHE_TRY(lethe_ctx_need(p->ctx, &sizes));
    p->facts.persons = p->facts.rows = table->n;
    p->facts.suppress = table->n_sa > 1 ? "allRec" : NULL; // the default is for one column
    LETHE_TRY(columns_look(p, table));
    return table->sa ? theta_choose(p, table) : LETHE_OK;
}

/* With the options that were given, and these ranges; NULL: none. */
static lethe_err table_open(fact_search *p, const char *ranges)
{
    const lethe_candidate_input *q = p->of;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    lethe_values values;
    const lethe_method *m = NULL; // any that takes tables: they have the same options for reading
    for (size_t i = 0; lethe_methods()[i] && !m; i++)
        if (lethe_methods()[i]->in & LETHE_SHAPE_TABLE) m = lethe_methods()[i];
    assert(m);
    lethe_value *at = lethe_new(p->arena, lethe_value, lethe_option_count(m->options) + 1);
    if (!at) return lethe_no_memory(p->ctx);
    lethe_values_init(&values, m->options, at);
    for (size_t i = 0; i < values.n; i++) {
        const char *name = m->options[i].name, *text = given(p, name);
        if (ranges && strcmp(name, "ranges") == 0) text = ranges;
        if (text && lethe_is_for_steps(name)) LETHE_TRY(lethe_values_set(&values, i, text, d));
    }
    LETHE_TRY(lethe_table_options_check(d, &values));
    return lethe_input_read(p->ctx, q->paths, q->n_paths, q->reading, q->shape, &values, p->in);
}

static lethe_err table_read(fact_search *p)
{
    LETHE_TRY(table_open(p, NULL));
    LETHE_TRY(table_look(p, p->in->table));
    if (!p->facts.ranges) return LETHE_OK;
    lethe_input_free(p->in);
    return table_open(p, p->facts.ranges);
}

/* --- all of them --- */

lethe_err lethe_facts_of_log(lethe_ctx *ctx, lethe_log *log, lethe_input_facts *out)
{
    lethe_log_facts f;
    LETHE_TRY(lethe_log_look(ctx, log, &f));
    *out = (lethe_input_facts){.persons = f.persons,
                               .rows = f.rows,
                               .has_clicks = f.has_clicks,
                               .has_times = f.has_times,
                               .wordnet_dir = lethe_ctx_wordnet_dir(ctx)};
    return LETHE_OK;
}

static lethe_err log_read(fact_search *p)
{
    const lethe_candidate_input *q = p->of;
    LETHE_TRY(lethe_input_read(p->ctx, q->paths, q->n_paths, q->reading, q->shape, NULL, p->in));
    return lethe_facts_of_log(p->ctx, p->in->log, &p->facts);
}

lethe_err lethe_facts_read(lethe_ctx *ctx, lethe_arena *a, const lethe_candidate_input *of,
                           lethe_input *in, lethe_input_facts *out)
{
    fact_search s = {.ctx = ctx,
                     .arena = a,
                     .of = of,
                     .in = in,
                     .facts = {.wordnet_dir = lethe_ctx_wordnet_dir(ctx)}};
    LETHE_TRY(of->shape == LETHE_SHAPE_TABLE     ? table_read(&s)
              : of->shape == LETHE_SHAPE_RECORDS ? records_read(&s)
                                                 : log_read(&s));
    *out = s.facts;
    return LETHE_OK;
}
