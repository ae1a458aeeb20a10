/* SPDX-License-Identifier: Apache-2.0 */
/* table_groups.c - reads a published table, checks that no published value is above another unless
 * groups may overlap, and sorts the rows into groups. */
#include "check/table/table_groups.h"

const char *const lethe_overlap_word[1] = {"overlap"};

/* --- counterexamples --- */

lethe_json *lethe_row_fault(lethe_json_doc *doc, uint32_t row, const char *reason)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_count(doc, why, "line", (uint64_t)row + 2); // the header is line 1
    lethe_set_text(doc, why, "reason", reason);
    return why;
}

lethe_json *lethe_value_fault(lethe_json_doc *doc, const lethe_groups *g,
                              const lethe_published_column *c, uint32_t code, const char *reason)
{
    uint32_t row = 0;
    while (c->code[row] != code)
        row++;
    assert(row < g->table->n);
    lethe_json *why = lethe_row_fault(doc, row, reason);
    lethe_json_set(doc, why, "column", lethe_json_new_text(doc, c->name));
    lethe_json_set(doc, why, "value", lethe_json_new_text(doc, lethe_dict_at(c->values, code)));
    return why;
}

lethe_err lethe_group_verdict(lethe_published *p, lethe_err e, lethe_json_doc *doc,
                              lethe_json *fault, bool *holds, lethe_json **why)
{
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(p->ctx);
    if (e != LETHE_OK) return e;
    *holds = !fault;
    if (fault) *why = fault;
    return LETHE_OK;
}

/* --- do the groups stand by themselves? --- */

/* A lowest node that is not published would tell of values that rows had that are not there. */
static lethe_json *listed_fault(const lethe_published_hierarchy *h, const uint32_t *code_of,
                                bool *has_child, lethe_json_doc *doc)
{
    for (uint32_t v = 1; v < h->n; v++)
        has_child[h->parent[v]] = true;
    for (uint32_t v = 0; v < h->n; v++) {
        if (has_child[v] || code_of[v] != LETHE_NONE) continue;
        lethe_json *why = lethe_json_object(doc);
        lethe_set_text(doc, why, "reason", "the taxonomy lists a node that is not published");
        lethe_json_set(doc, why, "column", lethe_json_new_text(doc, h->column));
        lethe_json_set(doc, why, "value", lethe_json_new_text(doc, lethe_dict_at(h->names, v)));
        return why;
    }
    return NULL;
}

/* A number in several ranges fits several groups. */
static lethe_json *crossing_fault(const lethe_published_column *c, lethe_json_doc *doc)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_text(doc, why, "reason", "the ranges of a column overlap");
    lethe_json_set(doc, why, "column", lethe_json_new_text(doc, c->name));
    return why;
}

/* Values are taken in the order of the file, so that the fault is the first of its kind. */
static lethe_json *values_fault(const lethe_groups *g, const lethe_published_column *c,
                                const lethe_published_hierarchy *h, uint32_t *code_of,
                                uint32_t *above, bool overlap, lethe_json_doc *doc)
{
    uint32_t n = lethe_dict_count(c->values);
    for (uint32_t v = 0; v < h->n; v++)
        code_of[v] = LETHE_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = lethe_dict_find(h->names, lethe_dict_at(c->values, i));
        if (v == LETHE_NONE)
            return lethe_value_fault(doc, g, c, i, "the value is not in the taxonomy");
        code_of[v] = i;
    }
    if (overlap) return NULL;
    /* By node: the nearest published node at or above it.  Parents come before their children. */
    for (uint32_t v = 0; v < h->n; v++)
        above[v] = code_of[v] != LETHE_NONE ? v : v == 0 ? LETHE_NONE : above[h->parent[v]];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = lethe_dict_find(h->names, lethe_dict_at(c->values, i));
        uint32_t up = v == 0 ? LETHE_NONE : above[h->parent[v]];
        if (up == LETHE_NONE) continue;
        lethe_json *why =
            lethe_value_fault(doc, g, c, i, "the value is below another published value");
        lethe_json_set(doc, why, "above", lethe_json_new_text(doc, lethe_dict_at(h->names, up)));
        return why;
    }
    return h->crossing ? crossing_fault(c, doc) : NULL;
}

