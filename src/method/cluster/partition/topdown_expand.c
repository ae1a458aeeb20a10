/* SPDX-License-Identifier: Apache-2.0 */
/* topdown_expand.c - one expansion: members are grouped by the children they touch, and small
 * groups become the leftover (topdown.h). */
#include "method/cluster/partition/topdown_internal.h"

/* --- room --- */

lethe_err lethe_topdown_expander_open(lethe_topdown_expander *e, const lethe_topdown_options *how)
{
    size_t most = how->records->most_children;
    *e = (lethe_topdown_expander){.how = how};
    e->seen = lethe_alloc_zero(how->n_owners, sizeof *e->seen);
    e->left = lethe_alloc_zero(how->n_owners, sizeof *e->left);
    e->own_pair = lethe_alloc(how->n_owners, sizeof *e->own_pair);
    e->head = lethe_alloc(most, sizeof *e->head);
    e->touched = lethe_alloc(most, sizeof *e->touched);
    if (!e->seen || !e->left || !e->own_pair || !e->head || !e->touched) return LETHE_ENOMEM;
    memset(e->head, 0xFF, most * sizeof *e->head);
    return LETHE_OK;
}

void lethe_topdown_expander_close(lethe_topdown_expander *e)
{
    void *const all[] = {e->seen,    e->left,        e->own_pair, e->head,
                         e->touched, e->touch,       e->split_to, e->split_in,
                         e->gain,    e->class_of,    e->pair_of,  e->order,
                         e->queue,   e->first_touch, e->pair,     e->classes};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *e = (lethe_topdown_expander){0};
}

static bool grow(void *array, size_t n, size_t size)
{
    void **at = array;
    void *p = lethe_realloc(*at, n, size);
    if (p) *at = p;
    return p != NULL;
}

static lethe_err room_for_members(lethe_topdown_expander *e, size_t n)
{
    if (n <= e->cap_members) return LETHE_OK;
    if (!grow(&e->gain, n, sizeof *e->gain) ||
        !grow(&e->first_touch, n + 1, sizeof *e->first_touch) ||
        !grow(&e->class_of, n, sizeof *e->class_of) || !grow(&e->pair_of, n, sizeof *e->pair_of) ||
        !grow(&e->order, n, sizeof *e->order) || !grow(&e->queue, n, sizeof *e->queue) ||
        !grow(&e->pair, n, sizeof *e->pair) || !grow(&e->classes, n, sizeof *e->classes))
        return LETHE_ENOMEM;
    e->cap_members = n;
    return LETHE_OK;
}

static lethe_err room_for_touches(lethe_topdown_expander *e, size_t n)
{
    if (n <= e->cap_touches) return LETHE_OK;
    n += n / 2;
    if (n >= LETHE_NONE || !grow(&e->touch, n, sizeof *e->touch) ||
        !grow(&e->split_to, n + 1, sizeof *e->split_to) ||
        !grow(&e->split_in, n + 1, sizeof *e->split_in))
        return LETHE_ENOMEM;
    e->cap_touches = n;
    return LETHE_OK;
}

/* A number that no owner has been marked with. */
static uint32_t next_stamp(lethe_topdown_expander *e)
{
    if (++e->stamp == 0) {
        memset(e->seen, 0, e->how->n_owners * sizeof *e->seen);
        memset(e->left, 0, e->how->n_owners * sizeof *e->left);
        e->stamp = 1;
    }
    return e->stamp;
}

static uint32_t owner_of(const lethe_topdown_expander *e, uint32_t record)
{
    return e->how->owner ? e->how->owner[record] : record;
}

/* --- who touches what --- */

/* The children of v above the items of a record, and the gain of the record. */
static lethe_err touch_children(lethe_topdown_expander *e, uint32_t member, uint32_t record,
                                uint32_t v)
{
    const lethe_induced_tree *p = e->how->records;
    const uint32_t *child = p->child + p->child_at[v];
    uint32_t n_children = lethe_induced_tree_children(p, v), c = 0;
    uint64_t n, gain = 0;
    const uint32_t *item = lethe_induced_tree_below(p, record, v, &n);
    e->first_touch[member] = (uint32_t)e->n_touches;
    while (n > 0) {
        if (e->n_touches == e->cap_touches) LETHE_TRY(room_for_touches(e, e->n_touches + 1));
        c += (uint32_t)lethe_gallop(child + c, n_children - c, *item + 1) - 1;
        uint64_t below = lethe_gallop(item, n, p->end[child[c]]);
        if (e->head[c] == LETHE_NONE) e->touched[e->n_touched++] = c;
        e->touch[e->n_touches] = (lethe_topdown_touch){member, c, e->head[c]};
        e->head[c] = (uint32_t)e->n_touches++;
        gain += below * (p->lm[v] - p->lm[child[c]]);
        item += below;
        n -= below;
    }
    e->gain[member] = gain;
    return LETHE_OK;
}

