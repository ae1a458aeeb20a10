/* SPDX-License-Identifier: Apache-2.0 */
/* climb.c - finds the terms of a group that no hyper-term has, and the lowest nodes that fit all
 * its members (climb.h). */
#include "method/cluster/ssg/climb.h"
#include "core/sort.h"
#include <stdlib.h>

/* A term of a member that no hyper-term has. */
struct left {
    uint32_t term, member;
};

struct climb {
    const lethe_ssg_options *how;
    const lethe_tree *t;
    lethe_arena *arena;
    lethe_hyper_work work;
    lethe_hyper hyper;
    size_t room, room_members;
    uint32_t *origin; /* of each item of the group: the term of the first member with which it was
                         matched; LETHE_NONE: none */
    uint32_t *now;    /* of each hyper-term at hand: that term of the first member */
    uint8_t *lives;   /* of each term of the first member: is it still one? */
    struct left *left;
    uint32_t *term, *node; /* of `left`: the terms; where they may meet */
    uint8_t *taken;
    size_t n_left;
    uint32_t *count; /* of each member */
    lethe_ssg_climbed *found;
    size_t n_found, room_found;
};

static const uint32_t *terms_of(const struct climb *c, uint32_t record)
{
    return c->how->records->item + c->how->records->start[record];
}

static uint32_t size_of(const struct climb *c, uint32_t record)
{
    return (uint32_t)lethe_record_size(c->how->records, record);
}

/* Room for so many items and members. */
static lethe_err reserve(struct climb *c, size_t n, size_t n_members)
{
    if (n > c->room) {
        uint32_t **const arrays[] = {&c->origin, &c->now, &c->term};
        for (size_t i = 0; i < LETHE_COUNT(arrays); i++) {
            uint32_t *larger = lethe_realloc(*arrays[i], n, sizeof *larger);
            if (!larger) return LETHE_ENOMEM;
            *arrays[i] = larger;
        }
        struct left *left = lethe_realloc(c->left, n, sizeof *left);
        if (left) c->left = left;
        uint32_t *node = lethe_realloc(c->node, n, 2 * sizeof *node);
        if (node) c->node = node;
        uint8_t *taken = lethe_realloc(c->taken, n, 1);
        if (taken) c->taken = taken;
        uint8_t *lives = lethe_realloc(c->lives, n, 1);
        if (lives) c->lives = lives;
        if (!left || !node || !taken || !lives) return LETHE_ENOMEM;
        c->room = n;
    }
    if (n_members > c->room_members) {
        uint32_t *count = lethe_realloc(c->count, n_members, sizeof *count);
        if (!count) return LETHE_ENOMEM;
        c->count = count;
        c->room_members = n_members;
    }
    return LETHE_OK;
}

/* --- what no hyper-term has --- */

/* One member joins: its items begin at `base`. */
static lethe_err join(struct climb *c, uint32_t record, size_t base)
{
    uint32_t n = size_of(c, record), n_before = c->hyper.n, kept = 0;
    bool first = c->hyper.n_records == 0;
    LETHE_TRY(lethe_hyper_join(&c->hyper, &c->work, terms_of(c, record), n));
    for (uint32_t i = 0; i < n; i++) {
        c->origin[base + i] = first ? i : LETHE_NONE;
        if (first) c->now[i] = i;
    }
    for (uint32_t i = 0; !first && i < n_before; i++) {
        if (c->work.to[i] == LETHE_NONE) continue;
        c->origin[base + c->work.to[i]] = c->now[i];
        c->now[kept++] = c->now[i];
    }
    return LETHE_OK;
}

static int by_term(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    if (x->term != y->term) return x->term > y->term ? 1 : -1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Members join anew, as they did, to tell whose terms the hyper-terms have. */
static lethe_err find_left(struct climb *c, const uint32_t *member, uint32_t n, bool matched)
{
    size_t at = 0;
    lethe_hyper_clear(&c->hyper);
    for (uint32_t i = 0; matched && i < n; at += size_of(c, member[i++]))
        LETHE_TRY(join(c, member[i], at));
    if (n > 0) memset(c->lives, 0, size_of(c, member[0]));
    for (uint32_t i = 0; i < c->hyper.n; i++)
        c->lives[c->now[i]] = 1;
    c->n_left = at = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < size_of(c, member[i]); k++, at++)
            if (!matched || c->origin[at] == LETHE_NONE || !c->lives[c->origin[at]])
                c->left[c->n_left++] = (struct left){terms_of(c, member[i])[k], i};
    if (c->n_left > 0) qsort(c->left, c->n_left, sizeof *c->left, by_term);
    for (size_t i = 0; i < c->n_left; i++) {
        c->term[i] = c->left[i].term;
        c->taken[i] = 0;
    }
    return LETHE_OK;
}

/* --- where they meet --- */

/* The terms, and what two that follow each other are below: what is below any other node is below
 * one of these.  Ascending, so that nodes come after all above them. */
