/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes taxonomy.tsv of published records, and matches it with a given taxonomy. */
#include "model/published/published_tree.h"
#include "io/read/lines.h"
#include "model/published/published_lines.h"
#include "model/tree/tree_build.h"
#include "text/normalize.h"
#include "core/parse.h"
#include <stdio.h>
#include <stdlib.h>

enum { N_COLUMNS = 3 };

struct reader {
    lethe_published_lines lines;
    lethe_tree_builder *builder;
    lethe_arena *arena;
    lethe_u32s leaves; /* by the name's number; 0: it has no line yet */
    lethe_u64s line;   /* and that line */
    lethe_buf before;  /* the line before */
};

/* --- one line --- */

/* The number of a name, with room for what is known of it. */
static lethe_err name_take(struct reader *r, lethe_str name, uint32_t column, uint32_t *id)
{
    if (name.n == 0) return lethe_published_fault(&r->lines, column, "a name is empty");
    if (memchr(name.at, ' ', name.n))
        return lethe_published_fault(&r->lines, column, "a space in a name");
    lethe_tree_builder_column(r->builder, column);
    LETHE_TRY(lethe_tree_builder_name(r->builder, name, r->lines.number, id));
    if (*id < r->leaves.n) return LETHE_OK;
    if (lethe_u32s_append(r->arena, &r->leaves, &(uint32_t){0}, 1) != LETHE_OK ||
        lethe_u64s_append(r->arena, &r->line, &(uint64_t){0}, 1) != LETHE_OK)
        return lethe_no_memory(r->lines.ctx);
    return LETHE_OK;
}

/* --- the whole --- */

/* A parent's leaves are at least those of its children together. */
static lethe_err sums_check(struct reader *r, const lethe_tree *t)
{
    for (uint32_t v = 0; v < t->n; v++) {
        uint64_t sum = 0;
        for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c])
            sum += r->leaves.at[t->name[c]];
        if (sum <= r->leaves.at[t->name[v]]) continue;
        r->lines.number = r->line.at[t->name[v]];
        return lethe_published_fault(&r->lines, 3, "fewer leaves than its children have");
    }
    return LETHE_OK;
}

/* Every name has a line of its own: the tree has one root, which is the first line's, since that
 * name never gets a parent; and whoever has a parent has a line. */
static lethe_err lines_take(struct reader *r, lethe_published_tree **out)
{
    lethe_str line;
    lethe_tree *t = NULL;
    r->arena = lethe_arena_new();
    if (!r->arena) return lethe_no_memory(r->lines.ctx);
    LETHE_TRY(lethe_tree_builder_new(lethe_ctx_diag(r->lines.ctx), r->lines.name, &r->builder));
    while (lethe_published_next(&r->lines, &line)) {
        lethe_str f[N_COLUMNS];
        uint32_t child, parent;
        uint64_t leaves;
        bool is_root = r->lines.number == 1;
        if (lethe_tabs_split(line, f, N_COLUMNS) != N_COLUMNS)
            return lethe_published_fault(&r->lines, 0, "not three columns: child, parent, leaves");
        // the root's line comes first, in no order
        lethe_str before = {(const char *)r->before.at, r->before.n};
        if (r->lines.number > 2 && lethe_str_cmp(before, line) >= 0)
            return lethe_published_fault(&r->lines, 0, "a line out of order");
        r->before.n = 0;
        if (lethe_buf_str(&r->before, line) != LETHE_OK) return lethe_no_memory(r->lines.ctx);
        LETHE_TRY(name_take(r, f[0], 1, &child));
        if (!lethe_parse_u64(f[2], &leaves) || f[2].at[0] == '0' || leaves > UINT32_MAX - 1)
            return lethe_published_fault(&r->lines, 3, "leaves are not a whole number above 0");
        if (r->leaves.at[child] != 0)
            return lethe_published_fault(&r->lines, 1,
                                         "a name has two lines; line %llu is the first",
                                         (unsigned long long)r->line.at[child]);
        r->leaves.at[child] = (uint32_t)leaves;
        r->line.at[child] = r->lines.number;
        if (is_root && f[1].n > 0)
            return lethe_published_fault(&r->lines, 2, "the first line is not the root's");
        if (is_root) continue;
        LETHE_TRY(name_take(r, f[1], 2, &parent));
        LETHE_TRY(lethe_tree_builder_edge(r->builder, child, parent, r->lines.number));
    }
    LETHE_TRY(r->lines.err);
    lethe_tree_builder *b = r->builder;
    r->builder = NULL; // used up below, in any case
    LETHE_TRY(lethe_tree_build(b, &t));
    lethe_published_tree *p = lethe_alloc(1, sizeof *p);
    uint32_t *leaves = lethe_alloc(t->n, sizeof *leaves);
    lethe_err e = sums_check(r, t);
    if (e == LETHE_OK && (!p || !leaves)) e = lethe_no_memory(r->lines.ctx);
    if (e != LETHE_OK) {
        lethe_free_all(p, leaves);
        lethe_tree_free(t);
        return e;
    }
    for (uint32_t v = 0; v < t->n; v++)
        leaves[v] = r->leaves.at[t->name[v]];
    *p = (lethe_published_tree){t, leaves};
    *out = p;
    return LETHE_OK;
}

static lethe_err reader_finish(struct reader *r, lethe_published_tree **out)
{
    lethe_err e = r->lines.err == LETHE_OK ? lines_take(r, out) : r->lines.err;
    lethe_tree_builder_free(r->builder);
    lethe_arena_free(r->arena);
    lethe_buf_free(&r->before);
    lethe_published_close(&r->lines);
    return e;
}

