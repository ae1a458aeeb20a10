/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a published table beside its original: values to nodes, rows to groups. */
#include "model/table/table_beside.h"
#include "io/json/json.h"
#include "model/published/published_tree.h"
#include "model/table/decimals.h"
#include "model/table/table_beside_internal.h"

typedef struct opener {
    lethe_table_beside *b;
    const lethe_published *from;
    lethe_diag *d;
} opener;

void lethe_table_beside_free(lethe_table_beside *b)
{
    if (!b) return;
    lethe_published_table_free(b->published);
    lethe_published_hierarchies_free(b->hierarchies);
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

/* A value would mean something else by another hierarchy, and its loss be another. */
static bool is_same(const lethe_tree *t, const lethe_published_hierarchy *h)
{
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t v = lethe_tree_find(t, lethe_dict_at(h->names, i)), above = LETHE_NONE;
        if (h->parent[i] != LETHE_NONE)
            above = lethe_tree_find(t, lethe_dict_at(h->names, h->parent[i]));
        if (v == LETHE_NONE || t->parent[v] != above || t->leaves[v] != h->leaves[i]) return false;
    }
    return true;
}

static lethe_err values_place(const opener *o, size_t a, const lethe_published_hierarchy *h)
{
    const lethe_qi *qi = &o->b->original->qi[a];
    const lethe_tree *t = qi->tree;
    lethe_beside_qi *to = &o->b->qi[a];
    uint32_t n = lethe_dict_count(to->column->values);
    uint32_t *node = lethe_new(o->b->arena, uint32_t, (size_t)n + 1);
    uint32_t *lowest = lethe_new(o->b->arena, uint32_t, (size_t)t->n + 1);
    uint32_t *next = lethe_new(o->b->arena, uint32_t, (size_t)n + 1);
    double *lm = lethe_new(o->b->arena, double, (size_t)n + 1);
    if (!node || !lowest || !next || !lm) return lethe_no_memory(o->d);
    for (uint32_t v = 0; v < t->n; v++)
        lowest[v] = LETHE_NONE;
    for (uint32_t i = 0; i < n; i++) {
        lethe_str name = lethe_dict_at(to->column->values, i);
        uint32_t at = lethe_dict_find(h->names, name);
        if (at == LETHE_NONE)
            return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                                 "column '%.*s': a value is not in %s", (int)qi->name.n,
                                 qi->name.at, LETHE_TAXONOMY_NAME);
        node[i] = lethe_tree_find(t, name);
        lowest[node[i]] = i;
        next[i] = LETHE_NONE;
        if (h->leaves[0] > 1) lm[i] = (double)(h->leaves[at] - 1) / (double)(h->leaves[0] - 1);
    }
    // in preorder, a parent comes before its children
    for (uint32_t v = 1; v < t->n; v++) {
        uint32_t above = lowest[t->parent[v]];
        if (lowest[v] == LETHE_NONE)
            lowest[v] = above;
        else
            next[lowest[v]] = above;
        if (lowest[v] != LETHE_NONE && next[lowest[v]] != LETHE_NONE && !o->b->overlap)
            return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TABLE_NAME, 0, 0,
                                 "column '%.*s': a published value is above another",
                                 (int)qi->name.n, qi->name.at);
    }
    to->node = node;
    to->lowest = lowest;
    to->next = next;
    to->lm = lm;
    to->doubtful = LETHE_NONE;
    return LETHE_OK;
}

static lethe_err column_place(const opener *o, size_t a, const lethe_published_hierarchy *h)
{
    const lethe_qi *qi = &o->b->original->qi[a];
    if (qi->position) {
        o->b->overlap = true;
        return lethe_beside_spans(o->d, o->b->arena, qi, h, &o->b->qi[a]);
    }
    if (is_same(qi->tree, h)) return values_place(o, a, h);
    if (o->b->original->lacks_hierarchies && !qi->ordered)
        return lethe_beside_place(o->d, o->b->arena, o->b->original, qi, h, &o->b->qi[a]);
    return lethe_fail_at(o->d, LETHE_EINPUT, LETHE_TAXONOMY_NAME, 0, 0,
                         "column '%.*s': not the hierarchy of the original: other values in it, or "
                         "another hierarchy was given",
                         (int)qi->name.n, qi->name.at);
}

static lethe_err hierarchies_read(const opener *o)
{
    const lethe_table *t = o->b->original;
    lethe_str *name = lethe_new(o->b->arena, lethe_str, t->n_qi);
    if (!name) return lethe_no_memory(o->d);
    for (size_t a = 0; a < t->n_qi; a++)
        name[a] = t->qi[a].name;
    LETHE_TRY(lethe_published_hierarchies_read(o->from->ctx, o->from->dirfd, name, t->n_qi,
                                               &o->b->hierarchies));
    for (size_t a = 0; a < t->n_qi; a++)
        LETHE_TRY(column_place(o, a, &o->b->hierarchies->at[a]));
    return LETHE_OK;
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
    b->n_sa = t->n_sa;
    b->sa = lethe_new(b->arena, const lethe_published_column *, b->n_sa + 1);
    b->starred = lethe_new(b->arena, uint32_t, b->n_sa + 1);
    if (!b->qi || !b->keep || !b->sa || !b->starred) return lethe_no_memory(o->d);
    for (size_t a = 0; a < t->n_qi; a++)
        LETHE_TRY(column_find(o, t->qi[a].name, &b->qi[a].column));
    for (size_t k = 0; k < b->n_sa; k++) {
        LETHE_TRY(column_find(o, t->sa[k].name, &b->sa[k]));
        b->starred[k] = lethe_dict_find(b->sa[k]->values, LETHE_LIT(LETHE_STARRED));
    }
    if (t->class) LETHE_TRY(column_find(o, t->class->name, &b->class));
    for (size_t i = 0; i < t->n_keep; i++) {
        uint32_t at = lethe_published_column_find(b->published, t->keep[i].name);
        b->keep[i] = at == LETHE_NONE ? NULL : &b->published->column[at];
    }
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

/* Does a claim say that groups overlap? */
static bool groups_overlap(const lethe_published *p)
{
    const lethe_json *claims = p->claims ? p->claims : lethe_json_get(p->manifest, "claims");
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        lethe_str groups = lethe_json_text(lethe_json_get(lethe_json_at(claims, i), "groups"));
        if (lethe_str_eq(groups, LETHE_LIT("overlap"))) return true;
    }
    return false;
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
    *o.b = (lethe_table_beside){.original = original, .overlap = groups_overlap(p), .arena = a};
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

bool lethe_beside_covers(const lethe_beside_qi *qi, uint32_t value, uint32_t leaf)
{
    if (qi->kind == LETHE_BESIDE_SPANS)
        return qi->low[value] <= qi->place[leaf] && qi->place[leaf] < qi->high[value];
    uint32_t at = qi->lowest[leaf];
    while (at != LETHE_NONE && at != value)
        at = qi->next[at];
    return at == value;
}

uint32_t lethe_beside_group(const lethe_table_beside *b, const uint32_t *leaf)
{
    uint32_t key[LETHE_QI_MAX];
    size_t n = b->original->n_qi;
    assert(!b->overlap);
    for (size_t a = 0; a < n; a++) {
        key[a] = leaf[a] == LETHE_NONE ? LETHE_NONE : b->qi[a].lowest[leaf[a]];
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
