/* SPDX-License-Identifier: Apache-2.0 */
/* join_data.c - the lines of several releases in one order, and their taxonomies as one.
 *
 * Lines go through the external sort, so that neither their number nor that of the parts is limited
 * by memory.  Every taxonomy.tsv lists a part of the same tree, with the numbers of leaves of the
 * whole tree: two that agree about the nodes that both have are one tree, with the nodes of both.
 */
#include "release/make/join_internal.h"
#include "core/dict.h"
#include "io/sort/sorter.h"
#include "model/published/published_lines.h"
#include "model/published/published_tree.h"
#include "release/publish/lines.h"
#include <stdlib.h>

struct lethe_joined_data {
    lethe_ctx *ctx;
    lethe_shape shape;
    const char *const *parts;
    lethe_sorter *lines;
    lethe_buf head;      /* of a log: its first line, with LF */
    lethe_sorter *users; /* of a log: the user, NUL, the part; once for each part that has it */
    lethe_buf user;      /* such a record, of the line before */
    lethe_dict *nodes;   /* of taxonomies: names */
    lethe_dict *edges;   /* and their lines; the first is the root's */
    lethe_arena *arena;
    lethe_u32s edge_of;  /* by node */
    lethe_u64s named_by; /* by node: the first part that has it */
};

lethe_err lethe_joined_data_new(lethe_ctx *ctx, lethe_shape shape, const char *const *parts,
                                lethe_joined_data **out)
{
    lethe_joined_data *j = lethe_alloc_zero(1, sizeof *j);
    uint64_t bytes = lethe_ctx_memory(ctx) / 4;
    if (!j) return lethe_no_memory(ctx);
    *j = (lethe_joined_data){.ctx = ctx,
                             .shape = shape,
                             .parts = parts,
                             .nodes = lethe_dict_new(),
                             .edges = lethe_dict_new(),
                             .arena = lethe_arena_new()};
    lethe_err e = j->nodes && j->edges && j->arena ? LETHE_OK : lethe_no_memory(ctx);
    if (e == LETHE_OK) e = lethe_sorter_new(ctx, LETHE_ORDER_BYTES, bytes, &j->lines);
    if (e == LETHE_OK && shape == LETHE_SHAPE_LOG)
        e = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes, &j->users);
    if (e != LETHE_OK)
        lethe_joined_data_free(j);
    else
        *out = j;
    return e;
}

void lethe_joined_data_free(void *joined)
{
    lethe_joined_data *j = joined;
    if (!j) return;
    lethe_sorter_free(j->lines);
    lethe_sorter_free(j->users);
    lethe_buf_free(&j->head);
    lethe_buf_free(&j->user);
    lethe_dict_free(j->nodes);
    lethe_dict_free(j->edges);
    lethe_arena_free(j->arena);
    lethe_free(j);
}

/* --- lines --- */

/* All parts have the same columns. */
static lethe_err head_take(lethe_joined_data *j, size_t i, lethe_str line)
{
    lethe_str head = {(const char *)j->head.at, j->head.n};
    if (i == 0 && lethe_buf_str(&j->head, line) == LETHE_OK &&
        lethe_buf_put(&j->head, "\n", 1) == LETHE_OK)
        return LETHE_OK;
    if (i == 0) return lethe_no_memory(j->ctx);
    if (head.n == line.n + 1 && memcmp(head.at, line.at, line.n) == 0) return LETHE_OK;
    return lethe_fail(j->ctx, LETHE_EINPUT,
                      "'%s' and '%s' have different columns: they are not parts of one release",
                      j->parts[0], j->parts[i]);
}

/* Lines stand in the order of their bytes, so those of a user stand together. */
static lethe_err user_take(lethe_joined_data *j, size_t i, lethe_str line)
{
    const char *tab = memchr(line.at, '\t', line.n);
    lethe_str user = {line.at, tab ? (size_t)(tab - line.at) : line.n};
    uint64_t part = i;
    if (j->user.n == user.n + 1 + sizeof part && memcmp(j->user.at, user.at, user.n) == 0)
        return LETHE_OK; // as in the line before
    j->user.n = 0;
    if (lethe_buf_str(&j->user, user) != LETHE_OK || lethe_buf_put(&j->user, "", 1) != LETHE_OK ||
        lethe_buf_put(&j->user, &part, sizeof part) != LETHE_OK)
        return lethe_no_memory(j->ctx);
    return lethe_sorter_put(j->users, 0, j->user.at, j->user.n);
}

static lethe_err lines_take(lethe_joined_data *j, size_t i, lethe_published_lines *from)
{
    lethe_str line;
    bool log = j->shape == LETHE_SHAPE_LOG;
    j->user.n = 0; // the last user of the part before is another's
    while (lethe_published_next(from, &line)) {
        if (from->number % 65536 == 0 && lethe_ctx_cancelled(j->ctx)) return LETHE_ECANCEL;
        if (log && from->number == 1) {
            LETHE_TRY(head_take(j, i, line));
            continue;
        }
        if (log) LETHE_TRY(user_take(j, i, line));
        LETHE_TRY(lethe_sorter_put(j->lines, 0, line.at, line.n));
    }
    return from->err;
}

/* --- taxonomies --- */

static lethe_err tree_differs(const lethe_joined_data *j, size_t i, size_t other, lethe_str node)
{
    char name[80];
    lethe_show(name, sizeof name, node);
    return lethe_fail(
        j->ctx, LETHE_EINPUT,
        "'%s' and '%s' have different taxonomies: '%s' has another parent, or another "
        "number of leaves",
        j->parts[other], j->parts[i], name);
}

