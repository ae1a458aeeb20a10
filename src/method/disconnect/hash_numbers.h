/* hash_numbers.h - keyed hashes of strings, and numbers for them: 0, 1, 2, ... in the order first
 * seen.  A dictionary (core/dict.h) without its strings, for those that need not come back: 128
 * bits each, however long they are. */
#ifndef LETHE_METHOD_DISCONNECT_HASH_NUMBERS_H
#define LETHE_METHOD_DISCONNECT_HASH_NUMBERS_H
#include "core/dict.h"
#include "core/rng.h"

/* XXH3 under a secret: among 10^9 strings two meet with probability 2e-21, and who does not know
 * the key cannot choose any that do. */
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

/* All zero: there are none. */
typedef struct lethe_hash_numbers {
    lethe_hash *at; /* by number */
    uint32_t n, cap;
    uint32_t *slots; /* 2^bits: a number plus one, or 0 */
    unsigned bits;
} lethe_hash_numbers;

/* The number of `h`; a new one, and *n one higher, if it was not there.  LETHE_ENOMEM, not said,
 * and no change: no memory, or three thousand million are there. */
LETHE_MUST_CHECK lethe_err lethe_hash_numbers_add(lethe_hash_numbers *t, lethe_hash h,
                                                  uint32_t *out);
uint32_t lethe_hash_numbers_find(const lethe_hash_numbers *t, lethe_hash h); /* LETHE_NONE: none */
/* Forgets all but keeps the room: in time of what was there, not of the most that ever was. */
void lethe_hash_numbers_clear(lethe_hash_numbers *t);
void lethe_hash_numbers_free(lethe_hash_numbers *t);

#endif
