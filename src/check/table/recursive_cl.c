/* SPDX-License-Identifier: Apache-2.0 */
/* recursive_cl.c - is the most frequent sensitive value of every group of published rows rarer than
 * c times the l-th most frequent and all rarer ones together?  A. Machanavajjhala et al.,
 * "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006, Definition 3.2.
 *
 * Decided from data.csv and taxonomy.tsv, in whole numbers. */
#include "check/check.h"
#include "check/table/diversity.h"
#include "check/table/table_counts.h"

struct inspection {
    lethe_group_claim claim; /* first: its fields are placed by their offsets in it */
    lethe_str c_text;
    lethe_theta c;
    uint64_t *rows; /* scratch, one per value */
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct inspection *c)
{
    static const lethe_claim_field fields[] = {
        LETHE_CLAIM_QI,
        LETHE_CLAIM_SA,
        {"c", LETHE_CLAIM_TEXT, .offset = offsetof(struct inspection, c_text)},
        LETHE_CLAIM_ROWS("l"),
        LETHE_CLAIM_OVERLAP};
    LETHE_TRY(lethe_claim_read(d, claim, "recursive-cl", fields, LETHE_COUNT(fields), c));
    if (lethe_decimal_parse(c->c_text, &c->c) && c->c.num > 0) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT, "malformed claim: c must be a number above 0");
}

static void rows_take(struct inspection *c, const lethe_value_count *count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c->rows[i] = count[i].rows;
}

static lethe_err judge(void *arg, lethe_value_count *count, size_t n, bool *broken)
{
    struct inspection *c = arg;
    rows_take(c, count, n);
    *broken = !lethe_is_recursive_diverse(c->rows, n, c->c, c->claim.count);
    return LETHE_OK;
}

static lethe_json *group_fault(struct inspection *c, uint32_t first, const lethe_value_count *count,
                               size_t n, lethe_json_doc *doc)
{
    uint64_t rows = 0, rest = 0;
    rows_take(c, count, n);
    (void)lethe_is_recursive_diverse(c->rows, n, c->c, c->claim.count); // sorts
    for (size_t i = 0; i < n; i++) {
        rows += c->rows[i];
        if (i + 1 >= c->claim.count) rest += c->rows[i];
    }
    lethe_json *why =
        lethe_row_fault(doc, first, "a sensitive value is too frequent beside the rarer ones");
    lethe_set_count(doc, why, "rows", rows);
    lethe_set_count(doc, why, "with", c->rows[0]);
    lethe_set_count(doc, why, "rest", rest);
    lethe_json_set(doc, why, "c", lethe_json_new_text(doc, c->c_text));
    lethe_set_count(doc, why, "l", c->claim.count);
    return why;
}

static lethe_err groups_look(lethe_ctx *ctx, struct inspection *c, const lethe_groups *g,
                             lethe_json_doc *doc, lethe_json **fault)
{
    uint32_t n_values = lethe_dict_count(g->sa->values), first = LETHE_NONE;
    lethe_value_count *count = lethe_alloc(n_values, sizeof *count);
    size_t n = 0;
    c->rows = lethe_alloc(n_values, sizeof *c->rows);
    lethe_err e = count && c->rows ? lethe_groups_judge(ctx, g, judge, c, &first, count, &n)
                                   : lethe_no_memory(ctx);
    if (e == LETHE_OK && first != LETHE_NONE) *fault = group_fault(c, first, count, n, doc);
    lethe_free_all(count, c->rows);
    return e;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.rows = NULL};
    lethe_groups *g = NULL;
    lethe_json *fault = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c));
    LETHE_TRY(lethe_groups_read(p, &c.claim, doc, &fault, &g));
    lethe_err e = LETHE_OK;
    if (g) fault = lethe_starred_fault(g, doc);
    if (g && !fault) e = groups_look(p->ctx, &c, g, doc, &fault);
    lethe_groups_free(g);
    return lethe_group_verdict(p, e, doc, fault, holds, why);
}

/* With l = 1 the most frequent value is compared with c times the whole group.  With l = 2 or more
 * a group of one value never passes. */
static const char *nothing(const lethe_json *claim)
{
    lethe_theta c;
    lethe_str text = lethe_json_text(lethe_json_get(claim, "c"));
    return lethe_claim_at_most(claim, "l", 1) && lethe_decimal_parse(text, &c) && c.num > c.den
               ? "recursive-cl with l = 1 and c above 1 promises nothing: all rows of a group may "
                 "have the same sensitive value."
               : NULL;
}

const lethe_notion lethe_notion_recursive_cl = {
    .name = "recursive-cl",
    .holds = "in every group of rows with equal quasi-identifiers the most frequent sensitive "
             "value has fewer rows than c times the l-th most frequent and all rarer ones "
             "together, no sensitive value is starred, and no published value is above another "
             "unless groups overlap",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
