/* SPDX-License-Identifier: Apache-2.0 */
/* local from the bytes of a table to those of its release: random small tables, and what the
 * definitions say of each line that is published.  A column that is kept names the row of the input
 * behind each.  Nothing here is taken from the method but its name. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "log_oracle.h"
#include "records_release_harness.h"
#include "release/release.h"
#include "seeds.h"

#define TABLES seeds(1200)
enum { QI = 3, NODES = 9, ROWS = 14, SA = 4, LINE = 96 };

/* A hierarchy: a parent has a smaller number.  Of ranges of values the leaves are numbers. */
typedef struct shape {
    bool values;
    int n, parent[NODES], leaves[NODES];
} shape;

typedef struct world {
    int n_qi, n, k, distinct, num, den; /* theta; num = 0: none */
    int share_num, share_den;           /* of rows that may be deleted */
    int weight[QI];                     /* in tenths */
    bool weighted;
    shape tree[QI];
    int leaf[QI][ROWS], sa[ROWS]; /* a leaf is a node, or a number */
} world;

/* What is published of a row: nodes, or ranges. */
typedef struct cell {
    int node; /* -1: a range */
    int low, high;
} cell;
typedef struct line {
    int row, sa;
    cell at[QI];
} line;

static uint64_t at_seed;
#define SO(what)                                                                                   \
    do {                                                                                           \
        if (!(what)) fail_msg("seed %llu: not so: %s", (unsigned long long)at_seed, #what);        \
    } while (0)

/* --- drawing --- */

static bool is_above(const shape *t, int a, int v)
{
    while (v > a)
        v = t->parent[v];
    return v == a;
}

static bool is_leaf(const shape *t, int v)
{
    for (int c = v + 1; c < t->n; c++)
        if (t->parent[c] == v) return false;
    return true;
}

static void shape_draw(uint64_t *seed, shape *t)
{
    *t = (shape){.values = o_below(seed, 3) == 0, .n = 2 + (int)o_below(seed, NODES - 1)};
    t->parent[0] = -1;
    for (int v = 1; v < t->n; v++)
        t->parent[v] = (int)o_below(seed, (uint64_t)v);
    for (int v = 0; v < t->n; v++)
        for (int a = v; a >= 0 && is_leaf(t, v); a = t->parent[a])
            t->leaves[a]++;
}

static int leaf_draw(uint64_t *seed, const shape *t)
{
    int v;
    if (t->values) return (int)o_below(seed, 12) * (int)o_below(seed, 3) - 5;
    do
        v = (int)o_below(seed, (uint64_t)t->n);
    while (!is_leaf(t, v));
    return v;
}

static void world_draw(uint64_t *seed, world *w)
{
    static const int theta[][2] = {{1, 3}, {1, 2}, {2, 3}, {3, 4}};
    static const int shares[][2] = {{0, 1}, {0, 1}, {1, 10}, {1, 3}, {3, 4}};
    *w = (world){.n_qi = 1 + (int)o_below(seed, QI), .n = 1 + (int)o_below(seed, ROWS)};
    w->k = 1 + (int)o_below(seed, 4);
    w->distinct = o_below(seed, 3) ? 1 : 2 + (int)o_below(seed, 2);
    size_t i = o_below(seed, 4);
    if (o_below(seed, 3) == 0 || (w->k == 1 && w->distinct == 1)) w->num = theta[i][0];
    w->den = theta[i][1];
    i = o_below(seed, LETHE_COUNT(shares));
    w->share_num = shares[i][0];
    w->share_den = shares[i][1];
    w->weighted = o_below(seed, 2);
    int kinds = 1 + (int)o_below(seed, ROWS), kind[QI][ROWS];
    for (int a = 0; a < w->n_qi; a++) {
        shape_draw(seed, &w->tree[a]);
        w->weight[a] = w->weighted ? 1 + (int)o_below(seed, 30) : 10;
        for (int j = 0; j < kinds; j++)
            kind[a][j] = leaf_draw(seed, &w->tree[a]);
    }
    for (int r = 0; r < w->n; r++) {
        size_t of = o_below(seed, (uint64_t)kinds); // so that some are equal
        for (int a = 0; a < w->n_qi; a++)
            w->leaf[a][r] = o_below(seed, 4) ? kind[a][of] : leaf_draw(seed, &w->tree[a]);
        w->sa[r] = (int)o_below(seed, SA);
    }
}

/* --- files --- */

static void files_write(const ground *g, const world *w)
{
    char name[32];
    FILE *f = fopen(rr_path(g, "in.csv"), "w");
    fprintf(f, "row,q0,q1,q2,s\n");
    for (int i = 0; i < w->n; i++) {
        fprintf(f, "%d", i);
        for (int a = 0; a < QI; a++)
            fprintf(f, a < w->n_qi && w->tree[a].values ? ",%d" : ",v%d", w->leaf[a][i]);
        fprintf(f, ",s%d\n", w->sa[i]);
    }
    fclose(f);
    for (int a = 0; a < QI; a++) {
        snprintf(name, sizeof name, "trees/q%d.tsv", a);
        unlink(rr_path(g, name));
        if (a >= w->n_qi || w->tree[a].values) continue;
        f = fopen(rr_path(g, name), "w");
        for (int v = 1; v < w->tree[a].n; v++)
            fprintf(f, "v%d\tv%d\n", v, w->tree[a].parent[v]);
        fclose(f);
    }
}

static made make(ground *g, const world *w, unsigned threads)
{
    char how[1000], ranges[64] = "", weights[64] = "", *to = how;
    static const char *const qi[] = {"q0", "q0,q1", "q0,q1,q2"};
    bool trees = false;
    for (int a = 0; a < w->n_qi; a++) {
        trees |= !w->tree[a].values;
        if (w->tree[a].values)
            sprintf(ranges + strlen(ranges), "%sq%d=values", ranges[0] ? ";" : "", a);
        if (w->weighted)
            sprintf(weights + strlen(weights), "%sq%d=%d.%d", a ? "," : "", a, w->weight[a] / 10,
                    w->weight[a] % 10);
    }
    to += sprintf(to, "qi=%s sa=s keep=row k=%d distinct-l=%d suppress=%d/%d", qi[w->n_qi - 1],
                  w->k, w->distinct, w->share_num, w->share_den);
    if (w->num) to += sprintf(to, " theta=%d/%d", w->num, w->den);
    if (trees) to += sprintf(to, " hierarchies=%s/trees", g->dir);
    if (ranges[0]) to += sprintf(to, " ranges=%s", ranges);
    if (w->weighted) sprintf(to, " weights=%s", weights);
    g->said[0] = '\0';
    g_remove(g->out);
    return rr_make(g, &lethe_method_local, how, rr_path(g, "in.csv"), threads, false);
}

/* "v3", "34-37" or "34". */
static cell cell_read(const shape *t, const char *text)
{
    cell c = {.node = -1};
    if (!t->values) {
        SO(sscanf(text, "v%d", &c.node) == 1 && c.node < t->n);
        return c;
    }
    int n = sscanf(text, "%d-%d", &c.low, &c.high);
    SO(n == 1 || (n == 2 && c.low < c.high));
    if (n == 1) c.high = c.low;
    return c;
}

static int lines_read(const ground *g, const world *w, line *out)
{
    char *text = g_read(rr_path(g, "release/data.csv")), *save = NULL;
    int n = 0;
    SO(text);
    strtok_r(text, "\n", &save);
    for (char *row; (row = strtok_r(NULL, "\n", &save)); n++) {
        char *field = NULL, *value = strtok_r(row, ",", &field);
        SO(n < ROWS);
        out[n].row = atoi(value);
        for (int a = 0; a < w->n_qi; a++)
            out[n].at[a] = cell_read(&w->tree[a], strtok_r(NULL, ",", &field));
        SO(sscanf(strtok_r(NULL, ",", &field), "s%d", &out[n].sa) == 1);
    }
    free(text);
    return n;
}

/* --- what must be so --- */

static bool same_cell(cell x, cell y)
{
    return x.node == y.node && x.low == y.low && x.high == y.high;
}

static bool alike(const world *w, const line *x, const line *y)
{
    for (int a = 0; a < w->n_qi; a++)
        if (!same_cell(x->at[a], y->at[a])) return false;
    return true;
}

static bool covers(const shape *t, cell c, int leaf)
{
    return t->values ? c.low <= leaf && leaf <= c.high : is_above(t, c.node, leaf);
}

/* Do these rows keep what is asked? */
static bool is_kept(const world *w, const line *of, const bool *in, int n)
{
    int rows = 0, with[SA] = {0}, different = 0;
    for (int i = 0; i < n; i++) {
        rows += in[i];
        if (in[i]) different += with[of[i].sa]++ == 0;
    }
    for (int s = 0; w->num && s < SA; s++)
        if (with[s] * w->den > w->num * rows) return false;
    return rows >= w->k && different >= w->distinct;
}

/* A group keeps the promise, and is published with the least that covers its rows. */
static void group_check(const world *w, const line *of, int n, int first)
{
    bool in[ROWS];
    for (int i = 0; i < n; i++)
        in[i] = alike(w, &of[first], &of[i]);
    SO(is_kept(w, of, in, n));
    for (int a = 0; a < w->n_qi; a++) {
        const shape *t = &w->tree[a];
        cell c = of[first].at[a];
        int low = 1000, high = -1000, lowest = t->n - 1;
        bool covered = false;
        for (int i = 0; i < n; i++) {
            if (!in[i]) continue;
            low = LETHE_MIN(low, w->leaf[a][of[i].row]);
            high = LETHE_MAX(high, w->leaf[a][of[i].row]);
        }
        if (t->values) {
            SO(c.low == low && c.high == high);
            continue;
        }
        for (; !covered; lowest -= !covered) { // a node below another has a greater number
            covered = true;
            for (int i = 0; i < n; i++)
                covered = covered && (!in[i] || is_above(t, lowest, w->leaf[a][of[i].row]));
        }
        SO(c.node == lowest);
    }
}

/* Whoever knows the values of a person, in the table or not, finds rows that keep the promise. */
static void persons_check(const world *w, const line *of, int n, int a, int *leaf, size_t *several)
{
    if (a < w->n_qi && a < QI) {
        const shape *t = &w->tree[a];
        for (int v = t->values ? -6 : 0; v < (t->values ? 18 : t->n); v++) {
            leaf[a] = v;
            if (t->values || is_leaf(t, v)) persons_check(w, of, n, a + 1, leaf, several);
        }
        return;
    }
    bool in[ROWS], any = false, two = false;
    int first = -1;
    for (int i = 0; i < n; i++) {
        in[i] = true;
        for (int k = 0; k < w->n_qi; k++)
            in[i] = in[i] && covers(&w->tree[k], of[i].at[k], leaf[k]);
        if (in[i] && first < 0) first = i;
        any |= in[i];
        two |= in[i] && !alike(w, &of[first], &of[i]);
    }
    SO(!any || is_kept(w, of, in, n));
    *several += two;
}

static double lm_of(const world *w, int a, cell c)
{
    const shape *t = &w->tree[a];
    int low = 1000, high = -1000;
    if (!t->values) return t->leaves[0] > 1 ? (t->leaves[c.node] - 1.0) / (t->leaves[0] - 1.0) : 0;
    for (int i = 0; i < w->n; i++) {
        low = LETHE_MIN(low, w->leaf[a][i]);
        high = LETHE_MAX(high, w->leaf[a][i]);
    }
    return high > low ? (double)(c.high - c.low) / (high - low) : 0;
}

static double real_of(const made *m, const char *name)
{
    const lethe_json *f = lethe_json_get(lethe_json_get(m->report, "metrics"), name);
    return lethe_json_kind(f) == LETHE_JSON_INT ? (double)lethe_json_int(f) : lethe_json_real(f);
}

static void figures_check(const world *w, const line *of, int n, const made *m)
{
    double cost = 0, loss = 0;
    int deleted = w->n - n, groups = 0, smallest = ROWS + 1;
    for (int a = 0; a < w->n_qi; a++) {
        double lm = deleted;
        for (int i = 0; i < n; i++)
            lm += lm_of(w, a, of[i].at[a]);
        loss += lm / (w->n * w->n_qi);
        cost += lm * w->weight[a] / 10;
    }
    for (int i = 0; i < n; i++) {
        int rows = 0;
        bool is_first = true;
        for (int k = 0; k < n; k++) {
            rows += alike(w, &of[i], &of[k]);
            is_first = is_first && (k >= i || !alike(w, &of[i], &of[k]));
        }
        groups += is_first;
        smallest = LETHE_MIN(smallest, rows);
    }
    SO(fabs(real_of(m, "cost") - cost) < 1e-9 * (1 + cost));
    SO(fabs(real_of(m, "loss") - loss) < 1e-9);
    SO(real_of(m, "rows_deleted") == deleted && real_of(m, "groups") == groups);
    SO(real_of(m, "smallest_group") == smallest);
    SO(fabs(real_of(m, "mean_group") - (double)n / groups) < 1e-9);
    SO(deleted * w->share_den <= w->share_num * w->n);
}

static void release_check(ground *g, const world *w, const made *m, size_t *several)
{
    line of[ROWS];
    bool seen[ROWS] = {false};
    int leaf[QI], n = lines_read(g, w, of);
    for (int i = 0; i < n; i++) {
        SO(!seen[of[i].row] && of[i].sa == w->sa[of[i].row]);
        seen[of[i].row] = true;
        for (int a = 0; a < w->n_qi; a++)
            SO(covers(&w->tree[a], of[i].at[a], w->leaf[a][of[i].row]));
        group_check(w, of, n, i);
    }
    persons_check(w, of, n, 0, leaf, several);
    figures_check(w, of, n, m);
    SO(rr_verify(g) == LETHE_OK);
}

/* Not even all rows as one group keep what is asked: then no groups do. */
static bool is_feasible(const world *w)
{
    line all[ROWS];
    bool in[ROWS];
    for (int i = 0; i < w->n; i++) {
        all[i].sa = w->sa[i];
        in[i] = true;
    }
    return is_kept(w, all, in, w->n);
}

static void releases_are_as_defined(void **state)
{
    (void)state;
    static world w;
    ground g;
    size_t made_ones = 0, several = 0, deleted = 0;
    g_begin(&g);
    mkdir(rr_path(&g, "trees"), 0700);
    for (uint64_t s = 1; s <= TABLES; s++) {
        uint64_t seed = at_seed = s;
        world_draw(&seed, &w);
        files_write(&g, &w);
        made m = make(&g, &w, 1);
        if (w.share_num == 0) SO((m.e == LETHE_OK) == is_feasible(&w));
        SO(m.e == LETHE_OK || m.e == LETHE_ANSWER_NO);
        if (m.e == LETHE_OK) {
            release_check(&g, &w, &m, &several);
            made_ones++;
            deleted += real_of(&m, "rows_deleted") > 0;
            char *data = g_read(rr_path(&g, "release/data.csv")),
                 *tree = g_read(rr_path(&g, "release/taxonomy.tsv"));
            made again = make(&g, &w, s % 2 ? 2 : 7);
            SO(again.e == LETHE_OK);
            char *data2 = g_read(rr_path(&g, "release/data.csv")),
                 *tree2 = g_read(rr_path(&g, "release/taxonomy.tsv"));
            SO(strcmp(data, data2) == 0 && strcmp(tree, tree2) == 0);
            free(data), free(data2), free(tree), free(tree2);
            rr_free(&again);
        }
        rr_free(&m);
    }
    g_end(&g);
    print_message("%zu releases, %zu with deleted rows; %zu persons fit several groups\n",
                  made_ones, deleted, several);
    // there was something to see
    assert_true(made_ones > TABLES / 3 && several > TABLES / 4 && deleted > TABLES / 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(releases_are_as_defined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
