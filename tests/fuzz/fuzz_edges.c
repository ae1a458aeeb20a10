/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the file of a metric: what is taken for one has the form of one, survives being
 * written and read again, and gives distances that are those of a metric. */
#include "method/cluster/ssg/meaning.h"
#include "core/mem.h"
#include "text/normalize.h"
#include "fuzz.h"

enum { TERMS = 12 };

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

static void look_at(const lethe_edges *e)
{
    uint32_t n = lethe_dict_count(e->names);
    MUST(e->n > 0);
    for (size_t i = 0; i < e->n; i++) {
        const lethe_edge *x = &e->at[i];
        MUST(x->a < x->b && x->b < n && x->weight < LETHE_NONE);
        if (i == 0) continue;
        MUST(x[-1].a < x->a || (x[-1].a == x->a && x[-1].b < x->b));
    }
    for (uint32_t i = 0; i < n; i++) {
        lethe_str name = lethe_dict_at(e->names, i);
        MUST(name.n > 0 && lethe_utf8_valid(name));
        MUST(!memchr(name.at, '\t', name.n) && !memchr(name.at, '\n', name.n));
        MUST(!memchr(name.at, 0, name.n) && !memchr(name.at, '\r', name.n));
    }
}

static void write_and_read_again(const lethe_edges *e)
{
    lethe_buf b = {0};
    lethe_edges *again = NULL;
    // An empty line first: a name may begin with what would be a byte order mark there.
    MUST(lethe_buf_put(&b, "\n", 1) == LETHE_OK);
    for (size_t i = 0; i < e->n; i++) {
        char weight[32];
        snprintf(weight, sizeof weight, "\t%u.%06u\n", e->at[i].weight / LETHE_EDGE_UNIT,
                 e->at[i].weight % LETHE_EDGE_UNIT);
        MUST(lethe_buf_str(&b, lethe_dict_at(e->names, e->at[i].a)) == LETHE_OK);
        MUST(lethe_buf_put(&b, "\t", 1) == LETHE_OK);
        MUST(lethe_buf_str(&b, lethe_dict_at(e->names, e->at[i].b)) == LETHE_OK);
        MUST(lethe_buf_str(&b, lethe_str_of(weight)) == LETHE_OK);
    }
    lethe_str bytes = {(const char *)b.at, b.n};
    MUST(lethe_edges_memory(ctx, bytes, LETHE_NAMES_RAW, &again) == LETHE_OK);
    MUST(again->n == e->n);
    uint64_t sum = 0,
             sum_again = 0; // the edges may have changed places, as terms are numbered anew
    for (size_t i = 0; i < e->n; i++) {
        sum += e->at[i].weight;
        sum_again += again->at[i].weight;
        MUST(lethe_dict_find(again->names, lethe_dict_at(e->names, e->at[i].a)) != LETHE_NONE);
    }
    MUST(sum == sum_again);
    lethe_edges_free(again);
    lethe_buf_free(&b);
}

/* Zero to itself, symmetric, no way round is shorter, an edge is at least as long; balls agree. */
static void measure(const lethe_edges *e)
{
    uint32_t term[TERMS], n = LETHE_MIN(lethe_dict_count(e->names), TERMS);
    lethe_meaning *m = NULL;
    lethe_meaning_asker *a = NULL;
    for (uint32_t i = 0; i < n; i++)
        term[i] = i;
    lethe_meaning_terms terms = {term, n, lethe_meaning_dict_name, e->names};
    MUST(lethe_meaning_edges(ctx, e, &terms, 100 * LETHE_EDGE_UNIT, &m) == LETHE_OK);
    MUST(lethe_meaning_asker_new(m, &a) == LETHE_OK && lethe_meaning_unknown(m) == 0);
    uint32_t d[TERMS][TERMS];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            d[i][j] = lethe_meaning_distance(a, i, j);
    for (uint32_t i = 0; i < n; i++) {
        size_t n_near, n_relevant = 0;
        const lethe_meaning_neighbour *near = lethe_meaning_neighbourhood(a, i, &n_near);
        for (size_t k = 0; k < n_near; k++)
            MUST(d[i][near[k].term] == near[k].distance);
        for (uint32_t j = 0; j < n; j++) {
            n_relevant += d[i][j] != LETHE_NONE;
            MUST(d[i][j] == d[j][i] && (i != j || d[i][j] == 0));
            for (uint32_t k = 0; k < n; k++) {
                uint64_t round = (uint64_t)d[i][k] + d[k][j];
                MUST(d[i][k] == LETHE_NONE || d[k][j] == LETHE_NONE || d[i][j] <= round ||
                     round > lethe_meaning_epsilon(m));
            }
        }
        MUST(n_near == n_relevant);
    }
    for (size_t i = 0; i < e->n; i++)
        if (e->at[i].b < n && e->at[i].weight <= lethe_meaning_epsilon(m))
            MUST(d[e->at[i].a][e->at[i].b] <= e->at[i].weight);
    lethe_meaning_asker_free(a);
    lethe_meaning_free(m);
}

/* The first byte says how names are taken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_edges *e = NULL;
    if (!ctx) {
        MUST(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    if (n == 0) return 0;
    lethe_naming naming = data[0] % 3 == 0   ? LETHE_NAMES_RAW
                          : data[0] % 3 == 1 ? LETHE_NAMES_ITEMS
                                             : LETHE_NAMES_TERMS;
    lethe_err err = lethe_edges_memory(ctx, (lethe_str){(const char *)data + 1, n - 1}, naming, &e);
    MUST(err == LETHE_OK || err == LETHE_EINPUT);
    MUST((err == LETHE_OK) == (e != NULL));
    if (!e) return 0;
    look_at(e);
    write_and_read_again(e);
    measure(e);
    lethe_edges_free(e);
    return 0;
}
