/* SPDX-License-Identifier: Apache-2.0 */
/* meaning_graph.c - distances along a network of terms: that of WordNet, or that of a file. */
#include "method/cluster/ssg/meaning_internal.h"

/* --- building --- */

void lethe_meaning_graph_free(lethe_meaning_graph *g)
{
    lethe_free(g->start);
    lethe_free(g->to);
    lethe_free(g->weight);
    lethe_free(g->first);
    lethe_free(g->next);
    lethe_free(g->node);
}

/* Called twice with the same edges: to count, and to place them. */
typedef struct builder {
    lethe_meaning_graph *g;
    bool counting;
} builder;

static void half(builder *b, uint32_t from, uint32_t to, uint32_t weight)
{
    lethe_meaning_graph *g = b->g;
    // While counting, start[v + 2] is the degree of v; while placing, start[v + 1] is its next
    // place.
    if (b->counting) {
        g->start[(size_t)from + 2]++;
        return;
    }
    size_t at = g->start[(size_t)from + 1]++;
    g->to[at] = to;
    if (g->weight) g->weight[at] = weight;
    g->has_zero |= weight == 0;
}

static void edge(builder *b, uint32_t x, uint32_t y, uint32_t weight)
{
    half(b, x, y, weight);
    half(b, y, x, weight);
}

typedef void (*edges_fn)(const void *source, builder *b);

static lethe_err graph_make(lethe_meaning_graph *g, uint32_t n, bool weighted, edges_fn edges,
                            const void *source)
{
    builder b = {g, true};
    g->n = n;
    g->start = lethe_alloc_zero((size_t)n + 2, sizeof *g->start);
    if (!g->start) return LETHE_ENOMEM;
    edges(source, &b);
    for (size_t v = 2; v < (size_t)n + 2; v++)
        g->start[v] += g->start[v - 1];
    size_t all = g->start[(size_t)n + 1];
    g->to = lethe_alloc(all, sizeof *g->to);
    if (weighted) g->weight = lethe_alloc(all, sizeof *g->weight);
    if (!g->to || (weighted && !g->weight)) return LETHE_ENOMEM;
    b.counting = false;
    edges(source, &b);
    return LETHE_OK;
}

/* Finds the node of each term. */
static lethe_err graph_bind(lethe_meaning *m, const lethe_meaning_terms *terms,
                            uint32_t (*find)(const void *source, lethe_str name),
                            const void *source)
{
    lethe_meaning_graph *g = &m->graph;
    g->first = lethe_alloc(g->n, sizeof *g->first);
    g->next = lethe_alloc(m->n, sizeof *g->next);
    g->node = lethe_alloc(m->n, sizeof *g->node);
    if (!g->first || !g->next || !g->node) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < g->n; v++)
        g->first[v] = LETHE_NONE;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t v = g->node[i] = find(source, terms->name(terms->arg, m->term[i]));
        m->unknown += v == LETHE_NONE;
        if (v == LETHE_NONE) continue;
        g->next[i] = g->first[v];
        g->first[v] = (uint32_t)i;
    }
    return LETHE_OK;
}

static lethe_err meaning_make(lethe_ctx *ctx, const lethe_meaning_terms *terms, lethe_meaning *m,
                              lethe_err e, const char *what, lethe_meaning **out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    if (e != LETHE_OK) {
        lethe_meaning_free(m);
        return lethe_no_memory(d);
    }
    if (m->unknown > 0)
        lethe_warn(d, "%zu of %zu terms are not in %s: each is relevant only to itself", m->unknown,
                   terms->n, what);
    *out = m;
    return LETHE_OK;
}

/* --- WordNet: nouns first, then synsets --- */

