/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of random click graphs: the removals are those of the algorithm as it is printed, with
 * explicit edges, all queries sorted again at each step, and density worked out anew. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/disconnect/click_ranking.h"
#include "core/mem.h"
#include "seeds.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum { MOST = 320, MOST_URLS = 64, MOST_CLICKS = 8192, THREADS = 3 };

/* --- numbers --- */

static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint64_t n) { return (uint32_t)(draw(state) % n); }

/* --- cases --- */

typedef struct sample {
    uint32_t n, n_urls;
    uint64_t has[MOST]; /* bit u: it has URL u */
    uint64_t weight[MOST];
    bool weighted;
    double density;
    lethe_click click[MOST_CLICKS];
    size_t n_clicks;
} sample;

static uint64_t draw_urls(uint64_t *rng, int shape, uint32_t q, uint32_t n, uint32_t n_urls)
{
    uint64_t has = 0;
    uint32_t k = 1 + below(rng, 3);
    switch (shape) {
    case 0: // a few of all
        while (k-- > 0)
            has |= 1ull << below(rng, n_urls);
        return has;
    case 1: // a hub, and others
        if (below(rng, 5) > 0) has = 1;
        return below(rng, 3) > 0 ? has | 1ull << below(rng, n_urls) : has;
    case 2: // one URL for all
        return 1;
    case 3: // many without any
        return below(rng, 2) ? 0 : 1ull << below(rng, n_urls);
    case 4: // few sets, many with each
        return (uint64_t)(1 + below(rng, 4)) << (n_urls > 3 ? below(rng, n_urls - 2) : 0);
    case 5: // two hubs that many share, and one of its own
        if (below(rng, 4) > 0) has |= 1;
        if (n_urls > 1 && below(rng, 4) > 0) has |= 2;
        return below(rng, 2) ? has | 1ull << (q % n_urls) : has;
    case 6: // components: URLs of its own quarter only
        k = 4 * q / (n ? n : 1);
        return n_urls < 4 ? 1
                          : 1ull << (k * (n_urls / 4) + below(rng, n_urls / 4)) |
                                1ull << (k * (n_urls / 4) + below(rng, n_urls / 4));
    case 7: // many components, of two URLs each
        k = n_urls < 2 ? 0 : 2 * (q % (n_urls / 2));
        return (uint64_t)(1 + below(rng, 3)) << k;
    case 8: // one class of most queries, and many classes on a URL that it lacks
        if (n_urls < 4 || below(rng, 12) > 0) return 3;
        return 4 | below(rng, 2) | 1ull << (3 + below(rng, n_urls - 3));
    default: // dense
        return draw(rng) & draw(rng) & ((1ull << n_urls) - 1);
    }
}

static uint64_t draw_weight(uint64_t *rng, int kind, uint64_t has)
{
    if (has == 0 && below(rng, 2)) return 0; // of no meaning there
    switch (kind) {
    case 1:
        return 1;
    case 2:
        return 1 + below(rng, 3);
    case 3:
        return 1 + below(rng, 100);
    case 4:
        return UINT64_MAX - below(rng, 5); // differ where doubles do not
    case 5:
        return (1 + below(rng, 8)) * 0x1000000000000001u; // the same fractions, huge
    case 6:
        return draw(rng) | 1;
    default:
        return 1ull << below(rng, 64);
    }
}

static void put_clicks(sample *s, uint64_t *rng)
{
    s->n_clicks = 0;
    for (uint32_t q = 0; q < s->n; q++)
        for (uint32_t u = 0; u < s->n_urls; u++)
            for (uint32_t k = s->has[q] >> u & 1 ? 1 + (below(rng, 4) == 0) : 0; k > 0; k--)
                s->click[s->n_clicks++] = (lethe_click){q, u};
    assert_true(s->n_clicks <= MOST_CLICKS);
    for (size_t i = s->n_clicks; i > 1; i--) {
        size_t k = below(rng, i);
        lethe_click t = s->click[k];
        s->click[k] = s->click[i - 1];
        s->click[i - 1] = t;
    }
}

static void draw_sample(sample *s, uint64_t *rng, uint32_t most)
{
    int shape = (int)below(rng, 10), kind = (int)below(rng, 8);
    s->n = below(rng, most + 1);
    s->n_urls = 1 + below(rng, most > 60 ? 40 : 12);
    s->weighted = kind > 0;
    for (uint32_t q = 0; q < s->n; q++) {
        s->has[q] = draw_urls(rng, shape, q, s->n, s->n_urls) & ((1ull << s->n_urls) - 1);
        s->weight[q] = draw_weight(rng, kind, s->has[q]);
    }
    s->density = below(rng, 3) ? 0 : (double)below(rng, 101) / 100;
    put_clicks(s, rng);
}

/* --- the algorithm as it is printed --- */

typedef struct literal {
    bool edge[MOST][MOST];
    uint32_t order[MOST], n; /* V, sorted */
    uint32_t degree[MOST];
    uint32_t removed[MOST];
    uint64_t edges[MOST + 1];
    uint32_t n_removed;
    double density[MOST + 1];
} literal;

static const sample *sorted_for;
static const literal *sorted_in;

