/* SPDX-License-Identifier: Apache-2.0 */
/* persons.c - counts the distinct owners behind each published query in the external sort, and
 * finds persons who own two published records. */
#include "check/persons.h"
#include "io/sort/sorter.h"
#include <pthread.h>

struct lethe_persons {
    lethe_ctx *ctx;
    lethe_sorter *pairs; /* query NUL owner */
    lethe_buf *scratch;  /* one a worker */
    unsigned n_workers;
    /* while checking: */
    const lethe_notion *notion;
    const lethe_json *claim;
    pthread_mutex_t lock;
    lethe_buf least; /* the least query with too few persons */
    uint64_t least_persons, least_needed;
    bool broken;
};

lethe_err lethe_persons_new(lethe_ctx *ctx, uint64_t cap_bytes, lethe_persons **out)
{
    lethe_persons *p = lethe_alloc(1, sizeof *p);
    if (!p) return lethe_no_memory(ctx);
    *p = (lethe_persons){.ctx = ctx, .n_workers = lethe_ctx_threads(ctx)};
    pthread_mutex_init(&p->lock, NULL);
    p->scratch = lethe_alloc_zero(p->n_workers, sizeof *p->scratch);
    lethe_err e = p->scratch ? lethe_sorter_new(ctx, LETHE_ORDER_GROUP, cap_bytes, &p->pairs)
                             : lethe_no_memory(ctx);
    if (e != LETHE_OK) {
        lethe_persons_free(p);
        return e;
    }
    *out = p;
    return LETHE_OK;
}

void lethe_persons_free(lethe_persons *p)
{
    if (!p) return;
    for (unsigned w = 0; p->scratch && w < p->n_workers; w++)
        lethe_buf_free(&p->scratch[w]);
    lethe_free(p->scratch);
    lethe_sorter_free(p->pairs);
    lethe_buf_free(&p->least);
    pthread_mutex_destroy(&p->lock);
    lethe_free(p);
}

lethe_err lethe_persons_put(lethe_persons *p, unsigned w, lethe_str query, lethe_str owner)
{
    lethe_buf *b = &p->scratch[w];
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, query));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    LETHE_TRY(lethe_buf_str(b, owner));
    return lethe_sorter_put(p->pairs, w, b->at, b->n);
}

static lethe_err group_end(lethe_persons *p, lethe_str query, uint64_t persons)
{
    uint64_t needed = p->notion->persons(p->claim, query);
    if (persons >= needed) return LETHE_OK;
    pthread_mutex_lock(&p->lock);
    lethe_err e = LETHE_OK;
    if (!p->broken || lethe_str_cmp(query, (lethe_str){(char *)p->least.at, p->least.n}) < 0) {
        p->broken = true;
        p->least.n = 0;
        p->least_persons = persons;
        p->least_needed = needed;
        e = lethe_buf_str(&p->least, query);
    }
    pthread_mutex_unlock(&p->lock);
    return e;
}

static lethe_err part_check(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    lethe_persons *p = arg;
    (void)part;
    /* Pairs come in order: a change of owner is one more person, a change of query a new group. */
    lethe_buf *last = &p->scratch[w];
    lethe_str pair;
    size_t n_query = 0; // of `last`
    uint64_t persons = 0;
    while (lethe_sorted_next(it, &pair)) {
        size_t n = strnlen(pair.at, pair.n);
        bool same_query = persons > 0 && n == n_query && memcmp(last->at, pair.at, n) == 0;
        if (same_query && lethe_str_eq(pair, (lethe_str){(char *)last->at, last->n})) continue;
        if (persons > 0 && !same_query)
            LETHE_TRY(group_end(p, (lethe_str){(char *)last->at, n_query}, persons));
        persons = same_query ? persons + 1 : 1;
        n_query = n;
        last->n = 0;
        LETHE_TRY(lethe_buf_str(last, pair));
    }
    LETHE_TRY(lethe_sorted_err(it));
    return persons > 0 ? group_end(p, (lethe_str){(char *)last->at, n_query}, persons) : LETHE_OK;
}