static lethe_err column_judge(const lethe_groups *g, const lethe_published_column *c,
                              const lethe_published_hierarchy *h, bool overlap, lethe_json_doc *doc,
                              lethe_json **fault)
{
    uint32_t *code_of = lethe_alloc(h->n, sizeof *code_of),
             *above = lethe_alloc(h->n, sizeof *above);
    bool *has_child = lethe_alloc_zero(h->n, sizeof *has_child);
    lethe_err e = code_of && above && has_child ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) *fault = values_fault(g, c, h, code_of, above, overlap, doc);
    if (e == LETHE_OK && !*fault) *fault = listed_fault(h, code_of, has_child, doc);
    lethe_free(code_of);
    lethe_free(above);
    lethe_free(has_child);
    return e;
}

static lethe_err columns_judge(lethe_published *p, const lethe_groups *g,
                               const lethe_group_claim *claim, lethe_json_doc *doc,
                               lethe_json **fault)
{
    lethe_published_hierarchies *all = NULL;
    LETHE_TRY(lethe_published_hierarchies_read(p->ctx, p->dirfd, claim->qi.at, claim->qi.n, &all));
    lethe_err e = LETHE_OK;
    for (size_t i = 0; e == LETHE_OK && !*fault && i < g->n_qi; i++)
        e = column_judge(g, g->qi[i], &all->at[i], claim->overlap, doc, fault);
    lethe_published_hierarchies_free(all);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = LETHE_ENOMEM;
    return e == LETHE_ENOMEM ? lethe_no_memory(p->ctx) : e;
}

/* --- groups --- */

static lethe_err column_find(lethe_diag *d, const lethe_published_table *t, lethe_str name,
                             const lethe_published_column **out)
{
    char shown[80];
    uint32_t i = lethe_published_column_find(t, name);
    if (i != LETHE_NONE) {
        *out = &t->column[i];
        return LETHE_OK;
    }
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(d, LETHE_EINPUT, "malformed claim: '%s' has no column '%s'", LETHE_TABLE_NAME,
                      shown);
}

/* To a person, "flu " is no other value than "flu".  No release has it: readers of tables drop
 * spaces at the ends of a field, and publish `?` for nothing. */
static lethe_err values_judge(lethe_diag *d, const lethe_published_column *sa)
{
    for (uint32_t i = 0; i < lethe_dict_count(sa->values); i++) {
        lethe_str value = lethe_dict_at(sa->values, i);
        if (value.n > 0 && lethe_str_trim(value).n == value.n) continue;
        return lethe_fail(d, LETHE_EINPUT,
                          "'%s' has a sensitive value that is empty or has a space at an end",
                          LETHE_TABLE_NAME);
    }
    return LETHE_OK;
}

static lethe_err columns_find(lethe_diag *d, lethe_groups *g, const lethe_group_claim *claim)
{
    for (; g->n_qi < claim->qi.n; g->n_qi++)
        LETHE_TRY(column_find(d, g->table, claim->qi.at[g->n_qi], &g->qi[g->n_qi]));
    g->starred = LETHE_NONE;
    if (claim->sa.n == 0) return LETHE_OK;
    LETHE_TRY(column_find(d, g->table, claim->sa, &g->sa));
    LETHE_TRY(values_judge(d, g->sa));
    g->starred = lethe_dict_find(g->sa->values, lethe_str_of(LETHE_STARRED));
    return LETHE_OK;
}

/* Rows sorted by the column's numbers, those with the same as they stood: a counting sort, whose
 * cost no choice of values can raise.  `start` has room for one more than the values. */
