/* SPDX-License-Identifier: Apache-2.0 */
/* shares.c - arithmetic in GF(256) in constant time, Shamir's and additive shares, and a cache of
 * Lagrange weights. */
#include "algo/seal/shares.h"
#include "core/mem.h"
#include <sodium.h>

enum {
    WORDS = LETHE_SECRET_BYTES / 8,
    CACHED = 512, /* sets of weights: all of 3 indices in 10 at 4 places */
};

/* --- GF(256) --- */

#define EACH_BYTE 0x0101010101010101u

/* Eight bytes times x: shifted, and reduced by 0x11b where a bit fell out. */
static inline uint64_t times_x(uint64_t v)
{
    uint64_t out = (v >> 7) & EACH_BYTE;
    return ((v & (0x7f * EACH_BYTE)) << 1) ^ (out * 0x1b);
}

/* sum = sum + v * by, each byte for itself; v is used up.  All eight bits of `by` are gone through
 * whatever they are. */
static void add_product(uint64_t sum[WORDS], uint64_t v[WORDS], uint8_t by)
{
    for (unsigned bit = 0; bit < 8; bit++) {
        uint64_t mask = 0 - (uint64_t)((by >> bit) & 1);
        for (size_t i = 0; i < WORDS; i++) {
            sum[i] ^= v[i] & mask;
            v[i] = times_x(v[i]);
        }
    }
}

uint8_t lethe_gf256_mul(uint8_t a, uint8_t b)
{
    uint64_t sum = 0, v = a;
    for (unsigned bit = 0; bit < 8; bit++) {
        sum ^= v & (0 - (uint64_t)((b >> bit) & 1));
        v = times_x(v);
    }
    return (uint8_t)sum;
}

/* a^254: the group has 255 elements. */
uint8_t lethe_gf256_inv(uint8_t a)
{
    uint8_t power = a, product = 1;
    for (int i = 0; i < 7; i++) { // 254 = 2 + 4 + .. + 128
        power = lethe_gf256_mul(power, power);
        product = lethe_gf256_mul(product, power);
    }
    return product;
}

/* --- shamir --- */

void lethe_shamir_step(uint8_t acc[LETHE_SECRET_BYTES], uint8_t x,
                       const uint8_t term[LETHE_SECRET_BYTES])
{
    uint64_t v[WORDS], sum[WORDS];
    memcpy(v, acc, sizeof v);
    memcpy(sum, term, sizeof sum);
    add_product(sum, v, x);
    memcpy(acc, sum, sizeof sum);
    sodium_memzero(v, sizeof v); // a coefficient, times x^8
    sodium_memzero(sum, sizeof sum);
}

void lethe_shamir_share(const uint8_t secret[LETHE_SECRET_BYTES], const uint8_t *coefficients,
                        uint32_t t, uint8_t index, uint8_t out[LETHE_SECRET_BYTES])
{
    assert(index > 0); // the place of the secret itself
    memset(out, 0, LETHE_SECRET_BYTES);
    for (uint32_t j = t - 1; j > 0; j--)
        lethe_shamir_step(out, index, coefficients + (size_t)(j - 1) * LETHE_SECRET_BYTES);
    lethe_shamir_step(out, index, secret);
}

/* weight_i = product over k != i of (x - x_k) / (x_i - x_k); minus is plus here. */
void lethe_shamir_weights(const uint8_t *indices, uint32_t t, uint8_t x, uint8_t *weights)
{
    for (uint32_t i = 0; i < t; i++) {
        uint8_t above = 1, below = 1;
        for (uint32_t k = 0; k < t; k++) {
            if (k == i) continue;
            above = lethe_gf256_mul(above, x ^ indices[k]);
            below = lethe_gf256_mul(below, indices[i] ^ indices[k]);
        }
        assert(below != 0); // the indices are distinct
        weights[i] = lethe_gf256_mul(above, lethe_gf256_inv(below));
    }
}

typedef struct cached {
    uint8_t t, x; /* t = 0: empty */
    uint8_t indices[LETHE_SHARES_MAX], weights[LETHE_SHARES_MAX];
} cached;

struct lethe_weights {
    cached at[CACHED];
};

lethe_weights *lethe_weights_new(void) { return lethe_alloc_zero(1, sizeof(lethe_weights)); }
void lethe_weights_free(lethe_weights *w) { lethe_free(w); }

/* FNV-1a: keys are short, and public. */
static size_t place_of(const uint8_t *indices, uint32_t t, uint8_t x)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < t; i++)
        h = (h ^ indices[i]) * 0x100000001b3u;
    h = (h ^ x) * 0x100000001b3u;
    return (size_t)((h ^ (h >> 32)) % CACHED);
}

const uint8_t *lethe_weights_at(lethe_weights *w, const uint8_t *indices, uint32_t t, uint8_t x)
{
    assert(t > 0 && t <= LETHE_SHARES_MAX);
    cached *c = &w->at[place_of(indices, t, x)];
    if (c->t != t || c->x != x || memcmp(c->indices, indices, t) != 0) {
        c->t = (uint8_t)t;
        c->x = x;
        memcpy(c->indices, indices, t);
        lethe_shamir_weights(indices, t, x, c->weights);
    }
    return c->weights;
}

void lethe_shamir_value(const uint8_t *shares, const uint8_t *weights, uint32_t t,
                        uint8_t out[LETHE_SECRET_BYTES])
{
    uint64_t sum[WORDS] = {0}, v[WORDS];
    for (uint32_t i = 0; i < t; i++) {
        memcpy(v, shares + (size_t)i * LETHE_SECRET_BYTES, sizeof v);
        add_product(sum, v, weights[i]);
    }
    memcpy(out, sum, sizeof sum);
    sodium_memzero(sum, sizeof sum); // the secret, where x is 0
}

/* --- additive --- */

void lethe_additive_add(uint8_t acc[LETHE_SECRET_BYTES], const uint8_t term[LETHE_SECRET_BYTES])
{
    for (size_t i = 0; i < LETHE_SECRET_BYTES; i++)
        acc[i] = (uint8_t)(acc[i] + term[i]);
}

void lethe_additive_subtract(uint8_t acc[LETHE_SECRET_BYTES],
                             const uint8_t term[LETHE_SECRET_BYTES])
{
    for (size_t i = 0; i < LETHE_SECRET_BYTES; i++)
        acc[i] = (uint8_t)(acc[i] - term[i]);
}

void lethe_additive_share(const uint8_t secret[LETHE_SECRET_BYTES], const uint8_t *random,
                          uint32_t t, uint8_t index, uint8_t out[LETHE_SECRET_BYTES])
{
    assert(index > 0 && index <= t);
    if (index < t) {
        memcpy(out, random + (size_t)(index - 1) * LETHE_SECRET_BYTES, LETHE_SECRET_BYTES);
        return;
    }
    memcpy(out, secret, LETHE_SECRET_BYTES);
    for (uint32_t j = 0; j + 1 < t; j++)
        lethe_additive_subtract(out, random + (size_t)j * LETHE_SECRET_BYTES);
}

void lethe_additive_secret(const uint8_t *shares, uint32_t t, uint8_t out[LETHE_SECRET_BYTES])
{
    memset(out, 0, LETHE_SECRET_BYTES);
    for (uint32_t i = 0; i < t; i++)
        lethe_additive_add(out, shares + (size_t)i * LETHE_SECRET_BYTES);
}
