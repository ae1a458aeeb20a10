/* SPDX-License-Identifier: Apache-2.0 */
/* publish_records.c - records become lines of item names, sorted by their bytes. */
#include "release/publish/publish_records.h"
#include "core/mem.h"
#include "model/published/published_items.h"
#include "model/published/published_tree.h"
#include "model/records/record_map.h"
#include "release/publish/lines.h"
#include <stdlib.h>

enum { WRITE_BYTES = 1 << 18 };

/* A published record: its items, in the order of their names. */
typedef struct published {
    uint64_t start; /* in `items` */
    uint32_t n;
    uint32_t group;
    size_t from; /* record of the input */
} published;

struct lethe_record_publisher {
    lethe_ctx *ctx;
    const lethe_records *r;
    const lethe_tree *t;
    lethe_arena *arena;
    uint32_t n_marks; /* mark m is item t->n + m */
    lethe_dict *bags; /* by name; bag b is item t->n + n_marks + b */
    lethe_u64s first; /* one more than there are bags: where the nodes of each begin in */
    lethe_u32s members;
    lethe_buf name;
    uint32_t *rank; /* of each item: its place among the names of all, by their bytes */
    published *at;  /* room for every record */
    size_t n;
    uint8_t *given;   /* of each record */
    lethe_u32s items; /* nodes and bags */
    lethe_u32s shown; /* the nodes that are items or members of one */
    bool names_rows;  /* the map does */
};

static uint32_t bags_from(const lethe_record_publisher *p) { return p->t->n + p->n_marks; }

static size_t item_count(const lethe_record_publisher *p)
{
    return bags_from(p) + (size_t)lethe_dict_count(p->bags);
}

static bool is_mark(const lethe_record_publisher *p, uint32_t item)
{
    return item >= p->t->n && item < bags_from(p);
}

static lethe_str item_name(const lethe_record_publisher *p, uint32_t item)
{
    if (item < p->t->n) return lethe_tree_name(p->t, item);
    if (is_mark(p, item)) return lethe_dict_at(p->r->marks, item - p->t->n);
    return lethe_dict_at(p->bags, item - bags_from(p));
}

static bool holds_joint(lethe_str name) { return memchr(name.at, LETHE_BAG_JOINT, name.n); }

static lethe_err joint_fail(const lethe_record_publisher *p)
{
    return lethe_fail(p->ctx, LETHE_EINPUT,
                      "a name of the taxonomy holds a '%c', which is reserved for joining names",
                      LETHE_BAG_JOINT);
}

/* --- names in the order of their bytes --- */

static int by_name(const void *a, const void *b, void *arg)
{
    const lethe_record_publisher *p = arg;
    return lethe_str_cmp(item_name(p, *(const uint32_t *)a), item_name(p, *(const uint32_t *)b));
}

static lethe_err rank_with(lethe_record_publisher *p, uint8_t *seen, uint32_t *item)
{
    uint32_t n = 0;
    for (size_t i = 0; i < p->items.n; i++)
        seen[p->items.at[i]] = 1;
    for (uint32_t i = 0; i < item_count(p); i++)
        if (seen[i]) item[n++] = i;
    // bags are last
    bool has_bag = n > 0 && item[n - 1] >= bags_from(p);
    for (size_t i = 0; has_bag && item[i] < bags_from(p); i++)
        if (holds_joint(item_name(p, item[i]))) return joint_fail(p);
    // the root of a tree without meaning, for example, cannot be published
    for (size_t i = 0; i < n; i++) {
        lethe_str name = item_name(p, item[i]);
        if (memchr(name.at, ' ', name.n))
            return lethe_fail(p->ctx, LETHE_EINPUT,
                              "a name of the taxonomy holds a space and cannot be published");
    }
    // the nodes to be listed beside the records; a bag that no record has is not shown, and a
    // sensitive item is no node.
    for (size_t i = 0; i < n; i++) {
        const uint32_t *node = &item[i];
        size_t n_nodes = 1;
        if (is_mark(p, item[i])) continue;
        if (item[i] >= bags_from(p)) {
            const uint64_t *first = p->first.at + (item[i] - bags_from(p));
            node = p->members.at + first[0];
            n_nodes = (size_t)(first[1] - first[0]);
        }
        LETHE_TRY(lethe_u32s_append(p->arena, &p->shown, node, n_nodes));
    }
    // a sensitive item must not be called as one that is not, nor as what is listed above it, or
    // nobody could tell which is meant
    bool clear = true;
    for (size_t i = 0; i < p->shown.n && p->n_marks > 0; i++)
        for (uint32_t v = p->shown.at[i]; v != LETHE_NONE; v = p->t->parent[v])
            clear = clear && lethe_dict_find(p->r->marks, lethe_tree_name(p->t, v)) == LETHE_NONE;
    for (size_t i = 0; i < n && p->n_marks > 0; i++)
        if (item[i] >= bags_from(p))
            clear = clear && lethe_dict_find(p->r->marks, item_name(p, item[i])) == LETHE_NONE;
    if (!clear)
        return lethe_fail(p->ctx, LETHE_EINPUT,
                          "a sensitive item has the same name as another published item");
    qsort_r(item, n, sizeof *item, by_name, p);
    for (uint32_t i = 0; i < n; i++)
        p->rank[item[i]] = i;
    return LETHE_OK;
}

