/* SPDX-License-Identifier: Apache-2.0 */
/* bench_table_search.c - How long does it take to find the cheapest cut of a table, and how many
 * cuts are examined, against l+-Optimize as the thesis has it, with scans of records?
 *
 *   bench_table_search [SCHEME COST L [CUTS [THREADS]]]
 *
 * On Adult (adult_complete_45222.csv.zst in the folder LETHE_DATA), its seven quasi-identifiers and
 * taxonomies of 356,440,500 cuts, theta = 1 / L; where it is not there, on a table that is drawn.
 * SCHEME and COST as in --suppress and --cost; "all" for each: all eleven pairs.  L 0: 2 to 6.
 * Without any: a few settings.
 *
 * Yardstick: Algorithm 3.1 written plainly, of rows, not of distinct tuples; a group is a list of
 * rows, all of which are looked at when it is made and when a value of it is locked.  Bounds of
 * section 3.3 (for DM with vioRec the sound one), order and updates of section 3.4.  It is stopped
 * after CUTS cuts (4000): then its time is a part of what it would take, and the ratio is at least
 * what is printed.  Seconds are processor time.  One JSON line each. */
#include "method/table/search/table_search.h"
#include "core/mem.h"
#include "core/parse.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { QI = 7, AGE = 0, AGES = 16, AGE_FROM = 15, AGE_WIDTH = 5, DRAWN_ROWS = 20000 };

static const char *const column[QI] = {
    "age", "education", "native-country", "workclass", "marital-status", "sex", "race"};
/* A node with its children; that of age is a binary tree of 16 ranges. */
static const char *const taxonomy[QI] = {
    NULL,
    "*[Without-Post-Secondary[Preschool Elementary[1st-4th 5th-6th 7th-8th] Secondary["
    "Junior-Secondary[9th 10th] Senior-Secondary[11th 12th HS-grad]]] Post-Secondary["
    "Some-college Prof-school Assoc[Assoc-acdm Assoc-voc] University[Bachelors Grad-School["
    "Masters Doctorate]]]]",
    "*[North-America[United-States Outlying-US(Guam-USVI-etc) Puerto-Rico Canada "
    "Middle-America[Mexico Guatemala Honduras El-Salvador Nicaragua Cuba Dominican-Republic "
    "Haiti Jamaica Trinadad&Tobago]] South-America[Columbia Ecuador Peru] Europe[England "
    "Ireland Scotland France Holand-Netherlands Germany Hungary Poland Italy Portugal Greece "
    "Yugoslavia] Asia[China Hong Taiwan Japan South Cambodia Laos Vietnam Philippines "
    "Thailand India Iran]]",
    "*[Private Without-pay Self-emp[Self-emp-inc Self-emp-not-inc] Gov[Federal-gov Local-gov "
    "State-gov]]",
    "*[Never-married Married[Married-civ-spouse Married-AF-spouse] Left[Divorced Separated] "
    "Alone[Widowed Married-spouse-absent]]",
    "*[Female Male]",
    "*[White Non-White[Amer-Indian-Eskimo Asian-Pac-Islander Black Other]]",
};

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_table_search: %s failed\n", what);
    exit(4);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    need(p != NULL, "memory");
    return p;
}

