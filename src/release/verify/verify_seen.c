/* SPDX-License-Identifier: Apache-2.0 */
/* verify_seen.c - counts what the published files show. */
#include "release/verify/verify_seen.h"
#include "check/shared_urls.h"
#include "core/mem.h"
#include "io/sort/sorter.h"
#include "model/knowledge/sensitive.h"
#include "model/published/published_records.h"
#include "model/published/published_table.h"
#include "model/table/numbers.h"
#include "model/published/published_tree.h"
#include <stdlib.h>

/* --- a log --- */

struct worker {
    lethe_buf record;
    uint64_t rows, clicks, hashed, texts, users, queries;
    char apart[64]; /* workers do not share a cache line */
};

struct log_count {
    lethe_ctx *ctx;
    bool hashes;
    lethe_sorter *by_text;     /* text NUL URL; NULL: not wanted */
    lethe_sorter *by_user;     /* user NUL text NUL time(8) */
    lethe_shared_urls *shared; /* NULL: not wanted */
    unsigned n_workers;
    struct worker *workers;
};

static lethe_err put(struct log_count *c, lethe_sorter *to, unsigned w, lethe_str first,
                     lethe_str second, const uint8_t *time)
{
    lethe_buf *b = &c->workers[w].record;
    b->n = 0;
    if (lethe_buf_str(b, first) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, second) != LETHE_OK ||
        (time && (lethe_buf_put(b, "", 1) != LETHE_OK || lethe_buf_put(b, time, 8) != LETHE_OK)))
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(to, w, b->at, b->n);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct log_count *c = arg;
    struct worker *me = &c->workers[w];
    bool hashed = c->hashes && lethe_is_text_hash(row->query);
    uint8_t time[8];
    me->rows++;
    me->clicks += row->url.n > 0;
    me->hashed += hashed;
    lethe_be64_put(time, (uint64_t)row->time);
    if (c->by_text && !hashed) LETHE_TRY(put(c, c->by_text, w, row->query, row->url, NULL));
    if (c->by_user) LETHE_TRY(put(c, c->by_user, w, row->user, row->query, time));
    return LETHE_OK;
}

/* The key of a record, which ends at its first NUL. */
static lethe_str key_of(lethe_str record)
{
    return (lethe_str){record.at, strnlen(record.at, record.n)};
}

static lethe_err part_of_texts(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct log_count *c = arg;
    struct worker *me = &c->workers[w];
    lethe_str record, before = {0};
    (void)i;
    for (bool first = true; lethe_sorted_next(it, &record); first = false, before = record) {
        bool again = !first && lethe_str_eq(record, before);
        bool new_text = first || !lethe_str_eq(key_of(record), key_of(before));
        size_t n = key_of(record).n + 1;
        if (new_text && !first && c->shared) LETHE_TRY(lethe_shared_urls_end(c->shared, w));
        me->texts += new_text;
        if (c->shared && !again && record.n > n)
            LETHE_TRY(
                lethe_shared_urls_add(c->shared, w, (lethe_str){record.at + n, record.n - n}));
    }
    LETHE_TRY(lethe_sorted_err(it));
    return c->shared ? lethe_shared_urls_end(c->shared, w) : LETHE_OK;
}

static lethe_err part_of_users(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct log_count *c = arg;
    struct worker *me = &c->workers[w];
    lethe_str record, before = {0};
    (void)i;
    for (bool first = true; lethe_sorted_next(it, &record); first = false, before = record) {
        me->queries += first || !lethe_str_eq(record, before);
        me->users += first || !lethe_str_eq(key_of(record), key_of(before));
    }
    return lethe_sorted_err(it);
}

