/* SPDX-License-Identifier: Apache-2.0 */
/* retrieval.c - see the header.
 *
 * Terms are numbered anew by rarity (their rank), so that the order in which scores are summed is
 * the order of numbers: a document's terms are sorted once, and its own query is ready.
 *
 * A search adds up the lists of all terms of the query, block by block of documents, so that the
 * sums at hand stay in the processor's nearest memory.  Lists are read to their end.  To leave out
 * what cannot be among the best (MaxScore and its kin) was tried: documents that share a common
 * word are many, and those that then need a second look cost what the unread lists save. */
#include "algo/text/retrieval.h"
#include "algo/text/best_hits.h"
#include <math.h>
#include <stdlib.h>

/* Documents to a block: a power of two.  32 KiB of sums. */
#define BLOCK 4096u

struct term {
    uint32_t rank;
    uint32_t tf;
};

struct lethe_retrieval {
    uint32_t n_docs, n_terms;
    uint64_t *start;    /* of each document's terms */
    struct term *terms; /* of each document, by rank */
    uint32_t *rank;     /* of each term */
    uint64_t *list;     /* by rank: where its list starts */
    uint32_t *docs;     /* the lists: documents rising, */
    double *weights;    /* and what the term gives each of them */
};

struct lethe_search {
    const lethe_retrieval *index;
    double *sums;    /* by document of the block at hand; 0: not seen */
    uint32_t *seen;  /* those with a sum */
    lethe_buf heap;  /* lethe_hit each: the best so far, the worst of them on top */
    lethe_buf query; /* struct term each: of a bag that is no document */
    lethe_buf lists; /* struct list each: of the query's terms */
};

/* --- the index --- */

static uint64_t list_length(const lethe_retrieval *r, uint32_t rank)
{
    return r->list[rank + 1] - r->list[rank];
}

/* Ranks and where lists start, by counting: terms in as many documents keep their order. */
static lethe_err rank_terms(lethe_retrieval *r, const uint64_t *start, const uint32_t *at)
{
    size_t n_terms = (size_t)r->n_terms + 1;
    uint32_t *df = lethe_alloc_zero(n_terms, sizeof *df); // in how many documents each term is
    uint32_t *last = lethe_alloc_zero(n_terms, sizeof *last);
    uint32_t *next = lethe_alloc_zero((size_t)r->n_docs + 2, sizeof *next);
    bool made = df && last && next;
    for (uint32_t d = 0; made && d < r->n_docs; d++)
        for (uint64_t i = start[d]; i < start[d + 1]; i++) {
            df[at[i]] += last[at[i]] != d + 1;
            last[at[i]] = d + 1;
        }
    for (uint32_t t = 0; made && t < r->n_terms; t++)
        next[df[t] + 1]++;
    for (uint32_t n = 1; made && n <= r->n_docs; n++)
        next[n] += next[n - 1];
    for (uint32_t t = 0; made && t < r->n_terms; t++) {
        r->rank[t] = next[df[t]]++;
        r->list[r->rank[t] + 1] = df[t];
    }
    for (uint32_t k = 0; made && k < r->n_terms; k++)
        r->list[k + 1] += r->list[k];
    lethe_free(df);
    lethe_free(last);
    lethe_free(next);
    return made ? LETHE_OK : LETHE_ENOMEM;
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = ((const struct term *)a)->rank, y = ((const struct term *)b)->rank;
    return (x > y) - (x < y);
}

/* Sorts terms and makes one of those that are the same; how many are left. */
static size_t gather_terms(struct term *at, size_t n)
{
    size_t kept = 0;
    if (n > 24) {
        qsort(at, n, sizeof *at, by_rank);
    } else {
        for (size_t i = 1; i < n; i++) {
            struct term t = at[i];
            size_t j = i;
            for (; j > 0 && at[j - 1].rank > t.rank; j--)
                at[j] = at[j - 1];
            at[j] = t;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && at[kept - 1].rank == at[i].rank)
            at[kept - 1].tf += at[i].tf;
        else
            at[kept++] = at[i];
    }
    return kept;
}

/* A list as it is filled. */
struct list_cursor {
    uint64_t next;
    double idf;
};

