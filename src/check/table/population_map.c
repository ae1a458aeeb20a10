/* SPDX-License-Identifier: Apache-2.0 */
/* population_map.c - counts the rows of a population under the published values of each group.
 *
 * Groups stand in a tree, one level per column, by their published values.  Each distinct row of
 * the population goes down wherever a value covers its own.  What has enough rows is taken out of
 * the tree, so that little is left to compare with after a while.  Where values of a column stand
 * only for themselves, the one that covers a row is looked up. */
#include "check/table/population_map.h"
#include "model/table/decimals.h"
#include "model/table/numbers.h"
#include "model/table/table_beside.h"
#include <stdlib.h>

/* --- which values cover which --- */

enum kind { EVERYTHING, NODE, RANGE, EXACT };

/* A published value. */
struct cover {
    enum kind kind;
    uint32_t node, end;     /* NODE: node .. end - 1 of the hierarchy */
    lethe_number low, high; /* RANGE */
    bool open;              /* RANGE: `high` is outside */
    bool resolved;
};

/* A value of the population. */
struct known {
    uint32_t equal; /* the published value that is equal; LETHE_NONE: none */
    uint32_t node;  /* of the hierarchy; LETHE_NONE: none */
    bool is_number;
    lethe_number number;
};

struct column {
    const lethe_published_column *published;
    struct cover *cover;   /* by published value */
    struct known *known;   /* by node of the population's own tree of values */
    const uint32_t *value; /* by row of the population: that node */
    bool exact;            /* all published values stand for themselves */
};

/* "[20,25)" */
static bool half_open_parse(lethe_str text, struct cover *to)
{
    const char *comma = text.n > 0 ? memchr(text.at, ',', text.n) : NULL;
    if (!comma || text.at[0] != '[' || text.at[text.n - 1] != ')') return false;
    size_t at = (size_t)(comma - text.at);
    return lethe_number_parse((lethe_str){text.at + 1, at - 1}, &to->low) &&
           lethe_number_parse((lethe_str){comma + 1, text.n - at - 2}, &to->high);
}

/* Is one of the column's nodes a range of numbers?  Else `7` may be a code, and no other than `07`.
 */
static bool has_ranges(const lethe_published_hierarchy *h)
{
    struct cover c;
    lethe_span span;
    for (uint32_t v = 0; v < h->n; v++) {
        lethe_str name = lethe_dict_at(h->names, v);
        if (half_open_parse(name, &c)) return true;
        if (lethe_span_parse(name, &span) && lethe_number_cmp(span.low, span.high) < 0) return true;
    }
    return false;
}

static struct cover cover_of(lethe_str value, const lethe_published_hierarchy *h, bool numbers,
                             const lethe_tree *tree)
{
    struct cover c = {.kind = EXACT, .resolved = true};
    lethe_span span;
    if (!h) return c;
    uint32_t listed = lethe_dict_find(h->names, value),
             node = tree ? lethe_tree_find(tree, value) : LETHE_NONE;
    if (listed == 0 && lethe_str_eq(value, LETHE_LIT("*"))) {
        c.kind = EVERYTHING;
    } else if (node != LETHE_NONE) {
        c.kind = NODE;
        c.node = node;
        c.end = tree->end[node];
    } else if (numbers && lethe_span_parse(value, &span)) {
        c.kind = RANGE;
        c.low = span.low;
        c.high = span.high;
    } else if (numbers && half_open_parse(value, &c)) {
        c.kind = RANGE;
        c.open = true;
    } else {
        c.resolved = listed != LETHE_NONE && h->leaves[listed] == 1;
    }
    return c;
}

/* `=NAME` is published for persons of whom no more than the inner node NAME is known. */
static uint32_t equal_find(const lethe_published_column *c, const lethe_tree *tree, lethe_str value)
{
    char own[256];
    uint32_t equal = lethe_dict_find(c->values, value), node;
    if (equal != LETHE_NONE || !tree || value.n + 1 >= sizeof own) return equal;
    node = lethe_tree_find(tree, value);
    if (node == LETHE_NONE || lethe_tree_is_leaf(tree, node)) return LETHE_NONE;
    own[0] = '=';
    memcpy(own + 1, value.at, value.n);
    return lethe_dict_find(c->values, (lethe_str){own, value.n + 1});
}

