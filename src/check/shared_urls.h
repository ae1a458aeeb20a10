/* shared_urls.h - how many pairs of queries have a URL in common, by the definition.
 *
 * Pairs are not made one by one: a URL of 100,000 queries has 5,000,000,000.  Queries with the same
 * URLs are one class.  A query's URLs are known here by marks: a hash of 128 bits under a key that
 * is drawn anew each time, so that nobody can prepare two with the same.  Memory is linear in
 * clicks; of texts and URLs it holds none.  Written for the checker alone: what judges a release
 * shares nothing with what makes it. */
#ifndef LETHE_CHECK_SHARED_URLS_H
#define LETHE_CHECK_SHARED_URLS_H
#include "core/ctx.h"

typedef struct lethe_shared_urls lethe_shared_urls;

/* `cap_bytes`: what may wait in memory to be sorted. */
LETHE_MUST_CHECK lethe_err lethe_shared_urls_new(lethe_ctx *ctx, uint64_t cap_bytes,
                                                 lethe_shared_urls **out);
void lethe_shared_urls_free(lethe_shared_urls *j); /* NULL is fine */

/* A query on worker w: first its URLs, each once and in order of bytes, then its end.  One without
 * URLs is joined to none, and need not be told. */
LETHE_MUST_CHECK lethe_err lethe_shared_urls_add(lethe_shared_urls *j, unsigned w, lethe_str url);
LETHE_MUST_CHECK lethe_err lethe_shared_urls_end(lethe_shared_urls *j, unsigned w);

/* Once, when all queries are there.  *edges: the pairs, where they are at most `limit`; else some
 * number above it that is not more than there are, and the same for any number of threads.
 *
 * Time: linear in clicks, but for URLs with more than one class.  Of these the 64 with most classes
 * are bits of a word, and distinct words are counted against each other; the others are looked at
 * pair by pair of classes, until the limit is passed. */
LETHE_MUST_CHECK lethe_err lethe_shared_urls_count(lethe_shared_urls *j, uint64_t limit,
                                                   uint64_t *edges);

#endif
