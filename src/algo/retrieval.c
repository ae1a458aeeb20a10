/* retrieval.c - see the header.
 *
 * Terms are numbered anew by rarity (their rank), so that the order in which scores are summed is
 * the order of numbers: a document's terms are sorted once, and its own query is ready.
 *
 * A search adds up the lists of the query's terms, the rarest first.  Let `rest` be the most that
 * the terms not yet added can give.  Once the k-th best sum so far is above `rest`, a document that
 * has not been seen cannot be among the best, nor one whose sum plus `rest` is below the k-th best
 * sum.  The remaining terms are then looked up in the documents that are left, unless these are so
 * many that reading the next list is cheaper.  Bounds are sums in double, too, so they are taken
 * with a little slack: what they discard is discarded for certain. */
#include "algo/retrieval.h"
#include <math.h>
#include <stdlib.h>

/* Relative; sums of n terms err by less than n * 2^-53, and n is far below 2^20. */
#define SLACK 1e-9

struct term {
    uint32_t rank;
    uint32_t tf;
};

struct lethe_retrieval {
    uint32_t n_docs, n_terms;
    uint64_t *start;    /* of each document's terms */
    struct term *terms; /* of each document, by rank */
    double *norm;       /* of each document: k1 * (1 - b + b * dl / mean dl) */
    uint32_t *rank;     /* of each term */
    uint64_t *list;     /* by rank: where its list starts */
    double *idf;        /* by rank */
    double *most;       /* by rank: the highest weight in its list */
    uint32_t *docs;     /* the lists: documents rising, */
    double *weights;    /* and what the term gives each of them */
};

struct lethe_search {
    const lethe_retrieval *index;
    double *sums;   /* by document; 0: not seen */
    uint32_t *seen; /* documents with a sum */
    uint32_t n_seen;
    lethe_buf heap;  /* lethe_hit each: the best so far, the worst of them on top */
    lethe_buf query; /* struct term each: of a bag that is no document */
    lethe_buf rests; /* double each: by term of the query, the most it and later ones can give */
};

/* --- the index --- */

static double weight_of(const lethe_retrieval *r, uint32_t doc, struct term t)
{
    double tf = t.tf;
    return r->idf[t.rank] * (tf * (LETHE_BM25_K1 + 1) / (tf + r->norm[doc]));
}

static uint64_t list_length(const lethe_retrieval *r, uint32_t rank)
{
    return r->list[rank + 1] - r->list[rank];
}

/* In how many documents each term is; `last` is scratch. */
static void count_docs(uint32_t n_docs, const uint64_t *start, const uint32_t *at, uint32_t *df,
                       uint32_t *last)
{
    for (uint32_t d = 0; d < n_docs; d++)
        for (uint64_t i = start[d]; i < start[d + 1]; i++) {
            if (last[at[i]] == d + 1) continue;
            last[at[i]] = d + 1;
            df[at[i]]++;
        }
}

/* Ranks and where lists start, by counting: terms in as many documents keep their order. */
static lethe_err rank_terms(lethe_retrieval *r, const uint32_t *df)
{
    uint32_t *next = lethe_alloc_zero((size_t)r->n_docs + 2, sizeof *next);
    if (!next) return LETHE_ENOMEM;
    for (uint32_t t = 0; t < r->n_terms; t++)
        next[df[t] + 1]++;
    for (uint32_t n = 1; n <= r->n_docs; n++)
        next[n] += next[n - 1];
    for (uint32_t t = 0; t < r->n_terms; t++) {
        r->rank[t] = next[df[t]]++;
        r->list[r->rank[t] + 1] = df[t];
    }
    for (uint32_t k = 0; k < r->n_terms; k++)
        r->list[k + 1] += r->list[k];
    lethe_free(next);
    return LETHE_OK;
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = ((const struct term *)a)->rank, y = ((const struct term *)b)->rank;
    return (x > y) - (x < y);
}

static void sort_terms(struct term *at, size_t n)
{
    if (n > 24) {
        qsort(at, n, sizeof *at, by_rank);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct term t = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1].rank > t.rank; j--)
            at[j] = at[j - 1];
        at[j] = t;
    }
}

/* Sorts terms and makes one of those that are the same; how many are left. */
static size_t gather_terms(struct term *at, size_t n)
{
    size_t kept = 0;
    sort_terms(at, n);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && at[kept - 1].rank == at[i].rank)
            at[kept - 1].tf += at[i].tf;
        else
            at[kept++] = at[i];
    }
    return kept;
}

