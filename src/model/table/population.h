/* SPDX-License-Identifier: Apache-2.0 */
/* population.h - the population that the persons of a published table belong to: a table with the
 * same quasi-identifiers, and what their values are below. */
#ifndef LETHE_MODEL_TABLE_POPULATION_H
#define LETHE_MODEL_TABLE_POPULATION_H
#include "model/table/table.h"

typedef struct lethe_population_table {
    char digest[65];   /* BLAKE2b-256 of the file, in hexadecimal digits */
    lethe_table *rows; /* its quasi-identifiers have no hierarchies: each value is a leaf of its
                          own below the root */
    lethe_tree **tree; /* by quasi-identifier: the hierarchy of its values; NULL: none is known.
                          Borrowed, also the array */
} lethe_population_table;

/* Reads the columns out of a CSV file with a header, which may have others.  `tree`: as above;
 * NULL: there are none.  LETHE_EIO: it cannot be opened, or is no regular file; LETHE_EINPUT: what
 * lethe_table_read refuses. */
LETHE_MUST_CHECK lethe_err lethe_population_read(lethe_ctx *ctx, const char *path,
                                                 const lethe_str *column, size_t n,
                                                 lethe_tree **tree, lethe_population_table *out);
void lethe_population_free(lethe_population_table *p); /* of a zero struct is fine */

#endif
