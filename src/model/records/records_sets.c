/* SPDX-License-Identifier: Apache-2.0 */
/* Records as sets: sensitive items apart from the others, a person's records as one. */
#include "model/records/records.h"
#include "core/sort.h"
#include <stdio.h>
#include <stdlib.h>

/* Sorts, and keeps one of each; how many are left. */
static uint64_t make_distinct(uint32_t *at, uint64_t n)
{
    uint64_t kept = 0;
    if (n > 1) qsort(at, n, sizeof *at, lethe_u32_cmp);
    for (uint64_t i = 0; i < n; i++)
        if (kept == 0 || at[kept - 1] != at[i]) at[kept++] = at[i];
    return kept;
}

/* --- sensitive items --- */

enum { NAMED = 3 }; /* items of the list that are missed by name */

typedef struct marker {
    lethe_diag *diag;
    lethe_records *r;
    const lethe_sensitive *list;
    lethe_dict *items, *marks; /* what the records' items become */
    uint32_t *item;            /* by old item: its new number; LETHE_NONE: it is a mark */
    uint32_t *mark;            /* by old item: its mark; LETHE_NONE: it is none */
    bool *met;                 /* by item of the list */
} marker;

/* A name, and the old item that has it. */
struct named {
    lethe_str name;
    uint32_t item;
};

static int by_name(const void *a, const void *b)
{
    return lethe_str_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static lethe_err mark_all(marker *m, struct named *named)
{
    lethe_records *r = m->r;
    uint64_t n_marks = 0;
    uint32_t n = 0, number;
    for (uint32_t i = 0; i < lethe_dict_count(m->r->items); i++) {
        lethe_str name = lethe_dict_at(m->r->items, i);
        uint32_t listed = lethe_dict_find(m->list->names, name);
        m->item[i] = m->mark[i] = LETHE_NONE;
        if (listed == LETHE_NONE) {
            LETHE_TRY(lethe_dict_add(m->items, name, &m->item[i]));
            continue;
        }
        m->met[listed] = true;
        named[n++] = (struct named){name, i};
    }
    qsort(named, n, sizeof *named, by_name);
    for (uint32_t i = 0; i < n; i++) {
        LETHE_TRY(lethe_dict_add(m->marks, named[i].name, &number));
        m->mark[named[i].item] = number;
    }
    for (uint64_t k = 0; k < r->start[r->n]; k++)
        n_marks += m->mark[r->item[k]] != LETHE_NONE;
    uint64_t *mark_start = lethe_new(r->arena, uint64_t, r->n + 1);
    uint32_t *mark = lethe_new(r->arena, uint32_t, n_marks + 1);
    if (!mark_start || !mark) return LETHE_ENOMEM;
    /* Items to their new numbers, in place; marks go to `mark`, in the records' arena. */
    uint64_t *start = (uint64_t *)r->start, from = 0, kept = 0; // ours: in the records' own arena
    uint32_t *item = (uint32_t *)r->item;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t first = mark_start[i], n_here = 0;
        for (uint64_t end = start[i + 1]; from < end; from++) {
            if (m->mark[item[from]] != LETHE_NONE)
                mark[first + n_here++] = m->mark[item[from]];
            else
                item[kept++] = m->item[item[from]];
        }
        start[i + 1] = kept;
        mark_start[i + 1] = first + make_distinct(mark + first, n_here);
    }
    lethe_dict_free(r->items);
    r->items = m->items;
    r->marks = m->marks;
    r->mark_start = mark_start;
    r->mark = mark;
    m->items = m->marks = NULL;
    return LETHE_OK;
}

static lethe_err mark_with(marker *m)
{
    uint32_t n = lethe_dict_count(m->r->items);
    struct named *named = lethe_alloc(n, sizeof *named);
    m->items = lethe_dict_new();
    m->marks = lethe_dict_new();
    m->item = lethe_alloc(n, sizeof *m->item);
    m->mark = lethe_alloc(n, sizeof *m->mark);
    m->met = lethe_alloc_zero(lethe_dict_count(m->list->names), sizeof *m->met);
    bool all = named && m->items && m->marks && m->item && m->mark && m->met;
    lethe_err e = all ? mark_all(m, named) : LETHE_ENOMEM;
    lethe_free(named);
    return e == LETHE_ENOMEM ? lethe_no_memory(m->diag) : e;
}

