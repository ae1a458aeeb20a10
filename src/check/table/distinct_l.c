/* SPDX-License-Identifier: Apache-2.0 */
/* distinct_l.c - does every group of published rows show at least l different sensitive values?
 *
 * Decided from data.csv and taxonomy.tsv.  `*` is no value; a group that shows none tells nothing,
 * and passes. */
#include "check/check.h"
#include "check/table/table_groups.h"

static uint64_t different(const lethe_groups *g, lethe_stretch group)
{
    lethe_stretch s = {group.from, group.from};
    uint64_t n = 0;
    while (lethe_group_value_next(g, group, &s))
        n += g->sa->code[g->row[s.from]] != g->starred;
    return n;
}

/* NULL: all groups show enough, or nothing.  Else of the first in the file that does not. */
static lethe_json *groups_fault(const lethe_groups *g, uint64_t l, lethe_json_doc *doc)
{
    lethe_stretch group = {0, 0};
    uint32_t first = LETHE_NONE;
    uint64_t shown = 0, rows = 0;
    while (lethe_group_next(g, &group)) {
        uint64_t n = different(g, group);
        if (n == 0 || n >= l || lethe_group_first(g, group) > first) continue;
        first = lethe_group_first(g, group);
        shown = n;
        rows = group.end - group.from;
    }
    if (first == LETHE_NONE) return NULL;
    lethe_json *why = lethe_row_fault(doc, first, "the group shows too few sensitive values");
    lethe_set_count(doc, why, "rows", rows);
    lethe_set_count(doc, why, "different", shown);
    lethe_set_count(doc, why, "needed", l);
    return why;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    static const lethe_claim_field fields[] = {LETHE_CLAIM_QI, LETHE_CLAIM_SA,
                                               LETHE_CLAIM_ROWS("l"), LETHE_CLAIM_OVERLAP};
    lethe_group_claim c = {0};
    lethe_groups *g = NULL;
    lethe_json *fault = NULL;
    LETHE_TRY(lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "distinct-l", fields,
                               LETHE_COUNT(fields), &c));
    LETHE_TRY(lethe_groups_read(p, &c, doc, &fault, &g));
    if (g) fault = groups_fault(g, c.count, doc);
    lethe_groups_free(g);
    return lethe_group_verdict(p, LETHE_OK, doc, fault, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "l", 1) ? "distinct-l with l = 1 promises nothing: all rows "
                                                "of a group may have the same sensitive value."
                                              : NULL;
}

const lethe_notion lethe_notion_distinct_l = {
    .name = "distinct-l",
    .holds =
        "every group of rows with equal quasi-identifiers shows at least l different "
        "sensitive values or none, and unless groups overlap, no published value is above another",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
