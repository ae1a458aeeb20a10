/* SPDX-License-Identifier: Apache-2.0 */
/* set_search.h - sets of items, and which of them fit what is known of a person: items that are
 * there, and items that are not.
 *
 * A set shows a present item if it has one that may stand for it: a node at or above it, or a bag
 * with such a member.  Absent items refute a set if one of its own items can stand for nothing
 * else: all leaves below it are known to be absent.  A set fits if it shows all present items and
 * is not refuted.  Items that no set shows were suppressed everywhere, and are ignored. */
#ifndef LETHE_ATTACK_SET_SEARCH_H
#define LETHE_ATTACK_SET_SEARCH_H
#include "model/published/published_items.h"

typedef struct lethe_set_index {
    /* Set by the caller: */
    size_t n;                    /* sets */
    const uint64_t *first;       /* n + 1: set i is first[i + 1] - first[i] records; NULL: one */
    const uint64_t *start;       /* n + 1: it has item[start[i]] .. item[start[i + 1] - 1], */
    const uint32_t *item;        /* which are numbers in */
    lethe_published_items items; /* this */
    uint32_t n_marks;            /* sensitive items; below, those of each set, distinct */
    uint32_t first_mark;         /* the node that the first of them is; others follow it */
    const uint64_t *mark_start;
    const uint32_t *mark;
    /* Set by lethe_set_index_build: */
    uint64_t n_records;
    uint64_t *with;          /* by mark: how many records have it */
    uint64_t *begins, *ends; /* by item: sets[begins[i]] .. sets[ends[i] - 1] have it, */
    uint32_t *sets;          /* ascending */
    uint64_t *may_be;        /* by node, n + 1: it is a member of may_be_item[may_be[v]] .. */
    uint32_t *may_be_item;
} lethe_set_index;

/* Fills in the rest of `s`, in `a`: 4 bytes per item of a set, 16 per different item, 8 per node.
 * LETHE_ENOMEM comes without a message; also for 2^32 - 1 sets or more. */
LETHE_MUST_CHECK lethe_err lethe_set_index_build(lethe_set_index *s, lethe_arena *a);

/* Nodes that are leaves, ascending and distinct, none in both.  Sensitive items among those present
 * are no longer to be found out. */
typedef struct lethe_known_items {
    const uint32_t *present, *absent;
    size_t n_present, n_absent;
} lethe_known_items;

/* Scratch for one search after the other; one thread at a time. */
typedef struct lethe_set_scratch {
    uint32_t *stamp; /* by set */
    uint32_t *below; /* by node: leaves below it that are known not to be there; 0 between */
    uint64_t *with;  /* by mark */
    lethe_buf found; /* uint32_t each: sets */
    lethe_buf clauses;
    uint32_t now;           /* the last stamp there is */
    uint32_t refuted, last; /* stamps of the sets that are refuted, and that fit */
    bool all;               /* nothing that is there tells sets apart */
} lethe_set_scratch;

/* For up to `n_sets` sets, `n_nodes` nodes and `n_marks` marks.  LETHE_ENOMEM comes without a
 * message, and the scratch must still be freed. */
LETHE_MUST_CHECK lethe_err lethe_set_scratch_init(lethe_set_scratch *v, size_t n_sets,
                                                  size_t n_nodes, size_t n_marks);
void lethe_set_scratch_free(lethe_set_scratch *v);

/* Records that fit, and how many of them have the sensitive item that most have, of those that are
 * not known. */
typedef struct lethe_set_matches {
    uint64_t records, with;
} lethe_set_matches;

/* Takes the rarest present item first.  The steps are at most the records with an item that may
 * stand for a known one, and the sensitive items of the records that fit.  LETHE_ENOMEM comes
 * without a message, and the scratch cannot be used again. */
LETHE_MUST_CHECK lethe_err lethe_set_search(const lethe_set_index *s, const lethe_known_items *k,
                                            lethe_set_scratch *v, lethe_set_matches *out);
/* Did this set fit, in the last search? */
static inline bool lethe_set_fits(const lethe_set_scratch *v, size_t set)
{
    return v->all ? v->stamp[set] != v->refuted : v->stamp[set] == v->last;
}

#endif
