/* SPDX-License-Identifier: Apache-2.0 */
/* Ranked retrieval against scoring every document by the formula, term after term. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "log_oracle.h"
#include "algo/text/retrieval.h"

enum { N_CORPORA = 10000, MOST_DOCS = 300, MOST_TERMS = 60, MOST_LENGTH = 40 };

typedef struct corpus {
    uint32_t n_docs, n_terms;
    uint64_t start[MOST_DOCS + 1];
    uint32_t at[MOST_DOCS * MOST_LENGTH];
    uint32_t tf[MOST_DOCS][MOST_TERMS];
    uint32_t df[MOST_TERMS];
    uint32_t order[MOST_TERMS]; /* the rarest first */
} corpus;

/* Some corpora are small and dense, with many ties; in others common terms are much more common
 * than the rest. */
static void corpus_random(uint64_t *seed, corpus *c)
{
    static const uint32_t docs[] = {1, 2, 5, 30, MOST_DOCS}, lengths[] = {1, 3, 8, MOST_LENGTH};
    memset(c, 0, sizeof *c);
    c->n_docs = (uint32_t)o_below(seed, docs[o_below(seed, LETHE_COUNT(docs))] + 1);
    c->n_terms = 1 + (uint32_t)o_below(seed, MOST_TERMS);
    size_t longest = lengths[o_below(seed, LETHE_COUNT(lengths))], skew = o_below(seed, 5);
    for (uint32_t d = 0; d < c->n_docs; d++) {
        size_t n = o_below(seed, longest + 1);
        for (size_t i = 0; i < n; i++) {
            size_t t = o_below(seed, c->n_terms);
            for (size_t again = skew; again > 0; again--) {
                size_t other = o_below(seed, c->n_terms);
                if (other < t) t = other;
            }
            c->at[c->start[d] + i] = (uint32_t)t;
            if (c->tf[d][t]++ == 0) c->df[t]++;
        }
        c->start[d + 1] = c->start[d] + n;
    }
    for (uint32_t t = 0; t < c->n_terms; t++) {
        uint32_t i = t;
        for (; i > 0 && c->df[c->order[i - 1]] > c->df[t]; i--)
            c->order[i] = c->order[i - 1];
        c->order[i] = t;
    }
}

/* The formula, in the header's order. */
static double score(const corpus *c, const uint32_t *query, uint32_t d)
{
    double sum = 0, mean = (double)c->start[c->n_docs] / c->n_docs;
    for (uint32_t i = 0; i < c->n_terms; i++) {
        uint32_t t = c->order[i];
        if (query[t] == 0 || c->tf[d][t] == 0) continue;
        double tf = c->tf[d][t], df = c->df[t], length = (double)(c->start[d + 1] - c->start[d]);
        double idf = log(1 + ((double)c->n_docs - df + 0.5) / (df + 0.5));
        double norm = 1.2 * (1 - 0.75 + 0.75 * (length / mean));
        sum += query[t] * (idf * (tf * (1.2 + 1) / (tf + norm)));
    }
    return sum;
}

static void expect(uint64_t seed, const corpus *c, const uint32_t *query, uint32_t except,
                   uint32_t k, const lethe_hits *got)
{
    double scores[MOST_DOCS];
    bool taken[MOST_DOCS] = {false};
    uint32_t matching = 0;
    for (uint32_t d = 0; d < c->n_docs; d++) {
        scores[d] = d == except ? 0 : score(c, query, d);
        matching += scores[d] > 0;
    }
    if (got->matching != matching)
        fail_msg("seed %llu: %u match, not %u", (unsigned long long)seed, got->matching, matching);
    if (got->n != (matching < k ? matching : k))
        fail_msg("seed %llu: %u hits of %u", (unsigned long long)seed, got->n, matching);
    for (uint32_t i = 0; i < got->n; i++) {
        uint32_t best = LETHE_NONE;
        for (uint32_t d = 0; d < c->n_docs; d++)
            if (!taken[d] && (best == LETHE_NONE || scores[d] > scores[best])) best = d;
        taken[best] = true;
        if (got->at[i].doc != best || got->at[i].score != scores[best])
            fail_msg("seed %llu, k %u: hit %u is %u (%.17g), not %u (%.17g)",
                     (unsigned long long)seed, k, i, got->at[i].doc, got->at[i].score, best,
                     scores[best]);
    }
}

static void query_documents(uint64_t *s, uint64_t seed, const corpus *c, lethe_search *search)
{
    for (int n = 0; n < 6 && c->n_docs > 0; n++) {
        uint32_t d = (uint32_t)o_below(s, c->n_docs), k = 1 + (uint32_t)o_below(s, n % 2 ? 100 : 5);
        lethe_hits hits;
        assert_int_equal(lethe_search_like(search, d, k, &hits), LETHE_OK);
        expect(seed, c, c->tf[d], d, k, &hits);
    }
}

static void query_bags(uint64_t *s, uint64_t seed, const corpus *c, lethe_search *search)
{
    for (int n = 0; n < 4; n++) {
        uint32_t bag[30], query[MOST_TERMS + 1] = {0}, k = 1 + (uint32_t)o_below(s, 100);
        size_t length = o_below(s, LETHE_COUNT(bag) + 1);
        lethe_hits hits;
        for (size_t i = 0; i < length; i++) {
            bag[i] = (uint32_t)o_below(s, c->n_terms + 1);
            query[bag[i]]++; // the last is no term at all
        }
        assert_int_equal(lethe_search_bag(search, bag, length, k, &hits), LETHE_OK);
        expect(seed, c, query, LETHE_NONE, k, &hits);
    }
}

static void the_best_are_those_of_a_full_scan(void **state)
{
    (void)state;
    static corpus c;
    for (uint64_t i = 0; i < N_CORPORA; i++) {
        uint64_t seed = 7000 + i, s = seed;
        lethe_retrieval *r = NULL;
        lethe_search *search = NULL;
        corpus_random(&s, &c);
        assert_int_equal(lethe_retrieval_new(c.n_docs, c.start, c.at, c.n_terms, &r), LETHE_OK);
        assert_int_equal(lethe_retrieval_count(r), c.n_docs);
        assert_int_equal(lethe_search_new(r, &search), LETHE_OK);
        query_documents(&s, seed, &c, search);
        query_bags(&s, seed, &c, search);
        lethe_search_free(search);
        lethe_retrieval_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_are_those_of_a_full_scan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
