/* SPDX-License-Identifier: Apache-2.0 */
/* closed_base.c - transactions made small: copies, supports, ranks, equal ones merged. */
#include "algo/mine/closed_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* An item, or with copies one for each copy: (x, 1), (x, 2), ...  A bag is then a set that has with
 * (x, c) all of (x, 1) .. (x, c - 1), closed bags are the closed sets, and nothing else is needed.
 */
typedef struct unit {
    uint64_t hash; /* of the transactions that hold it */
    uint32_t support, item;
} unit;

struct base_builder {
    lethe_arena *a, *tmp;
    const lethe_transactions *t;
    bool copies;
    uint64_t *stamp; /* by item: the transaction in which it was seen last, */
    uint32_t *seen;  /* and how often */
    uint64_t *units; /* n_items + 1: item x has units[x] .. units[x + 1] - 1 */
    uint32_t *of;    /* room for a transaction's units, then ranks */
    uint32_t n_units;
    unit *unit;
    uint32_t *rank; /* by unit; LETHE_NONE: left out */
};

static uint32_t weight_of(const lethe_transactions *t, size_t i)
{
    return t->weight ? t->weight[i] : 1;
}

/* How many times was x in transaction i so far? */
static uint32_t *seen_in(struct base_builder *m, size_t i, uint32_t x)
{
    if (m->stamp[x] != i + 1) {
        m->stamp[x] = i + 1;
        m->seen[x] = 0;
    }
    return &m->seen[x];
}

static lethe_err units_count(struct base_builder *m, uint64_t *longest)
{
    const lethe_transactions *t = m->t;
    *longest = 0;
    for (size_t i = 0; i < t->n; i++) {
        *longest = LETHE_MAX(*longest, t->start[i + 1] - t->start[i]);
        for (uint64_t k = t->start[i]; k < t->start[i + 1]; k++) {
            uint32_t x = t->item[k];
            assert(x < t->n_items);
            uint32_t *seen = seen_in(m, i, x);
            *seen += m->copies || *seen == 0;
            m->units[x + 1] = LETHE_MAX(m->units[x + 1], *seen);
        }
    }
    for (uint32_t x = 0; x < t->n_items; x++)
        m->units[x + 1] += m->units[x];
    if (m->units[t->n_items] >= LETHE_NONE || *longest >= LETHE_NONE) return LETHE_ENOMEM;
    m->n_units = (uint32_t)m->units[t->n_items];
    memset(m->stamp, 0, t->n_items * sizeof *m->stamp);
    return LETHE_OK;
}

/* The units of transaction i, each once. */
static size_t units_take(struct base_builder *m, size_t i)
{
    const lethe_transactions *t = m->t;
    size_t n = 0;
    for (uint64_t k = t->start[i]; k < t->start[i + 1]; k++) {
        uint32_t x = t->item[k], *seen = seen_in(m, i, x);
        if (m->units[x] + *seen < m->units[x + 1]) // else a copy that does not count
            m->of[n++] = (uint32_t)(m->units[x] + (*seen)++);
    }
    return n;
}

static int by_support(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    if (x->support != y->support) return x->support > y->support ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* --- ranks --- */

typedef struct ranked {
    uint32_t support, unit;
} ranked;

static int rarest_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->support != y->support) return x->support < y->support ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static lethe_err ranks_give(struct base_builder *m, closed_base *b)
{
    ranked *r = lethe_new(m->tmp, ranked, (size_t)m->n_units + 1);
    m->rank = lethe_new(m->tmp, uint32_t, (size_t)m->n_units + 1);
    if (!r || !m->rank) return LETHE_ENOMEM;
    for (uint32_t u = 0; u < m->n_units; u++) {
        m->rank[u] = LETHE_NONE;
        if (m->unit[u].support >= b->least) r[b->n_ranks++] = (ranked){m->unit[u].support, u};
    }
    uint32_t *item = lethe_new(m->a, uint32_t, (size_t)b->n_ranks + 1),
             *support = lethe_new(m->a, uint32_t, (size_t)b->n_ranks + 1);
    if (!item || !support) return LETHE_ENOMEM;
    qsort(r, b->n_ranks, sizeof *r, rarest_first);
    for (uint32_t i = 0; i < b->n_ranks; i++) {
        m->rank[r[i].unit] = i;
        item[i] = m->unit[r[i].unit].item;
        support[i] = r[i].support;
    }
    b->item = item;
    b->support = support;
    return LETHE_OK;
}

/* --- distinct transactions --- */

/* Transactions as their ranks, ascending.  A dictionary tells which are equal: their bytes are its
 * strings. */