/* With a decimal comma too, where it cannot stand before thousands. */
static bool number_read(lethe_str value, lethe_number *out)
{
    lethe_decimals decimals = {0};
    char text[LETHE_NUMBER_TEXT];
    lethe_str plain = value;
    return lethe_decimals_take(&decimals, 1, value, text, &plain) == LETHE_DECIMALS_OK &&
           !lethe_decimals_unclear(&decimals) && lethe_number_parse(plain, out);
}

static struct known known_of(const lethe_published_column *c, const lethe_tree *tree,
                             lethe_str value)
{
    struct known k = {.equal = equal_find(c, tree, value),
                      .node = tree ? lethe_tree_find(tree, value) : LETHE_NONE};
    if (tree && k.node == LETHE_NONE && lethe_str_eq(value, LETHE_LIT(LETHE_MISSING))) k.node = 0;
    k.is_number = number_read(value, &k.number);
    return k;
}

static bool covers(const struct column *c, uint32_t published, uint32_t value)
{
    const struct cover *w = &c->cover[published];
    const struct known *x = &c->known[value];
    if (x->equal == published) return true;
    switch (w->kind) {
    case EVERYTHING:
        return true;
    case NODE:
        return x->node != LETHE_NONE && w->node <= x->node && x->node < w->end;
    case RANGE:
        return x->is_number && lethe_number_cmp(w->low, x->number) <= 0 &&
               lethe_number_cmp(x->number, w->high) < (w->open ? 0 : 1);
    case EXACT:
        break;
    }
    return false;
}

static lethe_err column_take(lethe_arena *a, struct column *to, const lethe_published_column *c,
                             const lethe_published_hierarchy *h, const lethe_qi *qi,
                             const lethe_tree *tree)
{
    uint32_t n = lethe_dict_count(c->values);
    *to = (struct column){.published = c,
                          .cover = lethe_new(a, struct cover, n),
                          .known = lethe_new(a, struct known, qi->tree->n),
                          .value = qi->leaf};
    if (!to->cover || !to->known) return LETHE_ENOMEM;
    bool numbers = h && has_ranges(h);
    to->exact = true;
    for (uint32_t i = 0; i < n; i++) {
        to->cover[i] = cover_of(lethe_dict_at(c->values, i), h, numbers, tree);
        to->exact = to->exact && to->cover[i].kind == EXACT;
    }
    for (uint32_t v = 0; v < qi->tree->n; v++) {
        lethe_str value = lethe_tree_name(qi->tree, v);
        // a value with the name of the root has the leaf `=*` there
        if (lethe_str_eq(value, LETHE_LIT("=*"))) value = LETHE_LIT("*");
        to->known[v] = known_of(c, tree, value);
    }
    return LETHE_OK;
}

/* --- the tree of groups --- */

struct node {
    uint32_t code;     /* the published value */
    uint32_t first, n; /* children child[first] .. child[first + n - 1] that are not yet done; at
                          the last level `first` is the group */
    uint32_t all;      /* children, node[first] .. node[first + all - 1], by their values */
};

struct mapping {
    struct column column[LETHE_QI_MAX]; /* those with the fewest published values first */
    size_t n_columns;
    lethe_map_group *group;
    size_t n_groups;
    uint64_t enough;
    struct node *node;
    size_t n_nodes;
    uint32_t *child;
    uint32_t *order; /* groups by their values in the order of the columns */
};