static void wordnet_edges(const void *source, builder *b)
{
    const lethe_wordnet *wn = source;
    uint32_t nouns = lethe_wordnet_nouns(wn);
    size_t n;
    for (uint32_t w = 0; w < nouns; w++) {
        const uint32_t *sense = lethe_wordnet_senses(wn, w, &n);
        for (size_t i = 0; i < n; i++)
            edge(b, w, nouns + sense[i], 1);
    }
    for (uint32_t s = 0; s < lethe_wordnet_synsets(wn); s++) {
        const uint32_t *up = lethe_wordnet_hypernyms(wn, s, &n);
        for (size_t i = 0; i < n; i++)
            edge(b, nouns + s, nouns + up[i], 1);
    }
}

static uint32_t wordnet_find(const void *source, lethe_str name)
{
    uint32_t noun = lethe_wordnet_find(source, name);
    return noun != LETHE_NONE ? noun : lethe_wordnet_reduce(source, name);
}

lethe_err lethe_meaning_network(lethe_ctx *ctx, const lethe_wordnet *wn,
                                const lethe_meaning_terms *terms, uint32_t epsilon,
                                lethe_meaning **out)
{
    lethe_meaning *m = lethe_meaning_begin(terms, 1, epsilon);
    if (!m) return lethe_no_memory(ctx);
    uint32_t n = lethe_wordnet_nouns(wn) + lethe_wordnet_synsets(wn);
    lethe_err e = graph_make(&m->graph, n, false, wordnet_edges, wn);
    if (e == LETHE_OK) e = graph_bind(m, terms, wordnet_find, wn);
    return meaning_make(ctx, terms, m, e, "WordNet", out);
}

/* --- a file --- */

static void file_edges(const void *source, builder *b)
{
    const lethe_edges *f = source;
    for (size_t i = 0; i < f->n; i++)
        edge(b, f->at[i].a, f->at[i].b, f->at[i].weight);
}

static uint32_t file_find(const void *source, lethe_str name)
{
    return lethe_dict_find(((const lethe_edges *)source)->names, name);
}

lethe_err lethe_meaning_edges(lethe_ctx *ctx, const lethe_edges *edges,
                              const lethe_meaning_terms *terms, uint32_t epsilon,
                              lethe_meaning **out)
{
    lethe_meaning *m = lethe_meaning_begin(terms, LETHE_EDGE_UNIT, epsilon);
    if (!m) return lethe_no_memory(ctx);
    lethe_err e = graph_make(&m->graph, lethe_dict_count(edges->names), true, file_edges, edges);
    if (e == LETHE_OK) e = graph_bind(m, terms, file_find, edges);
    return meaning_make(ctx, terms, m, e, "the file of distances", out);
}

/* --- one search --- */

