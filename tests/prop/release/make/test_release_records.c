/* SPDX-License-Identifier: Apache-2.0 */
/* Random records over random taxonomies through the whole pipeline, from bytes to bytes, against an
 * oracle that knows what it wrote: it reads data.txt, taxonomy.tsv and the map by itself, climbs
 * the tree from parent to parent, and compares every pair. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/write/sink.h"
#include "records_release_harness.h"
#include "small_wordnet.h"
#include "seeds.h"

enum { NODES = 14, RECORDS = 48, ITEMS = 8, LINES = 64, NONE = -1 };

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

/* --- what is written --- */

/* Names of which some are beginnings of others, with bytes before and behind the space. */
static const char *const names[NODES] = {"a",  "a!",   "a\x01", "ab", "a_b", "\xc3\xa9", "Z",
                                         "zz", "0123", "b",     "b-", "c",   "ca",       "\x7f"};

/* Node v + NODES is the leaf that v gets where it is an item and has children. */
typedef struct world {
    size_t n; /* nodes of the taxonomy */
    int parent[2 * NODES];
    bool is_item[NODES];
    size_t n_records; /* that parse */
    struct {
        int person; /* below 100: its ID; else it has none */
        size_t line;
        size_t n;
        int item[ITEMS];
    } record[RECORDS];
    size_t n_lines, n_rejected, n_unknown;
    char *taxonomy, *text;
} world;

static bool has_children(const world *w, int v)
{
    bool has = false;
    for (size_t i = 1; i < w->n; i++)
        has = has || w->parent[i] == v;
    return has;
}

static void make_taxonomy(world *w, uint64_t *seed)
{
    size_t size;
    FILE *f = open_memstream(&w->taxonomy, &size);
    w->n = 2 + below(seed, NODES - 1);
    w->parent[0] = NONE;
    for (size_t i = 1; i < w->n; i++) {
        w->parent[i] = (int)below(seed, i);
        const char *above = names[w->parent[i]];
        fprintf(f, "%s\t%s\n", names[i], strcmp(above, "a_b") == 0 ? "a b" : above);
    }
    for (int v = 0; v < NODES; v++)
        w->parent[NODES + v] = v;
    fclose(f);
}

static void make_record(world *w, uint64_t *seed, FILE *f, size_t n_persons, bool leaves_only)
{
    size_t n = below(seed, 6) ? 1 + below(seed, ITEMS - 1) : 0, r = w->n_records++;
    w->record[r].person = below(seed, 5) ? (int)below(seed, n_persons) : 100 + (int)r;
    w->record[r].line = w->n_lines + 1;
    w->record[r].n = 0;
    if (w->record[r].person < 100) fprintf(f, "id%d\t", w->record[r].person);
    for (size_t i = 0; i < n; i++) {
        size_t v = below(seed, w->n);
        bool unknown = below(seed, 20) == 0;
        while (!unknown && leaves_only && has_children(w, (int)v))
            v = below(seed, w->n);
        fprintf(f, "%s%s", i ? " " : "", unknown ? "nowhere" : names[v]);
        if (unknown) {
            w->n_unknown++;
            continue;
        }
        bool inner = has_children(w, (int)v);
        w->is_item[v] = true;
        w->record[r].item[w->record[r].n++] = (int)v + (inner ? NODES : 0);
    }
    fprintf(f, "\n");
}

static void make_world(world *w, uint64_t *seed)
{
    static const char *const bad[] = {"a  b\n", " a\n", "x\ty\ta\n", "\ta\n", "a\rb\n"};
    size_t size, n = 4 + below(seed, RECORDS - 4), n_persons = 1 + below(seed, 20);
    bool leaves_only = below(seed, 2);
    *w = (world){0};
    make_taxonomy(w, seed);
    FILE *f = open_memstream(&w->text, &size);
    for (size_t i = 0; i < n; i++, w->n_lines++) {
        if (below(seed, 20) == 0 && (w->n_rejected + 1) * 10 <= n && i > 0) {
            fputs(bad[below(seed, LETHE_COUNT(bad))], f);
            w->n_rejected++;
        } else {
            make_record(w, seed, f, n_persons, leaves_only);
        }
    }
    fclose(f);
}

/* --- what is read --- */

typedef struct lines {
    char *bytes;
    char *at[LINES];
    size_t n;
} lines;

static lines lines_of(char *bytes)
{
    lines l = {.bytes = bytes};
    assert_non_null(l.bytes);
    for (char *p = l.bytes; *p;) {
        char *lf = strchr(p, '\n');
        assert_non_null(lf);
        *lf = '\0';
        assert_true(l.n < LINES);
        l.at[l.n++] = p;
        p = lf + 1;
    }
    return l;
}

static lines lines_read(const char *path) { return lines_of(g_read(path)); }

