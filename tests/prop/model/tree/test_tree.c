/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees, made by numbers, by edges, as text and as ARX rows, against brute force; and good
 * files with one fault planted in them, which must be reported where it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tree_oracle.h"
#include "seeds.h"
#include "core/rng.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_NODES = 40, MAX_LINES = 400, NAME = 16 };

static lethe_rng rng_of(uint64_t seed)
{
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_seed(seed, &s), LETHE_OK);
    lethe_rng r = lethe_rng_stream(s, "tree", 0);
    lethe_secret_free(s);
    return r;
}

static uint32_t below(lethe_rng *r, uint64_t n) { return (uint32_t)lethe_rng_below(r, n); }

static void shuffle(lethe_rng *r, uint32_t *at, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = below(r, i), x = at[j];
        at[j] = at[i - 1];
        at[i - 1] = x;
    }
}

/* --- random trees, and what they must become --- */

typedef struct model {
    uint32_t n, root;
    uint32_t parent[MAX_NODES];
    uint32_t order[MAX_NODES]; /* the n - 1 others, in the order of their edges */
    char name[MAX_NODES][NAME];
    uint32_t want[MAX_NODES], n_want; /* preorder */
} model;

static void name_nodes(lethe_rng *r, model *m)
{
    static const char *const stems[] = {"n%u", "%u", "node %u", "=%u", "\xc3\xa9%u", "\"%u", "N%u"};
    for (uint32_t i = 0; i < m->n; i++) {
        char stem[8];
        snprintf(stem, sizeof stem, "%s", stems[below(r, LETHE_COUNT(stems))]);
        char *mark = strchr(stem, '%');
        snprintf(m->name[i], NAME, "%.*s%u", (int)(mark - stem), stem, i);
    }
}

/* Shapes from a star to a chain, under numbers that say nothing. */
static model random_model(lethe_rng *r)
{
    model m = {.n = 1 + below(r, below(r, 4) ? 14 : MAX_NODES)};
    uint32_t shape = below(r, 5), number[MAX_NODES] = {0};
    for (uint32_t i = 0; i < m.n; i++)
        number[i] = i;
    shuffle(r, number, m.n);
    m.root = number[0];
    m.parent[m.root] = LETHE_NONE;
    for (uint32_t i = 1; i < m.n; i++) {
        uint32_t back = shape == 0   ? i
                        : shape == 1 ? 1
                        : shape == 2 ? LETHE_MIN(i, 3)
                        : shape == 3 ? (i + 1) / 2
                                     : 0;
        m.parent[number[i]] = number[back ? i - 1 - below(r, back) : (i - 1) / 2];
        m.order[i - 1] = number[i];
    }
    shuffle(r, m.order, m.n - 1);
    name_nodes(r, &m);
    return m;
}

static void walk(model *m, uint32_t v)
{
    m->want[m->n_want++] = v;
    for (uint32_t i = 0; i + 1 < m->n; i++)
        if (m->parent[m->order[i]] == v) walk(m, m->order[i]);
}

static void check(const lethe_tree *t, model *m, uint64_t seed, const char *how)
{
    m->n_want = 0;
    walk(m, m->root);
    const char *fault = tree_fault(t);
    if (fault) fail_msg("seed %llu, %s: %s", (unsigned long long)seed, how, fault);
    bool same = t->n == m->n;
    for (uint32_t v = 0; v < m->n && same; v++) {
        uint32_t old = m->want[v], above = m->parent[old];
        same = lethe_str_eq(lethe_tree_name(t, v), lethe_str_of(m->name[old]));
        if (v > 0)
            same = same &&
                   lethe_str_eq(lethe_tree_name(t, t->parent[v]), lethe_str_of(m->name[above]));
    }
    if (!same) fail_msg("seed %llu, %s: another tree", (unsigned long long)seed, how);
}

/* --- by numbers and by edges --- */

