/* SPDX-License-Identifier: Apache-2.0 */
/* click_graph.h - queries and the URLs that were clicked for them.  B. Poblete, M. Spiliopoulou and
 * R. Baeza-Yates, "Website Privacy Preservation for Query Log Publishing", 2007, Definition 1.
 *
 * Two queries are joined if a URL was clicked for both.  These edges are never made: one URL of
 * 100,000 queries would have 5,000,000,000 of them.  Queries with the same URLs are one *class*. */
#ifndef LETHE_MODEL_KNOWLEDGE_CLICK_GRAPH_H
#define LETHE_MODEL_KNOWLEDGE_CLICK_GRAPH_H
#include "core/ctx.h"

typedef struct lethe_click_graph {
    uint32_t n;                   /* queries, in the order in which they were first seen */
    uint32_t n_urls;              /* URLs */
    uint32_t n_classes;           /* of queries with the same URLs, in the order in which they were
                                   * first seen; queries without any are one */
    const uint64_t *url_start;    /* n_classes + 1 */
    const uint32_t *url;          /* of a class: ascending, distinct */
    const uint64_t *class_start;  /* n_urls + 1 */
    const uint32_t *class_of_url; /* classes that have a URL: ascending */
    const uint32_t *class_of;     /* of each query */
    const uint64_t *member_start; /* n_classes + 1 */
    const uint32_t *member;       /* of a class: its queries, ascending */
} lethe_click_graph;

/* A click of a query on a URL. */
typedef struct lethe_click {
    uint32_t query, url;
} lethe_click;

/* Clicks in any order and as often as they come; of queries and URLs below the two numbers.  Time
 * and memory linear in all three.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_click_graph_new(const lethe_click *click, size_t n_clicks,
                                                 uint32_t n_queries, uint32_t n_urls,
                                                 lethe_click_graph **out);
void lethe_click_graph_free(lethe_click_graph *g); /* NULL is fine */

#endif
