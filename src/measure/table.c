/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - what a published table is still worth: how general its values are, how large its
 * groups, what was left out, and whether it is the truth.
 *
 * LM, DM and CM are those of J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing",
 * 2010, section 3.5: a deleted row is charged 2 |QI| (or what
 * --deletion-weight says), |T| and 1, a starred value |QI| (LM alone has a price for it).
 *
 * Truth: a published row generalizes a row of the original, and no two the same one.  With a map it
 * is told which.  Without, rows are matched by what they show: where published values stand apart,
 * a row of the original can only be in one group, and there stand for a published row with its
 * class, its kept columns, and its sensitive value or a star.  Rows that show a value take those
 * that have it, as many as there are; stars take what is left.  Where groups overlap, a row may fit
 * several: then as many as possible are matched (algo/match/transport.h), which is exact too. */
#include "measure/measure.h"
#include "algo/match/transport.h"
#include "io/json/json.h"
#include "model/records/record_map.h"
#include "model/table/table_beside.h"
#include <math.h>
#include <stdlib.h>

struct measurement {
    lethe_comparison *c;
    lethe_table_beside *b;
    lethe_arena *arena;
    double lm_sum; /* of all published values of quasi-identifiers */
    uint64_t dm, cm, starred;
};

/* --- loss --- */

/* Rows outside the majority class of their group. */
static lethe_err minority_count(struct measurement *m, uint64_t *out)
{
    const lethe_table_beside *b = m->b;
    const uint32_t *column[2] = {b->group, b->class->code};
    uint32_t *of = NULL, n = 0;
    uint64_t *most = lethe_new(m->arena, uint64_t, (size_t)b->n_groups + 1);
    lethe_dict *keys = lethe_dict_new();
    lethe_err e = most && keys
                      ? lethe_rows_group(m->arena, keys, b->published->n, column, 2, &of, &n)
                      : LETHE_ENOMEM;
    lethe_dict_free(keys);
    uint64_t *often = e == LETHE_OK ? lethe_new(m->arena, uint64_t, (size_t)n + 1) : NULL;
    if (!often) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < b->published->n; i++)
        often[of[i]]++;
    for (size_t i = 0; i < b->published->n; i++)
        most[b->group[i]] = LETHE_MAX(most[b->group[i]], often[of[i]]);
    *out = b->published->n;
    for (uint32_t g = 0; g < b->n_groups; g++)
        *out -= most[g];
    return LETHE_OK;
}

/* --- truth --- */

/* A column that is published as it is, by the numbers of the published values.  Of the original:
 * LETHE_NONE, where a value is not published. */
struct plain {
    const uint32_t *published, *original;
};

static lethe_err plain_take(const struct measurement *m, const lethe_published_column *published,
                            const lethe_column *original, struct plain *out)
{
    uint32_t *number = lethe_dict_translate(m->arena, published->values, original->values);
    uint32_t *code = lethe_new(m->arena, uint32_t, m->b->original->n + 1);
    if (!number || !code) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < m->b->original->n; i++)
        code[i] = number[original->code[i]];
    *out = (struct plain){published->code, code};
    return LETHE_OK;
}

/* All of them: the class, then kept ones; with `sa`, the sensitive columns last. */
static lethe_err plains_take(const struct measurement *m, bool sa, struct plain **out, size_t *n)
{
    const lethe_table_beside *b = m->b;
    const lethe_table *t = b->original;
    struct plain *at = lethe_new(m->arena, struct plain, t->n_keep + b->n_sa + 2);
    if (!at) return lethe_no_memory(m->c->ctx);
    *n = 0;
    if (b->class) LETHE_TRY(plain_take(m, b->class, t->class, &at[(*n)++]));
    for (size_t i = 0; i < t->n_keep; i++)
        if (b->keep[i]) LETHE_TRY(plain_take(m, b->keep[i], &t->keep[i], &at[(*n)++]));
    for (size_t k = 0; sa && k < b->n_sa; k++)
        LETHE_TRY(plain_take(m, b->sa[k], &t->sa[k], &at[(*n)++]));
    *out = at;
    return LETHE_OK;
}

