/* SPDX-License-Identifier: Apache-2.0 */
/* Tables, and what the options say of their columns. */
#include "model/table/table_internal.h"
#include "io/read/fields.h"

static void column_free(lethe_column *c)
{
    if (!c) return;
    lethe_dict_free(c->values);
    lethe_tree_free(c->tree);
}

static void column_sizes(const lethe_column *c, lethe_sizes *s)
{
    s->distinct += c->values ? lethe_dict_count(c->values) : 0;
    s->held += c->values ? lethe_dict_bytes(c->values) : 0;
    s->held += c->tree ? lethe_tree_bytes(c->tree) : 0;
}

lethe_sizes lethe_table_sizes(const lethe_table *t)
{
    lethe_sizes s = {.things = "rows",
                     .parts_are = "values",
                     .n = t->n,
                     .text = t->text_bytes,
                     .held = lethe_arena_bytes(t->arena)};
    for (size_t i = 0; i < t->n_qi; i++) {
        s.distinct += t->qi[i].tree->n;
        s.held += lethe_tree_bytes(t->qi[i].tree);
    }
    for (size_t i = 0; i < t->n_keep; i++)
        column_sizes(&t->keep[i], &s);
    for (size_t i = 0; i < t->n_sa; i++)
        column_sizes(&t->sa[i], &s);
    if (t->class) column_sizes(t->class, &s);
    s.parts = t->n * (t->n_qi + t->n_keep + t->n_sa + (t->class != NULL));
    return s;
}

void lethe_table_free(lethe_table *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->n_qi; i++)
        lethe_tree_free(t->qi[i].tree);
    for (size_t i = 0; i < t->n_keep; i++)
        column_free(&t->keep[i]);
    for (size_t i = 0; i < t->n_sa; i++)
        column_free(&t->sa[i]);
    column_free(t->class);
    lethe_arena_free(t->arena); // and `t` with it
}

/* --- lists of names --- */

typedef struct names {
    lethe_diag *diag;
    lethe_arena *arena;
    lethe_buf scratch;
    lethe_str *at;
    uint32_t n;
} names;

/* The fields of the list: counted first, then taken. */
static lethe_err names_split(names *s, lethe_str text)
{
    uint32_t used, max = 0;
    lethe_csv_fault fault;
    lethe_str record;
    bool more;
    for (;;) {
        lethe_csv csv = lethe_csv_begin(text, ',');
        if (lethe_csv_next(&csv, &s->scratch, s->at, max, &s->n, &record, &used, &fault, &more) !=
            LETHE_OK)
            return lethe_no_memory(s->diag);
        if (!more) return lethe_fail(s->diag, LETHE_EUSAGE, "a column's name is empty");
        if (fault != LETHE_CSV_OK)
            return lethe_fail(s->diag, LETHE_EUSAGE,
                              fault == LETHE_CSV_OPEN_QUOTE
                                  ? "a quote is not closed in the list of columns"
                                  : "text after a closing quote in the list of columns");
        if (csv.p != csv.end)
            return lethe_fail(s->diag, LETHE_EUSAGE, "a line end in the list of columns");
        if (s->n <= max) return LETHE_OK;
        max = s->n;
        s->at = lethe_new(s->arena, lethe_str, max);
        if (!s->at) return lethe_no_memory(s->diag);
    }
}

/* A copy of each name, without spaces at its ends. */
static lethe_err names_copy(names *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        lethe_str name = lethe_str_trim(s->at[i]);
        if (name.n == 0) return lethe_fail(s->diag, LETHE_EUSAGE, "a column's name is empty");
        s->at[i] = (lethe_str){lethe_arena_dup(s->arena, name), name.n};
        if (!s->at[i].at) return lethe_no_memory(s->diag);
    }
    return LETHE_OK;
}

/* Puts a name among those seen.  LETHE_EUSAGE: it is there already. */
static lethe_err name_add_unique(lethe_diag *d, lethe_dict *seen, lethe_str name, const char *fault)
{
    uint32_t id, n = lethe_dict_count(seen);
    char shown[80];
    if (lethe_dict_add(seen, name, &id) != LETHE_OK) return lethe_no_memory(d);
    if (id == n) return LETHE_OK;
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(d, LETHE_EUSAGE, "column '%s' %s", shown, fault);
}

lethe_err lethe_names_parse(lethe_diag *d, lethe_arena *a, const char *text, lethe_str **out,
                            size_t *n)
{
    names s = {.diag = d, .arena = a};
    lethe_err e = LETHE_OK;
    if (text) {
        e = names_split(&s, lethe_str_of(text));
        if (e == LETHE_OK) e = names_copy(&s);
        if (e == LETHE_OK) {
            lethe_dict *seen = lethe_dict_new();
            if (!seen) e = lethe_no_memory(d);
            for (size_t i = 0; e == LETHE_OK && i < s.n; i++)
                e = name_add_unique(d, seen, s.at[i], "is named twice");
            lethe_dict_free(seen);
        }
    }
    lethe_buf_free(&s.scratch);
    if (e != LETHE_OK) return e;
    *out = s.at;
    *n = s.n;
    return LETHE_OK;
}

/* --- weights --- */

enum { WEIGHT_MAX = 1000, THOUSAND = 1000, NANOS_EACH = 1000000 };

