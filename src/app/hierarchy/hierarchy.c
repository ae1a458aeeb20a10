/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy.c - writes a hierarchy for a column, to be edited: its values are read, placed below
 * labels by their kind, and written as ARX has it.  What was written is read again before anybody
 * gets it. */
#include "app/hierarchy/hierarchy.h"
#include "model/table/table.h"
#include "model/tree/tree.h"
#include "release/make/table_options.h"
#include <stdarg.h>
#include <stdio.h>

/* --- what the kinds share --- */

lethe_err lethe_ladders_new(const lethe_column_values *c, size_t n, size_t n_levels,
                            lethe_ladders *out)
{
    *out = (lethe_ladders){.n = n,
                           .n_levels = n_levels,
                           .leaf = lethe_new(c->arena, lethe_str, n + 1),
                           .label = lethe_new(c->arena, lethe_str, n * n_levels + 1)};
    return out->leaf && out->label ? LETHE_OK : lethe_no_memory(c->ctx);
}

lethe_str lethe_ladders_text(const lethe_column_values *c, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *text = lethe_new(c->arena, char, (size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return (lethe_str){text, (size_t)n};
}

lethe_err lethe_value_fail(const lethe_column_values *c, size_t i, const char *fault)
{
    char name[80], value[80];
    lethe_show(name, sizeof name, c->name);
    lethe_show(value, sizeof value, c->at[i]);
    return lethe_fail(c->ctx, LETHE_EINPUT, "column '%s', row %llu: '%s' %s", name,
                      (unsigned long long)c->row[i], value, fault);
}

/* --- the column --- */

static lethe_err values_take(lethe_column_values *c, const lethe_table *t, bool *missing)
{
    const lethe_column *column = t->class;
    size_t n = lethe_dict_count(column->values);
    lethe_str *at = lethe_new(c->arena, lethe_str, n + 1);
    uint64_t *row = lethe_new(c->arena, uint64_t, n + 1),
             *kept = lethe_new(c->arena, uint64_t, n + 1);
    if (!at || !row || !kept) return lethe_no_memory(c->ctx);
    for (size_t i = t->n; i-- > 0;) // so that the first row is what stays
        row[column->code[i]] = t->origin[i] + 1;
    *missing = false;
    for (uint32_t i = 0; i < n; i++) {
        lethe_str value = lethe_dict_at(column->values, i);
        if (lethe_str_eq(value, LETHE_LIT(LETHE_MISSING))) {
            *missing = true;
            continue;
        }
        kept[c->n] = row[i];
        at[c->n++] = value;
    }
    c->at = at;
    c->row = kept;
    c->name = column->name;
    if (c->n > 0) return LETHE_OK;
    char name[80];
    lethe_show(name, sizeof name, c->name);
    return lethe_fail(c->ctx, LETHE_EINPUT, "column '%s' has no values: all are missing", name);
}

/* --- the kind --- */

/* Which kind the options ask for; *found: whether they do. */
static lethe_err kind_asked(lethe_ctx *ctx, const lethe_hierarchy_options *h,
                            lethe_hierarchy_kind *kind, bool *found)
{
    const struct {
        const char *option, *given;
        lethe_hierarchy_kind kind;
    } of[] = {{"--widths", h->widths, LETHE_HIERARCHY_NUMBERS},
              {"--prefixes", h->prefixes, LETHE_HIERARCHY_CODES},
              {"--groups", h->groups, LETHE_HIERARCHY_GROUPS}};
    *found = h->has_kind;
    *kind = h->kind;
    for (size_t i = 0; i < LETHE_COUNT(of); i++) {
        if (!of[i].given) continue;
        if (*found && *kind != of[i].kind)
            return lethe_fail(ctx, LETHE_EUSAGE, "%s is for another kind of hierarchy",
                              of[i].option);
        *found = true;
        *kind = of[i].kind;
    }
    if (*found && *kind == LETHE_HIERARCHY_GROUPS && !h->groups)
        return lethe_fail(ctx, LETHE_EUSAGE,
                          "--kind groups needs --groups FILE: lines of value TAB group");
    return LETHE_OK;
}

static lethe_err ladders_make(const lethe_column_values *c, const lethe_hierarchy_options *h,
                              lethe_hierarchy_kind kind, lethe_ladders *out)
{
    switch (kind) {
    case LETHE_HIERARCHY_NUMBERS:
        return lethe_ladders_numbers(c, h->widths, out);
    case LETHE_HIERARCHY_DATES:
        return lethe_ladders_dates(c, out);
    case LETHE_HIERARCHY_CODES:
        return lethe_ladders_codes(c, h->prefixes, out);
    case LETHE_HIERARCHY_GROUPS:
        return lethe_ladders_groups(c, h->groups, out);
    case LETHE_HIERARCHY_FLAT:
        break;
    }
    return lethe_ladders_flat(c, out);
}

/* --- the text --- */

/* In quotes where ARX and lethe would read it otherwise: a semicolon, a quote, or a byte order
 * mark, which the beginning of a file must not have. */
static lethe_err label_put(lethe_buf *b, lethe_str s)
{
    bool mark = s.n >= 3 && memcmp(s.at, "\xEF\xBB\xBF", 3) == 0;
    if (!mark && !memchr(s.at, ';', s.n) && !memchr(s.at, '"', s.n)) return lethe_buf_str(b, s);
    LETHE_TRY(lethe_buf_put(b, "\"", 1));
    for (size_t i = 0; i < s.n; i++) {
        if (s.at[i] == '"') LETHE_TRY(lethe_buf_put(b, "\"", 1));
        LETHE_TRY(lethe_buf_put(b, &s.at[i], 1));
    }
    return lethe_buf_put(b, "\"", 1);
}

static lethe_err row_put(lethe_buf *b, lethe_str leaf, const lethe_str *label, size_t n)
{
    LETHE_TRY(label_put(b, leaf));
    for (size_t k = 0; k < n; k++) {
        LETHE_TRY(lethe_buf_put(b, ";", 1));
        LETHE_TRY(label_put(b, label ? label[k] : LETHE_LIT("*")));
    }
    return lethe_buf_put(b, ";*\n", 3);
}

static lethe_err text_make(const lethe_ladders *l, bool missing, lethe_buf *b)
{
    for (size_t i = 0; i < l->n; i++) {
        LETHE_TRY(row_put(b, l->leaf[i], &l->label[i * l->n_levels], l->n_levels));
        missing = missing && !lethe_str_eq(l->leaf[i], LETHE_LIT(LETHE_MISSING));
    }
    return missing ? row_put(b, LETHE_LIT(LETHE_MISSING), NULL, l->n_levels) : LETHE_OK;
}

/* Reads it as --hierarchies will: a tree in which every value of the column stands. */
static lethe_err text_check(const lethe_column_values *c, const lethe_buf *b)
{
    lethe_tree *t = NULL;
    size_t i = 0;
    LETHE_TRY(
        lethe_tree_memory(c->ctx, (lethe_str){(const char *)b->at, b->n}, LETHE_NAMES_RAW, &t));
    while (i < c->n && lethe_tree_find(t, c->at[i]) != LETHE_NONE)
        i++;
    lethe_tree_free(t);
    return i == c->n
               ? LETHE_OK
               : lethe_fail(c->ctx, LETHE_EINTERNAL, LETHE_FAULT "a value is not in its hierarchy");
}

/* --- the command --- */

static const char *const kind_names[] = {"numbers", "dates", "codes", "groups", "flat"};

static lethe_json *report_make(lethe_ctx *ctx, lethe_json_doc *doc,
                               const lethe_hierarchy_options *h, const lethe_column_values *c,
                               const lethe_table *t, lethe_hierarchy_kind kind,
                               const lethe_ladders *l)
{
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *parameters = lethe_json_object(doc);
    lethe_counts counts = {.read = t->counts.read, .rejected = t->counts.rejected};
    lethe_reading_json(doc, parameters, &h->reading);
    lethe_set_text(doc, r, "command", "hierarchy");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, metrics, "column", lethe_json_new_text(doc, c->name));
    lethe_set_text(doc, metrics, "kind", kind_names[kind]);
    lethe_set_text(doc, metrics, "made", l->told);
    lethe_set_count(doc, metrics, "values", c->n);
    lethe_set_count(doc, metrics, "levels", l->n_levels + 2);
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_json_set(doc, r, "counts", lethe_counts_json(doc, &counts));
    lethe_report_close(ctx, doc, r);
    return r;
}

static lethe_err text_write(lethe_ctx *ctx, const lethe_hierarchy_options *h, const lethe_buf *b,
                            const lethe_json *report)
{
    lethe_sink *sink = NULL;
    lethe_diag *d = lethe_ctx_diag(ctx);
    // the values are those of the table: for its owner
    LETHE_TRY(strcmp(h->out, "-") == 0
                  ? lethe_sink_stdout(d, &sink)
                  : lethe_sink_open(d, h->out, h->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW, 0600,
                                    &sink));
    lethe_err e = lethe_sink_write(sink, b->at, b->n);
    if (e == LETHE_OK && h->on_report) e = h->on_report(h->user, report);
    if (e == LETHE_OK && lethe_ctx_cancelled(ctx)) e = LETHE_ECANCEL;
    if (e == LETHE_OK) return lethe_sink_commit(sink);
    lethe_sink_abort(sink);
    return e;
}

static lethe_err hierarchy_make(const lethe_hierarchy_options *h, lethe_column_values *c,
                                const lethe_table *t, lethe_buf *text, lethe_json_doc *doc,
                                lethe_json **report)
{
    lethe_hierarchy_kind kind;
    lethe_ladders ladders;
    bool asked, missing;
    LETHE_TRY(values_take(c, t, &missing));
    LETHE_TRY(kind_asked(c->ctx, h, &kind, &asked));
    if (!asked) kind = lethe_kind_guess(c);
    LETHE_TRY(ladders_make(c, h, kind, &ladders));
    if (text_make(&ladders, missing, text) != LETHE_OK) return lethe_no_memory(c->ctx);
    LETHE_TRY(text_check(c, text));
    *report = report_make(c->ctx, doc, h, c, t, kind, &ladders);
    if (lethe_json_failed(doc)) return lethe_no_memory(c->ctx);
    return text_write(c->ctx, h, text, *report);
}

/* Besides the column: its distinct values sorted, their rungs, and the text that is written. */
static uint64_t hierarchy_need(const lethe_work *w, const lethe_sizes *s)
{
    (void)w;
    return lethe_need_program + s->held + 200 * s->distinct + s->text;
}

lethe_err lethe_hierarchy_write(lethe_ctx *ctx, const lethe_hierarchy_options *h,
                                lethe_json_doc *doc, lethe_json **report)
{
    lethe_hierarchy_kind kind;
    bool asked;
    LETHE_TRY(lethe_table_reading_check(lethe_ctx_diag(ctx), &h->reading));
    LETHE_TRY(kind_asked(ctx, h, &kind, &asked)); // before a long table is read
    lethe_table_read_options how = {.roles = {.class = h->column, .no_qi = true},
                                    .delimiter = h->reading.delimiter,
                                    .strict = h->reading.strict,
                                    .encoding = h->reading.encoding,
                                    .null_texts = h->reading.null_texts};
    lethe_table *t = NULL;
    lethe_buf text = {0};
    lethe_column_values c = {.ctx = ctx, .arena = lethe_arena_new()};
    const lethe_work before =
        lethe_ctx_begin_work(ctx, &(lethe_work){.name = "hierarchy", .need = hierarchy_need});
    lethe_err e =
        c.arena ? lethe_table_read(ctx, h->inputs, h->n_inputs, &how, &t) : lethe_no_memory(ctx);
    if (e == LETHE_OK) {
        lethe_sizes sizes = lethe_table_sizes(t);
        e = lethe_ctx_need(ctx, &sizes);
    }
    lethe_ctx_begin_work(ctx, &before);
    if (e == LETHE_OK) e = hierarchy_make(h, &c, t, &text, doc, report);
    lethe_buf_free(&text);
    lethe_table_free(t);
    lethe_arena_free(c.arena);
    return e;
}
