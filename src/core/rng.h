/* SPDX-License-Identifier: Apache-2.0 */
/* rng.h - the one random generator: ChaCha20 with a stream for each purpose and index.
 * The key comes from the system, or from --seed, and then everything is reproducible. */
#ifndef LETHE_CORE_RNG_H
#define LETHE_CORE_RNG_H
#include "core/base.h"

/* Random bytes of the system.  LETHE_EIO: it gives none; libsodium's own function would end the
 * process then, and leave half a release behind. */
LETHE_MUST_CHECK lethe_err lethe_random_bytes(void *out, size_t n);
/* The same, with a message. */
LETHE_MUST_CHECK lethe_err lethe_random_get(lethe_diag *d, void *out, size_t n);

/* A key of 32 bytes in memory that is locked where possible and wiped when freed. */
typedef struct lethe_secret lethe_secret;
LETHE_MUST_CHECK lethe_err lethe_secret_random(lethe_secret **out); /* LETHE_EIO: no randomness */
LETHE_MUST_CHECK lethe_err lethe_secret_from_seed(uint64_t seed, lethe_secret **out);
LETHE_MUST_CHECK lethe_err lethe_secret_from_bytes(const uint8_t bytes[32], lethe_secret **out);
void lethe_secret_free(lethe_secret *s);
/* A secret for one purpose: keyed BLAKE2b of `label` under `s`, personalised, so that no mac of any
 * text equals it. */
LETHE_MUST_CHECK lethe_err lethe_secret_derive(const lethe_secret *s, const char *label,
                                               lethe_secret **out);
/* out (16 to 64 bytes) = keyed BLAKE2b of `msg`. */
void lethe_secret_mac(const lethe_secret *s, lethe_str msg, uint8_t *out, size_t n_out);
/* Four macs of 32 bytes side by side, in the time of two; each of 1 to 128 bytes. */
void lethe_secret_mac_4(const lethe_secret *const s[4], const lethe_str msg[4], uint8_t out[4][32]);

/* A stream of numbers, the ChaCha20 keystream read little-endian; two streams of one key with
 * another label or index have nothing in common.  A copy draws the same numbers again, and is wiped
 * apart. */
typedef struct lethe_rng {
    uint8_t key[32];
    uint64_t block; /* the next one to draw */
    uint8_t bytes[256];
    size_t used;
} lethe_rng;
lethe_rng lethe_rng_stream(const lethe_secret *s, const char *label, uint64_t index);
uint64_t lethe_rng_u64(lethe_rng *r);
uint64_t lethe_rng_below(lethe_rng *r, uint64_t n); /* uniform in 0..n-1, no bias; n > 0 */
double lethe_rng_unit(lethe_rng *r);                /* in [0, 1), 53 bits */
void lethe_rng_wipe(lethe_rng *r);

#endif
