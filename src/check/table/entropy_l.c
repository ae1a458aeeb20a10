/* SPDX-License-Identifier: Apache-2.0 */
/* entropy_l.c - is the entropy of the sensitive values of every group of published rows at least
 * log l?  A. Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006,
 * Definition 3.1.
 *
 * Decided from data.csv and taxonomy.tsv, exactly (check/table/diversity.h). */
#include "check/check.h"
#include "check/table/diversity.h"
#include "check/table/table_counts.h"

struct inspection {
    lethe_group_claim claim; /* first: its fields are placed by their offsets in it */
    lethe_str l_text;
    lethe_theta l;
    lethe_ctx *ctx;
    uint64_t *rows; /* scratch, one per value */
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct inspection *c)
{
    static const lethe_claim_field fields[] = {
        LETHE_CLAIM_QI,
        LETHE_CLAIM_SA,
        {"l", LETHE_CLAIM_TEXT, .offset = offsetof(struct inspection, l_text)},
        LETHE_CLAIM_OVERLAP};
    LETHE_TRY(lethe_claim_read(d, claim, "entropy-l", fields, LETHE_COUNT(fields), c));
    if (lethe_decimal_parse(c->l_text, &c->l) && c->l.num >= c->l.den) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT, "malformed claim: l must be a number of at least 1");
}

static void rows_take(struct inspection *c, const lethe_value_count *count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c->rows[i] = count[i].rows;
}

static lethe_err judge(void *arg, lethe_value_count *count, size_t n, bool *broken)
{
    struct inspection *c = arg;
    bool is;
    rows_take(c, count, n);
    if (lethe_is_entropy_diverse(c->rows, n, c->l, &is) != LETHE_OK) return lethe_no_memory(c->ctx);
    *broken = !is;
    return LETHE_OK;
}

static lethe_err groups_look(struct inspection *c, const lethe_groups *g, lethe_json_doc *doc,
                             lethe_json **fault)
{
    uint32_t n_values = lethe_dict_count(g->sa->values), first = LETHE_NONE;
    lethe_value_count *count = lethe_alloc(n_values, sizeof *count);
    size_t n = 0;
    c->rows = lethe_alloc(n_values, sizeof *c->rows);
    lethe_err e = count && c->rows ? lethe_groups_judge(c->ctx, g, judge, c, &first, count, &n)
                                   : lethe_no_memory(c->ctx);
    if (e == LETHE_OK && first != LETHE_NONE) {
        uint64_t rows = 0;
        for (size_t i = 0; i < n; i++)
            rows += count[i].rows;
        rows_take(c, count, n);
        *fault = lethe_row_fault(doc, first,
                                 "the entropy of the group's sensitive values is too "
                                 "low");
        lethe_set_count(doc, *fault, "rows", rows);
        lethe_set_count(doc, *fault, "different", n);
        lethe_json_set(doc, *fault, "entropy-l",
                       lethe_json_new_real(doc, lethe_entropy_values(c->rows, n)));
        lethe_json_set(doc, *fault, "needed", lethe_json_new_text(doc, c->l_text));
    }
    lethe_free_all(count, c->rows);
    return e;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx};
    lethe_groups *g = NULL;
    lethe_json *fault = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c));
    LETHE_TRY(lethe_groups_read(p, &c.claim, doc, &fault, &g));
    lethe_err e = LETHE_OK;
    if (g) fault = lethe_starred_fault(g, doc);
    if (g && !fault) e = groups_look(&c, g, doc, &fault);
    lethe_groups_free(g);
    return lethe_group_verdict(p, e, doc, fault, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    lethe_theta l;
    lethe_str text = lethe_json_text(lethe_json_get(claim, "l"));
    return lethe_decimal_parse(text, &l) && l.num <= l.den
               ? "entropy-l with l = 1 promises nothing: all rows of a group may have the same "
                 "sensitive value."
               : NULL;
}

const lethe_notion lethe_notion_entropy_l = {
    .name = "entropy-l",
    .holds = "the entropy of the sensitive values in every group of rows with equal "
             "quasi-identifiers is at least log l, no sensitive value is starred, and no published "
             "value is above another unless groups overlap",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
