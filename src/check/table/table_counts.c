/* SPDX-License-Identifier: Apache-2.0 */
/* table_counts.c - counts the sensitive values of each group, and finds the first group in the file
 * that a judge calls broken. */
#include "check/table/table_counts.h"

lethe_json *lethe_starred_fault(const lethe_groups *g, lethe_json_doc *doc)
{
    if (g->starred == LETHE_NONE) return NULL;
    return lethe_value_fault(doc, g, g->sa, g->starred, "the sensitive value is starred");
}

static size_t counts_take(const lethe_groups *g, lethe_stretch group, lethe_value_count *count)
{
    lethe_stretch s = {group.from, group.from};
    size_t n = 0;
    while (lethe_group_value_next(g, group, &s))
        count[n++] = (lethe_value_count){g->sa->code[g->row[s.from]], s.end - s.from};
    return n;
}

lethe_err lethe_groups_judge(lethe_ctx *ctx, const lethe_groups *g, lethe_counts_fn judge,
                             void *arg, uint32_t *first, lethe_value_count *count, size_t *n)
{
    lethe_stretch group = {0, 0}, found = {0, 0};
    *first = LETHE_NONE;
    for (size_t i = 0; lethe_group_next(g, &group); i++) {
        bool broken = false;
        uint32_t row = lethe_group_first(g, group);
        if (i % 4096 == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (row > *first) continue;
        *n = counts_take(g, group, count);
        LETHE_TRY(judge(arg, count, *n, &broken));
        if (!broken) continue;
        *first = row;
        found = group;
    }
    if (*first != LETHE_NONE) *n = counts_take(g, found, count);
    return LETHE_OK;
}
