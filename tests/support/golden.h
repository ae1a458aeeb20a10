/* SPDX-License-Identifier: Apache-2.0 */
/* golden.h - test vectors from tests/data/golden/NAME.json, read by our own JSON reader.
 *
 * A file is an object with `vectors`, an array of objects with `id` ("lcg-51"), `input`,
 * `parameters` and `expected`.  Fractions are exact and written "11/7" or "2".  So a test is
 *
 *     golden g = golden_open("lcg");
 *     for (size_t i = 0; i < g.n; i++) {
 *         const lethe_json *v = golden_at(&g, i);
 *         lethe_tree *t = golden_tree(v);
 *         fraction want = golden_fraction(v, "expected.ggd");
 *         ...
 *         golden_expect(v, "ggd", want, fraction_of(sum, lethe_tree_scale(t)));
 *         lethe_tree_free(t);
 *     }
 *     golden_close(&g);
 *
 * or golden_vector(&g, "lcg-51") for one of them.  Values are found by dotted paths from the vector
 * down: "input.transactions.0.1".  What is not there, or not what it should be, fails the test with
 * the vector's id; golden_find() alone gives NULL for what is not there.  Views and vectors live
 * until golden_close(). */
#ifndef GOLDEN_H
#define GOLDEN_H
#include "io/json/json.h"
#include "model/tree/tree.h"
#include "core/parse.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- exact fractions --- */

typedef struct fraction {
    int64_t num, den; /* in lowest terms, den > 0 */
} fraction;

/* num / den in lowest terms; 0/0 and x/0 fail the test. */
static inline fraction fraction_of(int64_t num, int64_t den)
{
    if (den == 0) fail_msg("a fraction over zero");
    int64_t a = num < 0 ? -num : num, b = den < 0 ? -den : den;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    if (den < 0) a = -a;
    return (fraction){num / a, den / a};
}

static inline bool fraction_eq(fraction a, fraction b) { return a.num == b.num && a.den == b.den; }

/* "11/7", "-3", "0"; false: it is none, and *out is untouched. */
static inline bool fraction_parse(lethe_str s, fraction *out)
{
    const char *slash = s.n ? memchr(s.at, '/', s.n) : NULL;
    size_t n = slash ? (size_t)(slash - s.at) : s.n;
    int64_t num, den = 1;
    if (!lethe_parse_i64((lethe_str){s.at, n}, &num)) return false;
    if (slash && !lethe_parse_i64((lethe_str){slash + 1, s.n - n - 1}, &den)) return false;
    if (den <= 0) return false;
    *out = fraction_of(num, den);
    return true;
}

/* --- files and vectors --- */

typedef struct golden {
    lethe_json_doc *doc;
    const lethe_json *root, *vectors;
    size_t n;
} golden;

static inline golden golden_open(const char *name)
{
    enum { MOST = 16 << 20 };
    const char *root = getenv("LETHE_ROOT");
    char dir[4096], file[64];
    golden g = {0};
    lethe_json *value = NULL;
    snprintf(dir, sizeof dir, "%s/tests/data/golden", root ? root : ".");
    snprintf(file, sizeof file, "%s.json", name);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail_msg("cannot open '%s' (is LETHE_ROOT set?)", dir);
    if (lethe_json_read_at(NULL, fd, file, MOST, &g.doc, &value) != LETHE_OK)
        fail_msg("cannot read '%s/%s'", dir, file);
    close(fd);
    g.root = value;
    g.vectors = lethe_json_get(g.root, "vectors");
    g.n = lethe_json_count(g.vectors);
    if (lethe_json_kind(g.vectors) != LETHE_JSON_ARRAY || g.n == 0)
        fail_msg("'%s' has no vectors", file);
    return g;
}

static inline void golden_close(golden *g)
{
    lethe_json_doc_free(g->doc);
    *g = (golden){0};
}

static inline const lethe_json *golden_at(const golden *g, size_t i)
{
    if (i >= g->n) fail_msg("there is no vector %zu", i);
    return lethe_json_at(g->vectors, i);
}

/* The vector with that id. */
static inline const lethe_json *golden_vector(const golden *g, const char *id)
{
    for (size_t i = 0; i < g->n; i++) {
        const lethe_json *v = lethe_json_at(g->vectors, i);
        if (lethe_str_eq(lethe_json_text(lethe_json_get(v, "id")), lethe_str_of(id))) return v;
    }
    fail_msg("there is no vector '%s'", id);
    return NULL;
}

/* For "%.*s": GOLDEN_ID(v). */
static inline lethe_str golden_id(const lethe_json *v)
{
    return lethe_json_text(lethe_json_get(v, "id"));
}
#define GOLDEN_ID(v) (int)golden_id(v).n, golden_id(v).at

/* --- values --- */

/* Name by name, or number by number in an array; NULL: not there. */
static inline const lethe_json *golden_find(const lethe_json *v, const char *path)
{
    while (v && *path) {
        char part[128];
        size_t n = strcspn(path, ".");
        uint64_t i;
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        if (lethe_json_kind(v) != LETHE_JSON_ARRAY)
            v = lethe_json_get(v, part);
        else if (lethe_parse_u64(lethe_str_of(part), &i) && i < lethe_json_count(v))
            v = lethe_json_at(v, (size_t)i);
        else
            v = NULL;
        path += n + (path[n] == '.');
    }
    return v;
}

