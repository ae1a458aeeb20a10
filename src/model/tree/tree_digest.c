/* SPDX-License-Identifier: Apache-2.0 */
/* tree_digest.c - a digest by which two copies of a taxonomy are known to be the same. */
#include "core/mem.h"
#include "core/sort.h"
#include "model/tree/tree.h"
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGEST_BYTES = 32 };
_Static_assert(2 * DIGEST_BYTES + 1 == LETHE_TREE_DIGEST, "two digits per byte");

static void put(crypto_generichash_state *to, lethe_str s)
{
    crypto_generichash_update(to, (const uint8_t *)s.at, s.n);
}

static void node_put(crypto_generichash_state *to, const lethe_tree *t, uint32_t v)
{
    char leaves[16];
    int n = snprintf(leaves, sizeof leaves, "\t%lu\n", (unsigned long)t->leaves[v]);
    put(to, lethe_tree_name(t, v));
    put(to, LETHE_LIT("\t"));
    if (v > 0) put(to, lethe_tree_name(t, t->parent[v]));
    put(to, (lethe_str){leaves, (size_t)n});
}

lethe_err lethe_tree_digest(lethe_diag *d, const lethe_tree *t, char hex[LETHE_TREE_DIGEST])
{
    uint8_t digest[DIGEST_BYTES];
    crypto_generichash_state state;
    lethe_str *name = lethe_alloc(t->n, sizeof *name);
    if (!name) return lethe_no_memory(d);
    for (uint32_t v = 0; v < t->n; v++)
        name[v] = lethe_tree_name(t, v);
    qsort(name, t->n, sizeof *name, lethe_strs_cmp); // siblings may stand in any order
    crypto_generichash_init(&state, NULL, 0, sizeof digest);
    for (uint32_t i = 0; i < t->n; i++)
        node_put(&state, t, lethe_tree_find(t, name[i]));
    crypto_generichash_final(&state, digest, sizeof digest);
    sodium_bin2hex(hex, LETHE_TREE_DIGEST, digest, sizeof digest);
    lethe_free(name);
    return LETHE_OK;
}
