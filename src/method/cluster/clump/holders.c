/* SPDX-License-Identifier: Apache-2.0 */
/* holders.c - counts the persons who have each item. */
#include "method/cluster/clump/holders.h"
#include "core/mem.h"

lethe_err lethe_clump_holders_count(const lethe_records *r, const lethe_tree *t, bool each,
                                    uint32_t **out)
{
    uint32_t *start = lethe_alloc_zero((size_t)r->n_owners + 1, sizeof *start);
    uint32_t *order = lethe_alloc(r->n, sizeof *order); /* records, person by person */
    uint32_t *last = lethe_alloc_zero(t->n, sizeof *last);
    uint32_t *holders = lethe_alloc_zero(t->n, sizeof *holders);
    bool ok = start && order && last && holders;
    for (size_t i = 0; ok && i < r->n; i++)
        start[r->owner[i] + 1]++;
    for (uint32_t p = 0; ok && p < r->n_owners; p++)
        start[p + 1] += start[p];
    for (size_t i = 0; ok && i < r->n; i++)
        order[start[r->owner[i]]++] = (uint32_t)i;
    for (size_t i = 0; ok && i < r->n; i++) { // each item keeps the person last seen with it
        uint32_t record = order[i], who = (each ? record : r->owner[record]) + 1;
        for (uint64_t k = r->start[record]; k < r->start[record + 1]; k++) {
            uint32_t item = r->item[k];
            holders[item] += last[item] != who;
            last[item] = who;
        }
    }
    lethe_free(start);
    lethe_free(order);
    lethe_free(last);
    if (!ok) lethe_free(holders);
    if (ok) *out = holders;
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

bool lethe_clump_holders_rare(const uint32_t *holders, const lethe_tree *t, uint64_t limit,
                              const uint32_t *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (lethe_tree_is_leaf(t, node[i]) && holders[node[i]] < limit) return true;
    return false;
}