/* The node of a name; a made leaf is called after its node. */
static int node_of(const world *w, const char *name, size_t n)
{
    bool own = n > 0 && name[0] == '=';
    for (size_t v = 0; v < w->n; v++)
        if (strlen(names[v]) == n - own && memcmp(names[v], name + own, n - own) == 0)
            return (int)v + (own ? NODES : 0);
    return NONE;
}

/* An item: a node, or one of several. */
typedef struct item {
    size_t n;
    int node[2 * NODES];
} item;

static int order_of(const char *a, size_t n_a, const char *b, size_t n_b)
{
    int c = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return c ? c : (n_a > n_b) - (n_a < n_b);
}

/* Names joined by `|` are as published_items.h has it: two or more, each after the one before. */
static item item_of(const world *w, const char *text, size_t n)
{
    item it = {.n = 0};
    const char *before = NULL;
    for (const char *at = text; at <= text + n;) {
        const char *joint = memchr(at, '|', (size_t)(text + n - at)), *end = joint;
        if (!joint) end = text + n;
        if (before)
            assert_true(order_of(before, (size_t)(at - before) - 1, at, (size_t)(end - at)) < 0);
        assert_true(it.n < 2 * NODES);
        it.node[it.n++] = node_of(w, at, (size_t)(end - at));
        before = at;
        at = end + 1;
    }
    return it;
}

static size_t items_of(const world *w, const char *line, item *out)
{
    size_t n = 0;
    while (*line) {
        size_t length = strcspn(line, " ");
        out[n++] = item_of(w, line, length);
        line += length + (line[length] == ' ');
    }
    return n;
}

static bool is_above(const world *w, int v, int x)
{
    while (x != NONE && x != v)
        x = w->parent[x];
    return x == v;
}

static size_t count_below(const world *w, const int *node, size_t n, int v)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += is_above(w, v, node[i]);
    return count;
}

static size_t leaves_below(const world *w, int v)
{
    size_t count = 0;
    for (size_t i = 0; i < w->n; i++) {
        bool inner = has_children(w, (int)i);
        if ((!inner || w->is_item[i]) && is_above(w, v, (int)i)) count++;
    }
    return v >= NODES ? 1 : count;
}

/* --- what must hold --- */

/* published[i]: the line of data.txt that record i became; NONE: none. */
static void map_read(const world *w, const ground *g, size_t n_lines, int *published)
{
    lines map = lines_of(g_read_map(g));
    bool taken[LINES] = {false};
    size_t n_taken = 0;
    assert_int_equal(map.n, w->n_records);
    for (size_t i = 0; i < map.n; i++) {
        char who[32], *tab = strchr(map.at[i], '\t');
        assert_non_null(tab);
        *tab = '\0';
        if (w->record[i].person < 100)
            snprintf(who, sizeof who, "id%d", w->record[i].person);
        else
            snprintf(who, sizeof who, "%zu", w->record[i].line);
        assert_string_equal(map.at[i], who);
        published[i] = tab[1] ? atoi(tab + 1) - 1 : NONE;
        if (published[i] == NONE) continue;
        assert_true(published[i] >= 0 && (size_t)published[i] < n_lines && !taken[published[i]]);
        taken[published[i]] = true;
        n_taken++;
    }
    assert_int_equal(n_taken, n_lines);
    free(map.bytes);
}

/* Everybody behind lines that are equal to this one. */
static size_t persons_behind(const world *w, const lines *data, const int *published, size_t line,
                             bool records)
{
    int seen[RECORDS];
    size_t n = 0;
    for (size_t i = 0; i < w->n_records; i++) {
        int person = records ? (int)i : w->record[i].person;
        bool known = false;
        if (published[i] == NONE || strcmp(data->at[published[i]], data->at[line]) != 0) continue;
        for (size_t j = 0; j < n; j++)
            known = known || seen[j] == person;
        if (!known) seen[n++] = person;
    }
    return n;
}

/* Each item for another of the record, at or below it or one of its members; all ways are tried. */
static bool can_stand(const world *w, const item *it, size_t n, size_t record, unsigned used)
{
    if (n == 0) return true;
    for (size_t k = 0; k < w->record[record].n; k++) {
        bool may = false;
        for (size_t m = 0; m < it->n; m++)
            may = may || is_above(w, it->node[m], w->record[record].item[k]);
        if (may && !(used >> k & 1) && can_stand(w, it + 1, n - 1, record, used | 1u << k))
            return true;
    }
    return false;
}

static size_t n_bags; /* seen in all releases */