static lethe_err index_make(lethe_retrieval *r, const uint64_t *start, const uint32_t *at)
{
    size_t docs = (size_t)r->n_docs + 1, terms = (size_t)r->n_terms + 1;
    r->start = lethe_alloc_zero(docs, sizeof *r->start);
    r->rank = lethe_alloc(terms, sizeof *r->rank);
    r->list = lethe_alloc_zero(terms, sizeof *r->list);
    if (!r->start || !r->rank || !r->list) return LETHE_ENOMEM;
    LETHE_TRY(rank_terms(r, start, at));
    size_t n = (size_t)r->list[r->n_terms], longest = 0;
    for (uint32_t d = 0; d < r->n_docs; d++)
        longest = LETHE_MAX(longest, (size_t)(start[d + 1] - start[d]));
    r->terms = lethe_alloc(n, sizeof *r->terms);
    r->docs = lethe_alloc(n, sizeof *r->docs);
    r->weights = lethe_alloc(n, sizeof *r->weights);
    struct term *scratch = lethe_alloc(longest, sizeof *scratch);
    struct list_cursor *lists = lethe_alloc(terms, sizeof *lists);
    bool made = r->terms && r->docs && r->weights && scratch && lists;
    if (made) {
        for (uint32_t d = 0; d < r->n_docs; d++) {
            size_t n_bag = (size_t)(start[d + 1] - start[d]);
            for (size_t i = 0; i < n_bag; i++)
                scratch[i] = (struct term){r->rank[at[start[d] + i]], 1};
            size_t kept = gather_terms(scratch, n_bag);
            if (kept) memcpy(r->terms + r->start[d], scratch, kept * sizeof *scratch);
            r->start[d + 1] = r->start[d] + kept;
        }
        double n_docs = r->n_docs,
               mean = n_docs > 0 ? (double)(start[r->n_docs] - start[0]) / n_docs : 0;
        for (uint32_t k = 0; k < r->n_terms; k++) {
            double df = (double)list_length(r, k);
            lists[k] = (struct list_cursor){r->list[k], log(1 + (n_docs - df + 0.5) / (df + 0.5))};
        }
        for (uint32_t d = 0; d < r->n_docs; d++) {
            double share = mean > 0 ? (double)(start[d + 1] - start[d]) / mean : 0;
            double norm = LETHE_BM25_K1 * (1 - LETHE_BM25_B + LETHE_BM25_B * share);
            for (uint64_t i = r->start[d]; i < r->start[d + 1]; i++) {
                struct list_cursor *l = &lists[r->terms[i].rank];
                double tf = r->terms[i].tf;
                r->docs[l->next] = d;
                r->weights[l->next++] = l->idf * (tf * (LETHE_BM25_K1 + 1) / (tf + norm));
            }
        }
    }
    lethe_free(scratch);
    lethe_free(lists);
    return made ? LETHE_OK : LETHE_ENOMEM;
}

lethe_err lethe_retrieval_new(uint32_t n_docs, const uint64_t *start, const uint32_t *at,
                              uint32_t n_terms, lethe_retrieval **out)
{
    assert(n_docs < LETHE_NONE - 1 && n_terms < LETHE_NONE);
    lethe_retrieval *r = lethe_alloc_zero(1, sizeof *r);
    if (!r) return LETHE_ENOMEM;
    r->n_docs = n_docs;
    r->n_terms = n_terms;
    if (index_make(r, start, at) != LETHE_OK) {
        lethe_retrieval_free(r);
        return LETHE_ENOMEM;
    }
    *out = r;
    return LETHE_OK;
}

void lethe_retrieval_free(lethe_retrieval *r)
{
    if (!r) return;
    lethe_free(r->start);
    lethe_free(r->terms);
    lethe_free(r->rank);
    lethe_free(r->list);
    lethe_free(r->docs);
    lethe_free(r->weights);
    lethe_free(r);
}

uint32_t lethe_retrieval_count(const lethe_retrieval *r) { return r->n_docs; }

uint32_t lethe_retrieval_length(const lethe_retrieval *r, uint32_t doc)
{
    return (uint32_t)(r->start[doc + 1] - r->start[doc]);
}

/* --- the best k --- */

lethe_err lethe_search_new(const lethe_retrieval *r, lethe_search **out)
{
    lethe_search *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return LETHE_ENOMEM;
    s->index = r;
    s->sums = lethe_alloc_zero(BLOCK, sizeof *s->sums);
    s->seen = lethe_alloc(BLOCK + 1, sizeof *s->seen);
    if (!s->sums || !s->seen) {
        lethe_search_free(s);
        return LETHE_ENOMEM;
    }
    *out = s;
    return LETHE_OK;
}

void lethe_search_free(lethe_search *s)
{
    if (!s) return;
    lethe_free(s->sums);
    lethe_free(s->seen);
    lethe_buf_free(&s->heap);
    lethe_buf_free(&s->query);
    lethe_buf_free(&s->lists);
    lethe_free(s);
}