/* Does the published row say of this row of the original what is so?  `plain` has sensitive columns
 * too. */
static bool is_true(const lethe_table_beside *b, const struct plain *plain, size_t n, size_t row,
                    size_t from)
{
    for (size_t a = 0; a < b->original->n_qi; a++) {
        uint32_t value = b->qi[a].column->code[row], leaf = b->original->qi[a].leaf[from];
        if (!lethe_beside_covers(&b->qi[a], value, leaf)) return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool starred = i + b->n_sa >= n && plain[i].published[row] == b->starred[i + b->n_sa - n];
        if (!starred && plain[i].published[row] != plain[i].original[from]) return false;
    }
    return true;
}

/* Rows of both tables, those published first, by number: of what they show but for the sensitive
 * column, and of that with it.  Of the original, only rows that could be in a group. */
struct kinds {
    size_t n;
    uint32_t *kind, *full;
    uint32_t n_kinds, n_full;
};

static lethe_err column_join(const struct measurement *m, const uint32_t *published,
                             const uint32_t *original, const uint32_t *of, size_t n,
                             const uint32_t **out)
{
    size_t n_published = m->b->published->n;
    uint32_t *at = lethe_new(m->arena, uint32_t, n_published + n + 1);
    if (!at) return lethe_no_memory(m->c->ctx);
    if (n_published > 0) memcpy(at, published, n_published * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[n_published + i] = original[of[i]];
    *out = at;
    return LETHE_OK;
}

static lethe_err rows_number(const struct measurement *m, size_t n, const uint32_t *const *column,
                             size_t n_columns, uint32_t **of, uint32_t *n_numbers)
{
    lethe_dict *keys = lethe_dict_new();
    lethe_err e =
        keys ? lethe_rows_group(m->arena, keys, n, column, n_columns, of, n_numbers) : LETHE_ENOMEM;
    lethe_dict_free(keys);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(m->c->ctx);
}

/* `of`: rows of the original that have a group; `group`: which, by row of the original. */
static lethe_err kinds_number(const struct measurement *m, const uint32_t *group,
                              const uint32_t *of, size_t n, struct kinds *k)
{
    struct plain *plain;
    size_t n_plain, n_columns = 0;
    LETHE_TRY(plains_take(m, false, &plain, &n_plain));
    const uint32_t **column = lethe_new(m->arena, const uint32_t *, n_plain + 1), *pair[2];
    if (!column) return lethe_no_memory(m->c->ctx);
    k->n = m->b->published->n + n;
    LETHE_TRY(column_join(m, m->b->group, group, of, n, &column[n_columns++]));
    for (size_t i = 0; i < n_plain; i++)
        LETHE_TRY(
            column_join(m, plain[i].published, plain[i].original, of, n, &column[n_columns++]));
    LETHE_TRY(rows_number(m, k->n, column, n_columns, &k->kind, &k->n_kinds));
    k->full = k->kind;
    k->n_full = k->n_kinds;
    if (m->b->n_sa == 0) return LETHE_OK;
    struct plain sa;
    LETHE_TRY(plain_take(m, m->b->sa[0], m->b->original->sa, &sa));
    pair[0] = k->kind;
    LETHE_TRY(column_join(m, sa.published, sa.original, of, n, &pair[1]));
    return rows_number(m, k->n, pair, 2, &k->full, &k->n_full);
}

static lethe_err mapped_count(const struct measurement *m, uint64_t *n_true)
{
    const lethe_table_beside *b = m->b;
    struct plain *plain;
    size_t n_plain;
    uint64_t *row;
    LETHE_TRY(lethe_table_map_read(m->c->ctx, m->c->map, m->c->map_digest, b->original,
                                   b->published->n, m->arena, &row));
    LETHE_TRY(plains_take(m, true, &plain, &n_plain));
    for (size_t i = 0; i < b->original->n; i++)
        if (row[i] != LETHE_NOT_PUBLISHED) *n_true += is_true(b, plain, n_plain, row[i], i);
    return LETHE_OK;
}

/* Where each row of the original can be in one group only, and at most one column is sensitive. */
static lethe_err apart_count(const struct measurement *m, uint64_t *n_true)
{
    const lethe_table_beside *b = m->b;
    size_t n_rows = b->original->n, n = 0;
    struct kinds k = {0};
    uint32_t *group = lethe_new(m->arena, uint32_t, n_rows + 1);
    uint32_t *of = lethe_new(m->arena, uint32_t, n_rows + 1);
    if (!group || !of) return lethe_no_memory(m->c->ctx);
    for (size_t i = 0; i < n_rows; i++) {
        group[i] = lethe_beside_group_of(b, i);
        if (group[i] != LETHE_NONE) of[n++] = (uint32_t)i;
    }
    LETHE_TRY(kinds_number(m, group, of, n, &k));
    // `have` and `left`: what is left of the original, by full number and by kind
    uint64_t *have = lethe_new(m->arena, uint64_t, (size_t)k.n_full + 1);
    uint64_t *left = lethe_new(m->arena, uint64_t, (size_t)k.n_kinds + 1);
    if (!have || !left) return lethe_no_memory(m->c->ctx);
    for (size_t i = b->published->n; i < k.n; i++) {
        have[k.full[i]]++;
        left[k.kind[i]]++;
    }
    for (int stars = 0; stars < 2; stars++)
        for (size_t i = 0; i < b->published->n; i++) {
            bool starred = b->n_sa && b->sa[0]->code[i] == b->starred[0];
            uint64_t *from = starred ? &left[k.kind[i]] : &have[k.full[i]];
            if (starred != (stars == 1) || *from == 0) continue;
            --*from;
            if (!starred) left[k.kind[i]]--;
            ++*n_true;
        }
    return LETHE_OK;
}

/* --- truth where groups overlap --- */

enum { STARS_MAX = 10 }; /* sensitive columns with stars */

/* Rows that are equal in all that matters, on either side. */
struct sides {
    struct plain *plain; /* sensitive columns last */
    size_t n_plain;
    lethe_dict *left_keys, *right_keys;
    uint32_t n_left, n_right, *has, *takes;
    uint32_t *row; /* by number on the left: a row */
    lethe_beside_fits *fits;
    lethe_u32s right; /* pairs */
};

/* Keys: the leaves of the original, and the group of what is published; then all that is published
 * as it is. */
static lethe_err sides_number(const struct measurement *m, struct sides *s)
{
    const lethe_table_beside *b = m->b;
    size_t n_qi = b->original->n_qi, n = b->original->n;
    uint32_t *left, *right;
    const uint32_t **column = lethe_new(m->arena, const uint32_t *, n_qi + s->n_plain + 1);
    s->left_keys = lethe_dict_new();
    s->right_keys = lethe_dict_new();
    if (!column || !s->left_keys || !s->right_keys) return LETHE_ENOMEM;
    // the columns of the index first: equal rows in its order are looked up once
    for (size_t a = 0; a < n_qi; a++)
        column[a] = b->original->qi[a].leaf;
    for (size_t i = 0; i < s->n_plain; i++)
        column[n_qi + i] = s->plain[i].original;
    LETHE_TRY(
        lethe_rows_group(m->arena, s->left_keys, n, column, n_qi + s->n_plain, &left, &s->n_left));
    column[0] = b->group;
    for (size_t i = 0; i < s->n_plain; i++)
        column[1 + i] = s->plain[i].published;
    LETHE_TRY(lethe_rows_group(m->arena, s->right_keys, b->published->n, column, 1 + s->n_plain,
                               &right, &s->n_right));
    s->has = lethe_new(m->arena, uint32_t, (size_t)s->n_left + 1);
    s->row = lethe_new(m->arena, uint32_t, (size_t)s->n_left + 1);
    s->takes = lethe_new(m->arena, uint32_t, (size_t)s->n_right + 1);
    if (!s->has || !s->row || !s->takes) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        s->has[left[i]]++;
        s->row[left[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < b->published->n; i++)
        s->takes[right[i]]++;
    return LETHE_OK;
}

struct row_order {
    const lethe_table *t;
    const size_t *column;
};

static int by_leaves(const void *a, const void *b, void *arg)
{
    const struct row_order *o = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    for (size_t j = 0; j < o->t->n_qi; j++) {
        const uint32_t *leaf = o->t->qi[o->column[j]].leaf;
        if (leaf[x] != leaf[y]) return leaf[x] < leaf[y] ? -1 : 1;
    }
    return (x > y) - (x < y);
}

/* A pair with each published kind of rows that tells the truth of the row. */
static lethe_err pairs_add(const struct measurement *m, struct sides *s, uint32_t row,
                           uint32_t *key)
{
    const lethe_table_beside *b = m->b;
    size_t n_qi = b->original->n_qi, n_groups;
    uint32_t leaf[LETHE_QI_MAX];
    const uint32_t *group;
    for (size_t a = 0; a < n_qi; a++)
        leaf[a] = b->original->qi[a].leaf[row];
    LETHE_TRY(lethe_beside_fit(s->fits, leaf, &group, &n_groups));
    for (size_t i = 0; i < s->n_plain; i++)
        key[1 + i] = s->plain[i].original[row];
    size_t n_sa = b->n_sa, from = 1 + s->n_plain - n_sa; // where sensitive values are in the key
    unsigned may_star = 0;
    for (size_t k = 0; k < n_sa && k < STARS_MAX; k++)
        may_star |= b->starred[k] != LETHE_NONE ? 1u << k : 0;
    for (size_t g = 0; g < n_groups; g++)
        for (unsigned stars = may_star;; stars = (stars - 1) & may_star) {
            key[0] = group[g];
            for (size_t k = 0; k < n_sa; k++)
                key[from + k] = k < STARS_MAX && stars >> k & 1u
                                    ? b->starred[k]
                                    : s->plain[s->n_plain - n_sa + k].original[row];
            lethe_str text = {(const char *)key, (1 + s->n_plain) * sizeof *key};
            uint32_t at = lethe_dict_find(s->right_keys, text);
            if (at != LETHE_NONE) LETHE_TRY(lethe_u32s_append(m->arena, &s->right, &at, 1));
            if (stars == 0) break;
        }
    return LETHE_OK;
}

/* Sets *is_known to false where there are more pairs than are worth the memory. */
static lethe_err sides_match(const struct measurement *m, struct sides *s, uint64_t *n_true,
                             bool *is_known)
{
    enum { PAIRS_MAX = 100000000 };
    LETHE_TRY(sides_number(m, s));
    LETHE_TRY(lethe_beside_fits_new(m->b, &s->fits));
    uint32_t *first = lethe_new(m->arena, uint32_t, (size_t)s->n_left + 1);
    uint32_t *key = lethe_new(m->arena, uint32_t, s->n_plain + 1);
    uint32_t *has = lethe_new(m->arena, uint32_t, (size_t)s->n_left + 1);
    uint32_t *row = lethe_new(m->arena, uint32_t, (size_t)s->n_left + 1);
    uint32_t *number = lethe_new(m->arena, uint32_t, m->b->original->n + 1);
    if (!first || !key || !has || !row || !number) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n_left; i++) {
        number[s->row[i]] = i;
        row[i] = s->row[i];
    }
    struct row_order by = {m->b->original, lethe_beside_fits_order(s->fits)};
    qsort_r(row, s->n_left, sizeof *row, by_leaves, &by);
    for (uint32_t i = 0; i < s->n_left; i++) {
        if (i % 1024 == 0 && lethe_ctx_cancelled(m->c->ctx)) return LETHE_ECANCEL;
        has[i] = s->has[number[row[i]]];
        first[i] = (uint32_t)s->right.n;
        LETHE_TRY(pairs_add(m, s, row[i], key));
        *is_known = s->right.n <= PAIRS_MAX;
        if (!*is_known) return LETHE_OK;
    }
    first[s->n_left] = (uint32_t)s->right.n;
    lethe_transport t = {.n_left = s->n_left,
                         .n_right = s->n_right,
                         .has = has,
                         .takes = s->takes,
                         .first = first,
                         .right = s->right.at};
    return lethe_transport_most(m->c->ctx, &t, n_true);
}

static lethe_err overlap_count(const struct measurement *m, uint64_t *n_true, bool *is_known)
{
    struct sides s = {.n_plain = 0};
    size_t n_starred = 0;
    for (size_t k = 0; k < m->b->n_sa; k++)
        n_starred += k >= STARS_MAX && m->b->starred[k] != LETHE_NONE;
    *is_known = n_starred == 0;
    if (!*is_known) return LETHE_OK;
    LETHE_TRY(plains_take(m, true, &s.plain, &s.n_plain));
    lethe_err e = sides_match(m, &s, n_true, is_known);
    lethe_beside_fits_free(s.fits);
    lethe_dict_free(s.left_keys);
    lethe_dict_free(s.right_keys);
    return e == LETHE_ENOMEM ? lethe_no_memory(m->c->ctx) : e;
}

/* The share of published rows that generalize the row that the map says; without a map, that can be
 * matched, each with another row of the original. */
static lethe_err truth_set(const struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_table_beside *b = m->b;
    uint64_t n_true = 0;
    bool is_known = true;
    uint32_t in_doubt = lethe_beside_doubt(b);
    if (in_doubt != LETHE_NONE) {
        lethe_measure_left_out(doc, out,
                               "truthful: the release does not show what is below some published "
                               "values, such as those of '%.*s' (--hierarchies DIR would)",
                               (int)b->original->qi[in_doubt].name.n,
                               b->original->qi[in_doubt].name.at);
        return LETHE_OK;
    }
    if (m->c->map)
        LETHE_TRY(mapped_count(m, &n_true));
    else if (b->overlap || b->n_sa > 1)
        LETHE_TRY(overlap_count(m, &n_true, &is_known));
    else
        LETHE_TRY(apart_count(m, &n_true));
    double n = (double)b->published->n;
    if (is_known)
        lethe_set_real(doc, out, "truthful", n > 0 ? (double)n_true / n : NAN);
    else
        lethe_measure_left_out(doc, out,
                               "truthful: rows fit too many groups to be matched (--map FILE tells "
                               "which row is which)");
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err figures_set(struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    m->arena = lethe_arena_new();
    if (!m->arena) return lethe_no_memory(m->c->ctx);
    LETHE_TRY(lethe_table_beside_open(m->c->published, m->c->original.table, &m->b));
    const lethe_table_beside *b = m->b;
    // sums of equal terms are multiplied, so that little is lost to rounding
    for (size_t a = 0; a < b->original->n_qi; a++) {
        const lethe_published_column *column = b->qi[a].column;
        uint32_t n_values = lethe_dict_count(column->values);
        uint64_t *often = lethe_new(m->arena, uint64_t, (size_t)n_values + 1);
        if (!often) return lethe_no_memory(m->c->ctx);
        for (size_t i = 0; i < b->published->n; i++)
            often[column->code[i]]++;
        for (uint32_t v = 0; v < n_values; v++)
            m->lm_sum += (double)often[v] * b->qi[a].lm[v];
    }
    m->dm = b->n_deleted * b->original->n;
    for (uint32_t g = 0; g < b->n_groups; g++)
        m->dm += (uint64_t)b->size[g] * b->size[g];
    if (b->class) LETHE_TRY(minority_count(m, &m->cm));
    m->cm += b->n_deleted;
    for (size_t k = 0; k < b->n_sa; k++)
        for (size_t i = 0; b->starred[k] != LETHE_NONE && i < b->published->n; i++)
            m->starred += b->sa[k]->code[i] == b->starred[k];
    double values = (double)b->published->n * (double)b->original->n_qi;
    lethe_set_real(doc, out, "lm", values > 0 ? m->lm_sum / values : NAN);
    lethe_set_count(doc, out, "dm", m->dm);
    if (b->class) lethe_set_count(doc, out, "cm", m->cm);
    // what the release was made to cost least of, by its step's --cost
    const lethe_json *step = lethe_json_at(lethe_json_get(m->c->published->manifest, "steps"), 0);
    const lethe_json *parameters = lethe_json_get(step, "parameters");
    const lethe_json *weight = lethe_json_get(parameters, "deletion-weight");
    lethe_str asked = lethe_json_text(lethe_json_get(parameters, "cost"));
    double qi = (double)b->original->n_qi, gone = weight ? lethe_json_real(weight) : 2;
    if (lethe_str_eq(asked, LETHE_LIT("LM")))
        lethe_set_real(doc, out, "cost",
                       m->lm_sum + qi * (double)m->starred + gone * qi * (double)b->n_deleted);
    else if (lethe_str_eq(asked, LETHE_LIT("DM")))
        lethe_set_real(doc, out, "cost", (double)m->dm);
    else if (lethe_str_eq(asked, LETHE_LIT("CM")) && b->class)
        lethe_set_real(doc, out, "cost", (double)m->cm);
    lethe_set_count(doc, out, "groups", b->n_groups);
    lethe_spread *s = lethe_alloc_zero(1, sizeof *s);
    lethe_err e = s ? LETHE_OK : LETHE_ENOMEM;
    for (uint32_t g = 0; e == LETHE_OK && g < b->n_groups; g++)
        e = lethe_spread_add(s, b->size[g]);
    if (e == LETHE_OK) lethe_measure_set_spread(doc, out, "group_size", lethe_spread_summarize(s));
    if (s) lethe_spread_free(s);
    lethe_free(s);
    if (e != LETHE_OK) return lethe_no_memory(m->c->ctx);
    lethe_set_count(doc, out, "rows_published", b->published->n);
    lethe_set_count(doc, out, "rows_deleted", b->n_deleted);
    lethe_set_count(doc, out, "values_starred", m->starred);
    return truth_set(m, doc, out);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct measurement m = {.c = c};
    lethe_ctx_phase(c->ctx, "measuring", 0);
    lethe_err e = figures_set(&m, doc, out);
    lethe_table_beside_free(m.b);
    lethe_arena_free(m.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(m.c->ctx);
    return e;
}

static const lethe_option no_options[] = {{.name = NULL}};

static const lethe_figure figures[] = {
    {"lm",
     "how general published values are, from 0 (as they were) to 1 (nothing is left): LM averaged "
     "over rows and quasi-identifiers",
     .better = -1, .label = "generalization loss", .unit = "per value, 0 to 1", .detail = true},
    {"dm", "rows that look alike: the size of its group for each row, all rows for a deleted one",
     .better = -1, .label = "discernibility", .unit = "group sizes, summed over rows",
     .detail = true},
    {"cm", "rows outside the majority class of their group, and deleted ones", .better = -1,
     .label = "rows not of their group's class", .detail = true},
    {"cost", "the cost that the release minimizes (--cost), computed from the published files",
     .better = -1, .label = "loss that was minimized", .unit = "as --cost measures it",
     .detail = true},
    {"groups", "groups of published rows with equal quasi-identifiers", .better = 1,
     .label = "groups of rows that look alike"},
    {"group_size", "rows of a group: mean, median, min, max", .better = 0},
    {"rows_published", "rows of the release", .better = 1},
    {"rows_deleted", "rows of the original that are not published", .better = -1},
    {"values_starred", "sensitive values that are published as *", .better = -1,
     .label = "sensitive values starred"},
    {"truthful",
     "share of published rows that generalize a row of the original, each a different one; with "
     "--map, the row that the map names",
     .better = 1, .label = "rows true of the original", .kind = LETHE_FIGURE_SHARE},
    {.name = NULL},
};

const lethe_measure lethe_measure_table = {
    .name = "table",
    .summary = "how general the values of a table are, how large its groups, and what is left out",
    .shapes = LETHE_SHAPE_TABLE,
    .options = no_options,
    .figures = figures,
    .run = run,
};