/* --- classes --- */

/* Partition refinement: starts from one class, and for each child separates the members that touch
 * it from those that do not.  In the end a class has the members that touch the same children.
 * Time: the touches. */
static void make_classes(lethe_topdown_expander *e, uint32_t n)
{
    uint32_t n_classes = 1;
    memset(e->class_of, 0, n * sizeof *e->class_of);
    e->split_in[0] = LETHE_NONE;
    for (size_t k = 0; k < e->n_touched; k++) {
        uint32_t child = e->touched[k];
        for (uint32_t t = e->head[child]; t != LETHE_NONE; t = e->touch[t].next) {
            uint32_t *class = &e->class_of[e->touch[t].member];
            if (e->split_in[*class] != k) {
                e->split_in[*class] = (uint32_t)k;
                e->split_to[*class] = n_classes;
                e->split_in[n_classes++] = LETHE_NONE;
            }
            *class = e->split_to[*class];
        }
        e->head[child] = LETHE_NONE;
    }
    // numbers in order of the first members; n_classes <= touches + 1, which split_to has room for
    memset(e->split_to, 0xFF, n_classes * sizeof *e->split_to);
    e->n_classes = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *class = &e->class_of[i], *number = &e->split_to[*class];
        if (*number == LETHE_NONE) {
            *number = e->n_classes++;
            e->classes[*number] = (lethe_topdown_class){.first = i};
        }
        *class = *number;
        e->classes[*class].size++;
        e->classes[*class].gain += e->gain[i];
    }
}

/* Members by class; the persons of each class, and how many records each has there: a record that
 * leaves may be the last. */
static void count_persons(lethe_topdown_expander *e, const uint32_t *member, uint32_t n)
{
    uint32_t n_pairs = 0;
    for (uint32_t c = 0, from = 0; c < e->n_classes; c++) {
        e->classes[c].from = from;
        from += e->classes[c].size;
    }
    for (uint32_t i = 0; i < n; i++)
        e->order[e->classes[e->class_of[i]].from++] = i;
    for (uint32_t c = 0; c < e->n_classes; c++) {
        lethe_topdown_class *class = &e->classes[c];
        uint32_t stamp = next_stamp(e);
        class->from -= class->size;
        for (uint32_t k = class->from; k < class->from + class->size; k++) {
            uint32_t i = e->order[k], owner = owner_of(e, member[i]);
            if (e->seen[owner] != stamp) {
                e->seen[owner] = stamp;
                e->own_pair[owner] = n_pairs;
                e->pair[n_pairs++] = 0;
                class->persons++;
            }
            e->pair_of[i] = e->own_pair[owner];
            e->pair[e->pair_of[i]]++;
        }
        class->kept = class->persons >= e->how->k;
    }
}

/* --- the leftover --- */

static bool comes_before(const lethe_topdown_expander *e, uint32_t i, uint32_t j)
{
    return e->gain[i] != e->gain[j] ? e->gain[i] < e->gain[j] : i < j;
}

static void sift(const lethe_topdown_expander *e, uint32_t *heap, uint32_t n, uint32_t at)
{
    uint32_t x = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(e, heap[child + 1], heap[child])) child++;
        if (!comes_before(e, heap[child], x)) break;
        heap[at] = heap[child];
    }
    heap[at] = x;
}

/* Lends members, the least gain first, until the leftover has k persons; returns how many it has. A
 * member that may not be lent may not be later either: groups only lose persons, and the leftover
 * only gains them. */
