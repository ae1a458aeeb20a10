/* SPDX-License-Identifier: Apache-2.0 */
/* shared_urls.h - counts the pairs of queries that have a URL in common.
 *
 * Pairs are not listed one by one: a URL of 100,000 queries has 5,000,000,000.  Queries with the
 * same URLs form a class.  URLs are compared by marks: hashes of 128 bits under a random key, so
 * that nobody can prepare two URLs with the same mark.  Memory is linear in clicks; texts and URLs
 * are not kept.  Written for the checker alone: the code that checks a release shares nothing with
 * the code that makes it. */
#ifndef LETHE_CHECK_SHARED_URLS_H
#define LETHE_CHECK_SHARED_URLS_H
#include "core/ctx.h"

typedef struct lethe_shared_urls lethe_shared_urls;

/* `cap_bytes`: memory for sorting. */
LETHE_MUST_CHECK lethe_err lethe_shared_urls_new(lethe_ctx *ctx, uint64_t cap_bytes,
                                                 lethe_shared_urls **out);
void lethe_shared_urls_free(lethe_shared_urls *j); /* NULL is fine */

/* A query on worker w: first its URLs, each once and in order of bytes, then its end.  Queries
 * without URLs may be left out. */
LETHE_MUST_CHECK lethe_err lethe_shared_urls_add(lethe_shared_urls *j, unsigned w, lethe_str url);
LETHE_MUST_CHECK lethe_err lethe_shared_urls_end(lethe_shared_urls *j, unsigned w);

/* Once, after all queries.  *edges: the number of pairs, if it is at most `limit`; else a lower
 * bound of it above `limit`, the same for any number of threads.
 *
 * Time: linear in clicks, except for URLs with more than one class.  The 64 of these with the most
 * classes are bits of a word, and distinct words are compared; the others are compared class by
 * class until the limit is passed. */
LETHE_MUST_CHECK lethe_err lethe_shared_urls_count(lethe_shared_urls *j, uint64_t limit,
                                                   uint64_t *edges);

#endif
