/* SPDX-License-Identifier: Apache-2.0 */
/* refine_blm_most.c - a bound of what a group costs with one more, at a small part of the time that
 * its price takes.
 *
 * A price needs a cheapest matching.  Most swaps gain nothing because fewer hyper-terms can be
 * matched at all, and how many can, sets of bits tell: which terms are near each other is a table
 * of bits, and a term is relevant to a hyper-term if it is in the rows of all its members. */
#include "method/cluster/refine/refine_blm_internal.h"
#include "core/sort.h"
#include <stdlib.h>

enum {
    LONGEST = 1024,  /* terms of a record that are looked at so */
    TABLE = 96 << 20 /* most bytes of the table: what the search's neighbourhoods take */
};

/* --- begin and end --- */

static lethe_err begin_worker(const struct lethe_blm *x, struct lethe_blm_most *k, size_t longest)
{
    size_t words = lethe_bits_words(longest);
    k->longest = (uint32_t)longest;
    k->near = lethe_alloc(x->n_terms, words * sizeof *k->near);
    k->known = lethe_alloc_zero(x->n_terms, sizeof *k->known);
    k->rest = lethe_alloc(longest, x->words * sizeof *k->rest);
    k->has = lethe_alloc_zero(x->words, sizeof *k->has);
    k->row = lethe_alloc(longest, words * sizeof *k->row);
    k->sizes = lethe_alloc(longest, sizeof *k->sizes);
    k->pairs = lethe_most_pairs_new(longest, longest);
    return k->near && k->known && k->rest && k->has && k->row && k->sizes && k->pairs
               ? LETHE_OK
               : LETHE_ENOMEM;
}

lethe_err lethe_blm_most_begin(struct lethe_blm *x)
{
    size_t longest = 1;
    x->words = lethe_bits_words(x->n_terms);
    if (x->n_terms == 0 || x->n_terms > TABLE / sizeof(uint64_t) / x->words) return LETHE_OK;
    for (size_t r = 0; r < x->r->n; r++)
        if (x->record[r].size <= LONGEST) longest = LETHE_MAX(longest, x->record[r].size);
    for (unsigned w = 0; w < x->n_workers; w++)
        LETHE_TRY(begin_worker(x, &x->worker[w].most, longest));
    x->is_near = lethe_alloc_zero(x->n_terms, x->words * sizeof *x->is_near);
    return x->is_near ? LETHE_OK : LETHE_ENOMEM;
}

void lethe_blm_most_end(struct lethe_blm *x)
{
    for (unsigned w = 0; x->worker && w < x->n_workers; w++) {
        struct lethe_blm_most *k = &x->worker[w].most;
        void *const all[] = {k->near, k->known, k->rest, k->has, k->row, k->sizes};
        for (size_t i = 0; i < LETHE_COUNT(all); i++)
            lethe_free(all[i]);
        lethe_most_pairs_free(k->pairs);
    }
    lethe_free(x->is_near);
}

void lethe_blm_most_put(struct lethe_blm *x, uint32_t slot, const lethe_meaning_neighbour *around,
                        size_t n)
{
    if (!x->is_near) return;
    uint64_t *row = x->is_near + slot * x->words;
    lethe_bits_put(row, slot);
    for (size_t i = 0; i < n; i++)
        lethe_bits_put(row, x->slot_at[around[i].term]);
}

/* --- rows of hyper-terms: the terms of a record that are relevant to each --- */

static const uint32_t *slots_of(const struct lethe_blm *x, uint32_t r)
{
    return x->slot + x->r->start[r];
}

/* Which of a record's terms are in a set of slots. */
static void gather(const uint64_t *set, const uint32_t *slot, uint32_t n, uint64_t *out)
{
    for (uint32_t from = 0; from < n; from += LETHE_BITS_WORD) {
        uint64_t bits = 0;
        for (uint32_t i = from, end = LETHE_MIN(n, from + LETHE_BITS_WORD); i < end; i++)
            bits |= (uint64_t)lethe_bits_have(set, slot[i]) << i % LETHE_BITS_WORD;
        *out++ = bits;
    }
}

/* The terms of record r near one: kept while r stays the same, because it is compared with many
 * groups in turn, whose terms recur. */
static const uint64_t *terms_near(const struct lethe_blm *x, struct lethe_blm_most *k, uint32_t r,
                                  uint32_t slot, size_t words)
{
    uint64_t *near = k->near + slot * words;
    if (k->known[slot] == k->stamp) return near;
    k->known[slot] = k->stamp;
    memset(near, 0, words * sizeof *near);
    for (uint32_t i = 0, n = lethe_blm_size_of(x, r); i < n; i++) // rows that are at hand
        if (lethe_bits_have(x->is_near + slots_of(x, r)[i] * x->words, slot))
            lethe_bits_put(near, i);
    return near;
}

