/* SPDX-License-Identifier: Apache-2.0 */
/* persons.h - counts the persons behind published data.  Published bytes show pseudonyms; where a
 * step gave one person several, only the owners of the rows tell. */
#ifndef LETHE_CHECK_PERSONS_H
#define LETHE_CHECK_PERSONS_H
#include "model/data.h"

typedef struct lethe_persons lethe_persons;

LETHE_MUST_CHECK lethe_err lethe_persons_new(lethe_ctx *ctx, uint64_t cap_bytes,
                                             lethe_persons **out);
void lethe_persons_free(lethe_persons *p); /* NULL is fine */

/* A published row: its query (it holds no NUL) and its owner.  Each worker uses its own w. */
LETHE_MUST_CHECK lethe_err lethe_persons_put(lethe_persons *p, unsigned w, lethe_str query,
                                             lethe_str owner);

/* Are there enough persons for `claim` behind every query?  Once, when all rows are in.  Where not,
 * *why (in `doc`) names the least query in order of bytes. */
LETHE_MUST_CHECK lethe_err lethe_persons_check(lethe_persons *p, const lethe_notion *notion,
                                               const lethe_json *claim, lethe_json_doc *doc,
                                               bool *holds, lethe_json **why);

/* Is no person behind two of the records that are published (published[i] is not 0)?  By their
 * owners' numbers, and by the names of those that have one. */
LETHE_MUST_CHECK lethe_err lethe_persons_apart(lethe_ctx *ctx, const lethe_records *r,
                                               const uint8_t *published, bool *apart);

/* Do at least `needed` persons have an item at or below every one of these nodes?  Of all records
 * of the input, published or not; persons even where a method counts records as such. */
LETHE_MUST_CHECK lethe_err lethe_persons_of_terms(lethe_ctx *ctx, const lethe_records *r,
                                                  const lethe_tree *t, const lethe_u32s *nodes,
                                                  uint64_t needed, bool *holds);

#endif
