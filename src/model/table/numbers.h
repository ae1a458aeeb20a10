/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - numbers of a table's columns, exact, and ranges from one of them to another. */
#ifndef LETHE_MODEL_TABLE_NUMBERS_H
#define LETHE_MODEL_TABLE_NUMBERS_H
#include "core/base.h"

/* whole + nano / 10^9: so the whole part is rounded down, also below zero. */
typedef struct lethe_number {
    int64_t whole;
    uint32_t nano;
} lethe_number;
/* The greatest, and less its sign the least. */
#define LETHE_NUMBER_LIMIT INT64_C(1000000000000000)

/* Digits, perhaps after a minus, perhaps a point and at most nine more. */
bool lethe_number_parse(lethe_str s, lethe_number *out);
/* The shortest way to write it: one number has one text. */
enum { LETHE_NUMBER_TEXT = 32 };
size_t lethe_number_print(lethe_number x, char out[LETHE_NUMBER_TEXT]);

#endif
