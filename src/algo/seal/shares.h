/* SPDX-License-Identifier: Apache-2.0 */
/* shares.h - a secret of 32 bytes in shares, byte by byte: any t of n give it back, fewer say
 * nothing about it.  Eytan Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5.2.
 *
 *   shamir    share i is f(i), f(x) = secret + a_1 x + .. + a_(t-1) x^(t-1), over GF(256) with the
 *             polynomial x^8 + x^4 + x^3 + x + 1 (0x11b); i = 1..n, n <= 255
 *   additive  shares 1..t-1 are random, share t is the secret less their sum, mod 256; n = t
 *
 * Time and memory accesses depend on indices and t, which are published, never on secrets, shares
 * or coefficients: there are no tables. */
#ifndef LETHE_ALGO_SEAL_SHARES_H
#define LETHE_ALGO_SEAL_SHARES_H
#include "core/base.h"

enum { LETHE_SECRET_BYTES = 32, LETHE_SHARES_MAX = 255 };

/* --- GF(256) --- */

uint8_t lethe_gf256_mul(uint8_t a, uint8_t b);
uint8_t lethe_gf256_inv(uint8_t a); /* of 0: 0 */

/* --- shamir --- */

/* One step of Horner's rule, from a_(t-1) down to the secret: acc = acc * x + term, byte by byte.
 * Begun with acc all zero, so that nobody need hold all coefficients. */
void lethe_shamir_step(uint8_t acc[LETHE_SECRET_BYTES], uint8_t x,
                       const uint8_t term[LETHE_SECRET_BYTES]);
/* The share with that index (1..255); `coefficients`: a_1, a_2, .. a_(t-1) end to end. */
void lethe_shamir_share(const uint8_t secret[LETHE_SECRET_BYTES], const uint8_t *coefficients,
                        uint32_t t, uint8_t index, uint8_t out[LETHE_SECRET_BYTES]);

/* Lagrange's weights: f(x) is the sum of f(indices[i]) * weights[i] for every f of degree below t.
 * The indices are distinct, of 1..255.  x = 0 is the secret's place. */
void lethe_shamir_weights(const uint8_t *indices, uint32_t t, uint8_t x, uint8_t *weights);

/* Weights for sets of indices and places met before: few sets come again and again.  One thread's
 * own.  NULL: no memory. */
typedef struct lethe_weights lethe_weights;
lethe_weights *lethe_weights_new(void);
void lethe_weights_free(lethe_weights *w); /* NULL is fine */
/* A view that lives until the next call. */
const uint8_t *lethe_weights_at(lethe_weights *w, const uint8_t *indices, uint32_t t, uint8_t x);

/* f(x) from t shares, end to end, and their weights for x. */
void lethe_shamir_value(const uint8_t *shares, const uint8_t *weights, uint32_t t,
                        uint8_t out[LETHE_SECRET_BYTES]);

/* --- additive --- */

/* acc = acc + term, or acc - term, mod 256, byte by byte. */
void lethe_additive_add(uint8_t acc[LETHE_SECRET_BYTES], const uint8_t term[LETHE_SECRET_BYTES]);
void lethe_additive_subtract(uint8_t acc[LETHE_SECRET_BYTES],
                             const uint8_t term[LETHE_SECRET_BYTES]);
/* The share with that index (1..t); `random`: shares 1 to t - 1 end to end. */
void lethe_additive_share(const uint8_t secret[LETHE_SECRET_BYTES], const uint8_t *random,
                          uint32_t t, uint8_t index, uint8_t out[LETHE_SECRET_BYTES]);
/* The secret from all t shares, end to end, in any order. */
void lethe_additive_secret(const uint8_t *shares, uint32_t t, uint8_t out[LETHE_SECRET_BYTES]);

#endif
