/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and fields by bit masks: 64 bytes are compared at once, and only the bits that are set cost
 * anything.  The mask of the window that a line ends in is kept for the next line. */
#include "io/read/fields.h"
#include "io/read/scan.h"

lethe_simd lethe_simd_best(void)
{
#ifdef LETHE_HAVE_SSE2
    // Read-only after the start of the program: the compiler's runtime asks the CPU once.
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("popcnt"))
        return LETHE_SIMD_AVX2;
    return LETHE_SIMD_SSE2;
#else
    return LETHE_SIMD_NONE;
#endif
}

/* --- counting --- */

static uint64_t count_plain(const char *p, size_t n)
{
    uint64_t lines = 0;
    for (; n >= LETHE_WINDOW; p += LETHE_WINDOW, n -= LETHE_WINDOW)
        lines += (uint64_t)__builtin_popcountll(lethe_scan_swar(p, '\n', '\n'));
    return lines + (uint64_t)__builtin_popcountll(lethe_scan_tail(p, n, '\n', '\n'));
}

#ifdef LETHE_HAVE_SSE2
enum { ROUNDS = 255 }; // a lane of eight bits counts so far

static uint64_t count_sse2(const char *p, size_t n)
{
    const __m128i lf = _mm_set1_epi8('\n'), zero = _mm_setzero_si128();
    uint64_t lines = 0;
    while (n >= 16) {
        size_t rounds = LETHE_MIN(n / 16, (size_t)ROUNDS);
        __m128i lanes = zero;
        for (size_t i = 0; i < rounds; i++, p += 16)
            lanes = _mm_sub_epi8(
                lanes, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), lf));
        __m128i sums = _mm_sad_epu8(lanes, zero);
        lines += (uint64_t)_mm_cvtsi128_si64(sums);
        lines += (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums));
        n -= 16 * rounds;
    }
    return lines + (uint64_t)__builtin_popcountll(lethe_scan_tail(p, n, '\n', '\n'));
}

LETHE_AVX2 static inline __m256i lf_lanes(__m256i lanes, const char *p, __m256i lf)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm256_sub_epi8(lanes, _mm256_cmpeq_epi8(v, lf));
}

LETHE_AVX2 static uint64_t count_avx2(const char *p, size_t n)
{
    const __m256i lf = _mm256_set1_epi8('\n'), zero = _mm256_setzero_si256();
    __m256i sums = zero;
    while (n >= LETHE_WINDOW) {
        size_t rounds = LETHE_MIN(n / LETHE_WINDOW, (size_t)ROUNDS);
        __m256i even = zero, odd = zero;
        for (size_t i = 0; i < rounds; i++, p += LETHE_WINDOW) {
            even = lf_lanes(even, p, lf);
            odd = lf_lanes(odd, p + 32, lf);
        }
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(even, zero));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(odd, zero));
        n -= LETHE_WINDOW * rounds;
    }
    uint64_t four[4];
    _mm256_storeu_si256((__m256i *)(void *)four, sums);
    return four[0] + four[1] + four[2] + four[3] +
           (uint64_t)__builtin_popcountll(lethe_scan_tail(p, n, '\n', '\n'));
}
#endif

uint64_t lethe_count_lines_with(lethe_str text, lethe_simd level)
{
    if (text.n == 0) return 0;
#ifdef LETHE_HAVE_SSE2
    level = LETHE_MIN(level, lethe_simd_best());
    if (level >= LETHE_SIMD_AVX2) return count_avx2(text.at, text.n);
    if (level != LETHE_SIMD_NONE) return count_sse2(text.at, text.n);
#else
    (void)level;
#endif
    return count_plain(text.at, text.n);
}

uint64_t lethe_count_lines(lethe_str text) { return lethe_count_lines_with(text, LETHE_SIMD_AVX2); }

/* --- splitting --- */

/* One mark.  The barrier keeps the compiler from gathering marks in a vector register, which takes
 * longer than storing them one by one. */
#define STORE_ONE(j, trailing_zeros)                                                               \
    do {                                                                                           \
        to[j] = (uint16_t)(o + (uint32_t)(trailing_zeros));                                        \
        mask &= mask - 1;                                                                          \
        __asm__ volatile("" : : : "memory");                                                       \
    } while (0)

/* Eight at a time whether they are there or not: a branch on the number of marks in 64 bytes is
 * hard to predict, and costs more than the stores. */
#define STORE_ALL(trailing_zeros)                                                                  \
    do {                                                                                           \
        STORE_ONE(0, trailing_zeros);                                                              \
        STORE_ONE(1, trailing_zeros);                                                              \
        STORE_ONE(2, trailing_zeros);                                                              \
        STORE_ONE(3, trailing_zeros);                                                              \
        STORE_ONE(4, trailing_zeros);                                                              \
        STORE_ONE(5, trailing_zeros);                                                              \
        STORE_ONE(6, trailing_zeros);                                                              \
        STORE_ONE(7, trailing_zeros);                                                              \
        to += 8;                                                                                   \
    } while (mask)

static inline void store_plain(uint16_t *to, uint64_t mask, uint32_t o)
{
    STORE_ALL(__builtin_ctzll(mask | UINT64_C(1) << 63)); // of 0 it has no answer
}

#define LOOP_NAME mark_plain
#define LOOP_SCAN lethe_scan_swar
#define LOOP_STORE store_plain
#define LOOP_TARGET
#include "io/read/fields_loop.h"

#ifdef LETHE_HAVE_SSE2
#define LOOP_NAME mark_sse2
#define LOOP_SCAN lethe_scan_sse2
#define LOOP_STORE store_plain
#define LOOP_TARGET
#include "io/read/fields_loop.h"

LETHE_AVX2 static inline void store_avx2(uint16_t *to, uint64_t mask, uint32_t o)
{
    STORE_ALL(_tzcnt_u64(mask));
}

#define LOOP_NAME mark_avx2
#define LOOP_SCAN lethe_scan_avx2
#define LOOP_STORE store_avx2
#define LOOP_TARGET LETHE_AVX2
#include "io/read/fields_loop.h"
#endif

static bool (*loop_of(lethe_simd level))(lethe_tsv *)
{
#ifdef LETHE_HAVE_SSE2
    level = LETHE_MIN(level, lethe_simd_best());
    if (level == LETHE_SIMD_AVX2) return mark_avx2;
    if (level != LETHE_SIMD_NONE) return mark_sse2;
#else
    (void)level;
#endif
    return mark_plain;
}

lethe_tsv lethe_tsv_begin_with(lethe_str block, char delimiter, lethe_simd level)
{
    lethe_tsv t; // the marks stay unset: n says how many there are
    t.p = t.base = t.upto = block.n ? block.at : NULL;
    t.end = block.n ? block.at + block.n : NULL;
    t.mark = loop_of(level);
    t.i = t.n = 0;
    t.delimiter = delimiter;
    return t;
}

lethe_tsv lethe_tsv_begin(lethe_str block, char delimiter)
{
    return lethe_tsv_begin_with(block, delimiter, LETHE_SIMD_AVX2);
}
