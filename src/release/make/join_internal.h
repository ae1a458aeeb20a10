/* SPDX-License-Identifier: Apache-2.0 */
/* join_internal.h - what the files that join releases of parts share. */
#ifndef LETHE_RELEASE_MAKE_JOIN_INTERNAL_H
#define LETHE_RELEASE_MAKE_JOIN_INTERNAL_H
#include "io/json/json.h"
#include "io/write/sink.h"
#include "lethe/command.h"
#include "release/release.h"

/* --- the files: join_data.c --- */

/* The lines of the data files of all parts, and the union of their taxonomies. */
typedef struct lethe_joined_data lethe_joined_data;

/* `parts`: their names, for messages; borrowed. */
LETHE_MUST_CHECK lethe_err lethe_joined_data_new(lethe_ctx *ctx, lethe_shape shape,
                                                 const char *const *parts, lethe_joined_data **out);
void lethe_joined_data_free(void *joined); /* NULL is fine */
/* Reads the files of part `i`, in the open folder, which have been verified.  LETHE_EINPUT: its
 * header is another, or its taxonomy does not agree with that of an earlier part. */
LETHE_MUST_CHECK lethe_err lethe_joined_data_add(lethe_joined_data *j, size_t i, int dirfd);
/* After the last part.  LETHE_EINPUT: two parts have the same published user. */
LETHE_MUST_CHECK lethe_err lethe_joined_data_finish(lethe_joined_data *j);
/* As lethe_release_file.write: the data file, once, and taxonomy.tsv. */
LETHE_MUST_CHECK lethe_err lethe_joined_data_write(void *joined, lethe_sink *to);
LETHE_MUST_CHECK lethe_err lethe_joined_taxonomy_write(void *joined, lethe_sink *to);

/* --- the figures: join_figures.c --- */

/* What a joined release says of itself, as far as it follows from what its parts say. */
typedef struct lethe_joined_figures lethe_joined_figures;

/* For parts with these steps, whose first one has these figures; both are borrowed. */
LETHE_MUST_CHECK lethe_err lethe_joined_figures_new(lethe_ctx *ctx, const lethe_json *steps,
                                                    const lethe_json *metrics,
                                                    lethe_joined_figures **out);
void lethe_joined_figures_free(lethe_joined_figures *j); /* NULL is fine */
/* The figures and counts of one part.  LETHE_EINPUT: a sum would be too large. */
LETHE_MUST_CHECK lethe_err lethe_joined_figures_add(lethe_joined_figures *j,
                                                    const lethe_json *metrics,
                                                    const lethe_json *counts);
/* A figure that a part lacks is left out. */
lethe_json *lethe_joined_figures_metrics(const lethe_joined_figures *j, lethe_json_doc *doc);
lethe_counts lethe_joined_figures_counts(const lethe_joined_figures *j);

#endif
