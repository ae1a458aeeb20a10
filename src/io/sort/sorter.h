/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.h - the one external sort and group-by: everything that can outgrow memory goes through
 * it.
 *
 * Records are byte strings.  Workers put them in, in any order; afterwards they come out in an
 * order that depends on the bytes alone, so that the result is the same for any number of threads
 * and any amount of memory.  (Identical records cannot be told apart, so their order does not
 * matter.)
 *
 * Two orders:
 *   LETHE_ORDER_GROUP  records with equal keys stand together, inside a group in order of bytes;
 *                      groups in no meaningful order.  The key is everything up to the first NUL.
 *   LETHE_ORDER_BYTES  memcmp order of whole records, a prefix first.
 *
 * How: every record goes to one of P parts by its key's hash (GROUP) or by splitters from a first
 * sample (BYTES).  Each worker fills a chunk of its own per part; once the budget is used up, full
 * chunks go to an unlinked file.  A part is then sorted by itself: in memory if it fits, else by
 * sorted runs and a merge.  Parts are independent, so they are sorted in parallel, and a part's
 * memory is freed as soon as it has been read. */
#ifndef LETHE_IO_SORT_SORTER_H
#define LETHE_IO_SORT_SORTER_H
#include "core/ctx.h"

typedef struct lethe_sorter lethe_sorter;
typedef enum lethe_order { LETHE_ORDER_GROUP, LETHE_ORDER_BYTES } lethe_order;

/* `cap_bytes`: what the sorter may hold in memory, all in all (at least 1 MiB is taken). */
LETHE_MUST_CHECK lethe_err lethe_sorter_new(lethe_ctx *ctx, lethe_order order, uint64_t cap_bytes,
                                            lethe_sorter **out);
void lethe_sorter_free(lethe_sorter *s); /* NULL is fine */

/* Copies the record.  Safe from several threads as long as each uses its own w < threads. n < 2^31.
 * After a failure only lethe_sorter_free() may follow: every other call returns the failure.
 * LETHE_EINTERNAL: it was read already. */
LETHE_MUST_CHECK lethe_err lethe_sorter_put(lethe_sorter *s, unsigned w, const void *record,
                                            size_t n);

uint64_t lethe_sorter_count(const lethe_sorter *s);   /* records put; call when no one is putting */
uint64_t lethe_sorter_bytes(const lethe_sorter *s);   /* their bytes, without any overhead */
uint64_t lethe_sorter_spilled(const lethe_sorter *s); /* bytes that went to disk */

/* A sorted sequence: one part. */
typedef struct lethe_sorted lethe_sorted;

/* The next record: a view valid until the next call but one on this sequence (so that a record can
 * be compared with the one before it).  false at the end, or on failure: then lethe_sorted_err().
 */
bool lethe_sorted_next(lethe_sorted *it, lethe_str *record);
lethe_err lethe_sorted_err(const lethe_sorted *it);
/* Remembers the place before the record last returned; rewind goes back there, so that next returns
 * it again.  A group can thus be read twice without being held. */
void lethe_sorted_mark(lethe_sorted *it);
LETHE_MUST_CHECK lethe_err lethe_sorted_rewind(lethe_sorted *it);

/* Sorts and hands out every part, in parallel, on worker w; `part` rises with the order of bytes
 * (BYTES).  A group never spans parts (GROUP).  Each part is read once, and its memory freed after.
 * fn may put into other sorters, with its w.  Every part gets its call, empty or not.  A sorter is
 * read once: LETHE_EINTERNAL the second time.  The context's progress advances by the records of
 * each part that is done.  A sequence's failure ends it even where fn did not ask for it. */
typedef lethe_err (*lethe_part_fn)(void *arg, size_t part, unsigned w, lethe_sorted *it);
LETHE_MUST_CHECK lethe_err lethe_sorter_each(lethe_sorter *s, lethe_part_fn fn, void *arg);

/* For BYTES, after the last put, and still while it is read and after: bytes and records in each
 * part, so that the place of each in an output file is known before it is sorted. */
size_t lethe_sorter_parts(const lethe_sorter *s);
void lethe_sorter_part_size(const lethe_sorter *s, size_t part, uint64_t *records, uint64_t *bytes);

#endif