static size_t list_nodes(struct climb *c)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < c->n_left; i++) {
        c->node[n++] = c->term[i];
        if (i > 0) c->node[n++] = lethe_tree_lca(c->t, c->term[i - 1], c->term[i]);
    }
    if (n > 0) qsort(c->node, n, sizeof *c->node, lethe_u32_cmp);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || c->node[i] != c->node[kept - 1]) c->node[kept++] = c->node[i];
    return kept;
}

static lethe_err put_copies(struct climb *c, uint32_t node, uint32_t copies, uint32_t n_members,
                            size_t from, size_t to, uint32_t distinct)
{
    uint32_t *term = lethe_new(c->arena, uint32_t, (size_t)copies * n_members);
    if (!term) return LETHE_ENOMEM;
    memset(c->count, 0, n_members * sizeof *c->count);
    for (size_t i = from; i < to; i++) {
        uint32_t m = c->left[i].member;
        if (c->taken[i] || c->count[m] == copies) continue;
        c->taken[i] = 1;
        term[(size_t)c->count[m]++ * n_members + m] = c->term[i];
    }
    if (c->n_found + copies > c->room_found) {
        size_t room = 2 * (c->n_found + copies);
        lethe_ssg_climbed *found = lethe_realloc(c->found, room, sizeof *found);
        if (!found) return LETHE_ENOMEM;
        c->found = found;
        c->room_found = room;
    }
    for (uint32_t i = 0; i < copies; i++)
        c->found[c->n_found++] = (lethe_ssg_climbed){node, distinct, term + (size_t)i * n_members};
    return LETHE_OK;
}

/* As many copies of the node as every member has terms below it that are not taken. */
static lethe_err try_node(struct climb *c, uint32_t node, uint32_t n_members)
{
    size_t from = lethe_gallop(c->term, c->n_left, node),
           to = lethe_gallop(c->term, c->n_left, c->t->end[node]);
    uint32_t met = 0, fewest = UINT32_MAX, distinct = 0, last = LETHE_NONE;
    if (to - from < n_members) return LETHE_OK;
    memset(c->count, 0, n_members * sizeof *c->count);
    for (size_t i = from; i < to; i++) {
        if (c->taken[i]) continue;
        met += c->count[c->left[i].member]++ == 0;
        distinct += c->term[i] != last;
        last = c->term[i];
    }
    if (met < n_members) return LETHE_OK;
    for (uint32_t m = 0; m < n_members; m++)
        fewest = LETHE_MIN(fewest, c->count[m]);
    return put_copies(c, node, fewest, n_members, from, to, distinct);
}

static lethe_err climb_group(struct climb *c, const lethe_ssg_groups *g, uint32_t i,
                             lethe_ssg_climbs *out)
{
    const uint32_t *member = g->member + g->first[i];
    uint32_t n = g->first[i + 1] - g->first[i], shortest = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++)
        shortest = LETHE_MIN(shortest, size_of(c, member[k]));
    *out = (lethe_ssg_climbs){0};
    if (shortest <= g->hyper[i].n) return LETHE_OK; // nothing is left of that one
    LETHE_TRY(reserve(c, (size_t)g->hyper[i].items, n));
    LETHE_TRY(find_left(c, member, n, g->hyper[i].n > 0));
    c->n_found = 0;
    for (size_t k = list_nodes(c); k-- > 0;)
        LETHE_TRY(try_node(c, c->node[k], n));
    out->at = lethe_new(c->arena, lethe_ssg_climbed, c->n_found);
    if (!out->at) return LETHE_ENOMEM;
    if (c->n_found > 0) memcpy(out->at, c->found, c->n_found * sizeof *c->found);
    out->n = (uint32_t)c->n_found;
    return LETHE_OK;
}

static void end(struct climb *c)
{
    void *const all[] = {c->origin, c->now,   c->lives, c->left, c->term,
                         c->node,   c->taken, c->count, c->found};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    lethe_hyper_free(&c->hyper);
    lethe_hyper_work_end(&c->work);
}

lethe_err lethe_ssg_climb(lethe_ctx *ctx, const lethe_ssg_options *how, const lethe_tree *t,
                          const lethe_ssg_groups *g, uint64_t scale, lethe_arena *a,
                          lethe_ssg_climbs **out, uint64_t *lost)
{
    struct climb c = {.how = how, .t = t, .arena = a};
    lethe_ssg_climbs *climbs = lethe_new(a, lethe_ssg_climbs, g->n);
    lethe_err err = climbs ? lethe_hyper_work_begin(&c.work, &how->matcher) : LETHE_ENOMEM;
    lethe_ctx_phase(ctx, "climbing", g->n);
    *lost = 0;
    for (uint32_t i = 0; err == LETHE_OK && i < g->n; i++) {
        *lost += lethe_hyper_loss(&g->hyper[i], scale);
        err = climb_group(&c, g, i, &climbs[i]);
        for (uint32_t k = 0; err == LETHE_OK && k < climbs[i].n; k++)
            *lost -= g->hyper[i].n_records * (scale - (climbs[i].at[k].distinct - 1));
        lethe_ctx_advance(ctx, 1);
        if (err == LETHE_OK && lethe_ctx_cancelled(ctx)) err = LETHE_ECANCEL;
    }
    end(&c);
    if (err == LETHE_OK) *out = climbs;
    return err;
}