static lethe_err merge(struct base_builder *m, lethe_dict *d, closed_base *b)
{
    lethe_u32s weight = {0};
    for (size_t i = 0; i < m->t->n; i++) {
        uint32_t id, w = weight_of(m->t, i);
        size_t n = w ? units_take(m, i) : 0, kept = 0;
        for (size_t k = 0; k < n; k++)
            if (m->rank[m->of[k]] != LETHE_NONE) m->of[kept++] = m->rank[m->of[k]];
        if (kept == 0) continue;
        lethe_sort_u32(m->of, kept);
        LETHE_TRY(lethe_dict_add(d, (lethe_str){(const char *)m->of, kept * sizeof *m->of}, &id));
        if (id == weight.n) {
            LETHE_TRY(lethe_u32s_append(m->tmp, &weight, &w, 1));
        } else {
            assert(id < weight.n && weight.at); // numbers are given in order
            weight.at[id] += w;
        }
    }
    b->n = lethe_dict_count(d);
    uint64_t *start = lethe_new(m->a, uint64_t, (size_t)b->n + 1);
    uint32_t *weights = lethe_new(m->a, uint32_t, (size_t)b->n + 1);
    if (!start || !weights) return LETHE_ENOMEM;
    assert(b->n == weight.n && (b->n == 0 || weight.at));
    for (uint32_t i = 0; i < b->n; i++) {
        start[i + 1] = start[i] + lethe_dict_at(d, i).n / sizeof(uint32_t);
        weights[i] = weight.at[i];
    }
    uint32_t *rank = lethe_new(m->a, uint32_t, start[b->n] + 1);
    if (!rank) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < b->n; i++)
        memcpy(rank + start[i], lethe_dict_at(d, i).at, lethe_dict_at(d, i).n);
    b->start = start;
    b->weight = weights;
    b->rank = rank;
    return LETHE_OK;
}

static lethe_err places_give(struct base_builder *m, closed_base *b)
{
    uint64_t *first = lethe_new(m->a, uint64_t, (size_t)b->n_ranks + 2);
    closed_place *place = lethe_new(m->a, closed_place, b->start[b->n] + 1);
    if (!first || !place) return LETHE_ENOMEM;
    // counted two further on, so that after filling, each is where it begins
    for (uint64_t k = 0; k < b->start[b->n]; k++)
        first[b->rank[k] + 2]++;
    for (uint32_t r = 0; r <= b->n_ranks; r++)
        first[r + 1] += first[r];
    for (uint32_t i = 0; i < b->n; i++)
        for (uint64_t k = b->start[i]; k < b->start[i + 1]; k++)
            place[first[b->rank[k] + 1]++] = (closed_place){i, (uint32_t)(k - b->start[i]) + 1};
    b->first = first;
    b->place = place;
    return LETHE_OK;
}

static lethe_err make(struct base_builder *m, const lethe_closed_asked *asked, closed_base *b)
{
    uint64_t longest;
    size_t n_items = m->t->n_items;
    m->stamp = lethe_new(m->tmp, uint64_t, n_items + 1);
    m->seen = lethe_new(m->tmp, uint32_t, n_items + 1);
    m->units = lethe_new(m->tmp, uint64_t, n_items + 1);
    if (!m->stamp || !m->seen || !m->units) return LETHE_ENOMEM;
    LETHE_TRY(units_count(m, &longest));
    m->of = lethe_new(m->tmp, uint32_t, longest + 1);
    m->unit = lethe_new(m->tmp, unit, (size_t)m->n_units + 1);
    if (!m->of || !m->unit) return LETHE_ENOMEM;
    for (uint32_t x = 0; x < m->t->n_items; x++)
        for (uint64_t u = m->units[x]; u < m->units[x + 1]; u++)
            m->unit[u].item = x;
    for (size_t i = 0; i < m->t->n; i++) {
        uint32_t weight = weight_of(m->t, i);
        if (weight == 0) continue;
        size_t n = units_take(m, i);
        uint64_t x = i;
        x = (x + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        uint64_t hash = x ^ (x >> 31);
        for (size_t k = 0; k < n; k++) {
            m->unit[m->of[k]].support += weight;
            m->unit[m->of[k]].hash += hash;
        }
    }
    memset(m->stamp, 0, m->t->n_items * sizeof *m->stamp);
    // with a longest size, the closures of single items may not count
    if (asked->n > 0 && asked->longest == 0) {
        /* A support that n closed sets have at least.  Units with other transactions have other
         * closures, and where hashes differ, transactions do; where they are equal by chance, a set
         * less is counted, which is as safe. */
        unit *sorted = lethe_alloc(m->n_units, sizeof *sorted);
        uint64_t distinct = 0;
        if (!sorted) return LETHE_ENOMEM;
        memcpy(sorted, m->unit, m->n_units * sizeof *sorted);
        qsort(sorted, m->n_units, sizeof *sorted, by_support);
        for (uint32_t i = 0; i < m->n_units && distinct < asked->n; i++) {
            distinct += i == 0 || by_support(&sorted[i - 1], &sorted[i]) != 0;
            if (distinct == asked->n) b->least = LETHE_MAX(b->least, sorted[i].support);
        }
        lethe_free(sorted);
    }
    LETHE_TRY(ranks_give(m, b));
    lethe_dict *d = lethe_dict_new();
    lethe_err e = d ? merge(m, d, b) : LETHE_ENOMEM;
    lethe_dict_free(d);
    return e == LETHE_OK ? places_give(m, b) : e;
}

lethe_err lethe_closed_base(lethe_arena *a, const lethe_transactions *t,
                            const lethe_closed_asked *asked, closed_base *out)
{
    uint64_t total = 0, least = LETHE_MAX(asked->support, 1);
    for (size_t i = 0; i < t->n; i++) {
        total += weight_of(t, i);
        if (total >= LETHE_NONE) return LETHE_EUSAGE;
    }
    // more than there are: nothing has it
    closed_base b = {.total = (uint32_t)total, .least = (uint32_t)LETHE_MIN(least, total + 1)};
    struct base_builder m = {.a = a, .tmp = lethe_arena_new(), .t = t, .copies = asked->copies};
    lethe_err e = m.tmp ? make(&m, asked, &b) : LETHE_ENOMEM;
    lethe_arena_free(m.tmp);
    if (e == LETHE_OK) *out = b;
    return e;
}
