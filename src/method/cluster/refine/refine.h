/* refine.h - local improvement of a grouping of records: the total cost of the groups falls with
 * every change, and every group keeps its persons.
 *
 * Knows nothing of what a group costs: that, and which groups are worth a look for a record, it
 * asks of a lethe_refine_model.  refine_ggd.h is Clump's.  Changes: a record moves to another
 * group; two records of two groups change places; a group of 2 k persons or more is split; a group
 * is dissolved, its records going each to another.
 *
 * A round looks at all records side by side against the groups as they stand, each naming its best
 * change; then the changes are made, the greatest gain first (ties: the lowest record), a group
 * changing at most once a round, so that every gain made is exactly the gain seen.  So the result
 * is the same for any number of threads.  What has not changed is not looked at again.
 *
 * Once it has settled, no move of a record to a group that is near it, and no swap with one of the
 * members looked at there, lowers the cost; where the model names all groups and none has more than
 * LETHE_REFINE_SWAPS members, no move or swap at all does.  Nor does dissolving a group, if each of
 * its records goes where it is best off and no two to the same.  Splits are tried along one line
 * only; what takes two changes of which one alone costs more is never found.
 *
 * Cost of a round: for each record up to LETHE_REFINE_NEAR joins and for each of these groups up to
 * LETHE_REFINE_SWAPS swaps, as dear as the model makes them, side by side; after the first round
 * only against groups that changed.  Sorting of the wishes, and the splits, are serial.  Memory: 45
 * bytes a record, 4 more with owners, 16 for each that has a wish while changes are made; 60 a
 * group. */
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

/* Candidates that a record is given at most, and members of a candidate that it is offered to
 * change places with (of more, so many from the one at the record's number modulo their number). */
enum { LETHE_REFINE_NEAR = 16, LETHE_REFINE_SWAPS = 64 };

/* What a group costs, in whole numbers, all costs together below 2^63.  Each function gets the
 * worker's number w; all but `ready` may run side by side on different workers, though `change`
 * beside none but itself, for other groups. */
typedef struct lethe_refine_model {
    void *arg;
    /* The cost of a group with these n >= 1 members, ascending. */
    lethe_err (*cost)(void *arg, unsigned w, const uint32_t *member, size_t n, uint64_t *out);
    /* At most LETHE_REFINE_NEAR groups which the record might go to, each once, its own not among
     * them, none that is empty; with `changed`, only of those that changed in the last round. */
    lethe_err (*near)(void *arg, unsigned w, uint32_t record, bool changed, uint32_t *group,
                      size_t *n);

    /* May be NULL. */

    /* Group g has these members now, and costs *out; n = 0: it is no more, and costs 0.  Called for
     * all at first.  NULL: the cost is asked for. */
    lethe_err (*change)(void *arg, unsigned w, uint32_t g, const uint32_t *member, size_t n,
                        uint64_t *out);
    /* All changes have been told of; groups are 0 .. n_groups - 1, some may be empty.  changed[]:
     * those that changed in the last round, ascending (all at first). */
    lethe_err (*ready)(void *arg, uint32_t n_groups, const uint32_t *changed, size_t n_changed);

    /* All three, or all NULL and the cost is asked for instead: by how much costs change.
     * join: group g gets record r besides.  leave: r leaves its group, which has others.  swap: a
     * and b change places, two groups' costs together; where that is not below `bound`, any number
     * not below it. */
    lethe_err (*join)(void *arg, unsigned w, uint32_t r, uint32_t g, int64_t *out);
    lethe_err (*leave)(void *arg, unsigned w, uint32_t r, int64_t *out);
    lethe_err (*swap)(void *arg, unsigned w, uint32_t a, uint32_t b, int64_t bound, int64_t *out);
} lethe_refine_model;

/* What was done. */
typedef struct lethe_refine_result {
    uint64_t cost_before, cost_after;
    uint64_t rounds; /* that changed something */
    uint64_t moves, swaps, splits, dissolved;
    bool settled; /* a round found nothing to change */
} lethe_refine_result;

/* At most `rounds` rounds (0: costs are summed, nothing else).  Groups are numbered in the order of
 * their lowest record then, unless nothing was changed at all.  A group that has fewer than k
 * persons to begin with keeps as many, unless it is dissolved.  On failure (LETHE_ENOMEM, not said;
 * LETHE_ECANCEL; what the model returns) the grouping is as it was.  `out` may be NULL.  Progress:
 * phase "refine", a unit a round. */
LETHE_MUST_CHECK lethe_err lethe_refine(lethe_ctx *ctx, const lethe_refine_model *model,
                                        uint64_t rounds, lethe_refine_grouping *g,
                                        lethe_refine_result *out);

#endif
