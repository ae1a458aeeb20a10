/* SPDX-License-Identifier: Apache-2.0 */
/* threats_single.c - threats where one item that is present is all that is known: an item is a
 * threat if fewer than k sets have it, which takes a count for each node and no sets.
 *
 * A node is locked if a child is a threat by itself.  So every threat but the root is below a
 * locked node, and none is left to be listed. */
#include "method/itemset/threats/threats_single.h"
#include "core/mem.h"

enum { LOOKS = 1 << 12 };

bool lethe_threats_is_single(const lethe_records *sets, const lethe_kl *kl)
{
    return kl->m == 1 && kl->n == 0 && kl->k > 1 && !kl->strict && sets->n > 0 &&
           !(sets->marks && kl->l > 1);
}

/* By node: sets that have an item at or below it; of these k or more, at least k.  An item is in as
 * many sets as it is there; what is above one that k sets have needs no count. */
struct single_counts {
    uint32_t *sum;
    uint32_t *rare; /* where no item below is in k sets: so many have any */
    uint64_t *seen; /* by node: the last set that was counted there, from 1 */
};

/* Where a node was counted for a set, so were those above it. */
static lethe_err count_rare(lethe_ctx *ctx, const lethe_records *r, const lethe_tree *t, uint64_t k,
                            const struct single_counts *c)
{
    for (size_t i = 0; i < r->n; i++) {
        if (i % LOOKS == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        for (uint64_t j = r->start[i]; j < r->start[i + 1]; j++)
            for (uint32_t v = r->item[j]; v != LETHE_NONE && c->sum[v] < k && c->seen[v] != i + 1;
                 v = t->parent[v]) {
                c->seen[v] = i + 1;
                c->rare[v]++;
            }
    }
    return LETHE_OK;
}

static lethe_err count_sets(lethe_ctx *ctx, const lethe_records *r, const lethe_tree *t, uint64_t k,
                            const struct single_counts *c)
{
    bool any = false;
    for (uint64_t j = 0; j < r->start[r->n]; j++)
        c->sum[r->item[j]]++;
    for (uint32_t v = t->n - 1; v > 0; v--) { // children stand behind their parents
        any = any || (c->sum[v] > 0 && c->sum[v] < k);
        c->sum[t->parent[v]] = LETHE_MAX(c->sum[t->parent[v]], c->sum[v]);
    }
    if (!any && c->sum[0] >= k) return LETHE_OK;
    LETHE_TRY(count_rare(ctx, r, t, k, c));
    for (uint32_t v = 0; v < t->n; v++)
        if (c->sum[v] < k) c->sum[v] = c->rare[v];
    return LETHE_OK;
}

/* Has v a child that is a threat?  *nodes rises by the children that were looked at. */
static bool is_locked(const lethe_tree *t, const lethe_kl *kl, const uint32_t *sum, uint32_t v,
                      uint64_t *nodes)
{
    for (uint32_t c = v + 1; c < t->end[v]; c = t->end[c]) {
        *nodes += sum[c] > 0;
        if (lethe_kl_names(kl, sum[c])) return true;
    }
    return false;
}

lethe_err lethe_threats_single(lethe_ctx *ctx, const lethe_records *sets, const lethe_tree *t,
                               const lethe_kl *kl, lethe_threats *out, bool *rooted)
{
    struct single_counts c = {lethe_alloc_zero(t->n, sizeof *c.sum),
                              lethe_alloc_zero(t->n, sizeof *c.rare),
                              lethe_alloc_zero(t->n, sizeof *c.seen)};
    lethe_err e = c.sum && c.rare && c.seen ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) e = count_sets(ctx, sets, t, kl->k, &c);
    if (e == LETHE_OK) {
        out->empty = lethe_kl_names(kl, sets->n);
        *rooted = !out->empty && lethe_kl_names(kl, c.sum[0]);
        for (uint32_t v = 0; v < t->n && !out->empty && !*rooted;) {
            out->nodes += c.sum[v] > 0; // by itself, after the locks
            out->locked[v] = is_locked(t, kl, c.sum, v, &out->nodes);
            v = out->locked[v] || c.sum[v] == 0 ? t->end[v] : v + 1;
        }
    }
    lethe_free(c.sum);
    lethe_free(c.rare);
    lethe_free(c.seen);
    return e;
}