static void rows_sort(const lethe_published_column *c, size_t n, const uint32_t *row, uint32_t *to,
                      uint32_t *start)
{
    uint32_t n_values = lethe_dict_count(c->values);
    memset(start, 0, ((size_t)n_values + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        start[c->code[i] + 1]++;
    for (uint32_t v = 0; v < n_values; v++)
        start[v + 1] += start[v];
    for (size_t i = 0; i < n; i++)
        to[start[c->code[row[i]]]++] = row[i];
}

static size_t most_values(const lethe_groups *g)
{
    size_t most = g->sa ? lethe_dict_count(g->sa->values) : 0;
    for (size_t i = 0; i < g->n_qi; i++)
        most = LETHE_MAX(most, lethe_dict_count(g->qi[i]->values));
    return most;
}

static lethe_err rows_order(lethe_ctx *ctx, lethe_groups *g)
{
    lethe_arena *a = g->arena = lethe_arena_new();
    if (!a) return lethe_no_memory(ctx);
    uint32_t *from = lethe_new(a, uint32_t, g->table->n), *to = lethe_new(a, uint32_t, g->table->n),
             *start = lethe_new(a, uint32_t, most_values(g) + 1);
    if (!from || !to || !start) return lethe_no_memory(ctx);
    /* The last column first, the sensitive one before all: so equal rows end up together. */
    size_t n = g->table->n;
    for (uint32_t i = 0; i < n; i++)
        from[i] = i;
    for (size_t i = g->n_qi + 1; i-- > 0;) {
        const lethe_published_column *c = i == g->n_qi ? g->sa : g->qi[i];
        if (!c) continue;
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        rows_sort(c, n, from, to, start);
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    g->row = from;
    return LETHE_OK;
}

lethe_err lethe_groups_read(lethe_published *p, const lethe_group_claim *claim, lethe_json_doc *doc,
                            lethe_json **fault, lethe_groups **out)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    for (size_t i = 0; i < claim->qi.n; i++)
        if (lethe_str_eq(claim->qi.at[i], claim->sa))
            return lethe_fail(d, LETHE_EINPUT, "malformed claim: sa is one of qi");
    lethe_groups *g = lethe_alloc_zero(1, sizeof *g);
    lethe_json *why = NULL;
    if (!g) return lethe_no_memory(d);
    lethe_ctx_phase(p->ctx, "checking", 0);
    lethe_err e = p->table ? LETHE_OK : lethe_published_table_read(p->ctx, p->dirfd, &g->own);
    g->table = p->table ? p->table : g->own;
    if (e == LETHE_OK) e = columns_find(d, g, claim);
    if (e == LETHE_OK && !p->table) e = columns_judge(p, g, claim, doc, &why);
    if (e == LETHE_OK && !why) e = rows_order(p->ctx, g);
    if (e == LETHE_OK && !why) {
        *out = g;
        return LETHE_OK;
    }
    if (e == LETHE_OK) *fault = why;
    lethe_groups_free(g);
    return e;
}

void lethe_groups_free(lethe_groups *g)
{
    if (!g) return;
    lethe_published_table_free(g->own);
    lethe_arena_free(g->arena);
    lethe_free(g);
}

static bool is_same_group(const lethe_groups *g, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < g->n_qi; i++)
        if (g->qi[i]->code[a] != g->qi[i]->code[b]) return false;
    return true;
}

bool lethe_group_next(const lethe_groups *g, lethe_stretch *s)
{
    size_t n = g->table->n;
    if (s->end == n) return false;
    s->from = s->end++;
    while (s->end < n && is_same_group(g, g->row[s->from], g->row[s->end]))
        s->end++;
    return true;
}

bool lethe_group_value_next(const lethe_groups *g, lethe_stretch group, lethe_stretch *s)
{
    if (s->end == group.end) return false;
    s->from = s->end++;
    while (s->end < group.end && g->sa->code[g->row[s->from]] == g->sa->code[g->row[s->end]])
        s->end++;
    return true;
}

uint32_t lethe_group_first(const lethe_groups *g, lethe_stretch s)
{
    uint32_t first = g->row[s.from];
    for (size_t i = s.from + 1; i < s.end; i++)
        first = LETHE_MIN(first, g->row[i]);
    return first;
}