static void trees_from_numbers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(3000); seed++) {
        lethe_rng r = rng_of(seed);
        model m = random_model(&r);
        lethe_str names[MAX_NODES];
        uint32_t n = 0;
        for (uint32_t i = 0; i < m.n; i++) {
            names[i] = lethe_str_of(m.name[i]);
            if (i != m.root) m.order[n++] = i; // by number
        }
        lethe_tree *t = NULL;
        assert_int_equal(lethe_tree_from(NULL, m.n, m.parent, names, &t), LETHE_OK);
        check(t, &m, seed, "from numbers");
        lethe_tree_free(t);
    }
}

static void trees_from_edges(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(3000); seed++) {
        lethe_rng r = rng_of(seed);
        model m = random_model(&r);
        lethe_tree_builder *b = NULL;
        lethe_tree *t = NULL;
        assert_int_equal(lethe_tree_builder_new(NULL, NULL, &b), LETHE_OK);
        for (uint32_t i = 0; i + 1 < m.n; i++) {
            uint32_t edges[] = {m.order[i], m.order[below(&r, i + 1)]}; // and an old one again
            for (uint32_t k = 0; k < 2; k++)
                assert_int_equal(lethe_tree_edge(b, lethe_str_of(m.name[edges[k]]),
                                                 lethe_str_of(m.name[m.parent[edges[k]]]), i + 1),
                                 LETHE_OK);
        }
        if (m.n == 1) assert_int_equal(lethe_tree_node(b, lethe_str_of(m.name[0]), 1), LETHE_OK);
        assert_int_equal(lethe_tree_build(b, &t), LETHE_OK);
        check(t, &m, seed, "from edges");
        lethe_tree_free(t);
    }
}

/* --- growing --- */

/* Takes the leaf away again. */
static void check_grown(const lethe_tree *t, const lethe_tree *g, const uint32_t *inner, uint32_t n,
                        uint64_t seed)
{
    const char *fault = tree_fault(g);
    bool same = g->n == t->n + n;
    uint32_t i = 0;
    for (uint32_t v = 0; v < t->n && same && !fault; v++) {
        uint32_t w = v + i;
        same = lethe_str_eq(lethe_tree_name(g, w), lethe_tree_name(t, v)) &&
               g->level[w] == t->level[v];
        if (i < n && inner[i] == v) {
            lethe_str leaf = lethe_tree_name(g, w + 1), name = lethe_tree_name(t, v);
            same = same && g->parent[w + 1] == w && lethe_tree_is_leaf(g, w + 1);
            same = same && lethe_tree_find(t, leaf) == LETHE_NONE;
            same = same && leaf.n > name.n && memcmp(leaf.at, "===", leaf.n - name.n) == 0;
            same = same && memcmp(leaf.at + leaf.n - name.n, name.at, name.n) == 0;
            i++;
        }
    }
    if (fault || !same || i != n)
        fail_msg("seed %llu: %s", (unsigned long long)seed, fault ? fault : "grown otherwise");
}

static void grown_trees_hold_the_old_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(2000); seed++) {
        lethe_rng r = rng_of(seed);
        model m = random_model(&r);
        lethe_str names[MAX_NODES];
        for (uint32_t i = 0; i < m.n; i++)
            names[i] = lethe_str_of(m.name[i]);
        lethe_tree *t = NULL, *g = NULL;
        assert_int_equal(lethe_tree_from(NULL, m.n, m.parent, names, &t), LETHE_OK);
        uint32_t inner[MAX_NODES], n = 0, share = below(&r, 4);
        for (uint32_t v = 0; v < t->n; v++)
            if (!lethe_tree_is_leaf(t, v) && below(&r, 3) < share) inner[n++] = v;
        assert_int_equal(lethe_tree_grow(NULL, t, inner, n, &g), LETHE_OK);
        check_grown(t, g, inner, n, seed);
        lethe_tree_free(t);
        lethe_tree_free(g);
    }
}

/* --- as files --- */

typedef struct lines {
    uint32_t n;
    char *at[MAX_LINES];
    size_t len[MAX_LINES];
} lines;