lethe_err lethe_persons_check(lethe_persons *p, const lethe_notion *notion, const lethe_json *claim,
                              lethe_json_doc *doc, bool *holds, lethe_json **why)
{
    p->notion = notion;
    p->claim = claim;
    LETHE_TRY(lethe_sorter_each(p->pairs, part_check, p));
    *holds = !p->broken;
    if (!p->broken) return LETHE_OK;
    *why = lethe_json_object(doc);
    lethe_json_set(doc, *why, "query",
                   lethe_json_new_text(doc, (lethe_str){(char *)p->least.at, p->least.n}));
    lethe_json_set(doc, *why, "persons", lethe_json_new_int(doc, (int64_t)p->least_persons));
    lethe_json_set(doc, *why, "needed", lethe_json_new_int(doc, (int64_t)p->least_needed));
    return LETHE_OK;
}

/* Sets bit i; was it set? */
static bool bit_set(uint64_t *bits, uint64_t i)
{
    uint64_t bit = (uint64_t)1 << i % 64, was = bits[i / 64] & bit;
    bits[i / 64] |= bit;
    return was != 0;
}

lethe_err lethe_persons_apart(lethe_ctx *ctx, const lethe_records *r, const uint8_t *published,
                              bool *apart)
{
    size_t n_names = r->owners ? lethe_dict_count(r->owners) : 0;
    uint64_t *owners = lethe_alloc_zero((size_t)r->n_owners / 64 + 1, sizeof *owners);
    uint64_t *names = lethe_alloc_zero(n_names / 64 + 1, sizeof *names);
    bool alone = true;
    for (size_t i = 0; owners && names && i < r->n; i++) {
        if (!published[i]) continue;
        uint32_t name = r->owner_name ? r->owner_name[r->owner[i]] : LETHE_NONE;
        bool again = bit_set(owners, r->owner[i]);
        if (name != LETHE_NONE) again |= bit_set(names, name);
        alone = alone && !again;
    }
    bool looked = owners && names;
    lethe_free(owners);
    lethe_free(names);
    if (!looked) return lethe_no_memory(ctx);
    *apart = alone;
    return LETHE_OK;
}

/* Marks v and all above it for a person; what is above a marked node is marked. */
static void mark_above(const lethe_tree *t, uint32_t v, uint32_t person, uint32_t *last,
                       uint32_t *n_persons)
{
    for (; v != LETHE_NONE && last[v] != person; v = t->parent[v]) {
        last[v] = person;
        n_persons[v]++;
    }
}

lethe_err lethe_persons_of_terms(lethe_ctx *ctx, const lethe_records *r, const lethe_tree *t,
                                 const lethe_u32s *nodes, uint64_t needed, bool *holds)
{
    uint32_t *first = lethe_alloc((size_t)r->n_owners, sizeof *first); /* record of each person */
    uint32_t *next = lethe_alloc(r->n, sizeof *next); /* of each record: one of the same person */
    uint32_t *last = lethe_alloc(t->n, sizeof *last);
    uint32_t *n_persons = lethe_alloc_zero(t->n, sizeof *n_persons);
    bool looked = first && next && last && n_persons;
    for (uint32_t i = 0; looked && i < r->n_owners; i++)
        first[i] = LETHE_NONE;
    for (uint32_t v = 0; looked && v < t->n; v++)
        last[v] = LETHE_NONE;
    for (uint32_t i = 0; looked && i < r->n; i++) {
        next[i] = first[r->owner[i]];
        first[r->owner[i]] = i;
    }
    for (uint32_t person = 0; looked && person < r->n_owners; person++)
        for (uint32_t i = first[person]; i != LETHE_NONE; i = next[i])
            for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
                mark_above(t, r->item[k], person, last, n_persons);
    *holds = true;
    for (size_t i = 0; looked && i < nodes->n; i++)
        *holds = *holds && n_persons[nodes->at[i]] >= needed;
    lethe_free(first);
    lethe_free(next);
    lethe_free(last);
    lethe_free(n_persons);
    return looked ? LETHE_OK : lethe_no_memory(ctx);
}
