/* SPDX-License-Identifier: Apache-2.0 */
/* Records as they are made one by one, and as they are bound to a taxonomy. */
#include "model/records/records.h"
#include "core/sort.h"
#include <stdio.h>

void lethe_records_free(lethe_records *r)
{
    if (!r) return;
    lethe_dict_free(r->items);
    lethe_dict_free(r->marks);
    lethe_dict_free(r->owners);
    lethe_arena_free(r->arena); // and `r` with it
}

/* --- the builder --- */

struct lethe_records_builder {
    lethe_arena *arena;
    lethe_dict *items, *owners;
    lethe_u64s start, origin;
    lethe_u32s item, owner, owner_name;
    lethe_u32s of_name; /* the owner of a number in `owners` */
};

lethe_records_builder *lethe_records_builder_new(void)
{
    lethe_records_builder *b = lethe_alloc(1, sizeof *b);
    if (!b) return NULL;
    *b = (lethe_records_builder){
        .arena = lethe_arena_new(), .items = lethe_dict_new(), .owners = lethe_dict_new()};
    if (b->arena && b->items && b->owners) return b;
    lethe_records_builder_free(b);
    return NULL;
}

void lethe_records_builder_free(lethe_records_builder *b)
{
    if (!b) return;
    lethe_dict_free(b->items);
    lethe_dict_free(b->owners);
    lethe_arena_free(b->arena);
    lethe_free(b);
}

/* A person nobody has seen yet, of that name in `owners`. */
static lethe_err owner_new(lethe_records_builder *b, uint32_t name, uint32_t *out)
{
    if (b->owner_name.n >= LETHE_NONE) return LETHE_ENOMEM;
    *out = (uint32_t)b->owner_name.n;
    return lethe_u32s_append(b->arena, &b->owner_name, &name, 1);
}

static lethe_err owner_of(lethe_records_builder *b, lethe_str id, uint32_t *out)
{
    uint32_t name;
    LETHE_TRY(lethe_dict_add(b->owners, id, &name));
    if (name < b->of_name.n) {
        *out = b->of_name.at[name];
        return LETHE_OK;
    }
    LETHE_TRY(owner_new(b, name, out));
    return lethe_u32s_append(b->arena, &b->of_name, out, 1);
}

lethe_err lethe_records_begin(lethe_records_builder *b, const lethe_str *id, uint64_t origin)
{
    uint32_t owner;
    uint64_t start = b->item.n;
    LETHE_TRY(id ? owner_of(b, *id, &owner) : owner_new(b, LETHE_NONE, &owner));
    LETHE_TRY(lethe_u64s_append(b->arena, &b->start, &start, 1));
    LETHE_TRY(lethe_u64s_append(b->arena, &b->origin, &origin, 1));
    return lethe_u32s_append(b->arena, &b->owner, &owner, 1);
}

lethe_err lethe_records_item(lethe_records_builder *b, lethe_str item)
{
    uint32_t number;
    assert(b->owner.n > 0); // an item belongs to a record
    LETHE_TRY(lethe_dict_add(b->items, item, &number));
    return lethe_u32s_append(b->arena, &b->item, &number, 1);
}

lethe_sizes lethe_records_so_far(const lethe_records_builder *b)
{
    return (lethe_sizes){.things = "records",
                         .parts_are = "items",
                         .n = b->owner.n,
                         .parts = b->item.n,
                         .distinct = lethe_dict_count(b->items),
                         .persons = b->owner_name.n,
                         .held = lethe_arena_bytes(b->arena) + lethe_dict_bytes(b->items) +
                                 lethe_dict_bytes(b->owners)};
}

lethe_sizes lethe_records_sizes(const lethe_records *r, const lethe_tree *t)
{
    lethe_sizes s = {.things = "records",
                     .parts_are = "items",
                     .n = r->n,
                     .parts = r->start[r->n],
                     .distinct = r->items ? lethe_dict_count(r->items) : 0,
                     .persons = r->n_owners,
                     .held = lethe_arena_bytes(r->arena)};
    const lethe_dict *names[] = {r->items, r->marks, r->owners};
    for (size_t i = 0; i < LETHE_COUNT(names); i++)
        s.held += names[i] ? lethe_dict_bytes(names[i]) : 0;
    if (t) s.held += lethe_tree_bytes(t);
    if (t) s.distinct = t->n;
    return s;
}

