/* SPDX-License-Identifier: Apache-2.0 */
/* local_search_internal.h - groups of a block of items while they are searched: what each
 * publishes, and what it would publish without any of its items. */
#ifndef LETHE_METHOD_TABLE_LOCAL_LOCAL_SEARCH_INTERNAL_H
#define LETHE_METHOD_TABLE_LOCAL_LOCAL_SEARCH_INTERNAL_H
#include "method/table/local/local_internal.h"

typedef struct local_group {
    uint64_t rows;
    int64_t cost; /* of a row */
    uint32_t n;   /* items */
    uint32_t head;
} local_group;

typedef struct local_ordered {
    uint64_t key;
    uint32_t item;
} local_ordered;

typedef struct local_search {
    lethe_ctx *ctx;
    const local_space *s;
    local_judge *judge;
    size_t axes;
    uint64_t k;
    uint64_t granule;
    uint64_t max_deleted;
    bool few_groups; /* so few that all may be looked at for one item */
    uint32_t bin;    /* the group of deleted items; LETHE_NONE: none may be deleted */
    uint64_t random; /* state of a generator that begins alike in every run */
    uint64_t work;   /* items that were looked at, times columns */
    uint64_t budget; /* so much of it may be done: a change that goes beyond is taken back */

    size_t n; /* items */
    const local_item *item;
    uint32_t *offset; /* [item * axes + axis], as in the space */
    uint32_t *single; /* likewise: the state of the item alone */
    uint32_t *rest;   /* likewise: the state of its group without it */
    int64_t *rest_cost;
    uint32_t *group_of;
    uint32_t *next, *prev; /* members of a group; LETHE_NONE: no more */

    size_t n_groups;
    local_group *group;
    uint32_t *state;  /* [group * axes + axis] */
    uint32_t *unused; /* numbers of groups that have no items */
    size_t n_unused;

    size_t n_near;
    uint32_t *near; /* [item * n_near]: items that are near, LETHE_NONE: no more */

    uint32_t *moved, *moved_from; /* items of a change that is tried, and where they were */
    size_t n_moved;
    local_ordered *ordered, *kept; /* scratch, by item, as are the following */
    int64_t *before;
    uint32_t *lean;
    uint32_t *who, *part, *region;
    uint32_t *seen; /* by group: the last region that it was in */
    uint32_t n_seen;
    size_t most_who; /* items of a region at most */
    uint32_t *list;
    struct local_cells *cells;
} local_search;

static inline uint64_t local_random(local_search *z)
{
    uint64_t x = z->random += 0x9e3779b97f4a7c15u; // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
/* Below n < 2^32; that some are drawn more often by 2^-32 does not matter here. */
static inline uint32_t local_random_below(local_search *z, uint32_t n)
{
    return (uint32_t)(((local_random(z) >> 32) * n) >> 32);
}

static inline bool local_is_spent(const local_search *z) { return z->work > z->budget; }

static inline int64_t local_group_cost(const local_group *g) { return (int64_t)g->rows * g->cost; }

/* Moves an item, perhaps to no group (LETHE_NONE); both groups are then to be computed anew, by
 * lethe_local_refresh. */
void lethe_local_put(local_search *z, uint32_t item, uint32_t group);
void lethe_local_link(local_search *z, uint32_t item, uint32_t group);
void lethe_local_refresh(local_search *z, uint32_t group);
/* A group without items.  Never more than items and one for what is deleted are in use. */
uint32_t lethe_local_unused(local_search *z);
LETHE_MUST_CHECK lethe_err lethe_local_near(local_search *z, size_t rounds, size_t window,
                                            lethe_arena *tmp);

/* Groups of some items as cells of the hierarchies.  `part` gets the number of each item's group;
 * the cost of all is returned, INT64_MAX: some item could not be placed, or the run is cancelled.
 * With `noise` the columns count up to so many hundredths more, by chance. */
typedef struct local_cells local_cells;
/* So many items may be taken at once: what they take grows with items times values. */
size_t lethe_local_cells_max(const local_space *s);
LETHE_MUST_CHECK lethe_err lethe_local_cells_make(local_search *z, size_t max_items, lethe_arena *a,
                                                  local_cells **out);
int64_t lethe_local_cells_solve(local_cells *c, const uint32_t *who, size_t n, uint32_t noise,
                                uint32_t *part, size_t *n_parts);

bool lethe_local_group_valid(local_search *z, uint32_t group); /* or it has no items */
/* Changes that cost less than `bound` are made; else nothing is changed, and false returned. */
bool lethe_local_exchange(local_search *z, uint32_t i, uint32_t h, int64_t bound);
bool lethe_local_part(local_search *z, uint32_t g, uint32_t h, int64_t bound);
bool lethe_local_dissolve(local_search *z, uint32_t g, int64_t bound);
bool lethe_local_narrow(local_search *z, uint32_t kept, size_t axis, int64_t bound);
bool lethe_local_make(local_search *z, uint32_t seed, int64_t bound);
bool lethe_local_rebuild(local_search *z, uint32_t seed, size_t n_groups, int64_t bound);

#endif