/* What the list has and no record does. */
static lethe_err missed_say(const marker *m, bool strict)
{
    uint32_t n = lethe_dict_count(m->list->names), missed = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (m->met[i]) continue;
        lethe_message said = {.severity = strict ? LETHE_ERROR : LETHE_WARNING,
                              .file = m->list->file,
                              .line = m->list->line[i],
                              .text = "the sensitive item is in no record",
                              .content = lethe_dict_at(m->list->names, i)};
        if (missed++ < NAMED) lethe_say(m->diag, &said);
        if (strict) return LETHE_EINPUT;
    }
    if (missed > 0)
        lethe_warn(m->diag, "%lu of %lu sensitive item%s in no record", (unsigned long)missed,
                   (unsigned long)n, n == 1 ? " is" : "s are");
    return LETHE_OK;
}

lethe_err lethe_records_mark(lethe_ctx *ctx, lethe_records *in, const lethe_sensitive *list,
                             bool strict)
{
    marker m = {.diag = lethe_ctx_diag(ctx), .r = in, .list = list};
    assert(in->items && !in->marks); // neither bound nor marked yet
    lethe_err e = mark_with(&m);
    if (e == LETHE_OK) e = missed_say(&m, strict);
    lethe_dict_free(m.items);
    lethe_dict_free(m.marks);
    lethe_free_all(m.item, m.mark, m.met);
    return e;
}

/* --- sets --- */

/* Rows of numbers: row i is at[start[i]] .. at[start[i + 1] - 1]. */
typedef struct rows {
    const uint64_t *start;
    const uint32_t *at;
} rows;

/* The rows of each set as one, distinct and ascending. */
static lethe_err rows_merge(lethe_arena *a, size_t n, const size_t *set_of, size_t n_sets,
                            rows *both)
{
    const rows in = *both;
    uint64_t *start = lethe_new(a, uint64_t, n_sets + 2), kept = 0, from = 0;
    uint32_t *at = lethe_new(a, uint32_t, in.start[n] + 1);
    if (!start || !at) return LETHE_ENOMEM;
    // counted two further on: while rows are filled in, each begins one further on
    for (size_t i = 0; i < n; i++)
        start[set_of[i] + 2] += in.start[i + 1] - in.start[i];
    for (size_t s = 1; s < n_sets; s++)
        start[s + 1] += start[s];
    for (size_t i = 0; i < n; i++) {
        uint64_t size = in.start[i + 1] - in.start[i];
        if (size > 0) memcpy(at + start[set_of[i] + 1], in.at + in.start[i], size * sizeof *at);
        start[set_of[i] + 1] += size;
    }
    for (size_t s = 0; s < n_sets; s++) {
        uint64_t end = start[s + 1], size = make_distinct(at + from, end - from);
        memmove(at + kept, at + from, size * sizeof *at);
        from = end;
        start[s] = kept;
        kept += size;
    }
    start[n_sets] = kept;
    *both = (rows){start, at};
    return LETHE_OK;
}

static lethe_err sets_make(lethe_records *r, bool by_person, size_t *set_of, size_t *of_owner)
{
    // Which set each record is part of; how many sets there are.
    size_t n_sets = 0;
    for (uint32_t o = 0; o < r->n_owners; o++)
        of_owner[o] = SIZE_MAX;
    for (size_t i = 0; i < r->n; i++) {
        size_t *known = &of_owner[r->owner[i]];
        set_of[i] = by_person && *known != SIZE_MAX ? *known : n_sets++;
        *known = set_of[i];
    }
    rows items = {r->start, r->item}, marks = {r->mark_start, r->mark};
    LETHE_TRY(rows_merge(r->arena, r->n, set_of, n_sets, &items));
    if (r->marks) LETHE_TRY(rows_merge(r->arena, r->n, set_of, n_sets, &marks));
    if (n_sets < r->n) {
        uint32_t *owner = lethe_new(r->arena, uint32_t, n_sets + 1);
        uint64_t *origin = lethe_new(r->arena, uint64_t, n_sets + 1);
        uint64_t *lines = lethe_new(r->arena, uint64_t, n_sets + 1);
        if (!owner || !origin || !lines) return LETHE_ENOMEM;
        for (size_t i = r->n; i-- > 0;) { // so that the first has the last word
            owner[set_of[i]] = r->owner[i];
            origin[set_of[i]] = r->origin[i];
            lines[set_of[i]] += r->lines ? r->lines[i] : 1;
        }
        r->owner = owner;
        r->origin = origin;
        r->lines = lines;
    }
    r->start = items.start;
    r->item = items.at;
    r->mark_start = marks.start;
    r->mark = marks.at;
    r->n = n_sets;
    return LETHE_OK;
}

