/* SPDX-License-Identifier: Apache-2.0 */
/* item_search_internal.h - the parts of the search: item_clues.c makes the list of clues,
 * item_view.c looks at some of the sets by bits, item_search.c goes through sets of clues. */
#ifndef LETHE_CHECK_ITEM_SEARCH_INTERNAL_H
#define LETHE_CHECK_ITEM_SEARCH_INTERNAL_H
#include "check/item_search.h"

/* --- clues --- */

/* A *column* is an item that some sets have, but not all.  Of a node and a child that the same sets
 * have, the child is the column of both: knowing of it costs no more.  Columns stand in the order
 * of positive clues, so that clue i is column i, present. */
typedef struct lethe_item_clues {
    const lethe_item_sets *sets;
    uint32_t n_columns;
    const uint32_t *item;  /* by column */
    const uint64_t *start; /* by set, n + 1: its columns, ascending */
    const uint32_t *column;
    const uint64_t *holders;   /* by column, n_columns + 1: the sets that have it, */
    const uint32_t *holder;    /* ascending */
    uint32_t n_joined;         /* clues n_columns and on: one of several is present */
    const lethe_clue *joined;  /* their items */
    const uint32_t *column_of; /* by item; LETHE_NONE: no set has it, or all have */
    uint32_t n_absent;         /* the last clues */
    const uint32_t *absent;    /* their columns */
    const bool *beside;        /* by column: may a clue other than a positive one need it? */
    uint32_t n;                /* clues in all */
    bool tells;                /* can a sensitive item be told at all? */
    lethe_arena *arena;
} lethe_item_clues;

/* Reports LETHE_ENOMEM; LETHE_ECANCEL.  Call lethe_item_clues_free() in any case. */
LETHE_MUST_CHECK lethe_err lethe_item_clues_make(lethe_ctx *ctx, const lethe_item_sets *s,
                                                 const lethe_item_question *q,
                                                 lethe_item_clues *out);
void lethe_item_clues_free(lethe_item_clues *c);

static inline bool lethe_clue_is_absent(const lethe_item_clues *c, uint32_t clue)
{
    return clue >= c->n_columns + c->n_joined;
}
static inline bool lethe_clue_is_joined(const lethe_item_clues *c, uint32_t clue)
{
    return clue >= c->n_columns && !lethe_clue_is_absent(c, clue);
}
/* Its columns, at most LETHE_CLUE_ITEMS; returns how many. */
uint32_t lethe_clue_columns(const lethe_item_clues *c, uint32_t clue, uint32_t *out);
lethe_clue lethe_clue_named(const lethe_item_clues *c, uint32_t clue);
uint64_t lethe_clue_leaves(const lethe_item_clues *c, uint32_t clue); /* 0 of what is present */

/* --- views --- */

/* Some of the sets, and who of them has a column or a sensitive item, as bits.  Sets stand the
 * heaviest first; weights are kept bit by bit, so that what some weigh together is a few counts of
 * bits, and the higher bits of the weights end early. */
typedef struct lethe_item_view {
    uint32_t n; /* sets */
    size_t words;
    uint32_t *set;
    uint32_t cap;
    unsigned n_planes;
    size_t plane_words[64]; /* up to where a weight has that bit */
    lethe_buf planes;       /* n_planes rows */
    lethe_buf bits;         /* a row for each column or sensitive item that is there */
    uint32_t n_rows;
    uint32_t *row;   /* by column, then by sensitive item; LETHE_NONE: none of the sets has it */
    uint32_t *shown; /* what has a row, in the order of rows; sensitive items after n_columns */
    bool wide;
    lethe_ctx *ctx;
    uint64_t *room; /* bytes that it may still grow by; shared with whoever else counts there */
} lethe_item_view;

/* Takes `bytes` off the room.  LETHE_ECANCEL: so much is not left (lethe_ctx_over_memory). */
LETHE_MUST_CHECK lethe_err lethe_room_take(lethe_ctx *ctx, uint64_t *room, uint64_t bytes);
/* Room for `n` sets, whose numbers then go to v->set[0 .. n - 1], ascending. */
LETHE_MUST_CHECK lethe_err lethe_view_sets(lethe_item_view *v, uint32_t n);
/* Fills in the rest, for the columns that are wanted.  `after`: columns past it and those beside
 * are; LETHE_NONE: those with wanted[column] == stamp are. */
LETHE_MUST_CHECK lethe_err lethe_view_fill(lethe_item_view *v, const lethe_item_clues *c,
                                           uint32_t after, const uint64_t *wanted, uint64_t stamp);
void lethe_view_free(lethe_item_view *v);

static inline const uint64_t *lethe_view_row(const lethe_item_view *v, uint32_t shown)
{
    uint32_t row = v->row[shown];
    return row == LETHE_NONE ? NULL : (const uint64_t *)(const void *)v->bits.at + row * v->words;
}

/* How many records are in a and b (and c). */
uint64_t lethe_view_weigh(const lethe_item_view *v, const uint64_t *a, const uint64_t *b);
uint64_t lethe_view_weigh3(const lethe_item_view *v, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c);

#endif
