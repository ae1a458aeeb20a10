/* SPDX-License-Identifier: Apache-2.0 */
/* item_sets.c - reads data.txt, taxonomy.tsv and sensitive.txt, checks them against each other, and
 * numbers the items of each distinct set. */
#include "check/item_sets.h"
#include "io/json/json.h"
#include "model/published/published_items.h"
#include "model/knowledge/sensitive.h"
#include <stdlib.h>

enum { LOOKS = 4096 };

/* All that was read, and what each published item is. */
struct set_reader {
    lethe_item_sets sets; /* first: what is handed out */
    lethe_ctx *ctx;
    bool nodes;
    lethe_published_records *records;
    lethe_published_tree *taxonomy; /* NULL: there is none */
    lethe_dict *marks;              /* NULL: there are none */
    uint32_t *item_of;              /* by number in records->items; LETHE_NONE: it is no item */
    uint32_t *mark_of;              /* LETHE_NONE: it is not sensitive */
    bool *published;                /* by node of the taxonomy */
    bool *mark_published;
};

static void reading_free(struct set_reader *r)
{
    lethe_published_records_free(r->records);
    lethe_published_tree_free(r->taxonomy);
    lethe_dict_free(r->marks);
    lethe_arena_free(r->sets.arena); // r itself lives there
}

void lethe_item_sets_free(lethe_item_sets *s)
{
    if (s) reading_free((struct set_reader *)s);
}

/* --- faults --- */

static lethe_json *item_fault(lethe_json_doc *doc, uint64_t line, lethe_str item,
                              const char *reason)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_count(doc, why, "line", line);
    lethe_json_set(doc, why, "item", lethe_json_new_text(doc, item));
    lethe_set_text(doc, why, "reason", reason);
    return why;
}

static lethe_json *name_fault(lethe_json_doc *doc, lethe_str name, const char *reason)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_json_set(doc, why, "name", lethe_json_new_text(doc, name));
    lethe_set_text(doc, why, "reason", reason);
    return why;
}

/* --- what the items are --- */

/* The nodes that a name stands for: itself, or with bags each of its members. */
static lethe_err nodes_of(struct set_reader *r, lethe_str name, lethe_u32s *to)
{
    to->n = 0;
    if (!r->taxonomy) return LETHE_OK;
    if (!r->nodes) return lethe_item_read(r->taxonomy->tree, name, r->sets.arena, to);
    uint32_t v = lethe_tree_find(r->taxonomy->tree, name);
    return v == LETHE_NONE ? LETHE_OK : lethe_u32s_append(r->sets.arena, to, &v, 1);
}

/* One published name that is seen for the first time.  Without nodes it gets its number later. */
static lethe_err name_take(struct set_reader *r, uint32_t id, uint64_t line, lethe_u32s *nodes,
                           lethe_json_doc *doc, lethe_json **fault)
{
    lethe_str name = lethe_dict_at(r->records->items, id);
    uint32_t mark = r->marks ? lethe_dict_find(r->marks, name) : LETHE_NONE;
    if (nodes_of(r, name, nodes) != LETHE_OK) return lethe_no_memory(r->ctx);
    r->mark_of[id] = mark;
    r->item_of[id] = LETHE_NONE;
    if (mark != LETHE_NONE) r->mark_published[mark] = true;
    if (mark != LETHE_NONE && nodes->n > 0)
        *fault = item_fault(doc, line, name, "the item is sensitive and in the taxonomy");
    else if (mark == LETHE_NONE && r->taxonomy && nodes->n == 0)
        *fault = item_fault(doc, line, name, "the item is neither in the taxonomy nor sensitive");
    for (size_t i = 0; i < nodes->n; i++)
        r->published[nodes->at[i]] = true;
    if (mark == LETHE_NONE) r->item_of[id] = r->nodes && nodes->n > 0 ? nodes->at[0] : 0;
    return LETHE_OK;
}

/* Names are numbered as they come, so those below `seen` have been looked at.  They stand in the
 * order of bytes, and so do copies: how many there are would tell records apart that are the same
 * set. */
static lethe_err names_take(struct set_reader *r, lethe_json_doc *doc, lethe_json **fault)
{
    const lethe_published_records *p = r->records;
    lethe_u32s nodes = {0};
    uint32_t seen = 0;
    for (size_t i = 0; i < p->n; i++) {
        for (uint64_t at = p->start[i]; at < p->start[i + 1]; at++) {
            if (at > p->start[i] && p->item[at] == p->item[at - 1])
                *fault = item_fault(doc, p->first[i] + 1, lethe_dict_at(p->items, p->item[at]),
                                    "the item is twice in one set");
            if (*fault) return LETHE_OK;
            if (p->item[at] < seen) continue;
            LETHE_TRY(name_take(r, seen++, p->first[i] + 1, &nodes, doc, fault));
            if (*fault) return LETHE_OK;
        }
    }
    return LETHE_OK;
}

