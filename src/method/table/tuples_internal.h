/* SPDX-License-Identifier: Apache-2.0 */
/* tuples_internal.h - tuples into groups: shared by those who evaluate cuts. */
#ifndef LETHE_METHOD_TABLE_TUPLES_INTERNAL_H
#define LETHE_METHOD_TABLE_TUPLES_INTERNAL_H
#include "method/table/tuples.h"

/* Things that are equal in several columns get one number, columns being folded in one by one.
 * Exact: keys are mixed radix numbers, made dense before they would overflow. */
typedef struct lethe_tuples_fold {
    size_t n;
    uint64_t range; /* every key is below it */
    uint64_t *key;
    uint64_t *seen;  /* keys by number */
    uint32_t *slots; /* a number plus one, or 0 */
    size_t room;     /* things there is room for */
} lethe_tuples_fold;

LETHE_MUST_CHECK lethe_err lethe_tuples_fold_room(lethe_arena *a, size_t room,
                                                  lethe_tuples_fold *f);
void lethe_tuples_fold_begin(lethe_tuples_fold *f, size_t n); /* all equal so far; n <= room */
/* Before a column of codes below `n_codes` is folded in by f->key[i] = f->key[i] * n_codes + code:
 * makes it fit, and counts it in. */
void lethe_tuples_fold_column(lethe_tuples_fold *f, uint32_t n_codes);
/* Keys become numbers from 0, in the order first met; returns how many. */
uint32_t lethe_tuples_fold_number(lethe_tuples_fold *f);

/* Room for one group at a time. */
typedef struct lethe_group_maker {
    const lethe_tuples *t;
    const lethe_group_demand *d;
    uint32_t *place; /* by sensitive value: where it stands in `value`, plus one; else 0 */
    uint32_t *value, *with, *cut;
    uint32_t *room;     /* as lethe_group_counts has it */
    uint32_t *of_class; /* CM */
    size_t class_room;
    lethe_group_counts group;
} lethe_group_maker;

LETHE_MUST_CHECK lethe_err lethe_group_maker_new(lethe_arena *a, const lethe_tuples *t,
                                                 const lethe_group_demand *d, lethe_group_maker *m);
void lethe_group_maker_free(lethe_group_maker *m); /* what is not the arena's */
/* The group of those tuples, `general` being set; its price.  m->cut is filled. */
LETHE_MUST_CHECK lethe_err lethe_group_make(lethe_group_maker *m, const uint32_t *tuple, size_t n,
                                            uint64_t general, lethe_group_price *out);

#endif
