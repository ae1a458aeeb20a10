/* SPDX-License-Identifier: Apache-2.0 */
/* local_internal.h - what the parts of local recoding share: the table as small numbers, its rows
 * as items, and groups of items. */
#ifndef LETHE_METHOD_TABLE_LOCAL_LOCAL_INTERNAL_H
#define LETHE_METHOD_TABLE_LOCAL_LOCAL_INTERNAL_H
#include "method/table/local/local_groups.h"

/* --- space --- */

/* A coordinate of what a group publishes.  A column with a hierarchy has one, whose states are the
 * nodes; ranges have two, the highest and the lowest leaf.  Costs are the caller's weights rounded
 * to 31 bits in all, so that the inner loops work with small numbers; the loss that is reported is
 * computed from the weights themselves. */
typedef enum local_axis_kind { LOCAL_NODE, LOCAL_HIGH, LOCAL_LOW } local_axis_kind;
typedef struct local_axis {
    local_axis_kind kind;
    size_t column;
    const lethe_tree *tree;
    uint32_t n_codes, n_states;
    const uint32_t *leaf;     /* by code: its leaf */
    const uint32_t *state_of; /* by code: the state of this value alone */
    const int32_t *cost;      /* by state: of one row; that of LOCAL_LOW is negative */
    uint32_t base;            /* tables: where joined[code * n_states + state] begins */
} local_axis;

typedef struct local_space {
    size_t n_axes, n_tables; /* the first n_tables axes have tables */
    local_axis *axis;
    int32_t *joined_cost;  /* of the state that a code and a state have in common */
    uint16_t *joined;      /* that state */
    int32_t deletion_cost; /* of a row */
    /* Distinct rows as the demand sees them: tuples, or where only rows count, those of equal
     * quasi-identifiers as one.  */
    size_t n_kinds;
    uint32_t *first;   /* n_kinds + 1: its tuples */
    uint32_t *rows;    /* by kind */
    uint32_t *sa;      /* by kind; NULL: not looked at */
    uint32_t *profile; /* by kind: kinds of equal quasi-identifiers have the same, ascending */
    uint32_t *offset;  /* [kind * n_axes + axis]: row of the axis' table; without one, the code */
} local_space;

LETHE_MUST_CHECK lethe_err lethe_local_space_make(const lethe_tuples *t,
                                                  const lethe_local_column *column,
                                                  const lethe_local_demand *d, lethe_arena *a,
                                                  local_space *out);

/* The state of the axis that value `offset` and `state` have in common: of axes without a table. */
uint32_t lethe_local_join_far(const local_axis *x, uint32_t offset, uint32_t state);

static inline uint32_t local_join(const local_space *s, size_t x, uint32_t offset, uint32_t state)
{
    return x < s->n_tables ? s->joined[offset + state]
                           : lethe_local_join_far(&s->axis[x], offset, state);
}

/* Cost of a row in a group of this state after a row of this kind has joined. */
static inline int64_t local_cost_with(const local_space *s, const uint32_t *offset,
                                      const uint32_t *state)
{
    int64_t sum = 0;
    for (size_t x = 0; x < s->n_tables; x++)
        sum += s->joined_cost[offset[x] + state[x]];
    for (size_t x = s->n_tables; x < s->n_axes; x++)
        sum += s->axis[x].cost[lethe_local_join_far(&s->axis[x], offset[x], state[x])];
    return sum;
}

/* Which value a kind has on an axis: state_of[code] is its state. */
uint32_t lethe_local_code(const local_space *s, uint32_t kind, size_t axis);
/* The state of a row alone, joining a row to a state, and what a row of a state costs. */
void lethe_local_state_of(const local_space *s, uint32_t kind, uint32_t *state);
void lethe_local_join(const local_space *s, uint32_t kind, uint32_t *state);
void lethe_local_join_states(const local_space *s, const uint32_t *other, uint32_t *state);
int64_t lethe_local_cost(const local_space *s, const uint32_t *state);

/* --- items --- */

/* Rows of a kind that stay together. */
typedef struct local_item {
    uint32_t kind, rows;
} local_item;

/* Groups of items. */
typedef struct local_parts {
    local_item *item;
    size_t n_items;
    size_t n_kept; /* items that are in groups: the first */
    size_t *start; /* n + 1 */
    size_t n;
} local_parts;

/* --- demand --- */

/* Judges sets of items; one per thread. */
typedef struct local_judge {
    const local_space *space;
    lethe_group_demand demand; /* without suppression */
    bool rows_only;
    uint64_t k;
    uint32_t *with;         /* by sensitive value, zero between calls */
    uint32_t *value, *held; /* the values of a set, ascending, and rows of each */
    uint32_t *cut;
    bool *listed; /* by sensitive value: it is in `value` */
    uint32_t n_values;
    uint32_t *room;             /* for the demand */
    const uint32_t *population; /* by tuple; NULL: not asked for */
    uint32_t *items;            /* by profile: items of the set that have it */
    uint32_t *met;              /* profiles that some item had, each once */
    bool *is_met;               /* by profile: it is in `met` */
    uint32_t n_met;
    uint64_t n_population;
    uint64_t n_rows;
} local_judge;

LETHE_MUST_CHECK lethe_err lethe_local_judge_make(const local_space *s, const lethe_local_demand *d,
                                                  lethe_arena *a, local_judge *out);
/* A set is begun, items are added (or taken out again), and it is judged, which ends it. */
void lethe_local_judge_add(local_judge *j, local_item item);
void lethe_local_judge_drop(local_judge *j, local_item item);
bool lethe_local_judge_valid(local_judge *j);

/* --- phases --- */

/* Groups from the hierarchies downwards: parts of *p are divided as long as all are valid and
 * cost falls.  Items are reordered. */
LETHE_MUST_CHECK lethe_err lethe_local_divide(lethe_ctx *ctx, const local_space *s, local_judge *j,
                                              lethe_arena *tmp, local_parts *p);

/* A search in a block of items. */
typedef struct local_task {
    bool start;           /* groups are made anew first, if that is better */
    uint32_t effort;      /* steps, in multiples of the least */
    uint64_t granule;     /* rows of an item at most, unless it is a lump of equal rows */
    uint64_t max_deleted; /* rows */
} local_task;

/* Improves the groups by a search of a bounded number of steps.  `start` of *p has room for one
 * number more than there are items, and p->item is the first item, start[0] whatever it is counted
 * from.  Items are reordered: those that are deleted come last. */
LETHE_MUST_CHECK lethe_err lethe_local_improve(lethe_ctx *ctx, const local_space *s, local_judge *j,
                                               const local_task *task, lethe_arena *tmp,
                                               local_parts *p);
/* So many items may be in a block. */
size_t lethe_local_block_max(const local_space *s);

#endif