uint64_t lethe_records_path_nodes(const lethe_records *r, const lethe_tree *t, const lethe_sizes *s)
{
    uint64_t n = 0;
    if (!r) return (s->expected ? 5 : 2) * s->parts;
    size_t *met = lethe_alloc_zero(t->n, sizeof *met); // by node: in which record, plus one
    for (size_t i = 0; i < r->n; i++)
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            if (!met) n += t->level[r->item[k]] + 1; // no fewer than there are
            for (uint32_t v = r->item[k]; met && v != LETHE_NONE && met[v] != i + 1;
                 v = t->parent[v], n++)
                met[v] = i + 1;
        }
    lethe_free(met);
    return n;
}

lethe_err lethe_records_build(lethe_records_builder *b, lethe_records **out)
{
    uint64_t end = b->item.n;
    lethe_records *r = lethe_new(b->arena, lethe_records, 1);
    void *nothing = lethe_new(b->arena, uint64_t, 1); // arrays may be empty, but are not NULL
    if (!r || !nothing) return LETHE_ENOMEM;
    LETHE_TRY(lethe_u64s_append(b->arena, &b->start, &end, 1));
    *r = (lethe_records){
        .n = b->owner.n,
        .start = b->start.at,
        .item = b->item.at ? b->item.at : nothing,
        .owner = b->owner.at ? b->owner.at : nothing,
        .origin = b->origin.at ? b->origin.at : nothing,
        .n_owners = (uint32_t)b->owner_name.n,
        .items = b->items,
        .arena = b->arena,
    };
    if (b->of_name.n > 0) {
        r->owners = b->owners;
        r->owner_name = b->owner_name.at;
        b->owners = NULL;
    }
    b->items = NULL;
    b->arena = NULL;
    *out = r;
    return LETHE_OK;
}

/* --- binding --- */

enum { NAMED = 3 }; /* unknown items that are named */

typedef struct binder {
    lethe_diag *diag;
    lethe_records *r;
    const lethe_tree *tree;
    lethe_tree *grown;
    uint32_t *node;  /* of each item; LETHE_NONE: the tree lacks it */
    uint32_t *inner; /* inner nodes that are items, ascending */
    size_t n_inner;
    uint32_t n_unknown; /* items */
    uint64_t n_dropped; /* their occurrences */
    uint32_t named[NAMED];
    uint32_t n_named;
} binder;

