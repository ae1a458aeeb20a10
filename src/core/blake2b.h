/* SPDX-License-Identifier: Apache-2.0 */
/* blake2b.h - keyed BLAKE2b (RFC 7693) of many short messages under a few keys.
 *
 * The key is a block of its own in front of the message.  libsodium reads it again for every
 * message, which doubles the time of a short one; here it is read once, and what it makes of the
 * state is kept.  Four messages go side by side.  The values are those of
 * crypto_generichash_blake2b, and tests hold them against it.
 *
 * Additions, rotations and xor alone: time and memory accesses depend on lengths only. */
#ifndef LETHE_CORE_BLAKE2B_H
#define LETHE_CORE_BLAKE2B_H
#include "core/base.h"

enum {
    LETHE_BLAKE2B_KEY_BYTES = 32,
    LETHE_BLAKE2B_BLOCK = 128,
    LETHE_BLAKE2B_LANES = 4,
};

/* The state after the key, for one length of the output.  As secret as the key. */
typedef struct lethe_blake2b_key {
    uint64_t h[8];
} lethe_blake2b_key;

/* `n_out`: 1 to 64. */
void lethe_blake2b_key_set(lethe_blake2b_key *k, const uint8_t key[LETHE_BLAKE2B_KEY_BYTES],
                           size_t n_out);
/* `n_out` as it was set.  The message is not empty: of an empty one the key would be the last
 * block. */
void lethe_blake2b_mac(const lethe_blake2b_key *k, lethe_str message, uint8_t *out, size_t n_out);
/* Four messages of 1 to LETHE_BLAKE2B_BLOCK bytes, each under a key that was set for 32 bytes of
 * output. */
void lethe_blake2b_mac_4(const lethe_blake2b_key *const k[LETHE_BLAKE2B_LANES],
                         const lethe_str message[LETHE_BLAKE2B_LANES],
                         uint8_t out[LETHE_BLAKE2B_LANES][32]);

#endif