/* Definition 1 of the Clump paper: of no node is more published than was there. */
static void is_true(const world *w, const char *line, size_t record)
{
    item it[512];
    int node[512];
    size_t n = items_of(w, line, it);
    bool has_bag = false;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < it[i].n; k++)
            assert_int_not_equal(it[i].node[k], NONE);
        node[i] = it[i].node[0];
        n_bags += it[i].n > 1;
        has_bag = has_bag || it[i].n > 1;
    }
    assert_true(n <= w->record[record].n && can_stand(w, it, n, record, 0));
    for (int v = 0; v < 2 * NODES && !has_bag; v++)
        assert_true(count_below(w, node, n, v) <=
                    count_below(w, w->record[record].item, w->record[record].n, v));
}

static void data_holds(const world *w, const lines *data, const int *published, size_t k,
                       bool records)
{
    for (size_t i = 0; i < data->n; i++) {
        if (i > 0) assert_true(strcmp(data->at[i - 1], data->at[i]) <= 0);
        assert_true(persons_behind(w, data, published, i, records) >= k);
    }
    for (size_t i = 0; i < w->n_records; i++)
        if (published[i] != NONE) is_true(w, data->at[published[i]], i);
}

/* The published items and all above them, and nothing else. */
static void taxonomy_holds(const world *w, const ground *g, const lines *data)
{
    lines tree = lines_read(rr_path(g, "release/taxonomy.tsv"));
    bool wanted[2 * NODES] = {true};
    size_t n_wanted = 0;
    for (size_t i = 0; i < data->n; i++) {
        item it[512];
        for (size_t n = items_of(w, data->at[i], it); n-- > 0;)
            for (size_t k = 0; k < it[n].n; k++)
                for (int v = it[n].node[k]; v != NONE; v = w->parent[v])
                    wanted[v] = true;
    }
    for (size_t v = 0; v < 2 * NODES; v++)
        n_wanted += wanted[v];
    assert_int_equal(tree.n, n_wanted);
    for (size_t i = 0; i < tree.n; i++) {
        char *parent = strchr(tree.at[i], '\t'), *leaves = parent ? strchr(parent + 1, '\t') : NULL;
        assert_non_null(leaves);
        int v = node_of(w, tree.at[i], (size_t)(parent - tree.at[i]));
        int above = node_of(w, parent + 1, (size_t)(leaves - parent - 1));
        assert_true(v != NONE && wanted[v]);
        wanted[v] = false;
        assert_int_equal(above, w->parent[v]);
        assert_int_equal(atoi(leaves + 1), leaves_below(w, v));
    }
    free(tree.bytes);
}

static void accounts_hold(const world *w, const made *m, const lines *data)
{
    const lethe_json *metrics = lethe_json_get(m->report, "metrics");
    assert_int_equal(rr_count(m, "read"), w->n_lines);
    assert_int_equal(rr_count(m, "rejected"), w->n_rejected);
    assert_int_equal(rr_count(m, "published"), data->n);
    assert_int_equal(rr_count(m, "suppressed"), w->n_records - data->n);
    assert_int_equal(lethe_json_int(lethe_json_get(metrics, "records")), data->n);
    assert_int_equal(lethe_json_int(lethe_json_get(metrics, "unknown_items")), w->n_unknown);
}

/* --- one record changed, with all that goes with it --- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_line(char *text, const char *old, const char *new)
{
    char *at = strstr(text, old), *rest = at ? strdup(at + strlen(old)) : NULL;
    assert_non_null(rest);
    strcpy(at, new);
    strcat(at, rest);
    free(rest);
}

/* In place of a line stands one that is like no other: longer, of the root alone. */
static void change_one(const ground *g, lines *data, size_t which, uint64_t *seed)
{
    char line[1024] = "", old_hex[65], hex[65], old[64], new[64];
    uint64_t old_size, size;
    size_t copies = 520 / (strlen(names[0]) + 1) - below(seed, 9);
    lethe_ctx *ctx = g_ctx((ground *)(uintptr_t)g, 1);
    int dir = open(g->out, O_RDONLY | O_DIRECTORY);
    assert_int_equal(lethe_file_digest(ctx, dir, "data.txt", old_hex, &old_size), LETHE_OK);
    for (size_t i = 0; i < copies; i++) {
        strcat(line, i ? " " : "");
        strcat(line, names[0]);
    }
    data->at[which] = line;
    qsort(data->at, data->n, sizeof *data->at, by_bytes);
    FILE *f = fopen(rr_path(g, "release/data.txt"), "w");
    for (size_t i = 0; i < data->n; i++)
        fprintf(f, "%s\n", data->at[i]);
    fclose(f);
    assert_int_equal(lethe_file_digest(ctx, dir, "data.txt", hex, &size), LETHE_OK);
    char *text = g_read(rr_path(g, "release/manifest.json"));
    text = realloc(text, strlen(text) + 256);
    assert_non_null(text);
    put_line(text, old_hex, hex);
    snprintf(old, sizeof old, "\"bytes\": %llu,", (unsigned long long)old_size);
    snprintf(new, sizeof new, "\"bytes\": %llu,", (unsigned long long)size);
    put_line(text, old, new);
    g_write(rr_path(g, "release/manifest.json"), text);
    free(text);
    close(dir);
    lethe_ctx_free(ctx);
}