lethe_err lethe_published_tree_read(lethe_ctx *ctx, int dirfd, lethe_published_tree **out)
{
    struct reader r = {0};
    if (!lethe_published_has(dirfd, LETHE_TAXONOMY_NAME)) {
        *out = NULL;
        return LETHE_OK;
    }
    // what fails is in r.lines.err as well
    (void)!lethe_published_open(&r.lines, ctx, dirfd, LETHE_TAXONOMY_NAME, LETHE_LINE_MAX);
    return reader_finish(&r, out);
}

lethe_err lethe_published_tree_memory(lethe_ctx *ctx, lethe_str bytes, lethe_published_tree **out)
{
    struct reader r = {0};
    lethe_published_memory(&r.lines, ctx, bytes, LETHE_TAXONOMY_NAME, LETHE_LINE_MAX);
    return reader_finish(&r, out);
}

void lethe_published_tree_free(lethe_published_tree *t)
{
    if (!t) return;
    lethe_tree_free(t->tree);
    lethe_free((uint32_t *)t->leaves); // made here
    lethe_free(t);
}

/* Is listed node v where it is in `t`? */
static bool is_in(const lethe_published_tree *p, uint32_t v, const lethe_tree *t, bool exact)
{
    const lethe_tree *listed = p->tree;
    uint32_t there = lethe_tree_find(t, lethe_tree_name(listed, v)), up = 0;
    if (v > 0) up = lethe_tree_find(t, lethe_tree_name(listed, listed->parent[v]));
    if (there == LETHE_NONE || up == LETHE_NONE || !lethe_tree_covers(t, up, there)) return false;
    if (!exact) return true;
    return p->leaves[v] == t->leaves[there] && (v > 0 ? t->parent[there] == up : there == 0);
}

lethe_err lethe_published_tree_match(lethe_ctx *ctx, int dirfd, const lethe_tree *t, bool exact)
{
    lethe_published_tree *p = NULL;
    char name[80];
    lethe_err e = LETHE_OK;
    LETHE_TRY(lethe_published_tree_read(ctx, dirfd, &p));
    for (uint32_t v = 0; p && e == LETHE_OK && v < p->tree->n; v++) {
        if (is_in(p, v, t, exact)) continue;
        lethe_show(name, sizeof name, lethe_tree_name(p->tree, v));
        e = lethe_fail(ctx, LETHE_EINPUT,
                       "'%s' is not as the release has it: the taxonomy, or the original, is not "
                       "what it was made from",
                       name);
    }
    lethe_published_tree_free(p);
    return e;
}

/* --- writing --- */

/* A line as it will be: where it stands in the buffer, without its LF. */
struct piece {
    size_t at, n;
};

static lethe_err line_put(const lethe_tree *t, uint32_t v, lethe_buf *to, struct piece *p)
{
    char number[24];
    int n = snprintf(number, sizeof number, "\t%u\n", t->leaves[v]);
    p->at = to->n;
    LETHE_TRY(lethe_buf_str(to, lethe_tree_name(t, v)));
    LETHE_TRY(lethe_buf_put(to, "\t", 1));
    if (v > 0) LETHE_TRY(lethe_buf_str(to, lethe_tree_name(t, t->parent[v])));
    LETHE_TRY(lethe_buf_put(to, number, (size_t)n));
    p->n = to->n - p->at - 1;
    return LETHE_OK;
}

static int by_bytes(const void *a, const void *b, void *bytes)
{
    const struct piece *x = a, *y = b;
    const char *at = bytes;
    return lethe_str_cmp((lethe_str){at + x->at, x->n}, (lethe_str){at + y->at, y->n});
}

/* Marks the nodes that are to be listed; how many they are. */
static size_t nodes_mark(const lethe_tree *t, const uint32_t *node, size_t n, bool *listed)
{
    size_t count = 1;
    listed[0] = true;
    for (size_t i = 0; i < n; i++)
        for (uint32_t v = node[i]; !listed[v]; v = t->parent[v], count++)
            listed[v] = true;
    return count;
}

static lethe_err lines_put(lethe_diag *d, const lethe_tree *t, const bool *listed,
                           struct piece *piece, lethe_buf *unsorted, lethe_buf *to)
{
    size_t n = 0;
    struct piece root;
    for (uint32_t v = 0; v < t->n; v++) {
        if (!listed[v]) continue;
        if (!lethe_published_writable(lethe_tree_name(t, v)))
            return lethe_fail(d, LETHE_EINPUT,
                              "a name of the taxonomy holds a space or cannot be written as text");
        LETHE_TRY(line_put(t, v, v ? unsorted : to, v ? &piece[n++] : &root));
    }
    if (n > 0) qsort_r(piece, n, sizeof *piece, by_bytes, unsorted->at);
    for (size_t i = 0; i < n; i++)
        LETHE_TRY(lethe_buf_put(to, unsorted->at + piece[i].at, piece[i].n + 1));
    return LETHE_OK;
}

lethe_err lethe_taxonomy_write(lethe_diag *d, const lethe_tree *t, const uint32_t *node, size_t n,
                               lethe_buf *to)
{
    lethe_buf unsorted = {0};
    struct piece *piece = NULL;
    lethe_err e = LETHE_ENOMEM;
    bool *listed = lethe_alloc_zero(t->n, sizeof *listed);
    size_t began = to->n;
    if (listed) piece = lethe_alloc(nodes_mark(t, node, n, listed), sizeof *piece);
    if (piece) e = lines_put(d, t, listed, piece, &unsorted, to);
    lethe_free_all(listed, piece);
    lethe_buf_free(&unsorted);
    if (e != LETHE_OK) to->n = began;
    return e == LETHE_ENOMEM ? lethe_no_memory(d) : e;
}
