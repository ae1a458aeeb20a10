/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchies.h - the folder of --hierarchies DIR: COLUMN.csv (ARX) or COLUMN.tsv (child, parent)
 * for quasi-identifiers. */
#ifndef LETHE_LEXICON_HIERARCHIES_H
#define LETHE_LEXICON_HIERARCHIES_H
#include "model/table/table.h"

typedef struct lethe_hierarchies {
    size_t n;
    lethe_tree **at; /* by column; NULL: the folder has none */
} lethe_hierarchies;

/* For each of the `n` columns the hierarchy that the folder has: of files that are not hidden,
 * COLUMN.csv or COLUMN.tsv, or one whose name ends with `_COLUMN.csv` or `_COLUMN.tsv`
 * (adult_hierarchy_age.csv, as ARX calls them); if it ends so with several columns' names, it is
 * for the one with the longest name.  LETHE_EIO: no such folder; LETHE_EINPUT: two files for
 * one of the columns, or what lethe_tree_read refuses. */
LETHE_MUST_CHECK lethe_err lethe_hierarchies_read(lethe_ctx *ctx, const char *dir,
                                                  const lethe_str *column, size_t n,
                                                  lethe_hierarchies *out);
/* The same where all columns of the table are known, `column` being some of them: a file for
 * another column is not read.  LETHE_EINPUT also: a .csv or .tsv that is for none of all columns;
 * no file for any of `column`. */
LETHE_MUST_CHECK lethe_err lethe_hierarchies_of_table(lethe_ctx *ctx, const char *dir,
                                                      const lethe_str *column, size_t n,
                                                      const lethe_str *all, size_t n_all,
                                                      lethe_hierarchies *out);
/* LETHE_EIO, reported: there is no such folder. */
LETHE_MUST_CHECK lethe_err lethe_hierarchies_exist(lethe_diag *d, const char *dir);
void lethe_hierarchies_free(lethe_hierarchies *h);

#endif
