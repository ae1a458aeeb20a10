/* SPDX-License-Identifier: Apache-2.0 */
/* Parents by number become a tree in preorder.  Nothing here recurses: the walk finds its way back
 * by the parents. */
#include "model/tree/tree_build.h"
#include <stdio.h>

/* What is to become a tree.  `order` lists the nodes that have a parent in the order in which
 * siblings are to stand; NULL: that of their numbers. */
typedef struct shape {
    uint32_t n;
    const uint32_t *parent;
    const uint32_t *order;
    uint32_t n_order;
} shape;

/* --- preorder --- */

/* Writes `parent` and `name`, which are the way back too; returns how many nodes the root reaches:
 * not those in a cycle, nor another root. */
static uint32_t number_nodes(uint32_t root, const uint32_t *link, const lethe_tree_rows *r)
{
    uint32_t v = root, at = 0, n = 1;
    r->parent[0] = LETHE_NONE;
    r->name[0] = root;
    for (;;) {
        uint32_t next = link[2 * (size_t)v], above = at; // down,
        while (next == LETHE_NONE) {
            above = r->parent[at];
            if (above == LETHE_NONE) return n;
            next = link[2 * (size_t)v + 1]; // else on, else up
            if (next != LETHE_NONE) break;
            at = above;
            v = r->name[at];
        }
        r->parent[n] = above;
        r->name[n] = v = next;
        at = n++;
    }
}

static uint32_t root_after(const shape *s, uint32_t v)
{
    while (v < s->n && s->parent[v] != LETHE_NONE)
        v++;
    return v;
}

/* The tree of the shape, names still lacking.  LETHE_EINPUT, with no message: it is none. */
static lethe_err preorder_build(const shape *s, lethe_tree **out)
{
    uint32_t root = root_after(s, 0);
    if (root >= s->n) return LETHE_EINPUT;
    lethe_tree_rows rows;
    lethe_tree *t = lethe_tree_new(s->n, &rows);
    if (!t) return LETHE_ENOMEM;
    // link[2 v] is v's first child, link[2 v + 1] the sibling after v: side by side, for whoever
    // looks at the one soon looks at the other.
    memset(rows.pairs, 0xff, 2 * (size_t)s->n * sizeof *rows.pairs); // LETHE_NONE
    uint32_t n = s->order ? s->n_order : s->n;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t v = s->order ? s->order[i] : i, p = s->parent[v];
        if (p == LETHE_NONE) continue;
        rows.pairs[2 * (size_t)v + 1] = rows.pairs[2 * (size_t)p];
        rows.pairs[2 * (size_t)p] = v;
    }
    if (number_nodes(root, rows.pairs, &rows) != s->n) {
        lethe_tree_free(t);
        return LETHE_EINPUT;
    }
    lethe_tree_finish(t, &rows);
    *out = t;
    return LETHE_OK;
}

/* --- what is wrong with a shape that is no tree --- */

/* Of every cycle the node whose edge closed it; of these the one that came first; LETHE_NONE where
 * there is no cycle.  Each node is walked over once: `seen` says from which start. */
static uint32_t first_closing(const shape *s, const uint32_t *rank, uint32_t *seen)
{
    uint32_t best = LETHE_NONE;
    memset(seen, 0xff, s->n * sizeof *seen);
    for (uint32_t start = 0; start < s->n; start++) {
        uint32_t v = start;
        for (; v != LETHE_NONE && seen[v] == LETHE_NONE; v = s->parent[v])
            seen[v] = start;
        if (v == LETHE_NONE || seen[v] != start) continue;
        // The node of the cycle through v whose edge came last, given the edges' ranks.
        uint32_t last = v;
        for (uint32_t w = s->parent[v]; w != v; w = s->parent[w])
            if (rank[w] > rank[last]) last = w;
        if (best == LETHE_NONE || rank[last] < rank[best]) best = last;
    }
    return best;
}