/* Of the items that are published only: a taxonomy may be far larger than what is shown of it. */
static lethe_err rank_items(lethe_record_publisher *p)
{
    size_t n = item_count(p);
    uint8_t *seen = lethe_alloc_zero(n, 1);
    uint32_t *item = lethe_alloc(n, sizeof *item);
    p->rank = lethe_new(p->arena, uint32_t, n);
    lethe_err e = seen && item && p->rank ? rank_with(p, seen, item) : LETHE_ENOMEM;
    lethe_free(seen);
    lethe_free(item);
    return e == LETHE_ENOMEM ? lethe_no_memory(p->ctx) : e;
}

static int by_rank(const void *a, const void *b, void *arg)
{
    const uint32_t *rank = arg;
    uint32_t x = rank[*(const uint32_t *)a], y = rank[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* As two lines compare that differ from these names on; `more`: does the line of x go on? */
static int compare_names(lethe_str x, bool x_more, lethe_str y, bool y_more)
{
    size_t n = LETHE_MIN(x.n, y.n);
    int c = memcmp(x.at, y.at, n);
    if (c != 0) return c;
    // one goes on where the other ends, with its line or with a space
    bool x_ends = x.n < y.n;
    uint8_t next = (uint8_t)(x_ends ? y.at[n] : x.at[n]);
    bool less = !(x_ends ? x_more : y_more) || ' ' < next;
    return less == x_ends ? -1 : 1;
}

/* Are the items the same, sensitive ones aside? */
static bool same_nodes(const lethe_record_publisher *p, const published *a, const published *b)
{
    const uint32_t *item = p->items.at; // NULL where nobody has any
    for (uint32_t i = 0, j = 0;; i++, j++) {
        while (i < a->n && is_mark(p, item[a->start + i]))
            i++;
        while (j < b->n && is_mark(p, item[b->start + j]))
            j++;
        if (i == a->n || j == b->n) return i == a->n && j == b->n;
        if (item[a->start + i] != item[b->start + j]) return false;
    }
}

/* As the bytes of the two lines compare. */
static int by_bytes(const void *a, const void *b, void *arg)
{
    const lethe_record_publisher *p = arg;
    const published *x = a, *y = b;
    for (uint32_t i = 0; i < x->n && i < y->n; i++) {
        uint32_t v = p->items.at[x->start + i], w = p->items.at[y->start + i];
        if (v != w)
            return compare_names(item_name(p, v), i + 1 < x->n, item_name(p, w), i + 1 < y->n);
    }
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_group(const void *a, const void *b, void *arg)
{
    const published *x = *(const published *const *)a, *y = *(const published *const *)b;
    (void)arg;
    return (x->group > y->group) - (x->group < y->group);
}

/* --- taking records --- */

lethe_err lethe_record_publisher_new(lethe_ctx *ctx, const lethe_records *r, const lethe_tree *t,
                                     void **out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_record_publisher *p = a ? lethe_new(a, lethe_record_publisher, 1) : NULL;
    if (p) {
        *p = (lethe_record_publisher){.ctx = ctx, .r = r, .t = t, .arena = a};
        p->n_marks = r->marks ? lethe_dict_count(r->marks) : 0;
        p->at = lethe_new(a, published, r->n);
        p->given = lethe_new(a, uint8_t, r->n);
        p->bags = lethe_dict_new();
    }
    if (p && p->at && p->given && p->bags &&
        lethe_u64s_append(a, &p->first, &(uint64_t){0}, 1) == LETHE_OK) {
        *out = p;
        return LETHE_OK;
    }
    if (p)
        lethe_record_publisher_free(p);
    else
        lethe_arena_free(a);
    return lethe_no_memory(ctx);
}

void lethe_record_publisher_free(void *publisher)
{
    lethe_record_publisher *p = publisher;
    if (!p) return;
    lethe_dict_free(p->bags);
    lethe_buf_free(&p->name);
    lethe_arena_free(p->arena);
}

static lethe_err bag_fail(const lethe_record_publisher *p)
{
    return lethe_fail(p->ctx, LETHE_EINTERNAL,
                      LETHE_FAULT "items that are joined are equal, or not in the taxonomy");
}

/* The nodes at the end of p->members are a bag, unless they are one already. */
static lethe_err bag_take(lethe_record_publisher *p, uint64_t began, uint32_t *item)
{
    uint32_t *node = p->members.at + began, bag, n_bags = lethe_dict_count(p->bags);
    size_t n = p->members.n - began;
    qsort_r(node, n, sizeof *node, by_name, p);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && node[i] == node[i - 1]) return bag_fail(p);
        if (holds_joint(lethe_tree_name(p->t, node[i]))) return joint_fail(p);
    }
    // joins the names of the sorted nodes in p->name.
    p->name.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0) LETHE_TRY(lethe_buf_put(&p->name, &(char){LETHE_BAG_JOINT}, 1));
        LETHE_TRY(lethe_buf_str(&p->name, lethe_tree_name(p->t, node[i])));
    }
    lethe_str name = {(const char *)p->name.at, p->name.n};
    if (lethe_tree_find(p->t, name) != LETHE_NONE) return joint_fail(p);
    if (n_bags >= LETHE_NONE - bags_from(p)) return LETHE_ENOMEM; // numbers are used up
    uint64_t end = p->members.n;
    LETHE_TRY(lethe_u64s_append(p->arena, &p->first, &end, 1));
    lethe_err e = lethe_dict_add(p->bags, name, &bag);
    if (e != LETHE_OK || bag < n_bags) p->first.n--;
    if (e == LETHE_OK) *item = bags_from(p) + bag;
    return e;
}