/* "zip=0.5": the column, and thousandths; 0: no such number. */
static bool weight_parse(lethe_str text, lethe_str *column, uint32_t *weight)
{
    size_t at = text.n;
    lethe_number x;
    while (at > 0 && text.at[at - 1] != '=')
        at--;
    *weight = 0;
    if (at == 0) return false;
    *column = lethe_str_trim((lethe_str){text.at, at - 1});
    if (lethe_number_parse(lethe_str_trim((lethe_str){text.at + at, text.n - at}), &x) &&
        x.whole >= 0 && x.whole <= WEIGHT_MAX && x.nano % NANOS_EACH == 0)
        *weight = (uint32_t)x.whole * THOUSAND + x.nano / NANOS_EACH;
    if (*weight > WEIGHT_MAX * THOUSAND) *weight = 0;
    return true;
}

static lethe_err weight_set(lethe_diag *d, lethe_str text, const lethe_str *column, size_t n,
                            uint32_t *weight, bool *seen)
{
    lethe_str name;
    uint32_t w;
    char shown[80];
    size_t i = 0;
    lethe_show(shown, sizeof shown, text);
    if (!weight_parse(text, &name, &w))
        return lethe_fail(d, LETHE_EUSAGE, "--weights: no '=' in '%s': give COLUMN=W,...", shown);
    if (w == 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--weights: '%s': a weight is a number from 0.001 to 1000 with at most "
                          "three decimals",
                          shown);
    while (i < n && !lethe_str_eq(column[i], name))
        i++;
    lethe_show(shown, sizeof shown, name);
    if (i == n)
        return lethe_fail(d, LETHE_EUSAGE, "--weights: '%s' is not one of the columns of --qi",
                          shown);
    if (seen[i]) return lethe_fail(d, LETHE_EUSAGE, "--weights: '%s' is given twice", shown);
    seen[i] = true;
    weight[i] = w;
    return LETHE_OK;
}

lethe_err lethe_weights_parse(lethe_diag *d, const char *text, const lethe_str *column, size_t n,
                              uint32_t *weight)
{
    bool seen[LETHE_QI_MAX] = {false};
    lethe_str *part = NULL;
    size_t n_parts = 0;
    assert(n <= LETHE_QI_MAX);
    for (size_t i = 0; i < n; i++)
        weight[i] = THOUSAND;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? lethe_names_parse(d, a, text, &part, &n_parts) : lethe_no_memory(d);
    for (size_t i = 0; e == LETHE_OK && i < n_parts; i++)
        e = weight_set(d, part[i], column, n, weight, seen);
    lethe_arena_free(a);
    return e;
}

/* --- roles --- */

/* One name, as it is but for spaces at its ends. */
static lethe_err name_take(lethe_diag *d, lethe_arena *a, const char *text, lethe_str *out)
{
    *out = (lethe_str){NULL, 0};
    if (!text) return LETHE_OK;
    lethe_str name = lethe_str_trim(lethe_str_of(text));
    if (name.n == 0) return lethe_fail(d, LETHE_EUSAGE, "a column's name is empty");
    *out = (lethe_str){lethe_arena_dup(a, name), name.n};
    return out->at ? LETHE_OK : lethe_no_memory(d);
}

static lethe_err roles_check_unique(lethe_diag *d, lethe_dict *seen, const lethe_role_names *r)
{
    static const char twice[] = "has two roles";
    for (size_t i = 0; i < r->n_qi; i++)
        LETHE_TRY(name_add_unique(d, seen, r->qi[i], twice));
    for (size_t i = 0; i < r->n_sa; i++)
        LETHE_TRY(name_add_unique(d, seen, r->sa[i], twice));
    if (r->class.at) LETHE_TRY(name_add_unique(d, seen, r->class, twice));
    for (size_t i = 0; i < r->n_keep; i++)
        LETHE_TRY(name_add_unique(d, seen, r->keep[i], twice));
    return LETHE_OK;
}

lethe_err lethe_roles_parse(lethe_diag *d, lethe_arena *a, const lethe_roles *r,
                            lethe_role_names *out)
{
    *out = (lethe_role_names){0};
    LETHE_TRY(lethe_names_parse(d, a, r->qi, &out->qi, &out->n_qi));
    LETHE_TRY(lethe_names_parse(d, a, r->keep, &out->keep, &out->n_keep));
    LETHE_TRY(lethe_names_parse(d, a, r->sa, &out->sa, &out->n_sa));
    LETHE_TRY(name_take(d, a, r->class, &out->class));
    if (out->n_qi == 0 && !r->no_qi)
        return lethe_fail(d, LETHE_EUSAGE, "no column is a quasi-identifier");
    if (out->n_qi > LETHE_QI_MAX)
        return lethe_fail(d, LETHE_EUSAGE, "too many quasi-identifiers: %zu, the limit is %d",
                          out->n_qi, LETHE_QI_MAX);
    lethe_dict *seen = lethe_dict_new();
    lethe_err e = seen ? roles_check_unique(d, seen, out) : lethe_no_memory(d);
    lethe_dict_free(seen);
    return e;
}

lethe_err lethe_roles_check(lethe_diag *d, const lethe_roles *r)
{
    lethe_role_names parsed;
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? lethe_roles_parse(d, a, r, &parsed) : lethe_no_memory(d);
    lethe_arena_free(a);
    return e;
}