static void line_insert(lines *l, uint32_t i, const char *text, size_t n)
{
    assert_true(l->n < MAX_LINES && i <= l->n);
    memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof *l->at);
    memmove(l->len + i + 1, l->len + i, (l->n - i) * sizeof *l->len);
    l->at[i] = malloc(n + 1);
    l->len[i] = n;
    memcpy(l->at[i], text, n);
    l->n++;
}

static void lines_free(lines *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->at[i]);
}

/* Edges in their order, some again later, some with a third column, with empty lines between. */
static lines edge_lines(lethe_rng *r, const model *m)
{
    lines l = {0};
    char text[3 * NAME];
    for (uint32_t i = 0; i + 1 < m->n; i++) {
        uint32_t again = below(r, 4) ? i : below(r, i + 1);
        for (uint32_t k = 0; k < (again == i ? 1u : 2u); k++) {
            uint32_t v = m->order[k ? again : i];
            int n = snprintf(text, sizeof text, "%s\t%s%s", m->name[v], m->name[m->parent[v]],
                             below(r, 3) ? "" : "\t7");
            line_insert(&l, l.n, text, (size_t)n);
        }
        if (below(r, 8) == 0) line_insert(&l, l.n, "", 0);
    }
    return l;
}

static size_t put_label(lethe_rng *r, char *out, const char *name)
{
    bool quote = name[0] == '"' || below(r, 5) == 0;
    size_t n = 0;
    if (!quote) return (size_t)sprintf(out, "%s", name);
    out[n++] = '"';
    for (; *name; name++) {
        if (*name == '"') out[n++] = '"';
        out[n++] = *name;
    }
    out[n++] = '"';
    return n;
}

static size_t row_of(lethe_rng *r, const model *m, uint32_t v, char *out)
{
    size_t n = 0;
    for (; v != LETHE_NONE; v = m->parent[v]) {
        do
            n += put_label(r, out + n, m->name[v]), out[n++] = ';';
        while (below(r, 8) == 0); // the same label in a row
    }
    return n - 1;
}

/* Rows that begin at the nodes of `order`: so every node comes, leaves and inner ones. */
static lines arx_lines(lethe_rng *r, const model *m)
{
    static char text[MAX_NODES * NAME * 12];
    lines l = {0};
    for (uint32_t i = 0; i + 1 < m->n; i++) {
        line_insert(&l, l.n, text, row_of(r, m, m->order[i], text));
        if (below(r, 8) == 0) line_insert(&l, l.n, "", 0);
    }
    if (m->n == 1 || below(r, 4) == 0) line_insert(&l, l.n, text, row_of(r, m, m->root, text));
    return l;
}

/* A parent's children stand in the order in which a row first has them: that of `order` for those
 * that stood there before their descendants, earlier for the others. */
static void order_of_rows(model *m)
{
    uint32_t order[MAX_NODES], n = 0;
    bool seen[MAX_NODES] = {false};
    for (uint32_t i = 0; i + 1 < m->n; i++)
        for (uint32_t v = m->order[i]; v != m->root && !seen[v]; v = m->parent[v])
            seen[v] = true, order[n++] = v;
    memcpy(m->order, order, n * sizeof *order);
}

static lethe_buf join(lethe_rng *r, const lines *l)
{
    lethe_buf b = {0};
    bool crlf = below(r, 3) == 0, last = below(r, 2) == 0;
    if (below(r, 3) == 0) assert_int_equal(lethe_buf_put(&b, "\xef\xbb\xbf", 3), LETHE_OK);
    for (uint32_t i = 0; i < l->n; i++) {
        assert_int_equal(lethe_buf_put(&b, l->at[i], l->len[i]), LETHE_OK);
        if (i + 1 < l->n || last)
            assert_int_equal(lethe_buf_put(&b, crlf ? "\r\n" : "\n", crlf ? 2 : 1), LETHE_OK);
    }
    return b;
}

typedef struct said {
    uint64_t line;
    uint32_t n, column;
    char file[32], text[128];
} said;

