/* SPDX-License-Identifier: Apache-2.0 */
/* hash_numbers.c - an open-addressing table of keyed XXH3 hashes. */
#define XXH_INLINE_ALL
#include "method/disconnect/hash_numbers.h"
#include <xxhash.h>

enum { FIRST_BITS = 4, LAST_BITS = 32 };
#define MOST UINT32_C(3000000000)

_Static_assert(sizeof((lethe_hash_key *)0)->secret >= XXH3_SECRET_SIZE_MIN, "as XXH3 wants it");

/* --- hashing --- */

lethe_hash_key lethe_hash_key_draw(const lethe_secret *s, const char *label)
{
    lethe_hash_key k;
    lethe_rng r = lethe_rng_stream(s, label, 0);
    for (size_t i = 0; i < sizeof k.secret; i += 8)
        lethe_be64_put(k.secret + i, lethe_rng_u64(&r));
    lethe_rng_wipe(&r);
    return k;
}

void lethe_hash_key_wipe(lethe_hash_key *k) { explicit_bzero(k, sizeof *k); }

lethe_hash lethe_hash_of(const lethe_hash_key *k, lethe_str s)
{
    XXH128_hash_t h = XXH3_128bits_withSecret(s.at, s.n, k->secret, sizeof k->secret);
    return (lethe_hash){h.low64, h.high64};
}

/* --- numbers --- */

/* The slot of `h`, or the empty one where it would be. */
static size_t slot_of(const lethe_hash_numbers *t, lethe_hash h)
{
    size_t mask = ((size_t)1 << t->bits) - 1, i = (size_t)(h.low >> (64 - t->bits));
    while (t->slots[i] && !lethe_hash_eq(t->at[t->slots[i] - 1], h))
        i = (i + 1) & mask;
    return i;
}

static lethe_err slots_grow(lethe_hash_numbers *t)
{
    unsigned bits = t->slots ? t->bits + 1 : FIRST_BITS;
    uint32_t *slots = bits > LAST_BITS ? NULL : lethe_alloc_zero((size_t)1 << bits, sizeof *slots);
    if (!slots) return LETHE_ENOMEM;
    lethe_free(t->slots);
    t->slots = slots;
    t->bits = bits;
    for (uint32_t i = 0; i < t->n; i++)
        t->slots[slot_of(t, t->at[i])] = i + 1;
    return LETHE_OK;
}

static lethe_err hashes_grow(lethe_hash_numbers *t)
{
    uint64_t cap = (uint64_t)t->cap + t->cap / 4 + 8;
    if (t->n >= MOST) return LETHE_ENOMEM;
    lethe_hash *at = lethe_realloc(t->at, cap, sizeof *at);
    if (!at) return LETHE_ENOMEM;
    t->at = at;
    t->cap = (uint32_t)LETHE_MIN(cap, UINT32_MAX);
    return LETHE_OK;
}

lethe_err lethe_hash_numbers_add(lethe_hash_numbers *t, lethe_hash h, uint32_t *out)
{
    if (!t->slots || t->n >= ((uint64_t)1 << t->bits) / 10 * 7) LETHE_TRY(slots_grow(t));
    size_t slot = slot_of(t, h);
    if (!t->slots[slot]) {
        if (t->n == t->cap) LETHE_TRY(hashes_grow(t));
        t->at[t->n++] = h;
        t->slots[slot] = t->n;
    }
    *out = t->slots[slot] - 1;
    return LETHE_OK;
}

uint32_t lethe_hash_numbers_find(const lethe_hash_numbers *t, lethe_hash h)
{
    uint32_t slot = t->slots ? t->slots[slot_of(t, h)] : 0;
    return slot ? slot - 1 : LETHE_NONE;
}

/* The last one goes first: what it was displaced by is still there, and leads to it. */
void lethe_hash_numbers_clear(lethe_hash_numbers *t)
{
    for (; t->n > 0; t->n--)
        t->slots[slot_of(t, t->at[t->n - 1])] = 0;
}

void lethe_hash_numbers_free(lethe_hash_numbers *t)
{
    lethe_free(t->at);
    lethe_free(t->slots);
    *t = (lethe_hash_numbers){0};
}
