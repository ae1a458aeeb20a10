/* SPDX-License-Identifier: Apache-2.0 */
/* text_clicks.h - the clicked addresses that a release shows beside each text, under any user.
 *
 * Rows are sorted by text.  Of each user of a text one row comes out, the earliest, with the
 * addresses of the text as hashes.  Whoever forges a release gains nothing by two addresses with
 * the same hash: the same address would do. */
#ifndef LETHE_CHECK_TEXT_CLICKS_H
#define LETHE_CHECK_TEXT_CLICKS_H
#include "core/ctx.h"
#include "model/log/log.h"

/* A text with more addresses has too many to go with the row of each of its users. */
#define LETHE_TEXT_CLICKS_MAX 1000

typedef struct lethe_text_clicks lethe_text_clicks;

typedef struct lethe_clicked_text {
    lethe_str text, user;
    int64_t time;
    const uint64_t *urls; /* hashes, ascending, each once */
    size_t n_urls;        /* LETHE_TEXT_CLICKS_MAX + 1: there are more */
} lethe_clicked_text;

typedef lethe_err (*lethe_clicked_fn)(void *arg, unsigned w, const lethe_clicked_text *t);

/* `cap_bytes`: memory for sorting. */
LETHE_MUST_CHECK lethe_err lethe_text_clicks_new(lethe_ctx *ctx, uint64_t cap_bytes,
                                                 lethe_text_clicks **out);
void lethe_text_clicks_free(lethe_text_clicks *c); /* NULL is fine */

/* A row on worker w; copied. */
LETHE_MUST_CHECK lethe_err lethe_text_clicks_add(lethe_text_clicks *c, unsigned w,
                                                 const lethe_row *row);
/* Once, after all rows: calls fn for each user of each text, in parallel. */
LETHE_MUST_CHECK lethe_err lethe_text_clicks_each(lethe_text_clicks *c, lethe_clicked_fn fn,
                                                  void *arg);

#endif
