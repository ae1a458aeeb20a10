/* sorted.h - numbers in ascending order: made so, and found in. */
#ifndef LETHE_CORE_SORT_H
#define LETHE_CORE_SORT_H
#include <stddef.h>
#include <stdint.h>

/* In place, with no memory of its own and no input that is slow. */
void lethe_sort_numbers(uint32_t *at, size_t n);

/* The first of at[0..n-1], ascending, that is not below `x`; n: none.  From the front with growing
 * steps: the logarithm of how far it is. */
static inline size_t lethe_reach(const uint32_t *at, size_t n, uint32_t x)
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