static inline const lethe_json *golden_get(const lethe_json *v, const char *path)
{
    const lethe_json *value = golden_find(v, path);
    if (!value) fail_msg("%.*s has no '%s'", GOLDEN_ID(v), path);
    return value;
}

static inline const lethe_json *golden_get_kind(const lethe_json *v, const char *path,
                                                lethe_json_type kind)
{
    const lethe_json *value = golden_get(v, path);
    if (lethe_json_kind(value) != kind)
        fail_msg("%.*s: '%s' is of another kind", GOLDEN_ID(v), path);
    return value;
}

static inline const lethe_json *golden_array(const lethe_json *v, const char *path)
{
    return golden_get_kind(v, path, LETHE_JSON_ARRAY);
}

static inline const lethe_json *golden_object(const lethe_json *v, const char *path)
{
    return golden_get_kind(v, path, LETHE_JSON_OBJECT);
}

static inline lethe_str golden_text(const lethe_json *v, const char *path)
{
    return lethe_json_text(golden_get_kind(v, path, LETHE_JSON_TEXT));
}

static inline int64_t golden_int(const lethe_json *v, const char *path)
{
    return lethe_json_int(golden_get_kind(v, path, LETHE_JSON_INT));
}

/* A text "11/7" or "2", or a whole number. */
static inline fraction golden_fraction(const lethe_json *v, const char *path)
{
    const lethe_json *value = golden_get(v, path);
    fraction f = {0};
    if (lethe_json_kind(value) == LETHE_JSON_INT) return fraction_of(lethe_json_int(value), 1);
    if (lethe_json_kind(value) != LETHE_JSON_TEXT || !fraction_parse(lethe_json_text(value), &f))
        fail_msg("%.*s: '%s' is no fraction", GOLDEN_ID(v), path);
    return f;
}

/* Fails the test, with the vector's id and both values, where they differ. */
static inline void golden_expect(const lethe_json *v, const char *what, fraction want, fraction got)
{
    if (!fraction_eq(want, got))
        fail_msg("%.*s: %s is %" PRId64 "/%" PRId64 ", not %" PRId64 "/%" PRId64, GOLDEN_ID(v),
                 what, got.num, got.den, want.num, want.den);
}

/* --- taxonomies --- */

/* `input.taxonomy`: an object, each member an inner node with its children.  The root is
 * `input.root`.  The caller frees the tree. */
static inline lethe_tree *golden_tree(const lethe_json *v)
{
    const lethe_json *nodes = golden_object(v, "input.taxonomy");
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL;
    lethe_err e = lethe_tree_builder_new(NULL, NULL, &b);
    if (e == LETHE_OK) e = lethe_tree_node(b, golden_text(v, "input.root"), 0);
    for (size_t i = 0; i < lethe_json_count(nodes) && e == LETHE_OK; i++) {
        const lethe_json *children = lethe_json_at(nodes, i);
        for (size_t k = 0; k < lethe_json_count(children) && e == LETHE_OK; k++)
            e = lethe_tree_edge(b, lethe_json_text(lethe_json_at(children, k)),
                                lethe_json_name(nodes, i), i + 1);
    }
    if (e == LETHE_OK)
        e = lethe_tree_build(b, &t);
    else
        lethe_tree_builder_free(b);
    if (e != LETHE_OK) fail_msg("%.*s: the taxonomy is no tree", GOLDEN_ID(v));
    if (!lethe_str_eq(lethe_tree_name(t, 0), golden_text(v, "input.root")))
        fail_msg("%.*s: the taxonomy has another root", GOLDEN_ID(v));
    return t;
}

/* The node of a name, which must be there. */
static inline uint32_t golden_node(const lethe_json *v, const lethe_tree *t, lethe_str name)
{
    uint32_t node = lethe_tree_find(t, name);
    if (node == LETHE_NONE) fail_msg("%.*s: no node '%.*s'", GOLDEN_ID(v), (int)name.n, name.at);
    return node;
}

static inline int golden_cmp_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A bag of names, an array of texts, as nodes in ascending order; *n says how many.  The caller
 * frees them with free(). */
static inline uint32_t *golden_bag(const lethe_json *v, const lethe_tree *t, const lethe_json *bag,
                                   size_t *n)
{
    if (lethe_json_kind(bag) != LETHE_JSON_ARRAY) fail_msg("%.*s: no bag", GOLDEN_ID(v));
    *n = lethe_json_count(bag);
    uint32_t *nodes = malloc((*n + 1) * sizeof *nodes);
    if (!nodes) fail_msg("no memory");
    for (size_t i = 0; i < *n; i++)
        nodes[i] = golden_node(v, t, lethe_json_text(lethe_json_at(bag, i)));
    qsort(nodes, *n, sizeof *nodes, golden_cmp_u32);
    return nodes;
}

#endif