static lethe_err edge_take(lethe_joined_data *j, size_t i, lethe_str line, bool root)
{
    uint32_t node, edge;
    const char *tab = memchr(line.at, '\t', line.n);
    lethe_str name = {line.at, tab ? (size_t)(tab - line.at) : line.n};
    lethe_err e = lethe_dict_add(j->nodes, name, &node);
    if (e == LETHE_OK) e = lethe_dict_add(j->edges, line, &edge);
    if (e == LETHE_OK && node == j->edge_of.n) {
        e = lethe_u32s_append(j->arena, &j->edge_of, &edge, 1);
        if (e == LETHE_OK) e = lethe_u64s_append(j->arena, &j->named_by, &(uint64_t){i}, 1);
    }
    if (e == LETHE_ENOMEM) return lethe_no_memory(j->ctx);
    LETHE_TRY(e);
    bool same = j->edge_of.at[node] == edge && root == (edge == 0);
    return same ? LETHE_OK : tree_differs(j, i, (size_t)j->named_by.at[node], name);
}

static lethe_err edges_take(lethe_joined_data *j, size_t i, lethe_published_lines *from)
{
    lethe_str line;
    while (lethe_published_next(from, &line))
        LETHE_TRY(edge_take(j, i, line, from->number == 1));
    return from->err;
}

/* --- one part, and all --- */

typedef lethe_err (*take_fn)(lethe_joined_data *j, size_t i, lethe_published_lines *from);

static lethe_err file_take(lethe_joined_data *j, size_t i, int dirfd, const char *name,
                           size_t line_max, take_fn take)
{
    lethe_published_lines lines;
    lethe_err e = lethe_published_open(&lines, j->ctx, dirfd, name, line_max);
    lines.may_be_empty = true; // that is for the verification to say
    if (e == LETHE_OK) e = take(j, i, &lines);
    lethe_published_close(&lines);
    return e;
}

lethe_err lethe_joined_data_add(lethe_joined_data *j, size_t i, int dirfd)
{
    LETHE_TRY(file_take(j, i, dirfd, lethe_data_name(j->shape), SIZE_MAX / 2, lines_take));
    if (!lethe_published_has(dirfd, LETHE_TAXONOMY_NAME)) return LETHE_OK;
    return file_take(j, i, dirfd, LETHE_TAXONOMY_NAME, SIZE_MAX / 2, edges_take);
}

/* Users that are in two parts. */
typedef struct shared_users {
    bool found;
    uint64_t first, second; /* parts of one of them */
} shared_users;

static uint64_t part_of(lethe_str record)
{
    uint64_t part;
    memcpy(&part, record.at + record.n - sizeof part, sizeof part);
    return part;
}

/* The first one of each worker is enough: there should be none. */
static lethe_err users_compare(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    shared_users *own = (shared_users *)arg + w;
    lethe_str record, before = {0};
    (void)part;
    for (bool first = true; lethe_sorted_next(it, &record); first = false, before = record) {
        size_t n = record.n - sizeof(uint64_t); // with the NUL
        if (first || own->found || before.n != record.n || memcmp(before.at, record.at, n) != 0)
            continue;
        *own = (shared_users){true, part_of(before), part_of(record)};
    }
    return lethe_sorted_err(it);
}

lethe_err lethe_joined_data_finish(lethe_joined_data *j)
{
    unsigned n = lethe_ctx_threads(j->ctx);
    if (!j->users) return LETHE_OK;
    shared_users *shared = lethe_alloc_zero(n, sizeof *shared);
    if (!shared) return lethe_no_memory(j->ctx);
    lethe_err e = lethe_sorter_each(j->users, users_compare, shared);
    for (unsigned w = 0; w < n && e == LETHE_OK; w++)
        if (shared[w].found)
            e = lethe_fail(j->ctx, LETHE_EINPUT,
                           "'%s' and '%s' have a user in common: parts must be of different "
                           "persons",
                           j->parts[shared[w].first], j->parts[shared[w].second]);
    lethe_free(shared);
    return e;
}

/* --- writing --- */

lethe_err lethe_joined_data_write(void *joined, lethe_sink *to)
{
    lethe_joined_data *j = joined;
    lethe_str head = {(const char *)j->head.at, j->head.n};
    return lethe_sorted_lines_write(j->ctx, j->lines, head, to);
}

static int by_bytes(const void *a, const void *b)
{
    return lethe_str_cmp(*(const lethe_str *)a, *(const lethe_str *)b);
}

lethe_err lethe_joined_taxonomy_write(void *joined, lethe_sink *to)
{
    const lethe_joined_data *j = joined;
    uint32_t n = lethe_dict_count(j->edges);
    lethe_str *line = lethe_alloc(n, sizeof *line);
    lethe_err e = line ? LETHE_OK : lethe_no_memory(j->ctx);
    for (uint32_t i = 0; i < n && line; i++)
        line[i] = lethe_dict_at(j->edges, i);
    if (n > 1 && line) qsort(line + 1, n - 1, sizeof *line, by_bytes);
    for (uint32_t i = 0; i < n && e == LETHE_OK; i++) {
        e = lethe_sink_write(to, line[i].at, line[i].n);
        if (e == LETHE_OK) e = lethe_sink_write(to, "\n", 1);
    }
    lethe_free(line);
    return e;
}
