/* SPDX-License-Identifier: Apache-2.0 */
/* table_profile.h - what is in a table, and how many of its rows can be told apart.
 *
 * A group is all rows with equal values of some columns, the quasi-identifiers.  A row is unique if
 * its group has no other.  Everything is counted in whole numbers, so that the result does not
 * depend on threads. */
#ifndef LETHE_MEASURE_TABLE_PROFILE_H
#define LETHE_MEASURE_TABLE_PROFILE_H
#include "core/ctx.h"
#include "measure/spread.h"
#include "model/published/published_table.h"

/* --- columns: column_profile.c --- */

typedef enum lethe_column_type {
    LETHE_COLUMN_NUMBER,     /* digits, perhaps a sign, perhaps a point or a comma in them */
    LETHE_COLUMN_DATE,       /* 2024-03-09, 9.3.2024, 3/9/2024; perhaps with a time */
    LETHE_COLUMN_CODE,       /* digits, or letters and digits, without spaces: a postal code */
    LETHE_COLUMN_CATEGORY,   /* anything else */
    LETHE_COLUMN_FREE_TEXT,  /* long texts, most of which differ */
    LETHE_COLUMN_IDENTIFIER, /* nearly each row has a value of its own */
    LETHE_N_COLUMN_TYPES
} lethe_column_type;
extern const char *const lethe_column_type_names[LETHE_N_COLUMN_TYPES];

/* Missing values are aside in all but `missing`; `*` counts as a value, but not for the type. */
typedef struct lethe_column_profile {
    lethe_column_type type;
    uint32_t distinct;  /* values */
    uint64_t missing;   /* rows */
    uint64_t unique;    /* rows whose value no other row has */
    uint32_t commonest; /* value, the first in the file of several; LETHE_NONE: all are missing */
    uint64_t commonest_rows;
    double
        separation; /* share of the pairs of rows that differ in it, missing a value like others */
} lethe_column_profile;

/* All columns; `out` has room for them. */
LETHE_MUST_CHECK lethe_err lethe_columns_profile(lethe_ctx *ctx, const lethe_published_table *t,
                                                 lethe_column_profile *out);

/* --- groups: row_groups.c --- */

/* Rows by group: those of group i are row[start[i]] .. row[start[i + 1] - 1], in the order of the
 * file.  Groups stand in the order of their first rows. */
typedef struct lethe_row_groups {
    size_t n;        /* groups */
    uint32_t *start; /* n + 1 */
    uint32_t *row;
} lethe_row_groups;

/* By the columns of these numbers; no columns: one group.  Linear in rows and values, per column.
 * Not to be freed after a failure. */
LETHE_MUST_CHECK lethe_err lethe_row_groups_make(lethe_ctx *ctx, const lethe_published_table *t,
                                                 const uint32_t *column, size_t n_columns,
                                                 lethe_row_groups *out);
void lethe_row_groups_free(lethe_row_groups *g);
/* unique[i]: rows that the first i + 1 of the columns single out. */
LETHE_MUST_CHECK lethe_err lethe_unique_rows_count(lethe_ctx *ctx, const lethe_published_table *t,
                                                   const uint32_t *column, size_t n_columns,
                                                   uint64_t *unique);

/* El Emam, "Guide to the De-Identification of Personal Health Information", 2013, chapter 16: the
 * risk that a person's row is found is one in the rows that it could be. */
#define LETHE_RISK_SIZE 5 /* a row is at risk where its group has fewer: 1/size is above 20 % */
typedef struct lethe_group_sizes {
    uint64_t rows, groups;
    uint64_t smallest, largest; /* rows of a group */
    uint64_t unique;            /* rows that are alone in their group */
    uint64_t at_risk;           /* rows in groups of fewer than LETHE_RISK_SIZE */
    uint64_t groups_by_size[LETHE_N_BUCKETS], rows_by_size[LETHE_N_BUCKETS];
} lethe_group_sizes;
void lethe_group_sizes_count(const lethe_row_groups *g, lethe_group_sizes *out);

/* The groups of a table against those of a population that it was drawn from. */
typedef struct lethe_population_risk {
    uint64_t rows;     /* of the population */
    uint64_t smallest; /* population group with rows of the table */
    double mean;       /* over the table's rows: 1 / size of the population group */
    uint64_t at_risk;  /* rows of the table whose population group has under LETHE_RISK_SIZE */
    uint64_t lacking;  /* groups with fewer rows in the population than in the table: they count as
                          large as in the table */
} lethe_population_risk;
/* `of`: the population's columns, in the order of `column`. */
LETHE_MUST_CHECK lethe_err lethe_population_risk_count(lethe_ctx *ctx,
                                                       const lethe_published_table *t,
                                                       const uint32_t *column,
                                                       const lethe_published_table *population,
                                                       const uint32_t *of, size_t n_columns,
                                                       lethe_population_risk *out);

/* What groups tell of a sensitive column.  As in check/: `*` is a value that is not told, which
 * counts among the rows of its group and is itself neither different nor frequent; a group of `*`
 * alone tells nothing.  Entropy and t have no meaning where there are such values. */
typedef struct lethe_group_diversity {
    uint64_t distinct_l; /* least number of different values; UINT64_MAX: no group tells any */
    double entropy_l;    /* exp of the least entropy (natural logarithm): Machanavajjhala 2007 */
    uint64_t with, of;   /* the value with the largest share of a group: so many of so many rows */
    double t;            /* largest variational distance of a group from the table: Li 2007 with the
                            equal distance */
    bool starred;        /* some value is `*`: entropy_l and t count it as one like others */
} lethe_group_diversity;
LETHE_MUST_CHECK lethe_err lethe_diversity_count(lethe_ctx *ctx, const lethe_row_groups *g,
                                                 const lethe_published_column *sa,
                                                 lethe_group_diversity *out);

/* --- combinations of columns: singling.c --- */

#define LETHE_COMBINATION_MAX 3
#define LETHE_TOP_COMBINATIONS 10
#define LETHE_SINGLING_WORK                                                                        \
    ((uint64_t)1 << 30) /* rows that are looked at, all combinations together */

typedef struct lethe_combination {
    uint32_t n;
    uint32_t column[LETHE_COMBINATION_MAX]; /* rising */
    uint64_t unique;                        /* rows */
} lethe_combination;

/* How rows are singled out by one, two and three of some columns. */
typedef struct lethe_singling {
    size_t n;               /* columns that were combined: all, or the strongest */
    const uint32_t *column; /* rising */
    const uint64_t *pair;   /* n * n: unique rows by columns i and j; by i alone at i * n + i */
    lethe_combination top[LETHE_TOP_COMBINATIONS]; /* most unique rows first.  One that singles out
                                                      no more than a part of it is left out */
    size_t n_top;
    uint64_t tried, all; /* combinations; fewer were tried than there are: the work was cut */
} lethe_singling;
/* Everything in `a`.  `work`: LETHE_SINGLING_WORK; if more would be needed, the columns that alone
 * separate rows best are taken. */
LETHE_MUST_CHECK lethe_err lethe_singling_count(lethe_ctx *ctx, lethe_arena *a,
                                                const lethe_published_table *t,
                                                const lethe_column_profile *profile,
                                                const uint32_t *column, size_t n_columns,
                                                uint64_t work, lethe_singling *out);

#endif