static lethe_err count_log(struct log_count *c, lethe_published *p, unsigned wants)
{
    uint64_t bytes = lethe_ctx_memory(c->ctx) / 4;
    lethe_log *log = NULL;
    c->workers = lethe_alloc_zero(c->n_workers, sizeof *c->workers);
    if (!c->workers) return lethe_no_memory(c->ctx);
    if (wants & (LETHE_SEES_TEXTS | LETHE_SEES_DENSITY))
        LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, bytes, &c->by_text));
    if (wants & LETHE_SEES_USERS)
        LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, bytes, &c->by_user));
    if (wants & LETHE_SEES_DENSITY) LETHE_TRY(lethe_shared_urls_new(c->ctx, bytes, &c->shared));
    LETHE_TRY(lethe_log_published(p->ctx, p->dirfd, lethe_data_name(p->shape), &log));
    lethe_log_expect(log, p->form);
    lethe_err e = lethe_log_walk(p->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c});
    lethe_log_free(log);
    if (e == LETHE_OK && c->by_text) e = lethe_sorter_each(c->by_text, part_of_texts, c);
    if (e == LETHE_OK && c->by_user) e = lethe_sorter_each(c->by_user, part_of_users, c);
    return e;
}

lethe_err lethe_log_see(lethe_verification *v, unsigned wants, bool hashes, lethe_log_seen *out)
{
    struct log_count c = {
        .ctx = v->p->ctx, .hashes = hashes, .n_workers = lethe_ctx_threads(v->p->ctx)};
    uint64_t edges = 0;
    *out = (lethe_log_seen){.what = wants};
    lethe_err e = count_log(&c, v->p, wants);
    for (unsigned w = 0; c.workers && w < c.n_workers; w++) {
        const struct worker *k = &c.workers[w];
        out->rows += k->rows;
        out->clicks += k->clicks;
        out->hashed += k->hashed;
        out->texts += k->texts;
        out->users += k->users;
        out->queries += k->queries;
        lethe_buf_free(&c.workers[w].record);
    }
    if (e == LETHE_OK && c.shared) e = lethe_shared_urls_count(c.shared, UINT64_MAX - 1, &edges);
    double n = (double)out->texts;
    if (n > 1) out->density = (double)edges / (n * (n - 1) / 2);
    lethe_shared_urls_free(c.shared);
    lethe_sorter_free(c.by_text);
    lethe_sorter_free(c.by_user);
    lethe_free(c.workers);
    return e;
}

/* --- texts in order --- */

static int by_bytes(const void *a, const void *b)
{
    return lethe_str_cmp(*(const lethe_str *)a, *(const lethe_str *)b);
}

/* Sorts in place. */
static lethe_json *texts_json(lethe_json_doc *doc, lethe_str *text, size_t n)
{
    lethe_json *out = lethe_json_array(doc);
    qsort(text, n, sizeof *text, by_bytes);
    for (size_t i = 0; i < n; i++)
        lethe_json_push(doc, out, lethe_json_new_text(doc, text[i]));
    return out;
}

lethe_err lethe_texts_sorted(lethe_diag *d, lethe_json_doc *doc, const lethe_json *array,
                             lethe_json **out)
{
    size_t n = lethe_json_count(array);
    lethe_str *text = lethe_alloc(n, sizeof *text);
    if (!text) return lethe_no_memory(d);
    for (size_t i = 0; i < n; i++)
        text[i] = lethe_json_text(lethe_json_at(array, i));
    *out = texts_json(doc, text, n);
    lethe_free(text);
    return lethe_json_failed(doc) ? lethe_no_memory(d) : LETHE_OK;
}

/* The names of a dictionary, except those of `but` (NULL: none). */
static lethe_json *names_json(lethe_json_doc *doc, const lethe_dict *names, const lethe_dict *but)
{
    size_t n = 0;
    uint32_t all = lethe_dict_count(names);
    lethe_str *text = lethe_alloc(all, sizeof *text);
    if (!text) return NULL;
    for (uint32_t i = 0; i < all; i++) {
        lethe_str name = lethe_dict_at(names, i);
        if (!but || lethe_dict_find(but, name) == LETHE_NONE) text[n++] = name;
    }
    lethe_json *out = texts_json(doc, text, n);
    lethe_free(text);
    return out;
}