static int by_score(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    u128 l = sorted_in->degree[x], r = sorted_in->degree[y];
    if (sorted_for->weighted && l > 0 && r > 0) { // without a URL a weight may be 0
        l *= sorted_for->weight[y];
        r *= sorted_for->weight[x];
    }
    if (l != r) return l > r ? -1 : 1;
    return x < y ? -1 : 1;
}

static uint64_t count_degrees(literal *l)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t q = l->order[i];
        l->degree[q] = 0;
        for (uint32_t k = 0; k < l->n; k++)
            l->degree[q] += l->edge[q][l->order[k]];
        sum += l->degree[q];
    }
    return sum / 2;
}

static double density_of(uint64_t edges, uint64_t v)
{
    return v < 2 ? 0 : 2.0 * (double)edges / ((double)v * (double)(v - 1));
}

static void run_literal(const sample *s, literal *l)
{
    l->n = s->n;
    l->n_removed = 0;
    for (uint32_t q = 0; q < s->n; q++) {
        l->order[q] = q;
        for (uint32_t p = 0; p < s->n; p++)
            l->edge[q][p] = q != p && (s->has[q] & s->has[p]) != 0;
    }
    for (;;) {
        uint64_t edges = count_degrees(l);
        l->edges[l->n_removed] = edges;
        l->density[l->n_removed] = density_of(edges, l->n);
        if (l->density[l->n_removed] <= s->density) return;
        sorted_for = s;
        sorted_in = l;
        qsort(l->order, l->n, sizeof *l->order, by_score);
        l->removed[l->n_removed++] = l->order[0];
        memmove(l->order, l->order + 1, --l->n * sizeof *l->order);
    }
}

/* --- the comparison --- */

static lethe_ctx *ctx_of[THREADS];

static void compare(const sample *s, const literal *want, const lethe_click_ranking *got,
                    uint64_t seed)
{
    bool same = got->n_removed == want->n_removed;
    for (uint32_t i = 0; same && i < want->n_removed; i++)
        same = got->removed[i] == want->removed[i];
    for (uint32_t i = 0; same && i <= want->n_removed; i++)
        same = got->edges[i] == want->edges[i] &&
               lethe_click_density(got->edges[i], s->n - i) == want->density[i];
    if (!same) fail_msg("seed %" PRIu64 ": not what the algorithm removes", seed);
}

/* Before anything goes, by another way. */
static void compare_edges(const lethe_click_graph *g, const literal *want, uint64_t seed)
{
    for (int i = 0; i < THREADS; i++) {
        uint64_t edges = UINT64_MAX;
        assert_int_equal(lethe_click_edges(ctx_of[i], g, &edges), LETHE_OK);
        if (edges != want->edges[0])
            fail_msg("seed %" PRIu64 ": %" PRIu64 " edges, not %" PRIu64, seed, edges,
                     want->edges[0]);
    }
}

/* Hubs and batches of any size: that changes nothing. */
static void run_all(const sample *s, const literal *want, uint64_t seed)
{
    static const uint32_t hubs[] = {0, 1, 2, 3, 5, 17, UINT32_MAX};
    static const uint32_t batches[] = {1, 8, 0, 20, 100};
    lethe_click_graph *g = NULL;
    assert_int_equal(lethe_click_graph_new(s->click, s->n_clicks, s->n, s->n_urls, &g), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(hubs); i++) {
        lethe_click_ranking_options how = {g, s->weighted ? s->weight : NULL, s->density, hubs[i],
                                           batches[(i + seed / THREADS) % LETHE_COUNT(batches)]};
        lethe_click_ranking got;
        assert_int_equal(lethe_click_rank(ctx_of[(i + seed) % THREADS], &how, &got), LETHE_OK);
        compare(s, want, &got, seed);
        lethe_click_ranking_free(&got);
    }
    compare_edges(g, want, seed);
    lethe_click_graph_free(g);
}

static int make_contexts(void **state)
{
    static const unsigned n_threads[THREADS] = {1, 2, 7};
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        lethe_settings set = {.n_threads = n_threads[i]};
        if (lethe_ctx_new(&set, &ctx_of[i]) != LETHE_OK) return -1;
    }
    return 0;
}

static int free_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < THREADS; i++)
        lethe_ctx_free(ctx_of[i]);
    return 0;
}

static sample the_sample;
static literal the_literal;

/* What the cases were like, so that none of it is missed. */
typedef struct seen {
    uint32_t rose, stopped, nothing, all;
    uint32_t parted, parted_stopped; /* several components lost queries; and did not lose all */
} seen;

/* How many components have a query among those removed? */
static uint32_t parts_of_removed(const sample *s, const literal *l)
{
    uint32_t n = 0;
    for (uint64_t met = 0, i = 0; i < l->n_removed; i++) {
        uint64_t part = s->has[l->removed[i]], was = 0;
        if (part & met) continue;
        while (part != was) {
            was = part;
            for (uint32_t q = 0; q < s->n; q++)
                if (s->has[q] & part) part |= s->has[q];
        }
        met |= part;
        n++;
    }
    return n;
}