static int by_values(const struct mapping *m, uint32_t a, uint32_t b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t *code = m->column[i].published->code;
        uint32_t x = code[m->group[a].first], y = code[m->group[b].first];
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

/* A merge sort: qsort has no place for the mapping. */
static void groups_sort(const struct mapping *m, uint32_t *at, uint32_t *room, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            size_t middle = LETHE_MIN(from + width, n), end = LETHE_MIN(from + 2 * width, n);
            size_t i = from, k = middle;
            for (size_t to = from; to < end; to++) {
                bool left =
                    k == end || (i < middle && by_values(m, at[i], at[k], m->n_columns) <= 0);
                room[to] = left ? at[i++] : at[k++];
            }
        }
        memcpy(at, room, n * sizeof *at);
    }
}

/* Makes the node `v` of the groups order[from] .. order[end - 1], which agree in the columns before
 * `level`.  Children stand together, so they get their numbers before they are made. */
static void node_make(struct mapping *m, uint32_t v, size_t level, size_t from, size_t end)
{
    const size_t first = m->n_nodes;
    if (level == m->n_columns) {
        m->node[v].first = m->order[from];
        return;
    }
    const uint32_t *code = m->column[level].published->code;
    for (size_t i = from; i < end; i++)
        if (i == from || code[m->group[m->order[i]].first] != m->node[m->n_nodes - 1].code)
            m->node[m->n_nodes++] =
                (struct node){.code = code[m->group[m->order[i]].first], .first = (uint32_t)i};
    m->node[v].first = (uint32_t)first;
    m->node[v].n = m->node[v].all = (uint32_t)(m->n_nodes - first);
    const size_t last = first + m->node[v].n;
    for (size_t c = first; c < last; c++) {
        size_t begin = m->node[c].first;
        m->child[c] = (uint32_t)c;
        node_make(m, (uint32_t)c, level + 1, begin, c + 1 < last ? m->node[c + 1].first : end);
    }
}

static lethe_err tree_make(struct mapping *m, lethe_arena *a)
{
    size_t cap = m->n_groups * m->n_columns + 1;
    if (cap >= LETHE_NONE) return LETHE_ENOMEM;
    m->node = lethe_new(a, struct node, cap);
    m->child = lethe_new(a, uint32_t, cap);
    m->order = lethe_new(a, uint32_t, m->n_groups);
    uint32_t *room = lethe_new(a, uint32_t, m->n_groups);
    if (!m->node || !m->child || !m->order || !room) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < m->n_groups; i++)
        m->order[i] = i;
    groups_sort(m, m->order, room, m->n_groups);
    m->n_nodes = 1;
    node_make(m, 0, 0, 0, m->n_groups);
    return LETHE_OK;
}

