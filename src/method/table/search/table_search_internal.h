/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_internal.h - the search for the cheapest cuts of a table, in parts.
 *
 * Cells are the rows with equal leaves, sensitive value and class; groups of the current cut are
 * ranges of one array of cells, which is permuted in place when a value is specialized and need not
 * be put back: a range holds the same cells whatever their order.  Each group knows its own cost
 * and a bound on what it costs, split in whichever way; only groups that have the value at hand are
 * looked at.
 *
 * As values are locked, cells of a group become equal for all cuts of the subtree.  A group is tidy
 * if such cells stand side by side; splits leave it so.  Where there are many, the group gets a
 * shorter range of its own behind the others, until the step at hand is taken back. */
#ifndef LETHE_METHOD_TABLE_SEARCH_TABLE_SEARCH_INTERNAL_H
#define LETHE_METHOD_TABLE_SEARCH_TABLE_SEARCH_INTERNAL_H
#include "method/table/search/table_search.h"
#include "core/mem.h"
#include <pthread.h>
#include <stdatomic.h>

/* --- what does not change (table_search_cells.c) --- */

/* What is counted of a tuple, side by side. */
typedef struct lethe_table_tally {
    uint32_t sa, count;
} lethe_table_tally;

/* A value is a node of one of the trees: base[a] + node.  Inner ones have a rank: their place in
 * the order in which they are specialized. */
typedef struct lethe_table_cells {
    const lethe_tuples *t;
    const lethe_group_demand *d;
    size_t n, n_qi;
    const lethe_table_tally *tally; /* by cell */
    const uint32_t *class;          /* by cell; NULL unless the cost is CM */
    size_t words;
    const uint64_t *key;   /* by cell, `words` each: its leaves, packed */
    const uint32_t *word;  /* by quasi-identifier: where in the key, */
    const uint64_t *mask;  /* which bits, */
    const uint32_t *shift; /* and how far up */
    const uint32_t *base;  /* n_qi + 1 */
    uint32_t n_values;
    const uint32_t *qi;     /* by value */
    const uint64_t *weight; /* by value: LM of a row; 0 throughout if that is not the cost */
    const uint64_t *occurs; /* by value: rows */
    uint32_t n_inner;
    const uint32_t *ranked; /* by rank: the value */
    const uint32_t *rank;   /* by value; LETHE_NONE: a leaf */
    uint32_t n_sa, n_class; /* at least 1 each; classes 1 unless the cost is CM */
    uint64_t unit;          /* what one suppressed row, or value, costs */
} lethe_table_cells;

LETHE_MUST_CHECK lethe_err lethe_table_cells_of(lethe_arena *a, const lethe_tuples *t,
                                                const lethe_group_demand *d,
                                                const uint64_t *const *weight, bool reverse,
                                                lethe_table_cells *out);
static inline uint32_t lethe_table_cells_leaf(const lethe_table_cells *c, const uint64_t *key,
                                              uint32_t qi)
{
    return (uint32_t)((key[c->word[qi]] & c->mask[qi]) >> c->shift[qi]);
}
static inline const lethe_tree *lethe_table_cells_tree(const lethe_table_cells *c, uint32_t value)
{
    return c->t->tree[c->qi[value]];
}

/* --- groups of the current cut (table_search_parts.c) --- */

typedef struct lethe_table_part {
    uint32_t begin, end; /* cells */
    uint32_t parent;
    uint32_t rows, deleted;
    uint32_t least;   /* rows, or values, that are suppressed in it however it is split */
    uint64_t losses;  /* LM of these */
    uint64_t open;    /* by quasi-identifier: may its value be specialized? */
    uint64_t varies;  /* by quasi-identifier: do its cells have different leaves? */
    uint64_t tidy;    /* by quasi-identifier: cells that are equal in these stand side by side */
    uint64_t base;    /* cost but for the LM of rows that are kept */
    uint64_t now;     /* LM of a row that is kept */
    uint64_t spec;    /* the same at Cut_spec: open values weigh nothing */
    uint64_t spread;  /* at Cut_spec: DM, or rows in the minority for CM */
    uint32_t largest; /* at Cut_spec: rows of the largest group, or more */
    bool alive, valid;
    bool settled;   /* splits change nothing but LM: in no list, but in `settled` of its values */
    bool doomed;    /* no split of it is valid */
    bool gone;      /* each split of it is valid, and all of it is suppressed */
    bool lost;      /* no cut of the subtree is valid, for its sake */
    uint64_t bound; /* unless lost */
} lethe_table_part;

/* What a lock changed, or tidying. */
typedef struct lethe_table_part_log {
    uint32_t part, largest, begin, end;
    bool lost, locked;
    uint64_t bound, spread, varies, tidy;
} lethe_table_part_log;

typedef struct lethe_table_part_sum {
    uint64_t cost, bound;
    uint32_t n_invalid, n_lost;
} lethe_table_part_sum;

/* A step that can be taken back. */
typedef struct lethe_table_part_step {
    uint32_t value;
    uint32_t n_parts;
    lethe_table_part_sum sum;
    size_t n_log, n_cells;
} lethe_table_part_step;