lethe_err lethe_meaning_search_new(const lethe_meaning_graph *g, lethe_meaning_search *out)
{
    out->label = lethe_alloc_zero(g->n, sizeof *out->label);
    out->queue = lethe_alloc(g->n, sizeof *out->queue);
    return out->label && out->queue ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_meaning_search_free(lethe_meaning_search *s)
{
    lethe_free(s->label);
    lethe_free(s->queue);
}

static bool nearer(const lethe_meaning_search *s, uint32_t v, uint32_t w)
{
    return s->label[v].distance < s->label[w].distance;
}

static void put_at(lethe_meaning_search *s, uint32_t at, uint32_t v)
{
    s->queue[at] = v;
    s->label[v].heap_at = at;
}

static void rise(lethe_meaning_search *s, uint32_t v)
{
    uint32_t at = s->label[v].heap_at;
    for (; at > 0 && nearer(s, v, s->queue[(at - 1) / 2]); at = (at - 1) / 2)
        put_at(s, at, s->queue[(at - 1) / 2]);
    put_at(s, at, v);
}

/* Takes the nearest node whose edges were not followed. */
static uint32_t take(const lethe_meaning_graph *g, lethe_meaning_search *s)
{
    if (!g->weight) return s->queue[s->head++]; // they are in order
    uint32_t top = s->queue[0], last = s->queue[--s->n], at = 0;
    if (s->n == 0) return top;
    for (uint32_t c; (c = 2 * at + 1) < s->n; at = c) {
        if (c + 1 < s->n && nearer(s, s->queue[c + 1], s->queue[c])) c++;
        if (!nearer(s, s->queue[c], last)) break;
        put_at(s, at, s->queue[c]);
    }
    put_at(s, at, last);
    return top;
}

static uint64_t nearest(const lethe_meaning_search *s)
{
    return s->head < s->n ? s->label[s->queue[s->head]].distance : UINT64_MAX / 2;
}

static void begin(lethe_meaning_search *s, uint64_t round, uint32_t v)
{
    s->head = 0;
    s->n = 1;
    s->queue[0] = v;
    s->label[v] = (struct lethe_meaning_label){round, 0, 0};
}

/* Labels v; false: it has a label that is as near, as every node whose edges were followed. */
static bool label(const lethe_meaning_graph *g, lethe_meaning_search *s, uint64_t round, uint32_t v,
                  uint32_t d)
{
    struct lethe_meaning_label *l = &s->label[v];
    bool is_new = l->round != round;
    if (!is_new && l->distance <= d) return false;
    l->round = round;
    l->distance = d;
    if (is_new) put_at(s, s->n++, v);
    if (g->weight) rise(s, v);
    return true;
}

/* --- distances --- */

/* Searches from both sides, the nearer first, until no unknown path can be below `best`.  With
 * weights of at least 1 every node up to the nearest distance of its side has its label, so an
 * unknown path is longer than both together; with weights of 0 it may be as long. */
uint32_t lethe_meaning_graph_distance(lethe_meaning_asker *a, uint32_t x, uint32_t y)
{
    const lethe_meaning_graph *g = &a->m->graph;
    uint64_t best = (uint64_t)a->m->epsilon + 1, more = !g->has_zero;
    if (g->node[x] == LETHE_NONE || g->node[y] == LETHE_NONE) return LETHE_NONE;
    if (g->node[x] == g->node[y]) return 0;
    a->round++;
    begin(&a->side[0], a->round, g->node[x]);
    begin(&a->side[1], a->round, g->node[y]);
    for (;;) {
        uint64_t near[2] = {nearest(&a->side[0]), nearest(&a->side[1])};
        if (near[0] + near[1] + more >= best) break;
        lethe_meaning_search *s = &a->side[near[1] < near[0]],
                             *other = &a->side[near[1] >= near[0]];
        uint32_t v = take(g, s);
        uint64_t so_far = s->label[v].distance;
        for (size_t i = g->start[v]; i < g->start[(size_t)v + 1]; i++) {
            uint64_t d = so_far + (g->weight ? g->weight[i] : 1);
            uint32_t w = g->to[i];
            if (d >= best || !label(g, s, a->round, w, (uint32_t)d)) continue;
            if (other->label[w].round == a->round)
                best = LETHE_MIN(best, d + other->label[w].distance);
        }
    }
    return best <= a->m->epsilon ? (uint32_t)best : LETHE_NONE;
}

void lethe_meaning_graph_neighbourhood(lethe_meaning_asker *a, uint32_t at)
{
    const lethe_meaning *m = a->m;
    const lethe_meaning_graph *g = &m->graph;
    lethe_meaning_search *s = &a->side[0];
    if (g->node[at] == LETHE_NONE) {
        a->around[a->n_around++] = (lethe_meaning_neighbour){0, m->term[at]};
        return;
    }
    a->round++;
    begin(s, a->round, g->node[at]);
    while (s->head < s->n) {
        uint32_t v = take(g, s), so_far = s->label[v].distance;
        for (uint32_t i = g->first[v]; i != LETHE_NONE; i = g->next[i])
            a->around[a->n_around++] = (lethe_meaning_neighbour){so_far, m->term[i]};
        for (size_t i = g->start[v]; i < g->start[(size_t)v + 1]; i++) {
            uint64_t d = (uint64_t)so_far + (g->weight ? g->weight[i] : 1);
            if (d <= m->epsilon) label(g, s, a->round, g->to[i], (uint32_t)d);
        }
    }
}