/* --- records --- */

/* What one item with this name counts for. */
static void see_item(const lethe_published_tree *t, lethe_str name, uint64_t copies,
                     lethe_records_seen *out)
{
    uint32_t node = t ? lethe_tree_find(t->tree, name) : LETHE_NONE;
    if (node == LETHE_NONE) return; // no taxonomy, or an item that stands for several
    double lm = t->leaves[0] > 1 ? (double)(t->leaves[node] - 1) / (double)(t->leaves[0] - 1) : 0;
    out->generalized += t->leaves[node] > 1 ? copies : 0;
    out->levels += copies * (t->tree->level[node] + 1);
    out->lm += (double)copies * (double)(t->leaves[node] - 1); // divided when all are added
    out->lm_min = LETHE_MIN(out->lm_min, lm);
    out->lm_max = LETHE_MAX(out->lm_max, lm);
}

static void see_records(const lethe_published_records *r, const lethe_published_tree *t,
                        const lethe_dict *sensitive, lethe_records_seen *out)
{
    out->records = r->n_records;
    out->distinct = r->n;
    out->fewest = UINT64_MAX;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t copies = r->first[i + 1] - r->first[i];
        if (r->start[i] == r->start[i + 1])
            out->empty += copies;
        else
            out->fewest = LETHE_MIN(out->fewest, copies);
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            lethe_str name = lethe_dict_at(r->items, r->item[k]);
            bool exact = sensitive && lethe_dict_find(sensitive, name) != LETHE_NONE;
            out->items += copies;
            out->exact += exact ? copies : 0;
            if (!exact) see_item(t, name, copies, out);
        }
    }
    if (t && t->leaves[0] > 1) out->lm /= (double)(t->leaves[0] - 1);
}

lethe_err lethe_records_see(lethe_verification *v, lethe_records_seen *out)
{
    lethe_published *p = v->p;
    lethe_published_records *r = NULL;
    lethe_published_tree *t = NULL;
    lethe_dict *sensitive = NULL;
    *out = (lethe_records_seen){.lm_min = 1};
    lethe_err e = lethe_published_records_read(p->ctx, p->dirfd, &r);
    if (e == LETHE_OK) e = lethe_published_tree_read(p->ctx, p->dirfd, &t);
    if (e == LETHE_OK) e = lethe_published_sensitive_read(p->ctx, p->dirfd, &sensitive);
    if (e == LETHE_OK) {
        see_records(r, t, sensitive, out);
        out->names = names_json(v->doc, r->items, sensitive);
        if (!out->names) e = lethe_no_memory(p->ctx);
    }
    lethe_dict_free(sensitive);
    lethe_published_tree_free(t);
    lethe_published_records_free(r);
    return e;
}

/* --- a table --- */

struct table_rows {
    const lethe_published_table *t;
    const uint32_t *qi; /* columns */
    size_t n_qi;
    uint32_t weight[LETHE_QI_MAX]; /* by quasi-identifier, in thousandths */
    bool spans[LETHE_QI_MAX];      /* are these ranges of values? */
};

static int by_values(const void *a, const void *b, void *arg)
{
    const struct table_rows *x = arg;
    for (size_t i = 0; i < x->n_qi; i++) {
        const uint32_t *code = x->t->column[x->qi[i]].code;
        uint32_t p = code[*(const uint32_t *)a], q = code[*(const uint32_t *)b];
        if (p != q) return p < q ? -1 : 1;
    }
    return 0;
}

