/* SPDX-License-Identifier: Apache-2.0 */
/* publish_table.h - rows of a table become the lines of data.csv, sorted by their bytes, beside the
 * parts of the hierarchies that they show and, where sensitive values have thresholds of their own,
 * theta.tsv.  Held in memory, as the table itself is. */
#ifndef LETHE_RELEASE_PUBLISH_PUBLISH_TABLE_H
#define LETHE_RELEASE_PUBLISH_PUBLISH_TABLE_H
#include "io/write/sink.h"
#include "model/table/table.h"
#include "model/table/theta.h"

typedef struct lethe_table_publisher lethe_table_publisher;

/* `t` is borrowed. */
LETHE_MUST_CHECK lethe_err lethe_table_publisher_new(lethe_ctx *ctx, const lethe_table *t,
                                                     void **out);
void lethe_table_publisher_free(void *publisher); /* NULL is fine */
/* See lethe_result.cells.  LETHE_EINTERNAL, the method's bug: a row given twice or that is not
 * there, a node that is not above its value, a star where there is no sensitive column. */
LETHE_MUST_CHECK lethe_err lethe_table_publisher_put(lethe_table_publisher *p, size_t from,
                                                     const uint32_t *node, bool starred);
/* See lethe_result.range.  LETHE_EINTERNAL, the method's bug: a column that is not published as
 * ranges of values, or leaves that are not there or in the wrong order. */
LETHE_MUST_CHECK lethe_err lethe_table_publisher_range(lethe_table_publisher *p, size_t qi,
                                                       uint32_t low, uint32_t high, uint32_t *node);
/* See lethe_result.thetas; copied. */
LETHE_MUST_CHECK lethe_err lethe_table_publisher_thetas(lethe_table_publisher *p,
                                                        const lethe_theta *theta);
/* Sorts. */
LETHE_MUST_CHECK lethe_err lethe_table_publisher_finish(void *publisher);
size_t lethe_table_publisher_count(const lethe_table_publisher *p); /* rows published */
bool lethe_table_publisher_has_thetas(const lethe_table_publisher *p);

LETHE_MUST_CHECK lethe_err lethe_table_publisher_data(void *publisher, lethe_sink *to);
LETHE_MUST_CHECK lethe_err lethe_table_publisher_tree(void *publisher, lethe_sink *to);
LETHE_MUST_CHECK lethe_err lethe_table_publisher_theta(void *publisher, lethe_sink *to);
/* Hierarchies of sensitive columns that were read with one. */
bool lethe_table_publisher_has_sensitive(const lethe_table_publisher *p);
LETHE_MUST_CHECK lethe_err lethe_table_publisher_sensitive(void *publisher, lethe_sink *to);
LETHE_MUST_CHECK lethe_err lethe_table_publisher_map(void *publisher, lethe_sink *to);

#endif