static void fill_docs(lethe_retrieval *r, const uint64_t *start, const uint32_t *at,
                      struct term *scratch)
{
    double mean = r->n_docs ? (double)(start[r->n_docs] - start[0]) / r->n_docs : 0;
    for (uint32_t d = 0; d < r->n_docs; d++) {
        size_t n = (size_t)(start[d + 1] - start[d]);
        for (size_t i = 0; i < n; i++)
            scratch[i] = (struct term){r->rank[at[start[d] + i]], 1};
        size_t kept = gather_terms(scratch, n);
        if (kept) memcpy(r->terms + r->start[d], scratch, kept * sizeof *scratch);
        r->start[d + 1] = r->start[d] + kept;
        double share = mean > 0 ? (double)n / mean : 0;
        r->norm[d] = LETHE_BM25_K1 * (1 - LETHE_BM25_B + LETHE_BM25_B * share);
    }
}

static lethe_err fill_lists(lethe_retrieval *r)
{
    uint64_t *next = lethe_alloc((size_t)r->n_terms + 1, sizeof *next);
    if (!next) return LETHE_ENOMEM;
    for (uint32_t k = 0; k < r->n_terms; k++) {
        double df = (double)list_length(r, k);
        next[k] = r->list[k];
        r->idf[k] = log(1 + ((double)r->n_docs - df + 0.5) / (df + 0.5));
    }
    for (uint32_t d = 0; d < r->n_docs; d++)
        for (uint64_t i = r->start[d]; i < r->start[d + 1]; i++) {
            struct term t = r->terms[i];
            uint64_t to = next[t.rank]++;
            r->docs[to] = d;
            r->weights[to] = weight_of(r, d, t);
            if (r->weights[to] > r->most[t.rank]) r->most[t.rank] = r->weights[to];
        }
    lethe_free(next);
    return LETHE_OK;
}

static uint64_t longest(uint32_t n_docs, const uint64_t *start)
{
    uint64_t most = 0;
    for (uint32_t d = 0; d < n_docs; d++)
        most = LETHE_MAX(most, start[d + 1] - start[d]);
    return most;
}

static lethe_err index_terms(lethe_retrieval *r, const uint64_t *start, const uint32_t *at)
{
    uint32_t *df = lethe_alloc_zero((size_t)r->n_terms + 1, sizeof *df);
    uint32_t *last = lethe_alloc_zero((size_t)r->n_terms + 1, sizeof *last);
    lethe_err err = df && last ? LETHE_OK : LETHE_ENOMEM;
    if (err == LETHE_OK) {
        count_docs(r->n_docs, start, at, df, last);
        err = rank_terms(r, df);
    }
    lethe_free(df);
    lethe_free(last);
    return err;
}

static lethe_err index_make(lethe_retrieval *r, const uint64_t *start, const uint32_t *at)
{
    size_t docs = (size_t)r->n_docs + 1, terms = (size_t)r->n_terms + 1;
    r->start = lethe_alloc_zero(docs, sizeof *r->start);
    r->norm = lethe_alloc(docs, sizeof *r->norm);
    r->rank = lethe_alloc(terms, sizeof *r->rank);
    r->list = lethe_alloc_zero(terms, sizeof *r->list);
    r->idf = lethe_alloc(terms, sizeof *r->idf);
    r->most = lethe_alloc_zero(terms, sizeof *r->most);
    if (!r->start || !r->norm || !r->rank || !r->list || !r->idf || !r->most) return LETHE_ENOMEM;
    LETHE_TRY(index_terms(r, start, at));
    size_t n = (size_t)r->list[r->n_terms];
    r->terms = lethe_alloc(n, sizeof *r->terms);
    r->docs = lethe_alloc(n, sizeof *r->docs);
    r->weights = lethe_alloc(n, sizeof *r->weights);
    struct term *scratch = lethe_alloc((size_t)longest(r->n_docs, start), sizeof *scratch);
    lethe_err err = r->terms && r->docs && r->weights && scratch ? LETHE_OK : LETHE_ENOMEM;
    if (err == LETHE_OK) fill_docs(r, start, at, scratch);
    lethe_free(scratch);
    return err == LETHE_OK ? fill_lists(r) : err;
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
    lethe_free(r->norm);
    lethe_free(r->rank);
    lethe_free(r->list);
    lethe_free(r->idf);
    lethe_free(r->most);
    lethe_free(r->docs);
    lethe_free(r->weights);
    lethe_free(r);
}

uint32_t lethe_retrieval_count(const lethe_retrieval *r) { return r->n_docs; }

/* --- the best k --- */

lethe_err lethe_search_new(const lethe_retrieval *r, lethe_search **out)
{
    lethe_search *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return LETHE_ENOMEM;
    s->index = r;
    s->sums = lethe_alloc_zero((size_t)r->n_docs + 1, sizeof *s->sums);
    s->seen = lethe_alloc((size_t)r->n_docs + 1, sizeof *s->seen);
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
    lethe_buf_free(&s->rests);
    lethe_free(s);
}

