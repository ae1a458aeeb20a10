/* SPDX-License-Identifier: Apache-2.0 */
/* publish_records.h - records become the lines of data.txt, sorted by their bytes, beside the part
 * of the taxonomy that they show.  Held in memory, as the records themselves are. */
#ifndef LETHE_RELEASE_PUBLISH_PUBLISH_RECORDS_H
#define LETHE_RELEASE_PUBLISH_PUBLISH_RECORDS_H
#include "io/write/sink.h"
#include "model/records/records.h"

typedef struct lethe_record_publisher lethe_record_publisher;

/* `r` and `t` are borrowed. */
LETHE_MUST_CHECK lethe_err lethe_record_publisher_new(lethe_ctx *ctx, const lethe_records *r,
                                                      const lethe_tree *t, void **out);
void lethe_record_publisher_free(void *publisher); /* NULL is fine */
/* See lethe_result.bag; an item's number is past the nodes of `t` and the marks of `r`, and the
 * same nodes have the same number.  LETHE_EINTERNAL, the method's bug: fewer than two nodes, two
 * alike, or one that is not there.  LETHE_EINPUT: it could not be read back
 * (model/published/published_items.h), since a name of them holds a `|`, or all together are a
 * name. */
LETHE_MUST_CHECK lethe_err lethe_record_publisher_bag(lethe_record_publisher *p,
                                                      const uint32_t *node, size_t n,
                                                      uint32_t *item);
/* See lethe_result.record; the record's marks are put beside its items.  LETHE_EINTERNAL, the
 * method's bug: a record given twice, or that is not there, or an item that is not. */
LETHE_MUST_CHECK lethe_err lethe_record_publisher_put(lethe_record_publisher *p, size_t from,
                                                      uint32_t group, const uint32_t *node,
                                                      size_t n);
/* Sorts.  LETHE_EINTERNAL: records of one group are not the same, marks aside.  LETHE_EINPUT: a bag
 * is published, and so is a node or mark with a `|` in its name, which looks like one; or a mark
 * has the name of what is published beside it. */
LETHE_MUST_CHECK lethe_err lethe_record_publisher_finish(void *publisher);
size_t lethe_record_publisher_count(const lethe_record_publisher *p);   /* records published */
size_t lethe_record_publisher_items(const lethe_record_publisher *p);   /* of all; a bag is one */
bool lethe_record_publisher_has_marks(const lethe_record_publisher *p); /* any that is published? */
/* The nodes that are items or members of one; once it is finished. */
const lethe_u32s *lethe_record_publisher_shown(const lethe_record_publisher *p);
/* By record: 1, it is published, or 0. */
const uint8_t *lethe_record_publisher_given(const lethe_record_publisher *p);
/* Adds the input's lines behind published records and behind all others. */
void lethe_record_publisher_lines(const lethe_record_publisher *p, uint64_t *shown,
                                  uint64_t *suppressed);

LETHE_MUST_CHECK lethe_err lethe_record_publisher_data(void *publisher, lethe_sink *to);
LETHE_MUST_CHECK lethe_err lethe_record_publisher_tree(void *publisher, lethe_sink *to);
/* sensitive.txt, of the marks that are published. */
LETHE_MUST_CHECK lethe_err lethe_record_publisher_sensitive(void *publisher, lethe_sink *to);
/* The map is to name a row of each record (lethe_row_map_put). */
void lethe_record_publisher_name_rows(lethe_record_publisher *p);
LETHE_MUST_CHECK lethe_err lethe_record_publisher_map(void *publisher, lethe_sink *to);

#endif