/* Finds each item's node, and which of them are inner ones. */
static lethe_err find_nodes(binder *b)
{
    uint32_t n = lethe_dict_count(b->r->items);
    size_t n_bits = (size_t)b->tree->n / 64 + 1;
    uint64_t *is_inner = lethe_alloc_zero(n_bits, sizeof *is_inner);
    b->node = lethe_alloc(n, sizeof *b->node);
    if (!is_inner || !b->node) {
        lethe_free(is_inner);
        return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = lethe_tree_find(b->tree, lethe_dict_at(b->r->items, i));
        b->node[i] = v;
        b->n_unknown += v == LETHE_NONE;
        if (v == LETHE_NONE || lethe_tree_is_leaf(b->tree, v)) continue;
        is_inner[v / 64] |= UINT64_C(1) << v % 64;
        b->n_inner++;
    }
    b->inner = lethe_alloc(b->n_inner, sizeof *b->inner);
    size_t k = 0;
    for (size_t w = 0; b->inner && w < n_bits; w++)
        for (uint64_t bits = is_inner[w]; bits; bits &= bits - 1)
            b->inner[k++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
    lethe_free(is_inner);
    return b->inner ? LETHE_OK : LETHE_ENOMEM;
}

/* Is it one of the first few, seen for the first time? */
static bool to_be_named(binder *b, uint32_t item)
{
    if (b->n_named == NAMED) return false;
    for (uint32_t i = 0; i < b->n_named; i++)
        if (b->named[i] == item) return false;
    b->named[b->n_named++] = item;
    return true;
}

static lethe_err bind(binder *b, bool strict)
{
    lethe_err e = find_nodes(b);
    if (e != LETHE_OK) return lethe_no_memory(b->diag);
    // A tree with a leaf for each inner node that is an item, and the nodes as that one numbers
    // them: each new leaf stands right behind its node, so whatever comes later moves on by one.
    if (b->n_inner > 0) {
        LETHE_TRY(lethe_tree_grow(b->diag, b->tree, b->inner, b->n_inner, &b->grown));
        uint32_t n = lethe_dict_count(b->r->items);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = b->node[i];
            if (v == LETHE_NONE) continue;
            b->node[i] = v + (uint32_t)lethe_gallop(b->inner, b->n_inner, v) +
                         !lethe_tree_is_leaf(b->tree, v);
            assert(lethe_tree_is_leaf(b->grown, b->node[i]));
        }
    }
    // Items to nodes, in place: what is dropped only makes room.
    lethe_records *r = b->r;
    uint64_t *start = (uint64_t *)r->start; // ours: it lives in the records' own arena
    uint32_t *item = (uint32_t *)r->item;
    uint64_t from = 0, kept = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t first = from, end = start[i + 1];
        for (; from < end; from++) {
            uint32_t node = b->node[item[from]];
            if (node != LETHE_NONE) {
                item[kept++] = node;
                continue;
            }
            if (to_be_named(b, item[from])) {
                // Names an unknown item by its place: item k of record i, both from 0.
                lethe_severity severity = strict ? LETHE_ERROR : LETHE_WARNING;
                char text[128];
                snprintf(text, sizeof text, "item %llu of record %llu is not in the taxonomy",
                         (unsigned long long)(from - first) + 1, (unsigned long long)i + 1);
                lethe_message m = {.severity = severity,
                                   .text = text,
                                   .content = lethe_dict_at(b->r->items, item[from])};
                lethe_say(b->diag, &m);
            }
            if (strict) return LETHE_EINPUT;
            b->n_dropped++;
        }
        start[i + 1] = kept;
    }
    r->counts.unknown += b->n_dropped;
    if (b->n_dropped > 0)
        lethe_warn(b->diag, "dropped %llu occurrence%s of %lu item%s that the taxonomy lacks",
                   (unsigned long long)b->n_dropped, b->n_dropped == 1 ? "" : "s",
                   (unsigned long)b->n_unknown, b->n_unknown == 1 ? "" : "s");
    return LETHE_OK;
}

lethe_err lethe_records_bind(lethe_ctx *ctx, lethe_records *in, const lethe_tree *t, bool strict,
                             lethe_records **out, lethe_tree **grown)
{
    binder b = {.diag = lethe_ctx_diag(ctx), .r = in, .tree = t};
    assert(in->items); // not bound yet
    lethe_err e = bind(&b, strict);
    lethe_free_all(b.node, b.inner);
    if (e != LETHE_OK) {
        lethe_tree_free(b.grown);
        lethe_records_free(in);
        return e;
    }
    lethe_dict_free(in->items);
    in->items = NULL;
    *out = in;
    *grown = b.grown;
    return LETHE_OK;
}

lethe_err lethe_records_choose(lethe_records *r, const uint32_t *from, size_t n)
{
    uint64_t n_items = 0;
    assert(!r->marks); // which are made later
    for (size_t i = 0; i < n; i++)
        n_items += lethe_record_size(r, from[i]);
    uint64_t *start = lethe_new(r->arena, uint64_t, n + 1),
             *origin = lethe_new(r->arena, uint64_t, n + 1),
             *lines = r->lines ? lethe_new(r->arena, uint64_t, n + 1) : NULL;
    uint32_t *owner = lethe_new(r->arena, uint32_t, n + 1),
             *item = lethe_new(r->arena, uint32_t, n_items + 1);
    if (!start || !origin || (r->lines && !lines) || !owner || !item) return LETHE_ENOMEM;
    start[0] = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t size = lethe_record_size(r, from[i]);
        if (size > 0) memcpy(item + start[i], r->item + r->start[from[i]], size * sizeof *item);
        start[i + 1] = start[i] + size;
        origin[i] = r->origin[from[i]];
        owner[i] = r->owner[from[i]];
        if (lines) lines[i] = r->lines[from[i]];
    }
    r->n = n;
    r->start = start;
    r->item = item;
    r->owner = owner;
    r->origin = origin;
    r->lines = lines;
    return LETHE_OK;
}