/* The node whose edge closes a cycle, or else (*closes false) the second root. */
static lethe_err find_fault(const shape *s, uint32_t *node, bool *closes)
{
    uint32_t *scratch = lethe_alloc(s->n, 2 * sizeof *scratch);
    if (!scratch) return LETHE_ENOMEM;
    uint32_t *rank = scratch, *seen = scratch + s->n;
    for (uint32_t i = 0; i < s->n; i++)
        rank[i] = i;
    for (uint32_t i = 0; s->order && i < s->n_order; i++)
        rank[s->order[i]] = i; // the others have no edge
    *node = first_closing(s, rank, seen);
    *closes = *node != LETHE_NONE;
    if (!*closes) *node = root_after(s, root_after(s, 0) + 1);
    lethe_free(scratch);
    return LETHE_OK;
}

/* --- the builder --- */

struct lethe_tree_builder {
    lethe_diag *diag;
    char *file; /* NULL: none is named */
    uint32_t column;
    lethe_err failed;
    lethe_arena *arena;
    lethe_dict *names;
    lethe_u32s parent;     /* by the name's number */
    lethe_u32s order;      /* children, in the order of their edges */
    lethe_u64s named, set; /* by the name's number: the line that first names it, that gives it its
                              parent */
};

lethe_err lethe_tree_builder_new(lethe_diag *d, const char *file, lethe_tree_builder **out)
{
    lethe_tree_builder *b = lethe_alloc(1, sizeof *b);
    if (!b) return lethe_no_memory(d);
    *b = (lethe_tree_builder){.diag = d, .arena = lethe_arena_new(), .names = lethe_dict_new()};
    if (b->arena && file) b->file = lethe_arena_dup(b->arena, lethe_str_of(file));
    if (!b->arena || !b->names || (file && !b->file)) {
        lethe_tree_builder_free(b);
        return lethe_no_memory(d);
    }
    *out = b;
    return LETHE_OK;
}

void lethe_tree_builder_free(lethe_tree_builder *b)
{
    if (!b) return;
    lethe_dict_free(b->names);
    lethe_arena_free(b->arena);
    lethe_free(b);
}

void lethe_tree_builder_column(lethe_tree_builder *b, uint32_t column) { b->column = column; }

lethe_err lethe_tree_builder_fail(lethe_tree_builder *b, uint64_t line, uint32_t column,
                                  lethe_str content, const char *text)
{
    lethe_message m = {.severity = LETHE_ERROR,
                       .file = b->file,
                       .line = line,
                       .column = column,
                       .text = text,
                       .content = content};
    lethe_say(b->diag, &m);
    return b->failed = LETHE_EINPUT;
}

static lethe_err out_of_memory(lethe_tree_builder *b)
{
    return b->failed = lethe_no_memory(b->diag);
}

static lethe_err name_add(lethe_tree_builder *b, lethe_str name, uint64_t line, uint32_t *out)
{
    static const uint32_t none = LETHE_NONE;
    static const uint64_t nowhere = 0;
    LETHE_TRY(lethe_dict_add(b->names, name, out));
    if (*out < b->parent.n) return LETHE_OK;
    LETHE_TRY(lethe_u64s_append(b->arena, &b->named, &line, 1));
    LETHE_TRY(lethe_u64s_append(b->arena, &b->set, &nowhere, 1));
    return lethe_u32s_append(b->arena, &b->parent, &none, 1);
}

lethe_err lethe_tree_builder_name(lethe_tree_builder *b, lethe_str name, uint64_t line,
                                  uint32_t *out)
{
    if (b->failed != LETHE_OK) return b->failed;
    if (name.n == 0) return lethe_tree_builder_fail(b, line, b->column, name, "a name is empty");
    if (name_add(b, name, line, out) != LETHE_OK) return out_of_memory(b);
    return LETHE_OK;
}

lethe_err lethe_tree_builder_edge(lethe_tree_builder *b, uint32_t child, uint32_t parent,
                                  uint64_t line)
{
    if (b->failed != LETHE_OK) return b->failed;
    lethe_str name = lethe_dict_at(b->names, child);
    if (child == parent)
        return lethe_tree_builder_fail(b, line, b->column, name, "a name is its own parent");
    if (b->parent.at[child] == parent) return LETHE_OK;
    if (b->parent.at[child] != LETHE_NONE) {
        char text[96];
        snprintf(text, sizeof text, "a name has two parents; line %llu gave it the first",
                 (unsigned long long)b->set.at[child]);
        return lethe_tree_builder_fail(b, line, b->column, name, text);
    }
    if (lethe_u32s_append(b->arena, &b->order, &child, 1) != LETHE_OK) return out_of_memory(b);
    b->parent.at[child] = parent;
    b->set.at[child] = line;
    return LETHE_OK;
}

