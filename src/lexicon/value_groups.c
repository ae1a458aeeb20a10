/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a list of groups into a forest: each name has at most one group above it. */
#include "lexicon/value_groups.h"
#include "core/mem.h"
#include "io/read/lines.h"
#include "text/normalize.h"

/* A name with the line that put it below another; 0: none did. */
typedef struct node {
    uint32_t parent;
    bool is_value;
    uint64_t line;
} node;

typedef struct builder {
    lethe_lines lines;
    lethe_dict *names;
    lethe_buf nodes; /* node of each */
} builder;

static node *node_at(const builder *b, uint32_t i) { return (node *)(void *)b->nodes.at + i; }

static const char *name_fault(lethe_str name)
{
    if (name.n == 0) return "a name is empty";
    if (memchr(name.at, '\0', name.n)) return "a NUL in a name";
    if (memchr(name.at, '\r', name.n)) return "a carriage return in a name";
    return lethe_utf8_valid(name) ? NULL : "a name is not valid utf-8";
}

static bool is_root(lethe_str name) { return name.n == 1 && name.at[0] == '*'; }

static lethe_err name_take(builder *b, lethe_str name, uint32_t column, uint32_t *id)
{
    const char *fault = name_fault(name);
    uint32_t n = lethe_dict_count(b->names);
    if (fault) return lethe_lines_fault(&b->lines, column, "%s", fault);
    if (lethe_dict_add(b->names, name, id) != LETHE_OK) return lethe_no_memory(b->lines.diag);
    if (*id < n) return LETHE_OK;
    node fresh = {.parent = LETHE_NONE};
    return lethe_buf_put(&b->nodes, &fresh, sizeof fresh) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(b->lines.diag);
}

static lethe_err edge_take(builder *b, uint32_t child, uint32_t parent, uint32_t column)
{
    node *c = node_at(b, child);
    if (child == parent) return lethe_lines_fault(&b->lines, column, "a name is above itself");
    if (c->line && c->parent != parent) {
        char shown[80], other[80];
        lethe_show(shown, sizeof shown, lethe_dict_at(b->names, child));
        if (c->parent == LETHE_NONE)
            strcpy(other, "*");
        else
            lethe_show(other, sizeof other, lethe_dict_at(b->names, c->parent));
        return lethe_lines_fault(&b->lines, column, "'%s' is in '%s' already, by line %llu", shown,
                                 other, (unsigned long long)c->line);
    }
    if (!c->line) *c = (node){parent, c->is_value, b->lines.number};
    return LETHE_OK;
}

/* The part of the line up to the next tab; false: it was the last. */
static bool field_next(lethe_str *line, lethe_str *field)
{
    const char *tab = line->n ? memchr(line->at, '\t', line->n) : NULL;
    size_t n = tab ? (size_t)(tab - line->at) : line->n;
    *field = lethe_str_trim((lethe_str){line->at, n});
    *line = (lethe_str){line->at + n + (tab != NULL), line->n - n - (tab != NULL)};
    return tab != NULL;
}

static lethe_err line_take(builder *b, lethe_str line)
{
    lethe_str field;
    uint32_t below = LETHE_NONE, id = LETHE_NONE, column = 1;
    bool more = field_next(&line, &field);
    if (!more) return lethe_lines_fault(&b->lines, 0, "no tab: expected a value and a group");
    if (is_root(field)) return lethe_lines_fault(&b->lines, 1, "something stands above '*'");
    LETHE_TRY(name_take(b, field, column, &below));
    node_at(b, below)->is_value = true;
    while (more) {
        more = field_next(&line, &field);
        column++;
        if (is_root(field) && more)
            return lethe_lines_fault(&b->lines, column + 1, "something stands above '*'");
        if (is_root(field)) return edge_take(b, below, LETHE_NONE, column);
        LETHE_TRY(name_take(b, field, column, &id));
        LETHE_TRY(edge_take(b, below, id, column));
        below = id;
    }
    return LETHE_OK;
}

/* No name above itself; *depth: groups above a value at most.  Each name is walked once: what is
 * above one that is `done` is known. */
static lethe_err forest_check(builder *b, uint32_t *above, uint32_t *path, uint32_t *depth)
{
    enum { UNSEEN = 0 }; // else 1 + the number of names above
    const uint32_t on_path = UINT32_MAX;
    uint32_t n = lethe_dict_count(b->names);
    *depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i, length = 0;
        while (at != LETHE_NONE && above[at] == UNSEEN) {
            above[at] = on_path;
            path[length++] = at;
            at = node_at(b, at)->parent;
        }
        if (at != LETHE_NONE && above[at] == on_path)
            return lethe_fail_at(b->lines.diag, LETHE_EINPUT, b->lines.name, node_at(b, at)->line,
                                 0, "a name is above itself");
        uint32_t known = at == LETHE_NONE ? 0 : above[at];
        while (length > 0)
            above[path[--length]] = ++known;
        if (node_at(b, i)->is_value) *depth = LETHE_MAX(*depth, above[i] - 1);
    }
    return LETHE_OK;
}

static lethe_err finish(builder *b, lethe_value_groups *out)
{
    uint32_t n = lethe_dict_count(b->names), depth = 0;
    if (n == 0)
        return lethe_fail_at(b->lines.diag, LETHE_EINPUT, b->lines.name, 1, 0,
                             "empty: no groups in it");
    uint32_t *above = lethe_alloc_zero(n, sizeof *above), *path = lethe_alloc(n, sizeof *path),
             *parent = lethe_alloc(n, sizeof *parent);
    bool *is_value = lethe_alloc(n, sizeof *is_value);
    lethe_err e = above && path && parent && is_value ? forest_check(b, above, path, &depth)
                                                      : lethe_no_memory(b->lines.diag);
    lethe_free_all(above, path);
    if (e != LETHE_OK) {
        lethe_free_all(parent, is_value);
        return e;
    }
    for (uint32_t i = 0; i < n; i++) {
        parent[i] = node_at(b, i)->parent;
        is_value[i] = node_at(b, i)->is_value;
    }
    *out = (lethe_value_groups){b->names, parent, is_value, depth};
    b->names = NULL;
    return LETHE_OK;
}

/* Closes the lines; `e`: how opening them ended. */
static lethe_err read_all(lethe_ctx *ctx, builder *b, lethe_err e, lethe_value_groups *out)
{
    lethe_str line;
    b->names = lethe_dict_new();
    if (e == LETHE_OK && !b->names) e = lethe_no_memory(ctx);
    while (e == LETHE_OK && lethe_lines_next(&b->lines, &line))
        if (lethe_str_trim(line).n > 0) e = line_take(b, line);
    if (e == LETHE_OK) e = lethe_lines_err(&b->lines);
    if (e == LETHE_OK) e = finish(b, out);
    lethe_lines_close(&b->lines);
    lethe_dict_free(b->names);
    lethe_buf_free(&b->nodes);
    return e;
}

lethe_err lethe_value_groups_read(lethe_ctx *ctx, const char *path, lethe_value_groups *out)
{
    builder b = {0};
    return read_all(ctx, &b, lethe_lines_open(&b.lines, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_value_groups_memory(lethe_ctx *ctx, lethe_str bytes, lethe_value_groups *out)
{
    builder b = {0};
    return read_all(ctx, &b, lethe_lines_memory(&b.lines, lethe_ctx_diag(ctx), bytes), out);
}

void lethe_value_groups_free(lethe_value_groups *g)
{
    lethe_dict_free(g->names);
    lethe_free_all(g->parent, g->is_value);
    *g = (lethe_value_groups){0};
}
