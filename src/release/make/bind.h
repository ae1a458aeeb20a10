/* SPDX-License-Identifier: Apache-2.0 */
/* bind.h - inputs become what a method works on: a log as it is, or records whose items are leaves
 * of a taxonomy, as the options of every records method say (LETHE_RECORD_OPTIONS). */
#ifndef LETHE_RELEASE_MAKE_BIND_H
#define LETHE_RELEASE_MAKE_BIND_H
#include "algo/text/log_records.h"
#include "release/release.h"

/* Records and the tree whose leaves are their items; both belong to the holder. */
typedef struct lethe_bound_records {
    lethe_records *records;
    lethe_tree *tree;
    uint64_t rows_unused; /* rows of a log that are in no record: no click, or no term */
    bool has_own_leaves;  /* an item has a leaf that the file of the taxonomy does not have */
    char digest[LETHE_TREE_DIGEST]; /* of the taxonomy, where leaves are counted; empty: they are
                                       not, or it was made from the input and would tell of it */
} lethe_bound_records;
void lethe_bound_records_free(lethe_bound_records *s);

/* Are the files records?  As `reading` says; else as the first lines of the first file look: most
 * of those of records have one tab at most, and not two of anything else that parts columns of a
 * log.  Standard input, and whatever else is no regular file and may not be readable twice, is
 * taken for a log.  LETHE_EUSAGE: `reading` says that they are records, and how to read a log. */
LETHE_MUST_CHECK lethe_err lethe_inputs_are_records(lethe_ctx *ctx, const char *const *paths,
                                                    size_t n, const lethe_read_options *reading,
                                                    bool *are);

/* Is it an option of records methods that applies to logs alone? */
bool lethe_is_log_option(const char *option);

/* Both fill *out, which is then to be freed.  `v` are the options of the method; what it has no
 * option for is as if it were not given, and without `taxonomy` items are leaves of a tree without
 * meaning.  `marks`: the sensitive items, as a release lists them; NULL: as --sensitive says.
 * LETHE_EUSAGE where options do not fit each other or the input.  The log is walked once. */
LETHE_MUST_CHECK lethe_err lethe_bind_log(lethe_ctx *ctx, lethe_log *log, const lethe_values *v,
                                          const lethe_sensitive *marks, bool strict,
                                          lethe_bound_records *out);
LETHE_MUST_CHECK lethe_err lethe_bind_files(lethe_ctx *ctx, const char *const *paths, size_t n,
                                            const lethe_values *v, const lethe_sensitive *marks,
                                            const lethe_read_options *reading,
                                            lethe_bound_records *out);
/* The same of records that are in memory already, not yet bound: they are used up, on failure too.
 */
LETHE_MUST_CHECK lethe_err lethe_bind_raw(lethe_ctx *ctx, lethe_records *raw, const lethe_values *v,
                                          const lethe_sensitive *marks, bool strict,
                                          lethe_bound_records *out);
/* Where the method wants sets, the records become such: those of a person one, unless each counts
 * for one by its options.  On failure s->records is NULL. */
LETHE_MUST_CHECK lethe_err lethe_bound_to_sets(lethe_ctx *ctx, const lethe_method *m,
                                               const lethe_values *v, lethe_bound_records *s);
/* Does the method make sets of persons, not of records? */
bool lethe_merges_persons(const lethe_method *m, const lethe_values *v);
/* Does the map of such a release name rows (lethe_row_map_put)?  `m` is the last of n_steps. */
bool lethe_names_rows(const lethe_method *m, const lethe_values *v, size_t n_steps);

/* Whose map of rows it is. */
typedef struct lethe_row_map_of {
    const char *path, *digest;
    uint64_t n_published;
} lethe_row_map_of;
/* As lethe_bind_log(), of the original of a release with such a map: a record that became several
 * stands there for each of them.  *line, in `a`: by record, the published line that it became, from
 * 0, or LETHE_NOT_PUBLISHED; *again: does it stand there already? */
LETHE_MUST_CHECK lethe_err lethe_bind_log_by_map(lethe_ctx *ctx, lethe_log *log,
                                                 const lethe_values *v,
                                                 const lethe_sensitive *marks, bool strict,
                                                 const lethe_row_map_of *map, lethe_arena *a,
                                                 lethe_bound_records *out, uint64_t **line,
                                                 bool **again);

#endif
