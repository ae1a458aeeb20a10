/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - what the targets beside it have in common. */
#ifndef LETHE_TESTS_FUZZ_H
#define LETHE_TESTS_FUZZ_H
#include "core/ctx.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Not assert(): these must be looked at in every build. */
#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "does not hold: %s\n", #what);                                         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
