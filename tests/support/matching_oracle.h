/* SPDX-License-Identifier: Apache-2.0 */
/* matching_oracle.h - matchings by trying all of them, straight from the definitions. */
#ifndef LETHE_TESTS_MATCHING_ORACLE_H
#define LETHE_TESTS_MATCHING_ORACLE_H
#include "algo/match/assignment.h"
#include <stdio.h>

enum { MO_SIDE = 12, MO_NO = -1 };

static inline uint64_t mo_mix(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline uint32_t mo_below(uint64_t *seed, uint32_t n) { return (uint32_t)(mo_mix(seed) % n); }

/* A problem as a matrix; MO_NO where a pair may not be. */
typedef struct mo_problem {
    uint32_t n_left, n_right;
    int64_t weight[MO_SIDE][MO_SIDE];
    lethe_assign_pair list[MO_SIDE * MO_SIDE];
    lethe_assign_pairs pairs;
} mo_problem;

static inline void mo_list(mo_problem *p)
{
    size_t n = 0;
    for (uint32_t l = 0; l < p->n_left; l++)
        for (uint32_t r = 0; r < p->n_right; r++)
            if (p->weight[l][r] != MO_NO)
                p->list[n++] = (lethe_assign_pair){l, r, (uint64_t)p->weight[l][r]};
    p->pairs = (lethe_assign_pairs){p->n_left, p->n_right, n, p->list};
}

/* `density` of 8 pairs may be; weights below `most`, times `scale`. */
static inline void mo_draw(uint64_t *seed, mo_problem *p, uint32_t n_left, uint32_t n_right,
                           uint32_t density, uint32_t most, int64_t scale)
{
    p->n_left = n_left;
    p->n_right = n_right;
    for (uint32_t l = 0; l < n_left; l++)
        for (uint32_t r = 0; r < n_right; r++)
            p->weight[l][r] =
                mo_below(seed, 8) < density ? (int64_t)mo_below(seed, most) * scale : MO_NO;
    mo_list(p);
}

typedef struct mo_best {
    const mo_problem *p;
    lethe_assign_omega omega;
    uint32_t now[MO_SIDE], to[MO_SIDE];
    bool taken[MO_SIDE], any;
    int64_t unmatched, weight; /* of the best */
} mo_best;

/* The cost of a whole matching: model 2 counts omega in, the others the unmatched first. */
static inline void mo_try(mo_best *b)
{
    int64_t unmatched = 0, weight = 0, matched = 0;
    for (uint32_t l = 0; l < b->p->n_left; l++) {
        if (b->now[l] == LETHE_NONE) continue;
        weight += b->p->weight[l][b->now[l]];
        matched++;
    }
    unmatched = (int64_t)b->p->n_left + (int64_t)b->p->n_right - 2 * matched;
    if (b->omega.kind == LETHE_ASSIGN_OMEGA_IS) {
        weight += unmatched * (int64_t)b->omega.value;
        unmatched = 0;
    }
    if (b->any && (unmatched > b->unmatched || (unmatched == b->unmatched && weight >= b->weight)))
        return;
    b->any = true;
    b->unmatched = unmatched;
    b->weight = weight;
    memcpy(b->to, b->now, sizeof b->to);
}

/* In lexicographic order, nobody last: of equals the first one stays. */
static inline void mo_search(mo_best *b, uint32_t l)
{
    if (l == b->p->n_left) {
        mo_try(b);
        return;
    }
    for (uint32_t r = 0; r < b->p->n_right; r++) {
        if (b->taken[r] || b->p->weight[l][r] == MO_NO) continue;
        b->taken[r] = true;
        b->now[l] = r;
        mo_search(b, l + 1);
        b->taken[r] = false;
    }
    b->now[l] = LETHE_NONE;
    mo_search(b, l + 1);
}

static inline mo_best mo_solve(const mo_problem *p, lethe_assign_omega omega)
{
    mo_best b = {.p = p, .omega = omega};
    mo_search(&b, 0);
    return b;
}

static inline lethe_assign_cost mo_price(const mo_best *b)
{
    uint64_t unmatched = b->omega.kind == LETHE_ASSIGN_OMEGA_OVER ? (uint64_t)b->unmatched : 0;
    return (lethe_assign_cost){unmatched, (uint64_t)b->weight};
}

static inline void mo_print(const mo_problem *p)
{
    for (uint32_t l = 0; l < p->n_left; l++, fputc('\n', stderr))
        for (uint32_t r = 0; r < p->n_right; r++)
            fprintf(stderr, " %lld", (long long)p->weight[l][r]);
}

#endif
