/* SPDX-License-Identifier: Apache-2.0 */
/* item_sets.h - the records of a release as sets of items, for notions about what a few items give
 * away.  Reads data.txt, and beside it taxonomy.tsv and sensitive.txt. */
#ifndef LETHE_CHECK_ITEM_SETS_H
#define LETHE_CHECK_ITEM_SETS_H
#include "model/data.h"
#include "model/published/published_records.h"
#include "model/published/published_tree.h"

typedef struct lethe_item_sets {
    uint64_t n_records;         /* lines */
    uint32_t n;                 /* distinct lines, the most frequent first */
    const uint64_t *weight;     /* how many lines each stands for */
    const uint64_t *start;      /* n + 1: set i is item[start[i]] .. item[start[i + 1] - 1], */
    const uint32_t *item;       /* each item once, in no order */
    const uint64_t *mark_start; /* n + 1: and has these sensitive items, */
    const uint32_t *mark;       /* each once, ascending */
    /* Items are the nodes of the taxonomy, a set having those above its items too (or, at first,
     * not: lethe_item_sets_climb); or the public items by themselves, numbered in the order of
     * their bytes. */
    uint32_t n_items, n_marks;
    const lethe_tree *tree;  /* NULL: items stand by themselves, or nothing above them is there */
    const uint32_t *leaves;  /* by item: leaves of the whole taxonomy; NULL without `tree` */
    const lethe_str *name;   /* by item */
    const lethe_dict *marks; /* sensitive.txt, in the order of bytes; NULL: there is none */
    lethe_arena *arena;
} lethe_item_sets;

/* Reads the folder.  With `nodes` every item is a node of the taxonomy or sensitive, and none is
 * above another; else they stand by themselves, and a taxonomy, where there is one, must only know
 * them, or the members of the bags that they are.  No item is both sensitive and in the taxonomy,
 * none is twice in a record; what taxonomy.tsv and sensitive.txt list is published.
 *
 * Otherwise *fault is an object in `doc` that says why, *out is left alone, and no promise about
 * such sets holds.  With `nodes` the sets have nothing above their items yet.  LETHE_EINPUT,
 * LETHE_EIO: the readers refuse a file, or there is no taxonomy.tsv with `nodes`.  Reports
 * LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_item_sets_read(lethe_ctx *ctx, int dirfd, bool nodes,
                                                lethe_json_doc *doc, lethe_json **fault,
                                                lethe_item_sets **out);
/* Sets read with `nodes` get all above their items, `tree` and `leaves`; nothing else changes.
 * LETHE_ECANCEL too: there is not the memory for it (lethe_ctx_over_memory). */
LETHE_MUST_CHECK lethe_err lethe_item_sets_climb(lethe_item_sets *s);
void lethe_item_sets_free(lethe_item_sets *s); /* NULL is fine */

#endif
