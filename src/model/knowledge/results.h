/* SPDX-License-Identifier: Apache-2.0 */
/* results.h - results of a search engine: the file of --results.
 *
 * A text file: `query TAB url` per line, the URLs of a query in rank order; the lines of a query
 * need not stand together.  Queries are normalised as those of a log are (text/normalize.h); URLs
 * stay as they are.  A URL that a query has twice is one result, which counts where it comes first;
 * but it has both ranks, and those after it keep theirs.  All of it is held in memory. */
#ifndef LETHE_MODEL_KNOWLEDGE_RESULTS_H
#define LETHE_MODEL_KNOWLEDGE_RESULTS_H
#include "core/ctx.h"
#include "core/dict.h"

typedef struct lethe_results lethe_results;

/* `path` as lethe_source_open() takes it.  Strict: a line without a tab, with a second one, with an
 * empty query or URL, with bytes that are not UTF-8 in either, with a NUL or CR in the query or any
 * control character in the URL is LETHE_EINPUT with file, line, column (the field, from 1; 0: the
 * whole line) and cause; so is a file without a line.  Lines may end in CRLF, and the last one
 * without. */
LETHE_MUST_CHECK lethe_err lethe_results_read(lethe_ctx *ctx, const char *path,
                                              lethe_results **out);
/* From memory, for tests and fuzzing. */
LETHE_MUST_CHECK lethe_err lethe_results_memory(lethe_ctx *ctx, lethe_str bytes,
                                                lethe_results **out);
void lethe_results_free(lethe_results *r); /* NULL is fine */

/* The URLs of a normalised query, by number, the best first; *n of them.  An unknown query has
 * none.  Safe from several threads. */
const uint32_t *lethe_results_of(const lethe_results *r, lethe_str query, size_t *n);

/* The same with repeated URLs: the one at rank i, from 1, is the (i - 1)-th. */
const uint32_t *lethe_results_ranked(const lethe_results *r, lethe_str query, size_t *n);

/* Queries and URLs by number, 0, 1, 2, ... in the order first seen in the file. */
uint32_t lethe_results_queries(const lethe_results *r);
uint32_t lethe_results_urls(const lethe_results *r);
lethe_str lethe_results_query(const lethe_results *r, uint32_t query);
lethe_str lethe_results_url(const lethe_results *r, uint32_t url);
const uint32_t *lethe_results_at(const lethe_results *r, uint32_t query, size_t *n);
uint32_t lethe_results_find_url(const lethe_results *r, lethe_str url); /* LETHE_NONE: none */

#endif