static void hear(void *user, const lethe_message *m)
{
    said *s = user;
    s->n++;
    s->line = m->line;
    s->column = m->column;
    snprintf(s->file, sizeof s->file, "%s", m->file ? m->file : "");
    snprintf(s->text, sizeof s->text, "%s", m->text);
}

static lethe_ctx *ctx_of(said *s)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = s};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

static void trees_from_text(void **state)
{
    (void)state;
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    for (uint64_t seed = 1; seed <= seeds(4000); seed++) {
        lethe_rng r = rng_of(seed);
        model m = random_model(&r);
        bool arx = m.n == 1 || seed % 2;
        lines l = arx ? arx_lines(&r, &m) : edge_lines(&r, &m);
        if (arx) order_of_rows(&m);
        lethe_buf b = join(&r, &l);
        lethe_tree *t = NULL;
        lethe_err e = lethe_tree_memory(ctx, (lethe_str){(char *)b.at, b.n}, LETHE_NAMES_RAW, &t);
        if (e != LETHE_OK) fail_msg("seed %llu: %s", (unsigned long long)seed, s.text);
        check(t, &m, seed, arx ? "from arx" : "from text");
        lethe_tree_free(t);
        lethe_buf_free(&b);
        lines_free(&l);
    }
    lethe_ctx_free(ctx);
}

/* --- faults --- */

/* First line, from 1, on which the edge stands; 0: none. */
static uint32_t line_of_edge(const lines *l, const model *m, uint32_t v)
{
    char want[3 * NAME];
    size_t n = (size_t)snprintf(want, sizeof want, "%s\t%s", m->name[v], m->name[m->parent[v]]);
    for (uint32_t i = 0; i < l->n; i++)
        if (l->len[i] >= n && memcmp(l->at[i], want, n) == 0 &&
            (l->len[i] == n || l->at[i][n] == '\t'))
            return i + 1;
    return 0;
}

/* First line on which the name stands as child or parent. */
static uint32_t line_of_name(const lines *l, const char *name)
{
    size_t k = strlen(name);
    for (uint32_t i = 0; i < l->n; i++) {
        const char *tab = memchr(l->at[i], '\t', l->len[i]);
        if (!tab) continue;
        size_t child = (size_t)(tab - l->at[i]), rest = l->len[i] - child - 1;
        const char *second = memchr(tab + 1, '\t', rest);
        size_t parent = second ? (size_t)(second - tab) - 1 : rest;
        if ((child == k && memcmp(l->at[i], name, k) == 0) ||
            (parent == k && memcmp(tab + 1, name, k) == 0))
            return i + 1;
    }
    return 0;
}

static uint32_t plant(lethe_rng *r, lines *l, const char *text, size_t n, bool not_first)
{
    uint32_t i = not_first ? 1 + below(r, l->n) : below(r, l->n + 1);
    line_insert(l, i, text, n);
    return i + 1;
}

typedef struct fault {
    uint32_t line, column;
    const char *text; /* how the message begins */
} fault;

/* A line that is bad by itself. */
static fault plant_line(lethe_rng *r, lines *l, const model *m)
{
    static const struct {
        const char *text;
        size_t n;
        bool not_first;
        uint32_t column;
        const char *says;
    } bad[] = {
        {"\tx", 2, false, 1, "a name is empty"},
        {"x\t", 2, false, 2, "a name is empty"},
        {"\t", 1, false, 1, "a name is empty"},
        {"x\t\t3", 4, true, 2, "a name is empty"}, // the first line may be a root's
        {"x", 1, true, 1, "1 column: expected"},
        {"x\ty\t1\tz", 7, false, 4, "4 columns: expected"},
        {"x\0y\tz", 5, false, 1, "a NUL in a name"},
        {"x\ty\xff", 4, false, 2, "a name is not valid utf-8"},
        {"\xed\xa0\x80\ty", 5, false, 1, "a name is not valid utf-8"},
        {"x\ry\tz", 5, false, 1, "a line end in a name"},
        {"x\ty\t\xff", 5, false, 3, "a name is not valid utf-8"},
    };
    uint32_t i = below(r, LETHE_COUNT(bad) + 1);
    if (i < LETHE_COUNT(bad))
        return (fault){plant(r, l, bad[i].text, bad[i].n, bad[i].not_first), bad[i].column,
                       bad[i].says};
    char text[2 * NAME];
    const char *name = m->name[below(r, m->n)];
    int n = snprintf(text, sizeof text, "%s\t%s", name, name);
    return (fault){plant(r, l, text, (size_t)n, false), 2, "a name is its own parent"};
}

