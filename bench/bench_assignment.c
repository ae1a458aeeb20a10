/* SPDX-License-Identifier: Apache-2.0 */
/* bench_assignment.c - How many matchings a second, against the textbook's Hungarian algorithm?
 *
 *   bench_assignment [SECONDS]
 *
 * Problems of 3, 8, 30 and 300 terms a side, of which one pair in three may be matched at a
 * distance of 0 to 6, as terms of vocabularies within epsilon 6 are.  The yardstick is the O(n^3)
 * algorithm with potentials on the full matrix, pairs that may not be at a price over all others.
 * One JSON line a size, processor time: matchings a second with the tie rule, prices alone, prices
 * under the bound of the least seen so far (as a nearest search asks), greedy ones, the textbook's;
 * all of them must agree on the price. */
#include "algo/match/assignment.h"
#include "core/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 300, PROBLEMS = 64, EPSILON = 6 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_assignment: %s failed\n", what);
    exit(4);
}

static uint64_t mix(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* --- the textbook --- */

typedef struct matrix {
    uint32_t n;
    int64_t big; /* of a pair that may not be */
    int64_t *at; /* n * n */
} matrix;

/* The least sum of a perfect matching: rows one after the other, columns scanned each time. */
static int64_t textbook(const matrix *m)
{
    static int64_t u[MOST + 1], v[MOST + 1], least[MOST + 1];
    static uint32_t owner[MOST + 1], way[MOST + 1];
    static bool used[MOST + 1];
    uint32_t n = m->n;
    for (uint32_t j = 0; j <= n; j++)
        u[j] = v[j] = owner[j] = 0;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t j0 = 0;
        owner[0] = i;
        for (uint32_t j = 0; j <= n; j++) {
            least[j] = INT64_MAX;
            used[j] = false;
        }
        do {
            uint32_t i0 = owner[j0], j1 = 0;
            int64_t delta = INT64_MAX;
            used[j0] = true;
            for (uint32_t j = 1; j <= n; j++) {
                if (used[j]) continue;
                int64_t d = m->at[(i0 - 1) * n + j - 1] - u[i0] - v[j];
                if (d < least[j]) {
                    least[j] = d;
                    way[j] = j0;
                }
                if (least[j] < delta) {
                    delta = least[j];
                    j1 = j;
                }
            }
            for (uint32_t j = 0; j <= n; j++) {
                if (used[j]) {
                    u[owner[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            j0 = j1;
        } while (owner[j0] != 0);
        for (; j0; j0 = way[j0])
            owner[j0] = owner[way[j0]];
    }
    return -v[0];
}

/* --- problems --- */

typedef struct problem {
    lethe_assign_pairs pairs;
    matrix matrix;
} problem;

static problem draw(uint64_t *seed, uint32_t n)
{
    lethe_assign_pair *list = malloc((size_t)n * n * sizeof *list);
    problem p = {{n, n, 0, list}, {n, (int64_t)n * (EPSILON + 1) + 1, NULL}};
    p.matrix.at = malloc((size_t)n * n * sizeof *p.matrix.at);
    need(list && p.matrix.at, "memory");
    for (uint32_t i = 0; i < n * n; i++) {
        bool may = mix(seed) % 3 == 0;
        uint64_t w = mix(seed) % (EPSILON + 1);
        p.matrix.at[i] = may ? (int64_t)w : p.matrix.big;
        if (may) list[p.pairs.n++] = (lethe_assign_pair){i / n, i % n, w};
    }
    return p;
}

/* --- what is measured --- */

enum { EXACT, PRICE, BOUNDED, GREEDY, TEXTBOOK, WAYS };

static lethe_assigner *work;
static const lethe_assign_omega over = {.kind = LETHE_ASSIGN_OMEGA_OVER};
static lethe_assign_cost least; /* BOUNDED: so far */

/* One problem, one way; returns the price, in the textbook's terms. */
static int64_t once(const problem *p, int way)
{
    static uint32_t to[MOST];
    uint32_t n = p->pairs.n_left;
    lethe_assign_matching m = {0};
    lethe_assign_cost price = {0};
    bool within = true;
    switch (way) {
    case EXACT:
        need(lethe_assign(work, &p->pairs, over, to, &m) == LETHE_OK, "assign");
        price = lethe_assign_cost_of(over, n, n, m);
        break;
    case GREEDY:
        need(lethe_assign_greedy(work, &p->pairs, to, &m) == LETHE_OK, "greedy");
        price = lethe_assign_cost_of(over, n, n, m);
        break;
    case TEXTBOOK:
        return textbook(&p->matrix);
    default:
        need(lethe_assign_price(work, &p->pairs, over, way == PRICE ? LETHE_ASSIGN_COST_ANY : least,
                                &price, &within) == LETHE_OK,
             "price");
        if (way == BOUNDED && within) least = price;
    }
    return within ? (int64_t)(price.unmatched / 2) * p->matrix.big + (int64_t)price.weight : -1;
}

static double per_second(const problem *p, int way, double seconds)
{
    double begin = now_s(), passed = 0;
    uint64_t done = 0;
    least = LETHE_ASSIGN_COST_ANY;
    for (; passed < seconds; passed = now_s() - begin, done += PROBLEMS)
        for (size_t i = 0; i < PROBLEMS; i++)
            once(&p[i], way);
    return (double)done / passed;
}

static void measure(uint32_t n, double seconds)
{
    uint64_t seed = n;
    problem p[PROBLEMS];
    double rate[WAYS];
    for (size_t i = 0; i < PROBLEMS; i++) {
        p[i] = draw(&seed, n);
        int64_t want = once(&p[i], TEXTBOOK);
        need(once(&p[i], EXACT) == want && once(&p[i], PRICE) == want, "agreement");
        need(once(&p[i], GREEDY) >= want, "greedy's price");
    }
    for (int way = 0; way < WAYS; way++)
        rate[way] = per_second(p, way, seconds);
    printf("{\"bench\":\"assignment\",\"terms\":%" PRIu32 ",\"exact_per_s\":%.0f,"
           "\"price_per_s\":%.0f,\"bounded_per_s\":%.0f,\"greedy_per_s\":%.0f,"
           "\"textbook_per_s\":%.0f,\"exact_ratio\":%.2f,\"price_ratio\":%.2f}\n",
           n, rate[EXACT], rate[PRICE], rate[BOUNDED], rate[GREEDY], rate[TEXTBOOK],
           rate[EXACT] / rate[TEXTBOOK], rate[PRICE] / rate[TEXTBOOK]);
    for (size_t i = 0; i < PROBLEMS; i++) {
        free((void *)p[i].pairs.at);
        free(p[i].matrix.at);
    }
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {3, 8, 30, 300};
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    work = lethe_assigner_new();
    need(work != NULL, "memory");
    for (size_t i = 0; i < LETHE_COUNT(sizes); i++)
        measure(sizes[i], seconds);
    lethe_assigner_free(work);
    return 0;
}