static void look(const sample *s, const literal *l, seen *n)
{
    uint32_t risen = 0, with_urls = 0;
    for (uint32_t i = 1; i <= l->n_removed; i++)
        risen += l->density[i] > l->density[i - 1];
    for (uint32_t q = 0; q < s->n; q++)
        with_urls += s->has[q] != 0;
    n->rose += risen > 0;
    n->stopped += l->n_removed > 0 && l->edges[l->n_removed] > 0;
    n->nothing += l->n_removed == 0 && l->edges[0] > 0;
    uint32_t parts = parts_of_removed(s, l);
    n->parted += parts > 2;
    n->parted_stopped += parts > 2 && l->edges[l->n_removed] > 0;
    n->all += with_urls > 2 && l->n_removed + 1 == with_urls;
}

static void run_cases(uint64_t first, uint64_t n, uint32_t most, seen *of)
{
    for (uint64_t seed = first; seed < first + n; seed++) {
        uint64_t rng = seed;
        draw_sample(&the_sample, &rng, most);
        run_literal(&the_sample, &the_literal);
        look(&the_sample, &the_literal, of);
        run_all(&the_sample, &the_literal, seed);
    }
}

static void small_graphs_are_disconnected_as_printed(void **state)
{
    (void)state;
    seen of = {0};
    uint64_t n = seeds(20000);
    run_cases(1, n, 14, &of);
    assert_true(of.rose > n / 80 && of.stopped > n / 100 && of.nothing > n / 400);
    assert_true(of.all > n / 200 && of.parted > n / 20 && of.parted_stopped > n / 4000);
}

static void larger_graphs_are_disconnected_as_printed(void **state)
{
    (void)state;
    seen of = {0};
    run_cases(100001, 500, 60, &of);
    run_cases(200001, 25, MOST, &of);
    assert_true(of.rose > 50 && of.stopped > 30);
    assert_true(of.parted > 50);
}

/* Stopping at the density that a run goes through: there, and not a step later. */
static void stops_at_the_first_density_that_is_low_enough(void **state)
{
    (void)state;
    seen of = {0};
    for (uint64_t seed = 300001; seed < 300001 + seeds(2000); seed++) {
        uint64_t rng = seed;
        draw_sample(&the_sample, &rng, seed % 2 ? 14 : 50);
        the_sample.density = 0;
        run_literal(&the_sample, &the_literal);
        the_sample.density = the_literal.density[below(&rng, the_literal.n_removed + 1)];
        run_literal(&the_sample, &the_literal);
        look(&the_sample, &the_literal, &of);
        run_all(&the_sample, &the_literal, seed);
    }
    assert_true(of.parted_stopped > seeds(2000) / 20);
}

/* --- edges --- */

enum { MANY = 4000, WORDS = 6, HUBS = 4 };

/* Each with a URL of a few, so that hubs have thousands of classes. */
static void draw_hubs(uint64_t *rng, uint64_t has[MANY][WORDS])
{
    memset(has, 0, sizeof(uint64_t[MANY][WORDS]));
    for (uint32_t q = 0; q < MANY; q++) {
        for (uint32_t h = 0; h < HUBS; h++) // of 4,000, 2,000, ... queries
            if (below(rng, 1u << h) == 0 && below(rng, 8) > 0) has[q][0] |= 1ull << h;
        for (uint32_t k = below(rng, 4); k > 0; k--) {
            uint32_t u = HUBS + below(rng, below(rng, 2) ? 30 : 64 * WORDS - HUBS);
            has[q][u / 64] |= 1ull << u % 64;
        }
    }
}

static uint64_t count_pairs(uint64_t has[MANY][WORDS])
{
    uint64_t n = 0;
    for (uint32_t p = 0; p < MANY; p++) {
        for (uint32_t q = 0; q < p; q++) {
            uint64_t both = 0;
            for (uint32_t k = 0; k < WORDS; k++)
                both |= has[p][k] & has[q][k];
            n += both != 0;
        }
    }
    return n;
}

static void edges_of_hubs_are_counted(void **state)
{
    static uint64_t has[MANY][WORDS];
    static lethe_click click[MANY * (HUBS + 4)];
    (void)state;
    for (uint64_t seed = 400001; seed < 400011; seed++) {
        uint64_t rng = seed;
        size_t n = 0;
        lethe_click_graph *g = NULL;
        draw_hubs(&rng, has);
        for (uint32_t q = 0; q < MANY; q++)
            for (uint32_t u = 0; u < 64 * WORDS; u++)
                if (has[q][u / 64] >> u % 64 & 1) click[n++] = (lethe_click){q, u};
        assert_int_equal(lethe_click_graph_new(click, n, MANY, 64 * WORDS, &g), LETHE_OK);
        assert_true(g->class_start[1] > 2048);
        the_literal.edges[0] = count_pairs(has);
        compare_edges(g, &the_literal, seed);
        lethe_click_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_are_disconnected_as_printed),
        cmocka_unit_test(larger_graphs_are_disconnected_as_printed),
        cmocka_unit_test(stops_at_the_first_density_that_is_low_enough),
        cmocka_unit_test(edges_of_hubs_are_counted),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