static fault plant_second_parent(lethe_rng *r, lines *l, const model *m)
{
    char text[3 * NAME];
    uint32_t v = m->order[below(r, m->n - 1)], p;
    do
        p = below(r, m->n + 1); // m->n: a new name
    while (p == v || p == m->parent[v]);
    int n = snprintf(text, sizeof text, "%s\t%s", m->name[v], p == m->n ? "new" : m->name[p]);
    uint32_t at = plant(r, l, text, (size_t)n, false), other = line_of_edge(l, m, v);
    return (fault){LETHE_MAX(at, other), 2, "a name has two parents"};
}

/* The root gets a parent below itself. */
static fault plant_cycle(lethe_rng *r, lines *l, const model *m)
{
    char text[3 * NAME];
    uint32_t v = m->order[below(r, m->n - 1)];
    int n = snprintf(text, sizeof text, "%s\t%s", m->name[m->root], m->name[v]);
    uint32_t last = plant(r, l, text, (size_t)n, false);
    for (; v != m->root; v = m->parent[v])
        last = LETHE_MAX(last, line_of_edge(l, m, v));
    return (fault){last, 0, "the edge closes a cycle"};
}

/* One or two cycles apart from the tree: the one that is closed first counts. */
static fault plant_cycles_apart(lethe_rng *r, lines *l, const model *m)
{
    static const char *const edges[2][3] = {{"x\ty", "y\tz", "z\tx"}, {"u\tv", "v\tu", NULL}};
    (void)m;
    uint32_t n_cycles = 1 + below(r, 2), first = UINT32_MAX;
    for (uint32_t c = 0; c < n_cycles; c++)
        for (uint32_t i = 0; i < 3 && edges[c][i]; i++)
            plant(r, l, edges[c][i], 3, false);
    for (uint32_t c = 0; c < n_cycles; c++) {
        uint32_t last = 0;
        for (uint32_t i = 0; i < 3 && edges[c][i]; i++)
            for (uint32_t k = 0; k < l->n; k++)
                if (l->len[k] == 3 && memcmp(l->at[k], edges[c][i], 3) == 0)
                    last = LETHE_MAX(last, k + 1);
        first = LETHE_MIN(first, last);
    }
    return (fault){first, 0, "the edge closes a cycle"};
}

static fault plant_second_root(lethe_rng *r, lines *l, const model *m)
{
    uint32_t at = plant(r, l, "x\ty", 3, false), other = line_of_name(l, m->name[m->root]);
    return (fault){LETHE_MAX(at, other), 0, "a second root"};
}

static void one_planted_fault_is_found(void **state)
{
    (void)state;
    fault (*const plants[])(lethe_rng *, lines *,
                            const model *) = {plant_line,  plant_line,         plant_second_parent,
                                              plant_cycle, plant_cycles_apart, plant_second_root};
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    for (uint64_t seed = 1; seed <= seeds(6000); seed++) {
        lethe_rng r = rng_of(seed);
        model m;
        do
            m = random_model(&r);
        while (m.n == 1);
        lines l = edge_lines(&r, &m);
        fault want = plants[seed % LETHE_COUNT(plants)](&r, &l, &m);
        lethe_buf b = join(&r, &l);
        lethe_tree *t = NULL;
        s = (said){0};
        lethe_err e = lethe_tree_memory(ctx, (lethe_str){(char *)b.at, b.n}, LETHE_NAMES_RAW, &t);
        if (e != LETHE_EINPUT || t || s.n != 1 || s.line != want.line || s.column != want.column ||
            strcmp(s.file, "memory") != 0 || strncmp(s.text, want.text, strlen(want.text)) != 0)
            fail_msg("seed %llu: wanted '%s' at %u:%u, got %s, '%s' at %llu:%u",
                     (unsigned long long)seed, want.text, want.line, want.column, lethe_err_name(e),
                     s.text, (unsigned long long)s.line, s.column);
        lethe_buf_free(&b);
        lines_free(&l);
    }
    lethe_ctx_free(ctx);
}

