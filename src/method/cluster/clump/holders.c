#include "method/cluster/clump/holders.h"
#include "core/mem.h"

/* Records person by person. */
static lethe_err by_person(const lethe_records *r, uint32_t *order)
{
    uint32_t *start = lethe_alloc_zero((size_t)r->n_owners + 1, sizeof *start);
    if (!start) return LETHE_ENOMEM;
    for (size_t i = 0; i < r->n; i++)
        start[r->owner[i] + 1]++;
    for (uint32_t p = 0; p < r->n_owners; p++)
        start[p + 1] += start[p];
    for (size_t i = 0; i < r->n; i++)
        order[start[r->owner[i]]++] = (uint32_t)i;
    lethe_free(start);
    return LETHE_OK;
}

/* Each item keeps the person that was last seen with it. */
static void count(const lethe_records *r, const uint32_t *order, bool each, uint32_t *last,
                  uint32_t *holders)
{
    for (size_t i = 0; i < r->n; i++) {
        uint32_t record = order[i], who = (each ? record : r->owner[record]) + 1;
        for (uint64_t k = r->start[record]; k < r->start[record + 1]; k++) {
            uint32_t item = r->item[k];
            holders[item] += last[item] != who;
            last[item] = who;
        }
    }
}

lethe_err lethe_clump_holders_count(const lethe_records *r, const lethe_tree *t, bool each,
                                    uint32_t **out)
{
    uint32_t *order = lethe_alloc(r->n, sizeof *order),
             *last = lethe_alloc_zero(t->n, sizeof *last),
             *holders = lethe_alloc_zero(t->n, sizeof *holders);
    lethe_err e = order && last && holders ? by_person(r, order) : LETHE_ENOMEM;
    if (e == LETHE_OK) count(r, order, each, last, holders);
    lethe_free(order);
    lethe_free(last);
    if (e != LETHE_OK) lethe_free(holders);
    if (e == LETHE_OK) *out = holders;
    return e;
}

bool lethe_clump_holders_rare(const uint32_t *holders, const lethe_tree *t, uint64_t limit,
                              const uint32_t *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (lethe_tree_is_leaf(t, node[i]) && holders[node[i]] < limit) return true;
    return false;
}