lethe_err lethe_record_publisher_bag(lethe_record_publisher *p, const uint32_t *node, size_t n,
                                     uint32_t *item)
{
    uint64_t began = p->members.n;
    bool is_bag = n >= 2;
    for (size_t i = 0; i < n; i++)
        is_bag = is_bag && node[i] < p->t->n;
    if (!is_bag) return bag_fail(p);
    lethe_err e = lethe_u32s_append(p->arena, &p->members, node, n);
    if (e == LETHE_OK) e = bag_take(p, began, item);
    // what is not a new one leaves nothing
    p->members.n = (size_t)p->first.at[p->first.n - 1];
    return e == LETHE_ENOMEM ? lethe_no_memory(p->ctx) : e;
}

lethe_err lethe_record_publisher_put(lethe_record_publisher *p, size_t from, uint32_t group,
                                     const uint32_t *node, size_t n)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (from >= p->r->n || p->given[from] || n > UINT32_MAX)
        return lethe_fail(d, LETHE_EINTERNAL,
                          LETHE_FAULT "a record is published twice, or does not exist");
    for (size_t i = 0; i < n; i++)
        if (node[i] >= item_count(p) || is_mark(p, node[i]))
            return lethe_fail(d, LETHE_EINTERNAL,
                              LETHE_FAULT "a published item is not in the taxonomy");
    uint64_t n_marks = lethe_record_marks(p->r, from), start = p->items.n;
    if (n_marks > UINT32_MAX - n) return lethe_no_memory(d);
    lethe_err e = n > 0 ? lethe_u32s_append(p->arena, &p->items, node, n) : LETHE_OK;
    for (uint64_t i = 0; i < n_marks && e == LETHE_OK; i++) { // sensitive items behind the others
        uint32_t item = p->t->n + p->r->mark[p->r->mark_start[from] + i];
        e = lethe_u32s_append(p->arena, &p->items, &item, 1);
    }
    if (e != LETHE_OK) return lethe_no_memory(d);
    p->given[from] = 1;
    p->at[p->n++] =
        (published){.start = start, .n = (uint32_t)(n + n_marks), .group = group, .from = from};
    return LETHE_OK;
}

lethe_err lethe_record_publisher_finish(void *publisher)
{
    lethe_record_publisher *p = publisher;
    LETHE_TRY(rank_items(p));
    for (size_t i = 0; i < p->n; i++)
        if (p->at[i].n > 1)
            qsort_r(p->items.at + p->at[i].start, p->at[i].n, sizeof *p->items.at, by_rank,
                    p->rank);
    qsort_r(p->at, p->n, sizeof *p->at, by_bytes, p);
    // a method that gives members of one group different items has a bug, and its promise is void.
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const published **order = lethe_alloc(p->n, sizeof *order);
    if (!order) return lethe_no_memory(d);
    for (size_t i = 0; i < p->n; i++)
        order[i] = &p->at[i];
    qsort_r(order, p->n, sizeof *order, by_group, NULL);
    bool same = true;
    for (size_t i = 1; i < p->n; i++)
        if (order[i]->group == order[i - 1]->group) same &= same_nodes(p, order[i], order[i - 1]);
    lethe_free(order);
    return same ? LETHE_OK
                : lethe_fail(d, LETHE_EINTERNAL,
                             LETHE_FAULT "records of one group are published differently");
}

