/* SPDX-License-Identifier: Apache-2.0 */
/* most_pairs.h - how many pairs of rows and columns there can be, each in one pair: the size of a
 * largest bipartite matching, without weights, on sets of bits.
 *
 * Shortest augmenting paths (H. W. Kuhn, "The Hungarian Method for the Assignment Problem", 1955):
 * where there are many pairs, most rows find a free column at once.  What a search without a result
 * has met is of no use to later ones, and not met again.  At worst O(rows^2 columns / 64). */
#ifndef LETHE_ALGO_MATCH_MOST_PAIRS_H
#define LETHE_ALGO_MATCH_MOST_PAIRS_H
#include "core/dict.h"

enum { LETHE_BITS_WORD = 64 };
static inline size_t lethe_bits_words(size_t n)
{
    return (n + LETHE_BITS_WORD - 1) / LETHE_BITS_WORD;
}
static inline bool lethe_bits_have(const uint64_t *set, uint32_t i)
{
    return set[i / LETHE_BITS_WORD] >> i % LETHE_BITS_WORD & 1;
}
static inline void lethe_bits_put(uint64_t *set, uint32_t i)
{
    set[i / LETHE_BITS_WORD] |= UINT64_C(1) << i % LETHE_BITS_WORD;
}

/* Working memory for up to so many rows and columns, one per worker.  NULL: no memory. */
typedef struct lethe_most_pairs lethe_most_pairs;
lethe_most_pairs *lethe_most_pairs_new(size_t rows, size_t columns);
void lethe_most_pairs_free(lethe_most_pairs *p); /* NULL is fine */

/* row[i * lethe_bits_words(n_columns) ...]: the columns that row i may be paired with, and no bit
 * from n_columns on. */
uint32_t lethe_most_pairs_of(lethe_most_pairs *p, const uint64_t *row, uint32_t n_rows,
                             uint32_t n_columns);

#endif
