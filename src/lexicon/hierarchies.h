/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchies.h - the folder of --hierarchies DIR: COLUMN.csv (ARX) or COLUMN.tsv (child, parent)
 * for each quasi-identifier. */
#ifndef LETHE_LEXICON_HIERARCHIES_H
#define LETHE_LEXICON_HIERARCHIES_H
#include "model/table/table.h"

typedef struct lethe_hierarchies {
    size_t n;
    lethe_tree **at; /* by column; NULL: the folder has none */
} lethe_hierarchies;

/* For each of the `n` columns.  A column's name with a `/`, or that begins with a dot, has no file.
 * LETHE_EUSAGE: no such folder; LETHE_EINPUT: both a .csv and a .tsv, or what lethe_tree_read
 * refuses. */
LETHE_MUST_CHECK lethe_err lethe_hierarchies_read(lethe_ctx *ctx, const char *dir,
                                                  const lethe_str *column, size_t n,
                                                  lethe_hierarchies *out);
void lethe_hierarchies_free(lethe_hierarchies *h);

#endif
