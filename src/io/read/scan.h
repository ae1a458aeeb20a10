/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - where two given bytes occur in 64 bytes, as the bits of one word: bit i for byte i.
 * Three ways give the same word: SWAR for any machine, SSE2, and AVX2 (only for functions marked
 * LETHE_AVX2, which are called only where lethe_simd_best() says so). */
#ifndef LETHE_IO_READ_SCAN_H
#define LETHE_IO_READ_SCAN_H
#include "core/base.h"

enum { LETHE_WINDOW = 64 };

/* --- any machine: eight bytes in a word --- */

#define LETHE_ONES UINT64_C(0x0101010101010101)
#define LETHE_LOW7 UINT64_C(0x7f7f7f7f7f7f7f7f)

/* 0x80 in each byte of x that is zero, exactly: no carry leaves its byte. */
static inline uint64_t lethe_zero_bytes(uint64_t x)
{
    return ~(((x & LETHE_LOW7) + LETHE_LOW7) | x | LETHE_LOW7);
}

static inline uint64_t lethe_word_at(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

static inline uint64_t lethe_scan_swar(const char *p, char a, char b)
{
    uint64_t as = LETHE_ONES * (uint8_t)a, bs = LETHE_ONES * (uint8_t)b, mask = 0;
    for (int i = 0; i < LETHE_WINDOW; i += 8) {
        uint64_t w = lethe_word_at(p + i);
        uint64_t hit = (lethe_zero_bytes(w ^ as) | lethe_zero_bytes(w ^ bs)) >> 7;
        // The product gathers the eight low bits in the top byte, in order.
        mask |= (hit * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return mask;
}

/* --- x86-64 --- */

#if defined(__x86_64__)
#include <immintrin.h>
#define LETHE_HAVE_SSE2 1
#define LETHE_AVX2 __attribute__((target("avx2,bmi,popcnt")))

static inline uint64_t lethe_scan_sse2(const char *p, char a, char b)
{
    const __m128i as = _mm_set1_epi8(a), bs = _mm_set1_epi8(b);
    uint64_t mask = 0;
    for (int i = 0; i < LETHE_WINDOW; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, as), _mm_cmpeq_epi8(v, bs));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(hit) << i;
    }
    return mask;
}

LETHE_AVX2 static inline uint64_t lethe_scan_avx2(const char *p, char a, char b)
{
    const __m256i as = _mm256_set1_epi8(a), bs = _mm256_set1_epi8(b);
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i w = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    __m256i x = _mm256_or_si256(_mm256_cmpeq_epi8(v, as), _mm256_cmpeq_epi8(v, bs));
    __m256i y = _mm256_or_si256(_mm256_cmpeq_epi8(w, as), _mm256_cmpeq_epi8(w, bs));
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(x) | (uint64_t)(uint32_t)_mm256_movemask_epi8(y)
                                                             << 32;
}
#endif

/* --- the best that every build has --- */

static inline uint64_t lethe_scan(const char *p, char a, char b)
{
#ifdef LETHE_HAVE_SSE2
    return lethe_scan_sse2(p, a, b);
#else
    return lethe_scan_swar(p, a, b);
#endif
}

/* The same for the last n < 64 bytes of a text: nothing after them is read. */
static inline uint64_t lethe_scan_tail(const char *p, size_t n, char a, char b)
{
    char window[LETHE_WINDOW] = {0};
    memcpy(window, p, n);
    return lethe_scan(window, a, b) & ((UINT64_C(1) << n) - 1);
}

#endif