/* Memory: cells and scratch; of groups that became shorter, half as many cells each time, and it is
 * at most once for each quasi-identifier of a cell, so there are fewer than twice as many in all;
 * groups, live and split, of which there are at most as many as cells times the trees' heights,
 * each with 2 n_qi numbers; the log, at most 2 n_qi entries for each of them.  So it is linear in
 * tuples.
 */
typedef struct lethe_table_parts {
    const lethe_table_cells *c;
    uint64_t *key; /* of the cells; groups are ranges of them */
    lethe_table_tally *tally;
    uint32_t *class;      /* NULL unless the cost is CM */
    uint32_t *population; /* NULL: there is none */
    size_t n_cells, cap_cells;
    lethe_table_part *part;
    uint32_t *node; /* by group and quasi-identifier: the value */
    uint32_t *next; /* likewise: the next group that has it */
    uint32_t n, cap;
    uint32_t *head;        /* by value: the last group that has it; LETHE_NONE */
    uint8_t *split;        /* by value: is it specialized? */
    uint64_t *open;        /* bits by rank: in the cut, and may be specialized */
    const uint8_t *closed; /* by value: never open */
    uint64_t *settled;     /* by value: rows of settled groups that are kept, where it was open */
    lethe_table_part_sum sum;
    lethe_table_part_log *log;
    size_t n_log, cap_log;
    bool frozen;   /* locks leave bounds as they are */
    uint64_t work; /* cells looked at */
    /* scratch */
    uint64_t *moved_key; /* cells in a new order, and where each goes */
    lethe_table_tally *moved_tally;
    uint32_t *moved_class, *moved_population, *moved_to, *child_of, *count;
    uint32_t *dense, *dense_class; /* by sensitive value, and class: zeros between uses */
    uint32_t *pairs;               /* of sensitive value and class */
    uint32_t *touched, *with, *of_class, *cut, *room; /* a group, as lethe_group_counts has it */
    uint64_t *group_mask, *group_key;                 /* cells that are one at Cut_spec */
    uint32_t *slot, *group_start, *with_class;
    lethe_arena *arena;
} lethe_table_parts;

/* At the roots. */
LETHE_MUST_CHECK lethe_err lethe_table_parts_new(const lethe_table_cells *c, const uint8_t *closed,
                                                 bool frozen, lethe_table_parts **out);
void lethe_table_parts_free(lethe_table_parts *s);
/* An open value is specialized; its children that are inner nodes are open.  On failure nothing
 * may be done but to free it. */
LETHE_MUST_CHECK lethe_err lethe_table_parts_specialize(lethe_table_parts *s, uint32_t value,
                                                        lethe_table_part_step *step);
/* What was specialized last, back; is it open afterwards? */
void lethe_table_parts_merge(lethe_table_parts *s, const lethe_table_part_step *step, bool open);
/* A value that is not specialized in the subtree any more. */
LETHE_MUST_CHECK lethe_err lethe_table_parts_lock(lethe_table_parts *s, uint32_t value,
                                                  lethe_table_part_step *step);
void lethe_table_parts_unlock(lethe_table_parts *s, const lethe_table_part_step *step);
/* The first open rank from `rank` on; LETHE_NONE. */
uint32_t lethe_table_parts_open(const lethe_table_parts *s, uint32_t rank);
static inline bool lethe_table_parts_valid(const lethe_table_parts *s)
{
    return s->sum.n_invalid == 0;
}

/* Room for so many more cells; LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_table_parts_room(lethe_table_parts *s, size_t more);
/* The n cells from `begin` on into the moved_ ones, in the order of moved_to, and within one in
 * their own; at[k] is where those of k begin, and afterwards where they end. */
void lethe_table_parts_scatter(lethe_table_parts *s, uint32_t begin, uint32_t n, uint32_t *at);
/* These back to where they were. */
void lethe_table_parts_put_back(lethe_table_parts *s, uint32_t begin, uint32_t n);

/* --- groups made tidy (table_search_tidy.c) --- */

static inline bool lethe_table_part_is_tidy(const lethe_table_part *p)
{
    return ((p->tidy ^ p->open) & p->varies) == 0;
}
/* Changes begin, end, varies and tidy of the group; the caller notes what they were. */
LETHE_MUST_CHECK lethe_err lethe_table_part_tidy(lethe_table_parts *s, uint32_t part);

/* --- prices and bounds of a group (table_search_bound.c) --- */

/* From its cells: rows, price, least, varies. */
void lethe_table_part_measure(lethe_table_parts *s, lethe_table_part *p);
/* At Cut_spec: spread, largest.  Nothing for LM.  The group is tidy. */
void lethe_table_part_spread(lethe_table_parts *s, lethe_table_part *p);
/* lost and bound, from all the rest. */
void lethe_table_part_bound(const lethe_table_parts *s, lethe_table_part *p);
static inline uint64_t lethe_table_part_cost(const lethe_table_part *p)
{
    return p->base + (uint64_t)(p->rows - p->deleted) * p->now;
}
static inline bool lethe_table_part_homogeneous(const lethe_table_part *p)
{
    return (p->varies & p->open) == 0;
}

