/* SPDX-License-Identifier: Apache-2.0 */
/* Distances and neighbourhoods against Floyd and Warshall's algorithm on small trees, dictionaries
 * and files. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/cluster/ssg/meaning.h"
#include "wordnet_oracle.h"

enum { NODES = 64, FAR = 1 << 30 };

static uint64_t mix(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static uint32_t below(uint64_t *seed, uint32_t n) { return (uint32_t)(mix(seed) % n); }

static lethe_ctx *ctx;
static uint64_t reaches; /* that were bounded */

static int begin(void **state)
{
    (void)state;
    ctx = new_ctx(1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

/* --- the oracle --- */

typedef struct matrix {
    size_t n;
    int64_t d[NODES][NODES];
} matrix;

static void matrix_begin(matrix *m, size_t n)
{
    assert_true(n <= NODES);
    m->n = n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            m->d[i][j] = i == j ? 0 : FAR;
}

static void matrix_edge(matrix *m, size_t i, size_t j, int64_t w)
{
    if (w < m->d[i][j]) m->d[i][j] = m->d[j][i] = w;
}

static void matrix_close(matrix *m)
{
    for (size_t k = 0; k < m->n; k++)
        for (size_t i = 0; i < m->n; i++)
            for (size_t j = 0; j < m->n; j++)
                if (m->d[i][k] + m->d[k][j] < m->d[i][j]) m->d[i][j] = m->d[i][k] + m->d[k][j];
}

/* Terms of the data, and the node of each in the matrix; -1: none. */
typedef struct data {
    uint32_t term[NODES];
    long node[NODES];
    size_t n;
} data;

static int64_t oracle_distance(const matrix *m, const data *d, size_t i, size_t j)
{
    if (i == j) return 0;
    return d->node[i] < 0 || d->node[j] < 0 ? FAR : m->d[d->node[i]][d->node[j]];
}

static void check_ball(uint64_t seed, const matrix *m, const data *d, const lethe_meaning *x,
                       lethe_meaning_asker *a, size_t i)
{
    size_t n, want = 0;
    const lethe_meaning_neighbour *around = lethe_meaning_neighbourhood(a, d->term[i], &n);
    for (size_t j = 0; j < d->n; j++)
        want += oracle_distance(m, d, i, j) <= lethe_meaning_epsilon(x);
    if (n != want)
        fail_msg("seed %llu: %zu terms near, not %zu", (unsigned long long)seed, n, want);
    for (size_t k = 0; k < n; k++) {
        size_t j = 0;
        while (j < d->n && d->term[j] != around[k].term)
            j++;
        if (j == d->n || oracle_distance(m, d, i, j) != around[k].distance)
            fail_msg("seed %llu: a neighbourhood's distance", (unsigned long long)seed);
        if (k > 0 && (around[k - 1].distance > around[k].distance ||
                      (around[k - 1].distance == around[k].distance &&
                       around[k - 1].term >= around[k].term)))
            fail_msg("seed %llu: a neighbourhood's order", (unsigned long long)seed);
    }
}

/* Where it is bounded at all, the reach of a term is the least range with all that is near. */
static void check_reach(uint64_t seed, const matrix *m, const data *d, const lethe_meaning *x,
                        size_t i, uint64_t *bounded)
{
    lethe_meaning_reach reach = lethe_meaning_reach_of(x, d->term[i]);
    uint32_t first = d->term[i], last = d->term[i];
    for (size_t j = 0; j < d->n; j++) {
        if (oracle_distance(m, d, i, j) > lethe_meaning_epsilon(x)) continue;
        first = LETHE_MIN(first, d->term[j]);
        last = LETHE_MAX(last, d->term[j]);
    }
    if (reach.from == 0 && reach.n == UINT32_MAX) return;
    ++*bounded;
    if (reach.from != first || reach.n != last - first + 1)
        fail_msg("seed %llu: reach %u + %u, not %u .. %u", (unsigned long long)seed, reach.from,
                 reach.n, first, last);
}

/* Everything, twice: the second time some of it is kept. */
static void check(uint64_t seed, const matrix *m, const data *d, const lethe_meaning *x)
{
    lethe_meaning_asker *a = NULL;
    assert_int_equal(lethe_meaning_asker_new(x, &a), LETHE_OK);
    for (size_t k = 0; k < 2 * d->n; k++) {
        size_t i = k % d->n;
        check_reach(seed, m, d, x, i, &reaches);
        check_ball(seed, m, d, x, a, i);
        for (size_t j = 0; j < d->n; j++) {
            int64_t want = oracle_distance(m, d, i, j);
            uint32_t got = lethe_meaning_distance(a, d->term[i], d->term[j]);
            if (got != (want <= lethe_meaning_epsilon(x) ? (uint32_t)want : LETHE_NONE))
                fail_msg("seed %llu: distance %u, not %lld", (unsigned long long)seed, got,
                         (long long)want);
        }
    }
    lethe_meaning_asker_free(a);
}

/* --- trees --- */

static lethe_tree *random_tree(uint64_t *seed, matrix *m)
{
    char name[NODES][8];
    uint32_t n = 1 + below(seed, 40), parent[NODES], deep = 1 + below(seed, 4);
    lethe_str names[NODES];
    lethe_tree *t = NULL;
    for (uint32_t i = 0; i < n; i++) { // small `deep`: long chains
        parent[i] = i == 0 ? LETHE_NONE : i - 1 - below(seed, deep == 1 ? i : LETHE_MIN(i, deep));
        snprintf(name[i], sizeof name[i], "n%u", i);
        names[i] = lethe_str_of(name[i]);
    }
    assert_int_equal(lethe_tree_from(NULL, n, parent, names, &t), LETHE_OK);
    matrix_begin(m, n);
    for (uint32_t v = 1; v < n; v++)
        matrix_edge(m, v, t->parent[v], 1);
    matrix_close(m);
    return t;
}

static void trees_are_measured_in_edges(void **state)
{
    (void)state;
    static matrix m;
    for (uint64_t round = 1; round <= 1500; round++) {
        uint64_t seed = round;
        lethe_tree *t = random_tree(&seed, &m);
        data d = {0};
        for (uint32_t v = 0; v < t->n; v++) {
            if (below(&seed, 3) == 0) continue; // leaves mostly in practice; any node will do
            d.node[d.n] = v;
            d.term[d.n++] = v;
        }
        lethe_meaning *x = NULL;
        uint32_t epsilon = below(&seed, 20) ? below(&seed, 12) : LETHE_NONE - below(&seed, 2);
        lethe_meaning_terms terms = {.at = d.term, .n = d.n};
        assert_int_equal(lethe_meaning_tree(ctx, t, &terms, epsilon, &x), LETHE_OK);
        assert_int_equal(lethe_meaning_unit(x), 1);
        check(round, &m, &d, x);
        lethe_meaning_free(x);
        lethe_tree_free(t);
    }
    assert_true(reaches > 1000);
}

/* --- files --- */

static lethe_str letter_name(const void *names, uint32_t term)
{
    return lethe_str_of(((const char(*)[8])names)[term]);
}

/* Terms have gaps in their numbers, and some are in no line. */
static void files_are_measured_by_shortest_paths(void **state)
{
    (void)state;
    static matrix m;
    static char name[2 * NODES][8];
    for (uint32_t i = 0; i < 2 * NODES; i++)
        snprintf(name[i], sizeof name[i], "t%u", i);
    for (uint64_t round = 1; round <= 1500; round++) {
        uint64_t seed = round;
        uint32_t n = 2 + below(&seed, 24), n_edges = 1 + below(&seed, 2 * n);
        uint32_t most = below(&seed, 3) ? 2000000 : 4;
        char *text = NULL;
        size_t len = 0;
        bool used[NODES] = {0};
        matrix_begin(&m, n);
        FILE *out = open_memstream(&text, &len);
        fprintf(out, "t0\tt1\t9.000000\n");
        matrix_edge(&m, 0, 1, 9000000);
        used[0] = used[1] = true;
        for (uint32_t i = 0; i < n_edges; i++) {
            uint32_t a = below(&seed, n), b = below(&seed, n), w = below(&seed, most);
            if (a == b || m.d[a][b] != FAR) continue;
            fprintf(out, "t%u\tt%u\t%u.%06u\n", a, b, w / 1000000, w % 1000000);
            matrix_edge(&m, a, b, w);
            used[a] = used[b] = true;
        }
        fclose(out);
        matrix_close(&m);
        data d = {0};
        for (uint32_t i = 0; i < n; i++) {
            if (below(&seed, 4) == 0) continue;
            d.node[d.n] = used[i] ? (long)i : -1;
            d.term[d.n++] = i;
        }
        if (below(&seed, 2)) { // one that no line names
            d.node[d.n] = -1;
            d.term[d.n++] = 2 * NODES - 1;
        }
        lethe_edges *edges = NULL;
        lethe_meaning *x = NULL;
        lethe_meaning_terms terms = {d.term, d.n, letter_name, name};
        assert_int_equal(lethe_edges_memory(ctx, (lethe_str){text, len}, LETHE_NAMES_RAW, &edges),
                         LETHE_OK);
        assert_int_equal(lethe_meaning_edges(ctx, edges, &terms, below(&seed, 2 * most + 1), &x),
                         LETHE_OK);
        lethe_edges_free(edges); // is not needed any more
        assert_int_equal(lethe_meaning_unit(x), LETHE_EDGE_UNIT);
        check(round, &m, &d, x);
        lethe_meaning_free(x);
        free(text);
    }
}

/* --- dictionaries --- */

enum { SYNSETS = 12, WORDS = 16 };

/* Synset i is below one or two before it and has up to three words of a few: many have several
 * senses. */
static void random_dictionary(uint64_t *seed, fake_synset *s, char (*words)[64], char (*ups)[16])
{
    for (uint32_t i = 0; i < SYNSETS; i++) {
        uint32_t first = below(seed, WORDS), n = 1 + below(seed, 3);
        size_t at = (size_t)sprintf(words[i], "own%u", i);
        for (uint32_t k = 0; k < n; k++)
            at += (size_t)sprintf(words[i] + at, " word%u", (first + 3 * k) % WORDS);
        ups[i][0] = '\0';
        if (i > 0) sprintf(ups[i], "%u", below(seed, i));
        if (i > 1 && below(seed, 3) == 0) {
            uint32_t other = below(seed, i);
            if ((uint32_t)atoi(ups[i]) != other) sprintf(ups[i] + strlen(ups[i]), " %u", other);
        }
        s[i] = (fake_synset){3, words[i], ups[i]};
    }
}

static void dictionary_matrix(const oracle *o, matrix *m)
{
    matrix_begin(m, o->n_nouns + o->n_synsets);
    for (size_t s = 0; s < o->n_synsets; s++) {
        for (size_t i = 0; i < o->synset[s].n_words; i++)
            matrix_edge(m, (size_t)oracle_find(o, o->synset[s].word[i]), o->n_nouns + s, 1);
        for (size_t i = 0; i < o->synset[s].n_up; i++)
            matrix_edge(m, o->n_nouns + s, o->n_nouns + (size_t)o->synset[s].up[i], 1);
    }
    matrix_close(m);
}

/* Numbers 3 i and 3 i + 1 are the i-th noun and its plural, 3 i + 2 is no noun. */
static lethe_str noun_name(const void *arg, uint32_t term)
{
    static char name[64];
    const oracle *o = arg;
    snprintf(name, sizeof name, "%s%s", term % 3 == 2 ? "zzz" : o->noun[term / 3].word,
             term % 3 == 1 ? "s" : "");
    return lethe_str_of(name);
}

static void words_are_measured_by_links(void **state)
{
    (void)state;
    static matrix m;
    for (uint64_t round = 1; round <= 300; round++) {
        uint64_t seed = round;
        fake_synset s[SYNSETS];
        char words[SYNSETS][64], ups[SYNSETS][16];
        lethe_wordnet *wn = NULL;
        lethe_meaning *x = NULL;
        random_dictionary(&seed, s, words, ups);
        fake_files f = fake_make(s, SYNSETS, "axes ax\n", false);
        oracle *o = oracle_new((lethe_str){f.text[0], f.n[0]}, (lethe_str){f.text[1], f.n[1]});
        assert_int_equal(fake_open(ctx, &f, &wn), LETHE_OK);
        dictionary_matrix(o, &m);
        data d = {0};
        for (uint32_t i = 0; i < 3 * o->n_nouns && d.n < NODES; i++) {
            if (below(&seed, i % 3 ? 6 : 2)) continue;
            d.node[d.n] = i % 3 == 2 ? -1 : (long)(i / 3);
            d.term[d.n++] = i;
        }
        lethe_meaning_terms terms = {d.term, d.n, noun_name, o};
        assert_int_equal(lethe_meaning_network(ctx, wn, &terms, below(&seed, 9), &x), LETHE_OK);
        lethe_wordnet_free(wn); // is not needed any more
        check(round, &m, &d, x);
        lethe_meaning_free(x);
        oracle_free(o);
        fake_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_measured_in_edges),
        cmocka_unit_test(files_are_measured_by_shortest_paths),
        cmocka_unit_test(words_are_measured_by_links),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
