/* SPDX-License-Identifier: Apache-2.0 */
/* decimals.h - which mark stands before the decimals of a column. */
#ifndef LETHE_MODEL_TABLE_DECIMALS_H
#define LETHE_MODEL_TABLE_DECIMALS_H
#include "model/table/numbers.h"

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