static uint64_t mix(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* --- the table --- */

static lethe_tree *tree_read(const char *text)
{
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL;
    lethe_str above[16];
    size_t depth = 0;
    need(lethe_tree_builder_new(NULL, NULL, &b) == LETHE_OK, "a tree");
    while (*text) {
        size_t n = strcspn(text, "[] ");
        lethe_str name = {text, n};
        if (n > 0 && depth > 0)
            need(lethe_tree_edge(b, name, above[depth - 1], 1) == LETHE_OK, "an edge");
        text += n;
        if (*text == '[') above[depth++] = name;
        if (*text == ']') depth--;
        if (*text) text++;
    }
    need(lethe_tree_build(b, &t) == LETHE_OK, "a tree");
    return t;
}

/* Ranges of 5 years, two by two. */
static lethe_tree *tree_of_ages(void)
{
    uint32_t parent[2 * AGES];
    char text[2 * AGES][16];
    lethe_str name[2 * AGES];
    lethe_tree *t = NULL;
    for (uint32_t i = 1; i < 2 * AGES; i++) { // as in a heap: the leaves are the last 16
        parent[i - 1] = i == 1 ? LETHE_NONE : i / 2 - 1;
        name[i - 1] = (lethe_str){text[i], (size_t)snprintf(text[i], sizeof text[i], "r%u", i)};
    }
    need(lethe_tree_from(NULL, 2 * AGES - 1, parent, name, &t) == LETHE_OK, "a tree");
    return t;
}

static uint32_t leaf_of(const lethe_tree *t, size_t q, lethe_str value)
{
    char range[32];
    uint64_t age;
    if (q == AGE) {
        need(lethe_parse_u64(value, &age) && age >= AGE_FROM, "an age");
        snprintf(range, sizeof range, "r%" PRIu64, AGES + (age - AGE_FROM) / AGE_WIDTH);
        value = lethe_str_of(range);
    }
    uint32_t v = lethe_tree_find(t, value);
    need(v != LETHE_NONE, "a value");
    return v;
}

static bool read_adult(lethe_ctx *ctx, lethe_table *out)
{
    const char *folder = getenv("LETHE_DATA");
    char path[4096];
    const char *paths[] = {path};
    lethe_table *t = NULL;
    lethe_table_read_options how = {
        .roles = {.qi = "age,education,native-country,workclass,marital-status,sex,race",
                  .sa = "occupation",
                  .class = "salary-class"},
        .hierarchy = room(QI, sizeof(lethe_tree *)),
        .ranges = room(QI, sizeof(lethe_ranges *))};
    snprintf(path, sizeof path, "%s/adult_complete_45222.csv.zst", folder ? folder : ".");
    if (access(path, R_OK) != 0) return false;
    need(lethe_table_read(ctx, paths, 1, &how, &t) == LETHE_OK, "reading");
    *out = *t; // it lives to the end of the program, and so does all else
    for (size_t q = 0; q < QI; q++) {
        const lethe_tree *flat = t->qi[q].tree;
        uint32_t *leaf = room(t->n, sizeof *leaf);
        out->qi[q].tree = q == AGE ? tree_of_ages() : tree_read(taxonomy[q]);
        for (size_t i = 0; i < t->n; i++)
            leaf[i] = leaf_of(out->qi[q].tree, q, lethe_tree_name(flat, t->qi[q].leaf[i]));
        out->qi[q].leaf = leaf;
    }
    return true;
}

static lethe_column *draw_column(uint64_t *seed, size_t rows, uint32_t n)
{
    lethe_column *c = room(1, sizeof *c);
    uint32_t *code = room(rows, sizeof *code), number;
    c->values = lethe_dict_new();
    need(c->values != NULL, "memory");
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", (unsigned)i);
        need(lethe_dict_add(c->values, lethe_str_of(name), &number) == LETHE_OK, "memory");
    }
    for (size_t i = 0; i < rows; i++)
        code[i] = (uint32_t)(mix(seed) % n * (mix(seed) % n) / n);
    c->code = code;
    return c;
}

/* The same taxonomies; leaves with a preference for the first. */
static void draw_table(lethe_table *out)
{
    uint64_t seed = 1;
    *out = (lethe_table){.n = DRAWN_ROWS, .n_qi = QI, .qi = room(QI, sizeof(lethe_qi))};
    for (size_t q = 0; q < QI; q++) {
        lethe_tree *t = q == AGE ? tree_of_ages() : tree_read(taxonomy[q]);
        uint32_t *leaf = room(out->n, sizeof *leaf);
        for (size_t i = 0; i < out->n; i++) {
            uint32_t v;
            do
                v = (uint32_t)(mix(&seed) % t->n * (mix(&seed) % t->n) / t->n);
            while (!lethe_tree_is_leaf(t, v));
            leaf[i] = v;
        }
        out->qi[q] = (lethe_qi){.name = lethe_str_of(column[q]), .tree = t, .leaf = leaf};
    }
    out->sa = draw_column(&seed, out->n, 14);
    out->class = draw_column(&seed, out->n, 2);
}

/* --- the yardstick --- */

