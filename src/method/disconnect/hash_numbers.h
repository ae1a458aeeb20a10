/* SPDX-License-Identifier: Apache-2.0 */
/* hash_numbers.h - keyed hashes of strings, numbered 0, 1, 2, ... in the order first seen.  Like a
 * dictionary (core/dict.h), but without the strings: 128 bits each, however long they are. */
#ifndef LETHE_METHOD_DISCONNECT_HASH_NUMBERS_H
#define LETHE_METHOD_DISCONNECT_HASH_NUMBERS_H
#include "core/dict.h"
#include "core/rng.h"

/* XXH3 with a secret: among 10^9 strings two collide with probability 2e-21, and nobody without the
 * key can choose any that do. */
typedef struct lethe_hash {
    uint64_t low, high;
} lethe_hash;
typedef struct lethe_hash_key {
    uint8_t secret[192];
} lethe_hash_key;

lethe_hash_key lethe_hash_key_draw(const lethe_secret *s, const char *label);
void lethe_hash_key_wipe(lethe_hash_key *k);
lethe_hash lethe_hash_of(const lethe_hash_key *k, lethe_str s);

static inline bool lethe_hash_eq(lethe_hash a, lethe_hash b)
{
    return a.low == b.low && a.high == b.high;
}

/* Initialise with zeros. */
typedef struct lethe_hash_numbers {
    lethe_hash *at; /* by number */
    uint32_t n, cap;
    uint32_t *slots; /* 2^bits: a number plus one, or 0 */
    unsigned bits;
} lethe_hash_numbers;

/* The number of `h`, a new one if it was not there.  LETHE_ENOMEM, not reported, and no change: no
 * memory, or there are 3,000,000,000 already. */
LETHE_MUST_CHECK lethe_err lethe_hash_numbers_add(lethe_hash_numbers *t, lethe_hash h,
                                                  uint32_t *out);
uint32_t lethe_hash_numbers_find(const lethe_hash_numbers *t, lethe_hash h); /* LETHE_NONE: none */
/* Removes all, keeps the memory; in time of what was there, not of the most that ever was. */
void lethe_hash_numbers_clear(lethe_hash_numbers *t);
void lethe_hash_numbers_free(lethe_hash_numbers *t);

#endif
