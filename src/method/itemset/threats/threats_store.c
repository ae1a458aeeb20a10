/* SPDX-License-Identifier: Apache-2.0 */
/* threats_store.c - threats that are known, and whether one is a generalization of an itemset.
 * Items of a threat are not above one another.  So where one threat is a generalization of an
 * itemset, its items in descending order are above items in descending order: each item goes down
 * the trie from all nodes that were reached, by itself or by what is above it. */
#include "method/itemset/threats/threats_internal.h"

lethe_err lethe_threats_numbers_reserve(threats_numbers *v, size_t more)
{
    if (v->cap - v->n >= more) return LETHE_OK;
    size_t cap = v->n + more + v->n / 2 + 16;
    uint32_t *at = lethe_realloc(v->at, cap, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    v->at = at;
    v->cap = cap;
    return LETHE_OK;
}

static size_t place_of(const threats_slot *slot, unsigned bits, uint64_t key)
{
    size_t mask = ((size_t)1 << bits) - 1, i = (size_t)(key * 0x9e3779b97f4a7c15ull >> (64 - bits));
    while (slot[i].node != 0)
        i = (i + 1) & mask;
    return i;
}

/* Room for one more node, at most half of the slots being taken. */
static lethe_err grow(threats_store *s)
{
    if (s->n + 1 >= s->cap) {
        uint32_t cap = s->cap + s->cap / 2 + 64;
        if (s->cap >= UINT32_MAX / 4) return LETHE_ENOMEM; // slots are numbered by 32 bits
        uint32_t *at = lethe_realloc(s->at, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        s->at = at;
        s->cap = cap;
    }
    if (s->slot && 2 * (size_t)(s->n + 1) <= (size_t)1 << s->bits) return LETHE_OK;
    unsigned bits = s->slot ? s->bits + 1 : 7;
    threats_slot *slot = lethe_alloc_zero((size_t)1 << bits, sizeof *slot);
    if (!slot) return LETHE_ENOMEM;
    for (uint32_t v = 1; v <= s->n; v++) {
        size_t i = place_of(slot, bits, s->slot[s->at[v]].key);
        slot[i] = s->slot[s->at[v]];
        s->at[v] = (uint32_t)i;
    }
    lethe_free(s->slot);
    s->slot = slot;
    s->bits = bits;
    return LETHE_OK;
}

lethe_err lethe_threats_store_child(threats_store *s, uint32_t node, uint32_t item, uint32_t *out)
{
    const threats_slot *there = lethe_threats_store_find(s, node, item);
    if (there) {
        *out = there->node;
        return LETHE_OK;
    }
    LETHE_TRY(grow(s));
    uint64_t key = (uint64_t)node << 32 | item;
    size_t i = place_of(s->slot, s->bits, key);
    s->slot[i] = (threats_slot){key, ++s->n, 0};
    s->at[s->n] = (uint32_t)i;
    *out = s->n;
    return LETHE_OK;
}

lethe_err lethe_threats_store_insert(threats_store *s, const uint32_t *item, size_t n)
{
    uint32_t node = 0;
    for (size_t i = n; i-- > 0;)
        LETHE_TRY(lethe_threats_store_child(s, node, item[i], &node));
    if (node != 0) s->slot[s->at[node]].ends = 1;
    return LETHE_OK;
}

lethe_err lethe_threats_store_covers(const threats_store *s, const threats_base *b,
                                     const uint32_t *item, size_t n, threats_numbers *tmp,
                                     bool *out)
{
    *out = false;
    if (s->n == 0) return LETHE_OK;
    tmp->n = 0;
    LETHE_TRY(lethe_threats_numbers_reserve(tmp, 1));
    tmp->at[tmp->n++] = 0;
    for (size_t i = n; i-- > 0;) {
        for (size_t k = 0, before = tmp->n; k < before; k++) {
            for (uint32_t j = item[i]; j != LETHE_NONE; j = b->up[j]) {
                if (i + 1 < n && threats_covers(b, j, item[i + 1])) break; // it was, by that
                const threats_slot *at = lethe_threats_store_find(s, tmp->at[k], j);
                if (!at) continue;
                if (at->ends) {
                    *out = true;
                    return LETHE_OK;
                }
                LETHE_TRY(lethe_threats_numbers_reserve(tmp, 1));
                tmp->at[tmp->n++] = at->node;
            }
        }
    }
    return LETHE_OK;
}

void lethe_threats_store_clear(threats_store *s)
{
    for (uint32_t v = 1; v <= s->n; v++)
        s->slot[s->at[v]] = (threats_slot){0};
    s->n = 0;
}

void lethe_threats_store_free(threats_store *s)
{
    lethe_free(s->slot);
    lethe_free(s->at);
    *s = (threats_store){0};
}
