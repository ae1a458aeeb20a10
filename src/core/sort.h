/* SPDX-License-Identifier: Apache-2.0 */
/* sort.h - numbers and strings in ascending order: comparators for qsort, sorts, and a search. */
#ifndef LETHE_CORE_SORT_H
#define LETHE_CORE_SORT_H
#include "core/base.h"
#include <stdlib.h>

/* Comparators for qsort and bsearch, of uint32_t, uint64_t and lethe_str (by bytes). */
static inline int lethe_u32_cmp(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}
static inline int lethe_u64_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}
static inline int lethe_strs_cmp(const void *a, const void *b)
{
    return lethe_str_cmp(*(const lethe_str *)a, *(const lethe_str *)b);
}

/* In place, with no memory of its own and no input that is slow. */
void lethe_sort_u32(uint32_t *at, size_t n);

/* The first of at[0..n-1], ascending, that is not below `x`; n: none.  From the front with growing
 * steps: the logarithm of how far it is. */
static inline size_t lethe_gallop(const uint32_t *at, size_t n, uint32_t x)
{
    size_t step = 1, lo = 0, hi;
    while (step <= n && at[step - 1] < x) {
        lo = step;
        step *= 2;
    }
    hi = step <= n ? step - 1 : n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (at[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

#endif