/* --- one search --- */

struct query {
    const struct term *at; /* by rank; tf: how often the query has it */
    size_t n;
    uint32_t except; /* LETHE_NONE: nobody */
};

/* What has not been read of a term's list. */
struct list {
    const uint32_t *doc, *end;
    const double *weight;
    double qtf;
};

/* Adds a list's documents before `end` to the sums; how many are seen then.  Without branches:
 * whether a document was seen cannot be foretold. */
static uint32_t add_list(lethe_search *s, struct list *l, uint64_t end, uint32_t n_seen)
{
    const uint32_t *doc = l->doc;
    const double *weight = l->weight;
    double qtf = l->qtf, *sums = s->sums;
    uint32_t *seen = s->seen;
    for (; doc < l->end && *doc < end; doc++, weight++) {
        uint32_t d = *doc % BLOCK;
        double sum = sums[d];
        seen[n_seen] = d;
        n_seen += sum == 0;
        sums[d] = sum + qtf * *weight;
    }
    l->doc = doc;
    l->weight = weight;
    return n_seen;
}

/* Takes the block's best and leaves no sums behind.  The document to be left out was added like any
 * other. */
static void pick(lethe_search *s, lethe_best_hits *h, uint32_t base, uint32_t n_seen,
                 uint32_t except)
{
    double bar = lethe_best_hits_bar(h);
    for (uint32_t i = 0; i < n_seen; i++) {
        lethe_hit hit = {base + s->seen[i], s->sums[s->seen[i]]};
        s->sums[s->seen[i]] = 0;
        if (hit.score < bar || hit.doc == except) continue;
        lethe_best_hits_put(h, hit);
        bar = lethe_best_hits_bar(h);
    }
}

static lethe_err search(lethe_search *s, const struct query *q, uint32_t k, lethe_hits *out)
{
    uint32_t n_docs = s->index->n_docs, matching = 0;
    k = LETHE_MIN(k, LETHE_MAX(n_docs, 1));
    s->heap.n = 0;
    LETHE_TRY(lethe_buf_reserve(&s->heap, (size_t)k * sizeof(lethe_hit)));
    const lethe_retrieval *r = s->index;
    s->lists.n = 0;
    for (size_t i = 0; i < q->n; i++) {
        uint64_t begin = r->list[q->at[i].rank], end = r->list[q->at[i].rank + 1];
        struct list l = {r->docs + begin, r->docs + end, r->weights + begin, q->at[i].tf};
        LETHE_TRY(lethe_buf_put(&s->lists, &l, sizeof l));
    }
    struct list *lists = (struct list *)(void *)s->lists.at;
    lethe_best_hits h = {(lethe_hit *)(void *)s->heap.at, 0, k};
    for (uint64_t base = 0; base < n_docs && q->n > 0; base += BLOCK) {
        uint32_t n_seen = 0;
        for (size_t i = 0; i < q->n; i++)
            n_seen = add_list(s, &lists[i], base + BLOCK, n_seen);
        pick(s, &h, (uint32_t)base, n_seen, q->except);
        matching += n_seen;
    }
    lethe_best_hits_sort(&h);
    bool self = q->except != LETHE_NONE && q->n > 0; // has all of its own terms
    *out = (lethe_hits){h.at, h.n, matching - self};
    return LETHE_OK;
}

lethe_err lethe_search_like(lethe_search *s, uint32_t doc, uint32_t k, lethe_hits *out)
{
    const lethe_retrieval *r = s->index;
    assert(doc < r->n_docs && k > 0);
    struct query q = {r->terms + r->start[doc], (size_t)(r->start[doc + 1] - r->start[doc]), doc};
    return search(s, &q, k, out);
}

lethe_err lethe_search_bag(lethe_search *s, const uint32_t *terms, size_t n, uint32_t k,
                           lethe_hits *out)
{
    const lethe_retrieval *r = s->index;
    assert(k > 0);
    s->query.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (terms[i] >= r->n_terms || list_length(r, r->rank[terms[i]]) == 0) continue;
        struct term t = {r->rank[terms[i]], 1};
        LETHE_TRY(lethe_buf_put(&s->query, &t, sizeof t));
    }
    struct term *at = (struct term *)(void *)s->query.at;
    struct query q = {at, gather_terms(at, s->query.n / sizeof *at), LETHE_NONE};
    return search(s, &q, k, out);
}
