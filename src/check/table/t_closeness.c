/* SPDX-License-Identifier: Apache-2.0 */
/* t_closeness.c - are the sensitive values of every group of published rows distributed nearly as
 * in the whole published table?  N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: Privacy Beyond
 * k-Anonymity and l-Diversity", ICDE 2007.
 *
 * Decided from data.csv, taxonomy.tsv and, where values are as far apart as their hierarchy says,
 * sensitive.tsv, in whole numbers (check/table/closeness.h). */
#include "check/check.h"
#include "check/table/closeness.h"
#include "check/table/table_counts.h"
#include "model/table/numbers.h"
#include <stdlib.h>

static const char *const distances[] = {[LETHE_GROUND_EQUAL] = "equal",
                                        [LETHE_GROUND_ORDERED] = "ordered",
                                        [LETHE_GROUND_HIERARCHICAL] = "hierarchical"};

struct inspection {
    lethe_group_claim claim; /* first: its fields are placed by their offsets in it */
    lethe_str t_text;
    lethe_theta t;
    lethe_ground ground;
    lethe_groups *groups;
    lethe_arena *arena;
    lethe_published_hierarchies *trees; /* of sensitive.tsv; NULL: not needed */
    uint32_t *place;                    /* by sensitive value */
    lethe_closeness closeness;
    lethe_rows_at *at; /* scratch, one per value */
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct inspection *c)
{
    static const lethe_claim_field fields[] = {
        LETHE_CLAIM_QI,
        LETHE_CLAIM_SA,
        {"t", LETHE_CLAIM_TEXT, .offset = offsetof(struct inspection, t_text)},
        {"distance", LETHE_CLAIM_CHOICE, .choices = distances, .n_choices = LETHE_COUNT(distances),
         .offset = offsetof(struct inspection, ground)},
        LETHE_CLAIM_OVERLAP};
    LETHE_TRY(lethe_claim_read(d, claim, "t-closeness", fields, LETHE_COUNT(fields), c));
    if (lethe_theta_parse(c->t_text, &c->t)) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT, "malformed claim: t must be a share from 0 to 1");
}

/* --- places of values --- */

/* A number and the values that it is the text of: "7" and "7.0" are one. */
struct numbered {
    lethe_number number;
    uint32_t value;
};

static int by_number(const void *a, const void *b)
{
    return lethe_number_cmp(((const struct numbered *)a)->number,
                            ((const struct numbered *)b)->number);
}

static lethe_err places_by_number(struct inspection *c, uint32_t *n_places, lethe_json_doc *doc,
                                  lethe_json **fault)
{
    const lethe_groups *g = c->groups;
    uint32_t n = lethe_dict_count(g->sa->values);
    struct numbered *x = lethe_new(c->arena, struct numbered, n);
    if (!x) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        x[i].value = i;
        if (lethe_number_parse(lethe_dict_at(g->sa->values, i), &x[i].number)) continue;
        *fault = lethe_value_fault(doc, g, g->sa, i, "the sensitive value is not a number");
        return LETHE_OK;
    }
    qsort(x, n, sizeof *x, by_number);
    for (uint32_t i = 0; i < n; i++) {
        *n_places += i == 0 || by_number(&x[i - 1], &x[i]) != 0;
        c->place[x[i].value] = *n_places - 1;
    }
    return LETHE_OK;
}

static lethe_json *node_fault(const lethe_published_hierarchy *h, uint32_t v, lethe_json_doc *doc)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_text(doc, why, "reason", "sensitive.tsv lists a node that is not published");
    lethe_json_set(doc, why, "column", lethe_json_new_text(doc, h->column));
    lethe_json_set(doc, why, "value", lethe_json_new_text(doc, lethe_dict_at(h->names, v)));
    return why;
}

/* The values are the lowest nodes of the file, and all of them. */
static lethe_err places_in_tree(struct inspection *c, const lethe_published_hierarchy *h,
                                lethe_json_doc *doc, lethe_json **fault)
{
    const lethe_groups *g = c->groups;
    bool *has_child = lethe_new(c->arena, bool, h->n), *shown = lethe_new(c->arena, bool, h->n);
    if (!has_child || !shown) return LETHE_ENOMEM;
    for (uint32_t v = 1; v < h->n; v++)
        has_child[h->parent[v]] = true;
    for (uint32_t i = 0; i < lethe_dict_count(g->sa->values); i++) {
        uint32_t v = lethe_dict_find(h->names, lethe_dict_at(g->sa->values, i));
        if (v == LETHE_NONE || has_child[v]) {
            *fault =
                lethe_value_fault(doc, g, g->sa, i,
                                  v == LETHE_NONE ? "the sensitive value is not in sensitive.tsv"
                                                  : "the sensitive value is above others");
            return LETHE_OK;
        }
        c->place[i] = v;
        shown[v] = true;
    }
    for (uint32_t v = 0; v < h->n && !*fault; v++)
        if (!has_child[v] && !shown[v]) *fault = node_fault(h, v, doc);
    return LETHE_OK;
}

/* The sensitive columns of sensitive.tsv: those of all claims that measure by hierarchies, in their
 * order. */
static lethe_err tree_columns(const lethe_published *p, const struct inspection *c,
                              lethe_str **column, size_t *n)
{
    size_t cap = lethe_json_count(p->claims) + 1;
    *column = lethe_new(c->arena, lethe_str, cap);
    if (!*column) return LETHE_ENOMEM;
    *n = 0;
    for (size_t i = 0; i < lethe_json_count(p->claims); i++) {
        const lethe_json *other = lethe_json_at(p->claims, i);
        lethe_str sa = lethe_json_text(lethe_json_get(other, "sa"));
        if (!lethe_claim_is(lethe_json_get(other, "notion"), "t-closeness") ||
            !lethe_claim_is(lethe_json_get(other, "distance"), "hierarchical"))
            continue;
        bool seen = false;
        for (size_t k = 0; k < *n; k++)
            seen = seen || lethe_str_eq((*column)[k], sa);
        if (!seen) (*column)[(*n)++] = sa;
    }
    if (*n == 0) (*column)[(*n)++] = c->claim.sa; // the other claims are not known
    return LETHE_OK;
}

