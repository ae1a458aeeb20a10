/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - seconds of the monotonic clock, for limits and for figures of time. */
#ifndef LETHE_CORE_CLOCK_H
#define LETHE_CORE_CLOCK_H
#include <time.h>

static inline double lethe_clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