lethe_err lethe_tree_edge(lethe_tree_builder *b, lethe_str child, lethe_str parent, uint64_t line)
{
    uint32_t c, p;
    LETHE_TRY(lethe_tree_builder_name(b, child, line, &c));
    LETHE_TRY(lethe_tree_builder_name(b, parent, line, &p));
    return lethe_tree_builder_edge(b, c, p, line);
}

lethe_err lethe_tree_node(lethe_tree_builder *b, lethe_str name, uint64_t line)
{
    uint32_t id;
    return lethe_tree_builder_name(b, name, line, &id);
}

static lethe_err build(lethe_tree_builder *b, lethe_tree **out)
{
    if (b->failed != LETHE_OK) return b->failed;
    if (b->parent.n == 0)
        return lethe_tree_builder_fail(b, 0, 0, LETHE_LIT(""), "the taxonomy is empty");
    shape s = {(uint32_t)b->parent.n, b->parent.at, b->order.at, (uint32_t)b->order.n};
    if (!s.order) s.order = b->parent.at; // no edge at all: an empty list, but a list
    lethe_err e = preorder_build(&s, out);
    if (e == LETHE_ENOMEM) return out_of_memory(b);
    if (e == LETHE_OK) return LETHE_OK;
    uint32_t v = 0;
    bool closes = false;
    if (find_fault(&s, &v, &closes) != LETHE_OK) return out_of_memory(b);
    lethe_str name = lethe_dict_at(b->names, v);
    if (closes) return lethe_tree_builder_fail(b, b->set.at[v], 0, name, "the edge closes a cycle");
    return lethe_tree_builder_fail(b, b->named.at[v], 0, name,
                                   "a second root: its name never gets a parent");
}

lethe_err lethe_tree_build(lethe_tree_builder *b, lethe_tree **out)
{
    lethe_err e = build(b, out);
    if (e == LETHE_OK) {
        (*out)->names = b->names;
        b->names = NULL;
    }
    lethe_tree_builder_free(b);
    return e;
}

/* --- from numbers --- */

lethe_err lethe_tree_from(lethe_diag *d, uint32_t n, const uint32_t *parent, const lethe_str *names,
                          lethe_tree **out)
{
    shape s = {.n = n, .parent = parent};
    lethe_tree *t = NULL;
    uint32_t wrong = 0;
    bool closes = false;
    if (n == 0) return lethe_fail(d, LETHE_EINPUT, "the taxonomy is empty");
    for (uint32_t i = 0; i < n; i++)
        if (parent[i] >= n && parent[i] != LETHE_NONE)
            return lethe_fail(d, LETHE_EINPUT, "node %u has a parent that does not exist", i);
    lethe_err e = preorder_build(&s, &t);
    if (e == LETHE_EINPUT && find_fault(&s, &wrong, &closes) == LETHE_OK)
        return lethe_fail(
            d, LETHE_EINPUT,
            closes ? "the edge of node %u closes a cycle" : "node %u is a second root", wrong);
    if (e != LETHE_OK) return lethe_no_memory(d);
    t->names = lethe_dict_new();
    if (!t->names) e = lethe_no_memory(d);
    for (uint32_t i = 0, id; e == LETHE_OK && i < n; i++) {
        if (names[i].n == 0)
            e = lethe_fail(d, LETHE_EINPUT, "the name of node %u is empty", i);
        else if (lethe_dict_add(t->names, names[i], &id) != LETHE_OK)
            e = lethe_no_memory(d);
        else if (id != i)
            e = lethe_fail(d, LETHE_EINPUT, "nodes %u and %u have the same name", id, i);
    }
    if (e == LETHE_OK)
        *out = t;
    else
        lethe_tree_free(t);
    return e;
}