/* --- faults in ARX rows --- */

/* First row that has v and its parent next to each other. */
static uint32_t row_of_edge(const model *m, const uint32_t *starts, uint32_t n, uint32_t v)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t w = starts[i]; w != LETHE_NONE; w = m->parent[w])
            if (w == v) return i + 1;
    return 0;
}

static void one_planted_fault_is_found_in_arx(void **state)
{
    (void)state;
    said s = {0};
    lethe_ctx *ctx = ctx_of(&s);
    static char text[MAX_NODES * NAME * 12];
    for (uint64_t seed = 1; seed <= seeds(4000); seed++) {
        lethe_rng r = rng_of(seed);
        model m;
        do
            m = random_model(&r);
        while (m.n == 1);
        lines l = {0};
        for (uint32_t i = 0; i + 1 < m.n; i++)
            line_insert(&l, l.n, text, row_of(&r, &m, m.order[i], text));
        uint32_t v = m.order[below(&r, m.n - 1)], at, edge = row_of_edge(&m, m.order, m.n - 1, v);
        fault want;
        if (seed % 3 == 0) { // another parent, under the same root
            size_t n = put_label(&r, text, m.name[v]);
            n += (size_t)sprintf(text + n, ";new;");
            n += put_label(&r, text + n, m.name[m.root]);
            at = plant(&r, &l, text, n, false);
            want = (fault){at > edge ? at : edge + 1, 0, "a name has two parents"};
        } else if (seed % 3 == 1) { // another root: from the second row on it is another
            at = plant(&r, &l, "new;top", 7, false);
            want = (fault){LETHE_MAX(at, 2), 0, "the row ends in another root"};
        } else {
            static const struct {
                const char *text;
                const char *says;
            } bad[] = {{"x;;y", "a name is empty"},
                       {";", "a name is empty"},
                       {"x;\"y", "a quote is not closed"},
                       {"x;\"y\"z", "something follows a closing quote"},
                       {"x;y\xc3", "a name is not valid utf-8"},
                       {"x;y\tz", "a tab in a name"}};
            uint32_t i = below(&r, LETHE_COUNT(bad));
            at = plant(&r, &l, bad[i].text, strlen(bad[i].text), true);
            want = (fault){at, 0, bad[i].says};
        }
        lethe_buf b = join(&r, &l);
        lethe_tree *t = NULL;
        s = (said){0};
        lethe_err e = lethe_tree_memory(ctx, (lethe_str){(char *)b.at, b.n}, LETHE_NAMES_RAW, &t);
        if (e != LETHE_EINPUT || t || s.n != 1 || s.line != want.line || s.column == 0 ||
            strncmp(s.text, want.text, strlen(want.text)) != 0)
            fail_msg("seed %llu: wanted '%s' at %u, got %s, '%s' at %llu:%u",
                     (unsigned long long)seed, want.text, want.line, lethe_err_name(e), s.text,
                     (unsigned long long)s.line, s.column);
        lethe_buf_free(&b);
        lines_free(&l);
    }
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_from_numbers),
        cmocka_unit_test(trees_from_edges),
        cmocka_unit_test(grown_trees_hold_the_old_one),
        cmocka_unit_test(trees_from_text),
        cmocka_unit_test(one_planted_fault_is_found),
        cmocka_unit_test(one_planted_fault_is_found_in_arx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
