/* SPDX-License-Identifier: Apache-2.0 */
/* cosine.c - see the header.
 *
 * Features that at least two documents have, and not too many, are numbered anew, layer after
 * layer; each has a list of who has it.  Those of one document alone can link nothing: they count
 * in its norm, and are not kept.
 *
 * A search adds up lists block by block of documents, as retrieval.c does, and takes the best of a
 * block whenever the lists of a layer have been added. */
#include "algo/text/cosine.h"
#include "algo/text/best_hits.h"
#include "core/sort.h"
#include <math.h>

#define SCALE 4096
/* Documents to a block: a power of two.  32 KiB of sums. */
#define BLOCK 4096u

struct feature {
    uint32_t number, weight;
};

struct lethe_cosine {
    uint32_t n_docs, n_lists;
    unsigned n_layers;
    uint64_t *start;                         /* of each document's features */
    struct feature *features;                /* of each document, rising */
    uint32_t first[LETHE_COSINE_LAYERS + 1]; /* by layer: its first feature */
    uint64_t *list;                          /* by feature: where its list starts */
    struct feature *docs;                    /* the lists: documents rising, with their weights */
    double *inverse; /* by layer and document: of the norm; 0: nothing there weighs anything */
};

struct lethe_cosine_search {
    const lethe_cosine *index;
    double *sums;    /* by document of the block at hand; 0: not seen */
    uint32_t *seen;  /* those with a sum */
    lethe_buf hits;  /* lethe_hit each: k for each layer */
    lethe_buf lists; /* struct list each: of the document's features */
};

/* --- the index --- */

/* While it is made. */
struct maker {
    lethe_cosine *to;
    const uint64_t *start;
    const uint32_t *at;
    uint32_t n_features;
    const uint8_t *layer;
    uint32_t *df;     /* by feature as given */
    uint32_t *number; /* by feature as given; LETHE_NONE: it has no list */
    uint32_t *bag;    /* the features of one document, sorted */
};

static void df_count(struct maker *m, uint32_t *last)
{
    for (uint32_t d = 0; d < m->to->n_docs; d++)
        for (uint64_t i = m->start[d]; i < m->start[d + 1]; i++) {
            uint32_t f = m->at[i];
            m->df[f] += last[f] != d + 1;
            last[f] = d + 1;
        }
}

static bool is_common(const lethe_cosine *c, uint32_t df)
{
    return df > LETHE_COSINE_COMMON && df > c->n_docs / 16;
}

/* Numbers what has a list, layer by layer. */
static void features_number(struct maker *m)
{
    lethe_cosine *c = m->to;
    for (unsigned l = 0; l < c->n_layers; l++) {
        c->first[l] = c->n_lists;
        for (uint32_t f = 0; f < m->n_features; f++) {
            if (m->layer[f] != l) continue;
            bool listed = m->df[f] > 1 && !is_common(c, m->df[f]);
            m->number[f] = listed ? c->n_lists++ : LETHE_NONE;
        }
    }
    c->first[c->n_layers] = c->n_lists;
}

static uint32_t weight_of(const struct maker *m, uint32_t feature, size_t tf)
{
    uint32_t df = m->df[feature];
    if (is_common(m->to, df)) return 0;
    double idf = log(((double)m->to->n_docs + 1) / df);
    return (uint32_t)fmax(1, round(SCALE * (1 + log((double)tf)) * idf));
}

/* Weighs one document: its norms, and its features that have a list. */
static void document_weigh(struct maker *m, uint32_t d)
{
    lethe_cosine *c = m->to;
    size_t n = (size_t)(m->start[d + 1] - m->start[d]);
    uint64_t kept = c->start[d], squares[LETHE_COSINE_LAYERS] = {0}, sum = 0;
    if (n) memcpy(m->bag, m->at + m->start[d], n * sizeof *m->bag);
    if (n > 1) qsort(m->bag, n, sizeof *m->bag, lethe_u32_cmp);
    for (size_t i = 0, next; i < n; i = next) {
        uint32_t f = m->bag[i];
        for (next = i + 1; next < n && m->bag[next] == f; next++)
            continue;
        uint32_t weight = weight_of(m, f, next - i);
        squares[m->layer[f]] += (uint64_t)weight * weight;
        if (m->number[f] != LETHE_NONE)
            c->features[kept++] = (struct feature){m->number[f], weight};
    }
    for (unsigned l = 0; l < c->n_layers; l++) {
        sum += squares[l];
        c->inverse[(size_t)l * c->n_docs + d] = sum ? 1 / sqrt((double)sum) : 0;
    }
    c->start[d + 1] = kept;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = ((const struct feature *)a)->number, y = ((const struct feature *)b)->number;
    return (x > y) - (x < y);
}

