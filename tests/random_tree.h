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
