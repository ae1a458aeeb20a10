/* SPDX-License-Identifier: Apache-2.0 */
/* Random records in parts by person, each part released and all joined, against brute force: the
 * lines and nodes of all parts sorted, groups counted pair by pair, and figures from the files. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "core/mem.h"
#include "records_release_harness.h"
#include "seeds.h"

enum { NODES = 16, PARTS = 4, LINES = 512, K = 2 };

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

/* --- what is written --- */

static const char *const names[NODES] = {"root", "a",    "ab", "a!", "b", "b-", "c", "ca",
                                         "Z",    "0123", "d",  "dd", "e", "ef", "f", "g_h"};

typedef struct world {
    size_t n_parts;
    int parent[NODES];
    bool inner[NODES];
    size_t n_lines[PARTS];
} world;

static void write_taxonomy(world *w, const char *path, uint64_t *seed)
{
    FILE *f = fopen(path, "w");
    for (int v = 1; v < NODES; v++) {
        w->parent[v] = (int)below(seed, (size_t)v);
        w->inner[w->parent[v]] = true;
        fprintf(f, "%s\t%s\n", names[v], names[w->parent[v]]);
    }
    fclose(f);
}

/* A person has one part; parts have few lines, so that groups are often small. */
static void write_part(world *w, const char *path, size_t part, bool leaves_only, uint64_t *seed)
{
    FILE *f = fopen(path, "w");
    size_t n = 2 + below(seed, 30);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "p%zu\t", part + PARTS * below(seed, n));
        for (size_t j = 0, m = 1 + below(seed, 4); j < m; j++) {
            size_t v = below(seed, NODES);
            while (leaves_only && w->inner[v])
                v = below(seed, NODES);
            fprintf(f, "%s%s", j ? " " : "", names[v]);
        }
        fputc('\n', f);
    }
    w->n_lines[part] = n;
    fclose(f);
}

/* --- what is read --- */

typedef struct lines {
    char *bytes;
    char *at[LINES];
    size_t n;
} lines;

/* Adds the lines of a file from number `first` on. */
static void lines_add(lines *l, const char *folder, const char *file, size_t first)
{
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    char *text = g_read(path), *save = text;
    assert_non_null(text);
    for (size_t i = 0; *text; i++) {
        char *lf = strchr(text, '\n');
        assert_non_null(lf);
        *lf = '\0';
        assert_true(l->n < LINES);
        if (i >= first) l->at[l->n++] = strdup(text);
        text = lf + 1;
    }
    free(save);
}

