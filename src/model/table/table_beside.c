/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a published table beside its original: values to nodes, rows to groups. */
#include "model/table/table_beside.h"
#include "model/published/published_tree.h"
#include "model/table/table_internal.h"
#include "model/table/decimals.h"

typedef struct opener {
    lethe_table_beside *b;
    const lethe_published *from;
    lethe_diag *d;
} opener;

void lethe_table_beside_free(lethe_table_beside *b)
{
    if (!b) return;
    lethe_published_table_free(b->published);
    lethe_dict_free(b->keys);
    lethe_arena_free(b->arena);
}

/* --- groups of equal rows --- */

lethe_err lethe_rows_group(lethe_arena *a, lethe_dict *keys, size_t n_rows,
                           const uint32_t *const *column, size_t n_columns, uint32_t **of,
                           uint32_t *n)
{
    uint32_t *number = lethe_new(a, uint32_t, n_rows + 1);
    uint32_t *key = lethe_new(a, uint32_t, n_columns + 1);
    if (!number || !key) return LETHE_ENOMEM;
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t k = 0; k < n_columns; k++)
            key[k] = column[k][i];
        lethe_str text = {(const char *)key, n_columns * sizeof *key};
        LETHE_TRY(lethe_dict_add(keys, text, &number[i]));
    }
    *of = number;
    *n = lethe_dict_count(keys);
    return LETHE_OK;
}

uint32_t *lethe_dict_translate(lethe_arena *a, const lethe_dict *from, const lethe_dict *to)
{
    uint32_t n = lethe_dict_count(to), *out = lethe_new(a, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; out && i < n; i++)
        out[i] = lethe_dict_find(from, lethe_dict_at(to, i));
    return out;
}

/* --- hierarchies --- */

static lethe_err values_place(const opener *o, size_t a, const lethe_published_hierarchy *h)
{
    const lethe_qi *qi = &o->b->original->qi[a];
    lethe_beside_qi *to = &o->b->qi[a];
    uint32_t n = lethe_dict_count(to->column->values);
    uint32_t *node = lethe_new(o->b->arena, uint32_t, (size_t)n + 1);
    uint32_t *value = lethe_new(o->b->arena, uint32_t, (size_t)qi->tree->n + 1);
    double *lm = lethe_new(o->b->arena, double, (size_t)n + 1);
    if (!node || !value || !lm) return lethe_no_memory(o->d);
    // A value would mean something else by another hierarchy, and its loss be another.
    const lethe_tree *t = qi->tree;
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t v = lethe_tree_find(t, lethe_dict_at(h->names, i)), above = LETHE_NONE;
        if (h->parent[i] != LETHE_NONE)
            above = lethe_tree_find(t, lethe_dict_at(h->names, h->parent[i]));
        if (v == LETHE_NONE || t->parent[v] != above || t->leaves[v] != h->leaves[i])
            return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TAXONOMY_NAME, 0, 0,
                                 "column '%.*s': not the hierarchy of the original: other values "
                                 "in it, or another hierarchy was given",
                                 (int)qi->name.n, qi->name.at);
    }
    for (uint32_t i = 0; i < n; i++) {
        lethe_str name = lethe_dict_at(to->column->values, i);
        uint32_t at = lethe_dict_find(h->names, name);
        if (at == LETHE_NONE)
            return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                                 "column '%.*s': a value is not in %s", (int)qi->name.n,
                                 qi->name.at, LETHE_TAXONOMY_NAME);
        node[i] = lethe_tree_find(qi->tree, name);
        if (h->leaves[0] > 1) lm[i] = (double)(h->leaves[at] - 1) / (double)(h->leaves[0] - 1);
    }
    to->node = node;
    to->value = value;
    to->lm = lm;
    // Which published value stands above each node, and that no two do.
    for (uint32_t v = 0; v < qi->tree->n; v++)
        value[v] = LETHE_NONE;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t v = node[i]; v < qi->tree->end[node[i]]; v++) {
            if (value[v] != LETHE_NONE)
                return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                                     "column '%.*s': a published value is above another",
                                     (int)qi->name.n, qi->name.at);
            value[v] = i;
        }
    return LETHE_OK;
}

static lethe_err hierarchies_read(const opener *o)
{
    const lethe_table *t = o->b->original;
    lethe_published_hierarchies *h = NULL;
    lethe_str *name = lethe_new(o->b->arena, lethe_str, t->n_qi);
    if (!name) return lethe_no_memory(o->d);
    for (size_t a = 0; a < t->n_qi; a++)
        name[a] = t->qi[a].name;
    LETHE_TRY(lethe_published_hierarchies_read(o->from->ctx, o->from->dirfd, name, t->n_qi, &h));
    lethe_err e = LETHE_OK;
    for (size_t a = 0; a < t->n_qi && e == LETHE_OK; a++)
        e = values_place(o, a, &h->at[a]);
    lethe_published_hierarchies_free(h);
    return e;
}

/* --- the whole --- */

static lethe_err column_find(const opener *o, lethe_str name, const lethe_published_column **out)
{
    uint32_t i = lethe_published_column_find(o->b->published, name);
    if (i == LETHE_NONE)
        return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TABLE_NAME, 1, 0, "no column '%.*s'",
                             (int)name.n, name.at);
    *out = &o->b->published->column[i];
    return LETHE_OK;
}