/* NULL: what is listed beside the records is in them, and nothing is above anything else. */
static lethe_json *lists_fault(const struct set_reader *r, lethe_json_doc *doc)
{
    const lethe_tree *t = r->taxonomy ? r->taxonomy->tree : NULL;
    for (uint32_t s = 0; r->marks && s < lethe_dict_count(r->marks); s++) {
        if (!r->mark_published[s])
            return name_fault(doc, lethe_dict_at(r->marks, s),
                              "sensitive.txt lists an item that is not published");
    }
    for (uint32_t v = 0; t && v < t->n; v++) {
        bool lowest = lethe_tree_is_leaf(t, v);
        if (v > 0 && lowest && !r->published[v]) // the root alone is listed where nothing is
            return name_fault(doc, lethe_tree_name(t, v),
                              "the taxonomy lists a node that is not published");
        if (r->nodes && !lowest && r->published[v])
            return name_fault(doc, lethe_tree_name(t, v), "an item below it is published too");
    }
    return NULL;
}

/* --- numbers --- */

struct named {
    lethe_str name;
    uint32_t id;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return lethe_str_cmp(x->name, y->name);
}

static lethe_err number_nodes(struct set_reader *r)
{
    lethe_item_sets *s = &r->sets;
    s->n_items = r->taxonomy->tree->n;
    lethe_str *name = lethe_new(s->arena, lethe_str, s->n_items);
    if (!name) return lethe_no_memory(r->ctx);
    for (uint32_t v = 0; v < s->n_items; v++)
        name[v] = lethe_tree_name(r->taxonomy->tree, v);
    s->name = name;
    return LETHE_OK;
}

static lethe_err number_names(struct set_reader *r)
{
    lethe_item_sets *s = &r->sets;
    uint32_t n_names = lethe_dict_count(r->records->items), n = 0;
    struct named *named = lethe_new(s->arena, struct named, (size_t)n_names + 1);
    lethe_str *name = lethe_new(s->arena, lethe_str, (size_t)n_names + 1);
    if (!named || !name) return lethe_no_memory(r->ctx);
    for (uint32_t id = 0; id < n_names; id++)
        if (r->item_of[id] != LETHE_NONE)
            named[n++] = (struct named){lethe_dict_at(r->records->items, id), id};
    qsort(named, n, sizeof *named, by_name);
    for (uint32_t i = 0; i < n; i++) {
        r->item_of[named[i].id] = i;
        name[i] = named[i].name;
    }
    s->name = name;
    s->n_items = n;
    return LETHE_OK;
}

/* --- the sets --- */

struct weighed {
    uint64_t weight;
    uint32_t record;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->record > y->record) - (x->record < y->record);
}

/* The sets under construction.  Their sensitive items come with what is published. */
static lethe_err sets_put(struct set_reader *r, const struct weighed *order)
{
    const lethe_published_records *p = r->records;
    lethe_item_sets *s = &r->sets;
    uint64_t all = p->start[p->n], n_items = 0, n_marks = 0;
    uint64_t *start = lethe_new(s->arena, uint64_t, (size_t)s->n + 1);
    uint64_t *mark_start = lethe_new(s->arena, uint64_t, (size_t)s->n + 1);
    uint32_t *item = lethe_new(s->arena, uint32_t, all + 1);
    uint32_t *mark = lethe_new(s->arena, uint32_t, r->marks ? all + 1 : 1);
    if (!start || !mark_start || !item || !mark) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t record = order[i].record;
        if (i % LOOKS == 0 && lethe_ctx_cancelled(r->ctx)) return LETHE_ECANCEL;
        // names stand in the order of bytes, as sensitive items are numbered
        for (uint64_t at = p->start[record]; at < p->start[record + 1]; at++) {
            uint32_t id = p->item[at];
            if (r->item_of[id] != LETHE_NONE) item[n_items++] = r->item_of[id];
            if (r->mark_of[id] != LETHE_NONE) mark[n_marks++] = r->mark_of[id];
        }
        start[i + 1] = n_items;
        mark_start[i + 1] = n_marks;
    }
    s->start = start;
    s->item = item;
    s->mark_start = mark_start;
    s->mark = mark;
    return LETHE_OK;
}

/* --- all above --- */

/* The items of a set and all above them; where one is there already, so are those above it. */
static lethe_err set_climb(const struct set_reader *r, uint32_t set, uint32_t *seen, lethe_u32s *to)
{
    const lethe_item_sets *s = &r->sets;
    const uint32_t *parent = r->taxonomy->tree->parent;
    for (uint64_t at = s->start[set]; at < s->start[set + 1]; at++)
        for (uint32_t v = s->item[at]; v != LETHE_NONE && seen[v] != set + 1; v = parent[v]) {
            seen[v] = set + 1;
            LETHE_TRY(lethe_u32s_append(s->arena, to, &v, 1));
        }
    return LETHE_OK;
}