static bool is_better(lethe_hit a, lethe_hit b)
{
    return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

/* A heap of the best k, the worst of them on top. */
struct heap {
    lethe_hit *at;
    uint32_t n, k;
};

static void heap_sink(struct heap *h, lethe_hit hit)
{
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= h->n) break;
        if (child + 1 < h->n && is_better(h->at[child], h->at[child + 1])) child++;
        if (!is_better(hit, h->at[child])) break;
        h->at[i] = h->at[child];
        i = child;
    }
    h->at[i] = hit;
}

static void heap_put(struct heap *h, lethe_hit hit)
{
    if (h->n == h->k) {
        if (is_better(hit, h->at[0])) heap_sink(h, hit);
        return;
    }
    uint32_t i = h->n++;
    for (; i > 0 && is_better(h->at[(i - 1) / 2], hit); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = hit;
}

static int best_first(const void *a, const void *b)
{
    const lethe_hit *x = a, *y = b;
    return is_better(*y, *x) - is_better(*x, *y);
}

/* --- one search --- */

struct query {
    const struct term *at; /* by rank; tf: how often the query has it */
    size_t n;
    uint32_t except; /* LETHE_NONE: nobody */
};

/* The document to be left out is added like any other, which spares a test; it is passed over when
 * the best are picked.  Without branches too: whether a document was seen cannot be foretold. */
static void add_list(lethe_search *s, const struct query *q, size_t i)
{
    const lethe_retrieval *r = s->index;
    double qtf = q->at[i].tf, *sums = s->sums;
    uint64_t begin = r->list[q->at[i].rank], n = r->list[q->at[i].rank + 1] - begin;
    const uint32_t *docs = r->docs + begin;
    const double *weights = r->weights + begin;
    uint32_t *seen = s->seen, n_seen = s->n_seen;
    for (uint64_t p = 0; p < n; p++) {
        double sum = sums[docs[p]];
        seen[n_seen] = docs[p];
        n_seen += sum == 0;
        sums[docs[p]] = sum + qtf * weights[p];
    }
    s->n_seen = n_seen;
}

static struct heap heap_of(lethe_search *s, uint32_t k)
{
    return (struct heap){(lethe_hit *)(void *)s->heap.at, 0, k};
}

/* The k-th best sum so far; there are k. */
static double kth_sum(lethe_search *s, const struct query *q, uint32_t k)
{
    struct heap h = heap_of(s, k);
    for (uint32_t i = 0; i < s->n_seen; i++) {
        lethe_hit hit = {s->seen[i], s->sums[s->seen[i]]};
        if ((h.n < k || hit.score > h.at[0].score) && hit.doc != q->except) heap_put(&h, hit);
    }
    return h.at[0].score;
}

/* Can a sum reach `score` with `rest` more?  Said in doubt. */
static bool may_reach(double sum, double rest, double score)
{
    return (sum + rest) * (1 + SLACK) >= score;
}

/* Adds to a document's sum what the query's terms from `from` on give it. */
static double sum_on(const lethe_search *s, const struct query *q, size_t from, uint32_t doc)
{
    const lethe_retrieval *r = s->index;
    const struct term *t = r->terms + r->start[doc], *end = r->terms + r->start[doc + 1];
    double sum = s->sums[doc];
    for (size_t i = from; i < q->n && t < end; i++) {
        while (t < end && t->rank < q->at[i].rank)
            t++;
        if (t < end && t->rank == q->at[i].rank)
            sum = sum + (double)q->at[i].tf * weight_of(r, doc, *t);
    }
    return sum;
}

/* Are the terms from `from` on, which can give `rest`, better looked up than their `left` postings
 * read?  Only where nobody who was not seen can be among the best.  The k-th best sum goes to *kth.
 */
static bool should_look_up(lethe_search *s, const struct query *q, size_t from, uint32_t k,
                           double rest, uint64_t left, double *kth)
{
    const lethe_retrieval *r = s->index;
    uint64_t work = 0;
    *kth = kth_sum(s, q, k);
    if (may_reach(0, rest, *kth)) return false;
    for (uint32_t i = 0; i < s->n_seen && work <= left; i++) {
        uint32_t d = s->seen[i];
        if (may_reach(s->sums[d], rest, *kth))
            work += 1 + (q->n - from) + (r->start[d + 1] - r->start[d]);
    }
    return work <= left;
}

/* Fills the heap with the best.  Terms before `from` are in the sums, the others can give `rest`.
 */
static uint32_t pick(lethe_search *s, const struct query *q, size_t from, uint32_t k, double rest,
                     double kth)
{
    struct heap h = heap_of(s, k);
    for (uint32_t i = 0; i < s->n_seen; i++) {
        uint32_t d = s->seen[i];
        if (h.n == k && h.at[0].score > kth) kth = h.at[0].score;
        if (may_reach(s->sums[d], rest, kth) && d != q->except)
            heap_put(&h, (lethe_hit){d, sum_on(s, q, from, d)});
    }
    return h.n;
}

/* Documents that match, counted up to most + 1; marks those that only the later terms have. */
static uint32_t count_matching(lethe_search *s, const struct query *q, size_t from, uint32_t most)
{
    const lethe_retrieval *r = s->index;
    uint64_t self = q->except != LETHE_NONE && q->n > 0; // has all of its own terms
    for (size_t i = q->n; i > from; i--)                 // the longest list alone may be enough
        if (list_length(r, q->at[i - 1].rank) > most + self) return most + 1;
    for (size_t i = from; i < q->n && s->n_seen <= most + self; i++)
        add_list(s, q, i);
    return s->n_seen <= most + self ? s->n_seen - (uint32_t)self : most + 1;
}

static void forget(lethe_search *s)
{
    for (uint32_t i = 0; i < s->n_seen; i++)
        s->sums[s->seen[i]] = 0;
    s->n_seen = 0;
}

static double most_given(const lethe_retrieval *r, struct term t)
{
    return (double)t.tf * r->most[t.rank];
}

/* Adds up lists until the rest is better looked up; returns how many, and the k-th best sum then.
 * `rests`: by term, the most that it and all after it can give. */
static size_t add_lists(lethe_search *s, const struct query *q, uint32_t k, const double *rests,
                        double *kth)
{
    const lethe_retrieval *r = s->index;
    uint64_t left = 0, since = 0; /* postings that were not read; that were, since the last look */
    double highest = 0;           /* no k-th best sum is above it */
    size_t i = 0;
    for (size_t j = 0; j < q->n; j++)
        left += list_length(r, q->at[j].rank);
    for (; i < q->n; i++) {
        uint64_t length = list_length(r, q->at[i].rank);
        /* A look costs about as much as reading two lists of n_seen: it must be worth that, and
         * reading must not be much less than looking. */
        bool worth = s->n_seen > k && 2 * (uint64_t)s->n_seen < left && since >= s->n_seen;
        if (worth && highest > rests[i]) {
            if (should_look_up(s, q, i, k, rests[i], left, kth)) return i;
            highest = *kth * (1 + SLACK);
            since = 0;
        }
        add_list(s, q, i);
        highest += most_given(r, q->at[i]) * (1 + SLACK);
        left -= length;
        since += length;
    }
    *kth = 0;
    return i;
}

static lethe_err search(lethe_search *s, const struct query *q, uint32_t k, uint32_t most,
                        lethe_hits *out)
{
    const lethe_retrieval *r = s->index;
    double kth;
    k = LETHE_MIN(k, LETHE_MAX(r->n_docs, 1));
    s->heap.n = s->rests.n = 0;
    LETHE_TRY(lethe_buf_reserve(&s->heap, (size_t)k * sizeof(lethe_hit)));
    LETHE_TRY(lethe_buf_reserve(&s->rests, (q->n + 1) * sizeof(double)));
    double *rests = (double *)(void *)s->rests.at;
    rests[q->n] = 0;
    for (size_t i = q->n; i > 0; i--)
        rests[i - 1] = rests[i] + most_given(r, q->at[i - 1]);
    size_t from = add_lists(s, q, k, rests, &kth);
    uint32_t n = pick(s, q, from, k, rests[from], kth);
    lethe_hit *hits = (lethe_hit *)(void *)s->heap.at;
    if (n > 1) qsort(hits, n, sizeof *hits, best_first);
    *out = (lethe_hits){hits, n, count_matching(s, q, from, most)};
    forget(s);
    return LETHE_OK;
}

lethe_err lethe_search_like(lethe_search *s, uint32_t doc, uint32_t k, uint32_t most,
                            lethe_hits *out)
{
    const lethe_retrieval *r = s->index;
    assert(doc < r->n_docs && k > 0);
    struct query q = {r->terms + r->start[doc], (size_t)(r->start[doc + 1] - r->start[doc]), doc};
    return search(s, &q, k, most, out);
}

lethe_err lethe_search_bag(lethe_search *s, const uint32_t *terms, size_t n, uint32_t k,
                           uint32_t most, lethe_hits *out)
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
    return search(s, &q, k, most, out);
}
