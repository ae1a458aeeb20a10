/* SPDX-License-Identifier: Apache-2.0 */
/* sketch.c - what sketches have in common.  Coarse ones are in tiles: the bytes of 64 slots stand
 * side by side, bin by bin, so that one user is compared with all of them at once, by as many steps
 * as it has bins that are not empty.  All ways give the same sums. */
#include "method/microagg/group_search_internal.h"
#include "io/read/fields.h" /* lethe_simd_best */

enum { TILE = LETHE_MICROAGG_TILE, SUM_END = LETHE_MICROAGG_SUM_END };

/* --- portable --- */

/* Apart, or the loops are merged into one that is slow. */
__attribute__((noinline)) static void add_row(uint8_t *restrict sum, const uint8_t *restrict row,
                                              uint8_t units)
{
    for (uint32_t s = 0; s < TILE; s++) {
        uint8_t common = row[s] < units ? row[s] : units;
        sum[s] = (uint8_t)(sum[s] + common);
    }
}

/* A run's units sum up to one byte at most, and so does what it has in common with any slot: sums
 * of bytes are what a compiler makes fast. */
static bool common_portable(const lethe_microagg_probe *x, const uint8_t *tile, uint16_t least,
                            uint16_t *out)
{
    memset(out, 0, TILE * sizeof *out);
    for (uint32_t r = 0, i = 0; r < x->n_runs; r++) {
        uint8_t sum[TILE] = {0};
        for (; i < x->end[r]; i++) {
            add_row(sum, tile + x->row[i], (uint8_t)x->units[i]);
        }
        for (uint32_t s = 0; s < TILE; s++)
            out[s] = (uint16_t)(out[s] + sum[s]);
    }
    (void)least;
    return true;
}

static uint64_t at_least_portable(const uint16_t *units, uint16_t least)
{
    uint64_t bits = 0;
    for (uint32_t s = 0; s < TILE; s++)
        bits |= (uint64_t)(units[s] >= least) << s;
    return bits;
}

static void add_portable(const uint16_t *units, uint16_t cap, uint32_t *sum)
{
    for (uint32_t s = 0; s < TILE; s++) {
        uint32_t x = sum[s] + LETHE_MIN(units[s], cap);
        sum[s] = LETHE_MIN(x, (uint32_t)SUM_END);
    }
}

static uint64_t sums_at_least_portable(const uint32_t *sum, uint32_t least)
{
    uint64_t bits = 0;
    for (uint32_t s = 0; s < TILE; s++)
        bits |= (uint64_t)(sum[s] >= least) << s;
    return bits;
}

static uint32_t fine_portable(const uint8_t *a, const uint8_t *b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < LETHE_MICROAGG_FINE; i++)
        sum += LETHE_MIN(a[i], b[i]);
    return sum;
}

/* --- AVX2 --- */

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i load(const void *p) { return _mm256_loadu_si256(p); }

/* Adds 32 bytes to 32 sums of two bytes. */
AVX2 static inline void widen(__m256i bytes, __m256i *sum)
{
    sum[0] = _mm256_add_epi16(sum[0], _mm256_cvtepu8_epi16(_mm256_castsi256_si128(bytes)));
    sum[1] = _mm256_add_epi16(sum[1], _mm256_cvtepu8_epi16(_mm256_extracti128_si256(bytes, 1)));
}

AVX2 static bool common_avx2(const lethe_microagg_probe *x, const uint8_t *tile, uint16_t least,
                             uint16_t *out)
{
    __m256i sum[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                      _mm256_setzero_si256()};
    for (uint32_t r = 0, i = 0; r < x->n_runs; r++) {
        __m256i low = _mm256_setzero_si256(), high = low;
        for (; i < x->end[r]; i++) {
            const uint8_t *row = tile + x->row[i];
            __m256i units = _mm256_set1_epi32((int)x->units[i]);
            low = _mm256_add_epi8(low, _mm256_min_epu8(units, load(row)));
            high = _mm256_add_epi8(high, _mm256_min_epu8(units, load(row + 32)));
        }
        widen(low, sum);
        widen(high, sum + 2);
        if (least > x->after[r]) {
            const __m256i want = _mm256_set1_epi16((short)(uint16_t)(least - x->after[r]));
            __m256i most = _mm256_max_epu16(_mm256_max_epu16(sum[0], sum[1]),
                                            _mm256_max_epu16(sum[2], sum[3]));
            __m256i near = _mm256_cmpeq_epi16(_mm256_max_epu16(most, want), most);
            if (_mm256_testz_si256(near, near)) return false;
        }
    }
    for (uint32_t i = 0; i < 4; i++)
        _mm256_storeu_si256((__m256i *)(void *)(out + (size_t)16 * i), sum[i]);
    return true;
}

AVX2 static uint64_t at_least_avx2(const uint16_t *units, uint16_t least)
{
    __m256i want = _mm256_set1_epi16((short)least);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 2; i++) {
        __m256i x = load(units + (size_t)32 * i), y = load(units + (size_t)32 * i + 16);
        x = _mm256_cmpeq_epi16(_mm256_max_epu16(x, want), x);
        y = _mm256_cmpeq_epi16(_mm256_max_epu16(y, want), y);
        __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(x, y), 0xd8);
        bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(both) << 32 * i;
    }
    return bits;
}

