/* SPDX-License-Identifier: Apache-2.0 */
/* diversity_oracle.h - the definitions of t-closeness, entropy and recursive diversity once more,
 * by brute force: the earth mover's distance as a flow of least cost over a matrix of distances,
 * entropy as a comparison of whole numbers of any length. */
#ifndef LETHE_TESTS_DIVERSITY_ORACLE_H
#define LETHE_TESTS_DIVERSITY_ORACLE_H
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* --- the earth mover's distance --- */

enum { DO_VALUES = 8, DO_NODES = 2 * DO_VALUES + 2 };

/* The least cost of moving `have` to where it becomes `want` (sums are equal), where moving one
 * unit from i to k costs distance[i][k]: paths of least cost are filled one after the other. */
static inline uint64_t do_move(size_t n, const uint64_t *have, const uint64_t *want,
                               uint64_t distance[DO_VALUES][DO_VALUES])
{
    int64_t room[DO_NODES][DO_NODES] = {{0}}, cost[DO_NODES][DO_NODES] = {{0}};
    size_t source = 2 * n, sink = 2 * n + 1, nodes = 2 * n + 2;
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        room[source][i] = (int64_t)have[i];
        room[n + i][sink] = (int64_t)want[i];
        for (size_t k = 0; k < n; k++) {
            room[i][n + k] = INT64_MAX / 4;
            cost[i][n + k] = (int64_t)distance[i][k];
            cost[n + k][i] = -(int64_t)distance[i][k];
        }
    }
    for (;;) {
        int64_t far[DO_NODES];
        size_t from[DO_NODES];
        for (size_t v = 0; v < nodes; v++)
            far[v] = v == source ? 0 : INT64_MAX / 2;
        for (size_t round = 0; round < nodes; round++)
            for (size_t u = 0; u < nodes; u++)
                for (size_t v = 0; v < nodes; v++)
                    if (room[u][v] > 0 && far[u] < INT64_MAX / 2 && far[u] + cost[u][v] < far[v]) {
                        far[v] = far[u] + cost[u][v];
                        from[v] = u;
                    }
        if (far[sink] == INT64_MAX / 2) return total;
        int64_t most = INT64_MAX;
        for (size_t v = sink; v != source; v = from[v])
            if (room[from[v]][v] < most) most = room[from[v]][v];
        for (size_t v = sink; v != source; v = from[v]) {
            room[from[v]][v] -= most;
            room[v][from[v]] += most;
        }
        total += (uint64_t)most * (uint64_t)far[sink];
    }
}

/* The same for a group with counts `mine` of a table with counts `all`: *of is what it is a share
 * of, if the largest distance there could be is `scale`. */
static inline uint64_t do_distance(size_t n, const uint64_t *mine, const uint64_t *all,
                                   uint64_t distance[DO_VALUES][DO_VALUES], uint64_t scale,
                                   uint64_t *of)
{
    uint64_t have[DO_VALUES], want[DO_VALUES], rows = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        rows += mine[i];
        total += all[i];
    }
    for (size_t i = 0; i < n; i++) {
        have[i] = mine[i] * total;
        want[i] = all[i] * rows;
    }
    *of = rows * total * (scale ? scale : 1);
    return do_move(n, have, want, distance);
}

/* --- entropy --- */

enum { DO_LIMBS = 256 };
typedef struct do_big {
    uint32_t limb[DO_LIMBS];
} do_big;

static inline void do_times(do_big *b, uint32_t by)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < DO_LIMBS; i++) {
        carry += (uint64_t)b->limb[i] * by;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert(carry == 0);
}

/* For a factor of up to 62 bits whose halves of 31 bits are multiplied one after the other. */
static inline void do_times_long(do_big *b, uint64_t by)
{
    do_big high = *b;
    uint64_t carry = 0;
    do_times(b, (uint32_t)(by & 0x7fffffff));
    do_times(&high, (uint32_t)(by >> 31));
    do_times(&high, UINT32_C(1) << 31);
    for (size_t i = 0; i < DO_LIMBS; i++) {
        carry += (uint64_t)b->limb[i] + high.limb[i];
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert(carry == 0);
}

static inline int do_compare(const do_big *a, const do_big *b)
{
    for (size_t i = DO_LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* (n den)^n compared with num^n c1^c1 c2^c2 ...: -1, 0 or 1. */
static inline int do_entropy(const uint64_t *count, size_t n, uint64_t num, uint64_t den)
{
    static do_big left, right;
    uint64_t rows = 0;
    memset(&left, 0, sizeof left);
    memset(&right, 0, sizeof right);
    left.limb[0] = right.limb[0] = 1;
    for (size_t i = 0; i < n; i++)
        rows += count[i];
    for (uint64_t r = 0; r < rows; r++) {
        do_times_long(&left, den);
        do_times_long(&left, rows);
        do_times_long(&right, num);
    }
    for (size_t i = 0; i < n; i++)
        for (uint64_t r = 0; r < count[i]; r++)
            do_times_long(&right, count[i]);
    return do_compare(&left, &right);
}

/* --- recursive diversity --- */

/* The largest count is taken away l - 1 times; what is left counts c times. */
static inline bool do_recursive(const uint64_t *count, size_t n, uint64_t num, uint64_t den,
                                uint64_t l)
{
    uint64_t left[64], most = 0, rest = 0;
    assert(n <= 64);
    for (size_t i = 0; i < n; i++) {
        left[i] = count[i];
        if (count[i] > most) most = count[i];
    }
    for (uint64_t taken = 1; taken < l && taken <= n; taken++) {
        size_t at = 0;
        for (size_t i = 0; i < n; i++)
            if (left[i] > left[at]) at = i;
        left[at] = 0;
    }
    for (size_t i = 0; i < n; i++)
        rest += left[i];
    return most * den < num * rest;
}

#endif