/* The child with the value; LETHE_NONE: none has it. */
static uint32_t child_find(const struct mapping *m, const struct node *at, uint32_t code)
{
    uint32_t low = at->first, end = at->first + at->all, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->node[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && m->node[low].code == code ? low : LETHE_NONE;
}

static bool is_done(const struct mapping *m, uint32_t v, size_t level)
{
    const struct node *at = &m->node[v];
    return level == m->n_columns ? m->group[at->first].rows >= m->enough : at->n == 0;
}

/* `rows` rows of the population that are like `row` go down from the node; are all groups below it
 * done? */
static bool rows_put(struct mapping *m, uint32_t v, size_t level, size_t row, uint64_t rows)
{
    struct node *at = &m->node[v];
    if (level == m->n_columns) {
        lethe_map_group *group = &m->group[at->first];
        group->rows += rows;
        return group->rows >= m->enough;
    }
    const struct column *c = &m->column[level];
    uint32_t value = c->value[row], *child = m->child + at->first;
    if (c->exact) { // `child` is not looked at, only how many are left
        uint32_t only = child_find(m, at, c->known[value].equal);
        if (only != LETHE_NONE && !is_done(m, only, level + 1))
            at->n -= rows_put(m, only, level + 1, row, rows);
        return at->n == 0;
    }
    for (uint32_t i = 0; i < at->n;) {
        if (covers(c, m->node[child[i]].code, value) &&
            rows_put(m, child[i], level + 1, row, rows)) {
            at->n--;
            child[i] = child[at->n];
        } else {
            i++;
        }
    }
    return at->n == 0;
}

/* --- the whole --- */

static lethe_err groups_list(struct mapping *m, lethe_arena *a, const lethe_groups *g)
{
    lethe_stretch s = {0, 0};
    while (lethe_group_next(g, &s))
        m->n_groups++;
    m->group = lethe_new(a, lethe_map_group, m->n_groups);
    if (!m->group) return LETHE_ENOMEM;
    s = (lethe_stretch){0, 0};
    for (size_t i = 0; lethe_group_next(g, &s); i++) {
        m->group[i].first = lethe_group_first(g, s);
        m->group[i].resolved = true;
        for (size_t k = 0; k < m->n_columns; k++) {
            uint32_t code = m->column[k].published->code[m->group[i].first];
            if (!m->column[k].cover[code].resolved) m->group[i].resolved = false;
        }
    }
    return LETHE_OK;
}

static int by_variety(const void *a, const void *b)
{
    uint32_t x = lethe_dict_count(((const struct column *)a)->published->values),
             y = lethe_dict_count(((const struct column *)b)->published->values);
    return (x > y) - (x < y);
}

static lethe_err columns_take(struct mapping *m, lethe_arena *a, const lethe_groups *g,
                              const lethe_published_hierarchies *h,
                              const lethe_population_table *population)
{
    for (; m->n_columns < g->n_qi; m->n_columns++) {
        size_t i = m->n_columns;
        LETHE_TRY(column_take(a, &m->column[i], g->qi[i], h ? &h->at[i] : NULL,
                              &population->rows->qi[i],
                              population->tree ? population->tree[i] : NULL));
    }
    qsort(m->column, m->n_columns, sizeof *m->column, by_variety);
    return LETHE_OK;
}

static lethe_err rows_count(lethe_ctx *ctx, struct mapping *m, lethe_arena *a, size_t n_rows)
{
    const uint32_t *value[LETHE_QI_MAX];
    uint32_t *of = NULL, n = 0;
    for (size_t i = 0; i < m->n_columns; i++)
        value[i] = m->column[i].value;
    lethe_dict *keys = lethe_dict_new();
    lethe_err e =
        keys ? lethe_rows_group(a, keys, n_rows, value, m->n_columns, &of, &n) : LETHE_ENOMEM;
    lethe_dict_free(keys);
    LETHE_TRY(e);
    uint64_t *rows = lethe_new(a, uint64_t, n);
    if (!rows) return LETHE_ENOMEM;
    for (size_t i = 0; i < n_rows; i++)
        rows[of[i]]++;
    for (size_t i = 0; i < n_rows; i++) {
        if (i % 1024 == 0 && lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (rows[of[i]] == 0) continue; // an equal row was put
        if (rows_put(m, 0, 0, i, rows[of[i]])) break;
        rows[of[i]] = 0;
    }
    return LETHE_OK;
}

lethe_err lethe_population_count(lethe_ctx *ctx, lethe_arena *a, const lethe_groups *g,
                                 const lethe_published_hierarchies *h,
                                 const lethe_population_table *population, uint64_t enough,
                                 lethe_map_group **out, size_t *n)
{
    struct mapping *m = lethe_new(a, struct mapping, 1);
    lethe_err e = m ? LETHE_OK : LETHE_ENOMEM;
    assert(population->rows->n_qi == g->n_qi);
    if (e == LETHE_OK) m->enough = enough;
    if (e == LETHE_OK) e = columns_take(m, a, g, h, population);
    if (e == LETHE_OK) e = groups_list(m, a, g);
    if (e == LETHE_OK) e = tree_make(m, a);
    if (e == LETHE_OK) e = rows_count(ctx, m, a, population->rows->n);
    if (e == LETHE_ENOMEM) return lethe_no_memory(ctx);
    LETHE_TRY(e);
    *out = m->group;
    *n = m->n_groups;
    return LETHE_OK;
}