size_t lethe_record_publisher_count(const lethe_record_publisher *p) { return p->n; }
size_t lethe_record_publisher_items(const lethe_record_publisher *p) { return p->items.n; }
const lethe_u32s *lethe_record_publisher_shown(const lethe_record_publisher *p)
{
    return &p->shown;
}

const uint8_t *lethe_record_publisher_given(const lethe_record_publisher *p) { return p->given; }

bool lethe_record_publisher_has_marks(const lethe_record_publisher *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += lethe_record_marks(p->r, p->at[i].from);
    return n > 0;
}

void lethe_record_publisher_lines(const lethe_record_publisher *p, uint64_t *shown,
                                  uint64_t *suppressed)
{
    for (size_t i = 0; i < p->r->n; i++)
        *(p->given[i] ? shown : suppressed) += p->r->lines ? p->r->lines[i] : 1;
}

/* --- writing --- */

lethe_err lethe_record_publisher_data(void *publisher, lethe_sink *to)
{
    lethe_record_publisher *p = publisher;
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < p->n && e == LETHE_OK; i++) {
        for (uint32_t k = 0; k < p->at[i].n && e == LETHE_OK; k++) {
            if (k > 0) e = lethe_buf_put(&buf, " ", 1);
            if (e == LETHE_OK)
                e = lethe_buf_str(&buf, item_name(p, p->items.at[p->at[i].start + k]));
        }
        if (e == LETHE_OK) e = lethe_buf_put(&buf, "\n", 1);
        if (e == LETHE_OK) e = lethe_lines_flush(to, &buf, WRITE_BYTES);
        if (e == LETHE_OK && lethe_ctx_cancelled(p->ctx)) e = LETHE_ECANCEL;
    }
    return lethe_lines_end(p->ctx, e, to, &buf);
}

lethe_err lethe_record_publisher_tree(void *publisher, lethe_sink *to)
{
    lethe_record_publisher *p = publisher;
    lethe_buf buf = {0};
    lethe_err e = lethe_taxonomy_write(lethe_ctx_diag(p->ctx), p->t, p->shown.at, p->shown.n, &buf);
    if (e == LETHE_OK) e = lethe_lines_flush(to, &buf, 0);
    lethe_buf_free(&buf);
    return e;
}

lethe_err lethe_record_publisher_sensitive(void *publisher, lethe_sink *to)
{
    lethe_record_publisher *p = publisher;
    lethe_buf buf = {0};
    uint32_t number;
    lethe_dict *names = lethe_dict_new();
    lethe_err e = names ? LETHE_OK : LETHE_ENOMEM;
    for (size_t i = 0; i < p->items.n && e == LETHE_OK; i++) // of published records alone
        if (is_mark(p, p->items.at[i]))
            e = lethe_dict_add(names, item_name(p, p->items.at[i]), &number);
    if (e == LETHE_ENOMEM) e = lethe_no_memory(p->ctx);
    if (e == LETHE_OK) e = lethe_sensitive_write(lethe_ctx_diag(p->ctx), names, &buf);
    if (e == LETHE_OK) e = lethe_lines_flush(to, &buf, 0);
    lethe_dict_free(names);
    lethe_buf_free(&buf);
    return e;
}

void lethe_record_publisher_name_rows(lethe_record_publisher *p) { p->names_rows = true; }

lethe_err lethe_record_publisher_map(void *publisher, lethe_sink *to)
{
    lethe_record_publisher *p = publisher;
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    uint64_t *line = lethe_alloc(p->r->n, sizeof *line);
    if (!line) return lethe_no_memory(p->ctx);
    for (size_t i = 0; i < p->r->n; i++)
        line[i] = LETHE_NOT_PUBLISHED;
    for (size_t i = 0; i < p->n; i++)
        line[p->at[i].from] = i;
    for (size_t i = 0; i < p->r->n && e == LETHE_OK; i++) {
        e = (p->names_rows ? lethe_row_map_put : lethe_record_map_put)(p->r, i, line[i], &buf);
        if (e == LETHE_OK) e = lethe_lines_flush(to, &buf, WRITE_BYTES);
    }
    lethe_free(line);
    return lethe_lines_end(p->ctx, e, to, &buf);
}