static lethe_err columns_find(const opener *o)
{
    lethe_table_beside *b = o->b;
    const lethe_table *t = b->original;
    b->qi = lethe_new(b->arena, lethe_beside_qi, t->n_qi);
    b->keep = lethe_new(b->arena, const lethe_published_column *, t->n_keep + 1);
    if (!b->qi || !b->keep) return lethe_no_memory(o->d);
    for (size_t a = 0; a < t->n_qi; a++)
        LETHE_TRY(column_find(o, t->qi[a].name, &b->qi[a].column));
    if (t->sa) LETHE_TRY(column_find(o, t->sa->name, &b->sa));
    if (t->class) LETHE_TRY(column_find(o, t->class->name, &b->class));
    for (size_t i = 0; i < t->n_keep; i++) {
        uint32_t at = lethe_published_column_find(b->published, t->keep[i].name);
        b->keep[i] = at == LETHE_NONE ? NULL : &b->published->column[at];
    }
    b->starred = b->sa ? lethe_dict_find(b->sa->values, LETHE_LIT(LETHE_STARRED)) : LETHE_NONE;
    return LETHE_OK;
}

static lethe_err groups_make(const opener *o)
{
    lethe_table_beside *b = o->b;
    size_t n_qi = b->original->n_qi;
    uint32_t *of, *size;
    const uint32_t **code = lethe_new(b->arena, const uint32_t *, n_qi);
    b->keys = lethe_dict_new();
    if (!code || !b->keys) return lethe_no_memory(o->d);
    for (size_t a = 0; a < n_qi; a++)
        code[a] = b->qi[a].column->code;
    if (lethe_rows_group(b->arena, b->keys, b->published->n, code, n_qi, &of, &b->n_groups) !=
        LETHE_OK)
        return lethe_no_memory(o->d);
    size = lethe_new(b->arena, uint32_t, (size_t)b->n_groups + 1);
    if (!size) return lethe_no_memory(o->d);
    for (size_t i = 0; i < b->published->n; i++)
        size[of[i]]++;
    b->group = of;
    b->size = size;
    return LETHE_OK;
}

lethe_err lethe_table_beside_open(const lethe_published *p, const lethe_table *original,
                                  lethe_table_beside **out)
{
    lethe_arena *a = lethe_arena_new();
    opener o = {a ? lethe_new(a, lethe_table_beside, 1) : NULL, p, lethe_ctx_diag(p->ctx)};
    if (!o.b) {
        lethe_arena_free(a);
        return lethe_no_memory(o.d);
    }
    *o.b = (lethe_table_beside){.original = original, .starred = LETHE_NONE, .arena = a};
    lethe_err e = lethe_published_table_read(p->ctx, p->dirfd, &o.b->published);
    if (e == LETHE_OK && o.b->published->n > original->n)
        e = lethe_fail_at(o.d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                          "more rows than the original: the release was not made from it");
    if (e == LETHE_OK) e = columns_find(&o);
    if (e == LETHE_OK) e = hierarchies_read(&o);
    if (e == LETHE_OK) e = groups_make(&o);
    if (e == LETHE_OK) o.b->n_deleted = original->n - o.b->published->n;
    if (e == LETHE_OK)
        *out = o.b;
    else
        lethe_table_beside_free(o.b);
    return e;
}

/* --- who would be found where --- */

uint32_t lethe_beside_group(const lethe_table_beside *b, const uint32_t *leaf)
{
    uint32_t key[LETHE_QI_MAX];
    size_t n = b->original->n_qi;
    for (size_t a = 0; a < n; a++) {
        key[a] = leaf[a] == LETHE_NONE ? LETHE_NONE : b->qi[a].value[leaf[a]];
        if (key[a] == LETHE_NONE) return LETHE_NONE;
    }
    return lethe_dict_find(b->keys, (lethe_str){(const char *)key, n * sizeof *key});
}

uint32_t lethe_beside_group_of(const lethe_table_beside *b, size_t row)
{
    uint32_t leaf[LETHE_QI_MAX];
    for (size_t a = 0; a < b->original->n_qi; a++)
        leaf[a] = b->original->qi[a].leaf[row];
    return lethe_beside_group(b, leaf);
}

/* Is `leaf` the one that was put below the inner node because a value has its name? */
static bool is_own_leaf(const lethe_tree *t, uint32_t inner, uint32_t leaf)
{
    lethe_str name = lethe_tree_name(t, inner), own = lethe_tree_name(t, leaf);
    if (!lethe_tree_is_leaf(t, leaf) || own.n <= name.n) return false;
    for (size_t i = 0; i < own.n - name.n; i++)
        if (own.at[i] != '=') return false;
    return lethe_str_eq(name, (lethe_str){own.at + (own.n - name.n), name.n});
}

uint32_t lethe_qi_leaf(const lethe_qi *qi, lethe_str value)
{
    const lethe_tree *t = qi->tree;
    char text[LETHE_NUMBER_TEXT];
    lethe_number x;
    lethe_decimals decimals = {0};
    lethe_str plain;
    char point[LETHE_NUMBER_TEXT];
    value = lethe_str_trim(value);
    if (value.n == 0) value = LETHE_LIT(LETHE_MISSING);
    // a decimal comma, unless thousands may be meant
    if (qi->ordered &&
        lethe_decimals_take(&decimals, 1, value, point, &plain) == LETHE_DECIMALS_OK &&
        !lethe_decimals_unclear(&decimals))
        value = plain;
    if (qi->ordered && lethe_number_parse(value, &x))
        value = (lethe_str){text, lethe_number_print(x, text)};
    uint32_t v = lethe_tree_find(t, value);
    if (v == LETHE_NONE || lethe_tree_is_leaf(t, v)) return v;
    uint32_t first = lethe_tree_first(t, v);
    return is_own_leaf(t, v, first) ? first : LETHE_NONE;
}