typedef struct group {
    uint32_t *row;
    size_t n;
    uint32_t node[QI];
    bool valid, lost;
    uint64_t cost, bound;
} group;

typedef struct plain {
    const lethe_table *t;
    const lethe_group_demand *d;
    const uint64_t *const *weight;
    const uint64_t *occurs[QI];
    group *group;
    size_t n_groups, cap;
    bool *open[QI]; /* by node */
    uint64_t best, examined, most;
    uint32_t *value, *with, *of_class, *cut; /* scratch, by sensitive value */
    uint64_t *key;                           /* by row */
} plain;

static bool homogeneous(const plain *p, const group *g)
{
    for (size_t i = 1; i < g->n; i++)
        for (size_t q = 0; q < QI; q++)
            if (p->open[q][g->node[q]] &&
                p->t->qi[q].leaf[g->row[i]] != p->t->qi[q].leaf[g->row[0]])
                return false;
    return true;
}

static lethe_group_counts counted(plain *p, const group *g)
{
    uint32_t n_sa = p->d->n_sa, n_class = p->d->n_class, n = 0;
    uint32_t *with = room(n_sa, sizeof *with), *of = room((size_t)n_sa * n_class, sizeof *of);
    for (size_t i = 0; i < g->n; i++) {
        uint32_t s = p->t->sa->code[g->row[i]];
        with[s]++;
        of[s * n_class + p->t->class->code[g->row[i]]]++;
    }
    for (uint32_t s = 0; s < n_sa; s++)
        if (with[s] > 0) {
            p->value[n] = s;
            p->with[n] = with[s];
            memcpy(p->of_class + (size_t)n * n_class, of + (size_t)s * n_class,
                   n_class * sizeof *of);
            n++;
        }
    free(with);
    free(of);
    return (lethe_group_counts){
        .n = g->n, .n_values = n, .value = p->value, .with = p->with, .of_class = p->of_class};
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* DM or CM of the rows as Cut_spec groups them; the rows of the largest group. */
static uint64_t at_spec(plain *p, const group *g, uint64_t *largest)
{
    uint64_t sum = 0;
    *largest = 0;
    for (size_t i = 0; i < g->n; i++) {
        uint64_t key = 0;
        for (size_t q = 0; q < QI; q++)
            key = key * 64 + (p->open[q][g->node[q]] ? p->t->qi[q].leaf[g->row[i]] : 0);
        p->key[i] = 2 * key + p->t->class->code[g->row[i]];
    }
    qsort(p->key, g->n, sizeof *p->key, by_number);
    for (size_t i = 0, end; i < g->n; i = end) {
        uint64_t of[2] = {0};
        for (end = i; end < g->n && p->key[end] / 2 == p->key[i] / 2; end++)
            of[p->key[end] % 2]++;
        uint64_t n = end - i;
        sum += p->d->cost == LETHE_COST_DM ? n * n : LETHE_MIN(of[0], of[1]);
        *largest = LETHE_MAX(*largest, n);
    }
    return sum;
}

/* Section 3.3.4; DM with vioRec: sum of f(n_i), or what is removed. */
static uint64_t bound_of(plain *p, const group *g, const lethe_group_counts *counts, uint64_t spec)
{
    const lethe_group_demand *d = p->d;
    bool stars = d->suppress == LETHE_SUPPRESS_VIO_SA || d->suppress == LETHE_SUPPRESS_ALL_SA;
    uint64_t least = 0, unit = (stars ? 1 : 2) * (uint64_t)d->n_qi * d->scale, largest;
    if (stars) least = lethe_group_least_starred(d, counts, p->cut);
    if (!stars && d->suppress != LETHE_SUPPRESS_NONE)
        least = lethe_group_least_deleted(d, counts, p->cut);
    if (d->cost == LETHE_COST_LM) return least * unit + (g->n - (stars ? 0 : least)) * spec;
    uint64_t sum = at_spec(p, g, &largest);
    if (d->cost == LETHE_COST_CM) return LETHE_MAX(sum, least);
    if (d->suppress == LETHE_SUPPRESS_VIO_REC) {
        uint64_t half = d->rows / 2;
        if (largest > half) sum -= largest * largest - half * half - (largest - half) * d->rows;
        return LETHE_MAX(sum, least * d->rows);
    }
    return sum - LETHE_MIN(sum, least * largest) + least * d->rows;
}

/* All from the rows. */
static void look_at(plain *p, group *g)
{
    uint64_t now = 0, spec = 0;
    for (size_t q = 0; q < QI; q++) {
        now += p->weight[q][g->node[q]];
        if (!p->open[q][g->node[q]]) spec += p->weight[q][g->node[q]];
    }
    lethe_group_counts counts = counted(p, g);
    counts.general = now;
    lethe_group_price price = lethe_group_price_of(p->d, &counts, p->cut);
    g->valid = price.valid;
    g->cost = price.cost;
    bool same = homogeneous(p, g);
    g->lost = !g->valid && (same || p->d->suppress == LETHE_SUPPRESS_NONE);
    counts.general = spec;
    if (!g->lost)
        g->bound =
            same ? lethe_group_price_of(p->d, &counts, p->cut).cost : bound_of(p, g, &counts, spec);
}

static void sums(const plain *p, uint64_t *cost, uint64_t *bound)
{
    *cost = *bound = 0;
    for (size_t i = 0; i < p->n_groups; i++) {
        *cost = *cost == UINT64_MAX || !p->group[i].valid ? UINT64_MAX : *cost + p->group[i].cost;
        *bound = *bound == UINT64_MAX || p->group[i].lost ? UINT64_MAX : *bound + p->group[i].bound;
    }
}

static void add_group(plain *p, const group *g)
{
    if (p->n_groups == p->cap) {
        p->cap = 2 * p->cap + 64;
        p->group = realloc(p->group, p->cap * sizeof *p->group);
        need(p->group != NULL, "memory");
    }
    p->group[p->n_groups++] = *g;
}

/* The groups that have node v of q, split by its children; the old ones are put aside. */
static size_t specialize(plain *p, size_t q, uint32_t v, group **aside)
{
    const lethe_tree *t = p->t->qi[q].tree;
    size_t n_aside = 0, n = p->n_groups, kept = 0;
    *aside = room(n, sizeof **aside);
    p->open[q][v] = false;
    for (uint32_t c = v + 1; c < t->end[v]; c = t->end[c])
        p->open[q][c] = !lethe_tree_is_leaf(t, c);
    for (size_t i = 0; i < n; i++) {
        if (p->group[i].node[q] == v)
            (*aside)[n_aside++] = p->group[i];
        else
            p->group[kept++] = p->group[i];
    }
    p->n_groups = kept;
    for (size_t i = 0; i < n_aside; i++)
        for (uint32_t c = v + 1; c < t->end[v]; c = t->end[c]) {
            group g = (*aside)[i];
            g.row = room(g.n, sizeof *g.row);
            g.n = 0;
            g.node[q] = c;
            for (size_t k = 0; k < (*aside)[i].n; k++)
                if (lethe_tree_covers(t, c, p->t->qi[q].leaf[(*aside)[i].row[k]]))
                    g.row[g.n++] = (*aside)[i].row[k];
            if (g.n == 0) {
                free(g.row);
                continue;
            }
            look_at(p, &g);
            add_group(p, &g);
        }
    return n_aside;
}

static void generalize(plain *p, size_t q, uint32_t v, group *aside, size_t n_aside)
{
    const lethe_tree *t = p->t->qi[q].tree;
    size_t kept = 0;
    for (size_t i = 0; i < p->n_groups; i++) {
        if (p->group[i].node[q] > v && p->group[i].node[q] < t->end[v])
            free(p->group[i].row);
        else
            p->group[kept++] = p->group[i];
    }
    p->n_groups = kept;
    for (uint32_t c = v + 1; c < t->end[v]; c = t->end[c])
        p->open[q][c] = false;
    for (size_t i = 0; i < n_aside; i++)
        add_group(p, &aside[i]);
    free(aside);
}

static void look_again(plain *p, size_t q, uint32_t v)
{
    for (size_t i = 0; i < p->n_groups; i++)
        if (p->group[i].node[q] == v) look_at(p, &p->group[i]);
}

/* The open value with most occurrences, of equals the first. */
static bool next_open(const plain *p, size_t *q, uint32_t *v)
{
    uint64_t most = 0;
    bool any = false;
    for (size_t a = 0; a < QI; a++)
        for (uint32_t u = 0; u < p->t->qi[a].tree->n; u++)
            if (p->open[a][u] && (!any || p->occurs[a][u] > most)) {
                any = true;
                most = p->occurs[a][u];
                *q = a;
                *v = u;
            }
    return any;
}

/* Algorithm 3.1. */
static void optimize(plain *p)
{
    typedef struct locked {
        size_t q;
        uint32_t v;
    } locked;
    locked *l = room(512, sizeof *l);
    size_t n_locked = 0, q = 0;
    uint64_t cost, bound;
    uint32_t v = 0;
    while (next_open(p, &q, &v) && p->examined < p->most) {
        sums(p, &cost, &bound);
        if (bound >= p->best) break;
        group *aside;
        size_t n_aside = specialize(p, q, v, &aside);
        p->examined++;
        sums(p, &cost, &bound);
        if (bound < p->best) {
            p->best = LETHE_MIN(p->best, cost);
            optimize(p);
        }
        generalize(p, q, v, aside, n_aside);
        l[n_locked++] = (locked){q, v};
        look_again(p, q, v);
    }
    for (size_t i = 0; i < n_locked; i++)
        p->open[l[i].q][l[i].v] = true;
    while (n_locked-- > 0)
        look_again(p, l[n_locked].q, l[n_locked].v);
    free(l);
}

static const uint64_t *occurrences(const lethe_table *t, size_t q)
{
    const lethe_tree *tree = t->qi[q].tree;
    uint64_t *occurs = room(tree->n, sizeof *occurs);
    for (size_t i = 0; i < t->n; i++)
        occurs[t->qi[q].leaf[i]]++;
    for (uint32_t v = tree->n; v-- > 1;)
        occurs[tree->parent[v]] += occurs[v];
    return occurs;
}

static void run_plain(plain *p)
{
    group all = {.row = room(p->t->n, sizeof(uint32_t)), .n = p->t->n};
    uint64_t bound;
    for (size_t q = 0; q < QI; q++) {
        p->open[q] = room(p->t->qi[q].tree->n, sizeof(bool));
        p->open[q][0] = true;
        p->occurs[q] = occurrences(p->t, q);
    }
    for (size_t i = 0; i < p->t->n; i++)
        all.row[i] = (uint32_t)i;
    p->value = room(p->d->n_sa, sizeof *p->value);
    p->with = room(p->d->n_sa, sizeof *p->with);
    p->cut = room(p->d->n_sa, sizeof *p->cut);
    p->of_class = room((size_t)p->d->n_sa * p->d->n_class, sizeof *p->of_class);
    p->key = room(p->t->n, sizeof *p->key);
    look_at(p, &all);
    add_group(p, &all);
    p->examined = 1;
    sums(p, &p->best, &bound);
    optimize(p);
    for (size_t i = 0; i < p->n_groups; i++)
        free(p->group[i].row);
    for (size_t q = 0; q < QI; q++) {
        free(p->open[q]);
        free((void *)(uintptr_t)p->occurs[q]);
    }
    free(p->group);
    free(p->value);
    free(p->with);
    free(p->cut);
    free(p->of_class);
    free(p->key);
}

/* --- measuring --- */

static const char *const scheme_name[] = {"none", "vioSA", "allSA", "vioRec", "allRec"};
static const char *const cost_name[] = {"lm", "dm", "cm"};

typedef struct bench {
    lethe_ctx *ctx;
    const char *name;
    lethe_table t;
    uint64_t most;
} bench;

static void print_ratio(const lethe_table_found *got, double ours, const plain *p, double s)
{
    bool ended = p->examined < p->most;
    if (ended && got->n > 0) need(p->best == got->cost[0], "the same cost");
    printf(",\"plain\":{\"s\":%.3f,\"examined\":%" PRIu64 ",\"optimal\":%s},\"ratio\":%.1f", s,
           p->examined, ended ? "true" : "false", s / ours);
}

static void measure(bench *b, int scheme, int cost, uint64_t l)
{
    bool cm = cost == LETHE_COST_CM;
    lethe_tuples *tuples = NULL;
    lethe_arena *a = lethe_arena_new();
    const uint64_t **weight;
    lethe_group_demand d = {.suppress = (lethe_group_suppress)scheme,
                            .cost = (lethe_group_cost)cost,
                            .k = 1,
                            .distinct = 1,
                            .n_class = 2,
                            .n_qi = QI,
                            .rows = b->t.n};
    lethe_table_limits limits = {.top = 1};
    lethe_table_found got;
    struct rusage use;
    d.n_sa = lethe_dict_count(b->t.sa->values);
    lethe_theta *theta = room(d.n_sa, sizeof *theta);
    for (uint32_t i = 0; i < d.n_sa; i++)
        theta[i] = (lethe_theta){1, l};
    d.theta = theta;
    double begin = cpu_s();
    need(a && lethe_tuples_of(b->ctx, &b->t, cm, &tuples) == LETHE_OK, "tuples");
    need(lethe_tuples_weights(tuples, a, &weight, &d.scale) == LETHE_OK, "weights");
    const uint64_t *const *w = (const uint64_t *const *)weight;
    need(lethe_table_search(b->ctx, tuples, &d, w, &limits, a, &got) == LETHE_OK, "search");
    double ours = cpu_s() - begin;
    getrusage(RUSAGE_SELF, &use);
    printf("{\"bench\":\"table_search\",\"table\":\"%s\",\"rows\":%zu,\"tuples\":%zu,"
           "\"cuts\":%.0f,\"suppress\":\"%s\",\"cost\":\"%s\",\"l\":%" PRIu64
           ",\"threads\":%u,\"s\":%.3f,\"examined\":%" PRIu64 ",\"optimal\":%s,\"value\":%.6g",
           b->name, b->t.n, tuples->n, lethe_tuples_cuts(tuples), scheme_name[scheme],
           cost_name[cost], l, lethe_ctx_threads(b->ctx), ours, got.examined,
           got.optimal ? "true" : "false",
           got.n ? (double)got.cost[0] / (cost == LETHE_COST_LM ? (double)d.scale : 1) : -1);
    if (b->most > 0) {
        plain p = {.t = &b->t, .d = &d, .weight = w, .most = b->most};
        begin = cpu_s();
        run_plain(&p);
        print_ratio(&got, ours, &p, cpu_s() - begin);
    }
    printf(",\"peak_mb\":%ld}\n", use.ru_maxrss / 1024);
    fflush(stdout);
    free(theta);
    lethe_arena_free(a);
    lethe_tuples_free(tuples);
}

static void measure_all(bench *b, const char *scheme, const char *cost, uint64_t l)
{
    for (int c = 0; c < 3; c++)
        for (int s = 0; s < 5; s++) {
            bool stars = s == LETHE_SUPPRESS_VIO_SA || s == LETHE_SUPPRESS_ALL_SA;
            bool wanted = strcmp(scheme, "all") == 0 || strcmp(scheme, scheme_name[s]) == 0;
            if (strcmp(cost, "all") != 0 && strcmp(cost, cost_name[c]) != 0) wanted = false;
            if (!wanted || (stars && c != LETHE_COST_LM)) continue;
            for (uint64_t i = l ? l : 2; i <= (l ? l : 6); i++)
                measure(b, s, c, i);
        }
}

int main(int argc, char **argv)
{
    lethe_settings set = {.n_threads = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 1};
    bench b = {.name = "adult", .most = argc > 4 ? strtoull(argv[4], NULL, 10) : 4000};
    need(lethe_ctx_new(&set, &b.ctx) == LETHE_OK, "context");
    if (!read_adult(b.ctx, &b.t)) {
        b.name = "drawn";
        draw_table(&b.t);
    }
    if (argc > 3) {
        measure_all(&b, argv[1], argv[2], strtoull(argv[3], NULL, 10));
    } else {
        measure_all(&b, "vioRec", "lm", 4);
        measure_all(&b, "vioRec", "dm", 4);
        measure_all(&b, "allRec", "dm", 4);
        measure_all(&b, "vioRec", "cm", 4);
    }
    lethe_ctx_free(b.ctx);
    return 0;
}