/* Record r is the same for many hyper vocabularies in turn. */
static void rows_of_groups(const struct lethe_blm *x, struct lethe_blm_most *k,
                           const lethe_hyper *h, uint32_t r)
{
    size_t words = lethe_bits_words(lethe_blm_size_of(x, r));
    if (k->record != r || k->stamp == 0) {
        k->record = r;
        if (++k->stamp == 0) {
            memset(k->known, 0, x->n_terms * sizeof *k->known);
            k->stamp = 1;
        }
    }
    for (uint32_t i = 0; i < h->n; i++) {
        uint64_t *row = k->row + i * words;
        memset(row, 0xff, words * sizeof *row);
        for (uint32_t v = h->start[i]; v < h->start[i + 1]; v++) {
            const uint64_t *near = terms_near(x, k, r, x->slot_at[h->voter[v].term], words);
            for (size_t j = 0; j < words; j++)
                row[j] &= near[j];
        }
    }
}

/* The hyper vocabulary is that of the group of record `of` without it, and the same for many
 * records r in turn: the slots relevant to each of its hyper-terms are kept. */
static void rows_of_records(const struct lethe_blm *x, struct lethe_blm_most *k,
                            const lethe_hyper *h, uint32_t of, uint32_t r)
{
    uint32_t size = lethe_blm_size_of(x, r);
    size_t words = lethe_bits_words(size);
    for (uint32_t i = 0; i < h->n; i++) {
        uint64_t *rest = k->rest + i * x->words;
        for (uint32_t v = h->start[i]; k->rest_of != of + 1 && v < h->start[i + 1]; v++) {
            const uint64_t *near = x->is_near + x->slot_at[h->voter[v].term] * x->words;
            if (v == h->start[i])
                memcpy(rest, near, x->words * sizeof *rest);
            else
                for (size_t j = 0; j < x->words; j++)
                    rest[j] &= near[j];
        }
        gather(rest, slots_of(x, r), size, k->row + i * words);
    }
    k->rest_of = of + 1;
}

/* --- the bound --- */

/* Puts into k->sizes, of each hyper-term that may be left with record r, how many other distinct
 * terms it then has, at least; returns how many there are. */
static uint32_t find_sizes(const struct lethe_blm *x, struct lethe_blm_most *k,
                           const lethe_hyper *h, uint32_t r)
{
    uint32_t n = 0, size = lethe_blm_size_of(x, r);
    size_t words = lethe_bits_words(size);
    for (uint32_t i = 0; i < size; i++)
        lethe_bits_put(k->has, slots_of(x, r)[i]);
    for (uint32_t i = 0; i < h->n; i++) {
        uint64_t any = 0;
        bool has = false;
        for (size_t j = 0; j < words; j++)
            any |= k->row[i * words + j];
        for (uint32_t v = h->start[i]; any && !has && v < h->start[i + 1]; v++)
            has = lethe_bits_have(k->has, x->slot_at[h->voter[v].term]);
        if (any) k->sizes[n++] = h->start[i + 1] - h->start[i] - has;
    }
    for (uint32_t i = 0; i < size; i++)
        k->has[slots_of(x, r)[i] / LETHE_BITS_WORD] = 0;
    return n;
}

static int64_t bound_of(const struct lethe_blm *x, struct lethe_blm_most *k, const lethe_hyper *h,
                        uint32_t r)
{
    uint32_t size = lethe_blm_size_of(x, r);
    uint64_t items = h->items + size, n = (uint64_t)h->n_records + 1, saved = 0;
    uint32_t most = lethe_most_pairs_of(k->pairs, k->row, h->n, size);
    uint32_t n_sizes = find_sizes(x, k, h, r);
    if (n_sizes > 1) qsort(k->sizes, n_sizes, sizeof *k->sizes, lethe_u32_cmp);
    // each that is left saves its items, and costs its other terms: the cheapest may be left
    for (uint32_t i = 0; i < most; i++)
        if (k->sizes[i] < x->scale) saved += x->scale - k->sizes[i];
    return (int64_t)(items * x->scale - saved * n);
}

static bool is_bounded(const struct lethe_blm *x, const struct lethe_blm_most *k,
                       const lethe_hyper *h, uint32_t r)
{
    return x->is_near && lethe_blm_size_of(x, r) <= k->longest && h->n <= k->longest;
}

int64_t lethe_blm_least_joined(const struct lethe_blm *x, struct lethe_blm_worker *w,
                               const lethe_hyper *h, uint32_t r)
{
    if (!is_bounded(x, &w->most, h, r)) return 0;
    rows_of_groups(x, &w->most, h, r);
    return bound_of(x, &w->most, h, r);
}

int64_t lethe_blm_least_in_rest(const struct lethe_blm *x, struct lethe_blm_worker *w,
                                const lethe_hyper *h, uint32_t of, uint32_t r)
{
    if (!is_bounded(x, &w->most, h, r)) return 0;
    rows_of_records(x, &w->most, h, of, r);
    return bound_of(x, &w->most, h, r);
}
