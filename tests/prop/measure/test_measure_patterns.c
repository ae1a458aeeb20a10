/* SPDX-License-Identifier: Apache-2.0 */
/* recall and sdist, against closed sets, overlaps and matchings by enumeration. */
#include "published_harness.h"
#include "measure/measure.h"
#include <stdlib.h>

extern const lethe_measure lethe_measure_patterns;

enum { CASES = 700, NODES = 9, MOST_ROWS = 7, MOST_SETS = 512, N = 6, TIES = 20 };

static uint64_t mix(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)(mix(s) % n); }

/* A tree of nodes a, b, c, ...: a letter stands for a node, a record is bits. */
typedef struct world {
    uint32_t parent[NODES];
    bool leaf[NODES];
    uint32_t original[MOST_ROWS], published[MOST_ROWS], n_original, n_published;
} world;

static world draw(uint64_t *s)
{
    world w = {.n_original = 1 + below(s, MOST_ROWS), .n_published = 1 + below(s, MOST_ROWS)};
    memset(w.leaf, true, sizeof w.leaf);
    for (uint32_t v = 1; v < NODES; v++) {
        w.parent[v] = v - 1 - below(s, v < 4 ? v : 4);
        w.leaf[w.parent[v]] = false;
    }
    uint32_t dense = 1 + below(s, 7);
    for (uint32_t i = 0; i < w.n_original; i++)
        for (uint32_t v = 0; v < NODES; v++)
            if (w.leaf[v] && below(s, 10) < dense) w.original[i] |= 1u << v;
    for (uint32_t i = 0; i < w.n_published; i++) // some as they were, some above, some of their own
        for (uint32_t v = 0; v < NODES; v++)
            if (i < w.n_original ? w.original[i] >> v & 1 : below(s, 10) < dense)
                w.published[i] |= 1u << (v > 0 && below(s, 3) == 0 ? w.parent[v] : v);
    return w;
}

/* --- by the definitions --- */

typedef struct set {
    uint32_t bits, support;
} set;

static uint32_t support_of(const uint32_t *row, uint32_t n, uint32_t bits)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (row[i] & bits) == bits;
    return sum;
}

static int most_first(const void *a, const void *b)
{
    const set *x = a, *y = b;
    return (x->support < y->support) - (x->support > y->support);
}

static size_t top(const uint32_t *row, uint32_t n, set *out)
{
    size_t found = 0;
    for (uint32_t bits = 1; bits < 1u << NODES; bits++) {
        uint32_t support = support_of(row, n, bits);
        bool closed = support > 0;
        for (uint32_t v = 0; v < NODES; v++)
            if (!(bits >> v & 1) && support_of(row, n, bits | 1u << v) == support) closed = false;
        if (closed) out[found++] = (set){bits, support};
    }
    qsort(out, found, sizeof *out, most_first);
    if (found <= N) return found;
    uint32_t least = out[N - 1].support;
    size_t kept = 0;
    while (kept < found && out[kept].support >= least)
        kept++;
    if (kept > (size_t)N * TIES) // all of the last support go
        while (kept > 0 && out[kept - 1].support == least)
            kept--;
    return kept;
}

static uint32_t edges(const world *w, uint32_t u, uint32_t v)
{
    uint32_t n = 0;
    for (; u != v; n++) { // parents have lesser numbers
        if (u > v)
            u = w->parent[u];
        else
            v = w->parent[v];
    }
    return n;
}

/* The cheapest way to give each of the smaller its own of the larger. */
static uint32_t distance(const world *w, uint32_t small, uint32_t large)
{
    uint32_t best = UINT32_MAX, u = 0;
    if (small == 0) return 0;
    while (!(small >> u & 1))
        u++;
    for (uint32_t v = 0; v < NODES; v++) {
        if (!(large >> v & 1)) continue;
        uint32_t rest = distance(w, small & ~(1u << u), large & ~(1u << v));
        best = LETHE_MIN(best, rest + edges(w, u, v));
    }
    return best;
}

static uint32_t bits_of(uint32_t x) { return (uint32_t)__builtin_popcount(x); }

typedef struct fractions {
    uint64_t items, shared, far;
    bool any; /* is there a pattern in the release? */
} fractions;

static fractions by_definition(const world *w)
{
    static set o[MOST_SETS], a[MOST_SETS];
    size_t n = top(w->original, w->n_original, o), m = top(w->published, w->n_published, a);
    fractions f = {.any = m > 0};
    for (size_t i = 0; i < n; i++) {
        uint32_t shared = 0, far = UINT32_MAX;
        for (size_t k = 0; k < m; k++) {
            bool less = bits_of(o[i].bits) <= bits_of(a[k].bits);
            uint32_t d = distance(w, less ? o[i].bits : a[k].bits, less ? a[k].bits : o[i].bits);
            shared = LETHE_MAX(shared, bits_of(o[i].bits & a[k].bits));
            far = LETHE_MIN(far, d);
        }
        f.items += bits_of(o[i].bits);
        f.shared += shared;
        f.far += far;
    }
    return f;
}

/* --- as text --- */

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_of(const uint32_t *row, uint32_t n, char *out)
{
    char line[MOST_ROWS][2 * NODES + 2], *at[MOST_ROWS];
    for (uint32_t i = 0; i < n; i++) {
        char *p = at[i] = line[i];
        for (uint32_t v = 0; v < NODES; v++)
            if (row[i] >> v & 1) {
                if (p > line[i]) *p++ = ' ';
                *p++ = (char)('a' + v);
            }
        *p = 0;
    }
    qsort(at, n, sizeof *at, by_line);
    for (uint32_t i = 0; i < n; i++)
        out += sprintf(out, "%s\n", at[i]);
}

static void assert_ratio(const lethe_json *v, uint64_t over, uint64_t under, bool any,
                         uint64_t seed, const char *name)
{
    bool is = any && under > 0, got = lethe_json_kind(v) == LETHE_JSON_REAL;
    if (is != got || (is && lethe_json_real(v) != (double)over / (double)under))
        fail_msg("seed %llu: %s is %g, not %llu/%llu", (unsigned long long)seed, name,
                 lethe_json_real(v), (unsigned long long)over, (unsigned long long)under);
}

static void as_defined(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx[2] = {heard_ctx(&h, 1), heard_ctx(&h, 3)};
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        uint64_t s = seed * 0x2545f4914f6cdd1du;
        world w = draw(&s);
        char tree[8 * NODES], *p = tree, original[256], published[256];
        for (uint32_t v = 1; v < NODES; v++)
            p += sprintf(p, "%c\t%c\n", (char)('a' + v), (char)('a' + w.parent[v]));
        lines_of(w.original, w.n_original, original);
        lines_of(w.published, w.n_published, published);
        against a = {.published = published, .known = "6"};
        bound b = bind_text(ctx[seed % 2], tree, original);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(against_bound(ctx[seed % 2], &a, &b, lethe_measure_patterns.run,
                                       lethe_measure_patterns.options, doc, out),
                         LETHE_OK);
        fractions f = by_definition(&w);
        assert_ratio(lethe_json_get(out, "recall"), f.shared, f.items, true, seed, "recall");
        assert_ratio(lethe_json_get(out, "sdist"), f.far, f.items, f.any, seed, "sdist");
        lethe_json_doc_free(doc);
        bound_free(&b);
    }
    lethe_ctx_free(ctx[0]);
    lethe_ctx_free(ctx[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