lethe_err lethe_records_sets(lethe_ctx *ctx, lethe_records *in, bool by_person, lethe_records **out)
{
    size_t *set_of = lethe_alloc(in->n, sizeof *set_of);
    size_t *of_owner = lethe_alloc(in->n_owners, sizeof *of_owner);
    assert(!in->items); // bound: numbers in order of nodes
    lethe_err e = set_of && of_owner ? sets_make(in, by_person, set_of, of_owner) : LETHE_ENOMEM;
    lethe_free_all(set_of, of_owner);
    if (e == LETHE_OK) {
        *out = in;
        return LETHE_OK;
    }
    lethe_records_free(in);
    return lethe_no_memory(ctx);
}

/* --- marks as items --- */

/* A name that no item has, since none holds a space. */
static lethe_err hidden_name(lethe_arena *a, lethe_str name, lethe_str *out)
{
    char *copy = lethe_new(a, char, name.n + 1);
    if (!copy) return LETHE_ENOMEM;
    copy[0] = ' ';
    memcpy(copy + 1, name.at, name.n);
    *out = (lethe_str){copy, name.n + 1};
    return LETHE_OK;
}

static lethe_err marked_tree(lethe_diag *d, lethe_arena *tmp, const lethe_dict *marks,
                             const lethe_tree *t, lethe_tree **out)
{
    uint32_t n_marks = lethe_dict_count(marks), n = t->n + 1 + n_marks;
    bool numbered = n_marks < LETHE_NONE - 1 - t->n;
    uint32_t *parent = numbered ? lethe_new(tmp, uint32_t, n) : NULL;
    lethe_str *name = parent ? lethe_new(tmp, lethe_str, n) : NULL;
    if (!name) return lethe_no_memory(d);
    parent[0] = LETHE_NONE;
    name[0] = LETHE_LIT(" ");
    for (uint32_t v = 0; v < t->n; v++) {
        parent[v + 1] = v ? t->parent[v] + 1 : 0;
        name[v + 1] = lethe_tree_name(t, v);
        if (lethe_dict_find(marks, name[v + 1]) == LETHE_NONE) continue;
        if (hidden_name(tmp, name[v + 1], &name[v + 1]) != LETHE_OK) return lethe_no_memory(d);
    }
    for (uint32_t i = 0; i < n_marks; i++)
        name[t->n + 1 + i] = lethe_dict_at(marks, i); // below the root, which is 0
    return lethe_tree_from(d, n, parent, name, out);
}

static lethe_err marks_add(lethe_records *r, uint32_t n_nodes)
{
    uint64_t all = r->start[r->n] + r->mark_start[r->n], to = 0;
    uint64_t *start = lethe_new(r->arena, uint64_t, r->n + 1);
    uint32_t *item = lethe_new(r->arena, uint32_t, all + 1);
    if (!start || !item) return LETHE_ENOMEM;
    for (size_t i = 0; i < r->n; i++) {
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
            item[to++] = r->item[k] + 1;
        for (uint64_t k = r->mark_start[i]; k < r->mark_start[i + 1]; k++)
            item[to++] = n_nodes + 1 + r->mark[k];
        start[i + 1] = to;
    }
    r->start = start;
    r->item = item;
    return LETHE_OK;
}

lethe_err lethe_records_unmark(lethe_ctx *ctx, lethe_records *in, const lethe_tree *t,
                               lethe_records **out, lethe_tree **tree)
{
    lethe_arena *tmp = in->marks ? lethe_arena_new() : NULL;
    lethe_tree *larger = NULL;
    lethe_err e = LETHE_OK;
    assert(!in->items); // bound
    if (in->marks) {
        e = tmp && marks_add(in, t->n) == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
        if (e == LETHE_OK) e = marked_tree(lethe_ctx_diag(ctx), tmp, in->marks, t, &larger);
        lethe_arena_free(tmp);
    }
    if (e != LETHE_OK) {
        lethe_records_free(in);
        return e;
    }
    *out = in;
    *tree = larger;
    return LETHE_OK;
}