/* --- the whole --- */

static size_t persons_of(const world *w, bool records)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_records; i++) {
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known = known || w->record[i].person == w->record[j].person;
        n += records || !known;
    }
    return n;
}

static void clear(const ground *g)
{
    g_remove(g->out);
    unlink(g->map);
}

/* As much as a release with other threads has to be like. */
static void same_with_threads(ground *g, const lethe_method *m, const char *options)
{
    static const char *const files[] = {"release/data.txt", "release/taxonomy.tsv",
                                        "release/manifest.json", "map.tsv"};
    char *want[LETHE_COUNT(files)];
    for (size_t i = 0; i < LETHE_COUNT(files); i++)
        want[i] = g_read(rr_path(g, files[i]));
    for (unsigned threads = 2; threads <= 7; threads += 5) {
        clear(g);
        made other = rr_make(g, m, options, rr_path(g, "in.txt"), threads, true);
        assert_int_equal(other.e, LETHE_OK);
        rr_free(&other);
        for (size_t i = 0; i < LETHE_COUNT(files); i++) {
            char *got = g_read(rr_path(g, files[i]));
            assert_string_equal(got, want[i]);
            free(got);
        }
    }
    for (size_t i = 0; i < LETHE_COUNT(files); i++)
        free(want[i]);
}

/* Was there a release? */
static bool try_one(ground *g, const world *w, uint64_t *seed)
{
    static const lethe_method *const methods[] = {&lethe_method_clump, &lethe_method_partition,
                                                  &lethe_method_ssg};
    // of ssg the centres that are true
    static const char *const extras[][4] = {{"", "unique", "r=all", "distinct"},
                                            {"", "bag", "pick=mass", "bag distinct"},
                                            {"centre=bag", "centre=bag min-owners=1",
                                             "centre=bag min-owners=1 epsilon=2 refine=0",
                                             "centre=ancestor"}};
    char how[1024];
    size_t k = 2 + below(seed, 4), which = below(seed, 3);
    bool records = below(seed, 4) == 0;
    const lethe_method *m = methods[which];
    snprintf(how, sizeof how, "k=%zu persons=%s taxonomy=%s/tax.tsv %s", k,
             records ? "record" : "person", g->dir, extras[which][below(seed, 4)]);
    g_write(rr_path(g, "tax.tsv"), w->taxonomy);
    g_write(rr_path(g, "in.txt"), w->text);
    g->said[0] = '\0';
    made got = rr_make(g, m, how, rr_path(g, "in.txt"), 1, true);
    if (got.e != LETHE_OK) {
        if (got.e != LETHE_ANSWER_NO) fail_msg("%s: %s", how, g->said);
        // too few persons or items are reasons; a check that stops what a method gave is a bug
        if (strstr(g->said, "is published") || strstr(g->said, "a published group"))
            fail_msg("%s: %s", how, g->said);
        assert_string_equal(g_names(g), "in.txt tax.tsv");
        assert_int_equal(rr_count(&got, "read"), w->n_lines);
        rr_free(&got);
        return false;
    }
    int published[RECORDS];
    assert_true(persons_of(w, records) >= k);
    lines data = lines_read(rr_path(g, "release/data.txt"));
    map_read(w, g, data.n, published);
    data_holds(w, &data, published, k, records);
    taxonomy_holds(w, g, &data);
    accounts_hold(w, &got, &data);
    rr_free(&got);
    assert_int_equal(rr_verify(g), LETHE_OK);
    if (below(seed, 4) == 0) same_with_threads(g, m, how);
    change_one(g, &data, below(seed, data.n), seed);
    assert_int_equal(rr_verify(g), LETHE_ANSWER_NO);
    free(data.bytes);
    clear(g);
    return true;
}

#define TRIES seeds(1500)

static int say_seed(void **state)
{
    const uint64_t *i = *state;
    if (*i < TRIES) print_error("at seed %llu\n", (unsigned long long)*i * 7919);
    return 0;
}

static void a_release_of_records_keeps_its_promise(void **state)
{
    static uint64_t i;
    ground g;
    size_t n_made = 0;
    *state = &i;
    g_begin(&g);
    for (i = 0; i < TRIES; i++) {
        uint64_t seed = i * 7919;
        world w;
        make_world(&w, &seed);
        n_made += try_one(&g, &w, &seed);
        free(w.taxonomy);
        free(w.text);
    }
    g_end(&g);
    assert_true(n_made > TRIES / 2 && n_bags > TRIES / 2);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_release_of_records_keeps_its_promise, say_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
