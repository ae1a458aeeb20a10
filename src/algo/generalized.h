/* SPDX-License-Identifier: Apache-2.0 */
/* generalized.h - the cost of generalizing records: the figures of Clump and Partition.
 * Milani Fard & Wang, "An Effective Clustering Approach to Web Query Log Anonymization", 2010,
 * sections II.B and V. */
#ifndef LETHE_ALGO_GENERALIZED_H
#define LETHE_ALGO_GENERALIZED_H
#include "lethe/json.h"
#include "model/records/records.h"

/* Sums over published records.  GGD (section II.B): the LM of each published item, and 1
 * for each item of the record beyond as many as are published. */
typedef struct lethe_generalized {
    uint64_t records;   /* published */
    uint64_t items;     /* of the records as they were */
    uint64_t published; /* items published */
    uint64_t levels;    /* sum of the levels of published items (the root's is 0) */
    uint64_t ggd;       /* scaled by lethe_tree_scale() */
    uint64_t exact;     /* items besides that stand outside the tree, and are published as they are:
                           they lose nothing and have no level */
} lethe_generalized;

/* One more record of `n_items`, published as node[0..n-1]; n <= n_items. */
void lethe_generalized_add(lethe_generalized *g, const lethe_tree *t, uint64_t n_items,
                           const uint32_t *node, size_t n);

/* The figures, as members of `out`: `ggd`; `avg_length`, items of a published record; `avg_level`,
 * of a published item, the root's being 1 as in section V; `suppressed`, items beyond those that
 * are published.  Averages of nothing are 0.  In a tree of one leaf, where nothing has a loss,
 * `ggd` is what is suppressed.  Lack of memory: lethe_json_failed(doc). */
void lethe_generalized_set(const lethe_generalized *g, const lethe_tree *t, lethe_json_doc *doc,
                           lethe_json *out);

/* Whether the numbers of Clump and Partition can hold these records: fewer than 2^32 - 1 of them,
 * each with fewer items, and all items times the nodes of the tree below 2^63, so that no sum of
 * losses or levels is cut off.  If not, LETHE_EINPUT with a message. */
LETHE_MUST_CHECK lethe_err lethe_generalized_fits(lethe_diag *d, const lethe_records *r,
                                                  const lethe_tree *t);

/* `density` of the input (Table III): all items over records times leaves of the taxonomy; 0 where
 * there are no records. */
double lethe_records_density(const lethe_records *r, const lethe_tree *t);

#endif