static void lines_free(lines *l)
{
    while (l->n > 0)
        free(l->at[--l->n]);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_sort(lines *l) { qsort(l->at, l->n, sizeof *l->at, by_bytes); }

static void lines_unite(lines *l)
{
    size_t n = 0;
    lines_sort(l);
    for (size_t i = 0; i < l->n; i++) {
        if (n > 0 && strcmp(l->at[n - 1], l->at[i]) == 0)
            free(l->at[i]);
        else
            l->at[n++] = l->at[i];
    }
    l->n = n;
}

static void same_lines(const lines *a, const lines *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_string_equal(a->at[i], b->at[i]);
}

/* --- figures by hand --- */

static double figure(const made *m, const char *name)
{
    const lethe_json *v = lethe_json_get(lethe_json_get(m->report, "metrics"), name);
    if (!v) fail_msg("no figure %s", name);
    return lethe_json_real(v);
}

static double leaves_of(const lines *taxonomy, const char *name, size_t n)
{
    for (size_t i = 0; i < taxonomy->n; i++)
        if (strncmp(taxonomy->at[i], name, n) == 0 && taxonomy->at[i][n] == '\t')
            return strtod(strrchr(taxonomy->at[i], '\t') + 1, NULL);
    fail_msg("'%.*s' is not in the taxonomy", (int)n, name);
    return 0;
}

static void figures_check(const made *whole, const made *part, size_t n_parts, const lines *data,
                          const lines *taxonomy)
{
    static const char *const sums[] = {"ggd", "clusters", "items_suppressed", "records",
                                       "unknown_items"};
    double items = 0, lost = 0, all = leaves_of(taxonomy, "root", 4);
    for (size_t i = 0; i < data->n; i++)
        for (const char *p = data->at[i]; *p;) {
            size_t n = strcspn(p, " ");
            items++;
            lost += all > 1 ? (leaves_of(taxonomy, p, n) - 1) / (all - 1) : 0;
            p += n + (p[n] == ' ');
        }
    for (size_t s = 0; s < LETHE_COUNT(sums); s++) {
        double sum = 0;
        for (size_t i = 0; i < n_parts; i++)
            sum += figure(&part[i], sums[s]);
        assert_true(fabs(sum - figure(whole, sums[s])) < 1e-6);
    }
    assert_true(fabs(figure(whole, "avg_length") - items / (double)data->n) < 1e-9);
    assert_true(fabs(figure(whole, "ggd") - lost - figure(whole, "items_suppressed")) < 1e-6);
    static const char *const counts[] = {"read", "published", "suppressed", "rejected"};
    for (size_t c = 0; c < LETHE_COUNT(counts); c++) {
        int64_t sum = 0;
        for (size_t i = 0; i < n_parts; i++)
            sum += rr_count(&part[i], counts[c]);
        assert_int_equal(sum, rr_count(whole, counts[c]));
    }
}

static void groups_check(const lines *data)
{
    for (size_t i = 0; i < data->n; i++) {
        size_t same = 0;
        for (size_t j = 0; j < data->n; j++)
            same += strcmp(data->at[i], data->at[j]) == 0;
        assert_true(same >= K);
    }
}

/* --- one world --- */

static made join(ground *g, const char *const *parts, size_t n, unsigned n_threads)
{
    made m = {.doc = lethe_json_doc_new()};
    lethe_ctx *ctx = g_ctx(g, n_threads);
    const lethe_join_options how = {.parts = parts, .n_parts = n, .out = g->out};
    g->said[0] = '\0';
    m.e = lethe_release_join(ctx, &how, m.doc, &m.report);
    lethe_ctx_free(ctx);
    return m;
}

static void result_check(ground *g, const made *whole, const made *part, char (*folder)[600],
                         size_t n)
{
    lines data = {0}, wanted = {0}, taxonomy = {0}, nodes = {0};
    for (size_t i = 0; i < n; i++) {
        lines_add(&wanted, folder[i], "data.txt", 0);
        lines_add(&nodes, folder[i], "taxonomy.tsv", 1);
    }
    lines_add(&data, g->out, "data.txt", 0);
    lines_add(&taxonomy, g->out, "taxonomy.tsv", 1);
    lines_sort(&wanted);
    lines_unite(&nodes);
    same_lines(&wanted, &data);
    same_lines(&nodes, &taxonomy);
    lines_add(&taxonomy, g->out, "taxonomy.tsv", 0);
    groups_check(&data);
    figures_check(whole, part, n, &data, &taxonomy);
    assert_int_equal(rr_verify(g), LETHE_OK);
    lines_free(&data);
    lines_free(&wanted);
    lines_free(&taxonomy);
    lines_free(&nodes);
}

/* Releases the parts that can be; gives how many. */
static size_t parts_make(ground *g, world *w, const lethe_method *method, bool leaves_only,
                         made part[PARTS], char folder[PARTS][600], uint64_t *seed)
{
    char options[800], own[300], input[600];
    size_t n = 0;
    snprintf(own, sizeof own, "%s", g->out);
    snprintf(options, sizeof options, "k=%d taxonomy=%s/tax.tsv", K, g->dir);
    for (size_t i = 0; i < w->n_parts; i++) {
        snprintf(input, sizeof input, "%s/part-%zu.txt", g->dir, i);
        write_part(w, input, i, leaves_only, seed);
        snprintf(g->out, sizeof g->out, "%.200s/part-%zu", g->dir, i);
        part[n] = rr_make(g, method, options, input, 1, false);
        if (part[n].e == LETHE_OK)
            snprintf(folder[n++], 600, "%s", g->out);
        else
            rr_free(&part[n]);
    }
    snprintf(g->out, sizeof g->out, "%s", own);
    return n;
}

static void one_world(uint64_t seed, size_t *joined, size_t *refused)
{
    static ground g;
    world w = {0};
    made part[PARTS];
    char folder[PARTS][600];
    const char *parts[PARTS];
    uint64_t s = seed;
    g_begin(&g);
    w.n_parts = 1 + below(&s, PARTS);
    bool leaves_only = below(&s, 3) > 0;
    const lethe_method *method = lethe_method_find(below(&s, 2) ? "clump" : "partition");
    write_taxonomy(&w, rr_path(&g, "tax.tsv"), &s);
    size_t n = parts_make(&g, &w, method, leaves_only, part, folder, &s);
    for (size_t i = 0; i < n; i++)
        parts[i] = folder[i];
    made whole = n > 0 ? join(&g, parts, n, 1 + (unsigned)below(&s, 3)) : (made){.e = LETHE_EUSAGE};
    // an item that is an inner node has a leaf of its own, and so the taxonomies differ; and two
    // small parts may be equal
    bool differ = strstr(g.said, "different taxonomies") || strstr(g.said, "is a copy of");
    if (n > 0 && whole.e != LETHE_OK && !(differ && whole.e == LETHE_EINPUT))
        fail_msg("seed %llu: %d, %s", (unsigned long long)seed, whole.e, g.said);
    if (leaves_only) assert_null(strstr(g.said, "different taxonomies"));
    if (n > 0 && whole.e == LETHE_OK)
        result_check(&g, &whole, part, folder, n);
    else
        assert_int_equal(access(g.out, F_OK), -1);
    *joined += n > 1 && whole.e == LETHE_OK;
    *refused += n > 1 && whole.e != LETHE_OK;
    for (size_t i = 0; i < n; i++)
        rr_free(&part[i]);
    rr_free(&whole);
    g_end(&g);
}

static void joined_parts_are_their_lines(void **state)
{
    size_t joined = 0, refused = 0, n = seeds(400);
    (void)state;
    for (uint64_t seed = 1; seed <= n; seed++)
        one_world(seed, &joined, &refused);
    assert_true(joined > n / 3);
    assert_true(refused > n / 40);
}

/* Whatever allocation fails: no release, and nothing beside it. */
static void lack_of_memory_leaves_nothing(void **state)
{
    static ground g;
    world w = {.n_parts = 2};
    made part[PARTS];
    char folder[PARTS][600];
    uint64_t s = 12;
    (void)state;
    g_begin(&g);
    write_taxonomy(&w, rr_path(&g, "tax.tsv"), &s);
    size_t n = parts_make(&g, &w, lethe_method_find("clump"), true, part, folder, &s);
    assert_int_equal(n, 2);
    const char *parts[] = {folder[0], folder[1]};
    char before[1024];
    snprintf(before, sizeof before, "%s", g_names(&g));
    bool done = false;
    for (uint64_t i = 1; !done; i += 1 + i / 16) {
        lethe_ctx *ctx = g_ctx(&g, 1);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report;
        const lethe_join_options how = {.parts = parts, .n_parts = 2, .out = g.out};
        lethe_alloc_fail_once(i);
        lethe_err e = lethe_release_join(ctx, &how, doc, &report);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done && e != LETHE_ENOMEM) fail_msg("allocation %llu: %d", (unsigned long long)i, e);
        if (!done) assert_string_equal(g_names(&g), before);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    assert_int_equal(rr_verify(&g), LETHE_OK);
    for (size_t i = 0; i < n; i++)
        rr_free(&part[i]);
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_parts_are_their_lines),
        cmocka_unit_test(lack_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