static lethe_err tree_take(lethe_published *p, struct inspection *c, lethe_json_doc *doc,
                           lethe_json **fault, const lethe_published_hierarchy **out)
{
    lethe_str *column;
    size_t n, at = 0;
    if (tree_columns(p, c, &column, &n) != LETHE_OK) return lethe_no_memory(p->ctx);
    while (at < n && !lethe_str_eq(column[at], c->claim.sa))
        at++;
    if (at == n)
        return lethe_fail(p->ctx, LETHE_EINPUT, "malformed claim: it is none of the claims");
    LETHE_TRY(lethe_sensitive_trees_read(p->ctx, p->dirfd, column, n, &c->trees));
    *out = &c->trees->at[at];
    return places_in_tree(c, *out, doc, fault) == LETHE_OK ? LETHE_OK : lethe_no_memory(p->ctx);
}

/* --- distances --- */

static lethe_err table_take(lethe_published *p, struct inspection *c, lethe_json_doc *doc,
                            lethe_json **fault)
{
    const lethe_groups *g = c->groups;
    const lethe_published_hierarchy *tree = NULL;
    uint32_t n = lethe_dict_count(g->sa->values), n_places = 0;
    c->place = lethe_new(c->arena, uint32_t, n);
    c->at = lethe_new(c->arena, lethe_rows_at, n);
    if (!c->place || !c->at) return lethe_no_memory(p->ctx);
    if (c->ground == LETHE_GROUND_HIERARCHICAL) {
        LETHE_TRY(tree_take(p, c, doc, fault, &tree));
        n_places = tree->n;
    } else if (c->ground == LETHE_GROUND_ORDERED) {
        if (places_by_number(c, &n_places, doc, fault) != LETHE_OK) return lethe_no_memory(p->ctx);
    } else {
        for (n_places = 0; n_places < n; n_places++)
            c->place[n_places] = n_places;
    }
    if (*fault) return LETHE_OK;
    uint64_t *rows = lethe_new(c->arena, uint64_t, n_places);
    if (!rows) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < g->table->n; i++)
        rows[c->place[g->sa->code[i]]]++;
    lethe_err e = lethe_closeness_init(&c->closeness, c->arena, c->ground, n_places, rows,
                                       tree ? tree->parent : NULL);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(p->ctx);
}

static lethe_distance distance_of(struct inspection *c, const lethe_value_count *count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c->at[i] = (lethe_rows_at){c->place[count[i].value], count[i].rows};
    return lethe_closeness_of(&c->closeness, c->at, n);
}

static lethe_err judge(void *arg, lethe_value_count *count, size_t n, bool *broken)
{
    struct inspection *c = arg;
    *broken = lethe_is_further(distance_of(c, count, n), c->t);
    return LETHE_OK;
}

static lethe_err groups_look(lethe_published *p, struct inspection *c, lethe_json_doc *doc,
                             lethe_json **fault)
{
    const lethe_groups *g = c->groups;
    uint32_t first = LETHE_NONE;
    size_t n = 0;
    lethe_value_count *count =
        lethe_new(c->arena, lethe_value_count, lethe_dict_count(g->sa->values));
    if (!count) return lethe_no_memory(p->ctx);
    LETHE_TRY(lethe_groups_judge(p->ctx, g, judge, c, &first, count, &n));
    if (first == LETHE_NONE) return LETHE_OK;
    uint64_t rows = 0;
    for (size_t i = 0; i < n; i++)
        rows += count[i].rows;
    *fault = lethe_row_fault(doc, first,
                             "the group's sensitive values are distributed too "
                             "differently from the table's");
    lethe_set_count(doc, *fault, "rows", rows);
    lethe_json_set(doc, *fault, "distance",
                   lethe_json_new_real(doc, lethe_distance_value(distance_of(c, count, n))));
    lethe_json_set(doc, *fault, "t", lethe_json_new_text(doc, c->t_text));
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.groups = NULL};
    lethe_json *fault = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c));
    LETHE_TRY(lethe_groups_read(p, &c.claim, doc, &fault, &c.groups));
    c.arena = lethe_arena_new();
    lethe_err e = c.arena ? LETHE_OK : lethe_no_memory(p->ctx);
    if (e == LETHE_OK && c.groups) fault = lethe_starred_fault(c.groups, doc);
    if (e == LETHE_OK && c.groups && !fault) e = table_take(p, &c, doc, &fault);
    if (e == LETHE_OK && c.groups && !fault) e = groups_look(p, &c, doc, &fault);
    lethe_groups_free(c.groups);
    lethe_published_hierarchies_free(c.trees);
    lethe_arena_free(c.arena);
    return lethe_group_verdict(p, e, doc, fault, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    lethe_theta t;
    lethe_str text = lethe_json_text(lethe_json_get(claim, "t"));
    return lethe_theta_parse(text, &t) && t.num >= t.den
               ? "t-closeness with t = 1 promises nothing: no two distributions are further apart."
               : NULL;
}

const lethe_notion lethe_notion_t_closeness = {
    .name = "t-closeness",
    .holds = "the distribution of the sensitive values in every group of rows with equal "
             "quasi-identifiers is at most t away from that in the whole table, no sensitive value "
             "is starred, and no published value is above another unless groups overlap",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