static lethe_err sets_climb(struct set_reader *r, uint32_t *seen)
{
    lethe_item_sets *s = &r->sets;
    lethe_u32s item = {0};
    uint64_t *start = lethe_new(s->arena, uint64_t, (size_t)s->n + 1);
    if (!start) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++) {
        if (lethe_ctx_cancelled(r->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(set_climb(r, i, seen, &item));
        // a deep taxonomy makes many items of one
        if (item.n > lethe_ctx_memory(r->ctx) / sizeof *item.at)
            return lethe_ctx_over_memory(r->ctx);
        start[i + 1] = item.n;
    }
    s->start = start;
    s->item = item.at;
    s->tree = r->taxonomy->tree;
    s->leaves = r->taxonomy->leaves;
    return LETHE_OK;
}

lethe_err lethe_item_sets_climb(lethe_item_sets *s)
{
    struct set_reader *r = (struct set_reader *)s;
    assert(r->nodes && !s->tree);
    uint32_t *seen = lethe_alloc_zero((size_t)s->n_items + 1, sizeof *seen); // by item: from 1 on
    lethe_err e = seen ? sets_climb(r, seen) : LETHE_ENOMEM;
    lethe_free(seen);
    return e == LETHE_ENOMEM ? lethe_no_memory(r->ctx) : e;
}

/* --- reading --- */

static lethe_err files_read(struct set_reader *r, int dirfd)
{
    LETHE_TRY(lethe_published_records_read(r->ctx, dirfd, &r->records));
    LETHE_TRY(lethe_published_tree_read(r->ctx, dirfd, &r->taxonomy));
    if (r->nodes && !r->taxonomy)
        return lethe_fail_at(r->ctx, LETHE_EINPUT, LETHE_TAXONOMY_NAME, 0, 0,
                             "missing: the claim cannot be checked without it");
    return lethe_published_sensitive_read(r->ctx, dirfd, &r->marks);
}

static lethe_err read_all(struct set_reader *r, int dirfd, lethe_json_doc *doc, lethe_json **fault)
{
    LETHE_TRY(files_read(r, dirfd));
    lethe_arena *a = r->sets.arena;
    size_t n_names = lethe_dict_count(r->records->items);
    r->item_of = lethe_new(a, uint32_t, n_names + 1);
    r->mark_of = lethe_new(a, uint32_t, n_names + 1);
    r->published = lethe_new(a, bool, r->taxonomy ? r->taxonomy->tree->n : 1);
    r->mark_published = lethe_new(a, bool, r->marks ? lethe_dict_count(r->marks) : 1);
    if (!r->item_of || !r->mark_of || !r->published || !r->mark_published)
        return lethe_no_memory(r->ctx);
    LETHE_TRY(names_take(r, doc, fault));
    if (!*fault) *fault = lists_fault(r, doc);
    if (lethe_json_failed(doc)) return lethe_no_memory(r->ctx);
    if (*fault) return LETHE_OK;
    LETHE_TRY(r->nodes ? number_nodes(r) : number_names(r));
    const lethe_published_records *p = r->records;
    lethe_item_sets *s = &r->sets;
    if (p->n >= LETHE_NONE) return lethe_no_memory(r->ctx);
    s->n_records = p->n_records;
    s->n = (uint32_t)p->n;
    s->marks = r->marks;
    s->n_marks = r->marks ? lethe_dict_count(r->marks) : 0;
    uint64_t *weight = lethe_new(s->arena, uint64_t, s->n);
    struct weighed *order = lethe_alloc(s->n, sizeof *order);
    lethe_err e = weight && order ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        for (uint32_t i = 0; i < s->n; i++)
            order[i] = (struct weighed){p->first[i + 1] - p->first[i], i};
        qsort(order, s->n, sizeof *order, heaviest_first);
        for (uint32_t i = 0; i < s->n; i++)
            weight[i] = order[i].weight;
        s->weight = weight;
        e = sets_put(r, order);
    }
    lethe_free(order);
    return e == LETHE_OK || e == LETHE_ECANCEL ? e : lethe_no_memory(r->ctx);
}

lethe_err lethe_item_sets_read(lethe_ctx *ctx, int dirfd, bool nodes, lethe_json_doc *doc,
                               lethe_json **fault, lethe_item_sets **out)
{
    lethe_arena *a = lethe_arena_new();
    struct set_reader *r = a ? lethe_new(a, struct set_reader, 1) : NULL;
    if (!r) {
        lethe_arena_free(a);
        return lethe_no_memory(ctx);
    }
    lethe_json *why = NULL;
    *r = (struct set_reader){.sets.arena = a, .ctx = ctx, .nodes = nodes};
    lethe_err e = read_all(r, dirfd, doc, &why);
    if (e == LETHE_OK && !why) {
        *out = &r->sets;
        return LETHE_OK;
    }
    reading_free(r);
    if (e == LETHE_OK) *fault = why;
    return e;
}
