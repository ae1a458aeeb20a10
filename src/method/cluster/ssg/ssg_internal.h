/* SPDX-License-Identifier: Apache-2.0 */
/* ssg_internal.h - a run of ssg (ssg.c), and what its groups publish (published.c). */
#ifndef LETHE_METHOD_CLUSTER_SSG_SSG_INTERNAL_H
#define LETHE_METHOD_CLUSTER_SSG_SSG_INTERNAL_H
#include "method/cluster/ssg/climb.h"
#include "method/method.h"

/* As the choices of --centre, and the words of --metric, and a file. */
enum lethe_ssg_centre { LETHE_SSG_VOTE, LETHE_SSG_ANCESTOR, LETHE_SSG_BAG };
enum lethe_ssg_metric { LETHE_SSG_TREE, LETHE_SSG_NETWORK, LETHE_SSG_FILE };

/* An item and who has it. */
struct lethe_ssg_use {
    uint32_t person, item;
};

struct lethe_ssg {
    lethe_run *run;
    lethe_result *out;
    const lethe_tree *t;
    const lethe_records *r;
    enum lethe_ssg_centre centre;
    enum lethe_ssg_metric metric;
    bool of_log; /* min_owners counts persons of the whole log */
    bool climbs; /* what does not fit all members climbs (climb.h) */
    uint64_t min_owners;
    uint32_t epsilon; /* of a file of distances: millionths */
    lethe_meaning *meaning;
    lethe_ssg_options how;
    lethe_ssg_groups groups;

    lethe_arena *arena;
    lethe_ssg_climbs *climbed; /* of each group; NULL: nothing */
    uint32_t **item;           /* what each group publishes: nodes and bags */
    uint32_t *n_items;
    struct lethe_ssg_use *use; /* of the group at hand, by person and item */
    size_t n_uses, room_uses;
    uint32_t *used; /* the items of these, ascending */
    uint32_t *meet; /* what two that follow each other are below, of each person; ascending */
    size_t n_meets;
    uint32_t *holders; /* of each node: persons of the log who used a term at or below it */
    uint32_t *bag;     /* the terms of the hyper-term at hand */
    uint8_t *shown;    /* of each node: is it published, or in a bag? */
    uint64_t lost;     /* scaled */
    double distance;   /* of published terms from what stands for them: distance_loss */
    uint64_t empty, published, words, distinct, distinct_before;
};

static inline lethe_diag *lethe_ssg_diag(const struct lethe_ssg *h)
{
    return lethe_ctx_diag(h->run->ctx);
}

/* In a tree of one leaf nothing is ambiguous, and loss is what is not published. */
static inline uint64_t lethe_ssg_scale(const struct lethe_ssg *h)
{
    return LETHE_MAX(lethe_tree_scale(h->t), 1);
}

/* Fills `item` and `n_items`, and counts what is lost.  With a message; LETHE_ANSWER_NO: nothing
 * could be published. */
LETHE_MUST_CHECK lethe_err lethe_ssg_publish_groups(struct lethe_ssg *h);

#endif