/* The lists, from the documents' features, which are sorted first: by layer. */
static void lists_fill(lethe_cosine *c)
{
    for (uint32_t d = 0; d < c->n_docs; d++) {
        size_t n = (size_t)(c->start[d + 1] - c->start[d]);
        if (n > 1) qsort(c->features + c->start[d], n, sizeof *c->features, by_number);
    }
    for (uint64_t i = 0; i < c->start[c->n_docs]; i++)
        c->list[c->features[i].number + 2]++;
    for (uint32_t f = 0; f < c->n_lists; f++)
        c->list[f + 2] += c->list[f + 1];
    for (uint32_t d = 0; d < c->n_docs; d++)
        for (uint64_t i = c->start[d]; i < c->start[d + 1]; i++)
            c->docs[c->list[c->features[i].number + 1]++] =
                (struct feature){d, c->features[i].weight};
}

static lethe_err index_make(struct maker *m)
{
    lethe_cosine *c = m->to;
    size_t docs = (size_t)c->n_docs + 1, n_given = (size_t)m->n_features + 1, longest = 0;
    uint64_t kept = 0;
    uint32_t *last = lethe_alloc_zero(n_given, sizeof *last);
    m->df = lethe_alloc_zero(n_given, sizeof *m->df);
    m->number = lethe_alloc(n_given, sizeof *m->number);
    if (last && m->df && m->number) {
        df_count(m, last);
        features_number(m);
    }
    lethe_free(last);
    if (!last || !m->df || !m->number) return LETHE_ENOMEM;
    for (uint32_t f = 0; f < m->n_features; f++)
        kept += m->number[f] != LETHE_NONE ? m->df[f] : 0;
    for (uint32_t d = 0; d < c->n_docs; d++)
        longest = LETHE_MAX(longest, (size_t)(m->start[d + 1] - m->start[d]));
    m->bag = lethe_alloc(longest, sizeof *m->bag);
    c->start = lethe_alloc_zero(docs, sizeof *c->start);
    c->features = lethe_alloc((size_t)kept, sizeof *c->features);
    c->docs = lethe_alloc((size_t)kept, sizeof *c->docs);
    c->list = lethe_alloc_zero((size_t)c->n_lists + 2, sizeof *c->list);
    c->inverse = lethe_alloc(docs * c->n_layers, sizeof *c->inverse);
    if (!m->bag || !c->start || !c->features || !c->docs || !c->list || !c->inverse)
        return LETHE_ENOMEM;
    for (uint32_t d = 0; d < c->n_docs; d++)
        document_weigh(m, d);
    lists_fill(c);
    return LETHE_OK;
}

lethe_err lethe_cosine_new(uint32_t n_docs, const uint64_t *start, const uint32_t *at,
                           uint32_t n_features, const uint8_t *layer, unsigned n_layers,
                           lethe_cosine **out)
{
    assert(n_docs < LETHE_NONE - 1 && n_features < LETHE_NONE);
    assert(n_layers > 0 && n_layers <= LETHE_COSINE_LAYERS);
    lethe_cosine *c = lethe_alloc_zero(1, sizeof *c);
    if (!c) return LETHE_ENOMEM;
    c->n_docs = n_docs;
    c->n_layers = n_layers;
    struct maker m = {.to = c, .start = start, .at = at, .n_features = n_features, .layer = layer};
    lethe_err e = index_make(&m);
    lethe_free_all(m.df, m.number, m.bag);
    if (e == LETHE_OK)
        *out = c;
    else
        lethe_cosine_free(c);
    return e;
}

void lethe_cosine_free(lethe_cosine *c)
{
    if (!c) return;
    lethe_free_all(c->start, c->features, c->list, c->docs, c->inverse);
    lethe_free(c);
}

bool lethe_cosine_has(const lethe_cosine *c, uint32_t doc, unsigned l)
{
    assert(l < c->n_layers);
    return c->inverse[(size_t)l * c->n_docs + doc] > 0;
}

/* --- one search --- */

lethe_err lethe_cosine_search_new(const lethe_cosine *c, lethe_cosine_search **out)
{
    lethe_cosine_search *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return LETHE_ENOMEM;
    s->index = c;
    s->sums = lethe_alloc_zero(BLOCK, sizeof *s->sums);
    s->seen = lethe_alloc(BLOCK + 1, sizeof *s->seen);
    if (!s->sums || !s->seen) {
        lethe_cosine_search_free(s);
        return LETHE_ENOMEM;
    }
    *out = s;
    return LETHE_OK;
}

