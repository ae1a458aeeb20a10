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

/* Digits, perhaps after a minus, perhaps a point and at most nine more: "-12.5", also ".5". */
bool lethe_number_parse(lethe_str s, lethe_number *out);
/* The shortest way to write it: one number has one text. */
enum { LETHE_NUMBER_TEXT = 32 };
size_t lethe_number_print(lethe_number x, char out[LETHE_NUMBER_TEXT]);
int lethe_number_cmp(lethe_number x, lethe_number y); /* -1, 0, 1 */
/* x - y, rounded once. */
double lethe_number_minus(lethe_number x, lethe_number y);

/* The numbers from `low` to `high`, both ends within: `34-37`, `-5--3`; of one number: `34`. */
typedef struct lethe_span {
    lethe_number low, high;
} lethe_span;
enum { LETHE_SPAN_TEXT = 2 * LETHE_NUMBER_TEXT };
size_t lethe_span_print(lethe_span s, char out[LETHE_SPAN_TEXT]);
/* false: it is not what lethe_span_print writes. */
bool lethe_span_parse(lethe_str text, lethe_span *out);
bool lethe_span_covers(lethe_span s, lethe_span inner);

#endif
