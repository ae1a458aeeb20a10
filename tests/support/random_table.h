/* SPDX-License-Identifier: Apache-2.0 */
/* random_table.h - small tables and releases of them, drawn by a seed: rows generalized by a cut,
 * some starred, some left out, some not true. */
#ifndef LETHE_TESTS_RANDOM_TABLE_H
#define LETHE_TESTS_RANDOM_TABLE_H
#include "random_tree.h"
#include "table_harness.h"
#include <math.h>

enum { RT_ROWS = 9, RT_QI = 3 };

/* Rows are letters: classes, kept values, sensitive ones; `*` is a star. */
typedef struct rt_row {
    uint32_t node[RT_QI];
    char sa, class, keep;
} rt_row;

typedef struct rt_world {
    size_t n_qi, n, n_published;
    bool has_sa, has_class, has_keep;
    bool overlap; /* a published value may stand above another */
    lethe_table *table;
    rt_row row[RT_ROWS], published[RT_ROWS]; /* the latter as the file has them */
    size_t from[RT_ROWS];                    /* by published row: which it was made of */
    char tree[RT_QI][R_TEXT], qi[64];
    char original[1024], data[1024], taxonomy[4096], map[256], manifest[256];
    beside b;
} rt_world;

static inline size_t rt_header(const rt_world *w, char *to)
{
    size_t n = 0;
    for (size_t a = 0; a < w->n_qi; a++)
        n += (size_t)sprintf(to + n, "%sq%zu", a ? "," : "", a);
    return n + (size_t)sprintf(to + n, "%s%s%s\n", w->has_sa ? ",s" : "", w->has_class ? ",c" : "",
                               w->has_keep ? ",k" : "");
}

static inline size_t rt_rest(const rt_world *w, const rt_row *r, char *to)
{
    size_t n = 0;
    if (w->has_sa) n += (size_t)sprintf(to + n, ",%c", r->sa);
    if (w->has_class) n += (size_t)sprintf(to + n, ",%c", r->class);
    if (w->has_keep) n += (size_t)sprintf(to + n, ",%c", r->keep);
    return n + (size_t)sprintf(to + n, "\n");
}

/* The original: any node's name may be a value; an inner one gets a leaf. */
static inline void rt_original(uint64_t *seed, lethe_ctx *ctx, rt_world *w)
{
    size_t used = rt_header(w, w->original);
    w->n = 1 + o_below(seed, RT_ROWS);
    for (size_t i = 0; i < w->n; i++) {
        rt_row *r = &w->row[i];
        r->sa = (char)('1' + o_below(seed, 3));
        r->class = (char)('p' + o_below(seed, 2));
        r->keep = (char)('u' + o_below(seed, 2));
        for (size_t a = 0; a < w->n_qi; a++) {
            size_t n_names = 1;
            for (const char *p = w->tree[a]; *p; p++)
                n_names += *p == '\n';
            used += (size_t)sprintf(w->original + used, "%s%c", a ? "," : "",
                                    (char)('a' + o_below(seed, n_names)));
        }
        used += rt_rest(w, r, w->original + used);
    }
    w->b = (beside){.original = w->original,
                    .roles = {.qi = w->qi,
                              .sa = w->has_sa ? "s" : NULL,
                              .class = w->has_class ? "c" : NULL,
                              .keep = w->has_keep ? "k" : NULL}};
    for (size_t a = 0; a < w->n_qi; a++)
        w->b.tree[a] = w->tree[a];
    w->table = t_read(ctx, &w->b);
    for (size_t i = 0; i < w->n; i++)
        for (size_t a = 0; a < w->n_qi; a++)
            w->row[i].node[a] = w->table->qi[a].leaf[i];
}

/* A node above the leaf, of a cut that `in` marks. */
static inline uint32_t rt_cut(const lethe_tree *t, const bool *in, uint32_t leaf)
{
    uint32_t v = leaf, best = leaf;
    for (; v != LETHE_NONE; v = t->parent[v])
        if (in[v]) best = v; // the highest counts, so that none stands above another
    return best;
}

/* Any node above the leaf. */
static inline uint32_t rt_any(uint64_t *seed, const lethe_tree *t, uint32_t leaf)
{
    while (leaf != 0 && o_below(seed, 2))
        leaf = t->parent[leaf];
    return leaf;
}

static inline void rt_lines(rt_world *w)
{
    char line[RT_ROWS][64];
    size_t order[RT_ROWS], from[RT_ROWS], used = rt_header(w, w->data);
    rt_row row[RT_ROWS];
    for (size_t i = 0; i < w->n_published; i++) {
        size_t n = 0;
        for (size_t a = 0; a < w->n_qi; a++) {
            lethe_str name = lethe_tree_name(w->table->qi[a].tree, w->published[i].node[a]);
            n += (size_t)sprintf(line[i] + n, "%s%.*s", a ? "," : "", (int)name.n, name.at);
        }
        rt_rest(w, &w->published[i], line[i] + n);
        line[i][strlen(line[i]) - 1] = '\0';
    }
    r_sort(line, w->n_published, order);
    memcpy(row, w->published, sizeof row);
    memcpy(from, w->from, sizeof from);
    for (size_t i = 0; i < w->n_published; i++) {
        w->published[i] = row[order[i]];
        w->from[i] = from[order[i]];
        used += (size_t)sprintf(w->data + used, "%s\n", line[order[i]]);
    }
    used = 0;
    for (size_t i = 0; i < w->n; i++) {
        used += (size_t)sprintf(w->map + used, "%zu\t", i + 2);
        for (size_t k = 0; k < w->n_published; k++)
            if (w->from[k] == i) used += (size_t)sprintf(w->map + used, "%zu", k + 2);
        used += (size_t)sprintf(w->map + used, "\n");
    }
}