/* --- the best so far, and limits (table_search_best.c) --- */

typedef struct lethe_table_best {
    lethe_ctx *ctx;
    const lethe_table_cells *c;
    const lethe_table_limits *limits;
    double begin, deadline; /* seconds of the monotonic clock; 0: none */
    _Atomic uint64_t examined;
    _Atomic uint64_t
        bar;           /* the cost of the last of `top` cuts; UINT64_MAX: there are not so many */
    _Atomic bool met;  /* a limit */
    _Atomic bool stop; /* a worker failed */
    pthread_mutex_t lock; /* of what follows */
    size_t n, cap;
    uint64_t *cost;
    uint8_t **split; /* of each cut, by value */
    uint64_t least;  /* the least bound of what alpha cut off */
    uint64_t to_best;
} lethe_table_best;

LETHE_MUST_CHECK lethe_err lethe_table_best_begin(lethe_table_best *b, lethe_ctx *ctx,
                                                  const lethe_table_cells *c,
                                                  const lethe_table_limits *limits);
void lethe_table_best_end(lethe_table_best *b);
/* Counts the state's cut as examined, and keeps it if it is among the best. */
LETHE_MUST_CHECK lethe_err lethe_table_best_offer(lethe_table_best *b, const lethe_table_parts *s);
/* Is every cut of the subtree useless?  With `slack`: or at best not much better? */
bool lethe_table_best_excludes(lethe_table_best *b, const lethe_table_parts *s, double slack);
/* LETHE_OK; LETHE_ANSWER_NO: a limit is met; LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_table_best_poll(lethe_table_best *b);
/* The number of cuts is reached. */
bool lethe_table_best_enough(lethe_table_best *b);
LETHE_MUST_CHECK lethe_err lethe_table_best_give(const lethe_table_best *b, lethe_arena *a,
                                                 lethe_table_found *out);

/* --- subtrees for workers (table_search_share.c) --- */

/* What is left below a cut of the enumeration: these ranks specialized in turn, all before each
 * being locked; then all up to `done` are locked too (LETHE_NONE: none is). */
typedef struct lethe_table_task {
    uint32_t *rank;
    uint32_t n, done;
} lethe_table_task;

typedef struct lethe_table_share {
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t news;
    _Atomic unsigned n_waiting; /* workers; read without the lock as a hint */
    unsigned n_active;          /* workers that have a task */
    bool offered;               /* is there a task that nobody has taken? */
    lethe_table_task task;
} lethe_table_share;

LETHE_MUST_CHECK lethe_err lethe_table_share_begin(lethe_table_share *s, lethe_arena *a,
                                                   uint32_t n_inner);
void lethe_table_share_end(lethe_table_share *s);
/* All cuts are the first task; no worker may be at work. */
void lethe_table_share_whole(lethe_table_share *s);
/* Waits for a task; false: all is done.  lethe_table_share_finish() must follow a task. */
bool lethe_table_share_take(lethe_table_share *s, lethe_table_task *out);
/* The end of a task; `stop`: of all of them, so that one that is on offer lapses. */
void lethe_table_share_finish(lethe_table_share *s, bool stop);
/* Is the task wanted?  Then it is no longer the caller's. */
bool lethe_table_share_offer(lethe_table_share *s, const lethe_table_task *t);

/* --- the walk (table_search_walk.c) --- */

typedef struct lethe_table_frame {
    lethe_table_part_step step; /* how its cut was made */
    size_t n_locks;             /* on the stack before */
    bool given;                 /* to another worker: its other children */
} lethe_table_frame;

typedef struct lethe_table_walk {
    lethe_table_parts *s;
    lethe_table_best *b;
    lethe_table_share *share;
    lethe_table_frame *frame; /* frame[0]: the roots */
    uint32_t depth;
    lethe_table_part_step *locks;
    size_t n_locks;
    lethe_table_task task; /* the one at hand */
    lethe_table_task give; /* room for one that is offered */
    uint64_t polled;       /* the work that was done by then */
    uint32_t steps;        /* since */
    bool looks;            /* ahead */
} lethe_table_walk;

LETHE_MUST_CHECK lethe_err lethe_table_walk_new(lethe_arena *a, lethe_table_parts *s,
                                                lethe_table_best *b, lethe_table_share *share,
                                                lethe_table_walk *out);
/* A good cut to begin with: down from the roots as long as it becomes cheaper. */
LETHE_MUST_CHECK lethe_err lethe_table_walk_down(lethe_table_walk *w);
/* Algorithm 3.1: tasks until there is none.  What cannot be better by more than `slack` is left
 * (0: nothing), and so is all once so many cuts are examined (0: no end). */
LETHE_MUST_CHECK lethe_err lethe_table_walk_tasks(lethe_table_walk *w, double slack, uint64_t cuts);

#endif
