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

/* Which mark the decimals of a column have.  `3,5` is 3.5 where no number of the column has a
 * point.  What could be thousands (`1,234`) is only taken where another number shows that the comma
 * is none of them (`3,5`, `0,125`). */
typedef struct lethe_decimals {
    uint64_t point_line, comma_line; /* the first of each; 0: none */
    bool sure;                       /* a comma that cannot stand before thousands */
    char comma[LETHE_NUMBER_TEXT];   /* the first with a comma */
} lethe_decimals;
typedef enum lethe_decimals_seen {
    LETHE_DECIMALS_OK,
    LETHE_DECIMALS_MIXED, /* a comma where others have a point, or the other way round, or both */
} lethe_decimals_seen;
/* Takes one value of the column: `*out` is the value, or of a number with a comma the one with a
 * point, in `text`.  What is no number is left as it is. */
lethe_decimals_seen lethe_decimals_take(lethe_decimals *d, uint64_t line, lethe_str value,
                                        char text[LETHE_NUMBER_TEXT], lethe_str *out);
/* After all values: does every comma look like one before thousands? */
bool lethe_decimals_unclear(const lethe_decimals *d);

#endif