static lethe_err see_groups(lethe_ctx *ctx, struct table_rows *x, lethe_table_seen *out)
{
    uint32_t *row = lethe_alloc(x->t->n, sizeof *row);
    uint64_t n = 0;
    if (!row) return lethe_no_memory(ctx);
    for (size_t i = 0; i < x->t->n; i++)
        row[i] = (uint32_t)i;
    qsort_r(row, x->t->n, sizeof *row, by_values, x);
    for (size_t i = 0; i < x->t->n; i++) {
        bool new_group = i == 0 || by_values(&row[i], &row[i - 1], x) != 0;
        out->groups += new_group;
        n = new_group ? 1 : n + 1;
        out->alike += (double)(2 * n - 1); // the squares of sizes, summed
        bool ends = i + 1 == x->t->n || by_values(&row[i], &row[i + 1], x) != 0;
        if (ends && (out->smallest == 0 || n < out->smallest)) out->smallest = n;
    }
    lethe_free(row);
    return LETHE_OK;
}

/* What a node has lost, from 0 to 1: of ranges of values the share of the width, else of leaves. */
static double loss_of(const lethe_published_hierarchy *h, uint32_t node, bool spans)
{
    lethe_span all, own;
    if (!spans)
        return h->leaves[0] > 1 ? (double)(h->leaves[node] - 1) / (double)(h->leaves[0] - 1) : 0;
    bool good = lethe_span_parse(lethe_dict_at(h->names, 0), &all) &&
                lethe_span_parse(lethe_dict_at(h->names, node), &own);
    if (!good || lethe_number_cmp(all.low, all.high) == 0) return 0;
    return lethe_number_minus(own.high, own.low) / lethe_number_minus(all.high, all.low);
}

/* What the values of a column have lost. */
static lethe_err see_losses(const struct table_rows *x, const lethe_published_column *shown,
                            const lethe_published_hierarchy *h, size_t column,
                            lethe_table_seen *out)
{
    double lm = 0;
    uint32_t n = lethe_dict_count(shown->values);
    uint64_t *rows = lethe_alloc_zero(n, sizeof *rows);
    if (!rows) return LETHE_ENOMEM;
    for (size_t i = 0; i < x->t->n; i++)
        rows[shown->code[i]]++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = lethe_dict_find(h->names, lethe_dict_at(shown->values, i));
        if (node != LETHE_NONE) lm += (double)rows[i] * loss_of(h, node, x->spans[column]);
    }
    lethe_free(rows);
    out->lm += lm;
    out->weighted += lm * x->weight[column] / 1000;
    return LETHE_OK;
}

static lethe_err see_values(lethe_verification *v, struct table_rows *x, lethe_arena *a,
                            lethe_table_seen *out)
{
    lethe_published_hierarchies *h;
    lethe_ctx *ctx = v->p->ctx;
    lethe_str *column = lethe_new(a, lethe_str, x->n_qi);
    if (!column) return lethe_no_memory(ctx);
    for (size_t i = 0; i < x->n_qi; i++)
        column[i] = x->t->column[x->qi[i]].name;
    LETHE_TRY(lethe_published_hierarchies_read(ctx, v->p->dirfd, column, x->n_qi, &h));
    out->names = lethe_json_object(v->doc);
    for (size_t i = 0; i < x->n_qi; i++) {
        const lethe_published_column *shown = &x->t->column[x->qi[i]];
        char *name = lethe_arena_dup(a, column[i]);
        bool good = name && see_losses(x, shown, &h->at[i], i, out) == LETHE_OK;
        lethe_json *names = good ? names_json(v->doc, shown->values, NULL) : NULL;
        if (names) lethe_json_set(v->doc, out->names, name, names);
    }
    bool all = lethe_json_count(out->names) == x->n_qi;
    lethe_published_hierarchies_free(h);
    return all ? LETHE_OK : lethe_no_memory(ctx);
}

