/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed BLAKE2b: Saarinen and Aumasson, RFC 7693, sections 3.1 to 3.3; names as there. */
#include "core/blake2b.h"
#include <sodium.h>

enum { BLOCK = LETHE_BLAKE2B_BLOCK, LANES = LETHE_BLAKE2B_LANES, WORDS = BLOCK / 8 };

static const uint64_t iv[8] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
                               UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
                               UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
                               UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

/* Between a number and its eight bytes, the lowest first. */
static inline uint64_t le64(uint64_t v)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64(v);
}

/* --- F, for a word and for a row of words alike --- */

#define ROTR(x, n) ((x) >> (n) | (x) << (64 - (n)))
#define G(a, b, c, d, x, y)                                                                        \
    do {                                                                                           \
        v##a += v##b + m[x];                                                                       \
        v##d = ROTR(v##d ^ v##a, 32);                                                              \
        v##c += v##d;                                                                              \
        v##b = ROTR(v##b ^ v##c, 24);                                                              \
        v##a += v##b + m[y];                                                                       \
        v##d = ROTR(v##d ^ v##a, 16);                                                              \
        v##c += v##d;                                                                              \
        v##b = ROTR(v##b ^ v##c, 63);                                                              \
    } while (0)
/* A row of SIGMA. */
#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)                \
    do {                                                                                           \
        G(0, 4, 8, 12, s0, s1);                                                                    \
        G(1, 5, 9, 13, s2, s3);                                                                    \
        G(2, 6, 10, 14, s4, s5);                                                                   \
        G(3, 7, 11, 15, s6, s7);                                                                   \
        G(0, 5, 10, 15, s8, s9);                                                                   \
        G(1, 6, 11, 12, s10, s11);                                                                 \
        G(2, 7, 8, 13, s12, s13);                                                                  \
        G(3, 4, 9, 14, s14, s15);                                                                  \
    } while (0)
/* `word`: the type of h, m, t and last; `t`: bytes so far, this block counted (below 2^64); `last`:
 * all ones in the last block, else 0. */
#define F(word, h, m, t, last)                                                                     \
    do {                                                                                           \
        const word zero = (t) ^ (t);                                                               \
        word v0 = (h)[0], v1 = (h)[1], v2 = (h)[2], v3 = (h)[3];                                   \
        word v4 = (h)[4], v5 = (h)[5], v6 = (h)[6], v7 = (h)[7];                                   \
        word v8 = zero + iv[0], v9 = zero + iv[1], v10 = zero + iv[2], v11 = zero + iv[3];         \
        word v12 = (t) ^ iv[4], v13 = zero + iv[5], v14 = (last) ^ iv[6], v15 = zero + iv[7];      \
        ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                               \
        ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);                               \
        ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);                               \
        ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);                               \
        ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);                               \
        ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);                               \
        ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);                               \
        ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);                               \
        ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);                               \
        ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);                               \
        ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                               \
        ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);                               \
        (h)[0] ^= v0 ^ v8;                                                                         \
        (h)[1] ^= v1 ^ v9;                                                                         \
        (h)[2] ^= v2 ^ v10;                                                                        \
        (h)[3] ^= v3 ^ v11;                                                                        \
        (h)[4] ^= v4 ^ v12;                                                                        \
        (h)[5] ^= v5 ^ v13;                                                                        \
        (h)[6] ^= v6 ^ v14;                                                                        \
        (h)[7] ^= v7 ^ v15;                                                                        \
    } while (0)

/* --- one message --- */

static void compress(uint64_t h[8], const uint8_t block[BLOCK], uint64_t t, bool is_last)
{
    uint64_t m[WORDS], last = is_last ? UINT64_MAX : 0;
    for (size_t i = 0; i < WORDS; i++)
        m[i] = load64(block + 8 * i);
    F(uint64_t, h, m, t, last);
}

