/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - UTF-8 one code point at a time, and scans that ASCII passes sixteen bytes at once. */
#ifndef LETHE_TEXT_UTF8_H
#define LETHE_TEXT_UTF8_H
#include "core/base.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LETHE_REPLACEMENT 0xFFFDu

/* The code point at `p` < `end` and how many bytes it takes.  Where they are not valid UTF-8: *cp
 * is LETHE_REPLACEMENT, *ok false, and the bytes taken are the maximal broken part (Unicode 15.0,
 * section 3.9, "U+FFFD Substitution of Maximal Subparts"). */
size_t lethe_utf8_step(const uint8_t *p, const uint8_t *end, uint32_t *cp, bool *ok);

/* Writes a code point, no surrogate and at most U+10FFFF; returns the bytes taken, at most 4. */
size_t lethe_utf8_put(uint32_t cp, uint8_t *out);

/* Nothing but ASCII, and of the control characters none but tab and DEL?  What most lines of a log
 * are, and what needs no look at its single fields. */
static inline bool lethe_ascii_plain(lethe_str s)
{
    size_t i = 0;
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(0x20), tab = _mm_set1_epi8('\t');
    __m128i bad = _mm_setzero_si128();
    for (; i + 16 <= s.n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s.at + i));
        // compared as signed, so that bytes from 0x80 on count as low
        bad = _mm_or_si128(bad, _mm_andnot_si128(_mm_cmpeq_epi8(v, tab), _mm_cmplt_epi8(v, blank)));
    }
    if (s.n >= 16 && i < s.n) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s.at + s.n - 16));
        bad = _mm_or_si128(bad, _mm_andnot_si128(_mm_cmpeq_epi8(v, tab), _mm_cmplt_epi8(v, blank)));
        i = s.n;
    }
    if (_mm_movemask_epi8(bad) != 0) return false;
#endif
    for (; i < s.n; i++) {
        signed char c = (signed char)s.at[i];
        if (c < 0x20 && c != '\t') return false;
    }
    return true;
}

#endif
