/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs to lists by key: a counting sort, then repeated values are left out. */
#include "model/knowledge/lists.h"
#include "core/mem.h"

lethe_err lethe_keyed_lists_group(const lethe_keyed *pair, size_t n, uint32_t n_keys,
                                  lethe_keyed_lists *out)
{
    out->start = lethe_alloc_zero((size_t)n_keys + 2, sizeof *out->start);
    out->value = lethe_alloc(n, sizeof *out->value);
    if (!out->start || !out->value) return LETHE_ENOMEM;
    size_t *next = out->start + 1; /* while filling: where the next value of a key goes */
    for (size_t i = 0; i < n; i++)
        next[pair[i].key + 1]++;
    for (size_t k = 1; k <= n_keys; k++)
        next[k] += next[k - 1];
    for (size_t i = 0; i < n; i++)
        out->value[next[pair[i].key]++] = pair[i].value;
    return LETHE_OK;
}

lethe_err lethe_keyed_lists_make(const lethe_keyed *pair, size_t n, uint32_t n_keys,
                                 uint32_t n_values, lethe_keyed_lists *out)
{
    LETHE_TRY(lethe_keyed_lists_group(pair, n, n_keys, out));
    uint32_t *seen = lethe_alloc_zero(n_values, sizeof *seen); /* key + 1 */
    size_t kept = 0, from = 0;
    if (!seen) return LETHE_ENOMEM;
    for (uint32_t k = 0; k < n_keys; k++) {
        size_t to = out->start[k + 1];
        for (size_t i = from; i < to; i++) {
            uint32_t value = out->value[i];
            if (seen[value] != k + 1) out->value[kept++] = value;
            seen[value] = k + 1;
        }
        from = to;
        out->start[k + 1] = kept;
    }
    lethe_free(seen);
    return LETHE_OK;
}

void lethe_keyed_lists_free(lethe_keyed_lists *l)
{
    lethe_free_all(l->start, l->value);
    *l = (lethe_keyed_lists){0};
}
