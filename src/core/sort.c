/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - insertion sort for few numbers, heap sort for many: no recursion, no memory, no slow
 * input. */
#include "core/sort.h"

/* Below this an insertion sort is the quickest; above, a heap sort. */
enum { FEW = 32 };

static void sift(uint32_t *at, size_t i, size_t n)
{
    uint32_t x = at[i];
    for (size_t c; (c = 2 * i + 1) < n; i = c) {
        if (c + 1 < n && at[c + 1] > at[c]) c++;
        if (at[c] <= x) break;
        at[i] = at[c];
    }
    at[i] = x;
}

static void sort_heap(uint32_t *at, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(at, i, n);
    while (n > 1) {
        uint32_t last = at[--n];
        at[n] = at[0];
        at[0] = last;
        sift(at, 0, n);
    }
}

void lethe_sort_u32(uint32_t *at, size_t n)
{
    if (n > FEW) {
        sort_heap(at, n);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        uint32_t x = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1] > x; j--)
            at[j] = at[j - 1];
        at[j] = x;
    }
}