void lethe_blake2b_key_set(lethe_blake2b_key *k, const uint8_t key[LETHE_BLAKE2B_KEY_BYTES],
                           size_t n_out)
{
    assert(n_out >= 1 && n_out <= 64);
    uint8_t block[BLOCK] = {0};
    memcpy(block, key, LETHE_BLAKE2B_KEY_BYTES);
    memcpy(k->h, iv, sizeof iv);
    k->h[0] ^= UINT64_C(0x01010000) ^ (uint64_t)LETHE_BLAKE2B_KEY_BYTES << 8 ^ (uint64_t)n_out;
    compress(k->h, block, BLOCK, false);
    sodium_memzero(block, sizeof block);
}

void lethe_blake2b_mac(const lethe_blake2b_key *k, lethe_str message, uint8_t *out, size_t n_out)
{
    assert(message.n > 0 && n_out >= 1 && n_out <= 64);
    const uint8_t *p = (const uint8_t *)message.at;
    size_t n = message.n;
    uint64_t h[8], t = BLOCK; // the key was a block
    uint8_t block[BLOCK];
    memcpy(h, k->h, sizeof h);
    for (; n > BLOCK; n -= BLOCK, p += BLOCK)
        compress(h, p, t += BLOCK, false);
    memcpy(block, p, n);
    memset(block + n, 0, BLOCK - n);
    compress(h, block, t + n, true);
    for (size_t i = 0; i < 8; i++)
        h[i] = le64(h[i]);
    memcpy(out, h, n_out);
    sodium_memzero(h, sizeof h);
}

/* --- four messages --- */

typedef uint64_t row __attribute__((vector_size(8 * LANES)));

/* Messages padded to a block, and what the keys have made of the states. */
typedef struct lanes {
    uint8_t blocks[LANES][BLOCK];
    const lethe_blake2b_key *keys[LANES];
    uint64_t n[LANES]; /* bytes, those of the key counted */
    row h[8];
} lanes;

/* The words of all lanes come together here, one row each, and nowhere in memory before. */
#define LANES_COMPRESS(l)                                                                          \
    do {                                                                                           \
        row m[WORDS], *h = (l)->h, t = {(l)->n[0], (l)->n[1], (l)->n[2], (l)->n[3]};               \
        const row last = ~(t ^ t);                                                                 \
        for (size_t i = 0; i < WORDS; i++)                                                         \
            m[i] = (row){load64((l)->blocks[0] + 8 * i), load64((l)->blocks[1] + 8 * i),           \
                         load64((l)->blocks[2] + 8 * i), load64((l)->blocks[3] + 8 * i)};          \
        for (size_t i = 0; i < 8; i++)                                                             \
            h[i] = (row){(l)->keys[0]->h[i], (l)->keys[1]->h[i], (l)->keys[2]->h[i],               \
                         (l)->keys[3]->h[i]};                                                      \
        F(row, h, m, t, last);                                                                     \
    } while (0)

static void lanes_compress(lanes *l) { LANES_COMPRESS(l); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void lanes_compress_avx2(lanes *l) { LANES_COMPRESS(l); }
#endif

void lethe_blake2b_mac_4(const lethe_blake2b_key *const k[LANES], const lethe_str message[LANES],
                         uint8_t out[LANES][32])
{
    lanes l;
    for (size_t lane = 0; lane < LANES; lane++) {
        size_t n = message[lane].n;
        assert(n > 0 && n <= BLOCK);
        memcpy(l.blocks[lane], message[lane].at, n);
        memset(l.blocks[lane] + n, 0, BLOCK - n);
        l.keys[lane] = k[lane];
        l.n[lane] = BLOCK + n;
    }
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        lanes_compress_avx2(&l);
    else
#endif
        lanes_compress(&l);
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t h[4];
        for (size_t i = 0; i < 4; i++)
            h[i] = le64(l.h[i][lane]);
        memcpy(out[lane], h, sizeof h);
    }
    sodium_memzero(l.h, sizeof l.h);
}
