/* SPDX-License-Identifier: Apache-2.0 */
/* k_anonymity.c - does every published row of a table have the quasi-identifiers of at least k - 1
 * others?
 *
 * Decided from data.csv and taxonomy.tsv: rows are sorted into groups, and the first one in the
 * file that has fewer than k rows is the counterexample. */
#include "check/check.h"
#include "check/table/table_groups.h"

/* NULL: all groups are large enough. */
static lethe_json *groups_fault(const lethe_groups *g, uint64_t k, lethe_json_doc *doc)
{
    lethe_stretch group = {0, 0};
    uint32_t first = LETHE_NONE;
    size_t rows = 0;
    while (lethe_group_next(g, &group)) {
        if (group.end - group.from >= k || g->row[group.from] > first) continue;
        first = g->row[group.from];
        rows = group.end - group.from;
    }
    if (first == LETHE_NONE) return NULL;
    lethe_json *why = lethe_row_fault(doc, first, "the group has too few rows");
    lethe_set_count(doc, why, "equal", rows);
    lethe_set_count(doc, why, "needed", k);
    return why;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    static const lethe_claim_field fields[] = {LETHE_CLAIM_QI, LETHE_CLAIM_ROWS("k"),
                                               LETHE_CLAIM_OVERLAP};
    lethe_group_claim c = {0};
    lethe_groups *g = NULL;
    lethe_json *fault = NULL;
    LETHE_TRY(lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "k-anonymity", fields,
                               LETHE_COUNT(fields), &c));
    LETHE_TRY(lethe_groups_read(p, &c, doc, &fault, &g));
    if (g) fault = groups_fault(g, c.count, doc);
    lethe_groups_free(g);
    return lethe_group_verdict(p, LETHE_OK, doc, fault, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "k", 1) ? "k-anonymity with k = 1 promises nothing: each row "
                                                "may be the only one with its quasi-identifiers."
                                              : NULL;
}

const lethe_notion lethe_notion_k_anonymity = {
    .name = "k-anonymity",
    .holds = "every published row has the quasi-identifiers of at least k - 1 others, and unless "
             "groups overlap, no published value is above another",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