void lethe_cosine_search_free(lethe_cosine_search *s)
{
    if (!s) return;
    lethe_free_all(s->sums, s->seen);
    lethe_buf_free(&s->hits);
    lethe_buf_free(&s->lists);
    lethe_free(s);
}

/* What has not been read of a feature's list. */
struct list {
    const struct feature *doc, *end;
    double weight; /* that the document at hand gives it */
};

/* Adds a list's documents before `end` to the sums; how many are seen then. */
static uint32_t add_list(lethe_cosine_search *s, struct list *l, uint64_t end, uint32_t n_seen)
{
    const struct feature *doc = l->doc;
    double weight = l->weight, *sums = s->sums;
    uint32_t *seen = s->seen;
    for (; doc < l->end && doc->number < end; doc++) {
        uint32_t d = doc->number % BLOCK;
        seen[n_seen] = d;
        n_seen += sums[d] == 0;
        sums[d] += weight * doc->weight;
    }
    l->doc = doc;
    return n_seen;
}

/* Takes the block's best by the cosine of layer l. */
static void pick(const lethe_cosine_search *s, unsigned l, lethe_best_hits *h, uint32_t base,
                 uint32_t n_seen, uint32_t except)
{
    const lethe_cosine *c = s->index;
    const double *inverse = c->inverse + (size_t)l * c->n_docs + base;
    assert(h->at);
    double bar = lethe_best_hits_bar(h);
    for (uint32_t i = 0; i < n_seen; i++) {
        uint32_t d = s->seen[i];
        lethe_hit hit = {base + d, s->sums[d] * inverse[d]};
        if (hit.score < bar || hit.doc == except) continue;
        lethe_best_hits_put(h, hit);
        bar = lethe_best_hits_bar(h);
    }
}

static lethe_err lists_open(lethe_cosine_search *s, uint32_t doc)
{
    const lethe_cosine *c = s->index;
    s->lists.n = 0;
    for (uint64_t i = c->start[doc]; i < c->start[doc + 1]; i++) {
        struct feature f = c->features[i];
        struct list l = {c->docs + c->list[f.number], c->docs + c->list[f.number + 1], f.weight};
        LETHE_TRY(lethe_buf_put(&s->lists, &l, sizeof l));
    }
    return LETHE_OK;
}

/* Lists are read block by block, and in a block layer by layer. */
static void blocks_read(lethe_cosine_search *s, uint32_t doc, lethe_best_hits *best,
                        lethe_hits *hits)
{
    const lethe_cosine *c = s->index;
    struct list *lists = (struct list *)(void *)s->lists.at;
    size_t n = s->lists.n / sizeof *lists;
    const struct feature *of = c->features + c->start[doc];
    for (uint64_t base = 0; base < c->n_docs && n > 0; base += BLOCK) {
        uint32_t n_seen = 0;
        size_t i = 0;
        for (unsigned l = 0; l < c->n_layers; l++) {
            for (; i < n && of[i].number < c->first[l + 1]; i++)
                n_seen = add_list(s, &lists[i], base + BLOCK, n_seen);
            pick(s, l, &best[l], (uint32_t)base, n_seen, doc);
            hits[l].matching += n_seen;
        }
        for (uint32_t k = 0; k < n_seen; k++)
            s->sums[s->seen[k]] = 0;
    }
}

lethe_err lethe_cosine_like(lethe_cosine_search *s, uint32_t doc, uint32_t k, lethe_hits *hits)
{
    const lethe_cosine *c = s->index;
    lethe_best_hits best[LETHE_COSINE_LAYERS] = {{0}};
    assert(doc < c->n_docs && k > 0);
    k = LETHE_MIN(k, c->n_docs);
    s->hits.n = 0;
    LETHE_TRY(lethe_buf_reserve(&s->hits, (size_t)k * c->n_layers * sizeof(lethe_hit)));
    LETHE_TRY(lists_open(s, doc));
    for (unsigned l = 0; l < c->n_layers; l++) {
        best[l] = (lethe_best_hits){(lethe_hit *)(void *)s->hits.at + (size_t)l * k, 0, k};
        hits[l].matching = 0;
    }
    blocks_read(s, doc, best, hits);
    for (unsigned l = 0; l < c->n_layers; l++) {
        lethe_best_hits_lead(&best[l]);
        bool self = c->start[doc] < c->start[doc + 1] &&
                    c->features[c->start[doc]].number < c->first[l + 1]; // has its own features
        hits[l] = (lethe_hits){best[l].at, best[l].n, hits[l].matching - self};
    }
    return LETHE_OK;
}
