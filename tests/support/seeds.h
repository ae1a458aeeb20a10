/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.h - how many random cases a property test tries.
 * `make check` tries a representative part of them, a smaller one under a sanitizer, and `make
 * check-long`, which sets LETHE_LONG, all of them.  Cases are numbered from the same start, so each
 * run of `make check` tries the same ones. */
#ifndef LETHE_TESTS_SEEDS_H
#define LETHE_TESTS_SEEDS_H
#include "sanitized.h"
#include <stdint.h>
#include <stdlib.h>

/* The number of cases to try, of `all` that there are: never fewer than 10 unless `all` is smaller.
 */
static inline uint64_t seeds(uint64_t all)
{
    static uint64_t share;
    if (share == 0) share = getenv("LETHE_LONG") ? 1 : SANITIZED ? 12 : 4;
    return all <= 10 ? all : all / share > 10 ? all / share : 10;
}

#endif
