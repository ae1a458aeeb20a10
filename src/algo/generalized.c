/* SPDX-License-Identifier: Apache-2.0 */
/* generalized.c - sums the loss of published items, and turns the sums into figures. */
#include "algo/generalized.h"
#include "io/json/json.h"

lethe_err lethe_generalized_fits(lethe_diag *d, const lethe_records *r, const lethe_tree *t)
{
    uint64_t product;
    bool fits = r->n < LETHE_NONE &&
                !__builtin_mul_overflow(r->start[r->n], (uint64_t)t->n, &product) &&
                product <= INT64_MAX;
    for (size_t i = 0; fits && i < r->n; i++)
        fits = lethe_record_size(r, i) < LETHE_NONE;
    if (fits) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT,
                      "too many records or items: %zu records, of a taxonomy with %u nodes", r->n,
                      t->n);
}

void lethe_generalized_add(lethe_generalized *g, const lethe_tree *t, uint64_t n_items,
                           const uint32_t *node, size_t n)
{
    assert(n <= n_items); // an injection from published items to the record's own
    g->records++;
    g->items += n_items;
    g->published += n;
    g->ggd += (n_items - n) * lethe_tree_scale(t);
    for (size_t i = 0; i < n; i++) {
        g->levels += t->level[node[i]];
        g->ggd += lethe_tree_lm(t, node[i]);
    }
}

static double mean(uint64_t sum, uint64_t n) { return n ? (double)sum / (double)n : 0; }

void lethe_generalized_set(const lethe_generalized *g, const lethe_tree *t, lethe_json_doc *doc,
                           lethe_json *out)
{
    uint64_t suppressed = g->items - g->published;
    uint32_t scale = lethe_tree_scale(t);
    lethe_set_real(doc, out, "ggd", scale ? (double)g->ggd / scale : (double)suppressed);
    lethe_set_real(doc, out, "avg_length", mean(g->published + g->exact, g->records));
    lethe_set_real(doc, out, "avg_level", mean(g->levels + g->published, g->published));
    lethe_set_count(doc, out, "items_suppressed", suppressed);
}

double lethe_records_density(const lethe_records *r, const lethe_tree *t)
{
    // one division after the other: the product of records and leaves need not fit
    return r->n ? (double)r->start[r->n] / (double)r->n / t->leaves[0] : 0;
}
