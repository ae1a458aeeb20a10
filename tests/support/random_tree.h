/* SPDX-License-Identifier: Apache-2.0 */
/* random_tree.h - small taxonomies and bags of their nodes, drawn by a seed. */
#ifndef LETHE_TESTS_RANDOM_TREE_H
#define LETHE_TESTS_RANDOM_TREE_H
#include "published_harness.h"

enum { R_NODES = 14, R_TEXT = 4096 };

/* Node i hangs below a node before it; names are letters, the root being a.  Edges as text. */
static inline void r_tree(uint64_t *seed, char *text)
{
    size_t n = 2 + o_below(seed, R_NODES - 1), used = 0;
    for (size_t i = 1; i < n; i++)
        used += (size_t)sprintf(text + used, "%c\t%c\n", (char)('a' + i),
                                (char)('a' + o_below(seed, i)));
}

/* Is `v` at or above `w`, by climbing? */
static inline bool r_above(const lethe_tree *t, uint32_t v, uint32_t w)
{
    while (w != v && w != LETHE_NONE)
        w = t->parent[w];
    return w == v;
}

/* A bag of up to `most` leaves. */
static inline size_t r_leaves(uint64_t *seed, const lethe_tree *t, size_t most, uint32_t *out)
{
    size_t n = o_below(seed, most + 1);
    for (size_t i = 0; i < n; i++) {
        do
            out[i] = (uint32_t)o_below(seed, t->n);
        while (t->end[out[i]] != out[i] + 1);
    }
    return n;
}

/* What a bag could be published as: some of its items are left out, the others climb. */
static inline size_t r_generalize(uint64_t *seed, const lethe_tree *t, const uint32_t *bag,
                                  size_t n, uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v = bag[i];
        if (o_below(seed, 4) == 0) continue;
        while (v != 0 && o_below(seed, 3) == 0)
            v = t->parent[v];
        out[kept++] = v;
    }
    return kept;
}

static inline int r_by_char(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* The names of a bag, sorted, parted by spaces: a line without LF. */
static inline void r_line(const lethe_tree *t, const uint32_t *bag, size_t n, char *out)
{
    char name[64];
    for (size_t i = 0; i < n; i++)
        name[i] = lethe_tree_name(t, bag[i]).at[0];
    if (n > 0) qsort(name, n, 1, r_by_char);
    for (size_t i = 0; i < n; i++) {
        *out++ = name[i];
        if (i + 1 < n) *out++ = ' ';
    }
    *out = '\0';
}

/* --- items that are bags --- */

enum { R_MEMBERS = 3 };

/* A published item: a node, or one of several. */
typedef struct r_item {
    uint32_t node[R_MEMBERS];
    size_t n;
} r_item;

static inline bool r_item_above(const lethe_tree *t, const r_item *p, uint32_t x)
{
    bool any = false;
    for (size_t i = 0; i < p->n; i++)
        any = any || r_above(t, p->node[i], x);
    return any;
}

/* As r_generalize has it; with `bags`, some have others beside what they are. */
static inline size_t r_items(uint64_t *seed, const lethe_tree *t, const uint32_t *bag, size_t n,
                             bool bags, r_item *out)
{
    uint32_t node[8];
    size_t kept = r_generalize(seed, t, bag, n, node);
    for (size_t k = 0; k < kept; k++) {
        out[k] = (r_item){{node[k]}, 1};
        while (bags && out[k].n < R_MEMBERS && o_below(seed, 2)) {
            uint32_t v = (uint32_t)o_below(seed, t->n);
            bool is_new = true;
            for (size_t j = 0; j < out[k].n; j++)
                is_new = is_new && out[k].node[j] != v;
            if (is_new) out[k].node[out[k].n++] = v;
        }
    }
    return kept;
}

static inline int r_by_text(const void *a, const void *b) { return strcmp(a, b); }

/* The line of a published record, without LF. */
static inline void r_items_line(const lethe_tree *t, const r_item *part, size_t n, char *out)
{
    char text[8][2 * R_MEMBERS];
    for (size_t i = 0; i < n; i++) {
        char name[R_MEMBERS];
        for (size_t k = 0; k < part[i].n; k++)
            name[k] = lethe_tree_name(t, part[i].node[k]).at[0];
        qsort(name, part[i].n, 1, r_by_char);
        for (size_t k = 0; k < part[i].n; k++) {
            text[i][2 * k] = name[k];
            text[i][2 * k + 1] = k + 1 < part[i].n ? '|' : '\0';
        }
    }
    if (n > 0) qsort(text, n, sizeof *text, r_by_text);
    *out = '\0';
    for (size_t i = 0; i < n; i++)
        out += sprintf(out, "%s%s", i ? " " : "", text[i]);
}

/* Lines in the order of their bytes; order[i] is the input of line i. */
static inline void r_sort(char (*lines)[64], size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && strcmp(lines[order[at - 1]], lines[i]) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

#endif
