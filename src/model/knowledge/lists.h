/* SPDX-License-Identifier: Apache-2.0 */
/* lists.h - pairs of a key and a value, as they were read, made a list of values for each key. */
#ifndef LETHE_MODEL_KNOWLEDGE_LISTS_H
#define LETHE_MODEL_KNOWLEDGE_LISTS_H
#include "core/base.h"

typedef struct lethe_keyed {
    uint32_t key, value;
} lethe_keyed;

typedef struct lethe_keyed_lists {
    size_t *start;   /* n_keys + 1: key k has value[start[k]] .. value[start[k + 1] - 1] */
    uint32_t *value; /* of a key in the order they came, of equal ones the first */
} lethe_keyed_lists;

/* Keys are below n_keys, values below n_values.  Does not report LETHE_ENOMEM;
 * lethe_keyed_lists_free() in any case. */
LETHE_MUST_CHECK lethe_err lethe_keyed_lists_make(const lethe_keyed *pair, size_t n,
                                                  uint32_t n_keys, uint32_t n_values,
                                                  lethe_keyed_lists *out);
/* The same with equal values kept: the i-th of a key is what came as its i-th. */
LETHE_MUST_CHECK lethe_err lethe_keyed_lists_group(const lethe_keyed *pair, size_t n,
                                                   uint32_t n_keys, lethe_keyed_lists *out);
void lethe_keyed_lists_free(lethe_keyed_lists *l); /* a zeroed one is fine */

#endif
