/* SPDX-License-Identifier: Apache-2.0 */
/* published.c - what each group publishes for its hyper-terms and for what climbed, and what that
 * loses (ssg_internal.h). */
#include "method/cluster/ssg/ssg_internal.h"
#include "core/sort.h"
#include <stdlib.h>

static int by_person(const void *a, const void *b)
{
    const struct lethe_ssg_use *x = a, *y = b;
    if (x->person != y->person) return x->person > y->person ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Who of the group uses what; *persons: how many use anything. */
static lethe_err list_uses(struct lethe_ssg *h, uint32_t g, uint64_t *persons)
{
    const lethe_ssg_groups *all = &h->groups;
    size_t n = 0, room = (size_t)all->hyper[g].items;
    if (room > h->room_uses) {
        struct lethe_ssg_use *use = lethe_realloc(h->use, room, sizeof *use);
        if (use) h->use = use;
        uint32_t *used = lethe_realloc(h->used, room, sizeof *used);
        if (used) h->used = used;
        uint32_t *meet = lethe_realloc(h->meet, room, sizeof *meet);
        if (meet) h->meet = meet;
        if (!use || !used || !meet) return lethe_no_memory(lethe_ssg_diag(h));
        h->room_uses = room;
    }
    for (uint32_t i = all->first[g]; i < all->first[g + 1]; i++) {
        uint32_t record = all->member[i], person = h->how.each ? record : h->r->owner[record];
        for (uint64_t k = h->r->start[record]; k < h->r->start[record + 1]; k++)
            h->use[n++] = (struct lethe_ssg_use){person, h->r->item[k]};
    }
    if (n > 0) qsort(h->use, n, sizeof *h->use, by_person);
    h->n_uses = n;
    h->n_meets = 0;
    for (size_t i = 0; i < n; i++) {
        h->used[i] = h->use[i].item;
        if (i > 0 && h->use[i].person == h->use[i - 1].person)
            h->meet[h->n_meets++] = lethe_tree_lca(h->t, h->use[i - 1].item, h->use[i].item);
    }
    *persons = n - h->n_meets;
    if (n > 0) qsort(h->used, n, sizeof *h->used, lethe_u32_cmp);
    if (h->n_meets > 0) qsort(h->meet, h->n_meets, sizeof *h->meet, lethe_u32_cmp);
    return LETHE_OK;
}

/* The persons of the group who used a term at or below v.  A person's terms there follow each other
 * in preorder, and the lowest common ancestors of neighbours are there, too: one fewer than the
 * terms, so that the difference counts the person once. */
static size_t owners_of(const struct lethe_ssg *h, uint32_t v)
{
    uint32_t end = h->t->end[v];
    size_t terms = lethe_gallop(h->used, h->n_uses, end) - lethe_gallop(h->used, h->n_uses, v);
    size_t meets = lethe_gallop(h->meet, h->n_meets, end) - lethe_gallop(h->meet, h->n_meets, v);
    return terms - meets;
}

/* Did enough persons, of the group or of the log, use a term at or below v? */
static bool may_be_shown(const struct lethe_ssg *h, uint32_t v)
{
    return (h->of_log ? h->holders[v] : owners_of(h, v)) >= h->min_owners;
}

/* The lowest node at or above v that may be shown; LETHE_NONE: none is. */
static uint32_t climb(const struct lethe_ssg *h, uint32_t v)
{
    while (v != LETHE_NONE && !may_be_shown(h, v))
        v = h->t->parent[v];
    return v;
}

/* The term of hyper-term i that is elected among those that may be shown (lethe_hyper_elect); where
 * none may, what is above the one elected among all. */
static uint32_t elect(const struct lethe_ssg *h, const lethe_hyper *y, uint32_t i)
{
    const lethe_hyper_voter *best = NULL;
    for (uint32_t k = y->start[i]; k < y->start[i + 1]; k++)
        if ((!best || y->voter[k].sum < best->sum) && may_be_shown(h, y->voter[k].term))
            best = &y->voter[k];
    return best ? best->term : climb(h, lethe_hyper_elect(y, i));
}

/* The same count as of a group, for all nodes: terms and meetings are counted where they are, then
 * summed up from the leaves. */
static lethe_err count_holders(struct lethe_ssg *h)
{
    const lethe_records *r = h->r;
    size_t n = 0, n_items = (size_t)r->start[r->n];
    struct lethe_ssg_use *use = lethe_alloc(n_items, sizeof *use);
    h->holders = lethe_new(h->arena, uint32_t, h->t->n);
    if (!use || !h->holders) {
        lethe_free(use);
        return lethe_no_memory(lethe_ssg_diag(h));
    }
    for (uint32_t i = 0; i < r->n; i++)
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
            use[n++] = (struct lethe_ssg_use){r->owner[i], r->item[k]};
    if (n > 0) qsort(use, n, sizeof *use, by_person);
    for (size_t i = 0; i < n; i++) {
        h->holders[use[i].item]++;
        if (i > 0 && use[i].person == use[i - 1].person) // wraps around, and back
            h->holders[lethe_tree_lca(h->t, use[i - 1].item, use[i].item)]--;
    }
    for (uint32_t v = h->t->n; v-- > 1;)
        h->holders[h->t->parent[v]] += h->holders[v];
    lethe_free(use);
    return LETHE_OK;
}

/* What a term costs by its distance to the nearest of the nodes that stand for it: its edges, as a
 * share of those to the root. */
static double distance_loss(const struct lethe_ssg *h, uint32_t term, const uint32_t *node,
                            size_t n)
{
    uint32_t nearest = h->t->level[term];
    if (nearest == 0) return 0;
    for (size_t i = 0; i < n; i++)
        nearest = LETHE_MIN(nearest, lethe_tree_distance(h->t, term, node[i]));
    return (double)nearest / h->t->level[term];
}

/* Counts the nodes of an item of the group at hand. */
static void show(struct lethe_ssg *h, const uint32_t *node, size_t n, uint32_t n_records)
{
    for (size_t k = 0; k < n; k++) {
        h->distinct += !h->shown[node[k]];
        h->shown[node[k]] = 1;
    }
    h->published += n_records;
    h->words += n == 1 && lethe_tree_is_leaf(h->t, node[0]) ? n_records : 0;
}

/* What is published for hyper-term i; LETHE_NONE: nothing.  Section 5.4.2: the elected term, the
 * lowest common ancestor of all members (the third method), or all members (the second method), in
 * ascending order without those below another one, which would say nothing more; each replaced by
 * the ancestor that enough persons used. */
static lethe_err choose_item(struct lethe_ssg *h, const lethe_hyper *y, uint32_t i, uint32_t *item)
{
    size_t n = 0, kept = 0;
    if (h->centre != LETHE_SSG_BAG) {
        uint32_t v = y->voter[y->start[i]].term;
        for (uint32_t k = y->start[i]; h->centre == LETHE_SSG_ANCESTOR && k < y->start[i + 1]; k++)
            v = lethe_tree_lca(h->t, v, y->voter[k].term);
        h->bag[0] = v = h->centre == LETHE_SSG_VOTE ? elect(h, y, i) : climb(h, v);
        kept = v != LETHE_NONE;
    } else {
        for (uint32_t k = y->start[i]; k < y->start[i + 1]; k++) {
            h->bag[n] = climb(h, y->voter[k].term);
            if (h->bag[n] != LETHE_NONE) n++;
        }
        if (n > 0) qsort(h->bag, n, sizeof *h->bag, lethe_u32_cmp);
        for (size_t k = 0; k < n; k++)
            if (kept == 0 || !lethe_tree_covers(h->t, h->bag[kept - 1], h->bag[k]))
                h->bag[kept++] = h->bag[k];
    }
    if (kept > 0) show(h, h->bag, kept, y->n_records);
    for (uint32_t k = y->start[i]; kept > 0 && k < y->start[i + 1]; k++)
        h->distance += y->voter[k].count * distance_loss(h, y->voter[k].term, h->bag, kept);
    *item = kept > 0 ? h->bag[0] : LETHE_NONE;
    return kept > 1 ? h->out->bag(h->out, h->bag, kept, item) : LETHE_OK;
}

/* What climbs replaces terms that are lost so far. */
static void prepare_climbed(struct lethe_ssg *h, uint32_t g)
{
    uint32_t n_records = h->groups.hyper[g].n_records;
    const lethe_ssg_climbs *climbs = &h->climbed[g];
    for (uint32_t i = 0; i < climbs->n; i++) {
        uint32_t v = climb(h, climbs->at[i].node);
        if (v == LETHE_NONE) continue;
        h->item[g][h->n_items[g]++] = v;
        h->lost -= n_records * (lethe_ssg_scale(h) - (climbs->at[i].distinct - 1));
        show(h, &v, 1, n_records);
        for (uint32_t k = 0; k < n_records; k++)
            h->distance += distance_loss(h, climbs->at[i].term[k], &v, 1);
    }
}

static lethe_err prepare_group(struct lethe_ssg *h, uint32_t g)
{
    const lethe_hyper *y = &h->groups.hyper[g];
    uint64_t persons = 0;
    if (!h->of_log) LETHE_TRY(list_uses(h, g, &persons));
    bool enough = h->of_log || persons >= h->min_owners;
    h->item[g] = lethe_new(h->arena, uint32_t, (size_t)y->n + (h->climbed ? h->climbed[g].n : 0));
    if (!h->item[g]) return lethe_no_memory(lethe_ssg_diag(h));
    h->lost += lethe_hyper_loss(y, lethe_ssg_scale(h));
    for (uint32_t i = 0; i < y->n; i++) {
        uint32_t item = LETHE_NONE;
        if (enough) LETHE_TRY(choose_item(h, y, i, &item));
        if (item != LETHE_NONE)
            h->item[g][h->n_items[g]++] = item;
        else // all its members are lost, not only which of them it is
            h->lost += y->n_records * (lethe_ssg_scale(h) - (y->start[i + 1] - y->start[i] - 1));
    }
    if (h->climbed && enough) prepare_climbed(h, g);
    if (h->n_items[g] == 0) h->empty += y->n_records;
    return LETHE_OK;
}

lethe_err lethe_ssg_publish_groups(struct lethe_ssg *h)
{
    uint32_t n = h->groups.n, largest = 1;
    for (uint32_t g = 0; g < n; g++) // a hyper-term has a member of each record
        largest = LETHE_MAX(largest, h->groups.hyper[g].n_records);
    h->item = lethe_new(h->arena, uint32_t *, n);
    h->n_items = lethe_new(h->arena, uint32_t, n);
    h->shown = lethe_new(h->arena, uint8_t, h->t->n);
    h->bag = lethe_new(h->arena, uint32_t, largest);
    if (!h->item || !h->n_items || !h->shown || !h->bag) return lethe_no_memory(lethe_ssg_diag(h));
    if (h->of_log) LETHE_TRY(count_holders(h));
    for (uint32_t g = 0; g < h->groups.n; g++) {
        LETHE_TRY(prepare_group(h, g));
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
    }
    if (h->published == 0)
        return lethe_fail(lethe_ssg_diag(h), LETHE_ANSWER_NO,
                          "nothing to publish: no group has a term in common that enough %s used",
                          h->of_log ? "persons of the input" : "of its members");
    if (h->empty > 0)
        lethe_warn(lethe_ssg_diag(h),
                   "%llu of %zu records are published empty: their groups have nothing in common",
                   (unsigned long long)h->empty, h->r->n);
    return LETHE_OK;
}
