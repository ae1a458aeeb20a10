/* SPDX-License-Identifier: Apache-2.0 */
/* recount.h - counts again what a method says it has counted.  A release of counts shows no rows,
 * so this is done while it is made: from the rows that the method gives, by the definition. */
#ifndef LETHE_CHECK_RECOUNT_H
#define LETHE_CHECK_RECOUNT_H
#include "model/data.h"

typedef struct lethe_recount lethe_recount;

LETHE_MUST_CHECK lethe_err lethe_recount_new(lethe_ctx *ctx, lethe_counted unit, uint64_t cap_bytes,
                                             lethe_recount **out);
void lethe_recount_free(lethe_recount *r); /* NULL is fine */

/* A row that counts for the item that its query is.  Each worker uses its own w. */
LETHE_MUST_CHECK lethe_err lethe_recount_row(lethe_recount *r, unsigned w, const lethe_row *row);
/* An item with the count that is to be published. */
LETHE_MUST_CHECK lethe_err lethe_recount_item(lethe_recount *r, unsigned w, lethe_str item,
                                              uint64_t count);
/* Once, when all are in: is every item there once, has it as many users, queries or rows as its
 * count says, and has every row an item? */
LETHE_MUST_CHECK lethe_err lethe_recount_check(lethe_recount *r, bool *same);

#endif