static inline void rt_taxonomy(rt_world *w)
{
    size_t used = 0;
    for (size_t a = 0; a < w->n_qi; a++) {
        const lethe_tree *t = w->table->qi[a].tree;
        for (uint32_t v = 0; v < t->n; v++) {
            bool shown = false;
            for (size_t i = 0; i < w->n_published; i++)
                shown = shown || r_above(t, v, w->published[i].node[a]);
            if (!shown) continue;
            lethe_str name = lethe_tree_name(t, v), above = {"", 0};
            if (v > 0) above = lethe_tree_name(t, t->parent[v]);
            used += (size_t)sprintf(w->taxonomy + used, "q%zu=%.*s\t", a, (int)name.n, name.at);
            if (v > 0)
                used += (size_t)sprintf(w->taxonomy + used, "q%zu=%.*s", a, (int)above.n, above.at);
            used += (size_t)sprintf(w->taxonomy + used, "\t%u\n", t->leaves[v]);
        }
    }
}

/* The release: each row by the cut, or left out; with `lies` some say what is not so. */
static inline void rt_publish(uint64_t *seed, rt_world *w, bool lies)
{
    bool in[RT_QI][2 * R_NODES] = {{false}};
    for (size_t a = 0; a < w->n_qi; a++)
        for (uint32_t v = 0; v < w->table->qi[a].tree->n; v++)
            in[a][v] = o_below(seed, 4) == 0;
    w->n_published = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (i > 0 && o_below(seed, 5) == 0) continue;
        rt_row r = w->row[i];
        bool lie = lies && o_below(seed, 4) == 0;
        size_t other = o_below(seed, w->n);
        for (size_t a = 0; a < w->n_qi; a++)
            r.node[a] = w->overlap
                            ? rt_any(seed, w->table->qi[a].tree, w->row[lie ? other : i].node[a])
                            : rt_cut(w->table->qi[a].tree, in[a], w->row[lie ? other : i].node[a]);
        if (lie && o_below(seed, 2)) r.sa = w->row[other].sa;
        if (lie && o_below(seed, 3) == 0) r.class = (char)('p' + o_below(seed, 3));
        if (lie && o_below(seed, 3) == 0) r.keep = 'v';
        if (w->has_sa && o_below(seed, 4) == 0) r.sa = '*';
        w->from[w->n_published] = i;
        w->published[w->n_published++] = r;
    }
    rt_lines(w);
    rt_taxonomy(w);
    w->b.published = w->data;
    w->b.taxonomy = w->taxonomy;
}

static inline void rt_make_as(uint64_t *seed, lethe_ctx *ctx, rt_world *w, bool lies, bool overlap)
{
    size_t used = 0;
    memset(w, 0, sizeof *w);
    w->overlap = overlap;
    w->n_qi = 1 + o_below(seed, RT_QI);
    w->has_sa = o_below(seed, 4) > 0;
    w->has_class = o_below(seed, 2);
    w->has_keep = o_below(seed, 2);
    for (size_t a = 0; a < w->n_qi; a++) {
        r_tree(seed, w->tree[a]);
        used += (size_t)sprintf(w->qi + used, "%sq%zu", a ? "," : "", a);
    }
    rt_original(seed, ctx, w);
    rt_publish(seed, w, lies);
}

static inline void rt_make(uint64_t *seed, lethe_ctx *ctx, rt_world *w, bool lies)
{
    rt_make_as(seed, ctx, w, lies, false);
}

/* Do they look alike, but for what is not a quasi-identifier? */
static inline bool rt_alike(const rt_world *w, const rt_row *x, const rt_row *y)
{
    bool same = true;
    for (size_t a = 0; a < w->n_qi; a++)
        same = same && x->node[a] == y->node[a];
    return same;
}

/* Is the person's row, `of`, at or below the published one in every quasi-identifier? */
static inline bool rt_covers(const rt_world *w, const rt_row *published, const rt_row *of)
{
    bool all = true;
    for (size_t a = 0; a < w->n_qi; a++)
        all = all && r_above(w->table->qi[a].tree, published->node[a], of->node[a]);
    return all;
}

/* What to look at when a figure is another. */
static inline void rt_real(const rt_world *w, const lethe_json *out, const char *name, double want,
                           uint64_t seed)
{
    const lethe_json *v = lethe_json_get(out, name);
    bool same = isnan(want) ? lethe_json_kind(v) == LETHE_JSON_NULL
                            : v && fabs(lethe_json_real(v) - want) <= 1e-9 * (1 + fabs(want));
    if (!same)
        fail_msg("seed %llu: %s is %g, not %g\n%s\n%s\n%s", (unsigned long long)seed, name,
                 lethe_json_real(v), want, w->original, w->data, w->taxonomy);
}

#endif