/* A text of the last step's parameters, in `a`; NULL: it has none. */
static lethe_err parameter_take(lethe_verification *v, lethe_arena *a, const char *name, char **out)
{
    const lethe_json *text = lethe_json_get(lethe_json_get(v->last_step, "parameters"), name);
    *out = NULL;
    if (lethe_json_kind(text) != LETHE_JSON_TEXT) return LETHE_OK;
    *out = lethe_arena_dup(a, lethe_json_text(text));
    return *out ? LETHE_OK : lethe_no_memory(v->p->ctx);
}

/* How the step weighs columns, and which of them have ranges of values; the step is good. */
static lethe_err see_columns(lethe_verification *v, lethe_arena *a, const lethe_str *name,
                             struct table_rows *x, lethe_table_seen *out)
{
    lethe_diag *d = lethe_ctx_diag(v->p->ctx);
    char *weights, *text;
    lethe_ranges *ranges = NULL;
    size_t n = 0;
    LETHE_TRY(parameter_take(v, a, "weights", &weights));
    LETHE_TRY(parameter_take(v, a, "ranges", &text));
    LETHE_TRY(lethe_weights_parse(d, weights, name, x->n_qi, x->weight));
    if (text) LETHE_TRY(lethe_ranges_parse(d, a, text, &ranges, &n));
    for (size_t i = 0; i < x->n_qi; i++) {
        out->weights += x->weight[i] / 1000.0;
        for (size_t k = 0; k < n; k++)
            if (ranges[k].values && lethe_str_eq(ranges[k].column, name[i])) x->spans[i] = true;
    }
    return LETHE_OK;
}

static lethe_err see_table(lethe_verification *v, const lethe_published_table *t, lethe_arena *a,
                           lethe_table_seen *out)
{
    lethe_diag *d = lethe_ctx_diag(v->p->ctx);
    const lethe_json *parameters = lethe_json_get(v->last_step, "parameters"),
                     *sa = lethe_json_get(parameters, "sa");
    lethe_str *name;
    struct table_rows x = {.t = t};
    char *qi = lethe_arena_dup(a, lethe_json_text(lethe_json_get(parameters, "qi")));
    if (!qi) return lethe_no_memory(d);
    LETHE_TRY(lethe_names_parse(d, a, qi, &name, &x.n_qi));
    uint32_t *at = lethe_new(a, uint32_t, x.n_qi ? x.n_qi : 1);
    if (!at) return lethe_no_memory(d);
    for (size_t i = 0; i < x.n_qi; i++) // the columns are those of the step, as was seen before
        at[i] = lethe_published_column_find(t, name[i]);
    x.qi = at;
    LETHE_TRY(see_columns(v, a, name, &x, out));
    out->rows = t->n;
    out->n_qi = x.n_qi;
    char *list = sa ? lethe_arena_dup(a, lethe_json_text(sa)) : NULL;
    size_t n_sa = 0;
    if (sa && !list) return lethe_no_memory(d);
    LETHE_TRY(lethe_names_parse(d, a, list, &name, &n_sa));
    for (size_t k = 0; k < n_sa; k++) {
        uint32_t secret = lethe_published_column_find(t, name[k]);
        if (secret == LETHE_NONE) continue;
        const lethe_published_column *c = &t->column[secret];
        uint32_t star = lethe_dict_find(c->values, LETHE_LIT(LETHE_STARRED));
        for (size_t i = 0; i < t->n && star != LETHE_NONE; i++)
            out->starred += c->code[i] == star;
    }
    LETHE_TRY(see_groups(v->p->ctx, &x, out));
    return see_values(v, &x, a, out);
}

lethe_err lethe_table_see(lethe_verification *v, lethe_table_seen *out)
{
    lethe_published_table *t = NULL;
    lethe_arena *a = lethe_arena_new();
    *out = (lethe_table_seen){0};
    lethe_err e =
        a ? lethe_published_table_read(v->p->ctx, v->p->dirfd, &t) : lethe_no_memory(v->p->ctx);
    if (e == LETHE_OK) e = see_table(v, t, a, out);
    lethe_published_table_free(t);
    lethe_arena_free(a);
    return e;
}