static uint64_t lend(lethe_topdown_expander *e, const uint32_t *member, uint32_t stamp,
                     uint64_t persons)
{
    uint64_t k = e->how->k;
    uint32_t n = 0;
    for (uint32_t c = 0; c < e->n_classes; c++) {
        const lethe_topdown_class *class = &e->classes[c];
        if (!class->kept) continue;
        memcpy(e->queue + n, e->order + class->from, class->size * sizeof *e->queue);
        n += class->size;
    }
    for (uint32_t at = n / 2; at-- > 0;)
        sift(e, e->queue, n, at);
    while (n > 0 && persons < k) {
        uint32_t i = e->queue[0], owner = owner_of(e, member[i]), *pair = &e->pair[e->pair_of[i]];
        lethe_topdown_class *class = &e->classes[e->class_of[i]];
        e->queue[0] = e->queue[--n];
        if (n > 0) sift(e, e->queue, n, 0);
        if (e->left[owner] == stamp || (*pair == 1 && class->persons == k)) continue;
        class->persons -= --*pair == 0;
        class->size--;
        class->gain -= e->gain[i];
        e->class_of[i] = LETHE_NONE;
        e->left[owner] = stamp;
        e->n_left++;
        persons++;
    }
    return persons;
}

/* Does the sequence of children that i touches come before that of j, in lexicographic order? */
static bool children_before(const lethe_topdown_expander *e, uint32_t i, uint32_t j)
{
    uint32_t a = e->first_touch[i], b = e->first_touch[j];
    uint32_t a_end = e->first_touch[i + 1], b_end = e->first_touch[j + 1];
    for (; a < a_end && b < b_end; a++, b++) {
        if (e->touch[a].child != e->touch[b].child) return e->touch[a].child < e->touch[b].child;
    }
    return a == a_end && b < b_end;
}

/* Folds the group that loses the least.
 *
 * If that was the last group, g, then v cannot be expanded in any part below this one either, so it
 * need not be evaluated again.  Suppose it can be expanded in a part P: then at least k persons, U,
 * have records of g in P, and another part Q below this one has k persons, too.  Let V be those who
 * have records of g in Q, and L those of the leftover before anything was lent: all persons of Q
 * are in V or L.  When nothing more could be lent, g held k persons, and each of them who was not
 * in the leftover had one record in g.  Persons in both U and V began with two records in g; at
 * most one of these is lent, so they are all in the leftover by then, and in g as well.  At first g
 * held all of U and V; to come down to k, at least as many persons as are in V but not in U have
 * left it, and they are in the leftover, and neither in L nor in both U and V.  So the leftover has
 * at least as many persons as L and V together, which is at least k, and nothing would have been
 * folded. */
static void fold(lethe_topdown_expander *e)
{
    lethe_topdown_class *least = NULL;
    for (uint32_t c = 0; c < e->n_classes; c++) {
        lethe_topdown_class *class = &e->classes[c];
        if (!class->kept) continue;
        if (!least || class->gain < least->gain ||
            (class->gain == least->gain && children_before(e, class->first, least->first)))
            least = class;
    }
    assert(least); // nothing is folded where nothing is kept
    least->kept = false;
    e->n_left += least->size;
}

static void fill_leftover(lethe_topdown_expander *e, const uint32_t *member)
{
    uint32_t stamp = next_stamp(e);
    uint64_t persons = 0;
    e->n_left = 0;
    for (uint32_t c = 0; c < e->n_classes; c++) {
        const lethe_topdown_class *class = &e->classes[c];
        if (class->kept) continue;
        e->n_left += class->size;
        for (uint32_t k = class->from; k < class->from + class->size; k++) {
            uint32_t owner = owner_of(e, member[e->order[k]]);
            persons += e->left[owner] != stamp;
            e->left[owner] = stamp;
        }
    }
    if (persons == 0 || persons >= e->how->k) return;
    if (lend(e, member, stamp, persons) < e->how->k) fold(e);
}

static void sum_kept(const lethe_topdown_expander *e, uint32_t *n, uint64_t *gain)
{
    *n = 0;
    *gain = 0;
    for (uint32_t c = 0; c < e->n_classes; c++) {
        if (!e->classes[c].kept) continue;
        ++*n;
        *gain += e->classes[c].gain;
    }
}

lethe_err lethe_topdown_expander_try(lethe_topdown_expander *e, const uint32_t *member, uint32_t n,
                                     uint32_t v, bool *can)
{
    lethe_err err = room_for_members(e, n);
    e->n_touched = e->n_touches = 0;
    for (uint32_t i = 0; i < n && err == LETHE_OK; i++)
        err = touch_children(e, i, member[i], v);
    if (err != LETHE_OK) return err;
    e->first_touch[n] = (uint32_t)e->n_touches;
    make_classes(e, n);
    count_persons(e, member, n);
    sum_kept(e, &e->n_kept, &e->bound);
    if (e->n_kept > 0) {
        fill_leftover(e, member);
        sum_kept(e, &e->n_kept, &e->value);
    }
    *can = e->n_kept > 0;
    return LETHE_OK;
}
