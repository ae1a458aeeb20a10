/* SPDX-License-Identifier: Apache-2.0 */
/* A cut applied to rows of a table, and to sets. */
#include "app/batch/batch_internal.h"
#include "core/sort.h"
#include "model/cut/cut.h"
#include "model/table/table.h"
#include "text/normalize.h"
#include <stdlib.h>

/* What no field of a table and no item of a record can hold. */
static bool is_forbidden(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i] == '\0' || s.at[i] == '\t' || s.at[i] == '\r' || s.at[i] == '\n') return true;
    return false;
}

/* --- rows --- */

/* A value as the reader of tables takes it (table_read.c). */
static lethe_err cell_find(const lethe_cut *cut, size_t column, lethe_str text, lethe_buf *repaired,
                           lethe_str *out)
{
    bool invalid;
    *out = (lethe_str){NULL, 0};
    if (is_forbidden(text)) return LETHE_OK;
    LETHE_TRY(lethe_utf8_repair(lethe_str_trim(text), repaired, &text, &invalid));
    *out = lethe_cut_find(cut, column, text.n ? text : LETHE_LIT(LETHE_MISSING));
    return LETHE_OK;
}

static lethe_err column_apply(const lethe_cut *cut, size_t i, const lethe_batch_in *in,
                              lethe_buf *repaired, lethe_built_column *to)
{
    lethe_batch_column from;
    char scratch[LETHE_ARROW_SCRATCH], shown[80];
    lethe_str text, published;
    bool is_null;
    LETHE_TRY(lethe_batch_find(in, lethe_cut_column(cut, i), &from));
    if (!from.a) {
        lethe_show(shown, sizeof shown, lethe_cut_column(cut, i));
        return lethe_fail(in->ctx, LETHE_EINPUT, "the rows have no column '%s', which the cut has",
                          shown);
    }
    for (int64_t k = 0; k < in->n; k++) {
        LETHE_TRY(lethe_batch_go_on(in, k));
        LETHE_TRY(lethe_batch_text(in, &from, k, scratch, &is_null, &text));
        if (cell_find(cut, i, text, repaired, &published) != LETHE_OK)
            return lethe_no_memory(in->ctx);
        LETHE_TRY(lethe_batch_put(in->ctx, to, published));
    }
    return LETHE_OK;
}

lethe_err lethe_batch_cut_rows(const lethe_cut *cut, const lethe_batch_in *in,
                               lethe_built_column *columns)
{
    lethe_buf repaired = {0};
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < lethe_cut_columns(cut) && e == LETHE_OK; i++)
        e = column_apply(cut, i, in, &repaired, &columns[i]);
    lethe_buf_free(&repaired);
    return e;
}

/* --- sets --- */

typedef struct set_maker {
    const lethe_cut *cut;
    const lethe_batch_in *in;
    lethe_batch_column lists, items;
    lethe_buf repaired, named;
    lethe_buf found; /* lethe_str */
} set_maker;

/* An item as the reader of records takes it: spaces inside are written `_`.  LETHE_ENOMEM, without
 * a message. */
static lethe_err item_find(set_maker *m, lethe_str text, lethe_str *out)
{
    bool invalid;
    *out = (lethe_str){NULL, 0};
    if (is_forbidden(text)) return LETHE_OK;
    LETHE_TRY(lethe_utf8_repair(lethe_str_trim(text), &m->repaired, &text, &invalid));
    if (text.n == 0) return LETHE_OK;
    m->named.n = 0;
    LETHE_TRY(lethe_buf_str(&m->named, text));
    for (size_t i = 0; i < m->named.n; i++)
        if (m->named.at[i] == ' ') m->named.at[i] = '_';
    *out = lethe_cut_find(m->cut, 0, (lethe_str){(const char *)m->named.at, m->named.n});
    return LETHE_OK;
}

/* The published items of set i, distinct, in the order of their bytes. */
static lethe_err set_put(set_maker *m, int64_t i, lethe_built_column *to)
{
    char scratch[LETHE_ARROW_SCRATCH];
    int64_t from, n;
    m->found.n = 0;
    const char *fault = lethe_arrow_items(m->lists.type, m->lists.a, i, &from, &n);
    if (fault) return lethe_batch_fault(m->in, &m->lists, i, fault);
    for (int64_t k = from; k < from + n; k++) {
        lethe_str text, item;
        fault = lethe_arrow_text(m->items.type, m->items.a, k, scratch, &text);
        if (fault) return lethe_batch_fault(m->in, &m->lists, i, fault);
        lethe_err e = item_find(m, text, &item);
        if (e == LETHE_OK && item.at) e = lethe_buf_put(&m->found, &item, sizeof item);
        if (e != LETHE_OK) return lethe_no_memory(m->in->ctx);
    }
    size_t n_found = m->found.n / sizeof(lethe_str);
    lethe_str *at = (lethe_str *)(void *)m->found.at;
    if (n_found > 0) qsort(at, n_found, sizeof *at, lethe_strs_cmp);
    for (size_t k = 0; k < n_found; k++)
        if (k == 0 || !lethe_str_eq(at[k - 1], at[k]))
            LETHE_TRY(lethe_batch_put(m->in->ctx, to, at[k]));
    return lethe_built_list(to) == LETHE_OK ? LETHE_OK : lethe_no_memory(m->in->ctx);
}

static lethe_err sets_apply(set_maker *m, lethe_built_column *to)
{
    const lethe_batch_in *in = m->in;
    LETHE_TRY(lethe_batch_itself(in, &m->lists));
    if (!lethe_arrow_is_list(m->lists.type))
        return lethe_fail(in->ctx, LETHE_EINPUT, "the function takes lists of items");
    m->items = (lethe_batch_column){
        .name = "", .type = m->lists.type->values, .a = m->lists.a->children[0]};
    for (int64_t i = 0; i < in->n; i++) {
        LETHE_TRY(lethe_batch_go_on(in, i));
        if (!lethe_arrow_is_null(m->lists.type, m->lists.a, i))
            LETHE_TRY(set_put(m, i, to));
        else if (lethe_built_null_list(to) != LETHE_OK)
            return lethe_no_memory(in->ctx);
    }
    return LETHE_OK;
}

lethe_err lethe_batch_cut_sets(const lethe_cut *cut, const lethe_batch_in *in,
                               lethe_built_column *column)
{
    set_maker m = {.cut = cut, .in = in};
    lethe_err e = sets_apply(&m, column);
    lethe_buf_free(&m.repaired);
    lethe_buf_free(&m.named);
    lethe_buf_free(&m.found);
    return e;
}
