/* SPDX-License-Identifier: Apache-2.0 */
/* refine.h - local improvement of a grouping of records: every change lowers the total cost of the
 * groups, and every group keeps its persons.
 *
 * The cost of a group, and the groups worth examining for a record, come from a lethe_refine_model;
 * refine_ggd.h is the one of Clump.  Changes: a record moves to another group; two records of two
 * groups change places; a group of at least 2 k persons is split; a group is dissolved, each of its
 * records going to another group.
 *
 * A round examines all records in parallel against the groups as they are, and each names its best
 * change.  Then the changes are made, the greatest gain first (ties to the lowest record), each
 * group changing at most once per round, so that every gain is exactly as computed.  So the result
 * is the same for any number of threads.  What has not changed is not examined again.
 *
 * Once it has settled, no move of a record to a group near it, and no swap with one of the members
 * examined there, lowers the cost; where the model names all groups and none has more than
 * LETHE_REFINE_SWAPS members, no move or swap at all does.  Nor does dissolving a group, if each of
 * its records goes where it is best off and no two to the same group.  Splits are tried along one
 * line only; a pair of changes of which one alone raises the cost is never found.
 *
 * Cost of a round: for each record up to LETHE_REFINE_NEAR joins and for each of these groups up to
 * LETHE_REFINE_SWAPS swaps, as expensive as the model makes them, in parallel; after the first
 * round only against groups that changed.  Sorting the wishes and splitting are serial.  Memory: 41
 * bytes per record, 4 more with owners, 257 more
 * where the model keeps candidates, 16 for each record with a wish while changes are made; 60
 * per group. */
#ifndef LETHE_METHOD_CLUSTER_REFINE_REFINE_H
#define LETHE_METHOD_CLUSTER_REFINE_REFINE_H
#include "core/ctx.h"
#include "core/mem.h"

/* Records in groups. */
typedef struct lethe_refine_grouping {
    size_t n;              /* records: below 2^32 - 1 */
    uint32_t *group;       /* of each record: 0 .. n_groups - 1 */
    uint32_t n_groups;     /* each has a record, and k persons; the two may change */
    const uint32_t *owner; /* the person of each record, below n_owners; NULL: each is one */
    uint32_t n_owners;
    uint64_t k; /* at least 1 */
} lethe_refine_grouping;

/* The most candidates of a record, and members of a candidate that it may swap with (if there are
 * more, that many from the one at the record's number modulo their number). */
enum { LETHE_REFINE_NEAR = 16, LETHE_REFINE_SWAPS = 64 };

/* A group that a record might go to, kept from round to round while the group does not change. */
typedef struct lethe_refine_candidate {
    int64_t join; /* what the group then costs more; or a bound from below */
    uint32_t group;
    uint16_t score; /* the model's */
    bool fresh;     /* new to the record, or the group has changed: nothing about it is known */
    bool exact;     /* `join` is no mere bound */
} lethe_refine_candidate;

/* The cost of groups, in whole numbers, all costs together below 2^63.  Each function gets the
 * worker's number w; all except `ready` may run in parallel on different workers, `change` beside
 * nothing but itself, for other groups. */
typedef struct lethe_refine_model {
    void *arg;
    /* The cost of a group with these n >= 1 members, ascending. */
    lethe_err (*cost)(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out);
    /* At most LETHE_REFINE_NEAR groups that the record might go to, each once, without its own and
     * without empty ones; with `changed`, only of those that changed in the last round. */
    lethe_err (*near)(void *arg, unsigned w, uint32_t record, bool changed, uint32_t *group,
                      size_t *n);

    /* The others may be NULL. */

    /* Group g has these members now, and costs *out; n = 0: it is gone, and costs 0.  Called for
     * all groups at first.  NULL: `cost` is called. */
    lethe_err (*change)(void *arg, unsigned w, uint32_t g, const uint32_t *member, size_t n,
                        uint64_t *out);
    /* `change` was called for all changes; groups are 0 .. n_groups - 1, some may be empty.
     * changed[]: those that changed in the last round, ascending (all at first). */
    lethe_err (*ready)(void *arg, uint32_t n_groups, const uint32_t *changed, size_t n_changed);

    /* All three, or none and `cost` is called instead: the change of costs.  join: group g gets
     * record r.  leave: r leaves its group, which has others.  swap: a and b change places, the
     * costs of two groups together; where that is not below `bound`, any number not below it. */
    lethe_err (*join)(void *arg, unsigned w, uint32_t r, uint32_t g, int64_t *out);
    lethe_err (*leave)(void *arg, unsigned w, uint32_t r, int64_t *out);
    lethe_err (*swap)(void *arg, unsigned w, uint32_t a, uint32_t b, int64_t bound, int64_t *out);
    /* With `swap`, or NULL: may a swap of r with a member of g be below `bound`? */
    bool (*swap_any)(void *arg, uint32_t r, uint32_t g, int64_t bound);

    /* Both, with `join`, or none and `near` is called instead.  renew: the candidates of a record,
     * at most LETHE_REFINE_NEAR, each group once, without its own and without empty ones.
     * at[0..*n-1] were those of the last round; the result has those of groups that changed only as
     * fresh ones.  `changed` as for `near`; otherwise *n is 0 at first.  join_least: a bound from
     * below of what `join` gives. */
    lethe_err (*renew)(void *arg, unsigned w, uint32_t record, bool changed,
                       lethe_refine_candidate *at, size_t *n);
    int64_t (*join_least)(void *arg, unsigned w, uint32_t r, uint32_t g);
} lethe_refine_model;

/* What was done. */
typedef struct lethe_refine_result {
    uint64_t cost_before, cost_after;
    uint64_t rounds; /* that changed something */
    uint64_t moves, swaps, splits, dissolved;
    bool settled; /* a round found nothing to change */
} lethe_refine_result;

/* At most `rounds` rounds (0: only sums up costs).  Groups are then numbered in the order of their
 * lowest record, unless nothing changed at all.  A group that begins with fewer than k persons
 * keeps as many, unless it is dissolved.  On failure (LETHE_ENOMEM without a message,
 * LETHE_ECANCEL, errors of the model) the grouping is unchanged.  `out` may be NULL.  Progress:
 * phase "refine", one unit per round. */
LETHE_MUST_CHECK lethe_err lethe_refine(lethe_ctx *ctx, const lethe_refine_model *model,
                                        uint64_t rounds, lethe_refine_grouping *g,
                                        lethe_refine_result *out);

#endif
