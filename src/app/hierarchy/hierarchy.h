/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy.h - a hierarchy made from the values of a column: what its files share; nobody else
 * includes it.
 *
 *   hierarchy.c          the command: reads the column, writes the file
 *   hierarchy_kind.c     what a column looks like
 *   hierarchy_numbers.c  ranges of numbers
 *   hierarchy_dates.c    days, months, years and decades
 *   hierarchy_codes.c    prefixes of codes, and groups from a list */
#ifndef LETHE_APP_HIERARCHY_HIERARCHY_H
#define LETHE_APP_HIERARCHY_HIERARCHY_H
#include "core/mem.h"
#include "release/release.h"

/* The distinct values of a column, missing ones aside. */
typedef struct lethe_column_values {
    lethe_ctx *ctx;
    lethe_arena *arena;
    lethe_str name; /* of the column */
    size_t n;
    const lethe_str *at;
    const uint64_t *row; /* the first that has it, from 1, header aside */
} lethe_column_values;

/* Each leaf with what stands above it: `n_levels` labels, the root `*` aside.  All in the arena of
 * the column. */
typedef struct lethe_ladders {
    size_t n, n_levels;
    lethe_str *leaf;  /* in the order in which they are written */
    lethe_str *label; /* of leaf i: label[i * n_levels] and on, the lowest first */
    const char *told; /* what was made, for the user */
} lethe_ladders;

/* Room for them; reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_ladders_new(const lethe_column_values *c, size_t n,
                                             size_t n_levels, lethe_ladders *out);
/* A text in the arena of the column; at = NULL: no memory. */
LETHE_PRINTF(2, 3) lethe_str lethe_ladders_text(const lethe_column_values *c, const char *fmt, ...);
/* LETHE_EINPUT: a value is not as it must be; `fault` follows the value: "is not a number". */
LETHE_MUST_CHECK lethe_err lethe_value_fail(const lethe_column_values *c, size_t i,
                                            const char *fault);

/* What the column looks like, where nothing says which kind. */
lethe_hierarchy_kind lethe_kind_guess(const lethe_column_values *c);

/* Ranges: widths as the user gave them ("5,10,20"), or NULL: chosen by the spread. */
LETHE_MUST_CHECK lethe_err lethe_ladders_numbers(const lethe_column_values *c, const char *widths,
                                                 lethe_ladders *out);
/* Are all values dates? */
bool lethe_values_are_dates(const lethe_column_values *c);
LETHE_MUST_CHECK lethe_err lethe_ladders_dates(const lethe_column_values *c, lethe_ladders *out);
/* Are all values codes of one length? */
bool lethe_values_are_codes(const lethe_column_values *c);
/* Prefixes: lengths as the user gave them ("3,2,1"), or NULL: all. */
LETHE_MUST_CHECK lethe_err lethe_ladders_codes(const lethe_column_values *c, const char *prefixes,
                                               lethe_ladders *out);
/* From a list of groups; values that it lacks stand below the root, and are named in a warning. */
LETHE_MUST_CHECK lethe_err lethe_ladders_groups(const lethe_column_values *c, const char *path,
                                                lethe_ladders *out);
/* Every value below the root. */
LETHE_MUST_CHECK lethe_err lethe_ladders_flat(const lethe_column_values *c, lethe_ladders *out);

#endif