AVX2 static void add_avx2(const uint16_t *units, uint16_t cap, uint32_t *sum)
{
    const __m256i most = _mm256_set1_epi32(cap), end = _mm256_set1_epi32(SUM_END);
    for (uint32_t i = 0; i < TILE; i += 8) {
        __m256i x = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(units + i)));
        x = _mm256_add_epi32(load(sum + i), _mm256_min_epu32(x, most));
        _mm256_storeu_si256((__m256i *)(void *)(sum + i), _mm256_min_epu32(x, end));
    }
}

AVX2 static uint64_t sums_at_least_avx2(const uint32_t *sum, uint32_t least)
{
    const __m256i want = _mm256_set1_epi32((int)least);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < TILE; i += 8) {
        __m256i x = load(sum + i);
        x = _mm256_cmpeq_epi32(_mm256_max_epu32(x, want), x);
        bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(x)) << i;
    }
    return bits;
}

AVX2 static uint32_t fine_avx2(const uint8_t *a, const uint8_t *b)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i even = zero, odd = zero;
    for (uint32_t i = 0; i < LETHE_MICROAGG_FINE; i += 64) {
        __m256i x = _mm256_min_epu8(load(a + i), load(b + i));
        __m256i y = _mm256_min_epu8(load(a + i + 32), load(b + i + 32));
        even = _mm256_add_epi64(even, _mm256_sad_epu8(x, zero));
        odd = _mm256_add_epi64(odd, _mm256_sad_epu8(y, zero));
    }
    even = _mm256_add_epi64(even, odd);
    __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1));
    return (uint32_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_srli_si128(sum, 8)));
}

/* --- AVX-512 --- */

#define AVX512 __attribute__((target("avx512f,avx512bw")))

AVX512 static bool common_avx512(const lethe_microagg_probe *x, const uint8_t *tile, uint16_t least,
                                 uint16_t *out)
{
    __m512i low = _mm512_setzero_si512(), high = low;
    for (uint32_t r = 0, i = 0; r < x->n_runs; r++) {
        __m512i sum = _mm512_setzero_si512();
        for (; i < x->end[r]; i++) {
            __m512i row = _mm512_loadu_si512(tile + x->row[i]);
            __m512i units = _mm512_set1_epi32((int)x->units[i]);
            sum = _mm512_add_epi8(sum, _mm512_min_epu8(units, row));
        }
        low = _mm512_add_epi16(low, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(sum)));
        high = _mm512_add_epi16(high, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(sum, 1)));
        if (least > x->after[r]) {
            const __m512i want = _mm512_set1_epi16((short)(uint16_t)(least - x->after[r]));
            if (_mm512_cmpge_epu16_mask(_mm512_max_epu16(low, high), want) == 0) return false;
        }
    }
    _mm512_storeu_si512(out, low);
    _mm512_storeu_si512(out + 32, high);
    return true;
}

AVX512 static uint32_t fine_avx512(const uint8_t *a, const uint8_t *b)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i sum = zero;
    for (uint32_t i = 0; i < LETHE_MICROAGG_FINE; i += 64) {
        __m512i x = _mm512_min_epu8(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(x, zero));
    }
    return (uint32_t)_mm512_reduce_add_epi64(sum);
}

#define CHOOSE(simd, name, ...)                                                                    \
    ((simd) == LETHE_MICROAGG_PLAIN ? name##_portable(__VA_ARGS__) : name##_avx2(__VA_ARGS__))
#define CHOOSE_WIDE(simd, name, ...)                                                               \
    ((simd) == LETHE_MICROAGG_AVX512 ? name##_avx512(__VA_ARGS__) : CHOOSE(simd, name, __VA_ARGS__))

lethe_microagg_simd lethe_microagg_simd_best(void)
{
    if (lethe_simd_best() < LETHE_SIMD_AVX2) return LETHE_MICROAGG_PLAIN;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
    return wide ? LETHE_MICROAGG_AVX512 : LETHE_MICROAGG_AVX2;
}
#else
#define CHOOSE(simd, name, ...) ((void)(simd), name##_portable(__VA_ARGS__))
#define CHOOSE_WIDE CHOOSE

lethe_microagg_simd lethe_microagg_simd_best(void) { return LETHE_MICROAGG_PLAIN; }
#endif

bool lethe_microagg_tile_common(lethe_microagg_simd simd, const lethe_microagg_probe *x,
                                const uint8_t *tile, uint16_t least, uint16_t *out)
{
    return CHOOSE_WIDE(simd, common, x, tile, least, out);
}

uint64_t lethe_microagg_tile_at_least(lethe_microagg_simd simd, const uint16_t *units,
                                      uint16_t least)
{
    return CHOOSE(simd, at_least, units, least);
}

void lethe_microagg_tile_add(lethe_microagg_simd simd, const uint16_t *units, uint16_t cap,
                             uint32_t *sum)
{
    CHOOSE(simd, add, units, cap, sum);
}

uint64_t lethe_microagg_tile_sums_at_least(lethe_microagg_simd simd, const uint32_t *sum,
                                           uint32_t least)
{
    return CHOOSE(simd, sums_at_least, sum, least);
}

uint32_t lethe_microagg_fine_common(lethe_microagg_simd simd, const uint8_t *a, const uint8_t *b)
{
    return CHOOSE_WIDE(simd, fine, a, b);
}
