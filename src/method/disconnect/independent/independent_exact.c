/* SPDX-License-Identifier: Apache-2.0 */
/* independent_exact.c - branch and bound over the sets of a small piece.  Sets that share a URL are
 * connected vertices; the bound is a cover by cliques that share the weights, and sets are tried
 * from the end of the cover as long as those before might help (as in P. R. J. Ostergard, "A new
 * algorithm for the maximum-weight clique problem", 2001, and E. Tomita and T. Seki, 2003, on the
 * complement graph). */
#include "method/disconnect/independent/independent_internal.h"

enum { MOST = LETHE_INDEPENDENT_TRIED, WORDS = MOST / 64 };

typedef struct sets {
    uint64_t at[WORDS];
} sets;

typedef struct branch {
    uint64_t bound; /* of the weight of this set and those before it */
    uint32_t set;
} branch;

struct lethe_independent_exact {
    uint32_t n, n_words;
    const uint64_t *weight;
    uint64_t best;
    sets best_set, chosen;
    uint64_t nodes, nodes_max; /* 0: no limit */
    sets clash[MOST];
    branch at[MOST * (MOST + 1) / 2]; /* each level has fewer candidates than the one above */
};

lethe_independent_exact *lethe_independent_exact_new(void)
{
    return lethe_alloc(1, sizeof(lethe_independent_exact));
}

void lethe_independent_exact_free(lethe_independent_exact *x) { lethe_free(x); }

static void add(sets *s, uint32_t i) { s->at[i / 64] |= (uint64_t)1 << (i % 64); }
static void drop(sets *s, uint32_t i) { s->at[i / 64] &= ~((uint64_t)1 << (i % 64)); }
static bool has(const sets *s, uint32_t i) { return s->at[i / 64] >> (i % 64) & 1; }

/* The lowest number at or after word *w; LETHE_NONE: none is left. */
static uint32_t lowest(const lethe_independent_exact *x, const sets *s, uint32_t *w)
{
    while (*w < x->n_words && s->at[*w] == 0)
        ++*w;
    if (*w == x->n_words) return LETHE_NONE;
    return *w * 64 + (uint32_t)__builtin_ctzll(s->at[*w]);
}

/* Subtracts the lowest weight of a clique from all its sets, repeatedly, until nothing is left: a
 * choice among the sets used up so far weighs at most what was subtracted until then. */
static uint32_t cover(const lethe_independent_exact *x, sets left, branch *out)
{
    uint32_t n = 0, w = 0, first;
    uint64_t bound = 0, rest[MOST];
    memcpy(rest, x->weight, x->n * sizeof *rest);
    while ((first = lowest(x, &left, &w)) != LETHE_NONE) {
        uint32_t clique[MOST], n_clique = 0, from = w;
        uint64_t least = UINT64_MAX;
        sets more = left;
        for (uint32_t c = first; c != LETHE_NONE; c = lowest(x, &more, &from)) {
            clique[n_clique++] = c;
            least = LETHE_MIN(least, rest[c]);
            for (uint32_t i = from; i < x->n_words; i++)
                more.at[i] &= x->clash[c].at[i];
        }
        bound += least;
        for (uint32_t i = 0; i < n_clique; i++) {
            if ((rest[clique[i]] -= least) > 0) continue;
            out[n++] = (branch){bound, clique[i]};
            drop(&left, clique[i]);
        }
    }
    return n;
}

/* The sets in `left` clash with none of those chosen, which weigh `sum`. */
static void expand(lethe_independent_exact *x, const sets *left, uint64_t sum, branch *list)
{
    if (sum > x->best) {
        x->best = sum;
        x->best_set = x->chosen;
    }
    x->nodes++;
    sets candidates = *left, next = {{0}};
    uint32_t n = cover(x, candidates, list);
    while (n-- > 0 && sum + list[n].bound > x->best) {
        if (x->nodes_max && x->nodes >= x->nodes_max) return;
        uint32_t s = list[n].set;
        drop(&candidates, s);
        for (uint32_t i = 0; i < x->n_words; i++)
            next.at[i] = candidates.at[i] & ~x->clash[s].at[i];
        add(&x->chosen, s);
        expand(x, &next, sum + x->weight[s], list + n);
        drop(&x->chosen, s);
    }
}

static void prepare(lethe_independent_exact *x, const lethe_independent_piece *p)
{
    x->n = p->n;
    x->n_words = (p->n + 63) / 64;
    x->weight = p->weight;
    x->nodes = 0;
    x->chosen = x->best_set = (sets){{0}};
    memset(x->clash, 0, p->n * sizeof *x->clash);
    for (uint32_t u = 0; u < p->n_urls; u++) {
        sets on = {{0}};
        for (uint64_t i = p->set_start[u]; i < p->set_start[u + 1]; i++)
            add(&on, p->set[i]);
        for (uint64_t i = p->set_start[u]; i < p->set_start[u + 1]; i++)
            for (uint32_t w = 0; w < x->n_words; w++)
                x->clash[p->set[i]].at[w] |= on.at[w];
    }
    for (uint32_t s = 0; s < p->n; s++)
        drop(&x->clash[s], s);
}

bool lethe_independent_exact_solve(lethe_independent_exact *x, const lethe_independent_piece *p,
                                   uint64_t nodes_max, uint64_t at_least, uint8_t *in)
{
    assert(p->n <= MOST);
    sets all = {{0}};
    prepare(x, p);
    x->best = at_least;
    x->nodes_max = nodes_max;
    for (uint32_t s = 0; s < p->n; s++)
        add(&all, s);
    expand(x, &all, 0, x->at);
    if (x->best > at_least)
        for (uint32_t s = 0; s < p->n; s++)
            in[s] = has(&x->best_set, s);
    return nodes_max == 0 || x->nodes < nodes_max;
}
