/* SPDX-License-Identifier: Apache-2.0 */
/* table_options.h - a table as the options of every table method say (LETHE_TABLE_OPTIONS). */
#ifndef LETHE_RELEASE_MAKE_TABLE_OPTIONS_H
#define LETHE_RELEASE_MAKE_TABLE_OPTIONS_H
#include "model/table/table.h"
#include "release/release.h"

/* Do the options fit each other?  LETHE_EUSAGE with a message. */
LETHE_MUST_CHECK lethe_err lethe_table_options_check(lethe_diag *d, const lethe_values *v);
/* The names of --qi, in `a`; the options are good. */
LETHE_MUST_CHECK lethe_err lethe_table_qi(lethe_diag *d, lethe_arena *a, const lethe_values *v,
                                          lethe_str **qi, size_t *n);
/* What tells how to read a log would be ignored for a table, and a filter be believed to have been
 * at work: LETHE_EUSAGE. */
LETHE_MUST_CHECK lethe_err lethe_table_reading_check(lethe_diag *d, const lethe_read_options *r);
/* Reads a table.  Only the delimiter of `reading` and whether it is strict count; what is for logs
 * alone is LETHE_EUSAGE. */
LETHE_MUST_CHECK lethe_err lethe_table_from_files(lethe_ctx *ctx, const char *const *paths,
                                                  size_t n, const lethe_read_options *reading,
                                                  const lethe_values *v, lethe_table **out);

/* Where a step has --population, gives it the digest of the file as population-blake2b: claims and
 * the manifest follow from options, and a file is known by its digest.  The step is a copy, in `a`.
 * LETHE_EINPUT: another digest was given. */
LETHE_MUST_CHECK lethe_err lethe_population_settle(lethe_ctx *ctx, lethe_arena *a,
                                                   lethe_release_job *job);

/* What is to be warned of besides the methods' own caveats. */
size_t lethe_table_caveats(const lethe_chain *c, const lethe_publish_options *how,
                           const char *out[LETHE_MAX_CAVEATS]);

#endif
